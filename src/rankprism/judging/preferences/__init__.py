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

from rankprism.judging.preferences.description import Description, describe
from rankprism.judging.preferences.document_order import order
from rankprism.judging.preferences.document_strengths import BradleyTerry, strengths
from rankprism.judging.preferences.experiments import (
    IncompleteCorrelation,
    MeasureCorrelation,
    ProfileCorrelation,
    incomplete_correlation,
    measure_correlation,
    profile_correlation,
)
from rankprism.judging.preferences.groups import GroupScores, evaluate_by
from rankprism.judging.preferences.rankings import Rankings, read_rankings
from rankprism.judging.preferences.score_intervals import Intervals, intervals
from rankprism.judging.preferences.selection import select
from rankprism.judging.preferences.simulation import simulate
from rankprism.judging.preferences.study import Task
from rankprism.judging.preferences.study_plan import Plan, plan
from rankprism.judging.preferences.user_profiles import Profiles, draw_profiles, read_profiles, restrict

__all__ = [
    "BradleyTerry",
    "Description",
    "GroupScores",
    "IncompleteCorrelation",
    "Intervals",
    "MeasureCorrelation",
    "Plan",
    "ProfileCorrelation",
    "Profiles",
    "Rankings",
    "Task",
    "describe",
    "draw_profiles",
    "evaluate_by",
    "incomplete_correlation",
    "intervals",
    "measure_correlation",
    "order",
    "plan",
    "profile_correlation",
    "read_profiles",
    "read_rankings",
    "restrict",
    "select",
    "simulate",
    "strengths",
]
