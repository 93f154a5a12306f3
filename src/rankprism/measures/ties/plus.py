"""P+ over all orders of tied documents.

P+ = 1/C(i_p) Σ_{i≤i_p} BR(i), where i_p is the first rank with the highest grade in the ranking. It is not a
sum over documents, because C(i_p) divides all terms. But everything above the group of i_p is a sum whose law
is known, and in the group itself the states of the lattice say how many documents are above i_p. If the
cutoff divides a group, the highest grade depends on which documents are above the cutoff: each grade has its
own chance to be the highest.
"""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np

from rankprism.data import Floats, Hits, Longs
from rankprism.measures.ideal import ideal_sums
from rankprism.measures.parts import Gain, hit_gain, total
from rankprism.measures.ties.grouping import grouping
from rankprism.measures.ties.lattice import Law, check_states, grid_of, paths, strides_of


class _Group(NamedTuple):
    """A group of a ranking with one aspect."""

    start: int
    size: int
    grades: Floats  #: (K,) its grades above 0, ascending
    gains: Floats  #: (K,) what they are worth
    counts: Longs  #: (K,) how many documents have them


class _Above(NamedTuple):
    """What is above a group: relevant documents, those with a gain, and the sum of gains."""

    relevant: float = 0.0
    gaining: float = 0.0
    gained: float = 0.0

    def below(self, group: _Group) -> _Above:
        """The same below the group."""
        return _Above(
            self.relevant + float(group.counts.sum()),
            self.gaining + float(group.counts[group.gains > 0].sum()),
            self.gained + float(total((group.gains * group.counts)[None])[0]),
        )


class _Ratios(NamedTuple):
    """The blended ratios of a ranking."""

    row: int
    beta: float
    best: Floats  #: (D,) cg*, the sums of gains of the ideal ranking

    def steps(self, group: _Group, above: _Above, lower: int, places: int) -> Floats:
        """(C, Z + 1, K) BR of a document of each grade, given documents of the `lower` lowest grades."""
        grid = grid_of(group.counts[:lower], places)
        others = min(group.size - int(group.counts.sum()), places)
        gains = group.gains[:lower]
        i = group.start + 1 + grid.sum(-1)[:, None] + np.arange(others + 1)
        gaining = above.gaining + grid[:, gains > 0].sum(-1)
        gained = above.gained + total(np.ascontiguousarray(grid * gains))
        ideal = self.best[np.minimum(i, len(self.best)) - 1] if len(self.best) else np.zeros(i.shape)
        found = (gaining[:, None] + 1) + self.beta * (gained[:, None] + group.gains[:, None, None])
        return np.moveaxis((group.gains > 0)[:, None, None] * found / (i + self.beta * ideal), 0, -1)


def law_of_p_plus(hits: Hits, beta: float, gain: Gain, cutoff: int | None) -> Law:
    """The scores of rankings with one aspect over all orders."""
    g = hit_gain(hits, gain)[:, 0]
    best = ideal_sums(hits.pool, gain)[:, 0]
    groups = grouping(hits)
    reached = groups.reached(cutoff)
    of_row: list[list[_Group]] = [[] for _ in hits.rank]
    cut: list[int | None] = [None] * len(hits.rank)  # the places of a group that the cutoff divides
    for m in np.flatnonzero(reached).tolist():
        row, columns = int(groups.row[m]), slice(groups.first[m], groups.first[m] + groups.count[m])
        grade = hits.grade[row, 0, columns]
        grades, first, counts = np.unique(grade[grade > 0], return_index=True, return_counts=True)
        if len(grades):
            worth = g[row, columns][grade > 0][first]
            size = int(groups.size[m])
            of_row[row].append(_Group(int(groups.start[m]), size, grades, worth, counts))
            cut[row] = int(reached[m]) if reached[m] < size else None
    laws = [
        _law(_Ratios(row, beta, best[hits.topic[row]]), found, cut[row]) for row, found in enumerate(of_row)
    ]
    return Law(*np.array(laws).reshape(-1, 3).T)


_Triple = tuple[float, float, float]
_NOTHING = (0.0, 0.0, 0.0)


