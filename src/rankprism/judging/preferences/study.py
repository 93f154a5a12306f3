"""What a study has asked and answered so far, topic by topic."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankprism.data import Longs, Preferences
from rankprism.judging.preferences.rankings import Rankings, TopicRankings
from rankprism.measures import NONE, Comparisons, Shown
from rankprism.measures.preferences.utility import counted


@dataclass(frozen=True)
class Task:
    """A question to an assessor: which of two documents is better, after the given one if there is one?"""

    topic: str
    given: tuple[str, ...]  #: empty for a simple pair
    left: str
    right: str
    batch: int = 1  #: tasks of one batch may be judged at the same time
    order: int = (
        0  #: 1 or 2 if the question is asked in both orders, with the sides swapped in the second; else 0
    )

    @property
    def id(self) -> str:
        """An id of the question, which does not depend on the side of each document."""
        text = json.dumps([self.topic, sorted(self.given), sorted((self.left, self.right))])
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def record(self) -> dict[str, Any]:
        """As it is written to a file. With an `outcome` it can be read as a preference."""
        record = {
            "id": self.id,
            "batch": self.batch,
            "topic": self.topic,
            "given": list(self.given),
            "left": self.left,
            "right": self.right,
        }
        return record | ({"order": self.order} if self.order else {})


@dataclass(frozen=True, eq=False)
class TopicStudy:
    """One topic of a study: its rankings, what was judged and what was handed out."""

    docs: tuple[str, ...]  #: the documents of the rankings, and then others that were judged
    rankings: TopicRankings
    answered: Comparisons
    pending: Comparisons  #: without outcomes

    @property
    def left(self) -> Longs:
        return np.concatenate((self.answered.left, self.pending.left))

    @property
    def right(self) -> Longs:
        return np.concatenate((self.answered.right, self.pending.right))

    @property
    def given(self) -> Longs:
        return np.concatenate((self.answered.given, self.pending.given))

    @property
    def judged(self) -> Shown:
        """The answers, counted as the measures do."""
        seen = np.zeros(len(self.docs), dtype=bool)
        seen[self.answered.left], seen[self.answered.right] = True, True
        return counted(self.docs, seen, self.answered)

    def with_answers(self, more: Comparisons) -> TopicStudy:
        """The topic after more answers."""
        return TopicStudy(self.docs, self.rankings, Comparisons.joined([self.answered, more]), self.pending)

    def refused(self, overlap: int) -> Longs:
        """The numbers of the questions, see `question`, that were already asked this often."""
        asked = question(len(self.docs), self.given, self.left, self.right)
        numbers, times = np.unique(asked, return_counts=True)
        return numbers[times >= overlap]


@dataclass(frozen=True, eq=False)
class Study:
    """The topics of a study, in the order of the rankings."""

    topics: tuple[TopicStudy, ...]

    @property
    def asked(self) -> int:
        """How many questions were asked so far."""
        return sum(len(one.left) for one in self.topics)


def question(documents: int, given: Longs, left: Longs, right: Longs) -> Longs:
    """(N,) the number of each question, which does not depend on the side of each document"""
    z = np.where(given == NONE, documents, given)
    return np.asarray((z * documents + np.minimum(left, right)) * documents + np.maximum(left, right))


def study_of(rankings: Rankings, preferences: Any = None, pending: Iterable[Task] = ()) -> Study:
    """A study of these rankings in which this was judged and handed out.

    Judgments given several documents, and topics that no run has, do not help to choose.
    """
    from rankprism.formats import read_preferences

    rows: dict[str, list[tuple[str, str, str, float]]] = {topic: [] for topic in rankings.topics}
    open_rows: dict[str, list[tuple[str, str, str, float]]] = {topic: [] for topic in rankings.topics}
    if preferences is not None:
        read = read_preferences(preferences)
        for topic, given, left, right, outcome in _few_given(read):
            if topic in rows:
                rows[topic].append((given, left, right, outcome))
    for task in pending:
        if task.topic in open_rows and len(task.given) <= 1:
            open_rows[task.topic].append(("".join(task.given), task.left, task.right, 0.5))
    topics = []
    for topic, ranked in rankings.topics.items():
        named = sorted({doc for row in (*rows[topic], *open_rows[topic]) for doc in row[:3] if doc})
        number = {doc: d for d, doc in enumerate(ranked.docs)}
        for doc in reversed(named):
            number.setdefault(doc, len(number))
        answered, handed_out = (_compared(which[topic], number) for which in (rows, open_rows))
        topics.append(TopicStudy(tuple(number), ranked, answered, handed_out))
    return Study(tuple(topics))


def _few_given(read: Preferences) -> Iterable[tuple[str, str, str, str, float]]:
    """Topic, given, left, right and outcome of the pairs and triplets; given is empty for a pair."""
    given = [read.docs[docs[0]] if docs else "" for docs in read.givens]
    columns = (read.topic, read.given, read.left, read.right, read.outcome)
    few = read.number_given <= 1
    for t, g, left, right, outcome in zip(*(column[few].tolist() for column in columns), strict=True):
        yield read.topics[t], given[g], read.docs[left], read.docs[right], outcome


def _compared(rows: Sequence[tuple[str, str, str, float]], number: Mapping[str, int]) -> Comparisons:
    # Sorted, so that the order of the lines does not show in the last bits of a sum.
    places = sorted((number.get(z, NONE), number[a], number[b], x) for z, a, b, x in rows)
    given, left, right, outcome = np.array(places, dtype=np.float64).reshape(-1, 4).T
    return Comparisons(
        left.astype(np.int64), right.astype(np.int64), given.astype(np.int64), outcome.astype(np.float64)
    )
