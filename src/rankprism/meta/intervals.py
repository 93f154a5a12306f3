"""Intervals: how much a figure would change with other topics.

The topics of a collection are a sample. An interval covers the expected value of a figure: its mean over
collections with the same number of topics from the same population, the same runs and the same measures.

The interval is figure ± t SE. Figures that are smooth in the topics, such as ratios of sums, are computed
again without one topic at a time (the jackknife): SE² = (n-1) · mean of (figure - mean figure)².

Figures that count, such as the share of significant differences, move in steps, and leaving out a few topics
changes them too much or not at all. They are computed again on halves of the topics, with tests that count a
half as n topics (`other_means`), and SE is their standard deviation. Resampling topics with replacement would
be wrong for them. A topic that is drawn twice looks like two topics that agree, and the tests then find
differences that do not exist.

The interval is the figure ± t · standard error. Figures that are smooth in the topics are computed again
without one topic at a time, which is the jackknife. MU is at most 1 and therefore skewed, so its interval
comes from the interval of the log-odds of P(Δm | ΔM). The intervals of swap rates and of correlations of
means come from log-odds, too.

Power, agreement, correlations of means and swap rates move in steps. If a few topics are left out, such a
figure changes too much or not at all, and a jackknife gives intervals that are 1.3 to 1.7 times too wide.
These figures are computed again on random halves of the topics. The mean over half of n topics deviates
from the mean over all topics as much as the latter deviates from the truth, so the standard deviation of
the figure over the halves is its standard error. The tests count a half as n topics: its variance is
divided by n, and the bootstrap and Tukey's HSD keep the critical value of all topics, which for Tukey's
HSD is scaled by the spread of the scores in the half.

Power and agreement are shares of pairs of runs, and such a share moves by at least one pair. Their
intervals are therefore wider by one pair. This matters only if there are few runs.

Elsewhere, intervals often come from a bootstrap of topics. For power this is wrong. A topic that is drawn
twice looks like two topics that agree, so the tests find differences that do not exist.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from rankprism.data import Bools, Floats
from rankprism.errors import InputError
from rankprism.meta.products import product
from rankprism.results import Result, Table
from rankprism.statistics import CLAIMS, corrected

#: The number of halves of the topics that are drawn. It gives the standard error to about 5 %.
HALVES = 200


@dataclass(frozen=True, eq=False)
class Sampling:
    """Subsets of the topics, and the confidence of the intervals made from them."""

    claim: str  #: what the intervals claim, in `CLAIMS`
    kept: Bools  #: (subset, topic); no subset at all where there are too few topics
    confidence: float
    method: str  #: in words
    inflation: float = 1.0  #: SE² is this many times the variance of the figure over the subsets

    @property
    def about(self) -> Mapping[str, Any]:
        """How the intervals were computed, for `Result.about`."""
        missing = CLAIMS[self.claim].missing(self.kept.shape[1])
        if missing is not None:
            return {"confidence": self.confidence, "none because": missing}
        return {
            "confidence": self.confidence,
            "method": self.method,
            "subsets": len(self.kept),
        }


def without_one(claim: str, topics: int, confidence: float) -> Sampling:
    """All subsets that lack one topic, for figures that are smooth in the topics, such as ratios of sums."""
    check_confidence(confidence)
    kept = ~np.eye(topics, dtype=bool)
    kept = kept if CLAIMS[claim].missing(topics) is None else kept[:0]
    return Sampling(claim, kept, confidence, "jackknife over topics", topics - 1)


def halves(claim: str, topics: int, confidence: float, seed: int) -> Sampling:
    """Random halves of the topics, for figures that count and so move in steps; see `other_means`."""
    check_confidence(confidence)
    rng = np.random.default_rng([seed, 1])  # not the stream of the resamples
    number = HALVES if CLAIMS[claim].missing(topics) is None else 0
    order = rng.permuted(np.broadcast_to(np.arange(topics), (number, topics)), axis=1)
    return Sampling(claim, order >= topics // 2, confidence, "halves of the topics")


def other_means(values: Floats, sampling: Sampling) -> Floats:
    """(run, half): the means of the runs in collections like this one, from values (run, topic).

    The means over a half of n topics deviate from those over all topics as much as these deviate from the
    true means: their variance is σ²/n. With an odd number of topics, the deviations are scaled.
    """
    means = values.mean(1, keepdims=True)
    kept, topics = int(sampling.kept[0].sum()), values.shape[1]
    deviation = product(values, sampling.kept.T) / kept - means
    return np.asarray(means + np.sqrt(kept / (topics - kept)) * deviation)


def check_confidence(confidence: float) -> None:
    """Refuse an invalid confidence. 0 means no intervals."""
    if isinstance(confidence, str) or not 0 <= confidence < 1:
        raise InputError(
            f"intervals must be a confidence between 0 and 1, or 0 for no intervals; got {confidence!r}"
        )


@dataclass(frozen=True, eq=False)
class Sampled:
    """A figure or an array of figures, on all topics and on subsets of the topics."""

    sampling: Sampling
    figure: Floats
    replicates: Floats  #: (subset, *figure.shape); NaN where it is not defined
    #: How much a single pair of runs changes the figure. The interval is wider by this amount, because a
    #: share of a few pairs cannot change by less.
    step: float | Floats = 0.0

    @cached_property
    def error(self) -> Floats:
        """The standard error, or NaN if fewer than half of the subsets have a figure."""
        kept = self.sampling.kept
        if not len(kept):
            return np.full_like(self.figure, np.nan, dtype=np.float64)
        defined = ~np.isnan(self.replicates)
        count = np.where(2 * defined.sum(0) >= len(kept), defined.sum(0), np.nan)
        mean = np.where(defined, self.replicates, 0.0).sum(0) / count
        squares = np.where(defined, (self.replicates - mean) ** 2, 0.0).sum(0) / count
        squares = np.where(squares <= 1e-24, 0.0, squares)  # only rounding
        return np.asarray(np.sqrt(self.sampling.inflation * squares))

    def interval(self, least: float = -np.inf, most: float = np.inf) -> tuple[Floats, Floats]:
        """The ends of the interval, within the possible values of the figure. They are NaN if no subset
        changes the figure and there is no step, because the subsets then do not show how much it varies."""
        margin = self._critical * self.error + self.step
        printed = CLAIMS[self.sampling.claim].fewest <= self.sampling.kept.shape[1]
        margin = np.where((margin > 0) & printed, margin, np.nan)
        return np.maximum(self.figure - margin, least), np.minimum(self.figure + margin, most)

    @property
    def p(self) -> Floats:
        """The two-tailed p of the hypothesis that the expected figure is 0."""
        from scipy import special

        beyond = np.maximum(np.abs(self.figure) - self.step, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(beyond > 1e-12, beyond / self.error, 0.0)
        found = 2 * special.stdtr(self.sampling.kept.shape[1] - 1, -t)
        return np.where(np.isnan(self.error) | np.isnan(self.figure), np.nan, found)

    @property
    def _critical(self) -> float:
        from scipy import special

        freedom = max(1, self.sampling.kept.shape[1] - 1)
        return float(special.stdtrit(freedom, 0.5 + self.sampling.confidence / 2))

    def select(self, *positions: Sequence[int]) -> Sampled:
        """Select some figures by their positions on each axis."""
        return Sampled(
            self.sampling,
            self.figure[np.ix_(*positions)],
            self.replicates[np.ix_(range(len(self.replicates)), *positions)],
            self.step[np.ix_(*positions)] if isinstance(self.step, np.ndarray) else self.step,
        )

    def differences(self, measures: Sequence[str], of: str, about: Mapping[str, Any]) -> Differences:
        """The difference between the figures of every two measures on the same topics; figure: (measure,)."""
        first, second = np.triu_indices(len(measures), 1)
        found = Sampled(
            replace(self.sampling, claim=f"a difference of {of}"),
            self.figure[first] - self.figure[second],
            self.replicates[:, first] - self.replicates[:, second],
            self.step,
        )
        low, high = found.interval()
        p = found.p
        adjusted = np.full_like(p, np.nan)
        adjusted[~np.isnan(p)] = corrected(p[~np.isnan(p)], "holm")
        return Differences(
            of,
            tuple(measures),
            tuple(zip(first.tolist(), second.tolist(), strict=True)),
            found.figure,
            low,
            high,
            p,
            adjusted,
            {**about, "correction": "holm", "intervals": found.sampling.about},
        )


@dataclass(frozen=True, eq=False)
class ByOdds(Sampled):
    """A share, or a figure that grows with one. Near 0 and 1 it is skewed, and its log-odds are less so: the
    interval is that of the log-odds."""

    odds: Sampled = field(kw_only=True)
    back: Callable[[Floats], Floats] = field(kw_only=True)  #: the figure from the log-odds

    def interval(self, least: float = -np.inf, most: float = np.inf) -> tuple[Floats, Floats]:
        low, high = (self.back(end) for end in self.odds.interval())
        return np.maximum(np.minimum(low, self.figure), least), np.minimum(
            np.maximum(high, self.figure), most
        )

    def select(self, *positions: Sequence[int]) -> ByOdds:
        one = super().select(*positions)
        odds = self.odds.select(*positions)
        return ByOdds(one.sampling, one.figure, one.replicates, one.step, odds=odds, back=self.back)


def ends(sampled: Sampled | None, least: float, most: float) -> dict[str, list[float]]:
    """The columns low and high, if intervals were asked for."""
    if sampled is None:
        return {}
    low, high = sampled.interval(least, most)
    return {"low": low.tolist(), "high": high.tolist()}


def wanted(sampled: Sampled | None) -> Sampled:
    """Refuse to compare measures if the figures were computed without intervals."""
    if sampled is None:
        raise InputError("differences between measures need intervals; leave out intervals=0")
    return sampled


@dataclass(frozen=True, eq=False, repr=False)
class Differences(Result):
    """How the figures of every two measures differ. Arrays are (pair of measures,)."""

    claims = ("a difference of power", "a difference of MU", "a difference of swap rate")
    of: str  #: the name of the figure
    measures: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]  #: positions in `measures`
    difference: Floats
    low: Floats
    high: Floats
    p: Floats
    adjusted: Floats  #: p, corrected for the number of pairs of measures (Holm)
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def summary(self) -> Table:
        return Table(
            {
                "measure": [self.measures[a] for a, _ in self.pairs],
                "other": [self.measures[b] for _, b in self.pairs],
                f"Δ {self.of}": self.difference.tolist(),
                "low": self.low.tolist(),
                "high": self.high.tolist(),
                "p": self.p.tolist(),
                "adjusted p": self.adjusted.tolist(),
            },
            probabilities=("p", "adjusted p"),
        )
