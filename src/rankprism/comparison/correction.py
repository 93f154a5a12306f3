"""Corrections of p-values for many tests at once."""

from __future__ import annotations

import numpy as np

from rankprism.data.hits import Floats
from rankprism.errors import one_of

CORRECTIONS = ("none", "holm", "bonferroni", "bh")


def corrected(p: Floats, method: str) -> Floats:
    """Adjusted p-values, to be compared with alpha as they are.

    bonferroni : min(1, m p). holm : the same step by step, from the smallest p on (Holm 1979); both keep
    the chance of any false discovery at alpha. bh : the expected share of false ones among the
    discoveries (Benjamini and Hochberg 1995).

    >>> corrected(np.array([0.01, 0.02, 0.04]), "holm")
    array([0.03, 0.04, 0.04])
    """
    one_of("correction", method, CORRECTIONS)
    m = len(p)
    if method == "none" or m == 0:
        return p
    if method == "bonferroni":
        return np.minimum(1.0, m * p)
    order = np.argsort(p, kind="stable")
    rank = np.arange(1, m + 1)
    if method == "holm":
        stepped = np.maximum.accumulate((m - rank + 1) * p[order])
    else:
        stepped = np.minimum.accumulate((m / rank * p[order])[::-1])[::-1]
    out = np.empty(m)
    out[order] = np.minimum(1.0, stepped)
    return out
