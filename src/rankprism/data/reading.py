"""How runs are read. This module does without numpy, so that reading can begin before numpy is loaded."""

from __future__ import annotations

from typing import NamedTuple, Unpack

from rankprism.errors import one_of
from rankprism.types import Duplicates, Order, RunOptions


class Reading(NamedTuple):
    """How runs are read: the keyword arguments `RunOptions` as a value."""

    order: Order = "score"
    duplicates: Duplicates = "error"
    run_format: str | None = None
    ties: bool = False  #: whether to find the groups of tied documents

    @classmethod
    def of(cls, **options: Unpack[RunOptions]) -> Reading:
        """Check the options and fill in the defaults."""
        reading = cls(**options)
        one_of("order", reading.order, Order)
        one_of("duplicates", reading.duplicates, Duplicates)
        return reading
