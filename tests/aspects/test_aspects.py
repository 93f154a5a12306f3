"""What `rankprism aspects` shows: orders, label counts, attainable scores, analyses, charts."""

from __future__ import annotations

import itertools
import math
import subprocess
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankprism import InputError, MeasureError, evaluate, read_judgments
from rankprism.data.scales import Scale
from rankprism.judging.aspects import attainable, labels, order, orders

Cli = Callable[..., subprocess.CompletedProcess[str]]
GRID = [Scale.of("relevance", 3), Scale.of("credibility", 2, given="relevance")]


# The order of label tuples


def test_classes_are_listed_from_the_best_to_the_worst() -> None:
    found = order(GRID, tuples="valid")
    # Squared distances to (2, 1): (2,0) 1, (1,1) 1, (1,0) 2, (0,0) 5
    assert found.classes == (((2, 1),), ((1, 1), (2, 0)), ((1, 0),), ((0, 0),))
    assert found.summary.columns["distance²"] == [0, 1, 2, 5]
    assert found.summary.columns["weight"] == [3, 2, 1, 0]
    assert found.summary.columns["(relevance, credibility)"][1] == "(2, 0) = (1, 1)"
    assert found.rows.columns["relevance"] == ["2", "2", "1", "1", "0"]
    assert order(GRID, tuples="valid", weights=[0, 0, 1, 5]).summary.columns["weight"] == [5, 1, 0, 0]


def test_the_hasse_diagram_has_the_steps_of_the_partial_order() -> None:
    edges = order(GRID).edges
    # A grid of 3 x 2: two steps up in each of two columns, one across in each of three rows
    assert len(edges) == 2 * 2 + 3
    assert ((0, 0), (1, 0)) in edges
    assert ((0, 0), (1, 1)) not in edges
    assert order(GRID).hasse().splitlines()[2].split() == ["(2,", "1)", "4", "–"]
    with pytest.raises(InputError, match="too many for a diagram"):
        _ = order([Scale.of("a", 20), Scale.of("b", 20)]).edges


def test_an_order_may_be_that_of_judgments() -> None:
    judged = read_judgments({"q": {"a": {"x": 2, "y": 1}, "b": {"x": 1, "y": 0}}}, aspects=["a", "b"])
    assert len(order(judged).rows) == 6
    assert len(order(judged, tuples="seen").rows) == 3  # the two documents', and nothing
    with pytest.raises(InputError, match="needs judgments"):
        order(GRID, tuples="seen")
    with pytest.raises(MeasureError, match="distance must be one of"):
        order(GRID, "far")
    with pytest.raises(MeasureError, match="best must be"):
        order(GRID, best=2)  # type: ignore[arg-type]
    with pytest.raises(MeasureError, match="weights must be"):
        order(GRID, weights=2)


def test_distances_side_by_side_are_not_squared() -> None:
    rows = orders([Scale.of("a", 3), Scale.of("b", 2)]).rows.columns
    far = dict(
        zip(zip(rows["measured by"], rows["a"], rows["b"], strict=True), rows["distance"], strict=True)
    )
    # From (0, 0) to (2, 1)
    assert far["euclidean", "0", "0"] == pytest.approx(math.sqrt(5))
    assert far["manhattan", "0", "0"] == 3
    assert far["chebyshev", "0", "0"] == 2


def test_labels_of_judgments_with_holes_are_counted_of_all_documents() -> None:
    found = labels(read_judgments({"q": {"a": {"x": 1}, "b": {"x": 1, "y": 1}}}))
    assert found.judged == 2
    assert found.documents == (1, 1, 0, 2)
    assert found.lowered == {"a": {"missing": 1}}


def test_of_many_aspects_not_all_orders_are_tried() -> None:
    judged = {"q": {a: {f"d{i}": i % (n + 2) for i in range(9)} for n, a in enumerate("abcdefgh")}}
    assert len(attainable(read_judgments(judged, aspects=list("abcdefgh"))).strategies) == 8 + 3


def test_the_command_prints_table_1(cli: Cli) -> None:
    labels = ["--labels", "relevance=0,1,2,3", "--labels", "correctness=nc,pc,c"]
    more = ["--embed", "correctness=0,3/2,3", "--given", "correctness=relevance"]
    found = cli("aspects", "order", *labels, *more, "--toma", "distance='chebyshev',tuples='valid'")
    assert found.returncode == 0, found.stderr
    assert [line.split("  ")[0] for line in found.stdout.splitlines()[2:]] == [
        "(3, c)",
        "(2, c)",
        "(3, pc) = (2, pc)",
        "(1, c) = (1, pc)",
        "(3, nc) = (2, nc) = (1, nc) = (0, nc)",
    ]
    # The classes of (3, pc) and, above all, (3, c): 9 different distances to (3, c), 0 to 13
    steps = cli("aspects", "order", *labels, "--hasse").stdout.splitlines()
    assert [line.split() for line in steps[2:4]] == [
        ["(3,", "c)", "8", "–"],
        ["(3,", "pc)", "7", "(3,", "c)"],
    ]
    beside = cli("aspects", "order", *labels, *more, "--toma", "tuples='valid'").stdout.splitlines()
    assert beside[0].split() == ["euclidean", "manhattan", "chebyshev"]
    cells = [cell.strip() for cell in beside[4].split("  ") if cell]
    assert cells == ["3", "(3, pc)", "(3, pc)", "(3, pc) = (2, pc)"]
    assert len(beside) == 2 + 10
    csv = cli("aspects", "order", *labels, "--format", "csv").stdout
    assert csv.startswith("measured by,class,weight,distance,relevance,relevance place,")
    assert csv.count("\n") == 1 + 3 * 12


