"""Intuitiveness: where two measures disagree, which of them sides with simple ones?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from rankprism.data.hits import Bools, Longs
from rankprism.data.result import Result, Table
from rankprism.errors import InputError
from rankprism.meta.power import several_runs
from rankprism.meta.unanimity import TIED


def intuitiveness(scores: Any, gold: str | Iterable[str]) -> Intuitiveness:
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
    signs = _signs(complete.select(measures=tested).values)
    references = _signs(gold_scores.values)
    agrees = [(sign * references >= 0).all(0) for sign in signs]  # with every gold measure
    pairs = list(combinations(range(len(tested)), 2))
    counts = np.array([_count(signs[a] * signs[b] < 0, agrees[a], agrees[b]) for a, b in pairs])
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


def _signs(values: Any) -> Any:
    """(measure, pair of runs and topic): which run is better, 0 for a tie."""
    i, j = np.triu_indices(len(values), 1)
    difference = np.moveaxis(values[i] - values[j], 2, 0).reshape(values.shape[2], -1)
    return np.where(np.abs(difference) <= TIED, 0, np.sign(difference)).astype(np.int8)


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
        return np.minimum(1.0, 2 * bdtr(only.min(1), only.sum(1), 0.5)).tolist()  # type: ignore[no-any-return]

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
