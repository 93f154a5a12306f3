"""one_more_measure.py MEASURE,... QRELS RUN...: what a measure adds once the files are read.

Reading is read_judgments and read_run. Scoring is evaluate on what they return; the cost of one more
measure is the difference between scoring with and without it. Each is the best of several.
"""

import json
import sys
from collections.abc import Callable
from functools import partial
from time import perf_counter

import rankprism

# The first only adds up what the others have prepared. The second needs ideal rankings of its own.
MORE = ("P_IA@20", "alpha_nDCG(alpha=0.25)@20")


ROUNDS = 7


def timed(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


measures, qrels, *runs = sys.argv[1:]
chosen = measures.split(",")
judgments = rankprism.read_judgments(qrels)
rankings = [rankprism.read_run(run) for run in runs]


def read() -> None:
    rankprism.read_judgments(qrels)
    for run in runs:
        rankprism.read_run(run)


works: dict[str, Callable[[], object]] = {"reading": read}
works["scoring"] = partial(rankprism.evaluate, judgments, rankings, chosen)
for measure in MORE:
    works[measure] = partial(rankprism.evaluate, judgments, rankings, [*chosen, measure])
best = dict.fromkeys(works, float("inf"))
for _ in range(ROUNDS):  # in turn, so that a busy moment of the machine hits all of them
    best = {name: min(best[name], timed(work)) for name, work in works.items()}
adds = {measure: best[measure] - best["scoring"] for measure in MORE}
print(json.dumps({"reading": best["reading"], "scoring": best["scoring"], "adds": adds}))
