"""`rankprism meta`, `compare` and `topic-set-size` as users run them."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from rankprism import sample
from tests.support.machine import posix

Cli = Callable[..., subprocess.CompletedProcess[str]]

RUNS = [sample.QRELS, *sample.RUNS]
MEASURES = ["-m", "alpha_nDCG@10", "-m", "P@10", "-m", "StRecall@10"]


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory, cli: Cli) -> Path:
    path = tmp_path_factory.mktemp("scores") / "scores.csv"
    assert cli("evaluate", sample.QRELS, *sample.RUNS, *MEASURES, "--per-topic", "-o", path).returncode == 0
    return path


COMMANDS = {
    "power": ["meta", "power", "--resamples", "100"],
    "agreement": ["meta", "agreement", "--resamples", "100"],
    "unanimity": ["meta", "unanimity", "--grouped"],
    "correlation": ["meta", "correlation", "--per-topic", "--clustered"],
    "intuitiveness": ["meta", "intuitiveness", "--gold", "StRecall@10"],
    "swap": ["meta", "swap", "--trials", "20"],
    "stability": ["meta", "stability", "--size", "5", "--samples", "2", "--resamples", "50"],
    "disagreement": ["meta", "disagreement", "--most", "2"],
    "compare": ["compare", "--test", "bootstrap", "--resamples", "400"],
    "topic-set-size": ["topic-set-size", "--difference", "0.1"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_reads_scores_and_writes_every_format(
    scores: Path, cli: Cli, name: str, tmp_path: Path
) -> None:
    printed = cli(*COMMANDS[name], scores)
    assert (printed.returncode, printed.stderr) == (0, "")
    assert len(printed.stdout.splitlines()) >= 3
    out = tmp_path / "result.json"
    assert cli(*COMMANDS[name], scores, "-o", out).returncode == 0
    assert json.loads(out.read_text())["rows"]
    assert cli(*COMMANDS[name], scores, "--format", "latex").stdout.count(r"\toprule") == 1


def test_runs_with_qrels_give_what_their_scores_give(scores: Path, cli: Cli) -> None:
    from_scores = cli("meta", "power", scores, "--format", "csv")
    from_runs = cli("meta", "power", *RUNS, *MEASURES, "--format", "csv")
    assert from_runs.stdout == from_scores.stdout


def test_disagreements_of_runs_show_the_lists(cli: Cli) -> None:
    printed = cli("meta", "disagreement", *RUNS, *MEASURES[:4], "--most", "1", "--depth", "3").stdout
    assert "animal:1 stamp:2" in printed
    assert "▲" in printed


def test_a_baseline_and_its_pairs(scores: Path, cli: Cli) -> None:
    assert "noisy (baseline)" in cli("compare", scores, "--baseline", "noisy").stdout
    pairs = cli("compare", scores, "--baseline", "noisy", "--pairs", "-m", "P@10").stdout.splitlines()
    assert pairs[0].split()[-4:] == ["significant", "changed", "topics", "detectable"]
    assert pairs[7] == ""  # after five pairs
    assert pairs[8].startswith("20 topics; significant: Student's paired t-test, p < 0.05 after the Holm")


@pytest.mark.parametrize("test", ["anova-tukey", "dunnett"])
def test_tests_that_correct_themselves_say_that_their_intervals_are_simultaneous(
    scores: Path, cli: Cli, test: str
) -> None:
    found = cli("compare", scores, "--test", test, "--baseline", "noisy", "--pairs", "-m", "P@10")
    assert found.returncode == 0
    [note] = found.stderr.splitlines()
    assert note.endswith("[unequal-variances]")
    assert found.stdout.count("simultaneous") == 5


def test_a_comparison_on_one_topic_says_that_nothing_is_tested(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("run,topic,measure,score\na,1,P,0.5\nb,1,P,0.25\n")
    found = cli("compare", tmp_path / "one.csv")
    assert found.returncode == 0
    assert "only one topic, so nothing can be tested" in found.stderr
    assert "0.5000" in found.stdout


@pytest.mark.parametrize("command", ["power", "unanimity", "swap"])
def test_measures_are_compared_with_each_other(scores: Path, cli: Cli, command: str) -> None:
    printed = cli("meta", command, scores, "--differences", "--format", "csv").stdout.splitlines()
    assert printed[0].split(",")[3:] == ["low", "high", "p", "adjusted p"]
    assert len(printed) == 1 + 3  # three pairs of three measures


@pytest.mark.parametrize("command", ["power", "unanimity", "agreement", "swap"])
def test_intervals_are_columns_and_can_be_switched_off(scores: Path, cli: Cli, command: str) -> None:
    header = cli("meta", command, scores).stdout.splitlines()[0].split()
    assert {"low", "high"} <= set(header)
    without = cli("meta", command, scores, "--intervals", "0").stdout.splitlines()[0].split()
    assert not {"low", "high"} & set(without)


def test_sakais_test_is_there_by_its_name_with_the_caveat(scores: Path, cli: Cli) -> None:
    found = cli(
        "meta", "intuitiveness", scores, "--gold", "StRecall@10", "--test", "sakai", "--format", "json"
    )
    assert found.returncode == 0
    assert "counts every pair of runs on every topic as an independent case" in found.stderr
    content = json.loads(found.stdout)
    assert "p is far too small" in content["about"]["caveat"]
    assert "p (sign test)" in content["rows"][0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["meta", "power"], "name judgments and runs, e.g. qrels.txt runs/*.run, or files of scores"),
        (["meta", "power", "absent.csv"], "absent.csv: there is no such file"),
        (["meta", "power", *RUNS], "name at least one measure with -m"),
        (
            ["meta", "power", *RUNS, "-m", "P@10", "--where", "a=b"],
            "--where chooses rows from files of scores",
        ),
        (["meta", "power", "SCORES", "--weights", "w"], "--weights goes with judgments and runs"),
        (["meta", "power", "SCORES", "--where", "a"], "--where takes COLUMN=VALUE; got 'a'"),
        (["meta", "power", "SCORES", "-m", "AP"], "there is no measure 'AP'; there are alpha_nDCG@10"),
        (["meta", "power", "SCORES", "--alpha", "7"], "alpha must be a number between 0 and 1; got 7.0"),
        (["meta", "intuitiveness", "SCORES"], "name a gold measure"),
        (["meta", "unanimity", "SCORES", "--intervals", "95"], "must be a confidence between 0 and 1"),
        (["meta", "swap", "SCORES", "--intervals", "0", "--differences"], "need intervals"),
        (
            ["meta", "power", "SCORES", "--differences", "--plot", "x.html"],
            "--plot draws the figures of the measures; leave out --differences",
        ),
        (["meta", "disagreement", "SCORES", "-m", "P@10"], "two measures are needed"),
        (
            ["compare", "SCORES", "--baseline", "bm25"],
            "--baseline: no run is named 'bm25', and there is no such file; the runs are",
        ),
        (["compare", "SCORES", "--test", "tukey", "--correction", "holm"], "already corrects for all pairs"),
        (["compare", "SCORES", "--test", "dunnett"], "name it as the baseline"),
        (
            ["compare", "SCORES", "--test", "fisher", "--resamples", "299"],
            "no p can be below 0.05 after the Holm correction for 15 pairs; take at least 300",
        ),
        (["topic-set-size", "--difference", "0.1", "--variance", "nan"], "variance must be a number above 0"),
        (["topic-set-size", "--difference", "0.1"], "give either scores"),
        (["meta", "power", "SCORES", "-o", "nowhere/x.csv"], "the folder nowhere does not exist"),
        (["meta", "power", "SCORES", "--plot", "x.gif"], "x.gif"),
    ],
)
def test_mistakes_end_with_a_message_and_exit_code_2(
    scores: Path, cli: Cli, arguments: list[str], message: str
) -> None:
    result = cli(*(scores if word == "SCORES" else word for word in arguments))
    assert result.returncode == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr


@posix
def test_ctrl_c_leaves_nothing_half_written(scores: Path, rankprism_command: Path, tmp_path: Path) -> None:
    out = tmp_path / "power.csv"
    # More than a machine can do in the time it takes to press a key.
    words = ["meta", "power", scores, "--resamples", 3_000_000, "-o", out]
    command = [str(rankprism_command), *map(str, words)]
    process = subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background job has none
    )
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode != 0
    assert "Traceback" not in errors
    assert list(tmp_path.iterdir()) == []
