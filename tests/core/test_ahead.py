"""Files are read ahead of their turn while Python loads numpy, and nobody notices."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

from rankprism import InputError, MeasureError, evaluate, read_judgments
from rankprism._core import Ahead, JudgmentTable, align_file
from rankprism.formats import ahead
from rankprism.formats.files import BEGINNING

#: The notes are compared in `outcome`, and stand in the way elsewhere.
pytestmark = pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")

MEASURES = ["alpha_nDCG@10", "AP_IA", "P@5"]
THREADS = (2, 3, 8)
TOPICS = range(1, 13)


def lines(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    assert path.stat().st_size > BEGINNING  # small files are read at once
    return path


def ranked(chance: random.Random) -> str:
    return "".join(
        f"{t} Q0 document-{d:03d} {rank} {9 - rank / 100} system\n"
        for t in TOPICS
        for rank, d in enumerate(chance.sample(range(90), 60), 1)
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Path]]:
    """Judgments and five runs."""
    folder, chance = tmp_path_factory.mktemp("ahead"), random.Random(5)
    judged = "".join(
        f"{t} {a} document-{d:03d} {chance.randrange(-1, 3)}\n"
        for t in TOPICS
        for a in range(4)
        for d in range(0, 90, 2)
    )
    runs = [lines(folder / f"{number}.run", ranked(chance)) for number in range(5)]
    return lines(folder / "qrels", judged), runs


@pytest.fixture
def copied(files: tuple[Path, list[Path]], tmp_path: Path) -> tuple[Path, list[Path]]:
    """The same files, to be damaged."""
    qrels, runs = files
    copies = [lines(tmp_path / path.name, path.read_text(encoding="utf-8")) for path in (qrels, *runs)]
    return copies[0], copies[1:]


def outcome(*args: Any, **options: Any) -> Any:
    """The scores and notes of an evaluation, or its error."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            scores = evaluate(*args, **options)
        except (InputError, MeasureError) as error:
            return type(error), str(error)
    return scores.runs, scores.values.tobytes(), scores.conventions, [str(one.message) for one in said]


def same(*args: Any, **options: Any) -> Any:
    """The outcome, after a check that it does not depend on the number of threads."""
    alone = outcome(*args, threads=1, **options)
    for threads in THREADS:
        assert outcome(*args, threads=threads, **options) == alone
    return alone


@pytest.mark.parametrize(
    "options", [{}, {"order": "rank"}, {"tied": "all"}, {"topics": "retrieved"}], ids=str
)
def test_scores_and_notes_are_those_of_one_thread(
    files: tuple[Path, list[Path]], options: dict[str, Any]
) -> None:
    qrels, runs = files
    assert same(qrels, runs, MEASURES, **options)[0] == ("0", "1", "2", "3", "4")
    same(str(qrels), str(runs[0]), "P@5", **options)


