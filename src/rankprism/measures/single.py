"""Measures of one aspect. Each scores every aspect on its own, (N, A).

On judgments with several aspects a document counts with its highest grade; ``M_IA`` averages the
aspects' scores instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from rankprism.data.hits import Floats, Hits
from rankprism.errors import MeasureError
from rankprism.measures.ideal import sorted_ideal
from rankprism.measures.measure import Parameter, measure
from rankprism.measures.parts import (
    CUTOFF,
    JUDGED_ONLY,
    REL,
    cascade,
    discounted_sum,
    geometric,
    hit_gain,
    logarithmic,
    pool_gain,
    ratio,
    reciprocal,
)


@measure(
    REL, JUDGED_ONLY, CUTOFF, single=True, cite=("vanrijsbergen1979information",), aliases=("Precision",)
)
def P(hits: Hits, rel: float, cutoff: int | None) -> Floats:
    """Precision: the share of relevant documents among the first k.

    P@k = 1/k Σ_{i≤k} [g_i ≥ rel]

    A ranking shorter than k is judged as if it went on with non-relevant documents; without a cutoff,
    k is the length of the ranking.

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 1, "b": 0}}, {"q": {"a": 2, "b": 1}}, ["P@2", "P@4"]).mean()
    {'run': {'P@2': 0.5, 'P@4': 0.25}}
    """
    relevant = hit_gain(hits.top(cutoff), "binary", rel)
    return ratio(relevant.sum(-1), hits.depth(cutoff)[:, None])


@measure(REL, JUDGED_ONLY, CUTOFF, single=True, cite=("kantor2000trec",), aliases=("MRR",))
def RR(hits: Hits, rel: float, cutoff: int | None) -> Floats:
    """Reciprocal rank: one over the rank of the first relevant document.

    RR = max_i [g_i ≥ rel] / i

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 0, "b": 1}}, {"q": {"a": 2, "b": 1}}, ["RR", "RR@1"]).mean()
    {'run': {'RR': 0.5, 'RR@1': 0.0}}
    """
    hits = hits.top(cutoff)
    best: Floats = (hit_gain(hits, "binary", rel) * reciprocal(hits.rank)[:, None, :]).max(-1, initial=0.0)
    return best


@measure(REL, JUDGED_ONLY, CUTOFF, single=True, cite=("harman1992evaluation",), aliases=("MAP",))
def AP(hits: Hits, rel: float, cutoff: int | None) -> Floats:
    """Average precision: the precision at each relevant document, averaged over all of them.

    AP@k = 1/R Σ_{i≤k} [g_i ≥ rel] · P@i, with R the number of relevant documents judged

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 1, "b": 0, "c": 1}}, {"q": {"a": 3, "b": 2, "c": 1}}, ["AP"]).mean()
    {'run': {'AP': 0.8333333333333333}}
    """
    hits = hits.top(cutoff)
    relevant = hit_gain(hits, "binary", rel)
    found = np.cumsum(relevant, axis=-1)
    R = pool_gain(hits.pool, "binary", rel).sum(-1)[hits.topic]
    return ratio(discounted_sum(relevant * found, reciprocal(hits.rank)), R)


DCG_FORM = Parameter(
    "dcg",
    "log2",
    "the gain of grade g: g itself, or 2^g - 1; both discounted by log2(i + 1)",
    str,
    choices=("log2", "exp-log2"),
)
GAINS = Parameter(
    "gains", None, "the gain of each grade; grades not named keep their own", dict, optional=True
)


@measure(
    DCG_FORM, GAINS, JUDGED_ONLY, CUTOFF, single=True, cite=("jarvelin2002cumulated",), aliases=("NDCG",)
)
def nDCG(hits: Hits, dcg: str, gains: Mapping[float, float] | None, cutoff: int | None) -> Floats:
    """Normalised discounted cumulative gain: graded, top-heavy, 1 for the best ranking possible.

    DCG@k = Σ_{i≤k} gain(g_i) / log2(i + 1);  nDCG@k = DCG@k / DCG@k of all judged documents by gain

    The default is trec_eval's (gain = grade); dcg='exp-log2' is gdeval's.

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 2, "b": 1}}, {"q": {"b": 2, "a": 1}}, ["nDCG"]).mean()
    {'run': {'nDCG': 0.8597186998521972}}
    """
    gain = partial(_dcg_gain, dcg=dcg, gains=gains)
    hits = hits.top(cutoff)
    ideal = sorted_ideal(hits.pool, (dcg, str(gains)), gain)[:, :, :cutoff]
    best = ideal @ logarithmic(np.arange(1, ideal.shape[-1] + 1, dtype=np.int32))
    return ratio(discounted_sum(gain(hits.grade), logarithmic(hits.rank)), best[hits.topic])


def _dcg_gain(grade: Floats, dcg: str, gains: Mapping[float, float] | None) -> Floats:
    if gains:
        named = [grade == g for g in gains]
        grade = np.maximum(np.select(named, [np.full_like(grade, x) for x in gains.values()], grade), 0.0)
    return np.exp2(grade) - 1 if dcg == "exp-log2" else grade


PERSISTENCE = Parameter(
    "p",
    0.8,
    "the chance to go on from one document to the next",
    low=0,
    high=1,
    above_low=True,
    below_high=True,
)


@measure(PERSISTENCE, REL, CUTOFF, single=True, cite=("moffat2008rank",))
def RBP(hits: Hits, p: float, rel: float, cutoff: int | None) -> Floats:
    """Rank-biased precision: what a user finds who goes on with probability p.

    RBP = (1 - p) Σ_i p^(i-1) [g_i ≥ rel]

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 0, "b": 1}}, {"q": {"a": 2, "b": 1}}, ["RBP(p=0.5)"]).mean()
    {'run': {'RBP(p=0.5)': 0.25}}
    """
    hits = hits.top(cutoff)
    relevant = hit_gain(hits, "binary", rel)
    return (1 - p) * discounted_sum(relevant, geometric(hits.rank, p))


MAX_REL = Parameter("max_rel", 4.0, "the highest grade of the scale", low=0, above_low=True)


@measure(MAX_REL, CUTOFF, single=True, cite=("chapelle2009expected",))
def ERR(hits: Hits, max_rel: float, cutoff: int | None) -> Floats:
    """Expected reciprocal rank: how early a user is satisfied who stops at the first good document.

    ERR@k = Σ_{i≤k} 1/i · r_i Π_{j<i} (1 - r_j),  r = (2^g - 1) / 2^max_rel

    The default scale ends at 4, as gdeval has it.

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 4, "b": 1}}, {"q": {"a": 2, "b": 1}}, ["ERR@20"]).mean()
    {'run': {'ERR@20': 0.939453125}}
    """
    highest = hits.pool.grade.max(initial=0.0)
    if highest > max_rel:
        raise MeasureError(
            f"ERR: grade {highest:g} is above max_rel={max_rel:g}; write ERR(max_rel={highest:g})"
        )
    hits = hits.top(cutoff)
    r = (np.exp2(hits.grade) - 1) / 2**max_rel
    return discounted_sum(r * cascade(r), reciprocal(hits.rank))
