"""The cube test: how fast a ranking satisfies the need for information on each aspect (Luo et al. 2013)."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from rankprism._core import sums_over_aspects
from rankprism.data.hits import Bools, Floats, Hits, Longs
from rankprism.measures.bounds.completions import Completions
from rankprism.measures.bounds.coverage import precision_at_recall
from rankprism.measures.bounds.cube import cube_test, cube_test_bound, filled_at_the_end, filled_by_rank
from rankprism.measures.bounds.ranges import Pair, quotient
from rankprism.measures.compared import TREC_DD
from rankprism.measures.declare import measure
from rankprism.measures.made_of import MadeOf, of_all_aspects
from rankprism.measures.measure import Bounds
from rankprism.measures.parameter import Cutoff, OneOf, Range, Role
from rankprism.measures.parts import (
    GAINS,
    RECIPROCAL,
    Gain,
    Rel,
    aspect_weights,
    binary,
    decay,
    discounted_sum,
    expected,
    hit_discount,
    hit_gain,
    over_best,
    ratio,
    seen,
    shares,
    total,
    weighted_sum,
)
from rankprism.measures.tables import powers_of_rest

CubeForm = Annotated[
    str,
    OneOf(("paper", "trec-dd")),
    "'paper': the sum in Amigó et al. 2018; 'trec-dd': gain divided by time, as in TREC Dynamic Domain",
]
CubeAlpha = Annotated[
    float,
    Range(0, 1),
    "the share by which each document on an aspect lowers its worth (1 - γ of the cube test)",
]
CubeGain = Annotated[
    str,
    OneOf(GAINS),
    "the gain of a grade in the form of the paper: 1 for every grade from rel on, the grade itself, 2^g - 1, "
    "or (2^g - 1) / 2^gmax; the form of trec-dd always takes the grade itself",
    Role.GAIN,
]
Saturation = Annotated[
    float, Range(0, above_low=True), "the gain that satisfies an aspect, in the form of the paper"
]
Height = Annotated[
    float, Range(0, above_low=True), "the gain that satisfies an aspect, in the form of trec-dd"
]
Batch = Annotated[int, Range(1), "the number of documents that a user sees at a time, in the form of trec-dd"]


def heights(hits: Hits, alpha: float, height: float) -> Floats:
    """(N, A, H) how far each aspect is filled after each retrieved document, at most `height`

    A document of grade g adds γ^(c+1)·g, where γ = 1-α and c documents have added to the aspect before.
    """
    gamma = 1 - alpha
    added = gamma * decay(alpha)(hits.grade) * hits.grade
    return np.minimum(np.cumsum(added, axis=-1), height)


def filled(hits: Hits, alpha: float, height: float) -> Floats:
    """(N, H) the share of the whole cube that is filled after each retrieved document"""
    levels = heights(hits, alpha, height) / height
    return sums_over_aspects(levels, shares(hits))


def _rounds(documents: Floats, batch: int) -> Longs:
    return np.ceil(documents / batch).astype(np.int64)


def _cube_test(hits: Hits, alpha: float, height: float, batch: int) -> Floats:
    """(N,) gain over time at the end of the ranking"""
    gain = filled(hits, alpha, height).max(-1, initial=0.0)
    return ratio(gain, _rounds(hits.length.astype(np.float64), batch).astype(np.float64))


@measure(
    keeps="DeepTh",
    bounds=Bounds("outer", lambda c, **settings: _ct_bounds(c, **settings)),
    cite="luo2013water amigo2018axiomatic",
    compared=TREC_DD,
    made_of=lambda hits, **settings: _of_ct(hits, **settings),
)
def CT(
    hits: Hits,
    form: CubeForm = "paper",
    alpha: CubeAlpha = 0.5,
    saturation: Saturation = 1.0,
    height: Height = 5.0,
    batch: Batch = 5,
    rel: Rel = 1.0,
    gain: CubeGain = "probability",
    cutoff: Cutoff = None,
) -> Floats:
    """Cube test: gain per time, where an aspect adds no gain once it is satisfied.

    paper: CT@k = Σ_{i≤k} 1/i Σ_t w_t g(i,t) (1-α)^c(i,t) [Σ_{j<i} g(j,t) < saturation], where c(i,t)
    is the number of documents on t above i;
    trec-dd: CT@k = Σ_t w_t h_t / (height · ⌈min(k, length) / batch⌉), where each document of grade g
    raises h_t by (1-α)^(c+1) g, to at most `height`

    The two forms are different measures with the same name. Runs of TREC Dynamic Domain come in rounds of
    five documents, so the official CT after 10 rounds is CT(form='trec-dd')@50.

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 4}, "s2": {"b": 4}}}
    >>> evaluate(two, {"q": {"a": 1}}, ["CT(gain='binary')", "CT(form='trec-dd')"]).mean()
    {'run': {"CT(gain='binary')": 0.5, "CT(form='trec-dd')": 0.2}}
    """
    hits = hits.top(cutoff)
    if form == "trec-dd":
        return _cube_test(hits, alpha, height, batch)
    g = hit_gain(hits, Gain(gain, rel))
    new = g * decay(alpha)(g) * _wanted(g, saturation)
    per_aspect = discounted_sum(new, hit_discount(hits, RECIPROCAL))
    return expected(per_aspect, aspect_weights(hits, Gain(gain, rel), weighted=True))


def _wanted(g: Floats, saturation: float) -> Bools:
    """(N, A, H) whether the documents above have not yet satisfied the aspect"""
    before = np.zeros_like(g)
    np.cumsum(g[..., :-1], axis=-1, out=before[..., 1:])
    return np.asarray(before < saturation)


def _of_ct(
    hits: Hits,
    form: str,
    alpha: float,
    saturation: float,
    height: float,
    batch: int,
    rel: float,
    gain: str,
    cutoff: int | None,
) -> MadeOf:
    hits = hits.top(cutoff)
    if form == "trec-dd":
        return _of_cube(hits, alpha, height, _one_over_rounds(hits, batch))
    g = hit_gain(hits, Gain(gain, rel))
    factors = {
        "gain": g,
        "novelty": decay(alpha)(g) * _wanted(g, saturation),
        "discount": hit_discount(hits, RECIPROCAL)[:, None, :],
    }
    return of_all_aspects(factors, aspect_weights(hits, Gain(gain, rel), weighted=True))


def _of_cube(hits: Hits, alpha: float, height: float, scale: Floats) -> MadeOf:
    """What each document adds to the cube, and what that is multiplied by (N,)."""
    rise = np.diff(filled(hits, alpha, height), axis=-1, prepend=0.0)
    return MadeOf({"gain": rise, "scale": np.broadcast_to(scale[:, None], rise.shape)})


def _one_over_rounds(hits: Hits, batch: int) -> Floats:
    """(N,) 1 / the number of rounds that the ranking takes"""
    return ratio(np.ones(()), _rounds(hits.length.astype(np.float64), batch).astype(np.float64))


def _ct_bounds(
    c: Completions,
    form: str,
    alpha: float,
    saturation: float,
    height: float,
    batch: int,
    rel: float,
    gain: str,
    cutoff: int | None,
) -> Pair:
    if form == "paper":
        return cube_test(c, Gain(gain, rel), alpha, saturation, cutoff)
    low, high = filled_at_the_end(c, c.gains(Gain("linear"), cutoff), alpha, height)
    time = _rounds(c.hits.top(cutoff).length.astype(np.float64), batch).astype(np.float64)
    return ratio(low, time), ratio(high, time)


@measure(
    keeps="CloseTh Red AspRel*",
    bounds=Bounds("outer", lambda c, **settings: _nct_bounds(c, **settings)),
    cite="luo2013water yang2016trec",
    compared=TREC_DD,
    made_of=lambda hits, alpha, height, batch, cutoff: _of_cube(
        top := hits.top(cutoff),
        alpha,
        height,
        ratio(_one_over_rounds(top, batch), _most(hits, alpha, height, batch, cutoff)),
    ),
)
def nCT(
    hits: Hits, alpha: CubeAlpha = 0.5, height: Height = 5.0, batch: Batch = 5, cutoff: Cutoff = None
) -> Floats:
    """Normalised cube test: the CT of TREC Dynamic Domain divided by its upper bound.

    nCT@k = CT(form='trec-dd')@k / bound,  bound = Σ_t w_t min(height, Σ_{n≥0} (1-α)^n g*(n,t)) / (height ·
    ⌈k / batch⌉), where g*(·,t) are the k + 1 highest grades on t

    The bound is that of the official program. It takes one document more than k, and discounts each document
    by one step less than CT does.

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"s1": {"a": 4}}}, {"q": {"a": 1}}, ["nCT@5"]).mean()
    {'run': {'nCT@5': 0.5}}
    """
    best = _most(hits, alpha, height, batch, cutoff)
    return over_best(_cube_test(hits.top(cutoff), alpha, height, batch), best)


def _most(hits: Hits, alpha: float, height: float, batch: int, cutoff: int | None) -> Floats:
    """(N,) the bound that CT is divided by"""
    depth = hits.depth(cutoff)
    best = -np.sort(-hits.pool.grade, axis=-1)
    counted = np.arange(best.shape[-1]) <= depth[:, None]
    powers = powers_of_rest(best.shape[-1], alpha)
    sums = discounted_sum(best[hits.topic], counted * powers)
    bound = weighted_sum(np.minimum(sums, height) / height, shares(hits))
    rounds = _rounds(depth, batch).astype(np.float64)
    return ratio(bound, rounds)


def _nct_bounds(c: Completions, alpha: float, height: float, batch: int, cutoff: int | None) -> Pair:
    """CT never fills more of an aspect than its bound, so nCT is at most the ratio of their times."""
    depth = c.hits.depth(cutoff)
    g = c.gains(Gain("linear"), cutoff)
    filled = filled_at_the_end(c, g, alpha, height)
    best = cube_test_bound(c, g, alpha, height, depth)
    time, limit = (
        _rounds(x, batch).astype(np.float64) for x in (c.hits.top(cutoff).length.astype(np.float64), depth)
    )
    low, high = quotient(*filled, *best)
    return low * ratio(limit, time), high * ratio(limit, time)


@measure(
    keeps="Deep DeepTh Red AspRel*",
    bounds=Bounds("outer", lambda c, **settings: _act_bounds(c, **settings)),
    cite="luo2013water yang2016trec",
    compared=TREC_DD,
    made_of=lambda hits, alpha, height, batch, cutoff: _of_act(hits.top(cutoff), alpha, height, batch),
)
def ACT(
    hits: Hits, alpha: CubeAlpha = 0.5, height: Height = 5.0, batch: Batch = 5, cutoff: Cutoff = None
) -> Floats:
    """Average cube test: the mean of the CT of TREC Dynamic Domain over all ranks.

    ACT@k = 1/n Σ_{i≤n} CT(form='trec-dd')@i, where n = min(k, length)

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"s1": {"a": 4}}}, {"q": {"x": 2, "a": 1}}, ["ACT@10"]).mean()
    {'run': {'ACT@10': 0.2}}
    """
    steps, left = _steps(hits.top(cutoff), alpha, height, batch)
    return ratio(weighted_sum(steps, left), hits.top(cutoff).length.astype(np.float64))


def _steps(hits: Hits, alpha: float, height: float, batch: int) -> tuple[Floats, Floats]:
    """(N, H) twice: what each document adds to the cube, and how much that counts over all ranks"""
    gain = filled(hits, alpha, height)
    steps = np.diff(gain, axis=-1, prepend=0.0)
    # The gain of a document, divided by time, counts at every rank from its own to the end.
    i = np.arange(1, int(hits.length.max(initial=0)) + 1)
    time = np.concatenate(([0.0], np.cumsum(1.0 / _rounds(i.astype(np.float64), batch))))
    found = steps > 0
    start = np.where(found, hits.rank - 1, 0)
    left = np.where(found, time[hits.length][:, None] - time[start], 0.0)
    return steps, left


def _of_act(hits: Hits, alpha: float, height: float, batch: int) -> MadeOf:
    steps, left = _steps(hits, alpha, height, batch)
    scale = ratio(np.ones(()), hits.length.astype(np.float64))[:, None]
    return MadeOf({"gain": steps, "discount": left, "scale": np.broadcast_to(scale, steps.shape)})


def _act_bounds(c: Completions, alpha: float, height: float, batch: int, cutoff: int | None) -> Pair:
    """Each rank has its own bounds, and the mean over ranks is bounded by the means of these."""
    length = c.hits.top(cutoff).length
    g = c.gains(Gain("linear"), cutoff)
    i = np.arange(1, g.least.shape[-1] + 1)
    inside = i <= length[:, None]
    low, high = (
        ratio((x * inside / _rounds(i.astype(np.float64), batch)).sum(-1), length.astype(np.float64))
        for x in filled_by_rank(c, g, alpha, height)
    )
    return low, high


Modified = Annotated[bool, "count the share of a document's aspects that are new, instead of 1 if any is new"]


@measure(
    keeps="DeepTh Sat",
    bounds=Bounds("outer", lambda c, rel, modified: precision_at_recall(c, rel)),
    cite="yang2015overview",
    compared=TREC_DD,
    sums=False,
)
def P_at_recall(hits: Hits, rel: Rel = 1.0, modified: Modified = False) -> Floats:
    """Precision at full recall: the share of documents that reach a new aspect, until all are reached.

    P@recall = 1/n Σ_{i≤n} [document i reaches an aspect that no document above reaches], where n is the rank
    at which all aspects are reached, or else the length of the ranking; modified: the sum is of the share of
    the document's aspects that are new

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 1, "b": 1}, "s2": {"c": 1}}}
    >>> evaluate(two, {"q": {"a": 3, "b": 2, "c": 1}}, ["P_at_recall"]).mean()
    {'run': {'P_at_recall': 0.6666666666666666}}
    """
    relevant = hit_gain(hits, binary(rel))
    new = relevant * (seen(relevant) == 0)
    counted = ratio(new.sum(1), relevant.sum(1)) if modified else (new.sum(1) > 0).astype(np.float64)
    aspects = aspect_weights(hits, binary(rel), weighted=False) > 0
    reached = np.where(new > 0, hits.rank[:, None, :], 0).max(-1, initial=0)  # where each aspect is reached
    complete = ((reached > 0) | ~aspects).all(-1) & aspects.any(-1)
    n = np.where(complete, reached.max(-1, initial=0), hits.length)
    return ratio(total(counted), n.astype(np.float64))
