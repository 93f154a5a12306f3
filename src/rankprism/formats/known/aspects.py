"""Several grades of a document in one line, and TOML files that describe such judgments."""

from __future__ import annotations

import re

from rankprism._core import parse_number
from rankprism.data import Judgments
from rankprism.errors import InputError
from rankprism.formats import files
from rankprism.formats.aspects.labels import header_aspects, is_header
from rankprism.formats.aspects.reading import read_aspects, read_description
from rankprism.formats.format import JUDGMENT_FORMATS, Format, register
from rankprism.formats.spellings import SPELLINGS

#: The second column of judgments without aspects.
_NO_ASPECT = ("0", "Q0", "q0")


def _recognises(start: files.Beginning) -> bool:
    """A header, perhaps with commas, which are refused later; or at least two numbers after the document."""
    columns = start.columns
    if is_header(columns) or _is_header_with_commas(start):
        return True
    are_grades = len(columns) > 4 and None not in map(parse_number, columns[3:])
    return are_grades and (len(columns) > 5 or columns[1] in _NO_ASPECT)


def _is_header_with_commas(start: files.Beginning) -> bool:
    """Whether the first line is such a header. With a score, it is that of a run."""
    names = re.split("[,;]", start.line.strip())
    return is_header(names) and set(SPELLINGS["score"]).isdisjoint(map(str.casefold, names))


def _read(file: files.File) -> Judgments:
    columns = file.beginning.columns
    where = f"{file.name}, line {file.beginning.number}"
    if is_header(columns):
        return read_aspects(file, header_aspects(columns))
    if _is_header_with_commas(file.beginning):
        raise InputError(
            f"{where}: has commas between its columns, but blanks or tabs are expected; write it with tabs, "
            f"or read it as a data frame and pass that with aspects=[…]"
        )
    raise InputError(
        f"{where}: has {max(len(columns) - 3, 1)} grades of one document; name their aspects, in this order, "
        f"with aspects= (--aspects relevance,credibility,…)"
    )


register(
    JUDGMENT_FORMATS,
    Format(
        name="aspects",
        summary="topic, document and a grade on each aspect, in the columns that a first line names",
        example="topic iter docno relevance credibility",
        recognised_by="A first line with the names of columns, among them a topic and a document. Without "
        "such a line, name the aspects ([multi-aspect.md](multi-aspect.md)).",
        read=_read,
        recognises=_recognises,
        confused_with={"trec": "yields", "winner-loser": "wins", "text": "wins"},
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
