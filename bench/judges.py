"""How long scores from few labels take: `python bench/judges.py` prints CPU time and memory.

The first pool has the size of TREC Deep Learning 2021, the second a million pairs.
"""

from __future__ import annotations

import multiprocessing
import resource
import time
from typing import Any, NamedTuple

import numpy as np

from rankprism import judges

MEASURES = ("P(rel=2)@10", "nDCG@10", "AP(rel=2)", "RBP(p=0.8)", "ERR@10")


class Size(NamedTuple):
    topics: int
    documents: int  #: of a topic
    runs: int
    depth: int
    labels: int

    def __str__(self) -> str:
        pairs = self.topics * self.documents
        return f"{self.runs} runs × {self.topics} topics, {pairs:,} pairs, {self.labels:,} labels"


SIZES = (Size(53, 204, 63, 100, 540), Size(1000, 1000, 20, 100, 20_000))


def collection(size: Size) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Complete labels of people and of a judge, and runs."""
    rng = np.random.default_rng(0)
    x = rng.normal(rng.normal(0, 0.5, (size.topics, 1)), 1, (size.topics, size.documents))
    docs = [f"d{d}" for d in range(size.documents)]

    def graded(noise: float) -> dict[str, Any]:
        grades = np.digitize(x + rng.normal(0, noise, x.shape), [0.6, 1.4, 2.2])
        return {f"t{t}": dict(zip(docs, row.tolist(), strict=True)) for t, row in enumerate(grades)}

    people, judge, runs = graded(0.3), graded(0.8), {}
    for r in range(size.runs):
        score = x + rng.normal(0, 0.6 + 0.02 * r, x.shape)
        top = np.argsort(-score, axis=1)[:, : size.depth]
        runs[f"r{r}"] = {
            f"t{t}": {docs[d]: float(score[t, d]) for d in top[t].tolist()} for t in range(size.topics)
        }
    return people, judge, runs


def measure(size: Size) -> None:
    people, judge, runs = collection(size)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    spent = {}
    began = time.process_time()
    chosen = judges.select(runs, {"judge": judge}, MEASURES, budget=size.labels)
    spent["select"] = time.process_time() - began
    labels = [
        {"topic": p.topic, "doc": p.doc, "grade": people[p.topic][p.doc], "probability": p.probability}
        for p in chosen.pairs
    ]
    began = time.process_time()
    judges.score(labels, {"judge": judge}, runs, MEASURES)
    spent["score"] = time.process_time() - began
    began = time.process_time()
    judges.agree(people, {"judge": judge}, runs, MEASURES)
    spent["agree"] = time.process_time() - began
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    times = " | ".join(f"{seconds:.1f} s" for seconds in spent.values())
    print(f"| {size} | {times} | {before / 1e6:.2f} GB | {after / 1e6:.2f} GB |", flush=True)


def main() -> None:
    print(f"{len(MEASURES)} measures: {', '.join(MEASURES)}\n")
    print("| pool | select | score | agree | memory before | peak memory |\n|---|---:|---:|---:|---:|---:|")
    for size in SIZES:
        # A process of its own, because memory is counted by its peak.
        process = multiprocessing.get_context("spawn").Process(target=measure, args=(size,))
        process.start()
        process.join()


if __name__ == "__main__":
    main()
