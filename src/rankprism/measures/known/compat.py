"""Compatibility: how similar a ranking is to an ideal ranking."""

from __future__ import annotations

import decimal
from decimal import Decimal
from functools import lru_cache
from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt

from rankprism.data import NOWHERE, Floats, Hits, Longs
from rankprism.errors import MeasureError
from rankprism.measures.bounds.completions import Completions
from rankprism.measures.bounds.ranges import quotient
from rankprism.measures.declare import single
from rankprism.measures.form import Pair, PlainPerAspect, is_patient
from rankprism.measures.parameter import Range
from rankprism.measures.parts import Gain, Persistence, over_best, ratio, total
from rankprism.measures.tables import powers
from rankprism.measures.terms import Terms

#: The number of terms of the overlap that are added one by one.
_SUMMED = 1 << 16

ByIdeal = Annotated[bool, "divide by the score of the ideal ranking itself"]
Depth = Annotated[int | None, Range(1), "the last rank to compare; None means the end of the longer ranking"]


@single(
    cite="clarke2021assessing clarke2020offline",
    compared="100 runs of TREC Health Misinformation 2021, Decision 2019 and Deep Learning 2021 (1e-12)",
)
def Compat(p: Persistence = 0.95, normalize: ByIdeal = True, depth: Depth = None) -> PlainPerAspect:
    """Compatibility: the rank-biased overlap of a ranking with the ideal ranking most similar to it.

    Compat = RBO(r, i*) / RBO(i*, i*), RBO(r, i) = Σ_{d≤n} p^(d-1) |r_1..d ∩ i_1..d| / d ÷ Σ_{d≤n} p^(d-1)

    The ideal ranking i* has all documents with a grade above 0, in descending order of grades. Documents with
    the same grade are in the order of r. n is `depth`, or the length of the longer ranking. TOMA(Compat)
    takes the ideal ranking from the distance order of several aspects.

    By default n is that of ir_measures, the length of the longer ranking. The program of the authors compares
    the first 1,000 ranks, however long the rankings are: write depth=1000 for its scores.

    >>> from rankprism import evaluate
    >>> print(evaluate({"q": {"a": 2, "b": 1}}, {"q": {"b": 2, "a": 1}}, ["Compat", "Compat(p=0.5)"]))
    run  Compat  Compat(p=0.5)
    ──────────────────────────
    run  0.4872         0.3333
    """
    return PlainPerAspect(
        terms=lambda hits: _overlaps(hits, p, normalize, depth),
        bounds=lambda c: _bounds(c, p, normalize, depth),
        over_orders=lambda hits: _over_orders(hits, p, normalize, depth),
        best_by=Gain("linear"),
        has_steps=True,
        is_deep=is_patient(p),
        range=(0.0, 1.0),
    )


def _overlaps(hits: Hits, p: float, normalize: bool, depth: int | None) -> Terms:
    """What each document adds to the overlap with the ideal ranking"""
    grade, pool = hits.grade, hits.pool.grade
    # s is the place of each retrieved document in the ideal ranking: after all documents with a better grade,
    # and after those with the same grade that are ranked higher.
    found = (grade > 0) & (hits.rank != NOWHERE)[:, None, :]
    place = _ideal_place(grade, pool, hits.topic)
    # Both rankings contain a document at all depths d from max(r, s) to n, and it adds p^(d-1)/d for each.
    first = np.maximum(place, np.where(found, hits.rank[:, None, :], 1))
    of = _depths(hits, p, depth)
    inside = found & (first <= of.end[:, :, None])
    gained = np.where(inside, of.until[:, :, None] - of.overlap[np.minimum(first, of.last) - 1], 0.0)
    return Terms({"overlap": gained}, _divisor(hits, of, p, normalize), is_best=normalize)


class _Depths(NamedTuple):
    """The depths at which two rankings are compared."""

    overlap: Floats  #: Σ_{d≤m} p^(d-1)/d for m = 0, 1, …, last
    until: Floats  #: (N, A) the same sum down to the last depth
    end: Longs  #: (N, A) the last depth at which a document can be added
    last: int
    beyond: int | None  #: the last depth, if it is too far down for the table


def _depths(hits: Hits, p: float, depth: int | None) -> _Depths:
    relevant = (hits.pool.grade > 0).sum(-1)[hits.topic]  # (N, A) the length of the ideal ranking
    longest = np.maximum(hits.length[:, None], relevant)
    last = int(longest.max(initial=1))  # no document is added below it
    if depth is None:
        end = longest
    else:
        depth = min(depth, 1 << 63)  # below this depth, p^d is 0 for any p below 1
        last = min(depth, max(last, _SUMMED))
        end = np.full(relevant.shape, min(depth, last))
    overlap = _sums(powers(last, p) / np.arange(1, last + 1))
    beyond = depth if depth is not None and depth > _SUMMED else None
    until = overlap[end]
    if beyond is not None:
        until = np.full(end.shape, overlap[_SUMMED] + _overlap_beyond(beyond, p))
    return _Depths(overlap, until, end, last, beyond)


