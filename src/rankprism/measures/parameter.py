"""Parameters of measures: a Python type with a range, a meaning and perhaps a role.

A measure's function declares its parameters in its signature, and nowhere else::

    Alpha = Annotated[float, Range(0, 1), "the share by which each document on an aspect lowers its worth"]

    def alpha_DCG(alpha: Alpha = 0.5, ...) -> Parts: ...

Code outside the formula finds a parameter by its role and never by its name.
"""

from __future__ import annotations

import enum
import typing
from collections.abc import Collection, Mapping
from functools import cache
from types import UnionType
from typing import Any

from rankprism.data import LARGEST
from rankprism.errors import MeasureError
from rankprism.text import quoted

#: A search of this many nodes takes days.
MOST_NODES = 10**12


class Role(enum.Enum):
    """The purpose of a parameter, if code outside the measure's formula needs to know it."""

    CUTOFF = "how many documents count; written after @"
    AT = "what else may be written after @"
    INNER = "the measure inside, written without a name"
    FOLD = "how several grades of a document become one"
    JUDGED_ONLY = "whether unjudged documents are left out first"
    IDEAL = "what a normalised measure is divided by"
    GAIN = "what a grade is worth"
    GAINS = "what single grades are worth"
    THRESHOLD = "the lowest relevant grade, if gains are binary"
    HIGHEST = "the highest grade of the scale"
    ASPECT = "the only aspect that is scored"


class Range(typing.NamedTuple):
    """The numbers from low to high. Either end can be excluded."""

    low: float | None = None
    high: float = LARGEST
    above_low: bool = False  # low itself is excluded
    below_high: bool = False


class OneOf:
    """One of these words. The collection may grow later, for example if it is the keys of a registry."""

    def __init__(self, choices: Collection[str]) -> None:
        self.choices = choices


class Example(str):
    """A sequence such as this example."""

    __slots__ = ()


class Parameter(typing.NamedTuple):
    """A parameter: which values it may have, and what it means."""

    name: str
    default: Any
    meaning: str
    kind: type = float
    low: float | None = None
    high: float = LARGEST
    above_low: bool = False
    below_high: bool = False
    choices: Collection[str] = ()
    mapping: bool = False  # whether a mapping is allowed
    sequence: str = ""  # an example, if a sequence is allowed
    optional: bool = False  # whether None is allowed
    role: Role | None = None

    @property
    def range(self) -> str:
        """The allowed values, in words."""
        if self.role is Role.INNER:
            return "a single-aspect measure such as nDCG@10"
        if self.choices:
            also = ", or a mapping such as {1:0.5,2:0.5}" if self.mapping else ""
            also += f", or a sequence such as {self.sequence}" if self.sequence else ""
            return "one of " + ", ".join(repr(c) for c in self.choices) + also
        if self.sequence:
            return f"a sequence such as {self.sequence}"
        if self.kind is str:
            return "a word in quotes"
        if self.kind is bool:
            return "True or False"
        if self.kind is dict:
            return "a mapping of grades ≥ 0 to gains ≥ 0 such as {1:1,2:3}"
        word = "a whole number" if self.kind is int else "a number"
        low = "" if self.low is None else f" {'>' if self.above_low else '≥'} {_written(self.low)} and"
        return f"{word}{low} {'<' if self.below_high else '≤'} {_written(self.high)}"

    def check(self, value: Any, measure: str) -> Any:
        """Return the value in its canonical type, or raise an error that says which values are allowed."""
        if self.optional and value is None:
            return None
        if not self._allows(value):
            raise MeasureError(f"{measure}: {self.name} must be {self.range}; got {quoted(value)}")
        if self.sequence and not isinstance(value, str):
            return _as_tuple(value)
        return float(value) if self.kind is float else value

    def _allows(self, value: Any) -> bool:
        if self.role is Role.INNER:
            is_measure = isinstance(value, self.kind)
            return is_measure and bool(value.definition.single)
        if self.sequence and not (self.choices and isinstance(value, str)):
            return isinstance(value, list | tuple) and _is_plain(value)
        if self.kind is str and not self.choices:
            return isinstance(value, str) and "'" not in value
        if self.choices and not (self.mapping and isinstance(value, Mapping)):
            return isinstance(value, str) and value in self.choices
        if self.kind is bool:
            return isinstance(value, bool)
        if self.kind is dict or self.mapping:
            numbers = [*value, *value.values()] if isinstance(value, Mapping) else [None]
            if not all(_is_number(x) for x in numbers):
                return False
            # A document with a negative grade never has a gain, and with a level neither has one of grade 0.
            of_grades = self.kind is dict
            return all(
                gain >= 0 and (grade > 0 or gain == 0 or (of_grades and grade == 0))
                for grade, gain in value.items()
            )
        if isinstance(value, bool) or not isinstance(value, int if self.kind is int else int | float):
            return False
        low_ok = self.low is None or value > self.low or (value == self.low and not self.above_low)
        high_ok = value < self.high or (value == self.high and not self.below_high)
        return bool(low_ok and high_ok and value > -LARGEST)  # NaN is neither above nor below


