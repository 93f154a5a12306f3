"""The preference measure straight from its definition, slowly: dictionaries, fractions and loops."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

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


def utility(
    rows: Sequence[Row],
    doc: str,
    above: Sequence[str],
    combine: str,
    unseen: str,
    fallback: str = "other",
    fitted: Fitted | None = None,
) -> Fraction | float:
    """U(d | the documents above); from `fitted` utilities, where the estimate is pooled"""
    if len(above) > 1:
        exactly = share([row for row in rows if len(row[0]) > 1 and set(row[0]) == set(above)], doc)
        if exactly is not None:
            return exactly
    if fitted is not None:
        known = {d for d, _ in fitted}
        values: list[Fraction | float] = [
            0.5 if doc not in known else fitted[doc, z if z in known else STRANGER] for z in above
        ]
        if not values:
            return fitted.get((doc, None), 0.5)
    else:
        pairs, triplets = ([row for row in rows if len(row[0]) == n] for n in (0, 1))
        alone = in_pairs = share(pairs, doc)
        if alone is None and fallback == "other":
            alone = share(rows, doc)
        seen = [share([row for row in triplets if row[0] == (z,)], doc) for z in above]
        if unseen == "zero" and (fallback == "none" or share(triplets, doc) is not None):
            lends = in_pairs is not None and fallback == "other"
            lent = [in_pairs if lends and z in named(rows) else Fraction(0) for z in above]
            seen = [y if x is None else x for x, y in zip(seen, lent, strict=True)]
        values = [x for x in seen if x is not None]
        if not values:
            return alone or Fraction(0)
    if combine == "mean":
        return sum(values, Fraction(0)) / len(values)
    return min(values) if combine == "min" else math.prod(values, start=Fraction(1))


#: U(d|z), and U(d) where there is no z. The document given may be one that no judgment names.
Fitted = dict[tuple[str, str | None], float]
STRANGER = "?"


def pooled(topics: Sequence[Sequence[Row]]) -> list[Fitted]:
    """The pooled estimate of every topic, from its formula, with γ over all of them."""
    qualities = [_quality(rows) for rows in topics]
    above = below = 0.0
    for rows, theta in zip(topics, qualities, strict=True):
        for given, left, right, outcome in rows:
            if len(given) == 1:
                worth = (theta[left] - theta[right]) * max(theta[given[0]], 0.0)
                rest = _POINTS[outcome] - 0.5 - (theta[left] - theta[right])
                above, below = above - worth * rest, below + worth * worth
    gamma = min(max(above / below, 0.0), 2.5) if below > 0 else 0.0
    return [_fitted(rows, theta, gamma) for rows, theta in zip(topics, qualities, strict=True)]


_POINTS = {"left": 1.0, "right": 0.0, "tie": 0.5}


def named(rows: Iterable[Row]) -> list[str]:
    return sorted({doc for given, left, right, _ in rows for doc in (*given, left, right)})


def _quality(rows: Sequence[Row]) -> dict[str, float]:
    """θ = (A + I)⁻¹ y"""
    docs = named(rows)
    matrix, y = np.eye(len(docs)), np.zeros(len(docs))
    for given, left, right, outcome in rows:
        if len(given) <= 1:
            i, j = docs.index(left), docs.index(right)
            matrix[[i, j], [i, j]] += 1
            matrix[[i, j], [j, i]] -= 1
            y[i] += _POINTS[outcome] - 0.5
            y[j] -= _POINTS[outcome] - 0.5
    return dict(zip(docs, np.linalg.solve(matrix, y).tolist(), strict=True))


def _fitted(rows: Sequence[Row], theta: dict[str, float], gamma: float) -> Fitted:
    docs = named(rows)
    n = len(docs)
    mean = sum(theta.values()) / n
    found: Fitted = {}
    for doc in docs:
        for z in (None, STRANGER, *(other for other in docs if other != doc)):
            left_over = 1.0 if z is None else 1 - gamma * max(theta.get(z, 0.0), 0.0)
            rest, times = 0.0, 0
            for given, left, right, outcome in rows:
                if given == (() if z is None else (z,)) and doc in (left, right):
                    won = _POINTS[outcome] if doc == left else 1 - _POINTS[outcome]
                    other = right if doc == left else left
                    rest += won - 0.5 - (theta[doc] - theta[other]) * left_over
                    times += 1
            value = 0.5 + n / max(n - 1, 1) * (theta[doc] - mean) * left_over + rest / (times + 2)
            found[doc, z] = min(max(value, 0.0), 1.0)
    return found


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
    fallback: str = "other",
    fitted: Fitted | None = None,
) -> float:
    """Σ_{k≤K} P(k) G(min(k, n))"""
    last = len(pool_of(rows)) if cutoff is None else cutoff
    worth = [
        float(utility(rows, d, ranking[:i], combine, unseen, fallback, fitted))
        for i, d in enumerate(ranking[:last])
    ]
    return sum(p * sum(worth[: min(k, len(worth))]) for k, p in enumerate(stopping(browsing, theta, last), 1))


def candidates(rows: Sequence[Row], depth: int, fitted: Fitted | None) -> list[str]:
    """The documents of ideal rankings: the pool, and where the estimate knows their utility, strangers."""
    strangers = [] if fitted is None else [f"{STRANGER}{i}" for i in range(depth)]
    return [*pool_of(rows), *strangers]


def greedy(
    rows: Sequence[Row],
    combine: str,
    unseen: str,
    depth: int,
    fallback: str = "other",
    fitted: Fitted | None = None,
) -> list[str]:
    """The greedy ideal ranking; ties by id descending, and strangers last."""
    chosen: list[str] = []
    left = candidates(rows, depth, fitted)
    while left and len(chosen) < depth:
        worth = {d: utility(rows, d, chosen, combine, unseen, fallback, fitted) for d in left}
        best = max(worth.values())
        chosen.append(next(d for d in left if worth[d] >= best - Fraction(1, 10**10)))
        left.remove(chosen[-1])
    return chosen


def best(rows: Sequence[Row], depth: int, *settings: Any, fitted: Any = None) -> float:
    """The measure of the best of all rankings."""
    every = candidates(rows, depth, fitted)
    orders = itertools.permutations(every, min(depth, len(every)))
    # Strangers are alike, so it is enough if they come in one order.
    strangers = [d for d in every if d not in pool_of(rows)]
    return max(
        prf(rows, order, *settings, **{"fitted": fitted})
        for order in orders
        if (found := [d for d in order if d in strangers]) == strangers[: len(found)]
    )


# ── trec_eval's measures ─────────────────────────────────────────────────────────────────────────


def trec_prefs(people: dict[str, list[tuple[str, str]]], ranking: Sequence[str]) -> dict[str, float]:
    """All fourteen, of pairs (preferred, other) by assessor; nobody names a document on level 0"""
    place = {doc: i for i, doc in enumerate(ranking)}
    groups = [_preferred(pairs) for pairs in people.values() if pairs]
    sizes = [len({doc for pair in pairs for doc in pair}) for pairs in people.values() if pairs]
    found = [len({doc for pair in ps for doc in pair if doc in place}) for ps in people.values() if ps]

    def retrieved(pair: tuple[str, str]) -> int:
        return sum(doc in place for doc in pair)

    def fulfilled(pair: tuple[str, str]) -> bool:
        return pair[0] in place and place[pair[0]] < place.get(pair[1], math.inf)

    def shares(least: int) -> list[tuple[int, int]]:
        kept = [[pair for pair in group if retrieved(pair) >= least] for group in groups]
        return [(sum(map(fulfilled, group)), len(group)) for group in kept]

    def simple(least: int) -> float:
        above, below = (sum(column) for column in zip(*shares(least), strict=True)) if groups else (0, 0)
        return above / below if below else 0.0

    def by_group(least: int) -> float:
        return sum(a / b if b else 0.0 for a, b in shares(least)) / len(groups) if groups else 0.0

    def by_pair(least: int) -> float:
        every = [pair for group in groups for pair in group if retrieved(pair) >= least]
        of_pair: dict[frozenset[str], list[bool]] = {}
        for pair in every:
            of_pair.setdefault(frozenset(pair), []).append(fulfilled(pair))
        return sum(sum(x) / len(x) for x in of_pair.values()) / len(of_pair) if of_pair else 0.0

    def balanced(least: int) -> float:
        """As many documents are added on level 0, not retrieved, as there are above it."""
        total = 0.0
        for (above, below), size, here in zip(shares(least), sizes, found, strict=True):
            added = here if least == 2 else size
            if below + size * added == 0:
                return 0.0
            total += (above + here * added) / (below + size * added)
        return total / len(groups) if groups else 0.0

    every = [pair for group in groups for pair in group]
    return {
        "prefs_num_prefs_poss": len(every),
        "prefs_num_prefs_ful": sum(map(fulfilled, every)),
        "prefs_num_prefs_ful_ret": sum(fulfilled(pair) for pair in every if retrieved(pair) == 2),
        **{f"prefs_simp{end}": simple(least) for end, least in _LEAST.items()},
        **{f"prefs_pair{end}": by_pair(least) for end, least in _LEAST.items()},
        **{f"prefs_avgjg{end}": by_group(least) for end, least in _LEAST.items()},
        "prefs_avgjg_Rnonrel": balanced(0),
        "prefs_avgjg_Rnonrel_ret": balanced(2),
    }


#: How many documents of a preference have to be retrieved.
_LEAST = {"": 0, "_imp": 1, "_ret": 2}


def _preferred(pairs: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """What follows from these preferences, but for those that follow both ways."""
    follows = set(pairs)
    while True:
        more = {(a, d) for a, b in follows for c, d in follows if b == c} - follows
        if not more:
            return {(a, b) for a, b in follows if (b, a) not in follows}
        follows |= more
