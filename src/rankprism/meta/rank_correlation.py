"""Correlation: do two measures rank systems alike?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from rankprism.data import Floats
from rankprism.errors import InputError, one_of
from rankprism.evaluation import comparable
from rankprism.meta.intervals import ByOdds, Sampled, check_confidence, halves, other_means, without_one
from rankprism.meta.products import product
from rankprism.meta.ties import dense_ranks, signs
from rankprism.results import Result, Table
from rankprism.results.table import printed_cell
from rankprism.statistics import Share
from rankprism.types import Coefficient, JudgmentsLike, MeasuresLike, Natural, RunsLike, ScoresLike


def tau_b(x: Floats, y: Floats) -> float:
    """Kendall's τ_b: (concordant - discordant) / √(pairs not tied in x · pairs not tied in y).

    >>> round(tau_b(np.array([3, 2, 1, 0.5]), np.array([3, 1, 2, 1])), 4)
    0.5477
    """
    return float(_cosines(signs(np.stack([x, y])))[0, 1])


def tau_a(x: Floats, y: Floats) -> float:
    """Kendall's τ_a: (concordant - discordant) / all pairs, so that a tie counts against agreement."""
    return float(_mean_products(signs(np.stack([x, y])))[0, 1])


def spearman(x: Floats, y: Floats) -> float:
    """Spearman's ρ: the correlation of the ranks, ties having their mean rank."""
    return float(_cosines(_centred_ranks(np.stack([x, y])))[0, 1])


def tau_ap(gold: Floats, evaluated: Floats) -> float:
    """AP correlation (Yilmaz et al. 2008): Kendall's τ in which the top of the ranking counts more.

    τ_ap = 2/(N-1) Σ_{i≥2} C(i)/(i-1) - 1, where C(i) is the number of items above rank i of the evaluated
    ranking that are above that item in the gold ranking too

    With ties, τ_ap is the mean over all ways to break them (τ_ap,a of Urbano and Marrero 2017). Of two items
    that are tied in the gold ranking, each is above the other half of the time. Items that are tied in the
    evaluated ranking take each of their ranks equally often.

    >>> round(tau_ap(np.array([4, 3, 2, 1]), np.array([1, 4, 3, 2])), 4)
    0.3333
    """
    return float(_tau_ap(np.stack([gold, evaluated]))[0, 1])


def tau_ap_symmetric(x: Floats, y: Floats) -> float:
    """The mean of τ_ap in both directions."""
    return (tau_ap(x, y) + tau_ap(y, x)) / 2


def rbo(x: Floats, y: Floats, p: float = 0.9) -> float:
    """Rank-biased overlap (Webber et al. 2010) of two whole rankings, extrapolated.

    RBO = (1-p) Σ_{d≤n} p^(d-1) A_d + p^n A_n,  A_d = 2 |S_d ∩ T_d| / (|S_d| + |T_d|), where S_d and T_d are
    the items of rank ≤ d; tied items have the best rank of their group, and A_n = 1

    >>> rbo(np.array([3, 2, 1]), np.array([3, 2, 1]))
    1.0
    """
    return float(_rbo(np.stack([x, y]), p)[0, 1])


def _tau_ap(rankings: Floats) -> Floats:
    """(gold, evaluated): τ_ap of every ranking with every other.

    C(i)/(i-1) is a sum over pairs of items. A pair that the evaluated ranking puts in the order i, j counts
    w_j if the gold ranking agrees, w_j/2 if it ties them, and 0 if it disagrees. With the sign s of the gold
    ranking, this is w_j (1 + s)/2. The sums over all pairs are therefore a matrix product of the signs and
    the weights. w_j is the mean of 1/(rank-1) over the ranks that j shares with the items tied with it.
    """
    n = rankings.shape[1]
    first, second = np.triu_indices(n, 1)
    ranks = dense_ranks(rankings)
    above = (ranks[:, None, :] > ranks[:, :, None]).sum(2)  # how many are above each item
    group = (ranks[:, None, :] == ranks[:, :, None]).sum(2)  # how many are tied with it, itself included
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, n))])
    inverse = harmonic[above + group - 1] - harmonic[np.maximum(above - 1, 0)]  # Σ 1/(rank-1), rank ≥ 2
    weight = inverse / group
    # Each of two tied items is above the other half of the time, for every gold ranking.
    counted = above + group - np.maximum(above, 1)
    among = ((counted - above * inverse) / (2 * group)).sum(1)
    sign = np.sign(ranks[:, first] - ranks[:, second]).astype(np.float64)
    weights = np.where(sign > 0, weight[:, second], 0.0) - np.where(sign < 0, weight[:, first], 0.0)
    right = (product(sign, weights.T) + (above * weight).sum(1)) / 2
    return np.asarray(2 / (n - 1) * (right + among) - 1)


def _tau_ap_symmetric(rankings: Floats) -> Floats:
    found = _tau_ap(rankings)
    return np.asarray((found + found.T) / 2)


