"""The documents of a study that `rankprism judges select` drew, with what people said about them."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Any, NamedTuple

import sqlalchemy as sa

from rankprism.errors import InputError
from rankprism.formats.format import Written
from rankprism.judging.assess import exchange, store
from rankprism.judging.assess.grade_files import middle_grades


class Judged(NamedTuple):
    """A document that was drawn, and its grade on an aspect."""

    topic: str
    aspect: str
    doc: str
    grade: float
    probability: float
    batch: int


@dataclass(frozen=True)
class DrawnSample:
    """The batches that are judged completely.

    A document that is drawn and not judged would bias every score, so an incomplete batch is left out. The
    probability of a document is that of having been drawn in one of the batches that are here.
    """

    batches: int  #: all batches up to this one are judged; 0 if none is
    judged: tuple[Judged, ...]
    unreadable: int  #: number of documents that nobody could judge, which have the lowest grade
    waiting: int  #: number of judgments that the further batches still need
    drawn: int  #: number of documents in all batches

    @property
    def several_aspects(self) -> bool:
        return len({(one.topic, one.aspect) for one in self.judged}) > len({one.topic for one in self.judged})

    @property
    def people(self) -> list[dict[str, Any]]:
        """What `rankprism.judges.score` takes as people, with the probabilities.

        There is a column for the aspect only if a topic has several.
        """
        rows = [one._asdict() for one in self.judged]
        return rows if self.several_aspects else [_without_aspect(row) for row in rows]


def _without_aspect(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "aspect"}


def drawn_sample(connection: sa.Connection) -> DrawnSample:
    """Find the complete batches of a study, and the grades of their documents.

    Batches that were added together count together, because only the probability of having been drawn in
    any of them is known.
    """
    task, place, drawing = store.task, store.place, store.drawing
    counted = connection.execute(
        sa.select(task.c.batch, sa.func.count().filter(place.c.done.is_(False)).label("open"))
        .join(place, place.c.task == task.c.id)
        .where(task.c.batch.is_not(None))
        .group_by(task.c.batch)
    )
    open_places: dict[int, int] = {row.batch: row.open for row in counted}
    known = connection.scalars(sa.select(drawing.c.upto).distinct()).all()
    complete = [upto for upto in known if not any(n for b, n in open_places.items() if b <= upto)]
    last = max(complete, default=0)
    rows = connection.execute(
        sa.select(
            store.topic.c.id.label("topic_id"),
            store.topic.c.name.label("topic"),
            store.document.c.name.label("doc"),
            drawing.c.probability,
            task.c.batch,
        )
        .join(task, drawing.c.task == task.c.id)
        .join(store.topic, task.c.topic == store.topic.c.id)
        .join(store.document, task.c.first == store.document.c.id)
        .where(drawing.c.upto == last)
        .order_by(task.c.id)
    ).all()
    middle = middle_grades(exchange.grades(connection))
    scales = exchange.scales_of(connection)
    found, unreadable = [], 0
    for row in rows:
        scale = scales[row.topic_id]
        unreadable += all((row.topic, aspect, row.doc) not in middle for aspect in scale)
        for aspect, grades in scale.items():
            grade = middle.get((row.topic, aspect, row.doc), min(grades.values()))
            found.append(Judged(row.topic, aspect, row.doc, grade, row.probability, row.batch))
    return DrawnSample(
        last,
        tuple(found),
        unreadable,
        sum(n for batch, n in open_places.items() if batch > last),
        int(connection.scalar(sa.select(sa.func.count()).where(task.c.batch.is_not(None))) or 0),
    )


def written(found: DrawnSample, name: str) -> Written:
    """The table that `rankprism judges score` reads: the grades of people with their probabilities."""
    if not found.batches:
        raise InputError(
            f"{name}: no batch is judged completely, and scores from a part of it would be biased: "
            f"{found.waiting} judgments are missing; --to tsv writes what there is"
        )
    text = io.StringIO()
    rows = found.people
    writer = csv.DictWriter(text, list(rows[0]), delimiter="\t", lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow(row | {"grade": f"{row['grade']:g}", "probability": repr(row["probability"])})
    return Written(text.getvalue().encode(), {}, notes(found))


def notes(found: DrawnSample) -> tuple[str, ...]:
    """What a reader of the table must know."""
    said = []
    if found.waiting:
        said.append(
            f"left out: the documents of every batch after batch {found.batches}, because {found.waiting} "
            f"judgments are missing there"
        )
    if found.unreadable:
        said.append(
            f"{found.unreadable} documents that nobody could judge have the lowest grade, because scores "
            f"from a sample need a grade for every document that was drawn"
        )
    return tuple(said)
