"""Many comparisons at once: error rates by simulation, tests that correct themselves, intervals that match,
Wilcoxon's rule, and p-values that do not depend on the order of a file."""

from __future__ import annotations

import csv
import io
import itertools
import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

from rankprism import InputError, RankprismWarning, compare, read_scores
from rankprism.comparison import TESTS, corrected, topic_set_size
from rankprism.data.arrays import Floats
from rankprism.errors import LongComputation
from rankprism.results.scores import Scores
from rankprism.statistics import paired, resampling, signed_ranks, simultaneous
from rankprism.statistics.means import t_intervals
from rankprism.types import Correction, TestName


def scores_of(values: Floats) -> Scores:
    """Scores of one measure from (run, topic)."""
    runs, topics = (tuple(f"{what}{i}" for i in range(n)) for what, n in zip("rt", values.shape, strict=True))
    return Scores(runs, topics, ("M",), values[:, :, None])


def systems(rng: Any, number: int, topics: int) -> Floats:
    """Exchangeable systems: easy and hard topics, and noise."""
    return np.asarray(rng.beta(2, 3, (1, topics)) + rng.normal(0, 0.2, (number, topics)))


# Error rates


@pytest.mark.parametrize("test", ["bootstrap", "fisher"])
def test_holm_and_bh_keep_the_error_rate_among_equal_systems_and_find_a_real_difference(test: str) -> None:
    # 28 pairs at .05 need 560 resamples to reject at all.
    rng = np.random.default_rng(3)
    pairs = paired.all_pairs(8)
    wrong: dict[Correction, int] = {"holm": 0, "bh": 0}
    right = dict(wrong)
    for k in range(300):
        values = systems(rng, 8, 30)
        p = TESTS[test].function(values, pairs, 0.05, resamples=1120, seed=k).p
        for correction in wrong:
            wrong[correction] += int((corrected(p, correction) < 0.05).any())
        if k < 60:
            values[0] += 0.25
            p = TESTS[test].function(values, pairs, 0.05, resamples=1120, seed=k).p
            for correction in right:
                right[correction] += int((corrected(p, correction) < 0.05)[0])
    for correction in wrong:
        assert wrong[correction] > 0  # it is possible to reject
        assert wrong[correction] / 300 <= 0.05 + 3.3 * np.sqrt(0.05 * 0.95 / 300)
        assert right[correction] / 60 > 0.6


def test_few_resamples_find_nothing_among_many_equal_systems() -> None:
    # 780 pairs, 1,000 resamples: with p = b/B, some pair had p = 0 in about 40 % of such data sets.
    rng = np.random.default_rng(5)
    pairs = paired.all_pairs(40)
    any_found = 0
    for k in range(25):
        p = paired.bootstrap(systems(rng, 40, 50), pairs, 0.05, resamples=1000, seed=k).p
        any_found += int((corrected(p, "bh") < 0.05).any())
    assert any_found <= 4  # P(more | .05) = .007


@pytest.mark.parametrize("test", ["anova-tukey", "dunnett"])
def test_tests_that_correct_themselves_err_as_often_as_alpha_says(test: str) -> None:
    rng = np.random.default_rng(7)
    pairs = paired.all_pairs(5) if test == "anova-tukey" else paired.against(5, 2)
    wrong = sum((TESTS[test].function(systems(rng, 5, 20), pairs, 0.1).p < 0.1).any() for _ in range(400))
    assert abs(wrong / 400 - 0.1) < 3.3 * np.sqrt(0.1 * 0.9 / 400)


def power_beside_a_system_that_is_far_off(test: str, far: float) -> float:
    """How often a difference of .12 is found among six systems on 50 topics, the last of them worse by `far`.

    The standard deviation of the residuals is .15, that of the topics .2.
    """
    rng = np.random.default_rng(1)
    pairs = paired.all_pairs(6)
    found = 0
    for k in range(100):
        values = rng.normal(0, 0.2, (1, 50)) + rng.normal(0, 0.15, (6, 50))
        values[0] += 0.12
        values[5] -= far
        settings = {"resamples": 500, "seed": k} if TESTS[test].draws else {}
        found += int(TESTS[test].function(values, pairs, 0.05, **settings).p[0] < 0.05)
    return found / 100


