"""Means over topics with confidence intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankprism.statistics.claims import CLAIMS

if TYPE_CHECKING:
    from rankprism.data import Floats

#: Scores must be smaller in magnitude, so that the sums of their squares are finite.
LARGEST_SCORE = 1e150


def t_intervals(values: Floats, alpha: float, claim: str = "a mean") -> tuple[Floats, Floats]:
    """Means and margins (run, measure) of values (run, topic, measure): t(1-α/2, n-1) s / √n.

    A mean is NaN if a run has no score. A margin is NaN if it has fewer scores than the claim asks for, or if
    all are equal, because they then do not show how much the mean varies.
    """
    from scipy.special import stdtrit  # the quantile of Student's t; scipy.stats would take longer to import

    n = (~np.isnan(values)).sum(1)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.nansum(values, 1) / n
        s = np.sqrt(np.nansum((values - mean[:, None]) ** 2, 1) / (n - 1))
        t = stdtrit(np.maximum(n - 1, 1), 1 - alpha / 2)
        margin = np.where((n >= CLAIMS[claim].fewest) & (s > 0), t * s / np.sqrt(n), np.nan)
    return mean, margin
