"""Scores in a folder of Parquet files: what is scored again, what the files say, two writers, and kill -9."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow.parquet as pq
import pytest

import rankprism.evaluation.score_folder.evaluate
from rankprism import InputError, RankprismWarning, evaluate, evaluate_into, read_judgments, read_run, sample
from rankprism.evaluation.parts import joined
from rankprism.evaluation.score_folder.evaluate import sha256_of
from rankprism.evaluation.score_folder.files import file_name
from tests.support.machine import posix

Cli = Callable[..., subprocess.CompletedProcess[str]]
MEASURES = ["P@10", "alpha_nDCG@10"]
RUNS = sorted(sample.RUNS)


def stored(folder: Path) -> dict[tuple[str, str, str], float]:
    """All scores of a folder, read by DuckDB as one table. A score that occurs twice is an error."""
    rows = duckdb.execute(f"SELECT run, topic, measure, score FROM '{folder}/*.parquet'").fetchall()
    found = {(run, topic, measure): score for run, topic, measure, score in rows}
    assert len(found) == len(rows)
    return found


def computed(judgments: Any, runs: Any, measures: Any) -> dict[tuple[str, str, str], float]:
    scores = evaluate(judgments, runs, measures)
    return {
        (run, topic, measure): score
        for run, topics in scores.per_topic().items()
        for topic, by_measure in topics.items()
        for measure, score in by_measure.items()
    }


def states(found: rankprism.evaluation.score_folder.Stored) -> dict[str, str]:
    return dict(zip(found.runs, found.states, strict=True))


def test_a_folder_holds_the_scores_of_evaluate(tmp_path: Path) -> None:
    found = evaluate_into(tmp_path / "new" / "scores", sample.QRELS, RUNS, MEASURES)
    assert set(states(found).values()) == {"new"}
    assert stored(tmp_path / "new" / "scores") == computed(sample.QRELS, RUNS, MEASURES)


def test_only_what_is_new_or_changed_is_scored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "scores"
    scored: list[tuple[list[str], list[str]]] = []

    def watched(collection: Any, measures: Any, *others: Any, **more: Any) -> Any:
        scored.append((list(collection.runs), list(map(str, measures))))
        return joined(collection, measures, *others, **more)

    monkeypatch.setattr(rankprism.evaluation.score_folder.evaluate, "joined", watched)
    mine = [tmp_path / path.name for path in RUNS[:3]]
    for path, copy in zip(RUNS, mine, strict=False):
        copy.write_bytes(path.read_bytes())
    evaluate_into(folder, sample.QRELS, mine[:2], "P@10")
    again = evaluate_into(folder, sample.QRELS, mine, "P@10")
    names = [path.stem for path in mine]
    assert states(again) == dict(zip(names, ["unchanged", "unchanged", "new"], strict=True))
    assert scored == [(names[:2], ["P@10"]), (names[2:], ["P@10"])]
    # Another measure: only that is scored, and the old scores stay.
    more = evaluate_into(folder, sample.QRELS, mine, MEASURES)
    assert set(more.states) == {"more measures"}
    assert scored[-1] == (names, ["alpha_nDCG@10"])
    assert stored(folder) == computed(sample.QRELS, mine, MEASURES)
    # One run changes under its name.
    lines = mine[1].read_text().splitlines(keepends=True)
    mine[1].write_text("".join(lines[1:]))
    with pytest.warns(RankprismWarning, match=f"1 run has changed under the same name.*{names[1]}"):
        changed = evaluate_into(folder, sample.QRELS, mine, MEASURES)
    assert list(changed.states) == ["unchanged", "changed", "unchanged"]
    assert scored[-1] == ([names[1]], MEASURES)
    assert stored(folder) == computed(sample.QRELS, mine, MEASURES)
    # Other judgments, settings and versions.
    fewer = tmp_path / "qrels.txt"
    fewer.write_text("".join(sample.QRELS.read_text().splitlines(keepends=True)[:-3]))
    assert set(evaluate_into(folder, fewer, mine, MEASURES).states) == {"judgments changed"}
    assert stored(folder) == computed(fewer, mine, MEASURES)
    assert set(evaluate_into(folder, fewer, mine, MEASURES, order="rank").states) == {"other settings"}
    monkeypatch.setattr(rankprism, "__version__", "99")
    assert set(evaluate_into(folder, fewer, mine, MEASURES, order="rank").states) == {"other version"}
    assert set(evaluate_into(folder, fewer, mine, MEASURES, order="rank").states) == {"unchanged"}


def test_files_say_what_their_scores_were_computed_from(tmp_path: Path) -> None:
    found = evaluate_into(tmp_path, sample.QRELS, RUNS[:1], MEASURES)
    table = pq.read_table(tmp_path / found.files[0])
    about = json.loads(table.schema.metadata[b"rankprism"])
    assert about["measures"] == MEASURES
    assert about["conventions"]["order"] == "score"
    row = table.to_pylist()[0]
    shasum = subprocess.run(["sha256sum", RUNS[0]], capture_output=True, text=True, check=True).stdout.split()
    assert row["run_sha256"] == about["run_sha256"] == shasum[0]
    assert row["judgments_sha256"] == found.about["judgments"]
    assert row["rankprism"] == rankprism.__version__
    assert json.loads(row["settings"])["topics"] == "judged"
    assert row["scored_at"].utcoffset().total_seconds() == 0


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_judgments_are_the_same_whatever_file_holds_them(tmp_path: Path) -> None:
    read = read_judgments(sample.QRELS)
    lines = sample.QRELS.read_text().splitlines(keepends=True)
    random.Random(1).shuffle(lines)
    (tmp_path / "other.txt").write_text("".join(lines))

    def sha256(judgments: Any) -> Any:
        folder = tmp_path / f"{len([*tmp_path.iterdir()])}"
        run = {"q": ["a"], "apple": ["apple-80"]}
        return evaluate_into(folder, judgments, run, "P@5").about["judgments"]

    assert sha256(read) == sha256(tmp_path / "other.txt") == sha256(read.to_frame("pyarrow"))
    others = [
        read_judgments(sample.QRELS, weights=sample.WEIGHTS),
        read_judgments(sample.QRELS, aspects="all"),
        read_judgments({"q": {"a": 1}}),
        read_judgments({"q": {"a": 2}}),
        read_judgments({"q": {"b": 1}}),
    ]
    assert len({sha256(read), *map(sha256, others)}) == 6


def test_the_sha256_of_a_run_in_memory_is_of_what_it_says() -> None:
    rows = [{"q": {"ab": 2.0, "c": 1.0}}, {"q": {"a": 2.0, "bc": 1.0}}, {"q": {"ab": 2.0, "c": 1.5}}]
    assert len({sha256_of(read_run(row)) for row in rows}) == 3
    assert sha256_of(read_run(rows[0])) == sha256_of(read_run([("q", "ab", 2.0), ("q", "c", 1.0)]))


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_runs_in_memory_and_in_tables_are_stored_too(tmp_path: Path) -> None:
    run = read_run(RUNS[0])
    for _ in range(2):
        found = evaluate_into(tmp_path / "memory", sample.QRELS, {"mine": run}, "P@10")
    assert states(found) == {"mine": "unchanged"}
    path = tmp_path / "several.parquet"
    frame = run.to_frame("pyarrow")
    pq.write_table(frame.append_column("run", [["twice"] * len(frame)]), path)
    assert states(evaluate_into(tmp_path / "table", sample.QRELS, [path], "P@10")) == {"twice": "new"}
    assert states(evaluate_into(tmp_path / "table", sample.QRELS, [path], "P@10")) == {"twice": "unchanged"}
    preferred = evaluate_into(tmp_path / "prefs", sample.PREFERENCES, RUNS[:1], "nPrf@10")
    assert preferred.states == ("new",)


def test_names_of_files_are_safe_and_differ_where_runs_do() -> None:
    names = ["a/b", "a b", "a_b", "..", ".hidden", "_spark", "", "x" * 500, "ü", "A"]
    found = [file_name(name) for name in names]
    assert len(set(found)) == len(names)
    for one in found:
        assert Path(one).name == one
        assert one[0] not in "._-"  # Spark leaves such files out
        assert len(one) < 120


def test_a_run_that_changes_while_it_is_read_is_not_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "a.run"
    run.write_bytes(RUNS[0].read_bytes())

    def interfering(*given: Any, **more: Any) -> Any:
        found = joined(*given, **more)
        run.write_bytes(RUNS[1].read_bytes())
        return found

    monkeypatch.setattr(rankprism.evaluation.score_folder.evaluate, "joined", interfering)
    with pytest.raises(InputError, match="a: the run changed while it was read; score it again"):
        evaluate_into(tmp_path / "scores", sample.QRELS, [run], "P@10")
    assert not list((tmp_path / "scores").glob("*.parquet"))


def test_a_file_of_somebody_else_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / file_name(RUNS[0].stem)
    for content in (b"hello", RUNS[0].read_bytes()):
        path.write_bytes(content)
        with pytest.raises(InputError, match="was not written by rankprism evaluate --into; move it"):
            evaluate_into(tmp_path, sample.QRELS, RUNS[:1], "P@10")
        assert path.read_bytes() == content
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be made a folder"):
        evaluate_into(tmp_path / "file", sample.QRELS, RUNS[:1], "P@10")


def test_bad_runs_do_not_keep_others_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if all runs that are scored at once are bad."""
    monkeypatch.setattr(rankprism.evaluation.score_folder.evaluate, "AT_ONCE", 1)
    bad = [tmp_path / f"bad{i}.run" for i in range(2)]
    for path in bad:
        path.write_text("one two\n")
    errors: dict[str, Exception] = {}
    folder = tmp_path / "scores"
    found = evaluate_into(folder, sample.QRELS, [*bad, RUNS[0]], "P@10", on_error=errors.setdefault)
    assert states(found) == {RUNS[0].stem: "new"}
    assert set(errors) == {"bad0", "bad1"}
    assert stored(folder) == computed(sample.QRELS, RUNS[:1], "P@10")
    with pytest.raises(InputError, match="none of the runs can be read"):
        evaluate_into(folder, sample.QRELS, bad, "P@10", on_error=errors.setdefault)


