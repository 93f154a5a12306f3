"""What `unseen` does to nPrf where few pairs were shown: the table in docs/preferences.md."""

from __future__ import annotations

import warnings

import numpy as np

from rankprism import Preferences, RankprismWarning, evaluate, read_preferences
from rankprism.measures.known.prf import COMBINATIONS
from rankprism.measures.preferences.utility import UNSEEN, shown_by_topic

TOPICS, DOCUMENTS, KINDS = 10, 100, 8
DOCS = [f"d{i:03d}" for i in range(DOCUMENTS)]
#: What a document loses once a document of its kind has been read.
LOSS = 2.0


def judged(triplets: int, quality: np.ndarray, kind: np.ndarray) -> Preferences:
    """Random triplets. The document that is worth more after the given one wins."""
    rng = np.random.default_rng(triplets)
    rows = []
    for t in range(TOPICS):
        for _ in range(triplets):
            a, b, z = rng.choice(DOCUMENTS, 3, replace=False)
            worth = [quality[t, d] - LOSS * (kind[t, d] == kind[t, z]) for d in (a, b)]
            rows.append((f"t{t}", DOCS[z], DOCS[a], DOCS[b], "left" if worth[0] > worth[1] else "right"))
    return read_preferences(rows)


def main() -> None:
    rng = np.random.default_rng(2013)
    quality = rng.normal(size=(TOPICS, DOCUMENTS))
    kind = rng.integers(0, KINDS, size=(TOPICS, DOCUMENTS))
    runs = {}
    for name, noise in {"best": 0.0, "good": 0.7, "fair": 1.5, "random": 100.0}.items():
        noisy = [quality[t] + noise * rng.normal(size=DOCUMENTS) for t in range(TOPICS)]
        runs[name] = {
            f"t{t}": dict(zip(DOCS, scores.tolist(), strict=True)) for t, scores in enumerate(noisy)
        }
    measures = [f"nPrf(combine='{c}',unseen='{u}')@20" for c in COMBINATIONS for u in UNSEEN]
    warnings.simplefilter("ignore", RankprismWarning)
    for triplets in (1_000, 30_000):
        preferences = judged(triplets, quality, kind)
        seen = np.mean([(one.given.shown > 0).mean() for one in shown_by_topic(preferences).values()])
        print(f"{triplets:,} triplets per topic, which show {seen:.1%} of the pairs (d|z)")
        print(evaluate(preferences, runs, [*measures, "nPrf(estimate='pooled')@20"]).to_markdown(digits=3))


if __name__ == "__main__":
    main()
