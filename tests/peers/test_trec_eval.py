"""Ad hoc measures equal trec_eval (through pytrec_eval), including its order on 32-bit scores."""

from __future__ import annotations

import gzip
import math
from pathlib import Path
from typing import Any

import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

import rankprism
from rankprism import sample
from rankprism.errors import InputError
from tests.support import strategies

pytestmark = pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")  # runs without judged documents

CUTOFFS = (1, 2, 3, 5, 10, 20, 30)
#: trec_eval's names and ours
NAMES = {
    "map": "AP",
    "recip_rank": "RR",
    "ndcg": "nDCG",
    "bpref": "Bpref",
    "infAP": "infAP",
    "Rprec": "Rprec",
    **{f"map_cut_{k}": f"AP@{k}" for k in CUTOFFS},
    **{f"ndcg_cut_{k}": f"nDCG@{k}" for k in CUTOFFS},
    **{f"P_{k}": f"P@{k}" for k in CUTOFFS},
    **{f"recall_{k}": f"R@{k}" for k in CUTOFFS},
    **{f"success_{k}": f"Success@{k}" for k in CUTOFFS},
    **{f"relative_P_{k}": f"RelP@{k}" for k in CUTOFFS},
    **{f"iprec_at_recall_{n / 10:.2f}": f"IPrec@{n / 10:g}" for n in range(11)},
    **{f"Rprec_mult_{n / 5:.2f}": f"Rprec(times={n / 5:g})" for n in range(1, 11)},
    "11pt_avg": "IAP",
    "set_P": "SetP",
    "set_recall": "SetR",
    "set_F": "SetF",
    "set_map": "SetAP",
    "set_relative_P": "SetP(relative=True)",
    "utility": "Utility",
    "binG": "binG",
    "G": "G",
    "ndcg_rel": "nDCG_rel",
    "Rndcg": "RnDCG",
}
#: Those that look at grades and not at the relevance level.
GRADED = ("ndcg", "G", "Rndcg")
TOPICS = ("1", "2", "3", "4", "5", "6")
GRADES = (None, 0, 1, 2, 3, 4, None, 0, 1, -1, -2)  # whole numbers: trec_eval knows no others
TIES = (1.0, 2.0, 0.0, -1.0)


def one_aspect(grades: tuple[float | None, ...]) -> st.SearchStrategy[strategies.Judgments]:
    """Judgments with a single aspect, and in every topic one document of grade 0.

    pytrec_eval 0.5.11 does not come back from topics in which all grades are negative.
    """
    drawn = strategies.judgments(grades, TOPICS, 3, 6, max_aspects=1)
    return drawn.map(
        lambda found: {topic: {"1": {**found[topic]["1"], "not relevant": 0}} for topic in found}
    )


def trec_eval_scores(
    judgments: strategies.Judgments, run: strategies.Run, rel: int, judged_only: bool = False
) -> dict[str, dict[str, float]]:
    qrels = {t: {doc: int(grade) for doc, grade in aspects["1"].items()} for t, aspects in judgments.items()}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(NAMES) - {"bpref"}, rel, judged_only)
    scores: dict[str, dict[str, float]] = evaluator.evaluate(run)
    # trec_eval's bpref counts documents below grade `rel` in a table that ends at the topic's highest grade,
    # and reads beyond it (pytrec_eval 0.5.11 may crash). There nothing is relevant, and bpref is 0.
    safe = {topic: grades for topic, grades in qrels.items() if max(grades.values()) >= rel - 1}
    found = pytrec_eval.RelevanceEvaluator(safe, {"bpref"}, rel, judged_only).evaluate(run) if safe else {}
    # Interpolated precision of a ranking without documents is 0 / 0 there.
    scores = {t: {name: 0.0 if math.isnan(x) else x for name, x in row.items()} for t, row in scores.items()}
    # Rndcg looks at grades, and yet it is 0 if none of them reaches the relevance level.
    graded = pytrec_eval.RelevanceEvaluator(qrels, {"Rndcg"}, 1, judged_only).evaluate(run)
    return {
        t: {**row, **graded[t], "bpref": found[t]["bpref"] if t in safe else 0.0} for t, row in scores.items()
    }


