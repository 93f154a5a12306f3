"""Metric Unanimity if grades, aspect weights and lengths of rankings are drawn."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import numpy as np
import pytest

from rankprism import InputError, RankprismWarning, evaluate, read_judgments, sample
from rankprism.data.run import Alignment
from rankprism.evaluation import Collection
from rankprism.meta import scenarios, unanimity
from rankprism.meta.drawn_scenarios import redrawn, shortened

Cli = Callable[..., CompletedProcess[str]]
RUNS = list(sample.RUNS)
MEASURES = ["RBU(e=0.05)", "RBU(e=0)", "AP_IA", "P@10", "StRecall@10"]


def test_drawn_grades_weights_and_lengths_are_within_their_limits() -> None:
    aligned = Collection.of(sample.QRELS, RUNS)
    judged = aligned.judgments
    drawn = redrawn(judged, np.random.default_rng(1))
    before, after = judged.table.grades(), drawn.table.grades()
    relevant = before > 0
    assert ((after > 0) == relevant).all()
    assert (after <= before).all()
    share = after[relevant] / before[relevant]
    assert share.mean() == pytest.approx(0.5, abs=4 * np.sqrt(1 / 12 / relevant.sum()))
    assert drawn.weights is not None
    sums = np.add.reduceat(drawn.weights, judged.cells.aspect_start[:-1])
    np.testing.assert_allclose(sums, 1)
    for most in (None, 7):
        run: Alignment = aligned.joined(judged)["noisy"]
        cut = shortened(run, most, np.random.default_rng(2))
        assert (cut.length <= np.minimum(run.length, most or 1000)).all()
        assert cut.length.mean() < 0.75 * min(run.length.mean(), most or 1000)
        for topic in range(len(run.length)):
            ranks = run.rank[run.start[topic] : run.start[topic + 1]]
            kept = cut.rank[cut.start[topic] : cut.start[topic + 1]]
            assert kept.tolist() == ranks[ranks <= cut.length[topic]].tolist()


@pytest.mark.filterwarnings("ignore:.*unequal-depths")  # of the sample, which has short rankings
def test_the_first_scenario_is_the_unanimity_of_the_collection_as_it_is() -> None:
    found = scenarios(sample.QRELS, RUNS, MEASURES, repetitions=1)
    known = unanimity(sample.QRELS, RUNS, MEASURES)
    assert known.sampled is not None
    low, _ = known.sampled.interval(-np.inf, 1)
    np.testing.assert_array_equal(found.mu[0], known.mu)
    np.testing.assert_array_equal(found.low[0], low)
    assert np.isnan(found.low[1:]).all()  # a single repetition has no interval


def test_drawn_scenarios_are_the_mean_unanimity_of_collections_that_are_drawn() -> None:
    """By hand: draw, write the drawn collection down as rows and rankings, and evaluate that."""
    found = scenarios(sample.QRELS, RUNS, MEASURES, repetitions=5, seed=7, longest=9)
    aligned = Collection.of(sample.QRELS, RUNS)
    every = [m if m.startswith("RBU") else m.replace("P@", "P(rel=1e-300)@") for m in MEASURES]
    every = [
        {"AP_IA": "AP_IA(rel=1e-300)", "StRecall@10": "StRecall(rel=1e-300)@10"}.get(m, m) for m in every
    ]
    mu = []
    for repetition in range(5):
        drawn = redrawn(aligned.judgments, np.random.default_rng([7, repetition]))
        columns = list(zip(*drawn.table.columns(), strict=True))
        pairs = list(dict.fromkeys((topic, aspect) for topic, aspect, *_ in columns))
        assert drawn.weights is not None
        weights = [(*pair, weight) for pair, weight in zip(pairs, drawn.weights, strict=True)]
        runs: dict[str, Any] = {}
        for path in RUNS:
            ranked = ranking_of(path)
            rng = np.random.default_rng([7, repetition, 1, *path.stem.encode()])
            lengths = rng.integers(0, np.full(len(aligned.judgments.topics), 9), endpoint=True)
            runs[path.stem] = {
                topic: {doc: -i for i, doc in enumerate(ranked[topic][:length])}
                for topic, length in zip(aligned.judgments.topics, lengths, strict=True)
            }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RankprismWarning)
            scores = evaluate(read_judgments(columns, weights=weights), runs, every)
        mu.append(unanimity(scores, intervals=0).mu)
    np.testing.assert_allclose(found.mu[2], np.mean(mu, axis=0), rtol=1e-12)
    margin = 2.7764451051977987 * np.std(mu, axis=0, ddof=1) / np.sqrt(5)  # t(.975, 4)
    np.testing.assert_allclose(found.low[2], np.mean(mu, axis=0) - margin, rtol=1e-9)


def ranking_of(path: Path) -> dict[str, list[str]]:
    """Documents by score, and ties by id, descending."""
    lines = [line.split() for line in path.read_text().splitlines()]
    found: dict[str, list[str]] = {}
    for topic, _, doc, *_ in sorted(lines, key=lambda line: (float(line[4]), line[2]), reverse=True):
        found.setdefault(topic, []).append(doc)
    return found


def test_the_draws_depend_on_the_seed_but_not_on_the_order_of_the_runs() -> None:
    first, again, other = (
        scenarios(sample.QRELS, runs, MEASURES, repetitions=1, seed=seed)
        for runs, seed in ((RUNS, 0), (RUNS[::-1], 0), (RUNS, 1))
    )
    np.testing.assert_allclose(first.mu, again.mu, rtol=1e-12)
    assert not np.array_equal(first.mu[1], other.mu[1])


def test_runs_cut_at_a_depth_are_scored_as_if_they_ended_there() -> None:
    found = scenarios(sample.QRELS, RUNS, MEASURES, repetitions=1, depth=5)
    short = {
        path.stem: {
            topic: {d: -i for i, d in enumerate(docs[:5])} for topic, docs in ranking_of(path).items()
        }
        for path in RUNS
    }
    np.testing.assert_allclose(found.mu[0], unanimity(sample.QRELS, short, MEASURES).mu, rtol=1e-12)


@pytest.mark.filterwarnings("ignore:.*unequal-depths")  # of the sample, which has short rankings
def test_the_command_prints_the_three_scenarios(cli: Cli) -> None:
    some = [word for measure in MEASURES for word in ("-m", measure)]
    done = cli("meta", "scenarios", sample.QRELS, *RUNS, *some, "--repetitions", 2, "--format", "csv")
    assert done.returncode == 0
    assert done.stderr.endswith("[unequal-depths]\n")
    assert done.stderr.count("\n") == 1
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert len(rows) == 3 * len(MEASURES)
    found = scenarios(sample.QRELS, RUNS, MEASURES, repetitions=2)
    assert [float(row["MU"]) for row in rows] == found.rows.columns["MU"]


@pytest.mark.parametrize(
    ("option", "message"),
    [("repetitions", "repetitions must be"), ("longest", "longest must be"), ("depth", "depth must be")],
)
def test_numbers_below_1_are_refused(option: str, message: str) -> None:
    given: dict[str, Any] = {option: 0}
    with pytest.raises(InputError, match=f"{message} at least 1; got 0"):
        scenarios(sample.QRELS, RUNS, MEASURES, **given)


def test_measures_that_differ_in_a_threshold_only_are_the_same_if_grades_are_drawn() -> None:
    found = scenarios(sample.QRELS, RUNS, ["AP", "RR", "P@10", "P(rel=1e-300)@10"], repetitions=1)
    alone = scenarios(sample.QRELS, RUNS, ["AP", "RR", "P@10"], repetitions=1)
    np.testing.assert_array_equal(found.mu[1:, 2], found.mu[1:, 3])
    np.testing.assert_array_equal(found.mu[1:, :3], alone.mu[1:])  # a copy changes nothing


def test_preferences_are_refused(cli: Cli) -> None:
    given = ("--preferences", sample.PREFERENCES, "-m", "AP", "-m", "nPrf@10")
    done = cli("meta", "scenarios", sample.QRELS, *RUNS, *given)
    assert (done.returncode, done.stdout) == (2, "")
    assert "scenarios draw absolute grades; leave out preferences" in done.stderr


def test_scores_are_not_enough_to_draw_from(cli: Cli, tmp_path: Path) -> None:
    scores = tmp_path / "scores.csv"
    cli("evaluate", sample.QRELS, *RUNS, "-m", "AP", "-m", "RR", "--per-topic", "-o", scores)
    done = cli("meta", "scenarios", scores)
    assert (done.returncode, done.stdout) == (2, "")
    assert "scenarios need judgments and runs to draw from" in done.stderr
