"""The input of preference measures: rankings of one topic, and counts of the preferences of all topics.

This is for preferences what `rankprism.data.hits` is for absolute judgments.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

import numpy as np

from rankprism.data import BATCH, NOWHERE, Alignment, Ints, Longs, Preferences, seal_fields
from rankprism.data.arrays import sealed
from rankprism.data.hits import TiedGroups
from rankprism.measures.preferences.judgment_groups import Group, judgment_groups
from rankprism.measures.preferences.utility import NONE, Shown, Utilities, shown_by_topic, utilities

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class PreferencePool:
    """The counted preferences of every topic, from which utilities and ideal rankings are made."""

    shown: Mapping[str, Shown]  #: by topic, in the order of `Preferences.table`
    #: Makes the preferences of each assessor, by topic, when a measure asks for them.
    by_assessor: Callable[[], Mapping[str, tuple[Group, ...]]] = field(default=dict, repr=False)
    _memo: dict[Hashable, object] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, preferences: Preferences) -> PreferencePool:
        """The pool of a set of preferences."""
        return cls(shown_by_topic(preferences), lambda: judgment_groups(preferences))

    @cached_property
    def groups(self) -> Mapping[str, tuple[Group, ...]]:
        """The preferences of each assessor, by topic."""
        return self.by_assessor()

    def utilities(self, estimate: str, unseen: str, fallback: str) -> dict[str, Utilities]:
        """The utilities of every topic, see `rankprism.measures.preferences.utility`."""
        of = (estimate, unseen, fallback)
        return self.once(("utilities", *of), lambda: utilities(self.shown, *of))

    def once(self, key: Hashable, compute: Callable[[], T]) -> T:
        """The result of `compute()`, which is called only once: all runs and measures share ideals."""
        if key not in self._memo:
            self._memo[key] = sealed(compute())
        return self._memo[key]  # type: ignore[return-value]  # what compute returned


@dataclass(frozen=True, eq=False)
class PreferenceHits:
    """Several rankings of one topic, reduced to the documents that its preferences name."""

    rank: Ints  #: (N, H) ascending from 1, NOWHERE where padded
    doc: Longs  #: (N, H) positions among the topic's documents, NONE where padded
    length: Ints  #: (N,) the number of documents retrieved, whether judgments name them or not
    topic: str
    pool: PreferencePool
    tied: TiedGroups | None = None  #: None: nothing is tied, or ties were not asked for
    _memo: dict[Hashable, object] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        seal_fields(self)

    @property
    def shown(self) -> Shown:
        """The counted judgments of the topic."""
        return self.pool.shown[self.topic]

    def rows(self, which: Longs) -> PreferenceHits:
        """Some of the rankings."""
        tied = None if self.tied is None else TiedGroups(self.tied.start[which], self.tied.size[which])
        return replace(
            self, rank=self.rank[which], doc=self.doc[which], length=self.length[which], tied=tied, _memo={}
        )

    def once(self, key: Hashable, compute: Callable[[], T]) -> T:
        """The result of `compute()`, which is called only once."""
        if key not in self._memo:
            self._memo[key] = sealed(compute())
        return self._memo[key]  # type: ignore[return-value]  # what compute returned


def preference_batches(
    pool: PreferencePool, runs: Sequence[Alignment], size: int = BATCH
) -> Iterator[tuple[PreferenceHits, slice, Longs]]:
    """All rankings of all runs, one topic at a time: the hits, the runs, and the single topic."""
    for t, topic in enumerate(pool.shown):
        width = int(max(run.start[t + 1] - run.start[t] for run in runs))
        at_once = max(1, size // max(1, width * width))  # each pair of documents has a utility
        for first in range(0, len(runs), at_once):
            chosen = slice(first, min(first + at_once, len(runs)))
            rank = np.full((chosen.stop - first, width), NOWHERE, dtype=np.int32)
            doc = np.full((chosen.stop - first, width), NONE, dtype=np.int64)
            length = np.array([run.length[t] for run in runs[chosen]], dtype=np.int32)
            tied = TiedGroups(np.full_like(rank, NOWHERE), np.ones_like(rank))
            for n, run in enumerate(runs[chosen]):
                start, end = run.start[t], run.start[t + 1]
                rank[n, : end - start], doc[n, : end - start] = run.rank[start:end], run.doc[start:end]
                if run.groups is not None:
                    tied.start[n, : end - start] = run.groups.start[start:end]
                    tied.size[n, : end - start] = run.groups.size[start:end]
            is_tied = bool((tied.size > 1).any())
            hits = PreferenceHits(rank, doc, length, topic, pool, tied if is_tied else None)
            yield hits, chosen, np.array([t])
