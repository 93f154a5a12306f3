"""The nugget measures of TREC RAG. Grades of at least 1 are support, others above 0 are partial support."""

from __future__ import annotations

from tests.support.oracles import Judged, Ranking, Weights, divided


def _credit(grades: dict[str, float], ranking: Ranking, strict: bool) -> float:
    found = [grades.get(doc, 0.0) for doc in ranking]
    if any(grade >= 1 for grade in found):
        return 1.0
    return 0.5 if any(grade > 0 for grade in found) and not strict else 0.0


def _mean(judged: Judged, ranking: Ranking, weights: Weights, strict: bool, cutoff: int | None) -> float:
    gained = sum(w * _credit(dict(judged[a]), ranking[:cutoff], strict) for a, w in weights.items())
    return divided(gained, sum(weights.values()))


def NuggetAll(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    strict: bool = False,
    cutoff: int | None = None,
) -> float:
    return _mean(judged, ranking, dict.fromkeys(judged, 1.0), strict, cutoff)


def NuggetVital(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    strict: bool = False,
    cutoff: int | None = None,
) -> float:
    vital = {a: 1.0 for a in judged if weights is None or weights[a] >= 1}
    return _mean(judged, ranking, vital, strict, cutoff)


def NuggetWeighted(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    strict: bool = False,
    cutoff: int | None = None,
) -> float:
    given = dict.fromkeys(judged, 1.0) if weights is None else dict(weights)
    return _mean(judged, ranking, given, strict, cutoff)
