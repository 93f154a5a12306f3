"""Axioms: constraints that a measure may satisfy, and a search for rankings on which it violates them.

Each of the ten constraints of Amigó et al. 2018 has a module, and `properties` has more. `constraint`
defines what a constraint is, and `readings` finds constraints by name in a reading. `rankings` and `bases`
make the rankings that `search` tries, `shrink` makes a counterexample smaller, and `verdict` holds the
result. `proofs` has recorded arguments, and `thresholds` finds the parameters for which a constraint holds.
`table`, `story` and `page` show the results, and the paper's table beside ours. Nothing here reads files.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING

from rankprism.lazy import attach
from rankprism.meta.axioms.constraint import (
    EQUAL,
    FINITE,
    IN_UNIT,
    MORE,
    NOT_LESS,
    READINGS,
    Constraint,
    Detail,
    Relation,
    Scope,
    constraint,
    constraint_names,
    find_constraint,
    others,
    ten,
)
from rankprism.meta.axioms.rankings import Base, Instance, scores_of
from rankprism.meta.axioms.readings import read_constraints
from rankprism.meta.axioms.recorded import examine
from rankprism.meta.axioms.story import story
from rankprism.meta.axioms.table import AxiomTable, axiom_table, differs, paper_table, reading_of, sign
from rankprism.meta.axioms.thresholds import Threshold, Thresholds, find_thresholds
from rankprism.meta.axioms.verdict import SIGNS, Verdict

if TYPE_CHECKING:  # for type checkers, which cannot see what the loop below finds
    from rankprism.meta.axioms.aspect_diversity import AspDiv
    from rankprism.meta.axioms.aspect_relevance import AspRel
    from rankprism.meta.axioms.closeness_threshold import CloseTh
    from rankprism.meta.axioms.confidence import Conf
    from rankprism.meta.axioms.deepness import Deep
    from rankprism.meta.axioms.deepness_threshold import DeepTh
    from rankprism.meta.axioms.monotonic_redundancy import MRed
    from rankprism.meta.axioms.priority import Pri
    from rankprism.meta.axioms.properties import (
        Bound,
        Conv,
        Defined,
        Ideal,
        Local,
        Max1,
        Min0,
        Order,
        Replace,
        Swap,
        Sym,
        Tail,
    )
    from rankprism.meta.axioms.redundancy import Red
    from rankprism.meta.axioms.saturation import Sat

for _module in pkgutil.iter_modules(globals()["__path__"]):
    importlib.import_module(f"{__name__}.{_module.name}")

#: The ten constraints of Amigó et al. 2018, in the paper's order.
TEN = ten()
#: Further properties that a measure may have.
MORE_PROPERTIES = others()

if not TYPE_CHECKING:  # every constraint can be imported by its name, including your own
    __getattr__, __dir__ = attach(
        __name__,
        lambda: {*__all__, *constraint_names()},
        lambda name: find_constraint(name) if name in constraint_names() else None,
    )

__all__ = [
    "EQUAL",
    "FINITE",
    "IN_UNIT",
    "MORE",
    "MORE_PROPERTIES",
    "NOT_LESS",
    "READINGS",
    "SIGNS",
    "TEN",
    "AspDiv",
    "AspRel",
    "AxiomTable",
    "Base",
    "Bound",
    "CloseTh",
    "Conf",
    "Constraint",
    "Conv",
    "Deep",
    "DeepTh",
    "Defined",
    "Detail",
    "Ideal",
    "Instance",
    "Local",
    "MRed",
    "Max1",
    "Min0",
    "Order",
    "Pri",
    "Red",
    "Relation",
    "Replace",
    "Sat",
    "Scope",
    "Swap",
    "Sym",
    "Tail",
    "Threshold",
    "Thresholds",
    "Verdict",
    "axiom_table",
    "constraint",
    "constraint_names",
    "differs",
    "examine",
    "find_constraint",
    "find_thresholds",
    "paper_table",
    "read_constraints",
    "reading_of",
    "scores_of",
    "sign",
    "story",
]
