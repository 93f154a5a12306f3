"""Scores by parts of the preferences, such as one assessor's, from runs that were aligned once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankprism.data import Alignment, Floats, Ints, Longs, Preferences
from rankprism.errors import MeasureError
from rankprism.evaluation import Collection, evaluate
from rankprism.measures import (
    Measure,
    Place,
    PreferencePool,
    judgment_groups,
    parse_all,
    places_by_topic,
    preference_batches,
)
from rankprism.results import Scores


@dataclass(frozen=True, eq=False)
class Rescored:
    """Preferences, and runs that are joined with them once, so that they can be scored often."""

    collection: Collection
    runs: Mapping[str, Alignment]
    measures: tuple[Measure, ...]
    places: Mapping[str, tuple[Place, Longs]]

    @classmethod
    def of(cls, collection: Collection, measures: Any) -> Rescored:
        """Read preferences and runs, as `rankprism.evaluate` does."""
        chosen = tuple(parse_all([] if measures is None else measures))
        for measure in chosen:
            if measure.needs != "preferences":
                raise MeasureError(
                    f"{measure} needs absolute judgments, whose assessors are not known; use a measure of "
                    f"preferences, e.g. nPrf@20"
                )
        read = collection.preferences
        runs = collection.joined(read.named)
        return cls(collection.with_runs(runs), runs, chosen, places_by_topic(read))

    @property
    def preferences(self) -> Preferences:
        return self.collection.preferences

    def together(self) -> Scores:
        """The scores by all judgments together, with the notes of `rankprism.evaluate`."""
        return evaluate(self.collection, measures=self.measures)

    def scores(self, drawn: Sequence[int]) -> Floats:
        """(run, topic, measure) by the judgments of some assessors, who may be drawn several times.

        The score of a topic that none of them judged is NaN.
        """
        part = of_drawn(self.preferences, drawn)
        order = np.argsort(part.topic, kind="stable")
        edges = np.searchsorted(part.topic[order], np.arange(len(part.topics) + 1))
        number = {topic: t for t, topic in enumerate(part.topics)}
        places = {
            topic: (place, order[edges[number[topic]] : edges[number[topic] + 1]])
            for topic, (place, _) in self.places.items()
        }
        pool = PreferencePool(
            {topic: place.shown(part, rows) for topic, (place, rows) in places.items()},
            lambda: judgment_groups(part, places),
        )
        values = np.full((len(self.runs), len(places), len(self.measures)), np.nan)
        judged = np.array([bool(shown.named.any()) for shown in pool.shown.values()])
        for hits, which_runs, which_topics in preference_batches(pool, list(self.runs.values())):
            if judged[which_topics[0]]:
                for m, measure in enumerate(self.measures):
                    values[which_runs, which_topics[0], m] = measure.score(hits)
        if self.collection.options.topics == "retrieved":
            for r, run in enumerate(self.runs.values()):
                values[r, ~run.retrieved] = np.nan
        return values


def of_drawn(preferences: Preferences, drawn: Sequence[int]) -> Preferences:
    """The judgments of assessors; one who is drawn twice becomes two assessors who agree in everything."""
    chosen, levels = _rows_of(preferences.assessor, drawn), preferences.levels
    part = replace(preferences, time=None, comment=None).rows(np.concatenate(chosen))
    if levels is not None:
        listed = _rows_of(levels.assessor, drawn)
        levels = replace(levels.rows(np.concatenate(listed)), assessor=_numbers(listed))
    names = tuple(f"{n:09d}" for n in range(len(drawn)))
    return replace(part, assessors=names, assessor=_numbers(chosen), levels=levels)


def _rows_of(assessor: Ints, drawn: Sequence[int]) -> list[Longs]:
    """The rows of each assessor that was drawn."""
    order = np.argsort(assessor, kind="stable")
    most = max(int(assessor.max(initial=0)), *drawn)
    edges = np.searchsorted(assessor[order], np.arange(most + 2))
    return [order[edges[a] : edges[a + 1]] for a in drawn]


def _numbers(rows: Sequence[Longs]) -> Ints:
    return np.repeat(np.arange(len(rows), dtype=np.int32), [len(some) for some in rows])
