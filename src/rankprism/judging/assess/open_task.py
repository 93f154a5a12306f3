"""The task that an assessor has open, with its documents and aspects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from rankprism.judging.assess import store
from rankprism.judging.assess.store import Store


@dataclass(frozen=True)
class Text:
    """A document as it is shown."""

    id: int
    name: str
    title: str
    url: str


@dataclass(frozen=True)
class Aspect:
    """Something to grade, with its labels from the lowest to the highest."""

    name: str
    description: str
    labels: tuple[str, ...]


@dataclass(frozen=True)
class Earlier:
    """An answer that was taken back."""

    answer: str = ""
    grades: Mapping[str, str] = field(default_factory=dict)
    comment: str = ""


@dataclass(frozen=True)
class Assignment:
    """A task that an assessor has open."""

    place: int
    attempt: int
    purpose: str
    topic: str
    title: str
    description: str
    given: tuple[Text, ...]
    documents: tuple[Text, ...]  #: left and right, or the document to grade
    aspects: tuple[Aspect, ...]
    before: Earlier  #: the answer that was taken back, if any

    def document(self, where: str) -> int | None:
        """The number of the document at a place of the page: left, right, or given-0, given-1, …."""
        places = dict(zip(("left", "right"), self.documents, strict=False))
        places |= {f"given-{i}": text for i, text in enumerate(self.given)}
        return places[where].id if where in places else None


def shown_document(
    open_study: Store, assessor: int, place: int, where: str
) -> tuple[sa.Row[Any], str] | None:
    """A document of a task, which the assessor must have open or have judged, and the title of the topic."""
    table, document = store.place, store.document
    with open_study.reading() as connection:
        row = connection.execute(
            sa.select(table).where(table.c.id == place, table.c.assessor == assessor)
        ).first()
        found = None if row is None else assignment_at(connection, row)
        number = None if found is None else found.document(where)
        text = connection.execute(sa.select(document).where(document.c.id == number)).first()
        return None if found is None or text is None else (text, found.title)


def aspects_of(open_study: Store, assessor: int, place: int) -> tuple[Aspect, ...]:
    """The aspects to grade at a place of the assessor."""
    table = store.place
    with open_study.reading() as connection:
        mine = sa.select(table).where(table.c.id == place, table.c.assessor == assessor)
        row = connection.execute(mine).first()
        return () if row is None else assignment_at(connection, row).aspects


def assignment_at(connection: sa.Connection, place: sa.Row[Any]) -> Assignment:
    task, topic, document, aspect, judgment = (
        store.task,
        store.topic,
        store.document,
        store.aspect,
        store.judgment,
    )
    row = connection.execute(
        sa.select(task, topic.c.name, topic.c.title, topic.c.description)
        .join(topic, task.c.topic == topic.c.id)
        .where(task.c.id == place.task)
    ).one()
    sides = [row.first] if row.second is None else [row.first, row.second]
    if place.swapped and row.second is not None:
        sides.reverse()
    columns = (document.c.id, document.c.name, document.c.title, document.c.url)
    wanted = sa.select(*columns).where(document.c.id.in_([*row.given, *sides]))
    texts = {found.id: Text(*found) for found in connection.execute(wanted)}
    aspects: tuple[Aspect, ...] = ()
    if row.second is None:
        graded = sa.select(aspect).where(aspect.c.topic == row.topic).order_by(aspect.c.id)
        aspects = tuple(
            Aspect(found.name, found.description, tuple(found.labels)) for found in connection.execute(graded)
        )
    before = Earlier()
    if place.attempt > 1:
        earlier = connection.execute(
            sa.select(judgment.c.answer, judgment.c.grades, judgment.c.comment)
            .where(judgment.c.place == place.id, judgment.c.assessor == place.assessor)
            .order_by(judgment.c.id.desc())
            .limit(1)
        ).first()
        if earlier is not None:
            before = Earlier(earlier.answer, earlier.grades or {}, earlier.comment)
    return Assignment(
        place=place.id,
        attempt=place.attempt,
        purpose=row.purpose,
        topic=row.name,
        title=row.title,
        description=row.description,
        given=tuple(texts[id] for id in row.given),
        documents=tuple(texts[id] for id in sides),
        aspects=aspects,
        before=before,
    )
