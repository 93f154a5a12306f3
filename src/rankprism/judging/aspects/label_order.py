"""The distance order of label tuples, as in Table 1 and Figure 1 of Maistro et al. (2021)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from rankprism.data import Judgments, Scale, given_first
from rankprism.errors import InputError
from rankprism.formats import read_judgments
from rankprism.measures import distances
from rankprism.measures.known.toma import TOMA
from rankprism.results import Result, Table
from rankprism.types import JudgmentsLike

#: A Hasse diagram of more label tuples than this is illegible.
MOST_DRAWN = 200


def order(
    scales: JudgmentsLike | Sequence[Scale],
    distance: str = "euclidean",
    weights: Any = "step",
    tuples: Any = "product",
    best: Sequence[Any] | None = None,
) -> LabelOrder:
    """Group label tuples by their distance from the best labels. The parameters are those of `TOMA`.

    Parameters
    ----------
    scales
        Judgments of several aspects, or the scales themselves.

    Examples
    --------
    >>> from rankprism.data.scales import Scale
    >>> print(order([Scale.of("relevance", 3), Scale.of("credibility", 2)], "manhattan"))
    (relevance, credibility)  distance  class  weight
    ─────────────────────────────────────────────────
    (2, 1)                           0      3       3
    (2, 0) = (1, 1)                  1      2       2
    (1, 0) = (0, 1)                  2      1       1
    (0, 0)                           3      0       0
    """
    TOMA(distance=distance, weights=weights, tuples=tuples, best=best)  # refuses unknown parameters
    read = _scales_or_judgments(scales)
    labels = read.cells.labels if isinstance(read, Judgments) else None
    chosen = read.cells.labels.scales if isinstance(read, Judgments) else read
    given_first(chosen)  # refuses a condition on an unknown aspect
    if tuples == "seen" and labels is None:
        raise InputError("tuples='seen' needs judgments; without them use 'product' or 'valid'")
    if labels is not None:
        distances.check_positions(labels, tuples, best)
    numbers = distances.chosen_tuples(
        chosen, tuples, labels.seen if tuples == "seen" and labels is not None else None
    )
    worth = tuple(weights) if not isinstance(weights, str) else weights
    found = distances.distance_order(chosen, distance, worth, numbers, None if best is None else tuple(best))
    return LabelOrder(
        chosen,
        found,
        distance,
        {
            "distance": distance,
            "weights": weights,
            "tuples": tuples,
            "best": best,
            "scales": {s.aspect: dict(zip(s.names, map(str, s.place), strict=True)) for s in chosen},
        },
    )


def _scales_or_judgments(source: Any) -> Judgments | tuple[Scale, ...]:
    if isinstance(source, list | tuple) and all(isinstance(scale, Scale) for scale in source):
        return tuple(source)
    return read_judgments(source)


def orders(
    scales: JudgmentsLike | Sequence[Scale], weights: Any = "step", tuples: Any = "product", best: Any = None
) -> LabelOrders:
    """Compare the classes by Euclidean, Manhattan and Chebyshev distance, as in Table 1 of the paper.

    >>> from rankprism.data.scales import Scale
    >>> print(orders([Scale.of("relevance", 3), Scale.of("credibility", 2)]))
       euclidean        manhattan        chebyshev
    ─────────────────────────────────────────────────────────────
    1  (2, 1)           (2, 1)           (2, 1)
    2  (2, 0) = (1, 1)  (2, 0) = (1, 1)  (2, 0) = (1, 1) = (1, 0)
    3  (1, 0)           (1, 0) = (0, 1)  (0, 1) = (0, 0)
    4  (0, 1)           (0, 0)
    5  (0, 0)
    """
    read = _scales_or_judgments(scales)
    return LabelOrders({name: order(read, name, weights, tuples, best) for name in distances.NORMS})


def _fraction(value: Any) -> Any:
    """A fraction as 3/2, a whole number as an integer, and every other number unchanged."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else str(value)
    return value


