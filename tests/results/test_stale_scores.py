"""A folder of scores knows what is stale: other judgments and settings, damage, older layouts, and notes."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from rankprism import (
    InputError,
    RankprismWarning,
    check_score_folder,
    evaluate,
    evaluate_into,
    read_scores,
    sample,
)
from rankprism.evaluation.score_folder import FolderCheck, Stored
from rankprism.evaluation.score_folder.files import file_name

Cli = Callable[..., subprocess.CompletedProcess[str]]
NOISY, DIVERSIFIED, IDEAL = (
    sample.FOLDER / "runs" / f"{name}.run" for name in ("noisy", "diversified", "ideal")
)
RUNS = [NOISY, DIVERSIFIED]


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """The judgments of the sample with other grades on some topics."""
    lines = [line.split() for line in sample.QRELS.read_text().splitlines()]
    for line in lines:
        if line[0] < "m":
            line[3] = "0" if float(line[3]) > 0 else "1"
    path = tmp_path / "other.txt"
    path.write_text("".join(" ".join(line) + "\n" for line in lines))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the scores of two runs by P@5."""
    evaluate_into(tmp_path / "scores", sample.QRELS, RUNS, "P@5")
    return tmp_path / "scores"


def states(found: Stored | FolderCheck) -> dict[str, str]:
    return dict(zip(found.runs, found.states, strict=True))


