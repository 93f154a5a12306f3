"""Files from strangers: damaged tables, databases with views of their own, and topics of any size.

A damaged file is refused by one line that names it. Bytes are damaged here by hand, and at random in
`fuzz/table_files.py`.
"""

from __future__ import annotations

import contextlib
import os
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet
import pytest

from rankprism import InputError, evaluate, read_judgments, read_preferences, read_run, read_scores
from rankprism.data import hits
from rankprism.formats.files import MAX_UNPACKED
from rankprism.formats.known import tables

RUN = {
    "topic": ["1"] * 6,
    "doc": [f"document {i}" for i in range(6)],
    "score": [6.0, 5.0, 4.0, 3.0, 2.0, 1.0],
}
JUDGED = [("1", "a", "document 1", 1.0)]


def program(*words: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """The real program in a process of its own, because a crash ends the process."""
    command = [sys.executable, "-m", "rankprism", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, **options)


def texts(offsets: list[int], data: bytes, kind: pa.DataType | None = None) -> pa.Array:
    """An array of text with these offsets, right or wrong."""
    kind = kind or pa.string()
    width = pa.int64() if kind == pa.large_string() else pa.int32()
    buffers = [None, pa.array(offsets, width).buffers()[1], pa.py_buffer(data)]
    return pa.Array.from_buffers(kind, len(offsets) - 1, buffers)


def views(place: tuple[int, int, int, int]) -> pa.Array:
    """Six views of text, of which the third has this size, start, buffer and offset."""
    good = pa.array(["a text of many bytes"] * 6, pa.string_view())
    found = np.frombuffer(good.buffers()[1], dtype=np.int32).copy().reshape(-1, 4)
    found[2] = place
    return pa.Array.from_buffers(
        pa.string_view(), 6, [None, pa.py_buffer(found.tobytes()), *good.buffers()[2:]]
    )


#: Columns whose third value is the first that is damaged.
DAMAGED: dict[str, Callable[[], pa.Array]] = {
    "an offset beyond the buffer": lambda: texts([0, 1, 2, 10**9, 4, 5, 6], b"abcdef"),
    "offsets that go back": lambda: texts([0, 2, 3, 1, 4, 5, 6], b"abcdef"),
    "a large offset beyond the buffer": lambda: texts(
        [0, 1, 2, 2**60, 4, 5, 6], b"abcdef", pa.large_string()
    ),
    "an entry that its dictionary lacks": lambda: pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 9, 0, 1, 0], pa.int32()), pa.array(["a", "b"]), safe=False
    ),
}
# Older versions of pyarrow have no views of text, or cannot make them from buffers.
with contextlib.suppress(AttributeError, ValueError):
    views((20, 0, 0, 0))
    DAMAGED["a view beyond the buffer"] = lambda: views((20, 0, 0, 10**6))
    DAMAGED["a view of no buffer"] = lambda: views((20, 0, 5, 0))
NOT_TEXT = {
    "text": lambda: texts([0, 1, 2, 4, 5, 6, 7], b"ab\xff\xfedef"),
    "dictionary": lambda: pa.DictionaryArray.from_arrays(
        pa.array([0, 2, 1, 0, 1, 0], pa.int32()), texts([0, 1, 3, 4], b"a\xff\xfeb"), safe=False
    ),
}


def write_ipc(table: pa.Table, path: Path, kind: str) -> Path:
    opened = pa.ipc.new_stream if kind == "stream" else pa.ipc.new_file
    options = pa.ipc.IpcWriteOptions(compression="lz4" if kind == "packed" else None)
    with opened(str(path), table.schema, options=options) as writer:
        writer.write_table(table)
    return path


def run_with(column: str, values: pa.Array) -> pa.Table:
    rows = pa.table(RUN)
    return rows.set_column(rows.column_names.index(column), column, values)


def refusal(read: Callable[[Any], object], source: Any) -> str:
    with pytest.raises(InputError) as error:
        read(source)
    return str(error.value)


# Damage


