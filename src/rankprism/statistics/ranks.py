"""Which ranks each of several systems may have, from tests of all pairs in both directions.

There are m(m-1) one-sided hypotheses "i is not better than j". Holm's correction limits the probability that
any of those that are true is rejected. If none is, the true rank of every system lies between 1 + the number
of systems that are significantly better and m - the number of those that are significantly worse.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankprism.data import Bools, Floats, Longs
from rankprism.statistics.corrections import corrected


class Differences(NamedTuple):
    """Estimated differences of pairs of systems, first minus second, wherever the estimates come from."""

    mean: Floats
    error: Floats  #: its standard error; 0 if the difference does not vary at all
    freedom: Floats  #: the degrees of freedom of the standard error


def one_sided_p(of: Differences) -> Floats:
    """p of the one-sided t-test that favours the system with the higher mean.

    Systems without a difference have p = 1, and those that differ by a constant have p = 0.
    """
    from scipy import special

    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(of.mean == 0, 0.0, np.abs(of.mean) / of.error)
    return np.where(of.mean == 0, 1.0, special.stdtr(np.maximum(of.freedom, 1.0), -t))


def adjusted_p(of: Differences) -> Floats:
    """The same p after Holm's correction for both directions of all pairs."""
    p = one_sided_p(of)
    # The other direction of a pair has the p 1 - p. It is never rejected, but it is one of the hypotheses.
    return corrected(np.concatenate([p, np.maximum(p, 1 - p)]), "holm")[: len(p)]


def better(pairs: Longs, systems: int, mean: Floats, significant: Bools) -> Bools:
    """(system, system): where the first is significantly better than the second."""
    found = np.zeros((systems, systems), dtype=bool)
    first, second = np.where(mean > 0, pairs.T, pairs.T[::-1])
    found[first[significant], second[significant]] = True
    return found


def rank_sets(better: Bools) -> tuple[Longs, Longs]:
    """The best and the worst rank that each system may have.

    >>> rank_sets(np.array([[False, False, True], [False, False, False], [False, False, False]]))
    (array([1, 1, 2]), array([2, 3, 3]))
    """
    return 1 + better.sum(0), len(better) - better.sum(1)


def tiers(better: Bools) -> Longs:
    """The tier of each system: 1 if no system is significantly better, and otherwise one more than the
    largest tier among the systems that are.

    No system of a tier is significantly better than another. Each system of a lower tier is significantly
    worse than at least one system of the tier above.

    >>> tiers(np.array([[False, False, True], [False, False, False], [False, False, False]]))
    array([1, 1, 2])
    """
    found = np.zeros(len(better), dtype=np.int64)
    left = np.ones(len(better), dtype=bool)
    tier = 0
    while left.any():
        tier += 1
        top = left & ~better[left].any(0)
        found[top] = tier
        left &= ~top
    return found
