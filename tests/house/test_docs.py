"""Every command and every output in README and docs is what really happens."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import warm
from tests.support.machine import posix

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "docs" / "_ext"))
import tables  # noqa: E402

PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
]


@posix
@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_a_page_shows_what_its_commands_and_examples_print(
    page: Path, commands: Path, tmp_path: Path
) -> None:
    if page.name == "python-libraries.md" and sys.version_info >= (3, 14):
        pytest.skip("ir_measures 0.4.3 cannot parse the name of a measure on Python 3.14")
    if page.name in ("coming-from.md", "python-libraries.md"):
        for package in re.findall(r"^>>> import (\w+)", page.read_text(encoding="utf-8"), re.M):
            pytest.importorskip(package)
    result = refreshed(page, tmp_path, commands)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == page.read_text(encoding="utf-8")
    for drawn in tmp_path.iterdir():
        assert words(drawn) == words(ROOT / "docs" / "images" / drawn.name), "`make docs` draws it again"


def refreshed(page: Path, pictures: Path, commands: Path) -> subprocess.CompletedProcess[str]:
    """The page as it would be written now. Its commands start as fast as those of other tests.

    It is written by a process of its own: pages define measures, and a name can be taken only once.
    """
    code = "import refresh; from sys import argv; from pathlib import Path; "
    code += "print(refresh.refreshed(*map(Path, argv[1:])), end='')"
    program = [str(commands / "refresh")] if warm.POSSIBLE else [sys.executable, "-X", "utf8", "-c", code]
    return subprocess.run(
        [*program, str(page), str(pictures)],
        cwd=ROOT / "docs",
        env=os.environ | {"NUMBA_DISABLE_JIT": "1", "RANKPRISM_PROGRAMS": str(commands)},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )


@posix
def test_a_command_with_strange_words_on_standard_error_gets_on_no_page(
    commands: Path, tmp_path: Path
) -> None:
    page = tmp_path / "page.md"
    page.write_text("```console\n$ echo 'note: fine' >&2\n$ echo 'nanobind: leaked!' >&2\n```\n")
    result = refreshed(page, tmp_path, commands)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.splitlines()[-1] == "nanobind: leaked!"
    assert "note: fine" not in result.stderr


def words(picture: Path) -> list[str]:
    """What is written in a picture. Where exactly a line is drawn may differ between versions of Vega."""
    return re.findall(r"<text\b[^>]*>(.*?)</text>", picture.read_text(encoding="utf-8"))


def test_no_file_holds_two_versions_of_a_text() -> None:
    """What a merge leaves where both sides changed the same lines. Neither Markdown nor pip refuses it."""
    folders = ("bench", "docs", "fuzz", "mutation", "simulations", "src", "tests")
    texts = [path for folder in folders for path in (ROOT / folder).rglob("*")]
    texts += [path for path in ROOT.iterdir() if path.is_file()]
    kinds = (".md", ".txt", ".py", ".toml", ".cpp", ".hpp", ".html", ".js", ".css", ".cff", "")
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in texts
        if path.is_file() and path.suffix in kinds
        for number, line in enumerate(path.read_bytes().splitlines(), 1)
        if line.startswith((b"<" * 7 + b" ", b">" * 7 + b" "))
    ]
    assert found == []


#: Pages whose numbers come from collections that are not in the repository.
REPRODUCTION = sorted((ROOT / "docs" / "reproduction").glob("*.md"))


@pytest.mark.parametrize("page", [*PAGES, *REPRODUCTION, ROOT / "CONTRIBUTING.md"], ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link, anchor in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)\)", page.read_text(encoding="utf-8")):
        if link.startswith("https://") or (link == "sample-report.html" and page.name != "README.md"):
            continue  # the report of the sample is made with the site: see test_site.py
        target = page.parent / link if link else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), f"{link}#{anchor}"


def anchors(page: Path) -> set[str]:
    """What GitHub and the site make of the headings of a page, to link to."""
    headings = re.findall(r"^#+ (.*)$", tables.with_tables(page.read_text(encoding="utf-8")), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_what_a_program_can_write_is_made_with_the_site_and_not_stored() -> None:
    named = [
        name
        for page in PAGES
        for name in re.findall(r"^<!-- all (.*) -->$", page.read_text(encoding="utf-8"), re.M)
    ]
    assert sorted(named) == sorted(tables.TABLES)
    measures = tables.with_tables((ROOT / "docs" / "measures.md").read_text(encoding="utf-8"))
    assert "| [alpha_nDCG](#alpha_ndcg) |" in measures
    assert "### alpha_nDCG\n" in measures
    for page in PAGES:
        assert "<!-- all" not in tables.with_tables(page.read_text(encoding="utf-8")), page


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) < 120


def test_every_make_target_named_exists() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for page in [*PAGES, ROOT / "CONTRIBUTING.md"]:
        for target in re.findall(r"`make (\w+)`|^make (\w+)", page.read_text(encoding="utf-8"), re.M):
            name = target[0] or target[1]
            assert re.search(rf"^{name}:", makefile, re.M), name
