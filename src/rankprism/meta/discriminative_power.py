"""Discriminative power: for how many pairs of systems a measure finds a significant difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rankprism.data import Bools, Floats, Longs
from rankprism.errors import one_of
from rankprism.evaluation import comparable
from rankprism.meta.intervals import (
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
from rankprism.results import Result, Scores, Table
from rankprism.statistics import Share, check_level, corrected, for_each, paired, resampling
from rankprism.types import JudgmentsLike, MeasuresLike, MethodName, Natural, Positive, RunsLike, ScoresLike

Signs: TypeAlias = npt.NDArray[np.int8]


@dataclass(frozen=True)
class Method:
    """A way to say which differences are significant."""

    words: str  #: for a caption
    correction: str  #: for the number of pairs
    draws: bool = True  #: whether it takes `resamples` and `seed`


METHODS: dict[str, Method] = {
    "bootstrap": Method("paired bootstrap", "none"),
    "tukey": Method("randomised Tukey HSD", "within the test"),
    "t": Method("paired t-test, Holm", "holm", draws=False),
}


def power(
    scores: ScoresLike | JudgmentsLike,
    runs: RunsLike | None = None,
    measures: MeasuresLike | None = None,
    *,
    method: MethodName = "bootstrap",
    alpha: float = 0.05,
    resamples: Positive = 1000,
    seed: Natural = 0,
    intervals: float = 0.95,
    on_share: Share | None = None,
) -> DiscriminativePower:
    """The share of pairs of systems with a significant difference, for each measure (Sakai 2006).

    The result has the difference that is required for significance. For the bootstrap, it is the difference
    in the ⌈Bα⌉-th most extreme resample, and the largest of these over all pairs. For Tukey's HSD, it is the
    difference that a share alpha of the resamples reaches. For t it is not defined.

    Parameters
    ----------
    scores
        What `evaluate` returns, or whatever `read_scores` takes. Or judgments, with the `runs` and
        `measures` to evaluate, as for `rankprism.evaluate`.
    method
        The significance test: the paired bootstrap, the randomised Tukey HSD, or the paired t-test with
        Holm's correction.

        The bootstrap takes the same resampled topics for all pairs.
    alpha
        Significance level.
    resamples
        Number of resamples.

        Sakai and Song (2011) take 1,000.
    seed
        Seed for the random numbers. The same seed gives the same result.
    intervals
        Confidence of the intervals. An interval says how much the figure could change with other topics. 0
        leaves the intervals out.

        They cover the power that is expected with the same number of other topics. `differences` of the
        result compares the power of measures.

    Examples
    --------
    >>> from rankprism import sample, evaluate
    >>> scores = evaluate(sample.QRELS, list(sample.RUNS), ["alpha_nDCG@10", "P@10"])
    >>> print(power(scores))
    measure         power     low    high  significant  pairs  required Δ
    ─────────────────────────────────────────────────────────────────────
    alpha_nDCG@10  0.8000  0.6085  0.9915           12     15      0.1024
    P@10           0.7333  0.5687  0.8980           11     15      0.1350
    <BLANKLINE>
    power: the share of pairs of runs that differ significantly (paired bootstrap with 1,000 resamples,
    p < 0.05, not corrected for 15 pairs, 20 topics). low and high: the 95 % interval of the power that
    is expected with as many other topics.
    """
    one_of("method", method, tuple(METHODS))
    check_level(alpha, resamples if METHODS[method].draws else None, seed)
    check_confidence(intervals)
    complete = comparable(scores, runs, measures)
    pairs = paired.all_pairs(len(complete.runs))
    by_name = np.argsort(complete.runs, kind="stable")
    tasks = [
        partial(significance, matrix, pairs, method, alpha, resamples, seed, by_name)
        for matrix in by_measure(complete)
    ]
    found = for_each(tasks, on_share)
    return with_power(complete, found, method, alpha, resamples, seed, intervals)


def by_measure(complete: Scores) -> Floats:
    """(measure, run, topic)"""
    return np.moveaxis(complete.values, 2, 0)


def with_power(
    complete: Scores,
    found: Sequence[Significance],
    method: MethodName,
    alpha: float,
    resamples: int,
    seed: int,
    intervals: float,
) -> DiscriminativePower:
    """The result of `power`, from the tests of all pairs by each measure."""
    draws = METHODS[method].draws
    pairs = paired.all_pairs(len(complete.runs))
    values = by_measure(complete)
    means = values.mean(2)
    asl = np.array([test.asl for test in found])
    sampling = halves(f"power by {method}", len(complete.topics), intervals, seed) if intervals else None
    decided = None if sampling is None else _in_other_collections(values, pairs, found, alpha, sampling)
    return DiscriminativePower(
        runs=complete.runs,
        measures=complete.measures,
        method=method,
        alpha=alpha,
        pairs=pairs,
        difference=means[:, pairs[:, 0]] - means[:, pairs[:, 1]],
        asl=asl,
        delta=np.array([test.delta.max() for test in found]),
        decided=decided,
        sampling=sampling,
        about={
            "method": method,
            "alpha": alpha,
            "resamples": resamples if draws else None,
            "seed": seed if draws else None,
            "correction": METHODS[method].correction,
            "runs": len(complete.runs),
            "topics": len(complete.topics),
            "intervals": None if sampling is None else sampling.about,
            "scores": complete.conventions,
        },
    )


@dataclass(frozen=True, eq=False)
class Significance:
    """The result of a method for some pairs by one measure, and what is required for significance."""

    method: MethodName
    asl: Floats  #: (pair,)
    delta: Floats  #: (pair,): the required difference of means
    critical: Floats | None = None  #: (pair,): the |t| that the bootstrap requires


def significance(
    values: Floats,
    pairs: Longs,
    method: MethodName,
    alpha: float,
    resamples: int,
    seed: int,
    by_name: Longs,
    on_share: Share | None,
) -> Significance:
    """The p of each pair of rows of (run, topic), and the required difference."""
    unknown = np.full(len(pairs), np.nan)
    if values.shape[1] < 2:
        return Significance(method, unknown, unknown)
    if method == "bootstrap":
        z = values[pairs[:, 0]] - values[pairs[:, 1]]
        found = resampling.bootstrap(z, alpha, resamples, seed, on_share)
        return Significance(method, found.asl, found.delta, found.critical)
    if method == "tukey":
        # Scores are dealt to the first run, the second run and so on, and this order must not depend on the
        # input.
        place = np.argsort(by_name)
        test = paired.tukey(values[by_name], place[pairs], alpha, resamples, seed, on_share)
        return Significance(method, test.p, test.half_width)
    return Significance(method, corrected(paired.student(values, pairs, alpha).p, "holm"), unknown)


def _in_other_collections(
    values: Floats, pairs: Longs, found: Sequence[Significance], alpha: float, sampling: Sampling
) -> Signs:
    """(half, measure, pair): which run of each pair scores significantly higher in collections like this one.

    values : (measure, run, topic). Variances come from the half. Bootstrap and Tukey keep the critical values
    of all topics, which for Tukey are scaled by the spread of the scores within the topics of the half.
    """
    weights = sampling.kept.T.astype(np.float64)
    decided = np.zeros((len(sampling.kept), len(values), len(pairs)), dtype=np.int8)
    if not len(decided):
        return decided
    kept, topics = int(sampling.kept[0].sum()), values.shape[2]
    for m, test in enumerate(found):
        means = other_means(values[m], sampling)
        mean = without_noise(means[pairs[:, 0]] - means[pairs[:, 1]])  # (pair, half)
        if test.method == "tukey":
            spread = values[m].var(0)
            scale = np.sqrt(spread @ weights / kept / spread.mean()) if spread.any() else 1.0
            significant = np.abs(mean) > test.delta[0] * scale
        else:
            z = without_noise(values[m, pairs[:, 0]] - values[m, pairs[:, 1]])
            average, square = product(z, weights) / kept, product(z**2, weights) / kept
            t = _t(mean, np.maximum(square - average**2, 0.0) * kept / (kept - 1), square, topics)
            significant = t > test.critical[:, None] if test.critical is not None else _holm(t, topics, alpha)
        decided[:, m] = np.where(significant, np.sign(mean), 0.0).T
    return decided


def _t(mean: Floats, variance: Floats, square: Floats, topics: int) -> Floats:
    """|t| from the mean and the variance of z, and the mean of z². Infinite if z is constant and not 0."""
    variance[variance <= 1e-13 * square] = 0.0  # only rounding
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(np.abs(mean) / np.sqrt(variance / topics), nan=0.0, posinf=np.inf)


def _holm(t: Floats, topics: int, alpha: float) -> Bools:
    """(pair, subset): whether a pair is significant after Holm's correction in each subset."""
    from scipy import special

    p = 2 * special.stdtr(topics - 1, -t)
    order = np.argsort(p, axis=0, kind="stable")
    allowed = alpha / (len(p) - np.arange(len(p)))[:, None]
    passed = np.logical_and.accumulate(np.take_along_axis(p, order, axis=0) < allowed, axis=0)
    significant = np.empty_like(passed)
    np.put_along_axis(significant, order, passed, axis=0)
    return significant


