"""Scores and results in every format: what is written, under which name, and that LaTeX can print it."""

from __future__ import annotations

import csv
import html
import importlib
import io
import json
import os
import pkgutil
import re
import shutil
import subprocess
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet
import pytest

import rankprism.results.outputs
from rankprism import (
    InputError,
    RankprismError,
    Scores,
    compare,
    evaluate,
    explain,
    gate,
    judges,
    leaderboard,
    read_scores,
    sample,
)
from rankprism.comparison import topic_set_size
from rankprism.errors import install
from rankprism.evaluation.score_folder import FolderCheck, Stored
from rankprism.formats.judgments import read_judgments
from rankprism.judging.aspects import attainable, labels, order, orders
from rankprism.judging.aspects import compare as compare_approaches
from rankprism.judging.preferences.description import describe
from rankprism.judging.preferences.document_strengths import strengths
from rankprism.judging.preferences.experiments import (
    incomplete_correlation,
    measure_correlation,
    profile_correlation,
)
from rankprism.judging.preferences.groups import evaluate_by
from rankprism.judging.preferences.score_intervals import intervals
from rankprism.judging.preferences.study_plan import plan
from rankprism.meta import (
    agreement,
    correlation,
    disagreement,
    intuitiveness,
    power,
    scenarios,
    stability,
    swap,
    unanimity,
)
from rankprism.meta.axioms import axiom_table, find_thresholds
from rankprism.reproduce.toma import toma
from rankprism.results.outputs import OUTPUTS, RESULT_FORMATS, Output, Style, output_format, written
from rankprism.results.result import Detailed, Result
from rankprism.results.table import Cell, Table

RUNS = [str(run) for run in sample.RUNS[:3]]
MEASURES = ["alpha_nDCG@10", "DSharp_nDCG@10", "P@10"]
EVALUATE = ("evaluate", sample.QRELS, *RUNS, *(x for m in MEASURES for x in ("-m", m)))
HOSTILE = (
    r"\input{/etc/passwd}",
    "<script>alert(1)</script>",
    "[2pt] 50% & $x^2$ #1 ~{}_",
    "中文 ünï ł ß – “q” 'x' -- 😀",
    "a\x1b[31m\u202eb\ud800",
    "*",
    "=1+1",
    "a|b`c",
    "x" * 300,
)


@pytest.fixture(scope="module")
def scores() -> Scores:
    return evaluate(sample.QRELS, RUNS, MEASURES)


@pytest.fixture(scope="module")
def hostile() -> Scores:
    values = np.random.default_rng(0).random((len(HOSTILE), 6, 2))
    return Scores(HOSTILE, ("1", "&", "%", "\\", "_", "<i>"), ("alpha_nDCG@10", "my_measure"), values)


def every_result(scores: Scores) -> list[Result]:
    found = compare(scores)
    against = compare(scores, baseline=scores.runs[0])
    return [
        scores,
        scores.table(per_topic=True),
        scores.table(per_topic=True, wide=False),
        found,
        against,
        Detailed(found),
        against.by_topic(2),
        correlation(scores),
        unanimity(scores),
    ]


