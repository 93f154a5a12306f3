"""A figure about a judge, with its interval."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

#: The item of a figure that is about all of them.
ALL = "all"


class Figure(NamedTuple):
    """One number with its interval."""

    judge: str
    of: str  #: "labels", or the measure that the runs are scored by
    figure: str
    item: str  #: the grade, topic, run or family that it is about, or "all"
    value: float
    low: float = np.nan
    high: float = np.nan
    p: float = np.nan
    units: int = 0


def interval_note(about: Mapping[str, Any]) -> str:
    """What the numbers in brackets are."""
    confidence = about["confidence"]
    if not confidence:
        return ""
    return (
        f"In brackets: {100 * confidence:g} % intervals over topics like these {about['topics']}. "
        f"– means that it is not defined on this scale or that there are too few topics."
    )
