"""Bounds of measures of all aspects together that reward novelty, (N,)."""

from __future__ import annotations

import numpy as np

from rankprism.data import Floats
from rankprism.measures import tables
from rankprism.measures.bounds.completions import Completions, Gains
from rankprism.measures.bounds.ranges import Pair, discounted, over_aspects, quotient, raw_weights, rising
from rankprism.measures.ideal import best_gains, exact_utility
from rankprism.measures.parts import (
    CASCADE,
    NO_NOVELTY,
    PRECISION,
    Discount,
    Novelty,
    Parts,
    decay,
    over_ranks,
    ratio,
    total,
    weighted_sum,
)


def is_rising(parts: Parts) -> bool:
    """Whether the utility for an aspect never falls when a gain rises.

    Without novelty, and in a cascade, it never falls: see `rising`. With binary gains, one more document at
    rank i adds D(i) (1-α)^c and lowers the documents further down by the share α. Those are worth at most
    D(i) (1-α)^c Σ_{n≥0} (1-α)^n, and α times this is not more than what was added. With graded gains, a
    document with a small gain can lower a better document below by more than it adds. The precision at the
    ranks of the documents below rises with every document.
    """
    always = (NO_NOVELTY, CASCADE, PRECISION, decay(0.0))
    return parts.gain.kind == "binary" or parts.novelty in always


def _decay(novelty: Novelty) -> Novelty:
    """The same novelty, which sees how many documents are above and not their gains."""
    return decay(1.0 if novelty.kind == "first" else novelty.amount)


def _in_order(parts: Parts) -> Novelty:
    """The novelty of documents in descending order of gains"""
    return parts.novelty if is_rising(parts) else _decay(parts.novelty)


def bounds_per_aspect(g: Gains, parts: Parts) -> Pair:
    """(N, A) bounds of Σ_i D(i) g(i,t) N(i,t)

    If a better document can lower the utility, each document counts at least with its least gain after as
    many others as possible, and at most with its largest gain after as few as possible. Moreover, the j-th
    document on an aspect has at most the weight D(j) (1-α)^(j-1), which falls with j. So the sum is at most
    the sum for the gains in descending order.
    """
    if is_rising(parts):
        return rising(g, lambda x: discounted(x * parts.novelty(x), parts.discount))
    left = _decay(parts.novelty)
    low = discounted(g.least * left(g.crowded), parts.discount)
    high = discounted(g.most * left(g.least), parts.discount)
    ordered = -np.sort(-g.most, axis=-1)
    return low, np.minimum(high, discounted(ordered * left(ordered), parts.discount))


def once_alive(c: Completions, g: Gains, low: Floats, discount: Discount) -> Floats:
    """(N, A) the lower bounds; for an aspect that may have a relevant document, given that it has one

    The first document on the aspect counts in full, and it counts least at the last unjudged rank.
    """
    n = g.least.shape[-1]
    D = np.concatenate([discount.first(n), [0.0]])
    least = D[np.minimum(np.where(np.isinf(c.last), n + 1, c.last), n + 1).astype(np.int64) - 1]
    return np.where(g.maybe, g.bottom * least[:, None], low)


def expected_utility(c: Completions, parts: Parts, cutoff: int | None) -> Pair:
    """Bounds of Σ_i D(i) [Σ_t w_t g(i,t) N(i,t) - e]; exact for binary gains."""
    weight = parts.given_weights(c.hits)
    g = c.gains(parts.gain, cutoff)
    low, high = bounds_per_aspect(g, parts)
    if weight is not None:
        bounds = weighted_sum(low, weight), weighted_sum(high, weight)
    else:
        low = once_alive(c, g, low, parts.discount)
        bounds = over_aspects(low, high, raw_weights(c, parts.weighted), g.live, g.maybe)
    effort = parts.effort * over_ranks(c.hits.top(cutoff), parts.discount) if parts.effort else 0.0
    return bounds[0] - effort, bounds[1] - effort


def own_ideals(g: Gains, parts: Parts, cutoff: int | None) -> Pair:
    """(N, A) bounds of the best utility for each aspect alone"""
    ideals = g.ideal_least[g.topic][:, :, :cutoff], g.ideal(g.top, g.count, cutoff, most=True)
    left = _in_order(parts)
    least, most = (discounted(x * left(x), parts.discount) for x in ideals)
    return least, most


def mean_over_own_ideals(c: Completions, parts: Parts, cutoff: int | None) -> Pair:
    """Bounds of Σ_t w_t u_t / u*_t, where u*_t is the utility of the documents sorted by gain. This is the
    best order for an aspect alone: its j-th document has at most the weight D(j) N(j), which falls with j."""
    g = c.gains(parts.gain, cutoff)
    low, high = bounds_per_aspect(g, parts)
    least, most = own_ideals(g, parts, cutoff)
    high = quotient(low, high, least, most)[1]
    low = ratio(once_alive(c, g, low, parts.discount), most)
    return over_aspects(low, high, raw_weights(c, parts.weighted), g.live, g.maybe)


