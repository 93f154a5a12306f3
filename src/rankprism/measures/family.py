"""The family of measures Σ_i D(i) [Σ_t w_t g(i,t) N(i,t) - e], and what can be derived from their parts.

A member is told by its `rankprism.measures.parts.Parts`. Everything else is derived:
the score, what each document adds to it, the ideal rankings, and the bounds of a score if judgments are
missing or if the search for the best ranking ends without a proof. A member of one aspect has a score for
each aspect, (N, A); all others have one for each ranking, (N,).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from rankprism._core import sums_over_aspects
from rankprism.data import NOWHERE, Floats, Hits, Ints
from rankprism.errors import MeasureError
from rankprism.measures import tables
from rankprism.measures.bounds.completions import Completions
from rankprism.measures.bounds.novelty import (
    expected_utility,
    is_rising,
    mean_over_own_ideals,
    over_best_ranking,
)
from rankprism.measures.bounds.ranges import Pair, probability
from rankprism.measures.bounds.single import of_one_aspect
from rankprism.measures.form import OfRanking, PerAspect, is_patient
from rankprism.measures.ideal import best_utility, exact_utility, sorted_gains
from rankprism.measures.parts import (
    CASCADE,
    FIRST,
    NO_NOVELTY,
    ONE,
    PRECISION,
    UNIFORM,
    Gain,
    Parts,
    aspect_weights,
    discounted_sum,
    hit_discount,
    hit_gain,
    hit_novelty,
    mean_of,
    over_best,
    ratio,
    relevant,
    utility,
    utility_of,
    utility_per_aspect,
)
from rankprism.measures.terms import MadeOf, of_all_aspects


@dataclass(frozen=True, eq=False)
class Sum(PerAspect):
    """Σ_i D(i) g(i,t) N(i,t) for each aspect t, times a factor or over a divisor, down to a cutoff."""

    parts: Parts = field()
    cutoff: int | None = None
    name: str = ""
    has_steps = is_sum = True

    @property
    def range(self) -> tuple[float, float]:
        parts = self.parts
        most = {"depth": 1.0, "relevant": 1.0, "depth and relevant": 2.0}.get(parts.over, 0.0)
        is_share = parts.gain.kind == "binary" and (parts.factor or 1.0) <= most
        return 0.0, 1.0 if is_share or parts.over == "per-aspect" or _finds_one(parts) else math.inf

    @property
    def is_deep(self) -> bool:
        return self.parts.over not in ("depth", "depth and relevant") and _is_deep(self.parts)

    @property
    def is_exact(self) -> bool:
        """Gains are certain, the sum never falls when a gain rises, and so does its share of the divisor."""
        parts = self.parts
        if parts.over not in ("none", "depth"):
            return parts.gain.kind == "binary" and "relevant" in parts.over
        return parts.gain.kind in ("binary", "linear", "exp") and is_rising(parts)

    def per_aspect(self, hits: Hits) -> Floats:
        return score_per_aspect(hits, checked(hits, self.parts, self.name), self.cutoff)

    def factors(self, hits: Hits) -> Mapping[str, Floats]:
        return factors(hits, self.parts, self.cutoff)

    def bounds(self, completions: Completions) -> Pair:
        _check_probability(completions, self.parts, self.name)
        gains = completions.gains(self.parts.gain, self.cutoff)
        return of_one_aspect(completions, gains, self.parts, self.cutoff)

    def over_orders(self, hits: Hits) -> Floats:
        from rankprism.measures.ties.sums import expected_sums

        parts = checked(hits, self.parts, self.name)
        gained = expected_sums(hits, parts, self.cutoff)
        return _scaled(gained, parts, own_divisor(hits, parts, self.cutoff))

    def worth(self, hits: Hits) -> Floats | None:
        return _single_worth(hits, self.parts)

    # ── what labels do to the score: see `rankprism.judges.effects` ──

    @property
    def divides_by_labels(self) -> bool:
        """Whether the divisor depends on the labels of documents."""
        return self.parts.over not in ("none", "depth")

    @property
    def is_straight(self) -> bool:
        """Whether the sum is a straight line in the gain of each document, if those of all others are fixed,
        and a gain depends on the label of its own document alone."""
        novelty, gain = self.parts.novelty, self.parts.gain
        is_straight = novelty in (NO_NOVELTY, CASCADE) or (novelty == PRECISION and gain.kind == "binary")
        return gain.is_fixed and is_straight and not self.parts.effort

    @property
    def is_multilinear(self) -> bool:
        """Whether expected gains give the expected score, if labels are independent."""
        return not self.divides_by_labels and self.parts.novelty != PRECISION

    @property
    def is_linear(self) -> bool:
        """Whether the score is Σ w_i g_i, where the weights w_i do not depend on labels."""
        return not self.divides_by_labels and self.parts.novelty == NO_NOVELTY

    @property
    def is_curved(self) -> bool:
        """Whether an estimate needs good predictions. nDCG, and a cascade that is not divided, do not."""
        if self.parts.novelty == NO_NOVELTY:
            return self.divides_by_labels and self.parts.over != "per-aspect"
        return self.parts.novelty != CASCADE or self.divides_by_labels

    def divisor(self, hits: Hits) -> Floats | None:
        """(N, A) what the sum is divided by"""
        return own_divisor(hits, self.parts, self.cutoff)

    def _weights(self, rank: Ints) -> Floats:
        """D(i) times the factor; 0 where there is no document"""
        discount = np.where(rank != NOWHERE, self.parts.discount(rank), 0.0)
        return discount if self.parts.factor is None else self.parts.factor * discount

    def slopes(self, rank: Ints, gain: Floats) -> Pair:
        """(draw, run) the sum before it is divided, and (draw, run, place) its slope in each document's gain

        rank, gain : (run, place) and (draw, run, place), from the top; NOWHERE and 0 where there is no
            document.
        """
        discount, novelty = self._weights(rank), self.parts.novelty
        if novelty == NO_NOVELTY:
            return (discount * gain).sum(2), np.broadcast_to(discount, gain.shape)
        if novelty == PRECISION:
            before = np.cumsum(gain, axis=2) - gain
            later = discount / rank
            tail = np.cumsum((later * gain)[:, :, ::-1], axis=2)[:, :, ::-1] - later * gain
            return (later * gain * (before + 1)).sum(2), later * (before + 1) + tail
        # Cascade: Σ_i D(i) g_i Π_{j<i} (1 - g_j). What follows a document counts 1 - g as much.
        left = novelty(gain)
        after = np.zeros_like(gain)
        for i in range(gain.shape[2] - 2, -1, -1):
            rest = (1 - gain[:, :, i + 1]) * after[:, :, i + 1]
            after[:, :, i] = discount[:, i + 1] * gain[:, :, i + 1] + rest
        return (discount * gain * left).sum(2), left * (discount - after)

    def together(self, rank: Ints, one: Ints, other: Ints) -> Floats:
        """(run, pair of documents) what two relevant documents add to the sum beyond what each adds alone

        A relevant document adds to the precision at every relevant document below it.

        one, other : (run, pair) the places of the two documents, negative if they were not retrieved.
        """
        if self.parts.novelty != PRECISION:
            return np.zeros(one.shape)
        lower = np.take_along_axis(rank, np.maximum(np.maximum(one, other), 0), 1)
        return np.where((one >= 0) & (other >= 0), self._weights(lower) / lower, 0.0)


@dataclass(frozen=True, eq=False)
class NoveltySum(OfRanking):
    """Σ_i D(i) [Σ_t w_t g(i,t) N(i,t) - e], times a factor or over a divisor, down to a cutoff."""

    parts: Parts = field()
    cutoff: int | None = None
    name: str = ""
    #: Whether the divisor may be known only within bounds.
    searches: bool = False
    has_steps = is_sum = True

    @property
    def range(self) -> tuple[float, float]:
        parts = self.parts
        most = 1.0 if _finds_one(parts) and not parts.as_given else math.inf
        return (-math.inf if parts.effort else 0.0), most

    @property
    def is_deep(self) -> bool:
        return _is_deep(self.parts)

    @property
    def is_exact(self) -> bool:
        return self.parts.gain.kind == "binary" and self.parts.over in ("none", "everything")

    def score(self, hits: Hits) -> Floats:
        return score(hits, checked(hits, self.parts, self.name), self.cutoff)

    def made_of(self, hits: Hits) -> MadeOf:
        return of_score(hits, self.parts, self.cutoff)

    def bounds(self, completions: Completions) -> Pair:
        _check_probability(completions, self.parts, self.name)
        return score_bounds(completions, self.parts, self.cutoff)

    def interval(self, hits: Hits) -> Pair:
        return score_interval(hits, checked(hits, self.parts, self.name), self.cutoff)

    def over_orders(self, hits: Hits) -> Floats:
        from rankprism.measures.ties.sums import expected_sums

        parts = checked(hits, self.parts, self.name)
        return score_of(hits, expected_sums(hits, parts, self.cutoff), parts, self.cutoff)

    def worth(self, hits: Hits) -> Floats | None:
        parts = self.parts
        if parts.novelty != NO_NOVELTY:
            return _single_worth(hits, parts)
        weight = parts.given_weights(hits)
        weight = aspect_weights(hits, parts.gain, parts.weighted) if weight is None else weight
        return sums_over_aspects(linear_worth(hits, parts, self.cutoff), weight)[:, None, :]


def _finds_one(parts: Parts) -> bool:
    """Whether the sum is the discount of the first relevant document."""
    is_plain = parts.over == "none" and parts.factor is None
    return is_plain and parts.novelty == FIRST and parts.gain.kind == "binary"


def _is_deep(parts: Parts) -> bool:
    """Whether ranks below `DEEPEST` have a large share of the weight together."""
    kind, novelty = parts.discount.kind, parts.novelty
    if kind == "geometric":
        return is_patient(parts.discount.p)
    # Σ 1/i has no limit, unless each document on an aspect lowers what those below it are worth.
    return kind != "reciprocal" or (novelty.kind not in ("first", "cascade") and novelty.amount == 0)


def _single_worth(hits: Hits, parts: Parts) -> Floats | None:
    g = hit_gain(hits, parts.gain)
    # In a cascade of gains that are not probabilities, the best document may ruin those below.
    return None if parts.novelty == CASCADE and g.max(initial=0.0) > 1 else g


def _check_probability(c: Completions, parts: Parts, name: str) -> None:
    if parts.novelty == CASCADE:
        probability(c, parts.gain, name)


def checked(hits: Hits, parts: Parts, name: str) -> Parts:
    """Return the parts, or refuse gains that are not probabilities if the novelty is a cascade."""
    gain: Gain = parts.gain
    if parts.novelty == CASCADE and gain.kind == "linear":
        highest = hits.pool.grade.max(initial=0.0)
        if highest > 1:
            raise MeasureError(f"{name}: grade {highest:g} is not a probability; use gain='probability'")
    if gain.kind == "probability" and gain.max_rel is not None:
        highest = hits.pool.grade.max(initial=0.0)
        if highest > gain.max_rel:
            raise MeasureError(
                f"{name}: grade {highest:g} is above max_rel={gain.max_rel:g}; set max_rel={highest:g}"
            )
    return parts


# ── scores ───────────────────────────────────────────────────────────────────────────────────────


def score_per_aspect(hits: Hits, parts: Parts, cutoff: int | None) -> Floats:
    """(N, A) the score of each aspect on its own"""
    return _scaled(utility_per_aspect(hits.top(cutoff), parts), parts, own_divisor(hits, parts, cutoff))


def score(hits: Hits, parts: Parts, cutoff: int | None) -> Floats:
    """(N,) the score of all aspects together"""
    return score_of(hits, utility_per_aspect(hits.top(cutoff), parts), parts, cutoff)


def score_of(hits: Hits, gained: Floats, parts: Parts, cutoff: int | None) -> Floats:
    """(N,) the score of all aspects together, from the sum of each (N, A)"""
    if parts.over == "per-aspect":
        weight = aspect_weights(hits, parts.gain, parts.weighted)
        return mean_of(_scaled(gained, parts, own_divisor(hits, parts, cutoff)), weight)
    return _scaled(utility_of(hits.top(cutoff), gained, parts), parts, _divisors(hits, parts, cutoff)[0])


def linear_worth(hits: Hits, parts: Parts, cutoff: int | None) -> Floats:
    """(N, A, H) what each document adds to the score of each aspect, apart from its discount and novelty"""
    g = hit_gain(hits, parts.gain)
    own = parts.over not in ("greedy", "exact", "everything")  # these divide the sum over all aspects
    divisor = own_divisor(hits, parts, cutoff) if own else None
    return g if divisor is None else ratio(g, divisor[:, :, None])


def score_interval(hits: Hits, parts: Parts, cutoff: int | None) -> Pair:
    """Bounds of `score`, if the utility of the best ranking is known only within bounds."""
    if parts.over == "per-aspect":
        own = score(hits, parts, cutoff)
        return own, own
    least, most = _divisors(hits, parts, cutoff)
    gained = utility(hits, parts, cutoff)
    return _scaled(gained, parts, most), _scaled(gained, parts, least)


def _scaled(gained: Floats, parts: Parts, divisor: Floats | None) -> Floats:
    """Utilities times the factor of the parts and over a divisor"""
    if parts.factor is not None:
        gained = parts.factor * gained
    if divisor is None:
        return gained if parts.factor is None else over_best(gained, ONE)
    return over_best(gained, divisor)


def own_divisor(hits: Hits, parts: Parts, cutoff: int | None) -> Floats | None:
    """(N, A) the divisor of the sum of each aspect"""
    if parts.over == "per-aspect":
        return best_of_one(hits, parts, cutoff)
    if parts.over == "none":
        return None
    k = hits.depth(cutoff)[:, None]
    if parts.over == "depth":
        return k
    R = relevant(hits.pool, parts.gain)[hits.topic]
    return {"relevant": R, "depth and relevant": k + R}[parts.over]


def best_of_one(hits: Hits, parts: Parts, cutoff: int | None) -> Floats:
    """(N, A) the sum for the ranking that is best for each aspect alone"""
    g = sorted_gains(hits.pool, parts.gain)[:, :, :cutoff]
    best = discounted_sum(g * parts.novelty(g), parts.discount.first(g.shape[-1]))
    return np.asarray(best[hits.topic])


def _divisors(hits: Hits, parts: Parts, cutoff: int | None) -> tuple[Floats, Floats] | tuple[None, None]:
    """(N,) twice: bounds of the divisor of the sum over all aspects"""
    if parts.over == "none":
        return None, None
    if parts.over == "exact":
        low, high = exact_utility(hits.pool, parts, cutoff)
        return low[hits.topic], high[hits.topic]
    if parts.over == "greedy":
        best = best_utility(hits.pool, parts, cutoff)[hits.topic]
    else:
        weight = aspect_weights(hits, parts.gain, parts.weighted)
        best = mean_of(np.broadcast_to(everything(hits, parts, cutoff)[:, None], weight.shape), weight)
    return best, best


def everything(hits: Hits, parts: Parts, cutoff: int | None) -> Floats:
    """(N,) the utility of a ranking in which every document serves every aspect"""
    depth = hits.depth(cutoff).astype(np.int64)
    sums = _everything(parts, int(np.minimum(depth, tables.DIRECT).max(initial=0)))
    whole = np.asarray(sums[np.minimum(depth, len(sums) - 1)])
    for deeper in sorted(set(depth[depth > tables.DIRECT].tolist())):  # np.unique would load masked arrays
        from rankprism.measures.series import sum_beyond

        discount = parts.discount
        whole[depth == deeper] += sum_beyond(discount.kind, discount.p, parts.novelty.amount, deeper)
    return whole


def _everything(parts: Parts, longest: int) -> Floats:
    """Σ_{i≤k} (1-α)^(i-1) D(i) for k = 0, 1, …, `longest`, or until it no longer grows

    The terms never rise, so once a term is too small to change the sum, all later terms are too.
    """
    n = min(longest, 1024)
    while True:
        left = tables.powers_of_rest(n, parts.novelty.amount)
        sums = np.concatenate(([0.0], np.cumsum(left * parts.discount.first(n))))
        if n >= longest or sums[-1] == sums[-2]:
            return sums
        n = min(2 * n, longest)


# ── explanations ─────────────────────────────────────────────────────────────────────────────────


def factors(hits: Hits, parts: Parts, cutoff: int | None) -> dict[str, Floats]:
    """The factors of what each document adds to `score_per_aspect`, by name."""
    top = hits.top(cutoff)
    is_cascade = parts.novelty == CASCADE
    found = {"stop" if is_cascade else "gain": hit_gain(top, parts.gain)}
    if parts.novelty != NO_NOVELTY:
        name = "reach" if is_cascade else "precision" if parts.novelty == PRECISION else "novelty"
        found[name] = hit_novelty(top, parts)
    if parts.discount != UNIFORM:
        found["discount"] = hit_discount(top, parts.discount)[:, None, :]
    return found | _scale(hits, parts, own_divisor(hits, parts, cutoff))


def of_score(hits: Hits, parts: Parts, cutoff: int | None) -> MadeOf:
    """The parts of what each document adds to `score`."""
    together = {"stop": "gain", "reach": "novelty"}  # several aspects have no single chance
    own = factors(hits, parts._replace(over="none", factor=None), cutoff)
    if parts.over == "per-aspect":
        divisor = own_divisor(hits, parts, cutoff)
    else:
        whole = _divisors(hits, parts, cutoff)[0]
        divisor = None if whole is None else whole[:, None]
    weight = parts.given_weights(hits)
    weight = aspect_weights(hits, parts.gain, parts.weighted) if weight is None else weight
    named = {together.get(name, name): value for name, value in own.items()}
    return of_all_aspects(named | _scale(hits, parts, divisor), weight)


def _scale(hits: Hits, parts: Parts, divisor: Floats | None) -> dict[str, Floats]:
    """The factor of the parts, divided by the divisor (N, A) or (N, 1), if there is either."""
    if divisor is None and parts.factor is None:
        return {}
    factor = np.full((len(hits.rank), 1), 1.0 if parts.factor is None else parts.factor)
    return {"scale": (factor if divisor is None else ratio(factor, divisor))[:, :, None]}


# ── bounds if judgments are missing ──────────────────────────────────────────────────────────────


def score_bounds(c: Completions, parts: Parts, cutoff: int | None) -> Pair:
    """Bounds of `score` if judgments are missing."""
    if parts.over == "per-aspect":
        return mean_over_own_ideals(c, parts, cutoff)
    if parts.over in ("greedy", "exact"):
        return over_best_ranking(c, parts, cutoff)
    low, high = expected_utility(c, parts, cutoff)
    if parts.over == "everything":
        whole = everything(c.hits, parts, cutoff)
        return ratio(low, whole), ratio(high, whole)
    return (low, high) if parts.factor is None else (parts.factor * low, parts.factor * high)
