"""Large files are walked through in blocks: the same scores, bounded memory, and a way out at any time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from rankprism import InputError, evaluate, read_judgments, read_run
from rankprism.formats.runs import align_source

#: The notes on runs that are hardly judged are not what is tested here.
pytestmark = pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")

#: Sanitizers keep memory of their own.
MEMORY = pytest.mark.skipif(
    not Path("/proc/self/status").exists() or "RANKPRISM_SANITIZED" in os.environ, reason="needs /proc"
)
MEASURES = ["P@5", "AP", "alpha_nDCG@20"]


def lines_of(topic: str, documents: int) -> str:
    return "".join(f"{topic} Q0 dök{topic}-{d:06d} {d + 1} {documents - d}.25 t\n" for d in range(documents))


def large_run(tmp_path: Path, last: str = "") -> Path:
    """1.5 MB: topics that are smaller and larger than a block, a very long line, a comment between them."""
    sizes = {str(t): 300 for t in range(1, 40)} | {"40": 20_000, "41": 3}
    text = "\ufeff" + "".join(lines_of(topic, size) + "# between\n\n" for topic, size in sizes.items())
    long_line = "42 Q0 long 1 1 " + "x" * 600_000 + "\n"
    path = tmp_path / "large.run"
    path.write_text(text + long_line + lines_of("43", 2000) + last)
    return path


def judged() -> dict[str, dict[str, dict[str, int]]]:
    topics = {}
    for t in (*range(1, 42), 43):
        ids = [f"dök{t}-{d:06d}" for d in (0, 2, 7, 299, 1999, 19_999)]
        topics[str(t)] = {"a": dict.fromkeys(ids[:3], 1), "b": dict.fromkeys(ids[2:], 1)}
    topics["42"] = {"a": {"long": 1}, "b": {"x": 0}}
    return topics


@pytest.mark.parametrize(
    "last", ["", "44 Q0 d 1 1 t", "1 Q0 back 1 0.5 t\n"], ids=["whole", "cut", "scattered"]
)
def test_a_walked_file_scores_like_a_run_in_memory(last: str, tmp_path: Path) -> None:
    path = large_run(tmp_path, last)
    walked = evaluate(judged(), path, MEASURES)
    kept = evaluate(judged(), read_run(path), MEASURES)
    assert walked.values.tobytes() == kept.values.tobytes()
    assert walked.mean()["large"]["P@5"] > 0


@pytest.mark.parametrize(
    ("last", "says"),
    [
        ("44 Q0 d 1 high t\n", "the score 'high'"),
        ("43 Q0 dök43-000007 1 0 t\n", "occurs twice"),
        ("44 Q0 \x00 1 1 t\n", "NUL"),
    ],
)
def test_errors_far_behind_the_beginning_name_their_line(last: str, says: str, tmp_path: Path) -> None:
    path = large_run(tmp_path, last)
    number = path.read_text().count("\n")
    with pytest.raises(InputError, match=f"line {number}: .*{says}"):
        evaluate(judged(), path, MEASURES)


def test_invalid_utf8_far_behind_the_beginning_is_named_with_its_line(tmp_path: Path) -> None:
    path = large_run(tmp_path)
    number = path.read_bytes().count(b"\n") + 1
    path.write_bytes(path.read_bytes() + b"44 Q0 caf\xe9 1 1 t\n")
    with pytest.raises(InputError, match=f"line {number}: byte 0xE9 is not valid UTF-8"):
        evaluate(judged(), path, MEASURES)


PREPARE = """
import os, signal, sys
from rankprism import read_judgments, read_run
from rankprism.formats.runs import align_source

path = sys.argv[1]
judgments = read_judgments({str(t): {"d1": 1} for t in range(1, 2000)})
def make(topics):
    with open(path, "w") as file:
        for t in range(1, topics):
            file.write("".join(f"{t} Q0 document-{d} {d} {1000 - d} tag\\n" for d in range(1000)))
"""


def child(tmp_path: Path, code: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", PREPARE + code, str(tmp_path / "r.run")]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer")
@pytest.mark.parametrize("reader", ["align_source(judgments, path)", "read_run(path)"])
def test_a_file_that_is_shortened_while_it_is_read_is_an_error(reader: str, tmp_path: Path) -> None:
    # The core looks for signals between blocks, so the handler runs in the middle of the file. How long
    # reading takes is not known, but if each wait is half of another, one of them ends in its second half.
    done = child(
        tmp_path,
        f"""
