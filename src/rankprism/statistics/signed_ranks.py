"""Wilcoxon's signed-rank test, by a rule that does not depend on the version of scipy.

1. Topics without a difference are left out; n topics remain.
2. Their absolute differences are ranked, and equal ones share the mean of their ranks.
3. For n ≤ 50, p is exact: W⁺, the sum of the ranks of positive differences, is compared with its distribution
   over all 2ⁿ choices of signs of these very ranks, ties included.
4. For more topics, p comes from the normal distribution with the variance corrected for ties, without a
   correction for continuity.

Two differences count as equal, and a difference counts as 0, within 10⁻¹² of the larger of the two systems'
largest scores. So p does not depend on the unit of the scores.

The test follows the same rule under every version of scipy:

- Topics without a difference are left out, and n topics remain.
- The absolute differences are ranked, and equal differences share the mean of their ranks. Two
  differences count as equal, and a difference counts as 0, within a tolerance. The tolerance is 10⁻¹²
  times the largest score of the two systems, so the unit of the scores does not matter.
- For n up to 50, p is exact. It is the share of the 2ⁿ choices of signs for these ranks, ties included,
  whose rank sum is at least as far from its mean. For more topics, p comes from the normal distribution.
  Its variance is corrected for ties, and there is no correction for continuity.

Up to 50 topics and without ties, this is scipy's exact test. Beyond 50 topics, it is scipy's normal
approximation.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from rankprism.data import Floats, Longs

#: The largest number of topics with an exact p. Counts go up to 2⁵⁰, which a float holds exactly.
EXACT = 50
EQUAL = 1e-12


def wilcoxon(z: Floats, largest: Floats) -> tuple[Floats, Floats]:
    """p of each pair, and which system it favours: 1 the first, -1 the second, 0 neither.

    z : (pair, topic), the differences. largest : (pair,), the largest absolute score of the two systems.

    >>> p, sign = wilcoxon(np.array([[0.1, 0.2, 0.2, -0.1, 0.0]]), np.array([1.0]))
    >>> p.tolist(), sign.tolist()  # ranks 1½, 3½, 3½, 1½: of 16 choices, 3 give W⁺ ≥ 8½ and 3 W⁺ ≤ 1½
    ([0.375], [1.0])
    """
    order = np.argsort(np.abs(z), axis=1, kind="stable")
    z = np.take_along_axis(z, order, axis=1)
    ranks = doubled_ranks(np.abs(z), EQUAL * largest[:, None])
    n = np.count_nonzero(ranks, axis=1)
    positive = (ranks * (z > 0)).sum(1)
    total = ranks.sum(1)
    lower = np.minimum(positive, total - positive)
    p = np.ones(len(z))
    few = n <= EXACT
    p[~few] = _normal(lower[~few], ranks[~few])
    for pair in np.flatnonzero(few & (n > 0)):
        shares = _shares(tuple(ranks[pair, -n[pair] :].tolist()))
        p[pair] = min(1.0, 2 * shares[lower[pair]])
    return p, np.sign(2 * positive - total).astype(np.float64)


def doubled_ranks(size: Floats, tolerance: Floats) -> Longs:
    """(pair, topic): twice the rank of each of the ascending sizes; 0 if there is no difference.

    The mean rank of equal sizes is half a whole number, so that twice the rank is whole.

    >>> doubled_ranks(np.array([[0.0, 0.1, 0.1, 0.3]]), np.array([[1e-12]])).tolist()
    [[0, 3, 3, 6]]
    """
    none = size <= tolerance
    places = np.broadcast_to(np.arange(size.shape[1]), size.shape)
    begins = np.ones(size.shape, dtype=bool)
    begins[:, 1:] = np.diff(size, axis=1) > tolerance
    begins[:, 1:] |= none[:, :-1] & ~none[:, 1:]
    ends = np.ones(size.shape, dtype=bool)
    ends[:, :-1] = begins[:, 1:]
    first = np.maximum.accumulate(np.where(begins, places, 0), axis=1)
    after = np.where(ends, places, size.shape[1])
    last = np.minimum.accumulate(after[:, ::-1], axis=1)[:, ::-1]
    left_out = none.sum(1, keepdims=True)
    return np.where(none, 0, first + last + 2 - 2 * left_out)


@lru_cache(maxsize=256)  # without ties, all pairs with n differences have the same ranks
def _shares(ranks: tuple[int, ...]) -> Floats:
    """At w, the share of all choices of signs for which twice W⁺ is at most w."""
    counts = np.zeros(sum(ranks) + 1)
    counts[0] = 1
    for rank in ranks:
        counts[rank:] = counts[rank:] + counts[:-rank]
    return np.asarray(counts.cumsum() / 2.0 ** len(ranks))


def _normal(lower: Longs, ranks: Longs) -> Floats:
    """p from the normal distribution. The variance of W⁺ is Σr²/4, which is the usual
    n(n+1)(2n+1)/24 - Σ(t³-t)/48 with t equal differences in each group."""
    from scipy import special

    mean = ranks.sum(1) / 2
    deviation = np.sqrt((ranks.astype(np.float64) ** 2).sum(1)) / 2
    return np.asarray(2 * special.ndtr((lower - mean) / deviation))
