"""The experiments with simulated preferences, against scipy and against the long way through rows."""

from __future__ import annotations

import csv
import io
import random
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import kendalltau, t

from rankprism import (
    Collection,
    InputError,
    MeasureError,
    RankprismWarning,
    evaluate,
    read_judgments,
    read_preferences,
    sample,
)
from rankprism.cli import main
from rankprism.judging.preferences.experiments import (
    SUBTOPIC_MEASURES,
    IncompleteCorrelation,
    Material,
    incomplete_correlation,
    measure_correlation,
    profile_correlation,
)
from rankprism.judging.preferences.simulation import Simulation, complete, simulate, users_of
from rankprism.judging.preferences.user_profiles import draw_profiles, read_profiles, restrict
from rankprism.measures import parse
from rankprism.types import Ties

#: Most of the experiments look deeper into the runs than documents are shown.
pytestmark = pytest.mark.filterwarnings("ignore:.*were ever shown:rankprism.RankprismWarning")

RUNS = list(sample.RUNS)
FORMS = [
    "nPrf@20",
    "Prf(browsing='dcg',combine='min')@5",
    "nPrf(browsing='rr',combine='product')@10",
    "nPrf(estimate='pooled')@10",
    "nPrf(browsing='uniform',unseen='skip')@10",
]


def tau(x: Any, y: Any) -> float:
    return float(kendalltau(x, y).statistic)


@pytest.mark.parametrize("ties", ["half", "drawn"])
def test_counted_preferences_score_runs_as_their_rows_do(ties: Ties) -> None:
    judged = read_judgments(sample.QRELS)
    profiles = draw_profiles(judged, 2, 5)
    material = Material.of(Collection.of(judged, RUNS), Simulation(documents=9))
    shown = complete(users_of(judged, material.pool, profiles), ties=ties, seed=3)
    counted = material.preference_scores(shown, [parse(form) for form in FORMS])
    rows = simulate(judged, RUNS, profiles, documents=9, ties=ties, seed=3)
    evaluated = evaluate(rows, RUNS, FORMS)
    assert counted.runs == evaluated.runs
    assert sorted(counted.topics) == sorted(evaluated.topics)
    np.testing.assert_allclose(
        counted.select(topics=evaluated.topics).values, evaluated.values, rtol=0, atol=1e-12
    )


def test_correlations_with_subtopic_measures_are_those_of_the_mean_scores() -> None:
    found = measure_correlation(sample.QRELS, RUNS, cutoff=10, documents=12, intervals=0)
    others = [f"{name}@10" for name in SUBTOPIC_MEASURES]
    theirs = evaluate(sample.QRELS, RUNS, others)
    forms = [str(form) for form in found.forms]
    assert len(forms) == 12
    rows = simulate(sample.QRELS, RUNS, documents=12)
    ours = evaluate(rows, RUNS, forms)
    for m, form in enumerate(forms):
        for o, other in enumerate(others):
            assert found.tau(form, other)[0] == pytest.approx(tau(ours.means[:, m], theirs.means[:, o]))
    assert len(found.tables) == 2
    printed = str(found)
    assert "TREC profile on 12 retrieved documents" in printed
    assert "intervals" not in printed
    # Table 3: the subtopic measures among themselves.
    assert found.tau("alpha_nDCG@10", "ERR_IA@10")[0] == pytest.approx(
        tau(theirs.means[:, 0], theirs.means[:, 1])
    )


