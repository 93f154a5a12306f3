"""Matrix products that stay on one thread."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rankprism.data import Floats
from rankprism.statistics import resampling


def product(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> Floats:
    """a @ b in floating point, in pieces that are too small for OpenBLAS to share among threads.

    On a busy machine, threads wait for each other, which makes a product ten times slower or more.
    """
    a, b = a.astype(np.float64, copy=False), b.astype(np.float64, copy=False)
    (rows, inner), columns = a.shape, b.shape[1]
    high = max(1, min(rows, resampling.PRODUCT // (16 * max(1, columns))))
    long = max(1, resampling.PRODUCT // max(1, high * columns))
    out = np.zeros((rows, columns))
    for top in range(0, rows, high):
        for left in range(0, inner, long):
            out[top : top + high] += a[top : top + high, left : left + long] @ b[left : left + long]
    return out
