"""Files that cannot be opened, things that are no files, and files that do not end."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from rankprism import InputError, RankprismWarning, evaluate, read_judgments, read_run
from rankprism.formats.files import MAX_UNPACKED, max_held

RUN = "q Q0 d1 1 2.0 r\nq Q0 d2 2 1.0 r\n"
QRELS = {"q": {"d1": 1}}
unix = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")


@contextmanager
def without_rights() -> Iterator[None]:
    """Root may read everything, so tests that run as root become somebody else for a while."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@unix
def test_missing_rights_loops_and_links_to_nothing_have_a_sentence_each() -> None:
    with TemporaryDirectory() as folder:  # not in the folder of pytest, which only its owner may open
        _check_rights(Path(folder))


def _check_rights(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    closed = tmp_path / "closed"
    closed.mkdir()
    (closed / "a.run").write_text(RUN)
    unreadable = tmp_path / "unreadable.run"
    unreadable.write_text(RUN)
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "link.run").symlink_to(tmp_path / "gone.run")
    closed.chmod(0o000)
    unreadable.chmod(0o000)
    says = {
        closed / "a.run": f"cannot be looked up, because you have no right to open the folder {closed}",
        closed: "is a folder that you have no right to list",
        unreadable: "cannot be opened (Permission denied)",
        tmp_path / "loop": "is a link that leads in a circle",
        tmp_path / "link.run": f"is a link to {tmp_path / 'gone.run'}, which does not exist",
        tmp_path / "none.run": "there is no such file",
        tmp_path / "a\0b": "there is no such file",
    }
    evaluate(QRELS, {"r": {"q": {"d1": 1.0}}}, "P@1")  # loads what is needed
    found = {}
    with without_rights():
        for path in says:
            with pytest.raises(InputError) as caught:
                evaluate(QRELS, path, "P@1")
            found[path] = str(caught.value)
    closed.chmod(0o755)
    for path, text in says.items():
        assert text in found[path], path


@unix
def test_a_pipe_in_a_folder_of_runs_is_left_out_with_a_note(tmp_path: Path) -> None:
    """It waited for ever."""
    (tmp_path / "a.run").write_text(RUN)
    os.mkfifo(tmp_path / "b.run")
    with pytest.warns(RankprismWarning, match="b.run is no file but a pipe, a socket or a device; left out"):
        assert evaluate(QRELS, tmp_path, "P@1").runs == ("a",)


def test_a_line_of_more_than_a_megabyte_is_refused(tmp_path: Path) -> None:
    for name, text in (
        ("long.run", RUN + "x" * 1_000_001),
        ("ends.run", RUN + "x" * 1_000_001 + "\n" + RUN.replace("q ", "z ")),
        ("packed.run.gz", RUN + "x" * 1_500_000),
    ):
        path = tmp_path / name
        if name.endswith(".gz"):
            path.write_bytes(gzip.compress(text.encode()))
        else:
            path.write_text(text)
        with pytest.raises(InputError, match=r"line 3: is longer than 1,000,000 bytes"):
            read_run(path).table.columns()
    path = tmp_path / "one-line.run"
    path.write_text("q Q0 " + "d" * 1_000_100 + " 1 2.0 r")
    with pytest.raises(InputError, match="line 1: is longer than 1,000,000 bytes"):
        read_run(path).table.columns()
    fits = tmp_path / "fits.run"
    fits.write_text("q Q0 " + "d" * 999_900 + " 1 2.0 r\n")
    assert len(read_run(fits).table.columns()[1][0]) == 999_900


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="there is no /dev/zero here")
def test_devices_that_never_end_are_refused_with_their_name(tmp_path: Path) -> None:
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("q 0 d1 1\n")
    for words in (("/dev/zero", qrels), (qrels, "/dev/zero")):
        command = [sys.executable, "-m", "rankprism", "evaluate", *map(str, words), "-m", "P@1"]
        found = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        assert found.returncode == 2
        assert "/dev/zero" in found.stderr
        assert found.stderr.count("\n") <= 2


def test_a_document_that_cannot_be_held_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankprism.formats.files.max_held", lambda: 100_000)
    big = json.dumps({f"q{i}": {f"d{j}": 1 for j in range(100)} for i in range(200)})
    plain, packed = tmp_path / "q.json", tmp_path / "q.json.gz"
    plain.write_text(big)
    packed.write_bytes(gzip.compress(big.encode()))
    for path in (plain, packed):
        with pytest.raises(
            InputError, match=r"q.json.*: holds more than 100,000 bytes, the most that is held"
        ):
            read_judgments(path)


def test_what_may_be_held_is_a_share_of_the_memory_unless_somebody_says_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(MAX_UNPACKED, raising=False)
    assert 1 << 28 <= max_held() <= 16 << 30
    monkeypatch.setenv(MAX_UNPACKED, "64G")
    assert max_held() == 64 << 30
