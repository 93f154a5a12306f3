"""What the documents of rankings earned under a measure, and why."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rankprism.data import Alignment, Floats
from rankprism.measures import Measure
from rankprism.measures.terms import MEANING
from rankprism.showing.report.amounts import amount
from rankprism.showing.report.judged import Judged


@dataclass(frozen=True, eq=False)
class Earned:
    """What the first ranks of some rankings of each topic earned under a measure."""

    empty: Floats  #: (topic,): the score of a ranking without documents
    gained: Floats  #: (ranking, topic, rank)
    spent: Floats  #: (ranking, topic, rank)
    parts: dict[str, Floats] = field(default_factory=dict)  #: (ranking, topic, rank), NaN where not defined
    adds: bool = False  #: whether the parts are added and not multiplied

    def beside(self, other: Earned) -> Earned:
        """The rankings of both, for the same topics."""
        return replace(
            self,
            gained=np.concatenate([self.gained, other.gained]),
            spent=np.concatenate([self.spent, other.spent]),
            parts={name: np.concatenate([values, other.parts[name]]) for name, values in self.parts.items()},
        )

    def written(self, topics: Sequence[int | None], lists: Sequence[Sequence[Sequence[int]]]) -> Written:
        """What the page reads.

        topics : the number that each topic of the page has here; None: none.
        lists : (topic, ranking, rank): the number of each document in its topic.
        """
        known = [t for t, number in enumerate(topics) if number is not None]
        chosen = [number for number in topics if number is not None]
        docs = np.full((len(self.gained), len(known), self.gained.shape[2]), -1)
        for column, t in enumerate(known):
            for row, numbers in enumerate(lists[t]):
                docs[row, column, : len(numbers)] = numbers
        sizes = (docs.max((0, 2), initial=-1) + 1).tolist()
        # The page multiplies or adds the parts itself.
        gained = self.parts or {"": self.gained}
        amounts = [amount(values[:, chosen], docs, sizes) for values in (self.spent, *gained.values())]
        of_topics: list[list[Any] | None] = [None] * len(topics)
        for column, (t, number) in enumerate(zip(known, chosen, strict=True)):
            of_topics[t] = [float(self.empty[number]), *(one.by_topic[column] for one in amounts)]
        return Written(
            {
                "names": [[name, MEANING.get(name, "")] for name in self.parts],
                "adds": self.adds,
                "amounts": [one.described for one in amounts],
            },
            of_topics,
        )


@dataclass(frozen=True, eq=False)
class Written:
    """What rankings earned under a measure, as the page reads it.

    described : each part's name and meaning, whether the parts are added, and what each amount depends on.
        The first amount is what was spent. The others are the parts of what was gained, or this itself.
    by_topic : the score of a ranking without documents and `Amount.by_topic` of each amount, or None if the
        topic has no judgments that the measure needs.
    """

    described: dict[str, Any]
    by_topic: list[list[Any] | None]


def earned(
    judged: Judged,
    measures: Sequence[Measure],
    rankings: Sequence[Alignment],
    depth: int,
    on_share: Callable[[float], None] | None = None,
) -> list[Earned]:
    """What each document down to a depth earned under measures that need the same kind of judgments."""
    if not measures:
        return []
    kind = measures[0].needs
    shape = (len(rankings), len(judged.kinds[kind].topics))
    found = [Earned(np.zeros(shape[1]), *np.zeros((2, *shape, depth))) for _ in measures]
    done = 0
    for hits, which, topics in judged.batches(kind, rankings):
        block = (which.stop - which.start, len(topics))
        for m, measure in enumerate(measures):
            steps, one = measure.explain(hits, depth), found[m]
            one.empty[topics] = steps.empty.reshape(block)[0]
            rows = [(one.gained, steps.gained), (one.spent, steps.spent)]
            for name, values in steps.parts.items():
                rows.append((one.parts.setdefault(name, np.full((*shape, depth), np.nan)), values))
            for array, values in rows:
                array[which, topics, : values.shape[1]] = values.reshape(*block, -1)
            found[m] = replace(one, adds=steps.adds)
        done += block[0] * block[1]
        if on_share is not None:
            on_share(done / (shape[0] * shape[1]))
    return found


def scores_of(judged: Judged, measure: Measure, ranking: Alignment) -> Floats:
    """(topic,): the score of one ranking of each topic."""
    scores = np.zeros(len(judged.kinds[measure.needs].topics))
    for hits, _, topics in judged.batches(measure.needs, [ranking]):
        scores[topics] = measure.score(hits)
    return scores
