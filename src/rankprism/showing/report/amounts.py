"""Amounts: what documents earned and the parts of it, written as briefly as they allow.

An amount has a number for each document of each list. Most depend on less: a discount on the rank, a scale on
the topic, a gain on the document. Each is written once for what it depends on, and only what depends on
the whole list, such as novelty, is written for each list.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from rankprism.data import Floats, Longs
from rankprism.showing.report.numbers import rounded, without_end

#: Numbers that differ by no more than this share of their size differ by rounding alone.
_SAME = 1e-9
#: Significant digits of numbers that are written once. The page multiplies them, so it needs many.
_DIGITS = 9
#: Digits of numbers that are written for each list, counted from the largest one.
_OF_LISTS = 6


@dataclass(frozen=True, eq=False)
class Amount:
    """An amount, as the page reads it.

    by : "rank", "topic", "document" or "list", whichever it depends on.
    by_rank : its values, rank by rank, if it depends only on the rank.
    by_topic : for each topic, None if it depends only on the rank; its value; its value for each document; or
        for each list one value or its values rank by rank, without zeros at the end. The values of lists are
        whole multiples of `unit`.
    """

    by: str
    by_rank: list[float]
    by_topic: list[Any]
    unit: float = 1.0

    @property
    def described(self) -> dict[str, Any]:
        """What it depends on, its values by rank, and the unit of its values for lists."""
        own: dict[str, dict[str, Any]] = {"rank": {"values": self.by_rank}, "list": {"unit": self.unit}}
        return {"by": self.by, **own.get(self.by, {})}


def amount(values: Floats, docs: Longs, documents: Sequence[int]) -> Amount:
    """Find out what an amount depends on.

    values : (list, topic, rank), NaN where it is not defined.
    docs : (list, topic, rank), the number of each document in its topic, -1 where a list has ended.
    documents : the number of documents of each topic.

    A gain depends on the document, even if its rank differs:

    >>> docs = np.array([[[0, 1]], [[1, 0]]])
    >>> found = amount(np.array([[[0.5, 0.25]], [[0.25, 0.5]]]), docs, [2])
    >>> found.by, found.by_topic
    ('document', [[0.5, 0.25]])
    """
    values = np.where(docs < 0, np.nan, values)
    of_ranks = _the_same(values, (0, 1))
    if of_ranks is not None:
        told = [_short(x) for x in of_ranks.tolist()]
        return Amount("rank", without_end(told), [None] * len(documents))
    of_topics = _the_same(values, (0, 2))
    if of_topics is not None:
        return Amount("topic", [], [_short(x) for x in of_topics.tolist()])
    start = np.concatenate([[0], np.cumsum(documents)])
    place = np.where(np.isnan(values), -1, docs + start[:-1][None, :, None])
    of_documents = np.zeros(start[-1])
    of_documents[place[place >= 0]] = values[place >= 0]
    if np.allclose(of_documents[place[place >= 0]], values[place >= 0], rtol=_SAME, atol=0):
        whole = [_short(x) for x in of_documents.tolist()]
        return Amount("document", [], [without_end(whole[a:b]) for a, b in pairwise(start.tolist())])
    largest = np.nanmax(np.abs(values))
    unit = 10.0 ** (math.ceil(math.log10(largest)) - _OF_LISTS)
    return Amount("list", [], _of_lists(values / unit), unit)


def _the_same(values: Floats, axes: tuple[int, int]) -> Floats | None:
    """The values along the other axis, 0 where none is defined, if they are the same along these axes."""
    unknown = np.isnan(values)
    low = np.where(unknown, np.inf, values).min(axes, initial=np.inf)
    high = np.where(unknown, -np.inf, values).max(axes, initial=-np.inf)
    defined = low <= high
    low, high = np.where(defined, low, 0.0), np.where(defined, high, 0.0)
    return low if (high - low <= _SAME * np.maximum(np.abs(low), np.abs(high))).all() else None


def _of_lists(values: Floats) -> list[list[int | list[int]]]:
    """(topic, list): whole numbers, or one if it is the same for all documents of the list.

    >>> _of_lists(np.array([[[5.0, np.nan, 5.2], [5.0, 2.0, np.nan]]]))
    [[5], [[5, 2]]]
    """
    unknown = np.isnan(values)
    whole = np.rint(np.where(unknown, 0.0, values)).astype(np.int64)
    low = np.where(unknown, np.iinfo(np.int64).max, whole).min(-1)
    high = np.where(unknown, np.iinfo(np.int64).min, whole).max(-1)
    ranks = np.arange(1, values.shape[-1] + 1)
    end = np.where(whole != 0, ranks, 0).max(-1)
    one, ends, numbers = (low == high).T.tolist(), end.T.tolist(), np.moveaxis(whole, 1, 0).tolist()
    highest = high.T.tolist()
    return [
        [highest[t][i] if one[t][i] else numbers[t][i][: ends[t][i]] for i in range(values.shape[0])]
        for t in range(values.shape[1])
    ]


def _short(x: float) -> float:
    """Write a number with few digits, and a whole number without a decimal point.

    >>> _short(1 / 3), _short(2.0)
    (0.333333333, 2)
    """
    short = rounded(x, _DIGITS) or 0.0
    return int(short) if short.is_integer() else short
