"""D-measures: each document gets one global gain over all intents, which a single-aspect measure then scores.

The global gain of a document is GG = Σ_t Pr(t) gain(g(d,t)), where Pr(t) is the probability of an intent
(Sakai and Song 2011). The forms with # also count how many intents are reached. DIN and P+Q distinguish types
of intents: a navigational intent needs only one document.
"""

from __future__ import annotations

from collections.abc import Callable
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
    shares_of_highest,
)
from rankprism.measures.bounds.graded import p_plus, q_measure
from rankprism.measures.bounds.ranges import Pair, over_aspects, weights
from rankprism.measures.compared import NTCIREVAL, SAKAI_SONG
from rankprism.measures.declare import measure
from rankprism.measures.definition import Bounds, Definition, Ties
from rankprism.measures.family import best_of_one, folded_formula
from rankprism.measures.known.coverage import StRecall
from rankprism.measures.known.graded import (
    Blend,
    P_plus,
    Q,
    blended_ratio,
    blended_ratios,
    expected_ratios,
)
from rankprism.measures.measure import Measure
from rankprism.measures.mixture import Mixture
from rankprism.measures.parameter import CUTOFF, JUDGED_ONLY, Cutoff, Range, declared, parameters_of
from rankprism.measures.parts import (
    CASCADE,
    FIRST,
    LOGARITHMIC,
    NO_NOVELTY,
    RECIPROCAL,
    Gain,
    GainRule,
    Parts,
    Patience,
    Persistence,
    aspect_weights,
    expected,
    geometric,
    hit_gain,
    live_weights,
    over_best,
    pool_gain,
    seen,
    weighted_sum,
)
from rankprism.measures.registry import register
from rankprism.measures.terms import Terms

Digits = Annotated[
    int | None,
    Range(0, 15),
    "round the gains of retrieved documents to this number of decimals; NTCIREVAL uses 4",
]
GAIN = declared("gain", GainRule, "exp")
DIGITS = declared("digits", Digits)
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


def d_measure(
    *, cite: str, compared: str, navigational: bool = False
) -> Callable[[Callable[..., Parts]], Measure]:
    """Turn a function that returns the parts of a single-aspect measure into a measure of global gains."""

    def fold(hits: Hits, gain: str, digits: int | None) -> Hits:
        return global_gain(hits, gain, digits, navigational)

    def gains(c: Completions, parts: Parts, cutoff: int | None, gain: str, digits: int | None) -> Gains:
        is_absolute = parts.gain.kind == "chance"
        g = global_gains(c, gain, digits, cutoff, navigational, absolute=is_absolute)
        return chances(g) if is_absolute else shares_of_highest(g) if parts.gain.kind == "share" else g

    def decorate(parts_of: Callable[..., Parts]) -> Measure:
        formula = folded_formula(parts_of, fold, gains)
        if navigational:  # the global gain of a document depends on those above
            formula = formula._replace(ties=Ties(_expected_din, steps=True))
        return register(
            Definition(
                formula,
                (*parameters_of(parts_of), GAIN, DIGITS, JUDGED_ONLY, CUTOFF),
                cite=(cite,),
                compared=compared,
            )
        )

    return decorate


def _expected_din(hits: Hits, cutoff: int | None, gain: str, digits: int | None) -> Floats:
    """(N,) the expectation of DIN-nDCG over all orders of tied documents

    Without rounding it is a sum over intents, of which a navigational one counts only once.
    """
    from rankprism.measures.ties.scores import law
    from rankprism.measures.ties.sums import expected_per_aspect

    if digits is not None:
        return law(DIN_nDCG(gain=gain, digits=digits, cutoff=cutoff), hits).expected
    every, first = (
        expected_per_aspect(hits, Parts(LOGARITHMIC, Gain(gain), novelty), cutoff)
        for novelty in (NO_NOVELTY, FIRST)
    )
    each = np.where(hits.pool.navigational[hits.topic], first, every)
    gained = weighted_sum(each, aspect_weights(hits, Gain(gain), weighted=True))
    ideal = best_of_one(
        global_gain(hits, gain, None), Parts(LOGARITHMIC, Gain("linear"), over="per-aspect"), cutoff
    )
    return over_best(gained, ideal[:, 0])


