"""Rows and cells of Table 1 of Amigó et al. 2018, as tests of axioms name them."""

from __future__ import annotations

from rankprism.meta.axioms import Constraint
from rankprism.meta.axioms.search import search_verdicts
from rankprism.meta.axioms.table import PAPER

#: Fewer than by default, to be quick; the cells are the same.
INSTANCES = 300


def row(label: str) -> str:
    """The measure of a row of Table 1, by the reference's spelling of it."""
    return PAPER[label.replace("alpha", "α")][0]


def kept(measure: str, *constraints: Constraint, instances: int = INSTANCES) -> list[bool | None]:
    return [not verdict.refuted for verdict in search_verdicts([measure], constraints, instances=instances)]
