"""Correlation: do two measures rank systems alike?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from rankprism.data.hits import Bools, Floats
from rankprism.data.result import Result, Table
from rankprism.errors import InputError, one_of
from rankprism.meta.power import several_runs
from rankprism.meta.unanimity import TIED


def tau_b(x: Floats, y: Floats) -> float:
    """Kendall's τ_b: (concordant - discordant) / √(pairs not tied in x · pairs not tied in y).

    >>> round(tau_b(np.array([3, 2, 1, 0.5]), np.array([3, 1, 2, 1])), 4)
    0.5477
    """
    return float(_cosines(_signs(np.stack([x, y])))[0, 1])


def tau_a(x: Floats, y: Floats) -> float:
    """Kendall's τ_a: (concordant - discordant) / all pairs, so that a tie counts against agreement."""
    return float(_mean_products(_signs(np.stack([x, y])))[0, 1])


def spearman(x: Floats, y: Floats) -> float:
    """Spearman's ρ: the correlation of the ranks, ties having their mean rank."""
    return float(_cosines(_centred_ranks(np.stack([x, y])))[0, 1])


def tau_ap(gold: Floats, evaluated: Floats) -> float:
    """AP correlation (Yilmaz et al. 2008): Kendall's τ in which the top of the ranking counts more.

    τ_ap = 2/(N-1) Σ_{i≥2} C(i)/(i-1) - 1, C(i) the items above rank i of the evaluated ranking that stand
    above that item in the gold ranking too

    With ties, the mean over all ways to break them (Urbano and Marrero 2017, τ_ap,a): of two items tied in
    the gold ranking each is above the other half of the time; the items tied at some ranks of the
    evaluated ranking take each of these ranks equally often.

    >>> round(tau_ap(np.array([4, 3, 2, 1]), np.array([1, 4, 3, 2])), 4)
    0.3333
    """
    n = len(gold)
    order = np.argsort(-evaluated, kind="stable")
    above = np.where(_tied(gold[:, None], gold), 0.5, gold[:, None] > gold)  # (i, j): i above j
    total = 0.0
    start = 0
    while start < n:
        end = start + 1
        while end < n and _tied(evaluated[order[start]], evaluated[order[end]]):
            end += 1
        group = order[start:end]
        right = above[np.ix_(order[:start], group)].sum() / len(group)  # C of one of them, on average
        for rank in range(max(start + 1, 2), end + 1):
            total += (right + (rank - 1 - start) / 2) / (rank - 1)
        start = end
    return float(2 / (n - 1) * total - 1) if n > 1 else float("nan")


def tau_ap_symmetric(x: Floats, y: Floats) -> float:
    """The mean of τ_ap in both directions."""
    return (tau_ap(x, y) + tau_ap(y, x)) / 2


def rbo(x: Floats, y: Floats, p: float = 0.9) -> float:
    """Rank-biased overlap (Webber et al. 2010) of two whole rankings, extrapolated.

    RBO = (1-p) Σ_{d≤n} p^(d-1) A_d + p^n A_n,  A_d = 2 |S_d ∩ T_d| / (|S_d| + |T_d|), S_d the items of
    rank ≤ d, tied items having the best rank of their group; A_n = 1

    >>> rbo(np.array([3, 2, 1]), np.array([3, 2, 1]))
    1.0
    """
    n = len(x)
    depth = np.arange(1, n + 1)
    s, t = (_best_ranks(z)[:, None] <= depth for z in (x, y))
    a = 2 * (s & t).sum(0) / (s.sum(0) + t.sum(0))
    return float((1 - p) * (p ** (depth - 1) * a).sum() + p**n * a[-1])


def _signs(rankings: Floats) -> Floats:
    """(ranking, pair of items): 1, -1, or 0 where they are tied."""
    i, j = np.triu_indices(rankings.shape[1], 1)
    difference = rankings[:, i] - rankings[:, j]
    return np.asarray(np.where(np.abs(difference) <= TIED, 0.0, np.sign(difference)))


def _centred_ranks(rankings: Floats) -> Floats:
    """(ranking, item): ranks less their mean; tied items have the mean rank of their group."""
    below = rankings[:, :, None] < rankings[:, None, :] - TIED
    ranks = below.sum(2) - below.sum(1)
    return np.asarray(ranks / 2)


def _best_ranks(x: Floats) -> Floats:
    """Ranks from 1; tied items have the best rank of their group."""
    return np.asarray((x[:, None] < x - TIED).sum(1) + 1.0)


