"""Bounds of graded measures of one aspect that look at levels or at blended ratios, and of Compat, (N, A)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rankprism.data import NOWHERE, Floats, Longs
from rankprism.errors import MeasureError
from rankprism.measures.bounds.completions import Completions, Gains
from rankprism.measures.bounds.ranges import Pair, quotient
from rankprism.measures.bounds.single import precision_sums
from rankprism.measures.parts import Gain, ratio, total
from rankprism.measures.tables import powers


def blended_ratios(g: Gains, beta: float) -> Pair:
    """Bounds (N, A, n) of (C(i) + β cg(i)) / (i + β cg*(i)) for a document at rank i that is relevant.

    C and cg never fall when a gain rises, nor does cg*, the largest possible sum of i gains. So cg ≤ cg*, and
    the ratio is at most 1.
    """
    n = g.least.shape[-1]
    i = np.arange(1, n + 1)

    def of_ideal(gains: Floats) -> Floats:
        width = gains.shape[-1]
        if not width:
            return np.zeros((*gains.shape[:2], n))
        return np.cumsum(gains, axis=-1)[..., np.minimum(i, width) - 1]

    free = g.free[:, None, :]
    found = np.cumsum(g.least > 0, axis=-1) + free
    gained = np.cumsum(g.least, axis=-1) + free * g.bottom[:, :, None]
    most = of_ideal(g.ideal(g.top, g.count, n, most=True))
    low = (found + beta * gained) / (i + beta * most)
    found, gained = np.cumsum(g.most > 0, axis=-1), np.cumsum(g.most, axis=-1)
    high = (found + beta * gained) / (i + beta * of_ideal(g.ideal_least[g.topic]))
    return low, np.minimum(high, 1.0)


def q_measure(g: Gains, beta: float, cutoff: int | None) -> Pair:
    """Bounds of 1/min(k,R) Σ_{i≤k} [g_i > 0] BR(i).

    Lower bound: judged relevant documents have at least their least ratios, whatever else is relevant, and R
    grows at most by the number of unjudged documents. Upper bound: m new documents above the cutoff have at
    most the m largest ratios that unjudged ones can have, and R grows by m. No ratio exceeds 1, and at most
    min(k,R) documents count.
    """
    if not g.least.shape[-1]:
        zero = np.zeros(g.top.shape)
        return zero, zero
    least, most = blended_ratios(g, beta)
    R = (g.ideal_most > 0).sum(-1)[g.topic]

    def base(count: Longs) -> Floats:
        """min(k, R + count), from (N, 1, n)"""
        relevant = R[:, :, None] + count
        return np.asarray(relevant if cutoff is None else np.minimum(relevant, cutoff), dtype=np.float64)

    everything = base((g.count[:, None] * (g.top > 0))[:, :, None])[..., 0]
    low = ratio(total(least * (g.least > 0)), everything)
    new = np.where(g.free[:, None, :] & (g.top > 0)[:, :, None], most, 0.0)
    new = np.concatenate([np.zeros((*new.shape[:2], 1)), -np.sort(-new, axis=-1)], axis=-1)
    sums = total(most * (g.least > 0))[:, :, None] + np.cumsum(new, axis=-1)
    m = np.arange(new.shape[-1])
    possible = (m <= g.free.sum(-1)[:, None])[:, None, :]
    high = np.where(possible, ratio(sums, base(m[None, None, :])), 0.0).max(-1)
    return low, np.minimum(high, 1.0)


def p_plus(g: Gains, beta: float) -> Pair:
    """Bounds of the mean of the blended ratios of relevant documents down to the best of the list.

    A mean lies between the smallest and the largest value that may be in it. It is 0 if the list has no
    relevant document.
    """
    if not g.least.shape[-1]:
        zero = np.zeros(g.top.shape)
        return zero, zero
    least, most = blended_ratios(g, beta)
    possible = g.most > 0
    low = np.where(possible, least, np.inf).min(-1)
    high = np.where(possible, most, 0.0).max(-1)
    return np.where((g.least > 0).any(-1), low, 0.0), high


def graded_precision(g: Gains, judged: Floats, cutoff: int | None) -> Pair:
    """Bounds of `judged`, Σ_i 1/i Σ_{j≤i} W(min(g_i, g_j)), over Σ W of all documents, or of the k best;
    gains are W.

    The divisor is bounded by m documents of the lowest W above 0 and by m of the highest, see
    `precision_sums`. For each bar that grades clear, the sum is at most the number of documents clearing it,
    so 1 is a bound too.
    """
    own = g.ideal_least[g.topic]
    D = own.shape[-1]
    sums = np.concatenate([np.zeros((*own.shape[:2], 1)), np.cumsum(own, axis=-1)], axis=-1)
    k = D + int(g.count.max(initial=0)) if cutoff is None else cutoff

    def best(value: Floats) -> Callable[[Longs], Floats]:
        before = (own >= value[:, :, None]).sum(-1)[:, :, None]  # judged documents ahead of the new ones

        def of(m: Longs) -> Floats:
            m = m[:, None, :]
            first = np.minimum(before, k)
            rest = np.clip(k - m, first, D)
            ahead, until = np.take_along_axis(sums, first, -1), np.take_along_axis(sums, rest, -1)
            return np.asarray(ahead + value[:, :, None] * np.clip(k - before, 0, m) + until - ahead)

        return of

    low, high = precision_sums(g, judged, best(g.bottom), best(g.top))
    return low, np.minimum(high, 1.0)


_DEEPEST = 1 << 16  # below this rank, Compat adds the terms of its sum by an integral


def compatibility(c: Completions, place: Longs, p: float, normalize: bool, depth: int | None) -> Pair:
    """Bounds of the rank-biased overlap with the ideal ranking most similar to the ranking.

    place : (N, A, H) the rank of each document found in the ideal ranking of the judged documents.

    A document at rank r whose place in the ideal ranking is s adds O(n) - O(max(r, s) - 1), where O(d) =
    Σ_{e≤d} p^(e-1)/e. New documents move s down by at most their number, and never up; n, the length of the
    longer ranking, grows at most by their number. A new document adds at most O(n) - O(r - 1), and m of them
    add most at the m highest unjudged ranks; the ideal ranking then has R + m documents. The overlap with
    another ranking is never above min(d, R), the overlap of the ideal with itself, so 1 is a bound.
    """
    hits = c.hits
    if depth is not None and depth > _DEEPEST:
        raise MeasureError(f"Compat: no bounds are known below rank {_DEEPEST}; set depth={_DEEPEST} or less")
    g = c.gains(Gain("linear"), None)
    n = g.least.shape[-1]
    own = g.ideal_least[g.topic]
    R = (own > 0).sum(-1)
    new = g.count[:, None] * (g.top > 0)  # (N, A)
    length = hits.length[:, None].astype(np.int64)
    ends = [np.full(R.shape, depth) if depth is not None else np.maximum(length, x) for x in (R, R + new)]
    longest = int(ends[1].max(initial=1))
    d = np.arange(1, longest + 1, dtype=np.float64)
    power = powers(longest, p)
    overlap = np.concatenate(([0.0], np.cumsum(power / d)))
    sums = np.concatenate(([0.0], np.cumsum(overlap[:-1])))

    def added(first: Floats | Longs, end: Longs) -> Floats:
        until = overlap[end][:, :, None]
        return np.where(first <= end[:, :, None], until - overlap[np.minimum(first, longest) - 1], 0.0)

    def itself(length: Longs, end: Longs) -> Floats:
        """The overlap with itself of an ideal ranking of this many documents (N, A, ..)"""
        end = end.reshape(*end.shape, *(1,) * (length.ndim - 2))
        length = np.minimum(length, end)
        return np.asarray(length * overlap[end] - sums[length], dtype=np.float64)

    found = (hits.grade > 0) & (hits.rank != NOWHERE)[:, None, :]
    rank = np.where(hits.rank == NOWHERE, 1, hits.rank)[:, None, :].astype(np.int64)
    low = total(np.where(found, added(np.maximum(rank, place + new[:, :, None]), ends[0]), 0.0))
    high = total(np.where(found, added(np.maximum(rank, place), ends[1]), 0.0))
    i = np.broadcast_to(np.arange(1, n + 1), (*R.shape, n))
    extra = np.cumsum(np.where(g.free[:, None, :] & (g.top > 0)[:, :, None], added(i, ends[1]), 0.0), axis=-1)
    if not normalize:
        whole = np.concatenate(([0.0], np.cumsum(power)))
        rest = [whole[e] for e in ends]
        high = high + extra[..., -1] if n else high
        return quotient(low, high, rest[0], rest[1])
    m = np.cumsum(g.free, axis=-1)[:, None, :] * (g.top > 0)[:, :, None]
    upper = quotient(high, high, itself(R, ends[0]), itself(R, ends[0]))[1]
    if n:
        best = itself(R[:, :, None] + m, ends[0])
        gained = high[:, :, None] + extra
        upper = np.maximum(upper, quotient(gained, gained, best, best)[1].max(-1))
    return ratio(low, itself(R + new, ends[1])), upper
