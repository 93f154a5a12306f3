"""Judgments: one table for all kinds of absolute judgments.

All absolute judgments are one table of (topic, aspect, document, grade). In a diversity collection, the
aspects of a topic are its own subtopics. In an ad hoc collection there is a single aspect called `0`.

The core keeps the table in the same order, whatever the order of the input was. Topics and aspects are
sorted as people list them: numbers come first, by value, and then everything else. The documents of a
topic are sorted by id, descending. This has two consequences. The same data in any form gives the same
scores to the last bit, because sums always run in the same order. And ties are easy to break: the
document with the smaller index has the larger id, and ndeval and trec_eval put the larger id first.

Each topic has its own small hash table of judged documents. A run is read one topic at a time, so the
table that is needed stays in the first-level cache. Most documents of a run are not judged. Each topic
has a row of bits, one for each hash, which identifies nearly all unjudged documents without a look at the
table.

A judgment takes two bytes: the number of its aspect within the topic, and the number of its grade among
the distinct grades of the file. Both columns get wider when a number needs it (`narrow.hpp`). The id of a
document is stored once for all its aspects. So 40 million judgments of a million topics take about half a
gigabyte. Python never sees these rows. It asks the core for the padded grades of a few topics at a time,
and makes lists of names only when something prints them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rankprism._core import JudgmentTable
from rankprism.data.note import Note, issue
from rankprism.errors import InputError, listed

if TYPE_CHECKING:
    from rankprism.data.hits import Cells
    from rankprism.data.scales import Scale

#: Names of aspects that several topics may share: they start with three letters and have no digits.
_WORD = re.compile(r"[^\W\d_]{3}[^\d]*")
#: Reasons why a label was set to the lowest of its aspect.
MISSING, BELOW, GIVEN = "missing", "below the scale", "given another aspect"


@dataclass(frozen=True, eq=False, repr=False)
class Judgments:
    """The grades of documents on the aspects of topics. `rankprism.read_judgments` makes judgments.

    In diversity judgments, the aspects of a topic are its own subtopics. In multi-aspect judgments, all
    topics have the same aspects. In ad hoc judgments, there is one aspect.
    """

    table: JudgmentTable
    source: str = "judgments"
    #: The files, if there are several, such as one for each aspect. Empty if `source` names the only one.
    files: tuple[str, ...] = ()
    #: The weight of each aspect, in the order of ``table.aspects``; None: all have the same weight.
    weights: npt.NDArray[np.float64] | None = field(default=None)
    #: Whether an aspect is navigational (one good document is enough), in the same order; None: none is.
    navigational: npt.NDArray[np.bool_] | None = field(default=None)
    #: Whether an aspect counts even if no document is relevant to it, in the same order; None: an aspect
    #: counts only if a document is relevant to it.
    counted: npt.NDArray[np.bool_] | None = field(default=None)
    #: The format of the file that the judgments were read from; None: there was no file.
    format: str | None = None
    #: The scale of each aspect, in the order in which they were named; None: the grades are 0, 1, 2, …
    scales: tuple[Scale, ...] | None = None
    #: The number of labels of each aspect that were set to the lowest, by reason.
    lowered: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    #: The notes from reading the judgments.
    notes: tuple[Note, ...] = ()

    def noting(self, notes: Iterable[Note]) -> Judgments:
        """Issue notes as warnings, and return the judgments with these notes added."""
        new = tuple(notes)
        if not new:
            return self
        issue(new)
        return replace(self, notes=(*self.notes, *new))

    def of_topics(self, topics: Iterable[str]) -> Judgments:
        """The judgments of some topics, with the weights of these."""
        kept = frozenset(topics)
        topic, aspect, doc, grade = self.table.columns()
        at = [n for n, name in enumerate(topic) if name in kept]
        bare = [one for one in zip(*self.table.bare_aspects(), strict=True) if one[0] in kept]
        if not at and not bare:
            raise InputError(f"{self.source}: has none of the topics {listed(sorted(kept))}")
        table = JudgmentTable.from_columns(
            self.source,
            [topic[n] for n in at],
            [aspect[n] for n in at],
            [doc[n] for n in at],
            np.asarray(grade)[at],
            [name for name, _ in bare],
            [name for _, name in bare],
        )
        own = [name in kept for name, names in self.aspects.items() for _ in names]
        return replace(
            self,
            table=table,
            weights=None if self.weights is None else self.weights[own],
            navigational=None if self.navigational is None else self.navigational[own],
            counted=None if self.counted is None else self.counted[own],
        )

    @cached_property
    def topics(self) -> tuple[str, ...]:
        return tuple(self.table.topics)

    @cached_property
    def aspects(self) -> dict[str, tuple[str, ...]]:
        """The aspects of each topic."""
        names, start = self.table.aspects, self.cells.aspect_start
        return {t: tuple(names[start[i] : start[i + 1]]) for i, t in enumerate(self.topics)}

    @cached_property
    def shared_aspects(self) -> tuple[str, ...]:
        """The aspects that all topics share, such as relevance and credibility; empty for subtopics.

        Without scales, the names decide: all topics must have the same two or more names, and these must be
        words, because subtopics are usually named by numbers or letters.
        """
        if self.scales is not None:
            named = tuple(scale.aspect for scale in self.scales)
            return named if len(named) > 1 else ()
        start = self.cells.aspect_start
        if len(start) < 3 or start[1] < 2 or (np.diff(start) != start[1]).any():
            return ()
        number, names = int(start[1]), self.table.aspects
        first = names[:number]
        if not all(map(_WORD.fullmatch, first)):
            return ()
        same = all(set(first) == set(names[i : i + number]) for i in range(number, len(names), number))
        return tuple(first) if same else ()

    @property
    def lower_is_better(self) -> dict[str, bool]:
        """The aspects whose settings say whether a lower score is better, and what they say."""
        scales = self.scales or ()
        return {scale.aspect: down for scale in scales if (down := scale.lower_is_better) is not None}

    @cached_property
    def cells(self) -> Cells:
        """All grades above 0 as arrays, from which hits and ideal rankings are made."""
        from rankprism.data.hits import Cells

        return Cells(
            self.table,
            self.weights,
            self.navigational,
            self.scales,
            self.table.graded_documents(),
            self.counted,
        )

    @cached_property
    def topics_without_relevant(self) -> tuple[str, ...]:
        return tuple(self.topics[t] for t in np.flatnonzero(self.cells.documents == 0))

    def marks(self, topic: int) -> list[str]:
        """For each relevant document of a topic, its aspects and grades: ``music:3 sport:1``.

        The documents are in the order in which the core numbers them. ⁿ marks a navigational aspect.
        """
        cells, names = self.cells, self.aspects[self.topics[topic]]
        here = slice(cells.start[topic], cells.start[topic + 1])
        found: list[list[str]] = [[] for _ in range(cells.documents[topic])]
        for doc, aspect, grade in zip(cells.doc[here], cells.aspect[here], cells.grade[here], strict=True):
            nav = cells.navigational is not None and cells.navigational[cells.aspect_start[topic] + aspect]
            found[doc].append(f"{names[aspect]}{'ⁿ' if nav else ''}:{grade:g}")
        return [" ".join(marks) for marks in found]

    def to_frame(self, backend: str | None = None) -> Any:
        """One row per judgment: topic, aspect, doc, grade. `backend`: pandas, polars or pyarrow."""
        from rankprism.data.frames import make_frame

        topic, aspect, doc, grade = self.table.columns()
        return make_frame({"topic": topic, "aspect": aspect, "doc": doc, "grade": grade}, backend)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle the table, which is in the core, as columns."""
        others = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "table"}
        return _rebuilt, ((*self.table.columns(), *self.table.bare_aspects()), others)

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        weighted = "" if self.weights is None else ", weighted aspects"
        return f"<Judgments {self.source}: {len(self)} grades, {len(self.topics)} topics{weighted}>"


def _rebuilt(columns: tuple[Any, ...], others: Mapping[str, Any]) -> Judgments:
    return Judgments(JudgmentTable.from_columns(others["source"], *columns), **others)
