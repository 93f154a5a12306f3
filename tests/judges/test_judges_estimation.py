"""Estimates from few labels: all samples of a small pool, effects of labels, and predictions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from rankprism import (
    Collection,
    evaluate,
    judges,
    parse,
    read_judgments,
    sample,
)
from rankprism.judging.judges import prediction, rescoring
from rankprism.judging.judges.effects import Effects, effects, sum_of
from rankprism.judging.judges.estimation import Sample, estimated
from rankprism.judging.judges.labels import Labels, joined
from rankprism.judging.judges.pool import Ranked
from rankprism.judging.judges.prediction import Predicted
from rankprism.judging.judges.scoring import Study
from rankprism.judging.judges.second_order import has_second_order, with_others

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
    ranked = Ranked.of(labels, Collection.of(labels.pairs, TINY_RUNS).aligned())
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
        monkeypatch.setattr(f"rankprism.judging.judges.{module}.drawn", every)
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
    monkeypatch.setattr("rankprism.judging.judges.second_order.PAIRS", 2)  # of three
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
    ranked = Ranked.of(labels, Collection.of(labels.pairs, runs).aligned())
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
        study = Study(replace(labels, people=people), ranked, Sample(drawn, pi, fold), 0)
        likely = np.prod(np.where(drawn, pi, 1 - pi))
        for informative in means:
            estimate, _ = study.estimate(parse(name), predicted, informative)
            means[informative] += likely * estimate.value.item()
    assert means[False] == pytest.approx(truth, abs=1e-12)
    assert abs(means[True] - truth) > 0.01


def test_which_measures_are_linear_follows_from_their_parts() -> None:
    linear = {"P@10", "P(rel=2)@10", "DCG@10", "RBP(p=0.8)", "P"}
    for name in (*linear, *MEASURES):
        form = sum_of(parse(name))
        expected = name in linear or name in ("P(rel=2)@3", "DCG@3")
        assert (form is not None and form.is_linear) == expected, name


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


@pytest.mark.parametrize("rare", [False, True], ids=["a noisy judge", "a judge that finds the few relevant"])
def test_the_model_is_that_of_a_general_optimiser(rare: bool) -> None:
    from scipy.optimize import minimize

    rng = np.random.default_rng(3)
    n, p, K, groups = (300 if rare else 60), 3, 2, 4
    # Cells of several aspects are listed document by document, so those of a group are not side by side.
    x, group = rng.normal(size=(n, p)), rng.integers(groups, size=n)
    label = np.digitize(x[:, 0] + rng.normal(size=n), [-0.3, 0.8])
    if rare:  # Whole steps of Newton's method lead to slopes of a hundred and more.
        label = (rng.random(n) < 0.04).astype(int) * rng.integers(1, 3, n)
        x[:, 0] = (label - label.mean()) / label.std()
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
