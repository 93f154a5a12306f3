"""Metric Unanimity: does a measure see the improvements that all the others see?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rankprism.data.hits import Floats, Ints
from rankprism.data.result import Result, Table
from rankprism.formats.scores import read_scores
from rankprism.meta.power import several_runs

#: Scores that differ by less are tied.
TIED = 1e-12
#: How many comparisons are made at a time.
BLOCK = 1 << 21


def unanimity(scores: Any) -> Unanimity:
    """The Metric Unanimity of each measure against all the others (Amigó et al. 2018).

    MU(m) = log₂( P(Δm, ΔM) / (P(Δm) P(ΔM)) ), over all topics and ordered pairs i ≠ j of runs, where
    Δm: m(i) > m(j), a tie counting ½, so that P(Δm) = ½; ΔM: m'(i) ≥ m'(j) by every other measure m'

    1 is the most there is, 0 what a constant measure gets. Not defined where no pair is unanimous.

    >>> example = {"S1": {"q": {"m1": 1, "m2": 0.8, "m3": 1}}, "S2": {"q": {"m1": 0.5, "m2": 0.3, "m3": 0.2}},
    ...            "S3": {"q": {"m1": 0.2, "m2": 0.4, "m3": 0.5}}}
    >>> print(unanimity(example))
    measure      MU
    ───────────────
    m2       1.0000
    m3       1.0000
    m1       0.4150
    """
    complete = several_runs(read_scores(scores))
    first, second = np.triu_indices(len(complete.runs), 1)
    count = np.zeros(len(complete.measures))  # ordered pairs with ΔM
    joint = np.zeros(len(complete.measures))  # … with Δm, ties ½
    step = max(1, BLOCK // max(1, len(first) * len(complete.measures)))
    for start in range(0, len(complete.topics), step):
        ranks = _ranks(complete.values[:, start : start + step])
        one, other = (ranks[who].reshape(-1, len(complete.measures)) for who in (first, second))
        better, worse = one > other, one < other  # (pair and topic, measure)
        for ahead, behind in ((better, worse), (worse, better)):
            against = behind.sum(1)
            # Every other measure agrees: where nobody is against, or m alone is.
            count += (against == 0).sum() + behind[against == 1].sum(0)
            both = ahead[against == 0]
            joint += both.sum(0) + 0.5 * (len(both) - both.sum(0))
    ordered = 2 * len(first) * len(complete.topics)
    with np.errstate(divide="ignore", invalid="ignore"):
        mu = np.where(joint > 0, np.log2((joint / ordered) / (0.5 * count / ordered)), np.nan)
    return Unanimity(
        measures=complete.measures,
        mu=mu,
        joint=joint,
        unanimous=count,
        about={
            "ordered pairs": ordered,
            "runs": len(complete.runs),
            "topics": len(complete.topics),
            "ties": "½",
            "logarithm": 2,
            "scores": complete.conventions,
        },
    )


def _ranks(values: Floats) -> Ints:
    """(run, topic, measure) of small whole numbers in the order of the scores, ties having the same."""
    order = np.argsort(values, axis=0, kind="stable")
    step = np.zeros(values.shape, dtype=np.int32)
    step[1:] = np.diff(np.take_along_axis(values, order, axis=0), axis=0) > TIED
    ranks = np.empty_like(step)
    np.put_along_axis(ranks, order, np.cumsum(step, axis=0, dtype=np.int32), axis=0)
    return ranks


@dataclass(frozen=True, eq=False, repr=False)
class Unanimity(Result):
    """What `unanimity` found, for each measure."""

    measures: tuple[str, ...]
    mu: Floats  #: NaN where not defined
    joint: Floats  #: ordered pairs on which the measure joins all the others, ties counting ½
    unanimous: Floats  #: ordered pairs on which all the others agree
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def order(self) -> list[int]:
        """The measures from the most unanimous on; those not defined come last."""
        return [int(i) for i in np.argsort(-np.nan_to_num(self.mu, nan=-np.inf), kind="stable")]

    @property
    def rows(self) -> Table:
        """One row a measure, the most unanimous first."""
        return Table(
            {
                "measure": [self.measures[i] for i in self.order],
                "MU": self.mu[self.order].tolist(),
                "joined": self.joint[self.order].tolist(),
                "unanimous": self.unanimous[self.order].tolist(),
            }
        )

    @property
    def summary(self) -> Table:
        rows = self.rows.columns
        return Table({"measure": rows["measure"], "MU": rows["MU"]})

    def grouped(self) -> Unanimity:
        """The best variant of each measure, variants of equal MU named together, as the paper prints it."""
        families: dict[str, list[int]] = {}
        for i in self.order:
            families.setdefault(self.measures[i].partition("(")[0].partition("@")[0], []).append(i)
        best = {}
        for variants in families.values():
            top = self.mu[variants[0]]
            alike = [i for i in variants if i == variants[0] or abs(self.mu[i] - top) <= 5e-5]
            best[variants[0]] = ", ".join(self.measures[i] for i in alike)
        chosen = sorted(best, key=self.order.index)
        names = tuple(best[i] for i in chosen)
        return Unanimity(names, self.mu[chosen], self.joint[chosen], self.unanimous[chosen], self.about)