def test_the_command_scores_into_a_folder(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "bad.run").write_text("one two\n")
    words = ("evaluate", sample.QRELS, *RUNS, "-m", "P@10", "--into", tmp_path / "scores")
    first = cli(*words, tmp_path / "bad.run", "--keep-going", "--format", "json")
    assert first.returncode == 2
    assert first.stderr.splitlines()[-1] == "rankprism: 1 run is left out, and the others are scored"
    rows = json.loads(first.stdout)["rows"]
    assert [row["state"] for row in rows] == ["new"] * len(RUNS)
    second = cli(*words)
    assert (second.returncode, second.stderr) == (0, "")
    assert f"0 of {len(RUNS)} runs were scored" in second.stdout
    assert stored(tmp_path / "scores") == computed(sample.QRELS, RUNS, ["P@10"])
    refused = cli(*words, "--per-topic")
    assert refused.returncode == 2
    assert "--per-topic cannot be used with --into" in refused.stderr


# Several processes


def many_runs(folder: Path, number: int) -> list[Path]:
    """Small runs of the sample's topics."""
    judged = sample.QRELS.read_text().split()
    documents: dict[str, list[str]] = {}
    for topic, doc in zip(judged[::4], judged[2::4], strict=True):
        documents.setdefault(topic, []).append(doc)
    rng = np.random.default_rng(1)
    paths = []
    for i in range(number):
        lines = []
        for topic, docs in documents.items():
            for rank, doc in enumerate(dict.fromkeys(rng.choice(docs, 5).tolist())):
                lines.append(f"{topic} Q0 {doc} {rank + 1} {9 - rank} x\n")
        paths.append(folder / f"r{i:03}.run")
        paths[-1].write_text("".join(lines))
    return paths


