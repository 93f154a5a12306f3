"""Comparing systems: each test against scipy, a textbook, or the definition on all resamples."""

from __future__ import annotations

import itertools
import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankprism import InputError, RankprismWarning, compare, evaluate, read_scores, sample
from rankprism.comparison import TESTS, corrected, topic_set_size
from rankprism.data.arrays import Floats
from rankprism.statistics import paired, resampling
from rankprism.types import Correction, TestName

# Table 5.1 of Sakai's textbook on information access evaluation (Corona 2015): three systems, 20 topics.
# The figures in the tests below that name it are those that the elinor project checks against the book.
SAKAI = np.array(
    [
        [0.7, 0.3, 0.2, 0.6, 0.4, 0.4, 0.0, 0.7, 0.1, 0.3, 0.5, 0.4, 0.0, 0.6, 0.5, 0.3, 0.1, 0.5, 0.2, 0.1],
        [0.5, 0.1, 0.0, 0.2, 0.4, 0.3, 0.0, 0.5, 0.3, 0.3, 0.4, 0.4, 0.1, 0.4, 0.2, 0.1, 0.1, 0.6, 0.3, 0.2],
        [0.0, 0.0, 0.2, 0.1, 0.3, 0.3, 0.1, 0.2, 0.4, 0.4, 0.4, 0.3, 0.3, 0.2, 0.2, 0.2, 0.1, 0.5, 0.4, 0.3],
    ]
)
ALL = paired.all_pairs(3)


def matrix(values: Floats) -> Any:
    """Scores of one measure from (run, topic)."""
    return read_scores(
        {f"S{r}": {str(t): {"M": float(x)} for t, x in enumerate(row)} for r, row in enumerate(values)}
    )


def random_matrix(seed: int, runs: int = 4, topics: int = 12, digits: int = 1) -> Floats:
    return np.asarray(np.random.default_rng(seed).random((runs, topics)).round(digits))


# The bootstrap


def naive_bootstrap(z: Floats, draws: Any, alpha: float) -> tuple[int, float]:
    """How many resamples reach t, and the required difference of one pair, one by one in exact fractions."""
    exact = [Fraction(str(round(x, 9))) for x in z]
    mean = sum(exact) / len(exact)
    w = [x - mean for x in exact]

    def t2(sample: list[Fraction]) -> Fraction | float:
        centre = sum(sample) / len(sample)
        s2 = sum((x - centre) ** 2 for x in sample) / (len(sample) - 1)
        if s2 == 0:
            return 0 if centre == 0 else float("inf")
        return centre**2 / (s2 / len(sample))

    observed = t2(exact)
    resampled = [[w[i] for i in draw] for draw in draws]
    ts = [t2(sample) for sample in resampled]
    reached = sum(t >= observed for t in ts)
    place = int(np.ceil(round(len(ts) * alpha, 9)))
    at = sorted(ts, reverse=True)[place - 1]
    delta = max(abs(sum(s) / len(s)) for s, t in zip(resampled, ts, strict=True) if t == at)
    return reached, float(delta)


@pytest.mark.parametrize("seed", range(6))
def test_bootstrap_equals_the_definition_in_exact_fractions(seed: int) -> None:
    # One digit makes ties, zeros and constant resamples common.
    values = random_matrix(seed, runs=3, topics=6)
    values[1] = values[0] + 0.1  # a constant difference
    z = values[ALL[:, 0]] - values[ALL[:, 1]]
    found = resampling.bootstrap(z, alpha=0.05, resamples=200, seed=seed)
    draws = np.random.default_rng(seed).integers(6, size=(200, 6))
    for row, reached, asl, delta in zip(z, found.reached, found.asl, found.delta, strict=True):
        expected = naive_bootstrap(row, draws, 0.05)
        assert reached == expected[0]
        assert asl == (reached + 1) / 201
        assert delta == pytest.approx(expected[1], abs=1e-12)


