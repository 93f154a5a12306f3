"""What the columns of a `Table` are: judgments or runs. `preference_rows` does the same for preferences.

A role needs some columns and may have others. `spelled` finds them by their names, or by what the user says,
so that files, JSON, rows and frames have one rule:

- A grade column with a usual name is the grade. Two or more names of qualities, such as relevance and
  credibility, are aspects.
- Beside them, columns that are known to mean something else, and those that hold no numbers, are not read. A
  note names them. Any other column of numbers is refused, because it may be a second grade.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np

from rankprism._core import RunTable, parse_number
from rankprism.data import Judgments, Note
from rankprism.errors import InputError, listed
from rankprism.formats.judged import JudgedLine, judgment_table
from rankprism.formats.memory import Columns as Filled
from rankprism.formats.spellings import (
    JUDGMENT_COLUMNS,
    NAMES,
    ONLY_ASPECT,
    RUN_COLUMNS,
    is_quality,
    means_something_else,
    missing,
    option,
    plain,
    plain_names,
    spelled,
)
from rankprism.formats.table import NOTHING, Columns, Row, Table

#: From so many rows, it is decided what a column holds.
_HEAD = 200
#: Columns that mean an aspect only where nobody writes TREC's second column into a table.
_ITERATION = frozenset(map(plain, NAMES["aspect"][-1]))
_WORDS = {"true": 1.0, "false": 0.0}


class Graded(NamedTuple):
    """What the columns of a table of judgments are."""

    place: Mapping[str, str]  #: the name of the column of each role
    aspects: tuple[str, ...] = ()  #: several grades of a document
    ignored: tuple[str, ...] = ()


def graded(
    names: Sequence[str],
    where: str,
    given: Mapping[str, str],
    is_number: Callable[[str], bool],
) -> Graded:
    """What the columns of judgments are, see above. `is_number` : whether a column holds numbers."""
    optional = (*JUDGMENT_COLUMNS[1], "grade")
    place = spelled(names, JUDGMENT_COLUMNS[0], optional, where, given)
    taken = set(place.values())
    rest = [name for name in names if name and name not in taken]
    if given.get("grade") == "-" or "grade" in given or plain(place.get("aspect", "iter")) not in _ITERATION:
        strange = []
    else:
        strange = [name for name in rest if not _is_known(name) and is_number(name)]
        ids = {place["topic"], place["document"], place.get("aspect")}
        qualities = tuple(name for name in names if is_quality(name) and name not in ids)
        if len(qualities) > 1 or ("grade" not in place and qualities):
            place = {role: name for role, name in place.items() if role != "grade"}
            strange = [name for name in strange if name not in qualities]
            _refuse_strange(where, qualities, strange)
            return Graded(place, qualities, tuple(name for name in rest if name not in qualities))
    if "grade" in place:
        _refuse_strange(where, (place["grade"],), strange)
    elif given.get("grade") != "-":
        unknown = [name for name in rest if not _is_known(name)]
        scores = [name for name in rest if plain(name) in plain_names("score")]
        if unknown or scores:
            text = missing(names, "grade", place, where)
            several = f"; if these are grades, name them: --aspects {','.join(strange)}" * (len(strange) > 1)
            raise InputError(f"{text}{several}")
    return Graded(place, (), tuple(rest))


def _is_known(name: str) -> bool:
    return means_something_else(name) or any(
        plain(name) in plain_names(role) for role in ("topic", "document", "run", "score", "rank")
    )


def _refuse_strange(where: str, grades: Sequence[str], strange: Sequence[str]) -> None:
    if strange:
        both = ",".join([*grades, *strange])
        only = option({"grade": grades[0]})
        raise InputError(
            f"{where}: the column {strange[0]!r} holds numbers beside the grade {grades[0]!r}, and nothing "
            f"says whether they are grades; name all grades with --aspects {both}, or the only one with "
            f"{only}"
        )


def ignored_note(source: str, ignored: Sequence[str], grade: str | None) -> list[Note]:
    """The columns of judgments that are not read, if somebody might miss them."""
    missed = [name for name in ignored if not _is_of_course(name)]
    if not missed:
        return []
    which = f"column {missed[0]} is" if len(missed) == 1 else f"columns {listed(missed)} are"
    of = f"the grade is {grade}, and the" if grade else "the"
    return [Note("ignored-columns", f"{source}: {of} {which} not read", len(missed), missed[0])]


def _is_of_course(name: str) -> bool:
    """Whether nobody expects a column to be read: texts, users and times beside ids and a grade."""
    if plain(name) in ("", "index", "unnamed:0", "id", "0", "q0"):
        return True
    roles = ("topic", "document", "run", "score", "time")
    return any(plain(name) in plain_names(role) for role in roles) or plain(name) in _ITERATION


def number_in(text: Any, what: str, where: str) -> float:
    """A number that is written as text; `true` and `false` are 1 and 0."""
    if isinstance(text, bool | int | float):
        return float(text)
    found = parse_number(str(text))
    if found is None and what == "grade":
        found = _WORDS.get(str(text).casefold())
    if found is None:
        raise InputError(f"{where}: the {what} {text!r} is not a number{_why(str(text), what)}")
    return found


def _why(text: str, what: str) -> str:
    bare = text.replace(",", "")
    if text.count(",") == 1 and parse_number(bare) is not None and len(text.partition(",")[2]) != 3:
        return "; write a point instead of the decimal comma"
    if "," in text and parse_number(bare) is not None:
        return "; write thousands without a comma between them"
    if text.endswith("%"):
        return "; write it without %"
    if what == "grade" and any(map(str.isalpha, text)):
        return f"; if grades are words, say their order from the lowest, e.g. --labels grade=no,…,{text}"
    return ""


def is_nothing(value: Any) -> bool:
    """Whether a cell says that there is no value."""
    if isinstance(value, str):
        return value.strip().casefold() in NOTHING
    return value is None or value != value


def _holds_numbers(head: Sequence[Row], at: int) -> bool:
    cells = [cells[at] for _, cells in head if not is_nothing(cells[at])]
    numbers = [
        not isinstance(cell, bool)
        and (isinstance(cell, int | float | np.number) or parse_number(str(cell)) is not None)
        for cell in cells
    ]
    return bool(numbers) and all(numbers)


# ── judgments ────────────────────────────────────────────────────────────────────────────────────


def judgments_of(table: Table, columns: Columns, several: Callable[[Sequence[str]], Judgments]) -> Judgments:
    """The judgments in a table. `several` : reads several grades of a document, by the names of columns."""
    rows = iter(table.rows)
    head = list(islice(rows, _HEAD))
    at = {name: table.names.index(name) for name in table.names}
    found = graded(table.names, table.place, columns.named, lambda name: _holds_numbers(head, at[name]))
    note = ignored_note(table.label, found.ignored, found.place.get("grade"))
    if found.aspects:
        return several(found.aspects).noting(note)
    place = {role: at[name] for role, name in found.place.items()}
    unrated: list[str] = []
    judged = list(_judged(table, chain(head, rows), place, unrated))
    if not judged and unrated:
        raise InputError(f"{table.label}: no row has a grade, e.g. {unrated[0]}")
    if not judged:
        _refuse_empty(table)
    if "grade" in place and "grade" not in columns.named:
        refuse_scores(table.label, [line.grade for line in judged], found.place["grade"])
    if "aspect" in place and "aspect" not in columns.named:
        check_iteration(table.place, found.place["aspect"], (line.aspect for line in judged))
    notes = [*note, *_unrated_note(table.label, unrated)]
    if "grade" not in place:
        notes.append(_implicit_note(table.label, len(judged)))
    who = next((name for name in found.ignored if plain(name) in plain_names("assessor")), None)
    found_table = judgment_table(table.label, judged, table.unit, who)
    return Judgments(found_table, table.label).noting(notes)


def _judged(
    table: Table, rows: Iterable[Row], place: Mapping[str, int], unrated: list[str]
) -> Iterator[JudgedLine]:
    names = Filled(table.label, "grade")
    t, a, d, g = (place.get(role, -1) for role in JUDGMENT_COLUMNS[0])
    for number, cells in rows:
        if table.is_text and g >= 0:  # nearly all rows need no second look
            plain_grade = parse_number(cells[g])
            aspect = ONLY_ASPECT if a < 0 else cells[a]
            if plain_grade is not None and cells[t] and cells[d] and aspect:
                yield JudgedLine(number, cells[t], aspect, cells[d], plain_grade)
                continue
        where = table.where(number)
        grade = 1.0
        if g >= 0:
            if is_nothing(cells[g]):
                unrated.append(where)
                continue
            grade = number_in(cells[g], "grade", where)
        topic, doc = (_id(names, cells[at], what, where) for at, what in ((t, "topic"), (d, "document")))
        yield JudgedLine(
            number, topic, ONLY_ASPECT if a < 0 else _id(names, cells[a], "aspect", where), doc, grade
        )


def _id(names: Filled, value: Any, what: str, where: str) -> str:
    if isinstance(value, str) and value:
        return value
    if value is None or value == "":
        raise InputError(f"{where}: the {what} is empty; every row needs one")
    return names.name(value, what, where)


def _refuse_empty(table: Table) -> None:
    raise InputError(f"{table.label}: no judgments in this file, only names of columns")


#: Number of grades from which it is seen that they are scores.
LOOKED_AT = 1000


def refuse_scores(source: str, grades: Any, column: str | None = None) -> None:
    """Refuse numbers that look like the scores of a run: nearly all differ, and most are fractions.

    The first ones are enough to tell.
    """
    if len(grades) < 10:
        return
    values = np.asarray(grades[:LOOKED_AT], dtype=np.float64)
    if len(np.unique(values)) < 0.9 * len(values) or np.mean(values % 1 != 0) < 0.5:
        return
    remedy = "name the judgments first and then the runs"
    if column is not None:
        remedy += f", or say that these are grades with {option({'grade': column})}"
    raise InputError(
        f"{source}: nearly all of the first {len(values)} grades are different fractions, such as "
        f"{values[0]:g} and {values[1]:g}, so this looks like a run and not like judgments; {remedy}"
    )


def check_iteration(where: str, column: str, aspects: Iterable[str]) -> None:
    """Refuse a column that may be TREC's second one, or the round of assessment, unless it is constant."""
    if plain(column) in _ITERATION and len(different := dict.fromkeys(aspects)) > 1:
        raise InputError(
            f"{where}: the column {column!r} has {len(different)} different values ({listed(different, 3)}), "
            f"which may be subtopics or rounds of assessment; say that they are subtopics with "
            f"{option({'aspect': column})}, or leave them out with {option({'aspect': '-'})}"
        )