CODE = """
import sys, warnings
import rankprism, rankprism.evaluation.score_folder.evaluate as evaluating
warnings.simplefilter("ignore")
evaluating.AT_ONCE = 3
folder, qrels, measures, *runs = sys.argv[1:]
rankprism.evaluate_into(folder, qrels, runs, measures)
"""


def begun(folder: Path, measures: str, runs: list[Path]) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-c", CODE, str(folder), str(sample.QRELS), measures, *map(str, runs)]
    return subprocess.Popen(words, env=os.environ | {"OPENBLAS_NUM_THREADS": "1"})


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_two_processes_at_once_lose_nothing(tmp_path: Path) -> None:
    """They share half of the runs, and score them with other measures."""
    runs = many_runs(tmp_path, 24)
    folder = tmp_path / "scores"
    processes = [begun(folder, "P@5 RR", runs[:16]), begun(folder, "RR StRecall@5", runs[8:])]
    assert [process.wait(120) for process in processes] == [0, 0]
    expected = computed(sample.QRELS, runs[:16], "P@5 RR") | computed(sample.QRELS, runs[8:], "RR StRecall@5")
    assert stored(folder) == expected
    assert not list(folder.glob(".*.part"))


@posix
@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_a_killed_process_leaves_a_readable_folder(tmp_path: Path) -> None:
    """It is killed three times while it writes, and then finishes."""
    runs = many_runs(tmp_path, 30)
    folder = tmp_path / "scores"
    expected = computed(sample.QRELS, runs, "P@5 RR")
    rng, before = random.Random(7), 0
    for _ in range(3):
        process = begun(folder, "P@5 RR", runs)
        started = time.monotonic()
        while len(list(folder.glob("*.parquet"))) < before + 3 and process.poll() is None:
            assert time.monotonic() - started < 60
            time.sleep(0.001)
        time.sleep(rng.random() * 0.02)
        process.send_signal(signal.SIGKILL)
        process.wait(60)
        found = stored(folder)
        assert found.items() <= expected.items()
        # A run is there with all its scores, or not at all.
        each = len(expected) // len(runs)
        assert len(found) == each * len({run for run, *_ in found})
        before = len(list(folder.glob("*.parquet")))
    left = folder / ".rankprism-scores-0123456789abcdef.part"  # as a killed process leaves it
    left.write_bytes(b"half a file")
    assert begun(folder, "P@5 RR", runs).wait(120) == 0
    assert stored(folder) == expected
    assert not list(folder.glob(".*.part"))
