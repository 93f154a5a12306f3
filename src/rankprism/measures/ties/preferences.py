"""The expectation of sums over pairs of documents, which need no list of all orders.

In half of all orders of a group, one document of a pair is above the other. The reversal of an order
exchanges the two halves. So the mean of one order and its reversal is the mean of all orders.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankprism.arrays import Bools, Floats
from rankprism.data.hits import NOWHERE
from rankprism.measures.preferences.hits import PreferenceHits

if TYPE_CHECKING:
    from rankprism.measures.measure import Measure


def reversed_groups(hits: PreferenceHits) -> PreferenceHits:
    """The same rankings, each group in reversed order."""
    assert hits.tied is not None
    there = hits.rank != NOWHERE
    start, size = (np.where(there, values, 0).astype(np.int64) for values in hits.tied)
    rank = np.where(there, 2 * start + size + 1 - hits.rank, NOWHERE)
    order = np.argsort(rank, axis=-1, kind="stable")
    return replace(
        hits,
        rank=np.take_along_axis(rank, order, -1).astype(np.int32),
        doc=np.take_along_axis(hits.doc, order, -1),
        tied=None,
        _memo={},
    )


def by_reversal(measure: Measure, hits: PreferenceHits) -> Floats:
    """(N,) the mean of the scores of each ranking and of the same with reversed groups"""
    return np.asarray((measure.computed(hits) + measure.computed(reversed_groups(hits))) / 2)


def divided_by(hits: PreferenceHits, cutoff: int | None) -> Bools:
    """(N,) whether the cutoff divides a group"""
    assert hits.tied is not None
    if cutoff is None:
        return np.zeros(len(hits.rank), dtype=bool)
    start, size = hits.tied
    return np.asarray(((start < cutoff) & (start + size.astype(np.int64) > cutoff)).any(-1))
