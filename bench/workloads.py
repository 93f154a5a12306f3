"""The workloads: runs and diversity judgments in TREC's formats, made from a fixed seed.

`python bench/workloads.py S M` makes the ones that are missing in bench/data and prints where they are.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Bytes: TypeAlias = npt.NDArray[np.uint8]  # (lines, width) characters; NUL where a line is narrower
Longs: TypeAlias = npt.NDArray[np.int64]

DATA = Path(__file__).parent / "data"
SEED = 20120401


@dataclass(frozen=True)
class Workload:
    name: str
    runs: int
    topics: int
    depth: int
    judged: tuple[int, int] = (300, 600)  # documents of a topic, at least and at most; TREC's Web Track
    subtopics: tuple[int, int] = (3, 8)
    scattered: bool = False  # judgments are sorted by subtopic and runs by rank, not by topic


# Like MS MARCO's queries with a little more judged: 100,000 topics with 450 judged documents each are not
# a real collection.
MANY_QUERIES = (5, 15), (3, 8)
# Like the logs of a recommender: 40 million judgments.
MILLION = (5, 5), (8, 8)

WORKLOADS = {
    w.name: w
    for w in (
        Workload("S", 1, 50, 1_000),
        Workload("M", 30, 50, 1_000),
        Workload("L", 30, 50, 10_000),
        Workload("Q", 1, 100_000, 20, *MANY_QUERIES),
        Workload("T", 1, 1_000_000, 20, *MILLION),
        Workload("U", 1, 1_000_000, 20, *MILLION, scattered=True),
        Workload("V", 1, 100_000, 20, *MILLION, scattered=True),  # a tenth of U
    )
}

SLAB = 100_000  # topics that are made at a time
POOL = 3  # candidate documents of a topic for each one that a run retrieves


def made(workload: Workload) -> Path:
    """The folder with the workload's files. It appears whole or not at all."""
    folder = DATA / workload.name
    if not folder.exists():
        part = DATA / f".{workload.name}.{os.getpid()}.part"
        part.mkdir(parents=True)
        try:
            write(workload, part)
            part.rename(folder)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    return folder


def write(workload: Workload, folder: Path) -> None:
    """Judgments in which few grades are above 0, and runs that tend to rank relevant documents first."""
    for slab, first in enumerate(range(0, workload.topics, SLAB)):
        rng = np.random.default_rng([SEED, *workload.name.encode(), *([slab] if slab else [])])
        _append(replace(workload, topics=min(SLAB, workload.topics - first)), folder, rng, slab)
    if workload.scattered:
        for name in ("qrels", *(f"run{run:02}.run" for run in range(1, workload.runs + 1))):
            _concatenate(sorted(folder.glob(f"{name}.*")), folder / name)


