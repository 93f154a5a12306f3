"""Preferences: which of two documents people would rather read, alone or after others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from rankprism._core import JudgmentTable
from rankprism.data.hits import Bools, Floats, Ints, Longs
from rankprism.errors import InputError, listed

#: What an assessor may say of two documents, and how much of a win that is for the left one.
OUTCOMES = {"left": 1.0, "right": 0.0, "tie": 0.5}


@dataclass(frozen=True, eq=False)
class Preferences:
    """One row for each judgment: an assessor saw two documents, left and right, and preferred one or neither.

    With no given document the row is a simple pair; with one it is a triplet: the assessor had just read that
    document. Made by `rankprism.read_preferences`. The columns hold positions in the tuples of names.
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

    def __len__(self) -> int:
        return len(self.topic)

    def __repr__(self) -> str:
        return (
            f"<Preferences {self.source}: {len(self)} judgments of {len(self.assessors)} assessors, "
            f"{len(self.topics)} topics>"
        )

    @cached_property
    def number_given(self) -> Longs:
        """(row,) how many documents were given: 0 for a pair, 1 for a triplet."""
        return np.array([len(docs) for docs in self.givens], dtype=np.int64)[self.given]

    @cached_property
    def table(self) -> JudgmentTable:
        """Every document that is named in a topic, so that runs can be aligned with preferences.

        A topic's documents are numbered by id descending, as those of absolute judgments are.
        """
        named = set(zip(self.topic.tolist(), self.left.tolist(), strict=True))
        named.update(zip(self.topic.tolist(), self.right.tolist(), strict=True))
        for t, g in set(zip(self.topic.tolist(), self.given.tolist(), strict=True)):
            named.update((t, doc) for doc in self.givens[g])
        rows = sorted(named)
        return JudgmentTable.from_columns(
            self.source,
            [self.topics[t] for t, _ in rows],
            ["0"] * len(rows),
            [self.docs[d] for _, d in rows],
            np.ones(len(rows)),
        )

    def rows(self, which: Bools | Longs) -> Preferences:
        """Some of the judgments. The names stay, so that positions keep their meaning."""
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
        )

    def of_assessors(self, names: Iterable[str]) -> Preferences:
        """The judgments of some assessors."""
        wanted = [names] if isinstance(names, str) else list(names)
        position = {name: i for i, name in enumerate(self.assessors)}
        for name in wanted:
            if name not in position:
                raise InputError(
                    f"{self.source}: no assessor is named {name!r}; there are {listed(self.assessors)}"
                )
        return self.rows(np.isin(self.assessor, [position[name] for name in wanted]))

    def to_frame(self, backend: str | None = None) -> Any:
        """One row for each judgment: topic, given, left, right, outcome, assessor, and time and comment if known."""
        from rankprism.formats.frames import make_frame

        return make_frame(self.columns(), backend)

    def columns(self) -> dict[str, list[str]]:
        """The judgments as columns of text; several given documents are separated by blanks."""
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
    """Preferences in the making: rows go in one by one, and each is checked."""

    source: str = "preferences"
    topics: dict[str, int] = field(default_factory=dict)
    docs: dict[str, int] = field(default_factory=dict)
    assessors: dict[str, int] = field(default_factory=dict)
    givens: dict[tuple[int, ...], int] = field(default_factory=lambda: {(): 0})
    cells: list[tuple[int, int, int, int, float, int]] = field(default_factory=list)
    times: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)

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
        """One judgment; `where` names its place in messages."""
        if left == right:
            raise InputError(f"{where}: document {left!r} stands on both sides; a pair needs two documents")
        for doc in given:
            if doc in (left, right):
                raise InputError(
                    f"{where}: document {doc!r} is given and also one of the two sides; remove it from one place"
                )
        if outcome not in OUTCOMES:
            raise InputError(f"{where}: the outcome {outcome!r} is none of {', '.join(OUTCOMES)}")
        numbers = tuple(sorted({_number(self.docs, doc) for doc in given}))
        self.cells.append(
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

    def finished(self, format: str | None = None) -> Preferences:
        if not self.cells:
            raise InputError(f"{self.source}: there are no preferences in it")
        topic, given, left, right, outcome, assessor = (
            np.array(column) for column in zip(*self.cells, strict=True)
        )
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
        )


def _number(names: dict[Any, int], name: Any) -> int:
    return names.setdefault(name, len(names))
