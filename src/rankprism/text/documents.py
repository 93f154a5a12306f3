"""Turns documents into harmless HTML.

A document may come from anywhere and contain anything. nh3 decides what is safe: it parses HTML as browsers
do and keeps the elements that structure text, without links, so that there is nothing to click on.

The rules of HTML make a parser search the open elements at every tag, so its time grows with the square of
the nesting: nh3 needs 13 seconds for 60,000 nested ``<div>``. `_bounded` therefore reads the text first, in
time proportional to its length. It writes each tag in its plainest form and leaves out tags that are nested
too deeply. nh3 still has to accept whatever it lets through.

An empty `sandbox` would also give the document an origin of its own. We tried that first, and it makes a
wall for readers, too: our script does not hear the keys that are pressed after a click into the document,
and in Chromium 156 Tab skips the frame, so that nobody can scroll it without a mouse. With
`allow-same-origin`, keys work everywhere in Chromium 156 and Firefox 153.

The origin matters only to scripts, and the document can run none: `allow-scripts` is missing from the
sandbox, and the policy has `default-src 'none'`. The two together would be no sandbox at all, so a test
insists that it is never there. What else a document could try with our origin is blocked as well:
requests by the policy, forms by both, links to our own pages by `frame-ancestors 'none'`, and everything
on them that changes anything needs a POST with a token. Our script takes nothing from a document but the
key that was pressed.

The tests try it in the windows of both browsers, with keys and clicks that come from the display: a
hundred attacks, each in a frame of its own and not cleaned, and a document full of links, buttons and
fields, on each of which a person presses Enter. The alternative was to put cleaned documents into the
page itself, without a frame. Then one fault of the cleaner would be enough for an attack, and the styles
of page and document would have to be kept apart.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator
from html import escape, unescape
from importlib.metadata import version

import nh3
from markdown_it import MarkdownIt

#: Number of characters of a document that are shown. In HTML, start tags count; scripts and comments do not.
MOST = 200_000
#: Version of the cleaning rules. Text that another version cleaned is cleaned again, so increase the number
#: whenever the rules in this module change.
CLEANER = f"1, nh3 {version('nh3')}, markdown-it-py {version('markdown-it-py')}"

_CUT = "<hr><p><em>This document is longer. Only its first {:,} characters are shown.</em></p>"
_MOST_OPEN = 200  # elements open at the same time


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


KEPT = _names(
    "a abbr article aside b bdi bdo blockquote br caption center cite code col colgroup dd del details dfn "
    "div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i ins kbd li main mark nav ol p pre q "
    "rp rt ruby s samp section small span strike strong sub summary sup table tbody td tfoot th thead time "
    "tr tt u ul var wbr"
)
ATTRIBUTES = _names("colspan rowspan dir lang title span start reversed abbr datetime")
_DROPPED = _names("script style template iframe svg math title select textarea")  # with all their content
_RAW = _names("script style iframe title textarea")  # elements that only their own end tag can end
_EMPTY = _names("br col hr wbr")
# Until these are closed, a parser reopens them, with their attributes, in every later paragraph. If thousands
# could be open, ten kilobytes would become millions of elements. So only one of each may be open, without
# attributes.
_FORMATTING = _names("a b code em i s small strike strong tt u")
_TABLE = _names("table caption colgroup tbody td tfoot th thead tr")
#: The elements that a start tag closes, unless one of the second set is open in between.
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

# What browsers accept as an attribute, a tag and a comment. Quotes may contain a >, and a tag or comment that
# is not closed extends to the end of the text. The patterns never backtrack, so the time is proportional to
# the length.
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


def cleaned(text: str, type: str, most: int = MOST) -> str:
    """Return a document's text as harmless HTML; `type` is text, markdown or html.

    A long document is cut after `most` characters, and a sentence at its end says so.

    >>> cleaned("<p onclick='alert(1)'>Hello <script>alert(2)</script><a href='//x.org'>you</a>", "html")
    '<p>Hello <a>you</a></p>'
    """
    html, is_whole = _harmless(text, type, most)
    return html if is_whole else html + _CUT.format(most)


def plain(text: str, type: str, most: int = MOST) -> str:
    """Return the words of a document's first `most` characters in one line, without markup.

    >>> plain("<ul><li>Cats<li>&lt;Dogs</ul><script>no</script>", "html")
    'Cats <Dogs'
    """
    # A tag separates words, as in a list or a table.
    words = re.sub(r'<(?:"[^"]*"|[^>"])*>', " ", _harmless(text, type, most)[0])
    return " ".join(unescape(words).split())


def _harmless(text: str, type: str, most: int) -> tuple[str, bool]:
    """A document's beginning as HTML, and whether this is the whole document."""
    if type == "html":
        html, is_whole = _bounded(text, most)
        return _CLEANER.clean(html), is_whole
    start, is_whole = _beginning(text, most), len(text) <= most
    if type == "markdown":
        return _CLEANER.clean(_bounded(_MARKDOWN.render(start))[0]), is_whole
    return f'<div class="plain">{escape(start)}</div>', is_whole


def is_cut(cleaned: str) -> bool:
    """Whether a cleaned document shows only the beginning of its text."""
    return cleaned.endswith(_CUT.format(MOST))


def _beginning(text: str, most: float) -> str:
    """Return the text if it is short enough, or else its beginning up to the end of a line or a word."""
    if len(text) <= most:
        return text
    end = max(0, int(most))
    places = (text.rfind(sign, max(0, end - 1000), end) for sign in ("\n", " "))
    return text[: next((place for place in places if place > 0), end)]


def _bounded(html: str, most: float = math.inf) -> tuple[str, bool]:
    """Balance the tags and limit their nesting. Also return whether the result is the whole document."""
    parts: list[str] = []
    opened: list[str] = []
    size, is_whole = 0, True

    def write(text: str) -> None:
        nonlocal size
        size += len(text)
        parts.append(text)

    def close(names: Collection[str], barrier: Collection[str]) -> None:
        """Close the innermost of these elements and everything in it, unless a barrier is further in."""
        for place in reversed(range(len(opened))):
            if opened[place] in names:
                parts.extend(f"</{name}>" for name in reversed(opened[place:]))
                del opened[place:]
                return
            if opened[place] in barrier:
                return

    for words, end, name, attributes in _tokens(html):
        is_whole = size + len(words) <= most
        # A < that is kept could form a tag with the text after a tag that is left out.
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
    """Yield for each tag the text before it, "/" if it is an end tag, its name and its attributes.

    The last item has only text. Comments, scripts and the like are tags without a name.
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
    """The attributes with these names, escaped for double quotes."""
    found: dict[str, str] = {}
    for one in _ATTRIBUTES.finditer(attributes):
        key, value = one[1].lower(), one[2] or ""
        if key in names and key not in found:
            quote = value[:1] if value[:1] in ('"', "'") else ""
            found[key] = value.removeprefix(quote).removesuffix(quote).replace('"', "&quot;")
    return found
