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
"""

import rankprism.measures.combine
import rankprism.measures.compat
import rankprism.measures.compose
import rankprism.measures.coverage
import rankprism.measures.cube
import rankprism.measures.d_measures
import rankprism.measures.graded
import rankprism.measures.incomplete
import rankprism.measures.novelty
import rankprism.measures.nuggets
import rankprism.measures.preferences.precision
import rankprism.measures.preferences.prf
import rankprism.measures.preferences.trec_prefs
import rankprism.measures.single
import rankprism.measures.toma  # noqa: F401 (the modules register their measures)
from rankprism.measures.compose import compose, mix
from rankprism.measures.declare import measure
from rankprism.measures.grammar import parse
from rankprism.measures.measure import Bounds, Definition, Measure, definitions, lookup, names
from rankprism.measures.parameter import Parameter

__all__ = [
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
]
__all__ += names()


def __getattr__(name: str) -> Measure:
    """Import a measure by its name, including derived ones such as nDCG_IA and those of your own."""
    if name in names():
        return lookup(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *names()})


# The worked examples are in the docstrings of the measures' functions, where doctest does not look.
__test__ = {d.name: d.function.__doc__ or "" for d in definitions()}
