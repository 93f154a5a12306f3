"""Captions say which test was made, and what an interval or a score of 0 means."""

from __future__ import annotations

import numpy as np
import pytest

from rankprism import evaluate, parse, sample
from rankprism.meta import power
from rankprism.meta.advice import _on_zeros
from rankprism.results import Scores

RUNS = sorted(sample.RUNS)[:3]


@pytest.mark.parametrize(
    ("method", "says"),
    [
        (
            "bootstrap",
            "(paired bootstrap with 1,000 resamples, p < 0.05, not corrected for 3 pairs, 20 topics)",
        ),
        ("t", "(paired t-test, p < 0.05, after the Holm correction for 3 pairs, 20 topics)"),
        ("tukey", "(randomised Tukey HSD with 1,000 resamples, p < 0.05, corrected for 3 pairs by the test"),
    ],
)
def test_power_says_which_test_was_made(method: str, says: str) -> None:
    scores = evaluate(sample.QRELS, RUNS, "P@10")
    assert says in power(scores, method=method).note  # type: ignore[arg-type]


def test_an_interval_that_reaches_beyond_all_scores_says_so() -> None:
    """RR had intervals up to 1.01 without a word."""
    rng = np.random.default_rng(0)
    values = np.where(rng.random((2, 20, 2)) < 0.1, 0.5, 1.0)
    values[:, :, 1] = rng.uniform(0.4, 0.6, (2, 20))
    scores = Scores(("a", "b"), tuple(f"t{i}" for i in range(20)), ("RR", "P@10"), values)
    high = [scores.intervals()[run]["RR"][1] for run in scores.runs]
    assert max(high) > 1
    note = scores.table(intervals=True).note
    assert note.endswith(
        "Intervals of RR reach beyond all scores (0.5 to 1), because Student's t knows no range of scores."
    )
    inside = Scores(scores.runs, scores.topics, ("P@10",), values[:, :, 1:])
    assert "beyond" not in inside.table(intervals=True).note


def test_zeros_are_blind_only_if_no_ranking_is_worse() -> None:
    measure = parse("RBU@10")
    for worst, said in ((0.0, True), (-0.2, False)):
        values = np.array([[0.5, 0.0, 0.3], [0.4, 0.0, worst]])[:, :, None]
        found = list(_on_zeros(0, measure, Scores(("a", "b"), ("1", "2", "3"), (str(measure),), values)))
        assert bool(found) == said, worst
