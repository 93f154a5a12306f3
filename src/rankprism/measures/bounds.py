"""What a score is at least and at most, whatever the judgments that are missing.

Each function returns a lower and an upper bound over all `Completions`, with the proof in its comment. A
bound is *exact* if some completion attains it, and *outer* if it is only known that no completion goes
beyond. Functions of one aspect give (N, A), the others (N,).

Three facts are used throughout. Discounts never rise with the rank. An ideal ranking draws on every relevant
document, so a ranking is never better than the best one. And the grades of aspects are chosen independently,
so extremes of single aspects are attained together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from rankprism._core import minimal_cover
from rankprism.data.hits import NOWHERE, Bools, Floats, Longs
from rankprism.errors import MeasureError
from rankprism.measures.completions import Completions, Gains
from rankprism.measures.ideal import best_gains, exact_utility
from rankprism.measures.parts import (
    CASCADE,
    NO_NOVELTY,
    RECIPROCAL,
    Discount,
    Gain,
    Novelty,
    Parts,
    binary,
    decay,
    discounted_sum,
    expected,
    over_ranks,
    ratio,
    seen,
)

Pair: TypeAlias = tuple[Floats, Floats]


def quotient(low: Floats, high: Floats, least: Floats, most: Floats, cap: float | Floats = 1.0) -> Pair:
    """low / most and high / least, the latter `cap` at most: bounds of a ratio of numbers that are not below
    0.

    Where the divisor may be 0 the score is 0 or limited by nothing but the cap.
    """
    upper = np.where(least > 0, ratio(high, least), np.where(high > 0, np.inf, 0.0))
    return ratio(low, most), np.minimum(upper, cap)


def over_aspects(low: Floats, high: Floats, weight: Floats, live: Bools, maybe: Bools) -> Pair:
    """Bounds of the weighted mean of aspects' scores (N, A) over those with something relevant.

    Aspects that are `live` are always among them; those that `maybe` are may or may not come alive. A mean
    rises by one more member if and only if that is above the mean. So the highest mean has the members of the
    highest scores, down to some place, and the lowest mean those of the lowest. `low` of an aspect that may
    come alive is its lowest score once it is alive. Exact if the bounds of all aspects are."""

    def means(score: Floats, order: Longs) -> Floats:
        take = np.where(maybe, weight, 0.0)
        more = np.take_along_axis(take, order, -1)
        total = expected(score, np.where(live, weight, 0.0))[:, None]
        base = np.where(live, weight, 0.0).sum(-1)[:, None]
        added = np.cumsum(more * np.take_along_axis(score, order, -1), axis=-1)
        means = ratio(total + added, base + np.cumsum(more, axis=-1))
        return np.concatenate([ratio(total, base), means], axis=-1)

    ascending = np.argsort(np.where(maybe, low, np.inf), axis=-1, kind="stable")
    descending = np.argsort(np.where(maybe, -high, np.inf), axis=-1, kind="stable")
    return means(low, ascending).min(-1), means(high, descending).max(-1)


def weights(c: Completions, weighted: bool) -> Floats:
    """(N, A) aspect weights that do not yet sum to 1"""
    weight = c.hits.weight
    return weight if weighted else np.ones_like(weight)


# ── one aspect ───────────────────────────────────────────────────────────────────────────────────


def rising(g: Gains, score: Callable[[Floats], Floats]) -> Pair:
    """Bounds of a score that never falls when a gain rises: all unjudged documents at 0, and all at the top.

    Sums and maxima of gains over ranks are such scores. So is Σ_i D(i) r_i Π_{j<i} (1 - r_j): its derivative
    with respect to r_i is Π_{j<i} (1 - r_j) times D(i) less a mean of later discounts, which are no larger.
    Exact where the gains of judged documents are certain."""
    return score(g.least), score(g.most)


def precision(c: Completions, rel: float, cutoff: int | None) -> Pair:
    depth = c.hits.depth(cutoff)[:, None]
    return rising(c.gains(binary(rel), cutoff), lambda g: ratio(g.sum(-1), depth))


def reciprocal_rank(c: Completions, rel: float, cutoff: int | None) -> Pair:
    def score(g: Floats) -> Floats:
        best: Floats = (g * RECIPROCAL.first(g.shape[-1])).max(-1, initial=0.0)
        return best

    return rising(c.gains(binary(rel), cutoff), score)


def discounted(gain: Floats, discount: Discount) -> Floats:
    """(N, A) Σ_i D(i) gain_i of gains by rank"""
    n = gain.shape[-1]
    return discounted_sum(gain, np.broadcast_to(discount.first(n), (len(gain), n)))


def precision_sums(
    g: Gains, judged: Floats, least: Callable[[Longs], Floats], most: Callable[[Longs], Floats]
) -> Pair:
    """Bounds of Σ_i 1/i Σ_{j≤i} W(min(g_i, g_j)) over something that grows with the number m of new
    documents.

    Gains are W; `judged` (N, A) is the sum as judged; `least` and `most` (N, A, n) bound the divisor for m
    (N, n).

    To move a relevant document from rank b up to a < b, where nothing relevant stands, changes the sum by no
    less than (x/a - x/b) + Σ (1/j - 1/b) over the relevant j between them, times something positive. So with
    m new documents the sum is largest with the best grade at the m highest unjudged ranks, and smallest with
    the lowest grade at the lowest ranks, of which those below the cutoff count nothing in the sum. Both are
    scanned over m. Exact for binary gains, where the best and the lowest grade are one."""
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
    hidden = ratio(judged, most(np.where(g.top.any(-1), g.below, 0)[:, None])[..., 0])
    low = np.minimum(np.minimum(reached, hidden), ratio(judged, most(none)[..., 0]))
    return np.where(g.live, low, 0.0), high


def average_precision(c: Completions, rel: float, normalize: bool, cutoff: int | None) -> Pair:
    g = c.gains(binary(rel), cutoff)

    def score(relevant: Floats) -> Floats:
        return discounted(relevant * np.cumsum(relevant, axis=-1), RECIPROCAL)

    if not normalize:
        return rising(g, score)
    R = g.ideal_least.sum(-1)[g.topic][:, :, None]
    return precision_sums(g, score(g.least), lambda m: R + m[:, None, :], lambda m: R + m[:, None, :])


def r_precision(c: Completions, rel: float) -> Pair:
    """Bounds of P@R: with m new relevant documents R is m larger, and they stand highest or lowest. Exact."""
    g = c.gains(binary(rel), None)
    R = g.ideal_least.sum(-1)[g.topic].astype(np.int64)[:, :, None]  # (N, A, 1)
    n = g.least.shape[-1]

    def counted(x: Floats | Bools) -> Longs:
        total = np.cumsum(x, axis=-1).astype(np.int64)
        return np.concatenate([np.zeros((*total.shape[:-1], 1), dtype=np.int64), total], axis=-1)

    m = np.arange(int(g.count.max(initial=0)) + 1)
    possible = (m <= g.count[:, None])[:, None, :] & ((m == 0) | (g.top[:, :, None] > 0))
    place = np.minimum(R + m, n)
    judged = np.take_along_axis(counted(g.least), place, -1)
    above = np.take_along_axis(np.broadcast_to(counted(g.free)[:, None, :], (*R.shape[:2], n + 1)), place, -1)
    below = g.count[:, None, None] - above
    best = ratio((judged + np.minimum(m, above)).astype(np.float64), R + m + 0.0)
    worst = ratio((judged + np.maximum(m - below, 0)).astype(np.float64), R + m + 0.0)
    return np.where(possible, worst, np.inf).min(-1), np.where(possible, best, 0.0).max(-1)


def blocks(most: int) -> Iterator[tuple[int, int]]:
    """Numbers of documents, as ranges from .. to: 0, 1, 2, …, 7, 8-12, 13-19, …, ever wider"""
    first = 0
    while first <= most:
        last = min(most, first + (first // 2 if first >= 8 else 0))
        yield first, last
        first = last + 1


def over_sorted_ideal(g: Gains, discount: Discount, cutoff: int | None) -> Pair:
    """Bounds of Σ_i D(i) gain_i over the same for all documents by gain, the best ranking there is.

    With m documents that gain something, the sum is largest with the best gain at the m highest unjudged
    ranks, and the divisor smallest with the lowest gain for each. As to the least: for a ratio ρ, the sum is
    linear in the gains and ρ times the divisor, a maximum over orders, convex. So the set of gains with a
    ratio of at least ρ is convex, and the ratio is least at a corner: m documents with the best gain, at the
    lowest unjudged ranks, and 0 for the others. The numbers m are looked at in blocks from .. to, whose ends
    bound what is between."""
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
        # The last block stands for all larger numbers too: no more fit above the cutoff.
        total = (
            base + step * placed(np.clip(first - g.below, 0, visible), seen_from_below, from_below)[:, None]
        )
        best = discounted(g.ideal(g.top, np.minimum(g.count, last), cutoff, most=True), discount)
        low = np.minimum(low, np.where(inside, ratio(total, best), np.inf))
    return np.where(g.live, low, 0.0), high


def cascade(g: Gains) -> Pair:
    """Bounds of ERR: never falls when a chance to satisfy rises, see `rising`."""
    return rising(g, lambda r: discounted(r * CASCADE(r), RECIPROCAL))


def cascade_over_ideal(g: Gains, cutoff: int | None) -> Pair:
    """Bounds of ERR over that of all documents by gain, which is the best ranking: to put the better of two
    neighbours first changes ERR by (D(i) - D(i+1)) (r - r'). Ideals rise with their gains as ERR does."""
    low, high = cascade(g)
    ideals = (g.ideal_least[g.topic][:, :, :cutoff], g.ideal(g.top, g.count, cutoff, most=True))
    least, most = (discounted(r * CASCADE(r), RECIPROCAL) for r in ideals)
    return quotient(low, high, least, most)


def probability(c: Completions, gain: Gain, name: str) -> Gain:
    """The gain, if it is a probability whatever the completion."""
    highest = c.level.max(initial=0.0)
    limit = 1.0 if gain.kind == "linear" else gain.max_rel
    if gain.kind in ("linear", "probability") and limit is not None and highest > limit:
        raise MeasureError(
            f"{name}: no bounds are known: an unjudged document may have grade {highest:g}, which is above "
            f"{limit:g}; "
            + (f"set max_rel={highest:g}" if gain.kind != "linear" else "use gain='probability'")
        )
    return gain


def blended_ratios(g: Gains, beta: float) -> Pair:
    """Bounds (N, A, n) of (C(i) + β cg(i)) / (i + β cg*(i)) for a document at rank i that is relevant.

    C and cg never fall when a gain rises, nor does cg*, which is the largest sum of i gains there is. So
    cg ≤ cg*, and the ratio is at most 1.
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

    Judged relevant documents have at least their least ratios, whatever else is relevant, and R is at most
    larger by all unjudged documents. At most, m new documents above the cutoff have the m largest ratios that
    unjudged ones can have, and R is larger by m. No ratio exceeds 1, and no more than min(k,R) count.
    """
    if not g.least.shape[-1]:
        zero = np.zeros(g.top.shape)
        return zero, zero
    least, most = blended_ratios(g, beta)
    R = (g.ideal_most > 0).sum(-1)[g.topic]

    def base(count: Longs) -> Floats:
        """min(k, R + count), from (N, 1, n)"""
        total = R[:, :, None] + count
        return np.asarray(total if cutoff is None else np.minimum(total, cutoff), dtype=np.float64)

    everything = base((g.count[:, None] * (g.top > 0))[:, :, None])[..., 0]
    low = ratio((least * (g.least > 0)).sum(-1), everything)
    new = np.where(g.free[:, None, :] & (g.top > 0)[:, :, None], most, 0.0)
    new = np.concatenate([np.zeros((*new.shape[:2], 1)), -np.sort(-new, axis=-1)], axis=-1)
    total = (most * (g.least > 0)).sum(-1)[:, :, None] + np.cumsum(new, axis=-1)
    m = np.arange(new.shape[-1])
    possible = (m <= g.free.sum(-1)[:, None])[:, None, :]
    high = np.where(possible, ratio(total, base(m[None, None, :])), 0.0).max(-1)
    return low, np.minimum(high, 1.0)


def p_plus(g: Gains, beta: float) -> Pair:
    """Bounds of the mean of the blended ratios of relevant documents down to the best of the list.

    A mean is between the smallest and the largest of what may be in it; with nothing relevant in the list it
    is 0.
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
    so 1 is a bound too."""
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


def compatibility(c: Completions, place: Longs, p: float, normalize: bool, depth: int | None) -> Pair:
    """Bounds of the rank-biased overlap with the ideal ranking most similar to the ranking.

    `place` (N, A, H) is that of each document found in the ideal ranking of the judged ones.

    A document at rank r whose place in the ideal ranking is s adds O(n) - O(max(r, s) - 1), O(d) = Σ_{e≤d}
    p^(e-1)/e. New documents move s down by their number at most, and up never; n, the length of the longer
    ranking, grows by no more than they do. A new document adds O(n) - O(r - 1) at most, and m of them the
    most at the m highest unjudged ranks; then the ideal ranking has R + m documents. The overlap with another
    ranking is never above min(d, R), that of the ideal with itself, which makes 1 a bound."""
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
    overlap = np.concatenate(([0.0], np.cumsum(p ** (d - 1) / d)))
    sums = np.concatenate(([0.0], np.cumsum(overlap[:-1])))

    def added(first: Floats | Longs, end: Longs) -> Floats:
        until = overlap[end][:, :, None]
        return np.where(first <= end[:, :, None], until - overlap[np.minimum(first, longest) - 1], 0.0)

    def itself(length: Longs, end: Longs) -> Floats:
        """What the ideal ranking of so many documents (N, A, ..) gets"""
        end = end.reshape(*end.shape, *(1,) * (length.ndim - 2))
        length = np.minimum(length, end)
        return np.asarray(length * overlap[end] - sums[length], dtype=np.float64)

    found = (hits.grade > 0) & (hits.rank != NOWHERE)[:, None, :]
    rank = np.where(hits.rank == NOWHERE, 1, hits.rank)[:, None, :].astype(np.int64)
    low = np.where(found, added(np.maximum(rank, place + new[:, :, None]), ends[0]), 0.0).sum(-1)
    high = np.where(found, added(np.maximum(rank, place), ends[1]), 0.0).sum(-1)
    i = np.broadcast_to(np.arange(1, n + 1), (*R.shape, n))
    extra = np.cumsum(np.where(g.free[:, None, :] & (g.top > 0)[:, :, None], added(i, ends[1]), 0.0), axis=-1)
    if not normalize:
        rest = [(1 - p**e) / (1 - p) for e in ends]
        high = high + extra[..., -1] if n else high
        return quotient(low, high, rest[0], rest[1])
    m = np.cumsum(g.free, axis=-1)[:, None, :] * (g.top > 0)[:, :, None]
    upper = quotient(high, high, itself(R, ends[0]), itself(R, ends[0]))[1]
    if n:
        best = itself(R[:, :, None] + m, ends[0])
        total = high[:, :, None] + extra
        upper = np.maximum(upper, quotient(total, total, best, best)[1].max(-1))
    return ratio(low, itself(R + new, ends[1])), upper


_DEEPEST = 1 << 16  # beyond, Compat adds the terms of its sum by an integral


# ── all aspects at once ──────────────────────────────────────────────────────────────────────────


def is_rising(parts: Parts) -> bool:
    """Whether the utility for an aspect never falls when a gain rises.

    Without novelty, and in a cascade, it does not: see `rising`. With binary gains, a document more at rank i
    adds D(i) (1-α)^c and takes the share α from all further down, which have at most D(i) (1-α)^c Σ_{n≥0}
    (1-α)^n, and α times that is no more than what was added. With graded gains, a document of little gain can
    take more from a better one below than it adds."""
    graded = parts.gain.kind != "binary"
    return not graded or parts.novelty in (NO_NOVELTY, CASCADE) or parts.novelty == decay(0.0)


def _taken(novelty: Novelty) -> float:
    return 1.0 if novelty.kind == "first" else novelty.amount


def utilities(g: Gains, parts: Parts) -> Pair:
    """(N, A) bounds of Σ_i D(i) g(i,t) N(i,t)

    Where a better document can do harm, each document is taken to have at least its least gain after as many
    others as possible, and at most its largest after as few as possible. Moreover, the j-th document on an
    aspect has at most the weight D(j) (1-α)^(j-1), which falls with j; so the sum is at most that of the
    gains in descending order."""
    if is_rising(parts):
        return rising(g, lambda x: discounted(x * parts.novelty(x), parts.discount))
    left = decay(_taken(parts.novelty))
    crowded = np.where(g.free[:, None, :] & (g.top > 0)[:, :, None], 1.0, g.least)
    low = discounted(g.least * left(crowded), parts.discount)
    high = discounted(g.most * left(g.least), parts.discount)
    ordered = -np.sort(-g.most, axis=-1)
    return low, np.minimum(high, discounted(ordered * left(ordered), parts.discount))


def once_alive(c: Completions, g: Gains, low: Floats, discount: Discount) -> Floats:
    """(N, A) the lower bounds, for aspects that come alive given that they do

    The first document on the aspect counts whole, and it counts least at the last unjudged rank.
    """
    n = g.least.shape[-1]
    D = np.concatenate([discount.first(n), [0.0]])
    least = D[np.minimum(np.where(np.isinf(c.last), n + 1, c.last), n + 1).astype(np.int64) - 1]
    return np.where(g.maybe, g.bottom * least[:, None], low)


def expected_utility(c: Completions, parts: Parts, cutoff: int | None, weight: Floats | None = None) -> Pair:
    """Bounds of Σ_i D(i) [Σ_t w_t g(i,t) N(i,t) - e]; exact for binary gains.

    The weights are those of the aspects with anything relevant, or `weight` (N, A).
    """
    g = c.gains(parts.gain, cutoff)
    low, high = utilities(g, parts)
    if weight is not None:
        bounds = expected(low, weight), expected(high, weight)
    else:
        low = once_alive(c, g, low, parts.discount)
        bounds = over_aspects(low, high, weights(c, parts.weighted), g.live, g.maybe)
    effort = parts.effort * over_ranks(c.hits.top(cutoff), parts.discount) if parts.effort else 0.0
    return bounds[0] - effort, bounds[1] - effort


def over_own_ideals(c: Completions, parts: Parts, cutoff: int | None) -> Pair:
    """Bounds of Σ_t w_t u_t / u*_t, u*_t of the documents by gain, which is the best order for an aspect
    alone: the j-th document on it has at most the weight D(j) N(j), and this falls with j."""
    g = c.gains(parts.gain, cutoff)
    low, high = utilities(g, parts)
    least, most = own_ideals(g, parts, cutoff)
    high = quotient(low, high, least, most)[1]
    low = ratio(once_alive(c, g, low, parts.discount), most)
    return over_aspects(low, high, weights(c, parts.weighted), g.live, g.maybe)


def own_ideals(g: Gains, parts: Parts, cutoff: int | None) -> Pair:
    """(N, A) bounds of the best utility for each aspect alone"""
    ideals = g.ideal_least[g.topic][:, :, :cutoff], g.ideal(g.top, g.count, cutoff, most=True)
    left = parts.novelty if is_rising(parts) else decay(_taken(parts.novelty))
    least, most = (discounted(x * left(x), parts.discount) for x in ideals)
    return least, most


def over_best_ranking(c: Completions, parts: Parts, cutoff: int | None, ideal: str, nodes: int) -> Pair:
    """Bounds of the utility over that of the greedy or of the best ranking.

    Weights divide both alike, so whether they are made to sum to 1 over the aspects that are alive does not
    matter.

    The best ranking is at least as good as the best one of judged documents, which stay in the pool. It is at
    most as good as the sum of all aspects' own best rankings; and at most as good as the best one of the
    judged documents plus that of the new ones, because either kind of documents gains by leaving out the
    other.

    A greedy ranking of an order-independent, submodular worth (binary gains or a cascade) has, after m
    documents, at least the share ρ(m) = 1 - (1 - 1/m)^m of what m documents can have (Nemhauser, Wolsey and
    Fisher 1978). With Σ_i D(i) G_i = Σ_m (D(m) - D(m+1)) Σ_{i≤m} G_i the same follows for the discounted sum.
    So a score is at most 1/ρ(k). Of other graded gains we use that the first document is the best single one,
    and that no document of a ranking gains more than that.

    A grade of (2^g - 1) / 2^gmax shrinks by the same factor for a whole aspect when gmax rises; then the best
    ranking shrinks by no more than the smallest factor.
    """
    hits, pool, topic = c.hits, c.hits.pool, c.hits.topic
    g = c.gains(parts.gain, cutoff)
    weight = weights(c, parts.weighted)
    low, high = (expected(u, weight) for u in utilities(g, parts))
    scale = np.where(g.live, weight, 0.0).sum(-1)  # the ideal has weights that sum to 1
    kept = np.ones(len(topic))
    if not g.is_sure:
        peak = np.maximum(pool.highest, c.level.max(-1, initial=0.0))
        kept = np.where(g.live, np.exp2(pool.highest - peak)[topic], 1.0).min(-1, initial=1.0)
    relaxed = expected(own_ideals(g, parts, cutoff)[1], weight)
    if ideal == "exact":
        least, most = (x[topic] * scale for x in exact_utility(pool, parts, cutoff, nodes))
        cap: float | Floats = 1.0
    else:
        gains = best_gains(pool, parts)[:, :cutoff]
        steps = gains.shape[-1]
        after = np.cumsum(gains, axis=-1)[topic] * scale[:, None]
        D = parts.discount.first(steps)
        drop = D - np.append(D[1:], 0.0)
        rho = _greedy_share(parts, steps)
        if steps:
            least = (drop * np.maximum.accumulate(rho * after, axis=-1)).sum(-1)
            most = (drop * ratio(after, rho + np.zeros_like(after))).sum(-1) if is_rising(parts) else relaxed
        else:
            least = most = np.zeros(len(topic))
        if is_rising(parts):
            longest = pool.grade.shape[-1] + g.count
            longest = np.maximum(1, longest if cutoff is None else np.minimum(longest, cutoff))
            cap = 1 / _greedy_share(parts, int(longest.max(initial=1)))[longest - 1]
        else:
            cap = over_ranks(hits.top(cutoff), parts.discount) / parts.discount.first(1)[0]
    added = np.broadcast_to(g.top[:, :, None], (*g.top.shape, _width(g, cutoff)))
    added = np.where(np.arange(added.shape[-1]) < g.count[:, None, None], added, 0.0)
    left = parts.novelty if is_rising(parts) else decay(_taken(parts.novelty))
    of_new = expected(discounted(added * left(added), parts.discount), weight)
    return quotient(low, high, least * kept, np.minimum(relaxed, most + of_new), cap)


def _width(g: Gains, cutoff: int | None) -> int:
    width = int(g.count.max(initial=0))
    return width if cutoff is None else min(width, cutoff)


def _greedy_share(parts: Parts, steps: int) -> Floats:
    """ρ(1), ρ(2), …: what a greedy ranking has at least of the best, after so many documents; 0 if not
    known"""
    m = np.arange(1, steps + 1)
    if parts.novelty == NO_NOVELTY or parts.novelty == decay(0.0):
        return np.ones(steps)  # greedy is best
    if is_rising(parts):
        return np.asarray(1 - (1 - 1 / m) ** m)
    return np.asarray(m == 1, dtype=np.float64)


# ── aspects reached ──────────────────────────────────────────────────────────────────────────────


def needed(m: Longs, level: float) -> Longs:
    """⌈level · m⌉, at least one of them if there is any"""
    return np.asarray(np.maximum(np.ceil(level * m - 1e-9), np.minimum(m, 1)), dtype=np.int64)


def reached(c: Completions, rel: float, level: float) -> Iterator[tuple[int, Bools, Longs, Floats, Floats]]:
    """For each number of aspects that come alive: whether so many can, how many aspects are then needed, and
    the rank at which they are reached, at least and at most; inf if never.

    At best, every aspect is reached at the first unjudged rank; at worst, those that come alive are reached
    at the last one.
    """
    g = c.gains(binary(rel), None)
    ranks = np.arange(1, g.least.shape[-1] + 1)
    first = np.where(g.least > 0, ranks, np.inf).min(-1, initial=np.inf)
    first = np.where(g.live, first, np.inf)
    soonest = np.where(g.live & (g.top > 0), np.minimum(first, c.first[:, None]), first)
    live, maybe = g.live.sum(-1), g.maybe.sum(-1)
    for n in range(int(maybe.max(initial=0)) + 1):
        need = needed(live + n, level)
        ends = []
        for of_live, of_new in ((soonest, c.first), (first, c.last)):
            new = np.broadcast_to(of_new[:, None], (len(of_new), n))
            in_order = np.sort(np.concatenate([of_live, new], axis=-1), axis=-1)
            if not in_order.shape[-1]:
                ends.append(np.full(len(need), np.inf))
                continue
            rank = np.take_along_axis(in_order, np.maximum(need - 1, 0)[:, None], -1)[:, 0]
            ends.append(np.where(need == 0, np.inf, rank))
        yield n, n <= maybe, need, ends[0], ends[1]


def subtopic_reciprocal_rank(c: Completions, level: float, rel: float) -> Pair:
    """Bounds of 1 / the rank of `reached`, over the number of aspects that come alive; exact."""
    low, high = np.full(len(c.count), np.inf), np.zeros(len(c.count))
    for _, possible, _, soon, late in reached(c, rel, level):
        low = np.where(possible, np.minimum(low, 1 / late), low)
        high = np.where(possible, np.maximum(high, 1 / soon), high)
    return low, high


def subtopic_precision(c: Completions, level: float, rel: float, a: float, b: float) -> Pair:
    """Bounds of the cost of the cheapest cover over that of the ranking, down to where the aspects are
    reached.

    The ranking's documents down to there are a cover, so 1 is a bound. A cover of n aspects costs a·n + b at
    least, as a single document. While no aspect comes alive, new documents only make the cheapest cover of
    the judged ones cheaper. The ranking costs b for each document, a for each of their judged aspects, and at
    most a for every aspect of every unjudged document."""
    hits = c.hits
    g = c.gains(binary(rel), None)
    judged = np.ascontiguousarray((hits.pool.grade >= rel).astype(np.float64))
    m = judged.any(-1).sum(-1)
    cover = np.where(m > 0, minimal_cover(judged, needed(m, level).astype(np.int32), a, b), 0.0)[hits.topic]
    zero = np.zeros((len(hits.length), 1))
    of_judged = np.concatenate([zero, np.cumsum(g.least.sum(1), axis=-1)], axis=-1)
    of_free = np.concatenate([zero, np.cumsum(g.free, axis=-1)], axis=-1) * (g.top > 0).sum(-1)[:, None]

    def share(cover: npt.ArrayLike, rank: Floats, open_too: bool) -> Floats:
        """cover / cost, 0 if the aspects are never reached"""
        place = np.where(np.isinf(rank), 0, rank).astype(np.int64)
        aspects = np.take_along_axis(of_judged + of_free * open_too, place[:, None], -1)[:, 0]
        return ratio(np.where(np.isinf(rank), 0.0, cover), a * aspects + b * place)

    low, high = np.full(len(c.count), np.inf), np.zeros(len(c.count))
    for n, possible, need, soon, late in reached(c, rel, level):
        at_least = share(a * need + b, late, open_too=True)
        # Without a price on aspects a cover of n documents for n aspects is known.
        best = cover if n == 0 else b * need if a == 0 else np.inf
        at_most = np.minimum(share(best, soon, open_too=False), 1.0)
        low = np.where(possible, np.minimum(low, at_least), low)
        high = np.where(possible, np.maximum(high, at_most), high)
    return low, high


def precision_at_recall(c: Completions, rel: float) -> Pair:
    """Bounds of the share of documents that bring something new, down to where all aspects are reached.

    With something relevant in the list, the first such document counts whole, of as many documents as the
    list has, or as are needed if all aspects are reached for certain. No more documents bring something new
    than there are aspects; and all are needed down to the first rank at which all aspects can be reached."""
    g = c.gains(binary(rel), None)
    length = c.hits.length.astype(np.float64)
    low, high = np.full(len(length), np.inf), np.zeros(len(length))
    something = (g.least > 0).any((-1, -2))
    for n, possible, _, soon, late in reached(c, rel, 1.0):
        at_least = ratio(np.where(something, 1.0, 0.0), np.where(np.isinf(late), length, late))
        aspects = g.live.sum(-1) + float(n)
        at_most = np.minimum(1.0, ratio(aspects, np.where(np.isinf(soon), length, soon)))
        low = np.where(possible, np.minimum(low, at_least), low)
        high = np.where(possible, np.maximum(high, at_most), high)
    return low, high


# ── the cube test ────────────────────────────────────────────────────────────────────────────────


def cube_test(c: Completions, gain: Gain, alpha: float, saturation: float, cutoff: int | None) -> Pair:
    """Bounds of CT as the paper has it: a document has at least its least gain after as many others as
    possible, and at most its largest after as few as possible; an aspect is saturated likewise."""
    g = c.gains(gain, cutoff)

    def before(x: Floats) -> Floats:
        return np.cumsum(x, axis=-1) - x

    free = g.free[:, None, :] & (g.top > 0)[:, :, None]
    crowded = np.where(free, 1.0, g.least)
    # Sums in another order must not make an aspect saturated, or not, by their last bit.
    sooner, later = saturation - 1e-12, saturation + 1e-12
    left = decay(alpha)
    low = discounted(g.least * left(crowded) * (before(g.most) < sooner), RECIPROCAL)
    high = discounted(g.most * left(g.least) * (before(g.least) < later), RECIPROCAL)
    ordered = -np.sort(-g.most, axis=-1)
    high = np.minimum(high, discounted(ordered * left(ordered), RECIPROCAL))
    low = once_alive(c, g, low, RECIPROCAL)
    return over_aspects(low, high, weights(c, True), g.live, g.maybe)


def heights(g: Gains, alpha: float, height: float) -> Pair:
    """(N, A, n) bounds of how far each aspect is filled at each rank, as a share of `height`

    A document adds (1-α)^(c+1) g, with c between the fewest and the most documents above it.
    """
    left = decay(alpha)
    free = g.free[:, None, :] & (g.top > 0)[:, :, None]
    crowded = np.where(free, 1.0, g.least)
    low = np.cumsum((1 - alpha) * left(crowded) * g.least, axis=-1)
    high = np.cumsum((1 - alpha) * left(g.least) * g.most, axis=-1)
    return np.minimum(low, height) / height, np.minimum(high, height) / height


def filled(c: Completions, g: Gains, alpha: float, height: float) -> Pair:
    """(N, n) bounds of the share of the whole cube that is filled at each rank"""
    shares = c.hits.weight
    shares = ratio(shares, shares.sum(-1, keepdims=True))
    low, high = ((x * shares[:, :, None]).sum(1) for x in heights(g, alpha, height))
    return low, high


def at_the_end(c: Completions, g: Gains, alpha: float, height: float) -> Pair:
    """(N,) bounds of the share of the cube that the whole ranking fills

    As the documents on an aspect have the weights (1-α)^1, (1-α)^2, … in the order of ranks, the most they
    can add is what they add in descending order."""
    low, high = (x.max(-1, initial=0.0) for x in filled(c, g, alpha, height))
    shares = c.hits.weight
    shares = ratio(shares, shares.sum(-1, keepdims=True))
    ordered = -np.sort(-g.most, axis=-1)
    best = ((1 - alpha) * decay(alpha)(ordered) * ordered).sum(-1)
    return low, np.minimum(high, expected(np.minimum(best, height) / height, shares))


def cube_test_bound(c: Completions, g: Gains, alpha: float, height: float, depth: Floats) -> Pair:
    """(N,) bounds of Σ_t w_t min(height, Σ_{n≥0} (1-α)^n g*(n,t)) / height, over the depth + 1 highest grades

    It never falls when a grade rises.
    """
    shares = c.hits.weight
    shares = ratio(shares, shares.sum(-1, keepdims=True))
    found = []
    for ideal in (g.ideal_least[g.topic], g.ideal(g.top, g.count, None, most=True)):
        n = np.arange(ideal.shape[-1])
        worth = np.where(n <= depth[:, None, None], ideal, 0.0) * (1 - alpha) ** n
        found.append(expected(np.minimum(worth.sum(-1), height) / height, shares))
    return found[0], found[1]


# ── global gains ─────────────────────────────────────────────────────────────────────────────────


def global_gains(
    c: Completions,
    gain: str,
    digits: int | None,
    cutoff: int | None,
    navigational: bool = False,
    absolute: bool = False,
) -> Gains:
    """What documents gain over all aspects, Σ_t Pr(t) gain(g(d,t)), as one aspect.

    Where a measure only compares gains, the weights need not sum to 1. For `absolute` gains they do, over the
    aspects that are alive: at least those of now, at most those that may be."""
    if digits is not None:
        raise MeasureError(
            "no bounds are known for gains that are rounded in the ranking and not in the ideal; leave out "
            "digits"
        )
    g = c.gains(Gain(gain), cutoff)
    weight = weights(c, True)
    by_topic = c.hits.pool.weight
    least, most, is_sure = g.least, g.most, g.is_sure and not absolute
    if navigational:
        # An intent that wants one document only gives its gain to the first that has any.
        wants_one = c.hits.pool.navigational[c.hits.topic][:, :, None]
        is_sure = is_sure and not wants_one.any()
        free = g.free[:, None, :] & (g.top > 0)[:, :, None]
        crowded = np.where(free, 1.0, least)
        least, most = (
            np.where(wants_one & (seen(crowded) > 0), 0.0, least),
            np.where(wants_one & (seen(g.least) > 0), 0.0, most),
        )
    pools = [Gain(gain)(c.hits.pool.grade, x) for x in (_peak(c), c.hits.pool.highest)]
    ideals = [-np.sort(-(x * by_topic[:, :, None]).sum(1), axis=-1) for x in pools]
    top = (weight * g.top).sum(-1)
    bottom = np.where(weight * g.bottom > 0, weight * g.bottom, np.inf).min(-1, initial=np.inf)
    bottom = np.where(np.isinf(bottom), 0.0, bottom)
    if navigational:
        bottom = np.where(wants_one.any((1, 2)), 0.0, bottom)  # a new document may gain nothing
    known, open_ = np.ones(len(weight)), np.ones(len(weight))
    topics = np.ones(len(by_topic)), np.ones(len(by_topic))
    if absolute:
        live = (pools[1] > 0).any(-1)
        could = live | (c.level.max(-1, initial=0.0) > 0)
        topics = np.where(could, by_topic, 0.0).sum(-1), np.where(live, by_topic, 0.0).sum(-1)
        open_, known = (x[c.hits.topic] for x in topics)
        top = over_aspects(g.top, g.top, weight, g.live, g.maybe)[1]
        bottom = ratio(bottom, open_)
    low = ratio((weight[:, :, None] * least).sum(1), open_[:, None])
    # What is judged counts most with the fewest aspects alive, what is not judged gains `top`.
    judged = np.where(g.free[:, None, :], 0.0, most)
    high = np.where(g.free, top[:, None], ratio((weight[:, :, None] * judged).sum(1), known[:, None]))
    if navigational:
        high = np.where(g.free, (weight[:, :, None] * most).sum(1), high)
    return Gains(
        low[:, None, :],
        high[:, None, :],
        g.free,
        g.count,
        top[:, None],
        bottom[:, None],
        ratio(ideals[0], topics[0][:, None])[:, None, :],
        ratio(ideals[1], topics[1][:, None])[:, None, :],
        g.topic,
        is_sure,
    )


def _peak(c: Completions) -> Floats:
    return np.asarray(np.maximum(c.hits.pool.highest, c.level.max(-1, initial=0.0)))


def satisfaction(g: Gains) -> Gains:
    """The chances to satisfy GG / (GGmax + 1): GGmax is at least that of the judged documents and at most
    also that of the new ones. A new document has no more than x / (x + 1), which grows with its own gain
    x."""
    least = g.ideal_least.max(-1, initial=0.0)[g.topic] + 1  # (N, 1)
    most = np.maximum(g.ideal_most.max(-1, initial=0.0)[g.topic], g.top) + 1
    of_topic = np.zeros((len(g.ideal_least), 1))
    np.maximum.at(of_topic, g.topic, most)
    low_of_topic = g.ideal_least.max(-1, initial=0.0) + 1
    of_topic = np.maximum(of_topic, 1.0)
    top = g.top / (g.top + 1)
    return Gains(
        g.least / most[:, :, None],
        np.where(g.free[:, None, :], top[:, :, None], np.minimum(g.most / least[:, :, None], 1.0)),
        g.free,
        g.count,
        top,
        g.bottom / most,
        g.ideal_least / of_topic[:, :, None],
        np.minimum(g.ideal_most / low_of_topic[:, :, None], 1.0),
        g.topic,
        is_sure=False,
    )


def expected_blended_ratio(g: Gains, beta: float) -> Pair:
    """Bounds of Σ_i BR(i) r_i Π_{j<i} (1 - r_j): each factor is bounded on its own, and the sum is at most
    1."""
    if not g.least.shape[-1]:
        zero = np.zeros(g.top.shape)
        return zero, zero
    r = satisfaction(g)
    least, most = blended_ratios(g, beta)
    low = (least * r.least * CASCADE(r.most)).sum(-1)
    high = np.minimum((most * r.most * CASCADE(r.least)).sum(-1), (r.most * CASCADE(r.most)).sum(-1))
    return low, high


def rank_biased_global(g: Gains, discount: Discount) -> Pair:
    """Bounds of Σ_i D(i) GG_i / GGmax: no document gains more than GGmax, which is at least that of the
    judged documents and at most also that of the new ones."""
    least = g.ideal_least.max(-1, initial=0.0)[g.topic][:, :, None]
    most = np.maximum(g.ideal_most.max(-1, initial=0.0)[g.topic], g.top)[:, :, None]
    free = g.free[:, None, :]
    high = np.where(free, (g.top > 0)[:, :, None], np.minimum(ratio(g.most, least), 1.0))
    return discounted(ratio(g.least, most), discount), discounted(high, discount)
