"""Closeness threshold (CloseTh, Eq. 4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rankprism.meta.axioms.constraint import SMALL, constraint
from rankprism.meta.axioms.deepness_threshold import DEPTHS, LENGTH, R_C, first_and_late, single_grades
from rankprism.meta.axioms.rankings import Base, Rankings


@constraint(
    number=4,
    quantifier="some",
    variable="m",
    values=DEPTHS,
    bases=single_grades,
    premises=("single aspect", "r ≪ 1", "binary relevance"),
    details=(R_C, SMALL, LENGTH),
    cite=("amigo2018axiomatic",),
)
def CloseTh(base: Base, length: str, small: str, **others: Any) -> Iterator[Rankings]:
    """Closeness threshold: users always look at the first ranks, so more relevant documents win there.

    for some m:  Q(1 relevant, …) < Q(m not relevant, m relevant)
    """
    for first, late in first_and_late(base, length, small):
        yield late, first
