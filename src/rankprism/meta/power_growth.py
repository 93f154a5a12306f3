"""Stability: how discriminative power grows with the number of topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rankprism.data import Floats
from rankprism.errors import InputError
from rankprism.evaluation import comparable
from rankprism.meta.discriminative_power import METHODS, power
from rankprism.results import Result, Table
from rankprism.statistics import Share, part_of
from rankprism.types import JudgmentsLike, MeasuresLike, MethodName, Natural, Positive, RunsLike, ScoresLike


def stability(
    scores: ScoresLike | JudgmentsLike,
    runs: RunsLike | None = None,
    measures: MeasuresLike | None = None,
    *,
    sizes: Sequence[int] | None = None,
    samples: Positive = 10,
    method: MethodName = "bootstrap",
    alpha: float = 0.05,
    resamples: Positive = 1000,
    seed: Natural = 0,
    on_share: Share | None = None,
) -> Stability:
    """Discriminative power with fewer topics: the mean over `samples` random sets of each size.

    Parameters
    ----------
    scores
        What `evaluate` returns, or whatever `read_scores` takes. Or judgments, with the `runs` and
        `measures` to evaluate, as for `rankprism.evaluate`.
    sizes
        Numbers of topics. Default: ten steps up to all topics.
    samples
        Number of random sets of topics for each size.
    method
        The significance test: the paired bootstrap, the randomised Tukey HSD, or the paired t-test with
        Holm's correction.
    alpha
        Significance level.
    resamples
        Number of resamples.
    seed
        Seed for the random numbers. The same seed gives the same result.
    """
    complete = comparable(scores, runs, measures)
    topics = len(complete.topics)
    if topics < 2:
        raise InputError("two topics or more are needed; there is only one")
    if sizes is None:
        sizes = sorted(
            {max(2, round(topics * step / 10)) for step in range(1, 11)} & set(range(2, topics + 1))
        )
    if not sizes or not all(isinstance(size, int) and 2 <= size <= topics for size in sizes):
        raise InputError(f"sizes must lie between 2 and the number of topics, {topics}; got {list(sizes)}")
    if samples < 1:
        raise InputError(f"samples must be a whole number ≥ 1; got {samples!r}")
    rng = np.random.default_rng(seed)
    shares = np.empty((len(complete.measures), len(sizes), samples))
    for s, size in enumerate(sizes):
        for k in range(samples):
            if size == topics and k > 0:  # there is only one such set
                shares[:, s, k] = shares[:, s, 0]
                continue
            chosen = np.sort(rng.permutation(topics)[:size])
            some = complete.select(topics=[complete.topics[t] for t in chosen])
            found = power(
                some,
                method=method,
                alpha=alpha,
                resamples=resamples,
                seed=seed,
                intervals=0,
                on_share=part_of(on_share, s * samples + k, len(sizes) * samples),
            )
            shares[:, s, k] = found.power
    about = {
        "method": method,
        "alpha": alpha,
        "resamples": resamples if METHODS[method].draws else None,
        "samples": samples,
        "seed": seed,
        "runs": len(complete.runs),
        "topics": topics,
        "scores": complete.conventions,
    }
    return Stability(complete.measures, tuple(int(size) for size in sizes), shares, about)


@dataclass(frozen=True, eq=False, repr=False)
class Stability(Result):
    """What `stability` found."""

    measures: tuple[str, ...]
    sizes: tuple[int, ...]
    power: Floats  #: (measure, size, sample)
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def summary(self) -> Table:
        columns: dict[str, list[Any]] = {"measure": list(self.measures)}
        for s, size in enumerate(self.sizes):
            columns[f"{size} topics"] = self.power[:, s].mean(1).tolist()
        return Table(columns)

    @property
    def rows(self) -> Table:
        """One row per measure and size."""
        m, s = (axis.ravel() for axis in np.indices(self.power.shape[:2]))
        return Table(
            {
                "measure": [self.measures[i] for i in m],
                "topics": [self.sizes[i] for i in s],
                "power": self.power.mean(2).ravel().tolist(),
                "least": self.power.min(2).ravel().tolist(),
                "most": self.power.max(2).ravel().tolist(),
            }
        )
