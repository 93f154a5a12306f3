"""Measures of one aspect. Each scores every aspect on its own, (N, A).

If the judgments have several aspects, a document counts with its highest grade. ``M_IA`` averages the scores
of the aspects instead. Graded measures that look at levels or at blended ratios are in `graded`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import numpy as np

from rankprism.data import Bools, Floats, Hits, Longs
from rankprism.data.hits import NOT_RELEVANT
from rankprism.measures.bounds.completions import Completions
from rankprism.measures.compared import GDEVAL, NDEVAL, SAKAI_SONG, TREC_EVAL
from rankprism.measures.declare import normalised, single
from rankprism.measures.family import Sum
from rankprism.measures.form import Pair, PlainPerAspect
from rankprism.measures.parameter import Cutoff, OneOf, Range, Role
from rankprism.measures.parts import (
    CASCADE,
    FIRST,
    LOGARITHMIC,
    MOST_EXPONENT,
    PRECISION,
    RECIPROCAL,
    UNIFORM,
    Gain,
    Parts,
    Persistence,
    Rel,
    binary,
    geometric,
    hit_gain,
    late,
    over_best,
    ratio,
    relevant,
)
from rankprism.measures.terms import Terms


@single(
    cite="vanrijsbergen1979information",
    compared=f"{TREC_EVAL}; P_IA: {NDEVAL}",
    aliases="Precision",
)
def P(rel: Rel = 1.0, cutoff: Cutoff = None) -> Sum:
    """Precision: the share of relevant documents among the first k.

    P@k = 1/k Σ_{i≤k} [g_i ≥ rel]

    A ranking that is shorter than k is scored as if non-relevant documents followed. If there is no cutoff, k
    is the length of the ranking.

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 1, "b": 0}}, {"q": {"a": 2, "b": 1}}, ["P@2", "P@4"]).mean()
    {'run': {'P@2': 0.5, 'P@4': 0.25}}
    """
    return Sum(Parts(UNIFORM, binary(rel), over="depth"), cutoff)


@single(
    cite="kantor2000trec",
    compared=TREC_EVAL,
    aliases="MRR",
)
def RR(rel: Rel = 1.0, cutoff: Cutoff = None) -> Sum:
    """Reciprocal rank: 1 divided by the rank of the first relevant document.

    RR = max_i [g_i ≥ rel] / i

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 0, "b": 1}}, {"q": {"a": 2, "b": 1}}, ["RR", "RR@1"]).mean()
    {'run': {'RR': 0.5, 'RR@1': 0.0}}
    """
    return Sum(Parts(RECIPROCAL, binary(rel), FIRST), cutoff)


@single(
    cite="vanrijsbergen1979information",
    compared=TREC_EVAL,
    aliases="Recall",
)
def R(rel: Rel = 1.0, cutoff: Cutoff = None) -> Sum:
    """Recall: the share of the relevant documents that are among the first k.

    R@k = 1/R Σ_{i≤k} [g_i ≥ rel], where R is the number of judged relevant documents

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 1, "b": 0, "c": 1}}, {"q": {"a": 3, "b": 2, "c": 1}}, ["R@2", "R"]).mean()
    {'run': {'R@2': 0.5, 'R': 1.0}}
    """
    return Sum(Parts(UNIFORM, binary(rel), over="relevant"), cutoff)


@single(cite="vanrijsbergen1979information")
def F1(rel: Rel = 1.0, cutoff: Cutoff = None) -> Sum:
    """F1: the harmonic mean of precision and recall.

    F1@k = 2 P R / (P + R) = 2/(k + R) Σ_{i≤k} [g_i ≥ rel], where R is the number of judged relevant documents

    If there is no cutoff, k is the length of the ranking. A ranking that is shorter than k is scored as if
    non-relevant documents followed.

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 1, "b": 0, "c": 1}}, {"q": {"a": 3, "b": 2, "c": 1}}, ["F1@2", "F1"]).mean()
    {'run': {'F1@2': 0.5, 'F1': 0.8}}
    """
    return Sum(Parts(UNIFORM, binary(rel), factor=2.0, over="depth and relevant"), cutoff)


@single(cite="tomlinson2006early", compared=TREC_EVAL)
def Success(rel: Rel = 1.0, cutoff: Cutoff = None) -> Sum:
    """Success: 1 if one of the first k documents is relevant, and 0 otherwise.

    Success@k = max_{i≤k} [g_i ≥ rel]

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 0, "b": 1}}, {"q": {"a": 2, "b": 1}}, ["Success@1", "Success@5"]).mean()
    {'run': {'Success@1': 0.0, 'Success@5': 1.0}}
    """
    return Sum(Parts(UNIFORM, binary(rel), FIRST), cutoff)


Normalize = Annotated[bool, "divide by the number of judged relevant documents"]


@single(
    cite="harman1992evaluation",
    compared=f"{TREC_EVAL}; AP_IA: {NDEVAL}",
    aliases="MAP",
)
def AP(rel: Rel = 1.0, normalize: Normalize = True, cutoff: Cutoff = None) -> Sum:
    """Average precision: the mean of the precision at the rank of each relevant document.

    AP@k = 1/R Σ_{i≤k} [g_i ≥ rel] · P@i, where R is the number of judged relevant documents

    With normalize=False, the sum is not divided by R.

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 1, "b": 0, "c": 1}}, {"q": {"a": 3, "b": 2, "c": 1}}, ["AP"]).mean()
    {'run': {'AP': 0.8333333333333333}}
    """
    return Sum(Parts(UNIFORM, binary(rel), PRECISION, over="relevant" if normalize else "none"), cutoff)


Times = Annotated[float, Range(0, above_low=True), "the multiple of R down to which documents count"]


@single(cite="buckley2005retrieval", compared=TREC_EVAL, aliases="RPrec")
def Rprec(rel: Rel = 1.0, times: Times = 1.0) -> PlainPerAspect:
    """R-precision: the precision at rank R, the number of relevant documents.

    Rprec = P@R, where R is the number of judged relevant documents; P@⌊times · R + 0.9⌋ at a multiple of R

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 1, "b": 0, "c": 1}}, {"q": {"a": 3, "b": 2, "c": 1}}, ["Rprec"]).mean()
    {'run': {'Rprec': 0.5}}
    """

    def depth(hits: Hits) -> Floats:
        """(N, A) the rank down to which documents count"""
        return np.floor(times * relevant(hits.pool, binary(rel))[hits.topic] + 0.9)

    def terms(hits: Hits) -> Terms:
        k = depth(hits)
        early = (hits.rank[:, None, :] <= k[:, :, None]).astype(np.float64)
        return Terms({"gain": hit_gain(hits, binary(rel)), "discount": early}, over=k)

    def over_orders(hits: Hits) -> Floats:
        from rankprism.measures.ties.graded import r_precision as expected_number

        k = depth(hits)
        return over_best(expected_number(hits, rel, k), k)

    return PlainPerAspect(
        terms=terms,
        bounds=lambda c: _bounds_of_r_precision(c, rel, times),
        is_exact=True,
        over_orders=over_orders,
        best_by=Gain("linear"),
        has_steps=True,
        is_deep=False,
        range=(0.0, 1.0),
    )


def _bounds_of_r_precision(c: Completions, rel: float, times: float) -> Pair:
    """Bounds of P@k, k = ⌊times · R + 0.9⌋: m new relevant documents raise R by m, and are ranked highest or
    lowest. Exact."""
    g = c.gains(binary(rel), None)
    R = g.ideal_least.sum(-1)[g.topic].astype(np.int64)[:, :, None]  # (N, A, 1)
    n = g.least.shape[-1]

    def counted(x: Floats | Bools) -> Longs:
        total = np.cumsum(x, axis=-1).astype(np.int64)
        return np.concatenate([np.zeros((*total.shape[:-1], 1), dtype=np.int64), total], axis=-1)

    m = np.arange(int(g.count.max(initial=0)) + 1)
    possible = (m <= g.count[:, None])[:, None, :] & ((m == 0) | (g.top[:, :, None] > 0))
    k = np.floor(times * (R + m) + 0.9)
    place = np.minimum(k.astype(np.int64), n)
    judged = np.take_along_axis(counted(g.least), place, -1)
    above = np.take_along_axis(np.broadcast_to(counted(g.free)[:, None, :], (*R.shape[:2], n + 1)), place, -1)
    below = g.count[:, None, None] - above
    best = ratio((judged + np.minimum(m, above)).astype(np.float64), k)
    worst = ratio((judged + np.maximum(m - below, 0)).astype(np.float64), k)
    return np.where(possible, worst, np.inf).min(-1), np.where(possible, best, 0.0).max(-1)


DcgForm = Annotated[
    str,
    OneOf(("log2", "exp-log2")),
    "the gain of grade g: log2 takes g itself, and exp-log2 takes 2^g - 1; both divide by log2(i + 1)",
]
DcgDiscount = Annotated[
    str,
    OneOf(("burges", "jk")),
    "what the gain at rank i is divided by: log2(i + 1) for burges; for jk, the discount of Järvelin & "
    "Kekäläinen, 1 before rank b and log_b(i) from there on",
]
DcgBase = Annotated[
    float,
    Range(1, above_low=True),
    "the base of the logarithm and the first rank with a discount, for discount='jk'",
]
GainOfGrade = Annotated[
    Mapping[float, float] | None,
    "the gain of each grade; a grade without an entry is its own gain",
    Role.GAINS,
]


@single(
    cite="jarvelin2002cumulated",
)
def DCG(
    dcg: DcgForm = "log2",
    gains: GainOfGrade = None,
    discount: DcgDiscount = "burges",
    b: DcgBase = 2.0,
    cutoff: Cutoff = None,
) -> Sum:
    """Discounted cumulative gain: the sum of the gains of all documents, discounted by rank.

    DCG@k = Σ_{i≤k} gain(g_i) / log2(i + 1)

    With discount='jk', the discount is that of Järvelin & Kekäläinen: 1 before rank b, and 1 / log_b(i) from
    there on.

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 2, "b": 1}}, {"q": {"a": 2}}, ["DCG@3", "DCG(dcg='exp-log2')@3"]).mean()
    {'run': {'DCG@3': 2.0, "DCG(dcg='exp-log2')@3": 3.0}}
    """
    kind = "linear" if dcg == "log2" else "exp"
    by_rank = LOGARITHMIC if discount == "burges" else late(b)
    return Sum(Parts(by_rank, Gain(kind, named=named_gains(gains))), cutoff)


def named_gains(gains: Mapping[float, float] | None) -> tuple[tuple[float, float], ...]:
    """The gains by grade, where documents of grade 0 have the grade that makes them hits."""
    return tuple((NOT_RELEVANT if grade == 0 else grade, gain) for grade, gain in (gains or {}).items())


@normalised(DCG, compared=f"{TREC_EVAL}; {GDEVAL}", aliases="NDCG")
def nDCG() -> None:
    """Normalised discounted cumulative gain: DCG divided by the DCG of the best possible ranking.

    DCG@k = Σ_{i≤k} gain(g_i) / log2(i + 1);  nDCG@k = DCG@k / DCG@k of the judged documents sorted by gain

    By default the gain is the grade, as in trec_eval. dcg='exp-log2' is the nDCG of gdeval. The discount
    log2(i + 1) is that of trec_eval, ir_measures, gdeval, ranx, scikit-learn and NTCIREVAL's MSnDCG. LensKit
    and NTCIREVAL's nDCG have discount='jk' with b=2, the one of Järvelin & Kekäläinen, in which the first b
    ranks count alike. docs/conventions.md lists the programs.

    >>> from rankprism import evaluate
    >>> judged, run = {"q": {"a": 3, "b": 5, "c": 4}}, {"q": ["a", "b"]}
    >>> print(evaluate(judged, run, ["nDCG", "nDCG(discount='jk')"]))
    run    nDCG  nDCG(discount='jk')
    ────────────────────────────────
    run  0.6821               0.7344
    """


RbpGain = Annotated[
    str,
    OneOf(("binary", "linear", "share", "probability")),
    "the gain of a grade: 1 for every grade of at least rel; the grade itself; g / gmax, where gmax is the "
    "topic's highest grade; or (2^g - 1) / 2^gmax",
    Role.GAIN,
]


@single(
    cite="moffat2008rank",
    forms={name: {"gain": "linear", "fold": "product"} for name in ("uRBP", "uRBPgr")},
)
def RBP(p: Persistence = 0.8, rel: Rel = 1.0, gain: RbpGain = "binary", cutoff: Cutoff = None) -> Sum:
    """Rank-biased precision: the gain of a user who goes on to the next document with probability p.

    RBP = (1 - p) Σ_i p^(i-1) gain(g_i); by default the gain is [g_i ≥ rel]

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 0, "b": 1}}, {"q": {"a": 2, "b": 1}}, ["RBP(p=0.5)"]).mean()
    {'run': {'RBP(p=0.5)': 0.25}}
    """
    return Sum(Parts(geometric(p), Gain(gain, rel), factor=1 - p), cutoff)


MaxRel = Annotated[
    float,
    Range(0, MOST_EXPONENT, above_low=True),
    "the highest grade of the scale, for gain='exp'",
    Role.HIGHEST,
]
ErrGain = Annotated[
    str,
    OneOf(("exp", "linear", "probability")),
    "probability that a document satisfies the user: (2^g - 1) / 2^max_rel; the grade itself; or (2^g - 1) / "
    "2^gmax, where gmax is the topic's highest grade",
    Role.GAIN,
]


@single(cite="chapelle2009expected", compared=GDEVAL)
def ERR(max_rel: MaxRel = 4.0, gain: ErrGain = "exp", cutoff: Cutoff = None) -> Sum:
    """Expected reciprocal rank: how early a user finds the first satisfying document and stops.

    ERR@k = Σ_{i≤k} 1/i · r_i Π_{j<i} (1 - r_j),  r = (2^g - 1) / 2^max_rel

    The highest grade of the default scale is 4, as in gdeval.

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 4, "b": 1}}, {"q": {"a": 2, "b": 1}}, ["ERR@20"]).mean()
    {'run': {'ERR@20': 0.939453125}}
    """
    chance = Gain("probability", max_rel=max_rel) if gain == "exp" else Gain(gain)
    return Sum(Parts(RECIPROCAL, chance, CASCADE), cutoff)


@normalised(ERR, cite="chapelle2009expected sakai2011evaluating", compared=SAKAI_SONG)
def nERR() -> None:
    """Normalised expected reciprocal rank: ERR divided by the ERR of the best possible ranking.

    nERR@k = ERR@k / ERR@k of the judged documents sorted by grade

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 1, "b": 0}}, {"q": {"b": 2, "a": 1}}, ["nERR@20"]).mean()
    {'run': {'nERR@20': 0.5}}
    """
