"""What unjudged documents could still change."""

from __future__ import annotations

import csv
import dataclasses
import io
import itertools
import json
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import rankprism
from rankprism import MeasureError, sample
from rankprism.data.arrays import Floats
from rankprism.data.hits import Hits
from rankprism.measures import compose, lookup, mix, names, parse
from rankprism.measures import measure as measure_decorator
from rankprism.measures.family import Sum
from rankprism.measures.folds import FOLDS
from rankprism.measures.measure import Measure
from rankprism.measures.parts import FIRST, LOGARITHMIC, UNIFORM, Gain, Parts, binary
from rankprism.measures.registry import modules
from tests.measures.test_catalogue import Case, cases

pytestmark = pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")  # runs without judged documents

Rows = dict[tuple[str, str, str], dict[str, str]]


def bounds_of(
    judgments: Any, run: Any, *measures: str, **options: Any
) -> dict[str, tuple[float, float, float]]:
    """``{measure: (low, score, high)}`` for the only topic."""
    scores = rankprism.evaluate(judgments, run, measures, bounds=True, **options)
    assert scores.low is not None
    assert scores.high is not None
    columns = (scores.low[0, 0], scores.values[0, 0], scores.high[0, 0])
    return {m: tuple(float(c[i]) for c in columns) for i, m in enumerate(scores.measures)}  # type: ignore[misc]


def rows_of(text: str) -> Rows:
    return {(row["run"], row["topic"], row["measure"]): row for row in csv.DictReader(io.StringIO(text))}


# Bounds by hand


def test_an_unjudged_document_can_lower_average_precision() -> None:
    # If x is relevant, two documents are: (1/1 + 2/3) / 2.
    found = bounds_of({"q": {"s": {"a": 1, "b": 0}}}, {"q": {"a": 3.0, "b": 2.0, "x": 1.0}}, "AP")
    assert found["AP"] == pytest.approx((5 / 6, 1, 1), rel=1e-12)


def test_bounds_by_hand() -> None:
    # x is not judged. Grades 1 and 2 occur in the file, on either aspect.
    judgments = {"q": {"s": {"a": 2, "b": 0}, "t": {"c": 1}}}
    run = {"q": {"x": 4.0, "a": 3.0, "b": 2.0}}
    third, log3 = 1 / 3, 1.584962500721156  # log2(3)
    expected = {
        "P@3": (third, third, 2 * third),
        "RR": (0.5, 0.5, 1.0),
        # Of the two relevant documents a is at rank 2; with x there are three: (1/1 + 2/2) / 3.
        "AP": (0.25, 0.25, 2 * third),
        # R is 2 or, with x, 3.
        "Rprec": (0.5, 0.5, 2 * third),
        "StRecall@1": (0.0, 0.0, 1.0),
        "StRecall@2": (0.5, 0.5, 1.0),
        "DCG@1": (0.0, 0.0, 2.0),
        "DCG": (2 / log3, 2 / log3, 2 + 2 / log3),
        # x with grade 2 on s and t: (1/2 + 0) / 2 and (1 + 1/2 + 1) / 2, over 1 + 1/2 · 1/2 + 1/4 · 1/3
        "ERR_IA@1": (0.0, 0.0, 1.0),
    }
    found = bounds_of(judgments, run, *expected)
    assert found == {m: pytest.approx(row, rel=1e-12) for m, row in expected.items()}


def test_an_aspect_without_a_relevant_document_may_come_alive() -> None:
    # t has no relevant document, so only s counts, and it is reached. Then x, at rank 3 beyond the cutoff,
    # may turn out to be on t: one of two aspects is reached.
    judgments = {"q": {"s": {"a": 1}, "t": {"a": 0, "b": 0}}}
    run = {"q": {"a": 3.0, "b": 2.0, "x": 1.0}}
    measures = ("StRecall@2", "P_IA@2", "alpha_DCG@1", "S_RR")
    found = bounds_of(judgments, run, *measures)
    assert found["StRecall@2"] == (0.5, 1.0, 1.0)
    assert found["P_IA@2"] == (0.25, 0.5, 0.5)
    assert found["alpha_DCG@1"] == (0.5, 1.0, 1.0)
    assert found["S_RR"] == pytest.approx((1 / 3, 1, 1), rel=1e-12)
    # CAM counts all aspects anyway.
    assert bounds_of(judgments, run, "CAM(P@2)")["CAM(P@2)"] == (0.25, 0.25, 0.25)


def test_declared_labels_may_be_higher_than_those_that_occur() -> None:
    judgments, run = {"q": {"s": {"a": 1}, "t": {"b": 1}}}, {"q": {"x": 1.0}}
    assert bounds_of(judgments, run, "DCG@1")["DCG@1"] == (0.0, 0.0, 1.0)
    found = bounds_of(judgments, run, "DCG@1", aspects={"s": [0, 1, 2, 3], "t": [0, 1]})
    assert found["DCG@1"] == (0.0, 0.0, 3.0)


