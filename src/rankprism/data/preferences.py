"""Preferences: which of two documents people would rather read, at once or after other documents.

A measure declares what it `needs`. A measure of absolute judgments sees `Hits`. A measure of preferences
sees `PreferenceHits`, which are the rankings of one topic reduced to the documents that its preferences
name, and a `PreferencePool` with the counted judgments of all topics. `Preferences.table` lists the named
documents as a judgment table, so the same core code aligns runs with either kind. `evaluate` has one part
for each kind and puts their scores side by side.

To score with the judgments of some assessors only, `preferences/rescoring.py` counts their judgments at
the places that the documents have in all preferences. Runs are therefore aligned once, whatever the
number of resamples.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from rankprism._core import JudgmentTable
from rankprism.data.arrays import Bools, Floats, Ints, Longs
from rankprism.data.judgments import Judgments
from rankprism.data.note import stray_notes
from rankprism.errors import InputError, listed

#: The answers that an assessor may give, and the share of a win that each gives the left document.
OUTCOMES = {"left": 1.0, "right": 0.0, "tie": 0.5}


@dataclass(frozen=True, eq=False)
class Levels:
    """Documents on levels, as trec_eval's preference files list them: within a list, higher is preferred.

    There is one row for each document of a list. The lists of a judgment group belong to one assessor.
    """

    topic: Ints
    assessor: Ints
    listing: Ints  #: the number of the list (trec_eval's judgment sub-group)
    doc: Ints
    level: Floats  #: 0 means not relevant

    def rows(self, which: Bools | Longs) -> Levels:
        """Some of the rows."""
        return Levels(
            self.topic[which], self.assessor[which], self.listing[which], self.doc[which], self.level[which]
        )


@dataclass(frozen=True, eq=False)
class Preferences:
    """One row for each judgment: an assessor saw two documents, left and right, and preferred one or neither.

    A row without a given document is a simple pair. A row with one is a triplet: the assessor had just read
    that document. The columns hold positions in the tuples of names. `rankprism.read_preferences` makes
    preferences.
    """

    topics: tuple[str, ...]
    docs: tuple[str, ...]
    assessors: tuple[str, ...]
    givens: tuple[tuple[int, ...], ...]  #: the sets of given documents that occur, each in ascending order

    topic: Ints = field(repr=False)
    given: Ints = field(repr=False)
    left: Ints = field(repr=False)
    right: Ints = field(repr=False)
    outcome: Floats = field(repr=False)  #: 1 left, 0 right, ½ neither
    assessor: Ints = field(repr=False)
    time: tuple[str, ...] | None = field(default=None, repr=False)
    comment: tuple[str, ...] | None = field(default=None, repr=False)
    source: str = "preferences"
    format: str | None = None
    #: The lists of documents on levels from which the judgments were made, if they were.
    levels: Levels | None = field(default=None, repr=False)
    #: Whether left and right are the sides that assessors saw. Some formats only say which document won.
    sided: bool = True

    def __len__(self) -> int:
        return len(self.topic)

    def __repr__(self) -> str:
        return (
            f"<Preferences {self.source}: {len(self)} judgments of {len(self.assessors)} assessors, "
            f"{len(self.topics)} topics>"
        )

    @cached_property
    def number_given(self) -> Longs:
        """(row,) the number of given documents: 0 for a pair, 1 for a triplet."""
        return np.array([len(docs) for docs in self.givens], dtype=np.int64)[self.given]

    @cached_property
    def only_given(self) -> Longs:
        """(row,) the given document of a triplet, -1 for any other judgment."""
        return np.array([docs[0] if len(docs) == 1 else -1 for docs in self.givens], dtype=np.int64)[
            self.given
        ]

    @cached_property
    def table(self) -> JudgmentTable:
        """Every document that the preferences of a topic name, so that runs can be aligned with them.

        A topic's documents are numbered by descending id, as in absolute judgments.
        """
        number = len(self.docs)
        topics = [self.topic, self.topic]
        docs = [self.left, self.right]
        for t, g in (
            set(zip(self.topic.tolist(), self.given.tolist(), strict=True)) if self.givens != ((),) else ()
        ):
            topics.append(np.full(len(self.givens[g]), t, dtype=np.int32))
            docs.append(np.array(self.givens[g], dtype=np.int32))
        if self.levels is not None:  # a list with a single level gives no judgments
            topics.append(self.levels.topic)
            docs.append(self.levels.doc)
        rows = np.unique(np.concatenate(topics).astype(np.int64) * number + np.concatenate(docs))
        return JudgmentTable.from_columns(
            self.source,
            [self.topics[t] for t in (rows // number).tolist()],
            ["0"] * len(rows),
            [self.docs[d] for d in (rows % number).tolist()],
            np.ones(len(rows)),
        )

    @cached_property
    def named(self) -> Judgments:
        """`table` as judgments that runs can be aligned with: each named document has grade 1."""
        return Judgments(self.table, self.source, notes=tuple(stray_notes(self.source, self.table.stray())))

    @property
    def has_plain_names(self) -> bool:
        """Whether no id can have a byte-order mark, a no-break space or an outer blank in it.

        Then there is nothing to note, and millions of judgments need no `table` for it.
        """
        return all(
            name.isascii() and name == name.strip() for names in (self.topics, self.docs) for name in names
        )

    def rows(self, which: Bools | Longs) -> Preferences:
        """Some of the judgments. All names stay, so positions keep their meaning; levels are dropped."""
        at = np.flatnonzero(which) if which.dtype == np.bool_ else which

        def picked(texts: tuple[str, ...] | None) -> tuple[str, ...] | None:
            return None if texts is None else tuple(texts[i] for i in at)

        return replace(
            self,
            topic=self.topic[at],
            given=self.given[at],
            left=self.left[at],
            right=self.right[at],
            outcome=self.outcome[at],
            assessor=self.assessor[at],
            time=picked(self.time),
            comment=picked(self.comment),
            levels=None,
        )

    def of_topics(self, topics: Iterable[str]) -> Preferences:
        """The judgments of some topics, with their levels."""
        kept = frozenset(topics)
        known = np.array([topic in kept for topic in self.topics], dtype=bool)
        if not known.any():
            raise InputError(f"{self.source}: has none of the topics {listed(sorted(kept))}")
        levels = None if self.levels is None else self.levels.rows(known[self.levels.topic])
        return replace(self.rows(known[self.topic]), levels=levels)

    def of_assessors(self, names: Iterable[str]) -> Preferences:
        """The judgments of some assessors."""
        wanted = [names] if isinstance(names, str) else list(names)
        position = {name: i for i, name in enumerate(self.assessors)}
        for name in wanted:
            if name not in position:
                raise InputError(
                    f"{self.source}: no assessor is named {name!r}; there are {listed(self.assessors)}"
                )
        chosen = [position[name] for name in wanted]
        found = self.rows(np.isin(self.assessor, chosen))
        if self.levels is None:
            return found
        return replace(found, levels=self.levels.rows(np.isin(self.levels.assessor, chosen)))

    def to_frame(self, backend: str | None = None) -> Any:
        """A frame with one row for each judgment; its columns are those of `columns`."""
        from rankprism.data.frames import make_frame

        return make_frame(self.columns(), backend)

    def columns(self) -> dict[str, list[str]]:
        """The judgments as columns of text: topic, given, left, right, outcome, assessor; time and comment if
        known. Blanks separate several given documents."""
        given = [" ".join(self.docs[d] for d in docs) for docs in self.givens]
        word = {value: name for name, value in OUTCOMES.items()}
        columns = {
            "topic": [self.topics[t] for t in self.topic],
            "given": [given[g] for g in self.given],
            "left": [self.docs[d] for d in self.left],
            "right": [self.docs[d] for d in self.right],
            "outcome": [word[x] for x in self.outcome.tolist()],
            "assessor": [self.assessors[a] for a in self.assessor],
        }
        if self.time is not None:
            columns["time"] = list(self.time)
        if self.comment is not None:
            columns["comment"] = list(self.comment)
        return columns


@dataclass
class PreferenceRows:
    """Collects preferences row by row, and checks each row."""

    source: str = "preferences"
    topics: dict[str, int] = field(default_factory=dict)
    docs: dict[str, int] = field(default_factory=dict)
    assessors: dict[str, int] = field(default_factory=dict)
    givens: dict[tuple[int, ...], int] = field(default_factory=lambda: {(): 0})
    #: topic, given, left, right, outcome and assessor of each judgment, one after the other
    cells: array[float] = field(default_factory=lambda: array("d"))
    times: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    listings: dict[str, int] = field(default_factory=dict)
    #: topic, assessor, list and document of each row of `Levels`, with its level and place
    levels: dict[tuple[int, int, int, int], tuple[float, str]] = field(default_factory=dict)
    #: topic, assessor and document: whether it is above level 0, and the place that says so
    above: dict[tuple[int, int, int], tuple[bool, str]] = field(default_factory=dict)
    sided: bool = True

    def add(
        self,
        where: str,
        topic: str,
        given: Sequence[str],
        left: str,
        right: str,
        outcome: str,
        assessor: str,
        time: str = "",
        comment: str = "",
    ) -> None:
        """Add one judgment; `where` is its place in messages."""
        if left == right:
            raise InputError(f"{where}: document {left!r} is on both sides; a pair needs two documents")
        for doc in given:
            if doc in (left, right):
                raise InputError(
                    f"{where}: document {doc!r} is given and also one of the two sides; "
                    f"remove it from one place"
                )
        if outcome not in OUTCOMES:
            raise InputError(f"{where}: the outcome must be one of {', '.join(OUTCOMES)}; got {outcome!r}")
        numbers = tuple(sorted({_number(self.docs, doc) for doc in given}))
        self.cells.extend(
            (
                _number(self.topics, topic),
                _number(self.givens, numbers),
                _number(self.docs, left),
                _number(self.docs, right),
                OUTCOMES[outcome],
                _number(self.assessors, assessor),
            )
        )
        self.times.append(time)
        self.comments.append(comment)

    def add_plain(self, topic: str, left: str, right: str, outcome: str, assessor: str) -> bool:
        """Add a simple pair, if nothing about it needs a second look. Files have millions of such lines."""
        value = OUTCOMES.get(outcome)
        if value is None or left == right or not (topic and left and right and assessor):
            return False
        if topic.isspace() or left.isspace() or right.isspace():
            return False
        docs = self.docs
        self.cells.extend(
            (
                self.topics.setdefault(topic, len(self.topics)),
                0,
                docs.setdefault(left, len(docs)),
                docs.setdefault(right, len(docs)),
                value,
                self.assessors.setdefault(assessor, len(self.assessors)),
            )
        )
        self.times.append("")
        self.comments.append("")
        return True

    def add_level(self, where: str, topic: str, assessor: str, listing: str, doc: str, level: float) -> None:
        """Add one document of a list, in which documents on higher levels are preferred."""
        if level < 0:
            raise InputError(
                f"{where}: the level {level:g} is below 0, which is the level of documents that are not "
                f"relevant"
            )
        t, a, d = _number(self.topics, topic), _number(self.assessors, assessor), _number(self.docs, doc)
        row = (t, a, _number(self.listings, listing), d)
        if row in self.levels:
            raise InputError(
                f"{where}: document {doc!r} is in this list already, at {self.levels[row][1]}; "
                f"keep one of them"
            )
        relevant, place = self.above.setdefault((t, a, d), (level > 0, where))
        if relevant != (level > 0):
            raise InputError(
                f"{where}: document {doc!r} has level {level:g} here, and at {place} it is "
                + ("above 0" if relevant else "0")
                + f"; group {assessor!r} cannot call it relevant and not relevant"
            )
        self.levels[row] = (level, where)

    def finished(self, format: str | None = None) -> Preferences:
        levels = self._levels() if self.levels else None
        cells = np.array(self.cells).reshape(-1, 6)
        if levels is not None:
            cells = np.concatenate((cells, _pairs(levels)))
        if not len(cells):
            raise InputError(
                f"{self.source}: there are no preferences in it"
                + ("; all documents of every list have the same level" if levels is not None else "")
            )
        topic, given, left, right, outcome, assessor = cells.T
        return Preferences(
            tuple(self.topics),
            tuple(self.docs),
            tuple(self.assessors),
            tuple(self.givens),
            topic.astype(np.int32),
            given.astype(np.int32),
            left.astype(np.int32),
            right.astype(np.int32),
            outcome.astype(np.float64),
            assessor.astype(np.int32),
            tuple(self.times) if any(self.times) else None,
            tuple(self.comments) if any(self.comments) else None,
            self.source,
            format,
            levels,
            self.sided and levels is None,
        )

    def _levels(self) -> Levels:
        topic, assessor, listing, doc = np.array(list(self.levels), dtype=np.int32).T
        return Levels(topic, assessor, listing, doc, np.array([level for level, _ in self.levels.values()]))


def _pairs(levels: Levels) -> Floats:
    """(row, 6) a judgment for every two documents on different levels of a list, the better one left."""
    keys = np.stack((levels.topic, levels.assessor, levels.listing), axis=-1)
    _, member = np.unique(keys, axis=0, return_inverse=True)
    order = np.lexsort((levels.doc, -levels.level, member.ravel()))
    edges = np.flatnonzero(np.diff(member.ravel()[order], prepend=-1))
    found = [np.empty((0, 6))]
    for rows in np.split(order, edges[1:]):
        better, worse = np.nonzero(levels.level[rows][:, None] > levels.level[rows])
        pairs = np.zeros((len(better), 6))
        pairs[:, 0], pairs[:, 5] = levels.topic[rows[0]], levels.assessor[rows[0]]
        pairs[:, 2], pairs[:, 3], pairs[:, 4] = levels.doc[rows][better], levels.doc[rows][worse], 1.0
        found.append(pairs)
    return np.concatenate(found)


def _number(names: dict[Any, int], name: Any) -> int:
    return names.setdefault(name, len(names))
