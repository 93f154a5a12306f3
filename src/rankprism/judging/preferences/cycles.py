"""Are preferences transitive? Triads and cycles.

Somebody who prefers a to b and b to c should prefer a to c. A triad is three documents of which any two were
compared and one preferred. If c is preferred to a instead, the triad is cyclic (Kendall and Babington Smith
1940). Cycles may be longer than three: `Cycles.in_cycles` counts the documents that are on any of them.
Preferences after other given documents form another order, so each set of given documents is examined alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rankprism.data import Longs, Preferences


@dataclass(frozen=True)
class Cycles:
    """How far preferences are from an order."""

    triads: int = 0  #: three documents, any two of which were compared and one preferred
    cyclic: int = 0  #: triads that are a cycle
    in_cycles: int = 0  #: documents on a cycle of any length


def order_of(winner: Longs, loser: Longs, documents: int) -> Cycles:
    """The triads and cycles of these preferences, no two of which are about the same documents.

    winner, loser : the numbers of the documents of each preference, below `documents`.

    >>> a_b_c_a = np.array([0, 1, 2]), np.array([1, 2, 0])
    >>> order_of(*a_b_c_a, 3)
    Cycles(triads=1, cyclic=1, in_cycles=3)
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    # Documents in the order of how often they were compared. Each triad is then found once, from its first
    # document, and few documents come after one that was compared often.
    times = np.bincount(winner, minlength=documents) + np.bincount(loser, minlength=documents)
    place = np.argsort(np.argsort(times, kind="stable"))

    def edges(one: Longs, other: Longs) -> Any:
        ones = np.ones(len(one), dtype=np.int64)
        return csr_array((ones, (one, other)), shape=(documents, documents))

    up = place[winner] < place[loser]
    won = edges(place[winner][up], place[loser][up])
    lost = edges(place[loser][~up], place[winner][~up])
    met = won + lost
    triads = (met @ met).multiply(met).sum()
    # The first beat the second, the second the third, and the third the first; or the other way round.
    cyclic = (won @ won).multiply(lost).sum() + (lost @ lost).multiply(won).sum()
    _, part = connected_components(edges(winner, loser), connection="strong")
    together = np.bincount(part, minlength=documents)[part]  # how many documents lead to each and back
    return Cycles(int(triads), int(cyclic), int((together > 1).sum()))


def order_of_preferences(preferences: Preferences, rows: Longs) -> Cycles:
    """Triads and cycles of some judgments, summed over topics and sets of given documents.

    Of two documents, the one that won more often is preferred; if both won equally often, neither.
    """
    # A document in another topic, or after other given documents, counts as another document.
    order = (preferences.topic[rows] * len(preferences.givens) + preferences.given[rows]).astype(np.int64)
    sides = [order * len(preferences.docs) + side[rows] for side in (preferences.left, preferences.right)]
    docs, numbers = np.unique(np.stack(sides), return_inverse=True)
    left, right = numbers.reshape(2, -1)
    margin = np.where(left < right, 1, -1) * (preferences.outcome[rows] - 0.5)
    pairs, pair = np.unique(
        np.minimum(left, right) * len(docs) + np.maximum(left, right), return_inverse=True
    )
    balance = np.bincount(pair, margin, len(pairs))
    decided = pairs[balance != 0]
    first, second = decided // max(len(docs), 1), decided % max(len(docs), 1)
    preferred = balance[balance != 0] > 0
    winner, loser = np.where(preferred, first, second), np.where(preferred, second, first)
    return order_of(winner, loser, len(docs))


def contradictions(preferences: Preferences, rows: Longs) -> int:
    """How many pairs an assessor judged several times, and not always in the same way."""
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
