"""Options of commands, made from the signatures of functions.

An option has the name, the type and the default of a parameter. Its help is the first paragraph about the
parameter in the section `Parameters` of the docstring, which has the form of numpydoc. A `Literal` gives the
words and the completion of the shell, `Positive` and `Natural` the range.

Signatures are read from the source. To load the functions takes longer than everything else that help
needs, because they bring numpy and whatever they compute with.
"""

from __future__ import annotations

import ast
import inspect
import os
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from types import NoneType, SimpleNamespace, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, Unpack, get_args, get_origin

import click

import rankprism
from rankprism import types
from rankprism.cli.door import ANALYSIS, Option, Words
from rankprism.errors import InputError
from rankprism.types import AtLeast, Called, KeyOf, MeasureName, SimulationOptions

_PACKAGE = os.path.dirname(rankprism.__file__)
#: What annotations are read with: the types of arguments, and what these are made of.
_NAMES: Mapping[str, Any] = {
    **vars(types),
    "Callable": Callable,
    "Mapping": Mapping,
    "Sequence": Sequence,
    "Unpack": Unpack,
    "files": SimpleNamespace(PathLike=types.Path),
}
#: How the option of a parameter is spelled where its own name means something else in other commands.
_SPELLED = {
    ("judging.preferences:simulate", "documents"): "--shown",
    ("judging.preferences:order", "by"): "--order-by",
    ("judging.preferences:strengths", "level"): "--intervals",
    ("judging.preferences:intervals", "level"): "--intervals",
}
#: The tables whose words are read from the source: the module that fills them, and how a word stands there.
_FILLED = {"comparison:TESTS": ("statistics.paired", r'^@paired_test\(\s*"([^"]+)"')}
#: The default of a parameter that cannot be read from the source, such as a constant of another module.
_ELSEWHERE = object()
#: Confidence of intervals that are asked for without a number.
CONFIDENCE = "0.95"


class Parameter(NamedTuple):
    """A parameter of a function, as its source has it."""

    annotation: ast.expr | None
    default: Any  #: `inspect.Parameter.empty` if it has to be given
    is_keyword: bool


class Signature(NamedTuple):
    parameters: Mapping[str, Parameter]
    others: ast.expr | None  #: what ``**`` takes
    doc: str
    known: Mapping[str, Any]  #: what annotations are read with


def options_of(
    where: str | Callable[..., Any], *names: str, group: str = ANALYSIS, positional: bool = False
) -> list[Option]:
    """The options that the explained keyword parameters of a function give: all of them, or those named.

    Parameters
    ----------
    where
        A place such as "meta:power", or "rankprism_judges:agree" in another package, or a function.
    group
        The heading of the options.
    positional
        Whether its other parameters are options, too, as those of charts are.
    """
    signature = _signature_of(where)
    chosen = names or [name for name, one in signature.parameters.items() if one.is_keyword or positional]
    found = [option for name in chosen if (option := _option_at(where, name)) is not None]
    others = None if names else _type(signature.others, signature.known)
    if get_args(others) == (SimulationOptions,):  # how runs are read is up to the commands
        shared = _signature_of("judging.preferences:simulate").parameters
        found += options_of(
            "judging.preferences:simulate", *(n for n in shared if n in SimulationOptions.__annotations__)
        )
    return [option.but(group=group) for option in found]


def option_of(where: str, name: str, **other: Any) -> Option:
    """One of these options, perhaps with other attributes, such as `opts` for its spellings."""
    found = _option_at(where, name)
    assert found is not None, f"{where}: {name}"
    return found.but(**other)


def function_at(where: str) -> Callable[..., Any]:
    """The function at a place such as "meta:power", or "rankprism_judges:agree" in another package."""
    import importlib

    module, _, name = where.partition(":")
    full = f"rankprism.{module}" if _files_of(os.path.join(_PACKAGE, *module.split("."))) else module
    function: Callable[..., Any] = getattr(importlib.import_module(full), name)
    return function


@cache
def _option_at(where: str | Callable[..., Any], name: str) -> Option | None:
    """The option of a parameter, or None if it is not explained, or has a type that no option can have."""
    signature, text = _signature_of(where), _texts(where).get(name)
    if text is None:
        return None
    parameter = signature.parameters.get(name) or _of_collections()[name]
    flag = _SPELLED.get((str(where), name)) or f"--{name.replace('_', '-')}"
    kind = _type(parameter.annotation, signature.known)
    option = _option(name, flag, kind, parameter.default, text)
    if option is not None and option.default is _ELSEWHERE:
        assert isinstance(where, str)
        option.default = inspect.signature(function_at(where)).parameters[name].default
    return option


@cache
def _of_collections() -> Mapping[str, Parameter]:
    """What ``**options: Unpack[CollectionOptions]`` takes: the types, and the defaults of what it becomes."""
    places = ("data.reading:Reading", "evaluation.collection:Options")
    values = {name: one for place in places for name, one in read_signature(place).parameters.items()}
    typed = ("types:RunOptions", "types:PreferenceOptions", "types:CollectionOptions")
    return {
        name: Parameter(one.annotation, values[name].default if name in values else None, True)
        for place in typed
        for name, one in read_signature(place).parameters.items()
    }


