"""What machine judgments are worth, and how few people are enough.

The functions have the names of the commands of `rankprism judges`. `agree` compares the labels of judges, and
the scores of runs by these labels, with those of people. `drift` compares two versions of judges on the same
labels of people. `score` estimates the scores that complete
judgments by people would give, from all labels of judges and few labels of people. `select` draws the
documents that people should judge. `prefer` shows what the preferences of judges depend on, and `strengths`
estimates how strong systems are from many preferences of judges and few of people.
"""

from rankprism.judging.judges import drawn, labels
from rankprism.judging.judges.agreement import agree
from rankprism.judging.judges.agreement_result import FamilyAgreement, LabelAgreement, RunAgreement
from rankprism.judging.judges.drift import Change, Drift, drift
from rankprism.judging.judges.preferring import prefer
from rankprism.judging.judges.preferring_result import JudgePreferences
from rankprism.judging.judges.scoring import EstimatedDifferences, EstimatedScores, score
from rankprism.judging.judges.selection import Selection, select
from rankprism.judging.judges.system_strengths import JudgedStrengths, strengths

__all__ = [
    "Change",
    "Drift",
    "EstimatedDifferences",
    "EstimatedScores",
    "FamilyAgreement",
    "JudgePreferences",
    "JudgedStrengths",
    "LabelAgreement",
    "RunAgreement",
    "Selection",
    "agree",
    "drawn",
    "drift",
    "labels",
    "prefer",
    "score",
    "select",
    "strengths",
]