def test_a_system_that_is_far_off_takes_the_power_of_the_randomised_hsd_but_not_of_the_parametric() -> None:
    # These numbers are quoted in docs/comparing.md.
    for test, expected in (("tukey", [0.84, 0.19]), ("anova-tukey", [0.86, 0.86])):
        found = [power_beside_a_system_that_is_far_off(test, far) for far in (0, 0.5)]
        assert found == pytest.approx(expected, abs=0.011)


# Tukey and Dunnett


@pytest.mark.parametrize(("means", "freedom"), [(2, 1), (3, 2), (3, 38), (5, 3), (10, 441), (100, 4851)])
def test_the_studentised_range_is_scipys(means: int, freedom: int) -> None:
    q = np.array([0.0, 0.5, 2.0, 3.5, 5.0, 8.0])
    found = simultaneous.studentised_range(means, freedom)(q)
    np.testing.assert_allclose(found, stats.studentized_range.sf(q, means, freedom), atol=1e-10)


@pytest.mark.parametrize("freedom", [1, 2, 7, 40, 1000])
def test_with_one_difference_tukey_and_dunnett_are_students_t(freedom: int) -> None:
    t = np.array([0.1, 1.0, 2.0, 4.0, 6.0])
    expected = 2 * stats.t.sf(t, freedom)
    np.testing.assert_allclose(simultaneous.dunnett(1, freedom)(t), expected, rtol=1e-9)
    np.testing.assert_allclose(
        simultaneous.studentised_range(2, freedom)(np.sqrt(2) * t), expected, rtol=1e-9
    )


def test_a_p_of_1e_15_has_correct_digits() -> None:
    t, freedom = np.array([7.0, 8.0]), 100_000
    expected = 2 * stats.t.sf(t, freedom)
    assert expected[1] == pytest.approx(1e-15, rel=0.3)
    np.testing.assert_allclose(simultaneous.dunnett(1, freedom)(t), expected, rtol=2e-9)
    np.testing.assert_allclose(
        simultaneous.studentised_range(2, freedom)(np.sqrt(2) * t), expected, rtol=2e-9
    )


# C. W. Dunnett. 1964. New tables for multiple comparisons with a control. Biometrics 20(3): the two-sided
# tables, for 1 to 9 treatments.
DUNNETT = {
    (0.05, 5): [2.57, 3.03, 3.29, 3.48, 3.62, 3.73, 3.82, 3.90, 3.97],
    (0.05, 10): [2.23, 2.57, 2.76, 2.89, 2.99, 3.07, 3.14, 3.19, 3.24],
    (0.05, 20): [2.09, 2.38, 2.54, 2.65, 2.73, 2.80, 2.86, 2.90, 2.95],
    (0.05, 60): [2.00, 2.27, 2.41, 2.51, 2.58, 2.64, 2.69, 2.73, 2.77],
    (0.01, 10): [3.17, 3.53, 3.74, 3.88, 3.99, 4.08, 4.16, 4.22, 4.28],
}


@pytest.mark.parametrize(("alpha", "freedom"), DUNNETT)
def test_dunnetts_own_tables(alpha: float, freedom: int) -> None:
    found = [simultaneous.critical(simultaneous.dunnett(k, freedom), alpha) for k in range(1, 10)]
    assert [round(c, 2) for c in found] == DUNNETT[alpha, freedom]


def test_dunnetts_distribution_is_scipys_on_its_design() -> None:
    # scipy's test is unpaired, with (k+1)(n-1) degrees of freedom; only the distribution is the same. It
    # integrates with random numbers, to about three digits.
    rng = np.random.default_rng(4)
    control, *others = rng.normal(size=(4, 12)) + np.array([0.0, 0.5, 1.0, 1.5])[:, None]
    found = stats.dunnett(*others, control=control)
    tail = simultaneous.dunnett(3, 4 * 11)
    np.testing.assert_allclose(tail(np.abs(found.statistic)), found.pvalue, atol=2e-3)