def our_scores(
    judgments: Any, run: Any, rel: int, judged_only: bool = False, **options: Any
) -> dict[str, dict[str, float]]:
    """Our scores under trec_eval's names. Its nDCG does not look at the relevance level."""
    chosen = {}
    for theirs, ours in NAMES.items():
        measure = rankprism.parse(ours)(judged_only=judged_only)
        chosen[theirs] = str(measure if theirs.startswith(GRADED) else measure(rel=rel))
    found = rankprism.evaluate(judgments, run, list(chosen.values()), topics="retrieved", **options)
    rows = next(iter(found.per_topic().values()))
    return {topic: {theirs: row[ours] for theirs, ours in chosen.items()} for topic, row in rows.items()}


@settings(max_examples=200)
@given(
    data=st.data(),
    judgments=one_aspect(GRADES),
    scores=st.sampled_from([TIES, strategies.CLOSE_SCORES]),
    rel=st.integers(1, 4),
)
def test_single_aspect_measures_equal_trec_eval(
    data: st.DataObject, judgments: strategies.Judgments, scores: tuple[float, ...], rel: int
) -> None:
    run = data.draw(strategies.runs(judgments, scores))
    theirs = trec_eval_scores(judgments, run, rel)
    ours = our_scores(judgments, run, rel, order="trec_eval-9")
    assert theirs.keys() == ours.keys()  # the topics of both files
    for topic in theirs:
        assert ours[topic] == pytest.approx({n: theirs[topic][n] for n in NAMES}, rel=1e-12, abs=1e-12), topic


@settings(max_examples=100)
@given(data=st.data(), judgments=one_aspect(GRADES), rel=st.integers(1, 3))
def test_single_aspect_measures_equal_trec_eval_on_judged_documents_only(
    data: st.DataObject, judgments: strategies.Judgments, rel: int
) -> None:
    # trec_eval -J, which takes documents with negative grades for unjudged.
    run = data.draw(strategies.runs(judgments, TIES))
    theirs = trec_eval_scores(judgments, run, rel, judged_only=True)
    ours = our_scores(judgments, run, rel, judged_only=True, order="trec_eval-9")
    for topic in theirs:
        assert ours[topic] == pytest.approx({n: theirs[topic][n] for n in NAMES}, rel=1e-12, abs=1e-12), topic


def test_scores_that_are_alike_in_32_bits_tie_for_trec_eval_only() -> None:
    # 1 + 1e-9 is 1 as a 32-bit number: then the larger id wins and the relevant document falls to rank 2.
    judgments = {"1": {"1": {"a": 1.0}}}
    run = {"1": {"a": 1 + 1e-9, "b": 1.0}}
    assert rankprism.evaluate(judgments, run, "RR", order="score").mean()["run"]["RR"] == 1.0
    assert rankprism.evaluate(judgments, run, "RR", order="trec_eval-9").mean()["run"]["RR"] == 0.5
    assert trec_eval_scores(judgments, run, 1)["1"]["recip_rank"] == 0.5


@settings(max_examples=60)
@given(data=st.data(), judgments=one_aspect(GRADES), rel=st.integers(1, 3), k=st.integers(1, 20))
def test_rr_with_a_cutoff_is_trec_evals_recip_rank_down_to_it(
    data: st.DataObject, judgments: strategies.Judgments, rel: int, k: int
) -> None:
    # trec_eval has no cutoff here; a first relevant document beyond rank k counts as none.
    run = data.draw(strategies.runs(judgments, TIES))
    theirs = {t: row["recip_rank"] for t, row in trec_eval_scores(judgments, run, rel).items()}
    scores = rankprism.evaluate(judgments, run, f"RR(rel={rel})@{k}", order="trec_eval-9", topics="retrieved")
    ours = {t: x for t, row in scores.per_topic()["run"].items() for x in row.values()}
    assert ours == pytest.approx({t: x if x > 1 / (k + 0.5) else 0.0 for t, x in theirs.items()}, abs=1e-12)


