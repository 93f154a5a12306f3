"""How far the answers of each assessor agree with those of the others, and with their own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import sqlalchemy as sa

from rankprism.judging.assess import store
from rankprism.judging.assess.right_answers import Score, meaning

NONE = Score()


@dataclass(frozen=True)
class Consistency:
    """How many of the answers of an assessor agree with other answers to the same question."""

    others: Score = NONE  #: with the answers of others: one comparison for each of them
    own: Score = NONE  #: with the own earlier answer, where a question was asked again


def consistency(connection: sa.Connection) -> dict[int, Consistency]:
    """Compare all answers to the same questions, whatever the sides of the documents. "Cannot judge"
    does not count as an answer."""
    task, place, judgment = store.task, store.place, store.judgment
    rows = connection.execute(
        sa.select(
            sa.func.coalesce(task.c.repeats, task.c.id).label("question"),
            judgment.c.assessor,
            judgment.c.answer,
            judgment.c.grades,
            place.c.swapped,
        )
        .join(task, judgment.c.task == task.c.id)
        .join(place, judgment.c.place == place.c.id)
        .where(
            judgment.c.withdrawn.is_(None),
            judgment.c.answer != "cannot",
            task.c.purpose.in_(("study", "repeat")),
        )
    )
    answers: dict[int, list[tuple[int, Any]]] = defaultdict(list)
    for row in rows:
        said = meaning(row.answer, row.grades, row.swapped)
        answers[row.question].append((row.assessor, said))
    return compared(answers.values())


def compared(questions: Iterable[list[tuple[int, Any]]]) -> dict[int, Consistency]:
    """Compare the answers to each question. Each of them has its assessor.

    >>> found = compared([[(1, "first"), (2, "first"), (1, "tie")]])
    >>> found[1].others, found[1].own
    (Score(right=1, answers=2), Score(right=0, answers=1))
    """
    others: dict[int, list[bool]] = defaultdict(list)
    own: dict[int, list[bool]] = defaultdict(list)
    for answers in questions:
        for (one, said), (other, also) in combinations(answers, 2):
            if one == other:
                own[one].append(said == also)
            else:
                others[one].append(said == also)
                others[other].append(said == also)
    return {
        who: Consistency(*(Score(sum(found[who]), len(found[who])) for found in (others, own)))
        for who in {*others, *own}
    }
