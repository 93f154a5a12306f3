"""Measures for incomplete judgments, which distinguish unjudged documents from non-relevant ones.

A document is unjudged if the topic's judgments do not name it, or if all its grades are negative. The second
kind was in the pool that judgments were sampled from, which infAP takes into account.
"""

from __future__ import annotations

import math

import numpy as np

from rankprism.data import Floats, Hits, Longs
from rankprism.measures.compared import TREC_EVAL
from rankprism.measures.declare import single
from rankprism.measures.form import PlainPerAspect
from rankprism.measures.parts import Rel, binary, gained_above, hit_gain, over_best, ratio, relevant
from rankprism.measures.terms import Terms

#: trec_eval adds this to the numbers of documents, so that 0 of 0 is a half.
EPSILON = 0.00001


def judged_above(hits: Hits) -> tuple[Longs, Longs]:
    """(N, H) twice: how many documents above each hit are judged, and how many have only negative grades"""
    named = np.maximum(np.minimum(hits.condensed_rank, hits.judged.shape[1]) - 1, 0).astype(np.int64)
    if hits.negative is None:
        return named, np.zeros_like(named)
    before: Longs = np.cumsum(hits.negative, axis=-1, dtype=np.int64) - hits.negative
    negative: Longs = np.take_along_axis(before, named, -1)
    return named - negative, negative


@single(cite="buckley2004retrieval", compared=TREC_EVAL)
def Bpref(rel: Rel = 1.0) -> PlainPerAspect:
    """Binary preference: how rarely a judged non-relevant document is ranked above a relevant one.

    Bpref = 1/R Σ_r (1 - min(n_r, R) / min(N, R)) over the relevant documents r in the ranking, where n_r is
    the number of judged non-relevant documents above r, and the judgments have R relevant and N non-relevant
    documents

    Unjudged documents do not count. As in trec_eval, a document with a negative grade is unjudged.

    >>> from rankprism import evaluate
    >>> judged = {"q": {"a": 1, "b": 0, "c": 1, "d": 0}}
    >>> evaluate(judged, {"q": {"a": 4, "x": 3, "b": 2, "c": 1}}, ["Bpref"]).mean()
    {'run': {'Bpref': 0.75}}
    """
    return PlainPerAspect(
        terms=lambda hits: preferred(hits, rel),
        over_orders=lambda hits: _bpref_over_orders(hits, rel),
        extremes=lambda hits: _bpref_extremes(hits, rel),
        range=(0.0, 1.0),
        why_unbounded="it leaves out unjudged documents, and a judgment would put them back in",
    )


def preferred(hits: Hits, rel: float) -> Terms:
    """The terms of Bpref."""
    gain, R = hit_gain(hits, binary(rel)), relevant(hits.pool, binary(rel))[hits.topic]
    above = judged_above(hits)[0][:, None, :] - gained_above(gain)
    lost = ratio(np.minimum(above, R[:, :, None]), _most_above(hits, R)[:, :, None])
    return Terms({"gain": gain, "preferred": 1 - lost}, over=R)


def _most_above(hits: Hits, R: Floats) -> Floats:
    """(N, A) min(N, R)"""
    N = np.inf if hits.pool.judged is None else hits.pool.judged[hits.topic][:, None] - R
    return np.minimum(N, R)


def _bpref_over_orders(hits: Hits, rel: float) -> Floats:
    from rankprism.measures.ties.incomplete import expected_preferred

    R = relevant(hits.pool, binary(rel))[hits.topic]
    return over_best(expected_preferred(hits, binary(rel), R, _most_above(hits, R)), R)


def _bpref_extremes(hits: Hits, rel: float) -> tuple[Floats, Floats]:
    """Relevant documents come last or first among the judged documents of their group."""
    from rankprism.measures.ties.incomplete import sorted_judged

    worth = hit_gain(hits, binary(rel))[:, 0]
    low, high = (preferred(sorted_judged(hits, worth, best), rel).scores for best in (False, True))
    return low, high


@single(cite="yilmaz2006estimating", compared=TREC_EVAL)
def infAP(rel: Rel = 1.0) -> PlainPerAspect:
    """Inferred average precision: AP estimated from a sample of the pool.

    infAP = 1/R Σ_r 1/r (1 + (c + n + u) (c + ε) / (c + n + 2ε)) over the ranks r of relevant documents, where
    c relevant, n judged non-relevant, and u unjudged documents of the pool are above r, and ε is 0.00001

    As in trec_eval, a document with a negative grade is in the pool and unjudged: it is assumed to be
    relevant as often as the judged documents above r. A document without any grade is not in the pool and not
    relevant. If all documents of the pool are judged, infAP differs from AP only by ε.

    >>> from rankprism import evaluate
    >>> judged = {"q": {"a": 1, "b": -1, "c": 1}}
    >>> scores = evaluate(judged, {"q": {"a": 3, "b": 2, "c": 1}}, ["infAP", "AP"]).mean()["run"]
    >>> {name: round(score, 4) for name, score in scores.items()}
    {'infAP': 1.0, 'AP': 0.8333}
    """
    return PlainPerAspect(
        terms=lambda hits: inferred(hits, rel),
        over_orders=lambda hits: _infap_over_orders(hits, rel),
        extremes=lambda hits: _infap_extremes(hits, rel),
        range=(0.0, math.inf),
        why_unbounded="it estimates how many of the unjudged documents are relevant",
    )


def inferred(hits: Hits, rel: float) -> Terms:
    """The terms of infAP."""
    gain, R = hit_gain(hits, binary(rel)), relevant(hits.pool, binary(rel))[hits.topic]
    judged, unjudged = (count[:, None, :] for count in judged_above(hits))
    share = (gained_above(gain) + EPSILON) / (judged + 2 * EPSILON)
    precision = (1 + (judged + unjudged) * share) / hits.rank[:, None, :]
    return Terms({"gain": gain, "precision": precision}, over=R, is_best=False)


def _infap_over_orders(hits: Hits, rel: float) -> Floats:
    from rankprism.measures.ties.incomplete import expected_inferred

    R = relevant(hits.pool, binary(rel))[hits.topic]
    return ratio(expected_inferred(hits, binary(rel), EPSILON), R)


def _infap_extremes(hits: Hits, rel: float) -> tuple[Floats, Floats]:
    from rankprism.measures.ties.incomplete import inferred_extremes

    R = relevant(hits.pool, binary(rel))[hits.topic]
    low, high = inferred_extremes(hits, binary(rel), EPSILON)
    return ratio(low, R), ratio(high, R)