def test_a_grade_of_another_topic_is_possible_too() -> None:
    judgments = {"q": {"a": 1}, "r": {"b": 3}}
    scores = rankprism.evaluate(judgments, {"q": {"x": 1.0}}, "DCG", bounds=True)
    assert scores.high is not None
    assert scores.high[0, :, 0].tolist() == [3.0, 0.0]


def ranked(*docs: str) -> dict[str, dict[str, float]]:
    """A run that ranks these documents for topic q, the first one highest."""
    return {"q": {doc: -float(i) for i, doc in enumerate(docs)}}


def test_bounds_of_normalised_gain_by_hand() -> None:
    second, third = 1 / np.log2(3), 1 / 2  # the discounts of ranks 2 and 3
    # b and c are relevant; with x, three documents are.
    found = bounds_of({"q": {"n": 0, "b": 1, "c": 1}}, ranked("n", "b", "x"), "nDCG")["nDCG"]
    score = second / (1 + second)
    assert found == pytest.approx((score, score, (second + third) / (1 + second + third)), rel=1e-12)
    # The ranking is ideal unless x has grade 2, whose gain is 3 in D-nDCG.
    judgments = {"q": {"s": {"a": 1}}, "z": {"s": {"f": 2}}}
    scores = rankprism.evaluate(judgments, ranked("a", "x"), ["nDCG", "D_nDCG"], bounds=True)
    assert scores.low is not None
    assert scores.high is not None
    expected = [(1 + 2 * second) / (2 + second), (1 + 3 * second) / (3 + second)]
    assert scores.low[0, 0].tolist() == pytest.approx(expected, rel=1e-12)
    assert scores.high[0, 0].tolist() == pytest.approx([1, 1], rel=1e-12)


def test_bounds_of_measures_of_coverage_by_hand() -> None:
    judgments = {"q": {"s": {"a": 1}, "t": {"b": 1}}}
    # Nothing in the list is known to be relevant, and x may be relevant to both aspects.
    nothing = bounds_of(judgments, ranked("x", "y"), "P_at_recall", "S_precision")
    assert nothing == {"P_at_recall": (0, 0, 1), "S_precision": (0, 0, 1)}
    # Two documents are enough for both aspects, and the ranking needs three. It needs only two if x is on t.
    # The lower bound takes what can never be wrong: at least one document is needed, and at most three.
    found = bounds_of(judgments, ranked("a", "x", "b"), "S_precision")["S_precision"]
    assert found == pytest.approx((1 / 3, 2 / 3, 1), rel=1e-12)


def test_bounds_of_the_cube_test_by_hand() -> None:
    # a counts in full. If x is relevant too, it counts (1 - α) / 2 = 1/4.
    measure = "CT(saturation=2,gain='binary')"
    assert bounds_of({"q": {"s": {"a": 1}}}, ranked("a", "x"), measure)[measure] == (1, 1, 1.25)
    # An aspect that nothing has filled yet is not saturated.
    measure = "CT(gain='binary')"
    assert bounds_of({"q": {"s": {"a": 1}}}, ranked("a", "x"), measure)[measure][0] == 1


def test_the_ideal_of_compatibility_grows_with_new_documents() -> None:
    # With x, three documents are relevant. The overlaps are 0, 1/2 and 1/3, and their weights 1, 1/2 and 1/4.
    judged = {"n": 0, "b": 1, "c": 1}
    for measure in ("Compat(p=0.5)", "Compat(p=0.5,normalize=False)"):
        low, score, high = bounds_of({"q": judged}, ranked("n", "x"), measure)[measure]
        assert low == score == 0
        completed = rankprism.evaluate({"q": judged | {"x": 1}}, ranked("n", "x"), measure).values.item()
        assert completed == pytest.approx((1 / 4 + 1 / 12) / (1 + 1 / 2 + 1 / 4), rel=1e-12)
        assert completed <= high


def test_a_score_over_a_greedy_ideal_is_at_most_what_greed_can_miss() -> None:
    # Four judged and three unjudged documents: after m of seven documents, a greedy ranking has at least the
    # share 1 - (1 - 1/m)^m of what m documents can have.
    judgments = {"q": {"s": {"a": 1, "b": 1, "c": 1}, "t": {"d": 1}}}
    low, _, high = bounds_of(judgments, ranked("x", "y", "z"), "alpha_nDCG")["alpha_nDCG"]
    assert (low, high) == pytest.approx((0, 1 / (1 - (6 / 7) ** 7)), rel=1e-12)


