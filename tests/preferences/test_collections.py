"""Analyses of preferences take a collection in the place of what it is made of."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from rankprism import Collection, InputError, RankprismWarning, preferences
from rankprism.judging.preferences.simulation import best_documents

ROWS = [
    ("q", "", "x", "y", "left", "ann"),
    ("q", "", "y", "z", "left", "ben"),
    ("r", "", "x", "y", "right", "ann"),
]
QRELS = {t: {"s": {"x": 1, "z": 1}, "u": {"y": 1}} for t in "qr"}
RUNS = {"b": {"q": ["x", "y"], "r": ["z", "y", "x"]}, "a": {"q": ["y", "z", "x"], "r": ["x"]}}
HOW: dict[str, Any] = {"order": "input", "run_depth": 2}
SEEN: dict[str, Any] = {"documents": 3, "seed": 1}

OF_PREFERENCES: list[Callable[..., Any]] = [
    partial(preferences.describe, cutoff=2),
    partial(preferences.evaluate_by, measures="ppref"),
    partial(preferences.intervals, measures="ppref", over="topics"),
]
OF_JUDGMENTS: list[Callable[..., Any]] = [
    partial(preferences.simulate, documents=3),
    partial(
        preferences.plan, measures="nPrf@2", choices=["random"], budgets=[1, 2], repetitions=2, target=0.5
    ),
    partial(preferences.measure_correlation, cutoff=2, intervals=0, **SEEN),
    partial(preferences.profile_correlation, draw=2, intervals=0, **SEEN),
    partial(preferences.incomplete_correlation, draw=2, triplets=[1], repetitions=2, **SEEN),
]
OF_RUNS: list[Callable[..., Any]] = [
    partial(preferences.read_rankings, depth=2),
    partial(preferences.select, budget=3, measures="nPrf@2"),
    partial(best_documents, number=2),
]


@pytest.fixture(autouse=True)
def few() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankprismWarning)
        yield


def shown(found: Any) -> str:
    columns = getattr(getattr(found, "rows", None), "columns", None)
    return str(getattr(found, "topics", found)) if columns is None else f"{columns} {found}"


@pytest.mark.parametrize("analyse", OF_PREFERENCES)
def test_preferences_and_runs_are_a_collection(analyse: Callable[..., Any]) -> None:
    collection = Collection.of(None, RUNS, preferences=ROWS, **HOW)
    assert shown(analyse(collection)) == shown(analyse(ROWS, RUNS, **HOW))
    with pytest.raises(TypeError, match="order is part of a Collection"):
        analyse(collection, order="score")


@pytest.mark.parametrize("analyse", OF_JUDGMENTS)
def test_subtopics_and_runs_are_a_collection(analyse: Callable[..., Any]) -> None:
    assert shown(analyse(Collection.of(QRELS, RUNS, **HOW))) == shown(analyse(QRELS, RUNS, **HOW))
    with pytest.raises(TypeError, match="runs are missing"):
        analyse(QRELS)


@pytest.mark.parametrize("analyse", OF_RUNS)
def test_runs_are_a_collection(analyse: Callable[..., Any]) -> None:
    expected = shown(analyse(RUNS, **HOW))
    for collection in (Collection.of(None, RUNS, **HOW), Collection.of(QRELS, RUNS, **HOW)):
        assert shown(analyse(collection)) == expected


def test_questions_follow_from_the_preferences_of_a_collection() -> None:
    given = partial(preferences.select, budget=3, measures="nPrf@2", choice="adaptive")
    collection = Collection.of(None, RUNS, preferences=ROWS)
    assert given(collection) == given(RUNS, ROWS) != given(RUNS)
    with pytest.raises(TypeError, match="preferences is part of a Collection"):
        given(collection, ROWS)


def test_options_of_judgments_are_refused_where_there_are_only_preferences() -> None:
    with pytest.raises(InputError, match="weights is for absolute judgments, but only preferences are given"):
        Collection.of(None, RUNS, preferences=ROWS, weights={"q": {"s": 1}})


def test_runs_of_a_description_and_of_an_experiment_are_noted() -> None:
    backwards = {
        n: [(t, d, s, r) for t in "qr" for d, s, r in (("x", 1.0, 1), ("y", 2.0, 2), ("z", 3.0, 3))]
        for n in "ab"
    }
    with pytest.warns(RankprismWarning, match=r"\[rising-scores\]"):
        preferences.describe(ROWS, backwards)
    with pytest.raises(InputError, match="all runs need the same topics"):
        preferences.measure_correlation(QRELS, RUNS, topics="retrieved")


def test_an_iterator_of_rows_is_a_run_of_an_experiment() -> None:
    rows = {
        name: [(t, d, float(-n)) for t, docs in of.items() for n, d in enumerate(docs)]
        for name, of in RUNS.items()
    }
    once: Any = {name: iter(of) for name, of in rows.items()}
    expected = preferences.measure_correlation(QRELS, rows, cutoff=2, intervals=0, **SEEN)
    assert shown(preferences.measure_correlation(QRELS, once, cutoff=2, intervals=0, **SEEN)) == shown(
        expected
    )
