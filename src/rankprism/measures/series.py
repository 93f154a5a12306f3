"""Sums of discounts over more ranks than can be added one by one.

ERR_IA@1000000 divides by a sum of a million terms, however short the ranking is. The first `DIRECT` terms are
added one by one. The rest is an integral with Euler-Maclaurin corrections,

    Σ_{i=a+1..b} f(i) = ∫_a^b f + (f(b) - f(a)) / 2 + (f'(b) - f'(a)) / 12 - …

in decimal arithmetic, so that the result is the same on every machine. Beyond rank `DIRECT`, the neglected
terms are smaller than the last bit of the sum.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, localcontext
from functools import lru_cache

from rankprism.measures.tables import DIRECT

_DIGITS = 40
_POINTS = 24  # number of points of the quadrature in each interval [a, 2a]

Function = Callable[[Decimal], Decimal]


def discount_function(kind: str, p: float, alpha: float) -> Function:
    """(1-α)^(x-1) D(x) for a real x, with D as in `rankprism.measures.parts.Discount`."""
    left, base = Decimal(1 - alpha), Decimal(p)
    decay = left.ln() if left > 0 else None
    step = base.ln() if kind in ("geometric", "slow") and base > 0 else Decimal(0)
    two = Decimal(2).ln()

    def function(x: Decimal) -> Decimal:
        if decay is None:
            return Decimal(0)  # after the first rank nothing is left
        exponent = (x - 1) * decay
        if kind == "geometric":
            return (exponent + (x - 1) * step).exp()
        weight = exponent.exp()
        if kind == "logarithmic":
            return weight * two / (x + 1).ln()
        if kind == "reciprocal":
            return weight / x
        return weight / (1 + x.ln() / step) if kind == "slow" else weight

    return function


@lru_cache(maxsize=256)
def sum_beyond(kind: str, p: float, alpha: float, last: int) -> float:
    """Σ (1-α)^(i-1) D(i) over the ranks i from `DIRECT` + 1 to `last`"""
    with localcontext() as context:
        context.prec = _DIGITS
        function = discount_function(kind, p, alpha)
        total, a = Decimal(0), DIRECT
        while a < last:
            b = min(2 * a, last)
            part = _sum(function, Decimal(a), Decimal(b))
            total += part
            if part < Decimal("1e-30"):  # further terms do not change a float
                break
            a = b
        return float(total)


def _sum(function: Function, a: Decimal, b: Decimal) -> Decimal:
    """Σ f(i) over the whole numbers from a + 1 to b"""
    half, middle = (b - a) / 2, (a + b) / 2
    integral = half * sum(
        (w * (function(middle - half * x) + function(middle + half * x)) for x, w in _quadrature()),
        Decimal(0),
    )
    h = Decimal("0.001")

    def slope(x: Decimal) -> Decimal:
        return (function(x + h) - function(x - h)) / (2 * h)

    return integral + (function(b) - function(a)) / 2 + (slope(b) - slope(a)) / 12


@lru_cache(maxsize=1)
def _quadrature() -> list[tuple[Decimal, Decimal]]:
    """The positive Gauss-Legendre points on [-1, 1] and their weights"""
    with localcontext() as context:
        context.prec = _DIGITS
        found = []
        for k in range(_POINTS // 2):
            # Between neighbouring roots of P_n in (0, 1): Newton's method from a rough guess.
            x = _guess(k)
            for _ in range(100):
                value, slope = _legendre(x)
                step = value / slope
                x -= step
                if abs(step) < Decimal(10) ** (5 - _DIGITS):
                    break
            _, slope = _legendre(x)
            found.append((x, 2 / ((1 - x * x) * slope * slope)))
        return found


def _guess(k: int) -> Decimal:
    """cos(π (k + 3/4) / (n + 1/2)), near the k-th largest root; a few digits are enough."""
    import math

    return Decimal(round(math.cos(math.pi * (k + 0.75) / (_POINTS + 0.5)), 6))


def _legendre(x: Decimal) -> tuple[Decimal, Decimal]:
    """P_n(x) and its derivative"""
    before, value = Decimal(1), x
    for k in range(2, _POINTS + 1):
        before, value = value, ((2 * k - 1) * x * value - (k - 1) * before) / k
    return value, _POINTS * (x * value - before) / (x * x - 1)
