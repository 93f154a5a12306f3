"""The judgments of a report: grades, preferences or both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from rankprism.data import BATCH, Alignment, Hits, Judgments, Longs, Preferences, batches
from rankprism.evaluation import Collection
from rankprism.measures import PreferenceHits, preference_batches

#: Size of a batch: smaller, because some measures score every ranking once for each of its first documents.
_BATCH = BATCH // 32

Batches: TypeAlias = Iterator[tuple[Hits | PreferenceHits, slice, Longs]]


@dataclass(frozen=True, eq=False)
class Judged:
    """The judgments of a collection, its preferences or both, and how they reduce the rankings of runs."""

    collection: Collection

    @cached_property
    def absolute(self) -> Judgments | None:
        return None if self.collection.judged is None else self.collection.judgments

    @cached_property
    def preferences(self) -> Preferences | None:
        return None if self.collection.preferred is None else self.collection.preferences

    @cached_property
    def kinds(self) -> dict[str, Judgments]:
        """The judgments to align runs with, by kind. For preferences, they have the documents named."""
        named = None if self.preferences is None else self.preferences.named
        found = {"judgments": self.absolute, "preferences": named}
        return {kind: judged for kind, judged in found.items() if judged is not None}

    @cached_property
    def numbers(self) -> dict[str, dict[str, int]]:
        """The number of each topic, by the kind of judgments."""
        return {kind: {topic: t for t, topic in enumerate(one.topics)} for kind, one in self.kinds.items()}

    def batches(self, kind: str, runs: Sequence[Alignment]) -> Batches:
        """All rankings of the runs, reduced to what measures of this kind of judgments see."""
        if kind == "judgments":
            return batches(self.kinds[kind].cells, runs, _BATCH)
        return preference_batches(self.collection.pool, runs, _BATCH)
