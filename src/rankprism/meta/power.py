"""Discriminative power: how many pairs of systems a measure tells apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from rankprism.comparison import paired, resampling
from rankprism.comparison.comparison import check_level, for_each
from rankprism.comparison.correction import corrected
from rankprism.comparison.resampling import Share
from rankprism.data.hits import Bools, Floats, Longs
from rankprism.data.result import Result, Table
from rankprism.data.scores import Scores
from rankprism.errors import InputError, one_of
from rankprism.formats.scores import read_scores

METHODS = ("bootstrap", "tukey", "t")


def discriminative_power(
    scores: Any,
    *,
    method: str = "bootstrap",
    alpha: float = 0.05,
    resamples: int = 1000,
    seed: int = 0,
    on_share: Share | None = None,
) -> DiscriminativePower:
    """The share of pairs of systems with a significant difference, for each measure (Sakai 2006).

    method : "bootstrap", the paired bootstrap with the same resampled topics for all pairs; "tukey", the
        randomised Tukey HSD; "t", the paired t-test with Holm's correction.
    alpha, resamples, seed : see `rankprism.compare`. Sakai and Song (2011) take 1,000 resamples.

    The difference required for significance is, for the bootstrap, the largest over all pairs of the
    difference in the ⌈Bα⌉-th most extreme resample; for Tukey's HSD the difference that a share alpha of
    the resamples reaches; for t it is not defined.

    >>> from rankprism import sample, evaluate
    >>> scores = evaluate(sample.QRELS, list(sample.RUNS), ["alpha_nDCG@10", "P@10"])
    >>> print(discriminative_power(scores))
    measure         power  significant  pairs  required Δ
    ─────────────────────────────────────────────────────
    alpha_nDCG@10  0.8000           12     15      0.1024
    P@10           0.7333           11     15      0.1350
    """
    one_of("method", method, METHODS)
    check_level(alpha, None if method == "t" else resamples, seed)
    complete = several_runs(scores)
    pairs = paired.all_pairs(len(complete.runs))
    values = np.moveaxis(complete.values, 2, 0)  # (measure, run, topic)
    tasks = [partial(_significance, matrix, pairs, method, alpha, resamples, seed) for matrix in values]
    found = for_each(tasks, on_share)
    means = values.mean(2)
    return DiscriminativePower(
        runs=complete.runs,
        measures=complete.measures,
        method=method,
        alpha=alpha,
        pairs=pairs,
        difference=means[:, pairs[:, 0]] - means[:, pairs[:, 1]],
        asl=np.array([p for p, _ in found]),
        delta=np.array([delta for _, delta in found]),
        about={
            "method": method,
            "alpha": alpha,
            "resamples": None if method == "t" else resamples,
            "seed": None if method == "t" else seed,
            "correction": {"t": "holm", "tukey": "within the test", "bootstrap": "none"}[method],
            "runs": len(complete.runs),
            "topics": len(complete.topics),
            "scores": complete.conventions,
        },
    )


def several_runs(scores: Any) -> Scores:
    """Complete scores of two runs or more."""
    complete = read_scores(scores).complete()
    if len(complete.runs) < 2:
        raise InputError(f"pairs of runs are needed; there is only {', '.join(complete.runs)}")
    return complete


def _significance(
    values: Floats, pairs: Longs, method: str, alpha: float, resamples: int, seed: int, on_share: Share | None
) -> tuple[Floats, float]:
    """The p of each pair, and the required difference."""
    if values.shape[1] < 2:
        return np.full(len(pairs), np.nan), np.nan
    if method == "bootstrap":
        z = values[pairs[:, 0]] - values[pairs[:, 1]]
        found = resampling.bootstrap(z, alpha, resamples, seed, on_share)
        return found.asl, float(found.delta.max())
    if method == "tukey":
        test = paired.tukey(values, pairs, alpha, resamples, seed, on_share)
        return test.p, float(test.margin[0])
    return corrected(paired.student(values, pairs, alpha).p, "holm"), np.nan


@dataclass(frozen=True, eq=False, repr=False)
class DiscriminativePower(Result):
    """What `discriminative_power` found. Arrays are (measure, pair)."""

    runs: tuple[str, ...]
    measures: tuple[str, ...]
    method: str
    alpha: float
    pairs: Longs  #: (pair, 2): positions in `runs`
    difference: Floats  #: of the means
    asl: Floats  #: the achieved significance level
    delta: Floats  #: (measure,) the difference required for significance
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def significant(self) -> Bools:
        """(measure, pair)"""
        return np.asarray(self.asl < self.alpha)

    @property
    def power(self) -> Floats:
        """(measure,): the share of pairs with a significant difference; NaN where that is not defined."""
        return np.where(np.isnan(self.asl).any(1), np.nan, self.significant.mean(1))

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
                "significant": self.significant.sum(1).tolist(),
                "pairs": [len(self.pairs)] * len(self.measures),
                "required Δ": self.delta.tolist(),
            }
        )

    @property
    def rows(self) -> Table:
        """One row a measure and pair."""
        m, pair = (axis.ravel() for axis in np.indices(self.asl.shape))
        first, second = self.pairs[pair].T
        return Table(
            {
                "measure": [self.measures[i] for i in m],
                "run": [self.runs[i] for i in first],
                "other": [self.runs[i] for i in second],
                "difference": self.difference.ravel().tolist(),
                "asl": self.asl.ravel().tolist(),
                "significant": self.significant.ravel().tolist(),
            }
        )
