"""Completions: the missing judgments that a ranking could have, and the gains that they allow.

A completion gives every document of a ranking that has no line in the topic's judgments a grade on each
aspect that these judgments name. The grade is 0, or one that occurs in the file, or a declared label of the
aspect. Documents that the ranking does not have stay as they are. Everything else is computed from the
completed judgments: ideal rankings, numbers of relevant documents, highest grades, and the aspects that have
a relevant document.

The grades of different aspects are independent, so bounds that hold for each aspect alone hold for all
aspects together.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankprism.data import NOWHERE, Bools, Cells, Floats, Hits, Longs, seal_fields
from rankprism.data.arrays import sealed
from rankprism.measures.parts import Gain

#: If there are more grades than this, only the lowest and the highest are considered.
_MOST_LEVELS = 64


@dataclass(frozen=True, eq=False)
class Completions:
    """A batch of rankings, and the grades that their unjudged documents may have."""

    hits: Hits
    level: Floats  # (T, A, L) the grades above 0, padded with 0
    #: Whether `level` lists every grade, or only the lowest and the highest.
    is_complete: bool

    def __post_init__(self) -> None:
        seal_fields(self)

    @classmethod
    def of(cls, hits: Hits) -> Completions:
        """All completions of the judgments for these rankings."""
        pool = hits.pool
        named = pool.weight > 0 if pool.named is None else pool.named

        def levels() -> tuple[Floats, bool]:
            by_aspect = _levels(pool.cells, pool.grade)
            is_complete = by_aspect.shape[-1] <= _MOST_LEVELS
            if not is_complete:
                lowest = np.where(by_aspect > 0, by_aspect, np.inf).min(-1)
                by_aspect = np.stack([np.where(np.isinf(lowest), 0.0, lowest), by_aspect.max(-1)], axis=-1)
            return named[:, :, None] * by_aspect, is_complete

        return cls(hits, *pool.once("levels", levels))

    @cached_property
    def peak(self) -> Floats:
        """(T, A) the highest grade that a document of a topic can have."""
        return sealed(np.maximum(self.hits.pool.highest, self.level.max(-1, initial=0.0)))

    @cached_property
    def count(self) -> Longs:
        """(N,) how many documents of each ranking are unjudged."""
        judged: Longs = (self.hits.judged != NOWHERE).sum(-1, dtype=np.int64)
        return sealed(self.hits.length - judged)

    @cached_property
    def free(self) -> Bools:
        """(N, I) whether the document at each rank is unjudged."""
        judged = self.hits.judged
        depth = int(self.hits.length.max(initial=0))
        free = np.arange(1, depth + 1) <= self.hits.length[:, None]
        row, place = np.nonzero(judged != NOWHERE)
        free[row, judged[row, place] - 1] = False
        return sealed(free)

    @cached_property
    def first(self) -> Floats:
        """(N,) the rank of the first unjudged document, or inf if there is none."""
        depth = self.free.shape[1]
        if not depth:
            return np.full(len(self.free), np.inf)
        return sealed(np.where(self.count > 0, self.free.argmax(-1) + 1.0, np.inf))

    @cached_property
    def last(self) -> Floats:
        """(N,) the rank of the last unjudged document, or inf if there is none."""
        depth = self.free.shape[1]
        if not depth:
            return np.full(len(self.free), np.inf)
        return sealed(np.where(self.count > 0, depth - self.free[:, ::-1].argmax(-1) + 0.0, np.inf))

    def ranks(self, cutoff: int | None) -> int:
        """The number of ranks to consider."""
        depth = int(self.hits.length.max(initial=0))
        return depth if cutoff is None else min(cutoff, depth)

    def fold(
        self,
        rule: Hashable,
        fold: Callable[[Floats, Floats], Floats],
        level: Floats | None = None,
        is_complete: bool = False,
    ) -> Completions:
        """Fold many aspects into one. `level` (T, L) are the folded grades, if they are known.

        A fold never falls when a grade rises, and it maps zeros to 0. So the highest grades give the highest
        value. The lowest value above 0 comes from the lowest grade on a single aspect, or, if a fold is above
        0 only when every aspect is, from the lowest grade on all of them.
        """
        hits = self.hits.fold(rule, fold)
        if hits is self.hits:
            return self
        if level is None:
            weight = self.hits.pool.weight[:, :, None]
            highest = self.level.max(-1, initial=0.0)
            positive = np.where(self.level > 0, self.level, np.inf).min(-1, initial=np.inf)
            lowest = np.where(np.isinf(positive), 0.0, positive)
            if rule == "max":
                level, is_complete = self.level.reshape(len(self.level), -1), self.is_complete
            else:
                alone = np.eye(lowest.shape[1]) * lowest[:, None, :]
                tried = np.concatenate([alone, np.stack([lowest, highest], -1)], axis=-1)
                level = fold(tried, weight)
        return Completions(hits, level[:, None, :], is_complete)

    def gains(
        self, gain: Gain | Callable[[Floats], Floats], cutoff: int | None, also: tuple[float, ...] = ()
    ) -> Gains:
        """The gains that the documents may have, down to the cutoff.

        `also` are grades with an unusual gain, which are considered too if `level` is not complete.
        """
        if isinstance(gain, Gain):
            named = tuple(grade for grade, _ in gain.named)
            return self.hits.once(("open", gain, cutoff), lambda: self._gains(gain, cutoff, named))
        return self._gains(gain, cutoff, also)

    def _gains(
        self, gain: Gain | Callable[[Floats], Floats], cutoff: int | None, also: tuple[float, ...]
    ) -> Gains:
        pool, topic, level = self.hits.pool, self.hits.topic, self.level
        if also and not self.is_complete:
            extra = np.broadcast_to(np.array(also), (*level.shape[:2], len(also)))
            within = (extra > 0) & (extra <= level.max(-1, initial=0.0)[:, :, None])
            level = np.concatenate([level, np.where(within, extra, 0.0)], axis=-1)
        # A grade that is worth (2^g - 1) / 2^gmax is worth less once an unjudged document raises gmax.
        highest, peak = pool.highest, self.peak
        if isinstance(gain, Gain):
            hit_least, hit_most = gain(self.hits.grade, peak[topic]), gain(self.hits.grade, highest[topic])
            pool_least, pool_most = gain(pool.grade, peak), gain(pool.grade, highest)
            worth = gain(level, peak)
        else:
            hit_least = hit_most = gain(self.hits.grade)
            pool_least = pool_most = gain(pool.grade)
            worth = gain(level)
        worth = np.where(level > 0, worth, 0.0)
        top = worth.max(-1, initial=0.0)[topic]
        positive = np.where(worth > 0, worth, np.inf).min(-1, initial=np.inf)[topic]
        bottom = np.where(np.isinf(positive), 0.0, positive)
        n = self.ranks(cutoff)
        free = self.free[:, :n]
        return Gains(
            self._by_rank(hit_least, n),
            self._by_rank(hit_most, n) + free[:, None, :] * top[:, :, None],
            free,
            self.count,
            top,
            bottom,
            _descending(pool_least),
            _descending(pool_most),
            topic,
            is_sure=not isinstance(gain, Gain)
            or gain.kind not in ("probability", "share")
            or gain.max_rel is not None,
            counted=pool.counted,
        )

    def _by_rank(self, gain: Floats, n: int) -> Floats:
        """(N, A, n) the gains (N, A, H) of the documents found at each rank"""
        table = np.zeros((*gain.shape[:2], n))
        row, place = np.nonzero(self.hits.rank <= n)
        table[row, :, self.hits.rank[row, place] - 1] = gain[row, :, place]
        return table


@dataclass(frozen=True, eq=False)
class Gains:
    """The least and the most that the document at each rank can gain."""

    least: Floats  # (N, A, n): 0 for unjudged documents
    most: Floats  # (N, A, n): `top` for unjudged documents
    free: Bools  # (N, n) whether the document is unjudged
    count: Longs  # (N,) the number of unjudged documents, including those below the cutoff
    top: Floats  # (N, A) the most that an unjudged document gains
    bottom: Floats  # (N, A) the least that it gains if it gains anything
    ideal_least: Floats  # (T, A, D) the gains of all judged documents, descending
    ideal_most: Floats
    topic: np.typing.NDArray[np.intp]  # (N,)
    is_sure: bool  # whether the gains of judged documents are certain
    counted: Bools | None = None  # (T, A) aspects that count even without a relevant document

    def __post_init__(self) -> None:
        seal_fields(self)

    @property
    def below(self) -> Longs:
        """(N,) the number of unjudged documents below the cutoff"""
        visible: Longs = self.free.sum(-1, dtype=np.int64)
        return self.count - visible

    @property
    def crowded(self) -> Floats:
        """(N, A, n) the least gains, but 1 for every unjudged document that may be relevant"""
        return np.where(self.free[:, None, :] & (self.top > 0)[:, :, None], 1.0, self.least)

    @property
    def relevant(self) -> Bools:
        """(N, A) aspects that have a relevant document in every completion"""
        alive: Bools = np.asarray((self.ideal_most > 0).any(-1))
        return alive[self.topic]

    @property
    def live(self) -> Bools:
        """(N, A) aspects that count in every completion"""
        return self.relevant if self.counted is None else self.relevant | self.counted[self.topic]

    @property
    def maybe(self) -> Bools:
        """(N, A) aspects that count in some completion, because they have a relevant document there"""
        return ~self.live & (self.top > 0) & (self.count > 0)[:, None]

    def ideal(self, value: Floats, count: Longs, cutoff: int | None, most: bool) -> Floats:
        """(N, A, K) the gains of the judged documents and of `count` (N,) more of a value (N, A),
        descending"""
        own = (self.ideal_most if most else self.ideal_least)[self.topic]
        width = own.shape[-1] + int(count.max(initial=0))
        width = width if cutoff is None else min(width, cutoff)
        before = (own >= value[:, :, None]).sum(-1)[:, :, None]  # (N, A, 1)
        j, m = np.arange(width), count[:, None, None]
        place = np.where(j < before, j, j - m)
        padded = np.concatenate([own, np.zeros((*own.shape[:2], 1))], axis=-1)
        inside = np.clip(place, 0, own.shape[-1])
        gains: Floats = np.take_along_axis(padded, np.broadcast_to(inside, (*own.shape[:2], width)), axis=-1)
        return np.where((j >= before) & (j < before + m), value[:, :, None], gains)


def _descending(gain: Floats) -> Floats:
    return -np.sort(-gain, axis=-1)


def _levels(cells: Cells | None, grade: Floats) -> Floats:
    """(A, L) the grades above 0 that a document may have on each aspect: the declared labels, or all grades
    that occur in the file"""
    if cells is not None and cells.scales is not None:
        names = list(cells.names[: grade.shape[1]])
        level = np.zeros((grade.shape[1], max(len(scale.grades) for scale in cells.scales)))
        for scale in cells.scales:
            level[names.index(scale.aspect), : len(scale.grades)] = np.maximum(scale.grades, 0.0)
        return level
    occurring = np.unique(grade if cells is None else cells.grade)
    return np.broadcast_to(occurring[occurring > 0], (grade.shape[1], (occurring > 0).sum()))
