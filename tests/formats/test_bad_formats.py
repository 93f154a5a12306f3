"""Bad files of every format get an error that names file, line, value and remedy; nothing is half-written."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankprism import InputError, evaluate, read_judgments, read_run
from rankprism.formats.conversion import convert
from rankprism.formats.known import JUDGMENT_FORMATS, RUN_FORMATS
from tests.support.files import write

QRELS = "1 a d1 1\n1 b d2 1\n2 a d1 2\n"
RUN = "1 Q0 d1 1 2.5 t\n1 Q0 d2 2 1.5 t\n2 Q0 d1 1 1.0 t\n"
E1 = "1\td1\t1\ta\t0.5\n"  # a good line of EvALL
E2 = "1\td2\t1\tb\t0.5\n"


class Case(NamedTuple):
    """A file with a mistake, and what the message has to say of it."""

    name: str
    format: str | None
    text: str | bytes
    says: tuple[str, ...]


QRELS_CASES = [
    Case("ntcir, columns", "ntcir", "1 d1\n", ("q.txt, line 1", "expected 4 columns", "or 3", "found 2")),
    Case("ntcir, mixed", None, "1 1 d1 L1\n1 d1 L1\n", ("q.txt, line 2", "3 columns, but 4", "every line")),
    Case("ntcir, no level", None, "1 1 d1 L1\n1 1 d2 1\n", ("q.txt, line 2", "'1'", "L0 to L9")),
    Case("ntcir, level too high", None, "1 1 d1 L10\n", ("q.txt, line 1", "'L10'", "L0 to L9")),
    Case("ntcir, small letter", "ntcir", "1 1 d1 l1\n", ("q.txt, line 1", "'l1'", "L0 to L9")),
    Case(
        "ntcir, two grades",
        None,
        "# c\n1 1 d1 L1\n1 2 d1 L2\n1 1 d1 L2\n",
        ("q.txt, line 4", "'d1'", "topic '1'", "aspect '1'", "grade 2 here and 1 at line 2", "keep one"),
    ),
    Case("ntcir, diversity instead", "ntcir", QRELS, ("q.txt, line 1", "'1'", "L0 to L9")),
    Case("ntcir, nothing", "ntcir", "# nothing\n\n", ("q.txt", "no judgments")),
    Case("ntcir, empty", "ntcir", "", ("q.txt", "the file is empty")),
    Case("ntcir, Latin-1", None, "1 d1 L1\n1 \u00e4 L1\n".encode("latin-1"), ("line 2", "0xE4", "iconv")),
    Case("ntcir, binary", None, b"1 d1 L1\n1 \x00 L1\n", ("q.txt, line 2", "binary")),
    Case(
        "evall, columns",
        "evall",
        E1 + "1\td2\t1\tb\n",
        ("q.txt, line 2", "expected 5 columns", "tabs", "found 4"),
    ),
    Case(
        "evall, blanks", "evall", "1 d1 1 a 0.5\n", ("q.txt, line 1", "expected 5 columns", "tabs", "found 1")
    ),
    Case("evall, more columns", None, E1 + "1\td2\t1\tb\t1\t\n", ("q.txt, line 2", "expected 5", "found 6")),
    Case("evall, empty value", None, E1 + "1\t\t1\tb\t1\n", ("q.txt, line 2", "the document is empty")),
    Case("evall, empty quotes", None, '"1"\t""\t"1"\t"b"\t"1"\n', ("q.txt, line 1", "the document is empty")),
    Case(
        "evall, blanks around", None, E1 + "1\td2 \t1\tb\t1\n", ("line 2", "document 'd2 '", "blanks around")
    ),
    Case(
        "evall, half quoted", None, E1 + '1\t"d2\t1\tb\t1\n', ("line 2", "'\"d2'", "double quote", "or none")
    ),
    Case("evall, quote inside", None, '"1"\t"d"2"\t1\tb\t1\n', ("line 1", "document", "double quote")),
    Case("evall, grade", None, E1 + "1\td2\thigh\tb\t1\n", ("line 2", "grade 'high'", "not a number")),
    Case("evall, decimal comma", None, E1 + "1\td2\t1\tb\t0,5\n", ("line 2", "weight '0,5'", "not a number")),
    Case("evall, weight", None, E1 + "1\td2\t1\tb\t-1\n", ("line 2", "weight -1", "from 0 to")),
    Case(
        "evall, two weights",
        None,
        E1 + "1\td3\t1\ta\t0.5\n" + "1\td2\t1\ta\t0.25\n",
        ("q.txt, line 3", "aspect 'a'", "topic '1'", "0.25 here and 0.5 at", "q.txt, line 1", "keep one"),
    ),
    Case("evall, no weight", None, "1\td1\t1\ta\t0\n", ("q.txt", "topic '1'", "sum to 0", "positive")),
    Case(
        "evall, document twice",
        None,
        E1 + E2 + E1,
        ("q.txt, line 3", "'d1'", "topic '1'", "aspect 'a'", "line 1 already", "remove one"),
    ),
    Case(
        "evall or prels",
        None,
        "1\td1\t1\t3\t0.5\n",
        ("q.txt, line 1", "evall or prels", "--qrels-format"),
    ),
    Case("evall, nothing", "evall", "\n", ("q.txt", "no judgments")),
    Case(
        "dd, columns",
        "trec-dd",
        "1 1.1 d1 1\n",
        ("q.txt, line 1", "expected 5 columns", "passage", "found 4"),
    ),
    Case(
        "dd, passage", None, "1 1.1 d1 1 1\n1 1.1 d1 p2 1\n", ("line 2", "passage 'p2'", "not a whole number")
    ),
    Case("dd, rating", "trec-dd", "1 1.1 d1 1 0.5\n", ("line 1", "rating '0.5'", "not a whole number")),
    Case(
        "dd, negative rating", "trec-dd-max", "1 1.1 d1 1 -1\n", ("line 1", "rating '-1'", "whole number ≥ 0")
    ),
    Case(
        "dd, passage twice",
        None,
        "1 1.1 d1 1 1\n1 1.2 d1 1 1\n1 1.1 d1 1 1\n",
        ("q.txt, line 3", "passage 1", "'d1'", "topic '1'", "subtopic '1.1'", "line 1 already", "remove one"),
    ),
    Case("dd, nothing", "trec-dd", "\n", ("q.txt", "no judgments")),
]
RUN_CASES = [
    Case("columns", None, "1\td1\n1\td2\t3\n", ("r.run, line 2", "expected 2 columns", "tabs", "found 3")),
    Case("blanks", "evall", "1 d1\n", ("r.run, line 1", "expected 2 columns", "tabs", "found 1")),
    Case("empty value", None, "1\td1\n1\t\n", ("r.run, line 2", "the document is empty")),
    Case(
        "document twice",
        None,
        "1\td1\n2\td1\n1\td1\n",
        ("r.run, line 3", "'d1'", "topic '1'", "line 1", "--duplicates first"),
    ),
    Case("nothing", "evall", "# nothing\n", ("r.run", "no ranking")),
    Case("a TREC run instead", "evall", RUN, ("r.run, line 1", "expected 2 columns", "found 1")),
    Case("not a TREC run", "trec", "1\td1\n", ("r.run, line 1", "expected 6 columns", "found 2")),
    Case("no common topic", None, "x1\td1\n", ("r.run", "shares no topic", "q.txt", "'x1'", "'1'")),
]
WEIGHT_CASES = [
    Case(
        "columns", None, "1 a\n", ("w.txt, line 1", "expected 3 columns", "or 4 with inf or nav", "found 2")
    ),
    Case("type", None, "1 a 0.5 navi\n", ("w.txt, line 1", "'navi'", "neither inf nor nav")),
    Case("some types", None, "1 a 1 inf\n1 b 1\n", ("line 2", "without a type", "inf at", "line 1", "every")),
    Case(
        "types later", None, "1 a 1\n1 b 1 nav\n", ("line 2", "nav", "without a type at", "line 1", "every")
    ),
    Case(
        "two types", None, "1 a 1 inf\n1 a 1 nav\n", ("line 2", "aspect 'a'", "nav here and inf at", "line 1")
    ),
    Case("binary", None, b"1 a 1\n1 \x00 1\n", ("w.txt, line 2", "binary")),
]


def refused(result: Any, folder: Path, files: set[str], says: tuple[str, ...]) -> None:
    """The command line refuses in one line, and writes nothing."""
    assert result.returncode == 2, result.stderr
    assert {path.name for path in folder.iterdir()} == files
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    for part in says:
        assert part in result.stderr


@pytest.mark.parametrize("case", QRELS_CASES, ids=lambda c: c.name)
def test_bad_judgments_are_refused(case: Case, cli: Callable[..., Any], tmp_path: Path) -> None:
    qrels, run = write(tmp_path / "q.txt", case.text), write(tmp_path / "r.run", RUN)
    with pytest.raises(InputError):
        read_judgments(qrels, format=case.format)
    chosen = ["--qrels-format", case.format] if case.format else []
    result = cli("evaluate", qrels, run, "-m", "P@5", *chosen, "-o", tmp_path / "scores.csv")
    refused(result, tmp_path, {"q.txt", "r.run"}, case.says)


@pytest.mark.parametrize("case", RUN_CASES, ids=lambda c: c.name)
def test_bad_runs_are_refused(case: Case, cli: Callable[..., Any], tmp_path: Path) -> None:
    qrels, run = write(tmp_path / "q.txt", QRELS), write(tmp_path / "r.run", case.text)
    chosen = ["--run-format", case.format] if case.format else []
    result = cli("evaluate", qrels, run, "-m", "P@5", *chosen, "-o", tmp_path / "scores.csv")
    refused(result, tmp_path, {"q.txt", "r.run"}, case.says)


@pytest.mark.parametrize("case", WEIGHT_CASES, ids=lambda c: c.name)
def test_bad_weights_are_refused(case: Case, tmp_path: Path) -> None:
    with pytest.raises(InputError) as refusal:
        read_judgments({"1": {"a": {"d": 1}, "b": {"d": 1}}}, weights=write(tmp_path / "w.txt", case.text))
    for part in case.says:
        assert part in str(refusal.value)


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        ({"1": {"a": (0.5, "navi")}}, "row 1: the intent type 'navi' is neither inf nor nav"),
        ({"1": {"a": (0.5, ["nav"])}}, r"row 1: the intent type \['nav'\] is neither inf nor nav"),
        ({"1": {"a": (0.5, "nav", 1)}}, r"row 1: the weight \(0.5, 'nav', 1\) is not a finite number"),
        ([("1", "a", 0.5, "nav"), ("1", "b", 0.5)], "row 2: without a type, but nav at weights, row 1"),
    ],
)
def test_bad_types_in_memory_are_refused(weights: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_judgments({"1": {"a": {"d": 1}, "b": {"d": 1}}}, weights=weights)


def test_a_weight_for_an_unjudged_topic_is_refused_for_ntcir_too(tmp_path: Path) -> None:
    qrels = write(tmp_path / "q.Dqrels", "1 1 d1 L1\n")
    with pytest.raises(InputError, match=r"line 2: .*topic '2' is not judged; remove it"):
        read_judgments(qrels, weights=write(tmp_path / "q.Iprob", "1 1 1\n2 1 1\n"))


def test_unknown_formats_are_refused() -> None:
    with pytest.raises(
        InputError, match=r"unknown judgment format 'trec'; use one of diversity, .*trec-dd-max"
    ):
        read_judgments("q.txt", format="trec")
    with pytest.raises(InputError, match="unknown run format 'ntcir'; use one of trec, evall"):
        read_run("r.run", format="ntcir")
    with pytest.raises(InputError, match="unknown run format 'ntcir'"):
        evaluate({"1": {"d": 1}}, {"1": {"d": 1.0}}, "P@1", run_format="ntcir")


def test_a_file_that_may_not_be_opened_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    path = write(tmp_path / "q", "1 1 d1 L1\n")
    monkeypatch.setattr("builtins.open", forbidden)
    with pytest.raises(InputError, match=r"q: cannot be opened \(Permission denied\)"):
        read_judgments(path)


CONVERT_CASES: list[tuple[str, str, list[str], tuple[str, ...]]] = [
    (
        "unknown target",
        QRELS,
        ["--to", "prels"],
        ("judgments as 'prels'", "diversity, adhoc, beir, evall"),
    ),
    ("unknown source", QRELS, ["--from", "trec"], ("unknown judgment format 'trec'",)),
    ("unknown target of a run", RUN, ["--run", "--to", "ntcir"], ("a run as 'ntcir'", "trec, evall")),
    ("unknown source of a run", RUN, ["--run", "--from", "ntcir"], ("unknown run format 'ntcir'",)),
    (
        "several aspects",
        QRELS,
        ["--to", "adhoc"],
        ("in.txt", "topic '1' has 2 aspects (a, b)", "adhoc holds only one"),
    ),
    (
        "half a level",
        "1 a d 0.5\n",
        ["--to", "ntcir"],
        ("grade 0.5", "'d'", "topic '1'", "aspect 'a'", "0 to 9"),
    ),
    ("negative level", "1 a d -2\n", ["--to", "ntcir"], ("grade -2", "'d'", "0 to 9", "change the grade")),
    ("level 10", "1 a d 10\n", ["--to", "ntcir"], ("grade 10", "0 to 9")),
    (
        "blank in an id",
        '"1"\t"d 1"\t1\ta\t1\n',
        ["--to", "diversity"],
        ("document 'd 1'", "blank", "rename it"),
    ),
    ("blank in an intent", '"1"\t"d"\t1\ta b\t1\n', ["--to", "ntcir"], ("aspect 'a b'", "ntcir cannot hold")),
    ("topic like a comment", '"#"\td\t1\ta\t1\n', ["--to", "adhoc"], ("topic '#'", "comments", "rename it")),
    ("blank in a run", '"1"\t"d 1"\n', ["--run", "--to", "trec"], ("document 'd 1'", "trec cannot hold")),
    ("order of judgments", QRELS, ["--order", "rank"], ("apply only to a run", "--run")),
    ("weights of a run", RUN, ["--run", "--weights", "sakai"], ("a run has no aspects", "--run")),
    ("document twice", RUN + RUN, ["--run"], ("in.txt, line 4", "'d1'", "line 1", "--duplicates first")),
    ("judgments are no run", QRELS, ["--run"], ("in.txt, line 1", "expected 6 columns")),
]


@pytest.mark.parametrize(
    ("name", "text", "options", "says"), CONVERT_CASES, ids=[case[0] for case in CONVERT_CASES]
)
def test_what_cannot_be_converted_is_refused(
    name: str, text: str, options: list[str], says: tuple[str, ...], cli: Callable[..., Any], tmp_path: Path
) -> None:
    source = write(tmp_path / "in.txt", text)
    refused(cli("convert", source, tmp_path / "out", *options), tmp_path, {"in.txt"}, says)


@pytest.mark.parametrize(
    ("out", "says"),
    [
        ("{}", ("is a directory", "name a file")),
        ("{}/none/q", ("none does not exist", "create it")),
    ],
)
def test_where_nothing_can_be_written_is_said(
    out: str, says: tuple[str, ...], cli: Callable[..., Any], tmp_path: Path
) -> None:
    source = write(tmp_path / "in.txt", QRELS)
    refused(cli("convert", source, out.format(tmp_path)), tmp_path, {"in.txt"}, says)
    if out != "-":
        run = write(tmp_path / "r.run", RUN)
        result = cli("evaluate", source, run, "-m", "P@5", "-o", out.format(tmp_path))
        refused(result, tmp_path, {"in.txt", "r.run"}, says)


def test_judgments_stay_unwritten_if_their_weights_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "q.weights").mkdir()
    with pytest.raises(InputError, match=r"q\.weights: is a directory"):
        convert({"1": {"a": {"d": 1}}}, tmp_path / "q", weights={"1": {"a": 1}})
    assert [path.name for path in tmp_path.iterdir()] == ["q.weights"]


@pytest.mark.filterwarnings(r"ignore:.*\[blank-in-id\]")
@pytest.mark.parametrize("doc", ["a\tb", "a\n", " a"])
def test_evall_refuses_ids_that_would_not_read_back(doc: str, tmp_path: Path) -> None:
    for run in (False, True):
        with pytest.raises(InputError, match="cannot hold; rename it"):
            convert({"1": {doc: 1}}, tmp_path / "q.tsv", run=run)


PIECES = [
    "1",
    "a",
    "d1",
    "L1",
    "L10",
    "0.5",
    "-1",
    "1e999",
    "nan",
    '"',
    '""',
    '"x"',
    "\t",
    "\t",
    " ",
    "\n",
    "\r",
    "#",
    "# ",
]


@settings(max_examples=300)
@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join) | st.binary(max_size=40))
def test_whatever_a_file_holds_is_read_or_refused(tmp_path_factory: Any, text: str | bytes) -> None:
    path = write(tmp_path_factory.getbasetemp() / "anything", text)
    for format in (None, *JUDGMENT_FORMATS):
        with contextlib.suppress(InputError):
            assert len(read_judgments(path, format=format)) > 0
    for format in (None, *RUN_FORMATS):
        with contextlib.suppress(InputError):
            assert len(read_run(path, format=format)) > 0


@pytest.mark.parametrize("option", ["order", "duplicates"])
def test_an_unknown_order_is_refused(option: str, tmp_path: Path) -> None:
    options: dict[str, Any] = {option: "x"}
    with pytest.raises(InputError, match=f"{option} must be one of .*; got 'x'"):
        convert({"1": {"d": 1.0}}, tmp_path / "r", run=True, **options)


def test_an_empty_run_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no documents to write"):
        convert({"1": {}}, tmp_path / "r", run=True)
