"""What a measure computes, as a text. Measures with the same text give the same scores."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Iterator, Mapping
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from rankprism.measures.definition import LOWER_IS_BETTER, Definition
from rankprism.measures.measure import Measure
from rankprism.measures.parameter import printed
from rankprism.measures.registry import lookup, modules

_OWN = "rankprism."


def definition_of(measure: Measure) -> str:
    """The measure with all its parameters and, if a user has defined it, the hash of what it is made of; and
    whether a lower score is better.

    >>> from rankprism.measures import P
    >>> definition_of(P @ 10)
    "P(rel=1,fold='max',judged_only=False,cutoff=10)"
    """
    parameters = ",".join(f"{p.name}={_value(measure[p.name])}" for p in measure.definition.parameters)
    own = _hash_of(measure.definition)
    lower = LOWER_IS_BETTER if measure.lower_is_better else ""
    return f"{measure.name}({parameters})" + (f" sha256:{own}" if own else "") + lower


def _value(value: Any) -> str:
    return definition_of(value) if isinstance(value, Measure) else printed(value)


def _hash_of(definition: Definition) -> str:
    """The hash of a measure that a user has defined; empty for the measures of this package."""
    if definition.recipe is not None:
        _, parts = definition.recipe
        text = "\n".join(f"{name}={_part(value)}" for name, value in parts.items() if name != "summary")
        return _hashed(text)
    if definition.module in modules():
        return ""
    base = definition.name.removesuffix("_IA")
    if base != definition.name and definition.module.startswith(_OWN):
        return _hash_of(lookup(base).definition)
    written = (definition.function, *definition.written)
    texts = [text for value in written for text in _texts(value, True, set())]
    return _hashed("\n".join(dict.fromkeys(texts)))


def _part(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{_value(key)}: {_value(weight)}" for key, weight in value.items())
    return _value(value)


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _texts(value: Any, users: bool, seen: set[int]) -> Iterator[str]:
    """What decides about a value that a measure uses: the source of functions, and constants.

    users : whether a function of the user has this value.
    """
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, FunctionType):
        is_users = not value.__globals__.get("__name__", "").startswith(_OWN)
        if is_users:
            yield _source(value)
        # Our own functions are looked into as well, because a decorator keeps the user's function in one.
        inside = [cell.cell_contents for cell in value.__closure__ or ()]
        inside += [getattr(value, "__wrapped__", None), *(value.__defaults__ or ())]
        if is_users:
            inside += [value.__globals__.get(name) for name in _names(value.__code__)]
        for one in inside:
            yield from _texts(one, is_users, seen)
    elif isinstance(value, tuple | list):
        for one in value:
            yield from _texts(one, users, seen)
    elif users and isinstance(value, Measure):
        yield definition_of(value)
    elif users and isinstance(value, np.ndarray):
        yield repr(value.tolist())
    elif users and isinstance(value, str | int | float | dict):
        yield repr(value)


def _source(function: FunctionType) -> str:
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):  # typed in, without a file
        code = function.__code__
        return f"{code.co_code.hex()} {[c for c in code.co_consts if not isinstance(c, CodeType)]!r}"


def _names(code: CodeType) -> Iterator[str]:
    """The names that a function and the functions inside it look up."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
