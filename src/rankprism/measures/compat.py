"""Compatibility: how close a ranking is to an ideal one."""

from __future__ import annotations

import numpy as np

from rankprism.data.hits import NOWHERE, Floats, Hits
from rankprism.measures.measure import Parameter, measure
from rankprism.measures.parts import ratio


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
    place = np.zeros(grade.shape, dtype=np.int64)
    for n, t in enumerate(hits.topic):
        for a in range(grade.shape[1]):
            place[n, a] = _ideal_place(grade[n, a], pool[t, a])
    relevant = (pool > 0).sum(-1)[hits.topic]  # (N, A) the length of the ideal ranking
    end = np.maximum(hits.length[:, None], relevant) if depth is None else np.full(relevant.shape, depth)
    # A document is common to both from rank max(r, s) on: it adds p^(d-1)/d for every d from there to n.
    first = np.maximum(place, np.where(found, hits.rank[:, None, :], 1))
    d = np.arange(1, int(end.max(initial=1)) + 1, dtype=np.float64)
    overlap = np.concatenate(([0.0], np.cumsum(p ** (d - 1) / d)))
    weight = np.concatenate(([0.0], np.cumsum(p ** (d - 1))))
    until = overlap[end]
    inside = found & (first <= end[:, :, None])
    gained = np.where(inside, until[:, :, None] - overlap[np.minimum(first, len(d)) - 1], 0.0).sum(-1)
    if not normalize:
        return ratio(gained, weight[end])
    # Σ_{j≤min(R,n)} (overlap(n) - overlap(j-1))
    sums = np.concatenate(([0.0], np.cumsum(overlap[:-1])))
    length = np.minimum(relevant, end)
    return ratio(gained, length * until - sums[length])


def _ideal_place(found: Floats, judged: Floats) -> Floats:
    """The rank of each document found in the ideal ranking, from 1."""
    order = np.sort(judged)
    better = len(order) - np.searchsorted(order, found, side="right")
    by_grade = np.argsort(-found, kind="stable")
    place = np.empty(len(found), dtype=np.int64)
    start = np.searchsorted(-found[by_grade], -found[by_grade], side="left")
    place[by_grade] = np.arange(len(found)) - start
    return np.asarray(place + better + 1)