for wait in (0.02, 0.01, 0.005, 0.04, *(0.0025 / 2**n for n in range(5))):
    make(600)
    signal.signal(signal.SIGALRM, lambda *_: os.truncate(path, 5000))
    signal.setitimer(signal.ITIMER_REAL, wait)
    try:
        {reader}
    except ValueError as error:
        if "shortened" in str(error):
            print(type(error).__name__, error)
            break
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
""",
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("InputError")
    assert "r.run: was shortened while it was being read" in done.stdout


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer")
def test_a_reader_can_be_interrupted(tmp_path: Path) -> None:
    done = child(
        tmp_path,
        """
make(900)
calls = 0
def handler(*_):
    # Without a look at signals inside the core there is one call, after its work is done.
    global calls
    calls += 1
    if calls == 4:
        raise KeyboardInterrupt
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
try:
    align_source(judgments, path)
except KeyboardInterrupt:
    print("interrupted")
signal.setitimer(signal.ITIMER_REAL, 0)
""",
    )
    assert (done.stdout, done.stderr) == ("interrupted\n", "")


@MEMORY
def test_memory_does_not_grow_with_a_file_that_is_walked(tmp_path: Path) -> None:
    done = child(
        tmp_path,
        """
def peak():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
make(1500)
before = peak()
align_source(judgments, path)
print(1024 * (peak() - before), os.path.getsize(path))
""",
    )
    grown, size = map(int, done.stdout.split())
    assert size > 40e6
    assert grown < 8e6


@MEMORY
def test_judgments_of_many_topics_take_less_memory_than_their_text(tmp_path: Path) -> None:
    done = child(
        tmp_path,
        """
from rankprism import read_judgments
def peak():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
with open(path, "w") as file:
    for t in range(20_000):
        for a in range(8):
            file.write("".join(f"{t} {a} a-document-with-a-long-id-{d} {(a + d) % 3}\\n" for d in range(5)))
before = peak()
read_judgments(path)
print(1024 * (peak() - before), os.path.getsize(path))
""",
    )
    grown, size = map(int, done.stdout.split())
    assert size > 25e6
    assert grown < size * 0.75


@MEMORY
def test_converting_keeps_little_beside_the_text(tmp_path: Path) -> None:
    done = child(
        tmp_path,
        """
from rankprism.formats.conversion import convert
def peak():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
make(300)
before = peak()
convert(path, path + ".tsv", run=True)
print(1024 * (peak() - before), os.path.getsize(path))
""",
    )
    grown, size = map(int, done.stdout.split())
    assert size > 9e6
    assert grown < 7 * size  # 18 times as much when every line was a tuple


def colliding_ids(documents: int) -> list[str]:
    """Ids of 16 bytes with one and the same hash before it had a secret: h = (h ^ word) * C, h ^= h >> 32."""
    multiplier = np.uint64(0xFF51AFD7ED558CCD)
    inverse = pow(0xFF51AFD7ED558CCD, -1, 1 << 64)
    draw = np.random.default_rng(1)
    first = draw.integers(33, 127, (1 << 22, 8)).astype(np.uint8)
    state = (np.uint64(0x9E3779B97F4A7C15 ^ 16) ^ first.view("<u8")[:, 0]) * multiplier
    state ^= state >> np.uint64(32)
    found: list[str] = []
    while len(found) < documents:
        # Any state whose bits 0..31, xored with bits 29..60, are 0: the upper ones decide the lower ones.
        bits = int(draw.integers(1 << 32)) << 32
        for i in range(31, -1, -1):
            bits |= ((bits >> (i + 29)) & 1) << i
        wanted = np.uint64((bits ^ (bits >> 32)) * inverse % (1 << 64))
        second = (wanted ^ state).view(np.uint8).reshape(-1, 8)
        fits = ((second > 32) & (second < 127)).all(-1)
        found += [bytes(row).decode() for row in np.hstack([first[fits], second[fits]])]
    return found[:documents]


def test_ids_cannot_be_made_to_collide() -> None:
    crafted = colliding_ids(16_000)
    usual = [f"document-{d:07d}" for d in range(len(crafted))]

    def seconds(ids: list[str]) -> float:
        judgments = read_judgments({"q": dict.fromkeys(ids, 1)})
        run = read_run({"q": {doc: float(i) for i, doc in enumerate(ids)}})
        began = time.process_time()
        align_source(judgments, run)
        return time.process_time() - began

    assert len(set(crafted)) == len(crafted)
    # 400 times as long with the hash that these ids were made for.
    assert min(seconds(crafted) for _ in range(3)) < 10 * min(seconds(usual) for _ in range(3)) + 0.01
