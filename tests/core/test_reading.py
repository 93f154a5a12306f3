"""What the readers tolerate, and how topics are put in order."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankprism import InputError, evaluate, read_judgments, read_run
from rankprism.formats import files
from rankprism.formats.files import run_name
from rankprism.types import JudgmentsLike, Order, RunsLike
from tests.support.compressing import zstd
from tests.support.files import write

JUDGMENTS = {"1": {"a": {"d1": 1, "d2": 0}, "b": {"d3": 2}}, "2": {"a": {"d1": 1}}}


def rows(table: Any) -> list[tuple[Any, ...]]:
    frame = table.to_frame("polars")
    return [tuple(row) for row in frame.rows()]


@pytest.mark.parametrize(
    "text",
    [
        "1 a d1 1\n1 a d2 0\n1 b d3 2\n2 a d1 1\n",
        "1\ta\td1\t1\n1\ta\td2\t0\n1\tb\td3\t2\n2\ta\td1\t1\n",
        "  1   a \t d1   1  \n1 a d2 0\r\n\r\n1 b d3 2\r\n2 a d1 1",
        "\ufeff# a comment\n1 a d1 1\n\n#\tanother\n1 a d2 0\n1 b d3 2.0\n2 a d1 +1\n\n",
        "2 a d1 1\n1 b d3 2\n1 a d2 0\n1 a d1 1\n1 a d1 1.0\n",
    ],
    ids=["blanks", "tabs", "mixed, CRLF, no last newline", "BOM, comments", "scattered, repeated"],
)
def test_judgments_are_the_same_however_they_are_written(text: str, tmp_path: Path) -> None:
    assert rows(read_judgments(write(tmp_path / "q", text))) == rows(read_judgments(JUDGMENTS))


@pytest.mark.parametrize(
    "text",
    [
        "1 Q0 d1 1 3.5 t\n1 Q0 d2 2 2.5 t\n2 Q0 d3 1 1 t\n",
        "1\tQ0\td1\t1\t3.5\tt\n1\tQ0\td2\t2\t2.5\tt\n2\tQ0\td3\t1\t1\tt\n",
        " 1  Q0\td1 1   35e-1 t\r\n\r\n1 Q0 d2 2 +2.5 t\r\n2 Q0 d3 1 1.000 t",
        "\ufeff# c\n1 Q0 d1 1 3.5 a tag with blanks\n1 Q0 d2 2 2.5 t # no comment\n2 Q0 d3 1 1 t\n",
    ],
    ids=["blanks", "tabs", "mixed, CRLF, no last newline", "BOM, comment, long tag"],
)
def test_runs_are_the_same_however_they_are_written(text: str, tmp_path: Path) -> None:
    expected = [("1", "d1", 3.5, 1.0), ("1", "d2", 2.5, 2.0), ("2", "d3", 1.0, 1.0)]
    assert rows(read_run(write(tmp_path / "r", text))) == expected


def test_a_document_id_may_start_with_a_hash_sign(tmp_path: Path) -> None:
    judgments = read_judgments(write(tmp_path / "q", "#1 a #d1 1\n"))
    assert rows(judgments) == [("#1", "a", "#d1", 1.0)]


@pytest.mark.parametrize("ending", ["", ".gz", ".bz2", ".xz", ".zst"])
def test_compressed_files_are_unpacked(ending: str, tmp_path: Path) -> None:
    pack: dict[str, Callable[[bytes], bytes]] = {
        "": bytes,
        ".gz": gzip.compress,
        ".bz2": bz2.compress,
        ".xz": lzma.compress,
        ".zst": zstd.compress,
    }
    qrels = write(tmp_path / f"q.txt{ending}", pack[ending](b"1 a d1 1\n"))
    run = write(tmp_path / f"bm25.run{ending}", pack[ending](b"1 Q0 d1 1 1 t\n"))
    assert evaluate(qrels, run, "P@1").mean() == {"bm25": {"P@1": 1.0}}


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("runs/bm25.run", "bm25"),
        ("bm25.run.gz", "bm25"),
        ("bm25.txt.zst", "bm25"),
        ("bm25.v2.trec.xz", "bm25.v2"),
        ("bm25.res.bz2", "bm25"),
        ("bm25.run.txt", "bm25.run"),
        ("bm25.gz.run", "bm25.gz"),
        ("bm25.out", "bm25.out"),
        (".run", ".run"),
        ("-", "stdin"),
    ],
)
def test_a_run_is_named_after_its_file(path: str, name: str) -> None:
    assert run_name(path) == name


@pytest.mark.parametrize(
    ("text", "format", "expected"),
    [
        ("1 0 d1 2\n", None, ("1", "0", "d1", 2.0)),
        ("1 7 d1 2\n", "adhoc", ("1", "0", "d1", 2.0)),
        ("1 d1 2 1 0.5\n", None, ("1", "0", "d1", 2.0)),
        ("1 d1 2 1 0.5\n", "prels", ("1", "0", "d1", 2.0)),
        ("1 3 4 5\n", None, ("1", "3", "4", 5.0)),
        ("1 a d1 -2\n", None, ("1", "a", "d1", -2.0)),
        ("1 a d1 0.25\n", None, ("1", "a", "d1", 0.25)),
    ],
)
def test_formats_are_recognised_and_can_be_forced(
    text: str, format: str | None, expected: tuple[Any, ...], tmp_path: Path
) -> None:
    assert rows(read_judgments(write(tmp_path / "q", text), format=format)) == [expected]


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unknown judgment format 'qrel'; use one of diversity"):
        read_judgments(write(tmp_path / "q", "1 a d 1\n"), format="qrel")


@given(st.floats(allow_nan=False, allow_infinity=False) | st.decimals(-1000, 1000, places=6).map(float))
def test_numbers_are_read_as_python_reads_them(tmp_path_factory: Any, number: float) -> None:
    path = tmp_path_factory.getbasetemp() / "number.run"
    for text in (repr(number), f"{number:.6f}", f"{number:e}", f"{number:.17g}"):
        write(path, f"1 Q0 d 1 {text} t\n")
        assert rows(read_run(path)) == [("1", "d", float(text), 1.0)]


# One topic whose order differs under every rule. As 32-bit floats the scores of d1 and d3 are equal.
ORDERED = "1 Q0 d1 4 0.50000000001 t\n1 Q0 d3 3 0.5 t\n1 Q0 d2 1 0.5 t\n1 Q0 d4 2 0.25 t\n"


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("score", ["d1", "d3", "d2", "d4"]),
        ("trec_eval", ["d1", "d3", "d2", "d4"]),
        ("trec_eval-9", ["d3", "d2", "d1", "d4"]),
        ("score-ascending-id", ["d1", "d2", "d3", "d4"]),
        ("rank", ["d2", "d4", "d3", "d1"]),
        ("input", ["d1", "d3", "d2", "d4"]),
    ],
)
@pytest.mark.filterwarnings("ignore:the rank column and the scores:rankprism.RankprismWarning")
def test_orders(order: Order, expected: list[str], tmp_path: Path) -> None:
    run = write(tmp_path / "r.run", ORDERED)
    for rank, doc in enumerate(expected, 1):
        assert evaluate({"1": {doc: 1}}, run, "RR", order=order).mean()["r"]["RR"] == 1 / rank


def test_lines_may_be_in_any_order(tmp_path: Path) -> None:
    chance = random.Random(5)
    lines = [f"{t} Q0 d{d} {d} {100 - d}.5 t" for t in range(1, 9) for d in range(1, 30)]
    judgments = {str(t): {f"d{d}": chance.randrange(3) for d in range(1, 40)} for t in range(1, 9)}
    sorted_run = write(tmp_path / "r.run", "\n".join(lines))
    first = evaluate(judgments, sorted_run, ["nDCG", "AP"])
    chance.shuffle(lines)
    second = evaluate(judgments, write(tmp_path / "r.run", "\n".join(lines)), ["nDCG", "AP"])
    assert first.values.tobytes() == second.values.tobytes()


def test_duplicates_first_keeps_the_better_ranked(tmp_path: Path) -> None:
    text = "1 Q0 d2 3 1 t\n1 Q0 d1 1 3 t\n1 Q0 d2 2 2 t\n1 Q0 d3 4 0.5 t\n"
    run = write(tmp_path / "r.run", text)
    ranks = [
        evaluate({"1": {d: 1}}, run, "RR", duplicates="first").mean()["r"]["RR"] for d in ("d1", "d2", "d3")
    ]
    assert ranks == [1, 1 / 2, 1 / 3]
    assert evaluate({"1": {"d1": 1}}, run, "P", duplicates="first").mean()["r"]["P"] == 1 / 3


def test_topics_are_listed_as_people_list_them() -> None:
    topics = ["10", "9", "b", "a10", "a9", "010"]
    assert read_judgments({t: {"d": 1} for t in topics}).topics == ("9", "010", "10", "a10", "a9", "b")


@pytest.mark.filterwarnings("ignore:.*no-break space:rankprism.RankprismWarning")
def test_ids_in_any_script_and_of_any_length(tmp_path: Path) -> None:
    ids = ["文書一", "документ", "وثيقة", "📄", "e\u0301", "x" * 5000, "a\u00a0b", "'quoted'", "a,b"]
    qrels = write(tmp_path / "q", "".join(f"тема αспект {d} 1\n" for d in ids))
    run = write(tmp_path / "r", "".join(f"тема Q0 {d} {i} {-i} t\n" for i, d in enumerate(ids, 1)))
    assert {row[2] for row in rows(read_judgments(qrels))} == set(ids)
    assert evaluate(qrels, run, ["AP", "RR"]).mean() == {"r": {"AP": 1.0, "RR": 1.0}}


def test_hash_collisions_and_many_documents_lose_nothing() -> None:
    # 20,000 ids in three topics: the tables grow several times, and neighbours collide.
    docs = [f"d{i}" for i in range(20_000)]
    judgments = {t: dict.fromkeys(docs, 1) for t in ("1", "2", "3")}
    run = {t: {d: float(i) for i, d in enumerate(docs)} for t in ("1", "2", "3")}
    assert evaluate(judgments, run, ["P", "AP"]).mean() == {"run": {"P": 1.0, "AP": 1.0}}


def test_threads_do_not_change_scores(tmp_path: Path) -> None:
    chance = random.Random(1)
    judgments = {
        str(t): {s: {f"d{d}": chance.randrange(3) for d in range(50)} for s in "abc"} for t in range(20)
    }
    runs = []
    for number in range(12):
        text = "".join(f"{t} Q0 d{d} 1 {chance.random()} t\n" for t in range(20) for d in range(80))
        runs.append(write(tmp_path / f"{number}.run", text))
    measures = ["alpha_nDCG@20", "nERR_IA", "AP_IA"]
    one, many = (evaluate(judgments, runs, measures, threads=n) for n in (1, 8))
    assert one.runs == many.runs
    assert one.values.tobytes() == many.values.tobytes()


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_good_input_never_dies() -> None:
    one = {"q": {"d": 1.0}}
    measures = [
        "alpha_nDCG@20",
        "alpha_DCG",
        "nERR_IA",
        "nNRBP",
        "AP_IA",
        "P",
        "nDCG",
        "StRecall",
        "ERR",
        "RBP",
    ]
    cases: list[tuple[JudgmentsLike, RunsLike]] = [
        ({"q": {"d": 1}, "r": {"d": 1}}, {"q": {}, "r": {"d": 1.0}}),  # an empty ranking
        ({"q": {"d": 1}}, one),  # one topic, one aspect, one document
        ({"q": {"d": 0}}, one),  # nothing relevant
        ({"q": {"d": -2}}, one),  # only junk
        ({"q": {"a": {"d": 1}, "b": {"e": 0}}, "r": {"c": {"f": 3}}}, one),  # a dead aspect, a missing topic
        ({"q": {str(a): {"d": 1} for a in range(57)}}, one),  # many aspects
    ]
    for judgments, run in cases:
        values = evaluate(judgments, run, measures).values
        assert ((values >= 0) & (values <= 1)).all()


def test_a_packed_run_is_unpacked_while_the_judgments_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The judgments wait here until the run is being unpacked."""
    begun, unpack = threading.Event(), files._pieces

    def noted(name: str) -> files.Pieces:
        if name.endswith("run.gz"):
            begun.set()
        else:
            assert begun.wait(60)
        return unpack(name)

    monkeypatch.setattr(files, "_pieces", noted)
    qrels = write(tmp_path / "qrels.gz", gzip.compress(b"1 a d1 1\n1 a d2 1\n"))
    run = write(tmp_path / "run.gz", gzip.compress(b"1 Q0 d2 1 2.5 t\n1 Q0 d1 2 1.5 t\n"))
    assert evaluate(qrels, run, "AP", threads=2).mean() == {"run": {"AP": 1.0}}


def test_a_packed_run_that_is_damaged_is_refused_in_its_turn(tmp_path: Path) -> None:
    qrels = write(tmp_path / "qrels", "1 a d1 1\n")
    damaged = write(tmp_path / "bad.run.gz", gzip.compress(b"1 Q0 d2 1 2.5 t\n" * 9)[:-9])
    with pytest.raises(InputError, match=r"bad\.run\.gz: cannot be unpacked"):
        evaluate(qrels, damaged, "AP", threads=2)
    with pytest.raises(InputError, match="nowhere: there is no such file"):  # the judgments come first
        evaluate(tmp_path / "nowhere", damaged, "AP", threads=2)
