"""ties.py MEASURE,... QRELS RUN...: the CPU time of scores over all orders, relative to scores of one order.

The runs that are named have no ties. Runs with ties are made here: 63 runs × 53 topics × 100 documents with
about as many groups as the runs of TREC Deep Learning 2021 have. Both ways of scoring take turns, so that a
busy machine slows down both.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import rankprism

ROUNDS = 7
RUNS, TOPICS, DEPTH = 63, 53, 100
#: The sizes of groups, in proportion to how often they occur.
SIZES = (*([1] * 118), *([2] * 12), *([3] * 2), 5, 12)
MEASURES = ["nDCG@10", "AP(rel=2)", "RR(rel=2)@10", "P(rel=2)@10", "ERR(max_rel=3)@20"]


def tied_runs(folder: Path) -> tuple[dict[str, dict[str, int]], list[Path]]:
    """Judgments with grades from 0 to 3, and files of runs with ties."""
    draw = random.Random(2021)
    judged = {
        f"t{t}": {f"d{d}": draw.choice((0, 0, 0, 1, 1, 2, 3)) for d in range(200)} for t in range(TOPICS)
    }
    runs = []
    for r in range(RUNS):
        lines = []
        for topic in judged:
            docs = [f"d{d}" for d in draw.sample(range(400), DEPTH)]
            score, rank = 1000.0, 0
            while docs:
                size = draw.choice(SIZES)
                for doc in docs[:size]:
                    rank += 1
                    lines.append(f"{topic} Q0 {doc} {rank} {score} tag\n")
                docs, score = docs[size:], score - 1
        runs.append(folder / f"run{r}")
        runs[-1].write_text("".join(lines))
    return judged, runs


def seconds(call: Callable[[], Any]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def fastest(calls: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """The shortest CPU time of each, in rounds in which they take turns."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(ROUNDS):
        for name, call in calls.items():
            times[name].append(seconds(call))
    return {name: min(found) for name, found in times.items()}


def main() -> None:
    warnings.simplefilter("ignore", rankprism.RankprismWarning)
    measures, qrels, *paths = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        judged, runs = tied_runs(Path(folder))
        without, tied = (qrels, paths, measures.split(",")), (judged, runs, MEASURES)
        found = fastest(
            {
                "without ties": lambda: rankprism.evaluate(*without),
                "without ties, expected": lambda: rankprism.evaluate(*without, tied="expected"),
                "with ties": lambda: rankprism.evaluate(*tied),
                "with ties, expected": lambda: rankprism.evaluate(*tied, tied="expected"),
                "with ties, all": lambda: rankprism.evaluate(*tied, tied="all"),
            }
        )
    print(json.dumps(found))


if __name__ == "__main__":
    main()
