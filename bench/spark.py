"""Time evaluation with Spark on this machine: `python bench/spark.py`. docs/many-machines.md has the results.

It makes a Parquet file of runs, evaluates it on clusters of 1, 2, … executors with one core each, and prints
rows per second, and how many seconds all processors together were busy, which other programs affect less. The
first evaluation of a cluster starts its processes and is not counted. Then it computes the discriminative
power of one measure, here and on each cluster.

A row costs 1.9 µs of one core with one executor and 2.2 µs with two, the Java process of the driver
included. The second evaluation of a cluster takes a little more than later ones, because Java compiles
its code while it runs. With the second executor, both cores are busy, and the evaluation is 1.3 times as
fast.

The work of a worker can be measured without Spark. On one core of the same machine it scores 2.2 million
rows in a second if rankings have 1,000 documents, and 1.7 million rows if they have 20, because there is
then a score for every four rows. Spark needs the rest of the time: reading Parquet, the shuffle, and the
way into Python and back.

These figures give an estimate for 10⁹ rows. It assumes 1,000 runs, 1,000 topics and 1,000 documents in
each ranking, Parquet files that can be read as fast as they are processed, 1,000 partitions, judgments
that are broadcast, cores as fast as those of the table, and 2.2 µs for each row. Then the job needs 2,200
seconds of one core: about 22 seconds on 100 cores, or 2.3 minutes on 16 cores. Starting the cluster takes
additional time, and so may a shuffle over a network. The result has 5 million scores. One machine with
two cores, which reads about 30 million lines in a second, needs about 35 seconds for the same lines in
files. So Spark is worthwhile if the runs are in the cluster already, or if there are many more of them.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

import rankprism
from rankprism import spark

MEASURES = ["alpha_nDCG@20", "ERR_IA@20", "NRBP", "AP_IA", "StRecall@20"]


def collection(folder: Path, runs: int, topics: int, depth: int) -> None:
    """Judgments with three subtopics, and runs that find about a tenth of the judged documents."""
    draw = np.random.default_rng(0)
    judged = [
        (str(t), str(a), f"clueweb-en{d:07}") for t in range(topics) for a in range(3) for d in range(60)
    ]
    topic, aspect, doc = map(list, zip(*judged, strict=True))
    grade = draw.integers(0, 2, len(judged))
    pq.write_table(
        pa.table({"topic": topic, "aspect": aspect, "doc": doc, "grade": grade}), folder / "j.parquet"
    )
    (folder / "runs").mkdir()
    for run in range(runs):
        docs = np.concatenate([draw.permutation(10 * depth)[:depth] for _ in range(topics)])
        table = pa.table(
            {
                "run": pa.array([f"run{run}"] * (topics * depth)),
                "topic": pa.array(np.repeat([str(t) for t in range(topics)], depth)),
                "doc": pa.array([f"clueweb-en{d:07}" for d in docs]),
                "score": np.tile(np.arange(depth, 0, -1.0), topics),
            }
        )
        pq.write_table(table, folder / "runs" / f"{run}.parquet")


def processor_seconds() -> float:
    """The processor time that all descendants of this process have used so far."""
    processes: dict[int, tuple[int, int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            after_name = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended in the meantime
            continue
        processes[int(stat.parent.name)] = int(after_name[1]), sum(map(int, after_name[11:15]))

    def is_ours(process: int) -> bool:
        parent = processes.get(process, (0, 0))[0]
        return parent == os.getpid() or (parent > 1 and is_ours(parent))

    ticks = sum(used for process, (_, used) in processes.items() if is_ours(process))
    return ticks / os.sysconf("SC_CLK_TCK")


def cluster(executors: int) -> SparkSession:
    return (
        SparkSession.builder.master(f"local-cluster[{executors},1,1024]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "8")
        .config("spark.executorEnv.PYTHONPATH", str(Path(rankprism.__file__).parents[1]))
        .config("spark.log.level", "OFF")
        .getOrCreate()
    )


def seconds(session: SparkSession, folder: Path, executors: int, repeats: int) -> list[float]:
    """How long each evaluation takes, from Parquet to Parquet."""
    taken = []
    for number in range(repeats + 1):
        start, used = time.perf_counter(), processor_seconds()
        judgments = session.read.parquet(str(folder / "j.parquet"))
        runs = session.read.parquet(str(folder / "runs"))
        scores = spark.evaluate(judgments, runs, MEASURES)
        scores.write.mode("overwrite").parquet(str(folder / f"scores{executors}"))
        taken.append(time.perf_counter() - start)
        used = processor_seconds() - used
        print(f"{executors} executors, evaluation {number}: {taken[-1]:.1f} s, {used:.1f} s busy", flush=True)
    return taken[1:]


def systems(runs: int, topics: int) -> rankprism.Scores:
    """Scores of one measure."""
    draw = np.random.default_rng(0)
    quality = draw.normal(0, 0.05, (runs, 1, 1)) + draw.normal(0, 0.15, (1, topics, 1))
    values = np.clip(0.4 + quality + draw.normal(0, 0.1, (runs, topics, 1)), 0, 1)
    return rankprism.Scores(tuple(map(str, range(runs))), tuple(map(str, range(topics))), ("P@10",), values)


def compute_power(
    where: str, compute: Callable[[], Any], used_by_all: Callable[[], float], repeats: int
) -> None:
    for _ in range(repeats):
        start, used = time.perf_counter(), used_by_all()
        compute()
        print(
            f"power, {where}: {time.perf_counter() - start:.1f} s, {used_by_all() - used:.1f} s busy",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--topics", type=int, default=200)
    parser.add_argument("--depth", type=int, default=1000)
    parser.add_argument("--executors", default="1,2")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--power", type=int, nargs=2, metavar=("RUNS", "TOPICS"), default=(200, 200))
    given = parser.parse_args()
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ |= {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_HOSTNAME": "localhost"}
    rows = given.runs * given.topics * given.depth
    with tempfile.TemporaryDirectory() as folder:
        collection(Path(folder), given.runs, given.topics, given.depth)
        scores = systems(*given.power)
        local = partial(rankprism.meta.power, scores, resamples=10_000)
        compute_power("here", local, time.process_time, given.repeats)
        for executors in map(int, given.executors.split(",")):
            session = cluster(executors)
            best = min(seconds(session, Path(folder), executors, given.repeats))
            on_cluster = partial(spark.power, scores, resamples=10_000, partitions=8, session=session)
            compute_power(f"{executors} executors", on_cluster, processor_seconds, given.repeats)
            session.stop()
            print(f"{executors} executors: {rows:,} rows in {best:.1f} s, {rows / best:,.0f} rows per second")


if __name__ == "__main__":
    main()
