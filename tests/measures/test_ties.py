"""Scores over all orders of tied documents: golden cases, all orders of small topics, official runs."""

from __future__ import annotations

import itertools
import math
import random
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankprism import evaluate, read_judgments, read_run
from rankprism.data.arrays import Floats
from rankprism.data.hits import Hits, rankings_of
from rankprism.data.judgments import Judgments
from rankprism.data.reading import Reading
from rankprism.data.run import align
from rankprism.errors import InputError, MeasureError, RankprismWarning
from rankprism.measures import Measure, lookup, names, parse
from rankprism.measures.composition import DISCOUNTS, DIVISORS, NOVELTIES, compose, mix
from rankprism.measures.declare import measure as declared_measure
from rankprism.measures.folds import FOLDS
from rankprism.measures.known.prf import COMBINATIONS
from rankprism.measures.parameter import Role
from rankprism.measures.parts import GAINS
from rankprism.measures.preferences.utility import UNSEEN
from rankprism.measures.ties import lattice, orders, scores
from tests.support import all_scores

pytestmark = pytest.mark.filterwarnings("ignore::rankprism.errors.RankprismWarning")

Groups = Sequence[Sequence[str]]


def run_of(groups: Groups) -> dict[str, dict[str, float]]:
    """A run of one topic in which the documents of each group have the same score."""
    return {"q": {doc: -float(score) for score, group in enumerate(groups) for doc in group}}


def over_orders(judged: Any, groups: Groups, measure: Any, **settings: Any) -> list[float]:
    """The lowest, the expected and the highest score."""
    found = evaluate(judged, run_of(groups), measure, tied="all", **settings)
    return [float(value) for value in found.values[0, 0]]


# ── golden cases, worked in fractions and by listing all orders ──────────────────────────────────

G1 = ({"q": {"a": 1, "b": 1, "c": 0, "d": 0, "z": 1}}, ["c", "abdx"], None)
G2 = ({"q": {"a": 3, "b": 1, "c": 0, "z": 2}}, ["abcx"], None)
TWO = {"q": {"s1": {"a": 1, "b": 1, "d": 1, "z": 1}, "s2": {"b": 1, "c": 1, "z": 0}}}
G3 = (TWO, ["abcx", "d"], {"q": {"s1": 0.75, "s2": 0.25}})
G4 = (TWO, ["abcx", "d"], None)
#: a over b, b over c; after a: b over c; after b: a and c tied; after c: b over a
PEOPLE = [
    *(("q", "", "a", "b", "left"), ("q", "", "b", "c", "left"), ("q", "a", "b", "c", "left")),
    *(("q", "b", "a", "c", "tie"), ("q", "c", "b", "a", "left")),
]
G5 = (PEOPLE, ["abc"], None)
#: No ranking has an Accuracy on the second aspect, which has no relevant document and does not count.
G6 = ({"q": {"s1": {"a": 1, "b": 0}, "s2": {"a": 0, "b": 0}}}, ["ab"], None)
#: Runs as groups, best first; for each measure the expectation, the lowest and the highest score.
GOLDEN = {
    "P@3": (G1, "1/3 0 2/3"),
    "R@3": (G1, "1/3 0 2/3"),
    "Success@2": (G1, "1/2 0 1"),
    "RR": (G1, "29/72 1/4 1/2"),
    "RR@3": (G1, "13/36 0 1/2"),
    "AP": (G1, "317/1080 13/60 7/18"),
    "AP@3": (G1, "17/108 0 7/18"),
    "Rprec": (G1, "1/3 0 2/3"),
    "RBP(p=0.5)": (G1, "15/64 3/32 3/8"),
    "Bpref": (G1, "1/6 0 1/3"),
    "Judged@3": (G1, "5/6 2/3 1"),
    "Q@3": (G2, "895/3024 1/21 11/18"),
    "Q(beta=0)": (G2, "49/108 5/18 2/3"),
    "GAP": (G2, "173/432 2/9 2/3"),
    "nGAP@2": (G2, "19/60 0 4/5"),
    "ERR@3": (G2, "2063/9216 1/48 233/512"),
    "nERR@3": (G2, "8252/18423 256/6141 1864/2047"),
    "RBP(p=0.5,gain='probability')": (G2, "15/64 9/128 15/32"),
    "Compat(p=0.5)": (G2, "18/59 14/177 142/177"),
    "P_plus": (G2, "1285/2016 17/42 1"),
    "P_plus@2": (G2, "137/288 0 1"),
    "NRBP": (G3, "319/512 171/512 459/512"),
    "ERR_IA@3": (G3, "59/96 9/32 59/64"),
    "ERR_IA(gain='probability')@3": (G3, "59/144 3/16 59/96"),
    "RBU(p=0.5,e=0.25)": (G3, "-103/3072 -149/1024 67/1024"),
    "StRecall@2": (G3, "5/6 1/2 1"),
    "StRecall(weighted=True)@1": (G3, "1/2 0 1"),
    "S_RR": (G3, "41/72 1/3 1"),
    "P_at_recall": (G3, "61/72 1/2 1"),
    "CT(gain='binary',saturation=2)@3": (G3, "59/72 3/8 59/48"),
    "AP_IA": (G3, "1549/2880 63/160 167/240"),
    "CAM(RR)": (G3, "13/18 3/8 1"),
    "Accuracy_IA": (G6, "1/2 0 1"),
    "NuggetAll@2": (G3, "5/6 1/2 1"),
    "MM(P@2)": (G3, "83/210 0 4/5"),
    "WS_precision": (G3, "173/240 1/2 1"),
    "D_Q(gain='binary')@3": (G4, "101/168 12/35 1"),
    "D_nERR(gain='binary')@3": (G4, "461/684 6/19 1"),
    "D_EBR(gain='binary')@3": (G4, "6541/13440 123/560 23/32"),
    "D_RBP(p=0.5,gain='binary')@3": (G4, "7/16 3/16 11/16"),
    "D_iRBU(p=0.5,gain='binary')@3": (G4, "595/3072 11/128 75/256"),
    "Prf(theta=0.5,combine='mean')@3": (G5, "11/16 1/8 41/32"),
    "Prf(theta=0.5,combine='min')@3": (G5, "2/3 1/8 5/4"),
    "Prf(theta=0.5,combine='product')@3": (G5, "2/3 1/8 5/4"),
    "ppref": (G5, "1/2 0 1"),
    "prefs_simp": (G5, "1/2 0 1"),
    "ppref@1": (G5, "1/2 0 1"),
}


