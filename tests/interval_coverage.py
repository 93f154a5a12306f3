"""How often the intervals of meta-evaluation cover what they should: a simulation.

A population of topics is made up, so that fresh topics can be drawn from it without end. The mean of a figure
over many draws is what its interval has to cover. `python tests/interval_coverage.py` prints the table of
docs/meta-evaluation.md; tests/test_intervals.py runs a small part of it.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from rankprism import RankprismWarning
from rankprism.meta import (
    agreement,
    correlation,
    intuitiveness,
    power,
    swap,
    unanimity,
)
from rankprism.meta.intervals import Differences
from rankprism.results.scores import Scores
from rankprism.types import Coefficient, MethodName

#: a figure, the ends of its interval, and p where there is one
Figure: TypeAlias = tuple[float, float, float, float]
NAN = float("nan")


@dataclass(frozen=True)
class Population:
    """Runs on topics without end, by the measures a and b, which are exchangeable, c, which is noisier, and
    a gold measure."""

    kind: str  #: normal; skewed, where few topics decide; coarse, which ties many scores
    runs: int
    topics: int
    spread: float  #: how much runs differ: 0 is a complete null

    def draw(self, rng: np.random.Generator) -> Scores:
        shape = (4, self.runs, self.topics)
        effect = np.linspace(-self.spread, self.spread, self.runs)[:, None]
        if self.kind == "skewed":
            noise = rng.exponential(size=shape) ** 1.5
            shared = rng.exponential(size=shape[1:]) ** 1.5
            effect = effect * (scale := rng.exponential(size=self.topics))
            noise, shared = noise * scale, shared * scale
        else:
            noise = rng.normal(size=shape)
            shared = rng.normal(size=shape[1:]) + rng.normal(size=self.topics)
        own = np.array([0.7, 0.7, 1.5, 0.7])[:, None, None]
        values = effect + 0.7 * shared + own * noise
        if self.kind == "coarse":
            values = np.clip(np.round(2 * values + 5), 0, 10) / 10
        return Scores(
            tuple(f"run{r}" for r in range(self.runs)),
            tuple(str(t) for t in range(self.topics)),
            ("a", "b", "c", "gold"),
            np.moveaxis(values, 0, 2),
        )


def _first(result: Any, of: str) -> Figure:
    """The first row of a table."""
    row = result.summary.records()[0]
    return row[of], row.get("low", NAN), row.get("high", NAN), NAN


def _differences(of: str, figures: Any, found: Differences | None) -> dict[str, Figure]:
    """a less b, which is expected to be 0, and a less c; without an interval where none was computed."""
    out = {}
    for kind, other in (("a - b", 1), ("a - c", 2)):
        low = high = p = NAN
        if found is not None:
            pair = found.pairs.index((0, other))
            low, high, p = found.low[pair], found.high[pair], found.p[pair]
        out[f"Δ {of}, {kind}"] = (figures[0] - figures[other], low, high, p)
    return out


def _power(method: MethodName) -> Callable[[Scores, float], dict[str, Figure]]:
    def figures(scores: Scores, confidence: float) -> dict[str, Figure]:
        found = power(scores, method=method, resamples=200, intervals=confidence)
        out = {f"power ({method})": _first(found, "power")}
        out[f"agreement ({method})"] = _first(agreement(found), "agreement")
        return out | _differences(
            f"power ({method})", found.power, found.differences() if confidence else None
        )

    return figures


def _unanimity(scores: Scores, confidence: float) -> dict[str, Figure]:
    found = unanimity(scores, intervals=confidence)
    row = next(row for row in found.rows.records() if row["measure"] == "a")
    out = {"MU": (row["MU"], row.get("low", NAN), row.get("high", NAN), NAN)}
    return out | _differences("MU", found.mu, found.differences() if confidence else None)


def _correlation(coefficient: Coefficient, per_topic: bool) -> Callable[[Scores, float], dict[str, Figure]]:
    def figures(scores: Scores, confidence: float) -> dict[str, Figure]:
        found = correlation(scores, coefficient=coefficient, per_topic=per_topic, intervals=confidence)
        low, high = found.interval
        name = f"{coefficient} {'per topic' if per_topic else 'of means'}"
        return {name: (found.values[0, 1], low[0, 1], high[0, 1], NAN)}

    return figures


def _swap(scores: Scores, confidence: float) -> dict[str, Figure]:
    found = swap(scores, trials=100, intervals=confidence)
    out = {"swap rate": _first(found, "swap rate")}
    return out | _differences("swap rate", found.rate, found.differences() if confidence else None)


def _intuitiveness(scores: Scores, confidence: float) -> dict[str, Figure]:
    found = intuitiveness(scores, gold="gold", intervals=confidence)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankprismWarning)
        sakai = intuitiveness(scores, gold="gold", test="sakai")
    low, high = found.interval or (np.full(3, NAN),) * 2
    out = {
        f"intuitiveness, {kind}": (found.difference[i], low[i], high[i], found.p[i])
        for i, kind in enumerate(("a - b", "a - c"))
    }
    return out | {"intuitiveness by Sakai's test, a - b": (NAN, NAN, NAN, sakai.p[0])}


FIGURES: Mapping[str, Callable[[Scores, float], dict[str, Figure]]] = {
    "power": _power("bootstrap"),
    "power t": _power("t"),
    "power tukey": _power("tukey"),
    "unanimity": _unanimity,
    "tau-b": _correlation("tau-b", False),
    "tau-ap": _correlation("tau-ap", False),
    "spearman": _correlation("spearman", False),
    "rbo": _correlation("rbo", False),
    "tau-ap per topic": _correlation("tau-ap", True),
    "swap": _swap,
    "intuitiveness": _intuitiveness,
}


@dataclass(frozen=True)
class Coverage:
    """What the simulation found of one figure."""

    expected: float  #: the mean over fresh topics
    covered: float  #: the share of the intervals that cover it
    given: float  #: the share of the draws with an interval
    width: float  #: of the intervals, on average
    rejected: float  #: the share of the draws with p < .05


def coverage(population: Population, figures: list[str], draws: int, fresh: int) -> dict[str, Coverage]:
    """What intervals from `draws` samples of topics cover; the truth is the mean over `fresh` others."""

    def collect(number: int, seed: int, confidence: float) -> dict[str, np.ndarray[Any, Any]]:
        rng = np.random.default_rng(seed)
        found: dict[str, list[Figure]] = {}
        for _ in range(number):
            scores = population.draw(rng)
            for name in figures:
                for part, figure in FIGURES[name](scores, confidence).items():
                    found.setdefault(part, []).append(tuple(NAN if x is None else x for x in figure))  # type: ignore[arg-type]
        return {name: np.array(rows) for name, rows in found.items()}

    truth = collect(fresh, 1, 0.0)
    out = {}
    for name, rows in collect(draws, 2, 0.95).items():
        figure = truth[name][:, 0]
        null = name.endswith("a - b")
        expected = 0.0 if null or np.isnan(figure).all() else float(np.nanmean(figure))
        low, high, p = rows[:, 1:].T
        given = ~np.isnan(low)
        inside = (low <= expected + 1e-12) & (expected - 1e-12 <= high)
        out[name] = Coverage(
            expected,
            float(inside[given].mean()) if given.any() else NAN,
            float(given.mean()),
            float((high - low)[given].mean()) if given.any() else NAN,
            float((p < 0.05).mean()) if not np.isnan(p).all() else NAN,
        )
    return out


POPULATIONS = (
    Population("normal", 20, 50, 0.3),
    Population("normal", 20, 50, 0.0),
    Population("normal", 6, 20, 0.3),
    Population("normal", 10, 8, 1.0),
    Population("skewed", 20, 50, 1.0),
    Population("skewed", 6, 50, 0.3),
    Population("coarse", 20, 25, 0.5),
    Population("normal", 40, 100, 0.3),
)

if __name__ == "__main__":
    draws, fresh = (int(word) for word in sys.argv[1:3]) if len(sys.argv) > 2 else (400, 1000)
    chosen = sys.argv[3:] or [str(number) for number in range(len(POPULATIONS))]
    for number in chosen:
        population = POPULATIONS[int(number)]
        began = time.process_time()
        warnings.simplefilter("ignore", RuntimeWarning)
        print(population, flush=True)
        for name, x in coverage(population, list(FIGURES), draws, fresh).items():
            print(
                f"  {name:36} expected {x.expected:7.4f}  covered {x.covered:.3f}  given {x.given:.2f}"
                f"  width {x.width:.3f}  p<.05 {x.rejected:.3f}",
                flush=True,
            )
        print(f"  {time.process_time() - began:.0f} s", flush=True)
