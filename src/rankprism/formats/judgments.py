"""Reading judgments."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from rankprism._core import JudgmentTable, parse_number
from rankprism.data.judgments import Judgments
from rankprism.data.note import Note, stray_notes
from rankprism.errors import InputError
from rankprism.formats import dynamic_domain, evall, files, ntcir
from rankprism.formats.aspects.labels import header_aspects, is_header, refuse_commas
from rankprism.formats.aspects.reading import (
    is_file_per_aspect,
    read_aspects,
    read_collection,
    read_multi_aspect,
)
from rankprism.formats.weights import weighted
from rankprism.types import AspectsLike, JudgmentsLike, WeightsLike

#: How the columns of a judgment file may be read.
FORMATS = {
    "diversity": "topic subtopic document grade",
    "adhoc": "topic 0 document grade",
    "prels": "topic document grade method probability",
    "ntcir": "topic intent document L2, or topic document L2",
    "evall": evall.GOLD,
    "trec-dd": "topic subtopic document passage rating; a document's ratings are added, 0 as 1",
    "trec-dd-max": "topic subtopic document passage rating; a document's highest rating counts",
}

#: What stands between topic and document where there are no aspects.
_NO_ASPECT = ("0", "Q0", "q0")

_Reader: TypeAlias = Callable[[Iterator[tuple[int, str]], str], Judgments]

#: Those that are read line by line; the core reads the others.
_READERS: dict[str, _Reader] = {
    "ntcir": ntcir.read,
    "evall": evall.read,
    **{rule: partial(dynamic_domain.read, rule=rule) for rule in dynamic_domain.RULES},
}


def read_judgments(
    source: JudgmentsLike | None,
    *,
    format: str | None = None,
    weights: WeightsLike | None = None,
    aspects: AspectsLike | None = None,
) -> Judgments:
    """Judgments from a file, a dict, rows or a data frame.

    source : a path ("-" is standard input; .gz, .bz2, .xz and .zst are unpacked);
        ``{topic: {aspect: {doc: grade}}}`` or ``{topic: {doc: grade}}``; an iterable of
        (topic, aspect, doc, grade) or (topic, doc, grade); a pandas, polars or pyarrow frame.
    format : the format of a file: "diversity", "adhoc", "prels", "ntcir", "evall", "trec-dd" or
        "trec-dd-max". Default: it is recognised.
    aspects : for judgments of several aspects of the same documents: their names, in the order of a file's
        grade columns, or ``{name: settings}`` with labels, embedding and more (docs/multi-aspect.md). The
        source may then also be a frame with a column for each aspect. If `aspects` is not given, the source
        may be ``{aspect: path}`` with one file each, or a TOML file that describes the judgments. It may be
        None if the settings of every aspect name a file.
    weights : aspect weights: a file of ``topic aspect weight``, ``{topic: {aspect: weight}}``, rows
        or a frame. Each weight may come with "inf" or "nav", the type of the intent. "sakai" halves the
        weight from intent to intent. ``{aspect: weight}`` is for all topics, and the weights sum to 1.
        Default: the weights in an EvALL file, else the same weight for all aspects of a topic.

    >>> read_judgments({"q1": {"s1": {"d1": 2, "d2": 1}, "s2": {"d3": 1}}})
    <Judgments judgments: 3 grades, 1 topics>
    """
    if format is not None and format not in FORMATS:
        raise InputError(f"unknown judgment format {format!r}; use one of {', '.join(FORMATS)}")
    if aspects is not None or is_file_per_aspect(source):
        judgments = read_multi_aspect(source, aspects)
    elif isinstance(source, Judgments):
        judgments = source
    elif isinstance(source, str | os.PathLike):
        judgments = _from_file(source, format)
    else:
        judgments = _from_memory(source)
    if judgments is not source and judgments.scales is None:
        judgments = judgments.noting(stray_notes(judgments.source, judgments.table.stray()))
    return judgments if weights is None else weighted(judgments, weights)


def _from_file(path: files.PathLike, format: str | None) -> Judgments:
    name = files.source_name(path)
    if name.endswith(".toml"):
        return read_collection(path)
    data = files.unpacked(path)
    line = ""
    if format is None:
        number, line = files.first_line(path, data)
        _refuse_preferences(f"{name}, line {number}", line)
        refuse_commas(f"{name}, line {number}", files.columns(line))
        if is_header(files.columns(line)):
            return read_aspects(path, header_aspects(files.columns(line)), data=data)
        format = _recognised(name, number, line)
    if format in _READERS:
        return replace(_READERS[format](files.text_lines(path, data), name), format=format)
    if data is None:
        table = JudgmentTable.from_file(os.fspath(path), name, format)
    else:
        table = JudgmentTable.from_bytes(data, name, format)
    notes = _grades_as_documents(name, table, files.columns(line))
    return Judgments(table, name, format=format).noting(notes)


def _refuse_preferences(where: str, line: str) -> None:
    from rankprism.formats.preferences import recognised

    found = recognised(line)
    if found is not None:
        raise InputError(
            f"{where}: {line.strip()[:60]!r} looks like preferences ({found.name}: {found.about}), not like "
            f"absolute judgments; read them with read_preferences, or say with format= (--qrels-format) "
            f"which judgments they are"
        )


def _recognised(name: str, number: int, line: str) -> str:
    """The format of a file, by its first line of data."""
    if ntcir.recognises(line):
        return "ntcir"
    if evall.recognises(line):
        return "evall"
    columns = files.columns(line)
    if len(columns) == 5 and columns[1] in _NO_ASPECT and None not in map(parse_number, columns[3:]):
        raise InputError(
            f"{name}, line {number}: with {columns[1]} in the second of five columns these may be two grades "
            f"of one document; name the aspects that they are of with aspects= (--aspects "
            f"relevance,credibility), or say that it is trec-dd or prels with format= (--qrels-format)"
        )
    if dynamic_domain.recognises(line):
        return "trec-dd"
    if evall.may_be(line):
        raise InputError(
            f"{name}, line {number}: five columns with tabs between them and numbers in the last three "
            f"may be prels, evall or trec-dd; say which with format= (--qrels-format)"
        )
    if len(columns) > 5 and all(parse_number(grade) is not None for grade in columns[3:]):
        raise InputError(
            f"{name}, line {number}: {len(columns) - 3} grades of one document; name the aspects that they "
            f"are of, in this order, with aspects= (--aspects relevance,credibility,…)"
        )
    prels = len(columns) == 5 and None not in (parse_number(columns[2]), parse_number(columns[4]))
    return "prels" if prels else "diversity"


def _grades_as_documents(name: str, table: JudgmentTable, first: list[str]) -> list[Note]:
    """Note lines of `topic document grade grade`, which look as if each had its own subtopic."""
    alone = len(table.aspects) == len(table) >= 10 * len(table.topics)
    if not alone or len(first) != 4 or parse_number(first[1]) is not None or parse_number(first[2]) is None:
        return []
    message = (
        f"{name}: read as topic subtopic document grade, with a subtopic for each of its {len(table)} "
        f"lines; if they are topic document grade grade, name the two aspects with aspects= (--aspects)"
    )
    return [Note("grade-columns", message, len(table), " ".join(first))]


def _from_memory(source: Any) -> Judgments:
    from rankprism.formats.memory import judgment_columns

    columns = judgment_columns(source, "judgments")
    if not columns.number:
        raise InputError("judgments: there are none; pass at least one (topic, aspect, doc, grade)")
    table = JudgmentTable.from_columns(
        "judgments", columns.topic, columns.aspect, columns.doc, np.array(columns.number, dtype=np.float64)
    )
    return Judgments(table)
