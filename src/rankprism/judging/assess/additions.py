"""Adds questions to a study that may be running: a further batch of drawn documents, or more questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import sqlalchemy as sa

from rankprism.errors import InputError
from rankprism.formats import Document, Topic, files, read_documents, read_topics
from rankprism.judging.assess import store, study_state
from rankprism.judging.assess.choice import Question, asked, in_batches, in_both_orders, read_questions
from rankprism.judging.assess.insertion import ids, insert_documents, insert_drawing, insert_questions
from rankprism.judging.assess.settings import Settings
from rankprism.judging.assess.store import Store
from rankprism.judging.judges import drawn


class Added(NamedTuple):
    """How much was added to a study."""

    tasks: int
    judgments: int
    documents: int
    topics: int


def add(
    open_study: Store,
    source: files.PathLike,
    *,
    documents: files.PathLike | None = None,
    topics: files.PathLike | None = None,
) -> Added:
    """Add the questions of a file that are new to a study: all of them, or nothing.

    source : drawn documents or other questions, whichever the study asks, see `create_study`.
    documents, topics : the texts of documents and topics that the study does not have.
    """
    with open_study.reading() as connection:
        settings = study_state.load(connection).settings
        known = ids(connection, store.document)
    pairs: list[drawn.DrawnPair] = []
    if settings.choice == "drawn":
        pairs = in_batches(drawn.read_drawn(source))
        with open_study.reading() as connection:
            _check_batches(connection, source, pairs)
        questions = [asked(pair) for pair in pairs]
    else:
        questions = _questions(open_study.name, source, settings)
    wanted = {doc for question in questions for doc in question.documents} - set(known)
    texts = _texts(source, wanted, documents)
    words = {} if topics is None else read_topics(topics)
    with open_study.writing() as connection:
        _check_batches(connection, source, pairs)
        new = _insert_topics(connection, source, questions, words)
        if texts:
            insert_documents(connection, texts)
        topic_ids, document_ids = ids(connection, store.topic), ids(connection, store.document)
        number = insert_questions(connection, questions, settings, topic_ids, document_ids)
        if number:
            insert_drawing(connection, pairs)
    return Added(number, number * settings.overlap, len(texts), new)


def _questions(name: str, source: files.PathLike, settings: Settings) -> list[Question]:
    if settings.choice == "adaptive":
        raise InputError(f"{name}: chooses its questions itself (--choice adaptive), so none can be added")
    questions = read_questions(source, settings.ask)
    are_ordered = any(question.again for question in questions)
    if are_ordered and settings.both_orders == "no":
        raise InputError(
            f"{files.source_name(source)}: asks pairs in both orders, and {name} does not; make a study with "
            f"--both-orders"
        )
    if settings.both_orders != "no" and not are_ordered:
        return in_both_orders(questions, settings.batch, settings.seed)
    return questions


def _texts(
    source: files.PathLike, wanted: set[str], documents: files.PathLike | None
) -> Mapping[str, Document]:
    """The documents that are new to the study."""
    if not wanted:
        return {}
    found = {} if documents is None else read_documents(documents, wanted)
    lacking = sorted(wanted - set(found))
    if lacking:
        neither = "" if documents is None else f", and {files.source_name(documents)} has none either"
        raise InputError(
            f"{files.source_name(source)}: the study has no text for {len(lacking)} documents, such as "
            f"{lacking[0]!r}{neither}; name a file that has them with --documents"
        )
    return found


def _insert_topics(
    connection: sa.Connection,
    source: files.PathLike,
    questions: Sequence[Question],
    words: Mapping[str, Topic],
) -> int:
    """Add the topics that are new to the study, with the aspects that its other topics share."""
    known = ids(connection, store.topic)
    names = [name for name in dict.fromkeys(q.topic for q in questions) if name not in known]
    if not names:
        return 0
    aspect = store.aspect
    columns = (aspect.c.name, aspect.c.description, aspect.c.labels, aspect.c.grades)
    of: dict[int, list[dict[str, object]]] = {}
    for row in connection.execute(sa.select(aspect.c.topic, *columns).order_by(aspect.c.id)):
        of.setdefault(row.topic, []).append(dict(row._mapping) | {"topic": 0})
    kinds = list(of.values())
    if any(kind != kinds[0] for kind in kinds):
        raise InputError(
            f"{files.source_name(source)}: topic {names[0]!r} is not in the study, and its topics have "
            f"different subtopics, so it is not known what to grade in a new one; make a new study"
        )
    rows = [words.get(name, Topic(name, name)) for name in names]
    connection.execute(
        sa.insert(store.topic),
        [{"name": one.id, "title": one.title, "description": one.description} for one in rows],
    )
    if kinds:
        now = ids(connection, store.topic)
        graded = [one | {"topic": now[name]} for name in names for one in kinds[0]]
        connection.execute(sa.insert(aspect), graded)
    return len(names)


def _check_batches(
    connection: sa.Connection, source: files.PathLike, pairs: Sequence[drawn.DrawnPair]
) -> None:
    """Refuse drawn documents that do not go on from those that the study has."""
    if not pairs:
        return
    where, task = files.source_name(source), store.task
    rows = connection.execute(
        sa.select(store.topic.c.name.label("topic"), store.document.c.name.label("doc"), task.c.batch)
        .join(store.topic, task.c.topic == store.topic.c.id)
        .join(store.document, task.c.first == store.document.c.id)
        .where(task.c.batch.is_not(None))
    ).all()
    given = {(pair.topic, pair.doc): pair.batch for pair in pairs}
    last = max((row.batch for row in rows), default=0)
    for row in rows:
        if given.get((row.topic, row.doc)) != row.batch:
            raise InputError(
                f"{where}: document {row.doc!r} of topic {row.topic!r} is in batch {row.batch} of the study "
                f"and not in that of the file; add what `rankprism judges select --after` wrote, which has "
                f"the earlier batches, too"
            )
    known = {(row.topic, row.doc) for row in rows}
    for pair in pairs:
        if (pair.topic, pair.doc) not in known and pair.batch <= last:
            raise InputError(
                f"{where}: document {pair.doc!r} of topic {pair.topic!r} is in batch {pair.batch}, of which "
                f"the study has other documents; add a later batch, drawn with `judges select --after`"
            )
