"""Gives tasks to assessors, and stores their answers.

Each function is one transaction. A place is leased to one assessor at a time, and is free again when the
lease runs out. An answer belongs to a place and an attempt, and the database stores one answer for each
attempt, however often it is submitted.

`rankprism assess` keeps a study in one database, through SQLAlchemy's expressions and with a schema that
Alembic makes and changes (`assess/store.py`, `assess/migrations/`). A *task* is a question. A *place* is
one judgment that is wanted for a task. A task that three assessors are to judge has three places, and a
constraint lets each assessor have only one of them. A place is leased to an assessor with the number of
the attempt. An answer belongs to a place and an attempt, and the database accepts one answer for each. So
a retry, a second tab and a double click need no code of their own. If an answer is taken back, its row
stays and records the time. Each function of `assess/work.py` is one transaction. SQLite has one writer at
a time, and threads wait for their turn at a lock of ours, because SQLite's own waiting is neither fair
nor quick. A thread has one deadline for both kinds of waiting. Leases are measured by a clock that nobody
can set (`store.Clock`). Only `assess/database_file.py` puts a database file in its place, since SQLite
keeps answers in a second file beside it.

`assess/app.py` lists the paths and answers requests in threads; a request becomes a `Visit`, which
`assess/assessor_pages.py` and `assess/organiser_pages.py` turn into pages. `documents.py` cleans a
document when the study is made; the result is kept beside the original with the version of the cleaner,
and `serve` cleans again what another version has cleaned. Half-sent requests wait in
`assess/connections.py`, which counts the seconds, and cost no thread. Slower work, which is the order of
the systems and the choice of the next questions, is done in the background (`assess/background.py`), by
the public functions of `preferences/`. The web layer does no selecting or scoring of its own.

A pair that is asked in both orders is two tasks, of which the second names the first (`task.repeats`), so
that the constraint on places holds for each order, and one more condition says who may have the second. A
question that is repeated for an assessor is linked in the same way. Documents that `judges select` drew
have their batch in the task. Their probabilities are in a table of their own (`drawing`), with a row for
each file that was added, because a further batch changes the probability of having been drawn at all.
`assess/drawn_sample.py` finds the complete batches and the probabilities that belong to them, and
`assess/estimates.py` scores them with `judges.score`. `assess/audit.py` lists judgments,
`assess/consistency.py` and `assess/pace.py` describe assessors and speed, and `assess/charts.py` draws
SVG whose colours come from the style sheet, so that charts follow dark mode without a script or an inline
style.

A document is shown in a frame that may run no script, but has the origin of the page. So the page hears
keys that are pressed inside the document, and Tab reaches it in every browser. `assess/wording.py` has
the words of questions and buttons, which a study can replace, `assess/crowd.py` finds out who comes from
a crowd platform, and `assess/time_limit.py` ends work that takes too long.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import sqlalchemy as sa

from rankprism.judging.assess import store, time_limit
from rankprism.judging.assess.choice import is_swapped
from rankprism.judging.assess.open_task import Assignment, assignment_at
from rankprism.judging.assess.settings import Settings
from rankprism.judging.assess.store import Store
from rankprism.types import BothOrders

#: The possible answers to a preference; `cannot` is stored and never exported.
ANSWERS = ("left", "right", "tie", "cannot")
#: What assessors are told if an answer was not stored, by the outcome of `submit`.
REFUSED = {
    "differs": "You have already answered that task, perhaps in another tab. The earlier answer stays, and "
    "the new one was not stored. To change your answer, take it back.",
    "outdated": "That page was out of date, perhaps because of another tab. Nothing was stored; here is the "
    "task that is open for you.",
    "lost": "That task went to somebody else, because it was open for too long. Nothing was stored; here is "
    "another one.",
}
#: Largest number of characters of a comment.
MOST_COMMENT = 2000


@dataclass(frozen=True)
class Progress:
    """The progress of an assessor."""

    done: int  #: number of questions that they have answered, without practice
    practised: int  #: number of practice questions that they have answered
    can_undo: bool


def next_task(open_study: Store, settings: Settings, assessor: int) -> Assignment | None:
    """The task that the assessor has open, or a new one; None if there is no task for them.

    Practice comes first. Then one in every `gold_every` tasks is gold, one in every `repeat_every` was
    answered before, and the others follow the order of the study.
    """
    with open_study.reading() as connection:
        held = _held(connection, assessor)
        if time_limit.is_over(connection, settings, assessor):
            return None
        if held is not None and held.expires - open_study.clock.now() > settings.lease / 2:
            return assignment_at(connection, held)
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
    """Store an answer unless there is one, and return the outcome.

    - "stored", or "again" if the same answer was stored before: it is on the disk when this returns.
    - "differs": the assessor has already answered the task differently. That answer stays.
    - "outdated": the assessor has the task, but has taken this answer back or got the task again.
    - "lost": the task is no longer theirs.
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
    """`submit`, and give the next task, in one transaction, which waits for the disk only once."""
    with open_study.writing() as connection:
        one_at_a_time(connection, assessor)
        now = open_study.clock.now()
        outcome = _stored(connection, assessor, place, attempt, answer, comment, grades, now)
        leased = _leased(connection, settings, assessor, now)
    return outcome, _shown(open_study, leased)


