"""Shrinking makes a counterexample as small as possible."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from rankprism.data import Bools, Floats
from rankprism.measures import Measure
from rankprism.meta.axioms.bases import SIMPLE_WEIGHTS, spread_instances
from rankprism.meta.axioms.constraint import Constraint
from rankprism.meta.axioms.rankings import Base, Instance, score_instances

#: The number of documents that are considered for one base. A long ranking has thousands of instances, and
#: all would be scored at each step.
_ENOUGH = 3000
#: In rankings that are not longer than this, each document is considered on its own.
_SHORT = 12


def smallest(
    measure: Measure,
    constraint: Constraint,
    broken: Callable[[Floats], Bools],
    base: Base,
    instance: Instance,
    scores: Floats,
    doubtful: Callable[[Floats], Bools] | None = None,
) -> tuple[Instance, Floats] | None:
    """A counterexample that no single step makes smaller, and its scores.

    A step changes the base, and the constraint makes new instances from it, so the premises always hold.
    `broken` says which scores (N, rankings) belong to counterexamples. If a step leads to scores that are
    `doubtful`, there is no result.
    """
    while True:
        now = size(constraint, base, instance)
        for bases in simpler(constraint, base):
            candidates = [
                (measured, candidate, made)
                for candidate in bases
                for made in spread_instances(constraint, candidate, max(8, _ENOUGH // max(1, int(now[0]))))
                if (measured := size(constraint, candidate, made)) < now
            ]
            if not candidates:
                continue
            candidates.sort(key=lambda candidate: candidate[0])
            others = score_instances(measure, [made for _, _, made in candidates])
            if doubtful is not None and doubtful(others).any():
                return None
            found = np.flatnonzero(broken(others))
            if len(found):
                _, base, instance = candidates[found[0]]
                scores = others[found[0]]
                break
        else:
            return instance, scores


def simpler(constraint: Constraint, base: Base) -> Iterator[list[Base]]:
    """Simpler bases. Large steps come first: without half of the documents, without a quarter, and so on.

    In long rankings, a document that cannot be left out may still become non-relevant.
    """
    n, fewest = len(base.documents), constraint.read_scope.fewest
    block = n // 2
    while block > 1:
        yield [
            replace(base, documents=np.delete(base.documents, slice(i, i + block), 0))
            for i in range(0, n, block)
            if n - block >= fewest
        ]
        if n > _SHORT:
            yield [_blank(base, slice(i, i + block)) for i in range(0, n, block)]
        block //= 2
    yield list(_one_step(constraint, base))


def _blank(base: Base, which: slice) -> Base:
    documents = base.documents.copy()
    documents[which] = 0.0
    return replace(base, documents=documents)


def _one_step(constraint: Constraint, base: Base) -> Iterator[Base]:
    """Bases with one document or aspect fewer, with fewer or rounder grades, or with simpler weights."""
    d, w = base.documents, base.weights
    scope = constraint.read_scope
    # If many neighbours are equal, only the first is tried.
    new = np.ones(len(d), dtype=bool)
    new[1:] = (d[1:] != d[:-1]).any(1)
    for i in range(len(d) if len(d) > scope.fewest else 0):
        if new[i]:
            yield replace(base, documents=np.delete(d, i, 0))
    if len(w) > min(scope.aspects):
        for t in range(len(w)):
            left = np.delete(w, t)
            fewer = None if base.missed is None else np.delete(base.missed, t, 1)
            yield replace(base, documents=np.delete(d, t, 1), weights=left / left.sum(), missed=fewer)
    if base.missed is not None:
        yield replace(base, missed=None)
        for i in range(len(base.missed)):
            yield replace(base, missed=np.delete(base.missed, i, 0))
    for i, t in np.argwhere((d > 0) & (new[:, None] | (len(d) <= _SHORT))).tolist():
        changed = d.copy()
        changed[i, t] = 0.0
        yield replace(base, documents=changed)
    everything = d if base.missed is None else np.concatenate([d, base.missed])
    present = np.unique(everything[everything > 0])
    for grade in present:
        for other in sorted({0.0, *present.tolist(), *_round_grades(constraint)} - {float(grade)}):
            missed = None if base.missed is None else np.where(base.missed == grade, other, base.missed)
            yield replace(base, documents=np.where(d == grade, other, d), missed=missed)
    if scope.weights == "any" and len(w) in SIMPLE_WEIGHTS:
        for order in (np.arange(len(w)), np.argsort(np.argsort(-w))):
            yield replace(base, weights=np.array(SIMPLE_WEIGHTS[len(w)])[order])
        yield replace(base, weights=np.full(len(w), 1 / len(w)))


def _round_grades(constraint: Constraint) -> list[float]:
    return [round(constraint.read_scope.highest * share, 12) for share in (0.1, 0.5, 1.0)]


def size(constraint: Constraint, base: Base, instance: Instance) -> tuple[float, ...]:
    """A measure of how hard an instance is to read."""
    d = np.concatenate([*instance.rankings, *([] if instance.missed is None else [instance.missed])])
    grades = np.unique(d[d > 0])
    w = instance.weights
    plain = 0 if np.ptp(w) < 1e-9 else 1 if len(w) in SIMPLE_WEIGHTS and _is_simple(w) else 2
    odd = len(set(np.round(grades, 12).tolist()) - set(_round_grades(constraint)))
    return (len(d), len(w), int((d > 0).sum()), len(grades), odd, plain, len(base.documents))


def _is_simple(w: Floats) -> bool:
    return bool(np.allclose(np.sort(w)[::-1], SIMPLE_WEIGHTS[len(w)]))