def test_two_systems_have_the_p_and_interval_of_the_paired_t_test() -> None:
    values = systems(np.random.default_rng(2), 2, 15)
    pairs = paired.all_pairs(2)
    expected = paired.student(values, pairs, 0.05)
    for test in (paired.anova_tukey, paired.dunnett):
        found = test(values, pairs, 0.05)
        np.testing.assert_allclose(found.p, expected.p, rtol=1e-10)
        np.testing.assert_allclose(found.half_width, expected.half_width, rtol=1e-10)


def test_the_analysis_of_variance_is_that_of_least_squares() -> None:
    # score = system + topic + error, fitted as a linear model with indicator columns.
    values = systems(np.random.default_rng(8), 4, 9)
    columns = [np.eye(4)[r].tolist() + np.eye(9)[t].tolist() for r in range(4) for t in range(9)]
    fitted = np.array(columns) @ np.linalg.lstsq(np.array(columns), values.ravel(), rcond=None)[0]
    variance = float(((values.ravel() - fitted) ** 2).sum() / (3 * 8))
    found = paired.anova_tukey(values, paired.all_pairs(4), 0.05)
    q = np.abs(found.difference) / np.sqrt(variance / 9)
    np.testing.assert_allclose(found.p, stats.studentized_range.sf(q, 4, 24), atol=1e-10)
    np.testing.assert_allclose(found.effect, found.difference / np.sqrt(variance))
    expected = stats.studentized_range.isf(0.05, 4, 24) * np.sqrt(variance / 9)
    np.testing.assert_allclose(found.half_width, expected, rtol=1e-6)
    against = paired.dunnett(values, paired.against(4, 1), 0.05)
    t = np.abs(against.difference) / np.sqrt(2 * variance / 9)
    # The multivariate t with correlation ½: the largest of |xᵢ - x₀| / (√2 s), drawn.
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200_000, 4))
    s = np.sqrt(rng.chisquare(24, 200_000) / 24)
    largest = np.abs(x[:, 1:] - x[:, :1]).max(1) / (np.sqrt(2) * s)
    np.testing.assert_allclose(against.p, [(largest >= bound).mean() for bound in t], atol=4e-3)


# The largest |t| of each choice of signs

A = [[9, 8, 9, 7, 8], [6, 7, 5, 7, 6], [5, 7, 6, 4, 3], [2, 5, 1, 3, 4]]
B = [[10, 9, 8, 10, 7, 9], [8, 8, 5, 9, 4, 7], [3, 6, 4, 2, 5, 1], [4, 5, 4, 3, 5, 2]]
C = [[1, 0, 0, 1, 1], [1, 0, 0, 0, 1], [0, 0, 0, 0, 0], [1, 1, 1, 1, 1]]  # ties, and a constant difference
T = [[9, 8, 9, 7], [6, 7, 5, 7], [5, 7, 6, 4]]


@pytest.mark.parametrize(
    ("values", "alone", "adjusted"),
    [  # shares of all 2ⁿ choices, counted in whole numbers
        (A, "1/8 1/16 1/16 3/8 1/16 3/16", "3/16 1/16 1/16 3/8 1/16 5/16"),
        (B, "1/32 1/32 1/32 3/32 3/32 5/8", "1/32 1/32 1/32 7/32 7/32 5/8"),
        (C, "1 1/4 1/2 1/2 1/4 1/16", "1 7/16 3/4 3/4 7/16 1/16"),
        (T, "1/4 1/8 3/4", "1/4 1/8 3/4"),
    ],
)
@pytest.mark.parametrize("unit", [1.0, 0.1, 1e-9])
def test_the_exact_p_of_max_t(values: list[list[int]], alone: str, adjusted: str, unit: float) -> None:
    found = resampling.max_t(np.array(values) * unit, paired.all_pairs(len(values)), 10_000, 0)
    for p, expected in zip(found, (alone, adjusted), strict=True):
        assert p.tolist() == [float(Fraction(share)) for share in expected.split()]


