"""How long a report takes and how large it is: `python bench/report.py` makes reports of made-up collections.

All reports have 100 runs, 200 topics and 6 measures. Runs have 100 documents a topic.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from rankprism import report

RUNS, TOPICS, LENGTH = 100, 200, 100
#: The number of documents that a topic has, and how many of them are judged.
DOCUMENTS, JUDGED = 1000, 200
#: The number of aspects, and the share of the grades that are above 0.
COLLECTIONS = {
    "one aspect, 30 %": (1, 0.3),
    "four subtopics, 10 %": (4, 0.1),
    "four subtopics, 30 %": (4, 0.3),
}


def write(folder: Path, aspects: int, relevant: float) -> list[str]:
    """Write judgments and runs; return the paths of the runs."""
    rng = np.random.default_rng(0)
    quality = rng.random((TOPICS, DOCUMENTS))
    with (folder / "qrels").open("w") as file:
        for topic in range(TOPICS):
            for doc in range(JUDGED):
                for aspect in range(aspects):
                    likely = 2 * relevant * quality[topic, doc]
                    grade = rng.integers(1, 4) if rng.random() < likely else 0
                    name = aspect + 1 if aspects > 1 else 0
                    file.write(f"{topic + 1} {name} clueweb09-en0000-{topic:02}-{doc:05} {grade}\n")
    paths = []
    for run in range(RUNS):
        skill = 0.2 + 0.8 * run / RUNS
        paths.append(str(folder / f"system-{run:03}.txt"))
        with open(paths[-1], "w") as file:
            for topic in range(TOPICS):
                # Judged documents are those that some system found, so most of the first ones are judged.
                shown = np.concatenate(
                    [rng.permutation(JUDGED), JUDGED + rng.permutation(DOCUMENTS - JUDGED)]
                )
                value = skill * quality[topic, shown] + rng.random(DOCUMENTS) + 0.7 * (shown < JUDGED)
                first = shown[np.argsort(-value)[:LENGTH]]
                for rank, doc in enumerate(first.tolist(), start=1):
                    document = f"clueweb09-en0000-{topic:02}-{doc:05}"
                    file.write(f"{topic + 1} Q0 {document} {rank} {LENGTH - rank} r{run}\n")
    return paths


def main(names: Sequence[str]) -> None:
    print("| judgments | CPU time | size |\n|---|---|---|")
    for name in names or COLLECTIONS:
        with TemporaryDirectory() as folder:
            paths = write(Path(folder), *COLLECTIONS[name])
            # In a process of its own, because the first report of a process does more.
            command = [sys.executable, __file__, "--one", f"{folder}/qrels", *paths]
            told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        print(f"| {name} | {told.strip()} |", flush=True)


def one(judgments: str, runs: Sequence[str]) -> None:
    made = report.make(judgments, list(runs))
    size = len(made.html.encode())
    print(f"{time.process_time():.1f} s | {size / 1e6:.1f} MB")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        one(sys.argv[2], sys.argv[3:])
    else:
        main(sys.argv[1:])
