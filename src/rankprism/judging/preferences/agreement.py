"""Do assessors agree? Krippendorff's α of all of them, and Cohen's κ of any two.

Both compare the observed disagreement with the disagreement that chance would give: 1 is perfect agreement,
0 is no better than chance. A *unit* is a pair of documents that at least two assessors judged, after the same
given documents.

Which document was on the left is an accident, so swapping the sides must not change agreement: every judgment
counts half as it is and half with sides swapped. An assessor who judged a unit several times counts once,
with the side that they chose more often, or with a tie.

Where assessors grade documents, a unit is a document and an aspect of a topic, and α is ordinal: the
further apart two labels are on the scale, the more they disagree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from rankprism.data import Floats, Longs, Preferences
from rankprism.measures import ratio
from rankprism.statistics import CLAIMS

#: The categories of an answer: the document with the smaller id, the other one, neither.
ANSWERS = ("first", "second", "tie")
_SWAPPED = [1, 0, 2]
#: The level of the intervals.
LEVEL = 0.95
#: The claims of the intervals, see `rankprism.statistics.claims`.
ALPHA, KAPPA, LABEL_ALPHA = "α of preferences", "κ of preferences", "α of labels"


@dataclass(frozen=True)
class Agreement:
    """A coefficient with its interval, and the number of units that it rests on."""

    value: float
    low: float
    high: float
    units: int


def krippendorff_alpha(coincidences: Floats) -> Floats:
    """α = 1 - D_o / D_e of nominal answers, from (…, C, C) matrices of coincidences

    With n_c the sums of the rows and n of all: D_o = Σ_{c≠k} o_ck / n, D_e = Σ_{c≠k} n_c n_k / (n (n-1)).
    NaN if all answers are the same, because nothing is then known about chance.
    """
    total = coincidences.sum((-2, -1))
    row = coincidences.sum(-1)
    observed = total - np.trace(coincidences, axis1=-2, axis2=-1)
    expected = total**2 - (row**2).sum(-1)
    return np.where(expected > 0, 1 - (total - 1) * ratio(observed, expected), np.nan)


def ordinal_alpha(coincidences: Floats) -> Floats:
    """α = 1 - D_o / D_e of labels in their order, from (…, C, C) matrices of coincidences

    Two labels differ by the squared distance of their mean ranks among all answers: δ_ck = (r_c - r_k)² with
    r_c = n_1 + … + n_{c-1} + n_c / 2. Then D_o = Σ o_ck δ_ck / n and D_e = Σ n_c n_k δ_ck / (n (n-1)). NaN
    if all answers are the same, because nothing is then known about chance.
    """
    total = coincidences.sum((-2, -1))
    row = coincidences.sum(-1)
    rank = row.cumsum(-1) - row / 2
    distance = (rank[..., :, None] - rank[..., None, :]) ** 2
    observed = (coincidences * distance).sum((-2, -1))
    expected = (row[..., :, None] * row[..., None, :] * distance).sum((-2, -1))
    return np.where(expected > 0, 1 - (total - 1) * ratio(observed, expected), np.nan)


def cohen_kappa(confusion: Floats) -> Floats:
    """κ = (p_o - p_e) / (1 - p_e) of two assessors, from (…, C, C) tables of their answers

    p_o is the share on the diagonal, and p_e what independent answers with the same margins would have
    there. NaN if both always give the same answer.
    """
    total = confusion.sum((-2, -1))
    observed = ratio(np.trace(confusion, axis1=-2, axis2=-1), total)
    expected = ratio((confusion.sum(-1) * confusion.sum(-2)).sum(-1), total**2)
    return np.where(expected < 1, ratio(observed - expected, 1 - expected), np.nan)


def coincidences(counts: Floats) -> Floats:
    """(U, C, C) what each unit adds to the matrix of coincidences, from (U, C) counts of its answers

    o_ck = n_c n_k / (m-1) for c ≠ k and n_c (n_c - 1) / (m-1) on the diagonal, for a unit with m answers.
    """
    pairs = counts[:, :, None] * counts[:, None, :]
    diagonal = np.arange(counts.shape[1])
    pairs[:, diagonal, diagonal] -= counts
    return ratio(pairs, np.maximum(counts.sum(-1) - 1, 1)[:, None, None])


def answers(preferences: Preferences) -> dict[tuple[int, int, int, int], dict[int, int]]:
    """The answer (see `ANSWERS`) of each assessor to each unit: topic, given, first and second document."""
    left, right = (np.array(preferences.docs)[side] for side in (preferences.left, preferences.right))
    swapped = left > right
    first = np.where(swapped, preferences.right, preferences.left)
    second = np.where(swapped, preferences.left, preferences.right)
    outcome = np.where(swapped, 1 - preferences.outcome, preferences.outcome) - 0.5
    columns = (preferences.topic, preferences.given, first, second, preferences.assessor)
    keys, row = np.unique(np.stack(columns, axis=-1), axis=0, return_inverse=True)
    balance = np.bincount(row.ravel(), outcome, len(keys))
    found: dict[tuple[int, int, int, int], dict[int, int]] = {}
    for (t, g, a, b, who), x in zip(keys.tolist(), balance.tolist(), strict=True):
        found.setdefault((t, g, a, b), {})[who] = 0 if x > 0 else 1 if x < 0 else 2
    return found


def alpha_of(units: Mapping[tuple[int, int, int, int], Mapping[int, int]]) -> Agreement:
    """Krippendorff's α over the units that at least two assessors judged."""
    rows = [list(who.values()) for who in units.values() if len(who) > 1]
    counts = np.array([np.bincount(row, minlength=3) for row in rows], dtype=np.float64).reshape(-1, 3)
    counts[:, :2] = -np.sort(-counts[:, :2], axis=1)  # swapped sides are the same unit
    kinds, times = np.unique(counts, axis=0, return_counts=True)
    added = coincidences(kinds)
    added = (added + added[:, _SWAPPED][:, :, _SWAPPED]) / 2

    def alpha(times: Floats) -> Floats:
        return krippendorff_alpha(np.einsum("...u,uck->...ck", times, added))

    return _with_interval(ALPHA, alpha, times)


