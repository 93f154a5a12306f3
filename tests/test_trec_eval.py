"""P, RR, AP and nDCG equal trec_eval (through pytrec_eval), including its order on 32-bit scores."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest
import pytrec_eval
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st

import rankprism

pytestmark = pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")  # runs without judged documents

CUTOFFS = (1, 2, 3, 5, 10, 20, 30)
#: trec_eval's names and ours
NAMES = {
    "map": "AP",
    "recip_rank": "RR",
    "ndcg": "nDCG",
    **{f"map_cut_{k}": f"AP@{k}" for k in CUTOFFS},
    **{f"ndcg_cut_{k}": f"nDCG@{k}" for k in CUTOFFS},
    **{f"P_{k}": f"P@{k}" for k in CUTOFFS},
}
TOPICS = ("1", "2", "3", "4", "5", "6")
GRADES = (None, 0, 1, 2, 3, 4, None, 0, 1, -1, -2)  # whole numbers: trec_eval knows no others
NO_JUNK = (None, 0, 1, 2, 3, 4, None, 0, 1)
TIES = (1.0, 2.0, 0.0, -1.0)


def trec_eval_scores(
    judgments: strategies.Judgments, run: strategies.Run, rel: int, judged_only: bool = False
) -> dict[str, dict[str, float]]:
    qrels = {t: {d: int(g) for d, g in aspects["1"].items()} for t, aspects in judgments.items() if "1" in aspects}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(NAMES), rel, judged_only)
    scores: dict[str, dict[str, float]] = evaluator.evaluate(run)
    return scores


def our_scores(
    judgments: Any, run: Any, rel: int, judged_only: bool = False, **options: Any
) -> dict[str, dict[str, float]]:
    """Our scores under trec_eval's names. Its nDCG does not look at the relevance level."""
    chosen = {}
    for theirs, ours in NAMES.items():
        measure = rankprism.parse(ours)(judged_only=judged_only)
        chosen[theirs] = str(measure if "ndcg" in theirs else measure(rel=rel))
    found = rankprism.evaluate(judgments, run, list(chosen.values()), topics="retrieved", **options)
    rows = next(iter(found.per_topic().values()))
    return {topic: {theirs: row[ours] for theirs, ours in chosen.items()} for topic, row in rows.items()}


@settings(max_examples=200)
@given(
    data=st.data(),
    judgments=strategies.judgments(GRADES, TOPICS, 3, 6, max_aspects=1),
    scores=st.sampled_from([TIES, strategies.CLOSE_SCORES]),
    rel=st.integers(1, 4),
)
def test_single_aspect_measures_equal_trec_eval(
    data: st.DataObject, judgments: strategies.Judgments, scores: tuple[float, ...], rel: int
) -> None:
    run = data.draw(strategies.runs(judgments, scores))
    theirs = trec_eval_scores(judgments, run, rel)
    ours = our_scores(judgments, run, rel, order="trec_eval")
    assert theirs.keys() <= ours.keys()
    assert all(not run[topic] for topic in ours.keys() - theirs.keys())  # pytrec_eval skips empty rankings
    for topic in theirs:
        assert ours[topic] == pytest.approx({n: theirs[topic][n] for n in NAMES}, rel=1e-12, abs=1e-12), topic


@settings(max_examples=100)
@given(data=st.data(), judgments=strategies.judgments(NO_JUNK, TOPICS, 3, 6, max_aspects=1), rel=st.integers(1, 3))
def test_single_aspect_measures_equal_trec_eval_on_judged_documents_only(
    data: st.DataObject, judgments: strategies.Judgments, rel: int
) -> None:
    # trec_eval -J. Negative grades are left out here: trec_eval takes them for unjudged.
    run = data.draw(strategies.runs(judgments, TIES))
    theirs = trec_eval_scores(judgments, run, rel, judged_only=True)
    ours = our_scores(judgments, run, rel, judged_only=True, order="trec_eval")
    for topic in theirs:
        assert ours[topic] == pytest.approx({n: theirs[topic][n] for n in NAMES}, rel=1e-12, abs=1e-12), topic


def test_scores_that_are_alike_in_32_bits_tie_for_trec_eval_only() -> None:
    # 1 + 1e-9 is 1 as a 32-bit number: then the larger id wins and the relevant document falls to rank 2.
    judgments = {"1": {"1": {"a": 1}}}
    run = {"1": {"a": 1 + 1e-9, "b": 1.0}}
    assert rankprism.evaluate(judgments, run, "RR", order="score").mean()["run"]["RR"] == 1.0
    assert rankprism.evaluate(judgments, run, "RR", order="trec_eval").mean()["run"]["RR"] == 0.5
    assert trec_eval_scores(judgments, run, 1)["1"]["recip_rank"] == 0.5


def read_lines(path: Path) -> list[list[str]]:
    return [line.split() for line in gzip.open(path, "rt", encoding="utf-8")]
