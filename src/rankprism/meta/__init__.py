"""Evaluating measures: how well they separate systems, whether they agree, whether they are unanimous, and
whether they follow intuition.

Nearly everything here works on `Scores` (run × topic × measure), whether computed or read from a file, and
computes no measure. There are two exceptions: disagreements print documents, and scenarios draw the grades,
the aspect weights and the lengths of rankings.
"""

from rankprism.lazy import published

__getattr__, __dir__ = published(__name__, __file__)
