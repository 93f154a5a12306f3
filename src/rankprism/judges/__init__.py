"""What machine judgments are worth, and how few people are enough.

The functions have the names of the commands of `rankprism judges`. `agree` compares the labels of judges, and
the scores of runs by these labels, with those of people.
"""

from rankprism.judges.agreement import FamilyAgreement, LabelAgreement, RunAgreement, agree

__all__ = ["FamilyAgreement", "LabelAgreement", "RunAgreement", "agree"]
