"""Measures that ask how many aspects a ranking reaches and how soon, and how many documents are judged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import numpy as np
import numpy.typing as npt

from rankprism._core import minimal_cover
from rankprism.data import NOWHERE, Bools, Floats, Hits, Longs, Pool
from rankprism.measures.bounds.completions import Completions
from rankprism.measures.compared import NDEVAL, NTCIREVAL
from rankprism.measures.declare import measure
from rankprism.measures.family import NoveltySum
from rankprism.measures.form import Pair, Plain
from rankprism.measures.parameter import MOST_NODES, Cutoff, Range
from rankprism.measures.parts import (
    FIRST,
    UNIFORM,
    Parts,
    Rel,
    Weighted,
    binary,
    hit_gain,
    over_best,
    pool_gain,
    ratio,
)


@measure(
    cite="zhai2003beyond",
    compared=f"{NDEVAL}; I-rec of {NTCIREVAL}",
    aliases="S_Recall I_rec",
)
def StRecall(rel: Rel = 1.0, weighted: Weighted = False, cutoff: Cutoff = None) -> NoveltySum:
    """Subtopic recall: the share of the topic's aspects that the first k documents serve.

    StRecall@k = Σ_t w_t [some i ≤ k has g(i,t) ≥ rel], over the aspects with a relevant document

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"s1": {"a": 1}, "s2": {"b": 1}}}, {"q": {"a": 2, "b": 1}}, ["StRecall@1"]).mean()
    {'run': {'StRecall@1': 0.5}}
    """
    return NoveltySum(Parts(UNIFORM, binary(rel), FIRST, weighted), cutoff)


Level = Annotated[float, Range(0, 1, above_low=True), "the share of the aspects that must be reached"]


def aspects_needed(hits: Hits, rel: float, level: float) -> Longs:
    """(N,) ⌈level · m⌉, where m is the number of the topic's aspects that count"""
    return needed(hits.pool, rel, level)[hits.topic]


def needed(pool: Pool, rel: float, level: float) -> Longs:
    """(T,) ⌈level · m⌉; at least 1 if there is an aspect that counts"""
    return of_level(pool.counting(pool_gain(pool, binary(rel)).any(-1)).sum(-1), level)


def of_level(m: Longs, level: float) -> Longs:
    """⌈level · m⌉; at least 1 if there is any aspect"""
    return np.asarray(np.maximum(np.ceil(level * m - 1e-9), np.minimum(m, 1)), dtype=np.int64)


def rank_of_level(hits: Hits, rel: float, level: float) -> Floats:
    """(N,) the first rank at which the needed aspects are reached; inf if they never are"""
    relevant = hit_gain(hits, binary(rel)) > 0
    first = np.where(relevant, hits.rank[:, None, :], NOWHERE).min(-1, initial=NOWHERE)
    in_order = np.sort(first, axis=-1)
    need = aspects_needed(hits, rel, level)
    if not in_order.shape[-1]:
        return np.full(len(need), np.inf)
    rank = np.take_along_axis(in_order, np.maximum(need - 1, 0)[:, None], axis=-1)[:, 0]
    return np.where((rank == NOWHERE) | (need == 0), np.inf, rank)


@measure(cite="zhai2003beyond")
def S_RR(level: Level = 1.0, rel: Rel = 1.0) -> Plain:
    """Subtopic reciprocal rank: 1 divided by the rank at which a given share of the aspects is reached.

    S-RR = 1 / min{i : the first i documents reach ⌈level · m⌉ of the m aspects}, or 0 if there is no such i

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 1}, "s2": {"b": 1}}}
    >>> evaluate(two, {"q": {"a": 2, "b": 1}}, ["S_RR", "S_RR(level=0.5)"]).mean()
    {'run': {'S_RR': 0.5, 'S_RR(level=0.5)': 1.0}}
    """
    return Plain(
        score=lambda hits: 1 / rank_of_level(hits, rel, level),
        bounds=lambda c: subtopic_reciprocal_rank(c, level, rel),
        is_exact=True,
        has_steps=True,
        is_deep=False,
        range=(0.0, 1.0),
    )


CoverNodes = Annotated[
    int,
    Range(1, MOST_NODES),
    "how many nodes the search for the cheapest documents may visit, for a topic with more than 16 aspects",
]


def cheapest_cover(
    hits: Hits, rel: float, level: float, a: float, b: float, nodes: int
) -> tuple[Floats, Floats]:
    """(N,) twice: bounds of the lowest cost of documents that reach the needed aspects

    A document of m aspects costs a·m + b. The two bounds are equal if the search was completed. If more
    aspects are needed than the judged documents have, the cost is that of reaching the aspects that they do
    have. Then no ranking reaches the others, and its score is 0.
    """

    def costs() -> tuple[Floats, Floats]:
        relevant = np.ascontiguousarray(pool_gain(hits.pool, binary(rel)))
        need = np.minimum(needed(hits.pool, rel, level), relevant.any(-1).sum(-1))
        return minimal_cover(relevant, need.astype(np.int32), a, b, nodes)

    low, high = hits.pool.once(("cover", rel, level, a, b, nodes), costs)
    return low[hits.topic], high[hits.topic]


