"""The documentation site: what Sphinx makes of two pages, and that every page has its place."""

from __future__ import annotations

import re
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest

import rankprism

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site with two pages only: one with pictures, and the one that is made from docstrings."""
    for package in ("sphinx", "furo", "myst_nb"):
        pytest.importorskip(package, reason="the site needs pip install 'rankprism[site]'")
    folder = tmp_path_factory.mktemp("site")
    settings = {
        "root_doc": "start",
        "include_patterns": "start.md,api.md",
        # The other pages are not there. Whether links lead somewhere, test_docs.py says.
        "suppress_warnings": "myst.xref_missing,toc.not_included",
    }
    result = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html"]
        + [f"-D{name}={value}" for name, value in settings.items()]
        + ["-d", str(folder / "doctrees"), str(DOCS), str(folder / "html")],
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    return folder / "html"


def test_two_pages_build_without_a_warning(site: Path) -> None:
    start = (site / "start.html").read_text(encoding="utf-8")
    assert "<h1>Start here" in start
    for picture in re.findall(r'<img [^>]*src="([^"]*)"', start):
        assert (site / picture).exists()
    assert 'href="sample-report.html"' in start
    assert (site / "sample-report.html").exists()


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


def test_docstrings_become_parameters_with_explanations(site: Path) -> None:
    page = (site / "api.html").read_text(encoding="utf-8")
    assert "TypeAliasForwardRef" not in page  # how autodoc writes aliases of types
    for name in ("judgments", "duplicates", "baseline"):  # of evaluate and compare
        assert re.search(rf"<li><p><strong>{name}</strong>( \([^)]*\))? – \w", page)


def test_every_page_has_its_place_in_the_site() -> None:
    """A page that no table of contents names cannot be found, and `make site` fails because of it."""
    trees = re.findall(
        r"^```{toctree}\n(.*?)^```", (DOCS / "index.md").read_text(encoding="utf-8"), re.M | re.S
    )
    named = [line for tree in trees for line in tree.splitlines() if line and not line.startswith(":")]
    pages = [
        path.relative_to(DOCS).with_suffix("").as_posix()
        for path in DOCS.rglob("*")
        if path.suffix in (".md", ".ipynb") and not path.is_relative_to(DOCS / "_ext")
    ]
    lost = [page for page in pages if page != "index" and not any(fnmatch(page, name) for name in named)]
    assert lost == [], "name these pages in docs/index.md"
    assert [name for name in named if not any(fnmatch(page, name) for page in pages)] == []
