"""How much a system can lose by a measure."""

from __future__ import annotations

import math

from rankprism.measures.measure import Measure


def greatest_loss(measure: Measure, mean: float, lower: bool | None = None) -> float | None:
    """How much a system with this mean can lose by a measure; None if it is not known.

    lower : whether a lower score is better. Default: as the measure says.

    >>> from rankprism.measures import Unjudged, nDCG
    >>> greatest_loss(nDCG, 0.75), greatest_loss(Unjudged, 0.75)
    (0.75, 0.25)
    """
    low, high = measure.range
    end = high if (measure.lower_is_better if lower is None else lower) else low
    return abs(mean - end) if math.isfinite(end) else None
