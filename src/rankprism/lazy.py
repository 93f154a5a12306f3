"""Attributes of a package that are loaded, or looked up in a registry, when they are first used.

Type checkers cannot follow `__getattr__`. They read the stub beside the package's `__init__.py`, which names
every attribute with its type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


def attach(
    package: str, names: Callable[[], Iterable[str]], find: Callable[[str], Any]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the `__getattr__` and the `__dir__` of a package.

    Parameters
    ----------
    package
        The name of the package.
    names
        Returns its public names, which are also its `__all__`.
    find
        Returns the attribute of a name, or None if there is no such attribute.
    """

    def get(name: str) -> Any:
        if name == "__all__":
            return sorted(names())
        found = find(name)
        if found is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return found

    return get, lambda: sorted(names())


def stubbed(file: str) -> dict[str, str]:
    """Return the names that the stub beside a module imports, and the module of each.

    Only lines such as ``from rankprism.evaluation import evaluate as evaluate`` are read. The module itself
    defines the other names in the stub.
    """
    with open(f"{file.removesuffix('.py')}.pyi", encoding="utf-8") as stub:
        lines = [line.split() for line in stub]
    return {
        words[3]: words[1] for words in lines if words[:1] == ["from"] and words[2::2] == ["import", "as"]
    }
