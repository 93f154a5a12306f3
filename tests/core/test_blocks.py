"""A file is read in blocks, by several threads: neither may show in what is read, nor in an error.

What is read at once, by one thread, is compared with what several threads read in blocks of a few bytes. A
block then ends inside lines, topics, UTF-8 characters and CRLFs.
"""

from __future__ import annotations

import gzip
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rankprism import evaluate
from rankprism._core import JudgmentTable, align_bytes, align_file
from rankprism.errors import InputError
from tests.core.test_threads import bits
from tests.support.drawn_lines import blocks, ends, judged_lines, run_lines, some, text_of

AT_ONCE = {"threads": 1, "block": 1 << 30, "budget": 1 << 30}
JUDGED = JudgmentTable.from_bytes(
    b"1 a d1 1\n1 b d2 2\n1 a d3 0\n2 a d1 1\n\xc3\xa9 a x 1\n", "qrels", "diversity"
)


def outcome(read: Callable[[], Any]) -> Any:
    """All bits of what is read, or the message of the error."""
    try:
        return bits(read())
    except InputError as error:
        return str(error)


def judgments_of(data: bytes, **how: int) -> Any:
    return outcome(lambda: JudgmentTable.from_bytes(data, "qrels", "diversity", **how).columns())


def run_of(data: bytes, **how: int) -> Any:
    return outcome(lambda: align_bytes(JUDGED, data, "run", "score", "error", **how))


@given(some(judged_lines), ends, blocks, st.integers(1, 4), st.integers(0, 200))
@example(["1 a d1 1", "2 a d1 1", "1 a d2 1"], "\n", 4, 3, 0)
@example(["1 a d1 1", "2 a d1 1", "1 a d1 2"], "\r\n", 9, 2, 0)
# The topic of the first mistake comes back.
@example(["1 a d1 1", "2 a d1 1", "1 a d2 1 1", "\udcff"], "\n", 1, 1, 0)
@example(["1 a d1 1", "2 a d1 1", "1 a d2 1", "1 a d2 2", "\udcff"], "\n", 1, 1, 0)
def test_judgments(lines: list[str], end: str, block: int, threads: int, budget: int) -> None:
    data = text_of(lines, end)
    assert judgments_of(data, threads=threads, block=block, budget=budget) == judgments_of(data, **AT_ONCE)


@given(some(run_lines), ends, blocks, st.integers(1, 4), st.integers(0, 200))
@example(["1 Q0 d1 1 1 t", "é Q0 d1 1 1 t", "1 Q0 d1 1 0 t"], "\n", 4, 3, 0)
@example(["1 Q0 d1 1 1 t", "é Q0 d1 1 1 t", "1 Q0 d2 1", "\udcff"], "\n", 1, 1, 0)
@example(["2 Q0 x 1 1 t", "\ufeff1 Q0 x 1 1 t", "1 Q0 x 1 1 t", "2 Q0 y 1 1 t"], "\n", 1, 1, 0)
@example(["\ufeff1 Q0 x 1 1 t", "1 Q0 x 1 1 t", "2 Q0 x 1 1 t", "\udcff"], "\n", 30, 1, 0)
def test_runs(lines: list[str], end: str, block: int, threads: int, budget: int) -> None:
    data = text_of(lines, end)
    assert run_of(data, threads=threads, block=block, budget=budget) == run_of(data, **AT_ONCE)


def test_every_place_of_a_cut() -> None:
    """A block ends at each byte once: of a line, a topic, a character and a CRLF."""
    judged = "1 a d1 1\r\n1 é 日本語 2\r\n# é\r\n\r\n10 a d1 1\r\n2 b x 0\r\né a d9 3".encode()
    run = "1 Q0 日本語 1 3 t\r\n1 Q0 d1 2 2.5 é\r\n\r\n2 Q0 d1 1 7 t\r\né Q0 x 1 1 t".encode()
    for read, data in ((judgments_of, judged), (run_of, run)):
        expected = read(data, **AT_ONCE)
        assert isinstance(expected, tuple)  # no error
        for block in range(1, len(data) + 2):
            assert read(data, threads=2, block=block) == expected


@pytest.mark.parametrize("threads", [1, 3])
def test_lines_of_a_scattered_file_are_named_by_their_place_in_it(threads: int) -> None:
    how = {"threads": threads, "block": 16, "budget": 20}
    judged = b"# first\n1 a d1 1\n2 a d1 1\n\n1 a d2 1\n2 a d2 1\n2 a d1 3\n"
    message = judgments_of(judged, **how)
    assert message.startswith(
        "qrels, line 7: document 'd1' of topic '2', aspect 'a' has grade 3 here and 1 at line 3"
    )
    run = b"1 Q0 d1 1 1 t\n2 Q0 x 1 1 t\n1 Q0 d2 1 1 t\n\n2 Q0 y 1 one t\n"
    assert run_of(run, **how).startswith("run, line 5: the score 'one' is not a finite number")
    twice = b"1 Q0 d1 1 1 t\n2 Q0 x 1 1 t\n1 Q0 d2 1 1 t\n\n2 Q0 x 1 2 t\n"
    assert run_of(twice, **how).startswith(
        "run, line 5: document 'x' occurs twice in topic '2', first at line 2"
    )


