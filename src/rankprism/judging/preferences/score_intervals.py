"""Intervals of scores: what if other assessors had judged, or other topics?

Over topics, the interval is Student's, from the scores of the topics. Over assessors, the runs are scored
again without a fifth of them, many times, and the jackknife turns these scores into a variance. Leaving out
one at a time would give too large a variance, because the ideal ranking of nPrf changes in leaps.

Either interval is about the mean score of studies like this one, with as many assessors. It is not about very
many assessors: with more of them, more pairs are shown and utilities are less noisy, so scores would be
different, and no study of a few assessors says by how much.

Over both, V = V_T + V_A - V_TA, because the first two both include the differences between cells of topics
and assessors (Cameron, Gelbach and Miller 2011), but V is at least V_T and at least V_A. Without this, five
assessors and 20 topics held the mean in .92 of the simulated studies (simulations/preferences.py). Its
degrees of freedom come from Satterthwaite's formula.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Annotated, Any, Unpack

import numpy as np

from rankprism.data import Floats, issue
from rankprism.errors import InputError, check_whole, one_of
from rankprism.evaluation import Collection, collected_preferences
from rankprism.judging.preferences.groups import grouped
from rankprism.judging.preferences.rescoring import Rescored
from rankprism.measures import ratio
from rankprism.results import Result, Table, mean_over_topics
from rankprism.statistics import enough, heavy_means
from rankprism.types import AtLeast, MeasuresLike, Natural, Over, PreferenceOptions, PreferencesLike, RunsLike

#: The claim of each kind of interval, see `rankprism.statistics.claims`.
CLAIMED = {
    "topics": "a mean",
    "assessors": "a mean over assessors",
    "both": "a mean over assessors and topics",
}
#: One assessor in this many is left out at a time.
_SHARE = 5


@dataclass(frozen=True)
class Interval:
    """A mean, or a difference of means, and its interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Intervals(Result):
    """Made by `intervals`."""

    claims = tuple(CLAIMED.values())
    of_runs: Mapping[tuple[str, str], Interval]  #: by measure and run
    of_pairs: Mapping[tuple[str, str, str], Interval]  #: by measure and two runs: the first minus the second
    about: Mapping[str, Any] = field(repr=False)

    @property
    def summary(self) -> Table:
        """The mean of each run, with its interval."""
        rows = [(*names, one.mean, one.low, one.high) for names, one in self.of_runs.items()]
        return Table.of_rows(("measure", "run", "mean", "low", "high"), rows)

    @property
    def pair_table(self) -> Table:
        """The difference of each pair of runs, with its interval."""
        rows = [(*names, one.mean, one.low, one.high) for names, one in self.of_pairs.items()]
        return Table.of_rows(("measure", "run", "less", "difference", "low", "high"), rows)

    @property
    def tables(self) -> tuple[Table, ...]:
        return (self.summary, self.pair_table) if self.of_pairs else (self.summary,)

    @property
    def rows(self) -> Table:
        """The means and the differences, one below the other."""
        found = {(*names, ""): one for names, one in self.of_runs.items()} | {**self.of_pairs}
        rows = [(*names, one.mean, one.low, one.high) for names, one in found.items()]
        return Table.of_rows(("measure", "run", "less", "mean", "low", "high"), rows)

    @property
    def note(self) -> str:
        what = {"both": "assessors and topics"}.get(self.about["over"], self.about["over"])
        return (
            f"{100 * self.about['level']:g} % intervals of the mean score of studies like this one, with "
            f"other {what} ({self.about['topics']} topics, {self.about['assessors']} assessors)."
        )


