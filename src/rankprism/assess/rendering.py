"""Documents as pages that can do no harm.

A document comes from anywhere and may hold anything. So there are three fences. It is shown in a frame whose
sandbox allows nothing. The response has a policy that allows no script and no request. And of its HTML only
the elements that structure text are kept, without their links, so that there is nothing to click on.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from html import escape
from html.parser import HTMLParser

from markdown_it import MarkdownIt
from markupsafe import Markup


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_KEPT = _names(
    "a abbr article aside b bdi bdo blockquote br caption center cite code col colgroup dd del details dfn "
    "div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i ins kbd li main mark nav ol p pre q "
    "rp rt ruby s samp section small span strike strong sub summary sup table tbody td tfoot th thead time "
    "tr tt u ul var wbr"
)
_EMPTY = _names("br col hr wbr")
#: Elements whose text is not to be read.
_DROPPED = _names("script style template iframe svg math title select textarea")
_ATTRIBUTES = _names("colspan rowspan dir lang title span start reversed abbr datetime")

_STYLE = """\
:root { color-scheme: light dark; }
body { margin: 0.75rem; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; }
.plain { white-space: pre-wrap; }
table { border-collapse: collapse; }
td, th { border: 1px solid; padding: 0.1rem 0.4rem; text-align: start; vertical-align: top; }
"""
_HASH = b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
#: What the browser may do with a document: show it, with this style, and nothing else.
POLICY = f"default-src 'none'; style-src 'sha256-{_HASH}'; frame-ancestors 'self'; sandbox"

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")


def page(text: str, type: str, title: str) -> str:
    """A whole page that shows a document."""
    return (
        f'<!DOCTYPE html><html lang="und"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style></head><body>{body(text, type)}</body></html>"
    )


def body(text: str, type: str) -> str:
    """A document's text as HTML of which nothing is dangerous.

    >>> body("<p onclick='alert(1)'>Hello <script>alert(2)</script><a href='//x.org'>you</a>", "html")
    '<p>Hello <a>you</a></p>'
    """
    if type == "html":
        return _clean(text)
    if type == "markdown":
        return _clean(_MARKDOWN.render(text))
    return f'<div class="plain">{escape(text)}</div>'


def prose(markdown: str) -> Markup:
    """Instructions and the like as HTML for our own pages."""
    return Markup(_clean(_MARKDOWN.render(markdown)))


def _clean(html: str) -> str:
    cleaner = _Cleaner()
    cleaner.feed(html)
    cleaner.close()
    return cleaner.text()


class _Cleaner(HTMLParser):
    """Copies the elements that are kept, and closes what was left open."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.open: list[str] = []
        self.dropping: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag in _DROPPED:
            self.dropping.append(tag)
            return
        if self.dropping:
            return
        if tag == "img":
            words = next((value for name, value in attributes if name == "alt" and value), None)
            self.parts.append(f"[{escape(words)}]" if words else "")
        if tag not in _KEPT or len(self.open) > 200:
            return
        kept = "".join(
            f' {name}="{escape(value or "")}"' for name, value in attributes if name in _ATTRIBUTES
        )
        self.parts.append(f"<{tag}{kept}>")
        if tag not in _EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.dropping:
            while self.dropping.pop() != tag:
                pass
        elif not self.dropping and tag in self.open:
            while (inner := self.open.pop()) != tag:
                self.parts.append(f"</{inner}>")
            self.parts.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if not self.dropping:
            self.parts.append(escape(data))

    def text(self) -> str:
        return "".join(self.parts) + "".join(f"</{tag}>" for tag in reversed(self.open))
