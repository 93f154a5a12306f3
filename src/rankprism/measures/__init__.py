"""Measures: each a value that prints as the string it is parsed from, and a function of `Hits`.

`measure` says what a measure is and keeps the registry; `grammar` reads ``alpha_nDCG(alpha=0.25)@20``.
`single` has the measures of one aspect, `combine` folds them over aspects (``M_IA``), `novelty` and
`coverage` look at all aspects at once; `parts` and `ideal` are what they are made of. Nothing here
knows of files or runs.
"""

from rankprism.measures.coverage import StRecall
from rankprism.measures.grammar import parse
from rankprism.measures.measure import Definition, Measure, Parameter, lookup, measure, names
from rankprism.measures.novelty import ERR_IA, NRBP, alpha_DCG, alpha_nDCG, nERR_IA, nNRBP
from rankprism.measures.single import AP, ERR, RBP, RR, P, nDCG

P_IA, AP_IA = lookup("P_IA"), lookup("AP_IA")

__all__ = [
    "AP",
    "AP_IA",
    "ERR",
    "ERR_IA",
    "NRBP",
    "P_IA",
    "RBP",
    "RR",
    "Definition",
    "Measure",
    "P",
    "Parameter",
    "StRecall",
    "alpha_DCG",
    "alpha_nDCG",
    "lookup",
    "measure",
    "nDCG",
    "nERR_IA",
    "nNRBP",
    "names",
    "parse",
]

# The worked examples live in the docstrings of the measures' functions, where doctest does not look.
__test__ = {name: lookup(name).definition.function.__doc__ or "" for name in names()}
