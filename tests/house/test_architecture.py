"""Imports point down, as docs/architecture.md shows, and every room of the package has its layer."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest

pytest.importorskip("importlinter")
ROOT = Path(__file__).parents[2]
CONFIGURATION = ROOT / "pyproject.toml"


def linted(configuration: Path) -> subprocess.CompletedProcess[str]:
    # In a process of its own: it changes where modules are looked for, and prints a report.
    code = (
        "import sys\nfrom importlinter.cli import lint_imports\n"
        "sys.exit(lint_imports(config_filename=sys.argv[1], no_cache=True))"
    )
    return subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code, str(configuration)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def layers() -> list[str]:
    contracts = tomllib.loads(CONFIGURATION.read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    found: list[str] = next(contract["layers"] for contract in contracts if contract["id"] == "layers")
    return found


def test_imports_point_down() -> None:
    done = linted(CONFIGURATION)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("upper", "lower", "named"),
    [
        ("evaluation", "formats", "rankprism.evaluation.collection -> rankprism.formats"),
        ("reproduce", "judging", "rankprism.reproduce.toma -> rankprism.judging"),
    ],
)
def test_an_import_that_points_up_is_seen(upper: str, lower: str, named: str, tmp_path: Path) -> None:
    """With two layers changed for each other, what was right is wrong. The second import is in a function."""
    text = CONFIGURATION.read_text(encoding="utf-8")
    turned = text.replace(f'  "{upper}",\n', "", 1)
    turned = turned.replace(f'  "{lower}",\n', f'  "{lower}",\n  "{upper}",\n', 1)
    (tmp_path / "pyproject.toml").write_text(turned, encoding="utf-8")
    done = linted(tmp_path / "pyproject.toml")
    assert done.returncode == 1
    assert named in done.stdout


PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## ([^\n]*)\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S))


def test_the_documentation_has_each_room_once() -> None:
    rooms = [
        name.rstrip("/")
        for cell in re.findall(r"^\| (`.*?) \|", PAGE, re.M)
        for name in re.findall(r"`([\w./]+)`", cell)
    ]
    package = ROOT / "src" / "rankprism"
    there = [path.name for path in package.iterdir() if path.suffix == ".py" and path.name != "__init__.py"]
    there += [path.parent.name for path in package.glob("*/__init__.py")]
    assert sorted(rooms) == sorted(there)


def test_the_sizes_that_the_map_says_are_true() -> None:
    """To a tenth, so that they need not be changed every week."""
    package = ROOT / "src" / "rankprism"
    rooms = " ".join(re.findall(r"^\| (`.*?) \|", SECTIONS["The kernel"], re.M))
    kernel = [package / name for name in re.findall(r"`([\w.]+?)/?`", rooms)]
    python = re.search(r"([\d,]+) lines of Python", PAGE)
    core = re.search(r"([\d,]+) lines of C\+\+", PAGE)
    both = re.search(r"All of it together is ([\d,]+) lines", PAGE)
    below = lines([ROOT / "src" / "core"], ".cpp", ".hpp")
    for said, counted in (
        (python, lines(kernel, ".py")),
        (core, below),
        (both, lines([package], ".py") + below),
    ):
        assert said is not None
        assert int(said[1].replace(",", "")) == pytest.approx(counted, rel=0.1)


def lines(places: Iterable[Path], *endings: str) -> int:
    files = [file for place in places for file in ([place] if place.is_file() else place.rglob("*.*"))]
    return sum(len(file.read_bytes().splitlines()) for file in files if file.suffix in endings)


def test_no_section_of_the_map_is_longer_than_a_screen() -> None:
    assert {name: len(text.splitlines()) for name, text in SECTIONS.items() if text.count("\n") > 25} == {}
    decisions = [text for name, text in SECTIONS.items() if name[0].isdigit()]
    assert len(decisions) == 10
    for text in decisions:
        assert re.findall(r"^\*\*(\w+)(?: \w+)?\b", text, re.M) == ["Decided", "Instead", "Costs", "Where"]


def test_every_file_and_folder_that_the_map_and_its_modules_name_exists() -> None:
    modules = [path for path in (ROOT / "src").rglob("*.py") if "pages" not in path.parts]
    tops = [ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "" for path in modules]
    ending = r"(?:/|\.(?:py|pyi|cpp|hpp|toml|json))"
    named = {*re.findall(rf"`([\w./]+?{ending})`", PAGE)}
    named |= {name for top in tops for name in re.findall(rf"`(\w+/[\w./]*?{ending}|\w+\.[ch]pp)`", top)}
    assert {"measures/tables.py", "formats/", "text.hpp"} <= named
    folders = [ROOT / name for name in ("src", "tests", "docs", "bench", "fuzz", "mutation", "simulations")]
    there = {f"/{path.relative_to(ROOT).as_posix()}" for top in folders for path in (top, *top.rglob("*"))}
    there |= {f"/{path.name}" for path in ROOT.iterdir()}
    assert {
        name for name in named if not any(path.endswith(f"/{name.rstrip('/')}") for path in there)
    } == set()


def test_only_two_modules_of_formats_may_know_measures() -> None:
    contracts = tomllib.loads(CONFIGURATION.read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    kept = next(contract["source_modules"] for contract in contracts if contract["id"] == "formats")
    rooms = (ROOT / "src" / "rankprism" / "formats").iterdir()
    found = {path.stem for path in rooms if not path.name.startswith("_")}
    assert found - {name.rpartition(".")[2] for name in kept} == {"scores", "measure_files"}