def other_results(scores: Scores) -> list[Result]:
    """One of each kind that `every_result` has not."""
    judged = read_judgments({"q_1": {"a_b": {"x": 1, "y": 1}, "c%": {"x": 1, "y": 0}}}, aspects=["a_b", "c%"])
    runs = {"r&1": {"q_1": {"x": 2.0, "y": 1.0}}, "r_2": {"q_1": {"y": 2.0, "x": 1.0}}}
    deeper = {name: {"q_1": {**ranking["q_1"], "z": 0.5}} for name, ranking in runs.items()}
    preferences = [("q_1", "", "x", "y", "left", "a&b"), ("q_1", "", "x", "y", "right", "c_d")]
    votes = [(f"q_{q}", "", "a&b", "c_d", "left" if q % 3 else "right", f"p{q % 2}") for q in range(12)]
    found = power(scores, resamples=100)
    rows = read_judgments(sample.QRELS).to_frame("pyarrow").to_pylist()
    by = {"j_1": [row | {"grade": min(3, row["grade"] + (n % 3 == 0))} for n, row in enumerate(rows)]}
    estimated = judges.score(sample.QRELS, by, RUNS, "P@10")
    return [
        leaderboard(scores),
        gate(sample.QRELS, RUNS[0], RUNS[1], "P@10", margin=0.01),
        judges.agree(sample.QRELS, by),
        judges.agree(sample.QRELS, by, RUNS, "P@10"),
        judges.drift(sample.QRELS, by, by),
        judges.agree(sample.QRELS, by, RUNS, "P@10", family={scores.runs[0]: "a_b"}),
        judges.select(RUNS, by, "P@10", budget=50),
        judges.prefer(votes, {"j_1": votes}),
        judges.strengths(votes, {"j_1": votes}),
        estimated,
        estimated.differences(),
        Stored("a_b/50%", ("r&1",), ("new",), ("r&1.parquet",), ("P@10",)),
        FolderCheck(
            "a_b/50%", ("r&1",), ("damaged",), (("P@10",),), ("2026-01-01T12:00:00",), ("r&1.parquet",)
        ),
        found,
        found.differences(),
        agreement(found),
        intuitiveness(scores, gold="P@10"),
        scenarios(judged, runs, ["alpha_nDCG@2", "P@1"], repetitions=2),
        swap(scores, trials=20),
        stability(scores, sizes=[5, 20], samples=2, resamples=50),
        disagreement(scores, first="alpha_nDCG@10", second="P@10"),
        topic_set_size(difference=0.1, variance=0.1),
        axiom_table(["P@20"], ["Pri", "Conf"], instances=20),
        find_thresholds(["RBP(gain='linear')"], ["CloseTh"], "p", instances=20),
        labels(judged),
        order(judged),
        orders(judged),
        attainable(judged),
        compare_approaches(judged, runs, ["nDCG"], resamples=100),
        toma(judged, runs, ["nDCG"], resamples=100),
        describe(preferences, runs),
        strengths(preferences),
        strengths(preferences).contrasts(),
        evaluate_by(preferences, runs, "nPrf@2"),
        intervals(preferences, runs, "nPrf@2", over="assessors"),
        plan(judged, runs, "nPrf@2", budgets=[1, 2], repetitions=2),
        explain(judged, runs, "alpha_nDCG@2", "q_1"),
        measure_correlation(judged, runs, cutoff=2),
        profile_correlation(judged, runs, draw=1),
        incomplete_correlation(judged, deeper, draw=1, triplets=[1], repetitions=2),
    ]


def kinds(of: type = Result) -> set[type]:
    """Every kind of result that the package has, whatever modules other tests have loaded."""
    for module in pkgutil.walk_packages(rankprism.__path__, "rankprism."):
        if not module.name.startswith(("rankprism.cli", "rankprism.judging.assess", "rankprism.__main__")):
            importlib.import_module(module.name)
    return {kind for kind in below(of) if kind.__module__.startswith("rankprism.")}


def below(of: type) -> set[type]:
    """All that is derived from a class."""
    direct: list[type] = of.__subclasses__()
    return {kind for sub in direct for kind in {sub, *below(sub)}}


# Scores are a result


def test_scores_have_one_row_for_each_score(scores: Scores) -> None:
    rows = list(csv.DictReader(io.StringIO(scores.to_csv())))
    assert len(rows) == 3 * 20 * 3
    expected = scores.per_topic()
    assert all(float(row["score"]) == expected[row["run"]][row["topic"]][row["measure"]] for row in rows)
    assert list(csv.DictReader(io.StringIO(scores.to_tsv()), delimiter="\t")) == rows
    records = json.loads(scores.to_json())
    assert records["about"]["order"] == "score"
    assert [{**row, "score": repr(row["score"])} for row in records["rows"]] == rows
    assert isinstance(scores, Result)


def test_wide_scores_have_a_column_for_each_measure(scores: Scores) -> None:
    rows = list(csv.DictReader(io.StringIO(scores.table(per_topic=True, wide=True).to_csv())))
    assert list(rows[0]) == ["run", "topic", *MEASURES]
    assert len(rows) == 3 * (20 + 1)
    means = {row["run"]: [float(row[m]) for m in MEASURES] for row in rows if row["topic"] == "all"}
    assert means == {run: list(row.values()) for run, row in scores.mean().items()}
    lines = scores.table(wide=False).to_text().splitlines()
    assert lines[0].split() == ["run", "measure", "score"]
    assert len(lines) == 2 + 3 * 3


