"""Agreement, cycles, the description of preferences, Bradley–Terry, and the order that Compat reads."""

from __future__ import annotations

import gzip
import itertools
import json
import math
import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from subprocess import CompletedProcess

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import kendalltau

from rankprism import InputError, RankprismWarning, evaluate, read_preferences, sample
from rankprism.arrays import Bools, Floats
from rankprism.preferences.agreement import (
    alpha_of,
    answers,
    cohen_kappa,
    coincidences,
    kappa_of,
    krippendorff_alpha,
    label_alpha_of,
)
from rankprism.preferences.bradley_terry import covariance, fit, order, strengths
from rankprism.preferences.cycles import Cycles, contradictions, order_of
from rankprism.preferences.description import describe
from rankprism.types import Decider

Row = tuple[str, str, str, str, str, str]


def some_rows(seed: int, judgments: int = 60) -> list[Row]:
    rng = random.Random(seed)
    rows = []
    for _ in range(judgments):
        a, b, z = rng.sample("abcdef", 3)
        outcome = rng.choices(["left", "right", "tie"], [3 if a < b else 1, 1 if a < b else 3, 1])[0]
        rows.append((rng.choice("qr"), rng.choice(["", z]), a, b, outcome, rng.choice(["ann", "ben", "eva"])))
    return rows


# ── agreement ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("coders", "alpha"),
    [  # K. Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), examples B and C
        (["aabbdcccedda", "babbbccceddd"], 0.692),
        (
            [
                "123321412...",
                "1233224125.3",
                ".3332342251.",
                "12332441251.",
            ],
            0.743,
        ),
    ],
)
def test_alpha_equals_krippendorffs_examples(coders: list[str], alpha: float) -> None:
    categories = sorted({c for coder in coders for c in coder} - {"."})
    units = [[c for c in unit if c != "."] for unit in zip(*coders, strict=True)]
    counts = np.array([[unit.count(c) for c in categories] for unit in units if len(unit) > 1], dtype=float)
    found = krippendorff_alpha(coincidences(counts).sum(0))
    assert abs(float(found) - alpha) < 5e-4


def test_ordinal_alpha_equals_krippendorffs_example() -> None:
    """K. Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), example D with the data of C."""
    coders = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]
    units = [[int(c) - 1 for c in unit if c != "."] for unit in zip(*coders, strict=True)]
    found = label_alpha_of(units, labels=5, resamples=200, seed=0)
    assert abs(found.value - 0.815) < 5e-4
    assert found.low < found.value < found.high
    assert found.units == 11  # the last unit has one answer


@given(st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=4), min_size=1, max_size=8))
def test_ordinal_alpha_equals_its_definition(units: list[list[int]]) -> None:
    """Exact, from the pairs of answers: the distance of two labels counts the answers between them."""
    judged = [unit for unit in units if len(unit) > 1]
    n = Counter(c for unit in judged for c in unit)

    def distance(c: int, k: int) -> Fraction:
        low, high = sorted((c, k))
        return (sum(n[g] for g in range(low, high + 1)) - Fraction(n[c] + n[k], 2)) ** 2

    total = sum(n.values())
    observed = sum(
        Fraction(1, len(unit) - 1) * distance(c, k) for unit in judged for c, k in permutations(unit, 2)
    )
    expected = sum(n[c] * n[k] * distance(c, k) for c in n for k in n)
    found = label_alpha_of(units, labels=4, resamples=10, seed=0)
    assert found.units == len(judged)
    if expected:
        assert found.value == pytest.approx(float(1 - (total - 1) * observed / expected), abs=1e-12)
    else:
        assert math.isnan(found.value)


def test_kappa_by_hand() -> None:
    """Of 50, both say yes to 20 and no to 15: p_o = .7, p_e = .5 · .6 + .5 · .4 = .5, κ = .4."""
    assert float(cohen_kappa(np.array([[20.0, 5.0], [10.0, 15.0]]))) == pytest.approx(0.4)
    assert math.isnan(cohen_kappa(np.array([[3.0, 0.0], [0.0, 0.0]])))


