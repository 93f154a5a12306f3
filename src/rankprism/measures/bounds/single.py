"""Bounds of measures of one aspect, (N, A)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from rankprism.data import Floats, Longs
from rankprism.errors import MeasureError
from rankprism.measures.bounds.completions import Completions, Gains
from rankprism.measures.bounds.novelty import bounds_per_aspect, own_ideals
from rankprism.measures.bounds.ranges import Pair, discounted, quotient
from rankprism.measures.parts import NO_NOVELTY, PRECISION, UNIFORM, Discount, Parts, ratio


def of_one_aspect(c: Completions, g: Gains, parts: Parts, cutoff: int | None) -> Pair:
    """Bounds of Σ_i D(i) g_i N(i), times a factor or over a divisor. `g` has the gains down to the cutoff."""
    if parts.over == "per-aspect" and parts.novelty == NO_NOVELTY:
        return over_sorted_ideal(g, parts.discount, cutoff)
    low, high = bounds_per_aspect(g, parts)
    if parts.over == "per-aspect":
        return quotient(low, high, *own_ideals(g, parts, cutoff))
    if parts.over in ("none", "depth"):
        factor = 1.0 if parts.factor is None else parts.factor
        if parts.over == "none":
            return factor * low, factor * high
        depth = c.hits.depth(cutoff)[:, None]
        return ratio(factor * low, depth), ratio(factor * high, depth)
    proved = parts.novelty in (NO_NOVELTY, PRECISION) and parts.discount == UNIFORM
    if not proved or parts.gain.kind != "binary":
        raise MeasureError(
            "no bounds are known for a sum that is divided by the number of relevant documents, unless its "
            "gain is binary and all ranks count alike; leave the measure out, or do without bounds"
        )
    R = g.ideal_least.sum(-1)[g.topic]
    if parts.novelty == PRECISION:
        return precision_sums(g, low, lambda m: R[:, :, None] + m[:, None, :])
    return counted(g, low, R if parts.over == "relevant" else c.hits.depth(cutoff)[:, None] + R, parts)


def counted(g: Gains, found: Floats, base: Floats, parts: Parts) -> Pair:
    """Bounds of recall, found / R, and of F1, 2 found / (k + R).

    A new relevant document above the cutoff raises the ratio, because found ≤ R < k + R. One below the cutoff
    lowers it. Exact.
    """
    above, below = (np.where(g.top > 0, count[:, None], 0) for count in (g.free.sum(-1), g.below))
    factor = 1.0 if parts.factor is None else parts.factor
    return ratio(factor * found, base + below), ratio(factor * (found + above), base + above)


def precision_sums(
    g: Gains, judged: Floats, least: Callable[[Longs], Floats], most: Callable[[Longs], Floats] | None = None
) -> Pair:
    """Bounds of Σ_i 1/i Σ_{j≤i} W(min(g_i, g_j)) over a divisor that grows with the number m of new
    documents.

    Gains are W; `judged` (N, A) is the sum as judged; `least` and `most` (N, A, n) bound the divisor for m
    (N, n). Default of `most`: the same as `least`.

    Moving a relevant document from rank b up to a < b, where no relevant document is, changes the sum by at
    least (x/a - x/b) + Σ (1/j - 1/b) over the relevant j between them, times a positive factor. So with m new
    documents the sum is largest with the best grade at the m highest unjudged ranks, and smallest with the
    lowest grade at the lowest ranks; ranks below the cutoff add nothing. Both are scanned over m. Exact for
    binary gains, where the best and the lowest grade are the same.
    """
    most = least if most is None else most
    n = g.least.shape[-1]
    if not n or not g.least.shape[1]:
        zero = np.zeros(judged.shape)
        return zero, zero
    i = np.arange(1, n + 1)
    free = g.free[:, None, :]
    top, bottom = g.top[:, :, None], g.bottom[:, :, None]

    def after(x: Floats) -> Floats:
        """Σ_{j>i} x_j / j"""
        x = x / i
        return np.cumsum(x[..., ::-1], axis=-1)[..., ::-1] - x

    m = np.cumsum(g.free, axis=-1, dtype=np.int64)
    added = (np.cumsum(g.least, axis=-1) + m[:, None, :] * top) / i + after(g.least)
    sums = judged[:, :, None] + np.cumsum(np.where(free & (top > 0), added, 0.0), axis=-1)
    found = np.where(free & (top > 0), ratio(sums, least(m)), 0.0).max(-1)
    none = np.zeros((len(m), 1), dtype=np.int64)
    high = np.maximum(found, ratio(judged, least(none)[..., 0]))

    relevant = bottom * (g.least > 0)
    own = (np.cumsum(relevant, axis=-1) + bottom) / i + after(relevant) + after(free * bottom)
    more = np.where(free & (top > 0), own, 0.0)
    sums = judged[:, :, None] + np.cumsum(more[..., ::-1], axis=-1)[..., ::-1]
    m = g.below[:, None] + np.cumsum(g.free[:, ::-1], axis=-1, dtype=np.int64)[:, ::-1]
    reached = np.where(free & (top > 0), ratio(sums, most(m)), np.inf).min(-1)
    hidden = np.where(g.top > 0, ratio(judged, most(g.below[:, None])[..., 0]), np.inf)
    low = np.minimum(np.minimum(reached, hidden), ratio(judged, most(none)[..., 0]))
    return np.where(g.relevant, low, 0.0), high


def blocks(most: int) -> Iterator[tuple[int, int]]:
    """Numbers of documents, as wider and wider ranges: 0, 1, 2, …, 7, 8-12, 13-19, …"""
    first = 0
    while first <= most:
        last = min(most, first + (first // 2 if first >= 8 else 0))
        yield first, last
        first = last + 1


def over_sorted_ideal(g: Gains, discount: Discount, cutoff: int | None) -> Pair:
    """Bounds of Σ_i D(i) gain_i over the same sum for all documents sorted by gain, the best ranking.

    Upper bound: with m documents that gain something, the sum is largest with the best gain at the m highest
    unjudged ranks, and the divisor is smallest with the lowest gain for each. Lower bound: for a ratio ρ, the
    sum is linear in the gains, and ρ times the divisor, a maximum over orders, is convex. So the set of gains
    with a ratio of at least ρ is convex, and the ratio is least at a corner: m documents with the best gain
    at the lowest unjudged ranks, and 0 for the others. The numbers m are taken in ranges, and the ends of a
    range bound what is between them.
    """
    n = g.least.shape[-1]
    D = discount.first(n)
    N, A = g.top.shape
    base = discounted(g.least, discount)
    at_most = discounted(np.where(g.free[:, None, :], 0.0, g.most), discount)
    gained = np.where(g.free, D, 0.0)
    zero = np.zeros((N, 1))
    from_top = np.concatenate([zero, np.cumsum(gained, axis=-1)], axis=-1)
    from_below = np.concatenate([zero, np.cumsum(gained[:, ::-1], axis=-1)], axis=-1)
    seen_from_top = np.cumsum(g.free, axis=-1, dtype=np.int64)
    seen_from_below = np.cumsum(g.free[:, ::-1], axis=-1, dtype=np.int64)
    visible: Longs = g.free.sum(-1, dtype=np.int64)

    def placed(count: Longs, seen_so_far: Longs, sums: Floats) -> Floats:
        """(N,) Σ D over the first `count` unjudged documents from one end"""
        at = (seen_so_far < count[:, None]).sum(-1) + 1
        index = np.where(count > 0, np.minimum(at, n), 0)[:, None]
        return np.asarray(np.take_along_axis(sums, index, -1)[:, 0])

    low, high = np.full((N, A), np.inf), np.zeros((N, A))
    step = g.top if g.is_sure else g.bottom
    open_ = g.top > 0
    for first, last in blocks(int(visible.max(initial=0))):
        inside = (first <= visible)[:, None] & (open_ | (first == 0))
        some = np.minimum(visible, last)
        total = at_most + g.top * placed(some, seen_from_top, from_top)[:, None]
        best = discounted(g.ideal(g.bottom, np.minimum(visible, first), cutoff, most=False), discount)
        high = np.maximum(high, np.where(inside, quotient(total, total, best, best)[1], 0.0))
    width = int(g.count.max(initial=0)) if cutoff is None else min(cutoff, int(g.count.max(initial=0)))
    for first, last in blocks(width):
        inside = (first <= g.count)[:, None] & (open_ | (first == 0))
        # The last block also covers all larger numbers: no more documents fit above the cutoff.
        total = (
            base + step * placed(np.clip(first - g.below, 0, visible), seen_from_below, from_below)[:, None]
        )
        best = discounted(g.ideal(g.top, np.minimum(g.count, last), cutoff, most=True), discount)
        low = np.minimum(low, np.where(inside, ratio(total, best), np.inf))
    return np.where(g.relevant, low, 0.0), high
