"""Chooses the next questions of a study while it runs."""

from __future__ import annotations

import threading

import sqlalchemy as sa

from rankprism.judging.assess import exchange, store
from rankprism.judging.assess.background import Background
from rankprism.judging.assess.choice import Question, in_both_orders
from rankprism.judging.assess.dashboard import runs_of
from rankprism.judging.assess.insertion import ids, insert_questions
from rankprism.judging.assess.settings import Settings
from rankprism.judging.assess.store import Store
from rankprism.judging.preferences import Task, select


class Supply:
    """Keeps tasks ready in a study that chooses them adaptively."""

    def __init__(self) -> None:
        self.background = Background()
        self._lock = threading.Lock()

    def soon(self, open_study: Store, settings: Settings) -> None:
        """Choose more questions in the background if half of the last batch has been given out."""
        if settings.choice == "adaptive":
            self.background.start(lambda: self.now(open_study, settings, settings.batch // 2))

    def now(self, open_study: Store, settings: Settings, enough: int = 0) -> bool:
        """Choose more questions unless more than `enough` are waiting. Return whether there are new ones."""
        if settings.choice != "adaptive":
            return False
        with self._lock:
            return refill(open_study, settings, enough) > 0


def refill(open_study: Store, settings: Settings, enough: int = 0) -> int:
    """Add the questions that now tell most about the order of the systems, and return their number."""
    place, task = store.place, store.task
    with open_study.reading() as connection:
        waiting = connection.scalar(
            sa.select(sa.func.count()).where(
                place.c.done.is_(False), place.c.assessor.is_(None), place.c.position > 0
            )
        )
        asked = connection.scalar(sa.select(sa.func.count()).where(task.c.purpose == "study"))
        left = (settings.budget or 0) - int(asked or 0)
        orders = 1 if settings.both_orders == "no" else 2
        wanted = min(left, settings.batch) // orders
        if int(waiting or 0) > enough or wanted <= 0:
            return 0
        judged = exchange.preferences(connection)
        runs = runs_of(connection, settings.depth)
        pending = _pending(connection)
    chosen = select(
        runs,
        judged,
        wanted,
        measures=settings.measure,
        pending=pending,
        seed=settings.seed,
    )
    questions = [Question.of(one.topic, one.given, one.left, one.right) for one in chosen]
    if orders == 2:
        questions = in_both_orders(questions, settings.batch, settings.seed)
    with open_study.writing() as connection:
        return insert_questions(
            connection, questions, settings, ids(connection, store.topic), ids(connection, store.document)
        )


def _pending(connection: sa.Connection) -> list[Task]:
    """The questions of the study that nobody has answered or could judge."""
    task, topic, judgment = store.task, store.topic, store.judgment
    names = {
        row.id: row.name for row in connection.execute(sa.select(store.document.c.id, store.document.c.name))
    }
    answered = sa.exists().where(
        judgment.c.task == task.c.id, judgment.c.withdrawn.is_(None), judgment.c.answer != "cannot"
    )
    rows = connection.execute(
        sa.select(topic.c.name, task.c.given, task.c.first, task.c.second)
        .join(topic, task.c.topic == topic.c.id)
        .where(task.c.purpose == "study", task.c.repeats.is_(None), ~answered)
    )
    return [
        Task(name, tuple(names[d] for d in given), names[first], names[second])
        for name, given, first, second in rows
    ]