@measure(cite="zhai2003beyond")
def S_precision(level: Level = 1.0, rel: Rel = 1.0, nodes: CoverNodes = 20_000) -> Plain:
    """S-precision: the fewest documents that reach a share of the aspects, over the number the ranking needs.

    S-precision = minrank(best) / minrank(ranking), where minrank is the rank at which ⌈level · m⌉ of the m
    aspects are reached; 0 if they are never reached

    The best ranking is exact: it is a minimal cover, not a greedy one. Finding it is NP-hard. If the search
    on a topic needs more than `nodes` steps, the score uses the smallest cover found, and Scores.low and
    Scores.high are the bounds that were proved.

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 1, "c": 1}, "s2": {"b": 1, "c": 1}}}
    >>> evaluate(two, {"q": {"a": 2, "b": 1}}, ["S_precision", "S_precision(level=0.5)"]).mean()
    {'run': {'S_precision': 0.5, 'S_precision(level=0.5)': 1.0}}
    """

    def interval(hits: Hits) -> Pair:
        rank = rank_of_level(hits, rel, level)
        low, high = cheapest_cover(hits, rel, level, 0.0, 1.0, nodes)
        return low / rank, high / rank

    return Plain(
        score=lambda hits: interval(hits)[1],
        interval=interval,
        bounds=lambda c: subtopic_precision(c, level, rel, 0.0, 1.0, nodes),
        has_steps=True,
        is_deep=False,
        range=(0.0, 1.0),
    )


AspectCost = Annotated[float, Range(0), "the cost of each aspect of a document"]
DocumentCost = Annotated[float, Range(0, above_low=True), "the cost of each document"]


@measure(cite="zhai2003beyond")
def WS_precision(
    level: Level = 1.0,
    a: AspectCost = 1.0,
    b: DocumentCost = 1.0,
    rel: Rel = 1.0,
    nodes: CoverNodes = 20_000,
) -> Plain:
    """Weighted S-precision: S-precision with costs, so that reaching an aspect twice costs more.

    WS-precision = mincost(best) / mincost(ranking), where mincost = Σ_i (a · |aspects of d_i| + b) over the
    documents down to the rank at which ⌈level · m⌉ of the m aspects are reached; 0 if they are never reached

    The best ranking is found as for S_precision.

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 1, "c": 1}, "s2": {"b": 1, "c": 1}}}
    >>> evaluate(two, {"q": {"a": 2, "b": 1}}, ["WS_precision"]).mean()
    {'run': {'WS_precision': 0.75}}
    """

    def interval(hits: Hits) -> Pair:
        rank = rank_of_level(hits, rel, level)
        reached = hit_gain(hits, binary(rel)).sum(1) * (hits.rank <= rank[:, None])
        cost: Floats = a * reached.sum(-1) + b * rank
        low, high = cheapest_cover(hits, rel, level, a, b, nodes)
        return over_best(low, cost), over_best(high, cost)

    return Plain(
        score=lambda hits: interval(hits)[1],
        interval=interval,
        bounds=lambda c: subtopic_precision(c, level, rel, a, b, nodes),
        has_steps=True,
        is_deep=False,
        range=(0.0, 1.0),
    )


@measure(cite="macavaney2022streamlining")
def Judged(cutoff: Cutoff = None) -> Plain:
    """Judged: the share of the first k documents that are judged.

    Judged@k = 1/min(k, length) Σ_{i≤k} [document i is judged]

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 0, "b": 1}}, {"q": {"a": 2, "x": 1}}, ["Judged@1", "Judged"]).mean()
    {'run': {'Judged@1': 1.0, 'Judged': 0.5}}
    """
    last = NOWHERE - 1 if cutoff is None else cutoff

    def share(hits: Hits) -> Floats:
        judged = (hits.judged <= last).sum(-1).astype(np.float64)
        return ratio(judged, np.minimum(hits.length, last).astype(np.float64))

    return Plain(
        score=share,
        over_orders=lambda hits: _judged(hits, cutoff, "expected"),
        extremes=lambda hits: (_judged(hits, cutoff, "lowest"), _judged(hits, cutoff, "highest")),
        why_unbounded="it counts judged documents and does not look at their grades",
        is_deep=False,
        range=(0.0, 1.0),
    )


def _judged(hits: Hits, cutoff: int | None, which: str) -> Floats:
    """(N,) the share over all orders of tied documents

    Of a group that the cutoff divides, k - o documents count. They are any of them, the unjudged ones first,
    or the judged ones first.
    """
    assert hits.tied is not None
    last = NOWHERE - 1 if cutoff is None else cutoff
    start, size = hits.tied.start, hits.tied.size
    there = hits.judged != NOWHERE
    whole = there & (start + size <= last)
    cut = there & (start < last) & ~whole
    judged, n = cut.sum(-1), np.where(cut, size, 0).max(-1, initial=0)
    places = np.where(n > 0, last - np.where(cut, start, 0).max(-1, initial=0), 0)
    if which == "expected":
        some = ratio(judged * places.astype(np.float64), n.astype(np.float64))
    else:
        some = np.minimum(judged, places) if which == "highest" else np.maximum(places - (n - judged), 0)
    return ratio(whole.sum(-1) + some.astype(np.float64), np.minimum(hits.length, last).astype(np.float64))


