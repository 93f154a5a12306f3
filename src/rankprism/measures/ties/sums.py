"""The expectation of sums over documents, Σ_i D(i) g(i,t) N(i,t), over all orders of tied documents.

A group of n documents begins below rank o, and R of them have a gain on the aspect, G in sum. The novelty at
the start of the group is the same for all orders, because it depends only on which documents are above. The
document at place j of the group is then any of the n, and those above it in the group are any j - 1 of the
others. Each kind of novelty has its own mean over these:

- none: G/n at each place.
- precision: G/n · (C + 1 + (R - 1) (j - 1)/(n - 1)) / (o + j), where C documents above the group have a gain.
- a share that each document takes away: see `marked`. Both the cascade and the decay are of this kind.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from rankprism.data import BATCH, Floats, Hits, Longs
from rankprism.measures import tables
from rankprism.measures.parts import (
    CASCADE,
    NO_NOVELTY,
    PRECISION,
    Discount,
    Parts,
    discounted_sum,
    hit_gain,
    hit_seen,
)
from rankprism.measures.ties.grouping import Grouping, grouping


def expected_sums(hits: Hits, parts: Parts, cutoff: int | None) -> Floats:
    """(N, A) the expectation of Σ_{i≤k} D(i) g(i,t) N(i,t)"""
    key = ("expected", parts.gain, parts.novelty, parts.discount, cutoff)
    return hits.once(key, lambda: _expected(hits, parts, cutoff))


def _expected(hits: Hits, parts: Parts, cutoff: int | None) -> Floats:
    groups = grouping(hits)
    if not len(groups.row):
        return np.zeros(hits.grade.shape[:2])
    g = hit_gain(hits, parts.gain)
    G = groups.sums(g)
    if parts.novelty == NO_NOVELTY:
        return groups.by_ranking(G * mean_discount(groups, parts.discount, cutoff)[:, None])
    R = groups.sums((g > 0).astype(np.float64))
    C = groups.at_start(hit_seen(hits, parts.gain)).astype(np.float64)
    if parts.novelty == PRECISION:
        one, later = precision_discounts(groups, parts.discount, cutoff)
        return groups.by_ranking(G * ((C + 1) * one[:, None] + (R - 1) * later[:, None]))
    if parts.novelty == CASCADE:
        left = groups.at_start(parts.novelty(g))
        return groups.by_ranking(_cascade(groups, g, R, left, parts.discount, cutoff))
    alpha = parts.novelty.amount if parts.novelty.kind == "decay" else 1.0
    left = tables.powers_of_rest(int(C.max(initial=0)) + 1, alpha)[C.astype(np.int64)]
    return groups.by_ranking(G * left * _decayed_discount(groups, R, alpha, parts.discount, cutoff))


def mean_discount(groups: Grouping, discount: Discount, cutoff: int | None) -> Floats:
    """(M,) the mean of D over the places of each group, which is 0 below the cutoff"""
    owner, j = groups.places(groups.reached(cutoff))
    values = _discounts(discount, groups.start[owner] + j)
    return np.bincount(owner, values, len(groups.row)) / groups.size


def precision_discounts(groups: Grouping, discount: Discount, cutoff: int | None) -> tuple[Floats, Floats]:
    """(M,) twice: the means of D(i)/i and of D(i)/i · (j - 1)/(n - 1) over the places of each group"""
    owner, j = groups.places(groups.reached(cutoff))
    i = groups.start[owner] + j
    values = _discounts(discount, i) / i
    share = (j - 1) / np.maximum(groups.size[owner] - 1, 1)
    n = len(groups.row)
    return np.bincount(owner, values, n) / groups.size, np.bincount(owner, values * share, n) / groups.size


def _discounts(discount: Discount, i: Longs) -> Floats:
    return np.asarray(discount.first(int(i.max(initial=1)))[i - 1])


# ── novelty that each document takes a share of ──────────────────────────────────────────────────


def relevant_above(n: int, R: int, places: int) -> Floats:
    """(places, R) the chance that h of the R relevant documents among n are above place j, given that the
    document at place j is relevant: h is hypergeometric, from n - 1 documents of which R - 1 are relevant

    One more place is a convex combination, so there is neither overflow nor cancellation.
    """
    return _kept(n, R)[:places] if n * R < _LARGE else _relevant_above(n, R, places)


#: Larger tables are not kept.
_LARGE = 20_000


@lru_cache(maxsize=512)
def _kept(n: int, R: int) -> Floats:
    table = _relevant_above(n, R, n)
    table.flags.writeable = False
    return table


def _relevant_above(n: int, R: int, places: int) -> Floats:
    chance = np.zeros((places, R))
    chance[0, 0] = 1.0
    h = np.arange(R)
    for drawn in range(places - 1):
        left = n - 1 - drawn
        is_relevant = np.maximum(R - 1 - h, 0) / left
        now = chance[drawn]
        chance[drawn + 1] = now * np.maximum(left - (R - 1 - h), 0) / left
        chance[drawn + 1, 1:] += now[:-1] * is_relevant[:-1]
    return chance


def marked(gain: Floats, left: Floats) -> Floats:
    """(U, R) for h = 0, …, R - 1, the mean of g_d Π_{x in X} left_x over all documents d and all sets X of h
    other documents, from (U, R) the gains and the shares that the documents leave of an aspect's worth

    Documents are added one by one. The m-th is d itself with chance 1/m, in X with chance h/m, and neither
    with chance (m - 1 - h)/m. `product` is the mean of Π left over sets of h documents.
    """
    sets, count = gain.shape
    product = np.zeros((sets, count + 1))
    product[:, 0] = 1.0
    found = np.zeros((sets, count))
    h = np.arange(count + 1)
    for m in range(1, count + 1):
        g, q = gain[:, m - 1, None], left[:, m - 1, None]
        step = found * np.maximum(m - 1 - h[:-1], 0) / m + g * product[:, :-1] / m
        step[:, 1:] += q * found[:, :-1] * (h[1:-1] / m)
        step[:, m:] = 0.0
        found = step
        more = product * np.maximum(m - h, 0) / m
        more[:, 1:] += q * product[:, :-1] * (h[1:] / m)
        product = more
    return found


def products_of_subsets(left: Floats) -> Floats:
    """(R + 1,) for h = 0, …, R, the mean of the products of h of these numbers"""
    product = np.zeros(len(left) + 1)
    product[0] = 1.0
    h = np.arange(len(left) + 1)
    for m, q in enumerate(left.tolist(), 1):
        more = product * np.maximum(m - h, 0) / m
        more[1:] += q * product[:-1] * (h[1:] / m)
        product = more
    return product


def of_same_shape(size: Longs, R: Longs) -> list[tuple[int, int, Longs]]:
    """The groups and aspects with a gain, by their number of documents n and of relevant ones: n, R, which"""
    if not len(R):
        return []
    base = int(R.max()) + 1
    code = size * base + R
    order = np.argsort(code, kind="stable")
    ends = np.flatnonzero(np.diff(code[order], append=-1)) + 1
    return [
        (int(code[which[0]] // base), int(code[which[0]] % base), which)
        for which in np.split(order, ends[:-1])
    ]


def _windows(start: Longs, places: Longs, discount: Discount) -> Floats:
    """(U, J) D at the places of groups that begin at the same or at different ranks; 0 below the cutoff"""
    j = np.arange(int(places.max(initial=0)))
    i = start[:, None] + 1 + j
    return np.where(j < places[:, None], _discounts(discount, i), 0.0)


def _decayed_discount(
    groups: Grouping, R: Floats, alpha: float, discount: Discount, cutoff: int | None
) -> Floats:
    """(M, A) the mean over the places j of a group of D(o + j) E[(1-α)^h], where h documents that have a gain
    are above in the group"""
    result = np.zeros(R.shape)
    group, aspect = np.nonzero(R)
    reached = groups.reached(cutoff)[group]
    for n, r, which in of_same_shape(groups.size[group], R[group, aspect].astype(np.int64)):
        m = group[which]
        window = _windows(groups.start[m], reached[which], discount)
        places = window.shape[1]
        if not places:
            continue
        powers = tables.powers_of_rest(r, alpha)
        left = discounted_sum(relevant_above(n, r, places)[None], powers)[0]
        result[m, aspect[which]] = discounted_sum(window[:, None, :], left)[:, 0] / n
    return result


def _cascade(
    groups: Grouping, g: Floats, R: Floats, left: Floats, discount: Discount, cutoff: int | None
) -> Floats:
    """(M, A) the expectation of what a group adds, where each document leaves 1 - g of an aspect's worth"""
    result = np.zeros(R.shape)
    group, aspect = np.nonzero(R)
    reached = groups.reached(cutoff)[group]
    for n, r, which in of_same_shape(groups.size[group], R[group, aspect].astype(np.int64)):
        for some in portions(which, n * r):
            m, a = group[some], aspect[some]
            window = _windows(groups.start[m], reached[some], discount)
            if not window.shape[1]:
                continue
            gain = gains_in_group(groups, g, m, a, r)
            means = marked(gain, 1 - gain)
            result[m, a] = left[m, a] * over_places(means, n, window)
    return result


