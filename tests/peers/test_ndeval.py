"""`python -m rankprism.ndeval` prints what ndeval 4.5 prints.

The lines below were printed by the official program (trec-web/trec-web-2014, commit eb769d1).
"""

from __future__ import annotations

import csv
import gzip
import random
import subprocess
import sys
from pathlib import Path

import pytest

from rankprism import evaluate
from rankprism.ndeval import NAMES, main

pytestmark = pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")

QRELS = "1 1 a 1\n1 2 b 2\n1 2 c 1\n1 3 d 0\n2 1 a 0\n4 1 e 1\n"
RUN = "wt09-1 Q0 b 1 3.0 mine x\n1 Q0 x 2 2.0 other\n1 Q0 a 3 2.0 other\n2 Q0 a 1 1 other\n3 Q0 z 1 1 other\n"
BASE = "1 Q0 a 1 1 base\n4 Q0 e 1 1 base\n"
ZEROS = ",".join(["0.000000"] * 21)
NAN = ",".join(["0.000000"] * 13 + ["-nan"] + ["0.000000"] * 7)
ONE = (
    "0.484115,0.480955,0.480898,0.800000,0.800000,0.800000,0.493916,0.487322,0.487155,0.797478,0.797478,0.797478,"
    "0.468750,0.769231,0.416667,0.200000,0.100000,0.050000,1.000000,1.000000,1.000000"
)
RISK = "mine (rel to. base; rs=1+a; a=2)"
#: Options, and the lines below the head.
PRINTED = {
    "": (
        f"mine,1,{ONE}",
        f"mine,2,{NAN}",
        f"mine,3,{ZEROS}",
        "mine,amean,0.242057,0.240478,0.240449,0.400000,0.400000,0.400000,0.246958,0.243661,0.243577,0.398739,"
        "0.398739,0.398739,0.234375,-nan,0.208333,0.100000,0.050000,0.025000,0.500000,0.500000,0.500000",
    ),
    "-traditional -c": (
        f"mine,1,{ONE}",
        f"mine,2,{NAN}",
        f"mine,3,{ZEROS}",
        "mine,amean,0.161372,0.160318,0.160299,0.266667,0.266667,0.266667,0.164639,0.162441,0.162385,0.265826,"
        "0.265826,0.265826,0.156250,-nan,0.138889,0.066667,0.033333,0.016667,0.333333,0.333333,0.333333",
    ),
    "-M 1 -alpha 0.25 -beta 0.8": (
        "mine,1,0.288809,0.272994,0.270584,0.571429,0.571429,0.571429,0.242890,0.217737,0.212582,0.498522,"
        "0.498522,0.498522,0.200000,0.438596,0.250000,0.100000,0.050000,0.025000,0.500000,0.500000,0.500000",
        f"mine,2,{NAN}",
        f"mine,3,{ZEROS}",
        "mine,amean,0.144404,0.136497,0.135292,0.285714,0.285714,0.285714,0.121445,0.108869,0.106291,0.249261,"
        "0.249261,0.249261,0.100000,-nan,0.125000,0.050000,0.025000,0.012500,0.250000,0.250000,0.250000",
    ),
    "-ca -baseline b -riskAlpha 2": (
        f"{RISK},1,"
        "0.121029,0.120239,0.120225,0.200000,0.200000,0.200000,0.164639,0.162441,"
        "0.162385,0.265826,0.265826,0.265826,0.093750,0.153846,-0.250000,0.100000,0.050000,0.025000,0.500000,"
        "0.500000,0.500000",
        f"{RISK},2,{NAN}",
        f"{RISK},3,{ZEROS}",
        f"{RISK},4,"
        "-2.178517,-2.164300,-2.164043,-3.000000,-3.000000,-3.000000,-1.975663,"
        "-1.949289,-1.948619,-3.000000,-3.000000,-3.000000,-2.250000,-3.000000,-3.000000,-0.600000,-0.300000,"
        "-0.150000,-3.000000,-3.000000,-3.000000",
        f"{RISK},amean,"
        "-0.514372,-0.511015,-0.510955,-0.700000,-0.700000,-0.700000,"
        "-0.452756,-0.446712,-0.446559,-0.683544,-0.683544,-0.683544,-0.539062,-nan,-0.812500,-0.125000,-0.062500,"
        "-0.031250,-0.625000,-0.625000,-0.625000",
    ),
}
REFUSED = {
    "q dup": 'duplicate rank (1) for topic 1 in run file "dup"',
    "q again": 'duplicate docno (a) for topic 1 in run file "again"',
    "nosuch r": 'cannot open qrel file "nosuch"',
    "empty r": 'qrel file "empty" is empty',
    "q empty": 'run file "empty" is empty',
    "q q": 'syntax error in run file "q" at line 1',
    "minus r": 'syntax error in qrel file "minus" at line 2',
    "-alpha 2 q r": "Usage: ndeval [options] qrels run   (-help for full usage information)",
    "-M 0 q r": "Usage: ndeval [options] qrels run   (-help for full usage information)",
    "-x q r": "Usage: ndeval [options] qrels run   (-help for full usage information)",
    "": "Usage: ndeval [options] qrels run   (-help for full usage information)",
}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {"q": QRELS, "r": RUN, "b": BASE, "empty": "", "minus": "1 1 a 1\n1 1 b -1\n"}
    texts |= {"dup": "1 Q0 a 1 1 t\n1 Q0 b 1 2 t\n", "again": "1 Q0 a 1 1 t\n1 Q0 a 2 2 t\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("options", PRINTED)
def test_it_prints_what_ndeval_prints(options: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "rankprism.ndeval", *options.split(), "q", "r"],
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode() == "\n".join([",".join(["runid", "topic", *NAMES]), *PRINTED[options], ""])


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("arguments", REFUSED)
def test_it_refuses_what_ndeval_refuses(arguments: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments.split()) == 1
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", f"ndeval: {REFUSED[arguments]}\n")


OFFICIAL = {"2009": "qrels.diversity.gz", "2012": "qrels-for-ndeval.txt.gz", "2014": "qrels.ndeval.txt.gz"}


@pytest.mark.parametrize("year", OFFICIAL)
def test_every_digit_of_official_runs(
    collections: Path, tmp_path: Path, year: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    folder = collections / f"trec-web-{year}"
    (tmp_path / "q").write_bytes(gzip.decompress((folder / OFFICIAL[year]).read_bytes()))
    expected: dict[tuple[str, str], list[list[str]]] = {}
    with gzip.open(folder / "expected" / "ndeval.csv.gz", "rt", encoding="utf-8") as file:
        for name, sort, *row in list(csv.reader(file))[1:]:
            expected.setdefault((name, sort), []).append(row)
    for path in sorted((folder / "runs").iterdir())[::8]:
        (tmp_path / "r").write_bytes(gzip.decompress(path.read_bytes()))
        for sort, options in (("rank", []), ("traditional", ["-traditional"])):
            assert main([*options, str(tmp_path / "q"), str(tmp_path / "r")]) == 0
            lines = capfdbinary.readouterr().out.decode("latin-1").splitlines()[1:]
            theirs = expected[path.name.partition(".run")[0], sort]
            assert [line.split(",")[1:] for line in lines] == theirs, (path.name, sort)


def test_the_scores_are_those_of_evaluate(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    rng = random.Random(5)
    judged = [(t, s, f"d{d}", rng.randint(0, 1)) for t in "123" for s in "12345" for d in range(20)]
    run = {t: rng.sample([f"d{d}" for d in range(30)], 25) for t in "123"}
    qrels = "".join(f"{t} {s} {d} {g}\n" for t, s, d, g in judged)
    (tmp_path / "q").write_text(qrels, encoding="utf-8")
    ranked = "".join(f"{t} Q0 {d} {i} 0 x\n" for t, docs in run.items() for i, d in enumerate(docs, 1))
    (tmp_path / "r").write_text(ranked, encoding="utf-8")
    assert main([str(tmp_path / "q"), str(tmp_path / "r")]) == 0
    head, *lines = capfdbinary.readouterr().out.decode().splitlines()
    scores = evaluate(judged, run, head.split(",")[2:]).per_topic()["run"]
    assert len(scores) == len(lines) - 1 == 3
    for line in lines[:-1]:
        _, topic, *row = line.split(",")
        assert [float(x) for x in row] == pytest.approx(list(scores[topic].values()), abs=5.1e-7)


def test_help_and_version_are_on_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-help"]) == main(["-version"]) == 0
    printed = capsys.readouterr()
    assert "-riskAlpha VALUE" in printed.out
    assert "version 4.5" in printed.out
    assert not printed.err
