"""How many judgments a study needs: the simulation against evaluate, and choices against each other."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankprism import evaluate, sample
from rankprism.errors import InputError, MeasureError
from rankprism.judging.preferences.rankings import read_rankings
from rankprism.judging.preferences.selection import select
from rankprism.judging.preferences.study import study_of
from rankprism.judging.preferences.study_plan import Plan, plan
from rankprism.judging.preferences.usefulness import scored
from rankprism.measures import parse
from rankprism.measures.preferences.utility import utilities

Cli = Callable[..., subprocess.CompletedProcess[str]]
Collection = tuple[dict[str, Any], dict[str, Any]]


@pytest.fixture(scope="module")
def collection() -> Collection:
    """Eight related runs from good to bad, twelve topics, sixty documents on up to three of 4 subtopics."""
    rng = random.Random("a small collection")
    judgments: dict[str, Any] = {}
    runs: dict[str, Any] = {f"run{r}": {} for r in range(8)}
    for t in range(12):
        topic = f"q{t}"
        covers = {f"d{i}": rng.sample("abcd", rng.choice([0, 0, 0, 1, 1, 2, 3])) for i in range(60)}
        judgments[topic] = {s: {doc: int(s in on) for doc, on in covers.items()} for s in "abcd"}
        shared = {doc: len(on) + rng.gauss(0, 1) for doc, on in covers.items()}
        for r, run in enumerate(runs.values()):
            run[topic] = {doc: score + rng.gauss(0, 0.2 + 0.3 * r) for doc, score in shared.items()}
    return judgments, runs


@pytest.fixture(scope="module")
def compared(collection: Collection) -> Plan:
    measure = "nPrf(theta=0.8,estimate='pooled')@20"
    return plan(*collection, measure, budgets=[5, 10, 20, 40, 80, 160, 320], repetitions=4)


def test_chosen_questions_need_far_fewer_judgments_than_random_ones(compared: Plan) -> None:
    needed = {
        choice: found[0] for (_, choice), found in zip(compared.conditions, compared.needed, strict=True)
    }
    assert needed["random"] > 3 * needed["targeted"]
    assert needed["random"] > 3 * needed["adaptive"]


def test_the_pooled_estimate_needs_fewer_judgments_than_the_raw_one(collection: Collection) -> None:
    measures = ["nPrf@10", "nPrf(estimate='pooled')@10"]
    raw, pooled = plan(*collection, measures, choices=["random"], budgets=[80], repetitions=3).curves[:, 0]
    assert pooled > raw + 0.2


def test_one_user_who_is_asked_everything_gives_the_full_order(collection: Collection) -> None:
    judgments, runs = collection
    some = {name: {topic: run[topic] for topic in ("q0", "q1", "q2")} for name, run in runs.items()}
    profiles = [(topic, "somebody", subtopic) for topic in judgments for subtopic in "ab"]
    found = plan(judgments, some, "nPrf@4", choices=["random"], profiles=profiles, budgets=[20, 10_000])
    assert found.tau[0, 0].mean() < 1
    assert (found.tau[0, 1] == 1).all()


@pytest.mark.filterwarnings(r"ignore:.*\[borrowed\]")
def test_a_study_scores_runs_as_evaluate_does(collection: Collection) -> None:
    _, runs = collection
    rng = random.Random("as evaluate does")
    rankings = read_rankings(runs, 10)
    tasks = select(rankings, budget=600, measures="nPrf@10", choice="targeted")
    rows = [
        (t.topic, " ".join(t.given), t.left, t.right, rng.choice(["left", "right", "tie"])) for t in tasks
    ]
    study = study_of(rankings, rows)
    for text in ("nPrf@10", "Prf(browsing='rr')@5", "nPrf(estimate='pooled',unseen='skip')@10"):
        measure = parse(text)
        shown = {topic: one.judged for topic, one in zip(rankings.topics, study.topics, strict=True)}
        estimates = utilities(shown, measure["estimate"], measure["unseen"])
        score, _ = scored(study, list(estimates.values()), measure)
        mean = evaluate(rows, runs, measure).mean()
        expected = [mean[run][str(measure)] for run in rankings.runs]
        assert score.mean(0) == pytest.approx(expected, abs=1e-12)


def test_the_seed_decides_and_the_order_of_the_input_does_not(collection: Collection) -> None:
    judgments, runs = collection

    def simulated(judgments: Any, runs: Any, seed: int) -> Any:
        return plan(
            judgments, runs, "nPrf(estimate='pooled')@5", budgets=[5, 10], repetitions=2, seed=seed
        ).tau

    first = simulated(judgments, runs, 1)
    backwards = {name: dict(reversed(run.items())) for name, run in reversed(runs.items())}
    assert np.array_equal(simulated(dict(reversed(judgments.items())), backwards, 1), first)
    assert not np.array_equal(simulated(judgments, runs, 2), first)


def test_judgments_needed_lie_between_budgets_and_may_not_be_reached() -> None:
    tau = np.array([[[0.7, 0.7], [0.8, 0.8], [1.0, 1.0]], [[0.5, 0.6], [0.95, 0.9], [0.8, 0.8]]])
    conditions = (("nPrf@10", "targeted"), ("nPrf@10", "random"))
    about = dict.fromkeys(("repetitions", "runs", "topics", "documents", "profiles", "ties"), 2) | {"seed": 0}
    found = Plan(conditions, (10, 40, 160), tau, 0.9, about)
    # 0.9 is in the middle of 0.8 and 1.0, and 80 in the middle of log 40 and log 160.
    assert found.needed[0][0] == pytest.approx(80)
    # At 40 judgments the second one is above 0.9, but not at 160 any more.
    assert found.needed[1][0] == np.inf
    assert np.isnan([one[1:] for one in found.needed]).all()  # two repetitions are too few for intervals
    many = Plan(conditions, (10, 40, 160), np.tile(tau, 5), 0.9, about)
    assert many.needed[0] == pytest.approx((80, 80, 80))
    assert many.needed[1] == (np.inf, np.inf, np.inf)
    assert found.summary.columns["judgments per topic"] == ["80", "> 160"]
    assert len(found.rows) == 12


def test_a_study_ends_when_the_target_is_reached_twice(compared: Plan) -> None:
    for curve in compared.curves:
        simulated = curve[~np.isnan(curve)]
        reached = simulated >= compared.target
        assert not (reached[:-2] & reached[1:-1]).any()


@pytest.mark.parametrize(
    ("more", "error", "words"),
    [
        ({"measures": "alpha_nDCG@10"}, MeasureError, "can be chosen for Prf and nPrf only"),
        ({"measures": "nPrf(ideal='exact')@5"}, MeasureError, "leave out ideal='exact'"),
        ({"choices": []}, InputError, "name at least one choice"),
        ({"choices": ["best"]}, InputError, "choice must be one of random, targeted, adaptive; got 'best'"),
        ({"budgets": [10, 10]}, InputError, "budgets must be ascending numbers above 0"),
        ({"budgets": [0, 10]}, InputError, "budgets must be ascending numbers above 0"),
        ({"target": 1.5}, InputError, "target must be above 0 and at most 1; got 1.5"),
        ({"repetitions": 0}, InputError, "repetitions must be at least 1; got 0"),
        ({"seed": -1}, InputError, "seed must be at least 0; got -1"),
        ({"runs": {"only": {"q0": {"d1": 1.0}}}}, InputError, "one run has no order to find"),
        ({"runs": {"a": {"z": {"d": 1.0}}, "b": {"z": {"d": 1.0}}}}, InputError, "share no topic"),
        ({"profiles": [("q0", "p", "nothing")]}, InputError, "names subtopic 'nothing' of topic 'q0'"),
    ],
)
def test_what_cannot_be_planned_is_refused(
    collection: Collection, more: dict[str, Any], error: type[Exception], words: str
) -> None:
    judgments, runs = collection
    with pytest.raises(error, match=words.replace("(", r"\(")):
        plan(**{"judgments": judgments, "runs": runs, **more})


def test_the_command_prints_draws_and_writes_a_plan(cli: Cli, tmp_path: Path) -> None:
    chart, out = tmp_path / "plan.svg", tmp_path / "plan.json"
    options = ["-m", "nPrf(estimate='pooled')@5", "--choice", "targeted", "--budgets", "5,10"]
    options += ["--repetitions", "2", "--target", "0.8", "--seed", "3"]
    result = cli("preferences", "plan", sample.QRELS, *sample.RUNS, *options, "--plot", chart, "-o", out)
    assert (result.returncode, result.stderr) == (0, "")
    assert chart.read_text().startswith("<svg")
    found = json.loads(out.read_text())
    assert found["about"]["seed"] == 3
    assert [(row["judgments per topic"], row["repetition"]) for row in found["rows"]] == [
        (5, 1),
        (5, 2),
        (10, 1),
        (10, 2),
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([sample.QRELS, *sample.RUNS, "--budgets", "10,many"], "--budgets takes whole numbers above 0"),
        ([sample.QRELS, sample.RUNS[0]], "one run has no order to find"),
        ([sample.PREFERENCES, *sample.RUNS], "absolute judgments are needed here"),
    ],
)
def test_bad_input_is_one_error(cli: Cli, arguments: list[Any], words: str) -> None:
    result = cli("preferences", "plan", *arguments)
    assert result.returncode == 2
    assert words in " ".join(result.stderr.split())
    assert "Traceback" not in result.stderr
