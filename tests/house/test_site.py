"""The documentation site: what Sphinx makes of the pages, and that each has its place and fits the screen."""

from __future__ import annotations

import inspect
import json
import pkgutil
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import rankprism
from rankprism import read_judgments, read_preferences, sample, types
from rankprism.showing.plots import CHARTS
from rankprism.showing.report import default_measures

DOCS = Path(__file__).parents[2] / "docs"
sys.path.append(str(DOCS / "_ext"))
import api  # noqa: E402

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole site, as `make site` builds it."""
    for package in ("sphinx", "furo", "myst_nb", "sphinx_copybutton"):
        pytest.importorskip(package, reason="the site needs pip install --group site")
    folder = tmp_path_factory.mktemp("site")
    program = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html"]
    result = subprocess.run(
        [*program, "-d", str(folder / "doctrees"), str(DOCS), str(folder / "html")],
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    return folder / "html"


def test_the_site_builds_without_a_warning(site: Path) -> None:
    start = (site / "start.html").read_text(encoding="utf-8")
    assert "<h1>Start here" in start
    for picture in re.findall(r'<img [^>]*src="([^"]*)"', start):
        assert (site / picture).exists()
    assert 'href="sample-report.html"' in start


def test_the_report_of_the_sample_is_made_with_the_site(site: Path) -> None:
    text = (site / "sample-report.html").read_text(encoding="utf-8")
    data = json.loads(re.findall(r'<script type="application/json" id="data">(.*)</script>', text)[0])
    assert data["runs"] == [path.stem for path in sample.RUNS]
    assert data["rankings"]["depth"] == 10
    suited = default_measures(read_judgments(sample.QRELS), read_preferences(sample.PREFERENCES))
    assert [measure["name"] for measure in data["measures"]] == list(suited)


def test_a_page_has_the_logo_and_the_icon(site: Path) -> None:
    start = (site / "start.html").read_text(encoding="utf-8")
    logo = (DOCS / "_static" / "logo.svg").read_text(encoding="utf-8")
    [icon] = re.findall(r'<link rel="shortcut icon" href="([^"?]*)', start)
    [brand] = re.findall(r'<img class="sidebar-logo" src="([^"?]*)', start)
    web_app = DOCS.parent / "src" / "rankprism" / "judging" / "assess" / "static" / "icon.svg"
    assert all(path.read_text(encoding="utf-8") == logo for path in (site / icon, site / brand, web_app))


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """The site on a server, because a browser copies nothing for a page that is a file."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_what_is_copied_are_commands_without_prompts_and_outputs(address: str, browser: Browser) -> None:
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(f"{address}/start.html")
    copied = []
    for block in page.locator(".highlight").all():
        block.hover()
        block.locator("button.copybtn").click()
        copied.append(page.evaluate("navigator.clipboard.readText()").splitlines())
    context.close()
    text = (DOCS / "start.md").read_text(encoding="utf-8")
    written = []
    for kind, block in re.findall(r"^```(\w+)\n(.*?)^```$", text, re.M | re.S):
        wanted = {"console": r"^\$ ((?:.*\\\n)*.*)$", "pycon": r"^(?:>>>|\.\.\.) (.*)$", "sh": r"^(.*)$"}[
            kind
        ]
        written.append("\n".join(re.findall(wanted, block.rstrip(), re.M)).splitlines())
    assert copied == written
    assert copied[0][:2] == ["rankprism demo --save sample", "grep jaguar-54 sample/qrels.txt"]


#: The right end of each command and of its block, in pixels. What a command prints is in elements of its own.
COMMANDS = """() => [...document.querySelectorAll('.highlight-console pre, .highlight-sh pre')]
  .flatMap(block => {
    const ends = [], walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
    for (let text = walker.nextNode(); text; text = walker.nextNode()) {
      if (text.parentElement.closest('.go') || !text.data.trim()) continue;
      const range = document.createRange();
      range.selectNodeContents(text);
      for (const line of range.getClientRects()) ends.push([line.right, block.getBoundingClientRect().right]);
    }
    return ends;
  })"""


@pytest.mark.parametrize("width", [360, 1440])
def test_no_command_is_cut_off(site: Path, browser: Browser, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto((site / "start.html").as_uri())
    ends = page.evaluate(COMMANDS)
    assert len(ends) > 10
    assert [(end, block) for end, block in ends if end > block] == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.close()


@pytest.mark.parametrize(("name", "tallest"), [("start", 12_000), ("measures", 25_000), ("api", 25_000)])
def test_no_page_is_endless_on_a_phone(name: str, tallest: int, site: Path, browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 360, "height": 800})
    page.goto((site / f"{name}.html").as_uri())
    assert page.evaluate("document.documentElement.scrollHeight") < tallest
    page.close()


