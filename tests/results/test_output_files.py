"""Where output goes: links, devices, pipes, standard output; and what is left when writing fails."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rankprism import InputError, evaluate, evaluate_into, sample
from rankprism.cli import demo
from rankprism.formats import conversion, files, output_files
from rankprism.showing.plots import output
from tests.support.machine import posix

RUNS = [str(run) for run in sample.RUNS[:2]]
EVALUATE = ("evaluate", sample.QRELS, *RUNS, "-m", "P@5", "--format", "csv")
MEANS = evaluate(sample.QRELS, RUNS, "P@5").mean()
CSV = "run,topic,measure,score\n" + "".join(f"{run},all,P@5,{row['P@5']}\n" for run, row in MEANS.items())


@posix
def test_a_link_stays_and_its_target_is_replaced(cli: Callable[..., Any], tmp_path: Path) -> None:
    target, link = tmp_path / "scores.csv", tmp_path / "link.csv"
    target.write_text("old")
    link.symlink_to(target.name)
    assert cli(*EVALUATE, "-o", link).returncode == 0
    assert link.is_symlink()
    assert target.read_text() == CSV
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.csv", "scores.csv"]


@posix
def test_a_link_to_nothing_makes_what_it_points_to(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    link = tmp_path / "link"
    link.symlink_to("folder/new")
    output_files.write_files({link: b"text"})
    assert link.is_symlink()
    assert (tmp_path / "folder" / "new").read_bytes() == b"text"
    link.unlink()
    link.symlink_to("nowhere/new")
    with pytest.raises(InputError, match=r"link: the folder .*nowhere does not exist"):
        output_files.write_files({link: b"text"})


@posix
def test_a_link_to_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(InputError, match="leads back to itself"):
        output_files.write_files({tmp_path / "a": b"text"})
    assert (tmp_path / "a").is_symlink()


@pytest.fixture
def device(tmp_path: Path) -> Path:
    """A device that can be spared: a test that fails, run by root, must not replace one of the system's."""
    if os.geteuid() != 0:
        return Path("/dev/null")
    own = tmp_path / "null"
    try:
        os.mknod(own, stat.S_IFCHR | 0o666, Path("/dev/null").stat().st_rdev)
    except OSError as error:
        pytest.skip(f"devices cannot be made here ({error.strerror})")
    return own


@posix
def test_a_device_is_written_to_as_it_is(device: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(device)
    for path in (device, link):
        assert not output_files.replaces_file(path)
        output_files.write_files({path: b"text"})
    assert stat.S_ISCHR(device.lstat().st_mode)
    assert link.is_symlink()


@posix
def test_a_pipe_is_written_to_as_it_is(cli: Callable[..., Any], tmp_path: Path) -> None:
    pipe, found = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: found.append(pipe.read_text()), daemon=True)
    reader.start()
    assert cli(*EVALUATE, "-o", pipe).returncode == 0
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    reader.join(timeout=60)
    assert found == [CSV]


@posix
@pytest.mark.parametrize(
    ("path", "number"),
    [("/dev/stdout", 1), ("/dev/stderr", 2), ("/dev/fd/7", 7), ("/proc/self/fd/1", 1), ("/dev/null", None)],
)
def test_names_of_descriptors_are_known(path: str, number: int | None, tmp_path: Path) -> None:
    """Only asked, never written to, because root could damage the system with it."""
    link = tmp_path / "link"
    link.symlink_to(path)
    for name in (path, link):
        assert output_files._descriptor(name) == number
        assert not output_files.replaces_file(name)


@posix
@pytest.mark.skipif(not Path("/proc/self/fd/1").exists(), reason="this system has no /proc")
@pytest.mark.parametrize("path", ["/proc/self/fd/1", "link", "-"])
def test_what_the_shell_has_open_is_never_replaced(
    path: str, rankprism_command: Path, tmp_path: Path
) -> None:
    """What others write to the same file must stay. Nobody can replace files in /proc, not even root."""
    (tmp_path / "link").symlink_to("/proc/self/fd/1")
    words = " ".join(f"'{word}'" for word in (rankprism_command, *EVALUATE, "-o", path))
    script = f"(echo before; {words}; echo after) > all.txt"
    subprocess.run(["bash", "-c", script], check=True, cwd=tmp_path, timeout=60)
    assert (tmp_path / "all.txt").read_text() == f"before\n{CSV}after\n"


