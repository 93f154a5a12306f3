"""Measures that look at all aspects at once and pay less for what has been seen.

All have one shape, Σ_i D(i) [Σ_t w_t g(i,t) N(i,t) - e]: see `rankprism.measures.parts.Parts`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rankprism.data.hits import Floats, Hits
from rankprism.errors import MeasureError
from rankprism.measures import tables
from rankprism.measures.bounds.completions import Completions
from rankprism.measures.bounds.novelty import expected_utility, mean_over_own_ideals, over_best_ranking
from rankprism.measures.bounds.ranges import Pair, probability
from rankprism.measures.ideal import best_utility, exact_utility, sorted_ideal
from rankprism.measures.measure import CUTOFF, MOST_NODES, Bounds, Parameter, measure
from rankprism.measures.parts import (
    ALPHA,
    CASCADE,
    GAIN,
    GAINS,
    LOGARITHMIC,
    MOST_EXPONENT,
    ONE,
    RECIPROCAL,
    REL,
    WEIGHTED,
    Discount,
    Gain,
    Parts,
    aspect_weights,
    decay,
    discounted_sum,
    expected,
    geometric,
    over_best,
    pool_gain,
    ratio,
    utility,
    utility_per_aspect,
)
from rankprism.measures.series import DIRECT, sum_beyond

IDEAL = Parameter(
    "ideal",
    "greedy",
    "what to divide by: the greedy ideal ranking, as ndeval; the best ranking there is, certified; or each "
    "aspect's own best ranking",
    str,
    choices=("greedy", "exact", "per-aspect"),
)
NODES = Parameter(
    "nodes",
    1_000_000,
    "how far to search for the best ranking, with ideal='exact'",
    int,
    low=1,
    high=MOST_NODES,
)


def over_ideal(hits: Hits, parts: Parts, cutoff: int | None, ideal: str, nodes: int) -> Floats:
    """(N,) the utility, over that of the ideal ranking"""
    if ideal == "per-aspect":
        return over_own_ideals(hits, parts, cutoff)
    return over_best(utility(hits, parts, cutoff), _best(hits, parts, cutoff, ideal, nodes)[0][hits.topic])


def interval_of(parts_of: Callable[..., Parts]) -> Callable[..., tuple[Floats, Floats]]:
    """What `over_ideal` is at least and at most, the best ranking being known only within bounds."""

    def interval(
        hits: Hits, cutoff: int | None, ideal: str, nodes: int, **settings: Any
    ) -> tuple[Floats, Floats]:
        parts = parts_of(hits, **settings)
        if ideal == "per-aspect":
            score = over_own_ideals(hits, parts, cutoff)
            return score, score
        low, high = _best(hits, parts, cutoff, ideal, nodes)
        score = utility(hits, parts, cutoff)
        return over_best(score, high[hits.topic]), over_best(score, low[hits.topic])

    return interval


def bounds_of(parts_of: Callable[..., Parts]) -> Callable[..., Pair]:
    """What `over_ideal` is at least and at most, whatever the judgments that are missing."""

    def completed(c: Completions, cutoff: int | None, ideal: str, nodes: int, **settings: Any) -> Pair:
        return ideal_bounds(c, parts_of(c.hits, **settings), cutoff, ideal, nodes)

    return completed


def ideal_bounds(c: Completions, parts: Parts, cutoff: int | None, ideal: str, nodes: int) -> Pair:
    if parts.novelty == CASCADE:
        probability(c, parts.gain, "ERR_IA")
    if ideal == "per-aspect":
        return mean_over_own_ideals(c, parts, cutoff)
    return over_best_ranking(c, parts, cutoff, ideal, nodes)


def _best(hits: Hits, parts: Parts, cutoff: int | None, ideal: str, nodes: int) -> tuple[Floats, Floats]:
    """(T,) twice: what the ideal ranking's utility is at least and at most"""
    if ideal == "exact":
        return exact_utility(hits.pool, parts, cutoff, nodes)
    best = best_utility(hits.pool, parts, cutoff)
    return best, best


