"""Explain a score: what each document of a ranking earned under a measure, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rankprism.data.hits import NOWHERE, Floats, Hits, rankings_of
from rankprism.data.judgments import Judgments
from rankprism.data.run import Alignment, align
from rankprism.errors import InputError, MeasureError, listed
from rankprism.evaluation import parsed, run_sources
from rankprism.formats.answers import with_answers
from rankprism.formats.judgments import read_judgments
from rankprism.formats.runs import run_from
from rankprism.measures import Measure
from rankprism.measures.parts import (
    NO_NOVELTY,
    aspect_weights,
    hit_discount,
    hit_gain,
    novel_gain,
    ratio,
)
from rankprism.results.result import Result, Table
from rankprism.types import AspectsLike, JudgmentsLike, MeasuresLike, RunsLike, WeightsLike

#: What a document shows in place of grades.
NOT_JUDGED, NOT_RELEVANT = "not judged", "–"


def explain(
    judgments: JudgmentsLike,
    runs: RunsLike,
    measures: MeasuresLike,
    topic: str,
    *,
    depth: int = 20,
    weights: WeightsLike | None = None,
    aspects: AspectsLike | None = None,
    qrels_format: str | None = None,
    run_format: str | None = None,
    order: str = "score",
    duplicates: str = "error",
) -> Explanation:
    """What each document that a run retrieved for a topic earned under each measure.

    topic : the topic to look at.
    depth : how many ranks to show. What the documents below them earned is told as one sum.

    The other parameters are those of `rankprism.evaluate`. Under α-nDCG a second document on a subtopic earns
    less, because only half of its gain is new:

    >>> qrels = {"q": {"car": {"a": 1, "b": 1}, "cat": {"c": 1}}}
    >>> print(explain(qrels, {"cars": {"q": {"a": 3, "b": 2, "c": 1}}}, "alpha_nDCG@3", "q"))
    run   rank  doc  aspects    gain  novelty  discount  earned  score so far
    ─────────────────────────────────────────────────────────────────────────
    cars  1     a    car:1    0.5000   1.0000    1.0000  0.5317        0.5317
    cars  2     b    car:1    0.5000   0.5000    0.6309  0.1677        0.6994
    cars  3     c    cat:1    0.5000   1.0000    0.5000  0.2658        0.9652
    <BLANKLINE>
    alpha_nDCG@3: cars 0.9652.
    """
    chosen = parsed(measures)
    for measure in chosen:
        if measure.needs != "judgments":
            raise MeasureError(f"{measure} needs {measure.needs}; only measures of judgments are explained")
    if depth < 1:
        raise InputError(f"depth must be a whole number ≥ 1; got {depth}")
    judged = read_judgments(judgments, weights=weights, aspects=aspects, format=qrels_format)
    sources = run_sources(runs)
    if all(measure.definition.answers for measure in chosen):
        judged, sources = with_answers(judged, sources, run_format)
    if topic not in judged.topics:
        raise InputError(f"{judged.source}: has no topic {topic!r}; it has {listed(judged.topics)}")
    number = judged.topics.index(topic)
    rankings = []
    for name, source in sources.items():
        run = run_from(source, name, run_format, duplicates)
        aligned = align(judged, run, order, duplicates)
        hits = rankings_of(judged.cells, [aligned], np.array([number]))
        lines, *_ = run.table.ranking(order, duplicates)
        topics, docs, *_ = run.table.columns()
        ranked = [docs[line] for line in lines.tolist() if topics[line] == topic]
        rankings.append(
            Ranking(
                name,
                tuple(ranked),
                _labels(judged, aligned, number, len(ranked)),
                tuple(_terms(measure, hits) for measure in chosen),
            )
        )
    return Explanation(
        topic,
        tuple(chosen),
        tuple(rankings),
        depth,
        {"topic": topic, "measures": list(map(str, chosen)), "order": order, "duplicates": duplicates},
    )


@dataclass(frozen=True, eq=False)
class Terms:
    """What a measure makes of one ranking, rank by rank down to its cutoff."""

    earned: Floats
    empty: float  #: the score of a ranking without documents
    #: gain, novelty, discount and effort, as far as the measure is made of them
    why: Mapping[str, Floats] = field(default_factory=dict)

    @property
    def so_far(self) -> Floats:
        """The score after each rank."""
        return self.empty + np.cumsum(self.earned)

    @property
    def score(self) -> float:
        return float(self.so_far[-1]) if len(self.earned) else self.empty


@dataclass(frozen=True, eq=False)
class Ranking:
    """A run's documents for the topic, their labels, and what each measure makes of them."""

    run: str
    docs: tuple[str, ...]
    labels: tuple[str, ...]
    terms: tuple[Terms, ...]


def _terms(measure: Measure, hits: Hits) -> Terms:
    steps = measure.explain(hits)
    why = {name: rows[0] for name, rows in parts_by_rank(measure, hits, steps.earned.shape[1]).items()}
    if steps.spent.any():
        why["effort"] = steps.spent[0]
    return Terms(steps.earned[0], float(steps.empty[0]), why)