def _unrated_note(source: str, unrated: Sequence[str]) -> list[Note]:
    if not unrated:
        return []
    rows = "row has" if len(unrated) == 1 else "rows have"
    return [
        Note(
            "unrated-rows",
            f"{source}: {len(unrated)} {rows} no grade and {'is' if len(unrated) == 1 else 'are'} left out, "
            f"e.g. {unrated[0].removeprefix(source).lstrip(', ')}",
            len(unrated),
            unrated[0],
        )
    ]


def _implicit_note(source: str, number: int) -> Note:
    return Note(
        "implicit-grades",
        f"{source}: has no column of grades, so every document in it has the grade 1",
        number,
        source,
    )


# ── runs ─────────────────────────────────────────────────────────────────────────────────────────


def runs_of(table: Table, columns: Columns) -> dict[str | None, RunTable]:
    """The runs in a table by the names in its column of runs; without this column, there is one, None."""
    place, turned = run_columns(table.names, table.place, columns, in_lists=table.in_lists)
    at = {role: table.names.index(name) for role, name in place.items()}
    names = Filled(table.label, "score")
    found: dict[str | None, _Lists] = {}
    r, t, d, s, k = (at.get(role, -1) for role in RUN_COLUMNS[0])
    rows = list(table.rows)
    for number, cells in rows:
        where = table.where(number)
        run = None if r < 0 else _id(names, cells[r], "run", where)
        lists = found.get(run) or found.setdefault(run, _Lists([], [], [], []))
        lists.topics.append(_id(names, cells[t], "topic", where))
        lists.docs.append(_id(names, cells[d], "document", where))
        if s >= 0:
            score = number_in(cells[s], "score", where)
            lists.scores.append(-score if turned else score)
        if k >= 0 and not is_nothing(cells[k]):
            lists.ranks.append(number_in(cells[k], "rank", where))
    if not found:
        raise InputError(f"{table.label}: there is no row below the header")
    if r < 0:
        _refuse_several(table, rows, set(at.values()), at["topic"], at["document"])
    return {
        run: lists.table(table.label if run is None else f"{table.label}, run {run!r}")
        for run, lists in found.items()
    }


