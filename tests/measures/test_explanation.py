"""What each document earned: it adds up to the score, and it is what the formulas say."""

from __future__ import annotations

import math
import subprocess
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

from rankprism import evaluate, explain, parse, sample
from rankprism.data.hits import Hits, batches
from rankprism.errors import InputError
from rankprism.formats.runs import align_source
from rankprism.measures import Measure
from rankprism.measures.contributions import gains_of_beginnings
from tests.support import all_scores

pytestmark = pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")

#: d1 and d2 are on the same subtopic, d4 on another one; d3 is not relevant, and nobody judged x.
QRELS = {"q": {"car": {"d1": 1, "d2": 1, "d3": 0}, "cat": {"d4": 1}}}
RUN = {"q": {"d1": 5.0, "d2": 4.0, "d3": 3.0, "x": 2.0, "d4": 1.0}}


def rankings(named: bool) -> list[tuple[list[Measure], Hits]]:
    """All measures, and rankings of topics whose lists are short: long ones take long, and show nothing else.

    Of the generated topics each batch has one.
    """
    judged, runs = all_scores.labelled() if named else all_scores.generated()
    aligned = [align_source(judged, run) for run in runs.values()]
    measures = all_scores.all_measures(judged, named)
    found = [hits for hits, _, _ in batches(judged.cells, aligned, size=1 << 15 if named else 1 << 10)]
    short = [(measures, hits) for hits in found if hits.length.max() <= 200]
    assert short
    return short if named else short[::3]


def earned(measure: str) -> list[float]:
    (ranking,) = explain(QRELS, RUN, measure, "q").rankings
    return list(ranking.terms[0].earned)


SUMS = (
    "P RR AP Rprec DCG nDCG RBP ERR nERR Q GAP nGAP Compat AP_IA CAM ERR_IA alpha_nDCG NRBP EU RBU StRecall "
    "D_nDCG D_Q D_nERR D_EBR D_iRBU D_RBP DSharp_nDCG DSharp_Q DIN_nDCG CT nCT ACT"
)


@pytest.mark.parametrize(("named", "sums"), [(False, SUMS), (True, "TOMA Aspect Contrast")])
def test_what_documents_earned_adds_up_and_is_what_its_parts_give(named: bool, sums: str) -> None:
    """To the score, for every measure. The parts give what a document adds to the score of those above it."""
    told = set()
    for measures, hits in rankings(named):
        for measure in measures[:: 3 if not named else 1]:
            steps = measure.explain(hits)
            whole = steps.empty + steps.earned.sum(1)
            about = f"{measure}: {list(steps.parts)}"
            np.testing.assert_allclose(whole, measure.score(hits), atol=1e-12, rtol=0, err_msg=about)
            if not steps.parts:
                continue
            told.add(measure.name)
            made, slowly = measure.made_of(hits), gains_of_beginnings(measure, hits)
            assert made is not None
            parts = np.zeros_like(slowly)
            parts[:, : made.contribution.shape[1]] = made.contribution  # none of the others is above a cutoff
            np.testing.assert_allclose(parts, slowly, atol=1e-12, rtol=0, err_msg=about)
    assert not set(sums.split()) - told


def parts(measure: str) -> dict[str, list[float]]:
    (ranking,) = explain(GRADED, RUN, measure, "q").rankings
    return {name: [float(x) for x in values] for name, values in ranking.terms[0].why.items()}


