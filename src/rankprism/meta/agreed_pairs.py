"""Agreement: do two measures find the same differences significant?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from rankprism.data import Floats, Ints
from rankprism.meta.discriminative_power import DiscriminativePower, power
from rankprism.meta.intervals import Sampled, ends
from rankprism.meta.products import product
from rankprism.results import Result, Table
from rankprism.results import signs as direction_signs
from rankprism.statistics import Share
from rankprism.types import JudgmentsLike, MeasuresLike, MethodName, Natural, Positive, RunsLike, ScoresLike


def agreement(
    scores: ScoresLike | JudgmentsLike | DiscriminativePower,
    runs: RunsLike | None = None,
    measures: MeasuresLike | None = None,
    *,
    method: MethodName = "bootstrap",
    alpha: float = 0.05,
    resamples: Positive = 1000,
    seed: Natural = 0,
    intervals: float = 0.95,
    on_share: Share | None = None,
) -> Agreement:
    """Do measures agree on which pairs of systems differ (Sakai and Song 2011, section 4.3)?

    The agreement is |A ∩ B| / |A ∪ B|, where A and B are the pairs of systems that differ significantly by
    each of two measures. A pair that differs significantly by both, but in opposite directions, is a conflict
    and does not count as agreement.

    Parameters
    ----------
    scores
        What `evaluate` returns, or whatever `read_scores` takes. Or judgments, with the `runs` and
        `measures` to evaluate, as for `rankprism.evaluate`. Or a result of `power`, which has the other
        parameters already.
    method
        The significance test: the paired bootstrap, the randomised Tukey HSD, or the paired t-test with
        Holm's correction.
    alpha
        Significance level.
    resamples
        Number of resamples.
    seed
        Seed for the random numbers. The same seed gives the same result.
    intervals
        Confidence of the intervals. An interval says how much the figure could change with other topics. 0
        leaves the intervals out.

    Examples
    --------
    >>> from rankprism import sample, evaluate
    >>> scores = evaluate(sample.QRELS, list(sample.RUNS), ["alpha_nDCG@10", "P@10"])
    >>> print(agreement(scores))
    measure        other  only it  both  only other  conflicts  agreement     low    high
    ─────────────────────────────────────────────────────────────────────────────────────
    alpha_nDCG@10  P@10         3     9           2          0     0.6429  0.4519  0.8338
    """
    if isinstance(scores, DiscriminativePower):
        found = scores
    else:
        found = power(
            scores,
            runs,
            measures,
            method=method,
            alpha=alpha,
            resamples=resamples,
            seed=seed,
            intervals=intervals,
            on_share=on_share,
        )
    direction = direction_signs(found.measures, found.lower_is_better)
    sign = np.where(found.significant, np.sign(found.difference) * direction[:, None], 0.0)
    pairs = tuple(combinations(range(len(found.measures)), 2))
    counts = _counts(sign[None], pairs)[0]
    sampled = None
    if found.decided is not None and found.sampling is not None:
        decided = found.decided * direction[:, None].astype(np.int8)
        figures, replicates = shares(counts), shares(_counts(decided, pairs))
        step = 1 / np.maximum(counts.sum(1), 1)  # of all pairs that either measure finds different
        sampling = replace(found.sampling, claim="agreement")
        sampled = Sampled(sampling, figures, replicates, step)
    return Agreement(found.measures, pairs, counts, {**found.about, "pairs": len(found.pairs)}, sampled)


def _counts(sign: npt.NDArray[Any], pairs: Sequence[tuple[int, int]]) -> Ints:
    """(set of topics, pair of measures, 4) from the signs (set of topics, measure, pair of runs)."""
    counts = np.empty((len(sign), len(pairs), 4), dtype=np.int32)
    a, b = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    for number, signs in enumerate(sign):
        found = np.abs(signs)
        each = found.sum(1, dtype=np.int64)
        both = product(found, found.T)[a, b]
        alike_less_conflicts = product(signs, signs.T)[a, b]
        counts[number, :, 0] = each[a] - both
        counts[number, :, 1] = (both + alike_less_conflicts) / 2
        counts[number, :, 2] = each[b] - both
        counts[number, :, 3] = (both - alike_less_conflicts) / 2
    return counts


def shares(counts: Ints) -> Floats:
    """|A ∩ B| / |A ∪ B| from the four counts in the last axis, or NaN if neither finds a difference.

    >>> shares(np.array([[4, 115, 11, 0]])).round(4)
    array([0.8846])
    """
    union = counts.sum(-1)
    return np.asarray(counts[..., 1] / np.where(union, union, np.nan))


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Result):
    """What `agreement` found, for each pair of measures."""

    claims = ("agreement",)
    measures: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]
    counts: Ints  #: (pair, 4): only the first, both, only the second, both but in opposite directions
    about: Mapping[str, Any] = field(default_factory=dict)
    sampled: Sampled | None = None  #: the agreement on all topics and on subsets of them

    @property
    def summary(self) -> Table:
        return Table(
            {
                "measure": [self.measures[a] for a, _ in self.pairs],
                "other": [self.measures[b] for _, b in self.pairs],
                "only it": self.counts[:, 0].tolist(),
                "both": self.counts[:, 1].tolist(),
                "only other": self.counts[:, 2].tolist(),
                "conflicts": self.counts[:, 3].tolist(),
                "agreement": shares(self.counts).tolist(),
                **ends(self.sampled, 0, 1),
            }
        )
