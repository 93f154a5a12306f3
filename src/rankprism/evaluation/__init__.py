"""From judgments and runs to scores.

`evaluation` has `evaluate`, which begins to read files before numpy is loaded. `steps` has its two steps: it
joins runs with judgments, and scores them. `parts` divides measures by the kind of judgments that they need,
and reads these judgments. `blocks` computes the scores of all runs.
"""

from rankprism.evaluation.evaluation import evaluate

__all__ = ["evaluate"]