def _signature_of(where: str | Callable[..., Any]) -> Signature:
    return read_signature(where) if isinstance(where, str) else _of_function(where)


@cache
def _texts(where: str | Callable[..., Any]) -> dict[str, str]:
    return explained(_signature_of(where).doc)


def explained(doc: str) -> dict[str, str]:
    """What the section `Parameters` of a docstring says about each parameter, first paragraphs only.

    >>> from rankprism.meta import power
    >>> explained(inspect.getdoc(power))["alpha"]
    'Significance level.'
    """
    section = re.search(r"^Parameters\n-+\n(.*?)(?=\n\n\S|\Z)", doc, re.DOTALL | re.MULTILINE)
    items = re.findall(r"^(\S.*)\n((?: +.*\n?)+)", section[1] if section else "", re.MULTILINE)
    return {
        name: " ".join(text.replace("``", "").split()) for names, text in items for name in names.split(", ")
    }


def _option(name: str, flag: str, hint: Any, default: Any, text: str) -> Option | None:
    """The option of a parameter of a function, or None if its type is none that an option can have."""
    is_union = get_origin(hint) in (Union, UnionType)  # such as int | None
    if is_union and str in get_args(hint) and any(map(_is_more_than_text, get_args(hint))):
        return None
    about = [one for part in (hint, *get_args(hint)) for one in getattr(part, "__metadata__", ())]
    facts: dict[Any, Any] = {type(one): one for one in reversed(about)}
    limit, table, called = facts.get(AtLeast), facts.get(KeyOf), facts.get(Called)
    is_file = any(get_origin(kind) is os.PathLike for kind in get_args(hint))
    numeric = hint == float | str | None  # such as 0.01 or 2%
    if is_union:
        hint = str if numeric else next(kind for kind in get_args(hint) if kind is not NoneType)
    kind = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    make: Callable[..., Option] = partial(Option, flag, name, help=text)
    if default is inspect.Parameter.empty:
        make = partial(make, required=True)
    elif default is not None and kind != Sequence[int]:
        make = partial(make, default=default)
    if kind == Sequence[int]:
        if default is None:
            return None
        listed = ",".join(map(str, default))
        return make(default=listed, metavar="N,…", callback=lambda ctx, _, given: numbers(given, flag))
    if kind is bool:
        names = f"{flag}/--no-{flag[2:]}" if default else flag
        return Option(names, name, help=text, is_flag=True, default=default)
    if hint == MeasureName or (kind not in (int, float, str) and get_origin(kind) is not Literal):
        return None
    if flag == "--intervals" and kind is float:
        return make(type=float, metavar="[NUMBER]", bare=CONFIDENCE)
    if name == "cutoff":  # the only one with a short name
        make = partial(make, "-k")
    words = get_args(kind) if get_origin(kind) is Literal else ()
    if table and table.table in _FILLED:
        module, pattern = _FILLED[table.table]
        words = tuple(re.findall(pattern, source_of_module(module), re.MULTILINE))
    metavar = called.word if called else "FILE" if is_file else "NUMBER" if numeric else None
    if name == "aspects":  # of which some commands know only "all"
        metavar = "NAME,…"
    return make(
        type=Words(*words, of=table.table if table else "") if words or table else _number(kind, limit),
        metavar=metavar,
        completes="complete_file" if is_file else "",
    )


def _is_more_than_text(kind: Any) -> bool:
    return kind not in (str, float, NoneType) and get_origin(kind) is not os.PathLike


def _number(kind: Any, limit: AtLeast | None) -> Any:
    if limit is None:
        return kind
    return click.IntRange(limit.least) if kind is int else click.FloatRange(limit.least)


def numbers(text: str, option: str) -> list[int]:
    """Parse whole numbers above 0 with commas between them."""
    found = text.split(",")
    if not all(one.strip().isdecimal() and int(one) > 0 for one in found):
        raise InputError(
            f"{option} takes whole numbers above 0, separated by commas, e.g. 100,1000; got {text!r}"
        )
    return [int(one) for one in found]


# ── signatures in sources ────────────────────────────────────────────────────────────────────────


@cache
def read_signature(where: str) -> Signature:
    """The signature of the function, method or class at a place such as "meta:power"."""
    module, _, name = where.partition(":")
    text = source_of_module(module)
    found = _definition(text, name)
    if found is None:  # the package imports it
        imported = _importing(name, text)
        assert imported is not None, where
        return read_signature(f"{imported}:{name}")
    return _signature(found, _NAMES, text)


def source_of_module(module: str) -> str:
    """The text of a module, and of its stub if it has one, which says where names come from.

    A module that rankprism does not have is one of another package, by its full name.
    """
    texts = []
    for name in _files_of(os.path.join(_PACKAGE, *module.split("."))) or _files_elsewhere(module):
        with open(name, encoding="utf-8") as file:
            texts.append(file.read())
    return "\n".join(texts)


