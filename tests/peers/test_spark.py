"""Evaluation with Spark gives the bits of local evaluation, on a real cluster of two small executors."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankprism
from rankprism import InputError, MeasureError, Run, Scores, measures, sample
from rankprism.data.reading import Reading
from rankprism.measures.registry import modules
from tests.support.machine import required

pa = pytest.importorskip("pyarrow")
pytest.importorskip("pyspark")
pq = pytest.importorskip("pyarrow.parquet")

from rankprism import spark  # noqa: E402 (it needs pyarrow)
from rankprism.evaluation.scoring import comparable  # noqa: E402
from rankprism.meta.discriminative_power import (  # noqa: E402
    DiscriminativePower,
    by_measure,
    with_power,
)
from rankprism.spark.partition import Packed, Task, pack, score_partition, share_of  # noqa: E402
from rankprism.spark.power import merged, pairs_tested  # noqa: E402
from rankprism.types import Order, Topics  # noqa: E402

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [
    # Official runs lack topics or have others, and PySpark has warnings of its own.
    pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

MEASURES = ["alpha_nDCG@10", "ERR_IA@20", "nDCG@10", "AP", "P@5", "RBU@10", "nDCG_IA@5"]
#: (run, topic, document, score)
Rows = list[tuple[str, str, str, float]]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A cluster of two executors with one core each, all on this machine."""
    if os.name == "nt":
        pytest.skip("a cluster of Spark on Windows needs programs of Hadoop")
    if shutil.which("java") is None:
        required("java", "Java is not there: apt-get install openjdk-17-jre-headless")
    import pyspark
    from pyspark.sql import SparkSession

    # Executors write into the folder `work` of Spark, which is in site-packages otherwise.
    folder = tmp_path_factory.mktemp("spark")
    for entry in Path(pyspark.__file__).parent.iterdir():
        if entry.name != "work":
            (folder / entry.name).symlink_to(entry)
    java = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # quick to start, because the tests are short
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.extraJavaOptions": java,
        "spark.executor.extraJavaOptions": java,
        "spark.executorEnv.PYTHONPATH": str(Path(rankprism.__file__).parents[1]),
        "spark.local.dir": str(folder / "local"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.sql.shuffle.partitions": "3",
        "spark.sql.codegen.wholeStage": "false",  # compiling takes longer than running
        "spark.sql.execution.arrow.maxRecordsPerBatch": "1000",
        "spark.task.maxFailures": "2",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
    }
    environment = {
        "SPARK_HOME": str(folder),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_HOSTNAME": "localhost",
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("rankprism")
        for name, value in settings.items():
            builder = builder.config(name, value)
        opened = builder.getOrCreate()
        yield opened
        gateway = opened.sparkContext._gateway
        opened.stop()
        # The JVM ends when its standard input is closed.
        if gateway is not None:
            gateway.shutdown()
            gateway.proc.stdin.close()
            gateway.proc.wait(timeout=60)


Frames = Callable[[dict[str, list[Any]]], "DataFrame"]


@pytest.fixture
def frame(session: SparkSession, tmp_path: Path) -> Frames:
    """Columns as a Spark DataFrame, read from several Parquet files."""

    def make(columns: dict[str, list[Any]], parts: int = 3) -> DataFrame:
        table = pa.table(columns)
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        size = max(1, -(-len(table) // parts))
        for part in range(parts):
            pq.write_table(table.slice(part * size, size), folder / f"{part}.parquet")
        return session.read.parquet(str(folder))

    return make


def run_columns(rows: Iterable[tuple[Any, ...]]) -> dict[str, list[Any]]:
    run, topic, doc, score = (list(column) for column in zip(*rows, strict=True))
    return {"run": run, "qid": topic, "docno": doc, "score": score}


def by_run(rows: Iterable[tuple[Any, ...]]) -> dict[str, Run]:
    """The same rows for `rankprism.evaluate`."""
    runs: dict[str, list[Any]] = {}
    for run, *row in rows:
        runs.setdefault(run, []).append(tuple(row))
    return {run: rankprism.read_run(runs[run], name=run) for run in sorted(runs)}


def rows_of(paths: Iterable[Path]) -> Rows:
    rows: Rows = []
    for path in paths:
        run = rankprism.read_run(path)
        topics, docs, scores, _ = run.table.columns()
        rows += zip([run.name] * len(run), topics, docs, scores.tolist(), strict=True)
    return rows


def judgment_columns(judgments: Any) -> dict[str, list[Any]]:
    topic, aspect, doc, grade = rankprism.read_judgments(judgments).table.columns()
    return {"topic": topic, "subtopic": aspect, "doc_id": doc, "rel": grade.tolist()}


def assert_same(found: Scores, expected: Scores) -> None:
    """Equal to the last bit, with NaN in the same places."""
    assert found.runs == expected.runs
    assert found.topics == expected.topics
    assert found.measures == expected.measures
    assert found.values.tobytes() == expected.values.tobytes()


def random_collection(seed: int, topics: int = 30, runs: int = 6) -> tuple[dict[str, Any], Rows]:
    """Judgments and rows. Some topics have no ranking, some no judgments, and one has most of the rows."""
    draw = random.Random(seed)
    names = [str(number) for number in range(1, topics)] + ["named"]
    judgments = {
        topic: {
            aspect: {f"d{draw.randrange(60)}": draw.choice([-1, 0, 1, 1, 2, 3, 0.5]) for _ in range(12)}
            for aspect in draw.sample(["1", "2", "3", "10", "b"], draw.randint(1, 4))
        }
        for topic in names
    }
    rows: Rows = []
    for run in range(runs):
        for topic in [*names[2:], "unjudged", "9999"]:
            if draw.random() < 0.7 or topic == "7":
                depth = 900 if topic == "7" else draw.randint(1, 40)
                docs = draw.sample(range(max(60, depth)), depth)
                rows += [
                    (f"run {run}", topic, f"d{doc}", draw.choice([0.0, 1.5, 2.0, -3.0, 1e-9])) for doc in docs
                ]
    draw.shuffle(rows)
    return judgments, rows


# ── What a worker does, without Spark ─────────────────────────────────────────────────────────────────────


class Here:
    """In the place of a broadcast variable."""

    def __init__(self, value: Packed) -> None:
        self.value = value


def in_partitions(
    judgments: Any, rows: Rows, measures: list[str], shares: int, seed: int, divided: bool, **options: Any
) -> dict[tuple[str, str, str], float]:
    """Scores from workers that have the topics by chance."""
    draw = random.Random(seed)
    read = rankprism.read_judgments(judgments)
    columns = ("run", "topic", "aspect", "doc", "number", "rank", "share")
    every: list[tuple[Any, ...]] = [
        (run, topic, None, doc, score, None, share_of(run, shares)) for run, topic, doc, score in rows
    ]
    if divided:
        topics, aspects, docs, grades = read.table.columns()
        every += [(None, *row, None, 0) for row in zip(topics, aspects, docs, grades.tolist(), strict=True)]
    else:
        every += [
            (None, topic, None, None, None, None, share) for topic in read.topics for share in range(shares)
        ]
    draw.shuffle(every)
    where: dict[Any, int] = {}
    partitions: dict[int, list[Any]] = {}
    for row in every:
        partitions.setdefault(where.setdefault((row[1], row[6]), draw.randrange(8)), []).append(row)
    key = f"{seed} {shares} {len(rows)} {draw.random()}"
    task = Task(
        tuple(map(rankprism.parse, measures)),
        tuple(sorted({row[0] for row in rows})),
        shares,
        options.get("topics", "judged"),
        Reading.of(**{name: options[name] for name in Reading._fields if name in options}),
        None if divided else Here(pack(read, key)),
        key,
    )
    types = [pa.string()] * 4 + [pa.float64()] * 2 + [pa.int32()]
    schema = pa.schema(list(zip(columns, types, strict=True)))
    found: dict[tuple[str, str, str], float] = {}
    for part in [*partitions.values(), []]:
        arrays = [pa.array([row[c] for row in part], kind) for c, kind in enumerate(types)]
        whole = pa.RecordBatch.from_arrays(arrays, schema=schema)
        cut = draw.randint(0, len(whole))
        for batch in score_partition(task, [whole.slice(0, cut), whole.slice(cut)]):
            for row in batch.to_pylist():
                place = row["run"], row["topic"], row["measure"]
                assert place not in found
                found[place] = row["score"]
    return found


def as_dict(scores: Scores) -> dict[tuple[str, str, str], float]:
    return {
        (run, topic, measure): float(scores.values[r, t, m])
        for r, run in enumerate(scores.runs)
        for t, topic in enumerate(scores.topics)
        for m, measure in enumerate(scores.measures)
        if not np.isnan(scores.values[r, t, m])
    }


@settings(max_examples=20)
@given(
    seed=st.integers(0, 10**6),
    shares=st.integers(1, 4),
    divided=st.booleans(),
    topics=st.sampled_from(["judged", "retrieved"]),
    order=st.sampled_from(["score", "trec_eval-9", "score-ascending-id"]),
)
def test_any_division_among_workers_gives_the_local_bits(
    seed: int, shares: int, divided: bool, topics: Topics, order: Order
) -> None:
    judgments, rows = random_collection(seed, topics=9, runs=3)
    shares = 1 if divided else shares
    found = in_partitions(judgments, rows, MEASURES, shares, seed, divided, topics=topics, order=order)
    assert found == as_dict(rankprism.evaluate(judgments, by_run(rows), MEASURES, topics=topics, order=order))


def test_weights_and_labels_travel_with_the_judgments() -> None:
    draw = random.Random(5)
    judgments = {
        str(topic): {a: {f"d{d}": draw.randint(0, 2) for d in range(9)} for a in ("relevance", "credibility")}
        for topic in range(6)
    }
    judgments["5"]["relevance"]["d1"] = 4  # a label that only one topic has counts in all
    rows = [
        (run, str(t), f"d{d}", draw.random())
        for run in "ab"
        for t in range(5)
        for d in draw.sample(range(12), 8)
    ]
    weights = {topic: {"relevance": 0.25 * (1 + int(topic)), "credibility": 1.0} for topic in judgments}
    read = rankprism.read_judgments(judgments, weights=weights)
    chosen = [
        "nDCG_IA@5",
        "CAM(nDCG@5)",
        "MM(AP)",
        "TOMA(nDCG@5)",
        "TOMA(AP,tuples='seen')",
        "RBU@5",
        "EU@5",
    ]
    expected = as_dict(rankprism.evaluate(read, by_run(rows), chosen))
    assert in_partitions(read, rows, chosen, 2, 1, divided=False) == expected
    with pytest.raises(MeasureError, match="the labels of all topics, as TOMA does"):
        in_partitions(judgments, rows, chosen, 1, 1, divided=True)


def test_aspects_that_no_document_covers_travel_with_the_judgments() -> None:
    draw = random.Random(7)
    topics = [str(topic) for topic in range(6)]
    nuggets = [
        {
            "qid": topic,
            "nuggets": [
                {
                    "_id": f"n{n}",
                    "importance": "okay" if n else "vital",
                    # Nobody judged the last nugget, and in topic 3 none at all.
                    "relevant_corpus_ids": draw.sample([f"d{d}" for d in range(9)], 0 if n == 3 else 2),
                    "non_relevant_corpus_ids": [f"d{d}" for d in range(9, 11 if n < 3 else 9)],
                }
                for n in range(4)
            ],
        }
        for topic in topics
    ]
    nuggets[3]["nuggets"] = [{"_id": "n0", "importance": "vital"}, {"_id": "n1", "importance": "okay"}]
    rows = [
        (run, t, f"d{d}", draw.random()) for run in "ab" for t in topics for d in draw.sample(range(12), 8)
    ]
    chosen = ["StRecall@5", "nDCG_IA@5", "ERR_IA", "RBU@5", "NuggetAll@5", "NuggetWeighted", "S_RR"]
    for aspects in (None, "all"):
        read = rankprism.read_judgments(nuggets, aspects=aspects)
        assert len(read.table.bare_aspects()[0]) == 7
        expected = as_dict(rankprism.evaluate(read, by_run(rows), chosen))
        for shares in (1, 2):
            assert in_partitions(read, rows, chosen, shares, shares, divided=False) == expected


def test_every_measure_has_the_local_bits() -> None:
    every = {name: measures.lookup(name) for name in measures.names()}
    names = [
        name
        for name, one in every.items()
        if one.needs == "judgments" and one.definition.module in modules()  # other tests have their own
    ]
    judgments, rows = random_collection(2, topics=7, runs=2)
    usable = []
    for name in names:
        # Some measures need other judgments or parameters, and say so locally.
        with contextlib.suppress(rankprism.RankprismError):
            rankprism.evaluate(judgments, by_run(rows), name)
            usable.append(name)
    assert len(usable) > 40
    expected = as_dict(rankprism.evaluate(judgments, by_run(rows), usable))
    assert in_partitions(judgments, rows, usable, 2, 3, divided=False) == expected
    assert in_partitions(judgments, rows, usable, 1, 3, divided=True) == expected


def test_a_topic_without_judgments_is_checked_as_it_is_locally() -> None:
    rows = [("a", "1", "d1", 1.0), ("a", "other", "d1", 1.0), ("a", "other", "d1", 2.0)]
    message = "a: document 'd1' occurs twice in topic 'other'; remove one"
    for divided in (False, True):
        with pytest.raises(InputError, match=message):
            in_partitions({"1": {"d1": 1}}, rows, ["AP"], 1, 0, divided)


@pytest.mark.parametrize("bad", [("1", "d2", float("nan")), ("1", None, 1.0), (None, "d2", 1.0)], ids=str)
def test_rows_that_are_refused_locally_are_refused(bad: tuple[Any, ...]) -> None:
    table = pa.table({"topic": ["1", bad[0]], "doc": ["d1", bad[1]], "score": [1.0, bad[2]]})
    with pytest.raises(InputError, match="row 2") as local:
        rankprism.read_run(table, name="a")
    with pytest.raises(InputError) as remote:
        in_partitions({"1": {"d1": 1}}, [("a", "1", "d1", 1.0), ("a", *bad)], ["AP"], 1, 0, divided=False)
    assert str(remote.value) == str(local.value).replace(", row 2", "")


def random_scores(seed: int, runs: int, topics: int, measures: int) -> Scores:
    """Scores with ties, and a pair of equal runs."""
    draw = np.random.default_rng(seed)
    values = draw.integers(0, 7, (runs, topics, measures)) / 6 + draw.normal(0, 0.1, (runs, 1, 1))
    values[-1] = values[0]
    r, t, m = (
        tuple(f"{kind}{i}" for i in range(size)) for kind, size in zip("rtm", values.shape, strict=True)
    )
    return Scores(r, t, m, values)


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    runs=st.integers(2, 20),
    topics=st.integers(1, 12),
    count=st.integers(1, 3),
    tasks=st.integers(1, 40),
)
def test_any_division_of_the_pairs_gives_the_local_power(
    seed: int, runs: int, topics: int, count: int, tasks: int
) -> None:
    scores = random_scores(seed, runs, topics, count)
    settings: dict[str, Any] = {"alpha": 0.05, "resamples": 40, "seed": seed}
    expected = rankprism.meta.power(scores, **settings)
    complete = comparable(scores)
    values = by_measure(complete)
    parts = list(range(tasks))
    random.Random(seed).shuffle(parts)
    batches = [batch for part in parts for batch in pairs_tested(values, part, tasks, **settings)]
    found = with_power(
        complete, merged(pa.Table.from_batches(batches), count), "bootstrap", **settings, intervals=0.95
    )
    assert_same_power(found, expected)


def assert_same_power(found: DiscriminativePower, expected: DiscriminativePower) -> None:
    """Equal to the last bit."""
    for name in ("asl", "delta", "difference", "pairs", "decided"):
        assert getattr(found, name).tobytes() == getattr(expected, name).tobytes(), name
    assert found.to_json() == expected.to_json()


def test_blocks_of_pairs_are_the_local_ones_if_there_are_many_resamples() -> None:
    # 780 pairs of runs and 40,000 resamples: blocks of 52 pairs, of which the last has 0 to 51.
    scores = random_scores(1, 40, 9, 1)
    settings: dict[str, Any] = {"alpha": 0.05, "resamples": 40_000, "seed": 3}
    expected = rankprism.meta.power(scores, **settings)
    complete = comparable(scores)
    for tasks in (1, 4):
        batches = [
            batch
            for part in range(tasks)
            for batch in pairs_tested(by_measure(complete), part, tasks, **settings)
        ]
        found = merged(pa.Table.from_batches(batches), 1)
        assert found[0].asl.tobytes() == expected.asl[0].tobytes()
        assert found[0].delta.max() == expected.delta[0]


# ── On a cluster ──────────────────────────────────────────────────────────────────────────────────────────

YEARS: dict[str, tuple[str, tuple[str, ...], dict[str, Any]]] = {
    "2009": ("qrels.diversity.gz", ("desa", "gdesa"), {}),
    "2012": ("qrels-for-ndeval.txt.gz", ("indri-ql-catb", "indri-rm-catb"), {"partitions": 7}),
    "2014": ("qrels.ndeval.txt.gz", ("lemur-cwindri",), {"broadcast": False}),
}


@pytest.mark.parametrize(
    "year", [year if year == "2014" else pytest.param(year, marks=pytest.mark.nightly) for year in YEARS]
)
def test_the_web_tracks_have_the_bits_of_local_evaluation(
    collections: Path, frame: Frames, year: str
) -> None:
    qrels, names, options = YEARS[year]
    folder = collections / f"trec-web-{year}"
    rows = rows_of(folder / "runs" / f"{name}.run.gz" for name in names)
    expected = rankprism.evaluate(folder / qrels, by_run(rows), MEASURES)
    judgments: Any = folder / qrels
    if "broadcast" in options:
        judgments = frame(judgment_columns(judgments))
    found = spark.collect(spark.evaluate(judgments, frame(run_columns(rows)), MEASURES, **options))
    assert_same(found, expected)
    assert found.conventions["order"] == "score"


@pytest.mark.parametrize(
    "options",
    [
        {},
        pytest.param({"partitions": 1}, marks=pytest.mark.nightly),
        # twice as many as there are topics
        pytest.param({"partitions": 20, "topics": "retrieved"}, marks=pytest.mark.nightly),
        pytest.param({"broadcast": False, "topics": "retrieved"}, marks=pytest.mark.nightly),
        {"broadcast": False, "partitions": 5, "order": "trec_eval-9", "run_depth": 4},
    ],
    ids=str,
)
def test_random_data_have_the_bits_of_local_evaluation(frame: Frames, options: dict[str, Any]) -> None:
    judgments, rows = random_collection(3, topics=10)
    local = {name: value for name, value in options.items() if name in ("topics", "order", "run_depth")}
    expected = rankprism.evaluate(judgments, by_run(rows), MEASURES, **local)
    given = frame(judgment_columns(judgments)) if "broadcast" in options else judgments
    found = spark.collect(spark.evaluate(given, frame(run_columns(rows)), MEASURES, **options))
    # A topic that no run has is in no row if only retrieved topics count.
    assert_same(found, expected.select(topics=found.topics))
    assert np.isnan(expected.values).sum() + found.values.size >= expected.values.size
    assert as_dict(found) == as_dict(expected)


def test_ranks_order_the_rows_and_ids_may_be_numbers(frame: Frames) -> None:
    draw = random.Random(8)
    rows = [
        (t, d, float(draw.random()), r) for t in (1, 2, 10) for r, d in enumerate(draw.sample(range(20), 9))
    ]
    judgments = {t: {d: draw.randint(0, 2) for d in range(12)} for t in (1, 2, 10, 11)}
    expected = rankprism.evaluate(judgments, {"run": rows}, MEASURES, order="rank")
    columns = dict(
        zip(("topic_id", "doc_id", "score", "rank"), map(list, zip(*rows, strict=True)), strict=True)
    )
    found = spark.collect(spark.evaluate(judgments, frame(columns), MEASURES, order="rank"))
    assert_same(found, expected)  # without a column of runs, the run is called "run"


def test_a_document_twice_is_refused_or_kept_once_as_locally(frame: Frames) -> None:
    judgments, rows = random_collection(4, topics=6, runs=2)
    run, topic, doc, score = next(row for row in rows if row[1] == "3")
    twice = [*rows, (run, topic, doc, score + 1.0)]  # the last row, in another file than the first
    expected = rankprism.evaluate(judgments, by_run(twice), MEASURES, duplicates="first")
    data = frame(run_columns(twice))
    assert_same(spark.collect(spark.evaluate(judgments, data, MEASURES, duplicates="first")), expected)
    with pytest.raises(InputError) as local:
        rankprism.evaluate(judgments, by_run(twice), MEASURES)
    with pytest.raises(InputError) as remote:
        spark.collect(spark.evaluate(judgments, data, MEASURES))
    said = str(local.value)
    assert f"document {doc!r} occurs twice in topic '3', first at row" in said
    # A Spark DataFrame has no rows by number; all else is the same.
    assert (
        str(remote.value)
        == f"{run}{said[said.index(': document') : said.index(', first')]}{said[said.index('; ') :]}"
    )


def test_what_is_refused_locally_is_refused(frame: Frames) -> None:
    judgments = {"1": {"d1": 1}, "2": {"d1": 1}}
    foreign = [("a", "1", "d1", 1.0), ("b", "x", "d1", 1.0)]
    with pytest.raises(InputError) as local:
        rankprism.evaluate(judgments, by_run(foreign), "AP")
    for divided in (False, True):
        given = frame(judgment_columns(judgments)) if divided else judgments
        with pytest.raises(InputError) as remote:
            spark.evaluate(given, frame(run_columns(foreign)), "AP", broadcast=not divided)
        assert str(remote.value) == str(local.value)
    with pytest.raises(InputError, match="a run cannot be named None"):
        spark.evaluate(judgments, frame(run_columns([("a", "1", "d1", 1.0), (None, "1", "d2", 1.0)])), "AP")
    data = frame(run_columns([("a", "1", "d1", 1.0)]))
    contradicting: dict[str, list[Any]] = {"topic": ["1", "1"], "doc": ["d1", "d1"], "grade": [1, 2]}
    with pytest.raises(
        InputError, match=r"judgments: document 'd1' of topic '1', aspect '0' has grade \d and \d"
    ):
        spark.collect(spark.evaluate(frame(contradicting), data, "AP", broadcast=False))
    with pytest.raises(InputError, match="have no order"):
        spark.evaluate(judgments, data, "AP", order="input")
    with pytest.raises(InputError, match="runs: has no ranks"):
        spark.evaluate(judgments, data, "AP", order="rank")
    with pytest.raises(InputError, match="'score' is of type string; expected numbers"):
        spark.evaluate(judgments, data.withColumn("score", data["score"].cast("string")), "AP")
    with pytest.raises(InputError, match="'qid' is of type double; ids are strings"):
        spark.evaluate(judgments, data.withColumn("qid", data["qid"].cast("double")), "AP")
    with pytest.raises(InputError, match="no topic column among"):
        spark.evaluate(judgments, data.drop("qid"), "AP")
    with pytest.raises(InputError, match="broadcast=False is for judgments in a Spark DataFrame"):
        spark.evaluate(judgments, data, "AP", broadcast=False)
    with pytest.raises(InputError, match="got list"):
        spark.evaluate(judgments, [("1", "d1", 1.0)], "AP")  # type: ignore[arg-type]
    with pytest.raises(MeasureError, match="needs preferences"):
        spark.evaluate(judgments, data, "nPrf")
    with pytest.raises(InputError, match="run_format has no effect on Spark"):
        spark.evaluate(judgments, data, "AP", run_format="trec")


def test_judgments_and_how_they_are_read_may_be_a_collection(frame: Frames) -> None:
    judgments, rows = random_collection(3, topics=4)
    data, how = frame(run_columns(rows)), {"run_depth": 2, "aspects": "all"}
    expected = rankprism.evaluate(judgments, by_run(rows), MEASURES, **how)  # type: ignore[arg-type]
    given: Any = rankprism.Collection.of(judgments, **how)  # type: ignore[arg-type]
    assert_same(spark.collect(spark.evaluate(given, data, MEASURES)), expected)
    with pytest.raises(TypeError, match="order is part of a Collection"):
        spark.evaluate(given, data, MEASURES, order="score")
    with pytest.raises(TypeError, match="runs is part of a Collection"):
        spark.evaluate(rankprism.Collection.of(judgments, by_run(rows)), data, MEASURES)


def dies_once(what: str, mark: Path) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """A step behind the scores that kills its process, or the whole executor, in the middle of its work."""

    def step(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            yield batch
            if not mark.exists():
                mark.touch()
                if what == "process":
                    os._exit(1)
                # The parent of a worker is a process that forks workers, and its parent is the executor.
                executor = Path(f"/proc/{os.getppid()}/stat").read_text().rpartition(")")[2].split()[1]
                os.kill(int(executor), signal.SIGKILL)

    return step


has_proc = pytest.mark.skipif(not Path("/proc").is_dir(), reason="finds the executor in /proc")


@pytest.mark.parametrize("what", ["process", pytest.param("executor", marks=[has_proc, pytest.mark.nightly])])
def test_a_killed_worker_changes_nothing(frame: Frames, tmp_path: Path, what: str) -> None:
    judgments, rows = random_collection(6, topics=12, runs=3)
    expected = rankprism.evaluate(judgments, by_run(rows), MEASURES)
    scores = spark.evaluate(judgments, frame(run_columns(rows)), MEASURES, partitions=4)
    mark = tmp_path / what
    found = spark.collect(scores.mapInArrow(dies_once(what, mark), scores.schema))
    assert mark.exists()
    assert_same(found, expected)


def test_scores_go_into_files_means_and_analyses(
    session: SparkSession, frame: Frames, tmp_path: Path
) -> None:
    judgments, rows = random_collection(7)
    judgments |= {"007": {"1": {"d1": 1}}, "10000000000000000000000": {"1": {"d1": 1}}, "é": {"1": {"d2": 1}}}
    expected = rankprism.evaluate(judgments, by_run(rows), MEASURES)
    assert {"007", "7", "10000000000000000000000", "é", "named"} <= set(expected.topics)
    spark.evaluate(judgments, frame(run_columns(rows)), MEASURES, partitions=7).write.parquet(
        str(tmp_path / "s")
    )
    scores = session.read.parquet(str(tmp_path / "s"))
    found = spark.collect(scores)
    assert_same(found, expected)  # the measures in the order in which they were given
    assert found.conventions == {
        "order": "score",
        "topics": "judged",
        "duplicates": "error",
        "aspect weights": "uniform",
        "aspects without relevant documents": "left out",
        "direction": dict.fromkeys(expected.measures, "higher"),
    }

    means = {(row["run"], row["measure"]): row["mean"] for row in spark.means(scores).collect()}
    assert means == {(run, m): mean for run, all in expected.mean().items() for m, mean in all.items()}

    group = {topic: "even" if len(topic) % 2 == 0 else "odd" for topic in expected.topics}
    groups = frame({"topic": list(group), "group": list(group.values())})
    table = spark.means(scores.join(groups, "topic"), by=["group"]).collect()
    assert len(table) == 2 * len(expected.runs) * len(MEASURES)
    for row in table:
        chosen = expected.select(topics=[topic for topic in expected.topics if group[topic] == row["group"]])
        assert row["mean"] == chosen.mean()[row["run"]][row["measure"]]
        assert row["topics"] == len(chosen.topics)

    assert rankprism.compare(found).to_csv() == rankprism.compare(expected).to_csv()
    power = rankprism.meta.power(expected, resamples=200)
    assert rankprism.meta.power(found, resamples=200).to_csv() == power.to_csv()
    # Measures are independent of each other, so an analysis may be a task for each of them.
    each = (
        session.sparkContext.parallelize(found.measures, 2)
        .map(
            lambda m: (
                rankprism.meta.power(found.select(measures=[m]), method="tukey", resamples=200)
                .asl[0]
                .tolist()
            )
        )
        .collect()
    )
    assert each == rankprism.meta.power(expected, method="tukey", resamples=200).asl.tolist()

    assert_same_power(spark.power(expected, resamples=200, partitions=5), power)
    assert_same_power(spark.power(scores, resamples=200), rankprism.meta.power(found, resamples=200))

    with pytest.raises(InputError, match="has two scores on topic '1' by"):
        spark.collect(scores.union(scores.limit(1000)))
    with pytest.raises(InputError, match="no column 'score' among run, topic, measure"):
        spark.means(scores.drop("score"))
    with pytest.raises(InputError, match="there are no scores"):
        spark.collect(scores.filter("run = 'none'"))


def test_the_example_in_the_documentation_runs(session: SparkSession, tmp_path: Path) -> None:
    """The first block of Python in docs/many-machines.md, on the sample collection."""
    page = Path(__file__).parents[2] / "docs" / "many-machines.md"
    code = page.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    rows = rows_of(sample.RUNS)
    pq.write_table(pa.table(run_columns(rows)), tmp_path / "runs.parquet")
    pq.write_table(pa.table(judgment_columns(sample.QRELS)), tmp_path / "judgments.parquet")
    names: dict[str, Any] = {"spark": session}
    exec(code.replace("s3://bucket", str(tmp_path)), names)
    expected = rankprism.evaluate(sample.QRELS, list(sample.RUNS), names["measures"]).sorted("run")
    assert_same(names["scores"], expected)