class _Lists(NamedTuple):
    topics: list[str]
    docs: list[str]
    scores: list[float]
    ranks: list[float]

    def table(self, label: str) -> RunTable:
        scores, ranks = (np.array(numbers, dtype=np.float64) for numbers in (self.scores, self.ranks))
        if not self.scores:  # the best document has the lowest rank
            ranks = ranks if len(ranks) else rows_as_ranks(self.topics)
            scores = -ranks
        table = RunTable.from_columns(label, self.topics, self.docs, scores, ranks)
        table.rank_rising_rows()
        return table


def run_columns(
    names: Sequence[str], where: str, columns: Columns, in_lists: bool = False
) -> tuple[dict[str, str], bool]:
    """The columns of a run, and whether its scores are to be turned round."""
    given = dict(columns.named)
    said = given.get("score", "")
    turned = said.startswith("-") and len(said) > 1 and said not in names
    if turned:
        given["score"] = said[1:]
    expected, optional = RUN_COLUMNS
    place = spelled(names, expected, (*optional, "score"), where, given)
    if "score" not in place and "rank" not in place and said != "-" and not in_lists:
        raise InputError(_no_score(names, where, place))
    return place, turned


def _no_score(names: Sequence[str], where: str, place: Mapping[str, str]) -> str:
    distance = next((name for name in names if plain(name) in ("distance", "dist", "l2distance")), None)
    if distance is not None:
        return (
            f"{where}: no score column among {listed(names)}; distances rise from the best document to the "
            f"worst, so say {option({'score': f'-{distance}'})}"
        )
    rest = [name for name in names if name and name not in place.values()]
    if rest:
        return missing(names, "score", place, where)
    return (
        f"{where}: no score column among {listed(names)}; if the rows of each topic are in the order of the "
        f"ranking, say that there is no score with {option({'score': '-'})}"
    )


