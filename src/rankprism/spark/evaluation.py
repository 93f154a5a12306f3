"""The driver's work: it arranges judgments and runs so that each worker has all that it needs.

`spark/evaluation.py` arranges rows so that a worker has all it needs, and `spark/partition.py` is a pure
function from the rows of a partition to scores, which tests call without Spark. Rows are partitioned by
topic and not by run, for three reasons: the ideal ranking of a topic is made once, a worker parses the
judgments of its own topics only, and the block of runs and topics that it evaluates has no holes. Each
judged topic has a row without a run, so that topics that no run has are scored as well. An earlier job
finds the names of the runs, so that a worker knows which runs lack a topic. Errors travel as text:
`spark/refusals.py` finds the message of a worker in the error of Spark.

`spark/power.py` divides the pairs of runs among tasks, at the borders of the blocks in which the
bootstrap works on them anyway. The matrix products of a task are therefore the same as in the local
computation, and so are the bits.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar, Unpack, cast

import pyarrow as pa

from rankprism.data import Judgments
from rankprism.errors import InputError, MeasureError, check_whole
from rankprism.evaluation import Collection, collected
from rankprism.formats import ONLY_ASPECT, spellings
from rankprism.measures import parse_all
from rankprism.results import measured
from rankprism.spark.partition import (
    ROWS,
    SCORES,
    Carried,
    Packed,
    Task,
    pack,
    score_partition,
    unpacked,
)
from rankprism.spark.refusals import refused
from rankprism.types import CollectionOptions, JudgmentsLike, MeasuresLike, Order

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

Value = TypeVar("Value")

#: By default, judgments in a DataFrame with more rows are not broadcast.
MOST_BROADCAST = 5_000_000
#: The options that say how judgments are read.
OF_JUDGMENTS = ("weights", "aspects", "qrels_format")
#: The metadata key of the column `measure` under which the conventions of the scores are kept.
METADATA = "rankprism"
#: The types that columns of ids and numbers may have, by Spark's names.
_IDS = ("string", "byte", "short", "integer", "long")
_NUMBERS = ("byte", "short", "integer", "long", "float", "double", "decimal")


def evaluate(
    judgments: JudgmentsLike | DataFrame | Collection,
    runs: DataFrame,
    measures: MeasuresLike,
    *,
    broadcast: bool | None = None,
    partitions: int | None = None,
    **options: Unpack[CollectionOptions],
) -> DataFrame:
    """Score the runs in a Spark DataFrame. The result has the columns run, topic, measure and score.

    One job collects the names of the runs right away. The scores are computed when the result is used. Each
    score has the same bits as in `rankprism.evaluate`, whatever the number and order of the partitions.
    Notes about runs are not issued. See docs/many-machines.md.

    Parameters
    ----------
    judgments
        A Spark DataFrame with the columns topic, doc, grade and, if there are several aspects, aspect; or
        whatever `rankprism.read_judgments` takes, or a `Collection` without runs.
    runs
        A Spark DataFrame with the columns run, topic, doc, score and, for order="rank", rank. Other common
        column names work, too, e.g. qid and docno. Without a column of runs, all rows belong to one run,
        which is called "run".
    measures
        See `rankprism.evaluate`. Measures that need preferences are refused.
    broadcast
        True sends all judgments to every worker. False divides the judgments among the workers by topic, as
        the runs are; it is for a DataFrame of judgments, without `weights` and `aspects`. Default:
        judgments are divided if they are a DataFrame of more than 5,000,000 rows.
    partitions
        Number of partitions into which the rows are divided. Default: Spark's setting
        ``spark.sql.shuffle.partitions``, and Spark may join small partitions.
    **options
        weights, aspects, qrels_format, topics, order, duplicates and run_depth, as for `rankprism.evaluate`.
        The rows of a DataFrame have no order, so order="input" is refused.
    """
    how = _how(judgments, options)
    reading, topics, order = how.reading, how.options.topics, how.reading.order
    chosen = tuple(parse_all(measures))
    for measure in chosen:
        if measure.needs != "judgments":
            raise MeasureError(
                f"{measure} needs {measure.needs}, which are not evaluated on Spark; use rankprism.evaluate"
            )
    if order == "input":
        raise InputError('the rows of a Spark DataFrame have no order; use order="score" or "rank"')
    check_partitions(partitions)
    ranked = _ranked(runs, order)
    session = runs.sparkSession
    described = options.get("weights") is not None or options.get("aspects") is not None
    divided = _is_divided(judgments, broadcast, described)
    wanted = partitions or usual_partitions(session)
    read = None if divided else _read(judgments, options)
    judged = _divided(cast("DataFrame", judgments)) if read is None else _broadcast(session, read, wanted)

    names = _names(ranked, judged)
    task = Task(chosen, names, judged.shares, topics, reading, judged.carried, judged.key)
    rows = _with_share(ranked, judged.shares).unionByName(judged.rows)
    keys = ["topic", "share"] if judged.shares > 1 else ["topic"]
    rows = rows.repartition(*keys) if partitions is None else rows.repartition(partitions, *keys)
    scores = rows.mapInArrow(partial(score_partition, task), SCORES)
    direction = measured(chosen, {} if read is None else read.lower_is_better)
    conventions = {**reading.settings, "topics": topics, **judged.conventions, "direction": direction}
    about = {"measures": [*map(str, chosen)], "conventions": conventions}
    return scores.withMetadata("measure", {METADATA: json.dumps(about)})


@dataclass(frozen=True, eq=False)
class _Judged:
    """Judgments on their way to the workers."""

    rows: DataFrame  #: the judgments, or a row for each judged topic and share of the runs
    topics: DataFrame  #: the judged topics, once each
    source: str
    first: str | None  #: the first judged topic, if it is known
    shares: int
    carried: Carried[Packed] | None
    key: str
    conventions: dict[str, Any]


def is_dataframe(source: Any) -> bool:
    """Whether the source is a DataFrame of Spark or of Spark Connect."""
    return type(source).__module__.startswith("pyspark.") and hasattr(source, "mapInArrow")


def to_arrow(frame: DataFrame) -> pa.Table:
    """Collect all rows of a Spark DataFrame."""
    if hasattr(frame, "toArrow"):
        return frame.toArrow()
    return pa.Table.from_pandas(frame.toPandas(), preserve_index=False)  # before Spark 4


def check_partitions(partitions: int | None) -> None:
    """Refuse an invalid number of partitions."""
    if partitions is not None:
        check_whole("partitions", partitions, 1)


def usual_partitions(session: SparkSession) -> int:
    """Spark's setting, or 200 if it is a word such as "auto" because the cluster chooses the number."""
    setting = str(session.conf.get("spark.sql.shuffle.partitions", "200"))
    return int(setting) if setting.isdigit() else 200


