"""Reading topics, which say in words what people were looking for."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from rankprism.errors import InputError
from rankprism.formats import files, ir_datasets
from rankprism.formats.json_lines import as_text, json_object
from rankprism.formats.source import DATASET

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_EXAMPLE = '{"id": "1", "title": "…"}'
_TAGGED = "<top>"


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


TopicsLike: TypeAlias = files.PathLike | Mapping[str, str]


def read_topics(source: TopicsLike) -> dict[str, Topic]:
    """Read topics from a file, from ``{id: title}``, or from the dataset of ir_datasets that "irds:ID" names.

    A file has lines of ``id<TAB>title<TAB>description`` or ``id:title``, JSON lines if it ends in .jsonl, or
    is a topic file of TREC, which is XML or has topics that begin with ``<top>``.

    The description may be missing. JSON lines have `id`, `title`, and where known `description` and
    `subtopics`, which is a mapping of ids to descriptions; or `_id` and `text`, as in BEIR. A topic in XML
    has its number as an attribute or an element, a `query` or `title`, and where known a `description` and
    each `subtopic`. Attributes `type` say whether the topic is ambiguous or faceted, and a subtopic
    informational (inf) or navigational (nav).
    """
    if isinstance(source, Mapping):
        return {id: Topic(id, title) for id, title in source.items()}
    if isinstance(source, str) and source.startswith(DATASET):
        return _from_dataset(source)
    where = files.source_name(source)
    plain = os.fspath(source)
    for ending in files.COMPRESSED:
        plain = plain.removesuffix(ending)
    if plain.endswith(".xml"):
        return _from_xml(source, where)
    read = _from_json if plain.endswith((".jsonl", ".json")) else _from_columns
    lines = list(files.opened(source).lines())
    if any(line.strip().lower().startswith(_TAGGED) for _, line in lines[:5]):
        topics = _from_tags(lines, where)
    elif lines and lines[0][1].startswith("<"):
        return _from_xml(source, where)
    else:
        topics = ((number, read(line, f"{where}, line {number}")) for number, line in lines)
    found: dict[str, Topic] = {}
    for number, topic in topics:
        if topic.id in found:
            raise InputError(f"{where}, line {number}: topic {topic.id!r} occurs twice; keep one of them")
        found[topic.id] = topic
    if not found:
        raise InputError(f"{where}: there are no topics in it; a line is id<TAB>title<TAB>description")
    return found


def _from_columns(line: str, where: str) -> Topic:
    id, *words = (column.strip() for column in line.split("\t"))
    if not words and (web := re.match(r"(?:\w+-)?(\d+):(.+)", id)):  # as in TREC's Web tracks
        id, words = web[1], [web[2].strip()]
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


def _from_tags(lines: list[tuple[int, str]], where: str) -> Iterator[tuple[int, Topic]]:
    """The topics of TREC's older files, which have tags without ends, and the lines on which they begin."""
    begins = [i for i, (_, line) in enumerate(lines) if line.strip().lower().startswith(_TAGGED)]
    for begin, end in zip(begins, [*begins[1:], len(lines)], strict=True):
        text = "\n".join(line for _, line in lines[begin:end])
        # A field begins with its name, as in "<num> Number: 301" and "<desc> Description:".
        fields = re.findall(
            r"<(num|title|query|desc)>\s*(?:(?:Number|Topic|Description)\s*:)?([^<]*)", text, re.IGNORECASE
        )
        words = {name.lower(): " ".join(value.split()) for name, value in fields}
        title = words.get("title") or words.get("query", "")
        number = lines[begin][0]
        if not words.get("num") or not title:
            raise InputError(
                f"{where}, line {number}: a topic needs a number and a title; write <num> Number: 301 and "
                f"<title> …"
            )
        yield number, Topic(words["num"], title, words.get("desc", ""))


def _from_dataset(source: str) -> dict[str, Topic]:
    """The topics of ir_datasets, whose fields are named in several ways."""
    found = {}
    for query in ir_datasets.queries(source):
        words = {
            name: str(getattr(query, name, None) or "") for name in ("title", "query", "text", "description")
        }
        title = words["title"] or words["query"] or words["text"] or query.default_text()
        subtopics = getattr(query, "subtopics", None) or ()
        found[query.query_id] = Topic(
            query.query_id,
            " ".join(title.split()),
            " ".join(words["description"].split()),
            tuple((str(one.number), " ".join(one.text.split())) for one in subtopics),
        )
    return found


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