def _shown(open_study: Store, leased: sa.Row[Any] | None) -> Assignment | None:
    """The task at a place. It is read after the transaction, when others may write again."""
    if leased is None:
        return None
    with open_study.reading() as connection:
        return assignment_at(connection, leased)


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
            instructions=sa.select(store.assessor.c.instructions)
            .where(store.assessor.c.id == assessor)
            .scalar_subquery(),
        )
    )
    connection.execute(sa.update(table).where(table.c.id == place).values(done=True, expires=None))
    return "stored"


def _leased(connection: sa.Connection, settings: Settings, assessor: int, now: float) -> sa.Row[Any] | None:
    # An answer that was being given when the time ended counts, but it is the last one.
    if time_limit.is_over(connection, settings, assessor):
        return None
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
        if last is None or time_limit.is_over(connection, settings, assessor):
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
    """The progress of an assessor."""
    counts = _counts(connection, assessor)
    practised = counts.get("practice", 0)
    return Progress(sum(counts.values()) - practised, practised, bool(counts))


def study_progress(connection: sa.Connection, settings: Settings) -> tuple[int, int]:
    """The number of judgments that the study has, and the number that it wants."""
    place = store.place
    done, total = connection.execute(
        sa.select(sa.func.count().filter(place.c.done), sa.func.count()).where(place.c.position > 0)
    ).one()
    if settings.choice == "adaptive" and settings.budget is not None:
        total = settings.budget * settings.overlap
    return done, total


