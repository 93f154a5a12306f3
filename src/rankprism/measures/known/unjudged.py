"""Measures of what is not known: the unjudged documents of a ranking, (N,).

As in trec_eval, a document is unjudged if the topic's judgments do not name it, or if all its grades are
negative.
"""

from __future__ import annotations

import numpy as np

from rankprism.data import NOWHERE, Bools, Floats, Hits
from rankprism.measures.compared import TREC_EVAL_10
from rankprism.measures.declare import measure
from rankprism.measures.form import Plain, is_patient
from rankprism.measures.parameter import Cutoff
from rankprism.measures.parts import Persistence, geometric, ratio, total

_NO_GRADES = "it counts unjudged documents and does not look at grades"


def _judged(hits: Hits, cutoff: int | None) -> Bools:
    """(N, J) the documents down to the cutoff that have a grade of at least 0"""
    inside = hits.judged <= (NOWHERE - 1 if cutoff is None else cutoff)
    return inside if hits.negative is None else inside & ~hits.negative


@measure(lower_is_better=True, cite="macavaney2022streamlining", compared=TREC_EVAL_10)
def Unjudged(cutoff: Cutoff = None) -> Plain:
    """Unjudged: the share of the first k documents that are not judged.

    Unjudged@k = 1/k Σ_{i≤k} [document i is not judged]

    A ranking that is shorter than k is scored as if judged documents followed, so Unjudged@k and Judged@k do
    not always add up to 1. If there is no cutoff, k is the length of the ranking.

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 0, "b": 1}}, {"q": {"a": 2, "x": 1}}, ["Unjudged@1", "Unjudged@4"]).mean()
    {'run': {'Unjudged@1': 0.0, 'Unjudged@4': 0.25}}
    """

    def share(hits: Hits) -> Floats:
        depth = hits.depth(cutoff)
        return ratio(np.minimum(hits.length, depth) - _judged(hits, cutoff).sum(-1), depth)

    return Plain(score=share, why_unbounded=_NO_GRADES, is_deep=False, range=(0.0, 1.0))


@measure(lower_is_better=True, cite="moffat2008rank", compared=TREC_EVAL_10)
def RBP_residual(p: Persistence = 0.8, cutoff: Cutoff = None) -> Plain:
    """Residual of rank-biased precision: how much RBP could rise if everything unknown were relevant.

    RBP_residual = 1 - (1 - p) Σ_{judged i} p^(i-1)

    The unknown documents are the unjudged ones and all that could follow the end of the ranking, or the
    cutoff. trec_eval counts the documents after the end only if another document is unjudged, so its
    rbp_resid is 0 if all retrieved documents are judged.

    >>> from rankprism import evaluate
    >>> judged, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 3, "x": 2, "b": 1}}
    >>> evaluate(judged, run, ["RBP_residual(p=0.5)"]).mean()
    {'run': {'RBP_residual(p=0.5)': 0.375}}
    """

    def unknown(hits: Hits) -> Floats:
        judged = _judged(hits, cutoff)
        known = (1 - p) * total(np.where(judged, geometric(p)(np.where(judged, hits.judged, 1)), 0.0))
        return np.maximum(1 - known, 0.0)

    return Plain(score=unknown, why_unbounded=_NO_GRADES, is_deep=is_patient(p), range=(0.0, 1.0))