def _refuse_several(table: Table, rows: Sequence[Row], taken: set[int], topic: int, doc: int) -> None:
    """Refuse documents that occur twice if a column tells them apart, because it then names runs."""
    for at, name in enumerate(table.names):
        if at in taken or not name:
            continue
        words = {str(cells[at]) for _, cells in rows}
        if not 1 < len(words) <= min(100, len(rows) // 2):
            continue
        alone = {(str(cells[topic]), str(cells[doc])) for _, cells in rows}
        apart = {(str(cells[topic]), str(cells[doc]), str(cells[at])) for _, cells in rows}
        if len(alone) < len(rows) == len(apart):
            raise InputError(
                f"{table.label}: documents occur twice in a topic, and the column {name!r} tells them apart; "
                f"if it names runs, say so with {option({'run': name})}"
            )


def rows_as_ranks(topics: Sequence[str]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The number of each row among those of its topic."""
    seen: dict[str, int] = {}
    ranks = np.empty(len(topics))
    for number, topic in enumerate(topics):
        ranks[number] = seen[topic] = seen.get(topic, 0) + 1
    return ranks


def are_ranks(topics: Sequence[str], scores: Sequence[float]) -> bool:
    """Whether the scores of each topic are 1, 2, 3, … in this order, so that they may be ranks."""
    return len(scores) >= 10 and np.array_equal(rows_as_ranks(topics), np.asarray(scores))