def test_a_higher_grade_far_down_shrinks_the_ideal() -> None:
    # Grade 3 occurs on another topic. If x has it, the ten documents on s gain 1/8 instead of 1/2, which is
    # most of the ideal. But b, which is on t, still gains 1/2.
    others = {f"n{i}": 0 for i in range(10)}
    on_s = {f"d{i}": 1 for i in range(10)} | others
    elsewhere = {"s": {"f": 3}}
    run, measure = ranked("b", *others, "x"), "alpha_nDCG(alpha=0,gain='probability')@10"
    bounds = rankprism.evaluate({"q": {"s": on_s, "t": {"b": 1}}, "z": elsewhere}, run, measure, bounds=True)
    completed = {"q": {"s": on_s | {"x": 3}, "t": {"b": 1}}, "z": elsewhere}
    scores = rankprism.evaluate(completed, run, measure)
    D = 1 / np.log2(np.arange(2, 12))
    score = 0.5 / (7 / 8 * D[0] + 1 / 2 * D[1] + 1 / 8 * D[2:].sum())
    assert scores.values[0, 0, 0] == pytest.approx(score, rel=1e-12)
    assert bounds.values[0, 0, 0] == pytest.approx(1 / D.sum(), rel=1e-12)
    assert bounds.high is not None
    assert score <= bounds.high[0, 0, 0] <= 1


def test_bounds_include_what_a_short_search_for_the_cheapest_cover_leaves_open() -> None:
    # The search may give up on topics with more than 16 aspects. If x is on s00, the ranking reaches the last
    # aspect at rank 31 instead of 62, and the cheapest cover stays the same.
    rng = random.Random(3)
    docs, others = [f"d{i:02}" for i in range(30)], {f"n{i}": 0 for i in range(30)}
    judged = {f"s{a:02}": dict.fromkeys(rng.sample(docs, 4), 1) for a in range(1, 18)}
    judged["s00"] = dict.fromkeys(docs, 0) | others | {"last": 1}
    run, short = ranked(*docs, "x", *others, "last"), "S_precision(nodes=1)"
    low, score, high = bounds_of({"q": judged}, run, short)[short]
    proved = rankprism.evaluate({"q": judged}, run, "S_precision", bounds=True)
    completed = rankprism.evaluate({"q": judged | {"s00": judged["s00"] | {"x": 1}}}, run, "S_precision")
    assert completed.values.item() == pytest.approx(2 * proved.values.item(), rel=1e-12)
    assert low <= proved.values.item() <= score
    assert completed.values.item() <= high + 1e-12


@pytest.mark.parametrize("name", FOLDS)
def test_where_no_aspect_counts_a_folded_grade_is_0(name: str) -> None:
    assert FOLDS[name](np.zeros((1, 2, 3)), np.zeros((1, 2, 1))).tolist() == [[0.0, 0.0, 0.0]]


def test_long_rankings_have_the_bounds_of_all_numbers_of_new_documents() -> None:
    # 3,000 documents; "r0" … are judged. The scan over the number of new documents against a plain loop.
    docs = [f"r{i}" if i % 7 == 3 else f"x{i}" for i in range(3000)]
    judged = {d: int(d[1:]) % 2 for d in docs if d.startswith("r")} | {"missing": 1}
    run = {"q": {d: -float(i) for i, d in enumerate(docs)}}
    low, _, high = bounds_of({"q": judged}, run, "AP@2000")["AP@2000"]
    relevant = [judged.get(d, 0) == 1 for d in docs]
    unjudged = [i for i, d in enumerate(docs) if d not in judged]
    known = sum(judged.values())

    def ap(new: list[int]) -> float:
        is_new = set(new)
        found = total = 0.0
        for i in range(2000):
            if relevant[i] or i in is_new:
                found += 1
                total += found / (i + 1)
        return total / (known + len(new))

    numbers = (0, 1, 2, 5, 30, 200, 900, 1500, len(unjudged))
    assert high >= max(ap(unjudged[:m]) for m in numbers) - 1e-12
    assert low <= min(ap(unjudged[len(unjudged) - m :]) for m in numbers) + 1e-12
    assert high <= 1
    assert low > 0


# Bounds of every measure, over every completion