def test_all_256_resamples_of_the_worked_example(monkeypatch: pytest.MonkeyPatch) -> None:
    # x and y differ by (.2, -.1, .5, .2), so w = (0, -.3, .3, 0): 16 resamples are all zeros and say nothing,
    # and 66 of 256 reach t. In plain floating point the zeros are some 1e-17, and ten or eleven of those
    # resamples seem to reach it too, depending on the order of summation: 76 (.296875) or 77 of 256.
    x, y = np.array([0.5, 0.4, 0.9, 0.3]), np.array([0.3, 0.5, 0.4, 0.1])
    draws = np.array(list(itertools.product(range(4), repeat=4)))

    def every(topics: int, resamples: int, seed: int) -> Any:
        counts = [np.bincount(row, minlength=4) for row in draws]
        yield slice(0, 256), np.stack(counts, axis=1).astype(float)

    monkeypatch.setattr(resampling, "_draws", every)
    found = resampling.bootstrap((x - y)[None], alpha=0.05, resamples=256, seed=0)
    assert found.reached[0] == 66 == naive_bootstrap(x - y, draws, 0.05)[0]

    def t(z: list[float]) -> float:
        mean = sum(z) / 4
        s = (sum((v - mean) ** 2 for v in z) / 3) ** 0.5
        return abs(mean / (s / 2)) if s else math.inf if mean else 0.0

    z = [a - b for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    w = [v - sum(z) / 4 for v in z]
    rounded = [t([w[i] for i in draw]) >= t(z) for draw in draws]
    assert t(z) == pytest.approx(1.6329931618554523)
    assert sum(rounded) in (76, 77)


def test_the_critical_value_of_the_bootstrap_is_the_t_beyond_which_p_is_below_alpha() -> None:
    z = np.random.default_rng(2).normal(size=9)
    counts = np.concatenate([drawn for _, drawn in resampling._draws(9, 199, 3)], axis=1)
    samples = [np.repeat(z - z.mean(), drawn) for drawn in counts.T.astype(int)]
    t = np.abs([stats.ttest_1samp(sample, 0).statistic for sample in samples])
    critical = resampling.bootstrap(z[None], 0.05, 199, 3).critical[0]
    assert np.isclose(t, critical, rtol=1e-9).sum() >= 1
    assert ((t > critical * (1 + 1e-9)).sum() + 1) / 200 < 0.05
    assert ((t > critical * (1 - 1e-9)).sum() + 1) / 200 >= 0.05


@given(st.integers(0, 1000))
def test_bootstrap_does_not_depend_on_blocks(seed: int) -> None:
    z = np.random.default_rng(seed).normal(size=(7, 9))
    whole = resampling.bootstrap(z, 0.05, 300, seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resampling, "BLOCK", 1300)
        patch.setattr(resampling, "DRAWN", 100)
        patch.setattr(resampling, "KEPT", 0)
        patch.setattr(resampling, "PRODUCT", 500)
        blocks = resampling.bootstrap(z, 0.05, 300, seed)
    np.testing.assert_array_equal(whole.asl, blocks.asl)
    np.testing.assert_allclose(whole.delta, blocks.delta, rtol=1e-12)


def test_pairs_that_are_too_large_for_one_product_are_resampled_one_by_one() -> None:
    z = np.random.default_rng(2).normal(size=(3, 9))
    whole = resampling.bootstrap(z, 0.05, 30, 1), resampling.fisher(z, 30, 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resampling, "PRODUCT", 1)
        single = resampling.bootstrap(z, 0.05, 30, 1), resampling.fisher(z, 30, 1)
    np.testing.assert_array_equal(single[0].asl, whole[0].asl)
    np.testing.assert_array_equal(single[1], whole[1])


def test_bootstrap_interval_leaves_out_zero_exactly_where_the_test_is_significant() -> None:
    values = np.random.default_rng(5).normal(size=(12, 20)) + np.linspace(0, 1, 12)[:, None]
    found = paired.bootstrap(values, paired.all_pairs(12), 0.05, resamples=1000, seed=1)
    apart = np.abs(found.difference) > found.half_width
    # (b + 1) / (B + 1) < α is b ≤ Bα - 1, so the Bα-th largest |t| lies below the observed one.
    np.testing.assert_array_equal(apart, found.p < 0.05)


# The other tests


def test_t_and_wilcoxon_equal_scipy() -> None:
    values = np.random.default_rng(0).normal(size=(5, 30))
    pairs = paired.all_pairs(5)
    t, w = paired.student(values, pairs, 0.05), paired.wilcoxon(values, pairs, 0.05)
    for k, (i, j) in enumerate(pairs):
        expected = stats.ttest_rel(values[i], values[j])
        interval = expected.confidence_interval(0.95)
        assert t.p[k] == pytest.approx(expected.pvalue, rel=1e-9)
        assert t.difference[k] - t.half_width[k] == pytest.approx(interval.low)
        assert w.p[k] == pytest.approx(stats.wilcoxon(values[i], values[j]).pvalue, rel=1e-9)


def test_t_of_the_textbook() -> None:
    found = paired.student(SAKAI[:2], paired.all_pairs(2), 0.05)
    assert found.difference[0] == pytest.approx(0.0750, abs=5e-5)
    assert found.effect[0] == pytest.approx(0.473, abs=5e-4)
    assert found.p[0] == pytest.approx(0.048, abs=5e-4)
    assert found.half_width[0] == pytest.approx(0.0742, abs=5e-5)


def test_fisher_on_few_topics_is_exact_and_equals_scipy() -> None:
    values = random_matrix(3, runs=2, topics=8, digits=2)
    p = resampling.fisher(values[:1] - values[1:], resamples=10_000, seed=0)
    expected = stats.permutation_test(
        (values[0] - values[1],),
        lambda z, axis: z.mean(axis),
        permutation_type="samples",
        n_resamples=np.inf,
        vectorized=True,
    )
    assert p[0] == pytest.approx(expected.pvalue)


def test_fisher_on_many_topics_comes_near_the_exact_value() -> None:
    values = random_matrix(4, runs=2, topics=14, digits=2)
    z = values[:1] - values[1:]
    exact = resampling.fisher(z, resamples=2**14, seed=0)[0]
    drawn = resampling.fisher(z, resamples=2**14 - 1, seed=0)[0]
    assert drawn == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 2**14))


