"""Scores by assessor and by profile, and intervals by resampling."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from preference_coverage import World, coverage

from rankprism import InputError, MeasureError, evaluate, read_preferences, sample
from rankprism.preferences.groups import evaluate_by, profile_of
from rankprism.preferences.rescoring import aligned
from rankprism.preferences.score_intervals import intervals

pytestmark = pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
MEASURES = ["nPrf@5", "nPrf(estimate='pooled',unseen='skip')@5", "ppref", "prefs_avgjg", "prefs_pair"]
RUNS = list(sample.RUNS)[:2]


def test_each_assessor_scores_as_their_judgments_alone() -> None:
    """Although runs are aligned once, with the documents that anybody named."""
    people = read_preferences(sample.PREFERENCES)
    found = evaluate_by(people, RUNS, MEASURES)
    assert list(found.scores) == ["ann", "ben", "eva", "pooled"]
    for name in people.assessors:
        alone = evaluate(people.of_assessors([name]), RUNS, MEASURES)
        np.testing.assert_array_equal(found.scores[name].values, alone.values)
    np.testing.assert_array_equal(found.scores["pooled"].values, evaluate(people, RUNS, MEASURES).values)
    rows = found.rows.columns
    assert set(rows) == {"assessor", "run", "topic", "measure", "score"}
    assert len(rows["run"]) == 4 * len(RUNS) * 20 * len(MEASURES)


def test_levels_are_told_apart_by_assessor(tmp_path: Path) -> None:
    path = tmp_path / "prefs.txt"
    path.write_text("q u1 1 a 2\nq u1 1 b 1\nq u1 1 c 0\nq u2 1 b 2\nq u2 1 a 0\n")
    people = read_preferences(path, format="prefs")
    run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    names = ["prefs_simp", "prefs_avgjg_Rnonrel"]
    found = evaluate_by(people, run, names)
    for who in ("u1", "u2"):
        alone = evaluate(people.of_assessors([who]), run, names)
        np.testing.assert_array_equal(found.scores[who].values, alone.values)


def test_a_profile_is_what_stands_before_the_last_stroke() -> None:
    assert [profile_of(name) for name in ("a/b/3", "traveller/1", "ann", "/1")] == [
        "a/b",
        "traveller",
        "ann",
        "/1",
    ]
    rows = [("q", "", "a", "b", outcome, who) for outcome, who in (("left", "x/1"), ("right", "x/2"))]
    rows += [("q", "", "a", "b", "left", "y/1"), ("r", "", "a", "b", "left", "y/1")]
    found = evaluate_by(rows, {"q": {"a": 1.0}, "r": {"a": 1.0}}, "ppref", by="profile")
    assert {name: scores.mean()["run"]["ppref"] for name, scores in found.scores.items()} == {
        "x": 0.5,  # on topic q alone, which they judged
        "y": 1.0,
        "pooled": pytest.approx((2 / 3 + 1) / 2),
    }


def test_who_is_drawn_twice_counts_twice() -> None:
    rows = [("q", "", "a", "b", "left", "ann"), ("q", "", "a", "b", "right", "ben")]
    found = aligned(rows, {"q": {"a": 1.0}}, ["ppref", "prefs_avgjg"])
    np.testing.assert_allclose(found.scores([0, 0, 1])[0, 0], [2 / 3, 2 / 3])


def test_intervals_follow_the_seed_and_nothing_else() -> None:
    rng = random.Random(4)
    rows = [
        (
            f"q{rng.randrange(4)}",
            rng.choice(["", "e"]),
            *rng.sample("abcd", 2),
            rng.choice(["left", "tie"]),
            who,
        )
        for _ in range(150)
        for who in [rng.choice(["ann", "ben", "eva", "joe"])]
    ]
    runs = {
        "one": {f"q{t}": {"a": 2.0, "b": 1.0} for t in range(4)},
        "two": {f"q{t}": {"c": 1.0} for t in range(4)},
    }
    names = ["nPrf(estimate='pooled')@3", "ppref"]
    settings: dict[str, Any] = {"resamples": 40, "seed": 7}
    for resample in ("assessors", "topics", "both"):
        first = intervals(rows, runs, names, resample=resample, **settings)
        shuffled = rng.sample(rows, len(rows))
        again = intervals(
            shuffled, dict(reversed(runs.items())), names, resample=resample, threads=1, **settings
        )
        assert first.of_runs == {key: again.of_runs[key] for key in first.of_runs}
        for one in first.of_runs.values():
            assert one.low <= one.high
    other = intervals(rows, runs, names, resample="both", resamples=40, seed=8)
    assert other.of_runs != first.of_runs


def test_intervals_of_topics_equal_those_of_the_scores_themselves() -> None:
    """Resampling topics needs the scores only: the same draws from numpy give the same quantiles."""
    scores = evaluate(sample.PREFERENCES, RUNS, "nPrf@5").values[:, :, 0]
    found = intervals(sample.PREFERENCES, RUNS, "nPrf@5", resample="topics", resamples=200, seed=3)
    rng = np.random.default_rng(3)
    drawn = np.array([scores[:, rng.integers(20, size=20)].mean(1) for _ in range(200)])
    for r, one in enumerate(found.of_runs.values()):
        high, low = 2 * scores[r].mean() - np.quantile(drawn[:, r], [0.025, 0.975])
        assert (one.mean, one.low, one.high) == pytest.approx((scores[r].mean(), low, high))
    (pair,) = found.of_pairs.values()
    assert pair.mean == pytest.approx(scores[0].mean() - scores[1].mean())


def test_intervals_of_assessors_hold_the_truth_about_as_often_as_they_say() -> None:
    """95 % are promised; with 10 assessors and skewed scores, fewer are kept, but not very few."""
    found = coverage(World(2, 4), "nPrf(unseen='skip')@3", 10, 9, studies=30, resamples=60)
    assert found.runs > 0.75
    assert found.differences > 0.7


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"resample": "runs"}, "resample must be one of assessors, topics, both"),
        ({"resamples": 3}, "3 resamples cannot show a level of 0.05"),
        ({"level": 1.5}, "level must be a number between 0 and 1; got 1.5"),
        ({"seed": -1}, "seed must be a whole number"),
    ],
)
def test_impossible_intervals_are_refused(more: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        intervals(sample.PREFERENCES, RUNS, "ppref", **more)


def test_what_needs_assessors_is_refused_without_them() -> None:
    rows = [("q", "", "a", "b", "left", "ann")]
    with pytest.raises(InputError, match="has one assessor, and at least two are needed"):
        intervals(rows, {"q": {"a": 1.0}}, "ppref")
    with pytest.raises(MeasureError, match="AP needs absolute judgments, of which no assessors are known"):
        evaluate_by(rows, {"q": {"a": 1.0}}, "AP")
    with pytest.raises(InputError, match="the assessor 'pooled' has the name that stands for all"):
        evaluate_by([("q", "", "a", "b", "left", "pooled")], {"q": {"a": 1.0}}, "ppref")
    with pytest.raises(InputError, match="by must be one of assessor, profile"):
        evaluate_by(rows, {"q": {"a": 1.0}}, "ppref", by="topic")  # type: ignore[arg-type]


# ── the command line ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["evaluate", "QRELS", "RUN", "-m", "nPrf@5"], "nPrf@5 needs preferences"),
        (["evaluate", "PREFS", "RUN", "-m", "AP"], "AP needs absolute judgments"),
        (
            ["evaluate", "PREFS", "RUN", "-m", "ppref", "--weights", "sakai"],
            "--weights is for absolute judgments",
        ),
        (
            ["evaluate", "QRELS", "RUN", "-m", "AP", "--preferences-format", "winner"],
            "is not a topic, two doc",
        ),
        (["evaluate", "QRELS", "RUN", "-m", "ppref", "--by", "assessor"], "preferences are needed here"),
        (
            ["evaluate", "PREFS", "RUN", "-m", "ppref", "--by", "assessor", "--per-topic"],
            "cannot be used with --by",
        ),
        (["evaluate", "PREFS", "RUN", "-m", "ppref", "--bounds"], "no bounds are known"),
        (["evaluate", "QRELS", "RUN", "-m", "ppref", "--preferences", "QRELS"], "may be absolute judgments"),
        (["evaluate", "QRELS", "RUN", "-m", "ppref", "--preferences", "none.tsv"], "none.tsv"),
        (["evaluate", "RUN", "-m", "ppref", "--preferences", "PREFS"], "if there are only preferences, name"),
        (["evaluate", "RUN", "RUN", "-m", "ppref", "--preferences", "PREFS"], "leave out --preferences"),
        (["evaluate", "PREFS", "RUN", "-m", "ppref", "--preferences", "PREFS"], "leave out --preferences"),
        (["preferences", "intervals", "QRELS", "RUN", "-m", "ppref"], "preferences are needed here"),
        (["preferences", "intervals", "PREFS", "RUN"], "name at least one measure"),
        (["preferences", "intervals", "PREFS", "RUN", "-m", "ppref", "--level", "2"], "level must be"),
        (["reproduce", "toma", "PREFS", "RUN"], "absolute judgments are needed here"),
    ],
)
def test_bad_commands_get_one_line_and_exit_code_2(
    words: list[str], says: str, cli: Callable[..., Any]
) -> None:
    names = {"QRELS": sample.QRELS, "PREFS": sample.PREFERENCES, "RUN": RUNS[0]}
    done = cli(*(str(names.get(word, word)) for word in words))
    assert done.returncode == 2
    assert says in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not done.stdout


def test_commands_read_preferences_in_the_place_of_judgments_and_beside_them(cli: Callable[..., Any]) -> None:
    prefs, runs = str(sample.PREFERENCES), [str(run) for run in RUNS]
    alone = cli("evaluate", prefs, *runs, "-m", "nPrf@5", "--format", "csv")
    beside = cli(
        "evaluate", str(sample.QRELS), *runs, "--preferences", prefs, "-m", "nPrf@5", "--format", "csv"
    )
    assert alone.returncode == beside.returncode == 0
    assert alone.stdout == beside.stdout
    for words in (
        ["compare", prefs, *runs, "-m", "nPrf@5"],
        ["meta", "correlation", prefs, *map(str, sample.RUNS), "-m", "nPrf@5", "-m", "ppref"],
        ["evaluate", prefs, *runs, "-m", "ppref", "--by", "profile", "--format", "csv"],
        [
            "preferences",
            "intervals",
            prefs,
            *runs,
            "-m",
            "ppref",
            "--resample",
            "topics",
            "--resamples",
            "100",
        ],
    ):
        done = cli(*words)
        assert done.returncode == 0, done.stderr
        assert done.stdout
