"""The lattice of document kinds: all orders of a group at once, if steps depend only on what is above.

Documents with the same grades are of one kind. What the document at place j of a group adds depends only on
its kind, and on how many documents of each kind are above it in the group. These numbers are the states of a
lattice. An order of the group is a path through it, and its steps add up to what the group adds to the score.
The mean over all paths, the lowest and the highest path are therefore found from the steps alone. A group
with n_k documents of kind k has Π (n_k + 1) states.

The measure itself gives the steps: the score of a ranking that ends with the step, minus the score of the
ranking that ends before it. So every measure whose steps are of this kind is scored exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import numpy as np

from rankprism.data import BATCH, NOWHERE, Floats, Hits, Ints, Longs
from rankprism.errors import MeasureError
from rankprism.measures.parts import total
from rankprism.measures.ties.grouping import Grouping, grouping

#: The largest number of states of one group.
MOST_STATES = 200_000


class TooMany(MeasureError):
    """There are too many orders of a ranking to be sure of the score over all of them."""

    def __init__(self, row: int, number: int, what: str) -> None:
        super().__init__(what)
        self.row, self.number, self.what = row, number, what


@contextmanager
def numbered(rows: Longs) -> Iterator[None]:
    """Let `TooMany` name a ranking by its number in a whole, of which only some `rows` are looked at."""
    try:
        yield
    except TooMany as error:
        raise TooMany(int(rows[error.row]), error.number, error.what) from None


class Law(NamedTuple):
    """The scores of rankings over all orders."""

    expected: Floats  #: (N,)
    low: Floats  #: (N,)
    high: Floats  #: (N,)


@dataclass(frozen=True, eq=False)
class _Group:
    """The lattice of one group: C states of its relevant documents, and up to Z others above each."""

    row: int
    first: int  #: number of relevant documents above the group
    column: Longs  #: (R,) its relevant documents, kind by kind
    kind: Longs  #: (R,) their kinds
    place: Longs  #: (R,) their numbers within the kind, from 0
    sizes: Longs  #: (K,) the number of documents of each kind
    others: int  #: the number of its other documents
    start: int
    reached: int  #: the number of its places above the cutoff


def law_by_lattice(score: Callable[[Hits], Floats], hits: Hits, cutoff: int | None) -> Law:
    """The scores of rankings over all orders of their groups.

    score : a function from hits to scores (N,), whose steps depend only on which documents are above.
    """
    base = score(hits)
    law = Law(base.copy(), base.copy(), base.copy())
    groups = list(_lattices(hits, grouping(hits), cutoff))
    for some in _portions(groups, hits.grade.shape[1]):
        for group, found in zip(some, _laws(score, hits, some), strict=True):
            for sums, own in zip(law, found, strict=True):
                sums[group.row] += own
    return law


def _lattices(hits: Hits, groups: Grouping, cutoff: int | None) -> Iterator[_Group]:
    """The groups whose order matters."""
    reached = groups.reached(cutoff)
    for m in np.flatnonzero((groups.size > 1) & (reached > 0)).tolist():
        row, first, count = int(groups.row[m]), int(groups.first[m]), int(groups.count[m])
        grade = hits.grade[row, :, first : first + count].T
        kinds: dict[bytes, int] = {}
        kind = np.array([kinds.setdefault(one.tobytes(), len(kinds)) for one in grade])
        order = np.argsort(kind, kind="stable")
        sizes = np.bincount(kind)
        others = int(groups.size[m]) - count
        relevant_kinds = [bool(grade[kind == k].any()) for k in range(len(kinds))]
        if not any(relevant_kinds) or (len(kinds) == 1 and not others):
            continue
        check_states(row, sizes, others, int(reached[m]))
        begin = np.concatenate(([0], np.cumsum(sizes)[:-1]))
        place = np.arange(count) - begin[kind[order]]
        yield _Group(
            row,
            first,
            first + order,
            kind[order],
            place,
            sizes,
            others,
            int(groups.start[m]),
            int(reached[m]),
        )


def check_states(row: int, sizes: Longs, others: int, reached: int) -> None:
    """Refuse a group with too many states above the cutoff."""
    states = prod((np.minimum(sizes, reached) + 1).tolist()) * (min(others, reached) + 1)
    if states > MOST_STATES:
        n = int(sizes.sum()) + others
        raise TooMany(
            row,
            states,
            f"a group of {n} tied documents has {states:,} states, and {MOST_STATES:,} are allowed",
        )


def _portions(groups: list[_Group], aspects: int) -> Iterator[list[_Group]]:
    """Portions of the groups whose rankings fit into memory at a time."""
    some: list[_Group] = []
    cells, width = 0, 0
    for group in groups:
        states = int(np.prod(np.minimum(group.sizes, group.reached) + 1))
        rankings = states * (1 + len(group.sizes) * (min(group.others, group.reached) + 1))
        width = max(width, group.first + len(group.column) + 1)
        cells += rankings
        if some and cells * width * aspects > 4 * BATCH:
            yield some
            some, cells, width = [], rankings, group.first + len(group.column) + 1
        some.append(group)
    if some:
        yield some


def _laws(score: Callable[[Hits], Floats], hits: Hits, groups: list[_Group]) -> Iterator[tuple[float, ...]]:
    """What each group adds over all orders, minus what it adds in the order of the hits."""
    blocks = [_rankings(hits, group) for group in groups]
    scores = _scored(score, hits, [rankings for rankings, _ in blocks])
    at = 0
    for group, (rankings, states) in zip(groups, blocks, strict=True):
        own = scores[at : at + len(rankings.rank)]
        at += len(rankings.rank)
        yield _law(group, states, own)


class _Rankings(NamedTuple):
    """Some rankings of one topic: (E, W) ranks and positions among the relevant documents, -1: none."""

    row: int
    rank: Ints
    column: Longs


class _States(NamedTuple):
    above: Longs  #: (C, K) the number of documents of each kind above
    steps: Longs  #: (S, 3) the state before a step, the number of other documents above, and its kind


def _rankings(hits: Hits, group: _Group) -> tuple[_Rankings, _States]:
    """The rankings that end in each state, those that end with each step, and the two ends of the group.

    The relevant documents of a state are at the first places of the group, in any order. The document of the
    step is at its own place.
    """
    grid = grid_of(group.sizes, group.reached)
    number = grid.sum(-1)
    others = min(group.others, group.reached)
    steps = [
        np.stack(np.broadcast_arrays(state[:, None], np.arange(others + 1), k), axis=-1).reshape(-1, 3)
        for k in range(len(group.sizes))
        for state in [np.flatnonzero(grid[:, k] < group.sizes[k])]
    ]
    step = np.concatenate(steps)
    step = step[number[step[:, 0]] + step[:, 1] < group.reached]
    state = np.concatenate((np.arange(len(grid)), step[:, 0]))
    inside = group.place < grid[state][:, group.kind]  # (E, R)
    rank = np.where(inside, group.start + np.cumsum(inside, axis=-1), NOWHERE)
    begin = np.concatenate(([0], np.cumsum(group.sizes)[:-1]))
    last_rank = np.full(len(state), NOWHERE)
    last_rank[len(grid) :] = group.start + number[step[:, 0]] + step[:, 1] + 1
    last = np.full(len(state), -1)
    last[len(grid) :] = group.column[begin[step[:, 2]] + grid[step[:, 0], step[:, 2]]]
    before = np.broadcast_to(hits.rank[group.row, : group.first], (len(state), group.first))
    # The default order down to the start and to the end of the group.
    columns = np.where(inside, group.column, -1)
    ranks = np.concatenate((before, rank, last_rank[:, None]), axis=-1)
    column = np.concatenate(
        (np.broadcast_to(np.arange(group.first), before.shape), columns, last[:, None]), axis=-1
    )
    end = np.full((1, ranks.shape[1]), NOWHERE)
    end_column = np.full((1, ranks.shape[1]), -1)
    whole = group.first + len(group.column)
    end[0, :whole] = hits.rank[group.row, :whole]
    end_column[0, :whole] = np.arange(whole)
    ranks, column = np.concatenate((ranks, end)), np.concatenate((column, end_column))
    order = np.argsort(ranks, axis=-1, kind="stable")
    return (
        _Rankings(
            group.row,
            np.take_along_axis(ranks, order, -1).astype(np.int32),
            np.take_along_axis(column, order, -1),
        ),
        _States(grid, step),
    )


def _scored(score: Callable[[Hits], Floats], hits: Hits, rankings: list[_Rankings]) -> Floats:
    """The scores of all these rankings."""
    width = max(one.rank.shape[1] for one in rankings)
    row = np.concatenate([np.full(len(one.rank), one.row) for one in rankings])
    rank = np.full((len(row), width), NOWHERE, dtype=np.int32)
    grade = np.zeros((len(row), hits.grade.shape[1], width))
    at = 0
    for one in rankings:
        where = slice(at, at + len(one.rank))
        own = one.rank.shape[1]
        rank[where, :own] = one.rank
        if hits.grade.shape[2]:
            found = hits.grade[one.row][:, np.maximum(one.column, 0)].swapaxes(0, 1)
            grade[where, :, :own] = np.where(one.column[:, None, :] >= 0, found, 0.0)
        at += len(one.rank)
    nothing = np.zeros((len(row), 0), dtype=np.int32)
    return score(Hits(rank, grade, hits.length[row], hits.topic[row], hits.pool, rank, nothing))


def _law(group: _Group, states: _States, scores: Floats) -> tuple[float, ...]:
    """The mean, the lowest and the highest sum of steps, each minus the sum in the order of the hits."""
    count = len(states.above)
    before, after, end = scores[:count], scores[count:-1], scores[-1]
    state, others, kind = states.steps.T
    added = np.zeros((count, min(group.others, group.reached) + 1, len(group.sizes)))
    added[state, others, kind] = after - before[state]
    own = end - before[0]
    return tuple(float(value - own) for value in paths(group.sizes, group.others, group.reached, added))


def grid_of(sizes: Longs, reached: int) -> Longs:
    """(C, K) the states: how many documents of each kind are above, and no more than the places that count"""
    shape = np.minimum(sizes, reached) + 1
    return np.asarray(np.indices(tuple(shape)).reshape(len(sizes), int(np.prod(shape))).T)


def strides_of(sizes: Longs, reached: int) -> Longs:
    """(K,) the distance in the grid from a state to the state with one more document of each kind"""
    return np.append(np.cumprod((np.minimum(sizes, reached) + 1)[::-1])[::-1], 1)[1:]


def paths(sizes: Longs, others: int, reached: int, added: Floats) -> tuple[float, float, float]:
    """The mean, the lowest and the highest sum of steps over all orders of a group.

    sizes : (K,) the number of documents of each kind; others : the number of documents whose steps are 0.
    reached : the number of places that count.
    added : (C, min(others, reached) + 1, K) the step of a document of each kind, from each state.
    """
    grid = grid_of(sizes, reached)
    n = int(sizes.sum()) + others
    above = grid.sum(-1)[:, None] + np.arange(min(others, reached) + 1)
    left = sizes - grid  # (C, K)
    strides = strides_of(sizes, reached)
    at = [np.nonzero(above == place) for place in range(reached)]
    # From the first place to the last: the chance of each state, and the mean of the steps from it.
    chance = np.zeros(above.shape)
    chance[0, 0] = 1.0
    means = []
    for place, (c, y) in enumerate(at):
        now = chance[c, y] / (n - place)
        means.append(now * sums_of_steps(added[c, y], left[c]))
        if place + 1 == reached:
            break
        more = y < others
        chance[c[more], y[more] + 1] += now[more] * (others - y[more])
        for k, stride in enumerate(strides):
            can = left[c, k] > 0
            chance[c[can] + stride, y[can]] += now[can] * left[c[can], k]
    mean = float(total(np.concatenate(means)[None])[0])
    # From the last place to the first: the best and the worst way on from each state.
    low, high = np.zeros(above.shape), np.zeros(above.shape)
    for c, y in reversed(at):
        least, most = np.full(len(c), np.inf), np.full(len(c), -np.inf)
        more = y < others
        least[more], most[more] = low[c[more], y[more] + 1], high[c[more], y[more] + 1]
        for k, stride in enumerate(strides):
            can = left[c, k] > 0
            step = added[c[can], y[can], k]
            least[can] = np.minimum(least[can], step + low[c[can] + stride, y[can]])
            most[can] = np.maximum(most[can], step + high[c[can] + stride, y[can]])
        low[c, y], high[c, y] = least, most
    return mean, float(low[0, 0]), float(high[0, 0])


def sums_of_steps(added: Floats, left: Longs) -> Floats:
    """(S,) the sum over kinds of the step times the number of documents that are left"""
    return total(np.ascontiguousarray(added * left))
