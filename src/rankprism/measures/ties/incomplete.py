"""Bpref and infAP, which distinguish unjudged documents, over all orders of tied documents.

Here a group also has documents that are judged and not relevant, and documents of the pool that are unjudged
(their grades are negative).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rankprism.data import NOWHERE, Floats, Hits, Longs
from rankprism.measures.parts import Gain, gained_above, hit_gain
from rankprism.measures.ties.grouping import Grouping, grouping
from rankprism.measures.ties.lattice import check_states, grid_of, paths
from rankprism.measures.ties.sums import relevant_above


@dataclass(frozen=True, eq=False)
class Members:
    """The numbers of documents of each sort, in each group and above it: all (M,) or (M, A)."""

    groups: Grouping
    judged: Longs  #: (M,) judged documents in the group
    judged_above: Longs  #: (M,) judged documents above it
    negative: Longs  #: (M,) unjudged documents of the pool
    negative_above: Longs
    relevant: Floats  #: (M, A)
    relevant_above: Floats

    @cached_property
    def nonrelevant(self) -> Floats:
        """(M, A) documents in the group that are judged and not relevant to the aspect"""
        return self.judged[:, None] - self.relevant

    @cached_property
    def nonrelevant_above(self) -> Floats:
        return self.judged_above[:, None] - self.relevant_above


def members(hits: Hits, gain: Gain) -> Members:
    """Count the documents of the groups that have a relevant document."""
    assert hits.tied is not None
    groups = grouping(hits)
    g = (hit_gain(hits, gain) > 0).astype(np.float64)
    row = groups.row
    start = hits.tied.start[row]
    inside, above = start == groups.start[:, None], start < groups.start[:, None]
    negative = np.zeros_like(inside) if hits.negative is None else hits.negative[row]
    counts = [(which & ~negative).sum(-1) for which in (inside, above)]
    unjudged = [(which & negative).sum(-1) for which in (inside, above)]
    before = groups.at_start(gained_above(g))
    judged, judged_above = counts
    unjudged_inside, unjudged_above = unjudged
    return Members(groups, judged, judged_above, unjudged_inside, unjudged_above, groups.sums(g), before)


def expected_preferred(hits: Hits, gain: Gain, R: Floats, most: Floats) -> Floats:
    """(N, A) the expectation of Σ_r (1 - min(n_r, R) / min(N, R)) over the relevant documents r

    A relevant document has any number from 0 to m of the m non-relevant ones of its group above it, with
    equal chances. `most`: (N, A) min(N, R).
    """
    of = members(hits, gain)
    result = np.zeros(of.relevant.shape)
    for a in range(hits.grade.shape[1]):
        m = np.where(of.relevant[:, a] > 0, of.nonrelevant[:, a], 0).astype(np.int64)
        owner = np.repeat(np.arange(len(m)), m + 1)
        begin = np.concatenate(([0], np.cumsum(m + 1)[:-1])) if len(m) else m
        x = np.arange(len(owner)) - begin[owner]
        row = of.groups.row[owner]
        above = np.minimum(of.nonrelevant_above[owner, a] + x, R[row, a])
        lost = np.divide(above, most[row, a], out=np.zeros(len(owner)), where=most[row, a] != 0)
        result[:, a] = of.relevant[:, a] * np.bincount(owner, 1 - lost, len(m)) / (m + 1)
    return of.groups.by_ranking(result)


def sorted_judged(hits: Hits, worth: Floats, best: bool) -> Hits:
    """The same rankings of one aspect, whose groups have their judged documents of the highest worth first.

    Unjudged documents come last in each group, because they do not count.
    """
    assert hits.tied is not None
    there = hits.judged != NOWHERE
    own = np.full(hits.judged.shape, -1.0)
    row, column = np.nonzero(hits.rank != NOWHERE)
    own[row, hits.condensed_rank[row, column] - 1] = worth[row, column]
    if hits.negative is not None:
        # A document of the pool that is unjudged comes last, whatever the order of the others.
        own = np.where(hits.negative, -np.inf if best else np.inf, own)
    order = np.lexsort((-own if best else own, hits.tied.start), axis=-1)
    back = np.argsort(order, axis=-1)  # the new place of each judged document
    place = back[row, hits.condensed_rank[row, column] - 1]
    condensed = np.full(hits.rank.shape, NOWHERE, dtype=np.int32)
    condensed[row, column] = place + 1
    sort = np.argsort(condensed, axis=-1, kind="stable")
    negative = None if hits.negative is None else np.take_along_axis(hits.negative, order, -1)
    first = np.where(there, np.arange(1, hits.judged.shape[1] + 1, dtype=np.int32), NOWHERE)
    return replace(
        hits,
        rank=np.take_along_axis(condensed, sort, -1),
        grade=np.take_along_axis(hits.grade, sort[:, None, :], -1),
        condensed_rank=np.take_along_axis(condensed, sort, -1),
        judged=first.astype(np.int32),
        negative=negative,
        tied=None,
        _memo={},
    )


def expected_inferred(hits: Hits, gain: Gain, epsilon: float) -> Floats:
    """(N, A) the expectation of Σ_r 1/r (1 + (c + n + u) (c + ε) / (c + n + 2ε)) over relevant documents

    Given the number of judged documents above, which is hypergeometric, c and u are independent, and both
    have linear means.
    """
    of = members(hits, gain)
    groups = of.groups
    result = np.zeros(of.relevant.shape)
    for m in range(len(groups.row)):
        n, start, judged = int(groups.size[m]), int(groups.start[m]), int(of.judged[m])
        for a in np.flatnonzero(of.relevant[m]).tolist():
            R = of.relevant[m, a]
            chance = relevant_above(n, judged, n)  # (n, judged) of the judged documents above each place
            x = np.arange(judged)
            j = np.arange(n)[:, None]  # documents of the group above
            c = of.relevant_above[m, a] + x * (R - 1) / max(judged - 1, 1)
            all_judged = of.judged_above[m] + x
            u = of.negative_above[m] + (j - x) * of.negative[m] / max(n - judged, 1)
            share = (c + epsilon) / (all_judged + 2 * epsilon)
            at_place = 1 + (all_judged + u) * share
            terms = chance * at_place / (start + 1 + j)
            result[m, a] = R / n * float(np.cumsum(terms)[-1])
    return groups.by_ranking(result)


def inferred_extremes(hits: Hits, gain: Gain, epsilon: float) -> tuple[Floats, Floats]:
    """(N, A) twice: the lowest and the highest sum of `expected_inferred`

    An unjudged document of the pool may raise the score if it is above a relevant one, so sorting does not
    do. The kinds of documents are relevant, judged non-relevant, unjudged in the pool, and all others.
    """
    of = members(hits, gain)
    groups = of.groups
    low, high = np.zeros(of.relevant.shape), np.zeros(of.relevant.shape)
    for m in range(len(groups.row)):
        for a in np.flatnonzero(of.relevant[m]).tolist():
            sizes = np.array([of.relevant[m, a], of.nonrelevant[m, a], of.negative[m]]).astype(np.int64)
            others = int(groups.size[m] - sizes.sum())
            n = int(groups.size[m])
            check_states(int(groups.row[m]), sizes, others, n)
            grid = grid_of(sizes, n)
            c = (of.relevant_above[m, a] + grid[:, 0])[:, None]
            judged = (of.judged_above[m] + grid[:, 0] + grid[:, 1])[:, None]
            unjudged = (of.negative_above[m] + grid[:, 2])[:, None]
            rank = groups.start[m] + 1 + grid.sum(-1)[:, None] + np.arange(others + 1)
            added = np.zeros((len(grid), others + 1, 3))
            share = (c + epsilon) / (judged + 2 * epsilon)
            added[:, :, 0] = (1 + (judged + unjudged) * share) / rank
            _, low[m, a], high[m, a] = paths(sizes, others, n, added)
    return groups.by_ranking(low), groups.by_ranking(high)
