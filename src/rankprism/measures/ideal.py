"""Ideal rankings: what a score is divided by."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rankprism._core import greedy
from rankprism.data.hits import Floats, Hits, Pool
from rankprism.measures.parts import live_weights, pool_gain


def greedy_ideal(pool: Pool, gain: str, rel: float, stop: float | None, weighted: bool) -> Hits:
    """The ranking that takes, at each step, the document with the largest undiscounted gain.

    A document takes the share `stop` of what its aspects have left, or its own gain for None. Gains
    that are equal up to rounding are a tie, which the larger document id wins.
    """

    def ideal() -> Hits:
        g = pool_gain(pool, gain, rel)
        value = g * live_weights(pool, gain, rel, weighted)[:, :, None]
        share = g if stop is None else stop * (g > 0)
        return pool.ranked(greedy(np.ascontiguousarray(value), np.ascontiguousarray(share)))

    return pool.once(("greedy", gain, rel, stop, weighted), ideal)


def sorted_ideal(pool: Pool, key: object, gain: Callable[[Floats], Floats]) -> Floats:
    """(T, A, D) each aspect's gains in descending order: the ideal of a single-aspect measure."""
    return pool.once(("sorted", key), lambda: -np.sort(-gain(pool.grade), axis=-1))
