"""Analyses of multi-aspect evaluation (Maistro et al. 2021): the order of label tuples, the frequency of each
label, the scores that CAM and MM can reach, and how CAM, MM, TOMA and others differ on a collection.

The measures themselves (`TOMA`, `CAM`, `MM`, `Aspect`, `Compat`) are in `rankprism.measures`, the scales in
`rankprism.data.scales`, the readers in `rankprism.formats.aspects.reading`.
"""

from rankprism.judging.aspects.approaches import ApproachComparison, compare
from rankprism.judging.aspects.ideal_rankings import Attainable, attainable
from rankprism.judging.aspects.label_counts import LabelCounts, labels
from rankprism.judging.aspects.label_order import LabelOrder, LabelOrders, order, orders
from rankprism.measures.distances import distance

__all__ = [
    "ApproachComparison",
    "Attainable",
    "LabelCounts",
    "LabelOrder",
    "LabelOrders",
    "attainable",
    "compare",
    "distance",
    "labels",
    "order",
    "orders",
]
