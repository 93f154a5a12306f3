"""Minimal covers, S-precision and WS-precision."""

from __future__ import annotations

import itertools
import math
import signal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankprism import evaluate
from rankprism._core import minimal_cover

NODES = 1_000_000


def cheapest(reach: list[set[int]], need: int, a: float, b: float) -> float:
    """Every choice of documents, one after the other."""
    best = math.inf
    for size in range(len(reach) + 1):
        for chosen in itertools.combinations(reach, size):
            if len(set().union(*chosen)) >= need:
                best = min(best, sum(a * len(aspects) + b for aspects in chosen))
    return best


@st.composite
def topics(draw: st.DrawFn) -> tuple[list[set[int]], int, int]:
    aspects = draw(st.integers(1, 5) | st.integers(17, 20))  # dynamic programming, and branch and bound
    reach = draw(st.lists(st.sets(st.integers(0, aspects - 1), max_size=6), max_size=9))
    return reach, aspects, draw(st.integers(0, aspects))


@settings(max_examples=300)
@given(topics(), st.sampled_from([(0.0, 1.0), (1.0, 1.0), (0.5, 2.0), (1.0, 0.0)]))
def test_the_cover_is_the_cheapest_there_is(
    topic: tuple[list[set[int]], int, int], cost: tuple[float, float]
) -> None:
    reach, aspects, need = topic
    relevant = np.zeros((1, aspects, len(reach)))
    for d, reached in enumerate(reach):
        relevant[0, list(reached), d] = 1
    low, high = minimal_cover(relevant, np.array([need], dtype=np.int32), *cost, NODES)
    assert low == high
    assert high[0] == pytest.approx(cheapest(reach, need, *cost), rel=1e-12)


def test_a_topic_of_57_aspects_is_exact() -> None:
    # As many aspects as the largest topic of the TREC interactive tracks, each in three of 57 documents
    # that reach a neighbour on both sides: 19 documents are needed and enough.
    relevant = np.zeros((1, 57, 57))
    for d in range(57):
        for shift in (-1, 0, 1):
            relevant[0, (d + shift) % 57, d] = 1
    for need, documents in ((57, 19), (29, 10), (3, 1)):
        assert minimal_cover(relevant, np.array([need], dtype=np.int32), 0.0, 1.0, NODES)[1] == documents


# "c" reaches most at once, but "a" and "b" together reach everything: the greedy cover has three documents.
JUDGMENTS = {
    "q": {
        "1": {"a": 1},
        "2": {"a": 1, "c": 1},
        "3": {"a": 1, "c": 1},
        "4": {"b": 1, "c": 1},
        "5": {"b": 1, "c": 1},
        "6": {"b": 1},
    }
}
RUN = {"q": {"c": 3.0, "a": 2.0, "b": 1.0}}


def test_s_precision_is_exact_where_a_greedy_cover_is_not_minimal() -> None:
    scores = evaluate(JUDGMENTS, RUN, ["S_precision", "S_RR", "S_precision(level=0.5)"]).mean()["run"]
    assert scores == {"S_precision": 2 / 3, "S_RR": 1 / 3, "S_precision(level=0.5)": 1.0}


def test_ws_precision_counts_what_is_reached_twice() -> None:
    # With a = b = 1 the ranking pays (4+1) + (3+1) + (3+1) = 13, the best (3+1) + (3+1) = 8.
    assert evaluate(JUDGMENTS, RUN, "WS_precision").mean()["run"]["WS_precision"] == pytest.approx(8 / 13)


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_what_is_never_reached_scores_0() -> None:
    judgments = {"q": {"1": {"a": 1}, "2": {"b": 1}}, "r": {"1": {"a": 0}}}
    scores = evaluate(judgments, {"q": {"a": 1.0}, "r": {"a": 1.0}}, ["S_precision", "WS_precision", "S_RR"])
    assert not scores.values.any()


@settings(max_examples=200)
@given(topics(), st.sampled_from([(0.0, 1.0), (1.0, 1.0), (0.5, 2.0)]), st.integers(1, 6))
def test_a_search_that_stops_early_gives_true_bounds(
    topic: tuple[list[set[int]], int, int], cost: tuple[float, float], nodes: int
) -> None:
    reach, aspects, need = topic
    relevant = np.zeros((1, aspects, len(reach)))
    for d, reached in enumerate(reach):
        relevant[0, list(reached), d] = 1
    low, high = minimal_cover(relevant, np.array([need], dtype=np.int32), *cost, nodes)
    exact = cheapest(reach, need, *cost)
    assert low[0] <= exact * (1 + 1e-12)
    assert high[0] >= exact * (1 - 1e-12)


def hard_topic(aspects: int = 60, documents: int = 600) -> dict[str, dict[str, dict[str, int]]]:
    """Random judgments: no search of minimal covers comes to its end on them."""
    relevant = np.random.default_rng(0).random((aspects, documents)) < 0.05
    return {
        "q": {f"a{a}": {f"d{d}": 1 for d in np.flatnonzero(relevant[a]).tolist()} for a in range(aspects)}
    }


def test_s_precision_of_a_hard_topic_is_bounded() -> None:
    run = {"q": {f"d{d}": float(-d) for d in range(600)}}
    scores = evaluate(hard_topic(), run, ["S_precision(nodes=300)", "WS_precision(nodes=300)", "StRecall@10"])
    assert scores.low is not None
    assert scores.high is not None
    low, value, high = (array[0, 0] for array in (scores.low, scores.values, scores.high))
    assert (low <= value).all()
    assert (value == high).all()
    assert (low[:2] < high[:2]).all()
    assert low[2] == high[2]
    again = evaluate(hard_topic(), run, ["S_precision(nodes=300)", "WS_precision(nodes=300)", "StRecall@10"])
    assert again.low is not None
    assert again.low.tobytes() == scores.low.tobytes()


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer")
@pytest.mark.parametrize(
    "measure",
    ["S_precision(nodes=1000000000)", "alpha_nDCG(ideal='exact',nodes=1000000000)@40"],
)
def test_a_long_search_can_be_interrupted(measure: str) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            evaluate(hard_topic(), {"q": {f"d{d}": float(-d) for d in range(600)}}, [measure])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