def _rbo(rankings: Floats, p: float = 0.9) -> Floats:
    """Every ranking with every other."""
    n = rankings.shape[1]
    ranks = dense_ranks(rankings)
    best = (ranks[:, None, :] > ranks[:, :, None]).sum(2) + 1  # tied items have the best rank of their group
    total = np.zeros((len(rankings), len(rankings)))
    for depth in range(1, n + 1):
        top = (best <= depth).astype(np.float64)
        size = top.sum(1)
        overlap = 2 * product(top, top.T) / (size[:, None] + size)
        total += (1 - p) * p ** (depth - 1) * overlap
    return np.asarray(total + p**n * overlap)


def _centred_ranks(rankings: Floats) -> Floats:
    """(ranking, item): ranks less their mean; tied items have the mean rank of their group."""
    ranks = dense_ranks(rankings)
    below = ranks[:, :, None] < ranks[:, None, :]
    return np.asarray((below.sum(2) - below.sum(1)) / 2)


def _cosines(vectors: npt.NDArray[Any]) -> Floats:
    products = product(vectors, vectors.T)
    squares = np.diag(products)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(products / np.sqrt(squares[:, None] * squares))


def _mean_products(vectors: npt.NDArray[Any]) -> Floats:
    return np.asarray(product(vectors, vectors.T) / vectors.shape[1])


#: What is added to both sides of the odds of a coefficient. With less of it, intervals of few runs hold too
#: seldom, and with more, intervals of many runs are too wide (`make coverage`).
_LITTLE = 0.5

#: The coefficients by name. Each gives a matrix of all rankings with all others. For τ_ap, rows are the gold.
COEFFICIENTS: dict[str, Callable[[Floats], Floats]] = {
    "tau-b": lambda rankings: _cosines(signs(rankings)),
    "tau-a": lambda rankings: _mean_products(signs(rankings)),
    "tau-ap": _tau_ap,
    "tau-ap-symmetric": _tau_ap_symmetric,
    "spearman": lambda rankings: _cosines(_centred_ranks(rankings)),
    "rbo": _rbo,
}


def correlation(
    scores: ScoresLike | JudgmentsLike,
    runs: RunsLike | None = None,
    measures: MeasuresLike | None = None,
    *,
    coefficient: Coefficient = "tau-b",
    per_topic: bool = False,
    p: float = 0.9,
    intervals: float = 0.95,
    seed: Natural = 0,
    on_share: Share | None = None,
) -> Correlation:
    """The correlation of every measure with every other, as rankings of the runs.

    The best run comes first in each ranking, so measures of which a lower score is better are turned around.

    Parameters
    ----------
    scores
        What `evaluate` returns, or whatever `read_scores` takes. Or judgments, with the `runs` and
        `measures` to evaluate, as for `rankprism.evaluate`.
    coefficient
        The coefficient. For tau-ap, the measure of a row is the gold ranking.
    per_topic
        Correlate the scores of each topic and average over topics, instead of correlating the mean scores.

        Topics where the coefficient is not defined are left out.
    p
        Parameter p of RBO. With a larger p, lower ranks count more.
    intervals
        Confidence of the intervals. An interval says how much the figure could change with other topics. 0
        leaves the intervals out.

        They cover the coefficient that is expected with the same number of other topics. There is no interval
        with fewer than 8 topics, or if no set of topics changes the coefficient.
    seed
        Seed for the random numbers. The same seed gives the same result.

        The intervals are made from random sets of topics.

    Examples
    --------
    >>> from rankprism import sample, evaluate
    >>> scores = evaluate(sample.QRELS, list(sample.RUNS), ["alpha_nDCG@10", "P@10", "StRecall@10"])
    >>> print(correlation(scores, intervals=0))
    tau-b          alpha_nDCG@10    P@10  StRecall@10
    ─────────────────────────────────────────────────
    alpha_nDCG@10         1.0000  0.7333       0.8667
    P@10                  0.7333  1.0000       0.6000
    StRecall@10           0.8667  0.6000       1.0000
    """
    one_of("coefficient", coefficient, tuple(COEFFICIENTS))
    if not 0 < p < 1:
        raise InputError(f"p must be a number between 0 and 1; got {p!r}")
    check_confidence(intervals)
    complete = comparable(scores, runs, measures)
    topics = len(complete.topics)
    sampling = None
    if intervals:
        sampling = (
            without_one("a correlation per topic", topics, intervals)
            if per_topic
            else halves("a correlation of means", topics, intervals, seed)
        )
    matrix = partial(_rbo, p=p) if coefficient == "rbo" else COEFFICIENTS[coefficient]
    if per_topic:
        columns = np.moveaxis(complete.oriented, (1, 2), (0, 1))  # (topic, measure, run)
    else:  # (this collection and then others like it, measure, run)
        columns = complete.oriented.mean(1).T[None]
        if sampling is not None and len(sampling.kept):
            others = [other_means(values, sampling).T for values in np.moveaxis(complete.oriented, 2, 0)]
            columns = np.concatenate([columns, np.stack(others, 1)])
    found = np.empty((len(columns), len(complete.measures), len(complete.measures)))
    for t, rankings in enumerate(columns):
        found[t] = matrix(rankings)
        if on_share is not None:
            on_share((t + 1) / len(columns))
    defined = (~np.isnan(found)).sum(0)
    values = _mean(found, np.ones((1, topics)))[0] if per_topic else found[0]
    sampled = None
    if sampling is not None:
        replicates = _mean(found, sampling.kept.astype(np.float64)) if per_topic else found[1:]
        if per_topic or coefficient == "rbo":
            sampled = Sampled(sampling, values, replicates)
        else:
            odds = Sampled(sampling, _log_odds(values), _log_odds(replicates))
            sampled = ByOdds(sampling, values, replicates, odds=odds, back=_of_log_odds)
    return Correlation(
        measures=complete.measures,
        coefficient=coefficient,
        values=values,
        defined=defined if per_topic else None,
        sampled=sampled,
        about={
            "coefficient": coefficient,
            "over": "topics, averaged" if per_topic else "means",
            "runs": len(complete.runs),
            "topics": topics,
            **({"p": p} if coefficient == "rbo" else {}),
            "intervals": None if sampling is None else sampling.about,
            "scores": complete.conventions,
        },
    )


