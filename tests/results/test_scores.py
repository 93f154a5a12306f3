"""Scores: what can be asked of them."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from rankprism import Scores, evaluate

pytestmark = pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")  # a run that lacks topics

JUDGMENTS = {"1": {"d1": 1}, "2": {"d1": 1}, "3": {"d1": 0}}
RUNS = {
    "good": {"1": {"d1": 1.0}, "2": {"d1": 1.0}, "3": {"d1": 1.0}},
    "half": {"1": {"d1": 1.0}, "9": {"d1": 1.0}},
}


@pytest.fixture
def scores() -> Scores:
    return evaluate(JUDGMENTS, RUNS, ["P@1", "RR", "P@1"])


def test_means_are_over_all_judged_topics(scores: Scores) -> None:
    assert scores.mean() == {"good": {"P@1": 2 / 3, "RR": 2 / 3}, "half": {"P@1": 1 / 3, "RR": 1 / 3}}
    assert scores.measures == ("P@1", "RR")  # asked twice, told once


def test_means_over_retrieved_topics_leave_the_missing_out() -> None:
    scores = evaluate(JUDGMENTS, RUNS, "P@1", topics="retrieved")
    assert scores.mean() == {"good": {"P@1": 2 / 3}, "half": {"P@1": 1.0}}
    assert list(scores.per_topic()["half"]) == ["1"]
    assert np.isnan(scores.values[1, 1:]).all()
    assert len(scores.to_frame("polars")) == 4


def test_per_topic_scores(scores: Scores) -> None:
    assert scores.per_topic()["half"] == {
        "1": {"P@1": 1.0, "RR": 1.0},
        "2": {"P@1": 0.0, "RR": 0.0},
        "3": {"P@1": 0.0, "RR": 0.0},
    }


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frames_of_every_kind(scores: Scores, backend: str) -> None:
    frame: Any = scores.to_frame(backend)
    assert type(frame).__module__.startswith(backend)
    columns = list(frame.column_names if backend == "pyarrow" else frame.columns)
    assert columns == ["run", "topic", "measure", "score"]
    assert len(frame) == 2 * 3 * 2


def test_an_unknown_kind_of_frame_is_refused(scores: Scores) -> None:
    with pytest.raises(ValueError, match="unknown kind of data frame 'excel'; use one of pandas"):
        scores.to_frame("excel")


def test_conventions_are_recorded(scores: Scores) -> None:
    notes = [note["kind"] for note in scores.conventions["notes"]]
    assert notes == ["missing-topics", "unjudged-topics", "no-relevant"]
    assert {key: x for key, x in scores.conventions.items() if key != "notes"} == {
        "order": "score",
        "topics": "judged",
        "duplicates": "error",
        "aspect weights": "uniform",
        "aspects without relevant documents": "left out",
        "bounds": False,
        "topics without relevant documents": ("3",),
        "topics missing from a run": {"half": 2},
        "topics of a run without judgments": {"half": 1},
        "direction": {"P@1": "higher", "RR": "higher"},
    }


def test_scores_print_as_a_small_table(scores: Scores) -> None:
    assert str(scores).splitlines()[2].split() == ["good", "0.6667", "0.6667"]
    assert repr(scores).startswith("<Scores 2 runs × 3 topics × 2 measures>\nrun ")


def test_runs_are_named_as_they_come() -> None:
    run = {"1": {"d1": 1.0}}
    assert evaluate(JUDGMENTS, run, "P@1").runs == ("run",)
    assert evaluate(JUDGMENTS, [run, run], "P@1").runs == ("run", "run2")
    assert evaluate(JUDGMENTS, {"a": run, "b": run}, "P@1").runs == ("a", "b")
    assert evaluate(JUDGMENTS, [("1", "d1", 1.0)], "P@1").runs == ("run",)


def test_rows_that_are_written_piece_by_piece_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(1).random((2, 5, 2))
    values[0, :2, 1] = np.nan  # nothing is known of a column in the first piece
    table = Scores(("a", "b"), tuple("12345"), ("AP", "P@5"), values).table(per_topic=True, wide=True)
    expected = table.to_csv(), table.to_tsv(), pq.read_table(io.BytesIO(table.to_parquet())).to_pylist()
    monkeypatch.setattr("rankprism.results.scores._ROWS", 4)
    assert len(list(table.csv_pieces())) == 6  # two topics in each
    found = table.to_csv(), table.to_tsv(), pq.read_table(io.BytesIO(table.to_parquet())).to_pylist()
    assert found == expected
