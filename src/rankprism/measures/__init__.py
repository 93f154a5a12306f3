"""Measures: each a value that prints as the string it is parsed from, and a function of `Hits`.

`measure` says what a measure is and keeps the registry; `grammar` reads ``alpha_nDCG(alpha=0.25)@20``.
`single`, `graded` and `compat` have the measures of one aspect; `combine` folds them over aspects (``M_IA``,
CAM, MM); `d_measures` and `toma`, by its `distance_order`, fold the aspects first; `novelty`, `cube` and
`coverage` look at all aspects at once; `parts` and `ideal` are what they are made of, and
`bounds` says what missing judgments can make of their scores. Nothing here knows of files or runs.
"""

from rankprism.measures.combine import CAM, MM, Aspect, Contrast
from rankprism.measures.compat import Compat
from rankprism.measures.compose import compose, mix
from rankprism.measures.coverage import S_RR, Judged, S_precision, StRecall, WS_precision
from rankprism.measures.cube import ACT, CT, P_at_recall, nCT
from rankprism.measures.d_measures import (
    D_EBR,
    D_Q,
    D_RBP,
    D_iRBU,
    D_nDCG,
    D_nERR,
    DIN_nDCG,
    DINSharp_nDCG,
    DSharp_nDCG,
    DSharp_Q,
    P_plusQ,
    P_plusQSharp,
)
from rankprism.measures.declare import measure
from rankprism.measures.graded import GAP, P_plus, Q, nGAP
from rankprism.measures.grammar import parse
from rankprism.measures.measure import Bounds, Definition, Measure, definitions, lookup, names
from rankprism.measures.novelty import ERR_IA, EU, NRBP, RBU, alpha_DCG, alpha_nDCG, nERR_IA, nNRBP
from rankprism.measures.parameter import Parameter
from rankprism.measures.single import AP, DCG, ERR, RBP, RR, P, Rprec, nDCG, nERR
from rankprism.measures.toma import TOMA

__all__ = [
    "ACT",
    "AP",
    "CAM",
    "CT",
    "DCG",
    "D_EBR",
    "D_Q",
    "D_RBP",
    "ERR",
    "ERR_IA",
    "EU",
    "GAP",
    "MM",
    "NRBP",
    "RBP",
    "RBU",
    "RR",
    "S_RR",
    "TOMA",
    "Aspect",
    "Bounds",
    "Compat",
    "Contrast",
    "DINSharp_nDCG",
    "DIN_nDCG",
    "DSharp_Q",
    "DSharp_nDCG",
    "D_iRBU",
    "D_nDCG",
    "D_nERR",
    "Definition",
    "Judged",
    "Measure",
    "P",
    "P_at_recall",
    "P_plus",
    "P_plusQ",
    "P_plusQSharp",
    "Parameter",
    "Q",
    "Rprec",
    "S_precision",
    "StRecall",
    "WS_precision",
    "alpha_DCG",
    "alpha_nDCG",
    "compose",
    "lookup",
    "measure",
    "mix",
    "nCT",
    "nDCG",
    "nERR",
    "nERR_IA",
    "nGAP",
    "nNRBP",
    "names",
    "parse",
]


def __getattr__(name: str) -> Measure:
    """Derived measures such as nDCG_IA, and those of your own, import like the others."""
    if name in names():
        return lookup(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *names()})


# The worked examples live in the docstrings of the measures' functions, where doctest does not look.
__test__ = {d.name: d.function.__doc__ or "" for d in definitions()}
