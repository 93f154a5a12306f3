"""preferences.py: complete preferences of three profiles on 50 topics × 100 documents; nPrf@20 of 17 runs."""

import json
import resource
import sys
from time import perf_counter

import numpy as np

from rankprism import Collection
from rankprism.judging.preferences.experiments import Material
from rankprism.judging.preferences.simulation import Simulation, complete, users_of
from rankprism.judging.preferences.user_profiles import draw_profiles
from rankprism.measures import parse

TOPICS, DOCUMENTS, SUBTOPICS, RUNS, DEPTH, PROFILES = 50, 600, 6, 17, 300, 3

rng = np.random.default_rng(0)
names = [f"doc-{d:04}" for d in range(DOCUMENTS)]
quality = {f"{t + 1}": rng.random((SUBTOPICS, DOCUMENTS)) for t in range(TOPICS)}
judgments = {
    topic: {f"{s + 1}": {names[d]: int(good[s, d] > 0.9) for d in range(DOCUMENTS)} for s in range(SUBTOPICS)}
    for topic, good in quality.items()
}


def ranking(good: np.ndarray) -> dict[str, float]:
    """A system that sees how good documents are, with noise."""
    score = good.max(0) + rng.normal(0, 0.3, DOCUMENTS)
    return {names[d]: float(score[d]) for d in np.argsort(-score)[:DEPTH]}


runs = {f"run{r:02}": {topic: ranking(good) for topic, good in quality.items()} for r in range(RUNS)}

start = perf_counter()
material = Material.of(Collection.of(judgments, runs), Simulation())
read = perf_counter()
users = users_of(material.judged, material.pool, draw_profiles(material.judged, PROFILES, 0))
shown = complete(users)
simulated = perf_counter()
scores = material.preference_scores(shown, [parse("nPrf@20")])
end = perf_counter()

unit = 1 if sys.platform == "darwin" else 1024
asked = sum(one.alone.shown.sum() / 2 + one.given.shown.sum() / 2 for one in shown.values())
print(
    json.dumps(
        {
            "judgments": int(asked),
            "reading": read - start,
            "simulating": simulated - read,
            "scoring": end - simulated,
            "seconds": end - start,
            "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6,
            "mean": float(scores.means.mean()),
        }
    )
)
