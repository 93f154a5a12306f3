"""Reads judgments of preference by the names of their columns, from any source."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from rankprism.data import PreferenceRows, Preferences
from rankprism.errors import InputError
from rankprism.formats.files import File
from rankprism.formats.memory import check_text, whole_id

#: The assessor, if the source names none.
ANYBODY = "assessor"
#: The columns of a table of preferences; those after `outcome` may be missing.
COLUMNS = ("topic", "given", "left", "right", "outcome", "assessor", "time", "comment")
NEEDED = ("topic", "left", "right", "outcome")


def add_row(rows: PreferenceRows, where: str, row: Mapping[str, Any]) -> None:
    """One judgment by the names of its columns, after a check of each value."""

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


def from_rows(source: Any, name: str = "preferences", format: str | None = None) -> Preferences:
    """Preferences from rows or from a frame. `name` is the name of the source in messages."""
    from rankprism.data import is_frame
    from rankprism.data.frames import all_rows

    if not is_frame(source) and (not isinstance(source, Iterable) or isinstance(source, bytes | Mapping)):
        raise InputError(
            f"preferences cannot be read from {type(source).__name__} objects; "
            f"pass a path, rows or a data frame"
        )
    rows = PreferenceRows(name)
    for number, row in enumerate(all_rows(source, name) if is_frame(source) else source, 1):
        where = f"{name}, row {number}"
        if isinstance(row, Mapping):
            missing = [name for name in NEEDED if name not in row]
            if missing:
                raise InputError(f"{where}: has no {missing[0]}; every judgment needs {', '.join(NEEDED)}")
            add_row(rows, where, row)
        elif isinstance(row, tuple | list) and 5 <= len(row) <= len(COLUMNS):
            add_row(rows, where, dict(zip(COLUMNS, row, strict=False)))
        else:
            raise InputError(f"{where}: {row!r} is not a row of {', '.join(COLUMNS)}")
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
