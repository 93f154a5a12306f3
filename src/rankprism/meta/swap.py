"""The swap method: how often would other topics reverse a difference of this size?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rankprism.comparison.comparison import part_of
from rankprism.comparison.resampling import Share
from rankprism.data.hits import Floats, Longs
from rankprism.data.result import Result, Table
from rankprism.errors import InputError
from rankprism.meta.power import several_runs


def swap_rates(
    scores: Any,
    *,
    size: int | None = None,
    trials: int = 1000,
    width: float = 0.01,
    bins: int = 21,
    error: float = 0.05,
    seed: int = 0,
    on_share: Share | None = None,
) -> SwapRates:
    """The swap method of Voorhees and Buckley (2002).

    Twice `size` topics are drawn `trials` times and split in two. For every pair of runs, the difference on
    the first half falls into a bin of its size; it is a swap if the second half says the opposite.

    size : topics in each half; half of them without it.
    width, bins : of the differences; the last bin takes all that are larger.
    error : the swap rate to stay under. `required` is the smallest difference from which on every bin
        does, `sensitivity` the share of all comparisons that reach it.

    >>> from rankprism import sample, evaluate
    >>> print(swap_rates(evaluate(sample.QRELS, list(sample.RUNS), ["alpha_nDCG@10", "P@10"])))
    measure        required Δ  sensitivity  comparisons
    ───────────────────────────────────────────────────
    alpha_nDCG@10      0.1800       0.5901        15000
    P@10               0.1700       0.7273        15000
    """
    complete = several_runs(scores)
    topics = len(complete.topics)
    size = topics // 2 if size is None else size
    if not 1 <= size <= topics // 2:
        raise InputError(f"two halves of {size} topics need {2 * size}; there are {topics}")
    if trials < 1 or bins < 2 or not width > 0 or not 0 < error < 1:
        raise InputError("trials must be ≥ 1, bins ≥ 2, width > 0 and error between 0 and 1")
    i, j = np.triu_indices(len(complete.runs), 1)
    measures = len(complete.measures)
    count, swaps = np.zeros((2, measures, bins), dtype=np.int64)
    rng = np.random.default_rng(seed)
    progress = part_of(on_share, 0, 1)
    for trial in range(trials):
        drawn = rng.permutation(topics)[: 2 * size]
        first, second = (complete.values[:, half].mean(1) for half in (drawn[:size], drawn[size:]))
        d, e = first[i] - first[j], second[i] - second[j]  # (pair, measure)
        place = np.minimum(np.abs(d) / width + 1e-9, bins - 1).astype(np.int64)
        for m in range(measures):
            count[m] += np.bincount(place[:, m], minlength=bins)
            swaps[m] += np.bincount(place[d[:, m] * e[:, m] < 0, m], minlength=bins)
        if progress is not None:
            progress((trial + 1) / trials)
    return SwapRates(
        measures=complete.measures,
        edges=np.arange(bins, dtype=np.float64) * width,
        count=count,
        swaps=swaps,
        error=error,
        about={
            "size": size,
            "trials": trials,
            "width": width,
            "error": error,
            "seed": seed,
            "runs": len(complete.runs),
            "topics": topics,
            "scores": complete.conventions,
        },
    )


@dataclass(frozen=True, eq=False, repr=False)
class SwapRates(Result):
    """What `swap_rates` found. Arrays are (measure, bin)."""

    measures: tuple[str, ...]
    edges: Floats  #: (bin,): the least difference of each
    count: Longs  #: comparisons
    swaps: Longs
    error: float
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def rates(self) -> Floats:
        """(measure, bin); NaN where nothing fell into a bin."""
        return np.asarray(self.swaps / np.where(self.count, self.count, np.nan))

    @property
    def required(self) -> list[float | None]:
        """For each measure the least difference from which on no bin has more swaps than allowed."""
        out: list[float | None] = []
        for rate in self.rates:
            bad = np.flatnonzero(rate > self.error)
            first = int(bad[-1]) + 1 if len(bad) else 0
            out.append(float(self.edges[first]) if first < len(self.edges) else None)
        return out

    @property
    def sensitivity(self) -> list[float]:
        """For each measure the share of comparisons with the required difference."""
        return [
            0.0 if least is None else float(row[self.edges >= least - 1e-12].sum() / row.sum())
            for least, row in zip(self.required, self.count, strict=True)
        ]

    @property
    def summary(self) -> Table:
        return Table(
            {
                "measure": list(self.measures),
                "required Δ": self.required,
                "sensitivity": self.sensitivity,
                "comparisons": self.count.sum(1).tolist(),
            }
        )

    @property
    def rows(self) -> Table:
        """One row a measure and bin."""
        m, place = (axis.ravel() for axis in np.indices(self.count.shape))
        return Table(
            {
                "measure": [self.measures[i] for i in m],
                "difference from": self.edges[place].tolist(),
                "comparisons": self.count.ravel().tolist(),
                "swaps": self.swaps.ravel().tolist(),
                "swap rate": self.rates.ravel().tolist(),
            }
        )
