"""Tables of preferences with a header, and preferences as one JSON object on each line."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import Any

from rankprism.data import Preferences
from rankprism.formats.files import Beginning
from rankprism.formats.format import PREFERENCE_FORMATS, Format, Written, register
from rankprism.formats.judged import check_ids, joined
from rankprism.formats.preference_rows import are_preferences, levels_lost, reading_table
from rankprism.formats.table import header_of, json_names


def _is_table(*separators: str) -> Callable[[Beginning], bool]:
    """Whether a file begins with the names of columns of preferences."""

    def recognises(start: Beginning) -> bool:
        header = header_of(start)
        return header is not None and header.separator in separators and are_preferences(header.names)

    return recognises


def _is_json(start: Beginning) -> bool:
    return are_preferences(json_names(start) or ())


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
        read=reading_table("tsv"),
        recognises=_is_table("\t", " "),
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
        read=reading_table("csv"),
        recognises=_is_table(",", ";", "|", "::"),
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
        read=reading_table("jsonl"),
        recognises=_is_json,
        write=_write_jsonl,
        endings=(".jsonl",),
    ),
)
