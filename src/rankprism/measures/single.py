"""Measures of one aspect. Each scores every aspect on its own, (N, A).

If the judgments have several aspects, a document counts with its highest grade. ``M_IA`` averages the scores
of the aspects instead. Graded measures that look at levels or at blended ratios are in `graded`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Annotated

import numpy as np

from rankprism._core import highest
from rankprism.arrays import Floats
from rankprism.data.hits import Hits
from rankprism.errors import MeasureError
from rankprism.measures import tables
from rankprism.measures.bounds.completions import Completions, Gains
from rankprism.measures.bounds.ranges import Pair, discounted, probability, rising
from rankprism.measures.bounds.single import (
    average_precision,
    cascade,
    cascade_over_ideal,
    f1,
    over_sorted_ideal,
    precision,
    r_precision,
    recall,
    reciprocal_rank,
    success,
)
from rankprism.measures.compared import GDEVAL, NDEVAL, SAKAI_SONG, TREC_EVAL
from rankprism.measures.declare import normalised_single, single
from rankprism.measures.measure import Bounds
from rankprism.measures.parameter import Cutoff, OneOf, Range, Role
from rankprism.measures.parts import (
    CASCADE,
    FIRST,
    LOGARITHMIC,
    MOST_EXPONENT,
    ONE,
    RECIPROCAL,
    Gain,
    Persistence,
    Rel,
    binary,
    check_exponent,
    discounted_sum,
    geometric,
    hit_discount,
    hit_gain,
    hit_seen,
    over_best,
    pool_gain,
    ratio,
    total,
)


@single(
    keeps="CloseTh",
    keeps_ia="CloseTh AspRel",
    bounds=Bounds("exact", precision),
    cite="vanrijsbergen1979information",
    compared=f"{TREC_EVAL}; P_IA: {NDEVAL}",
    aliases="Precision",
    made_of=lambda hits, rel, cutoff: {
        "gain": hit_gain(hits.top(cutoff), binary(rel)),
        "scale": ratio(np.ones(()), hits.depth(cutoff))[:, None, None],
    },
)
def P(hits: Hits, rel: Rel = 1.0, cutoff: Cutoff = None) -> Floats:
    """Precision: the share of relevant documents among the first k.

    P@k = 1/k Σ_{i≤k} [g_i ≥ rel]

    A ranking that is shorter than k is scored as if non-relevant documents followed. If there is no cutoff, k
    is the length of the ranking.

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 1, "b": 0}}, {"q": {"a": 2, "b": 1}}, ["P@2", "P@4"]).mean()
    {'run': {'P@2': 0.5, 'P@4': 0.25}}
    """
    relevant = hit_gain(hits.top(cutoff), binary(rel))
    return ratio(relevant.sum(-1), hits.depth(cutoff)[:, None])


@single(
    keeps="DeepTh Sat",
    keeps_ia="DeepTh Sat AspRel*",
    bounds=Bounds("exact", reciprocal_rank),
    cite="kantor2000trec",
    compared=TREC_EVAL,
    aliases="MRR",
    made_of=lambda hits, rel, cutoff: {
        "gain": (relevant := hit_gain(hits.top(cutoff), binary(rel))),
        "novelty": FIRST(relevant),
        "discount": hit_discount(hits.top(cutoff), RECIPROCAL)[:, None, :],
    },
)
def RR(hits: Hits, rel: Rel = 1.0, cutoff: Cutoff = None) -> Floats:
    """Reciprocal rank: 1 divided by the rank of the first relevant document.

    RR = max_i [g_i ≥ rel] / i

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 0, "b": 1}}, {"q": {"a": 2, "b": 1}}, ["RR", "RR@1"]).mean()
    {'run': {'RR': 0.5, 'RR@1': 0.0}}
    """
    hits = hits.top(cutoff)
    best: Floats = (hit_gain(hits, binary(rel)) * hit_discount(hits, RECIPROCAL)[:, None, :]).max(
        -1, initial=0.0
    )
    return best


@single(
    keeps="CloseTh",
    keeps_ia="CloseTh",
    bounds=Bounds("exact", recall),
    cite="vanrijsbergen1979information",
    compared=TREC_EVAL,
    aliases="Recall",
)
def R(hits: Hits, rel: Rel = 1.0, cutoff: Cutoff = None) -> Floats:
    """Recall: the share of the relevant documents that are among the first k.

    R@k = 1/R Σ_{i≤k} [g_i ≥ rel], where R is the number of judged relevant documents

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 1, "b": 0, "c": 1}}, {"q": {"a": 3, "b": 2, "c": 1}}, ["R@2", "R"]).mean()
    {'run': {'R@2': 0.5, 'R': 1.0}}
    """
    relevant = hit_gain(hits.top(cutoff), binary(rel))
    return ratio(relevant.sum(-1), pool_gain(hits.pool, binary(rel)).sum(-1)[hits.topic])


@single(
    keeps="CloseTh",
    keeps_ia="CloseTh",
    bounds=Bounds("exact", f1),
    cite="vanrijsbergen1979information",
    made_of=lambda hits, rel, cutoff: {
        "gain": hit_gain(hits.top(cutoff), binary(rel)),
        "scale": ratio(np.full((), 2.0), _retrieved_and_relevant(hits, rel, cutoff))[:, :, None],
    },
)
def F1(hits: Hits, rel: Rel = 1.0, cutoff: Cutoff = None) -> Floats:
    """F1: the harmonic mean of precision and recall.

    F1@k = 2 P R / (P + R) = 2/(k + R) Σ_{i≤k} [g_i ≥ rel], where R is the number of judged relevant documents

    If there is no cutoff, k is the length of the ranking. A ranking that is shorter than k is scored as if
    non-relevant documents followed.

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 1, "b": 0, "c": 1}}, {"q": {"a": 3, "b": 2, "c": 1}}, ["F1@2", "F1"]).mean()
    {'run': {'F1@2': 0.5, 'F1': 0.8}}
    """
    found = hit_gain(hits.top(cutoff), binary(rel)).sum(-1)
    return ratio(2 * found, _retrieved_and_relevant(hits, rel, cutoff))


def _retrieved_and_relevant(hits: Hits, rel: float, cutoff: int | None) -> Floats:
    """k + R for each ranking and aspect."""
    relevant: Floats = pool_gain(hits.pool, binary(rel)).sum(-1)[hits.topic]
    return hits.depth(cutoff)[:, None] + relevant


@single(
    keeps="Sat",
    keeps_ia="Sat AspRel*",
    bounds=Bounds("exact", success),
    cite="tomlinson2006early",
    compared=TREC_EVAL,
)
def Success(hits: Hits, rel: Rel = 1.0, cutoff: Cutoff = None) -> Floats:
    """Success: 1 if one of the first k documents is relevant, and 0 otherwise.

    Success@k = max_{i≤k} [g_i ≥ rel]

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 0, "b": 1}}, {"q": {"a": 2, "b": 1}}, ["Success@1", "Success@5"]).mean()
    {'run': {'Success@1': 0.0, 'Success@5': 1.0}}
    """
    return highest(hit_gain(hits.top(cutoff), binary(rel)))


Normalize = Annotated[bool, "divide by the number of judged relevant documents"]


@single(
    keeps="CloseTh",
    keeps_ia="CloseTh",
    bounds=Bounds("exact", average_precision),
    cite="harman1992evaluation",
    compared=f"{TREC_EVAL}; AP_IA: {NDEVAL}",
    aliases="MAP",
    made_of=lambda hits, **settings: _of_precision(hits, **settings),
)
def AP(hits: Hits, rel: Rel = 1.0, normalize: Normalize = True, cutoff: Cutoff = None) -> Floats:
    """Average precision: the mean of the precision at the rank of each relevant document.

    AP@k = 1/R Σ_{i≤k} [g_i ≥ rel] · P@i, where R is the number of judged relevant documents

    With normalize=False, the sum is not divided by R.

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 1, "b": 0, "c": 1}}, {"q": {"a": 3, "b": 2, "c": 1}}, ["AP"]).mean()
    {'run': {'AP': 0.8333333333333333}}
    """
    hits = hits.top(cutoff)
    if not normalize:
        return precision_sum(hits, rel)
    return ratio(precision_sum(hits, rel), _relevant(hits, rel))


def precision_sum(hits: Hits, rel: float) -> Floats:
    """(N, A) Σ_i [g_i ≥ rel] · P@i"""
    precision: Floats = hit_seen(hits, binary(rel)) + np.float64(1)
    precision /= hits.rank[:, None, :].astype(np.float64)
    precision *= hit_gain(hits, binary(rel))  # only at the ranks of relevant documents
    return total(precision)


def _of_precision(hits: Hits, rel: float, normalize: bool, cutoff: int | None) -> dict[str, Floats]:
    hits = hits.top(cutoff)
    relevant = hit_gain(hits, binary(rel))
    found = {"gain": relevant, "precision": np.cumsum(relevant, axis=-1) / hits.rank[:, None, :]}
    return found | ({"scale": ratio(np.ones(()), _relevant(hits, rel))[:, :, None]} if normalize else {})


def _of_r_precision(hits: Hits, rel: float) -> dict[str, Floats]:
    R = _relevant(hits, rel)[:, :, None]
    return {
        "gain": hit_gain(hits, binary(rel)),
        "discount": (hits.rank[:, None, :] <= R).astype(np.float64),  # below rank R nothing counts
        "scale": ratio(np.ones(()), R),
    }


def _relevant(hits: Hits, rel: float) -> Floats:
    """(N, A) R, the number of judged relevant documents"""
    return np.asarray(pool_gain(hits.pool, binary(rel)).sum(-1)[hits.topic])


@single(
    keeps="DeepTh",
    keeps_ia="DeepTh",
    bounds=Bounds("exact", r_precision),
    cite="buckley2005retrieval",
    compared=TREC_EVAL,
    aliases="RPrec",
    made_of=lambda hits, rel: _of_r_precision(hits, rel),
)
def Rprec(hits: Hits, rel: Rel = 1.0) -> Floats:
    """R-precision: the precision at rank R, the number of relevant documents.

    Rprec = P@R, where R is the number of judged relevant documents

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 1, "b": 0, "c": 1}}, {"q": {"a": 3, "b": 2, "c": 1}}, ["Rprec"]).mean()
    {'run': {'Rprec': 0.5}}
    """
    R = _relevant(hits, rel)
    early = hit_gain(hits, binary(rel)) * (hits.rank[:, None, :] <= R[:, :, None])
    return ratio(early.sum(-1), R)


DcgForm = Annotated[
    str,
    OneOf(("log2", "exp-log2")),
    "the gain of grade g: log2 takes g itself, and exp-log2 takes 2^g - 1; the discount is log2(i + 1)",
]
GainOfGrade = Annotated[
    Mapping[float, float] | None, "the gain of each grade; a grade that is not named is its own gain"
]


def _dcg_gain(grade: Floats, dcg: str, gains: Mapping[float, float] | None) -> Floats:
    if gains:
        named = [grade == g for g in gains]
        grade = np.maximum(np.select(named, [np.full_like(grade, x) for x in gains.values()], grade), 0.0)
    if dcg == "log2":
        return grade
    check_exponent(grade)
    return tables.exp2(grade) - 1


@single(
    keeps="Pri Deep CloseTh AspDiv",
    keeps_ia="Pri Deep CloseTh AspDiv AspRel",
    bounds=Bounds("exact", lambda c, cutoff, **gain: _dcg_bounds(_open_gain(c, cutoff=cutoff, **gain))),
    cite="jarvelin2002cumulated",
    made_of=lambda hits, dcg, gains, cutoff: {
        "gain": _dcg_gain(hits.top(cutoff).grade, dcg, gains),
        "discount": hit_discount(hits.top(cutoff), LOGARITHMIC)[:, None, :],
    },
)
def DCG(hits: Hits, dcg: DcgForm = "log2", gains: GainOfGrade = None, cutoff: Cutoff = None) -> Floats:
    """Discounted cumulative gain: the sum of the gains of all documents, discounted by rank.

    DCG@k = Σ_{i≤k} gain(g_i) / log2(i + 1)

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 2, "b": 1}}, {"q": {"a": 2}}, ["DCG@3", "DCG(dcg='exp-log2')@3"]).mean()
    {'run': {'DCG@3': 2.0, "DCG(dcg='exp-log2')@3": 3.0}}
    """
    hits = hits.top(cutoff)
    return discounted_sum(_dcg_gain(hits.grade, dcg, gains), hit_discount(hits, LOGARITHMIC))


@normalised_single(
    DCG,
    by=_dcg_gain,
    keeps="Pri Deep CloseTh AspDiv",
    keeps_ia="Pri Deep CloseTh AspDiv",
    bounds=Bounds(
        "outer",
        lambda c, cutoff, **gain: over_sorted_ideal(
            _open_gain(c, cutoff=cutoff, **gain), LOGARITHMIC, cutoff
        ),
    ),
    cite="jarvelin2002cumulated",
    compared=f"{TREC_EVAL}; {GDEVAL}",
    aliases="NDCG",
)
def nDCG() -> None:
    """Normalised discounted cumulative gain: DCG divided by the DCG of the best possible ranking.

    DCG@k = Σ_{i≤k} gain(g_i) / log2(i + 1);  nDCG@k = DCG@k / DCG@k of the judged documents sorted by gain

    By default the gain is the grade, as in trec_eval. dcg='exp-log2' is the nDCG of gdeval.

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 2, "b": 1}}, {"q": {"b": 2, "a": 1}}, ["nDCG"]).mean()
    {'run': {'nDCG': 0.8597186998521971}}
    """


def _open_gain(c: Completions, dcg: str, gains: Mapping[float, float] | None, cutoff: int | None) -> Gains:
    return c.gains(partial(_dcg_gain, dcg=dcg, gains=gains), cutoff, also=tuple(gains or ()))


def _dcg_bounds(g: Gains) -> Pair:
    return rising(g, lambda gain: discounted(gain, LOGARITHMIC))


RbpGain = Annotated[
    str,
    OneOf(("binary", "linear", "probability")),
    "the gain of a grade: 1 for every grade from rel on; the grade itself; or (2^g - 1) / 2^gmax, where gmax "
    "is the topic's highest grade",
    Role.GAIN,
]


@single(
    keeps="DeepTh CloseTh",
    keeps_ia="DeepTh CloseTh AspRel",
    bounds=Bounds("exact", lambda c, **settings: _rbp_bounds(c, **settings)),
    cite="moffat2008rank",
    forms={name: {"gain": "linear", "fold": "product"} for name in ("uRBP", "uRBPgr")},
    made_of=lambda hits, p, rel, gain, cutoff: {
        "gain": hit_gain(hits.top(cutoff), Gain(gain, rel)),
        "discount": hit_discount(hits.top(cutoff), geometric(p))[:, None, :],
        "scale": np.full((len(hits.rank), 1, 1), 1 - p),
    },
)
def RBP(
    hits: Hits, p: Persistence = 0.8, rel: Rel = 1.0, gain: RbpGain = "binary", cutoff: Cutoff = None
) -> Floats:
    """Rank-biased precision: the gain of a user who goes on to the next document with probability p.

    RBP = (1 - p) Σ_i p^(i-1) gain(g_i); by default the gain is [g_i ≥ rel]

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 0, "b": 1}}, {"q": {"a": 2, "b": 1}}, ["RBP(p=0.5)"]).mean()
    {'run': {'RBP(p=0.5)': 0.25}}
    """
    hits = hits.top(cutoff)
    gained = discounted_sum(hit_gain(hits, Gain(gain, rel)), hit_discount(hits, geometric(p)))
    return over_best((1 - p) * gained, ONE)


def _rbp_bounds(c: Completions, p: float, rel: float, gain: str, cutoff: int | None) -> Pair:
    g = c.gains(Gain(gain, rel), cutoff)
    return rising(g, lambda worth: (1 - p) * discounted(worth, geometric(p)))


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


@single(
    keeps="Pri Deep DeepTh AspDiv",
    bounds=Bounds("outer", lambda c, cutoff, **gain: cascade(_open_chance(c, cutoff=cutoff, **gain))),
    cite="chapelle2009expected",
    compared=GDEVAL,
    made_of=lambda hits, max_rel, gain, cutoff: of_cascade(
        satisfaction((top := hits.top(cutoff)).grade, top, gain, max_rel), hit_discount(top, RECIPROCAL)
    ),
)
def ERR(hits: Hits, max_rel: MaxRel = 4.0, gain: ErrGain = "exp", cutoff: Cutoff = None) -> Floats:
    """Expected reciprocal rank: how early a user stops who stops at the first satisfying document.

    ERR@k = Σ_{i≤k} 1/i · r_i Π_{j<i} (1 - r_j),  r = (2^g - 1) / 2^max_rel

    The highest grade of the default scale is 4, as in gdeval.

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 4, "b": 1}}, {"q": {"a": 2, "b": 1}}, ["ERR@20"]).mean()
    {'run': {'ERR@20': 0.939453125}}
    """
    hits = hits.top(cutoff)
    r = satisfaction(hits.grade, hits, gain, max_rel)
    return discounted_sum(r * CASCADE(r), hit_discount(hits, RECIPROCAL))


@normalised_single(
    ERR,
    keeps="Pri Deep DeepTh AspDiv",
    bounds=Bounds(
        "outer", lambda c, cutoff, **gain: cascade_over_ideal(_open_chance(c, cutoff=cutoff, **gain), cutoff)
    ),
    cite="chapelle2009expected sakai2011evaluating",
    compared=SAKAI_SONG,
)
def nERR() -> None:
    """Normalised expected reciprocal rank: ERR divided by the ERR of the best possible ranking.

    nERR@k = ERR@k / ERR@k of the judged documents sorted by grade

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 1, "b": 0}}, {"q": {"b": 2, "a": 1}}, ["nERR@20"]).mean()
    {'run': {'nERR@20': 0.5}}
    """


def _open_chance(c: Completions, max_rel: float, gain: str, cutoff: int | None) -> Gains:
    chance = {"exp": Gain("probability", max_rel=max_rel)}.get(gain, Gain(gain))
    return c.gains(probability(c, chance, "ERR"), cutoff)


def of_cascade(stop: Floats, discount: Floats) -> dict[str, Floats]:
    """The chance that a user stops at a document, and the chance to get there, from the former (N, A, H)."""
    return {"stop": stop, "reach": CASCADE(stop), "discount": discount[:, None, :]}


def satisfaction(grade: Floats, hits: Hits, gain: str, max_rel: float) -> Floats:
    """The probability that a document of this grade satisfies the user. Refuses grades that give none."""
    highest = hits.pool.grade.max(initial=0.0)
    if gain == "exp" and highest > max_rel:
        raise MeasureError(f"ERR: grade {highest:g} is above max_rel={max_rel:g}; set max_rel={highest:g}")
    if gain == "linear" and highest > 1:
        raise MeasureError(f"ERR: grade {highest:g} is no probability; use gain='probability'")
    if gain == "linear":
        return grade
    top = hits.pool.highest[hits.topic]
    check_exponent(grade, top)
    return (tables.exp2(grade) - 1) / (
        tables.exp2_of(max_rel) if gain == "exp" else tables.exp2(top)[:, :, None]
    )