def _files_of(path: str) -> list[str]:
    """The sources of the module at a path without its ending."""
    package = os.path.join(path, "__init__.py")
    return [file for file in (f"{path}.py", package, f"{package}i") if os.path.exists(file)]


def _files_elsewhere(module: str) -> list[str]:
    """The sources of a module of another package, which is found but not loaded."""
    from importlib.util import find_spec

    first, *rest = module.split(".")
    found = find_spec(first)
    if found is None or found.origin is None:
        return []
    if found.submodule_search_locations is None:
        return [found.origin] if not rest and found.origin.endswith(".py") else []
    return [
        file for folder in found.submodule_search_locations for file in _files_of(os.path.join(folder, *rest))
    ]


def _definition(text: str, name: str) -> str | None:
    """The head of a function or method with its docstring, or a class, without what follows."""
    owner, _, name = name.rpartition(".")
    if owner:
        _, _, body = (_definition(text, owner) or "").partition("\n")
        return _definition(textwrap.dedent(body), name)
    found = re.search(rf'^def {name}\(.*?"""(?:.*?)"""\n', text, re.DOTALL | re.MULTILINE)
    found = found or re.search(rf"^class {name}\b.*?(?=^\S|\Z)", text, re.DOTALL | re.MULTILINE)
    return None if found is None else found[0]


@cache
def _of_function(function: Callable[..., Any]) -> Signature:
    """The signature of a function that is loaded, such as a chart that somebody has added."""
    inner = inspect.unwrap(function)
    text = textwrap.dedent(inspect.getsource(inner))
    definition = _definition(text[text.index("def ") :], inner.__name__)
    assert definition is not None
    return _signature(definition, {**_NAMES, **inner.__globals__}, "")


def _signature(definition: str, known: Mapping[str, Any], module: str) -> Signature:
    """The signature in a definition. `module` : the text around it, which may have constants."""
    [made] = ast.parse(definition).body
    if isinstance(made, ast.ClassDef):
        fields = [one for one in made.body if isinstance(one, ast.AnnAssign)]
        parameters = {
            one.target.id: Parameter(one.annotation, _default(one.value, module), True)
            for one in fields
            if isinstance(one.target, ast.Name)
        }
        return Signature(parameters, None, ast.get_docstring(made) or "", known)
    assert isinstance(made, ast.FunctionDef)
    given = made.args
    plain = [*given.posonlyargs, *given.args]
    missing = [None] * (len(plain) - len(given.defaults))
    parameters = {
        one.arg: Parameter(one.annotation, _default(default, module), is_keyword)
        for several, defaults, is_keyword in (
            (plain, [*missing, *given.defaults], False),
            (given.kwonlyargs, given.kw_defaults, True),
        )
        for one, default in zip(several, defaults, strict=True)
    }
    others = None if given.kwarg is None else given.kwarg.annotation
    return Signature(parameters, others, ast.get_docstring(made) or "", known)


def _type(node: ast.expr | None, known: Mapping[str, Any]) -> Any:
    """The type that an annotation names, or None if only type checkers know it.

    Of a union such as ``Path | Policy | None``, the command line has what can be written as text.
    """
    if node is None:
        return None
    if isinstance(node, ast.BinOp):
        left, right = _type(node.left, known), _type(node.right, known)
        if left is None or (right is None and not isinstance(node.right, ast.Constant)):
            return left if right is None else right
        return left | right
    try:
        return eval(compile(ast.Expression(node), "<annotation>", "eval"), dict(known))
    except (NameError, TypeError, AttributeError):
        return None


def _default(node: ast.expr | None, module: str) -> Any:
    if node is None:
        return inspect.Parameter.empty
    value = _constant(node.id, module) if isinstance(node, ast.Name) else node
    try:
        return _ELSEWHERE if value is None else ast.literal_eval(value)
    except ValueError:
        return _ELSEWHERE


def _constant(name: str, module: str) -> ast.expr | None:
    """The value of a constant in this text of a module, or in the module that it imports the name from."""
    if re.search(rf"^{name}(?:: [^=\n]+)? = ", module, re.MULTILINE):
        for one in ast.parse(module).body:
            targets = one.targets if isinstance(one, ast.Assign) else [getattr(one, "target", None)]
            if any(isinstance(target, ast.Name) and target.id == name for target in targets):
                return one.value  # type: ignore[attr-defined,no-any-return]
    imported = _importing(name, module)
    return None if imported is None else _constant(name, source_of_module(imported))


def _importing(name: str, module: str) -> str | None:
    """The module from which a module imports a name, as places have it."""
    names = rf"(?:\([^)]*?\b{name}\b[^)]*\)|[^\n(]*\b{name}\b)"
    found = re.search(rf"^from (?:rankprism\.)?(\w[\w.]*) import {names}", module, re.MULTILINE)
    return None if found is None else found[1]
