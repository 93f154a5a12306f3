"""Files of scores that other programs, or this one, have written."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from rankprism._core import parse_number
from rankprism.errors import InputError, listed
from rankprism.formats import files
from rankprism.formats.format import SCORE_FORMATS, Format, register
from rankprism.formats.json_lines import refuse_json
from rankprism.formats.spellings import SPELLINGS
from rankprism.frames import column_values, eager
from rankprism.statistics.means import LARGEST_SCORE

TOPIC = SPELLINGS["topic"]
#: Names of the run column in files of scores. In other files, `model` might be something else.
RUN = (*SPELLINGS["run"], "runtag", "model", "file", "name")
#: The common spellings of columns that only files of scores have.
MEASURE = ("measure", "metric")
VALUE = ("score", "value")
#: The words in the place of a topic in lines that hold means.
MEANS = ("all", "amean", "mean", "avg", "average")
#: How ndeval prints scores that are not numbers.
NOT_NUMBERS = ("nan", "-nan", "na", "null", "none", "")

#: run, topic, measure, score, and its place in messages
Cell: TypeAlias = tuple[str, str, str, float, str]


class Stored(NamedTuple):
    """What a file of scores holds."""

    cells: Iterator[Cell]
    #: the metadata of the table, or the object of a JSON file, which may have a record among them
    metadata: Mapping[Any, Any] = MappingProxyType({})


def recognises(start: files.Beginning) -> bool:
    """Whether the first two lines may be scores.

    They are names of columns with numbers below, or the output of ``trec_eval -q``. Three columns that begin
    with a number may be the weights of aspects, or judgments that lack a column.
    """
    first, words = start.line, start.columns
    if not words or words[0][0] in "{[":
        return not words  # an empty file is refused when its scores are read
    names = [cell.strip().strip('"').casefold() for cell in re.split("[,;\t]", first)]
    if words[0] == "runid" or (len(names) > 1 and {*RUN, *TOPIC, *MEASURE}.intersection(names)):
        return True
    if len(words) == 3 and parse_number(words[2]) is not None:
        return parse_number(words[0]) is None
    if len(words) >= 4 and parse_number(words[-1].strip('"')) is not None:
        return False
    below = re.split("[,;\t]", start.lines[-1][1]) if len(start.lines) > 1 else []
    return len(names) > 1 and any(parse_number(cell.strip()) is not None for cell in below)


def metadata_of(frame: Any) -> Mapping[Any, Any]:
    """The metadata of a frame. Only tables of pyarrow have any."""
    return getattr(getattr(frame, "schema", None), "metadata", None) or {}


def cells_of_frame(
    source: Any, where: dict[str, str], measure: str | None, name: str = "scores"
) -> Iterator[Cell]:
    frame = eager(source, name)
    if not frame.columns:
        raise InputError(f"{name}: the table has no columns; expected scores")
    columns = [str(column) for column in frame.columns]
    values = [column_values(frame, column, name) for column in frame.columns]
    rows = [["" if x is None else str(x) for x in row] for row in zip(*values, strict=True)]
    lines = [(f"{name}, row {number}", row) for number, row in enumerate(rows, 1)]
    return _from_table(columns, lines, where, measure or "score", name)


def _read(file: files.File, where: dict[str, str], measure: str | None) -> Stored:
    return Stored(_cells(file, where, measure))


def _cells(file: files.File, where: dict[str, str], measure: str | None) -> Iterator[Cell]:
    name, run = file.name, files.run_name(file)
    lines = list(file.lines())
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
        return _from_trec(name, lines, run)
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
    named = run if Path(run).name != Path(name).name else Path(run).stem  # any other ending is left out, too
    return _from_table(rows[0][1], rows[1:], where, measure or named, name)


def _is_own_json(start: files.Beginning) -> bool:
    """Whether a file begins as JSON that rankprism has written."""
    return re.match(r'\s*\{\s*"rankprism":\s*"', start.text) is not None


def _read_json(file: files.File, where: dict[str, str], measure: str | None) -> Stored:
    name = file.name
    try:
        content = json.loads(file.text())
        rows = content["rows"]
        header = list(dict.fromkeys(column for row in rows for column in row))
        lines = [
            (f"{name}, row {number}", ["" if row.get(x) is None else str(row[x]) for x in header])
            for number, row in enumerate(rows, 1)
        ]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError(f"{name}: is damaged JSON; write the scores again") from None
    if "topic" not in header or "run" not in header:
        raise InputError(
            f"{name}: is JSON of rankprism without scores of topics; write them with evaluate --per-topic"
        )
    return Stored(_from_table(header, lines, where, measure or "score", name), content)


def _separator(lines: Sequence[str]) -> str | None:
    """The separator of the columns of a table; None for the output of trec_eval.

    A measure's name may have commas. So the separator is the one that splits the first two lines into the
    same number of columns, with known names.
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