def test_each_profile_is_compared_with_the_measure_on_its_subtopics() -> None:
    judged = read_judgments(sample.QRELS)
    profiles = draw_profiles(judged, 2, 1)
    found = profile_correlation(
        judged, RUNS, profiles, measure="nPrf(theta=0.5)@10", other="ERR_IA@10", documents=10, intervals=0
    )
    measured = {(one.first, one.second): one.tau for one in found.compared}
    mine = {}
    for name in ("p1", "p2"):
        only = {t: {name: of[name]} for t, of in profiles.weights.items()}
        mine[name] = evaluate(simulate(judged, RUNS, only, documents=10), RUNS, "nPrf(theta=0.5)@10").means[
            :, 0
        ]
        theirs = evaluate(restrict(judged, profiles, name), RUNS, "ERR_IA@10").means[:, 0]
        pair = f"nPrf(theta=0.5)@10, {name}", f"ERR_IA@10, {name}"
        assert measured[pair] == pytest.approx(tau(mine[name], theirs))
    trec = evaluate(simulate(judged, RUNS, documents=10), RUNS, "nPrf(theta=0.5)@10").means[:, 0]
    mixed = evaluate(simulate(judged, RUNS, profiles, documents=10), RUNS, "nPrf(theta=0.5)@10").means[:, 0]
    absolute = evaluate(judged, RUNS, "ERR_IA@10").means[:, 0]
    whose = "nPrf(theta=0.5)@10, "
    expected = {
        (f"{whose}all profiles", f"{whose}trec"): tau(mixed, trec),
        (f"{whose}all profiles", "ERR_IA@10, all subtopics"): tau(mixed, absolute),
        (f"{whose}trec", "ERR_IA@10, all subtopics"): tau(trec, absolute),
        (f"{whose}all profiles", f"{whose}mean of profiles"): tau(mixed, (mine["p1"] + mine["p2"]) / 2),
    }
    assert {pair: measured[pair] for pair in expected} == pytest.approx(expected)
    assert len(measured) == 2 + len(expected)


def test_topics_may_have_different_profiles() -> None:
    qrels = {t: {s: {f"d{i}": (i + ord(s)) % 3 for i in range(8)} for s in "xyz"} for t in "12"}
    rng = random.Random(1)
    runs = {f"r{r}": {t: {f"d{i}": rng.random() for i in range(8)} for t in "12"} for r in range(4)}
    both = {"1": {"p": {"x": 1}, "q": {"y": 1}}, "2": {"p": {"z": 1}}}
    with pytest.warns(RankprismWarning, match="unjudged-topics"):  # α-nDCG of q has one topic
        found = profile_correlation(qrels, runs, both, intervals=0)
    topics = {one.first: one.topics for one in found.compared if one.second.startswith("alpha")}
    assert (topics["nPrf@20, p"], topics["nPrf@20, q"], topics["nPrf@20, all profiles"]) == (2, 1, 2)


def test_incomplete_judgments_are_compared_with_all_of_them() -> None:
    judged = read_judgments(sample.QRELS)
    profiles = draw_profiles(judged, 2, 1)
    forms = ["nPrf(combine='min')@10", "nPrf(unseen='skip')@10", "nPrf(estimate='pooled')@10"]
    found = incomplete_correlation(
        judged,
        RUNS,
        profiles,
        measures=forms,
        triplets=[30, 5],
        assessors=2,
        repetitions=2,
        documents=8,
        seed=4,
    )
    assert found.triplets == (5, 30)
    target = evaluate(
        simulate(judged, RUNS, profiles, documents=8), RUNS, ["nPrf(combine='min')@10", "nPrf@10"]
    ).means
    for i, number in enumerate(found.triplets):
        for r in range(2):
            rows = simulate(judged, RUNS, profiles, documents=8, triplets=number, assessors=2, seed=4 * 2 + r)
            with pytest.warns(RankprismWarning, match="no-pairs"):
                scores = evaluate(rows, RUNS, forms).means
            for m, full in enumerate((0, 1, 1)):
                assert found.tau[m, i, r] == pytest.approx(tau(target[:, full], scores[:, m]))
    assert found.summary.columns["judgments"] == [10, 60] * 3


def test_the_target_may_be_one_assessor_who_cares_about_all_subtopics() -> None:
    judged = read_judgments(sample.QRELS)
    settings: Any = {"measures": ["nPrf@10"], "triplets": [40], "repetitions": 2, "documents": 8}
    profiles = draw_profiles(judged, 2, 1)
    found = incomplete_correlation(judged, RUNS, profiles, target="trec", **settings)
    whole = evaluate(simulate(judged, RUNS, documents=8), RUNS, "nPrf@10").means[:, 0]
    for r in range(2):
        rows = simulate(judged, RUNS, profiles, documents=8, triplets=40, seed=r)
        with pytest.warns(RankprismWarning, match="no-pairs"):
            scores = evaluate(rows, RUNS, "nPrf@10").means[:, 0]
        assert found.tau[0, 0, r] == pytest.approx(tau(whole, scores))
    assert "from all preferences of one assessor (TREC profile)" in found.note
    with pytest.raises(InputError, match="target"):
        incomplete_correlation(judged, RUNS, profiles, target="paper", **settings)  # type: ignore[arg-type]


