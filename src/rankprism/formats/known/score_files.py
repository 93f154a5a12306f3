"""Files of scores that other programs, or this one, have written."""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from rankprism._core import parse_number
from rankprism.data.frames import column_values, eager
from rankprism.errors import InputError, listed
from rankprism.formats import files
from rankprism.formats.format import SCORE_FORMATS, Format, register
from rankprism.formats.json_lines import refuse_json
from rankprism.formats.spellings import SPELLINGS
from rankprism.statistics import LARGEST_SCORE

TOPIC = SPELLINGS["topic"]
#: Names of the run column in files of scores.
RUN = (*SPELLINGS["run"], "runid", "runtag", "file")
#: The common spellings of columns that only files of scores have.
MEASURE = ("measure", "metric")
VALUE = ("score", "value")
#: The words in the place of a topic in lines that hold means.
MEANS = ("all", "amean", "mean", "avg", "average")
#: Further words for them, which may also be topics: such a line is left out if it holds a mean of others.
MAYBE_MEANS = ("overall", "total", "macro avg", "micro avg", "weighted avg", "macro", "micro")
#: Columns of numbers that are no measures.
NOT_MEASURES = ("fold", "seed", "split", "k", "repeat", "trial", "index", "", "unnamed: 0")
#: Columns of a log of training.
_LOG = ("epoch", "epochs", "step", "steps", "loss", "eval_loss", "train_loss", "learning_rate", "lr")
#: What the name of a measure begins with, or ends with after the name of what it measures.
_MEASURE = re.compile(
    r"(?:.*[-_ /])?(?:ndcg|dcg|map|ap|mrr|rr|recall|precision|p|r|hits?|hit_?rate|hr|success|accuracy|acc|f1|"
    r"err|rbp|bpref|auc|faithfulness|mean_average_precision|mean_reciprocal_rank)(?:[@_]\d+)?",
    re.IGNORECASE,
)
#: How ndeval prints scores that are not numbers.
NOT_NUMBERS = ("nan", "-nan", "na", "null", "none", "")

#: The column that says whether a row is of a topic or a mean. Files of this program have it if a topic is
#: called like a mean.
KIND, OF_TOPIC, OF_MEAN = "kind", "topic", "mean"
#: The column with the number of digits to which scores were rounded when they were written.
DIGITS = "digits"
#: The columns of a folder of scores that say what they were computed from. Such files have no means.
JUDGMENTS, SETTINGS, WRITTEN_BY = "judgments_sha256", "settings", "rankprism"

#: run, topic, measure, score, its place in messages, and its bounds if they are known
Cell: TypeAlias = tuple[str, str, str, float, str, tuple[float, float] | None]
_Row: TypeAlias = tuple[str, Sequence[str]]


class Stored(NamedTuple):
    """What a file of scores holds."""

    cells: Iterator[Cell]
    #: the metadata of the table, or the object of a JSON file, which may have a record among them
    metadata: Mapping[Any, Any] = MappingProxyType({})
    digits: int | None = None  #: to which the scores were rounded
    #: by judgments, settings and version, as the columns of a folder of scores have them: the topics
    computed: Mapping[tuple[str, str, str], Sequence[str]] = MappingProxyType({})


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


def scores_of_frame(source: Any, where: dict[str, str], measure: str | None, name: str = "scores") -> Stored:
    """The scores in a frame."""
    frame = eager(source, name)
    if not frame.columns:
        raise InputError(f"{name}: the table has no columns; expected scores")
    columns = [str(column) for column in frame.columns]
    values = [column_values(frame, column, name) for column in frame.columns]
    rows = [["" if x is None else str(x) for x in row] for row in zip(*values, strict=True)]
    lines = [(f"{name}, row {number}", row) for number, row in enumerate(rows, 1)]
    return _from_table(columns, lines, where, measure or "score", name, metadata_of(source))


