"""Simulations of the intervals of meta-evaluation.

An interval has to hold the expected value of a figure: its mean over collections with as many topics.
This is estimated by the mean over all studies of a cell. Its error is a thirtieth of the figure's
standard deviation, which changes a coverage by less than .0002.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from rankprism.judging.aspects.approaches import ratio
from rankprism.meta import agreement, correlation, intuitiveness, power, swap, unanimity
from rankprism.results.scores import Scores
from simulations.gate import Studies, simulates
from simulations.populations import AD_HOC_8, DL_2021, WEB_2009, Floats, Population

#: a figure and the ends of its interval
Figure: TypeAlias = tuple[float, float, float]
NAN = float("nan")


@dataclass(frozen=True)
class Collection:
    """Some runs of a population, by the measures a and b, which are exchangeable, c, which is noisier, and a
    gold measure."""

    population: Population
    runs: int

    @property
    def name(self) -> str:
        return f"{self.runs} runs, {self.population.name}"

    def draw(self, rng: np.random.Generator, topics: int) -> Scores:
        values = self.population.draw_measures(rng, 1, topics, self.runs, (1.0, 1.0, 2.0, 1.0))[0]
        runs = tuple(f"run{r}" for r in range(self.runs))
        return Scores(runs, tuple(map(str, range(topics))), ("a", "b", "c", "gold"), values)


COLLECTIONS = (Collection(WEB_2009, 6), Collection(AD_HOC_8, 12), Collection(DL_2021, 24))


def _simulated(
    claim: str, measures: str
) -> Callable[[Callable[[Scores], Figure]], Callable[[Scores], Figure]]:
    """Register a function that computes a figure with its interval from the scores by some measures."""

    def register(figure: Callable[[Scores], Figure]) -> Callable[[Scores], Figure]:
        @simulates(claim, COLLECTIONS)
        def simulation(collection: Collection, units: int, studies: int, seed: int) -> Studies:
            rng = np.random.default_rng(seed)
            chosen = measures.split()
            rows = [figure(collection.draw(rng, units).select(measures=chosen)) for _ in range(studies)]
            estimate, low, high = np.array(rows, dtype=np.float64).T
            return Studies(estimate, low, high, float(np.nanmean(estimate)))

        return figure

    return register


def _of(result: Any, name: str) -> Figure:
    """The figure of the first measure in a table."""
    row = next(row for row in result.summary.records() if row.get("measure") == "a")
    return tuple(NAN if row[key] is None else row[key] for key in (name, "low", "high"))  # type: ignore[return-value]


def _difference(result: Any) -> Figure:
    """The difference between the first two measures."""
    found = result.differences()
    return found.difference[0], found.low[0], found.high[0]


@_simulated("power by bootstrap", "a")
def power_by_bootstrap(scores: Scores) -> Figure:
    return _of(power(scores), "power")


@_simulated("power by t", "a")
def power_by_t(scores: Scores) -> Figure:
    return _of(power(scores, method="t"), "power")


@_simulated("power by tukey", "a")
def power_by_tukey(scores: Scores) -> Figure:
    return _of(power(scores, method="tukey"), "power")


@_simulated("a difference of power", "a c")
def difference_of_power(scores: Scores) -> Figure:
    return _difference(power(scores))


@_simulated("agreement", "a b")
def agreed(scores: Scores) -> Figure:
    return _of(agreement(scores), "agreement")


@_simulated("metric unanimity", "a b c gold")
def mu(scores: Scores) -> Figure:
    return _of(unanimity(scores), "MU")


@_simulated("a difference of MU", "a c gold")
def difference_of_unanimity(scores: Scores) -> Figure:
    return _difference(unanimity(scores))


def _tau(scores: Scores, per_topic: bool) -> Figure:
    found = correlation(scores, per_topic=per_topic)
    low, high = found.interval
    return found.values[0, 1], low[0, 1], high[0, 1]


@_simulated("a correlation of means", "a b")
def tau_of_means(scores: Scores) -> Figure:
    return _tau(scores, False)


@_simulated("a correlation per topic", "a b")
def tau_per_topic(scores: Scores) -> Figure:
    return _tau(scores, True)


@_simulated("a swap rate", "a")
def swap_rate(scores: Scores) -> Figure:
    return _of(swap(scores, trials=200), "swap rate")


@_simulated("a difference of swap rate", "a c")
def difference_of_swap_rates(scores: Scores) -> Figure:
    return _difference(swap(scores, trials=200))


@_simulated("intuitiveness", "a c gold")
def intuitive(scores: Scores) -> Figure:
    found = intuitiveness(scores, gold="gold")
    assert found.interval is not None
    low, high = found.interval
    return found.difference[0], low[0], high[0]


@simulates("a ratio over topics", (WEB_2009, AD_HOC_8))
def ratio_over_topics(population: Population, units: int, studies: int, seed: int) -> Studies:
    """A share of 20 to 100 documents on each topic, such as the share of trash."""

    def drawn(rng: np.random.Generator, number: int) -> tuple[Floats, Floats]:
        below = 20 + np.round(80 * AD_HOC_8.draw(rng, number, units, 1)[:, 0])
        return np.round(below * population.draw(rng, number, units, 1)[:, 0]), below

    above, below = drawn(np.random.default_rng([seed, 1]), 200_000 // units)
    truth = float(above.sum() / below.sum())
    above, below = drawn(np.random.default_rng(seed), studies)
    figure, low, high = ratio(above.T, below.T, 0.95)
    return Studies(figure, low, high, truth)
