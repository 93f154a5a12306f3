"""What the program prints on standard error, started as users start it: notes, and nothing else.

Most tests call a process that forks (tests/support/warm.py) and ends without the interpreter. Here the
installed
program runs until the interpreter itself has ended, because libraries complain only then. Starting is most
of the time, so a process runs many commands; if it complains, each of them gets a process of its own.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import shlex
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest

from rankprism import evaluate, read_judgments, read_preferences, read_run, sample
from rankprism.cli import app
from rankprism.errors import RankprismError, install
from rankprism.measures import lookup
from rankprism.measures.parameter import Role
from tests.support.assessing import over_network
from tests.support.machine import posix

pytestmark = pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")

RUNS = sample.RUNS[:2]


def started(command: Path, *words: object, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """What a process of its own printed. ResourceWarning and DeprecationWarning would be seen, too."""
    environment = os.environ | {"PYTHONUTF8": "1", "PYTHONWARNINGS": "default"}
    return subprocess.run(
        [str(command), *map(str, words)], cwd=folder, env=environment, capture_output=True, encoding="utf-8"
    )


# Every kind of file, with every measure that fits it


@dataclass(frozen=True)
class Kind:
    """Files of one kind: what the command line is given, and the same for Python."""

    files: list[str]
    options: list[str]
    judgments: Callable[[], Any]
    runs: list[Any]


def ad_hoc(folder: Path) -> Kind:
    """The best grade of each document on any subtopic."""
    best: dict[tuple[str, str], float] = {}
    for topic, _, doc, grade in rows_of_sample():
        best[topic, doc] = max(grade, best.get((topic, doc), 0))
    path = folder / "adhoc.txt"
    path.write_text("".join(f"{topic} 0 {doc} {grade:g}\n" for (topic, doc), grade in best.items()))
    return Kind([str(path), *map(str, RUNS)], [], lambda: read_judgments(path), list(RUNS))


def subtopics(folder: Path) -> Kind:
    files = [str(sample.QRELS), *map(str, RUNS)]
    weights = ["--weights", str(sample.WEIGHTS)]
    return Kind(files, weights, lambda: read_judgments(sample.QRELS, weights=sample.WEIGHTS), list(RUNS))


def aspects(folder: Path) -> Kind:
    """Two aspects with the names that `Contrast` expects: the best grade, and whether no grade is above 0."""
    grades: dict[tuple[str, str], list[float]] = {}
    for topic, _, doc, grade in rows_of_sample():
        grades.setdefault((topic, doc), []).append(grade)
    path = folder / "two.txt"
    lines = [f"{t} 0 {d} {max(g):g} {int(max(g) <= 0)}\n" for (t, d), g in grades.items()]
    path.write_text("".join(lines))
    of = ["helpful", "harmful"]
    return Kind(
        [str(path), *map(str, RUNS)],
        ["--aspects", ",".join(of)],
        lambda: read_judgments(path, aspects=of),
        list(RUNS),
    )


def preferences(folder: Path) -> Kind:
    files = [str(sample.PREFERENCES), *map(str, RUNS)]
    return Kind(files, [], lambda: read_preferences(sample.PREFERENCES), list(RUNS))


def answers(folder: Path) -> Kind:
    """The nuggets of a topic, and an answer that has one of the two."""
    nuggets, answer = folder / "nuggets.jsonl", folder / "answer.jsonl"
    facts = [{"text": "they swim", "importance": "vital"}, {"text": "they climb", "importance": "okay"}]
    nuggets.write_text(json.dumps({"qid": "jaguar", "nuggets": facts}) + "\n")
    found = [
        {**fact, "assignment": said} for fact, said in zip(facts, ("support", "not_support"), strict=True)
    ]
    answer.write_text(json.dumps({"qid": "jaguar", "run_id": "llm", "nuggets": found}) + "\n")
    return Kind([str(nuggets), str(answer)], [], lambda: read_judgments(nuggets), [answer])


def tables() -> dict[str, Any]:
    judged = read_judgments(sample.QRELS).to_frame("pyarrow")
    return {"qrels": judged, "ranked": read_run(RUNS[0]).to_frame("pyarrow")}


def parquet(folder: Path) -> Kind:
    for name, table in tables().items():
        pq.write_table(table, folder / f"{name}.parquet")
    qrels, ranked = folder / "qrels.parquet", folder / "ranked.parquet"
    return Kind([str(qrels), str(ranked)], [], lambda: read_judgments(qrels), [ranked])


def database(folder: Path) -> Kind:
    path = folder / "all.duckdb"
    with duckdb.connect(path) as connection:
        for name, table in tables().items():
            connection.register("given", table)
            connection.execute(f"CREATE TABLE {name} AS SELECT * FROM given")
    qrels, ranked = f"{path}::qrels", f"{path}::ranked"
    return Kind([qrels, ranked], [], lambda: read_judgments(qrels), [ranked])


def rows_of_sample() -> Iterator[tuple[str, str, str, float]]:
    topic, aspect, doc, grade = read_judgments(sample.QRELS).table.columns()
    yield from zip(topic, aspect, doc, map(float, grade), strict=True)


KINDS = {
    made.__name__: made for made in (ad_hoc, subtopics, aspects, preferences, answers, parquet, database)
}


@cache
def every_measure() -> list[str]:
    """All measures, with one inside where one is needed. Other tests add measures to this process."""
    code = "from rankprism.measures import names; print(*names())"
    listed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    known = listed.stdout.split()
    inside = {name: "nDCG" for name in known if Role.INNER in lookup(name).definition.roles}
    inside["Aspect"] += ",aspect='helpful'"
    return [f"{name}({inside[name]})" if name in inside else name for name in known]


def fitting(kind: Kind) -> list[str]:
    """The measures that score these files."""
    judged = kind.judgments()
    fit = []
    for measure in every_measure():
        try:
            evaluate(judged, kind.runs, measure)
        except RankprismError:
            continue
        fit.append(measure)
    return fit


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Kind:
    return KINDS[request.param](tmp_path_factory.mktemp(request.param))


@pytest.fixture(scope="module")
def fit(kind: Kind) -> list[str]:
    found = fitting(kind)
    assert found
    return found


@pytest.mark.parametrize("many", [True, False], ids=["every measure", "one measure"])
def test_a_process_that_scores_files_ends_quietly(
    kind: Kind, fit: list[str], many: bool, rankprism_command: Path
) -> None:
    """With one measure, too: which modules are loaded decides in which order they are freed."""
    chosen = fit if many else fit[:1]
    measures = [word for measure in chosen for word in ("-m", measure)]
    done = started(rankprism_command, "evaluate", *kind.files, *kind.options, *measures, "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    # Beside the measures, the first line has ↓ and the titles of counts of topics.
    assert set(chosen) <= set(done.stdout.splitlines()[0].split())


def test_every_measure_is_among_them(tmp_path: Path) -> None:
    fit = {measure for made in (aspects, preferences, answers) for measure in fitting(made(tmp_path))}
    assert set(every_measure()) - fit == set()


def test_judgments_are_freed_without_a_search_for_garbage(kind: Kind, fit: list[str]) -> None:
    """A circle of references keeps memory until Python looks for garbage, and that may be much later."""
    gc.disable()
    try:
        judged = kind.judgments()
        evaluate(judged, kind.runs, fit)
        alive = weakref.ref(judged.cells if hasattr(judged, "cells") else judged)
        del judged
        assert alive() is None
    finally:
        gc.enable()


def test_a_file_of_measures_may_keep_judgments_and_load_packages(
    rankprism_command: Path, tmp_path: Path
) -> None:
    """Both have to be freed when the process ends, although nothing but a circle holds them."""
    (tmp_path / "mine.py").write_text(
        "import duckdb\n"
        "from rankprism import read_judgments, sample\n"
        "from rankprism.measures import measure\n"
        "judged = read_judgments(sample.QRELS)\n"
        "@measure()\n"
        "def Topics(hits):\n"
        '    """Number of topics."""\n'
        "    return hits.length * 0.0 + len(judged.topics)\n"
    )
    words = ["evaluate", sample.QRELS, RUNS[0], "-m", "Topics", "--measures", "mine.py"]
    done = started(rankprism_command, *words, folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split()[-1] == "20.0000"  # the sample has 20 topics


# Every command


def every_command() -> Iterator[str]:
    """The words that call each command of the program."""
    yield from map(" ".join, app.every_command())


#: What follows the words of each command. The folder has the sample and what `folder` below puts into it.
MEASURES = "-m nDCG_IA@10 -m alpha_nDCG@10"
COLLECTION = "sample/qrels.txt sample/runs/diversified.run sample/runs/noisy.run"
ASPECTS = "two.txt sample/runs/diversified.run sample/runs/noisy.run --aspects helpful,harmful"
STUDY = "sample/runs/noisy.run --documents documents.jsonl --depth 2 --ask pairs --assessors ann"
FEW = "--draw 2 --shown 5"
COMMANDS = {
    "evaluate": f"{COLLECTION} {MEASURES} --bounds",
    "explain": f"{COLLECTION} -m nDCG_IA@10 --topic jaguar",
    "compare": f"{COLLECTION} {MEASURES}",
    "leaderboard": f"{COLLECTION} {MEASURES}",
    "scores": "scored",
    "gate": f"{COLLECTION.replace('noisy', 'ideal')} {MEASURES} --margin 0.01 --junit gate.xml",
    "topic-set-size": f"{COLLECTION} {MEASURES} --difference 0.1",
    "plot differences": f"{COLLECTION} -m nDCG_IA@10 -o differences.svg",
    "plot heatmap": f"{COLLECTION} -m nDCG_IA@10 -o heatmap.png",
    "plot irec": f"{COLLECTION} -m StRecall@10 -m D_nDCG@10 -o irec.pdf",
    "plot intervals": f"{COLLECTION} {MEASURES} -o means.html",
    "plot sensitivity": f"{COLLECTION} -m 'nDCG_IA@{{}}' --values 5,10 -o cutoff.svg",
    "report": f"{ASPECTS} -q -o report.html",
    "meta power": f"{COLLECTION} {MEASURES} --resamples 100",
    "meta unanimity": f"{COLLECTION} {MEASURES}",
    "meta scenarios": f"{COLLECTION} {MEASURES} --repetitions 2",
    "meta correlation": f"{COLLECTION} sample/runs/ideal.run {MEASURES}",
    "meta agreement": f"{COLLECTION} {MEASURES} --resamples 100",
    "meta intuitiveness": f"{COLLECTION} {MEASURES} -m StRecall@10 --gold StRecall@10",
    "meta swap": f"{COLLECTION} {MEASURES} --trials 20",
    "meta stability": f"{COLLECTION} {MEASURES} --size 5 --samples 2 --resamples 50",
    "meta disagreement": f"{COLLECTION} {MEASURES} --most 2",
    "axioms": "nDCG_IA@10 -c Pri --instances 20",
    "aspects order": "two.txt --aspects helpful,harmful",
    "aspects labels": "two.txt --aspects helpful,harmful",
    "aspects attainable": "two.txt --aspects helpful,harmful -m nDCG@10",
    "aspects compare": f"{ASPECTS} --resamples 100 -q",
    "preferences describe": "sample/preferences.tsv sample/runs/noisy.run",
    "preferences strengths": "sample/preferences.tsv -q",
    "preferences intervals": "sample/preferences.tsv sample/runs/noisy.run -m nPrf@10 --over topics -q",
    "preferences order": "sample/preferences.tsv -q",
    "preferences draw-profiles": "sample/qrels.txt --draw 2",
    "preferences restrict": "sample/qrels.txt --profiles profiles.txt --profile p1 -o p1.qrels",
    "preferences simulate": f"{COLLECTION} --profiles profiles.txt --triplets 5 -o prefs.tsv",
    "preferences experiment correlation": f"{COLLECTION} --shown 5 --intervals 0",
    "preferences experiment profiles": f"{COLLECTION} {FEW} --intervals 0",
    "preferences experiment incomplete": f"{COLLECTION} {FEW} --triplets 5 --repetitions 1",
    "preferences select": "sample/runs/noisy.run sample/runs/ideal.run -m nPrf@10 --budget 2",
    "preferences plan": f"{COLLECTION} --budgets 5 --repetitions 1",
    "judges agree": "sample/qrels.txt sample/runs/noisy.run --judge same=sample/qrels.txt -m P@10 -q",
    "judges score": "sample/qrels.txt sample/runs/noisy.run --judge j=sample/qrels.txt -m P@10 --per-topic",
    "judges prefer": "votes.tsv --judge same=votes.tsv",
    "judges strengths": "votes.tsv --covariates lengths.tsv",
    "judges select": "sample/runs/noisy.run --judge same=sample/qrels.txt -m P@10 --budget 20",
    "reproduce rbu": f"{COLLECTION} --repetitions 1 --instances 2 -q",
    "reproduce dsharp": f"{COLLECTION} --resamples 20 --figures dsharp -q",
    "reproduce toma": f"{ASPECTS} --resamples 100 --figures toma -q",
    "reproduce preferences": f"{COLLECTION} {FEW} --triplets 5 --repetitions 1 -q",
    "assess new": f"new.db {STUDY}",
    "assess add": "study.db question.jsonl",
    "assess link": "study.db ann --public-url http://localhost:8000",
    "assess export": "study.db",
    "assess import": "study.db answer.tsv",
    "assess backup": "study.db backup.db",
    "assess restore": "saved.db restored.db",
    "convert": "sample/qrels.txt qrels.parquet",
    "schema": "evaluate",
    "measures": "nDCG_IA",
    "demo": "--save again",
}
#: The server has to be stopped, and has a test of its own below.
SERVED = "assess serve"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, rankprism_command: Path) -> Path:
    return prepared(tmp_path_factory.mktemp("commands"), rankprism_command)


def prepared(here: Path, rankprism_command: Path) -> Path:
    """The sample, judgments of two aspects, profiles of users, votes, stored scores and a study."""
    aspects(here)
    documents = {doc for path in sample.RUNS for doc in path.read_text().split()[2::6]}
    lines = [json.dumps({"id": doc, "text": f"About {doc}"}) + "\n" for doc in sorted(documents)]
    (here / "documents.jsonl").write_text("".join(lines))
    topic, _, left, *_, right = (sample.FOLDER / "runs" / "noisy.run").read_text().split()[:9]
    answer = f"topic\tgiven\tleft\tright\toutcome\tassessor\n{topic}\t\t{left}\t{right}\tleft\tann\n"
    (here / "answer.tsv").write_text(answer)
    (here / "question.jsonl").write_text(json.dumps({"topic": topic, "left": left, "right": right}) + "\n")
    votes = [(f"t{n // 4}", f"s{n % 3}", f"s{(n + 1) % 3}", "left" if n % 5 else "right") for n in range(60)]
    rows = [("topic", "left", "right", "outcome"), *votes]
    (here / "votes.tsv").write_text("".join("\t".join(row) + "\n" for row in rows))
    lengths = [f"t{t}\ts{s}\t{(5 * t + 3 * s) % 7}\n" for t in range(15) for s in range(3)]
    (here / "lengths.tsv").write_text("topic\tdoc\tlength\n" + "".join(lengths))
    for line in (
        "demo --save sample",
        "preferences draw-profiles sample/qrels.txt --draw 2 -o profiles.txt",
        f"evaluate {COLLECTION} -m P@5 --into scored",
        f"assess new study.db {STUDY}",
        "assess import study.db answer.tsv",
        "assess backup study.db saved.db",
    ):
        done = started(rankprism_command, *shlex.split(line), folder=here)
        assert (done.returncode, done.stderr) == (0, "")
    return here


#: Runs the commands that it is given, one after the other. What each prints, the core included, goes into
#: files of its own, and the exit codes onto standard output.
SEVERAL = """
import json, os, sys
from rankprism.cli import main
for words, out, error in json.load(sys.stdin):
    kept = os.dup(1), os.dup(2)
    for stream, path in ((1, out), (2, error)):
        written = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(written, stream)
        os.close(written)
    sys.argv = ["rankprism", *words]
    try:
        main()
        code = 0
    except SystemExit as end:
        code = end.code or 0
    sys.stdout.flush()
    sys.stderr.flush()
    for stream, back in zip((1, 2), kept):
        os.dup2(back, stream)
        os.close(back)
    os.write(1, f"{code} ".encode())