def test_intervals_over_repetitions_are_those_of_student() -> None:
    values = np.array([[[0.5, 0.7, 0.6, 0.6, 0.6], [0.99, 1.0, 0.8, 1.0, 1.0]]])
    profiles = read_profiles({"q": {"p": {"x": 1}}})
    found = IncompleteCorrelation((parse("nPrf@20"),), profiles, (10, 20), values, {"assessors": 5})
    mean, low, high = found.intervals
    expected = t.interval(0.95, 4, loc=0.6, scale=np.sqrt(0.02 / 4 / 5))
    assert (mean[0, 0], low[0, 0], high[0, 0]) == pytest.approx((0.6, *expected))
    assert high[0, 1] == 1.0  # τ is at most 1
    few = IncompleteCorrelation((parse("nPrf@20"),), profiles, (10, 20), values[:, :, :4], {"assessors": 5})
    assert np.isnan(few.intervals[1]).all()


def test_all_triplets_of_every_profile_rank_runs_as_complete_preferences_almost_do() -> None:
    # With all triplets and many assessors, only U(d) at rank 1 is missing; skip takes it from the triplets.
    found = incomplete_correlation(
        sample.QRELS,
        RUNS,
        measures=["nPrf(unseen='skip')@10"],
        triplets=[3, 10_000],
        assessors=30,
        repetitions=2,
        documents=12,
    )
    few, many = found.tau.mean(-1)[0]
    assert many > 0.9 > few


def test_the_order_of_runs_and_lines_does_not_matter() -> None:
    judged = read_judgments(sample.QRELS)
    lines = list(zip(*judged.table.columns(), strict=True))
    random.Random(0).shuffle(lines)
    settings: Any = {"documents": 8, "triplets": [20], "repetitions": 2, "measures": ["nPrf@10"], "seed": 3}
    once = incomplete_correlation(judged, RUNS, **settings)
    twice = incomplete_correlation(lines, RUNS[::-1], **settings)
    np.testing.assert_array_equal(once.tau, twice.tau)
    for experiment in (measure_correlation, profile_correlation):
        tables = [experiment(q, r, documents=8, seed=3) for q, r in ((judged, RUNS), (lines, RUNS[::-1]))]
        assert tables[0].to_csv() == tables[1].to_csv()


def test_bad_arguments_are_refused() -> None:
    refused: list[tuple[Callable[[], Any], type[Exception], str]] = [
        (lambda: measure_correlation(sample.QRELS, RUNS[:1]), InputError, "two runs or more are needed"),
        (lambda: measure_correlation(sample.QRELS, {"a": {"x": {"d": 1}}, "b": {"x": {"d": 1}}}), InputError,
         "share no topic"),
        (lambda: measure_correlation(sample.QRELS, RUNS, theta=1.5), MeasureError, "theta"),
        (lambda: measure_correlation(sample.QRELS, RUNS, cutoff=0), MeasureError, "cutoff"),
        (lambda: profile_correlation(sample.QRELS, RUNS, measure="alpha_nDCG@20"), MeasureError,
         "alpha_nDCG@20 cannot be computed from preferences .*; use nPrf or Prf"),
        (lambda: profile_correlation(sample.QRELS, RUNS, measure="prefs_simp"), MeasureError, "use nPrf"),
        (lambda: incomplete_correlation(sample.QRELS, RUNS, triplets=[]), InputError, "at least one measure"),
        (lambda: incomplete_correlation(sample.QRELS, RUNS, repetitions=0), InputError, "at least 1; got 0"),
    ]  # fmt: skip
    for call, kind, says in refused:
        with pytest.raises(kind, match=says):
            call()