#: One aspect with grades 2, 1 and 0; nobody judged x; d4 is at rank 5.
GRADED = {"q": {"d1": 2, "d2": 1, "d3": 0, "d4": 2}}
NAN = math.nan


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        # (2^g - 1) / 2^2 of grades 2 and 1 is 3/4 and 1/4; who gets to d4 was not stopped by d1 and d2.
        (
            "ERR(max_rel=2)@5",
            {
                "stop": [3 / 4, 1 / 4, 0, 0, 3 / 4],
                "reach": [1, 1 / 4, NAN, NAN, 1 / 4 * 3 / 4],
                "discount": [1, 1 / 2, NAN, NAN, 1 / 5],
            },
        ),
        (
            "RBP(p=0.5)",
            {
                "gain": [1, 1, 0, 0, 1],
                "discount": [1, 1 / 2, NAN, NAN, 1 / 16],
                "scale": [0.5, 0.5, NAN, NAN, 0.5],
            },
        ),
        (
            "AP",
            {
                "gain": [1, 1, 0, 0, 1],
                "precision": [1, 1, NAN, NAN, 3 / 5],
                "scale": [1 / 3, 1 / 3, NAN, NAN, 1 / 3],
            },
        ),
        ("P@5", {"gain": [1, 1, 0, 0, 1], "scale": [0.2, 0.2, NAN, NAN, 0.2]}),
        ("DCG@2", {"gain": [2, 1], "discount": [1, 1 / math.log2(3)]}),
        # The ideal order is 2, 2, 1.
        (
            "D_nDCG(gain='linear')@2",
            {
                "global gain": [2, 1],
                "discount": [1, 1 / math.log2(3)],
                "scale": [1 / (2 + 2 / math.log2(3))] * 2,
            },
        ),
        # RR counts only the first relevant document.
        (
            "RR",
            {
                "gain": [1, 1, 0, 0, 1],
                "novelty": [1, 0, NAN, NAN, 0],
                "discount": [1, 1 / 2, NAN, NAN, 1 / 5],
            },
        ),
    ],
)
def test_the_parts_are_those_of_the_formula(measure: str, expected: dict[str, list[float]]) -> None:
    found = parts(measure)
    assert list(found) == list(expected)
    for name, values in expected.items():
        assert found[name] == pytest.approx(values, abs=1e-12, nan_ok=True), name


def test_the_effort_of_rank_biased_utility_is_discounted_and_scaled_as_the_gain_is() -> None:
    found = parts("RBU(p=0.8,e=0.05)@5")
    assert found["effort"] == pytest.approx([-0.05 * 0.8**i * 0.2 for i in range(5)], abs=1e-12)
    assert found["discount"][4] == pytest.approx(0.8**4)
    assert found["scale"][4] == pytest.approx(0.2)


def test_d_sharp_is_the_sum_of_its_two_parts() -> None:
    """With γ = ½, each new intent of two earns ¼, and the D-measure earns half of its own."""
    (ranking,) = explain(QRELS, RUN, ["DSharp_nDCG@5", "D_nDCG@5"], "q").rankings
    sharp, d = ranking.terms
    assert list(sharp.why) == ["I-rec", "D-nDCG"]
    assert list(sharp.why["I-rec"]) == pytest.approx([1 / 4, 0, 0, 0, 1 / 4])
    assert list(sharp.why["D-nDCG"]) == pytest.approx(list(d.earned / 2))


# ── preferences ──────────────────────────────────────────────────────────────────────────────────

#: People prefer a to b, and having read a, prefer c to b in two of three cases.
PEOPLE = [
    ("q", "", "a", "b", "left"),
    ("q", "a", "b", "c", "right"),
    ("q", "a", "b", "c", "right"),
    ("q", "a", "b", "c", "left"),
]
READ = {"q": {"a": 4.0, "x": 3.0, "c": 2.0, "b": 1.0}}


def test_what_is_preferred_earns_its_utility_times_the_chance_to_be_reached() -> None:
    """U(a) = 1; U(c|a) = 2/3 and nothing is known of c given x, which counts as 0: (2/3 + 0) / 2 = 1/3."""
    (ranking,) = explain(PEOPLE, READ, "Prf(theta=0.5)@3", "q").rankings
    (terms,) = ranking.terms
    reach = [0.5 + 0.25 + 0.125, 0.25 + 0.125, 0.125]
    assert list(terms.earned) == pytest.approx([reach[0], 0, reach[2] / 3], abs=1e-12)
    assert list(terms.why) == ["utility", "reach"]
    assert list(terms.why["utility"]) == pytest.approx([1, 0, 1 / 3])
    assert terms.why["reach"][2] == pytest.approx(reach[2])
    assert ranking.about["preferred"] == ("1 of 1", "not judged", "2 of 3", "1 of 4")


