"""Deepness threshold (DeepTh, Eq. 3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from rankprism.meta.axioms.constraint import SMALL, Detail, constraint
from rankprism.meta.axioms.rankings import Base, Rankings

#: The numbers n and m that are tried: every small one, and then numbers that are further and further apart.
DEPTHS = (*range(1, 33), 64, 100, 128, 200, 256, 400, 512, 1000, 1023, 2048, 4096, 8192)
#: The largest sum of the grades of a ranking that leaves room.
_FILLED = 0.9
R_C = Detail(
    "r_c",
    None,
    "binary relevance is 0 or some r_c ≪ 1; by default, the constraint must hold for .01, .05 and .1",
    optional=True,
)
LENGTH = Detail(
    "length",
    "same",
    "the proof compares rankings of the same length, so the first one ends with non-relevant documents",
    ("same", "one"),
)
QUANTIFIER = Detail(
    "quantifier",
    "eventually",
    "'for some n' holds at n = 1 for every measure that satisfies Pri; the text says 'large enough'",
    ("eventually", "some"),
)


def single_grades(r_c: float | None = None, **others: Any) -> Iterable[Base]:
    for r in (0.01, 0.05, 0.1) if r_c is None else (r_c,):
        yield Base(np.array([[r]]), np.ones(1))


def first_and_late(base: Base, length: str, small: str) -> Iterator[Rankings]:
    """Two rankings: one relevant document at the top; n non-relevant documents and then n relevant ones.

    If n documents must leave room, r_c falls with n.
    """
    r_c = float(base.documents[0, 0])
    for n in DEPTHS:
        r = min(r_c, _FILLED / n) if small == "room" else r_c
        first, late = np.zeros((2 * n if length == "same" else 1, 1)), np.zeros((2 * n, 1))
        first[0] = r
        late[n:] = r
        yield first, late


@constraint(
    number=3,
    quantifier="eventually",
    variable="n",
    values=DEPTHS,
    bases=single_grades,
    premises=("single aspect", "r ≪ 1", "binary relevance"),
    details=(R_C, SMALL, LENGTH, QUANTIFIER),
    cite=("amigo2018axiomatic",),
)
def DeepTh(base: Base, length: str, small: str, **others: Any) -> Iterator[Rankings]:
    """Deepness threshold: one relevant document on top is worth more than any number far down.

    from some n on:  Q(1 relevant, …) > Q(n not relevant, n relevant)
    """
    return first_and_late(base, length, small)