#: Elements beyond the right edge that cannot be scrolled into view. The table of contents waits there.
CUT_OFF = """() => [...document.querySelectorAll('body *')].filter(one => {
    if (one.getBoundingClientRect().right <= innerWidth + 1 || one.closest('.toc-drawer')) return false;
    if (!one.checkVisibility({visibilityProperty: true, opacityProperty: true})) return false;
    for (let box = one.parentElement; box !== document.body; box = box.parentElement)
      if (/auto|scroll/.test(getComputedStyle(box).overflowX)) return false;
    return true;
  }).map(one => `${innerWidth} px: <${one.tagName} class="${one.className}">`)"""


def test_no_page_is_wider_than_the_window_or_has_an_error(address: str, site: Path, browser: Browser) -> None:
    names = [
        path.relative_to(site).as_posix() for path in site.rglob("*.html") if "_static" not in path.parts
    ]
    assert len(names) > 40
    page = browser.new_page()
    found: list[str] = []
    page.on("console", lambda message: found.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: found.append(str(error)))
    for name in names:
        page.set_viewport_size({"width": 1440, "height": 900})
        page.goto(f"{address}/{name}")
        for width in (1440, 768, 360):
            page.set_viewport_size({"width": width, "height": 900})
            found += page.evaluate(CUT_OFF)
            if page.evaluate("document.documentElement.scrollWidth") > width:
                found.append(f"{width} px: the page scrolls sideways")
        assert found == [], name
    page.close()


def test_measures_can_be_filtered_and_a_link_opens_one(site: Path, browser: Browser) -> None:
    page = browser.new_page()
    page.goto((site / "measures.html").as_uri() + "#err_ia")
    assert page.locator("section#err-ia table").is_visible()
    assert page.locator("section#err-ia h3").bounding_box()["y"] < 400  # type: ignore[index]
    assert not page.locator("section#nrbp table").is_visible()
    assert page.locator("section#nrbp > p").first.is_visible()
    page.locator("section#nrbp button.unfold").click()
    assert page.locator("section#nrbp table").is_visible()
    page.get_by_label("Show only what contains").fill("harmonic mean of precision")
    shown = page.locator("section#measures > section > section:visible h3").all_inner_texts()
    assert [name.rstrip("¶#") for name in shown] == ["F1"]
    assert page.get_by_role("heading", level=2).locator("visible=true").count() == 1
    page.goto((site / "api.html").as_uri())
    page.get_by_label("Show only what contains").fill("topic_set_size")
    assert page.locator("dl.py:visible dt").first.inner_text().startswith("topic_set_size(")
    page.close()


def test_a_page_loads_nothing_from_elsewhere(site: Path) -> None:
    """A link may lead elsewhere. Scripts, style sheets, fonts and pictures may not come from there."""
    loads = re.compile(
        r"""<(?:script|img|iframe|source|embed|object|video|audio)\b[^>]*\b(?:src|data|srcset)\s*=\s*["']?\s*(?:https?:)?//"""
        r"""|<link\b(?=[^>]*rel=["']?(?:stylesheet|preload|preconnect|icon|modulepreload))[^>]*href=["']?(?:https?:)?//"""
        r"""|@import\s+(?:url\()?["']?(?:https?:)?//|url\(\s*["']?(?:https?:)?//|(?:fetch|import)\(\s*["'](?:https?:)?//""",
        re.I,
    )
    assert loads.search('<script src="https://cdn.example.org/a.js">')
    assert loads.search("@font-face { src: url(//fonts.example.org/a.woff2) }")
    found = {
        f"{path.name}: {match[0]}"
        for path in site.rglob("*")
        if path.suffix in (".html", ".css", ".js")
        for match in loads.finditer(path.read_text(encoding="utf-8"))
    }
    assert found == set()


def test_the_api_page_has_every_public_function_and_class(site: Path) -> None:
    page = (site / "api.html").read_text(encoding="utf-8")
    described = {name.rpartition(".")[2] for name in re.findall(r'<dt [^>]*id="(rankprism[\w.]*)"', page)}
    public = {name for name in rankprism.__all__ if callable(getattr(rankprism, name))}
    assert public - described == set()


def test_every_name_of_the_api_page_is_marked_as_stable_or_provisional(site: Path) -> None:
    page = (site / "api.html").read_text(encoding="utf-8")
    entry = r'<dt [^>]*id="(rankprism[\w.]*)"(?:(?!<dt ).)*?<dd><p><em>(\w+)</em></p>'
    marks = dict(re.findall(entry, page, re.S))
    names = [word for modules in api.API.values() for words in modules.values() for word in words.split()]
    assert len(marks) == len(names)
    assert {*marks.values()} == {"stable", "provisional"}
    for name in ("evaluate", "explain", "read_run", "Scores", "comparison.compare", "results.result.Result"):
        assert marks[f"rankprism.{name}"] == "stable"
    for name in ("judges.agree", "Hits", "report.Report"):
        assert marks[f"rankprism.{name}"] == "provisional"