Cutoff = typing.Annotated[
    int | None, Range(1), "the number of documents that count, from the top; None means all", Role.CUTOFF
]
JudgedOnly = typing.Annotated[
    bool,
    "first remove documents from the ranking that are unjudged or have only negative grades",
    Role.JUDGED_ONLY,
]


def declared(name: str, hint: Any, default: Any = None) -> Parameter:
    """Make the parameter with this name and declared type.

    >>> declared("beta", typing.Annotated[float | None, Range(0), "the blend"], 1.0).range
    'a number ≥ 0 and ≤ 1,000,000,000'
    """
    return Parameter(name, default, **_facts(hint))


@cache
def _facts(hint: Any) -> dict[str, Any]:
    """The fields of `Parameter` that a declared type determines."""
    kind, *about = typing.get_args(hint) if typing.get_origin(hint) is typing.Annotated else (hint,)
    several = typing.get_origin(kind) in (typing.Union, UnionType)
    members = [typing.get_origin(one) or one for one in (typing.get_args(kind) if several else (kind,))]
    kinds = [dict if one is Mapping else one for one in members if one is not type(None)]
    facts: dict[str, Any] = {"meaning": "", "kind": kinds[0], "optional": type(None) in members}
    for fact in about:
        if isinstance(fact, Example):
            facts["sequence"] = str(fact)
        elif isinstance(fact, str):
            facts["meaning"] = fact
        elif isinstance(fact, Role):
            facts["role"] = fact
            facts["optional"] |= fact is Role.INNER  # the measure inside may be given later
        elif isinstance(fact, OneOf):
            facts |= {"choices": fact.choices, "mapping": dict in kinds[1:]}
        elif isinstance(fact, Range):
            facts |= fact._asdict()
    return facts


CUTOFF = declared("cutoff", Cutoff)
JUDGED_ONLY = declared("judged_only", JudgedOnly, False)


def parameters_of(function: Any, after: int = 0) -> tuple[Parameter, ...]:
    """The parameters that a function's signature declares, except its first `after` arguments."""
    # Read directly, because `inspect.signature` would take a fifth of the time to import all measures.
    code, defaults = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[after : code.co_argcount + code.co_kwonlyargcount]
    default_of = dict(zip(code.co_varnames[: code.co_argcount][-len(defaults) :], defaults, strict=False))
    default_of |= function.__kwdefaults__ or {}
    found = []
    for name in names:
        hint = function.__annotations__.get(name)
        if isinstance(hint, str):  # from __future__ import annotations
            known = function.__globals__
            hint = known[hint] if hint in known else eval(hint, known)
        is_required = hint is not None and _facts(hint).get("role") is Role.INNER
        if hint is None or (name not in default_of and not is_required):
            raise MeasureError(
                f"{function.__name__}: the parameter {name} needs a type and a default, e.g. "
                f"{name}: Annotated[float, Range(0, 1), 'what it means'] = 0.5"
            )
        found.append(declared(name, hint, default_of.get(name)))
        found[-1].check(found[-1].default, function.__name__)
    return tuple(found)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and -LARGEST <= value <= LARGEST


def _is_plain(value: Any, depth: int = 0) -> bool:
    """Whether a value can be written in a measure's name: numbers, words, and sequences of these."""
    if isinstance(value, list | tuple):
        return depth < 10 and all(_is_plain(x, depth + 1) for x in value)
    if isinstance(value, str):
        return "'" not in value
    return _is_number(value)


def printed(value: Any) -> str:
    """A value as it is written in the name of a measure."""
    if isinstance(value, tuple):
        return "(" + ",".join(map(printed, value)) + ("," if len(value) == 1 else "") + ")"
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{printed(k)}:{printed(v)}" for k, v in sorted(value.items())) + "}"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(value)


def _written(number: float) -> str:
    """A bound in words: 1,000,000,000 rather than 1e+09."""
    return f"{number:,.0f}" if abs(number) >= 1e4 else f"{number:g}"


def _as_tuple(value: Any) -> Any:
    return tuple(map(_as_tuple, value)) if isinstance(value, list | tuple) else value
