"""The contribution of each document of a ranking: the steps in which a score grows on the way down.

Document i earned M(ranking down to i) - M(ranking down to i - 1), with nothing relevant further down. For a
measure that is a sum over documents, such as α-nDCG, this is the document's own term, whatever is ranked
below it. The steps add up to the score for every measure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from rankprism.data import BATCH, NOWHERE, Floats, Hits, Ints
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

    Relevance and presence are examined one after the other. The parts of the measure say what a relevant
    document adds; if there are none, the scores of shorter rankings do. Presence is examined with rankings of
    0, 1, 2, … documents of which none is relevant.
    """
    hits = measure.with_gains(hits)
    deepest = int(hits.length.max(initial=0))
    deepest = deepest if measure.cutoff is None or measure.is_condensed else min(deepest, measure.cutoff)
    if depth is not None and depth < deepest:
        deepest = depth
        hits = _first(hits, int((hits.rank <= depth).sum(1).max(initial=0)))
    made = measure.made_of(hits)
    gain = gains_of_beginnings(measure, hits) if made is None else made.contribution
    levels = _without_relevant(measure, hits, deepest)
    empty = levels[:, 0]
    if measure.is_partial:  # a ranking without relevant documents may have no score, and yet earns nothing
        levels = np.nan_to_num(levels)
        empty = np.where(np.isnan(measure.computed(hits)), np.nan, levels[:, 0])
    return Contributions(
        _by_rank(gain, hits.rank, deepest, 0.0),
        np.diff(levels),
        empty,
        *_parts_by_rank(made, hits.rank, deepest),
    )


def gains_of_beginnings(measure: Measure, hits: Hits) -> Floats:
    """(N, H) by how much each relevant document raises the score, whatever the measure is.

    These are the differences between the scores of rankings in which only the first 0, 1, 2, … relevant
    documents count. All have their full length, so a length that only divides, as in P without cutoff, is the
    same in all of them.
    """
    n, aspects, found = hits.grade.shape
    scores = np.empty(n * (found + 1))
    for some in _blocks(len(scores), max(aspects * found, hits.judged.shape[1])):
        rows, number = np.divmod(np.arange(some.start, some.stop), found + 1)  # relevant documents that count
        counts = np.arange(found) < number[:, None]
        cut = replace(hits.rows(rows), grade=np.where(counts[:, None, :], hits.grade[rows], 0.0), tied=None)
        scores[some] = measure.computed(cut)
    scores = scores.reshape(n, found + 1)
    return np.diff(np.nan_to_num(scores) if measure.is_partial else scores)


def _without_relevant(measure: Measure, hits: Hits, deepest: int) -> Floats:
    """(N, L + 1) the scores of the first 0, 1, 2, … documents of each ranking if none is relevant."""
    n, aspects = hits.grade.shape[:2]
    # Judged documents are in the order of their ranks, so the others are deeper.
    judged, negative = hits.judged[:, : deepest + 1], hits.negative
    scores = np.empty(n * (deepest + 1))
    for some in _blocks(len(scores), max(aspects, judged.shape[1])):
        rows, documents = np.divmod(np.arange(some.start, some.stop), deepest + 1)
        nowhere = np.full((len(rows), 1), NOWHERE, dtype=np.int32)  # padding in place of relevant documents
        cut = Hits(
            nowhere,
            np.zeros((len(rows), aspects, 1)),
            np.minimum(hits.length[rows], documents).astype(np.int32),
            hits.topic[rows],
            hits.pool,
            nowhere,
            np.where(judged[rows] <= documents[:, None], judged[rows], NOWHERE),
            None if negative is None else negative[:, : deepest + 1][rows],
            is_full=hits.is_full,
        )
        scores[some] = measure.computed(cut)
    return scores.reshape(n, deepest + 1)


def _blocks(rows: int, width: int) -> Iterator[slice]:
    """Parts of the rows that hold about as many values as a batch of rankings."""
    step = max(1, BATCH // max(1, width))
    for first in range(0, rows, step):
        yield slice(first, min(first + step, rows))


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
