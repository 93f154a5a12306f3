"""Scores: run × topic × measure, and how they came about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from rankprism.data.table import text_table


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

    @property
    def means(self) -> npt.NDArray[np.float64]:
        """(run, measure): the mean over the topics on which the run is evaluated."""
        counted = ~np.isnan(self.values)
        sums = np.where(counted, self.values, 0.0).sum(1)
        return np.asarray(sums / counted.sum(1))

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
        """One row a score: run, topic, measure, score. `backend`: pandas, polars or pyarrow."""
        from rankprism.formats.frames import make_frame

        r, t, m = np.nonzero(~np.isnan(self.values))
        return make_frame(
            {
                "run": [self.runs[i] for i in r],
                "topic": [self.topics[i] for i in t],
                "measure": [self.measures[i] for i in m],
                "score": self.values[r, t, m],
            },
            backend,
        )

    def __str__(self) -> str:
        rows = [[run, *(f"{x:.4f}" for x in row)] for run, row in zip(self.runs, self.means, strict=True)]
        return text_table(["run", *self.measures], rows)

    def __repr__(self) -> str:
        shape = f"{len(self.runs)} runs × {len(self.topics)} topics × {len(self.measures)} measures"
        return f"<Scores {shape}>\n{self}"
