"""Inserts the topics, documents and questions of a study into its database."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import sqlalchemy as sa

from rankprism.data import Note, issue, some
from rankprism.errors import InputError
from rankprism.formats import Document, Topic
from rankprism.judging.assess import rendering, store
from rankprism.judging.assess.choice import Question, asked, is_swapped
from rankprism.judging.assess.graded_aspects import Aspects
from rankprism.judging.assess.known_answers import Check
from rankprism.judging.assess.question_plan import Plan
from rankprism.judging.assess.settings import Settings
from rankprism.judging.assess.study_files import Given
from rankprism.judging.judges import drawn
from rankprism.text import documents

#: The longest id of a topic, document or run, in bytes. A row of an index of PostgreSQL has 2,704 bytes.
LONGEST_ID = 2_000


def insert(connection: sa.Connection, given: Given, plan: Plan, assessors: Sequence[str]) -> None:
    """Fill the database of a new study."""
    insert_study(connection, given.settings, given.provenance)
    topic_ids = insert_topics(connection, plan.topics, given.aspects)
    document_ids = insert_documents(connection, given.texts)
    insert_rankings(connection, given.rankings, topic_ids, document_ids)
    insert_questions(connection, plan.questions, given.settings, topic_ids, document_ids)
    insert_drawing(connection, given.drawn)
    for purpose, checks in given.checks.items():
        insert_checks(connection, purpose, checks, topic_ids, document_ids)
    insert_assessors(connection, assessors)


def insert_study(connection: sa.Connection, settings: Settings, provenance: Mapping[str, Any]) -> None:
    from rankprism import __version__

    row = {
        "id": 1,
        "settings": asdict(settings),
        "provenance": {"rankprism": __version__, **provenance},
        "secret": secrets.token_hex(32),
        "created": store.now(),
    }
    connection.execute(sa.insert(store.study), [row])
    first = {"version": 1, "text": settings.instructions, "since": row["created"]}
    connection.execute(sa.insert(store.instructions), [first])


def insert_drawing(connection: sa.Connection, pairs: Sequence[drawn.DrawnPair]) -> None:
    """Record the batch and the probability of every pair that was drawn. Their tasks are in the study."""
    if not pairs:
        return
    task, upto = store.task, max(pair.batch for pair in pairs)
    numbers = {row.key: row.id for row in connection.execute(sa.select(task.c.key, task.c.id))}
    rows = [(numbers[asked(pair).key()], pair) for pair in pairs]
    batches = [{"number": number, "batch": pair.batch} for number, pair in rows]
    connection.execute(sa.update(task).where(task.c.id == sa.bindparam("number")), batches)
    connection.execute(
        sa.insert(store.drawing),
        [{"task": number, "upto": upto, "probability": pair.probability} for number, pair in rows],
    )


def insert_questions(
    connection: sa.Connection,
    questions: Sequence[Question],
    settings: Settings,
    topic_ids: Mapping[str, int],
    document_ids: Mapping[str, int],
) -> int:
    """Add questions that are new to the study, with a place for each wanted judgment. Return their number."""
    task, place = store.task, store.place
    if connection.dialect.name == "postgresql":  # nobody else may add tasks, which would get the same numbers
        connection.execute(sa.text("LOCK TABLE task IN SHARE ROW EXCLUSIVE MODE"))
    rows = connection.execute(sa.select(task.c.key, task.c.id).where(task.c.purpose == "study"))
    known = {row.key: row.id for row in rows}
    new = {q.key(): q for q in questions if q.key() not in known}
    if not new:
        return 0
    first = int(connection.scalar(sa.select(sa.func.max(task.c.id))) or 0) + 1
    numbers = known | {key: number for number, key in enumerate(new, first)}
    tasks, places = [], []
    for key, question in new.items():
        number = numbers[key]
        before = numbers[replace(question, again=False).key()] if question.again else None
        row = _task_row(question, "study", number, topic_ids, document_ids)
        tasks.append(row | {"id": number, "repeats": before})
        for copy in range(settings.overlap):
            places.append(
                {
                    "task": number,
                    "position": number,
                    "swapped": is_swapped(settings.seed, key, f"copy {copy}")
                    if question.swapped is None
                    else question.swapped,
                    "attempt": 0,
                    "done": False,
                }
            )
    connection.execute(sa.insert(task), tasks)
    connection.execute(sa.insert(place), places)
    if connection.dialect.name == "postgresql":  # the numbers are ours, so its own counter is behind
        connection.execute(sa.text("SELECT setval(pg_get_serial_sequence('task', 'id'), max(id)) FROM task"))
    return len(new)


def check_ids(kind: str, names: Iterable[str]) -> None:
    """Refuse ids that are too long for the indexes of PostgreSQL, in every database."""
    for name in names:
        size = len(name.encode("utf-8"))
        if size > LONGEST_ID:
            raise InputError(
                f"the id of a {kind} has {size:,} bytes, and a study takes at most {LONGEST_ID:,}; shorten "
                f"it ({name[:60]}…)"
            )


def ids(connection: sa.Connection, table: sa.Table) -> dict[str, int]:
    """The number of each name in a table."""
    return {row.name: row.id for row in connection.execute(sa.select(table.c.name, table.c.id))}


def insert_topics(
    connection: sa.Connection, topics: Sequence[Topic], aspects: Aspects | None
) -> dict[str, int]:
    check_ids("topic", [topic.id for topic in topics])
    rows = [{"name": t.id, "title": t.title, "description": t.description} for t in topics]
    connection.execute(sa.insert(store.topic), rows)
    found = ids(connection, store.topic)
    if aspects is not None:
        graded = [
            {
                "topic": found[topic.id],
                "name": name,
                "description": description,
                "labels": list(scale.names),
                "grades": list(scale.grades),
            }
            for topic in topics
            for name, description, scale in aspects.of(topic.id)
        ]
        connection.execute(sa.insert(store.aspect), graded)
    return found


def insert_documents(connection: sa.Connection, texts: Mapping[str, Document]) -> dict[str, int]:
    check_ids("document", texts)
    rows = [
        {"name": d.id, "title": d.title, "url": d.url, "type": d.type, "text": d.text}
        | rendering.cleaned(d.text, d.type)
        for d in texts.values()
    ]
    cut = [row["name"] for row in rows if documents.is_cut(row["cleaned"])]
    if cut:
        message = (
            f"{len(cut)} of {len(rows)} documents have more than {documents.MOST:,} characters, and "
            "assessors see only the beginning of them; if they should judge the rest, split the documents. "
            f"Documents: {some(cut)}"
        )
        issue([Note("long-documents", message, len(cut), cut[0])])
    connection.execute(sa.insert(store.document), rows)
    return ids(connection, store.document)


def insert_rankings(
    connection: sa.Connection,
    rankings: Mapping[str, Mapping[str, Sequence[str]]],
    topic_ids: Mapping[str, int],
    document_ids: Mapping[str, int],
) -> None:
    check_ids("run", rankings)
    rows = [
        {"run": run, "topic": topic_ids[topic], "rank": rank, "document": document_ids[doc]}
        for run, lists in rankings.items()
        for topic, docs in lists.items()
        for rank, doc in enumerate(docs, 1)
        if doc in document_ids
    ]
    if not rankings:
        return
    connection.execute(sa.insert(store.ranking), rows)
    lengths = [
        {"run": run, "topic": topic_ids[topic], "length": len(docs)}
        for run, lists in rankings.items()
        for topic, docs in lists.items()
    ]
    connection.execute(sa.insert(store.ranking_length), lengths)


def insert_checks(
    connection: sa.Connection,
    purpose: str,
    checks: Sequence[Check],
    topic_ids: Mapping[str, int],
    document_ids: Mapping[str, int],
) -> None:
    rows: dict[str, dict[str, Any]] = {}
    for number, check in enumerate(checks):
        if any(doc not in document_ids for doc in check.question.documents):
            continue  # --missing skip
        row = _task_row(check.question, purpose, number, topic_ids, document_ids)
        known = rows.setdefault(row["key"], row | {"expected": check.expected})
        if known["expected"] != check.expected:
            raise InputError(
                f"a {purpose} question about topic {check.question.topic!r} has two different answers: "
                f"{check.question.first!r} and {check.question.second!r}; keep one of them"
            )
    if rows:
        connection.execute(sa.insert(store.task), list(rows.values()))


def _task_row(
    question: Question,
    purpose: str,
    position: int,
    topic_ids: Mapping[str, int],
    document_ids: Mapping[str, int],
) -> dict[str, Any]:
    return {
        "key": question.key(purpose),
        "purpose": purpose,
        "position": position,
        "topic": topic_ids[question.topic],
        "given": [document_ids[doc] for doc in question.given],
        "first": document_ids[question.first],
        "second": None if question.second is None else document_ids[question.second],
    }


def insert_assessors(connection: sa.Connection, names: Sequence[str]) -> None:
    if names:
        rows = [{"name": name, "created": store.now()} for name in names]
        connection.execute(sa.insert(store.assessor), rows)
