"""Reads judgments of preference by the names of their columns, from any source."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from rankprism.data import PreferenceRows, Preferences
from rankprism.data.preferences import OUTCOMES
from rankprism.errors import InputError
from rankprism.formats.files import File
from rankprism.formats.json_lines import refuse_json
from rankprism.formats.memory import check_text, whole_id
from rankprism.formats.spellings import has, plain, spelled
from rankprism.formats.table import NOT_SAID, Columns, Table, columns_of, names_of, of_file, of_frame, of_rows

#: The assessor, if the source names none.
ANYBODY = "assessor"
#: The columns of a table of preferences; those after `outcome` may be missing.
COLUMNS = ("topic", "given", "left", "right", "outcome", "assessor", "time", "comment")
NEEDED = ("topic", "left", "right", "outcome")
#: The topic of judgments that name none.
ONLY_TOPIC = "topic"


#: The answers of people in other words, without case, blanks and signs.
_SIDES = ("model", "doc", "document", "item", "option", "system", "candidate", "response", "answer", "output")
_WORDS = {
    **{"left": "left", "right": "right", "first": "left", "second": "right", "-1": "right"},
    **dict.fromkeys(("a", "1"), "left") | dict.fromkeys(("b", "2"), "right"),
    **{f"{side}{end}": "left" for side in _SIDES for end in ("a", "1")},
    **{f"{side}{end}": "right" for side in _SIDES for end in ("b", "2")},
    **dict.fromkeys(("tie", "draw", "equal", "same", "both", "neither", "bothbad", "bothgood"), "tie"),
    **dict.fromkeys(("tiebothbad", "nopreference", "0", "1.5", "0.5"), "tie"),
}


class Paired(NamedTuple):
    """What the columns of preferences are."""

    place: Mapping[str, int]
    outcome: str | None = None  #: of all rows, if there is no column of outcomes
    marks: Mapping[str, int] = {}  #: columns that hold 1 where the outcome is so


def are_preferences(names: Iterable[str]) -> bool:
    """Whether these are the columns of preferences.

    One of the four names that a table needs may be missing, and reading says which.

    >>> are_preferences(["qid", "doc_a", "doc_b", "winner"]), are_preferences(["topic", "a", "b"])
    (True, False)
    """
    names = list(names)
    if len(set(NEEDED) & set(map(plain, names))) >= len(NEEDED) - 1:
        return True
    has_outcome = has(names, "outcome") or bool(_marks(names))
    return (has(names, "left", "right") and has_outcome) or (has(names, "topic", "winner", "loser"))


def _marks(names: Sequence[str]) -> dict[str, int]:
    """The columns of outcomes that have a column each, such as winner_model_a, winner_model_b, winner_tie."""
    found = {
        _WORDS.get(plain(name).removeprefix("winner"), ""): at
        for at, name in enumerate(names)
        if plain(name).startswith("winner")
    }
    return {word: at for word, at in found.items() if word} if {"left", "right"} <= found.keys() else {}


def paired(names: Sequence[str], where: str, given: Mapping[str, str]) -> Paired:
    """Which column is which."""
    if has(names, "winner", "loser") and not has(names, "left") and "outcome" not in given:
        roles = ("topic", "given", "winner", "loser", "assessor", "time", "comment")
        place = spelled(names, roles, ("given", "assessor", "time", "comment"), where, given)
        place["left"], place["right"] = place.pop("winner"), place.pop("loser")
        return Paired({role: names.index(name) for role, name in place.items()}, "left")
    marks = {} if "outcome" in given else _marks(names)
    optional = ("given", "assessor", "time", "comment", *(("outcome",) if marks else ()))
    known = all(any(has([name], role) for role in COLUMNS) for name in names)
    alone = (
        known and not has(names, "topic") and "topic" not in given and has(names, "left", "right", "outcome")
    )
    place = spelled(names, COLUMNS, (*optional, *(("topic",) if alone else ())), where, given)
    return Paired({role: names.index(name) for role, name in place.items()}, None, marks)


def add_table(rows: PreferenceRows, table: Table, columns: Columns = NOT_SAID) -> None:
    """All judgments of a table."""
    found = paired(table.names, table.place, columns.named)
    place = found.place
    topic, _, left, right, outcome, assessor = (place.get(name, -1) for name in COLUMNS[:6])
    rows.sided = found.outcome is None
    simple = table.is_text and min(topic, outcome) >= 0 and not {"given", "time", "comment"} & place.keys()
    seen: set[str] = set()
    for number, cells in table.rows:
        if simple:
            who = (cells[assessor] if assessor >= 0 else "") or ANYBODY
            if rows.add_plain(cells[topic], cells[left], cells[right], cells[outcome], who):
                continue
        where = table.where(number)
        row = {role: cells[at] for role, at in place.items()}
        if topic < 0:
            row["topic"] = ONLY_TOPIC
        if found.outcome is not None:
            row["outcome"] = found.outcome
        elif found.marks:
            row["outcome"] = _marked(found.marks, cells, where)
        add_row(rows, where, row, seen)
    if seen == {"0", "1"}:
        raise InputError(
            f"{table.place}: the outcomes are 1 and 0, and 0 may be a tie or the right document; write left, "
            f"right and tie"
        )


def _marked(marks: Mapping[str, int], cells: Sequence[Any], where: str) -> str:
    chosen = [word for word, at in marks.items() if str(cells[at]).strip().casefold() in ("1", "1.0", "true")]
    if len(chosen) != 1:
        raise InputError(f"{where}: says {len(chosen)} outcomes; mark one with 1 and the others with 0")
    return chosen[0]


def add_row(rows: PreferenceRows, where: str, row: Mapping[str, Any], seen: set[str] | None = None) -> None:
    """One judgment by the names of its columns, after a check of each value.

    seen : collects outcomes that are numbers.
    """

    def text(name: str) -> str:
        value = row.get(name)
        if value is None or (isinstance(value, float) and value != value):
            return ""
        if isinstance(value, bool | Mapping | bytes):
            raise InputError(f"{where}: {value!r} cannot be the {name}")
        if isinstance(value, float) and value.is_integer():
            return whole_id(value, f"{where}: the {name}")
        return str(value)

    for name in NEEDED:
        if not text(name).strip():
            raise InputError(f"{where}: the column {name} is empty; every judgment needs {', '.join(NEEDED)}")
    given = row.get("given")
    documents = [str(doc) for doc in given] if isinstance(given, list | tuple) else text("given").split()
    for value in (*row.values(), *documents):
        if isinstance(value, str):
            check_text(value, where)
    outcome = text("outcome").strip()
    if seen is not None and outcome in ("0", "1", "2", "-1"):
        seen.add(outcome)
    rows.add(
        where,
        text("topic"),
        documents,
        text("left"),
        text("right"),
        _outcome(outcome, text("left"), text("right"), where),
        text("assessor") or ANYBODY,
        text("time"),
        text("comment"),
    )


def _outcome(text: str, left: str, right: str, where: str) -> str:
    """left, right or tie, however it is written. What is none of them is refused later."""
    word = text.casefold()
    if word in OUTCOMES:
        return word
    meant = _WORDS.get(re.sub(r"[\s_()-]", "", word) if word != "-1" else word)
    if text in (left, right):
        by_name = "left" if text == left else "right"
        if meant not in (None, by_name):
            raise InputError(
                f"{where}: the outcome {text!r} is a document and also a side; write left or right"
            )
        return by_name
    return meant or word


def from_rows(
    source: Any, name: str = "preferences", format: str | None = None, columns: Columns = NOT_SAID
) -> Preferences:
    """Preferences from rows or from a frame. `name` is the name of the source in messages."""
    from rankprism.data import is_frame

    if not is_frame(source) and (
        not isinstance(source, Iterable) or isinstance(source, str | bytes | Mapping)
    ):
        raise InputError(
            f"preferences cannot be read from {type(source).__name__} objects; "
            f"pass a path, rows or a data frame"
        )
    rows = PreferenceRows(name)
    if is_frame(source):
        add_table(rows, of_frame(source, name), columns)
    else:
        shapes = [COLUMNS[:number] for number in range(5, len(COLUMNS) + 1)]
        for table in of_rows(source, name, shapes, ", ".join(COLUMNS)):
            add_table(rows, table, columns)
    return rows.finished(format)


def levels_lost(preferences: Preferences) -> tuple[str, ...]:
    lost = "dropped: the levels of documents; which of two is preferred is kept"
    return () if preferences.levels is None else (lost,)


#: Adds the numbered lines of a source. The string is its name in messages.
Adding: TypeAlias = Callable[[Iterator[tuple[int, str]], str, PreferenceRows], None]


def reading(format: str, add: Adding) -> Callable[[File], Preferences]:
    """The reader of a format, from a function that adds the lines of a file."""

    def read(file: File) -> Preferences:
        rows = PreferenceRows(file.name)
        add(file.lines(), file.name, rows)
        return rows.finished(format)

    return read


def reading_table(format: str) -> Callable[[File], Preferences]:
    """The reader of tables in text or JSON."""

    def read(file: File) -> Preferences:
        rows = PreferenceRows(file.name)
        start = file.beginning
        names = names_of(start)
        if names and not columns_of(file) and not are_preferences(names):
            refuse_json(f"{file.name}, line {start.number}", start.text, "preferences")
        if start.line:  # a file without lines is refused like a table without rows
            add_table(rows, of_file(file, COLUMNS), columns_of(file))
        return rows.finished(format)

    return read
