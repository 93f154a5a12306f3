"""Machine judges and people: agreement, scores from few labels, and which documents to judge next."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from conftest import COLLECTIONS

from rankprism import (
    InputError,
    MeasureError,
    RankprismWarning,
    compare,
    evaluate,
    judges,
    parse,
    read_judgments,
    sample,
)
from rankprism.judges import prediction, rescoring
from rankprism.judges.agreement import label_figures, shared_at_top, top_agreement, weighted_kappa
from rankprism.judges.design import probabilities
from rankprism.judges.effects import Effects, effects, is_linear, parts_of
from rankprism.judges.estimation import Sample, estimated
from rankprism.judges.labels import Labels, joined
from rankprism.judges.pool import Ranked, hashes, uniforms
from rankprism.judges.prediction import Predicted
from rankprism.judges.scoring import Study
from rankprism.judges.second_order import has_second_order, with_others

DL = COLLECTIONS / "trec-dl-2021-prefs"
MACHINES = COLLECTIONS / "trec-dl-2021-judges"
real = pytest.mark.skipif(not MACHINES.is_dir(), reason="the judges of DL 2021 are not on this machine")


def labels(seed: int = 0, topics: int = 12, docs: int = 30) -> tuple[dict[str, Any], dict[str, Any]]:
    """Grades of people, and of a judge that is one grade off for some documents."""
    rng = np.random.default_rng(seed)
    people = {f"q{t}": {f"d{d}": int(rng.integers(4)) for d in range(docs)} for t in range(topics)}
    judge = {
        q: {d: int(np.clip(g + rng.choice([-1, 0, 0, 1]), 0, 3)) for d, g in grades.items()}
        for q, grades in people.items()
    }
    return people, judge


# ── agreement ────────────────────────────────────────────────────────────────────────────────────


def test_agreement_of_labels_is_that_of_scikit_learn_and_krippendorff() -> None:
    """cohen_kappa_score of scikit-learn 1.9.1, and ordinal alpha of krippendorff 0.9.0."""
    table = np.array([[20.0, 5, 0, 1], [4, 10, 6, 0], [1, 3, 8, 4], [0, 1, 2, 9]])
    found = label_figures(table, np.arange(4.0))
    assert found["κ"] == pytest.approx(0.503232222774739, abs=1e-14)
    assert found["weighted κ"] == pytest.approx(0.7719825642567263, abs=1e-14)
    assert found["α"] == pytest.approx(0.7725315556258141, abs=1e-14)
    assert found["bias"] == pytest.approx(
        ((np.arange(4) - np.arange(4)[:, None]) * table).sum() / table.sum()
    )


def test_weighted_kappa_of_two_grades_is_kappa() -> None:
    table = np.array([[7.0, 2], [3, 5]])
    assert weighted_kappa(table, np.array([0.0, 1])) == pytest.approx(
        label_figures(table, np.arange(2.0))["κ"]
    )


def test_counts_confusion_and_bias_are_those_of_the_definition() -> None:
    people, judge = labels()
    del judge["q3"]["d4"]
    judge["q5"]["new"] = 2
    found = judges.agree(people, {"j": judge})
    both = [(g, judge[q][d]) for q, grades in people.items() for d, g in grades.items() if d in judge[q]]
    assert found.value("j", "pairs") == len(both) == 359
    assert (found.value("j", "only people"), found.value("j", "only judge")) == (1, 1)
    table = found.confusion["j"]
    for g in range(4):
        for c in range(4):
            assert table.counts[g, c] == both.count((g, c))
        given = [c for h, c in both if h == g]
        assert found.value("j", "mean label for grade", item=str(g)) == pytest.approx(np.mean(given))
        assert found.value("j", "spread for grade", item=str(g)) == pytest.approx(np.std(given))
    gap = [judge["q2"][d] - g for d, g in people["q2"].items()]
    assert found.value("j", "bias in topic", item="q2") == pytest.approx(np.mean(gap))
    kappa = found.figure("j", "κ")
    assert kappa is not None
    assert kappa.low < kappa.value < kappa.high


def test_too_few_topics_have_no_interval_and_one_topic_is_refused() -> None:
    people, judge = labels(topics=5)
    found = judges.agree(people, {"j": judge}).figure("j", "κ")
    assert found is not None
    assert np.isnan(found.low)
    one = {"q0": people["q0"]}
    with pytest.raises(InputError, match="there is only topic 'q0'; at least 2 topics"):
        judges.agree(one, {"j": one})


def test_another_scale_is_said() -> None:
    people, judge = labels()
    binary = {q: {d: int(g > 1) for d, g in grades.items()} for q, grades in judge.items()}
    with pytest.warns(RankprismWarning, match=r"judge 'yes/no' labels with 0, 1 and people with 0, 1, 2, 3"):
        found = judges.agree(people, {"yes/no": binary})
    assert found.figure("yes/no", "κ") is None
    assert found.confusion["yes/no"].judge == ("0", "1")


def test_nothing_in_common_is_refused() -> None:
    people, _ = labels()
    with pytest.raises(InputError, match="no pair of a topic and a document in common"):
        judges.agree(people, {"j": {"x": {"y": 3}, "z": {"y": 0}}})
    with pytest.raises(InputError, match="name the judges"):
        judges.agree(people, {})


def ranked(people: dict[str, Any], runs: int = 6) -> dict[str, Any]:
    """Runs of which the first is the best by people."""
    rng = np.random.default_rng(1)
    return {
        f"r{r}": {q: {d: float(g + r * rng.normal()) for d, g in docs.items()} for q, docs in people.items()}
        for r in range(runs)
    }


def test_agreement_on_runs_is_that_of_the_scores() -> None:
    from scipy import stats

    people, judge = labels()
    runs = ranked(people)
    found = judges.agree(people, {"j": judge}, runs, ["nDCG@5", "P(rel=2)@5"], top=2)
    assert isinstance(found, judges.RunAgreement)
    by = [evaluate(x, runs, ["nDCG@5", "P(rel=2)@5"]) for x in (people, judge)]
    for m, measure in enumerate(("nDCG@5", "P(rel=2)@5")):
        x, y = (scores.values[:, :, m] for scores in by)
        tau = stats.kendalltau(x.mean(1), y.mean(1)).statistic
        assert found.value("j", "τ_b", measure) == pytest.approx(tau)
        best = [set(np.argsort(-z.mean(1), kind="stable")[:2].tolist()) for z in (x, y)]
        assert found.value("j", "top 2", measure) == len(best[0] & best[1]) / 2
        expected = stats.ttest_rel(y[3], x[3]).confidence_interval()
        bias = found.figure("j", "bias of run", measure, "r3")
        assert bias is not None
        assert (bias.low, bias.high) == pytest.approx((expected.low, expected.high))


def test_a_favoured_family_is_found_and_another_is_not() -> None:
    from scipy import stats

    people, _ = labels(topics=30)
    runs = ranked(people)
    judge = {q: dict(docs) for q, docs in people.items()}
    for q, docs in judge.items():  # the judge likes the first documents of r5
        scores = runs["r5"][q]
        docs.update(dict.fromkeys(sorted(docs, key=scores.__getitem__)[-4:], 3))
    family = {"r5": "own", "r4": "mine", "r3": "mine"}
    found = judges.agree(people, {"j": judge}, runs, "nDCG@5", family=family)
    assert isinstance(found, judges.FamilyAgreement)
    own, mine = (found.figure("j", "favours", "nDCG@5", name) for name in ("own", "mine"))
    assert own is not None
    assert mine is not None
    assert own.low > 0.1
    assert own.p < 0.001
    gap = evaluate(judge, runs, "nDCG@5").values[:, :, 0] - evaluate(people, runs, "nDCG@5").values[:, :, 0]
    z = gap[5] - gap[:5].mean(0)
    assert own.value == pytest.approx(z.mean())
    assert own.p == pytest.approx(2 * stats.ttest_1samp(z, 0).pvalue)  # Holm: the smaller of two
    assert mine.value < 0


def test_families_are_read_and_wrong_ones_refused(tmp_path: Path) -> None:
    from rankprism.judges.agreement import read_families

    path = tmp_path / "families.txt"
    path.write_text("a one\nb,two\n")
    assert read_families(path, ["a", "b", "c"]) == {"a": "one", "b": "two"}
    for text, message in (
        ("a\n", "line 1: expected a run and its family; found 'a'"),
        ("a one\na two\n", "line 2: run 'a' is of the family 'two' here and 'one' above"),
        ("x one\n", "the families name none of the runs"),
        ("a one\nb one\nc one\n", "all runs are of the family 'one'"),
    ):
        path.write_text(text)
        with pytest.raises(InputError, match=message):
            read_families(path, ["a", "b", "c"])


def test_a_judge_that_tells_no_run_apart_is_said() -> None:
    people, judge = labels()
    zero = {q: dict.fromkeys(docs, 0) for q, docs in judge.items()}
    zero["q0"]["other"] = 3  # on the same scale, but no run has it
    with pytest.warns(RankprismWarning, match="every run has the score 0 on every topic by P@5"):
        found = judges.agree(people, {"j": zero}, ranked(people), "P@5")
    assert np.isnan(found.value("j", "τ_b", "P@5"))


def test_shared_at_top() -> None:
    means = np.array([[3.0, 2, 1, 0], [3.0, 0, 1, 2]])
    assert [shared_at_top(means, k) for k in (1, 2, 3, 4)] == [1, 0.5, pytest.approx(2 / 3), 1]
    value, low, high = top_agreement(np.eye(4), np.eye(4), 2, 0.95, 0)
    assert value == 1
    assert np.isnan([low, high]).all()


@real
@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_judges_of_dl_2021_are_as_a_first_look_found_them() -> None:
    """The figures beside the data: τ, bias, and the runs whose intervals hold the people's mean."""
    found = judges.agree(
        DL / "qrels.dl21-passage.txt.gz",
        {
            name: MACHINES / f"{name}.qrels.gz"
            for name in ("umbrela.gpt-4o", "binary.gpt-4o", "binary.llama3.2")
        },
        sorted((DL / "runs").glob("*.gz")),
        "nDCG@10",
    )
    for judge, expected in (
        ("umbrela.gpt-4o", (0.941, 0.102, 3)),
        ("binary.gpt-4o", (0.906, 0.211, 0)),
        ("binary.llama3.2", (0.783, 0.311, 0)),
    ):
        figures = [found.value(judge, figure, "nDCG@10") for figure in ("τ_b", "bias", "held")]
        assert figures == pytest.approx(expected, abs=6e-4)


