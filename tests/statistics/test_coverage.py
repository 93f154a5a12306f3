"""Intervals keep their claims: a short form of `make coverage`, which could fail."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy import stats

import rankprism
import simulations.coverage  # noqa: F401 - it registers the simulations
from rankprism.meta.axioms.thresholds import Thresholds
from rankprism.results.result import Result
from rankprism.results.scores import Scores, ScoreTable
from rankprism.statistics.claims import CLAIMS, enough
from rankprism.statistics.tails import heavy_means, kurtosis
from simulations.gate import SIMULATIONS, Studies, cell, measured, needed
from simulations.judges import (
    OF_ASPECTS,
    FewLabels,
    FewLabelsOfAspects,
    difference_from_few_labels,
    score_from_few_labels,
)
from simulations.populations import AD_HOC_8, HARSH, REAL, Population

#: Their low and high are proved bounds, or ends of a range of parameters. No sample is behind them.
PROVED = {Scores, ScoreTable, Thresholds}
#: Their intervals have no claim yet.
WAITING: frozenset[str] = frozenset()
#: How many standard errors a share may be away by chance: the gate fails by chance once in 30,000 cells.
TOLERANCE = 4.0


def subclasses(of: type[Any]) -> Iterator[Any]:
    for one in of.__subclasses__():
        yield one
        yield from subclasses(one)


@pytest.fixture(scope="module")
def results() -> list[type[Result]]:
    """Every kind of result in the package."""
    for module in pkgutil.walk_packages(rankprism.__path__, "rankprism."):
        if not re.search(r"__main__|migrations|\.spark", module.name):
            importlib.import_module(module.name)
    return sorted(
        {one for one in subclasses(Result) if one.__module__.startswith("rankprism.")},
        key=lambda x: x.__name__,
    )


def test_every_claim_has_a_simulation_and_every_simulation_a_claim() -> None:
    assert set(SIMULATIONS) == set(CLAIMS)
    for name, simulated in SIMULATIONS.items():
        assert any(not getattr(p, "harsh", False) for p in simulated.populations), name


def test_every_result_with_intervals_names_its_claims(results: list[type[Result]]) -> None:
    signs = re.compile(r"low\"|between=|\bends\(|with_interval|\.low\b|\.interval\b")
    for one in results:
        assert set(one.claims) <= set(CLAIMS), one
        printed = signs.search(inspect.getsource(one)) and one not in PROVED
        assert not printed or one.claims or one.__name__ in WAITING, one
        assert not one.claims or one.__name__ not in WAITING, one


def test_too_few_units_are_said() -> None:
    assert enough("a mean", CLAIMS["a mean"].fewest)
    with pytest.warns(
        rankprism.RankprismWarning, match=r"there is no interval of a mean: it needs .* 1 \[no-"
    ):
        assert not enough("a mean", 1)


def test_the_populations_have_the_means_they_say() -> None:
    for population in REAL:
        drawn = population.draw(np.random.default_rng(3), 400, 50, 3)
        error = drawn.mean(2).std(0) / np.sqrt(400)
        assert (np.abs(drawn.mean((0, 2)) - population.means(3)) < 4 * error).all(), population


def test_an_interval_that_is_too_narrow_or_too_wide_fails() -> None:
    found = SIMULATIONS["a mean"].simulation(AD_HOC_8, 20, 400, 1)
    for factor, fails in ((0.6, True), (1.0, False), (1.6, True)):
        half = factor * (found.high - found.estimate)
        changed = Studies(found.estimate, found.estimate - half, found.estimate + half, found.truth)
        assert measured("a mean", AD_HOC_8, 20, changed).fails(TOLERANCE) == fails


def test_the_gate_asks_for_no_more_than_students_interval_of_normal_scores() -> None:
    rng = np.random.default_rng(0)
    for units in (2, 3, 5, 10, 50):
        x = rng.standard_normal((20_000, units))
        half = x.std(1, ddof=1) * needed(units) * 1.96 / np.sqrt(units) / np.mean(x.std(1, ddof=1))
        assert abs((np.abs(x.mean(1)) < half).mean() - 0.95) < 0.01


@pytest.mark.parametrize("studies", [30, pytest.param(60, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("claim", CLAIMS)
def test_intervals_hold_the_truth_as_often_as_they_say(claim: str, studies: int) -> None:
    """Few studies of one real population with few and with many units."""
    population = next(p for p in SIMULATIONS[claim].populations if not getattr(p, "harsh", False))
    for units in (3, 20):
        found = cell(claim, population, units, studies=studies)
        assert found.printed == 0 or not found.fails(TOLERANCE), found
        assert (found.printed > 0) == (units >= CLAIMS[claim].fewest), found


def noted(population: Population, topics: int, studies: int = 60) -> float:
    """The share of comparisons of five runs that say that a few topics decide."""
    rng, found = np.random.default_rng(4), 0
    runs, names = tuple("abcde"), tuple(map(str, range(topics)))
    for values in population.draw(rng, studies, topics, 5):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            compared = rankprism.compare(Scores(runs, names, ("M",), values[:, :, None]))
        kinds = [note["kind"] for note in compared.about["scores"].get("notes", [])]
        assert len(caught) == len(kinds)
        found += "heavy-tails" in kinds
    return found / studies


def test_populations_in_which_intervals_hold_too_seldom_are_noted_and_real_ones_are_not() -> None:
    for population in HARSH:
        assert noted(population, 50) > 0.8, population
        values = population.draw(np.random.default_rng(5), 1, 50, 5)[0]
        assert [note.kind for note in heavy_means(values[:, :, None], ["M"])] == ["heavy-tails"]
    for population in REAL:
        assert noted(population, 20) <= 0.05, population
        values = population.draw(np.random.default_rng(5), 1, 50, 5)[0]
        assert heavy_means(values[:, :, None], ["M"]) == []


def test_kurtosis_equals_that_of_scipy_whatever_the_unit() -> None:
    values = np.random.default_rng(6).exponential(size=(5, 40))
    for factor in (1e-120, 1.0, 1e120):
        np.testing.assert_allclose(kurtosis(values * factor), stats.kurtosis(values, axis=1, fisher=False))
    holes = np.where(np.arange(40) % 7 == 0, np.nan, values)
    np.testing.assert_allclose(
        kurtosis(holes), stats.kurtosis(holes, axis=1, fisher=False, nan_policy="omit")
    )
    assert np.isnan(kurtosis(np.full((1, 9), 0.1))).all()


def test_intervals_of_significant_pairs_count_alone() -> None:
    # Two of three intervals are chosen in the first study, of which one holds; none is in the second.
    estimate = np.array([[0.0, 0, 0], [1, 1, 1]])
    chosen = np.array([[True, True, False], [False] * 3])
    low, high = np.array([[-1.0, 1, 1], [1, 1, 1]]), np.array([[1.0, 2, 2], [2, 2, 2]])
    found = measured("significant differences by t", AD_HOC_8, 20, Studies(estimate, low, high, 0.0, chosen))
    assert found.covered == (0.5 + 1) / 2
    assert found.together == 3 / 1.5


def held(found: Studies) -> float:
    return float(((found.low <= found.truth) & (found.truth <= found.high)).mean())


def test_intervals_hold_if_a_judge_is_wrong_about_very_few_documents() -> None:
    """Labels that are all as predicted do not show that the others are, too."""
    assert held(score_from_few_labels(FewLabels("nDCG@10", "a nearly perfect"), 200, 60, 3)) >= 0.93


@pytest.mark.parametrize(
    "measure", [OF_ASPECTS[0], *(pytest.param(each, marks=pytest.mark.nightly) for each in OF_ASPECTS[1:])]
)
def test_intervals_hold_if_topics_have_several_aspects(measure: str) -> None:
    for simulation in (score_from_few_labels, difference_from_few_labels):
        assert held(simulation(FewLabelsOfAspects(measure), 200, 40, 3)) >= 0.9
