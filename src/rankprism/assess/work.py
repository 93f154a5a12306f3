"""Giving tasks to assessors, and storing what they answer.

Each function is one transaction. A place is leased to one assessor at a time, and comes back when the lease
runs out. An answer belongs to a place and an attempt, and the database stores one answer for each attempt,
however often it is submitted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from rankprism.assess import store
from rankprism.assess.creation import Settings, is_swapped, read_settings
from rankprism.assess.store import Store
from rankprism.errors import InputError

#: What may be answered to a preference; `cannot` is stored and never exported.
ANSWERS = ("left", "right", "tie", "cannot")
#: What assessors are told about an answer that was not stored, by the outcome of `submit`.
REFUSED = {
    "differs": "You had answered that task already, perhaps in another tab. The earlier answer stays, and "
    "the new one was not stored. To change your answer, take it back.",
    "outdated": "That page was out of date, perhaps because of another tab. Nothing was stored; here is the "
    "task that is open for you.",
    "lost": "That task went to somebody else, because it was open for too long. Nothing was stored; here is "
    "another one.",
}
#: How long a comment may be.
MOST_COMMENT = 2000


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
    """A task that an assessor has before them."""

    place: int
    attempt: int
    purpose: str
    topic: str
    title: str
    description: str
    given: tuple[Text, ...]
    documents: tuple[Text, ...]  #: left and right, or the one to grade
    aspects: tuple[Aspect, ...]
    before: Earlier  #: what was answered before it was taken back

    def document(self, where: str) -> int | None:
        """The number of the document at a place of the page: left, right, or given-0, given-1, …."""
        places = dict(zip(("left", "right"), self.documents, strict=False))
        places |= {f"given-{i}": text for i, text in enumerate(self.given)}
        return places[where].id if where in places else None


@dataclass(frozen=True)
class Progress:
    """How far an assessor is."""

    done: int  #: how many questions they have answered, not counting practice
    can_undo: bool


@dataclass(frozen=True)
class Study:
    """What is known of a study before anything is asked of it."""

    settings: Settings
    secret: str
    stopped: str | None
    created: str
    provenance: Mapping[str, Any]
    address: str | None  #: where it was last served


def load(connection: sa.Connection) -> Study:
    """The study, or an error that says which part of it is damaged."""
    study = store.study
    # JSON is read here and not by SQLAlchemy, so that an error can name the column.
    written = [sa.cast(study.c[name], sa.Text).label(name) for name in ("settings", "provenance")]
    others = [study.c[name] for name in ("secret", "stopped", "created", "address")]
    row = connection.execute(sa.select(*written, *others)).first()
    try:
        if row is None:
            raise InputError("its row is missing")
        settings = read_settings(_json("settings", row.settings))
        provenance = _json("provenance", row.provenance)
    except InputError as error:
        raise InputError(
            f"{store.name_of(connection)}: the table study is damaged: {error}; restore a backup "
            f"(rankprism assess restore)"
        ) from None
    return Study(settings, row.secret, row.stopped, row.created, provenance, row.address)


def _json(name: str, text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise InputError(f"its column {name} is not JSON ({error})") from None
    if not isinstance(found, dict):
        raise InputError(f"its column {name} must be a JSON object; got {text[:40]}")
    return found


def begin(open_study: Store, connection: sa.Connection, settings: Settings, address: str) -> None:
    """Note that the study is served now, and where.

    The machine's clock may have gone back since it was served last. Then the leases' clock continues from the
    moment of the latest lease, so that none ends too early or too late.
    """
    place = store.place
    latest = connection.scalar(sa.select(sa.func.max(place.c.expires)).where(place.c.done.is_(False)))
    if latest is not None:
        open_study.clock.catch_up(latest - settings.lease)
    connection.execute(sa.update(store.study).values(address=address))


def next_task(open_study: Store, settings: Settings, assessor: int) -> Assignment | None:
    """The task that the assessor has, or a new one; nothing if there is none for them.

    Practice comes first. Then every so many tasks one is gold, and the others come in the order of the study.
    """
    with open_study.reading() as connection:
        held = _held(connection, assessor)
        if held is not None and held.expires - open_study.clock.now() > settings.lease / 2:
            return _assignment(connection, held)
    with open_study.writing() as connection:
        one_at_a_time(connection, assessor)
        leased = _leased(connection, settings, assessor, open_study.clock.now())
    return _shown(open_study, leased)


def submit(
    open_study: Store,
    assessor: int,
    place: int,
    attempt: int,
    answer: str,
    comment: str = "",
    grades: Mapping[str, str] | None = None,
) -> str:
    """Store an answer, unless there is one; what became of it.

    - "stored", or "again" if this very answer was stored before: it is on the disk when this returns.
    - "differs": the assessor has answered the task already, in another way. That answer stays.
    - "outdated": the assessor has the task, but has taken this answer back or got the task anew.
    - "lost": the task is not theirs any more.
    """
    with open_study.writing() as connection:
        one_at_a_time(connection, assessor)
        now = open_study.clock.now()
        return _stored(connection, assessor, place, attempt, answer, comment, grades, now)


def submit_and_next(
    open_study: Store,
    settings: Settings,
    assessor: int,
    place: int,
    attempt: int,
    answer: str,
    comment: str = "",
    grades: Mapping[str, str] | None = None,
) -> tuple[str, Assignment | None]:
    """`submit`, and the next task, in one transaction: the disk is waited for once."""
    with open_study.writing() as connection:
        one_at_a_time(connection, assessor)
        now = open_study.clock.now()
        outcome = _stored(connection, assessor, place, attempt, answer, comment, grades, now)
        leased = _leased(connection, settings, assessor, now)
    return outcome, _shown(open_study, leased)


def _shown(open_study: Store, leased: sa.Row[Any] | None) -> Assignment | None:
    """What is shown at a place. It is read when others may write again."""
    if leased is None:
        return None
    with open_study.reading() as connection:
        return _assignment(connection, leased)


def _stored(
    connection: sa.Connection,
    assessor: int,
    place: int,
    attempt: int,
    answer: str,
    comment: str,
    grades: Mapping[str, str] | None,
    now: float,
) -> str:
    table, judgment = store.place, store.judgment
    comment = comment[:MOST_COMMENT].replace("\0", "")
    row = connection.execute(_locked(sa.select(table).where(table.c.id == place))).first()
    if row is None or row.assessor != assessor:
        return "lost"
    if row.done or row.attempt != attempt:
        given = sa.select(judgment).where(judgment.c.place == place, judgment.c.attempt == attempt)
        known = connection.execute(given).first()
        if known is not None and (known.answer, known.grades, known.comment) == (answer, grades, comment):
            return "again"
        return "differs" if row.done else "outdated"
    connection.execute(
        sa.insert(judgment).values(
            place=place,
            attempt=attempt,
            task=row.task,
            assessor=assessor,
            answer=answer,
            grades=None if grades is None else dict(grades),
            comment=comment,
            time=store.now(),
            seconds=None if row.leased is None else round(max(0.0, now - row.leased), 3),
        )
    )
    connection.execute(sa.update(table).where(table.c.id == place).values(done=True, expires=None))
    return "stored"


def _leased(connection: sa.Connection, settings: Settings, assessor: int, now: float) -> sa.Row[Any] | None:
    found = _held(connection, assessor) or _fresh(connection, settings, assessor, now)
    if found is None:
        return None
    renewed: dict[str, Any] = {"expires": now + settings.lease}
    if found.assessor != assessor or found.expires is None:
        renewed |= {"assessor": assessor, "leased": now, "attempt": found.attempt + 1}
    place = store.place
    updated = sa.update(place).where(place.c.id == found.id).values(renewed)
    return connection.execute(updated.returning(*place.c)).one()


def undo(open_study: Store, settings: Settings, assessor: int) -> bool:
    """Take back the last answer of an assessor, who then has the task again. Nothing is deleted."""
    place, judgment = store.place, store.judgment
    with open_study.writing() as connection:
        one_at_a_time(connection, assessor)
        last = connection.execute(
            sa.select(judgment)
            .where(judgment.c.assessor == assessor, judgment.c.withdrawn.is_(None))
            .order_by(judgment.c.id.desc())
            .limit(1)
        ).first()
        if last is None:
            return False
        connection.execute(sa.update(judgment).where(judgment.c.id == last.id).values(withdrawn=store.now()))
        now = open_study.clock.now()
        connection.execute(
            sa.update(place)
            .where(place.c.id == last.place)
            .values(done=False, leased=now, expires=now + settings.lease, attempt=place.c.attempt + 1)
        )
    return True


def progress(connection: sa.Connection, assessor: int) -> Progress:
    """How far an assessor is."""
    counts = _counts(connection, assessor)
    return Progress(sum(n for purpose, n in counts.items() if purpose != "practice"), bool(counts))


def study_progress(connection: sa.Connection, settings: Settings) -> tuple[int, int]:
    """How many judgments the study has, and how many it wants."""
    place = store.place
    done, total = connection.execute(
        sa.select(sa.func.count().filter(place.c.done), sa.func.count()).where(place.c.position > 0)
    ).one()
    if settings.choice == "adaptive" and settings.budget is not None:
        total = settings.budget * settings.overlap
    return done, total


def shown_document(open_study: Store, assessor: int, place: int, where: str) -> sa.Row[Any] | None:
    """A document of a task that the assessor has before them or has judged, and of no other."""
    table, document = store.place, store.document
    with open_study.reading() as connection:
        row = connection.execute(
            sa.select(table).where(table.c.id == place, table.c.assessor == assessor)
        ).first()
        number = None if row is None else _assignment(connection, row).document(where)
        return connection.execute(sa.select(document).where(document.c.id == number)).first()


def aspects_of(open_study: Store, assessor: int, place: int) -> tuple[Aspect, ...]:
    """What is to be graded at a place of the assessor."""
    table = store.place
    with open_study.reading() as connection:
        mine = sa.select(table).where(table.c.id == place, table.c.assessor == assessor)
        row = connection.execute(mine).first()
        return () if row is None else _assignment(connection, row).aspects


def feedback(open_study: Store, assessor: int, place: int) -> str | None:
    """What would have been right, after an answer to a practice item; nothing for any other task."""
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
    side = as_seen(row.expected, row.swapped)
    words = {"left": "document A", "right": "document B", "tie": "about the same"}[side]
    return f"The organiser would have said: {words}."


def is_right(expected: Any, swapped: bool, answer: str, grades: Mapping[str, str] | None) -> bool:
    """Whether an answer is the expected one."""
    if isinstance(expected, dict):
        return grades is not None and all(grades.get(name) == label for name, label in expected.items())
    return answer == as_seen(expected, swapped)


@dataclass(frozen=True)
class Score:
    """How many of the questions with a known answer were answered, and how many of them right."""

    right: int = 0
    answers: int = 0


def scores(connection: sa.Connection, purpose: str) -> dict[int, Score]:
    """How each assessor did on the practice or gold questions; nobody who has answered none.

    After a practice question an assessor is told the right answer and may still take theirs back, so there
    the first answer counts. Of gold the one that stands counts.
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
    """The side of a winner: the first document stands left, unless the two are swapped."""
    if outcome == "tie":
        return outcome
    return "left" if (outcome == "first") != swapped else "right"


