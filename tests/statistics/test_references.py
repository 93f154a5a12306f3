"""Every test of `compare` has a reference: its p, computed again from its definition."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import permutations, product
from statistics import mean, stdev

import numpy as np
import pytest
from scipy import stats

from rankprism.comparison import TESTS
from rankprism.data.arrays import Floats
from rankprism.statistics.paired import against, all_pairs

Row = list[float]
#: The number of resamples of tests that draw them, and the most that a share of them may be off.
DRAWN = 4000
OFF = 4 * math.sqrt(0.25 / DRAWN)


def t_of(z: Row) -> float:
    """z̄ / (s/√n); 0 if nothing differs, and infinite if everything differs alike."""
    s = stdev(z)
    if s < 1e-12:
        return 0.0 if abs(mean(z)) < 1e-12 else math.inf
    return mean(z) / (s / math.sqrt(len(z)))


def t(x: Row, y: Row, _: list[Row]) -> float:
    return float(stats.ttest_rel(x, y).pvalue)


def wilcoxon(x: Row, y: Row, _: list[Row]) -> float:
    """All choices of signs of the ranks of |z|."""
    z = [a - b for a, b in zip(x, y, strict=True)]
    ranks = stats.rankdata(np.abs(z)).tolist()
    observed = sum(r for r, d in zip(ranks, z, strict=True) if d > 0)
    sums = [
        sum(r for r, s in zip(ranks, signs, strict=True) if s) for signs in product((0, 1), repeat=len(z))
    ]
    below, above = (sum(s <= observed for s in sums), sum(s >= observed for s in sums))
    return float(min(1.0, 2 * min(below, above) / len(sums)))


def fisher(x: Row, y: Row, _: list[Row]) -> float:
    """All choices of signs of z."""
    z = [a - b for a, b in zip(x, y, strict=True)]
    sums = [
        abs(sum(s * d for s, d in zip(signs, z, strict=True))) for signs in product((1, -1), repeat=len(z))
    ]
    return float(mean(s >= abs(sum(z)) - 1e-12 for s in sums))


def bootstrap(x: Row, y: Row, _: list[Row]) -> float:
    """All nⁿ resamples of z - z̄."""
    z = [a - b for a, b in zip(x, y, strict=True)]
    centred = [d - mean(z) for d in z]
    every = product(centred, repeat=len(z))
    return float(mean(abs(t_of(list(resample))) >= abs(t_of(z)) - 1e-9 for resample in every))


def tukey(x: Row, y: Row, scores: list[Row]) -> float:
    """All ways to deal the scores of each topic to the systems."""
    deals = product(*(permutations(topic) for topic in zip(*scores, strict=True)))
    ranges = []
    for deal in deals:
        means = [mean(system) for system in zip(*deal, strict=True)]
        ranges.append(max(means) - min(means))
    return float(mean(widest >= abs(mean(x) - mean(y)) - 1e-12 for widest in ranges))


def _error(scores: list[Row]) -> tuple[float, int]:
    """The variance of the residuals of score = system + topic + error, and its degrees of freedom."""
    systems, topics = len(scores), len(scores[0])
    of_topic = [mean(topic) for topic in zip(*scores, strict=True)]
    of_system, overall = [mean(row) for row in scores], mean(of_topic)
    squares = sum(
        (scores[i][j] - of_system[i] - of_topic[j] + overall) ** 2
        for i in range(systems)
        for j in range(topics)
    )
    freedom = (systems - 1) * (topics - 1)
    return squares / freedom, freedom


def anova_tukey(x: Row, y: Row, scores: list[Row]) -> float:
    variance, freedom = _error(scores)
    q = abs(mean(x) - mean(y)) / math.sqrt(variance / len(x))
    return float(stats.studentized_range.sf(q, len(scores), freedom))


def dunnett(x: Row, y: Row, scores: list[Row]) -> float:
    variance, freedom = _error(scores)
    bound = abs(mean(x) - mean(y)) / math.sqrt(2 * variance / len(x))
    others = len(scores) - 1
    shape = np.full((others, others), 0.5) + 0.5 * np.eye(others)
    distribution = stats.multivariate_t(shape=shape, df=freedom, seed=1)
    inside = distribution.cdf(np.full(others, bound), lower_limit=np.full(others, -bound))
    return float(1 - inside)


#: p of a pair by each test, from its definition or from scipy: of x, y, and the scores of all systems.
REFERENCES: dict[str, Callable[[Row, Row, list[Row]], float]] = {
    "t": t,
    "wilcoxon": wilcoxon,
    "fisher": fisher,
    "bootstrap": bootstrap,
    "tukey": tukey,
    "anova-tukey": anova_tukey,
    "dunnett": dunnett,
}


def scores(seed: int, topics: int) -> Floats:
    """Three systems with real-valued scores on few topics."""
    rng = np.random.default_rng(seed)
    return np.asarray(rng.random((3, topics)) + [[0.0], [0.1], [0.5]] + 0.5 * rng.random(topics))


@pytest.mark.parametrize("name", TESTS)
def test_every_test_has_the_p_of_its_reference(name: str) -> None:
    """A new test fails here until it has a reference."""
    test = TESTS[name]
    for seed in range(5):
        values = scores(seed, 5 if name == "bootstrap" else 4 if name == "tukey" else 7)
        pairs = against(3, 0) if test.baseline else all_pairs(3)
        drawn = {"resamples": DRAWN, "seed": seed} if test.draws else {}
        found = test.function(values, pairs, 0.05, **drawn).p
        rows = values.tolist()
        expected = [REFERENCES[name](rows[i], rows[j], rows) for i, j in pairs]
        exact = not test.draws or test.enumerates
        off = 5e-4 if name == "dunnett" else 1e-9 if exact else OFF
        assert found == pytest.approx(expected, abs=off)
        assert max(expected) - min(expected) > 0.05, "a constant would pass"


def test_a_reference_without_a_test_is_left_over() -> None:
    assert REFERENCES.keys() == TESTS.keys()
