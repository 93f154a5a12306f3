"""The distance order: documents are ordered by the distance of their labels from the best labels.

l ≤* l'  ⇔  Dist(l, l*) ≥ Dist(l', l*) (Maistro et al. 2021, section 3.2). Labels at the same distance form a
class. Distances are compared exactly: embedded labels are fractions, and the Euclidean distance is squared.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise, product
from numbers import Real
from typing import Any, TypeAlias

from rankprism.data import Labels, Scale
from rankprism.data.scales import number
from rankprism.errors import MeasureError, listed

Labelled: TypeAlias = tuple[int, ...]  # the number of a document's label on each aspect
Point: TypeAlias = tuple[Fraction | int, ...]
Distance: TypeAlias = Callable[[Point, Point, Point], Any]

#: If there are more label tuples than this, a scale must be wrong.
MOST_TUPLES = 1_000_000
_MOST_DOUBLED = 1024  # 2^1024 is too large for a float


def _steps(x: Point, best: Point) -> list[Fraction | int]:
    """|x_a - best_a| for every aspect a"""
    return [max(xa, ba) - min(xa, ba) for xa, ba in zip(x, best, strict=True)]


def _euclidean(x: Point, best: Point, w: Point) -> Fraction | int:
    """Σ_a w_a (x_a - best_a)², the square of the distance"""
    return sum(wa * step * step for wa, step in zip(w, _steps(x, best), strict=True))


def _manhattan(x: Point, best: Point, w: Point) -> Fraction | int:
    """Σ_a w_a |x_a - best_a|"""
    return sum(wa * step for wa, step in zip(w, _steps(x, best), strict=True))


def _chebyshev(x: Point, best: Point, w: Point) -> Fraction | int:
    """max_a w_a |x_a - best_a|"""
    return max(wa * step for wa, step in zip(w, _steps(x, best), strict=True))


#: Distances of embedded labels from the best labels. Each aspect counts in proportion to its weight.
DISTANCES: dict[str, Distance] = {"euclidean": _euclidean, "manhattan": _manhattan, "chebyshev": _chebyshev}
#: The distances of the paper, and after them the user's own.
NORMS = tuple(DISTANCES)
WEIGHTS = ("step", "exponential", "top-half")
TUPLES = ("product", "valid", "seen")


def distance(function: Callable[[Point, Point], Any]) -> Callable[[Point, Point], Any]:
    """Register a distance under the name of its function, for `TOMA(M, distance='name')`.

    The function takes the embedded labels of a document and the best labels, as tuples of fractions, and
    returns a number. Return a fraction if equal distances must be distinguished from nearly equal ones.

    >>> @distance
    ... def relevance_first(labels, best):
    ...     return 10 * (best[0] - labels[0]) + sum(best[1:]) - sum(labels[1:])
    """
    name = getattr(function, "__name__", "")
    if not name.isidentifier():
        raise MeasureError(f"a distance needs a name to be written in measures; got {function!r}")
    if name in DISTANCES:
        raise MeasureError(f"a distance named {name} exists already; choose another name")
    DISTANCES[name] = lambda x, best, w: function(x, best)
    return function


@dataclass(frozen=True)
class Measured:
    """The distance of a point from the best labels."""

    name: str
    top: Point
    weights: Point

    def __call__(self, point: Point) -> Any:
        far = DISTANCES[self.name](point, self.top, self.weights)
        if self.name not in NORMS and not (isinstance(far, Real) and math.isfinite(far)):
            raise MeasureError(
                f"TOMA: the distance {self.name} of {tuple(map(str, point))} to {tuple(map(str, self.top))} "
                f"is {far!r}; it must be a finite number"
            )
        return far


@dataclass(frozen=True, eq=False)
class DistanceOrder:
    """Classes of label tuples from the worst to the best, with the weight of each class."""

    scales: tuple[Scale, ...]
    measured: Measured  # the distance to the best labels; squared for the Euclidean one
    classes: tuple[tuple[Labelled, ...], ...]
    distances: tuple[Any, ...]  # the distance of each class
    weights: tuple[float, ...]  # W, the weight of each class

    @cached_property
    def class_of(self) -> dict[Labelled, int]:
        return {labels: c for c, members in enumerate(self.classes) for labels in members}

    def weight(self, labels: Labelled) -> float:
        """W(l), the weight of the class of l. Labels between two classes have the weight of the worse one."""
        if labels in self.class_of:
            return self.weights[self.class_of[labels]]
        far = self.measured(embedded(self.scales, labels))
        return max((w for d, w in zip(self.distances, self.weights, strict=True) if d >= far), default=0.0)


def embedded(scales: Sequence[Scale], labels: Labelled) -> Point:
    return tuple(_whole(scale.place[label]) for scale, label in zip(scales, labels, strict=True))


def _whole(number: Fraction) -> Fraction | int:
    """Turn fractions that are whole numbers into integers, which are ten times as fast."""
    return number.numerator if number.denominator == 1 else number


@lru_cache(maxsize=64)
def distance_order(
    scales: tuple[Scale, ...],
    name: str = "euclidean",
    weights: str | tuple[float, ...] = "step",
    tuples: tuple[Labelled, ...] | None = None,
    best: tuple[Any, ...] | None = None,
    aspect_weights: Point | None = None,
) -> DistanceOrder:
    """The classes of `tuples`, or of all combinations of labels.

    >>> two = (Scale.of("relevance", 2), Scale.of("credibility", 2))
    >>> distance_order(two).classes
    (((0, 0),), ((0, 1), (1, 0)), ((1, 1),))
    """
    chosen = tuple(_combinations(scales)) if tuples is None else tuples
    lowest = (0,) * len(scales)
    if lowest not in chosen:
        raise MeasureError(
            f"TOMA: the tuples need the lowest label of every aspect, {tuple_words(scales, lowest)}: "
            f"documents that are not judged have it"
        )
    top = best_point(scales, best)
    w: Point = (1,) * len(scales) if aspect_weights is None else aspect_weights
    dist = DISTANCES[name]
    if aspect_weights is not None and name not in NORMS:
        raise MeasureError(
            f"TOMA: the distance {name} does not use the weights of aspects; use it without weighted=True, "
            f"or one of {', '.join(NORMS)}"
        )
    if dist(top, top, w) != 0:
        raise MeasureError(
            f"TOMA: the distance {name} of the best labels to themselves is {dist(top, top, w)}; it must be 0"
        )

    measured = Measured(name, top, w)
    places = [tuple(map(_whole, scale.place)) for scale in scales]
    by_distance: dict[Any, list[Labelled]] = {}
    for labels in chosen:
        point = tuple([place[label] for place, label in zip(places, labels, strict=True)])
        by_distance.setdefault(measured(point), []).append(labels)
    distances = tuple(sorted(by_distance, reverse=True))
    classes = tuple(tuple(sorted(by_distance[far])) for far in distances)
    order = DistanceOrder(scales, measured, classes, distances, _worth(len(classes), weights))
    # Up to the best labels, a better label never increases these distances (appendix of the paper).
    if name not in NORMS or any(scale.place[-1] > x for scale, x in zip(scales, top, strict=True)):
        _check(order, name)
    return order


def _combinations(scales: Sequence[Scale]) -> Iterator[Labelled]:
    """All combinations of labels; an error if there are too many."""
    count = math.prod(len(scale.names) for scale in scales)
    if count > MOST_TUPLES:
        sizes = ", ".join(f"{len(scale.names)} of {scale.aspect}" for scale in scales)
        raise MeasureError(
            f"TOMA: there are {count} combinations of labels ({sizes}), too many to order; use "
            f"tuples='seen', or give the aspects scales with fewer labels"
        )
    return product(*(range(len(scale.names)) for scale in scales))


def best_point(scales: Sequence[Scale], best: tuple[Any, ...] | None) -> Point:
    """The position of the best labels. A number that is not a label is a position itself."""
    if best is None:
        return tuple(_whole(scale.place[-1]) for scale in scales)
    if len(best) != len(scales):
        raise MeasureError(
            f"TOMA: best needs a label of each aspect ({', '.join(scale.aspect for scale in scales)}); got "
            f"{len(best)}"
        )
    point = []
    for scale, label in zip(scales, best, strict=True):
        known = scale.number_of(label)
        place = number(label) if known is None else scale.place[known]
        if place is None:
            raise MeasureError(
                f"TOMA: best has {label!r}, which is not a label of {scale.aspect}; it has "
                f"{listed(scale.names)}"
            )
        point.append(_whole(place))
    return tuple(point)


def _worth(classes: int, weights: str | tuple[float, ...]) -> tuple[float, ...]:
    """W of each class from the worst to the best. W is 0 for the worst class and never falls."""
    if weights == "step":  # 0, 1, 2, 3, …
        return tuple(map(float, range(classes)))
    if weights == "exponential":  # 0, 2, 4, 8, …
        if classes > _MOST_DOUBLED:
            raise MeasureError(
                f"TOMA: {classes} classes are too many for exponential weights, which are finite for at most "
                f"{_MOST_DOUBLED} classes; use weights='step'"
            )
        return (0.0, *(2.0**c for c in range(1, classes)))
    if weights == "top-half":  # the better half, rounded up, counts
        return tuple(float(c >= classes // 2) for c in range(classes)) if classes > 1 else (0.0,)
    if len(weights) != classes:
        raise MeasureError(
            f"TOMA: {len(weights)} weights for {classes} classes; give one for each, from the worst class up "
            f"(`rankprism aspects order` shows the classes)"
        )
    given = tuple(float(x) if isinstance(x, int | float) else math.nan for x in weights)
    if given[0] != 0 or any(not low <= high for low, high in pairwise(given)):
        raise MeasureError(
            f"TOMA: the weights {weights} must begin with 0 and never descend: the worst class, to which "
            f"documents without judgments belong, counts nothing, and a better class never counts less"
        )
    return given


def _check(order: DistanceOrder, name: str) -> None:
    """Refuse an order that puts labels behind others that are not better on any aspect.

    It is enough to check single steps on one aspect, if the labels after every such step are in the order.
    Otherwise all pairs are checked.
    """
    place = order.class_of
    for labels, c in place.items():
        for above in _next_above(labels, place, order.scales):
            if place[above] < c:
                raise MeasureError(
                    f"TOMA: the distance {name} puts {tuple_words(order.scales, above)} behind "
                    f"{tuple_words(order.scales, labels)}, which is no better on any aspect; the order of "
                    f"documents would contradict their labels. Check best and the embedding"
                )


def _next_above(labels: Labelled, among: dict[Labelled, int], scales: Sequence[Scale]) -> list[Labelled]:
    steps = [
        (*labels[:a], label + 1, *labels[a + 1 :])
        for a, label in enumerate(labels)
        if label + 1 < len(scales[a].names)
    ]
    if all(step in among for step in steps):
        return steps
    return [other for other in among if other != labels and is_below(labels, other)]


def is_below(labels: Labelled, other: Labelled) -> bool:
    """The partial order: whether the first labels are better on no aspect."""
    return all(x <= y for x, y in zip(labels, other, strict=True))


def covers(tuples: Sequence[Labelled]) -> list[tuple[Labelled, Labelled]]:
    """The edges of the Hasse diagram: pairs (lower, upper) with nothing between them.

    >>> covers([(0, 0), (1, 0), (1, 1)])
    [((0, 0), (1, 0)), ((1, 0), (1, 1))]
    """
    edges = []
    for lower in tuples:
        above = [x for x in tuples if x != lower and is_below(lower, x)]
        edges += [(lower, x) for x in above if not any(y != x and is_below(y, x) for y in above)]
    return edges


def valid(scales: Sequence[Scale]) -> tuple[Labelled, ...]:
    """All combinations of labels that the conditions (`given`) allow.

    >>> correct = Scale.of("correct", 2, given="relevant")
    >>> valid([Scale.of("relevant", 2), correct])
    ((0, 0), (1, 0), (1, 1))
    """
    position = {scale.aspect: a for a, scale in enumerate(scales)}
    needs = [(a, position[s.given]) for a, s in enumerate(scales) if s.given in position]
    return tuple(
        labels for labels in _combinations(scales) if all(labels[b] or not labels[a] for a, b in needs)
    )


def chosen_tuples(
    scales: Sequence[Scale], tuples: Any, seen: Iterable[Labelled] | None = None
) -> tuple[Labelled, ...] | None:
    """The labels that form classes, by one of the `TUPLES` or as listed. None means all of them."""
    if tuples == "product":
        return None
    if tuples == "valid":
        return valid(scales)
    if tuples == "seen":
        return tuple(sorted(seen or ()))
    return tuple(dict.fromkeys(numbered(scales, one) for one in tuples))


def check_positions(labels: Labels, tuples: Any, best: Any) -> None:
    """Refuse labels that are listed by position unless the user has chosen the order of the aspects."""
    if best is not None:
        labels.check_order("TOMA: best")
    if not isinstance(tuples, str):
        labels.check_order("TOMA: tuples")


def numbered(scales: Sequence[Scale], labels: Any) -> Labelled:
    """The numbers of labels, from their names."""
    if not isinstance(labels, tuple | list) or len(labels) != len(scales):
        aspects = ", ".join(scale.aspect for scale in scales)
        raise MeasureError(
            f"TOMA: {labels!r} must be a tuple of {len(scales)} labels, one for each of {aspects}"
        )
    numbers = []
    for scale, label in zip(scales, labels, strict=True):
        found = scale.number_of(label)
        if found is None:
            raise MeasureError(
                f"TOMA: {label!r} is not a label of {scale.aspect}; it has {listed(scale.names)}"
            )
        numbers.append(found)
    return tuple(numbers)


def tuple_words(scales: Sequence[Scale], labels: Labelled) -> str:
    """The names of labels, as text."""
    return "(" + ", ".join(scale.names[label] for scale, label in zip(scales, labels, strict=True)) + ")"
