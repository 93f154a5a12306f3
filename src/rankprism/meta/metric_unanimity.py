"""Metric Unanimity: does a measure see the improvements that all other measures see?"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rankprism.data import Floats
from rankprism.evaluation import comparable
from rankprism.meta.intervals import ByOdds, Differences, Sampled, check_confidence, ends, wanted, without_one
from rankprism.meta.ties import dense_ranks
from rankprism.results import Result, Table
from rankprism.statistics import Share
from rankprism.types import JudgmentsLike, MeasuresLike, RunsLike, ScoresLike

#: The number of comparisons that are made at a time.
BLOCK = 1 << 21


def unanimity(
    scores: ScoresLike | JudgmentsLike,
    runs: RunsLike | None = None,
    measures: MeasuresLike | None = None,
    *,
    intervals: float = 0.95,
    on_share: Share | None = None,
) -> Unanimity:
    """The Metric Unanimity of each measure against all the others (Amigó et al. 2018).

    MU(m) = log₂( P(Δm, ΔM) / (P(Δm) P(ΔM)) ), over all topics and ordered pairs i ≠ j of runs, where
    Δm means m(i) > m(j), ties count ½ so that P(Δm) = ½, and ΔM means m'(i) ≥ m'(j) by every other measure m'

    Scores of which the lower one is better count with the opposite sign.

    The highest MU is 1, and a constant measure has 0. MU is not defined if no pair is unanimous, or if there
    is no other measure.

    Parameters
    ----------
    scores
        What `evaluate` returns, or whatever `read_scores` takes. Or judgments, with the `runs` and
        `measures` to evaluate, as for `rankprism.evaluate`.
    intervals
        Confidence of the intervals. An interval says how much the figure could change with other topics. 0
        leaves the intervals out.

        They cover the MU over the population of topics. There is no interval with fewer than 8 topics, or if
        no topic changes MU.

    Examples
    --------
    >>> example = {"S1": {"q": {"m1": 1, "m2": 0.8, "m3": 1}}, "S2": {"q": {"m1": 0.5, "m2": 0.3, "m3": 0.2}},
    ...            "S3": {"q": {"m1": 0.2, "m2": 0.4, "m3": 0.5}}}
    >>> print(unanimity(example, intervals=0))
    measure      MU
    ───────────────
    m2       1.0000
    m3       1.0000
    m1       0.4150
    """
    check_confidence(intervals)
    complete = comparable(scores, runs, measures)
    first, second = np.triu_indices(len(complete.runs), 1)
    ranks = np.moveaxis(dense_ranks(np.moveaxis(complete.oriented, 0, -1)), -1, 0)
    count = np.zeros((len(complete.topics), len(complete.measures)))  # ordered pairs with ΔM
    joint = np.zeros_like(count)  # … with Δm, ties ½
    step = max(1, BLOCK // max(1, len(first) * len(complete.measures)))
    for start in range(0, len(complete.topics), step):
        some = slice(start, start + step)
        one, other = ranks[first, some], ranks[second, some]
        better, worse = one > other, one < other  # (pair, topic, measure)
        for ahead, behind in ((better, worse), (worse, better)):
            against = behind.sum(2)
            nobody = (against == 0).sum(0)[:, None]
            # Every other measure agrees if no measure is against the pair, or only m is.
            count[some] += nobody + (behind & (against == 1)[..., None]).sum(0)
            both = (ahead & (against == 0)[..., None]).sum(0)
            joint[some] += both + 0.5 * (nobody - both)
        if on_share is not None:
            on_share(min(1.0, (start + step) / len(complete.topics)))
    mu = _mu(joint.sum(0), count.sum(0))
    sampled = None
    if intervals:
        sampling = without_one("metric unanimity", len(complete.topics), intervals)
        kept = sampling.kept.astype(np.float64)
        odds = Sampled(sampling, _log_odds(joint.sum(0), count.sum(0)), _log_odds(kept @ joint, kept @ count))
        sampled = ByOdds(sampling, mu, _mu(kept @ joint, kept @ count), odds=odds, back=_of_log_odds)
    return Unanimity(
        measures=complete.measures,
        mu=mu,
        joint=joint.sum(0),
        unanimous=count.sum(0),
        sampled=sampled,
        about={
            "ordered pairs": 2 * len(first) * len(complete.topics),
            "runs": len(complete.runs),
            "topics": len(complete.topics),
            "ties": "½",
            "logarithm": 2,
            "intervals": None if sampled is None else sampled.sampling.about,
            "scores": complete.conventions,
        },
    )


def _mu(joint: Floats, count: Floats) -> Floats:
    """MU over the last axis of measures, or NaN if it is not defined."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where((joint > 0) & (joint.shape[-1] > 1), np.log2(joint / (0.5 * count)), np.nan)


