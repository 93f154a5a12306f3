"""The search for rankings on which a measure violates a constraint.

A constraint makes rankings from a base, which is a few documents with grades and weights, and says which
relation must hold between their scores. The search works on bases: it lists small ones, draws random
ones, varies those on which the constraint nearly fails, and makes a counterexample smaller by making its
base smaller. At each step the constraint itself checks its premises. Thousands of rankings form one batch
of hits, in which each is a topic with its own pool, and all measures score the same batch. A verdict says
what was shown: a counterexample, a number of instances without a violation, or an argument. The package
finds the modules of constraints itself. A constraint that is one of the ten has a `number`.

`axioms/recorded.py` is the only source of verdicts. Recorded verdicts are in `measures/verdicts.json`,
which the catalogue reads as well. All others are searched with the same number of instances, once in each
process. `advice.py` turns verdicts, discriminative power, unanimity and a user's story into sentences.
The report and `axioms --story` print these sentences and write none of their own.

For each constraint, the search first tries all small instances, which have few documents and few
different grades. Then it tries 4,000 random instances (`--instances`, `--seed`). About half of these are
drawn freely. The others go through the ranks and the grades one by one, or have documents that share
aspects, because random draws rarely hit a certain rank, a certain pair of grades or documents that
compete for the same aspects. If no instance violates the constraint and no argument is recorded, the
search continues for five rounds with 1,000 more instances in all. In each round it takes the instances
that come closest to a violation and changes them a little.

- grades: Grades are at most .1 where a constraint asks for r ≪ 1, and at most 1 in Red, Sat, AspRel and
  the other properties. Half of them are on a grid of 20 steps, the others anywhere. Each of the 190 pairs
  of grades on the grid is tried a few times. With one aspect, neighbouring grades on a ladder of 500 are
  tried too, so that an error in a range of 1/250 of the highest grade is usually found. With several
  aspects, more is left to chance.
- aspects: 2 to 8 aspects, and up to 12 when instances are changed. MRed has two aspects. Pri, Deep,
  DeepTh, CloseTh, Conf, Swap, Replace, Conv and Ideal have one. In a tenth of the random instances with
  four aspects or more, each document serves half of the aspects.
- ranks: Every rank down to 128 or to the cutoff is tried. An instance has up to 10 documents. Above them
  are up to 127 documents that are not relevant or hardly relevant, or up to 16 documents of the highest
  grade. DeepTh and CloseTh go down to rank 16,384.
- weights: Weights are balanced, proportional to whole numbers from 1 to 9, skewed (down to about .001),
  or nearly equal.
- judged documents that were not retrieved: There are none, or up to 12.

To test the search, the test suite has 39 measures with one fault each. A measure is wrong only for grades
from .0613 to .0617, for example, or only if .035 and .07 occur together, only with seven aspects, only at
ranks 57 and 58, or only for weights below .004. The search finds all of these faults with the default
seed and number of instances. However, it was written with these faults in view. A fairer test uses faults
in regions that are drawn at random. The search finds most of those, but not all. It mostly misses errors
of AspDiv in a narrow range of grades. `python tests/axioms/test_axiom_faults.py SEED` draws such faults
and counts how many are found.

Some errors cannot be found in this way:

- an error at a single grade that is not on the grid;
- an error below rank 128, except in DeepTh and CloseTh;
- an error with more than 12 aspects;
- an error that needs several rare conditions at the same time;
- an error that only makes a tie and changes scores by less than 10⁻⁹ of their size.

`--instances 40000` tries more instances within the same limits.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice, repeat
from typing import Any

import numpy as np

from rankprism.data.arrays import Bools, Floats, Longs
from rankprism.data.hits import Hits
from rankprism.errors import InputError
from rankprism.measures.grammar import parse
from rankprism.measures.measure import Measure
from rankprism.measures.verdicts import NOT_REFUTED, PROVED, REFUTED, UNASKABLE
from rankprism.meta.axioms.bases import drawn_bases, generator, instances_of, small_bases, some_instances
from rankprism.meta.axioms.constraint import EQUAL, FINITE, MORE, Constraint, find_constraint
from rankprism.meta.axioms.proofs import disproof_of, proof_of
from rankprism.meta.axioms.rankings import (
    Base,
    Instance,
    NotApplicable,
    hits_of,
    score_instances,
    short,
    turned,
)
from rankprism.meta.axioms.shrink import size, smallest
from rankprism.meta.axioms.vary import close_calls, varied
from rankprism.meta.axioms.verdict import Verdict

#: The number of random instances for each constraint.
INSTANCES = 4000
_SHARE = 4  # random instances for each varied one
_GENERATIONS = 5  # rounds of varying
_BROOD = 4  # instances from one base that was varied
_LENGTHS = (16, 65, 513)
_LOOK = 30  # counterexamples to choose one from; small ones come first
_CLEAR = 1e-9  # scores that differ by this share of their size are far from a tie
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
        lengths = np.searchsorted(_LENGTHS, self.lengths)
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
        kind = len(instance.weights), bisect(_LENGTHS, lengths[i])
        kinds.setdefault(kind, []).append(i)
    batches = tuple((np.array(which), hits_of([instances[i] for i in which])) for which in kinds.values())
    return Lot(tuple(bases), tuple(instances), batches, lengths)


def search_verdicts(
    measures: Iterable[str | Measure],
    constraints: Iterable[str | Constraint],
    *,
    instances: int = INSTANCES,
    seed: int = 0,
    on_progress: Callable[[float], None] | None = None,
) -> list[Verdict]:
    """The verdict on each measure and constraint from a search, measure after measure.

    All measures are tried on the same instances, which depend only on the seed. If no instance is a violation
    and no argument is recorded, instances that come close to one are varied: a quarter as many again.
    `rankprism.axioms.examine` uses what was recorded of earlier searches.
    """
    chosen = [parse(measure) for measure in measures]
    asked = [find_constraint(constraint) for constraint in constraints]
    found: dict[tuple[int, int], Verdict] = {}
    done = 0
    for c, constraint in enumerate(asked):
        lots: dict[int | None, Lots] = {}
        for m, measure in enumerate(chosen):
            cutoff = lot_cutoff(constraint, measure)
            lots.setdefault(cutoff, Lots(constraint, cutoff, instances, seed))
            found[m, c] = judge(measure, constraint, lots[cutoff], variations=instances // _SHARE, seed=seed)
            done += 1
            if on_progress:
                on_progress(done / (len(chosen) * len(asked)))
    return [found[m, c] for m in range(len(chosen)) for c in range(len(asked))]


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


def judge(
    measure: Measure,
    constraint: Constraint,
    lots: Iterable[Lot],
    *,
    shrink: bool = True,
    variations: int = 0,
    seed: int = 0,
) -> Verdict:
    """The verdict from the instances, and from their variations if none is a violation."""
    found = _judged(measure, constraint, lots, shrink, variations, seed)
    return replace(found, scores=tuple(turned(measure, np.array(found.scores)).tolist()))


def _judged(
    measure: Measure, constraint: Constraint, lots: Iterable[Lot], shrink: bool, variations: int, seed: int
) -> Verdict:
    """The same, with scores of which the higher one is better."""
    why = _unaskable(measure, constraint)
    if why:
        return Verdict(measure, constraint, UNASKABLE, note=why)
    argument = proof_of(measure, constraint)
    tried, unclear, notes = 0, 0, []
    easy: tuple[Lot, Floats, Bools] | None = None
    longest = _longest(constraint, measure)
    seen: list[tuple[Lot, Floats, Bools]] = []
    around = (
        () if argument else _variations(constraint, seen, longest, variations, generator(constraint, seed, 1))
    )
    for lot, is_varied in chain(zip(lots, repeat(False)), zip(around, repeat(True))):
        within = lot.within(longest)
        if not within.any():
            continue
        try:
            scores = lot.scores(measure)
        except NotApplicable as error:
            if is_varied:  # the variation went too far
                break
            return Verdict(measure, constraint, UNASKABLE, note=str(error))
        why = _no_number(constraint, lot, scores, within)
        if why:
            return Verdict(measure, constraint, UNASKABLE, note=why)
        seen.append((lot, scores, within))
        tried += int(within.sum())
        holds = _related(constraint, scores)
        easy = easy or (lot, scores, holds & within)
        ties = ~holds & EQUAL(scores) if constraint.relation is MORE else np.zeros_like(holds)
        if argument and holds.any():
            # If the constraint is proved, a tie far down is only a difference that is too small for a float.
            holds, ties = holds | ties, np.zeros_like(ties)
        if constraint.quantifier == "every":
            broken = within & ~holds & ~ties
            if broken.any():
                return _violated(measure, constraint, lot, scores, broken, tried, shrink)
            tied = _tied(measure, constraint, lot, scores, within & ties, tried)
            if tied is not None:
                return tied
            unclear += int((within & ties).sum())
            continue
        for family in _families(lot):
            family = family[within[family]]
            if len(family) == 0:
                continue
            at, note = _over(constraint, holds[family])
            # The values of n that were tried cannot refute that the relation holds from some n on.
            if at is not None and not (argument and constraint.read_quantifier == "eventually"):
                shown, found = lot.instances[family[at]], tuple(scores[family[at]].tolist())
                why = disproof_of(measure, constraint)
                return Verdict(
                    measure,
                    constraint,
                    REFUTED,
                    tried,
                    shown,
                    scores=found,
                    note=f"for no {constraint.variable}: {why}" if why else note,
                )
            if at is not None:
                argument = f"{proof_of(measure, constraint)}; up to {note.split()[-1]} it does not show"
            notes.append(note)
    if easy is None:
        return Verdict(measure, constraint, UNASKABLE, note=_too_long(measure))
    lot, scores, holds = easy
    at = _easy(lot, holds)
    if unclear:
        notes.append(f"{unclear:,} more were too close to tell")
    # If there are no other bases than these, it is enough to find one m for each.
    shown_by_value = constraint.bases is not None and constraint.read_quantifier == "some"
    return Verdict(
        measure,
        constraint,
        PROVED if argument or shown_by_value else NOT_REFUTED,
        tried - unclear,
        example=lot.instances[at],
        scores=tuple(scores[at].tolist()),
        note=argument or max(notes, key=_last_number, default=""),
    )


def _variations(
    constraint: Constraint,
    seen: Sequence[tuple[Lot, Floats, Bools]],
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
        bases = [lot.bases[i] for lot, _, within in seen for i in np.flatnonzero(within)]
        # Long instances have smaller margins than short ones for every measure, so both kinds are varied.
        kinds = np.concatenate([lot.kinds[within] for lot, _, within in seen])
        margins = [constraint.relation.margin(*scores.T) / lot.apart for lot, scores, _ in seen]
        margin = np.concatenate([m[within] for m, (_, _, within) in zip(margins, seen, strict=True)])
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


def _violated(
    measure: Measure,
    constraint: Constraint,
    lot: Lot,
    scores: Floats,
    which: Bools,
    tried: int,
    shrink: bool,
) -> Verdict:
    """The smallest counterexample that can be found by shrinking those in the lot."""
    first = _smallest_of(constraint, lot, which)[0]
    instance, found = lot.instances[first], scores[first]
    if shrink:
        base = lot.bases[first]
        broken = _is_broken(constraint)
        instance, found = smallest(measure, constraint, broken, base, instance, found) or (instance, found)
    return Verdict(measure, constraint, REFUTED, tried, instance, scores=tuple(found.tolist()))


def _is_broken(constraint: Constraint) -> Callable[[Floats], Bools]:
    if constraint.relation is not MORE:
        return lambda scores: ~constraint.relation(scores)
    return lambda scores: ~constraint.relation(scores) & ~EQUAL(scores)


def _tied(
    measure: Measure, constraint: Constraint, lot: Lot, scores: Floats, ties: Bools, tried: int
) -> Verdict | None:
    """The smallest tie, if it is a real tie and not a difference that is too small for a float.

    Two scores that agree to 14 digits may be equal or may differ by less than a float can hold. In the second
    case, some smaller instance differs a little. A tie is therefore real if every instance that is one step
    smaller either ties or differs clearly, and so on down to the smallest instance.
    """
    if not ties.any():
        return None

    def lost(scores: Floats) -> Bools:
        """Whether the scores differ, but not clearly."""
        apart = np.abs(np.diff(scores, axis=1))[:, 0]
        return np.asarray(
            constraint.relation(scores) & (apart <= _CLEAR * np.abs(scores).max(1, initial=0.0))
        )

    for first in _ties_to_examine(constraint, lot, ties):
        smaller = smallest(
            measure,
            constraint,
            lambda scores: ~constraint.relation(scores),
            lot.bases[first],
            lot.instances[first],
            scores[first],
            doubtful=lost,
        )
        if smaller is not None:
            instance, found = smaller
            return Verdict(measure, constraint, REFUTED, tried, instance, scores=tuple(found.tolist()))
    return None


def _ties_to_examine(constraint: Constraint, lot: Lot, ties: Bools) -> list[int]:
    """The smallest tie, and the tie with the lowest grades in each range of lengths.

    The higher the grades, the sooner an aspect is satisfied and a difference becomes too small for a float.
    """
    every = np.flatnonzero(ties)
    highest = np.array([np.nanmax(lot.bases[i].documents, initial=0.0) for i in every])
    ranges = np.searchsorted(_LENGTHS, lot.lengths[every])
    lowest = [every[ranges == one][np.argmin(highest[ranges == one])] for one in np.unique(ranges)]
    return list(dict.fromkeys([_smallest_of(constraint, lot, ties)[0], *map(int, lowest)]))


def _smallest_of(constraint: Constraint, lot: Lot, which: Bools) -> list[int]:
    """Some of these instances, the smallest first."""
    every = np.flatnonzero(which)
    some = every[np.argsort(lot.lengths[every], kind="stable")][:_LOOK].tolist()
    return sorted(some, key=lambda i: size(constraint, lot.bases[i], lot.instances[i]))


def _unaskable(measure: Measure, constraint: Constraint) -> str:
    """Why a constraint cannot be asked of a measure; an empty string if it can."""
    if measure.needs == "preferences":
        return "it needs preferences, and constraints are about the grades of documents"
    several = constraint.bases is None and max(constraint.scope.aspects) > 1
    if several and measure.definition.single and _ad_hoc(constraint) == "not applicable":
        return "it looks at one aspect"
    if constraint.needs_cutoff and measure.cutoff is None:
        return "it has no cutoff"
    return ""


def _no_number(constraint: Constraint, lot: Lot, scores: Floats, within: Bools) -> str:
    """Why scores cannot be compared, if one of them is not a finite number."""
    wrong = ~np.isfinite(scores) & within[:, None]
    if constraint.relation is FINITE or not wrong.any():
        return ""
    i, j = np.argwhere(wrong)[0]
    ranking = short(lot.instances[i].rankings[j])
    return f"the score of the ranking [{ranking}] is {scores[i, j]}, which is not a finite number"


def _too_long(measure: Measure) -> str:
    at_most = "" if measure.cutoff is None else f" of at most {measure.cutoff} documents"
    return f"no ranking{at_most} satisfies the premises"


def _ad_hoc(constraint: Constraint) -> str:
    return str(constraint["ad_hoc"]) if any(r.name == "ad_hoc" for r in constraint.details) else "fold"


def _families(lot: Lot) -> Iterator[Any]:
    """The instances of each base."""
    start = 0
    for i in range(1, len(lot.bases) + 1):
        if i == len(lot.bases) or lot.bases[i] is not lot.bases[start]:
            yield np.arange(start, i)
            start = i


def _over(constraint: Constraint, holds: Bools) -> tuple[int | None, str]:
    """The case to show if a base is a violation, and the values for which the relation holds."""
    quantifier = constraint.read_quantifier
    x, values = constraint.variable, constraint.values or tuple(range(1, len(holds) + 1))
    where = np.flatnonzero(holds)
    if quantifier == "some":
        if len(where):
            return None, f"for {x} = {values[where[0]]:,}" if x else ""
        # The smallest values are rarely close to a violation.
        return min(
            1, len(holds) - 1
        ), f"for no {x} up to {values[-1]:,}" if x else f"for none of the {len(holds)} cases"
    fails = np.flatnonzero(~holds)
    if len(fails) == 0 or fails[-1] < len(holds) - 1:
        return None, f"for {x} ≥ {values[0 if len(fails) == 0 else fails[-1] + 1]:,}"
    first = where[-1] + 1 if len(where) else 0
    return int(first), f"for no {x} from {values[first]:,} to {values[-1]:,}"


def _easy(lot: Lot, holds: Bools) -> int:
    """A small instance on which the relation holds and which is not empty."""
    where = np.flatnonzero(holds) if holds.any() else np.arange(len(holds))
    some = (
        i
        for i in where
        if lot.instances[i].longest > 1 and np.nanmax(lot.instances[i].rankings[0], initial=0)
    )
    return int(next(some, where[0]))


def _last_number(note: str) -> int:
    digits = "".join(c for c in note if c.isdigit())
    return int(digits) if digits else 0
