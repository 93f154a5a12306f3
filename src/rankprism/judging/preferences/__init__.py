"""Evaluation from preferences: which of two documents people would rather read, alone or after another one.

The functions have the names of the commands of `rankprism preferences`. `evaluate_by` scores runs by each
assessor or profile, and `intervals` resamples assessors and topics. `describe` says what is in a set of
preferences. `strengths` gives each document a strength, and `order` the order that `Compat` reads.
`draw_profiles` draws what users care about, and `simulate` says what they would prefer, from subtopic
judgments; the three correlations are the experiments of Chandar and Carterette (2013). `select` chooses which
pair to ask next, and `plan` finds how many judgments a study needs.

The measures are in `rankprism.measures.preferences`. The value `Preferences` lives in `rankprism.data`, and
how it is read and written in `rankprism.formats`.
"""

from rankprism.lazy import published

__getattr__, __dir__ = published(__name__, __file__)
