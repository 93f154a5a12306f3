"""Scores by assessor and by profile, and intervals by resampling."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from rankprism import (
    Collection,
    InputError,
    MeasureError,
    RankprismWarning,
    evaluate,
    read_preferences,
    sample,
)
from rankprism.judging.preferences.groups import evaluate_by, profile_of
from rankprism.judging.preferences.rescoring import Rescored
from rankprism.judging.preferences.score_intervals import intervals
from rankprism.types import Over

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


def test_a_profile_is_the_text_before_the_last_slash() -> None:
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
    collection = Collection.of(None, {"q": {"a": 1.0}}, preferences=rows)
    found = Rescored.of(collection, ["ppref", "prefs_avgjg"])
    np.testing.assert_allclose(found.scores([0, 0, 1])[0, 0], [2 / 3, 2 / 3])


def test_intervals_follow_the_seed_and_nothing_else() -> None:
    rng = random.Random(4)
    rows = [
        (
            f"q{rng.randrange(8)}",
            rng.choice(["", "e"]),
            *rng.sample("abcd", 2),
            rng.choice(["left", "tie"]),
            who,
        )
        for _ in range(300)
        for who in [f"a{rng.randrange(12)}"]
    ]
    runs = {
        "one": {f"q{t}": {"a": 2.0, "b": 1.0} for t in range(8)},
        "two": {f"q{t}": {"c": 1.0} for t in range(8)},
    }
    names = ["nPrf(estimate='pooled')@3", "ppref"]
    for over in ("assessors", "topics", "both"):
        settings: dict[str, Any] = {"over": over, "resamples": 40, "seed": 7}
        first = intervals(rows, runs, names, **settings)
        shuffled = rng.sample(rows, len(rows))
        again = intervals(shuffled, dict(reversed(runs.items())), names, threads=1, **settings)
        assert first.of_runs == {key: again.of_runs[key] for key in first.of_runs}
        for one in first.of_runs.values():
            assert one.low <= one.mean <= one.high
    assert intervals(rows, runs, names, resamples=40, seed=8).of_runs != first.of_runs


def test_intervals_over_topics_are_students() -> None:
    """The quantiles of resampled means that were here before held the mean in .64 to .72 of studies of three
    topics."""
    scores = evaluate(sample.PREFERENCES, RUNS, "nPrf@5").values[:, :, 0]
    found = intervals(sample.PREFERENCES, RUNS, "nPrf@5", over="topics")
    (pair,) = found.of_pairs.values()
    for one, values in zip((*found.of_runs.values(), pair), (*scores, scores[0] - scores[1]), strict=True):
        theirs = stats.ttest_1samp(values, 0).confidence_interval(0.95)
        assert (one.mean, one.low, one.high) == pytest.approx((values.mean(), theirs.low, theirs.high))


def people(judged: dict[str, list[int]]) -> list[tuple[str, ...]]:
    """Judgments of a and b: of each assessor, how many prefer a on each topic."""
    return [
        (f"q{t}", "", "a", "b", outcome, who)
        for who, lefts in judged.items()
        for t, left in enumerate(lefts)
        for outcome in ["left"] * left + ["right"] * (10 - left)
    ]


RUN = {f"q{t}": {"a": 2.0, "b": 1.0} for t in range(3)}


def test_an_interval_over_assessors_of_a_mean_is_students_of_their_means() -> None:
    """The score is here the mean of the assessors' shares of wins, and the jackknife is exact for a mean."""
    shares = {"ann": [9, 8, 6], "ben": [7, 8, 5], "eva": [5, 9, 9], "joe": [8, 4, 7]}
    own = np.array(list(shares.values())) / 10
    (one,) = intervals(people(shares), RUN, "ppref", over="assessors").of_runs.values()
    theirs = stats.ttest_1samp(own.mean(1), 0).confidence_interval(0.95)
    assert (one.low, one.high) == pytest.approx((theirs.low, theirs.high))


