"""The expectation of graded measures of one aspect: Q, GAP, Compat and their relatives.

The words are those of `sums`: a group of n documents begins below rank o, R of them are relevant, and j is a
place of the group.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rankprism.data import Floats, Hits, Longs
from rankprism.measures.ideal import ideal_sums
from rankprism.measures.parts import (
    PRECISION,
    UNIFORM,
    Gain,
    Parts,
    binary,
    discounted_sum,
    gained_above,
    hit_gain,
    seen,
)
from rankprism.measures.ties.grouping import grouping
from rankprism.measures.ties.sums import (
    expected_sums,
    gains_in_group,
    of_same_shape,
    portions,
    relevant_above,
)


def r_precision(hits: Hits, rel: float, R: Floats) -> Floats:
    """(N, A) the expected number of relevant documents among the first R, which differs between topics"""
    groups = grouping(hits)
    found = groups.sums(hit_gain(hits, binary(rel)))
    early = np.clip(R[groups.row] - groups.start[:, None], 0, groups.size[:, None])
    return groups.by_ranking(found * early / groups.size[:, None])


def blended_ratios(hits: Hits, beta: float, gain: Gain, cutoff: int | None) -> Floats:
    """(N, A) the expectation of Σ_{i≤k} [g_i > 0] (C(i) + β cg(i)) / (i + β cg*(i))

    C and cg are linear in the documents above. Of the other documents of the group, those above place j are a
    share t = (j - 1)/(n - 1) on average, whichever document is at j.
    """
    groups = grouping(hits)
    g = hit_gain(hits, gain)
    R, G = groups.sums((g > 0).astype(np.float64)), groups.sums(g)
    C = groups.at_start(seen(g)).astype(np.float64)
    gained = groups.at_start(gained_above(g))
    own = R * (C + 1) + beta * (R * gained + G)
    others = (R - 1) * (R + beta * G)
    owner, j = groups.places(groups.reached(cutoff))
    i = groups.start[owner] + j
    share = (j - 1) / np.maximum(groups.size[owner] - 1, 1)
    sums = ideal_sums(hits.pool, gain)
    result = np.zeros(R.shape)
    if not sums.shape[-1]:
        return groups.by_ranking(result)
    topic = hits.topic[groups.row[owner]]
    for a in range(R.shape[1]):
        best = sums[topic, a, np.minimum(i, sums.shape[-1]) - 1]
        terms = (own[owner, a] + share * others[owner, a]) / (i + beta * best)
        result[:, a] = np.bincount(owner, terms, len(groups.row)) / groups.size
    return groups.by_ranking(result)


def graded_precision(hits: Hits, levels: dict[float, float], cutoff: int | None) -> Floats:
    """(N, A) the expectation of Σ_{i≤k} 1/i Σ_{j≤i} W(min(g_i, g_j))

    W(min(g, g')) is the sum of the steps of W at the levels that both grades reach, so this is a sum of AP's
    sums with these levels as thresholds. `levels`: each grade, and the step of W at it.
    """
    result = np.zeros(hits.grade.shape[:2])
    for level, step in sorted(levels.items()):
        result += step * expected_sums(hits, Parts(UNIFORM, binary(level), PRECISION), cutoff)
    return result


def expected_overlap(hits: Hits, gained: Callable[[Longs, Longs, Longs], Floats]) -> Floats:
    """(N, A) the expectation of the overlap with the ideal ranking that is most similar to the ranking

    Among documents of one grade, the h-th in the ranking is the h-th in the ideal. A document adds T(m),
    where m is the later of its two ranks. `gained`: a function from rankings, aspects and m to T(m).
    """
    groups = grouping(hits)
    result = np.zeros((len(groups.row), hits.grade.shape[1]))
    for level in np.unique(hits.grade[hits.grade > 0]).tolist():
        same = (hits.grade == level).astype(np.float64)
        R = groups.sums(same)
        above = groups.at_start(gained_above(same))
        better = (hits.pool.grade > level).sum(-1)[hits.topic]
        group, aspect = np.nonzero(R)
        shapes = of_same_shape(groups.size[group], R[group, aspect].astype(np.int64))
        for n, r, which in shapes:
            for some in portions(which, n * r):
                m, a = group[some], aspect[some]
                row = groups.row[m]
                i = groups.start[m][:, None] + np.arange(1, n + 1)  # (U, n)
                place = (better[row, a] + above[m, a])[:, None] + np.arange(1, r + 1)  # (U, r)
                later = np.maximum(i[:, :, None], place[:, None, :]).astype(np.int64)
                added = gained(row[:, None, None], a[:, None, None], later)
                chance = np.broadcast_to(relevant_above(n, r, n), added.shape).reshape(len(m), 1, n * r)
                sums = discounted_sum(chance, added.reshape(len(m), n * r))[:, 0]
                result[m, a] += sums * (r / n)
    return groups.by_ranking(result)


def expected_stop_ratios(hits: Hits, r: Floats, g: Floats, beta: float, cutoff: int | None) -> Floats:
    """(N, A) the expectation of Σ_{i≤k} BR(i) r_i Π_{j<i} (1 - r_j), where BR is the blended ratio

    The mean over the documents above is that of a product times a sum. It is the second part of the product
    of dual numbers, (1 - r_j) (1 + ε g_j), with ε² = 0.
    """
    groups = grouping(hits)
    R = groups.sums((g > 0).astype(np.float64))
    C = groups.at_start(seen(g)).astype(np.float64)
    before = groups.at_start(gained_above(g))
    stay = np.ones_like(r)
    np.cumprod(1 - r[..., :-1], axis=-1, out=stay[..., 1:])
    left = groups.at_start(stay)
    best = ideal_sums(hits.pool, Gain("linear"))
    reached = groups.reached(cutoff)
    result = np.zeros(R.shape)
    group, aspect = np.nonzero(R)
    for n, count, which in of_same_shape(groups.size[group], R[group, aspect].astype(np.int64)):
        for some in portions(which, n * count):
            m, a = group[some], aspect[some]
            places = int(reached[m].max(initial=0))
            if not places:
                continue
            stop, gain = gains_in_group(groups, r, m, a, count), gains_in_group(groups, g, m, a, count)
            product, with_sum = _marked_with_sum(stop, 1 - stop, gain)
            h = np.arange(count)
            worth = product * ((C[m, a] + 1)[:, None] + h + beta * before[m, a][:, None]) + beta * with_sum
            i = groups.start[m][:, None] + np.arange(1, places + 1)
            row = groups.row[m]
            ideal = best[hits.topic[row][:, None], a[:, None], np.minimum(i, best.shape[-1]) - 1]
            inside = np.arange(1, places + 1) <= reached[m][:, None]
            weight = inside / (i + beta * ideal)
            above = np.broadcast_to(relevant_above(n, count, places), (len(m), places, count))
            at_place = discounted_sum(above, worth) * (count / n)
            result[m, a] = left[m, a] * discounted_sum(at_place[:, None, :], weight)[:, 0]
    return groups.by_ranking(result)


def _marked_with_sum(stop: Floats, stay: Floats, gain: Floats) -> tuple[Floats, Floats]:
    """`sums.marked`, and the same mean of r_d Π_X (1 - r_x) · (g_d + Σ_X g_x)"""
    sets, count = stop.shape
    product, product_sum = np.zeros((sets, count + 1)), np.zeros((sets, count + 1))
    product[:, 0] = 1.0
    found, found_sum = np.zeros((sets, count)), np.zeros((sets, count))
    h = np.arange(count + 1)
    for m in range(1, count + 1):
        r, q, g = (values[:, m - 1, None] for values in (stop, stay, gain))
        below = np.maximum(m - 1 - h[:-1], 0) / m
        step = found * below + r * product[:, :-1] / m
        step_sum = found_sum * below + r * (product_sum[:, :-1] + g * product[:, :-1]) / m
        step[:, 1:] += q * found[:, :-1] * (h[1:-1] / m)
        step_sum[:, 1:] += q * (found_sum[:, :-1] + g * found[:, :-1]) * (h[1:-1] / m)
        step[:, m:], step_sum[:, m:] = 0.0, 0.0
        without = np.maximum(m - h, 0) / m
        more, more_sum = product * without, product_sum * without
        more[:, 1:] += q * product[:, :-1] * (h[1:] / m)
        more_sum[:, 1:] += q * (product_sum[:, :-1] + g * product[:, :-1]) * (h[1:] / m)
        found, found_sum, product, product_sum = step, step_sum, more, more_sum
    return found, found_sum
