"""Lots: many instances of a constraint that are scored together.

A constraint makes instances from bases. The small bases come first, and then random ones. Those on which a
measure nearly violates the constraint can be varied: see `vary.py`.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import NamedTuple

import numpy as np

from rankprism.data import Bools, Floats, Hits, Longs
from rankprism.errors import InputError
from rankprism.measures import Measure
from rankprism.meta.axioms.bases import drawn_bases, generator, instances_of, small_bases, some_instances
from rankprism.meta.axioms.constraint import EQUAL, FINITE, MORE, Constraint
from rankprism.meta.axioms.rankings import Base, Instance, NotApplicable, hits_of, score_instances, short
from rankprism.meta.axioms.vary import close_calls, varied

_GENERATIONS = 5  # rounds of varying
_BROOD = 4  # instances from one base that was varied
#: Lengths of rankings below which instances form batches and families of their own.
LENGTHS = (16, 65, 513)
_PATIENCE = 60  # random bases for each wanted instance, before we give up
_BRIEFLY = 5  # the same for bases that only some constraints can use


@dataclass(frozen=True, eq=False)
class Lot:
    """Instances that are scored together, and the base of each."""

    bases: tuple[Base, ...]
    instances: tuple[Instance, ...]
    batches: tuple[tuple[Longs, Hits], ...]  # which instances, and their rankings
    lengths: Longs  # (instances,) of the longest ranking

    @cached_property
    def kinds(self) -> Longs:
        """(instances,) a number for each combination of the number of aspects and the approximate length"""
        lengths = np.searchsorted(LENGTHS, self.lengths)
        return np.array([10 * len(base.weights) for base in self.bases], dtype=np.int64) + lengths

    @cached_property
    def apart(self) -> Floats:
        """(instances,) how much the rankings of each instance differ"""
        return np.array([instance.apart for instance in self.instances])

    def scores(self, measure: Measure) -> Floats:
        """(instances, rankings of each)"""
        scores = np.zeros((len(self.instances), len(self.instances[0].rankings)))
        for which, hits in self.batches:
            scores[which] = score_instances(measure, [self.instances[i] for i in which], hits)
        return scores

    def within(self, longest: int | None) -> Bools:
        """(instances,) whether the rankings are not longer than this"""
        return np.asarray(self.lengths <= (np.inf if longest is None else longest))


def make_lot(bases: Sequence[Base], instances: Sequence[Instance]) -> Lot:
    """Put instances with the same number of aspects and similar lengths into a batch, to avoid padding."""
    kinds: dict[tuple[int, int], list[int]] = {}
    lengths = np.array([instance.longest for instance in instances], dtype=np.int64)
    for i, instance in enumerate(instances):
        kind = len(instance.weights), bisect(LENGTHS, lengths[i])
        kinds.setdefault(kind, []).append(i)
    batches = tuple((np.array(which), hits_of([instances[i] for i in which])) for which in kinds.values())
    return Lot(tuple(bases), tuple(instances), batches, lengths)


def lot_cutoff(constraint: Constraint, measure: Measure) -> int | None:
    """The cutoff for which instances are made. Measures that no cutoff affects share their instances."""
    scope = constraint.read_scope
    cutoff = measure.cutoff
    if constraint.needs_cutoff or scope.cutoff == "binding" or cutoff is None:
        return cutoff
    return None if constraint.bases or cutoff > scope.most + 1 else cutoff


@dataclass(frozen=True, eq=False)
class Lots:
    """The small instances of a constraint, and then the random ones. Each lot is made when it is needed."""

    constraint: Constraint
    cutoff: int | None
    instances: int
    seed: int

    def __iter__(self) -> Iterator[Lot]:
        return (lot for lot in self._lots() if lot.instances)

    def _lots(self) -> Iterator[Lot]:
        yield self._small
        fewest = self.constraint.read_scope.fewest
        too_long = not self._small.instances and self.cutoff is not None and self.cutoff < fewest
        if self.instances and self.constraint.bases is None and not too_long:
            yield self._random

    @cached_property
    def _small(self) -> Lot:
        constraint = self.constraint
        if constraint.bases is not None:
            bases = iter(constraint.bases(**constraint.own_details))
        else:
            bases = small_bases(constraint.read_scope, self.cutoff)
        return _lot(constraint, ((base, instances_of(constraint, base)) for base in bases))

    @cached_property
    def _random(self) -> Lot:
        rng = generator(self.constraint, self.seed)
        return _lot(self.constraint, _drawn(self.constraint, self.cutoff, self.instances, rng))


def _drawn(
    constraint: Constraint, cutoff: int | None, wanted: int, rng: np.random.Generator
) -> Iterator[tuple[Base, list[Instance]]]:
    """Random bases with a few instances of each, until there are enough instances."""
    left = wanted
    for share, most, bases in drawn_bases(constraint.read_scope, cutoff, rng, wanted):
        enough = max(0, left - share)
        for base in islice(bases, share * (_PATIENCE if share == wanted else _BRIEFLY)):
            if left <= enough:
                break
            if constraint.quantifier == "every":
                some = some_instances(constraint, base, most, rng)
            else:
                some = instances_of(constraint, base)
            left -= len(some)
            yield base, some


def _lot(constraint: Constraint, made: Iterable[tuple[Base, list[Instance]]]) -> Lot:
    """All instances of some bases."""
    pairs = [(base, instance) for base, some in made for instance in some]
    sizes = sorted({len(instance.rankings) for _, instance in pairs})
    if len(sizes) > 1:
        raise InputError(
            f"{constraint.name} yields {sizes[0]} rankings and {sizes[-1]}; all cases need equally many"
        )
    return make_lot([base for base, _ in pairs], [instance for _, instance in pairs])


class Scored(NamedTuple):
    """A lot, and what the scores of a measure say about each instance."""

    lot: Lot
    scores: Floats  #: (instances, rankings of each), of which the higher one is better
    within: Bools  #: (instances,) whether the rankings are not longer than the cutoff
    holds: Bools  #: (instances,) whether the relation holds
    ties: Bools  #: (instances,) whether scores tie that have to differ

    @property
    def tried(self) -> int:
        """The number of instances within the cutoff."""
        return int(self.within.sum())

    @classmethod
    def of(cls, measure: Measure, constraint: Constraint, lot: Lot, within: Bools) -> Scored:
        """Score a lot. NotApplicable is raised if the measure says that it has no score for an instance."""
        scores = lot.scores(measure)
        holds = _related(constraint, scores)
        ties = ~holds & EQUAL(scores) if constraint.relation is MORE else np.zeros_like(holds)
        return cls(lot, scores, within, holds, ties)

    def no_number(self, constraint: Constraint) -> str:
        """Why scores cannot be compared, if one of them is not a finite number."""
        wrong = ~np.isfinite(self.scores) & self.within[:, None]
        if constraint.relation is FINITE or not wrong.any():
            return ""
        i, j = np.argwhere(wrong)[0]
        ranking = short(self.lot.instances[i].rankings[j])
        return f"the score of the ranking [{ranking}] is {self.scores[i, j]}, which is not a finite number"


def scored_lots(
    measure: Measure, constraint: Constraint, lots: Iterable[Lot], variations: int, seed: int
) -> Iterator[Scored]:
    """The lots with their scores, and then about as many variations of their instances as are wanted.

    Lots with only longer rankings than the cutoff are left out. NotApplicable is raised if the measure has no
    score for an instance, or none that is a finite number.
    """
    longest = _longest(constraint, measure)
    seen: list[Scored] = []
    for lot in lots:
        within = lot.within(longest)
        if within.any():
            seen.append(_comparable(constraint, Scored.of(measure, constraint, lot, within)))
            yield seen[-1]
    for lot in _variations(constraint, seen, longest, variations, generator(constraint, seed, 1)):
        try:
            one = Scored.of(measure, constraint, lot, lot.within(longest))
        except NotApplicable:
            return  # the variation went too far
        seen.append(_comparable(constraint, one))
        yield seen[-1]


def _comparable(constraint: Constraint, scored: Scored) -> Scored:
    why = scored.no_number(constraint)
    if why:
        raise NotApplicable(why)
    return scored


def _variations(
    constraint: Constraint,
    seen: Sequence[Scored],
    longest: int | None,
    wanted: int,
    rng: np.random.Generator,
) -> Iterator[Lot]:
    """Lots of varied instances with small margins from `seen`. The caller adds each lot to `seen`."""
    if constraint.quantifier != "every" or constraint.relation.margin is None:
        return
    scope = constraint.read_scope
    parents = wanted // (_GENERATIONS * _BROOD)
    for _ in range(_GENERATIONS if seen and parents else 0):
        bases = [one.lot.bases[i] for one in seen for i in np.flatnonzero(one.within)]
        # Long instances have smaller margins than short ones for every measure, so both kinds are varied.
        kinds = np.concatenate([one.lot.kinds[one.within] for one in seen])
        margin = np.concatenate(
            [(constraint.relation.margin(*one.scores.T) / one.lot.apart)[one.within] for one in seen]
        )
        made = []
        for i in close_calls(margin, kinds, parents, rng):
            base = varied(scope, bases[i], rng)
            some = some_instances(constraint, base, _BROOD, rng)
            made.append((base, [x for x in some if longest is None or x.longest <= longest]))
        lot = _lot(constraint, made)
        if lot.instances:
            yield lot


def _related(constraint: Constraint, scores: Floats) -> Bools:
    """(instances,) where the relation holds"""
    try:
        return constraint.relation(scores)
    except TypeError as error:
        given = f"{scores.shape[1]} ranking{'s' if scores.shape[1] > 1 else ''}"
        sign = constraint.relation.sign
        raise InputError(f"{constraint.name}: the relation {sign} cannot compare {given}: {error}") from None


def _longest(constraint: Constraint, measure: Measure) -> int | None:
    """The largest length of a ranking."""
    free = constraint.read_scope.cutoff == "free" and constraint.bases is None
    return measure.cutoff if free else None
