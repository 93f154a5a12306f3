"""Parts of the package that could be distributions of their own can be moved out, and work from there.

pyproject.toml names all that belongs to a product. A test moves it out of a copy of the package, as `git mv`
would, writes the new names wherever the old ones were, and imports every module from its new place. What the
house itself still names afterwards is a tie: nothing below a product may have one. The tests of the products
that are programs on their own are run on the moved copy.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import rankprism

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PRODUCTS = PROJECT["tool"]["rankprism"]["products"]
#: What tests need besides: their settings, helpers and fixtures.
SHARED = ("pyproject.toml", "tests/support", "tests/__init__.py", "tests/conftest.py", "tests/durations.json")


class Moved:
    """A product beside a copy of the package without it, in the folder `place`."""

    def __init__(self, name: str, place: Path) -> None:
        self.product, self.place = PRODUCTS[name], place
        house = place / "rankprism"
        shutil.copytree(Path(rankprism.__file__).parent, house, ignore=shutil.ignore_patterns("__pycache__"))
        self.names: dict[str, str] = {}  #: of modules and rooms: before and after
        first = ""
        for room in self.product["rooms"]:
            old, new = dotted(room), f"rankprism_{Path(room).stem}"
            first = first or new
            self._move(house / room, place / f"{new}{Path(room).suffix}", old, new)
            self.names.setdefault(f"rankprism.{Path(room).stem}", new)  # as people import it
        for kind in ("commands", "charts"):
            for path in self.product[kind]:
                self._move(house / path, place / first / f"{kind}.py", dotted(path), f"{first}.{kind}")
        for path in (*self.product["tests"], *SHARED, "tests/peers/__init__.py"):
            if not (place / path).exists():
                copied = shutil.copytree if (ROOT / path).is_dir() else shutil.copy
                copied(ROOT / path, _made(place / path))
        #: Files of the house that had to be changed, with names that are used at run time
        self.ties = {
            path.relative_to(house).as_posix()
            for path in [*house.rglob("*.py"), *house.rglob("*.pyi")]
            if self._renamed(path) and path.suffix == ".py"
        }
        for pattern in ("rankprism_*/**/*.py*", "rankprism_*.py", "tests/**/*.py"):
            for path in place.glob(pattern):
                self._renamed(path)

    def _move(self, old: Path, new: Path, before: str, after: str) -> None:
        old.rename(_made(new))
        self.names[before] = after

    def _renamed(self, path: Path) -> bool:
        """Write the new names into a file. Whether it needs one of them when it runs."""
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        types = {
            line
            for node in ast.walk(tree)
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
            for line in range(node.lineno, (node.end_lineno or 0) + 1)
        }
        lines, needed = text.split("\n"), False
        for node in ast.walk(tree):
            if not isinstance(node, ast.ImportFrom | ast.Import):
                continue
            for alias in node.names:
                full = f"{node.module}.{alias.name}" if isinstance(node, ast.ImportFrom) else alias.name
                module = node.module or "" if isinstance(node, ast.ImportFrom) else alias.name
                if not any(one == full or f"{module}.".startswith(f"{one}.") for one in self.names):
                    continue
                needed |= node.lineno not in types
                if isinstance(node, ast.ImportFrom) and full in self.names:  # from rankprism import judges
                    kept = [other for other in node.names if other is not alias]
                    indent = lines[node.lineno - 1][: node.col_offset]
                    called = alias.asname or alias.name
                    lines[node.lineno - 1] = f"{indent}import {self.names[full]} as {called}"
                    if kept:
                        words = ", ".join(f"{k.name} as {k.asname}" if k.asname else k.name for k in kept)
                        lines[node.lineno - 1] += f"\n{indent}from {node.module} import {words}"
                    for gone in range(node.lineno, node.end_lineno or 0):
                        lines[gone] = ""
                    node.names = kept
        changed = "\n".join(lines)
        for before in sorted(self.names, key=len, reverse=True):
            changed = re.sub(rf"(?<![\w.]){re.escape(before)}(?![\w])", self.names[before], changed)
        if path.suffix == ".pyi" and path.is_relative_to(self.place / "rankprism"):  # it offers it no more
            changed = "\n".join(
                line
                for line in changed.split("\n")
                if not re.match(r"(import|from) rankprism_", line)
                and not re.match(rf"from rankprism import ({'|'.join(map(_last, self.names))}) as", line)
            )
        if changed != text:
            path.write_text(changed, encoding="utf-8")
        return needed

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        environment = os.environ | {"PYTHONPATH": str(self.place), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, *words]
        return subprocess.run(command, capture_output=True, text=True, cwd=self.place, env=environment)

    @property
    def modules(self) -> list[str]:
        found = [*self.place.glob("rankprism_*/**/*.py"), *self.place.glob("rankprism_*.py")]
        return sorted(
            ".".join(path.relative_to(self.place).with_suffix("").parts).removesuffix(".__init__")
            for path in found
            if "migrations" not in path.parts and path.name != "__main__.py"
        )


def dotted(path: str) -> str:
    return ".".join(("rankprism", *Path(path).with_suffix("").parts))


def _made(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _last(name: str) -> str:
    return name.rpartition(".")[2]


IMPORTED = """
import importlib, sys
for name in sys.argv[1:]:
    found = importlib.import_module(name)
    assert name.partition(".")[0] in found.__file__, found