def parts_by_rank(measure: Measure, hits: Hits, depth: int) -> dict[str, Floats]:
    """What a document gains on its aspects, how much of that is new, and how much its rank counts.

    Each is (ranking, rank). There are none for a measure that is not made of these parts.
    """
    parts = measure.parts
    if parts is None:
        return {}
    seen = (hits.condensed() if measure.is_condensed else hits).top(measure.cutoff)
    weight = parts.given_weights(seen)
    weight = aspect_weights(seen, parts.gain, parts.weighted) if weight is None else weight
    gain = (hit_gain(seen, parts.gain) * weight[:, :, None]).sum(1)
    new = (novel_gain(seen, parts) * weight[:, :, None]).sum(1)
    rank = hits.rank[:, : seen.rank.shape[1]]  # where it stands, whatever rank the measure gives it
    row, place = np.nonzero((seen.rank != NOWHERE) & (rank <= depth))

    def by_rank(value: Floats, empty: float) -> Floats:
        ranks = np.full((len(rank), depth), empty)
        ranks[row, rank[row, place] - 1] = value[row, place]
        return ranks

    found = {"gain": by_rank(gain, 0.0)}
    if parts.novelty != NO_NOVELTY:
        found["novelty"] = by_rank(np.where(gain > 0, ratio(new, gain), np.nan), np.nan)
    return found | {"discount": by_rank(hit_discount(seen, parts.discount), np.nan)}


def _labels(judged: Judgments, run: Alignment, topic: int, length: int) -> tuple[str, ...]:
    """The aspects and grades of the document at each rank."""
    cells, names = judged.cells, judged.aspects[judged.topics[topic]]
    grades: dict[int, list[str]] = {}
    for cell in range(cells.start[topic], cells.start[topic + 1]):
        name = names[cells.aspect[cell]]
        grades.setdefault(int(cells.doc[cell]), []).append(f"{name}:{cells.grade[cell]:g}")
    labels = [NOT_JUDGED] * length
    for place in range(run.start[topic], run.start[topic + 1]):
        doc = int(run.doc[place])
        labels[run.rank[place] - 1] = " ".join(grades[doc]) if doc >= 0 else NOT_RELEVANT
    return tuple(labels)


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Result):
    """What `explain` returns."""

    topic: str
    measures: tuple[Measure, ...]
    rankings: tuple[Ranking, ...]
    depth: int
    about: Mapping[str, Any] = field(default_factory=dict)

    def _ranks(self, terms: Terms) -> int:
        """How many ranks to show: those that the measure looks at, down to the depth."""
        return min(self.depth, len(terms.earned))

    @property
    def rows(self) -> Table:
        """One row for each run, measure and rank."""
        names = ("gain", "novelty", "discount", "effort")
        header = ("run", "measure", "rank", "doc", "aspects", *names, "earned", "score so far")
        columns: dict[str, list[Any]] = {name: [] for name in header}
        for ranking in self.rankings:
            for measure, terms in zip(self.measures, ranking.terms, strict=True):
                n = min(self._ranks(terms), len(ranking.docs))
                columns["run"] += [ranking.run] * n
                columns["measure"] += [str(measure)] * n
                columns["rank"] += range(1, n + 1)
                columns["doc"] += ranking.docs[:n]
                columns["aspects"] += ranking.labels[:n]
                for name in names:
                    columns[name] += terms.why[name][:n].tolist() if name in terms.why else [None] * n
                columns["earned"] += terms.earned[:n].tolist()
                columns["score so far"] += terms.so_far[:n].tolist()
        return Table(columns, measures=tuple(map(str, self.measures)))

    @property
    def summary(self) -> Table:
        """With one measure also why; with several, a column of what was earned for each."""
        rows = self.rows.columns
        if len(self.measures) == 1:
            told = {
                name: column
                for name, column in rows.items()
                if name != "measure" and any(x is not None for x in column)
            }
            return Table(told | {"rank": list(map(str, rows["rank"]))})  # words, so that ids stand left too
        columns: dict[str, list[Any]] = {"run": [], "rank": [], "doc": [], "aspects": []}
        columns |= {str(measure): [] for measure in self.measures}
        for ranking in self.rankings:
            n = min(max(map(self._ranks, ranking.terms)), len(ranking.docs))
            columns["run"] += [ranking.run] * n
            columns["rank"] += map(str, range(1, n + 1))
            columns["doc"] += ranking.docs[:n]
            columns["aspects"] += ranking.labels[:n]
            for measure, terms in zip(self.measures, ranking.terms, strict=True):
                earned = terms.earned[:n].tolist()
                columns[str(measure)] += earned + [None] * (n - len(earned))
        return Table(columns, measures=tuple(map(str, self.measures)))

    @property
    def note(self) -> str:
        lines = []
        for m, measure in enumerate(self.measures):
            scores = []
            for ranking in self.rankings:
                terms = ranking.terms[m]
                below = terms.earned[self.depth :].sum()
                rest = f" ({below:.4f} of it below rank {self.depth})" if abs(below) >= 5e-5 else ""
                scores.append(f"{ranking.run} {terms.score:.4f}{rest}")
            lines.append(f"{measure}: {', '.join(scores)}.")
        others = [str(measure) for measure in self.measures if not measure.is_sum]
        if others:
            lines.append(
                f"{' and '.join(others)} {'is' if len(others) == 1 else 'are'} not a sum over documents: a "
                "number is what the score changed by when the document was found."
            )
        return "\n".join(lines)