def step_down(values: list[list[int]]) -> list[Fraction]:
    """max-t by its definition: a pair is compared with the largest t² among the pairs whose t² is at most its
    own, and has at least the p of every pair with a larger t²."""
    pairs = list(itertools.combinations(range(len(values)), 2))
    z = [[a - b for a, b in zip(values[i], values[j], strict=True)] for i, j in pairs]
    squares = [sum(x * x for x in row) for row in z]

    def nu(signs: tuple[int, ...]) -> list[Fraction]:  # t² grows with (Σz)² / Σz²
        sums = [sum(s * x for s, x in zip(signs, row, strict=True)) for row in z]
        return [Fraction(s * s, q) if q else Fraction(0) for s, q in zip(sums, squares, strict=True)]

    observed = nu((1,) * len(values[0]))
    flipped = [nu(signs) for signs in itertools.product((1, -1), repeat=len(values[0]))]
    p = []
    for own in observed:
        among = [k for k, other in enumerate(observed) if other <= own]
        p.append(Fraction(sum(max(x[k] for k in among) >= own for x in flipped), len(flipped)))
    return [max(q for q, other in zip(p, observed, strict=True) if other >= own) for own in observed]


@pytest.mark.parametrize("seed", range(8))
def test_max_t_is_the_definition_over_all_choices_of_signs(seed: int) -> None:
    values = np.random.default_rng(seed).integers(0, 4, (5, 7))
    values[4] = values[0]  # a pair without a difference, and pairs that are equal
    values[3, 0] = values[0, 0] + 1
    expected = [float(p) for p in step_down(values.tolist())]
    assert resampling.max_t(values / 10, paired.all_pairs(5), 1000, 0)[1].tolist() == expected


def test_runs_that_are_nearly_alike_keep_their_p_beside_others() -> None:
    """The sums of scores hold only the last digits of so small a difference."""
    values = np.array(B, dtype=float) * 0.1
    alike = np.vstack([values, values[0] + 1e-12 * np.array([2, 1, 3, 1, 3, -2])])
    p, adjusted = resampling.max_t(alike, np.array([[0, 4]]), 1000, 0)
    assert p[0] == adjusted[0] == resampling.fisher(alike[[0]] - alike[[4]], 1000, 0)[0]
    together = resampling.max_t(alike, paired.all_pairs(5), 1000, 0)
    assert together[0][3] == p[0]
    assert together[1].min() >= 1 / 32


@pytest.mark.parametrize("topics", [9, 40])
def test_p_of_max_t_without_correction_is_that_of_fisher(topics: int) -> None:
    values = systems(np.random.default_rng(2), 7, topics)
    pairs = paired.all_pairs(7)
    p, adjusted = resampling.max_t(values, pairs, 3000, 4)
    np.testing.assert_array_equal(p, paired.fisher(values, pairs, 0.05, 3000, 4).p)
    assert (adjusted >= p).all()


def test_max_t_depends_neither_on_blocks_nor_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = scores_of(systems(np.random.default_rng(3), 9, 30))
    settings: dict[str, Any] = {"test": "fisher", "correction": "max-t", "seed": 3}
    first = compare(scores, **settings).adjusted
    for name, value in (("CHUNK", 1 << 10), ("SIGNS", 77)):
        monkeypatch.setattr(resampling, name, value)
    np.testing.assert_array_equal(compare(scores, **settings).adjusted, first)
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    np.testing.assert_array_equal(compare(scores, **settings).adjusted, first)