@pytest.mark.parametrize("combine", ["mean", "min", "product"])
@pytest.mark.parametrize("unseen", ["zero", "skip"])
@pytest.mark.parametrize("estimate", ["raw", "pooled"])
def test_the_parts_of_preference_measures_add_up_to_the_score(
    combine: str, unseen: str, estimate: str
) -> None:
    form = f"(combine='{combine}',unseen='{unseen}',estimate='{estimate}')"
    measures = [f"Prf{form}@10", f"nPrf{form}", f"nPrf{form[:-1]},ideal='exact')@5"]
    runs = list(sample.RUNS)
    scores = evaluate(sample.PREFERENCES, runs, measures)
    for t, topic in list(enumerate(scores.topics))[::7]:
        for r, ranking in enumerate(explain(sample.PREFERENCES, runs, measures, topic).rankings):
            for m, terms in enumerate(ranking.terms):
                assert terms.empty + terms.earned.sum() == pytest.approx(scores.values[r, t, m], abs=1e-12)
                product = np.prod([np.nan_to_num(part) for part in terms.why.values()], axis=0)
                np.testing.assert_allclose(product, terms.earned, atol=1e-12)


def test_preference_measures_that_count_pairs_say_so() -> None:
    text = str(explain(PEOPLE, READ, ["ppref@3"], "q"))
    assert "ppref@3 is not a sum over documents, because it counts pairs of documents" in " ".join(
        text.split()
    )
    assert "not a sum" not in str(explain(PEOPLE, READ, ["nPrf@3"], "q"))


def test_grades_and_preferences_are_explained_side_by_side() -> None:
    judged = {"q": {"a": 1, "b": 1}}
    (ranking,) = explain(judged, READ, ["nPrf@3", "P@3"], "q", preferences=PEOPLE).rankings
    assert ranking.about == {
        "aspects": ("0:1", "not judged", "not judged", "0:1"),
        "preferred": ("1 of 1", "not judged", "2 of 3", "1 of 4"),
    }
    assert [len(terms.earned) for terms in ranking.terms] == [3, 3]


def test_alpha_ndcg_pays_half_for_a_subtopic_seen_before() -> None:
    discount = [1 / math.log2(i + 1) for i in range(1, 6)]
    ideal = discount[0] + discount[1] + discount[2] / 2
    expected = [discount[0] / ideal, discount[1] / 2 / ideal, 0, 0, discount[4] / ideal]
    assert earned("alpha_nDCG@5") == pytest.approx(expected, abs=1e-12)


def test_rank_biased_utility_charges_every_document() -> None:
    p, e = 0.8, 0.05
    novel = [0.5, 0.0, 0.0, 0.0, 0.5]  # a perfect document leaves nothing of its subtopic
    expected = [(1 - p) * p**i * (g - e) for i, g in enumerate(novel)]
    assert earned(f"RBU(p={p},e={e},gain='linear')@5") == pytest.approx(expected, abs=1e-12)


def test_average_precision_is_earned_by_the_relevant_documents() -> None:
    assert earned("AP") == pytest.approx([1 / 3, 1 / 3, 0, 0, 3 / 5 / 3], abs=1e-12)


def test_precision_without_cutoff_pays_each_relevant_document_alike() -> None:
    assert earned("P") == pytest.approx([0.2, 0.2, 0, 0, 0.2], abs=1e-12)


def test_what_is_below_the_cutoff_earns_nothing() -> None:
    assert len(earned("P@2")) == 2
    assert sum(earned("P@2")) == 1


def test_the_score_so_far_ends_at_the_score() -> None:
    measures = ["alpha_nDCG@10", "RBU@10", "DSharp_nDCG@10"]
    runs = list(sample.RUNS)
    scores = evaluate(sample.QRELS, runs, measures)
    found = explain(sample.QRELS, runs, measures, "pitch")
    t = scores.topics.index("pitch")
    for r, ranking in enumerate(found.rankings):
        assert [terms.score for terms in ranking.terms] == pytest.approx(scores.values[r, t], abs=1e-12)


def test_documents_show_their_grades_and_who_was_not_judged() -> None:
    (ranking,) = explain(QRELS, RUN, "P", "q").rankings
    assert ranking.docs == ("d1", "d2", "d3", "x", "d4")
    assert ranking.about["aspects"] == ("car:1", "car:1", "–", "not judged", "cat:1")


