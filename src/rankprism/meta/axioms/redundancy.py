"""Redundancy (Red, Eq. 7)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np

from rankprism.data import Floats
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
from rankprism.meta.axioms.rankings import Base, Ranking, Rankings

FULL = Detail(
    "full",
    "excluded",
    "the proof compares powers of 1 - r_c, which needs r_c < 1; the premises allow r_c = 1, with which one "
    "document satisfies an aspect fully and all later ones on it are worth the same",
    ("excluded", "allowed"),
    printed="allowed",
    premise="r_c < 1",
)


def only_on(t: int, r: float, aspects: int) -> Floats:
    """(1, A): a document that is relevant to only one aspect"""
    document = np.zeros((1, aspects))
    document[0, t] = r
    return document


def then(d: Ranking, *documents: Floats) -> Ranking:
    """The ranking with the documents added at its end"""
    return np.concatenate([d, *documents])


@constraint(
    number=7,
    scope=Scope(aspects=SEVERAL, grades="binary", overlap=False, highest=1.0, fewest=1, alike=ALIKE),
    premises=("binary relevance", "balanced aspects", "no aspect overlap"),
    details=(FULL, ANY_GRADE, CUTOFF, AD_HOC),
    cite=("amigo2018axiomatic",),
)
def Red(base: Base, full: str) -> Iterator[Rankings]:
    """Redundancy: after more documents on t than on t′, a new one on t′ is worth more than a new one on t.

    |{d_i on t}| > |{d_i on t′}|, r(d,t) = r(d′,t′) = r_c  ⇒  Q(d⃗, d′) > Q(d⃗, d)
    """
    d = base.documents
    A, r_c, seen = d.shape[1], float(d.max(initial=0.0)), (d > 0).sum(0)
    if r_c >= 1 and full == "excluded":
        return
    for t, u in permutations(range(A), 2):
        if seen[t] > seen[u]:
            yield then(d, only_on(u, r_c, A)), then(d, only_on(t, r_c, A))
