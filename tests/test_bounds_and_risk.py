"""What unjudged documents could still change, how risky a run is, and how much of it is judged."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import catalogue_oracles as slow
import oracles
import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st
from test_catalogue import Case, cases

import rankprism
from rankprism import InputError, sample

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


# Bounds


def test_bounds_by_hand() -> None:
    # x is not judged; at best it is relevant to both aspects, with grade 2 on s and 1 on t, the highest there
    # are.
    judgments = {"q": {"s": {"a": 2, "b": 0}, "t": {"c": 1}}}
    run = {"q": {"x": 4.0, "a": 3.0, "b": 2.0}}
    third = 1 / 3
    expected = {
        "P@3": (third, third, 2 * third),
        "RR": (0.5, 0.5, 1.0),
        # as judged, two documents are relevant: 1/2 · 1/2, and with x 1/2 · (1 + 2/2)
        "AP": (0.25, 0.25, 1.0),
        "StRecall@1": (0.0, 0.0, 1.0),
        "StRecall@2": (0.5, 0.5, 1.0),
        "Judged@1": (0.0, 0.0, 1.0),
        "Judged": (2 * third, 2 * third, 1.0),
        # without x, which is all that is open
        "P(judged_only=True)": (0.5, 0.5, 0.5),
        # grade 2 at rank 2, and grade 2 at rank 1 as well; the best possible stays 2 at rank 1 and 1 at rank
        # 2
        "DCG@1": (0.0, 0.0, 2.0),
        "nDCG@1": (0.0, 0.0, 1.0),
    }
    found = bounds_of(judgments, run, *expected)
    assert found == {m: pytest.approx(row, rel=1e-12) for m, row in expected.items()}


def test_the_ideal_stays_as_judged_so_that_a_bound_can_exceed_1() -> None:
    # One relevant document is known. If x is one too, AP's sum is 1 + 2/2, over the one known.
    found = bounds_of({"q": {"a": 1}}, {"q": {"x": 2.0, "a": 1.0}}, "AP", "nDCG", "Rprec")
    assert found["AP"] == pytest.approx((0.5, 0.5, 2.0), rel=1e-12)
    log3 = 1.584962500721156  # log2(3)
    assert found["nDCG"] == pytest.approx((1 / log3, 1 / log3, 1 + 1 / log3), rel=1e-12)
    assert found["Rprec"] == pytest.approx((0, 0, 1), abs=1e-12)


@settings(max_examples=60)
@given(case=cases(), cutoff=st.none() | st.integers(1, 12))
def test_bounds_are_the_scores_of_the_completed_judgments(case: Case, cutoff: int | None) -> None:
    # Measures without an ideal can be checked with judgments that have the unjudged documents in them.
    cut = "" if cutoff is None else f"@{cutoff}"
    measures = [f"{name}{cut}" for name in ("P_IA", "DCG_IA", "RBP_IA", "RBU", "ERR_IA(gain='probability')")]
    measures += [f"StRecall{cut}", "S_RR"]
    scores = rankprism.evaluate(case.judgments, case.run, measures, weights=case.weights, bounds=True)
    assert scores.low is not None
    assert scores.high is not None
    assert (scores.low == scores.values).all()
    completed = {}
    for topic, judged in case.judgments.items():
        known = {doc for grades in judged.values() for doc in grades}
        new = [doc for doc in case.run.get(topic, {}) if doc not in known]
        completed[topic] = {
            a: {**grades, **dict.fromkeys(new, max(*grades.values(), 0))} for a, grades in judged.items()
        }
    best = rankprism.evaluate(completed, case.run, measures, weights=case.weights)
    assert scores.high == pytest.approx(best.values, rel=1e-10, abs=1e-12)


@settings(max_examples=40)
@given(case=cases())
def test_nothing_is_open_for_measures_of_judged_documents_only(case: Case) -> None:
    names = ("nDCG@5", "AP_IA", "alpha_nDCG@5", "RBU", "D_nDCG@3", "S_RR", "Judged@4")
    measures = [rankprism.parse(name)(judged_only=True) for name in names]
    scores = rankprism.evaluate(case.judgments, case.run, measures, weights=case.weights, bounds=True)
    assert scores.low is not None
    assert scores.high is not None
    assert (scores.low == scores.values).all()
    assert (scores.high == scores.values).all()


def test_nothing_is_open_for_a_measure_of_judged_documents_inside_another() -> None:
    found = bounds_of({"q": {"a": 1}}, {"q": {"x": 2.0, "a": 1.0}}, "CAM(AP(judged_only=True))")
    assert found == {"CAM(AP(judged_only=True))": (1.0, 1.0, 1.0)}


def test_bounds_look_no_deeper_than_the_measure() -> None:
    judgments = {"q": {"s": {"a": 1}, "t": {"b": 1}}}
    run = {"q": {"a": 3.0, "b": 2.0, "x": 1.0}}
    found = bounds_of(judgments, run, "alpha_nDCG@2", "CAM(AP@2)", "alpha_nDCG", "CAM(AP)")
    assert found["alpha_nDCG@2"] == pytest.approx((1, 1, 1), rel=1e-12)
    assert found["CAM(AP@2)"] == pytest.approx((0.75, 0.75, 0.75), rel=1e-12)
    assert found["alpha_nDCG"][2] > 1
    # x on both aspects at rank 3: 2/3 more for each of them
    assert found["CAM(AP)"] == pytest.approx((0.75, 0.75, 0.75 + 2 / 3), rel=1e-12)


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
    assert len(rows) == 2 * 2 * (len(scores.topics) + 1)
    for r, run in enumerate(scores.runs):
        for m, measure in enumerate(scores.measures):
            for name, array in (("score", scores.values), ("low", scores.low), ("high", scores.high)):
                for t, topic in enumerate(scores.topics):
                    assert float(rows[run, topic, measure][name]) == array[r, t, m]
                mean = float(rows[run, "all", measure][name])
                assert mean == pytest.approx(array[r, :, m].mean(), rel=1e-12)

    found = json.loads(cli("evaluate", sample.QRELS, *runs, *options, "--format", "json").stdout)
    for name, array in (("mean", scores.values), ("low", scores.low), ("high", scores.high)):
        assert list(found[name]) == list(scores.runs)
        means = [list(row.values()) for row in found[name].values()]
        assert means == [pytest.approx(row, rel=1e-12) for row in array.mean(1).tolist()]

    table = cli("evaluate", sample.QRELS, *runs, *options).stdout.splitlines()
    low, score, high = (
        float(rows[scores.runs[0], "all", "alpha_nDCG@10"][name]) for name in ("low", "score", "high")
    )
    assert f"{score:.4f} [{low:.4f}, {high:.4f}]" in table[2]


# Risk


JUDGMENTS = {t: {"a": 1, "b": 1} for t in ("1", "2", "3", "4")}
RUNS: dict[str, strategies.Run] = {
    "base": {t: {"x": 3.0, "a": 2.0, "b": 1.0} for t in JUDGMENTS},  # RR 1/2 everywhere
    "bold": {"1": {"a": 2.0}, "2": {"x": 2.0, "y": 1.0}, "3": {"x": 2.0, "a": 1.0}, "4": {"a": 1.0}},
}


@pytest.mark.parametrize(
    ("alpha", "expected"),
    # RR of "bold" is 1, 0, 1/2, 1: differences 1/2, -1/2, 0, 1/2, of which the loss counts 1 + α times.
    [(0, 1 / 8), (1, 0.0), (5, -2 / 4), (0.5, 1 / 16)],
)
def test_risk_by_hand(alpha: float, expected: float) -> None:
    risk = rankprism.evaluate(JUDGMENTS, RUNS, "RR").risk("base", alpha)
    assert risk.mean() == {"bold": {f"URisk(RR,alpha={alpha:g})": pytest.approx(expected, abs=1e-15)}}
    assert risk.topics == ("1", "2", "3", "4")
    loss = -(1 + alpha) / 2
    assert risk.values[0, :, 0].tolist() == [0.5, loss, 0.0, 0.5]
    assert risk.conventions["baseline"] == "base"
    assert risk.conventions["risk alpha"] == alpha
    assert (risk.low, risk.high) == (None, None)


def test_risk_without_extra_weight_is_the_difference_of_means() -> None:
    scores = rankprism.evaluate(sample.QRELS, list(sample.RUNS), ["alpha_nDCG@10", "RBU", "ERR_IA@20"])
    base, *others = scores.runs
    mean = scores.mean()
    for run, row in scores.risk(base, 0).mean().items():
        assert run in others
        differences = [mean[run][m] - mean[base][m] for m in scores.measures]
        assert list(row.values()) == pytest.approx(differences, rel=1e-12, abs=1e-15)
    # Losses can only count for more.
    mild, harsh = (scores.risk(base, alpha).means for alpha in (1, 5))
    assert (harsh <= mild + 1e-12).all()


def test_risk_is_over_the_topics_that_both_runs_have() -> None:
    runs = {"base": {"1": {"a": 1.0}, "2": {"a": 1.0}}, "one": {"2": {"x": 2.0, "a": 1.0}, "3": {"a": 1.0}}}
    scores = rankprism.evaluate(JUDGMENTS, runs, "RR", topics="retrieved")
    assert scores.risk("base").mean() == {"one": {"URisk(RR,alpha=1)": -1.0}}
    # Over all judged topics a missing one scores 0: -1, 2 · -1/2 … for topics 1, 2 and 3, of 4
    everything = rankprism.evaluate(JUDGMENTS, runs, "RR").risk("base")
    assert everything.mean()["one"]["URisk(RR,alpha=1)"] == pytest.approx((-2 - 1 + 1 + 0) / 4)


def test_risk_says_what_is_wrong() -> None:
    scores = rankprism.evaluate(JUDGMENTS, RUNS, "RR")
    with pytest.raises(InputError, match="no run is named 'bm25'; there are base, bold"):
        scores.risk("bm25")
    for alpha in (-1, float("nan")):
        with pytest.raises(InputError, match="the risk alpha must be a number ≥ 0"):
            scores.risk("base", alpha)


def test_risk_on_the_command_line(cli: Callable[..., Any]) -> None:
    base, *others = sample.RUNS
    scores = rankprism.evaluate(sample.QRELS, list(sample.RUNS), ["alpha_nDCG@10", "RBU"])
    expected = scores.risk(scores.runs[0], 5)
    options = ["-m", "alpha_nDCG@10", "-m", "RBU", "--risk-alpha", "5", "--format", "csv"]
    for runs in (others, sample.RUNS):  # whether or not it is among the runs
        result = cli("evaluate", sample.QRELS, *runs, "--baseline", base, *options)
        assert result.returncode == 0, result.stderr
        rows = rows_of(result.stdout)
        found = {
            run: {m: float(rows[run, "all", m]["score"]) for m in expected.measures} for run in expected.runs
        }
        assert found == expected.mean()
        assert len(rows) == 2 * len(others)
    plain = cli("evaluate", sample.QRELS, *others, "--baseline", base, "-m", "RBU", "--format", "csv").stdout
    assert "URisk(RBU,alpha=1)" in plain


def test_mistakes_about_risk_on_the_command_line(cli: Callable[..., Any], tmp_path: Path) -> None:
    missing = cli("evaluate", sample.QRELS, sample.RUNS[0], "-m", "RBU", "--baseline", tmp_path / "none.run")
    assert missing.returncode == 2
    assert "none.run" in missing.stderr
    assert "Traceback" not in missing.stderr
    negative = cli(
        "evaluate",
        sample.QRELS,
        *sample.RUNS,
        "-m",
        "RBU",
        "--baseline",
        sample.RUNS[0],
        "--risk-alpha",
        "-1",
    )
    assert negative.returncode == 2
    assert "risk-alpha" in negative.stderr


# Judged


@settings(max_examples=60)
@given(case=cases(), cutoff=st.integers(1, 20))
def test_judged_is_the_share_of_what_there_is_down_to_the_cutoff(case: Case, cutoff: int) -> None:
    # As in ir_measures: of the first min(k, length) documents. (It orders ties the other way round; ours are
    # by id descending, which is what the ranking here has.)
    scores = rankprism.evaluate(case.judgments, case.run, [f"Judged@{cutoff}", "Judged"]).per_topic()["run"]
    for topic, judged in case.judgments.items():
        ranking = oracles.rank(case.run.get(topic, {}))
        known = {doc for grades in judged.values() for doc in grades}
        found = sum(doc in known for doc in ranking[:cutoff])
        depth = min(cutoff, len(ranking))
        assert scores[topic][f"Judged@{cutoff}"] == pytest.approx(found / depth if depth else 0.0, rel=1e-12)
        assert scores[topic]["Judged"] == pytest.approx(slow.Judged_(judged, ranking), rel=1e-12)


def test_judged_by_hand() -> None:
    # "n" is judged, as not relevant; "m" with a negative grade, and on another aspect only
    judgments = {"q": {"s": {"a": 2, "n": 0}, "t": {"m": -1}}}
    run = {"q": {"n": 5.0, "x": 4.0, "m": 3.0}}
    measures = ["Judged@1", "Judged@2", "Judged@3", "Judged@10", "Judged", "Judged(judged_only=True)@2"]
    found = rankprism.evaluate(judgments, run, measures).mean()["run"]
    assert list(found.values()) == pytest.approx([1, 1 / 2, 2 / 3, 2 / 3, 2 / 3, 1], rel=1e-12)
