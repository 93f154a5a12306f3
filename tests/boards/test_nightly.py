"""What nightly jobs rely on: intervals, bad files among good ones, notes as errors, events and progress."""

from __future__ import annotations

import io
import json
import os
import select
import subprocess
import time
from collections.abc import Callable
from csv import DictReader
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from scipy import stats

from rankprism import InputError, Scores, evaluate, sample
from rankprism.results.outputs import OUTPUTS, written
from tests.support.machine import posix

Cli = Callable[..., subprocess.CompletedProcess[str]]
RUNS = sorted(sample.RUNS)[:3]

# Intervals of means


@pytest.fixture(scope="module")
def scores() -> Scores:
    return evaluate(sample.QRELS, list(RUNS), ["P@10", "alpha_nDCG@10"])


def test_the_interval_of_a_mean_equals_scipy(scores: Scores) -> None:
    for r, run in enumerate(scores.runs):
        for m, measure in enumerate(scores.measures):
            values = scores.values[r, :, m]
            found = scores.intervals()[run][measure]
            if np.ptp(values) == 0:  # the ideal run
                assert np.isnan(found).all()
            else:
                expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)
                assert found == pytest.approx(tuple(expected))
                ninety = stats.ttest_1samp(values, 0).confidence_interval(0.9)
                assert scores.intervals(0.9)[run][measure] == pytest.approx(tuple(ninety))


def test_every_format_has_the_interval(scores: Scores) -> None:
    table = scores.table(intervals=True)
    low, high = scores.intervals()["diversified"]["P@10"]
    for kind in OUTPUTS:
        content = written(table, kind)
        if isinstance(content, bytes):
            row = pq.read_table(io.BytesIO(content)).to_pylist()[0]
        elif kind == "json":
            row = json.loads(content)["rows"][0]
        elif OUTPUTS[kind].for_people:
            brackets = f"[{low:.4f}, {high:.4f}]"
            assert brackets in content.replace("\\", "")
            continue
        elif kind == "trec":
            lines = dict(line.split("\tall\t") for line in reversed(content.splitlines()[1:]))
            row = {f"interval {end}": lines[f"{f'P@10:{end}':<22}"] for end in ("low", "high")}
        else:
            row = next(DictReader(io.StringIO(content), delimiter="\t" if kind == "tsv" else ","))
        assert [float(row["interval low"]), float(row["interval high"])] == pytest.approx([low, high]), kind


def test_topics_have_no_interval_and_wide_rows_have_one_for_each_measure(scores: Scores) -> None:
    rows = scores.table(per_topic=True, intervals=True).rows.records()
    assert all(
        (row["interval low"] is None or np.isnan(row["interval low"]))
        for row in rows[:-2]
        if row["topic"] != "all"
    )
    wide = scores.table(wide=True, intervals=True).rows.records()[0]
    assert wide["P@10 interval low"] == pytest.approx(scores.intervals()["diversified"]["P@10"][0])
    assert "[" not in scores.table(per_topic=True, intervals=True).to_text().splitlines()[2]


def test_too_few_topics_have_no_interval_and_a_note_says_why(cli: Cli, tmp_path: Path) -> None:
    topics = ["bank", "bat", "delta"]
    lines = [line for line in sample.QRELS.read_text().splitlines(keepends=True) if line.split()[0] in topics]
    (tmp_path / "qrels.txt").write_text("".join(lines))
    few = (tmp_path / "qrels.txt", RUNS[0], "-m", "P@10", "--intervals")
    done = cli("evaluate", *few)
    assert done.returncode == 0
    assert "[–, –]" in done.stdout
    assert "there is no interval of a mean: it needs 8 topics, and there are 3" in done.stderr
    row = json.loads(cli("evaluate", *few, "--format", "json", "-q").stdout)["rows"][0]
    assert row["interval low"] is row["interval high"] is None
    strict = cli("evaluate", *few, "--strict", "-q")
    assert (strict.returncode, strict.stdout) == (2, "")


