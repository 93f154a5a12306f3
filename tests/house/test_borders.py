"""A room takes from another what that one publishes, and the exceptions are listed with their reasons.

What a room publishes is its `__all__`, which its stub names; a room that is one module publishes all names
without an underscore. An exception is a module of one room from which another takes names. pyproject.toml has
a sentence for each, and this test finds those that are missing there, and those that are no longer needed.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

from rankprism import measures

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "docs" / "_ext"))
import toolkit  # noqa: E402

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
KERNEL = {"data", "text", "formats", "measures", "statistics", "results", "evaluation"}
KERNEL |= {"errors", "types", "lazy"}
#: With those that are attributes of a published module.
MOST_PUBLISHED = 440


class Taken(NamedTuple):
    taker: str
    giver: str
    module: str  #: of the giver; "" if the name was taken from the room itself
    name: str
    published: bool


class House:
    """The rooms of a package, and what each takes from the others."""

    def __init__(self, package: Path) -> None:
        self.package = package
        self.files = {
            ".".join(path.relative_to(package).with_suffix("").parts).removesuffix(".__init__"): path
            for path in sorted(package.rglob("*.py"))
            if path.name != "__main__.py" and path.parent / "__init__.py" != path
        } | {
            ".".join(path.parent.relative_to(package).parts): path
            for path in sorted(package.rglob("__init__.py"))
            if path.parent != package
        }
        self.rooms = {name for name in self.files if "." not in name}
        self.rooms |= {
            name
            for name, path in self.files.items()
            if name.count(".") == 1 and path.name == "__init__.py" and name.split(".")[0] in toolkit.SHELVES
        }
        self.published = {room: self._published(room) for room in self.rooms}

    def room_of(self, module: str) -> str:
        parts = module.split(".")
        return next(room for size in (2, 1) if (room := ".".join(parts[:size])) in self.rooms)

    def _published(self, room: str) -> set[str]:
        path = self.files[room]
        if path.name == "__init__.py":
            return {*toolkit.offered(path.parent), *(measures.names() if room == "measures" else ())}
        tree = ast.parse(path.read_text(encoding="utf-8"))
        return {name for name in toolkit.top_level(tree) if not name.startswith("_")}

    def is_module(self, room: str, name: str) -> bool:
        """Whether a room offers one of its modules as a whole."""
        path = self.files[room]
        offered = toolkit.offered(path.parent) if path.name == "__init__.py" else {}
        return f"{room}.{name}" in self.files and offered.get(name) == (f"{self.package.name}.{room}", name)

    def taken(self) -> set[Taken]:
        return {
            Taken(taker, *one)
            for module, path in self.files.items()
            for one in self._imports(ast.parse(path.read_text(encoding="utf-8")))
            if (taker := self.room_of(module)) != one[0]
        }

    def _imports(self, tree: ast.Module) -> set[tuple[str, str, str, bool]]:
        found = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    top, _, module = alias.name.partition(".")
                    if top == self.package.name and module in self.files and module not in self.rooms:
                        found.add(self._taken(module, ""))
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                top, _, base = node.module.partition(".")
                if top != self.package.name or base == "_core":
                    continue
                for alias in node.names:
                    full = f"{base}.{alias.name}".lstrip(".")
                    room = self.room_of(base) if base else ""
                    is_name = base == room and alias.name in self.published.get(room, ())
                    if full not in self.files or (is_name and not self.is_module(room, alias.name)):
                        if base:
                            found.add(self._taken(base, alias.name))
                        continue
                    used = {
                        one.attr
                        for one in ast.walk(tree)
                        if isinstance(one, ast.Attribute)
                        and isinstance(one.value, ast.Name)
                        and one.value.id == (alias.asname or alias.name)
                    }
                    found |= {self._taken(full, name) for name in used or {""}}
        return found

    def _taken(self, module: str, name: str) -> tuple[str, str, str, bool]:
        """A name of a module. It is published if the room offers it, or offers the module as a whole."""
        room = self.room_of(module)
        inner = module.removeprefix(room).removeprefix(".")
        offered = self.published[room]
        as_module = self.is_module(room, inner) and not name.startswith("_")
        return room, inner, name, as_module or (not inner and (name in offered or not name))


HOUSE = House(toolkit.PACKAGE)
TAKEN = HOUSE.taken()


def exceptions() -> dict[str, str]:
    """Each exception, such as "formats -> text.checksum", and the reason for it."""
    table = PROJECT["rankprism"]["exceptions"]
    return {f"{taker} -> {module}": one["why"] for module, one in table.items() for taker in one["by"]}


def test_rooms_take_what_others_publish_and_the_exceptions_are_listed() -> None:
    crossing = {f"{one.taker} -> {one.giver}.{one.module}".rstrip(".") for one in TAKEN if not one.published}
    assert crossing == set(exceptions())
    assert all(len(reason) > 20 and reason.endswith(".") for reason in exceptions().values())


def test_nobody_takes_what_begins_with_an_underscore() -> None:
    assert {one for one in TAKEN if one.name.startswith("_") and not one.name.startswith("__")} == set()


def test_the_borders_are_short_and_so_are_the_lists_of_what_is_published() -> None:
    """Publishing everything would leave no exception, so names taken and names published are both counted."""
    crossing = {one for one in TAKEN if not one.published and one.name not in HOUSE.published[one.giver]}
    inside = {one for one in crossing if one.taker.split(".")[0] in KERNEL}
    on_top = crossing - inside
    published = {(one.giver, one.module, one.name) for one in TAKEN if one.published and one.name}
    assert len(on_top) <= 60
    assert len(inside) <= 90
    assert len(published) <= MOST_PUBLISHED


def test_no_module_hides_a_name_that_its_room_offers() -> None:
    """A module that was imported is an attribute of its room. A function of its name could not be found."""
    for name in sorted(room for room in HOUSE.rooms if HOUSE.files[room].name == "__init__.py"):
        try:
            room = importlib.import_module(f"rankprism.{name}")
        except ImportError:  # an extra
            continue
        for module in pkgutil.iter_modules(room.__path__):
            if module.name != "__main__":
                importlib.import_module(f"rankprism.{name}.{module.name}")
        for offered in toolkit.offered(HOUSE.files[name].parent):
            found = isinstance(getattr(room, offered), ModuleType)
            assert found == HOUSE.is_module(name, offered), f"rankprism.{name}.{offered}"


def test_the_contract_has_the_same_exceptions() -> None:
    """import-linter sees modules and no names. It keeps rooms on top away from the modules of the kernel."""
    [contract] = [c for c in PROJECT["importlinter"]["contracts"] if c["id"] == "published"]
    expected = {
        f"rankprism.{taker}{'' if HOUSE.files[taker].name != '__init__.py' else '.**'} -> rankprism.{module}"
        for taker, module in (line.split(" -> ") for line in exceptions())
        if taker.split(".")[0] not in KERNEL and module.split(".")[0] in KERNEL
    }
    assert {line for line in contract["ignore_imports"] if not line.startswith("**")} == expected
    # A module that is published as a whole is imported as one, and so is a room on a shelf.
    modules = {
        name
        for name in HOUSE.files
        if (room := HOUSE.room_of(name)).split(".")[0] in KERNEL and "." in name
        if name == room or HOUSE.is_module(room, name.removeprefix(f"{room}."))
    }
    assert {line for line in contract["ignore_imports"] if line.startswith("**")} == {
        f"** -> rankprism.{name}" for name in modules
    }
    assert {name.removesuffix(".*") for name in contract["protected_modules"]} == {
        f"rankprism.{room}" for room in KERNEL if HOUSE.files[room].name == "__init__.py"
    }


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("from rankprism.statistics.threads import thread_count", ("threads", "thread_count", False)),
        ("from rankprism.statistics import threads; threads._count", ("threads", "_count", False)),
        ("import rankprism.statistics.threads", ("threads", "", False)),
        ("from rankprism.statistics import corrected", ("", "corrected", True)),
        ("from rankprism import statistics; statistics.corrected", ("", "corrected", True)),
        ("from rankprism import statistics; statistics.wanted", ("", "wanted", False)),
    ],
)
def test_each_kind_of_import_is_seen(line: str, found: tuple[str, str, bool]) -> None:
    assert HOUSE._imports(ast.parse(line)) == {("statistics", *found)}


def test_a_registry_is_full_wherever_it_is_taken_from() -> None:
    """The records are in modules of their own, which have to be loaded with it."""
    code = (
        "from rankprism.statistics import TESTS\n"
        "from rankprism.formats import JUDGMENT_FORMATS, PREFERENCE_FORMATS, RUN_FORMATS\n"
        "print(*map(len, (TESTS, JUDGMENT_FORMATS, PREFERENCE_FORMATS, RUN_FORMATS)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert min(map(int, done.stdout.split())) > 3, done.stdout