def test_max_t_keeps_the_error_rate_and_finds_more_than_holm() -> None:
    rng = np.random.default_rng(3)
    pairs = paired.all_pairs(8)
    wrong = found = by_holm = 0
    for k in range(300):
        values = systems(rng, 8, 30)
        wrong += bool((resampling.max_t(values, pairs, 199, k)[1] < 0.05).any())
        if k < 60:
            values += np.linspace(0, 0.25, 8)[:, None]
            found += int((resampling.max_t(values, pairs, 999, k)[1] < 0.05).sum())
            by_holm += int((corrected(paired.student(values, pairs, 0.05).p, "holm") < 0.05).sum())
    assert 0 < wrong / 300 <= 0.05 + 3.3 * np.sqrt(0.05 * 0.95 / 300)
    assert found > by_holm


def test_max_t_needs_no_more_resamples_for_more_pairs() -> None:
    found = compare(scores_of(systems(np.random.default_rng(3), 60, 15)), test="fisher", correction="max-t")
    assert found.about["resamples"] == 10_000
    assert "with 10,000 resamples, p < 0.05 after the max-t correction for 1770 pairs" in found.tested
    assert (found.interval, found.level[0]) == ("Bonferroni", 1 - 0.05 / 1770)
    with pytest.raises(InputError, match="the correction max-t goes with the test fisher; got the test t"):
        compare(scores_of(systems(np.random.default_rng(3), 3, 15)), correction="max-t")


def test_skewed_differences_are_said() -> None:
    rng = np.random.default_rng(4)
    settings: dict[str, Any] = {"test": "fisher", "correction": "max-t"}
    compare(scores_of(systems(rng, 8, 30)), **settings)
    skewed = np.linspace(1, 3, 8)[:, None] * rng.gamma(0.25, size=(8, 30))
    with pytest.warns(RankprismWarning, match=r"have a skewness of \d\.\d, which is too much for 30 topics"):
        compare(scores_of(skewed), **settings)


@pytest.mark.parametrize("test", ["tukey", "anova-tukey", "dunnett"])
def test_unequal_variances_are_said(test: str) -> None:
    settings: dict[str, Any] = {"test": test, "baseline": "r0" if test == "dunnett" else None}
    rng = np.random.default_rng(4)
    compare(scores_of(systems(rng, 8, 30)), **settings)
    unequal = rng.normal(size=30) + np.repeat([1.0, 2.0], 4)[:, None] * rng.normal(size=(8, 30))
    with pytest.warns(RankprismWarning, match=r"half of them have [34]\.\d times the variance"):
        found = compare(scores_of(unequal), **settings)
    assert [note["kind"] for note in found.about["scores"]["notes"]] == ["unequal-variances"]


# Long computations


def test_a_long_computation_is_announced_before_it_begins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scores = scores_of(systems(np.random.default_rng(3), 60, 20))
    monkeypatch.setattr("rankprism.comparison.comparison.ANNOUNCED", 0.01)
    with pytest.warns(LongComputation, match="35,400 resamples of 1,770 pairs on 20 topics take about"):
        compare(scores, test="bootstrap", resamples=35_400)
    monkeypatch.setattr("rankprism.comparison.comparison.REFUSED", 0.02)
    with pytest.raises(
        InputError, match=r"take about .*; take the test t, .* fisher with the correction max-t"
    ):
        compare(scores, test="bootstrap")


def test_all_pairs_of_two_hundred_runs_by_the_bootstrap_are_refused_at_once() -> None:
    scores = scores_of(systems(np.random.default_rng(3), 200, 200))
    expected = r"398,000 resamples of 19,900 pairs on 200 topics take about 1\d minutes; .* a baseline only"
    with pytest.raises(InputError, match=expected):
        compare(scores, test="bootstrap")


# Intervals


