"""Ideal rankings: what a score is divided by."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rankprism._core import exact, greedy, sums_over_aspects
from rankprism.data.hits import Floats, Ints, Pool
from rankprism.measures.parts import Parts, discounted_sum, expected, live_weights, pool_gain


def best_utility(pool: Pool, parts: Parts, cutoff: int | None) -> Floats:
    """(T,) the utility of the greedy ideal ranking

    It takes, at each step, the document with the largest undiscounted gain. Gains that are equal up to
    rounding are a tie, which the larger document id wins. The order does not depend on the discount, so
    measures that differ in nothing else share it.
    """
    return _utility(pool, parts, _greedy_gain(pool, parts), cutoff)


def best_gains(pool: Pool, parts: Parts) -> Floats:
    """(T, D) what each document of the greedy ideal ranking adds, before any discount"""
    given = parts.as_given and pool.weighted
    weight = pool.weight if given else live_weights(pool, parts.gain, parts.weighted)
    return sums_over_aspects(_greedy_gain(pool, parts), weight)


def _greedy_gain(pool: Pool, parts: Parts) -> Floats:
    """(T, A, D) what the documents of the greedy ideal ranking gain on each aspect, times their novelty"""
    key = ("greedy", parts.gain, parts.novelty, parts.weighted)
    return pool.once(key, lambda: _novel_gain(pool, parts, greedy(*offers(pool, parts))))


def greedy_order(pool: Pool, parts: Parts) -> Ints:
    """(T, D) the documents of the greedy ideal ranking, by their numbers in the pool; -1 behind its end

    It ends where the next document would add no more than the effort of looking at it.
    """
    return np.where(best_gains(pool, parts) > parts.effort, greedy(*offers(pool, parts)), np.int32(-1))


def _novel_gain(pool: Pool, parts: Parts, order: Ints) -> Floats:
    """(T, A, D) what the documents gain in this order (T, D), where -1 is none, times their novelty"""
    found = np.take_along_axis(pool_gain(pool, parts.gain), np.maximum(order, 0)[:, None, :], axis=-1)
    g = np.where(order[:, None, :] >= 0, found, 0.0)
    return g * parts.novelty(g)


def _utility(pool: Pool, parts: Parts, novel_gain: Floats, cutoff: int | None) -> Floats:
    """(T,) what `utility` is for a ranking of documents that gain so much."""
    gain = novel_gain[:, :, :cutoff]
    weight = live_weights(pool, parts.gain, parts.weighted)
    return expected(discounted_sum(gain, parts.discount.first(gain.shape[-1])), weight)


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
        order, low, high = exact(*offers(pool, parts), parts.discount.first(depth), nodes)
        best = _utility(pool, parts, _novel_gain(pool, parts, order), cutoff)
        # The search adds up in another order than measures do.
        return best, np.where(high == low, best, np.maximum(high, best))

    return pool.once(("exact", parts, cutoff, nodes), bounds)


def sorted_ideal(pool: Pool, key: object, gain: Callable[[Floats], Floats]) -> Floats:
    """(T, A, D) each aspect's gains in descending order: the ideal of a single-aspect measure."""
    return pool.once(("sorted", key), lambda: -np.sort(-gain(pool.grade), axis=-1))
