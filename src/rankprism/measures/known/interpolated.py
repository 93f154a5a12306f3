"""Interpolated precision: the highest precision at some recall or beyond it. The shape is (N, A)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from rankprism.arrays import Floats
from rankprism.data.hits import Hits
from rankprism.errors import MeasureError
from rankprism.foreign import quoted
from rankprism.measures.bounds.completions import Completions
from rankprism.measures.bounds.ranges import Pair
from rankprism.measures.bounds.single import over_counts
from rankprism.measures.compared import TREC_EVAL, TREC_EVAL_10
from rankprism.measures.declare import single
from rankprism.measures.definition import Bounds, Ties
from rankprism.measures.parameter import Example, OneOf, Range, Role
from rankprism.measures.parts import Rel, binary, hit_gain, hit_seen, relevant, total

Recall = Annotated[float | None, Range(0, 1), "the recall, written after @; None means 0", Role.AT]
Rounding = Annotated[
    str,
    OneOf(("up", "nearest")),
    "how recall · R becomes a number of documents: 'up' adds 0.9 and drops the fraction, as in trec_eval 9 "
    "and ir_measures; 'nearest' rounds to the nearest number, as in trec_eval 10",
]
Recalls = Annotated[Sequence[float], Example("(0.2,0.5,0.8)"), "the recalls at which precision is measured"]
#: If relevant documents come earlier, the precision at each rank rises. The expectation takes all orders.
_RELEVANT_FIRST = Ties(worth=lambda hits, rel, **_: hit_gain(hits, binary(rel)))
ELEVEN = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


def documents_at(recall: float, R: Floats, rounding: str) -> Floats:
    """The number of relevant documents at which a recall is reached; at least 1"""
    share = recall * R
    if rounding == "up":
        return np.maximum(np.floor(share + 0.9), 1.0)
    whole = np.floor(share)
    rounded: Floats = whole + (share - whole >= 0.5)
    return np.maximum(rounded, 1.0)


def _highest(found: Floats, precision: Floats, R: Floats, recall: float, rounding: str) -> Floats:
    """(N, A) the highest precision where at least recall · R relevant documents have been found"""
    enough = found >= documents_at(recall, R, rounding)[:, :, None]
    highest: Floats = np.where(enough, precision, 0.0).max(-1, initial=0.0)
    return highest


def _interpolated(hits: Hits, rel: float, recalls: Sequence[float], rounding: str) -> list[Floats]:
    """(N, A) for each recall"""
    g, R = hit_gain(hits, binary(rel)), relevant(hits.pool, binary(rel))[hits.topic]
    found = (hit_seen(hits, binary(rel)) + g) * g
    precision = found / hits.rank[:, None, :]
    return [_highest(found, precision, R, recall, rounding) for recall in recalls]


def _bounds(c: Completions, rel: float, recalls: Sequence[float], rounding: str) -> Pair:
    def score(relevant_at: Floats, R: Floats) -> Floats:
        found = np.cumsum(relevant_at, axis=-1)
        precision = found / np.arange(1, found.shape[-1] + 1)
        return _mean([_highest(found, precision, R, recall, rounding) for recall in recalls])

    return over_counts(c.gains(binary(rel), None), score)


def _mean(scores: Sequence[Floats]) -> Floats:
    return total(np.stack(scores, axis=-1)) / len(scores)


@single(
    bounds=Bounds("outer", lambda c, recall, rel, rounding: _bounds(c, rel, (recall or 0.0,), rounding)),
    cite="vanrijsbergen1979information",
    compared=f"{TREC_EVAL}; {TREC_EVAL_10}",
    ties=_RELEVANT_FIRST,
)
def IPrec(hits: Hits, recall: Recall = None, rel: Rel = 1.0, rounding: Rounding = "up") -> Floats:
    """Interpolated precision at a recall: the highest precision at this recall or a higher one.

    IPrec@r = max P@i over the ranks i down to which at least ⌊r · R + 0.9⌋ documents are relevant, where R is
    the number of judged relevant documents

    The score is 0 if the ranking does not reach the recall. The number after @ is a recall and not a number
    of documents. With r = 0, the first relevant document is enough.

    >>> from rankprism import evaluate
    >>> judged, run = {"q": {"a": 1, "b": 0, "c": 1}}, {"q": {"b": 3, "a": 2, "c": 1}}
    >>> evaluate(judged, run, ["IPrec@0.1", "IPrec@0.5", "IPrec@1"]).mean()
    {'run': {'IPrec@0.1': 0.6666666666666666, 'IPrec@0.5': 0.6666666666666666, 'IPrec@1': 0.6666666666666666}}
    """
    return _interpolated(hits, rel, (recall or 0.0,), rounding)[0]


def _check(recalls: Sequence[float]) -> Sequence[float]:
    if not recalls or not all(isinstance(r, int | float) and 0 <= r <= 1 for r in recalls):
        raise MeasureError(
            f"IAP: recalls must be numbers from 0 to 1 such as (0.2,0.5,0.8); got {quoted(recalls)}"
        )
    return recalls


@single(
    bounds=Bounds("outer", lambda c, recalls, rel, rounding: _bounds(c, rel, _check(recalls), rounding)),
    cite="vanrijsbergen1979information",
    compared=f"{TREC_EVAL}; {TREC_EVAL_10}",
    ties=_RELEVANT_FIRST,
)
def IAP(hits: Hits, recalls: Recalls = ELEVEN, rel: Rel = 1.0, rounding: Rounding = "up") -> Floats:
    """Interpolated average precision: the mean of IPrec over the recalls 0, 0.1, …, 1.

    IAP = 1/11 Σ_{r = 0, 0.1, …, 1} IPrec@r

    This is the 11-point average of trec_eval. Other recalls give other averages: recalls=(0.2,0.5,0.8) is the
    3-point average of older papers.

    >>> from rankprism import evaluate
    >>> judged, run = {"q": {"a": 1, "b": 0, "c": 1}}, {"q": {"a": 3, "b": 2, "c": 1}}
    >>> evaluate(judged, run, ["IPrec@0.5", "IPrec@0.8", "IAP(recalls=(0.5,0.8))"]).mean()
    {'run': {'IPrec@0.5': 1.0, 'IPrec@0.8': 0.6666666666666666, 'IAP(recalls=(0.5,0.8))': 0.8333333333333333}}
    """
    return _mean(_interpolated(hits, rel, _check(recalls), rounding))
