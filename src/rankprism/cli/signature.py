"""Options of commands, made from the parameters of functions.

A parameter that is annotated as Typer wants it is an option. The other parameters of the function that a
command calls are options, too: their name, type and default are those of the signature, and their help is the
first paragraph that the docstring has about them under `Parameters`.

Options are found when Typer asks for them, which is when a command is used. Declaring them loads nothing.
"""

from __future__ import annotations

import importlib
import inspect
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import cache
from types import NoneType, SimpleNamespace, UnionType
from typing import Annotated, Any, Generic, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import typer

from rankprism.cli.choices import one_of
from rankprism.cli.completion import complete_file
from rankprism.errors import InputError
from rankprism.types import AtLeast, Called, KeyOf, MeasureName, SimulationOptions, fact

Result = TypeVar("Result")
_T = TypeVar("_T")


class Command(Generic[Result]):
    """A function that takes its options as keywords. They are found when somebody asks for them."""

    def __init__(
        self,
        run: Callable[..., Result],
        function: Callable[..., Any],
        options: Callable[[], Mapping[str, inspect.Parameter]],
    ) -> None:
        self.run, self.options = run, cache(options)
        self.__doc__, self.__name__ = function.__doc__, function.__name__
        self.__module__ = function.__module__

    def __call__(self, *read: Any, **given: Any) -> Result:
        return self.run(*read, **given)

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.Signature(list(self.options().values()))

    @property
    def __annotations__(self) -> dict[str, Any]:  # type: ignore[override]
        return {name: option.annotation for name, option in self.options().items()}


