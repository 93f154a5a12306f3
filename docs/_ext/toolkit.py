"""The page Toolkit: what each room of the package offers to the others, from its `__init__` and the sources.

Nothing is imported, so a name of an extra is there, too, and its first sentence is that of the source.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from itertools import takewhile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src"
PACKAGE = SOURCE / "rankprism"
#: Folders whose folders are rooms, too.
SHELVES = ("evaluation", "comparison", "meta", "judging", "showing")


def rooms() -> Iterator[Path]:
    """The folders of the package that offer names, and those on its shelves."""
    for folder in sorted(path.parent for path in PACKAGE.glob("*/__init__.py")):
        inner = sorted(path.parent for path in folder.glob("*/__init__.py"))
        yield from (room for room in (folder, *inner * (folder.name in SHELVES)) if offered(room))


@cache
def offered(room: Path) -> dict[str, tuple[str, str]]:
    """The names of a room's `__all__`, each with its module and its name there.

    A stub names them with the lines that import them. Without one, they are the list in `__init__.py`.
    """
    stub = room / "__init__.pyi"
    tree = parsed(stub if stub.exists() else room / "__init__.py")
    found = {
        alias.asname or alias.name: (node.module or "", alias.name)
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rankprism.")
        for alias in node.names
        if alias.asname or not stub.exists()
    }
    listed = [
        element.value
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
        for element in ast.walk(node.value)
        if isinstance(element, ast.Constant)
    ]
    public = listed or (found if stub.exists() else [])
    return {name: found.get(name, (dotted(room), name)) for name in public if isinstance(name, str)}


def page() -> str:
    """A heading for each room, what it is for, and a table of what it offers."""
    lines = []
    for room in rooms():
        text = ast.get_docstring(parsed(room / "__init__.py")) or ""
        lines += [f"## {dotted(room)}", "", text.partition("\n\n")[0].replace("\n", " "), ""]
        lines += ["| name | what it is |", "|---|---|"]
        lines += [
            f"| `{name}` | {about(*home)} |" for name, home in sorted(offered(room).items(), key=_order)
        ]
        lines += [""]
    return "\n".join(lines)


def about(module: str, name: str) -> str:
    """The first sentence about a name: of its docstring, or of the comment above it."""
    path = SOURCE / Path(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    if (path.parent / f"{name}.py").exists() and path.name == "__init__.py":
        return _sentence(ast.get_docstring(parsed(path.parent / f"{name}.py")) or "")
    lines = path.read_text(encoding="utf-8").splitlines()
    for node in parsed(path).body:
        if isinstance(node, ast.ImportFrom) and name in {alias.asname or alias.name for alias in node.names}:
            return about(node.module or "", name)
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            return _sentence(ast.get_docstring(node) or "")
        if isinstance(node, ast.Assign | ast.AnnAssign) and name in _bound(node):
            above = lines[: node.lineno - 1]
            comment = list(takewhile(lambda line: line.startswith("#"), reversed(above)))
            words = " ".join(line.lstrip("#: ") for line in reversed(comment))
            return _sentence(words or lines[node.lineno - 1].partition("#: ")[2])
    return ""


def top_level(tree: ast.Module) -> Iterator[str]:
    """The names that a module binds itself."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            yield from _bound(node)


def _bound(node: ast.Assign | ast.AnnAssign) -> set[str]:
    """The names that an assignment binds."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return {one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)}


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def dotted(room: Path) -> str:
    return ".".join(room.relative_to(SOURCE).parts)


def _sentence(text: str) -> str:
    """The first sentence of a text, for a cell of a table."""
    first = text.partition("\n\n")[0].replace("\n", " ").replace("``", "`")
    return re.split(r"(?<=[.:])\s+(?=[A-Z`])", first)[0].rstrip(":").replace("|", "\\|")


def _order(item: tuple[str, object]) -> tuple[str, str]:
    return item[0].casefold(), item[0]
