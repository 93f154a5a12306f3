"""The topics: the scores on each, which are hard, and which divide the systems."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankprism.report.numbers import or_none
from rankprism.results.scores import Scores


def per_topic(scores: Scores) -> Any:
    """The scores as (measure, run, topic)."""
    return or_none(np.moveaxis(scores.values, 2, 0))


def difficulty(scores: Scores) -> dict[str, Any]:
    """For each measure and topic: mean and standard deviation over runs, and the best and worst run."""
    values = np.moveaxis(scores.values, 2, 0)  # (measure, run, topic)
    defined = ~np.isnan(values)
    count = defined.sum(1)
    known = np.where(defined, values, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = known.sum(1) / count
        squares = np.where(defined, (values - mean[:, None]) ** 2, 0.0).sum(1)
        spread = np.sqrt(squares / (count - 1)) if len(scores.runs) > 1 else np.full(mean.shape, np.nan)
    return {
        "mean": or_none(mean),
        "spread": {"missing": "There is only one run, so no topic divides the systems."}
        if len(scores.runs) < 2
        else or_none(spread),
        "best": np.where(defined, values, -np.inf).argmax(1).tolist(),
        "worst": np.where(defined, values, np.inf).argmin(1).tolist(),
    }
