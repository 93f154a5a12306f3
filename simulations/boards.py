"""Simulations of leaderboards: whether the sets of ranks of all runs hold together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from rankprism.comparison.boards.board import half_width, ranked
from rankprism.comparison.boards.several_collections import standing
from rankprism.statistics.claims import CLAIMS
from rankprism.statistics.ranks import rank_sets
from rankprism.types import Combine, Redrawn
from simulations.gate import Studies, simulates
from simulations.populations import AD_HOC_8, DL_2021, REAL, Floats, Population

#: On this share of the topics, a near-duplicate has a score of its own.
OWN = 0.1
#: Which runs have the same true mean: none, all, or a third of them each.
Means: TypeAlias = Literal["different", "equal", "three groups", "three groups of near-duplicates"]
KINDS: tuple[Means, ...] = get_args(Means)


@dataclass(frozen=True)
class Board:
    """Runs of a population, in groups of exactly equal true means. Half of the runs of a group may be
    near-duplicates of the others."""

    population: Population
    runs: int
    means: Means
    topics: int | None = None  #: the number of topics of a board with a size of its own

    @property
    def name(self) -> str:
        size = f"{self.runs} runs" if self.topics is None else f"{self.runs} × {self.topics}"
        return f"{size}, {self.means}, {self.population.name}"

    @property
    def _group(self) -> int:
        """The number of runs in a group."""
        groups = {"different": self.runs, "equal": 1}.get(self.means, 3)
        return -(-self.runs // groups)

    def truth(self) -> tuple[Floats, Floats]:
        """The best and the worst rank that each run may truly have: runs with equal means share theirs."""
        groups = -(-self.runs // self._group)
        means = np.repeat(self.population.means(groups), self._group)[: self.runs]
        better, worse = (means > means[:, None]).sum(1), (means < means[:, None]).sum(1)
        return (1 + better).astype(float), (self.runs - worse).astype(float)

    def draw(self, rng: np.random.Generator, topics: int) -> Floats:
        """(run, topic)"""
        groups = -(-self.runs // self._group)
        effect, residual = (
            np.repeat(x, self._group)[: self.runs, None] for x in self.population.parts(groups)
        )
        own = rng.standard_normal((self.runs, topics))
        if self.means.endswith("near-duplicates"):
            copies = np.arange(1, self.runs, 2)
            changed = rng.random((len(copies), topics)) < OWN
            own[copies] = np.where(changed, own[copies], own[copies - 1])
        return self.population.scores(
            effect + self.population.topic * rng.standard_normal(topics) + residual * own
        )


#: The sizes of DL 2021, of a board of embeddings, and of one of language models.
SIZES = ((DL_2021, 63, 53), (AD_HOC_8, 332, 41), (AD_HOC_8, 134, 500))
BOARDS = (
    *(Board(population, 10, "equal") for population in REAL),
    Board(DL_2021, 10, "different"),
    *(Board(population, runs, kind, topics) for population, runs, topics in SIZES for kind in KINDS),
)


@simulates("ranks", BOARDS)
def ranks(board: Board, units: int, studies: int, seed: int) -> Studies:
    """The sets of ranks of all runs. A set has to hold all ranks that a run with ties may have, so each set
    occurs twice: with the best and with the worst of them."""
    rng = np.random.default_rng(seed)
    low, high = (np.full((studies, board.runs), np.nan) for _ in range(2))
    for k in range(studies):
        found = ranked([board.draw(rng, units)], "means", "topics", 0.05)
        if CLAIMS["ranks"].missing(units) is None:
            low[k], high[k] = rank_sets(found.better)
    best, worst = board.truth()
    low, high = (np.concatenate([x, x], axis=1) for x in (low, high))
    return Studies(np.full_like(low, np.nan), low, high, np.concatenate([best, worst]))


@dataclass(frozen=True)
class Several:
    """A run on several collections, whose means differ."""

    combine: Combine
    over: Redrawn

    @property
    def name(self) -> str:
        kind = {"means": "mean of means", "topics": "mean over topics"}[self.combine]
        return f"{kind}, new {self.over}"


#: How far the means of collections are apart on the scale of x, and the shares of topics of three of them.
APART, SHARES = 0.3, (0.2, 0.3, 0.5)


@simulates(
    "a mean over topics of several collections", (Several("means", "topics"), Several("topics", "topics"))
)
@simulates("a mean over collections", (Several("means", "collections"), Several("topics", "collections")))
def mean_over_collections(several: Several, units: int, studies: int, seed: int) -> Studies:
    """The mean of a run over three collections with `units` topics, or over `units` collections."""
    rng = np.random.default_rng(seed)
    if several.over == "topics":
        sizes = [max(2, round(share * units)) for share in SHARES]
        values = [
            population.draw(rng, studies, n, 1)[:, 0] for population, n in zip(REAL, sizes, strict=True)
        ]
        weights = np.array(sizes if several.combine == "topics" else [1] * len(sizes), dtype=float)
        truth = float(weights @ [population.means(1)[0] for population in REAL] / weights.sum())
    else:
        # The shift of a collection is drawn anew in each study, and its size does not depend on it.
        sizes = rng.integers(5, 40, units).tolist()
        shift = APART * rng.standard_normal((units, studies, 1))
        residual = AD_HOC_8.residual * rng.standard_normal((studies, sum(sizes)))
        topic = AD_HOC_8.topic * rng.standard_normal((studies, sum(sizes)))
        x = np.split(topic + residual, np.cumsum(sizes)[:-1], axis=1)
        values = [AD_HOC_8.scores(one + moved) for one, moved in zip(x, shift, strict=True)]
        spread = np.sqrt(AD_HOC_8.topic**2 + AD_HOC_8.residual**2 + APART**2)
        truth = float(AD_HOC_8.mean_of(np.zeros(1), np.array([spread]))[0])
    # Each study takes the place of a run, so that one call serves all of them.
    found = standing(values, np.empty((0, 2), dtype=np.int64), several.combine, several.over)
    margin = half_width(found, 0.05)
    return Studies(found.mean, found.mean - margin, found.mean + margin, truth)
