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

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
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


class Shelved:
    """Imports rooms on shelves by their public names: `rankprism.judges`, which is in `judging/`.

    `from rankprism.judges import score` and the tools that make the API page import the name as a module. It
    is the same module under both names.
    """

    def __init__(self, rooms: Mapping[str, str]) -> None:
        self.rooms = rooms

    @classmethod
    def of(cls, package: str, file: str, homes: Mapping[str, str]) -> Shelved:
        """The rooms among the names that a package offers. Each is a folder in the folder of its home."""
        top = os.path.dirname(file)
        return cls(
            {
                f"{package}.{name}": f"{home}.{name}"
                for name, home in homes.items()
                if home != package and os.path.isdir(os.path.join(top, *home.split(".")[1:], name))
            }
        )

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        return ModuleSpec(name, self) if self._home(name) else None  # type: ignore[arg-type]

    def create_module(self, _spec: ModuleSpec) -> None:
        """Python makes an empty module, which gives way to the real one."""

    def exec_module(self, module: ModuleType) -> None:
        # What the real one loads may import the name again, and must not get the empty one.
        del sys.modules[module.__name__]
        sys.modules[module.__name__] = import_module(self._home(module.__name__))

    def _home(self, name: str) -> str:
        package, _, inner = name.partition(".")
        room, _, rest = inner.partition(".")
        home = self.rooms.get(f"{package}.{room}")
        return "" if home is None else f"{home}.{rest}" if rest else home
