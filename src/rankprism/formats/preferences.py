"""Reading and writing preferences."""

from __future__ import annotations

import csv
import io
import json
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankprism._core import parse_number
from rankprism.data.preferences import OUTCOMES, PreferenceRows, Preferences
from rankprism.errors import InputError, RankprismWarning
from rankprism.formats import evall, files, ntcir
from rankprism.formats.aspects.labels import is_header
from rankprism.formats.judged import Written, check_ids, joined, number_text

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
    recognises: Callable[[str], bool]  #: whether the first line of data can be nothing else
    read: Callable[[Iterator[tuple[int, str]], str, PreferenceRows], None]
    write: Callable[[Preferences], Written] | None = None
    endings: tuple[str, ...] = ()


def read_preferences(source: Any, *, format: str | None = None) -> Preferences:
    """Read preferences from a file, rows or a data frame.

    source : a path ("-" is standard input; .gz, .bz2, .xz and .zst are unpacked), an iterable of mappings or
        of tuples (topic, given, left, right, outcome) with an assessor behind them if known, or a pandas,
        polars or pyarrow frame with these columns. `given` is empty for a simple pair.
    format : how the lines of a file are to be read, one of `FORMATS`. Default: recognised from the first
        line, if it can be nothing but preferences.

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


def are_preferences(source: Any, format: str | None = None) -> bool:
    """Whether a source can be nothing but preferences. Standard input is not looked at, only its format."""
    if isinstance(source, Preferences) or format in FORMATS:
        return True
    if format is not None:
        return False
    if not isinstance(source, str | os.PathLike):
        return _are_rows(source)
    if not os.path.isfile(source):
        return False
    return recognised(files.first_line(source, files.unpacked(source))[1]) is not None


def _are_rows(source: Any) -> bool:
    """Whether these are rows of preferences, or a frame of them, by their columns or by the first row."""
    from rankprism.data.frames import eager, is_frame

    if is_frame(source):
        return set(_NEEDED) <= set(eager(source).columns)
    first = source[0] if isinstance(source, list | tuple) and source else None
    if isinstance(first, Mapping):
        return set(_NEEDED) <= set(first)
    return isinstance(first, list | tuple) and len(first) >= 5 and str(first[4]).casefold() in OUTCOMES


def write_preferences(preferences: Preferences, to: str) -> Written:
    """Preferences as text in one of the formats that can be written."""
    writers = {name: kind.write for name, kind in FORMATS.items() if kind.write is not None}
    if to not in writers:
        raise InputError(f"cannot write preferences as {to!r}; use one of {', '.join(writers)}")
    return writers[to](preferences)


def _chosen(format: str | None, first: str, where: str) -> PreferenceFormat:
    if format is not None:
        if format not in FORMATS:
            raise InputError(f"unknown preference format {format!r}; use one of {', '.join(FORMATS)}")
        return FORMATS[format]
    found = recognised(first)
    if found is not None:
        return found
    known = "; ".join(f"{kind.name}: {kind.about}" for kind in FORMATS.values())
    columns = files.columns(first)
    if 3 <= len(columns) <= 5 and parse_number(columns[-1]) is not None:
        raise InputError(
            f"{where}: the first line {first.strip()[:80]!r} may be absolute judgments as well as "
            f"preferences. Say which preferences they are with format= (--from): {known}"
        )
    raise InputError(
        f"{where}: the first line {first[:80]!r} looks like no preference file. Known are {known}"
    )


# ── tables with a header ─────────────────────────────────────────────────────────────────────────


def _cells(line: str, separator: str) -> list[str] | None:
    """What stands between separators, or None if quotes or line ends are where none may be."""
    try:
        return next(csv.reader([line], delimiter=separator, strict=True), [])
    except csv.Error:
        return None


def _header(line: str, separator: str) -> list[str]:
    return [name.strip().casefold() for name in _cells(line, separator) or []]


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
            cells = _cells(line, separator)
            if cells is None:
                raise InputError(
                    f"{where}: a quote is not closed, or not doubled, or a line end is inside a cell"
                )
            if len(cells) != len(header):
                raise InputError(f"{where}: {len(cells)} columns where the header has {len(header)}")
            _add(rows, where, dict(zip(header, cells, strict=True)))

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
        return Written(text.getvalue().encode(), {}, notes + _levels_lost(preferences))

    return write


def _levels_lost(preferences: Preferences) -> tuple[str, ...]:
    lost = "dropped: the levels of documents; which of two is preferred is kept"
    return () if preferences.levels is None else (lost,)


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


def _write_jsonl(preferences: Preferences) -> Written:
    columns: dict[str, list[Any]] = dict(preferences.columns())
    given = [[preferences.docs[d] for d in docs] for docs in preferences.givens]
    columns["given"] = [given[g] for g in preferences.given]
    rows = (dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True))
    text = joined(json.dumps(row, ensure_ascii=False) for row in rows)
    return Written(text.encode(), {}, _levels_lost(preferences))


# ── lines of TREC preference files ───────────────────────────────────────────────────────────────

#: What stands for an answer where there is none.
UNANSWERED = "?"


def _read_columns(
    number_of_columns: int, outcome: Callable[[list[str]], tuple[str, str, str, str] | None], about: str
) -> Callable[[Iterator[tuple[int, str]], str, PreferenceRows], None]:
    """A reader of lines between blanks; `outcome` gives topic, left, right and outcome, or None."""

    def read(lines: Iterator[tuple[int, str]], source: str, rows: PreferenceRows) -> None:
        unanswered = 0
        for number, line in lines:
            columns = files.columns(line)
            found = outcome(columns) if len(columns) == number_of_columns else None
            if found is None:
                raise InputError(f"{source}, line {number}: {line.strip()[:80]!r} is not {about}")
            topic, left, right, result = found
            if result == UNANSWERED:
                unanswered += 1
            else:
                rows.add(f"{source}, line {number}", topic, (), left, right, result, ANYBODY)
        if unanswered:
            warnings.warn(
                f"{source}: {unanswered} lines have no answer ({UNANSWERED}); they are left out",
                RankprismWarning,
                stacklevel=3,
            )

    return read


def _winner(columns: list[str]) -> tuple[str, str, str, str] | None:
    topic, left, right, winner = columns
    if winner not in (left, right):
        return None
    return topic, left, right, "left" if winner == left else "right"


_MARKS = {"!": "left", "=": "tie", UNANSWERED: UNANSWERED}


def _marked(columns: list[str]) -> tuple[str, str, str, str] | None:
    at, topic, left, right, mark = columns
    return (topic, left, right, _MARKS[mark]) if at == "@" and mark in _MARKS else None


def _read_levels(columns_of: str) -> Callable[[Iterator[tuple[int, str]], str, PreferenceRows], None]:
    """A reader of trec_eval's files, with or without a column for the lists within a judgment group."""
    names = columns_of.split()

    def read(lines: Iterator[tuple[int, str]], source: str, rows: PreferenceRows) -> None:
        for number, line in lines:
            where = f"{source}, line {number}"
            columns = files.columns(line)
            if len(columns) != len(names):
                raise InputError(f"{where}: {len(columns)} columns where {columns_of} are {len(names)}")
            level = parse_number(columns[-1])
            if level is None:
                raise InputError(f"{where}: the level {columns[-1]!r} is no number")
            topic, group, *listing, doc, _ = columns
            rows.add_level(where, topic, group, "".join(listing), doc, level)

    return read