# ── scores from few labels: all samples of a small pool ──────────────────────────────────────────

Y = [3, 0, 1, 2, 0, 1, 3, 0]
JUDGE = [3, 1, 1, 3, 0, 2, 2, 1]
W = [Fraction(1, i) for i in range(1, 9)]
TRUTH = sum((w * y for w, y in zip(W, Y, strict=True)), Fraction(0))
CHANCES = [Fraction(p, 10) for p in (9, 7, 5, 5, 4, 3, 3, 2)]


def subsets() -> Iterator[tuple[tuple[int, ...], Fraction]]:
    """Every sample of independent draws, and its probability."""
    for bits in product((0, 1), repeat=8):
        chance = Fraction(1)
        for bit, p in zip(bits, CHANCES, strict=True):
            chance *= p if bit else 1 - p
        yield tuple(i for i in range(8) if bits[i]), chance


def program(sample: Sequence[int], guess: Sequence[Fraction], uniform: bool) -> tuple[float, float]:
    """The estimate Σ w y and its variance by the code of the package."""
    s = list(sample)
    drawn = np.zeros(8, dtype=bool)
    drawn[s] = True
    error = np.array([float(W[i] * (Y[i] - guess[i])) for i in s])
    mean = float(sum(w * g for w, g in zip(W, guess, strict=True))) + error.sum()
    found = Effects(
        np.array([[mean]]), error[:, None], np.zeros((len(s), 1, 1)), np.ones(8, dtype=bool), True
    )
    chance = None if uniform else np.array([float(p) for p in CHANCES])
    sample_of = Sample(drawn, chance, np.zeros(8, dtype=np.int64))
    estimate = estimated(found, np.ones((len(s), 1)), sample_of, np.zeros(8, dtype=np.int64), 1)
    return float(estimate.value[0]), float(estimate.covariance[0, 0])