# ── commands ─────────────────────────────────────────────────────────────────────────────────────

Command = Callable[..., tuple[Any, str, str]]
FILES = (str(sample.QRELS), *map(str, RUNS))


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """The command line in this process: exit code, output and messages."""

    def run(*arguments: object) -> tuple[Any, str, str]:
        monkeypatch.setattr(sys, "argv", ["rankprism", *map(str, arguments)])
        with pytest.raises(SystemExit) as exit:
            main()
        return exit.value.code, *capsys.readouterr()

    return run


def test_simulated_preferences_come_from_the_command_line(command: Command, tmp_path: Path) -> None:
    out = tmp_path / "p.tsv"
    words = ("--draw", "2", "--triplets", "20", "--seed", "3", "--documents", "8")
    found = command("preferences", "simulate", *FILES, *words, "-o", out)
    assert found == (0, f"{out}: {20 * 20 * 5 + 1} lines, tsv\n", "")
    judged = read_judgments(sample.QRELS)
    expected = simulate(judged, RUNS, draw_profiles(judged, 2, 3), triplets=20, seed=3, documents=8)
    assert read_preferences(out).columns() == expected.columns()
    # The same by way of a file of profiles, as JSON lines, with the runs in another order.
    drawn = tmp_path / "profiles.txt"
    assert (
        command("preferences", "draw-profiles", FILES[0], "--draw", "2", "--seed", "3", "-o", drawn)[0] == 0
    )
    again = tmp_path / "p.jsonl"
    words = ("--profiles", str(drawn), *words[2:])
    assert command("preferences", "simulate", FILES[0], *FILES[:0:-1], *words, "-o", again)[0] == 0
    assert read_preferences(again).columns() == expected.columns()


def test_judgments_are_restricted_from_the_command_line(command: Command, tmp_path: Path) -> None:
    judged = read_judgments(sample.QRELS)
    profiles = draw_profiles(judged, 1, 0)
    (tmp_path / "profiles.txt").write_text(profiles.lines())
    words = ("--profiles", tmp_path / "profiles.txt", "--profile", "p1", "-o", tmp_path / "p1.qrels")
    assert command("preferences", "restrict", FILES[0], *words)[0] == 0
    expected = restrict(judged, profiles, "p1").table
    found = read_judgments(tmp_path / "p1.qrels").table
    assert found.columns()[:3] == expected.columns()[:3]
    np.testing.assert_array_equal(found.grades(), expected.grades())


def test_experiments_run_from_the_command_line(command: Command, tmp_path: Path) -> None:
    few = ("--shown", "8", "--format", "csv")
    scores = tmp_path / "scores.csv"
    experiment = ("preferences", "experiment")
    found = command(*experiment, "correlation", *FILES, *few, "-k", "10", "--save-scores", scores)
    expected = measure_correlation(sample.QRELS, RUNS, documents=8, cutoff=10)
    assert found == (0, expected.to_csv(), "")
    # The scores are a file that the other commands read: Figure 2 is a chart of them.
    words = ("-m", "nPrf@10", "-m", "alpha_nDCG@10", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(command("meta", "correlation", scores, *words)[1])))
    assert float(rows[1]["tau-b"]) == pytest.approx(expected.tau("nPrf@10", "alpha_nDCG@10")[0])
    found = command(*experiment, "profiles", *FILES, *few, "--draw", "2", "-m", "nPrf@5")
    assert found[1] == profile_correlation(sample.QRELS, RUNS, draw=2, measure="nPrf@5", documents=8).to_csv()
    words = ("--triplets", "5,20", "--repetitions", "2", "-m", "nPrf@5")
    found = command(*experiment, "incomplete", *FILES, *few, *words)
    assert (
        found[1]
        == incomplete_correlation(
            sample.QRELS, RUNS, triplets=[5, 20], repetitions=2, measures=["nPrf@5"], documents=8
        ).to_csv()
    )