def _is_number(column: str) -> bool:
    return parse_number(column) is not None


def _levels_line(line: str) -> bool:
    """`topic group list document level`.

    trec-dd and prels have a number in the fourth column, or prels the name of a method: then it has a grade
    in the third and a document in the second, which is hardly a number.
    """
    columns = files.columns(line)
    if len(columns) != 5 or columns[0] == "@" or evall.recognises(line):
        return False
    _, group, listing, doc, level = map(_is_number, columns)
    return level and not doc and (group or not listing)


def _marked_line(line: str) -> bool:
    columns = files.columns(line)
    return len(columns) == 5 and columns[0] == "@" and columns[4] in _MARKS


def _winner_line(line: str) -> bool:
    """Documents with numbers for names are not recognised: `1 0 12 0` may also be a grade of document 12."""
    columns = files.columns(line)
    is_winner = len(columns) == 4 and columns[3] in columns[1:3]
    return is_winner and not _is_number(columns[3]) and not ntcir.recognises(line)


def _winner_loser_line(line: str) -> bool:
    """`topic winner loser`.

    Weights have a number in the third column and NTCIR's judgments a grade like L2; judgments may have a
    header; and a file that describes judgments begins with something like `judgments = "qrels"`.
    """
    columns = files.columns(line)
    if len(columns) != 3 or columns[1] == "=" or is_header(columns) or ntcir.recognises(line):
        return False
    return not _is_number(columns[2])


