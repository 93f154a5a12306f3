"""Judgments and runs give the same scores to the last bit, whatever way they take into the package and out.

The expected scores come from rows of Python, evaluated by one thread. Spark is tested in test_spark.py.
"""

from __future__ import annotations

import gzip
import os
import pickle
import random
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from rankprism import Scores, evaluate, read_judgments, read_run, read_scores

# Official runs lack topics or have others, which is noted.
pytestmark = pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")

MEASURES = ["alpha_nDCG@20", "ERR_IA@20", "NRBP", "AP_IA", "StRecall@10", "nDCG@10", "AP", "RBU@10"]


@dataclass(frozen=True, eq=False)
class Collection:
    """Judgments and runs as rows of text, and what they score."""

    folder: Path
    judged: list[list[str]]  #: topic, aspect, document, grade
    ranked: dict[str, list[list[str]]]  #: topic, document, rank, score

    @cached_property
    def judgments(self) -> pa.Table:
        topic, aspect, doc, grade = map(list, zip(*self.judged, strict=True))
        return pa.table({"topic": topic, "aspect": aspect, "doc": doc, "grade": list(map(float, grade))})

    @cached_property
    def runs(self) -> pa.Table:
        rows = [(name, *row) for name, run in self.ranked.items() for row in run]
        run, topic, doc, rank, score = map(list, zip(*rows, strict=True))
        numbers = {"rank": list(map(float, rank)), "score": list(map(float, score))}
        return pa.table({"run": run, "topic": topic, "doc": doc, **numbers})

    def written(self, end: str = "\n") -> tuple[Path, list[Path]]:
        """The files of text, with this end of a line."""
        qrels = self.folder / "qrels.txt"
        qrels.write_bytes("".join(" ".join(row) + end for row in self.judged).encode())
        paths = []
        for name, rows in self.ranked.items():
            paths.append(self.folder / f"{name}.run")
            lines = [f"{topic} Q0 {doc} {rank} {score} tag{end}" for topic, doc, rank, score in rows]
            paths[-1].write_bytes("".join(lines).encode())
        return qrels, paths

    @cached_property
    def expected(self) -> Scores:
        judged = [(topic, aspect, doc, float(grade)) for topic, aspect, doc, grade in self.judged]
        runs = {
            name: [(topic, doc, float(score), float(rank)) for topic, doc, rank, score in rows]
            for name, rows in self.ranked.items()
        }
        return evaluate(judged, runs, MEASURES, threads=1)


OFFICIAL = {
    "Web 2009": ("trec-web-2009", "qrels.diversity.gz", ("desa", "gdesa")),
    "Web 2012": ("trec-web-2012", "qrels-for-ndeval.txt.gz", ("indri-ql-catb", "lemur-cwindri")),
    "Web 2014": ("trec-web-2014", "qrels.ndeval.txt.gz", ("lemur-cwindri",)),
}


def official(name: str, collections: Path, folder: Path) -> Collection:
    year, qrels, runs = OFFICIAL[name]
    judged = list(_rows(collections / year / qrels))
    ranked = {}
    for run in runs:
        lines = _rows(collections / year / "runs" / f"{run}.run.gz")
        ranked[run] = [[topic, doc, rank, score] for topic, _, doc, rank, score, *_ in lines]
    return Collection(folder, judged, ranked)


def _rows(path: Path) -> Iterator[list[str]]:
    for line in gzip.decompress(path.read_bytes()).decode().splitlines():
        yield line.split()


def drawn(seed: int, folder: Path) -> Collection:
    """Random judgments and runs, with ids of all lengths, ties, and topics that only one side has."""
    draw = random.Random(seed)
    docs = [f"d{i}" for i in range(40)] + [f"日本語-{i}-{'x' * i}" for i in range(40)]
    topics = [*map(str, range(1, 60)), "é", "тема", "t-1"]
    judged = [
        [topic, aspect, doc, draw.choice(["-2", "0", "1", "2", "0.5"])]
        for topic in topics[5:]
        for aspect in draw.sample(["1", "2", "10", "ä"], draw.randint(1, 4))
        for doc in draw.sample(docs, 20)
    ]
    ranked = {
        name: [
            [topic, doc, str(rank), draw.choice(["1", "2.5", "-1e-3", "7"])]
            for topic in draw.sample(topics, 50)
            for rank, doc in enumerate(draw.sample(docs, draw.randint(1, 60)), 1)
        ]
        for name in ("one", "two", "three")
    }
    return Collection(folder, judged, ranked)


@pytest.fixture(scope="module", params=[*OFFICIAL, "random 1", "random 2"])
def collection(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Collection:
    folder = tmp_path_factory.mktemp("collection")
    kind, _, number = request.param.partition(" ")
    if kind == "random":
        return drawn(int(number), folder)
    return official(request.param, request.getfixturevalue("collections"), folder)


def packed(paths: list[Path]) -> list[Path]:
    for path in paths:
        path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes(), 1))
    return [path.with_name(path.name + ".gz") for path in paths]