@pytest.mark.parametrize("measure", GOLDEN)
def test_golden_cases_come_out_as_fractions(measure: str) -> None:
    (judged, groups, weights), figures = GOLDEN[measure]
    expected, low, high = map(float, map(Fraction, figures.split()))
    found = over_orders(judged, groups, measure, weights=weights)
    assert found == pytest.approx([low, expected, high], rel=0, abs=1e-15)


@pytest.mark.parametrize(
    ("judged", "groups", "measure", "expected", "descending", "other"),
    [
        ({"q": {"a": 1, "b": 2, "n": 0, "m": 0, "o": 0}}, ["n", "m", "o", "ab"],
         "CT(gain='linear',saturation=2,alpha=0)", "23/40", "1/2", "13/20"),
        ({"q": {"T": 2, "B": 1, "n": 0}}, ["n", "m", "TB"], "P_plus(beta=0)", "3/8", "1/3", "5/12"),
        ({"q": {"r": 1, "s": 1, "u": -1}}, ["r", "x", "su"], "infAP",
         "512509/600012", "500009/600012", "175003/200004"),
        ({"q": {"s": {"a": 1, "b": 2}}}, ["n", "m", "o", "ab"], "D_EBR(beta=0,gain='linear')",
         "17/72", "19/90", "47/180"),
    ],
)  # fmt: skip
def test_the_highest_score_is_found_where_descending_grades_are_not_the_best_order(
    judged: Any, groups: Groups, measure: str, expected: str, descending: str, other: str
) -> None:
    figures = [float(Fraction(text)) for text in (descending, expected, other)]
    assert over_orders(judged, groups, measure) == pytest.approx(figures, rel=0, abs=1e-15)


def test_irrational_and_large_golden_cases() -> None:
    judged, groups, weights = G3
    assert over_orders(judged, groups, "alpha_DCG@2", weights=weights)[1] == pytest.approx(
        0.5799374888560438, abs=1e-15
    )
    # One relevant document among 1,000: the expected reciprocal rank is H_1000 / 1000.
    docs = [f"d{n}" for n in range(1000)]
    assert over_orders({"q": {"d500": 1}}, [docs], "RR") == pytest.approx(
        [0.001, math.fsum(1 / i for i in range(1, 1001)) / 1000, 1.0], rel=1e-14
    )
    # scikit-learn 1.9.1: dcg_score([[10, 0, 0, 1, 5]], [[1, 1, 1, 1, 1]])
    assert over_orders({"q": {"a": 10, "b": 0, "c": 0, "d": 1, "e": 5}}, ["abcde"], "DCG")[
        1
    ] == pytest.approx(9.435069180414054, rel=1e-15)


