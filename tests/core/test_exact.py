"""The certified best ranking, against every possible ranking."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankprism import evaluate
from rankprism._core import exact, greedy

Cube = npt.NDArray[np.float64]


def worth(value: Cube, stop: Cube, discount: npt.NDArray[np.float64], order: Any) -> float:
    """Σ_i D(i) Σ_a value(a, d_i) Π_{j<i} (1 - stop(a, d_j)), one document after the other."""
    left = np.ones(len(value))
    total = 0.0
    for i, d in enumerate(order):
        total += discount[i] * float((value[:, d] * left).sum())
        left = left * (1 - stop[:, d])
    return total


@st.composite
def problems(draw: st.DrawFn) -> tuple[Cube, Cube, npt.NDArray[np.float64]]:
    """The three kinds of measures: α-nDCG, nNRBP, and nERR-IA, binary or graded."""
    aspects, docs = draw(st.integers(1, 4)), draw(st.integers(1, 6))
    grades = draw(st.lists(st.integers(0, 3), min_size=aspects * docs, max_size=aspects * docs))
    grade = np.array(grades, dtype=np.float64).reshape(aspects, docs)
    weight = np.array(draw(st.lists(st.integers(1, 4), min_size=aspects, max_size=aspects))) / 4
    alpha = draw(st.sampled_from([0.1, 0.25, 0.5, 0.75, 1.0]))
    if draw(st.booleans()):
        gain = (np.exp2(grade) - 1) / 8
        stop = gain
    else:
        gain = (grade > 0).astype(np.float64)
        stop = alpha * gain
    i = np.arange(1, draw(st.integers(1, docs)) + 1)
    discounts = [1 / np.log2(i + 1), 1 / i, 0.5 ** (i - 1.0), 0.9 ** (i - 1.0)]
    return gain * weight[:, None], stop, draw(st.sampled_from(discounts))


@settings(max_examples=250)
@given(problems())
def test_the_optimum_is_certified(problem: tuple[Cube, Cube, npt.NDArray[np.float64]]) -> None:
    value, stop, discount = problem
    orders = itertools.permutations(range(value.shape[1]), len(discount))
    optimum = max(worth(value, stop, discount, order) for order in orders)
    order, low, high = exact(value[None], stop[None], discount, 1_000_000)
    ranking = [d for d in order[0] if d >= 0]
    assert len(set(ranking)) == len(ranking) <= len(discount)
    assert worth(value, stop, discount, ranking) == pytest.approx(low[0], rel=1e-13)
    assert low[0] == pytest.approx(optimum, rel=1e-10, abs=1e-12)
    assert high[0] == pytest.approx(optimum, rel=1e-10, abs=1e-12)
    chosen = [d for d in greedy(value[None], stop[None])[0][: len(discount)] if d >= 0]
    assert worth(value, stop, discount, chosen) <= high[0] * (1 + 1e-12)


@settings(max_examples=150)
@given(problems(), st.integers(1, 30))
def test_however_short_the_search_the_optimum_lies_between_its_bounds(
    problem: tuple[Cube, Cube, npt.NDArray[np.float64]], nodes: int
) -> None:
    value, stop, discount = problem
    orders = itertools.permutations(range(value.shape[1]), len(discount))
    optimum = max(worth(value, stop, discount, order) for order in orders)
    order, low, high = exact(value[None], stop[None], discount, nodes)
    assert worth(value, stop, discount, [d for d in order[0] if d >= 0]) == pytest.approx(low[0], rel=1e-13)
    assert low[0] <= optimum * (1 + 1e-10) + 1e-12
    assert high[0] >= optimum * (1 - 1e-10) - 1e-12
    assert low[0] <= high[0]


def test_a_score_above_1_is_1_with_the_exact_ideal() -> None:
    judgments = {
        "q": {
            "1": {"a": 1, "z": 1},
            "2": {"a": 1, "z": 1},
            "3": {"a": 1},
            "4": {"b": 1, "z": 1},
            "5": {"b": 1, "z": 1},
            "6": {"b": 1},
        }
    }
    run = {"q": {"a": 3.0, "b": 2.0}}
    measures = ["alpha_nDCG(alpha=1)@2", "alpha_nDCG(alpha=1,ideal='exact')@2"]
    scores = evaluate(judgments, run, measures)
    # Greedy: "z" first with 4 aspects, then one new aspect: 4 + 1/log2(3); the run: 3 + 3/log2(3).
    greedy_ideal, best = 4 + 1 / np.log2(3), 3 + 3 / np.log2(3)
    assert scores.values[0, 0, 0] == pytest.approx(best / greedy_ideal)
    assert scores.values[0, 0, 0] > 1
    assert scores.values[0, 0, 1] == pytest.approx(1.0)
    assert scores.low is not None
    assert scores.high is not None
    assert scores.low[0, 0, 1] == pytest.approx(1.0)


def test_an_unfinished_search_gives_an_interval() -> None:
    chance = np.random.default_rng(7)
    judgments = {
        "q": {str(a): {f"d{d}": int(g) for d, g in enumerate(chance.integers(0, 4, 60))} for a in range(8)}
    }
    run = {"q": {f"d{d}": float(-d) for d in range(60)}}
    short, long = (f"nERR_IA(gain='probability',ideal='exact',nodes={n})@20" for n in (1, 200_000))
    scores = evaluate(judgments, run, [short, long])
    assert scores.low is not None
    assert scores.high is not None
    low, high = scores.low[0, 0], scores.high[0, 0]
    assert low[0] <= low[1] * (1 + 1e-9)
    assert high[1] <= high[0] * (1 + 1e-9)
    assert (low <= scores.values[0, 0]).all()
    assert (scores.values[0, 0] <= high).all()


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_real_topics_are_certified(collections: Path) -> None:
    certified = 0
    for year, name in (("2009", "qrels.diversity.gz"), ("2012", "qrels-for-ndeval.txt.gz")):
        folder = collections / f"trec-web-{year}"
        runs = sorted((folder / "runs").iterdir())
        measures = ["alpha_nDCG(ideal='exact')@20", "nERR_IA(ideal='exact')@20"]
        scores = evaluate(folder / name, runs, measures)
        assert scores.low is not None
        assert scores.high is not None
        assert scores.values.max() <= 1 + 1e-9
        certified += int((scores.high - scores.low < 1e-12).all(0).sum())
    assert certified == 2 * 50 * 2  # every topic, both measures