def test_agreement_of_preferences_by_hand() -> None:
    """ann and ben agree on two of three pairs, whichever side a document stood on."""
    rows = [
        ("q", "", "a", "b", "left", "ann"),
        ("q", "", "b", "a", "right", "ben"),
        ("q", "", "c", "d", "right", "ann"),
        ("q", "", "c", "d", "right", "ben"),
        ("q", "", "e", "f", "left", "ann"),
        ("q", "", "e", "f", "right", "ben"),
        ("q", "", "x", "y", "left", "ann"),  # nobody else judged it
    ]
    units = answers(read_preferences(rows))
    # Sides are swapped half of the time, so p_e = ½ and κ = (⅔ - ½) / ½.
    kappa = kappa_of(units, 0, 1, 100, 0)
    assert kappa.value == pytest.approx(1 / 3)
    assert kappa.units == 3
    # D_o = ⅓ of 6 answers; D_e = 2 · 3 · 3 / (6 · 5) = .6; α = 1 - (1/3) / .6.
    alpha = alpha_of(units, 100, 0)
    assert alpha.value == pytest.approx(1 - (1 / 3) / 0.6)
    assert alpha.units == 3
    assert alpha.low <= alpha.value <= alpha.high == 1


def test_agreement_knows_no_sides_names_or_order_of_lines() -> None:
    rows = some_rows(1)
    expected = describe(rows, resamples=50)
    rename = dict(zip("abcdef", "fbedca", strict=True)) | {"": ""}
    mirror = {"left": "right", "right": "left", "tie": "tie"}
    others = {
        "lines": random.Random(2).sample(rows, len(rows)),
        "sides": [
            (t, z, b, a, mirror[x], w) if i % 2 else (t, z, a, b, x, w)
            for i, (t, z, a, b, x, w) in enumerate(rows)
        ],
        "names": [(t, rename[z], rename[a], rename[b], x, w) for t, z, a, b, x, w in rows],
    }
    for change, changed in others.items():
        found = describe(changed, resamples=50)
        assert found.alpha == expected.alpha, change
        assert found.topics == expected.topics, change
        for pair, kappa in expected.kappa.items():
            assert found.kappa[pair] == kappa, change


def test_an_assessor_who_repeats_a_judgment_counts_once() -> None:
    rows = some_rows(3)
    assert describe(rows * 3, resamples=50).alpha == describe(rows, resamples=50).alpha


def test_perfect_and_opposite_assessors() -> None:
    pairs = enumerate(itertools.combinations("abcde", 2))
    turned = {"left": "right", "right": "left"}
    rows = [("q", "", a, b, "left" if i % 2 else "right", "ann") for i, (a, b) in pairs]
    same = [(*row[:5], "ben") for row in rows]
    opposite = [(*row[:4], turned[row[4]], "ben") for row in rows]
    agreed, opposed = describe(rows + same), describe(rows + opposite)
    assert (agreed.alpha.value, agreed.kappa["ann", "ben"].value) == (1, 1)
    assert opposed.kappa["ann", "ben"].value == -1
    assert opposed.alpha.value < -0.8


def test_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    """Two assessors who answer independently have κ = 0."""
    rng = random.Random(5)
    inside = 0
    for trial in range(100):
        rows = [
            ("q", "", f"d{i}", f"e{i}", rng.choice(["left", "right"]), who)
            for i in range(60)
            for who in ("ann", "ben")
        ]
        kappa = kappa_of(answers(read_preferences(rows)), 0, 1, 400, trial)
        inside += kappa.low <= 0 <= kappa.high
    assert 88 <= inside <= 99


# ── cycles ───────────────────────────────────────────────────────────────────────────────────────


def defined_order(better: Bools) -> Cycles:
    n = len(better)
    met = better | better.T
    triads = [
        t
        for t in itertools.combinations(range(n), 3)
        if all(met[i, j] for i, j in itertools.combinations(t, 2))
    ]
    cyclic = [
        t
        for t in triads
        if any(better[i, j] and better[j, k] and better[k, i] for i, j, k in itertools.permutations(t))
    ]
    on_cycle = 0
    for start in range(n):
        seen, todo = set(), [start]
        while todo:
            for j in np.flatnonzero(better[todo.pop()]).tolist():
                if j not in seen:
                    seen.add(j)
                    todo.append(j)
        on_cycle += start in seen
    return Cycles(len(triads), len(cyclic), on_cycle)


