"""Comparing systems: paired tests over topics, corrections for many of them, effect sizes, intervals,
and how many topics an experiment needs.

`rankprism.compare` is the way in. What is compared are the systems; the measures themselves are
evaluated in `rankprism.meta`, with the same tests.
"""

from rankprism.comparison.comparison import TESTS, Comparison, TopicDifferences, compare
from rankprism.comparison.topics_needed import TopicSetSize, topic_set_size
from rankprism.statistics.corrections import CORRECTIONS, corrected

__all__ = [
    "CORRECTIONS",
    "TESTS",
    "Comparison",
    "TopicDifferences",
    "TopicSetSize",
    "compare",
    "corrected",
    "topic_set_size",
]