def sharp(gamma: float, d: Measure) -> Mixture:
    """γ I-rec + (1-γ) D"""
    reached = StRecall(rel=_ANY, cutoff=d.cutoff)
    return Mixture((("I-rec", gamma, reached), (d.definition.display, 1 - gamma, d)))


def _first(pair: Pair) -> Pair:
    return pair[0][:, 0], pair[1][:, 0]


def _q_bounds(c: Completions, beta: float, cutoff: int | None, gain: str, digits: int | None) -> Pair:
    return _first(q_measure(global_gains(c, gain, digits, cutoff, absolute=True), beta, cutoff))


def _plus_bounds(c: Completions, beta: float, gain: str, cutoff: int | None) -> Pair:
    g = c.gains(Gain(gain), cutoff)
    pairs = zip(p_plus(g, beta), q_measure(g, beta, cutoff), strict=True)
    low, high = (np.where(c.hits.pool.navigational[c.hits.topic], one, all_) for one, all_ in pairs)
    return over_aspects(low, high, weights(c, weighted=True), g.live, g.maybe)


@d_measure(cite="sakai2011evaluating", compared=f"{NTCIREVAL}; {SAKAI_SONG}")
def D_nDCG() -> Parts:
    """D-nDCG: nDCG of global gains.

    D-nDCG@k = Σ_{i≤k} GG_i / log2(i + 1)  ÷  the same sum for the judged documents sorted by GG,
    GG_i = Σ_t Pr(t) (2^g(i,t) - 1)

    NTCIREVAL calls it D-MSnDCG.

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 1, "b": 1}, "s2": {"b": 1}}}
    >>> evaluate(two, {"q": {"b": 2, "a": 1}}, ["D_nDCG@2"]).mean()
    {'run': {'D_nDCG@2': 1.0}}
    """
    return Parts(LOGARITHMIC, Gain("linear"), over="per-aspect")


@measure(
    bounds=Bounds("outer", _q_bounds),
    cite="sakai2011evaluating",
    compared=f"{NTCIREVAL}; {SAKAI_SONG}",
    ties=Ties(
        lambda hits, beta, gain, digits, cutoff: expected_ratios(
            global_gain(hits, gain, digits), beta, "linear", cutoff
        )[:, 0],
        lambda hits, gain, digits, **_: global_gain(hits, gain, digits).grade,
        steps=True,
    ),
)
def D_Q(
    hits: Hits, beta: Blend = 1.0, gain: GainRule = "exp", digits: Digits = None, cutoff: Cutoff = None
) -> Terms:
    """D-Q: the Q-measure of global gains.

    D-Q@k = 1/min(k,R) Σ_{i≤k} [GG_i > 0] (C(i) + β cg(i)) / (i + β cg*(i)), where all gains are global and R
    is the number of documents that are relevant to any intent

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 1, "b": 1}, "s2": {"b": 1}}}
    >>> evaluate(two, {"q": {"b": 2, "a": 1}}, ["D_Q@2"]).mean()
    {'run': {'D_Q@2': 1.0}}
    """
    return blended_ratios(global_gain(hits, gain, digits), beta, "linear", cutoff)


@measure(
    bounds="outer",
    cite="sakai2011evaluating",
    compared=f"{NTCIREVAL}; {SAKAI_SONG}",
    aliases="D#_nDCG",
)
def DSharp_nDCG(
    gamma: Gamma = 0.5, gain: GainRule = "exp", digits: Digits = None, cutoff: Cutoff = None
) -> Mixture:
    """D#-nDCG: the weighted mean of D-nDCG and the share of intents that are reached.

    D#-nDCG@k = γ I-rec@k + (1-γ) D-nDCG@k

    It is 1 only if the first k documents together reach all intents. One document may reach several.

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 1}, "s2": {"b": 1}}}
    >>> evaluate(two, {"q": {"b": 2, "a": 1}}, ["D#_nDCG@1", "DSharp_nDCG@2"]).mean()
    {'run': {'DSharp_nDCG@1': 0.75, 'DSharp_nDCG@2': 1.0}}
    """
    return sharp(gamma, D_nDCG(gain=gain, digits=digits, cutoff=cutoff))