@pytest.mark.parametrize("test", ["t", "bootstrap"])
@pytest.mark.parametrize("correction", ["none", "bonferroni", "holm", "bh"])
def test_an_interval_leaves_out_zero_where_the_adjusted_p_is_significant(
    test: TestName, correction: Correction
) -> None:
    values = systems(np.random.default_rng(9), 6, 30) + np.linspace(0, 0.3, 6)[:, None]
    found = compare(scores_of(values), test=test, correction=correction)
    apart = np.abs(found.difference) > found.half_width
    significant = found.significant if correction != "holm" else 15 * found.p < 0.05
    assert 0 < significant.sum() < 15
    np.testing.assert_array_equal(apart, significant)
    assert (found.significant | ~apart).all()
    each = {"none": 0.05, "bh": found.significant.sum() * 0.05 / 15}.get(correction, 0.05 / 15)
    assert found.level[0] == pytest.approx(1 - each)
    if test == "t":
        z = values[found.pairs[:, 0]] - values[found.pairs[:, 1]]
        expected = stats.t.isf(each / 2, 29) * z.std(1, ddof=1) / np.sqrt(30)
        np.testing.assert_allclose(found.half_width[0], expected)


@pytest.mark.parametrize("test", ["tukey", "anova-tukey", "dunnett"])
def test_a_simultaneous_interval_leaves_out_zero_where_p_is_significant(test: TestName) -> None:
    values = systems(np.random.default_rng(9), 6, 30) + np.linspace(0, 0.3, 6)[:, None]
    found = compare(scores_of(values), test=test, baseline="r1" if test == "dunnett" else None)
    assert 0 < found.significant.sum() < found.p.size
    np.testing.assert_array_equal(np.abs(found.difference) > found.half_width, found.significant)
    assert (found.interval, found.level[0]) == ("simultaneous", 0.95)


def test_with_bh_and_nothing_significant_intervals_have_the_level_of_bonferroni() -> None:
    values = systems(np.random.default_rng(1), 4, 20)
    found = compare(scores_of(values), correction="bh")
    assert not found.significant.any()
    assert found.level[0] == pytest.approx(1 - 0.05 / 6)


def test_false_coverage_is_controlled_for_the_pairs_that_bh_selects() -> None:
    # Of the intervals of significant pairs, a share of at most .1 should miss the true difference; intervals
    # of 90 % each, without regard to the selection, miss it far more often.
    rng = np.random.default_rng(6)
    truth = np.array([0.0, 0.0, 0.0, 0.0, 0.12])
    pairs = paired.all_pairs(5)
    true = truth[pairs[:, 0]] - truth[pairs[:, 1]]
    missed: dict[Correction, list[float]] = {"bh": [], "none": []}
    for _ in range(300):
        values = systems(rng, 5, 20) + truth[:, None]
        chosen = corrected(paired.student(values, pairs, 0.1).p, "bh") < 0.1
        for correction, shares in missed.items():
            found = compare(scores_of(values), correction=correction, alpha=0.1)
            wrong = np.abs(found.difference[0] - true) > found.half_width[0]
            shares.append(float(wrong[chosen].mean()) if chosen.any() else 0.0)
    assert np.mean(missed["bh"]) <= 0.1 + 3.3 * np.std(missed["bh"]) / np.sqrt(300)
    assert np.mean(missed["none"]) > np.mean(missed["bh"])


@pytest.mark.parametrize(
    ("settings", "interval", "level", "words"),
    [
        ({}, "Bonferroni", 1 - 0.05 / 3, "each covers 1 - 0.05/3, so that all 3 together"),
        ({"correction": "bh"}, "FCR", None, "R the number of significant pairs"),
        ({"correction": "none"}, "single", 0.95, "each holds on its own with probability 0.95"),
        ({"test": "anova-tukey"}, "simultaneous", 0.95, "all together hold with probability 0.95"),
    ],
)
def test_every_export_says_which_interval_it_holds(
    settings: dict[str, Any], interval: str, level: float | None, words: str
) -> None:
    found = compare(scores_of(systems(np.random.default_rng(0), 3, 10)), **settings)
    content = json.loads(found.to_json())
    assert words in content["about"]["interval"]
    for row in (content["rows"][0], next(csv.DictReader(io.StringIO(found.to_csv())))):
        assert row["interval"] == interval
        assert float(row["level"]) == pytest.approx(found.level[0] if level is None else level)


# Wilcoxon


