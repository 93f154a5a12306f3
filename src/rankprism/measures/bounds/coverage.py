"""Bounds of measures that ask how many aspects a ranking reaches, and how soon, (N,)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from rankprism._core import minimal_cover
from rankprism.data import Bools, Floats, Longs
from rankprism.measures.bounds.completions import Completions
from rankprism.measures.bounds.ranges import Pair
from rankprism.measures.parts import binary, ratio


def needed(m: Longs, level: float) -> Longs:
    """⌈level · m⌉; at least 1 if there is any aspect"""
    return np.asarray(np.maximum(np.ceil(level * m - 1e-9), np.minimum(m, 1)), dtype=np.int64)


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
        need = needed(live + n, level)
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
    need = needed(hits.pool.counting(judged.any(-1)).sum(-1), level)
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


def precision_at_recall(c: Completions, rel: float, form: str) -> Pair:
    """Bounds of the share of documents that count, down to where all aspects are reached.

    If relevant documents count, they are counted for each rank at which all aspects may be reached. If new
    aspects count and the list has a relevant document, the first one counts fully. It is divided by the
    length of the list, or by the number of documents needed if all aspects are certain to be reached. The
    number of documents that add a new aspect is at most the number of aspects, and all documents are needed
    down to the first rank at which all aspects can be reached.
    """
    g = c.gains(binary(rel), None)
    length = c.hits.length.astype(np.float64)
    low, high = np.full(len(length), np.inf), np.zeros(len(length))
    something = (g.least > 0).any((-1, -2))
    ranks = np.arange(1, g.least.shape[-1] + 1)
    least, most = (np.cumsum((x > 0).any(1), axis=-1) / ranks for x in (g.least, g.most))
    for n, possible, _, soon, late in reached(c, rel, 1.0):
        first, last = (np.minimum(rank, length) for rank in (soon, late))
        if form == "trec-dd-2016":
            first = last = length
        if form.startswith("trec-dd"):
            inside = (ranks >= first[:, None]) & (ranks <= last[:, None])
            at_least = np.where(inside, least, np.inf).min(-1, initial=np.inf)
            at_least = np.where(length > 0, at_least, 0.0)
            at_most = np.where(inside, most, 0.0).max(-1, initial=0.0)
        else:
            at_least = ratio(np.where(something, 1.0, 0.0), last)
            at_most = np.minimum(1.0, ratio(g.live.sum(-1) + float(n), first))
        low = np.where(possible, np.minimum(low, at_least), low)
        high = np.where(possible, np.maximum(high, at_most), high)
    return low, high


def rank_at_recall(c: Completions, rel: float) -> Pair:
    """Bounds of 1 / the rank of `reached` if that is within the ranking, and otherwise of 1 / its length."""
    length = c.hits.length.astype(np.float64)
    low, high = np.full(len(length), np.inf), np.zeros(len(length))
    for _, possible, _, soon, late in reached(c, rel, 1.0):
        at_least, at_most = (ratio(np.ones(()), np.minimum(rank, length)) for rank in (late, soon))
        low = np.where(possible, np.minimum(low, at_least), low)
        high = np.where(possible, np.maximum(high, at_most), high)
    return low, high
