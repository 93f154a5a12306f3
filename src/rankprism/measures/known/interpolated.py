"""Interpolated precision: the highest precision at some recall or beyond it. The shape is (N, A)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from rankprism.data import Floats
from rankprism.errors import MeasureError
from rankprism.measures.compared import TREC_EVAL, TREC_EVAL_10
from rankprism.measures.counted import Counted, Marks
from rankprism.measures.declare import single
from rankprism.measures.parameter import Example, OneOf, Range, Role
from rankprism.measures.parts import Rel, total
from rankprism.text import quoted

Recall = Annotated[float | None, Range(0, 1), "the recall, written after @; None means 0", Role.AT]
Rounding = Annotated[
    str,
    OneOf(("up", "nearest")),
    "how recall · R becomes a number of documents: 'up' adds 0.9 and drops the fraction, as in trec_eval 9 "
    "and ir_measures; 'nearest' rounds to the nearest number, as in trec_eval 10",
]
Recalls = Annotated[Sequence[float], Example("(0.2,0.5,0.8)"), "the recalls at which precision is measured"]
ELEVEN = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


def documents_at(recall: float, R: Floats, rounding: str) -> Floats:
    """The number of relevant documents at which a recall is reached; at least 1"""
    share = recall * R
    if rounding == "up":
        return np.maximum(np.floor(share + 0.9), 1.0)
    whole = np.floor(share)
    rounded: Floats = whole + (share - whole >= 0.5)
    return np.maximum(rounded, 1.0)


def interpolated(rel: float, recalls: Sequence[float], rounding: str) -> Counted:
    """The mean over recalls of the highest precision where at least recall · R documents have been found."""

    def score(m: Marks) -> Floats:
        found = m.count * m.relevant
        precision = found / m.rank

        def highest(recall: float) -> Floats:
            enough = found >= documents_at(recall, m.R, rounding)[:, :, None]
            return np.asarray(np.where(enough, precision, 0.0).max(-1, initial=0.0))

        return total(np.stack([highest(recall) for recall in recalls], axis=-1)) / len(recalls)

    return Counted(rel=rel, score=score, range=(0.0, 1.0))


@single(cite="vanrijsbergen1979information", compared=f"{TREC_EVAL}; {TREC_EVAL_10}")
def IPrec(recall: Recall = None, rel: Rel = 1.0, rounding: Rounding = "up") -> Counted:
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
    return interpolated(rel, (recall or 0.0,), rounding)


def _check(recalls: Sequence[float]) -> Sequence[float]:
    if not recalls or not all(isinstance(r, int | float) and 0 <= r <= 1 for r in recalls):
        raise MeasureError(
            f"IAP: recalls must be numbers from 0 to 1 such as (0.2,0.5,0.8); got {quoted(recalls)}"
        )
    return recalls


@single(cite="vanrijsbergen1979information", compared=f"{TREC_EVAL}; {TREC_EVAL_10}")
def IAP(recalls: Recalls = ELEVEN, rel: Rel = 1.0, rounding: Rounding = "up") -> Counted:
    """Interpolated average precision: the mean of IPrec over the recalls 0, 0.1, …, 1.

    IAP = 1/11 Σ_{r = 0, 0.1, …, 1} IPrec@r

    This is the 11-point average of trec_eval. Other recalls give other averages: recalls=(0.2,0.5,0.8) is the
    3-point average of older papers.

    >>> from rankprism import evaluate
    >>> judged, run = {"q": {"a": 1, "b": 0, "c": 1}}, {"q": {"a": 3, "b": 2, "c": 1}}
    >>> evaluate(judged, run, ["IPrec@0.5", "IPrec@0.8", "IAP(recalls=(0.5,0.8))"]).mean()
    {'run': {'IPrec@0.5': 1.0, 'IPrec@0.8': 0.6666666666666666, 'IAP(recalls=(0.5,0.8))': 0.8333333333333333}}
    """
    return interpolated(rel, _check(recalls), rounding)
