"""The titles and texts of documents that the report shows."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from html import unescape
from typing import Any

from rankprism.errors import InputError, RankprismWarning, install
from rankprism.formats import Document, DocumentsLike, read_documents
from rankprism.text import found_in

#: The largest number of characters of the title, the passage and the address of a document.
TITLE, PASSAGE, ADDRESS = 120, 240, 500
#: The number of characters of all texts together, and of one. With many documents, each has fewer.
TEXTS, LONGEST = 4_000_000, 4000
#: A text that is not much longer than a passage is not shown as well.
SHORTEST = 600
#: The number of characters in which a passage is searched for.
_SEARCHED = 20_000


def shown_documents(
    source: DocumentsLike | None, topics: Sequence[Mapping[str, Any]], words: Sequence[Sequence[str]]
) -> tuple[dict[str, dict[str, str]], list[list[str | None]]]:
    """Return the fields to show of each document, by id, and for each topic the passages of its documents.

    A passage has as many words of the query as possible, and is None for unknown documents. A text is HTML
    that can do no harm.

    topics : the topics of the page, with their "docs".
    words : the words of each topic's query, see `query_words`.

    >>> documents = {"d1": {"text": "Jaguars  swim\\nwell."}, "d2": {"text": "no"}}
    >>> shown_documents(documents, [{"docs": ["d1", "d3"]}], [["jaguar"]])
    ({'d1': {}}, [['Jaguars swim well.', None]])
    """
    if source is None:
        return {}, []
    wanted = {doc for topic in topics for doc in topic["docs"]}
    documents = read_documents(source, wanted)
    if not documents:
        name = "the documents" if isinstance(source, Mapping) else str(source)
        warnings.warn(
            f"{name}: the report shows none of them; check that the runs have the same ids",
            RankprismWarning,
            stacklevel=2,
        )
    try:
        from rankprism.text import documents as cleaner
    except ImportError:
        raise InputError(f"documents need two more packages: {install('report')}") from None
    each = min(LONGEST, TEXTS // max(len(documents), 1))
    words_of = {doc: cleaner.plain(one.text, one.type, _SEARCHED) for doc, one in documents.items()}
    passages = [
        [
            passage(words_of[doc], own, min(PASSAGE, each)) if doc in words_of else None
            for doc in topic["docs"]
        ]
        for topic, own in zip(topics, words, strict=True)
    ]
    found = {}
    for doc, one in documents.items():
        fields = {"title": _cut(_title(one), TITLE), "url": one.url[:ADDRESS]}
        if each >= SHORTEST and len(words_of[doc]) > PASSAGE:
            fields["html"] = cleaner.cleaned(one.text, one.type, each)
        found[doc] = {field: text for field, text in fields.items() if text}
    return found, passages


def _title(document: Document) -> str:
    if not document.title and document.type == "html":
        found = re.search(r"<title[^>]*>([^<]*)</title", document.text, re.IGNORECASE)
        return unescape(found[1]) if found else ""
    return document.title


def passage(text: str, words: Sequence[str], most: int = PASSAGE) -> str:
    """Return the part of a text with the most different words of a query, from a blank to a blank.

    If no part has more of them than the beginning, it is the beginning.

    >>> passage("Cats sleep. Lions roar. A jaguar swims well.", ["jaguar"], 25)
    '… A jaguar swims well.'
    """
    places = [(begin, text[begin:end].casefold()) for begin, end in found_in(text, list(words))]
    # A passage begins a little before a word, so that the word is read in its context.
    begins = [0, *(max(0, place - most // 4) for place, _ in places)]
    start = most_words = first = last = 0
    inside: Counter[str] = Counter()
    for begin in begins:
        while last < len(places) and places[last][0] < begin + most * 3 // 4:
            inside[places[last][1]] += 1
            last += 1
        while first < last and places[first][0] < begin:
            inside[places[first][1]] -= 1
            first += 1
        here = sum(count > 0 for count in inside.values())
        if here > most_words:
            start, most_words = begin, here
    if start:
        start = text.find(" ", start) + 1 or start
    return ("… " if start else "") + _cut(text[start:], most - 2 * bool(start))


def _cut(text: str, most: int) -> str:
    """Return the beginning of a text as one line.

    >>> _cut("Jaguars are good swimmers", 16)
    'Jaguars are …'
    """
    line = re.sub(r"\s+", " ", text[: 4 * most]).strip()
    if len(line) <= most:
        return line
    return line[:most].rpartition(" ")[0] + " …" if " " in line[:most] else line[:most] + "…"
