"""Ideal rankings, whose scores are the divisors of normalised measures."""

from __future__ import annotations

import numpy as np

from rankprism._core import exact, greedy, in_order, sums_over_aspects
from rankprism.data import Floats, Ints, Pool
from rankprism.measures.parts import Gain, Parts, discounted_sum, live_weights, mean_of, pool_gain


def best_utility(pool: Pool, parts: Parts, cutoff: int | None) -> Floats:
    """(T,) the utility of the greedy ideal ranking

    At each step, the greedy ranking takes the document with the largest undiscounted gain. Gains that are
    equal up to rounding are tied, and the larger document id wins. The order does not depend on the discount,
    so measures that differ only in their discount share it.
    """
    return _utility(pool, parts, _greedy_gain(pool, parts), cutoff)


def best_gains(pool: Pool, parts: Parts) -> Floats:
    """(T, D) the undiscounted gain of each document of the greedy ideal ranking"""
    given = parts.as_given and pool.weighted
    weight = pool.weight if given else live_weights(pool, parts.gain, parts.weighted)
    return sums_over_aspects(_greedy_gain(pool, parts), weight)


def _greedy_gain(pool: Pool, parts: Parts) -> Floats:
    """(T, A, D) the gain of each document of the greedy ideal ranking on each aspect, times its novelty"""
    key = ("greedy", parts.gain, parts.novelty, parts.weighted)
    return pool.once(key, lambda: _novel_gain(pool, parts, greedy(*offers(pool, parts))))


def greedy_order(pool: Pool, parts: Parts) -> Ints:
    """(T, D) the documents of the greedy ideal ranking, as their numbers in the pool; -1 after its end

    It ends where the next document would add no more than the effort of looking at it.
    """
    return np.where(best_gains(pool, parts) > parts.effort, greedy(*offers(pool, parts)), np.int32(-1))


def _novel_gain(pool: Pool, parts: Parts, order: Ints) -> Floats:
    """(T, A, D) gain times novelty of the documents in this order (T, D), where -1 is an empty place"""
    g = in_order(pool_gain(pool, parts.gain), order)
    return g * parts.novelty(g)


def _utility(pool: Pool, parts: Parts, novel_gain: Floats, cutoff: int | None) -> Floats:
    """(T,) the utility of a ranking whose documents have these gains times novelties"""
    gain = novel_gain[:, :, :cutoff]
    weight = live_weights(pool, parts.gain, parts.weighted)
    return mean_of(discounted_sum(gain, parts.discount.first(gain.shape[-1])), weight)


def offers(pool: Pool, parts: Parts) -> tuple[Floats, Floats]:
    """(T, A, D) twice: the worth of each document on each aspect, and the share of worth that it removes"""
    g = pool_gain(pool, parts.gain)
    value = g * live_weights(pool, parts.gain, parts.weighted)[:, :, None]
    return np.ascontiguousarray(value), np.ascontiguousarray(parts.novelty.stop(g))


def exact_utility(pool: Pool, parts: Parts, cutoff: int | None) -> tuple[Floats, Floats]:
    """(T,) twice: bounds of the utility of the best ranking, which are equal if the search was completed

    For each topic, the search looks at no more than `parts.nodes` beginnings of rankings, so its result does
    not depend on the machine.
    """

    def bounds() -> tuple[Floats, Floats]:
        documents = pool.grade.shape[-1]
        depth = documents if cutoff is None else min(cutoff, documents)
        order, low, high = exact(*offers(pool, parts), parts.discount.first(depth), parts.nodes)
        best = _utility(pool, parts, _novel_gain(pool, parts, order), cutoff)
        # The search does not add in the same order as measures do.
        return best, np.where(high == low, best, np.maximum(high, best))

    return pool.once(("exact", parts, cutoff), bounds)


def sorted_gains(pool: Pool, gain: Gain) -> Floats:
    """(T, A, D) the gains on each aspect in descending order: the ideal of a single-aspect measure."""
    return pool.once(("sorted", gain), lambda: -np.sort(-pool_gain(pool, gain), axis=-1))


def ideal_sums(pool: Pool, gain: Gain) -> Floats:
    """(T, A, D) the sums of `sorted_gains` down to each rank"""
    return pool.once(("ideal sums", gain), lambda: np.cumsum(sorted_gains(pool, gain), axis=-1))
