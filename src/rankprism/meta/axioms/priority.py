"""Priority (Pri, Eq. 1)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankprism.meta.axioms.constraint import ALIKE, CUTOFF, GRADES, HIGHEST, SMALL, Scope, constraint
from rankprism.meta.axioms.rankings import Base, Ranking, Rankings


def swapped(d: Ranking, i: int, j: int) -> Ranking:
    """The ranking with the documents at two places swapped."""
    out = d.copy()
    out[i], out[j] = d[j], d[i]
    return out


@constraint(
    number=1,
    scope=Scope(fewest=2, alike=ALIKE),
    premises=("single aspect", "r ≪ 1"),
    details=(GRADES, HIGHEST, SMALL, CUTOFF),
    cite=("amigo2018axiomatic",),
)
def Pri(base: Base) -> Iterator[Rankings]:
    """Priority: swapping a document with a more relevant one further down raises the score.

    r(d_{i+k}) > r(d_i), k > 0  ⇒  Q(d⃗ with i and i+k swapped) > Q(d⃗)
    """
    d = base.documents
    for i, j in np.argwhere(np.triu(d[:, 0] > d)).tolist():
        yield swapped(d, i, j), d
