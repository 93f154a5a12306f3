"""The cube test, and precision and reciprocal rank at full recall."""

from __future__ import annotations

import math

from tests.support.oracles import Judged, Ranking, Weights, divided, shares
from tests.support.oracles.grades import grade_of
from tests.support.oracles.novelty import aspect_gains, count_above


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
    if form == "trec-dd-2016":
        return divided(_filled(judged, ranking, weights, alpha, height), math.ceil(len(ranking) / batch))
    if form == "trec-dd-2015":
        seen = len(ranking) if cutoff is None else cutoff
        return divided(_filled(judged, ranking, weights, alpha, height, whole=True), math.ceil(seen / batch))
    gains = aspect_gains(judged, gain, rel)
    share = shares(list(gains), weights)
    score = 0.0
    for i, doc in enumerate(ranking, 1):
        for a in gains:
            if sum(gains[a].get(above, 0.0) for above in ranking[: i - 1]) < saturation:
                new = gains[a].get(doc, 0.0) * (1 - alpha) ** count_above(gains[a], ranking, i)
                score += share[a] * new / i
    return score


def _filled(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None,
    alpha: float,
    height: float,
    whole: bool = False,
) -> float:
    """The share of the cube that a ranking has filled; whole: the last document may overfill an aspect."""
    share = shares(list(judged), weights)
    total = 0.0
    for a, grades in judged.items():
        level, added = 0.0, 0
        for doc in ranking:
            if grade_of(grades, doc) > 0:
                added += 1
                more = (1 - alpha) ** added * grades[doc]
                if level < height:
                    level += more if whole else min(more, height - level)
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
        judged, ranking, weights, form="trec-dd-2016", alpha=alpha, height=height, batch=batch, cutoff=cutoff
    )
    return divided(score * math.ceil(depth / batch), bound)


def ACT(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    form: str = "trec-dd-2016",
    alpha: float = 0.5,
    height: float = 5,
    batch: int = 5,
    cutoff: int | None = None,
) -> float:
    if form == "trec-dd-2016":
        ends = range(1, len(ranking[:cutoff]) + 1)
    else:
        ends = range(batch, (len(ranking) if cutoff is None else cutoff) + batch, batch)
    seen = ranking[:cutoff]
    whole = form == "trec-dd-2015"
    speed = [
        _filled(judged, seen[:end], weights, alpha, height, whole) / math.ceil(end / batch) for end in ends
    ]
    return divided(sum(speed), len(speed))


def _relevant_aspects(judged: Judged, rel: float) -> dict[str, set[str]]:
    """``{aspect: its relevant documents}``, for aspects that have some."""
    found = {
        a: {doc for doc, grade in grades.items() if grade > 0 and grade >= rel}
        for a, grades in judged.items()
    }
    return {a: docs for a, docs in found.items() if docs}


def _down_to_recall(judged: Judged, ranking: Ranking, rel: float) -> list[tuple[set[str], set[str]]]:
    """For each document down to where all aspects are reached: its aspects, and the new ones among them."""
    aspects = _relevant_aspects(judged, rel)
    covered: set[str] = set()
    found = []
    for doc in ranking:
        own = {a for a, docs in aspects.items() if doc in docs}
        found.append((own, own - covered))
        covered |= own
        if covered and len(covered) == len(aspects):
            break
    return found


def P_at_recall(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    rel: float = 1,
    form: str = "trec-dd-2015",
) -> float:
    if form == "trec-dd-2016":
        relevant = [any(doc in docs for docs in _relevant_aspects(judged, rel).values()) for doc in ranking]
        return divided(sum(relevant), len(ranking))
    seen = _down_to_recall(judged, ranking, rel)
    counted = {
        "trec-dd-2015": sum(bool(own) for own, _ in seen),
        "new": sum(bool(new) for _, new in seen),
        "share-new": sum(len(new) / len(own) for own, new in seen if own),
    }
    return divided(counted[form], len(seen))


def RR_at_recall(
    judged: Judged, ranking: Ranking, weights: Weights | None = None, *, rel: float = 1
) -> float:
    return divided(1, len(_down_to_recall(judged, ranking, rel)))
