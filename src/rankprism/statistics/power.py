"""The power of Student's t-test."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from rankprism.data import Floats

_QUANTILES = 20_000
#: The number of critical values between which the smallest difference is interpolated.
_GRID = 64
#: With at least this number of topics, an approximation is accurate enough. With fewer, the power is a mean
#: over this number of values of s.
_EXACT, _FEW = 2000, 200


@lru_cache(maxsize=64)
def deviations(freedom: int, number: int = _QUANTILES) -> Floats:
    """s = √(χ²/ν) at evenly spaced quantiles. Power is a mean over these, because scipy's noncentral t is
    not defined for many noncentralities and critical values."""
    from scipy import special

    share = (np.arange(number) + 0.5) / number
    return np.asarray(np.sqrt(2 * special.gammaincinv(freedom / 2, share) / freedom))


def t_power(
    noncentrality: Floats | float, critical: float, freedom: int, *, one_sided: bool = False
) -> float:
    """P(|t'| ≥ c) = E[Φ(λ - cs) + Φ(-λ - cs)], or P(t' ≥ c) = E[Φ(λ - cs)] if the test is one-sided."""
    from scipy import special

    s = deviations(freedom)
    reached = special.ndtr(noncentrality - critical * s)
    if not one_sided:
        reached = reached + special.ndtr(-noncentrality - critical * s)
    return float(reached.mean())


def smallest_difference(critical: Floats, freedom: int, power: float = 0.8) -> Floats:
    """The true difference, in standard errors, that is found with this power if |t| has to exceed `critical`.

    It is infinite if no |t| is large enough, and it ignores findings in the wrong direction.

    >>> smallest_difference(np.array([1.9842]), freedom=99).round(3)  # 100 topics, two-sided .05
    array([2.829])
    """
    from scipy import special

    found = np.full(critical.shape, np.inf)
    finite = np.isfinite(critical)
    values = np.unique(critical[finite])
    if not len(values):
        return found
    grid = values if len(values) <= _GRID else np.linspace(values[0], values[-1], _GRID)
    s = deviations(freedom, 2000)
    low, high = np.zeros(len(grid)), grid * s[-1] + 10
    for _ in range(50):
        middle = (low + high) / 2
        enough = special.ndtr(middle[:, None] - grid[:, None] * s).mean(1) >= power
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    found[finite] = np.interp(critical[finite], grid, high)
    return found


def topics_needed(effect: Floats, alpha: float, power: float = 0.8) -> Floats:
    """The number of topics with which a two-sided paired t-test at `alpha` finds each effect with this power.

    effect : differences in standard deviations; 0 needs an infinite number of topics.

    The start is Guenther's approximation, n = (z_(1-α/2) + z_power)² / effect² + z_(1-α/2)² / 2. Below
    `_EXACT` topics, the smallest n is then found by bisection, with few values of s: see `deviations`.

    >>> topics_needed(np.array([0.5, 0.05]), alpha=0.05)
    array([  34., 3142.])
    """
    from scipy import special

    z = special.ndtri(1 - alpha / 2)
    with np.errstate(divide="ignore"):
        found = (z + special.ndtri(power)) ** 2 / effect**2 + z**2 / 2
    small = np.flatnonzero(found < _EXACT)
    if len(small):
        delta = np.abs(effect[small])[:, None]
        share = (np.arange(_FEW) + 0.5) / _FEW
        low, high = np.ones(len(small)), 2 * np.ceil(found[small]) + 20
        while (high - low > 1).any():
            n = np.floor((low + high) / 2)[:, None]
            s = np.sqrt(2 * special.gammaincinv((n - 1) / 2, share) / (n - 1))
            critical = special.stdtrit(n - 1, 1 - alpha / 2)
            enough = special.ndtr(np.sqrt(n) * delta - critical * s).mean(1) >= power
            low, high = np.where(enough, low, n[:, 0]), np.where(enough, n[:, 0], high)
        found[small] = high
    return np.asarray(np.ceil(found))