def test_a_small_share_of_decay_keeps_its_digits() -> None:
    """A difference of two means over α would have only four digits left at α = 1e-12."""
    judged = {"q": {"s": dict.fromkeys("abc", 1)}}
    for alpha in (0.0, 1e-12, 1e-8, 0.3, 1.0):
        q = 1 - Fraction(alpha)
        beta = Fraction(1, 2)
        # 3 of 4 tied documents are relevant: the hypergeometric chances are thirds.
        above = [Fraction(1), (1 + 2 * q) / 3, (2 * q + q * q) / 3, q * q]
        expected = (1 - q * beta) * sum(Fraction(3, 4) * beta**j * left for j, left in enumerate(above))
        found = over_orders(judged, ["abcx"], f"NRBP(alpha={alpha},beta=0.5)")[1]
        assert found == pytest.approx(float(expected), rel=4e-15)


# ── all orders of small topics, scored one by one ────────────────────────────────────────────────

#: What the combining measures are put around.
INSIDE = (
    *("AP", "nDCG@3", "RR@2", "ERR(gain='probability')@4", "Compat", "Q@3", "P@2", "GAP", "Rprec"),
    *("AP(judged_only=True)", "RBP(gain='linear')", "P_plus@3", "infAP", "Bpref"),
)
AROUND = {
    "Aspect": ["Aspect({},aspect='helpful')"],
    "Contrast": ["Contrast({},good='helpful',bad='harmful')"],
    "Reached": ["Reached({})", "Reached({},mean='harmonic')"],
    "TOMA": ["TOMA({})", "TOMA({},distance='manhattan',weighted=True)"],
}


def every_measure(needs: str, aspects: int) -> list[Measure]:
    """Every measure of the catalogue, with each of its parameters changed."""
    found: list[Measure] = []
    for name in names():
        measure = lookup(name)
        is_own = measure.definition.module.startswith("rankprism.") and measure.definition.recipe is None
        if measure.needs != needs or not is_own:
            continue
        if Role.INNER not in measure.definition.roles:
            found += [one for one in all_scores.variants(measure) if one.given(Role.CUTOFF) is None]
        elif name != "Contrast" or aspects > 1:
            found += [parse(form.format(m)) for m in INSIDE for form in AROUND.get(name, [f"{name}({{}})"])]
    return found


def random_groups(rng: random.Random, ranked: list[str], most: int) -> list[list[str]]:
    """The documents in groups that have at most this number of orders."""
    groups: list[list[str]] = []
    left = list(ranked)
    while left:
        size = rng.choice((1, 1, 2, 3, 4, 5, 6))
        while math.factorial(size) > most:
            size -= 1
        groups.append(left[:size])
        left = left[size:]
        most //= math.factorial(len(groups[-1]))
    return groups


def all_runs(groups: Groups) -> dict[str, dict[str, dict[str, float]]]:
    """Every order of the groups as a run of its own."""
    every = itertools.product(*map(itertools.permutations, groups))
    return {f"run {n}": run_of([[doc] for group in one for doc in group]) for n, one in enumerate(every)}


def random_topic(seed: int) -> tuple[Judgments, list[list[str]], int]:
    """Up to three aspects with grades from -1 to 3, unjudged documents, and a ranking in groups."""
    rng = random.Random(seed)
    aspects = ("helpful", "harmful", "readable")[: rng.choice((1, 1, 2, 2, 3))]
    docs = [f"d{n}" for n in range(rng.randint(3, 8))]
    judged = {
        aspect: {doc: rng.choice((-1, 0, 0, 1, 1, 2, 3)) for doc in docs if rng.random() < 0.75} | {"nil": 0}
        for aspect in aspects
    }
    judged[aspects[0]][rng.choice(docs)] = rng.choice((1, 2))
    ranked = [doc for doc in docs if rng.random() < 0.85] + [f"x{n}" for n in range(rng.randint(0, 3))]
    rng.shuffle(ranked)
    weights = None
    if len(aspects) > 1 and rng.random() < 0.5:
        drawn = [rng.choice((0.25, 0.5, 1.0, 2.0)) for _ in aspects]
        weights = {"q": {aspect: x / sum(drawn) for aspect, x in zip(aspects, drawn, strict=True)}}
    read = read_judgments({"q": judged}, weights=weights)
    if len(aspects) > 1 and seed % 3 == 0:
        read = replace(read, navigational=np.array([rng.random() < 0.5 for _ in read.aspects["q"]]))
    return read, random_groups(rng, ranked[:8], 720), len(aspects)


