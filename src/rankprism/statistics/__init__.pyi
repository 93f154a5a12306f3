from rankprism.statistics.claims import CLAIMS as CLAIMS
from rankprism.statistics.claims import enough as enough
from rankprism.statistics.corrections import CORRECTIONS as CORRECTIONS
from rankprism.statistics.corrections import NAMES_OF_CORRECTIONS as NAMES_OF_CORRECTIONS
from rankprism.statistics.corrections import corrected as corrected
from rankprism.statistics.corrections import interval_level as interval_level
from rankprism.statistics.levels import check_level as check_level
from rankprism.statistics.means import LARGEST_SCORE as LARGEST_SCORE
from rankprism.statistics.means import t_intervals as t_intervals
from rankprism.statistics.paired import Moments as Moments
from rankprism.statistics.paired import all_pairs as all_pairs
from rankprism.statistics.paired import moments as moments
from rankprism.statistics.power import smallest_difference as smallest_difference
from rankprism.statistics.power import t_power as t_power
from rankprism.statistics.power import topics_needed as topics_needed
from rankprism.statistics.ranks import rank_sets as rank_sets
from rankprism.statistics.tails import heavy_means as heavy_means
from rankprism.statistics.tests import TESTS as TESTS
from rankprism.statistics.tests import Paired as Paired
from rankprism.statistics.threads import Share as Share
from rankprism.statistics.threads import for_each as for_each
from rankprism.statistics.threads import for_each_in_order as for_each_in_order
from rankprism.statistics.threads import part_of as part_of

__all__: list[str]
