"""dictionaries.py: the CPU time of rankprism.pytrec_eval and pytrec_eval, for dictionaries of several sizes.

The two take turns, and the fastest round of each counts. A new evaluator is made for each run, as MTEB and
BEIR do, or one evaluator scores all runs.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytrec_eval

import rankprism.pytrec_eval

ROUNDS = 7
CUTOFFS = "1,3,5,10,20,100,1000"
OF_MTEB = {f"{name}.{CUTOFFS}" for name in ("map_cut", "ndcg_cut", "recall", "P", "success")}
#: Name, topics, documents, judged documents, runs, measures, and repetitions in a round.
SHAPES: tuple[tuple[str, int, int, int, int, set[str], int], ...] = (
    ("1 topic × 10 documents, 2 measures", 1, 10, 5, 1, {"map", "ndcg"}, 2000),
    ("1 topic × 10 documents, all measures", 1, 10, 5, 1, set(pytrec_eval.supported_measures), 300),
    ("53 × 100 × 20 runs, 3 measures", 53, 100, 40, 20, {"map", "ndcg_cut.20", "P.20"}, 2),
    ("10,000 queries × 100, MTEB's measures", 10_000, 100, 3, 1, OF_MTEB, 1),
)

Run = dict[str, dict[str, float]]


def collection(
    topics: int, documents: int, judged: int, runs: int
) -> tuple[dict[str, dict[str, int]], list[Run]]:
    rng = random.Random(1)
    ids = {
        str(t): [f"clueweb09-en{t:04d}-{i:02d}-{rng.randrange(10**5):05d}" for i in range(documents)]
        for t in range(topics)
    }
    qrels = {t: {doc: rng.choice((0, 0, 1, 2)) for doc in rng.sample(of, judged)} for t, of in ids.items()}
    return qrels, [{t: {doc: rng.random() for doc in of} for t, of in ids.items()} for _ in range(runs)]


def cpu(work: Callable[[], object], times: int) -> float:
    start = time.process_time()
    for _ in range(times):
        work()
    return (time.process_time() - start) / times


def score_anew(module: Any, qrels: dict[str, dict[str, int]], measures: set[str], runs: list[Run]) -> None:
    for run in runs:
        module.RelevanceEvaluator(qrels, measures).evaluate(run)


def score(evaluator: Any, runs: list[Run]) -> None:
    for run in runs:
        evaluator.evaluate(run)


def main() -> None:
    found: dict[str, dict[str, float]] = {}
    doors: dict[str, Any] = {"rankprism": rankprism.pytrec_eval, "pytrec_eval": pytrec_eval}
    for name, topics, documents, judged, number, measures, times in SHAPES:
        qrels, runs = collection(topics, documents, judged, number)
        seconds: dict[str, list[float]] = {}
        for _ in range(ROUNDS):
            for door, module in doors.items():
                anew = cpu(partial(score_anew, module, qrels, measures, runs), times)
                same = cpu(partial(score, module.RelevanceEvaluator(qrels, measures), runs), times)
                seconds.setdefault(f"{door}, a new evaluator", []).append(anew)
                seconds.setdefault(f"{door}, the same evaluator", []).append(same)
        found[name] = {key: min(values) for key, values in seconds.items()}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
