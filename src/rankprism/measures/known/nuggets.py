"""Nugget measures: how many of the facts that belong in an answer are in it (TREC RAG).

A nugget is an aspect of a topic. An answer is a ranking of one document, whose grades say how well the answer
supports each nugget: 1 means support, ½ partial support, and 0 no support. In a ranking of passages, a nugget
has the highest grade of any passage. All nuggets count, even those that no document supports.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated

import numpy as np

from rankprism.arrays import Bools, Floats
from rankprism.data.hits import Hits, Pool
from rankprism.measures.bounds.completions import Completions
from rankprism.measures.bounds.ranges import Pair, rising
from rankprism.measures.declare import measure
from rankprism.measures.definition import Bounds, Ties
from rankprism.measures.parameter import Cutoff
from rankprism.measures.parts import FIRST, UNIFORM, Parts, binary, expected
from rankprism.measures.terms import Terms

_ANY = 5e-324  # any grade above 0 is partial support
Strict = Annotated[bool, "partial support counts nothing; otherwise it counts ½"]

TREC_RAG = "TREC RAG 2024's definitions, worked by hand (1e-12)"


def credit(grade: Floats, strict: bool) -> Floats:
    """1 for support, a grade of at least 1, and ½ for partial support, any lower grade above 0"""
    partial_support = np.where(grade > 0, 0.0 if strict else 0.5, 0.0)
    return np.where(grade >= 1, 1.0, partial_support)


def supported(hits: Hits, weight: Floats, strict: bool, cutoff: int | None) -> Terms:
    """The credit for each nugget: a passage adds what it supports better than the passages above."""
    best = np.maximum.accumulate(credit(hits.top(cutoff).grade, strict), axis=-1)
    return Terms({"gain": np.diff(best, axis=-1, prepend=0.0)}, weight=weight[hits.topic])


def every(pool: Pool) -> Floats:
    """(T, A) 1 for each nugget"""
    named: Bools = pool.weight > 0 if pool.named is None else pool.named
    return named.astype(np.float64)


def vital(pool: Pool) -> Floats:
    """(T, A) 1 for each vital nugget"""
    return every(pool) * (pool.weight >= 1)


def _bounds(c: Completions, weight: Floats, strict: bool, cutoff: int | None) -> Pair:
    """The score never falls when a passage turns out to support a nugget. Exact."""
    g = c.gains(partial(credit, strict=strict), cutoff)
    low, high = rising(g, lambda gain: gain.max(-1, initial=0.0))
    return expected(low, weight[g.topic]), expected(high, weight[g.topic])


def _expected(hits: Hits, weight: Floats, strict: bool, cutoff: int | None) -> Floats:
    """(N,) the expectation over all orders of tied documents

    The credit for a nugget is a step for partial support and a step for support, and each is the success of
    finding a passage of at least that grade.
    """
    from rankprism.measures.ties.sums import expected_per_aspect

    some, full = (
        expected_per_aspect(hits, Parts(UNIFORM, binary(least), FIRST), cutoff) for least in (_ANY, 1.0)
    )
    return expected(full if strict else (some + full) / 2, weight[hits.topic])


@measure(
    bounds=Bounds("exact", lambda c, **settings: _bounds(c, every(c.hits.pool), **settings)),
    cite="pradeep2025great",
    compared=TREC_RAG,
    answers=True,
    ties=Ties(lambda hits, **settings: _expected(hits, every(hits.pool), **settings), steps=True),
)
def NuggetAll(hits: Hits, strict: Strict = False, cutoff: Cutoff = None) -> Terms:
    """Nugget recall: the share of a topic's nuggets that an answer supports.

    NuggetAll = 1/n Σ_t s_t over all n nuggets of the topic, where s_t is 1 for support, ½ for partial support
    and 0 for no support

    With strict=True, partial support counts nothing. In a ranking of passages, s_t is the highest support by
    any of the first k.

    >>> from rankprism import evaluate
    >>> judged = {"q": {"n1": {"answer": 1}, "n2": {"answer": 0.5}, "n3": {"answer": 0}, "n4": {"answer": 0}}}
    >>> evaluate(judged, {"q": {"answer": 1}}, ["NuggetAll", "NuggetAll(strict=True)"]).mean()
    {'run': {'NuggetAll': 0.375, 'NuggetAll(strict=True)': 0.25}}
    """
    return supported(hits, every(hits.pool), strict, cutoff)


@measure(
    bounds=Bounds("exact", lambda c, **settings: _bounds(c, vital(c.hits.pool), **settings)),
    cite="pradeep2025great",
    compared=TREC_RAG,
    answers=True,
    ties=Ties(lambda hits, **settings: _expected(hits, vital(hits.pool), **settings), steps=True),
)
def NuggetVital(hits: Hits, strict: Strict = False, cutoff: Cutoff = None) -> Terms:
    """Vital nugget recall: the share of a topic's vital nuggets that an answer supports.

    NuggetVital = 1/v Σ_t s_t over the v vital nuggets of the topic, where s_t is as in NuggetAll; 0 if there
    are none

    The vital nuggets are the aspects of weight 1 or more. If there are no weights, all nuggets are vital.

    >>> from rankprism import evaluate
    >>> judged = {"q": {"n1": {"answer": 1}, "n2": {"answer": 0.5}, "n3": {"answer": 0}}}
    >>> weights = {"q": {"n1": 1, "n2": 1, "n3": 0.5}}
    >>> evaluate(judged, {"q": {"answer": 1}}, ["NuggetVital", "NuggetAll"], weights=weights).mean()
    {'run': {'NuggetVital': 0.75, 'NuggetAll': 0.5}}
    """
    return supported(hits, vital(hits.pool), strict, cutoff)


@measure(
    bounds=Bounds("exact", lambda c, **settings: _bounds(c, c.hits.pool.weight, **settings)),
    cite="pradeep2025great",
    compared=TREC_RAG,
    answers=True,
    ties=Ties(lambda hits, **settings: _expected(hits, hits.pool.weight, **settings), steps=True),
)
def NuggetWeighted(hits: Hits, strict: Strict = False, cutoff: Cutoff = None) -> Terms:
    """Weighted nugget recall: nugget recall in which an okay nugget counts half as much as a vital one.

    NuggetWeighted = Σ_t w_t s_t / Σ_t w_t over all nuggets of the topic, where w_t is 1 for a vital nugget
    and ½ for an okay one, and s_t is as in NuggetAll

    >>> from rankprism import evaluate
    >>> judged = {"q": {"n1": {"answer": 1}, "n2": {"answer": 0.5}, "n3": {"answer": 0}}}
    >>> weights = {"q": {"n1": 1, "n2": 0.5, "n3": 0.5}}
    >>> evaluate(judged, {"q": {"answer": 1}}, ["NuggetWeighted"], weights=weights).mean()
    {'run': {'NuggetWeighted': 0.625}}
    """
    return supported(hits, hits.pool.weight, strict, cutoff)