def _log_odds(joint: Floats, count: Floats) -> Floats:
    """The log-odds of the share joint / count, with half a case added to both sides to make them finite."""
    return np.log((joint + 0.5) / (count - joint + 0.5))


def _of_log_odds(odds: Floats) -> Floats:
    return np.asarray(1 - np.log2(1 + np.exp(-odds)))


@dataclass(frozen=True, eq=False, repr=False)
class Unanimity(Result):
    """What `unanimity` found, for each measure."""

    claims = ("metric unanimity",)
    measures: tuple[str, ...]
    mu: Floats  #: NaN where not defined
    joint: Floats  #: ordered pairs on which the measure joins all the others, ties counting ½
    unanimous: Floats  #: ordered pairs on which all the others agree
    about: Mapping[str, Any] = field(default_factory=dict)
    sampled: Sampled | None = None  #: MU on all topics and on subsets of them

    @property
    def order(self) -> list[int]:
        """The measures from the most to the least unanimous. Those without an MU come last."""
        return [int(i) for i in np.argsort(-np.nan_to_num(self.mu, nan=-np.inf), kind="stable")]

    @property
    def rows(self) -> Table:
        """One row per measure, the most unanimous first."""
        return Table(
            {
                "measure": [self.measures[i] for i in self.order],
                "MU": self.mu[self.order].tolist(),
                **{
                    end: [values[i] for i in self.order]
                    for end, values in ends(self.sampled, -np.inf, 1).items()
                },
                "joined": self.joint[self.order].tolist(),
                "unanimous": self.unanimous[self.order].tolist(),
            }
        )

    @property
    def summary(self) -> Table:
        rows = self.rows.columns
        return Table({name: rows[name] for name in ("measure", "MU", "low", "high") if name in rows})

    def differences(self) -> Differences:
        """Compare measures: the difference between the MUs of every two measures."""
        return wanted(self.sampled).differences(self.measures, "MU", self.about)

    def grouped(self) -> Unanimity:
        """The best variant of each measure. Variants with the same MU share a row, as in the paper."""
        families: dict[str, list[int]] = {}
        for i in self.order:
            families.setdefault(_family(self.measures[i]), []).append(i)
        best = {}
        for variants in families.values():
            top = self.mu[variants[0]]
            alike = [i for i in variants if np.isclose(self.mu[i], top, atol=5e-5, rtol=0, equal_nan=True)]
            best[variants[0]] = ", ".join(self.measures[i] for i in alike)
        chosen = sorted(best, key=self.order.index)
        names = tuple(best[i] for i in chosen)
        sampled = None if self.sampled is None else self.sampled.select(chosen)
        return Unanimity(
            names, self.mu[chosen], self.joint[chosen], self.unanimous[chosen], self.about, sampled
        )


def _family(measure: str) -> str:
    """What the variants of a measure have in common: its name and the name of the measure inside."""
    parts = re.split(r"[@,]", measure.replace("(", ",(").replace(")", ""))
    return "".join(part for part in parts if "=" not in part and not part.isdigit())
