"""Experimental relatives of nDCG in trec_eval. Each scores every aspect on its own, (N, A)."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from rankprism.data import NOWHERE, Floats, Hits, Pool
from rankprism.measures import tables
from rankprism.measures.compared import TREC_EVAL, TREC_EVAL_10
from rankprism.measures.counted import Counted, Marks
from rankprism.measures.declare import single
from rankprism.measures.form import PlainPerAspect
from rankprism.measures.ideal import sorted_gains
from rankprism.measures.known.single import GainOfGrade, named_gains
from rankprism.measures.parts import (
    LOGARITHMIC,
    Gain,
    Rel,
    hit_discount,
    hit_gain,
    over_best,
    ratio,
    relevant,
    total,
)
from rankprism.measures.terms import Terms

_UNPROVED = "the divisor changes within the ranking, and none have been proved"


def _linear(gains: Mapping[float, float] | None) -> Gain:
    return Gain("linear", named=named_gains(gains))


def _ideal_dcg(pool: Pool, gain: Gain) -> Floats:
    """(T, A, D) the DCG of the ideal ranking down to each rank; the last is that of all documents"""
    best = sorted_gains(pool, gain)
    return pool.once(
        ("ideal DCG", gain), lambda: np.cumsum(best * LOGARITHMIC.first(best.shape[-1]), axis=-1)
    )


@single(
    cite="jarvelin2002cumulated buckley2008trec",
    compared=f"{TREC_EVAL}; {TREC_EVAL_10}",
)
def nDCG_rel(gains: GainOfGrade = None) -> PlainPerAspect:
    """nDCG averaged over the relevant documents: the mean of nDCG at the rank of each of them.

    nDCG_rel = 1/R Σ_{relevant d} nDCG@i_d, where i_d is the rank of d, and R is the number of judged
    documents with a gain; for a document that was not retrieved, it is nDCG of the whole ranking

    A mean of nDCG over topics depends on the rank at which it is measured. Here each topic has ranks of its
    own, as in average precision.

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 1, "b": 1}}, {"q": {"x": 2, "a": 1}}, ["nDCG_rel", "nDCG@2"]).mean()
    {'run': {'nDCG_rel': 0.38685280723454163, 'nDCG@2': 0.38685280723454163}}
    """
    gain = _linear(gains)
    return PlainPerAspect(
        per_aspect=lambda hits: at_relevant(hits, gain),
        best_by=gain,
        why_unbounded=_UNPROVED,
        range=(0.0, 1.0),
    )


def at_relevant(hits: Hits, gain: Gain) -> Floats:
    """(N, A) the mean of nDCG at the ranks of the relevant documents"""
    ideal = _ideal_dcg(hits.pool, gain)
    R = relevant(hits.pool, gain)[hits.topic]
    if not ideal.shape[-1] or not hits.grade.shape[-1]:
        return np.zeros(R.shape)
    g = hit_gain(hits, gain)
    dcg = np.cumsum(g * hit_discount(hits, LOGARITHMIC)[:, None, :], axis=-1)
    place = np.minimum(hits.rank, ideal.shape[-1])[:, None, :] - 1
    here = ratio(dcg, np.take_along_axis(ideal[hits.topic], np.broadcast_to(place, g.shape), axis=-1))
    found = (g > 0).sum(-1)
    whole = ratio(dcg[:, :, -1], ideal[hits.topic][:, :, -1])
    return over_best(total(np.where(g > 0, here, 0.0)) + (R - found) * whole, R)


@single(
    cite="jarvelin2002cumulated buckley2008trec",
    compared=f"{TREC_EVAL}; {TREC_EVAL_10}",
)
def RnDCG(gains: GainOfGrade = None) -> PlainPerAspect:
    """nDCG at R levels: the mean of nDCG at the ranks at which the ideal ranking goes to a lower gain.

    RnDCG = mean of nDCG@k over the numbers k of judged documents with at least a given gain, for each gain
    above 0, and of nDCG if the ranking has more than R + 1 documents, where R is the largest k

    The last term is there because trec_eval has it.

    With 1 document of grade 2 and 2 documents of grade 1, it is the mean of nDCG@1 and nDCG@3.

    >>> from rankprism import evaluate
    >>> judged, run = {"q": {"a": 2, "b": 1, "c": 1}}, {"q": {"a": 3, "x": 2, "y": 1}}
    >>> evaluate(judged, run, ["RnDCG", "nDCG@1", "nDCG@3"]).mean()
    {'run': {'RnDCG': 0.819393943239799, 'nDCG@1': 1.0, 'nDCG@3': 0.638787886479598}}
    """
    gain = _linear(gains)
    return PlainPerAspect(
        per_aspect=lambda hits: at_levels(hits, gain),
        best_by=gain,
        has_steps=True,
        why_unbounded=_UNPROVED,
        range=(0.0, 1.0),
    )


def at_levels(hits: Hits, gain: Gain) -> Floats:
    """(N, A) the mean of nDCG at the ranks at which the ideal ranking goes to a lower gain"""
    best, ideal = sorted_gains(hits.pool, gain), _ideal_dcg(hits.pool, gain)
    shape = (len(hits.rank), best.shape[1], best.shape[2])
    if not best.shape[-1]:
        return np.zeros(shape[:2])
    after = np.concatenate([best[:, :, 1:], np.zeros((*best.shape[:2], 1))], axis=-1)
    ends = ((best > 0) & (after < best))[hits.topic]
    gained = np.zeros(shape)
    row, place = np.nonzero(hits.rank <= shape[2])
    term = hit_gain(hits, gain) * hit_discount(hits, LOGARITHMIC)[:, None, :]
    gained[row, :, hits.rank[row, place] - 1] = term[row, :, place]
    at_level = ratio(np.cumsum(gained, axis=-1), ideal[hits.topic])
    R = relevant(hits.pool, gain)[hits.topic]
    longer = (hits.length[:, None] > R + 1) & (R > 0)
    whole = np.where(longer, ratio(total(term), ideal[hits.topic][:, :, -1]), 0.0)
    return over_best(total(np.where(ends, at_level, 0.0)) + whole, ends.sum(-1) + longer.astype(np.float64))


@single(cite="buckley2008trec", compared=f"{TREC_EVAL}; {TREC_EVAL_10}")
def binG(rel: Rel = 1.0) -> Counted:
    """Binary G: each relevant document counts less, the more documents above it are not relevant.

    binG = 1/R Σ_{relevant i} 1 / log2(2 + n_i), where n_i is the number of documents above rank i that are
    not relevant, and R is the number of judged relevant documents

    >>> from rankprism import evaluate
    >>> judged, run = {"q": {"a": 1, "b": 0, "c": 1}}, {"q": {"a": 4, "b": 3, "x": 2, "c": 1}}
    >>> evaluate(judged, run, ["binG"]).mean()
    {'run': {'binG': 0.75}}
    """

    def discount(m: Marks) -> Floats:
        others = np.where(m.relevant > 0, m.rank - m.count, 0)  # n_i
        return LOGARITHMIC((others + 1).astype(np.int32))

    return Counted(rel=rel, over=lambda m: m.R, discount=discount, range=(0.0, 1.0))


@single(cite="buckley2008trec", compared=f"{TREC_EVAL}; {TREC_EVAL_10}")
def G(gains: GainOfGrade = None) -> PlainPerAspect:
    """Normalised gain: each gain counts less, the more gain an ideal ranking would have had by then.

    G = Σ_i g_i / log2(2 + c_i - s_i) ÷ Σ_j g*_j, where s_i is the gain down to rank i, c_i = Σ_{j≤i} max(1,
    g*_j), and g* are the gains of all judged documents, sorted in descending order

    A document that follows better ones is hardly discounted. With grades of 0 and 1, G is binG.

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 2, "b": 1}}, {"q": {"a": 3, "x": 2, "b": 1}}, ["G", "binG"]).mean()
    {'run': {'G': 0.8769765845238191, 'binG': 0.8154648767857287}}
    """
    gain = _linear(gains)
    return PlainPerAspect(
        terms=lambda hits: normalised(hits, gain),
        has_steps=True,
        why_unbounded=_UNPROVED,
        range=(0.0, math.inf),
    )


def normalised(hits: Hits, gain: Gain) -> Terms:
    """The terms of G."""
    g, best = hit_gain(hits, gain), sorted_gains(hits.pool, gain)
    over = total(best)[hits.topic]
    rank = np.where(hits.rank == NOWHERE, 1, hits.rank)[:, None, :]
    cost = np.cumsum(np.maximum(best, 1.0), axis=-1)[hits.topic]
    deep = best.shape[-1]
    if deep:
        place = np.broadcast_to(np.minimum(rank, deep) - 1, g.shape)
        spent = np.take_along_axis(cost, place, axis=-1) + np.maximum(rank - deep, 0)
    else:
        spent = np.broadcast_to(rank + 0.0, g.shape)
    behind = np.where(g > 0, 2 + spent - np.cumsum(g, axis=-1), 2.0)
    return Terms({"gain": g, "discount": tables.reciprocal_log2_of(behind)}, over=over)
