"""Writes numbers for the page's JSON: short, and never NaN."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

#: Differences of scores are whole numbers of millionths. Scores have full precision.
UNIT = 1_000_000


def millionths(values: npt.NDArray[np.float64]) -> Any:
    """Nested lists of whole millionths, with None where a value is not defined.

    >>> millionths(np.array([[0.5, 0.1234567], [1, np.nan]]))
    [[500000, 123457], [1000000, None]]
    """
    defined = np.isfinite(values)
    whole = np.rint(np.where(defined, values, 0.0) * UNIT).astype(np.int64)
    return whole.tolist() if defined.all() else np.where(defined, whole, np.array(None)).tolist()


def or_none(values: npt.NDArray[np.float64]) -> Any:
    """Nested lists of numbers in full precision, with None where a value is not defined.

    >>> or_none(np.array([0.1, np.nan]))
    [0.1, None]
    """
    return np.where(np.isfinite(values), values, np.array(None)).tolist()


def rounded(value: float, digits: int = 4) -> float | None:
    """Round a number to `digits` significant digits; None if it is not defined.

    >>> rounded(0.0123456), rounded(float("nan"))
    (0.01235, None)
    """
    return float(f"{value:.{digits}g}") if math.isfinite(value) else None


def without_end(numbers: list[float]) -> list[float]:
    """Remove the zeros at the end of a list.

    >>> without_end([3, 0, 1, 0, 0])
    [3, 0, 1]
    """
    end = len(numbers)
    while end and not numbers[end - 1]:
        end -= 1
    return numbers[:end]
