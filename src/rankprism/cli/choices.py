"""Options that take one of several words. The words are declared once, beside the code that uses them."""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from typer._types import TyperChoice


class _Choice(TyperChoice[str]):
    """One of the names that a module declares. The module is loaded when the names are first needed."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.case_sensitive = True

    @property
    def choices(self) -> Sequence[str]:  # type: ignore[override]
        module, _, name = self.where.partition(":")
        return tuple(getattr(importlib.import_module(f"rankprism.{module}"), name))


def one_of(where: str) -> _Choice:
    """The type of an option that takes one of the names in a tuple or the keys of a mapping.

    where : the module in rankprism and the name in it.

    >>> one_of("data.run:DUPLICATES").choices
    ('error', 'first')
    """
    return _Choice(where)
