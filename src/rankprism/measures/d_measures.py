"""D-measures: each document gets one global gain over all intents, which a single-aspect measure then scores.

The global gain of a document is GG = Σ_t Pr(t) gain(g(d,t)), where Pr(t) is the probability of an intent
(Sakai and Song 2011). The forms with # also count how many intents are reached. DIN and P+Q distinguish types
of intents: a navigational intent needs only one document.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import numpy as np

from rankprism._core import sums_over_aspects
from rankprism.arrays import Floats
from rankprism.data.hits import Hits, Pool
from rankprism.measures.bounds.completions import Completions, Gains
from rankprism.measures.bounds.global_gains import (
    chances,
    expected_blended_ratio,
    global_gains,
    rank_biased_global,
)
from rankprism.measures.bounds.graded import p_plus, q_measure
from rankprism.measures.bounds.ranges import Pair, discounted, over_aspects, rising, weights
from rankprism.measures.bounds.single import cascade_over_ideal, over_sorted_ideal
from rankprism.measures.compared import NTCIREVAL, SAKAI_SONG
from rankprism.measures.coverage import StRecall
from rankprism.measures.declare import measure
from rankprism.measures.graded import Blend, P_plus, Q, blended_ratio
from rankprism.measures.made_of import MadeOf, added, of_aspect
from rankprism.measures.measure import Bounds, Measure
from rankprism.measures.parameter import Cutoff, Range
from rankprism.measures.parts import (
    CASCADE,
    LOGARITHMIC,
    ONE,
    RECIPROCAL,
    Gain,
    GainRule,
    Patience,
    Persistence,
    aspect_weights,
    discounted_sum,
    expected,
    geometric,
    hit_discount,
    hit_gain,
    live_weights,
    over_best,
    pool_gain,
    ratio,
    seen,
    total,
)
from rankprism.measures.single import nDCG, of_cascade

Digits = Annotated[
    int | None,
    Range(0, 15),
    "round the gains of retrieved documents to this number of decimals; NTCIREVAL uses 4",
]
Gamma = Annotated[float, Range(0, 1), "the weight of I-rec; the D-measure has the remaining weight"]
_ANY = 5e-324  # any grade above 0 counts for I-rec


def global_gain(hits: Hits, gain: str, digits: int | None, navigational: bool = False) -> Hits:
    """The same rankings with one aspect, whose grades are the global gains.

    If `navigational` is set, a navigational intent adds gain only to the first document on it.
    """

    def pool() -> Pool:
        weight = live_weights(hits.pool, Gain(gain), weighted=True)
        return Pool.single(sums_over_aspects(pool_gain(hits.pool, Gain(gain)), weight))

    def folded() -> Hits:
        g = hit_gain(hits, Gain(gain))
        if navigational:
            g = g * ~(hits.pool.navigational[hits.topic][:, :, None] & (seen(g) > 0))
        gains = sums_over_aspects(g, aspect_weights(hits, Gain(gain), weighted=True))
        if digits is not None:
            gains = np.round(gains, digits)
        return replace(hits, grade=gains[:, None, :], pool=hits.pool.once(("global", gain), pool), _memo={})

    return hits.once(("global", gain, digits, navigational), folded)


def _one(base: Measure, hits: Hits, cutoff: int | None) -> Floats:
    """(N,) a single-aspect measure of global gains"""
    return base(cutoff=cutoff).per_aspect(hits)[:, 0]


def _sharp(hits: Hits, d: Floats, gamma: float, cutoff: int | None) -> Floats:
    """(N,) γ I-rec + (1-γ) D"""
    return gamma * StRecall(rel=_ANY, cutoff=cutoff).score(hits) + (1 - gamma) * d


def _of_gains(base: Measure, hits: Hits, cutoff: int | None) -> MadeOf:
    """The parts of a single-aspect measure of global gains."""
    return of_aspect(base(cutoff=cutoff).factors(hits), 0).renamed(gain="global gain")


def _of_sharp(hits: Hits, d: Measure, gamma: float, cutoff: int | None) -> MadeOf | None:
    reached = StRecall(rel=_ANY, cutoff=cutoff).made_of(hits)
    summands = {"I-rec": (gamma, reached), d.definition.display: (1 - gamma, d.made_of(hits))}
    return added(summands, hits.rank.shape[1])


# The bounds of a D-measure are those of the measure inside: see `rankprism.measures.bounds.global_gains`.


def _first(pair: Pair) -> Pair:
    return pair[0][:, 0], pair[1][:, 0]


def _ndcg_bounds(
    c: Completions, cutoff: int | None, gain: str, digits: int | None, navigational: bool = False
) -> Pair:
    return _first(over_sorted_ideal(global_gains(c, gain, digits, cutoff, navigational), LOGARITHMIC, cutoff))


def _q_bounds(c: Completions, beta: float, cutoff: int | None, gain: str, digits: int | None) -> Pair:
    return _first(q_measure(global_gains(c, gain, digits, cutoff, absolute=True), beta, cutoff))


def _rbp_bounds(c: Completions, p: float, cutoff: int | None, gain: str, digits: int | None) -> Pair:
    low, high = _first(rank_biased_global(global_gains(c, gain, digits, cutoff), geometric(p)))
    return (1 - p) * low, (1 - p) * high


def _chances(c: Completions, cutoff: int | None, gain: str, digits: int | None) -> Gains:
    return chances(global_gains(c, gain, digits, cutoff, absolute=True))


def _plus_bounds(c: Completions, beta: float, gain: str, cutoff: int | None) -> Pair:
    g = c.gains(Gain(gain), cutoff)
    pairs = zip(p_plus(g, beta), q_measure(g, beta, cutoff), strict=True)
    low, high = (np.where(c.hits.pool.navigational[c.hits.topic], one, all_) for one, all_ in pairs)
    return over_aspects(low, high, weights(c, weighted=True), g.live, g.maybe)


def _sharp_bounds(c: Completions, d: Pair, gamma: float, cutoff: int | None) -> Pair:
    """Bounds of γ I-rec + (1-γ) D, from the bounds of both."""
    reached = StRecall(rel=_ANY, cutoff=cutoff).bounds(c)
    low, high = (gamma * i + (1 - gamma) * x for i, x in zip(reached, d, strict=True))
    return low, high


@measure(
    keeps="Pri Deep CloseTh AspDiv AspRel",
    bounds=Bounds("outer", lambda c, cutoff, **gain: _ndcg_bounds(c, cutoff, **gain)),
    cite="sakai2011evaluating",
    compared=f"{NTCIREVAL}; {SAKAI_SONG}",
    made_of=lambda hits, cutoff, **gain: _of_gains(nDCG, global_gain(hits, **gain), cutoff),
)
def D_nDCG(hits: Hits, gain: GainRule = "exp", digits: Digits = None, cutoff: Cutoff = None) -> Floats:
    """D-nDCG: nDCG of global gains.

    D-nDCG@k = Σ_{i≤k} GG_i / log2(i + 1)  ÷  the same sum for the judged documents sorted by GG,
    GG_i = Σ_t Pr(t) (2^g(i,t) - 1)

    NTCIREVAL calls it D-MSnDCG.

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 1, "b": 1}, "s2": {"b": 1}}}
    >>> evaluate(two, {"q": {"b": 2, "a": 1}}, ["D_nDCG@2"]).mean()
    {'run': {'D_nDCG@2': 1.0}}
    """
    return _one(nDCG, global_gain(hits, gain, digits), cutoff)


@measure(
    keeps="CloseTh AspDiv AspRel",
    bounds=Bounds("outer", lambda c, beta, cutoff, **gain: _q_bounds(c, beta, cutoff, **gain)),
    cite="sakai2011evaluating",
    compared=f"{NTCIREVAL}; {SAKAI_SONG}",
    made_of=lambda hits, beta, cutoff, **gain: _of_gains(
        Q(beta=beta, gain="linear"), global_gain(hits, **gain), cutoff
    ),
)
def D_Q(
    hits: Hits, beta: Blend = 1.0, gain: GainRule = "exp", digits: Digits = None, cutoff: Cutoff = None
) -> Floats:
    """D-Q: the Q-measure of global gains.

    D-Q@k = 1/min(k,R) Σ_{i≤k} [GG_i > 0] (C(i) + β cg(i)) / (i + β cg*(i)), where all gains are global and R
    is the number of documents that are relevant to any intent

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 1, "b": 1}, "s2": {"b": 1}}}
    >>> evaluate(two, {"q": {"b": 2, "a": 1}}, ["D_Q@2"]).mean()
    {'run': {'D_Q@2': 1.0}}
    """
    return _one(Q(beta=beta, gain="linear"), global_gain(hits, gain, digits), cutoff)


@measure(
    keeps="Pri Deep CloseTh AspDiv AspRel*",
    bounds=Bounds(
        "outer",
        lambda c, gamma, cutoff, **gain: _sharp_bounds(c, _ndcg_bounds(c, cutoff, **gain), gamma, cutoff),
    ),
    cite="sakai2011evaluating",
    compared=f"{NTCIREVAL}; {SAKAI_SONG}",
    aliases="D#_nDCG",
    made_of=lambda hits, gamma, cutoff, **gain: _of_sharp(hits, D_nDCG(cutoff=cutoff, **gain), gamma, cutoff),
)
def DSharp_nDCG(
    hits: Hits, gamma: Gamma = 0.5, gain: GainRule = "exp", digits: Digits = None, cutoff: Cutoff = None
) -> Floats:
    """D#-nDCG: the weighted mean of D-nDCG and the share of intents that are reached.

    D#-nDCG@k = γ I-rec@k + (1-γ) D-nDCG@k

    It reaches 1 only if k is at least the number of intents.

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 1}, "s2": {"b": 1}}}
    >>> evaluate(two, {"q": {"b": 2, "a": 1}}, ["D#_nDCG@1", "DSharp_nDCG@2"]).mean()
    {'run': {'DSharp_nDCG@1': 0.75, 'DSharp_nDCG@2': 1.0}}
    """
    return _sharp(hits, D_nDCG(gain=gain, digits=digits, cutoff=cutoff).score(hits), gamma, cutoff)


@measure(
    keeps="CloseTh AspDiv AspRel*",
    bounds=Bounds(
        "outer",
        lambda c, gamma, beta, cutoff, **gain: _sharp_bounds(
            c, _q_bounds(c, beta, cutoff, **gain), gamma, cutoff
        ),
    ),
    cite="sakai2011evaluating",
    compared=f"{NTCIREVAL}; {SAKAI_SONG}",
    aliases="D#_Q",
    made_of=lambda hits, gamma, cutoff, **settings: _of_sharp(
        hits, D_Q(cutoff=cutoff, **settings), gamma, cutoff
    ),
)
def DSharp_Q(
    hits: Hits,
    gamma: Gamma = 0.5,
    beta: Blend = 1.0,
    gain: GainRule = "exp",
    digits: Digits = None,
    cutoff: Cutoff = None,
) -> Floats:
    """D#-Q: the weighted mean of D-Q and the share of intents that are reached.

    D#-Q@k = γ I-rec@k + (1-γ) D-Q@k

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 1}, "s2": {"b": 1}}}
    >>> evaluate(two, {"q": {"b": 2, "a": 1}}, ["D#_Q@2"]).mean()
    {'run': {'DSharp_Q@2': 1.0}}
    """
    return _sharp(hits, D_Q(beta=beta, gain=gain, digits=digits, cutoff=cutoff).score(hits), gamma, cutoff)


@measure(
    keeps="Pri Deep CloseTh AspDiv AspRel",
    bounds=Bounds("outer", lambda c, cutoff, **gain: _ndcg_bounds(c, cutoff, navigational=True, **gain)),
    cite="sakai2012intuitiveness",
    compared="NTCIREVAL's documented sample topic (its 4 decimals)",
    made_of=lambda hits, cutoff, **gain: _of_gains(
        nDCG, global_gain(hits, navigational=True, **gain), cutoff
    ),
)
def DIN_nDCG(hits: Hits, gain: GainRule = "exp", digits: Digits = None, cutoff: Cutoff = None) -> Floats:
    """DIN-nDCG: D-nDCG in which a navigational intent is satisfied by its first document.

    DIN-nDCG@k = Σ_{i≤k} GG_i / log2(i + 1)  ÷  the ideal of D-nDCG, where a navigational intent adds to
    GG_i only if no document above i is relevant to it

    >>> from rankprism import evaluate, read_judgments
    >>> one = read_judgments({"q": {"s1": {"a": 1, "b": 1}}})
    >>> evaluate(one, {"q": {"b": 2, "a": 1}}, ["DIN_nDCG@2"]).mean()
    {'run': {'DIN_nDCG@2': 1.0}}
    """
    return _one(nDCG, global_gain(hits, gain, digits, navigational=True), cutoff)


@measure(
    keeps="Pri Deep CloseTh AspDiv AspRel*",
    bounds=Bounds(
        "outer",
        lambda c, gamma, cutoff, **gain: _sharp_bounds(
            c, _ndcg_bounds(c, cutoff, navigational=True, **gain), gamma, cutoff
        ),
    ),
    cite="sakai2012intuitiveness",
    compared="NTCIREVAL's documented sample topic (its 4 decimals)",
    aliases="DIN#_nDCG",
    made_of=lambda hits, gamma, cutoff, **gain: _of_sharp(
        hits, DIN_nDCG(cutoff=cutoff, **gain), gamma, cutoff
    ),
)
def DINSharp_nDCG(
    hits: Hits, gamma: Gamma = 0.5, gain: GainRule = "exp", digits: Digits = None, cutoff: Cutoff = None
) -> Floats:
    """DIN#-nDCG: the weighted mean of DIN-nDCG and the share of intents that are reached.

    DIN#-nDCG@k = γ I-rec@k + (1-γ) DIN-nDCG@k

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 1}, "s2": {"b": 1}}}
    >>> evaluate(two, {"q": {"b": 2, "a": 1}}, ["DIN#_nDCG@2"]).mean()
    {'run': {'DINSharp_nDCG@2': 1.0}}
    """
    return _sharp(hits, DIN_nDCG(gain=gain, digits=digits, cutoff=cutoff).score(hits), gamma, cutoff)


@measure(
    keeps="CloseTh AspDiv",
    bounds=Bounds("outer", lambda c, **settings: _plus_bounds(c, **settings)),
    cite="sakai2012intuitiveness",
    aliases="P+Q",
    sums=False,
)
def P_plusQ(hits: Hits, beta: Blend = 1.0, gain: GainRule = "exp", cutoff: Cutoff = None) -> Floats:
    """P+Q: Q for informational intents and P+ for navigational intents.

    P+Q@k = Σ_{t informational} Pr(t) Q_t@k + Σ_{t navigational} Pr(t) P+_t@k

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 1}, "s2": {"b": 1}}}
    >>> evaluate(two, {"q": {"b": 2, "a": 1}}, ["P+Q@2"]).mean()
    {'run': {'P_plusQ@2': 0.8333333333333333}}
    """
    informational = Q(beta=beta, gain=gain, cutoff=cutoff).per_aspect(hits)
    navigational = P_plus(beta=beta, gain=gain, cutoff=cutoff).per_aspect(hits)
    score = np.where(hits.pool.navigational[hits.topic], navigational, informational)
    return expected(score, aspect_weights(hits, Gain(gain), weighted=True))


@measure(
    keeps="CloseTh AspDiv",
    bounds=Bounds(
        "outer",
        lambda c, gamma, cutoff, **settings: _sharp_bounds(
            c, _plus_bounds(c, cutoff=cutoff, **settings), gamma, cutoff
        ),
    ),
    cite="sakai2012intuitiveness",
    aliases="P+Q#",
    sums=False,
)
def P_plusQSharp(
    hits: Hits, gamma: Gamma = 0.5, beta: Blend = 1.0, gain: GainRule = "exp", cutoff: Cutoff = None
) -> Floats:
    """P+Q#: the weighted mean of P+Q and the share of intents that are reached.

    P+Q#@k = γ I-rec@k + (1-γ) P+Q@k

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 1}, "s2": {"b": 1}}}
    >>> evaluate(two, {"q": {"b": 2, "a": 1}}, ["P_plusQSharp@2"]).mean()
    {'run': {'P_plusQSharp@2': 0.9166666666666666}}
    """
    return _sharp(hits, P_plusQ(beta=beta, gain=gain, cutoff=cutoff).score(hits), gamma, cutoff)


# ── the cascades of NTCIREVAL, on global gains ───────────────────────────────────────────────────


def _satisfaction(hits: Hits) -> tuple[Floats, Floats]:
    """(N, 1, H), and (T, 1, D) for the ideal: r = GG / (GGmax + 1), GGmax being the topic's highest GG"""
    highest = hits.pool.highest[:, :, None] + 1
    return hits.grade / highest[hits.topic], -np.sort(-hits.pool.grade, axis=-1) / highest


