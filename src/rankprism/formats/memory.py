"""Turn dicts and rows into columns."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from rankprism.errors import InputError, listed
from rankprism.formats.source import is_ranked_list
from rankprism.formats.spellings import (
    JUDGMENT_COLUMNS,
    ONLY_ASPECT,
    has,
    means_something_else,
    option,
    spelled,
)
from rankprism.formats.table import Table, of_frame, of_rows
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

    def name(self, value: Any, what: str, where: str | None = None) -> str:
        if isinstance(value, str):
            if value and "\0" not in value:
                return value
        elif isinstance(value, float | np.floating) and value.is_integer():
            return whole_id(value, f"{where or f'{self.source}, row {len(self.number) + 1}'}: the {what}")
        elif value is not None and not isinstance(value, float | np.floating | bool | bytes | Mapping):
            try:
                return str(value)
            except ValueError:  # a whole number with thousands of digits
                raise self.error(
                    f"this number is too long to be a valid {what} id; pass a string", where
                ) from None
        raise self.error(f"{value!r} is not a valid {what} id; ids are non-empty strings", where)

    def real(self, value: Any, what: str) -> float:
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if math.isfinite(number) and not isinstance(value, str):
            return number
        written = "given" if isinstance(value, int) else repr(value)  # an int may be too long to print
        raise self.error(f"the {what} {written} is not a finite number")

    def error(self, message: str, where: str | None = None) -> InputError:
        return InputError(f"{where or f'{self.source}, row {len(self.number) + 1}'}: {message}")

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


def judgment_columns(source: Any, name: str, given: Mapping[str, str] | None = None) -> Columns:
    """Judgments from ``{topic: {aspect: {doc: grade}}}``, ``{topic: {doc: grade}}`` or rows.

    The documents of a list, ``{topic: [doc, …]}``, have the grade 1.
    """
    columns = Columns(name, "grade")
    flat = deeper(source, name, "grade", given)
    if flat is not None or not isinstance(source, Mapping):
        for row in rows(source if flat is None else flat, name, *JUDGMENT_COLUMNS, given):
            columns.add(row["topic"], row.get("aspect", ONLY_ASPECT), row["document"], row["grade"])
        return columns
    for topic, judged in source.items():
        if isinstance(judged, list | tuple) and is_ranked_list(judged):
            for doc in judged:  # the relevant documents
                columns.add(topic, ONLY_ASPECT, doc, 1)
            continue
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


def deeper(
    source: Any, name: str, number: str, given: Mapping[str, str] | None = None
) -> list[dict[str, Any]] | None:
    """The rows of ``{topic: {doc: {name: value, …}}}``, in which the same few names stand below each doc.

    number : the role of the value that is wanted, which must have one of the names.
    """
    if not isinstance(source, Mapping) or not all(isinstance(inner, Mapping) for inner in source.values()):
        return None
    cells = [(topic, doc, value) for topic, judged in source.items() for doc, value in judged.items()]
    if not cells or not all(isinstance(value, Mapping) for _, _, value in cells):
        return None
    names = dict.fromkeys(str(one) for _, _, value in cells for one in value)
    same = all(value.keys() == cells[0][2].keys() for _, _, value in cells)
    has_number = has(names, number) or (given or {}).get(number) in names
    if number == "grade" and not (same and has_number):
        many = len(source) > 1 and len(cells) >= 10 and len(cells) > 2 * len(source) * len(names)
        if same and len(names) <= 5 and many:
            inner = listed(names, 5)
            raise InputError(
                f"{name}: the same names, {inner}, are in all {len(cells)} parts of {len(source)} topics, "
                f"where {{topic: {{aspect: {{doc: grade}}}}}} has documents; if they are grades of one "
                f"document, pass rows of topic, doc and {inner}, and name the aspects"
            )
        return None
    if not has_number:
        return None
    strange = [one for one in names if not has([one], number) and not means_something_else(one)]
    if number == "grade" and strange and number not in (given or {}):
        grade = next(one for one in names if has([one], number))
        raise InputError(
            f"{name}: each document has the numbers {listed(names, 5)}, and nothing says whether all are "
            f"grades; say which one is, e.g. {option({'grade': grade})}"
        )
    return [{"topic": topic, "document": doc, **value} for topic, doc, value in cells]


def run_columns(
    source: Any, name: str, given: Mapping[str, str] | None = None
) -> tuple[Columns, tuple[str, ...]]:
    """A run from ``{topic: {doc: score}}``, ``{topic: [doc, …]}`` or rows, and its topics without documents.

    The documents of a list have the ranks 1, 2, …, n and the scores n, …, 2, 1.
    """
    columns = Columns(name, "score")
    flat = deeper(source, name, "score", given)
    if flat is not None or not isinstance(source, Mapping):
        rest = source if flat is None else flat
        for row in rows(rest, name, ("topic", "document", "score", "rank"), ("rank",), given):
            columns.add(row["topic"], ONLY_ASPECT, row["document"], row["score"], row.get("rank"))
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
        for row in rows(source, name, ("topic", "aspect", "weight", "kind"), ("kind",)):
            columns.add(row["topic"], row["aspect"], ONLY_ASPECT, row["weight"])
            columns.kind.append(row.get("kind"))
        return columns
    for topic, weights in source.items():
        if not isinstance(weights, Mapping):
            raise columns.error(f"topic {topic!r} holds {weights!r}; expected {{aspect: weight}}")
        for aspect, stated in weights.items():
            typed = isinstance(stated, tuple) and len(stated) == 2
            weight, kind = stated if typed else (stated, None)
            columns.add(topic, aspect, ONLY_ASPECT, weight)
            columns.kind.append(kind)
    return columns


def rows(
    source: Any,
    name: str,
    expected: tuple[str, ...],
    optional: tuple[str, ...] = (),
    given: Mapping[str, str] | None = None,
) -> Iterator[Mapping[str, Any]]:
    """The rows of a frame, or of an iterable of tuples, named tuples or dicts, by column."""
    for table in tables_in(source, name, expected, optional):
        place = spelled(table.names, expected, optional, table.place, given)
        at = {role: table.names.index(column) for role, column in place.items()}
        for _, cells in table.rows:
            yield {role: cells[number] for role, number in at.items()}


def tables_in(
    source: Any,
    name: str,
    expected: tuple[str, ...],
    optional: tuple[str, ...] = (),
    placed: tuple[str, ...] = (),
) -> Iterator[Table]:
    """The table in a frame, or those in rows, of which each has the same columns.

    placed : the columns of rows without names, if the user has said them.
    """
    from rankprism.data import is_frame

    if is_frame(source):
        yield of_frame(source, name)
        return
    if placed:
        yield from of_rows(source, name, (placed,), f"({', '.join(placed)})")
        return
    without = tuple(column for column in expected if column not in optional)
    also = f", or without {optional[0]}" if optional else ""
    yield from of_rows(source, name, (expected, without), f"({', '.join(expected)}){also}")
