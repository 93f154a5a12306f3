"""A worker's task: it computes the scores of the topics of one partition from its rows.

A partition has all rows of some topics, for all runs or for some of them. The rows are Arrow tables, so no
module of Spark is needed here.
"""

from __future__ import annotations

import re
import warnings
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Protocol, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rankprism._core import JudgmentTable
from rankprism.data import Cells, Judgments, Labels, Longs, Reading, Run
from rankprism.errors import MeasureError, RankprismError
from rankprism.evaluation import evaluate
from rankprism.formats import read_judgments, read_run
from rankprism.measures import Measure
from rankprism.results import Scores
from rankprism.types import Topics

#: The columns of a partition. A row of a run has the name of the run, a document and a score as its number.
#: A row without a run is a judgment, with the grade as its number, or only names a judged topic.
ROWS = "run string, topic string, aspect string, doc string, number double, rank double, share int"
#: The columns of the result.
SCORES = "run string, topic string, measure string, score double"

Value = TypeVar("Value", covariant=True)

#: The largest number of scores in one batch that goes back to Spark.
_AT_ONCE = 1 << 18


class Carried(Protocol[Value]):
    """A value that is sent to all workers: a broadcast variable of Spark, or something like it."""

    @property
    def value(self) -> Value: ...


@dataclass(frozen=True, eq=False)
class Packed:
    """Judgments on their way to the workers."""

    key: str  #: the same for the same judgments in one application
    table: bytes  #: (topic, aspect, doc, grade) in canonical order, as an Arrow stream
    bare: tuple[list[str], list[str]]  #: topics and aspects on which no document is judged
    topics: tuple[str, ...]
    aspect_start: Longs  #: the start of each topic's aspects among all aspects
    others: Mapping[str, Any]  #: the other fields of `Judgments`


@dataclass(frozen=True, eq=False)
class Task:
    """What to compute: the same for all partitions."""

    measures: tuple[Measure, ...]
    runs: tuple[str, ...]  #: the names of all runs
    shares: int  #: the number of shares into which the runs are divided
    topics: Topics
    reading: Reading
    judgments: Carried[Packed] | None  #: None: the judgments are among the rows
    key: str = ""


def pack(judgments: Judgments, key: str) -> Packed:
    """Pack judgments into bytes, in canonical order, which keeps the rows of a topic together."""
    topic, aspect, doc, grade = judgments.table.columns()
    table = pa.table({"topic": topic, "aspect": aspect, "doc": doc, "grade": grade})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    # The notes have been issued on the driver.
    kept = [field.name for field in fields(judgments) if field.name not in ("table", "notes")]
    others = {name: getattr(judgments, name) for name in kept}
    return Packed(
        key,
        sink.getvalue().to_pybytes(),
        judgments.table.bare_aspects(),
        judgments.topics,
        judgments.cells.aspect_start,
        others,
    )


@dataclass(frozen=True, eq=False)
class Unpacked:
    """Judgments that have arrived at a worker, which can select those of some topics."""

    packed: Packed

    @cached_property
    def table(self) -> pa.Table:
        return pa.ipc.open_stream(self.packed.table).read_all().combine_chunks()

    @property
    def topics(self) -> tuple[str, ...]:
        return self.packed.topics

    @cached_property
    def number(self) -> dict[str, int]:
        return {topic: t for t, topic in enumerate(self.topics)}

    @cached_property
    def _start(self) -> Longs:
        """Topic t has the rows start[t] .. start[t + 1], which is empty if it has only bare aspects."""
        if not len(self.table):
            return np.zeros(len(self.topics) + 1, dtype=np.int64)
        codes, present = _encoded(self.table["topic"])
        topic = np.array([self.number[name] for name in present])[codes]
        return np.searchsorted(topic, np.arange(len(self.topics) + 1))

    @cached_property
    def whole(self) -> Judgments:
        return replace(self._read(self.table, self.number), **self.packed.others)

    def _read(self, table: pa.Table, topics: Collection[str]) -> Judgments:
        """The judgments in these rows, with the aspects of these topics on which no document is judged."""
        bare = [pair for pair in zip(*self.packed.bare, strict=True) if pair[0] in topics]
        if not bare:
            return _judgments(table)
        topic, aspect, doc = (table[column].to_pylist() for column in ("topic", "aspect", "doc"))
        grades = table["grade"].to_numpy()
        bare_topics, bare_aspects = [t for t, _ in bare], [a for _, a in bare]
        return Judgments(
            JudgmentTable.from_columns("judgments", topic, aspect, doc, grades, bare_topics, bare_aspects)
        )

    def of(self, topics: Collection[str]) -> Judgments:
        """The judgments of these topics, which must be judged."""
        chosen = np.array(sorted(self.number[topic] for topic in topics))
        rows = _ranges(self._start, chosen)
        aspects = _ranges(self.packed.aspect_start, chosen)
        others = dict(self.packed.others)
        for name in ("weights", "navigational", "counted"):
            if others[name] is not None:
                others[name] = others[name][aspects]
        return _of_some_topics(replace(self._read(self.table.take(pa.array(rows)), topics), **others))