@measure(
    keeps="Pri Deep DeepTh AspDiv AspRel",
    bounds=Bounds(
        "outer", lambda c, cutoff, **gain: _first(cascade_over_ideal(_chances(c, cutoff, **gain), cutoff))
    ),
    cite="sakai2011evaluating",
    compared=NTCIREVAL,
    made_of=lambda hits, cutoff, **gain: _of_err(global_gain(hits, **gain).top(cutoff), cutoff),
)
def D_nERR(hits: Hits, gain: GainRule = "exp", digits: Digits = None, cutoff: Cutoff = None) -> Floats:
    """D-nERR: normalised ERR of global gains, as in NTCIREVAL.

    D-nERR@k = Σ_{i≤k} 1/i · r_i Π_{j<i} (1 - r_j)  ÷  the same sum for the ideal,  r = GG / (GGmax + 1)

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"s1": {"a": 1}, "s2": {"b": 1}}}, {"q": {"b": 2, "a": 1}}, ["D_nERR@2"]).mean()
    {'run': {'D_nERR@2': 1.0}}
    """
    hits = global_gain(hits, gain, digits).top(cutoff)
    r, ideal = _satisfaction(hits)
    score = discounted_sum(r * CASCADE(r), hit_discount(hits, RECIPROCAL))
    return over_best(score, _best_cascade(ideal[:, :, :cutoff])[hits.topic])[:, 0]


