"""The preference measure straight from its definition, slowly: dictionaries, fractions and loops."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

#: A judgment: the given documents, left, right, and left, right or tie.
Row = tuple[tuple[str, ...], str, str, str]


def stopping(browsing: str | Sequence[float], theta: float, last: int) -> list[float]:
    """P(1), …, P(K)"""
    ranks = range(1, last + 1)
    if not isinstance(browsing, str):
        return [browsing[k - 1] if k <= len(browsing) else 0.0 for k in ranks]
    if browsing == "rbp":
        return [(1 - theta) ** (k - 1) * theta for k in ranks]
    if browsing == "dcg":
        return [1 / math.log2(k + 1) - 1 / math.log2(k + 2) for k in ranks]
    if browsing == "rr":
        return [1 / k - 1 / (k + 1) for k in ranks]
    return [1 / last for _ in ranks]


def share(rows: Iterable[Row], doc: str) -> Fraction | None:
    """The share of these judgments that a document won; None if it was never shown."""
    points = [
        Fraction(1, 2) if outcome == "tie" else Fraction(int((outcome == "left") == (doc == left)))
        for _, left, right, outcome in rows
        if doc in (left, right)
    ]
    return sum(points, Fraction(0)) / len(points) if points else None


def utility(rows: Sequence[Row], doc: str, above: Sequence[str], combine: str, unseen: str) -> Fraction:
    """U(d | the documents above)"""
    pairs = [row for row in rows if not row[0]]
    alone = share(pairs, doc)
    if alone is None and unseen == "skip":
        alone = share([row for row in rows if len(row[0]) == 1], doc)
    alone = alone or Fraction(0)
    if len(above) > 1:
        exactly = share([row for row in rows if len(row[0]) > 1 and set(row[0]) == set(above)], doc)
        if exactly is not None:
            return exactly
    seen = [share([row for row in rows if row[0] == (z,)], doc) for z in above]
    values = [x for x in seen if x is not None] if unseen == "skip" else [x or Fraction(0) for x in seen]
    if not values:
        return alone
    if combine == "mean":
        return sum(values, Fraction(0)) / len(values)
    return min(values) if combine == "min" else math.prod(values, start=Fraction(1))


def pool_of(rows: Iterable[Row]) -> list[str]:
    """The documents that were shown as left or right, by id descending."""
    return sorted({doc for _, left, right, _ in rows for doc in (left, right)}, reverse=True)


def prf(
    rows: Sequence[Row],
    ranking: Sequence[str],
    browsing: str | Sequence[float],
    theta: float,
    combine: str,
    unseen: str,
    cutoff: int | None,
) -> float:
    """Σ_{k≤K} P(k) G(min(k, n))"""
    last = len(pool_of(rows)) if cutoff is None else cutoff
    worth = [float(utility(rows, d, ranking[:i], combine, unseen)) for i, d in enumerate(ranking[:last])]
    return sum(p * sum(worth[: min(k, len(worth))]) for k, p in enumerate(stopping(browsing, theta, last), 1))


def greedy(rows: Sequence[Row], combine: str, unseen: str, depth: int) -> list[str]:
    """The greedy ideal ranking; ties by id descending."""
    chosen: list[str] = []
    left = pool_of(rows)
    while left and len(chosen) < depth:
        worth = {d: utility(rows, d, chosen, combine, unseen) for d in left}
        best = max(worth.values())
        chosen.append(next(d for d in left if worth[d] >= best - Fraction(1, 10**10)))
        left.remove(chosen[-1])
    return chosen


def best(rows: Sequence[Row], depth: int, *settings: object) -> float:
    """The measure of the best of all rankings of the pool."""
    pool = pool_of(rows)
    return max(prf(rows, order, *settings) for order in itertools.permutations(pool, min(depth, len(pool))))  # type: ignore[arg-type]
