"""Packed files and pipes come piece by piece, which may not show in what is read, nor in an error.

What is read at once is compared with what comes in pieces of a few bytes and is read in blocks of a few
bytes. A piece then ends inside lines, topics, characters and CRLFs, and so does a member of a packed file.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import subprocess
import sys
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rankprism import evaluate
from rankprism._core import Feed, JudgmentTable, align_feed
from rankprism.errors import InputError
from rankprism.formats import files
from tests.core.test_blocks import AT_ONCE, JUDGED, judgments_of, outcome, run_of
from tests.support.drawn_lines import blocks, ends, judged_lines, run_lines, some, text_of
from tests.support.machine import posix


@contextmanager
def fed(data: bytes, piece: int, keeps: bool, memory: int = 1 << 20) -> Iterator[Feed]:
    """A feed into which another thread puts the bytes, a few at a time."""
    feed = Feed("run", keeps, 3, memory)

    def fill() -> None:
        for at in range(0, len(data), piece):
            if not feed.put(data[at : at + piece]):
                return
        feed.finish()

    thread = threading.Thread(target=fill)
    thread.start()
    try:
        yield feed
    finally:
        feed.close()
        thread.join()


def fed_run(data: bytes, piece: int, memory: int, **how: int) -> Any:
    def read() -> Any:
        for keeps in (False, True):
            with fed(data, piece, keeps, memory) as feed:
                found = align_feed(JUDGED, feed, "score", "error", **how)
            if found is not None:
                return found
        raise AssertionError("what is kept can be read again")

    return outcome(read)


def fed_judgments(data: bytes, piece: int, memory: int, **how: int) -> Any:
    def read() -> Any:
        for keeps in (False, True):
            with fed(data, piece, keeps, memory) as feed:
                found = JudgmentTable.from_feed(feed, "diversity", **how)
            if found is not None:
                return found.columns()
        raise AssertionError("what is kept can be read again")

    return outcome(read)


pieces, memories = st.integers(1, 40), st.integers(0, 300)


@given(some(run_lines), ends, blocks, st.integers(1, 3), st.integers(0, 200), pieces, memories)
@example(["1 Q0 d1 1 1 t", "é Q0 d1 1 1 t", "1 Q0 d1 1 0 t"], "\n", 4, 3, 0, 1, 0)
@example(["\ufeff1 Q0 x 1 1 t", "1 Q0 x 1 1 t", "2 Q0 x 1 1 t", "\udcff"], "\n", 30, 1, 0, 2, 5)
def test_runs(
    lines: list[str], end: str, block: int, threads: int, budget: int, piece: int, memory: int
) -> None:
    data = text_of(lines, end)
    found = fed_run(data, piece, memory, threads=threads, block=block, budget=budget)
    assert found == run_of(data, **AT_ONCE)


@given(some(judged_lines), ends, blocks, st.integers(1, 3), st.integers(0, 200), pieces, memories)
@example(["1 a d1 1", "2 a d1 1", "1 a d2 1", "1 a d2 2", "\udcff"], "\n", 1, 1, 0, 3, 0)
def test_judgments(
    lines: list[str], end: str, block: int, threads: int, budget: int, piece: int, memory: int
) -> None:
    data = text_of(lines, end)
    found = fed_judgments(data, piece, memory, threads=threads, block=block, budget=budget)
    expected = judgments_of(data, **AT_ONCE)
    assert found == (expected.replace("qrels", "run") if isinstance(expected, str) else expected)


def lines(topics: int, documents: int, scattered: bool) -> str:
    all_ = [
        f"{t} Q0 dé{(7 * d + t) % 50} {d + 1} {100 - d} tag\n"
        for t in range(topics)
        for d in range(documents)
    ]
    return (
        "".join(all_[start::documents][i] for start in range(documents) for i in range(topics))
        if (scattered)
        else "".join(all_)
    )


def packed(data: bytes, ending: str) -> bytes:
    if ending == ".gz":  # two members, of which the first ends within a line
        return gzip.compress(data[:1001]) + gzip.compress(data[1001:])
    return bz2.compress(data) if ending == ".bz2" else lzma.compress(data)


@pytest.mark.parametrize("scattered", [False, True])
@pytest.mark.parametrize("ending", [".gz", ".bz2", ".xz"])
def test_a_packed_run_scores_as_it_does_unpacked(ending: str, scattered: bool, tmp_path: Path) -> None:
    data = lines(40, 30, scattered).encode()
    (tmp_path / "a.run").write_bytes(data)
    (tmp_path / f"b.run{ending}").write_bytes(packed(data, ending))
    qrels = {str(t): {f"dé{d}": d % 3 for d in range(50)} for t in range(40)}
    scores = evaluate(qrels, [tmp_path / "a.run", tmp_path / f"b.run{ending}"], ["nDCG@10", "AP"])
    plain, unpacked = scores.values
    assert plain.tobytes() == unpacked.tobytes()


@posix
@pytest.mark.parametrize("scattered", [False, True])
def test_a_pipe_scores_as_a_file_does(scattered: bool, tmp_path: Path) -> None:
    data = lines(40, 30, scattered).encode()
    (tmp_path / "a.run").write_bytes(data)
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(data,))
    writer.start()
    qrels = {str(t): {f"dé{d}": d % 3 for d in range(50)} for t in range(40)}
    try:
        piped = evaluate(qrels, {"a": tmp_path / "pipe"}, ["nDCG@10", "AP"])
    finally:
        writer.join()
    assert piped.values.tobytes() == evaluate(qrels, tmp_path / "a.run", ["nDCG@10", "AP"]).values.tobytes()


@pytest.mark.parametrize("cut", [9, 2000])
def test_a_damaged_file_is_refused_wherever_it_is_damaged(cut: int, tmp_path: Path) -> None:
    data = gzip.compress(lines(400, 30, False).encode())
    (tmp_path / "a.run.gz").write_bytes(data[:-cut])
    with pytest.raises(InputError, match=r"a\.run\.gz: cannot be unpacked"):
        evaluate({"1": {"dé1": 1}}, tmp_path / "a.run.gz", "AP")


def test_bytes_behind_the_last_member_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.run.gz").write_bytes(gzip.compress(lines(400, 30, False).encode()) + b"more")
    with pytest.raises(InputError, match=r"a\.run\.gz: cannot be unpacked"):
        evaluate({"1": {"dé1": 1}}, tmp_path / "a.run.gz", "AP")


def test_the_line_of_a_mistake_far_inside_is_named(tmp_path: Path) -> None:
    text = lines(400, 30, False)
    number = text.count("\n") + 1
    (tmp_path / "a.run.gz").write_bytes(gzip.compress((text + "401 Q0 d1 1 one t\n").encode()))
    with pytest.raises(InputError, match=rf"a\.run\.gz, line {number}: the score 'one'"):
        evaluate({"1": {"dé1": 1}}, tmp_path / "a.run.gz", "AP")


def test_nobody_unpacks_what_nobody_reads(tmp_path: Path) -> None:
    """The thread that unpacks ends when the reader stops at a mistake."""
    (tmp_path / "a.run.gz").write_bytes(gzip.compress(b"1 Q0 d1 1 one t\n" + b"1 Q0 d1 1 1 t\n" * 2_000_000))
    before = threading.active_count()
    with pytest.raises(InputError, match="line 1: the score 'one'"):
        evaluate({"1": {"d1": 1}}, tmp_path / "a.run.gz", "AP", threads=1)
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and thread.daemon and thread.name.endswith("(_fill)"):
            thread.join(30)
    assert threading.active_count() <= before


MEMORY_OF = """
import resource, sys
import rankprism
rankprism.evaluate({{"1": {{"d1": 1}}}}, {{"small": {{"1": ["d1"]}}}}, "AP")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
judged = {{str(t): {{f"a-document-{{d}}": d % 2 for d in range(10)}} for t in range(1500)}}
rankprism.evaluate(judged, {source!r}, "AP", threads=1)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts in kilobytes")
def test_memory_does_not_grow_with_a_packed_file(tmp_path: Path) -> None:
    whole, block = tmp_path / "a.run.gz", zlib.compressobj(1, wbits=31)
    with whole.open("wb") as file:
        for t in range(1500):
            many = "".join(f"{t} Q0 a-document-{d} {d + 1} {1000 - d} tag\n" for d in range(1000))
            file.write(block.compress(many.encode()))
        file.write(block.flush())
    code = MEMORY_OF.format(source=str(whole))
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True)
    assert done.stderr == ""
    assert int(done.stdout) < 20_000  # of 50 MB


def test_a_packed_file_is_read_line_by_line_where_its_lines_are_documents(tmp_path: Path) -> None:
    path = tmp_path / "docs.jsonl.gz"
    path.write_bytes(gzip.compress(b"\xef\xbb\xbf" + "one\n\n# a comment\ntwö\n".encode() * 3000))
    found = list(files.opened(path).streamed_lines())
    assert len(found) == 6000
    assert found[:3] == [(1, "one"), (4, "twö"), (5, "one")]
