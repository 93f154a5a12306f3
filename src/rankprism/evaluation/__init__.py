"""From judgments and runs to scores.

`collection` has `Collection`: judgments and runs, and how they are read.
`evaluation` has `evaluate`, which begins to read files before numpy is loaded. `steps` has its two steps: it
joins runs with judgments, and scores them. `parts` divides measures by the kind of judgments that they need,
and reads these judgments. `blocks` computes the scores of all runs.
"""

from rankprism.evaluation.collection import Collection
from rankprism.evaluation.evaluation import evaluate

__all__ = ["Collection", "evaluate"]