def _divisor(hits: Hits, of: _Depths, p: float, normalize: bool) -> Floats:
    """(N, A) what the overlap is divided by"""
    if not normalize:
        sums = _sums(powers(of.last, p))
        if of.beyond is None:
            return np.asarray(sums[of.end])
        return np.full(of.end.shape, sums[_SUMMED] + _powers_beyond(of.beyond, p))
    # In the overlap of the ideal ranking with itself, document j counts at all depths from j.
    relevant = (hits.pool.grade > 0).sum(-1)[hits.topic]
    j = np.arange(1, int(relevant.max(initial=0)) + 1)
    counted = j <= np.minimum(relevant, of.end)[:, :, None]
    each = of.until[:, :, None] - of.overlap[np.minimum(j, of.last) - 1]
    return total(np.where(counted, each, 0.0))


def _over_orders(hits: Hits, p: float, normalize: bool, depth: int | None) -> Floats:
    """(N, A) the expectation over all orders of tied documents"""
    from rankprism.measures.ties.graded import expected_overlap

    of = _depths(hits, p, depth)

    def added(row: Longs, aspect: Longs, first: Longs) -> Floats:
        inside = first <= of.end[row, aspect]
        return np.where(inside, of.until[row, aspect] - of.overlap[np.minimum(first, of.last) - 1], 0.0)

    overlap = expected_overlap(hits, added)
    return (over_best if normalize else ratio)(overlap, _divisor(hits, of, p, normalize))


def _sums(terms: Floats) -> Floats:
    """0 and the sums of the first 1, 2, … terms"""
    return np.concatenate(([0.0], np.cumsum(terms)))


def _place(hits: Hits) -> Longs:
    return _ideal_place(hits.grade, hits.pool.grade, hits.topic)


def _ideal_place(found: Floats, pool: Floats, topic: npt.NDArray[np.intp]) -> Longs:
    """(N, A, H) the rank of each retrieved document in the ideal ranking of its topic (T, A, D), from 1."""
    topics, aspects, documents = pool.shape
    grades = np.unique(np.concatenate((pool.ravel(), found.ravel())))
    # The grades of all topics and aspects form one ascending row, one aspect of a topic after another.
    row = np.arange(topics * aspects).reshape(topics, aspects, 1)
    judged = np.sort((row * len(grades) + np.searchsorted(grades, pool)).ravel())
    own = row[topic] * len(grades) + np.searchsorted(grades, found)
    better = (row[topic] + 1) * documents - np.searchsorted(judged, own, side="right")
    # The number of retrieved documents with the same grade at better ranks.
    by_grade = np.argsort(-found, axis=-1, kind="stable")
    descending = np.take_along_axis(found, by_grade, -1)
    i = np.broadcast_to(np.arange(found.shape[-1]), found.shape)
    is_new = np.ones(found.shape, dtype=bool)
    is_new[..., 1:] = descending[..., 1:] < descending[..., :-1]
    start = np.maximum.accumulate(np.where(is_new, i, 0), axis=-1)
    place = np.empty(found.shape, dtype=np.int64)
    np.put_along_axis(place, by_grade, i - start, -1)
    return np.asarray(place + better + 1)


