"""Documents become harmless HTML, in a time that is proportional to their length."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from html import unescape
from html.parser import HTMLParser
from importlib.metadata import version

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankprism.text import documents
from rankprism.text.documents import MOST, cleaned
from tests.support.attacks import VECTORS


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>a<b>b</p>c", "<p>a<b>b</b></p>c"),
        ("<a href='https://x.org' ping='https://y.org'>x</a>", "<a>x</a>"),
        ("<meta http-equiv=refresh content='0;url=//x.org'>x", "x"),
        ("<link rel=dns-prefetch href=//x.org>x", "x"),
        ("<form action=//x.org><input name=q><button>go</button></form>", "go"),
        ("<img src=//x.org/p.png alt='a map'>", "[a map]"),
        ("<img alt='<b>&quot;1 < 2&quot;'>", '[&lt;b&gt;"1 &lt; 2"]'),
        ("<iframe src=//x.org>in</iframe>out", "out"),
        ("<style>@import '//x.org'</style>x", "x"),
        ("<base href=//x.org>x", "x"),
        ("<p style='background:url(//x.org)' class=x id=y>x</p>", "<p>x</p>"),
        ("<svg><script>1</script></svg>x", "x"),
        ("<svg/>x<math/>y", "xy"),
        ("<noscript><p>x</noscript>", "<p>x</p>"),
        ("<scr<script>ipt>alert(1)</script>", "ipt&gt;alert(1)"),
        ("<<x>script>alert(1)<<x>/script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("a<!-- <p> -->b &lt;script&gt; &amp;", "ab &lt;script&gt; &amp;"),
        ("a<!--> b <!-- c --!> d <! e > f <? g > h </ i > j", "a b  d  f  h  j"),
        ("a < b && b > c", "a &lt; b &amp;&amp; b &gt; c"),
        (
            "<table><tr><td colspan=2 onclick=x>1</table>",
            '<table><tbody><tr><td colspan="2">1</td></tr></tbody></table>',
        ),
        ("<p TITLE = x title=y lang>z", '<p title="x" lang="">z</p>'),
        ("<P>a<BR/>b</P >", "<p>a<br>b</p>"),
        ("</div></body>x", "x"),
        ("x<p title='never closed", "x"),
        ("\0a<p\0>b</p\0>", "ab"),
    ],
)
def test_html_keeps_its_structure_and_nothing_else(html: str, expected: str) -> None:
    assert cleaned(html, "html") == expected


def test_an_attribute_in_quotes_may_hold_anything() -> None:
    found = cleaned("<p title='a > <i> \"b\"'>x", "html")
    assert unescape(found) == '<p title="a > <i> "b"">x</p>'  # versions of nh3 escape it differently
    assert "&quot;b&quot;" in found


def test_elements_without_end_tags_are_not_nested() -> None:
    """As HTML has it: the next item, paragraph or cell ends the one before, however many there are."""
    many = 3 * documents._MOST_OPEN
    assert cleaned("<p>a" * many, "html") == "<p>a</p>" * many
    assert cleaned("<ul>" + "<li>a<p>b" * many, "html").count("<li>a<p>b</p></li>") == many
    assert cleaned("<table>" + "<tr><td>a<td>b" * many, "html").count("<tr><td>a</td><td>b</td></tr>") == many
    assert cleaned("<dl>" + "<dt>a<dd><i>b" * many, "html").count("<dt>a</dt><dd><i>b</i></dd>") == many


def test_an_end_tag_in_a_cell_ends_nothing_outside_the_table() -> None:
    table = "<div><table><tr><td>a</div></b>b</td><td>c</td></tr></table>d</div>"
    expected = "<div><table><tbody><tr><td>ab</td><td>c</td></tr></tbody></table>d</div>"
    assert cleaned(table, "html") == expected


def test_lists_in_lists_and_tables_in_tables_stay_nested() -> None:
    nested = "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>"
    assert cleaned(nested, "html") == nested
    inner = "<table><tbody><tr><td>{}</td></tr></tbody></table>"
    assert cleaned(inner.format(inner.format("x")), "html") == inner.format(inner.format("x"))


def test_markdown_and_text_become_harmless_html() -> None:
    assert cleaned("# A\n\n*b* <i>c</i> [d](javascript:alert(1))", "markdown").startswith("<h1>A</h1>")
    assert "<i>" not in cleaned("*b* <i>c</i>", "markdown")
    assert cleaned("[d](https://x.org) ![e](f.png)", "markdown") == "<p><a>d</a> [e]</p>\n"
    assert cleaned("<b>\n", "text") == '<div class="plain">&lt;b&gt;\n</div>'


class _Checker(HTMLParser):
    """Fails where anything else than what is kept is left."""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        assert tag in documents.KEPT
        assert {name for name, _ in attributes} <= documents.ATTRIBUTES


PIECES = [
    "<p>",
    "</p>",
    "<script>",
    "</script>",
    "<",
    ">",
    "&",
    "<!--",
    "-->",
    '"',
    "<b x='",
    "</b",
    "x",
    "<![CDATA[",
    "<svg>",
    "</svg>",
    "<math>",
    "<style>",
    "<template>",
    "<title>",
    "</title>",
    "<table>",
    "<td>",
    "<select>",
    "<noscript>",
    "<a href=x>",
    "<img alt='",
    "/>",
    "\x00",
]


@given(st.text(max_size=200) | st.lists(st.sampled_from(PIECES)).map("".join))
def test_no_html_leaves_anything_that_runs(html: str) -> None:
    once = cleaned(html, "html")
    _Checker().feed(once)
    _Checker().feed(cleaned(html, "markdown"))
    assert documents._CLEANER.clean(once) == once  # a second parser would see the same


@pytest.mark.parametrize("vector", VECTORS)
@pytest.mark.parametrize("type", ["html", "markdown", "text"])
def test_an_attack_leaves_only_what_is_kept(vector: str, type: str) -> None:
    html = cleaned(vector, type).replace('<div class="plain">', "<div>")
    _Checker().feed(html)
    if type != "text":  # a second parser sees the same, so nothing becomes a tag that was none
        assert documents._CLEANER.clean(html) == html


#: The SHA-256 of what our rules make of the attacks, by the number in `CLEANER`.
RULES = {"1": "1e17e2cef69b764e4c5cceb796f6c90bcadb4944a62eebc2802981970c04b22d"}


def test_new_rules_have_a_new_number() -> None:
    """Otherwise studies keep what the old rules have made. After a change, add a number and its hash."""
    names = [sorted(names) for names in (documents.KEPT, documents.ATTRIBUTES, documents._DROPPED)]
    made = [documents._bounded(vector) for vector in VECTORS]
    rules = repr((names, made, documents.MOST, documents._MOST_OPEN, cleaned("x", "text"))).encode()
    number, *libraries = documents.CLEANER.split(", ")
    assert {number: hashlib.sha256(rules).hexdigest()}.items() <= RULES.items()
    assert libraries == [f"{name} {version(name)}" for name in ("nh3", "markdown-it-py")]


# ── any document ends, and soon ──────────────────────────────────────────────────────────────────


def test_a_long_document_is_cut_at_a_line_or_a_word_and_says_so() -> None:
    said = f"Only its first {MOST:,} characters are shown."
    line = "word " * 19 + "word\n"  # 100 characters
    for type in ("text", "markdown", "html"):
        assert said not in cleaned(line * (MOST // 100), type), type
        found = cleaned(line * (MOST // 100) + "the rest", type)
        assert said in found, type
        assert "the rest" not in found
        assert found.count("word") == 20 * (MOST // 100), type
    assert "woord</div>" in cleaned("woord " * MOST, "text")
    whole = "x" * (MOST - 4) + "<p>y</p>"  # start tags count
    assert said not in cleaned(whole, "html")
    assert said in cleaned("x" + whole, "html")


def test_scripts_do_not_count_as_text() -> None:
    page = f"<script>{'x' * 2 * MOST}</script><!-- {'x' * MOST} --><p style='{'x' * MOST}'>seen"
    assert cleaned(page, "html") == "<p>seen</p>"


def test_deep_nesting_loses_tags_and_no_text() -> None:
    found = cleaned("<div>" * 100_000 + "here" + "</div>" * 100_000 + "<p>there</p>", "html")
    assert found.count("<div>") == documents._MOST_OPEN
    assert "here" in found
    assert "there" in found


def test_formatting_is_not_multiplied() -> None:
    """Parsers open what formats text again in each paragraph: 1,600 by 1,600 would become 18 megabytes."""
    html = "<p>" + "".join(f"<b title={i}>" for i in range(1600)) + "<p>x" * 1600
    assert len(cleaned(html, "html")) < 3 * len(html)
    every = "<p><sub>" + "".join(f"<{name}>" for name in sorted(documents._FORMATTING)) + "<p>x" * 5000
    assert len(cleaned(every, "html")) < 50 * len(every)


#: What a parser may need the square of its length for, written often enough to make 400,000 characters.
UNITS = [
    "<a ",
    "<a>",
    "<div>",
    "<b><p>",
    "<ul><li>",
    "<a><div>",
    "<b><div></b>",
    "<table>x",
    "<table><td>",
    "<svg>",
    "<template>",
    "<select>",
    "</p>",
    "<!--",
    "<",
    "&",
    "<a b='",
    "<a =",
    "<script>",
    "<title>x",
    "<x ",
    "<img alt='",
    "<span><li>",
    "<i><b></i>",
    "<ruby><rt>",
    "<p title=x ",
    "<math><a>",
]
MARKS = [
    "[",
    "![",
    "*a ",
    "**a _b ",
    "_a__b",
    "`` a ",
    "[a][",
    "> x\n",
    "- x\n",
    "[a]: x\n",
    "|a",
    "[a](<b",
    "a*_",
]


def test_no_document_takes_long() -> None:
    """In a process that the system ends after a minute of work, which is ten times what it needs. nh3 alone
    would need more than that for the lists in lists and the links in links."""
    pytest.importorskip("resource", reason="limits of time are a thing of Unix")
    code = (
        "import json, resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_CPU, (60, 60))\n"
        "from rankprism.text.documents import cleaned\n"
        "for unit, type, size in json.load(sys.stdin):\n"
        "    cleaned(unit * (size // len(unit)), type)\n"
        "print('done')"
    )
    texts = [(unit, "html", 400_000) for unit in UNITS] + [(mark, "markdown", 50_000) for mark in MARKS]
    texts += [("<p a='1' b>" + " b" * 1000, "html", 400_000), ("Some words of a text.\n", "html", 10_000_000)]
    done = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps(texts), capture_output=True, text=True
    )
    assert done.stdout == "done\n", done.stderr
