"""Turns measures of rankprism into measure objects of ir_measures, and vice versa."""

from __future__ import annotations

from typing import Any

import ir_measures
from ir_measures import measures as theirs
from ir_measures.providers.base import NOT_PROVIDED

from rankprism.errors import MeasureError
from rankprism.measures import Measure, Role, lookup, names, parse

#: The measures of ir_measures by name, when this module is imported and none of ours is registered.
KNOWN: dict[str, ir_measures.Measure] = dict(theirs.registry)


class RankprismMeasure(ir_measures.Measure):
    """A measure of rankprism as an object of ir_measures.

    It prints as in rankprism, and refuses a parameter outside its range at once.

    >>> RBU = RankprismMeasure(lookup("RBU"))
    >>> RBU(p=0.9) @ 20
    RBU(p=0.9)@20
    """

    def __init__(self, value: Measure) -> None:
        if value.needs != "judgments":
            raise MeasureError(
                f"{value} needs {value.needs}, which the qrels of ir_measures cannot hold; use "
                f"rankprism.evaluate"
            )
        super().__init__(**value.settings)  # type: ignore[no-untyped-call]
        self.value = value
        # Other providers go by this name and ignore parameters that they do not know, so the name must not
        # be one of theirs.
        self.NAME = f"rankprism.{value.name}" if value.name in KNOWN else value.name
        self.PRETTY_NAME = value.definition.display
        self.SHORT_DESC = value.definition.summary
        self.SUPPORTED_PARAMS = {
            p.name: ir_measures.ParamInfo(dtype=p.kind, default=p.default, desc=p.meaning)
            for p in value.definition.parameters
        }

    def validate_params(self) -> None:
        """Refuse a missing inner measure. All other parameters were checked before."""
        if Role.INNER in self.value.definition.roles and self.value.inner is None:
            raise MeasureError(f"{self} needs a measure inside, e.g. {self}(nDCG@10)")

    def __call__(self, *inside: Any, **params: Any) -> RankprismMeasure:
        """The same measure with other parameters, or with another measure inside: ``CAM(nDCG@10)``."""
        role = self.value.definition.roles.get(Role.INNER)
        if inside:
            if role is None or len(inside) > 1:
                raise MeasureError(
                    f"{self} cannot have {', '.join(map(str, inside))} inside; name parameters"
                )
            params = {role.name: inside[0], **params}
        if role is not None and role.name in params:
            params[role.name] = as_rankprism(params[role.name])
        return RankprismMeasure(self.value(**params))

    def __matmul__(self, cutoff: Any) -> RankprismMeasure:
        return RankprismMeasure(self.value @ cutoff)

    def __getitem__(self, name: str) -> Any:
        return self.value[name]

    def __repr__(self) -> str:
        return str(self.value)

    def __reduce__(self) -> tuple[Any, ...]:
        return RankprismMeasure, (self.value,)


def as_rankprism(measure: Any) -> Measure:
    """Return the measure of rankprism for a measure of ir_measures or a name.

    >>> as_rankprism(ir_measures.alpha_nDCG(alpha=0.25) @ 20)
    alpha_nDCG(alpha=0.25)@20
    >>> as_rankprism(ir_measures.NumRet)
    Traceback (most recent call last):
    rankprism.errors.MeasureError: rankprism has no measure NumRet
    """
    if isinstance(measure, RankprismMeasure):
        return measure.value
    if not isinstance(measure, ir_measures.Measure):
        return parse(measure)
    name = str(measure.NAME)
    # A measure that a user has defined may have any name.
    if name not in names() or name not in KNOWN or type(measure) is not type(KNOWN[name]):
        raise MeasureError(f"rankprism has no measure {measure}")
    given = {p: measure[p] for p in measure.SUPPORTED_PARAMS}  # with its defaults, which might differ
    params = {p: value for p, value in given.items() if value is not NOT_PROVIDED}
    parse(measure)  # refuses a measure that means something else in rankprism
    return lookup(name)(**params)


def as_ir_measures(measure: Any) -> ir_measures.Measure:
    """Return the object of ir_measures for a measure of rankprism: its own object, if it has this measure.

    >>> as_ir_measures("alpha_nDCG(alpha=0.25)@20") == ir_measures.alpha_nDCG(alpha=0.25) @ 20
    True
    >>> as_ir_measures("CAM(nDCG@10)")
    CAM(nDCG@10)
    """
    if isinstance(measure, ir_measures.Measure):
        return measure
    value = parse(measure)
    own = KNOWN.get(value.name)
    if own is None or not set(value.settings) <= set(own.SUPPORTED_PARAMS):
        return RankprismMeasure(value)
    # ir_measures wants its relevance levels as whole numbers, and rankprism keeps them as floats.
    is_whole = {name: info.dtype is int for name, info in own.SUPPORTED_PARAMS.items()}
    settings = {name: int(x) if is_whole[name] and x == int(x) else x for name, x in value.settings.items()}
    found: ir_measures.Measure = own(**settings)
    try:
        found.validate_params()
        return found if as_rankprism(found) == value else RankprismMeasure(value)
    except (AssertionError, MeasureError):
        return RankprismMeasure(value)
