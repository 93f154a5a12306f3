"""Discounts and powers are the doubles nearest to the exact numbers, whatever the machine's library says."""

from __future__ import annotations

import decimal
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from rankprism.measures import tables
from rankprism.measures.known import compat

RANKS = 100_000


@pytest.fixture(scope="module")
def logarithms() -> list[Decimal]:
    """ln n to 50 digits for n up to RANKS + 1, from decimal's logarithms of the primes."""
    with decimal.localcontext(decimal.Context(prec=50)):
        found = [Decimal(0)] * (RANKS + 2)
        divisor = list(range(RANKS + 2))
        for n in range(2, RANKS + 2):
            if divisor[n] == n:
                found[n] = Decimal(n).ln()
                for multiple in range(n * n, RANKS + 2, n):
                    divisor[multiple] = n
            else:
                found[n] = found[divisor[n]] + found[n // divisor[n]]
    return found


def rounded(exact: Decimal) -> float:
    """The nearest double, the number being known to at least 40 digits."""
    with decimal.localcontext(decimal.Context(prec=60)):
        low, high = float(exact * (1 - Decimal("1e-40"))), float(exact * (1 + Decimal("1e-40")))
    assert low == high
    return low


def test_logarithmic_discounts_are_correctly_rounded_at_every_rank_to_100000(
    logarithms: list[Decimal],
) -> None:
    table = tables.reciprocal_log2(RANKS)
    with decimal.localcontext(decimal.Context(prec=50)):
        exact = [logarithms[2] / logarithms[i + 1] for i in range(1, RANKS + 1)]
    assert table.tolist() == [float(x) for x in exact]
    for i in (1, 2, 3, 7, 1000, 65_535, 99_999):
        assert table[i - 1] == rounded(exact[i - 1])


@pytest.mark.parametrize("base", [math.e, 2.0, 10.0, 1.1, 1 + 2**-52, 1.5, 1e300])
def test_slow_discounts_are_correctly_rounded(logarithms: list[Decimal], base: float) -> None:
    n = 20_000
    with decimal.localcontext(decimal.Context(prec=50)):
        log_base = Decimal(base).ln()
        exact = [log_base / (log_base + logarithms[i]) for i in range(1, n + 1)]
    assert tables.slow_discount(n, base).tolist() == [float(x) for x in exact]


@pytest.mark.parametrize("p", [0.5, 0.75, 0.8, 0.95, 0.99, 0.1, 5e-324, 1 - 2**-53, 3 * 2.0**-215, 1.0, 0.0])
def test_powers_are_correctly_rounded_down_to_the_smallest_number(p: float) -> None:
    n = 700
    exact, power = [], Fraction(1)
    for _ in range(n):
        exact.append(float(power))  # fractions divide with one rounding
        power *= Fraction(p)
    assert tables.powers(n, p).tolist() == exact


@pytest.mark.parametrize("p", [0.95, 0.9999])
def test_powers_are_correctly_rounded_far_down(p: float) -> None:
    table = tables.powers(RANKS, p)
    assert len(table) == RANKS
    for n in (14_300, 14_499, 14_524, 14_525, 50_000, 99_999):
        with decimal.localcontext(decimal.Context(prec=60)):
            assert table[n] == rounded(Decimal(p) ** n)


@pytest.mark.parametrize("share", [0.1, 0.25, 0.3, 0.5, 0.9, 1e-20, 1.0, 0.0])
def test_what_is_left_is_not_rounded_before_its_power_is(share: float) -> None:
    exact = [float((1 - Fraction(share)) ** n) for n in range(300)]
    assert tables.powers_of_rest(300, share).tolist() == exact


def test_powers_of_2_are_correctly_rounded() -> None:
    grades = np.array([0, 1, 2, 10, 1023, 1e-300, 0.1, 0.5, 1 / 3, 2.75, 3.0000000000000004, 99.9, 1000.1])
    for worth, grade in zip(tables.exp2(grades).tolist(), grades.tolist(), strict=True):
        with decimal.localcontext(decimal.Context(prec=60)):
            exact = (Decimal(grade) * Decimal(2).ln()).exp()
        assert worth == rounded(exact)
    whole = np.arange(64.0).reshape(2, 32)
    assert tables.exp2(whole).tolist() == [[2.0**g for g in row] for row in whole]
    assert tables.exp2(np.empty((2, 0))).shape == (2, 0)


def test_a_number_too_close_to_a_change_of_rounding_is_looked_at_again() -> None:
    seen = []

    def terms(bits: int) -> tuple[int, list[int]]:
        seen.append(bits)
        return 1 << bits, [(n << bits) + 1 for n in range(3, 200, 2)]

    assert tables._quotients(terms, bits=60) == [1 / n for n in range(3, 200, 2)]
    assert seen[0] == 60
    assert len(seen) > 1
    assert tables._rounded_powers(500, 4_503_599_627_370_497, 53, bits=60) == [
        float(Fraction(4_503_599_627_370_497, 2**53) ** n) for n in range(500)
    ]


def test_a_table_that_grows_keeps_its_beginning_and_cannot_be_changed() -> None:
    small, large = tables.reciprocal_log2(70), tables.reciprocal_log2(5000)
    assert large[:70].tolist() == small.tolist()
    with pytest.raises(ValueError, match="read-only"):
        small[0] = 2.0


@pytest.mark.parametrize("p", [0.999, 0.9999, 0.99999])
def test_sums_over_far_ranks_are_those_of_their_terms(p: float) -> None:
    first, last = compat._SUMMED, compat._SUMMED + 5000
    terms = [Decimal(p) ** (rank - 1) / rank for rank in range(first + 1, last + 1)]
    assert compat._overlap_beyond(last, p) == pytest.approx(float(sum(terms)), rel=1e-13)
    assert compat._powers_beyond(last, p) == pytest.approx(
        float(sum(term * rank for term, rank in zip(terms, range(first + 1, last + 1), strict=True))),
        rel=1e-13,
    )
