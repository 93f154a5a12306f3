"""Simulations of the intervals of `rankprism judges`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankprism.judges.agreement import label_figures, over_topics, top_agreement
from simulations.gate import Studies, simulates
from simulations.populations import AD_HOC_8, DL_2021, Floats, Population

# ── agreement of labels ──────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class LabelledTopics:
    """Topics whose documents have grades by people and by a judge.

    Both see the same x = topic + document. The judge adds noise of its own and an error that it repeats in
    the whole topic. The shares of the grades and the agreement are those of UMBRELA on DL 2021.
    """

    figure: str
    documents: tuple[int, int] = (20, 200)  #: the fewest and the most of a topic
    topic: float = 0.6
    noise: float = 0.7
    repeated: float = 0.35

    @property
    def name(self) -> str:
        return f"{self.figure}, labels like DL 2021"

    def draw(self, rng: np.random.Generator, topics: int) -> Floats:
        """(topic, people, judge) the number of documents with each pair of grades."""
        number = rng.integers(*self.documents, topics, endpoint=True)
        t = np.repeat(np.arange(topics), number)
        x = rng.normal(size=len(t)) + rng.normal(0, self.topic, topics)[t]
        people = np.digitize(x + rng.normal(0, 0.4, len(t)), [-0.3, 0.6, 1.5])
        error = rng.normal(0.15, self.repeated, topics)[t] + rng.normal(0, self.noise, len(t))
        judge = np.digitize(x + error, [-0.5, 0.5, 1.3])
        return (
            np.bincount(16 * t + 4 * people + judge, minlength=16 * topics)
            .reshape(topics, 4, 4)
            .astype(float)
        )

    @cached_property
    def truth(self) -> float:
        """The figure over 200,000 topics."""
        rng = np.random.default_rng(7)
        whole = sum(self.draw(rng, 10_000).sum(0) for _ in range(20))
        return float(label_figures(np.asarray(whole), np.arange(4.0))[self.figure])


FIGURES = tuple(LabelledTopics(figure) for figure in ("κ", "weighted κ", "α", "bias"))


@simulates("agreement of labels", FIGURES)
def agreement_of_labels(population: LabelledTopics, units: int, studies: int, seed: int) -> Studies:
    rng = np.random.default_rng(seed)
    rows = [
        over_topics(population.draw(rng, units), np.arange(4.0), 0.95)[population.figure]
        for _ in range(studies)
    ]
    estimate, low, high = np.array(rows).T
    return Studies(estimate, low, high, population.truth)


# ── agreement at the top ─────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class TwoOrders:
    """Runs in the order of people and in the order of a judge."""

    population: Population
    runs: int
    top: int

    @property
    def name(self) -> str:
        return f"top {self.top} of {self.runs} runs, {self.population.name}"


ORDERS = (TwoOrders(DL_2021, 63, 10), TwoOrders(AD_HOC_8, 20, 5))


@simulates("agreement at the top", ORDERS)
def agreement_at_the_top(orders: TwoOrders, units: int, studies: int, seed: int) -> Studies:
    rng = np.random.default_rng(seed)
    rows = []
    for k in range(studies):
        values = orders.population.draw_measures(rng, 1, units, orders.runs, (1.0, 1.0))[0]
        rows.append(top_agreement(values[..., 0], values[..., 1], orders.top, 0.95, k))
    estimate, low, high = np.array(rows).T
    return Studies(estimate, low, high, float(np.nanmean(estimate)))