def possible(judged: Any, run: Any, measures: Sequence[Measure]) -> list[Measure]:
    """The measures that can score these judgments at all."""
    found = []
    for measure in measures:
        try:
            evaluate(judged, run, [measure])
        except MeasureError:
            continue
        found.append(measure)
    return found


def check_all_orders(judged: Any, groups: Groups, measures: Sequence[Measure]) -> None:
    runs = all_runs(groups)
    chosen = possible(judged, run_of(groups), list(dict.fromkeys(measures)))
    one_by_one = evaluate(judged, runs, chosen).values[:, 0]
    found = evaluate(judged, run_of(groups), chosen, tied="all").values[0, 0].reshape(-1, 3)
    want = np.stack([one_by_one.min(0), one_by_one.mean(0), one_by_one.max(0)], axis=-1)
    wrong = np.abs(found - want).max(-1) > 1e-11
    assert not wrong.any(), [
        (str(measure), own.tolist(), truth.tolist())
        for measure, own, truth, bad in zip(chosen, found, want, wrong, strict=True)
        if bad
    ]


#: Each topic checks one part of all measures, so that eight topics in turn check them all.
PARTS = 8


@pytest.mark.parametrize("seed", range(4 * PARTS))
def test_scores_over_all_orders_are_those_of_all_orders_scored_one_by_one(seed: int) -> None:
    judged, groups, aspects = random_topic(seed)
    rng = random.Random(seed)
    chosen = [
        measure @ rng.randint(1, 7)
        if Role.CUTOFF in measure.definition.roles and rng.random() < 0.6
        else measure
        for measure in every_measure("judgments", aspects)[seed % PARTS :: PARTS]
    ]
    check_all_orders(judged, groups, chosen)


@pytest.fixture(scope="module")
def own_measures() -> list[Measure]:
    """Measures made from parts and mixed, and a function of hits that declares nothing; registered once."""
    every = itertools.product(DISCOUNTS, GAINS, NOVELTIES, DIVISORS)
    found = []
    for number, (discount, gain, novelty, divisor) in enumerate(every):
        if number % 7 or (divisor == "everything" and novelty != "decay"):
            continue
        parts: dict[str, Any] = {"discount": discount, "gain": gain, "novelty": novelty, "divisor": divisor}
        effort = 0.1 if divisor == "none" and number % 2 else 0.0
        found.append(compose(f"tied{number}", **parts, p=2.0 if discount == "slow" else 0.7, effort=effort))
    found.append(mix("tied_mix", {"AP": 0.5, "StRecall@2": -1.0, "alpha_nDCG@3": 0.3}))
    found.append(mix("tied_mix_of_two_rankings", {"AP(judged_only=True)": 0.5, "RR": -1.0}))

    def tied_best(hits: Hits) -> Floats:
        """The best of all documents, by grade over rank: not a sum."""
        return np.asarray((hits.grade.max(1) / hits.rank).max(-1, initial=0.0))

    return [*found, declared_measure()(tied_best)]


@pytest.mark.parametrize("seed", [42, 44, 49, 50])
def test_measures_of_ones_own_over_all_orders(seed: int, own_measures: list[Measure]) -> None:
    """In topic 49, the gains of a cascade are above 1, and the best document first is not the best order."""
    judged, groups, _ = random_topic(seed)
    check_all_orders(judged, groups, own_measures)


@pytest.mark.parametrize("seed", range(12))
def test_measures_of_preferences_over_all_orders(seed: int) -> None:
    rng = random.Random(seed)
    docs = [f"d{n}" for n in range(rng.randint(3, 5))]
    people = []
    for _ in range(rng.randint(3, 12)):
        a, b = rng.sample(docs, 2)
        given = rng.choice(["", "", "", *(doc for doc in docs if doc not in (a, b))])
        outcome, who = rng.choice(["left", "right", "tie"]), rng.choice(["ann", "ben"])
        people.append(("q", given, a, b, outcome, who))
    forms = [f"combine='{c}',unseen='{u}'" for c in COMBINATIONS for u in UNSEEN]
    forms += [f"combine='{c}',estimate='pooled'" for c in COMBINATIONS]
    ranked = [doc for doc in docs if rng.random() < 0.9] + ["x0", "x1"][: rng.randint(0, 2)]
    rng.shuffle(ranked)
    chosen = [
        measure @ rng.randint(1, 5)
        if Role.CUTOFF in measure.definition.roles and rng.random() < 0.5
        else measure
        for measure in every_measure("preferences", 1)[seed % 3 :: 3]
    ]
    chosen += [parse(f"nPrf({form})@{rng.randint(1, 6)}") for form in forms]
    check_all_orders(people, random_groups(rng, ranked[:6], 120), chosen)