@dataclass(frozen=True, eq=False)
class _Enclosed(Generic[Value]):
    """A value that Spark sends with every task, because Spark Connect has no broadcast variables."""

    value: Value


def carried_to_workers(session: SparkSession, value: Value) -> Carried[Value]:
    """Make a value available to the tasks of a job."""
    try:
        context = session.sparkContext
    except Exception:  # each version of Spark Connect has its own error
        return _Enclosed(value)
    return cast(Carried[Value], context.broadcast(value))


def _is_divided(judgments: Any, broadcast: bool | None, described: bool) -> bool:
    if not is_dataframe(judgments):
        if broadcast is False:
            raise InputError("broadcast=False is for judgments in a Spark DataFrame; leave it out")
        return False
    if described:
        if broadcast is False:
            raise InputError("broadcast=False is for judgments without weights= and aspects=; leave it out")
        return False
    if broadcast is not None:
        return not broadcast
    return int(judgments.count()) > MOST_BROADCAST


def _ranked(runs: DataFrame, order: Order) -> DataFrame:
    """The rows of the runs, with our column names and types."""
    from pyspark.sql import functions as F

    if not is_dataframe(runs):
        raise InputError(
            f"runs must be a Spark DataFrame; got {type(runs).__name__}. Use rankprism.evaluate for that"
        )
    columns = spellings.spelled(runs.columns, *spellings.RUN_COLUMNS, "runs")
    if order == "rank" and "rank" not in columns:
        raise InputError("runs: has no ranks to order by; use order='score'")
    rank = _number(runs, columns["rank"], "runs") if order == "rank" else F.lit(None).cast("double")
    return runs.select(
        (_id(runs, columns["run"], "runs") if "run" in columns else F.lit("run")).alias("run"),
        _id(runs, columns["topic"], "runs").alias("topic"),
        F.lit(None).cast("string").alias("aspect"),
        _id(runs, columns["document"], "runs").alias("doc"),
        _number(runs, columns["score"], "runs").alias("number"),
        rank.alias("rank"),
    )


def _id(frame: DataFrame, column: str, what: str) -> Column:
    kind = frame.schema[column].dataType.typeName()
    if kind not in _IDS:
        raise InputError(
            f"{what}: the column {column!r} is of type {kind}; ids are strings or whole numbers: "
            f"cast it to a string"
        )
    return frame[_quoted(column)].cast("string")


def _number(frame: DataFrame, column: str, what: str) -> Column:
    kind = frame.schema[column].dataType.typeName()
    if kind not in _NUMBERS:
        raise InputError(
            f"{what}: the column {column!r} is of type {kind}; expected numbers: cast it to double"
        )
    return frame[_quoted(column)].cast("double")


def _quoted(column: str) -> str:
    """Quote the name of a column, because Spark takes a dot for access to a field of a struct."""
    return "`" + column.replace("`", "``") + "`"


def _with_share(ranked: DataFrame, shares: int) -> DataFrame:
    from pyspark.sql import functions as F

    share = F.pmod(F.crc32(F.col("run").cast("binary")), F.lit(shares)) if shares > 1 else F.lit(0)
    return ranked.withColumn("share", share.cast("int"))


