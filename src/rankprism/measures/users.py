"""Measures that users write. One function, `called`, calls them and says what is wrong with what they do."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from functools import partial
from types import MethodType
from typing import TYPE_CHECKING, Any

import numpy as np

from rankprism.data import Floats
from rankprism.errors import BrokenMeasure, MeasureError, RankprismError
from rankprism.measures.definition import Definition
from rankprism.measures.form import Form, OfRanking, PerAspect

if TYPE_CHECKING:
    from rankprism.data import Hits
    from rankprism.measures.preferences.hits import PreferenceHits

#: A measure is called once more for at most this many rankings, to see whether it gives the same scores.
_AGAIN = 1000
#: The questions that a form answers by a function.
_ASKED = frozenset(
    name
    for kind in (OfRanking, PerAspect)
    for name in dir(kind)
    if not name.startswith("_") and callable(getattr(kind, name))
)


def called(
    name: str, function: Callable[..., Any], *given: Any, remedy: str = "correct the measure", **settings: Any
) -> Any:
    """Call a function that a user has written. Whatever goes wrong inside is an error that names it.

    Ctrl-C and errors of rankprism, which a measure may raise to refuse rankings, stay what they are.
    """
    try:
        return function(*given, **settings)
    except (RankprismError, KeyboardInterrupt):
        raise
    except BaseException as error:  # sys.exit(0) must not end a command as if all were well
        why = type(error).__name__ + (f": {error}" if str(error) else "")
        if isinstance(error, ValueError) and "read-only" in str(error):
            why += " (measures share their input; change a copy, e.g. hits.grade.copy())"
        raise BrokenMeasure(f"{name} fails with {why}; {remedy}") from error


def guarded(definition: Definition) -> Definition:
    """The same measure, whose form is asked by `called` and whose scores are checked."""
    name = definition.name
    if definition.range is not None and not definition.range[0] < definition.range[1]:
        raise MeasureError(
            f"{name}: range must be the lowest and the highest score, e.g. (0, 1); got {definition.range}"
        )
    repeated: set[str] = set()  # the parameters with which the measure was called twice

    def scores(function: Callable[..., Any], given: Any) -> Any:
        """Scores, or two arrays of scores; None if a form of ours does not know them."""
        found = called(name, function, given)
        if found is None and isinstance(function, MethodType):
            return None
        hits = getattr(given, "hits", given)  # of completions
        if isinstance(found, tuple):
            return tuple(_checked(definition, each, hits) for each in found)
        return _checked(definition, found, hits)

    def repeatable(function: Callable[..., Any], settings: str, hits: Hits | PreferenceHits) -> Floats:
        """Scores, which are the same if they are computed again."""
        found: Floats = scores(function, hits)
        if settings not in repeated:
            few, first = hits, found
            if len(found) > _AGAIN:
                few = hits.rows(np.arange(_AGAIN))
                first = scores(function, few)
            if not np.array_equal(first, scores(function, few)):
                raise BrokenMeasure(
                    f"{name} gives other scores when it is called a second time with the same rankings; "
                    f"correct the measure, so that it depends on nothing else"
                )
            repeated.add(settings)
        return found

    def form(**settings: Any) -> Form:
        def checked(what: str, answer: Callable[..., Any]) -> Callable[..., Any]:
            if what in ("score", "per_aspect"):
                return partial(repeatable, answer, str(settings))
            if what in ("bounds", "interval", "over_orders", "extremes"):
                return partial(scores, answer)
            return partial(called, name, answer)

        made: Form = called(name, definition.form, **settings)
        answers = {what: getattr(made, what) for what in dir(type(made)) if what in _ASKED}
        # The same form, so that whoever asks which one it is gets the same answer.
        made = copy(made)
        vars(made).update({what: checked(what, answer) for what, answer in answers.items()})
        return made

    return replace(definition, form=form)


def _checked(definition: Definition, found: Any, hits: Hits | PreferenceHits) -> Floats:
    """What a measure has returned, if it is a score for each ranking, and for each aspect if it is single."""
    name, n = definition.name, len(hits.length)
    expected = (n, hits.grade.shape[1]) if definition.single else (n,)  # type: ignore[union-attr]
    scores = np.asarray(found)
    if scores.dtype.kind not in "biuf":
        what = type(found).__name__ if scores.ndim == 0 else f"an array of {scores.dtype}"
        raise BrokenMeasure(f"{name} returns {what}, and scores are numbers; correct the measure")
    if scores.shape != expected:
        each = "ranking and aspect" if definition.single else "ranking"
        raise BrokenMeasure(
            f"{name} returns scores of shape {scores.shape} for {n:,} rankings; correct the measure, so that "
            f"it returns one score for each {each}, an array of shape {expected}"
        )
    scores = scores.astype(np.float64, copy=False)
    if not np.isfinite(scores).all():
        wrong = scores[~np.isfinite(scores)]
        raise BrokenMeasure(
            f"{name} returns {wrong[0]:g} for {wrong.size:,} of {scores.size:,} scores; correct the measure, "
            f"so that every score is a finite number"
        )
    if definition.range is not None:
        low, high = definition.range
        slack = 1e-12 * max(1.0, *(abs(end) for end in (low, high) if np.isfinite(end)))  # rounding
        outside = scores[(scores < low - slack) | (scores > high + slack)]
        if outside.size:
            raise BrokenMeasure(
                f"{name} returns {outside[0]:g}, and its range is declared as {low:g} to {high:g}; correct "
                f"the measure, or its range"
            )
    return scores
