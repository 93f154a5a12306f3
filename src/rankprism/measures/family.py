"""The family of measures Σ_i D(i) [Σ_t w_t g(i,t) N(i,t) - e]: how they are scored, normalised and declared.

A member is a function from its parameters to `rankprism.measures.parts.Parts`. Everything else is the same
for all members: the cutoff, the ideal rankings, and the bounds of a score if judgments are missing or if the
search for the best ranking ends without a proof.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Annotated, Any

import numpy as np

from rankprism.arrays import Floats
from rankprism.data.hits import Hits
from rankprism.errors import MeasureError
from rankprism.measures import tables
from rankprism.measures.bounds.completions import Completions
from rankprism.measures.bounds.novelty import expected_utility, mean_over_own_ideals, over_best_ranking
from rankprism.measures.bounds.ranges import Pair, probability
from rankprism.measures.ideal import best_utility, exact_utility, sorted_ideal
from rankprism.measures.made_of import MadeOf, of_all_aspects
from rankprism.measures.measure import Bounds, Definition, Measure, register
from rankprism.measures.parameter import (
    CUTOFF,
    JUDGED_ONLY,
    MOST_NODES,
    OneOf,
    Range,
    Role,
    declared,
    parameters_of,
)
from rankprism.measures.parts import (
    CASCADE,
    NO_NOVELTY,
    ONE,
    Gain,
    Parts,
    aspect_weights,
    discounted_sum,
    expected,
    hit_discount,
    hit_gain,
    over_best,
    pool_gain,
    ratio,
    utility,
    utility_per_aspect,
)

Ideal = Annotated[
    str,
    OneOf(("greedy", "exact", "per-aspect")),
    "the ideal ranking to divide by: the greedy one, as in ndeval; the best one, with a proof; or the best "
    "ranking for each aspect alone",
    Role.IDEAL,
]
Nodes = Annotated[
    int, Range(1, MOST_NODES), "how many nodes the search for the best ranking may visit, with ideal='exact'"
]
IDEAL = declared("ideal", Ideal, "greedy")
NODES = declared("nodes", Nodes, 1_000_000)


def novelty(
    *, bounds: str, keeps: str, cite: str, compared: str = "", aliases: str = ""
) -> Callable[[Callable[..., Parts]], Measure]:
    """Turn a function from parameters to `Parts` into a registered measure of the same name.

    bounds : "exact" or "outer", the kind of bounds if judgments are missing.
    """

    def decorate(parts_of: Callable[..., Parts]) -> Measure:
        name = parts_of.__name__

        def function(hits: Hits, cutoff: int | None, **settings: Any) -> Floats:
            return score(hits, parts_of(**settings), cutoff, name)

        def made_of(hits: Hits, cutoff: int | None, **settings: Any) -> MadeOf:
            return of_score(hits, parts_of(**settings), cutoff)

        def completed(c: Completions, cutoff: int | None, **settings: Any) -> Pair:
            return score_bounds(c, parts_of(**settings), cutoff, name)

        update_wrapper(function, parts_of)
        return register(
            Definition(
                name,
                function,
                (*parameters_of(parts_of), JUDGED_ONLY, CUTOFF),
                single=False,
                parts=parts_of,
                made_of=made_of,
                keeps=frozenset(keeps.split()),
                bounds=Bounds(bounds, completed),
                cite=tuple(cite.split()),
                compared=compared,
                aliases=tuple(aliases.split()),
            )
        )

    return decorate


def normalised(of: Measure, *, aliases: str = "") -> Callable[[Callable[[], None]], Measure]:
    """Turn a name and a docstring into the normalised form of a measure, divided by an ideal ranking's score.

    It has the parameters of the measure, and those that choose the ideal ranking.
    """
    base = of.definition
    parts_of = base.parts
    if parts_of is None:
        raise MeasureError(f"{base.name} is not made of parts, so nothing is known of its ideal ranking")

    def function(hits: Hits, cutoff: int | None, ideal: str, nodes: int, **settings: Any) -> Floats:
        return over_ideal(hits, checked(hits, parts_of(**settings), base.name), cutoff, ideal, nodes)

    def made_of(hits: Hits, cutoff: int | None, ideal: str, nodes: int, **settings: Any) -> MadeOf:
        return of_ideal(hits, parts_of(**settings), cutoff, ideal, nodes)

    def interval(hits: Hits, cutoff: int | None, ideal: str, nodes: int, **settings: Any) -> Pair:
        return ideal_interval(hits, checked(hits, parts_of(**settings), base.name), cutoff, ideal, nodes)

    def completed(c: Completions, cutoff: int | None, ideal: str, nodes: int, **settings: Any) -> Pair:
        return ideal_bounds(c, parts_of(**settings), cutoff, ideal, nodes, base.name)

    own = [p for p in base.parameters if p.role not in (Role.JUDGED_ONLY, Role.CUTOFF)]

    def decorate(described: Callable[[], None]) -> Measure:
        update_wrapper(function, described)
        return register(
            Definition(
                described.__name__,
                function,
                (*own, IDEAL, NODES, JUDGED_ONLY, CUTOFF),
                single=False,
                parts=parts_of,
                made_of=made_of,
                keeps=base.keeps,
                interval=interval,
                bounds=Bounds("outer", completed),
                cite=base.cite,
                compared=base.compared,
                aliases=tuple(aliases.split()),
            )
        )

    return decorate


# ── scores ───────────────────────────────────────────────────────────────────────────────────────


def score(hits: Hits, parts: Parts, cutoff: int | None, name: str) -> Floats:
    """(N,) the utility, times the factor or divided by the utility of `everything`"""
    checked(hits, parts, name)
    if parts.over_everything:
        return over_everything(hits, parts, cutoff)
    gained = utility(hits, parts, cutoff)
    return gained if parts.factor is None else over_best(parts.factor * gained, ONE)


def checked(hits: Hits, parts: Parts, name: str) -> Parts:
    """Return the parts, or refuse gains that are not probabilities if the novelty is a cascade."""
    highest = hits.pool.grade.max(initial=0.0)
    gain: Gain = parts.gain
    if parts.novelty == CASCADE and gain.kind == "linear" and highest > 1:
        raise MeasureError(f"{name}: grade {highest:g} is no probability; use gain='probability'")
    if gain.kind == "probability" and gain.max_rel is not None and highest > gain.max_rel:
        raise MeasureError(
            f"{name}: grade {highest:g} is above max_rel={gain.max_rel:g}; set max_rel={highest:g}"
        )
    return parts


def over_ideal(hits: Hits, parts: Parts, cutoff: int | None, ideal: str, nodes: int) -> Floats:
    """(N,) the utility divided by that of the ideal ranking"""
    if ideal == "per-aspect":
        return over_own_ideals(hits, parts, cutoff)
    return over_best(utility(hits, parts, cutoff), _best(hits, parts, cutoff, ideal, nodes)[0][hits.topic])


def ideal_interval(hits: Hits, parts: Parts, cutoff: int | None, ideal: str, nodes: int) -> Pair:
    """Bounds of `over_ideal`, if the utility of the best ranking is known only within bounds."""
    if ideal == "per-aspect":
        own = over_own_ideals(hits, parts, cutoff)
        return own, own
    low, high = _best(hits, parts, cutoff, ideal, nodes)
    gained = utility(hits, parts, cutoff)
    return over_best(gained, high[hits.topic]), over_best(gained, low[hits.topic])


def _best(hits: Hits, parts: Parts, cutoff: int | None, ideal: str, nodes: int) -> tuple[Floats, Floats]:
    """(T,) twice: bounds of the utility of the ideal ranking"""
    if ideal == "exact":
        return exact_utility(hits.pool, parts, cutoff, nodes)
    best = best_utility(hits.pool, parts, cutoff)
    return best, best


def over_own_ideals(hits: Hits, parts: Parts, cutoff: int | None) -> Floats:
    """(N,) Σ_t w_t u_t / u*_t, where u*_t is the utility for t of the ranking that is best for t alone"""
    weight = aspect_weights(hits, parts.gain, parts.weighted)
    best = _own_ideals(hits, parts, cutoff)
    return expected(over_best(utility_per_aspect(hits.top(cutoff), parts), best), weight)


def _own_ideals(hits: Hits, parts: Parts, cutoff: int | None) -> Floats:
    """(N, A) u*_t"""
    g = sorted_ideal(hits.pool, parts.gain, lambda _: pool_gain(hits.pool, parts.gain))[:, :, :cutoff]
    best = discounted_sum(g * parts.novelty(g), parts.discount.first(g.shape[-1]))
    return np.asarray(best[hits.topic])


def over_everything(hits: Hits, parts: Parts, cutoff: int | None) -> Floats:
    """(N,) the utility divided by that of a ranking in which every document serves every aspect"""
    return over_best(utility(hits, parts, cutoff), _whole(hits, parts, cutoff))


def _whole(hits: Hits, parts: Parts, cutoff: int | None) -> Floats:
    """(N,) the utility of `everything`; 0 for a topic without a relevant document"""
    weight = aspect_weights(hits, parts.gain, parts.weighted)
    whole = np.broadcast_to(everything(hits, parts, cutoff)[:, None], weight.shape)
    return expected(whole, weight)


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


# ── what a document's contribution is made of ────────────────────────────────────────────────────


def of_score(hits: Hits, parts: Parts, cutoff: int | None) -> MadeOf:
    """The parts of a contribution to `score`."""
    if parts.over_everything:
        return _of_parts(hits, parts, cutoff, ratio(np.ones(()), _whole(hits, parts, cutoff)[:, None]))
    return _of_parts(
        hits, parts, cutoff, None if parts.factor is None else np.full((len(hits.rank), 1), parts.factor)
    )


def of_ideal(hits: Hits, parts: Parts, cutoff: int | None, ideal: str, nodes: int) -> MadeOf:
    """The parts of a contribution to `over_ideal`."""
    if ideal == "per-aspect":
        best = _own_ideals(hits, parts, cutoff)
    else:
        best = _best(hits, parts, cutoff, ideal, nodes)[0][hits.topic][:, None]
    return _of_parts(hits, parts, cutoff, ratio(np.ones(()), best))


def _of_parts(hits: Hits, parts: Parts, cutoff: int | None, scale: Floats | None) -> MadeOf:
    """Gain, novelty, discount and scale, which is (N, A), or (N, 1) if it is the same for all aspects."""
    hits = hits.top(cutoff)
    g = hit_gain(hits, parts.gain)
    factors = {"gain": g}
    if parts.novelty != NO_NOVELTY:
        factors["novelty"] = parts.novelty(g)
    factors["discount"] = hit_discount(hits, parts.discount)[:, None, :]
    if scale is not None:
        factors["scale"] = scale[:, :, None]
    weight = parts.given_weights(hits)
    weight = aspect_weights(hits, parts.gain, parts.weighted) if weight is None else weight
    return of_all_aspects(factors, weight)


# ── bounds, whatever the judgments that are missing ──────────────────────────────────────────────


def score_bounds(c: Completions, parts: Parts, cutoff: int | None, name: str) -> Pair:
    """Bounds of `score` if judgments are missing."""
    if parts.novelty == CASCADE:
        probability(c, parts.gain, name)
    if parts.over_everything:
        return everything_bounds(c, parts, cutoff)
    low, high = expected_utility(c, parts, cutoff)
    return (low, high) if parts.factor is None else (parts.factor * low, parts.factor * high)


def ideal_bounds(c: Completions, parts: Parts, cutoff: int | None, ideal: str, nodes: int, name: str) -> Pair:
    """Bounds of `over_ideal` if judgments are missing."""
    if parts.novelty == CASCADE:
        probability(c, parts.gain, name)
    if ideal == "per-aspect":
        return mean_over_own_ideals(c, parts, cutoff)
    return over_best_ranking(c, parts, cutoff, ideal, nodes)


def everything_bounds(c: Completions, parts: Parts, cutoff: int | None) -> Pair:
    whole = everything(c.hits, parts, cutoff)
    low, high = expected_utility(c, parts, cutoff)
    return ratio(low, whole), ratio(high, whole)
