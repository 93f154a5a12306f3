"""Discounts, powers and 2^g, each as the double nearest to the exact number.

The last bit of a library's logarithms and powers may be wrong, and differs between processors. The numbers
here are computed from whole numbers instead, which are the same everywhere. An interval encloses the exact
value. If both of its ends round to the same double, that is the result; otherwise the interval is made
smaller. Python divides whole numbers with a single rounding, even if the quotient is subnormal.

Tables double in size when they grow. A table of 1,000 ranks takes about a millisecond, once in each process.

The nDCG of a run is the same number on a laptop and on a server, to the last bit, whether the run is
evaluated alone or with a hundred others. Two things could prevent this.

*The order of sums.* numpy adds a long row in several parts, and the number of parts depends on the shape
of the batch. A matrix product depends on the processor. All sums of numbers that are not whole therefore
go through two functions of the core (`sums.cpp`). They add from the first document to the last, or from
the first aspect to the last, and they round after every product and every addition, because the core is
compiled without fused multiply-add. Zeros at the end change nothing, so padding does not matter. Sums of
counts are exact in any order, and numpy's `cumsum` and `cumprod` go from first to last, so these are
allowed. The core also computes the mean over topics.

*Logarithms and powers.* Libraries differ in the last bit of `log2` and `pow`. The discounts 1 / log2(i +
1), 1 / (1 + log_b i) and p^(i-1), the powers of 1 − α, and 2^g therefore come from tables
(`measures/tables.py`). Each entry is the double that is nearest to the exact number. It is found with
Python's whole numbers: an interval encloses the exact number and is narrowed until both of its ends round
to the same double. A table of 1,000 ranks takes about a millisecond, once in each process. All that
remains is + − × ÷ and √, which every processor rounds correctly.

The ideal ranking is scored by the same functions as every other ranking, so its score is exactly 1. All
normalised measures share this step (`over_best` in `measures/parts.py`). `tests/core/test_same_bits.py`
hashes every score of every measure under other BLAS kernels, without SIMD and without FMA, and compares
the hash with one constant. The wheels of all platforms run this test.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from rankprism.data import Floats

#: Number of fractional bits of the whole numbers that represent logarithms and powers.
_BITS = 100
_SMALLEST_TABLE = 64
#: The last rank whose discount is added one by one; `rankprism.measures.series` adds later ranks.
DIRECT = 1 << 16
_WHOLE_POWERS = np.ldexp(1.0, np.arange(64))


def reciprocal_log2(n: int) -> Floats:
    """1 / log2(i + 1) for i = 1, …, n"""
    return _reciprocal_log2(_size(n))[:n]


def reciprocal_log2_of(x: Floats) -> Floats:
    """1 / log2(x) for numbers x > 1, whole or not"""
    whole = x.astype(np.int64)
    if (whole == x).all():
        return np.asarray(reciprocal_log2(int(whole.max(initial=2)) - 1)[whole - 2])
    return _each(x, _reciprocal_log2_of)


def logarithm(x: Floats) -> Floats:
    """ln x for numbers x > 0"""
    return _each(x, _rounded_logarithm)


def slow_discount(n: int, base: float) -> Floats:
    """1 / (1 + log_base i) for i = 1, …, n"""
    return _slow_discount(_size(n), base)[:n]


def late_discount(n: int, base: float) -> Floats:
    """1 before rank `base` and 1 / log_base i from there on, for i = 1, …, n"""
    return _late_discount(_size(n), base)[:n]


def powers(n: int, base: float) -> Floats:
    """base^0, …, base^(n-1), for a base from 0 to 1"""
    numerator, denominator = base.as_integer_ratio()
    return _powers(_size(n), numerator, denominator)[:n]


def powers_of_rest(n: int, share: float) -> Floats:
    """(1 - share)^0, …, (1 - share)^(n-1), for a share from 0 to 1; 1 - share is not rounded"""
    numerator, denominator = share.as_integer_ratio()
    return _powers(_size(n), denominator - numerator, denominator)[:n]


def exp2(x: Floats) -> Floats:
    """2^x"""
    if not x.size:
        return np.ones_like(x)
    if x.min() >= 0 and x.max() < len(_WHOLE_POWERS):
        whole = x.astype(np.intp)
        if (whole == x).all():
            return _WHOLE_POWERS[whole]
    return _each(x, exp2_of)


def _each(x: Floats, function: Callable[[float], float]) -> Floats:
    """The function of each number, called once for equal ones."""
    different, place = np.unique(x, return_inverse=True)
    return np.array([function(one) for one in different.tolist()])[place].reshape(x.shape)


@lru_cache(maxsize=1 << 16)
def exp2_of(x: float) -> float:
    """2^x"""
    if x.is_integer():
        return math.ldexp(1.0, int(x)) if x < 1024 else math.inf
    from decimal import Context, Decimal, localcontext

    digits = 30
    while True:
        with localcontext(Context(prec=digits)):
            power = Decimal(2) ** Decimal(x)  # wrong by at most one unit of its last digit
            error = power.scaleb(2 - digits)
            low, high = float(power - error), float(power + error)
        if low == high:
            return low
        digits *= 2


@lru_cache(maxsize=32)
def unreached(n: int) -> Floats:
    """(1 - 1/m)^m for m = 1, …, n: the share that a greedy choice of m documents may miss"""
    from decimal import Context, Decimal, localcontext

    with localcontext(Context(prec=40)):
        return _kept([float((Decimal(m - 1) / m) ** m) for m in range(1, n + 1)])


# ── tables ───────────────────────────────────────────────────────────────────────────────────────


def _size(n: int) -> int:
    return max(_SMALLEST_TABLE, 1 << (n - 1).bit_length())


def _kept(table: list[float]) -> Floats:
    """The table as a read-only array, because all callers share it."""
    array = np.array(table)
    array.flags.writeable = False
    return array


@lru_cache(maxsize=32)
def _reciprocal_log2(size: int) -> Floats:
    return _kept(_quotients(lambda bits: (_logarithm_of_2(bits), _logarithms(size, bits)[1:])))


@lru_cache(maxsize=1 << 16)
def _reciprocal_log2_of(x: float) -> float:
    return _quotients(lambda bits: (_logarithm_of_2(bits), [_logarithm(x, bits)]))[0]


@lru_cache(maxsize=1 << 16)
def _rounded_logarithm(x: float) -> float:
    if x == 1:
        return 0.0
    bits = _BITS
    while True:
        log, error = _logarithm(x, bits), _error(bits)
        low, high = (log - error) / (1 << bits), (log + error) / (1 << bits)
        if low == high:
            return low
        bits *= 2


@lru_cache(maxsize=32)
def _slow_discount(size: int, base: float) -> Floats:
    def terms(bits: int) -> tuple[int, list[int]]:
        log_base = _logarithm(base, bits)
        return log_base, [log_base + log_i for log_i in _logarithms(size, bits)[:-1]]

    return _kept(_quotients(terms))


@lru_cache(maxsize=32)
def _late_discount(size: int, base: float) -> Floats:
    first = min(math.ceil(base), size + 1)  # the first rank that is discounted
    later = _quotients(lambda bits: (_logarithm(base, bits), _logarithms(size, bits)[first - 1 : size]))
    return _kept([1.0] * (first - 1) + later)


def _quotients(terms: Callable[[int], tuple[int, list[int]]], bits: int = _BITS) -> list[float]:
    """a / b for each b. a and b have `bits` fractional bits and an error below `_error(bits)`."""
    while True:
        a, bs = terms(bits)
        error = _error(bits)
        found = [low if (low := (a - error) / (b + error)) == (a + error) / (b - error) else None for b in bs]
        if None not in found:
            return found  # type: ignore[return-value]  # None is not in it
        bits *= 2


@lru_cache(maxsize=64)
def _powers(size: int, numerator: int, denominator: int) -> Floats:
    """A double is a whole number over a power of 2, and so is 1 minus a double."""
    return _kept(_rounded_powers(size, numerator, denominator.bit_length() - 1))


def _rounded_powers(size: int, numerator: int, shift: int, bits: int = _BITS) -> list[float]:
    """(numerator / 2^shift)^n for n = 0, …, size - 1

    The exact power lies between m and m + error, over 2^scale. The error stays 0 as long as the power has no
    more than `bits` bits, so that a power halfway between two doubles is always known exactly.
    """
    found = [1.0]
    m, error, scale = 1, 0, 0
    while len(found) < size:
        m, error, scale = m * numerator, error * numerator, scale + shift
        if (surplus := (m + error).bit_length() - bits) > 0:
            exact = not error and not m & ((1 << surplus) - 1)
            m, error, scale = m >> surplus, 0 if exact else (error >> surplus) + 2, scale - surplus
        low, high = _over_power_of_2(m, scale), _over_power_of_2(m + error, scale)
        if low != high:
            return _rounded_powers(size, numerator, shift, 2 * bits)
        if high == 0:  # then all later powers are 0, too
            return found + [0.0] * (size - len(found))
        found.append(low)
    return found


def _over_power_of_2(m: int, scale: int) -> float:
    """m / 2^scale, rounded once"""
    if m.bit_length() - scale > -1021:
        return math.ldexp(m, -scale)
    return m / (1 << scale)  # ldexp would round a subnormal number a second time


# ── natural logarithms, as whole numbers ─────────────────────────────────────────────────────────


def _error(bits: int) -> int:
    """A bound of the error of every logarithm below, in units of 2^-bits.

    A series has at most bits / 3 + 1 terms, each too small by less than 1 (less than 2 in `_logarithm`), and
    the terms left out sum to less than 2. So a series is off by less than `bits`, and ln 2, which is twice a
    series, by less than 2 · bits / 3 + 8. `_logarithms` adds ln 2 and a series once per binary digit of
    n < 2^32, and `_logarithm` adds ln 2 at most 1,023 times.
    """
    return 2048 * bits


@lru_cache(maxsize=4)
def _logarithm_of_2(bits: int) -> int:
    return 2 * _atanh(1, 3, bits)


@lru_cache(maxsize=64)
def _logarithms(size: int, bits: int) -> list[int]:
    """ln 1, …, ln(size + 1)

    ln 2m = ln 2 + ln m. For an odd n, ln n = (ln(n-1) + ln(n+1)) / 2 + atanh(1 / (2n² - 1)), and both n-1 and
    n+1 are even.
    """
    ln_2 = _logarithm_of_2(bits)
    if size == 1:
        return [0, ln_2]
    half = _logarithms(size // 2, bits)
    found = list(half)
    for n in range(len(half) + 1, size + 2):
        m = n // 2
        if n % 2:
            found.append(ln_2 + (half[m - 1] + half[m] >> 1) + _atanh(1, 2 * n * n - 1, bits))
        else:
            found.append(ln_2 + half[m - 1])
    return found


@lru_cache(maxsize=16)
def _logarithm(x: float, bits: int) -> int:
    """ln x for x > 0: e ln 2 + 2 atanh((y - 1) / (y + 1)), x = y 2^e with 1 ≤ y < 2"""
    numerator, denominator = x.as_integer_ratio()
    e = math.frexp(x)[1] - 1
    numerator, denominator = numerator << max(-e, 0), denominator << max(e, 0)
    return e * _logarithm_of_2(bits) + 2 * _atanh(numerator - denominator, numerator + denominator, bits)


def _atanh(a: int, b: int, bits: int) -> int:
    """atanh(a / b) = Σ_j (a / b)^(2j+1) / (2j+1), for 0 ≤ a / b ≤ 1/3"""
    power, a, b = (a << bits) // b, a * a, b * b
    total, odd = 0, 1
    while power:
        total += power // odd
        power = power * a // b
        odd += 2
    return total