def _law(ratios: _Ratios, groups: list[_Group], cut: int | None) -> _Triple:
    """The expected, the lowest and the highest P+ of a ranking, the last group of which may be cut."""
    if not groups:
        return _NOTHING
    whole, last = (groups, None) if cut is None else (groups[:-1], groups[-1])
    level = max((float(group.grades[-1]) for group in whole), default=0.0)
    usual = _NOTHING
    if whole:
        n = next(n for n, group in enumerate(whole) if group.grades[-1] == level)
        _, *usual_law = _reached(ratios, whole[:n], whole[n], len(whole[n].grades) - 1, whole[n].size)
        usual = (usual_law[0], usual_law[1], usual_law[2])
    if last is None or cut is None or last.grades[-1] <= level:
        return usual
    # Which of the higher grades is the highest one above the cutoff?
    higher = [k for k in range(len(last.grades)) if last.grades[k] > level]
    without = int(last.counts[higher].sum())
    found = [(comb(last.size - without, cut) / comb(last.size, cut), usual)]
    for k in higher:
        left = last.size - int(last.counts[k + 1 :].sum())
        if left < cut:
            continue
        kept = last._replace(
            size=left, grades=last.grades[: k + 1], gains=last.gains[: k + 1], counts=last.counts[: k + 1]
        )
        chance, *law = _reached(ratios, whole, kept, k, cut)
        avoided = comb(left, cut) / comb(last.size, cut)
        # `law` is given that the grade occurs.
        found.append((avoided * chance, (law[0], law[1], law[2])))
    possible = [law for chance, law in found if chance > 0]
    mean = float(total(np.array([chance * law[0] for chance, law in found])[None])[0])
    return mean, min(law[1] for law in possible), max(law[2] for law in possible)


def _reached(
    ratios: _Ratios, before: list[_Group], group: _Group, top: int, places: int
) -> tuple[float, float, float, float]:
    """The chance that grade `top`, which no document above the group has, occurs among the first places of a
    group, and the expected, the lowest and the highest P+ if it does."""
    above = _Above()
    sums = [0.0, 0.0, 0.0]
    for one in before:
        others = one.size - int(one.counts.sum())
        check_states(ratios.row, one.counts, others, one.size)
        steps = ratios.steps(one, above, len(one.counts), one.size)
        sums = [a + b for a, b in zip(sums, paths(one.counts, others, one.size, steps), strict=True)]
        above = above.below(one)
    sizes = group.counts[:top]
    others = group.size - int(group.counts.sum())
    check_states(ratios.row, sizes, others, places)
    steps = ratios.steps(group, above, top, places)
    grid = grid_of(sizes, places)
    chance, mean, low, high = _ways(sizes, others, group.size, places, steps)
    number = grid.sum(-1)[:, None] + np.arange(min(others, places) + 1)
    hit = np.where(
        number < places, chance * group.counts[top] / (group.size - np.minimum(number, places)), 0.0
    )
    divisor = above.relevant + grid.sum(-1)[:, None] + 1
    values = [
        (s + part + steps[:, :, top]) / divisor for s, part in zip(sums, (mean, low, high), strict=True)
    ]
    certain = float(total(hit.ravel()[None])[0])
    there = hit > 0
    if not there.any():
        return 0.0, 0.0, 0.0, 0.0
    expected = float(total((hit * values[0]).ravel()[None])[0]) / certain
    return certain, expected, float(values[1][there].min()), float(values[2][there].max())


def _ways(
    sizes: Longs, others: int, n: int, places: int, steps: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """(C, others + 1) for each state of the lower grades: its chance, and the mean, the lowest and the
    highest sum of steps on the way to it"""
    grid = grid_of(sizes, places)
    above = grid.sum(-1)[:, None] + np.arange(min(others, places) + 1)
    strides = strides_of(sizes, places)
    chance, mean = np.zeros(above.shape), np.zeros(above.shape)
    low, high = np.zeros(above.shape), np.zeros(above.shape)
    chance[0, 0] = 1.0
    for place in range(1, places):
        c, y = np.nonzero(above == place)
        low[c, y], high[c, y] = np.inf, -np.inf
        back = y > 0
        came = c[back], y[back] - 1
        now = c[back], y[back]
        chance[now] += chance[came] * (others - came[1]) / (n - place + 1)
        mean[now] += mean[came] * (y[back] / place)
        low[now], high[now] = np.minimum(low[now], low[came]), np.maximum(high[now], high[came])
        for k, stride in enumerate(strides):
            back = grid[c, k] > 0
            came, now = (c[back] - stride, y[back]), (c[back], y[back])
            step = steps[came[0], came[1], k]
            chance[now] += chance[came] * (sizes[k] - grid[came[0], k]) / (n - place + 1)
            mean[now] += (mean[came] + step) * (grid[c[back], k] / place)
            low[now] = np.minimum(low[now], low[came] + step)
            high[now] = np.maximum(high[now], high[came] + step)
    return chance, mean, low, high
