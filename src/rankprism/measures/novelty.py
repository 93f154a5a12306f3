"""Measures that look at all aspects at once and pay less for what has been seen.

All have one shape: Σ_i D(i) Σ_t w_t g(i,t) N(i,t), with D a discount, g a gain and N the novelty that
an aspect still has at rank i. The sums can be swapped, so each aspect is added up on its own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from rankprism.data.hits import Floats, Hits, Ints
from rankprism.errors import MeasureError
from rankprism.measures.ideal import greedy_ideal
from rankprism.measures.measure import Parameter, measure
from rankprism.measures.parts import (
    ALPHA,
    CUTOFF,
    GAIN,
    JUDGED_ONLY,
    REL,
    WEIGHTED,
    aspect_weights,
    cascade,
    decay,
    discounted_sum,
    expected,
    geometric,
    hit_gain,
    logarithmic,
    ratio,
    reciprocal,
)

Discount = Callable[[Ints], Floats]


def novel_gain(hits: Hits, gain: str, rel: float, alpha: float | None) -> Floats:
    """(N, A, H) g·N: the gain of each document times its novelty, (1-α)^seen or Π(1-g) for None."""

    def gains() -> Floats:
        g = hit_gain(hits, gain, rel)
        return g * (cascade(g) if alpha is None else decay(g, alpha))

    return hits.once(("novel", gain, rel, alpha), gains)


def discounted(
    hits: Hits, D: Discount, gain: str, rel: float, alpha: float | None, weighted: bool, cutoff: int | None
) -> Floats:
    """(N,) Σ_{i≤k} D(i) Σ_t w_t g(i,t) N(i,t)"""
    hits = hits.top(cutoff)
    per_aspect = discounted_sum(novel_gain(hits, gain, rel, alpha), D(hits.rank))
    return expected(per_aspect, aspect_weights(hits, gain, rel, weighted))


def over_ideal(
    hits: Hits, D: Discount, gain: str, rel: float, alpha: float | None, weighted: bool, cutoff: int | None
) -> Floats:
    """(N,) `discounted`, over what it is for the greedy ideal ranking."""
    ideal = greedy_ideal(hits.pool, gain, rel, alpha, weighted)
    best = discounted(ideal, D, gain, rel, alpha, weighted, cutoff)
    return ratio(discounted(hits, D, gain, rel, alpha, weighted, cutoff), best[hits.topic])


def over_everything(score: Floats, hits: Hits, D: Discount, alpha: float, cutoff: int | None) -> Floats:
    """(N,) `score`, over what a ranking gets whose every document serves every aspect."""
    longest = cutoff or int(hits.length.max(initial=0))
    i = np.arange(1, longest + 1, dtype=np.int32)
    sums = np.concatenate(([0.0], np.cumsum(geometric(i, 1 - alpha) * D(i))))
    return ratio(score, sums[hits.depth(cutoff).astype(np.int64)])


@measure(ALPHA, REL, GAIN, WEIGHTED, JUDGED_ONLY, CUTOFF, cite=("clarke2008novelty",), aliases=("α_DCG",))
def alpha_DCG(hits: Hits, alpha: float, rel: float, gain: str, weighted: bool, cutoff: int | None) -> Floats:
    """α-DCG: discounted gain, where an aspect's worth falls by the share α with each document on it.

    α-DCG@k = Σ_{i≤k} G_i / log2(i + 1)  ÷  Σ_{i≤k} (1-α)^(i-1) / log2(i + 1),
    G_i = Σ_t w_t g(i,t) (1-α)^(documents on t above i)

    The divisor is the score of a ranking whose every document serves every aspect, as ndeval has it.

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 1}, "s2": {"b": 1}}}
    >>> evaluate(two, {"q": {"a": 2, "b": 1}}, ["alpha_DCG@1"]).mean()
    {'run': {'alpha_DCG@1': 0.5}}
    """
    score = discounted(hits, logarithmic, gain, rel, alpha, weighted, cutoff)
    return over_everything(score, hits, logarithmic, alpha, cutoff)


@measure(ALPHA, REL, GAIN, WEIGHTED, JUDGED_ONLY, CUTOFF, cite=("clarke2008novelty",), aliases=("α_nDCG",))
def alpha_nDCG(hits: Hits, alpha: float, rel: float, gain: str, weighted: bool, cutoff: int | None) -> Floats:
    """α-nDCG: α-DCG over that of the greedy ideal ranking.

    α-nDCG@k = Σ_{i≤k} G_i / log2(i + 1)  ÷  the same sum for the greedy ideal ranking,
    G_i = Σ_t w_t g(i,t) (1-α)^(documents on t above i)

    The greedy ideal is not always the best ranking, so a score can exceed 1.

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 1, "c": 1}, "s2": {"b": 1}}}
    >>> evaluate(two, {"q": {"a": 3, "c": 2, "b": 1}}, ["alpha_nDCG@3"]).mean()
    {'run': {'alpha_nDCG@3': 0.9651954696014428}}
    """
    return over_ideal(hits, logarithmic, gain, rel, alpha, weighted, cutoff)


ERR_GAIN = Parameter(
    "gain",
    "binary",
    "how likely a document satisfies: ndeval's α from rel on; the grade itself; or (2^g - 1) / 2^gmax, "
    "gmax the topic's highest grade on the aspect",
    str,
    choices=("binary", "linear", "probability"),
)


def _satisfaction(hits: Hits, gain: str, alpha: float) -> float | None:
    """ndeval's α for binary gains, None (the gain itself) for graded ones."""
    if gain == "binary":
        return alpha
    if gain == "linear" and hits.pool.grade.max(initial=0.0) > 1:
        highest = hits.pool.grade.max()
        raise MeasureError(
            f"ERR_IA: grade {highest:g} is no probability; use gain='probability' for grades above 1"
        )
    return None


