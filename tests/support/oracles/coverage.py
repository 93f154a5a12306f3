"""How many aspects a ranking reaches, how soon, and how much of it is judged."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from tests.support.oracles import Judged, Ranking, Weights, divided
from tests.support.oracles.cube import _relevant_aspects


def _reached(aspects: Mapping[str, set[str]], docs: Sequence[str]) -> int:
    return sum(not relevant.isdisjoint(docs) for relevant in aspects.values())


def _costs(aspects: Mapping[str, set[str]], docs: Sequence[str], a: float, b: float) -> float:
    return sum(a * sum(doc in relevant for relevant in aspects.values()) + b for doc in docs)


def WS_precision(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    level: float = 1,
    a: float = 1,
    b: float = 1,
    rel: float = 1,
) -> float:
    """The cost of the cheapest documents that reach a share of the aspects, over that of the ranking."""
    aspects = _relevant_aspects(judged, rel)
    need = max(1, math.ceil(level * len(aspects) - 1e-9))
    enough = [n for n in range(1, len(ranking) + 1) if _reached(aspects, ranking[:n]) >= need]
    if not aspects or not enough:
        return 0.0
    cheapest: dict[frozenset[str], float] = {frozenset(): 0.0}  # what it costs to reach these aspects
    for doc in set().union(*aspects.values()):
        own = frozenset(aspect for aspect, relevant in aspects.items() if doc in relevant)
        for before, cost in list(cheapest.items()):
            after = before | own
            cheapest[after] = min(cheapest.get(after, math.inf), cost + a * len(own) + b)
    best = min(cost for reached, cost in cheapest.items() if len(reached) >= need)
    return best / _costs(aspects, ranking[: enough[0]], a, b)


def S_precision(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    level: float = 1,
    rel: float = 1,
) -> float:
    return WS_precision(judged, ranking, level=level, a=0, b=1, rel=rel)


def S_RR(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    level: float = 1,
    rel: float = 1,
) -> float:
    aspects = _relevant_aspects(judged, rel)
    need = max(1, math.ceil(level * len(aspects) - 1e-9))
    for i in range(1, len(ranking) + 1):
        if _reached(aspects, ranking[:i]) >= need:
            return 1 / i
    return 0.0


def intent_recall(judged: Judged, ranking: Ranking, cutoff: int | None) -> float:
    aspects = _relevant_aspects(judged, 0)
    return divided(_reached(aspects, ranking[:cutoff]), len(aspects))


def Judged_(
    judged: Judged, ranking: Ranking, weights: Weights | None = None, *, cutoff: int | None = None
) -> float:
    known = {doc for grades in judged.values() for doc in grades}
    return divided(sum(doc in known for doc in ranking[:cutoff]), len(ranking[:cutoff]))
