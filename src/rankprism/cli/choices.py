"""Options that take one of the names in a registry. Words that never change are in `rankprism.types`."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import get_args

from typer._types import TyperChoice


class _Choice(TyperChoice[str]):
    """One of the names in a registry. Its module is loaded when the names are first needed."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.case_sensitive = True

    @property
    def choices(self) -> Sequence[str]:  # type: ignore[override]
        module, _, name = self.where.partition(":")
        words = getattr(importlib.import_module(f"rankprism.{module}"), name)
        return get_args(words) or tuple(words)


def one_of(where: str) -> _Choice:
    """The type of an option that takes one of the keys of a registry, which may grow.

    where : the module in rankprism and the name in it.

    >>> one_of("comparison:TESTS").choices[:3]
    ('t', 'wilcoxon', 'fisher')
    """
    return _Choice(where)
