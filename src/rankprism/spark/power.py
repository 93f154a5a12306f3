"""Discriminative power by the bootstrap, with the pairs of runs divided among workers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa

from rankprism.data import Floats
from rankprism.evaluation import comparable
from rankprism.meta import DiscriminativePower, check_confidence, discriminative_power
from rankprism.spark.evaluation import (
    carried_to_workers,
    check_partitions,
    is_dataframe,
    to_arrow,
    usual_partitions,
)
from rankprism.spark.partition import Carried
from rankprism.spark.scores import collect
from rankprism.statistics import all_pairs, check_level, resampling
from rankprism.types import ScoresLike

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: The columns of a task's result, which has a row for each measure and pair of runs, both as numbers.
TESTED = "measure int, pair long, asl double, critical double, delta double"


def power(
    scores: DataFrame | ScoresLike,
    *,
    alpha: float = 0.05,
    resamples: int = 1000,
    seed: int = 0,
    intervals: float = 0.95,
    partitions: int | None = None,
    session: SparkSession | None = None,
) -> DiscriminativePower:
    """Compute discriminative power by the paired bootstrap, to the last bit as `rankprism.meta.power` does.

    Every task draws the same resamples of the topics and tests some of the pairs with them. This pays if
    `rankprism.meta.power` takes minutes. See docs/many-machines.md.

    Parameters
    ----------
    scores
        What `evaluate` or `collect` returned, or whatever `rankprism.read_scores` takes.
    alpha, resamples, seed, intervals
        See `rankprism.meta.power`.
    partitions
        Number of tasks among which the pairs of runs are divided. Default: Spark's setting
        ``spark.sql.shuffle.partitions``.
    session
        The Spark session to use. Default: the session of the DataFrame, or else the active session.
    """
    check_level(alpha, resamples, seed)
    check_confidence(intervals)
    check_partitions(partitions)
    session = session or _session(scores)
    local = collect(cast("DataFrame", scores)) if is_dataframe(scores) else scores
    complete = comparable(local)
    values = discriminative_power.by_measure(complete)
    tasks = min(partitions or usual_partitions(session), _blocks(values, resamples))
    carried = carried_to_workers(session, np.ascontiguousarray(values))
    numbers = session.range(0, tasks, 1, tasks)
    tested = numbers.mapInArrow(partial(_tested, carried, tasks, alpha, resamples, seed), TESTED)
    found = merged(to_arrow(tested), len(values))
    return discriminative_power.with_power(complete, found, "bootstrap", alpha, resamples, seed, intervals)


def _session(scores: Any) -> SparkSession:
    from pyspark.sql import SparkSession

    return cast(SparkSession, scores.sparkSession if is_dataframe(scores) else SparkSession.active())


def _blocks(values: Floats, resamples: int) -> int:
    """The number of blocks of pairs that the bootstrap tests, over all measures."""
    return len(values) * -(-len(all_pairs(values.shape[1])) // resampling.pairs_at_once(resamples))


def pairs_tested(
    values: Floats, part: int, parts: int, alpha: float, resamples: int, seed: int
) -> Iterator[pa.RecordBatch]:
    """Compute one of several parts of the tests, as rows of `TESTED`. A part consists of whole blocks.

    values : (measure, run, topic).
    """
    pairs, step = all_pairs(values.shape[1]), resampling.pairs_at_once(resamples)
    blocks = _blocks(values, resamples)
    of_measure = blocks // len(values)
    first, end = part * blocks // parts, (part + 1) * blocks // parts
    for m in range(first // of_measure, -(-end // of_measure)):
        start, stop = max(first - m * of_measure, 0), min(end - m * of_measure, of_measure)
        some = pairs[start * step : stop * step]
        found = discriminative_power.significance(
            values[m], some, "bootstrap", alpha, resamples, seed, np.empty(0, int), None
        )
        critical = np.full(len(some), np.nan) if found.critical is None else found.critical
        yield pa.record_batch(
            {
                "measure": pa.array(np.full(len(some), m, dtype=np.int32)),
                "pair": pa.array(np.arange(start * step, start * step + len(some))),
                "asl": pa.array(found.asl),
                "critical": pa.array(critical),
                "delta": pa.array(found.delta),
            }
        )


def _tested(
    carried: Carried[Floats],
    parts: int,
    alpha: float,
    resamples: int,
    seed: int,
    batches: Iterator[pa.RecordBatch],
) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for part in batch.column(0).to_pylist():
            yield from pairs_tested(carried.value, part, parts, alpha, resamples, seed)


def merged(rows: pa.Table, measures: int) -> list[discriminative_power.Significance]:
    """Collect the tests of each measure from the rows of all tasks, which may be in any order."""
    columns = {name: rows[name].to_numpy() for name in rows.column_names}
    order = np.lexsort((columns["pair"], columns["measure"]))
    asl, critical, delta = (
        columns[name][order].reshape(measures, -1) for name in ("asl", "critical", "delta")
    )
    return [
        discriminative_power.Significance("bootstrap", asl[m], delta[m], critical[m]) for m in range(measures)
    ]
