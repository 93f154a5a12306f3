"""D-measures: each document gets one global gain over all intents, which a single-aspect measure then scores.

The global gain of a document is GG = Σ_t Pr(t) gain(g(d,t)), where Pr(t) is the probability of an intent
(Sakai and Song 2011). The forms with # also count how many intents are reached. DIN and P+Q distinguish types
of intents: a navigational intent needs only one document.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from rankprism._core import sums_over_aspects
from rankprism.data import Floats, Hits, Pool
from rankprism.errors import MeasureError
from rankprism.measures.bounds.completions import Completions, Gains
from rankprism.measures.bounds.ranges import over_aspects, raw_weights
from rankprism.measures.compared import NTCIREVAL, SAKAI_SONG
from rankprism.measures.declare import measure, single
from rankprism.measures.family import Sum, best_of_one
from rankprism.measures.form import Pair, PerAspect, PlainPerAspect
from rankprism.measures.forms import Fold, Folded, OverAspects
from rankprism.measures.known.coverage import StRecall
from rankprism.measures.known.graded import Blend, P_plus, Q, blended_ratio, ratio_bounds
from rankprism.measures.known.single import RBP, nDCG
from rankprism.measures.measure import Measure
from rankprism.measures.mixture import Mixture
from rankprism.measures.parameter import Cutoff, Range
from rankprism.measures.parts import (
    ANY,
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
    geometric,
    hit_gain,
    live_weights,
    over_best,
    pool_gain,
    ratio,
    seen,
    total,
    weighted_sum,
)
from rankprism.measures.terms import Terms

Digits = Annotated[
    int | None,
    Range(0, 15),
    "round the gains of retrieved documents to this number of decimals; NTCIREVAL uses 4",
]
Gamma = Annotated[float, Range(0, 1), "the weight of I-rec; the D-measure has the remaining weight"]


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


@dataclass(frozen=True)
class GlobalGain(Fold):
    """The fold of D-measures: the grade of a document is its gain over all intents."""

    gain: str
    digits: int | None
    #: Whether a measure looks at the gains themselves and not only at their ratios, so that the weights must
    #: sum to 1.
    absolute: bool = False

    def hits(self, hits: Hits) -> Hits:
        return global_gain(hits, self.gain, self.digits)

    def completions(self, completions: Completions) -> GlobalCompletions:
        return GlobalCompletions(completions, self)


class Satisfied(GlobalGain):
    """The fold of DIN-measures: a navigational intent adds gain only to the first document on it."""

    in_order = True

    def hits(self, hits: Hits) -> Hits:
        return global_gain(hits, self.gain, self.digits, navigational=True)


@dataclass(frozen=True)
class GlobalCompletions:
    """What unjudged documents could gain over all intents, for a measure of one aspect."""

    given: Completions
    fold: GlobalGain

    @property
    def hits(self) -> Hits:
        return self.fold.hits(self.given.hits)

    def gains(self, gain: Gain, cutoff: int | None) -> Gains:
        """The gains of global gains, which are linear, or relative to the highest one of the topic."""
        fold = self.fold
        g = global_gains(self.given, fold.gain, fold.digits, cutoff, fold.in_order, fold.absolute)
        return chances(g) if gain.kind == "chance" else shares_of_highest(g) if gain.kind == "share" else g


def of_global_gains(measure: Measure, gain: str, digits: int | None, absolute: bool = False) -> Folded:
    """A measure of one aspect of global gains."""
    return Folded(measure, GlobalGain(gain, digits, absolute), "global gain")


class OfSatisfied(Folded):
    """nDCG of gains that a navigational intent adds only once, so they depend on the documents above."""

    def over_orders(self, hits: Hits) -> Floats | None:
        """Without rounding it is a sum over intents, of which a navigational one counts only once."""
        from rankprism.measures.ties.sums import expected_sums

        assert isinstance(self.fold, Satisfied)
        rule, cutoff = self.fold.gain, self.measure.cutoff
        if self.fold.digits is not None:
            return None
        every, first = (
            expected_sums(hits, Parts(LOGARITHMIC, Gain(rule), novelty), cutoff)
            for novelty in (NO_NOVELTY, FIRST)
        )
        each = np.where(hits.pool.navigational[hits.topic], first, every)
        gained = weighted_sum(each, aspect_weights(hits, Gain(rule), weighted=True))
        parts = self.measure.form.parts
        assert parts is not None
        return over_best(gained, best_of_one(global_gain(hits, rule, None), parts, cutoff)[:, 0])


def sharp(gamma: float, d: Measure) -> Mixture:
    """γ I-rec + (1-γ) D"""
    reached = StRecall(rel=ANY, cutoff=d.cutoff)
    return Mixture((("I-rec", gamma, reached), (d.definition.display, 1 - gamma, d)))


@measure(cite="sakai2011evaluating", compared=f"{NTCIREVAL}; {SAKAI_SONG}")
def D_nDCG(gain: GainRule = "exp", digits: Digits = None, cutoff: Cutoff = None) -> Folded:
    """D-nDCG: nDCG of global gains.

    D-nDCG@k = Σ_{i≤k} GG_i / log2(i + 1)  ÷  the same sum for the judged documents sorted by GG,
    GG_i = Σ_t Pr(t) (2^g(i,t) - 1)

    NTCIREVAL calls it D-MSnDCG.

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 1, "b": 1}, "s2": {"b": 1}}}
    >>> evaluate(two, {"q": {"b": 2, "a": 1}}, ["D_nDCG@2"]).mean()
    {'run': {'D_nDCG@2': 1.0}}
    """
    return of_global_gains(nDCG(cutoff=cutoff), gain, digits)


@measure(cite="sakai2011evaluating", compared=f"{NTCIREVAL}; {SAKAI_SONG}")
def D_Q(beta: Blend = 1.0, gain: GainRule = "exp", digits: Digits = None, cutoff: Cutoff = None) -> Folded:
    """D-Q: the Q-measure of global gains.

    D-Q@k = 1/min(k,R) Σ_{i≤k} [GG_i > 0] (C(i) + β cg(i)) / (i + β cg*(i)), where all gains are global and R
    is the number of documents that are relevant to any intent

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 1, "b": 1}, "s2": {"b": 1}}}
    >>> evaluate(two, {"q": {"b": 2, "a": 1}}, ["D_Q@2"]).mean()
    {'run': {'D_Q@2': 1.0}}
    """
    return of_global_gains(Q(beta=beta, gain="linear", cutoff=cutoff), gain, digits, absolute=True)


@measure(
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


@measure(
    cite="sakai2012intuitiveness",
    compared="NTCIREVAL's documented sample topic (its 4 decimals)",
)
def DIN_nDCG(gain: GainRule = "exp", digits: Digits = None, cutoff: Cutoff = None) -> OfSatisfied:
    """DIN-nDCG: D-nDCG in which a navigational intent is satisfied by its first document.

    DIN-nDCG@k = Σ_{i≤k} GG_i / log2(i + 1)  ÷  the ideal of D-nDCG, where a navigational intent adds to
    GG_i only if no document above i is relevant to it

    >>> from rankprism import evaluate, read_judgments
    >>> one = read_judgments({"q": {"s1": {"a": 1, "b": 1}}})
    >>> evaluate(one, {"q": {"b": 2, "a": 1}}, ["DIN_nDCG@2"]).mean()
    {'run': {'DIN_nDCG@2': 1.0}}
    """
    return OfSatisfied(nDCG(cutoff=cutoff), Satisfied(gain, digits), "global gain")


@measure(
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


@dataclass(frozen=True, eq=False)
class ByIntent(PerAspect):
    """A measure of informational intents, and another one of navigational intents."""

    informational: Measure
    navigational: Measure
    range = (0.0, 1.0)

    def _chosen(self, hits: Hits, of_each: Callable[[Measure], Floats]) -> Floats:
        """(N, A) what one of the measures gives on each intent"""
        is_navigational, informational = hits.pool.navigational[hits.topic], of_each(self.informational)
        if not is_navigational.any():
            return informational
        return np.where(is_navigational, of_each(self.navigational), informational)

    def per_aspect(self, hits: Hits) -> Floats:
        return self._chosen(hits, lambda measure: measure.per_aspect(hits))

    def bounds(self, completions: Completions) -> Pair:
        low = self._chosen(completions.hits, lambda measure: measure.bounds_per_aspect(completions)[0])
        return low, self._chosen(completions.hits, lambda measure: measure.bounds_per_aspect(completions)[1])

    def over_orders(self, hits: Hits) -> Floats:
        from rankprism.measures.ties.scores import expected_per_aspect

        return self._chosen(hits, lambda measure: expected_per_aspect(measure, hits))


@single(listed=False)
def Q_or_P_plus(beta: Blend = 1.0, gain: GainRule = "exp", cutoff: Cutoff = None) -> ByIntent:
    """Q for informational intents and P+ for navigational intents."""
    return ByIntent(
        Q(beta=beta, gain=gain, cutoff=cutoff), navigational=P_plus(beta=beta, gain=gain, cutoff=cutoff)
    )


@measure(cite="sakai2012intuitiveness", aliases="P+Q")
def P_plusQ(beta: Blend = 1.0, gain: GainRule = "exp", cutoff: Cutoff = None) -> OverAspects:
    """P+Q: Q for informational intents and P+ for navigational intents.

    P+Q@k = Σ_{t informational} Pr(t) Q_t@k + Σ_{t navigational} Pr(t) P+_t@k

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 1}, "s2": {"b": 1}}}
    >>> evaluate(two, {"q": {"b": 2, "a": 1}}, ["P+Q@2"]).mean()
    {'run': {'P_plusQ@2': 0.8333333333333333}}
    """
    return OverAspects(Q_or_P_plus(beta=beta, gain=gain, cutoff=cutoff), live=Gain(gain))


@measure(cite="sakai2012intuitiveness", aliases="P+Q#")
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


@single(listed=False)
def nERR_of_chances(cutoff: Cutoff = None) -> Sum:
    """nERR of the chances GG / (GGmax + 1)."""
    return Sum(Parts(RECIPROCAL, Gain("chance"), CASCADE, over="per-aspect"), cutoff)


@measure(cite="sakai2011evaluating", compared=NTCIREVAL)
def D_nERR(gain: GainRule = "exp", digits: Digits = None, cutoff: Cutoff = None) -> Folded:
    """D-nERR: normalised ERR of global gains, as in NTCIREVAL.

    D-nERR@k = Σ_{i≤k} 1/i · r_i Π_{j<i} (1 - r_j)  ÷  the same sum for the ideal,  r = GG / (GGmax + 1)

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"s1": {"a": 1}, "s2": {"b": 1}}}, {"q": {"b": 2, "a": 1}}, ["D_nERR@2"]).mean()
    {'run': {'D_nERR@2': 1.0}}
    """
    return of_global_gains(nERR_of_chances(cutoff=cutoff), gain, digits, absolute=True)


@single(listed=False)
def EBR_of_chances(beta: Blend = 1.0, cutoff: Cutoff = None) -> PlainPerAspect:
    """EBR of the chances GG / (GGmax + 1)."""

    def terms(hits: Hits) -> Terms:
        hits = hits.top(cutoff)
        r = hit_gain(hits, Gain("chance"))
        return Terms({"blended ratio": blended_ratio(hits, beta, "linear"), "stop": r, "reach": CASCADE(r)})

    def over_orders(hits: Hits) -> Floats:
        from rankprism.measures.ties.graded import expected_stop_ratios

        return expected_stop_ratios(hits, hit_gain(hits, Gain("chance")), hits.grade, beta, cutoff)

    return PlainPerAspect(
        terms=terms,
        bounds=lambda c: expected_blended_ratio(c.gains(Gain("linear"), cutoff), beta),
        over_orders=over_orders,
        has_steps=True,
        is_deep=False,
        range=(0.0, 1.0),
    )


@measure(cite="sakai2011evaluating", compared=NTCIREVAL)
def D_EBR(beta: Blend = 1.0, gain: GainRule = "exp", digits: Digits = None, cutoff: Cutoff = None) -> Folded:
    """D-EBR: the expected blended ratio of global gains, as in NTCIREVAL.

    D-EBR@k = Σ_{i≤k} BR(i) r_i Π_{j<i} (1 - r_j),  r = GG / (GGmax + 1), where BR is the blended ratio of D-Q

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"s1": {"a": 1}}}, {"q": {"a": 1}}, ["D_EBR@2"]).mean()
    {'run': {'D_EBR@2': 0.5}}
    """
    return of_global_gains(EBR_of_chances(beta=beta, cutoff=cutoff), gain, digits, absolute=True)


@single(listed=False)
def iRBU_of_chances(p: Patience = 0.99, cutoff: Cutoff = None) -> Sum:
    """iRBU of the chances GG / (GGmax + 1)."""
    return Sum(Parts(geometric(p), Gain("chance"), CASCADE, factor=p), cutoff)


@measure(cite="sakai2019diversity", compared=NTCIREVAL)
def D_iRBU(
    p: Patience = 0.99, gain: GainRule = "exp", digits: Digits = None, cutoff: Cutoff = None
) -> Folded:
    """D-iRBU: the intentwise rank-biased utility of global gains, as in NTCIREVAL.

    D-iRBU@k = Σ_{i≤k} p^i r_i Π_{j<i} (1 - r_j),  r = GG / (GGmax + 1)

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"s1": {"a": 1}}}, {"q": {"a": 1}}, ["D_iRBU@2"]).mean()
    {'run': {'D_iRBU@2': 0.495}}
    """
    return of_global_gains(iRBU_of_chances(p=p, cutoff=cutoff), gain, digits, absolute=True)


@measure(cite="sakai2011evaluating", compared=NTCIREVAL)
def D_RBP(
    p: Persistence = 0.95, gain: GainRule = "exp", digits: Digits = None, cutoff: Cutoff = None
) -> Folded:
    """D-RBP: rank-biased precision of global gains, as in NTCIREVAL.

    D-RBP@k = (1 - p) Σ_{i≤k} p^(i-1) GG_i / GGmax, where GGmax is the topic's highest global gain

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"s1": {"a": 1}}}, {"q": {"a": 1}}, ["D_RBP(p=0.5)"]).mean()
    {'run': {'D_RBP(p=0.5)': 0.5}}
    """
    return of_global_gains(RBP(p=p, gain="share", cutoff=cutoff), gain, digits)


# ── bounds if judgments are missing: global gains as the gains of one aspect, (N, 1) ─────────────


def global_gains(
    c: Completions,
    gain: str,
    digits: int | None,
    cutoff: int | None,
    navigational: bool = False,
    absolute: bool = False,
) -> Gains:
    """The gains of documents over all aspects, Σ_t Pr(t) gain(g(d,t)), as gains of one aspect.

    If a measure only compares gains, the weights need not sum to 1. For `absolute` gains they sum to 1 over
    the aspects that count: at least those that have a relevant document now, at most those that may have one.
    """
    if digits is not None:
        raise MeasureError(
            "no bounds are known for gains that are rounded in the ranking and not in the ideal; leave out "
            "digits"
        )
    g = c.gains(Gain(gain), cutoff)
    weight = raw_weights(c, True)
    by_topic = c.hits.pool.weight
    least, most, is_sure = g.least, g.most, g.is_sure and not absolute
    if navigational:
        # A navigational intent gives its gain only to the first document on it.
        wants_one = c.hits.pool.navigational[c.hits.topic][:, :, None]
        is_sure = is_sure and not wants_one.any()
        least, most = (
            np.where(wants_one & (seen(g.crowded) > 0), 0.0, least),
            np.where(wants_one & (seen(g.least) > 0), 0.0, most),
        )
    pools = [Gain(gain)(c.hits.pool.grade, x) for x in (c.peak, c.hits.pool.highest)]
    ideals = [-np.sort(-sums_over_aspects(x, by_topic), axis=-1) for x in pools]
    top = weighted_sum(g.top, weight)
    bottom = np.where(weight * g.bottom > 0, weight * g.bottom, np.inf).min(-1, initial=np.inf)
    bottom = np.where(np.isinf(bottom), 0.0, bottom)
    if navigational:
        bottom = np.where(wants_one.any((1, 2)), 0.0, bottom)  # a new document may gain nothing
    known, open_ = np.ones(len(weight)), np.ones(len(weight))
    topics = np.ones(len(by_topic)), np.ones(len(by_topic))
    if absolute:
        live = c.hits.pool.counting((pools[1] > 0).any(-1))
        could = live | (c.level.max(-1, initial=0.0) > 0)
        topics = total(np.where(could, by_topic, 0.0)), total(np.where(live, by_topic, 0.0))
        open_, known = (x[c.hits.topic] for x in topics)
        top = over_aspects(g.top, g.top, weight, g.live, g.maybe)[1]
        bottom = ratio(bottom, open_)
    low = ratio(sums_over_aspects(least, weight), open_[:, None])
    # Judged documents count most if the fewest aspects count. Unjudged documents gain `top`.
    judged = np.where(g.free[:, None, :], 0.0, most)
    high = np.where(g.free, top[:, None], ratio(sums_over_aspects(judged, weight), known[:, None]))
    if navigational:
        high = np.where(g.free, sums_over_aspects(most, weight), high)
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


def chances(g: Gains) -> Gains:
    """Bounds of the chance to satisfy, GG / (GGmax + 1). GGmax is at least the highest GG of the judged
    documents, and at most the highest GG of judged and new ones. A new document with the gain x has at most
    the chance x / (x + 1), which grows with x."""
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
    r = chances(g)
    least, most = ratio_bounds(g, beta)
    low = total(least * r.least * CASCADE(r.most))
    high = np.minimum(total(most * r.most * CASCADE(r.least)), total(r.most * CASCADE(r.most)))
    return low, high


def shares_of_highest(g: Gains) -> Gains:
    """Bounds of the gain GG / GGmax. No document gains more than GGmax, which is at least the highest GG of
    the judged documents, and at most the highest GG of judged and new ones."""
    least = g.ideal_least.max(-1, initial=0.0)[g.topic][:, :, None]
    most = np.maximum(g.ideal_most.max(-1, initial=0.0)[g.topic], g.top)[:, :, None]
    high = np.where(g.free[:, None, :], (g.top > 0)[:, :, None], np.minimum(ratio(g.most, least), 1.0))
    return replace(g, least=ratio(g.least, most), most=high)
