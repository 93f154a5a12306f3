"""Reading topics: what people were looking for, in words."""

from __future__ import annotations

import os
from dataclasses import dataclass

from rankprism.errors import InputError
from rankprism.formats import files
from rankprism.formats.json_lines import as_text, json_object

_EXAMPLE = '{"id": "1", "title": "…"}'


@dataclass(frozen=True)
class Topic:
    """A topic in words, with the words for its subtopics where they are known."""

    id: str
    title: str
    description: str = ""
    subtopics: tuple[tuple[str, str], ...] = ()  #: id and description of each


def read_topics(source: files.PathLike) -> dict[str, Topic]:
    """Read topics from lines of ``id<TAB>title<TAB>description``, or from JSON lines if it ends in .jsonl.

    The description may be missing. JSON lines have `id`, `title`, and where known `description` and
    `subtopics`, which is a mapping of ids to descriptions.
    """
    where = files.source_name(source)
    plain = os.fspath(source)
    for ending in files.COMPRESSED:
        plain = plain.removesuffix(ending)
    read = _from_json if plain.endswith((".jsonl", ".json")) else _from_columns
    found: dict[str, Topic] = {}
    for number, line in files.text_lines(source, files.unpacked(source)):
        topic = read(line, f"{where}, line {number}")
        if topic.id in found:
            raise InputError(f"{where}, line {number}: topic {topic.id!r} is there twice; keep one of them")
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
    id, title, description = (as_text(row, name, where) for name in ("id", "title", "description"))
    if not id or not title:
        raise InputError(f"{where}: a topic needs an id and a title; write {_EXAMPLE}")
    subtopics = row.get("subtopics", {})
    if not isinstance(subtopics, dict):
        raise InputError(f'{where}: subtopics must be descriptions by id, {{"1": "…", "2": "…"}}')
    return Topic(id, title, description, tuple((name, as_text(subtopics, name, where)) for name in subtopics))
