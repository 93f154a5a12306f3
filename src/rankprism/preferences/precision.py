"""Preference precision: the share of judged pairs that a ranking has in the right order.

A pair is *ordered* at k if at least one of its documents is among the first k (Carterette and Bennett
2008); it is ordered correctly if the preferred document is above the other one, which may be missing. Every
judgment of a simple pair counts, so three assessors who agree count three times. Ties do not count, nor do
pairs after other documents (triplets).
"""

from __future__ import annotations

import numpy as np

from rankprism.data.hits import NOWHERE, Bools, Floats, Ints, Longs
from rankprism.measures.parts import LOGARITHMIC, ratio
from rankprism.preferences.utility import NONE, Shown


def ppref(shown: Shown, rank: Ints, doc: Longs, cutoff: int | None = None) -> Floats:
    """(N,) preference precision: correctly ordered pairs ÷ ordered pairs; 0 where no pair is ordered

    rank, doc : (N, H) the ranks and positions of the documents, from the top; NOWHERE and NONE where padded.
    cutoff : k; without it, all pairs of which a document was retrieved.
    """
    correct, first = _ordered(shown, rank, doc, cutoff)
    inside = first != NOWHERE
    return ratio((correct & inside).sum(-1).astype(np.float64), inside.sum(-1).astype(np.float64))


def wpref(shown: Shown, rank: Ints, doc: Longs, cutoff: int | None = None) -> Floats:
    """(N,) weighted preference precision: the same, a pair at ranks i and j weighing 1/log2(min(i, j) + 1)

    A pair counts the more the further up the first of its documents is (Carterette et al. 2008).
    """
    correct, first = _ordered(shown, rank, doc, cutoff)
    inside = first != NOWHERE
    weight = np.where(inside, LOGARITHMIC(np.where(inside, first, 1)), 0.0)
    return ratio(_sum(np.where(correct, weight, 0.0)), _sum(weight))


def _ordered(shown: Shown, rank: Ints, doc: Longs, cutoff: int | None) -> tuple[Bools, Ints]:
    """(N, M) whether each preference is kept to, and the better of its two ranks; NOWHERE below the cutoff"""
    c, documents = shown.comparisons, len(shown.docs)
    decided = (c.given == NONE) & (c.outcome != 0.5)
    winner = np.where(c.outcome == 1, c.left, c.right)[decided]
    loser = np.where(c.outcome == 1, c.right, c.left)[decided]
    # From the order of the documents, not of the judgments, so that sums do not depend on it.
    order = np.lexsort((loser, winner))
    place = np.full((len(doc), documents + 1), NOWHERE, dtype=np.int32)
    np.put_along_axis(place, np.where(doc == NONE, documents, doc), rank, axis=-1)
    place[:, documents] = NOWHERE
    up, down = place[:, winner[order]], place[:, loser[order]]
    first = np.minimum(up, down)
    if cutoff is not None:
        first = np.where(first <= cutoff, first, NOWHERE).astype(np.int32)
    return up < down, first


def _sum(values: Floats) -> Floats:
    """(N,) from the first to the last, so that every machine gets the same bits."""
    return np.asarray(np.cumsum(values, axis=-1)[:, -1]) if values.shape[-1] else values.sum(-1)