def over_places(means: Floats, n: int, window: Floats) -> Floats:
    """(U,) Σ_j D(o + j) R/n Σ_h P(h above | j) means_h, from (U, R) means by the number of relevant documents
    above, and (U, J) discounts"""
    r, places = means.shape[1], window.shape[1]
    above = np.broadcast_to(relevant_above(n, r, places), (len(means), places, r))
    at_place = discounted_sum(above, means) * (r / n)
    return discounted_sum(at_place[:, None, :], window)[:, 0]


def gains_in_group(groups: Grouping, g: Floats, m: Longs, a: Longs, r: int) -> Floats:
    """(U, r) the gains above 0 of the documents of group m[u] on aspect a[u], of which there are r"""
    width = int(groups.count[m].max(initial=0))
    column = np.minimum(groups.first[m][:, None] + np.arange(width), g.shape[2] - 1)
    own = g[groups.row[m][:, None], a[:, None], column]
    own = np.where(np.arange(width) < groups.count[m][:, None], own, 0.0)
    return own[own > 0].reshape(len(m), r)


def portions(which: Longs, cost: int) -> list[Longs]:
    """Portions of these numbers, each as large as fits into memory at a time."""
    step = max(1, 8 * BATCH // max(1, cost))
    return [which[first : first + step] for first in range(0, len(which), step)]
