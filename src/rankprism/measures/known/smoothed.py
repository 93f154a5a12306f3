"""Average precision on a logarithmic scale, (N, A)."""

from __future__ import annotations

import numpy as np

from rankprism.arrays import Floats
from rankprism.data.hits import Hits
from rankprism.measures import tables
from rankprism.measures.bounds.completions import Completions
from rankprism.measures.bounds.ranges import Pair
from rankprism.measures.bounds.single import over_counts
from rankprism.measures.compared import TREC_EVAL_10
from rankprism.measures.declare import single
from rankprism.measures.definition import Bounds, Ties
from rankprism.measures.parts import (
    PRECISION,
    UNIFORM,
    Parts,
    Rel,
    binary,
    hit_gain,
    relevant,
    total,
    utility_per_aspect,
)


def _smoothed(s: Floats, R: Floats) -> Floats:
    return tables.logarithm((1 + s) / (1 + R - s))


def _bounds(c: Completions, rel: float) -> Pair:
    def score(relevant_at: Floats, R: Floats) -> Floats:
        precision = np.cumsum(relevant_at, axis=-1) / np.arange(1, relevant_at.shape[-1] + 1)
        # With new documents in s and not yet in R, s may exceed what is possible.
        return _smoothed(np.minimum(total(relevant_at * precision), R), R)

    return over_counts(c.gains(binary(rel), None), score)


@single(
    bounds=Bounds("outer", _bounds),
    cite="robertson2012smoothing",
    compared=TREC_EVAL_10,
    ties=Ties(worth=lambda hits, rel: hit_gain(hits, binary(rel))),
)
def YAAP(hits: Hits, rel: Rel = 1.0) -> Floats:
    """Smoothed average precision, "yet another average precision": the log odds of AP.

    YAAP = ln (1 + s) / (1 + R - s),  s = R · AP = Σ_{relevant i} P@i, where R is the number of judged
    relevant documents

    It orders the rankings of a topic as AP does, and spreads scores near 0 and 1. The range is from
    -ln(1 + R) to ln(1 + R).

    >>> from rankprism import evaluate
    >>> judged, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 2, "b": 1}}
    >>> evaluate(judged, run, ["YAAP", "AP"]).mean()
    {'run': {'YAAP': 0.6931471805599453, 'AP': 1.0}}
    """
    s = utility_per_aspect(hits, Parts(UNIFORM, binary(rel), PRECISION))
    return _smoothed(s, relevant(hits.pool, binary(rel))[hits.topic])
