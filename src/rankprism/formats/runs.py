"""Reading runs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from rankprism._core import RunTable, align_bytes, align_file
from rankprism.data.judgments import Judgments
from rankprism.data.run import Alignment, Run, align, checked
from rankprism.errors import InputError
from rankprism.formats import files
from rankprism.formats.format import Format, chosen, recognised, recognised_binary
from rankprism.formats.memory import RUN_COLUMNS, peer_name, plain, run_columns
from rankprism.formats.trec import TREC_RUN
from rankprism.frames import is_frame

if TYPE_CHECKING:
    from rankprism.types import Duplicates, Order, RunLike


def read_run(source: RunLike, *, name: str | None = None, format: str | None = None) -> Run:
    """A run from a file, a dict, rows or a data frame.

    source : a path to lines of ``topic Q0 document rank score tag`` ("-" is standard input; .gz,
        .bz2, .xz and .zst are unpacked); ``{topic: {doc: score}}``; an iterable of (topic, doc, score)
        or (topic, doc, score, rank); a pandas or polars frame, a DuckDB relation, or anything else that
        gives an Arrow stream; a `Run` of ranx; a `TrecRun` of trectools. A file may also be Parquet, Arrow
        IPC or a DuckDB database. If a table has a column `run`, all its rows must be of one run; `evaluate`
        takes tables with several.
    name : the name of the run. Default: the file's name, the name in the column `run`, the name that a `Run`
        of ranx or a `TrecRun` has, or "run".
    format : the name of the format of a file, e.g. "trec" or "evall"; docs/formats.md has them all. Default:
        it is recognised.

    >>> read_run({"q1": {"d1": 2.5, "d2": 1.0}}, name="bm25")
    <Run bm25: 2 documents, 1 topics>
    """
    return run_from(source, name, format, "error")


def run_from(source: Any, name: str | None, format: str | None, duplicates: Duplicates) -> Run:
    """`read_run`, where with "first" documents may occur twice; whoever orders them drops the second."""
    check_format(format)
    if isinstance(source, Run):
        return source if name is None else Run(name, source.table)
    if isinstance(source, str | os.PathLike):
        name = files.run_name(source) if name is None else name
        file = files.text_file(source)
        return Run(name, _format_of(file, format).read(file, duplicates))
    return _from_memory(source, name)


def check_format(format: str | None) -> None:
    if format is not None:
        _chosen(format)


def _chosen(format: str) -> Format[RunTable]:
    from rankprism.formats.known import RUN_FORMATS

    return chosen(RUN_FORMATS, format, "run")


def _format_of(file: files.TextFile, format: str | None) -> Format[RunTable]:
    if format is not None:
        return _chosen(format)
    number, line = file.first_line()
    if TREC_RUN.recognises(line):
        return TREC_RUN
    from rankprism.formats.known import RUN_FORMATS

    found = recognised_binary(RUN_FORMATS, file.start()) or recognised(RUN_FORMATS, line)
    if found is None:
        from rankprism.formats.json_lines import refuse_json

        refuse_json(f"{file.name}, line {number}", file.beginning(), "a run")
    return found or TREC_RUN


def runs_of(source: Any, name: str) -> dict[str, Any]:
    """The runs of a frame or of a file that holds a table, all read, by name. Other sources are one run.

    Tables are read here and not later, because a stream can be read only once, and because only the table
    knows how many runs it holds. `name` : the name of a run that the table does not name.
    """
    if not is_frame(source) and not files.is_table_file(source):
        return {name: source}
    from rankprism.formats.frames import runs_in
    from rankprism.formats.known.tables import opened

    if is_frame(source):
        tables = runs_in(source, "run")
    else:
        with opened(files.text_file(source), *RUN_COLUMNS) as table:
            tables = runs_in(table, files.source_name(source))
    return {run or name: Run(run or name, table) for run, table in tables.items()}


def _from_memory(source: Any, name: str | None) -> Run:
    from rankprism.formats.frames import only_run, run_table, runs_in

    given = name or peer_name(source) or "run"
    source = plain(source)
    if is_frame(source):
        own, table = only_run(runs_in(source, given), given)
        return Run(name or own or given, table)
    columns, empty = run_columns(source, given)
    if not columns.number and not empty:
        raise InputError(f"{given}: the run is empty; pass at least one topic")
    table = run_table(columns)
    table.add_empty(list(empty))
    return Run(given, table)


def align_source(
    judgments: Judgments,
    source: Any,
    order: Order,
    duplicates: Duplicates,
    format: str | None = None,
    threads: int | None = 1,
) -> Alignment:
    """`align` for anything that `read_run` takes. Only the judged documents of a file are kept.

    threads : how many threads read a large file; None: as many as there are processors.
    """
    if isinstance(source, Alignment):
        return source
    if not isinstance(source, str | os.PathLike):
        return align(judgments, read_run(source), order, duplicates)
    file = files.text_file(source, threads)
    record = _format_of(file, format)
    if record is not TREC_RUN:
        aligned = record.read(file, duplicates).align(judgments.table, order, duplicates)
    elif file.data is None:  # the core walks through such a file and keeps nothing of it
        aligned = align_file(judgments.table, os.fspath(source), file.name, order, duplicates, file.threads)
    else:
        aligned = align_bytes(judgments.table, file.data, file.name, order, duplicates, file.threads)
    return checked(judgments, file.name, aligned)
