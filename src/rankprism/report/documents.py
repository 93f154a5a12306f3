"""Titles and texts of documents, of which the report shows a few words."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Collection, Iterator, Mapping
from typing import Any, TypeAlias

from rankprism.errors import InputError, RankprismWarning
from rankprism.formats import files

DocumentsLike: TypeAlias = files.PathLike | Mapping[str, Mapping[str, Any]]
#: What a name of a collection of ir_datasets begins with.
IR_DATASETS = "ir_datasets:"
#: What a document may have, and how many letters of it are shown.
FIELDS = {"title": 120, "text": 240, "url": 500, "type": 40}


def read_documents(source: DocumentsLike | None, wanted: Collection[str]) -> dict[str, dict[str, str]]:
    """What is shown of the documents that are wanted, by id.

    >>> read_documents({"d1": {"text": "Jaguars  swim\\nwell."}, "d2": {"text": "no"}}, {"d1"})
    {'d1': {'text': 'Jaguars swim well.'}}
    """
    if source is None:
        return {}
    if isinstance(source, Mapping):
        found: Iterator[tuple[str, str, Mapping[str, Any]]] = (
            (f"document {doc!r}", doc, fields) for doc, fields in source.items()
        )
    elif isinstance(source, str) and source.startswith(IR_DATASETS):
        found = _from_ir_datasets(source.removeprefix(IR_DATASETS), wanted)
    else:
        found = _from_file(source)
    documents = {doc: _shown(where, fields) for where, doc, fields in found if doc in wanted}
    if not documents:
        name = "the documents" if isinstance(source, Mapping) else str(source)
        warnings.warn(
            f"{name}: none of them is shown by the report; check that their ids are those of the runs",
            RankprismWarning,
            stacklevel=2,
        )
    return documents


def _from_file(path: files.PathLike) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Where each document stands, its id and what it has."""
    name = files.source_name(path)
    for number, line in files.streamed_lines(path):
        where = f"{name}, line {number}"
        try:
            fields = json.loads(line)
        except json.JSONDecodeError as error:
            raise InputError(
                f"{where}: is not JSON ({error.msg} at character {error.pos + 1}); write one object a line, "
                f'like {{"id": "d1", "title": "…", "text": "…"}}'
            ) from None
        if not isinstance(fields, dict) or not isinstance(fields.get("id"), str):
            raise InputError(
                f'{where}: has no text "id"; write one object a line, like {{"id": "d1", "text": "…"}}'
            )
        yield where, fields["id"], fields


def _from_ir_datasets(name: str, wanted: Collection[str]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    try:
        import ir_datasets
    except ImportError:
        raise InputError(
            "documents of ir_datasets need that package: pip install ir-datasets; or pass a JSON Lines file"
        ) from None
    try:
        store = ir_datasets.load(name).docs_store()
    except KeyError:
        raise InputError(f"ir_datasets has no collection {name!r}; see https://ir-datasets.com") from None
    for doc, record in store.get_many(list(wanted)).items():
        text = record.default_text()
        fields = {field: getattr(record, field) for field in ("title", "url") if hasattr(record, field)}
        yield f"{name}, document {doc!r}", doc, {**fields, "text": text}


def _shown(where: str, fields: Mapping[str, Any]) -> dict[str, str]:
    shown = {}
    for field, most in FIELDS.items():
        value = fields.get(field)
        if value is None or value == "":
            continue
        if not isinstance(value, str):
            raise InputError(f'{where}: "{field}" must be text; got {value!r}')
        shown[field] = _cut(value, most)
    return shown


def _cut(text: str, most: int) -> str:
    """The beginning of a text in one line.

    >>> _cut("Jaguars are good swimmers", 16)
    'Jaguars are …'
    """
    line = re.sub(r"\s+", " ", text[: 4 * most]).strip()
    if len(line) <= most:
        return line
    return line[:most].rpartition(" ")[0] + " …" if " " in line[:most] else line[:most] + "…"
