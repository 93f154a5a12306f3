"""Reading the documents of a collection: their text, to be shown to people."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from rankprism.errors import InputError
from rankprism.formats import files, ir_datasets
from rankprism.formats.json_lines import as_text, json_objects
from rankprism.formats.source import DATASET

DocumentsLike: TypeAlias = files.PathLike | Mapping[str, Mapping[str, Any]]
#: How the text of a document may be written.
TYPES = ("text", "markdown", "html")
_EXAMPLE = '{"id": "d1", "text": "…"}'
_ALSO = {
    "text/plain": "text",
    "plain": "text",
    "text/markdown": "markdown",
    "md": "markdown",
    "text/html": "html",
}


@dataclass(frozen=True)
class Document:
    """A document in the form in which people read it."""

    id: str
    text: str
    title: str = ""
    url: str = ""
    type: str = "text"  #: one of `TYPES`


def read_documents(source: DocumentsLike, wanted: Collection[str] | None = None) -> dict[str, Document]:
    """Read documents: an id and a text, and where known a title, a url and a type.

    source : a path ("-" is standard input; .gz, .bz2, .xz and .zst are unpacked) to JSON lines such as
        ``{"id": "d1", "text": "…", "title": "…", "url": "…", "type": "html"}``, where BEIR's ``_id`` is an
        id, too; ``{id: {"text": "…"}}``; or "irds:" and the id of a dataset of ir_datasets. The type is one
        of `TYPES`.
    wanted : the ids of the documents to keep. Default: all of them.

    >>> read_documents({"d1": {"text": "Jaguars swim well."}, "d2": {"text": "no"}}, {"d1"})
    {'d1': Document(id='d1', text='Jaguars swim well.', title='', url='', type='text')}
    """
    found: dict[str, Document] = {}
    places: dict[str, str] = {}
    for where, row in _rows(source, wanted):
        document = _document(row, where)
        if wanted is not None and document.id not in wanted:
            continue
        if document.id in found:
            raise InputError(
                f"{where}: document {document.id!r} is in {places[document.id]} already; keep one of them"
            )
        found[document.id], places[document.id] = document, where.rpartition(", ")[2]
    return found


def _rows(source: DocumentsLike, wanted: Collection[str] | None) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The place of each document, and what is known of it."""
    if isinstance(source, Mapping):
        for doc, row in source.items():
            yield f"document {doc!r}", {"id": doc, **row}
    elif isinstance(source, str) and source.startswith(DATASET):
        yield from ir_datasets.documents(source, wanted)
    else:
        yield from json_objects(files.opened(source).streamed_lines(), files.source_name(source), _EXAMPLE)


def _document(row: Mapping[str, Any], where: str) -> Document:
    if "id" not in row and "_id" in row:  # as in BEIR
        row = {"id": row["_id"], **row}
    for name in ("id", "text"):
        if name not in row:
            raise InputError(f"{where}: has no {name!r}; write {_EXAMPLE}")
    type = as_text(row, "type", where) or "text"
    type = _ALSO.get(type.casefold(), type.casefold())
    if type not in TYPES:
        raise InputError(f"{where}: the type {row['type']!r} is not one of {', '.join(TYPES)}")
    id = as_text(row, "id", where)
    if not id.strip():
        raise InputError(f"{where}: the id is empty; every document needs one")
    text, title, url = (as_text(row, name, where) for name in ("text", "title", "url"))
    return Document(id, text, title, url, type)