# What CAM and MM reach


@settings(max_examples=30)
@given(
    labels=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=5),
    inner=st.sampled_from(["nDCG", "AP", "RBP", "nDCG@2"]),
)
def test_the_exact_maximum_is_that_of_all_rankings(labels: list[tuple[int, int]], inner: str) -> None:
    judged = {"q": {a: {f"d{i}": one[k] for i, one in enumerate(labels)} for k, a in enumerate("ab")}}
    names = [f"CAM({inner})", f"MM({inner})"]
    found = attainable(read_judgments(judged), names)
    best = np.zeros(2)
    for ranking in itertools.permutations([f"d{i}" for i, one in enumerate(labels) if any(one)]):
        run = {"q": {doc: -float(i) for i, doc in enumerate(ranking)}}
        if ranking:
            best = np.maximum(best, evaluate(judged, run, names).values[0, 0])
    assert found.exact.all()
    assert found.highest[0] == pytest.approx(best, abs=1e-12)
    assert (found.scores[0].max(1) <= best + 1e-12).all()


def test_ideal_rankings_are_those_of_the_paper() -> None:
    # Section 4.2's example: by relevance d2 d3 d1, by correctness d1 d2 d3; Table 3 has their CAM.
    judged = read_judgments(
        {"t": {"relevance": {"d1": 1, "d2": 3, "d3": 3}, "correctness": {"d1": 2, "d2": 1, "d3": 0}}},
        aspects=["relevance", "correctness"],
    )
    found = attainable(judged, ["CAM(nDCG)", "CAM(AP(rel=2))"], exact=0)
    ndcg, ap = (dict(zip(found.strategies, scores, strict=True)) for scores in found.scores[0])
    assert ndcg["relevance > correctness"] == pytest.approx(0.8801, abs=5e-5)
    assert ndcg["correctness > relevance"] == pytest.approx(0.9073, abs=5e-5)
    assert ap["correctness > relevance"] == pytest.approx(0.7917, abs=5e-5)
    # sums 3 4 3, squares 5 10 9, maxima 2 3 3; of equal ones the larger id comes first
    assert ndcg["sum"] == pytest.approx(0.8801, abs=5e-5)
    assert ndcg["sum of squares"] == pytest.approx(0.8801, abs=5e-5)
    assert ndcg["maximum"] == pytest.approx(0.8100, abs=5e-5)
    assert not found.exact.any()
    # (d1, d2, d3), the best of Table 3
    assert attainable(judged, ["CAM(nDCG)"]).highest[0, 0] == pytest.approx(0.9073, abs=5e-5)


def test_a_topic_with_nothing_reaches_nothing() -> None:
    judged = read_judgments({"q": {"a": {"x": 1}, "b": {"x": 1}}, "r": {"a": {"x": 0}, "b": {"x": 0}}})
    found = attainable(judged)
    assert found.highest.tolist() == [[1, 1], [0, 0]]
    assert found.summary.columns["topics at 1"] == [1, 1]
    assert len(found.rows) == 2 * 2 * (5 + 1)
    with pytest.raises(MeasureError, match="leave out judged_only"):
        attainable(judged, ["CAM(nDCG(judged_only=True))"])


JUDGED: dict[str, Any] = {
    "q": {"a": {"x": 1, "y": 1, "z": 0}, "b": {"x": 1, "y": 0, "z": 0}},
    "r": {"a": {"x": 0, "y": 1, "z": 0}, "b": {"x": 0, "y": 1, "z": 1}},
}


def test_label_counts_without_scales_are_those_of_grades() -> None:
    found = labels(read_judgments(JUDGED))
    assert found.judged == 6
    assert found.documents == (3, 3, 3, 3)


# Charts


def drawn(chart: dict[str, Any], part: dict[str, Any]) -> list[dict[str, Any]]:
    """The data of a part of a chart."""
    found: list[dict[str, Any]] = chart["datasets"][part["data"]["name"]]
    return found


def test_the_hasse_diagram_is_drawn_with_classes_as_colours() -> None:
    from rankprism.showing.plots import hasse_diagram

    chart = hasse_diagram(order(GRID)).to_dict()
    edges, boxes, names = chart["layer"]
    assert len(drawn(chart, edges)) == 7
    every = {f"({r}, {c})" for r in range(3) for c in range(2)}
    assert {point["labels"] for point in drawn(chart, boxes)} == every
    assert boxes["encoding"]["color"]["field"] == "class"
    assert names["mark"]["type"] == "text"


def test_attainable_scores_are_drawn_as_a_box_for_each_topic() -> None:
    from rankprism.showing.plots import attainable_boxes

    found = attainable(read_judgments(JUDGED), ["CAM(nDCG)", "MM(nDCG)"])
    chart = attainable_boxes(found).to_dict()
    assert [panel["mark"]["type"] for panel in chart["concat"]] == ["boxplot", "boxplot"]
    assert len(drawn(chart, chart["concat"][0])) == 2 * 5  # the highest is one of them
