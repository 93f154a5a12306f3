"""Comparison: what `compare` returns."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rankprism.comparison.margins import Margins, Words, verdicts
from rankprism.data import Bools, Floats, Longs
from rankprism.errors import InputError, enumerated
from rankprism.results import Cell, Result, Table, signs
from rankprism.statistics import CORRECTIONS, NAMES_OF_CORRECTIONS, TESTS
from rankprism.text import shown
from rankprism.types import Correction, TestName

if TYPE_CHECKING:
    from rankprism.comparison.topic_differences import TopicDifferences

#: A comparison names the smallest true difference that it would find with this power.
POWER = 0.8
#: The number of rows that are made at a time.
ROWS = 20_000
_LETTERS = "abcdefghijklmnoprstuvwxyz"  # there is no superscript q
_NOT_ABOUT_MARGINS = {"mean", "other mean", "low", "high", "interval", "level", "effect", "p", "detectable"}

#: Every claim of the intervals of the tests.
_CLAIMED = tuple(
    dict.fromkeys(
        test.claim(correction, pairs)
        for test in TESTS.values()
        for correction in (("none",) if test.corrects else CORRECTIONS)
        for pairs in (1, 2)
    )
)


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """What `compare` found. Arrays are (measure, pair)."""

    claims = (*_CLAIMED, "a difference beside a margin")
    runs: tuple[str, ...]
    measures: tuple[str, ...]
    topics: tuple[str, ...]
    values: Floats  #: (run, topic, measure): the scores that were compared
    test: TestName
    correction: Correction
    alpha: float
    baselines: tuple[str, ...]
    means: Floats  #: (run, measure)
    pairs: Longs  #: (pair, 2): positions in `runs`
    difference: Floats
    sign: Floats  #: which run of a pair is better by the test: 1 the first, -1 the other
    p: Floats
    adjusted: Floats  #: p, corrected for the number of pairs
    effect: Floats
    half_width: Floats  #: the interval of a difference is difference ± half_width; NaN if it is not printed
    interval: str  #: "single", "Bonferroni", "FCR" or "simultaneous"
    level: Floats  #: (measure,): the confidence of each interval; of all together if they are "simultaneous"
    changed: Longs  #: the number of topics on which the runs differ at all
    #: the true difference that this comparison would find with a power of .8; NaN if none can be significant
    detectable: Floats
    margins: Margins | None = None  #: the tests against a margin, if one was given
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def direction(self) -> Floats:
        """(measure,): 1, or -1 if a lower score is better."""
        return signs(self.measures, self.lower_is_better)

    @property
    def significant(self) -> Bools:
        """(measure, pair)"""
        return np.asarray(self.adjusted < self.alpha)

    @property
    def contradicted(self) -> Bools:
        """(measure, pair): where a difference is significant but its interval holds 0, or the reverse."""
        excludes = np.abs(self.difference) > self.half_width
        return np.asarray((self.significant != excludes) & ~np.isnan(self.half_width))

    @cached_property
    def verdicts(self) -> Words | None:
        """(measure, pair): "equivalent", "better", "worse", "not worse" or "undecided"; "" with one topic."""
        if self.margins is None:
            return None
        gain = self.difference * self.direction[:, None]
        return verdicts(self.margins, self.alpha, self.significant, self.sign, gain)

    @property
    def disagreement(self) -> str | None:
        """How many intervals contradict the significance of their difference, and why; None if none does."""
        count = int(self.contradicted.sum())
        if not count:
            return None
        significant = int((self.contradicted & self.significant).sum())
        words = {
            "significant, and the interval holds 0": significant,
            "not significant, and the interval excludes 0": count - significant,
        }
        found = "; ".join(
            f"{n} difference{'s are' if n > 1 else ' is'} {what}" for what, n in words.items() if n
        )
        return f"{found} ({self._why_contradicted})"

    @property
    def _why_contradicted(self) -> str:
        why = []
        if TESTS[self.test].signs:
            why.append(f"significance is by {TESTS[self.test].words}, the interval by Student's t")
        steps = {"holm": "Holm's steps", "max-t": "the largest |t| of each resample"}
        if self.correction in steps and len(self.pairs) > 1:
            why.append(
                f"significance is corrected by {steps[self.correction]}, the interval by Bonferroni for all "
                f"{len(self.pairs)} pairs at once, so it is wider"
            )
        return "; ".join(why) or "p and the interval come from random resamples"

    def _remark(self, significant: bool, contradicted: bool, verdict: str) -> str | None:
        said = []
        if contradicted:
            what = "significant, and the interval holds 0"
            what = what if significant else "not significant, and the interval excludes 0"
            said.append(f"{what}: {self._why_contradicted}")
        if significant and verdict == "equivalent":
            said.append("significant, and smaller than the margin")
        return "; ".join(said) or None

    def _table(self, m: Longs, pair: Longs) -> Table:
        """The rows of some pairs, by their positions in the arrays."""
        first, second = self.pairs[pair].T
        here = m, pair
        columns: dict[str, list[Any]] = {
            "measure": [self.measures[i] for i in m],
            "run": [self.runs[i] for i in first],
            "other": [self.runs[i] for i in second],
            "mean": self.means[first, m].tolist(),
            "other mean": self.means[second, m].tolist(),
            "difference": self.difference[here].tolist(),
            "low": (self.difference - self.half_width)[here].tolist(),
            "high": (self.difference + self.half_width)[here].tolist(),
            "interval": [self.interval] * len(m),
            "level": self.level[m].tolist(),
            "effect": self.effect[here].tolist(),
            "p": self.p[here].tolist(),
            "adjusted p": self.adjusted[here].tolist(),
            "significant": self.significant[here].tolist(),
            "changed topics": self.changed[here].tolist(),
            "detectable": self.detectable[here].tolist(),
        }
        if self.margins is not None:
            assert self.verdicts is not None
            columns |= {
                "margin": self.margins.margin[here].tolist(),
                "margin low": self.margins.low[here].tolist(),
                "margin high": self.margins.high[here].tolist(),
                "p not worse": self.margins.not_worse[here].tolist(),
                "p equivalent": self.margins.equivalent[here].tolist(),
                "verdict": [word or None for word in self.verdicts[here].tolist()],
            }
        return Table(columns, probabilities=("p", "adjusted p", "p not worse", "p equivalent"))

    @property
    def rows(self) -> Table:
        """One row for each measure and pair, with the test, its correction and the number of topics.

        The remark says where significance and the interval disagree, and why.
        """
        blocks = list(self.row_blocks())
        columns = {name: [x for block in blocks for x in block.columns[name]] for name in blocks[0].columns}
        return replace(blocks[0], columns=columns)

    def row_blocks(self) -> Iterator[Table]:
        """The same rows, some at a time: a thousand runs have half a million pairs."""
        for m in range(len(self.measures)):
            for first in range(0, len(self.pairs), ROWS):
                pair = np.arange(first, min(first + ROWS, len(self.pairs)))
                found = self._table(np.full(len(pair), m), pair)
                constant = {name: [self.about[name]] * len(pair) for name in ("test", "correction", "topics")}
                verdict = found.columns.get("verdict", [""] * len(pair))
                facts = zip(self.significant[m, pair], self.contradicted[m, pair], verdict, strict=True)
                remarks = [self._remark(*fact) for fact in facts]
                columns = {**found.columns, **constant, "remark": remarks}
                yield replace(found, columns=columns, texts=("remark",))

    @property
    def details(self) -> Table:
        """One row for each measure and pair. With a margin, only the columns behind the verdict."""
        m, pair = (axis.ravel() for axis in np.indices(self.p.shape))
        found = self._table(m, pair)
        if self.margins is None:
            return found
        columns = {name: x for name, x in found.columns.items() if name not in _NOT_ABOUT_MARGINS}
        return replace(found, columns=columns)

    @property
    def labels(self) -> tuple[str, ...]:
        """A short sign for each run."""
        few = len(self.runs) <= len(_LETTERS)
        return tuple(_LETTERS[i] if few else str(i + 1) for i in range(len(self.runs)))

    @cached_property
    def _decided(self) -> Floats:
        """(measure, run, run): 1 if a run is significantly better than another, and -1 if it is worse."""
        found = np.zeros((len(self.measures), len(self.runs), len(self.runs)))
        first, second = self.pairs.T
        decided = np.where(self.significant, self.sign, 0.0)
        found[:, first, second], found[:, second, first] = decided, -decided
        return found

    def better_than(self, run: int, measure: int) -> list[int]:
        """The runs that a run is significantly better than."""
        return [int(other) for other in np.flatnonzero(self._decided[measure, run] > 0)]

    def _mark(self, run: int, measure: int) -> str:
        """The runs that are worse than a run, or their number if there are more runs than letters; with a
        baseline, whether the run is better or worse than it."""
        if not self.baselines:
            worse = self.better_than(run, measure)
            if self._counts:
                return str(len(worse)) if worse else ""
            return "".join(self.labels[other] for other in worse)
        signs = [self._decided[measure, run, self.runs.index(name)] for name in self.baselines]
        letters = _LETTERS if len(self.baselines) > 1 else " "
        marks = (("▲" if s > 0 else "▼") + c if s else "" for s, c in zip(signs, letters, strict=False))
        return "".join(marks).strip()

    @property
    def _counts(self) -> bool:
        """Whether marks are numbers of runs, because there are more runs than letters."""
        return not self.baselines and len(self.runs) > len(_LETTERS)

    def _named(self, run: str) -> str:
        if run not in self.baselines:
            return run
        letter = f" {_LETTERS[self.baselines.index(run)]}" if len(self.baselines) > 1 else ""
        return f"{run} (baseline{letter})"

    @property
    def summary(self) -> Table:
        """The means. A superscript names a run that is significantly worse, or says how many are if there are
        more runs than letters. With a baseline, ▲ marks a run that is significantly better, and ▼ one that is
        significantly worse. With a margin and one baseline, the verdicts are beside the means."""
        columns: dict[str, list[Any]] = {} if self.baselines or self._counts else {"": list(self.labels)}
        columns["run"] = [self._named(run) for run in self.runs]
        best = (self.direction * (self.means * self.direction).max(0)).round(4)
        for m, measure in enumerate(self.measures):
            columns[measure] = [
                Cell(float(self.means[r, m]), self._mark(r, m), bool(self.means[r, m].round(4) == best[m]))
                for r in range(len(self.runs))
            ]
            if self.verdicts is not None and len(self.baselines) == 1:
                said = dict(zip(self.pairs[:, 0].tolist(), self.verdicts[m].tolist(), strict=True))
                name = "verdict" if len(self.measures) == 1 else f"verdict by {measure}"
                columns[name] = [said.get(r) or None for r in range(len(self.runs))]
        return Table(columns)

    @property
    def note(self) -> str:
        """The test, its correction, what the marks mean, and what the comparison can find."""
        if not self.baselines:
            marks = (
                "A superscript is the number of runs that are significantly worse"
                if self._counts
                else "A superscript names a run that is significantly worse"
            )
        else:
            several = len(self.baselines) > 1
            names = ", ".join(
                shown(run) + (f" ({c})" if several else "")
                for run, c in zip(self.baselines, _LETTERS, strict=False)
            )
            marks = f"▲ and ▼: significantly better and worse than the baseline{'s' * several} {names}"
        said = "" if self.margins is None else f" {self._about_margins}"
        return f"Means over {len(self.topics)} topics. {marks} ({self.tested}).{self._power}{said}"

    @property
    def details_note(self) -> str:
        """The test, its correction, and what the intervals cover."""
        tested = f"{len(self.topics)} topics; significant: {self.tested}."
        if self.margins is not None:
            return f"{tested} {self._about_margins}{self._power}"
        found = f"{tested} Intervals: {self.about['interval']}.{self._power}"
        return found if self.disagreement is None else f"{found} Note: {self.disagreement}."

    @property
    def _power(self) -> str:
        """The smallest difference that is found with a power of .8, for the median pair."""
        if len(self.topics) < 2:
            return ""
        if np.isnan(self.detectable).all():
            return f" Nothing can be significant with {len(self.topics)} topics."
        middle = np.median(self.detectable, axis=1)
        if not np.isfinite(middle).all():
            return ""
        sizes = [_short(x) for x in middle.tolist()]
        if len(sizes) > 4:
            size = (
                f"{_short(float(middle.min()))} to {_short(float(middle.max()))}, depending on the measure,"
            )
        elif len(sizes) > 1:
            named = [f"{x} by {shown(name)}" for x, name in zip(sizes, self.measures, strict=True)]
            size = enumerated(named, "or")
        else:
            size = sizes[0]
        begin = "A" if len(self.pairs) == 1 else "In half of the pairs, a"
        return (
            f" {begin} true difference of {size} would be found with probability {POWER:g}; a smaller one "
            "may well not be significant."
        )

    @property
    def _about_margins(self) -> str:
        assert self.margins is not None
        alpha, tests = self.alpha, self.margins.tests
        each = f"{alpha:g}/{tests}" if tests > 1 else f"{alpha:g}"
        return (
            f"Margin: {self.margins.asked}. Not worse and equivalent: one-sided and two one-sided t-tests at "
            f"{each}, by an interval that covers 1 - 2 × {each}."
        )

    @property
    def tested(self) -> str:
        """The test and its correction, e.g. "Student's paired t-test, p < 0.05 after the Holm correction"."""
        pairs = f"{len(self.pairs)} pair{'s' if len(self.pairs) > 1 else ''}"
        drawn = self.about["resamples"]
        words = TESTS[self.test].words + (f" with {drawn:,} resamples" if drawn else "")
        if TESTS[self.test].corrects:
            corrected_for = f", corrected for {pairs} by the test itself"
        elif self.correction == "none":
            corrected_for = f", not corrected for {pairs}"
        else:
            corrected_for = f" after the {NAMES_OF_CORRECTIONS[self.correction]} correction for {pairs}"
        return f"{words}, p < {self.alpha:g}{corrected_for}"

    def by_topic(self, most: int = 5) -> TopicDifferences:
        """On which topics the runs of each pair differ, and by how much.

        Parameters
        ----------
        most
            The number of gains and of losses that the table shows for each pair, the largest first. The
            rows hold all topics.
        """
        if most < 1:
            raise InputError(f"the number of topics to show must be at least 1; got {most!r}")
        from rankprism.comparison.topic_differences import TopicDifferences

        return TopicDifferences(self, most)


def _short(x: float) -> str:
    """A number with two significant digits.

    >>> _short(0.1234), _short(0.00123), _short(12.3)
    ('0.12', '0.0012', '12')
    """
    return f"{x:.{max(0, 1 - math.floor(math.log10(x)))}f}" if x > 0 else "0"
