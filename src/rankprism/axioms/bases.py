"""The bases that a constraint is tried on: all the small ones first, then random ones."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from rankprism.axioms.constraint import Constraint, Scope
from rankprism.axioms.rankings import Base, Instance, Rankings
from rankprism.data.hits import Floats
from rankprism.errors import InputError

#: How many small bases there are at most; all of one number of documents, or none.
SMALL = 1500
#: Weights that are easy to read, by the number of aspects.
SIMPLE_WEIGHTS = {2: (0.6, 0.4), 3: (0.5, 0.3, 0.2), 4: (0.4, 0.3, 0.2, 0.1)}
#: Random grades are so many parts of the highest.
LEVELS = 20
#: Now and then one grade is so small a part of it.
TINY = 0.001
#: Half of the random topics have up to so many judged documents that were not retrieved.
MISSED = 12
#: One in so many random rankings begins with documents that are all alike.
LONG = 6
_SPARSE = (0.0, 0.2, 0.5, 0.8)


def small_bases(scope: Scope, cutoff: int | None) -> Iterator[Base]:
    """All bases of few documents and few different grades, the smallest first.

    Then those of still fewer once more, with a document on one aspect that was judged but not retrieved.
    """
    aspects = scope.aspects[:2] if scope.aspects[0] == 1 else scope.aspects[:1]
    for most, missing in ((SMALL, False), (SMALL // 5, True)):
        for grades in _palettes(scope):
            for base in _all_bases(scope, grades, aspects, most, cutoff):
                if not missing:
                    yield base
                    continue
                for t in range(base.documents.shape[1]):
                    yield replace(base, missed=grades[-1] * np.eye(base.documents.shape[1])[[t]])


def _all_bases(
    scope: Scope, grades: tuple[float, ...], aspects: tuple[int, ...], most: int, cutoff: int | None
) -> Iterator[Base]:
    """All of a number of documents, as long as there are not too many of them."""
    low, high = _sizes(scope, cutoff)
    for n in range(low, high + 1):
        if sum(len(_documents(scope, grades, A)) ** n * len(_weights(scope, A)) for A in aspects) > most:
            break
        for A in aspects:
            for weights in _weights(scope, A):
                for documents in product(_documents(scope, grades, A), repeat=n):
                    yield Base(np.array(documents, dtype=np.float64).reshape(n, A), weights, cutoff)


def random_bases(scope: Scope, cutoff: int | None, rng: np.random.Generator) -> Iterator[Base]:
    """Bases without end: any number of documents and aspects, a few different grades, more or less sparse.

    Where the scope says so, some begin with documents of the highest grade on each aspect, as many as may
    satisfy it.
    """
    low, high = _sizes(scope, cutoff)

    def documents_of(n: int, A: int) -> Floats:
        documents = levels[rng.integers(0, len(levels), (n, A))]
        documents[rng.random((n, A)) < _SPARSE[rng.integers(len(_SPARSE))]] = 0.0
        if not scope.overlap:
            documents[rng.integers(0, A, n)[:, None] != np.arange(A)] = 0.0
        return documents

    while True:
        A = scope.aspects[rng.integers(len(scope.aspects))]
        n = int(rng.integers(low, high + 1))
        different = 1 if scope.grades == "binary" else int(rng.integers(1, 5))
        levels = np.round(scope.highest * rng.integers(1, LEVELS + 1, different) / LEVELS, 12)
        if rng.random() < 0.1:
            levels[-1] = round(scope.highest * TINY, 12)
        room = scope.alike if cutoff is None else min(scope.alike, (cutoff - n) // A)
        alike = int(rng.integers(1, room + 1)) if room > 0 and rng.integers(LONG) == 0 else 0
        if alike:
            levels[0] = scope.highest
        weights = np.full(A, 1 / A)
        if scope.weights == "any" and A > 1:
            # Also weights that hardly differ: where only they decide, little has to be enough.
            parts = rng.integers(1, 10, A) if rng.random() < 0.7 else rng.integers(500, 503, A)
            weights = parts / parts.sum()
        documents = documents_of(n, A)
        if alike and scope.overlap:
            documents = np.concatenate([np.full((alike, A), scope.highest), documents])
        elif alike:
            documents = np.concatenate([scope.highest * np.repeat(np.eye(A), alike, 0), documents])
        missed = documents_of(int(rng.integers(1, MISSED + 1)), A) if rng.random() < 0.5 else None
        yield Base(documents, weights, cutoff, missed)


def instances_of(constraint: Constraint, base: Base) -> list[Instance]:
    """What the constraint has to say about a base; nothing, if it does not satisfy the premises."""
    longest = base.cutoff if constraint.read_scope.cutoff == "free" and not constraint.bases else None
    made = []
    for case in constraint.cases(base, **constraint.own_readings):
        rankings = _checked(constraint, case, len(base.weights))
        pools = constraint.own_pools(rankings) if constraint.own_pools else None
        instance = Instance(rankings, base.weights, base.missed, pools)
        if longest is None or instance.longest <= longest:
            made.append(instance)
    return made


def _checked(constraint: Constraint, case: Any, A: int) -> Rankings:
    """The rankings of a case, which may be lists, as arrays (documents, aspects)."""
    if not isinstance(case, tuple | list) or not case:
        raise InputError(f"{constraint.name} yields {type(case).__name__}, not rankings; write `yield a, b`")
    made = []
    for ranking in case:
        try:
            grades = np.asarray(ranking, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError(
                f"{constraint.name} yields a ranking that is no table of numbers: {ranking!r}"
            ) from None
        grades = grades.reshape(0, A) if grades.size == 0 else grades
        if grades.ndim != 2 or grades.shape[1] != A:
            raise InputError(
                f"{constraint.name} yields a ranking of shape {grades.shape}; wanted is a row for each "
                f"document with its grades on {A} aspect{'s' if A > 1 else ''}"
            )
        made.append(grades)
    return tuple(made)


def generator(constraint: Constraint, seed: int) -> np.random.Generator:
    """Random numbers that depend on the seed and the constraint, not on what else is looked at."""
    return np.random.default_rng([seed, zlib.crc32(constraint.name.encode())])


def _sizes(scope: Scope, cutoff: int | None) -> tuple[int, int]:
    """How many documents a base has, at least and at most."""
    if cutoff is None:
        return scope.fewest, scope.most
    if scope.cutoff == "binding":
        return max(scope.fewest, cutoff - 1), max(scope.fewest, cutoff) + 4
    return scope.fewest, max(scope.fewest, min(scope.most, cutoff + 1))


def _palettes(scope: Scope) -> list[tuple[float, ...]]:
    """Few grades to choose from."""
    tenth, half, all_ = (round(scope.highest * share, 12) for share in (0.1, 0.5, 1.0))
    if scope.grades == "binary":
        return [(0.0, half), (0.0, all_)]
    return [(0.0, tenth, half)] if scope.aspects[0] == 1 and len(scope.aspects) == 1 else [(0.0, tenth, all_)]


def _documents(scope: Scope, grades: tuple[float, ...], A: int) -> list[tuple[float, ...]]:
    rows = [row[::-1] for row in product(grades, repeat=A)]
    return rows if scope.overlap else [row for row in rows if sum(r > 0 for r in row) <= 1]


def _weights(scope: Scope, A: int) -> list[Floats]:
    even = [np.full(A, 1 / A)]
    uneven = [np.array(SIMPLE_WEIGHTS[A])] if scope.weights == "any" and A in SIMPLE_WEIGHTS else []
    return even + uneven
