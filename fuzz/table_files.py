"""Mutation fuzzer for files that hold tables: Arrow IPC files and streams, and Parquet.

    python fuzz/table_files.py --seconds 300            # with a new seed
    python fuzz/table_files.py --seed 7 --cases 100000  # the same cases again

A case takes a good file, changes some of its bytes, and hands it to a reader. The reader may work, or refuse
the file with a `RankprismError` that names it. Everything else is a failure. Cases run in a process of their
own, so that a crash costs one case and not the rest. A case that crashes is tried again with pyarrow alone,
which opens and validates the file: a crash there is counted separately, because it happens before our code
reads any value.

In `make sanitize`, 459 tests of the core passed and 4 were skipped under AddressSanitizer and UBSan, and
so did 141 tests of the doors of other programs; 5,000 more damaged files gave no finding, and 52 tests
with several threads, and with files that are read ahead, passed under ThreadSanitizer. One test had
failed before, and not because of the sanitizers: the first eight bytes of a DuckDB file are a checksum,
and in about one file of 30 there is a tab among them, so that the file might have been text. In the tests
of the doors, AddressSanitizer finds a fault of pytrec_eval 0.5.11, which frees with `free` what it got
from `new[]`, so that check is switched off there.

`make fuzz` also reads texts of judgments and runs twice: at once, and by three threads in blocks of 64
bytes. The results or the errors must be the same. In one run of all four parts of `make fuzz`, a minute
each on a busy machine, 124,765 texts and 437,105 Arrow streams in memory gave no finding under
AddressSanitizer and UBSan, and neither did 896 commands, names of measures and files with small mistakes,
nor 7,000 damaged table files (1,214 read, 5,786 refused by name). Earlier runs had found two mistakes,
whose files are now tests. A file with scattered lines and two errors was refused for one of them if read
at once, and for the other if read in blocks. And a line of judgments of exactly 63 bytes with fewer than
four columns passed for one with four: what followed it was taken for its grade, and with one column the
process crashed.

The sanitizers watch our core; pyarrow is not built with them. Two earlier runs, of 100,000 files each,
had no crash either, but seven files ended in errors of three kinds that did not name the file: a table
without columns, a dictionary of negative length, and preferences without any of their columns. All three
are now tests. We also checked that libFuzzer finds mistakes: if the check of text offsets against the
last one is removed, it finds a read beyond a buffer within a minute.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet
from mutate import limited

#: Numbers that tend to hurt where a length, an offset or a count is expected.
NUMBERS = (
    0,
    1,
    -1,
    2,
    7,
    8,
    64,
    255,
    2**15,
    2**31 - 1,
    -(2**31),
    2**31,
    2**32 - 1,
    2**56,
    2**63 - 1,
    -(2**63),
)
#: How much address space a process with cases may take. A sanitizer reserves more than that for itself.
_MEMORY = 8 << 30
_SECONDS = 20.0


def _table(kind: pa.DataType, columns: dict[str, list[Any]]) -> pa.Table:
    """A table whose texts have this type, with a column that nobody reads."""
    made = {}
    for name, values in columns.items():
        column = pa.array(values)
        if pa.types.is_string(column.type):
            is_dictionary = pa.types.is_dictionary(kind)
            column = column.dictionary_encode() if is_dictionary else pa.array(values, kind)
        made[name] = column
    rows = len(next(iter(columns.values())))
    made["extra"] = pa.array([{"a": [i, None], "b": f"text {i}"} for i in range(rows)])
    return pa.table(made).replace_schema_metadata({"pandas": '{"index_columns": []}', "made by": "hand"})


def _columns() -> dict[str, dict[str, list[Any]]]:
    topics = ["1", "1", "1", "2", "2", "тема"]
    docs = ["d1", "d2", "文档", "d1", "a document with a long id", "d5"]
    return {
        "judgments": {"topic": topics, "aspect": list("aabbab"), "doc": docs, "grade": [1, 0, 2, 1, 1, 3]},
        "run": {"run": list("xxxyyy"), "topic": topics, "doc": docs, "score": [3.0, 2.5, 1.0, 9.0, 8.0, 7.0]},
        "aspects": {
            "topic": topics,
            "doc": docs,
            "relevance": [0, 1, 2, 0, 1, 2],
            "trust": [1, 1, 0, 0, 1, 1],
        },
        "preferences": {
            "topic": topics,
            "given": ["", "", "d9", "", "", ""],
            "left": docs,
            "right": ["e1", "e2", "e3", "e4", "e5", "e6"],
            "outcome": ["left", "right", "tie", "left", "left", "right"],
            "assessor": list("ababab"),
            "comment": ["", "because", "ü", "", "", ""],
        },
        "scores": {"run": list("xxxyyy"), "topic": list("123123"), "AP": [0.5, 0.25, 0.125, 1.0, 0.75, 0.0]},
    }


def _ipc(table: pa.Table, opened: Callable[..., Any], compression: str | None) -> bytes:
    sink = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with opened(sink, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=4)
    return sink.getvalue()


def _parquet(table: pa.Table, **options: Any) -> bytes:
    sink = io.BytesIO()
    pa.parquet.write_table(table, sink, row_group_size=4, **options)
    return sink.getvalue()


def good_files() -> dict[str, bytes]:
    """The files that are changed, by what they hold and how."""
    texts = {
        "text": pa.string(),
        "large": pa.large_string(),
        "dictionary": pa.dictionary(pa.int32(), pa.string()),
    }
    # Some versions of pyarrow have views of text, but cannot read them from files.
    with contextlib.suppress(AttributeError, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        texts |= {"view": pa.string_view()} if pa.array(["a"], pa.string_view()).nbytes else {}
    found = {}
    for what, columns in _columns().items():
        for how, kind in texts.items():
            table = _table(kind, columns)
            found[f"{what}/{how}/file"] = _ipc(table, pa.ipc.new_file, None)
            found[f"{what}/{how}/stream"] = _ipc(table, pa.ipc.new_stream, None)
            if how == "view":
                continue  # Parquet does not distinguish it from text
            found[f"{what}/{how}/parquet"] = _parquet(
                table, compression="none", use_dictionary=how == "dictionary"
            )
        table = _table(pa.string(), columns)
        for codec in ("lz4", "zstd"):
            found[f"{what}/{codec}/file"] = _ipc(table, pa.ipc.new_file, codec)
        found[f"{what}/snappy/parquet"] = _parquet(table, compression="snappy", data_page_version="2.0")
    return found


def readers() -> dict[str, Callable[[str], object]]:
    """What is done with a file, by what it holds."""
    from rankprism import evaluate, read_judgments, read_preferences, read_scores
    from rankprism.formats.source import source_of

    judged = [("1", "a", "d1", 1.0), ("2", "a", "d1", 1.0)]
    return {
        "judgments": read_judgments,
        "run": lambda path: evaluate(judged, path, "P@2"),
        "aspects": lambda path: read_judgments(path, aspects=["relevance", "trust"]),
        "preferences": read_preferences,
        "scores": lambda path: (source_of(path).kind, read_scores(path)),
    }


def changed(good: bytes, draw: random.Random) -> bytes:
    """The file after one to four changes."""
    data = bytearray(good)
    for _ in range(draw.choice((1, 1, 1, 2, 2, 3, 4))):
        at = draw.randrange(len(data))
        change = draw.randrange(8)
        if change <= 1:
            data[at] ^= 1 << draw.randrange(8)
        elif change == 2:
            data[at] = draw.randrange(256)
        elif change <= 4:  # a number where a number may be
            width, letter = draw.choice(((4, "i"), (8, "q")))
            at -= at % draw.choice((1, 4, 8))
            number = draw.choice(NUMBERS) if draw.random() < 0.7 else draw.randrange(-1000, 1000)
            bits = number & ((1 << 8 * width) - 1)
            data[at : at + width] = struct.pack(f"<{letter.upper()}", bits)[: max(len(data) - at, 0)]
        elif change == 5:
            other, size = draw.randrange(len(data)), draw.choice((1, 4, 8, 32))
            data[at : at + size] = data[other : other + size]
        elif change == 6:
            del data[at : at + draw.choice((1, 4, 8, 100, 10**6))]
        else:
            data[at:at] = bytes(draw.choice((1, 4, 8, 64)))
        if not data:
            break
    return bytes(data)


def case(seed: int, number: int) -> tuple[str, bytes]:
    """What a file holds, and its bytes: the same numbers make the same file."""
    draw = random.Random(f"{seed}/{number}")
    name = draw.choice(sorted(_GOOD))
    return name, changed(_GOOD[name], draw)


_GOOD = good_files()


def attempt(seed: int, number: int, folder: Path) -> tuple[str, str]:
    """How a case ended: read, refused or failed; with the trace of a failure."""
    from rankprism import RankprismError

    name, data = case(seed, number)
    path = folder / "hostile.table"
    path.write_bytes(data)
    try:
        with warnings.catch_warnings(), limited(_SECONDS):
            warnings.simplefilter("ignore")
            readers()[name.partition("/")[0]](str(path))
    except RankprismError as error:
        if "hostile.table" in str(error):
            return "refused", ""
        return "failed", f"{name}: the message does not name the file: {error}"
    except Exception as error:
        return "failed", f"{name}: " + "".join(traceback.format_exception(error))
    return "read", ""


def open_alone(path: Path) -> None:
    """What pyarrow does with a file before our code sees a value."""
    data = path.read_bytes()
    try:
        if data.startswith(b"PAR1"):
            batches: Iterator[Any] = iter(pa.parquet.ParquetFile(path).iter_batches())
        elif data.startswith(b"ARROW1"):
            reader = pa.ipc.open_file(path)
            batches = (reader.get_batch(i) for i in range(reader.num_record_batches))
        else:
            batches = iter(pa.ipc.open_stream(path))
        for batch in batches:
            batch.validate(full=True)
    except Exception:
        return


def work(seed: int, first: int, count: int) -> None:
    """Run cases in this process. Each is announced first, so that the parent knows which one crashed."""
    if sys.platform != "win32" and "RANKPRISM_SANITIZED" not in os.environ:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    with tempfile.TemporaryDirectory() as folder:
        for number in range(first, first + count):
            print(json.dumps([number, "begun", ""]), flush=True)
            print(json.dumps([number, *attempt(seed, number, Path(folder))]), flush=True)


@dataclass(frozen=True)
class Outcome:
    """How many cases ended in which way, and the failures."""

    counts: Counter[str]
    failures: list[tuple[int, str]]

    @property
    def cases(self) -> int:
        return sum(self.counts.values())


def fuzz(seed: int, cases: int, batch: int = 1000, until: float | None = None) -> Outcome:
    """Run the cases in processes of `batch` cases each."""
    outcome = Outcome(Counter(), [])
    first = 0
    while first < cases and (until is None or time.monotonic() < until):
        first += _batch(seed, first, min(batch, cases - first), outcome)
    return outcome


def _batch(seed: int, first: int, count: int, outcome: Outcome) -> int:
    """Run some cases in another process. Return how many ended; the last of them may have crashed."""
    words = [sys.executable, __file__, "--seed", str(seed), "--work", str(first), str(count)]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    begun = done = 0
    for line in ended.stdout.splitlines():
        number, state, trace = json.loads(line)
        if state == "begun":
            begun += 1
            continue
        done += 1
        outcome.counts[state] += 1
        if state == "failed":
            outcome.failures.append((number, trace))
    if begun == done:
        if done < count:
            raise RuntimeError(f"no case was begun (exit code {ended.returncode}): {ended.stderr[-3000:]}")
        return done
    number = first + done
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "hostile.table")
        path.write_bytes(case(seed, number)[1])
        alone = subprocess.run(
            [sys.executable, __file__, "--alone", str(path)], capture_output=True, check=False
        )
    if alone.returncode:
        outcome.counts["crashed in pyarrow"] += 1
    else:
        outcome.counts["crashed"] += 1
        outcome.failures.append((number, f"crashed with {ended.returncode}: {ended.stderr[-3000:]}"))
    return begun


def main() -> int:
    parser = argparse.ArgumentParser(description="Mutation fuzzer for Arrow and Parquet files.")
    parser.add_argument("--seed", type=int, default=random.randrange(10**9))
    parser.add_argument("--cases", type=int, default=10**9)
    parser.add_argument("--seconds", type=float, default=10**9)
    parser.add_argument("--work", type=int, nargs=2, metavar=("FIRST", "COUNT"), help=argparse.SUPPRESS)
    parser.add_argument("--alone", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.alone is not None:
        open_alone(chosen.alone)
        return 0
    if chosen.work is not None:
        work(chosen.seed, *chosen.work)
        return 0
    began = time.monotonic()
    outcome = fuzz(chosen.seed, chosen.cases, until=began + chosen.seconds)
    for number, trace in outcome.failures[:20]:
        print(f"case {number}\n{trace}", file=sys.stderr)
    counts = ", ".join(f"{count} {name}" for name, count in sorted(outcome.counts.items()))
    print(
        f"seed {chosen.seed}: {outcome.cases} files in {time.monotonic() - began:.0f} s ({counts}); "
        f"pyarrow {pa.__version__}, Python {sys.version.split()[0]}"
    )
    return 1 if outcome.failures else 0


if __name__ == "__main__":
    sys.exit(main())
