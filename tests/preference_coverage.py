"""How often intervals from resampled assessors hold the score that very many assessors would lead to.

    python tests/preference_coverage.py

Assessors have tastes around a common one, and each is asked some of all questions on each topic. The truth is
the score by 150 assessors who answer everything.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from rankprism.arrays import Floats
from rankprism.preferences.rescoring import aligned
from rankprism.preferences.score_intervals import intervals
from rankprism.results.scores import mean_over_topics

Rows = list[tuple[str, str, str, str, str, str]]
POPULATION = 150


class World:
    """Topics, documents and the taste that assessors have in common."""

    def __init__(self, topics: int, documents: int, seed: int = 5) -> None:
        rng = np.random.default_rng(seed)
        self.taste = rng.normal(size=(topics, documents))
        self.docs = [f"d{d}" for d in range(documents)]
        every = range(documents)
        self.questions = [
            (z, a, b) for a, b in combinations(every, 2) for z in (-1, *(d for d in every if d not in (a, b)))
        ]
        self.runs = {
            "one": [rng.permutation(documents) for _ in self.taste],
            "two": [np.argsort(-row + rng.normal(size=documents) * 0.5) for row in self.taste],
        }

    def run(self, name: str) -> dict[str, dict[str, float]]:
        return {
            f"t{t}": {self.docs[d]: -float(i) for i, d in enumerate(order)}
            for t, order in enumerate(self.runs[name])
        }

    def answers(self, rng: np.random.Generator, name: str, asked: int | None = None) -> Rows:
        """What one assessor says: what is like the given document is worth less."""
        taste = self.taste + rng.normal(size=self.taste.shape) * 0.8
        rows: Rows = []
        for t, own in enumerate(taste):
            some = (
                rng.choice(len(self.questions), asked, replace=False) if asked else range(len(self.questions))
            )
            for z, a, b in (self.questions[q] for q in some):
                worth = own - 0.5 * (np.abs(own - own[z]) < 0.3) if z >= 0 else own
                outcome = "left" if worth[a] > worth[b] else "right"
                given = self.docs[z] if z >= 0 else ""
                rows.append((f"t{t}", given, self.docs[a], self.docs[b], outcome, name))
        return rows


class Coverage(NamedTuple):
    """The shares of 95 % intervals that hold the truth."""

    runs: float
    differences: float
    runs_by_quantiles: float  #: with the quantiles of the resampled means as the ends of the interval
    differences_by_quantiles: float


def coverage(
    world: World, measure: str, assessors: int, asked: int, studies: int, resamples: int
) -> Coverage:
    """How often intervals of the two runs, and of their difference, hold the truth."""
    runs = {name: world.run(name) for name in world.runs}
    rng = np.random.default_rng(99)
    people = [row for k in range(POPULATION) for row in world.answers(rng, f"p{k}")]
    truth: Floats = mean_over_topics(aligned(people, runs, [measure]).scores(range(POPULATION)))[:, 0]
    # Of every study whether the interval of each run and of the difference held, and that by quantiles did.
    held = np.empty((studies, 3, 2))
    for study in range(studies):
        rng = np.random.default_rng(1000 + study)
        rows = [row for k in range(assessors) for row in world.answers(rng, f"a{k}", asked)]
        found = intervals(rows, runs, measure, resample="assessors", resamples=resamples, seed=study)
        wanted = (*truth, truth[0] - truth[1])
        ends = (*found.of_runs.values(), *found.of_pairs.values())
        for i, (one, value) in enumerate(zip(ends, wanted, strict=True)):
            # The basic interval is that of the quantiles, mirrored at the mean.
            mirrored = 2 * one.mean - value
            held[study, i] = one.low <= value <= one.high, one.low <= mirrored <= one.high
    shares = held.mean(0)
    of_runs, of_pairs = shares[:2].mean(0).tolist(), shares[2].tolist()
    return Coverage(of_runs[0], of_pairs[0], of_runs[1], of_pairs[1])


if __name__ == "__main__":
    for name in ("nPrf@4", "Prf@4"):
        print(name, coverage(World(8, 6), name, assessors=12, asked=20, studies=60, resamples=100))
