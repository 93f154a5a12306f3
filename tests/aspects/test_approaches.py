"""Approaches to several aspects side by side: `rankprism.aspects.compare` and the command."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import numpy as np
import pytest

from rankprism import InputError, Judgments, MeasureError, evaluate, read_judgments, sample
from rankprism.judging.aspects import compare
from rankprism.measures import parse
from rankprism.meta import correlation, power
from rankprism.reproduce.toma import sample_aspects

Cli = Callable[..., CompletedProcess[str]]

TWO_ASPECTS: dict[str, Any] = {
    "q": {"a": {"x": 1, "y": 1, "z": 0}, "b": {"x": 1, "y": 0, "z": 0}},
    "r": {"a": {"x": 0, "y": 1, "z": 0}, "b": {"x": 0, "y": 1, "z": 1}},
}
TWO_RUNS = {
    "good": {"q": {"x": 3.0, "y": 2.0}, "r": {"y": 3.0, "z": 2.0, "u": 1.0}},
    "bad": {"q": {"z": 3.0, "u": 2.0, "x": 1.0}, "r": {"u": 3.0, "y": 1.0}},
}
FEW: Any = {"resamples": 100, "intervals": 0}


def two() -> Judgments:
    return read_judgments(TWO_ASPECTS, aspects=["a", "b"])


def test_trash_and_label_sums_are_those_of_the_best_run_of_each_topic() -> None:
    found = compare(two(), TWO_RUNS, ["nDCG"], depths=[2, 5], **FEW)
    # "good" is best on both topics: x y and y z u, of which u has no label.
    counts, shares, documents = found.trash_shares()
    assert counts.tolist() == [[0, 0, 1, 0, 0]] * 5
    assert [cell.value for cell in shares] == pytest.approx([100 / 5] * 5)
    assert documents.tolist() == [5] * 5
    # label sums 2 1 and 2 1 0
    for first, second in found.label_sums():
        assert [first.value, second.value] == pytest.approx([6 / 4, 0])
    assert found.bands() == ["ranks 1-2", "ranks 3-5"]


def test_runs_that_tie_for_the_best_count_in_equal_shares() -> None:
    runs = {"one": {"q": {"x": 2.0, "u": 1.0}}, "two": {"q": {"x": 2.0, "u": 1.0, "v": 0.5}}}
    found = compare(read_judgments({"q": TWO_ASPECTS["q"]}, aspects=["a", "b"]), runs, ["nDCG"], **FEW)
    # u in both, v in one of two; x u and x u v
    counts, _, documents = found.trash_shares()
    assert counts[0].tolist() == [0, 1, 0.5, 0, 0]
    assert documents[0] == 2.5


def test_a_topic_on_which_every_run_scores_0_is_counted_or_dropped() -> None:
    """MM of a run is 0 on q, where no run finds a document with both labels, and CAM is not."""
    judged = read_judgments(
        {
            "q": {"a": {"x": 1, "y": 0}, "b": {"x": 0, "y": 1}},
            "r": {"a": {"x": 1, "y": 0}, "b": {"x": 1, "y": 0}},
        },
        aspects=["a", "b"],
    )
    runs = {
        "one": {"q": {"x": 2.0, "u": 1.0}, "r": {"x": 2.0}},
        "two": {"q": {"u": 2.0, "v": 1.0}, "r": {"u": 2.0, "x": 1.0}},
    }
    counted = compare(judged, runs, ["nDCG"], approaches=["CAM", "MM"], **FEW)
    dropped = compare(judged, runs, ["nDCG"], approaches=["CAM", "MM"], zeros="drop", **FEW)
    for found in (counted, dropped):  # "one" is best by CAM: x u, and x
        counts, _, documents = found.trash_shares()
        assert (counts[0].sum(), documents[0]) == (1, 3)
    # By MM both runs tie on q, half of x u and half of u v; without q only x remains.
    counts, _, documents = counted.trash_shares()
    assert (counts[1].tolist(), documents[1]) == ([0.5, 1, 0, 0, 0], 3)
    counts, _, documents = dropped.trash_shares()
    assert (counts[1].tolist(), documents[1]) == ([0, 0, 0, 0, 0], 1)
    assert "left out for this approach" in dropped.note


def test_correlations_and_powers_are_those_of_meta_evaluation() -> None:
    judged, runs = sample_aspects(), list(sample.RUNS)
    found = compare(judged, runs, ["nDCG@10"], approaches=["CAM", "MANH(tuples='seen')"], resamples=200)
    names = ["CAM(nDCG@10)", "TOMA(nDCG@10,distance='manhattan',tuples='seen')"]
    scores = evaluate(judged, runs, names)
    direct = correlation(scores, per_topic=True)
    cell = found.tau("nDCG@10", "CAM", "MANH(tuples='seen')")
    low, high = direct.interval
    assert cell.value == pytest.approx(direct.values[0, 1])
    assert cell.between == pytest.approx((low[0, 1], high[0, 1]))
    tested = power(scores, alpha=0.01, resamples=200)
    assert [one.share for one in found.powers["nDCG@10"].values()] == pytest.approx(100 * tested.power)
    assert [one.delta for one in found.powers["nDCG@10"].values()] == pytest.approx(tested.delta)


@pytest.mark.filterwarnings(r"ignore:.*\[unequal-depths\]")
def test_intervals_leave_out_one_topic_after_the_other() -> None:
    """The jackknife by its definition: SE² = (n-1)/n Σ (figure without t - their mean)²."""
    from scipy.stats import t

    judged, runs = sample_aspects(), list(sample.RUNS)
    found = compare(judged, runs, ["nDCG"], approaches=["CAM", "CHEB"], resamples=100)
    documents = found.shallow["count"]
    trash, there = documents.trash[1].sum(1), documents.there[1].sum(1)
    n = len(trash)
    left = np.array([(trash.sum() - trash[i]) / (there.sum() - there[i]) for i in range(n)])
    error = np.sqrt((n - 1) / n * ((left - left.mean()) ** 2).sum())
    cell = found.trash_shares()[1][1]
    assert cell.between is not None
    assert cell.between[1] - cell.value == pytest.approx(100 * t.ppf(0.975, n - 1) * error)


@pytest.mark.filterwarnings("ignore:1 of 2 topics are left out:rankprism.RankprismWarning")
def test_topics_that_a_run_lacks_are_left_out_of_every_table() -> None:
    runs = {"good": TWO_RUNS["good"], "bad": {"q": TWO_RUNS["bad"]["q"]}}
    found = compare(two(), runs, ["nDCG"], approaches=["CAM", "MM"], topics="retrieved", **FEW)
    assert found.about["topics"] == 1
    assert found.trash_shares()[2].tolist() == [2, 2]  # x y of "good" on q


def test_measures_without_a_cutoff_are_analysed_whole() -> None:
    found = compare(two(), TWO_RUNS, ["Compat"], **FEW)
    assert found.trash_shares()[0][0].tolist() == [0, 0, 1, 0, 0]


def test_names_of_papers_mean_measures_with_parameters() -> None:
    names = {
        "EUCL(nDCG)": "TOMA(nDCG)",
        "MANH(nDCG@10)": "TOMA(nDCG@10,distance='manhattan')",
        "cheb(AP)": "TOMA(AP,distance='chebyshev')",
        "WHAM(AP)": "MM(AP)",
        "uRBP(p=0.9)": "RBP(p=0.9,gain='linear',fold='product')",
    }
    assert {name: str(parse(name)) for name in names} == names


def test_f1_is_the_harmonic_mean_of_precision_and_recall() -> None:
    """The first three of five documents have two of four relevant ones: 2 · ⅔ · ½ / (⅔ + ½) = 4/7."""
    judged = {"q": {"a": 1, "b": 0, "c": 1, "d": 1, "x": 1}}
    run = {"q": {"a": 5, "b": 4, "c": 3, "d": 2, "e": 1}}
    assert evaluate(judged, run, "F1@3").mean()["run"]["F1@3"] == 4 / 7


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"approaches": ["CAM", "P"]}, "'P' does not combine a measure over aspects"),
        ({"approaches": ["CAM", "MM(nDCG)"]}, "has a measure already; leave it out, and name nDCG"),
        ({"approaches": ["CAM"]}, "at least two approaches are compared; got CAM"),
        ({"depths": [5, 5]}, "depths must be ranks in ascending order"),
        ({"depths": []}, "depths must be ranks in ascending order"),
        ({"trash": 0}, "trash must be a rank of at least 1; got 0"),
        ({"zeros": "keep"}, "zeros must be"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises((InputError, MeasureError), match=message.replace("(", r"\(").replace(")", r"\)")):
        compare(two(), TWO_RUNS, ["nDCG"], **settings)


def test_subtopics_are_refused(cli: Cli) -> None:
    done = cli("aspects", "compare", sample.QRELS, *sample.RUNS)
    assert done.returncode == 2
    assert "do not share such aspects; name the aspects with aspects= (--aspects)" in done.stderr


def test_the_command_prints_tables_rows_and_how_they_were_computed(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("q 0 x 1\nq 0 y 1\nr 0 y 1\nr 0 z 0\n")
    (tmp_path / "b").write_text("q 0 x 1\nq 0 y 0\nr 0 y 1\nr 0 z 1\n")
    for name, run in TWO_RUNS.items():
        (tmp_path / f"{name}.run").write_text(
            "".join(f"{t} Q0 {d} 0 {s} {name}\n" for t, docs in run.items() for d, s in docs.items())
        )
    given = [
        *(f"{a}={tmp_path / a}" for a in "ab"),
        *(tmp_path / f"{name}.run" for name in TWO_RUNS),
        *("--resamples", 100, "-m", "nDCG", "-a", "CAM", "-a", "EUCL", "--depths", "2,5", "--trash", 3),
    ]
    done = cli("aspects", "compare", *given)
    assert done.returncode == 0, done.stderr
    for heading in ("τ_b, nDCG", "discriminative power, nDCG", "trash@3", "mean label sum"):
        assert heading in done.stdout
    rows = list(csv.DictReader(io.StringIO(cli("aspects", "compare", *given, "--format", "csv").stdout)))
    sums = {(r["approach"], r["ranks"]): float(r["value"]) for r in rows if r["analysis"] == "label sum"}
    assert sums == {
        (name, ranks): value for name in ("CAM", "EUCL") for ranks, value in (("1-2", 1.5), ("3-5", 0))
    }
    about = json.loads(cli("aspects", "compare", *given, "--format", "json").stdout)["about"]
    assert about["approaches"] == {"CAM": "CAM", "EUCL": "TOMA"}
    assert about["topics on which every run scores 0"] == "counted"
    wrong = cli("aspects", "compare", *given[:4], "--depths", "5,x")
    assert wrong.returncode == 2
    assert "--depths takes whole numbers above 0" in wrong.stderr
