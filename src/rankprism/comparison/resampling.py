"""Resampling tests of many pairs of systems at once.

All of them take z, (pair, topic): the difference of two systems on each topic. The same resamples serve
all pairs, so that a resample is a row of a matrix and the work is a matrix product. Random numbers are
drawn in one order, whatever the size of the blocks and the number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rankprism.data.hits import Bools, Floats

#: How many numbers a block may hold; what memory a test takes depends on this, not on the resamples.
BLOCK = 1 << 20
#: How many of them are worked on at a time: as many as the cache likes.
CHUNK = 1 << 16
#: How many topics are drawn at a time.
DRAWN = 1 << 18
#: How many counts of drawn topics are kept from one block of pairs to the next.
KEPT = 1 << 26
#: Multiplications in one matrix product. OpenBLAS shares larger ones among threads, which then wait for each
#: other longer than they compute whenever the machine has something else to do.
PRODUCT = 1 << 18
#: Statistics that differ by less are equal: sums that differ only in the order of their terms.
EQUAL = 1e-10
TINY = np.finfo(np.float64).tiny

Share = Callable[[float], None]
Draws: TypeAlias = tuple[slice, npt.NDArray[np.unsignedinteger[Any]]]


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """What the resamples say of each pair."""

    asl: Floats  #: achieved significance level
    critical: Floats  #: the |t| that a share alpha of the resamples reaches
    delta: Floats  #: the difference of means in that resample: what it takes to be significant


def bootstrap(z: Floats, alpha: float, resamples: int, seed: int, on_share: Share | None = None) -> Bootstrap:
    """The two-tailed paired bootstrap, studentised (Efron and Tibshirani 1993; Sakai 2006).

    t(z) = z̄ / (s/√n) and w = z - z̄;  ASL = #{b: |t(w*ᵇ)| ≥ |t(z)|} / B, with w*ᵇ drawn from w with
    replacement. t = 0 where all of w*ᵇ is 0, and ∞ where it is constant but not 0.

    Since Σ(w - w̄)² = Σw² - n w̄², |t| grows with ρ = w̄² / Σw² and with nothing else: t² = n(n-1)ρ / (1-nρ).
    So the resamples are compared by ρ, which takes two matrix products and no square root.
    """
    pairs, topics = z.shape
    w = _centred(z)
    observed = _ratio(z.mean(1) ** 2, (z**2).sum(1))
    place = math.ceil(round(resamples * alpha, 9))  # 0.07 * 100 is 7.000000000000001
    asl, critical, delta = np.empty(pairs), np.empty(pairs), np.empty(pairs)
    step = max(1, BLOCK // (2 * resamples))
    # Drawn once if that can be kept, else once for each block of pairs.
    kept = list(_draws(topics, resamples, seed)) if topics * resamples <= KEPT else None
    for first in range(0, pairs, step):
        some = slice(first, first + step)
        mean, rho = _resampled(w[some], resamples, kept or _draws(topics, resamples, seed))
        asl[some] = (rho >= observed[some, None] * (1 - EQUAL)).mean(1)
        at = np.partition(rho, resamples - place, axis=1)[:, resamples - place]
        critical[some] = _t(at, topics)
        there = np.abs(rho - at[:, None]) <= EQUAL * at[:, None]
        delta[some] = np.where(there, np.abs(mean), 0.0).max(1)
        # A resample of zeros says nothing, also where there is nothing but zeros to draw from.
        asl[some][(observed[some] > 0) & ~w[some].any(1)] = 0.0
        if on_share is not None:
            on_share(min(1.0, (first + step) / pairs))
    return Bootstrap(asl, critical, delta)


def _centred(z: Floats) -> Floats:
    """z - z̄, where what is only rounding is 0: a pair's resample of zeros must be one."""
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
    """A quotient that is 0 where both are."""
    return np.asarray(above / np.maximum(below, TINY))


def _t(rho: Floats, topics: int) -> Floats:
    rest = 1 - topics * rho
    with np.errstate(divide="ignore"):
        return np.where(
            rest > EQUAL, np.sqrt(topics * (topics - 1) * rho / np.maximum(rest, EQUAL)), math.inf
        )


def fisher(z: Floats, resamples: int, seed: int, on_share: Share | None = None) -> Floats:
    """Fisher's randomisation test: which system got which score is decided by a coin, topic by topic.

    p = #{b: |mean of ±z| ≥ |z̄|}, over all 2ⁿ choices of signs where these are no more than `resamples`;
    else over random ones, with the observed signs as one more.
    """
    pairs, topics = z.shape
    observed = np.abs(z.sum(1)) * (1 - EQUAL)
    exact = topics < 62 and 2**topics <= resamples
    total = 2**topics if exact else resamples
    reached = np.zeros(pairs)
    for some, signs in _signs(topics, total, seed, exact, max(1, CHUNK // max(pairs, topics))):
        reached += (np.abs(z @ signs) >= observed[:, None]).sum(1)
        if on_share is not None:
            on_share(some.stop / total)
    return reached / total if exact else (reached + 1) / (total + 1)


def _signs(topics: int, total: int, seed: int, exact: bool, step: int) -> Iterator[tuple[slice, Floats]]:
    """(topic, resample) of +1 and -1: all there are, or random ones."""
    rng = np.random.default_rng(seed)
    for first in range(0, total, step):
        number = np.arange(first, min(first + step, total))
        heads: Bools
        if exact:
            heads = (number >> np.arange(topics)[:, None] & 1).astype(bool)
        else:
            heads = rng.integers(2, size=(len(number), topics), dtype=np.int8).T.astype(bool)
        yield slice(first, first + len(number)), np.where(heads, 1.0, -1.0)


def tukey(values: Floats, resamples: int, seed: int, on_share: Share | None = None) -> Floats:
    """Randomised Tukey HSD (Carterette 2012): (resample,) the largest difference between any two systems'
    means when each topic's scores are dealt anew to the systems, ascending.

    values : (system, topic). A pair's p is the share of these that reach its difference.
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


def share_reaching(widest: Floats, difference: Floats) -> Floats:
    """The share of sorted numbers that are at least |difference|."""
    least = np.abs(difference) * (1 - EQUAL)
    return np.asarray(1 - np.searchsorted(widest, least, "left") / len(widest))
