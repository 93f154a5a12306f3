"""Varying changes instances that are close to a violation, in order to find one.

Random instances rarely hit a fault that shows only for some grades, ranks or weights. But if a constraint
holds by a small margin, a small change may be enough to violate it. The bases of such instances are therefore
changed a little. Those whose margin is then still smaller are changed again, together with some random ones.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankprism.data import Floats, Longs
from rankprism.meta.axioms.bases import DEEP
from rankprism.meta.axioms.constraint import Scope
from rankprism.meta.axioms.rankings import Base

#: The largest number of aspects of a varied base, if a constraint is about more than two.
MANY = 12


def close_calls(margin: Floats, kind: Longs, most: int, rng: np.random.Generator) -> Longs:
    """Choose `most` instances to vary. Half of them have the smallest margins, equally many of each kind.

    `margin` is divided by the difference between the rankings: if two rankings hardly differ, it says nothing
    about the measure that their scores hardly differ.
    """
    rank_in_kind = np.zeros(len(margin), dtype=np.int64)
    for one in np.unique(kind):
        same = np.flatnonzero(kind == one)
        rank_in_kind[same[np.argsort(margin[same], kind="stable")]] = np.arange(len(same))
    closest = np.argsort(rank_in_kind, kind="stable")[: most // 2]
    return np.concatenate([closest, rng.integers(0, len(margin), most - len(closest))])


def varied(scope: Scope, base: Base, rng: np.random.Generator) -> Base:
    """The base with one or two changes. If it no longer satisfies the premises, it makes no instance."""
    for _ in range(int(rng.integers(1, 3))):
        base = _CHANGES[int(rng.integers(len(_CHANGES)))](scope, base, rng)
    return base


def _other_grade(scope: Scope, base: Base, rng: np.random.Generator) -> Base:
    """Replace a grade everywhere by any other, by one close to it, or by one close to another grade."""
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
    """Change the grade of one document a little, or to the grade of another document."""
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
    """Insert documents that are not relevant, or copies of one, at the top or in between."""
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
    """Swap two neighbours."""
    if len(base.documents) < 2:
        return base
    i = int(rng.integers(len(base.documents) - 1))
    d = base.documents.copy()
    d[[i, i + 1]] = d[[i + 1, i]]
    return replace(base, documents=d)


def _other_weights(scope: Scope, base: Base, rng: np.random.Generator) -> Base:
    """Make the weight of one aspect much smaller, or a little larger or smaller."""
    if scope.weights != "any" or len(base.weights) == 1:
        return base
    w = base.weights.copy()
    w[int(rng.integers(len(w)))] *= (
        10 ** rng.uniform(-2, 0.1) if rng.random() < 0.5 else rng.uniform(0.9, 1.1)
    )
    return replace(base, weights=w / w.sum())


def _more_aspects(scope: Scope, base: Base, rng: np.random.Generator) -> Base:
    """Add an aspect that is served by the same documents as another one, or by none."""
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
