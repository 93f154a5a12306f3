"""The distributions behind Tukey's HSD and Dunnett's test, by numerical integration.

Both ask for the chance that the largest of several differences of m independent normal means, divided by
their common standard deviation s, exceeds a bound: Tukey over all pairs, Dunnett over the differences to one
of them. Given s and one of the means, the other means are independent, so that two integrals are left: an
inner one over that mean, and an outer one over s, for which s²ν has a χ² distribution with ν degrees of
freedom.

The integrands are smooth and vanish on both sides, where the trapezoidal rule converges exponentially. The
chance itself is integrated, not one minus it, so that a p of 10⁻¹⁵ still has correct digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache, partial

import numpy as np

from rankprism.data import Floats

#: The step of the inner integral, in standard deviations, and how far it goes.
STEP = 0.125
FAR = 10.0
#: The outer integral ends where the density has fallen to exp(-FALLEN) of its largest value.
FALLEN = 46.0
#: The number of values that are processed at a time.
CHUNK = 1 << 18

Tail = Callable[[Floats], Floats]


# All measures of a comparison have the same distribution, so its bound is computed once.
@lru_cache(maxsize=8)
def studentised_range(systems: int, freedom: int) -> Tail:
    """P(max x̄ - min x̄ ≥ q s/√n) among `systems` equal means, as a function of q.

    Given that the largest is z, each of the other m - 1 lies below it, and the range is at least w unless
    all of them lie above z - w:  ∫ m φ(z) { Φ(z)^(m-1) - [Φ(z) - Φ(z-w)]^(m-1) } dz.
    """
    from scipy.special import ndtr

    z = np.arange(-FAR, FAR + STEP / 2, STEP)
    weight = STEP * systems * _normal_density(z) * ndtr(z) ** (systems - 1)
    z, weight = z[weight > 1e-30], weight[weight > 1e-30]

    def given(w: Floats) -> Floats:
        below = np.minimum(1.0, ndtr(z - w[:, None]) / ndtr(z))
        return np.asarray(_one_fails(below, systems - 1) @ weight)

    return partial(_over_s, given, *_deviations(freedom))


@lru_cache(maxsize=8)
def dunnett(others: int, freedom: int) -> Tail:
    """P(max |x̄ᵢ - x̄₀| ≥ t s √(2/n)) over `others` systems equal to the baseline, as a function of t.

    The differences have the correlation ½ through x̄₀. Given x̄₀ = z they are independent:
    ∫ φ(z) { 1 - [Φ(z + √2 w) - Φ(z - √2 w)]^k } dz.
    """
    from scipy.special import ndtr

    z = np.arange(0, FAR + STEP / 2, STEP)
    weight = STEP * _normal_density(z) * np.where(z > 0, 2.0, 1.0)  # the integrand is the same at -z

    def given(w: Floats) -> Floats:
        far = math.sqrt(2) * w[:, None]
        outside = np.minimum(1.0, ndtr(z - far) + ndtr(-z - far))
        return np.asarray(_one_fails(outside, others) @ weight)

    return partial(_over_s, given, *_deviations(freedom))


@lru_cache(maxsize=32)
def critical(tail: Tail, alpha: float) -> float:
    """The bound that is exceeded with probability alpha.

    >>> round(critical(dunnett(others=3, freedom=20), 0.05), 2)  # Dunnett's table has 2.54
    2.54
    """
    from scipy.optimize import brentq

    def excess(bound: float) -> float:
        return math.log(tail(np.array([bound]))[0] / alpha)

    low, high = 0.0, 2.0
    while excess(high) > 0:
        low, high = high, 2 * high
    return float(brentq(excess, low, high, xtol=1e-13, rtol=1e-14))


def _normal_density(z: Floats) -> Floats:
    return np.asarray(np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi))


def _one_fails(chance: Floats, times: int) -> Floats:
    """1 - (1 - chance)^times, without losing digits of small chances."""
    with np.errstate(divide="ignore"):
        return np.asarray(-np.expm1(times * np.log1p(-chance)))


def _over_s(given: Callable[[Floats], Floats], s: Floats, weight: Floats, bound: Floats) -> Floats:
    """The expectation of given(bound · s)."""
    out = np.empty(len(bound))
    step = max(1, CHUNK // (len(s) * round(2 * FAR / STEP)))
    for first in range(0, len(bound), step):
        some = bound[first : first + step]
        out[first : first + step] = given((some[:, None] * s).ravel()).reshape(len(some), -1) @ weight
    return np.minimum(1.0, out)


def _deviations(freedom: int) -> tuple[Floats, Floats]:
    """Values of s = √(χ²/ν) and their weights. With x = ln s, the density is exp(ν (x - (e²ˣ - 1)/2)) up to
    a constant."""

    def fallen(x: float) -> bool:
        return freedom * (x - math.expm1(2 * x) / 2) < -FALLEN

    def end(direction: float) -> float:
        inside, outside = 0.0, direction
        while not fallen(outside):
            outside *= 2
        for _ in range(40):
            middle = (inside + outside) / 2
            inside, outside = (inside, middle) if fallen(middle) else (middle, outside)
        return outside

    left, right = end(-1.0), end(1.0)
    step = min(0.08, 0.35 / math.sqrt(2 * freedom))
    x = np.linspace(left, right, math.ceil((right - left) / step))
    weight = np.exp(freedom * (x - np.expm1(2 * x) / 2))
    return np.exp(x), weight / weight.sum()