def test_measures_that_are_not_sums_say_so() -> None:
    assert not parse("MM(AP)").is_sum
    assert not parse("CAM(P_plus)").is_sum
    assert parse("CAM(AP)").is_sum
    assert "not a sum over documents" in str(explain(QRELS, RUN, ["AP", "P_plus"], "q"))
    assert "not a sum over documents" not in str(explain(QRELS, RUN, ["AP"], "q"))


def test_depth_leaves_a_word_on_what_is_below() -> None:
    shown = str(explain(QRELS, RUN, "P", "q", depth=2))
    assert "d2" in shown
    assert "d4" not in shown
    assert "0.6000 (0.2000 of it below rank 2)" in shown


def test_a_measure_that_is_not_defined_on_the_topic_shows_no_number() -> None:
    found = str(explain({"q": {"a": 0, "b": 0}}, {"r": {"q": {"a": 2, "b": 1}}}, "Accuracy", "q"))
    assert "Accuracy: r – (not defined on this topic)." in found
    assert "nan" not in found


@pytest.mark.parametrize("measure", ["P", "AP", "Rprec", "infAP"])
def test_memory_does_not_grow_with_the_square_of_the_documents(measure: str) -> None:
    """With 4,000 judged documents, P took 140 MB: (documents + 1) × (judged documents) numbers."""
    number = 4000
    judged = {"q": {f"d{i}": i % 3 for i in range(number)}}
    run = {"q": {f"d{i}": float(number - i) for i in range(number)}}
    evaluate(judged, {"r": run}, measure)  # modules that are loaded at first use
    tracemalloc.start()
    try:
        found = explain(judged, {"r": run}, measure, "q")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 30e6
    (ranking,) = found.rankings
    whole = evaluate(judged, {"r": run}, measure).values[0, 0, 0]
    assert ranking.terms[0].score == whole
    assert len(ranking.terms[0].earned) == 20
    assert ranking.terms[0].so_far[-1] + ranking.terms[0].below == pytest.approx(whole)


def test_a_run_without_the_topic_has_an_empty_ranking() -> None:
    judged = {**QRELS, "r": {"car": {"a": 1}}}
    both = {"one": {**RUN, "r": {"a": 1.0}}, "two": {"r": {"a": 1.0}}}
    assert [len(r.docs) for r in explain(judged, both, "P@5", "q").rankings] == [5, 0]


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [({"topic": "z"}, "has no topic 'z'; it has q"), ({"topic": "q", "depth": 0}, "depth must be")],
)
def test_bad_input(settings: dict[str, object], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        explain(QRELS, RUN, "P", **settings)  # type: ignore[arg-type]


def test_the_command(cli: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    run = next(str(run) for run in sample.RUNS if "redundant" in str(run))
    done = cli("explain", sample.QRELS, run, "-m", "alpha_nDCG@5", "--topic", "pitch")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].split()[:8] == ["run", "rank", "doc", "aspects", "gain", "novelty", "discount", "scale"]
    assert len(lines) == 2 + 5 + 2
    wrong = cli("explain", sample.QRELS, run, "-m", "alpha_nDCG@5", "--topic", "pich")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "has no topic 'pich'" in wrong.stderr


@pytest.mark.parametrize("named", [False, True])
def test_the_first_ranks_earn_the_same_when_only_they_are_asked_for(named: bool) -> None:
    for measures, hits in rankings(named):
        for measure in measures[::16]:
            whole, some = measure.explain(hits), measure.explain(hits, 7)
            assert some.earned.shape[1] <= 7
            np.testing.assert_allclose(some.earned, whole.earned[:, :7], atol=1e-12, err_msg=str(measure))


def test_gain_and_discount_are_at_the_rank_of_the_document_when_unjudged_ones_are_left_out() -> None:
    """d4 is the fifth document, and the fourth that was judged."""
    (ranking,) = explain(QRELS, RUN, "alpha_nDCG(judged_only=True)@5", "q").rankings
    (terms,) = ranking.terms
    assert np.flatnonzero(terms.earned).tolist() == np.flatnonzero(terms.why["gain"]).tolist() == [0, 1, 4]
    assert terms.why["discount"][4] == pytest.approx(1 / math.log2(5))