def _log_odds(coefficient: Floats) -> Floats:
    """Fisher's z, twice, made finite at 1 and -1. In other collections like this one, a coefficient is lower
    and so varies more; on this scale, it varies about as much."""
    return np.asarray(np.log((1 + coefficient + _LITTLE) / (1 - coefficient + _LITTLE)))


def _of_log_odds(odds: Floats) -> Floats:
    return np.asarray((1 + _LITTLE) * np.tanh(odds / 2))


def _mean(found: Floats, weights: Floats) -> Floats:
    """(set of topics, measure, measure): the mean over the topics of each set where it is defined."""
    defined = ~np.isnan(found)
    total = np.tensordot(weights, np.where(defined, found, 0.0), 1)
    count = np.tensordot(weights, defined.astype(np.float64), 1)
    return np.asarray(total / np.where(count, count, np.nan))


@dataclass(frozen=True, eq=False, repr=False)
class Correlation(Result):
    """What `correlation` found: (measure, measure)."""

    claims = ("a correlation of means", "a correlation per topic")
    measures: tuple[str, ...]
    coefficient: Coefficient
    values: Floats  #: NaN where not defined, as where a measure gives all runs the same score
    defined: Any = None  #: per topic: how many topics each mean is over
    about: Mapping[str, Any] = field(default_factory=dict)
    sampled: Sampled | None = None  #: the values on all topics and on subsets of them

    @property
    def summary(self) -> Table:
        """The matrix, each value with its interval."""
        columns: dict[str, list[Any]] = {self.coefficient: list(self.measures)}
        low, high = self.interval
        for j, measure in enumerate(self.measures):
            column = self.values[:, j].tolist()
            columns[measure] = (
                column
                if self.sampled is None
                else [_with_interval(*cell) for cell in zip(column, low[:, j], high[:, j], strict=True)]
            )
        return Table(columns)

    @property
    def interval(self) -> tuple[Floats, Floats]:
        """(measure, measure): the ends of the intervals; NaN where there are none."""
        if self.sampled is None:
            return (np.full_like(self.values, np.nan),) * 2
        return self.sampled.interval(0 if self.coefficient == "rbo" else -1, 1)

    @property
    def rows(self) -> Table:
        """One row per ordered pair of measures."""
        i, j = (axis.ravel() for axis in np.indices(self.values.shape))
        columns: dict[str, list[Any]] = {
            "measure": [self.measures[a] for a in i],
            "other": [self.measures[b] for b in j],
            self.coefficient: self.values.ravel().tolist(),
        }
        if self.sampled is not None:
            columns |= {
                name: end.ravel().tolist() for name, end in zip(("low", "high"), self.interval, strict=True)
            }
        if self.defined is not None:
            columns["topics"] = self.defined.ravel().tolist()
        return Table(columns)

    def clustered(self) -> Correlation:
        """The same with measures that rank alike side by side (average linkage of 1 - correlation)."""
        if len(self.measures) < 3:
            return self
        from scipy.cluster import hierarchy
        from scipy.spatial.distance import squareform

        alike = np.nan_to_num((self.values + self.values.T) / 2)
        distance = np.maximum(1 - alike, 0.0)
        np.fill_diagonal(distance, 0.0)
        condensed = squareform(distance, checks=False)
        tree = hierarchy.optimal_leaf_ordering(hierarchy.linkage(condensed, "average"), condensed)
        order = hierarchy.leaves_list(tree)
        return Correlation(
            tuple(self.measures[i] for i in order),
            self.coefficient,
            self.values[np.ix_(order, order)],
            None if self.defined is None else self.defined[np.ix_(order, order)],
            self.about,
            None if self.sampled is None else self.sampled.select(order, order),
        )


def _with_interval(value: float, low: float, high: float) -> str:
    interval = "" if np.isnan(low) else f" [{low:.2f}, {high:.2f}]"
    return printed_cell(value) + interval