@dataclass(frozen=True, eq=False, repr=False)
class LabelOrder(Result):
    """The result of `order`."""

    scales: tuple[Scale, ...]
    order: distances.DistanceOrder
    distance: str
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def classes(self) -> tuple[tuple[distances.Labelled, ...], ...]:
        """The label tuples of each class as numbers, the best class first."""
        return tuple(reversed(self.order.classes))

    def name(self, labels: distances.Labelled) -> str:
        return distances.tuple_words(self.scales, labels)

    @property
    def _distance(self) -> str:
        return "distance²" if self.distance == "euclidean" else "distance"

    @property
    def summary(self) -> Table:
        """One row per class, the best first."""
        return Table(
            {
                f"({', '.join(s.aspect for s in self.scales)})": [
                    " = ".join(self.name(labels) for labels in reversed(members)) for members in self.classes
                ],
                self._distance: [_fraction(d) for d in reversed(self.order.distances)],
                "class": list(range(len(self.classes) - 1, -1, -1)),
                "weight": [_fraction(w) for w in reversed(self.order.weights)],
            }
        )

    @property
    def rows(self) -> Table:
        """One row per tuple of labels."""
        every = [(c, labels) for c, members in enumerate(self.order.classes) for labels in members][::-1]
        columns: dict[str, list[Any]] = {
            "class": [c for c, _ in every],
            "weight": [self.order.weights[c] for c, _ in every],
            self._distance: [str(self.order.distances[c]) for c, _ in every],
        }
        for a, scale in enumerate(self.scales):
            columns[scale.aspect] = [scale.names[labels[a]] for _, labels in every]
            columns[f"{scale.aspect} place"] = [str(scale.place[labels[a]]) for _, labels in every]
        return Table(columns)

    @property
    def edges(self) -> list[tuple[distances.Labelled, distances.Labelled]]:
        """The edges of the Hasse diagram: each pair (lower, upper) with nothing in between."""
        every = [labels for members in self.order.classes for labels in members]
        if len(every) > MOST_DRAWN:
            raise InputError(
                f"{len(every)} combinations of labels are too many for a diagram; {MOST_DRAWN} can be read"
            )
        return distances.covers(every)

    def hasse(self) -> str:
        """The Hasse diagram as text: each line has a label tuple, its class and the tuples just above it."""
        above: dict[distances.Labelled, list[distances.Labelled]] = {}
        for lower, upper in self.edges:
            above.setdefault(lower, []).append(upper)
        number = {labels: c for c, members in enumerate(self.order.classes) for labels in members}
        by_height = sorted(number, key=lambda labels: (-sum(labels), tuple(-x for x in labels)))
        return Table(
            {
                "labels": [self.name(labels) for labels in by_height],
                "class": [str(number[labels]) for labels in by_height],
                "just above": [
                    " ".join(self.name(upper) for upper in above.get(labels, [])) or "–"
                    for labels in by_height
                ],
            }
        ).text()

    def place(self, labels: distances.Labelled) -> tuple[float, ...]:
        """The positions of the labels on their scales."""
        return tuple(map(float, distances.embedded(self.scales, labels)))


@dataclass(frozen=True, eq=False, repr=False)
class LabelOrders(Result):
    """The result of `orders`."""

    by_distance: Mapping[str, LabelOrder]

    @property
    def about(self) -> Mapping[str, Any]:  # type: ignore[override]
        return {name: found.about for name, found in self.by_distance.items()}

    @property
    def charted(self) -> LabelOrder:
        return next(iter(self.by_distance.values()))

    def hasse(self) -> str:
        """The partial order that holds for every distance."""
        return self.charted.hasse()

    @property
    def summary(self) -> Table:
        """A column of classes for each distance, the best class first."""
        most = max(len(found.classes) for found in self.by_distance.values())
        columns: dict[str, list[Any]] = {"": [str(place) for place in range(1, most + 1)]}
        for name, found in self.by_distance.items():
            members = next(iter(found.summary.columns.values()))
            columns[name] = [*members, *[""] * (most - len(members))]
        return Table(columns)

    @property
    def rows(self) -> Table:
        """One row per distance and tuple of labels. Euclidean distances are not squared."""
        columns: dict[str, list[Any]] = {"measured by": []}
        for name, found in self.by_distance.items():
            every = found.rows
            columns["measured by"] += [name] * len(every)
            for column, cells in every.columns.items():
                if column == "distance²":
                    columns.setdefault("distance", []).extend(math.sqrt(Fraction(far)) for far in cells)
                elif column == "distance":
                    columns.setdefault("distance", []).extend(float(Fraction(far)) for far in cells)
                else:
                    columns.setdefault(column, []).extend(cells)
        return Table(columns)
