"""Forms: a measure with its parameters is one value, which answers all questions about the measure.

A form of one aspect at a time, `PerAspect`, gives arrays (N, A). A form of whole rankings, `OfRanking`, gives
arrays (N,). Both have default answers, so a form says only what is known about it. `Plain` and
`PlainPerAspect` take the answers as functions, for measures that fit no other form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from rankprism.data import Bools, Floats, Longs

if TYPE_CHECKING:
    from rankprism.measures.parts import Parts
    from rankprism.measures.terms import MadeOf

Pair: TypeAlias = tuple[Floats, Floats]


class Form:
    """What both kinds of forms answer: (N, A) for a form of one aspect at a time, otherwise (N,).

    Hits are `Hits`, or `PreferenceHits` if the measure needs preferences.
    """

    #: The parts of the sum, if the measure is one of the family.
    parts: Parts | None = None
    #: The form that this one stands for, if it only adds checks.
    stands_for: Form | None = None

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
    def searches(self) -> bool:
        """Whether a search for the best ranking may end without a proof, so that there is an `interval`."""
        return False

    def bounds(self, completions: Any) -> Pair:
        """The lowest and the highest score over all `Completions`. Asked only if bounds are known."""
        raise NotImplementedError

    def expected(self, hits: Any) -> Floats | None:
        """The expectation of the score over all orders of tied documents.

        None: it is found from the steps of the score, or by listing all orders.
        """
        return None

    def extremes(self, hits: Any) -> Pair | None:
        """The lowest and the highest score over all orders of tied documents; None as in `expected`."""
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


class _ByHand(Form):
    """A form whose answers are given by their names. Those that are not given, or None, are the default."""

    has_steps: bool = False
    order_free: bool = False
    is_sum: bool = False
    searches: bool = False

    def __init__(self, **answers: Any) -> None:
        unknown = [name for name in answers if not hasattr(type(self), name)]
        if unknown:
            raise TypeError(f"a form has no {unknown[0]!r}")
        vars(self).update({name: answer for name, answer in answers.items() if answer is not None})


class Plain(_ByHand, OfRanking):
    """A measure of all aspects that is written by hand: `Plain(score=…, made_of=…, bounds=…, …)`."""


class PlainPerAspect(_ByHand, PerAspect):
    """A measure of one aspect that is written by hand: `PlainPerAspect(per_aspect=…, factors=…, …)`."""


def by_hand(form: Form, changed: Callable[[str, Any], Any]) -> Plain | PlainPerAspect:
    """The same form, in which each answer is what `changed` makes of its name and the form's own answer."""
    kind = PlainPerAspect if isinstance(form, PerAspect) else Plain
    names = [name for name in dir(kind) if not name.startswith("_")]
    answers = {name: getattr(form, name) for name in names}
    return kind(**{name: changed(name, answer) for name, answer in answers.items()} | {"stands_for": form})
