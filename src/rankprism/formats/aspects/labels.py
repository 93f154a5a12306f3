"""Labels of documents, read from files and from memory. `reading` turns them into judgments."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from rankprism._core import parse_number
from rankprism.errors import InputError, listed
from rankprism.formats import files
from rankprism.formats.json_lines import refuse_json
from rankprism.formats.memory import whole_id
from rankprism.formats.spellings import is_quality, means_something_else, plain, plain_names, spelled
from rankprism.formats.table import Table, columns_of, names_of, of_file

#: The name of a grade column that is skipped.
SKIPPED = "-"


class Label(NamedTuple):
    """The text of a label and its place. There are many labels, so messages are made only when needed."""

    text: str
    place: str  # such as "qrels.txt, line"
    number: int | None

    @property
    def where(self) -> str:
        return self.place if self.number is None else f"{self.place} {self.number}"


#: Labels by topic and document.
Column: TypeAlias = dict[tuple[str, str], Label]


def column_lines(path: files.PathLike, columns: Sequence[str]) -> dict[str, Column]:
    """Grade columns by name: `topic 0 document grade grade …`, or without the 0.

    If the file names its columns, these names decide.
    """
    file = files.opened(path)
    labels: dict[str, Column] = {column: {} for column in columns if column != SKIPPED}
    if names_of(file.beginning):
        return _named(of_file(file, ("topic", "document"), list(labels)), columns_of(file).named, labels)
    name, lines = file.name, file.lines()
    at = f"{name}, line"
    place: dict[str, int] | None = None
    topic_at, doc_at, width = 0, 0, 0
    for number, line in lines:
        found = files.columns(line)
        if place is None:
            where = f"{at} {number}"
            refuse_json(where, line, "judgments")
            width = len(found)
            if len(found) == 4 and found[1] in labels:
                return _long(name, [(number, line), *lines], labels)
            topic_at, doc_at, place = _counted(where, found, columns)
        if len(found) != width:
            raise InputError(f"{at} {number}: has {len(found)} columns, but the lines before have {width}")
        key = found[topic_at], found[doc_at]
        for column, labelled in labels.items():
            add(labelled, column, key, Label(found[place[column]], at, number))
    return labels


def _named(table: Table, given: Mapping[str, str], labels: dict[str, Column]) -> dict[str, Column]:
    """Columns of a table that has names."""
    place = spelled(table.names, ("topic", "document"), (), table.place, given)
    for column in labels:
        if column not in table.names:
            raise InputError(f"{table.place}: no column {column!r} among {listed(table.names)}")
    topic, doc = (table.names.index(place[role]) for role in ("topic", "document"))
    wanted = [(labelled, column, table.names.index(column)) for column, labelled in labels.items()]
    at = f"{table.label}, {table.unit}"
    for number, cells in table.rows:
        key = _id(cells[topic], f"{at} {number}: the topic"), _id(cells[doc], f"{at} {number}: the document")
        for labelled, column, where in wanted:
            text = _label_text(cells[where])
            if text:
                add(labelled, column, key, Label(text, at, number))
    return labels


def _label_text(label: Any) -> str:
    """A label as text; none for a missing one."""
    if _is_missing(label):
        return ""
    is_whole = isinstance(label, bool) or (isinstance(label, float) and label.is_integer())
    return str(int(label)) if is_whole else str(label)


def _long(name: str, lines: Iterable[tuple[int, str]], labels: dict[str, Column]) -> dict[str, Column]:
    """`topic aspect document label`: each line holds one label."""
    for number, line in lines:
        found = files.columns(line)
        if len(found) != 4 or found[1] not in labels:
            raise InputError(
                f"{name}, line {number}: expected 4 columns, topic aspect document label, with one of the "
                f"aspects {listed(labels)}; found {' '.join(found)}"
            )
        add(labels[found[1]], found[1], (found[0], found[2]), Label(found[3], f"{name}, line", number))
    return labels


def header_aspects(
    names: Sequence[str], described: Iterable[str] = (), given: Mapping[str, str] | None = None
) -> list[str]:
    """The grade columns among some names, with those that are described.

    given : the columns that the user has named, by role.
    """
    ids = {*plain_names("topic"), *plain_names("document")}
    said = {name for role, name in (given or {}).items() if role != "grade"}
    return [
        name
        for name in names
        if name in described
        or (
            plain(name) not in ids
            and name not in said
            and (is_quality(name) or not means_something_else(name))
        )
    ]


def _counted(where: str, found: Sequence[str], columns: Sequence[str]) -> tuple[int, int, dict[str, int]]:
    """Topic, document and grades, by the number of columns: the grades are the last ones."""
    before = len(found) - len(columns)
    if before not in (2, 3):
        raise InputError(
            f"{where}: found {len(found)} columns; the aspects {', '.join(columns)} need "
            f"{len(columns) + 3}: topic 0 document {' '.join(columns)}, or {len(columns) + 2} without the 0. "
            f"Name every grade column; {SKIPPED} skips one"
        )
    return 0, before - 1, {column: before + i for i, column in enumerate(columns)}


def add(labelled: Column, aspect: str, key: tuple[str, str], label: Label) -> None:
    """Add a label; it is an error if the document already has a different one."""
    first = labelled.setdefault(key, label)
    if first.text != label.text:
        raise InputError(
            f"{label.where}: document {key[1]!r} of topic {key[0]!r} has the label {label.text!r} of "
            f"{aspect} here and {first.text!r} at {first.where}; keep one of them"
        )


def one_column(path: files.PathLike, aspect: str) -> Column:
    """One aspect from its own file: `topic 0 document label`, or without the 0."""
    return column_lines(path, [aspect])[aspect]


def scores(path: files.PathLike) -> dict[str, tuple[float, str]]:
    """Scores of documents for all topics: `document score`, or `score document` as in spam rankings."""
    name = files.source_name(path)
    found: dict[str, tuple[float, str]] = {}
    for number, line in files.opened(path).lines():
        where, columns = f"{name}, line {number}", files.columns(line)
        if len(columns) != 2:
            raise InputError(f"{where}: found {len(columns)} columns; expected 2: document score")
        doc, score = columns[0], parse_number(columns[1])
        if score is None:
            doc, score = columns[1], parse_number(columns[0])
        if score is None:
            raise InputError(
                f"{where}: neither {columns[0]!r} nor {columns[1]!r} is a number; expected a score"
            )
        first = found.setdefault(doc, (score, where))
        if first[0] != score:
            raise InputError(
                f"{where}: document {doc!r} has the score {score:g} here and {first[0]:g} at {first[1]}"
            )
    return found


def answers(source: Any, element: str | None) -> dict[str, str]:
    """The accepted answer of each topic: a mapping, a file of `topic answer`, or topics in XML."""
    if isinstance(source, Mapping):
        return {str(topic): str(answer) for topic, answer in source.items()}
    name = files.source_name(source)
    if name.endswith(".xml"):
        return _xml_answers(source, name, element)
    found: dict[str, str] = {}
    for number, line in files.opened(source).lines():
        columns = files.columns(line)
        if len(columns) != 2:
            raise InputError(
                f"{name}, line {number}: found {len(columns)} columns; expected 2: topic and its answer"
            )
        found[columns[0]] = columns[1]
    return found


def _xml_answers(source: files.PathLike, name: str, element: str | None) -> dict[str, str]:
    """One element of each topic. A topic has its number as an element or an attribute."""
    from xml.etree import ElementTree

    if element is not None and not re.fullmatch(r"[\w.-]+(/[\w.-]+)*", element):
        raise InputError(
            f"{name}: {element!r} is not the name of an element; write it like answer or topic/answer"
        )
    if element is None:
        raise InputError(f'{name}: say which element holds a topic\'s answer, e.g. element = "answer"')
    if not os.path.exists(source):
        raise InputError(f"{name}: there is no such file; check the path")
    try:
        topics = ElementTree.parse(source).getroot()
    except (ElementTree.ParseError, OSError, ValueError, LookupError) as error:  # also unknown encodings
        raise InputError(f"{name}: is not XML ({error})") from None
    found = {}
    for topic in topics:
        number = topic.get("number") or topic.findtext("number")
        answer = topic.findtext(element)
        if number and answer is not None:
            found[number.strip()] = answer.strip()
    if not found:
        raise InputError(f"{name}: no topic has an element <{element}>; check its name")
    return found


def from_memory(source: Any, names: Sequence[str], called: str = "judgments") -> dict[str, Column]:
    """Labels from ``{topic: {aspect: {doc: label}}}``, or from a frame or rows with a column per aspect.

    called : what messages call the source.
    """
    labels: dict[str, Column] = {name: {} for name in names}
    for where, topic, doc, aspect, label in _cells(source, names, called):
        if aspect not in labels or _is_missing(label):
            continue
        add(labels[aspect], aspect, (topic, doc), Label(_label_text(label), where, None))
    return labels


def _is_missing(label: Any) -> bool:
    """None, NaN, or the NA of pandas, which cannot be compared."""
    return (
        label is None
        or type(label).__name__ in ("NAType", "NaTType")
        or (isinstance(label, float) and label != label)
    )


def _cells(source: Any, names: Sequence[str], called: str) -> Iterator[tuple[str, str, str, str, Any]]:
    if isinstance(source, Mapping):
        for topic, judged in source.items():
            where = f"{called}, topic {topic!r}"
            for aspect, graded in _mapping(judged, where).items():
                for doc, label in _mapping(graded, f"{where}, {aspect!r}").items():
                    topic_id, doc_id = _id(topic, f"{called}: the topic"), _id(doc, f"{where}: the doc")
                    yield where, topic_id, doc_id, str(aspect), label
        return
    for number, row in enumerate(_rows(source, called), 1):
        where = f"{called}, row {number}"
        chosen = spelled(tuple(row), ("topic", "document"), (), where)
        for name in names:
            if name not in row:
                raise InputError(f"{where}: no column {name!r} among {listed(map(str, row))}")
            topic, doc = (_id(row[chosen[key]], f"{where}: the {key}") for key in ("topic", "document"))
            yield where, topic, doc, name, row[name]


def _id(value: Any, what: str) -> str:
    if _is_missing(value):
        raise InputError(f"{what} is missing; name it, or leave the row out")
    return whole_id(value, what) if isinstance(value, float) and value.is_integer() else str(value)


def _mapping(value: Any, where: str) -> Mapping[Any, Any]:
    if not isinstance(value, Mapping):
        raise InputError(f"{where}: holds {value!r}; expected {{topic: {{aspect: {{doc: label}}}}}}")
    return value


def _rows(source: Any, called: str) -> Iterator[Mapping[str, Any]]:
    from rankprism.data import is_frame
    from rankprism.data.frames import all_rows

    if is_frame(source):
        yield from all_rows(source, called)
        return
    for number, row in enumerate(source, 1):
        found = row._asdict() if hasattr(row, "_asdict") else row
        if not isinstance(found, Mapping):
            raise InputError(
                f"{called}, row {number}: {row!r} has no names of columns; pass mappings or a data frame"
            )
        yield found
