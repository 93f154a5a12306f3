"""Monotonic redundancy (MRed, Eq. 8)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankprism.meta.axioms.constraint import AD_HOC, ALIKE, CUTOFF, HIGHEST, SMALL, Scope, constraint
from rankprism.meta.axioms.rankings import Base, Rankings
from rankprism.meta.axioms.redundancy import only_on, then


@constraint(
    number=8,
    scope=Scope(aspects=(2,), fewest=2, alike=ALIKE),
    premises=("two balanced aspects", "r ≪ 1"),
    details=(HIGHEST, SMALL, CUTOFF, AD_HOC),
    cite=("amigo2018axiomatic",),
)
def MRed(base: Base) -> Iterator[Rankings]:
    """Monotonic redundancy: if every document so far is more about t than t′, a new one on t′ is worth more.

    r(d_i,t) > r(d_i,t′) for every i, r(d,t) = r(d′,t′) > 0  ⇒  Q(d⃗, d′) > Q(d⃗, d)
    """
    seen = -np.sort(-base.documents[:-1], axis=1)  # t is the first of the two
    seen = seen[seen[:, 0] > seen[:, 1]]
    r = float(base.documents[-1].max())
    if r > 0 and len(seen):
        yield then(seen, only_on(1, r, 2)), then(seen, only_on(0, r, 2))
