"""Measures of all aspects together that reward an aspect less if documents above serve it already.

All have the same form, Σ_i D(i) [Σ_t w_t g(i,t) N(i,t) - e]: see `rankprism.measures.parts.Parts`.
"""

from __future__ import annotations

import math
from typing import Annotated

from rankprism.measures.compared import NDEVAL
from rankprism.measures.declare import measure, normalised
from rankprism.measures.family import NoveltySum
from rankprism.measures.parameter import Cutoff, OneOf, Range, Role
from rankprism.measures.parts import (
    CASCADE,
    LOGARITHMIC,
    MOST_EXPONENT,
    RECIPROCAL,
    Alpha,
    Discount,
    Effort,
    Gain,
    GainRule,
    Parts,
    Patience,
    Persistence,
    Rel,
    Weighted,
    decay,
    geometric,
)


@measure(cite="clarke2008novelty", compared=NDEVAL, aliases="α_DCG")
def alpha_DCG(
    alpha: Alpha = 0.5,
    rel: Rel = 1.0,
    gain: GainRule = "binary",
    weighted: Weighted = False,
    cutoff: Cutoff = None,
) -> NoveltySum:
    """α-DCG: discounted gain, where each document on an aspect lowers its worth by the share α.

    α-DCG@k = Σ_{i≤k} G_i / log2(i + 1)  ÷  Σ_{i≤k} (1-α)^(i-1) / log2(i + 1),
    G_i = Σ_t w_t g(i,t) (1-α)^(documents on t above i)

    The divisor is the score of a ranking in which every document serves every aspect, as in ndeval.

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 1}, "s2": {"b": 1}}}
    >>> evaluate(two, {"q": {"a": 2, "b": 1}}, ["alpha_DCG@1"]).mean()
    {'run': {'alpha_DCG@1': 0.5}}
    """
    return NoveltySum(Parts(LOGARITHMIC, Gain(gain, rel), decay(alpha), weighted, over="everything"), cutoff)


@normalised(alpha_DCG, aliases="α_nDCG")
def alpha_nDCG() -> None:
    """α-nDCG: α-DCG divided by the α-DCG of the greedy ideal ranking.

    α-nDCG@k = Σ_{i≤k} G_i / log2(i + 1)  ÷  the same sum for the greedy ideal ranking,
    G_i = Σ_t w_t g(i,t) (1-α)^(documents on t above i)

    The greedy ideal is not always the best ranking, so a score can exceed 1. With ideal='exact' it cannot.

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 1, "c": 1}, "s2": {"b": 1}}}
    >>> evaluate(two, {"q": {"a": 3, "c": 2, "b": 1}}, ["alpha_nDCG@3"]).mean()
    {'run': {'alpha_nDCG@3': 0.9651954696014428}}
    """


Satisfaction = Annotated[
    str,
    OneOf(("binary", "linear", "probability")),
    "probability that a document satisfies the user: α for every grade of at least rel, as in ndeval; the "
    "grade itself; or (2^g - 1) / 2^gmax, where gmax is the topic's highest grade on the aspect",
    Role.GAIN,
]
Scale = Annotated[
    float | None,
    Range(0, MOST_EXPONENT, above_low=True),
    "the highest grade of the scale, which replaces gmax if gain='probability'",
]


@measure(
    cite="chapelle2009expected agrawal2009diversifying",
    compared=NDEVAL,
)
def ERR_IA(
    alpha: Alpha = 0.5,
    rel: Rel = 1.0,
    gain: Satisfaction = "binary",
    max_rel: Scale = None,
    cutoff: Cutoff = None,
) -> NoveltySum:
    """Intent-aware expected reciprocal rank: how early users with different intents find what they want.

    binary: ERR-IA@k = Σ_{i≤k} G_i / i  ÷  Σ_{i≤k} (1-α)^(i-1) / i,
    G_i = Σ_t w_t [g(i,t) ≥ rel] (1-α)^(documents on t above i), as in ndeval;
    graded: ERR-IA@k = Σ_t w_t Σ_{i≤k} 1/i · r(i,t) Π_{j<i} (1 - r(j,t)), as in the papers

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 1}, "s2": {"b": 1}}}
    >>> evaluate(two, {"q": {"a": 2, "b": 1}}, ["ERR_IA@1", "ERR_IA(gain='probability')@1"]).mean()
    {'run': {'ERR_IA@1': 0.5, "ERR_IA(gain='probability')@1": 0.25}}
    """
    if gain == "binary":
        return NoveltySum(
            Parts(RECIPROCAL, Gain(gain, rel, max_rel), decay(alpha), over="everything"), cutoff
        )
    return NoveltySum(Parts(RECIPROCAL, Gain(gain, rel, max_rel), CASCADE), cutoff)


