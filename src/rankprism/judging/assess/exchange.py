"""Exports judgments from a study, and imports judgments into one."""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, NamedTuple

import sqlalchemy as sa

from rankprism.data import PreferenceRows, Preferences
from rankprism.errors import InputError, listed
from rankprism.formats import written_by
from rankprism.formats.format import Written
from rankprism.judging.assess import access, right_answers, store, study_state, work
from rankprism.judging.assess.choice import Question
from rankprism.judging.assess.grade_files import GRADE_FORMATS, Grade, GradeLine, read_grades, write_grades
from rankprism.judging.assess.insertion import ids, insert_questions
from rankprism.judging.assess.settings import Settings
from rankprism.judging.assess.store import Store


class Answered(NamedTuple):
    """One preference as it was answered, with names instead of numbers."""

    topic: str
    given: tuple[str, ...]
    left: str
    right: str
    outcome: str
    assessor: str
    time: str
    comment: str
    seconds: float | None


#: The grades of drawn documents with their probabilities, which `rankprism judges score` reads.
PEOPLE = "people"
#: A format for spreadsheets, which is not exact: see `guarded`.
GUARDED = "guarded-csv"
#: Where a spreadsheet may find a formula: at the start of a cell, and after a semicolon or a tab, because
#: some split cells there. OWASP's page "CSV Injection" lists the characters that begin a formula.
_FORMULA = re.compile(r"(^|[;\t\r\n])(?=[=+\-@\t\r\n＝＋－＠])")


def formats(settings: Settings) -> tuple[str, ...]:
    """The formats in which the judgments of a study can be written."""
    from rankprism.formats import PREFERENCE_FORMATS

    exact = GRADE_FORMATS if settings.collects_grades else tuple(written_by(PREFERENCE_FORMATS))
    return (*([PEOPLE] if settings.choice == "drawn" else []), *exact, GUARDED)


def ending(to: str) -> str:
    """The file ending of a format, without the dot."""
    return {GUARDED: "csv", PEOPLE: "tsv"}.get(to, to)