def over_own_ideals(hits: Hits, parts: Parts, cutoff: int | None) -> Floats:
    """(N,) Σ_t w_t u_t / u*_t, with u*_t the utility for aspect t of the ranking that is best for it alone"""
    g = sorted_ideal(hits.pool, parts.gain, lambda _: pool_gain(hits.pool, parts.gain))[:, :, :cutoff]
    best = discounted_sum(g * parts.novelty(g), parts.discount.first(g.shape[-1]))
    weight = aspect_weights(hits, parts.gain, parts.weighted)
    return expected(over_best(utility_per_aspect(hits.top(cutoff), parts), best[hits.topic]), weight)


def over_everything(hits: Hits, parts: Parts, cutoff: int | None) -> Floats:
    """(N,) the utility, over that of a ranking whose every document serves every aspect"""
    weight = aspect_weights(hits, parts.gain, parts.weighted)
    whole = np.broadcast_to(everything(hits, parts, cutoff)[:, None], weight.shape)
    return over_best(utility(hits, parts, cutoff), expected(whole, weight))


def everything(hits: Hits, parts: Parts, cutoff: int | None) -> Floats:
    """(N,) the utility of a ranking whose every document serves every aspect"""
    depth = hits.depth(cutoff).astype(np.int64)
    sums = _everything(parts, int(np.minimum(depth, DIRECT).max(initial=0)))
    whole = np.asarray(sums[np.minimum(depth, len(sums) - 1)])
    for deeper in np.unique(depth[depth > DIRECT]).tolist():
        discount = parts.discount
        whole[depth == deeper] += sum_beyond(discount.kind, discount.p, parts.novelty.amount, deeper)
    return whole


def _everything(parts: Parts, longest: int) -> Floats:
    """Σ_{i≤k} (1-α)^(i-1) D(i) for k = 0, 1, …, `longest`, or to where it no longer grows

    No term is larger than the one before, so that after one which is too small to change the sum none does.
    """
    n = min(longest, 1024)
    while True:
        left = tables.powers_of_rest(n, parts.novelty.amount)
        sums = np.concatenate(([0.0], np.cumsum(left * parts.discount.first(n))))
        if n >= longest or sums[-1] == sums[-2]:
            return sums
        n = min(2 * n, longest)


def everything_bounds(c: Completions, parts: Parts, cutoff: int | None) -> Pair:
    whole = everything(c.hits, parts, cutoff)
    low, high = expected_utility(c, parts, cutoff)
    return ratio(low, whole), ratio(high, whole)


@measure(
    ALPHA,
    REL,
    GAIN,
    WEIGHTED,
    CUTOFF,
    keeps="DeepTh Red",
    bounds=Bounds(
        "exact", lambda c, cutoff, **settings: everything_bounds(c, _alpha_parts(c.hits, **settings), cutoff)
    ),
    cite=("clarke2008novelty",),
    aliases=("α_DCG",),
)
def alpha_DCG(hits: Hits, alpha: float, rel: float, gain: str, weighted: bool, cutoff: int | None) -> Floats:
    """α-DCG: discounted gain, where an aspect's worth falls by the share α with each document on it.

    α-DCG@k = Σ_{i≤k} G_i / log2(i + 1)  ÷  Σ_{i≤k} (1-α)^(i-1) / log2(i + 1),
    G_i = Σ_t w_t g(i,t) (1-α)^(documents on t above i)

    The divisor is the score of a ranking whose every document serves every aspect, as ndeval has it.

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 1}, "s2": {"b": 1}}}
    >>> evaluate(two, {"q": {"a": 2, "b": 1}}, ["alpha_DCG@1"]).mean()
    {'run': {'alpha_DCG@1': 0.5}}
    """
    return over_everything(hits, Parts(LOGARITHMIC, Gain(gain, rel), decay(alpha), weighted), cutoff)


def _alpha_parts(hits: Hits, alpha: float, rel: float, gain: str, weighted: bool) -> Parts:
    return Parts(LOGARITHMIC, Gain(gain, rel), decay(alpha), weighted)


