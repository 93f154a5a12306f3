"""Evaluating measures: figures from the papers, oracles from the definitions, and the theory."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from rankprism import InputError, RankprismWarning, evaluate, read_scores, sample
from rankprism.comparison import TopicDifferences
from rankprism.data.arrays import Floats
from rankprism.meta import (
    agreement,
    correlation,
    disagreement,
    intuitiveness,
    power,
    stability,
    swap,
    unanimity,
)
from rankprism.meta.agreed_pairs import shares
from rankprism.meta.rank_correlation import rbo, spearman, tau_a, tau_ap, tau_ap_symmetric, tau_b
from rankprism.results.result import Result
from rankprism.types import Coefficient, MethodName

SMALL = ["alpha_nDCG@10", "P@10", "StRecall@10"]


def scores_of(columns: dict[str, Any]) -> Any:
    """Scores from {measure: (run, topic)} or {measure: (run,)}."""
    arrays = {name: np.atleast_2d(np.asarray(x, float).T).T for name, x in columns.items()}
    runs, topics = next(iter(arrays.values())).shape
    return read_scores(
        {
            f"S{r}": {str(t): {m: float(x[r, t]) for m, x in arrays.items()} for t in range(topics)}
            for r in range(runs)
        }
    )


@pytest.fixture(scope="module")
def small() -> Any:
    return evaluate(sample.QRELS, list(sample.RUNS), SMALL)


# Metric Unanimity


def mu_of(columns: dict[str, Any], name: str) -> float:
    found = unanimity(scores_of(columns))
    return float(found.mu[found.measures.index(name)])


def oracle_mu(columns: dict[str, Floats], name: str) -> float | None:
    """Pair by pair and topic by topic, from the definition."""
    m = columns[name]
    runs, topics = m.shape
    joint = count = 0.0
    for t in range(topics):
        for i, j in itertools.permutations(range(runs), 2):
            if all(x[i, t] >= x[j, t] for other, x in columns.items() if other != name):
                count += 1
                joint += 1.0 if m[i, t] > m[j, t] else 0.5 if m[i, t] == m[j, t] else 0.0
    total = topics * runs * (runs - 1)
    return math.log2(joint / total / (0.5 * count / total)) if joint else None


EXAMPLE = {"m1": [1, 0.5, 0.2], "m2": [0.8, 0.3, 0.4], "m3": [1, 0.2, 0.5]}


def test_unanimity_of_the_papers_example() -> None:
    # Amigó et al. 2018, section 6.1: log2((2/6) / (3/6 · 3/6)) = .415; the other two by hand: 3 of 3 pairs.
    assert mu_of(EXAMPLE, "m1") == pytest.approx(math.log2(4 / 3), abs=1e-12)
    assert mu_of(EXAMPLE, "m2") == mu_of(EXAMPLE, "m3") == 1.0


def test_unanimity_with_a_tie() -> None:
    # m1 ties S2 and S3, which counts half: 2.5 of the 3 unanimous pairs. log2(2.5/6 / (3/6 · 1/2)).
    assert mu_of(EXAMPLE | {"m1": [1, 0.5, 0.5]}, "m1") == pytest.approx(math.log2(5 / 3))


@given(st.integers(0, 10_000), st.integers(2, 5), st.integers(2, 4), st.integers(1, 3))
def test_unanimity_equals_the_definition(seed: int, runs: int, measures: int, topics: int) -> None:
    rng = np.random.default_rng(seed)
    columns = {f"m{k}": rng.integers(3, size=(runs, topics)) / 4 for k in range(measures)}
    for name in columns:
        expected = oracle_mu(columns, name)
        found = mu_of(columns, name)
        assert np.isnan(found) if expected is None else found == pytest.approx(expected, abs=1e-12)


@given(st.integers(0, 10_000))
def test_property_1_the_most_is_1_where_no_pair_is_tied_by_all_others(seed: int) -> None:
    rng = np.random.default_rng(seed)
    m = rng.permutation(5).astype(float)
    found = unanimity(scores_of({"m": m, "same": m, "other": rng.permutation(5)}))
    assume(found.unanimous[0] > 0)
    assert found.mu[0] == pytest.approx(1.0)
    assert np.nanmax(found.mu) <= 1.0 + 1e-12


def test_property_1_fails_where_all_others_tie() -> None:
    # m = (3, 2, 1) against (3, 1, 1) twice: S2 and S3 are tied both ways, of which m joins one: 3 of 4.
    assert mu_of({"m": [3, 2, 1], "a": [3, 1, 1], "b": [3, 1, 1]}, "m") == pytest.approx(math.log2(1.5))


@given(st.integers(0, 10_000))
def test_property_2_a_constant_measure_gets_0(seed: int) -> None:
    rng = np.random.default_rng(seed)
    assert mu_of({"constant": np.ones(6), "a": rng.random(6), "b": rng.random(6)}, "constant") in (
        pytest.approx(0.0, abs=1e-12),
        pytest.approx(float("nan"), nan_ok=True),  # no pair is unanimous
    )


def test_property_2_a_random_measure_gets_0_only_on_average() -> None:
    rng = np.random.default_rng(0)
    a = rng.random(30)
    b = a + 0.1 * rng.random(30)
    drawn = [mu_of({"random": rng.random(30), "a": a, "b": b}, "random") for _ in range(100)]
    assert abs(np.mean(drawn)) < 0.1
    assert min(drawn) < -0.05 < 0.05 < max(drawn)


@given(st.integers(0, 10_000), st.integers(2, 4))
def test_property_4_copies_of_another_measure_change_nothing(seed: int, copies: int) -> None:
    rng = np.random.default_rng(seed)
    columns = {k: rng.integers(4, size=(5, 2)) for k in ("m", "a", "b")}
    more = columns | {f"a{k}": columns["a"] for k in range(copies)}
    assert mu_of(columns, "m") == pytest.approx(mu_of(more, "m"), nan_ok=True)


def test_unanimity_that_is_not_defined_is_said_as_such() -> None:
    found = unanimity(scores_of({"m": [0, 1], "a": [1, 0], "b": [1, 0]}))
    assert np.isnan(found.mu[0])
    assert "m         –" in str(found)
    assert json.loads(found.to_json())["rows"][-1]["MU"] is None


def test_the_grouped_table_has_the_best_variant_of_each_measure() -> None:
    rng = np.random.default_rng(3)
    a = rng.random((6, 4))
    found = unanimity(
        scores_of(
            {"A(p=0.1)@5": a, "A(p=0.2)@5": a, "A@9": rng.random((6, 4)), "B": a, "C": rng.random((6, 4))}
        )
    ).grouped()
    assert found.measures[0] == "A(p=0.1)@5, A(p=0.2)@5"
    assert set(found.measures[1:]) == {"B", "C"}


def test_measures_inside_other_ones_are_not_variants_of_each_other() -> None:
    rng = np.random.default_rng(3)
    names = ["CAM(nDCG@10)", "CAM(nDCG@20)", "CAM(AP)", "AP", "TOMA(AP,distance='manhattan')", "TOMA(AP)"]
    found = unanimity(scores_of({name: rng.random((6, 4)) for name in names})).grouped()
    assert len(found.measures) == 4


# Correlation


@given(st.integers(0, 10_000), st.integers(3, 8))
def test_tau_b_and_spearman_equal_scipy(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.integers(4, size=(2, n)).astype(float)
    assume(len(set(x)) > 1 and len(set(y)) > 1)
    assert tau_b(x, y) == pytest.approx(stats.kendalltau(x, y).statistic)
    assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic)
    assert abs(tau_a(x, y)) <= abs(tau_b(x, y)) + 1e-12


def ranking(gold: str, evaluated: str) -> tuple[Floats, Floats]:
    """Scores of the items a, b, c, … that put them in these orders."""
    items = sorted(gold)
    return tuple(  # type: ignore[return-value]
        np.array([-order.index(item) for item in items], float) for order in (gold, evaluated)
    )


@pytest.mark.parametrize(
    ("gold", "evaluated", "value"),
    [
        # By hand from τ_ap = 2/(N-1) Σ C(i)/(i-1) - 1: abcd / bcda has C = 1, 2, 0; bcda / abcd has 0, 1, 2.
        ("abcd", "bcda", 2 / 3 * (1 + 1 + 0) - 1),
        ("bcda", "abcd", 2 / 3 * (0 + 1 / 2 + 2 / 3) - 1),
        ("abcdef", "bacdfe", 2 / 5 * (0 + 1 + 1 + 1 + 4 / 5) - 1),
        ("abcdef", "bacdef", 2 / 5 * (0 + 1 + 1 + 1 + 1) - 1),
        ("abcdef", "abcdfe", 2 / 5 * (1 + 1 + 1 + 1 + 4 / 5) - 1),
        ("abc", "cba", -1.0),
    ],
)
def test_tau_ap_by_hand(gold: str, evaluated: str, value: float) -> None:
    assert tau_ap(*ranking(gold, evaluated)) == pytest.approx(value)


def test_symmetric_tau_ap_is_the_mean_of_both_directions() -> None:
    # The first two rows above: 1/3 and -2/9.
    for one, other in (("abcd", "bcda"), ("bcda", "abcd")):
        assert tau_ap_symmetric(*ranking(one, other)) == pytest.approx((1 / 3 - 2 / 9) / 2)


@given(st.integers(0, 10_000), st.integers(2, 5))
def test_tau_ap_with_ties_is_the_mean_over_all_ways_to_break_them(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    gold, evaluated = rng.integers(3, size=(2, n)).astype(float)

    def broken(x: Floats) -> list[Floats]:
        """All rankings that differ from x only among tied items, as scores."""
        orders = {
            tuple(sorted(range(n), key=lambda i: (-x[i], p.index(i))))
            for p in itertools.permutations(range(n))
        }
        return [np.array([-order.index(i) for i in range(n)], float) for order in orders]

    values = [tau_ap(g, e) for g in broken(gold) for e in broken(evaluated)]
    assert tau_ap(gold, evaluated) == pytest.approx(np.mean(values))


@given(st.permutations(range(6)), st.floats(0.1, 0.99))
def test_rbo_equals_its_definition(order: list[int], p: float) -> None:
    x, y = np.arange(6.0), np.array(order, float)
    s, t = np.argsort(-x), np.argsort(-y)
    overlap = [len({*s[:d]} & {*t[:d]}) / d for d in range(1, 7)]
    # The sum to the end of the lists, and beyond it the last agreement, which is 1, for ever.
    expected = (1 - p) * sum(p ** (d - 1) * a for d, a in enumerate(overlap, 1)) + p**6
    assert rbo(x, y, p) == pytest.approx(expected)


@pytest.mark.parametrize("coefficient", ["tau-b", "tau-a", "tau-ap", "tau-ap-symmetric", "spearman", "rbo"])
def test_a_measure_agrees_with_itself_and_with_anything_of_the_same_order(coefficient: Coefficient) -> None:
    x = np.random.default_rng(0).permutation(7).astype(float)
    found = correlation(scores_of({"a": x, "b": x**3, "c": -x}), coefficient=coefficient)
    assert found.values[0, 1] == pytest.approx(1)
    assert found.values[0, 2] == pytest.approx(-1) or coefficient == "rbo"


def test_per_topic_correlation_is_averaged_over_the_topics_where_it_is_defined() -> None:
    a = np.array([[1, 0], [2, 0], [3, 0]])  # the second topic ties all runs
    b = np.array([[1, 5], [3, 6], [2, 7]])
    found = correlation(scores_of({"a": a, "b": b}), per_topic=True)
    assert found.values[0, 1] == pytest.approx(1 / 3)
    assert found.defined is not None
    assert found.defined.tolist() == [[1, 1], [1, 2]]
    assert found.rows.columns["topics"] == [1, 1, 1, 2]


def test_clusters_bring_like_to_like() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.random((2, 40))
    noise = 0.01 * rng.random((4, 40))
    found = correlation(
        scores_of({"a1": a + noise[0], "b1": b + noise[1], "a2": a + noise[2], "b2": b + noise[3]})
    ).clustered()
    assert {found.measures[:2], found.measures[2:]} <= {
        ("a1", "a2"),
        ("a2", "a1"),
        ("b1", "b2"),
        ("b2", "b1"),
    }
    i, j = found.measures.index("a1"), found.measures.index("b1")
    assert found.values[i, j] == found.values[j, i] < 0.9


# Power and agreement


def test_power_counts_the_pairs_and_keeps_how_it_was_computed(small: Any) -> None:
    found = power(small, resamples=500, seed=3, alpha=0.01)
    assert found.asl.shape == (3, 15)
    np.testing.assert_array_equal(found.power, (found.asl < 0.01).mean(1))
    assert (np.diff(found.curves) <= 0).all()
    assert {"resamples": 500, "seed": 3, "alpha": 0.01, "topics": 20}.items() <= found.about.items()


@pytest.mark.parametrize("method", ["bootstrap", "tukey", "t"])
def test_each_method_tells_what_differs_from_what_does_not(method: MethodName) -> None:
    rng = np.random.default_rng(0)
    base = rng.random(40)
    same, better = base + 0.02 * rng.normal(size=40), base + 0.3 + 0.02 * rng.normal(size=40)
    found = power(scores_of({"m": np.array([base, same, better])}), method=method)
    assert found.significant.tolist() == [[False, True, True]]


def test_a_larger_difference_than_required_is_significant(collections: Path) -> None:
    scores = read_scores(sorted((collections / "score-matrices").glob("adhoc8_*.csv")))
    found = power(scores)
    beyond = np.abs(found.difference) > found.delta[:, None]
    # The required difference is that of the least favourable pair, so nearly all beyond it are significant.
    assert found.significant[beyond].mean() > 0.999
    # Average precision is known to tell more systems apart than P@10 and RR (Buckley and Voorhees 2000).
    assert found.power[0] > found.power[1] > found.power[2]


def test_under_permuted_labels_the_power_is_alpha() -> None:
    # 40 systems, each topic's scores dealt to them at random: any two differ by chance only. The pairs are
    # not independent, so several such data sets are averaged; their spread gives the interval.
    powers = []
    for seed in range(12):
        dealt = np.random.default_rng(seed).permuted(np.random.default_rng(99).random((40, 50)), axis=0)
        powers.append(power(scores_of({"m": dealt}), seed=seed).power[0])
    assert abs(np.mean(powers) - 0.05) < 3.3 * np.std(powers, ddof=1) / np.sqrt(len(powers))


TABLE_5 = {  # Sakai and Song 2011: only the first, both, only the second, and the printed percentage
    "I-rec, D#-Q": (4, 115, 11, 86),
    "I-rec, D#-nDCG": (4, 115, 10, 89),
    "I-rec, α-nDCG": (9, 110, 16, 81),
    "I-rec, nDCG-IA": (23, 96, 15, 72),
    "D#-Q, D#-nDCG": (1, 125, 0, 99),
    "D#-Q, α-nDCG": (9, 117, 9, 87),
    "D#-Q, nDCG-IA": (21, 105, 6, 80),
    "D#-nDCG, α-nDCG": (9, 116, 10, 86),
    "D#-nDCG, nDCG-IA": (21, 104, 7, 79),
    "α-nDCG, nDCG-IA": (20, 106, 5, 81),
}


@pytest.mark.parametrize("pair", TABLE_5)
def test_agreements_of_the_papers_table_5(pair: str) -> None:
    *counts, printed = TABLE_5[pair]
    value = float(shares(np.array([*counts, 0])))
    # The counts of the first row match those of Table 3, so its printed 86 % is a misprint of 88 %.
    assert round(100 * value) == (88 if pair == "I-rec, D#-Q" else printed)


def test_agreement_counts_conflicts_and_what_only_one_finds() -> None:
    rng = np.random.default_rng(0)
    base = rng.random(30)
    noise = 0.01 * rng.normal(size=(6, 30))
    a = np.array([base, base + 0.5, base + 1.0]) + noise[:3]
    b = np.array([base, base - 0.5, base]) + noise[3:]
    found = agreement(power(scores_of({"a": a, "b": b})))
    # a: 0<1, 0<2, 1<2. b: 1<0, 1<2. Both agree on 1<2, contradict each other on 0 and 1.
    assert found.counts.tolist() == [[1, 1, 0, 1]]
    assert found.summary.columns["agreement"] == [1 / 3]


def test_agreement_where_nothing_is_found_is_not_defined() -> None:
    assert np.isnan(shares(np.zeros(4, dtype=np.int32)))


# Intuitiveness


def test_intuitiveness_equals_the_definition(small: Any) -> None:
    with pytest.warns(
        RankprismWarning, match="counts every pair of runs on every topic as an independent case"
    ):
        found = intuitiveness(small, gold="StRecall@10", test="sakai")
    total = first = second = both = 0
    a, b, gold = (small.values[:, :, m] for m in range(3))
    for i, j in itertools.combinations(range(len(small.runs)), 2):
        for t in range(len(small.topics)):
            da, db, dg = (round(x[i, t] - x[j, t], 12) for x in (a, b, gold))
            if da * db < 0:
                total += 1
                first += da * dg >= 0
                second += db * dg >= 0
                both += da * dg >= 0 and db * dg >= 0
    assert found.counts.tolist() == [[total, first, second, both]]
    assert found.p[0] == pytest.approx(stats.binomtest(first - both, first + second - 2 * both).pvalue)


def test_intuitiveness_with_two_gold_measures_wants_both(small: Any) -> None:
    more = evaluate(sample.QRELS, list(sample.RUNS), [*SMALL, "nDCG@10"])
    one = intuitiveness(more.select(measures=["alpha_nDCG@10", "nDCG@10", "P@10"]), gold="P@10")
    two = intuitiveness(more, gold=["P@10", "StRecall@10"])
    assert (two.counts[0, 0] == one.counts[0, 0]).all()
    assert (two.counts[0, 1:] <= one.counts[0, 1:]).all()


# The swap method and stability


def test_swaps_of_measures_that_never_and_always_agree_with_themselves() -> None:
    rng = np.random.default_rng(0)
    clear = np.arange(4)[:, None] * 0.1 + np.zeros((4, 20))
    coin = rng.choice([-1.0, 1.0], size=(4, 20))
    found = swap(scores_of({"clear": clear, "coin": coin}), trials=200)
    assert found.swaps[0].sum() == 0
    assert found.required[0] == 0
    assert found.sensitivity[0] == 1
    assert found.swaps[1].sum() > 0.2 * found.count[1].sum()
    assert found.required[1] is None
    assert found.sensitivity[1] == 0


def test_swap_counts_equal_the_definition() -> None:
    values = np.random.default_rng(4).random((3, 8)).round(2)
    found = swap(scores_of({"m": values}), trials=30, size=3, bin_width=0.05, bins=4, seed=7)
    rng = np.random.default_rng(7)
    count, swaps = [0] * 4, [0] * 4
    for _ in range(30):
        drawn = rng.permutation(8)
        for i, j in itertools.combinations(range(3), 2):
            d, e = (values[i, half].mean() - values[j, half].mean() for half in (drawn[:3], drawn[3:6]))
            place = min(int(abs(d) / 0.05 + 1e-9), 3)
            count[place] += 1
            swaps[place] += d * e < 0
    assert found.count.tolist() == [count]
    assert found.swaps.tolist() == [swaps]


def test_sums_in_another_order_are_not_a_swap() -> None:
    # Precision at 10 of three systems with the same documents in other topics: halves tie, up to rounding.
    rng = np.random.default_rng(0)
    values = rng.integers(11, size=(6, 20)) / 10
    found = swap(scores_of({"m": values}), trials=300, seed=1)
    rng = np.random.default_rng(1)
    swaps = 0
    tenths = np.round(values * 10).astype(int)
    for _ in range(300):
        drawn = rng.permutation(20)
        for i, j in itertools.combinations(range(6), 2):
            d, e = (int((tenths[i] - tenths[j])[half].sum()) for half in (drawn[:10], drawn[10:]))
            swaps += d * e < 0
    assert found.swaps.sum() == swaps
    assert found.swaps[0, 0] == 0


def test_power_grows_with_topics() -> None:
    rng = np.random.default_rng(0)
    values = rng.random((8, 60)) + np.linspace(0, 0.4, 8)[:, None]
    found = stability(scores_of({"m": values}), sizes=[5, 20, 60], samples=4, resamples=200)
    grown = found.power.mean(2)[0]
    assert grown[0] < grown[1] < grown[2]
    assert grown[2] == power(scores_of({"m": values}), resamples=200).power[0]


def test_every_set_of_fewer_topics_is_drawn_anew() -> None:
    rng = np.random.default_rng(1)
    values = rng.random((8, 6)) + np.linspace(0, 2, 8)[:, None]
    scores = scores_of({"m": values})
    found = stability(scores, sizes=[5, 6], samples=30, method="t")
    left_out = [power(scores_of({"m": np.delete(values, t, axis=1)}), method="t").power[0] for t in range(6)]
    assert len(set(left_out)) > 2
    assert set(found.power[0, 0]) == set(left_out)  # 30 draws meet each of the six sets
    assert set(found.power[0, 1]) == {power(scores, method="t").power[0]}


# Disagreements


def test_disagreements_are_opposite_and_come_by_size(small: Any) -> None:
    found = disagreement(small, first="alpha_nDCG@10", second="P@10", most=20)
    sigma = [
        np.sqrt(np.mean([(a[i] - a[j]) ** 2 for i, j in itertools.combinations(range(len(a)), 2)]))
        for a in (small.values[:, :, 0], small.values[:, :, 1])
    ]
    sizes = []
    for case in found.cases:
        assert case.delta[0] > 0 > case.delta[1]
        sizes.append(min(case.delta[0] / sigma[0], -case.delta[1] / sigma[1]))
    assert sizes == sorted(sizes, reverse=True)
    assert found.about["pairs and topics in opposite order"] >= len(found.cases)


def test_disagreements_do_not_depend_on_the_order_of_runs(small: Any) -> None:
    def cases(scores: Any) -> set[tuple[str, str, str]]:
        return {
            (c.topic, c.run, c.other)
            for c in disagreement(scores, first="alpha_nDCG@10", second="P@10").cases
        }

    assert cases(small.select(runs=small.runs[::-1])) == cases(small)


def test_the_lists_of_a_disagreement_show_aspects_and_grades() -> None:
    qrels = {"q": {"1": {"a": 2, "b": 1}, "2": {"b": 3, "c": 0}}}
    runs = {"X": {"q": {"a": 3, "c": 2}}, "Y": {"q": {"x": 3, "b": 2, "a": 1}}}
    weights = {"q": {"1": (0.5, "inf"), "2": (0.5, "nav")}}
    from rankprism import read_judgments

    judgments = read_judgments(qrels, weights=weights)
    scores = evaluate(judgments, runs, ["RR", "StRecall"])
    found = disagreement(scores, first="RR", second="StRecall", judgments=judgments, runs=runs, depth=4)
    assert found.lists == ((("1:2", "·", "", ""), ("·", "1:1 2ⁿ:3", "1:2", "")),)
    assert str(found).splitlines()[2].split() == [
        *("1", "q", "(2)", "X", "1:2", "·", "+0.5000", "▲", "-0.5000", "▼")
    ]
    with pytest.raises(InputError, match=r"no run is named 'Y', so no list can be shown; there are '?X"):
        disagreement(scores, first="RR", second="StRecall", judgments=judgments, runs={"X": runs["X"]})


# What every result can do


def every_result(scores: Any) -> list[Any]:
    found = power(scores, resamples=100)
    return [
        found,
        agreement(found),
        unanimity(scores),
        correlation(scores),
        correlation(scores, per_topic=True),
        intuitiveness(scores, gold="StRecall@10"),
        swap(scores, trials=20),
        stability(scores, sizes=[5, 20], samples=2, resamples=50),
        disagreement(scores, first="alpha_nDCG@10", second="P@10"),
    ]


def test_every_result_is_frozen_and_exports(small: Any) -> None:
    for result in every_result(small):
        with pytest.raises(AttributeError):
            result.about = {}
        for value in vars(result).values():
            assert not isinstance(value, np.ndarray) or not value.flags.writeable
        rows = result.rows
        assert len(result.to_frame("pandas")) == len(rows)
        assert len(result.to_frame("polars")) == len(rows)
        assert len(result.to_csv().splitlines()) == len(rows) + 1
        content = json.loads(result.to_json())
        assert len(content["rows"]) == len(rows)
        assert content["about"]["scores"]["order"] == "score"
        lines = result.to_markdown().splitlines()
        assert lines[1 if not result.note else 3].startswith("|:---"), lines[:4]
        assert r"\begin{tabular}" in result.to_latex()
        assert str(result) in repr(result)


def subclasses(kind: type) -> set[type]:
    return {kind}.union(*map(subclasses, kind.__subclasses__()))


def test_results_are_frozen_and_equal_only_to_themselves() -> None:
    # They hold arrays, of which == would make arrays.
    kinds = {kind for kind in subclasses(Result) if kind.__module__.startswith("rankprism.")}
    values = {kind for kind in kinds if dataclasses.is_dataclass(kind)}
    assert TopicDifferences in values
    for kind in values:
        assert "__eq__" not in vars(kind), kind
        assert "__setattr__" in vars(kind), kind  # a frozen dataclass has its own


@pytest.mark.parametrize("function", [power, unanimity, correlation])
def test_one_run_is_too_few(function: Any) -> None:
    with pytest.raises(InputError, match="two runs or more are needed; there is only S0"):
        function(scores_of({"m": [[0.5]]}))


def test_one_topic_and_one_measure_are_fine() -> None:
    scores = scores_of({"m": [0.5, 0.2, 0.1]})
    assert np.isnan(power(scores).asl).all()
    assert "m" in str(power(scores))
    assert np.isnan(power(scores).power).all()
    assert correlation(scores).values.tolist() == [[1.0]]
    assert np.isnan(unanimity(scores).mu).all()
    with pytest.raises(InputError, match="two halves of 1 topics need 2; there are 1"):
        swap(scores)
    with pytest.raises(InputError, match="two topics or more are needed"):
        stability(scores)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: power(s, method="anova"), "method must be one of bootstrap, tukey, t"),  # type: ignore[arg-type]
        (lambda s: correlation(s, coefficient="pearson"), "coefficient must be one of tau-b, tau-a"),  # type: ignore[arg-type]
        (lambda s: correlation(s, coefficient="rbo", p=1), "p must be a number between 0 and 1; got 1"),
        (lambda s: intuitiveness(s, gold="AP"), "there is no measure 'AP'; there are alpha_nDCG@10"),
        (lambda s: intuitiveness(s, gold=[]), "name at least one gold measure"),
        (lambda s: intuitiveness(s, gold=SMALL[:2]), "two measures besides the gold ones"),
        (lambda s: swap(s, size=11), "two halves of 11 topics need 22; there are 20"),
        (lambda s: stability(s, sizes=[1]), "sizes must lie between 2 and the number of topics, 20"),
        (lambda s: stability(s, samples=0), "samples must be a whole number ≥ 1; got 0"),
        (lambda s: disagreement(s, first="P@10", second="alpha_nDCG@10", most=0), "most and depth must be"),
        (lambda s: disagreement(s, first="P@10", second="alpha_nDCG@10", depth=0), "most and depth must be"),
        (lambda s: disagreement(s, first="P@10", second="P@10"), "two different measures are needed"),
        (lambda s: disagreement(s, first="P@10", second="AP"), "there is no measure 'AP'"),
    ],
)
def test_bad_requests(small: Any, call: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call(small)
