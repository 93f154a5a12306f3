"""Writes grades to files for `export`, and reads them back for `import`."""

from __future__ import annotations

import csv
import io
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rankprism._core import parse_number
from rankprism.errors import InputError
from rankprism.formats import PREFERENCE_FORMATS, files, joined, source_of
from rankprism.formats.format import Written
from rankprism.formats.json_lines import as_text, json_objects
from rankprism.formats.preference_rows import ANYBODY
from rankprism.formats.trec import DIVERSITY

#: The formats of grades: qrels have the middle grades, the others every label with its assessor.
GRADE_FORMATS = ("qrels", "tsv", "jsonl")
#: What `import` reads: preferences or grades, whichever the study collects.
IMPORT_FORMATS = tuple(dict.fromkeys((*PREFERENCE_FORMATS, *GRADE_FORMATS)))


class Grade(NamedTuple):
    """One label that an assessor gave."""

    topic: str
    aspect: str
    doc: str
    label: str
    grade: float
    assessor: str
    time: str
    comment: str


class GradeLine(NamedTuple):
    """One label as a file has it."""

    where: str  #: the name of the line in messages
    topic: str
    aspect: str
    doc: str
    label: str  #: empty if only the grade is known
    grade: float | None
    assessor: str
    time: str
    comment: str


#: The columns that every line needs, besides a label or a grade.
_NEEDED = ("topic", "aspect", "doc")


def middle_grades(found: Sequence[Grade]) -> dict[tuple[str, str, str], float]:
    """The median grade for each topic, aspect and document, or the lower of two middle grades."""
    given: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for one in found:
        given[one.topic, one.aspect, one.doc].append(one.grade)
    return {key: sorted(several)[(len(several) - 1) // 2] for key, several in given.items()}


def write_grades(found: Sequence[Grade], to: str) -> Written:
    """Write grades in one of `GRADE_FORMATS`."""
    if to == "jsonl":
        return Written(
            joined(json.dumps(one._asdict(), ensure_ascii=False) for one in found).encode(), {}, ()
        )
    if to == "tsv":
        text = io.StringIO()
        writer = csv.writer(text, delimiter="\t", lineterminator="\n")
        writer.writerow(Grade._fields)
        writer.writerows((*one[:7], " ".join(one.comment.splitlines())) for one in found)
        return Written(text.getvalue().encode(), {}, ())
    from rankprism.formats import judgments_text, read_judgments

    middle = middle_grades(found)
    rows = [(*key, grade) for key, grade in middle.items()]
    notes: tuple[str, ...] = ()
    if len(found) > len(middle):
        notes = ("several assessors: a grade is the median, or the lower of two middle grades",)
    return Written(judgments_text(read_judgments(rows), "diversity").encode(), {}, notes)


def read_grades(source: files.PathLike, format: str | None = None) -> list[GradeLine]:
    """Read labels from a file in one of `GRADE_FORMATS`, which is recognised by its first line.

    Qrels do not name assessors, so all of their grades belong to one assessor.
    """
    file = files.opened(source)
    if format is None:
        format = _recognised(file)
    if format not in GRADE_FORMATS:
        raise InputError(
            f"{file.name}: the study collects grades, which cannot be read as {format!r}; use one of "
            f"{', '.join(GRADE_FORMATS)} (--from)"
        )
    if format == "qrels":
        columns = DIVERSITY.read(file).table.columns()
        return [
            GradeLine(file.name, topic, aspect, doc, "", float(grade), ANYBODY, "", "")
            for topic, aspect, doc, grade in zip(*columns, strict=True)
        ]
    rows = _tsv_rows(file) if format == "tsv" else _json_rows(file)
    found = [_line(where, row) for where, row in rows]
    if not found:
        raise InputError(f"{file.name}: there are no grades in it")
    return found


def _recognised(file: files.File) -> str:
    first = file.beginning.line
    if source_of(file).are_preferences() and not _has_grades(first):
        raise InputError(
            f"{file.name}, line {file.beginning.number}: {first.strip()[:60]!r} looks like preferences, "
            f"and the study collects grades; import a file that `rankprism assess export` wrote for a study "
            f"of grades"
        )
    if first.lstrip().startswith("{"):
        return "jsonl"
    return "tsv" if _has_grades(first) else "qrels"


def _has_grades(line: str) -> bool:
    """Whether a line is a header of grades, or a JSON object with one."""
    if line.lstrip().startswith("{"):
        return '"aspect"' in line
    return {"aspect", "doc"} <= set(line.split("\t"))


def _tsv_rows(file: files.File) -> Iterator[tuple[str, Mapping[str, Any]]]:
    lines = file.lines()
    number, first = next(lines, (1, ""))
    header = first.split("\t")
    for name in header:
        if name not in Grade._fields or header.count(name) > 1:
            raise InputError(
                f"{file.name}, line {number}: the column {name!r} is "
                + ("there twice" if name in Grade._fields else f"not one of {', '.join(Grade._fields)}")
            )
    for number, line in lines:
        where = f"{file.name}, line {number}"
        try:
            cells = next(csv.reader([line], delimiter="\t", strict=True))
        except csv.Error as error:
            raise InputError(f"{where}: is not a line of a table ({error}); check the quotes") from None
        if len(cells) != len(header):
            raise InputError(
                f"{where}: {len(cells)} columns where the header has {len(header)}; write one value for "
                f"each column"
            )
        yield where, dict(zip(header, cells, strict=True))


def _json_rows(file: files.File) -> Iterator[tuple[str, Mapping[str, Any]]]:
    example = '{"topic": "1", "aspect": "0", "doc": "d1", "grade": 1}'
    return json_objects(file.lines(), file.name, example)


def _line(where: str, row: Mapping[str, Any]) -> GradeLine:
    topic, aspect, doc, label, assessor, time, comment = (
        as_text(row, name, where)
        for name in ("topic", "aspect", "doc", "label", "assessor", "time", "comment")
    )
    for name, value in zip(_NEEDED, (topic, aspect, doc), strict=True):
        if not value:
            raise InputError(f"{where}: there is no {name}; every grade needs {', '.join(_NEEDED)}")
    written = row.get("grade")
    grade = None if written in (None, "") else parse_number(str(written))
    if grade is None and written not in (None, ""):
        raise InputError(f"{where}: the grade {written!r} is not a number")
    if not label and grade is None:
        raise InputError(f"{where}: there is neither a label nor a grade; write one of them")
    return GradeLine(where, topic, aspect, doc, label, grade, assessor or ANYBODY, time, comment)
