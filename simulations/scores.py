"""Simulations of intervals of means and of differences between runs."""

from __future__ import annotations

import numpy as np

from rankprism.statistics import paired
from rankprism.statistics.means import t_intervals
from simulations.gate import Studies, simulates
from simulations.populations import HARSH, REAL, Population

EVERY = (*REAL, *HARSH)


@simulates("a mean", EVERY)
def mean(population: Population, units: int, studies: int, seed: int) -> Studies:
    """The mean of one run."""
    values = population.draw(np.random.default_rng(seed), studies, units, 1)[:, 0]
    found, margin = (x[:, 0] for x in t_intervals(values[..., None], 0.05))
    return Studies(found, found - margin, found + margin, population.means(1)[0])


@simulates("a difference by t", EVERY)
def difference(population: Population, units: int, studies: int, seed: int) -> Studies:
    """The difference between two runs, each study a pair."""
    values = population.draw(np.random.default_rng(seed), studies, units, 2)
    pairs = np.arange(2 * studies).reshape(-1, 2)
    found = paired.student(values.reshape(2 * studies, units), pairs, 0.05)
    truth = float(-np.diff(population.means(2))[0])
    low, high = found.difference - found.half_width, found.difference + found.half_width
    return Studies(found.difference, low, high, truth)
