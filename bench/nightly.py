"""Measure how long a gate and a nightly job take: `python bench/nightly.py`.

The gate compares two runs on 50 topics × 1,000 documents. The job scores 100 such runs into a folder, then
finds that nothing has changed, and then that one run has.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

COMMAND = [sys.executable, "-m", "rankprism"]
TOPICS, DOCUMENTS, JUDGED = 50, 1000, 300
LIMIT = 2.0  # seconds for the gate, with its comment


def collection(folder: Path, runs: int) -> tuple[Path, list[Path]]:
    """Judgments, and runs that rank relevant documents higher by chance."""
    rng = np.random.default_rng(1)
    grades = np.zeros((TOPICS, 2 * DOCUMENTS))
    grades[:, :JUDGED] = rng.choice((0, 0, 1, 2), (TOPICS, JUDGED))
    qrels = folder / "qrels.txt"
    lines = (f"{t} 0 d{t}-{d} {grades[t, d]:g}\n" for t in range(TOPICS) for d in range(JUDGED))
    qrels.write_text("".join(lines))
    paths = []
    for r in range(runs):
        scores = grades + rng.normal(0, 1.5, grades.shape)
        best = np.argsort(-scores, axis=1)[:, :DOCUMENTS].tolist()
        found = (
            f"{t} Q0 d{t}-{d} {i} {-i} x\n" for t, docs in enumerate(best) for i, d in enumerate(docs, 1)
        )
        paths.append(folder / f"run{r:03}.run")
        paths[-1].write_text("".join(found))
    return qrels, paths


def timed(name: str, *words: object, limit: float | None = None) -> None:
    """Run a command, and print how long it took. Exit codes 3 and 4 are verdicts of the gate."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([*COMMAND, *map(str, words)], stdout=subprocess.DEVNULL, env=os.environ)
    wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode not in (0, 3, 4):
        sys.exit(f"{name}: exit code {done.returncode}")
    verdict = "" if limit is None else " (ok)" if wall < limit else f" (MORE THAN {limit:g} s)"
    print(f"| {name} | {wall:.2f} s | {cpu:.2f} s |{verdict}", flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=100)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        qrels, runs = collection(folder, chosen.runs)
        print("| what | time | CPU time |\n|---|---|---|")
        gate = ("gate", qrels, *runs[:2], "-m", "nDCG@10", "--margin", "0.01")
        timed("gate, 50 topics × 1,000", *gate, "--comment", folder / "gate.md", limit=LIMIT)
        job = ("evaluate", qrels, *runs, "-m", "nDCG@10", "-m", "AP", "--into", folder / "scores")
        timed(f"{len(runs)} new runs", *job)
        timed(f"{len(runs)} unchanged runs", *job)
        runs[0].write_bytes(b"".join(runs[0].read_bytes().splitlines(keepends=True)[1:]))
        timed(f"1 changed run among {len(runs)}", *job)


if __name__ == "__main__":
    main()
