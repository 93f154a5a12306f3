"""Average precision on a logarithmic scale, (N, A)."""

from __future__ import annotations

import numpy as np

from rankprism.data import Floats
from rankprism.measures import tables
from rankprism.measures.compared import TREC_EVAL_10
from rankprism.measures.counted import Counted, Marks
from rankprism.measures.declare import single
from rankprism.measures.parts import Rel, total


@single(cite="robertson2012smoothing", compared=TREC_EVAL_10)
def YAAP(rel: Rel = 1.0) -> Counted:
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

    def score(m: Marks) -> Floats:
        # With new documents in s and not yet in R, s may exceed what is possible.
        s = np.minimum(total(m.relevant * (m.count / m.rank)), m.R)
        return tables.logarithm((1 + s) / (1 + m.R - s))

    return Counted(rel=rel, score=score)
