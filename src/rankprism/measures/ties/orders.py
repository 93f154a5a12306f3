"""All orders of tied documents, one by one, for measures without a shorter way.

Documents that a measure cannot tell apart are of one kind, and orders that differ only within a kind are the
same. A group that the cutoff divides has an order only down to the cutoff.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankprism.data import BATCH, NOWHERE, Floats, Hits, Ints, Longs
from rankprism.measures.parts import total
from rankprism.measures.ties.lattice import Law, TooMany

if TYPE_CHECKING:
    from rankprism.measures.preferences.hits import PreferenceHits

#: The largest number of orders of one ranking.
MOST_ORDERS = 20_000


def orders_of_group(size: int, kinds: Sequence[int], places: int, most: int) -> tuple[Longs, Floats] | None:
    """All orders of a group down to a place: (E, judged) the place of each judged document, from 1, and (E,)
    the chance of each order; None if there are more than `most`

    A judged document that is not among the first places is at any place further down. Orders are extended
    place by place. Each beginning has at least one order, so there are never more beginnings than orders.
    """
    documents: dict[int, list[int]] = {}
    for document, own_kind in enumerate(kinds):
        documents.setdefault(own_kind, []).append(document)
    members = [np.array(own) for own in documents.values()]
    counts = np.array([*map(len, members), size - len(kinds)])
    used, chance = np.zeros((1, len(counts)), dtype=np.int64), np.ones(1)
    place = np.zeros((1, len(kinds)), dtype=np.int64)
    for j in range(places):
        row, kind = np.nonzero(used < counts)
        if len(row) > most:
            return None
        chance = chance[row] * (counts[kind] - used[row, kind]) / (size - j)
        place, number = place[row], used[row, kind]
        for k, own in enumerate(members):
            here = np.flatnonzero(kind == k)
            place[here, own[number[here]]] = j + 1
        used = used[row]
        used[np.arange(len(row)), kind] += 1
    behind = place == 0
    return np.where(behind, places + np.cumsum(behind, axis=-1), place), chance


def orders_of_ranking(
    rank: Ints, start: Ints, size: Ints, kind: Callable[[int], int], cutoff: int | None, row: int
) -> tuple[Longs, Floats]:
    """All orders of a ranking: (E, J) the ranks of its judged documents, and (E,) the chance of each

    rank, start, size : (J,) the ranks of the judged documents, and their groups; kind : the kind of each.
    """
    ranks, chance = rank.astype(np.int64)[None, :], np.ones(1)
    for first in sorted(set(start[size > 1].tolist())):
        if cutoff is not None and first >= cutoff:
            continue
        members = np.flatnonzero(start == first)
        n = int(size[members[0]])
        places = n if cutoff is None else min(n, cutoff - first)
        found = orders_of_group(n, [kind(int(j)) for j in members], places, MOST_ORDERS // len(ranks))
        if found is None:
            raise TooMany(row, MOST_ORDERS, f"the ranking has more than {MOST_ORDERS:,} different orders")
        place, own = found
        ranks = np.repeat(ranks, len(place), axis=0)
        ranks[:, members] = first + np.tile(place, (len(chance), 1))
        chance = np.repeat(chance, len(own)) * np.tile(own, len(chance))
    return ranks, chance


def law_of_orders(score: Callable[[Hits], Floats], hits: Hits, cutoff: int | None) -> Law:
    """The scores of rankings over all orders, for any measure of absolute judgments."""
    assert hits.tied is not None
    laws = []
    for row in range(len(hits.rank)):
        judged = np.flatnonzero(hits.judged[row] != NOWHERE)
        relevant = np.full(len(judged), -1)
        found = np.flatnonzero(hits.rank[row] != NOWHERE)
        relevant[hits.condensed_rank[row, found] - 1] = found
        groups = (hits.tied.start[row, judged], hits.tied.size[row, judged])
        kind = _kinds(hits, row, relevant)
        ranks, chance = orders_of_ranking(hits.judged[row, judged], *groups, kind, cutoff, row)

        def scored(ranks: Longs, row: int = row, relevant: Longs = relevant) -> Floats:
            return score(_reordered(hits, row, relevant, ranks))

        laws.append(_law(scored, ranks, chance, hits.grade.shape[1] * len(judged)))
    return Law(*np.array(laws).reshape(-1, 3).T)


def _kinds(hits: Hits, row: int, relevant: Longs) -> Callable[[int], int]:
    """A function that numbers the kinds of a ranking's judged documents: which grades, or which sort of 0."""
    known: dict[bytes | bool, int] = {}

    def kind(j: int) -> int:
        grades = hits.grade[row, :, relevant[j]].tobytes() if relevant[j] >= 0 else None
        is_negative = hits.negative is not None and bool(hits.negative[row, j])
        return known.setdefault(is_negative if grades is None else grades, len(known))

    return kind


def _law(
    score: Callable[[Longs], Floats], ranks: Longs, chance: Floats, width: int
) -> tuple[float, float, float]:
    """The mean, the lowest and the highest score of these orders, of which each takes `width` cells."""
    step = max(1, BATCH // max(1, width))
    values = np.concatenate([score(ranks[first : first + step]) for first in range(0, len(ranks), step)])
    return float(total((values * chance)[None])[0]), float(values.min()), float(values.max())


def _reordered(hits: Hits, row: int, relevant: Longs, ranks: Longs) -> Hits:
    """One ranking in several orders: (E, J) the new ranks of its judged documents.

    relevant : (J,) for each judged document, its position among the relevant ones, or -1.
    """
    count, judged = ranks.shape
    order = np.argsort(ranks, axis=-1, kind="stable")
    judged_rank = np.take_along_axis(ranks, order, -1).astype(np.int32)
    number = relevant[order]  # (E, J)
    is_relevant = number >= 0
    shape = (count, int((relevant >= 0).sum()))
    place = np.broadcast_to(np.arange(1, judged + 1, dtype=np.int32), order.shape)
    column = number[is_relevant].reshape(shape)
    return Hits(
        judged_rank[is_relevant].reshape(shape),
        np.ascontiguousarray(hits.grade[row][:, column].swapaxes(0, 1)),
        np.full(count, hits.length[row], dtype=np.int32),
        np.full(count, hits.topic[row]),
        hits.pool,
        place[is_relevant].reshape(shape),
        judged_rank,
        None if hits.negative is None else hits.negative[row, :judged][order],
    )


def law_of_preference_orders(
    score: Callable[[PreferenceHits], Floats], hits: PreferenceHits, cutoff: int | None
) -> Law:
    """The scores of rankings over all orders, for any measure of preferences.

    Every document that a preference names is of its own kind.
    """
    assert hits.tied is not None
    laws = []
    for row in range(len(hits.rank)):
        named = np.flatnonzero(hits.rank[row] != NOWHERE)
        groups = (hits.tied.start[row, named], hits.tied.size[row, named])
        ranks, chance = orders_of_ranking(hits.rank[row, named], *groups, int, cutoff, row)

        def scored(ranks: Longs, row: int = row, named: Longs = named) -> Floats:
            order = np.argsort(ranks, axis=-1, kind="stable")
            some = replace(
                hits,
                rank=np.take_along_axis(ranks, order, -1).astype(np.int32),
                doc=hits.doc[row, named][order],
                length=np.full(len(ranks), hits.length[row], dtype=np.int32),
                tied=None,
                _memo={},
            )
            return score(some)

        laws.append(_law(scored, ranks, chance, len(named) ** 2))
    return Law(*np.array(laws).reshape(-1, 3).T)
