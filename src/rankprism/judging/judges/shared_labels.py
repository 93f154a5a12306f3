"""Scores of runs by people and by a judge, from the documents that both have labelled.

A label that is not there is not a 0. If people or the judge lack a label that the other has, only the
documents that both have labelled are compared, and all others are removed from the rankings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from rankprism._core import JudgmentTable
from rankprism.data import Bools, Judgments, Note, issue, some
from rankprism.errors import InputError
from rankprism.evaluation import Collection
from rankprism.evaluation.inspection.coverage import depth_of
from rankprism.judging.judges.labels import Labels
from rankprism.judging.judges.pool import Ranked
from rankprism.measures import parse
from rankprism.results import Scores

#: The smallest share of labels in common with which runs are compared. With fewer labels, the intervals of τ
#: hold the τ by all labels too seldom: see `simulations.missing_labels` and docs/judges.md.
ENOUGH = 0.48


class Compared(NamedTuple):
    """The scores of the same runs and topics by people and by a judge."""

    people: Scores
    judge: Scores
    #: of the documents at the top of some run that somebody has labelled, the share that both have labelled
    shared: float = 1.0

    @property
    def enough(self) -> bool:
        return self.shared >= ENOUGH


@dataclass(frozen=True)
class Shared:
    """The pairs that people and a judge have both labelled."""

    labels: Labels
    judge: str
    both: Bools  #: (pair,)
    either: Bools  #: (pair,)

    @classmethod
    def of(cls, labels: Labels, judge: str) -> Shared:
        people, own = (~np.isnan(x).all(1) for x in (labels.people, labels.judges[judge]))
        # A topic that one of them lacks altogether is left out.
        has = [np.bincount(labels.topic, x, len(labels.topics)) > 0 for x in (people, own)]
        inside = (has[0] & has[1])[labels.topic]
        return cls(labels, judge, np.asarray(people & own), np.asarray((people | own) & inside))

    @property
    def is_whole(self) -> bool:
        """Whether neither lacks a label that the other has."""
        return bool((self.both == self.either).all())

    @property
    def topics(self) -> set[str]:
        """The topics of these pairs."""
        return {self.labels.topics[t] for t in np.unique(self.labels.topic[self.both]).tolist()}

    def share(self, top: Bools) -> float:
        """The share of these pairs among those at the top of the runs that either has labelled."""
        either = int((self.either & top).sum())
        return float((self.both & top).sum()) / either if either else 0.0

    def score(self, collection: Collection, measures: Sequence[Any]) -> Compared:
        """The scores of rankings that keep only these pairs."""
        found = []
        for judgments in (self.labels.source, self.labels.sources[self.judge]):
            kept = self._kept(judgments)
            joined = collection.joined(kept)
            runs = {name: run.only_judged() for name, run in joined.items()}
            found.append(collection.judged_by(kept).with_runs(runs).rescored(measures))
        return Compared(found[0], found[1])

    def _kept(self, judgments: Judgments) -> Judgments:
        """The judgments of these pairs. Topics keep all their aspects, and with them their weights."""
        labels = self.labels
        pair = np.flatnonzero(self.both)
        kept = {
            (labels.topics[t], labels.docs[p]) for t, p in zip(labels.topic[pair].tolist(), pair, strict=True)
        }
        topics, aspects, docs, grades = judgments.table.columns()
        inside = [n for n, key in enumerate(zip(topics, docs, strict=True)) if key in kept]
        every = [(topic, aspect) for topic, names in judgments.aspects.items() for aspect in names]
        table = JudgmentTable.from_columns(
            judgments.source,
            [topics[n] for n in inside],
            [aspects[n] for n in inside],
            [docs[n] for n in inside],
            np.asarray(grades)[inside],
            [topic for topic, _ in every],
            [aspect for _, aspect in every],
        )
        return replace(judgments, table=table)


def at_top(labels: Labels, collection: Collection, measures: Sequence[Any]) -> Bools:
    """(pair,) whether some run has the pair at a rank that the measures look at."""
    ranked = Ranked.of(labels, collection.joined(labels.pairs))
    found = np.zeros(len(labels.docs), dtype=bool)
    found[ranked.pair[ranked.rank <= depth_of([parse(measure) for measure in measures])]] = True
    return found


def compared(labels: Labels, collection: Collection, by_people: Scores) -> dict[str, Compared]:
    """The scores by the labels of people and of each judge, all on the same topics.

    by_people : the scores by all labels of people
    """
    shared = {judge: Shared.of(labels, judge) for judge in labels.judges}
    measures = list(by_people.measures)
    whole = all(pairs.is_whole for pairs in shared.values())
    top = None if whole else at_top(labels, collection, measures)
    found = {}
    for judge, pairs in shared.items():
        if top is None or pairs.is_whole:
            by_judge = collection.judged_by(labels.sources[judge])
            found[judge] = Compared(by_people, by_judge.rescored(measures))
        else:
            found[judge] = pairs.score(collection, measures)._replace(shared=pairs.share(top))
    topics = [t for t in by_people.topics if all(t in pairs.topics for pairs in shared.values())]
    left = [topic for topic in by_people.topics if topic not in topics]
    if len(topics) < 2:
        raise InputError("people and judges share fewer than two topics; runs cannot be compared over them")
    if left:
        text = f"{len(left)} topics that not every judge has are left out of the scores of runs: {some(left)}"
        issue([Note("judged-topics", text, len(left), left[0])])
    return {
        judge: one._replace(people=one.people.select(topics=topics), judge=one.judge.select(topics=topics))
        for judge, one in found.items()
    }
