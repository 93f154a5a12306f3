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

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from rankprism.measures import Measure, parse, verdicts
from rankprism.meta.axioms.constraint import Constraint, find_constraint
from rankprism.meta.axioms.lots import Lot, Lots, lot_cutoff, scored_lots
from rankprism.meta.axioms.proofs import proof_of
from rankprism.meta.axioms.rankings import NotApplicable, turned
from rankprism.meta.axioms.trials import Every, Some
from rankprism.meta.axioms.verdict import Verdict

#: The number of random instances for each constraint.
INSTANCES = 4000
_SHARE = 4  # random instances for each varied one


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
    if why := _unaskable(measure, constraint):
        return Verdict(measure, constraint, verdicts.UNASKABLE, note=why)
    argument = proof_of(measure, constraint)
    every = constraint.quantifier == "every"
    trial = (
        Every(measure, constraint, argument, shrink=shrink) if every else Some(measure, constraint, argument)
    )
    try:
        for scored in scored_lots(measure, constraint, lots, 0 if argument else variations, seed):
            if (verdict := trial.look_at(scored)) is not None:
                return verdict
    except NotApplicable as error:
        return Verdict(measure, constraint, verdicts.UNASKABLE, note=str(error))
    return trial.verdict()


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


def _ad_hoc(constraint: Constraint) -> str:
    return str(constraint["ad_hoc"]) if any(r.name == "ad_hoc" for r in constraint.details) else "fold"
