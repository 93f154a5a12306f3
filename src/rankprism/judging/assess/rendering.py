"""Turns documents into pages, and instructions and the like into HTML.

A document may come from anywhere and contain anything, so there are three fences. It is shown in a frame
whose sandbox allows no scripts, forms, popups or navigation of our page. The response has a policy that
allows no script and no request. And its HTML is cleaned, see `text.documents`. Cleaning a long document
takes a while, so it is done before the study is served, and the result is stored.

The sandbox does allow the origin of our pages, because only then does our script hear keys that are pressed
inside a document, and only then does the Tab key reach it in Chromium. A document that cannot run scripts
gains nothing from it.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from collections.abc import Callable
from functools import lru_cache
from html import escape

import sqlalchemy as sa
from markupsafe import Markup

from rankprism.judging.assess import store
from rankprism.judging.assess.store import Store
from rankprism.text import documents, found_in

_STYLE = """\
:root { color-scheme: light dark; scrollbar-gutter: stable; }
body { max-width: 40rem; margin: 0 auto; padding: 0.5rem 0.75rem; font: 1rem/1.6 system-ui, sans-serif;
  overflow-wrap: anywhere; }
h1, h2, h3, h4 { line-height: 1.25; margin: 0.75em 0 0.5em; }
h1 { font-size: 1.4rem; }
h2 { font-size: 1.2rem; }
h3, h4 { font-size: 1.05rem; }
mark { background: #ffe58a; color: #1b1b1f; border-radius: 0.15rem; }
@media (prefers-color-scheme: dark) { mark { background: #6b5600; color: #ffffff; } }
pre { white-space: pre-wrap; }
.plain { white-space: pre-wrap; }
table { border-collapse: collapse; }
td, th { border: 1px solid; padding: 0.1rem 0.4rem; text-align: start; vertical-align: top;
  overflow-wrap: normal; }
"""
_HASH = b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
#: The browser may only show a document, with this style.
POLICY = (
    f"default-src 'none'; style-src 'sha256-{_HASH}'; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'self'; sandbox allow-same-origin"
)
_BATCH = 100  # number of documents that are cleaned and stored together


@lru_cache(maxsize=64)  # the documents of a topic are shown again and again
def page(cleaned: str, title: str, words: tuple[str, ...] = ()) -> str:
    """A whole page that shows a document, with the words of a query marked, see `query_words`."""
    # The first letter tells whether the text runs from left to right.
    return (
        f'<!DOCTYPE html><html lang="und"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<style>{_STYLE}</style></head><body dir="auto">{marked(cleaned, words)}</body></html>'
    )


# A tag as nh3 writes it, or a character reference: no words are looked for in either.
_MARKUP = re.compile(r'(<[^<>"]*+(?:"[^"]*+"[^<>"]*+)*+>|&[#\w]++;)')
_BLANK = re.compile(r'(?:<[^<>"]*+(?:"[^"]*+"[^<>"]*+)*+>|\s|&nbsp;)*+')


def or_note(cleaned: str) -> str:
    """A cleaned document, or a sentence instead of one without text.

    >>> or_note('<div class="plain"> </div>')
    '<p><i>This document has no text.</i></p>'
    """
    return "<p><i>This document has no text.</i></p>" if _BLANK.fullmatch(cleaned) else cleaned


def marked(cleaned: str, words: tuple[str, ...]) -> str:
    """Mark the words of a query in a cleaned document.

    >>> marked('<p title="A jaguar">The Jaguar &amp; its relatives</p>', ("jaguar", "amp"))
    '<p title="A jaguar">The <mark>Jaguar</mark> &amp; its relatives</p>'
    """
    if not words:
        return cleaned
    parts = _MARKUP.split(cleaned)  # every second part is markup
    parts[::2] = [_marked_text(text, words) if text else "" for text in parts[::2]]
    return "".join(parts)


def _marked_text(text: str, words: tuple[str, ...]) -> str:
    written, last = [], 0
    for begin, end in found_in(text, list(words)):
        if begin >= last:
            written += [text[last:begin], "<mark>", text[begin:end], "</mark>"]
            last = end
    return "".join([*written, text[last:]])


def prose(markdown: str) -> Markup:
    """Turn instructions and the like into HTML for our own pages."""
    return Markup(documents.cleaned(markdown, "markdown"))


def clean_documents(open_study: Store, say: Callable[[str], None]) -> None:
    """Clean the documents that this version of the cleaner has not cleaned, and `say` how many there are."""
    table = store.document
    with open_study.reading() as connection:
        is_old = table.c.cleaner.is_distinct_from(documents.CLEANER)
        numbers = connection.scalars(sa.select(table.c.id).where(is_old)).all()
    if numbers:
        say(f"Cleaning {len(numbers):,} documents for this version of rankprism.")
    for start in range(0, len(numbers), _BATCH):
        some = table.c.id.in_(numbers[start : start + _BATCH])
        with open_study.reading() as connection:
            rows = connection.execute(sa.select(table.c.id, table.c.text, table.c.type).where(some)).all()
        values = [{"number": row.id, **cleaned(row.text, row.type)} for row in rows]
        with open_study.writing() as connection:
            connection.execute(sa.update(table).where(table.c.id == sa.bindparam("number")), values)


def cleaned(text: str, type: str) -> dict[str, str]:
    """The columns of a cleaned document."""
    return {"cleaned": documents.cleaned(text, type), "cleaner": documents.CLEANER}