@measure(
    ALPHA,
    REL,
    GAIN,
    WEIGHTED,
    IDEAL,
    NODES,
    CUTOFF,
    interval=interval_of(_alpha_parts),
    keeps="DeepTh Red",
    bounds=Bounds("outer", bounds_of(_alpha_parts)),
    cite=("clarke2008novelty",),
    aliases=("α_nDCG",),
)
def alpha_nDCG(
    hits: Hits,
    alpha: float,
    rel: float,
    gain: str,
    weighted: bool,
    ideal: str,
    nodes: int,
    cutoff: int | None,
) -> Floats:
    """α-nDCG: α-DCG over that of the greedy ideal ranking.

    α-nDCG@k = Σ_{i≤k} G_i / log2(i + 1)  ÷  the same sum for the greedy ideal ranking,
    G_i = Σ_t w_t g(i,t) (1-α)^(documents on t above i)

    The greedy ideal is not always the best ranking, so a score can exceed 1; with ideal='exact' it cannot.

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 1, "c": 1}, "s2": {"b": 1}}}
    >>> evaluate(two, {"q": {"a": 3, "c": 2, "b": 1}}, ["alpha_nDCG@3"]).mean()
    {'run': {'alpha_nDCG@3': 0.9651954696014428}}
    """
    return over_ideal(hits, _alpha_parts(hits, alpha, rel, gain, weighted), cutoff, ideal, nodes)


ERR_IA_GAIN = Parameter(
    "gain",
    "binary",
    "how likely a document satisfies: ndeval's α from rel on; the grade itself; or (2^g - 1) / 2^gmax, "
    "gmax the topic's highest grade on the aspect",
    str,
    choices=("binary", "linear", "probability"),
)


SCALE = Parameter(
    "max_rel",
    None,
    "the highest grade of the scale, instead of gmax, with gain='probability'",
    low=0,
    high=MOST_EXPONENT,
    above_low=True,
    optional=True,
)


def _err_parts(hits: Hits, alpha: float, rel: float, gain: str, max_rel: float | None) -> Parts:
    """Satisfaction is ndeval's α for binary gains, the gain itself for graded ones."""
    check_probability(hits, "ERR_IA", gain, max_rel)
    return Parts(RECIPROCAL, Gain(gain, rel, max_rel), decay(alpha) if gain == "binary" else CASCADE)


def check_probability(hits: Hits, name: str, gain: str, max_rel: float | None = None) -> None:
    highest = hits.pool.grade.max(initial=0.0)
    if gain == "linear" and highest > 1:
        raise MeasureError(f"{name}: grade {highest:g} is no probability; use gain='probability'")
    if gain == "probability" and max_rel is not None and highest > max_rel:
        raise MeasureError(f"{name}: grade {highest:g} is above max_rel={max_rel:g}; set max_rel={highest:g}")


@measure(
    ALPHA,
    REL,
    ERR_IA_GAIN,
    SCALE,
    CUTOFF,
    keeps="DeepTh Red AspRel",
    bounds=Bounds("exact", lambda c, cutoff, **settings: _err_bounds(c, cutoff, **settings)),
    cite=("chapelle2009expected", "agrawal2009diversifying"),
)
def ERR_IA(
    hits: Hits, alpha: float, rel: float, gain: str, max_rel: float | None, cutoff: int | None
) -> Floats:
    """Intent-aware expected reciprocal rank: how early users with different intents are satisfied.

    binary: ERR-IA@k = Σ_{i≤k} G_i / i  ÷  Σ_{i≤k} (1-α)^(i-1) / i,
    G_i = Σ_t w_t [g(i,t) ≥ rel] (1-α)^(documents on t above i), as ndeval has it;
    graded: ERR-IA@k = Σ_t w_t Σ_{i≤k} 1/i · r(i,t) Π_{j<i} (1 - r(j,t)), as the papers have it

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 1}, "s2": {"b": 1}}}
    >>> evaluate(two, {"q": {"a": 2, "b": 1}}, ["ERR_IA@1", "ERR_IA(gain='probability')@1"]).mean()
    {'run': {'ERR_IA@1': 0.5, "ERR_IA(gain='probability')@1": 0.25}}
    """
    parts = _err_parts(hits, alpha, rel, gain, max_rel)
    return over_everything(hits, parts, cutoff) if gain == "binary" else utility(hits, parts, cutoff)