@dataclass(frozen=True, eq=False, repr=False)
class DiscriminativePower(Result):
    """What `power` found. Arrays are (measure, pair)."""

    claims = tuple(f"power by {method}" for method in METHODS)
    runs: tuple[str, ...]
    measures: tuple[str, ...]
    method: MethodName
    alpha: float
    pairs: Longs  #: (pair, 2): positions in `runs`
    difference: Floats  #: of the means
    asl: Floats  #: the achieved significance level
    delta: Floats  #: (measure,) the difference required for significance
    #: (half, measure, pair): in collections like this one, 1 where the first run scores significantly higher,
    #: -1 where the second does
    decided: Signs | None = None
    sampling: Sampling | None = None
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def significant(self) -> Bools:
        """(measure, pair)"""
        return np.asarray(self.asl < self.alpha)

    @property
    def power(self) -> Floats:
        """(measure,): the share of pairs with a significant difference, or NaN if it is not defined."""
        return np.where(np.isnan(self.asl).any(1), np.nan, self.significant.mean(1))

    @property
    def sampled(self) -> Sampled | None:
        """The power on all topics and on subsets of the topics."""
        if self.decided is None or self.sampling is None:
            return None
        return Sampled(
            self.sampling,
            self.power,
            (self.decided != 0).mean(2),
            1 / len(self.pairs),
        )

    def differences(self) -> Differences:
        """Compare measures: the difference between the powers of every two measures."""
        sampled = replace(wanted(self.sampled), step=0.0)  # with a step, they would be 1.5 times too wide
        return sampled.differences(self.measures, "power", self.about)

    @property
    def note(self) -> str:
        """Which differences are significant, and what the intervals are."""
        a, method = self.about, METHODS[self.about["method"]]
        pairs = f"{len(self.pairs):,} pair{'s' * (len(self.pairs) != 1)}"
        drawn = f" with {a['resamples']:,} resamples" if a["resamples"] else ""
        corrected_for = {
            "none": f"not corrected for {pairs}",
            "within the test": f"corrected for {pairs} by the test itself",
            "holm": f"after the Holm correction for {pairs}",
        }[method.correction]
        test = method.words.removesuffix(", Holm")
        said = [
            f"power: the share of pairs of runs that differ significantly ({test}{drawn}, "
            f"p < {self.alpha:g}, {corrected_for}, {a['topics']} topics)."
        ]
        confidence = 0 if self.sampling is None else self.sampling.confidence
        if confidence:
            said.append(
                f"low and high: the {100 * confidence:g} % interval of the power that is expected with as "
                f"many other topics."
            )
        return " ".join(said)

    @property
    def curves(self) -> Floats:
        """(measure, pair): the levels from the largest to the smallest, as an ASL curve shows them."""
        return np.asarray(-np.sort(-self.asl, axis=1))

    @property
    def summary(self) -> Table:
        return Table(
            {
                "measure": list(self.measures),
                "power": self.power.tolist(),
                **ends(self.sampled, 0, 1),
                "significant": self.significant.sum(1).tolist(),
                "pairs": [len(self.pairs)] * len(self.measures),
                "required Δ": self.delta.tolist(),
            }
        )

    @property
    def rows(self) -> Table:
        """One row per measure and pair."""
        m, pair = (axis.ravel() for axis in np.indices(self.asl.shape))
        first, second = self.pairs[pair].T
        intervals = ends(self.sampled, 0, 1)
        return Table(
            {
                "measure": [self.measures[i] for i in m],
                "run": [self.runs[i] for i in first],
                "other": [self.runs[i] for i in second],
                "difference": self.difference.ravel().tolist(),
                "asl": self.asl.ravel().tolist(),
                "significant": self.significant.ravel().tolist(),
                "power": self.power[m].tolist(),
                **{f"power {end}": [values[i] for i in m] for end, values in intervals.items()},
            },
            probabilities=("asl",),
        )