def options_of(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """A function's parameters that are annotated as options."""
    if isinstance(function, Command):
        return dict(function.options())
    found = {}
    for name, parameter in inspect.signature(function).parameters.items():
        hint = _hint(function, name)
        if any(isinstance(about, typer.models.ParameterInfo) for about in getattr(hint, "__metadata__", ())):
            found[name] = parameter.replace(annotation=hint, kind=inspect.Parameter.KEYWORD_ONLY)
    return found


def without(options: Mapping[str, _T], *names: str) -> dict[str, _T]:
    """The options except those with these names."""
    return {name: option for name, option in options.items() if name not in names}


def given_to(function: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the given options that are a function's own."""
    return {name: given[name] for name in options_of(function) if name in given}


def with_options_of(*others: Callable[..., Any]) -> Callable[[Callable[..., Result]], Command[Result]]:
    """Let a function with a last parameter like ``**others`` have the options of other functions there.

    Where both have an option of one name, it is the function's own.
    """

    def decorate(function: Callable[..., Result]) -> Command[Result]:
        def options() -> dict[str, inspect.Parameter]:
            found = options_of(function)
            for other in others:
                found |= without(options_of(other), *found)
            return found

        return Command(function, function, options)

    return decorate


def with_less(function: Callable[..., Result], *names: str) -> Command[Result]:
    """The same function without these options, which keep their defaults."""
    return Command(function, function, lambda: without(options_of(function), *names))


def parameters_of(where: str, *names: str, **flags: str) -> Command[Any]:
    """The function at a place, with the options that its parameters give: all of them, or those named.

    flags : the flags of parameters whose options have another name, such as ``format="--from"``, or a short
    one, such as ``depth="--depth -k"``.
    """

    def options() -> dict[str, inspect.Parameter]:
        found = {name: option for name, option in derived(where).items() if not names or name in names}
        for name, flag in flags.items():
            kind, about = get_args(found[name].annotation)
            renamed = copy(about)
            renamed.param_decls = tuple(flag.split())
            found[name] = found[name].replace(annotation=Annotated[kind, renamed])
        return found

    return Command(lambda **given: function_at(where)(**given), parameters_of, options)


def function_at(where: str) -> Callable[..., Any]:
    """The function of rankprism at a place such as "meta:power"."""
    module, _, name = where.partition(":")
    function: Callable[..., Any] = getattr(importlib.import_module(f"rankprism.{module}"), name)
    return function


@cache
def derived(called: str | Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """The options that a function, or the function at a place, gives to its command.

    These are its explained keyword parameters that are flags, numbers, lists of numbers, text or words. If
    the function itself is given, as charts are, they need not be for keywords only.
    """
    function = function_at(called) if isinstance(called, str) else called
    texts = explained(function)
    options: dict[str, inspect.Parameter | None] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            options |= _shared(_hint(function, name))
        elif name in texts and (called is function or parameter.kind is inspect.Parameter.KEYWORD_ONLY):
            keyword = parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            options[name] = _option(keyword, texts[name], function)
    return {name: option for name, option in options.items() if option is not None}


def _shared(hint: Any) -> dict[str, inspect.Parameter]:
    """The options of keyword arguments that several functions share and one of them explains."""
    if get_args(hint) != (SimulationOptions,):  # how runs are read is up to the commands
        return {}
    shared = derived("judging.preferences:simulate")
    return {name: shared[name] for name in SimulationOptions.__annotations__ if name in shared}


def explained(function: Callable[..., Any]) -> dict[str, str]:
    """What the section `Parameters` of a docstring says about each parameter, first paragraphs only.

    >>> from rankprism.meta import power
    >>> explained(power)["alpha"]
    'Significance level.'
    """
    doc = inspect.getdoc(function) or ""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=\n\n\S|\Z)", doc, re.DOTALL | re.MULTILINE)
    items = re.findall(r"^(\S.*)\n((?: +.*\n?)+)", section[1] if section else "", re.MULTILINE)
    return {
        name: " ".join(text.replace("``", "").split()) for names, text in items for name in names.split(", ")
    }


def _option(
    parameter: inspect.Parameter, text: str, function: Callable[..., Any]
) -> inspect.Parameter | None:
    """The option of a parameter of a function, or None if its type is none that an option can have."""
    hint = _hint(function, parameter.name)
    limit, table, called = fact(AtLeast, hint), fact(KeyOf, hint), fact(Called, hint)
    is_file = any(get_origin(kind) is os.PathLike for kind in get_args(hint))
    numeric = hint == float | str | None  # such as 0.01 or 2%
    if get_origin(hint) in (Union, UnionType):  # such as int | None
        hint = str if numeric else next(kind for kind in get_args(hint) if kind is not NoneType)
    kind = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    flag, default = f"--{parameter.name.replace('_', '-')}", parameter.default
    if kind == Sequence[int] and default is not None:
        listed = typer.Option(metavar="N,…", help=text, callback=lambda given: numbers(given, flag))
        return parameter.replace(annotation=Annotated[str, listed], default=",".join(map(str, default)))
    if kind is bool:
        # Typer itself gives the flag of what is true by default its opposite, such as --no-mark.
        flags = () if default is True else (flag,)
        return parameter.replace(annotation=Annotated[bool, typer.Option(*flags, help=text)])
    if (kind not in (int, float, str) and get_origin(kind) is not Literal) or hint == MeasureName:
        return None
    metavar = called.word if called else "FILE" if is_file else "NUMBER" if numeric else None
    about = typer.Option(
        *((flag, "-k") if parameter.name == "cutoff" else ()),  # the only one with a short name
        min=None if limit is None else limit.least,
        click_type=None if table is None else one_of(table.table),
        metavar=metavar,
        autocompletion=complete_file if is_file else None,
        help=text,
    )
    return parameter.replace(annotation=Annotated[kind if default is not None else kind | None, about])


def numbers(text: str, option: str) -> list[int]:
    """Parse whole numbers above 0 with commas between them."""
    found = text.split(",")
    if not all(one.strip().isdecimal() and int(one) > 0 for one in found):
        raise InputError(
            f"{option} takes whole numbers above 0, separated by commas, e.g. 100,1000; got {text!r}"
        )
    return [int(one) for one in found]


def _hint(function: Callable[..., Any], name: str) -> Any:
    """The type of a parameter, or None if it is known to type checkers only."""
    inner = inspect.unwrap(function)
    asked = SimpleNamespace(__annotations__={name: inner.__annotations__.get(name)})
    known = getattr(inner, "__globals__", None) or vars(sys.modules[inner.__module__])  # a class has none
    try:
        return get_type_hints(asked, known, include_extras=True)[name]
    except NameError:
        return None