@normalised(ERR_IA)
def nERR_IA() -> None:
    """Normalised ERR-IA: ERR-IA divided by the ERR-IA of the greedy ideal ranking.

    nERR-IA@k = Σ_{i≤k} G_i / i  ÷  the same sum for the greedy ideal ranking, G_i as in ERR_IA

    The graded form of Sakai and Song is nERR_IA(gain='probability',max_rel=h,ideal='per-aspect').

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 1, "c": 1}, "s2": {"b": 1}}}
    >>> evaluate(two, {"q": {"a": 3, "c": 2, "b": 1}}, ["nERR_IA@3"]).mean()
    {'run': {'nERR_IA@3': 0.95}}
    """


@measure(cite="clarke2009effectiveness", compared=NDEVAL)
def NRBP(
    alpha: Alpha = 0.5,
    beta: Persistence = 0.5,
    rel: Rel = 1.0,
    gain: GainRule = "binary",
    weighted: Weighted = False,
    cutoff: Cutoff = None,
) -> NoveltySum:
    """Novelty- and rank-biased precision: RBP in which each document on an aspect lowers its worth.

    NRBP = (1 - (1-α)β) Σ_i β^(i-1) G_i,  G_i = Σ_t w_t g(i,t) (1-α)^(documents on t above i)

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"s1": {"a": 1}, "s2": {"b": 1}}}, {"q": {"a": 2, "b": 1}}, ["NRBP"]).mean()
    {'run': {'NRBP': 0.5625}}
    """
    return NoveltySum(
        Parts(geometric(beta), Gain(gain, rel), decay(alpha), weighted, factor=1 - (1 - alpha) * beta), cutoff
    )


@normalised(NRBP)
def nNRBP() -> None:
    """Normalised NRBP: NRBP divided by the NRBP of the greedy ideal ranking.

    nNRBP = Σ_i β^(i-1) G_i  ÷  the same sum for the greedy ideal ranking, G_i as in NRBP

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"s1": {"a": 1}, "s2": {"b": 1}}}, {"q": {"a": 1}}, ["nNRBP"]).mean()
    {'run': {'nNRBP': 0.6666666666666666}}
    """


LogBase = Annotated[float, Range(1, above_low=True), "base of the logarithm in the discount"]


@measure(cite="yang2009modeling amigo2018axiomatic")
def EU(
    alpha: Alpha = 0.5,
    e: Effort = 0.05,
    base: LogBase = math.e,
    rel: Rel = 1.0,
    gain: GainRule = "probability",
    cutoff: Cutoff = None,
) -> NoveltySum:
    """Expected utility: the gain that is new in each document, minus the effort of reading it.

    EU = Σ_i (Σ_t w_t g(i,t) (1-α)^(documents on t above i) - e) / (1 + log i)

    By default the logarithm is natural. `base` changes its base.

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"s1": {"a": 1}, "s2": {"b": 1}}}, {"q": {"a": 1}}, ["EU(gain='binary')"]).mean()
    {'run': {"EU(gain='binary')": 0.45}}
    """
    return NoveltySum(Parts(Discount("slow", base), Gain(gain, rel), decay(alpha), effort=e), cutoff)


Need = Annotated[
    str,
    OneOf(("binary", "linear", "probability")),
    "probability that a document satisfies the user: 1 for every grade of at least rel; the grade itself; or "
    "(2^g - 1) / 2^gmax",
    Role.GAIN,
]
Form = Annotated[
    str,
    OneOf(("reference", "eq11")),
    "'reference': as in the authors' program, with p^(i-1), the factor 1-p, and aspect weights as given; "
    "'eq11': as in Eq. 11 of the paper, with p^i and weights that sum to 1",
]


@measure(
    cite="amigo2018axiomatic",
    compared="the authors' program on 27 runs of TREC Web 2009, 2012, 2014 (its 4 decimals)",
)
def RBU(
    p: Patience = 0.8,
    e: Effort = 0.03,
    form: Form = "reference",
    rel: Rel = 1.0,
    gain: Need = "probability",
    cutoff: Cutoff = None,
) -> NoveltySum:
    """Rank-biased utility: what users still need from each document, minus the effort of reading it.

    reference: RBU = (1-p) Σ_i p^(i-1) (Σ_t w_t r(i,t) Π_{j<i} (1 - r(j,t)) - e);
    eq11: RBU = Σ_i p^i (Σ_t w_t r(i,t) Π_{j<i} (1 - r(j,t)) - e);
    r = (2^g - 1) / 2^gmax, where gmax is the topic's highest grade on the aspect

    With gain='linear' it is the only measure that satisfies all ten constraints of its paper, if p is below 1
    but large enough, e > 0, and the constraints have the premises that the paper's proofs use (`rankprism
    axioms --reading proved`). As the constraints are printed, it violates Red and AspRel.

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"s1": {"a": 1}, "s2": {"b": 1}}}, {"q": {"a": 1}}, ["RBU", "RBU(form='eq11')"]).mean()
    {'run': {'RBU': 0.04399999999999999, "RBU(form='eq11')": 0.17600000000000002}}
    """
    is_reference = form == "reference"
    factor = 1 - p if is_reference else p
    return NoveltySum(
        Parts(geometric(p), Gain(gain, rel), CASCADE, effort=e, as_given=is_reference, factor=factor), cutoff
    )
