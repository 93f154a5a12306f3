"""Measures of how many aspects a ranking reaches."""

from __future__ import annotations

from rankprism.data.hits import Floats, Hits
from rankprism.measures.measure import measure
from rankprism.measures.parts import CUTOFF, REL, WEIGHTED, aspect_weights, expected, hit_gain


@measure(REL, WEIGHTED, CUTOFF, cite=("zhai2003beyond",), aliases=("S_Recall", "I_rec"))
def StRecall(hits: Hits, rel: float, weighted: bool, cutoff: int | None) -> Floats:
    """Subtopic recall: the share of the topic's aspects that the first k documents reach.

    StRecall@k = Σ_t w_t [some i ≤ k has g(i,t) ≥ rel], over the aspects with a relevant document

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"s1": {"a": 1}, "s2": {"b": 1}}}, {"q": {"a": 2, "b": 1}}, ["StRecall@1"]).mean()
    {'run': {'StRecall@1': 0.5}}
    """
    reached = hit_gain(hits.top(cutoff), "binary", rel).max(-1, initial=0.0)
    return expected(reached, aspect_weights(hits, "binary", rel, weighted))
