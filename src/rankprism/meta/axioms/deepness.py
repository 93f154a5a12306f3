"""Deepness (Deep, Eq. 2)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from rankprism.meta.axioms.constraint import ALIKE, CUTOFF, GRADES, HIGHEST, SMALL, Scope, constraint
from rankprism.meta.axioms.priority import swapped
from rankprism.meta.axioms.rankings import Base, Rankings


@constraint(
    number=2,
    scope=Scope(fewest=4, alike=ALIKE),
    premises=("single aspect", "r ≪ 1"),
    details=(GRADES, HIGHEST, SMALL, CUTOFF),
    cite=("amigo2018axiomatic",),
)
def Deep(base: Base) -> Iterator[Rankings]:
    """Deepness: the same correct swap of neighbours raises the score more if it is further up.

    r(d_i) = r(d_j) < r(d_{i+1}) = r(d_{j+1}), i < j  ⇒  Q(d⃗ with i, i+1 swapped) > Q(d⃗ with j, j+1 swapped)
    """
    d, r = base.documents, base.documents[:, 0]
    for i, j in combinations(np.flatnonzero(r[:-1] < r[1:]).tolist(), 2):
        if r[i] == r[j] and r[i + 1] == r[j + 1]:
            yield swapped(d, i, i + 1), swapped(d, j, j + 1)