def test_leaving_out_a_fifth_many_times_leads_to_the_same() -> None:
    rng = np.random.default_rng(2)
    own = rng.integers(2, 10, (12, 1))
    rows = people({f"a{i:02}": row.tolist() for i, row in enumerate(own)})
    (one,) = intervals(rows, {"q0": RUN["q0"]}, "ppref", over="assessors", resamples=3000).of_runs.values()
    theirs = stats.ttest_1samp(own[:, 0] / 10, 0).confidence_interval(0.95)
    assert (one.low, one.high) == pytest.approx((theirs.low, theirs.high), abs=0.005)


def test_an_interval_over_both_adds_what_assessors_have_in_common_over_topics() -> None:
    """V_T of the means of topics, and V_A - V_TA by the definition, from a table of topics and assessors."""
    shares = {"ann": [9, 6, 3], "ben": [6, 3, 1], "eva": [8, 4, 2]}
    own = np.array(list(shares.values())) / 10
    (one,) = intervals(people(shares), RUN, "ppref", over="both").of_runs.values()
    of_topics = own.mean(0).var(ddof=1) / 3
    common = own.mean(1).var(ddof=1) / 3 - sum(own[:, t].var(ddof=1) / 3 for t in range(3)) / 9
    freedom = (of_topics + common) ** 2 / (of_topics**2 / 2 + common**2 / 2)
    reach = stats.t.ppf(0.975, freedom) * np.sqrt(of_topics + common)
    assert (one.low, one.high) == pytest.approx((own.mean() - reach, own.mean() + reach))


def test_a_variance_over_both_is_at_least_that_over_assessors() -> None:
    """What assessors have in common is a difference of two estimates, so it may be too small by chance."""
    shares = {"ann": [9, 5, 7], "ben": [2, 6, 4], "eva": [3, 4, 5]}
    own = np.array(list(shares.values())) / 10
    (one,) = intervals(people(shares), RUN, "ppref", over="both").of_runs.values()
    of_topics = own.mean(0).var(ddof=1) / 3
    of_assessors = own.mean(1).var(ddof=1) / 3
    of_cells = sum(own[:, t].var(ddof=1) / 3 for t in range(3)) / 9
    assert of_topics + max(of_assessors - of_cells, 0) < of_assessors
    common = max(of_assessors - of_cells, 0)
    freedom = of_assessors**2 / (of_topics**2 / 2 + common**2 / 2)
    reach = stats.t.ppf(0.975, freedom) * np.sqrt(of_assessors)
    assert (one.low, one.high) == pytest.approx((own.mean() - reach, own.mean() + reach))


@pytest.mark.filterwarnings("default::rankprism.RankprismWarning")
@pytest.mark.parametrize(
    ("over", "says"),
    [
        ("topics", "it needs 8 topics, and there is 1"),
        ("assessors", "it needs 3 assessors, and there is 1"),
        ("both", "it needs 2 assessors and topics, and there is 1"),
    ],
)
def test_one_topic_or_one_assessor_has_no_interval(over: Over, says: str) -> None:
    """One topic had the interval [m, m]."""
    rows = people({"ann": [7]})
    with pytest.warns(RankprismWarning, match=says):
        (one,) = intervals(rows, {"q0": RUN["q0"]}, "ppref", over=over).of_runs.values()
    assert one.mean == 0.7
    assert np.isnan([one.low, one.high]).all()


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"over": "runs"}, "over must be one of assessors, topics, both"),
        ({"resamples": 1}, "resamples must be a whole number ≥ 2"),
        ({"level": 1.5}, "level must be a number between 0 and 1; got 1.5"),
        ({"seed": -1}, "seed must be a whole number"),
    ],
)
def test_impossible_intervals_are_refused(more: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        intervals(sample.PREFERENCES, RUNS, "ppref", **more)


def test_what_needs_assessors_is_refused_without_them() -> None:
    rows = [("q", "", "a", "b", "left", "ann")]
    with pytest.raises(MeasureError, match="AP needs absolute judgments, whose assessors are not known"):
        evaluate_by(rows, {"q": {"a": 1.0}}, "AP")
    with pytest.raises(InputError, match="the name 'pooled' is reserved for all judgments"):
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
            "only preferences are given",
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
            "--over",
            "topics",
        ],
    ):
        done = cli(*words)
        assert done.returncode == 0, done.stderr
        assert done.stdout