#: Parameters that lead along other paths, by measure; for ``M_IA`` those of M.
VARIANTS = {
    "P": ["rel=2"],
    "RR": ["rel=2"],
    "AP": ["rel=2", "normalize=False"],
    "Rprec": ["rel=2", "times=0.5", "times=1.6"],
    "R": ["rel=2"],
    "Success": ["rel=2"],
    "DCG": ["dcg='exp-log2'", "gains={1:3,2:1}"],
    "nDCG": ["dcg='exp-log2'", "gains={1:3,2:1}", "gains={1:0}"],
    "RBP": ["rel=2", "gain='linear'", "gain='share'", "gain='probability'"],
    "SetP": ["rel=2", "relative=True"],
    "SetF": ["rel=2", "beta=3"],
    "SetAP": ["rel=2"],
    "RelP": ["rel=2"],
    "Utility": ["rel=2", "found=-1,wrong=2", "missed=-1,rest=0.5,documents=100"],
    "IPrec": ["recall=0.5", "recall=1", "rel=2,rounding='nearest',recall=0.3"],
    "IAP": ["rel=2", "recalls=(0.2,0.5,0.8),rounding='nearest'"],
    "binG": ["rel=2"],
    "YAAP": ["rel=2"],
    "ERR": ["gain='probability'", "max_rel=2"],
    "nERR": ["gain='probability'", "max_rel=2"],
    "Q": ["beta=0", "gain='linear'", "gain='binary'", "gain='probability'"],
    "P_plus": ["beta=0", "gain='probability'"],
    "GAP": ["levels='printed'", "levels={1:0.3,2:0.7}"],
    "nGAP": ["levels='printed'", "levels={1:0.3,1.5:0.7}"],
    "Compat": ["p=0.5", "normalize=False", "depth=2", "depth=50"],
    "alpha_DCG": ["alpha=0", "alpha=1", "rel=2", "weighted=True", "gain='linear'", "gain='probability'"],
    "alpha_nDCG": [
        *("alpha=0", "alpha=1", "rel=2", "weighted=True", "gain='linear'", "gain='probability'"),
        *("ideal='exact'", "ideal='exact',gain='linear'", "ideal='exact',gain='probability'"),
        *("ideal='per-aspect'", "ideal='per-aspect',gain='exp'", "alpha=0,gain='linear'"),
    ],
    "ERR_IA": ["alpha=0.9", "gain='probability'", "gain='probability',max_rel=3"],
    "nERR_IA": [
        *("gain='probability'", "gain='probability',max_rel=3", "ideal='exact'"),
        *("ideal='exact',gain='probability'", "ideal='per-aspect',gain='probability'"),
    ],
    "NRBP": ["weighted=True", "gain='linear'"],
    "nNRBP": ["weighted=True", "gain='linear'", "ideal='exact'"],
    "EU": ["gain='binary'", "gain='linear'", "e=0"],
    "RBU": ["form='eq11'", "gain='binary'", "e=0", "p=1"],
    "StRecall": ["rel=2", "weighted=True"],
    "S_RR": ["level=0.5", "rel=2"],
    "S_precision": ["level=0.5", "rel=2"],
    "WS_precision": ["level=0.5", "rel=2", "a=0", "b=3"],
    "CT": [
        *("form='trec-dd-2016'", "form='trec-dd-2016',height=1,batch=1"),
        *("form='trec-dd-2015'", "form='trec-dd-2015',height=1,batch=2"),
        *("gain='binary'", "gain='linear',saturation=2"),
    ],
    "nCT": ["height=1,batch=1", "alpha=0"],
    "ACT": ["height=1,batch=1", "alpha=0", "form='trec-dd-2015',height=1,batch=2"],
    "P_at_recall": ["rel=2", "form='trec-dd-2016'", "form='new'", "form='share-new'"],
    "RR_at_recall": ["rel=2"],
    "D_nDCG": ["gain='linear'", "gain='probability'", "gain='binary'"],
    "D_Q": ["gain='linear'", "gain='probability'", "beta=0"],
    "DIN_nDCG": ["gain='linear'"],
    "D_nERR": ["gain='linear'", "gain='probability'"],
    "D_EBR": ["gain='linear'", "gain='probability'"],
    "D_iRBU": ["gain='linear'", "gain='probability'"],
    "D_RBP": ["gain='linear'", "gain='probability'"],
}
#: What TOMA, CAM and the like are put around, and how.
INSIDE = ("AP", "nDCG@2", "RR@1", "RBP(gain='linear')", "Q@3", "Rprec", "P@2")
AROUND = {
    "Aspect": ["Aspect({},aspect='t')"],
    "Reached": ["Reached({})", "Reached({},mean='harmonic')"],
    "Contrast": ["Contrast({},good='s',bad='t')"],
    "TOMA": ["TOMA({})", "TOMA({},distance='chebyshev',weights='top-half')", "TOMA({},weighted=True)"],
}


@pytest.fixture(scope="module", autouse=True)
def own_measures() -> None:
    """Measures put together from parts, of every novelty and divisor; registered once."""
    compose("own_decay", discount="uniform", novelty="decay", divisor="everything")
    compose("own_first", discount="reciprocal", gain="linear", novelty="first")
    compose("own_first_greedy", discount="slow", p=2.0, gain="linear", novelty="first", divisor="greedy")
    compose("own_sum", discount="geometric", gain="exp", divisor="greedy")
    compose("own_cascade", discount="slow", p=2.0, gain="probability", novelty="cascade", divisor="exact")
    mix("own_mix", {"AP": 0.5, "StRecall@2": -1.0})


#: Other tests register measures of their own.
_HOMES = {name: lookup(name).definition.module for name in names()}
BUILT_IN = [n for n, home in _HOMES.items() if home in modules() and lookup(n).needs == "judgments"]
OWN = ["own_decay", "own_first", "own_first_greedy", "own_sum", "own_cascade", "own_mix"]


def every_measure(aspects: int) -> list[str]:
    """Every measure that there is, with several parameters and cutoffs."""
    found = []
    for name in (*BUILT_IN, *OWN):
        definition = lookup(name).definition
        parameters = {p.name for p in definition.parameters}
        if "measure" in parameters:
            if aspects > 1 or name not in ("Aspect", "Contrast"):
                found += [form.format(m) for m in INSIDE for form in AROUND.get(name, [f"{name}({{}})"])]
            continue
        variants = ["", *VARIANTS.get(name, VARIANTS.get(name.removesuffix("_IA"), []))]
        if definition.single:
            # A sum of grades can be above the scale that ERR has by default.
            scale = ",max_rel=8" if "max_rel" in parameters else ""
            variants += [f"fold='{fold}'{scale}" for fold in FOLDS if fold != "max"]
        for variant in variants:
            plain = f"{name}({variant})" if variant else name
            found += [plain, *(f"{plain}@{k}" for k in (1, 2, 3) if "cutoff" in parameters)]
    return found