def test_a_byte_order_mark_belongs_to_the_topic_unless_the_file_begins_with_it() -> None:
    """The lines of the topic "\\ufeff1" are the first ones of a part that is gathered in memory."""
    for lines in (
        ["2 a d1 1", "\ufeff1 a d1 1", "1 a d1 1"],
        ["\ufeff\ufeff1 a d1 1", "1 a d1 1", "2 a d1 1"],
    ):
        data = "\n".join([*lines, "2 a d2 1", "1 a d2 1"]).encode()
        topics = [b"1", b"1", b"2", b"2", b"\xef\xbb\xbf1"]
        for budget in (10, 1 << 20):
            table = JudgmentTable.from_bytes(data, "qrels", "diversity", budget=budget)
            assert [topic.encode() for topic in table.columns()[0]] == topics


@pytest.mark.skipif(os.name == "nt", reason="Windows does not ask TMPDIR where files are to be written")
def test_scattered_lines_need_a_folder_only_if_they_do_not_fit_into_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = b"1 a d1 1\n2 a d1 1\n1 a d2 1\n"
    expected = judgments_of(data, **AT_ONCE)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "nowhere"))
    assert judgments_of(data, budget=1000) == expected
    message = judgments_of(data, budget=20)
    assert message.startswith("qrels: the lines of its topics are scattered, and the file in which they are")
    assert "No such file or directory" in message
    assert message.endswith("set TMPDIR to a folder with more room, or sort the lines by topic")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert judgments_of(data, budget=20) == expected
    assert not list(tmp_path.iterdir())


def test_a_line_longer_than_what_is_read_at_a_time() -> None:
    data = b"1 a d1 1\n2 a " + b"x" * 3_000_000 + b" 1\n1 a d2 1\n2 a d1 2\n"
    assert judgments_of(data, budget=20) == judgments_of(data, **AT_ONCE)


def test_the_first_mistake_of_a_file_is_reported_whoever_meets_one_first() -> None:
    """Every block has a mistake, and the later ones are met sooner."""
    lines = [f"{t} a d{d} {'x' if d == 900 - t else 1}" for t in range(40) for d in range(900)]
    data = "\n".join(lines).encode()
    expected = judgments_of(data, **AT_ONCE)
    first = next(number for number, line in enumerate(lines, 1) if line.endswith("x"))
    assert f"line {first}:" in expected
    for threads in range(1, 9):
        assert judgments_of(data, threads=threads, block=4000) == expected


@pytest.fixture(scope="module")
def many_grades(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """More aspects and grades than a byte can number, scattered."""
    chance = random.Random(3)
    lines = [
        f"{t} s{chance.randrange(700)} d{d} {chance.randrange(100_000) / 1000}"
        for t in range(30)
        for d in range(60)
    ]
    chance.shuffle(lines)
    path = tmp_path_factory.mktemp("blocks") / "qrels"
    path.write_text("\n".join(lines))
    return path


@pytest.mark.parametrize("threads", range(1, 9))
def test_many_aspects_and_grades(many_grades: Path, threads: int) -> None:
    rows = sorted(line.split() for line in many_grades.read_text().split("\n"))
    table = JudgmentTable.from_file(str(many_grades), "q", "diversity", threads, 3000, 20_000)
    topic, aspect, doc, grade = table.columns()
    assert sorted(map(list, zip(topic, aspect, doc, map(float, grade), strict=True))) == [
        [t, a, d, float(g)] for t, a, d, g in rows
    ]
    start, number, aspects, above = table.relevant_cells()
    documents, aspect_start = table.sizes()
    padded = table.padded_grades(np.arange(30), int(np.diff(aspect_start).max()), int(documents.max()))
    for t in range(30):
        cells = np.zeros(padded.shape[1:])
        here = slice(start[t], start[t + 1])
        cells[aspects[here], number[here]] = above[here]
        assert (padded[t] == cells).all()


WEB = {"2009": "qrels.diversity.gz", "2012": "qrels.diversity.txt.gz", "2014": "qrels.ndeval.txt.gz"}


@pytest.mark.parametrize("year", WEB)
@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_any_number_of_threads_gives_the_same_bits(year: str, collections: Path, tmp_path: Path) -> None:
    folder = collections / f"trec-web-{year}"
    qrels = tmp_path / "qrels"
    qrels.write_bytes(gzip.decompress((folder / WEB[year]).read_bytes()))
    runs = sorted((folder / "runs").iterdir())[:2]
    run = tmp_path / "one.run"
    packed = runs[0].read_bytes()
    run.write_bytes(gzip.decompress(packed) if runs[0].suffix == ".gz" else packed)
    table = JudgmentTable.from_file(str(qrels), "qrels", "diversity", **AT_ONCE)
    judged, aligned = (
        bits(table.columns()),
        bits(align_file(table, str(run), "run", "score", "error", **AT_ONCE)),
    )
    scores = None
    for threads in range(1, 9):
        read = JudgmentTable.from_file(str(qrels), "qrels", "diversity", threads, 10_000)
        assert bits(read.columns()) == judged
        assert bits(align_file(read, str(run), "run", "score", "error", threads, 10_000)) == aligned
        found = evaluate(
            qrels, [run, *runs[1:]], ["alpha_nDCG@20", "alpha_nDCG(alpha=0.1)@20", "nERR_IA"], threads=threads
        )
        scores = found.values.tobytes() if scores is None else scores
        assert found.values.tobytes() == scores