@measure(
    bounds="outer",
    cite="sakai2011evaluating",
    compared=f"{NTCIREVAL}; {SAKAI_SONG}",
    aliases="D#_Q",
)
def DSharp_Q(
    gamma: Gamma = 0.5,
    beta: Blend = 1.0,
    gain: GainRule = "exp",
    digits: Digits = None,
    cutoff: Cutoff = None,
) -> Mixture:
    """D#-Q: the weighted mean of D-Q and the share of intents that are reached.

    D#-Q@k = γ I-rec@k + (1-γ) D-Q@k

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 1}, "s2": {"b": 1}}}
    >>> evaluate(two, {"q": {"b": 2, "a": 1}}, ["D#_Q@2"]).mean()
    {'run': {'DSharp_Q@2': 1.0}}
    """
    return sharp(gamma, D_Q(beta=beta, gain=gain, digits=digits, cutoff=cutoff))


@d_measure(
    cite="sakai2012intuitiveness",
    compared="NTCIREVAL's documented sample topic (its 4 decimals)",
    navigational=True,
)
def DIN_nDCG() -> Parts:
    """DIN-nDCG: D-nDCG in which a navigational intent is satisfied by its first document.

    DIN-nDCG@k = Σ_{i≤k} GG_i / log2(i + 1)  ÷  the ideal of D-nDCG, where a navigational intent adds to
    GG_i only if no document above i is relevant to it

    >>> from rankprism import evaluate, read_judgments
    >>> one = read_judgments({"q": {"s1": {"a": 1, "b": 1}}})
    >>> evaluate(one, {"q": {"b": 2, "a": 1}}, ["DIN_nDCG@2"]).mean()
    {'run': {'DIN_nDCG@2': 1.0}}
    """
    return Parts(LOGARITHMIC, Gain("linear"), over="per-aspect")


@measure(
    bounds="outer",
    cite="sakai2012intuitiveness",
    compared="NTCIREVAL's documented sample topic (its 4 decimals)",
    aliases="DIN#_nDCG",
)
def DINSharp_nDCG(
    gamma: Gamma = 0.5, gain: GainRule = "exp", digits: Digits = None, cutoff: Cutoff = None
) -> Mixture:
    """DIN#-nDCG: the weighted mean of DIN-nDCG and the share of intents that are reached.

    DIN#-nDCG@k = γ I-rec@k + (1-γ) DIN-nDCG@k

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 1}, "s2": {"b": 1}}}
    >>> evaluate(two, {"q": {"b": 2, "a": 1}}, ["DIN#_nDCG@2"]).mean()
    {'run': {'DINSharp_nDCG@2': 1.0}}
    """
    return sharp(gamma, DIN_nDCG(gain=gain, digits=digits, cutoff=cutoff))


def _expected_plus(hits: Hits, beta: float, gain: str, cutoff: int | None) -> Floats:
    """(N,) the expectation of P+Q over all orders of tied documents, which is linear in the intents"""
    from rankprism.measures.ties.scores import expected_per_aspect

    informational = expected_per_aspect(Q(beta=beta, gain=gain, cutoff=cutoff), hits)
    if not hits.pool.navigational[hits.topic].any():
        score = informational
    else:
        navigational = expected_per_aspect(P_plus(beta=beta, gain=gain, cutoff=cutoff), hits)
        score = np.where(hits.pool.navigational[hits.topic], navigational, informational)
    return expected(score, aspect_weights(hits, Gain(gain), weighted=True))