@pytest.mark.parametrize("share", [0.2, 0.5, 1.0])
def test_triads_and_cycles_are_those_that_one_can_count(share: float) -> None:
    rng = np.random.default_rng(int(10 * share))
    for n in (1, 3, 5, 9):
        above = rng.random((n, n)) < 0.7
        met = np.triu(rng.random((n, n)) < share, 1)
        better = (met & above) | (met & ~above).T
        winner, loser = np.nonzero(better)
        assert order_of(winner, loser, n) == defined_order(better)


def test_contradictions_are_pairs_that_one_assessor_judged_differently() -> None:
    rows = [
        ("q", "", "a", "b", "left", "ann"),
        ("q", "", "b", "a", "right", "ann"),  # the same again
        ("q", "", "a", "c", "left", "ann"),
        ("q", "", "a", "c", "right", "ann"),
        ("q", "", "a", "c", "tie", "ann"),  # one pair, whatever the number of answers
        ("q", "", "a", "c", "right", "ben"),  # somebody else
        ("q", "d", "a", "b", "right", "ann"),  # given something else
        ("r", "", "a", "b", "right", "ann"),  # another topic
    ]
    preferences = read_preferences(rows)
    assert contradictions(preferences, np.arange(len(rows))) == 1


def test_cycles_are_reported_and_not_refused() -> None:
    rows = [
        ("q", "", "a", "b", "left"),
        ("q", "", "b", "c", "left"),
        ("q", "", "c", "a", "left"),
        ("q", "", "a", "c", "tie"),
    ]
    found = describe(rows)
    assert found.topics["q"].order == Cycles(1, 1, 3)
    assert found.topics["q"].contradictions == 1
    assert len(found.notes) == 2
    assert "documents are in a circle (a before b before c before a) in: q." in str(found)
    # After another document it is another order.
    assert (
        describe([(t, "z" if a == "c" else "", a, b, x) for t, _, a, b, x in rows]).topics["q"].order
        == Cycles()
    )


# ── the description ──────────────────────────────────────────────────────────────────────────────


def test_a_description_counts_what_is_there() -> None:
    rows = [
        ("q", "", "a", "b", "left", "ann"),
        ("q", "a", "b", "c", "tie", "ben"),
        ("q", "a b", "c", "d", "right", "ben"),
        ("r", "", "a", "b", "left", "ann"),
    ]
    runs = {"one": {"q": {"a": 3, "b": 2, "x": 1}, "r": {"x": 2, "y": 1}}, "two": {"q": {"b": 1}}}
    found = describe(rows, runs, cutoff=3)
    assert found.topics["q"].facts == {
        "documents": 4,
        "pairs": 1,
        "triplets": 1,
        "longer": 1,
        "ties": 1,
        "assessors": 2,
        "contradictions": 0,
        "triads": 0,
        "cyclic": 0,
        "in_cycles": 0,
    }
    assert found.by_assessor["ann"].documents == 4  # two in each topic
    # q: 2 of 3 documents, 1 of 3 pairs, b given a of 3 pairs; r: nothing of 2 documents and a pair.
    one = found.runs["one"]
    assert (one.documents, one.pairs, one.given) == pytest.approx((1 / 3, 1 / 6, 1 / 6))
    two = found.runs["two"]
    assert (two.documents, two.pairs, two.given) == (1, 0, 0)
    assert "No pair was judged by two assessors" in str(found)
    facts = {(row["part"], row["name"], row["fact"]): row["value"] for row in found.rows.records()}
    assert facts["topic", "q", "longer"] == 1
    assert facts["run", "one", "documents"] == pytest.approx(1 / 3)
    assert facts["agreement", "all", "units"] == 0
    with pytest.raises(InputError, match="at least 1"):
        describe(rows, cutoff=0)


