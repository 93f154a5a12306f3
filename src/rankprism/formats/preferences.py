"""Reading and writing preferences."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rankprism.data.preferences import OUTCOMES, PreferenceRows, Preferences
from rankprism.errors import InputError
from rankprism.formats import files

#: Who judged, where nobody says.
ANYBODY = "assessor"
#: The columns of a table of preferences; those after `outcome` may be missing.
COLUMNS = ("topic", "given", "left", "right", "outcome", "assessor", "time", "comment")
_NEEDED = ("topic", "left", "right", "outcome")


@dataclass(frozen=True)
class PreferenceFormat:
    """A way to write preferences to a file."""

    name: str
    about: str  #: what a line looks like
    recognises: Callable[[str], bool]  #: whether the first line of data looks like it
    read: Callable[[Iterator[tuple[int, str]], str, PreferenceRows], None]
    write: Callable[[Preferences], str] | None = None
    endings: tuple[str, ...] = ()


def read_preferences(source: Any, *, format: str | None = None) -> Preferences:
    """Read preferences from a file, rows or a data frame.

    source : a path ("-" is standard input; .gz, .bz2, .xz and .zst are unpacked), an iterable of mappings or of
        tuples (topic, given, left, right, outcome) with an assessor behind them if known, or a pandas, polars
        or pyarrow frame with these columns. `given` is empty for a simple pair.
    format : how the lines of a file are to be read, one of `FORMATS`. Default: recognised from the first line.

    >>> read_preferences([("q1", "", "d1", "d2", "left"), ("q1", "d1", "d2", "d3", "right", "ann")])
    <Preferences preferences: 2 judgments of 2 assessors, 1 topics>
    """
    if isinstance(source, Preferences):
        return source
    if not isinstance(source, str | os.PathLike):
        return _from_rows(source)
    where = files.source_name(source)
    data = files.unpacked(source)
    first = files.first_line(source, data)[1]
    chosen = _chosen(format, first, where)
    rows = PreferenceRows(where)
    chosen.read(files.text_lines(source, data), where, rows)
    return rows.finished(chosen.name)


def recognised(first: str) -> PreferenceFormat | None:
    """The format whose lines look like this one, if it can be nothing but preferences."""
    return next((kind for kind in FORMATS.values() if kind.recognises(first)), None)


def _chosen(format: str | None, first: str, where: str) -> PreferenceFormat:
    if format is not None:
        if format not in FORMATS:
            raise InputError(f"unknown preference format {format!r}; use one of {', '.join(FORMATS)}")
        return FORMATS[format]
    found = recognised(first)
    if found is None:
        known = "; ".join(f"{kind.name}: {kind.about}" for kind in FORMATS.values())
        raise InputError(
            f"{where}: the first line {first[:80]!r} looks like no preference file. Known are {known}"
        )
    return found


# ── tables with a header ─────────────────────────────────────────────────────────────────────────


def _header(line: str, separator: str) -> list[str]:
    return [name.strip().casefold() for name in next(csv.reader([line], delimiter=separator), [])]


def _is_table(separator: str) -> Callable[[str], bool]:
    return lambda line: set(_NEEDED) <= set(_header(line, separator))


def _read_table(separator: str) -> Callable[[Iterator[tuple[int, str]], str, PreferenceRows], None]:
    def read(lines: Iterator[tuple[int, str]], source: str, rows: PreferenceRows) -> None:
        number, first = next(lines)
        header = _header(first, separator)
        for name in header:
            if name not in COLUMNS or header.count(name) > 1:
                raise InputError(
                    f"{source}, line {number}: the column {name!r} is "
                    + (f"none of {', '.join(COLUMNS)}" if name not in COLUMNS else "there twice")
                )
        for number, line in lines:
            where = f"{source}, line {number}"
            cells = next(csv.reader([line], delimiter=separator))
            if len(cells) != len(header):
                raise InputError(f"{where}: {len(cells)} columns where the header has {len(header)}")
            _add(rows, where, dict(zip(header, cells, strict=True)))

    return read


def _write_table(separator: str) -> Callable[[Preferences], str]:
    def write(preferences: Preferences) -> str:
        text = io.StringIO()
        writer = csv.writer(text, delimiter=separator, lineterminator="\n")
        columns = preferences.columns()
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
        return text.getvalue()

    return write


def _add(rows: PreferenceRows, where: str, row: Mapping[str, Any]) -> None:
    """One judgment by the names of its columns, each checked to be what it should be."""

    def text(name: str) -> str:
        value = row.get(name)
        if value is None or (isinstance(value, float) and value != value):
            return ""
        if isinstance(value, bool | Mapping | bytes):
            raise InputError(f"{where}: {value!r} is no {name}")
        return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)

    for name in _NEEDED:
        if not text(name).strip():
            raise InputError(
                f"{where}: the column {name} is empty; every judgment needs {', '.join(_NEEDED)}"
            )
    given = row.get("given")
    documents = [str(doc) for doc in given] if isinstance(given, list | tuple) else text("given").split()
    rows.add(
        where,
        text("topic"),
        documents,
        text("left"),
        text("right"),
        text("outcome").strip().casefold(),
        text("assessor") or ANYBODY,
        text("time"),
        text("comment"),
    )


# ── one JSON object on each line ─────────────────────────────────────────────────────────────────


def _read_jsonl(lines: Iterator[tuple[int, str]], source: str, rows: PreferenceRows) -> None:
    for number, line in lines:
        where = f"{source}, line {number}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{where}: is no JSON object ({error})") from None
        if not isinstance(row, dict):
            raise InputError(f'{where}: is no JSON object; write {{"topic": …, "left": …}}')
        _add(rows, where, row)


def _write_jsonl(preferences: Preferences) -> str:
    columns = preferences.columns()
    lines = []
    for values in zip(*columns.values(), strict=True):
        row: dict[str, Any] = dict(zip(columns, values, strict=True))
        row["given"] = row["given"].split()
        lines.append(json.dumps(row, ensure_ascii=False))
    return "".join(f"{line}\n" for line in lines)


# ── lines of TREC preference files ───────────────────────────────────────────────────────────────


def _read_columns(
    number_of_columns: int, outcome: Callable[[list[str]], tuple[str, str, str, str] | None], about: str
) -> Callable[[Iterator[tuple[int, str]], str, PreferenceRows], None]:
    """A reader of lines between blanks; `outcome` gives topic, left, right and outcome, or None."""

    def read(lines: Iterator[tuple[int, str]], source: str, rows: PreferenceRows) -> None:
        for number, line in lines:
            columns = files.columns(line)
            found = outcome(columns) if len(columns) == number_of_columns else None
            if found is None:
                raise InputError(f"{source}, line {number}: {line.strip()[:80]!r} is not {about}")
            topic, left, right, result = found
            rows.add(f"{source}, line {number}", topic, (), left, right, result, ANYBODY)

    return read


def _winner(columns: list[str]) -> tuple[str, str, str, str] | None:
    topic, left, right, winner = columns
    if winner not in (left, right):
        return None
    return topic, left, right, "left" if winner == left else "right"


def _marked(columns: list[str]) -> tuple[str, str, str, str] | None:
    at, topic, left, right, mark = columns
    if at != "@" or mark not in ("!", "="):
        return None
    return topic, left, right, "left" if mark == "!" else "tie"


def _winner_line(line: str) -> bool:
    columns = files.columns(line)
    return len(columns) == 4 and columns[3] in columns[1:3]


def _write_winner(preferences: Preferences) -> str:
    if (preferences.number_given > 0).any() or (preferences.outcome == OUTCOMES["tie"]).any():
        raise InputError(
            f"{preferences.source}: has triplets or ties, which lines of topic, two documents and the winner "
            f"cannot hold; write tsv, csv or jsonl"
        )
    columns = preferences.columns()
    lines = zip(columns["topic"], columns["left"], columns["right"], columns["outcome"], strict=True)
    return "".join(f"{t} {a} {b} {a if x == 'left' else b}\n" for t, a, b, x in lines)


#: Every format by name, in the order in which they are tried.
FORMATS: dict[str, PreferenceFormat] = {
    kind.name: kind
    for kind in (
        PreferenceFormat(
            "tsv",
            "a header with topic, left, right, outcome, and given, assessor, time, comment where known; tabs between",
            _is_table("\t"),
            _read_table("\t"),
            _write_table("\t"),
            (".tsv",),
        ),
        PreferenceFormat(
            "csv",
            "the same with commas between",
            _is_table(","),
            _read_table(","),
            _write_table(","),
            (".csv",),
        ),
        PreferenceFormat(
            "jsonl",
            "one JSON object on each line, with the same names",
            lambda line: line.lstrip().startswith("{"),
            _read_jsonl,
            _write_jsonl,
            (".jsonl",),
        ),
        PreferenceFormat(
            "marks",
            "@ topic document document, then ! if the first is preferred or = for a tie",
            lambda line: line.startswith("@ ") and files.columns(line)[-1] in ("!", "="),
            _read_columns(5, _marked, "'@ topic document document' and '!' or '='"),
        ),
        PreferenceFormat(
            "winner",
            "topic document document winner",
            _winner_line,
            _read_columns(4, _winner, "a topic, two documents and which of them won"),
            _write_winner,
        ),
        PreferenceFormat(
            "winner-loser",
            "topic winner loser",
            lambda line: len(files.columns(line)) == 3,
            _read_columns(3, lambda c: (c[0], c[1], c[2], "left"), "a topic, the winner and the loser"),
        ),
    )
}


# ── rows and frames ──────────────────────────────────────────────────────────────────────────────


def _from_rows(source: Any) -> Preferences:
    from rankprism.formats.frames import all_rows, is_frame

    if not is_frame(source) and (not isinstance(source, Iterable) or isinstance(source, bytes | Mapping)):
        raise InputError(
            f"preferences cannot be read from {type(source).__name__} objects; pass a path, rows or a data frame"
        )
    rows = PreferenceRows()
    for number, row in enumerate(all_rows(source) if is_frame(source) else source, 1):
        where = f"preferences, row {number}"
        if isinstance(row, Mapping):
            missing = [name for name in _NEEDED if name not in row]
            if missing:
                raise InputError(f"{where}: has no {missing[0]}; every judgment needs {', '.join(_NEEDED)}")
            _add(rows, where, row)
        elif isinstance(row, tuple | list) and 5 <= len(row) <= len(COLUMNS):
            _add(rows, where, dict(zip(COLUMNS, row, strict=False)))
        else:
            raise InputError(f"{where}: {row!r} is no row of {', '.join(COLUMNS)}")
    return rows.finished()
