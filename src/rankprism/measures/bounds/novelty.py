"""Bounds of measures that look at all aspects at once and pay less for what has been seen, (N,)."""

from __future__ import annotations

import numpy as np

from rankprism.data.hits import Floats
from rankprism.measures.bounds.completions import Completions, Gains
from rankprism.measures.bounds.ranges import Pair, discounted, over_aspects, quotient, rising, weights
from rankprism.measures.ideal import best_gains, exact_utility
from rankprism.measures.parts import (
    CASCADE,
    NO_NOVELTY,
    Discount,
    Novelty,
    Parts,
    decay,
    expected,
    over_ranks,
    ratio,
)


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


def own_ideals(g: Gains, parts: Parts, cutoff: int | None) -> Pair:
    """(N, A) bounds of the best utility for each aspect alone"""
    ideals = g.ideal_least[g.topic][:, :, :cutoff], g.ideal(g.top, g.count, cutoff, most=True)
    left = parts.novelty if is_rising(parts) else decay(_taken(parts.novelty))
    least, most = (discounted(x * left(x), parts.discount) for x in ideals)
    return least, most


def mean_over_own_ideals(c: Completions, parts: Parts, cutoff: int | None) -> Pair:
    """Bounds of Σ_t w_t u_t / u*_t, u*_t of the documents by gain, which is the best order for an aspect
    alone: the j-th document on it has at most the weight D(j) N(j), and this falls with j."""
    g = c.gains(parts.gain, cutoff)
    low, high = utilities(g, parts)
    least, most = own_ideals(g, parts, cutoff)
    high = quotient(low, high, least, most)[1]
    low = ratio(once_alive(c, g, low, parts.discount), most)
    return over_aspects(low, high, weights(c, parts.weighted), g.live, g.maybe)


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