def difference(
    sample: Sequence[int], guess: Sequence[Fraction], chance: Sequence[Fraction]
) -> tuple[Fraction, Fraction]:
    """The difference estimator and its variance by their definitions, for independent draws."""
    e = {i: W[i] * (Y[i] - guess[i]) for i in sample}
    value = sum((w * g for w, g in zip(W, guess, strict=True)), Fraction(0))
    value += sum((x / chance[i] for i, x in e.items()), Fraction(0))
    return value, sum(((1 - chance[i]) / chance[i] ** 2 * x**2 for i, x in e.items()), Fraction(0))


def moments(rows: Iterable[tuple[Fraction, Fraction, Fraction]]) -> tuple[Fraction, Fraction, Fraction]:
    """The mean and the variance of estimates, and the mean of their variances; rows have a probability."""
    every = list(rows)
    mean = sum((p * x for p, x, _ in every), Fraction(0))
    variance = sum((p * (x - mean) ** 2 for p, x, _ in every), Fraction(0))
    return mean, variance, sum((p * v for p, _, v in every), Fraction(0))


def test_a_simple_random_sample_is_unbiased_and_its_variance_is_too() -> None:
    guess = list(map(Fraction, JUDGE))
    rows = []
    for s in combinations(range(8), 3):
        e = [W[i] * (Y[i] - guess[i]) for i in s]
        mean = sum(e, Fraction(0)) / 3
        value = sum((w * g for w, g in zip(W, guess, strict=True)), Fraction(0)) + 8 * mean
        s2 = sum(((x - mean) ** 2 for x in e), Fraction(0)) / 2
        v = 64 * (1 - Fraction(3, 8)) * s2 / 3
        assert program(s, guess, uniform=True) == pytest.approx((float(value), float(v)), abs=1e-12)
        rows.append((Fraction(1, 56), value, v))
    assert TRUTH - Fraction(31, 7) == 0
    assert moments(rows) == (TRUTH, Fraction(44405, 84672), Fraction(44405, 84672))


def test_independent_draws_are_unbiased_and_their_variance_is_too() -> None:
    guess = list(map(Fraction, JUDGE))
    rows = []
    for s, p in subsets():
        value, v = difference(s, guess, CHANCES)
        assert program(s, guess, uniform=False) == pytest.approx((float(value), float(v)), abs=1e-12)
        rows.append((p, value, v))
    assert moments(rows) == (TRUTH, Fraction(521, 1512), Fraction(521, 1512))


def cross_fit(s: Sequence[int], folds: bool) -> list[Fraction]:
    """The judge, corrected by the mean error on the labels of the other fold, or of all labels."""
    guess = []
    for i in range(8):
        errors = [Y[j] - JUDGE[j] for j in s if not folds or j % 2 != i % 2]
        guess.append(JUDGE[i] + (Fraction(sum(errors), len(errors)) if errors else Fraction(0)))
    return guess


def test_cross_fitting_keeps_the_estimate_unbiased_and_its_absence_spoils_the_variance() -> None:
    cross = [(p, *difference(s, cross_fit(s, True), CHANCES)) for s, p in subsets()]
    mean, variance, expected = moments(cross)
    assert mean == TRUTH
    assert float(variance) == pytest.approx(0.815937, abs=5e-7)
    assert float(expected) == pytest.approx(0.819189, abs=5e-7)
    mean, variance, expected = moments(
        [(p, *difference(s, cross_fit(s, False), CHANCES)) for s, p in subsets()]
    )
    assert float(mean - TRUTH) == pytest.approx(0.0138134, abs=5e-8)
    assert float(expected / variance) == pytest.approx(0.5765, abs=5e-5)


def test_a_sample_of_fixed_size_has_to_be_taken_within_folds() -> None:
    """With a fixed number of labels in all, folds depend on each other."""
    chance = [Fraction(3, 8)] * 8
    of_three = [difference(s, cross_fit(s, True), chance)[0] for s in combinations(range(8), 3)]
    assert sum(of_three, Fraction(0)) / 56 == Fraction(203563, 47040)
    halves = [(*a, *b) for a in combinations(range(0, 8, 2), 2) for b in combinations(range(1, 8, 2), 2)]
    of_two = [difference(s, cross_fit(s, True), [Fraction(1, 2)] * 8)[0] for s in halves]
    assert sum(of_two, Fraction(0)) / 36 == TRUTH


def test_equal_chances_are_conditioned_on_the_number_in_each_fold() -> None:
    """A sample with equal chances is a simple random sample within each fold, so π = n/N of the fold."""
    fold = np.array([0, 1] * 4)
    rows = []
    for s in combinations(range(8), 4):
        guess = [float(g) for g in cross_fit(s, True)]
        e = np.array([float(W[i]) * (Y[i] - guess[i]) for i in s])
        mean = sum(float(w) * g for w, g in zip(W, guess, strict=True)) + e.sum()
        drawn = np.zeros(8, dtype=bool)
        drawn[list(s)] = True
        found = Effects(np.array([[mean]]), e[:, None], np.zeros((4, 1, 1)), np.ones(8, dtype=bool), True)
        estimate = estimated(
            found, np.ones((4, 1)), Sample(drawn, None, fold), np.zeros(8, dtype=np.int64), 1
        )
        rows.append((sum(i % 2 for i in s), float(estimate.value[0])))
    of_two = [value for odd, value in rows if odd == 2]
    assert len(of_two) == 36
    assert np.mean(of_two) == pytest.approx(float(TRUTH), abs=1e-12)


