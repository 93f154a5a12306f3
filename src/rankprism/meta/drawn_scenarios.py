"""Metric Unanimity in the scenarios of Amigó et al. (2018): grades, aspect weights and lengths are drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Unpack

import numpy as np

from rankprism._core import JudgmentTable
from rankprism.data import Alignment, Floats, Judgments
from rankprism.errors import InputError
from rankprism.evaluation import Collection, collected, how_read, joined_once
from rankprism.measures import Measure, Role, parse_all
from rankprism.meta.intervals import check_confidence
from rankprism.meta.metric_unanimity import unanimity
from rankprism.results import Cell, Result, Table, measured
from rankprism.statistics import Share, t_intervals
from rankprism.types import CollectionOptions, JudgmentsLike, MeasuresLike, Natural, Positive, RunsLike

#: A grade below every grade that is drawn.
_ANY = 1e-300


def scenarios(
    judgments: JudgmentsLike | Collection,
    runs: RunsLike | None = None,
    measures: MeasuresLike | None = None,
    *,
    longest: Positive = 50,
    repetitions: Positive = 10,
    seed: Natural = 0,
    intervals: float = 0.95,
    depth: Positive | None = None,
    on_share: Share | None = None,
    **options: Unpack[CollectionOptions],
) -> Scenarios:
    """The Metric Unanimity of each measure in three scenarios (Amigó et al. 2018, Section 6.3).

    In the first scenario, everything is as given. In the other two, each grade g becomes a number that is
    drawn uniformly between 0 and g, the weights of a topic's aspects are drawn and sum to 1, and each ranking
    is cut at a length that is drawn between 0 and its own, or between 0 and `longest`. Every grade above 0 is
    relevant there, unless a measure sets `rel`.

    Parameters
    ----------
    judgments, runs, measures, **options
        As for `rankprism.evaluate`.
    longest
        Longest ranking of the third scenario.
    repetitions
        Number of times that the second and the third scenario are drawn.
    seed
        Seed for the random numbers. The same seed gives the same result.

        The draws do not depend on the order of the runs.
    intervals
        Confidence of the intervals. An interval says how much the figure could change with other topics. 0
        leaves the intervals out.

        In the first scenario they are over topics, see `unanimity`. In the others they are t intervals of the
        mean over the repetitions.
    depth
        Cut every ranking at this rank first, so that runs of different length can be compared.

    Examples
    --------
    >>> from rankprism import sample
    >>> found = scenarios(sample.QRELS, sample.RUNS, ["RBU(e=0.05)", "RBU(e=0)", "AP_IA"], repetitions=2)
    >>> found.scenarios
    ('as given', '|d| = rand(0, |d|)', '|d| = rand(0, 50)')
    >>> found.mu.shape
    (3, 3)
    """
    check_confidence(intervals)
    for name, number in (("repetitions", repetitions), ("longest", longest)):
        if number < 1:
            raise InputError(f"{name} must be at least 1; got {number}")
    chosen = parse_all([] if measures is None else measures)
    collection = joined_once(collected(judgments, runs, **options), depth)
    as_given = collection.rescored(chosen)
    given = unanimity(as_given, intervals=intervals)
    low, high = (np.full((3, len(chosen)), np.nan) for _ in range(2))
    if given.sampled is not None:
        low[0], high[0] = given.sampled.interval(-np.inf, 1)
    mu = drawn_unanimity(
        collection, [relevant_above_0(measure) for measure in chosen], longest, repetitions, seed, on_share
    )
    if intervals and repetitions > 1:
        mean, margin = t_intervals(mu, 1 - intervals, "a mean over repetitions")
        low[1:], high[1:] = mean - margin, mean + margin
    return Scenarios(
        measures=given.measures,
        scenarios=("as given", *(f"|d| = rand(0, {most})" for most in ("|d|", longest))),
        mu=np.concatenate([given.mu[None], mu.mean(1)]),
        low=low,
        high=np.minimum(high, 1.0),
        about={
            "repetitions": repetitions,
            "seed": seed,
            "longest": longest,
            "depth": depth,
            "confidence": intervals,
            "runs": list(collection.runs),
            "topics": len(collection.judgments.topics),
            "direction": as_given.conventions["direction"],
            "reading runs": how_read(collection),
        },
    )


def drawn_unanimity(
    collection: Collection,
    measures: Sequence[Measure],
    longest: int,
    repetitions: int,
    seed: int,
    on_share: Share | None = None,
) -> Floats:
    """(2, repetition, measure): MU in the two drawn scenarios, which share grades and weights.

    collection : its runs are joined with its judgments.
    """
    runs = collection.joined(collection.judgments)
    aspects = collection.judgments.lower_is_better  # drawn grades have no scales that say it
    direction = measured(measures, aspects)
    mu = np.empty((2, repetitions, len(measures)))
    for repetition in range(repetitions):
        judged = redrawn(collection.judgments, np.random.default_rng([seed, repetition]))
        for scenario, most in enumerate((None, longest)):
            shorter = {
                name: shortened(
                    run, most, np.random.default_rng([seed, repetition, scenario, *name.encode()])
                )
                for name, run in runs.items()
            }
            scores = collection.judged_by(judged).with_runs(shorter).rescored(measures)
            found = unanimity(replace(scores, conventions={"direction": direction}), intervals=0)
            # Measures that differ only in a threshold may be the same here, and then share a column.
            mu[scenario, repetition] = found.mu[[found.measures.index(str(m)) for m in measures]]
        if on_share is not None:
            on_share((repetition + 1) / repetitions)
    return mu


def redrawn(judgments: Judgments, rng: np.random.Generator) -> Judgments:
    """Each grade g drawn uniformly from (0, g], and aspect weights drawn and normalised in each topic."""
    topic, aspect, doc, grade = judgments.table.columns()
    drawn = np.where(grade > 0, grade * (1.0 - rng.random(len(grade))), grade)
    start = judgments.cells.aspect_start
    weights = 1.0 - rng.random(int(start[-1]))
    weights /= np.repeat(np.add.reduceat(weights, start[:-1]), np.diff(start))
    table = JudgmentTable.from_columns(judgments.source, topic, aspect, doc, drawn)
    return replace(judgments, table=table, weights=weights, scales=None)


def shortened(run: Alignment, most: int | None, rng: np.random.Generator) -> Alignment:
    """The run with each ranking cut at a length drawn from 0 to its own, or from 0 to `most`."""
    longest = run.length if most is None else np.full_like(run.length, most)
    return run.cut(rng.integers(0, longest, endpoint=True))


def relevant_above_0(measure: Measure) -> Measure:
    """The measure with every grade above 0 relevant, unless its threshold is set.

    >>> from rankprism.measures import parse
    >>> relevant_above_0(parse("P@20")), relevant_above_0(parse("CAM(P(rel=2)@20)"))
    (P(rel=1e-300)@20, CAM(P(rel=2)@20))
    """
    changes: dict[str, Any] = {}
    for parameter in measure.definition.parameters:
        if parameter.role is Role.INNER and isinstance(inner := measure[parameter.name], Measure):
            changes[parameter.name] = relevant_above_0(inner)
        elif parameter.role is Role.THRESHOLD and parameter.name not in measure.settings:
            changes[parameter.name] = _ANY
    return measure(**changes)


@dataclass(frozen=True, eq=False, repr=False)
class Scenarios(Result):
    """What `scenarios` found: a row for each scenario, a column for each measure."""

    claims = ("metric unanimity", "a mean over repetitions")
    measures: tuple[str, ...]
    scenarios: tuple[str, ...]
    mu: Floats  #: NaN where not defined; in the drawn scenarios the mean over the repetitions
    low: Floats  #: ends of the intervals; NaN where there is none
    high: Floats
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def order(self) -> list[int]:
        """The measures from the most to the least unanimous in the first scenario."""
        return [int(i) for i in np.argsort(-np.nan_to_num(self.mu[0], nan=-np.inf), kind="stable")]

    @property
    def rows(self) -> Table:
        """One row per scenario and measure."""
        order = self.order
        return Table(
            {
                "scenario": [name for name in self.scenarios for _ in order],
                "measure": [self.measures[i] for _ in self.scenarios for i in order],
                **{
                    name: values[:, order].ravel().tolist()
                    for name, values in (("MU", self.mu), ("low", self.low), ("high", self.high))
                },
            }
        )

    @property
    def summary(self) -> Table:
        """One row per measure, one column per scenario."""

        def cell(s: int, i: int) -> Cell:
            low, high = float(self.low[s, i]), float(self.high[s, i])
            between = None if np.isnan(low) or np.isnan(high) else (low, high)
            return Cell(float(self.mu[s, i]), between=between)

        columns = {name: [cell(s, i) for i in self.order] for s, name in enumerate(self.scenarios)}
        return Table({"MU": [self.measures[i] for i in self.order], **columns})