def _read(file: files.File, where: dict[str, str], measure: str | None) -> Stored:
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
        return Stored(_from_trec(name, lines, run))
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
    return _from_table(header, lines, where, measure or "score", name, content)


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

    This line is the first of the means, at the end of the run's part. Topics above it may be called like
    means.
    """
    lines = list(lines)
    has_names = any(files.columns(text)[:1] == ["runid"] for _, text in lines)
    part: list[Cell] = []
    named, ended = run, False
    word, means = "", set[str]()
    for number, text in lines:
        # A run's name may have blanks.
        words = [word.strip() for word in text.split("\t")] if text.count("\t") == 2 else files.columns(text)
        place = f"{name}, line {number}"
        if len(words) != 3:
            raise InputError(
                f"{place}: expected measure, topic and score as trec_eval -q prints; got {text!r}"
            )
        measure, topic, score = words
        is_name = measure == "runid" and topic.casefold() in MEANS
        if is_name:
            named, word, means = score, topic, set()
        # Each measure has one mean, under the word that the line with the name has.
        if is_name or ((topic == word and measure not in means) if has_names else topic.casefold() in MEANS):
            means.add(measure)
            ended = True
            continue
        if ended:  # the next run's part begins
            yield from ((named, *cell[1:]) for cell in part)
            part, ended, named, word = [], False, run, ""
        part.append((run, topic, measure, score_of(score, place), place, None))
    yield from ((named, *cell[1:]) for cell in part)


def _from_table(
    header: Sequence[str],
    rows: Sequence[_Row],
    where: Mapping[str, str],
    measure: str,
    source: str,
    metadata: Mapping[Any, Any] = MappingProxyType({}),
) -> Stored:
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
        _refuse_measures(header, topic, kind, len(chosen), source)
        return Stored(_matrix(header, chosen, topic, measure), metadata)
    if topic is None:
        if kind is not None or any(_MEASURE.fullmatch(name) for name in header):
            raise InputError(f"{source}: {_ARE_MEANS}; its columns are {listed(header)}")
        raise InputError(
            f"{source}: no topic column among {listed(header)}; name it one of {', '.join(TOPIC)}"
        )
    own = _Own.of(header, chosen)
    chosen = own.of_topics(chosen, topic)
    if kind is not None and value is not None:
        bounds = _bounds(chosen, value, by_name.get("low"), by_name.get("high"))
        cells = _long(chosen, run, topic, kind, value, bounds)
    else:
        named = {run, topic, own.kind, own.digits}
        rest = [
            i
            for i, name in enumerate(header)
            if i not in named and name not in where and name.casefold() not in NOT_MEASURES
        ]
        cells = _wide(header, chosen, run, topic, rest)
    return Stored(cells, metadata, own.number_of_digits(chosen), own.computed(chosen, topic))


_ARE_MEANS = (
    "seems to hold means and no scores of topics, which are needed: a row for each topic, with the topic "
    "in a column (evaluate --per-topic writes such files)"
)


def _refuse_measures(
    header: Sequence[str], topic: int | None, kind: int | None, rows: int, source: str
) -> None:
    """Refuse a table whose columns are measures where each column would be a run."""
    values = [name for i, name in enumerate(header) if i != topic]
    logged = [name for name in values if name.casefold() in _LOG]
    measures = [name for name in values if _MEASURE.fullmatch(name)]
    if logged:
        raise InputError(
            f"{source}: the column {logged[0]!r} is of a log of training, whose rows are no topics; it "
            f"{_ARE_MEANS}"
        )
    if 2 * len(measures) <= len(values):
        return
    if topic is None or rows < 2:
        raise InputError(f"{source}: the columns {listed(measures, 4)} are measures; it {_ARE_MEANS}")
    raise InputError(
        f"{source}: the columns {listed(measures, 4)} are measures, and no column names the run; add one "
        f"called run with the same name in all rows"
    )


class _Own(NamedTuple):
    """The columns that only files of this program have, by their numbers."""

    kind: int | None = None
    digits: int | None = None
    folder: tuple[int, int, int] | None = None

    @classmethod
    def of(cls, header: Sequence[str], rows: Sequence[_Row]) -> _Own:
        def number(name: str, words: Callable[[str], bool]) -> int | None:
            found = header.index(name) if name in header else None
            return found if found is not None and all(words(row[found]) for _, row in rows) else None

        folder = (JUDGMENTS, SETTINGS, WRITTEN_BY)
        return cls(
            number(KIND, (OF_TOPIC, OF_MEAN).__contains__),
            number(DIGITS, lambda text: len(text) < 3 and text.isdecimal()),
            tuple(map(header.index, folder)) if set(folder) <= set(header) else None,  # type: ignore[arg-type]
        )

    def of_topics(self, rows: Sequence[_Row], topic: int) -> list[_Row]:
        """The rows that are not means."""
        if self.kind is not None:
            return [(place, row) for place, row in rows if row[self.kind] == OF_TOPIC]
        if self.folder is not None:
            return list(rows)
        return [(place, row) for place, row in rows if row[topic].casefold() not in MEANS]

    def number_of_digits(self, rows: Sequence[_Row]) -> int | None:
        found = self.digits
        return None if found is None or not rows else min(int(row[found]) for _, row in rows)

    def computed(self, rows: Sequence[_Row], topic: int) -> dict[tuple[str, str, str], list[str]]:
        """The topics by what their scores were computed from."""
        if self.folder is None:
            return {}
        a, b, c = self.folder
        found: dict[tuple[str, str, str], dict[str, None]] = {}
        for _, row in rows:
            found.setdefault((row[a], row[b], row[c]), {})[row[topic]] = None
        return {key: list(topics) for key, topics in found.items()}


def _bounds(rows: Sequence[_Row], score: int, low: int | None, high: int | None) -> tuple[int, int] | None:
    """The columns of the bounds of a score, if they hold bounds on every row."""
    if low is None or high is None:
        return None
    for _, row in rows:
        numbers = [parse_number(row[i]) for i in (low, score, high)]
        least, given, most = (math.nan if x is None else x for x in numbers)
        if given == given and not least - 1e-9 <= given <= most + 1e-9:
            return None
    return low, high


def _ends(row: Sequence[str], bounds: tuple[int, int] | None, place: str) -> tuple[float, float] | None:
    return None if bounds is None else (score_of(row[bounds[0]], place), score_of(row[bounds[1]], place))


def _long(
    rows: Iterable[_Row], run: int, topic: int, kind: int, value: int, bounds: tuple[int, int] | None
) -> Iterator[Cell]:
    for place, row in rows:
        yield row[run], row[topic], row[kind], score_of(row[value], place), place, _ends(row, bounds, place)


def _wide(
    header: Sequence[str], rows: Sequence[_Row], run: int, topic: int, rest: Sequence[int]
) -> Iterator[Cell]:
    """Scores of a table in which each measure is a column. Columns that hold text are ignored."""
    measures = {header[i]: i for i in rest if any(parse_number(row[i]) is not None for _, row in rows)}
    bounds = {
        name: _bounds(rows, i, measures.get(f"{name} low"), measures.get(f"{name} high"))
        for name, i in measures.items()
    }
    taken = {number for pair in bounds.values() if pair is not None for number in pair}
    scores = [(name, i) for name, i in measures.items() if i not in taken]
    for place, row in rows:
        for name, i in scores:
            yield row[run], row[topic], name, score_of(row[i], place), place, _ends(row, bounds[name], place)


def _matrix(header: Sequence[str], rows: Sequence[_Row], topic: int | None, measure: str) -> Iterator[Cell]:
    """Scores of a table with one column per run and one row per topic. Unnamed topics are numbered."""
    if topic is None and (header[0] == "" or _are_names([row[0] for _, row in rows])):
        topic = 0
    for number, (place, row) in enumerate(rows, 1):
        name = str(number) if topic is None else row[topic]
        if name.casefold() in MEANS:
            continue
        for i, run in enumerate(header):
            if i != topic:
                yield run, name, measure, score_of(row[i], place), place, None


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
