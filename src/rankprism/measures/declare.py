"""How measures are declared: decorators that read a function's signature and register the measure.

`measure` is for functions of `Hits` that give a score for each ranking, `single` for those that give one for
each aspect. `rankprism.measures.family` has the decorators of the novelty measures.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from rankprism.data.hits import Floats
from rankprism.errors import one_of
from rankprism.measures.measure import FOLDS, NEEDS, Bounds, Definition, Measure, register
from rankprism.measures.parameter import JUDGED_ONLY, OneOf, Parameter, Role, declared, parameters_of

Fold = Annotated[
    str,
    OneOf(FOLDS.keys()),
    "a document's grade where it has several: the highest, the lowest, their sum, weighted mean or product",
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
    printed: str = "",
    needs: str = "judgments",
) -> Callable[[Callable[..., Floats]], Measure]:
    """Turn a function of `Hits` and parameters into a registered measure of the same name.

    Every measure can also be taken of the judged documents only, which is not its function's business.

    needs : the kind of judgments that it needs. A function that needs "preferences" takes `PreferenceHits`,
        and such a measure cannot be taken of the judged documents only.
    bounds : what is known of the score where judgments are missing.
    keeps : the constraints that it keeps with default parameters, e.g. "Pri Deep".
    interval : from the function's arguments to bounds of the score, where a search may end without proof.
    cite : keys of `rankprism.measures.citations`.
    compared : other programs or publications with which the scores were compared.
    aliases : other names; `printed` is the name in tables and charts, if not made from the measure's own.
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
                interval=interval,
                printed=printed,
                needs=needs,
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
) -> Callable[[Callable[..., Floats]], Measure]:
    """The same for a measure of one aspect, whose function scores each aspect on its own, (N, A).

    On several aspects it is taken of grades that are folded to one. M_IA, the mean over aspects, comes with
    it; `keeps_ia` are the constraints that M_IA keeps.
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
            )
        )

    return decorate


def _ordered(own: tuple[Parameter, ...], *common: Parameter) -> tuple[Parameter, ...]:
    """As they stand in a measure's name: its own, those that all have, the cutoff."""
    cutoff = [p for p in own if p.role is Role.CUTOFF]
    return (*(p for p in own if p.role is not Role.CUTOFF), *common, *cutoff)


def _about(
    bounds: Bounds | None, keeps: str | None, cite: str, compared: str, aliases: str
) -> dict[str, Any]:
    return {
        "bounds": bounds or Bounds("none"),
        "keeps": None if keeps is None else frozenset(keeps.split()),
        "cite": tuple(cite.split()),
        "compared": compared,
        "aliases": tuple(aliases.split()),
    }
