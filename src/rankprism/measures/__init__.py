"""Measures: each a value that prints as the string it is parsed from, and a function of `Hits`.

`measure` says what a measure is and keeps the registry, `parameter` what its parameters are; `declare` and
`family` have the decorators that make a measure of a function. `grammar` reads ``alpha_nDCG(alpha=0.25)@20``,
`display` writes α-nDCG@20, and `catalogue` prints what is known of each.
`single`, `graded` and `compat` have the measures of one aspect; `combine` folds them over aspects (``M_IA``,
CAM, MM); `d_measures` and `toma`, by its `distance_order`, fold the aspects first; `novelty`, `cube` and
`coverage` look at all aspects at once; `parts` and `ideal` are what they are made of, and
`bounds` says what missing judgments can make of their scores. `preferences` has the measures of preferences,
which are functions of `PreferenceHits`. Nothing here knows of files or runs.
"""

import rankprism.measures.combine
import rankprism.measures.compat
import rankprism.measures.compose
import rankprism.measures.coverage
import rankprism.measures.cube
import rankprism.measures.d_measures
import rankprism.measures.graded
import rankprism.measures.novelty
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
    """Every measure imports by its name, be it derived, such as nDCG_IA, or one of your own."""
    if name in names():
        return lookup(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *names()})


# The worked examples live in the docstrings of the measures' functions, where doctest does not look.
__test__ = {d.name: d.function.__doc__ or "" for d in definitions()}
