"""Attributes of a package that are loaded, or looked up in a registry, when they are first used.

Type checkers cannot follow `__getattr__`. They read the stub beside the package's `__init__.py`, which names
every attribute with its type.

`import rankprism` loads only `lazy.py`. Its `attach` gives a package `__getattr__` and `__dir__`, so that
`rankprism.evaluate` imports numpy and the core when it is first used, and `rankprism.measures.nDCG_IA`
and `rankprism.plots.intervals` are found in their registries. Type checkers cannot follow this, and would
accept any name. They read stubs instead. The names of the package itself are only in `__init__.pyi`,
which `lazy.stubbed` reads at run time too. The stubs of measures, with the parameters of each, and of
charts are written by `tests/support/stubs.py` from the registries. `tests/house/test_typing.py` compares
them, and runs mypy and pyright on two files: what must be accepted, and what must be refused.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from importlib import import_module
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


def published(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the `__getattr__` and the `__dir__` of a room that offers the names in its stub, and no others.

    These names are its border: other rooms take nothing else. A module of the room may be among them.

    Parameters
    ----------
    package
        The room's ``__name__``.
    file
        The ``__file__`` of its ``__init__.py``, beside which the stub is.
    """
    homes = stubbed(file)

    def find(name: str) -> Any:
        if name not in homes:
            return None
        home = homes[name]
        found = import_module(f"{home}.{name}") if home == package else getattr(import_module(home), name)
        setattr(sys.modules[package], name, found)
        return found

    return attach(package, lambda: list(homes), find)


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
