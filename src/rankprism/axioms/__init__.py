"""The axiom laboratory: statements that a measure may keep, and a search that tries to break it with them.

One module for each of the ten constraints of Amigó et al. 2018.
"""

from rankprism.axioms.asp_div import AspDiv
from rankprism.axioms.asp_rel import AspRel
from rankprism.axioms.close_th import CloseTh
from rankprism.axioms.conf import Conf
from rankprism.axioms.constraint import Constraint, Reading, Relation, Scope, constraint, find_constraint
from rankprism.axioms.deep import Deep
from rankprism.axioms.deep_th import DeepTh
from rankprism.axioms.m_red import MRed
from rankprism.axioms.pri import Pri
from rankprism.axioms.red import Red
from rankprism.axioms.sat import Sat
from rankprism.axioms.search import examine
from rankprism.axioms.verdict import Verdict

#: The ten constraints of Amigó et al. 2018, in the paper's order.
TEN = (Pri, Deep, DeepTh, CloseTh, Conf, AspDiv, Red, MRed, Sat, AspRel)
