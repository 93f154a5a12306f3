"""The groups of tied documents in a batch of rankings, and rankings in which the groups are sorted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rankprism.data import NOWHERE, Bools, Floats, Hits, Ints, Longs, Pool
from rankprism.data.hits import TiedGroups, ends_of_groups


@dataclass(frozen=True, eq=False)
class Grouping:
    """The groups of a batch that have a relevant document, from the first ranking to the last: M groups."""

    shape: tuple[int, int]  #: (N, H)
    number: Longs  #: (N · H) the group of each relevant document; M where padded
    row: Longs  #: (M,) its ranking
    first: Longs  #: (M,) its first relevant document, as a position among those of the ranking
    count: Longs  #: (M,) the number of its relevant documents
    start: Longs  #: (M,) the number of documents above it
    size: Longs  #: (M,) the number of its documents

    def at_start(self, values: Floats | Ints | Longs) -> Floats:
        """(M, A) the values (N, A, H) of the first relevant document of each group."""
        return np.asarray(values[self.row, :, self.first])

    def sums(self, values: Floats) -> Floats:
        """(M, A) the sums of values (N, A, H) over the relevant documents of each group, in their order."""
        m = len(self.row)
        each = [np.bincount(self.number, values[:, a].ravel(), m + 1)[:m] for a in range(values.shape[1])]
        return np.stack(each, axis=-1) if each else np.zeros((m, 0))

    def by_ranking(self, values: Floats) -> Floats:
        """(N, A) the sums of values (M, A) over the groups of each ranking."""
        n = self.shape[0]
        each = [np.bincount(self.row, values[:, a], n) for a in range(values.shape[1])]
        return np.stack(each, axis=-1) if each else np.zeros((n, 0))

    def reached(self, cutoff: int | None) -> Longs:
        """(M,) the number of places of each group that are not below the cutoff."""
        return self.size if cutoff is None else np.clip(cutoff - self.start, 0, self.size)

    def places(self, reached: Longs) -> tuple[Longs, Longs]:
        """All places of the groups that are reached: the group of each, and its number in it, from 1."""
        owner = np.repeat(np.arange(len(reached)), reached)
        begin = np.concatenate(([0], np.cumsum(reached)[:-1])) if len(reached) else np.zeros(0, np.int64)
        return owner, np.arange(len(owner)) - begin[owner] + 1

    @cached_property
    def column(self) -> Longs:
        """(N · H) the position of each relevant document in its ranking."""
        return np.tile(np.arange(self.shape[1]), self.shape[0])


def of_hits(hits: Hits) -> TiedGroups:
    """(N, H) twice: the start and the size of the group of each relevant document."""
    assert hits.tied is not None
    if not hits.judged.shape[1]:
        return TiedGroups(*(np.zeros(hits.rank.shape, dtype=np.int32) for _ in range(2)))
    at = np.clip(hits.condensed_rank, 1, hits.judged.shape[1]) - 1
    there = hits.rank != NOWHERE
    start = np.where(there, np.take_along_axis(hits.tied.start, at, -1), NOWHERE)
    size = np.where(there, np.take_along_axis(hits.tied.size, at, -1), 1)
    return TiedGroups(start.astype(np.int32), size.astype(np.int32))


def grouping(hits: Hits) -> Grouping:
    """The groups of a batch."""
    return hits.once("grouping", lambda: _grouping(hits))


def _grouping(hits: Hits) -> Grouping:
    tied = of_hits(hits)
    is_first = np.ones(tied.start.shape, dtype=bool)
    is_first[:, 1:] = tied.start[:, 1:] != tied.start[:, :-1]
    there = hits.rank != NOWHERE
    is_first &= there
    row, first = np.nonzero(is_first)
    number = np.cumsum(is_first.ravel()) - 1
    number[~there.ravel()] = len(row)
    return Grouping(
        tied.start.shape,
        number,
        row,
        first,
        np.bincount(number, minlength=len(row) + 1)[: len(row)],
        tied.start[row, first].astype(np.int64),
        tied.size[row, first].astype(np.int64),
    )


def rankings_with_ties(hits: Hits, cutoff: int | None) -> Bools:
    """(N,) whether a judged document is tied with another document, and not only below the cutoff."""
    assert hits.tied is not None
    tied = hits.tied.size > 1
    if cutoff is not None:
        tied &= hits.tied.start < cutoff
    return np.asarray(tied.any(-1))


def rearranged(hits: Hits, worth: Floats, best: bool) -> Hits:
    """The same rankings, in which each group has its documents of the highest `worth` (N, H) first or last.

    Documents that are not relevant have the lowest worth.
    """
    tied = of_hits(hits)
    order = np.lexsort((-worth if best else worth, tied.start), axis=-1)
    start = np.take_along_axis(tied.start, order, -1)
    size = np.take_along_axis(tied.size, order, -1)
    places = np.arange(start.shape[1])
    first, last = ends_of_groups(start)
    within = places - first if best else size - 1 - (last - places)
    rank = np.where(start == NOWHERE, NOWHERE, start.astype(np.int64) + within + 1).astype(np.int32)
    grade = np.take_along_axis(hits.grade, order[:, None, :], -1)
    return replace(hits, rank=rank, grade=grade, condensed_rank=rank, tied=None, _memo={})


def of_aspects(hits: Hits) -> Longs:
    """(N · A) the ranking that each of the rankings of `aspect_by_aspect` is from."""
    return np.repeat(np.arange(len(hits.rank)), hits.grade.shape[1])


def aspect_by_aspect(hits: Hits) -> Hits:
    """Each aspect of each ranking as a ranking of its own with one aspect: N · A rankings."""
    n, aspects, width = hits.grade.shape
    if aspects == 1:
        return hits

    def pool() -> Pool:
        own = hits.pool.grade
        judged = None if hits.pool.judged is None else np.repeat(hits.pool.judged, aspects)
        return Pool.single(own.reshape(len(own) * aspects, own.shape[2]), judged)

    def each(values: Ints) -> Ints:
        return np.repeat(values, aspects, axis=0)

    tied = None if hits.tied is None else TiedGroups(each(hits.tied.start), each(hits.tied.size))
    return Hits(
        each(hits.rank),
        hits.grade.reshape(n * aspects, 1, width),
        each(hits.length),
        np.repeat(hits.topic, aspects) * aspects + np.tile(np.arange(aspects), n),
        hits.pool.once("aspect by aspect", pool),
        each(hits.condensed_rank),
        each(hits.judged),
        None if hits.negative is None else np.repeat(hits.negative, aspects, axis=0),
        tied,
    )
