"""Whether answers to practice and gold questions are right, and whether two answers mean the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from rankprism.judging.assess import store
from rankprism.judging.assess.store import Store
from rankprism.judging.assess.wording import Wording


def feedback(open_study: Store, wording: Wording, assessor: int, place: int) -> str | None:
    """Tell the right answer after an answer to a practice question; None for any other task."""
    task, table, judgment = store.task, store.place, store.judgment
    with open_study.reading() as connection:
        row = connection.execute(
            sa.select(task.c.expected, table.c.swapped, judgment.c.answer, judgment.c.grades)
            .join(table, table.c.task == task.c.id)
            .join(judgment, judgment.c.place == table.c.id)
            .where(table.c.id == place, table.c.assessor == assessor, task.c.purpose == "practice")
            .where(judgment.c.withdrawn.is_(None))
        ).first()
    if row is None:
        return None
    if is_right(row.expected, row.swapped, row.answer, row.grades):
        return "That is also what the organiser would have said."
    if isinstance(row.expected, dict):
        words = "; ".join(f"{name}: {label}" for name, label in row.expected.items())
        return f"The organiser would have said: {words}."
    return f"The organiser would have said: {getattr(wording, as_seen(row.expected, row.swapped))}."


def is_right(expected: Any, swapped: bool, answer: str, grades: Mapping[str, str] | None) -> bool:
    """Whether an answer is the expected one."""
    if isinstance(expected, dict):
        return grades is not None and all(grades.get(name) == label for name, label in expected.items())
    return answer == as_seen(expected, swapped)


@dataclass(frozen=True)
class Score:
    """The number of right answers, and of all answers, to questions with a known answer."""

    right: int = 0
    answers: int = 0


def scores(connection: sa.Connection, purpose: str) -> dict[int, Score]:
    """The score of each assessor on practice or gold; assessors who have answered none are left out.

    After a practice question, assessors are told the right answer and may still take theirs back, so the
    first answer counts. For gold, an answer that was taken back does not count.
    """
    task, table, judgment = store.task, store.place, store.judgment
    answers = (
        sa.select(
            judgment.c.place,
            judgment.c.assessor,
            judgment.c.answer,
            judgment.c.grades,
            task.c.expected,
            table.c.swapped,
        )
        .join(task, judgment.c.task == task.c.id)
        .join(table, judgment.c.place == table.c.id)
        .where(task.c.purpose == purpose)
        .order_by(judgment.c.id)
    )
    if purpose != "practice":
        answers = answers.where(judgment.c.withdrawn.is_(None))
    counted: set[int] = set()
    found: dict[int, Score] = {}
    for row in connection.execute(answers):
        if row.place in counted:
            continue
        counted.add(row.place)
        before = found.get(row.assessor, Score())
        right = is_right(row.expected, row.swapped, row.answer, row.grades)
        found[row.assessor] = Score(before.right + right, before.answers + 1)
    return found


def as_seen(outcome: str, swapped: bool) -> str:
    """The side of a winner: the first document is on the left unless the two are swapped."""
    if outcome == "tie":
        return outcome
    return "left" if (outcome == "first") != swapped else "right"


def meaning(answer: str, grades: Mapping[str, str] | None, swapped: bool) -> tuple[Any, ...]:
    """An answer in a form that can be compared with other answers, whatever the sides of the documents."""
    if answer in ("left", "right"):
        answer = "first" if (answer == "left") != swapped else "second"
    return answer, grades
