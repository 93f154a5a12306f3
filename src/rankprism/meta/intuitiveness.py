"""Intuitiveness: where two measures disagree, which of them sides with simple ones?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from rankprism.comparison.resampling import Share
from rankprism.data.hits import Bools, Longs
from rankprism.data.result import Result, Table
from rankprism.data.scores import Scores
from rankprism.errors import InputError
from rankprism.meta.power import several_runs
from rankprism.meta.ties import signs


def intuitiveness(scores: Any, gold: str | Iterable[str], *, on_share: Share | None = None) -> Intuitiveness:
    """The concordance test of Sakai (2012).

    gold : one simple measure or several, among those of the scores, such as ``["StRecall@10", "P@10"]``.

    Over all topics and pairs of runs on which M and N disagree, Δ_M Δ_N < 0: the share where M agrees with
    every gold measure, Δ_M Δ_gold ≥ 0, and the share where N does. The sign test is of the cases where
    just one of them does.

    >>> from rankprism import sample, evaluate
    >>> measures = ["alpha_nDCG@10", "nDCG@10", "StRecall@10"]
    >>> print(intuitiveness(evaluate(sample.QRELS, list(sample.RUNS), measures), "StRecall@10"))
    measure        other    disagreements  it is right  other is right       p
    ──────────────────────────────────────────────────────────────────────────
    alpha_nDCG@10  nDCG@10             57       1.0000          0.3158  0.0000
    """
    complete = several_runs(scores)
    wanted = [gold] if isinstance(gold, str) else list(gold)
    if not wanted:
        raise InputError("name at least one gold measure, such as StRecall@10")
    gold_scores = complete.select(measures=wanted)
    tested = [m for m in complete.measures if m not in wanted]
    if len(tested) < 2:
        raise InputError("two measures beside the gold ones are needed to be compared")
    better = _signs(complete.select(measures=tested))
    references = _signs(gold_scores)
    agrees = [(sign * references >= 0).all(0) for sign in better]  # with every gold measure
    pairs = list(combinations(range(len(tested)), 2))
    counts = np.empty((len(pairs), 4), dtype=np.int64)
    for row, (a, b) in enumerate(pairs):
        counts[row] = _count(better[a] * better[b] < 0, agrees[a], agrees[b])
        if on_share is not None:
            on_share((row + 1) / len(pairs))
    return Intuitiveness(
        measures=tuple(tested),
        gold=tuple(wanted),
        pairs=tuple(pairs),
        counts=counts,
        about={
            "gold": wanted,
            "runs": len(complete.runs),
            "topics": len(complete.topics),
            "scores": complete.conventions,
        },
    )


def _signs(scores: Scores) -> npt.NDArray[np.int8]:
    """(measure, topic and pair of runs)"""
    return signs(scores.values.transpose(2, 1, 0)).reshape(len(scores.measures), -1)


def _count(disagree: Bools, first: Bools, second: Bools) -> tuple[int, int, int, int]:
    return (
        int(disagree.sum()),
        int((disagree & first).sum()),
        int((disagree & second).sum()),
        int((disagree & first & second).sum()),
    )


@dataclass(frozen=True, eq=False, repr=False)
class Intuitiveness(Result):
    """What `intuitiveness` found, for each pair of measures."""

    measures: tuple[str, ...]
    gold: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]
    counts: Longs  #: (pair, 4): disagreements; where the first is right, where the second is, where both are
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def p(self) -> list[float]:
        """The two-tailed sign test of each pair."""
        from scipy.special import bdtr

        only = self.counts[:, 1:3] - self.counts[:, 3:]
        return [float(p) for p in np.minimum(1.0, 2 * bdtr(only.min(1), only.sum(1), 0.5))]

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
                "p": self.p,
            }
        )
