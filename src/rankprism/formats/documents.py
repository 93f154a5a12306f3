"""Reading the documents of a collection: their text, to be shown to people."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from rankprism.errors import InputError
from rankprism.formats import files

#: How the text of a document may be written.
TYPES = ("text", "markdown", "html")
_ALSO = {
    "text/plain": "text",
    "plain": "text",
    "text/markdown": "markdown",
    "md": "markdown",
    "text/html": "html",
}


@dataclass(frozen=True)
class Document:
    """A document as people read it."""

    id: str
    text: str
    title: str = ""
    url: str = ""
    type: str = "text"  #: one of `TYPES`


def read_documents(source: files.PathLike, wanted: Collection[str] | None = None) -> dict[str, Document]:
    """Read documents from JSON lines: an id and a text, and where known a title, a url and a type.

    source : a path ("-" is standard input; .gz, .bz2, .xz and .zst are unpacked) to lines such as
        ``{"id": "d1", "text": "…", "title": "…", "url": "…", "type": "html"}``. The type is one of `TYPES`.
    wanted : the ids of the documents to keep. Default: all of them.
    """
    where = files.source_name(source)
    found: dict[str, Document] = {}
    lines: dict[str, int] = {}
    for number, line in files.text_lines(source, files.unpacked(source)):
        document = _document(json_object(line, f"{where}, line {number}"), f"{where}, line {number}")
        if wanted is not None and document.id not in wanted:
            continue
        if document.id in found:
            raise InputError(
                f"{where}, line {number}: document {document.id!r} stands in line {lines[document.id]} "
                f"already; keep one of them"
            )
        found[document.id], lines[document.id] = document, number
    return found


def _document(row: dict[str, Any], where: str) -> Document:
    for name in ("id", "text"):
        if name not in row:
            raise InputError(f'{where}: has no {name!r}; write {{"id": "d1", "text": "…"}}')
    type = as_text(row, "type", where) or "text"
    type = _ALSO.get(type.casefold(), type.casefold())
    if type not in TYPES:
        raise InputError(f"{where}: the type {row['type']!r} is none of {', '.join(TYPES)}")
    id = as_text(row, "id", where)
    if not id.strip():
        raise InputError(f"{where}: the id is empty; every document needs one")
    text, title, url = (as_text(row, name, where) for name in ("text", "title", "url"))
    return Document(id, text, title, url, type)


def json_object(line: str, where: str) -> dict[str, Any]:
    """The JSON object that stands in a line."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: is no JSON object ({error})") from None
    if not isinstance(row, dict):
        raise InputError(f"{where}: is no JSON object, but {line.strip()[:40]!r}")
    return row


def as_text(row: dict[str, Any], name: str, where: str) -> str:
    """A value of a JSON object as text that any database and page can hold; nothing if it is missing."""
    value = row.get(name)
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise InputError(f"{where}: {name} must be text; got {value!r}")
    # JSON can spell characters that no text has: NUL, and halves of a surrogate pair.
    return str(value).replace("\0", "\ufffd").encode("utf-8", "replace").decode()
