"""Trials: what lots of scored instances show about a measure and a constraint.

The relation of a constraint must hold on every instance, or on some of those that one base makes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rankprism.data import Bools, Floats
from rankprism.measures import Measure, verdicts
from rankprism.meta.axioms.constraint import EQUAL, MORE, Constraint
from rankprism.meta.axioms.lots import LENGTHS, Lot, Scored
from rankprism.meta.axioms.proofs import disproof_of
from rankprism.meta.axioms.shrink import size, smallest
from rankprism.meta.axioms.verdict import Verdict

_LOOK = 30  # counterexamples to choose one from; small ones come first
_CLEAR = 1e-9  # scores that differ by this share of their size are far from a tie


@dataclass
class Trial(ABC):
    """What was seen so far. `argument` says why the constraint is satisfied; it is empty without a proof."""

    measure: Measure
    constraint: Constraint
    argument: str
    tried: int = 0
    unclear: int = 0
    notes: list[str] = field(default_factory=list)
    first: Scored | None = None
    unseen: str = ""  # which values of n do not show what is proved

    def look_at(self, scored: Scored) -> Verdict | None:
        """The verdict if these instances refute that the measure satisfies the constraint, or None."""
        self.tried += scored.tried
        self.first = self.first or scored
        if self.argument and scored.holds.any():
            # If the constraint is proved, a tie far down is only a difference that is too small for a float.
            holds = scored.holds | scored.ties
            scored = scored._replace(holds=holds, ties=np.zeros_like(holds))
        return self._refuted(scored)

    @abstractmethod
    def _refuted(self, scored: Scored) -> Verdict | None: ...

    def verdict(self) -> Verdict:
        """The verdict if no instance refutes the constraint."""
        if self.first is None:
            return Verdict(self.measure, self.constraint, verdicts.UNASKABLE, note=_too_long(self.measure))
        at = _easy(self.first)
        if self.unclear:
            self.notes.append(f"{self.unclear:,} more were too close to tell")
        # If there are no other bases than these, it is enough to find one m for each.
        shown_by_value = self.constraint.bases is not None and self.constraint.read_quantifier == "some"
        return Verdict(
            self.measure,
            self.constraint,
            verdicts.PROVED if self.argument or shown_by_value else verdicts.NOT_REFUTED,
            self.tried - self.unclear,
            example=self.first.lot.instances[at],
            scores=tuple(self.first.scores[at].tolist()),
            note=self.argument + self.unseen or max(self.notes, key=_last_number, default=""),
        )


@dataclass
class Every(Trial):
    """The relation must hold on every instance. The counterexample is made as small as possible."""

    shrink: bool = True

    def _refuted(self, scored: Scored) -> Verdict | None:
        ties = scored.within & scored.ties
        broken = scored.within & ~scored.holds & ~scored.ties
        found = self._violation(scored, broken) if broken.any() else self._tie(scored, ties)
        if found is None:
            self.unclear += int(ties.sum())
        return found

    def _violation(self, scored: Scored, which: Bools) -> Verdict:
        """The smallest counterexample that can be found by shrinking those in the lot."""
        first = _smallest_of(self.constraint, scored.lot, which)[0]
        found = scored.lot.instances[first], scored.scores[first]
        if self.shrink:
            broken = _is_broken(self.constraint)
            found = smallest(self.measure, self.constraint, broken, scored.lot.bases[first], *found) or found
        instance, scores = found
        return Verdict(
            self.measure,
            self.constraint,
            verdicts.REFUTED,
            self.tried,
            instance,
            scores=tuple(scores.tolist()),
        )

    def _tie(self, scored: Scored, ties: Bools) -> Verdict | None:
        """The smallest tie, if it is a real tie and not a difference that is too small for a float.

        Two scores that agree to 14 digits may be equal or may differ by less than a float can hold. In the
        second case, some smaller instance differs a little. A tie is therefore real if every instance that is
        one step smaller either ties or differs clearly, and so on down to the smallest instance.
        """
        relation, lot = self.constraint.relation, scored.lot

        def lost(scores: Floats) -> Bools:
            """Whether the scores differ, but not clearly."""
            apart = np.abs(np.diff(scores, axis=1))[:, 0]
            return np.asarray(relation(scores) & (apart <= _CLEAR * np.abs(scores).max(1, initial=0.0)))

        for first in _ties_to_examine(self.constraint, lot, ties) if ties.any() else ():
            smaller = smallest(
                self.measure,
                self.constraint,
                lambda scores: ~relation(scores),
                lot.bases[first],
                lot.instances[first],
                scored.scores[first],
                doubtful=lost,
            )
            if smaller is not None:
                instance, found = smaller
                return Verdict(
                    self.measure,
                    self.constraint,
                    verdicts.REFUTED,
                    self.tried,
                    instance,
                    scores=tuple(found.tolist()),
                )
        return None


@dataclass
class Some(Trial):
    """The relation must hold for some n, or from some n on, for the instances of each base."""

    def _refuted(self, scored: Scored) -> Verdict | None:
        for family in _families(scored.lot):
            family = family[scored.within[family]]
            if len(family) == 0:
                continue
            at, note = _over(self.constraint, scored.holds[family])
            if at is not None:
                # The values of n that were tried cannot refute that the relation holds from some n on.
                if not (self.argument and self.constraint.read_quantifier == "eventually"):
                    return self._violation(scored, int(family[at]), note)
                self.unseen = f"; up to {note.split()[-1]} it does not show"
            self.notes.append(note)
        return None

    def _violation(self, scored: Scored, at: int, note: str) -> Verdict:
        why = disproof_of(self.measure, self.constraint)
        return Verdict(
            self.measure,
            self.constraint,
            verdicts.REFUTED,
            self.tried,
            scored.lot.instances[at],
            scores=tuple(scored.scores[at].tolist()),
            note=f"for no {self.constraint.variable}: {why}" if why else note,
        )


def _is_broken(constraint: Constraint) -> Callable[[Floats], Bools]:
    if constraint.relation is not MORE:
        return lambda scores: ~constraint.relation(scores)
    return lambda scores: ~constraint.relation(scores) & ~EQUAL(scores)


def _ties_to_examine(constraint: Constraint, lot: Lot, ties: Bools) -> list[int]:
    """The smallest tie, and the tie with the lowest grades in each range of lengths.

    The higher the grades, the sooner an aspect is satisfied and a difference becomes too small for a float.
    """
    every = np.flatnonzero(ties)
    highest = np.array([np.nanmax(lot.bases[i].documents, initial=0.0) for i in every])
    ranges = np.searchsorted(LENGTHS, lot.lengths[every])
    lowest = [every[ranges == one][np.argmin(highest[ranges == one])] for one in np.unique(ranges)]
    return list(dict.fromkeys([_smallest_of(constraint, lot, ties)[0], *map(int, lowest)]))


def _smallest_of(constraint: Constraint, lot: Lot, which: Bools) -> list[int]:
    """Some of these instances, the smallest first."""
    every = np.flatnonzero(which)
    some = every[np.argsort(lot.lengths[every], kind="stable")][:_LOOK].tolist()
    return sorted(some, key=lambda i: size(constraint, lot.bases[i], lot.instances[i]))


def _too_long(measure: Measure) -> str:
    at_most = "" if measure.cutoff is None else f" of at most {measure.cutoff} documents"
    return f"no ranking{at_most} satisfies the premises"


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


def _easy(scored: Scored) -> int:
    """A small instance on which the relation holds and which is not empty."""
    holds = scored.holds & scored.within
    where = np.flatnonzero(holds) if holds.any() else np.arange(len(holds))
    instances = scored.lot.instances
    some = (i for i in where if instances[i].longest > 1 and np.nanmax(instances[i].rankings[0], initial=0))
    return int(next(some, where[0]))


def _last_number(note: str) -> int:
    digits = "".join(c for c in note if c.isdigit())
    return int(digits) if digits else 0
