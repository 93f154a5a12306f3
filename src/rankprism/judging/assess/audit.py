"""The list of all judgments, with what became of each of them, for the organiser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from rankprism.judging.assess import right_answers, store

#: Number of judgments on a page.
PAGE = 50
#: What a judgment may be for.
PURPOSES = ("study", "gold", "repeat", "practice")


@dataclass(frozen=True)
class Wanted:
    """Which judgments are listed. Empty texts and False list all of them."""

    topic: str = ""
    assessor: str = ""
    purpose: str = ""
    answer: str = ""
    words: str = ""  #: in a comment or in the name of a document
    commented: bool = False
    withdrawn: bool = False  #: only those that were taken back


@dataclass(frozen=True)
class JudgmentRow:
    """One judgment, with names instead of numbers."""

    id: int
    place: int
    question: int  #: the task that asks the question first
    purpose: str
    topic: str
    given: tuple[str, ...]
    documents: tuple[str, ...]  #: as the assessor saw them: left and right
    assessor: str
    answer: str
    expected: str
    is_right: bool | None  #: None if the right answer is not known
    comment: str
    time: str
    seconds: float | None
    withdrawn: str | None
    instructions: int | None


@dataclass(frozen=True)
class Listed:
    """A page of judgments."""

    total: int
    start: int
    size: int
    rows: tuple[JudgmentRow, ...]


def judgments(connection: sa.Connection, wanted: Wanted, start: int = 0, size: int = PAGE) -> Listed:
    """List the judgments that are wanted, the latest first."""
    conditions = _conditions(wanted)
    counted = _joined(sa.select(sa.func.count())).where(*conditions)
    query = _joined(sa.select(*_COLUMNS)).where(*conditions).order_by(store.judgment.c.id.desc())
    rows = connection.execute(query.offset(start).limit(size)).all()
    return Listed(int(connection.scalar(counted) or 0), start, size, tuple(_rows(connection, rows)))


def judgment(connection: sa.Connection, number: int) -> JudgmentRow | None:
    """One judgment."""
    rows = connection.execute(_joined(sa.select(*_COLUMNS)).where(store.judgment.c.id == number)).all()
    return next(iter(_rows(connection, rows)), None)


def history(connection: sa.Connection, one: JudgmentRow) -> list[JudgmentRow]:
    """All answers that the assessor gave at the place of a judgment, the first first."""
    query = _joined(sa.select(*_COLUMNS)).where(
        store.judgment.c.place == one.place, store.assessor.c.name == one.assessor
    )
    return _rows(connection, connection.execute(query.order_by(store.judgment.c.id)).all())


def others(connection: sa.Connection, one: JudgmentRow) -> list[JudgmentRow]:
    """All answers to the same question at other places, by anybody."""
    query = _joined(sa.select(*_COLUMNS)).where(
        _question == one.question, store.judgment.c.place != one.place
    )
    return _rows(connection, connection.execute(query.order_by(store.judgment.c.id)).all())


_question = sa.func.coalesce(store.task.c.repeats, store.task.c.id)
_COLUMNS = (
    store.judgment,
    store.task.c.purpose,
    store.task.c.given,
    store.task.c.first,
    store.task.c.second,
    store.task.c.expected,
    store.place.c.swapped,
    _question.label("question"),
    store.topic.c.name.label("topic_name"),
    store.assessor.c.name.label("assessor_name"),
)


def _joined(query: sa.Select[Any]) -> sa.Select[Any]:
    judgment, task = store.judgment, store.task
    return (
        query.select_from(judgment)
        .join(task, judgment.c.task == task.c.id)
        .join(store.place, judgment.c.place == store.place.c.id)
        .join(store.topic, task.c.topic == store.topic.c.id)
        .join(store.assessor, judgment.c.assessor == store.assessor.c.id)
    )


def _conditions(wanted: Wanted) -> list[sa.ColumnElement[bool]]:
    judgment, task, document = store.judgment, store.task, store.document
    found: list[sa.ColumnElement[bool]] = []
    for column, value in (
        (store.topic.c.name, wanted.topic),
        (store.assessor.c.name, wanted.assessor),
        (task.c.purpose, wanted.purpose),
        (judgment.c.answer, wanted.answer),
    ):
        if value:
            found.append(column == value)
    if wanted.words:
        has = sa.select(document.c.id).where(document.c.name.icontains(wanted.words, autoescape=True))
        found.append(
            judgment.c.comment.icontains(wanted.words, autoescape=True)
            | task.c.first.in_(has)
            | task.c.second.in_(has)
        )
    if wanted.commented:
        found.append(judgment.c.comment != "")
    if wanted.withdrawn:
        found.append(judgment.c.withdrawn.is_not(None))
    return found


def _rows(connection: sa.Connection, rows: Sequence[Any]) -> list[JudgmentRow]:
    document = store.document
    numbers = {n for row in rows for n in (*row.given, row.first, row.second) if n is not None}
    names = {
        row.id: row.name
        for row in connection.execute(
            sa.select(document.c.id, document.c.name).where(document.c.id.in_(numbers))
        )
    }
    return [_row(row, names) for row in rows]


def _row(row: Any, names: Mapping[int, str]) -> JudgmentRow:
    sides = [row.first] if row.second is None else [row.first, row.second]
    if row.swapped:
        sides.reverse()
    documents = tuple(names[n] for n in sides)
    is_right = None
    expected = ""
    if row.expected is not None:
        is_right = right_answers.is_right(row.expected, row.swapped, row.answer, row.grades)
        seen = (
            row.expected
            if isinstance(row.expected, dict)
            else right_answers.as_seen(row.expected, row.swapped)
        )
        expected = _said(seen, documents) if isinstance(seen, str) else _labels(seen)
    return JudgmentRow(
        id=row.id,
        place=row.place,
        question=row.question,
        purpose=row.purpose,
        topic=row.topic_name,
        given=tuple(names[n] for n in row.given),
        documents=documents,
        assessor=row.assessor_name,
        answer=_labels(row.grades) if row.grades else _said(row.answer, documents),
        expected=expected,
        is_right=is_right,
        comment=row.comment,
        time=row.time,
        seconds=row.seconds,
        withdrawn=row.withdrawn,
        instructions=row.instructions,
    )


def _said(answer: str, documents: Sequence[str]) -> str:
    """An answer in words."""
    if answer in ("left", "right") and len(documents) == 2:
        return f"{documents[answer == 'right']} ({answer})"
    return {"tie": "about the same", "cannot": "cannot judge"}.get(answer, answer)


def _labels(grades: Mapping[str, str]) -> str:
    if len(grades) == 1:
        return next(iter(grades.values()))
    return ", ".join(f"{name}: {label}" for name, label in grades.items())