def _between_blanks(preferences: Preferences, format: str) -> tuple[str, ...]:
    """Notes of what lines between blanks lose, once it is known that they can hold the rest."""
    if (preferences.number_given > 0).any():
        raise InputError(
            f"{preferences.source}: has triplets, which the format {format} cannot hold; "
            f"write tsv, csv or jsonl"
        )
    check_ids(preferences.source, "topic", preferences.topics, format)
    check_ids(preferences.source, "document", preferences.docs, format)
    lost = [name for name in ("time", "comment") if getattr(preferences, name) is not None]
    if format != "prefs":
        if (preferences.outcome == OUTCOMES["tie"]).any():
            raise InputError(
                f"{preferences.source}: has ties, which the format {format} cannot hold; "
                f"write tsv, csv or jsonl"
            )
        lost += ["assessor"] if preferences.assessors != (ANYBODY,) else []
    return tuple(f"dropped: the column {name}" for name in lost)


def _write_winner(preferences: Preferences) -> Written:
    notes = _between_blanks(preferences, "winner") + _levels_lost(preferences)
    columns = preferences.columns()
    lines = zip(columns["topic"], columns["left"], columns["right"], columns["outcome"], strict=True)
    return Written(
        joined(f"{t} {a} {b} {a if x == 'left' else b}" for t, a, b, x in lines).encode(), {}, notes
    )


def _write_winner_loser(preferences: Preferences) -> Written:
    notes = _between_blanks(preferences, "winner-loser") + _levels_lost(preferences)
    columns = preferences.columns()
    lines = zip(columns["topic"], columns["left"], columns["right"], columns["outcome"], strict=True)
    text = joined(f"{t} {a} {b}" if x == "left" else f"{t} {b} {a}" for t, a, b, x in lines)
    return Written(text.encode(), {}, notes)


def _write_levels(preferences: Preferences) -> Written:
    """The lists that were read, or each judgment as a list of two, the winner on level 2, the loser on 1."""
    notes = _between_blanks(preferences, "prefs")
    check_ids(preferences.source, "assessor", preferences.assessors, "prefs")
    levels = preferences.levels
    topics, assessors, docs = preferences.topics, preferences.assessors, preferences.docs
    if levels is not None:
        rows = zip(levels.topic, levels.assessor, levels.listing, levels.doc, levels.level, strict=True)
        lines = [f"{topics[t]} {assessors[a]} s{n} {docs[d]} {number_text(x)}" for t, a, n, d, x in rows]
        return Written(joined(lines).encode(), {}, notes)
    ties = int((preferences.outcome == OUTCOMES["tie"]).sum())
    if ties:
        notes = (*notes, f"dropped: {ties} ties; documents on one level are not compared when they are read")
    lines = []
    for n, i in enumerate(np.flatnonzero(preferences.outcome != OUTCOMES["tie"]), 1):
        pair = (preferences.left[i], preferences.right[i])
        winner, loser = pair if preferences.outcome[i] == OUTCOMES["left"] else pair[::-1]
        start = f"{topics[preferences.topic[i]]} {assessors[preferences.assessor[i]]} s{n}"
        lines += [f"{start} {docs[winner]} 2", f"{start} {docs[loser]} 1"]
    return Written(joined(lines).encode(), {}, notes)


#: Every format by name, in the order in which they are tried.
FORMATS: dict[str, PreferenceFormat] = {
    kind.name: kind
    for kind in (
        PreferenceFormat(
            "tsv",
            "a header with topic, left, right, outcome, and given, assessor, time, comment where known; "
            "tabs between",
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
            "@ topic document document, then ! if the first is preferred, = for a tie, ? for no answer",
            _marked_line,
            _read_columns(5, _marked, "'@ topic document document' and '!', '=' or '?'"),
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
            _winner_loser_line,
            _read_columns(3, lambda c: (c[0], c[1], c[2], "left"), "a topic, the winner and the loser"),
            _write_winner_loser,
        ),
        PreferenceFormat(
            "prefs",
            "topic group list document level, as trec_eval -R prefs reads it",
            _levels_line,
            _read_levels("topic group list document level"),
            _write_levels,
        ),
        PreferenceFormat(
            "qrels-prefs",
            "topic group document level: judgments as preferences, as trec_eval -R qrels_prefs reads them",
            lambda line: False,
            _read_levels("topic group document level"),
        ),
    )
}


# ── rows and frames ──────────────────────────────────────────────────────────────────────────────


def _from_rows(source: Any) -> Preferences:
    from rankprism.data.frames import all_rows, is_frame

    if not is_frame(source) and (not isinstance(source, Iterable) or isinstance(source, bytes | Mapping)):
        raise InputError(
            f"preferences cannot be read from {type(source).__name__} objects; "
            f"pass a path, rows or a data frame"
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