@measure(
    bounds=Bounds("outer", _plus_bounds),
    cite="sakai2012intuitiveness",
    aliases="P+Q",
    ties=Ties(lambda hits, **settings: _expected_plus(hits, **settings)),
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


@measure(bounds="outer", cite="sakai2012intuitiveness", aliases="P+Q#")
def P_plusQSharp(
    gamma: Gamma = 0.5, beta: Blend = 1.0, gain: GainRule = "exp", cutoff: Cutoff = None
) -> Mixture:
    """P+Q#: the weighted mean of P+Q and the share of intents that are reached.

    P+Q#@k = γ I-rec@k + (1-γ) P+Q@k

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 1}, "s2": {"b": 1}}}
    >>> evaluate(two, {"q": {"b": 2, "a": 1}}, ["P_plusQSharp@2"]).mean()
    {'run': {'P_plusQSharp@2': 0.9166666666666666}}
    """
    return sharp(gamma, P_plusQ(beta=beta, gain=gain, cutoff=cutoff))


# ── the cascades of NTCIREVAL, on global gains ───────────────────────────────────────────────────


@d_measure(cite="sakai2011evaluating", compared=NTCIREVAL)
def D_nERR() -> Parts:
    """D-nERR: normalised ERR of global gains, as in NTCIREVAL.

    D-nERR@k = Σ_{i≤k} 1/i · r_i Π_{j<i} (1 - r_j)  ÷  the same sum for the ideal,  r = GG / (GGmax + 1)

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"s1": {"a": 1}, "s2": {"b": 1}}}, {"q": {"b": 2, "a": 1}}, ["D_nERR@2"]).mean()
    {'run': {'D_nERR@2': 1.0}}
    """
    return Parts(RECIPROCAL, Gain("chance"), CASCADE, over="per-aspect")


@measure(
    bounds=Bounds(
        "outer",
        lambda c, beta, cutoff, **gain: _first(
            expected_blended_ratio(global_gains(c, cutoff=cutoff, absolute=True, **gain), beta)
        ),
    ),
    cite="sakai2011evaluating",
    compared=NTCIREVAL,
    ties=Ties(lambda hits, **settings: _expected_ebr(hits, **settings), steps=True),
)
def D_EBR(
    hits: Hits, beta: Blend = 1.0, gain: GainRule = "exp", digits: Digits = None, cutoff: Cutoff = None
) -> Terms:
    """D-EBR: the expected blended ratio of global gains, as in NTCIREVAL.

    D-EBR@k = Σ_{i≤k} BR(i) r_i Π_{j<i} (1 - r_j),  r = GG / (GGmax + 1), where BR is the blended ratio of D-Q

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"s1": {"a": 1}}}, {"q": {"a": 1}}, ["D_EBR@2"]).mean()
    {'run': {'D_EBR@2': 0.5}}
    """
    hits = global_gain(hits, gain, digits).top(cutoff)
    r = hit_gain(hits, Gain("chance"))
    return Terms({"blended ratio": blended_ratio(hits, beta, "linear"), "stop": r, "reach": CASCADE(r)})


def _expected_ebr(hits: Hits, beta: float, gain: str, digits: int | None, cutoff: int | None) -> Floats:
    from rankprism.measures.ties.graded import expected_stop_ratios

    folded = global_gain(hits, gain, digits)
    return expected_stop_ratios(folded, hit_gain(folded, Gain("chance")), folded.grade, beta, cutoff)[:, 0]


@d_measure(cite="sakai2019diversity", compared=NTCIREVAL)
def D_iRBU(p: Patience = 0.99) -> Parts:
    """D-iRBU: the intentwise rank-biased utility of global gains, as in NTCIREVAL.

    D-iRBU@k = Σ_{i≤k} p^i r_i Π_{j<i} (1 - r_j),  r = GG / (GGmax + 1)

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"s1": {"a": 1}}}, {"q": {"a": 1}}, ["D_iRBU@2"]).mean()
    {'run': {'D_iRBU@2': 0.495}}
    """
    return Parts(geometric(p), Gain("chance"), CASCADE, factor=p)


@d_measure(cite="sakai2011evaluating", compared=NTCIREVAL)
def D_RBP(p: Persistence = 0.95) -> Parts:
    """D-RBP: rank-biased precision of global gains, as in NTCIREVAL.

    D-RBP@k = (1 - p) Σ_{i≤k} p^(i-1) GG_i / GGmax, where GGmax is the topic's highest global gain

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"s1": {"a": 1}}}, {"q": {"a": 1}}, ["D_RBP(p=0.5)"]).mean()
    {'run': {'D_RBP(p=0.5)': 0.5}}
    """
    return Parts(geometric(p), Gain("share"), factor=1 - p)
