"""Simulation of `rankprism judges agree` where people have labelled only a part of what a judge has.

    python -m simulations.missing_labels FOLDER --repetitions 500 --share 0.05 0.1 0.2 --judge umbrela.gpt-4o

draws labels of people with equal chances, and counts how often the interval of τ holds the τ of all labels,
and that of the bias the bias of all labels. FOLDER has trec-dl-2021-prefs and trec-dl-2021-judges. With
--collection web-2009 or web-2012, topics have several aspects and judges are made up. docs/judges.md has the
table.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rankprism import Collection, evaluate, read_judgments, read_run
from rankprism._core import JudgmentTable
from rankprism.data.arrays import Longs
from rankprism.data.judgments import Judgments
from rankprism.judging.judges.agreement import mean_over_topics
from rankprism.judging.judges.labels import Labels
from rankprism.judging.judges.shared_labels import Compared, compared
from rankprism.meta import correlation
from rankprism.results.scores import Scores
from simulations.judges import SUBTOPICS, dl_2021, web
from simulations.populations import Floats


class Drawn(NamedTuple):
    """What repeated draws gave, (repetition, figure). The figures are τ_b and the bias."""

    value: Floats
    low: Floats
    high: Floats
    truth: Floats  #: (figure,) by all labels

    @property
    def held(self) -> Floats:
        """(figure,) the share of intervals that hold the figure of all labels."""
        inside = (self.low <= self.truth + 1e-12) & (self.truth - 1e-12 <= self.high)
        return np.asarray(inside.mean(0))


@dataclass(frozen=True)
class Labelled:
    """Runs, and labels of all pairs by people and by a judge."""

    labels: Labels
    judge: str
    collection: Collection  #: the runs

    def figures(self, labels: Labels, by_people: Scores, seed: int) -> list[Floats]:
        """For each measure, (3, figure): τ_b and the bias, and the ends of their intervals.

        by_people : the scores by all labels of people, which name the topics and measures
        """
        one: Compared = compared(labels, self.collection, by_people)[self.judge]
        found = []
        for m in range(len(by_people.measures)):
            people, judge = (scores.values[:, :, m] for scores in (one.people, one.judge))
            bias = mean_over_topics(self.judge, "", "bias", "all", (judge - people).mean(0), 0.95)
            figures = [tau_b(people, judge, seed), (bias.value, bias.low, bias.high)]
            found.append(np.array(figures).T)
        return found

    @cached_property
    def _rows(self) -> tuple[Longs, tuple[list[str], list[str], list[str], Floats]]:
        """The pair of each label of people, and the columns of these labels."""
        labels = self.labels
        topics, aspects, docs, grades = labels.source.table.columns()
        pairs = {
            (labels.topics[t], doc): p
            for p, (t, doc) in enumerate(zip(labels.topic, labels.docs, strict=True))
        }
        place = np.array([pairs[key] for key in zip(topics, docs, strict=True)])
        return place, (list(topics), list(aspects), list(docs), np.asarray(grades))

    def draw(self, rng: np.random.Generator, share: float) -> Labels:
        """The same labels, of which people have given only this share, drawn with equal chances."""
        labels, (place, (topics, aspects, docs, grades)) = self.labels, self._rows
        known = np.flatnonzero(~np.isnan(labels.people).all(1))
        drawn = np.zeros(len(labels.docs), dtype=bool)
        drawn[rng.choice(known, max(1, round(share * len(known))), replace=False)] = True
        rows = np.flatnonzero(drawn[place])
        every = sorted(set(zip(topics, aspects, strict=True)))
        table = JudgmentTable.from_columns(
            labels.source.source,
            [topics[n] for n in rows],
            [aspects[n] for n in rows],
            [docs[n] for n in rows],
            grades[rows],
            [topic for topic, _ in every],
            [aspect for _, aspect in every],
        )
        people = np.where(drawn[:, None], labels.people, np.nan)
        return replace(labels, people=people, source=replace(labels.source, table=table))

    def repeat(
        self, measures: Sequence[str], share: float, repetitions: int, seed: int = 1
    ) -> Iterator[Drawn]:
        """For each measure, what repeated draws give."""
        rng = np.random.default_rng(seed)
        by_people = evaluate(self.collection.judged_by(self.labels.source), measures=measures)
        truth = self.figures(self.labels, by_people, 0)
        draws = [self.figures(self.draw(rng, share), by_people, k) for k in range(repetitions)]
        for m, whole in enumerate(truth):
            value, low, high = np.array([draw[m] for draw in draws]).transpose(1, 0, 2)
            yield Drawn(value, low, high, whole[0])


def tau_b(people: Floats, judge: Floats, seed: int) -> tuple[float, float, float]:
    """τ_b of the means of scores (run, topic), with its interval, as `agree` finds it."""
    runs, topics = (tuple(map(str, range(n))) for n in people.shape)
    both = Scores(runs, topics, ("people", "judge"), np.stack([people, judge], axis=-1))
    found = correlation(both, coefficient="tau-b", intervals=0.95, seed=seed)
    low, high = found.interval
    return float(found.values[0, 1]), float(low[0, 1]), float(high[0, 1])


def _judgments(rows: Sequence[tuple[str, str, str, float]], like: Judgments) -> Judgments:
    """The judgments of these rows."""
    if like.counted is None:
        found: dict[str, dict[str, float]] = {}
        for topic, _, doc, grade in rows:
            found.setdefault(topic, {})[doc] = grade
        return read_judgments(found)
    names = ("topic", "aspect", "doc", "grade")
    return read_judgments([dict(zip(names, row, strict=True)) for row in rows], aspects="all")


def collection(folder: Path, name: str, judge: str | None) -> Labelled:
    """A collection with one of its judges."""
    labels, paths = web(folder, name) if name in SUBTOPICS else dl_2021(folder)
    chosen = judge or next(iter(labels.judges))
    given = labels.judges[chosen]
    source = labels.sources.get(chosen) or _judgments(
        [
            (labels.topics[t], aspect, doc, float(given[p, a]))
            for p, (t, doc) in enumerate(zip(labels.topic.tolist(), labels.docs, strict=True))
            for a, aspect in enumerate(labels.aspects[t])
        ],
        labels.source,
    )
    own = replace(labels, judges={chosen: given}, sources={chosen: source})
    return Labelled(own, chosen, Collection.of(None, {path.name: read_run(path) for path in paths}))


def main(words: Sequence[str] | None = None) -> None:
    """Print a line for each judge, measure and share."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repetitions", type=int, default=500)
    parser.add_argument("--share", type=float, nargs="+", default=[0.35, 0.4, 0.45, 0.48, 0.5])
    parser.add_argument("--judge", nargs="+", default=[None])
    parser.add_argument("--measure", nargs="+", default=["nDCG@10"])
    parser.add_argument("--collection", choices=("dl-2021", *SUBTOPICS), default="dl-2021")
    given: Any = parser.parse_args(words)
    warnings.simplefilter("ignore")
    print("| judge | measure | share | τ of all | mean τ | holds τ | bias of all | mean bias | holds bias |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|", flush=True)
    for judge in given.judge:
        whole = collection(given.folder, given.collection, judge)
        for share in given.share:
            every = whole.repeat(given.measure, share, given.repetitions)
            for measure, found in zip(given.measure, every, strict=True):
                tau, bias = (
                    f"{found.truth[f]:.3f} | {found.value[:, f].mean():.3f} | {found.held[f]:.3f}"
                    for f in (0, 1)
                )
                print(f"| {whole.judge} | {measure} | {share:g} | {tau} | {bias} |", flush=True)


if __name__ == "__main__":
    main()
