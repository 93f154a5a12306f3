"""The bases on which a constraint is tested: first all small ones, then random ones."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations, product
from typing import Any

import numpy as np

from rankprism.data import Floats
from rankprism.errors import InputError
from rankprism.meta.axioms.constraint import Constraint, Scope
from rankprism.meta.axioms.rankings import Base, Instance, Ranking, Rankings

#: The largest number of small bases. The bases with one number of documents are all included, or none is.
SMALL = 1500
#: Weights that are easy to read, by the number of aspects.
SIMPLE_WEIGHTS = {2: (0.6, 0.4), 3: (0.5, 0.3, 0.2), 4: (0.4, 0.3, 0.2, 0.1)}
#: About half of the random grades lie on a grid with this many steps up to the highest, the others anywhere.
LEVELS = 20
#: Each rank down to this one is tried, as far as the cutoff allows.
DEEP = 128
#: Sometimes a grade is as small as this share of the highest.
TINY = 0.001
#: In half of the random topics, up to this many judged documents were not retrieved.
MISSED = 12
#: One random ranking in this many begins with documents that are all alike.
LONG = 3
#: With fewer aspects, documents cannot share some aspects without sharing all of them.
_SHARED = 4
_SPARSE = (0.0, 0.2, 0.5, 0.8)


def small_bases(scope: Scope, cutoff: int | None) -> Iterator[Base]:
    """All bases of few documents and few different grades, the smallest first.

    After them come bases of still fewer documents, with one more document that was judged but not retrieved.
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
    """All bases with each number of documents, as long as there are not too many."""
    low, high = _sizes(scope, cutoff)
    for n in range(low, high + 1):
        if sum(len(_documents(scope, grades, A)) ** n * len(_weights(scope, A)) for A in aspects) > most:
            break
        for A in aspects:
            for weights in _weights(scope, A):
                for documents in product(_documents(scope, grades, A), repeat=n):
                    yield Base(np.array(documents, dtype=np.float64).reshape(n, A), weights, cutoff)


def drawn_bases(
    scope: Scope, cutoff: int | None, rng: np.random.Generator, wanted: int
) -> Iterator[tuple[int, int, Iterator[Base]]]:
    """Sources of random bases: how many of the `wanted` instances each source gives, and each base.

    Random draws rarely hit a certain rank or a certain pair of grades, or documents that compete for the same
    aspects. One source therefore goes through all ranks, one through all grades, one has documents that share
    aspects, and the rest is drawn freely.
    """
    yield wanted // 5, 2, late_bases(scope, cutoff, rng)
    yield wanted // 6, 1, neighbouring_grades(scope, cutoff, rng, wanted // 8)
    yield wanted // 6, 1, pairs_of_grades(scope, cutoff, rng)
    yield wanted // 10, 1, shared_aspects(scope, cutoff, rng)
    yield wanted, 3, random_bases(scope, cutoff, rng)