def enumerated(z: Floats) -> float:
    """Wilcoxon's p by its definition: all 2ⁿ choices of signs of the ranks, zeros left out."""
    z = z[z != 0]
    ranks = stats.rankdata(np.abs(z))
    middle = ranks.sum() / 2
    observed = abs(ranks[z > 0].sum() - middle)
    sums = [ranks[np.array(signs)].sum() for signs in itertools.product([False, True], repeat=len(z))]
    return float(np.mean(np.abs(np.array(sums) - middle) >= observed - 1e-9))


@pytest.mark.parametrize("seed", range(12))
def test_wilcoxon_with_ties_and_zeros_is_the_enumeration(seed: int) -> None:
    z = np.random.default_rng(seed).integers(-4, 6, size=(3, 10)).astype(float)
    p, _ = signed_ranks.wilcoxon(z, np.full(3, 5.0))
    assert p.tolist() == pytest.approx([enumerated(row) for row in z])


@pytest.mark.parametrize("topics", [5, 13, 14, 25, 50])
def test_wilcoxon_without_ties_is_scipys_exact_test(topics: int) -> None:
    z = np.random.default_rng(topics).normal(0.2, 1, (4, topics))
    p, _ = signed_ranks.wilcoxon(z, np.abs(z).max(1))
    for row, found in zip(z, p, strict=True):
        assert found == pytest.approx(stats.wilcoxon(row, method="exact").pvalue, rel=1e-12)


def test_wilcoxon_beyond_fifty_topics_is_scipys_normal_approximation_with_ties_and_zeros() -> None:
    z = np.random.default_rng(0).integers(-5, 7, size=(5, 80)).astype(float)
    p, _ = signed_ranks.wilcoxon(z, np.full(5, 6.0))
    for row, found in zip(z, p, strict=True):
        # In scipy 1.11 the method is called "approx"; both names work there and now.
        assert found == pytest.approx(stats.wilcoxon(row, method="approx").pvalue, rel=1e-12)


def test_fifty_topics_with_ties_come_near_the_normal_approximation_and_fifty_one_are_it() -> None:
    z = np.tile(np.array([0.1, 0.2, -0.1, 0.3, -0.2]), 11)[None, :51]
    exact, normal = (signed_ranks.wilcoxon(row, np.ones(1))[0][0] for row in (z[:, :50], z))
    assert exact == pytest.approx(stats.wilcoxon(z[0, :50], method="approx").pvalue, abs=0.01)
    assert normal == pytest.approx(stats.wilcoxon(z[0].round(3), method="approx").pvalue, rel=1e-9)


@pytest.mark.parametrize("factor", [1e-100, 1e-14, 1 / 3, 1e9, 1e140])
def test_no_test_depends_on_the_unit_of_the_scores(factor: float) -> None:
    values = np.random.default_rng(3).integers(1, 6, size=(4, 20)) / 10
    for test in TESTS:
        settings: dict[str, Any] = {
            "test": test,
            "baseline": "r0",
            "resamples": 200 if TESTS[test].draws else None,
        }
        plain, scaled = (compare(scores_of(v), **settings) for v in (values, values * factor))
        np.testing.assert_allclose(scaled.p, plain.p, rtol=1e-6, err_msg=test)
        np.testing.assert_allclose(scaled.effect, plain.effect, rtol=1e-6)


def test_equal_differences_are_ties_in_wilcoxon_whatever_the_rounding() -> None:
    # .3 - .2, .7 - .6 and .1 - 0 differ in the last bits, but are the same difference.
    first, second = np.array([0.3, 0.7, 0.1, 0.5, 0.2]), np.array([0.2, 0.6, 0.0, 0.6, 0.2])
    assert len(set(np.abs(first - second).tolist())) > 2
    found = paired.wilcoxon(np.array([first, second]), paired.all_pairs(2), 0.05)
    assert found.p[0] == enumerated(np.array([1.0, 1.0, 1.0, -1.0, 0.0])) == 10 / 16


