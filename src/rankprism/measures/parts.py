"""The parts that measures are made of: gain, discount, novelty, effort, aspect weights.

Arrays are (ranking, aspect, document), see `rankprism.data.hits`; i is the rank of a document.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np

from rankprism._core import counts_before, highest, sums_of_products
from rankprism.data import NOWHERE
from rankprism.errors import MeasureError
from rankprism.measures import tables
from rankprism.measures.parameter import OneOf, Range, Role

if TYPE_CHECKING:
    from rankprism.data import Floats, Hits, Ints, Pool

GAINS = ("binary", "linear", "exp", "probability")
#: The types of parameters that several measures share: see `rankprism.measures.parameter`.
Rel = Annotated[float, Range(0, above_low=True), "the lowest grade that counts as relevant", Role.THRESHOLD]
Alpha = Annotated[float, Range(0, 1), "the share by which each document on an aspect lowers its worth"]
Weighted = Annotated[bool, "use the given aspect weights"]
GainRule = Annotated[
    str,
    OneOf(GAINS),
    "the gain of a grade: 1 for every grade of at least rel; the grade itself; 2^g - 1; or (2^g - 1) / "
    "2^gmax, where gmax is the topic's highest grade on the aspect",
    Role.GAIN,
]
Patience = Annotated[
    float, Range(0, 1, above_low=True), "the probability of going on from one document to the next"
]
#: The same for measures with the factor 1 - p, where p must be below 1.
Persistence = Annotated[
    float,
    Range(0, 1, above_low=True, below_high=True),
    "the probability of going on from one document to the next",
]
Effort = Annotated[float, Range(0), "the effort of reading a document"]


# ── gain ─────────────────────────────────────────────────────────────────────────────────────────


class Gain(NamedTuple):
    """The gain of a grade."""

    kind: str
    rel: float = 1.0
    max_rel: float | None = None  # the highest grade of the scale; None: the topic's highest on the aspect
    named: tuple[tuple[float, float], ...] = ()  # grades, and the grades that replace them

    @property
    def is_fixed(self) -> bool:
        """Whether the gain of a document depends on its own grade alone, and not on those of others."""
        return self.kind in ("binary", "linear", "exp") or self.max_rel is not None

    def __call__(self, grade: Floats, highest: Floats) -> Floats:
        """The gains of grades (.., A, ..), where `highest` (.., A) is the highest grade on each aspect."""
        if self.named:
            is_named = [grade == g for g, _ in self.named]
            grade = np.maximum(np.select(is_named, [np.full_like(grade, x) for _, x in self.named], grade), 0)
        if self.kind == "binary":  # [g ≥ rel]
            return (grade >= self.rel).astype(np.float64)
        if self.kind == "linear":  # g
            return grade
        if self.kind == "share":  # g / gmax
            return ratio(grade, highest[:, :, None])
        if self.kind == "chance":  # g / (gmax + 1)
            return grade / (highest[:, :, None] + 1)
        if self.kind == "exp":  # 2^g - 1
            check_exponent(grade)
            return tables.exp2(grade) - 1
        check_exponent(grade, highest)  # probability: (2^g - 1) / 2^gmax
        top = tables.exp2(highest)[:, :, None] if self.max_rel is None else tables.exp2_of(self.max_rel)
        return (tables.exp2(grade) - 1) / top


#: The largest grade g for which 2^g is computed. A sum of a million such gains is still finite.
MOST_EXPONENT = 1000


def check_exponent(*grades: Floats) -> None:
    """Refuse grades g for which 2^g is not a finite number."""
    highest = max(float(grade.max(initial=0.0)) for grade in grades)
    if highest > MOST_EXPONENT:
        raise MeasureError(
            f"grade {highest:g} is above {MOST_EXPONENT}, and 2^{highest:g} is not a finite number; use "
            f"gain='linear' or 'binary' (dcg='log2'), or judge on a smaller scale"
        )


#: With this threshold, a document is relevant if it has any grade above 0: the smallest number above 0.
ANY = 5e-324


def binary(rel: float) -> Gain:
    return Gain("binary", rel)


def pool_gain(pool: Pool, gain: Gain) -> Floats:
    """(T, A, D) the gain of each relevant document of a topic on each aspect."""
    return pool.once(gain, lambda: gain(pool.grade, pool.highest))


def hit_gain(hits: Hits, gain: Gain) -> Floats:
    """(N, A, H) the gain of each retrieved document on each aspect."""
    return hits.once(gain, lambda: gain(hits.grade, hits.pool.highest[hits.topic]))


# ── discount ─────────────────────────────────────────────────────────────────────────────────────


class Discount(NamedTuple):
    """How much the document at rank i counts."""

    kind: str
    p: float = 0.0

    def __call__(self, i: Ints) -> Floats:
        """D(i); an arbitrary number if there is no document"""
        table = self.first(max(1, int(i.max(initial=1, where=i != NOWHERE))))
        return np.asarray(table[np.minimum(i, len(table)) - 1])

    def first(self, n: int) -> Floats:
        """D(1), …, D(n), each the double nearest to the exact number"""
        if self.kind == "logarithmic":  # 1 / log2(i + 1)
            return tables.reciprocal_log2(n)
        if self.kind == "reciprocal":  # 1 / i
            return np.asarray(1.0 / np.arange(1, n + 1))
        if self.kind == "geometric":  # p^(i-1)
            return tables.powers(n, self.p)
        if self.kind == "slow":  # 1 / (1 + log_p i)
            return tables.slow_discount(n, self.p)
        if self.kind == "late":  # 1 before rank p, and 1 / log_p i from there on
            return tables.late_discount(n, self.p)
        return np.ones(n)  # uniform


def hit_discount(hits: Hits, discount: Discount) -> Floats:
    """(N, H) D(i) at the rank of each retrieved document."""
    return hits.once(discount, lambda: discount(hits.rank))


LOGARITHMIC = Discount("logarithmic")
RECIPROCAL = Discount("reciprocal")
UNIFORM = Discount("uniform")


def late(base: float) -> Discount:
    return Discount("late", base)


def geometric(p: float) -> Discount:
    return Discount("geometric", p)


# ── novelty ──────────────────────────────────────────────────────────────────────────────────────


class Novelty(NamedTuple):
    """The share of an aspect's worth that is left at rank i, given the documents above.

    It depends on which documents are above, but not on their order.
    """

    kind: str
    amount: float = 0.0

    def __call__(self, g: Floats, count: Ints | None = None, rank: Ints | None = None) -> Floats:
        """N(i, t) for gains g(i, t)

        count : the result of `seen`, if it is known already.
        rank : the ranks of the documents. Default: 1, 2, 3, …
        """
        if self.kind == "decay":  # (1 - α)^(documents on t above i)
            # There are few different counts, so looking powers up in a table is ten times faster.
            count = seen(g) if count is None else count
            return tables.powers_of_rest(int(count.max(initial=0)) + 1, self.amount)[count]
        if self.kind == "cascade":  # Π_{j<i} (1 - g_j)
            left = np.ones_like(g)
            np.cumprod(1 - g[..., :-1], axis=-1, out=left[..., 1:])
            return left
        if self.kind == "first":  # nothing above
            return np.where(seen(g) == 0, 1.0, 0.0)
        if self.kind == "precision":  # (documents on t down to i) / i
            count = seen(g) if count is None else count
            return (count + (g > 0)) / (np.arange(1.0, g.shape[-1] + 1) if rank is None else rank)
        return np.ones_like(g)  # none

    def stop(self, g: Floats) -> Floats:
        """The share by which a document of gain g lowers the remaining worth of an aspect."""
        if self.kind == "decay":
            return np.where(g > 0, self.amount, 0.0)
        if self.kind == "cascade":
            return g
        return (g > 0).astype(np.float64) if self.kind == "first" else np.zeros_like(g)


NO_NOVELTY = Novelty("none")
CASCADE = Novelty("cascade")
FIRST = Novelty("first")
#: The precision at rank i: not a share that is left, but a factor that also depends on the documents above.
PRECISION = Novelty("precision")


def decay(alpha: float) -> Novelty:
    return Novelty("decay", alpha)


def gained_above(gain: Floats) -> Floats:
    """The sum of the gains of the documents above."""
    return np.asarray(np.cumsum(gain, axis=-1) - gain)


def seen(gain: Floats) -> Ints:
    """The number of documents above that have a gain on the same aspect."""
    return counts_before(gain)


# ── the whole ────────────────────────────────────────────────────────────────────────────────────


class Parts(NamedTuple):
    """The parts of a measure Σ_i D(i) [Σ_t w_t g(i,t) N(i,t) - e].

    A measure of one aspect is Σ_i D(i) g(i,t) N(i,t) for each aspect t, with neither weights nor effort.
    """

    discount: Discount
    gain: Gain
    novelty: Novelty = NO_NOVELTY
    weighted: bool = True
    effort: float = 0.0
    #: use given weights as they are; by default they sum to 1 over the aspects with a relevant document
    as_given: bool = False
    #: the factor in front of the sum
    factor: float | None = None
    #: What the sum is divided by, if not "none": the same sum for the ranking that is best for each aspect
    #: alone ("per-aspect"); for the "greedy" or the "exact" ideal ranking; for a ranking in which every
    #: document serves every aspect ("everything"); the cutoff, or the length of the ranking if there is none
    #: ("depth"); the number of relevant documents ("relevant"); or both together ("depth and relevant").
    over: str = "none"
    nodes: int = 1_000_000  #: how many nodes the search for the exact ideal may visit

    def given_weights(self, hits: Hits) -> Floats | None:
        """(N, A) the weights as they were given"""
        return hits.weight if self.as_given and hits.pool.weighted else None


def utility(hits: Hits, parts: Parts, cutoff: int | None) -> Floats:
    """(N,) Σ_{i≤k} D(i) [Σ_t w_t g(i,t) N(i,t) - e], without the factor and the divisor

    The two sums are exchanged, so that each aspect is summed on its own.
    """
    top = hits.top(cutoff)
    return utility_of(top, utility_per_aspect(top, parts), parts)


def utility_of(hits: Hits, per_aspect: Floats, parts: Parts) -> Floats:
    """(N,) the utility of rankings that end at the cutoff, from the sum of each aspect (N, A)"""
    weight = parts.given_weights(hits)
    if weight is None:
        gained = mean_of(per_aspect, aspect_weights(hits, parts.gain, parts.weighted))
    else:
        gained = weighted_sum(per_aspect, weight)
    return gained - parts.effort * over_ranks(hits, parts.discount) if parts.effort else gained


def utility_per_aspect(hits: Hits, parts: Parts) -> Floats:
    """(N, A) Σ_i D(i) g(i,t) N(i,t)"""
    return hits.once(
        (parts.gain, parts.novelty, parts.discount),
        lambda: discounted_sum(novel_gain(hits, parts), hit_discount(hits, parts.discount)),
    )


def novel_gain(hits: Hits, parts: Parts) -> Floats:
    """(N, A, H) g·N: the gain of each document times its novelty."""
    if parts.novelty == NO_NOVELTY:
        return hit_gain(hits, parts.gain)
    return hits.once(
        (parts.gain, parts.novelty), lambda: hit_gain(hits, parts.gain) * hit_novelty(hits, parts)
    )


def hit_novelty(hits: Hits, parts: Parts) -> Floats:
    """(N, A, H) the novelty of each retrieved document on each aspect."""
    g = hit_gain(hits, parts.gain)
    if parts.novelty.kind in ("decay", "precision"):  # measures that differ in α count the same documents
        return parts.novelty(g, hit_seen(hits, parts.gain), hits.rank[:, None, :])
    return parts.novelty(g)


def relevant(pool: Pool, gain: Gain) -> Floats:
    """(T, A) R, the number of judged documents that have a gain"""
    return pool.once(("relevant", gain), lambda: (pool_gain(pool, gain) > 0).sum(-1).astype(np.float64))


def hit_seen(hits: Hits, gain: Gain) -> Ints:
    """(N, A, H) the number of documents above in the ranking that have a gain on the same aspect"""
    return hits.once(("seen", gain), lambda: seen(hit_gain(hits, gain)))


def over_ranks(hits: Hits, discount: Discount) -> Floats:
    """(N,) Σ_i D(i) over all documents retrieved"""
    sums = np.concatenate(([0.0], np.cumsum(discount.first(int(hits.length.max(initial=0))))))
    return sums[hits.length]


# ── sums: always from first to last, so that every machine and every batch gets the same bits ───────


def discounted_sum(gain: Floats, discount: Floats) -> Floats:
    """(N, A) Σ_i gain_i · D(i), from gains (N, A, H) and discounts (N, H), or (H,) for all rankings"""
    return sums_of_products(np.ascontiguousarray(gain), np.ascontiguousarray(np.atleast_2d(discount)))


def weighted_sum(score: Floats, weight: Floats) -> Floats:
    """(N,) Σ_t w_t · score_t, from scores and weights (N, A)"""
    return discounted_sum(score[:, None, :], weight)[:, 0]


def total(values: Floats) -> Floats:
    """The sum along the last axis."""
    last = values.shape[-1]
    lines = values.reshape(1, math.prod(values.shape[:-1]), last)
    return discounted_sum(lines, np.ones(last)).reshape(values.shape[:-1])


def mean_of(score: Floats, weight: Floats) -> Floats:
    """(N,) Σ_t w_t · score_t / Σ_t w_t, which is exactly 1 if all scores are"""
    return ratio(weighted_sum(score, weight), total(weight))


# ── weights ──────────────────────────────────────────────────────────────────────────────────────


def shares(hits: Hits) -> Floats:
    """(N, A) weights that sum to 1 over all aspects of the topic, even those without a relevant document."""
    weight = hits.pool.weight
    return hits.pool.once("shares", lambda: ratio(weight, total(weight)[:, None]))[hits.topic]


def aspect_weights(hits: Hits, gain: Gain, weighted: bool) -> Floats:
    """(N, A) weights that sum to 1 over the topic's aspects that count; 0 for the others.

    An aspect counts if a document is relevant to it; with aspects='all' it always counts.
    """
    return live_weights(hits.pool, gain, weighted)[hits.topic]


def live_weights(pool: Pool, gain: Gain, weighted: bool) -> Floats:
    """(T, A): see `aspect_weights`."""

    def weights() -> Floats:
        live = pool.counting(highest(pool_gain(pool, gain)) > 0)
        weight: Floats = live * (pool.weight if weighted else np.ones_like(pool.weight))
        return ratio(weight, total(weight)[:, None])

    return pool.once(("weights", gain, weighted), weights)


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """numerator / denominator, and 0 where the denominator is 0."""
    denominator = np.broadcast_to(denominator, np.broadcast_shapes(numerator.shape, denominator.shape))
    return np.divide(numerator, denominator, out=np.zeros(denominator.shape), where=denominator != 0)


#: The score of an endless ranking of relevant documents, if the discounts sum to 1.
ONE = np.ones(())


def over_best(score: Floats, best: Floats) -> Floats:
    """score / best, where `best` is the score of the ideal ranking; 0 if that is 0

    The ideal is scored in the same way as any ranking, so its result is exactly 1. Another ranking may be as
    good and yet differ slightly, because its sums are added in another order. A result becomes 1 if it
    exceeds 1 by at most 1e-12, or falls short of 1 by rounding alone. A larger excess stays, because a greedy
    ideal is not always the best ranking.
    """
    share = ratio(score, best)
    share[(share >= 1 - 2e-15) & (share <= 1 + 1e-12)] = 1.0
    return share
