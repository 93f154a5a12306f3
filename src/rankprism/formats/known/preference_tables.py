"""Tables of preferences with a header, and preferences as one JSON object on each line."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from typing import Any

from rankprism.data import PreferenceRows, Preferences
from rankprism.errors import InputError
from rankprism.formats.files import Beginning
from rankprism.formats.format import PREFERENCE_FORMATS, Format, Written, register
from rankprism.formats.json_lines import has_names, json_objects, refuse_json
from rankprism.formats.judged import check_ids, joined
from rankprism.formats.preference_rows import ANYBODY, COLUMNS, NEEDED, Adding, add_row, levels_lost, reading


def _cells(line: str, separator: str) -> list[str] | None:
    """The cells between separators; None if a quote or a line break is misplaced."""
    try:
        return next(csv.reader([line], delimiter=separator, strict=True), [])
    except csv.Error:
        return None


def _header(line: str, separator: str) -> list[str]:
    return [name.strip().casefold() for name in _cells(line, separator) or []]


def _is_table(separator: str) -> Callable[[Beginning], bool]:
    """Whether a line is a header. One of the names may be missing or misspelt, and reading says which."""
    return lambda start: len(set(NEEDED) & set(_header(start.line, separator))) >= len(NEEDED) - 1


def _read_table(separator: str) -> Adding:
    def read(lines: Iterator[tuple[int, str]], source: str, rows: PreferenceRows) -> None:
        number, first = next(lines, (1, ""))
        if not first:
            return  # a file without lines is refused like a table without rows
        header = _header(first, separator)
        for name in header:
            if name not in COLUMNS or header.count(name) > 1:
                raise InputError(
                    f"{source}, line {number}: the column {name!r} is "
                    + (f"not one of {', '.join(COLUMNS)}" if name not in COLUMNS else "there twice")
                )
        missing = [name for name in NEEDED if name not in header]
        if missing:
            raise InputError(
                f"{source}, line {number}: the header has no column {missing[0]}; every judgment needs "
                f"{', '.join(NEEDED)}"
            )
        simple = not {"time", "comment"} & set(header)
        place = {name: header.index(name) if name in header else -1 for name in COLUMNS}
        topic, given, left, right, outcome, assessor = (place[name] for name in COLUMNS[:6])
        for number, line in lines:
            if simple and '"' not in line and "\r" not in line:
                found = line.split(separator)
                if len(found) == len(header) and (given < 0 or not found[given].strip()):
                    who = (found[assessor] if assessor >= 0 else "") or ANYBODY
                    if rows.add_plain(found[topic], found[left], found[right], found[outcome], who):
                        continue
            where = f"{source}, line {number}"
            cells = _cells(line, separator)
            if cells is None:
                raise InputError(
                    f"{where}: a quote is not closed, or not doubled, or a line break is inside a cell"
                )
            if len(cells) != len(header):
                raise InputError(
                    f"{where}: has {len(cells)} columns, but the header has {len(header)}; write one value "
                    f"for each column, and nothing between two separators if a value is not known"
                )
            add_row(rows, where, dict(zip(header, cells, strict=True)))

    return read


def _write_table(separator: str) -> Callable[[Preferences], Written]:
    def write(preferences: Preferences) -> Written:
        given = {preferences.docs[d] for docs in preferences.givens for d in docs}
        check_ids(preferences.source, "given document", given, "tsv and csv")
        text = io.StringIO()
        writer = csv.writer(text, delimiter=separator, lineterminator="\n")
        columns = preferences.columns()
        writer.writerow(columns)
        # A line is a judgment, so a comment of several lines becomes one.
        comments = columns.get("comment", [])
        lines = [" ".join(comment.splitlines()) for comment in comments]
        writer.writerows(zip(*(columns | ({"comment": lines} if lines else {})).values(), strict=True))
        notes = ("dropped: line breaks in comments",) if lines != comments else ()
        return Written(text.getvalue().encode(), {}, notes + levels_lost(preferences))

    return write


def _read_jsonl(lines: Iterator[tuple[int, str]], source: str, rows: PreferenceRows) -> None:
    example = '{"topic": "q1", "left": "d1", "right": "d2", "outcome": "left"}'
    for where, row in json_objects(lines, source, example):
        if not set(NEEDED) & set(row):
            refuse_json(where, json.dumps(row, ensure_ascii=False), "preferences")
        add_row(rows, where, row)


def _write_jsonl(preferences: Preferences) -> Written:
    columns: dict[str, list[Any]] = dict(preferences.columns())
    given = [[preferences.docs[d] for d in docs] for docs in preferences.givens]
    columns["given"] = [given[g] for g in preferences.given]
    rows = (dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True))
    text = joined(json.dumps(row, ensure_ascii=False) for row in rows)
    return Written(text.encode(), {}, levels_lost(preferences))


register(
    PREFERENCE_FORMATS,
    Format(
        name="tsv",
        summary="the columns that the header names: topic, left, right, outcome, and where known given, "
        "assessor, time and comment; tabs between them",
        example="topic⇥left⇥right⇥outcome",
        recognised_by="A header with `topic`, `left`, `right` and `outcome`. If one is missing, the file is "
        "refused.",
        read=reading("tsv", _read_table("\t")),
        recognises=_is_table("\t"),
        write=_write_table("\t"),
        endings=(".tsv",),
        default=True,
    ),
)
register(
    PREFERENCE_FORMATS,
    Format(
        name="csv",
        summary="the same with commas between the columns",
        example="topic,left,right,outcome",
        recognised_by="The same header.",
        read=reading("csv", _read_table(",")),
        recognises=_is_table(","),
        write=_write_table(","),
        endings=(".csv",),
    ),
)
register(
    PREFERENCE_FORMATS,
    Format(
        name="jsonl",
        summary="one JSON object on each line, with the same names",
        example='{"topic": "q1", "given": ["d3"], "left": "d1", "right": "d2", "outcome": "tie"}',
        recognised_by="A line that begins with `{` and has at least three of the names `topic`, `left`, "
        "`right` and `outcome`.",
        read=reading("jsonl", _read_jsonl),
        recognises=lambda start: has_names(start.line, NEEDED, len(NEEDED) - 1),
        write=_write_jsonl,
        endings=(".jsonl",),
    ),
)