def _how(judgments: Any, options: CollectionOptions) -> Collection:
    """How judgments and runs are read. Options of what Spark does not read are refused."""
    for name in ("preferences", "preferences_format", "run_format", "threads"):
        if options.get(name) is not None:
            raise InputError(f"{name} has no effect on Spark, which reads the runs itself; leave it out")
    if not isinstance(judgments, Collection):
        of_runs = {name: value for name, value in options.items() if name not in OF_JUDGMENTS}
        return Collection.of(None, **cast(CollectionOptions, of_runs))
    if judgments.sources:
        raise TypeError("runs is part of a Collection; make one without runs, and pass their DataFrame")
    return collected(judgments, without_runs=True, **options)


def _read(judgments: Any, options: CollectionOptions) -> Judgments:
    """Read judgments on the driver."""
    if not is_dataframe(judgments):
        return collected(judgments, without_runs=True, **options).judgments
    with refused():
        return Collection.of(to_arrow(judgments), **options).judgments


def _broadcast(session: SparkSession, judgments: Judgments, partitions: int) -> _Judged:
    """Send judgments to every worker. If there are fewer topics than partitions, also divide the runs."""
    key = uuid.uuid4().hex
    packed = pack(judgments, key)
    carried = carried_to_workers(session, packed)
    count = len(judgments.topics)
    shares = max(1, partitions // count)
    numbers = session.range(0, count * shares, 1, max(1, count * shares // 100_000))
    rows = numbers.mapInArrow(partial(_topic_rows, carried, key, shares), ROWS)
    return _Judged(
        rows,
        rows.select("topic").distinct(),
        judgments.source,
        judgments.topics[0],
        shares,
        carried,
        key,
        {
            "aspect weights": "uniform" if judgments.weights is None else "given",
            "aspects without relevant documents": "left out" if judgments.counted is None else "count",
        },
    )


def _topic_rows(
    carried: Carried[Packed], key: str, shares: int, batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Make a row for each judged topic and share of the runs, so that topics that no run has are scored."""
    topics = unpacked(carried, key).topics
    for batch in batches:
        numbers = batch.column(0).to_pylist()
        columns: dict[str, Any] = {
            "run": pa.nulls(len(batch), pa.string()),
            "topic": pa.array([topics[number // shares] for number in numbers], pa.string()),
            "aspect": pa.nulls(len(batch), pa.string()),
            "doc": pa.nulls(len(batch), pa.string()),
            "number": pa.nulls(len(batch), pa.float64()),
            "rank": pa.nulls(len(batch), pa.float64()),
            "share": pa.array([number % shares for number in numbers], pa.int32()),
        }
        yield pa.record_batch(columns)


def _divided(judgments: DataFrame) -> _Judged:
    """Send judgments to the workers by topic, as rows among the rows of the runs."""
    from pyspark.sql import functions as F

    columns = spellings.spelled(judgments.columns, *spellings.JUDGMENT_COLUMNS, "judgments")
    aspect = _id(judgments, columns["aspect"], "judgments") if "aspect" in columns else F.lit(ONLY_ASPECT)
    rows = judgments.select(
        F.lit(None).cast("string").alias("run"),
        _id(judgments, columns["topic"], "judgments").alias("topic"),
        aspect.alias("aspect"),
        _id(judgments, columns["document"], "judgments").alias("doc"),
        _number(judgments, columns["grade"], "judgments").alias("number"),
        F.lit(None).cast("double").alias("rank"),
        F.lit(0).alias("share"),
    )
    topics = rows.select("topic").distinct()
    conventions = {"aspect weights": "uniform", "aspects without relevant documents": "left out"}
    return _Judged(rows, topics, "judgments", None, 1, None, "", conventions)


def _names(ranked: DataFrame, judged: _Judged) -> tuple[str, ...]:
    """The names of the runs, each of which must have a judged topic."""
    from pyspark.sql import functions as F

    topics = judged.topics.withColumn("judged", F.lit(1))
    pairs = ranked.select("run", "topic").distinct()
    with refused():
        found = (
            pairs.join(F.broadcast(topics) if judged.carried is not None else topics, "topic", "left")
            .groupBy("run")
            .agg(F.max("judged").alias("judged"), F.min("topic").alias("topic"))
            .collect()
        )
    if not found:
        raise InputError("runs: the DataFrame has no rows; pass at least one")
    for row in found:
        if not row["run"]:
            raise InputError(f"runs: a run cannot be named {row['run']!r}; names are non-empty strings")
    for row in sorted(found):
        if row["judged"] is None:
            first = judged.first or judged.topics.agg(F.min("topic")).collect()[0][0]
            raise InputError(
                f"{row['run']}: shares no topic with {judged.source}: its topics are like {row['topic']!r}, "
                f"the judged ones like {first!r}; check that both belong to one collection and spell their "
                f"topics alike"
            )
    return tuple(sorted(row["run"] for row in found))
