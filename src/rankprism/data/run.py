"""Runs: a system's ranking for each topic, and the ranks of the judged documents in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankprism._core import RunTable
from rankprism.data.arrays import Ints, Longs
from rankprism.data.judgments import Judgments
from rankprism.data.reading import Reading
from rankprism.errors import InputError


class Groups(NamedTuple):
    """The groups of tied documents: those with the same score, or the same rank if ranks decide the order."""

    start: npt.NDArray[np.int32]  #: for each judged document, the number of documents above its group
    size: npt.NDArray[np.int32]  #: for each judged document, the number of documents in its group
    tied: npt.NDArray[np.int32]  #: for each topic, the number of groups of two documents or more


#: Bits for what the core notices about the ranking of a topic.
DISAGREEING = 1  # a document has a better rank and a lower score than another
RISING = 2  # the scores rise from the first rank to the last, or only number the lines
EQUAL = 4  # there are several documents, and all have the same score


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """A named run with the columns topic, document, score and, if the source has ranks, rank.

    `rankprism.read_run` makes runs.
    """

    name: str
    table: RunTable

    @cached_property
    def topics(self) -> tuple[str, ...]:
        return tuple(self.table.topics)

    def lists(self, how: Reading, depth: int | None = None) -> dict[str, list[str]]:
        """The documents of each topic in the order of evaluation. `depth`: of the first ranks only."""
        self.check_ranked(how)
        topics, docs, _, _ = self.table.columns()
        lines, ranks, _ = self.table.ranking(how.order, how.duplicates, how.run_depth or 0)
        found: dict[str, list[str]] = {}
        for line in (lines if depth is None else lines[ranks <= depth]).tolist():
            found.setdefault(topics[line], []).append(docs[line])
        return found

    def check_ranked(self, how: Reading) -> None:
        """Refuse an order by ranks if the run has none."""
        if how.order == "rank" and not self.table.has_ranks:
            raise InputError(f"{self.table.source}: has no ranks to order by; use order='score' or 'input'")

    def to_frame(self, backend: str | None = None) -> Any:
        """A frame with one row per retrieved document: topic, doc, score, and rank if the run has ranks."""
        from rankprism.data.frames import make_frame

        topic, doc, score, rank = self.table.columns()
        columns: dict[str, Any] = {"topic": topic, "doc": doc, "score": score}
        return make_frame(columns | {"rank": rank} if len(rank) else columns, backend)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle the table, which is in the core, as columns."""
        return _rebuilt, (self.name, self.table.source, self.table.columns(), self.table.topics)

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        return f"<Run {self.name}: {len(self)} documents, {len(self.topics)} topics>"


def _rebuilt(name: str, source: str, columns: tuple[Any, ...], topics: Sequence[str]) -> Run:
    table = RunTable.from_columns(source, *columns)
    ranked = set(columns[0])
    table.add_empty([topic for topic in topics if topic not in ranked])
    return Run(name, table)


@dataclass(frozen=True, eq=False)
class Alignment:
    """The ranks of the judged documents in a run, for each topic of the judgments."""

    start: npt.NDArray[np.int64]  # topic t: start[t] .. start[t + 1]
    rank: npt.NDArray[np.int32]
    #: index among the topic's relevant documents; -1 if not relevant; -2 if all grades are negative
    doc: npt.NDArray[np.int32]
    length: npt.NDArray[np.int32]  # documents retrieved
    retrieved: npt.NDArray[np.bool_]  # whether the run has the topic
    unjudged: list[str]  # topics of the run without judgments
    remarks: npt.NDArray[np.uint8]
    #: the number of the first topic on which ranks and scores disagree (-1: none), then the rank and score of
    #: one document and of another that has a worse rank and a higher score
    disagreement: tuple[int, float, float, float, float] = (-1, 0.0, 0.0, 0.0, 0.0)
    #: the number of the first topic without a judged document (-1: none), then an id from the run and one
    #: from the judgments
    unmatched: tuple[int, str, str] = (-1, "", "")
    #: the number of ids with a byte-order mark, and the first such id; the same for no-break spaces and for
    #: outer blanks
    stray: tuple[int, str, int, str, int, str] = (0, "", 0, "", 0, "")
    groups: Groups | None = None  # None: ties were not asked for

    def cut(self, length: Ints | Longs) -> Alignment:
        """The same run, with the ranking of each topic cut at this length."""
        kept_length = np.minimum(length, self.length).astype(np.int32)
        topic = np.repeat(np.arange(len(kept_length)), np.diff(self.start))
        kept = self.rank <= kept_length[topic]
        count = np.bincount(topic[kept], minlength=len(kept_length))
        return replace(
            self,
            start=np.concatenate([[0], np.cumsum(count)]).astype(self.start.dtype),
            rank=self.rank[kept],
            doc=self.doc[kept],
            length=kept_length,
        )

    def only_judged(self) -> Alignment:
        """The same run without the documents that are not judged."""
        judged = np.diff(self.start)
        rank = np.arange(1, len(self.rank) + 1) - np.repeat(self.start[:-1], judged)
        return replace(self, rank=rank.astype(self.rank.dtype), length=judged.astype(self.length.dtype))

    @classmethod
    def of_documents(cls, docs: Sequence[int]) -> Alignment:
        """Make the alignment of a run with one topic, for which it ranks only these relevant documents."""
        count = len(docs)
        return cls(
            start=np.array([0, count]),
            rank=np.arange(1, count + 1, dtype=np.int32),
            doc=np.array(docs, dtype=np.int32),
            length=np.array([count], dtype=np.int32),
            retrieved=np.array([True]),
            unjudged=[],
            remarks=np.array([0], dtype=np.uint8),
        )


def align(
    judgments: Judgments,
    run: Run,
    how: Reading = Reading(),  # noqa: B008  # it cannot change
) -> Alignment:
    """Sort the documents of each topic of a run, and find the judged documents in them."""
    run.check_ranked(how)
    aligned = run.table.align(judgments.table, how.order, how.duplicates, **how.asked)
    return checked(judgments, run.table.source, aligned)


def checked(judgments: Judgments, source: str, aligned: tuple[Any, ...]) -> Alignment:
    """Return the alignment from the core, or refuse a run that has no topic of the judgments."""
    start, rank, doc, length, retrieved, unjudged, *rest = aligned
    remarks, groups = rest[:4], rest[4:]  # there are no groups if they were not asked for
    if not retrieved.any():
        from rankprism.data.ids import alike, differing

        pairs = alike(unjudged, judgments.topics)
        raise InputError(
            f"{source}: shares no topic with {judgments.source}: its topics are like {unjudged[0]!r}, the "
            f"judged ones like {judgments.topics[0]!r}; check that both belong to one collection and "
            f"spell their topics alike" + (f", which differ only {differing(pairs[0])}" if pairs else "")
        )
    found = Alignment(start, rank, doc, length, retrieved.astype(bool), unjudged, *remarks)
    return replace(found, groups=Groups(*groups)) if groups else found
