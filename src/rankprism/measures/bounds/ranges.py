"""Building blocks of bounds: bounds of ratios, of means over aspects, and of scores that rise with gains."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from rankprism.data import Bools, Floats, Longs
from rankprism.errors import MeasureError
from rankprism.measures.bounds.completions import Completions, Gains
from rankprism.measures.parts import Discount, Gain, discounted_sum, ratio, total, weighted_sum

Pair: TypeAlias = tuple[Floats, Floats]


def quotient(low: Floats, high: Floats, least: Floats, most: Floats, cap: float | Floats = 1.0) -> Pair:
    """Bounds of a ratio of numbers ≥ 0: low / most, and the smaller of high / least and `cap`.

    If the divisor may be 0, only `cap` limits the upper bound, unless the numerator is 0 for certain.
    """
    upper = np.where(least > 0, ratio(high, least), np.where(high > 0, np.inf, 0.0))
    return ratio(low, most), np.minimum(upper, cap)


def raw_weights(c: Completions, weighted: bool) -> Floats:
    """(N, A) aspect weights that do not yet sum to 1"""
    weight = c.hits.weight
    return weight if weighted else np.ones_like(weight)


def over_aspects(low: Floats, high: Floats, weight: Floats, live: Bools, maybe: Bools) -> Pair:
    """Bounds of the weighted mean of scores (N, A) over the aspects that count.

    An aspect that is `live` counts in every completion, and one that is `maybe` only in some, because it has
    a relevant document there. Adding an aspect raises the mean if and only if its score is above the mean. So
    the highest mean takes the aspects with the highest scores, down to some point, and the lowest mean takes
    those with the lowest scores. For an aspect that is only `maybe`, `low` is its lowest score in the
    completions in which it has a relevant document. The bounds are exact if the bounds of all aspects are.
    """

    def means(score: Floats, order: Longs) -> Floats:
        take = np.where(maybe, weight, 0.0)
        more = np.take_along_axis(take, order, -1)
        sure = weighted_sum(score, np.where(live, weight, 0.0))[:, None]
        base = total(np.where(live, weight, 0.0))[:, None]
        added = np.cumsum(more * np.take_along_axis(score, order, -1), axis=-1)
        means = ratio(sure + added, base + np.cumsum(more, axis=-1))
        return np.concatenate([ratio(sure, base), means], axis=-1)

    ascending = np.argsort(np.where(maybe, low, np.inf), axis=-1, kind="stable")
    descending = np.argsort(np.where(maybe, -high, np.inf), axis=-1, kind="stable")
    return means(low, ascending).min(-1), means(high, descending).max(-1)


def rising(g: Gains, score: Callable[[Floats], Floats]) -> Pair:
    """Bounds of a score that never falls when a gain rises: all unjudged documents gain 0, or all gain most.

    Sums and maxima of gains over ranks are such scores. So is Σ_i D(i) r_i Π_{j<i} (1 - r_j): its derivative
    with respect to r_i is Π_{j<i} (1 - r_j) times the difference between D(i) and a mean of later discounts,
    which are not larger. The bounds are exact if the gains of judged documents are certain.
    """
    return score(g.least), score(g.most)


def discounted(gain: Floats, discount: Discount) -> Floats:
    """(N, A) Σ_i D(i) gain_i of gains by rank"""
    n = gain.shape[-1]
    return discounted_sum(gain, np.broadcast_to(discount.first(n), (len(gain), n)))


def probability(c: Completions, gain: Gain, name: str) -> Gain:
    """Return the gain, or refuse it if it is not a probability in every completion."""
    if gain.kind not in ("linear", "probability"):
        return gain
    highest = c.level.max(initial=0.0)
    limit = 1.0 if gain.kind == "linear" else gain.max_rel
    if limit is not None and highest > limit:
        raise MeasureError(
            f"{name}: no bounds are known: an unjudged document may have grade {highest:g}, which is above "
            f"{limit:g}; "
            + (f"set max_rel={highest:g}" if gain.kind != "linear" else "use gain='probability'")
        )
    return gain
