"""Compatibility: how close a ranking is to an ideal one."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from rankprism.data.hits import NOWHERE, Floats, Hits, Longs
from rankprism.measures.bounds.graded import compatibility
from rankprism.measures.measure import Bounds, Parameter, measure
from rankprism.measures.parts import ratio

#: Terms of the overlap that are added one by one.
_SUMMED = 1 << 16


@measure(
    Parameter(
        "p",
        0.95,
        "the chance to go on from one document to the next",
        low=0,
        high=1,
        above_low=True,
        below_high=True,
    ),
    Parameter("normalize", True, "divide by what the ideal ranking itself gets", bool),
    Parameter(
        "depth",
        None,
        "where the comparison ends; at the end of the longer ranking without it",
        int,
        low=1,
        optional=True,
    ),
    single=True,
    keeps="DeepTh",
    keeps_ia="DeepTh",
    bounds=Bounds("outer", lambda c, **settings: compatibility(c, _place(c.hits), **settings)),
    cite=("clarke2021assessing", "clarke2020offline"),
)
def Compat(hits: Hits, p: float, normalize: bool, depth: int | None) -> Floats:
    """Compatibility: the rank-biased overlap of a ranking with the ideal ranking most similar to it.

    Compat = RBO(r, i*) / RBO(i*, i*), RBO(r, i) = Σ_{d≤n} p^(d-1) |r_1..d ∩ i_1..d| / d ÷ Σ_{d≤n} p^(d-1)

    The ideal ranking i* has the documents of grade above 0 in descending order of grades, those of one grade
    in the order of r. n is depth or else the length of the longer ranking. TOMA(Compat) takes the ideal
    ranking from the distance order of several aspects.

    >>> from rankprism import evaluate
    >>> print(evaluate({"q": {"a": 2, "b": 1}}, {"q": {"b": 2, "a": 1}}, ["Compat", "Compat(p=0.5)"]))
    run  Compat  Compat(p=0.5)
    ──────────────────────────
    run  0.4872         0.3333
    """
    grade, pool = hits.grade, hits.pool.grade
    # s, the place of each document found in the ideal ranking: behind all better ones, and behind those of
    # the same grade that are ranked further up.
    found = (grade > 0) & (hits.rank != NOWHERE)[:, None, :]
    place = _ideal_place(grade, pool, hits.topic)
    relevant = (pool > 0).sum(-1)[hits.topic]  # (N, A) the length of the ideal ranking
    depth = None if depth is None else min(depth, 1 << 63)  # further down p^d is 0 for any p below 1
    longest = np.maximum(hits.length[:, None], relevant)
    most = max(_SUMMED, int(longest.max(initial=1)))  # below it, documents may come in and terms are added
    end = longest if depth is None else np.full(relevant.shape, min(depth, most))
    # A document is common to both from rank max(r, s) on: it adds p^(d-1)/d for every d from there to n.
    first = np.maximum(place, np.where(found, hits.rank[:, None, :], 1))
    d = np.arange(1, int(end.max(initial=1)) + 1, dtype=np.float64)
    overlap = np.concatenate(([0.0], np.cumsum(p ** (d - 1) / d)))
    until = overlap[end] + (_overlap_beyond(most, depth, p) if depth is not None and depth > most else 0.0)
    inside = found & (first <= end[:, :, None])
    gained = np.where(inside, until[:, :, None] - overlap[np.minimum(first, len(d)) - 1], 0.0).sum(-1)
    if not normalize:
        # Σ_{d≤n} p^(d-1) = (1 - p^n) / (1 - p)
        return ratio(gained, -np.expm1(math.log(p) * (end if depth is None else float(depth))) / (1 - p))
    # Σ_{j≤min(R,n)} (overlap(n) - overlap(j-1))
    sums = np.concatenate(([0.0], np.cumsum(overlap[:-1])))
    length = np.minimum(relevant, end)
    return ratio(gained, length * until - sums[length])


def _place(hits: Hits) -> Longs:
    return _ideal_place(hits.grade, hits.pool.grade, hits.topic)


def _ideal_place(found: Floats, pool: Floats, topic: npt.NDArray[np.intp]) -> Longs:
    """(N, A, H) the rank of each document found in the ideal ranking of its topic (T, A, D), from 1."""
    topics, aspects, documents = pool.shape
    grades = np.unique(np.concatenate((pool.ravel(), found.ravel())))
    # The grades of all topics and aspects in one ascending row, those of each behind those before.
    row = np.arange(topics * aspects).reshape(topics, aspects, 1)
    judged = np.sort((row * len(grades) + np.searchsorted(grades, pool)).ravel())
    own = row[topic] * len(grades) + np.searchsorted(grades, found)
    better = (row[topic] + 1) * documents - np.searchsorted(judged, own, side="right")
    # Among those found, in the order of their ranks, how many of the same grade stand before.
    by_grade = np.argsort(-found, axis=-1, kind="stable")
    descending = np.take_along_axis(found, by_grade, -1)
    i = np.broadcast_to(np.arange(found.shape[-1]), found.shape)
    is_new = np.ones(found.shape, dtype=bool)
    is_new[..., 1:] = descending[..., 1:] < descending[..., :-1]
    start = np.maximum.accumulate(np.where(is_new, i, 0), axis=-1)
    place = np.empty(found.shape, dtype=np.int64)
    np.put_along_axis(place, by_grade, i - start, -1)
    return np.asarray(place + better + 1)


def _overlap_beyond(m: int, n: int, p: float) -> float:
    """Σ_{m<d≤n} p^(d-1) / d, by the integral of f(x) = p^(x-1) / x and Euler and Maclaurin's corrections.

    With λ = -ln p, ∫ f = (E₁(λm) - E₁(λn)) / p. The terms that are left out are below f(m) / m³.
    """
    from scipy.special import exp1

    rate = -math.log(p)

    def f(x: float) -> float:
        return math.exp(-rate * (x - 1)) / x

    def slope(x: float) -> float:
        return -f(x) * (rate + 1 / x)

    return float((exp1(rate * m) - exp1(rate * n)) / p + (f(n) - f(m)) / 2 + (slope(n) - slope(m)) / 12)
