"""D-measures: one global gain per document over all intents."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

from tests.support.oracles import Judged, Ranking, Weights, divided, shares
from tests.support.oracles.coverage import intent_recall
from tests.support.oracles.graded import P_plus, Q, _q, blended_ratio
from tests.support.oracles.grades import best_first
from tests.support.oracles.novelty import aspect_gains, count_above
from tests.support.oracles.single import _dcg, _err


def global_gains(judged: Judged, weights: Weights | None, gain: str) -> dict[str, float]:
    """GG of every judged document"""
    gains = aspect_gains(judged, gain)
    share = shares(list(gains), weights)
    docs = {doc for worths in gains.values() for doc in worths}
    return {doc: sum(share[a] * gains[a].get(doc, 0.0) for a in gains) for doc in docs}


def found_gains(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None,
    gain: str,
    digits: int | None,
    navigational: Collection[str] = (),
) -> list[float]:
    """GG of each document in the ranking; a navigational intent gives only to the first on it."""
    gains = aspect_gains(judged, gain)
    share = shares(list(gains), weights)
    found = []
    for i, doc in enumerate(ranking, 1):
        total = sum(
            share[a] * gains[a].get(doc, 0.0)
            for a in gains
            if a not in navigational or not count_above(gains[a], ranking, i)
        )
        found.append(total if digits is None else round(total, digits))
    return found


def D_nDCG(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    gain: str = "exp",
    digits: int | None = None,
    cutoff: int | None = None,
    navigational: Collection[str] = (),
) -> float:
    found = found_gains(judged, ranking, weights, gain, digits, navigational)
    best = best_first(global_gains(judged, weights, gain))
    return divided(_dcg(found, "log2", None, cutoff), _dcg(best, "log2", None, cutoff))


def D_Q(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    beta: float = 1,
    gain: str = "exp",
    digits: int | None = None,
    cutoff: int | None = None,
) -> float:
    found = found_gains(judged, ranking, weights, gain, digits)
    return _q(found, best_first(global_gains(judged, weights, gain)), beta, cutoff)


def _sharp(judged: Judged, ranking: Ranking, score: float, gamma: float, cutoff: int | None) -> float:
    return gamma * intent_recall(judged, ranking, cutoff) + (1 - gamma) * score


def DSharp_nDCG(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    gamma: float = 0.5,
    cutoff: int | None = None,
    **settings: Any,
) -> float:
    score = D_nDCG(judged, ranking, weights, cutoff=cutoff, **settings)
    return _sharp(judged, ranking, score, gamma, cutoff)


def DSharp_Q(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    gamma: float = 0.5,
    cutoff: int | None = None,
    **settings: Any,
) -> float:
    score = D_Q(judged, ranking, weights, cutoff=cutoff, **settings)
    return _sharp(judged, ranking, score, gamma, cutoff)


#: The same functions, told which intents are navigational.
DIN_nDCG = D_nDCG

DINSharp_nDCG = DSharp_nDCG


def P_plusQ(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    beta: float = 1,
    gain: str = "exp",
    cutoff: int | None = None,
    navigational: Collection[str] = (),
) -> float:
    share = shares(list(aspect_gains(judged, gain)), weights)
    return sum(
        share[a]
        * (P_plus if a in navigational else Q)(judged[a], ranking, beta=beta, gain=gain, cutoff=cutoff)
        for a in share
    )


def P_plusQSharp(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    gamma: float = 0.5,
    cutoff: int | None = None,
    **settings: Any,
) -> float:
    score = P_plusQ(judged, ranking, weights, cutoff=cutoff, **settings)
    return _sharp(judged, ranking, score, gamma, cutoff)


def D_nERR(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    gain: str = "exp",
    digits: int | None = None,
    cutoff: int | None = None,
) -> float:
    best = best_first(global_gains(judged, weights, gain))
    top = max(best, default=0.0) + 1
    found = found_gains(judged, ranking, weights, gain, digits)
    return divided(_err([g / top for g in found[:cutoff]]), _err([g / top for g in best[:cutoff]]))


def D_EBR(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    beta: float = 1,
    gain: str = "exp",
    digits: int | None = None,
    cutoff: int | None = None,
) -> float:
    best = best_first(global_gains(judged, weights, gain))
    top = max(best, default=0.0) + 1
    found = found_gains(judged, ranking, weights, gain, digits)[:cutoff]
    return sum(
        blended_ratio(found, best, i, beta) * gain_ / top * math.prod(1 - g / top for g in found[: i - 1])
        for i, gain_ in enumerate(found, 1)
        if gain_ > 0
    )


def D_iRBU(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    p: float = 0.99,
    gain: str = "exp",
    digits: int | None = None,
    cutoff: int | None = None,
) -> float:
    top = max(global_gains(judged, weights, gain).values(), default=0.0) + 1
    found = found_gains(judged, ranking, weights, gain, digits)[:cutoff]
    return sum(
        p**i * g / top * math.prod(1 - above / top for above in found[: i - 1])
        for i, g in enumerate(found, 1)
    )


def D_RBP(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    p: float = 0.95,
    gain: str = "exp",
    digits: int | None = None,
    cutoff: int | None = None,
) -> float:
    top = max(global_gains(judged, weights, gain).values(), default=0.0)
    found = found_gains(judged, ranking, weights, gain, digits)[:cutoff]
    return (1 - p) * sum(divided(p ** (i - 1) * g, top) for i, g in enumerate(found, 1))