def test_describe_works_from_a_terminal(cli: Callable[..., CompletedProcess[str]], tmp_path: Path) -> None:
    out = tmp_path / "d.json"
    result = cli("preferences", "describe", sample.PREFERENCES, sample.RUNS[0], "-k", "5", "-o", out)
    assert (result.returncode, result.stderr) == (0, "")
    rows = json.loads(out.read_text())["rows"]
    expected = describe(sample.PREFERENCES, [sample.RUNS[0]], cutoff=5)
    assert [row for row in rows if row["fact"] == "Krippendorff's alpha"] == [
        {
            "part": "agreement",
            "name": "all",
            "fact": "Krippendorff's alpha",
            "value": expected.alpha.value,
            "low": expected.alpha.low,
            "high": expected.alpha.high,
        }
    ]
    result = cli("preferences", "describe", sample.QRELS)
    assert result.returncode == 2
    assert "may be absolute judgments" in result.stderr
    assert "Traceback" not in result.stderr


# ── Bradley–Terry ────────────────────────────────────────────────────────────────────────────────


def test_strengths_are_where_a_general_optimiser_finds_the_maximum() -> None:
    rng = np.random.default_rng(4)
    wins = rng.integers(0, 3, (6, 6)).astype(np.float64) / 2
    np.fill_diagonal(wins, 0)
    wins[:, 5] = wins[5] = 0  # a document that nobody judged

    def loss(theta: Floats) -> float:
        pairs = (wins * np.logaddexp(0, theta[None, :] - theta[:, None])).sum()
        return float(pairs + 0.35 * (np.logaddexp(0, theta) + np.logaddexp(0, -theta)).sum())

    best = minimize(loss, np.zeros(6), tol=1e-12)
    theta = fit(wins, 0.7)
    np.testing.assert_allclose(theta, best.x, atol=1e-5)
    assert theta[5] == 0
    step = 1e-4
    hessian: Floats = np.array(
        [
            [
                (loss(theta + i + j) - loss(theta + i - j) - loss(theta - i + j) + loss(theta - i - j))
                / (4 * step**2)
                for j in step * np.eye(6)
            ]
            for i in step * np.eye(6)
        ]
    )
    np.testing.assert_allclose(covariance(theta, wins, 0.7), np.linalg.inv(hessian), rtol=1e-4, atol=1e-5)


def test_without_a_prior_two_documents_are_apart_by_their_odds() -> None:
    theta = fit(np.array([[0.0, 3.0], [1.0, 0.0]]), 1e-9)
    assert theta[0] - theta[1] == pytest.approx(math.log(3), abs=1e-6)


def test_documents_that_always_won_or_were_never_compared_have_finite_strengths() -> None:
    rows = [("q", "", "a", "b", "left")] * 50 + [("q", "", "c", "d", "right")]
    with pytest.warns(RankprismWarning, match="fall into 2 parts"):
        (one,) = strengths(rows).topics.values()
    with pytest.warns(RankprismWarning, match="fall into 2 parts"):
        fewer = strengths(rows[:1] * 2 + rows[50:]).topics["q"]
    assert one.docs == ("a", "d", "c", "b")
    assert np.isfinite(one.strength).all()
    assert ((one.low < one.utility) & (one.utility < one.high)).all()
    assert one.judgments.tolist() == [50, 1, 1, 50]
    # More judgments, a narrower interval.
    assert one.error[0] < fewer.error[0] + 1
    with pytest.raises(InputError, match="prior must be above 0"):
        strengths(rows, prior=0)
    with pytest.raises(InputError, match="level must be between"):
        strengths(rows, level=1)


def test_strengths_know_no_order_of_lines_and_an_opposite_turns_them_round() -> None:
    rows = some_rows(6)
    (first, *_), (again, *_) = (
        list(strengths(r).topics.values()) for r in (rows, random.Random(7).sample(rows, len(rows)))
    )
    assert again.docs == first.docs
    assert again.strength.tolist() == first.strength.tolist()
    mirror = {"left": "right", "right": "left", "tie": "tie"}
    turned = strengths([(*row[:4], mirror[row[4]], row[5]) for row in rows]).topics
    for topic, one in strengths(rows).topics.items():
        own = dict(zip(turned[topic].docs, turned[topic].strength, strict=True))
        np.testing.assert_allclose([-own[doc] for doc in one.docs], one.strength, atol=1e-8)


