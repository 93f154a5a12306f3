"""Evaluation on many machines with Apache Spark: the extra ``spark``.

`evaluate` scores the runs in a Spark DataFrame and returns another DataFrame with a row for each score.
`means` averages such scores over topics, and `collect` brings them to the driver as `Scores`, for
`rankprism.compare` and `rankprism.meta`. All scores and means are bit for bit those of `rankprism.evaluate`.
`power` is `rankprism.meta.power` with the pairs of runs divided among the workers.

`evaluation` arranges the work on the driver, and `partition` is what a worker does with one partition.
Nothing here computes a score: each worker calls `rankprism.evaluate` for its topics.
"""

from rankprism.spark.evaluation import evaluate
from rankprism.spark.power import power
from rankprism.spark.scores import collect, means

__all__ = ["collect", "evaluate", "means", "power"]
