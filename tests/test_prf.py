"""The preference measure against its definition."""

from __future__ import annotations

import random

import numpy as np
import preference_oracle as oracle
import pytest

from rankprism.data.hits import NOWHERE, Ints, Longs
from rankprism.formats.preferences import read_preferences
from rankprism.measures.preferences.prf import (
    COMBINATIONS,
    exact_ideal_prf,
    greedy_ideal,
    ideal_prf,
    prf,
    reaching,
)
from rankprism.measures.preferences.utility import NONE, UNSEEN, Shown, pooled, raw, shown_by_topic

BROWSING: list[str | tuple[float, ...]] = ["rbp", "dcg", "rr", "uniform", (0.5, 0.25, 0.125)]


def some_rows(rng: random.Random, documents: int, judgments: int) -> list[oracle.Row]:
    names = [f"d{i}" for i in range(documents)]
    rows = []
    for _ in range(judgments):
        left, right, *rest = rng.sample(names, min(documents, 4))
        given = tuple(sorted(rest[: rng.choice([0, 1, 1, 1, 2])]))
        rows.append((given, left, right, rng.choice(["left", "right", "tie"])))
    return rows


def read(rows: list[oracle.Row]) -> Shown:
    return shown_by_topic(read_preferences([("q", given, *rest) for given, *rest in rows]))["q"]


def placed(docs: tuple[str, ...], rankings: list[list[str]]) -> tuple[Ints, Longs]:
    """Ranks and positions of the documents that the judgments name."""
    hits = [[(i, docs.index(d)) for i, d in enumerate(r, 1) if d in docs] for r in rankings]
    width = max(map(len, hits), default=0)
    rank = np.full((len(hits), width), NOWHERE, dtype=np.int32)
    doc = np.full((len(hits), width), NONE, dtype=np.int64)
    for n, found in enumerate(hits):
        for h, (i, d) in enumerate(found):
            rank[n, h], doc[n, h] = i, d
    return rank, doc


@pytest.mark.parametrize("unseen", UNSEEN)
@pytest.mark.parametrize("combine", COMBINATIONS)
def test_rankings_score_as_the_definition_says(combine: str, unseen: str) -> None:
    rng = random.Random(f"{combine} {unseen}")
    for _ in range(25):
        rows = some_rows(rng, rng.randint(3, 7), rng.randint(1, 60))
        shown = read(rows)
        names = [f"d{i}" for i in range(9)]  # the last ones were never judged
        rankings = [rng.sample(names, rng.randint(0, 9)) for _ in range(4)]
        u = raw(shown, unseen)
        for browsing in BROWSING:
            for cutoff in (None, 1, 3, 20):
                last = int(u.pool.sum()) if cutoff is None else cutoff
                reach = reaching(browsing, 0.3, last, last)
                found = prf(u, *placed(shown.docs, rankings), combine, reach)
                for score, ranking in zip(found, rankings, strict=True):
                    slow = oracle.prf(rows, ranking, browsing, 0.3, combine, unseen, cutoff)
                    assert score == pytest.approx(slow, abs=1e-12)


@pytest.mark.parametrize("unseen", UNSEEN)
@pytest.mark.parametrize("combine", COMBINATIONS)
def test_ideals_are_the_greedy_and_the_best_ranking(combine: str, unseen: str) -> None:
    rng = random.Random(f"ideal {combine} {unseen}")
    for _ in range(12):
        rows = some_rows(rng, rng.randint(3, 6), rng.randint(1, 60))
        shown = read(rows)
        u = raw(shown, unseen)
        depth = rng.randint(1, 5)
        reach = reaching("dcg", 0.2, depth, depth)
        order = [shown.docs[d] for d in greedy_ideal(u, combine, depth)]
        assert order == oracle.greedy(rows, combine, unseen, depth)
        settings = ("dcg", 0.2, combine, unseen, depth)
        assert ideal_prf(u, combine, reach) == pytest.approx(oracle.prf(rows, order, *settings), abs=1e-12)
        low, high = exact_ideal_prf(u, combine, reach, 100_000)
        assert low == high == pytest.approx(oracle.best(rows, depth, *settings), abs=1e-12)
        low, high = exact_ideal_prf(u, combine, reach, 2)
        assert low - 1e-12 <= oracle.best(rows, depth, *settings) <= high + 1e-12


def test_pooled_utilities_follow_complete_preferences() -> None:
    """With many judgments of every pair, the pooled estimate comes close to the shares themselves."""
    rng = np.random.default_rng(7)
    strength = rng.normal(size=6)
    rows: list[oracle.Row] = []
    for _ in range(40):
        for i in range(6):
            for j in range(i):
                for z in (None, *[k for k in range(6) if k not in (i, j)]):
                    won = rng.random() < 1 / (1 + np.exp(strength[j] - strength[i]))
                    rows.append(
                        ((f"d{z}",) if z is not None else (), f"d{i}", f"d{j}", "left" if won else "right")
                    )
    shown = read(rows)
    u, v = raw(shown, "zero"), pooled(shown, "zero", 0.0)
    assert np.abs(u.given - v.given).max() < 0.05
    assert np.abs(u.alone - v.alone).max() < 0.05
