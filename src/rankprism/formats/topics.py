"""Reading topics, which say in words what people were looking for."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rankprism.errors import InputError
from rankprism.formats import files
from rankprism.formats.json_lines import as_text, json_object

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_EXAMPLE = '{"id": "1", "title": "…"}'


@dataclass(frozen=True)
class Topic:
    """A topic in words, with the descriptions of its subtopics if they are known."""

    id: str
    title: str
    description: str = ""
    subtopics: tuple[tuple[str, str], ...] = ()  #: id and description of each
    kind: str = ""  #: "ambiguous" or "faceted" in the Web tracks of TREC; empty: not said
    #: "inf" (informational) or "nav" (navigational) for each subtopic, by its id; empty: not said
    kinds: Mapping[str, str] = field(default_factory=dict)


def read_topics(source: files.PathLike) -> dict[str, Topic]:
    """Read topics from lines of ``id<TAB>title<TAB>description``, from JSON lines if it ends in .jsonl, or
    from a topic file of TREC if it ends in .xml.

    The description may be missing. JSON lines have `id`, `title`, and where known `description` and
    `subtopics`, which is a mapping of ids to descriptions; or `_id` and `text`, as in BEIR. A topic in XML
    has its number as an attribute or an element, a `query` or `title`, and where known a `description` and
    each `subtopic`. Attributes `type` say whether the topic is ambiguous or faceted, and a subtopic
    informational (inf) or navigational (nav).
    """
    where = files.source_name(source)
    plain = os.fspath(source)
    for ending in files.COMPRESSED:
        plain = plain.removesuffix(ending)
    if plain.endswith(".xml"):
        return _from_xml(source, where)
    read = _from_json if plain.endswith((".jsonl", ".json")) else _from_columns
    found: dict[str, Topic] = {}
    for number, line in files.opened(source).lines():
        topic = read(line, f"{where}, line {number}")
        if topic.id in found:
            raise InputError(f"{where}, line {number}: topic {topic.id!r} occurs twice; keep one of them")
        found[topic.id] = topic
    if not found:
        raise InputError(f"{where}: there are no topics in it; a line is id<TAB>title<TAB>description")
    return found


def _from_columns(line: str, where: str) -> Topic:
    id, *words = (column.strip() for column in line.split("\t"))
    if not id or not 1 <= len(words) <= 2 or not words[0]:
        raise InputError(f"{where}: {line.strip()[:60]!r} is not id<TAB>title<TAB>description")
    return Topic(id, words[0], "".join(words[1:]))


def _from_json(line: str, where: str) -> Topic:
    row = json_object(line, where, _EXAMPLE)
    if "_id" in row:  # as in BEIR, where the query is the text
        row = {"id": row["_id"], "title": row.get("text"), **row}
    id, title, description = (as_text(row, name, where) for name in ("id", "title", "description"))
    if not id or not title:
        raise InputError(f"{where}: a topic needs an id and a title; write {_EXAMPLE}")
    subtopics = row.get("subtopics", {})
    if not isinstance(subtopics, dict):
        raise InputError(f'{where}: subtopics must be descriptions by id, {{"1": "…", "2": "…"}}')
    return Topic(id, title, description, tuple((name, as_text(subtopics, name, where)) for name in subtopics))


def _from_xml(source: files.PathLike, where: str) -> dict[str, Topic]:
    """The topics of a file of TREC, by their numbers."""
    from xml.etree import ElementTree

    data = files.opened(source).data
    try:
        root = ElementTree.fromstring(data) if data is not None else ElementTree.parse(source).getroot()
    except (ElementTree.ParseError, OSError, ValueError, LookupError) as error:  # also unknown encodings
        raise InputError(
            f"{where}: cannot be read as XML ({error}); check that the file is complete"
        ) from None
    found: dict[str, Topic] = {}
    for place, element in enumerate(root.iter("topic"), 1):
        id = (element.get("number") or element.findtext("number") or "").strip()
        title = _words(element, "query") or _words(element, "title")
        if not id or not title:
            raise InputError(
                f"{where}, topic number {place} of the file: a topic needs a number and a query; write "
                '<topic number="1"><query>…</query></topic>'
            )
        if id in found:
            raise InputError(f"{where}: topic {id!r} occurs twice; keep one of them")
        subtopics = [(one.get("number", "").strip(), one) for one in element.iter("subtopic")]
        for name, one in subtopics:
            kind = one.get("type", "")
            if not name or kind not in ("", "inf", "nav"):
                raise InputError(
                    f"{where}, topic {id!r}: a subtopic needs a number, and its type must be inf or nav; got "
                    f"number {name!r} and type {kind!r}"
                )
        found[id] = Topic(
            id,
            title,
            _words(element, "description"),
            tuple((name, " ".join("".join(one.itertext()).split())) for name, one in subtopics),
            element.get("type", ""),
            {name: kind for name, one in subtopics if (kind := one.get("type", ""))},
        )
    if not found:
        raise InputError(f"{where}: there are no topics in it; a topic is an element <topic>")
    return found


def _words(element: Element, name: str) -> str:
    """The text of an inner element, in one line."""
    return " ".join((element.findtext(name) or "").split())
