"""TOMA: labels on several aspects become one grade, which a single-aspect measure scores."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

import numpy as np

from rankprism.data import Floats, Hits, Labels, Longs, Pool
from rankprism.errors import MeasureError
from rankprism.measures.bounds.completions import Completions
from rankprism.measures.declare import measure
from rankprism.measures.distances import (
    DISTANCES,
    TUPLES,
    WEIGHTS,
    Labelled,
    check_positions,
    chosen_tuples,
    distance_order,
    tuple_words,
)
from rankprism.measures.forms import Fold, Folded
from rankprism.measures.measure import Measure
from rankprism.measures.parameter import Example, OneOf, Role
from rankprism.measures.parts import Weighted

InnerOfClasses = Annotated[
    Measure, "the single-aspect measure, whose grades are the weights of the classes", Role.INNER
]
Distance = Annotated[str, OneOf(DISTANCES.keys()), "the distance between labels and the best labels"]
ClassWeights = Annotated[
    str | tuple[float, ...],
    OneOf(WEIGHTS),
    Example("(0,1,1,2)"),
    "the weights of the classes, from the worst to the best: 0, 1, 2, … (step); 0, 2, 4, 8, … (exponential); "
    "1 for the better half, rounded up, and 0 for the others (top-half); or the given numbers",
]
Tuples = Annotated[
    str | tuple[Any, ...],
    OneOf(TUPLES),
    Example("((0,0),(1,0),(1,1))"),
    "the combinations of labels that form classes: all of them (product), those that the scales allow "
    "(valid), those that a document has (seen), or the given ones",
]
Best = Annotated[
    tuple[Any, ...] | None,
    Example("(3,2)"),
    "the labels from which distances are measured; None means the highest label of each aspect",
]


@measure(
    cite="maistro2021principled",
    compared="Table 3 of Maistro et al. 2021 (its 4 decimals)",
    forms={
        "EUCL": {"distance": "euclidean"},
        "MANH": {"distance": "manhattan"},
        "CHEB": {"distance": "chebyshev"},
    },
)
def TOMA(
    measure: InnerOfClasses,
    distance: Distance = "euclidean",
    weights: ClassWeights = "step",
    tuples: Tuples = "product",
    best: Best = None,
    weighted: Weighted = False,
) -> Folded:
    """Total order multi-aspect evaluation: the grade of a document says how close its labels are to the best.

    TOMA(M) = M over the grades W(l) of the documents, where l are the labels of a document

    Labels with the same distance Dist(l, l*) from the best labels l* form a class. W numbers the classes, and
    the farthest class has the number 0. Dist is the Euclidean, Manhattan or Chebyshev distance between
    embedded labels. Distances are compared exactly. With weighted=True, each aspect counts in proportion to
    its weight. For a binary M such as AP, a document is relevant if W ≥ rel.

    >>> from rankprism import evaluate
    >>> two = {"q": {"relevance": {"a": 3, "b": 2}, "credibility": {"a": 0, "b": 2}}}
    >>> run = {"q": {"a": 2, "b": 1}}
    >>> evaluate(two, run, ["TOMA(RR(rel=6))", "TOMA(RR(rel=6),distance='manhattan')"]).mean()
    {'run': {'TOMA(RR(rel=6))': 0.5, "TOMA(RR(rel=6),distance='manhattan')": 0.0}}
    """
    return Folded(measure, Classes(distance, weights, tuples, best, weighted))


@dataclass(frozen=True)
class Classes(Fold):
    """The fold of TOMA: the grade of a document is the weight of its class."""

    distance: str
    weights: str | tuple[float, ...]
    tuples: str | tuple[Any, ...]
    best: tuple[Any, ...] | None
    weighted: bool

    def hits(self, hits: Hits) -> Hits:
        return hits.fold(*self._rule(hits))

    def completions(self, completions: Completions) -> Completions:
        """An unjudged document may have any labels, so it may belong to any class."""
        c, labels = completions, completions.hits.pool.labels
        if self.tuples == "seen":
            raise MeasureError(
                "TOMA: no bounds are known for tuples='seen': the labels of an unjudged document might be "
                "new and form classes of their own; use tuples='product' or 'valid'"
            )
        if not all(
            np.isin(c.level[:, a][c.level[:, a] > 0], scale.grades).all()
            for scale, a in zip(labels.scales, labels.column, strict=True)
        ):
            raise MeasureError(
                "TOMA: no bounds are known where aspects have different grades and no declared scales: an "
                "unjudged document might have a grade that makes a scale longer; declare the labels with "
                "aspects= (--aspects)"
            )
        key, fold = self._rule(c.hits)
        return c.fold(key, fold, _worths(c, labels, fold))

    def _rule(self, hits: Hits) -> tuple[Hashable, Callable[[Floats, Floats], Floats]]:
        """The name of the rule, and the rule: it folds grades into the weight of the document's class."""
        labels, tuples = hits.pool.labels, self.tuples
        check_positions(labels, tuples, self.best)
        chosen = labels.once(
            ("tuples", tuples),
            lambda: chosen_tuples(labels.scales, tuples, labels.seen if tuples == "seen" else None),
        )
        if chosen is not None and tuples != "seen":
            known = labels.once(("known", tuples), lambda: frozenset(chosen))
            hits.pool.once(("checked", tuples), lambda: _check_documents(hits.pool, labels, known))

        def worth(codes: Longs, aspect_weights: tuple[Fraction, ...] | None) -> Floats:
            order = labels.once(
                (self, aspect_weights),
                lambda: distance_order(
                    labels.scales, self.distance, self.weights, chosen, self.best, aspect_weights
                ),
            )
            present = np.unique(codes)
            of_present = np.array([order.weight(one) for one in labels.tuples(present)])
            return of_present[np.searchsorted(present, codes)]

        def fold(grade: Floats, weight: Floats) -> Floats:
            codes = labels.codes(grade)
            if not self.weighted:
                return worth(codes, None)
            of_topic = weight[:, labels.column, 0]
            result = np.zeros(codes.shape)
            for row in np.unique(of_topic, axis=0):
                rows = (of_topic == row).all(-1)
                result[rows] = worth(codes[rows], tuple(Fraction(repr(x)) for x in row.tolist()))
            return result

        return self, fold


def _worths(c: Completions, labels: Labels, fold: Callable[[Floats, Floats], Floats]) -> Floats:
    """(T, 2) the lowest weight above 0 and the highest weight of all combinations of labels"""
    grids = np.meshgrid(*(scale.grades for scale in labels.scales), indexing="ij")
    grade = np.zeros((1, len(labels.scales), grids[0].size))
    for a, grid in zip(labels.column, grids, strict=True):
        grade[0, a] = grid.ravel()
    weight = c.hits.pool.weight[:, :, None]
    worth = np.concatenate([fold(grade, weight[t : t + 1]) for t in range(len(weight))])
    lowest = np.where(worth > 0, worth, np.inf).min(-1)
    return np.stack([np.where(np.isinf(lowest), 0.0, lowest), worth.max(-1)], axis=-1)


def _check_documents(pool: Pool, labels: Labels, known: frozenset[Labelled]) -> None:
    """Refuse documents whose labels are not among the known tuples."""
    for one in labels.tuples(np.unique(labels.codes(pool.grade))):
        if one not in known:
            raise MeasureError(
                f"TOMA: a document has the labels {tuple_words(labels.scales, one)}, which are not among the "
                f"tuples; add them, or use tuples='seen' or 'product'"
            )