def piped(paths: list[Path]) -> list[Path]:
    """Named pipes, into which other threads write the files a few bytes at a time."""
    pipes = []
    for path in paths:
        (path.parent / "pipes").mkdir(exist_ok=True)
        pipes.append(path.parent / "pipes" / path.name)
        os.mkfifo(pipes[-1])
        threading.Thread(target=_feed, args=(path.read_bytes(), pipes[-1]), daemon=True).start()
    return pipes


def _feed(data: bytes, pipe: Path) -> None:
    with pipe.open("wb", buffering=0) as sink:
        for start in range(0, len(data), 10_007):
            sink.write(data[start : start + 10_007])


def shuffled(given: Collection) -> Collection:
    """The same lines in another order. The ranking is by score and id, so the order does not matter."""
    draw = random.Random(0)
    mixed = {name: draw.sample(rows, len(rows)) for name, rows in given.ranked.items()}
    return replace(given, judged=draw.sample(given.judged, len(given.judged)), ranked=mixed)


def in_files(given: Collection, write: Callable[[pa.Table, str], Any]) -> tuple[Path, Path]:
    paths = given.folder / "qrels.table", given.folder / "runs.table"
    for content, path in zip((given.judgments, given.runs), paths, strict=True):
        write(content, str(path))
    return paths


def in_database(given: Collection) -> tuple[str, str]:
    path = given.folder / "all.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.from_arrow(given.judgments).create("qrels")
        connection.from_arrow(given.runs).create("runs")
    return f"{path}::qrels", f"{path}::runs"


def write_stream(whole: pa.Table, path: str) -> None:
    with pa.ipc.new_stream(path, whole.schema) as writer:
        writer.write_table(whole, max_chunksize=1000)


def frames(make: Callable[[pa.Table], Any]) -> Callable[[Collection], tuple[Any, Any]]:
    return lambda given: (make(given.judgments), make(given.runs))


def pickled(given: Collection) -> tuple[Any, Any]:
    qrels, runs = given.written()
    read = read_judgments(qrels), [read_run(run) for run in runs]
    judgments, ranked = pickle.loads(pickle.dumps(read))
    return judgments, ranked


#: What `evaluate` is given, for each way into the package.
WAYS: dict[str, Callable[[Collection], tuple[Any, Any]]] = {
    "files": lambda given: given.written(),
    "files with CRLF": lambda given: given.written("\r\n"),
    "files in another order": lambda given: shuffled(given).written(),
    "packed files": lambda given: (packed([given.written()[0]])[0], packed(given.written()[1])),
    "judgments and runs, pickled": pickled,
    "pandas": frames(lambda table: table.to_pandas()),
    "pandas objects": frames(lambda table: table.to_pandas().astype({"doc": object, "topic": "category"})),
    "polars": frames(lambda table: pl.DataFrame(pl.from_arrow(table))),
    "pyarrow table": frames(lambda table: table),
    "pyarrow reader": frames(lambda table: table.to_reader(max_chunksize=777)),
    "DuckDB relation": frames(duckdb.from_arrow),
    "Parquet": lambda given: in_files(given, lambda t, p: pa.parquet.write_table(t, p, row_group_size=1000)),
    "Arrow": lambda given: in_files(given, lambda t, p: pa.feather.write_feather(t, p, chunksize=777)),
    "Arrow stream": lambda given: in_files(given, write_stream),
    "DuckDB table": in_database,
}
if hasattr(os, "mkfifo"):
    WAYS["pipes"] = lambda given: (piped([given.written()[0]])[0], piped(given.written()[1]))


def test_every_way_in_gives_the_same_bits(collection: Collection) -> None:
    expected = collection.expected
    for way, make in WAYS.items():
        found = evaluate(*make(collection), MEASURES)
        assert (found.runs, found.topics) == (expected.runs, expected.topics), way
        assert found.values.tobytes() == expected.values.tobytes(), way
        assert found.means.tobytes() == expected.means.tobytes(), way


def test_any_number_of_threads_gives_the_same_bits(collection: Collection) -> None:
    expected = collection.expected.values.tobytes()
    qrels, runs = collection.written()
    table = collection.runs
    for threads in range(1, 9):
        assert evaluate(qrels, runs, MEASURES, threads=threads).values.tobytes() == expected
        assert evaluate(qrels, table, MEASURES, threads=threads).values.tobytes() == expected


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_scores_that_are_streamed_into_a_file_keep_their_bits(
    collection: Collection, ending: str, cli: Callable[..., Any]
) -> None:
    qrels, runs = collection.written()
    expected = collection.expected
    path = collection.folder / f"scores.{ending}"
    chosen = [word for measure in MEASURES for word in ("-m", measure)]
    assert cli("evaluate", qrels, *runs, *chosen, "--per-topic", "-o", path).returncode == 0
    found = read_scores(path).select(runs=expected.runs, topics=expected.topics, measures=expected.measures)
    assert found.values.tobytes() == expected.values.tobytes()
