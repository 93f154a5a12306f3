"""Measures that tell unjudged documents from non-relevant ones, of ``{doc: grade}``.

A document without a grade or with a negative grade is unjudged.
"""

from __future__ import annotations

from tests.support.oracles import Judged, Ranking, divided
from tests.support.oracles.grades import Grades


def of_topic(judged: Judged, grades: Grades) -> dict[str, float]:
    """The grades on one aspect. A document judged on another aspect of the topic is judged here, too."""
    docs = {doc for others in judged.values() for doc in others}
    return {
        doc: max(grades.get(doc, 0.0), 0.0)
        if any(others.get(doc, -1) >= 0 for others in judged.values())
        else -1.0
        for doc in docs
    }


def Bpref(grades: Grades, ranking: Ranking, *, rel: float = 1) -> float:
    """How many pairs of a relevant and a non-relevant document are in the right order, as in trec_eval."""
    relevant = [doc for doc, grade in grades.items() if grade >= rel]
    others = [doc for doc, grade in grades.items() if 0 <= grade < rel]
    score = 0.0
    for i, doc in enumerate(ranking):
        if doc in relevant:
            above = sum(other in others for other in ranking[:i])
            score += 1 - divided(min(above, len(relevant)), min(len(others), len(relevant)))
    return divided(score, len(relevant))


def infAP(grades: Grades, ranking: Ranking, *, rel: float = 1) -> float:
    """Expected precision at each relevant document, given the judged ones above it."""
    epsilon = 1e-5
    score = 0.0
    for i, doc in enumerate(ranking):
        if grades.get(doc, -1) < rel:
            continue
        above = ranking[:i]
        right = sum(grades.get(d, -1) >= rel for d in above)
        wrong = sum(0 <= grades.get(d, -1) < rel for d in above)
        unjudged = sum(grades.get(d, 0) < 0 for d in above)
        if i == 0:
            score += 1
        else:
            in_pool = (right + wrong + unjudged) / i
            score += 1 / (i + 1) + i / (i + 1) * in_pool * (right + epsilon) / (right + wrong + 2 * epsilon)
    return divided(score, sum(grade >= rel for grade in grades.values()))