BAD_COMMANDS: dict[str, tuple[tuple[str, ...], str]] = {
    "both kinds of profiles": (
        ("simulate", *FILES, "--draw", "2", "--profiles", "p.txt"),
        "--profiles names profiles and --draw draws others; choose one of them",
    ),
    "both ways to ask": (("simulate", *FILES, "--complete", "--triplets", "9"), "choose one of them"),
    "too many rows": (("simulate", *FILES, "--draw", "3"), "show fewer documents (--shown)"),
    "no such file": (("simulate", *FILES, "--profiles", "missing.txt"), "missing.txt: there is no such file"),
    "no runs": (("simulate", FILES[0]), "name the runs after the judgments"),
    "no profile named": (("restrict", FILES[0], "--profiles", "p.txt"), "with --profile"),
    "no number": (("experiment", "incomplete", *FILES, "--triplets", "many"), "100,1000; got 'many'"),
    "no measure of preferences": (("experiment", "profiles", *FILES, "-m", "P@5"), "use nPrf or Prf"),
    "no such folder": (
        ("experiment", "correlation", *FILES, "--scores", "no/x.csv"),
        "folder no does not exist",
    ),
}


@pytest.mark.parametrize("case", BAD_COMMANDS)
def test_bad_commands_are_one_line_with_a_remedy(case: str, command: Command) -> None:
    words, says = BAD_COMMANDS[case]
    code, output, message = command("preferences", *words)
    assert (code, output) == (2, "")
    assert says in message
    assert len(message.strip().splitlines()) == 1


# ── charts ───────────────────────────────────────────────────────────────────────────────────────


def drawn(chart: Any, field: str = "tau") -> list[dict[str, Any]]:
    tables = chart.to_dict(validate=False)["datasets"].values()
    return [row for table in tables for row in table if field in row]


def test_charts_show_what_the_results_say() -> None:
    from rankprism import plots

    few: Any = {"documents": 8}
    correlations = measure_correlation(sample.QRELS, RUNS, cutoff=10, **few)
    rows = drawn(plots.preference_correlations(correlations))
    assert len(rows) == 36
    expected = correlations.tau("nPrf(browsing='rr',combine='min')@10", "ERR_IA@10")
    shown = [row for row in rows if (row["label"], row["measure"]) == ("rr, min", "ERR-IA@10")]
    assert [row["tau"] for row in shown] == [expected[0]]
    forms = {f"{form['browsing']}, {form['combine']}": str(form) for form in correlations.forms}
    others = dict(zip(("α-nDCG@10", "ERR-IA@10", "StRecall@10"), correlations.others, strict=True))
    for row in rows:
        low, high = correlations.tau(forms[row["label"]], others[row["measure"]])[1:]
        assert (row["low"], row["high"]) == ((None, None) if np.isnan(low) else (low, high))
    profiles = profile_correlation(sample.QRELS, RUNS, draw=2, **few)
    rows = drawn(plots.profile_correlations(profiles))
    assert [row["tau"] for row in rows] == [one.tau for one in profiles.compared]
    assert rows[0]["label"] == "nPrf@20 (p1) – α-nDCG@20 (p1)"
    some = incomplete_correlation(sample.QRELS, RUNS, triplets=[4, 9], repetitions=2, **few)
    rows = drawn(plots.incomplete_curves(some))
    assert [(row["triplets"], row["tau"]) for row in rows] == list(
        zip(some.triplets, some.intervals[0][0], strict=True)
    )
    # Without intervals there is no band, and nothing fails.
    once = incomplete_correlation(sample.QRELS, RUNS, triplets=[4], repetitions=1, **few)
    assert {row["low"] for row in drawn(plots.incomplete_curves(once))} == {None}


# ── the collections of the paper's track ─────────────────────────────────────────────────────────


def test_complete_preferences_rank_web_2009_runs_as_the_docs_say(collections: Path) -> None:
    """docs/preference-experiments.md: Figures 4 and 5 with three profiles of each topic, drawn by seed 0."""
    folder = collections / "trec-web-2009"
    files = folder / "qrels.diversity.gz", sorted((folder / "runs").iterdir())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankprismWarning)
        found = profile_correlation(*files, order="rank", intervals=0)
    assert [round(one.tau, 2) for one in found.compared] == [1.0, 0.94, 0.89, 0.94, 0.89, 0.94, 1.0]
