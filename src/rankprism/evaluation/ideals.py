"""The ideal ranking of every topic by a measure, if a simple rule finds it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankprism.data import Alignment, Cells, Ints, make_pool
from rankprism.evaluation.collection import Collection
from rankprism.measures import NONE, Measure, Role
from rankprism.measures.folds import FOLDS
from rankprism.measures.ideal import greedy_order
from rankprism.measures.parts import UNIFORM

#: Number of topics whose ideal rankings are made at a time.
_TOPICS = 50


def ideal_rankings(collection: Collection, measure: Measure) -> Alignment | str:
    """The ideal ranking of every topic, or a sentence that says why there is none.

    >>> from rankprism.measures import parse
    >>> collection = Collection.of({"q": {"a": 1, "b": 2}}, {"x": {"q": ["a"]}})
    >>> found = ideal_rankings(collection, parse("nDCG@10"))
    >>> [collection.judgments.marks(0)[doc] for doc in found.doc]
    ['0:2', '0:1']
    >>> ideal_rankings(collection, parse("MM(AP)"))[:43]
    'No ideal ranking is shown for MM(AP): it is'
    """
    if measure.needs == "judgments":
        return _of_grades(measure, collection.judgments.cells)
    orders = measure.ideal(collection.pool)
    if orders is None:
        return (
            f"No ideal ranking is shown for {measure.display}: it counts pairs of documents, so no simple "
            f"rule gives the best order."
        )
    return _aligned([orders[topic].astype(np.int32) for topic in collection.preferences.named.topics])


def _of_grades(measure: Measure, cells: Cells) -> Alignment | str:
    is_single = measure.definition.single
    parts = None if is_single else measure.form.parts
    if not is_single and (parts is None or parts.discount == UNIFORM):
        return (
            f"No ideal ranking is shown for {measure.display}: it is not a sum of gain, novelty and discount "
            f"over one list, so no simple rule gives the best order."
        )
    if measure.is_partial or measure.values_not_relevant:
        return (
            f"No ideal ranking is shown for {measure.display}: its score depends on documents that are not "
            f"relevant, too, so no list of relevant documents is the best."
        )
    fold, least = measure.of(Role.FOLD), measure.of(Role.THRESHOLD) or 0.0
    orders: list[Ints] = []
    for first in range(0, len(cells.documents), _TOPICS):
        pool = make_pool(cells, np.arange(first, min(first + _TOPICS, len(cells.documents))))
        if parts is not None:
            order = greedy_order(pool, parts)
        else:
            grade = FOLDS[fold](pool.grade, pool.weight[:, :, None])
            order = np.argsort(-grade, axis=-1, kind="stable").astype(np.int32)
            found = np.take_along_axis(grade, order, axis=-1)
            order[(found <= 0) | (found < least)] = -1
        orders += [row[row >= 0] for row in order]
    return _aligned(orders)


def _aligned(orders: Sequence[Ints]) -> Alignment:
    """Align one ranking of relevant documents for each topic; NONE is a document that no judgment names."""
    ranks = [np.flatnonzero(order != NONE).astype(np.int32) for order in orders]
    return Alignment(
        start=np.concatenate([[0], np.cumsum([len(rank) for rank in ranks], dtype=np.int64)]),
        rank=np.concatenate(ranks) + np.int32(1),
        doc=np.concatenate([order[rank].astype(np.int32) for order, rank in zip(orders, ranks, strict=True)]),
        length=np.array([len(order) for order in orders], dtype=np.int32),
        retrieved=np.ones(len(orders), dtype=bool),
        unjudged=[],
        remarks=np.zeros(len(orders), dtype=np.uint8),
    )