def test_the_files_that_ended_the_process_are_refused(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("1 0 a 1\n")
    found = sorted((Path(__file__).parents[3] / "shared" / "crash").glob("*.arrow"))
    own = write_ipc(run_with("doc", DAMAGED["an offset beyond the buffer"]()), tmp_path / "own.arrow", "file")
    for path in [*found, own]:
        ended = program("evaluate", tmp_path / "q.txt", path, "-m", "P@5")
        assert ended.returncode == 2, ended
        assert f"{path}, row " in ended.stderr
        assert "is damaged" in ended.stderr
        assert not ended.stdout


@pytest.mark.parametrize("kind", ["file", "stream", "packed"])
@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_column_is_refused_with_its_file_and_row(tmp_path: Path, damage: str, kind: str) -> None:
    path = write_ipc(run_with("doc", DAMAGED[damage]()), tmp_path / "run.arrow", kind)
    assert refusal(read_run, path).startswith(f"{path}, row 3: the column 'doc' is damaged (")
    # Other readers make Python objects of all columns.
    assert f"{path}, row 3: the column 'doc' is damaged (" in refusal(read_scores, path)
    aspects = run_with("doc", DAMAGED[damage]()).append_column("relevance", pa.array([1] * 6))
    path = write_ipc(aspects, tmp_path / "aspects.arrow", kind)
    message = refusal(lambda source: read_judgments(source, aspects=["relevance"]), path)
    assert message.startswith(f"{path}, row 3: the column 'doc' is damaged (")


def test_rows_are_counted_over_batches(tmp_path: Path) -> None:
    broken = run_with("doc", DAMAGED["an offset beyond the buffer"]())
    path = tmp_path / "run.arrow"
    with pa.ipc.new_file(str(path), broken.schema) as writer:
        for table in (pa.table(RUN, schema=broken.schema), broken):
            writer.write_table(table)
    assert "row 9: the column 'doc'" in refusal(read_run, path)


def test_a_damaged_column_that_nobody_reads_does_no_harm(tmp_path: Path) -> None:
    rows = pa.table(RUN).append_column("extra", DAMAGED["an offset beyond the buffer"]())
    for kind in ("file", "stream", "packed"):
        path = write_ipc(rows, tmp_path / "run.arrow", kind)
        assert len(read_run(path)) == 6
    preferences = pa.table({"topic": ["1"] * 6, "left": list("abcdef"), "right": list("ghijkl")})
    preferences = preferences.append_column("outcome", pa.array(["left"] * 6))
    preferences = preferences.append_column("extra", DAMAGED["an offset beyond the buffer"]())
    assert len(read_preferences(write_ipc(preferences, tmp_path / "p.arrow", "file"))) == 6


def test_a_negative_length_is_refused(tmp_path: Path) -> None:
    entries = pa.array([str(i) for i in range(23)])
    topics = pa.DictionaryArray.from_arrays(pa.array([0] * 6, pa.int8()), entries)
    held = pa.BufferOutputStream()
    with pa.ipc.new_stream(held, run_with("topic", topics).schema) as writer:
        writer.write_table(run_with("topic", topics))
    data, number, path = held.getvalue().to_pybytes(), struct.pack("<q", 23), tmp_path / "run.arrow"
    places = [at for at in range(len(data)) if data.startswith(number, at)]
    damaged = []
    for at in places:
        path.write_bytes(data[:at] + struct.pack("<q", -23) + data[at + 8 :])
        try:
            read_run(path)  # the number may have been another one
        except InputError as error:
            damaged.append(str(error))
    assert any("rows 1 to 6: the column 'topic' is damaged" in message for message in damaged)
    assert all(str(path) in message for message in damaged)


def test_a_table_without_columns_is_refused(tmp_path: Path) -> None:
    path = write_ipc(pa.table({}), tmp_path / "none.arrow", "file")
    for read in (read_run, read_judgments, read_preferences, read_scores):
        assert str(path) in refusal(read, path)


# Text that is no text


@pytest.mark.parametrize("kind", ["file", "stream", "parquet"])
@pytest.mark.parametrize("how", NOT_TEXT)
def test_invalid_utf8_in_a_file_is_refused_with_its_column_and_row(
    tmp_path: Path, how: str, kind: str
) -> None:
    path = tmp_path / "run.table"

    def written(rows: dict[str, Any]) -> Path:
        if kind == "parquet":
            pa.parquet.write_table(pa.table(rows), path, row_group_size=2 if how == "text" else 6)
            return path
        return write_ipc(pa.table(rows), path, kind)

    broken = NOT_TEXT[how]()
    six = {
        name: [f"{name} {i}" for i in range(6)] for name in ("run", "topic", "aspect", "doc", "left", "right")
    }
    of_run = {**{name: six[name] for name in ("run", "topic", "doc")}, "score": [1.0] * 6}
    of_judgments = {**{name: six[name] for name in ("topic", "aspect", "doc")}, "grade": [1.0] * 6}
    of_scores = {"run": six["run"], "topic": six["topic"], "AP": [1.0] * 6}
    of_preferences: dict[str, Any] = {name: six[name] for name in ("topic", "left", "right")}
    of_preferences |= {"outcome": ["left"] * 6, "assessor": ["ann"] * 6, "comment": [""] * 6}
    every: list[tuple[dict[str, Any], Callable[[Any], object], tuple[str, ...]]] = [
        (of_run, lambda source: evaluate(JUDGED, source, "P@1"), ("run", "topic", "doc")),
        (of_judgments, read_judgments, ("topic", "aspect", "doc")),
        (of_preferences, read_preferences, ("topic", "left", "right", "outcome", "assessor", "comment")),
        (of_scores, read_scores, ("run", "topic")),
    ]
    for rows, read, columns in every:
        for column in columns:
            message = refusal(read, written({**rows, column: broken}))
            assert message == (
                f"{path}, row 3: the text in the column {column!r} is not valid UTF-8; convert it to UTF-8"
            )


def test_invalid_utf8_in_a_table_in_memory_is_refused_with_its_column_and_row() -> None:
    broken = NOT_TEXT["text"]()
    six = list("abcdef")
    preferences = {"topic": six, "left": six, "right": six[::-1], "outcome": ["left"] * 6, "assessor": six}
    for column in preferences:
        message = refusal(read_preferences, pa.table({**preferences, column: broken}))
        assert message.startswith(f"preferences, row 3: the text in the column {column!r} is not valid UTF-8")
    scores = {"run": six, "topic": six, "AP": [1.0] * 6}
    assert refusal(read_scores, pa.table({**scores, "topic": broken})).startswith(
        "scores, row 3: the text in the column 'topic' is not valid UTF-8"
    )
    labels = pa.table({"topic": six, "doc": broken, "relevance": [1] * 6})
    assert refusal(lambda source: read_judgments(source, aspects=["relevance"]), labels).startswith(
        "judgments, row 3: the text in the column 'doc' is not valid UTF-8"
    )
    weights = pa.table({"topic": ["1"] * 6, "aspect": broken, "weight": [1.0] * 6})
    assert "row 3: the text in the column 'aspect' is not valid UTF-8" in refusal(
        lambda source: read_judgments(JUDGED, weights=source), weights
    )
    for column, read in (("topic", read_run), ("doc", read_run), ("doc", read_judgments)):
        rows = pa.table({"topic": six, "doc": six, "score": [1.0] * 6, "grade": [1.0] * 6})
        message = refusal(read, rows.set_column(rows.column_names.index(column), column, broken))
        assert "row 3: the " in message
        assert f"in the column {column!r} is not valid UTF-8" in message


def test_a_column_whose_name_is_not_text_is_refused(tmp_path: Path) -> None:
    rows = pa.table({**RUN, "extra": ["x"] * 6})
    held = pa.BufferOutputStream()
    with pa.ipc.new_file(held, rows.schema) as writer:
        writer.write_table(rows)
    data = held.getvalue().to_pybytes().replace(b"extra", b"\xff\xfe\xfd\xfc\xfb")
    path = tmp_path / "run.arrow"
    path.write_bytes(data)
    table = pa.ipc.open_file(pa.py_buffer(data)).read_all()
    for read in (read_run, read_judgments, read_preferences, read_scores):
        assert refusal(read, path) == f"{path}: the name of column 4 is not valid UTF-8; rename it"
        assert "the name of column 4 is not valid UTF-8; rename it" in refusal(read, table)


def test_two_columns_with_the_same_name_are_refused_where_both_are_read(tmp_path: Path) -> None:
    rows = pa.Table.from_arrays([pa.array(["1"]), pa.array([1.0]), pa.array([2.0])], ["run", "x", "x"])
    pa.parquet.write_table(rows, tmp_path / "scores.parquet")
    assert "scores.parquet: 2 columns are called 'x'" in refusal(read_scores, tmp_path / "scores.parquet")
    assert "scores: two columns have the same name" in refusal(read_scores, rows)


def test_preferences_without_any_of_their_columns_are_refused(tmp_path: Path) -> None:
    # pyarrow reads all columns if it is told to read none.
    rows = pa.Table.from_arrays([pa.array(["1"]), pa.array(["2"])], ["", ""])
    message = refusal(read_preferences, write_ipc(rows, tmp_path / "p.arrow", "stream"))
    assert message.startswith(f"{tmp_path / 'p.arrow'}: has none of the columns topic, given, left, right")
    assert "preferences: two columns have the same name" in refusal(read_preferences, rows.to_reader())


def test_a_small_file_with_a_huge_table_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = 200_000  # of one value, which Parquet writes once
    table = pa.table({"topic": ["1"] * rows, "doc": ["d"] * rows, "score": [1.0] * rows})
    pa.parquet.write_table(table, tmp_path / "run.parquet")
    monkeypatch.setenv(MAX_UNPACKED, "1M")
    message = refusal(read_run, tmp_path / "run.parquet")
    assert "run.parquet: the table holds more than 1,048,576 bytes" in message
    assert "--max-unpacked" in message
    # A file that is as large as its table is no surprise.
    assert len(read_run(write_ipc(table, tmp_path / "run.arrow", "file"))) == rows


# Databases whose views do more than they should


def database(path: Path, *statements: str) -> Path:
    with duckdb.connect(str(path)) as connection:
        for statement in statements:
            connection.execute(statement)
    return path


SECRET = "a secret that no reader may have"
VIEWS = {
    "read_text": "create view v as select '1' as topic, content as doc, 1.0 as score "
    "from read_text('{secret}')",
    "read_blob": "create view v as select '1' as topic, content::varchar as doc, 1.0 as score "
    "from read_blob('{secret}')",
    "read_csv": "create view v as select '1' as topic, column0 as doc, 1.0 as score "
    "from read_csv('{secret}', header=false)",
    "a file as a table": "create view v as select '1' as topic, columns(*) as doc, 1.0 as score "
    "from '{secret}.csv'",
    "glob": "create view v as select '1' as topic, file as doc, 1.0 as score from glob('{folder}/*')",
    "sniff_csv": "create view v as select '1' as topic, prompt as doc, 1.0 as score "
    "from sniff_csv('{secret}')",
    "another database": "attach '{other}' as other; create view v as select * from other.main.run",
    "a macro": "create macro content_of(f) as table select * from read_text(f); "
    "create view v as select '1' as topic, content as doc, 1.0 as score from content_of('{secret}')",
    "a macro for a value": "create macro secret() as (select content from read_text('{secret}')); "
    "create view v as select '1' as topic, secret() as doc, 1.0 as score",
    "a query in a text": "create view v as select * from query("
    "'select ''1'' as topic, content as doc, 1.0 as score from read_text(''{secret}'')')",
    "a view of a view": "create view w as select content from read_text('{secret}'); "
    "create view v as select '1' as topic, content as doc, 1.0 as score from w",
    "a Python variable": "create table SECRET_ROWS as select '1' as topic, 'd' as doc, 1.0 as score; "
    "create view v as select * from SECRET_ROWS; drop table SECRET_ROWS",
}
SECRET_ROWS = pa.table({"topic": ["1"], "doc": [SECRET], "score": [1.0]})


@pytest.fixture
def hostile(tmp_path: Path) -> Callable[[str], Path]:
    """Makes a database with such a view."""
    for name in ("secret", "secret.csv"):
        (tmp_path / name).write_text(SECRET + "\n")
    database(tmp_path / "other.duckdb", "create table run as select '1' as topic, 'd' as doc, 1.0 as score")
    places = {
        "secret": (tmp_path / "secret").as_posix(),
        "folder": tmp_path.as_posix(),
        "other": (tmp_path / "other.duckdb").as_posix(),
    }

    def make(view: str) -> Path:
        return database(tmp_path / "hostile.duckdb", *view.format(**places).split("; "))

    return make


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_that_reaches_beyond_its_database_is_refused(
    hostile: Callable[[str], Path], view: str
) -> None:
    path = hostile(VIEWS[view])
    message = refusal(read_run, f"{path}::v")
    assert message.startswith(f"{path}::v: the view 'v' cannot be read without other files, the network, ")
    assert message.endswith('create table rows as select * from "main"."v"')
    assert SECRET not in message


def test_what_a_view_may_not_read_is_not_written(hostile: Callable[[str], Path], tmp_path: Path) -> None:
    path = hostile(VIEWS["read_text"])
    ended = program("convert", f"{path}::v", tmp_path / "out.parquet", "--run")
    assert ended.returncode == 2
    assert "the view 'v' cannot be read" in ended.stderr
    assert "Permission Error" in ended.stderr
    assert not (tmp_path / "out.parquet").exists()


@pytest.mark.parametrize(
    "statement",
    [
        "set enable_external_access=true",
        "set lock_configuration=false",
        "set python_enable_replacements=true",
        "load httpfs",
        "install httpfs",
        "install h3 from community",
        "attach '{other}' as other",
        "copy (select 1) to '{folder}/written'",
    ],
)
def test_a_confined_database_stays_confined(tmp_path: Path, statement: str) -> None:
    path = database(tmp_path / "some.duckdb", "create table t as select 1 as a")
    other = database(tmp_path / "other.duckdb", "create table t as select 1 as a")
    statement = statement.format(other=other.as_posix(), folder=tmp_path.as_posix())
    with (
        duckdb.connect(str(path), read_only=True, config=tables._CONFINED) as connection,
        pytest.raises(duckdb.Error, match=r"locked|disabled|access|Permission"),
    ):
        connection.execute(statement)
    assert not (tmp_path / "written").exists()


def test_views_that_need_only_their_database_are_read(tmp_path: Path) -> None:
    path = database(
        tmp_path / "own.duckdb",
        "create table t(topic varchar, n integer, doc varchar generated always as ('d' || n))",
        "insert into t values ('1', 1), ('1', 2)",
        "create macro halved(x) as x / 2.0",
        "create view v as select topic, doc, halved(n) as score from t order by n desc",
    )
    found = read_run(f"{path}::v").table.columns()
    assert [list(column) for column in found[:3]] == [["1", "1"], ["d2", "d1"], [1.0, 0.5]]


def test_a_view_without_end_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = database(
        tmp_path / "large.duckdb",
        "create view v as select '1' as topic, 'd' || i as doc, 1.0::double as score "
        "from range(1000000000000) t(i)",
    )
    monkeypatch.setenv(MAX_UNPACKED, "20M")
    assert "large.duckdb::v: the table holds more than 20,971,520 bytes" in refusal(read_run, f"{path}::v")


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
@pytest.mark.parametrize(
    "rows",
    [
        "with recursive t(n) as (select 1 union select (n + 1) % 1000000007 from t) "
        "select count(*) as n from t",
        "select sum(a.range * b.range) as n from range(10000000) a, range(10000000) b",
    ],
    ids=["recursion", "product"],
)
def test_ctrl_c_ends_a_view_that_takes_too_long(tmp_path: Path, rows: str) -> None:
    path = database(
        tmp_path / "slow.duckdb",
        f"create view v as select '1' as topic, n::varchar as doc, 1.0::double as score from ({rows})",
    )
    (tmp_path / "q.txt").write_text("1 0 d 1\n")
    words = [
        sys.executable,
        "-m",
        "rankprism",
        "evaluate",
        str(tmp_path / "q.txt"),
        f"{path}::v",
        "-m",
        "P@5",
    ]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        for _ in range(600):  # until DuckDB is at work
            maps = Path(f"/proc/{process.pid}/maps")
            if maps.exists() and "duckdb" in maps.read_text():
                break
            time.sleep(0.05)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "rankprism: interrupted" in err
    assert not out


# Topics of any size


@pytest.mark.skipif(
    sys.platform == "win32" or "RANKPRISM_SANITIZED" in os.environ,
    reason="limits the address space, which needs POSIX and no sanitizer, as these reserve terabytes",
)
def _of_subtopics(number: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Judgments with a document for each subtopic, and a run."""
    judged = {"q": {f"s{i}": {f"d{i}": 1} for i in range(number)}}
    return judged, {"r": {"q": {f"d{i}": float(number - i) for i in range(100)}}}


def test_many_subtopics_take_no_time_beyond_what_they_hold() -> None:
    """The greedy ideal looked at every subtopic of every document at every rank: 7.6 CPU seconds, now .1."""
    judged, runs = _of_subtopics(2500)
    began = time.process_time()
    scores = evaluate(judged, runs, "alpha_nDCG@20")
    assert time.process_time() - began < 3
    assert scores.values.item() == 1.0


def test_a_topic_whose_grades_would_fill_the_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hits, "MOST_CELLS", 10_000)
    judged, runs = _of_subtopics(100)
    assert evaluate(judged, runs, "ERR_IA@20").values.size == 1
    judged, runs = _of_subtopics(101)
    with pytest.raises(InputError, match="topic 'q' has 101 relevant documents and 101 subtopics"):
        evaluate(judged, runs, "ERR_IA@20")
    one_aspect = {"q": {f"d{i}": 1 for i in range(20_000)}}
    assert evaluate(one_aspect, runs, "P@20").values.item() == 1.0


def test_a_topic_with_60_000_documents_needs_no_table_of_every_two_of_them(tmp_path: Path) -> None:
    # A star and pairs: 60,000 documents, of which one was compared 20,000 times.
    lines = ["topic\tgiven\tleft\tright\toutcome\tassessor"]
    lines += [f"q\t\thub\td{i}\tleft\tann" for i in range(20_000)]
    lines += [f"q\t\td{2 * i}\td{2 * i + 1}\tright\tbob" for i in range(10_000, 30_000)]
    lines += [f"q\td1\td{a}\td{b}\tleft\tann" for a, b in ((2, 3), (3, 4), (4, 2))]
    (tmp_path / "p.tsv").write_text("\n".join(lines) + "\n")
    (tmp_path / "r.run").write_text("".join(f"q Q0 d{i} {i} {-i} r\n" for i in range(1, 9)))
    (tmp_path / "s.run").write_text("".join(f"q Q0 d{9 - i} {i} {-i} s\n" for i in range(1, 9)))
    script = tmp_path / "script.py"
    script.write_text(SIXTY_THOUSAND)
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    ended = subprocess.run(
        [sys.executable, str(script)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert ended.returncode == 0, ended.stderr
    described, *refused, asked = ended.stdout.splitlines()
    assert described == "60001 Cycles(triads=1, cyclic=1, in_cycles=3) 1.0"
    assert refused == ["p.tsv, topic 'q': has 60,001 documents"] * 5
    assert asked == "2"


#: With 2 GB of address space, in which a table of 60,000 × 60,000 numbers has no place.
SIXTY_THOUSAND = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
from rankprism import InputError, evaluate, preferences, read_preferences

read = read_preferences("p.tsv")
found = preferences.describe(read, ["r.run"])
print(found.topics["q"].documents, found.topics["q"].order, found.runs["r"].documents)
for analysis in (
    lambda: preferences.strengths(read),
    lambda: preferences.order(read),
    lambda: preferences.order(read, by="wins"),
    lambda: evaluate(read, "r.run", "nPrf@5"),
    lambda: evaluate(read, "r.run", "prefs_simp"),
):
    try:
        analysis()
    except InputError as error:
        print(str(error).partition(",  ")[0].partition(" documents")[0] + " documents")
evaluate(read, "r.run", ["ppref@5", "wpref@5"])
print(len(preferences.select({"r": "r.run", "s": "s.run"}, read, 2)))
"""


HALF = "a\udcff"


@pytest.mark.parametrize(
    "read",
    [
        lambda: read_judgments({"q": {"b": 1, HALF: 1}}),
        lambda: read_judgments([("q", "b", 1), ("q", HALF, 1)]),
        lambda: read_run({"q": {"b": 1.0, HALF: 1.0}}),
        lambda: read_run([("q", "b", 1.0), (HALF, "b", 1.0)]),
        lambda: read_preferences([("q", "", "a", "b", "left"), ("q", "", HALF, "b", "left")]),
        lambda: read_preferences([("q", "", "a", "b", "left"), ("q", [HALF], "a", "b", "left")]),
    ],
)
def test_half_of_a_surrogate_pair_is_named_with_its_row(read: Callable[[], Any]) -> None:
    with pytest.raises(InputError, match=r"^(judgments|run|preferences), row 2: 'a\\udcff' has half of a"):
        read()


def test_half_of_a_surrogate_in_json_is_named_with_its_line(tmp_path: Path, cli: Callable[..., Any]) -> None:
    path = tmp_path / "prefs.jsonl"
    path.write_text('{"topic": "q", "left": "a\\udcff", "right": "b", "outcome": "left"}\n')
    result = cli("preferences", "describe", path)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith(f"rankprism: {path}, line 1: 'a\\udcff' has half of a surrogate pair")


def test_a_database_without_tables_is_told_to_have_none(tmp_path: Path) -> None:
    duckdb.connect(tmp_path / "empty.duckdb").close()
    with pytest.raises(InputError, match=r"empty.duckdb: has no table; create one"):
        read_run(tmp_path / "empty.duckdb")
