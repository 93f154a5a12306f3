"""The registry: measures by name in any spelling. Modules that have measures are loaded on demand."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

from rankprism.errors import MeasureError, did_you_mean
from rankprism.measures.definition import Definition
from rankprism.measures.measure import Measure
from rankprism.measures.other_names import examples, own_name
from rankprism.measures.parameter import Role
from rankprism.measures.spelling import folded_name
from rankprism.text import quoted

_HOME = "rankprism.measures.known"
#: The modules with the most common measures. They are loaded first, because a command that computes two
#: measures should not wait for a hundred.
_USUAL = ("novelty", "coverage", "single")
_DEFINITIONS: dict[str, Definition] = {}
_ALIASES: dict[str, str] = {}
#: Names of measures with particular parameters: the definition, and the parameters.
_FORMS: dict[str, tuple[str, Mapping[str, Any]]] = {}


def register(definition: Definition) -> Measure:
    """Make a measure known by its name, its aliases and the names of its forms."""
    users = definition.module not in modules()
    if users:
        _load_all()  # so that a user's measure cannot take the name of one that is loaded later
    for name in (definition.name, *definition.aliases, *definition.forms):
        # ERR_IA is an independent measure, which is registered before ERR. All later names must differ from
        # every M_IA.
        taken = name in _DEFINITIONS or name in _ALIASES or name in _FORMS or (users and own_name(name))
        if taken or (name.endswith("_IA") and _is_single(name[:-3])):
            raise MeasureError(f"a measure named {name} exists already; choose another name")
    if not str(definition.module).startswith("rankprism."):  # None for a function of exec()
        from rankprism.measures.users import guarded

        definition = guarded(definition)
    _DEFINITIONS[definition.name] = definition
    _ALIASES.update(dict.fromkeys(definition.aliases, definition.name))
    _FORMS.update({name: (definition.name, settings) for name, settings in definition.forms.items()})
    return Measure(definition)


@cache
def modules() -> tuple[str, ...]:
    """The modules of this package that have measures."""
    home = importlib.import_module(_HOME)
    return tuple(f"{_HOME}.{module.name}" for module in pkgutil.iter_modules(home.__path__))


@contextmanager
def all_or_none() -> Iterator[None]:
    """If the block ends with an error, forget the measures that were registered inside it."""
    _load_all()  # a module registers its measures only once, so they must not be forgotten
    known: tuple[dict[str, Any], ...] = (_DEFINITIONS, _ALIASES, _FORMS)
    before = [dict(names) for names in known]
    try:
        yield
    except BaseException:
        for names, kept in zip(known, before, strict=True):
            names.clear()
            names.update(kept)
        raise


def _is_single(name: str) -> bool:
    definition = _DEFINITIONS.get(_ALIASES.get(name, name))
    return definition is not None and definition.single


def lookup(name: str) -> Measure:
    """The measure with this name and default parameters. ``M_IA`` exists for every single-aspect M.

    Names are found however papers spell them: in upper or lower case, with - for _, with Greek letters. A
    name that a paper gives to a measure with particular parameters means the measure with these parameters.

    >>> lookup("α-nDCG"), lookup("ndcg"), lookup("D#-nDCG"), lookup("MAP-IA")
    (alpha_nDCG, nDCG, DSharp_nDCG, AP_IA)
    >>> lookup("MANH"), lookup("uRBP")
    (TOMA(distance='manhattan'), RBP(gain='linear',fold='product'))
    """
    found = _exactly(name)
    for module in (*(f"{_HOME}.{usual}" for usual in _USUAL), *modules()):
        if found is not None:
            break
        importlib.import_module(module)
        found = _exactly(name)
    return _by_spelling(name) if found is None else found


def _exactly(name: str) -> Measure | None:
    """The measure with this name or alias, if the module that has it is loaded."""
    if name in _FORMS:
        exact, settings = _FORMS[name]
        return Measure(_DEFINITIONS[exact])(**settings)
    exact = _ALIASES.get(name, name)
    if exact in _DEFINITIONS:
        return Measure(_DEFINITIONS[exact])
    base = exact.removesuffix("_IA")
    is_derived = base != exact and base in _DEFINITIONS and _is_single(base)
    return Measure(_derived(base)) if is_derived else None


def _by_spelling(name: str) -> Measure:
    """The only measure whose name is spelled like this, ignoring case, hyphens and Greek letters."""
    spellings = _spellings()
    found = sorted(spellings.get(folded_name(name), ()))
    if len(found) > 1:
        raise MeasureError(f"the measure {quoted(name)} can be {' or '.join(found)}; write one of these")
    if not found:
        hint = _with_cutoff(name, spellings) or did_you_mean(folded_name(name), examples() | spellings) or ";"
        raise MeasureError(f"unknown measure {quoted(name)}{hint} `rankprism measures` lists all of them")
    exact = _exactly(found[0])
    assert exact is not None
    return exact


def _with_cutoff(name: str, spellings: Mapping[str, set[str]]) -> str:
    """The question whether nDCG_10, ndcg10 or ndcg_k10 should be nDCG@10, if there is such a measure."""
    stem = folded_name(name).rstrip("0123456789")
    cutoff = name[len(stem) :]
    for base in (stem, stem.removesuffix("k")):
        for own in spellings.get(base.rstrip("_."), ()) if cutoff else ():
            if (found := _exactly(own)) is not None and Role.CUTOFF in found.definition.roles:
                return f"; did you mean {own}@{cutoff}?"
    return ""


def _derived(base: str) -> Definition:
    from rankprism.measures.known.combine import intent_aware

    return intent_aware(_DEFINITIONS[base])


def _spellings() -> dict[str, set[str]]:
    """For each folded name, the measures that it can mean."""
    known = {name: name for name in names()} | _ALIASES | {name: name for name in _FORMS}
    known |= {f"{alias}_IA": f"{name}_IA" for alias, name in _ALIASES.items() if _is_single(name)}
    of_name: dict[str, set[str]] = {}
    for spelling, name in known.items():
        of_name.setdefault(folded_name(spelling), set()).add(name)
    return of_name


def definitions() -> tuple[Definition, ...]:
    """All measures that are not derived from others."""
    _load_all()
    place = {module: number for number, module in enumerate(modules())}
    own = len(place)  # users' measures come last, in the order in which they were defined
    return tuple(sorted(_DEFINITIONS.values(), key=lambda d: place.get(d.module, own)))


def names() -> tuple[str, ...]:
    """The names of all measures."""
    known = definitions()
    return tuple(dict.fromkeys([*(d.name for d in known), *(f"{d.name}_IA" for d in known if d.single)]))


def _load_all() -> None:
    for module in modules():
        importlib.import_module(module)


def restored(
    name: str,
    module: str,
    recipe: tuple[Callable[..., Measure], Mapping[str, Any]] | None,
    settings: Mapping[str, Any],
) -> Measure:
    """The measure with this name, which is registered first if it is not known."""
    if name not in names():
        if recipe is not None:
            make, parts = recipe
            make(**parts)
        else:
            importlib.import_module(module)
    found = lookup(name)
    if recipe is not None and str(found.definition.recipe) != str(recipe):
        raise MeasureError(f"a measure named {name} exists already and is made of other parts; rename one")
    return found(**settings)