def _append(workload: Workload, folder: Path, rng: np.random.Generator, slab: int) -> None:
    """The lines of some topics."""
    shape = (workload.topics, POOL * workload.depth)
    topics = _topic_numbers(rng, workload.topics) + slab * 12 * SLAB
    # Gaps of at least 1 make the numbers of a topic's documents distinct.
    documents = np.cumsum(rng.integers(1, RECORDS // shape[1], size=shape), axis=1)
    documents = rng.permuted(documents, axis=1)
    grades = _grades(rng, workload)  # of the first candidates; the others are not judged
    ids = _id_column(documents.ravel()).reshape(*shape, -1)

    topic, subtopic, candidate = np.nonzero(grades.transpose(0, 2, 1) >= 0)
    order = np.lexsort((documents[topic, candidate], subtopic, topic))
    topic, subtopic, candidate = topic[order], subtopic[order], candidate[order]
    grade = grades[topic, candidate, subtopic]
    of_topic, of_subtopic, judged_id = number(topics[topic]), number(subtopic + 1), ids[topic, candidate]
    columns = (of_topic, b" ", of_subtopic, b" ", judged_id, b" ", number(grade))
    _append_lines(folder / "qrels", columns, subtopic if workload.scattered else None)

    judged = grades.shape[1]
    appeal = rng.standard_normal(shape)  # what all systems see in a document
    appeal[:, :judged] += (grades >= 0).any(2) * 1.0 + (grades > 0).any(2) * 1.0
    row = np.repeat(np.arange(workload.topics), workload.depth)
    rank = np.tile(np.arange(1, workload.depth + 1), workload.topics)
    for run in range(1, workload.runs + 1):
        belief = rng.uniform(0.5, 1.5) * appeal + rng.standard_normal(shape)
        best = np.argpartition(-belief, workload.depth, axis=1)[:, : workload.depth]
        best = np.take_along_axis(best, np.argsort(-np.take_along_axis(belief, best, 1), axis=1), 1)
        score = decimal(_scores(rng, workload).ravel())
        name = f"run{run:02}"
        ranked_id, tag = ids[row, best.ravel()], f" {name}".encode()
        ranked = (number(topics[row]), b" Q0 ", ranked_id, b" ", number(rank), b" ", score, tag)
        _append_lines(folder / f"{name}.run", ranked, rank if workload.scattered else None)


def _append_lines(path: Path, columns: tuple[Bytes | bytes, ...], part: Longs | None) -> None:
    """Lines at the end of a file, or at the end of one of several files, by the number of the part."""
    for number_of_part in [None] if part is None else np.unique(part).tolist():
        chosen = slice(None) if number_of_part is None else part == number_of_part
        some = [column if isinstance(column, bytes) else column[chosen] for column in columns]
        target = path if number_of_part is None else path.with_name(f"{path.name}.{number_of_part:02}")
        with open(target, "ab") as file:
            file.write(lines(*some))


def _concatenate(parts: list[Path], whole: Path) -> None:
    with open(whole, "wb") as file:
        for part in parts:
            with open(part, "rb") as source:
                shutil.copyfileobj(source, file, 1 << 24)
            part.unlink()


def _topic_numbers(rng: np.random.Generator, count: int) -> Longs:
    if count <= 50:
        return np.arange(201, 201 + count)
    return np.cumsum(rng.integers(1, 12, size=count)) + 500_000


def _grades(rng: np.random.Generator, workload: Workload) -> Longs:
    """(topic, judged document, subtopic): 0 to 3, or -1 for documents and subtopics that the topic lacks."""
    most_judged, most_subtopics = workload.judged[1], workload.subtopics[1]
    judged = rng.integers(*workload.judged, size=workload.topics, endpoint=True)
    subtopics = rng.integers(*workload.subtopics, size=workload.topics, endpoint=True)
    shape = (workload.topics, most_judged, most_subtopics)
    grade = rng.choice([1, 1, 1, 2, 3], size=shape)
    relevant_somewhere = rng.random(shape[:2]) < 0.25
    grade *= relevant_somewhere[:, :, None] & (rng.random(shape) < 0.4)
    for subtopic in range(most_subtopics):  # none without a relevant document
        document = subtopic % most_judged
        grade[:, document, subtopic] = np.maximum(grade[:, document, subtopic], 1)
    lacking = (np.arange(most_judged) >= judged[:, None])[:, :, None] | (
        np.arange(most_subtopics) >= subtopics[:, None]
    )[:, None, :]
    return np.where(lacking, -1, grade)


def _scores(rng: np.random.Generator, workload: Workload) -> Longs:
    """(topic, rank) in millionths, descending from about 20 to above 1.

    They are at least five millionths apart: programs that break ties differently, or that compare 32-bit
    floats, must still agree on the order.
    """
    rank = np.arange(1, workload.depth + 1)
    falling = rng.exponential(size=(workload.topics, workload.depth)) / (rank + 5)
    falling *= 18e6 / falling.sum(1, keepdims=True)
    fallen = np.cumsum(falling.astype(np.int64) + 5, axis=1)
    return 20_000_000 - fallen


# ClueWeb12's ids: segment, file and record, e.g. clueweb12-0308wb-27-22049.
SEGMENTS, FILES, RECORDS_IN_FILE = 1_900, 100, 40_000
RECORDS = SEGMENTS * FILES * RECORDS_IN_FILE


def _id_column(documents: Longs) -> Bytes:
    file, record = np.divmod(documents, RECORDS_IN_FILE)
    segment, file = np.divmod(file, FILES)
    return _beside(b"clueweb12-", digits(segment, 4), b"wb-", digits(file, 2), b"-", digits(record, 5))


def digits(values: Longs, width: int) -> Bytes:
    """Decimal numbers with leading zeros."""
    result = np.empty((len(values), width), dtype=np.uint8)
    for place in reversed(range(width)):
        values, result[:, place] = np.divmod(values, 10)
    return result + ord("0")


def number(values: Longs) -> Bytes:
    """Decimal numbers without leading zeros."""
    result = digits(values, len(str(values.max())))
    for place in range(result.shape[1] - 1):
        result[values < 10 ** (result.shape[1] - 1 - place), place] = 0
    return result


def decimal(millionths: Longs) -> Bytes:
    whole, fraction = np.divmod(millionths, 1_000_000)
    return _beside(number(whole), b".", digits(fraction, 6))


def lines(*columns: Bytes | bytes) -> bytes:
    table = _beside(*columns, b"\n")
    return bytes(table[table != 0].tobytes())


def _beside(*columns: Bytes | bytes) -> Bytes:
    count = max(len(c) for c in columns if not isinstance(c, bytes))
    return np.hstack(
        [np.tile(np.frombuffer(c, np.uint8), (count, 1)) if isinstance(c, bytes) else c for c in columns]
    )


if __name__ == "__main__":
    described = []
    for name in sys.argv[1:]:
        folder = made(WORKLOADS[name])
        runs = sorted(map(str, folder.glob("*.run")))
        described.append(asdict(WORKLOADS[name]) | {"qrels": str(folder / "qrels"), "run_files": runs})
    print(json.dumps(described))
