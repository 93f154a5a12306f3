"""What each document of a ranking earned: the steps by which a score grows on the way down.

Document i earned M(ranking down to i) - M(ranking down to i - 1), with nothing relevant further down. For a
measure that is a sum over documents, such as α-nDCG, this is the document's own term, whatever stands below
it. The steps add up to the score for every measure.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rankprism.data.hits import NOWHERE, Bools, Floats, Hits, Longs

if TYPE_CHECKING:
    from rankprism.measures.measure import Measure


@dataclass(frozen=True, eq=False)
class Contributions:
    """The steps of a batch of rankings, rank by rank."""

    gained: Floats  #: (N, L) what the score rose by because of what is relevant in the document
    spent: Floats  #: (N, L) what it changed by because there is a document at all: effort, or being judged
    empty: Floats  #: (N,) the score of a ranking without documents, which is 0 for almost all measures

    @property
    def earned(self) -> Floats:
        """(N, L) both together; with `empty` they sum to the score."""
        return self.gained + self.spent


def contributions(measure: Measure, hits: Hits, depth: int | None = None) -> Contributions:
    """The steps of every ranking, down to the measure's cutoff, or to `depth` if that comes first.

    Relevance and presence are looked at one after the other: first the score of rankings that are as long as
    they are and of which the first 0, 1, 2, … relevant documents count, then of rankings without relevance
    that have 0, 1, 2, … documents. A length that only divides, as in P without cutoff, so stays the same.
    """
    deepest = int(hits.length.max(initial=0))
    deepest = deepest if measure.cutoff is None or measure.is_condensed else min(deepest, measure.cutoff)
    if depth is not None and depth < deepest:
        deepest = depth
        hits = _first(hits, int((hits.rank <= depth).sum(1).max(initial=0)))
    n, found = hits.rank.shape

    number = np.tile(np.arange(found + 1), n)  # relevant documents that count
    counts = np.arange(found) < number[:, None]
    of_hits = measure.computed(_kept(hits, np.repeat(np.arange(n), found + 1), counts))
    gain = np.diff(of_hits.reshape(n, found + 1))

    documents = np.tile(np.arange(deepest + 1), n)
    cut = _kept(hits, np.repeat(np.arange(n), deepest + 1), np.zeros((n * (deepest + 1), found), dtype=bool))
    judged = np.where(cut.judged <= documents[:, None], cut.judged, NOWHERE)
    length = np.minimum(cut.length, documents).astype(np.int32)
    of_lengths = measure.computed(replace(cut, length=length, judged=judged, _memo={}))
    levels = of_lengths.reshape(n, deepest + 1)

    gained = np.zeros((n, deepest))
    row, place = np.nonzero(hits.rank <= deepest)
    gained[row, hits.rank[row, place] - 1] = gain[row, place]
    return Contributions(gained, np.diff(levels), levels[:, 0])


def _first(hits: Hits, count: int) -> Hits:
    """The same rankings, as long as they are, with only their first `count` relevant documents."""
    return replace(
        hits,
        rank=hits.rank[:, :count],
        grade=hits.grade[:, :, :count],
        condensed_rank=hits.condensed_rank[:, :count],
        _memo={},
    )


def _kept(hits: Hits, rows: Longs, counts: Bools) -> Hits:
    """These rankings again, where only the documents that count are relevant to anything."""
    return Hits(
        hits.rank[rows],
        np.where(counts[:, None, :], hits.grade[rows], 0.0),
        hits.length[rows],
        hits.topic[rows],
        hits.pool,
        hits.condensed_rank[rows],
        hits.judged[rows],
        None if hits.negative is None else hits.negative[rows],
    )
