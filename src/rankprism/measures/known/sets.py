"""Measures of the retrieved set, which do not look at the order of its documents. Their shape is (N, A).

They have the names of ir_measures. f of the n retrieved documents are relevant, and R of the judged ones.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from rankprism.data import LARGEST, Floats, Hits
from rankprism.measures.bounds.completions import Completions
from rankprism.measures.compared import TREC_EVAL, TREC_EVAL_10
from rankprism.measures.counted import Counted, Marks, marks
from rankprism.measures.declare import single
from rankprism.measures.family import Sum
from rankprism.measures.form import Pair, PlainPerAspect
from rankprism.measures.parameter import Cutoff, Range
from rankprism.measures.parts import UNIFORM, Parts, Rel, binary, over_best

Relative = Annotated[bool, "divide by the highest precision that a set of this size could have"]


@single(
    cite="vanrijsbergen1979information",
    compared=f"{TREC_EVAL}; {TREC_EVAL_10}",
    forms={"SetRelP": {"relative": True}},
)
def SetP(rel: Rel = 1.0, relative: Relative = False) -> Counted:
    """Set precision: the share of relevant documents among all that were retrieved.

    SetP = f / n, or f / min(n, R) with relative=True, where f of the n retrieved documents are relevant and R
    of the judged ones

    It is the same as P without a cutoff. The other form is SetRelP.

    >>> from rankprism import evaluate
    >>> judged, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 2, "b": 1}}
    >>> evaluate(judged, run, ["SetP", "SetRelP"]).mean()
    {'run': {'SetP': 0.5, 'SetP(relative=True)': 1.0}}
    """
    over = (lambda m: np.minimum(m.n, m.R)) if relative else (lambda m: m.n)
    return Counted(rel=rel, over=over, order_free=True, range=(0.0, 1.0))


@single(cite="vanrijsbergen1979information", compared=f"{TREC_EVAL}; {TREC_EVAL_10}")
def SetR(rel: Rel = 1.0) -> Counted:
    """Set recall: the share of the relevant documents that were retrieved.

    SetR = f / R, where f of the retrieved documents are relevant, and R of the judged ones

    It is the same as R without a cutoff.

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 1, "b": 0, "c": 1}}, {"q": {"a": 2, "b": 1}}, ["SetR"]).mean()
    {'run': {'SetR': 0.5}}
    """
    return Counted(rel=rel, over=lambda m: m.R, order_free=True, range=(0.0, 1.0))


Importance = Annotated[float, Range(0), "how important recall is relative to precision; β² of other texts"]


@single(cite="vanrijsbergen1979information", compared=f"{TREC_EVAL}; {TREC_EVAL_10}")
def SetF(rel: Rel = 1.0, beta: Importance = 1.0) -> Counted:
    """Set F: the weighted harmonic mean of set precision and set recall.

    SetF = (β + 1) P R / (β P + R) = (β + 1) f / (n + β R'), where f of the n retrieved documents are
    relevant, R' of the judged ones are, P = f/n and R = f/R'

    As in trec_eval and ir_measures, β is the relative importance of recall and is not squared. With β = 1, it
    is F1 without a cutoff.

    >>> from rankprism import evaluate
    >>> judged, run = {"q": {"a": 1, "b": 0, "c": 1}}, {"q": {"a": 3, "b": 2, "c": 1}}
    >>> evaluate(judged, run, ["SetF", "SetF(beta=3)"]).mean()
    {'run': {'SetF': 0.8, 'SetF(beta=3)': 0.8888888888888888}}
    """

    def over(m: Marks) -> Floats:
        return (m.n + beta * m.R) / (1 + beta)

    return Counted(rel=rel, over=over, order_free=True, range=(0.0, 1.0))


@single(cite="buckley2005retrieval", compared=f"{TREC_EVAL}; {TREC_EVAL_10}")
def SetAP(rel: Rel = 1.0) -> Counted:
    """Set average precision: set precision times set recall.

    SetAP = f/n · f/R, where f of the n retrieved documents are relevant, and R of the judged ones

    It is average precision if the precision at each relevant document is that of the whole set.

    >>> from rankprism import evaluate
    >>> judged, run = {"q": {"a": 1, "b": 0, "c": 1}}, {"q": {"a": 3, "b": 2, "c": 1}}
    >>> evaluate(judged, run, ["SetAP"]).mean()
    {'run': {'SetAP': 0.6666666666666666}}
    """

    def score(m: Marks) -> Floats:
        return over_best(m.f * m.f, m.n * m.R)

    return Counted(rel=rel, score=score, order_free=True, range=(0.0, 1.0))


@single(cite="buckley2005retrieval", compared=f"{TREC_EVAL}; {TREC_EVAL_10}")
def RelP(rel: Rel = 1.0, cutoff: Cutoff = None) -> Sum:
    """Relative precision: the precision at k divided by the highest possible one.

    RelP@k = 1/min(k, R) Σ_{i≤k} [g_i ≥ rel], where R is the number of judged relevant documents

    It is precision down to rank R and recall from there on. Without a cutoff, it is recall.

    >>> from rankprism import evaluate
    >>> judged, run = {"q": {"a": 1, "b": 0, "c": 1}}, {"q": {"a": 3, "b": 2, "c": 1}}
    >>> evaluate(judged, run, ["RelP@1", "RelP@2", "RelP@5"]).mean()
    {'run': {'RelP@1': 1.0, 'RelP@2': 0.5, 'RelP@5': 1.0}}
    """
    return Sum(Parts(UNIFORM, binary(rel), over="per-aspect"), cutoff)


_ANY = Range(-LARGEST, above_low=True)
Found = Annotated[float, _ANY, "the worth of a relevant document that was retrieved"]
Wrong = Annotated[float, _ANY, "the worth of a non-relevant document that was retrieved"]
Missed = Annotated[float, _ANY, "the worth of a relevant document that was not retrieved"]
Rest = Annotated[float, _ANY, "the worth of a non-relevant document that was not retrieved"]
Documents = Annotated[int, Range(0), "the number of documents of the collection, for rest"]


@single(cite="hull1999trec", compared=f"{TREC_EVAL}; {TREC_EVAL_10}")
def Utility(
    rel: Rel = 1.0,
    found: Found = 1.0,
    wrong: Wrong = -1.0,
    missed: Missed = 0.0,
    rest: Rest = 0.0,
    documents: Documents = 0,
) -> PlainPerAspect:
    """Set utility: what the retrieved documents are worth, less what the wrong ones cost.

    Utility = found · f + wrong · (n - f) + missed · (R - f) + rest · (documents + f - n - R)

    f of the n retrieved documents are relevant, and R of the judged ones. By default, a relevant document is
    worth 1 and any other costs 1. The score has no fixed range. It was made for filtering, where a system
    decides about each document on its own.

    >>> from rankprism import evaluate
    >>> judged, run = {"q": {"a": 1, "b": 0, "c": 1}}, {"q": {"a": 3, "b": 2, "x": 1}}
    >>> evaluate(judged, run, ["Utility", "Utility(found=3,wrong=-2)"]).mean()
    {'run': {'Utility': -1.0, 'Utility(found=3,wrong=-2)': -1.0}}
    """

    def score(hits: Hits) -> Floats:
        m = marks(hits, rel)
        return found * m.f + wrong * (m.n - m.f) + missed * (m.R - m.f) + rest * (documents + m.f - m.n - m.R)

    def bounds(c: Completions) -> Pair:
        """An unjudged document adds found - wrong if it is relevant; the other two numbers do not change."""
        now, g = score(c.hits), c.gains(binary(rel), None)
        all_relevant = now + np.where(g.top > 0, g.count[:, None], 0) * (found - wrong)
        return np.minimum(now, all_relevant), np.maximum(now, all_relevant)

    return PlainPerAspect(per_aspect=score, bounds=bounds, is_exact=True, order_free=True, is_deep=False)
