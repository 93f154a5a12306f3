"""Intervals of scores by resampling: what if other assessors had judged, or other topics?

The bootstrap draws as many assessors as there are, with replacement, and scores the runs by their judgments
alone; or as many topics; or both. The basic interval 2 m - q reflects the quantiles q of the resampled means
about the mean m. That matters for assessors: a resample has fewer different ones, so fewer pairs were shown
to any of them, and utilities are noisier than with all. An ideal ranking takes the highest utilities, noise
included, so nPrf tends to be lower. The same holds between the assessors that there are and those that there
could be, and reflecting the quantiles takes it into account.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from rankprism.arrays import Floats
from rankprism.errors import InputError, one_of
from rankprism.preferences.groups import grouped
from rankprism.preferences.rescoring import Aligned, aligned
from rankprism.results.result import Result
from rankprism.results.scores import mean_over_topics
from rankprism.results.table import Table
from rankprism.statistics.levels import check_level
from rankprism.types import MeasuresLike, PreferencesLike, Resampled, RunsLike


@dataclass(frozen=True)
class Interval:
    """A mean, or a difference of means, and what it may be."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Intervals(Result):
    """Made by `intervals`."""

    of_runs: Mapping[tuple[str, str], Interval]  #: by measure and run
    of_pairs: Mapping[tuple[str, str, str], Interval]  #: by measure and two runs: the first less the second
    about: Mapping[str, Any] = field(repr=False)

    @property
    def summary(self) -> Table:
        """The mean of each run, with its interval."""
        found = self.of_runs.items()
        return Table(
            {
                "measure": [measure for (measure, _), _ in found],
                "run": [run for (_, run), _ in found],
                "mean": [one.mean for _, one in found],
                "low": [one.low for _, one in found],
                "high": [one.high for _, one in found],
            }
        )

    @property
    def pair_table(self) -> Table:
        """The difference of each pair of runs, with its interval."""
        found = self.of_pairs.items()
        return Table(
            {
                "measure": [measure for (measure, _, _), _ in found],
                "run": [run for (_, run, _), _ in found],
                "less": [other for (_, _, other), _ in found],
                "difference": [one.mean for _, one in found],
                "low": [one.low for _, one in found],
                "high": [one.high for _, one in found],
            }
        )

    @property
    def tables(self) -> tuple[Table, ...]:
        return (self.summary, self.pair_table) if self.of_pairs else (self.summary,)

    @property
    def rows(self) -> Table:
        """The means and the differences, one below the other."""
        runs = [(m, run, "", one) for (m, run), one in self.of_runs.items()]
        pairs = [(m, run, other, one) for (m, run, other), one in self.of_pairs.items()]
        return Table(
            {
                "measure": [row[0] for row in (*runs, *pairs)],
                "run": [row[1] for row in (*runs, *pairs)],
                "less": [row[2] for row in (*runs, *pairs)],
                "mean": [row[3].mean for row in (*runs, *pairs)],
                "low": [row[3].low for row in (*runs, *pairs)],
                "high": [row[3].high for row in (*runs, *pairs)],
            }
        )

    @property
    def note(self) -> str:
        what = {"both": "assessors and topics"}.get(self.about["resample"], self.about["resample"])
        return (
            f"Basic bootstrap intervals at level {self.about['level']:g}, from {self.about['resamples']:,} "
            f"resamples of {what}, seed {self.about['seed']}."
        )


def intervals(
    preferences: PreferencesLike,
    runs: RunsLike,
    measures: MeasuresLike,
    *,
    resample: Resampled = "both",
    resamples: int = 1000,
    seed: int = 0,
    level: float = 0.95,
    on_share: Callable[[float], None] | None = None,
    **settings: Any,
) -> Intervals:
    """Bootstrap intervals of the mean of each run, and of the difference of any two runs.

    resample : draw "assessors", "topics", or "both".
    resamples, seed : how many are drawn, and the seed of the generator. The result depends on the seed, but
        not on the order of the judgments or of the runs.
    level : the share of intervals that should hold the mean that other draws would lead to.
    on_share : called with the share of the resamples that have been scored.
    settings : order, topics, duplicates, run_format, preferences_format and threads, see `evaluate`.
    """
    one_of("resample", resample, Resampled)
    if isinstance(level, bool) or not isinstance(level, int | float) or not 0 < level < 1:
        raise InputError(f"level must be a number between 0 and 1; got {level!r}")
    check_level(round(1 - level, 12), resamples, seed)
    found = aligned(preferences, runs, measures, **settings)
    everybody = [a for members in grouped(found.preferences, "assessor").values() for a in members]
    if resample != "topics" and len(everybody) < 2:
        raise InputError(
            f"{found.preferences.source}: has one assessor, and at least two are needed to draw from them; "
            f"resample the topics instead (--resample topics)"
        )
    notes = found.together().conventions["notes"]
    values = found.scores(everybody)
    means = mean_over_topics(values)
    drawn = _drawn(found, values, everybody, resample, resamples, seed, on_share)
    names, labels = list(found.runs), [str(measure) for measure in found.measures]
    of_runs = {
        (measure, run): _basic(means[r, m], drawn[:, r, m], level)
        for m, measure in enumerate(labels)
        for r, run in enumerate(names)
    }
    of_pairs = {
        (measure, names[r], names[s]): _basic(
            means[r, m] - means[s, m], drawn[:, r, m] - drawn[:, s, m], level
        )
        for m, measure in enumerate(labels)
        for r, s in combinations(range(len(names)), 2)
    }
    about = {"resample": resample, "resamples": resamples, "seed": seed, "level": level, "notes": notes}
    return Intervals(of_runs, of_pairs, about)


def _drawn(
    found: Aligned,
    values: Floats,
    everybody: list[int],
    resample: Resampled,
    resamples: int,
    seed: int,
    on_share: Callable[[float], None] | None,
) -> Floats:
    """(resample, run, measure) the means of each resample"""
    rng = np.random.default_rng(seed)
    means = np.empty((resamples, len(values), values.shape[2]))
    for b in range(resamples):
        scores = values
        if resample != "topics":
            scores = found.scores([everybody[i] for i in rng.integers(len(everybody), size=len(everybody))])
        if resample != "assessors":
            scores = scores[:, rng.integers(values.shape[1], size=values.shape[1])]
        means[b] = mean_over_topics(scores)
        if on_share is not None:
            on_share((b + 1) / resamples)
    return means


def _basic(mean: float, drawn: Floats, level: float) -> Interval:
    """2 m - q for the quantiles q of the means that were drawn; a resample without any score is left out."""
    there = drawn[~np.isnan(drawn)]
    if not len(there):
        return Interval(float(mean), float("nan"), float("nan"))
    low, high = np.quantile(there, [(1 + level) / 2, (1 - level) / 2])
    return Interval(float(mean), float(2 * mean - low), float(2 * mean - high))
