"""Forms of measures that score rankings by another measure.

Aspects are put together before, inside or after. `Folded` scores rankings whose documents have one grade, the
sums in `family` go over aspects and documents, and `OverAspects` and `Chosen` score each aspect first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankprism._core import sums_over_aspects
from rankprism.data import Floats, Hits
from rankprism.errors import MeasureError, listed
from rankprism.measures.bounds.ranges import over_aspects, raw_weights
from rankprism.measures.family import linear_worth
from rankprism.measures.folds import FOLDS
from rankprism.measures.form import OfRanking, Pair
from rankprism.measures.parts import NO_NOVELTY, Gain, aspect_weights, mean_of, ratio, shares, total
from rankprism.measures.terms import MadeOf, added, of_all_aspects, of_aspect

if TYPE_CHECKING:
    from rankprism.measures.bounds.completions import Completions
    from rankprism.measures.measure import Measure


# ── before: one grade for each document ──────────────────────────────────────────────────────────


class Fold:
    """A way to give each document one grade, so that rankings have one aspect."""

    #: Whether the grade of a document depends on those above it. Then ties cannot be broken after folding.
    in_order: bool = False
    #: Whether the highest and the lowest grades above 0 are grades of some completion.
    is_exact: bool = False

    def hits(self, hits: Hits) -> Hits:
        """The same rankings with one aspect."""
        raise NotImplementedError

    def completions(self, completions: Completions) -> Any:
        """What the unjudged documents of these rankings could gain, as `Completions` say it."""
        raise NotImplementedError


@dataclass(frozen=True)
class NamedFold(Fold):
    """One of `FOLDS`."""

    rule: str
    is_exact = True

    def hits(self, hits: Hits) -> Hits:
        return hits.fold(self.rule, FOLDS[self.rule])

    def completions(self, completions: Completions) -> Completions:
        return completions.fold(self.rule, FOLDS[self.rule])


@dataclass(frozen=True, eq=False)
class Folded(OfRanking):
    """A measure of one aspect of rankings that are folded first."""

    measure: Measure
    fold: Fold
    #: What explanations call the gain of a folded grade.
    gain: str = "gain"

    def score(self, hits: Hits) -> Floats:
        return self.measure.per_aspect(self.fold.hits(hits))[:, 0]

    def made_of(self, hits: Hits) -> MadeOf | None:
        factors = self.measure.factors(self.fold.hits(hits))
        if factors is None:
            return None
        return of_aspect({self.gain if name == "gain" else name: each for name, each in factors.items()}, 0)

    @property
    def range(self) -> tuple[float, float]:
        return self.measure.range

    @property
    def is_deep(self) -> bool:
        return self.measure.grows_with_depth

    @property
    def is_exact(self) -> bool:
        return self.measure.form.is_exact and self.fold.is_exact

    @property
    def why_unbounded(self) -> str:
        return self.measure.form.why_unbounded

    def bounds(self, completions: Completions) -> Pair:
        return _only(self.measure.bounds_per_aspect(self.fold.completions(completions)))

    def over_orders(self, hits: Hits) -> Floats | None:
        from rankprism.measures.ties.scores import expected_per_aspect

        if self.fold.in_order:
            return None
        return expected_per_aspect(self.measure, self.fold.hits(hits))[:, 0]

    def extremes(self, hits: Hits) -> Pair | None:
        from rankprism.measures.ties.scores import extremes_per_aspect

        if self.fold.in_order:
            return None
        return _only(extremes_per_aspect(self.measure, self.fold.hits(hits)))

    @property
    def has_steps(self) -> bool:
        return self.measure.has_steps

    @property
    def is_sum(self) -> bool:
        return self.measure.is_sum

    @property
    def order_free(self) -> bool:
        return self.measure.form.order_free


def _only(pair: Pair) -> Pair:
    """The bounds of the only aspect."""
    return pair[0][:, 0], pair[1][:, 0]


# ── after: one score for each aspect ─────────────────────────────────────────────────────────────


def harmonic(score: Floats, weight: Floats) -> Floats:
    """(N,) the weighted harmonic mean; 0 if an aspect that counts scores 0"""
    zero = ((score == 0) & (weight > 0)).any(-1)
    # The weights sum to 1 only up to rounding. Dividing by their sum gives exactly 1 if all scores are 1.
    return np.where(zero, 0.0, ratio(total(weight), total(ratio(weight, score))))


@dataclass(frozen=True, eq=False)
class OverAspects(OfRanking):
    """The weighted mean of a measure of one aspect over the aspects, Σ_t w_t M_t / Σ_t w_t.

    All aspects of the topic count, unless `live` or `weights` says otherwise.
    """

    measure: Measure
    #: Only aspects with a document that has this gain count, so missing judgments may change the weights.
    live: Gain | None = None
    #: (N, A) weights of the aspects, which need not sum to 1.
    weights: Callable[[Hits], Floats] | None = None
    #: A mean of scores and weights (N, A) that never falls when a score rises.
    mean: Callable[[Floats, Floats], Floats] = mean_of

    def _weights(self, hits: Hits) -> Floats:
        if self.weights is not None:
            return self.weights(hits)
        return shares(hits) if self.live is None else aspect_weights(hits, self.live, weighted=True)

    def _mean(self, score: Floats, weight: Floats) -> Floats:
        if not self.measure.is_partial:
            return self.mean(score, weight)
        # A weight of 0 times no score is 0. Without any weight, there is no score.
        mean = self.mean(np.where(weight > 0, score, 0.0), weight)
        return np.where(weight.any(-1), mean, np.nan)

    @property
    def _is_linear(self) -> bool:
        return self.mean is mean_of

    def score(self, hits: Hits) -> Floats:
        return self._mean(self.measure.per_aspect(hits), self._weights(hits))

    def made_of(self, hits: Hits) -> MadeOf | None:
        factors = self.measure.factors(hits) if self._is_linear else None
        if factors is None:
            return None
        weight = self._weights(hits)
        return of_all_aspects(
            factors, weight if self.weights is None else ratio(weight, total(weight)[:, None])
        )

    @property
    def range(self) -> tuple[float, float]:
        return self.measure.range

    @property
    def is_deep(self) -> bool:
        return self.measure.grows_with_depth

    @property
    def is_exact(self) -> bool:
        return self.measure.form.is_exact and self.live is None

    @property
    def why_unbounded(self) -> str:
        return self.measure.form.why_unbounded

    def bounds(self, completions: Completions) -> Pair:
        """The grades of an unjudged document on different aspects are independent, so all aspects can have
        their best scores at the same time. The bounds are therefore exact if those of the aspects are."""
        low, high = self.measure.bounds_per_aspect(completions)
        if self.live is not None:
            g = completions.gains(self.live, 1)
            return over_aspects(low, high, raw_weights(completions, weighted=True), g.live, g.maybe)
        weight = self._weights(completions.hits)
        return self.mean(low, weight), self.mean(high, weight)

    def over_orders(self, hits: Hits) -> Floats | None:
        from rankprism.measures.ties.scores import expected_per_aspect

        if not self._is_linear:
            return None
        return self._mean(expected_per_aspect(self.measure, hits), self._weights(hits))

    def worth(self, hits: Hits) -> Floats | None:
        parts = self.measure.form.parts
        if not self._is_linear or parts is None or parts.novelty != NO_NOVELTY:
            return None
        worth = linear_worth(hits, parts, self.measure.cutoff)
        return sums_over_aspects(worth, self._weights(hits))[:, None, :]

    @property
    def has_steps(self) -> bool:
        return self._is_linear and self.measure.has_steps

    @property
    def is_sum(self) -> bool:
        return self._is_linear and self.measure.is_sum

    @property
    def order_free(self) -> bool:
        return self.measure.form.order_free


@dataclass(frozen=True, eq=False)
class Chosen(OfRanking):
    """A measure of one named aspect, or its score on one aspect minus that on another."""

    measure: Measure
    plus: tuple[str, str | None]  #: the name of a parameter, and that of an aspect
    minus: tuple[str, str] | None = None
    name: str = ""

    def _columns(self, hits: Hits) -> list[int]:
        """The positions of the named aspects among the aspects of every topic."""
        labels = hits.pool.labels
        names = [scale.aspect for scale in labels.scales]
        columns = []
        for parameter, aspect in (self.plus, self.minus) if self.minus else (self.plus,):
            if aspect not in names:
                known = listed(map(repr, names))
                raise MeasureError(f"{self.name}: {parameter} must be one of {known}; got {aspect!r}")
            columns.append(labels.column[names.index(aspect)])
        return columns

    def _of(self, score: Floats, hits: Hits) -> Floats:
        """(N,) the score, from those of all aspects (N, A)"""
        plus, *minus = (score[:, column] for column in self._columns(hits))
        return np.asarray(plus - minus[0]) if minus else plus

    def score(self, hits: Hits) -> Floats:
        return self._of(self.measure.per_aspect(hits), hits)

    def made_of(self, hits: Hits) -> MadeOf | None:
        if (factors := self.measure.factors(hits)) is None:
            return None
        plus, *minus = (of_aspect(factors, column) for column in self._columns(hits))
        if self.minus is None:
            return plus
        return added({str(self.plus[1]): (1.0, plus), self.minus[1]: (-1.0, minus[0])}, hits.rank.shape[1])

    @property
    def range(self) -> tuple[float, float]:
        low, high = self.measure.range
        return (low, high) if self.minus is None else (low - high, high - low)

    @property
    def is_deep(self) -> bool:
        return self.measure.grows_with_depth

    @property
    def is_exact(self) -> bool:
        return self.measure.form.is_exact

    @property
    def why_unbounded(self) -> str:
        return self.measure.form.why_unbounded

    def bounds(self, completions: Completions) -> Pair:
        """Exact if the bounds of the aspects are, which are judged independently of each other."""
        low, high = self.measure.bounds_per_aspect(completions)
        plus, *minus = self._columns(completions.hits)
        if not minus:
            return low[:, plus], high[:, plus]
        if minus == [plus]:
            return np.zeros(len(low)), np.zeros(len(low))
        return np.asarray(low[:, plus] - high[:, minus[0]]), np.asarray(high[:, plus] - low[:, minus[0]])

    def over_orders(self, hits: Hits) -> Floats:
        from rankprism.measures.ties.scores import expected_per_aspect

        return self._of(expected_per_aspect(self.measure, hits), hits)

    def extremes(self, hits: Hits) -> Pair | None:
        from rankprism.measures.ties.scores import extremes_per_aspect

        if self.minus is not None:
            return None
        low, high = extremes_per_aspect(self.measure, hits)
        return self._of(low, hits), self._of(high, hits)

    @property
    def has_steps(self) -> bool:
        return self.measure.has_steps

    @property
    def is_sum(self) -> bool:
        return self.measure.is_sum
