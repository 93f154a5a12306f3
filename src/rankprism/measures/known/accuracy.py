"""Accuracy: whether relevant documents are above the others."""

from __future__ import annotations

import numpy as np

from rankprism.data import Floats, Hits
from rankprism.measures.compared import IR_MEASURES
from rankprism.measures.declare import single
from rankprism.measures.form import PlainPerAspect
from rankprism.measures.parameter import Cutoff
from rankprism.measures.parts import Rel, binary, hit_gain, ratio


@single(
    cite="macavaney2022streamlining",
    compared=IR_MEASURES,
    partial=True,
)
def Accuracy(rel: Rel = 1.0, cutoff: Cutoff = None) -> PlainPerAspect:
    """Accuracy: the share of pairs of a relevant and another retrieved document that are in the right order.

    Accuracy@k = Σ_{i≤k} [g_i ≥ rel] · n_i / (r n)

    r is the number of relevant documents among the first k, n is the number of the others, and n_i counts
    those of them that are below rank i. Unjudged documents are not relevant. Relevant documents that are not
    retrieved do not count. A ranking without such a pair has no score, and its topic is left out of the mean.

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 1, "b": 1}}, {"q": ["x", "a", "y", "b"]}, ["Accuracy", "Accuracy@3"]).mean()
    {'run': {'Accuracy': 0.25, 'Accuracy@3': 0.5}}
    """
    return PlainPerAspect(
        per_aspect=lambda hits: share_in_order(hits.top(cutoff), rel),
        is_deep=False,
        range=(0.0, 1.0),
        why_unbounded="what it divides by depends on which retrieved documents are relevant",
    )


def share_in_order(hits: Hits, rel: float) -> Floats:
    """(N, A) the share of pairs of a relevant and another document that are in the right order; NaN if there
    is no pair"""
    is_relevant = hit_gain(hits, binary(rel))
    relevant = is_relevant.sum(-1)
    others = hits.length[:, None] - relevant
    below = others[:, :, None] - (hits.rank[:, None, :] - np.cumsum(is_relevant, axis=-1))
    right = np.where(is_relevant > 0, below, 0.0).sum(-1)
    pairs = relevant * others
    return ratio(right, np.where(pairs > 0, pairs, np.nan))
