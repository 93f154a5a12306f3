"""The gate: what the simulation of a claim returns, and whether the claim passes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy import special

from rankprism.data.arrays import Bools
from rankprism.statistics.claims import CLAIMS
from simulations.populations import Floats

#: The gate: how far below its level the share of intervals that hold the truth may be, and the largest mean
#: width in units of what is needed, see `needed`.
SHORT, WIDEST = 0.02, 1.2
#: The number of studies in a cell: a share of .95 has a standard error of .007. A claim that is close to the
#: gate in one population has more of them in every cell, because 1,000 cannot tell .935 from .93.
STUDIES, MORE_STUDIES = 1000, 10_000


def needed(units: int, together: float = 1, level: float = 0.95) -> float:
    """The mean width of Student's interval of a normal mean, in units of 3.92 sd of the mean.

    together : how many intervals hold together, by Bonferroni.

    No interval can be shorter and keep its level if the variance has to be estimated from the units. With
    50 units it is 1.02, with 10 units 1.12, with 5 units 1.33, and with 2 units 5.2.
    """
    freedom = units - 1
    mean_of_s = np.sqrt(2 / freedom) * np.exp(special.gammaln(units / 2) - special.gammaln(freedom / 2))
    return float(special.stdtrit(freedom, 1 - (1 - level) / 2 / together) * mean_of_s / special.ndtri(0.975))


class Studies(NamedTuple):
    """What many studies of the same kind printed, NaN where they printed no interval.

    Arrays are (study,), or (study, interval) if the intervals of a study claim to hold the truth together.
    The `estimate` of a set of ranks is NaN, because its width has no limit in standard deviations.
    """

    estimate: Floats
    low: Floats
    high: Floats
    truth: Floats | float
    chosen: Bools | None = None  #: if only some intervals of a study count, and a share of them has to hold


#: (population, units, studies, seed) → what the program's own code finds in these studies
Simulation: TypeAlias = Callable[[Any, int, int, int], Studies]


class Simulated(NamedTuple):
    simulation: Simulation
    populations: Sequence[Any]  #: with a `name`, and `harsh` where they do not count for the gate
    units: tuple[int, ...] | None = None  #: numbers of units to simulate; None: those of all claims
    studies: int = STUDIES  #: the number in each cell


SIMULATIONS: dict[str, Simulated] = {}


def simulates(
    claim: str, populations: Sequence[Any], units: tuple[int, ...] | None = None, studies: int = STUDIES
) -> Callable[[Simulation], Simulation]:
    """Register a function as the simulation of a claim."""

    def register(simulation: Simulation) -> Simulation:
        SIMULATIONS[claim] = Simulated(simulation, populations, units, studies)
        return simulation

    return register


@dataclass(frozen=True)
class Cell:
    """How well one claim holds in one population, with one number of units."""

    claim: str
    population: str
    harsh: bool
    units: int
    deciding: (
        int  #: the number of units that the width depends on, such as topics if there are more assessors
    )
    studies: int
    together: float  #: how many intervals of a study have to hold the truth at the same time
    printed: float  #: the share of the studies that have an interval
    covered: float  #: the share of these whose interval holds the truth
    width: float  #: the mean width, in units of 3.92 standard deviations of the estimate
    ranks: bool = False  #: whether the width is a number of ranks, which has no limit
    any_width: bool = False  #: whether the width has no limit for another reason, which the population says

    def fails(self, tolerance: float = 0.0) -> bool:
        """Whether it fails the gate, which is relaxed by `tolerance` standard errors."""
        number = self.studies * self.printed
        if self.harsh or number < 1:
            return False
        level = CLAIMS[self.claim].level
        least = level - SHORT
        error = np.sqrt(least * (1 - least) / number)
        # The standard deviation of n estimates has a relative error of about 1/√(2n).
        wide = WIDEST * needed(self.deciding, self.together, level) * (1 + tolerance / np.sqrt(2 * number))
        too_wide = not (self.ranks or self.any_width) and self.width > wide
        return bool(self.covered < least - tolerance * error or too_wide)

    def __str__(self) -> str:
        """Coverage and width, with the share of studies that have an interval if some do not."""
        if not self.printed:
            return "–"
        some = "" if self.printed > 0.995 else f" ({self.printed:.0%})"
        size = f"{self.width:.1f} ranks" if self.ranks else f"{self.width:.2f}"
        width = "" if np.isnan(self.width) else f" / {size}"  # no interval counts
        found = f"{self.covered:.3f}".removeprefix("0") + width + some
        return f"**{found}**" if self.fails() else found


def cell(claim: str, population: Any, units: int, studies: int, seed: int = 1) -> Cell:
    """Simulate one cell of the table."""
    if units < CLAIMS[claim].fewest:
        studies = min(studies, 20)  # to see that nothing is printed
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = SIMULATIONS[claim].simulation(population, units, studies, seed)
    return measured(claim, population, units, found)


def measured(claim: str, population: Any, units: int, found: Studies) -> Cell:
    """What the studies say about a claim."""
    low, high = (np.reshape(x, (len(x), -1)) for x in (found.low, found.high))
    truth = np.broadcast_to(found.truth, np.shape(found.low)).reshape(low.shape)
    given = np.asarray(~np.isnan(low + high).any(1))
    hold = np.asarray((low <= truth + 1e-12) & (truth - 1e-12 <= high))
    counted = np.ones_like(hold) if found.chosen is None else found.chosen
    number = counted.sum(1)
    if found.chosen is None:
        held, together = np.asarray(hold.all(1)), float(low.shape[1])
    else:  # intervals of α R/m, where R of m are chosen
        held = np.where(number > 0, (hold & counted).sum(1) / np.maximum(number, 1), 1.0)
        together = float(low.shape[1] / np.maximum(number, 1).mean())
    width = np.nan
    ranks = bool(np.isnan(found.estimate).all())
    if ranks:
        width = float((high - low + 1)[given].mean()) if given.any() else np.nan
    elif (given & (number > 0)).any():
        estimate = np.reshape(found.estimate, low.shape)
        widths = (high - low) / (3.92 * np.nanstd(estimate - truth, axis=0))
        width = float(widths[given[:, None] & counted].mean())
    return Cell(
        claim,
        population.name,
        getattr(population, "harsh", False),
        units,
        population.deciding(units) if hasattr(population, "deciding") else units,
        len(low),
        together,
        float(given.mean()),
        float(held[given].mean()) if given.any() else np.nan,
        width,
        ranks,
        getattr(population, "any_width", False),
    )
