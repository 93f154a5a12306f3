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
from rankprism.data.arrays import Bools, Floats
from rankprism.judging.preferences.agreement import (
    alpha_of,
    answers,
    cohen_kappa,
    coincidences,
    kappa_of,
    krippendorff_alpha,
    label_alpha_of,
)
from rankprism.judging.preferences.cycles import Cycles, contradictions, order_of
from rankprism.judging.preferences.description import describe
from rankprism.judging.preferences.document_order import order
from rankprism.judging.preferences.document_strengths import strengths
from rankprism.types import Decider, TieModel

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
    found = label_alpha_of(units, labels=5)
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
    found = label_alpha_of(units, labels=4)
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
    kappa = kappa_of(units, 0, 1)
    assert kappa.value == pytest.approx(1 / 3)
    assert kappa.units == 3
    # D_o = ⅓ of 6 answers; D_e = 2 · 3 · 3 / (6 · 5) = .6; α = 1 - (1/3) / .6.
    alpha = alpha_of(units)
    assert alpha.value == pytest.approx(1 - (1 / 3) / 0.6)
    assert alpha.units == 3


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_agreement_knows_no_sides_names_or_order_of_lines() -> None:
    rows = some_rows(1)
    expected = describe(rows)
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
        found = describe(changed)
        assert found.alpha == expected.alpha, change
        assert found.topics == expected.topics, change
        for pair, kappa in expected.kappa.items():
            assert found.kappa[pair] == kappa, change


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_an_assessor_who_repeats_a_judgment_counts_once() -> None:
    rows = some_rows(3)
    assert describe(rows * 3).alpha == describe(rows).alpha


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


def test_few_units_have_no_interval_and_a_note() -> None:
    """They had intervals of width 0 in 100 of 250 studies."""
    pairs = list(itertools.combinations("abcdef", 2))

    def judged(units: int) -> list[Row]:
        sides = [(a, b, "left") if n % 2 else (b, a, "right") for n, (a, b) in enumerate(pairs[:units])]
        return [("q", "", *side, who) for side in sides for who in ("ann", "ben")]

    with pytest.warns(
        RankprismWarning,
        match=r"α of all assessors has no .* 10 and κ of 1 pairs of assessors .* 5 .* \[no-interval\]",
    ):
        few = describe(judged(4))
    assert (few.alpha.value, few.kappa["ann", "ben"].value) == (1, 1)
    assert math.isnan(few.alpha.low)
    assert math.isnan(few.kappa["ann", "ben"].high)
    # Five pairs that many people judged hold α in .88 to .90 of the studies, so α needs ten.
    with pytest.warns(RankprismWarning, match=r"α of all assessors has no interval"):
        some = describe(judged(6))
    assert math.isnan(some.alpha.low)
    # Wilson's interval of n agreements in n, on the scale from -1 to 1, with t of n - 1 degrees of freedom.
    t = 2.570582
    assert some.kappa["ann", "ben"].low == pytest.approx((1 - t**2 / 6) / (1 + t**2 / 6), abs=1e-6)
    enough, t = describe(judged(10)), 2.262157
    assert enough.alpha.low == pytest.approx((1 - t**2 / 10) / (1 + t**2 / 10), abs=1e-6)
    assert enough.alpha.high == 1


def test_the_interval_of_kappa_is_wilsons_interval_of_the_agreement() -> None:
    """Without ties κ = 2 p - 1 for the share p of pairs on which both agree."""
    rows = [("q", "", f"d{i}", f"e{i}", "left", who) for i in range(20) for who in ("ann", "ben")]
    rows = [(*row[:4], "right", "ben") if i % 8 == 1 else row for i, row in enumerate(rows)]  # 5 of 20
    kappa = kappa_of(answers(read_preferences(rows)), 0, 1)
    assert kappa.value == pytest.approx(0.5)
    p, t = 0.75, 2.093024
    n = p * (1 - p) / (p * (1 - p) / 19)  # the jackknife divides by n - 1
    middle = (p + t**2 / (2 * n)) / (1 + t**2 / n)
    reach = t * math.sqrt(p * (1 - p) / n + t**2 / (4 * n**2)) / (1 + t**2 / n)
    assert (kappa.low, kappa.high) == pytest.approx((2 * (middle - reach) - 1, 2 * (middle + reach) - 1))


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
def test_triads_and_cycles_are_as_many_as_one_can_count(share: float) -> None:
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


