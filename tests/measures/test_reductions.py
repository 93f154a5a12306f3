"""Measures that turn into one another, or do not although it is said that they do."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import rankprism
from rankprism.measures import Measure, lookup, names, parse
from tests.measures.test_catalogue import WHOLE, Case, cases, scores_of
from tests.support import oracles

pytestmark = pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")  # runs without judged documents

CUTOFF = st.none() | st.integers(1, 12)
CHANCE = st.sampled_from([0.8, 0.5, 0.95])
BINARY: tuple[float | None, ...] = (None, 0, 1, 1, -1)
#: Grades that are probabilities, tiny ones among them.
SMALL: tuple[float | None, ...] = (None, 0, 0.9, 0.4, 0.07, 0.002, None)


def all_of(case: Case, *measures: str | Measure) -> list[list[float]]:
    """The scores of each measure, topic by topic; repeated measures are repeated."""
    chosen = [parse(measure) for measure in measures]
    scores = rankprism.evaluate(case.judgments, case.run, chosen, weights=case.weights)
    column = {name: i for i, name in enumerate(scores.measures)}
    return [scores.values[0, :, column[str(measure)]].tolist() for measure in chosen]


def same(case: Case, *measures: str | Measure) -> None:
    """All of the measures give all topics the same scores."""
    first, *others = all_of(case, *measures)
    for measure, other in zip(measures[1:], others, strict=True):
        assert other == pytest.approx(first, rel=1e-10, abs=1e-12, nan_ok=True), (measures[0], measure)


# One aspect


def intent_aware_pairs() -> dict[str, str]:
    """M_IA and M for every single-aspect M; ERR_IA and nERR_IA are measures of their own, see below.

    A ranking without a relevant document costs something in Utility, but M_IA is 0 if no aspect has one.
    """
    single = [name for name in names() if lookup(name).definition.single]
    return {f"{name}_IA": name for name in single if name not in ("ERR", "nERR", "Utility")}


@settings(max_examples=40)
@given(case=cases(max_aspects=1), cutoff=CUTOFF)
def test_intent_aware_measure_of_one_aspect_is_the_measure(case: Case, cutoff: int | None) -> None:
    pairs = intent_aware_pairs()
    assert len(pairs) >= 11
    for aware, single in pairs.items():
        cut = any(p.name == "cutoff" for p in lookup(single).definition.parameters)
        chosen: dict[str, Any] = {"cutoff": cutoff} if cut else {}
        same(case, lookup(single)(**chosen), lookup(aware)(**chosen))


def test_intent_aware_rbp_of_graded_gains_counts_every_aspect_with_a_gain() -> None:
    # (1 - p) · 0.5: `rel` says where binary gains begin, and these are not binary.
    found = scores_of({"s": {"a": 0.5}}, ["a"], "RBP(gain='linear')", "RBP_IA(gain='linear')")
    assert found == pytest.approx([0.1, 0.1], rel=1e-12)


@settings(max_examples=60)
@given(case=cases(max_aspects=1), cutoff=CUTOFF, p=CHANCE)
def test_measures_of_one_aspect_that_are_the_same(case: Case, cutoff: int | None, p: float) -> None:
    k = "" if cutoff is None else f"@{cutoff}"
    same(case, f"nDCG(dcg='exp-log2'){k}", f"D_nDCG{k}", f"DIN_nDCG{k}", f"DSharp_nDCG(gamma=0){k}")
    same(case, f"Q{k}", f"D_Q{k}", f"P_plusQ{k}")
    same(case, f"nERR(gain='probability'){k}", f"nERR_IA(gain='probability'){k}", f"D_nERR{k}")
    same(case, f"ERR{k}", f"ERR_IA(gain='probability',max_rel=4){k}")
    same(case, f"RBU(e=0,form='eq11',p={p}){k}", f"D_iRBU(p={p}){k}")
    same(case, f"nDCG{k}", f"alpha_nDCG(alpha=0,gain='linear'){k}", f"CAM(nDCG{k})", f"MM(nDCG{k})")
    same(case, f"RBP(p={p}){k}", f"NRBP(alpha=0,beta={p}){k}")
    same(case, "RR", "S_RR", "P_at_recall", "P_at_recall(form='new')", "P_at_recall(form='share-new')")


# Any number of aspects


@settings(max_examples=60)
@given(case=cases(), cutoff=CUTOFF, p=CHANCE)
def test_measures_that_are_the_same(case: Case, cutoff: int | None, p: float) -> None:
    k = "" if cutoff is None else f"@{cutoff}"
    tiny = 5e-324  # any grade above 0
    same(case, f"D_nDCG{k}", f"DIN_nDCG{k}", f"DSharp_nDCG(gamma=0){k}", f"DINSharp_nDCG(gamma=0){k}")
    same(case, f"D_Q{k}", f"DSharp_Q(gamma=0){k}")
    same(case, f"StRecall(rel={tiny}){k}", f"DSharp_nDCG(gamma=1){k}", f"P_plusQSharp(gamma=1){k}")
    same(case, f"Q_IA{k}", f"P_plusQ{k}")  # without navigational intents
    # Nothing is lost by having been seen: α-nDCG's greedy ideal is the order by global gain.
    same(case, f"D_nDCG(gain='linear'){k}", f"alpha_nDCG(alpha=0,gain='linear',weighted=True){k}")
    same(case, f"RBP_IA(p={p}){k}", f"NRBP(alpha=0,beta={p},weighted=True){k}")
    same(
        case,
        f"RBP_IA(p={p},gain='linear',rel={tiny}){k}",
        f"NRBP(alpha=0,beta={p},gain='linear',weighted=True){k}",
    )


@settings(max_examples=60)
@given(case=cases(), cutoff=st.integers(1, 12))
def test_alpha_dcg_without_novelty_is_dcg_over_that_of_full_relevance(case: Case, cutoff: int) -> None:
    alpha_dcg, dcg = all_of(
        case, f"alpha_DCG(alpha=0,gain='linear',weighted=True)@{cutoff}", f"DCG_IA@{cutoff}"
    )
    everything = sum(1 / math.log2(i + 1) for i in range(1, cutoff + 1))
    assert alpha_dcg == pytest.approx([x / everything for x in dcg], rel=1e-10, abs=1e-12)


@settings(max_examples=60)
@given(case=cases(grades=(None, 1, 2, 3, 1.5)), cutoff=CUTOFF)
def test_cam_is_the_intent_aware_measure_where_every_aspect_has_something_relevant(
    case: Case, cutoff: int | None
) -> None:
    assume(
        not any(0 in grades.values() for aspects in case.judgments.values() for grades in aspects.values())
    )
    for name in ("nDCG", "AP", "RR", "RBP", "Q", "nGAP"):
        same(case, lookup("CAM")(measure=lookup(name)(cutoff=cutoff)), lookup(f"{name}_IA")(cutoff=cutoff))
    cam, mm = all_of(case, "CAM(nDCG)", "MM(nDCG)")
    assert all(harmonic <= mean + 1e-12 for mean, harmonic in zip(cam, mm, strict=True))


@settings(max_examples=60)
@given(case=cases(grades=WHOLE), cutoff=st.integers(1, 12))
def test_q_without_gains_is_average_precision(case: Case, cutoff: int) -> None:
    for gain in ("exp", "linear", "binary", "probability"):
        same(case, "AP", f"Q(beta=0,gain='{gain}')")
    # With a cutoff Q divides by min(k, R) where AP divides by R.
    q, ap = all_of(case, f"Q(beta=0)@{cutoff}", f"AP@{cutoff}")
    for topic, judged in enumerate(case.judgments.values()):
        relevant = sum(grade > 0 for grade in oracles.combine.fold(judged, "max", None).values())
        assert q[topic] * min(cutoff, relevant) == pytest.approx(ap[topic] * relevant, rel=1e-10, abs=1e-12)


def test_q_with_binary_gains_is_1_for_a_ranking_that_has_all_there_is() -> None:
    # Whether or not a binary gain counts grade 0.5 as relevant, nothing better than both documents can be
    # had.
    found = scores_of({"s": {"a": 1, "b": 0.5}}, ["a", "b"], "Q(gain='binary')", "Q_IA(gain='binary')")
    assert found == pytest.approx([1, 1], rel=1e-12)


@settings(max_examples=60)
@given(case=cases(grades=BINARY), cutoff=st.integers(1, 12))
def test_graded_average_precision_of_binary_grades_is_average_precision(case: Case, cutoff: int) -> None:
    same(case, "AP", "GAP", "GAP(levels='printed')", "GAP(levels={1:0.5,2:0.5})", "nGAP")
    gap, q = all_of(case, f"nGAP@{cutoff}", f"Q(beta=0)@{cutoff}")
    assert gap == pytest.approx(q, rel=1e-10, abs=1e-12)


@settings(max_examples=60)
@given(case=cases(), cutoff=CUTOFF)
def test_graded_nerr_ia_by_aspect_is_the_mean_of_nerr(case: Case, cutoff: int | None) -> None:
    k = "" if cutoff is None else f"@{cutoff}"
    aware = all_of(case, f"nERR_IA(gain='probability',max_rel=4,ideal='per-aspect'){k}")[0]
    for topic, (name, judged) in enumerate(case.judgments.items()):
        live = [a for a, grades in judged.items() if max(grades.values()) > 0]
        share = oracles.shares(live, case.weights_of(name))
        by_aspect = sum(
            share[a] * scores_of({a: judged[a]}, oracles.rank(case.run.get(name, {})), f"nERR{k}")[0]
            for a in live
            if case.run.get(name)
        )
        assert aware[topic] == pytest.approx(by_aspect, rel=1e-10, abs=1e-12)


# Effort, cascades and cubes


def plain_sum(
    case: Case, topic: str, discount: Callable[[int], float], gain: Callable[[float, float], float]
) -> float:
    """Σ_i D(i) Σ_t w_t g(i,t)"""
    judged = case.judgments[topic]
    live = [a for a, grades in judged.items() if max(grades.values()) > 0]
    share = oracles.shares(live, case.weights_of(topic))
    return sum(
        discount(i) * share[a] * gain(max(judged[a].get(doc, 0), 0), max(judged[a].values()))
        for i, doc in enumerate(oracles.rank(case.run.get(topic, {})), 1)
        for a in live
    )


def probability(grade: float, highest: float) -> float:
    return float((2**grade - 1) / 2**highest)


@settings(max_examples=60)
@given(case=cases())
def test_without_novelty_and_saturation_ct_and_eu_are_discounted_sums(case: Case) -> None:
    ct, eu, effort = all_of(
        case, "CT(alpha=0,saturation=1000000)", "EU(e=0,alpha=0)", "EU(e=0.5,alpha=0,base=2)"
    )
    for number, topic in enumerate(case.judgments):
        assert ct[number] == pytest.approx(plain_sum(case, topic, lambda i: 1 / i, probability), rel=1e-10)
        natural = plain_sum(case, topic, lambda i: 1 / (1 + math.log(i)), probability)
        assert eu[number] == pytest.approx(natural, rel=1e-10)
        length = len(case.run.get(topic, {}))
        cost = 0.5 * sum(1 / (1 + math.log2(i)) for i in range(1, length + 1))
        binary = plain_sum(case, topic, lambda i: 1 / (1 + math.log2(i)), probability)
        assert effort[number] == pytest.approx(binary - cost, rel=1e-10, abs=1e-12)


def test_a_saturated_aspect_gives_nothing_more_whatever_the_rounding() -> None:
    # After grade 1 the aspect has its fill of 1, so the document at rank 2 adds nothing; 1 + 0.4 - 0.4 is
    # less than 1 for a computer.
    assert (1 + 0.4) - 0.4 < 1
    found = scores_of({"s": {"a": 1, "b": 0.4}}, ["a", "b"], "CT(gain='linear',alpha=0)")
    assert found == [1.0]


@settings(max_examples=30)
@given(case=cases())
def test_cube_test_of_one_round_is_its_gain(case: Case) -> None:
    # With all documents in one round there is no time: CT is what is filled in the end, ACT the mean on the
    # way there.
    ct, act = all_of(case, "CT(form='trec-dd-2016',batch=1000)", "ACT(batch=1000)")
    steps = [all_of(case, f"CT(form='trec-dd-2016',batch=1000)@{k}")[0] for k in range(1, 16)]
    assert ct == pytest.approx(steps[-1], rel=1e-10)
    for number, topic in enumerate(case.judgments):
        length = len(case.run.get(topic, {}))
        mean = sum(step[number] for step in steps[:length]) / length if length else 0.0
        assert act[number] == pytest.approx(mean, rel=1e-10, abs=1e-12)


@settings(max_examples=60)
@given(case=cases(grades=SMALL), p=CHANCE, exponent=st.integers(0, 6))
def test_rbu_of_small_grades_approaches_rbp_ia(case: Case, p: float, exponent: int) -> None:
    # Amigó et al. (SIGIR 2018): with e = 0 and r ≪ 1 RBU is RBP-IA. It is the limit only: what was seen takes
    # away at most 1 - (1 - r)^(n-1) of it. For 10 documents a search found gaps of 18 % (r ≤ .1), 2 % (.01),
    # .2 % (.001).
    small = 10.0**-exponent
    scaled = {
        topic: {a: {doc: grade * small for doc, grade in grades.items()} for a, grades in aspects.items()}
        for topic, aspects in case.judgments.items()
    }
    case = Case(scaled, case.run, None)
    rbu, rbp = all_of(case, f"RBU(e=0,p={p},gain='linear')", f"RBP_IA(p={p},gain='linear',rel=5e-324)")
    for number, topic in enumerate(scaled):
        seen = len(case.run.get(topic, {}))
        most = 1 - (1 - 0.9 * small) ** max(seen - 1, 0)
        assert rbp[number] * (1 - most) - 1e-15 <= rbu[number] <= rbp[number] * (1 + 1e-12)


@settings(max_examples=60)
@given(case=cases(), data=st.data())
def test_rbu_with_endless_patience_and_no_effort_is_the_chance_to_be_satisfied_at_all(
    case: Case, data: st.DataObject
) -> None:
    (rbu,) = all_of(case, "RBU(p=1,e=0,form='eq11')")
    for number, (topic, judged) in enumerate(case.judgments.items()):
        live = [a for a, grades in judged.items() if max(grades.values()) > 0]
        share = oracles.shares(live, case.weights_of(topic))
        chances = {
            a: [
                probability(max(judged[a].get(doc, 0), 0), max(judged[a].values()))
                for doc in case.run.get(topic, {})
            ]
            for a in live
        }
        satisfied = sum(share[a] * (1 - math.prod(1 - r for r in chances[a])) for a in live)
        assert rbu[number] == pytest.approx(satisfied, rel=1e-10, abs=1e-12)
    # So the order does not matter.
    topic = data.draw(st.sampled_from(list(case.run)))
    turned = {doc: -score for doc, score in case.run[topic].items()}
    again = all_of(dataclasses.replace(case, run=case.run | {topic: turned}), "RBU(p=1,e=0,form='eq11')")
    assert again[0] == pytest.approx(rbu, rel=1e-10, abs=1e-12)


def test_rbu_with_endless_patience_and_no_effort_is_not_err_ia() -> None:
    # Amigó et al. say that it is. A document that satisfies with probability 1/2 at rank 2: ERR divides by
    # the rank.
    judged, ranking = {"t": {"a": 0, "b": 0.5}}, ["a", "b"]
    found = scores_of(judged, ranking, "RBU(p=1,e=0,form='eq11',gain='linear')", "ERR_IA(gain='linear')")
    assert found == [0.5, 0.25]


def test_rbu_is_not_rbp_ia_unless_grades_are_small() -> None:
    # Two documents with r = 1/2, p = 1/2: 1/2·(1/2 + 1/2·1/2·1/2) and 1/2·(1/2 + 1/2·1/2)
    judged, ranking = {"t": {"a": 0.5, "b": 0.5}}, ["a", "b"]
    chosen = "p=0.5,gain='linear'"
    found = scores_of(judged, ranking, f"RBU(e=0,{chosen})", f"RBP_IA({chosen},rel=0.5)")
    assert found == pytest.approx([0.3125, 0.375], rel=1e-12)
