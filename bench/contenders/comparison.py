"""comparison.py: all pairs of many systems, by one measure; the test and the size are arguments."""

import json
import resource
import sys
from time import perf_counter
from typing import Any

import numpy as np

from rankprism import compare
from rankprism.results.scores import Scores

systems, topics = map(int, sys.argv[1:3])
test: Any
correction: Any
test, correction = sys.argv[3:5]
rng = np.random.default_rng(0)
hard = rng.beta(2, 3, (1, topics)) + rng.normal(0, 0.15, (systems, topics))
values = np.clip(hard + rng.normal(0, 0.03, (systems, 1)), 0, 1)
runs, names = (tuple(f"{what}{i:04}" for i in range(n)) for what, n in zip("rt", values.shape, strict=True))
scores = Scores(runs, names, ("nDCG@10",), values[:, :, None])

start = perf_counter()
found = compare(scores, test=test, correction=correction)
compared = perf_counter()
size = sum(map(len, found.csv_pieces())) + len(str(found))
end = perf_counter()

unit = 1 if sys.platform == "darwin" else 1024
print(
    json.dumps(
        {
            "pairs": found.p.size,
            "separated": float(found.significant.mean()),
            "comparing": compared - start,
            "writing": end - compared,
            "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6,
        }
    )
)
