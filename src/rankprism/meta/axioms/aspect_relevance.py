"""Aspect relevance (AspRel, Eq. 10)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from rankprism.meta.axioms.constraint import (
    AD_HOC,
    ALIKE,
    ANY_GRADE,
    CUTOFF,
    SEVERAL,
    Detail,
    Scope,
    constraint,
)
from rankprism.meta.axioms.rankings import Base, Rankings
from rankprism.meta.axioms.redundancy import only_on, then

DIRECTION = Detail(
    "direction",
    "proof",
    "as printed, Eq. 10 says the opposite: the document on the aspect with the smaller weight must win; all "
    "20 measures of the paper violate this, so both readings of the whole table follow the proof",
    ("proof", "printed"),
)
SUFFIX = Detail(
    "suffix",
    "none",
    "the proof compares only the documents at i; a later document on t is worth less below another one on "
    "t, which Eq. 10 does not exclude",
    ("none", "any"),
    printed="any",
    premise="no document follows i",
)


@constraint(
    number=10,
    scope=Scope(aspects=SEVERAL, weights="any", overlap=False, highest=1.0, fewest=1, alike=ALIKE),
    premises=("no aspect overlap", "t and t′ not seen before i"),
    details=(DIRECTION, SUFFIX, ANY_GRADE, CUTOFF, AD_HOC),
    cite=("amigo2018axiomatic",),
)
def AspRel(base: Base, direction: str, suffix: str) -> Iterator[Rankings]:
    """Aspect relevance: of two unseen aspects, a document on the one with the greater weight is worth more.

    w(t) > w(t′), r(d,t) = r(d′,t′) > 0, t and t′ not seen before i  ⇒  Q(…, d at i, …) > Q(…, d′ at i, …)
    """
    d, A, r = base.documents[:-1], base.documents.shape[1], float(base.documents[-1].max())
    if r == 0:
        return
    for t, u in permutations(range(A), 2):
        if not base.weights[t] > base.weights[u] + 1e-9:
            continue
        for i in range(len(d) + 1) if suffix == "any" else (len(d),):
            before = d[:i][~d[:i, [t, u]].any(1)]
            heavy = then(before, only_on(t, r, A), d[i:])
            light = then(before, only_on(u, r, A), d[i:])
            yield (heavy, light) if direction == "proof" else (light, heavy)
