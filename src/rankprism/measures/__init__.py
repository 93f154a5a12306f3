"""Measures. A measure is a value that prints as the string from which it is parsed, and a function of `Hits`.

`known` has the measures, one module for each family. `registry` finds the modules and loads them when a name
is looked up.

`measure` defines a measure as a value, `definition` what is known about it, and `parameter` its
parameters. `declare` has the decorators that turn a function into a measure, and `compose` makes measures
at run time. `grammar` reads ``alpha_nDCG(alpha=0.25)@20``, `spelling` says which names mean the same,
`display` writes α-nDCG@20, and `catalogue` writes the page of each measure.

With its parameters, a measure is one value, its `form`, which answers everything about it. It is made of
`parts`, `terms` or other measures (`forms`, `mixture`). `family` derives scores, explanations and bounds from
parts, `ideal` finds ideal rankings, and `contributions` says what each document earned. `bounds`
computes how far missing judgments could change a score. `preferences` has the input of preference measures.
Nothing here knows about files or runs.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from rankprism.lazy import attach

# `compose` loads the novelty measures. ERR_IA, which is one of them, must be known before ERR is.
from rankprism.measures.composition import compose as compose
from rankprism.measures.composition import mix as mix
from rankprism.measures.declare import measure as measure
from rankprism.measures.definition import Definition as Definition
from rankprism.measures.form import Plain as Plain
from rankprism.measures.form import PlainPerAspect as PlainPerAspect
from rankprism.measures.grammar import parse as parse
from rankprism.measures.measure import Measure as Measure
from rankprism.measures.parameter import Parameter as Parameter
from rankprism.measures.registry import definitions as definitions
from rankprism.measures.registry import lookup as lookup
from rankprism.measures.registry import names as names

_OTHER_NAMES = (
    "Definition",
    "Measure",
    "Parameter",
    "Plain",
    "PlainPerAspect",
    "compose",
    "definitions",
    "lookup",
    "measure",
    "mix",
    "names",
    "parse",
)
#: What other rooms take besides, and the module of each name. They are loaded when they are first used.
_OFFERED = {
    "CITATIONS": "citations",
    "shown_name": "display",
    "parse_all": "grammar",
    "definition_of": "identity",
    "ideal_prf": "known.prf",
    "prf": "known.prf",
    "reaching": "known.prf",
    "Role": "parameter",
    "ratio": "parts",
    "PreferenceHits": "preferences.hits",
    "PreferencePool": "preferences.hits",
    "preference_batches": "preferences.hits",
    "judgment_groups": "preferences.judgment_groups",
    "Comparisons": "preferences.utility",
    "Counts": "preferences.utility",
    "NONE": "preferences.utility",
    "Place": "preferences.utility",
    "Shown": "preferences.utility",
    "Utilities": "preferences.utility",
    "checked_documents": "preferences.utility",
    "places_by_topic": "preferences.utility",
    "pooled": "preferences.utility",
    "raw": "preferences.utility",
    "satiation": "preferences.utility",
    "shown_by_topic": "preferences.utility",
    "utilities": "preferences.utility",
}
#: Modules whose names they take as a whole.
_MODULES = ("distances", "verdicts")


def _names() -> list[str]:
    return [*_OTHER_NAMES, *_OFFERED, *names()]


def _find(name: str) -> Any:
    """The measure with this name, including derived ones such as nDCG_IA and your own."""
    if name == "__test__":
        # The worked examples are in the docstrings of the measures' functions, where doctest does not look.
        return {d.name: d.function.__doc__ or "" for d in definitions()}
    if name in _OFFERED:
        return getattr(import_module(f"{__name__}.{_OFFERED[name]}"), name)
    # Python asks for a module here before importing it, perhaps while other modules are being imported.
    is_module = find_spec(f"{__name__}.{name}") is not None
    return lookup(name) if not is_module and name in names() else None


__getattr__, __dir__ = attach(__name__, _names, _find)
