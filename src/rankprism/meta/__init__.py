"""Evaluating measures: how well they separate systems, whether they agree, whether they are unanimous, and
whether they follow intuition.

Everything here works on `Scores` (run × topic × measure), whether computed or read from a file. No
measure is computed, and only the printing of disagreements looks at a document.
"""

from rankprism.meta.agreement import Agreement, agreement
from rankprism.meta.correlation import COEFFICIENTS, Correlation, correlation
from rankprism.meta.disagreement import Disagreements, disagreements
from rankprism.meta.intervals import Differences
from rankprism.meta.intuitiveness import Intuitiveness, intuitiveness
from rankprism.meta.power import DiscriminativePower, discriminative_power
from rankprism.meta.stability import Stability, stability
from rankprism.meta.swap import SwapRates, swap_rates
from rankprism.meta.unanimity import Unanimity, unanimity

__all__ = [
    "COEFFICIENTS",
    "Agreement",
    "Correlation",
    "Differences",
    "Disagreements",
    "DiscriminativePower",
    "Intuitiveness",
    "Stability",
    "SwapRates",
    "Unanimity",
    "agreement",
    "correlation",
    "disagreements",
    "discriminative_power",
    "intuitiveness",
    "stability",
    "swap_rates",
    "unanimity",
]