def test_intervals_are_those_of_a_textbook() -> None:
    # 1 to 5: mean 3, s² = 5/2, t(0.975, 4) = 2.7764, hence 3 ± 2.7764 · √(5/2) / √5
    numbers = np.array([1.0, 2, 3, 4, 5, np.nan]).reshape(1, 6, 1)
    means, margins = t_intervals(numbers, 0.05, "a mean over repetitions")
    assert means[0, 0] == 3
    assert np.isnan(t_intervals(numbers, 0.05)[1]).all()  # too few topics for the mean of a run
    assert margins[0, 0] == pytest.approx(2.7764 * 0.5**0.5, abs=1e-4)


def test_systems_that_always_differ_alike_have_an_infinite_effect_of_either_sign() -> None:
    values = np.array([[0.5, 0.25, 0.75], [0.25, 0.0, 0.5], [0.75, 0.5, 1.0]])
    found = compare(scores_of(values), test="anova-tukey")
    by_pair = {(row["run"], row["other"]): row["effect"] for row in found.rows.records()}
    assert by_pair == {("r0", "r1"): np.inf, ("r0", "r2"): -np.inf, ("r1", "r2"): -np.inf}


@pytest.mark.parametrize("chunk", [1, 40, 1 << 16])
def test_every_resample_of_the_randomised_hsd_is_dealt(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many are dealt at a time, they are those of one long row of random numbers."""
    values = systems(np.random.default_rng(0), 4, 7)
    rng = np.random.default_rng(5)
    dealt = [rng.permuted(values.T, axis=1).mean(0) for _ in range(33)]
    monkeypatch.setattr(resampling, "CHUNK", chunk)
    np.testing.assert_allclose(
        resampling.tukey(values, 33, 5), sorted(np.ptp(x) for x in dealt), rtol=1e-14, atol=0
    )


# Order, and what is refused


@pytest.mark.parametrize("test", TESTS)
def test_p_does_not_depend_on_the_order_of_rows_topics_and_runs(test: str) -> None:
    rng = np.random.default_rng(1)
    values = systems(rng, 5, 21)
    rows = [(f"s{r}", f"q{t}", float(values[r, t])) for r in range(5) for t in range(21)]
    settings: dict[str, Any] = {"test": test, "resamples": 400 if TESTS[test].draws else None, "seed": 3}
    for baseline in (None, "s2"):
        if baseline is None and TESTS[test].baseline:
            continue
        seen: list[dict[tuple[str, str], tuple[Any, ...]]] = []
        for turn in range(4):
            shuffled = [rows[i] for i in rng.permutation(len(rows))] if turn else rows
            table: dict[str, dict[str, dict[str, float]]] = {}
            for run, topic, score in shuffled:
                table.setdefault(run, {})[topic] = {"M": score}
            found = compare(read_scores(table), baseline=baseline, **settings)
            facts = {}
            for row in found.rows.records():
                turned = row["run"] > row["other"] and baseline is None
                pair = (row["other"], row["run"]) if turned else (row["run"], row["other"])
                low, high = (-row["high"], -row["low"]) if turned else (row["low"], row["high"])
                difference = -row["difference"] if turned else row["difference"]
                facts[pair] = (row["p"], row["adjusted p"], difference, low, high, row["significant"])
            seen.append(facts)
        assert all(facts == seen[0] for facts in seen)  # to the last bit


@pytest.mark.parametrize("score", [1e160, -1e160, np.inf, 1e150])
def test_scores_whose_squares_overflow_are_refused(score: float) -> None:
    values = np.random.default_rng(0).random((3, 4))
    values[1, 2] = score
    for analysis in (compare, lambda scores: topic_set_size(scores, difference=0.1)):
        with pytest.raises(
            InputError, match=r"run 'r1' has the score .* on topic 't2' by 'M'.*below 1e\+150"
        ):
            analysis(scores_of(values))


def test_scores_whose_squares_vanish_are_refused() -> None:
    with pytest.raises(InputError, match=r"no score by 'M' is larger than .*vanish; rescale the scores"):
        compare(scores_of(np.random.default_rng(0).random((3, 4)) * 1e-160))
