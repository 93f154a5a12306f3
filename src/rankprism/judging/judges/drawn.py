"""Pairs that were drawn for people to judge, with their probabilities: tables of topic, doc, probability.

The table may have a column with the grades of people, too, and one with the aspect of each grade.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from rankprism.data import is_frame
from rankprism.errors import InputError
from rankprism.formats import files, spellings

NEEDED = ("topic", "doc", "probability")


class DrawnPair(NamedTuple):
    """A pair that was drawn."""

    topic: str
    doc: str
    probability: float  #: of having been drawn in this or an earlier batch
    batch: int


def read_drawn(source: Any) -> list[DrawnPair]:
    """Read the pairs that were drawn from a file or rows.

    A file has a line of names and then a line for each pair. Columns are separated by tabs, commas or blanks.
    `batch` may be missing, and other columns are ignored.
    """
    name, rows = _rows(source)
    found: dict[tuple[str, str], DrawnPair] = {}
    for where, row in rows:
        missing = [column for column in NEEDED if column not in row]
        if missing:
            raise InputError(
                f"{name}: there is no column {missing[0]!r}; a table of drawn pairs has the columns topic, "
                f"doc and probability"
            )
        pair = (str(row["topic"]), str(row["doc"]))
        if pair in found:
            raise InputError(
                f"{where}: document {pair[1]!r} of topic {pair[0]!r} was drawn above already; keep one of "
                f"them"
            )
        found[pair] = DrawnPair(
            *pair, _probability(where, row["probability"]), _batch(where, row.get("batch"))
        )
    if not found:
        raise InputError(f"{name}: there is no pair in it")
    return list(found.values())


def _probability(where: str, text: Any) -> float:
    try:
        value = float(text)
    except (TypeError, ValueError):
        value = math.nan
    if not 0 < value <= 1:
        do = (
            "a pair that could not be drawn cannot have been judged; leave it out"
            if value == 0
            else "write the probability with which this pair was drawn"
        )
        raise InputError(f"{where}: the probability {str(text)!r} is not a number above 0 and up to 1; {do}")
    return value


def _batch(where: str, text: Any) -> int:
    try:
        return int(text) if text not in (None, "") else 1
    except ValueError:
        raise InputError(f"{where}: the batch {str(text)!r} is not a whole number") from None


def _rows(source: Any) -> tuple[str, Iterable[tuple[str, Mapping[str, Any]]]]:
    if files.is_path(source):
        return files.source_name(source), table_lines(source)
    if is_frame(source):
        import narwhals as nw

        source = nw.from_native(source, eager_only=True).rows(named=True)
    # A `Selection` has its pairs inside.
    rows = [row._asdict() if isinstance(row, DrawnPair) else row for row in getattr(source, "pairs", source)]
    return "drawn pairs", ((f"drawn pairs, row {n}", row) for n, row in enumerate(rows, 1))


def table_lines(path: Any) -> Iterable[tuple[str, Mapping[str, Any]]]:
    """Yield the place and the columns of each line of a table, whose first line has their names."""
    name = files.source_name(path)
    header: list[str] = []
    for number, line in files.opened(path).lines():
        mark = "\t" if "\t" in line else "," if "," in line else None
        try:
            words = line.split() if mark is None else next(csv.reader([line], delimiter=mark))
        except csv.Error:  # a carriage return, or a field of more than 131,072 characters
            raise InputError(
                f"{name}, line {number}: is not a line of a table: a field has a carriage return or is too "
                f"long; remove it, or put the field in quotes"
            ) from None
        if not header:
            header = [word.strip().lower() for word in words]
            continue
        if len(words) != len(header):
            raise InputError(
                f"{name}, line {number}: there are {len(words)} columns here and {len(header)} in the first "
                f"line"
            )
        yield f"{name}, line {number}", dict(zip(header, words, strict=True))


def with_probabilities(people: Any, drawn: Any) -> tuple[Any, Any]:
    """The judgments of people and the pairs that were drawn, which one table may have.

    A table that also has aspects has a row for each grade of a document. All of them have its probability.
    """
    rows = _judged_rows(people)
    if rows is None:
        return people, drawn
    aspect = next((name for name in spellings.SPELLINGS["aspect"] if name in rows[0][1]), None)
    judged: list[tuple[Any, ...]] = []
    pairs: dict[tuple[str, str], tuple[str, Mapping[str, Any]]] = {}
    for where, row in rows:
        topic, doc = row["topic"], row["doc"]
        grade = _grade(where, row["grade"])
        judged.append((topic, doc, grade) if aspect is None else (topic, row[aspect], doc, grade))
        first = pairs.setdefault((str(topic), str(doc)), (where, row))
        if str(first[1]["probability"]) != str(row["probability"]):
            raise InputError(
                f"{where}: document {doc!r} of topic {topic!r} has the probability {row['probability']} here "
                f"and {first[1]['probability']} at {first[0]}; write the same on all of its aspects"
            )
    return judged, [row for _, row in pairs.values()] if drawn is None else drawn


def _judged_rows(people: Any) -> list[tuple[str, Mapping[str, Any]]] | None:
    """The rows of a table with grades and probabilities, and where they are. None: it is another source."""
    needed = {*NEEDED, "grade"}
    if files.is_path(people) and not files.is_table_file(people) and str(people) != "-":
        with files.opened(people) as file:
            names = file.beginning.text.partition("\n")[0].replace(",", " ").lower().split()
        return list(table_lines(people)) if needed <= set(names) else None
    if not isinstance(people, list) or not people:
        return None
    if not all(isinstance(row, Mapping) and needed <= row.keys() for row in people):
        return None
    return [(f"judgments, row {n}", row) for n, row in enumerate(people, 1)]


def _grade(where: str, text: Any) -> float:
    try:
        return float(text)
    except (TypeError, ValueError):
        raise InputError(f"{where}: the grade {text!r} is not a number") from None
