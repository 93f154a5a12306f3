"""Turn dicts and rows into columns."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from rankprism.errors import InputError
from rankprism.formats.source import is_ranked_list
from rankprism.formats.spellings import JUDGMENT_COLUMNS, ONLY_ASPECT, spelled
from rankprism.text import quoted


class Columns:
    """Columns that are filled row by row. Ids become strings, numbers become floats, and both are checked."""

    def __init__(self, source: str, numbers: str) -> None:
        """`numbers` is the name of the number of a row in messages."""
        self.source = source
        self.numbers = numbers
        self.topic: list[str] = []
        self.aspect: list[str] = []
        self.doc: list[str] = []
        self.number: list[float] = []
        self.rank: list[float] = []
        self.kind: list[Any] = []  # the type of an intent: inf or nav

    def add(self, topic: Any, aspect: Any, doc: Any, number: Any, rank: Any = None) -> None:
        self.topic.append(self.name(topic, "topic"))
        self.aspect.append(self.name(aspect, "aspect"))
        self.doc.append(self.name(doc, "document"))
        self.number.append(self.real(number, self.numbers))
        if rank is not None:
            self.rank.append(self.real(rank, "rank"))

    def name(self, value: Any, what: str) -> str:
        if isinstance(value, str):
            if value and "\0" not in value:
                return value
        elif isinstance(value, float | np.floating) and value.is_integer():
            return whole_id(value, f"{self.source}, row {len(self.number) + 1}: the {what}")
        elif value is not None and not isinstance(value, float | np.floating | bool | bytes | Mapping):
            try:
                return str(value)
            except ValueError:  # a whole number with thousands of digits
                raise self.error(f"this number is too long to be a valid {what} id; pass a string") from None
        raise self.error(f"{value!r} is not a valid {what} id; ids are non-empty strings")

    def real(self, value: Any, what: str) -> float:
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if math.isfinite(number) and not isinstance(value, str):
            return number
        written = "given" if isinstance(value, int) else repr(value)  # an int may be too long to print
        raise self.error(f"the {what} {written} is not a finite number")

    def error(self, message: str) -> InputError:
        return InputError(f"{self.source}, row {len(self.number) + 1}: {message}")

    @contextmanager
    def encoded(self) -> Iterator[None]:
        """A block in which ids are encoded. All are checked only if one fails, to find its row."""
        try:
            yield
        except UnicodeEncodeError:
            for row, ids in enumerate(zip(self.topic, self.aspect, self.doc, strict=True), 1):
                for value in ids:
                    check_text(value, f"{self.source}, row {row}")
            raise


def check_text(value: str, where: str) -> None:
    """Refuse a lone surrogate, which a Python or JSON string can hold but a UTF-8 file cannot."""
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InputError(
            f"{where}: {quoted(value)} has half of a surrogate pair in it, which is not valid text; decode "
            f"the data as UTF-8 where it comes from"
        ) from None


def whole_id(value: float | np.floating[Any], what: str) -> str:
    """The id of a whole number that has passed through a column of floats. `what` : its name and place.

    Floats hold whole numbers exactly up to a limit, 2⁵³ for 64 bits. A larger one may be another id, rounded.

    >>> whole_id(51.0, "the topic")
    '51'
    """
    bits = np.finfo(type(value)).nmant + 1 if isinstance(value, np.floating) else 53
    if abs(float(value)) >= 2.0**bits:
        raise InputError(
            f"{what} id {float(value)!r} is a float too large to be exact, so another id may have been "
            f"rounded to it; make the ids whole numbers or text where they come from"
        )
    return str(int(value))


def judgment_columns(source: Any, name: str) -> Columns:
    """Judgments from ``{topic: {aspect: {doc: grade}}}``, ``{topic: {doc: grade}}`` or rows."""
    columns = Columns(name, "grade")
    if not isinstance(source, Mapping):
        for row in rows(source, name, *JUDGMENT_COLUMNS):
            columns.add(row["topic"], row.get("aspect", ONLY_ASPECT), row["doc"], row["grade"])
        return columns
    for topic, judged in source.items():
        if not isinstance(judged, Mapping):
            raise columns.error(
                f"topic {topic!r} holds {judged!r}; expected {{aspect: {{doc: grade}}}} or {{doc: grade}}"
            )
        for key, value in judged.items():
            if isinstance(value, Mapping):
                for doc, grade in value.items():
                    columns.add(topic, key, doc, grade)
            else:
                columns.add(topic, ONLY_ASPECT, key, value)
    return columns


def run_columns(source: Any, name: str) -> tuple[Columns, tuple[str, ...]]:
    """A run from ``{topic: {doc: score}}``, ``{topic: [doc, …]}`` or rows, and its topics without documents.

    The documents of a list have the ranks 1, 2, …, n and the scores n, …, 2, 1.
    """
    columns = Columns(name, "score")
    if not isinstance(source, Mapping):
        for row in rows(source, name, ("topic", "doc", "score", "rank"), optional=("rank",)):
            columns.add(row["topic"], ONLY_ASPECT, row["doc"], row["score"], row.get("rank"))
        return columns, ()
    empty = []
    for topic, ranking in source.items():
        if not isinstance(ranking, Mapping) and not is_ranked_list(ranking):
            raise columns.error(f"topic {topic!r} holds {ranking!r}; expected {{doc: score}} or [doc, …]")
        if not len(ranking):
            empty.append(columns.name(topic, "topic"))
        if isinstance(ranking, Mapping):
            for doc, score in ranking.items():
                columns.add(topic, ONLY_ASPECT, doc, score)
        else:
            for rank, doc in enumerate(ranking, 1):
                columns.add(topic, ONLY_ASPECT, doc, len(ranking) + 1 - rank, rank)
    return columns, tuple(empty)


def weight_columns(source: Any, name: str) -> Columns:
    """Aspect weights from ``{topic: {aspect: weight}}``, with ``(weight, "inf" or "nav")`` too, or rows."""
    columns = Columns(name, "weight")
    if not isinstance(source, Mapping):
        for row in rows(source, name, ("topic", "aspect", "weight", "kind"), optional=("kind",)):
            columns.add(row["topic"], row["aspect"], ONLY_ASPECT, row["weight"])
            columns.kind.append(row.get("kind"))
        return columns
    for topic, weights in source.items():
        if not isinstance(weights, Mapping):
            raise columns.error(f"topic {topic!r} holds {weights!r}; expected {{aspect: weight}}")
        for aspect, given in weights.items():
            typed = isinstance(given, tuple) and len(given) == 2
            weight, kind = given if typed else (given, None)
            columns.add(topic, aspect, ONLY_ASPECT, weight)
            columns.kind.append(kind)
    return columns


def rows(
    source: Any, name: str, expected: tuple[str, ...], optional: tuple[str, ...] = ()
) -> Iterable[Mapping[str, Any]]:
    """The rows of a frame, or of an iterable of tuples, named tuples or dicts, by column."""
    from rankprism.data import is_frame

    if is_frame(source):
        yield from _frame_rows(source, name, expected, optional)
        return
    if not isinstance(source, Iterable) or isinstance(source, str | bytes):
        raise InputError(
            f"{name}: cannot read {type(source).__name__} objects; pass a path, a dict, rows or a data frame"
        )
    without = tuple(column for column in expected if column not in optional)
    for number, row in enumerate(source, 1):
        found = row._asdict() if hasattr(row, "_asdict") else row
        if isinstance(found, Mapping):
            chosen = spelled(tuple(found), expected, optional, f"{name}, row {number}")
            yield {column: found[spelling] for column, spelling in chosen.items()}
        elif (
            isinstance(row, Sequence)
            and not isinstance(row, str | bytes)
            and len(row) in (len(expected), len(without))
        ):
            yield dict(zip(expected if len(row) == len(expected) else without, row, strict=True))
        else:
            shape = ", ".join(expected)
            also = f", or without {optional[0]}" if optional else ""
            raise InputError(f"{name}, row {number}: {row!r} is not a row of ({shape}){also}")


def _frame_rows(
    source: Any, name: str, expected: tuple[str, ...], optional: tuple[str, ...]
) -> Iterator[Mapping[str, Any]]:
    """The rows of any frame, with our names of the columns."""
    from rankprism.data.frames import column_values, eager

    frame = eager(source, name)
    chosen = spelled(tuple(frame.columns), expected, optional, name)
    columns = [column_values(frame, spelling, name) for spelling in chosen.values()]
    for values in zip(*columns, strict=True):
        yield dict(zip(chosen, values, strict=True))
