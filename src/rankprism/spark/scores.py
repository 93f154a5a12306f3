"""Averages scores in Spark DataFrames, and brings them to the driver."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc

from rankprism.errors import InputError, listed
from rankprism.results import Scores, as_listed
from rankprism.spark.evaluation import METADATA, is_dataframe, to_arrow
from rankprism.spark.refusals import refused

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_COLUMNS = ("run", "topic", "measure", "score")


def means(scores: DataFrame, by: Sequence[str] = ()) -> DataFrame:
    """Average the scores of each run by each measure over topics, with the same bits as `Scores.means`.

    The result has the columns run, then `by`, measure, mean and topics, which is the number of topics.

    Parameters
    ----------
    scores
        What `evaluate` returned. It may have more columns.
    by
        Additional columns to group by, so that each mean is over the topics of a group. Default: none.
    """
    from pyspark.sql import functions as F

    keys = ["run", *by, "measure"]
    _check(scores, (*_COLUMNS, *by))
    # The last bit of a sum depends on its order, so the scores are added in the order of the topics.
    score = F.struct(*_place(F.col("topic")), F.col("score").alias("score"))
    in_order = F.array_sort(F.collect_list(score))
    total = F.aggregate("scores", F.lit(0.0), lambda sum, one: sum + one["score"])
    return (
        scores.groupBy(*keys)
        .agg(in_order.alias("scores"))
        .select(*keys, (total / F.size("scores")).alias("mean"), F.size("scores").alias("topics"))
    )


def _place(topic: Column) -> list[Column]:
    """The sort key of a topic: `as_listed`, written for Spark."""
    from pyspark.sql import functions as F

    is_number = topic.rlike("^[0-9]{1,999}$")
    digits = F.regexp_replace(topic, "^0+", "")
    return [
        (~is_number).alias("word"),
        F.when(is_number, F.length(digits)).otherwise(0).alias("length"),
        F.when(is_number, digits).otherwise("").alias("digits"),
        topic.alias("topic"),
    ]


def collect(scores: DataFrame) -> Scores:
    """Bring scores to the driver, for `rankprism.compare`, `rankprism.meta` and plots.

    Parameters
    ----------
    scores
        What `evaluate` returned, or some of its rows. A missing score is NaN. Runs are sorted by name, and
        topics as `rankprism.evaluate` sorts them.
    """
    _check(scores, _COLUMNS)
    about = _about(scores)
    with refused():
        table = to_arrow(scores.select(*_COLUMNS))
    if not len(table):
        raise InputError("there are no scores in the DataFrame; check the filters")
    columns = {name: table[name].dictionary_encode().combine_chunks() for name in _COLUMNS[:3]}
    found = {name: column.dictionary.to_pylist() for name, column in columns.items()}
    given = {measure: place for place, measure in enumerate(about.get("measures", ()))}
    axes = {
        "run": sorted(found["run"]),
        "topic": sorted(found["topic"], key=as_listed),
        "measure": sorted(found["measure"], key=lambda measure: (given.get(measure, len(given)), measure)),
    }
    places = []
    for name, column in columns.items():
        number = {value: place for place, value in enumerate(axes[name])}
        places.append(np.array([number[value] for value in found[name]])[column.indices.to_numpy()])
    shape = tuple(len(axis) for axis in axes.values())
    flat = np.ravel_multi_index(tuple(places), shape)
    if len(np.unique(flat)) < len(flat):
        order = np.argsort(flat, kind="stable")
        r, t, m = (axis[order[1:][np.diff(flat[order]) == 0][0]] for axis in places)
        raise InputError(
            f"run {axes['run'][r]!r} has two scores on topic {axes['topic'][t]!r} by {axes['measure'][m]}; "
            f"keep one of them"
        )
    values = np.full(shape, np.nan)
    values.ravel()[flat] = pc.cast(table["score"], "double").to_numpy()
    return Scores(
        tuple(axes["run"]), tuple(axes["topic"]), tuple(axes["measure"]), values, about.get("conventions", {})
    )


def _check(scores: Any, columns: Sequence[str]) -> None:
    if not is_dataframe(scores):
        raise InputError(f"scores must be a Spark DataFrame; got {type(scores).__name__}")
    for column in columns:
        if column not in scores.columns:
            raise InputError(f"scores: no column {column!r} among {listed(scores.columns)}")


def _about(scores: DataFrame) -> dict[str, Any]:
    """The measures and conventions of the scores, which `evaluate` wrote into the metadata of a column."""
    written = scores.schema["measure"].metadata.get(METADATA)
    return json.loads(written) if written else {}
