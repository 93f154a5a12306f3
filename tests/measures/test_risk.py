"""How risky a run is beside a baseline, and how much of it is judged."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankprism
from rankprism import InputError, sample
from tests.measures.test_catalogue import Case, cases
from tests.support import oracles, strategies

pytestmark = pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")  # runs without judged documents


Rows = dict[tuple[str, str, str], dict[str, str]]


def rows_of(text: str) -> Rows:
    return {(row["run"], row["topic"], row["measure"]): row for row in csv.DictReader(io.StringIO(text))}


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
    scores = rankprism.evaluate(JUDGMENTS, RUNS, "RR")
    risk = scores.risk("base", alpha)
    name = f"URisk(RR,alpha={alpha:g})"
    assert risk.measures == ("RR", name)
    assert risk.select(measures=["RR"]).mean() == scores.mean()  # the scores are beside it
    assert risk.mean()["bold"][name] == pytest.approx(expected, abs=1e-15)
    assert risk.mean()["base"][name] == 0
    assert risk.topics == ("1", "2", "3", "4")
    loss = -(1 + alpha) / 2
    assert risk.values[risk.runs.index("bold"), :, 1].tolist() == [0.5, loss, 0.0, 0.5]
    assert risk.conventions["baseline"] == "base"
    assert risk.conventions["risk alpha"] == alpha
    assert (risk.low, risk.high) == (None, None)


def test_risk_without_extra_weight_is_the_difference_of_means() -> None:
    scores = rankprism.evaluate(sample.QRELS, list(sample.RUNS), ["alpha_nDCG@10", "RBU", "ERR_IA@20"])
    base = scores.runs[0]
    mean = scores.mean()
    for run, row in scores.risk(base, 0).mean().items():
        for m in scores.measures:
            assert row[m] == mean[run][m]
            assert row[f"URisk({m},alpha=0)"] == pytest.approx(
                mean[run][m] - mean[base][m], rel=1e-12, abs=1e-15
            )
    # Losses can only count for more.
    mild, harsh = (scores.risk(base, alpha).means for alpha in (1, 5))
    assert (harsh <= mild + 1e-12).all()


def test_risk_is_over_the_topics_that_both_runs_have() -> None:
    runs = {"base": {"1": {"a": 1.0}, "2": {"a": 1.0}}, "one": {"2": {"x": 2.0, "a": 1.0}, "3": {"a": 1.0}}}
    scores = rankprism.evaluate(JUDGMENTS, runs, "RR", topics="retrieved")
    assert scores.risk("base").mean()["one"]["URisk(RR,alpha=1)"] == -1.0
    # Over all judged topics a missing one scores 0: -1, 2 · -1/2 … for topics 1, 2 and 3, of 4
    everything = rankprism.evaluate(JUDGMENTS, runs, "RR").risk("base")
    assert everything.mean()["one"]["URisk(RR,alpha=1)"] == pytest.approx((-2 - 1 + 1 + 0) / 4)


def test_bounds_stay_with_the_scores_and_are_not_made_up_for_risk() -> None:
    scores = rankprism.evaluate(JUDGMENTS, RUNS, "RR", bounds=True)
    risk = scores.risk("base")
    assert risk.low is not None
    assert scores.low is not None
    assert np.array_equal(risk.low[:, :, 0], scores.low[:, :, 0])
    assert np.isnan(risk.low[:, :, 1]).all()


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
        assert expected.measures[::2] == ("alpha_nDCG@10", "RBU")
        assert len(rows) == 4 * len(sample.RUNS)
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
        assert scores[topic]["Judged"] == pytest.approx(oracles.coverage.Judged_(judged, ranking), rel=1e-12)


def test_judged_by_hand() -> None:
    # "n" is judged, as not relevant; "m" with a negative grade, and on another aspect only
    judgments = {"q": {"s": {"a": 2, "n": 0}, "t": {"m": -1}}}
    run = {"q": {"n": 5.0, "x": 4.0, "m": 3.0}}
    measures = ["Judged@1", "Judged@2", "Judged@3", "Judged@10", "Judged", "Judged(judged_only=True)@2"]
    found = rankprism.evaluate(judgments, run, measures).mean()["run"]
    assert list(found.values()) == pytest.approx([1, 1 / 2, 2 / 3, 2 / 3, 2 / 3, 1], rel=1e-12)
