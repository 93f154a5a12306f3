"""Resampling tests of many pairs of systems at once.

Tests of pairs take z (pair, topic), the difference of two systems on each topic. All pairs use the same
resamples, so a resample is a row of a matrix and the work is a matrix product. Random numbers are drawn in a
fixed order, which does not depend on the size of the blocks or the number of threads.

If b of B random resamples reach the observed statistic, p = (b + 1) / (B + 1): the observed data count as one
more resample (Phipson and Smyth 2010). The share b / B would be 0 for many pairs, and no correction for the
number of pairs changes a 0. If all resamples are enumerated, the observed one is among them, and p is b / B.

A resample of topics is a vector of counts, and all pairs of systems use the same resamples. The sums of a
pair over all resamples are therefore a matrix product. The studentised bootstrap only compares values of
|t|. These depend only on ρ = w̄² / Σw² and grow with it. The code therefore compares ρ, which takes two
products, one division and no square root. Pairs are processed in blocks, so that the memory does not
depend on the number of resamples. The products are small enough that no BLAS splits them among threads.
Random numbers are drawn in a fixed order, so neither blocks nor threads affect the result. Differences
that are equal up to rounding count as equal. Otherwise a resample of zeros could have any t, even an
infinite one.

The correction max-t turns this around: a choice of signs does not change Σz² of a pair, so one product of
all scores with the signs gives the sums of all systems, and |t| of a pair comes from the difference of
two of them. One pass over the pairs in ascending order of |t|, with the running maximum of each resample,
gives all adjusted p. Threads take different resamples and add up counts.

A test is one function in `statistics/paired.py`. Its decorator says what a caption calls it, whether it
draws random numbers, whether it corrects for the number of pairs itself, and what its row of the table in
comparing.md contains. `compare` sorts runs and topics by name before it tests them, so that p does not
depend on the order of the lines in a file.

To compute unanimity, it is enough to count, for each topic and ordered pair of runs, the measures that
see a loss. If there are none, all measures agree. If there is exactly one, all other measures agree. One
pass therefore serves all variants.

The intervals of meta-evaluation leave out topics instead of drawing them with replacement, because a
topic that is drawn twice would count as evidence twice. `meta/intervals.py` has the subsets, the standard
error and the differences between measures. Each analysis only computes its figure on a subset. On
subsets, the paired tests are matrix products as well, and they use the critical values of all topics.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rankprism.data import Floats, Longs
from rankprism.statistics.threads import Share, for_each

#: The largest number of values in a block of pairs. A block with a single pair may hold more.
BLOCK = 1 << 22
#: The largest number of pairs in a block. With fewer than about twenty, matrix products are slow.
PAIRS = 64
#: The number of values that are processed at a time, which fit into the cache.
CHUNK = 1 << 16
#: How many choices of signs the test of all pairs takes at a time.
SIGNS = 1 << 10
#: How many topics are drawn at a time.
DRAWN = 1 << 18
#: How many counts of drawn topics are kept from one block of pairs to the next.
KEPT = 1 << 26
#: The largest number of multiplications in one matrix product. OpenBLAS shares larger products among threads,
#: which on a busy machine wait for each other longer than they compute.
PRODUCT = 1 << 18
#: Statistics that differ by less are equal: they may differ only in the order of their terms.
EQUAL = 1e-10
TINY = np.finfo(np.float64).tiny

Draws: TypeAlias = tuple[slice, npt.NDArray[np.unsignedinteger[Any]]]


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """The result of the bootstrap for each pair."""

    asl: Floats  #: achieved significance level, (b + 1) / (B + 1)
    reached: Longs  #: b, how many of the B resamples reach the observed |t|; Sakai's ASL is b / B
    critical: Floats  #: the |t| beyond which ASL < alpha
    delta: (
        Floats  #: the difference of means in the resample that has this |t|: what it takes to be significant
    )


def drawn_p(reached: Floats | Longs, resamples: int) -> Floats:
    """p if `reached` of the random resamples are as extreme as the data.

    >>> drawn_p(np.array([0, 499]), 9999).tolist()
    [0.0001, 0.05]
    """
    return np.asarray((reached + 1) / (resamples + 1))


def least_resamples(alpha: float, tests: int = 1) -> int:
    """The smallest number of random resamples with which a p, multiplied by the number of tests, can be
    below alpha.

    >>> least_resamples(0.05), least_resamples(0.05, tests=4950)
    (20, 99000)
    """
    return math.floor(round(tests / alpha, 6))


def place_of(alpha: float, resamples: int) -> int:
    """The k such that p < alpha if and only if fewer than k resamples reach the observed statistic. The
    k-th largest resampled statistic is the critical value. k is 0 if no p can be below alpha."""
    return math.ceil(round(alpha * (resamples + 1), 9)) - 1  # 0.07 * 100 is 7.000000000000001


def bootstrap(z: Floats, alpha: float, resamples: int, seed: int, on_share: Share | None = None) -> Bootstrap:
    """The two-tailed paired bootstrap, studentised (Efron and Tibshirani 1993; Sakai 2006).

    t(z) = z̄ / (s/√n) and w = z - z̄;  ASL = (#{b: |t(w*ᵇ)| ≥ |t(z)|} + 1) / (B + 1), with w*ᵇ drawn from w
    with replacement. t is 0 if all of w*ᵇ is 0, and infinite if w*ᵇ is constant but not 0.

    Since Σ(w - w̄)² = Σw² - n w̄², |t| grows with ρ = w̄² / Σw² and with nothing else: t² = n(n-1)ρ / (1-nρ).
    So the resamples are compared by ρ, which takes two matrix products and no square root.
    """
    pairs, topics = z.shape
    w = _centred(z)
    observed = _ratio((total(z) / topics) ** 2, (z**2).sum(1))
    place = place_of(alpha, resamples)
    reached = np.empty(pairs, dtype=np.int64)
    critical, delta = np.full(pairs, math.inf), np.full(pairs, math.nan)
    step = pairs_at_once(resamples)
    # The resamples are drawn once if they fit into memory, and otherwise once for each block of pairs.
    kept = list(_draws(topics, resamples, seed)) if topics * resamples <= KEPT else None
    for first in range(0, pairs, step):
        some = slice(first, first + step)
        mean, rho = _resampled(w[some], resamples, kept or _draws(topics, resamples, seed))
        reached[some] = np.count_nonzero(rho >= observed[some, None] * (1 - EQUAL), axis=1)
        if place > 0:
            at = np.partition(rho, resamples - place, axis=1)[:, resamples - place]
            critical[some] = _t(at, topics)
            there = np.abs(rho - at[:, None]) <= EQUAL * at[:, None]
            delta[some] = np.where(there, np.abs(mean), 0.0).max(1)
        if on_share is not None:
            on_share(min(1.0, (first + step) / pairs))
    # A resample of zeros counts as t = 0, even if there are only zeros to draw from.
    reached[(observed > 0) & ~w.any(1)] = 0
    return Bootstrap(drawn_p(reached, resamples), reached, critical, delta)


def pairs_at_once(resamples: int) -> int:
    """How many pairs the bootstrap works on at a time.

    If several calls share the pairs, divide them at multiples of this number. Then the matrix products are
    the same, and so are all bits of the result.
    """
    return max(1, min(PAIRS, BLOCK // (2 * resamples)))


def total(z: Floats) -> Floats:
    """Σz of each pair; 0 if it is only a rounding error."""
    found = z.sum(1)
    found[np.abs(found) <= 1e-13 * np.abs(z).sum(1)] = 0.0
    return np.asarray(found)


def _centred(z: Floats) -> Floats:
    """z - z̄, in which rounding errors are set to 0, so that a resample of zeros is exactly 0."""
    w = z - z.mean(1, keepdims=True)
    w[np.abs(w) <= 1e-13 * np.abs(z).max(1, keepdims=True, initial=0.0)] = 0.0
    return np.asarray(w)


def _resampled(w: Floats, resamples: int, draws: Iterable[Draws]) -> tuple[Floats, Floats]:
    """(pair, resample): the mean of each resample, and ρ."""
    topics = w.shape[1]
    both = np.stack([w, w**2])
    mean, rho = np.empty((2, len(w), resamples))
    step = max(1, PRODUCT // (len(w) * topics))
    for some, drawn in draws:
        counts = drawn.astype(np.float64)
        for first in range(0, counts.shape[1], step):
            average, squares = both @ counts[:, first : first + step]
            these = slice(some.start + first, some.start + first + average.shape[1])
            average /= topics
            mean[:, these] = average
            average *= average
            rho[:, these] = _ratio(average, squares)
    return mean, rho


def _draws(topics: int, resamples: int, seed: int) -> Iterator[Draws]:
    """(topic, resample), some resamples at a time: how often each topic was drawn."""
    rng = np.random.default_rng(seed)
    kind = np.uint8 if topics < 256 else np.uint32  # no topic is drawn more often than there are topics
    step = max(1, DRAWN // topics)
    for first in range(0, resamples, step):
        size = min(step, resamples - first)
        drawn = rng.integers(topics, size=(size, topics)) + topics * np.arange(size)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=size * topics).reshape(size, topics)
        yield slice(first, first + size), counts.T.astype(kind, order="C")


def _ratio(above: Floats, below: Floats) -> Floats:
    """A quotient that is 0 if both numbers are 0."""
    return np.asarray(above / np.maximum(below, TINY))


def _t(rho: Floats, topics: int) -> Floats:
    rest = 1 - topics * rho
    with np.errstate(divide="ignore"):
        return np.where(
            rest > EQUAL, np.sqrt(topics * (topics - 1) * rho / np.maximum(rest, EQUAL)), math.inf
        )


def enumerable(topics: int, resamples: int) -> bool:
    """Whether the 2ⁿ choices of signs are no more than the resamples."""
    return topics < 62 and 2**topics <= resamples


def fisher(z: Floats, resamples: int, seed: int, on_share: Share | None = None) -> Floats:
    """Fisher's randomisation test: on each topic, a coin decides which system got which score.

    p = #{b: |mean of ±z| ≥ |z̄|} / 2ⁿ over all choices of signs if there are at most `resamples` of
    them, and otherwise (# + 1) / (B + 1) over B random ones.
    """
    pairs, topics = z.shape
    observed = np.abs(total(z)) * (1 - EQUAL)
    exact = enumerable(topics, resamples)
    drawn = 2**topics if exact else resamples
    reached = np.zeros(pairs, dtype=np.int64)
    width = max(1, PRODUCT // (min(PAIRS, pairs) * topics))
    for some in _pieces(drawn, max(1, DRAWN // topics)):
        signs = _signs(topics, some, None if exact else seed)
        for first in range(0, pairs, PAIRS):
            block = slice(first, first + PAIRS)
            for start in range(0, signs.shape[1], width):
                sums = np.abs(z[block] @ signs[:, start : start + width])
                reached[block] += np.count_nonzero(sums >= observed[block, None], axis=1)
        if on_share is not None:
            on_share(some.stop / drawn)
    return reached / drawn if exact else drawn_p(reached, drawn)


def max_t(
    values: Floats, pairs: Longs, resamples: int, seed: int, on_share: Share | None = None
) -> tuple[Floats, Floats]:
    """Fisher's p of each pair of systems, and p adjusted for all pairs by the largest |t| (Westfall and Young
    1993, step-down).

    One choice of signs s serves all pairs. With x = Σz / √(n Σz²), |t| grows with |x| and with nothing else.
    Signs leave Σz² as it is, so x* = (aᵢ - aⱼ) / √(n Σz²), where a = Σ s (score - mean of the topic).
    Step-down: from the pair with the smallest |x| upwards, M is the largest |x*| of a resample so far, and
    #{b: M ≥ |x|} gives p; the adjusted p of a pair is the largest p of all pairs with an |x| at least as
    large.

    values : (system, topic). The signs and the first p are the same as in `fisher`.
    """
    topics = values.shape[1]
    exact = enumerable(topics, resamples)
    drawn = 2**topics if exact else resamples
    size, x = _studentised(values, pairs)
    order = np.argsort(x, kind="stable")
    pairs, size, least = pairs[order], size[order, None], (x * (1 - EQUAL))[order, None]
    weight = np.divide(1.0, size, out=np.zeros_like(size), where=size > 0)
    centred = values - values.mean(0)
    # The difference of two sums has only the last digits of the sums if two systems are nearly alike.
    alike = size[:, 0] < 1e-5 * topics * np.abs(centred).max(initial=0.0)
    alone, any_pair = (np.zeros(len(pairs), dtype=np.int64) for _ in range(2))
    lock = Lock()

    def count(some: range, tell: Share) -> None:
        signs = _signs(topics, some, None if exact else seed)
        sums = centred @ signs
        largest = np.zeros(len(some))
        for block in blocks(len(pairs), CHUNK, len(some)):
            reached = sums[pairs[block, 0]]
            reached -= sums[pairs[block, 1]]
            if alike[block].any():
                rows = np.flatnonzero(alike[block])
                z = _differences(values, pairs[block][rows])
                reached[rows] = z @ signs
            np.abs(reached, out=reached)
            reached *= weight[block]
            once = np.count_nonzero(reached >= least[block], axis=1)
            for row in reached:  # twenty times as fast as numpy's accumulate along columns
                largest = np.maximum(row, largest, out=row)
            largest = largest.copy()
            ever = np.count_nonzero(reached >= least[block], axis=1)
            with lock:
                alone[block] += once
                any_pair[block] += ever
        tell(1.0)

    for_each([partial(count, some) for some in _pieces(drawn, SIGNS)], on_share)
    single, stepped = ((b / drawn if exact else drawn_p(b, drawn)) for b in (alone, any_pair))
    p, adjusted = np.empty(len(x)), np.empty(len(x))
    p[order] = single
    adjusted[order] = np.maximum.accumulate(stepped[::-1])[::-1]
    return p, adjusted


def _studentised(values: Floats, pairs: Longs) -> tuple[Floats, Floats]:
    """√(n Σz²) and |Σz| / √(n Σz²) of each pair; 0 if the systems do not differ."""
    size, x = np.zeros(len(pairs)), np.zeros(len(pairs))
    for block in blocks(len(pairs), BLOCK // 4, values.shape[1]):
        z = _differences(values, pairs[block])
        size[block] = np.sqrt(values.shape[1] * (z**2).sum(1))
        x[block] = _ratio(np.abs(total(z)), size[block])
    return size, x


def _differences(values: Floats, pairs: Longs) -> Floats:
    """(pair, topic): 0 where a difference is only a rounding error."""
    first, second = values[pairs[:, 0]], values[pairs[:, 1]]
    z = first - second
    z[np.abs(z) <= 1e-13 * np.maximum(np.abs(first), np.abs(second))] = 0.0
    return np.asarray(z)


def blocks(length: int, most: int, each: int) -> list[slice]:
    """Consecutive parts of `length` rows of `each` values. A part has one row, or at most `most` values."""
    step = max(1, most // max(1, each))
    return [slice(first, first + step) for first in range(0, length, step)]


def _pieces(total: int, step: int) -> list[range]:
    """The numbers of the resamples, `step` at a time."""
    return [range(first, min(first + step, total)) for first in range(0, total, step)]


def _signs(topics: int, numbers: range, seed: int | None) -> Floats:
    """(topic, resample) of +1 and -1: the choices of signs with these numbers. Without a seed, all 2ⁿ choices
    are numbered; otherwise they are random.

    Each random choice uses whole words of 64 bits, so it does not matter how many are drawn at a time, and
    the generator can begin with any of them.
    """
    if seed is None:
        heads = (np.array(numbers) >> np.arange(topics)[:, None] & 1).astype(bool)
    else:
        words = -(-topics // 64)
        generator = np.random.PCG64(seed).advance(numbers.start * words)
        drawn = np.random.Generator(generator).integers(2**64, size=(len(numbers), words), dtype=np.uint64)
        bits = np.unpackbits(drawn.astype("<u8").view(np.uint8), axis=1, bitorder="little")
        heads = bits[:, :topics].T.astype(bool)
    return np.where(heads, 1.0, -1.0)


def tukey(values: Floats, resamples: int, seed: int, on_share: Share | None = None) -> Floats:
    """Randomised Tukey HSD (Carterette 2012): (resample,) the largest difference between the means of any
    two systems if the scores of each topic are randomly dealt to the systems, in ascending order.

    values : (system, topic). The p of a pair is computed from how many of these reach its difference.
    """
    rng = np.random.default_rng(seed)
    systems, topics = values.shape
    widest = np.empty(resamples)
    step = max(1, CHUNK // max(1, values.size))
    for first in range(0, resamples, step):
        size = min(step, resamples - first)
        dealt = rng.permuted(np.broadcast_to(values.T, (size, topics, systems)), axis=2)
        widest[first : first + size] = np.ptp(dealt.mean(1), axis=1)
        if on_share is not None:
            on_share((first + size) / resamples)
    return np.sort(widest)


def number_reaching(widest: Floats, difference: Floats) -> Longs:
    """How many of the sorted numbers are at least |difference|."""
    least = np.abs(difference) * (1 - EQUAL)
    return np.asarray(len(widest) - np.searchsorted(widest, least, "left"))


def share_reaching(widest: Floats, difference: Floats) -> Floats:
    """p of each difference, (b + 1) / (B + 1), from the sorted numbers that were drawn."""
    return drawn_p(number_reaching(widest, difference), len(widest))


def critical_of(widest: Floats, alpha: float) -> float:
    """The difference beyond which p < alpha, or infinity if no p can be below alpha.

    Then too few resamples were drawn, or so many have the largest difference that it is not significant.
    """
    place = place_of(alpha, len(widest))
    if place <= 0 or widest[-place] >= widest[-1] * (1 - EQUAL):
        return math.inf
    return float(widest[-place])
