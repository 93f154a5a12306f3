"""Comparing systems: paired tests over topics with corrections for many pairs, effect sizes and intervals,
and the number of topics that an experiment needs.

Use `rankprism.compare`. It compares systems. `rankprism.meta` evaluates the measures, with the same tests.
"""

from rankprism.comparison.comparison import compare
from rankprism.comparison.result import Comparison
from rankprism.comparison.topic_differences import TopicDifferences
from rankprism.comparison.topics_needed import TopicSetSize, topic_set_size
from rankprism.statistics import CORRECTIONS, TESTS, corrected

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
