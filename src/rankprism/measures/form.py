"""Forms: a measure with its parameters is one value, which answers all questions about the measure.

A form of one aspect at a time, `PerAspect`, gives arrays (N, A). A form of whole rankings, `OfRanking`, gives
arrays (N,). Both have default answers, so a form says only what is known about it. `Plain` and
`PlainPerAspect` take the answers as functions, for measures that fit no other form.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from rankprism.data import Bools, Floats, Longs
from rankprism.measures.parts import Gain, hit_gain

if TYPE_CHECKING:
    from rankprism.measures.parts import Parts
    from rankprism.measures.terms import MadeOf, Terms

Pair: TypeAlias = tuple[Floats, Floats]

#: Why a form has no bounds, if it does not say why.
UNPROVED = "none have been proved"
#: The range of a score of which nothing is known.
ANY_NUMBER = (-math.inf, math.inf)

#: A measure that looks at no more documents has a depth of its own, as pools of campaigns do.
DEEPEST = 100
#: It does so, too, if at most this share of its weight is further down.
_SHARE = 0.05


def is_patient(p: float) -> bool:
    """Whether ranks below `DEEPEST` have a large share of the weights p^(i-1)."""
    return p**DEEPEST > _SHARE


class Form:
    """What both kinds of forms answer: (N, A) for a form of one aspect at a time, otherwise (N,).

    Hits are `Hits`, or `PreferenceHits` if the measure needs preferences.
    """

    #: The parts of the sum, if the measure is one of the family.
    parts: Parts | None = None

    #: The name of the measure, if errors have it; empty until the measure's decorator fills it in.
    name: str | None = None
    #: Whether a search for the best ranking may end without a proof, so that there is an `interval`.
    searches: bool = False

    @property
    def has_steps(self) -> bool:
        """Whether the step from one rank to the next depends only on which documents are above, and not on
        their order: see `rankprism.measures.ties`."""
        return False

    @property
    def order_free(self) -> bool:
        """Whether the score does not depend on the order of documents at all."""
        return False

    @property
    def is_sum(self) -> bool:
        """Whether the score is a sum over documents, so that each document has a contribution of its own."""
        return False

    @property
    def range(self) -> tuple[float, float]:
        """The lowest and the highest score that a ranking can have, infinite where it is not known."""
        return ANY_NUMBER

    @property
    def is_deep(self) -> bool:
        """Whether documents far down a ranking can still raise the score by a large share, if there is no
        cutoff. Shares of what was retrieved, which fall as easily as they rise, do not; nor do means over the
        documents that were found, or users who hardly ever get that far."""
        return True

    @property
    def is_exact(self) -> bool:
        """Whether some completion of the judgments attains each bound."""
        return False

    @property
    def why_unbounded(self) -> str:
        """Why no bounds are known for missing judgments. Empty if they are known."""
        return UNPROVED if type(self).bounds is Form.bounds else ""

    def bounds(self, completions: Any) -> Pair:
        """The lowest and the highest score over all `Completions`. Asked only if bounds are known."""
        raise NotImplementedError

    def over_orders(self, hits: Any) -> Floats | None:
        """The expectation of the score over all orders of tied documents.

        None: it is found from the steps of the score, or by listing all orders.
        """
        return None

    def extremes(self, hits: Any) -> Pair | None:
        """The lowest and the highest score over all orders of tied documents; None as in `over_orders`."""
        return None

    def steps_of(self, hits: Any) -> Bools | None:
        """(N,) whether the form has steps, if that depends on the ranking; None: `has_steps` says it."""
        return None

    def worth(self, hits: Any) -> Floats | None:
        """(N, A, H) a number for each document, or None.

        If there is one aspect, the extremes are the scores of rankings whose ties are sorted by these
        numbers.
        """
        return None

    def interval(self, hits: Any) -> Pair:
        """The lower and the upper bound of the score, if the measure `searches`."""
        raise NotImplementedError

    def ideal(self, pool: Any) -> Mapping[str, Longs] | None:
        """An ideal ranking of each topic of a `PreferencePool`, as numbers of documents, or None."""
        return None


class OfRanking(Form):
    """A measure of all aspects together: one number for each ranking, (N,)."""

    def score(self, hits: Any) -> Floats:
        """(N,) the scores"""
        raise NotImplementedError

    def made_of(self, hits: Any) -> MadeOf | None:
        """The parts of what each document adds to the score, or None if they are not known."""
        return None


class PerAspect(Form):
    """A measure of one aspect: one number for each ranking and aspect, (N, A)."""

    def per_aspect(self, hits: Any) -> Floats:
        """(N, A) the scores"""
        raise NotImplementedError

    def factors(self, hits: Any) -> Mapping[str, Floats] | None:
        """The factors (N, A, H) or (N, 1, H) of what each document adds to the scores, by name, or None."""
        return None


class OfPreferences(OfRanking):
    """A measure of preferences, of which no score is negative."""

    range = (0.0, math.inf)
    why_unbounded = "bounds are about the grades of unjudged documents, and preferences have no grades"


class _ByHand(Form):
    """A form whose answers are given. Those that are None are the default."""

    has_steps: bool = False
    order_free: bool = False
    is_sum: bool = False
    is_deep: bool = True
    is_exact: bool = False
    range: tuple[float, float] = ANY_NUMBER
    why_unbounded: str = UNPROVED

    def _answer(self, **answers: Any) -> None:
        bounded = {"why_unbounded": ""} if answers.get("bounds") is not None else {}
        given = {name: answer for name, answer in answers.items() if answer is not None}
        vars(self).update(bounded | given)


class Plain(_ByHand, OfRanking):
    """A measure of all aspects that is written by hand.

    Each argument is an answer of `OfRanking`, and only the score has to be given. `is_sum` follows from
    `made_of`, and `searches` from `interval`.
    """

    def __init__(
        self,
        *,
        score: Callable[[Any], Floats],
        made_of: Callable[[Any], MadeOf | None] | None = None,
        bounds: Callable[[Any], Pair] | None = None,
        is_exact: bool = False,
        why_unbounded: str | None = None,
        interval: Callable[[Any], Pair] | None = None,
        ideal: Callable[[Any], Mapping[str, Longs] | None] | None = None,
        over_orders: Callable[[Any], Floats] | None = None,
        extremes: Callable[[Any], Pair] | None = None,
        has_steps: bool = False,
        order_free: bool = False,
        is_deep: bool = True,
        range: tuple[float, float] = ANY_NUMBER,
    ) -> None:
        self._answer(
            score=score,
            made_of=made_of,
            bounds=bounds,
            is_exact=is_exact,
            why_unbounded=why_unbounded,
            interval=interval,
            ideal=ideal,
            over_orders=over_orders,
            extremes=extremes,
            has_steps=has_steps,
            order_free=order_free,
            is_deep=is_deep,
            range=range,
            is_sum=made_of is not None,
            searches=interval is not None,
        )


class PlainPerAspect(_ByHand, PerAspect):
    """A measure of one aspect that is written by hand.

    Each argument is an answer of `PerAspect`. Either the scores are given, or the `terms` whose sum they
    are, from which `factors` follow as well. `is_sum` follows from these. With `best_by`, a ranking is best
    if tied documents are in the order of descending gains, and worst if they ascend; see `worth`.
    """

    def __init__(
        self,
        *,
        per_aspect: Callable[[Any], Floats] | None = None,
        terms: Callable[[Any], Terms] | None = None,
        factors: Callable[[Any], Mapping[str, Floats] | None] | None = None,
        bounds: Callable[[Any], Pair] | None = None,
        is_exact: bool = False,
        why_unbounded: str | None = None,
        over_orders: Callable[[Any], Floats] | None = None,
        extremes: Callable[[Any], Pair] | None = None,
        best_by: Gain | None = None,
        has_steps: bool = False,
        order_free: bool = False,
        is_deep: bool = True,
        range: tuple[float, float] = ANY_NUMBER,
    ) -> None:
        if (per_aspect is None) == (terms is None):
            raise TypeError("PlainPerAspect takes either per_aspect= or terms=")
        if terms is not None:
            sums = terms  # mypy forgets that it is not None in a function
            per_aspect, factors = (lambda hits: sums(hits).scores), (lambda hits: sums(hits).scaled)
        self._answer(
            per_aspect=per_aspect,
            factors=factors,
            bounds=bounds,
            is_exact=is_exact,
            why_unbounded=why_unbounded,
            over_orders=over_orders,
            extremes=extremes,
            worth=None if best_by is None else lambda hits: hit_gain(hits, best_by),
            has_steps=has_steps,
            order_free=order_free,
            is_deep=is_deep,
            range=range,
            is_sum=factors is not None,
        )