@pytest.mark.parametrize("seed", range(6))
def test_closed_forms_agree_with_the_lattice_on_large_groups(seed: int) -> None:
    """Up to 23 tied documents have too many orders to list, but the lattice goes through all of them."""
    rng = random.Random(seed)
    docs = [f"d{n}" for n in range(40)]
    aspects = ("s", "t")[: 1 + seed % 2]
    judged = {
        "q": {
            a: {doc: rng.choice((0, 1, 3)) for doc in docs if rng.random() < 0.3} | {"d0": 2} for a in aspects
        }
    }
    groups = [docs[:2], docs[2:25], docs[25:30], docs[30:]]
    chosen = [
        *("P@9", "R@12", "RR", "Success@5", "AP", "AP@20", "nDCG@10", "RBP(gain='linear')", "ERR@20", "Q@15"),
        *("GAP", "Compat", "Rprec", "alpha_nDCG@20", "alpha_DCG(alpha=0.9,gain='linear')", "ERR_IA", "NRBP"),
        *("EU", "RBU@12", "StRecall@4", "D_nDCG@10", "D_EBR@20", "DSharp_Q@20", "CAM(AP)", "NuggetAll@7"),
    ]
    low, expected, high = evaluate(judged, run_of(groups), chosen, tied="all").values[0, 0].reshape(-1, 3).T
    read = read_judgments(judged)
    run = align(read, read_run(run_of(groups)), Reading(ties=True))
    hits = rankings_of(read.cells, [run], np.array([0]))
    for m, measure in enumerate(map(parse, chosen)):
        own = hits.fold("max", FOLDS["max"]) if measure.definition.single else hits
        law = lattice.law_by_lattice(measure.computed, own, measure.cutoff)
        found = [float(value[0]) for value in law]
        assert found == pytest.approx([expected[m], low[m], high[m]], rel=1e-12, abs=1e-13), str(measure)


def test_scikit_learn_averages_in_the_same_way() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(0)
    for _ in range(40):
        n = int(rng.integers(2, 15))
        grades, scores = rng.integers(0, 4, n), rng.integers(0, 4, n)
        k = int(rng.integers(1, n + 1))
        if not grades.any():
            continue
        judged = {"q": {f"d{i}": int(grade) for i, grade in enumerate(grades)}}
        run = {"q": {f"d{i}": float(score) for i, score in enumerate(scores)}}
        found = evaluate(judged, run, [f"nDCG@{k}", f"DCG@{k}"], tied="expected").values[0, 0]
        both = [f([grades], [scores], k=k) for f in (metrics.ndcg_score, metrics.dcg_score)]
        assert found == pytest.approx(both, rel=1e-14)


# ── what scores over all orders mean ─────────────────────────────────────────────────────────────


def test_a_constant_scorer_scores_as_a_random_one_in_expectation() -> None:
    """With ids deciding, it can seem perfect."""
    judged = {"q": {"z": 1, "y": 1, **dict.fromkeys("abcd", 0)}}
    constant = {"q": dict.fromkeys("abcdyz", 0.5)}
    measures = ["RR", "AP", "nDCG", "P@2", "ERR@3", "Bpref", "Compat", "alpha_nDCG@3", "RBU@4"]
    lucky = evaluate(judged, constant, measures).values[0, 0]
    expected = evaluate(judged, constant, measures, tied="expected").values[0, 0]
    every = evaluate(judged, all_runs(["abcdyz"]), measures).values[:, 0]
    assert expected == pytest.approx(every.mean(0), abs=1e-13)
    assert lucky[:4] == pytest.approx(1)
    assert (expected < lucky).all()


