"""Intuitiveness: if two measures disagree, which of them agrees with simple measures?"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from rankprism.data import Floats, Longs
from rankprism.errors import InputError, RankprismWarning, one_of
from rankprism.evaluation import comparable
from rankprism.meta.intervals import Sampled, without_one
from rankprism.meta.ties import signs
from rankprism.results import Result, Scores, Table
from rankprism.statistics import Share
from rankprism.types import IntuitivenessTest, JudgmentsLike, MeasuresLike, RunsLike, ScoresLike

#: A warning about the sign test.
CAVEAT = (
    "Sakai's sign test counts every pair of runs on every topic as an independent case, so its p is far too "
    "small; use it only to compare with published figures, and draw conclusions from the test over topics"
)


def intuitiveness(
    scores: ScoresLike | JudgmentsLike,
    runs: RunsLike | None = None,
    measures: MeasuresLike | None = None,
    *,
    gold: str | Iterable[str],
    test: IntuitivenessTest = "topics",
    intervals: float = 0.95,
    on_share: Share | None = None,
) -> Intuitiveness:
    """The concordance test of Sakai (2012).

    The cases are all topics and pairs of runs on which M and N disagree, Δ_M Δ_N < 0. The result has the
    share of cases in which M agrees with every gold measure, Δ_M Δ_gold ≥ 0, the same share for N, and the
    difference of the two shares.

    Parameters
    ----------
    scores
        What `evaluate` returns, or whatever `read_scores` takes. Or judgments, with the `runs` and
        `measures` to evaluate, as for `rankprism.evaluate`.
    gold
        A simple measure of the scores that decides which measure is right, or several, such as
        ``["StRecall@10", "P@10"]``.
    test
        The test that gives p: a t-test over topics, or the sign test of Sakai (2012), whose p is far too
        small.

        "topics" takes the topics as the sample, and tests whether the difference of the two shares is 0. The
        standard error comes from the jackknife. "sakai" counts every pair of runs on every topic as an
        independent case, so it finds differences between measures that do not differ.
    intervals
        Confidence of the intervals. An interval says how much the figure could change with other topics. 0
        leaves the intervals out.

    Examples
    --------
    >>> from rankprism import sample, evaluate
    >>> measures = ["alpha_nDCG@10", "nDCG@10", "StRecall@10"]
    >>> print(intuitiveness(evaluate(sample.QRELS, list(sample.RUNS), measures), gold="StRecall@10"))
    measure        other    disagreements  it is right  other is right  difference     low    high       p
    ──────────────────────────────────────────────────────────────────────────────────────────────────────
    alpha_nDCG@10  nDCG@10             57       1.0000          0.3158      0.6842  0.5130  0.8554  <.0001
    """
    one_of("test", test, IntuitivenessTest)
    complete = comparable(scores, runs, measures)
    wanted = [gold] if isinstance(gold, str) else list(gold)
    if not wanted:
        raise InputError("name at least one gold measure, such as StRecall@10")
    gold_scores = complete.select(measures=wanted)
    tested = [m for m in complete.measures if m not in wanted]
    if len(tested) < 2:
        raise InputError("two measures besides the gold ones are needed")
    better = _signs(complete.select(measures=tested))
    references = _signs(gold_scores)
    agrees = [(sign * references >= 0).all(0) for sign in better]  # with every gold measure
    pairs = list(combinations(range(len(tested)), 2))
    counts = np.empty((len(complete.topics), len(pairs), 4), dtype=np.int64)
    for row, (a, b) in enumerate(pairs):
        disagree = better[a] * better[b] < 0
        for kind, right in enumerate((True, agrees[a], agrees[b], agrees[a] & agrees[b])):
            counts[:, row, kind] = (disagree & right).sum(1)
        if on_share is not None:
            on_share((row + 1) / len(pairs))
    if test == "sakai":
        warnings.warn(CAVEAT, RankprismWarning, stacklevel=2)
    # The test needs the jackknife in any case.
    sampling = without_one("intuitiveness", len(complete.topics), intervals or 0.95)
    kept = np.tensordot(sampling.kept.astype(np.int64), counts, 1)
    sampled = Sampled(sampling, _difference(counts.sum(0)), _difference(kept))
    return Intuitiveness(
        measures=tuple(tested),
        gold=tuple(wanted),
        pairs=tuple(pairs),
        counts=counts.sum(0),
        test=test,
        p=sampled.p if test == "topics" else sign_test(counts.sum(0)),
        interval=sampled.interval(-1, 1) if intervals else None,
        about={
            "gold": wanted,
            "test": test,
            **({"caveat": CAVEAT} if test == "sakai" else {}),
            "runs": len(complete.runs),
            "topics": len(complete.topics),
            "intervals": sampling.about if intervals else None,
            "scores": complete.conventions,
        },
    )


def _signs(scores: Scores) -> npt.NDArray[np.int8]:
    """(measure, topic, pair of runs)"""
    return signs(scores.oriented.transpose(2, 1, 0))


def _difference(counts: Longs) -> Floats:
    """The share of cases in which the first measure is right, minus that of the second; NaN without cases."""
    cases = counts[..., 0]
    return np.asarray((counts[..., 1] - counts[..., 2]) / np.where(cases, cases, np.nan))


def sign_test(counts: Longs) -> Floats:
    """Sakai's two-tailed sign test of the cases in which only one of two measures is right."""
    from scipy.special import bdtr

    only = counts[:, 1:3] - counts[:, 3:]
    return np.asarray(np.minimum(1.0, 2 * bdtr(only.min(1), only.sum(1), 0.5)))


@dataclass(frozen=True, eq=False, repr=False)
class Intuitiveness(Result):
    """What `intuitiveness` found, for each pair of measures."""

    claims = ("intuitiveness",)
    measures: tuple[str, ...]
    gold: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]
    counts: Longs  #: (pair, 4): disagreements; where the first is right, where the second is, where both are
    test: IntuitivenessTest
    p: Floats  #: (pair,): of the hypothesis that both measures are right equally often
    interval: tuple[Floats, Floats] | None = None  #: the ends of the interval of `difference`
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def difference(self) -> Floats:
        """(pair,): the share of disagreements in which the first is right, minus that of the second."""
        return _difference(self.counts)

    @property
    def _ends(self) -> dict[str, list[float]]:
        if self.interval is None:
            return {}
        low, high = self.interval
        return {"low": low.tolist(), "high": high.tolist()}

    @property
    def summary(self) -> Table:
        total = np.where(self.counts[:, 0], self.counts[:, 0], np.nan)
        return Table(
            {
                "measure": [self.measures[a] for a, _ in self.pairs],
                "other": [self.measures[b] for _, b in self.pairs],
                "disagreements": self.counts[:, 0].tolist(),
                "it is right": (self.counts[:, 1] / total).tolist(),
                "other is right": (self.counts[:, 2] / total).tolist(),
                "difference": self.difference.tolist(),
                **self._ends,
                "p" if self.test == "topics" else "p (sign test)": self.p.tolist(),
            },
            probabilities=("p", "p (sign test)"),
        )
