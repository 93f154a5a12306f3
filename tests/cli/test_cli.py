"""The command line as its users use it."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rankprism
from rankprism import evaluate, sample
from tests.support.machine import posix

MEASURES = ("alpha_nDCG@10", "StRecall@10", "nDCG(dcg='exp-log2')@10")
OPTIONS = [option for measure in MEASURES for option in ("-m", measure)]


@pytest.fixture(scope="module")
def scores() -> rankprism.Scores:
    return evaluate(sample.QRELS, list(sample.RUNS), MEASURES)


def test_csv_has_every_score_in_full_precision(cli: Callable[..., Any], scores: rankprism.Scores) -> None:
    result = cli("evaluate", sample.QRELS, *sample.RUNS, *OPTIONS, "--per-topic", "--format", "csv")
    assert result.returncode == 0, result.stderr
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert list(rows[0]) == ["run", "topic", "measure", "score"]
    per_topic = scores.per_topic()
    assert len(rows) == 6 * 20 * 3
    for row in rows:
        assert float(row["score"]) == per_topic[row["run"]][row["topic"]][row["measure"]]


@pytest.mark.parametrize("format", ["csv", "tsv", "json", "parquet"])
def test_programs_read_the_same_rows_from_python_and_the_command_line(
    format: str, cli: Callable[..., Any], scores: rankprism.Scores, tmp_path: Path
) -> None:
    """There are no means among the scores of topics, where a program would count them as one more topic."""
    file = tmp_path / f"scores.{format}"
    cli("evaluate", sample.QRELS, *sample.RUNS, *OPTIONS, "--per-topic", "-o", file)
    assert file.read_bytes() == as_bytes(getattr(scores, f"to_{format}")())


def as_bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content


@pytest.mark.parametrize(
    ("words", "says"), [(["-q"], True), (["--quiet"], False), (["-q", "--per-topic"], False)]
)
def test_the_habit_of_trec_eval_is_answered(words: list[str], says: bool, cli: Callable[..., Any]) -> None:
    """There, -q prints the scores of each topic. With several runs, nobody comes from there."""
    one = cli("evaluate", sample.QRELS, sample.RUNS[0], *OPTIONS, *words).stderr
    assert ("--per-topic" in one, one.count("\n")) == (says, int(says))
    assert cli("evaluate", sample.QRELS, *sample.RUNS, *OPTIONS, "-q").stderr == ""


def test_csv_has_only_means_without_per_topic(cli: Callable[..., Any]) -> None:
    result = cli("evaluate", sample.QRELS, *sample.RUNS, *OPTIONS, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert len(rows) == 6 * 3
    assert {row["topic"] for row in rows} == {"all"}


def test_json_records_the_conventions(cli: Callable[..., Any], scores: rankprism.Scores) -> None:
    options = ["--order", "rank", "--topics", "retrieved", "--weights", sample.WEIGHTS, "--per-topic"]
    result = cli("evaluate", sample.QRELS, *sample.RUNS, *OPTIONS, *options, "--format", "json")
    found = json.loads(result.stdout)
    per_topic = scores.per_topic()  # none of these measures uses weights
    assert len(found["rows"]) == 6 * 20 * 3
    for row in found["rows"]:
        assert row["score"] == per_topic[row["run"]][row["topic"]][row["measure"]]
    assert found["about"]["order"] == "rank"
    assert found["about"]["topics"] == "retrieved"
    assert found["about"]["aspect weights"] == "given"
    assert found["rankprism"] == rankprism.__version__


def test_trec_output_reads_like_trec_eval(cli: Callable[..., Any], scores: rankprism.Scores) -> None:
    result = cli("evaluate", sample.QRELS, sample.RUNS[0], *OPTIONS, "--format", "trec")
    lines = [line.split("\t") for line in result.stdout.splitlines()]
    assert lines[0] == [f"{'runid':<22}", "all", "ideal"]
    assert [(m.strip(), t, float(x)) for m, t, x in lines[1:]] == [
        (m, "all", x) for m, x in scores.mean()["ideal"].items()
    ]


def test_table_is_for_people(cli: Callable[..., Any]) -> None:
    result = cli("evaluate", sample.QRELS, *sample.RUNS, "-m", "alpha_nDCG@10")
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["run", "alpha_nDCG@10"]
    assert lines[2].split() == ["ideal", "1.0000"]
    assert len(lines) == 8
    assert "\033" not in result.stdout  # no colour where nobody sees it


@pytest.mark.parametrize(("name", "start"), [("s.csv", "run,topic"), ("s.json", "{"), ("s.txt", "run ")])
def test_output_goes_to_a_file_whose_ending_says_how(
    name: str, start: str, cli: Callable[..., Any], tmp_path: Path
) -> None:
    out = tmp_path / name
    out.write_text("old")
    result = cli("evaluate", sample.QRELS, *sample.RUNS, *OPTIONS, "-o", out)
    assert (result.returncode, result.stdout) == (0, "")
    assert out.read_text(encoding="utf-8").startswith(start)
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_standard_input_is_a_file_named_dash(cli: Callable[..., Any]) -> None:
    text = sample.RUNS[0].read_text()
    result = cli("evaluate", sample.QRELS, "-", "-m", "P@1", "--format", "csv", input=text)
    assert result.stdout.splitlines()[1] == "stdin,all,P@1,1.0"
    result = cli("evaluate", "-", "-", "-m", "P@1", input=text)
    assert (result.returncode, "only once" in result.stderr) == (2, True)


def test_topics_without_relevant_documents_are_said(cli: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "q").write_text("1 a d 1\n2 a d 0\n")
    (tmp_path / "r").write_text("1 Q0 d 1 1 t\n2 Q0 d 1 1 t\n")
    result = cli("evaluate", tmp_path / "q", tmp_path / "r", "-m", "nNRBP", "--format", "csv")
    assert result.stdout.splitlines()[1] == "r,all,nNRBP,0.5"
    assert result.stderr == (
        "note: 1 of 2 topics has no relevant document, so no run can gain anything there: '2' [no-relevant]\n"
    )


def test_measures_are_listed_and_explained(cli: Callable[..., Any]) -> None:
    listing = cli("measures").stdout
    for name in ("alpha_nDCG", "ERR_IA", "AP_IA", "StRecall", "RBP"):
        assert name in listing
    text = cli("measures", "alpha_nDCG").stdout
    for part in ("log2(i + 1)", "alpha ", "default 0.5", "Clarke", ">>>"):
        assert part in text
    assert cli("measures", "NRBP", "--bibtex").stdout.startswith("@inproceedings{clarke2009effectiveness,")
    assert cli("measures", "NRPB").returncode == 2


def test_demo_shows_a_table_and_saves_the_sample(cli: Callable[..., Any], tmp_path: Path) -> None:
    assert "relevance-only" in cli("demo").stdout
    folder = tmp_path / "sample"
    first = cli("demo", "--save", folder)
    assert first.returncode == 0
    assert sorted(p.name for p in folder.iterdir()) == ["preferences.tsv", "qrels.txt", "runs", "weights.txt"]
    (folder / "order.qrels").touch()  # made of it meanwhile
    again = cli("demo", "--save", folder)
    assert (again.returncode, again.stdout, again.stderr) == (0, first.stdout, "")
    (folder / "qrels.txt").write_text("q 0 d 1\n")
    refused = cli("demo", "--save", folder)
    assert (refused.returncode, "exists already" in refused.stderr) == (2, True)
    assert (folder / "qrels.txt").read_text() == "q 0 d 1\n"


def test_the_demo_says_what_the_weights_of_senses_change(cli: Callable[..., Any]) -> None:
    """README shows the unweighted score of the same run, so the demo has to show both."""
    shown = cli("demo").stdout
    [[weighted, unweighted]] = re.findall(
        r"^diversified +\S+ +(\S+) .*weigh more.*has ERR_IA@10 = (\S+)\.$", shown, re.M | re.S
    )
    for value, weights in ((weighted, ["--weights", sample.WEIGHTS]), (unweighted, [])):
        run = sample.FOLDER / "runs" / "diversified.run"
        printed = cli("evaluate", sample.QRELS, run, "-m", "ERR_IA@10", *weights).stdout
        assert printed.split()[-1] == value
    assert weighted != unweighted


@pytest.mark.parametrize("words", [(), ("meta",), ("assess",)])
def test_a_command_that_is_given_nothing_prints_its_help(
    words: tuple[str, ...], cli: Callable[..., Any]
) -> None:
    result = cli(*words)
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr == cli(*words, "--help").stdout


def test_version_help_and_usage(cli: Callable[..., Any]) -> None:
    assert cli("--version").stdout == f"rankprism {rankprism.__version__}\n"
    assert "evaluate" in cli("--help").stdout
    assert cli("evaluate").returncode == 2
    assert cli("evaluate", "a", "b", "-m", "P@1", "--order", "down").returncode == 2
    assert cli("no-such-command").returncode == 2
    assert "--install-completion" in cli("--help").stdout


@posix
def test_a_reader_that_leaves_early_is_not_an_error(rankprism_command: Path) -> None:
    command = f"'{rankprism_command}' measures | head -1"
    result = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")
