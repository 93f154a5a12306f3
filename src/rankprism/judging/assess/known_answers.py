"""Questions whose answers are known, for practice and as gold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rankprism.errors import InputError
from rankprism.formats import files, read_judgments, read_preferences
from rankprism.judging.assess.choice import Question
from rankprism.judging.assess.graded_aspects import Aspects


@dataclass(frozen=True)
class Check:
    """A question whose answer is known, for practice or to check how careful assessors are (gold)."""

    question: Question
    expected: Any  #: first, second or tie; or a label for each aspect


def read_checks(source: files.PathLike, aspects: Aspects | None) -> list[Check]:
    if aspects is None:
        rows = read_preferences(source).columns()
        found = []
        for topic, given, left, right, outcome in zip(
            rows["topic"], rows["given"], rows["left"], rows["right"], rows["outcome"], strict=True
        ):
            question = Question.of(topic, given.split(), left, right)
            winner = {"left": left, "right": right}.get(outcome)
            found.append(
                Check(
                    question, "tie" if winner is None else "first" if winner == question.first else "second"
                )
            )
        return found
    topics, names, docs, grades = read_judgments(source).table.columns()
    expected: dict[Question, dict[str, str]] = {}
    for topic, name, doc, grade in zip(topics, names, docs, grades, strict=True):
        scales = {aspect: scale for aspect, _, scale in aspects.of(topic)}
        if name not in scales or float(grade) not in scales[name].grades:
            raise InputError(
                f"{files.source_name(source)}: aspect {name!r} of topic {topic!r} has no label with grade "
                f"{grade:g}"
            )
        label = scales[name].names[scales[name].grades.index(float(grade))]
        expected.setdefault(Question(topic, (), doc, None), {})[name] = label
    return [Check(question, labels) for question, labels in expected.items()]
