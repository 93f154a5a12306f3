"""Varying: from what a measure nearly gets wrong to what is close to it, in the hope that it gets that wrong.

A fault that shows only for some grades, ranks or weights is seldom hit by chance. But where a constraint
holds by little, little is enough to break it. So the bases of such instances are changed a little, those that
then hold by still less are changed again, and some that were drawn at random come along.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankprism.axioms.bases import DEEP
from rankprism.axioms.constraint import Scope
from rankprism.axioms.rankings import Base
from rankprism.data.hits import Floats, Longs

#: How many aspects a varied base may come to have, where a constraint is about more than two.
MANY = 12


def close_calls(margin: Floats, kind: Longs, most: int, rng: np.random.Generator) -> Longs:
    """So many instances to vary: half of them those that hold by least, of each kind as many.

    `margin` is by how much they hold for each unit by which their rankings differ: that the scores of two
    rankings hardly differ says nothing of the measure if the rankings hardly do.
    """
    rank_in_kind = np.zeros(len(margin), dtype=np.int64)
    for one in np.unique(kind):
        same = np.flatnonzero(kind == one)
        rank_in_kind[same[np.argsort(margin[same], kind="stable")]] = np.arange(len(same))
    closest = np.argsort(rank_in_kind, kind="stable")[: most // 2]
    return np.concatenate([closest, rng.integers(0, len(margin), most - len(closest))])


def varied(scope: Scope, base: Base, rng: np.random.Generator) -> Base:
    """The base with one or two things changed; what no longer satisfies the premises makes no instance."""
    for _ in range(int(rng.integers(1, 3))):
        base = _CHANGES[int(rng.integers(len(_CHANGES)))](scope, base, rng)
    return base


def _other_grade(scope: Scope, base: Base, rng: np.random.Generator) -> Base:
    """One grade becomes another wherever it stands: any, one close to it, or one close to another."""
    d = base.documents
    present = np.unique(d[d > 0])
    if len(present) == 0:
        return base
    old, near = rng.choice(present, 2)
    chance = rng.random()
    if chance < 0.3:
        new = scope.highest * (1 - rng.random())
    else:
        new = (old if chance < 0.6 else near) * (1 + rng.choice((-1, 1)) * 10 ** -rng.uniform(1, 3))
    new = round(float(min(max(new, 0.0), scope.highest)), 12)
    missed = None if base.missed is None else np.where(base.missed == old, new, base.missed)
    return replace(base, documents=np.where(d == old, new, d), missed=missed)


def _one_grade(scope: Scope, base: Base, rng: np.random.Generator) -> Base:
    """One document's grade changes by little, or becomes another document's."""
    d = base.documents.copy()
    where = np.argwhere(d > 0)
    if len(where) == 0 or scope.grades == "binary":
        return base
    i, t = where[int(rng.integers(len(where)))]
    if rng.random() < 0.5:
        d[i, t] = d[tuple(where[int(rng.integers(len(where)))])]
    else:
        d[i, t] = round(min(scope.highest, float(d[i, t]) * 10 ** rng.uniform(-0.2, 0.2)), 12)
    return replace(base, documents=d)


def _deeper(scope: Scope, base: Base, rng: np.random.Generator) -> Base:
    """Documents that are not relevant, or like one that is there, come on top or in between."""
    d = base.documents
    room = (DEEP if scope.alike else scope.most) - len(d)
    if room <= 0:
        return base
    n = 1 if rng.random() < 0.5 else int(rng.integers(1, room + 1))
    at = 0 if n > 1 else int(rng.integers(0, len(d) + 1))
    like = d[int(rng.integers(len(d)))] if len(d) and rng.random() < 0.3 else np.zeros(d.shape[1])
    return replace(base, documents=np.insert(d, [at] * n, like, axis=0))


def _shorter(scope: Scope, base: Base, rng: np.random.Generator) -> Base:
    if len(base.documents) <= scope.fewest:
        return base
    return replace(base, documents=np.delete(base.documents, int(rng.integers(len(base.documents))), 0))


def _exchanged(scope: Scope, base: Base, rng: np.random.Generator) -> Base:
    """Two neighbours change places."""
    if len(base.documents) < 2:
        return base
    i = int(rng.integers(len(base.documents) - 1))
    d = base.documents.copy()
    d[[i, i + 1]] = d[[i + 1, i]]
    return replace(base, documents=d)


def _other_weights(scope: Scope, base: Base, rng: np.random.Generator) -> Base:
    """One aspect becomes much less important, or a little more or less."""
    if scope.weights != "any" or len(base.weights) == 1:
        return base
    w = base.weights.copy()
    w[int(rng.integers(len(w)))] *= (
        10 ** rng.uniform(-2, 0.1) if rng.random() < 0.5 else rng.uniform(0.9, 1.1)
    )
    return replace(base, weights=w / w.sum())


def _more_aspects(scope: Scope, base: Base, rng: np.random.Generator) -> Base:
    """One aspect more, served by the same documents as one that is there, or by none."""
    A = len(base.weights)
    if max(scope.aspects) < 3 or A >= MANY:
        return base
    t = int(rng.integers(A))
    serves = scope.overlap and rng.random() < 0.5
    weights = np.append(base.weights, base.weights[t])

    def wider(d: Floats) -> Floats:
        return np.column_stack([d, d[:, t] if serves else np.zeros(len(d))])

    missed = None if base.missed is None else wider(base.missed)
    return replace(base, documents=wider(base.documents), weights=weights / weights.sum(), missed=missed)


_CHANGES = (
    _other_grade,
    _other_grade,
    _one_grade,
    _deeper,
    _shorter,
    _exchanged,
    _other_weights,
    _more_aspects,
)
