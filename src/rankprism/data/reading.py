"""How runs are read. This module does without numpy, so that reading can begin before numpy is loaded."""

from __future__ import annotations

from typing import Any, NamedTuple, Unpack

from rankprism.errors import check_whole, one_of
from rankprism.types import Duplicates, Order, RunOptions


class Reading(NamedTuple):
    """How runs are read: the keyword arguments `RunOptions` as a value."""

    order: Order = "score"
    duplicates: Duplicates = "error"
    run_format: str | None = None
    run_depth: int | None = None  #: the documents of a topic that are kept; None: all
    ties: bool = False  #: whether to find the groups of tied documents

    @classmethod
    def of(cls, **options: Unpack[RunOptions]) -> Reading:
        """Check the options and fill in the defaults."""
        reading = cls(**options)
        one_of("order", reading.order, Order)
        one_of("duplicates", reading.duplicates, Duplicates)
        if reading.run_depth is not None:
            check_whole("run_depth", reading.run_depth, 1)
        return reading

    @property
    def settings(self) -> dict[str, Any]:
        """What decides which document has which rank, as keyword arguments and for records."""
        decided: dict[str, Any] = {"order": self.order, "duplicates": self.duplicates}
        return decided if self.run_depth is None else decided | {"run_depth": self.run_depth}

    @property
    def asked(self) -> dict[str, Any]:
        """Keyword arguments of the core's functions that align runs, beside the order and duplicates."""
        return ({"ties": True} if self.ties else {}) | ({"depth": self.run_depth} if self.run_depth else {})
