"""Judgments as BEIR and MTEB publish them: topic, document and grade, separated by tabs, below a header."""

from __future__ import annotations

from collections.abc import Iterator

from rankprism._core import parse_number
from rankprism.data import Judgments
from rankprism.errors import InputError
from rankprism.formats import files
from rankprism.formats.format import JUDGMENT_FORMATS, Format, Written, register
from rankprism.formats.judged import (
    JudgedLine,
    check_ids,
    joined,
    judgment_table,
    number_text,
    only_aspect_notes,
)
from rankprism.formats.roles import refuse_scores
from rankprism.formats.spellings import ONLY_ASPECT

_HEADER = ["query-id", "corpus-id", "score"]


def _read(file: files.File) -> Judgments:
    judged = list(_judged(file))
    refuse_scores(file.name, [line.grade for line in judged], _HEADER[2])
    return Judgments(judgment_table(file.name, judged), file.name)


def _judged(file: files.File) -> Iterator[JudgedLine]:
    lines = file.lines()
    number, header = next(lines, (1, ""))
    if files.columns(header) != _HEADER:
        raise InputError(f"{file.name}, line {number}: expected the header {' '.join(_HEADER)}")
    for number, line in lines:
        where = f"{file.name}, line {number}"
        columns = line.split("\t")
        if len(columns) != 3 or not all(columns):
            raise InputError(
                f"{where}: expected 3 columns with tabs between them: {' '.join(_HEADER)}; found "
                f"{len(columns)}"
            )
        topic, doc, text = columns
        grade = parse_number(text)
        if grade is None:
            raise InputError(f"{where}: the score {text!r} is not a number")
        yield JudgedLine(number, topic, ONLY_ASPECT, doc, grade)


def _write(judgments: Judgments) -> Written:
    notes = only_aspect_notes(judgments, "beir")
    topics, _, docs, grades = judgments.table.columns()
    check_ids(judgments.source, "topic", topics, "beir")
    check_ids(judgments.source, "document", docs, "beir")
    lines = (f"{t}\t{d}\t{number_text(g)}" for t, d, g in zip(topics, docs, grades, strict=True))
    return Written(joined(["\t".join(_HEADER), *lines]).encode(), notes=notes)


register(
    JUDGMENT_FORMATS,
    Format(
        name="beir",
        summary="topic, document, grade, below this header",
        example="query-id⇥corpus-id⇥score",
        recognised_by="The header.",
        read=_read,
        recognises=lambda start: start.columns == _HEADER,
        confused_with={"table": "wins", "winner-loser": "wins", "text": "wins"},
        write=_write,
    ),
)