def test_one_thread_means_one_thread(files: tuple[Path, list[Path]], monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []

    def counted(*args: Any) -> Ahead:
        made.append(args)
        return Ahead(*args)

    monkeypatch.setattr(ahead, "Ahead", counted)
    for threads in (1, 2):
        evaluate(*files, MEASURES, threads=threads)
        assert len(made) == threads - 1


def test_numpy_is_loaded_after_reading_has_begun(files: tuple[Path, list[Path]]) -> None:
    code = (
        "import sys\n"
        "from rankprism import evaluate\n"
        "from rankprism.formats import ahead\n"
        "from rankprism._core import Ahead\n"
        "def begin(*args):\n"
        "    print('numpy' in sys.modules)\n"
        "    return Ahead(*args)\n"
        "ahead.Ahead = begin\n"
        "print(evaluate(sys.argv[1], sys.argv[2:], 'P@5', threads=2).runs)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, str(files[0]), *map(str, files[1][:2])],
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("False\n('0', '1')\n", "")


@pytest.mark.parametrize(
    ("more", "begun"),
    [
        ([], "[False]"),
        (["--tied", "all"], "[False]"),
        (["--threads", "1"], "[]"),
        (["--aspects", "all"], "[]"),
    ],
    ids=str,
)
def test_the_command_reads_ahead_too(more: list[str], begun: str, files: tuple[Path, list[Path]]) -> None:
    code = (
        "import sys\n"
        "from rankprism.cli import main\n"
        "from rankprism.formats import ahead\n"
        "from rankprism._core import Ahead\n"
        "begun = []\n"
        "def begin(*args):\n"
        "    begun.append('numpy' in sys.modules)\n"
        "    return Ahead(*args)\n"
        "ahead.Ahead = begin\n"
        "try:\n    main()\n"
        "finally:\n    print(begun, file=sys.stderr)"
    )
    words = ["evaluate", str(files[0]), *map(str, files[1]), "-m", "P@5", "--quiet", *more]
    threads = [] if "--threads" in more else ["--threads", "2"]
    done = subprocess.run([sys.executable, "-c", code, *words, *threads], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, f"{begun}\n")
    alone = [argument for argument in more if argument not in ("--threads", "1")]
    plain = [sys.executable, "-m", "rankprism", *words[: -len(more) or None], *alone, "--threads", "1"]
    assert done.stdout == subprocess.run(plain, capture_output=True, text=True).stdout


def test_a_mistake_is_told_in_its_turn(copied: tuple[Path, list[Path]]) -> None:
    qrels, runs = copied
    for number in (2, 3):
        with runs[number].open("a", encoding="utf-8") as file:
            file.write("13 Q0 d 1 high t\n")
    kind, said = same(qrels, runs, MEASURES)
    assert kind is InputError
    assert "2.run, line 721: the score 'high'" in said
    with qrels.open("a", encoding="utf-8") as file:
        file.write("13 0 d\n")
    assert "qrels, line 2161" in same(qrels, runs, MEASURES)[1]
    assert same(qrels, runs, "nDCC@5")[0] is MeasureError
    assert "no such file" in same(qrels.with_name("gone"), runs, MEASURES)[1]
    assert "two runs are named" in same(qrels, [*runs, runs[0]], MEASURES)[1]


def test_runs_that_cannot_be_read_are_left_out(copied: tuple[Path, list[Path]]) -> None:
    qrels, runs = copied
    for number in (1, 4):
        runs[number].write_text("13 Q0 d 1 high t\n" * 2000, encoding="utf-8")
    for threads in (1, *THREADS):
        left: list[str] = []
        read: list[str] = []
        scores = evaluate(
            qrels,
            runs,
            MEASURES,
            threads=threads,
            on_error=lambda name, error, left=left: left.append(name),  # type: ignore[misc]
            on_run=read.append,
        )
        assert (left, sorted(read), scores.runs) == (["1", "4"], ["0", "2", "3"], ("0", "2", "3"))


@pytest.mark.parametrize("other", ["small", "packed", "table", "dictionary", "folder"])
def test_other_runs_and_judgments_are_read_in_their_turn(
    other: str, files: tuple[Path, list[Path]], tmp_path: Path
) -> None:
    import gzip

    qrels, runs = files
    first = runs[0].read_text(encoding="utf-8")
    small, packed, table = tmp_path / "small.run", tmp_path / "packed.run.gz", tmp_path / "table.csv"
    small.write_text(first[:3000].rpartition("\n")[0], encoding="utf-8")
    packed.write_bytes(gzip.compress(first.encode()))
    rows = (line.split() for line in first.splitlines())
    table.write_text("topic,doc,score\n" + "".join(f"{t},{d},{s}\n" for t, _, d, _, s, _ in rows))
    strange: Any = {
        "small": small,
        "packed": packed,
        "table": table,
        "dictionary": {"1": {"document-002": 1.0}},
        "folder": runs[0].parent,
    }[other]
    if other == "folder":
        assert "qrels" in same(qrels, [strange], MEASURES)[1]  # which is not a run
    else:
        assert len(same(qrels, [runs[1], strange], MEASURES)[0]) == 2


def test_lines_of_a_topic_may_be_scattered(files: tuple[Path, list[Path]], tmp_path: Path) -> None:
    qrels, runs = files
    mixed = []
    for path in (qrels, *runs):
        text = path.read_text(encoding="utf-8").splitlines(keepends=True)
        random.Random(1).shuffle(text)
        mixed.append(lines(tmp_path / path.name, "".join(text)))
    assert same(mixed[0], mixed[1:], MEASURES)[1] == outcome(qrels, runs, MEASURES)[1]


def test_what_was_read_is_handed_out_once_and_only_to_those_who_asked_for_it(
    files: tuple[Path, list[Path]],
) -> None:
    qrels, (run, *_) = files
    reader = Ahead((str(qrels), "qrels"), [(str(run), "run")], "score", "error", False, 2)
    table = reader.judgments()
    assert table is not None
    other = JudgmentTable.from_file(str(qrels), "qrels", "diversity")
    assert table.topics == other.topics
    assert reader.alignment(0, other, "score", "error", False) is None
    assert reader.alignment(0, table, "rank", "error", False) is None
    assert reader.alignment(0, table, "score", "first", False) is None
    assert reader.alignment(0, table, "score", "error", True) is None
    assert reader.alignment(1, table, "score", "error", False) is None
    found = reader.alignment(0, table, "score", "error", False)
    assert found is not None
    assert [column.tolist() for column in found[:5]] == [
        column.tolist() for column in align_file(other, str(run), "run", "score", "error")[:5]
    ]
    assert reader.alignment(0, table, "score", "error", False) is None
    del reader
    assert len(table) == len(other)  # the judgments outlive their reader


def test_a_reader_that_is_not_wanted_any_more_ends(tmp_path: Path, files: tuple[Path, list[Path]]) -> None:
    huge = tmp_path / "huge"
    with huge.open("w") as file:
        for t in range(2000):
            file.write("".join(f"{t} {a} document-{d} 1\n" for a in range(10) for d in range(50)))
    reader = Ahead((str(huge), "huge"), [(str(files[1][0]), "run")] * 40, "score", "error", False, 4)
    reader.stop()
    assert reader.judgments() is None
    assert reader.alignment(0, read_judgments(files[0]).table, "score", "error", False) is None
    reader.stop()


def test_many_runs_need_few_open_files(files: tuple[Path, list[Path]], tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    runs = [tmp_path / f"{number}.run" for number in range(150)]
    for path in runs:
        path.write_bytes(files[1][0].read_bytes())
    code = (
        "import sys, rankprism\n"
        "print(len(rankprism.evaluate(sys.argv[1], sys.argv[2:], 'P@5', threads=4).runs))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, str(files[0]), *map(str, runs)],
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (60, 60)),
    )
    assert (done.stdout, done.stderr) == ("150\n", "")


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer")
@pytest.mark.parametrize("place", ["judgments", "runs"])
def test_reading_can_be_interrupted(place: str, tmp_path: Path, files: tuple[Path, list[Path]]) -> None:
    large = tmp_path / "large"
    middle = "0" if place == "judgments" else "Q0"
    end = "1" if place == "judgments" else "1 1 t"
    with large.open("w") as file:
        for t in range(1, 400):
            file.write("".join(f"{t} {middle} document-{d} {end}\n" for d in range(5000)))
    qrels, run = (large, files[1][0]) if place == "judgments" else (files[0], large)
    code = """
import os, signal, sys
import rankprism, rankprism.measures
from rankprism.evaluation import blocks
def stop(*_):
    raise KeyboardInterrupt
signal.signal(signal.SIGALRM, stop)
signal.setitimer(signal.ITIMER_REAL, 0.05)
try:
    rankprism.evaluate(sys.argv[1], [sys.argv[2]], "P@5", threads=2)
except KeyboardInterrupt:
    signal.setitimer(signal.ITIMER_REAL, 0)
    print("interrupted", len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else 1)
"""
    command = [sys.executable, "-W", "ignore", "-c", code, str(qrels), str(run)]
    env = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PATH": "/usr/bin"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=env)
    assert (done.stdout, done.stderr) == ("interrupted 1\n", "")
