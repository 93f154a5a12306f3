"""What the grades of documents are worth: shared by the oracles of all families."""

from __future__ import annotations

from collections.abc import Mapping

Grades = Mapping[str, float]

Levels = str | Mapping[float, float]


def grade_of(grades: Grades, doc: str) -> float:
    """A document that nobody judged is worth as little as one judged 0, or less."""
    return max(grades.get(doc, 0.0), 0.0)


def worth(grade: float, gain: str, rel: float = 1, top: float = 0) -> float:
    """What a grade is worth; `top` is the highest grade there is, for probabilities and shares."""
    if grade <= 0:
        return 0.0
    if gain == "binary":
        return 1.0 if grade >= rel else 0.0
    if gain == "linear":
        return grade
    if gain == "share":
        return grade / top
    if gain == "exp":
        return float(2**grade - 1)
    if gain == "probability":
        return float((2**grade - 1) / 2**top)
    raise ValueError(gain)


def gains_in(grades: Grades, gain: str, rel: float = 1, max_rel: float | None = None) -> dict[str, float]:
    """What each document of an aspect is worth."""
    top = max(grades.values(), default=0) if max_rel is None else max_rel
    return {doc: worth(grade, gain, rel, top) for doc, grade in grades.items()}


def best_first(gains: Mapping[str, float]) -> list[float]:
    return sorted(gains.values(), reverse=True)
