"""Margins: equivalence and non-inferiority against statsmodels and by simulation, verdicts that contradict
neither p-values nor intervals, several baselines, and what a comparison can find."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from csv import DictReader
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankprism import InputError, RankprismWarning, compare, sample
from rankprism.comparison import TESTS, Comparison
from rankprism.data.arrays import Floats
from rankprism.results.scores import Scores
from rankprism.showing.plots import draw
from rankprism.statistics.power import smallest_difference
from tests.comparison.test_comparison import SAKAI


def scores_of(values: Floats, measures: tuple[str, ...] = ("M",)) -> Scores:
    """Scores from (run, topic) or (run, topic, measure)."""
    runs, topics = (
        tuple(f"{what}{i}" for i in range(n)) for what, n in zip("rt", values.shape[:2], strict=True)
    )
    return Scores(runs, topics, measures, values.reshape(*values.shape[:2], -1))


def noisy(seed: int, runs: int, topics: int, spread: float = 0.02, noise: float = 0.04) -> Floats:
    rng = np.random.default_rng(seed)
    means = rng.normal(0.5, spread, (runs, 1))
    return np.asarray(means + rng.normal(0, 0.1, topics) + rng.normal(0, noise, (runs, topics)))


# statsmodels 0.15.0: p, lower, _ = ttost_paired(x, y, -margin, margin), the table of Sakai's textbook in
# test_comparison.py. The pair, the margin, lower[1] and p.
TTOST = [
    ((0, 1), 0.02, 0.007407702948556244, 0.9313669829350817),
    ((0, 1), 0.1, 4.578526614658917e-05, 0.2446046536638028),
    ((0, 1), 0.2, 1.318929550593989e-07, 0.001128344353839071),
    ((0, 2), 0.02, 0.033946808062485165, 0.8938432788193984),
    ((0, 2), 0.1, 0.002220548652705758, 0.4999999999999999),
    ((0, 2), 0.2, 5.6893975044306375e-05, 0.06158255229049742),
    ((1, 2), 0.02, 0.1272848326607273, 0.5512437874888061),
    ((1, 2), 0.1, 0.002044023262432041, 0.0325345189557203),
    ((1, 2), 0.2, 5.869110668465251e-06, 0.00010487288788099326),
]


@pytest.mark.parametrize(("pair", "margin", "not_worse", "equivalent"), TTOST)
def test_two_one_sided_tests_equal_statsmodels(
    pair: tuple[int, int], margin: float, not_worse: float, equivalent: float
) -> None:
    found = compare(scores_of(SAKAI[list(pair)]), margin=margin).margins
    assert found is not None
    assert found.not_worse[0, 0] == pytest.approx(not_worse, rel=1e-9)
    assert found.equivalent[0, 0] == pytest.approx(equivalent, rel=1e-9)


def test_the_deciding_interval_has_twice_the_alpha_of_each_one_sided_test() -> None:
    found = compare(scores_of(SAKAI), margin=0.1)
    assert found.margins is not None
    z = SAKAI[0] - SAKAI[1]
    expected = stats.ttest_1samp(z, 0).confidence_interval(1 - 2 * 0.05 / 3)
    assert (found.margins.low[0, 0], found.margins.high[0, 0]) == pytest.approx(tuple(expected))
    alone = compare(scores_of(SAKAI), margin=0.1, correction="none").margins
    assert alone is not None
    expected = stats.ttest_1samp(z, 0).confidence_interval(0.9)
    assert (alone.low[0, 0], alone.high[0, 0]) == pytest.approx(tuple(expected))


@given(
    st.integers(0, 10_000),
    st.sampled_from(sorted(TESTS)),
    st.sampled_from(["none", "holm", "bonferroni", "bh"]),
    st.sampled_from([0.005, 0.02, 0.05, "5%"]),
)
def test_a_verdict_never_contradicts_the_p_values_and_intervals_of_its_row(
    seed: int, test: str, correction: str, margin: Any
) -> None:
    values = np.stack([noisy(seed, 4, 12, 0.03, noise) for noise in (0.01, 0.05)], axis=2)
    settings: dict[str, Any] = {"test": test, "margin": margin, "seed": seed}
    if not TESTS[test].corrects:
        settings["correction"] = correction
    if TESTS[test].draws:
        settings["resamples"] = 300
    if TESTS[test].baseline or margin == "5%":
        settings["baseline"] = "r1"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rankprism.comparison.comparison.issue", lambda notes, *_: None)
        found = compare(scores_of(values, ("a", "b")), **settings)
    for row in found.rows.records():
        inside = -row["margin"] < row["margin low"] and row["margin high"] < row["margin"]
        not_worse = row["margin low"] > -row["margin"]
        assert (row["p equivalent"] < 0.05) == inside
        assert (row["p not worse"] < 0.05) == not_worse
        assert row["margin low"] <= row["difference"] <= row["margin high"]
        verdict = row["verdict"]
        assert (verdict == "equivalent") == inside
        if verdict in ("better", "worse"):
            assert row["significant"]
            assert not inside
            assert (row["difference"] > 0) == (verdict == "better")
        if verdict == "not worse":
            assert not_worse
            assert not (row["significant"] and test != "wilcoxon")
        if verdict == "undecided":
            assert not not_worse
            assert not (row["significant"] and test != "wilcoxon")
        if test == "t" and correction in ("none", "bonferroni") and verdict == "better":
            assert not_worse  # its interval lies above 0
        assert ("smaller than the margin" in (row["remark"] or "")) == (inside and row["significant"])


def test_a_loss_as_large_as_the_margin_passes_as_seldom_as_alpha_says() -> None:
    """2,000 runs lose the margin against one baseline: 5 % pass."""
    z = np.random.default_rng(5).normal(-0.02, 0.1, (2000, 40))
    values = np.vstack([z, np.zeros(40)])
    said = compare(scores_of(values), margin=0.02, baseline="r2000", correction="none").verdicts
    assert said is not None
    share = np.isin(said, ["not worse", "equivalent", "better"]).mean()
    assert abs(share - 0.05) < 3.3 * np.sqrt(0.05 * 0.95 / 2000)


def test_no_verdict_of_six_pairs_is_wrong_in_more_than_five_of_a_hundred_studies() -> None:
    """Three runs lose exactly the margin against two baselines: any pass of the six is wrong."""
    rng = np.random.default_rng(6)
    wrong = 0
    for _ in range(300):
        values = rng.normal(0, 0.1, (5, 30)) - np.array([0.02, 0.02, 0.02, 0, 0])[:, None]
        found = compare(scores_of(values), margin=0.02, baseline=["r3", "r4"])
        assert found.verdicts is not None
        wrong += bool(np.isin(found.verdicts, ["not worse", "equivalent", "better"]).any())
    assert wrong / 300 < 0.05 + 3.3 * np.sqrt(0.05 * 0.95 / 300)


def test_an_equivalent_run_and_its_margin_in_every_format() -> None:
    values = noisy(1, 2, 60, 0.0, 0.01)
    values[1] -= values.mean(1)[1] - values.mean(1)[0] + 0.004  # significant, but small
    found = compare(scores_of(values), margin=0.01, baseline="r1")
    assert found.significant[0, 0]
    assert found.summary.columns["verdict"] == ["equivalent", None]
    row = json.loads(found.to_json())["rows"][0]
    assert row["verdict"] == "equivalent"
    assert row["remark"] == "significant, and smaller than the margin"
    assert row["changed topics"] == 60
    assert next(DictReader(io.StringIO(found.to_csv())))["p equivalent"] == str(row["p equivalent"])
    assert "equivalent" in found.to_latex()
    assert "equivalent" in found.to_markdown()
    assert "Margin: 0.01." in found.note
    assert found.about["margin"] == "0.01"


def test_a_share_of_the_mean_is_that_of_each_baseline() -> None:
    values = np.full((3, 20), 0.5) + np.random.default_rng(0).normal(0, 0.01, (3, 20))
    values[2] *= 0.5
    found = compare(scores_of(values), margin="10%", baseline=["r1", "r2"]).margins
    assert found is not None
    np.testing.assert_allclose(found.margin[0], 0.1 * values.mean(1)[[1, 2]])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"margin": 10**400}, "the margin must be a number above 0"),
        ({"margin": 0}, "the margin must be a number above 0, or such a number of per cent"),
        ({"margin": "-2%", "baseline": "r0"}, "the margin must be a number above 0"),
        ({"margin": "two"}, "got 'two'"),
        ({"margin": True}, "got True"),
        ({"margin": float("nan")}, "got nan"),
        ({"margin": "2%"}, "a margin of 2% is a share of the mean of a baseline; name a baseline"),
        ({"margin": "2%", "baseline": "r2"}, "the mean of the baseline 'r2' by 'M' is 0"),
        ({"baseline": ["r0", "r9"]}, "no run is named 'r9'"),
        ({"baseline": ["r0", "r1", "r2"]}, "every run is a baseline"),
        ({"baseline": ["r0", "r1"], "test": "dunnett"}, "the test dunnett compares with one run"),
    ],
)
def test_margins_and_baselines_that_are_refused(settings: dict[str, Any], message: str) -> None:
    values = noisy(0, 3, 10)
    values[2] = 0
    with pytest.raises(InputError, match=message):
        compare(scores_of(values), **settings)


def test_differences_that_are_the_same_on_every_topic() -> None:
    base = np.linspace(0, 1, 8)
    for loss, verdict in ((0.25, "equivalent"), (0.5, "worse"), (0.75, "worse")):
        found = compare(scores_of(np.array([base - loss, base])), margin=0.5)
        assert found.verdicts is not None
        assert found.verdicts[0, 0] == verdict


def test_one_topic_has_no_verdict() -> None:
    with pytest.warns(RankprismWarning, match="only one topic"):
        found = compare(scores_of(np.array([[0.5], [0.4]])), margin=0.5, baseline="r1")
    assert found.rows.records()[0]["verdict"] is None
    assert "would be found" not in found.note


def test_few_changed_topics_are_said() -> None:
    base = np.random.default_rng(3).random(50)
    other = base.copy()
    other[:3] -= [0.01, -0.01, 0.005]
    with pytest.warns(RankprismWarning, match=r"said of 1 pair of runs that differ on few topics \(3 of 50"):
        found = compare(scores_of(np.array([other, base])), margin=0.02)
    assert found.changed[0, 0] == 3
    assert found.rows.columns["changed topics"] == [3]
    with pytest.warns(RankprismWarning, match=r"\(0 of 50 in one case"):
        same = compare(scores_of(np.array([base, base])), margin=0.02)
    assert same.rows.records()[0]["verdict"] == "equivalent"


def test_rounding_does_not_change_a_topic() -> None:
    base = np.full(10, 0.3)
    other = np.array([0.1 + 0.2] * 9 + [0.4])
    assert (base != other).all()
    with pytest.warns(RankprismWarning, match="heavy-tails"):
        assert compare(scores_of(np.array([base, other]))).changed[0, 0] == 1


# Several baselines


def test_each_other_run_is_compared_with_each_baseline() -> None:
    found = compare(sample.QRELS, list(sample.RUNS), ["P@10"], baseline=["noisy", "shallow"])
    rows = found.rows
    assert set(rows.columns["other"]) == {"noisy", "shallow"}
    assert set(rows.columns["run"]) == set(found.runs) - {"noisy", "shallow"}
    assert len(rows) == 8
    ideal = found.summary.cells()[found.runs.index("ideal")]
    assert ideal == ["ideal", "1.0000▲ᵃ▲ᵇ"]
    assert "noisy (baseline a)" in str(found)
    assert r"$^{\blacktriangle a\blacktriangle b}$" in found.to_latex()
    assert found.tested.endswith("for 8 pairs")
    title = json.dumps(draw(found).to_dict(), ensure_ascii=False)
    assert "from noisy, shallow" in title
    assert "ideal − noisy" in title
    one, several = (
        compare(sample.QRELS, list(sample.RUNS), ["P@10"], baseline=b) for b in ("ideal", ["ideal"])
    )
    np.testing.assert_array_equal(one.adjusted, several.adjusted)
    assert str(one) == str(several)


def test_margins_and_baselines_on_the_command_line(cli: Callable[..., Any]) -> None:
    words = ["compare", sample.QRELS, *sample.RUNS, "-m", "P@10"]
    several = cli(*words, "--baseline", "noisy", "--baseline", "shallow", "--margin", "5%")
    assert (several.returncode, several.stderr) == (0, "")
    assert "p equivalent" in several.stdout
    assert "Margin: 5% of the baseline's mean." in several.stdout
    one = cli(*words, "--baseline", "noisy", "--margin", "0.05")
    assert "▲" in one.stdout
    assert "verdict" in one.stdout


# What a comparison can find


@pytest.mark.parametrize("topics", [5, 20, 53, 200])
@pytest.mark.parametrize("alpha", [0.05, 0.05 / 15, 0.05 / 1953])
def test_the_smallest_difference_is_that_of_the_noncentral_t(topics: int, alpha: float) -> None:
    critical = stats.t.isf(alpha / 2, topics - 1)
    found = smallest_difference(np.array([critical, np.inf]), topics - 1)
    assert stats.nct.sf(critical, topics - 1, found[0]) == pytest.approx(0.8, abs=1e-4)
    assert found[1] == np.inf


def test_many_critical_values_are_interpolated() -> None:
    many = np.linspace(2, 9, 300)
    single = np.array([smallest_difference(np.array([c]), 19)[0] for c in many])
    np.testing.assert_allclose(smallest_difference(many, 19), single, rtol=1e-4)


@pytest.mark.parametrize("test", ["t", "anova-tukey", "tukey", "bootstrap"])
def test_a_detectable_difference_is_found_in_four_of_five_studies(test: str) -> None:
    """Of three runs the first is better by what a study of the same kind says it would find."""
    rng = np.random.default_rng(8)
    size = 0.1
    settings: dict[str, Any] = {"test": test, "alpha": 0.05}
    if TESTS[test].draws:
        settings["resamples"] = 400
    if not TESTS[test].corrects:
        settings["correction"] = "bonferroni"
    studies, topics = 150, 30

    def drawn(better: float) -> Comparison:
        values = rng.normal(0, size, (3, topics))
        values[0] += better
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("rankprism.comparison.comparison.issue", lambda notes, *_: None)
            return compare(scores_of(values), **settings)

    difference = float(np.mean([drawn(0.08).detectable[0, 0] for _ in range(20)]))
    power = np.mean([drawn(difference).significant[0, 0] for _ in range(studies)])
    assert power == pytest.approx(0.8, abs=3.3 * np.sqrt(0.16 / studies) + 0.03)


def test_the_note_says_what_would_be_found() -> None:
    values = np.stack([noisy(k, 3, 30) for k in range(5)], axis=2)
    two = compare(scores_of(values[:2, :, :1]))
    assert f"A true difference of {two.detectable[0, 0]:.3f} would be found with probability 0.8" in two.note
    three = compare(scores_of(values[:, :, :2], ("a", "b")))
    assert "In half of the pairs, a true difference of 0.0" in three.note
    assert " by a or 0.0" in three.note
    many = compare(scores_of(values, tuple("abcde")))
    assert "depending on the measure, would be found" in many.note