def test_intervals_and_bounds_do_not_share_brackets(cli: Cli, scores: Scores) -> None:
    words = ("evaluate", sample.QRELS, RUNS[0], "-m", "P@10", "--intervals", "--bounds", "-q")
    refused = cli(*words)
    assert refused.returncode == 2
    assert "--bounds and --intervals are both printed in brackets" in refused.stderr
    row = json.loads(cli(*words, "--format", "json").stdout)["rows"][0]
    assert {"low", "high", "interval low", "interval high"} <= set(row)
    with pytest.raises(InputError, match="confidence must be a number between 0 and 1"):
        scores.intervals(95)


# Bad files and notes


@pytest.fixture
def some_bad(tmp_path: Path) -> list[Path]:
    """Good runs, and between them files that are bad in different ways."""
    bad = {
        "columns.run": b"one two\n",
        "twice.run": b"bank Q0 a 1 2 x\nbank Q0 a 2 1 x\n",
        "packed.run.gz": b"not gzip",
        "latin.run": b"bank Q0 caf\xe9 1 2 x\n",
        "table.parquet": b"PAR1 is not enough",
    }
    for name, content in bad.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "folder.run").mkdir()
    names = [*bad, "folder.run", "nowhere.run"]
    return [RUNS[0], *(tmp_path / name for name in names), *RUNS[1:]]


def test_bad_runs_are_left_out_and_named_at_the_end(cli: Cli, some_bad: list[Path]) -> None:
    words = ("evaluate", sample.QRELS, *some_bad, "-m", "P@10", "--format", "csv")
    stopped = cli(*words)
    assert (stopped.returncode, stopped.stdout) == (2, "")
    assert len(stopped.stderr.splitlines()) == 1
    done = cli(*words, "--keep-going")
    assert done.returncode == 2
    assert done.stdout == cli("evaluate", sample.QRELS, *RUNS, "-m", "P@10", "--format", "csv").stdout
    *errors, last = done.stderr.splitlines()
    assert last == "rankprism: 7 runs are left out, and the others are scored"
    assert len(errors) == 7
    for path in some_bad[1:-2]:
        assert sum(path.name in line for line in errors) == 1, path
    for threads in (1, 4):
        assert cli(*words, "--keep-going", "--threads", threads).stdout == done.stdout


def test_judgments_that_cannot_be_read_are_an_error_all_the_same(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("a b\n")
    done = cli("evaluate", tmp_path / "qrels.txt", *RUNS, "-m", "P@10", "--keep-going")
    assert (done.returncode, done.stdout) == (2, "")
    none = cli("evaluate", sample.QRELS, tmp_path / "x.run", tmp_path / "y.run", "-m", "P@10", "--keep-going")
    assert (none.returncode, none.stdout) == (2, "")
    assert "none of the runs can be read" in none.stderr
    assert len(none.stderr.splitlines()) == 3


def test_in_python_errors_are_handed_over(some_bad: list[Path]) -> None:
    errors: dict[str, Exception] = {}
    found = evaluate(sample.QRELS, some_bad, "P@10", on_error=errors.setdefault)
    assert found.runs == tuple(path.stem for path in RUNS)
    assert set(errors) == {"columns", "twice", "packed", "latin", "table", "folder", "nowhere"}


def test_a_process_that_leaves_runs_out_ends_quietly(rankprism_command: Path, some_bad: list[Path]) -> None:
    """Errors hold what was being worked on, and the core complains of that when the process ends."""
    words = [rankprism_command, "evaluate", sample.QRELS, *some_bad, "-m", "P@10", "--keep-going"]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, encoding="utf-8")
    assert len(done.stderr.splitlines()) == 8
    assert "leaked" not in done.stderr


