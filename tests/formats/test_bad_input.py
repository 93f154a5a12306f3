"""Bad input gets an error that names file, line, value and remedy; exit code 2; and nothing half-written."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import rankprism
from rankprism import InputError, MeasureError, RankprismWarning, evaluate, read_judgments, read_run
from tests.support.files import write

QRELS = "1 a d1 1\n1 b d2 1\n2 a d1 2\n"
RUN = "1 Q0 d1 1 2.5 t\n1 Q0 d2 2 1.5 t\n2 Q0 d1 1 1.0 t\n"
WEIGHTS = "1 a 0.7\n1 b 0.3\n2 a 1\n"


class Case(NamedTuple):
    """A file with a mistake, and what the message has to say of it."""

    name: str
    text: str | bytes
    says: tuple[str, ...]


QRELS_CASES = [
    Case("too few columns", "1 a d1 1\n1 a d2\n", ("q.txt, line 2", "expected 4 columns", "found 3")),
    Case("too many columns", "1 a d1 1\n1 a d2 1 x y\n", ("q.txt, line 2", "expected 4 columns", "found 6")),
    Case("grade no number", "1 a d1 1\n\n# c\n1 a d2 high\n", ("q.txt, line 4", "'high'", "not a number")),
    Case("grade NaN", "1 a d1 nan\n", ("q.txt, line 1", "'nan'")),
    Case(
        "two grades",
        "1 a d1 1\n1 b d1 1\n1 a d1 2\n",
        ("line 3", "'d1'", "grade 2", "grade", "1 at line 1", "keep one"),
    ),
    Case("empty", "", ("q.txt", "empty")),
    Case("only comments", "# nothing\n\n", ("q.txt", "no judgments")),
    Case("binary", b"1 a d1 1\n1 a \x00\x01 1\n", ("q.txt, line 2", "binary")),
    Case(
        "Latin-1",
        "1 a d1 1\n1 a caf\u00e9 1\n".encode("latin-1"),
        ("q.txt, line 2", "0xE9", "UTF-8", "iconv"),
    ),
    Case("UTF-16", "1 a d1 1\n".encode("utf-16"), ("q.txt", "UTF-16", "iconv")),
    Case("gzip without .gz", gzip.compress(b"1 a d1 1\n"), ("q.txt", "compressed", ".gz")),
    Case("a run instead", RUN, ("q.txt, line 1", "looks like a run", "name the judgments first")),
]
RUN_CASES = [
    Case(
        "too few columns",
        "1 Q0 d1 1 2.5 t\n1 Q0 d2 2 1.5\n",
        ("r.run, line 2", "expected 6 columns", "found 5"),
    ),
    Case("score no number", "1 Q0 d1 1 best t\n", ("r.run, line 1", "'best'", "not a finite number")),
    Case("score NaN", "1 Q0 d1 1 nan t\n", ("r.run, line 1", "'nan'")),
    Case("score inf", "1 Q0 d1 1 -inf t\n", ("r.run, line 1", "'-inf'")),
    Case("score beyond float64", "1 Q0 d1 1 1e999 t\n", ("r.run, line 1", "'1e999'")),
    Case("score with a comma", "1 Q0 d1 1 2,5 t\n", ("r.run, line 1", "'2,5'")),
    Case(
        "document twice",
        "1 Q0 d1 1 2.5 t\n1 Q0 d2 2 1.5 t\n1 Q0 d1 3 1.0 t\n",
        ("r.run, line 3", "'d1'", "topic '1'", "line 1", "--duplicates first"),
    ),
    Case(
        "document twice in an unjudged topic",
        RUN + "9 Q0 d1 1 2.5 t\n9 Q0 d1 2 1.5 t\n",
        ("r.run, line 5", "topic '9'", "line 4"),
    ),
    Case("empty", "", ("r.run", "empty")),
    Case("only blank lines", "\n \n\t\n", ("r.run", "no ranking")),
    Case("binary", b"\x7fELF\x00\x00", ("r.run, line 1", "binary")),
    Case("Latin-1", "1 Q0 \u00e4 1 2.5 t\n".encode("latin-1"), ("r.run, line 1", "0xE4", "UTF-8")),
    Case("no common topic", "x1 Q0 d1 1 2.5 t\n", ("r.run", "shares no topic", "q.txt", "'x1'", "'1'")),
    Case("judgments instead", QRELS, ("r.run, line 1", "expected 6 columns", "found 4")),
]
WEIGHT_CASES = [
    Case("too few columns", "1 a\n", ("w.txt, line 1", "expected 3 columns", "found 2")),
    Case("no number", "1 a x\n", ("w.txt, line 1", "'x'", "not a number")),
    Case("negative", "1 a -1\n1 b 1\n2 a 1\n", ("w.txt, line 1", "-1", "from 0 to")),
    Case("unknown aspect", WEIGHTS + "1 c 0.1\n", ("w.txt, line 4", "'c'", "topic '1'", "only a, b")),
    Case("unknown topic", WEIGHTS + "3 a 1\n", ("w.txt, line 4", "topic '3' is not judged")),
    Case("missing aspect", "1 a 1\n2 a 1\n", ("w.txt", "no weight", "'b'", "'1'", "add a line")),
    Case("all zero", "1 a 0\n1 b 0\n2 a 1\n", ("w.txt", "topic '1'", "sum to 0")),
    Case("two weights", WEIGHTS + "1 a 0.5\n", ("w.txt, line 4", "0.5", "0.7", "line 1")),
    Case("empty", "# nothing\n", ("w.txt", "no weights")),
    Case("Latin-1", "1 \u00e4 1\n".encode("latin-1"), ("w.txt, line 1", "UTF-8")),
]


def refused(
    cli: Callable[..., Any],
    folder: Path,
    says: tuple[str, ...],
    *options: str,
    lines: int = 1,
    **files: str | bytes,
) -> None:
    """The command line refuses these files, says so in a line for each fault, and writes nothing."""
    qrels = write(folder / "q.txt", files.get("qrels", QRELS))
    run = write(folder / "r.run", files.get("run", RUN))
    out = folder / "scores.csv"
    result = cli("evaluate", qrels, run, *(options or ("-m", "P@5")), "-o", out)
    assert result.returncode == 2, result.stderr
    assert not out.exists()
    assert list(folder.glob(".*part")) == []
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    assert len(result.stderr.splitlines()) == lines
    for part in says:
        assert part in result.stderr


@pytest.mark.parametrize("case", QRELS_CASES, ids=lambda c: c.name)
def test_bad_judgments_are_refused(case: Case, cli: Callable[..., Any], tmp_path: Path) -> None:
    refused(cli, tmp_path, case.says, qrels=case.text)
    with pytest.raises(InputError):
        read_judgments(tmp_path / "q.txt")


@pytest.mark.parametrize("case", RUN_CASES, ids=lambda c: c.name)
def test_bad_runs_are_refused(case: Case, cli: Callable[..., Any], tmp_path: Path) -> None:
    refused(cli, tmp_path, case.says, run=case.text)


@pytest.mark.parametrize("case", WEIGHT_CASES, ids=lambda c: c.name)
def test_weights_that_do_not_fit_are_refused(case: Case, cli: Callable[..., Any], tmp_path: Path) -> None:
    weights = write(tmp_path / "w.txt", case.text)
    refused(cli, tmp_path, case.says, "-m", "ERR_IA@5", "--weights", str(weights))


@pytest.mark.parametrize(
    ("measure", "says"),
    [
        ("alpha_nDGC@20", ("unknown measure 'alpha_nDGC'", "did you mean alpha_nDCG")),
        ("AlphaNDCG", ("unknown measure", "rankprism measures")),
        ("P@0", ("P: cutoff must be a whole number ≥ 1 and ≤ 1,000,000,000; got 0",)),
        ("P@-3", ("cutoff must be", "-3")),
        ("P@2.5", ("cutoff must be", "2.5")),
        ("alpha_nDCG(alpha=2)@20", ("alpha must be a number ≥ 0 and ≤ 1; got 2",)),
        ("alpha_nDCG(alpha='x')@20", ("alpha must be a number", "'x'")),
        ("NRBP(beta=1)", ("beta must be a number > 0 and < 1; got 1",)),
        ("RBP(p=1)", ("p must be", "got 1")),
        ("P(rel=0)@5", ("rel must be a number > 0 and ≤ 1,000,000,000; got 0",)),
        ("nDCG(dcg='log3')@5", ("dcg must be one of 'log2', 'exp-log2'; got 'log3'",)),
        ("alpha_nDCG(apha=0.5)@20", ("no parameter 'apha'", "did you mean alpha")),
        ("P@", ("cannot read", "expected a number", "the end")),
        ("P(rel=1", ("cannot read", "expected )")),
        ("P(rel)", ("cannot read", "expected =")),
        ("P@5 10", ("cannot read", "expected a name, found 10")),
        ("P(rel=two)", ("cannot read", "words go in quotes")),
        ("P$", ("cannot read", "'$' is not allowed there")),
        ("__import__('os')", ("unknown measure",)),
        ("CAM(nDCG)@10", ("CAM takes no cutoff of its own; write CAM(nDCG@10)",)),
        ("CAM(alpha_nDCG@10)", ("CAM: measure must be a single-aspect measure",)),
        ("nDCG(gains={-1:1})", ("gains must be a mapping of grades",)),
        ("S_RR(level=0)", ("level must be a number > 0 and ≤ 1; got 0",)),
        ("", ("cannot read", "expected a name")),
    ],
)
def test_impossible_measures_are_refused_beside_what_is_wrong_with_a_file(
    measure: str, says: tuple[str, ...], cli: Callable[..., Any], tmp_path: Path
) -> None:
    """The first line of the file is looked at to see what it is, and all that is wrong is said at once."""
    refused(
        cli, tmp_path, (*says, "q.txt, line 1: expected 4 columns"), "-m", measure, qrels="broken", lines=2
    )


def test_err_above_its_scale_says_which_scale_fits() -> None:
    with pytest.raises(MeasureError, match="grade 5 is above max_rel=4; set max_rel=5"):
        evaluate({"q": {"d": 5}}, {"q": {"d": 1.0}}, "ERR@5")


@pytest.mark.parametrize(
    ("option", "value", "says"),
    [("--systems", "2.5", "'2.5' is not a whole number"), ("--variance", "x", "'x' is not a number")],
)
def test_options_say_which_kind_of_number_they_take(
    option: str, value: str, says: str, cli: Callable[..., Any]
) -> None:
    result = cli("topic-set-size", "--difference", "0.1", option, value)
    assert (result.returncode, option in result.stderr, says in result.stderr) == (2, True, True)


def test_a_missing_file_and_a_directory_are_named(cli: Callable[..., Any], tmp_path: Path) -> None:
    run = write(tmp_path / "r.run", RUN)
    for path, says in ((tmp_path / "none.txt", "no such file"), (tmp_path, "is a directory")):
        result = cli("evaluate", path, run, "-m", "P@5")
        assert (result.returncode, str(path) in result.stderr, says in result.stderr) == (2, True, True)
    result = cli("evaluate", run, "-m", "P@5")
    assert result.returncode == 2  # no run given


def test_two_runs_of_one_name_are_refused(cli: Callable[..., Any], tmp_path: Path) -> None:
    qrels = write(tmp_path / "q.txt", QRELS)
    (tmp_path / "other").mkdir()
    runs = [write(tmp_path / "bm25.run", RUN), write(tmp_path / "other" / "bm25.txt", RUN)]
    result = cli("evaluate", qrels, *runs, "-m", "P@5")
    assert result.returncode == 2
    assert "two runs are named 'bm25'" in result.stderr
    assert all(str(run) in result.stderr for run in runs)


def test_an_unwritable_output_is_refused(cli: Callable[..., Any], tmp_path: Path) -> None:
    qrels, run = write(tmp_path / "q.txt", QRELS), write(tmp_path / "r.run", RUN)
    result = cli("evaluate", qrels, run, "-m", "P@5", "-o", tmp_path / "nowhere" / "scores.csv")
    assert result.returncode == 2
    assert "does not exist; create it first" in result.stderr


def test_a_damaged_gzip_file_is_refused(tmp_path: Path) -> None:
    whole = gzip.compress(QRELS.encode())
    for broken in (whole[:-9], whole[:12] + b"\xff\xff\xff" + whole[15:], b"not gzip"):
        with pytest.raises(InputError, match=r"q\.txt\.gz: cannot be unpacked .* complete"):
            read_judgments(write(tmp_path / "q.txt.gz", broken))


def test_a_run_without_judged_documents_is_legitimate_but_said(
    cli: Callable[..., Any], tmp_path: Path
) -> None:
    qrels, run = write(tmp_path / "q.txt", QRELS), write(tmp_path / "r.run", "1 Q0 z9 1 2.5 t\n")
    with pytest.warns(RankprismWarning, match="none of its documents is judged"):
        assert evaluate(qrels, run, "P@5", topics="retrieved").mean() == {"r": {"P@5": 0.0}}
    result = cli("evaluate", qrels, run, "-m", "P@5", "--topics", "retrieved")
    assert result.returncode == 0
    assert result.stderr.startswith("note: 'r': none of its documents is judged")


@pytest.mark.parametrize(
    ("judgments", "says"),
    [
        ({}, "no judgments given"),
        ({"q": 3}, r"row 1: topic 'q' holds 3; expected"),
        ({"q": {"a": {"d": "high"}}}, "row 1: the grade 'high' is not a finite number"),
        ({"q": {"d": float("nan")}}, "row 1: the grade nan"),
        ({"q": {"": 1}}, "row 1: '' is not a valid document id"),
        ([("q", "a", "d", 1), ("q", "a")], r"row 2: \('q', 'a'\) is not a row of"),
        (
            [("q", "a", "d", 1), ("q", "b", "d", 1), ("q", "a", "d", 2)],
            "row 3: .* grade 2 here and 1 at row 1",
        ),
        (
            [{"topic": "q", "grade": 1}],
            "no document column among topic .topic., grade; name it with --columns",
        ),
        (42, "cannot read int objects"),
    ],
)
def test_bad_judgments_in_memory_are_refused(judgments: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_judgments(judgments)


@pytest.mark.parametrize(
    ("run", "says"),
    [
        ({}, "the run is empty"),
        ({"q": {"d": "first"}}, "row 1: the score 'first' is not a finite number"),
        ({"q": {"d": float("inf")}}, "row 1: the score inf"),
        ([("q", "d", 1.0), ("q", "d", 2.0)], "row 2: document 'd' occurs twice in topic 'q', first at row 1"),
        ([("q", "d", 1.0, 1), ("q", "e", 2.0)], "some rows have a rank and some have none"),
    ],
)
def test_bad_runs_in_memory_are_refused(run: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        evaluate({"q": {"d": 1}}, read_run(run), "P@5")


def test_ordering_by_rank_needs_ranks() -> None:
    with pytest.raises(InputError, match="has no ranks to order by"):
        evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "P@5", order="rank")


def test_a_rank_that_is_not_a_number_matters_only_when_ordering_by_rank(tmp_path: Path) -> None:
    run = write(tmp_path / "r.run", "1 Q0 d1 first 2.5 t\n")
    assert evaluate({"1": {"d1": 1}}, run, "P@1").mean() == {"r": {"P@1": 1.0}}
    with pytest.raises(InputError, match="line 1: the rank is not a number"):
        evaluate({"1": {"d1": 1}}, run, "P@1", order="rank")


@pytest.mark.parametrize("option", ["order", "topics", "duplicates"])
def test_an_unknown_convention_is_refused(option: str) -> None:
    with pytest.raises(InputError, match=f"{option} must be one of .*; got 'x'"):
        evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "P@5", **{option: "x"})  # type: ignore[arg-type]


def test_errors_are_value_errors_with_one_root() -> None:
    assert issubclass(rankprism.InputError, rankprism.RankprismError)
    assert issubclass(rankprism.MeasureError, rankprism.RankprismError)
    assert issubclass(rankprism.RankprismError, ValueError)
