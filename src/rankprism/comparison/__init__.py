"""Comparing systems: paired tests over topics with corrections for many pairs, effect sizes and intervals,
and the number of topics that an experiment needs.

Use `rankprism.compare`. It compares systems. `rankprism.meta` evaluates the measures, with the same tests.
"""

from rankprism.lazy import published

__getattr__, __dir__ = published(__name__, __file__)
