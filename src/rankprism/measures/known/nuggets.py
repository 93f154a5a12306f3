"""Nugget measures: how many of the facts that belong in an answer are in it (TREC RAG).

A nugget is an aspect of a topic. An answer is a ranking of one document, whose grades say how well the answer
supports each nugget: 1 means support, ½ partial support, and 0 no support. In a ranking of passages, a nugget
has the highest grade of any passage. All nuggets count, even those that no document supports.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated

import numpy as np

from rankprism.data import Bools, Floats, Hits, Pool
from rankprism.measures.bounds.completions import Completions
from rankprism.measures.bounds.ranges import Pair, rising
from rankprism.measures.declare import measure, single
from rankprism.measures.form import PlainPerAspect
from rankprism.measures.forms import OverAspects
from rankprism.measures.parameter import Cutoff
from rankprism.measures.parts import ANY, FIRST, UNIFORM, Parts, binary
from rankprism.measures.terms import Terms

Strict = Annotated[bool, "partial support counts nothing; otherwise it counts ½"]

TREC_RAG = "TREC RAG 2024's definitions, worked by hand (1e-12)"


def credit(grade: Floats, strict: bool) -> Floats:
    """1 for support, a grade of at least 1, and ½ for partial support, any lower grade above 0"""
    partial_support = np.where(grade > 0, 0.0 if strict else 0.5, 0.0)
    return np.where(grade >= 1, 1.0, partial_support)


def of_nuggets(weight: Callable[[Pool], Floats], strict: bool, cutoff: int | None) -> OverAspects:
    """The mean support over nuggets with these weights (T, A)."""
    support = Support(strict=strict, cutoff=cutoff)
    return OverAspects(support, weights=lambda hits: weight(hits.pool)[hits.topic])


def every(pool: Pool) -> Floats:
    """(T, A) 1 for each nugget"""
    named: Bools = pool.weight > 0 if pool.named is None else pool.named
    return named.astype(np.float64)


def vital(pool: Pool) -> Floats:
    """(T, A) 1 for each vital nugget"""
    return every(pool) * (pool.weight >= 1)


def given(pool: Pool) -> Floats:
    """(T, A) the weights of the nuggets as they are given"""
    return pool.weight


def _bounds(c: Completions, strict: bool, cutoff: int | None) -> Pair:
    """The credit never falls when a passage turns out to support a nugget. Exact."""
    g = c.gains(partial(credit, strict=strict), cutoff)
    return rising(g, lambda gain: gain.max(-1, initial=0.0))


def _over_orders(hits: Hits, strict: bool, cutoff: int | None) -> Floats:
    """(N, A) the expectation over all orders of tied documents

    The credit for a nugget is a step for partial support and a step for support, and each is the success of
    finding a passage of at least that grade.
    """
    from rankprism.measures.ties.sums import expected_sums

    some, full = (expected_sums(hits, Parts(UNIFORM, binary(least), FIRST), cutoff) for least in (ANY, 1.0))
    return full if strict else (some + full) / 2


@single(listed=False)
def Support(strict: Strict = False, cutoff: Cutoff = None) -> PlainPerAspect:
    """The credit for a nugget: a passage adds what it supports better than the passages above."""

    def terms(hits: Hits) -> Terms:
        best = np.maximum.accumulate(credit(hits.top(cutoff).grade, strict), axis=-1)
        return Terms({"gain": np.diff(best, axis=-1, prepend=0.0)})

    return PlainPerAspect(
        terms=terms,
        bounds=lambda c: _bounds(c, strict, cutoff),
        is_exact=True,
        over_orders=lambda hits: _over_orders(hits, strict, cutoff),
        has_steps=True,
        range=(0.0, 1.0),
    )


@measure(cite="pradeep2025great", compared=TREC_RAG, answers=True)
def NuggetAll(strict: Strict = False, cutoff: Cutoff = None) -> OverAspects:
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
    return of_nuggets(every, strict, cutoff)


@measure(cite="pradeep2025great", compared=TREC_RAG, answers=True)
def NuggetVital(strict: Strict = False, cutoff: Cutoff = None) -> OverAspects:
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
    return of_nuggets(vital, strict, cutoff)


@measure(cite="pradeep2025great", compared=TREC_RAG, answers=True)
def NuggetWeighted(strict: Strict = False, cutoff: Cutoff = None) -> OverAspects:
    """Weighted nugget recall: nugget recall in which an okay nugget counts half as much as a vital one.

    NuggetWeighted = Σ_t w_t s_t / Σ_t w_t over all nuggets of the topic, where w_t is 1 for a vital nugget
    and ½ for an okay one, and s_t is as in NuggetAll

    >>> from rankprism import evaluate
    >>> judged = {"q": {"n1": {"answer": 1}, "n2": {"answer": 0.5}, "n3": {"answer": 0}}}
    >>> weights = {"q": {"n1": 1, "n2": 0.5, "n3": 0.5}}
    >>> evaluate(judged, {"q": {"answer": 1}}, ["NuggetWeighted"], weights=weights).mean()
    {'run': {'NuggetWeighted': 0.625}}
    """
    return of_nuggets(given, strict, cutoff)