def test_without_ties_the_scores_have_the_same_bits() -> None:
    judged, runs = all_scores.generated()
    distinct = {
        name: {
            t: {d: score + n / 1e6 for n, (d, score) in enumerate(docs.items())} for t, docs in run.items()
        }
        for name, run in runs.items()
    }
    chosen = [
        *(n for n in ("AP", "nDCG@10", "ERR(max_rel=13)@20", "alpha_nDCG@20", "D#-nDCG@10", "AP_IA")),
        "MM(RR)",
    ]
    plain = evaluate(judged, distinct, chosen).values
    for tied in ("expected", "lowest", "highest"):
        assert evaluate(judged, distinct, chosen, tied=tied).values.tobytes() == plain.tobytes()


def test_the_order_decides_which_documents_are_tied() -> None:
    judged = {"q": {"a": 1, "b": 0}}
    near = [("q", "b", 1.00000000001, 1), ("q", "a", 1.0, 1)]

    def rr(rows: Any, **settings: Any) -> float:
        return float(evaluate(judged, rows, "RR", tied="expected", **settings).values[0, 0, 0])

    assert rr(near) == 0.5  # different 64-bit numbers
    assert rr(near, order="trec_eval-9") == 0.75  # the same 32-bit number
    assert rr(near, order="rank") == 0.75  # the same rank
    assert rr([("q", "b", 1.0), ("q", "a", 1.0)]) == 0.75
    assert rr([("q", "b", 1.0), ("q", "a", 1.0)], order="input") == 0.5  # nothing is tied
    assert rr([("q", "b", 1.0), ("q", "a", 1.0)], order="score-ascending-id") == 0.75


def test_groups_are_found_in_files_with_scattered_topics_and_repeated_documents(tmp_path: Path) -> None:
    lines = ["2 Q0 a 1 1 t", "1 Q0 x 1 2 t", "2 Q0 x 2 1 t", "1 Q0 a 2 2 t", "1 Q0 a 3 1 t", "2 Q0 b 3 1 t"]
    (tmp_path / "run").write_text("\n".join(lines) + "\n")
    judged = {"1": {"a": 1}, "2": {"a": 1, "b": 0}}
    found = evaluate(judged, tmp_path / "run", "RR", tied="all", duplicates="first", threads=2).per_topic()
    names = ("Lowest(RR)", "Expected(RR)", "Highest(RR)")
    assert [found["run"]["1"][name] for name in names] == [0.5, 0.75, 1.0]
    assert [found["run"]["2"][name] for name in names] == pytest.approx([1 / 3, 11 / 18, 1.0])


def test_topics_are_scored_together_as_they_are_alone() -> None:
    """Batches pad rankings with different numbers of documents and aspects."""
    topics = {}
    runs = {}
    for seed in range(30):
        rng = random.Random(seed)
        docs = [f"d{n}" for n in range(rng.randint(1, 9))]
        aspects = [f"s{n}" for n in range(rng.randint(1, 3))]
        topics[f"t{seed}"] = {
            a: {d: rng.choice((0, 1, 2)) for d in docs if rng.random() < 0.7} | {"n": 0} for a in aspects
        }
        runs[f"t{seed}"] = {d: float(rng.randint(0, 3)) for d in docs if rng.random() < 0.9} | {"x": 0.0}
    chosen = [
        "AP",
        "nDCG@3",
        "ERR@4",
        "alpha_nDCG@4",
        "RBU",
        "D_EBR",
        "Compat",
        "S_RR",
        "infAP",
        "MM(P@2)",
        "Q@3",
    ]
    together = evaluate(topics, runs, chosen, tied="all")
    for t, topic in enumerate(together.topics):
        alone = evaluate({topic: topics[topic]}, {topic: runs[topic]}, chosen, tied="all").values[0, 0]
        assert together.values[0, t] == pytest.approx(alone, abs=1e-13), topic


# ── what is refused, and what is said ────────────────────────────────────────────────────────────