def test_the_estimate_is_that_of_ppi_py() -> None:
    """ppi_mean_pointestimate of ppi-python 0.2.3 with lam=1, all predictions as unlabelled, times 8."""
    value, _ = program((0, 3, 6), list(map(Fraction, JUDGE)), uniform=True)
    assert value == pytest.approx(5.041666666666667, abs=1e-8)


# ── effects of labels, against the definition ────────────────────────────────────────────────────

TINY = {"q": {"a": 2, "b": 0, "c": 1, "d": 2, "e": 0, "f": 1}, "r": {"a": 1, "b": 2, "c": 0}}
TINY_RUNS = {
    "up": {"q": {"a": 6, "b": 5, "c": 4, "d": 3, "x": 2.5, "e": 2}, "r": {"a": 3, "b": 2, "c": 1}},
    "down": {"q": {"f": 6, "y": 5, "d": 4, "b": 3}, "r": {"c": 3, "b": 2}},
}


def tiny(labelled: Sequence[str], levels: Sequence[float]) -> tuple[Labels, Ranked, Predicted]:
    """Only these documents of q are labelled; every label of all others is equally likely."""
    whole = joined(read_judgments(TINY), {"j": read_judgments(TINY)})
    people = whole.people.copy()
    for i, doc in enumerate(whole.docs):
        if whole.topics[whole.topic[i]] == "q" and doc not in labelled:
            people[i] = np.nan
    labels = replace(whole, people=people)
    ranked = Ranked.of(labels, TINY_RUNS)
    n = len(labels.docs)
    chance = np.full((n, len(levels)), 1 / len(levels))
    return labels, ranked, Predicted(np.array(levels), chance, np.zeros(n, dtype=np.int64), np.zeros(1))


MEASURES = (
    "P(rel=2)@3",
    "DCG@3",
    "RBP(p=0.8)",
    "nDCG@3",
    "nDCG",
    "AP",
    "AP(rel=2)@4",
    "ERR@3",
    "nERR@3",
    "R@3",
    "F1@3",
    "Success@1",
    "RR",
    "Q@3",
    "Rprec",
    "infAP",
    "alpha_DCG@3",
    "ERR_IA(gain='probability')@3",
)


LEVELS, LABELLED = (0.0, 1.0, 2.0), ("a", "c", "e")
KNOWN = {doc: float(TINY["q"][doc]) for doc in LABELLED}


