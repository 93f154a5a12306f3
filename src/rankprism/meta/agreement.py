"""Agreement: do two measures find the same differences significant?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from rankprism.data.hits import Ints
from rankprism.data.result import Result, Table
from rankprism.meta.power import DiscriminativePower


def agreement(power: DiscriminativePower) -> Agreement:
    """How far measures agree on which pairs of systems differ (Sakai and Song 2011, section 4.3).

    |A ∩ B| / |A ∪ B|, A and B the pairs that two measures find significantly different. A pair that both
    find different, but in opposite directions, is a conflict and no agreement.

    >>> from rankprism import sample, evaluate
    >>> from rankprism.meta import discriminative_power
    >>> scores = evaluate(sample.QRELS, list(sample.RUNS), ["alpha_nDCG@10", "P@10"])
    >>> print(agreement(discriminative_power(scores)))
    measure        other  only it  both  only other  conflicts  agreement
    ─────────────────────────────────────────────────────────────────────
    alpha_nDCG@10  P@10         3     9           2          0     0.6429
    """
    sign = np.where(power.significant, np.sign(power.difference), 0.0)
    pairs = list(combinations(range(len(power.measures)), 2))
    counts = np.zeros((len(pairs), 4), dtype=np.int32)
    for row, (a, b) in enumerate(pairs):
        both = (sign[a] != 0) & (sign[b] != 0)
        conflict = both & (sign[a] != sign[b])
        counts[row] = (
            ((sign[a] != 0) & ~both).sum(),
            (both & ~conflict).sum(),
            ((sign[b] != 0) & ~both).sum(),
            conflict.sum(),
        )
    return Agreement(power.measures, tuple(pairs), counts, {**power.about, "pairs": len(power.pairs)})


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Result):
    """What `agreement` found, for each pair of measures."""

    measures: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]
    counts: Ints  #: (pair, 4): only the first, both, only the second, both but in opposite directions
    about: Mapping[str, Any] = field(default_factory=dict)

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
                "agreement": [share(*row) for row in self.counts.tolist()],
            }
        )


def share(first: int, both: int, second: int, conflicts: int = 0) -> float | None:
    """|A ∩ B| / |A ∪ B|; None where neither finds anything.

    >>> share(4, 115, 11)
    0.8846153846153846
    """
    union = first + both + second + conflicts
    return both / union if union else None
