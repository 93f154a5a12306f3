"""Taking judgments out of a study, and putting judgments into one."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

import sqlalchemy as sa

from rankprism.assess import access, store, work
from rankprism.assess.choice import Question
from rankprism.assess.creation import Settings, ids, insert_questions
from rankprism.assess.grade_files import GRADE_FORMATS, Grade, GradeLine, read_grades, write_grades
from rankprism.assess.store import Store
from rankprism.data.preferences import PreferenceRows, Preferences
from rankprism.errors import InputError, listed
from rankprism.formats.format import Written, written_by


class Answered(NamedTuple):
    """One preference as it was answered, with the names of everything."""

    topic: str
    given: tuple[str, ...]
    left: str
    right: str
    outcome: str
    assessor: str
    time: str
    comment: str
    seconds: float | None


def formats(settings: Settings) -> tuple[str, ...]:
    """How the judgments of a study may be written."""
    from rankprism.formats.known import PREFERENCE_FORMATS

    return GRADE_FORMATS if settings.collects_grades else tuple(written_by(PREFERENCE_FORMATS))


def file_name(text: str) -> str:
    """A name of a file that any system takes.

    >>> file_name("../My study: 1")
    'My-study-1'
    """
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")[:60] or "study"


def export(open_study: Store, to: str, *, identities: bool = False, with_gold: bool = False) -> Written:
    """The judgments of a study as the text of a file.

    Without `identities`, assessors are called a1, a2, … in the order in which they came. Practice is never
    exported, gold only if it is wanted, and "cannot judge" never.
    """
    with open_study.reading() as connection:
        settings = work.load(connection).settings
        if to not in formats(settings):
            raise InputError(f"cannot write this study as {to!r}; use one of {', '.join(formats(settings))}")
        purposes = ("study", "gold") if with_gold else ("study",)
        left_out = _left_out(connection, purposes)
        if settings.collects_grades:
            labels = grades(connection, identities, purposes)
            if not labels:
                raise InputError(f"{open_study.name}: nobody has judged anything yet")
            written = write_grades(labels, to)
        else:
            from rankprism.formats.known import PREFERENCE_FORMATS

            found = preferences(connection, identities, purposes)
            if found is None:
                raise InputError(f"{open_study.name}: nobody has judged anything yet")
            written = written_by(PREFERENCE_FORMATS)[to](found)
    notes = (f"left out: {left_out} tasks that could not be judged",) if left_out else ()
    return written._replace(notes=(*written.notes, *notes))


def provenance(open_study: Store) -> dict[str, Any]:
    """How the judgments came about: the settings of the study, what it was made of, and counts."""
    with open_study.reading() as connection:
        study = work.load(connection)
        judgment = store.judgment
        counted = sa.select(
            sa.func.count().filter(judgment.c.withdrawn.is_(None)),
            sa.func.count().filter(judgment.c.withdrawn.is_not(None)),
            sa.func.count(sa.distinct(judgment.c.assessor)),
            sa.func.min(judgment.c.time),
            sa.func.max(judgment.c.time),
        )
        judgments, withdrawn, assessors, first, last = connection.execute(counted).one()
        checked = {purpose: work.scores(connection, purpose).values() for purpose in ("practice", "gold")}
    settings = {name: value for name, value in vars(study.settings).items() if name != "completion_code"}
    return {
        "study": study.settings.name,
        "created": study.created,
        "exported": store.now(),
        "stopped": study.stopped,
        "judgments": judgments,
        "withdrawn": withdrawn,
        "assessors": assessors,
        "first": first,
        "last": last,
        **{
            purpose: {
                "right": sum(score.right for score in found),
                "answers": sum(score.answers for score in found),
            }
            for purpose, found in checked.items()
        },
        "settings": settings,
        **study.provenance,
    }


def answered(
    connection: sa.Connection, identities: bool, purposes: tuple[str, ...] = ("study",)
) -> list[Answered]:
    """Every preference in the order in which they were given, with the sides as they were seen."""
    task, topic, judgment, place, assessor = (
        store.task,
        store.topic,
        store.judgment,
        store.place,
        store.assessor,
    )
    names = _names(connection, store.document)
    found = connection.execute(
        sa.select(
            topic.c.name.label("topic"),
            task.c.given,
            task.c.first,
            task.c.second,
            place.c.swapped,
            judgment.c.answer,
            judgment.c.time,
            judgment.c.comment,
            judgment.c.seconds,
            assessor.c.id.label("number"),
            assessor.c.name.label("assessor"),
        )
        .join(task, judgment.c.task == task.c.id)
        .join(topic, task.c.topic == topic.c.id)
        .join(place, judgment.c.place == place.c.id)
        .join(assessor, judgment.c.assessor == assessor.c.id)
        .where(judgment.c.withdrawn.is_(None), task.c.purpose.in_(purposes), judgment.c.answer != "cannot")
        .order_by(judgment.c.id)
    )
    return [
        Answered(
            row.topic,
            tuple(names[d] for d in row.given),
            names[row.second if row.swapped else row.first],
            names[row.first if row.swapped else row.second],
            row.answer,
            row.assessor if identities else f"a{row.number}",
            row.time,
            row.comment,
            row.seconds,
        )
        for row in found
    ]


def preferences(
    connection: sa.Connection, identities: bool = False, purposes: tuple[str, ...] = ("study",)
) -> Preferences | None:
    """The preferences that were collected, or nothing if there are none."""
    rows = PreferenceRows("study")
    for number, one in enumerate(answered(connection, identities, purposes), 1):
        rows.add(f"judgment {number}", *one[:8])
    return rows.finished() if rows.cells else None


def grades(
    connection: sa.Connection, identities: bool = False, purposes: tuple[str, ...] = ("study",)
) -> list[Grade]:
    """Every label that was given."""
    task, topic, judgment, assessor = store.task, store.topic, store.judgment, store.assessor
    names = _names(connection, store.document)
    scales = _scales(connection)
    found = connection.execute(
        sa.select(
            topic.c.id.label("topic_id"),
            topic.c.name.label("topic"),
            task.c.first,
            judgment.c.grades,
            judgment.c.time,
            judgment.c.comment,
            assessor.c.id.label("number"),
            assessor.c.name.label("assessor"),
        )
        .join(task, judgment.c.task == task.c.id)
        .join(topic, task.c.topic == topic.c.id)
        .join(assessor, judgment.c.assessor == assessor.c.id)
        .where(judgment.c.withdrawn.is_(None), task.c.purpose.in_(purposes), judgment.c.answer == "graded")
        .order_by(judgment.c.id)
    )
    return [
        Grade(
            row.topic,
            name,
            names[row.first],
            label,
            scales[row.topic_id][name][label],
            row.assessor if identities else f"a{row.number}",
            row.time,
            row.comment,
        )
        for row in found
        for name, label in row.grades.items()
    ]


class _Given(NamedTuple):
    """A judgment from a file, as it is put into a study."""

    question: Question
    assessor: str
    answer: str
    swapped: bool
    grades: dict[str, str] | None
    time: str
    comment: str


def import_judgments(open_study: Store, source: Any, format: str | None = None) -> tuple[int, int]:
    """Put judgments from a file into a study: how many are new, and how many it had already.

    They are preferences or grades, whichever the study collects. Questions that the study does not have yet
    are added. What an assessor of this name has judged stays.
    """
    with open_study.reading() as connection:
        settings = work.load(connection).settings
        topics, documents = ids(connection, store.topic), ids(connection, store.document)
        scales = _scales(connection)
    if settings.collects_grades:
        given = _given_grades(source, format, topics, documents, scales)
    else:
        given = _given_preferences(source, format, topics, documents)
    added = 0
    with open_study.writing() as connection:
        insert_questions(connection, [one.question for one in given], settings, topics, documents)
        keys = sa.select(store.task.c.key, store.task.c.id).where(store.task.c.purpose == "study")
        tasks = {row.key: row.id for row in connection.execute(keys)}
        assessors = ids(connection, store.assessor)
        place = store.place
        places = connection.execute(sa.select(place.c.task, place.c.assessor))
        taken = {(row.task, row.assessor) for row in places}
        for one in given:
            if one.assessor not in assessors:
                assessors[one.assessor] = access.add_assessor(connection, one.assessor)
            task, who = tasks[one.question.key()], assessors[one.assessor]
            if (task, who) in taken:
                continue
            taken.add((task, who))
            _insert_answer(connection, task, who, one)
            added += 1
    return added, len(given) - added


def _given_preferences(
    source: Any, format: str | None, topics: Mapping[str, int], documents: Mapping[str, int]
) -> list[_Given]:
    from rankprism.formats.preference_rows import ANYBODY
    from rankprism.formats.preferences import read_preferences

    read = read_preferences(source, format=format)
    columns = read.columns()
    count = len(read)
    blank = [""] * count
    found = []
    for topic, docs, left, right, outcome, assessor, time, comment in zip(
        columns["topic"],
        columns["given"],
        columns["left"],
        columns["right"],
        columns["outcome"],
        columns.get("assessor", [ANYBODY] * count),
        columns.get("time", blank),
        columns.get("comment", blank),
        strict=True,
    ):
        question = Question.of(topic, docs.split(), left, right)
        _check_known(read.source, question, topics, documents)
        found.append(_Given(question, assessor, outcome, left != question.first, None, time, comment))
    return found


def _given_grades(
    source: Any,
    format: str | None,
    topics: Mapping[str, int],
    documents: Mapping[str, int],
    scales: Mapping[int, Mapping[str, Mapping[str, float]]],
) -> list[_Given]:
    """The labels of a file, together as they were given: all of one document by one assessor."""
    lines = read_grades(source, format)
    together: dict[tuple[Question, str], list[GradeLine]] = defaultdict(list)
    for line in lines:
        question = Question.of(line.topic, (), line.doc, None)
        _check_known(line.where, question, topics, documents)
        together[question, line.assessor].append(line)
    found = []
    for (question, assessor), several in together.items():
        scale = scales[topics[question.topic]]
        labels: dict[str, str] = {}
        for line in several:
            label = _label(line, scale)
            if labels.setdefault(line.aspect, label) != label:
                raise InputError(
                    f"{line.where}: {assessor!r} gave document {line.doc!r} of topic {line.topic!r} two "
                    f"labels of aspect {line.aspect!r}: {labels[line.aspect]!r} and {label!r}; keep one"
                )
        first = several[0]
        lacking = [name for name in scale if name not in labels]
        if lacking:
            raise InputError(
                f"{first.where}: document {first.doc!r} of topic {first.topic!r} has no label of aspect "
                f"{lacking[0]!r}; the study asks for {listed(scale)} at once, so add it, or leave the "
                f"document out"
            )
        grades = {name: labels[name] for name in scale}
        found.append(_Given(question, assessor, "graded", False, grades, first.time, first.comment))
    return found


def _label(line: GradeLine, scale: Mapping[str, Mapping[str, float]]) -> str:
    """The label of a line, or the one that its grade stands for."""
    if line.aspect not in scale:
        raise InputError(
            f"{line.where}: aspect {line.aspect!r} of topic {line.topic!r} is not in the study, which has "
            f"{listed(scale)}"
        )
    worth = scale[line.aspect]
    if line.label:
        if line.label not in worth:
            raise InputError(
                f"{line.where}: aspect {line.aspect!r} of topic {line.topic!r} has no label {line.label!r}, "
                f"only {listed(worth)}"
            )
        return line.label
    label = next((name for name, grade in worth.items() if grade == line.grade), None)
    if label is None:
        raise InputError(
            f"{line.where}: aspect {line.aspect!r} of topic {line.topic!r} has no label with grade "
            f"{line.grade:g}, only {listed(f'{grade:g}' for grade in worth.values())}"
        )
    return label


def _scales(connection: sa.Connection) -> dict[int, dict[str, dict[str, float]]]:
    """What each label is worth, by topic and aspect in the order of the study."""
    found: dict[int, dict[str, dict[str, float]]] = defaultdict(dict)
    for row in connection.execute(sa.select(store.aspect).order_by(store.aspect.c.id)):
        found[row.topic][row.name] = dict(zip(row.labels, row.grades, strict=True))
    return found


def _insert_answer(connection: sa.Connection, task: int, assessor: int, given: _Given) -> None:
    """An answer in a free place of its task, or in one more place if all are taken."""
    place = store.place
    values = {"assessor": assessor, "swapped": given.swapped, "done": True, "attempt": 1, "expires": None}
    free = connection.scalar(
        sa.select(place.c.id)
        .where(place.c.task == task, place.c.assessor.is_(None), place.c.done.is_(False))
        .limit(1)
    )
    if free is None:
        made = sa.insert(place).values(task=task, position=task, **values).returning(place.c.id)
        free = connection.execute(made).scalar_one()
    else:
        connection.execute(sa.update(place).where(place.c.id == free).values(values))
    connection.execute(
        sa.insert(store.judgment).values(
            place=free,
            attempt=1,
            task=task,
            assessor=assessor,
            answer=given.answer,
            grades=given.grades,
            comment=given.comment[: work.MOST_COMMENT],
            time=given.time or store.now(),
        )
    )


def _check_known(
    source: str, question: Question, topics: Mapping[str, int], documents: Mapping[str, int]
) -> None:
    if question.topic not in topics:
        raise InputError(
            f"{source}: topic {question.topic!r} is not in the study, which has {listed(topics)}"
        )
    for doc in question.documents:
        if doc not in documents:
            raise InputError(
                f"{source}: document {doc!r} is not in the study; make the study again with its text"
            )


def _names(connection: sa.Connection, table: sa.Table) -> dict[int, str]:
    return {row.id: row.name for row in connection.execute(sa.select(table.c.id, table.c.name))}


def _left_out(connection: sa.Connection, purposes: tuple[str, ...]) -> int:
    judgment, task = store.judgment, store.task
    return int(
        connection.scalar(
            sa.select(sa.func.count())
            .join(task, judgment.c.task == task.c.id)
            .where(
                judgment.c.withdrawn.is_(None), judgment.c.answer == "cannot", task.c.purpose.in_(purposes)
            )
        )
        or 0
    )