def stop(open_study: Store, why: str | None) -> None:
    """Give out no more tasks, and say why; or go on if there is no reason."""
    with open_study.writing() as connection:
        connection.execute(sa.update(store.study).values(stopped=why))


def one_at_a_time(connection: sa.Connection, assessor: int) -> None:
    """Let two tabs of one assessor wait for each other. In SQLite, everybody waits anyway."""
    if connection.dialect.name != "sqlite":
        mine = sa.select(store.assessor.c.id).where(store.assessor.c.id == assessor)
        connection.execute(_locked(mine))


# The statements of every answer are made once: to make them takes longer than to run them.
_HELD = (
    sa.select(store.place)
    .where(store.place.c.assessor == sa.bindparam("assessor"), store.place.c.done.is_(False))
    .order_by(store.place.c.leased.desc(), store.place.c.id)
    .limit(1)
)


def _held(connection: sa.Connection, assessor: int) -> sa.Row[Any] | None:
    """The place that the assessor works at, even if the lease has run out, as long as nobody else took it.

    After an answer was taken back there are two: that one comes first, and then the one that was before them.
    """
    return connection.execute(_HELD, {"assessor": assessor}).first()


def _fresh(connection: sa.Connection, settings: Settings, assessor: int, now: float) -> sa.Row[Any] | None:
    """A place for the assessor that nobody works at."""
    if connection.scalar(sa.select(store.study.c.stopped)) is not None:
        return None
    practice = _unseen(connection, assessor, "practice")
    if practice is not None:
        return _own_place(connection, settings, practice, assessor)
    number = sum(n for purpose, n in _counts(connection, assessor).items() if purpose != "practice")
    if settings.quota is not None and number >= settings.quota:
        return None
    free = connection.execute(_FREE, {"assessor": assessor, "now": now}).first()
    # The first gold question comes halfway through the first stretch, and none after everything else is done.
    if free is not None and number % settings.gold_every == settings.gold_every // 2:
        gold = _unseen(connection, assessor, "gold")
        if gold is not None:
            return _own_place(connection, settings, gold, assessor)
    return free