def test_tukey_equals_the_definition_over_all_deals() -> None:
    values = random_matrix(1, runs=3, topics=4, digits=2)
    deals = itertools.product(itertools.permutations(range(3)), repeat=4)
    widest = np.sort(
        [np.ptp([np.mean([values[deal[t][s], t] for t in range(4)]) for s in range(3)]) for deal in deals]
    )
    difference = values.mean(1)[ALL[:, 0]] - values.mean(1)[ALL[:, 1]]
    exact = resampling.number_reaching(widest, difference) / len(widest)
    drawn = paired.tukey(values, ALL, 0.05, resamples=20_000, seed=0).p
    np.testing.assert_allclose(drawn, exact, atol=4 * 0.5 / np.sqrt(20_000))


def test_tukey_of_the_textbook() -> None:
    assert paired.residual_variance(SAKAI) == pytest.approx(0.0219, abs=5e-5)
    found = paired.tukey(SAKAI, ALL, 0.05, resamples=20_000, seed=0)
    np.testing.assert_allclose(found.effect, [0.5070, 0.6760, 0.1690], atol=5e-5)
    # Tukey's HSD itself, q = d / √(V_E / n): randomisation comes close, but counts the many ties of scores
    # that are multiples of .1 as reached.
    q = np.abs(found.difference) / np.sqrt(paired.residual_variance(SAKAI) / 20)
    np.testing.assert_allclose(found.p, stats.studentized_range.sf(q, 3, 38), atol=0.05)


