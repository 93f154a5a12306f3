"""Scores: run × topic × measure, and how they came about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rankprism._core import sums_over_aspects
from rankprism.data.note import Note, issue, some
from rankprism.data.table import text_table
from rankprism.errors import InputError, listed


@dataclass(frozen=True, eq=False)
class Scores:
    """What `rankprism.evaluate` returns. Measures are named by their canonical strings."""

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[str, ...]
    #: (run, topic, measure); NaN where a run is not evaluated on a topic
    values: npt.NDArray[np.float64] = field(repr=False)
    #: every convention used: order, topics, duplicates, weights, what was left out
    conventions: Mapping[str, Any] = field(default_factory=dict)
    #: the same shape: what each score is at least and at most, where that is not the score itself
    low: npt.NDArray[np.float64] | None = field(default=None, repr=False)
    high: npt.NDArray[np.float64] | None = field(default=None, repr=False)

    @cached_property
    def means(self) -> npt.NDArray[np.float64]:
        """(run, measure): the mean over the topics on which the run is evaluated."""
        means = mean_over_topics(self.values)
        means.flags.writeable = False  # everybody who asks gets the same array
        return means

    def mean(self) -> dict[str, dict[str, float]]:
        """``{run: {measure: mean over topics}}``"""
        return {
            run: dict(zip(self.measures, map(float, row), strict=True))
            for run, row in zip(self.runs, self.means, strict=True)
        }

    def per_topic(self) -> dict[str, dict[str, dict[str, float]]]:
        """``{run: {topic: {measure: score}}}``"""
        return {
            run: {
                topic: dict(zip(self.measures, map(float, row), strict=True))
                for topic, row in zip(self.topics, rows, strict=True)
                if not np.isnan(row).all()
            }
            for run, rows in zip(self.runs, self.values, strict=True)
        }

    def to_frame(self, backend: str | None = None) -> Any:
        """One row per score: run, topic, measure, score. `backend`: pandas, polars or pyarrow."""
        from rankprism.data.frames import make_frame

        r, t, m = np.nonzero(~np.isnan(self.values))
        columns: dict[str, Any] = {
            "run": [self.runs[i] for i in r],
            "topic": [self.topics[i] for i in t],
            "measure": [self.measures[i] for i in m],
            "score": self.values[r, t, m],
        }
        if self.low is not None and self.high is not None:
            columns |= {"low": self.low[r, t, m], "high": self.high[r, t, m]}
        return make_frame(columns, backend)

    def select(
        self,
        *,
        runs: Iterable[str] | None = None,
        topics: Iterable[str] | None = None,
        measures: Iterable[Any] | None = None,
    ) -> Scores:
        """The scores of some runs, topics or measures, in the order in which they are named.

        A measure is found by any spelling: α-nDCG@20 selects alpha_nDCG@20, and the other way round.
        """
        r = _positions("run", self.runs, runs)
        t = _positions("topic", self.topics, topics)
        m = _positions("measure", self.measures, measures)
        block = np.ix_(r, t, m)
        low, high = (None if array is None else array[block] for array in (self.low, self.high))
        return Scores(
            tuple(self.runs[i] for i in r),
            tuple(self.topics[i] for i in t),
            tuple(self.measures[i] for i in m),
            self.values[block],
            self.conventions,
            low,
            high,
        )

    def complete(self) -> Scores:
        """The topics on which every run has a score by every measure, which paired analyses need."""
        whole = np.asarray(~np.isnan(self.values).any((0, 2)))
        if whole.all():
            return self
        if not whole.any():
            raise InputError(
                "there is no topic on which every run has a score by every measure; "
                "leave out the runs or measures that lack most"
            )
        missing = [topic for topic, kept in zip(self.topics, whole, strict=True) if not kept]
        note = Note(
            "topics-left-out",
            f"{len(missing)} of {len(self.topics)} topics are left out, as a run has no score there: "
            f"{some(missing)}",
            len(missing),
            missing[0],
        )
        issue([note])
        kept = self.select(topics=[topic for topic, kept in zip(self.topics, whole, strict=True) if kept])
        notes = [*self.conventions.get("notes", ()), note.record()]
        return replace(kept, conventions={**self.conventions, "topics left out": missing, "notes": notes})

    def risk(self, baseline: str, alpha: float = 1.0) -> Scores:
        """U_RISK against a baseline run: differences to it, losses counting 1 + alpha times.

        U_RISK = mean over topics of Δ where Δ ≥ 0 and (1 + α) Δ where Δ < 0, with Δ = score(run) -
        score(baseline). As ndeval and gdeval have it for the TREC Web tracks 2013 and 2014.
        """
        if baseline not in self.runs:
            raise InputError(f"no run is named {baseline!r}; there are {listed(self.runs)}")
        if not alpha >= 0:
            raise InputError(f"the risk alpha must be a number ≥ 0; got {alpha!r}")
        difference = self.values - self.values[self.runs.index(baseline)]
        weighted = np.where(difference < 0, (1 + alpha) * difference, difference)
        others = [r for r, run in enumerate(self.runs) if run != baseline]
        names = tuple(f"URisk({measure},alpha={alpha:g})" for measure in self.measures)
        conventions = dict(self.conventions) | {"baseline": baseline, "risk alpha": alpha}
        return Scores(tuple(self.runs[r] for r in others), self.topics, names, weighted[others], conventions)

    def __str__(self) -> str:
        rows = [[run, *(f"{x:.4f}" for x in row)] for run, row in zip(self.runs, self.means, strict=True)]
        return text_table(["run", *self.measures], rows)

    def __repr__(self) -> str:
        shape = f"{len(self.runs)} runs × {len(self.topics)} topics × {len(self.measures)} measures"
        return f"<Scores {shape}>\n{self}"


def _positions(what: str, names: Sequence[str], wanted: Iterable[str] | None) -> list[int]:
    if wanted is None:
        return list(range(len(names)))
    where = {name: place for place, name in enumerate(names)}
    chosen = [wanted] if isinstance(wanted, str) or not isinstance(wanted, Iterable) else list(wanted)
    found = []
    for name in map(str, chosen):
        alike = [name] if name in where else _same_measures(name, names) if what == "measure" else []
        if not alike:
            raise InputError(f"there is no {what} {name!r}; there are {listed(names)}")
        if len(alike) > 1:
            raise InputError(f"the measure {name!r} can be {' or '.join(alike)}; write one of these")
        found.append(where[alike[0]])
    return list(dict.fromkeys(found))


def _same_measures(name: str, names: Sequence[str]) -> list[str]:
    """Those of the names that are other spellings of this measure."""
    from rankprism.measures.display import canonical_name  # only measures know how they are spelled

    canonical = canonical_name(name)
    return [other for other in names if canonical_name(other) == canonical]


def mean_over_topics(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """(run, measure) from (run, topic, measure), leaving NaN out."""
    counted = ~np.isnan(values)
    # Added up by the core, topic after topic: numpy's order depends on how many runs and measures there are.
    total = sums_over_aspects(np.where(counted, values, 0.0), np.ones(values.shape[:2]))
    with np.errstate(invalid="ignore"):  # NaN for a run without any score
        return np.asarray(total / counted.sum(1))