def _best_cascade(ideal: Floats) -> Floats:
    """(T, 1) the ERR of the ideal ranking, from the chances of its documents"""
    return discounted_sum(ideal * CASCADE(ideal), RECIPROCAL.first(ideal.shape[-1]))


def _of_err(hits: Hits, cutoff: int | None) -> MadeOf:
    r, ideal = _satisfaction(hits)
    scale = ratio(np.ones(()), _best_cascade(ideal[:, :, :cutoff])[hits.topic])[:, :, None]
    return of_aspect({**of_cascade(r, hit_discount(hits, RECIPROCAL)), "scale": scale}, 0)


@measure(
    keeps="CloseTh AspDiv AspRel*",
    bounds=Bounds(
        "outer",
        lambda c, beta, cutoff, **gain: _first(
            expected_blended_ratio(global_gains(c, cutoff=cutoff, absolute=True, **gain), beta)
        ),
    ),
    cite="sakai2011evaluating",
    compared=NTCIREVAL,
    made_of=lambda hits, beta, cutoff, **gain: _of_ebr(global_gain(hits, **gain).top(cutoff), beta),
)
def D_EBR(
    hits: Hits, beta: Blend = 1.0, gain: GainRule = "exp", digits: Digits = None, cutoff: Cutoff = None
) -> Floats:
    """D-EBR: the expected blended ratio of global gains, as in NTCIREVAL.

    D-EBR@k = Σ_{i≤k} BR(i) r_i Π_{j<i} (1 - r_j),  r = GG / (GGmax + 1), where BR is the blended ratio of D-Q

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"s1": {"a": 1}}}, {"q": {"a": 1}}, ["D_EBR@2"]).mean()
    {'run': {'D_EBR@2': 0.5}}
    """
    hits = global_gain(hits, gain, digits).top(cutoff)
    r, _ = _satisfaction(hits)
    return total(blended_ratio(hits, beta, "linear") * r * CASCADE(r))[:, 0]