def _tied(x: Any, y: Any) -> Bools:
    return np.asarray(np.abs(x - y) <= TIED)


def _cosines(vectors: Floats) -> Floats:
    products = vectors @ vectors.T
    squares = np.diag(products)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(products / np.sqrt(squares[:, None] * squares))


def _mean_products(vectors: Floats) -> Floats:
    return np.asarray(vectors @ vectors.T / vectors.shape[1])


def _of_pairs(coefficient: Callable[[Floats, Floats], float], rankings: Floats) -> Floats:
    return np.array([[coefficient(x, y) for y in rankings] for x in rankings])


#: Every coefficient by name: a matrix of all rankings (rows) with all others. For τ_ap the row is the gold.
COEFFICIENTS: dict[str, Callable[[Floats], Floats]] = {
    "tau-b": lambda rankings: _cosines(_signs(rankings)),
    "tau-a": lambda rankings: _mean_products(_signs(rankings)),
    "tau-ap": lambda rankings: _of_pairs(tau_ap, rankings),
    "tau-ap-symmetric": lambda rankings: _of_pairs(tau_ap_symmetric, rankings),
    "spearman": lambda rankings: _cosines(_centred_ranks(rankings)),
    "rbo": lambda rankings: _of_pairs(rbo, rankings),
}


def correlation(
    scores: Any, coefficient: str = "tau-b", *, per_topic: bool = False, p: float = 0.9
) -> Correlation:
    """The correlation of every measure with every other, as rankings of the runs.

    coefficient : "tau-b", "tau-a", "tau-ap" (not symmetric: a row's measure is the gold ranking),
        "tau-ap-symmetric", "spearman" or "rbo".
    per_topic : of the scores of each topic, averaged over the topics where it is defined, instead of
        the mean scores.
    p : of RBO; the larger, the deeper it looks.

    >>> from rankprism import sample, evaluate
    >>> scores = evaluate(sample.QRELS, list(sample.RUNS), ["alpha_nDCG@10", "P@10", "StRecall@10"])
    >>> print(correlation(scores))
    tau-b          alpha_nDCG@10    P@10  StRecall@10
    ─────────────────────────────────────────────────
    alpha_nDCG@10         1.0000  0.7333       0.8667
    P@10                  0.7333  1.0000       0.6000
    StRecall@10           0.8667  0.6000       1.0000
    """
    one_of("coefficient", coefficient, tuple(COEFFICIENTS))
    if not 0 < p < 1:
        raise InputError(f"p must be a number between 0 and 1; got {p!r}")
    complete = several_runs(scores)
    columns = complete.values if per_topic else complete.values.mean(1, keepdims=True)
    rankings = np.moveaxis(columns, (1, 2), (0, 1))  # (topic, measure, run)
    if coefficient == "rbo":
        found = np.array([_of_pairs(partial(rbo, p=p), topic) for topic in rankings])
    else:
        found = np.array([COEFFICIENTS[coefficient](topic) for topic in rankings])
    defined = (~np.isnan(found)).sum(0)
    with np.errstate(invalid="ignore"):
        values = np.nansum(found, axis=0) / np.where(defined, defined, np.nan)
    return Correlation(
        measures=complete.measures,
        coefficient=coefficient,
        values=values,
        defined=defined if per_topic else None,
        about={
            "coefficient": coefficient,
            "over": "topics, averaged" if per_topic else "means",
            "runs": len(complete.runs),
            "topics": len(complete.topics),
            **({"p": p} if coefficient == "rbo" else {}),
            "scores": complete.conventions,
        },
    )


@dataclass(frozen=True, eq=False, repr=False)
class Correlation(Result):
    """What `correlation` found: (measure, measure)."""

    measures: tuple[str, ...]
    coefficient: str
    values: Floats  #: NaN where not defined, as where a measure gives all runs one score
    defined: Any = None  #: per topic: how many topics each mean is over
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def summary(self) -> Table:
        """The matrix."""
        columns: dict[str, list[Any]] = {self.coefficient: list(self.measures)}
        for j, measure in enumerate(self.measures):
            columns[measure] = self.values[:, j].tolist()
        return Table(columns)

    @property
    def rows(self) -> Table:
        """One row an ordered pair of measures."""
        i, j = (axis.ravel() for axis in np.indices(self.values.shape))
        columns: dict[str, list[Any]] = {
            "measure": [self.measures[a] for a in i],
            "other": [self.measures[b] for b in j],
            self.coefficient: self.values.ravel().tolist(),
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
        )