def directly(outcomes: list[tuple[int, int, float]], n: int, prior: float, davidson: bool) -> Floats:
    """θ, and log ν with Davidson's model, by a general optimiser from the probabilities of the outcomes."""

    def loss(x: Floats) -> float:
        nu = math.exp(x[n]) if davidson else 0.0
        value = prior / 2 * (np.logaddexp(0, x[:n]) + np.logaddexp(0, -x[:n])).sum()
        if davidson:
            value -= prior / 2 * (math.log(nu / (2 + nu)) + math.log(2 / (2 + nu)))
        for left, right, outcome in outcomes:
            a, b = math.exp(x[left]), math.exp(x[right])
            tie = nu * math.sqrt(a * b)
            chance = {1.0: a, 0.0: b, 0.5: tie if davidson else math.sqrt(a * b)}[outcome] / (a + b + tie)
            value -= math.log(chance)
        return float(value)

    best = minimize(loss, np.zeros(n + davidson), method="BFGS", options={"gtol": 1e-9})
    return np.asarray(best.x)


@pytest.mark.parametrize("davidson", [False, True])
@pytest.mark.parametrize("prior", [0.0, 0.7])
def test_strengths_are_where_a_general_optimiser_finds_the_maximum(davidson: bool, prior: float) -> None:
    rng = random.Random(4)
    pairs = [rng.sample(range(5), 2) for _ in range(40)]
    outcomes = [(a, b, rng.choice([1.0, 0.0, 0.5])) for a, b in pairs]
    rows = [("q", "", f"d{a}", f"d{b}", {1.0: "left", 0.0: "right", 0.5: "tie"}[x]) for a, b, x in outcomes]
    (part,) = strengths(rows, ties="davidson" if davidson else "half", prior=prior).topics["q"]
    expected = directly(outcomes, 5, prior, davidson)
    found = dict(zip(part.docs, part.strength, strict=True))
    theta = expected[:5] - expected[:5].mean()
    np.testing.assert_allclose([found[f"d{d}"] for d in range(5)], theta, atol=1e-6)
    assert part.nu == pytest.approx(math.exp(expected[5]) if davidson else 0.0, rel=1e-5)


def test_the_covariance_is_the_inverse_curvature_of_strengths_with_the_mean_0() -> None:
    """Fisher's information of n comparisons of two documents with the chance p is n p (1 - p)."""
    rows = [("q", "", "a", "b", "left")] * 30 + [("q", "", "a", "b", "right")] * 10
    (part,) = strengths(rows, prior=0).topics["q"]
    half = math.log(3) / 2
    np.testing.assert_allclose(part.strength, [half, -half], atol=1e-8)
    variance = 1 / (40 * 0.75 * 0.25)  # of the difference
    np.testing.assert_allclose(part.covariance, variance / 4 * np.array([[1, -1], [-1, 1]]), rtol=1e-8)
    (contrast,) = strengths(rows, prior=0).contrasts().summary.records()
    assert contrast["difference"] == pytest.approx(math.log(3), abs=1e-8)
    assert contrast["high"] - contrast["low"] == pytest.approx(2 * 1.959964 * math.sqrt(variance), abs=1e-5)
    z = math.log(3) / math.sqrt(variance)
    assert contrast["p"] == pytest.approx(math.erfc(z / math.sqrt(2)), abs=1e-8)


VOTES = {  # how often the first won, the second won, and neither
    ("ada", "bob"): (13, 7, 4),
    ("bob", "cy"): (9, 11, 0),
    ("cy", "ada"): (5, 14, 3),
    ("dot", "ada"): (3, 8, 0),
    ("dot", "bob"): (4, 9, 6),
    ("cy", "dot"): (10, 6, 0),
}
VOTE_ROWS = [
    ("q", "", left, right, outcome)
    for (left, right), counts in VOTES.items()
    for outcome, number in zip(("left", "right", "tie"), counts, strict=True)
    for _ in range(number)
]