#: The judgments that this process unpacked last. The tasks of a job run one after another in one process.
_unpacked: dict[str, Unpacked] = {}


def unpacked(carried: Carried[Packed], key: str) -> Unpacked:
    """The judgments, unpacked once in each process."""
    if key not in _unpacked:
        _unpacked.clear()
        _unpacked[key] = Unpacked(carried.value)
    return _unpacked[key]


def share_of(run: str, shares: int) -> int:
    """The share that a run belongs to. Spark's crc32 is the same function."""
    return zlib.crc32(run.encode()) % shares


class LooksAtAllTopics(MeasureError):
    """Raised if a measure such as TOMA needs the labels of the whole collection, and not of some topics."""


class _SomeCells(Cells):
    """The cells of some topics of a collection, which do not determine the labels of the collection."""

    @cached_property
    def labels(self) -> Labels:
        raise LooksAtAllTopics


def _of_some_topics(judgments: Judgments) -> Judgments:
    cells = _SomeCells(**{field.name: getattr(judgments.cells, field.name) for field in fields(Cells)})
    judgments.__dict__["cells"] = cells  # where the cached property keeps it
    return judgments


def score_partition(task: Task, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Compute the scores of the topics of a partition from its rows."""
    received = list(batches)
    if not received:
        return
    rows = pa.Table.from_batches(received)
    of_runs = pc.is_valid(rows["run"])
    ranked, others = rows.filter(of_runs), rows.filter(pc.invert(of_runs))
    own = None
    if task.judgments is None and len(others):
        judged = _columns(others, "topic", "aspect", "doc", number="grade")
        own = _of_some_topics(_without_rows(_judgments, judged))
    for share in pc.unique(rows["share"]).to_pylist():
        in_share = ranked.filter(pc.equal(ranked["share"], share))
        named = others.filter(pc.equal(others["share"], share))["topic"]
        present = set(pc.unique(named).to_pylist()) | set(pc.unique(in_share["topic"]).to_pylist())
        judgments, topics = _judged(task, own, present)
        runs = _by_run(in_share, [run for run in task.runs if share_of(run, task.shares) == share])
        yield from _scores(task, judgments, topics, runs)


def _judged(task: Task, own: Judgments | None, present: Collection[str]) -> tuple[Judgments | None, set[str]]:
    """The judgments of these topics, and which of the topics are judged."""
    if task.judgments is None:
        return own, set(present).intersection(() if own is None else own.topics)
    known = unpacked(task.judgments, task.key)
    topics = {topic for topic in present if topic in known.number}
    return (known.of(topics) if topics else None), topics


def _by_run(rows: pa.Table, names: Sequence[str]) -> dict[str, pa.Table]:
    """The rows of each run. A run without rows has an empty table."""
    found = {name: rows.slice(0, 0) for name in names}
    if not len(rows):
        return found
    codes, present = _encoded(rows["run"])
    order = np.argsort(codes, kind="stable")
    if (order[1:] < order[:-1]).any():
        rows = rows.take(pa.array(order))
    start = np.searchsorted(codes[order], np.arange(len(present) + 1)).tolist()
    for r, name in enumerate(present):
        found[name] = rows.slice(start[r], start[r + 1] - start[r])
    return found


def _scores(
    task: Task, judgments: Judgments | None, topics: Collection[str], tables: Mapping[str, pa.Table]
) -> Iterator[pa.RecordBatch]:
    if judgments is None:  # only check the rows of topics without judgments, as `rankprism.evaluate` does
        for name, table in tables.items():
            if len(table):
                run = _without_rows(_run, name, table, topics)
                _without_rows(run.table.ranking, task.reading.order, task.reading.duplicates)
        return
    if not tables:
        return
    runs = {name: _without_rows(_run, name, table, topics) for name, table in tables.items()}
    try:
        scores = _without_rows(_evaluated, task, judgments, runs)
    except LooksAtAllTopics:
        if task.judgments is None:
            raise MeasureError(
                "a measure looks at the labels of all topics, as TOMA does, and the judgments are divided by "
                "topic; set broadcast=True"
            ) from None
        scores = _without_rows(_evaluated, task, unpacked(task.judgments, task.key).whole, runs)
    wanted = np.isin(np.array(scores.topics), np.array(sorted(topics)))[None, :].repeat(len(runs), 0)
    if task.topics == "retrieved":
        number = {topic: t for t, topic in enumerate(scores.topics)}
        for r, table in enumerate(tables.values()):
            has = [number[t] for t in pc.unique(table["topic"]).to_pylist() if t in number]
            retrieved = np.zeros(len(number), dtype=bool)
            retrieved[has] = True
            wanted[r] &= retrieved
    yield from _as_batches(scores, wanted)


def _evaluated(task: Task, judgments: Judgments, runs: Mapping[str, Run]) -> Scores:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # notes about a run would be wrong for a part of it
        return evaluate(
            judgments,
            runs,
            task.measures,
            **task.reading.settings,
            threads=1,  # Spark has a task for each core
        )


def _run(name: str, table: pa.Table, topics: Collection[str]) -> Run:
    """Make a run that has an empty ranking for each judged topic without rows."""
    # A run that lacks all topics of this partition may have others, so it is not a mistake.
    if not len(table):
        return read_run({topic: {} for topic in topics}, name=name)
    ranks = ("rank",) if table["rank"].null_count < len(table) else ()
    run = read_run(_columns(table, "topic", "doc", *ranks, number="score"), name=name)
    run.table.add_empty(list(topics))
    return run


def _judgments(table: pa.Table) -> Judgments:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the driver has issued these notes
        return read_judgments(table)


def _as_batches(scores: Scores, wanted: Any) -> Iterator[pa.RecordBatch]:
    """One row for each wanted score that is defined."""
    r, t, m = np.nonzero(wanted[:, :, None] & ~np.isnan(scores.values))
    for first in range(0, len(r), _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        yield pa.record_batch(
            {
                "run": _names(scores.runs, r[part]),
                "topic": _names(scores.topics, t[part]),
                "measure": _names(scores.measures, m[part]),
                "score": pa.array(scores.values[r[part], t[part], m[part]]),
            }
        )


def _names(names: Sequence[str], codes: Any) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(names, pa.string())).dictionary_decode()


def _columns(table: pa.Table, *names: str, number: str) -> pa.Table:
    """Some columns of a table, with the column `number` renamed."""
    return pa.table({**{name: table[name] for name in names}, number: table["number"]})


def _encoded(column: pa.ChunkedArray) -> tuple[Longs, list[str]]:
    """A code for each row, and the value of each code."""
    chunks = column.dictionary_encode().chunks  # all have the same dictionary
    codes = np.concatenate([chunk.indices.to_numpy() for chunk in chunks])
    return codes.astype(np.int64), chunks[0].dictionary.to_pylist()


def _ranges(start: Longs, chosen: Longs) -> Longs:
    """The indices start[i] .. start[i + 1] of all chosen i, one range after another."""
    size = start[chosen + 1] - start[chosen]
    before = np.cumsum(size) - size
    return np.asarray(np.arange(int(size.sum())) + np.repeat(start[chosen] - before, size))


def without_rows(message: str) -> str:
    """Remove row numbers from a message, because they mean nothing in a Spark DataFrame.

    >>> without_rows("bm25, row 7: document 'd' occurs twice in topic '1', first at row 3; remove one")
    "bm25: document 'd' occurs twice in topic '1'; remove one"
    >>> without_rows("judgments, row 2: document 'd' has grade 2 here and 1 at row 1; keep one of them")
    "judgments: document 'd' has grade 2 and 1; keep one of them"
    """
    message = re.sub(r", row \d+:", ":", message, count=1)
    message = re.sub(r", first at row \d+;", ";", message)
    return re.sub(r" here and (\S+) at row \d+;", r" and \1;", message)


def _without_rows(function: Any, *arguments: Any, **options: Any) -> Any:
    """Call a function. If it refuses its input, remove row numbers from its message."""
    try:
        return function(*arguments, **options)
    except RankprismError as error:
        raise type(error)(without_rows(str(error))) from None