def test_triplets_speak_where_there_are_no_pairs() -> None:
    pairs = [("q", "", "a", "b", "left"), ("q", "c", "a", "b", "right"), ("q", "c", "a", "b", "right")]
    assert strengths(pairs).topics["q"].docs == ("a", "b")
    assert strengths(pairs[1:]).topics["q"].docs == ("b", "a")


# ── the order that Compat reads ──────────────────────────────────────────────────────────────────


def test_the_order_of_preference_as_grades() -> None:
    """d and b won half of their comparisons; but d tied with the best document, so it is the stronger one."""
    rows = [
        ("q", "", "a", "b", "left"),
        ("q", "", "b", "c", "left"),
        ("q", "", "d", "a", "tie"),
        ("r", "", "x", "y", "tie"),
    ]
    orders: dict[Decider, dict[str, int]] = {
        "bradley-terry": {"a": 4, "d": 3, "b": 2, "c": 1},
        "wins": {"a": 3, "d": 2, "b": 2, "c": 1},
    }
    for by, expected in orders.items():
        topics, aspects, docs, grades = order(rows, by=by).table.columns()
        assert set(aspects) == {"0"}
        found = {(t, d): g for t, d, g in zip(topics, docs, grades, strict=True)}
        assert found == {("q", d): g for d, g in expected.items()} | {("r", "x"): 1, ("r", "y"): 1}
    with pytest.raises(InputError, match="by must be one of bradley-terry, wins"):
        order(rows, by="votes")  # type: ignore[arg-type]


@pytest.mark.parametrize(("by", "between_systems"), [("bradley-terry", 0.98), ("wins", 0.96)])
def test_compatibility_with_preferences_ranks_systems_as_published(
    collections: Path, by: Decider, between_systems: float
) -> None:
    """TREC DL 2021: compatibility with the order that its authors made of the same 43,939 preferences.

    They order by rounds of a tournament, so documents may differ; the ranking of the systems hardly does.
    """
    folder = collections / "trec-dl-2021-prefs"
    rows = []
    for file in sorted((folder / "pairs").glob("judge.0*.gz")):
        with gzip.open(file, "rt") as lines:
            rows += [(topic, "", winner, loser, "left") for topic, winner, loser in map(str.split, lines)]
    assert len(rows) == 43939
    published: dict[str, list[float]] = {}
    with gzip.open(folder / "expected" / "compatibility.preferences.csv.gz", "rt") as lines:
        for run, topic, value in (line.strip().split(",") for line in lines):
            if topic.isdigit():
                published.setdefault(run, []).append(float(value))
    runs = sorted((folder / "runs").glob("*.gz"))[::2]
    scores = evaluate(order(rows, by=by), runs, "Compat(p=0.9,depth=1000)", order="score-ascending-id")
    means = scores.means[:, 0]
    tau = kendalltau(means, [np.mean(published[run]) for run in scores.runs]).statistic
    assert tau > between_systems


def test_strengths_and_order_work_from_a_terminal(
    cli: Callable[..., CompletedProcess[str]], tmp_path: Path
) -> None:
    result = cli("preferences", "strengths", sample.PREFERENCES, "--format", "csv")
    assert result.returncode == 0
    with pytest.warns(
        RankprismWarning, match=r"fall into 2 parts .* \(3 of 20 topics are like that\)"
    ) as noted:
        assert result.stdout == strengths(sample.PREFERENCES).to_csv()
    assert result.stderr == f"note: {noted[0].message}\n"
    qrels = tmp_path / "order.qrels"
    result = cli("preferences", "order", sample.PREFERENCES, "--by", "wins", "-o", qrels)
    assert result.returncode == 0
    with pytest.warns(RankprismWarning, match="unconnected-documents"):
        ordered = order(sample.PREFERENCES, by="wins")
    expected = evaluate(ordered, sample.RUNS[1], "Compat").mean()
    assert evaluate(qrels, sample.RUNS[1], "Compat").mean() == expected
    result = cli("preferences", "strengths", sample.PREFERENCES, "--prior", "0")
    assert (result.returncode, result.stdout) == (2, "")
    assert "prior must be above 0" in result.stderr