def noted(function: Callable[..., Any], *given: Any, **options: Any) -> tuple[Any, list[str]]:
    """What a function returns, and the kinds of notes that it gives."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = function(*given, **options)
    return found, [str(warning.message).rpartition("[")[2].rstrip("]") for warning in caught]


def equal(folder: Path, judgments: Any, runs: list[Path], measures: list[str]) -> bool:
    """Whether a folder has the scores that `evaluate` computes, and no others."""
    found = read_scores(sorted(map(str, folder.glob("*.parquet"))))
    return found.per_topic() == evaluate(judgments, sorted(runs), found.measures).per_topic() and sorted(
        found.measures
    ) == sorted(measures)


# Jobs that share a folder


def test_other_judgments_and_another_measure_are_refused_and_nothing_is_lost(
    folder: Path, other: Path, cli: Cli
) -> None:
    message = (
        r"scores: 'noisy' \(1 more run is like that\) has scores by P@5, which belong to other judgments "
        r"or settings \(the judgments differ on \d+ topics.*Add -m P@5 to score them again, or score into"
    )
    with pytest.raises(InputError, match=message):
        evaluate_into(folder, other, RUNS, "RR@5")
    done = cli("evaluate", other, NOISY, "-m", "RR@5", "--into", folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Add -m P@5 to score them again, or score into another folder" in done.stderr
    with pytest.raises(InputError, match=r"order is score .* and rank \(this command\)"):
        evaluate_into(folder, sample.QRELS, RUNS, "RR@5", order="rank")
    assert equal(folder, sample.QRELS, RUNS, ["P@5"])
    assert set(evaluate_into(folder, other, RUNS, ["RR@5", "P@5"]).states) == {"judgments changed"}
    assert equal(folder, other, RUNS, ["P@5", "RR@5"])


@pytest.mark.parametrize("settings", [{}, {"order": "rank"}])
def test_two_jobs_that_undo_each_other_are_refused(folder: Path, other: Path, settings: Any) -> None:
    theirs = sample.QRELS if settings else other
    assert "unchanged" not in evaluate_into(folder, theirs, RUNS, "P@5", **settings).states
    with pytest.raises(InputError, match=r"which others replaced on 20.*give each a folder of its own"):
        evaluate_into(folder, sample.QRELS, RUNS, "P@5")
    assert set(evaluate_into(folder, theirs, RUNS, "P@5", **settings).states) == {"unchanged"}
    # Judgments that are new again are no return to old ones.
    newest = [line for line in sample.QRELS.read_text().splitlines() if not line.startswith("apple ")]
    folder.with_name("newest.txt").write_text("\n".join(newest) + "\n")
    with pytest.warns(RankprismWarning, match="unjudged-topics"):
        found = evaluate_into(folder, folder.with_name("newest.txt"), RUNS, "P@5", **settings)
    assert set(found.states) == {"judgments changed"}


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_jobs_with_judgments_and_with_preferences_share_a_folder(folder: Path) -> None:
    preferred = evaluate_into(folder, sample.PREFERENCES, RUNS, "nPrf@5")
    assert set(preferred.states) == {"more measures"}
    assert set(evaluate_into(folder, sample.QRELS, RUNS, "P@5").states) == {"unchanged"}
    both = evaluate(sample.QRELS, sorted(RUNS), ["P@5", "nPrf@5"], preferences=sample.PREFERENCES)
    assert read_scores(sorted(map(str, folder.glob("*.parquet")))).per_topic() == both.per_topic()
    assert set(check_score_folder(folder).states) == {"current"}


def test_what_else_a_changed_run_had_is_scored_again(tmp_path: Path) -> None:
    run = tmp_path / "a.run"
    shutil.copy(NOISY, run)
    evaluate_into(tmp_path / "scores", sample.QRELS, [run], ["P@5", "RR@5"])
    shutil.copy(DIVERSIFIED, run)
    found, kinds = noted(evaluate_into, tmp_path / "scores", sample.QRELS, [run], "RR@5")
    assert (states(found), kinds) == ({"a": "changed"}, ["run-changed"])
    assert equal(tmp_path / "scores", sample.QRELS, [run], ["P@5", "RR@5"])


def test_scores_by_a_measure_that_is_unknown_here_are_removed_with_a_note(tmp_path: Path) -> None:
    run = tmp_path / "a.run"
    shutil.copy(NOISY, run)
    evaluate_into(tmp_path / "scores", sample.QRELS, [run], ["P@5", "RR@5"])
    path = tmp_path / "scores" / file_name("a")
    rewritten(path, lambda text: text.replace("RR@5", "mine"))
    shutil.copy(DIVERSIFIED, run)
    with pytest.warns(RankprismWarning) as caught:
        evaluate_into(tmp_path / "scores", sample.QRELS, [run], "P@5")
    assert any("scores by mine were out of date and are removed" in str(one.message) for one in caught)
    assert read_scores(path).measures == ("P@5",)


def rewritten(path: Path, change: Callable[[str], str]) -> None:
    """Write a file again with other metadata and a new checksum."""
    from rankprism.text.checksum import BLANK, KEY, checksummed

    table = pq.read_table(path)
    metadata = {k: change(v.decode()).encode() for k, v in table.schema.metadata.items()} | {KEY: BLANK}
    measures = [change(name) for name in table.column("measure").to_pylist()]
    at = table.schema.get_field_index("measure")
    table = table.set_column(at, "measure", [measures]).replace_schema_metadata(metadata)
    pq.write_table(table, path)
    path.write_bytes(b"".join(checksummed([path.read_bytes()])))


def test_a_redefined_measure_is_scored_again(tmp_path: Path, cli: Cli) -> None:
    own, folder = tmp_path / "own.toml", tmp_path / "scores"
    for recipe, state in (('{"P@10" = 1.0}', "new"), ('{"P@5" = 1.0}', "measure redefined")):
        own.write_text(f"[stale_even]\nmix = {recipe}\n")
        words = ("-m", "stale_even", "-m", "RR@5", "--measures", own, "--into", folder, "--format", "json")
        rows = json.loads(cli("evaluate", sample.QRELS, *RUNS, *words).stdout)["rows"]
        assert [row["state"] for row in rows] == [state, state]
    five = evaluate(sample.QRELS, RUNS, "P@5").mean()
    means = read_scores(sorted(map(str, folder.glob("*.parquet")))).mean()
    for run, by_measure in five.items():
        assert means[run]["stale_even"] == pytest.approx(by_measure["P@5"])


# Damage


def test_all_flipped_bits_are_found_and_their_runs_scored_again(folder: Path) -> None:
    path, rng = folder / file_name("noisy"), random.Random(0)
    data = path.read_bytes()
    for _ in range(25):
        at = rng.randrange(4, len(data))
        path.write_bytes(data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :])
        assert states(check_score_folder(folder)) == {"diversified": "current", path.stem: "damaged"}
        with pytest.raises(InputError, match=r"noisy-.*\.parquet: is damaged.*compute it again"):
            read_scores(str(path))
        found, kinds = noted(evaluate_into, folder, sample.QRELS, RUNS, "P@5")
        assert states(found) == {"noisy": "damaged", "diversified": "unchanged"}
        assert kinds == ["damaged-scores"]
    assert equal(folder, sample.QRELS, RUNS, ["P@5"])


@pytest.mark.parametrize("left", [b"", bytes(4096), b"half", b"all but the end"])
def test_what_a_power_failure_leaves_is_scored_again(folder: Path, left: bytes) -> None:
    path = folder / file_name("noisy")
    data = path.read_bytes()
    path.write_bytes({b"half": data[: len(data) // 2], b"all but the end": data[:-9]}.get(left, left))
    found, _ = noted(evaluate_into, folder, sample.QRELS, RUNS, "P@5")
    assert states(found)["noisy"] == "damaged"
    assert equal(folder, sample.QRELS, RUNS, ["P@5"])


def test_files_of_an_older_layout_are_scored_again_by_all_their_measures(folder: Path) -> None:
    evaluate_into(folder, sample.QRELS, RUNS, ["P@5", "RR@5"])
    for path in folder.glob("*.parquet"):
        table = pq.read_table(path)
        about: dict[str, Any] = {"judgments": "ab", "run": "cd", "settings": "{}", "version": "0.0.9"}
        about |= {"measures": ["P@5", "RR@5"], "conventions": {}}
        pq.write_table(table.replace_schema_metadata({b"rankprism": json.dumps(about)}), path)
    assert set(check_score_folder(folder).states) == {"older layout"}
    assert set(evaluate_into(folder, sample.QRELS, RUNS, "P@5").states) == {"older layout"}
    assert set(check_score_folder(folder).states) == {"current"}
    assert equal(folder, sample.QRELS, RUNS, ["P@5", "RR@5"])


# Notes


def test_notes_travel_with_scores(tmp_path: Path, cli: Cli) -> None:
    """A run of which no document is judged is noted on the second night, and by every reader."""
    lines = [line.split() for line in DIVERSIFIED.read_text().splitlines()]
    for name in "ab":
        text = "".join(" ".join([t, q, f"{name}{doc}", *rest]) + "\n" for t, q, doc, *rest in lines)
        (tmp_path / f"{name}.run").write_text(text)
    runs = [tmp_path / "a.run", NOISY, tmp_path / "b.run"]
    for _ in range(2):
        _, kinds = noted(evaluate_into, tmp_path / "scores", sample.QRELS, runs, "P@5")
        assert kinds == ["unmatched-run"]
    paths = sorted(map(str, (tmp_path / "scores").glob("*.parquet")))
    scores, kinds = noted(read_scores, paths)
    assert kinds == ["unmatched-run"]
    (note,) = scores.conventions["notes"]
    assert note["message"].startswith("'a': none of its documents is judged")
    assert note["message"].endswith("; 1 other has such a note: 'b'")
    assert note["runs"] == ["a", "b"]
    assert noted(read_scores, paths[2])[1] == []  # of noisy alone
    for kind in ("parquet", "json"):
        whole = tmp_path / f"whole.{kind}"
        content = scores.to_parquet() if kind == "parquet" else scores.to_json().encode()
        whole.write_bytes(content)
        assert noted(read_scores, whole)[1] == ["unmatched-run"]
    for command in ("leaderboard", "compare"):  # which refuse to rank such a run
        done = cli(command, *paths)
        assert done.returncode == 2
        assert "'a': none of its documents is judged" in done.stderr
    drawn = cli("plot", "intervals", *paths, "-o", tmp_path / "means.svg")
    assert "[unmatched-run]" in drawn.stderr


def test_a_note_stays_only_with_the_run_that_it_is_about(tmp_path: Path) -> None:
    short = [line for line in NOISY.read_text().splitlines(keepends=True) if not line.startswith("apple ")]
    for name in ("a", "b"):
        (tmp_path / f"{name}.run").write_text("".join(short))
    runs = [tmp_path / "a.run", tmp_path / "b.run"]
    assert noted(evaluate_into, tmp_path / "s", sample.QRELS, runs, "P@5")[1] == ["missing-topics"]
    shutil.copy(NOISY, runs[0])
    _, kinds = noted(evaluate_into, tmp_path / "s", sample.QRELS, runs, "P@5")
    assert sorted(kinds) == ["missing-topics", "run-changed"]
    (note,) = noted(read_scores, sorted(map(str, (tmp_path / "s").glob("*.parquet"))))[0].conventions["notes"]
    assert "'b'" in note["message"]
    assert "'a'" not in note["message"]


# The list, and what it moves away


def test_stale_files_are_listed_and_moved_away(folder: Path, other: Path, cli: Cli) -> None:
    _, kinds = noted(evaluate_into, folder, other, [IDEAL], "P@5")
    assert kinds == ["stale-scores"]
    with pytest.raises(InputError, match="the judgments differ"):
        read_scores(sorted(map(str, folder.glob("*.parquet"))))
    (folder / "mine.parquet").write_bytes(evaluate(sample.QRELS, [NOISY], "P@5").to_parquet())
    expected = {"diversified": "other judgments", "ideal": "current", "noisy": "other judgments"}
    assert states(check_score_folder(folder)) == expected | {"mine": "foreign"}
    (folder / "mine.parquet").unlink()
    listed = cli("scores", folder, "--format", "json")
    assert listed.returncode == 3
    assert {row["run"]: row["state"] for row in json.loads(listed.stdout)["rows"]} == expected
    pruned = cli("scores", folder, "--prune")
    assert pruned.returncode == 0
    assert "2 of 3 files were moved to" in pruned.stdout
    assert sorted(path.name for path in Path(f"{folder}-stale").iterdir()) == [
        file_name("diversified"),
        file_name("noisy"),
    ]
    assert cli("scores", folder).returncode == 0
    assert equal(folder, other, [IDEAL], ["P@5"])


def test_every_state_of_a_file(folder: Path) -> None:
    assert states(check_score_folder(folder, [NOISY])) == {"noisy": "current", "diversified": "retired"}
    shutil.copy(folder / file_name("noisy"), folder / "copy.parquet")
    assert "another file name" in check_score_folder(folder).states
    check_score_folder(folder, prune=True)
    assert len(list(folder.glob("*.parquet"))) == 2
    shutil.copy(folder / file_name("noisy"), folder / "copy.parquet")
    moved = check_score_folder(folder, prune=True)  # a file of this name is there already
    assert moved.moved_to == f"{folder}-stale"
    assert sorted(path.name for path in Path(moved.moved_to).iterdir()) == ["copy.2.parquet", "copy.parquet"]
    fewer = [line for line in sample.QRELS.read_text().splitlines() if not line.startswith("apple ")]
    folder.with_name("fewer.txt").write_text("\n".join(fewer) + "\n")
    found, _ = noted(evaluate_into, folder, folder.with_name("fewer.txt"), [NOISY], "P@5")
    assert set(found.states) == {"judgments changed"}
    assert set(check_score_folder(folder).states) == {"current"}  # equal judgments where they share topics
    with pytest.raises(InputError, match="give each a folder of its own"):
        evaluate_into(folder, sample.QRELS, [NOISY], "P@5")
    assert noted(evaluate_into, folder, sample.QRELS, [DIVERSIFIED, IDEAL], "P@5")[1] == ["stale-scores"]
    assert states(check_score_folder(folder))["noisy"] == "fewer topics"


def test_what_is_no_folder_of_scores_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nowhere: is not a folder; name one that evaluate --into has made"):
        check_score_folder(tmp_path / "nowhere")
    with pytest.raises(InputError, match="has no scores; name a folder that evaluate --into has made"):
        check_score_folder(tmp_path)


# The page on nightly jobs

#: What prepares or is a part of the night, among all commands of the page.
NIGHTLY = re.compile(r"rankprism (demo|scores|evaluate .*--into)|(cp|mv|rm|sed -i|printf|echo) ")


def test_the_commands_of_the_nightly_page_give_the_right_board(tmp_path: Path, commands: Path) -> None:
    """Through a changed run, new judgments, two retired runs, a redefined measure and a damaged file."""
    page = Path(__file__).parents[2].joinpath("docs", "nightly.md").read_text(encoding="utf-8")
    lines = [line[2:] for line in page.splitlines() if line.startswith("$ ") and NIGHTLY.match(line[2:])]
    environment = os.environ | {"PATH": f"{commands}{os.pathsep}{os.environ['PATH']}"}
    seen = []
    for line in lines:
        done = subprocess.run(
            ["bash", "-c", line], cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert "Traceback" not in done.stderr
        if done.returncode or not line.startswith("rankprism") or " demo " in line or "other.txt" in line:
            continue
        if any(state != "current" for state in check_score_folder(tmp_path / "scores").states):
            continue  # a later line moves them away
        paths = sorted(map(str, (tmp_path / "scores").glob("*.parquet")))
        found, _ = noted(read_scores, paths)
        runs = sorted((tmp_path / "sample" / "runs").glob("*.run"))
        expected, _ = noted(
            evaluate, tmp_path / "sample" / "qrels.txt", runs, ["nDCG@10", "alpha_nDCG@10", "P@10"]
        )
        means = found.mean()
        for run, mean in expected.mean().items():
            assert means[run]["nDCG@10"] == pytest.approx(mean["nDCG@10"], abs=1e-12)
            assert means[run]["alpha_nDCG@10"] == pytest.approx(mean["alpha_nDCG@10"], abs=1e-12)
        if "redefined" in done.stdout:
            mix = {run: 0.8 * mean["nDCG@10"] + 0.2 * mean["P@10"] for run, mean in expected.mean().items()}
            assert {run: mean["ours"] for run, mean in means.items()} == pytest.approx(mix)
        seen.append(line.split()[1])
    assert seen == ["evaluate", "evaluate", "scores", "scores", "evaluate", "evaluate", "scores", "evaluate"]