# ── bounds if judgments are missing ──────────────────────────────────────────────────────────────


def reached(c: Completions, rel: float, level: float) -> Iterator[tuple[int, Bools, Longs, Floats, Floats]]:
    """For each number of aspects that may come alive: whether that many can, how many aspects are then
    needed, and bounds of the rank at which they are reached; inf if they never are.

    At best, every aspect is reached at the first unjudged rank. At worst, the aspects that come alive are
    reached at the last one.
    """
    g = c.gains(binary(rel), None)
    ranks = np.arange(1, g.least.shape[-1] + 1)
    first = np.where(g.least > 0, ranks, np.inf).min(-1, initial=np.inf)
    first = np.where(g.live, first, np.inf)
    soonest = np.where(g.live & (g.top > 0), np.minimum(first, c.first[:, None]), first)
    live, maybe = g.live.sum(-1), g.maybe.sum(-1)
    for n in range(int(maybe.max(initial=0)) + 1):
        need = of_level(live + n, level)
        ends = []
        for of_live, of_new in ((soonest, c.first), (first, c.last)):
            new = np.broadcast_to(of_new[:, None], (len(of_new), n))
            in_order = np.sort(np.concatenate([of_live, new], axis=-1), axis=-1)
            if not in_order.shape[-1]:
                ends.append(np.full(len(need), np.inf))
                continue
            rank = np.take_along_axis(in_order, np.maximum(need - 1, 0)[:, None], -1)[:, 0]
            ends.append(np.where(need == 0, np.inf, rank))
        yield n, n <= maybe, need, ends[0], ends[1]


def subtopic_reciprocal_rank(c: Completions, level: float, rel: float) -> Pair:
    """Bounds of 1 / the rank of `reached`, over the number of aspects that come alive; exact."""
    low, high = np.full(len(c.count), np.inf), np.zeros(len(c.count))
    for _, possible, _, soon, late in reached(c, rel, level):
        low = np.where(possible, np.minimum(low, 1 / late), low)
        high = np.where(possible, np.maximum(high, 1 / soon), high)
    return low, high


def subtopic_precision(c: Completions, level: float, rel: float, a: float, b: float, nodes: int) -> Pair:
    """Bounds of the cost of the cheapest cover, divided by the cost of the ranking down to the rank at which
    the aspects are reached.

    The ranking's documents down to that rank are a cover, so 1 is a bound. A cover of n aspects costs at
    least a·n + b, the cost of a single document. As long as no aspect comes alive, new documents can only
    make the cheapest cover cheaper. The ranking costs b for each document, a for each of their judged
    aspects, and at most a for every aspect of every unjudged document.
    """
    hits = c.hits
    g = c.gains(binary(rel), None)
    judged = np.ascontiguousarray((hits.pool.grade >= rel).astype(np.float64))
    m = judged.any(-1).sum(-1)
    need = of_level(hits.pool.counting(judged.any(-1)).sum(-1), level)
    # If the search gave up, the cost of the cheapest cover that it found is an upper bound.
    cheapest = minimal_cover(judged, np.minimum(need, m).astype(np.int32), a, b, nodes)[1]
    # Where the judged documents do not have the aspects that are needed, only new ones can complete a cover.
    of_new = b * need if a == 0 else np.inf
    cover = np.where(need > m, of_new, np.where(m > 0, cheapest, 0.0))[hits.topic]
    zero = np.zeros((len(hits.length), 1))
    of_judged = np.concatenate([zero, np.cumsum(g.least.sum(1), axis=-1)], axis=-1)
    of_free = np.concatenate([zero, np.cumsum(g.free, axis=-1)], axis=-1) * (g.top > 0).sum(-1)[:, None]

    def share(cover: npt.ArrayLike, rank: Floats, open_too: bool) -> Floats:
        """cover / cost, 0 if the aspects are never reached"""
        place = np.where(np.isinf(rank), 0, rank).astype(np.int64)
        aspects = np.take_along_axis(of_judged + of_free * open_too, place[:, None], -1)[:, 0]
        return ratio(np.where(np.isinf(rank), 0.0, cover), a * aspects + b * place)

    low, high = np.full(len(c.count), np.inf), np.zeros(len(c.count))
    for n, possible, need, soon, late in reached(c, rel, level):
        at_least = share(a * need + b, late, open_too=True)
        # If aspects cost nothing, a cover of n documents for n aspects is known.
        best = cover if n == 0 else b * need if a == 0 else np.inf
        at_most = np.minimum(share(best, soon, open_too=False), 1.0)
        low = np.where(possible, np.minimum(low, at_least), low)
        high = np.where(possible, np.maximum(high, at_most), high)
    return low, high