def over_best_ranking(c: Completions, parts: Parts, cutoff: int | None) -> Pair:
    """Bounds of the utility divided by the utility of the greedy or of the best ranking.

    The sum of the weights divides both, so it does not matter whether they sum to 1 over the aspects that are
    alive.

    The best ranking is at least as good as the best one of judged documents, which stay in the pool. It is at
    most as good as the sum of all aspects' own best rankings; and at most as good as the best one of the
    judged documents plus the best one of the new documents, because either kind gains if the other is left
    out.

    A grade of (2^g - 1) / 2^gmax shrinks by the same factor for a whole aspect when gmax rises; then the best
    ranking shrinks by no more than the smallest factor.
    """
    pool, topic = c.hits.pool, c.hits.topic
    g = c.gains(parts.gain, cutoff)
    weight = raw_weights(c, parts.weighted)
    low, high = (weighted_sum(u, weight) for u in bounds_per_aspect(g, parts))
    scale = total(np.where(g.live, weight, 0.0))  # the ideal has weights that sum to 1
    kept = np.ones(len(topic))
    if not g.is_sure:
        kept = np.where(g.relevant, tables.exp2(pool.highest - c.peak)[topic], 1.0).min(-1, initial=1.0)
    relaxed = weighted_sum(own_ideals(g, parts, cutoff)[1], weight)
    if parts.over == "exact":
        least, most = (x[topic] * scale for x in exact_utility(pool, parts, cutoff))
        cap: float | Floats = 1.0
    else:
        least, most, cap = greedy_ranking(c, g, parts, cutoff, scale)
    width = int(g.count.max(initial=0)) if cutoff is None else min(cutoff, int(g.count.max(initial=0)))
    added = np.where(np.arange(width) < g.count[:, None, None], g.top[:, :, None], 0.0)
    left = _in_order(parts)
    of_new = weighted_sum(discounted(added * left(added), parts.discount), weight)
    return quotient(low, high, least * kept, np.minimum(relaxed, most + of_new), cap)


def greedy_ranking(
    c: Completions, g: Gains, parts: Parts, cutoff: int | None, scale: Floats
) -> tuple[Floats, Floats, Floats]:
    """(N,) three times: a lower bound of the greedy ranking of all completed judgments; an upper bound of the
    best ranking of the judged documents, inf if none is known; and an upper bound of the score. The first two
    are multiplied by `scale`.

    A greedy ranking of an order-independent, submodular worth (binary gains or a cascade) has, after m
    documents, at least the share ρ(m) = 1 - (1 - 1/m)^m of what m documents can have (Nemhauser, Wolsey and
    Fisher 1978). It is best, ρ = 1, without novelty and for one aspect alone. What m documents can have never
    falls when documents are added. With Σ_i D(i) G_i = Σ_m (D(m) - D(m+1)) Σ_{i≤m} G_i the same follows for
    the discounted sum. So a score is at most 1/ρ(k).

    For other graded gains we use only that the first document is the best single one, and that no document of
    a ranking gains more than it does.
    """
    pool, topic = c.hits.pool, c.hits.topic
    gains = best_gains(pool, parts)[:, :cutoff]
    longest = pool.grade.shape[-1] + g.count
    longest = np.maximum(1, longest if cutoff is None else np.minimum(longest, cutoff))
    m = np.arange(1, max(gains.shape[-1], int(longest.max(initial=1))) + 1)
    is_best = (g.live | g.maybe).sum(-1) <= 1
    if parts.novelty in (NO_NOVELTY, decay(0.0)):
        is_best = np.ones_like(is_best)
    share = 1 - tables.unreached(len(m)) if is_rising(parts) else (m == 1).astype(np.float64)
    rho = np.where(is_best[:, None], 1.0, share)

    D = np.append(parts.discount.first(gains.shape[-1]), 0.0)
    drop = D[:-1] - D[1:]
    had = np.cumsum(gains, axis=-1)[topic] * scale[:, None]
    so_far = rho[:, : gains.shape[-1]]
    least = total(drop * np.maximum.accumulate(so_far * had, axis=-1))
    is_known = is_best if not is_rising(parts) else np.ones_like(is_best)
    most = np.where(is_known, total(drop * ratio(had, so_far)), np.inf)
    first = over_ranks(c.hits.top(cutoff), parts.discount) / parts.discount.first(1)[0]
    at_end = np.take_along_axis(rho, longest[:, None] - 1, -1)[:, 0]
    return least, most, np.where(is_known, ratio(np.ones(len(topic)), at_end), first)
