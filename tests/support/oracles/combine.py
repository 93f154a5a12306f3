"""Folded grades, intent-aware measures, CAM and MM."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any

from tests.support.oracles import (
    Judged,
    Ranking,
    Weights,
    compat,
    divided,
    graded,
    incomplete,
    shares,
    single,
    trec_eval,
    visible,
)
from tests.support.oracles.grades import grade_of
from tests.support.oracles.incomplete import of_topic


def _parameters(function: Callable[..., float]) -> list[str]:
    return list(inspect.signature(function).parameters)


#: The definitions of single-aspect measures, which take the grades of one aspect.
SINGLE: dict[str, Callable[..., float]] = {
    name: function
    for module in (single, graded, trec_eval, incomplete, compat)
    for name, function in vars(module).items()
    if inspect.isfunction(function) and name[0] != "_" and _parameters(function)[:2] == ["grades", "ranking"]
}
#: Those to which it matters whether a document that is not relevant is judged.
INCOMPLETE = ("Bpref", "infAP")


def one(name: str, judged: Judged, grades: Mapping[str, float], ranking: Ranking, **settings: Any) -> float:
    """A single-aspect measure of one aspect of a topic, or of its folded grades."""
    return SINGLE[name](of_topic(judged, grades) if name in INCOMPLETE else grades, ranking, **settings)


def fold(judged: Judged, rule: str, weights: Weights | None) -> dict[str, float]:
    """One grade a document: the highest, lowest, sum, product or weighted mean of its grades."""
    folded = {}
    for doc in {doc for grades in judged.values() for doc in grades}:
        own = {aspect: grade_of(grades, doc) for aspect, grades in judged.items()}
        weight = {aspect: 1.0 if weights is None else weights[aspect] for aspect in own}
        folded[doc] = {
            "max": max(own.values()),
            "min": min(own.values()),
            "sum": sum(own.values()),
            "product": round(math.prod(own.values()), 12),
            "mean": divided(sum(weight[aspect] * own[aspect] for aspect in own), sum(weight.values())),
        }[rule]
    return folded


def folded(
    name: str,
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    fold_by: str = "max",
    judged_only: bool = False,
    **settings: Any,
) -> float:
    """A single-aspect measure of folded grades."""
    grades = fold(judged, fold_by, weights)
    return one(name, judged, grades, visible(judged, ranking, judged_only), **settings)


def intent_aware(
    name: str,
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    judged_only: bool = False,
    **settings: Any,
) -> float:
    """M_IA: the expected score over the aspects with a relevant document."""
    binary = settings.get("gain", "binary") == "binary"
    rel = settings.get("rel", 1) if binary and "rel" in _parameters(SINGLE[name]) else 0
    live = [a for a, grades in judged.items() if any(g > 0 and g >= rel for g in grades.values())]
    share = shares(live, weights)
    seen = visible(judged, ranking, judged_only)
    if name == "Accuracy" and not any(share.values()):
        return math.nan
    return sum(share[a] * one(name, judged, judged[a], seen, **settings) for a in live if share[a])


def CAM(
    name: str, judged: Judged, ranking: Ranking, weights: Weights | None = None, **settings: Any
) -> float:
    share = shares(list(judged), weights)
    return sum(share[a] * one(name, judged, judged[a], ranking, **settings) for a in judged)


def MM(name: str, judged: Judged, ranking: Ranking, weights: Weights | None = None, **settings: Any) -> float:
    share = shares(list(judged), weights)
    scores = {a: one(name, judged, judged[a], ranking, **settings) for a in judged if share[a] > 0}
    if not scores or 0 in scores.values():  # others may be negative
        return 0.0
    return 1 / sum(share[a] / score for a, score in scores.items())


def Reached(
    name: str,
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    mean: str = "arithmetic",
    **settings: Any,
) -> float:
    """The mean over the aspects that score more than 0."""
    share = shares(list(judged), weights)
    scores = {a: one(name, judged, judged[a], ranking, **settings) for a in judged if share[a] > 0}
    reached = {a: score for a, score in scores.items() if score > 0}
    weight = sum(share[a] for a in reached)
    if mean == "harmonic":
        return divided(weight, sum(share[a] / score for a, score in reached.items()))
    return divided(sum(share[a] * score for a, score in reached.items()), weight)
