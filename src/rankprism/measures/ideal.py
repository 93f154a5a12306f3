"""Ideal rankings: what a score is divided by."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rankprism._core import exact, greedy
from rankprism.data.hits import Floats, Pool
from rankprism.measures.parts import Parts, live_weights, pool_gain


def best_utility(pool: Pool, parts: Parts, cutoff: int | None) -> Floats:
    """(T,) the utility of the greedy ideal ranking

    It takes, at each step, the document with the largest undiscounted gain. Gains that are equal up to
    rounding are a tie, which the larger document id wins. The order does not depend on the discount, so
    measures that differ in nothing else share it.
    """
    best = best_gains(pool, parts)[:, :cutoff]
    return best @ parts.discount.first(best.shape[-1])


def best_gains(pool: Pool, parts: Parts) -> Floats:
    """(T, D) what each document of the greedy ideal ranking adds, before any discount"""
    key = ("greedy", parts.gain, parts.novelty, parts.weighted)
    return pool.once(key, lambda: greedy(*offers(pool, parts))[1])


def offers(pool: Pool, parts: Parts) -> tuple[Floats, Floats]:
    """(T, A, D) what each document offers on each aspect, and what share of it seeing it takes away"""
    g = pool_gain(pool, parts.gain)
    value = g * live_weights(pool, parts.gain, parts.weighted)[:, :, None]
    return np.ascontiguousarray(value), np.ascontiguousarray(parts.novelty.stop(g))


def exact_utility(pool: Pool, parts: Parts, cutoff: int | None, nodes: int) -> tuple[Floats, Floats]:
    """(T,) twice: the utility of the best ranking there is, at least and at most; equal where it is proved

    The search looks at `nodes` beginnings of rankings a topic at most, so that its result never depends
    on the machine.
    """

    def bounds() -> tuple[Floats, Floats]:
        documents = pool.grade.shape[-1]
        depth = documents if cutoff is None else min(cutoff, documents)
        return exact(*offers(pool, parts), parts.discount.first(depth), nodes)

    return pool.once(("exact", parts, cutoff, nodes), bounds)


def sorted_ideal(pool: Pool, key: object, gain: Callable[[Floats], Floats]) -> Floats:
    """(T, A, D) each aspect's gains in descending order: the ideal of a single-aspect measure."""
    return pool.once(("sorted", key), lambda: -np.sort(-gain(pool.grade), axis=-1))
