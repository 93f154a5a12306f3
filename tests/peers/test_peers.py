"""Runs and judgments of other packages: of ranx, of trectools, and the dictionaries of pytrec_eval."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from rankprism import evaluate, read_judgments, read_run, sample

MEASURES = ["alpha_nDCG@20", "RBU@20", "nDCG@10"]
# ranx and trectools use parts of numba and pandas that these call old.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
#: Ad hoc judgments and a run as dictionaries, which is how pytrec_eval and ranx have them.
QRELS = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d2": 1}}
RUN = {"q1": {"d3": 0.9, "d1": 0.8, "d9": 0.1}, "q2": {"d2": 1.0}}


def test_dictionaries_of_pytrec_eval() -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    wanted = pytrec_eval.RelevanceEvaluator(QRELS, {"ndcg_cut_10", "map"}).evaluate(RUN)
    found = evaluate(QRELS, RUN, ["nDCG@10", "AP"]).per_topic()["run"]
    for topic, scores in wanted.items():
        assert found[topic]["nDCG@10"] == pytest.approx(scores["ndcg_cut_10"], abs=1e-12)
        assert found[topic]["AP"] == pytest.approx(scores["map"], abs=1e-12)


@pytest.fixture(scope="module")
def ranx() -> Any:
    return pytest.importorskip("ranx")


def test_runs_and_judgments_of_ranx(ranx: Any) -> None:
    judged, ranked = ranx.Qrels(QRELS), ranx.Run(RUN, name="bm25")
    wanted = evaluate(QRELS, {"bm25": RUN}, ["nDCG@10", "AP"])
    for runs in (ranked, [ranked], {"bm25": ranked}):
        found = evaluate(judged, runs, ["nDCG@10", "AP"])
        assert found.mean() == wanted.mean()
        assert (found.values == wanted.values).all()
    assert read_run(ranked).name == "bm25"
    assert read_run(ranx.Run(RUN)).name == "run"
    two = evaluate(judged, [ranx.Run(RUN, name=name) for name in ("a", "b")], "AP")
    assert two.runs == ("a", "b")


def test_runs_and_judgments_of_trectools() -> None:
    trectools = pytest.importorskip("trectools")
    judged = trectools.TrecQrel(str(sample.QRELS))
    runs = [trectools.TrecRun(str(path)) for path in sample.RUNS]
    wanted = evaluate(sample.QRELS, list(sample.RUNS), MEASURES)
    found = evaluate(judged, runs, MEASURES)
    # A run of trectools has the tag of its lines as its name.
    tags = [path.read_text().split(None, 6)[5] for path in sample.RUNS]
    assert found.runs == tuple(tags)
    assert (found.values == wanted.values).all()
    assert read_run(runs[0]).name == tags[0]
    assert list(itertools.chain(*read_judgments(judged).aspects.values())) == list(
        itertools.chain(*read_judgments(sample.QRELS).aspects.values())
    )


def test_other_objects_of_these_packages_are_refused() -> None:
    trectools = pytest.importorskip("trectools")
    with pytest.raises(ValueError, match="cannot read TrecEval objects; pass a path, a dict, rows"):
        read_judgments(trectools.TrecEval.__new__(trectools.TrecEval))