def label_alpha_of(units: Iterable[Sequence[int]], labels: int) -> Agreement:
    """Krippendorff's ordinal α over the units that at least two assessors graded.

    units : for each unit, the label that each assessor gave, numbered from the lowest.
    labels : the number of labels of the scale.

    >>> agreement = label_alpha_of([[0, 0], [0, 1], [2, 2], [1]], labels=3)
    >>> print(f"{agreement.value:.3f}, {agreement.units} units")
    0.778, 3 units
    """
    rows = [np.bincount(unit, minlength=labels) for unit in units if len(unit) > 1]
    counts = np.array(rows, dtype=np.float64).reshape(-1, labels)
    kinds, times = np.unique(counts, axis=0, return_counts=True)
    added = coincidences(kinds)

    def alpha(times: Floats) -> Floats:
        return ordinal_alpha(np.einsum("...u,uck->...ck", times, added))

    return _with_interval(LABEL_ALPHA, alpha, times)


def kappa_of(units: Mapping[tuple[int, int, int, int], Mapping[int, int]], one: int, other: int) -> Agreement:
    """Cohen's κ of two assessors over the units that both judged."""
    # Swapped sides are the same unit, so the smaller of the two numbers identifies it.
    both = [
        min(3 * who[one] + who[other], 3 * _SWAPPED[who[one]] + _SWAPPED[who[other]])
        for who in units.values()
        if one in who and other in who
    ]
    kinds, times = np.unique(np.array(both, dtype=np.int64), return_counts=True)
    added = np.eye(9)[kinds].reshape(-1, 3, 3)
    added = (added + added[:, _SWAPPED][:, :, _SWAPPED]) / 2

    def kappa(times: Floats) -> Floats:
        return cohen_kappa(np.einsum("...u,uck->...ck", times, added))

    return _with_interval(KAPPA, kappa, times)


def pairs_of_assessors(
    units: Mapping[tuple[int, int, int, int], Mapping[int, int]], names: Sequence[str]
) -> list[tuple[int, int]]:
    """Any two assessors who both judged a unit, in the order of their names."""
    found = {pair for who in units.values() for pair in combinations(sorted(who, key=names.__getitem__), 2)}
    return sorted(found, key=lambda pair: (names[pair[0]], names[pair[1]]))


def _with_interval(claim: str, statistic: Callable[[Floats], Floats], times: Longs) -> Agreement:
    """The statistic, and its interval where there are enough units.

    This is Wilson's interval of a share, on the scale from -1 to 1: it has the values x that are within t
    standard errors √((1 - x²) / n) of the statistic, so it has a width even if everybody agrees. With α the
    statistic and v its jackknife variance over units, n is (1 - α²) / v; if these are 0, the number of units.
    """
    from scipy.special import stdtrit

    units = int(times.sum())
    value = float(statistic(times.astype(np.float64))) if units else np.nan
    if np.isnan(value) or units < CLAIMS[claim].fewest:
        return Agreement(value, np.nan, np.nan, units)
    # Units with the same answers are alike, so one of each kind is left out.
    without = statistic(times - np.eye(len(times)))
    without = np.where(np.isnan(without), value, without)
    mean = float(times @ without) / units
    variance = float(times @ (without - mean) ** 2) * (units - 1) / units
    middle = min(max(value, -1.0), 1.0)
    spread = 1 - middle**2
    n = spread / variance if min(spread, variance) > 1e-12 else float(units)
    t = float(stdtrit(units - 1, (1 + LEVEL) / 2))
    reach, by = t * np.sqrt(spread / n + (t / n) ** 2), 1 + t**2 / n
    return Agreement(value, float((middle - reach) / by), float((middle + reach) / by), units)
