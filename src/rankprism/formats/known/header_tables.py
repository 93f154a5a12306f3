"""Judgments and runs as tables of text: a header, and commas, semicolons or tabs between the columns."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence

import numpy as np

from rankprism._core import RunTable, parse_number
from rankprism.data import Judgments
from rankprism.errors import InputError
from rankprism.formats import files
from rankprism.formats.aspects.labels import is_header
from rankprism.formats.format import JUDGMENT_FORMATS, RUN_FORMATS, Format, register
from rankprism.formats.frames import only_run
from rankprism.formats.judged import JudgedLine, judgment_table
from rankprism.formats.spellings import JUDGMENT_COLUMNS, ONLY_ASPECT, RUN_COLUMNS, SPELLINGS, USER, spelled
from rankprism.types import Duplicates

_SEPARATORS = ",;\t"
#: Names of columns that hold neither an id nor a number of ours.
_KNOWN = frozenset({*(name for names in SPELLINGS.values() for name in names), "timestamp", "time", "date"})


def _header(line: str) -> tuple[list[str], str]:
    """The names in a header, and what separates them. A line without separators has no names."""
    separator = max(_SEPARATORS, key=line.count)
    try:
        names = next(csv.reader([line], delimiter=separator), []) if separator in line else []
    except csv.Error:  # not text
        names = []
    return [name.strip() for name in names], separator


def _names(start: files.Beginning) -> list[str]:
    return [name.casefold() for name in _header(start.line)[0]]


def _has(names: Sequence[str], *columns: str) -> bool:
    return all(any(name in SPELLINGS[column] for name in names) for column in columns)


def _recognises(start: files.Beginning) -> bool:
    """A header of one grade. A table of several grades, or one without commas, has the format `aspects`."""
    names = _names(start)
    is_graded = _has(names, "grade") or {"corpus-id", "score"} <= set(names)
    if not (is_graded and _has(names, "topic", "doc")) or is_header(start.columns):
        return False
    return not set(USER).isdisjoint(names) or _KNOWN.issuperset(names)


def _recognises_run(start: files.Beginning) -> bool:
    return _has(_names(start), "topic", "doc", "score")


def _rows(
    file: files.File, expected: tuple[str, ...], optional: tuple[str, ...]
) -> Iterator[tuple[int, list[str]]]:
    """The number of each line below the header, and its cells in the expected columns, "" in missing ones."""
    lines = file.lines()
    number, header = next(lines, (1, ""))
    names, separator = _header(header)
    chosen = spelled(names, expected, optional, f"{file.name}, line {number}")
    places = {column: names.index(name) for column, name in chosen.items()}
    before = number

    def below() -> Iterator[str]:
        nonlocal number
        for number, line in lines:  # noqa: B007 (the reader asks for one line at a time)
            yield line

    try:
        for row in csv.reader(below(), delimiter=separator, strict=True):
            if len(row) != len(names):
                raise InputError(
                    f"{file.name}, line {number}: has {len(row)} columns, but the header has {len(names)}; "
                    f"write one value for each column"
                )
            cells = [row[places[column]].strip() if column in places else "" for column in expected]
            if cells.count("") > len(expected) - len(places):
                empty = next(column for column in places if not row[places[column]].strip())
                raise InputError(f"{file.name}, line {number}: the {empty} is empty; every row needs one")
            yield number, cells
            before = number
    except csv.Error as error:
        raise InputError(
            f"{file.name}: after line {before}, a quote is not closed or not doubled ({error})"
        ) from None


def _number(file: files.File, line: int, what: str, text: str) -> float:
    found = parse_number(text)
    if found is None:
        raise InputError(f"{file.name}, line {line}: the {what} {text!r} is not a number")
    return found


def _read(file: files.File) -> Judgments:
    judged = (
        JudgedLine(number, topic, aspect or ONLY_ASPECT, doc, _number(file, number, "grade", grade))
        for number, (topic, aspect, doc, grade) in _rows(file, *JUDGMENT_COLUMNS)
    )
    return Judgments(judgment_table(file.name, judged), file.name)


def _read_runs(file: files.File) -> dict[str | None, RunTable]:
    """The runs by the names in the column `run`; without this column, there is one, None."""
    found: dict[str | None, tuple[list[str], list[str], list[float], list[float]]] = {}
    for number, (run, topic, doc, score, rank) in _rows(file, *RUN_COLUMNS):
        topics, docs, scores, ranks = found.setdefault(run or None, ([], [], [], []))
        topics.append(topic)
        docs.append(doc)
        scores.append(_number(file, number, "score", score))
        if rank:
            ranks.append(_number(file, number, "rank", rank))
    if not found:
        raise InputError(f"{file.name}: there is no row below the header")
    return {
        run: RunTable.from_columns(
            file.name if run is None else f"{file.name}, run {run!r}",
            topics,
            docs,
            np.array(scores, dtype=np.float64),
            np.array(ranks, dtype=np.float64),
        )
        for run, (topics, docs, scores, ranks) in found.items()
    }


def _read_run(file: files.File, duplicates: Duplicates) -> RunTable:
    return only_run(_read_runs(file), file.name)[1]


register(
    JUDGMENT_FORMATS,
    Format(
        name="table",
        summary="the columns that the header names: topic, document, grade, and perhaps aspect; commas, "
        "semicolons or tabs between them; other columns are ignored",
        example="user_id,item_id,rating",
        recognised_by="A header with the usual name of a topic (`query_id`, `user`, …), of a document "
        "(`doc_id`, `item`, …) and of a grade (`rel`, `rating`, …).",
        read=_read,
        recognises=_recognises,
        confused_with={"aspects": "wins", "winner-loser": "wins", "text": "wins"},
    ),
)
register(
    RUN_FORMATS,
    Format(
        name="table",
        summary="the columns that the header names: topic, document, score, and perhaps run and rank; "
        "commas, semicolons or tabs between them; other columns are ignored",
        example="qid,docno,score",
        recognised_by="A header with the usual names of a topic, of a document and of a score.",
        read=_read_run,
        recognises=_recognises_run,
        confused_with={"winner-loser": "wins", "text": "wins"},
        read_runs=_read_runs,
    ),
)