def test_strict_makes_errors_of_notes(cli: Cli, tmp_path: Path) -> None:
    short = tmp_path / "short.run"
    short.write_text("bank Q0 bank-01 1 1 x\n")
    for words in (("evaluate",), ("compare", RUNS[0])):
        command, *more = words
        fine = cli(command, sample.QRELS, short, *more, "-m", "P@10", "-q")
        assert fine.returncode == 0
        strict = cli(
            command, sample.QRELS, short, *more, "-m", "P@10", "-o", tmp_path / "out.csv", "--strict"
        )
        assert strict.returncode == 2
        assert strict.stderr.splitlines()[-1].startswith(
            "rankprism: --strict makes an error of a note: judged"
        )
        assert not (tmp_path / "out.csv").exists()
    quiet = cli("evaluate", sample.QRELS, *RUNS, "-m", "P@10", "--strict")
    assert (quiet.returncode, quiet.stderr) == (0, "")


# Events and progress


def events(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_events_are_one_json_line_each(cli: Cli, some_bad: list[Path], tmp_path: Path) -> None:
    short = tmp_path / "short.run"
    short.write_text("bank Q0 bank-01 1 1 x\n")
    words = (
        "evaluate",
        sample.QRELS,
        *some_bad,
        short,
        "-m",
        "P@10",
        "--keep-going",
        "--log",
        "json",
        "--threads",
        1,
    )
    told = events(cli(*words).stderr)
    kinds = [one["event"] for one in told]
    assert kinds[0] == "started"
    assert kinds[-1] == "finished"
    assert told[-1]["code"] == 2
    assert [one["run"] for one in told if one["event"] == "read"] == [*(p.stem for p in RUNS), "short"]
    assert {one["run"] for one in told if one["event"] == "error"} >= {"columns", "nowhere"}
    note = next(one for one in told if one["event"] == "note")
    assert note["kind"] == "missing-topics"
    assert [one["share"] for one in told if one["event"] == "scored"][-1] == 1.0
    failed = events(
        cli("evaluate", sample.QRELS, tmp_path / "nowhere.run", "-m", "P@10", "--log", "json").stderr
    )
    assert [one["event"] for one in failed] == ["started", "error", "finished"]
    assert failed[-1]["code"] == 2


SLOW = """
import time
from rankprism.measures import measure
from rankprism.measures.parts import Rel

@measure()
def Slow(hits, rel: Rel = 1.0):
    \"\"\"Takes its time.\"\"\"
    time.sleep(0.7)
    return hits.length * 0.0
"""


@posix
@pytest.mark.parametrize("log", [False, True])
def test_progress_is_seen_on_a_terminal(rankprism_command: Path, tmp_path: Path, log: bool) -> None:
    """Bars for people, from the third second on; JSON lines, if these are asked for."""
    import pty

    (tmp_path / "slow.py").write_text(SLOW)
    measures = [word for rel in range(1, 6) for word in ("-m", f"Slow(rel={rel})")]
    words = ["evaluate", sample.QRELS, RUNS[0], *measures, "--measures", tmp_path / "slow.py"]
    ours, theirs = pty.openpty()
    command = [str(rankprism_command), *map(str, words), *(["--log", "json"] if log else [])]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=theirs, env=os.environ | {"TERM": "xterm", "COLUMNS": "80"}
    ) as process:
        os.close(theirs)
        seen, began = b"", time.monotonic()
        while time.monotonic() - began < 60:
            if select.select([ours], [], [], 0.1)[0]:
                try:
                    seen += os.read(ours, 10_000)
                except OSError:  # Linux says so when the other end is closed
                    break
            elif process.poll() is not None:
                break
    os.close(ours)
    assert process.returncode == 0
    if log:
        told = events(seen.decode().replace("\r\n", "\n"))
        shares = [one["share"] for one in told if one["event"] == "scored"]
        assert shares == [0.2, 0.4, 0.6, 0.8, 1.0]
    else:
        assert b"scoring" in seen
        assert b"\xe2\x94\x81" in seen  # the bar itself
