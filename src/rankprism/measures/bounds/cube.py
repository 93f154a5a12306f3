"""Bounds of the cube test, (N,)."""

from __future__ import annotations

import numpy as np

from rankprism._core import sums_over_aspects
from rankprism.data import Floats
from rankprism.measures.bounds.completions import Completions, Gains
from rankprism.measures.bounds.novelty import once_alive
from rankprism.measures.bounds.ranges import Pair, discounted, over_aspects, raw_weights
from rankprism.measures.parts import RECIPROCAL, Gain, decay, gained_above, shares, total, weighted_sum
from rankprism.measures.tables import powers_of_rest


def cube_test(c: Completions, gain: Gain, alpha: float, saturation: float, cutoff: int | None) -> Pair:
    """Bounds of CT as in the paper: a document has at least its least gain after as many others as possible,
    and at most its largest gain after as few as possible. The saturation of an aspect is bounded likewise."""
    g = c.gains(gain, cutoff)
    # The last bit of a sum, which depends on its order, must not decide whether an aspect is saturated.
    sooner, later = saturation - 1e-12, saturation + 1e-12
    left = decay(alpha)
    low = discounted(g.least * left(g.crowded) * (gained_above(g.most) < sooner), RECIPROCAL)
    high = discounted(g.most * left(g.least) * (gained_above(g.least) < later), RECIPROCAL)
    ordered = -np.sort(-g.most, axis=-1)
    high = np.minimum(high, discounted(ordered * left(ordered), RECIPROCAL))
    low = once_alive(c, g, low, RECIPROCAL)
    return over_aspects(low, high, raw_weights(c, True), g.live, g.maybe)


def heights(g: Gains, alpha: float, height: float, whole: bool) -> Pair:
    """(N, A, n) bounds of how far each aspect is filled at each rank, as a share of `height`

    A document adds (1-α)^(c+1) g, with c between the fewest and the most documents above it. With `whole`,
    the document that fills an aspect counts as a whole.
    """
    left = decay(alpha)
    low = np.cumsum((1 - alpha) * left(g.crowded) * g.least, axis=-1)
    high = np.cumsum((1 - alpha) * left(g.least) * g.most, axis=-1)
    return np.minimum(low, height) / height, np.minimum(high, _highest(g, alpha, height, whole)) / height


def _highest(g: Gains, alpha: float, height: float, whole: bool) -> Floats:
    """(N, A, 1) how far an aspect can be filled"""
    last = (1 - alpha) * g.most.max(-1, initial=0.0, keepdims=True)
    return height + last if whole else np.full_like(last, height)


def filled_by_rank(c: Completions, g: Gains, alpha: float, height: float, whole: bool) -> Pair:
    """(N, n) bounds of the share of the whole cube that is filled at each rank"""
    low, high = (sums_over_aspects(x, shares(c.hits)) for x in heights(g, alpha, height, whole))
    return low, high


def filled_at_the_end(c: Completions, g: Gains, alpha: float, height: float, whole: bool = False) -> Pair:
    """(N,) bounds of the share of the cube that the whole ranking fills

    The documents on an aspect have the weights (1-α)^1, (1-α)^2, … in the order of ranks, so they add most if
    their gains are in descending order.
    """
    low, high = (x.max(-1, initial=0.0) for x in filled_by_rank(c, g, alpha, height, whole))
    ordered = -np.sort(-g.most, axis=-1)
    best = total((1 - alpha) * decay(alpha)(ordered) * ordered)
    most = np.minimum(best, _highest(g, alpha, height, whole)[..., 0])
    return low, np.minimum(high, weighted_sum(most / height, shares(c.hits)))


def cube_test_bound(c: Completions, g: Gains, alpha: float, height: float, depth: Floats) -> Pair:
    """(N,) bounds of Σ_t w_t min(height, Σ_{n≥0} (1-α)^n g*(n,t)) / height, over the depth + 1 highest grades

    It never falls when a grade rises.
    """
    found = []
    for ideal in (g.ideal_least[g.topic], g.ideal(g.top, g.count, None, most=True)):
        n = np.arange(ideal.shape[-1])
        worth = np.where(n <= depth[:, None, None], ideal, 0.0) * powers_of_rest(len(n), alpha)
        found.append(weighted_sum(np.minimum(total(worth), height) / height, shares(c.hits)))
    return found[0], found[1]
