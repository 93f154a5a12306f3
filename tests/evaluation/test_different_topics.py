"""Means over different topics: tables and charts count the topics, and comparisons use shared ones."""

from __future__ import annotations

import csv
import json
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from rankprism import RankprismWarning, Scores, compare, evaluate, leaderboard, plots, report, sample
from rankprism.cli.app import app

TOPICS = tuple("abcdefghijkl")
QRELS = {q: {"good": 1, **{f"x{i}": 0 for i in range(1, 9)}} for q in TOPICS}


def _best_at(rank: Callable[[str], int], topics: str | tuple[str, ...]) -> dict[str, dict[str, float]]:
    """A run whose relevant document is at some rank of each topic."""
    return {q: {f"x{i}": 9.0 - i for i in range(1, rank(q))} | {"good": 9.0 - rank(q)} for q in topics}


#: The easy run has the nine easiest topics only, on which the full run is better.
EASY, FULL = _best_at(lambda q: 2, TOPICS[:9]), _best_at(lambda q: 1 if q < "j" else 8, TOPICS)


@pytest.fixture
def retrieved() -> Scores:
    return evaluate(QRELS, {"easy": EASY, "full": FULL}, ["RR", "P@1"], topics="retrieved")


@pytest.fixture
def of_both_kinds() -> Scores:
    """Measures of judgments on all topics, and of preferences on some of them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankprismWarning)
        people = [(q, "good", "x1", "left") for q in TOPICS[:7]]
        rows = [{"topic": q, "left": a, "right": b, "outcome": w} for q, a, b, w in people]
        import pandas as pd

        return evaluate(QRELS, {"easy": FULL, "full": FULL}, ["RR", "nPrf@5"], preferences=pd.DataFrame(rows))


def test_counts_are_the_topics_of_each_mean(retrieved: Scores, of_both_kinds: Scores) -> None:
    assert retrieved.counts.tolist() == [[9, 9], [12, 12]]
    assert of_both_kinds.counts.tolist() == [[12, 7], [12, 7]]
    with pytest.raises(ValueError, match="read-only"):
        retrieved.counts[0, 0] = 1


def test_tables_have_a_column_of_counts(retrieved: Scores, of_both_kinds: Scores) -> None:
    assert str(retrieved).splitlines()[0].split() == ["run", "RR", "P@1", "topics"]
    assert [line.split()[-1] for line in str(retrieved).splitlines()[2:]] == ["9", "12"]
    assert "topics of RR  topics of nPrf@5" in str(of_both_kinds)
    for text in (retrieved.table().to_latex(), retrieved.table().to_markdown(), retrieved.table().to_html()):
        assert "topics" in text
        assert re.search(r"\b12\b", text)
    rows = list(csv.DictReader(retrieved.table().to_csv().splitlines()))
    assert [(row["run"], row["topic"], row["topics"]) for row in rows if row["measure"] == "RR"] == [
        ("easy", "all", "9"),
        ("full", "all", "12"),
    ]
    assert [row["topics"] for row in json.loads(retrieved.table().to_json())["rows"]] == [9, 9, 12, 12]
    wide = list(csv.DictReader(of_both_kinds.table(wide=True).to_csv().splitlines()))
    assert (wide[0]["topics of RR"], wide[0]["topics of nPrf@5"]) == ("12", "7")
    # Beside the scores of topics, only the means are counted.
    per_topic = str(retrieved.table(per_topic=True)).splitlines()
    assert [line.split()[-1] for line in per_topic if " all " in line] == ["9", "12"]


def test_titles_of_counts_name_a_few_measures(of_both_kinds: Scores) -> None:
    values = np.repeat(of_both_kinds.values, [4, 1], axis=2)
    measures = ("RR", "P@1", "P@2", "P@3", "nPrf@5")
    many = Scores(of_both_kinds.runs, of_both_kinds.topics, measures, values)
    assert "topics of RR, P@1, … (4 in all)" in str(many)


def test_tables_over_the_same_topics_are_as_before() -> None:
    scores = evaluate(QRELS, {"easy": EASY | FULL, "full": FULL}, "RR", topics="retrieved")
    assert "topics" not in str(scores)
    assert "topics" not in scores.table().to_csv()


def test_no_mean_is_marked_as_the_best_of_others_over_other_topics(retrieved: Scores) -> None:
    assert "\\textbf" not in retrieved.table().to_latex()
    alike = retrieved.select(topics=TOPICS[:9])
    assert "\\textbf" in alike.table().to_latex()


def _texts(chart: Any) -> str:
    return json.dumps(chart.to_dict(), ensure_ascii=False).replace('", "', " ")  # lines of a subtitle


def test_intervals_label_the_counts(retrieved: Scores, of_both_kinds: Scores) -> None:
    found = _texts(plots.intervals(retrieved))
    assert "easy (9 topics)" in found
    assert "full (12 topics)" in found
    assert "over different topics (9 to 12)" in found
    both = _texts(plots.intervals(of_both_kinds))
    assert "RR (12 topics)" in both
    assert "nPrf@5 (7 topics)" in both
    assert "easy (" not in both
    mixed = np.array(retrieved.values)
    mixed[0, 0, 0] = np.nan
    assert "easy (8, 9 topics)" in _texts(
        plots.intervals(Scores(retrieved.runs, retrieved.topics, retrieved.measures, mixed))
    )
    same = retrieved.select(topics=TOPICS[:9])
    assert "t intervals over 9 topics" in _texts(plots.intervals(same))


def test_the_chart_of_intent_recall_uses_shared_topics(retrieved: Scores) -> None:
    chart = plots.irec(retrieved, "RR", "P@1")
    assert "over 9 of 12 topics, which all runs have" in _texts(chart)
    shared = retrieved.select(topics=TOPICS[:9])
    points = re.findall(r'"run": "(\w+)", "irec": ([\d.]+)', json.dumps(chart.to_dict()))
    assert {run: float(x) for run, x in points} == {run: one["RR"] for run, one in shared.mean().items()}
    assert shared.mean()["full"]["RR"] != retrieved.mean()["full"]["RR"]


def _order(chart: Any, axis: str) -> list[str]:
    return list(chart.to_dict()["layer"][0]["encoding"][axis]["scale"]["domain"])


def test_heat_maps_are_sorted_by_shared_topics(retrieved: Scores) -> None:
    # The hard topics are made so hard that by its own mean the easy run would be above.
    values = np.array(retrieved.values)
    values[1, 9:] = -9.0
    scores = Scores(retrieved.runs, retrieved.topics, retrieved.measures, values)
    assert scores.means[0, 0] > scores.means[1, 0]
    chart = plots.heatmap(scores, "RR")
    assert _order(chart, "y") == ["full", "easy"]
    assert "over 9 topics that all runs have and 1 run with all topics" in _texts(chart)
    apart = values.copy()
    apart[1, :9] = np.nan
    chart = plots.heatmap(Scores(retrieved.runs, retrieved.topics, retrieved.measures, apart), "RR")
    assert "in the order of their means over different topics" in _texts(chart)


def test_comparisons_are_over_shared_topics_and_say_so(retrieved: Scores) -> None:
    for analysis in (compare, leaderboard):
        with pytest.warns(RankprismWarning, match="3 of 12 topics are left out"):
            found: Any = analysis(retrieved)
        assert "over 9 topics" in found.note


def test_a_report_says_what_its_means_are_over(retrieved: Scores) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankprismWarning)
        page = report.of_scores(retrieved).data
    assert "The means are over different topics (9 to 12)" in json.dumps(page)
    assert "on the 9 topics on which all of them have scores" in json.dumps(page)
    few = Scores(retrieved.runs, retrieved.topics[6:], retrieved.measures, retrieved.values[:, 6:])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankprismWarning)
        page = report.of_scores(few).data
    assert "The means are over different topics (3 to 6)" in json.dumps(page)


def test_the_commands_count_and_sort(tmp_path: Path) -> None:
    (tmp_path / "q").write_text(
        "".join(f"{q} 0 {d} {g}\n" for q, docs in QRELS.items() for d, g in docs.items())
    )
    for name, run in (("easy", EASY), ("full", FULL)):
        lines = (f"{q} Q0 {d} 1 {x} t\n" for q, docs in run.items() for d, x in docs.items())
        (tmp_path / f"{name}.run").write_text("".join(lines))
    files = [str(tmp_path / name) for name in ("q", "easy.run", "full.run")]
    words = [*files, "-m", "RR", "--topics", "retrieved"]
    printed = CliRunner().invoke(app, ["evaluate", *words]).stdout.splitlines()
    assert [line.split()[-1] for line in printed if line] == ["topics", printed[1], "9", "12"]
    compared = CliRunner().invoke(app, ["compare", *words, "--sort", "RR", "-q"]).stdout
    assert compared.index("full") < compared.index("easy")
    drawn = CliRunner().invoke(app, ["plot", "intervals", *words, "-o", str(tmp_path / "p.svg"), "-q"])
    assert drawn.exit_code == 0
    assert "easy (9 topics)" in (tmp_path / "p.svg").read_text(encoding="utf-8")


def test_the_sample_has_no_counts() -> None:
    assert "topics" not in str(evaluate(sample.QRELS, list(sample.RUNS), "P@10"))