def most_left(connection: sa.Connection, settings: Settings, assessor: int, done: int) -> int:
    """The largest number of questions that an assessor who has answered `done` may still get.

    It may become fewer, because others answer the same questions, and it leaves practice out.
    """
    task, place, mine = store.task, store.place, store.place.alias()
    number = sa.func.count()

    def count(query: sa.Select[Any]) -> int:
        return int(connection.scalar(query, {"assessor": assessor}) or 0)

    _, are_assigned = connection.execute(_STATE).one()
    # A pair that is to be judged in its first order comes in its second order later.
    places = _open_places("no" if settings.both_orders == "same" else settings.both_orders, are_assigned)
    found = places.with_only_columns(place.c.task).subquery()
    question: sa.ColumnElement[int] = found.c.task
    if settings.both_orders == "different":  # only one of the two orders is for this assessor
        question = sa.func.coalesce(task.c.repeats, task.c.id)
    left = count(
        sa.select(sa.func.count(sa.distinct(question))).join_from(found, task, task.c.id == found.c.task)
    )
    left += count(sa.select(number).where(place.c.assessor == assessor, ~place.c.done, place.c.position > 0))
    if settings.choice == "adaptive" and settings.budget is not None:
        left += settings.budget - count(sa.select(number).where(task.c.purpose == "study"))
    if left:
        answered = sa.exists().where(mine.c.task == task.c.id, mine.c.assessor == assessor, mine.c.done)
        gold = count(sa.select(number).where(task.c.purpose == "gold", ~answered))
        left += min(gold, left // (settings.gold_every - 1) + 1)
        left += left // (settings.repeat_every - 1) + 1 if settings.repeat_every else 0
    return left if settings.quota is None else min(left, max(0, settings.quota - done))


def number_of_practice(connection: sa.Connection) -> int:
    """The number of practice questions, which everybody answers first."""
    return int(connection.scalar(sa.select(sa.func.count()).where(store.task.c.purpose == "practice")) or 0)


def one_at_a_time(connection: sa.Connection, assessor: int) -> None:
    """Make two tabs of one assessor wait for each other. In SQLite, all writers wait anyway."""
    if connection.dialect.name != "sqlite":
        mine = sa.select(store.assessor.c.id).where(store.assessor.c.id == assessor)
        connection.execute(_locked(mine))


_MINE, _TWIN = store.place.alias(), store.task.alias()
# The statements that every answer needs are made once, because making them takes longer than running them.
_HELD = (
    sa.select(store.place)
    .where(store.place.c.assessor == sa.bindparam("assessor"), store.place.c.done.is_(False))
    .order_by(store.place.c.leased.desc(), store.place.c.id)
    .limit(1)
)


def _held(connection: sa.Connection, assessor: int) -> sa.Row[Any] | None:
    """The place that the assessor has open, even if the lease has run out, unless somebody else has taken it.

    After an answer is taken back, there are two: its place comes first, and then the place that was open.
    """
    return connection.execute(_HELD, {"assessor": assessor}).first()


def _fresh(connection: sa.Connection, settings: Settings, assessor: int, now: float) -> sa.Row[Any] | None:
    """A place for the assessor that nobody has open."""
    stopped, are_assigned = connection.execute(_STATE).one()
    if stopped is not None:
        return None
    practice = _unseen(connection, assessor, "practice")
    if practice is not None:
        return _own_place(connection, settings, practice, assessor)
    number = sum(n for purpose, n in _counts(connection, assessor).items() if purpose != "practice")
    if settings.quota is not None and number >= settings.quota:
        return None
    query = _free_place(settings.both_orders, bool(are_assigned))
    free = connection.execute(query, {"assessor": assessor, "now": now}).first()
    # The first gold question comes after `gold_every` / 2 answers, and none when no other question is left.
    if free is not None and number % settings.gold_every == settings.gold_every // 2:
        gold = _unseen(connection, assessor, "gold")
        if gold is not None:
            return _own_place(connection, settings, gold, assessor)
    if free is not None and settings.repeat_every and number and number % settings.repeat_every == 0:
        earlier = connection.execute(_EARLIER, {"assessor": assessor}).first()
        if earlier is not None:
            return _repeated(connection, earlier, assessor)
    return free


@cache
def _free_place(orders: BothOrders, are_assigned: bool) -> sa.Select[Any]:
    """The query for the first place that an assessor may have and nobody has."""
    place = store.place
    free = place.c.assessor.is_(None) | (place.c.expires < sa.bindparam("now"))
    ordered = _open_places(orders, are_assigned).where(free).order_by(place.c.position, place.c.id).limit(1)
    return ordered.with_for_update(skip_locked=True, of=place)


def _open_places(orders: BothOrders, are_assigned: bool) -> sa.Select[Any]:
    """The query for the places without an answer whose task the assessor may have and has not had.

    orders : with "same", a pair comes in the second order only to those who have judged it in the first, and
        with "different" it comes in either order only to those who have not had it in the other.
    are_assigned : whether some topics are only for some assessors.
    """
    place, task, mine, twin = store.place, store.task, store.place.alias(), store.task.alias()
    who: sa.BindParameter[int] = sa.bindparam("assessor")
    found = sa.select(place).where(
        place.c.done.is_(False),
        place.c.position > 0,  # practice, gold and repeated questions have places of their own
        ~sa.exists().where(mine.c.task == place.c.task, mine.c.assessor == who),
    )
    if orders != "no" or are_assigned:
        found = found.join(task, place.c.task == task.c.id)
    first = sa.exists().where(mine.c.task == task.c.repeats, mine.c.assessor == who)
    second = sa.exists().where(twin.c.repeats == task.c.id, mine.c.task == twin.c.id, mine.c.assessor == who)
    if orders == "same":
        found = found.where(task.c.repeats.is_(None) | first.where(mine.c.done))
    elif orders == "different":
        found = found.where(~first, ~second)
    if are_assigned:
        of_topic = sa.exists().where(store.assigned.c.topic == task.c.topic)
        found = found.where(~of_topic | of_topic.where(store.assigned.c.assessor == who))
    return found


_STATE = sa.select(store.study.c.stopped, sa.exists(sa.select(store.assigned.c.topic)))
#: The question that the assessor has answered longest ago and that was not repeated for them.
_EARLIER = (
    sa.select(store.task, store.place.c.swapped)
    .join(store.judgment, store.judgment.c.task == store.task.c.id)
    .join(store.place, store.judgment.c.place == store.place.c.id)
    .where(
        store.judgment.c.assessor == sa.bindparam("assessor"),
        store.judgment.c.withdrawn.is_(None),
        store.judgment.c.answer != "cannot",
        store.task.c.purpose == "study",
        ~sa.exists().where(
            _TWIN.c.repeats == store.task.c.id,
            _MINE.c.task == _TWIN.c.id,
            _MINE.c.assessor == sa.bindparam("assessor"),
        ),
    )
    .order_by(store.judgment.c.id)
    .limit(1)
)
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
    """The number of tasks of each purpose that the assessor has answered."""
    rows = connection.execute(_COUNTS, {"assessor": assessor})
    return {row.purpose: row.number for row in rows}


def _own_place(
    connection: sa.Connection, settings: Settings, task: sa.Row[Any], assessor: int
) -> sa.Row[Any]:
    """Add a place for this assessor alone: everybody answers all practice and gold questions."""
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


def _repeated(connection: sa.Connection, earlier: sa.Row[Any], assessor: int) -> sa.Row[Any]:
    """Ask this assessor again what they have answered before, with the documents on the other sides."""
    task, place = store.task, store.place
    copied = {name: getattr(earlier, name) for name in ("topic", "given", "first", "second")}
    key = f"repeat {earlier.id} {assessor}"
    inserted = sa.insert(task).values(key=key, purpose="repeat", position=0, repeats=earlier.id, **copied)
    number = connection.execute(inserted.returning(task.c.id)).scalar_one()
    made = sa.insert(place).values(
        task=number, position=0, swapped=not earlier.swapped, assessor=assessor, attempt=0, done=False
    )
    return connection.execute(made.returning(*place.c)).one()


def _locked(query: sa.Select[Any]) -> sa.Select[Any]:
    """Lock the rows, if the database can. SQLite locks everything anyway."""
    return query.with_for_update()