@pytest.mark.parametrize("test", ["t", "wilcoxon", "fisher", "bootstrap"])
def test_systems_without_a_difference_are_told_apart_as_often_as_alpha_says(test: str) -> None:
    # 600 pairs of one system with itself, the labels dealt topic by topic; ± 3.3 σ is 99.9 %.
    rng = np.random.default_rng(11)
    scores = rng.beta(2, 3, size=(600, 2, 50))
    dealt = rng.permuted(scores, axis=1)
    settings = {} if test in ("t", "wilcoxon") else {"resamples": 1000, "seed": 2}
    pairs = paired.all_pairs(1200)[[2 * k * 1200 - (2 * k * (2 * k + 1)) // 2 for k in range(600)]]
    assert (pairs[:, 1] - pairs[:, 0] == 1).all()
    found = TESTS[test].function(dealt.reshape(1200, 50), pairs, 0.05, **settings)
    share = (found.p < 0.05).mean()
    assert abs(share - 0.05) < 3.3 * np.sqrt(0.05 * 0.95 / 600)


def test_tukey_finds_anything_among_equal_systems_as_seldom_as_alpha_says() -> None:
    rng = np.random.default_rng(12)
    pairs = paired.all_pairs(6)
    any_found = [
        (
            paired.tukey(rng.permuted(rng.random((6, 30)), axis=0), pairs, 0.1, resamples=200, seed=k).p < 0.1
        ).any()
        for k in range(300)
    ]
    assert abs(np.mean(any_found) - 0.1) < 3.3 * np.sqrt(0.1 * 0.9 / 300)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_corrections(p: list[float]) -> None:
    given_p = np.array(p)
    np.testing.assert_allclose(corrected(given_p, "bh"), stats.false_discovery_control(given_p), rtol=1e-12)
    holm, bonferroni = corrected(given_p, "holm"), corrected(given_p, "bonferroni")
    assert (given_p <= holm).all()
    assert (holm <= bonferroni).all()
    # Holm's procedure as he states it: go on from the smallest while p ≤ α / (tests left).
    order = np.argsort(given_p, kind="stable")
    for alpha in (0.01, 0.05, 0.3):
        rejected, left = set(), len(p)
        for i in order:
            if given_p[i] > alpha / left:
                break
            rejected.add(int(i))
            left -= 1
        clear = np.abs(holm - alpha) > 1e-9  # where rounding does not decide
        assert {i for i in range(len(p)) if holm[i] <= alpha and clear[i]} == {
            i for i in rejected if clear[i]
        }


# Edges


@pytest.mark.parametrize("test", TESTS)
def test_no_difference_a_constant_one_and_a_single_topic(test: str) -> None:
    rng = np.random.default_rng(1)
    row = rng.random(10)
    against: dict[str, Any] = {"test": test, "baseline": "S1" if TESTS[test].baseline else None}
    same = compare(matrix(np.array([row, row])), **against)
    assert same.p[0, 0] == 1
    assert same.effect[0, 0] == 0
    shifted = compare(matrix(np.array([row + 0.1, row])), **against)
    assert shifted.p[0, 0] < 0.05
    assert shifted.significant[0, 0]
    with pytest.warns(RankprismWarning, match="only one topic, so nothing can be tested"):
        single = compare(matrix(np.array([[0.5], [0.2]])), **against)
    assert [note["kind"] for note in single.about["scores"]["notes"]] == ["few-topics"]
    assert np.isnan(single.p).all()
    assert not single.significant.any()
    assert "0.5000" in str(single)


def test_the_same_seed_gives_the_same_p_and_another_seed_another() -> None:
    scores = matrix(np.random.default_rng(1).random((5, 20)))
    for test in ("fisher", "bootstrap", "tukey"):
        first, again, other = (compare(scores, test=test, seed=seed, resamples=999) for seed in (1, 1, 2))
        np.testing.assert_array_equal(first.p, again.p)
        assert (first.p != other.p).any()


# What users see


def test_superscripts_name_the_runs_that_are_beaten() -> None:
    rng = np.random.default_rng(2)
    base = rng.random(30)
    found = compare(
        matrix(np.array([base, base + 0.3 + 0.01 * rng.random(30), base + 0.01 * rng.random(30)]))
    )
    cells = [row[-1] for row in found.summary.cells()]
    assert [cell.lstrip("0123456789.") for cell in cells] == ["", "ᵃᶜ", "ᵃ"]
    latex = found.to_latex()
    assert rf"\textbf{{{found.means[1, 0]:.4f}}}$^{{ac}}$" in latex
    assert "Student's paired t-test, p $<$ 0.05 after the Holm correction for 3 pairs" in latex


def test_superscripts_count_runs_if_there_are_more_than_letters() -> None:
    rng = np.random.default_rng(3)
    found = compare(matrix(np.linspace(0, 1, 40)[:, None] + 0.1 * rng.random((40, 25))))
    assert list(found.summary.columns) == ["run", "M"]
    worse = [len(found.better_than(run, 0)) for run in range(40)]
    assert [cell.mark for cell in found.summary.columns["M"]] == [str(n) if n else "" for n in worse]
    assert worse[-1] > 30
    assert "A superscript is the number of runs that are significantly worse" in found.note


def test_against_a_baseline_every_other_run_has_one_row() -> None:
    scores = evaluate(sample.QRELS, list(sample.RUNS), ["alpha_nDCG@10", "P@10"])
    found = compare(scores, baseline="relevance-only", test="bootstrap")
    rows = found.rows.columns
    assert set(rows["other"]) == {"relevance-only"}
    assert len(rows["run"]) == 2 * 5
    assert "▲" in str(found)
    assert "▼" in str(found)
    assert found.about["seed"] == 0
    frame = found.to_frame("pandas")
    assert list(frame.columns) == list(rows)
    assert len(frame) == 10


def test_more_runs_than_letters() -> None:
    values = np.linspace(0, 1, 40)[:, None] + 0.01 * np.random.default_rng(0).random((40, 10))
    found = compare(matrix(values))
    assert found.labels[:2] == ("1", "2")
    assert found.better_than(2, 0) == [0, 1]
    assert found.summary.cells()[2][-1].endswith("²")  # their number


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"baseline": "S9"}, "no run is named 'S9'; there are S0, S1"),
        ({"test": "anova"}, "test must be one of t, wilcoxon, .*, dunnett; got 'anova'"),
        ({"correction": "sidak"}, "correction must be one of"),
        ({"test": "tukey", "correction": "holm"}, "already corrects for all pairs"),
        ({"alpha": 0}, "alpha must be a number between 0 and 1; got 0"),
        ({"test": "fisher", "resamples": 0}, "resamples must be a whole number ≥ 1; got 0"),
        (
            {"test": "tukey", "resamples": 10**9},
            "at most 10,000,000 resamples fit into memory; got 1,000,000,000",
        ),
        ({"test": "bootstrap", "seed": -1}, "seed must be a whole number ≥ 0; got -1"),
        ({"test": "bootstrap", "seed": 1.5}, r"seed must be a whole number ≥ 0; got 1\.5"),
        ({"test": "bootstrap", "resamples": 99.5}, r"resamples must be a whole number ≥ 1; got 99\.5"),
        ({"test": "dunnett"}, "the test dunnett compares with one run; name it as the baseline"),
        (
            {"test": "dunnett", "baseline": "S0", "correction": "holm"},
            "dunnett already corrects for the comparisons with the baseline",
        ),
        ({"test": "anova-tukey", "correction": "bh"}, "anova-tukey already corrects for all pairs"),
        ({"alpha": "5%"}, "alpha must be a number between 0 and 1; got '5%'"),
        (
            {"test": "bootstrap", "resamples": 10, "alpha": 0.01},
            "with 10 resamples no p can be below 0.01 after the Holm correction for 1 pair; .* least 100",
        ),
    ],
)
def test_bad_settings(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        compare(matrix(np.eye(2)), **settings)


def test_a_level_that_no_resample_shows_is_fine_for_tests_that_draw_none() -> None:
    assert compare(matrix(np.eye(2)), alpha=1e-5).alpha == 1e-5


@pytest.mark.parametrize("test", ["fisher", "bootstrap"])
def test_resamples_with_which_nothing_can_be_significant_are_refused(test: TestName) -> None:
    scores = matrix(np.random.default_rng(0).random((8, 20)))
    expected = "with 500 resamples no p can be below 0.05 after the Holm correction for 28 pairs; .* 560"
    with pytest.raises(InputError, match=expected):
        compare(scores, test=test, resamples=500)
    with pytest.raises(InputError, match=r"with 10 resamples no p can be below 0\.05 .* at least 560"):
        compare(scores, test=test, resamples=10)
    # 28 · 1/561 < .05 ≤ 28 · 1/560
    with pytest.raises(InputError, match="at least 560"):
        compare(scores, test=test, resamples=559, correction="bonferroni")
    clear = matrix(np.random.default_rng(0).random((8, 20)) + np.arange(8)[:, None])
    assert compare(clear, test=test, resamples=560).significant.all()
    compare(scores, test=test, resamples=500, correction="bh")  # all pairs together reach it with 20
    compare(scores, test=test, resamples=500, correction="none")


def test_unset_resamples_grow_with_the_number_of_pairs() -> None:
    few, many = (matrix(np.random.default_rng(0).random((runs, 20))) for runs in (8, 33))
    for correction in ("holm", "bonferroni", "bh"):
        settings: dict[str, Any] = {"test": "bootstrap", "correction": correction}
        assert compare(few, **settings).about["resamples"] == 10_000
        assert compare(many, **settings).about["resamples"] == 528 / 0.05
    assert compare(many, test="tukey").about["resamples"] == 10_000
    assert compare(many, test="bootstrap", baseline="S3", alpha=0.01).about["resamples"] == 10_000
    with pytest.raises(InputError, match=r"528 pairs needs 528,000,000 resamples.* take the test t"):
        compare(many, test="bootstrap", alpha=1e-6)
    with pytest.raises(InputError, match="a p below 1e-09 needs 1,000,000,000 resamples, and"):
        compare(many, test="tukey", alpha=1e-9)


@pytest.mark.parametrize("test", ["fisher", "wilcoxon"])
def test_too_few_topics_for_any_significance_are_said(test: TestName) -> None:
    scores = matrix(np.arange(6)[:, None] + np.random.default_rng(0).random((6, 9)))
    # 15 pairs · 2 / 2⁹ = .0586: no number of resamples mends that.
    with pytest.warns(RankprismWarning, match=r"with 9 topics the smallest p .* is 0\.003906, and .* by 15"):
        found = compare(scores, test=test)
    assert not found.significant.any()
    assert compare(scores, test=test, correction="bh").significant.all()


@pytest.mark.parametrize("test", ["fisher", "wilcoxon"])
@pytest.mark.filterwarnings("ignore:nothing can be significant")
def test_where_nothing_can_be_significant_no_difference_is_said_to_be_found(test: TestName) -> None:
    # 2 / 2⁵ = .0625
    scores = matrix(np.array([[0.11, 0.12, 0.13, 0.14, 0.15], [0.41, 0.40, 0.41, 0.40, 0.41]]))
    found = compare(scores, test=test)
    assert np.isnan(found.detectable).all()
    assert found.rows.records()[0]["detectable"] is None
    for note in (found.note, found.details_note):
        assert "Nothing can be significant with 5 topics." in note
        assert "would be found" not in note
    assert "would be found" in compare(scores, test="t").note


@pytest.mark.parametrize(
    ("test", "correction"),
    [("fisher", "max-t"), ("fisher", "none"), ("fisher", "bh"), ("wilcoxon", "holm"), ("wilcoxon", "none")],
)
@pytest.mark.filterwarnings("ignore:nothing can be significant", "ignore:the correction max-t assumes")
def test_no_interval_excludes_0_where_no_p_can_be_below_alpha(test: TestName, correction: Correction) -> None:
    # Of the 2⁵ choices of signs, the observed one and its reverse reach any |t|: p is at least .0625.
    scores = matrix(np.arange(3)[:, None] + np.random.default_rng(0).normal(0, 0.01, (3, 5)))
    found = compare(scores, test=test, correction=correction)
    assert found.p.min() >= 0.0625
    assert np.isnan(found.half_width).all()
    assert not found.contradicted.any()
    assert not np.isnan(compare(scores, test="t").half_width).any()


@pytest.mark.parametrize("test", ["fisher", "wilcoxon"])
def test_a_pair_that_differs_on_few_topics_has_no_interval_that_its_p_could_not_confirm(
    test: TestName,
) -> None:
    # Runs 0 and 1 differ on 4 of 10 topics, so p is at least 2 / 2⁴; t = 2.45 is beyond 2.26.
    values = np.full((3, 10), 0.5)
    values[1, :4] += 0.3
    values[2] += np.linspace(0.1, 0.2, 10)
    with pytest.warns(
        RankprismWarning, match=r"1 difference has no interval: its runs differ on 4 topics at"
    ):
        found = compare(matrix(values), test=test, correction="none")
    assert found.p[0, 0] == 0.125
    assert np.isnan(found.half_width[0]).tolist() == [True, False, False]
    alone = compare(matrix(values[[0, 2]]), test=test)
    assert alone.significant.all()
    assert not alone.contradicted.any()


@pytest.mark.parametrize("test", ["fisher", "bootstrap"])
@pytest.mark.filterwarnings("ignore:1 difference has no interval")
def test_equal_sums_have_no_difference_whatever_the_rounding(test: TestName) -> None:
    # Sums of tenths in another order: the same to a person, not to a computer.
    row = np.array([0.1, 0.2, 0.3, 0.7, 0.6, 0.4, 0.1, 0.9])
    for seed in range(20):
        shuffled = np.random.default_rng(seed).permutation(row)
        found = compare(matrix(np.array([row, shuffled])), test=test, correction="none")
        assert found.p[0, 0] == 1
        assert found.difference[0, 0] == 0


def test_fisher_does_not_depend_on_blocks_nor_on_the_other_pairs() -> None:
    z = np.random.default_rng(1).normal(size=(30, 70))
    whole = resampling.fisher(z, 1000, 5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resampling, "CHUNK", 250)
        np.testing.assert_array_equal(resampling.fisher(z, 1000, 5), whole)
    np.testing.assert_array_equal(resampling.fisher(z[:1], 1000, 5), whole[:1])


def test_a_random_choice_of_signs_uses_one_word_for_64_topics() -> None:
    # Topics without a difference do not matter, as long as the others get the bits of the same words.
    z = np.random.default_rng(1).normal(size=(5, 63))
    more = np.concatenate([z, np.zeros((5, 1))], axis=1)
    np.testing.assert_array_equal(resampling.fisher(more, 1000, 5), resampling.fisher(z, 1000, 5))
    words = np.random.default_rng(5).integers(2**64, size=1000, dtype=np.uint64)
    signs = np.array([[1 if int(word) >> topic & 1 else -1 for word in words] for topic in range(64)])
    reached = (np.abs(more @ signs) >= np.abs(more.sum(1, keepdims=True)) * (1 - 1e-10)).sum(1)
    np.testing.assert_array_equal(resampling.fisher(more, 1000, 5), (reached + 1) / 1001)


def test_wilcoxon_marks_the_run_that_it_favours() -> None:
    # 30 small gains against 3 large losses: the ranks favour the first run, the means the second.
    first = np.full(33, 0.5)
    second = first - np.where(np.arange(33) < 30, 0.01 + 0.0001 * np.arange(33), -0.5)
    with pytest.warns(RankprismWarning, match=r"a few topics decide .* intervals of the test wilcoxon"):
        found = compare(matrix(np.array([first, second])), test="wilcoxon")
    assert found.significant[0, 0]
    assert found.means[0, 0] < found.means[1, 0]
    assert found.better_than(0, 0) == [1]
    assert found.better_than(1, 0) == []


def test_a_constant_difference_has_an_infinite_effect_that_every_format_can_write() -> None:
    row = np.array([0.5, 0.6, 0.2, 0.1, 0.3, 0.7])
    for test in ("t", "tukey"):
        found = compare(matrix(np.array([row, row - 0.1])), test=test)
        assert found.effect[0, 0] == np.inf
        assert json.loads(found.to_json())["rows"][0]["effect"] == "inf"
        assert "∞" in found.rows.text()


def test_one_run_cannot_be_compared() -> None:
    with pytest.raises(InputError, match="two runs or more are needed; there is only S0"):
        compare(matrix(np.eye(2)[:1]))


# How many topics


@pytest.mark.parametrize(("effect", "topics"), [(0.2, 199), (0.5, 34), (0.8, 15)])
def test_topics_for_a_paired_t_test(effect: float, topics: int) -> None:
    # Small, medium and large effects with a power of .8 at .05, two-tailed: as G*Power 3.1 gives them.
    assert topic_set_size(difference=effect, variance=1.0).topics == (topics,)


@pytest.mark.parametrize("systems", [2, 3])
def test_the_unit_of_the_scores_does_not_change_the_number_of_topics(systems: int) -> None:
    # A difference of .05 with a variance of .01 is an effect of 1/2, as in the test above.
    percent, share = (
        topic_set_size(difference=difference, variance=variance, systems=systems)
        for difference, variance in ((5.0, 100.0), (0.05, 0.01))
    )
    assert percent.topics == share.topics
    assert percent.powers == pytest.approx(share.powers, rel=1e-9)
    assert systems > 2 or share.topics == (34,)


@pytest.mark.parametrize("alpha", [0.001, 0.01, 0.05])
@pytest.mark.parametrize("effect", [0.15, 0.5, 1.0, 2.0, 3.0])
def test_the_topics_are_the_fewest_by_the_noncentral_t(alpha: float, effect: float) -> None:
    # Where scipy's noncentral t is defined, it is the reference.
    found = topic_set_size(difference=effect, variance=1.0, alpha=alpha, power=0.9)
    n = found.topics[0]
    for topics, enough in ((n, True), (n - 1, False)):
        critical = stats.t.isf(alpha / 2, topics - 1)
        power = stats.nct.sf(critical, topics - 1, effect * np.sqrt(topics))
        assert np.isnan(power) or (power >= 0.9 - 1e-5) == enough
    assert 0.9 <= found.powers[0] < 1


@pytest.mark.parametrize(("systems", "topics"), [(3, 53), (4, 45), (5, 40)])
def test_topics_for_an_analysis_of_variance(systems: int, topics: int) -> None:
    # f = .25 with a power of .8 at .05: 159, 180 and 200 observations in G*Power 3.1. f² = D² / (2 m σ²).
    difference = 0.25 * np.sqrt(2 * systems)
    assert topic_set_size(difference=difference, variance=1.0, systems=systems).topics == (topics,)


def test_the_variance_is_estimated_from_scores(collections: Path) -> None:
    scores = read_scores(collections / "score-matrices" / "adhoc8_ap.csv")
    variance = float(np.mean([row.var(ddof=1) for row in scores.values[:, :, 0]]))
    found = topic_set_size(scores, difference=0.05, systems=10)
    assert found.variances[0] == pytest.approx(variance)
    # For two systems, the variance of a difference is twice that of a score.
    assert topic_set_size(scores, difference=0.05).variances[0] == pytest.approx(2 * variance)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"difference": 0, "variance": 1}, "difference must be a number above 0; got 0"),
        ({"difference": 0.1, "variance": -1}, "variance must be a number above 0; got -1"),
        ({"difference": 0.1, "variance": 1, "power": 1}, "power must be a number between 0 and 1; got 1"),
        ({"difference": 0.1, "variance": 1, "systems": 1}, "systems must be a whole number ≥ 2; got 1"),
        ({"difference": 0.1, "variance": 1, "systems": 2.5}, "systems must be a whole number ≥ 2; got 2.5"),
        ({"difference": "x", "variance": 1}, "difference must be a number above 0; got 'x'"),
        ({"difference": 0.1, "variance": 1, "alpha": True}, "alpha must be a number between 0 and 1; got T"),
        ({"difference": 0.1}, "give either scores"),
        ({"difference": 1e-5, "variance": 1}, "would need more than 10,000,000 topics"),
    ],
)
def test_bad_designs(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        topic_set_size(**settings)


def test_differences_of_many_pairs_by_topic_are_cut_for_people_and_whole_in_files() -> None:
    """Those of 500 runs took 85 MB of text."""
    scores = matrix(np.random.default_rng(0).random((16, 12)))
    found = compare(scores).by_topic()
    counts, topics = found.tables
    pairs = list(zip(counts.columns["run"], counts.columns["other"], strict=True))
    assert len(pairs) == 100
    assert set(zip(topics.columns["run"], topics.columns["other"], strict=True)) == set(pairs)
    assert "Only the 100 of 120 pairs whose means differ most are shown" in found.note
    widest = np.abs(found.comparison.difference[0]).argmax()
    assert tuple(found.comparison.runs[r] for r in found.comparison.pairs[widest]) in pairs
    assert len(found.rows.columns["run"]) == 120 * 12
    blocks = [block.columns for block in found.row_blocks()]
    assert [x for block in blocks for x in block["difference"]] == found.rows.columns["difference"]
    assert "Only the" not in compare(matrix(np.random.default_rng(0).random((10, 12)))).by_topic().note
