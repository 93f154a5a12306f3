"""On which topics the runs of a comparison differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rankprism.data import Bools, Floats, Longs
from rankprism.results import Result, Table

if TYPE_CHECKING:
    from rankprism.comparison.result import Comparison

#: The most pairs of runs that the tables show.
MOST_PAIRS = 100


@dataclass(frozen=True, eq=False, repr=False)
class TopicDifferences(Result):
    """On which topics the first run of a pair is better and worse than the other, and by how much."""

    comparison: Comparison
    most: int  #: how many gains and losses of a pair the tables show

    @property
    def about(self) -> Mapping[str, Any]:  # type: ignore[override]
        return self.comparison.about

    @property
    def measures(self) -> tuple[str, ...]:
        return self.comparison.measures

    @property
    def charted(self) -> Comparison:
        return self.comparison

    @cached_property
    def difference(self) -> Floats:
        """(measure, pair, topic): the score of the first run minus the other run's."""
        values = self.comparison.values
        first, second = values[self.comparison.pairs.T]
        found = (first - second).transpose(2, 0, 1)
        rounding = 1e-13 * np.abs(values).max((0, 1))[:, None, None]
        return np.where(np.abs(found) <= rounding, 0.0, found)

    @property
    def gain(self) -> Floats:
        """(measure, pair, topic): by how much the first run is better; negative where it is worse."""
        return np.asarray(self.difference * self.comparison.direction[:, None, None])

    def _rows(self, most: int | None, pairs: Longs) -> Table:
        of, rows = self.comparison, []
        for m, measure in enumerate(of.measures):
            for pair, (a, b) in zip(pairs.tolist(), of.pairs[pairs].tolist(), strict=True):
                difference, gain = self.difference[m, pair], self.gain[m, pair]
                order = np.argsort(-gain, kind="stable")
                if most is not None:
                    gains, losses = order[gain[order] > 0], order[gain[order] < 0]
                    order = np.concatenate([gains[:most], losses[-most:]])
                for t in order.tolist():
                    numbers = (of.values[a, t, m], of.values[b, t, m], difference[t])
                    rows.append((measure, of.runs[a], of.runs[b], of.topics[t], *map(float, numbers)))
        names = ("measure", "run", "other", "topic", "score", "other score", "difference")
        return Table.of_rows(names, rows)

    @property
    def rows(self) -> Table:
        """One row for each measure, pair and topic, the largest gain first."""
        return self._rows(None, self._every)

    def row_blocks(self) -> Iterator[Table]:
        """The same rows of some pairs at a time; with several measures, all at once, to keep their order."""
        if len(self.measures) > 1 or len(self._every) <= MOST_PAIRS:
            yield self.rows
            return
        for first in range(0, len(self._every), MOST_PAIRS):
            yield self._rows(None, self._every[first : first + MOST_PAIRS])

    @property
    def _every(self) -> Longs:
        return np.arange(len(self.comparison.pairs))

    @cached_property
    def _most_different(self) -> Longs:
        """The pairs that the tables show: those whose means differ most by any measure, if there are many."""
        if len(self._every) <= MOST_PAIRS:
            return self._every
        size = np.abs(self.comparison.difference)
        spread = np.maximum(size.max(1, keepdims=True), np.finfo(np.float64).tiny)
        largest = (size / spread).max(0)
        return np.sort(np.argsort(-largest, kind="stable")[:MOST_PAIRS])

    @property
    def summary(self) -> Table:
        """For each measure and pair, on how many topics the first run is better, worse and equal."""
        return self._counts(self._every)

    def _counts(self, pairs: Longs) -> Table:
        of, found, gain = self.comparison, self.difference[:, pairs], self.gain[:, pairs]
        m, at = (axis.ravel() for axis in np.indices(found.shape[:2]))
        pair = pairs[at]
        first, second = of.pairs[pair].T
        return Table(
            {
                "measure": [of.measures[i] for i in m],
                "run": [of.runs[i] for i in first],
                "other": [of.runs[i] for i in second],
                "better": (gain > 0).sum(2).ravel().tolist(),
                "worse": (gain < 0).sum(2).ravel().tolist(),
                "equal": (found == 0).sum(2).ravel().tolist(),
                "mean gain": _mean_where(found, gain > 0),
                "mean loss": _mean_where(found, gain < 0),
            }
        )

    @property
    def tables(self) -> tuple[Table, ...]:
        """The numbers of better and worse topics, and the topics with the largest differences."""
        return self._counts(self._most_different), self._rows(self.most, self._most_different)

    @property
    def note(self) -> str:
        pairs = len(self._every)
        cut = (
            f" Only the {MOST_PAIRS} of {pairs:,} pairs whose means differ most are shown; files have all."
            if pairs > MOST_PAIRS
            else ""
        )
        return (
            f"Differences on {len(self.comparison.topics)} topics. The first table counts the topics on "
            f"which the run is better and worse than the other. The second shows, of each pair, at most "
            f"{self.most} of the largest gains and {self.most} of the largest losses.{cut}"
        )


def _mean_where(found: Floats, where: Bools) -> list[float | None]:
    """The mean of the selected differences, or None if there are none."""
    count = where.sum(2).ravel().tolist()
    total = np.where(where, found, 0.0).sum(2).ravel().tolist()
    return [t / n if n else None for t, n in zip(total, count, strict=True)]
