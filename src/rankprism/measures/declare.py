"""How measures are declared: decorators that read a function's signature and register the measure.

`measure` is for functions of `Hits` that give a score for each ranking, `single` for those that give one for
each aspect, and `normalised_single` divides such a measure by what the best ranking scores.
`rankprism.measures.family` has the decorators of the novelty measures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import update_wrapper
from typing import Annotated, Any

import numpy as np

from rankprism.arrays import Floats, Longs
from rankprism.data.hits import Hits
from rankprism.errors import one_of
from rankprism.measures.ideal import best_ranking
from rankprism.measures.measure import FOLDS, NEEDS, NO_BOUNDS, Bounds, Definition, Measure, register
from rankprism.measures.parameter import JUDGED_ONLY, OneOf, Parameter, Role, declared, parameters_of
from rankprism.measures.parts import over_best, ratio

Fold = Annotated[
    str,
    OneOf(tuple(FOLDS)),
    "how several grades of a document become one: the highest, the lowest, their sum, weighted mean or "
    "product",
    Role.FOLD,
]
FOLD = declared("fold", Fold, "max")


def measure(
    *,
    bounds: Bounds | None = None,
    keeps: str | None = None,
    interval: Callable[..., tuple[Floats, Floats]] | None = None,
    cite: str = "",
    compared: str = "",
    aliases: str = "",
    forms: Mapping[str, Mapping[str, Any]] | None = None,
    sums: bool = True,
    made_of: Callable[..., Any] | None = None,
    ideal: Callable[..., Mapping[str, Longs]] | None = None,
    needs: str = "judgments",
    answers: bool = False,
) -> Callable[[Callable[..., Floats]], Measure]:
    """Turn a function of `Hits` and parameters into a registered measure of the same name.

    Every measure also has the parameter `judged_only`, which the function itself does not see.

    needs : the kind of judgments that the measure needs. A function that needs "preferences" takes
        `PreferenceHits`, and such a measure has no parameter `judged_only`.
    bounds : the bounds of the score if judgments are missing.
    keeps : the constraints that the measure satisfies with default parameters, e.g. "Pri Deep AspRel*".
        The star says that it needs the premises of the proofs (`rankprism axioms --reading proved`).
    interval : a function of the same arguments that returns bounds of the score, if a search may end without
        a proof.
    cite : keys of `rankprism.measures.citations`.
    compared : other programs or publications with which the scores were compared.
    aliases : other names of the measure.
    forms : names that papers give to the measure with certain parameters, and these parameters.
    sums : whether the score is a sum over documents, see `rankprism.measures.contributions`.
    made_of : a function of the same arguments that gives the parts of each document's contribution, see
        `rankprism.measures.made_of`.
    ideal : a function from a `PreferencePool` and the parameters to ideal rankings; only for measures that
        need "preferences".
    answers : whether the measure can score answers, because it does not look at other judged documents.
    """

    one_of("needs", needs, NEEDS)

    def decorate(function: Callable[..., Floats]) -> Measure:
        return register(
            Definition(
                name=function.__name__,
                function=function,
                parameters=_ordered(
                    parameters_of(function, after=1), *([JUDGED_ONLY] if needs == "judgments" else [])
                ),
                single=False,
                **_about(bounds, keeps, cite, compared, aliases),
                forms=forms or {},
                interval=interval,
                sums=sums,
                made_of=made_of,
                ideal=ideal,
                needs=needs,
                answers=answers,
            )
        )

    return decorate


def single(
    *,
    bounds: Bounds | None = None,
    keeps: str | None = None,
    keeps_ia: str | None = None,
    cite: str = "",
    compared: str = "",
    aliases: str = "",
    forms: Mapping[str, Mapping[str, Any]] | None = None,
    sums: bool = True,
    made_of: Callable[..., dict[str, Floats]] | None = None,
) -> Callable[[Callable[..., Floats]], Measure]:
    """Turn a function into a registered measure of one aspect, which scores each aspect on its own, (N, A).

    If there are several aspects, the grades of a document are folded into one grade. M_IA, the mean over
    aspects, is made as well. `keeps_ia` are the constraints that M_IA satisfies.
    """

    def decorate(function: Callable[..., Floats]) -> Measure:
        return register(
            Definition(
                name=function.__name__,
                function=function,
                parameters=_ordered(parameters_of(function, after=1), FOLD, JUDGED_ONLY),
                single=True,
                **_about(bounds, keeps, cite, compared, aliases),
                keeps_ia=None if keeps_ia is None else frozenset(keeps_ia.split()),
                forms=forms or {},
                sums=sums,
                made_of=made_of,
            )
        )

    return decorate


def normalised_single(
    of: Measure,
    *,
    by: Callable[..., Floats] | None = None,
    bounds: Bounds | None = None,
    keeps: str | None = None,
    keeps_ia: str | None = None,
    cite: str = "",
    compared: str = "",
    aliases: str = "",
) -> Callable[[Callable[[], None]], Measure]:
    """Turn a name and a docstring into a measure of one aspect, divided by its score of the best ranking.

    It has the parameters of the measure. The best ranking has all judged documents of an aspect.

    by : what these documents are sorted by, from grades and the parameters except the cutoff. Default: by
        grade.
    """
    base = of.definition

    def ideal(hits: Hits, settings: dict[str, Any]) -> Floats:
        """(N, A) the score of the best ranking of the topic"""
        shape = {p.name: settings[p.name] for p in own if p.role is not Role.CUTOFF}
        if by is None:
            best = best_ranking(hits.pool, "grade", lambda grade: grade)
        else:
            best = best_ranking(hits.pool, (base.name, str(shape)), lambda grade: by(grade, **shape))
        return np.asarray(base.function(best, **settings)[hits.topic])

    def function(hits: Hits, **settings: Any) -> Floats:
        return over_best(base.function(hits, **settings), ideal(hits, settings))

    def made_of(hits: Hits, **settings: Any) -> dict[str, Floats]:
        assert base.made_of is not None
        scale = ratio(np.ones(()), ideal(hits, settings))
        return {**base.made_of(hits, **settings), "scale": scale[:, :, None]}

    own = [p for p in base.parameters if p.role not in (Role.FOLD, Role.JUDGED_ONLY)]

    def decorate(described: Callable[[], None]) -> Measure:
        update_wrapper(function, described)
        return register(
            Definition(
                name=described.__name__,
                function=function,
                parameters=base.parameters,
                single=True,
                **_about(bounds, keeps, cite, compared, aliases),
                keeps_ia=None if keeps_ia is None else frozenset(keeps_ia.split()),
                made_of=None if base.made_of is None else made_of,
            )
        )

    return decorate


def _ordered(own: tuple[Parameter, ...], *common: Parameter) -> tuple[Parameter, ...]:
    """Parameters in the order of a measure's name: its own, those that all measures have, the cutoff."""
    cutoff = [p for p in own if p.role is Role.CUTOFF]
    return (*(p for p in own if p.role is not Role.CUTOFF), *common, *cutoff)


def _about(
    bounds: Bounds | None, keeps: str | None, cite: str, compared: str, aliases: str
) -> dict[str, Any]:
    return {
        "bounds": bounds or NO_BOUNDS,
        "keeps": None if keeps is None else frozenset(keeps.split()),
        "cite": tuple(cite.split()),
        "compared": compared,
        "aliases": tuple(aliases.split()),
    }