@measure(ALPHA, REL, ERR_GAIN, JUDGED_ONLY, CUTOFF, cite=("chapelle2009expected", "agrawal2009diversifying"))
def ERR_IA(hits: Hits, alpha: float, rel: float, gain: str, cutoff: int | None) -> Floats:
    """Intent-aware expected reciprocal rank.

    binary: ERR-IA@k = Σ_{i≤k} G_i / i  ÷  Σ_{i≤k} (1-α)^(i-1) / i,
    G_i = Σ_t w_t [g(i,t) ≥ rel] (1-α)^(documents on t above i), as ndeval has it;
    graded: ERR-IA@k = Σ_t w_t Σ_{i≤k} 1/i · r(i,t) Π_{j<i} (1 - r(j,t)), as the papers have it

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 1}, "s2": {"b": 1}}}
    >>> evaluate(two, {"q": {"a": 2, "b": 1}}, ["ERR_IA@1", "ERR_IA(gain='probability')@1"]).mean()
    {'run': {'ERR_IA@1': 0.5, "ERR_IA(gain='probability')@1": 0.25}}
    """
    stop = _satisfaction(hits, gain, alpha)
    score = discounted(hits, reciprocal, gain, rel, stop, True, cutoff)
    return score if stop is None else over_everything(score, hits, reciprocal, alpha, cutoff)


@measure(ALPHA, REL, ERR_GAIN, JUDGED_ONLY, CUTOFF, cite=("chapelle2009expected", "agrawal2009diversifying"))
def nERR_IA(hits: Hits, alpha: float, rel: float, gain: str, cutoff: int | None) -> Floats:
    """Normalised intent-aware expected reciprocal rank: ERR-IA over that of the greedy ideal ranking.

    nERR-IA@k = Σ_{i≤k} G_i / i  ÷  the same sum for the greedy ideal ranking, G_i as in ERR_IA

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 1, "c": 1}, "s2": {"b": 1}}}
    >>> evaluate(two, {"q": {"a": 3, "c": 2, "b": 1}}, ["nERR_IA@3"]).mean()
    {'run': {'nERR_IA@3': 0.95}}
    """
    return over_ideal(hits, reciprocal, gain, rel, _satisfaction(hits, gain, alpha), True, cutoff)


BETA = Parameter(
    "beta",
    0.5,
    "the chance to go on from one document to the next",
    low=0,
    high=1,
    above_low=True,
    below_high=True,
)


@measure(ALPHA, BETA, REL, GAIN, WEIGHTED, CUTOFF, cite=("clarke2009effectiveness",))
def NRBP(
    hits: Hits, alpha: float, beta: float, rel: float, gain: str, weighted: bool, cutoff: int | None
) -> Floats:
    """Novelty- and rank-biased precision: RBP over aspects whose worth falls with each document.

    NRBP = (1 - (1-α)β) Σ_i β^(i-1) G_i,  G_i = Σ_t w_t g(i,t) (1-α)^(documents on t above i)

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"s1": {"a": 1}, "s2": {"b": 1}}}, {"q": {"a": 2, "b": 1}}, ["NRBP"]).mean()
    {'run': {'NRBP': 0.5625}}
    """
    D = partial(geometric, p=beta)
    return (1 - (1 - alpha) * beta) * discounted(hits, D, gain, rel, alpha, weighted, cutoff)


@measure(ALPHA, BETA, REL, GAIN, WEIGHTED, CUTOFF, cite=("clarke2009effectiveness",))
def nNRBP(
    hits: Hits, alpha: float, beta: float, rel: float, gain: str, weighted: bool, cutoff: int | None
) -> Floats:
    """Normalised NRBP: NRBP over that of the greedy ideal ranking.

    nNRBP = Σ_i β^(i-1) G_i  ÷  the same sum for the greedy ideal ranking, G_i as in NRBP

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"s1": {"a": 1}, "s2": {"b": 1}}}, {"q": {"a": 1}}, ["nNRBP"]).mean()
    {'run': {'nNRBP': 0.6666666666666666}}
    """
    return over_ideal(hits, partial(geometric, p=beta), gain, rel, alpha, weighted, cutoff)