def _of_ebr(hits: Hits, beta: float) -> MadeOf:
    r, _ = _satisfaction(hits)
    ratios = blended_ratio(hits, beta, "linear")
    return of_aspect({"blended ratio": ratios, "stop": r, "reach": CASCADE(r)}, 0)


@measure(
    keeps="Pri Deep DeepTh CloseTh AspDiv AspRel",
    bounds=Bounds(
        "outer",
        lambda c, p, cutoff, **gain: _first(
            rising(_chances(c, cutoff, **gain), lambda r: p * discounted(r * CASCADE(r), geometric(p)))
        ),
    ),
    cite="sakai2019diversity",
    compared=NTCIREVAL,
    made_of=lambda hits, p, cutoff, **gain: _of_irbu(global_gain(hits, **gain).top(cutoff), p),
)
def D_iRBU(
    hits: Hits, p: Patience = 0.99, gain: GainRule = "exp", digits: Digits = None, cutoff: Cutoff = None
) -> Floats:
    """D-iRBU: the intentwise rank-biased utility of global gains, as in NTCIREVAL.

    D-iRBU@k = Σ_{i≤k} p^i r_i Π_{j<i} (1 - r_j),  r = GG / (GGmax + 1)

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"s1": {"a": 1}}}, {"q": {"a": 1}}, ["D_iRBU@2"]).mean()
    {'run': {'D_iRBU@2': 0.495}}
    """
    hits = global_gain(hits, gain, digits).top(cutoff)
    r, _ = _satisfaction(hits)
    return p * discounted_sum(r * CASCADE(r), hit_discount(hits, geometric(p)))[:, 0]