def _bounds(c: Completions, p: float, normalize: bool, depth: int | None) -> Pair:
    """Bounds of the rank-biased overlap with the ideal ranking most similar to the ranking.

    A document at rank r whose place in the ideal ranking is s adds O(n) - O(max(r, s) - 1), where O(d) =
    Σ_{e≤d} p^(e-1)/e. New documents move s down by at most their number, and never up; n, the length of the
    longer ranking, grows at most by their number. A new document adds at most O(n) - O(r - 1), and m of them
    add most at the m highest unjudged ranks; the ideal ranking then has R + m documents. The overlap with
    another ranking is never above min(d, R), the overlap of the ideal with itself, so 1 is a bound.
    """
    hits, place = c.hits, _place(c.hits)
    if depth is not None and depth > _SUMMED:
        raise MeasureError(f"Compat: no bounds are known below rank {_SUMMED}; set depth={_SUMMED} or less")
    g = c.gains(Gain("linear"), None)
    n = g.least.shape[-1]
    own = g.ideal_least[g.topic]
    R = (own > 0).sum(-1)
    new = g.count[:, None] * (g.top > 0)  # (N, A)
    length = hits.length[:, None].astype(np.int64)
    ends = [np.full(R.shape, depth) if depth is not None else np.maximum(length, x) for x in (R, R + new)]
    longest = int(ends[1].max(initial=1))
    d = np.arange(1, longest + 1, dtype=np.float64)
    power = powers(longest, p)
    overlap = np.concatenate(([0.0], np.cumsum(power / d)))
    sums = np.concatenate(([0.0], np.cumsum(overlap[:-1])))

    def added(first: Floats | Longs, end: Longs) -> Floats:
        until = overlap[end][:, :, None]
        return np.where(first <= end[:, :, None], until - overlap[np.minimum(first, longest) - 1], 0.0)

    def itself(length: Longs, end: Longs) -> Floats:
        """The overlap with itself of an ideal ranking of this many documents (N, A, ..)"""
        end = end.reshape(*end.shape, *(1,) * (length.ndim - 2))
        length = np.minimum(length, end)
        return np.asarray(length * overlap[end] - sums[length], dtype=np.float64)

    found = (hits.grade > 0) & (hits.rank != NOWHERE)[:, None, :]
    rank = np.where(hits.rank == NOWHERE, 1, hits.rank)[:, None, :].astype(np.int64)
    low = total(np.where(found, added(np.maximum(rank, place + new[:, :, None]), ends[0]), 0.0))
    high = total(np.where(found, added(np.maximum(rank, place), ends[1]), 0.0))
    i = np.broadcast_to(np.arange(1, n + 1), (*R.shape, n))
    extra = np.cumsum(np.where(g.free[:, None, :] & (g.top > 0)[:, :, None], added(i, ends[1]), 0.0), axis=-1)
    if not normalize:
        whole = np.concatenate(([0.0], np.cumsum(power)))
        rest = [whole[e] for e in ends]
        high = high + extra[..., -1] if n else high
        return quotient(low, high, rest[0], rest[1])
    m = np.cumsum(g.free, axis=-1)[:, None, :] * (g.top > 0)[:, :, None]
    upper = quotient(high, high, itself(R, ends[0]), itself(R, ends[0]))[1]
    if n:
        best = itself(R[:, :, None] + m, ends[0])
        gained = high[:, :, None] + extra
        upper = np.maximum(upper, quotient(gained, gained, best, best)[1].max(-1))
    return ratio(low, itself(R + new, ends[1])), upper


# Sums over ranks that are too far down to be added term by term. The exponentials and logarithms of Decimal
# are correctly rounded, so they are the same on every machine.
_DIGITS = decimal.Context(prec=120)
_EULER = Decimal("0.57721566490153286060651209008240243104215933593992359880576723488486772677766467")


@lru_cache(maxsize=64)
def _powers_beyond(n: int, p: float) -> float:
    """Σ_{m<d≤n} p^(d-1) = (p^m - p^n) / (1 - p), where m is `_SUMMED`"""
    with decimal.localcontext(_DIGITS):
        exact = Decimal(p)
        return float((exact**_SUMMED - exact**n) / (1 - exact))


@lru_cache(maxsize=64)
def _overlap_beyond(n: int, p: float) -> float:
    """Σ_{m<d≤n} p^(d-1) / d, from the integral of f(x) = p^(x-1) / x and the Euler-Maclaurin corrections.

    m is `_SUMMED`. With λ = -ln p, ∫ f = (E₁(λm) - E₁(λn)) / p. The neglected terms are below f(m) / m³.
    """
    m = _SUMMED
    with decimal.localcontext(_DIGITS):
        rate = -Decimal(p).ln()

        def f(x: int) -> Decimal:
            return (-rate * (x - 1)).exp() / x

        def slope(x: int) -> Decimal:
            return -f(x) * (rate + Decimal(1) / x)

        integral = (_exp1(rate * m) - _exp1(rate * n)) / Decimal(p)
        return float(integral + (f(n) - f(m)) / 2 + (slope(n) - slope(m)) / 12)


def _exp1(x: Decimal) -> Decimal:
    """E₁(x) = -γ - ln x - Σ_{k≥1} (-x)^k / (k · k!); 0 for large x, where it is below 1e-45

    The terms are below e^100 < 1e44, so more than 70 of the 120 digits are correct.
    """
    if x > 100:
        return Decimal(0)
    power, series, k = Decimal(1), Decimal(0), 0
    while k < x or abs(power) > Decimal("1e-80"):
        k += 1
        power *= -x / k
        series += power / k
    return -_EULER - x.ln() - series
