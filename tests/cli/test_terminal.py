"""The command line in real terminals: other encodings, closed streams, hostile names, Ctrl-C."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankprism
from rankprism import InputError, RankprismWarning, Scores, plots, sample
from rankprism.cli import explained, main, streams
from rankprism.cli.output import write_in
from rankprism.errors import install
from rankprism.results.outputs import SCORE_FORMATS, written
from rankprism.results.table import Table
from rankprism.text.foreign import _UNSAFE, LONGEST, as_utf8, message, shortened, shown, shown_lines
from tests.support.machine import posix

HOSTILE = "red\x1b[31m\x9b2J\u202egnp\x07"
VISIBLE = r"red\x1b[31m\x9b2J\u202egnp\x07"
RUNS = [str(run) for run in sample.RUNS[:3]]


def run_in(environment: dict[str, str], *command: object) -> subprocess.CompletedProcess[bytes]:
    kept = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "PYTHONUTF8", "PYTHONIOENCODING")}
    return subprocess.run([*map(str, command)], capture_output=True, env=kept | environment)


# --- encodings

C_LOCALE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
ENCODINGS = [
    ({"PYTHONIOENCODING": "ascii"}, "ascii"),
    ({"PYTHONIOENCODING": "cp1252"}, "cp1252"),
    # On Windows, LC_ALL says nothing about the encoding.
    pytest.param(C_LOCALE, "ascii", marks=posix),
]


@pytest.mark.parametrize(("environment", "encoding"), ENCODINGS, ids=["ascii", "cp1252", "C"])
@pytest.mark.parametrize(
    ("command", "says"),
    [
        (("compare", sample.QRELS, *RUNS, "-m", "P@5"), "1.0000^bc"),
        (("axioms", "RBU", "-c", "Conf", "--instances", "5"), "# proved"),
        (("measures", "alpha_nDCG"), "alpha-nDCG@k = Sum_{i<=k}"),
        (("meta", "--help"), "Usage: rankprism meta"),
    ],
    ids=["table", "signs", "formula", "help"],
)
def test_any_encoding_shows_plain_signs(
    environment: dict[str, str], encoding: str, command: Any, says: str, rankprism_command: Path
) -> None:
    result = run_in(environment, rankprism_command, *command)
    assert (result.returncode, result.stderr) == (0, b"")
    assert says in result.stdout.decode(encoding)


def test_errors_and_notes_are_shown_in_any_encoding(rankprism_command: Path, tmp_path: Path) -> None:
    (tmp_path / "q").write_text("1 a ünïcode 1\n", encoding="utf-8")
    (tmp_path / "r").write_text("1 Q0 α 1 1 t\n1 Q0 α 2 1 t\n", encoding="utf-8")
    result = run_in(
        {"PYTHONIOENCODING": "ascii"},
        rankprism_command,
        "evaluate",
        tmp_path / "q",
        tmp_path / "r",
        "-m",
        "P",
    )
    assert result.returncode == 2
    assert "document 'alpha' occurs twice in topic '1'" in result.stderr.decode("ascii")


def test_the_columns_of_a_table_stay_in_line_with_plain_signs() -> None:
    text = "run  P@5      RR\na    0.1ᵇᶜ    0.2\nb    0.3      0.4α   1\n"
    codec = text.encode("ascii", errors=streams._HANDLER).decode("ascii")
    lines = codec.splitlines()
    assert lines[1] == "a    0.1^bc   0.2"
    assert len({line.index(x) for line, x in zip(lines, ("RR", "0.2", "0.4"), strict=True)}) == 1


@given(st.text())
def test_any_text_can_be_made_plain(text: str) -> None:
    assert streams.plain(text).isascii()
    for encoding in ("ascii", "cp1252", "shift_jis", "utf-8"):
        text.encode(encoding, errors=streams._HANDLER)


def test_what_machines_read_is_utf8_in_any_encoding(rankprism_command: Path, tmp_path: Path) -> None:
    run = tmp_path / "größe-α.run"
    run.write_bytes(sample.RUNS[0].read_bytes())
    for format in ("csv", "json"):
        command = ("evaluate", sample.QRELS, run, "-m", "P@5", "--format", format)
        result = run_in({"PYTHONIOENCODING": "cp1252"}, rankprism_command, *command)
        assert "größe-α" in result.stdout.decode("utf-8")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems allow only UTF-8 in file names")
@pytest.mark.parametrize("environment", [{}, C_LOCALE], ids=["UTF-8", "C"])
def test_file_names_that_are_not_utf8_work(
    environment: dict[str, str], rankprism_command: Path, tmp_path: Path
) -> None:
    folder = os.fsencode(tmp_path)
    names = {name: folder + b"/" + name for name in (b"q\xe9.txt", b"caf\xe9.run", b"out\xe9.csv", b"no\xe9")}
    Path(os.fsdecode(names[b"q\xe9.txt"])).write_bytes(sample.QRELS.read_bytes())
    Path(os.fsdecode(names[b"caf\xe9.run"])).write_bytes(sample.RUNS[0].read_bytes())
    words = [os.fsencode(rankprism_command), b"evaluate", names[b"q\xe9.txt"], names[b"caf\xe9.run"]]
    kept = {k: v for k, v in os.environ.items() if k not in ("PYTHONUTF8", "PYTHONIOENCODING")} | environment
    command = [*words, b"-m", b"P@5", b"-o", names[b"out\xe9.csv"]]
    result = subprocess.run(command, capture_output=True, env=kept)
    assert (result.returncode, result.stderr) == (0, b"")
    written = Path(os.fsdecode(names[b"out\xe9.csv"])).read_text(encoding="utf-8")
    assert written.splitlines()[1] == r"caf\xe9,all,P@5,1.0"
    command = [*words[:2], names[b"no\xe9"], names[b"caf\xe9.run"], b"-m", b"P"]
    result = subprocess.run(command, capture_output=True, env=kept)
    assert result.returncode == 2
    assert rb"no\xe9: there is no such file; check the path" in result.stderr


# --- closed streams


@posix
@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("evaluate {qrels} {run} -m P@5 >&-", "standard output: is closed; name a file with -o"),
        ("evaluate {qrels} {run} -m P@5 --format csv >&-", "standard output: is closed; name a file with -o"),
        ("measures >&-", "standard output: is closed; name a file with -o"),
        ("evaluate {qrels} - -m P@5 <&-", "standard input: is closed; name a file instead of -"),
    ],
)
def test_a_closed_stream_is_said_in_one_line(command: str, says: str, rankprism_command: Path) -> None:
    words = f"'{rankprism_command}' " + command.format(qrels=sample.QRELS, run=RUNS[0])
    result = subprocess.run(["bash", "-c", words], capture_output=True, text=True)
    assert result.returncode == 2
    assert result.stderr.startswith(f"rankprism: {says}")
    assert len(result.stderr.splitlines()) == 1


@posix
def test_closed_streams_that_nobody_needs_do_no_harm(rankprism_command: Path, tmp_path: Path) -> None:
    """A file that is opened while standard output is closed must not become standard output."""
    out = tmp_path / "scores.csv"
    words = f"'{rankprism_command}' evaluate {sample.QRELS} {RUNS[0]} -m P@5 -o {out} <&- >&- 2>&-"
    assert subprocess.run(["bash", "-c", words]).returncode == 0
    assert out.read_text().splitlines() == ["run,topic,measure,score", "ideal,all,P@5,1.0"]


# --- foreign text


def test_foreign_text_is_shown_without_commands_to_the_terminal() -> None:
    assert shown(HOSTILE) == VISIBLE
    assert shown("a\nb\tc\r\x00\u2028") == r"a\nb\tc\r\x00\u2028"
    assert shown("caf\udce9") == as_utf8("caf\udce9") == r"caf\xe9"
    assert shown_lines("a\nb\tc\x1b") == "a\nb\tc\\x1b"


@pytest.mark.parametrize(
    "text", ["größe", "東京", "می‌خواهم", "क्‍ष", "Ωmega", "👩‍🔬", "עברית", "a b", "\u0601"]
)
def test_scripts_are_left_alone(text: str) -> None:
    assert shown(text) == message(text) == shown_lines(text) == text


@given(st.text())
def test_nothing_unsafe_gets_through(text: str) -> None:
    for safe in (shown(text), message(text), str(InputError(text)), str(RankprismWarning(text))):
        assert not any(c < " " or "\x7f" <= c <= "\x9f" or "\ud800" <= c <= "\udfff" for c in safe)
    assert message(message(text)) == message(text)


def test_what_is_unsafe_to_show_is_not_printable() -> None:
    unsafe = [sign for sign in map(chr, range(sys.maxunicode + 1)) if re.match(_UNSAFE, sign)]
    assert len(unsafe) > 2000  # the halves of surrogate pairs alone are as many
    assert not any(sign.isprintable() for sign in unsafe)


@pytest.mark.parametrize("value", ["x" * 200_000, "x " * 100_000, "\x1b" * 200_000])
def test_messages_stay_short_and_keep_their_ends(value: str) -> None:
    text = str(InputError(f"q.txt, line 3: the grade {value!r} is wrong; mend it"))
    assert text.startswith("q.txt, line 3: the grade ")
    assert text.endswith("mend it")
    assert len(text) < 13_000  # 2,000 characters, each of which may become an escape of six


def test_hostile_ids_are_shown_by_the_core_too(cli: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "q").write_text("1 a d 1\n")
    long = "y" * 200_000
    line = f"1 Q0 {HOSTILE} 1 1 t\n"
    for text in (line * 2, f"1 Q0 {long} 1 1 t\n" * 2, f"1 Q0 d 1 {HOSTILE} t\n", f"1 Q0 d 1 {long} t\n"):
        (tmp_path / "r").write_text(text, encoding="utf-8")
        result = cli("evaluate", tmp_path / "q", tmp_path / "r", "-m", "P@5")
        assert result.returncode == 2
        assert "\x1b" not in result.stderr
        assert "\x9b" not in result.stderr
        assert len(result.stderr) < 1000 + len(str(tmp_path))
    assert cli("evaluate", tmp_path / "q", tmp_path / "r", "-m", f"P{HOSTILE}").stderr.count("\x1b") == 0
    assert cli("evaluate", "--order", HOSTILE, "a", "b").stderr.count("\x1b") == 0


def hostile_scores(names: tuple[str, ...] = (HOSTILE, "<b>|x|</b>", "=1+1", "-x", "[a](b)`\\")) -> Scores:
    values = np.random.default_rng(0).random((len(names), 4, 1))
    return Scores(names, ("1", "2", "@3", "4"), ("P@5",), values)


def test_tables_show_foreign_names_safely() -> None:
    scores = hostile_scores()
    for text in (str(scores), str(scores.table(per_topic=True)), scores.to_trec()):
        assert VISIBLE in text
        assert "\x1b" not in text
    huge = Table({"run": ["x" * 200_000], "P@5": [0.5]})
    for text in (huge.text(), huge.markdown(), huge.latex()):
        assert "(200,000 characters)" in text
        assert len(text) < 10 * LONGEST


def test_markdown_cells_are_neither_html_nor_markdown() -> None:
    table = Table({"run": list(hostile_scores().runs), "a|b": [1, 2, 3, 4, 5]}).markdown().splitlines()
    assert table[0] == r"| run | a\|b |"
    assert table[2] == r"| red\\x1b\[31m\\x9b2J\\u202egnp\\x07 | 1 |"
    assert table[3] == r"| &lt;b&gt;\|x\|&lt;/b&gt; | 2 |"
    assert table[6] == r"| \[a\](b)\`\\ | 5 |"
    assert len(table) == 7


def test_latex_rows_do_not_begin_with_an_argument_of_the_line_break() -> None:
    lines = Table({"run": ["[2pt]", "*", "a_b"], "P@5": [1, 2, 3]}).latex().splitlines()
    assert lines[4:7] == [r"{[}2pt] & 1 \\", r"{*} & 2 \\", r"a\_b & 3 \\"]


def test_guarded_csv_has_no_formulas_and_numbers_stay_numbers(
    cli: Callable[..., Any], tmp_path: Path
) -> None:
    scores = hostile_scores(("=1+1", "-x", "bm25"))
    rows = [line.split(",") for line in scores.table(per_topic=True).to_csv(guard=True).splitlines()[1:]]
    assert {row[0] for row in rows} == {"'=1+1", "'-x", "bm25"}
    assert {row[1] for row in rows} == {"1", "2", "'@3", "4", "all"}
    assert [float(row[3]) for row in rows if row[1] == "all"] == scores.means[:, 0].tolist()
    table = Table({"@run": ["+a", "b"], "difference": [-0.5, None]})
    assert table.csv(guard=True) == "'@run,difference\n'+a,-0.5\nb,\n"
    assert table.csv() == "@run,difference\n+a,-0.5\nb,\n"
    file = tmp_path / "scores.csv"
    file.write_text(scores.to_csv())
    result = cli("compare", file, "--format", "guarded-csv")
    assert result.stdout.splitlines()[1].startswith("P@5,'=1+1,'-x,0.")
    found = rankprism.compare(scores)
    assert found.to_csv(guard=True) == result.stdout
    assert found.to_csv() != result.stdout


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_control_characters_do_not_abort_charts(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"chart.{kind}"
    plots.save(plots.intervals(hostile_scores((HOSTILE, "a\x00b", "x"))), path)
    content = path.read_bytes()
    assert len(content) > 1000
    if kind == "svg":
        assert VISIBLE.encode() in content
        assert b"\x1b" not in content


def on_a_terminal(width: int, *command: object) -> str:
    """What a command writes on a terminal with this number of columns."""
    import fcntl
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    # COLUMNS would outvote the terminal.
    kept = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR")}
    process = subprocess.Popen([*map(str, command)], stdin=theirs, stdout=theirs, stderr=theirs, env=kept)
    os.close(theirs)
    seen = b""
    while select.select([ours], [], [], 60)[0]:
        try:
            part = os.read(ours, 4096)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        seen += part
    os.close(ours)
    assert process.wait(60) == 0
    return seen.decode().replace("\r\n", "\n")


@posix
@pytest.mark.parametrize("format", ["table", "csv", "json", "trec"])
def test_no_escape_sequence_of_a_file_reaches_a_terminal(
    format: str, rankprism_command: Path, tmp_path: Path
) -> None:
    run = tmp_path / f"{HOSTILE}.run"
    run.write_bytes(sample.RUNS[0].read_bytes())
    command = [rankprism_command, "evaluate", sample.QRELS, run, "-m", "P@5", "--format", format]
    seen = on_a_terminal(80, *command)
    assert "P@5" in seen
    assert "\x1b" not in seen
    assert "\x9b" not in seen


# --- tables that are wider than the terminal

MANY = "alpha_nDCG@10 ERR_IA@10 NRBP StRecall@10 P_IA@10 nDCG_IA@10 DSharp_nDCG@10 RBU@10 CAM(AP) S_RR"


@posix
def test_a_table_that_is_wider_than_the_terminal_is_folded(rankprism_command: Path, tmp_path: Path) -> None:
    runs = [sample.FOLDER / "runs" / f"{run}.run" for run in ("diversified", "noisy", "redundant")]
    command = [rankprism_command, "evaluate", sample.QRELS, *runs, "-m", MANY]
    seen = re.sub(r"\x1b\[\d*m", "", on_a_terminal(60, *command))
    assert max(map(len, seen.splitlines())) <= 60
    blocks = [[line.split() for line in block.splitlines()] for block in seen.strip().split("\n\n")]
    assert len(blocks) > 1
    assert [block[0][0] for block in blocks] == ["run"] * len(blocks)
    header = [name for block in blocks for name in block[0][1:]]
    cells = [[cell for block in blocks for cell in block[row][1:]] for row in range(2, 2 + len(runs))]
    # A file is never folded, and holds the same.
    path = tmp_path / "scores.txt"
    on_a_terminal(60, *command, "-o", path)
    whole = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    assert [header, *cells] == [row[1:] for row in (whole[0], *whole[2:])]


def test_a_table_of_numbers_with_intervals_is_folded_by_its_first_column() -> None:
    """All of its columns are text, but only the first has names."""
    columns = {"tau": ["AP", "RR"], "AP": ["1", "0.9 [0.8, 1.0]"], "RR": ["0.9 [0.8, 1.0]", "1"]}
    assert Table(columns).text(width=22).splitlines() == [
        "tau  AP",
        "───────────────────",
        "AP   1",
        "RR   0.9 [0.8, 1.0]",
        "",
        "tau  RR",
        "───────────────────",
        "AP   0.9 [0.8, 1.0]",
        "RR   1",
    ]


@pytest.mark.parametrize("width", [1, 20, 30, 44, 45, 46, 80, 1000])
def test_blocks_of_columns_fit_if_names_and_one_column_do(width: int) -> None:
    names = [f"a-run-with-a-long-name-and-number-{n}" for n in range(3)]
    table = Table({"run": names, **{f"measure {m}": [m + 0.25 * n for n in range(3)] for m in range(7)}})
    lines = table.text(width=width).splitlines()
    assert max(map(len, lines)) <= max(width, 12 + 2 + len("measure 0"))
    assert sum(line.count("measure") for line in lines) == 7
    shown_names = [line.split()[0] for line in lines[2:5]]
    assert len(set(shown_names)) == 3
    if width == 1000:
        assert table.text(width=width) == table.text()


@given(
    st.lists(st.text("ab-", min_size=1, max_size=40), min_size=1, max_size=8, unique=True),
    st.integers(8, 50),
)
def test_names_are_shortened_in_the_middle(names: list[str], most: int) -> None:
    short = shortened(names, most)
    assert all(len(x) <= most for x in short)
    assert all(x == name for x, name in zip(short, names, strict=True) if len(name) <= most)
    assert all("…" in x for x, name in zip(short, names, strict=True) if len(name) > most)


# --- failures


@pytest.mark.parametrize(
    ("error", "says", "code"),
    [
        (InputError("q.txt: no"), "q.txt: no", 2),
        (KeyboardInterrupt(), "interrupted", 130),
        (MemoryError(), "there is not enough memory; evaluate fewer runs or measures at a time", 2),
        (RecursionError(), "something in the input is nested too deeply; make it simpler", 2),
        (
            OSError(5, "Input/output error"),
            "the system refused something that was needed (Input/output err",
            2,
        ),
        (
            FileNotFoundError(2, "No such file or directory", "a\x1bb"),
            r"a\x1bb: No such file or directory",
            2,
        ),
        (PermissionError(13, "Permission denied", b"q.txt"), "q.txt: Permission denied", 2),
        (EOFError(), "an input ended before it was complete; check the files", 2),
        (UnicodeEncodeError("ascii", "ü", 0, 1, "no"), "a text cannot be read or written in its encoding", 2),
        (
            ModuleNotFoundError("no", name="altair"),
            f"this needs one more package: {install('plots')}",
            2,
        ),
        (
            ModuleNotFoundError("no", name="backports.zstd"),
            f"this needs one more package: {install('zstd')}",
            2,
        ),
        (
            ModuleNotFoundError("no", name="starlette"),
            f"this needs one more package: {install('assess')}",
            2,
        ),
        (
            ModuleNotFoundError("no", name="polars"),
            "this needs the module 'polars', which cannot be imported",
            2,
        ),
        (
            ModuleNotFoundError("no", name="rankprism.x"),
            "a fault in rankprism itself, ModuleNotFoundError",
            1,
        ),
        (ZeroDivisionError("x" * 10_000), "a fault in rankprism itself, ZeroDivisionError at", 1),
    ],
    ids=lambda x: type(x).__name__ if isinstance(x, BaseException) else "",
)
def test_every_failure_is_one_line(
    error: BaseException,
    says: str,
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    import rankprism.cli.app

    def fail(**_: object) -> None:
        raise error

    monkeypatch.setattr(rankprism.cli.app, "app", fail)
    monkeypatch.delenv("RANKPRISM_TRACEBACK", raising=False)
    monkeypatch.setattr(sys, "argv", ["rankprism", "evaluate", "my file"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"rankprism: {says}")
    assert len(err.splitlines()) == 1
    assert len(err) < 3000
    monkeypatch.setenv("RANKPRISM_TRACEBACK", "1")
    with pytest.raises(SystemExit):
        main()
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_an_unforeseen_failure_says_how_to_report_it() -> None:
    try:
        write_in(None, "table")  # type: ignore[arg-type]
    except AttributeError as error:
        text, code = explained(error)
    assert code == 1
    for part in (
        "AttributeError at cli/output.py:",
        "report it",
        rankprism.__version__,
        "--traceback",
        "Python",
    ):
        assert part in text


def test_usage_errors_are_one_line_and_the_traceback_is_an_option(cli: Callable[..., Any]) -> None:
    for arguments, says in (
        (
            ("evaluate",),
            "rankprism: Missing argument 'QRELS RUN...'. `rankprism evaluate --help` explains the options.\n",
        ),
        (("evalate",), "rankprism: No such command 'evalate'. Did you mean 'evaluate'? `rankprism --help`"),
        (("demo", "--foo"), "rankprism: No such option: --foo. `rankprism demo --help`"),
    ):
        result = cli(*arguments)
        assert (result.returncode, result.stdout) == (2, "")
        assert result.stderr.startswith(says)
        assert len(result.stderr.splitlines()) == 1
    result = cli("--traceback", "evaluate", "none", "none", "-m", "P")
    assert result.returncode == 2
    assert result.stderr.startswith("Traceback")
    assert result.stderr.splitlines()[-1] == "rankprism: none: there is no such file; check the path"


# --- Ctrl-C


@posix
@pytest.mark.parametrize(
    "work",
    [
        "import time; time.sleep(60)",  # Python hears it itself
        "import numpy as np; x = np.arange(3e7); [x.sort() for _ in iter(int, 1)]",
        # A call without the interpreter lock that never looks for signals, as a long search may be.
        "import ctypes; ctypes.CDLL(None).sleep(60) or ctypes.CDLL(None).sleep(60)",
    ],
    ids=["python", "numpy", "deaf"],
)
def test_ctrl_c_ends_the_work(work: str, tmp_path: Path) -> None:
    deaf = "deaf" if "ctypes" in work else ""
    code = (
        "import signal, sys\n"
        "import rankprism.cli.app\n"
        "from rankprism.cli import main\n"
        "def busy(**_):\n"
        "    print('ready', flush=True)\n"
        f"    {work}\n"
        "rankprism.cli.app.app = busy\n"
        + ("import signal; signal.siginterrupt(signal.SIGINT, False)\n" if deaf else "")
        + "main()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (130, "rankprism: interrupted\n")


# --- cost


def test_means_are_computed_once_whatever_the_number_of_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    import rankprism.results.scores

    calls = []
    compute = rankprism.results.scores.mean_over_topics

    def counted(values: Any) -> Any:
        calls.append(values.shape)
        return compute(values)

    monkeypatch.setattr(rankprism.results.scores, "mean_over_topics", counted)
    for kind in SCORE_FORMATS:
        for per_topic in (False, True):
            counts = []
            for runs in (5, 50):
                values = np.random.default_rng(0).random((runs, 3, 2))
                names = tuple(f"r{r}" for r in range(runs))
                scores = Scores(names, ("1", "2", "3"), ("a", "b"), values, {}, values, values)
                calls.clear()
                written(scores.table(per_topic=per_topic), kind)
                counts.append(len(calls))
            assert counts[0] == counts[1] <= 4


def test_means_cannot_be_changed_by_one_who_asks() -> None:
    scores = hostile_scores()
    assert scores.means is scores.means
    with pytest.raises(ValueError, match="read-only"):
        scores.means[0] = 1
    assert json.loads(scores.table().to_json())["rows"][3] == {
        "run": "-x",
        "topic": "all",
        "measure": "P@5",
        "score": scores.means[3, 0],
    }
