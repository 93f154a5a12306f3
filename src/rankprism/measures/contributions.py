"""The contribution of each document of a ranking: the steps in which a score grows on the way down.

Document i earned M(ranking down to i) - M(ranking down to i - 1), with nothing relevant further down. For a
measure that is a sum over documents, such as α-nDCG, this is the document's own term, whatever is ranked
below it. The steps add up to the score for every measure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from rankprism.arrays import Bools, Floats, Ints, Longs
from rankprism.data.hits import NOWHERE, Hits
from rankprism.measures.preferences.utility import NONE
from rankprism.measures.terms import MadeOf

if TYPE_CHECKING:
    from rankprism.measures.measure import Measure
    from rankprism.measures.preferences.hits import PreferenceHits


@dataclass(frozen=True, eq=False)
class Contributions:
    """The steps of a batch of rankings, rank by rank."""

    gained: Floats  #: (N, L) by how much the score rose because the document is relevant
    spent: Floats  #: (N, L) by how much it changed because a document is there: effort, or being judged
    empty: Floats  #: (N,) the score of a ranking without documents, which is 0 for almost all measures
    #: (N, L) the parts of what was gained, by name, if the measure is made of parts; NaN where a factor is
    #: not defined, as at a rank without a relevant document
    parts: Mapping[str, Floats] = field(default_factory=dict)
    #: Whether the parts are added. Otherwise they are multiplied.
    adds: bool = False

    @property
    def earned(self) -> Floats:
        """(N, L) `gained` plus `spent`; together with `empty` they sum to the score."""
        return self.gained + self.spent


def contributions(measure: Measure, hits: Hits | PreferenceHits, depth: int | None = None) -> Contributions:
    """The steps of every ranking, down to the measure's cutoff, or to `depth` if that comes first."""
    return _of_judgments(measure, hits, depth) if isinstance(hits, Hits) else _of_pairs(measure, hits, depth)


def _of_judgments(measure: Measure, hits: Hits, depth: int | None) -> Contributions:
    """The steps of a measure of absolute judgments.

    Relevance and presence are examined one after the other: first the scores of rankings of full length in
    which only the first 0, 1, 2, … relevant documents count, then the scores of rankings of 0, 1, 2, …
    documents of which none is relevant. So a length that only divides, as in P without cutoff, is the same in
    all of the first.
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
    return Contributions(
        _by_rank(gain, hits.rank, deepest, 0.0),
        np.diff(levels),
        levels[:, 0],
        *_parts_by_rank(measure.made_of(hits), hits.rank, deepest),
    )


def _of_pairs(measure: Measure, hits: PreferenceHits, depth: int | None) -> Contributions:
    """The steps of a measure of preferences: the scores of rankings that end after 0, 1, 2, … documents.

    A document that no judgment names may also be worth something, so every rank is examined. The parts of
    these measures have a column for each rank.
    """
    deepest = int(hits.length.max(initial=0))
    for limit in (measure.cutoff, depth):
        deepest = deepest if limit is None else min(deepest, limit)
    n, made = len(hits.rank), measure.made_of(hits)
    levels = np.empty((n, deepest + 1))
    for last in range(deepest + 1):
        counts = hits.rank <= last
        width = int(counts.sum(1).max(initial=0))
        cut = replace(
            hits,
            rank=np.where(counts, hits.rank, NOWHERE)[:, :width],
            doc=np.where(counts, hits.doc, NONE)[:, :width],
            length=np.minimum(hits.length, last),
            _memo={},
        )
        levels[:, last] = measure.computed(cut)
    ranks = np.broadcast_to(np.arange(1, deepest + 1, dtype=np.int32), (n, deepest))
    if made is not None:
        made = MadeOf({name: value[:, :deepest] for name, value in made.parts.items()}, made.adds)
    return Contributions(
        np.diff(levels), np.zeros((n, deepest)), levels[:, 0], *_parts_by_rank(made, ranks, deepest)
    )


def _parts_by_rank(made: MadeOf | None, rank: Ints, deepest: int) -> tuple[dict[str, Floats], bool]:
    """`Contributions.parts` and `Contributions.adds`."""
    if made is None:
        return {}, False
    first = next(iter(made.parts))
    parts = {
        name: _by_rank(value, rank, deepest, 0.0 if made.adds or name == first else np.nan)
        for name, value in made.parts.items()
    }
    return parts, made.adds


def _by_rank(value: Floats, rank: Ints, deepest: int, empty: float) -> Floats:
    """(N, L) the values of documents (N, H) at their ranks, and `empty` at all other ranks"""
    ranks = np.full((len(value), deepest), empty)
    rank = rank[:, : value.shape[1]]
    row, place = np.nonzero(rank <= deepest)
    ranks[row, rank[row, place] - 1] = value[row, place]
    return ranks


def _first(hits: Hits, count: int) -> Hits:
    """The same rankings at their full length, in which only the first `count` relevant documents count."""
    return replace(
        hits,
        rank=hits.rank[:, :count],
        grade=hits.grade[:, :, :count],
        condensed_rank=hits.condensed_rank[:, :count],
        _memo={},
    )


def _kept(hits: Hits, rows: Longs, counts: Bools) -> Hits:
    """The same rankings, in which only the documents that count are relevant to anything."""
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
