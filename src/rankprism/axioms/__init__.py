"""Axioms: constraints that a measure may satisfy, and a search for rankings on which it violates them.

Each of the ten constraints of Amigó et al. 2018 has a module, and `properties` has more. `constraint`
defines what a constraint is. `rankings` and `bases` make the rankings that `search` tries, `shrink` makes a
counterexample smaller, and `verdict` holds the result. `proofs` has recorded arguments, and `thresholds`
finds the parameters for which a constraint holds. `table`, `story` and `page` show the results, and the
paper's table beside ours. Nothing here reads files.
"""

from rankprism.axioms.aspect_diversity import AspDiv
from rankprism.axioms.aspect_relevance import AspRel
from rankprism.axioms.closeness_threshold import CloseTh
from rankprism.axioms.confidence import Conf
from rankprism.axioms.constraint import (
    EQUAL,
    FINITE,
    IN_UNIT,
    MORE,
    NOT_LESS,
    Constraint,
    Reading,
    Relation,
    Scope,
    constraint,
    constraint_names,
    find_constraint,
)
from rankprism.axioms.deepness import Deep
from rankprism.axioms.deepness_threshold import DeepTh
from rankprism.axioms.monotonic_redundancy import MRed
from rankprism.axioms.priority import Pri
from rankprism.axioms.properties import (
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
from rankprism.axioms.rankings import Base, Instance, scores_of
from rankprism.axioms.redundancy import Red
from rankprism.axioms.saturation import Sat
from rankprism.axioms.search import examine
from rankprism.axioms.story import story
from rankprism.axioms.table import AxiomTable, axiom_table, paper_table
from rankprism.axioms.thresholds import Threshold, Thresholds, find_thresholds
from rankprism.axioms.verdict import Verdict

#: The ten constraints of Amigó et al. 2018, in the paper's order.
TEN = (Pri, Deep, DeepTh, CloseTh, Conf, AspDiv, Red, MRed, Sat, AspRel)
#: What else can be asked of a measure.
MORE_PROPERTIES = (Swap, Replace, Conv, Local, Bound, Ideal, Sym, Tail, Max1, Min0, Order, Defined)


__all__ = [
    "EQUAL",
    "FINITE",
    "IN_UNIT",
    "MORE",
    "MORE_PROPERTIES",
    "NOT_LESS",
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
    "Ideal",
    "Instance",
    "Local",
    "MRed",
    "Max1",
    "Min0",
    "Order",
    "Pri",
    "Reading",
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
    "examine",
    "find_constraint",
    "find_thresholds",
    "paper_table",
    "scores_of",
    "story",
]
