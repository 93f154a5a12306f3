"""Are preferences transitive? Triads and cycles.

Somebody who prefers a to b and b to c should prefer a to c. Where a triad, three documents of which any two
were compared and one preferred, has c before a instead, it is cyclic (Kendall and Babington Smith 1940).
Cycles may be longer than three: `Cycles.in_cycles` counts the documents that are on any. Preferences after
other given documents are another order, so each set of given documents is looked at on its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankprism.data.hits import Bools, Floats, Longs
from rankprism.data.preferences import Preferences


@dataclass(frozen=True)
class Cycles:
    """How far preferences are from an order."""

    triads: int = 0  #: three documents, any two of which were compared and one preferred
    cyclic: int = 0  #: triads that are a cycle
    in_cycles: int = 0  #: documents on a cycle of any length

    def __add__(self, other: Cycles) -> Cycles:
        return Cycles(
            self.triads + other.triads, self.cyclic + other.cyclic, self.in_cycles + other.in_cycles
        )


def order_of(better: Bools) -> Cycles:
    """The triads and cycles of (D, D) preferences.

    >>> a_b_c_a = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]], dtype=bool)
    >>> order_of(a_b_c_a)
    Cycles(triads=1, cyclic=1, in_cycles=3)
    """
    won = better.astype(np.float64)
    met = won + won.T
    # Closed walks of three steps: a triad has six in the graph of comparisons, a cycle three in that of wins.
    triads = round(float(((met @ met) * met).sum()) / 6)
    cyclic = round(float(((won @ won) * won.T).sum()) / 3)
    return Cycles(triads, cyclic, _in_cycles(won))


def _in_cycles(won: Floats) -> int:
    """How many documents lead back to themselves. Documents that never won or never lost cannot."""
    while True:
        left = (won.sum(0) > 0) & (won.sum(1) > 0)
        if left.all():
            break
        won = won[np.ix_(left, left)]
    reach = won
    while True:
        further = np.minimum(reach + reach @ reach, 1)
        if (further == reach).all():
            return int(np.count_nonzero(np.diagonal(reach)))
        reach = further


def order_of_preferences(preferences: Preferences, rows: Longs) -> Cycles:
    """Triads and cycles of some judgments of one topic, summed over the sets of given documents.

    Of two documents, the one that won more often is preferred; if both won equally often, neither.
    """
    found = Cycles()
    for given in np.unique(preferences.given[rows]):
        own = rows[preferences.given[rows] == given]
        docs, sides = np.unique(
            np.stack((preferences.left[own], preferences.right[own])), return_inverse=True
        )
        left, right = sides.reshape(2, -1)
        n = len(docs)
        balance = np.bincount(left * n + right, preferences.outcome[own] - 0.5, n * n).reshape(n, n)
        found += order_of(balance - balance.T > 0)
    return found


def contradictions(preferences: Preferences, rows: Longs) -> int:
    """How many pairs an assessor judged several times, and not always alike."""
    left, right = preferences.left[rows], preferences.right[rows]
    outcome = np.where(left < right, preferences.outcome[rows], 1 - preferences.outcome[rows])
    unit = np.stack(
        (
            preferences.topic[rows],
            preferences.given[rows],
            np.minimum(left, right),
            np.maximum(left, right),
            preferences.assessor[rows],
        ),
        axis=-1,
    )
    answered = np.unique(np.column_stack((unit, (2 * outcome).astype(np.int64))), axis=0)
    _, times = np.unique(answered[:, :-1], axis=0, return_counts=True)
    return int((times > 1).sum())
