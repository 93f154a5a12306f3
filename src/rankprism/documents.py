"""Documents as HTML that can do no harm.

A document may come from anywhere and hold anything. nh3 decides what is safe: it parses HTML as browsers do
and keeps the elements that structure text, without links, so that there is nothing to click on.

By the rules of HTML, a parser looks through the open elements at every tag, so its time grows with the
square of the nesting: nh3 needs 13 seconds for 60,000 nested ``<div>``. `_bounded` therefore goes over the
text first, in a time that is proportional to its length. It writes each tag in its plainest form and leaves
out tags that are nested too deeply. Whatever it lets through, nh3 still has to accept.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator
from html import escape
from importlib.metadata import version

import nh3
from markdown_it import MarkdownIt

#: How many characters of a document are shown. In HTML, start tags count; scripts and comments do not.
MOST = 200_000
#: What makes cleaned text, so that it can be made again by a new version. Every change of the rules in this
#: module needs a new number.
CLEANER = f"1, nh3 {version('nh3')}, markdown-it-py {version('markdown-it-py')}"

_CUT = f"<hr><p><em>This document is longer. Only its first {MOST:,} characters are shown.</em></p>"
_MOST_OPEN = 200  # elements that are open at the same time


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


KEPT = _names(
    "a abbr article aside b bdi bdo blockquote br caption center cite code col colgroup dd del details dfn "
    "div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i ins kbd li main mark nav ol p pre q "
    "rp rt ruby s samp section small span strike strong sub summary sup table tbody td tfoot th thead time "
    "tr tt u ul var wbr"
)
ATTRIBUTES = _names("colspan rowspan dir lang title span start reversed abbr datetime")
_DROPPED = _names("script style template iframe svg math title select textarea")  # with all that is in them
_RAW = _names("script style iframe title textarea")  # only their own end tag ends them
_EMPTY = _names("br col hr wbr")
# A parser opens these again in every later paragraph until they are closed, with their attributes. If
# thousands of them could be open, ten kilobytes would become millions of elements. So one of each may be
# open, without attributes.
_FORMATTING = _names("a b code em i s small strike strong tt u")
_TABLE = _names("table caption colgroup tbody td tfoot th thead tr")
#: What the start tag of an element closes, unless an element of the second kind is in between.
_CLOSES = {
    name: (_names(closed), barrier)
    for names, closed, barrier in (
        ("p", "p", KEPT - _FORMATTING - {"span"}),
        ("li", "li", _names("ul ol table")),
        ("dd dt", "dd dt", _names("dl table")),
        ("rp rt", "rp rt", _names("ruby table")),
        ("td th", "td th", _names("table")),
        ("tr", "tr", _names("table")),
        ("tbody tfoot thead", "tbody tfoot thead", _names("table")),
    )
    for name in names.split()
}

# What browsers take for an attribute, a tag and a comment. Quotes may hold a >, and what is not closed goes
# on to the end of the text. Nothing is tried twice, so the time is proportional to the length.
_ATTRIBUTE = r"""
    (=?[^ \t\n\r\f/>=]*+ )
    (?: [ \t\n\r\f]*+ = [ \t\n\r\f]*+ ("[^"]*+"?+ | '[^']*+'?+ | [^ \t\n\r\f>]*+ ) )?+
"""
_ATTRIBUTES = re.compile(rf"[ \t\n\r\f/]*+ (?=[^>]) {_ATTRIBUTE}", re.VERBOSE)
_TOKEN = re.compile(
    rf"""
      <!-- (?: -?> | .*? (?: --!?> | \Z ) )
    | < (?: [!?] | /(?![A-Za-z]) ) [^>]*+ >?+
    | < (?P<end>/?) (?P<name> [A-Za-z][^ \t\n\r\f/>]*+ )
      (?P<attributes> (?: [ \t\n\r\f/]++ | (?=[^>]) {_ATTRIBUTE} )*+ ) (?: (?P<whole>>) | \Z )
    """,
    re.VERBOSE | re.DOTALL,
)
_RAW_ENDS = {name: re.compile(rf"</{name}(?=[ \t\n\r\f/>])", re.IGNORECASE) for name in _RAW}

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
_CLEANER = nh3.Cleaner(
    tags=set(KEPT),
    clean_content_tags=set(_DROPPED),
    attributes={"*": set(ATTRIBUTES)},
    url_schemes=set(),
    link_rel=None,
)


def cleaned(text: str, type: str) -> str:
    """A document's text as HTML without anything dangerous; `type` is text, markdown or html.

    A long document ends after `MOST` characters with a sentence that says so.

    >>> cleaned("<p onclick='alert(1)'>Hello <script>alert(2)</script><a href='//x.org'>you</a>", "html")
    '<p>Hello <a>you</a></p>'
    """
    if type == "html":
        html, is_whole = _bounded(text, MOST)
        html = _CLEANER.clean(html)
    else:
        start, is_whole = _beginning(text, MOST), len(text) <= MOST
        if type == "markdown":
            html = _CLEANER.clean(_bounded(_MARKDOWN.render(start))[0])
        else:
            html = f'<div class="plain">{escape(start)}</div>'
    return html if is_whole else html + _CUT


def is_cut(cleaned: str) -> bool:
    """Whether a cleaned document shows only the beginning of its text."""
    return cleaned.endswith(_CUT)


def _beginning(text: str, most: float) -> str:
    """A text that is short enough, or its beginning up to the end of a line or a word."""
    if len(text) <= most:
        return text
    end = max(0, int(most))
    places = (text.rfind(sign, max(0, end - 1000), end) for sign in ("\n", " "))
    return text[: next((place for place in places if place > 0), end)]


def _bounded(html: str, most: float = math.inf) -> tuple[str, bool]:
    """HTML whose tags are balanced and not nested too deeply, and whether it is the whole document."""
    parts: list[str] = []
    opened: list[str] = []
    size, is_whole = 0, True

    def write(text: str) -> None:
        nonlocal size
        size += len(text)
        parts.append(text)

    def close(names: Collection[str], barrier: Collection[str]) -> None:
        """Close the innermost of these elements and all in it, unless a barrier comes before it."""
        for place in reversed(range(len(opened))):
            if opened[place] in names:
                parts.extend(f"</{name}>" for name in reversed(opened[place:]))
                del opened[place:]
                return
            if opened[place] in barrier:
                return

    for words, end, name, attributes in _tokens(html):
        is_whole = size + len(words) <= most
        # A < that stays could make a tag of what comes after a tag that is left out.
        write((words if is_whole else _beginning(words, most - size)).replace("<", "&lt;"))
        if not is_whole:
            break
        if end:
            close({name}, {"table"} if name in _TABLE else _TABLE)
        elif name == "img":
            alternative = _kept(attributes, {"alt"}).get("alt")
            write(f"[{alternative}]".replace("<", "&lt;") if alternative else "")
        elif name in KEPT or (name in _DROPPED and not attributes.endswith("/")):  # <svg/> is empty
            if name in _CLOSES:
                close(*_CLOSES[name])
            if len(opened) < _MOST_OPEN and not (name in _FORMATTING and name in opened):
                kept = {} if name in _FORMATTING else _kept(attributes, ATTRIBUTES)
                written = "".join(f' {key}="{value}"' for key, value in kept.items())
                write(f"<{name}{written}>")
                if name not in _EMPTY:
                    opened.append(name)
    parts.extend(f"</{name}>" for name in reversed(opened))
    return "".join(parts), is_whole


def _tokens(html: str) -> Iterator[tuple[str, str, str, str]]:
    """Every tag as the text before it, "/" if it ends an element, its name and its attributes.

    The last one has only text. Comments, and scripts and the like, are tags without a name.
    """
    at = 0
    while (tag := _TOKEN.search(html, at)) is not None:
        words, at = html[at : tag.start()], tag.end()
        name = (tag["name"] or "").lower() if tag["whole"] else ""
        if name in _RAW and not tag["end"]:
            found = _RAW_ENDS[name].search(html, at)
            name, at = "", found.start() if found else len(html)
        yield words, tag["end"] or "", name, tag["attributes"] or ""
    yield html[at:], "", "", ""


def _kept(attributes: str, names: Collection[str]) -> dict[str, str]:
    """The attributes with these names, ready to be put between double quotes."""
    found: dict[str, str] = {}
    for one in _ATTRIBUTES.finditer(attributes):
        key, value = one[1].lower(), one[2] or ""
        if key in names and key not in found:
            quote = value[:1] if value[:1] in ('"', "'") else ""
            found[key] = value.removeprefix(quote).removesuffix(quote).replace('"', "&quot;")
    return found
