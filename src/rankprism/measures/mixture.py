"""Mixtures: weighted sums of measures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankprism.data import Floats, Hits
from rankprism.measures.form import OfRanking
from rankprism.measures.terms import MadeOf, added

if TYPE_CHECKING:
    from rankprism.measures.bounds.completions import Completions
    from rankprism.measures.measure import Measure
    from rankprism.measures.preferences.hits import PreferenceHits


@dataclass(frozen=True, eq=False)
class Mixture(OfRanking):
    """The measure Σ λ_m m: each summand has a name for explanations, a weight λ and a measure m."""

    summands: tuple[tuple[str, float, Measure], ...]

    @property
    def measures(self) -> tuple[Measure, ...]:
        return tuple(measure for _, _, measure in self.summands)

    def score(self, hits: Hits | PreferenceHits) -> Floats:
        """(N,) the weighted sum"""
        score = np.zeros(len(hits.rank))
        for _, weight, measure in self.summands:
            score += weight * measure.score(hits)
        return score

    def made_of(self, hits: Hits | PreferenceHits) -> MadeOf | None:
        """The contributions to each measure, times its weight; None if one is not made of parts."""
        summands = {name: (weight, measure.made_of(hits)) for name, weight, measure in self.summands}
        return added(summands, hits.rank.shape[1])

    def over_orders(self, hits: Hits | PreferenceHits) -> Floats:
        """(N,) the expectation over all orders of tied documents, which is linear"""
        from rankprism.measures.ties.scores import expected

        score = np.zeros(len(hits.rank))
        for _, weight, measure in self.summands:
            score += weight * expected(measure, hits)
        return score

    def is_lower_better(self, aspects: Mapping[str, bool]) -> bool | None:
        """Whether a lower sum is better; None if some summands say so and others do not."""
        lower = [measure.is_lower_better(aspects) for measure in self.measures]
        weights = [weight for _, weight, _ in self.summands]
        down = {one ^ (weight < 0) for one, weight in zip(lower, weights, strict=True) if weight}
        return None if len(down) == 2 and any(lower) else down == {True}

    @property
    def is_sum(self) -> bool:
        return all(measure.is_sum for measure in self.measures)

    @property
    def has_steps(self) -> bool:
        return all(measure.has_steps and not measure.is_condensed for measure in self.measures)

    @property
    def range(self) -> tuple[float, float]:
        ends = [sorted(weight * end for end in m.range) for _, weight, m in self.summands if weight]
        return sum(low for low, _ in ends), sum(high for _, high in ends)

    @property
    def is_deep(self) -> bool:
        return any(measure.grows_with_depth for measure in self.measures)

    @property
    def why_unbounded(self) -> str:
        return next((f"of {m}: {m.why_unbounded}" for m in self.measures if m.why_unbounded), "")

    def bounds(self, completions: Completions) -> tuple[Floats, Floats]:
        """The sum lies between the sums of the bounds. A negative weight exchanges the two bounds."""
        n = len(completions.hits.length)
        low, high = np.zeros(n), np.zeros(n)
        for _, weight, measure in self.summands:
            ends = [weight * end for end in measure.bounds(completions)]
            low, high = low + np.minimum(*ends), high + np.maximum(*ends)
        return low, high
