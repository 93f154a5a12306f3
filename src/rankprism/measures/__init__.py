"""Measures. A measure is a value that prints as the string from which it is parsed, and a function of `Hits`.

`measure` defines what a measure is and keeps the registry, and `parameter` defines what its parameters are.
`declare` and `family` have the decorators that turn a function into a measure. `grammar` reads
``alpha_nDCG(alpha=0.25)@20``, `display` writes α-nDCG@20, and `catalogue` writes the page of each measure.

`single`, `graded`, `incomplete` and `compat` have the measures of one aspect. `combine` combines their
scores over aspects (``M_IA``, CAM, MM). `d_measures` and `toma`, which uses `distance_order`, combine the
aspects of each document first. `novelty`, `cube`, `coverage` and `nuggets` have the measures of all aspects
together. `parts` and `ideal` are what measures are made of, and `bounds` computes how far missing judgments
could change a score. `preferences` has the measures of preferences, which are functions of `PreferenceHits`.
Nothing here knows about files or runs.

The modules that have measures are listed in `measure` and loaded when a name is looked for.
"""

from importlib.util import find_spec
from typing import Any

from rankprism.lazy import attach

# `compose` loads the novelty measures. ERR_IA, which is one of them, must be known before ERR is.
from rankprism.measures.compose import compose as compose
from rankprism.measures.compose import mix as mix
from rankprism.measures.declare import measure as measure
from rankprism.measures.grammar import parse as parse
from rankprism.measures.measure import Bounds as Bounds
from rankprism.measures.measure import Definition as Definition
from rankprism.measures.measure import Measure as Measure
from rankprism.measures.measure import definitions as definitions
from rankprism.measures.measure import lookup as lookup
from rankprism.measures.measure import names as names
from rankprism.measures.parameter import Parameter as Parameter

_OTHER_NAMES = (
    "Bounds",
    "Definition",
    "Measure",
    "Parameter",
    "compose",
    "definitions",
    "lookup",
    "measure",
    "mix",
    "names",
    "parse",
)


def _names() -> list[str]:
    return [*_OTHER_NAMES, *names()]


def _find(name: str) -> Any:
    """A measure by its name, including derived ones such as nDCG_IA and those of your own."""
    if name == "__test__":
        # The worked examples are in the docstrings of the measures' functions, where doctest does not look.
        return {d.name: d.function.__doc__ or "" for d in definitions()}
    # Python asks for a module here before it imports it, and a module may be imported while others still are.
    is_module = find_spec(f"{__name__}.{name}") is not None
    return lookup(name) if not is_module and name in names() else None


__getattr__, __dir__ = attach(__name__, _names, _find)
