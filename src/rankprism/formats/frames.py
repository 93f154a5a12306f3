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

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from rankprism._core import ArrowStream, JudgmentTable, RunTable, runs_from_arrow
from rankprism.data import Judgments
from rankprism.data.frames import column_names, eager, gives_arrow, is_known_frame, number_columns, told_names
from rankprism.errors import InputError, listed
from rankprism.formats.memory import Columns as Filled
from rankprism.formats.memory import judgment_columns
from rankprism.formats.roles import (
    LOOKED_AT,
    Graded,
    check_iteration,
    graded,
    ignored_note,
    judgments_of,
    refuse_scores,
    run_columns,
    runs_of,
)
from rankprism.formats.spellings import JUDGMENT_COLUMNS, RUN_COLUMNS
from rankprism.formats.table import NOT_SAID, Columns, of_frame


def judgments_in(
    source: Any,
    name: str,
    several: Callable[[Sequence[str]], Judgments],
    columns: Columns = NOT_SAID,
    found: Graded | None = None,
    is_file: bool = False,
) -> Judgments:
    """The judgments in a frame.

    name : its name in messages. several : reads several grades of a document, by the names of columns.
    found : what the columns are, if that is known. is_file : whether the frame comes from a file, in which
    `iteration` may be something else than a subtopic.
    """
    given = columns.named
    stream = None
    if found is None:
        names, stream = _names(source, name)
        found = graded(names, name, given, lambda one: one in number_columns(source))
    if found.aspects:
        return several(found.aspects)
    if "grade" not in found.place:
        return judgments_of(of_frame(source, name), columns, several)
    stream = stream or _stream(source, name, found.place)
    if stream is None:
        table = judgment_table(judgment_columns(source, name, found.place))
    else:
        numbered = [
            stream.columns.index(found.place[r]) if r in found.place else -1 for r in JUDGMENT_COLUMNS[0]
        ]
        table = JudgmentTable.from_arrow(stream, *numbered)
    if not len(table):
        raise InputError(f"{name}: no judgments given; pass at least one (topic, aspect, doc, grade)")
    if "grade" not in given:
        refuse_scores(name, table.grades(LOOKED_AT), found.place["grade"])
    if is_file and "aspect" in found.place and "aspect" not in given:
        check_iteration(name, found.place["aspect"], table.aspects)
    return Judgments(table, name).noting(ignored_note(name, found.ignored, found.place["grade"]))


def runs_in(source: Any, name: str, columns: Columns = NOT_SAID) -> dict[str | None, RunTable]:
    """The runs in a frame, by its column of runs. A frame without this column is one run, None."""
    names, stream = _names(source, name)
    place, turned = run_columns(names, name, columns)
    if turned or "score" not in place:
        stream = None
    elif stream is None:
        stream = _stream(source, name, place)
    if stream is None:
        tables = runs_of(of_frame(source, name), columns)
    else:
        numbered = [stream.columns.index(place[role]) if role in place else -1 for role in RUN_COLUMNS[0]]
        named = runs_from_arrow(stream, *numbered)
        tables = {run if "run" in place else None: table for run, table in named}
        for table in tables.values():
            table.rank_rising_rows()
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


def judgment_table(columns: Filled) -> JudgmentTable:
    grades = np.array(columns.number, dtype=np.float64)
    with columns.encoded():
        return JudgmentTable.from_columns(columns.source, columns.topic, columns.aspect, columns.doc, grades)


def run_table(columns: Filled) -> RunTable:
    if columns.rank and len(columns.rank) != len(columns.number):
        raise InputError(
            f"{columns.source}: some rows have a rank and some have none; give it to all or to none"
        )
    scores, ranks = (np.array(numbers, dtype=np.float64) for numbers in (columns.number, columns.rank))
    with columns.encoded():
        return RunTable.from_columns(columns.source, columns.topic, columns.doc, scores, ranks)


def _names(source: Any, name: str) -> tuple[list[str], ArrowStream | None]:
    """The columns, and the stream of an object that says only there which columns it has.

    Such a stream may be readable only once. The core reads its schema, because it checks more than others.
    """
    unknown = gives_arrow(source) and not is_known_frame(source) and told_names(source, name) is None
    stream = _stream(source, name, {}) if unknown else None
    return (column_names(source, name), None) if stream is None else (list(stream.columns), stream)


def _stream(source: Any, name: str, place: Mapping[str, str]) -> ArrowStream | None:
    """The rows as an Arrow stream; None if the frame gives none. `place` : the columns that are needed."""
    frame = source if gives_arrow(source) else eager(source, name).to_native()
    if not gives_arrow(frame):
        return None
    if type(frame).__module__.partition(".")[0] == "pandas":  # pandas converts all columns
        frame = frame[list(place.values())]
    try:
        return ArrowStream(frame.__arrow_c_stream__(), name)
    except InputError:
        raise
    except Exception as error:
        # For example a pandas frame without pyarrow, or with whole numbers and texts in one column.
        if is_known_frame(source):
            return None
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise InputError(f"{name}: {type(source).__name__} gives no Arrow stream ({reason})") from error