def guarded(table: bytes) -> bytes:
    r"""Turn a table with tabs into CSV, with an apostrophe before text that a spreadsheet might compute.

    >>> print(guarded(b"assessor\tcomment\na1\t=1+1\n").decode(), end="")
    "assessor","comment"
    "a1","'=1+1"
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL)
    for cells in csv.reader(io.StringIO(table.decode(), newline=""), delimiter="\t", strict=True):
        writer.writerow(_FORMULA.sub(r"\1'", cell) for cell in cells)
    return text.getvalue().encode()


def file_name(text: str) -> str:
    """Turn a text into a file name that any system accepts.

    >>> file_name("../My study: 1")
    'My-study-1'
    """
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")[:60] or "study"


def export(open_study: Store, to: str, *, identities: bool = False, with_gold: bool = False) -> Written:
    """Write the judgments of a study as the text of a file.

    Without `identities`, assessors are called a1, a2, … in the order in which they were added. Practice and
    "cannot judge" are never exported, and gold only with `with_gold`.
    """
    with open_study.reading() as connection:
        settings = study_state.load(connection).settings
        if to not in formats(settings):
            raise InputError(f"cannot write this study as {to!r}; use one of {', '.join(formats(settings))}")
        if to == PEOPLE:
            from rankprism.judging.assess import drawn_sample

            return drawn_sample.written(drawn_sample.drawn_sample(connection), open_study.name)
        purposes = ("study", "gold") if with_gold else ("study",)
        exact = "tsv" if to == GUARDED else to
        left_out = _left_out(connection, purposes)
        if settings.collects_grades:
            labels = grades(connection, identities, purposes)
            if not labels:
                raise InputError(f"{open_study.name}: nobody has judged anything yet")
            written = write_grades(labels, exact)
        else:
            from rankprism.formats import PREFERENCE_FORMATS

            found = preferences(connection, identities, purposes)
            if found is None:
                raise InputError(f"{open_study.name}: nobody has judged anything yet")
            written = written_by(PREFERENCE_FORMATS)[exact](found)
    if to == GUARDED:
        written = written._replace(text=guarded(written.text))
    notes = (f"left out: {left_out} tasks that could not be judged",) if left_out else ()
    return written._replace(notes=(*written.notes, *notes))


def provenance(open_study: Store) -> dict[str, Any]:
    """The origin of the judgments: the settings of the study, what it was made from, and counts."""
    with open_study.reading() as connection:
        study = study_state.load(connection)
        judgment = store.judgment
        counted = sa.select(
            sa.func.count().filter(judgment.c.withdrawn.is_(None)),
            sa.func.count().filter(judgment.c.withdrawn.is_not(None)),
            sa.func.count(sa.distinct(judgment.c.assessor)),
            sa.func.min(judgment.c.time),
            sa.func.max(judgment.c.time),
        )
        judgments, withdrawn, assessors, first, last = connection.execute(counted).one()
        checked = {
            purpose: right_answers.scores(connection, purpose).values() for purpose in ("practice", "gold")
        }
        versions = instruction_versions(connection)
    # Whoever knows how the study confirms that somebody has done the work can be paid without doing it.
    hidden = ("completion_code", "completion_url")
    settings = {name: value for name, value in asdict(study.settings).items() if name not in hidden}
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
        "instructions": [one._asdict() for one in versions],
        **study.provenance,
    }


class Instructions(NamedTuple):
    """A version of the instructions, and the answers of those who had seen it."""

    version: int
    since: str
    text: str
    judgments: int


def instruction_versions(connection: sa.Connection) -> list[Instructions]:
    """All versions of the instructions of a study, the first first."""
    table, judgment = store.instructions, store.judgment
    counted = (
        sa.select(sa.func.count())
        .where(judgment.c.instructions == table.c.version, judgment.c.withdrawn.is_(None))
        .scalar_subquery()
    )
    columns = (table.c.version, table.c.since, table.c.text, counted)
    return [Instructions(*row) for row in connection.execute(sa.select(*columns).order_by(table.c.version))]


def answered(
    connection: sa.Connection, identities: bool, purposes: tuple[str, ...] = ("study",)
) -> list[Answered]:
    """Every preference in the order in which it was given, with the sides as the assessor saw them."""
    names, task, place = _names(connection, store.document), store.task, store.place
    columns = (task.c.given, task.c.first, task.c.second, place.c.swapped)
    given = store.judgment.c.answer != "cannot"
    found = connection.execute(_of_answers(purposes, given, *columns, store.judgment.c.seconds))
    return [
        Answered(
            row.topic,
            tuple(names[d] for d in row.given),
            names[row.second if row.swapped else row.first],
            names[row.first if row.swapped else row.second],
            row.answer,
            row.assessor if identities else _pseudonym(row.number),
            row.time,
            row.comment,
            row.seconds,
        )
        for row in found
    ]


def _of_answers(
    purposes: tuple[str, ...], wanted: sa.ColumnElement[bool], *columns: sa.ColumnElement[Any]
) -> sa.Select[Any]:
    """The query for the answers that count, in the order in which they were given, with these columns."""
    task, topic, judgment = store.task, store.topic, store.judgment
    place, who = store.place, store.assessor
    shared = (judgment.c.answer, judgment.c.time, judgment.c.comment, who.c.id.label("number"))
    return (
        sa.select(topic.c.name.label("topic"), who.c.name.label("assessor"), *shared, *columns)
        .join(task, judgment.c.task == task.c.id)
        .join(topic, task.c.topic == topic.c.id)
        .join(place, judgment.c.place == place.c.id)
        .join(who, judgment.c.assessor == who.c.id)
        .where(judgment.c.withdrawn.is_(None), task.c.purpose.in_(purposes), wanted)
        .order_by(judgment.c.id)
    )


def preferences(
    connection: sa.Connection, identities: bool = False, purposes: tuple[str, ...] = ("study",)
) -> Preferences | None:
    """The preferences that were collected; None if there are none."""
    rows = PreferenceRows("study")
    for number, one in enumerate(answered(connection, identities, purposes), 1):
        rows.add(f"judgment {number}", *one[:8])
    return rows.finished() if rows.cells else None


def grades(
    connection: sa.Connection, identities: bool = False, purposes: tuple[str, ...] = ("study",)
) -> list[Grade]:
    """Every label that was given."""
    names, scales = _names(connection, store.document), scales_of(connection)
    graded = store.judgment.c.answer == "graded"
    columns = (store.topic.c.id.label("topic_id"), store.task.c.first, store.judgment.c.grades)
    found = connection.execute(_of_answers(purposes, graded, *columns))
    return [
        Grade(
            row.topic,
            name,
            names[row.first],
            label,
            scales[row.topic_id][name][label],
            row.assessor if identities else _pseudonym(row.number),
            row.time,
            row.comment,
        )
        for row in found
        for name, label in row.grades.items()
    ]


class _Given(NamedTuple):
    """A judgment from a file, as it is stored in a study."""

    question: Question
    assessor: str
    answer: str
    swapped: bool
    grades: dict[str, str] | None
    time: str
    comment: str

    @property
    def meaning(self) -> tuple[Any, ...]:
        return right_answers.meaning(self.answer, self.grades, self.swapped)


class Imported(NamedTuple):
    """The numbers of judgments in a file that were added, and that were not."""

    added: int
    known: int  #: judgments that the study had already
    different: int  #: judgments for which the study has, and keeps, another answer by the same assessor


def import_judgments(open_study: Store, source: Any, format: str | None = None) -> Imported:
    """Import judgments from a file into a study.

    The file has preferences or grades, whichever the study collects. Questions that are new to the study are
    added. If an assessor with the same name has already answered a task, that answer stays. If the assessor
    has only opened the task, the file answers it. An answer that was exported from this study without names
    is known by its pseudonym and its time.
    """
    with open_study.reading() as connection:
        settings = study_state.load(connection).settings
        topics, documents = ids(connection, store.topic), ids(connection, store.document)
        scales = scales_of(connection)
    if settings.collects_grades:
        given = _given_grades(source, format, topics, documents, scales)
    else:
        given = _given_preferences(source, format, topics, documents)
    added = different = 0
    with open_study.writing() as connection:
        insert_questions(connection, [one.question for one in given], settings, topics, documents)
        keys = sa.select(store.task.c.key, store.task.c.id).where(store.task.c.purpose == "study")
        tasks = {row.key: row.id for row in connection.execute(keys)}
        twins = _twins(connection)
        assessors = ids(connection, store.assessor)
        for who in sorted({assessors[one.assessor] for one in given if one.assessor in assessors}):
            work.one_at_a_time(connection, who)  # they may be answering at this moment
        judged, exported = _judged(connection)
        for one in given:
            task = tasks[one.question.key()]
            task = twins.get((task, one.swapped), task)
            own = exported.get((task, one.assessor, one.time))
            if own is not None:
                different += own != one.meaning
                continue
            if one.assessor not in assessors:
                assessors[one.assessor] = access.add_assessor(connection, one.assessor)
            who = assessors[one.assessor]
            if (task, who) in judged:
                different += judged[task, who] != one.meaning
                continue
            judged[task, who] = one.meaning
            _insert_answer(connection, task, who, one)
            added += 1
    return Imported(added, len(given) - added - different, different)


def _twins(connection: sa.Connection) -> dict[tuple[int, bool], int]:
    """The task that asks a question in the second order, by the task with the first and by its own side."""
    task, place = store.task, store.place
    rows = connection.execute(
        sa.select(task.c.repeats, place.c.swapped, task.c.id)
        .join(place, place.c.task == task.c.id)
        .where(task.c.purpose == "study", task.c.repeats.is_not(None))
    )
    return {(row.repeats, row.swapped): row.id for row in rows}


def _judged(connection: sa.Connection) -> tuple[dict[tuple[int, int], Any], dict[tuple[int, str, str], Any]]:
    """The answer of each assessor to each task, independent of the sides of the documents.

    Once by the number of the assessor, and once by the pseudonym and the time that `export` writes.
    """
    judgment, place = store.judgment, store.place
    rows = connection.execute(
        sa.select(
            *(judgment.c.task, judgment.c.assessor, judgment.c.time),
            *(judgment.c.answer, judgment.c.grades, place.c.swapped),
        )
        .join(place, judgment.c.place == place.c.id)
        .where(judgment.c.withdrawn.is_(None))
    ).all()
    meanings = [right_answers.meaning(row.answer, row.grades, row.swapped) for row in rows]
    by_number = {(row.task, row.assessor): said for row, said in zip(rows, meanings, strict=True)}
    exported = {
        (row.task, _pseudonym(row.assessor), row.time): said for row, said in zip(rows, meanings, strict=True)
    }
    return by_number, exported


def _pseudonym(assessor: int) -> str:
    """What an assessor is called in an export without identities."""
    return f"a{assessor}"


def _given_preferences(
    source: Any, format: str | None, topics: Mapping[str, int], documents: Mapping[str, int]
) -> list[_Given]:
    from rankprism.formats import read_preferences
    from rankprism.formats.preference_rows import ANYBODY

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
    """The labels of a file, grouped into judgments: all labels of one document by one assessor."""
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
    """The label of a line, or the label of its grade."""
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


def scales_of(connection: sa.Connection) -> dict[int, dict[str, dict[str, float]]]:
    """The grade of each label, by topic and aspect, in the order of the study."""
    found: dict[int, dict[str, dict[str, float]]] = defaultdict(dict)
    for row in connection.execute(sa.select(store.aspect).order_by(store.aspect.c.id)):
        found[row.topic][row.name] = dict(zip(row.labels, row.grades, strict=True))
    return found


def _insert_answer(connection: sa.Connection, task: int, assessor: int, given: _Given) -> None:
    """Store an answer in the place that the assessor has open, in a free place, or in a new one."""
    place = store.place
    values = {"assessor": assessor, "swapped": given.swapped, "done": True, "expires": None}
    unanswered = sa.select(place.c.id, place.c.attempt).where(place.c.task == task, place.c.done.is_(False))
    mine = unanswered.where(place.c.assessor == assessor).with_for_update()
    free = unanswered.where(place.c.assessor.is_(None)).limit(1).with_for_update(skip_locked=True)
    found = connection.execute(mine).first() or connection.execute(free).first()
    if found is None:
        made = sa.insert(place).values(task=task, position=task, attempt=1, **values)
        number, attempt = connection.execute(made.returning(place.c.id, place.c.attempt)).one()
    else:
        # This is a new attempt, because an open page may show the documents on the other sides.
        number, attempt = found.id, found.attempt + 1
        connection.execute(sa.update(place).where(place.c.id == number).values(attempt=attempt, **values))
    connection.execute(
        sa.insert(store.judgment).values(
            place=number,
            attempt=attempt,
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