def random_bases(scope: Scope, cutoff: int | None, rng: np.random.Generator) -> Iterator[Base]:
    """Endless random bases: any number of documents and aspects, a few different grades, more or less sparse.

    If the scope says so, some begin with documents of the highest grade on each aspect, as many as may be
    needed to satisfy the aspect.
    """
    low, high = _sizes(scope, cutoff)
    while True:
        A = _aspects(scope, rng)
        n = int(rng.integers(low, high + 1))
        levels = _levels(scope, A, rng)
        room = scope.alike if cutoff is None else min(scope.alike, (cutoff - n) // A)
        alike = int(rng.integers(1, room + 1)) if room > 0 and rng.integers(LONG) == 0 else 0
        if alike:
            levels[0] = scope.highest
        documents = _draw(scope, levels, n, A, rng)
        if alike and scope.overlap:
            documents = np.concatenate([np.full((alike, A), scope.highest), documents])
        elif alike:
            documents = np.concatenate([scope.highest * np.repeat(np.eye(A), alike, 0), documents])
        yield Base(documents, _random_weights(scope, A, rng), cutoff, _missed(scope, levels, A, rng))


def late_bases(scope: Scope, cutoff: int | None, rng: np.random.Generator) -> Iterator[Base]:
    """Bases with a few documents below 1, 2, … others, so that every rank down to `DEEP` is tested.

    The others are not relevant, or hardly relevant to every aspect, or hardly relevant to the first aspect.
    """
    low = max(scope.fewest, 1)
    deepest = DEEP if cutoff is None else min(DEEP, max(0, cutoff - low))
    while deepest and scope.alike:
        for n in (1 + rng.permutation(deepest)).tolist():
            for kind in range(3):
                A = _aspects(scope, rng)
                levels = _levels(scope, A, rng)
                above = np.zeros((n, A))
                # Binary grades are all the same. Other grades are small enough to leave an aspect
                # unsatisfied.
                little = levels[0] if scope.grades == "binary" else scope.highest * TINY
                if kind == 1 and scope.overlap:
                    above[:] = little
                elif kind == 1:
                    above[np.arange(n), np.arange(n) % A] = little
                elif kind == 2:
                    above[:, 0] = little
                few = _draw(scope, levels, low + int(rng.integers(0, 4)), A, rng)
                chance = rng.random()
                if A == 1 and chance < 0.5:
                    # Moving up the last document raises the score, and so do some documents just above it.
                    few = np.resize([[0.0], [levels[-1]]], (low + low % 2, 1))
                elif A == 1 and chance < 0.7 and scope.grades == "graded":
                    # A document that is hardly relevant, below one that is relevant.
                    few = np.array([[0.0], [levels[0]], [scope.highest * TINY]])
                yield Base(np.concatenate([above, few]), _random_weights(scope, A, rng), cutoff)


def neighbouring_grades(
    scope: Scope, cutoff: int | None, rng: np.random.Generator, steps: int
) -> Iterator[Base]:
    """Bases with two neighbouring grades of a ladder that leads from 0 to the highest grade in `steps` steps.

    An error of a measure in a range of grades that is as wide as a step shows at the edges of this range.
    """
    while steps:
        ladder = np.sort((np.arange(steps) + rng.random(steps)) / steps) * scope.highest
        for step in rng.permutation(steps).tolist():
            yield _few(scope, ladder[step : step + 2], cutoff, rng)


def pairs_of_grades(scope: Scope, cutoff: int | None, rng: np.random.Generator) -> Iterator[Base]:
    """Bases with two grades, which go through all pairs of `LEVELS`."""
    grid = scope.highest * np.arange(1, LEVELS + 1) / LEVELS
    pairs = np.array(list(combinations(range(LEVELS), 2)))
    while True:
        for pair in rng.permutation(pairs):
            yield _few(scope, grid[pair], cutoff, rng)


def shared_aspects(scope: Scope, cutoff: int | None, rng: np.random.Generator) -> Iterator[Base]:
    """Bases of a few documents of one grade, each of which serves half of the aspects.

    In such topics it matters which document comes first: a greedy ideal ranking may begin with a document
    after which none of the others adds as much as before.
    """
    low, high = _sizes(scope, cutoff)
    many = [A for A in scope.aspects if A >= _SHARED]
    while many and scope.overlap and high >= max(low, _SHARED - 1):
        A = many[int(rng.random() ** 2 * len(many))]
        n = int(rng.integers(max(low, _SHARED - 1), min(high, max(low, A)) + 1))
        served = np.argsort(rng.random((n, A)), axis=1) < A // 2
        grade = _levels(scope, A, rng)[0]
        yield Base(np.where(served, grade, 0.0), _random_weights(scope, A, rng), cutoff)


def _few(scope: Scope, levels: Floats, cutoff: int | None, rng: np.random.Generator) -> Base:
    """Documents of a small base, most of which alternate between the grades."""
    levels = np.round(levels[: 1 if scope.grades == "binary" else None], 12)
    low, high = _sizes(scope, cutoff)
    A = _aspects(scope, rng)
    n = min(high, max(low, 2) + (0 if A == 1 else int(rng.integers(1, 3))))
    documents = _draw(scope, levels, n, A, rng, _SPARSE[int(rng.random() * 3)])
    chance = rng.random()
    if A == 1 or (scope.overlap and chance < 0.4):
        documents = np.repeat(np.resize(levels if len(levels) > 1 else np.append(0.0, levels), (n, 1)), A, 1)
    elif chance < 0.7:
        documents = np.where(documents > 0, np.resize(levels, (n, 1)), 0.0)
    return Base(documents, _random_weights(scope, A, rng), cutoff)


def _aspects(scope: Scope, rng: np.random.Generator) -> int:
    return scope.aspects[int(rng.random() ** 2 * len(scope.aspects))]


def _levels(scope: Scope, A: int, rng: np.random.Generator) -> Floats:
    """A few different grades: on the grid of `LEVELS`, anywhere, or two of them close together.

    With many aspects there are fewer grades, because some measures look at all their combinations.
    """
    different = 1 if scope.grades == "binary" else int(rng.integers(1, 5 if A <= 4 else 3))
    levels = rng.integers(1, LEVELS + 1, different) / LEVELS
    chance = rng.random()
    if chance < 0.45:
        levels = 1 - rng.random(different)
    if chance < 0.1 and different > 1:
        levels[1] = levels[0] * (1 - 10 ** -rng.uniform(1, 3))
    if chance > 0.8:
        levels[-1] = TINY
    return np.asarray(np.round(scope.highest * levels, 12))


def _draw(
    scope: Scope, levels: Floats, n: int, A: int, rng: np.random.Generator, sparse: float | None = None
) -> Floats:
    """(n, A) documents of these grades, where this share of the grades is 0.

    Half of them have something that is rare by chance: one document is a step better than another on every
    aspect or, with one aspect, the last two documents are like two others.
    """
    steps = np.array(sorted({0.0, *levels.tolist()}))
    if sparse is None:
        sparse = _SPARSE[int(rng.random() * len(_SPARSE))]
    at = np.ceil((rng.random((n, A)) - sparse) / (1 - sparse) * (len(steps) - 1)).astype(np.int64)
    np.maximum(at, 0, out=at)
    chance = rng.random()
    if chance < 0.5 and scope.overlap and n > 1 and A > 1:
        old = int(2 * chance * n)
        new = old - 1 if old else n - 1
        np.minimum(at[old], len(steps) - 2, out=at[old])
        at[new] = at[old] + 1
    elif chance < 0.5 and n > 3 and A == 1:
        other = int(2 * chance * (n - 3))
        at[-2:] = at[other : other + 2]
    documents: Floats = steps[at]
    if not scope.overlap:
        documents[(rng.random(n) * A).astype(np.int64)[:, None] != np.arange(A)] = 0.0
    return documents


def _random_weights(scope: Scope, A: int, rng: np.random.Generator) -> Floats:
    """Random weights: balanced, of similar size, some very small, or nearly equal. The last kind is for
    constraints in which only the weights decide, so that a small difference must be enough."""
    if scope.weights != "any" or A == 1:
        return np.full(A, 1 / A)
    chance = rng.random()
    if chance < 0.5:
        parts = rng.integers(1, 10, A).astype(np.float64)
    elif chance < 0.75:
        parts = 10 ** rng.uniform(-3, 0, A)
    else:
        parts = rng.integers(500, 503, A).astype(np.float64)
    return np.asarray(parts / parts.sum())


def _missed(scope: Scope, levels: Floats, A: int, rng: np.random.Generator) -> Floats | None:
    if rng.random() < 0.5:
        return None
    return _draw(scope, levels, int(rng.integers(1, MISSED + 1)), A, rng)


def some_instances(constraint: Constraint, base: Base, most: int, rng: np.random.Generator) -> list[Instance]:
    """A few instances of a constraint that are made from a base.

    They are the last case, in which constraints reach the lowest rank, and random other cases.
    """
    cases = list(constraint.cases(base, **constraint.own_details))
    others = rng.permutation(len(cases) - 1)[: most - 1] if len(cases) > 1 else ()
    return _instances(constraint, base, [cases[i] for i in (*others, -1)] if cases else [])


def spread_instances(constraint: Constraint, base: Base, most: int) -> list[Instance]:
    """The instances that a base gives. If there are many, only the last cases and some others."""
    cases = list(constraint.cases(base, **constraint.own_details))
    if len(cases) > most:
        half = most // 2
        cases = cases[: -half : 1 + len(cases) // half] + cases[-half:]
    return _instances(constraint, base, cases)


def instances_of(constraint: Constraint, base: Base) -> list[Instance]:
    """The instances that a base gives. There are none if it does not satisfy the premises."""
    return _instances(constraint, base, constraint.cases(base, **constraint.own_details))


def _instances(constraint: Constraint, base: Base, cases: Iterable[Rankings]) -> list[Instance]:
    scope = constraint.read_scope
    longest = base.cutoff if scope.cutoff == "free" and not constraint.bases else None
    made = []
    for case in cases:
        rankings = _checked(constraint, case, len(base.weights))
        if scope.small == "room" and not all(map(_has_room, rankings)):
            continue
        pools = constraint.own_pools(rankings) if constraint.own_pools else None
        instance = Instance(rankings, base.weights, base.missed, pools)
        if longest is None or instance.longest <= longest:
            made.append(instance)
    return made


def _has_room(ranking: Ranking) -> bool:
    """Whether every aspect has room left. Ten times .1 leaves none, although floats may not sum to 1."""
    return bool(np.nansum(ranking, axis=0).max(initial=0.0) < 1 - 1e-9)


def _checked(constraint: Constraint, case: Any, A: int) -> Rankings:
    """The rankings of a case as arrays (documents, aspects). They may be given as lists."""
    if not isinstance(case, tuple | list) or not case:
        raise InputError(f"{constraint.name} yields {type(case).__name__}, not rankings; write `yield a, b`")
    made = []
    for ranking in case:
        try:
            grades = np.asarray(ranking, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError(
                f"{constraint.name} yields a ranking that is not a table of numbers: {ranking!r}"
            ) from None
        grades = grades.reshape(0, A) if grades.size == 0 else grades
        if grades.ndim != 2 or grades.shape[1] != A:
            raise InputError(
                f"{constraint.name} yields a ranking of shape {grades.shape}; it must have a row for "
                f"each document, with its grades on {A} aspect{'s' if A > 1 else ''}"
            )
        made.append(grades)
    return tuple(made)


def generator(constraint: Constraint, seed: int, stream: int = 0) -> np.random.Generator:
    """A generator that depends only on the seed and the constraint."""
    return np.random.default_rng([seed, zlib.crc32(constraint.name.encode()), stream])


def _sizes(scope: Scope, cutoff: int | None) -> tuple[int, int]:
    """The smallest and the largest number of documents in a base."""
    if cutoff is None:
        return scope.fewest, scope.most
    if scope.cutoff == "binding":
        return max(scope.fewest, cutoff - 1), max(scope.fewest, cutoff) + 4
    return scope.fewest, max(scope.fewest, min(scope.most, cutoff + 1))


def _palettes(scope: Scope) -> list[tuple[float, ...]]:
    """The sets of grades in small bases."""
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