def _from_trec(name: str, lines: Iterable[tuple[int, str]], run: str) -> Iterator[Cell]:
    """The output of ``trec_eval -q``: measure, topic, score; the run's name is on its own line.

    This line is among the means, at the end of the run's part.
    """
    part: list[Cell] = []
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
        part.append((run, topic, measure, score_of(score, place), place))
    yield from ((named, *cell[1:]) for cell in part)


def _from_table(
    header: Sequence[str],
    rows: Sequence[tuple[str, Sequence[str]]],
    where: Mapping[str, str],
    measure: str,
    source: str,
) -> Iterator[Cell]:
    for column in where:
        if column not in header:
            raise InputError(f"{source}: has no column {column!r}; it has {listed(header)}")
    chosen = []
    for place, row in rows:
        if len(row) != len(header):
            raise InputError(f"{place}: has {len(row)} columns, but the first line has {len(header)}")
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
) -> Iterator[Cell]:
    for place, row in rows:
        if row[topic].casefold() not in MEANS:
            yield row[run], row[topic], row[kind], score_of(row[value], place), place


def _wide(
    header: Sequence[str],
    rows: Sequence[tuple[str, Sequence[str]]],
    run: int,
    topic: int,
    rest: Sequence[int],
) -> Iterator[Cell]:
    """Scores of a table in which each measure is a column. Columns that hold text are ignored."""
    measures = [i for i in rest if any(parse_number(row[i]) is not None for _, row in rows)]
    for place, row in rows:
        if row[topic].casefold() in MEANS:
            continue
        for i in measures:
            yield row[run], row[topic], header[i], score_of(row[i], place), place


def _matrix(
    header: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]], topic: int | None, measure: str
) -> Iterator[Cell]:
    """Scores of a table with one column per run and one row per topic. Unnamed topics are numbered."""
    if topic is None and (header[0] == "" or _are_names([row[0] for _, row in rows])):
        topic = 0
    for number, (place, row) in enumerate(rows, 1):
        for i, run in enumerate(header):
            if i != topic:
                name = str(number) if topic is None else row[topic]
                yield run, name, measure, score_of(row[i], place), place


def _are_names(column: Sequence[str]) -> bool:
    """Whether a column holds topics: text, or different whole numbers that are not all 0 or 1."""
    numbers = [parse_number(cell) for cell in column]
    if None in numbers:
        return all(cell.casefold() not in NOT_NUMBERS for cell in column)
    whole = all(x is not None and x == int(x) for x in numbers)
    return whole and len(set(numbers)) == len(numbers) and max(x or 0 for x in numbers) > 1


def score_of(text: str, place: str) -> float:
    """A score; NaN if there is none."""
    if text.casefold() in NOT_NUMBERS:
        return float("nan")
    number = parse_number(text)
    if number is None:
        raise InputError(f"{place}: the score {text!r} is not a finite number")
    if abs(number) >= LARGEST_SCORE:
        raise InputError(
            f"{place}: the score {text} is too large; scores must be below {LARGEST_SCORE:g} in magnitude"
        )
    return number


register(
    SCORE_FORMATS,
    Format(
        name="json",
        summary="scores of topics, as `rankprism evaluate --per-topic -o scores.json` writes them",
        example='{"rankprism": …, "rows": [{"run": …, "topic": …',
        recognised_by="A JSON object that begins with the name `rankprism`.",
        read=_read_json,
        recognises=_is_own_json,
    ),
)
register(
    SCORE_FORMATS,
    Format(
        name="text",
        summary="scores of topics, in a table with commas, semicolons or tabs, or as trec_eval -q prints",
        example="run,topic,measure,score",
        recognised_by="A first line with names such as `run`, `topic` or `measure`, or with a measure, a "
        "topic and a number.",
        read=_read,
        recognises=recognises,
        confused_with=dict.fromkeys(("trec", "tsv", "csv", "winner", "winner-loser"), "yields"),
        default=True,
    ),
)
