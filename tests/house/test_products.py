"""Parts of the package that could be distributions of their own can be moved out, and work from there.

pyproject.toml names all that belongs to a product. A test moves it out of a copy of the package, as `git mv`
would, writes the new names wherever the old ones were, and imports every module from its new place. What the
house itself still names afterwards is a tie: nothing below a product may have one. The table of commands
gives up their rows, and the product registers commands and charts by entry points of its own. Then the
commands have the help that they had, and the tests of the product pass in their new place.
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
from rankprism.cli.app import COMMANDS

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PRODUCTS = PROJECT["tool"]["rankprism"]["products"]
#: The products whose tests are run on the moved copy. Those of the others need minutes, or other programs.
TESTED = ("judges", "ndeval")
#: What tests need besides: their settings, helpers and fixtures.
SHARED = (
    "pyproject.toml",
    "docs",
    "tests/support",
    "tests/__init__.py",
    "tests/conftest.py",
    "tests/durations.json",
    "simulations",
)


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
        self.commands = self._registered(first) if self.product["commands"] else []
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
        for pattern in ("rankprism_*/**/*.py*", "rankprism_*.py", "tests/**/*.py", "simulations/**/*.py"):
            for path in place.glob(pattern):
                self._renamed(path)

    def _move(self, old: Path, new: Path, before: str, after: str) -> None:
        old.rename(_made(new))
        self.names[before] = after

    def _registered(self, first: str) -> list[str]:
        """Take the commands out of the table of the house, and name them and the charts in entry points."""
        app = self.place / "rankprism" / "cli" / "app.py"
        rows = {name: place.where.split(":") for name, place in COMMANDS.items()}
        modules = {Path(path).stem for path in self.product["commands"]}
        names = [name for name, (module, _) in rows.items() if module in modules]
        text = app.read_text(encoding="utf-8")
        for name in names:
            text, found = re.subn(
                rf'^    "{name}": Place\((.*|\n(        .*\n)+    )\),\n', "", text, flags=re.M
            )
            assert found == 1, name
        app.write_text(text, encoding="utf-8")
        points = ["[rankprism.commands]", *(f"{name} = {first}.commands:{rows[name][1]}" for name in names)]
        if self.product["charts"]:
            points += ["[rankprism.charts]", f"{first} = {first}.charts"]
        record = self.place / f"{first}-1.dist-info"
        record.mkdir()
        (record / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {first}\nVersion: 1\n")
        (record / "entry_points.txt").write_text("\n".join([*points, ""]))
        return names

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
            if not path.is_relative_to(
                self.place / "rankprism"
            ):  # places of functions: "judging.judges:agree"
                inside = re.escape(before.removeprefix("rankprism."))
                changed = re.sub(rf'"{inside}((?:\.\w+)*:\w+")', rf'"{self.names[before]}\1', changed)
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


#: Print the help of every command below these words.
HELPED = """
import sys
from rankprism.cli.app import app, every_command
for words in every_command():
    if words[0] in sys.argv[1:]:
        app([*words, "--help"], prog_name="rankprism", standalone_mode=False)
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
    if moved.commands:
        before = subprocess.run(
            [sys.executable, "-c", HELPED, *moved.commands], capture_output=True, text=True
        )
        after = moved.run("-c", HELPED, *moved.commands)
        assert before.stdout.startswith(f"Usage: rankprism {moved.commands[0]} "), before.stderr
        assert (after.stdout, after.stderr) == (before.stdout, before.stderr)
    return moved


def check_tests(moved: Moved, *words: str) -> None:
    done = moved.run("-m", "pytest", "-q", "-p", "no:cacheprovider", *words)
    assert " passed" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 0, done.stdout


def test_a_product_can_be_moved_out_with_all_that_its_table_names(tmp_path: Path) -> None:
    moved = check("ndeval", tmp_path)
    check_tests(moved, *moved.product["tests"], "-k", "not random")


def test_a_product_brings_its_own_commands_and_charts(tmp_path: Path) -> None:
    moved = check("judges", tmp_path)
    shown = moved.run("-m", "rankprism", "judges", "agree", "-h")
    assert "\n  rankprism judges agree [OPTIONS] PEOPLE [RUN]...\n" in shown.stdout, shown.stderr
    assert "--plot" in shown.stdout  # its chart is there, too
    check_tests(moved, "tests/judges/test_judges_drift.py")


@pytest.mark.nightly
@pytest.mark.parametrize("name", PRODUCTS)
def test_every_product_can_be_moved_out(name: str, tmp_path: Path) -> None:
    moved = check(name, tmp_path)
    if name in TESTED:
        check_tests(moved, *moved.product["tests"])


def test_a_package_of_its_own_adds_charts(tmp_path: Path) -> None:
    record = tmp_path / "rankprism_charts-1.dist-info"
    record.mkdir()
    (record / "METADATA").write_text("Metadata-Version: 2.1\nName: rankprism-charts\nVersion: 1\n")
    (record / "entry_points.txt").write_text("[rankprism.charts]\nmine = my_charts\n")
    (tmp_path / "my_charts.py").write_text(
        "from rankprism.plots import chart\n\n\n"
        '@chart("plot mine")\ndef mine(scores, *, most=3):\n'
        '    """Draw mine.\n\n    Parameters\n    ----------\n    most : int\n        How many.\n    """\n'
    )
    code = "from rankprism.plots import CHARTS, mine; print(CHARTS['mine'].command, mine.__name__)"
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.stdout == "plot mine mine\n", done.stderr
    command = [sys.executable, "-m", "rankprism", "plot"]
    listed = subprocess.run([*command, "-h"], capture_output=True, text=True, env=environment)
    assert re.search(r"^mine +Draw mine\.$", listed.stdout, re.M), listed.stdout + listed.stderr


def test_the_table_names_what_there_is() -> None:
    package = ROOT / "src" / "rankprism"
    for product in PRODUCTS.values():
        for path in (*product["rooms"], *product["commands"], *product["charts"]):
            assert (package / path).exists(), path
        for path in (*product["tests"], *product["pages"]):
            assert (ROOT / path).exists(), path
        assert set(product["extras"]) <= set(PROJECT["project"]["optional-dependencies"])
