"""Turns documents into pages, and instructions and the like into HTML.

A document may come from anywhere and contain anything, so there are three fences. It is shown in a frame
whose sandbox allows no scripts, forms, popups or navigation of our page. The response has a policy that
allows no script and no request. And its HTML is cleaned, see `rankprism.documents`. Cleaning a long document
takes a while, so it is done before the study is served, and the result is stored.

The sandbox does allow the origin of our pages, because only then does our script hear keys that are pressed
inside a document, and only then does the Tab key reach it in Chromium. A document that cannot run scripts
gains nothing from it.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Callable
from html import escape

import sqlalchemy as sa
from markupsafe import Markup

from rankprism import documents
from rankprism.assess import store
from rankprism.assess.store import Store

_STYLE = """\
:root { color-scheme: light dark; }
body { margin: 0.75rem; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; }
.plain { white-space: pre-wrap; }
table { border-collapse: collapse; }
td, th { border: 1px solid; padding: 0.1rem 0.4rem; text-align: start; vertical-align: top; }
"""
_HASH = b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
#: The browser may only show a document, with this style.
POLICY = (
    f"default-src 'none'; style-src 'sha256-{_HASH}'; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'self'; sandbox allow-same-origin"
)
_BATCH = 100  # number of documents that are cleaned and stored together


def page(cleaned: str, title: str) -> str:
    """A whole page that shows a document."""
    return (
        f'<!DOCTYPE html><html lang="und"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style></head><body>{cleaned}</body></html>"
    )


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