def test_the_mark_names_what_there_is_and_help_shows_it() -> None:
    assert {*rankprism.PROVISIONAL} <= {*rankprism.__all__, "spark"}
    assert "stable: Collection, Hits, Pool, aspects" in (rankprism.__doc__ or "")


def test_docstrings_become_parameters_with_explanations(site: Path) -> None:
    page = (site / "api.html").read_text(encoding="utf-8")
    assert "TypeAliasForwardRef" not in page  # how autodoc writes aliases of types
    for name in ("judgments", "duplicates", "baseline"):  # of evaluate and compare
        assert re.search(rf"<li><p><strong>{name}</strong>( \([^)]*\))? – \w", page)


def public() -> Iterator[tuple[str, Callable[..., Any]]]:
    """The functions of the API page, the methods of its classes, and the charts."""
    module = ""
    for kind, name in re.findall(r"\.\. (\w+):: (\S+)", api.page()):
        if kind == "currentmodule":
            module = name
            continue
        value = pkgutil.resolve_name(name if name.startswith("rankprism.") else f"{module}.{name}")
        yield name, value
        if kind == "autoclass":
            methods = inspect.getmembers(value, inspect.isroutine)
            yield from ((f"{name}.{method}", own) for method, own in methods if not method.startswith("_"))
    yield from ((name, chart.function) for name, chart in CHARTS.items())


def test_docstrings_explain_parameters_that_exist_in_the_form_of_numpydoc() -> None:
    described = 0
    for name, value in public():
        text = inspect.getdoc(value) or ""
        assert not re.search(r"^[*\w, ]+ : \S", text, re.M), name
        section = re.search(r"^Parameters\n----------\n(.*?)(?=\n\n\S|\Z)", text, re.M | re.S)
        if section:
            lines = re.findall(r"^\S.*", section[1], re.M)
            names = {one.lstrip("*") for line in lines for one in line.split(", ")}
            parameters = inspect.signature(value).parameters
            others = [re.fullmatch(r"Unpack\[(\w+)\]", str(one.annotation)) for one in parameters.values()]
            taken = [getattr(types, one[1]) for one in others if one and hasattr(types, one[1])]
            assert names <= {*parameters, *(key for one in taken for key in one.__annotations__)}, name
            described += 1
    assert described > 50


#: Pages that no command makes clearer.
WITHOUT_EXAMPLE = ("architecture.md", "conventions.md")


def contents(page: Path) -> list[str]:
    """The pages below a page, as its table of contents names them."""
    trees = re.findall(r"^```{toctree}\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    return [line for tree in trees for line in tree.splitlines() if line and not line.startswith(":")]


def test_every_page_has_its_place_in_the_site() -> None:
    """A page that no table of contents names cannot be found, and `make site` fails because of it."""
    doors = [DOCS / "index.md", *(DOCS / f"{name}.md" for name in contents(DOCS / "index.md"))]
    named = [name for door in doors for name in contents(door)]
    pages = [
        path.relative_to(DOCS).with_suffix("").as_posix()
        for path in DOCS.rglob("*")
        if path.suffix in (".md", ".ipynb") and not path.is_relative_to(DOCS / "_ext")
    ]
    assert sorted({*pages} - {"index"}) == sorted(named), "each page is named once, by one of the eight doors"
    assert len(contents(DOCS / "index.md")) == 8


def test_a_door_says_in_a_sentence_what_each_of_its_pages_is_for() -> None:
    for name in contents(DOCS / "index.md"):
        text = (DOCS / f"{name}.md").read_text(encoding="utf-8")
        linked = re.findall(r"^- \[[^\]]+\]\(([\w/-]+)\.(?:md|ipynb)\): .{20,}", text, re.M)
        assert [page for page in linked if page in contents(DOCS / f"{name}.md")] == contents(
            DOCS / f"{name}.md"
        )


def test_a_page_is_at_most_400_lines_and_begins_with_an_example() -> None:
    begins = ("```console", "```pycon", "```python", "```sh", "```text", "```\n", "<!-- all")
    for page in DOCS.glob("*.md"):
        lines = page.read_text(encoding="utf-8").splitlines()
        assert len(lines) <= 400, page.name
        first = "\n".join(lines[:30]) + "\n"
        assert page.name in WITHOUT_EXAMPLE or any(f"\n{begin}" in first for begin in begins), page.name
