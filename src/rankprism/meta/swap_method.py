"""The swap method: how often would other topics reverse a difference of this size?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np

from rankprism.data import Floats, Longs
from rankprism.errors import InputError
from rankprism.evaluation import comparable
from rankprism.meta.intervals import (
    ByOdds,
    Differences,
    Sampled,
    Sampling,
    check_confidence,
    ends,
    halves,
    other_means,
    wanted,
)
from rankprism.meta.products import product
from rankprism.meta.ties import without_noise
from rankprism.results import Result, Table
from rankprism.statistics import Share
from rankprism.types import AtLeast, JudgmentsLike, MeasuresLike, Natural, Positive, RunsLike, ScoresLike

#: How often each half of the topics is split for the interval of the swap rate.
SPLITS = 20
#: What is added to both sides of the odds of a swap.
_LITTLE = 0.02


def swap(
    scores: ScoresLike | JudgmentsLike,
    runs: RunsLike | None = None,
    measures: MeasuresLike | None = None,
    *,
    size: Positive | None = None,
    trials: Positive = 1000,
    bin_width: float = 0.01,
    bins: Annotated[int, AtLeast(2)] = 21,
    error: float = 0.05,
    seed: Natural = 0,
    intervals: float = 0.95,
    on_share: Share | None = None,
) -> SwapRates:
    """The swap method of Voorhees and Buckley (2002).

    `trials` times, twice `size` topics are drawn and split into two halves. For every pair of runs, the
    difference on the first half falls into a bin. It is a swap if the second half shows the opposite.

    Parameters
    ----------
    scores
        What `evaluate` returns, or whatever `read_scores` takes. Or judgments, with the `runs` and
        `measures` to evaluate, as for `rankprism.evaluate`.
    size
        Number of topics in each half. Default: half of all topics.
    trials
        Number of times that topics are drawn.
    bin_width
        Width of a bin of differences.
    bins
        Number of bins. The last bin holds all larger differences.
    error
        Highest swap rate that is accepted.

        `required` is the smallest difference above which no bin exceeds it, and `sensitivity` is the share of
        all comparisons that reach this difference.
    seed
        Seed for the random numbers. The same seed gives the same result.
    intervals
        Confidence of the intervals. An interval says how much the figure could change with other topics. 0
        leaves the intervals out.

        The interval is about the swap rate over all bins. It covers the swap rate between any two sets of
        `size` topics. No interval is known to be right for single bins, `required` and `sensitivity`, so they
        have none.

    Examples
    --------
    >>> from rankprism import sample, evaluate
    >>> print(swap(evaluate(sample.QRELS, list(sample.RUNS), ["alpha_nDCG@10", "P@10"])))
    measure        required Δ  sensitivity  comparisons  swap rate     low    high
    ──────────────────────────────────────────────────────────────────────────────
    alpha_nDCG@10      0.1800       0.5901        15000     0.0549  0.0068  0.1732
    P@10               0.1700       0.7273        15000     0.0903  0.0267  0.2197
    """
    complete = comparable(scores, runs, measures)
    topics = len(complete.topics)
    size = topics // 2 if size is None else size
    if not 1 <= size <= topics // 2:
        raise InputError(f"two halves of {max(1, size)} topics need {2 * max(1, size)}; there are {topics}")
    if trials < 1 or bins < 2 or not bin_width > 0 or not 0 < error < 1:
        raise InputError("trials must be ≥ 1, bins ≥ 2, bin_width > 0 and error between 0 and 1")
    check_confidence(intervals)
    i, j = np.triu_indices(len(complete.runs), 1)
    count, swaps = np.zeros((2, len(complete.measures), bins), dtype=np.int64)
    rng = np.random.default_rng(seed)
    for trial in range(trials):
        drawn = rng.permutation(topics)[: 2 * size]
        first, second = (complete.values[:, half].mean(1) for half in (drawn[:size], drawn[size:]))
        d, e = without_noise(first[i] - first[j]), without_noise(second[i] - second[j])  # (pair, measure)
        place = np.minimum(np.abs(d) / bin_width + 1e-9, bins - 1).astype(np.int64)
        for m in range(len(complete.measures)):
            count[m] += np.bincount(place[:, m], minlength=bins)
            swaps[m] += np.bincount(place[d[:, m] * e[:, m] < 0, m], minlength=bins)
        if on_share is not None:
            on_share((trial + 1) / trials)
    sampled = None
    if intervals:
        sampling = halves("a swap rate", topics, intervals, seed)
        rate = swaps.sum(1) / count.sum(1)
        others = _in_other_collections(complete.values, sampling, size, seed)
        odds = Sampled(sampling, _log_odds(rate), _log_odds(others))
        sampled = ByOdds(sampling, rate, others, odds=odds, back=_of_log_odds)
    return SwapRates(
        measures=complete.measures,
        edges=np.arange(bins, dtype=np.float64) * bin_width,
        count=count,
        swaps=swaps,
        error=error,
        sampled=sampled,
        about={
            "size": size,
            "trials": trials,
            "bin_width": bin_width,
            "error": error,
            "seed": seed,
            "runs": len(complete.runs),
            "topics": topics,
            "intervals": None if sampled is None else sampled.sampling.about,
            "scores": complete.conventions,
        },
    )


def _log_odds(rate: Floats) -> Floats:
    """Log-odds that are finite for rates of 0 and 1."""
    return np.log((rate + _LITTLE) / (1 - rate + _LITTLE))


def _of_log_odds(odds: Floats) -> Floats:
    return np.asarray((1 + 2 * _LITTLE) / (1 + np.exp(-odds)) - _LITTLE)


def _in_other_collections(values: Floats, sampling: Sampling, size: int, seed: int) -> Floats:
    """(half, measure): the swap rate in collections like this one.

    The topics of a half are split into two sides of size/2 topics. Their deviations from the half are scaled
    to the variance that sides of `size` topics have in the whole collection.
    """
    runs, topics, measures = values.shape
    i, j = np.triu_indices(runs, 1)
    rng = np.random.default_rng([seed, 2])
    rates = np.empty((len(sampling.kept), measures))
    if not len(rates):
        return rates
    means = np.stack([other_means(values[:, :, m], sampling) for m in range(measures)], 1)
    flat = np.moveaxis(values, 2, 1).reshape(-1, topics)
    half = max(1, size // 2)
    scale = np.sqrt((1 / size - 1 / topics) / (1 / half - 1 / int(sampling.kept[0].sum())))
    for number, kept in enumerate(sampling.kept):
        present = np.flatnonzero(kept)
        order = rng.permuted(np.broadcast_to(present, (SPLITS, len(present))), axis=1)
        drawn = np.zeros((2 * SPLITS, topics))
        for side, some in enumerate((order[:, :half], order[:, half : 2 * half])):
            np.put_along_axis(drawn[side::2], some, 1 / half, axis=1)
        deviation = product(flat, (drawn - kept / len(present)).T).reshape(runs, measures, SPLITS, 2)
        sides = means[:, :, number, None, None] + scale * deviation
        difference = without_noise(sides[i] - sides[j])
        rates[number] = (difference[..., 0] * difference[..., 1] < 0).mean((0, 2))
    return rates


@dataclass(frozen=True, eq=False, repr=False)
class SwapRates(Result):
    """What `swap` found. Arrays are (measure, bin)."""

    claims = ("a swap rate",)
    measures: tuple[str, ...]
    edges: Floats  #: (bin,): the smallest difference in each
    count: Longs  #: comparisons
    swaps: Longs
    error: float
    about: Mapping[str, Any] = field(default_factory=dict)
    sampled: Sampled | None = None  #: (measure,): the rate over all bins, on all topics and on subsets

    @property
    def rates(self) -> Floats:
        """(measure, bin); NaN if no difference fell into a bin."""
        return np.asarray(self.swaps / np.where(self.count, self.count, np.nan))

    @property
    def rate(self) -> Floats:
        """(measure,): the share of all comparisons that are swaps."""
        return np.asarray(self.swaps.sum(1) / self.count.sum(1))

    def differences(self) -> Differences:
        """Compare measures: the difference between the swap rates of every two measures."""
        return wanted(self.sampled).differences(self.measures, "swap rate", self.about)

    @property
    def required(self) -> list[float | None]:
        """For each measure, the smallest difference above which no bin exceeds the accepted swap rate."""
        out: list[float | None] = []
        for rate in self.rates:
            bad = np.flatnonzero(rate > self.error)
            first = int(bad[-1]) + 1 if len(bad) else 0
            out.append(float(self.edges[first]) if first < len(self.edges) else None)
        return out

    @property
    def sensitivity(self) -> list[float]:
        """For each measure, the share of comparisons that reach the required difference."""
        return [
            0.0 if least is None else float(row[self.edges >= least - 1e-12].sum() / row.sum())
            for least, row in zip(self.required, self.count, strict=True)
        ]

    @property
    def summary(self) -> Table:
        return Table(
            {
                "measure": list(self.measures),
                "required Δ": self.required,
                "sensitivity": self.sensitivity,
                "comparisons": self.count.sum(1).tolist(),
                "swap rate": self.rate.tolist(),
                **ends(self.sampled, 0, 1),
            }
        )

    @property
    def rows(self) -> Table:
        """One row per measure and bin."""
        m, place = (axis.ravel() for axis in np.indices(self.count.shape))
        return Table(
            {
                "measure": [self.measures[i] for i in m],
                "difference from": self.edges[place].tolist(),
                "comparisons": self.count.ravel().tolist(),
                "swaps": self.swaps.ravel().tolist(),
                "swap rate": self.rates.ravel().tolist(),
                "overall swap rate": self.rate[m].tolist(),
                **{
                    f"overall {end}": [values[i] for i in m]
                    for end, values in ends(self.sampled, 0, 1).items()
                },
            }
        )
