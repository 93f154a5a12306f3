"""From judgments and runs to scores.

`evaluation` has `evaluate`, which leads through all steps. `parts` divides measures by the kind of judgments
that they need, and reads these judgments. `blocks` computes the scores of all runs.
"""

from rankprism.evaluation.evaluation import OF_ANSWERS, evaluate, parsed
from rankprism.evaluation.parts import answers_as_runs, parts_by_kind

__all__ = ["OF_ANSWERS", "answers_as_runs", "evaluate", "parsed", "parts_by_kind"]