print("rankprism_" in str(sys.modules))
"""


def check(name: str, place: Path) -> Moved:
    moved = Moved(name, place)
    others = [product for product in PRODUCTS.values() if product is not moved.product]
    theirs = tuple(path for other in others for kind in ("rooms", "commands") for path in other[kind])
    assert {tie for tie in moved.ties if not tie.startswith(theirs)} == set()
    done = moved.run("-W", "ignore", "-c", IMPORTED, *moved.modules)
    if "No module named" in done.stderr and "rankprism" not in done.stderr.splitlines()[-1]:
        pytest.skip(f"an extra is missing: {done.stderr.splitlines()[-1]}")
    assert (done.stdout, done.returncode) == ("True\n", 0), done.stderr
    return moved


def test_a_product_can_be_moved_out_with_all_that_its_table_names(tmp_path: Path) -> None:
    moved = check("ndeval", tmp_path)
    done = moved.run("-m", "pytest", "-q", *moved.product["tests"], "-k", "not random")
    assert " passed" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 0, done.stdout


@pytest.mark.nightly
@pytest.mark.parametrize("name", PRODUCTS)
def test_every_product_can_be_moved_out(name: str, tmp_path: Path) -> None:
    check(name, tmp_path)


def test_a_package_of_its_own_adds_charts(tmp_path: Path) -> None:
    record = tmp_path / "rankprism_charts-1.dist-info"
    record.mkdir()
    (record / "METADATA").write_text("Metadata-Version: 2.1\nName: rankprism-charts\nVersion: 1\n")
    (record / "entry_points.txt").write_text("[rankprism.charts]\nmine = my_charts\n")
    (tmp_path / "my_charts.py").write_text(
        'from rankprism.plots import chart\n\n@chart("plot mine")\ndef mine(scores): ...\n'
    )
    code = "from rankprism.plots import CHARTS, mine; print(CHARTS['mine'].command, mine.__name__)"
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.stdout == "plot mine mine\n", done.stderr


def test_the_table_names_what_there_is() -> None:
    package = ROOT / "src" / "rankprism"
    for product in PRODUCTS.values():
        for path in (*product["rooms"], *product["commands"], *product["charts"]):
            assert (package / path).exists(), path
        for path in (*product["tests"], *product["pages"]):
            assert (ROOT / path).exists(), path
        assert set(product["extras"]) <= set(PROJECT["project"]["optional-dependencies"])
