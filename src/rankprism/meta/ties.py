"""When scores are equal, and which of two is higher: one rule for all of meta-evaluation."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rankprism.data.hits import Bools, Floats

#: Scores that differ by less are tied: the same sum in another order.
TIED = 1e-12


def tied(x: Any, y: Any) -> Bools:
    return np.asarray(np.abs(x - y) <= TIED)


def without_noise(difference: Floats) -> Floats:
    """Differences that are 0 where scores are tied."""
    return np.where(np.abs(difference) <= TIED, 0.0, difference)


def signs(scores: Floats) -> npt.NDArray[np.int8]:
    """(.., pair) from (.., run): 1 where the first run is higher, -1 where the second is, 0 where tied."""
    i, j = np.triu_indices(scores.shape[-1], 1)
    return np.sign(without_noise(scores[..., i] - scores[..., j])).astype(np.int8)
