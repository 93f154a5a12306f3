"""The cube test and precision at full recall."""

from __future__ import annotations

import math

from oracles import Judged, Ranking, Weights, divided, shares
from oracles.grades import grade_of
from oracles.novelty import aspect_gains, count_above


def CT(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    form: str = "paper",
    alpha: float = 0.5,
    saturation: float = 1,
    height: float = 5,
    batch: int = 5,
    rel: float = 1,
    gain: str = "probability",
    cutoff: int | None = None,
) -> float:
    ranking = ranking[:cutoff]
    if form == "trec-dd":
        return divided(_filled(judged, ranking, weights, alpha, height), math.ceil(len(ranking) / batch))
    gains = aspect_gains(judged, gain, rel)
    share = shares(list(gains), weights)
    score = 0.0
    for i, doc in enumerate(ranking, 1):
        for a in gains:
            if sum(gains[a].get(above, 0.0) for above in ranking[: i - 1]) < saturation:
                new = gains[a].get(doc, 0.0) * (1 - alpha) ** count_above(gains[a], ranking, i)
                score += share[a] * new / i
    return score


def _filled(judged: Judged, ranking: Ranking, weights: Weights | None, alpha: float, height: float) -> float:
    """The share of the cube that a ranking has filled."""
    share = shares(list(judged), weights)
    total = 0.0
    for a, grades in judged.items():
        level, added = 0.0, 0
        for doc in ranking:
            if grade_of(grades, doc) > 0:
                added += 1
                level += min((1 - alpha) ** added * grades[doc], height - level)
        total += share[a] * level / height
    return total


def nCT(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    alpha: float = 0.5,
    height: float = 5,
    batch: int = 5,
    cutoff: int | None = None,
) -> float:
    depth = len(ranking) if cutoff is None else cutoff
    share = shares(list(judged), weights)
    bound = 0.0
    for a, grades in judged.items():
        best = [grade for grade in sorted(grades.values(), reverse=True) if grade > 0][: depth + 1]
        sums = sum((1 - alpha) ** n * grade for n, grade in enumerate(best))
        bound += share[a] * min(sums, height) / height
    score = CT(
        judged, ranking, weights, form="trec-dd", alpha=alpha, height=height, batch=batch, cutoff=cutoff
    )
    return divided(score * math.ceil(depth / batch), bound)


def ACT(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    alpha: float = 0.5,
    height: float = 5,
    batch: int = 5,
    cutoff: int | None = None,
) -> float:
    ranking = ranking[:cutoff]
    speed = [
        _filled(judged, ranking[:n], weights, alpha, height) / math.ceil(n / batch)
        for n in range(1, len(ranking) + 1)
    ]
    return divided(sum(speed), len(ranking))


def _relevant_aspects(judged: Judged, rel: float) -> dict[str, set[str]]:
    """``{aspect: its relevant documents}``, for aspects that have some."""
    found = {
        a: {doc for doc, grade in grades.items() if grade > 0 and grade >= rel}
        for a, grades in judged.items()
    }
    return {a: docs for a, docs in found.items() if docs}


def P_at_recall(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    rel: float = 1,
    modified: bool = False,
) -> float:
    """Documents with something new, of those down to where all aspects are reached; modified: the share."""
    aspects = _relevant_aspects(judged, rel)
    if not aspects:
        return 0.0
    covered: set[str] = set()
    total, looked_at = 0.0, 0
    for doc in ranking:
        own = {a for a, docs in aspects.items() if doc in docs}
        if own:
            total += len(own - covered) / len(own) if modified else bool(own - covered)
        covered |= own
        looked_at += 1
        if len(covered) == len(aspects):
            break
    return divided(total, looked_at)