def test_what_is_written_can_be_read_again(scores: Scores, tmp_path: Path) -> None:
    for name, text in (
        ("a.csv", scores.to_csv()),
        ("b.tsv", scores.to_tsv()),
        ("c.csv", scores.table(per_topic=True, wide=True).to_csv()),
        ("d.trec", scores.to_trec()),
    ):
        (tmp_path / name).write_text(text)
        again = read_scores(tmp_path / name)
        again = again.select(runs=scores.runs, topics=scores.topics, measures=scores.measures)
        np.testing.assert_array_equal(again.values, scores.values)


def test_bounds_are_columns_for_programs_and_brackets_for_people() -> None:
    found = evaluate(sample.QRELS, RUNS[1:2], ["P@10"], bounds=True)
    assert found.low is not None
    assert list(found.rows.columns) == ["run", "topic", "measure", "score", "low", "high"]
    assert list(found.table(wide=True).rows.columns) == ["run", "topic", "P@10", "P@10 low", "P@10 high"]
    assert f"{found.means[0, 0]:.2f} [{found.low.mean():.2f}, " in found.to_text(digits=2)


def test_scores_that_are_not_defined_have_no_row_and_means_keep_theirs() -> None:
    values = np.array([[[0.5, np.nan], [0.25, 1.0]], [[np.nan, np.nan], [np.nan, np.nan]]])
    found = Scores(("a", "b"), ("1", "2"), ("M", "N"), values)
    assert found.to_csv() == "run,topic,measure,score\na,1,M,0.5\na,2,M,0.25\na,2,N,1.0\n"
    assert found.table().to_csv().splitlines()[-1] == "b,all,N,,0"
    assert "–" in str(found)


def test_scores_belong_to_nobody_and_cannot_be_changed() -> None:
    values = np.ones((1, 1, 1))
    found = Scores(("a",), ("1",), ("M",), values)
    with pytest.raises(ValueError, match="read-only"):
        found.values[0, 0, 0] = 2
    values[0, 0, 0] = 3  # the array of the one who made it stays writeable


def test_sorting(scores: Scores) -> None:
    by_mean = scores.sorted("P@10")
    column = by_mean.means[:, by_mean.measures.index("P@10")]
    assert (np.diff(column) <= 0).all()
    assert scores.sorted("run").runs == tuple(sorted(scores.runs))
    with pytest.raises(InputError, match=r"cannot sort by 'AP'; sort by run, or by one of alpha_nDCG@10"):
        scores.sorted("AP")


def test_parquet_has_the_rows_and_the_conventions(scores: Scores) -> None:
    for result in every_result(scores):
        table = pyarrow.parquet.read_table(io.BytesIO(result.to_parquet()))
        assert table.column_names == list(result.rows.columns)
        assert table.num_rows == len(result.rows)
        assert json.loads(table.schema.metadata[b"rankprism"]) is not None
    table = pyarrow.parquet.read_table(io.BytesIO(scores.to_parquet()))
    assert table["score"].to_pylist() == scores.rows.columns["score"]


# The registry


def test_the_ending_of_a_file_says_the_format() -> None:
    assert {e: output_format(f"m{e}") for o in OUTPUTS.values() for e in o.endings} == {
        ".txt": "table",
        ".csv": "csv",
        ".tsv": "tsv",
        ".json": "json",
        ".tex": "latex",
        ".md": "markdown",
        ".html": "html",
        ".htm": "html",
        ".parquet": "parquet",
    }
    assert output_format("M.TEX") == "latex"
    assert output_format("a.b.csv.zst") == "csv"
    assert output_format("no-ending") == output_format(None) == "table"


@pytest.mark.parametrize("format", [None, "csv", "table"])
def test_no_table_is_called_xlsx(format: str | None) -> None:
    with pytest.raises(
        InputError, match=r"m.xlsx: there is no format for the ending .xlsx; use one of .csv,"
    ):
        output_format("m.xlsx", format)


def test_unknown_endings_and_contradictions_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"m.dat: .*ending .dat; use one of .*, or name the format"):
        output_format("m.dat")
    assert output_format("m.dat", "csv") == "csv"
    for path, format in (("m.parquet", "csv"), ("m.csv", "parquet")):
        with pytest.raises(InputError, match=r"the ending means .*, but the format is .*; change one"):
            output_format(path, format)
    with pytest.raises(InputError, match="format must be one of"):
        output_format(None, "trec")  # of results other than scores
    assert output_format(None, "trec", scores=True) == "trec"
    monkeypatch.setattr(rankprism.results.outputs, "find_spec", lambda name: None)
    words = f"parquet needs one more package: {install('parquet')}"
    with pytest.raises(RankprismError, match=re.escape(words)):
        output_format("m.parquet")


