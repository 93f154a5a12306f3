"""The folds: ways to turn a document's grades on several aspects into one grade."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import numpy as np

from rankprism._core import sums_over_aspects
from rankprism.data import Floats

#: Functions of grades (.., A, ..) and of the aspects' weights (.., A, 1).
FOLDS: dict[str, Callable[[Floats, Floats], Floats]] = {
    # A document is as relevant as it is to the aspect that it serves best (Amigó et al. 2018, section 6.2).
    "max": lambda grade, weight: grade.max(-2, initial=0.0),
    "min": lambda grade, weight: np.where(
        (weight > 0).any(-2), np.where(weight > 0, grade, np.inf).min(-2, initial=np.inf), 0.0
    ),
    # Rounded, so that a document has the same grade in a ranking and in the pool.
    "sum": lambda grade, weight: np.round(
        sums_over_aspects(grade, (weight[:, :, 0] > 0).astype(np.float64)), 12
    ),
    "mean": lambda grade, weight: np.round(
        sums_over_aspects(grade, weight[:, :, 0])
        / np.maximum(sums_over_aspects(weight, np.ones(weight.shape[:2])), np.finfo(np.float64).tiny),
        12,
    ),
    # A document has a grade above 0 only if it has one on every aspect (Zuccon 2016).
    "product": lambda grade, weight: np.where(
        (weight > 0).any(-2),
        np.round(reduce(np.multiply, np.moveaxis(np.where(weight > 0, grade, 1.0), 1, 0), 1.0), 12),
        0.0,
    ),
}