def _of_irbu(hits: Hits, p: float) -> MadeOf:
    r, _ = _satisfaction(hits)
    scale = np.full((len(hits.rank), 1, 1), p)
    return of_aspect({**of_cascade(r, hit_discount(hits, geometric(p))), "scale": scale}, 0)


@measure(
    keeps="Pri Deep DeepTh CloseTh AspDiv AspRel",
    bounds=Bounds("outer", lambda c, p, cutoff, **gain: _rbp_bounds(c, p, cutoff, **gain)),
    cite="sakai2011evaluating",
    compared=NTCIREVAL,
    made_of=lambda hits, p, cutoff, **gain: _of_rbp(global_gain(hits, **gain).top(cutoff), p),
)
def D_RBP(
    hits: Hits, p: Persistence = 0.95, gain: GainRule = "exp", digits: Digits = None, cutoff: Cutoff = None
) -> Floats:
    """D-RBP: rank-biased precision of global gains, as in NTCIREVAL.

    D-RBP@k = (1 - p) Σ_{i≤k} p^(i-1) GG_i / GGmax, where GGmax is the topic's highest global gain

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"s1": {"a": 1}}}, {"q": {"a": 1}}, ["D_RBP(p=0.5)"]).mean()
    {'run': {'D_RBP(p=0.5)': 0.5}}
    """
    hits = global_gain(hits, gain, digits).top(cutoff)
    gains = ratio(hits.grade, hits.pool.highest[hits.topic][:, :, None])
    return over_best((1 - p) * discounted_sum(gains, hit_discount(hits, geometric(p)))[:, 0], ONE)


def _of_rbp(hits: Hits, p: float) -> MadeOf:
    scale = (1 - p) * ratio(np.ones(()), hits.pool.highest[hits.topic])[:, :, None]
    discount = hit_discount(hits, geometric(p))[:, None, :]
    return of_aspect({"global gain": hits.grade, "discount": discount, "scale": scale}, 0)
