from rankprism.judging.aspects import approaches as approaches
from rankprism.judging.aspects.approaches import ApproachComparison as ApproachComparison
from rankprism.judging.aspects.approaches import compare as compare
from rankprism.judging.aspects.ideal_rankings import Attainable as Attainable
from rankprism.judging.aspects.ideal_rankings import attainable as attainable
from rankprism.judging.aspects.label_counts import LabelCounts as LabelCounts
from rankprism.judging.aspects.label_counts import labels as labels
from rankprism.judging.aspects.label_order import LabelOrder as LabelOrder
from rankprism.judging.aspects.label_order import LabelOrders as LabelOrders
from rankprism.judging.aspects.label_order import order as order
from rankprism.judging.aspects.label_order import orders as orders
from rankprism.measures.distances import distance as distance

__all__: list[str]
