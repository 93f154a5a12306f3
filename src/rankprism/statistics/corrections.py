"""Corrections of p-values for many tests at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

import numpy as np

from rankprism.data import Floats
from rankprism.errors import one_of
from rankprism.types import Correction

CORRECTIONS: tuple[Correction, ...] = get_args(Correction)
NAMES_OF_CORRECTIONS = {
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "bh": "Benjamini–Hochberg",
    "max-t": "max-t",
    "none": "no",
}
#: The intervals that go with the adjusted p-values, by their usual names.
INTERVALS = {
    "none": "single",
    "holm": "Bonferroni",
    "bonferroni": "Bonferroni",
    "bh": "FCR",
    "max-t": "Bonferroni",
}

#: The alpha of each interval, or a function that computes it from the p-values of all pairs.
Level = float | Callable[[Floats], float]


def corrected(p: Floats, method: Correction) -> Floats:
    """Adjusted p-values, to be compared with alpha as they are. (max-t is not computed from p alone.)

    Parameters
    ----------
    p
        p-values of m tests.
    method
        "bonferroni" multiplies each p by m. "holm" does so step by step, beginning with the smallest p (Holm
        1979). Both limit the probability of any false discovery to alpha. "bh" limits the expected share of
        false discoveries among all discoveries (Benjamini and Hochberg 1995). "none" changes nothing.

    Examples
    --------
    >>> corrected(np.array([0.01, 0.02, 0.04]), "holm")
    array([0.03, 0.04, 0.04])
    """
    one_of("correction", method, ("none", "holm", "bonferroni", "bh"))
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


def interval_level(method: Correction, alpha: float, tests: int) -> Level:
    """The alpha of each interval, so that intervals of confidence 1 - alpha match the adjusted p-values.

    bonferroni, holm, max-t : alpha / m, so that all m intervals together hold with probability 1 - alpha. For
        Holm and max-t they may be too wide: a pair that becomes significant only in a later step has an
        interval that contains 0.
    bh : R alpha / m, where R is the number of significant pairs (the false coverage rate, FCR, of Benjamini
        and Yekutieli 2005). A share alpha of the intervals of significant pairs is then expected to miss. If
        no pair is significant, R = 1.

    >>> at = interval_level("bh", 0.05, tests=4)
    >>> at(np.array([0.001, 0.02, 0.3, 0.7]))  # two of four
    0.025
    """
    if method == "none":
        return alpha
    if method == "bh":
        return lambda p: max(1, int((corrected(p, "bh") < alpha).sum())) * alpha / tests
    return alpha / tests
