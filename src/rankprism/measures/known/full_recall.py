"""The measures of TREC Dynamic Domain that ask how far a ranking goes until it reaches all aspects, (N,)."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from rankprism.data import Floats, Hits
from rankprism.measures.bounds.completions import Completions
from rankprism.measures.compared import TREC_DD
from rankprism.measures.declare import measure
from rankprism.measures.form import Pair, Plain
from rankprism.measures.known.coverage import rank_of_level, reached
from rankprism.measures.parameter import OneOf
from rankprism.measures.parts import Rel, binary, hit_gain, ratio, seen, total

RecallForm = Annotated[
    str,
    OneOf(("trec-dd-2015", "trec-dd-2016", "new", "share-new")),
    "what counts: 'trec-dd-2015': relevant documents; 'trec-dd-2016': relevant documents of the whole "
    "ranking; 'new': documents that reach a new aspect; 'share-new': the share of a document's aspects that "
    "are new",
]


@measure(cite="yang2015overview", compared=TREC_DD)
def P_at_recall(rel: Rel = 1.0, form: RecallForm = "trec-dd-2015") -> Plain:
    """Precision at full recall: the share of relevant documents, until all aspects are reached.

    P@recall = 1/n Σ_{i≤n} [document i is relevant to an aspect], where n is the rank at which all aspects are
    reached, or else the length of the ranking

    The program of TREC Dynamic Domain 2015 counted only documents that reach a new aspect (form='new') until
    12 June 2015. Its "modified" precision at recall is form='share-new'. The program of 2016 has n = length.

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 1, "b": 1}, "s2": {"c": 1}}}
    >>> run = {"q": {"a": 3, "b": 2, "c": 1}}
    >>> evaluate(two, run, ["P_at_recall", "P_at_recall(form='new')"]).mean()
    {'run': {'P_at_recall': 1.0, "P_at_recall(form='new')": 0.6666666666666666}}
    """
    return Plain(
        score=lambda hits: _share_counted(hits, rel, form),
        bounds=lambda c: _precision_bounds(c, rel, form),
        # The number of documents that reach a new aspect depends on the order of those above.
        has_steps=form in ("trec-dd-2015", "trec-dd-2016"),
        is_deep=False,
        range=(0.0, 1.0),
    )


def _share_counted(hits: Hits, rel: float, form: str) -> Floats:
    """(N,) the share of documents that count, until all aspects are reached"""
    relevant = hit_gain(hits, binary(rel))
    own = relevant.sum(1)
    new = (relevant * (seen(relevant) == 0)).sum(1)
    n = hits.length.astype(np.float64) if form == "trec-dd-2016" else _rank_at_recall(hits, rel)
    if form == "share-new":
        return ratio(total(ratio(new, own)), n)
    counted = new if form == "new" else own * (hits.rank <= n[:, None])
    return ratio(total((counted > 0).astype(np.float64)), n)


def _rank_at_recall(hits: Hits, rel: float) -> Floats:
    """(N,) the rank at which all aspects are reached, or else the length of the ranking"""
    return np.minimum(rank_of_level(hits, rel, 1.0), hits.length.astype(np.float64))


def _precision_bounds(c: Completions, rel: float, form: str) -> Pair:
    """Bounds of the share of documents that count, down to where all aspects are reached.

    If relevant documents count, they are counted for each rank at which all aspects may be reached. If new
    aspects count and the list has a relevant document, the first one counts fully. It is divided by the
    length of the list, or by the number of documents needed if all aspects are certain to be reached. The
    number of documents that add a new aspect is at most the number of aspects, and all documents are needed
    down to the first rank at which all aspects can be reached.
    """
    g = c.gains(binary(rel), None)
    length = c.hits.length.astype(np.float64)
    low, high = np.full(len(length), np.inf), np.zeros(len(length))
    something = (g.least > 0).any((-1, -2))
    ranks = np.arange(1, g.least.shape[-1] + 1)
    least, most = (np.cumsum((x > 0).any(1), axis=-1) / ranks for x in (g.least, g.most))
    for n, possible, _, soon, late in reached(c, rel, 1.0):
        first, last = (np.minimum(rank, length) for rank in (soon, late))
        if form == "trec-dd-2016":
            first = last = length
        if form.startswith("trec-dd"):
            inside = (ranks >= first[:, None]) & (ranks <= last[:, None])
            at_least = np.where(inside, least, np.inf).min(-1, initial=np.inf)
            at_least = np.where(length > 0, at_least, 0.0)
            at_most = np.where(inside, most, 0.0).max(-1, initial=0.0)
        else:
            at_least = ratio(np.where(something, 1.0, 0.0), last)
            at_most = np.minimum(1.0, ratio(g.live.sum(-1) + float(n), first))
        low = np.where(possible, np.minimum(low, at_least), low)
        high = np.where(possible, np.maximum(high, at_most), high)
    return low, high


@measure(cite="yang2015overview", compared=TREC_DD)
def RR_at_recall(rel: Rel = 1.0) -> Plain:
    """Reciprocal rank at full recall: 1 divided by the rank at which all aspects are reached.

    RR@recall = 1/n, where n is the rank at which all aspects are reached, or else the length of the ranking

    If the ranking does not reach all aspects, a shorter one scores more. S_RR is 0 in this case.

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 1}, "s2": {"b": 1}}}
    >>> evaluate(two, {"q": {"a": 3, "b": 2, "c": 1}}, ["RR_at_recall"]).mean()
    {'run': {'RR_at_recall': 0.5}}
    """
    return Plain(
        score=lambda hits: ratio(np.ones(()), _rank_at_recall(hits, rel)),
        bounds=lambda c: _rank_bounds(c, rel),
        has_steps=True,
        is_deep=False,
        range=(0.0, 1.0),
    )


def _rank_bounds(c: Completions, rel: float) -> Pair:
    """Bounds of 1 / the rank of `reached` if that is within the ranking, and otherwise of 1 / its length."""
    length = c.hits.length.astype(np.float64)
    low, high = np.full(len(length), np.inf), np.zeros(len(length))
    for _, possible, _, soon, late in reached(c, rel, 1.0):
        at_least, at_most = (ratio(np.ones(()), np.minimum(rank, length)) for rank in (late, soon))
        low = np.where(possible, np.minimum(low, at_least), low)
        high = np.where(possible, np.maximum(high, at_most), high)
    return low, high
