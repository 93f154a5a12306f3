"""How measures are declared: decorators that read a function's signature and register the measure.

`measure` is for measures of all aspects together, and `single` for those that score each aspect on its own.
The return type of the function decides what is derived:

- a form, from the parameters alone: whatever the form answers, see `rankprism.measures.form`. `Sum` and
  `NoveltySum` are the family Σ_i D(i) [Σ_t w_t g(i,t) N(i,t) - e], from which everything is derived.
  `Counted` is for scores of how many relevant documents there are and where, `Folded`, `OverAspects` and
  `Chosen` are for what a measure of one aspect scores, and `Mixture` is a weighted sum of measures. `Plain`
  and `PlainPerAspect` take their answers one by one.
- an array of scores, from hits and parameters: nothing is derived.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Annotated, Any, cast

from rankprism.errors import MeasureError, one_of
from rankprism.measures.definition import NEEDS, Definition
from rankprism.measures.family import NoveltySum, Sum
from rankprism.measures.folds import FOLDS
from rankprism.measures.form import Form, PerAspect, Plain, PlainPerAspect
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
from rankprism.measures.parts import Parts
from rankprism.measures.registry import register
from rankprism.measures.terms import Terms

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
    cite: str = "",
    compared: str = "",
    aliases: str = "",
    forms: Mapping[str, Mapping[str, Any]] | None = None,
    needs: str = "judgments",
    answers: bool = False,
    lower_is_better: bool = False,
    range: tuple[float, float] | None = None,
) -> Callable[[Callable[..., Any]], Measure]:
    """Turn a function into a registered measure of the same name.

    Every measure also has the parameter `judged_only`, which the function itself does not see.

    Parameters
    ----------
    needs
        The kind of judgments that the measure needs. A function that needs "preferences" takes
        `PreferenceHits`, and such a measure has no parameter `judged_only`.
    cite
        Keys of `rankprism.measures.citations`.
    compared
        Other programs or publications with which the scores were compared.
    aliases
        Other names of the measure.
    forms
        Names that papers give to the measure with particular parameters, and these parameters.
    answers
        Whether the measure can score answers, because it does not look at other judged documents.
    lower_is_better
        Whether a lower score is better. A measure with a measure inside has the opposite direction of that
        one if this is True, and the same if it is False.
    range
        The lowest and the highest score of a measure of your own, e.g. (0, 1). A score beyond them is an
        error.
    """

    one_of("needs", needs, NEEDS)

    def decorate(function: Callable[..., Any]) -> Measure:
        common = [JUDGED_ONLY] if needs == "judgments" else []
        form, own = _declared(function, single=False)
        about = _about(cite, compared, aliases, forms, lower_is_better)
        parameters = _ordered(own, *common)
        return register(
            Definition(function, form, parameters, needs=needs, answers=answers, range=range, **about)
        )

    return decorate


def single(
    *,
    cite: str = "",
    compared: str = "",
    aliases: str = "",
    forms: Mapping[str, Mapping[str, Any]] | None = None,
    lower_is_better: bool = False,
    range: tuple[float, float] | None = None,
    partial: bool = False,
    listed: bool = True,
) -> Callable[[Callable[..., Any]], Measure]:
    """Turn a function into a registered measure of one aspect, which scores each aspect on its own, (N, A).

    If there are several aspects, the grades of a document are folded into one grade. M_IA, the mean over
    aspects, is made as well.

    partial : whether a ranking may have no score (NaN), because there is nothing to count.
    listed : whether the measure can be named. Otherwise it is only a part of other measures.
    """

    def decorate(function: Callable[..., Any]) -> Measure:
        form, own = _declared(function, single=True)
        about = _about(cite, compared, aliases, forms, lower_is_better)
        parameters = _ordered(own, FOLD, JUDGED_ONLY)
        made = Definition(function, form, parameters, single=True, range=range, partial=partial, **about)
        return register(made) if listed else Measure(made)

    return decorate


def normalised(
    of: Measure,
    *,
    cite: str | None = None,
    compared: str | None = None,
    aliases: str = "",
) -> Callable[[Callable[[], None]], Measure]:
    """Turn a name and a docstring into the normalised form of a measure: divided by an ideal ranking's score.

    It has the parameters of the measure and, for measures of all aspects together, the parameters that choose
    the ideal ranking. Everything that is not given is taken from the measure.
    """
    base = of.definition
    if of.form.parts is None:
        raise MeasureError(f"{base.name} is not made of parts, so its ideal ranking is not known")

    def plain(**settings: Any) -> Parts:
        return cast("Parts", base.form(cutoff=None, **settings).parts)

    def of_one(**settings: Any) -> Parts:
        return plain(**settings)._replace(over="per-aspect", factor=None)

    def of_all(ideal: str, nodes: int, **settings: Any) -> Parts:
        return plain(**settings)._replace(over=ideal, nodes=nodes, factor=None)

    parts_of = of_one if base.single else of_all

    def form(cutoff: int | None, **settings: Any) -> Form:
        parts = parts_of(**settings)
        return Sum(parts, cutoff, base.name) if base.single else NoveltySum(parts, cutoff, base.name, True)

    def decorate(described: Callable[[], None]) -> Measure:
        parameters = base.parameters
        if not base.single:
            own = [p for p in parameters if p.role not in (Role.JUDGED_ONLY, Role.CUTOFF)]
            parameters = (*own, IDEAL, NODES, JUDGED_ONLY, CUTOFF)
        about = _about(cite or "", compared or "", aliases, None, bool(base.lower_is_better))
        about |= {
            "cite": base.cite if cite is None else about["cite"],
            "compared": base.compared if compared is None else compared,
        }
        written = (base.function,)
        return register(Definition(described, form, parameters, single=base.single, written=written, **about))

    return decorate


def _declared(
    function: Callable[..., Any], single: bool
) -> tuple[Callable[..., Form], tuple[Parameter, ...]]:
    """What makes forms of a function, and the parameters that it declares."""
    name, kind = function.__name__, _returned(function)
    if kind is None:
        return _scored(function, single), parameters_of(function, after=1)
    if issubclass(kind, PerAspect) != single:
        raise MeasureError(
            f"{name}: {kind.__name__} is a form "
            + ("of all aspects; use @measure" if single else "of one aspect; use @single")
        )

    def form(**settings: Any) -> Form:
        made = _checked(name, kind, function(**settings))
        return cast("Form", replace(made, name=name) if made.name == "" else made)

    return form, parameters_of(function)


def _returned(function: Callable[..., Any]) -> type[Form] | None:
    """The form that a function is declared to return; None for scores."""
    hint = function.__annotations__.get("return")
    if isinstance(hint, str):  # from __future__ import annotations
        try:
            hint = eval(hint, function.__globals__)
        except NameError:  # imported for type checkers only, or inside a function
            named = hint.rpartition(".")[2]
            return next((form for form in (Sum, NoveltySum, Mixture) if form.__name__ == named), None)
    return hint if isinstance(hint, type) and issubclass(hint, Form) else None


def _checked(name: str, kind: type[Form] | None, found: Any) -> Any:
    """What a measure's function has returned, if it is what its return type says."""
    if isinstance(found, (Parts, Terms)):
        raise MeasureError(
            f"{name} returns {type(found).__name__}, which are not a form; "
            + ("return Sum(Parts(...)) or NoveltySum(Parts(...))" if isinstance(found, Parts) else "")
            + ("return PlainPerAspect(terms=...)" if isinstance(found, Terms) else "")
        )
    if not isinstance(found, kind or object) or (kind is None and isinstance(found, Form)):
        returned = type(found).__name__
        raise MeasureError(
            f"{name} returns {returned}, but its return type says "
            + (f"{kind.__name__}; correct one of them" if kind else f"something else; declare -> {returned}")
        )
    return found


def _scored(function: Callable[..., Any], single: bool) -> Callable[..., Form]:
    """Make forms from a function of hits and parameters that returns scores."""
    name = function.__name__

    def form(**settings: Any) -> Form:
        def scores(hits: Any) -> Any:
            return _checked(name, None, function(hits, **settings))

        return PlainPerAspect(per_aspect=scores) if single else Plain(score=scores)

    return form


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
