"""Query aspect diversity (AspDiv, Eq. 6)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankprism.meta.axioms.constraint import (
    AD_HOC,
    ALIKE,
    CUTOFF,
    GRADES,
    HIGHEST,
    SEVERAL,
    SMALL,
    Scope,
    constraint,
)
from rankprism.meta.axioms.rankings import Base, Rankings


@constraint(
    number=6,
    scope=Scope(aspects=SEVERAL, weights="any", fewest=2, alike=ALIKE),
    premises=("r ≪ 1",),
    details=(GRADES, HIGHEST, SMALL, CUTOFF, AD_HOC),
    cite=("amigo2018axiomatic",),
)
def AspDiv(base: Base) -> Iterator[Rankings]:
    """Query aspect diversity: replacing a document by one that is better on every aspect raises the score.

    r(d′,t) > r(d_i,t) for every t  ⇒  Q(d⃗ with d′ for d_i) > Q(d⃗)
    """
    documents = base.documents
    is_better = np.asarray((documents[:, None] > documents).all(-1))
    for new in np.flatnonzero(is_better.any(1)):
        others = np.delete(documents, new, 0)
        for old in np.flatnonzero(np.delete(is_better[new], new)):
            better = others.copy()
            better[old] = documents[new]
            yield better, others
