"""Reads the titles and the first words of documents, which the report shows."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Mapping

from rankprism.errors import RankprismWarning
from rankprism.formats.documents import Document, DocumentsLike, read_documents

#: The fields of a document that are shown, and the largest number of characters of each.
FIELDS = {"title": 120, "text": 240, "url": 500, "type": 40}


def snippets(source: DocumentsLike | None, wanted: Collection[str]) -> dict[str, dict[str, str]]:
    """Return the fields to show of each wanted document, by id.

    >>> snippets({"d1": {"text": "Jaguars  swim\\nwell."}, "d2": {"text": "no"}}, {"d1"})
    {'d1': {'text': 'Jaguars swim well.'}}
    """
    if source is None:
        return {}
    documents = read_documents(source, wanted)
    if not documents:
        name = "the documents" if isinstance(source, Mapping) else str(source)
        warnings.warn(
            f"{name}: the report shows none of them; check that the runs have the same ids",
            RankprismWarning,
            stacklevel=2,
        )
    return {doc: _snippet(document) for doc, document in documents.items()}


def _snippet(document: Document) -> dict[str, str]:
    found = {field: _cut(getattr(document, field), most) for field, most in FIELDS.items()}
    return {field: text for field, text in found.items() if text and (field, text) != ("type", "text")}


def _cut(text: str, most: int) -> str:
    """Return the beginning of a text as one line.

    >>> _cut("Jaguars are good swimmers", 16)
    'Jaguars are …'
    """
    line = re.sub(r"\s+", " ", text[: 4 * most]).strip()
    if len(line) <= most:
        return line
    return line[:most].rpartition(" ")[0] + " …" if " " in line[:most] else line[:most] + "…"
