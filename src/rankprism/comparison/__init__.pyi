from rankprism.comparison import margins as margins
from rankprism.comparison.comparison import compare as compare
from rankprism.comparison.result import Comparison as Comparison
from rankprism.comparison.topic_differences import TopicDifferences as TopicDifferences
from rankprism.comparison.topics_needed import TopicSetSize as TopicSetSize
from rankprism.comparison.topics_needed import topic_set_size as topic_set_size
from rankprism.statistics import CORRECTIONS as CORRECTIONS
from rankprism.statistics import TESTS as TESTS
from rankprism.statistics import corrected as corrected

__all__: list[str]