"""
#: Keeps an object of the core for ever, and nanobind complains at the end of the process.
LEAK = """
import ctypes
from rankprism import read_judgments, sample
ctypes.pythonapi.Py_IncRef(ctypes.py_object(read_judgments(sample.QRELS).table))
"""


def together(lines: list[str], folder: Path, after: str = "") -> tuple[dict[str, tuple[str, str]], str]:
    """Exit code and standard error of each command, run in one process, and what that said at its end."""
    errors = [folder / f"error {number}" for number in range(len(lines))]
    job = [[shlex.split(line), os.devnull, str(error)] for line, error in zip(lines, errors, strict=True)]
    done = subprocess.run(
        [sys.executable, "-c", SEVERAL + after],
        cwd=folder,
        env=os.environ | {"PYTHONUTF8": "1", "PYTHONWARNINGS": "default"},
        input=json.dumps(job),
        capture_output=True,
        encoding="utf-8",
    )
    codes = [*done.stdout.split(), *[f"none ({done.returncode})"] * len(lines)]
    said = [error.read_text() if error.exists() else "" for error in errors]
    return dict(zip(lines, zip(codes, said, strict=False), strict=True)), done.stderr


LINES = {words: f"{words} {COMMANDS.get(words, '')}" for words in every_command() if words != SERVED}
BATCHES = [list(LINES.values())[first : first + 15] for first in range(0, len(LINES), 15)]


def test_every_command_is_among_them() -> None:
    assert set(COMMANDS) == set(LINES)  # a new command needs an entry


@pytest.mark.parametrize("batch", BATCHES, ids=lambda batch: f"{batch[0].split()[0]} …")
def test_every_command_ends_quietly(
    batch: list[str], folder: Path, tmp_path: Path, rankprism_command: Path
) -> None:
    each, end = together(batch, folder)
    if end:  # one of them has left something behind
        again = prepared(tmp_path, rankprism_command)
        for line in batch:
            done = started(rankprism_command, *shlex.split(line), folder=again)
            each[line] = (str(done.returncode), done.stderr)
    assert each == dict.fromkeys(batch, ("0", ""))
    assert end == ""


def test_what_one_of_several_commands_leaves_behind_is_heard(tmp_path: Path) -> None:
    each, end = together(["measures nDCG_IA", "schema evaluate"], tmp_path, LEAK)
    assert set(each.values()) == {("0", "")}
    assert "nanobind: leaked" in end


#: The programs that `python -m` starts, with what they are given.
PROGRAMS = {
    "rankprism": "evaluate qrels ranked -m nDCG@10",
    "rankprism.trec_eval": "-q -m all_trec qrels ranked",
    "rankprism.ndeval": "-traditional qrels ranked",
    "rankprism.ir_measures": "qrels ranked nDCG@10",
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_program_ends_quietly(program: str, tmp_path: Path) -> None:
    if program == "rankprism.ir_measures" and sys.version_info >= (3, 14):
        pytest.skip("ir_measures 0.4.3 cannot parse the name of a measure on Python 3.14")
    (tmp_path / "qrels").write_text("1 1 a 1\n1 2 b 1\n")
    (tmp_path / "ranked").write_text("1 Q0 a 1 2 r\n1 Q0 b 2 1 r\n")
    words = [sys.executable, "-m", program, *PROGRAMS[program].split()]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


def test_the_program_for_ir_measures_says_what_it_needs(tmp_path: Path) -> None:
    (tmp_path / "ir_measures.py").write_text("raise ModuleNotFoundError")
    words = [sys.executable, "-m", "rankprism.ir_measures", "qrels", "ranked", "nDCG@10"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(words, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (f"rankprism.ir_measures needs one more package: {install('ir-measures')}\n")


@posix
def test_a_stopped_server_ends_quietly(folder: Path, rankprism_command: Path) -> None:
    command = [str(rankprism_command), *SERVED.split(), "study.db", "--port", "0"]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        port = int(server.stdout.readline().rsplit(":", 1)[1])
        try:
            while True:
                with contextlib.suppress(ConnectionRefusedError):  # it has said its address, and listens soon
                    over_network(port)("GET", "/health", {}, b"")
                    break
                assert server.poll() is None
                time.sleep(0.05)
        finally:
            server.send_signal(signal.SIGINT)
        _, error = server.communicate(timeout=60)
    assert (server.returncode, error) == (0, "")