def test_32_bit_scores_change_the_results_of_a_real_run_as_they_do_in_trec_eval(collections: Path) -> None:
    folder = collections / "touche-2022-task2"
    path = folder / "runs" / "Olivier-Armstrong-run1.run.gz"
    judgments: strategies.Judgments = {}
    for line in (folder / "touche-task2-2022-relevance.qrels").read_text(encoding="utf-8").splitlines():
        topic, _, doc, grade = line.split()
        judgments.setdefault(topic, {"1": {}})["1"][doc] = float(grade)
    run: strategies.Run = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            topic, _, doc, _, score = line.split()[:5]
            run.setdefault(topic, {})[doc] = float(score)

    theirs = trec_eval_scores(judgments, run, 1)
    files = (folder / "touche-task2-2022-relevance.qrels", path)
    exact = our_scores(*files, 1)
    rounded = our_scores(*files, 1, order="trec_eval-9")
    assert rounded.keys() == theirs.keys()
    for topic in theirs:
        assert rounded[topic] == pytest.approx({n: theirs[topic][n] for n in NAMES}, rel=1e-12, abs=1e-12), (
            topic
        )
    # Topic 8: trec_eval (pytrec_eval 0.5.11) has nDCG@10 = 0.3847; by the unrounded scores it is 0.3725.
    assert round(theirs["8"]["ndcg_cut_10"], 4) == 0.3847
    assert round(exact["8"]["ndcg_cut_10"], 4) == 0.3725


def test_r_precision_equals_trec_eval_on_the_sample() -> None:
    grades: dict[str, dict[str, int]] = {}
    for line in sample.QRELS.read_text().splitlines():
        topic, _, doc, grade = line.split()
        judged = grades.setdefault(topic, {})
        judged[doc] = max(judged.get(doc, 0), int(grade))
    for path in sample.RUNS:
        run: dict[str, dict[str, float]] = {}
        for line in path.read_text().splitlines():
            topic, _, doc, _, score, _ = line.split()
            run.setdefault(topic, {})[doc] = float(score)
        wanted = pytrec_eval.RelevanceEvaluator(grades, {"Rprec"}).evaluate(run)
        found = rankprism.evaluate(grades, run, "Rprec", order="trec_eval-9").per_topic()["run"]
        for topic, scores in wanted.items():
            assert found[topic]["Rprec"] == pytest.approx(scores["Rprec"], abs=1e-9)


@pytest.mark.parametrize(
    ("collection", "qrels", "runs", "rel"),
    [
        ("trec-web-2012", "qrels.adhoc.txt.gz", 2, 1),
        ("trec-web-2014", "qrels.adhoc.txt.gz", 2, 2),
        ("clef-ehealth-2015", "qrels.eng.clef2015.qtest.graded.txt.gz", 2, 1),
    ],
)
def test_measures_of_real_runs_equal_trec_eval(
    collections: Path, collection: str, qrels: str, runs: int, rel: int
) -> None:
    # The judgments of TREC Web have the grade -2, which trec_eval's bpref and infAP take for unjudged.
    folder = collections / collection
    judgments: strategies.Judgments = {}
    with gzip.open(folder / qrels, "rt", encoding="utf-8") as lines:
        for line in lines:
            topic, _, doc, grade = line.split()
            judgments.setdefault(topic, {"1": {}})["1"][doc] = float(grade)
    assert collection == "clef-ehealth-2015" or any(-2 in j["1"].values() for j in judgments.values())
    names = {"bpref", "infAP", *(f"{kind}_{k}" for kind in ("recall", "success") for k in CUTOFFS)}
    for path in sorted((folder / "runs").glob("*.gz"))[:runs]:
        run: strategies.Run = {}
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                topic, _, doc, _, score = line.split()[:5]
                run.setdefault(topic, {})[doc] = float(score)
        theirs = trec_eval_scores(judgments, run, rel)
        ours = our_scores(folder / qrels, path, rel, order="trec_eval-9", qrels_format="adhoc")
        assert len(theirs) >= 40
        for topic, row in theirs.items():
            wanted = {name: row[name] for name in names}
            assert {name: ours[topic][name] for name in names} == pytest.approx(wanted, rel=1e-12, abs=1e-12)


def test_geometric_means_are_gm_map_and_gm_bpref() -> None:
    qrels = {"1": {"a": 1, "b": 0, "c": 1}, "2": {"a": 1, "b": 0}, "3": {"a": 1, "b": 0}}
    run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"b": 2.0, "a": 1.0}, "3": {"b": 1.0}}
    found = rankprism.evaluate(qrels, run, ["AP", "Bpref"]).geometric_mean()["run"]
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"gm_map", "gm_bpref"}).evaluate(run)
    for name, measure in (("gm_map", "AP"), ("gm_bpref", "Bpref")):
        logarithms = [row[name] for row in theirs.values()]
        wanted = pytrec_eval.compute_aggregated_measure(name, logarithms)
        assert found[measure] == pytest.approx(wanted, rel=1e-12), name
    with pytest.raises(InputError, match="floor must be a number above 0; got 0"):
        rankprism.evaluate(qrels, run, "AP").geometric_mean(0)
