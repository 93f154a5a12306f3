"""Simulations of intervals of means and of differences between runs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankprism import compare
from rankprism.results.scores import Scores
from rankprism.statistics.means import t_intervals
from rankprism.types import Correction, TestName
from simulations.gate import MORE_STUDIES, STUDIES, Studies, simulates
from simulations.populations import AD_HOC_8, HARSH, REAL, Population

EVERY = (*REAL, *HARSH)


@simulates("a mean", EVERY)
def mean(population: Population, units: int, studies: int, seed: int) -> Studies:
    """The mean of one run."""
    values = population.draw(np.random.default_rng(seed), studies, units, 1)[:, 0]
    found, margin = (x[:, 0] for x in t_intervals(values[..., None], 0.05))
    return Studies(found, found - margin, found + margin, population.means(1)[0])


@dataclass(frozen=True)
class Several:
    """Several runs of a population, all of which are compared."""

    population: Population
    runs: int

    @property
    def name(self) -> str:
        return f"{self.runs} runs, {self.population.name}"

    @property
    def harsh(self) -> bool:
        return self.population.harsh


TWO = tuple(Several(population, 2) for population in EVERY)
SEVERAL = (*(Several(population, 5) for population in EVERY), Several(AD_HOC_8, 2))
#: With more pairs, an interval of α/m needs more topics.
MANY = (*(Several(population, 5) for population in REAL), Several(AD_HOC_8, 10))


def _compared(
    claim: str,
    test: TestName,
    populations: tuple[Several, ...],
    resamples: int | None = None,
    correction: Correction | None = None,
    studies: int = STUDIES,
) -> None:
    """Register what `compare` prints. Each study is a measure, so that one call compares all of them."""

    @simulates(claim, populations, studies=studies)
    def simulation(several: Several, units: int, studies: int, seed: int) -> Studies:
        runs = tuple(f"run{r}" for r in range(several.runs))
        values = several.population.draw(np.random.default_rng(seed), studies, units, several.runs)
        scores = Scores(
            runs, tuple(map(str, range(units))), tuple(map(str, range(studies))), np.moveaxis(values, 0, 2)
        )
        baseline = runs[-1] if test == "dunnett" else None
        found = compare(scores, test=test, baseline=baseline, resamples=resamples, correction=correction)
        means = several.population.means(several.runs)
        truth = means[found.pairs[:, 0]] - means[found.pairs[:, 1]]
        low, high = found.difference - found.half_width, found.difference + found.half_width
        return Studies(
            found.difference, low, high, truth, found.significant if found.interval == "FCR" else None
        )


@simulates("a difference beside a margin", TWO)
def beside_a_margin(two: Several, units: int, studies: int, seed: int) -> Studies:
    """The interval that decides whether two runs are equivalent. The margin does not move it."""
    values = two.population.draw(np.random.default_rng(seed), studies, units, 2)
    names = tuple(map(str, range(studies)))
    scores = Scores(("a", "b"), tuple(map(str, range(units))), names, np.moveaxis(values, 0, 2))
    found = compare(scores, margin=0.01)
    assert found.margins is not None
    means = two.population.means(2)
    low, high = found.margins.low[:, 0], found.margins.high[:, 0]
    return Studies(found.difference[:, 0], low, high, means[0] - means[1])


_compared("a difference by t", "t", TWO)
_compared("a difference by bootstrap", "bootstrap", TWO, resamples=10_000)
_compared("all differences by t", "t", SEVERAL)
_compared("all differences by bootstrap", "bootstrap", MANY, resamples=10_000)
_compared("significant differences by t", "t", MANY, correction="bh")
_compared("significant differences by bootstrap", "bootstrap", MANY, resamples=10_000, correction="bh")
_compared("all differences by tukey", "tukey", SEVERAL, resamples=2000)
_compared("all differences by anova-tukey", "anova-tukey", SEVERAL)
_compared("all differences by dunnett", "dunnett", SEVERAL, studies=MORE_STUDIES)