def test_strengths_equal_those_of_choix() -> None:
    import choix

    names = ("ada", "bob", "cy", "dot")
    won = [row for row in VOTE_ROWS if row[4] != "tie"]  # of which choix knows nothing
    numbers = [(names.index(left), names.index(right), outcome) for _, _, left, right, outcome in won]
    data = [(a, b) if outcome == "left" else (b, a) for a, b, outcome in numbers]
    (part,) = strengths(won, prior=0).topics["q"]
    found = dict(zip(part.docs, part.strength, strict=True))
    theirs = choix.opt_pairwise(len(names), data, alpha=0, tol=1e-14)
    np.testing.assert_allclose([found[name] for name in names], theirs, atol=1e-8)


def test_strengths_and_errors_equal_those_of_arena_rank() -> None:
    """arena-rank 0.1.1, BradleyTerry(4, ftol=1e-15, gtol=1e-15).compute_ratings_and_cis with "sandwich".

    Ratings r become strengths by (r - 1000) ln(10) / 400, and lose their mean. Its standard errors are those
    of a sandwich with single judgments, so they are near ours and not equal to them.
    """
    (part,) = strengths(VOTE_ROWS, prior=0).topics["q"]
    order = np.argsort(part.docs)
    theta = [0.606162408512473, -0.040854473109571916, -0.038462880137539575, -0.5268450552653615]
    np.testing.assert_allclose(part.strength[order], theta, atol=1e-8)
    variance = np.array([1243.7127888228283, 958.2759638786666, 1147.1028688134488, 1472.5135937833577])
    theirs = np.sqrt(variance) * math.log(10) / 400
    np.testing.assert_allclose(part.error[order], theirs, rtol=0.03)


def test_errors_fall_with_the_root_of_the_number_of_judgments() -> None:
    """They stayed at 0.9 when the zero of the scale was part of them."""
    few, many = (strengths(VOTE_ROWS * times).topics["q"][0].error for times in (1, 100))
    np.testing.assert_allclose(few / many, 10, rtol=0.05)


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_assessors_with_tastes_widen_the_intervals() -> None:
    """Ann always prefers a, ben always b: forty judgments of two people say little about other people."""
    rows = [("q", "", *pair, "left", who) for who, pair in (("ann", "ab"), ("ben", "ba")) for _ in range(20)]
    (part,) = strengths(rows, prior=0.01).topics["q"]
    (alone,) = strengths([row[:5] for row in rows], prior=0.01).topics["q"]
    # The assessors add 10 and -10 to the gradient. The sum of two such numbers has the variance 2 · 200; that
    # of 40 judgments, of which each adds ½ or -½, has 10.
    assert (alone.excess, part.excess) == pytest.approx((1, 40), rel=0.01)
    assert part.freedom == 1
    (wide,), (narrow,) = (
        strengths(r, prior=0.01).contrasts().summary.records() for r in (rows, [row[:5] for row in rows])
    )
    assert wide["high"] > 10 * narrow["high"]


def test_judgments_that_are_all_ties_leave_doubt() -> None:
    (half,), (davidson,) = (
        strengths([("q", "", "a", "b", "tie")] * 10, ties=ties).topics["q"] for ties in ("half", "davidson")
    )
    assert half.strength.tolist() == davidson.strength.tolist() == [0, 0]
    assert 0.05 < half.error[0] < davidson.error[0]