@dataclasses.dataclass(frozen=True)
class Topic:
    """A topic whose judgments name every aspect, and a ranking with documents that nobody judged."""

    judged: dict[str, dict[str, float]]
    ranking: list[str]
    unjudged: list[str]
    grades: tuple[int, ...]  # all that occur in the file
    weights: dict[str, float] | None

    @property
    def elsewhere(self) -> dict[str, dict[str, float]]:
        """Another topic, in which all grades occur on all aspects."""
        return {aspect: {f"f{g}": float(g) for g in self.grades} for aspect in self.judged}

    def completions(self) -> Iterator[dict[str, dict[str, float]]]:
        cells = [(aspect, doc) for aspect in self.judged for doc in self.unjudged]
        for chosen in itertools.product(self.grades, repeat=len(cells)):
            completed = {aspect: dict(grades) for aspect, grades in self.judged.items()}
            for (aspect, doc), grade in zip(cells, chosen, strict=True):
                completed[aspect][doc] = grade
            yield completed


def random_topic(seed: int) -> Topic:
    """Up to three aspects, some of them without a relevant document, and up to four unjudged documents.

    Every twelfth ranking is empty, as many have one document, and as many topics nothing relevant at all.
    """
    rng = random.Random(seed)
    aspects = ("s", "t", "u")[: rng.choice((1, 1, 2, 2, 2, 3))]
    grades = (0, 1) if rng.random() < 0.35 else (0, 1, 2)
    most = {1: 4, 2: 3 if len(grades) == 3 else 4, 3: 2}[len(aspects)]
    unjudged = [f"x{i}" for i in range(rng.randint(1, most))]
    docs = [f"d{i}" for i in range(rng.randint(2, 5))]
    judged: dict[str, dict[str, float]] = {aspect: {"nil": 0} for aspect in aspects}
    for aspect in aspects:
        possible = (0,) if rng.random() < 0.25 or seed % 12 == 2 else grades
        judged[aspect] |= {doc: rng.choice(possible) for doc in docs if rng.random() < 0.8}
    known = sorted({doc for grade in judged.values() for doc in grade})
    ranking = [doc for doc in known if rng.random() < 0.75] + unjudged
    rng.shuffle(ranking)
    if seed % 12 in (5, 11):
        ranking = ranking[: seed % 12 == 5]
        unjudged = [doc for doc in unjudged if doc in ranking]
    weights = None
    if len(aspects) > 1 and rng.random() < 0.4:
        drawn = [1.0, *(rng.choice((0.0, 0.5, 1.0, 2.0)) for _ in aspects[1:])]
        weights = {aspect: x / sum(drawn) for aspect, x in zip(aspects, drawn, strict=True)}
    return Topic(judged, ranking, unjudged, grades, weights)


@pytest.mark.parametrize(
    ("seed", "aspects"), [*((seed, None) for seed in range(48)), *((seed, "all") for seed in range(18))]
)
def test_no_completion_of_the_judgments_leads_beyond_the_bounds(seed: int, aspects: str | None) -> None:
    topic = random_topic(seed)
    everything = every_measure(len(topic.judged))
    # All of them is a lot: each topic has a sixth of them, and each of them eight topics.
    chosen = [m for m in everything[seed % 6 :: 6] if not parse(m).why_unbounded]
    assert len(chosen) > 100
    ranking = {doc: -float(i) for i, doc in enumerate(topic.ranking)}
    other = {"z": {"f0": 1.0}}  # so that the run has a topic even if the ranking is empty
    options: dict[str, Any] = {"measures": chosen, "weights": topic.weights, "aspects": aspects}
    judgments = {"q": topic.judged, "z": topic.elsewhere}
    bounds = rankprism.evaluate(judgments, {"q": ranking} | other, bounds=True, **options)
    completed = {f"q{n}": judged for n, judged in enumerate(topic.completions())}
    run = dict.fromkeys(completed, ranking) | other
    scores = rankprism.evaluate(completed | {"z": topic.elsewhere}, run, **options)
    reached = scores.values[0, [t != "z" for t in scores.topics]]
    assert bounds.low is not None
    assert bounds.high is not None
    row = bounds.topics.index("q")
    lows, highs = bounds.low[0, row], bounds.high[0, row]
    for name, low, high, column in zip(bounds.measures, lows, highs, reached.T, strict=True):
        least, most = column.min(), column.max()
        assert low <= least + 1e-12, (name, low, least)
        assert most <= high + 1e-12, (name, most, high)
        if parse(name).bounds_kind == "exact":
            assert (low, high) == pytest.approx((least, most), rel=1e-12, abs=1e-12), name


