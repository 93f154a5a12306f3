"""Judgments and runs from data frames and from anything else that gives an Arrow stream.

`evaluate(qrels, runs)` with two pyarrow tables never makes a Python object for a row. The object's method
`__arrow_c_stream__` gives three C structs, which `core/arrow.cpp` reads itself, without an Arrow library
and without the interpreter lock. It numbers topics and aspects, turns whole numbers into ids, and checks
ids and numbers as the readers of text do, with the number of the row in every error. Judgments point into
the batches until their topics are sorted. A run copies its ids, so that a batch can be freed once it has
been read, and a run never depends on another library's memory. pyarrow, polars, pandas and DuckDB come in
this way, and so do Parquet, Arrow and DuckDB files, which `formats/known/tables.py` opens. A frame that
has no such stream, for example pandas without pyarrow, is read row by row (`formats/frames.py`).

A stream does not say how large its buffers are. The core checks what can be known: signs, the order of
offsets and the end of the last one, the number of buffers and children, bitmaps against numbers of nulls,
and references to dictionaries. Beyond that it trusts the library that gave the stream, which runs in the
same process. A file is not trusted: pyarrow knows the sizes of its buffers, and validates each batch of
the columns that are read before the core sees it. A view in a DuckDB database is a query that somebody
else wrote, so the database is opened without access to anything but itself.

A table may hold several runs, and a stream can be read only once. `run_sources` therefore reads tables
immediately, and leaves text files to be read later.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rankprism._core import ArrowStream, JudgmentTable, RunTable, runs_from_arrow
from rankprism.data.frames import column_values, eager, gives_arrow, is_known_frame
from rankprism.errors import InputError, listed
from rankprism.formats.memory import Columns, judgment_columns, run_columns
from rankprism.formats.spellings import JUDGMENT_COLUMNS, RUN_COLUMNS, spelled


def judgments_in(source: Any, name: str) -> JudgmentTable:
    """The judgments in a frame. `name` is its name in messages."""
    found = _stream(source, name, *JUDGMENT_COLUMNS)
    if found is None:
        table = judgment_table(judgment_columns(source, name))
    else:
        stream, place = found
        table = JudgmentTable.from_arrow(stream, *(place.get(column, -1) for column in JUDGMENT_COLUMNS[0]))
    if not len(table):
        raise InputError(f"{name}: no judgments given; pass at least one (topic, aspect, doc, grade)")
    return table


def runs_in(source: Any, name: str) -> dict[str | None, RunTable]:
    """The runs in a frame, by the column `run`. A frame without this column is one run, None."""
    found = _stream(source, name, *RUN_COLUMNS)
    if found is None:
        tables = {run: _run_table(part, _place(name, run)) for run, part in _by_run(source, name).items()}
    else:
        stream, place = found
        named = runs_from_arrow(stream, *(place.get(column, -1) for column in RUN_COLUMNS[0]))
        tables = {run if "run" in place else None: table for run, table in named}
    if not any(len(table) for table in tables.values()):
        raise InputError(f"{name}: the run is empty; pass at least one topic")
    return tables


def only_run(tables: Mapping[str | None, RunTable], name: str) -> tuple[str | None, RunTable]:
    """The only run of a frame, and its name in the frame; an error if there are several."""
    if len(tables) > 1:
        raise InputError(
            f"{name}: holds {len(tables)} runs ({listed([str(run) for run in tables])}), but only one can be "
            f"read here; select the rows of one of them, or pass the table where several runs are allowed"
        )
    return next(iter(tables.items()))


def judgment_table(columns: Columns) -> JudgmentTable:
    grades = np.array(columns.number, dtype=np.float64)
    with columns.encoded():
        return JudgmentTable.from_columns(columns.source, columns.topic, columns.aspect, columns.doc, grades)


def run_table(columns: Columns) -> RunTable:
    if columns.rank and len(columns.rank) != len(columns.number):
        raise InputError(
            f"{columns.source}: some rows have a rank and some have none; give it to all or to none"
        )
    scores, ranks = (np.array(numbers, dtype=np.float64) for numbers in (columns.number, columns.rank))
    with columns.encoded():
        return RunTable.from_columns(columns.source, columns.topic, columns.doc, scores, ranks)


def _stream(
    source: Any, name: str, expected: tuple[str, ...], optional: tuple[str, ...]
) -> tuple[ArrowStream, dict[str, int]] | None:
    """The rows as an Arrow stream, with the numbers of the expected columns; None if the frame gives none."""
    frame = source if gives_arrow(source) else eager(source, name).to_native()
    if not gives_arrow(frame):
        return None
    if type(frame).__module__.partition(".")[0] == "pandas":  # pandas converts all columns
        frame = frame[list(spelled(tuple(frame.columns), expected, optional, name).values())]
    try:
        stream = ArrowStream(frame.__arrow_c_stream__(), name)
    except InputError:
        raise
    except Exception as error:
        # For example a pandas frame without pyarrow, or with whole numbers and texts in one column.
        if is_known_frame(source):
            return None
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise InputError(f"{name}: {type(source).__name__} gives no Arrow stream ({reason})") from error
    columns = stream.columns
    chosen = spelled(columns, expected, optional, name)
    return stream, {column: columns.index(spelling) for column, spelling in chosen.items()}


def _place(name: str, run: str | None) -> str:
    return name if run is None else f"{name}, run {run!r}"


def _by_run(source: Any, name: str) -> dict[str | None, Any]:
    """The parts of a frame that gives no Arrow stream, by the column `run`."""
    import narwhals as nw

    frame = eager(source, name)
    column = spelled(tuple(frame.columns), ("run",), ("run",), name).get("run")
    if column is None:
        return {None: source}
    names = Columns(name, "score")
    parts: dict[str | None, Any] = {}
    for run in dict.fromkeys(column_values(frame, column, name)):
        parts[names.name(run, "run")] = frame.filter(nw.col(column) == run).to_native()
    return parts


def _run_table(source: Any, name: str) -> RunTable:
    columns, _ = run_columns(source, name)
    return run_table(columns)