def test_measures_whose_orders_must_be_listed_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """A measure that declares nothing is exact, too, but refused if a ranking has too many orders.

    A new measure should declare something better, or join this list.
    """
    two = {"q": {"s": {"a": 1, "b": 2, "c": 1}, "t": {"b": 1, "c": 2}}}
    listed: dict[str, set[str]] = {"expected": set(), "lowest": set()}
    chosen = [
        m for m in every_measure("judgments", 2) if not m.settings and Role.INNER not in m.definition.roles
    ]
    chosen += [parse(f"{name}(AP)") for name in ("CAM", "MM", "Reached", "TOMA")]
    chosen += [parse("Aspect(AP,aspect='s')"), parse("Contrast(AP,good='s',bad='t')")]
    relative = [m for m in every_measure("preferences", 1) if not m.settings]
    for tied, found in listed.items():
        for judged, measures in ((two, chosen), (PEOPLE, relative)):
            for measure in measures:

                def note(*given: Any, measure: Measure = measure, found: set[str] = found) -> Any:
                    found.add(measure.name)
                    return lattice.Law(*(np.zeros(len(given[1].rank)) for _ in range(3)))

                monkeypatch.setattr(scores, "law_of_orders", note)
                monkeypatch.setattr(scores, "law_of_preference_orders", note)
                monkeypatch.setattr(orders, "law_of_preference_orders", note)
                evaluate(judged, run_of(["abc"]), [measure], tied=tied)  # type: ignore[arg-type]
    by_pairs = {name for name in names() if name.startswith("prefs_")} | {"ppref"}
    balanced = {"prefs_avgjg_Rnonrel", "prefs_avgjg_Rnonrel_ret"}
    several = {"IPrec_IA", "IAP_IA", "nDCG_rel_IA", "YAAP_IA"}  # sorting helps only if there is one aspect
    always = {"MM", "Reached", "wpref", "Unjudged", "RBP_residual", "Accuracy", "Accuracy_IA"}
    always |= balanced | several
    assert listed["expected"] == always | {"IPrec", "IAP", "nDCG_rel", "YAAP"}
    assert listed["lowest"] == always | by_pairs | {
        "Prf",
        "nPrf",
        "P_plus_IA",
        "P_plusQ",
        "P_plusQSharp",
        "Bpref_IA",
        "infAP_IA",
    }


def test_too_many_orders_are_refused_with_topic_number_and_remedy() -> None:
    docs = [f"d{n:02d}" for n in range(40)]
    judged = {
        "q1": {"s": {"a": 1}, "t": {"a": 1}},
        "q2": {a: {d: 1 + (n % 7 + s) / 8 for n, d in enumerate(docs)} for s, a in enumerate("st")},
    }
    run = {"q1": {"a": 1.0}, "q2": dict.fromkeys(docs, 1.0)}
    with pytest.raises(MeasureError, match=r"MM\(AP\): .* topic 'q2': .* more than 20,000 .* smaller cutoff"):
        evaluate(judged, run, "MM(AP)", tied="expected")
    with pytest.raises(
        MeasureError, match=r"S_RR: .* topic 'q2': a group of 40 tied documents has [\d,]+ states"
    ):
        evaluate(judged, run, "S_RR", tied="expected")
    assert evaluate(judged, run, ["alpha_nDCG@20", "AP_IA"], tied="expected").values.shape == (1, 2, 2)


def test_a_cutoff_keeps_large_groups_within_the_limits() -> None:
    """Only the documents above the cutoff have an order, so 1,000 tied ones do no harm."""
    docs = [f"d{n:04d}" for n in range(1000)]
    judged = {"q": {s: {d: (n * k) % 3 for n, d in enumerate(docs[:99])} for k, s in ((1, "s"), (2, "t"))}}
    chosen = ["alpha_nDCG@15", "P_plus@12", "MM(P@2)", "CT@10"]
    run = {"q": dict.fromkeys(docs, 1.0)}
    found = evaluate(judged, run, chosen, tied="all").values[0, 0]
    low, expected, high = found.reshape(-1, 3).T
    assert (low == 0).all()
    assert ((expected > 0) & (expected < high)).all()
    with pytest.raises(MeasureError, match=r"topic 'q'.*states"):
        evaluate(judged, run, "S_RR", tied="expected")
    more = {"p": {"a": 1}, "q": {s: {d: n % 4 for n, d in enumerate(docs)} for s in "st"}}
    with pytest.raises(MeasureError, match=r"topic 'q'.*states"):  # found on the second aspect's own ranking
        evaluate(more, {"p": {"a": 1.0}, **run}, "P_plus_IA", tied="expected")


def test_settings_that_exclude_each_other_are_refused() -> None:
    with pytest.raises(InputError, match="bounds and tied"):
        evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "AP", tied="expected", bounds=True)
    with pytest.raises(InputError, match="tied must be one of"):
        evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "AP", tied="mean")  # type: ignore[arg-type]


