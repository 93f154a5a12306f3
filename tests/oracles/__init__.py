"""Every measure once more, slowly and obviously, straight from its definition.

Plain lists, dicts and loops, one topic at a time; nothing is shared with the package. A topic's
judgments are ``{aspect: {doc: grade}}``, a ranking is a list of documents, weights are
``{aspect: weight}``. Parameters have the names that the package gives them, so that one dict of
settings serves both.

Conventions: an aspect without a relevant document is left out and the weights of the others are
scaled to sum to 1; grades of 0 and below are not relevant; without a cutoff the whole ranking (and the
whole ideal ranking) counts; whatever has nothing to be divided by scores 0.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping, Sequence

Judged = Mapping[str, Mapping[str, float]]
Gains = dict[str, dict[str, float]]
Weights = Mapping[str, float]
Ranking = Sequence[str]
Discount = Callable[[int], float]

#: Gains that differ relatively by less are a tie, which the larger document id wins.
TIE = 1e-10


def rank(scores: Mapping[str, float], order: str = "score") -> list[str]:
    """The documents, best first: by score and then by id, both descending, or as they stand."""
    if order == "input":
        return list(scores)
    if order == "trec_eval":
        scores = {doc: struct.unpack("f", struct.pack("f", score))[0] for doc, score in scores.items()}
    elif order != "score":
        raise ValueError(order)
    return sorted(scores, key=lambda doc: (scores[doc], doc), reverse=True)


# Parts


def logarithmic(i: int) -> float:
    return 1 / math.log2(i + 1)


def reciprocal(i: int) -> float:
    return 1 / i


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


def shares(aspects: Sequence[str], weights: Weights | None) -> dict[str, float]:
    """Weights that sum to 1; all alike if none are given."""
    given = {aspect: 1.0 if weights is None else weights[aspect] for aspect in aspects}
    total = sum(given.values())
    return {aspect: weight / total if total > 0 else 0.0 for aspect, weight in given.items()}


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


def visible(judged: Judged, ranking: Ranking, judged_only: bool) -> list[str]:
    """The ranking, without its unjudged documents if so wished."""
    known = {doc for grades in judged.values() for doc in grades}
    return [doc for doc in ranking if doc in known or not judged_only]


def divided(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator else 0.0


# Novelty and diversity


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


# One aspect: {doc: grade}


def _p(grades: Mapping[str, float], ranking: Ranking, rel: float, cutoff: int | None) -> float:
    depth = len(ranking) if cutoff is None else cutoff
    return divided(sum(grades.get(doc, 0) >= rel for doc in ranking[:depth]), depth)


def _rr(grades: Mapping[str, float], ranking: Ranking, rel: float, cutoff: int | None) -> float:
    ranks = [i for i, doc in enumerate(ranking[:cutoff], 1) if grades.get(doc, 0) >= rel]
    return 1 / ranks[0] if ranks else 0.0


def _ap(grades: Mapping[str, float], ranking: Ranking, rel: float, cutoff: int | None) -> float:
    ranks = [i for i, doc in enumerate(ranking[:cutoff], 1) if grades.get(doc, 0) >= rel]
    relevant = sum(grade >= rel for grade in grades.values())
    return divided(sum(found / i for found, i in enumerate(ranks, 1)), relevant)


def _ndcg(
    grades: Mapping[str, float],
    ranking: Ranking,
    dcg: str,
    gains: Mapping[float, float] | None,
    cutoff: int | None,
) -> float:
    def gain(grade: float) -> float:
        if grade <= 0:
            return 0.0
        if gains is not None:
            grade = gains.get(grade, grade)
        return 2**grade - 1 if dcg == "exp-log2" else grade

    def dcg_of(sequence: Sequence[float]) -> float:
        return sum(g / math.log2(i + 1) for i, g in enumerate(sequence[:cutoff], 1))

    found = [gain(grades.get(doc, 0)) for doc in ranking]
    best = sorted((gain(grade) for grade in grades.values()), reverse=True)
    return divided(dcg_of(found), dcg_of(best))


def _rbp(grades: Mapping[str, float], ranking: Ranking, p: float, rel: float, cutoff: int | None) -> float:
    ranks = [i for i, doc in enumerate(ranking[:cutoff], 1) if grades.get(doc, 0) >= rel]
    return (1 - p) * sum(p ** (i - 1) for i in ranks)


def _err(grades: Mapping[str, float], ranking: Ranking, max_rel: float, cutoff: int | None) -> float:
    score, unsatisfied = 0.0, 1.0
    for i, doc in enumerate(ranking[:cutoff], 1):
        satisfied = (2 ** max(grades.get(doc, 0), 0) - 1) / 2**max_rel
        score += unsatisfied * satisfied / i
        unsatisfied *= 1 - satisfied
    return score


def folded(judged: Judged) -> dict[str, float]:
    """A document counts with its highest grade."""
    best: dict[str, float] = {}
    for grades in judged.values():
        for doc, grade in grades.items():
            best[doc] = max(grade, best.get(doc, grade))
    return best


def P(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    rel: float = 1,
    judged_only: bool = False,
    cutoff: int | None = None,
) -> float:
    return _p(folded(judged), visible(judged, ranking, judged_only), rel, cutoff)


def RR(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    rel: float = 1,
    judged_only: bool = False,
    cutoff: int | None = None,
) -> float:
    return _rr(folded(judged), visible(judged, ranking, judged_only), rel, cutoff)


def AP(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    rel: float = 1,
    judged_only: bool = False,
    cutoff: int | None = None,
) -> float:
    return _ap(folded(judged), visible(judged, ranking, judged_only), rel, cutoff)


def nDCG(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    dcg: str = "log2",
    gains: Mapping[float, float] | None = None,
    judged_only: bool = False,
    cutoff: int | None = None,
) -> float:
    return _ndcg(folded(judged), visible(judged, ranking, judged_only), dcg, gains, cutoff)


def RBP(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    p: float = 0.8,
    rel: float = 1,
    cutoff: int | None = None,
) -> float:
    return _rbp(folded(judged), ranking, p, rel, cutoff)


def ERR(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    max_rel: float = 4,
    cutoff: int | None = None,
) -> float:
    return _err(folded(judged), ranking, max_rel, cutoff)


# Intent-aware: the same, aspect by aspect


def _intent_aware(
    judged: Judged, weights: Weights | None, rel: float, score: Callable[[Mapping[str, float]], float]
) -> float:
    """The weighted mean over the aspects with a document above grade 0 and not below grade rel."""
    live = [a for a, grades in judged.items() if any(grade > 0 and grade >= rel for grade in grades.values())]
    share = shares(live, weights)
    return sum(share[aspect] * score(judged[aspect]) for aspect in live)


def P_IA(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    rel: float = 1,
    judged_only: bool = False,
    cutoff: int | None = None,
) -> float:
    ranking = visible(judged, ranking, judged_only)
    return _intent_aware(judged, weights, rel, lambda grades: _p(grades, ranking, rel, cutoff))


def RR_IA(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    rel: float = 1,
    judged_only: bool = False,
    cutoff: int | None = None,
) -> float:
    ranking = visible(judged, ranking, judged_only)
    return _intent_aware(judged, weights, rel, lambda grades: _rr(grades, ranking, rel, cutoff))


def AP_IA(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    rel: float = 1,
    judged_only: bool = False,
    cutoff: int | None = None,
) -> float:
    ranking = visible(judged, ranking, judged_only)
    return _intent_aware(judged, weights, rel, lambda grades: _ap(grades, ranking, rel, cutoff))


def nDCG_IA(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    dcg: str = "log2",
    gains: Mapping[float, float] | None = None,
    judged_only: bool = False,
    cutoff: int | None = None,
) -> float:
    ranking = visible(judged, ranking, judged_only)
    return _intent_aware(judged, weights, 0, lambda grades: _ndcg(grades, ranking, dcg, gains, cutoff))


def RBP_IA(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    p: float = 0.8,
    rel: float = 1,
    cutoff: int | None = None,
) -> float:
    return _intent_aware(judged, weights, rel, lambda grades: _rbp(grades, ranking, p, rel, cutoff))
