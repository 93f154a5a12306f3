"""Reading runs."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from rankprism._core import RunTable, align_bytes, align_file
from rankprism.data.judgments import Judgments
from rankprism.data.run import Alignment, Run, align, checked
from rankprism.errors import InputError
from rankprism.formats import files
from rankprism.formats.format import Format, chosen, default_of, recognised
from rankprism.formats.known import RUN_FORMATS
from rankprism.formats.known.trec import TREC_RUN
from rankprism.formats.memory import peer_name, run_columns
from rankprism.types import RunLike


def read_run(source: RunLike, *, name: str | None = None, format: str | None = None) -> Run:
    """A run from a file, a dict, rows or a data frame.

    source : a path to lines of ``topic Q0 document rank score tag`` ("-" is standard input; .gz,
        .bz2, .xz and .zst are unpacked); ``{topic: {doc: score}}``; an iterable of (topic, doc, score)
        or (topic, doc, score, rank); a pandas, polars or pyarrow frame; a `Run` of ranx; a `TrecRun` of
        trectools.
    name : the name of the run. Default: the file's name, the name that a `Run` of ranx or a `TrecRun` has, or
        "run".
    format : the name of the format of a file, e.g. "trec" or "evall"; docs/formats.md has them all. Default:
        it is recognised.

    >>> read_run({"q1": {"d1": 2.5, "d2": 1.0}}, name="bm25")
    <Run bm25: 2 documents, 1 topics>
    """
    return run_from(source, name, format, "error")


def run_from(source: Any, name: str | None, format: str | None, duplicates: str) -> Run:
    """`read_run`, where with "first" documents may occur twice; whoever orders them drops the second."""
    check_format(format)
    if isinstance(source, Run):
        return source if name is None else Run(name, source.table)
    if isinstance(source, str | os.PathLike):
        name = files.run_name(source) if name is None else name
        file = files.text_file(source)
        return Run(name, _format_of(file, format).read(file, duplicates))
    return _from_memory(source, (peer_name(source) or "run") if name is None else name)


def check_format(format: str | None) -> None:
    if format is not None:
        chosen(RUN_FORMATS, format, "run")


def _format_of(file: files.TextFile, format: str | None) -> Format[RunTable]:
    if format is not None:
        return chosen(RUN_FORMATS, format, "run")
    return recognised(RUN_FORMATS, file.first_line()[1]) or default_of(RUN_FORMATS)


def _from_memory(source: Any, name: str) -> Run:
    columns, empty = run_columns(source, name)
    if not columns.number and not empty:
        raise InputError(f"{name}: the run is empty; pass at least one topic")
    if columns.rank and len(columns.rank) != len(columns.number):
        raise InputError(f"{name}: some rows have a rank and some have none; give it to all or to none")
    table = RunTable.from_columns(
        name,
        columns.topic,
        columns.doc,
        np.array(columns.number, dtype=np.float64),
        np.array(columns.rank, dtype=np.float64),
    )
    table.add_empty(list(empty))
    return Run(name, table)


def align_source(
    judgments: Judgments, source: Any, order: str, duplicates: str, format: str | None = None
) -> Alignment:
    """`align` for anything that `read_run` takes. Only the judged documents of a file are kept."""
    if isinstance(source, Alignment):
        return source
    if not isinstance(source, str | os.PathLike):
        return align(judgments, read_run(source), order, duplicates)
    file = files.text_file(source)
    record = _format_of(file, format)
    if record is not TREC_RUN:
        aligned = record.read(file, duplicates).align(judgments.table, order, duplicates)
    elif file.data is None:  # the core walks through such a file and keeps nothing of it
        aligned = align_file(judgments.table, os.fspath(source), file.name, order, duplicates)
    else:
        aligned = align_bytes(judgments.table, file.data, file.name, order, duplicates)
    return checked(judgments, file.name, aligned)
