"""Populations of topics from which scores are drawn without end.

A score is q(Φ(x)), where q is the quantile function of a distribution with a share of zeros, a share of
ones and a Beta distribution between them, and x = topic + run + residual is normal. This gives runs the
skew, the zeros and the correlations over topics that real runs have, and the means are known.

The numbers of the real populations are fitted to all runs of a collection but the worst quarter: the shares
and the moments of the scores between 0 and 1, and the variance components of their normal scores. Two
measures share a part of the residual; for nDCG@10, AP and RR on DL 2021 the residuals correlate by .33 to
.59.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]

#: Where the quantile function is tabulated.
_GRID = np.linspace(-6, 6, 4801)


@dataclass(frozen=True)
class Population:
    """Runs with different means on topics without end."""

    name: str
    zeros: float
    ones: float
    beta: tuple[float, float]
    topic: float  #: standard deviations of the three parts of x
    run: float
    residual: float
    harsh: bool = False  #: tabulated, but not held to the gate

    @cached_property
    def _scores(self) -> Floats:
        """The score at each x of the grid."""
        share = (special.ndtr(_GRID) - self.zeros) / (1 - self.zeros - self.ones)
        between = special.betaincinv(*self.beta, np.clip(share, 0.0, 1.0))
        return np.where(share <= 0, 0.0, np.where(share >= 1, 1.0, between))

    def parts(self, runs: int) -> tuple[Floats, Floats]:
        """The effect of each run, and the standard deviation of its residual.

        In the real collections, the middle 80 % of the deviations differ by a factor of about 1.5.
        """
        place = special.ndtri((np.arange(runs) + 0.5) / runs)
        return self.run * place, self.residual * np.exp(0.16 * np.roll(place, runs // 3))

    def means(self, runs: int) -> Floats:
        """(run,): the mean over the population."""
        effect, residual = self.parts(runs)
        return self.mean_of(effect, np.hypot(self.topic, residual))

    def mean_of(self, effect: Floats, spread: Floats) -> Floats:
        """The mean score if x is normal with this mean and standard deviation."""
        density = np.exp(-(((_GRID - effect[:, None]) / spread[:, None]) ** 2) / 2)
        return np.asarray((density * self._scores).sum(1) / density.sum(1))

    def draw(self, rng: np.random.Generator, studies: int, units: int, runs: int) -> Floats:
        """(study, run, topic): scores by one measure."""
        return self.draw_measures(rng, studies, units, runs, (1.0,))[..., 0]

    def draw_measures(
        self, rng: np.random.Generator, studies: int, units: int, runs: int, noise: tuple[float, ...]
    ) -> Floats:
        """(study, run, topic, measure): scores by several measures, some of which are noisier than others.

        noise : the size of the residual that a measure does not share. With 1, the residuals of two measures
            correlate by ½.
        """
        effect, residual = self.parts(runs)
        topic = self.topic * rng.standard_normal((studies, 1, units, 1))
        own = rng.standard_normal((studies, runs, units, len(noise))) * np.array(noise)
        if len(noise) > 1:
            shared = rng.standard_normal((studies, runs, units, 1))
            own = (own + shared) / np.sqrt(2)
        return self.scores(topic + effect[:, None, None] + residual[:, None, None] * own)

    def scores(self, x: Floats) -> Floats:
        """q(Φ(x))"""
        return np.asarray(np.interp(x, _GRID, self._scores))


#: 63 runs on 53 topics, 129 runs on 50 topics, and 9 runs on 50 topics, where 15 % of the scores are 0.
DL_2021 = Population("nDCG@10, DL 2021", 0.008, 0.031, (2.78, 1.76), 0.77, 0.31, 0.56)
AD_HOC_8 = Population("AP, TREC-8 ad hoc", 0.003, 0.0, (0.89, 2.25), 0.85, 0.22, 0.50)
WEB_2009 = Population("α-nDCG@20, Web 2009", 0.151, 0.0, (1.93, 2.97), 0.80, 0.17, 0.57)
#: Four of five scores are 0, as for a question that few runs answer.
ZEROS = Population("80 % zeros", 0.8, 0.0, (1.0, 1.0), 0.7, 0.2, 0.7, harsh=True)
REAL = (DL_2021, AD_HOC_8, WEB_2009)


@dataclass(frozen=True)
class Lognormal(Population):
    """Scores without an upper limit, of which a few decide the mean."""

    @cached_property
    def _scores(self) -> Floats:
        return np.asarray(np.exp(_GRID))


LOGNORMAL = Lognormal("lognormal", 0.0, 0.0, (1.0, 1.0), 0.7, 0.2, 0.7, harsh=True)
HARSH = (ZEROS, LOGNORMAL)