@measure(
    ALPHA,
    REL,
    ERR_IA_GAIN,
    SCALE,
    IDEAL,
    NODES,
    CUTOFF,
    interval=interval_of(_err_parts),
    keeps="DeepTh Red AspRel",
    bounds=Bounds("outer", bounds_of(_err_parts)),
    cite=("chapelle2009expected", "agrawal2009diversifying"),
)
def nERR_IA(
    hits: Hits,
    alpha: float,
    rel: float,
    gain: str,
    max_rel: float | None,
    ideal: str,
    nodes: int,
    cutoff: int | None,
) -> Floats:
    """Normalised intent-aware expected reciprocal rank: ERR-IA over that of the greedy ideal ranking.

    nERR-IA@k = Σ_{i≤k} G_i / i  ÷  the same sum for the greedy ideal ranking, G_i as in ERR_IA

    Sakai & Song's graded form is nERR_IA(gain='probability',max_rel=h,ideal='per-aspect').

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 1, "c": 1}, "s2": {"b": 1}}}
    >>> evaluate(two, {"q": {"a": 3, "c": 2, "b": 1}}, ["nERR_IA@3"]).mean()
    {'run': {'nERR_IA@3': 0.95}}
    """
    return over_ideal(hits, _err_parts(hits, alpha, rel, gain, max_rel), cutoff, ideal, nodes)


def _err_bounds(c: Completions, cutoff: int | None, **settings: Any) -> Pair:
    parts = _err_parts(c.hits, **settings)
    if settings["gain"] == "binary":
        return everything_bounds(c, parts, cutoff)
    probability(c, parts.gain, "ERR_IA")
    return expected_utility(c, parts, cutoff)


BETA = Parameter(
    "beta",
    0.5,
    "the chance to go on from one document to the next",
    low=0,
    high=1,
    above_low=True,
    below_high=True,
)


@measure(
    ALPHA,
    BETA,
    REL,
    GAIN,
    WEIGHTED,
    CUTOFF,
    keeps="DeepTh Red",
    bounds=Bounds("exact", lambda c, cutoff, **settings: _nrbp_bounds(c, cutoff, **settings)),
    cite=("clarke2009effectiveness",),
)
def NRBP(
    hits: Hits, alpha: float, beta: float, rel: float, gain: str, weighted: bool, cutoff: int | None
) -> Floats:
    """Novelty- and rank-biased precision: RBP over aspects whose worth falls with each document.

    NRBP = (1 - (1-α)β) Σ_i β^(i-1) G_i,  G_i = Σ_t w_t g(i,t) (1-α)^(documents on t above i)

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"s1": {"a": 1}, "s2": {"b": 1}}}, {"q": {"a": 2, "b": 1}}, ["NRBP"]).mean()
    {'run': {'NRBP': 0.5625}}
    """
    parts = Parts(geometric(beta), Gain(gain, rel), decay(alpha), weighted)
    return over_best((1 - (1 - alpha) * beta) * utility(hits, parts, cutoff), ONE)


def _nrbp_parts(hits: Hits, alpha: float, beta: float, rel: float, gain: str, weighted: bool) -> Parts:
    return Parts(geometric(beta), Gain(gain, rel), decay(alpha), weighted)


@measure(
    ALPHA,
    BETA,
    REL,
    GAIN,
    WEIGHTED,
    IDEAL,
    NODES,
    CUTOFF,
    interval=interval_of(_nrbp_parts),
    keeps="DeepTh Red",
    bounds=Bounds("outer", bounds_of(_nrbp_parts)),
    cite=("clarke2009effectiveness",),
)
def nNRBP(
    hits: Hits,
    alpha: float,
    beta: float,
    rel: float,
    gain: str,
    weighted: bool,
    ideal: str,
    nodes: int,
    cutoff: int | None,
) -> Floats:
    """Normalised NRBP: NRBP over that of the greedy ideal ranking.

    nNRBP = Σ_i β^(i-1) G_i  ÷  the same sum for the greedy ideal ranking, G_i as in NRBP

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"s1": {"a": 1}, "s2": {"b": 1}}}, {"q": {"a": 1}}, ["nNRBP"]).mean()
    {'run': {'nNRBP': 0.6666666666666666}}
    """
    return over_ideal(hits, _nrbp_parts(hits, alpha, beta, rel, gain, weighted), cutoff, ideal, nodes)


def _nrbp_bounds(c: Completions, cutoff: int | None, alpha: float, beta: float, **settings: Any) -> Pair:
    parts = _nrbp_parts(c.hits, alpha, beta, **settings)
    low, high = expected_utility(c, parts, cutoff)
    return (1 - (1 - alpha) * beta) * low, (1 - (1 - alpha) * beta) * high


GRADED = Parameter("gain", "probability", GAIN.meaning, str, choices=GAINS)
EFFORT = Parameter("e", 0.05, "what looking at a document costs", low=0)
LOG_BASE = Parameter("base", float(np.e), "base of the logarithm in the discount", low=1, above_low=True)


