"""What `make check` runs: linters, types, and the tests of what has changed.

A room is a folder or a module of src/rankprism, or of one of its shelves. Rooms that differ from the merge
base with main, or are not committed, are tested, and so are the rooms that import them directly. If that
takes too long by the table of durations, the rooms that import others give only their smoke tests. Without
git, these are all there is.

    python -m tests.support.check           runs it
    python -m tests.support.check --list    prints what would be run, and why
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from tests.smoke import SMOKE
from tests.support.durations import TESTS, recorded

ROOT = TESTS.parent
PACKAGE = ROOT / "src" / "rankprism"
#: Seconds that the tests of rooms may take, on one processor.
MOST = 150.0
#: Where rooms are tested that have no folder of tests of their own name.
TESTED_IN = {
    **dict.fromkeys(("core", "arrays", "foreign"), "core"),
    **dict.fromkeys(("tables", "markup", "checksum", "score_folder"), "results"),
    **dict.fromkeys(("documents", "frames"), "formats"),
    **dict.fromkeys(("explanation",), "measures"),
    **dict.fromkeys(("conventions", "inspection", "sample", "scoring"), "evaluation"),
    **dict.fromkeys(("trec_eval", "ndeval", "pytrec_eval", "ir_measures", "spark"), "peers"),
    **dict.fromkeys(("__init__", "__main__", "errors", "lazy", "types"), "house"),
    **dict.fromkeys(("advice",), "axioms"),
    **dict.fromkeys(("data",), "results"),
    **dict.fromkeys(("words",), "assess"),
}
#: Folders whose folders and modules named here are rooms of their own.
SHELVES = {
    "data": ("arrays", "frames", "sample"),
    "text": ("checksum", "documents", "foreign", "markup", "tables", "words"),
    "evaluation": ("conventions", "explanation", "inspection", "score_folder", "scoring"),
    "comparison": ("boards",),
    "meta": ("advice", "axioms"),
    "judging": ("aspects", "assess", "judges", "preferences"),
    "showing": ("plots", "report"),
}
#: So low that everything imports them: their own tests and the smoke tests have to do.
LOW = {"core", "arrays", "data", "errors", "foreign", "lazy", "results", "types"}


def changed() -> list[str] | None:
    """The files that differ from main or are not committed; None without git."""

    def git(*words: str) -> list[str] | None:
        try:
            done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
        except FileNotFoundError:
            return None
        return done.stdout.split("\n")[:-1] if done.returncode == 0 else None

    base = git("merge-base", "HEAD", "main") or git("merge-base", "HEAD", "origin/main")
    if not base:
        return None
    return [
        *(git("diff", "--name-only", base[0]) or ()),
        *(git("ls-files", "--others", "--exclude-standard") or ()),
    ]


def own_room(file: str) -> str | None:
    """The room of the package that a file is in."""
    top, *parts = Path(file).with_suffix("").parts
    if top != "src" or not parts:
        return None
    if parts[0] == "rankprism":
        del parts[0]
    return parts[1] if parts[1:] and parts[1] in SHELVES.get(parts[0], ()) else parts[0]


def room_of(file: str) -> str | None:
    """The folder of tests for a file."""
    first, *rest = Path(file).parts
    if (room := own_room(file)) is not None:
        return TESTED_IN.get(room, room)
    if first == "tests" and len(rest) > 1:
        return None if rest[0] in ("support", "typing") else rest[0]
    return "house" if first in ("docs", "README.md", "CONTRIBUTING.md", "pyproject.toml", ".github") else None


@cache
def importers() -> dict[str, set[str]]:
    """For each room, the rooms that import it."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in PACKAGE.rglob("*.py"):
        own = own_room(path.relative_to(ROOT).as_posix()) or ""
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rankprism."):
                words = (node.module or "").split(".")[1:]
                names = [alias.name for alias in node.names] if len(words) == 1 else words[1:2]
                inner = SHELVES.get(words[0], ())
                for room in {name if name in inner else words[0] for name in names} - {own}:
                    found[room].add(own)
    return found


def rooms(files: Iterable[str]) -> dict[str, str]:
    """The folders of tests for these files, each with the reason."""
    chosen: dict[str, str] = {}
    above = importers()
    for file in files:
        if (room := room_of(file)) is None:
            continue
        chosen[room] = "changed"
        own = own_room(file)
        for other in sorted(above.get(own, ())) if own and own not in LOW else ():
            chosen.setdefault(TESTED_IN.get(other, other), f"imports {own}")
    return {room: why for room, why in sorted(chosen.items()) if (TESTS / room).is_dir()}


def seconds(room: str) -> float:
    return sum(taken for file, taken in recorded().items() if file.startswith(f"{room}/"))


def selected(found: dict[str, str]) -> list[str]:
    """What pytest is given."""
    if sum(map(seconds, found)) > MOST:
        found = {room: why for room, why in found.items() if why == "changed"}
    if sum(map(seconds, found)) > MOST:
        found = {}
    whole = [f"tests/{room}" for room in found]
    return [*whole, *(test for test in SMOKE if not test.startswith(tuple(f"{room}/" for room in whole)))]


def main() -> None:
    files = changed()
    found = rooms(files or ())
    chosen = selected(found)
    if "--list" in sys.argv[1:]:
        for room, why in found.items():
            left_out = "" if f"tests/{room}" in chosen else "; only its smoke tests, for want of time"
            print(f"{room}: {why}, {seconds(room):.0f} s{left_out}")
        print(f"and {len(chosen)} folders and tests in all")
        return
    python = [sys.executable, "-m"]
    written = [file for file in files or () if file.endswith((".py", ".pyi")) and (ROOT / file).exists()]
    steps = [
        [*python, "ruff", "check", *(written or ["."])],
        [*python, "ruff", "format", "--check", *(written or ["."])],
        [*python, "mypy"],
        [*python, "pytest", "-q", "-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder", *chosen],
    ]
    for step in steps:
        if status := subprocess.run(step, cwd=ROOT).returncode:
            sys.exit(status)


if __name__ == "__main__":
    main()
