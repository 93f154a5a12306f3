"""Reading judgments and aspect weights."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from rankprism._core import JudgmentTable
from rankprism.data.judgments import Judgments
from rankprism.errors import InputError
from rankprism.formats import files
from rankprism.formats.weights import weighted

#: How the columns of a judgment file may be read.
FORMATS = {
    "diversity": "topic subtopic document grade",
    "adhoc": "topic 0 document grade",
    "prels": "topic document grade method probability",
}


def read_judgments(source: Any, *, format: str | None = None, weights: Any = None) -> Judgments:
    """Judgments from a file, a dict, rows or a data frame.

    source : a path ("-" is standard input; .gz, .bz2, .xz and .zst are unpacked);
        ``{topic: {aspect: {doc: grade}}}`` or ``{topic: {doc: grade}}``; an iterable of
        (topic, aspect, doc, grade) or (topic, doc, grade); a pandas, polars or pyarrow frame.
    format : "diversity", "adhoc" or "prels", for files; recognised without it.
    weights : aspect weights: a file of ``topic aspect weight``, ``{topic: {aspect: weight}}``, rows
        or a frame. Without them all aspects of a topic weigh alike.

    >>> read_judgments({"q1": {"s1": {"d1": 2, "d2": 1}, "s2": {"d3": 1}}})
    <Judgments judgments: 3 grades, 1 topics>
    """
    if format is not None and format not in FORMATS:
        raise InputError(f"unknown judgment format {format!r}; use one of {', '.join(FORMATS)}")
    if isinstance(source, Judgments):
        judgments = source
    elif isinstance(source, str | os.PathLike):
        judgments = _from_file(source, format)
    else:
        judgments = _from_memory(source)
    return judgments if weights is None else weighted(judgments, weights)


def _from_file(path: files.PathLike, format: str | None) -> Judgments:
    name = files.source_name(path)
    data = files.unpacked(path)
    if format is None:
        format = _recognised(path, data)
    if data is None:
        return Judgments(JudgmentTable.from_file(os.fspath(path), name, format), name)
    return Judgments(JudgmentTable.from_bytes(data, name, format), name)


def _recognised(path: files.PathLike, data: bytes | None) -> str:
    """The format of a file, by its first line of data."""
    if data is None:
        with open(path, "rb") as file:
            data = file.read(1 << 16)
    for line in data.removeprefix(b"\xef\xbb\xbf").splitlines():
        if line.strip() and not line.lstrip().startswith((b"# ", b"#\t")):
            columns = line.split()
            prels = len(columns) == 5 and _is_number(columns[2]) and _is_number(columns[4])
            return "prels" if prels else "diversity"
    return "diversity"


def _is_number(text: bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _from_memory(source: Any) -> Judgments:
    from rankprism.formats.memory import judgment_columns

    columns = judgment_columns(source, "judgments")
    if not columns.number:
        raise InputError("judgments: there are none; pass at least one (topic, aspect, doc, grade)")
    table = JudgmentTable.from_columns(
        "judgments", columns.topic, columns.aspect, columns.doc, np.array(columns.number, dtype=np.float64)
    )
    return Judgments(table)