#: How many times as wide outer bounds are as what completions reach, over the eight topics of the test below.
#: Found by this test, rounded up: bounds of [0, 1] would be true, too, and of no use to anybody.
WIDTH = {
    **dict.fromkeys(["ERR", "RBU"], 1.05),
    **dict.fromkeys(["Compat", "D_RBP", "DSharp_nDCG", "DINSharp_nDCG", "RR_at_recall", "S_precision"], 1.15),
    **dict.fromkeys(["nDCG", "GAP", "nGAP", "D_iRBU"], 1.2),
    **dict.fromkeys(["D_nDCG", "DIN_nDCG", "DSharp_Q", "EU", "P_at_recall", "WS_precision"], 1.26),
    **dict.fromkeys(["P_plus", "CT", "P_plusQSharp"], 1.3),
    **dict.fromkeys(["D_nERR", "nERR", "D_EBR", "D_Q", "ACT", "P_plusQ", "Q"], 1.5),
    **{
        "nNRBP": 1.75,
        "alpha_nDCG": 1.86,
        "nCT": 2.75,
        "Reached(ERR)": 1.05,
        "ACT(form='trec-dd-2015')": 1.75,
    },
}


def test_outer_bounds_are_hardly_wider_than_necessary() -> None:
    bounded, attained = dict.fromkeys(WIDTH, 0.0), dict.fromkeys(WIDTH, 0.0)
    for seed in (1, 3, 6, 7, 8, 9, 12, 13):
        topic = random_topic(seed)
        ranking = {doc: -float(i) for i, doc in enumerate(topic.ranking)}
        judgments: dict[str, Any] = {"q": topic.judged, "z": topic.elsewhere}
        completed = {f"q{n}": judged for n, judged in enumerate(topic.completions())}
        options: dict[str, Any] = {"measures": list(WIDTH), "weights": topic.weights}
        bounds = rankprism.evaluate(judgments, {"q": ranking}, bounds=True, **options)
        run = dict.fromkeys(completed, ranking)
        reached = rankprism.evaluate(completed | {"z": topic.elsewhere}, run, **options)
        values = reached.values[0, [t != "z" for t in reached.topics]]
        row = bounds.topics.index("q")
        for m, name in enumerate(WIDTH):
            bounded[name] += bounds.high[0, row, m] - bounds.low[0, row, m]  # type: ignore[index]
            attained[name] += np.ptp(values[:, m])
    for name, width in WIDTH.items():
        assert attained[name] <= bounded[name] <= width * attained[name], (
            name,
            bounded[name] / attained[name],
        )


@pytest.mark.parametrize("seed", range(6))
def test_completions_of_longer_rankings_stay_within_the_bounds(seed: int) -> None:
    # Too many to enumerate: some grades at the top, at the bottom or anywhere among 40 unjudged documents.
    rng = random.Random(seed)
    aspects, grades = ("s", "t", "u"), (0, 0.5, 1, 3)
    docs = [f"d{i:02}" for i in range(12)]
    judged = {
        a: {d: rng.choice((0, 0, *grades)) for d in docs if rng.random() < 0.6} | {"n": 0} for a in aspects
    }
    unjudged = [f"x{i:02}" for i in range(40)]
    ranking = docs[:8] + unjudged
    rng.shuffle(ranking)
    in_order = [doc for doc in ranking if doc in unjudged]
    everywhere = {a: {f"f{g}": g for g in grades} for a in aspects}
    completed = {}
    for n in range(60):
        completed[f"q{n}"] = {a: dict.fromkeys(unjudged, 0) | judged[a] for a in aspects}
        for a in aspects:
            m = rng.choice((0, 1, rng.randint(0, 40), 40))
            chosen = rng.choice((in_order[:m], in_order[40 - m :], rng.sample(in_order, m)))
            grade = rng.choice((0.5, 3, None))
            completed[f"q{n}"][a] |= {doc: grade or rng.choice(grades) for doc in chosen}
    measures = [m for m in every_measure(3)[seed::6] if not parse(m).why_unbounded]
    measures = [m for m in measures if "max_rel" not in m or "gain" in m]
    run = {doc: -float(i) for i, doc in enumerate(ranking)}
    bounds = rankprism.evaluate({"q": judged, "z": everywhere}, {"q": run}, measures, bounds=True)
    scores = rankprism.evaluate(completed | {"z": everywhere}, dict.fromkeys(completed, run), measures)
    reached = scores.values[0, [t != "z" for t in scores.topics]]
    assert bounds.low is not None
    assert bounds.high is not None
    row = bounds.topics.index("q")
    for m, name in enumerate(bounds.measures):
        assert bounds.low[0, row, m] <= reached[:, m].min() + 1e-12, name
        assert reached[:, m].max() <= bounds.high[0, row, m] + 1e-12, name


