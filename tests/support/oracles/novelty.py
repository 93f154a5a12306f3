"""Measures that look at all aspects at once and pay less for what has been seen."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from tests.support.oracles import (
    Discount,
    Judged,
    Ranking,
    Weights,
    divided,
    logarithmic,
    reciprocal,
    shares,
)
from tests.support.oracles.grades import best_first, gains_in
from tests.support.oracles.single import _err


def slow(base: float) -> Discount:
    return lambda i: 1 / (1 + math.log(i) / math.log(base))


def aspect_gains(
    judged: Judged, gain: str, rel: float = 1, max_rel: float | None = None
) -> dict[str, dict[str, float]]:
    """``{aspect: {doc: gain}}``, only for aspects with a relevant document."""
    gains = {a: gains_in(grades, gain, rel, max_rel) for a, grades in judged.items()}
    return {a: worths for a, worths in gains.items() if any(worths.values())}


def count_above(gains: Mapping[str, float], ranking: Ranking, i: int) -> int:
    """How many of the documents above rank i are relevant."""
    return sum(gains.get(doc, 0.0) > 0 for doc in ranking[: i - 1])


def EU(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    alpha: float = 0.5,
    e: float = 0.05,
    base: float = math.e,
    rel: float = 1,
    gain: str = "probability",
    cutoff: int | None = None,
) -> float:
    gains = aspect_gains(judged, gain, rel)
    share = shares(list(gains), weights)
    score = 0.0
    for i, doc in enumerate(ranking[:cutoff], 1):
        new = sum(
            share[a] * gains[a].get(doc, 0.0) * (1 - alpha) ** count_above(gains[a], ranking, i)
            for a in gains
        )
        score += (new - e) * slow(base)(i)
    return score


def RBU(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    p: float = 0.8,
    e: float = 0.03,
    form: str = "reference",
    rel: float = 1,
    gain: str = "probability",
    cutoff: int | None = None,
) -> float:
    gains = aspect_gains(judged, gain, rel)
    as_given = weights is not None and form == "reference"
    weight = weights if weights is not None and as_given else shares(list(gains), weights)
    score = 0.0
    for i, doc in enumerate(ranking[:cutoff], 1):
        new = sum(
            weight[a]
            * gains[a].get(doc, 0.0)
            * math.prod(1 - gains[a].get(above, 0.0) for above in ranking[: i - 1])
            for a in gains
        )
        score += (new - e) * (p ** (i - 1) * (1 - p) if form == "reference" else p**i)
    return score


def _over_own_ideals(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None,
    gains: Mapping[str, Mapping[str, float]],
    discount: Discount,
    alpha: float | None,
    cutoff: int | None,
) -> float:
    """Σ_t w_t u_t / u*_t, the novelty being (1-α)^seen or, without α, Π(1-g)"""

    def utility(sequence: Sequence[float]) -> float:
        total = 0.0
        for i, gain in enumerate(sequence, 1):
            above = sequence[: i - 1]
            left = (
                math.prod(1 - g for g in above) if alpha is None else (1 - alpha) ** sum(g > 0 for g in above)
            )
            total += discount(i) * gain * left
        return total

    share = shares(list(gains), weights)
    return sum(
        share[a]
        * divided(
            utility([gains[a].get(doc, 0.0) for doc in ranking[:cutoff]]),
            utility(best_first(gains[a])[:cutoff]),
        )
        for a in gains
    )


def alpha_nDCG_per_aspect(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    alpha: float = 0.5,
    rel: float = 1,
    gain: str = "binary",
    weighted: bool = False,
    cutoff: int | None = None,
) -> float:
    gains = aspect_gains(judged, gain, rel)
    used = weights if weighted else None
    return _over_own_ideals(judged, ranking, used, gains, logarithmic, alpha, cutoff)


def nNRBP_per_aspect(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    alpha: float = 0.5,
    beta: float = 0.5,
    rel: float = 1,
    gain: str = "binary",
    weighted: bool = False,
    cutoff: int | None = None,
) -> float:
    gains = aspect_gains(judged, gain, rel)
    used = weights if weighted else None
    return _over_own_ideals(judged, ranking, used, gains, lambda i: beta ** (i - 1), alpha, cutoff)


def nERR_IA_per_aspect(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    alpha: float = 0.5,
    rel: float = 1,
    gain: str = "binary",
    max_rel: float | None = None,
    cutoff: int | None = None,
) -> float:
    gains = aspect_gains(judged, gain, rel, max_rel)
    novelty = alpha if gain == "binary" else None
    return _over_own_ideals(judged, ranking, weights, gains, reciprocal, novelty, cutoff)


def ERR_IA_graded(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    gain: str = "probability",
    max_rel: float | None = None,
    cutoff: int | None = None,
) -> float:
    gains = aspect_gains(judged, gain, max_rel=max_rel)
    share = shares(list(gains), weights)
    return sum(share[a] * _err([gains[a].get(doc, 0.0) for doc in ranking[:cutoff]]) for a in gains)
