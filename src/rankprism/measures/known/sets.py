"""Measures of the retrieved set, which do not look at the order of its documents. Their shape is (N, A).

They have the names of ir_measures. f of the n retrieved documents are relevant, and R of the judged ones.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from rankprism.arrays import Floats
from rankprism.data.hits import Hits
from rankprism.measures.bounds.completions import Completions
from rankprism.measures.bounds.ranges import Pair
from rankprism.measures.bounds.single import all_found
from rankprism.measures.compared import TREC_EVAL, TREC_EVAL_10
from rankprism.measures.declare import single
from rankprism.measures.definition import Bounds, Ties
from rankprism.measures.parameter import LARGEST_PARAMETER, Range
from rankprism.measures.parts import UNIFORM, Parts, Rel, binary, hit_gain, over_best, relevant, total
from rankprism.measures.terms import Terms


def counts(hits: Hits, rel: float) -> tuple[Floats, Floats, Floats]:
    """(N, A) or (N, 1): f, n and R"""
    f = total(hit_gain(hits, binary(rel)))
    return f, hits.length.astype(np.float64)[:, None], relevant(hits.pool, binary(rel))[hits.topic]


#: The score does not depend on the order of documents.
_ANY_ORDER = Ties(order_free=True)

Relative = Annotated[bool, "divide by the highest precision that a set of this size could have"]


def _set_precision(f: Floats, n: Floats, R: Floats, relative: bool) -> Floats:
    return over_best(f, np.minimum(n, R) if relative else n)


@single(
    bounds=Bounds("exact", lambda c, rel, relative: all_found(c, rel, _set_precision, relative=relative)),
    cite="vanrijsbergen1979information",
    compared=f"{TREC_EVAL}; {TREC_EVAL_10}",
    forms={"SetRelP": {"relative": True}},
    ties=_ANY_ORDER,
)
def SetP(hits: Hits, rel: Rel = 1.0, relative: Relative = False) -> Terms:
    """Set precision: the share of relevant documents among all that were retrieved.

    SetP = f / n, or f / min(n, R) with relative=True, where f of the n retrieved documents are relevant and R
    of the judged ones

    It is the same as P without a cutoff. The other form is SetRelP.

    >>> from rankprism import evaluate
    >>> judged, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 2, "b": 1}}
    >>> evaluate(judged, run, ["SetP", "SetRelP"]).mean()
    {'run': {'SetP': 0.5, 'SetP(relative=True)': 1.0}}
    """
    _, n, R = counts(hits, rel)
    return Terms({"gain": hit_gain(hits, binary(rel))}, over=np.minimum(n, R) if relative else n + 0 * R)


def _set_recall(f: Floats, n: Floats, R: Floats) -> Floats:
    return over_best(f, R)


@single(
    bounds=Bounds("exact", lambda c, rel: all_found(c, rel, _set_recall)),
    cite="vanrijsbergen1979information",
    compared=f"{TREC_EVAL}; {TREC_EVAL_10}",
    ties=_ANY_ORDER,
)
def SetR(hits: Hits, rel: Rel = 1.0) -> Terms:
    """Set recall: the share of the relevant documents that were retrieved.

    SetR = f / R, where f of the retrieved documents are relevant, and R of the judged ones

    It is the same as R without a cutoff.

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 1, "b": 0, "c": 1}}, {"q": {"a": 2, "b": 1}}, ["SetR"]).mean()
    {'run': {'SetR': 0.5}}
    """
    return Terms({"gain": hit_gain(hits, binary(rel))}, over=counts(hits, rel)[2])


Importance = Annotated[float, Range(0), "how important recall is relative to precision; β² of other texts"]


def _set_f(f: Floats, n: Floats, R: Floats, beta: float) -> Floats:
    return over_best(f, (n + beta * R) / (1 + beta))


@single(
    bounds=Bounds("exact", lambda c, rel, beta: all_found(c, rel, _set_f, beta=beta)),
    cite="vanrijsbergen1979information",
    compared=f"{TREC_EVAL}; {TREC_EVAL_10}",
    ties=_ANY_ORDER,
)
def SetF(hits: Hits, rel: Rel = 1.0, beta: Importance = 1.0) -> Terms:
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
    _, n, R = counts(hits, rel)
    return Terms({"gain": hit_gain(hits, binary(rel))}, over=(n + beta * R) / (1 + beta))


def _set_ap(f: Floats, n: Floats, R: Floats) -> Floats:
    return over_best(f * f, n * R)


@single(
    bounds=Bounds("exact", lambda c, rel: all_found(c, rel, _set_ap)),
    cite="buckley2005retrieval",
    compared=f"{TREC_EVAL}; {TREC_EVAL_10}",
    ties=_ANY_ORDER,
)
def SetAP(hits: Hits, rel: Rel = 1.0) -> Floats:
    """Set average precision: set precision times set recall.

    SetAP = f/n · f/R, where f of the n retrieved documents are relevant, and R of the judged ones

    It is average precision if the precision at each relevant document is that of the whole set.

    >>> from rankprism import evaluate
    >>> judged, run = {"q": {"a": 1, "b": 0, "c": 1}}, {"q": {"a": 3, "b": 2, "c": 1}}
    >>> evaluate(judged, run, ["SetAP"]).mean()
    {'run': {'SetAP': 0.6666666666666666}}
    """
    return _set_ap(*counts(hits, rel))


@single(bounds="outer", cite="buckley2005retrieval", compared=f"{TREC_EVAL}; {TREC_EVAL_10}")
def RelP(rel: Rel = 1.0) -> Parts:
    """Relative precision: the precision at k divided by the highest possible one.

    RelP@k = 1/min(k, R) Σ_{i≤k} [g_i ≥ rel], where R is the number of judged relevant documents

    It is precision down to rank R and recall from there on. Without a cutoff, it is recall.

    >>> from rankprism import evaluate
    >>> judged, run = {"q": {"a": 1, "b": 0, "c": 1}}, {"q": {"a": 3, "b": 2, "c": 1}}
    >>> evaluate(judged, run, ["RelP@1", "RelP@2", "RelP@5"]).mean()
    {'run': {'RelP@1': 1.0, 'RelP@2': 0.5, 'RelP@5': 1.0}}
    """
    return Parts(UNIFORM, binary(rel), over="per-aspect")


_ANY = Range(-LARGEST_PARAMETER, above_low=True)
Found = Annotated[float, _ANY, "the worth of a relevant document that was retrieved"]
Wrong = Annotated[float, _ANY, "the worth of a non-relevant document that was retrieved"]
Missed = Annotated[float, _ANY, "the worth of a relevant document that was not retrieved"]
Rest = Annotated[float, _ANY, "the worth of a non-relevant document that was not retrieved"]
Documents = Annotated[int, Range(0), "the number of documents of the collection, for rest"]


def _utility_bounds(
    c: Completions, rel: float, found: float, wrong: float, missed: float, rest: float, documents: int
) -> Pair:
    """An unjudged document adds found - wrong if it is relevant; the other two numbers do not change."""
    now = _utility(*counts(c.hits, rel), found, wrong, missed, rest, documents)
    g = c.gains(binary(rel), None)
    all_relevant = now + np.where(g.top > 0, g.count[:, None], 0) * (found - wrong)
    return np.minimum(now, all_relevant), np.maximum(now, all_relevant)


def _utility(
    f: Floats,
    n: Floats,
    R: Floats,
    found: float,
    wrong: float,
    missed: float,
    rest: float,
    documents: int,
) -> Floats:
    return found * f + wrong * (n - f) + missed * (R - f) + rest * (documents + f - n - R)


@single(
    bounds=Bounds("exact", _utility_bounds),
    cite="hull1999trec",
    compared=f"{TREC_EVAL}; {TREC_EVAL_10}",
    ties=_ANY_ORDER,
)
def Utility(
    hits: Hits,
    rel: Rel = 1.0,
    found: Found = 1.0,
    wrong: Wrong = -1.0,
    missed: Missed = 0.0,
    rest: Rest = 0.0,
    documents: Documents = 0,
) -> Floats:
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
    return _utility(*counts(hits, rel), found, wrong, missed, rest, documents)
