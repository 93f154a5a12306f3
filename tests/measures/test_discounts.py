"""The two discounts of nDCG, and a gain for grade 0.

The figures of Järvelin & Kekäläinen's discount are those of NTCIREVAL with -logb 2, 3 and 10, to 4 decimals,
and for base 2 those of LensKit 2025.8.1; the same arithmetic gives the digits beyond.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from rankprism import evaluate, explain
from rankprism.errors import MeasureError
from rankprism.measures import tables

GAINS = [0, 3, 1, 0, 2, 1]
JUDGED = {"q": {f"d{i}": gain for i, gain in enumerate(GAINS)}}
RUN = {"q": [f"d{i}" for i in range(5)]}

#: nDCG@3, nDCG@5 and DCG@5 of the gains 0, 3, 1, 0, 2, where another document of gain 1 is not retrieved.
FIGURES = {
    "discount='jk'": (0.6448188687256334, 0.7327245703804303, 4.4922828697182435),
    "discount='jk',b=3": (2 / 3, 0.7898751856970027, 5.365212388971971),
    "discount='jk',b=10": (2 / 3, 6 / 7, 6.0),
    "discount='jk',b=2.718281828459045": (0.6616042222132751, 0.7770250608606937, 5.152909095746061),
    "discount='burges'": (0.5024905201686706, 0.6098166359199948, 3.1664948751834556),
}


@pytest.mark.parametrize("settings", FIGURES)
def test_discounts_equal_those_of_other_programs(settings: str) -> None:
    measures = [f"nDCG({settings})@3", f"nDCG({settings})@5", f"DCG({settings})@5"]
    assert evaluate(JUDGED, RUN, measures).means[0] == pytest.approx(FIGURES[settings], rel=1e-14)


def test_the_default_discount_is_that_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    ranked = [[5.0, 4.0, 3.0, 2.0, 1.0, 0.0]]
    assert metrics.ndcg_score([GAINS], ranked, k=5) == pytest.approx(FIGURES["discount='burges'"][1])


def test_two_of_three_documents_in_ascending_order() -> None:
    """Gains 3 and 5 of 3, 5 and 4. The second rank counts as much as the first: 8 / (9 + 3 / log2 3)."""
    judged, run = {"q": {"a": 3, "b": 5, "c": 4}}, {"q": ["a", "b"]}
    found = evaluate(judged, run, ["nDCG(discount='jk')", "nDCG"]).means[0]
    burges = (3 + 5 / math.log2(3)) / (5 + 4 / math.log2(3) + 3 / 2)
    assert found == pytest.approx([8 / (9 + 3 / math.log2(3)), burges], abs=1e-15)
    assert found.round(4).tolist() == [0.7344, 0.6821]


@pytest.mark.parametrize("base", [1.0000001, 1.5, 2.0, 3.0, 7.25, 10.0, 1e300])
def test_each_discount_is_the_nearest_number(base: float) -> None:
    from decimal import Decimal, localcontext

    with localcontext() as context:
        context.prec = 60
        for i, found in enumerate(tables.late_discount(200, base).tolist(), 1):
            exact = Decimal(1) if i < base else Decimal(base).ln() / Decimal(i).ln()
            assert found == float(exact), i


@pytest.mark.parametrize("base", [1, 0.5, 0, -2])
def test_a_base_is_above_1(base: float) -> None:
    with pytest.raises(MeasureError, match="nDCG: b must be a number > 1"):
        evaluate(JUDGED, RUN, f"nDCG(discount='jk',b={base})")


# ── a gain for grade 0 ───────────────────────────────────────────────────────────────────────────

ZERO = {"q": {"a": 0, "b": 1, "c": 0, "n": -1}}


def as_files(folder: Path) -> tuple[Any, Any]:
    qrels, run = folder / "qrels", folder / "run"
    qrels.write_text("".join(f"q 0 {doc} {grade}\n" for doc, grade in ZERO["q"].items()))
    run.write_text("q Q0 n 1 4 run\nq Q0 u 2 3 run\nq Q0 a 3 2 run\nq Q0 b 4 1 run\n")
    return qrels, run


@pytest.mark.parametrize("way", ["dictionaries", "files"])
@pytest.mark.parametrize(
    ("measure", "score"),
    [
        # a has the gain 1 at rank 3 and b the gain 4 at rank 4; the ideal has 4, 1, 1. n and u have none.
        ("DCG(gains={0:1,1:4})", 1 / 2 + 4 / math.log2(5)),
        ("nDCG(gains={0:1,1:4})", (1 / 2 + 4 / math.log2(5)) / (4 + 1 / math.log2(3) + 1 / 2)),
        ("nDCG(gains={0:1,1:4})@3", (1 / 2) / (4 + 1 / math.log2(3) + 1 / 2)),
        ("nDCG(gains={0:1,1:4},judged_only=True)", (1 + 4 / math.log2(3)) / (4 + 1 / math.log2(3) + 1 / 2)),
        ("nDCG(gains={0:0,1:4})", 1 / math.log2(5)),
    ],
)
def test_documents_of_grade_0_have_the_gain_that_they_are_given(
    measure: str, score: float, way: str, tmp_path: Path
) -> None:
    given: Any = (ZERO, {"run": {"q": ["n", "u", "a", "b"]}}) if way == "dictionaries" else as_files(tmp_path)
    judged, ranked = given
    assert evaluate(judged, ranked, measure).means[0, 0] == pytest.approx(score, abs=1e-15)


def test_what_documents_of_grade_0_earned_is_explained() -> None:
    (ranking,) = explain(ZERO, {"q": ["n", "u", "a", "b"]}, "DCG(gains={0:1,1:4})", "q").rankings
    assert ranking.terms[0].earned.tolist() == pytest.approx([0, 0, 1 / 2, 4 / math.log2(5)])


def test_a_gain_for_grade_0_is_refused_where_it_has_no_meaning() -> None:
    two = {"q": {"s": {"a": 1}, "t": {"a": 0, "b": 1}}}
    assert evaluate(two, {"q": ["b", "a"]}, "nDCG(gains={0:1})").means[0, 0] == 1  # folded, no grade is 0
    with pytest.raises(MeasureError, match="a gain for grade 0 needs judgments of one aspect"):
        evaluate(two, {"q": ["b", "a"]}, "nDCG_IA(gains={0:1})")
    tied = {"q": {"a": 1.0, "b": 1.0}}
    with pytest.raises(
        MeasureError, match="not known if documents of grade 0 have a gain; leave grade 0 out"
    ):
        evaluate(ZERO, tied, "nDCG(gains={0:1})", tied="expected")
    with pytest.raises(MeasureError, match="no bounds are known: a document of grade 0 has a gain"):
        evaluate(ZERO, tied, "nDCG(gains={0:1})", bounds=True)
    with pytest.raises(MeasureError, match="gains must be a mapping of grades ≥ 0 to gains ≥ 0"):
        evaluate(ZERO, tied, "nDCG(gains={-1:1})")


# ── Accuracy ─────────────────────────────────────────────────────────────────────────────────────


def test_accuracy_is_the_share_of_pairs_in_the_right_order() -> None:
    """In topic 2 everything is relevant and in topic 3 nothing, so neither has a pair."""
    judged: Any = {
        "1": {"A": 2, "B": 1, "C": 0},
        "2": {"a": 1},
        "3": {"b": 1, "x": 0, "y": 0},
        "4": {"c": 1, "x": 0, "y": 0, "z": 0},
    }
    run = {"1": ["C", "A", "X"], "2": ["a"], "3": ["x", "y"], "4": ["x", "c", "y", "z"]}
    scores = evaluate(judged, {"run": run}, ["Accuracy", "Accuracy@3", "Accuracy@1"])
    by_topic = scores.per_topic()["run"]
    assert by_topic["1"]["Accuracy@3"] == 0.5
    assert [by_topic["4"][name] for name in ("Accuracy", "Accuracy@3")] == [2 / 3, 0.5]
    assert math.isnan(by_topic["4"]["Accuracy@1"])
    assert set(by_topic) == {"1", "4"}
    assert scores.mean()["run"]["Accuracy"] == pytest.approx((0.5 + 2 / 3) / 2)  # of topics with pairs


@pytest.mark.parametrize("name", ["CAM(Accuracy)", "MM(Accuracy)", "Accuracy_IA"])
def test_a_mean_of_accuracy_does_not_depend_on_the_aspects_of_other_topics(name: str) -> None:
    one, more = {"q": {"s": {"a": 1, "b": 0}}}, {"r": {"s": {"a": 1, "b": 0}, "t": {"b": 1}}}
    run = {"q": ["a", "b"], "r": ["a", "b"]}
    alone = evaluate(one, {"run": {"q": run["q"]}}, name)
    together = evaluate(one | more, {"run": run}, name)
    assert alone.values.item() == together.values[0, together.topics.index("q")].item() == 1.0
