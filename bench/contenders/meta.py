"""meta.py: discriminative power and unanimity of 70 systems × 50 topics, against a loop over the pairs."""

import json
import resource
import sys
from time import perf_counter

import numpy as np

from rankprism import Scores
from rankprism.meta import unanimity
from rankprism.statistics import paired, resampling

SYSTEMS, TOPICS, RESAMPLES, VARIANTS, ALPHA = 70, 50, 10_000, 120, 0.05

rng = np.random.default_rng(0)
quality = rng.normal(0, 0.05, (SYSTEMS, 1)) + rng.normal(0, 0.15, (1, TOPICS))
scores = np.clip(0.4 + quality + rng.normal(0, 0.1, (SYSTEMS, TOPICS)), 0, 1)
pairs = paired.all_pairs(SYSTEMS)
z = scores[pairs[:, 0]] - scores[pairs[:, 1]]


def pair_by_pair() -> np.ndarray:
    """The usual way to write it: resample each pair's differences, then look at t."""
    drawn = np.random.default_rng(0).integers(TOPICS, size=(RESAMPLES, TOPICS))
    levels = []
    for row in z:
        w = (row - row.mean())[drawn]
        t = np.abs(w.mean(1) / (w.std(1, ddof=1) / np.sqrt(TOPICS)))
        levels.append((t >= abs(row.mean() / (row.std(ddof=1) / np.sqrt(TOPICS)))).mean())
    return np.array(levels)


def megabytes() -> float:
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


start = perf_counter()
found = resampling.bootstrap(z, ALPHA, RESAMPLES, 0)
bootstrap = perf_counter() - start
memory = megabytes()
resampling.bootstrap(z[:40], ALPHA, 20 * RESAMPLES, 0)
memory_of_20_times_as_many = megabytes()

start = perf_counter()
loop = pair_by_pair()
looped = perf_counter() - start

variants = np.clip(scores[:, :, None] + rng.normal(0, 0.02, (SYSTEMS, TOPICS, VARIANTS)), 0, 1)
runs, topics, measures = (tuple(map(str, range(size))) for size in variants.shape)
all_scores = Scores(runs, topics, measures, variants)
start = perf_counter()
unanimity(all_scores)
mu = perf_counter() - start

print(
    json.dumps(
        {
            "bootstrap": bootstrap,
            "loop": looped,
            "difference": float(np.abs(found.asl - loop).max()),
            "unanimity": mu,
            "megabytes": memory,
            "megabytes, 20 × resamples": memory_of_20_times_as_many,
        }
    )
)