@posix
def test_an_existing_file_keeps_its_mode_and_a_new_one_follows_the_umask(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("old")
    old.chmod(0o640)
    before = os.umask(0o027)
    try:
        output_files.write_files({old: b"a", new: b"b"})
    finally:
        os.umask(before)
    assert [stat.S_IMODE(path.stat().st_mode) for path in (old, new)] == [0o640, 0o640]
    old.chmod(0o604)
    output_files.write_files({old: b"c"})
    assert stat.S_IMODE(old.stat().st_mode) == 0o604


def test_a_read_only_file_is_refused_before_any_work_is_done(cli: Callable[..., Any], tmp_path: Path) -> None:
    out = tmp_path / "scores.csv"
    out.write_text("precious")
    out.chmod(0o444)
    result = cli("evaluate", "no-such-file", "none", "-m", "P@5", "-o", out)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith(f"rankprism: {out}: is read-only; allow writing to it (chmod u+w)")
    assert out.read_text() == "precious"
    with pytest.raises(InputError, match="is read-only"):
        output_files.write_files({tmp_path / "other": b"x", out: b"y"})
    assert [path.name for path in tmp_path.iterdir()] == ["scores.csv"]


@posix  # Windows counts the characters of the whole path
def test_a_name_as_long_as_the_system_allows_can_be_written(tmp_path: Path) -> None:
    out = tmp_path / ("x" * 255)
    output_files.write_files({out: b"text"})
    assert out.read_bytes() == b"text"


def test_temporary_names_cannot_be_guessed(tmp_path: Path) -> None:
    with output_files.removed_unless_finished() as temporary:
        names = {temporary(tmp_path).name for _ in range(100)}
    assert len(names) == 100
    assert not any(str(os.getpid()) == part for name in names for part in name.split("."))


def test_of_several_files_all_are_written_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "a"
    kept.write_text("old")

    def full(target: Path, temporary: Path, data: bytes) -> None:
        temporary.write_bytes(data[:1])
        if data == b"second":
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(output_files, "_write_beside", full)
    with pytest.raises(InputError, match=r"b: cannot be written \(No space left on device\)"):
        output_files.write_files({kept: b"first", tmp_path / "b": b"second"})
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert kept.read_text() == "old"


@posix
@pytest.mark.parametrize("kind", [signal.SIGTERM, signal.SIGINT, "SIGHUP"])
def test_nothing_is_left_after_a_signal(kind: Any, tmp_path: Path) -> None:
    number = getattr(signal, kind) if isinstance(kind, str) else kind
    # Whoever started the tests may have told their processes to ignore the signal, as nohup does.
    heard = "signal.default_int_handler" if number == signal.SIGINT else "signal.SIG_DFL"
    code = (
        "import os, signal, time\n"
        "from rankprism.formats import output_files\n"
        f"signal.signal({int(number)}, {heard})\n"
        "def slow(a, b): print('ready', flush=True); time.sleep(60)\n"
        "os.replace = slow\n"
        "output_files.write_files({'scores.csv': b'text'})\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    assert len(list(tmp_path.iterdir())) == 1  # the temporary file
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode in (128 + number, -number)
    assert list(tmp_path.iterdir()) == []


def test_a_file_and_its_folder_are_on_the_disk_before_the_call_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []

    def synced(number: int) -> None:
        done.append(f"sync {'folder' if stat.S_ISDIR(os.fstat(number).st_mode) else 'file'}")

    def replaced(source: Any, target: Any) -> None:
        done.append("replace")
        os.rename(source, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    output_files.write_files({tmp_path / "a": b"a", tmp_path / "b": b"b"})
    folder = ["sync folder"] if os.name == "posix" else []
    assert done == ["sync file", "sync file", "replace", "replace", *folder]


def test_an_unfinished_file_survives_a_process_that_scores_into_its_folder(tmp_path: Path) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"first half, "
        evaluate_into(tmp_path, sample.QRELS, RUNS[0], "P@5")
        yield b"second half"

    output_files.write_files({tmp_path / "out": pieces()})
    assert (tmp_path / "out").read_bytes() == b"first half, second half"


def test_signals_are_as_before_after_writing(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGTERM)
    output_files.write_files({tmp_path / "a": b"text"})
    assert signal.getsignal(signal.SIGTERM) is before
    worker = threading.Thread(target=output_files.write_files, args=({tmp_path / "b": b"text"},))
    worker.start()
    worker.join()
    assert (tmp_path / "b").read_bytes() == b"text"  # other threads may write, too


def test_dash_is_standard_output_for_every_command(cli: Callable[..., Any], tmp_path: Path) -> None:
    scores = tmp_path / "scores.csv"
    assert cli(*EVALUATE, "--per-topic", "-o", scores).returncode == 0
    qrels = (sample.QRELS, *RUNS, "-m", "P@5")
    for command, start in (
        (EVALUATE, "run,topic"),
        (("compare", *qrels, "--format", "json"), "{"),
        (("axioms", "RBP", "-c", "Pri", "--instances", "5", "--format", "csv"), "row,measure,"),
        (("plot", "heatmap", scores, "-m", "P@5"), "<svg"),
    ):
        result = cli(*command, "-o", "-")
        assert (result.returncode, result.stderr) == (0, "")
        assert result.stdout.startswith(start)
    assert not (tmp_path / "-").exists()


def test_a_plot_on_standard_output_takes_a_format(
    rankprism_command: Path, cli: Callable[..., Any], tmp_path: Path
) -> None:
    scores = tmp_path / "scores.csv"
    assert cli(*EVALUATE, "--per-topic", "-o", scores).returncode == 0
    command = [rankprism_command, "plot", "heatmap", scores, "-m", "P@5", "-o", "-", "--format", "png"]
    assert subprocess.run([*map(str, command)], capture_output=True, check=True).stdout.startswith(b"\x89PNG")
    both = cli("compare", scores, "--plot", "-")
    assert (both.returncode, both.stdout) == (2, "")
    assert "cannot both go to standard output; name a file with -o" in both.stderr
    one = cli("compare", scores, "--plot", "-", "-o", tmp_path / "table.txt")
    assert one.stdout.startswith("<svg")
    assert (tmp_path / "table.txt").exists()


def test_convert_writes_to_standard_output_and_says_what_it_did_elsewhere(cli: Callable[..., Any]) -> None:
    result = cli("convert", sample.RUNS[0], "-", "--run", "--to", "evall")
    assert result.stdout.splitlines()[0].split("\t")[0] == f'"{sample.RUNS[0].read_text().split()[0]}"'
    assert result.stderr.startswith(f"-: {len(result.stdout.splitlines())} lines, evall\n")


@posix
@pytest.mark.parametrize("out", ["-", "pipe"])
def test_convert_writes_no_weights_if_the_output_is_not_a_file(out: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    target = out if out == "-" else tmp_path / out
    with pytest.raises(InputError, match="the weights go to a second file"):
        conversion.convert(sample.QRELS, target, to="diversity", weights=sample.WEIGHTS)
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def test_the_sample_is_saved_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = Path.write_bytes
    written: list[Path] = []

    def full(path: Path, data: bytes) -> int:
        if len(written) == 3:
            write(path, data[:10])
            raise OSError(28, "No space left on device", str(path))
        written.append(path)
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(
        InputError, match=r"sample: cannot be written \(No space left on device\); nothing was left"
    ):
        demo.copy_sample(tmp_path / "sample")
    assert list(tmp_path.iterdir()) == []
    monkeypatch.undo()
    assert "The sample collection is in" in demo.copy_sample(tmp_path / "sample")
    assert (tmp_path / "sample" / "runs" / "ideal.run").read_bytes() == sample.RUNS[0].read_bytes()
    with pytest.raises(InputError, match=r"the folder .*nowhere does not exist; create it first"):
        demo.copy_sample(tmp_path / "nowhere" / "sample")


@posix
def test_the_sample_on_a_file_system_without_room(rankprism_command: Path, tmp_path: Path) -> None:
    """A limit on the size of files, of 4 KiB or 8, stands for a full disk."""
    command = f"trap '' XFSZ; ulimit -f 8; '{rankprism_command}' demo --save sample"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "rankprism: sample: cannot be written (File too large); nothing was left there\n"
    assert list(tmp_path.iterdir()) == []


@posix
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("arguments", [EVALUATE, EVALUATE[:-2], ("--help",), ("measures",), ("demo",)])
def test_a_full_standard_output_is_an_error(arguments: Any, rankprism_command: Path) -> None:
    with open("/dev/full", "wb") as full:
        command = [rankprism_command, *arguments]
        result = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert result.returncode == 2
    assert result.stderr == "rankprism: standard output: cannot be written (No space left on device)\n"


@posix
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_cannot_be_read_is_not_called_unwritable(cli: Callable[..., Any], tmp_path: Path) -> None:
    secret = tmp_path / "q.txt"
    secret.write_text("1 0 d 1\n")
    secret.chmod(0)
    result = cli("evaluate", secret, *RUNS, "-m", "P@5")
    assert result.returncode == 2
    assert "cannot be opened (Permission denied)" in result.stderr


def test_reading_fails_with_the_right_verb(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Broken:
        class buffer:
            @staticmethod
            def read1(size: int) -> bytes:
                raise OSError(5, "Input/output error")

    monkeypatch.setattr(sys, "stdin", Broken())
    with pytest.raises(InputError, match=r"standard input: cannot be read \(Input/output error\)"):
        _ = files.File("-").data


def test_charts_go_where_files_go(tmp_path: Path) -> None:
    class Chart:
        def to_dict(self) -> dict[str, str]:
            return {}

        def save(self, file: Any, **_: object) -> None:
            file.write("<svg>")

    out = tmp_path / "chart.svg"
    out.write_text("old")
    out.chmod(0o444)
    with pytest.raises(InputError, match="is read-only"):
        output.save(Chart(), out)
    out.chmod(0o644)
    output.save(Chart(), out)
    assert out.read_text() == "<svg>"
    with pytest.raises(InputError, match="format must be one of html, svg, png, pdf; got 'gif'"):
        output.save(Chart(), "-", "gif")
