"""Confidence (Conf, Eq. 5)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankprism.meta.axioms.constraint import ALIKE, CUTOFF, GRADES, HIGHEST, SMALL, Scope, constraint
from rankprism.meta.axioms.rankings import Base, Rankings


@constraint(
    number=5,
    scope=Scope(alike=ALIKE),
    premises=("single aspect", "r ≪ 1"),
    details=(GRADES, HIGHEST, SMALL, CUTOFF),
    cite=("amigo2018axiomatic",),
)
def Conf(base: Base) -> Iterator[Rankings]:
    """Confidence: adding a non-relevant document at the end lowers the score.

    Q(d⃗) > Q(d⃗, not relevant)
    """
    yield base.documents, np.vstack([base.documents, [[0.0]]])
