"""When two scores are equal, and which one is higher: one rule for all of meta-evaluation."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rankprism.data import Floats, Ints

#: Scores that differ by less are tied: they may be the same sum in another order.
TIED = 1e-12


def without_noise(difference: Floats) -> Floats:
    """Differences, in which tied scores give exactly 0."""
    return np.where(np.abs(difference) <= TIED, 0.0, difference)


def dense_ranks(scores: Floats) -> Ints:
    """(.., run): whole numbers from 0 in the order of the scores, the same for runs that are tied."""
    order = np.argsort(scores, axis=-1, kind="stable")
    step = np.zeros(scores.shape, dtype=np.int32)
    step[..., 1:] = np.diff(np.take_along_axis(scores, order, axis=-1), axis=-1) > TIED
    ranks = np.empty_like(step)
    np.put_along_axis(ranks, order, np.cumsum(step, axis=-1, dtype=np.int32), axis=-1)
    return ranks


def signs(scores: Floats) -> npt.NDArray[np.int8]:
    """(.., pair) from (.., run): 1 where the first run is higher, -1 where the second is, 0 where tied."""
    i, j = np.triu_indices(scores.shape[-1], 1)
    ranks = dense_ranks(scores)
    return np.asarray(np.sign(ranks[..., i] - ranks[..., j]), dtype=np.int8)
