"""Aspect relevance saturation (Sat, Eq. 9)."""

from __future__ import annotations

from collections.abc import Iterator

from rankprism.meta.axioms.constraint import (
    AD_HOC,
    ALIKE,
    CUTOFF,
    NOT_LESS,
    SEVERAL,
    Detail,
    Scope,
    constraint,
)
from rankprism.meta.axioms.rankings import Base, Rankings
from rankprism.meta.axioms.redundancy import only_on, then

R_MAX = Detail(
    "r_max",
    1.0,
    "a document cannot satisfy an aspect more than fully, so 1 is the r_max that is easiest to satisfy",
)
WEIGHTS = Detail("weights", "any", "the premises do not ask for balanced aspects", ("any", "balanced"))
ASPECTS = Detail("aspects", "any", "one aspect is the simplest case of no overlap", ("any", "several"))


@constraint(
    number=9,
    relation=NOT_LESS,
    scope=Scope(aspects=(1, *SEVERAL), weights="any", overlap=False, highest=1.0, fewest=1, alike=ALIKE),
    premises=("no aspect overlap",),
    details=(R_MAX, WEIGHTS, ASPECTS, CUTOFF, AD_HOC),
    cite=("amigo2018axiomatic",),
)
def Sat(base: Base, r_max: float) -> Iterator[Rankings]:
    """Saturation: after a document that fully satisfies an aspect, another on it does not raise the score.

    there is an r_max:  r(d_n,t) = r_max, r(d_{n+1},t) > 0  ⇒  Q(d⃗) ≥ Q(d⃗, d_{n+1})
    """
    d, last = base.documents[:-1], base.documents[-1:]
    if last.any():
        seen = then(d, only_on(int(last.argmax()), r_max, last.shape[1]))
        yield seen, then(seen, last)