def _free_place() -> sa.Select[Any]:
    """The first place that is free for somebody who has not had its task."""
    place, mine = store.place, store.place.alias()
    theirs = sa.exists().where(mine.c.task == place.c.task, mine.c.assessor == sa.bindparam("assessor"))
    return (
        sa.select(place)
        .where(
            place.c.done.is_(False),
            place.c.position > 0,  # practice and gold have places of their own
            place.c.assessor.is_(None) | (place.c.expires < sa.bindparam("now")),
            ~theirs,
        )
        .order_by(place.c.position, place.c.id)
        .limit(1)
        .with_for_update(skip_locked=True)
    )


_FREE = _free_place()
_UNSEEN = (
    sa.select(store.task)
    .where(
        store.task.c.purpose == sa.bindparam("purpose"),
        ~sa.exists().where(
            store.place.c.task == store.task.c.id, store.place.c.assessor == sa.bindparam("assessor")
        ),
    )
    .order_by(store.task.c.position)
    .limit(1)
)
_COUNTS = (
    sa.select(store.task.c.purpose, sa.func.count().label("number"))
    .join(store.judgment, store.judgment.c.task == store.task.c.id)
    .where(store.judgment.c.assessor == sa.bindparam("assessor"), store.judgment.c.withdrawn.is_(None))
    .group_by(store.task.c.purpose)
)


