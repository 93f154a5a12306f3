"""Evaluating measures: how well they separate systems, whether they agree, whether they are unanimous, and
whether they follow intuition.

Nearly everything here works on `Scores` (run × topic × measure), whether computed or read from a file, and
computes no measure. There are two exceptions: disagreements print documents, and scenarios draw the grades,
the aspect weights and the lengths of rankings.
"""

from rankprism.meta.agreed_pairs import Agreement, agreement
from rankprism.meta.concordance import Intuitiveness, intuitiveness
from rankprism.meta.disagreeing_lists import Disagreements, disagreement
from rankprism.meta.discriminative_power import METHODS, DiscriminativePower, power
from rankprism.meta.drawn_scenarios import Scenarios, scenarios
from rankprism.meta.intervals import Differences
from rankprism.meta.metric_unanimity import Unanimity, unanimity
from rankprism.meta.power_growth import Stability, stability
from rankprism.meta.rank_correlation import COEFFICIENTS, Correlation, correlation
from rankprism.meta.swap_method import SwapRates, swap

__all__ = [
    "COEFFICIENTS",
    "METHODS",
    "Agreement",
    "Correlation",
    "Differences",
    "Disagreements",
    "DiscriminativePower",
    "Intuitiveness",
    "Scenarios",
    "Stability",
    "SwapRates",
    "Unanimity",
    "agreement",
    "correlation",
    "disagreement",
    "intuitiveness",
    "power",
    "scenarios",
    "stability",
    "swap",
    "unanimity",
]
