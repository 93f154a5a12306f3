"""The parameters, depths and cutoffs from which a measure satisfies a constraint."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

from rankprism.errors import MeasureError
from rankprism.measures import parse
from rankprism.measures.measure import Measure
from rankprism.meta.axioms import (
    CloseTh,
    Conf,
    DeepTh,
    Pri,
    Sat,
    find_thresholds,
)
from rankprism.meta.axioms.search import search_verdicts
from tests.support.paper_table import kept, row

# Parameters


@pytest.mark.parametrize(
    ("measure", "parameter", "threshold"),
    [
        ("RBP(gain='linear')", "p", 0.7548776662466928),  # p² + p³ = 1
        ("alpha_DCG(gain='linear')", "alpha", 0.2563728974111655),
        ("EU(gain='linear')", "alpha", 0.2742304362729192),
        ("EU(gain='linear',base=2)", "alpha", 0.18247940552420916),
        ("NRBP(alpha=0.1,gain='linear')", "beta", 0.7687951694447654),
        ("NRBP(alpha=0.25,gain='linear')", "beta", 0.7920471324232223),
        ("NRBP(gain='linear')", "beta", 0.8392867552143106),
        ("NRBP(alpha=0.75,gain='linear')", "beta", 0.9032119259116418),
    ],
)
def test_closeness_holds_from_a_threshold_on(measure: str, parameter: str, threshold: float) -> None:
    found = find_thresholds([measure], [CloseTh(r_c=0.05)], parameter).thresholds[0]
    assert len(found.spans) == 1
    edge = found.spans[0].high if parameter == "alpha" else found.spans[0].low
    assert edge == pytest.approx(threshold, abs=2e-9)
    assert f"{threshold:.4f}" in str(found)


def test_a_threshold_and_the_table_say_the_same_of_what_an_m_shows() -> None:
    measures = [row("RBU@k"), row("D#-Measure@k"), "RBU(gain='linear')"]
    for verdict in search_verdicts(measures, [CloseTh]):
        assert (verdict.kind, verdict.note) == (
            "proved",
            "for m = 2" if "RBU" in str(verdict.measure) else "for m = 3",
        )
    found = find_thresholds([row("RBU@k")], [CloseTh], "p", between=(0.79, 0.81)).thresholds[0]
    assert str(found) == "proved for every p from 0.79 to 0.81 that was tried"
    # One order that scores 1 for each topic tried is no proof for all topics.
    order = find_thresholds(
        ["alpha_nDCG(ideal='exact')"], ["Max1"], "alpha", between=(0.4, 0.6), instances=20
    ).thresholds[0]
    assert str(order).startswith("not refuted")


def test_a_threshold_is_looked_for_in_a_range() -> None:
    rbp = "RBP(gain='linear')"
    inside, below, above = (
        str(find_thresholds([rbp], [CloseTh], "p", between).thresholds[0])
        for between in ((0.7, 0.8), (0.2, 0.7), (0.76, 0.9))
    )
    assert inside == "proved for p > 0.7549"
    assert below == "refuted for every p from 0.2 to 0.7 that was tried"
    assert above == "proved for every p from 0.76 to 0.9 that was tried"
    with pytest.raises(MeasureError, match=r"RBP: p must be a number .*; got 1.5"):
        find_thresholds([rbp], [CloseTh], "p", (0.5, 1.5))
    with pytest.raises(MeasureError, match=r"a range of p must end above its start; got 0.9 to 0.5"):
        find_thresholds([rbp], [CloseTh], "p", (0.9, 0.5))


def test_effort_and_patience_decide_what_rbu_keeps() -> None:
    rbu = row("RBU@k").removesuffix("@20")
    effort, patience = (
        find_thresholds([rbu], [c], x, instances=100).thresholds[0] for c, x in ((Conf, "e"), (Pri, "p"))
    )
    assert str(effort) == "proved for e > 0"
    assert str(patience) == "proved for p < 1"
    eu = find_thresholds([row("EU")], [Sat], "e", instances=100).thresholds[0]
    assert str(eu) == "proved for e ≥ 0.5"  # one aspect: r (1-α) - e ≤ 0 for every r ≤ 1


def test_cutoffs_decide_on_closeness() -> None:
    # 2/k > 1/k as soon as ranks 3 and 4 count; 1/log2(5) + 1/log2(6) + 1/log2(7) > 1.
    assert kept("P@3", CloseTh) + kept("P@4", CloseTh) == [False, True]
    assert kept("DCG@5", CloseTh) + kept("DCG@6", CloseTh) == [False, True]


def test_small_effort_makes_up_for_a_shorter_ranking_in_closeness() -> None:
    short = CloseTh(length="one", r_c=0.05)
    assert kept("RBU(p=0.9,e=0.01,form='eq11',gain='linear')", short) == [True]
    assert kept("RBU(p=0.9,e=0.05,form='eq11',gain='linear')", short) == [False]


DEPTHS = [  # measure, r_c, from which n on DeepTh holds, the smallest m for CloseTh
    ("P@20", 0.05, 20, 2),
    ("DCG@20", 0.05, 16, 3),
    ("AP(normalize=False)", 0.05, None, 3),
    ("RBP(p=0.76,gain='linear')", 0.05, 4, 2),
    ("RBP(p=0.99,gain='linear')", 0.05, 512, 2),
    ("alpha_DCG(alpha=0.1,gain='linear')", 0.05, 1023, 3),
    ("alpha_DCG(alpha=0.25,gain='linear')", 0.05, 10, 5),
    ("EU(alpha=0.1,gain='linear')", 0.05, 8192, 3),
    ("RBU(p=0.8,e=0.05,form='eq11',gain='linear')", 0.05, 6, 2),
    ("RBU(p=0.8,e=0.05,form='eq11',gain='linear')", 0.3, 1, None),
    ("RBU(p=0.9,e=0.05,form='eq11',gain='linear')", 0.01, 21, 2),
    ("RBU(p=0.99,e=0.05,form='eq11',gain='linear')", 0.3, 128, 2),
    ("ERR(gain='linear')@20", 0.5, 1, None),
]


@pytest.mark.parametrize(("measure", "r_c", "deep", "close"), DEPTHS)
def test_where_the_thresholds_of_depth_lie(
    measure: str, r_c: float, deep: int | None, close: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankprism.meta.axioms.search.proof_of", lambda *_: "")
    monkeypatch.setattr("rankprism.meta.axioms.trials.disproof_of", lambda *_: "")
    deepness, closeness = search_verdicts([measure], [DeepTh(r_c=r_c), CloseTh(r_c=r_c)])
    assert deepness.note == ("for no n from 3 to 8,192" if deep is None else f"for n ≥ {deep:,}")
    assert closeness.note == ("for no m up to 8,192" if close is None else f"for m = {close}")
    assert closeness.kind == ("refuted" if close is None else "proved")


def test_all_known_depths(golden: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankprism.meta.axioms.search.proof_of", lambda *_: "")
    monkeypatch.setattr("rankprism.meta.axioms.trials.disproof_of", lambda *_: "")
    names_of = {"NRBP": {"p": "beta"}, "EU": {"eu_log": "base"}}
    by_grade: dict[float, list[tuple[Measure, Any]]] = {}
    for label, known in golden["parameter_grid"].items():
        for entry in known:
            chosen = {names_of.get(label, {}).get(k, k): v for k, v in entry["params"].items()}
            r_c = chosen.pop("rc", 0.05)
            if "base" in chosen:
                chosen["base"] = math.e if chosen["base"] == "log" else 2.0
            if "k" in chosen:
                chosen["cutoff"] = chosen.pop("k")
            by_grade.setdefault(r_c, []).append((parse(row(label))(**chosen), entry))
    for r_c, entries in by_grade.items():
        literal = DeepTh(r_c=r_c, quantifier="some")
        verdicts = search_verdicts([m for m, _ in entries], [literal, DeepTh(r_c=r_c), CloseTh(r_c=r_c)])
        for at, (_, entry) in enumerate(entries):
            some, deep, close = (verdict.note for verdict in verdicts[3 * at : 3 * at + 3])
            assert some == f"for n = {entry['deep_literal_smallest_n']}", entry
            assert deep == f"for n ≥ {entry['deep_eventual_from_n']:,}", entry
            m = entry["close_smallest_m"]
            assert close == ("for no m up to 8,192" if m is None else f"for m = {m}"), entry


def test_all_known_depths_at_cutoffs(golden: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankprism.meta.axioms.search.proof_of", lambda *_: "")
    monkeypatch.setattr("rankprism.meta.axioms.trials.disproof_of", lambda *_: "")
    measures, entries = [], []
    for label, by_cutoff in golden["thresholds"].items():
        for cutoff, entry in by_cutoff.items():
            k = cutoff.removeprefix("k=")
            measure = parse(row(label))
            has_cutoff = any(p.name == "cutoff" for p in measure.definition.parameters)
            measures.append(measure(cutoff=None if k == "None" else int(k)) if has_cutoff else measure)
            entries.append((label, cutoff, entry))
    literal = DeepTh(r_c=0.05, quantifier="some")
    verdicts = iter(search_verdicts(measures, [literal, DeepTh(r_c=0.05), CloseTh(r_c=0.05)]))
    for label, cutoff, entry in entries:
        for known in ("deep_literal_smallest_n", "deep_eventual_from_n", "close_smallest_m"):
            verdict = next(verdicts)
            assert verdict.refuted != (entry[known] is not None), (label, cutoff, known)
            if entry[known] is not None:
                assert re.split(" [=≥] ", verdict.note)[1] == f"{entry[known]:,}", (label, cutoff)