@pytest.mark.parametrize("seed", range(4))
def test_bounds_include_what_a_short_search_for_the_best_ranking_leaves_open(seed: int) -> None:
    rng = random.Random(seed)
    judged = {a: {f"d{i}": float(rng.random() < 0.4) for i in range(9)} for a in ("s", "t", "u", "v")}
    topic = Topic(judged, ["d0", "x0", "d1", "x1", "d2"], ["x0", "x1"], (0, 1), None)
    run = {doc: -float(i) for i, doc in enumerate(topic.ranking)}
    short = rankprism.evaluate({"q": judged}, {"q": run}, "alpha_nDCG(ideal='exact',nodes=1)@5", bounds=True)
    completed = {f"q{n}": one for n, one in enumerate(topic.completions())}
    proved = rankprism.evaluate(completed, dict.fromkeys(completed, run), "alpha_nDCG(ideal='exact')@5")
    for scores in (short, proved):
        assert scores.low is not None
        assert scores.high is not None
    assert proved.low == pytest.approx(proved.high, rel=1e-12)
    assert short.low.item() <= proved.values.min() + 1e-12  # type: ignore[union-attr]
    assert proved.values.max() <= short.high.item() + 1e-12  # type: ignore[union-attr]
    assert short.low.item() <= short.values.item() <= short.high.item()  # type: ignore[union-attr]


def test_navigational_intents_have_bounds_too() -> None:
    # s wants one document only, and graded ones may take it from a better one.
    intents: dict[str, dict[str, float]] = {"s": {"a": 2, "b": 1, "c": 0}, "t": {"b": 1}}
    ranking = {doc: -float(i) for i, doc in enumerate(("x", "a", "y", "b"))}
    topic = Topic(intents, list(ranking), ["x", "y"], (0, 1, 2), None)
    measures = ["DIN_nDCG", "DIN_nDCG@2", "DINSharp_nDCG@3", "P_plusQ", "P_plusQ@2", "P_plusQSharp@3"]
    completed = {f"q{n}": judged for n, judged in enumerate(topic.completions())}

    def judgments(table: dict[str, Any]) -> Any:
        read = rankprism.read_judgments(table)
        one = np.array([aspect == "s" for aspects in read.aspects.values() for aspect in aspects])
        return dataclasses.replace(read, navigational=one)

    bounds = rankprism.evaluate(judgments({"q": intents}), {"q": ranking}, measures, bounds=True)
    reached = rankprism.evaluate(judgments(completed), dict.fromkeys(completed, ranking), measures).values[0]
    assert bounds.low is not None
    assert bounds.high is not None
    assert (bounds.low[0, 0] <= reached.min(0) + 1e-12).all()
    assert (bounds.high[0, 0] >= reached.max(0) - 1e-12).all()


def test_measures_of_which_no_bounds_are_known_are_refused() -> None:
    reasons = {
        "Judged@5": "counts judged documents and does not look at their grades",
        "AP(judged_only=True)": "leaves out unjudged documents",
        "CAM(AP(judged_only=True))": r"of AP\(judged_only=True\): it leaves out unjudged documents",
        "D_nDCG(digits=4)@10": "leave out digits",
        "TOMA(AP,tuples='seen')": "use tuples='product' or 'valid'",
    }
    for measure, reason in reasons.items():
        with pytest.raises(MeasureError, match=reason):
            bounds_of({"q": {"s": {"a": 1}, "t": {"a": 1}}}, {"q": {"a": 1.0}}, measure)
    # The label 3 of s would be new to t.
    with pytest.raises(MeasureError, match="declare the labels"):
        bounds_of({"q": {"s": {"a": 3}, "t": {"a": 1}}}, {"q": {"a": 1.0}}, "TOMA(AP)")
    with pytest.raises(MeasureError, match="may have grade 5, which is above 4; set max_rel=5"):
        bounds_of(
            {"q": {"s": {"a": 1}}}, {"q": {"a": 1.0}}, "Aspect(ERR,aspect='s')", aspects={"s": range(6)}
        )

    @measure_decorator()
    def unheard_of(hits: Hits) -> Floats:
        """A measure that says nothing of bounds."""
        return np.zeros(len(hits.length))

    with pytest.raises(MeasureError, match="unheard_of: no bounds are known: none have been proved"):
        bounds_of({"q": {"a": 1}}, {"q": {"a": 1.0}}, "unheard_of")


@pytest.mark.parametrize(
    "parts",
    [
        Parts(LOGARITHMIC, binary(1.0), over="relevant"),
        Parts(UNIFORM, Gain("linear"), over="depth and relevant"),
        Parts(UNIFORM, binary(1.0), FIRST, over="relevant"),
    ],
)
def test_a_quotient_without_a_proof_has_no_bounds(parts: Parts) -> None:
    """A user may declare it, and its score is fine; but the proofs for recall, F1 and AP do not cover it."""
    definition = lookup("P").definition
    measure = Measure(dataclasses.replace(definition, form=lambda cutoff, rel: Sum(parts, cutoff, "Mine")))
    judged, run = {"q": {"a": 1, "b": 1}}, {"q": {"a": 2.0, "c": 1.0}}
    assert rankprism.evaluate(judged, run, [measure]).values.item() > 0
    with pytest.raises(MeasureError, match="no bounds are known for a sum that is divided by"):
        rankprism.evaluate(judged, run, [measure], bounds=True)