@pytest.mark.filterwarnings("default::rankprism.errors.RankprismWarning")
def test_a_note_counts_ties_and_the_places_that_they_decide() -> None:
    judged = {"q": {"a": 1, "b": 0, "c": 0}}
    runs = {"even": {"q": {"c": 2.0, "a": 1.0, "b": 1.0}}, "late": {"q": {"c": 2.0, "b": 1.0, "a": 0.5}}}
    with pytest.warns(RankprismWarning) as caught:
        found = evaluate(judged, runs, "RR", tied="all")
    assert [str(one.message) for one in caught] == [
        "1 of 2 rankings in 1 of 2 runs have tied documents, in 1 group; a score is the lowest, the "
        "expectation and the highest over all their orders. If ids broke the ties, 1 of 2 runs would have "
        "another place by RR. Depending on ties, none of 1 pairs of runs could be in either order. The RR of "
        "'even' is 0.3333 by score and 0.5000 by score if ids break ties in ascending order, as in pyndeval "
        "(--order score-ascending-id) [ties]"
    ]
    assert found.conventions["tied"] == "all"


# ── official runs ────────────────────────────────────────────────────────────────────────────────

#: TREC DL 2021, 63 runs: how many means change at 4 decimals, the largest difference between the highest and
#: the lowest mean, how many runs have another place if ids break ties, and how many pairs may be in either
#: order.
DL_2021 = {
    "nDCG@10": (38, 0.0218, 2, 20),
    "AP(rel=2)": (28, 0.0080, 2, 15),
    "RR(rel=2)@10": (28, 0.0350, 13, 35),
    "P(rel=2)@10": (19, 0.0151, 6, 8),
    "ERR(max_rel=3)@20": (41, 0.0221, 12, 48),
}


def test_ties_of_deep_learning_2021(collections: Path) -> None:
    folder = collections / "trec-dl-2021-prefs"
    source = (folder / "qrels.dl21-passage.txt.gz", sorted((folder / "runs").iterdir()), list(DL_2021))
    one_order = evaluate(*source).means
    found = evaluate(*source, tied="all")
    assert evaluate(*source, tied="expected").means == pytest.approx(found.means[:, 1::3], abs=1e-15)
    counts = ["2,395 of 3,339 rankings in 52 of 63 runs", "24,224 groups"]
    note = next(note for note in found.conventions["notes"] if note["kind"] == "ties")
    assert all(text in note["message"] for text in counts)
    for m, (measure, (changed, width, places, pairs)) in enumerate(DL_2021.items()):
        low, mean, high = found.means[:, 3 * m : 3 * m + 3].T
        texts = [[f"{value:.4f}" for value in values] for values in (one_order[:, m], mean)]
        assert sum(a != b for a, b in zip(*texts, strict=True)) == changed
        assert round(float((high - low).max()), 4) == width
        assert f"{places} of 63 runs would have another place by {measure}" in note["message"] or (
            f", {places} by {measure}" in note["message"]
        )
        assert f"{pairs} of 1,953 pairs of runs could be in either order by {measure}" in note["message"] or (
            f", {pairs} by {measure}" in note["message"]
        )


def test_ties_of_the_web_track_2012(collections: Path) -> None:
    """Several aspects: three runs change at 4 decimals, and ids would exchange two."""
    folder = collections / "trec-web-2012"
    source = (folder / "qrels-for-ndeval.txt.gz", sorted((folder / "runs").iterdir()), "alpha_DCG@20")
    one_order, found = evaluate(*source).means[:, 0], evaluate(*source, tied="all")
    changed = {
        name: round(float(mean - one), 4)
        for name, one, mean in zip(found.runs, one_order, found.means[:, 1], strict=True)
        if f"{one:.4f}" != f"{mean:.4f}"
    }
    assert len(changed) == 3
    assert changed["gdesa"] == 0.0021
    (note,) = (note for note in found.conventions["notes"] if note["kind"] == "ties")
    assert "2 of 17 runs would have another place by alpha_DCG@20" in note["message"]


# ── the command ──────────────────────────────────────────────────────────────────────────────────


def test_the_command_prints_three_columns(
    cli: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "run").write_text("1 Q0 a 1 1 t\n1 Q0 b 2 1 t\n")
    done = cli("evaluate", tmp_path / "qrels", tmp_path / "run", "-m", "RR", "--tied", "all")
    assert done.stdout.split()[:4] == ["run", "Lowest(RR)", "Expected(RR)", "Highest(RR)"]
    assert done.stdout.split()[-3:] == ["0.5000", "0.7500", "1.0000"]
    assert "1 of 1 rankings have tied documents, in 1 group;" in done.stderr
    compared = cli("meta", "correlation", tmp_path / "qrels", tmp_path / "run", "-m", "RR", "--tied", "mean")
    assert compared.returncode == 2
    assert "expected" in compared.stderr
