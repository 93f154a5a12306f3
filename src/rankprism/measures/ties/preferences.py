"""The expectation of measures of preferences that need no list of all orders.

Sums over pairs of documents: in half of all orders of a group, one document of a pair is above the other. The
reversal of an order exchanges the two halves. So the mean of one order and its reversal is the mean of all
orders.
"""

from __future__ import annotations

from dataclasses import replace
from math import comb

import numpy as np

from rankprism.data import NOWHERE, Bools, Floats, Ints, Longs
from rankprism.measures.parts import discounted_sum, total
from rankprism.measures.preferences.hits import PreferenceHits
from rankprism.measures.preferences.utility import Utilities
from rankprism.measures.tables import powers
from rankprism.measures.ties.sums import products_of_subsets, relevant_above


def reversed_groups(hits: PreferenceHits) -> PreferenceHits:
    """The same rankings, each group in reversed order."""
    assert hits.tied is not None
    there = hits.rank != NOWHERE
    start, size = (np.where(there, values, 0).astype(np.int64) for values in hits.tied)
    rank = np.where(there, 2 * start + size + 1 - hits.rank, NOWHERE)
    order = np.argsort(rank, axis=-1, kind="stable")
    return replace(
        hits,
        rank=np.take_along_axis(rank, order, -1).astype(np.int32),
        doc=np.take_along_axis(hits.doc, order, -1),
        tied=None,
        _memo={},
    )


def divided_by(hits: PreferenceHits, cutoff: int | None) -> Bools:
    """(N,) whether the cutoff divides a group"""
    assert hits.tied is not None
    if cutoff is None:
        return np.zeros(len(hits.rank), dtype=bool)
    start, size = hits.tied
    return np.asarray(((start < cutoff) & (start + size.astype(np.int64) > cutoff)).any(-1))


# ── utilities ────────────────────────────────────────────────────────────────────────────────────


def expected_utility(u: Utilities, hits: PreferenceHits, combine: str, reach: Floats) -> Floats:
    """(N,) the expectation of Σ_i W(i) U(d_i | documents above), see `rankprism.measures.known.prf`

    A document is at each place j of its group with the same chance, and above it are any j - 1 of the others.
    How many of these count is hypergeometric. Given their number h, the utility has a mean of its own:
    `_means_by_number`.
    """
    assert hits.tied is not None
    score = np.zeros(len(hits.rank))
    for row in range(len(hits.rank)):
        named = np.flatnonzero(hits.rank[row] != NOWHERE)
        start, size = hits.tied.start[row, named].astype(np.int64), hits.tied.size[row, named]
        doc = hits.doc[row, named]
        terms = [_of_strangers(u, hits.rank[row, named], int(hits.length[row]), start, size, combine, reach)]
        for d, o, n in zip(doc.tolist(), start.tolist(), size.tolist(), strict=True):
            weight = reach[o : o + n]
            if not len(weight):
                continue
            above, beside = doc[start < o], doc[(start == o) & (doc != d)]
            strangers = (o - len(above), n - 1 - len(beside))
            means = _means_by_number(u, d, above, beside, strangers, combine)
            chance = relevant_above(n, len(means), len(weight))
            at_place = discounted_sum(np.ascontiguousarray(chance[None]), means)[0]
            terms.append(at_place * weight / n)
        score[row] = total(np.concatenate(terms)[None])[0]
    return score


def _means_by_number(
    u: Utilities, d: int, above: Longs, beside: Longs, strangers: tuple[int, int], combine: str
) -> Floats:
    """For h = 0, 1, …: the mean utility of document d, given the documents above its group and any h of those
    beside it in the group that count

    strangers : how many documents that no judgment names are above the group, and how many beside d.
    """
    first, then = (u.given[d, some[u.known[d, some]]] for some in (above, beside))
    own = u.given_stranger[d]
    if not np.isnan(own):
        first, then = (
            np.append(values, np.full(count, own))
            for values, count in zip((first, then), strangers, strict=True)
        )
    h = np.arange(len(then) + 1)
    if combine == "mean":
        average = total(then[None])[0] / max(len(then), 1)
        means = (total(first[None])[0] + h * average) / np.maximum(len(first) + h, 1)
    elif combine == "product":
        means = _product_of(first) * products_of_subsets(then)
    else:
        least = first.min(initial=np.inf)
        ascending = np.minimum(np.sort(then), least)
        means = np.array([least, *(_smallest_of(ascending, k) for k in range(1, len(h)))])
    return np.asarray(np.where(len(first) + h > 0, means, u.alone[d]))


def _smallest_of(ascending: Floats, k: int) -> float:
    """The mean of the smallest of k of these N values: the q-th with the chance C(N-1-q, k-1) / C(N, k)"""
    n = len(ascending)
    chance = np.array([comb(n - 1 - q, k - 1) / comb(n, k) for q in range(n)])
    return float(total((ascending * chance)[None])[0])


def _product_of(values: Floats) -> float:
    return float(np.cumprod(values)[-1]) if len(values) else 1.0


def _of_strangers(
    u: Utilities, rank: Ints, length: int, start: Longs, size: Ints, combine: str, reach: Floats
) -> Floats:
    """(L,) what documents that no judgment names add at each rank, times the chance that one is there"""
    last = min(length, len(reach))
    if not u.stranger or not last:
        return np.zeros(last)
    there = np.ones(length)
    for o, n in set(zip(start.tolist(), size.tolist(), strict=True)):
        there[o : o + n] -= np.count_nonzero(start == o) / n
    i = np.arange(1, last + 1)
    power = np.maximum(i - 1, 1) if combine == "product" else np.ones_like(i)
    return np.asarray(there[:last] * powers(int(power.max()) + 1, u.stranger)[power] * reach[:last])
