"""ndeval's measures, graded and weighted as well, and their greedy ideal ranking."""

from __future__ import annotations

from collections.abc import Mapping

from tests.support.oracles import (
    Discount,
    Gains,
    Judged,
    Ranking,
    Weights,
    divided,
    logarithmic,
    reciprocal,
    shares,
    visible,
)

#: Gains that differ relatively by less are a tie, which the larger document id wins.
TIE = 1e-10


def gains_of(judged: Judged, gain: str, rel: float) -> Gains:
    """What each document is worth on each aspect: only relevant documents, only aspects that have some."""
    found: Gains = {}
    for aspect, grades in judged.items():
        positive = {doc: grade for doc, grade in grades.items() if grade > 0}
        if gain == "binary":
            worth = {doc: 1.0 for doc, grade in positive.items() if grade >= rel}
        elif gain == "linear":
            worth = dict(positive)
        elif gain == "exp":
            worth = {doc: 2**grade - 1 for doc, grade in positive.items()}
        elif gain == "probability":
            worth = {doc: (2**grade - 1) / 2 ** max(positive.values()) for doc, grade in positive.items()}
        else:
            raise ValueError(gain)
        if worth:
            found[aspect] = worth
    return found


def newness(gains: Mapping[str, float], above: Ranking, alpha: float | None) -> float:
    """What an aspect still has to offer below `above`: (1-α)^seen, or Π(1-g) if α is None."""
    left = 1.0
    for doc in above:
        if doc in gains:
            left *= 1 - (gains[doc] if alpha is None else alpha)
    return left


def novel_gain(gains: Gains, share: Weights, doc: str, above: Ranking, alpha: float | None) -> float:
    """G: the document's gain on each aspect times the aspect's novelty, weighted."""
    return sum(
        share[aspect] * gains[aspect][doc] * newness(gains[aspect], above, alpha)
        for aspect in gains
        if doc in gains[aspect]
    )


def total(gains: Gains, share: Weights, ranking: Ranking, discount: Discount, alpha: float | None) -> float:
    """Σ_i D(i) G_i"""
    return sum(
        discount(i) * novel_gain(gains, share, doc, ranking[: i - 1], alpha)
        for i, doc in enumerate(ranking, 1)
    )


def greedy_steps(gains: Gains, share: Weights, alpha: float | None) -> list[dict[str, float]]:
    """For each place of the greedy ideal ranking the documents that were left, with their gains."""
    left = {doc for worth in gains.values() for doc in worth}
    chosen: list[str] = []
    steps = []
    while left:
        offers = {doc: novel_gain(gains, share, doc, chosen, alpha) for doc in left}
        steps.append(offers)
        chosen.append(best_offer(offers))
        left.remove(chosen[-1])
    return steps


def best_offer(offers: Mapping[str, float]) -> str:
    most = max(offers.values())
    return max(doc for doc, offer in offers.items() if offer >= most * (1 - TIE))


def greedy_ideal(gains: Gains, share: Weights, alpha: float | None) -> list[str]:
    """The document with the largest undiscounted gain, again and again."""
    return [best_offer(offers) for offers in greedy_steps(gains, share, alpha)]


def _over_everything(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None,
    discount: Discount,
    alpha: float,
    rel: float,
    gain: str,
    judged_only: bool,
    cutoff: int | None,
) -> float:
    gains = gains_of(judged, gain, rel)
    share = shares(list(gains), weights)
    ranking = visible(judged, ranking, judged_only)
    depth = len(ranking) if cutoff is None else cutoff
    everything = sum(discount(i) * (1 - alpha) ** (i - 1) for i in range(1, depth + 1))
    return divided(total(gains, share, ranking[:depth], discount, alpha), everything)


def _over_ideal(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None,
    discount: Discount,
    alpha: float | None,
    rel: float,
    gain: str,
    judged_only: bool,
    cutoff: int | None,
) -> float:
    gains = gains_of(judged, gain, rel)
    share = shares(list(gains), weights)
    ideal = greedy_ideal(gains, share, alpha)[:cutoff]
    ranking = visible(judged, ranking, judged_only)[:cutoff]
    return divided(total(gains, share, ranking, discount, alpha), total(gains, share, ideal, discount, alpha))


def alpha_DCG(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    alpha: float = 0.5,
    rel: float = 1,
    gain: str = "binary",
    weighted: bool = False,
    judged_only: bool = False,
    cutoff: int | None = None,
) -> float:
    used = weights if weighted else None
    return _over_everything(judged, ranking, used, logarithmic, alpha, rel, gain, judged_only, cutoff)


def alpha_nDCG(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    alpha: float = 0.5,
    rel: float = 1,
    gain: str = "binary",
    weighted: bool = False,
    judged_only: bool = False,
    cutoff: int | None = None,
) -> float:
    used = weights if weighted else None
    return _over_ideal(judged, ranking, used, logarithmic, alpha, rel, gain, judged_only, cutoff)


def ERR_IA(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    alpha: float = 0.5,
    rel: float = 1,
    gain: str = "binary",
    judged_only: bool = False,
    cutoff: int | None = None,
) -> float:
    if gain == "binary":
        return _over_everything(judged, ranking, weights, reciprocal, alpha, rel, gain, judged_only, cutoff)
    gains = gains_of(judged, gain, rel)
    ranking = visible(judged, ranking, judged_only)[:cutoff]
    return total(gains, shares(list(gains), weights), ranking, reciprocal, None)


def nERR_IA(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    alpha: float = 0.5,
    rel: float = 1,
    gain: str = "binary",
    judged_only: bool = False,
    cutoff: int | None = None,
) -> float:
    satisfied = alpha if gain == "binary" else None
    return _over_ideal(judged, ranking, weights, reciprocal, satisfied, rel, gain, judged_only, cutoff)


def NRBP(
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
    gains = gains_of(judged, gain, rel)
    share = shares(list(gains), weights if weighted else None)
    return (1 - (1 - alpha) * beta) * total(gains, share, ranking[:cutoff], lambda i: beta ** (i - 1), alpha)


def nNRBP(
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
    used = weights if weighted else None
    return _over_ideal(judged, ranking, used, lambda i: beta ** (i - 1), alpha, rel, gain, False, cutoff)


def StRecall(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    rel: float = 1,
    weighted: bool = False,
    cutoff: int | None = None,
) -> float:
    gains = gains_of(judged, "binary", rel)
    share = shares(list(gains), weights if weighted else None)
    return sum(share[aspect] for aspect in gains if any(doc in gains[aspect] for doc in ranking[:cutoff]))
