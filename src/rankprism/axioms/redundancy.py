"""Redundancy (Red, Eq. 7)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np

from rankprism.axioms.constraint import AD_HOC, ALIKE, CUTOFF, SEVERAL, SMALL, Reading, Scope, constraint
from rankprism.axioms.rankings import Base, Ranking, Rankings
from rankprism.data.hits import Floats

BORROWED = Reading(
    "highest",
    0.1,
    "the premises do not ask for r ≪ 1; it is asked all the same, because at r_c = 1 one document leaves "
    "nothing to be redundant with and cascades tie; highest=1 takes the premises as they are",
)


def only_on(t: int, r: float, aspects: int) -> Floats:
    """(1, A): a document on one aspect alone"""
    document = np.zeros((1, aspects))
    document[0, t] = r
    return document


def then(d: Ranking, *documents: Floats) -> Ranking:
    """The ranking, and below it the documents"""
    return np.concatenate([d, *documents])


@constraint(
    number=7,
    scope=Scope(aspects=SEVERAL, grades="binary", overlap=False, fewest=1, alike=ALIKE),
    premises=(
        "binary relevance",
        "balanced aspects",
        "no aspect overlap",
        "r ≪ 1, which the paper leaves out",
    ),
    readings=(BORROWED, SMALL, CUTOFF, AD_HOC),
    cite=("amigo2018axiomatic",),
)
def Red(base: Base) -> Iterator[Rankings]:
    """Redundancy: after more documents on t than on t′, one on t′ is worth more than one on t.

    |{d_i on t}| > |{d_i on t′}|, r(d,t) = r(d′,t′) = r_c  ⇒  Q(d⃗, d′) > Q(d⃗, d)
    """
    d = base.documents
    A, r_c, seen = d.shape[1], float(d.max(initial=0.0)), (d > 0).sum(0)
    for t, u in permutations(range(A), 2):
        if seen[t] > seen[u]:
            yield then(d, only_on(u, r_c, A)), then(d, only_on(t, r_c, A))
