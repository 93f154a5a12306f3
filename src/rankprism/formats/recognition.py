"""Recognising files of judgments that are not plainly TREC's."""

from __future__ import annotations

from dataclasses import replace

from rankprism._core import parse_number
from rankprism.data.judgments import Judgments
from rankprism.errors import InputError
from rankprism.formats import files
from rankprism.formats.aspects.labels import header_aspects, is_header, refuse_commas
from rankprism.formats.aspects.reading import read_aspects
from rankprism.formats.format import recognised, recognised_binary
from rankprism.formats.json_lines import has_nuggets, refuse_json
from rankprism.formats.known import JUDGMENT_FORMATS, PREFERENCE_FORMATS
from rankprism.formats.known.prels import numbers_between_tabs
from rankprism.formats.trec import two_grades


def read_if_recognised(file: files.TextFile, number: int, line: str) -> Judgments | None:
    """The judgments of a file with this first line of data, in the format that can be no other.

    None if no format recognises the line, so that the file is TREC's. What may be two formats is refused.
    """
    binary = recognised_binary(JUDGMENT_FORMATS, file.start())
    if binary is not None:
        return replace(binary.read(file), format=binary.name)
    where, columns = f"{file.name}, line {number}", files.columns(line)
    _refuse_preferences(where, line)
    if not has_nuggets(line):
        refuse_json(where, file.beginning(), "judgments")
    _refuse_run(where, columns)
    refuse_commas(where, columns)
    if is_header(columns):
        return read_aspects(file.path, header_aspects(columns), data=file.data)
    record = recognised(JUDGMENT_FORMATS, line)
    if record is None:
        _refuse_what_may_be_two(where, line)
        return None
    return replace(record.read(file), format=record.name)


def _refuse_preferences(where: str, line: str) -> None:
    found = recognised(PREFERENCE_FORMATS, line)
    if found is not None:
        raise InputError(
            f"{where}: {line.strip()[:60]!r} looks like preferences ({found.name}: {found.summary}), not "
            f"like absolute judgments; read them with read_preferences, or say with format= (--qrels-format) "
            f"which judgments they are"
        )


def _refuse_run(where: str, columns: list[str]) -> None:
    if len(columns) == 6 and columns[1].casefold() == "q0":
        raise InputError(
            f"{where}: is a line of a run (topic Q0 document rank score tag), not of judgments; name the "
            f"judgments first and then the runs"
        )


def _refuse_what_may_be_two(where: str, line: str) -> None:
    """Refuse a line that no format recognises as its own because more than one may be meant."""
    columns = files.columns(line)
    if two_grades(line):
        raise InputError(
            f"{where}: with {columns[1]} in the second of five columns these may be two grades "
            f"of one document; name the aspects that they are of with aspects= (--aspects "
            f"relevance,credibility), or say that it is trec-dd or prels with format= (--qrels-format)"
        )
    if numbers_between_tabs(line):
        raise InputError(
            f"{where}: five columns with tabs between them and numbers in the last three "
            f"may be prels, evall or trec-dd; say which with format= (--qrels-format)"
        )
    if len(columns) > 5 and all(parse_number(grade) is not None for grade in columns[3:]):
        raise InputError(
            f"{where}: {len(columns) - 3} grades of one document; name the aspects that they "
            f"are of, in this order, with aspects= (--aspects relevance,credibility,…)"
        )
