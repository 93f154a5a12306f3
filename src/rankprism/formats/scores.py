"""Files of scores that other programs, or this one, have written."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from rankprism._core import parse_number
from rankprism.errors import InputError, listed
from rankprism.formats import files
from rankprism.formats.aspects.labels import is_header
from rankprism.formats.json_lines import has_nuggets, is_json, refuse_json
from rankprism.formats.known import evall, ntcir
from rankprism.formats.known.tables import read_table, table_columns
from rankprism.formats.memory import SPELLINGS
from rankprism.frames import column_values, eager, is_frame
from rankprism.results.scores import Scores
from rankprism.types import ScoresLike

TOPIC = SPELLINGS["topic"]
#: What names a run in files of scores. A column `model` of a run might be something else.
RUN = (*SPELLINGS["run"], "runtag", "model", "file", "name")
#: The usual spellings of columns that only files of scores have.
MEASURE = ("measure", "metric")
VALUE = ("score", "value")
#: What lines that hold means have in the place of a topic.
MEANS = ("all", "amean", "mean", "avg", "average")
#: Scores that are not numbers, as ndeval prints them.
NOT_NUMBERS = ("nan", "-nan", "na", "null", "none", "")
#: Scores must be smaller in magnitude: sums of their squares would not be finite numbers otherwise.
LARGEST = 1e150


def read_scores(
    source: ScoresLike, *, where: Mapping[str, str] | None = None, measure: str | None = None
) -> Scores:
    """Scores of runs on topics, from one file or several, a frame or ``{run: {topic: {measure: score}}}``.

    A table may have the columns run, topic, measure and score; or run, topic and one column per measure, as
    from ndeval and gdeval; or one column per run and one row per topic. Commas, semicolons or tabs separate
    columns. The output of ``trec_eval -q`` is read too. Lines that hold means are skipped. Several files may
    hold other runs, topics or measures of one experiment.

    where : selects rows of a file with further columns by their values, e.g. ``{"sort": "rank"}``.
    measure : the name of the measure in a file with one column per run. Default: the file's name.

    >>> scores = read_scores({"bm25": {"q1": {"AP": 0.5}, "q2": {"AP": 0.25}}})
    >>> scores.mean()
    {'bm25': {'AP': 0.375}}
    """
    if isinstance(source, Scores):
        return source
    sources: list[Any] = [source]
    if isinstance(source, list | tuple) and all(isinstance(s, str | os.PathLike) for s in source):
        sources = list(source)
    if not sources:
        raise InputError("no scores given; name at least one file")
    cells = _Cells()
    for one in sources:
        if isinstance(one, str | os.PathLike):
            cells.add(_from_file(one, dict(where or {}), measure), files.source_name(one))
        elif isinstance(one, Mapping):
            cells.add(_from_mapping(one), "scores")
        elif is_frame(one):
            cells.add(_from_frame(one, dict(where or {}), measure), "scores")
        else:
            raise InputError(
                f"cannot read scores from {type(one).__name__} objects; pass paths, a frame or "
                "{run: {topic: {measure: score}}}"
            )
    return cells.scores(
        [files.source_name(s) if isinstance(s, str | os.PathLike) else "memory" for s in sources]
    )


def recognises(path: files.PathLike) -> bool | None:
    """Whether a file holds scores rather than judgments, by its first lines; None if it may be either."""
    if files.is_table_file(path):
        names = {name.casefold() for name in table_columns(path)}
        return not names.intersection(SPELLINGS["doc"])
    lines = files.first_lines(path, 2)
    if lines and is_json(lines[0]) and not has_nuggets(lines[0]):
        return None
    return _looks_like_scores(*lines) if lines else True  # whoever reads it says what is wrong with it


def _looks_like_scores(first: str, second: str = "") -> bool | None:
    r"""Whether the first two lines of a file are scores; None if they may be judgments as well.

    >>> _looks_like_scores("run,topic,measure,score"), _looks_like_scores("P_10  all  0.5")
    (True, True)
    >>> _looks_like_scores("1 0 d1 2"), _looks_like_scores("topic docno useful"), _looks_like_scores("1 d1 3")
    (False, False, None)
    """
    words = files.columns(first)
    names = [cell.strip().strip('"').casefold() for cell in re.split("[,;\t]", first)]
    if any(is_header(split) for split in (words, names)):
        return False
    if words[0] == "runid" or (len(names) > 1 and {*RUN, *TOPIC, *MEASURE}.intersection(names)):
        return True
    if ntcir.recognises(first) or evall.recognises(first) or has_nuggets(first):
        return False
    if len(words) == 3 and parse_number(words[2]) is not None:
        return True if parse_number(words[0]) is None else None
    if len(words) >= 4 and parse_number(words[-1].strip('"')) is not None:
        return False
    numbers = [parse_number(cell.strip()) for cell in re.split("[,;\t]", second)]
    if len(names) > 1 and any(number is not None for number in numbers):
        return True
    return None


#: run, topic, measure, score, and where it stands
_Cell = tuple[str, str, str, float, str]


@dataclass
class _Cells:
    """Scores in the making."""

    runs: dict[str, int] = field(default_factory=dict)
    topics: dict[str, int] = field(default_factory=dict)
    measures: dict[str, int] = field(default_factory=dict)
    values: dict[tuple[int, int, int], float] = field(default_factory=dict)

    def add(self, cells: Iterable[_Cell], source: str) -> None:
        before = len(self.values)
        for run, topic, measure, score, place in cells:
            if topic.casefold() in MEANS:
                continue
            key = (
                self.runs.setdefault(run, len(self.runs)),
                self.topics.setdefault(topic, len(self.topics)),
                self.measures.setdefault(measure, len(self.measures)),
            )
            if key in self.values:
                raise InputError(
                    f"{place}: a second score of run {run!r} on topic {topic!r} by {measure!r}; keep one, "
                    "or choose rows by another column (where, --where COLUMN=VALUE)"
                )
            self.values[key] = score
        if len(self.values) == before:
            raise InputError(
                f"{source}: has no score of a topic; scores of topics are needed, not only means"
            )

    def scores(self, sources: Sequence[str]) -> Scores:
        values = np.full((len(self.runs), len(self.topics), len(self.measures)), np.nan)
        r, t, m = (np.fromiter(axis, np.intp) for axis in zip(*self.values, strict=True))
        values[r, t, m] = np.fromiter(self.values.values(), np.float64)
        return Scores(
            tuple(self.runs), tuple(self.topics), tuple(self.measures), values, {"read from": list(sources)}
        )


def _from_mapping(source: Mapping[Any, Any]) -> Iterator[_Cell]:
    for run, topics in source.items():
        for topic, scores in _mapping(topics, f"run {run!r}", "{topic: {measure: score}}").items():
            for measure, score in _mapping(scores, f"topic {topic!r}", "{measure: score}").items():
                place = f"scores, run {run!r}, topic {topic!r}"
                yield str(run), str(topic), str(measure), _number(str(score), place), place


def _mapping(value: Any, what: str, expected: str) -> Mapping[Any, Any]:
    if not isinstance(value, Mapping):
        raise InputError(f"scores: {what} holds {value!r}; expected {expected}")
    return value


def _from_frame(
    source: Any, where: dict[str, str], measure: str | None, name: str = "scores"
) -> Iterator[_Cell]:
    frame = eager(source, name)
    if not frame.columns:
        raise InputError(f"{name}: the table has no columns; expected scores")
    columns = [str(column) for column in frame.columns]
    values = [column_values(frame, column, name) for column in frame.columns]
    rows = [["" if x is None else str(x) for x in row] for row in zip(*values, strict=True)]
    lines = [(f"{name}, row {number}", row) for number, row in enumerate(rows, 1)]
    return _from_table(columns, lines, where, measure or "score", name)


def _from_file(path: files.PathLike, where: dict[str, str], measure: str | None) -> Iterator[_Cell]:
    name = files.source_name(path)
    if files.is_table_file(path):
        return _from_frame(read_table(path), where, measure or files.run_name(path), name)
    lines = list(files.text_lines(path, files.unpacked(path)))
    refuse_json(name, "\n".join(text for _, text in lines[:1000]), "scores")
    if not lines:
        raise InputError(f"{name}: is empty; expected scores")
    for number, text in lines:
        if "\r" in text:
            raise InputError(
                f"{name}, line {number}: has a carriage return inside a line; if its lines end in "
                f"carriage returns only, convert it, e.g. tr '\\r' '\\n'"
            )
    separator = _separator([text for _, text in lines[:2]])
    if separator is None:
        return _from_trec(name, lines, files.run_name(path))
    reader = csv.reader((text for _, text in lines), delimiter=separator, strict=True)
    rows = []
    try:
        for row in reader:
            rows.append((f"{name}, line {lines[reader.line_num - 1][0]}", [cell.strip() for cell in row]))
    except csv.Error as error:
        place = lines[min(reader.line_num, len(lines)) - 1][0]
        raise InputError(f"{name}, line {place}: {error}; check the quotation marks") from None
    if len(rows) < 2:
        raise InputError(f"{name}: has only a first line with names of columns; expected scores below it")
    stem = Path(files.run_name(path)).stem
    return _from_table(rows[0][1], rows[1:], where, measure or stem, name)


def _separator(lines: Sequence[str]) -> str | None:
    """The separator of the columns of a table; None for the output of trec_eval.

    A measure's name may have commas. So the separator is the one that makes the first two lines equally
    long, and known names of columns.
    """
    words = files.columns(lines[0])
    if len(words) >= 3 and (words[0] == "runid" or parse_number(words[2]) is not None):
        return None
    known = {*RUN, *TOPIC, *MEASURE, *VALUE}

    def fit(separator: str) -> tuple[bool, int, int]:
        try:
            header, *more = (next(csv.reader([line], delimiter=separator), []) for line in lines)
        except csv.Error:
            return False, 0, 0
        alike = all(len(row) == len(header) > 1 for row in more)
        return alike, sum(name.strip().casefold() in known for name in header), len(header)

    best = max(",;\t", key=fit)
    return best if len(words) == 1 or best in lines[0] else None


def _from_trec(name: str, lines: Iterable[tuple[int, str]], run: str) -> Iterator[_Cell]:
    """What ``trec_eval -q`` prints: measure, topic, score; the run's name in a line of its own.

    The name stands among the means, at the end of the run's part.
    """
    part: list[_Cell] = []
    named = run
    ended = False
    for number, text in lines:
        # A run's name may have blanks.
        words = [word.strip() for word in text.split("\t")] if text.count("\t") == 2 else files.columns(text)
        place = f"{name}, line {number}"
        if len(words) != 3:
            raise InputError(
                f"{place}: expected measure, topic and score as trec_eval -q prints; got {text!r}"
            )
        measure, topic, score = words
        if topic.casefold() in MEANS:
            if measure == "runid":
                named = score
            ended = True
            continue
        if ended:  # the next run's part begins
            yield from ((named, *cell[1:]) for cell in part)
            part, ended, named = [], False, run
        part.append((run, topic, measure, _number(score, place), place))
    yield from ((named, *cell[1:]) for cell in part)


def _from_table(
    header: Sequence[str],
    rows: Sequence[tuple[str, Sequence[str]]],
    where: Mapping[str, str],
    measure: str,
    source: str,
) -> Iterator[_Cell]:
    for column in where:
        if column not in header:
            raise InputError(f"{source}: has no column {column!r}; it has {listed(header)}")
    chosen = []
    for place, row in rows:
        if len(row) != len(header):
            raise InputError(f"{place}: has {len(row)} columns where the first line has {len(header)}")
        if all(row[header.index(column)] == value for column, value in where.items()):
            chosen.append((place, row))
    if rows and not chosen:
        said = ", ".join(f"{column}={value}" for column, value in where.items())
        raise InputError(f"{source}: no row has {said}")
    by_name = {name.casefold(): index for index, name in enumerate(header)}
    run, topic, kind, value = (
        next((by_name[s] for s in spellings if s in by_name), None)
        for spellings in (RUN, TOPIC, MEASURE, VALUE)
    )
    if run is None:
        return _matrix(header, chosen, topic, measure)
    if topic is None:
        raise InputError(
            f"{source}: no topic column among {listed(header)}; name it one of {', '.join(TOPIC)}"
        )
    if kind is not None and value is not None:
        return _long(chosen, run, topic, kind, value)
    rest = [i for i, name in enumerate(header) if i not in (run, topic) and name not in where]
    return _wide(header, chosen, run, topic, rest)


def _long(
    rows: Iterable[tuple[str, Sequence[str]]], run: int, topic: int, kind: int, value: int
) -> Iterator[_Cell]:
    for place, row in rows:
        if row[topic].casefold() not in MEANS:
            yield row[run], row[topic], row[kind], _number(row[value], place), place


def _wide(
    header: Sequence[str],
    rows: Sequence[tuple[str, Sequence[str]]],
    run: int,
    topic: int,
    rest: Sequence[int],
) -> Iterator[_Cell]:
    """Scores of a table in which each measure is a column. Columns that hold text are ignored."""
    measures = [i for i in rest if any(parse_number(row[i]) is not None for _, row in rows)]
    for place, row in rows:
        if row[topic].casefold() in MEANS:
            continue
        for i in measures:
            yield row[run], row[topic], header[i], _number(row[i], place), place


def _matrix(
    header: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]], topic: int | None, measure: str
) -> Iterator[_Cell]:
    """Scores of a table with one column per run and one row per topic. Unnamed topics are numbered."""
    if topic is None and (header[0] == "" or _are_names([row[0] for _, row in rows])):
        topic = 0
    for number, (place, row) in enumerate(rows, 1):
        for i, run in enumerate(header):
            if i != topic:
                name = str(number) if topic is None else row[topic]
                yield run, name, measure, _number(row[i], place), place


def _are_names(column: Sequence[str]) -> bool:
    """Whether a column holds topics: text, or different whole numbers that are not all 0 or 1."""
    numbers = [parse_number(cell) for cell in column]
    if None in numbers:
        return all(cell.casefold() not in NOT_NUMBERS for cell in column)
    whole = all(x is not None and x == int(x) for x in numbers)
    return whole and len(set(numbers)) == len(numbers) and max(x or 0 for x in numbers) > 1


def _number(text: str, place: str) -> float:
    """A score; NaN if there is none."""
    if text.casefold() in NOT_NUMBERS:
        return float("nan")
    number = parse_number(text)
    if number is None:
        raise InputError(f"{place}: the score {text!r} is not a finite number")
    if abs(number) >= LARGEST:
        raise InputError(
            f"{place}: the score {text} is too large; scores must be below {LARGEST:g} in magnitude"
        )
    return number
