"""What each document earned: it adds up to the score, and it is what the formulas say."""

from __future__ import annotations

import math
import subprocess
from collections.abc import Callable

import all_scores
import numpy as np
import pytest

from rankprism import evaluate, explain, parse, sample
from rankprism.data.hits import batches
from rankprism.errors import InputError
from rankprism.formats.runs import align_source

pytestmark = pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")

#: d1 and d2 are on the same subtopic, d4 on another one; d3 is not relevant, and nobody judged x.
QRELS = {"q": {"car": {"d1": 1, "d2": 1, "d3": 0}, "cat": {"d4": 1}}}
RUN = {"q": {"d1": 5.0, "d2": 4.0, "d3": 3.0, "x": 2.0, "d4": 1.0}}


def earned(measure: str) -> list[float]:
    (ranking,) = explain(QRELS, RUN, measure, "q").rankings
    return list(ranking.terms[0].earned)


@pytest.mark.parametrize("named", [False, True])
def test_the_parts_of_every_measure_add_up_to_its_score(named: bool) -> None:
    judged, runs = all_scores.labelled() if named else all_scores.generated()
    aligned = [align_source(judged, run, "score", "error") for run in runs.values()]
    measures = [m for m in all_scores.all_measures(judged, named) if (m.cutoff or 0) <= 1000]
    for hits, _, _ in batches(judged.cells, aligned, size=1 << 15):
        if hits.length.max() > 200:  # the long rankings take long, and show nothing else
            continue
        for measure in measures[:: 3 if not named else 1]:
            steps = measure.explain(hits)
            np.testing.assert_allclose(
                steps.empty + steps.earned.sum(1),
                measure.score(hits),
                atol=1e-12,
                rtol=0,
                err_msg=str(measure),
            )


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
    assert ranking.labels == ("car:1", "car:1", "–", "not judged", "cat:1")


def test_measures_that_are_no_sums_say_so() -> None:
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
    assert lines[0].split()[:8] == ["run", "rank", "doc", "aspects", "gain", "novelty", "discount", "earned"]
    assert len(lines) == 2 + 5 + 2
    wrong = cli("explain", sample.QRELS, run, "-m", "alpha_nDCG@5", "--topic", "pich")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "has no topic 'pich'" in wrong.stderr


@pytest.mark.parametrize("named", [False, True])
def test_the_first_ranks_earn_the_same_when_only_they_are_asked_for(named: bool) -> None:
    judged, runs = all_scores.labelled() if named else all_scores.generated()
    aligned = [align_source(judged, run, "score", "error") for run in runs.values()]
    for hits, _, _ in batches(judged.cells, aligned, size=1 << 15):
        if hits.length.max() > 200:
            continue
        for measure in all_scores.all_measures(judged, named)[::16]:
            whole, some = measure.explain(hits), measure.explain(hits, 7)
            assert some.earned.shape[1] <= 7
            np.testing.assert_allclose(some.earned, whole.earned[:, :7], atol=1e-12, err_msg=str(measure))


def test_gain_and_discount_stand_at_the_rank_of_the_document_when_unjudged_ones_are_left_out() -> None:
    """d4 is the fifth document, and the fourth that was judged."""
    (ranking,) = explain(QRELS, RUN, "alpha_nDCG(judged_only=True)@5", "q").rankings
    (terms,) = ranking.terms
    assert np.flatnonzero(terms.earned).tolist() == np.flatnonzero(terms.why["gain"]).tolist() == [0, 1, 4]
    assert terms.why["discount"][4] == pytest.approx(1 / math.log2(5))