def test_a_format_is_added_in_one_place(
    scores: Scores, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(OUTPUTS, "count", Output(lambda result, style: f"{len(result.rows)}\n", (".count",)))
    monkeypatch.setattr(rankprism.results.outputs, "RESULT_FORMATS", tuple(OUTPUTS))
    assert output_format("m.count") == "count"
    assert written(scores, "count") == "180\n"


@pytest.mark.parametrize("kind", [kind for kind, output in OUTPUTS.items() if output.endings])
def test_evaluate_writes_every_format(
    kind: str, cli: Callable[..., Any], tmp_path: Path, scores: Scores
) -> None:
    path = tmp_path / f"m{OUTPUTS[kind].endings[0]}"
    found = cli(*EVALUATE, "-o", path)
    assert (found.returncode, found.stdout, found.stderr) == (0, "", "")
    expected = written(scores.table(), kind)
    assert path.read_bytes() == (expected if isinstance(expected, bytes) else expected.encode())


def test_evaluate_refuses_before_it_reads_anything(cli: Callable[..., Any], tmp_path: Path) -> None:
    missing = ("evaluate", "no-such-file", "none", "-m", "P@5")
    for options, says in (
        (("-o", tmp_path / "m.xlsx"), "there is no format for the ending .xlsx"),
        (
            ("--format", "csv", "--caption", "x"),
            "csv does not support a caption; leave out --caption, or write",
        ),
        (("--format", "trec", "--wide"), "trec_eval prints one line for each score; leave out --wide"),
        (("--format", "html", "--page-columns", "2"), "html does not support columns of a page"),
    ):
        found = cli(*missing, *options)
        assert (found.returncode, found.stdout) == (2, "")
        assert says in found.stderr
    assert list(tmp_path.iterdir()) == []
    found = cli("compare", "no-such-file", "-o", tmp_path / "m.xlsx")
    assert (found.returncode, found.stdout) == (2, "")
    assert "ending .xlsx" in found.stderr


def test_digits_sort_and_shape_of_evaluate(cli: Callable[..., Any], scores: Scores) -> None:
    found = cli(*EVALUATE, "--digits", "2", "--sort", "P@10").stdout
    assert found == scores.sorted("P@10").table().to_text(digits=2)
    found = cli(*EVALUATE, "--long", "--digits", "3").stdout
    assert found == scores.table(wide=False).to_text(digits=3)
    found = cli(*EVALUATE, "--wide", "--format", "csv", "--digits", "3").stdout
    assert found.splitlines()[0] == "run,topic," + ",".join(MEASURES)
    assert float(found.splitlines()[1].split(",")[-1]) == round(scores.means[0, 2], 3)
    assert cli(*EVALUATE, "--sort", "AP").returncode == 2


# Names of measures


def test_measures_have_the_names_of_papers_in_latex_and_html(scores: Scores) -> None:
    for result in (scores, compare(scores), Detailed(compare(scores)), correlation(scores)):
        assert r"$\alpha$-nDCG@10" in result.to_latex()
        assert r"D\#-nDCG@10" in result.to_latex()
        assert r"alpha\_nDCG" not in result.to_latex()
        for text in (result.to_html(), result._repr_html_()):
            assert "α-nDCG@10" in text
            assert "alpha_nDCG" not in text
        assert "alpha_nDCG@10" in result.to_text()


# Comparisons say what they are


def test_a_comparison_says_its_test_in_every_format(scores: Scores) -> None:
    found = compare(scores, test="bootstrap", correction="bonferroni", resamples=2000)
    says = (
        "the paired bootstrap test with 2,000 resamples, p < 0.05 after the Bonferroni correction for 3 pairs"
    )
    plain = {
        "table": found.to_text(),
        "latex": found.to_latex().replace("$<$", "<"),
        "markdown": html.unescape(found.to_markdown()),
        "html": html.unescape(found.to_html()),
    }
    for text in plain.values():
        words = " ".join(text.split())
        assert says in words
        assert "Means over 20 topics. A superscript names a run that is significantly worse" in words
    row = next(csv.DictReader(io.StringIO(found.to_csv())))
    assert (row["test"], row["correction"], row["topics"]) == ("bootstrap", "bonferroni", "20")
    about = json.loads(found.to_json())["about"]
    assert (about["test"], about["correction"], about["topics"]) == ("bootstrap", "bonferroni", 20)
    assert set(plain) == {kind for kind in RESULT_FORMATS if OUTPUTS[kind].for_people}


def test_the_words_for_other_corrections(scores: Scores) -> None:
    assert "p < 0.05, not corrected for 3 pairs" in compare(scores, correction="none").note
    assert "p < 0.05, corrected for 3 pairs by the test itself" in compare(scores, test="anova-tukey").note


def test_the_baseline_is_marked_and_named(scores: Scores) -> None:
    base = scores.runs[-1]
    found = compare(scores, baseline=base)
    for kind in ("table", "latex", "markdown", "html"):
        text = written(found, kind)
        assert isinstance(text, str)
        assert f"{base} (baseline)" in text
        assert f"than the baseline {base}" in " ".join(text.split())


def test_a_small_p_is_not_printed_as_zero() -> None:
    table = Table({"p": [3e-9, 0.0, 9.99e-5, 1e-4, 0.5, None], "q": [0.0] * 6}, probabilities=("p",))
    assert [row[0] for row in table.cells()] == ["<.0001", "<.0001", "<.0001", "0.0001", "0.5000", "–"]
    assert {row[1] for row in table.cells()} == {"0.0000"}
    assert "$<$.0001" in table.latex()
    assert "&lt;.0001" in table.html()
    assert table.csv().splitlines()[1] == "3e-09,0.0"
    base = np.random.default_rng(0).random(30)
    far = Scores(("a", "b"), tuple(map(str, range(30))), ("M",), np.stack([base, base + 9])[:, :, None])
    assert "<.0001" in Detailed(compare(far)).to_text()
    assert "<.01 " in Detailed(compare(far)).to_text(digits=2)


def test_captions_labels_and_columns_of_latex(scores: Scores, cli: Callable[..., Any]) -> None:
    found = compare(scores)
    text = found.to_latex(caption="Web & 50%", label="tab:web", page_columns=2)
    assert r"\begin{table*}[ht]" in text
    assert r"\caption{Web \& 50\%. Means over 20 topics." in text
    assert r"\label{tab:web}" in text
    assert "The best scores are bold." in text
    assert r"\begin{table}[ht]" in found.to_latex()
    assert r"\begin{table}" not in scores.to_latex()  # a bare tabular, for a table of one's own
    assert r"\begin{table}[ht]" in scores.to_latex(page_columns=1)
    for bad, says in (
        ({"label": "a}b"}, "the label"),
        ({"page_columns": 3}, "page_columns must be 1 or 2; got 3"),
    ):
        with pytest.raises(InputError, match=says):
            found.to_latex(**bad)
    options = ("--format", "latex", "--caption", "Web & 50%", "--label", "tab:web", "--page-columns", "2")
    printed = cli("compare", sample.QRELS, *EVALUATE[2:], *options).stdout
    assert printed == text


def test_topics_that_got_better_and_worse_by_hand() -> None:
    # a - b is 0.5, -0.25, 0 and 0.125 on the four topics.
    values = np.array([[[1.0], [0.5], [0.25], [0.625]], [[0.5], [0.75], [0.25], [0.5]]])
    scores = Scores(("a", "b"), ("t1", "t2", "t3", "t4"), ("M",), values)
    found = compare(scores, baseline="b").by_topic(1)
    (row,) = found.summary.records()
    assert (row["better"], row["worse"], row["equal"]) == (2, 1, 1)
    assert (row["mean gain"], row["mean loss"]) == (0.3125, -0.25)
    shown = found.tables[1].records()
    assert [(r["topic"], r["difference"]) for r in shown] == [("t1", 0.5), ("t2", -0.25)]
    every = found.rows.records()
    assert [(r["topic"], r["difference"]) for r in every] == [
        ("t1", 0.5),
        ("t4", 0.125),
        ("t3", 0.0),
        ("t2", -0.25),
    ]
    assert {(r["run"], r["other"]) for r in every} == {("a", "b")}


def test_differences_that_are_only_rounding_are_equal() -> None:
    values = np.array([[[0.1 + 0.2], [0.5]], [[0.3], [0.25]]])
    found = compare(Scores(("a", "b"), ("1", "2"), ("M",), values)).by_topic()
    assert found.summary.records()[0]["equal"] == 1


def test_by_topic_on_the_command_line(cli: Callable[..., Any], scores: Scores, tmp_path: Path) -> None:
    command = ("compare", sample.QRELS, *EVALUATE[2:], "--baseline", scores.runs[0], "--by-topic")
    expected = compare(scores, baseline=scores.runs[0]).by_topic(2)
    found = cli(*command, "--most", "2", "--plot", tmp_path / "differences.svg")
    assert found.stdout == expected.to_text()
    assert (tmp_path / "differences.svg").exists()
    assert len(cli(*command, "--format", "csv").stdout.splitlines()) == 1 + 2 * 3 * 20
    both = cli(*command, "--pairs")
    assert (both.returncode, both.stdout) == (2, "")
    assert "--pairs and --by-topic are two tables" in both.stderr


# Foreign text


class _Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.found.add(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")  # one topic
def test_every_result_has_every_format(scores: Scores) -> None:
    for result in [*every_result(scores), *other_results(scores)]:
        for kind in RESULT_FORMATS:
            assert written(result, kind)
        assert "<table" in result._repr_html_()  # what a notebook shows
        caption = "A caption."
        for kind in ("table", "latex", "markdown"):
            text = written(result, kind, Style(caption=caption))
            assert isinstance(text, str)
            assert caption in text


def test_html_has_no_element_that_came_from_a_file(hostile: Scores) -> None:
    for result in every_result(hostile):
        for text in (result._repr_html_(), result.to_html(caption="<b>&")):
            parser = _Elements()
            parser.feed(text)
            assert "script" not in parser.found
            assert "i" not in parser.found
            assert "\x1b" not in text
            assert "\u202e" not in text
            text.encode()  # no lone surrogates
    parser = _Elements()
    parser.feed(hostile._repr_html_())
    assert HOSTILE[1] in parser.text


def test_cells_in_every_markup() -> None:
    table = Table(
        {"run": ["a"], "M": [Cell(0.5, "ab", best=True)], "N": [Cell(0.25, between=(0, 1))]}, digits=1
    )
    assert table.cells() == [["a", "0.5ᵃᵇ", "0.2 [0, 1]"]]
    assert r"a & \textbf{0.5}$^{ab}$ & 0.2 [0, 1] \\" in table.latex()
    assert "| a | **0.5ᵃᵇ** |" in table.markdown()
    assert "<b>0.5</b><sup>ab</sup>" in table.html()
    assert "\033[1m0.5ᵃᵇ\033[0m" in table.text(bold=True)


@pytest.fixture(scope="module")
def pdflatex() -> str:
    program = shutil.which("pdflatex")
    if program is None:
        missing = "LaTeX is not there: apt-get install texlive-latex-recommended"
        if "latex" in os.environ.get("RANKPRISM_REQUIRE", ""):
            pytest.fail(missing)
        pytest.skip(missing)
    return program


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_latex_compiles_whatever_the_names_are(
    pdflatex: str, scores: Scores, hostile: Scores, tmp_path: Path
) -> None:
    """Every kind of result, hostile names, and every character of the scripts that are escaped by hand."""
    characters = [
        chr(c) for c in [*range(32, 127), *range(0xA0, 0x250), *range(0x370, 0x400), 0x4E2D, 0x1F600]
    ]
    pages = [characters[i : i + 40] for i in range(0, len(characters), 40)]
    tables = [Table({"c": page, "twice": [c * 2 for c in page]}).latex() for page in pages]
    results = [*every_result(scores), *every_result(hostile), *other_results(scores)]
    assert {type(result) for result in results} == kinds()
    for number, result in enumerate(results):
        tables.append(result.to_latex(caption=HOSTILE[number % len(HOSTILE)], label=f"tab:{number}"))
        tables.append(result.to_latex(page_columns=2))
    document = (
        "\\documentclass{article}\n\\usepackage{booktabs,amssymb}\n\\begin{document}\n\\tiny\n"
        + "\n\\clearpage\n".join(tables)
        + "\n\\end{document}\n"
    )
    (tmp_path / "all.tex").write_text(document, encoding="ascii")  # needs no encoding of the paper's
    command = [pdflatex, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "all.tex"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=120)
    log = (tmp_path / "all.log").read_text(errors="replace")
    assert found.returncode == 0, "\n".join(re.findall(r"^(?:!|l\.).*", log, re.MULTILINE)[:10])
    assert "Missing character" not in log
    assert (tmp_path / "all.pdf").stat().st_size > 10_000
