"""Whether a difference is smaller than a margin: non-inferiority and equivalence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from rankprism.arrays import Bools, Floats, Longs
from rankprism.data.note import Note
from rankprism.errors import InputError
from rankprism.statistics.paired import Moments

Words: TypeAlias = npt.NDArray[np.str_]

#: With fewer changed topics, and less than half of all, a loss as large as the margin passes too often.
FEW_CHANGED = 40


@dataclass(frozen=True)
class Margin:
    """The largest difference that does not matter: of scores, or in per cent of a baseline's mean.

    >>> Margin.of("2%"), Margin.of(0.01)
    (Margin(size=0.02, relative=True), Margin(size=0.01, relative=False))
    """

    size: float
    relative: bool

    @classmethod
    def of(cls, given: float | str) -> Margin:
        relative = isinstance(given, str) and given.rstrip().endswith("%")
        try:
            number = float(given.rstrip()[:-1] if relative and isinstance(given, str) else given)
        except (TypeError, ValueError):
            number = math.nan
        if isinstance(given, bool) or not isinstance(given, str | Real) or not 0 < number < math.inf:
            raise InputError(
                f"the margin must be a number above 0, or such a number of per cent, e.g. 2%; got {given!r}"
            )
        return cls(number / 100 if relative else number, relative)

    def __str__(self) -> str:
        return f"{100 * self.size:g}% of the baseline's mean" if self.relative else f"{self.size:g}"

    def sizes(self, means: Floats, pairs: Longs, runs: Sequence[str], measures: Sequence[str]) -> Floats:
        """(measure, pair): the margin of each pair. If it is relative, the second run is the
        baseline."""
        if not self.relative:
            return np.full((means.shape[1], len(pairs)), self.size)
        for r in np.unique(pairs[:, 1]).tolist():
            for m in np.flatnonzero(means[r] == 0).tolist():
                raise InputError(
                    f"the mean of the baseline {runs[r]!r} by {measures[m]!r} is 0, so a margin in per cent "
                    "of it is 0 too; give the margin as a difference of scores"
                )
        return np.asarray(self.size * np.abs(means[pairs[:, 1]].T))


@dataclass(frozen=True, eq=False)
class Margins:
    """The tests of all pairs against a margin. Arrays are (measure, pair)."""

    asked: Margin
    margin: Floats
    low: Floats  #: the interval that decides; not worse: low > -margin; equivalent: also high < margin
    high: Floats
    not_worse: Floats  #: p of the one-sided t-test that the loss is smaller than the margin, corrected
    equivalent: Floats  #: p of two one-sided t-tests that neither run is worse by the margin, corrected
    tests: int  #: the number of pairs for which p is corrected; the interval has the confidence 1 - 2α/tests


def within(
    asked: Margin, margin: Floats, found: Sequence[Moments], topics: int, alpha: float, tests: int
) -> Margins:
    """Two one-sided t-tests of each pair. p is multiplied by the number of tests (Bonferroni), so that an
    interval decides.

    margin : (measure, pair). found : the differences by each measure.
    """
    from scipy import special

    freedom = max(1, topics - 1)
    mean, s = (np.array([getattr(one, name) for one in found]) for name in ("mean", "s"))
    error = s / math.sqrt(topics) if topics > 1 else np.full_like(s, np.nan)

    def p(distance: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            found = special.stdtr(freedom, -distance / error)
        # At the margin itself nothing is shown, even if the difference is the same on every topic.
        return np.asarray(np.minimum(1.0, tests * np.where((error == 0) & (distance == 0), 1.0, found)))

    half_width = -special.stdtrit(freedom, alpha / tests) * error
    above, below = p(mean + margin), p(margin - mean)
    return Margins(
        asked, margin, mean - half_width, mean + half_width, above, np.maximum(above, below), tests
    )


def verdicts(margins: Margins, alpha: float, significant: Bools, sign: Floats, difference: Floats) -> Words:
    """(measure, pair): what is said of the first run of each pair. The first that applies:

    equivalent : the difference is shown to be smaller than the margin, even if it is significant
    better, worse : the difference is significant, and the means differ in the direction that the test favours
    not worse : the loss is shown to be smaller than the margin
    undecided : none of these. With one topic there is no verdict.
    """
    found = significant & (sign == np.sign(difference))
    conditions = [
        np.isnan(margins.equivalent),
        margins.equivalent < alpha,
        found & (sign > 0),
        found & (sign < 0),
        margins.not_worse < alpha,
    ]
    return np.select(conditions, ["", "equivalent", "better", "worse", "not worse"], "undecided")


def few_changed(verdict: Words, changed: Longs, topics: int) -> list[Note]:
    """A note if runs count as equivalent or not worse, but differ only on few topics."""
    passed = (verdict == "equivalent") | (verdict == "not worse")
    few = passed & (changed < FEW_CHANGED) & (2 * changed < topics)
    count = int(few.sum())
    if not count:
        return []
    least = int(changed[few].min())
    message = (
        f"'equivalent' or 'not worse' is said of {count} pair{'s' if count > 1 else ''} of runs that differ "
        f"on few topics ({least} of {topics} in one case), where a rare large loss can be missed; see the "
        "column 'changed topics' of the pairs"
    )
    return [Note("few-changed-topics", message, count, "")]
