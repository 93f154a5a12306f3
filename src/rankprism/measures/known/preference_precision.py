"""Preference precision: the share of judged pairs that a ranking has in the right order.

A pair is *ordered* at k if at least one of its documents is among the first k (Carterette and Bennett
2008); it is ordered correctly if the preferred document is above the other one, which may be missing. Every
judgment of a simple pair counts, so three assessors who agree count three times. Ties do not count, nor do
pairs after other documents (triplets).
"""

from __future__ import annotations

import numpy as np

from rankprism.data import NOWHERE, Bools, Floats, Ints, Longs
from rankprism.measures.declare import measure
from rankprism.measures.parameter import Cutoff
from rankprism.measures.parts import LOGARITHMIC, ratio, total
from rankprism.measures.preferences.hits import PreferenceHits
from rankprism.measures.preferences.pairs import Pairs
from rankprism.measures.preferences.utility import NONE, Shown


@measure(
    needs="preferences",
    cite="carterette2008evaluation",
    aliases="preference_precision",
)
def ppref(cutoff: Cutoff = None) -> Pairs:
    """Preference precision: the share of the judged pairs that the ranking has in the right order.

    ppref@k = |ordered pairs, the preferred document above| / |ordered pairs|

    A pair is ordered at k if at least one of its documents is among the first k. Only simple pairs count;
    ties and triplets do not. Without a cutoff, a pair is ordered if one of its documents was retrieved. The
    score is 0 if no pair is ordered.

    The ranking has b above a, which is wrong, and does not have c, which is right:

    >>> from rankprism import evaluate
    >>> people = [("q", "", "a", "b", "left"), ("q", "", "b", "c", "left"), ("q", "", "a", "c", "left")]
    >>> evaluate(people, {"q": {"b": 2.0, "a": 1.0}}, ["ppref@1", "ppref@2"]).mean()
    {'run': {'ppref@1': 0.5, 'ppref@2': 0.6666666666666666}}
    """

    def share(hits: PreferenceHits) -> Floats:
        correct, first = _ordered(hits.shown, hits.rank, hits.doc, cutoff)
        inside = first != NOWHERE
        return ratio((correct & inside).sum(-1).astype(np.float64), inside.sum(-1).astype(np.float64))

    return Pairs(share, cutoff=cutoff, is_deep=False)


@measure(
    needs="preferences",
    cite="carterette2008here carterette2008evaluation",
    aliases="weighted_preference_precision",
)
def wpref(cutoff: Cutoff = None) -> Pairs:
    """Weighted preference precision: preference precision in which pairs near the top weigh more.

    wpref@k = Σ of w over correctly ordered pairs / Σ of w over ordered pairs,  w = 1/log2(min(i, j) + 1)

    i and j are the ranks of the two documents. The same pairs are ordered, and count, as in ppref.

    The pairs a, b and b, c weigh 1, and a, c weighs 1/log2(3). Only a, b is in the wrong order:

    >>> from rankprism import evaluate
    >>> people = [("q", "", "a", "b", "left"), ("q", "", "b", "c", "left"), ("q", "", "a", "c", "left")]
    >>> evaluate(people, {"q": {"b": 2.0, "a": 1.0}}, "wpref@2").mean()["run"]["wpref@2"]
    0.6199...
    """

    def share(hits: PreferenceHits) -> Floats:
        correct, first = _ordered(hits.shown, hits.rank, hits.doc, cutoff)
        inside = first != NOWHERE
        weight = np.where(inside, LOGARITHMIC(np.where(inside, first, 1)), 0.0)
        return ratio(total(np.where(correct, weight, 0.0)), total(weight))

    # The divisor depends on the order.
    return Pairs(share, reversible=False, cutoff=cutoff, is_deep=False)


def _ordered(shown: Shown, rank: Ints, doc: Longs, cutoff: int | None) -> tuple[Bools, Ints]:
    """(N, M) whether the ranking agrees with each preference, and the better of its two ranks; NOWHERE below
    the cutoff"""
    c, documents = shown.comparisons, len(shown.docs)
    decided = (c.given == NONE) & (c.outcome != 0.5)
    winner = np.where(c.outcome == 1, c.left, c.right)[decided]
    loser = np.where(c.outcome == 1, c.right, c.left)[decided]
    # In the order of the documents, so that sums do not depend on the order of the judgments.
    order = np.lexsort((loser, winner))
    place = np.full((len(doc), documents + 1), NOWHERE, dtype=np.int32)
    np.put_along_axis(place, np.where(doc == NONE, documents, doc), rank, axis=-1)
    place[:, documents] = NOWHERE
    up, down = place[:, winner[order]], place[:, loser[order]]
    first = np.minimum(up, down)
    if cutoff is not None:
        first = np.where(first <= cutoff, first, NOWHERE).astype(np.int32)
    return up < down, first
