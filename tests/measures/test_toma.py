"""TOMA, CAM and MM against Maistro et al. 2021: Table 1, Table 3, and the theory of section 3."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankprism import InputError, MeasureError, evaluate, parse, read_judgments
from rankprism.data.scales import Scale
from rankprism.judging.aspects import order
from rankprism.measures import distances as orders

RELEVANCE = Scale.of("relevance", ["nr", "mr", "fr", "hr"])


def correctness(embed: str) -> Scale:
    return Scale.of("correctness", ["nc", "pc", "c"], embed=embed.split(","), given="relevance")


#: Table 1, best class first; "=" joins equals. The printed table lists the same tuples without showing ties.
TABLE_1 = {
    ("0,3/2,3", "euclidean"): "33 23 31.5 21.5 13 11.5 30 20 10 00",
    ("0,3/2,3", "manhattan"): "33 23 31.5 13 21.5 30 11.5 20 10 00",
    ("0,3/2,3", "chebyshev"): "33 23 31.5=21.5 13=11.5 30=20=10=00",
    ("0,1,2", "euclidean"): "32 31=22 21 30=12 20=11 10 00",
    ("0,1,2", "manhattan"): "32 31=22 30=21=12 20=11 10 00",
    ("0,1,2", "chebyshev"): "32 31=22=21 30=20=12=11=10 00",
    ("0,2,6", "euclidean"): "36 26 16 32 22 12 30 20 10 00",
    ("0,2,6", "manhattan"): "36 26 16 32 22 30=12 20 10 00",
    ("0,2,6", "chebyshev"): "36 26 16 32=22=12 30=20=10=00",
}


@pytest.mark.parametrize(("embed", "name"), TABLE_1)
def test_the_nine_orders_of_table_1_come_out_with_their_ties(embed: str, name: str) -> None:
    scales = (RELEVANCE, correctness(embed))
    table = orders.distance_order(scales, name, tuples=orders.valid(scales))
    found = [{orders.embedded(scales, labels) for labels in members} for members in reversed(table.classes)]
    printed = [
        {(Fraction(one[0]), Fraction(one[1:])) for one in members.split("=")}
        for members in TABLE_1[embed, name].split()
    ]
    assert found == printed


#: Table 3: AP and NDCG of CAM, MM, EUCL, MANH, CHEB for every ranking of the three documents.
AP_CELLS = """
123 .7917 .3684 1 1 .5          132 .7917 .3684 .8333 .8333 .3333   213 .6667 .3125 1 1 1
231 .6667 .25 .8333 .8333 1     312 .6667 .3125 .5833 .5833 .3333   321 .6667 .25 .5833 .5833 .5
12 .6250 .25 1 1 .5             13 .6250 .25 .5 .5 0                21 .5 .25 1 1 1
23 .5 0 .5 .5 1                 31 .5 .25 .25 .25 0                 32 .5 0 .25 .25 .5
1 .5 0 .5 .5 0                  2 .25 0 .5 .5 1                     3 .25 0 0 0 0
"""
NDCG_CELLS = """
123 .9073 .4489 .9367 .9711 .8597  132 .8824 .4386 .8917 .9404 .7602  213 .9056 .4516 1 1 1
231 .8801 .4319 .9775 .9795 .9502  312 .8106 .3930 .8284 .8827 .6199  321 .8100 .3827 .8509 .8929 .6697
12 .7682 .3491 .8080 .8147 .8597   13 .6483 .3145 .5914 .6667 .3801   21 .7665 .3776 .8713 .8436 1
23 .6437 .2679 .7630 .7449 .7602   31 .5765 .2801 .5281 .6089 .2398   32 .5735 .1897 .6364 .6583 .4796
1 .4728 .1491 .4290 .4693 .3801    2 .4682 .2258 .6006 .5475 .7602    3 .2781 0 .2574 .3129 0
"""
COLUMNS = ("CAM", "MM", "euclidean", "manhattan", "chebyshev")
LABELS = {"1": ("mr", "c"), "2": ("hr", "pc"), "3": ("hr", "nc")}
EXAMPLE = {
    "t": {
        "relevance": {f"d{d}": labels[0] for d, labels in LABELS.items()},
        "correctness": {f"d{d}": labels[1] for d, labels in LABELS.items()},
    }
}
#: The cells that no definition gives: AP of relevance is 1/4 and of correctness 1 there (CAM .6250 is right).
NOT_REPRODUCED = {("AP", "12", "MM"), ("AP", "13", "MM")}


def example_scores(measure: str, ranking: str) -> dict[str, float]:
    """CAM, MM and TOMA of a measure as section 4.2 sets them up."""
    judged = read_judgments(EXAMPLE, aspects={"relevance": RELEVANCE, "correctness": correctness("0,3/2,3")})
    run = {"t": {f"d{d}": 1 - i / 10 for i, d in enumerate(ranking)}}
    # AP of single aspects: fairly and highly relevant count, and correct, so from grade 2 on; the grades of
    # NDCG, 5 10 15 and 5 10, are multiples of 1 2 3 and 1 2.
    single, weights = ("AP(rel=2)", "top-half") if measure == "AP" else ("nDCG", "step")
    names = {
        "CAM": f"CAM({single})",
        "MM": f"MM({single})",
        **{d: f"TOMA({measure},distance='{d}',weights='{weights}',tuples='valid')" for d in COLUMNS[2:]},
    }
    found = evaluate(judged, run, list(names.values())).mean()["run"]
    return {column: found[str(parse(name))] for column, name in names.items()}


def printed_cells(text: str) -> dict[str, list[float]]:
    words = text.split()
    return {words[i]: [float(x) for x in words[i + 1 : i + 6]] for i in range(0, len(words), 6)}


@pytest.mark.parametrize(("measure", "cells"), [("AP", AP_CELLS), ("nDCG", NDCG_CELLS)])
def test_148_of_the_150_cells_of_table_3_come_out(measure: str, cells: str) -> None:
    reproduced = 0
    for ranking, printed in printed_cells(cells).items():
        found = example_scores(measure, ranking)
        # The printed MM is half of Eq. 6: 1 / Σ 1/x instead of 2 / Σ 1/x.
        found["MM"] /= 2
        for column, value in zip(COLUMNS, printed, strict=True):
            if (measure, ranking, column) in NOT_REPRODUCED:
                assert value == 0.25
                assert found[column] == pytest.approx(0.2)
            else:
                assert found[column] == pytest.approx(value, abs=5.1e-5), (ranking, column)
                reproduced += 1
    assert reproduced == {"AP": 73, "nDCG": 75}[measure]


def test_mm_is_equation_6_and_not_its_half() -> None:
    # AP of relevance 1/4, of correctness 1: 2 / (4 + 1)
    assert example_scores("AP", "12")["MM"] == pytest.approx(0.4)


def test_no_ranking_of_the_example_reaches_1_with_cam_or_mm_and_one_does_with_toma() -> None:
    for measure in ("AP", "nDCG"):
        best = dict.fromkeys(COLUMNS, 0.0)
        for n in (1, 2, 3):
            for ranking in itertools.permutations("123", n):
                for column, value in example_scores(measure, "".join(ranking)).items():
                    best[column] = max(best[column], value)
        assert best["CAM"] < 1
        assert best["MM"] < 1
        assert best["euclidean"] == best["manhattan"] == best["chebyshev"] == pytest.approx(1)


def test_the_ten_valid_tuples_may_be_listed_instead() -> None:
    scales = {"relevance": RELEVANCE, "correctness": correctness("0,3/2,3")}
    listed = tuple((r, c) for r in RELEVANCE.names for c in ("nc", "pc", "c") if r != "nr" or c == "nc")
    assert len(listed) == 10
    run = {"t": {"d2": 3, "d3": 2, "d1": 1}}
    measures = [parse("TOMA(nDCG,tuples='valid')"), parse("TOMA(nDCG)")(tuples=listed), parse("TOMA(nDCG)")]
    valid, given_tuples, product = evaluate(EXAMPLE, run, measures, aspects=scales).values[0, 0]
    assert valid == given_tuples != product
    assert parse(str(measures[1])) == measures[1]


# The theory


Labels = tuple[int, ...]


def slow_weight(labels: Labels, every: list[Labels], best: Labels, name: str) -> int:
    """How many different distances in the set are greater, straight from the definition."""

    def distance(x: tuple[int, ...]) -> Fraction:
        steps = [abs(a - b) for a, b in zip(x, best, strict=True)]
        known = {"euclidean": sum(s * s for s in steps), "manhattan": sum(steps), "chebyshev": max(steps)}
        return Fraction(known[name])

    return len({distance(x) for x in every if distance(x) > distance(labels)})


@st.composite
def collections_of_aspects(draw: st.DrawFn) -> tuple[dict[str, Any], list[str], list[int]]:
    sizes = draw(st.lists(st.integers(2, 4), min_size=1, max_size=3))
    docs = [f"d{i}" for i in range(draw(st.integers(1, 6)))]
    judged = {f"a{a}": {doc: draw(st.integers(0, size - 1)) for doc in docs} for a, size in enumerate(sizes)}
    return judged, draw(st.permutations([*docs, "x", "y"])), sizes


DISTANCES = ("euclidean", "manhattan", "chebyshev")


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
@pytest.mark.parametrize("name", DISTANCES)
@given(case=collections_of_aspects(), tuples=st.sampled_from(["product", "seen"]))
def test_toma_equals_the_measure_of_slow_class_weights(
    name: str, case: tuple[dict[str, Any], list[str], list[int]], tuples: str
) -> None:
    judged, ranking, sizes = case
    labels = {doc: tuple(judged[a][doc] for a in judged) for doc in judged["a0"]}
    every = list(itertools.product(*map(range, sizes)))
    if tuples == "seen":
        every = list({*labels.values(), (0,) * len(sizes)})
    best = tuple(size - 1 for size in sizes)
    weights = {doc: slow_weight(x, every, best, name) for doc, x in labels.items()}
    run = {"q": {doc: -i for i, doc in enumerate(ranking)}}
    scales = {a: list(range(size)) for a, size in zip(judged, sizes, strict=True)}
    for inner in ("nDCG", "AP", "nDCG@2"):
        measure = f"TOMA({inner},distance='{name}',tuples='{tuples}')"
        found = evaluate({"q": judged}, run, measure, aspects=scales).mean()["run"]
        wanted = evaluate({"q": weights}, run, inner).mean()["run"]
        assert list(found.values()) == pytest.approx(list(wanted.values()), abs=1e-12)


@given(
    embeds=st.lists(st.lists(st.integers(0, 6), min_size=1, max_size=4).map(sorted), min_size=1, max_size=3),
    name=st.sampled_from(DISTANCES),
)
def test_every_embedding_respects_the_partial_order(embeds: list[list[int]], name: str) -> None:
    # Equation 1, whatever the non-decreasing embedding (the appendix of the paper proves it).
    scales = tuple(Scale.of(f"a{i}", len(places), embed=places) for i, places in enumerate(embeds))
    order = orders.distance_order(scales, name)
    place = {labels: c for c, members in enumerate(order.classes) for labels in members}
    for x, y in itertools.product(place, repeat=2):
        if orders.is_below(x, y):
            assert place[x] <= place[y]


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
@given(case=collections_of_aspects(), name=st.sampled_from(DISTANCES))
def test_the_ideal_ranking_of_the_order_scores_1(
    case: tuple[dict[str, Any], list[str], list[int]], name: str
) -> None:
    judged, _, sizes = case
    labels = {doc: tuple(judged[a][doc] for a in judged) for doc in judged["a0"]}
    every = list(itertools.product(*map(range, sizes)))
    best = tuple(size - 1 for size in sizes)
    weights = {doc: slow_weight(x, every, best, name) for doc, x in labels.items()}
    scales = {a: list(range(size)) for a, size in zip(judged, sizes, strict=True)}
    run = {"q": {doc: float(w) for doc, w in weights.items()}}
    score = evaluate({"q": judged}, run, f"TOMA(nDCG,distance='{name}')", aspects=scales).values[0, 0, 0]
    assert score == pytest.approx(1.0 if any(weights.values()) else 0.0)


def test_equal_distances_are_equal_whatever_floats_make_of_them() -> None:
    # 0.1 + 0.2 and 0.3 differ as floats.
    scales = (
        Scale.of("a", 2, embed=["0", "0.3"]),
        Scale.of("b", 3, embed=["0", "0.1", "0.3"]),
    )
    order = orders.distance_order(scales, "manhattan")
    # (1, 0) is 0.3 away, (0, 2) is 0.3 away
    assert ((0, 2), (1, 0)) in order.classes


# Weights of classes and aspects


@pytest.mark.parametrize(
    ("weights", "worth"),
    [
        ("'step'", [0, 1, 2, 3, 4]),
        ("'exponential'", [0, 2, 4, 8, 16]),  # section 3.3
        ("'top-half'", [0, 0, 1, 1, 1]),  # of five classes the better three
        ("(0,0,1,5,9)", [0, 0, 1, 5, 9]),
    ],
)
def test_class_weights(weights: str, worth: list[float]) -> None:
    judged = {"q": {"a": {f"d{i}": i for i in range(5)}}}
    run = {"q": {f"d{i}": 5.0 - i for i in range(5)}}
    found = evaluate(judged, run, f"TOMA(DCG,weights={weights})").values[0, 0, 0]
    assert found == pytest.approx(sum(w / math.log2(i + 2) for i, w in enumerate(worth)))


@pytest.mark.parametrize(("name", "rel"), [("euclidean", 2), ("manhattan", 2), ("chebyshev", 1)])
def test_weighted_distances_count_aspects_by_their_weights(name: str, rel: int) -> None:
    # x has all of a, y all of b. The one on the heavier aspect is second of four classes; by the farthest
    # aspect it is second of three, because the other one is as far as a document with nothing.
    judged = {"q": {"a": {"x": 1, "y": 0}, "b": {"x": 0, "y": 1}}}
    run = {"q": {"x": 2.0, "y": 1.0}}
    toma = f"TOMA(RR(rel={rel}),distance='{name}',weighted=True)"
    assert evaluate(judged, run, toma, weights={"a": 0.3, "b": 0.7}).values[0, 0, 0] == 0.5
    assert evaluate(judged, run, toma, weights={"a": 0.7, "b": 0.3}).values[0, 0, 0] == 1
    # Without weights both are in one class, below that.
    assert evaluate(judged, run, f"TOMA(RR(rel={rel}),distance='{name}')").values[0, 0, 0] == 0


def test_weights_may_differ_from_topic_to_topic() -> None:
    two = {"a": {"x": 1, "y": 0}, "b": {"x": 0, "y": 1}}
    weights = {"q1": {"a": 1, "b": 3}, "q2": {"a": 3, "b": 1}}
    run = {"q1": {"x": 2.0, "y": 1.0}, "q2": {"x": 2.0, "y": 1.0}}
    scores = evaluate({"q1": two, "q2": two}, run, "TOMA(RR(rel=2),weighted=True)", weights=weights)
    assert scores.values[0, :, 0].tolist() == [0.5, 1.0]


def test_a_distance_of_ones_own_has_a_name() -> None:
    @orders.distance
    def first_aspect_first(labels: orders.Point, best: orders.Point) -> Fraction | int:
        return 10 * (best[0] - labels[0]) + best[1] - labels[1]

    judged = {"q": {"a": {"x": 1, "y": 0}, "b": {"x": 0, "y": 2}}}
    run = {"q": {"y": 2.0, "x": 1.0}}
    scores = evaluate(judged, run, "TOMA(RR(rel=3),distance='first_aspect_first')")
    assert scores.values[0, 0, 0] == 0.5  # classes (0,0) (0,1) (0,2) (1,0) …: x weighs 3
    with pytest.raises(MeasureError, match="exists already"):
        orders.distance(first_aspect_first)


def test_a_best_label_beyond_the_scale_is_a_point() -> None:
    # As the authors' program has it for Decision 2019: (2,2,2), although two aspects stop at 1.
    judged = {"q": {"a": {"x": 2, "y": 1}, "b": {"x": 0, "y": 1}}}
    run = {"q": {"x": 2.0, "y": 1.0}}
    scales = {"a": [0, 1, 2], "b": [0, 1]}
    # Squared distances to (2,1): x 1, y 1; to (2,2): x 4, y 2.
    near, far = evaluate(judged, run, ["TOMA(nDCG)", "TOMA(nDCG,best=(2,2))"], aspects=scales).values[0, 0]
    assert near == pytest.approx(1)
    assert far < 1


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("TOMA(nDCG,distance='cosine')", "distance must be one of 'euclidean', 'manhattan', 'chebyshev'"),
        ("TOMA(nDCG,distance='nowhere_zero')", "of the best labels to themselves is 1; it must be 0"),
        ("TOMA(nDCG,distance='upside_down')", "which is no better on any aspect"),
        ("TOMA(nDCG,weights=(0,1))", "2 weights for 5 classes"),
        ("TOMA(nDCG,weights=(0,1,2,1,3))", "must begin with 0 and never descend"),
        ("TOMA(nDCG,weights=(1,1,2,3,4))", "must begin with 0 and never descend"),
        ("TOMA(nDCG,tuples=((1,1),(2,1)))", "need the lowest label of every aspect, (0, 0)"),
        ("TOMA(nDCG,tuples=((0,0),(2,1)))", "the labels (1, 1), which are not among the tuples"),
        ("TOMA(nDCG,tuples=((0,0),(7,1)))", "7 is not a label of a; it has 0, 1, 2"),
        ("TOMA(nDCG,tuples=((0,0,0),))", "must be a tuple of 2 labels, one for each of a, b"),
        ("TOMA(nDCG,best=(2,1,1))", "best needs a label of each aspect (a, b); got 3"),
        ("TOMA(nDCG,best=('top',1))", "best has 'top', which is not a label of a; it has 0, 1, 2"),
        ("TOMA(nDCG,best=(0,0))", "puts (2, 1) behind (2, 0), which is no better on any aspect"),
        (
            "TOMA(nDCG,distance='not_a_number')",
            "of ('0', '0') to ('2', '1') is nan; it must be a finite number",
        ),
        ("TOMA(nDCG,distance='of_two_parts')", "is 1j; it must be a finite number"),
        ("TOMA(nDCG,distance='unweighted',weighted=True)", "unweighted does not use the weights of aspects"),
        ("TOMA", "TOMA needs a measure inside"),
        ("TOMA(nDCG)@10", "takes no cutoff of its own; write TOMA(nDCG@10)"),
        ("TOMA(alpha_nDCG)", "must be a single-aspect measure"),
        ("Aspect(nDCG,aspect='c')", "aspect must be one of 'a', 'b'; got 'c'"),
        ("Aspect(nDCG)", "aspect must be one of 'a', 'b'; got None"),
        ("Contrast(nDCG,good='a')", "Contrast: bad must be one of 'a', 'b'; got 'harmful'"),
        ("Contrast(nDCG)", "Contrast: good must be one of 'a', 'b'; got 'helpful'"),
    ],
)
def test_what_toma_refuses(measure: str, message: str) -> None:
    @orders.distance
    def nowhere_zero(labels: orders.Point, best: orders.Point) -> int:
        return 1

    @orders.distance
    def upside_down(labels: orders.Point, best: orders.Point) -> Fraction | int:
        return sum(labels) if labels != best else 0

    @orders.distance
    def not_a_number(labels: orders.Point, best: orders.Point) -> float:
        return math.nan if labels != best else 0

    @orders.distance
    def of_two_parts(labels: orders.Point, best: orders.Point) -> complex:
        return 1j if labels != best else 0

    @orders.distance
    def unweighted(labels: orders.Point, best: orders.Point) -> Fraction | int:
        return sum(best) - sum(labels)

    judged = {"q": {"a": {"x": 2, "y": 1}, "b": {"x": 1, "y": 1}}}
    with pytest.raises(MeasureError) as error:
        evaluate(judged, {"q": {"x": 1.0}}, measure, aspects=["a", "b"])
    assert message in str(error.value)


def test_too_many_combinations_are_refused_unless_only_those_seen_count() -> None:
    judged = {"q": {a: {"x": 999, "y": i} for i, a in enumerate("abc")}}
    with pytest.raises(MeasureError, match="1000000000 combinations of labels"):
        evaluate(judged, {"q": {"x": 1.0}}, "TOMA(nDCG)")
    found = evaluate(judged, {"q": {"y": 2.0, "x": 1.0}}, "TOMA(nDCG,tuples='seen')").values[0, 0, 0]
    # Classes: nothing, y, x
    assert found == pytest.approx((1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3)))


@pytest.mark.parametrize("tuples", ["product", "valid"])
def test_too_many_combinations_are_refused_at_once(tuples: str) -> None:
    scales = tuple(Scale.of(aspect, 1000) for aspect in "abc")
    with pytest.raises(MeasureError, match="1000000000 combinations of labels"):
        orders.distance_order(scales, tuples=orders.chosen_tuples(scales, tuples))


def test_more_combinations_than_numbers_are_refused() -> None:
    judged = {"q": {a: {"x": 999} for a in "abcdefgh"}}
    with pytest.raises(InputError, match="combinations of labels are too many to number: 1000 of a"):
        evaluate(judged, {"q": {"x": 1.0}}, "TOMA(nDCG,tuples='seen')")


def test_exponential_weights_end_where_numbers_do() -> None:
    assert orders.distance_order((Scale.of("a", 1024),), weights="exponential").weights[-1] == 2.0**1023
    with pytest.raises(MeasureError, match="1025 classes are too many for exponential weights"):
        orders.distance_order((Scale.of("a", 1025),), weights="exponential")


@pytest.mark.parametrize("setting", ["best=(1,2)", "tuples=((0,0),(1,2))"])
def test_labels_are_listed_only_in_an_order_that_was_named(setting: str) -> None:
    # By the alphabet credibility would be the first.
    judged = {"q": {"relevance": {"x": 1}, "credibility": {"x": 2}}}
    with pytest.raises(InputError, match="the aspects have no order"):
        evaluate(judged, {"q": {"x": 1.0}}, f"TOMA(nDCG,{setting})")
    with pytest.raises(InputError, match="the aspects have no order"):
        order(read_judgments(judged), best=(1, 2))
    named = ["relevance", "credibility"]
    assert evaluate(judged, {"q": {"x": 1.0}}, f"TOMA(nDCG,{setting})", aspects=named).values[0, 0, 0] == 1


def test_toma_needs_the_same_aspects_in_every_topic() -> None:
    with pytest.raises(InputError, match="topics of these judgments have aspects of their own"):
        evaluate({"q": {"a": {"x": 1}}, "r": {"b": {"x": 1}}}, {"q": {"x": 1.0}}, "TOMA(nDCG)")


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
@settings(max_examples=20)
@given(case=collections_of_aspects())
def test_aspect_is_the_measure_of_that_aspect_alone(
    case: tuple[dict[str, Any], list[str], list[int]],
) -> None:
    judged, ranking, _ = case
    run = {"q": {doc: -i for i, doc in enumerate(ranking)}}
    for aspect, grades in judged.items():
        alone = evaluate({"q": grades}, run, "nDCG").values
        assert evaluate({"q": judged}, run, f"Aspect(nDCG,aspect='{aspect}')").values == pytest.approx(alone)


def test_contrast_is_the_difference_of_two_aspects() -> None:
    judged = {"q": {"a": {"x": 2, "y": 1}, "b": {"y": 1}}}
    run = {"q": {"y": 2.0, "x": 1.0}}
    names = ["Contrast(nDCG,good='a',bad='b')", "Aspect(nDCG,aspect='a')", "Aspect(nDCG,aspect='b')"]
    contrast, good, bad = evaluate(judged, run, names).values[0, 0]
    assert contrast == pytest.approx(good - bad)


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("p", [0.5, 0.95, 0.9999, 0.9999999])
def test_compatibility_far_down_is_the_sum_of_its_terms(p: float, normalize: bool) -> None:
    # The ideal ranking is x, y, this one y, x: both documents are common from rank 2 on.
    n = 200_000
    terms = p ** np.arange(n, dtype=np.float64) / np.arange(1, n + 1)
    both = 2 * math.fsum(terms[1:])
    expected = both / (both + terms[0]) if normalize else both * (1 - p) / (1 - p**n)
    judged, run = {"q": {"x": 2, "y": 1}}, {"q": {"y": 2.0, "x": 1.0}}
    measure = f"Compat(p={p},normalize={normalize},depth={n})"
    assert evaluate(judged, run, measure).values[0, 0, 0] == pytest.approx(expected, rel=1e-12)


def test_compatibility_to_any_depth_is_its_limit() -> None:
    judged, run = {"q": {"x": 2, "y": 1}}, {"q": {"y": 2.0, "x": 1.0}}
    names = [f"Compat(depth={depth})" for depth in (5_000, 10**7, 10**9)]
    limit, *far = evaluate(judged, run, names).values[0, 0]
    assert far == pytest.approx([limit, limit], rel=1e-14)


def test_the_ideal_ranking_of_compatibility_may_come_from_the_distance_order() -> None:
    # The best labels first, then the two that are equally far, whichever of them the ranking has first.
    judged = {"q": {"a": {"x": 1, "y": 1, "z": 0}, "b": {"x": 1, "y": 0, "z": 1}}}
    for ranking in (["x", "y", "z"], ["x", "z", "y"]):
        run = {"q": {doc: -i for i, doc in enumerate(ranking)}}
        assert evaluate(judged, run, "TOMA(Compat)").values[0, 0, 0] == pytest.approx(1)
    assert evaluate(judged, {"q": {"y": 2.0, "x": 1.0}}, "TOMA(Compat)").values[0, 0, 0] < 1