@settings(max_examples=20)
@given(case=cases())
def test_nothing_is_open_where_everything_is_judged(case: Case) -> None:
    measures = [parse(m) for m in every_measure(3)[::5] if "TOMA" not in m and "Contrast" not in m]
    chosen = [
        m for m in measures if not m.why_unbounded and "Aspect" not in str(m) and "max_rel" not in str(m)
    ]
    judged = {
        topic: {a: dict.fromkeys(case.run.get(topic, {}), 0.0) | grades for a, grades in aspects.items()}
        for topic, aspects in case.judgments.items()
    }
    certain = rankprism.evaluate(judged, case.run, chosen, weights=case.weights, bounds=True)
    plain = rankprism.evaluate(judged, case.run, chosen, weights=case.weights)
    for ends, given_ends in ((certain.low, plain.low), (certain.high, plain.high)):
        assert ends is not None
        assert (ends == (plain.values if given_ends is None else given_ends)).all()


def test_what_is_said_of_bounds(cli: Callable[..., Any]) -> None:
    kinds = {name: lookup(name).bounds_kind for name in BUILT_IN}
    tried = {re.sub(r"@\d+$", "", name) for name in every_measure(3)}
    assert {name for name, kind in kinds.items() if kind == "exact"} <= tried
    single = {"Accuracy", "Bpref", "infAP", "nDCG_rel", "RnDCG", "G"}
    unknown = {"Judged", "Unjudged", "RBP_residual", *single, *(f"{name}_IA" for name in single)}
    assert {name for name, kind in kinds.items() if kind == "none"} == unknown
    assert "Bounds for unjudged documents: exact" in cli("measures", "AP").stdout
    assert "Bounds for unjudged documents: outer" in cli("measures", "nDCG").stdout
    assert "Bounds for unjudged documents: none are known (it counts" in cli("measures", "Judged").stdout
    refused = cli("evaluate", sample.QRELS, sample.RUNS[0], "-m", "Judged@5", "--bounds")
    assert refused.returncode == 2
    assert "Judged@5: no bounds are known: it counts judged documents" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_without_bounds_there_are_none() -> None:
    scores = rankprism.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "AP")
    assert (scores.low, scores.high) == (None, None)
    assert list(scores.to_frame("pandas").columns) == ["run", "topic", "measure", "score"]
    assert scores.conventions["bounds"] is False


def test_bounds_in_a_frame_and_for_topics_that_a_run_lacks() -> None:
    judgments = {"q": {"a": 1}, "r": {"b": 1}}
    scores = rankprism.evaluate(judgments, {"q": {"x": 1.0}}, "RR", bounds=True, topics="retrieved")
    frame = scores.to_frame("pandas")
    assert list(frame.columns) == ["run", "topic", "measure", "score", "low", "high"]
    assert frame.to_numpy().tolist() == [["run", "q", "RR", 0.0, 0.0, 1.0]]
    everything = rankprism.evaluate(judgments, {"q": {"x": 1.0}}, "RR", bounds=True)
    assert everything.high is not None
    assert everything.high[0, :, 0].tolist() == [1.0, 0.0]  # an empty ranking stays empty
    assert everything.conventions["bounds"] is True


def test_bounds_on_the_command_line(cli: Callable[..., Any]) -> None:
    runs, options = sample.RUNS[:2], ["-m", "alpha_nDCG@10", "-m", "RBU", "--bounds"]
    scores = rankprism.evaluate(sample.QRELS, list(runs), ["alpha_nDCG@10", "RBU"], bounds=True)
    assert scores.low is not None
    assert scores.high is not None
    result = cli("evaluate", sample.QRELS, *runs, *options, "--per-topic", "--format", "csv")
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[0] == "run,topic,measure,score,low,high"
    rows = rows_of(result.stdout)
    assert len(rows) == 2 * 2 * len(scores.topics)
    printed = cli("evaluate", sample.QRELS, *runs, *options, "--format", "csv").stdout
    rows |= rows_of(printed)  # the means
    for r, run in enumerate(scores.runs):
        for m, measure in enumerate(scores.measures):
            for name, array in (("score", scores.values), ("low", scores.low), ("high", scores.high)):
                for t, topic in enumerate(scores.topics):
                    assert float(rows[run, topic, measure][name]) == array[r, t, m]
                mean = float(rows[run, "all", measure][name])
                assert mean == pytest.approx(array[r, :, m].mean(), rel=1e-12)

    found = json.loads(cli("evaluate", sample.QRELS, *runs, *options, "--format", "json").stdout)
    for name, array in (("score", scores.values), ("low", scores.low), ("high", scores.high)):
        means = [row[name] for row in found["rows"]]
        assert means == pytest.approx(array.mean(1).ravel().tolist(), rel=1e-12)

    table = cli("evaluate", sample.QRELS, *runs, *options).stdout.splitlines()
    low, score, high = (
        float(rows[scores.runs[0], "all", "alpha_nDCG@10"][name]) for name in ("low", "score", "high")
    )
    assert f"{score:.4f} [{low:.4f}, {high:.4f}]" in table[2]
