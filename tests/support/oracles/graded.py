"""Measures of one aspect that look at levels or at blended ratios."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.support.oracles import Ranking, divided
from tests.support.oracles.grades import Grades, Levels, best_first, gains_in, grade_of


def blended_ratio(found: Sequence[float], best: Sequence[float], i: int, beta: float) -> float:
    """BR(i) = (C(i) + β cg(i)) / (i + β cg*(i)), from the gains found and the ideal ones"""
    count = sum(gain > 0 for gain in found[:i])
    return (count + beta * sum(found[:i])) / (i + beta * sum(best[:i]))


def _q(found: Sequence[float], best: Sequence[float], beta: float, cutoff: int | None) -> float:
    relevant = sum(gain > 0 for gain in best)
    depth = len(found) if cutoff is None else cutoff
    total = sum(blended_ratio(found, best, i, beta) for i, gain in enumerate(found[:depth], 1) if gain > 0)
    return divided(total, relevant if cutoff is None else min(relevant, cutoff))


def Q(
    grades: Grades,
    ranking: Ranking,
    *,
    beta: float = 1,
    gain: str = "exp",
    cutoff: int | None = None,
) -> float:
    gains = gains_in(grades, gain)
    return _q([gains.get(doc, 0.0) for doc in ranking], best_first(gains), beta, cutoff)


def P_plus(
    grades: Grades,
    ranking: Ranking,
    *,
    beta: float = 1,
    gain: str = "exp",
    cutoff: int | None = None,
) -> float:
    gains = gains_in(grades, gain)
    ranking = ranking[:cutoff]
    levels = [grade_of(grades, doc) for doc in ranking]
    if not any(levels):
        return 0.0
    preferred = levels.index(max(levels)) + 1
    found = [gains.get(doc, 0.0) for doc in ranking]
    relevant = [i for i in range(1, preferred + 1) if found[i - 1] > 0]
    total = sum(blended_ratio(found, best_first(gains), i, beta) for i in relevant)
    return divided(total, len(relevant))


def _cleared(grade: float, levels: Levels) -> float:
    """W(g): how likely the bar for relevance is at g or below, up to a factor"""
    if grade <= 0:
        return 0.0
    if levels == "uniform":
        return grade
    if levels == "printed":
        return grade * (grade + 1)
    assert isinstance(levels, Mapping)
    return sum(chance for bar, chance in levels.items() if bar <= grade)


def _gap(grades: Grades, ranking: Ranking, levels: Levels) -> float:
    level = [grade_of(grades, doc) for doc in ranking]
    return sum(
        sum(_cleared(min(level[i], level[j]), levels) for j in range(i + 1)) / (i + 1)
        for i in range(len(level))
    )


def GAP(grades: Grades, ranking: Ranking, *, levels: Levels = "uniform") -> float:
    everything = sum(_cleared(grade, levels) for grade in grades.values())
    return divided(_gap(grades, ranking, levels), everything)


def nGAP(grades: Grades, ranking: Ranking, *, levels: Levels = "uniform", cutoff: int | None = None) -> float:
    best = sorted(grades.values(), reverse=True)[:cutoff]
    return divided(_gap(grades, ranking[:cutoff], levels), sum(_cleared(grade, levels) for grade in best))