def intervals(
    preferences: PreferencesLike | Collection,
    runs: RunsLike | None = None,
    measures: MeasuresLike | None = None,
    *,
    over: Over = "both",
    resamples: Annotated[int, AtLeast(2)] = 200,
    seed: Natural = 0,
    level: float = 0.95,
    on_share: Callable[[float], None] | None = None,
    **options: Unpack[PreferenceOptions],
) -> Intervals:
    """Intervals of the mean of each run, and of the difference of any two runs.

    Parameters
    ----------
    preferences, runs, measures
        As for `rankprism.evaluate`.
    over
        What another study would draw anew.
    resamples
        Number of resamples.

        This is how often the runs are scored without some of the assessors. Fewer than ten assessors are left
        out one by one.
    seed
        Seed for the random numbers. The same seed gives the same result.
    level
        Confidence level of the intervals.

        This is the share of intervals that should hold the mean score of studies like this one, with as many
        assessors and topics. With too few of them, the ends are NaN, and a note says so.
    on_share
        Called with the share of the work that is done.
    **options
        How to read preferences and runs, as for `rankprism.evaluate`.
    """
    one_of("over", over, Over)
    if isinstance(level, bool) or not isinstance(level, int | float) or not 0 < level < 1:
        raise InputError(f"level must be a number between 0 and 1; got {level!r}")
    check_whole("resamples", resamples, 2)
    check_whole("seed", seed, 0)
    found = Rescored.of(collected_preferences(preferences, runs, **options), measures)
    everybody = [a for members in grouped(found.preferences, "assessor").values() for a in members]
    notes = found.together().conventions["notes"]
    values = found.scores(everybody)
    topics = int((~np.isnan(values)).any((0, 2)).sum())
    counted = {"topics": topics, "assessors": len(everybody), "both": min(topics, len(everybody))}
    if over == "topics":
        issue(heavy_means(values, [str(measure) for measure in found.measures]))
    mean = with_pairs(mean_over_topics(values))
    margin = np.full_like(mean, np.nan)
    if enough(CLAIMED[over], counted[over]):
        rest = None if over == "topics" else _without_some(found, everybody, resamples, seed, on_share)
        margin = _margin(values, rest, over, level, len(everybody))
    ends = np.stack((mean, mean - margin, mean + margin), axis=-1).tolist()
    names, labels = list(found.runs), [str(measure) for measure in found.measures]
    pairs = list(combinations(names, 2))
    return Intervals(
        {(of, run): Interval(*ends[r][m]) for m, of in enumerate(labels) for r, run in enumerate(names)},
        {
            (of, *pair): Interval(*ends[len(names) + i][m])
            for m, of in enumerate(labels)
            for i, pair in enumerate(pairs)
        },
        {
            "over": over,
            "level": level,
            "topics": topics,
            "assessors": len(everybody),
            "resamples": resamples,
            "seed": seed,
            "notes": notes,
        },
    )


def with_pairs(values: Floats) -> Floats:
    """Values of runs along the first axis, and after them the differences of any two runs."""
    one, other = np.triu_indices(len(values), 1)
    return np.concatenate((values, values[one] - values[other]))


def _without_some(
    found: Rescored,
    everybody: list[int],
    resamples: int,
    seed: int,
    on_share: Callable[[float], None] | None,
) -> Floats:
    """(resample, run, topic, measure) the scores without a fifth of the assessors, or without each of few"""
    rng, people = np.random.default_rng(seed), len(everybody)
    left_out = max(1, people // _SHARE)
    if left_out == 1:
        chosen = [[i] for i in range(people)]
    else:
        chosen = [rng.choice(people, left_out, replace=False).tolist() for _ in range(resamples)]
    scores = []
    for some in chosen:
        scores.append(found.scores(np.delete(everybody, some).tolist()))
        if on_share is not None:
            on_share(len(scores) / len(chosen))
    return np.stack(scores)


def _margin(values: Floats, rest: Floats | None, over: Over, level: float, people: int) -> Floats:
    """(run or pair, measure) half of the width of the intervals

    V_T = T/(T-1) Σ_t p_t², p_t being what topic t adds to the mean over T topics beyond the mean itself.
    V_A = (A-d)/d times the variance of the means without d of A assessors, and V_TA the same for each topic
    by itself.
    """
    from scipy.special import stdtrit

    topics = int((~np.isnan(values)).any((0, 2)).sum())
    scored = np.maximum((~np.isnan(values)).sum(1), 1)[:, None]
    pull = with_pairs(np.nan_to_num(values - mean_over_topics(values)[:, None]) / scored)
    of_topics = (pull**2).sum(1) * topics / max(topics - 1, 1)
    variance, freedom = of_topics, np.full(of_topics.shape, max(topics - 1.0, 1.0))
    if rest is not None:
        left_out = max(1, people // _SHARE)
        drawn = left_out > 1
        times = (people - left_out) / left_out / (len(rest) - drawn)
        # A variance of resamples is an estimate of a variance, which is an estimate itself.
        of_people = 1 / (1 / (people - 1) + (1 / (len(rest) - 1) if drawn else 0.0))
        mean = with_pairs(np.stack([mean_over_topics(one) for one in rest], axis=1))
        of_assessors = ((mean - mean.mean(1, keepdims=True)) ** 2).sum(1) * times
        variance, freedom = of_assessors, np.full(of_assessors.shape, of_people)
        if over == "both":
            cell = with_pairs(np.nan_to_num(rest - np.nanmean(rest, 0)).swapaxes(0, 1) / scored[:, None])
            of_cells = (cell**2).sum((1, 2)) * times
            # A difference of two estimates may be too small. Neither kind of unit varies more than both do.
            common = np.maximum(of_assessors - of_cells, 0.0)
            variance = np.maximum(of_topics + common, of_assessors)
            parts = of_topics**2 / max(topics - 1, 1) + common**2 / of_people
            freedom = np.maximum(ratio(variance**2, parts), 1.0)
    return np.asarray(stdtrit(freedom, (1 + level) / 2) * np.sqrt(variance))
