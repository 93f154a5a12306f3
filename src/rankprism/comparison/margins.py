"""Whether a difference is smaller than a margin: non-inferiority and equivalence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from rankprism.data import Bools, Floats, Longs, Note
from rankprism.errors import InputError
from rankprism.statistics import Moments

Words: TypeAlias = npt.NDArray[np.str_]

#: With fewer changed topics, and less than half of all, a loss as large as the margin passes too often.
FEW_CHANGED = 40
#: Differences that are all equal may be this far from the margin, in units of it, only because of rounding.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Margin:
    """The largest difference that does not matter: of scores, or in per cent of a baseline's mean.

    >>> Margin.of("2%"), Margin.of(0.01)
    (Margin(size=0.02, relative=True), Margin(size=0.01, relative=False))
    """

    size: float
    relative: bool

    @classmethod
    def of(cls, given: float | str, *, zero: bool = False) -> Margin:
        """zero : whether a margin of 0 is allowed."""
        relative = isinstance(given, str) and given.rstrip().endswith("%")
        try:
            number = float(given.rstrip()[:-1] if relative and isinstance(given, str) else given)
        except (TypeError, ValueError, OverflowError):  # a whole number of any length
            number = math.nan
        allowed = 0 < number < math.inf or (zero and number == 0)
        if isinstance(given, bool) or not isinstance(given, str | Real) or not allowed:
            limits = "0 or a number above it" if zero else "a number above 0"
            raise InputError(
                f"the margin must be {limits}, or such a number of per cent, e.g. 2%; got {given!r}"
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
    #: The interval that decides. Not worse: low > -margin, or high < margin if a lower score is better.
    #: Equivalent: both.
    low: Floats
    high: Floats
    not_worse: Floats  #: p of the one-sided t-test that the loss is smaller than the margin, corrected
    equivalent: Floats  #: p of two one-sided t-tests that neither run is worse by the margin, corrected
    tests: int  #: the number of pairs for which p is corrected; the interval has the confidence 1 - 2α/tests


def within(
    asked: Margin,
    margin: Floats,
    found: Sequence[Moments],
    direction: Floats,
    topics: int,
    alpha: float,
    tests: int,
) -> Margins:
    """Two one-sided t-tests of each pair. p is multiplied by the number of tests (Bonferroni), so that an
    interval decides.

    margin : (measure, pair). found : the differences by each measure. direction : (measure,), -1 if a lower
    score is better.
    """
    mean, s = (np.array([getattr(one, name) for one in found]) for name in ("mean", "s"))
    above, below = (
        np.minimum(1.0, tests * one_sided(sign * mean, margin, s, topics))
        for sign in (direction[:, None], -direction[:, None])
    )
    half = half_width(s, topics, alpha / tests)
    return Margins(asked, margin, mean - half, mean + half, above, np.maximum(above, below), tests)


def one_sided(mean: Floats, margin: Floats, s: Floats, topics: int) -> Floats:
    """p of the one-sided t-test that the true mean of the differences is larger than -margin.

    t = (z̄ + margin) / (s/√n). If all differences are equal, p is 0 or 1, and 1 at the margin itself, where
    nothing is shown.
    """
    from scipy import special

    distance = mean + margin
    at_margin = (s == 0) & (np.abs(distance) <= ROUNDING * np.abs(margin))
    with np.errstate(divide="ignore", invalid="ignore"):
        p = special.stdtr(max(1, topics - 1), -distance / _error(s, topics))
    return np.asarray(np.where(at_margin & (topics > 1), 1.0, p))


def half_width(s: Floats, topics: int, alpha: float) -> Floats:
    """The half-width of the interval that decides: one-sided tests at alpha match a confidence of 1 - 2α."""
    from scipy import special

    return np.asarray(-special.stdtrit(max(1, topics - 1), alpha) * _error(s, topics))


def _error(s: Floats, topics: int) -> Floats:
    """The standard error of the mean, which one topic does not show."""
    return s / math.sqrt(topics) if topics > 1 else np.full_like(s, np.nan)


def verdicts(margins: Margins, alpha: float, significant: Bools, sign: Floats, gain: Floats) -> Words:
    """(measure, pair): what is said of the first run of each pair. The first that applies:

    equivalent : the difference is shown to be smaller than the margin, even if it is significant
    better, worse : the difference is significant, and the means differ in the direction that the test favours
    not worse : the loss is shown to be smaller than the margin
    undecided : none of these. With one topic there is no verdict.

    gain : by how much the first run of each pair is better.
    """
    found = significant & (sign == np.sign(gain))
    conditions = [
        np.isnan(margins.equivalent),
        margins.equivalent < alpha,
        found & (sign > 0),
        found & (sign < 0),
        margins.not_worse < alpha,
    ]
    return np.select(conditions, ["", "equivalent", "better", "worse", "not worse"], "undecided")


def are_few(changed: Longs, topics: int) -> Bools:
    """Whether the runs differ on so few topics that a rare large loss can be missed."""
    return np.asarray((changed < FEW_CHANGED) & (2 * changed < topics))


def few_changed(verdict: Words, changed: Longs, topics: int) -> list[Note]:
    """A note if runs count as equivalent or not worse, but differ only on few topics."""
    passed = (verdict == "equivalent") | (verdict == "not worse")
    few = passed & are_few(changed, topics)
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