def test_parts_are_fitted_apart_and_compared_with_nothing() -> None:
    rows = [("q", "", "a", "b", "left")] * 50 + [("q", "", "c", "d", "right")] * 6
    rows += [("q", "z", "e", "a", "left")]  # a triplet, which does not count where there are pairs
    with pytest.warns(RankprismWarning) as caught:
        found = strengths(rows)
    said = [str(warning.message) for warning in caught]
    assert "fall into 2 parts" in said[0]
    assert "one or more documents won or lost every comparison with the others, so only the prior" in said[1]
    assert "1 documents (first 'e') were judged fewer than 5 times" in said[2]
    other, one, rest = found.topics["q"]
    assert (one.docs, other.docs, rest.docs) == (("a", "b"), ("d", "c"), ("e",))
    assert one.judgments.tolist() == [50, 50]
    for part, alone in ((one, rows[:50]), (other, rows[50:56])):
        with pytest.warns(RankprismWarning, match=r"\[unbounded-strengths\]"):
            (expected,) = strengths(alone).topics["q"]
        assert part.strength.tolist() == expected.strength.tolist()
        np.testing.assert_allclose(part.covariance, expected.covariance)
    assert np.isnan(rest.strength).all()
    contrasts = {(row["document"], row["less"]): row for row in found.contrasts().summary.records()}
    assert len(contrasts) == 10
    assert contrasts["a", "b"]["p"] < 0.05
    apart = {pair for pair, row in contrasts.items() if row["difference"] is None}
    assert apart == {*itertools.product("dc", "ab"), *itertools.product("dcab", "e")}
    assert "–: the two documents were never compared" in str(found.contrasts())
    with pytest.warns(RankprismWarning) as caught:
        without = strengths(rows, prior=0)
    assert "would be infinite, and none are printed. Choose a prior above 0" in str(caught[1].message)
    assert np.isnan(without.topics["q"][1].strength).all()
    with pytest.raises(InputError, match="prior must be a number of comparisons, 0 or more"):
        strengths(rows, prior=-1)
    with pytest.raises(InputError, match="level must be between"):
        strengths(rows, level=1)
    with pytest.raises(InputError, match="ties must be one of half, davidson"):
        strengths(rows, ties="drawn")  # type: ignore[arg-type]


@pytest.mark.parametrize("ties", ["half", "davidson"])
@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_strengths_know_no_order_of_lines_and_an_opposite_turns_them_round(ties: TieModel) -> None:
    rows = some_rows(6)
    first, again = (strengths(r, ties=ties) for r in (rows, random.Random(7).sample(rows, len(rows))))
    assert again.to_csv() == first.to_csv()
    mirror = {"left": "right", "right": "left", "tie": "tie"}
    turned = strengths([(*row[:4], mirror[row[4]], row[5]) for row in rows], ties=ties).topics
    for topic, (one,) in first.topics.items():
        (other,) = turned[topic]
        own = dict(zip(other.docs, other.strength, strict=True))
        np.testing.assert_allclose([-own[doc] for doc in one.docs], one.strength, atol=1e-8)


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_triplets_speak_where_there_are_no_pairs() -> None:
    pairs = [("q", "", "a", "b", "left"), ("q", "c", "a", "b", "right"), ("q", "c", "a", "b", "right")]
    assert strengths(pairs).topics["q"][0].docs == ("a", "b")
    assert strengths(pairs[1:]).topics["q"][0].docs == ("b", "a")


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
    with pytest.warns(RankprismWarning) as noted:
        assert result.stdout == strengths(sample.PREFERENCES).to_csv()
    assert result.stderr == "".join(f"note: {one.message}\n" for one in noted)
    assert [str(one.message).rpartition("[")[2] for one in noted] == [
        "unconnected-documents]",
        "unbounded-strengths]",
        "no-interval]",
    ]
    result = cli("preferences", "strengths", sample.PREFERENCES, "--contrasts", "-q", "--format", "csv")
    assert result.stdout.startswith("topic,document,less,difference,error,low,high,p,p (Holm)\n")
    qrels = tmp_path / "order.qrels"
    result = cli("preferences", "order", sample.PREFERENCES, "--by", "wins", "-o", qrels)
    assert result.returncode == 0
    with pytest.warns(RankprismWarning, match="unconnected-documents"):
        ordered = order(sample.PREFERENCES, by="wins")
    expected = evaluate(ordered, sample.RUNS[1], "Compat").mean()
    assert evaluate(qrels, sample.RUNS[1], "Compat").mean() == expected
    result = cli("preferences", "order", sample.PREFERENCES, "--prior", "0")
    assert (result.returncode, result.stdout) == (2, "")
    assert "prior must be above 0" in result.stderr