@measure(
    ALPHA,
    EFFORT,
    LOG_BASE,
    REL,
    GRADED,
    CUTOFF,
    keeps="Deep DeepTh Conf Red",
    bounds=Bounds("outer", lambda c, cutoff, **settings: expected_utility(c, _eu_parts(**settings), cutoff)),
    cite=("yang2009modeling", "amigo2018axiomatic"),
)
def EU(hits: Hits, alpha: float, e: float, base: float, rel: float, gain: str, cutoff: int | None) -> Floats:
    """Expected utility: what is still new in each document, less the effort of looking at it.

    EU = Σ_i (Σ_t w_t g(i,t) (1-α)^(documents on t above i) - e) / (1 + log i)

    The logarithm is natural unless `base` says otherwise.

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"s1": {"a": 1}, "s2": {"b": 1}}}, {"q": {"a": 1}}, ["EU(gain='binary')"]).mean()
    {'run': {"EU(gain='binary')": 0.45}}
    """
    return utility(hits, _eu_parts(alpha, e, base, rel, gain), cutoff)


def _eu_parts(alpha: float, e: float, base: float, rel: float, gain: str) -> Parts:
    return Parts(Discount("slow", base), Gain(gain, rel), decay(alpha), effort=e)


RBU_P = Parameter(
    "p", 0.8, "the chance to go on from one document to the next", low=0, high=1, above_low=True
)
RBU_GAIN = Parameter(
    "gain",
    "probability",
    "how likely a document satisfies: surely from rel on; as its grade; or (2^g - 1) / 2^gmax",
    str,
    choices=("binary", "linear", "probability"),
)
RBU_EFFORT = Parameter("e", 0.03, "what looking at a document costs", low=0)
RBU_FORM = Parameter(
    "form",
    "reference",
    "'reference': p^(i-1), times 1-p, aspect weights as given, as the authors' program; 'eq11': p^i, weights "
    "summing to 1, as printed",
    str,
    choices=("reference", "eq11"),
)


@measure(
    RBU_P,
    RBU_EFFORT,
    RBU_FORM,
    REL,
    RBU_GAIN,
    CUTOFF,
    keeps="Pri Deep DeepTh CloseTh Conf AspDiv Red",
    bounds=Bounds("outer", lambda c, cutoff, **settings: _rbu_bounds(c, cutoff, **settings)),
    cite=("amigo2018axiomatic",),
)
def RBU(hits: Hits, p: float, e: float, form: str, rel: float, gain: str, cutoff: int | None) -> Floats:
    """Rank-biased utility: what users still need from each document, less the effort of looking at it.

    reference: RBU = (1-p) Σ_i p^(i-1) (Σ_t w_t r(i,t) Π_{j<i} (1 - r(j,t)) - e);
    eq11: RBU = Σ_i p^i (Σ_t w_t r(i,t) Π_{j<i} (1 - r(j,t)) - e);
    r = (2^g - 1) / 2^gmax, gmax the topic's highest grade on the aspect

    With gain='linear' it is the one measure that keeps all ten constraints of its paper, for small r, p large
    enough and below 1, and e > 0.

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"s1": {"a": 1}, "s2": {"b": 1}}}, {"q": {"a": 1}}, ["RBU", "RBU(form='eq11')"]).mean()
    {'run': {'RBU': 0.04399999999999999, "RBU(form='eq11')": 0.17600000000000002}}
    """
    check_probability(hits, "RBU", gain)
    parts = Parts(geometric(p), Gain(gain, rel), CASCADE, effort=e)
    if form == "eq11":
        return p * utility(hits, parts, cutoff)
    return (1 - p) * utility(hits, parts, cutoff, hits.weight if hits.pool.weighted else None)


def _rbu_bounds(
    c: Completions, cutoff: int | None, p: float, e: float, form: str, rel: float, gain: str
) -> Pair:
    parts = Parts(geometric(p), probability(c, Gain(gain, rel), "RBU"), CASCADE, effort=e)
    as_given = c.hits.weight if form == "reference" and c.hits.pool.weighted else None
    low, high = expected_utility(c, parts, cutoff, as_given)
    factor = p if form == "eq11" else 1 - p
    return factor * low, factor * high
