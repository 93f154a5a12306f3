"""Several grades of a document in one line, and TOML files that describe such judgments."""

from __future__ import annotations

from rankprism._core import parse_number
from rankprism.data import Judgments
from rankprism.errors import InputError
from rankprism.formats import files
from rankprism.formats.aspects.reading import read_description
from rankprism.formats.format import JUDGMENT_FORMATS, Format, register
from rankprism.formats.shapes import guessed, rows_at
from rankprism.formats.table import names_of

#: The second column of judgments without aspects.
_NO_ASPECT = ("0", "Q0", "q0")


def _recognises(start: files.Beginning) -> bool:
    """At least two numbers after the document."""
    columns = start.columns
    are_grades = len(columns) > 4 and None not in map(parse_number, columns[3:])
    return are_grades and (len(columns) > 5 or columns[1] in _NO_ASPECT)


def _read(file: files.File) -> Judgments:
    if names_of(file.beginning):
        from rankprism.formats.known.header_tables import read_judgments

        return read_judgments(file)
    columns = file.beginning.columns
    raise InputError(
        f"{file.name}, line {file.beginning.number}: has {max(len(columns) - 3, 1)} grades of one document; "
        f"name their aspects, in this order, with aspects= (--aspects relevance,credibility,…), or the only "
        f"grade with --columns {','.join(guessed(rows_at(file.beginning), 'judgments'))}"
    )


register(
    JUDGMENT_FORMATS,
    Format(
        name="aspects",
        summary="topic, ignored, document and a grade on each aspect, whose names have to be given "
        "([multi-aspect.md](multi-aspect.md))",
        example="101 0 d1 2 1 0",
        recognised_by="At least two numbers after the document. Six or more columns, or a 0 in the second.",
        read=_read,
        recognises=_recognises,
        confused_with={"trec": "yields"},
        doubt="if these are two grades of one document, name their aspects with aspects= "
        "(--aspects relevance,credibility)",
    ),
)
register(
    JUDGMENT_FORMATS,
    Format(
        name="toml",
        summary="a description of judgments of several aspects ([multi-aspect.md](multi-aspect.md))",
        example='judgments = "qrels.txt"',
        recognised_by="The name of the file ends in `.toml`.",
        read=read_description,
        recognises=lambda start: start.name.endswith(".toml"),
    ),
)