def _unseen(connection: sa.Connection, assessor: int, purpose: str) -> sa.Row[Any] | None:
    """The first practice or gold task that the assessor has not had."""
    return connection.execute(_UNSEEN, {"assessor": assessor, "purpose": purpose}).first()


def _counts(connection: sa.Connection, assessor: int) -> dict[str, int]:
    """How many tasks of each purpose the assessor has answered."""
    rows = connection.execute(_COUNTS, {"assessor": assessor})
    return {row.purpose: row.number for row in rows}


def _own_place(
    connection: sa.Connection, settings: Settings, task: sa.Row[Any], assessor: int
) -> sa.Row[Any]:
    """A place for this assessor alone: everybody answers all practice and gold questions."""
    place = store.place
    made = connection.execute(
        sa.insert(place)
        .values(
            task=task.id,
            position=0,
            swapped=is_swapped(settings.seed, task.key, f"assessor {assessor}"),
            assessor=assessor,
            attempt=0,
            done=False,
        )
        .returning(*place.c)
    )
    return made.one()


def _assignment(connection: sa.Connection, place: sa.Row[Any]) -> Assignment:
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


def _locked(query: sa.Select[Any]) -> sa.Select[Any]:
    """Locks the rows, where the database can: SQLite locks everything anyway."""
    return query.with_for_update()
