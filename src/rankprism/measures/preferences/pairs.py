"""The form of measures that count pairs of documents in the right order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rankprism.data import Floats
from rankprism.measures.form import OfPreferences
from rankprism.measures.preferences.hits import PreferenceHits


@dataclass(frozen=True, eq=False)
class Pairs(OfPreferences):
    """A score of pairs of documents of which the preferred one is above the other."""

    scored: Callable[[PreferenceHits], Floats]  #: (N,)
    #: Whether the score is a sum over pairs, divided by a number that does not depend on their order. Then
    #: the mean of an order and its reversal is the mean of all orders.
    reversible: bool = True
    cutoff: int | None = None
    is_deep: bool = True

    def score(self, hits: PreferenceHits) -> Floats:
        return self.scored(hits)

    def over_orders(self, hits: PreferenceHits) -> Floats | None:
        """Unless the cutoff divides a group, the same pairs count in all orders."""
        from rankprism.measures.ties.lattice import numbered
        from rankprism.measures.ties.orders import law_of_preference_orders
        from rankprism.measures.ties.preferences import divided_by, reversed_groups

        if not self.reversible:
            return None
        score = np.asarray((self.scored(hits) + self.scored(reversed_groups(hits))) / 2)
        rows = np.flatnonzero(divided_by(hits, self.cutoff))
        if len(rows):
            with numbered(rows):
                law = law_of_preference_orders(self.scored, hits.rows(rows), self.cutoff)
            score[rows] = law.expected
        return score
