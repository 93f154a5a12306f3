"""How measures are declared: decorators that read a function's signature and register the measure.

`measure` is for measures of all aspects together, and `single` for those that score each aspect on its own.
The return type of the function decides what is derived:

- `Parts`, from the parameters alone: the score, the explanation, the bounds and, by `normalised`, the
  normalised form. The cutoff is added.
- `Mixture`, from the parameters alone: the score, the explanation and the bounds.
- `Terms`, from hits and parameters: the score and the explanation.
- an array of scores, from hits and parameters: nothing is derived. `made_of` may explain the scores.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import update_wrapper
from typing import Annotated, Any, cast

import numpy as np

from rankprism.arrays import Floats, Longs
from rankprism.data.hits import Hits
from rankprism.errors import MeasureError, one_of
from rankprism.measures import family
from rankprism.measures.definition import NEEDS, NO_BOUNDS, NO_TIES, Bounds, Definition, Formula, Ties
from rankprism.measures.folds import FOLDS
from rankprism.measures.measure import Measure
from rankprism.measures.mixture import Mixture
from rankprism.measures.parameter import (
    CUTOFF,
    JUDGED_ONLY,
    MOST_NODES,
    OneOf,
    Parameter,
    Range,
    Role,
    declared,
    parameters_of,
)
from rankprism.measures.parts import Parts, ratio, total
from rankprism.measures.registry import register
from rankprism.measures.terms import MadeOf, Terms, of_all_aspects

Fold = Annotated[
    str,
    OneOf(tuple(FOLDS)),
    "how several grades of a document become one: the highest, the lowest, their sum, weighted mean or "
    "product",
    Role.FOLD,
]
Ideal = Annotated[
    str,
    OneOf(("greedy", "exact", "per-aspect")),
    "the ideal ranking to divide by: the greedy one, as in ndeval; the best one, with a proof; or the best "
    "ranking for each aspect alone",
    Role.IDEAL,
]
Nodes = Annotated[
    int, Range(1, MOST_NODES), "how many nodes the search for the best ranking may visit, with ideal='exact'"
]
FOLD = declared("fold", Fold, "max")
IDEAL = declared("ideal", Ideal, "greedy")
NODES = declared("nodes", Nodes, 1_000_000)


def measure(
    *,
    bounds: Bounds | str | None = None,
    interval: Callable[..., tuple[Floats, Floats]] | None = None,
    cite: str = "",
    compared: str = "",
    aliases: str = "",
    forms: Mapping[str, Mapping[str, Any]] | None = None,
    made_of: Callable[..., Any] | None = None,
    ideal: Callable[..., Mapping[str, Longs]] | None = None,
    needs: str = "judgments",
    answers: bool = False,
    lower_is_better: bool = False,
    range: tuple[float, float] | None = None,
    ties: Ties = NO_TIES,
) -> Callable[[Callable[..., Any]], Measure]:
    """Turn a function into a registered measure of the same name.

    Every measure also has the parameter `judged_only`, which the function itself does not see.

    Parameters
    ----------
    needs
        The kind of judgments that the measure needs. A function that needs "preferences" takes
        `PreferenceHits`, and such a measure has no parameter `judged_only`.
    bounds
        The bounds of the score if judgments are missing; only their kind, "exact" or "outer", if they are
        derived. Default: "outer" if they are derived, else none.
    interval
        A function of the same arguments that returns bounds of the score, if a search may end without a
        proof.
    cite
        Keys of `rankprism.measures.citations`.
    compared
        Other programs or publications with which the scores were compared.
    aliases
        Other names of the measure.
    forms
        Names that papers give to the measure with particular parameters, and these parameters.
    made_of
        A function of the same arguments that gives the parts of each document's contribution, if they are
        not derived; see `rankprism.measures.terms`.
    ideal
        A function from a `PreferencePool` and the parameters to ideal rankings; only for measures that need
        "preferences".
    answers
        Whether the measure can score answers, because it does not look at other judged documents.
    lower_is_better
        Whether a lower score is better. A measure with a measure inside has the opposite direction of that
        one if this is True, and the same if it is False.
    range
        The lowest and the highest score of a measure of your own, e.g. (0, 1). A score beyond them is an
        error.
    ties
        How the scores over all orders of tied documents are found, if that is not derived.
    """

    one_of("needs", needs, NEEDS)

    def decorate(function: Callable[..., Any]) -> Measure:
        common = [JUDGED_ONLY] if needs == "judgments" else []
        formula, own = _formula(function, False, bounds, made_of, ties, interval, ideal)
        about = _about(cite, compared, aliases, forms, lower_is_better)
        parameters = _ordered(own, *common)
        return register(Definition(formula, parameters, needs=needs, answers=answers, range=range, **about))

    return decorate


def single(
    *,
    bounds: Bounds | str | None = None,
    cite: str = "",
    compared: str = "",
    aliases: str = "",
    forms: Mapping[str, Mapping[str, Any]] | None = None,
    made_of: Callable[..., dict[str, Floats]] | None = None,
    lower_is_better: bool = False,
    range: tuple[float, float] | None = None,
    partial: bool = False,
    ties: Ties = NO_TIES,
) -> Callable[[Callable[..., Any]], Measure]:
    """Turn a function into a registered measure of one aspect, which scores each aspect on its own, (N, A).

    If there are several aspects, the grades of a document are folded into one grade. M_IA, the mean over
    aspects, is made as well.

    partial : whether a ranking may have no score (NaN), because there is nothing to count.
    """

    def decorate(function: Callable[..., Any]) -> Measure:
        formula, own = _formula(function, True, bounds, made_of, ties)
        about = _about(cite, compared, aliases, forms, lower_is_better)
        parameters = _ordered(own, FOLD, JUDGED_ONLY)
        return register(Definition(formula, parameters, single=True, range=range, partial=partial, **about))

    return decorate


def normalised(
    of: Measure,
    *,
    bounds: str = "outer",
    cite: str | None = None,
    compared: str | None = None,
    aliases: str = "",
) -> Callable[[Callable[[], None]], Measure]:
    """Turn a name and a docstring into the normalised form of a measure: divided by an ideal ranking's score.

    It has the parameters of the measure and, for measures of all aspects together, the parameters that choose
    the ideal ranking. Everything that is not given is taken from the measure.
    """
    base = of.definition
    if not isinstance(of.declared, Parts):
        raise MeasureError(f"{base.name} is not made of parts, so its ideal ranking is not known")
    plain = cast("Callable[..., Parts]", base.formula.declared)

    def of_one(**settings: Any) -> Parts:
        return plain(**settings)._replace(over="per-aspect", factor=None)

    def of_all(ideal: str, nodes: int, **settings: Any) -> Parts:
        return plain(**settings)._replace(over=ideal, nodes=nodes, factor=None)

    parts_of = of_one if base.single else of_all

    def decorate(described: Callable[[], None]) -> Measure:
        update_wrapper(parts_of, described)
        parameters = base.parameters
        if not base.single:
            own = [p for p in parameters if p.role not in (Role.JUDGED_ONLY, Role.CUTOFF)]
            parameters = (*own, IDEAL, NODES, JUDGED_ONLY, CUTOFF)
        formula = family.formula(parts_of, base.single, bounds, base.name, searches=not base.single)
        about = _about(cite or "", compared or "", aliases, None, bool(base.lower_is_better))
        inherited = {
            "cite": base.cite if cite is None else about["cite"],
            "compared": base.compared if compared is None else compared,
        }
        return register(Definition(formula, parameters, single=base.single, **about | inherited))

    return decorate


def _formula(
    function: Callable[..., Any],
    single: bool,
    bounds: Bounds | str | None,
    made_of: Callable[..., Any] | None,
    ties: Ties,
    interval: Callable[..., tuple[Floats, Floats]] | None = None,
    ideal: Callable[..., Mapping[str, Longs]] | None = None,
) -> tuple[Formula, tuple[Parameter, ...]]:
    """Derive a formula from what a function returns, and read the parameters that it declares."""
    returned = function.__annotations__.get("return")
    kind = returned if isinstance(returned, str) else getattr(returned, "__name__", "")
    if kind in ("Parts", "Mixture"):
        sort = bounds if isinstance(bounds, str) else "outer"
        derived = (
            family.formula(function, single, sort) if kind == "Parts" else mixture_formula(function, sort)
        )
        own = (*parameters_of(function), *([CUTOFF] if kind == "Parts" else []))
        return derived._replace(bounds=bounds) if isinstance(bounds, Bounds) else derived, own
    if isinstance(bounds, str):
        raise MeasureError(
            f"{function.__name__}: bounds={bounds!r} needs a function that returns Parts or a Mixture; pass "
            f"Bounds({bounds!r}, function)"
        )
    known = bounds or NO_BOUNDS
    if kind == "Terms":
        return terms_formula(function, single, known)._replace(ties=ties), parameters_of(function, after=1)
    return Formula(function, made_of, known, interval, None, ideal, ties), parameters_of(function, after=1)


def mixture_formula(mixture_of: Callable[..., Mixture], bounds: str) -> Formula:
    """Derive the formula of a weighted sum of measures."""

    def function(hits: Hits, **settings: Any) -> Floats:
        return mixture_of(**settings).score(hits)

    def made_of(hits: Hits, **settings: Any) -> MadeOf | None:
        return mixture_of(**settings).made_of(hits)

    def completed(c: Any, **settings: Any) -> tuple[Floats, Floats]:
        return mixture_of(**settings).bounds(c)

    def expected(hits: Hits, **settings: Any) -> Floats:
        return mixture_of(**settings).expected(hits)

    def steps(**settings: Any) -> bool:
        return mixture_of(**settings).has_steps

    update_wrapper(function, mixture_of)
    ties = Ties(expected, steps=steps)
    return Formula(function, made_of, Bounds(bounds, completed), declared=mixture_of, ties=ties)


def terms_formula(terms_of: Callable[..., Terms], single: bool, bounds: Bounds) -> Formula:
    """Derive a formula from a function that gives the terms of the score."""

    def function(hits: Hits, **settings: Any) -> Floats:
        terms = terms_of(hits, **settings)
        return terms.scores if single or terms.weight is not None else terms.scores[:, 0]

    def made_of(hits: Hits, **settings: Any) -> dict[str, Floats] | MadeOf:
        terms = terms_of(hits, **settings)
        if single:
            return terms.scaled
        weight = np.ones((len(hits.rank), 1)) if terms.weight is None else terms.weight
        return of_all_aspects(terms.scaled, ratio(weight, total(weight)[:, None]))

    update_wrapper(function, terms_of)
    return Formula(function, made_of, bounds)


def _ordered(own: tuple[Parameter, ...], *common: Parameter) -> tuple[Parameter, ...]:
    """Parameters in the order of a measure's name: its own, those that all measures have, the cutoff."""
    cutoff = [p for p in own if p.role is Role.CUTOFF]
    return (*(p for p in own if p.role is not Role.CUTOFF), *common, *cutoff)


def _about(
    cite: str,
    compared: str,
    aliases: str,
    forms: Mapping[str, Mapping[str, Any]] | None,
    lower_is_better: bool,
) -> dict[str, Any]:
    """The fields of `Definition` that describe a measure."""
    return {
        "cite": tuple(cite.split()),
        "compared": compared,
        "aliases": tuple(aliases.split()),
        "forms": forms or {},
        "lower_is_better": lower_is_better or None,
    }
