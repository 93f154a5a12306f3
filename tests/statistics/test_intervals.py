"""Intervals of meta-evaluation: what they are made of, and that they cover what they should."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from rankprism import InputError, RankprismWarning, read_scores
from rankprism.data.arrays import Floats
from rankprism.meta import (
    agreement,
    correlation,
    intuitiveness,
    power,
    stability,
    swap,
    unanimity,
)
from rankprism.meta.intervals import HALVES, halves, other_means
from rankprism.meta.products import product
from rankprism.meta.rank_correlation import COEFFICIENTS, rbo
from rankprism.results.scores import Scores
from rankprism.statistics.claims import CLAIMS
from rankprism.statistics.corrections import corrected
from rankprism.types import Coefficient, MethodName


@dataclass(frozen=True)
class Population:
    """Runs on topics without end, by the measures a and b, which are exchangeable, c, which is noisier, and
    a gold measure."""

    kind: str  #: normal; skewed, where few topics decide; coarse, which ties many scores
    runs: int
    topics: int
    spread: float  #: how much runs differ: 0 is a complete null

    def draw(self, rng: np.random.Generator) -> Scores:
        shape = (4, self.runs, self.topics)
        effect = np.linspace(-self.spread, self.spread, self.runs)[:, None]
        if self.kind == "skewed":
            noise = rng.exponential(size=shape) ** 1.5
            shared = rng.exponential(size=shape[1:]) ** 1.5
            effect = effect * (scale := rng.exponential(size=self.topics))
            noise, shared = noise * scale, shared * scale
        else:
            noise = rng.normal(size=shape)
            shared = rng.normal(size=shape[1:]) + rng.normal(size=self.topics)
        own = np.array([0.7, 0.7, 1.5, 0.7])[:, None, None]
        values = effect + 0.7 * shared + own * noise
        if self.kind == "coarse":
            values = np.clip(np.round(2 * values + 5), 0, 10) / 10
        return Scores(
            tuple(f"run{r}" for r in range(self.runs)),
            tuple(str(t) for t in range(self.topics)),
            ("a", "b", "c", "gold"),
            np.moveaxis(values, 0, 2),
        )


def made_up(seed: int, population: Population | None = None) -> Scores:
    return (population or Population("coarse", 7, 20, 0.6)).draw(np.random.default_rng(seed))


def without(scores: Scores, kept: Any) -> Scores:
    """The scores of a subset of the topics."""
    return scores.select(topics=[topic for topic, keep in zip(scores.topics, kept, strict=True) if keep])


# What the replicates are


def test_the_interval_of_a_mean_is_students() -> None:
    # Leaving out one topic at a time gives the standard error of a mean exactly: s/√n.
    scores = made_up(0)
    found = correlation(scores, coefficient="tau-a", per_topic=True)
    taus = [
        correlation(without(scores, np.arange(20) == t), coefficient="tau-a", intervals=0).values[0, 1]
        for t in range(20)
    ]
    expected = stats.t.interval(0.95, 19, np.mean(taus), stats.sem(taus))
    low, high = found.interval
    assert (low[0, 1], high[0, 1]) == pytest.approx(expected)


def test_unanimity_without_a_topic_is_that_of_the_other_topics() -> None:
    scores = made_up(1)
    sampled = unanimity(scores).sampled
    assert sampled is not None
    for kept, mu in zip(sampled.sampling.kept, sampled.replicates, strict=True):
        np.testing.assert_allclose(mu, unanimity(without(scores, kept), intervals=0).mu, atol=1e-12)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_correlations_on_halves_are_those_of_their_topics(coefficient: Coefficient) -> None:
    scores = made_up(2)
    sampled = correlation(scores, coefficient=coefficient).sampled
    assert sampled is not None
    assert (sampled.sampling.kept.sum(1) == 10).all()
    for kept, found in itertools.islice(zip(sampled.sampling.kept, sampled.replicates, strict=True), 20):
        expected = correlation(without(scores, kept), coefficient=coefficient, intervals=0).values
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_means_of_halves_vary_as_much_as_means_do() -> None:
    """Their variance is s²/n, for an odd number of topics too."""
    for topics in (20, 21):
        values = np.random.default_rng(topics).normal(size=(40, topics))
        found = other_means(values, halves("a swap rate", topics, 0.95, seed=0))
        assert found.shape == (40, HALVES)
        expected = (values.var(1, ddof=1) / topics).mean()
        assert found.var(1).mean() == pytest.approx(expected, rel=0.05)
        assert np.abs(found.mean(1) - values.mean(1)).max() < 4 * np.sqrt(expected / HALVES)


@pytest.mark.parametrize("method", ["t", "bootstrap", "tukey"])
def test_tests_count_a_half_as_all_topics(method: MethodName) -> None:
    """Each half, repeated, is a collection of as many topics in which the test finds about as much."""
    scores = made_up(3)
    found = power(scores, method=method)
    assert found.decided is not None
    assert found.sampling is not None
    same = []
    for kept, decided in itertools.islice(zip(found.sampling.kept, found.decided, strict=True), 20):
        half = without(scores, kept).values
        z = half[found.pairs[:, 0]] - half[found.pairs[:, 1]]  # (pair, topic, measure)
        t = np.sqrt(20) * z.mean(1) / z.std(1, ddof=1)
        if method == "t":
            p = 2 * stats.t.sf(np.abs(t), 19)
            direct = np.array([corrected(column, "holm") < 0.05 for column in p.T])
        else:  # the critical values of all topics are about those of another collection
            several = read_scores(scores)
            doubled = np.concatenate([half, half], 1)
            again = Scores(several.runs, several.topics, several.measures, doubled)
            direct = power(again, method=method, intervals=0).significant
        same.append(np.where(direct, np.sign(z.mean(1).T), 0) == decided)
    assert 0.1 < found.power.mean() < 0.9
    assert np.mean(same) >= (1.0 if method == "t" else 0.9)


def test_agreement_on_halves_is_that_of_what_they_decide() -> None:
    found = power(made_up(4), method="t")
    sampled = agreement(found).sampled
    assert sampled is not None
    assert found.decided is not None
    for decided, share in itertools.islice(zip(found.decided, sampled.replicates, strict=True), 20):
        a, b = decided[:2]
        both, either = ((a == b) & (a != 0)).sum(), ((a != 0) | (b != 0)).sum()
        assert share[0] == pytest.approx(both / either if either else np.nan, nan_ok=True)


def test_swap_rates_on_halves_are_about_that_of_all_topics() -> None:
    found = swap(made_up(5), trials=200)
    assert found.sampled is not None
    np.testing.assert_allclose(found.sampled.replicates.mean(0), found.rate, atol=0.06)


# What they say about measures; simulations/ counts how often they hold the truth


def test_exchangeable_measures_are_rarely_said_to_differ_in_intuitiveness() -> None:
    population, rejected = Population("normal", 12, 30, 0.3), []
    rng = np.random.default_rng(2)
    for _ in range(300):
        scores = population.draw(rng)
        found = intuitiveness(scores, gold="gold")
        with pytest.warns(RankprismWarning, match="Sakai's sign test counts"):
            sakai = intuitiveness(scores, gold="gold", test="sakai")
        rejected.append((found.p[0] < 0.05, sakai.p[0] < 0.05, found.p[1] < 0.05))
    exchangeable, by_sakai, noisier = np.mean(rejected, axis=0)
    # 5 % and two standard errors of 300 draws. The sign test takes 66 pairs of 12 runs for independent.
    assert exchangeable <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 300)
    assert by_sakai > 0.15
    assert noisier > 0.8  # c is noisier than a, and the test says so


def test_a_measure_that_is_clearly_more_discriminative_is_found_to_be() -> None:
    rejected = []
    for seed in range(20):
        scores = made_up(seed, Population("normal", 20, 50, 0.6))
        found = power(scores, method="t").differences()
        rejected.append(found.p[found.pairs.index((0, 2))] < 0.05)  # a against the noisier c
    assert np.mean(rejected) > 0.8


def test_an_interval_of_confidence_1_less_p_ends_at_0() -> None:
    scores = made_up(12)
    for analyse in (power, unanimity, partial(swap, trials=10)):
        found = analyse(scores).differences()
        between = [i for i, p in enumerate(found.p) if 0.001 < p < 0.999]
        assert between, analyse
        for i in between:
            again = analyse(scores, intervals=1 - found.p[i]).differences()
            end = again.low[i] if found.difference[i] > 0 else again.high[i]
            assert end == pytest.approx(0, abs=1e-9)


def test_intervals_of_shares_end_at_0_and_1() -> None:
    null, clear = (made_up(3, Population("normal", 6, 20, spread)) for spread in (0, 9))
    for found in (power(null), power(clear), swap(made_up(3, Population("normal", 6, 20, 3)))):
        for table in (found.summary, found.rows):
            columns = {
                name.split()[-1]: np.array(values, dtype=object) for name, values in table.columns.items()
            }
            low, high = (columns[end].astype(np.float64) for end in ("low", "high"))
            assert np.nanmin(low) >= 0
            assert np.nanmax(high) <= 1
            assert np.nanmin(low) == 0 or np.nanmax(high) == 1, type(found)
            assert (low < high).any()


def test_intervals_of_unanimity_end_at_1() -> None:
    # The third measure is the mean of the others on all topics but one, so its MU is hardly below 1.
    values = np.random.default_rng(0).random((6, 20, 3))
    values[:, :, 2] = values[:, :, :2].mean(-1)
    values[:, 0, 2] *= -1
    names = [tuple(f"{kind}{i}" for i in range(n)) for kind, n in zip("rtm", values.shape, strict=True)]
    found = unanimity(Scores(names[0], names[1], names[2], values))
    columns = found.rows.columns
    at = columns["measure"].index("m2")
    assert columns["low"][at] < columns["MU"][at] < columns["high"][at] <= 1


def test_tied_scores_are_not_a_swap_on_subsets_either() -> None:
    # Runs whose scores differ by less than 1e-12 are tied, on one half of the topics as on all.
    values = np.full((2, 20, 1), 0.5)
    values[0, ::2] += 8e-13
    values[1, 1::2] += 8e-13
    topics = tuple(f"t{i}" for i in range(20))
    sampled = swap(Scores(("a", "b"), topics, ("m",), values), trials=10).sampled
    assert sampled is not None
    assert not sampled.replicates.any()


# Where there are none


def test_with_few_topics_there_are_no_intervals_and_the_result_says_so() -> None:
    scores = made_up(6, Population("normal", 5, 7, 0.5))
    for found in (
        power(scores, resamples=100),
        unanimity(scores),
        correlation(scores),
        swap(scores, trials=5),
        intuitiveness(scores, gold="gold"),
    ):
        assert re.search(
            r"it needs (8|20) topics, and there are 7$", found.about["intervals"]["none because"]
        )
    assert np.isnan(power(scores, resamples=100).summary.columns["low"]).all()
    assert np.isnan(intuitiveness(scores, gold="gold").p).all()


def test_the_fewest_topics_with_intervals_have_them() -> None:
    scores = made_up(3)
    analyses: dict[str, Callable[[Scores], Any]] = {
        "metric unanimity": unanimity,
        "power by t": partial(power, method="t"),
        "a swap rate": partial(swap, trials=5),
    }
    for claim, analyse in analyses.items():
        for topics in (CLAIMS[claim].fewest, CLAIMS[claim].fewest - 1):
            found = analyse(scores.select(topics=list(scores.topics[:topics])))
            there = topics == CLAIMS[claim].fewest
            assert ("none because" not in found.about["intervals"]) is there
            assert np.isfinite(found.summary.columns["low"]).any() == there


def test_a_difference_below_0_has_its_interval_below_0() -> None:
    """Intuitiveness of a measure and its opposite: all that speaks for the one speaks against the other."""
    scores = made_up(4)
    first, second = scores.measures[:2]
    turned = scores.select(measures=[second, first, *scores.measures[2:]])
    gold = scores.measures[2]
    one, other = (intuitiveness(s, gold=gold) for s in (scores, turned))
    assert one.interval is not None
    assert other.interval is not None
    a, b = one.pairs.index((0, 1)), other.pairs.index((0, 1))
    assert -other.interval[1][b] == pytest.approx(one.interval[0][a])
    assert -other.interval[0][b] == pytest.approx(one.interval[1][a])


def test_the_interval_of_a_swap_rate_is_that_of_its_log_odds() -> None:
    found = swap(made_up(5), trials=200)
    assert found.sampled is not None
    low, high = found.sampled.interval(0, 1)
    topics = found.sampled.sampling.kept.shape[1]
    little = 0.02  # on both sides of the odds, so that rates of 0 and 1 have finite odds
    for m, rate in enumerate(found.rate):
        others = found.sampled.replicates[:, m]
        error = np.log((others + little) / (1 - others + little)).std()
        middle = np.log((rate + little) / (1 - rate + little))
        half = stats.t.ppf(0.975, topics - 1) * error
        for end, sign in ((low[m], -1), (high[m], 1)):
            share = (1 + 2 * little) * stats.logistic.cdf(middle + sign * half) - little
            assert end == pytest.approx(min(1, max(0, share)), abs=1e-12)


def test_halves_of_one_topic_have_swap_rates_with_intervals() -> None:
    columns = swap(made_up(5), size=1, trials=50).summary.columns
    assert np.isfinite([*columns["low"], *columns["high"]]).all()


def test_power_grows_over_tenths_of_the_topics() -> None:
    assert stability(made_up(6), samples=2, method="t").sizes == (2, 4, 6, 8, 10, 12, 14, 16, 18, 20)


def test_a_figure_that_no_topics_change_has_no_interval() -> None:
    scores = made_up(7)
    low, high = correlation(scores.select(measures=["a", "b"])).interval
    assert np.isnan([low[0, 0], high[0, 0]]).all()  # a measure with itself


def test_equal_measures_do_not_differ() -> None:
    values = made_up(8).values[:, :, [0, 0]]
    scores = Scores(tuple("abcdefg"), tuple(map(str, range(20))), ("one", "same"), values)
    for found in (power(scores), unanimity(scores), swap(scores, trials=10)):
        row = found.differences().summary.records()[0]
        assert row[f"Δ {found.differences().of}"] == 0
        assert row["p"] == row["adjusted p"] == 1


@pytest.mark.parametrize("confidence", [1, -0.1, 95, float("nan"), "high"])
def test_a_confidence_lies_between_0_and_1(confidence: Any) -> None:
    scores = made_up(9)
    for function in (power, unanimity, correlation, swap):
        with pytest.raises(InputError, match="intervals must be a confidence between 0 and 1, or 0 for no"):
            function(scores, intervals=confidence)
    with pytest.raises(InputError, match="intervals must be a confidence"):
        intuitiveness(scores, gold="gold", intervals=confidence)


def test_without_intervals_there_are_no_columns_and_no_differences() -> None:
    scores = made_up(10)
    for function in (power, unanimity, swap):
        found = function(scores, intervals=0)
        assert "low" not in found.summary.columns
        with pytest.raises(InputError, match="differences between measures need intervals"):
            found.differences()
    assert correlation(scores, intervals=0).summary.columns["a"][0] == 1.0
    assert "low" not in intuitiveness(scores, gold="gold", intervals=0).summary.columns
    assert not np.isnan(intuitiveness(scores, gold="gold", intervals=0).p).any()


def test_a_wider_confidence_is_a_wider_interval() -> None:
    scores = made_up(11)
    (low, high), (lower, higher) = (
        correlation(scores, per_topic=True, intervals=c).interval for c in (0.8, 0.95)
    )
    assert lower[0, 2] < low[0, 2] < high[0, 2] < higher[0, 2]


# The order of the input


def by_name(result: Any) -> dict[Any, Any]:
    """The rows of a result by what they are of, a pair of runs in either direction."""
    out = {}
    for row in result.rows.records():
        turned = "run" in row and row["run"] > row["other"]
        if turned:
            row |= {"run": row["other"], "other": row["run"], "difference": -row["difference"]}
        key = tuple(value for value in row.values() if isinstance(value, str))
        out[(*key, row.get("difference from"), row.get("topics"))] = row
    return out


def test_the_order_of_rows_and_runs_in_a_file_changes_nothing(tmp_path: Path) -> None:
    scores = made_up(12, Population("coarse", 6, 12, 0.5))
    # Topics of all kinds: numbers by value, then words.
    names = ["9", "10", "101", "07", "x", "B", "b1", "2", "é", "a b", "30", "zz"]
    lines = [
        f"{run},{names[t]},{measure},{float(scores.values[r, t, m])!r}"
        for r, run in enumerate(scores.runs)
        for t in range(12)
        for m, measure in enumerate(scores.measures)
    ]
    analyses: dict[str, Callable[[Scores], Any]] = {
        "power": lambda s: power(s, resamples=200, seed=3),
        "tukey": lambda s: power(s, method="tukey", resamples=200, seed=3),
        "t": lambda s: power(s, method="t", seed=3),
        "swap": lambda s: swap(s, trials=50, seed=3),
        "stability": lambda s: stability(s, sizes=[4, 8], samples=3, resamples=100, seed=3),
        "correlation": lambda s: correlation(s, seed=3),
        "unanimity": unanimity,
    }
    seen: dict[str, list[Any]] = {}
    for shuffle in range(3):
        order = np.random.default_rng(shuffle).permutation(len(lines)) if shuffle else range(len(lines))
        path = tmp_path / f"{shuffle}.csv"
        path.write_text("\n".join(["run,topic,measure,score", *(lines[i] for i in order)]) + "\n")
        read = read_scores(path).select(measures=scores.measures)
        for name, analysis in analyses.items():
            seen.setdefault(name, []).append(by_name(analysis(read)))
    for name, (first, *others) in seen.items():
        for other in others:
            assert other.keys() == first.keys(), name
            for key, row in first.items():
                for column, value in row.items():
                    number = isinstance(value, float)
                    same = pytest.approx(value, rel=1e-12, abs=1e-15) if number else value
                    assert other[key][column] == same, (name, key, column)


@pytest.mark.parametrize("score", ["1e160", "-1e160", "1e200"])
def test_scores_too_large_for_their_squares_are_refused(score: str, tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text(f"run,topic,measure,score\nA,1,AP,0.5\nB,1,AP,{score}\n")
    with pytest.raises(InputError, match=rf"s.csv, line 3: the score {score} is too large; .* below 1e\+150"):
        read_scores(path)
    values = np.full((2, 3, 1), 0.5)
    values[1, 2] = float(score)
    with pytest.raises(
        InputError, match=r"run 'B' has the score .* on topic 'z' by 'AP'; scores must be finite and below"
    ):
        unanimity(Scores(("A", "B"), ("x", "y", "z"), ("AP",), values))


# Rank correlations of many measures at once


def slow_tau_ap(gold: Floats, evaluated: Floats) -> float:
    """Rank by rank from the definition, a group of tied items at a time."""
    n = len(gold)
    order = sorted(range(n), key=lambda i: -evaluated[i])
    total = 0.0
    for _, tied in itertools.groupby(range(n), key=lambda place: evaluated[order[place]]):
        places = list(tied)
        for rank in range(places[0] + 1, places[-1] + 2):
            if rank == 1:
                continue
            higher = [
                1.0 if gold[order[i]] > gold[order[j]] else 0.5 if gold[order[i]] == gold[order[j]] else 0.0
                for j in places
                for i in range(places[0])
            ]
            right = sum(higher) / len(places) + (rank - 1 - places[0]) / 2
            total += right / (rank - 1)
    return 2 / (n - 1) * total - 1


def test_many_measures_at_once_equal_the_slow_definition_one_by_one() -> None:
    # 120 measures of 70 runs, some with many ties. Per topic, every cell is a mean over the topics.
    rng = np.random.default_rng(0)
    values = rng.normal(size=(70, 3, 1)) + rng.normal(size=(70, 3, 120))
    values[:, :, ::2] = values[:, :, ::2].round(1)
    values[:, :, ::6] = values[:, :, ::6].round(0)
    scores = Scores(
        tuple(f"run{r}" for r in range(70)), ("1", "2", "3"), tuple(f"m{m}" for m in range(120)), values
    )
    slowly: dict[Coefficient, Any] = {"tau-ap": slow_tau_ap, "rbo": slow_rbo}
    for coefficient, slow in slowly.items():
        found = correlation(scores, coefficient=coefficient, per_topic=True).values
        for a, b in rng.integers(120, size=(15, 2)):
            expected = np.mean([slow(values[:, t, a], values[:, t, b]) for t in range(3)])
            assert found[a, b] == pytest.approx(expected, abs=1e-12)


def slow_rbo(x: Floats, y: Floats, p: float = 0.9) -> float:
    """Depth by depth from the definition; tied items have the best rank of their group."""
    n = len(x)
    total = 0.0
    for depth in range(1, n + 1):
        s, t = ({i for i in range(n) if (z > z[i]).sum() < depth} for z in (x, y))
        agreed = 2 * len(s & t) / (len(s) + len(t))
        total += (1 - p) * p ** (depth - 1) * agreed
    return total + p**n * agreed


def test_rbo_of_two_equals_the_slow_definition() -> None:
    x, y = np.random.default_rng(1).integers(6, size=(2, 15)).astype(float)
    assert rbo(x, y, 0.8) == pytest.approx(slow_rbo(x, y, 0.8))


@pytest.mark.parametrize("shape", [(1, 1, 1), (3, 0, 2), (7, 5000, 90), (300, 40, 300), (2, 3, 100_000)])
def test_a_product_in_pieces_is_the_product(shape: tuple[int, int, int]) -> None:
    rng = np.random.default_rng(0)
    a, b = rng.integers(-9, 9, shape[:2]), rng.integers(-9, 9, shape[1:])
    np.testing.assert_array_equal(product(a, b), a @ b)
