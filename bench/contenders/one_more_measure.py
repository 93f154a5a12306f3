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

# One that only adds up what the others have prepared, and one that needs ideal rankings of its own.
MORE = ("P_IA@20", "alpha_nDCG(alpha=0.25)@20")


def best(work: Callable[[], object], times: int = 5) -> float:
    seconds = []
    for _ in range(times):
        start = perf_counter()
        work()
        seconds.append(perf_counter() - start)
    return min(seconds)


measures, qrels, *runs = sys.argv[1:]
chosen = measures.split(",")
judgments = rankprism.read_judgments(qrels)
rankings = [rankprism.read_run(run) for run in runs]


def read() -> None:
    rankprism.read_judgments(qrels)
    for run in runs:
        rankprism.read_run(run)


reading = best(read)
scoring = best(partial(rankprism.evaluate, judgments, rankings, chosen))
adds = {m: best(partial(rankprism.evaluate, judgments, rankings, [*chosen, m])) - scoring for m in MORE}
print(json.dumps({"reading": reading, "scoring": scoring, "adds": adds}))
