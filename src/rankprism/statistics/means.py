"""Means over topics with confidence intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankprism.errors import enumerated
from rankprism.statistics.claims import CLAIMS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankprism.data import Bools, Floats

#: Scores must be smaller in magnitude, so that the sums of their squares are finite.
LARGEST_SCORE = 1e150


def beyond_scores(values: Floats, low: Floats, high: Floats) -> Bools:
    """(measure,) whether an interval (run, measure) reaches beyond all scores (run, topic, measure).

    Student's t does not know the range of a measure: an interval of a mean near 1 may end above 1.
    """
    least, most = np.nanmin(values, axis=(0, 1)), np.nanmax(values, axis=(0, 1))
    with np.errstate(invalid="ignore"):
        return np.asarray(((low < least) | (high > most)).any(0))


def said_beyond(names: Sequence[str], values: Floats, low: Floats, high: Floats) -> str:
    """A sentence about measures whose intervals reach beyond all scores; "" if there are none.

    >>> scores = np.array([0.9, 1, 1, 1, 1, 1, 1, 1])[None, :, None]
    >>> said_beyond(["RR"], scores, np.array([[0.95]]), np.array([[1.01]]))
    "Intervals of RR reach beyond all scores (0.9 to 1), because Student's t knows no range of scores."
    """
    beyond = np.flatnonzero(beyond_scores(values, low, high)).tolist()
    if not beyond:
        return ""
    ranges = [f"{np.nanmin(values[:, :, m]):.4g} to {np.nanmax(values[:, :, m]):.4g}" for m in beyond]
    named = enumerated([names[m] for m in beyond[:3]])
    if len(beyond) > 3:
        named = f"{len(beyond)} measures"
    shown = f" ({ranges[0]})" if len(beyond) == 1 else ""
    why = "because Student's t knows no range of scores"
    return f"Intervals of {named} reach beyond all scores{shown}, {why}."


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