def all_completions(labels: Labels, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the program draw each of the 27 completions of q once, which are equally likely."""
    free = [i for i in range(6) if labels.docs[i] not in LABELLED]  # the pairs of q come first

    def every(chance: Any, rng: Any, draws: int = 0) -> Any:
        found = np.zeros((27, len(chance)), dtype=np.int64)
        if len(chance) == 6:
            found[:, free] = list(product(range(3), repeat=3))
        return found

    for module in ("effects", "rescoring", "second_order"):
        monkeypatch.setattr(f"rankprism.judges.{module}.drawn", every)
    monkeypatch.setattr(rescoring, "DRAWS", 27)


def mean_of_completions(labels: Labels, measure: Any, fixed: dict[str, float]) -> Any:
    """(run,) the mean score on q, where labels that are not fixed are equally likely."""
    others = [labels.docs[i] for i in range(6) if labels.docs[i] not in fixed]
    topics = [fixed | dict(zip(others, ys, strict=True)) for ys in product(LEVELS, repeat=len(others))]
    return np.mean([evaluate({**TINY, "q": q}, TINY_RUNS, measure).values[:, 0, 0] for q in topics], 0)


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
@pytest.mark.parametrize("name", MEASURES)
def test_effects_are_those_of_all_completions(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """m and φ of q against the scores of each completion."""
    labels, ranked, predicted = tiny(LABELLED, LEVELS)
    all_completions(labels, monkeypatch)
    measure = parse(name)
    found = effects(measure, labels, ranked, predicted, 0)
    assert found.mean[:, 0] == pytest.approx(mean_of_completions(labels, measure, KNOWN), abs=1e-12)
    sampled = [labels.docs[i] for i in np.flatnonzero(~np.isnan(labels.people[:, 0]))][:3]
    for place, doc in enumerate(sampled):
        at = np.array([mean_of_completions(labels, measure, KNOWN | {doc: k}) for k in LEVELS])
        expected = at - at.mean(0)
        assert found.at[place] == pytest.approx(expected, abs=1e-12), doc
        assert found.phi[place] == pytest.approx(expected[int(TINY["q"][doc])], abs=1e-12)


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
@pytest.mark.parametrize("name", ["AP", "AP(rel=2)@4", "R@3", "F1@3"])
def test_what_two_labels_do_together_is_that_of_all_completions(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Σ_j w_j ψ_ij of q against the scores of each completion."""
    labels, ranked, predicted = tiny(LABELLED, LEVELS)
    all_completions(labels, monkeypatch)
    measure = parse(name)
    assert has_second_order(measure, labels)
    sampled = np.flatnonzero(~np.isnan(labels.people[:, 0]))
    weight = np.arange(1.0, len(sampled) + 1, dtype=np.float64)
    found = with_others(measure, labels, ranked, predicted, weight, 0)
    expected = np.zeros((3, len(TINY_RUNS)))
    for (i, doc), (j, other) in combinations(enumerate(labels.docs[i] for i in sampled[:3]), 2):
        pairs = [KNOWN | {doc: k, other: of_other} for k, of_other in product(LEVELS, repeat=2)]
        at = np.array([mean_of_completions(labels, measure, fixed) for fixed in pairs]).reshape(3, 3, -1)
        every = at - at.mean(0) - at.mean(1)[:, None] + at.mean((0, 1))
        psi = every[int(TINY["q"][doc]), int(TINY["q"][other])]
        expected[i] += weight[j] * psi
        expected[j] += weight[i] * psi
    assert found[:3] == pytest.approx(expected, abs=1e-12)
    assert np.abs(found[:3]).max() > 0.01


def test_drawn_pairs_stand_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    labels, ranked, predicted = tiny(LABELLED, LEVELS)
    all_completions(labels, monkeypatch)
    weight = np.ones(np.count_nonzero(~np.isnan(labels.people[:, 0])))
    every = with_others(parse("AP"), labels, ranked, predicted, weight, 0)
    monkeypatch.setattr("rankprism.judges.second_order.PAIRS", 2)  # of three
    found = np.array([with_others(parse("AP"), labels, ranked, predicted, weight, k) for k in range(400)])
    error = found.std(0) / np.sqrt(len(found))
    assert error.max() > 0
    assert (np.abs(found.mean(0) - every) <= 4 * error + 1e-12).all()


@pytest.mark.parametrize("name", ["AP", "R@3", "F1@3"])
def test_errors_of_two_predictions_leave_no_bias(name: str) -> None:
    """Two relevant documents are predicted not to be, and drawn or not; all others are known."""
    whole = {"q": {"a": 1, "b": 0, "c": 1, "d": 1}, "r": {"e": 1, "f": 0}}
    runs = {"x": {t: {d: -float(n) for n, d in enumerate(docs)} for t, docs in whole.items()}}
    truth = evaluate(whole, runs, name).means.item()
    labels = joined(read_judgments(whole), {})
    wrong = [labels.docs.index(doc) for doc in "ac"]
    chance = np.eye(2)[labels.people[:, 0].astype(int)]
    chance[wrong] = 1.0, 0.0
    fold = np.zeros(len(labels.docs), dtype=np.int64)
    predicted = Predicted(np.array([0.0, 1.0]), chance, fold, np.zeros(5))
    pi = np.ones(len(labels.docs))
    pi[wrong] = 0.3, 0.6
    means = {True: 0.0, False: 0.0}
    for bits in product((False, True), repeat=2):
        drawn = np.ones(len(labels.docs), dtype=bool)
        drawn[wrong] = bits
        people = np.where(drawn[:, None], labels.people, np.nan)
        study = Study(replace(labels, people=people), Ranked.of(labels, runs), Sample(drawn, pi, fold), 0)
        likely = np.prod(np.where(drawn, pi, 1 - pi))
        for informative in means:
            estimate, _ = study.estimate(parse(name), predicted, informative)
            means[informative] += likely * estimate.value.item()
    assert means[False] == pytest.approx(truth, abs=1e-12)
    assert abs(means[True] - truth) > 0.01


def test_which_measures_are_linear_follows_from_their_parts() -> None:
    linear = {"P@10", "P(rel=2)@10", "DCG@10", "RBP(p=0.8)", "P"}
    for name in (*linear, *MEASURES):
        parts = parts_of(parse(name))
        expected = name in linear or name in ("P(rel=2)@3", "DCG@3")
        assert (parts is not None and is_linear(parts)) == expected, name


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
@pytest.mark.parametrize(
    "name", ["alpha_nDCG@10", "ERR_IA@10", "D_nDCG@10", "D#_nDCG@10", "StRecall@5", "nDCG@10", "AP_IA"]
)
def test_complete_labels_give_the_score_itself(name: str) -> None:
    """On subtopics with weights. Documents that are judged on every subtopic are labelled."""
    whole = read_judgments(sample.QRELS).to_frame("pyarrow").to_pylist()
    rows = [row for row in whole if row["topic"] in ("apple", "bat", "bridge")]
    chosen = [line.split() for line in sample.WEIGHTS.read_text().splitlines()]
    weights = [(t, a, float(w)) for t, a, w, *_ in chosen if t in ("apple", "bat", "bridge")]
    people = read_judgments(rows, weights=weights)
    found = judges.score(people, {"same": rows}, list(sample.RUNS[:2]), name)
    expected = evaluate(people, list(sample.RUNS[:2]), name)
    assert found.means == pytest.approx(expected.means, abs=1e-12)
    assert found.half == pytest.approx(0, abs=1e-9)


# ── predictions ──────────────────────────────────────────────────────────────────────────────────


def test_the_model_is_that_of_a_general_optimiser() -> None:
    from scipy.optimize import minimize

    rng = np.random.default_rng(3)
    n, p, K, groups = 60, 3, 2, 4
    x, group = rng.normal(size=(n, p)), np.sort(rng.integers(groups, size=n))
    label = np.digitize(x[:, 0] + rng.normal(size=n), [-0.3, 0.8])
    above = (label[:, None] >= [1, 2]).astype(float)
    offset = 0.4
    centre = np.log((above.sum(0) + 0.5) / (n - above.sum(0) + 0.5))
    prior = np.linalg.inv(np.full((K, K), 1 / prediction.TOPIC) + offset * np.eye(K))

    def loss(theta: Any) -> float:
        a, b, v = theta[:K], theta[K : K + p], theta[K + p :].reshape(groups, K)
        eta = a + (x @ b)[:, None] + v[group]
        fit = (np.logaddexp(0, eta) - above * eta).sum()
        ridge = prediction.THRESHOLD * ((a - centre) ** 2).sum() + prediction.SLOPE * (b**2).sum()
        return float(fit + ridge / 2 + np.einsum("gk,kl,gl->", v, prior, v) / 2)

    best = minimize(loss, np.zeros(K + p + groups * K), method="BFGS", options={"gtol": 1e-8})
    found = prediction.fitted(x, group, above, groups, offset)
    flat = np.concatenate([part.ravel() for part in found])
    assert flat == pytest.approx(best.x, abs=2e-4)


def test_the_prediction_of_a_pair_does_not_depend_on_its_own_label() -> None:
    rng = np.random.default_rng(0)
    n = 200
    x, group, fold = rng.normal(size=(n, 2)), np.repeat(np.arange(10), 20), rng.integers(5, size=n)
    label = np.where(rng.random(n) < 0.5, rng.integers(3, size=n), np.nan)
    one = prediction.cross_fitted(x, group, label, fold, offsets=(0.3,))
    changed = label.copy()
    of_fold = np.flatnonzero((fold == 2) & ~np.isnan(label))
    changed[of_fold] = 2 - changed[of_fold]
    other = prediction.cross_fitted(x, group, changed, fold, offsets=(0.3,))
    assert (one.chance[fold == 2] == other.chance[fold == 2]).all()
    assert (one.chance[fold != 2] != other.chance[fold != 2]).any()
    assert one.chance.sum(1) == pytest.approx(1)


# ── score and select ─────────────────────────────────────────────────────────────────────────────


class Made(NamedTuple):
    """A made-up collection: complete labels of people and of a judge, and runs."""

    people: dict[str, Any]
    judge: dict[str, Any]
    runs: dict[str, Any]


def made(seed: int = 0, topics: int = 20, docs: int = 60, runs: int = 5) -> Made:
    rng = np.random.default_rng(seed)
    people, judge = {}, {}
    ranked: dict[str, Any] = {f"r{r}": {} for r in range(runs)}
    for t in range(topics):
        x = rng.normal(rng.normal(0, 0.5), 1, docs)
        people[f"t{t}"] = {
            f"d{d}": int(g) for d, g in enumerate(np.digitize(x + rng.normal(0, 0.4, docs), [0, 0.9, 1.7]))
        }
        judge[f"t{t}"] = {
            f"d{d}": int(g) for d, g in enumerate(np.digitize(x + rng.normal(0, 0.5, docs), [-0.2, 0.7, 1.5]))
        }
        for r in range(runs):
            ranked[f"r{r}"][f"t{t}"] = {
                f"d{d}": float(s) for d, s in enumerate(x + rng.normal(0, 0.6 + 0.3 * r, docs))
            }
    return Made(people, judge, ranked)


def labelled(collection: Made, drawn: Iterable[Any]) -> list[dict[str, Any]]:
    """What people would say about drawn pairs."""
    return [
        {
            "topic": p.topic,
            "doc": p.doc,
            "grade": collection.people[p.topic][p.doc],
            "probability": p.probability,
        }
        for p in drawn
    ]


def test_scores_are_near_those_by_complete_judgments_and_judges_save_labels() -> None:
    c = made()
    names = ["P(rel=2)@10", "DCG@10", "nDCG@10"]
    chosen = judges.select(c.runs, {"j": c.judge}, names, budget=250, seed=2)
    found = judges.score(labelled(c, chosen.pairs), {"j": c.judge}, c.runs, names)
    truth = evaluate(c.people, c.runs, names).means
    assert (np.abs(found.means - truth) <= found.half).mean() >= 0.8
    assert found.about["labels saved"]["P(rel=2)@10"] > 20
    assert found.about["mean width"]["DCG@10"] < found.about["mean width without judges"]["DCG@10"]
    assert "on these topics" in found.note
    gap = found.differences()
    assert gap.difference.shape == (10, 3)
    assert compare(found.scores).pairs.shape[0] == 10
    wide = judges.score(labelled(c, chosen.pairs), {"j": c.judge}, c.runs, names, meant="like-these")
    assert (wide.half >= 0.8 * found.half).all()
    assert "topics like these" in wide.note


def test_batches_go_on_and_the_last_probabilities_count() -> None:
    c = made()
    one = judges.select(c.runs, {"j": c.judge}, "P@10", budget=100)
    two = judges.select(c.runs, {"j": c.judge}, "P@10", budget=250, after=one.pairs)
    first = {(p.topic, p.doc): p for p in one.pairs}
    assert {(p.topic, p.doc) for p in two.pairs if p.batch == 1} == set(first)
    assert {p.batch for p in two.pairs} == {1, 2}
    assert all(p.probability >= first[p.topic, p.doc].probability for p in two.pairs if p.batch == 1)
    again = judges.select(c.runs, {"j": c.judge}, "P@10", budget=250)
    assert {(p.topic, p.doc, p.probability) for p in again.pairs} == {
        (p.topic, p.doc, p.probability) for p in two.pairs
    }
    with pytest.raises(InputError, match="take the same seed, runs, judges and measures"):
        judges.select(c.runs, {"j": c.judge}, "P@10", budget=250, after=one.pairs, seed=9)


def test_probabilities_sum_to_the_budget_and_follow_the_sizes() -> None:
    size = np.random.default_rng(0).exponential(size=500)
    for budget, mixed in ((20, 0.05), (200, 0.3), (450, 0.1)):
        chance = probabilities(size, budget, mixed)
        assert chance.sum() == pytest.approx(budget)
        assert (np.diff(chance[np.argsort(size)]) >= -1e-12).all()
        assert chance.min() >= mixed * budget / 500 - 1e-12
        assert chance.max() <= 1
    assert (probabilities(size, 500, 0.3) == 1).all()


def test_drawn_pairs_are_as_many_as_their_probabilities_say() -> None:
    """Σ π - number drawn, over many seeds, has mean 0 and variance Σ π (1-π)."""
    c = made(topics=3)
    labels_ = joined(read_judgments(c.people), {})
    hashed = hashes(labels_)
    chance = np.linspace(0.01, 0.99, len(hashed))
    number = [int((uniforms(hashed, seed, 2) < chance).sum()) for seed in range(300)]
    error = np.sqrt((chance * (1 - chance)).sum() / 300)
    assert abs(np.mean(number) - chance.sum()) < 4 * error
    assert np.var(number) == pytest.approx(300 * error**2, rel=0.4)


def test_settled_differences_end_the_judging() -> None:
    c = made()
    one = judges.select(c.runs, {"j": c.judge}, "P@10", budget=600)
    people = [(p.topic, p.doc, c.people[p.topic][p.doc]) for p in one.pairs]
    settings: dict[str, Any] = {"after": one.pairs, "people": people}
    with pytest.warns(RankprismWarning, match="every difference of two runs is settled at 0.5; stop judging"):
        done = judges.select(c.runs, {"j": c.judge}, "P@10", budget=700, settled=0.5, **settings)
    assert done.pairs == one.pairs
    one = judges.select(c.runs, {"j": c.judge}, "P@10", budget=150)
    people = [(p.topic, p.doc, c.people[p.topic][p.doc]) for p in one.pairs]
    settings = {"after": one.pairs, "people": people}
    more = judges.select(c.runs, {"j": c.judge}, "P@10", budget=700, settled=0.0, **settings)
    assert len(more.pairs) > len(one.pairs)
    assert "differences are settled at 0" in more.note
    with pytest.raises(InputError, match="give these with people="):
        judges.select(c.runs, {"j": c.judge}, "P@10", budget=700, settled=0.1)


def test_a_constant_judge_changes_nothing() -> None:
    c = made()
    constant = {q: dict.fromkeys(docs, 1) for q, docs in c.people.items()}
    chosen = judges.select(c.runs, {"j": c.judge}, "P@10", budget=250)
    rows = labelled(c, chosen.pairs)
    with pytest.warns(RankprismWarning, match="another scale: how its labels map to theirs is estimated"):
        found = judges.score(rows, {"constant": constant}, c.runs, "P@10")
    assert found.about["mean width"] == pytest.approx(found.about["mean width without judges"])
    assert found.about["labels saved"]["P@10"] == 0


def test_bad_samples_are_refused(tmp_path: Path) -> None:
    c = made(topics=4)
    by = {"j": c.judge}
    pairs = judges.select(c.runs, by, "P@10", budget=120).pairs
    rows = labelled(c, pairs)
    other = {q: docs | {"zz": 1} for q, docs in c.people.items()}
    with pytest.raises(InputError, match=r"document 'zz' of topic 't0' is not in the pool, because no judge"):
        judges.score(other, by, c.runs, "P@10")
    for wrong in (0, -0.1, 1.5, "x", float("nan")):
        bad = [rows[0] | {"probability": wrong}, *rows[1:]]
        with pytest.raises(
            InputError, match=r"row 1: the probability .* is not a number above 0 and up to 1"
        ):
            judges.score(bad, by, c.runs, "P@10")
    with pytest.raises(InputError, match=r"row 2: .* was drawn above already"):
        judges.score(
            [(r["topic"], r["doc"], r["grade"]) for r in rows], by, c.runs, "P@10", drawn=[pairs[0]] * 2
        )
    with pytest.raises(InputError, match="was drawn, but not judged; judge all drawn pairs"):
        judges.score([(r["topic"], r["doc"], r["grade"]) for r in rows[1:]], by, c.runs, "P@10", drawn=pairs)
    with pytest.raises(InputError, match="was judged by people, but not drawn"):
        judges.score([(r["topic"], r["doc"], r["grade"]) for r in rows], by, c.runs, "P@10", drawn=pairs[1:])
    one = {"t0": c.judge["t0"]}
    with pytest.raises(InputError, match="there is only topic 't0'"):
        judges.score({"t0": c.people["t0"]}, {"j": one}, c.runs, "P@10")
    with pytest.raises(MeasureError, match="leave out judged_only"):
        judges.score(rows, by, c.runs, "P(judged_only=True)@10")
    with pytest.raises(MeasureError, match="needs preferences"):
        judges.score(rows, by, c.runs, "nPrf@10")
    path = tmp_path / "drawn.tsv"
    path.write_text("topic\tdoc\nt0\td1\n")
    with pytest.raises(InputError, match="there is no column 'probability'"):
        judges.score(rows, by, c.runs, "P@10", drawn=path)


def test_too_few_labels_have_no_interval_but_a_reason() -> None:
    c = made()
    chosen = judges.select(c.runs, {"j": c.judge}, "P@10", budget=40)
    found = judges.score(labelled(c, chosen.pairs), {"j": c.judge}, c.runs, "P@10")
    assert np.isnan(found.half).all()
    assert "it needs 120 labels" in found.note


def test_uninformative_predictions_have_wide_intervals_of_ap_and_none_of_q() -> None:
    c = made()
    rng = np.random.default_rng(1)
    noise = {q: {d: int(rng.integers(4)) for d in docs} for q, docs in c.people.items()}
    rng = np.random.default_rng(2)
    runs = {
        name: {q: {d: float(rng.random()) for d in docs} for q, docs in run.items()}
        for name, run in c.runs.items()
    }
    chosen = judges.select(runs, {"noise": noise}, ["P@10", "AP", "Q"], budget=300)
    found = judges.score(labelled(c, chosen.pairs), {"noise": noise}, runs, ["P@10", "AP", "Q"])
    assert not np.isnan(found.half[:, :2]).any()
    assert np.isnan(found.half[:, 2]).all()
    assert "– Q: the predictions remove" in found.note
    assert "this measure needs 39 %" in found.note  # 29, and more for many labels
    assert found.about["mean width"]["Q"] is None
    plain = judges.score(labelled(c, chosen.pairs), {"good": c.people}, runs, "AP")
    assert plain.about["mean width"]["AP"] < found.about["mean width"]["AP"]


def test_people_alone_have_no_width_where_they_would_have_no_interval() -> None:
    """The judge predicts labels well, and runs that rank at random do not."""
    c = made()
    rng = np.random.default_rng(2)
    runs = {
        name: {q: {d: float(rng.random()) for d in docs} for q, docs in run.items()}
        for name, run in c.runs.items()
    }
    chosen = judges.select(runs, {"j": c.judge}, ["P@10", "Q"], budget=180, seed=2)
    found = judges.score(labelled(c, chosen.pairs), {"j": c.judge}, runs, ["P@10", "Q"])
    assert not np.isnan(found.half).any()
    assert found.about["mean width without judges"]["Q"] is None
    assert found.about["labels saved"]["Q"] is None
    line = next(line for line in str(found).splitlines() if line.startswith("Q "))
    assert line.split()[2:] == ["–", "–"]


def test_a_sample_that_is_not_uniform_is_noted() -> None:
    c = made()
    top = [(q, d) for q, docs in c.runs["r0"].items() for d in sorted(docs, key=docs.__getitem__)[-10:]]
    people = [(q, d, c.people[q][d]) for q, d in top]
    with pytest.warns(RankprismWarning, match="are not like a sample with equal chances"):
        judges.score(people, {"j": c.judge}, c.runs, "P@10")


def test_files_with_a_column_of_probabilities_are_read(tmp_path: Path) -> None:
    c = made()
    chosen = judges.select(c.runs, {"j": c.judge}, "P@10", budget=200)
    rows = labelled(c, chosen.pairs)
    expected = judges.score(rows, {"j": c.judge}, c.runs, "P@10").means
    path = tmp_path / "people.tsv"
    path.write_text(
        "topic\tdoc\tgrade\tprobability\n" + "".join("\t".join(map(str, r.values())) + "\n" for r in rows)
    )
    assert judges.score(path, {"j": c.judge}, c.runs, "P@10").means == pytest.approx(expected)
    drawn = tmp_path / "drawn.tsv"
    drawn.write_text(chosen.to_tsv())
    people = [(r["topic"], r["doc"], r["grade"]) for r in rows]
    assert judges.score(people, {"j": c.judge}, c.runs, "P@10", drawn=drawn).means == pytest.approx(expected)


def test_a_sample_from_some_topics_only_is_noted() -> None:
    c = made(docs=30)
    rng = np.random.default_rng(3)
    pairs = [(q, d) for q, docs in c.people.items() for d in docs]

    def drawn_from(some: list[tuple[str, str]]) -> list[tuple[str, str, int]]:
        return [(q, d, c.people[q][d]) for q, d in (some[i] for i in rng.permutation(len(some))[:150])]

    half = [(q, d) for q, d in pairs if q in list(c.people)[:10]]
    with pytest.warns(RankprismWarning, match="some topics have too many of them and others too few"):
        judges.score(drawn_from(half), {"j": c.judge}, c.runs, "P@10")
    judges.score(drawn_from(pairs), {"j": c.judge}, c.runs, "P@10")


def test_a_judge_of_another_collection_is_refused() -> None:
    """Its topics would be in the pool, so all scores would be half as high."""
    c = made()
    other = {"x" + q: docs for q, docs in c.judge.items()}
    rows = labelled(c, judges.select(c.runs, {"j": c.judge}, "P@10", budget=200).pairs)
    with pytest.raises(InputError, match="judge 'other' has labelled no document that a run ranks"):
        judges.score(rows, {"j": c.judge, "other": other}, c.runs, "P@10")
    with pytest.raises(InputError, match="judge 'other' has labelled no document that a run ranks"):
        judges.score(rows, {"j": c.judge, "other": other}, c.runs, "P@10", pool=c.people)
    with pytest.raises(InputError, match="judge 'other' has labelled no document that a run ranks"):
        judges.select(c.runs, {"j": c.judge, "other": other}, "P@10", budget=200)
    with pytest.warns(RankprismWarning, match="no run has documents for 20 of 40 topics of the pool"):
        judges.score(rows, {"j": c.judge | other}, c.runs, "P@10")


def test_what_select_returns_is_taken_as_it_is() -> None:
    c = made()
    chosen = judges.select(c.runs, {"j": c.judge}, "P@10", budget=200)
    people = [(p.topic, p.doc, c.people[p.topic][p.doc]) for p in chosen.pairs]
    by_pairs = judges.score(people, {"j": c.judge}, c.runs, "P@10", drawn=chosen.pairs)
    by_result = judges.score(people, {"j": c.judge}, c.runs, "P@10", drawn=chosen)
    assert (by_pairs.values == by_result.values).all()
    more = judges.select(c.runs, {"j": c.judge}, "P@10", budget=300, after=chosen)
    assert {p.batch for p in more.pairs} == {1, 2}


def test_probabilities_have_few_digits_and_are_the_ones_used_for_drawing() -> None:
    c = made()
    pairs = judges.select(c.runs, {"j": c.judge}, "P@10", budget=200).pairs
    assert all(float(f"{p.probability:.6g}") == p.probability for p in pairs)


def test_select_tells_what_it_drew_when_it_writes_a_file(
    cli: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    c = made()
    paths = {"judge.qrels": c.judge, "people.qrels": c.people}
    for name, grades in paths.items():
        lines = [f"{q} 0 {d} {g}\n" for q, docs in grades.items() for d, g in docs.items()]
        (tmp_path / name).write_text("".join(lines))
    for name, run in c.runs.items():
        lines = [f"{q} Q0 {d} 1 {s} {name}\n" for q, docs in run.items() for d, s in docs.items()]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    runs = sorted(tmp_path.glob("*.run"))
    by = ("--judge", f"j={tmp_path / 'judge.qrels'}", "-m", "P@10", "--order", "score")
    one = cli("judges", "select", *runs, *by, "--budget", 200, "-o", tmp_path / "one.tsv")
    assert re.fullmatch(r"\d+ of 1200 pairs, \d+ of them in batch 1\.\n", one.stderr)
    assert one.stdout == ""
    pairs = [line.split("\t")[:2] for line in (tmp_path / "one.tsv").read_text().splitlines()[1:]]
    lines = [f"{q} 0 {d} {c.people[q][d]}\n" for q, d in pairs]
    (tmp_path / "some.qrels").write_text("".join(lines))
    more = ("--after", tmp_path / "one.tsv", "--people", tmp_path / "some.qrels", "--settled", 0.02)
    two = cli("judges", "select", *runs, *by, "--budget", 400, *more, "-o", tmp_path / "two.tsv")
    assert re.search(r"differences are settled at 0\.02: [\d.]+ % by P@10\.", two.stderr)
