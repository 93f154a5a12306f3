"""Frames, Arrow streams and files of tables: the same judgments, runs and scores as from text.

The expected values come from rows of tuples, which do not pass through Arrow, or from the text of a file.
"""

from __future__ import annotations

import ctypes
import gzip
import sys
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import ASPECTS, DOCS, TOPICS

import rankprism
from rankprism import InputError, evaluate, read_judgments, read_run
from rankprism.cli.app import app
from rankprism.formats.convert import convert

# The runs lack a judged topic and have others, which is noted.
pytestmark = pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")

MEASURES = ["alpha_nDCG@20", "ERR_IA@20", "NRBP", "AP_IA", "nDCG@10", "AP"]

JUDGED = [
    ("1", "a", "d1", 2.0),
    ("1", "b", "d1", 0.0),
    ("1", "a", "文档", 1.0),
    ("wt09-3", "a", "clueweb09-en0000-00-00001", 1.0),
    ("тема", "ä", "وثيقة", 3.0),
    ("1", "b", "d2", 1.0),  # topic 1 comes back
]
RANKED = [
    ("1", "d2", 3.5, 1.0),
    ("1", "文档", 2.0, 2.0),
    ("1", "d1", 2.0, 3.0),
    ("тема", "وثيقة", 1.0, 1.0),
    ("nobody judged this", "d1", -1.0, 1.0),
    ("1", "an id of more than twelve bytes", 0.25, 4.0),
]


def table(rows: Sequence[Sequence[Any]], *names: str) -> pa.Table:
    return pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


JUDGMENTS = table(JUDGED, "topic", "aspect", "doc", "grade")
RUN = table(RANKED, "topic", "doc", "score", "rank")


def contents(read: Any) -> list[Any]:
    """The columns of judgments or of a run, which can be compared."""
    return [np.asarray(column).tolist() for column in read.table.columns()]


EXPECTED = contents(read_judgments(JUDGED))
EXPECTED_RUN = contents(read_run(RANKED))


TEXTS = {
    "string": pa.string(),
    "large_string": pa.large_string(),
    "dictionary": pa.dictionary(pa.int32(), pa.string()),
    "dictionary of int8": pa.dictionary(pa.int8(), pa.large_string()),
    "dictionary of uint64": pa.dictionary(pa.uint64(), pa.string()),
    "string_view": pa.string_view(),
}
NUMBERS = [
    pa.float64(),
    pa.float32(),
    pa.float16(),
    pa.decimal128(10, 2),
    pa.dictionary(pa.int8(), pa.float64()),
]


def cast(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    if kind == pa.string_view():  # made anew, because pyarrow 18 to 22 crash when they export a cast one
        return pa.chunked_array([pa.array(chunk.to_pylist(), kind) for chunk in column.chunks], kind)
    if not pa.types.is_dictionary(kind):
        return column.cast(kind)
    encoded = pa.chunked_array([chunk.dictionary_encode() for chunk in column.cast(kind.value_type).chunks])
    chunks = [
        pa.DictionaryArray.from_arrays(chunk.indices.cast(kind.index_type), chunk.dictionary)
        for chunk in encoded.chunks
    ]
    return pa.chunked_array(chunks, kind)


def chunked(whole: pa.Table, sizes: Sequence[int], padding: int = 0) -> pa.RecordBatchReader:
    """The same rows in batches of these sizes, each cut out of a longer array."""
    batches: list[Any] = []
    start = 0
    for size in [*sizes, whole.num_rows]:
        part = whole.slice(start, size)
        if part.num_rows and padding:
            longer = pa.concat_tables([part.slice(0, 1)] * padding + [part] + [part.slice(0, 1)] * padding)
            part = longer.combine_chunks().slice(padding, part.num_rows)
        batches += part.combine_chunks().to_batches() or [
            pa.RecordBatch.from_arrays([pa.nulls(0, f.type) for f in whole.schema], schema=whole.schema)
        ]
        start += size
    return pa.RecordBatchReader.from_batches(whole.schema, batches)


@pytest.mark.parametrize("padding", [0, 3])
@pytest.mark.parametrize("sizes", [(), (1, 1, 1), (0, 2, 0, 3)])
@pytest.mark.parametrize("kind", TEXTS)
def test_every_type_of_text_in_any_chunks(kind: str, sizes: tuple[int, ...], padding: int) -> None:
    texts = pa.table(
        {
            name: cast(column, TEXTS[kind]) if pa.types.is_string(column.type) else column
            for name, column in zip(JUDGMENTS.column_names, JUDGMENTS.columns, strict=True)
        }
    )
    assert contents(read_judgments(chunked(texts, sizes, padding))) == EXPECTED
    texts = RUN.set_column(0, "topic", cast(RUN["topic"], TEXTS[kind]))
    texts = texts.set_column(1, "doc", cast(RUN["doc"], TEXTS[kind]))
    assert contents(read_run(chunked(texts, sizes, padding))) == EXPECTED_RUN


@pytest.mark.parametrize("kind", NUMBERS, ids=str)
def test_every_type_of_number(kind: pa.DataType) -> None:
    grades = JUDGMENTS.set_column(3, "grade", cast(JUDGMENTS["grade"], kind))
    assert contents(read_judgments(chunked(grades, (1, 2), 2))) == EXPECTED
    scores = RUN.set_column(2, "score", cast(RUN["score"], kind))
    assert contents(read_run(chunked(scores, (1, 2), 2))) == EXPECTED_RUN


WHOLE = [pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64()]


@pytest.mark.parametrize("kind", [*WHOLE, pa.float64(), pa.decimal128(20, 0), pa.decimal256(40, 0)], ids=str)
def test_whole_numbers_are_ids_and_numbers(kind: pa.DataType) -> None:
    rows = [(1, 10, 7, 2), (2, 10, 7, 1), (2, 20, 100, 0), (1, 20, 0, 1)]
    numbers = pa.table(
        {
            name: cast(column.cast(pa.int64()), kind)
            for name, column in zip(
                JUDGMENTS.column_names, table(rows, "topic", "aspect", "doc", "grade").columns, strict=True
            )
        }
    )
    assert contents(read_judgments(chunked(numbers, (1,), 1))) == contents(read_judgments(rows))


def test_numbers_at_the_ends_of_their_types() -> None:
    values = [2**64 - 1, 2**63, 0]
    ids = pa.table({"topic": pa.array(values, pa.uint64()), "doc": ["a", "b", "c"], "grade": [1, 1, 1]})
    assert set(read_judgments(ids).topics) == set(map(str, values))
    least = pa.table(
        {"topic": pa.array([-(2**63)]), "doc": [2.0**53 - 1], "score": pa.array([2**64 - 1], pa.uint64())}
    )
    assert contents(read_run(least)) == [["-9223372036854775808"], [str(2**53 - 1)], [float(2**64 - 1)], []]
    halves = np.array([6e-8, 0.333, -65504, 5.96e-8], dtype=np.float16)
    read = read_run(pa.table({"topic": ["1"] * 4, "doc": list("abcd"), "score": pa.array(halves)}))
    assert contents(read)[2] == [float(half) for half in halves]
    truths = pa.table({"topic": ["1"] * 9, "doc": list("abcdefghi"), "grade": [True, False, True] * 3})
    # Documents come out by id, descending.
    assert contents(read_judgments(truths.slice(2)))[3] == [1, 0, 1, 1, 0, 1, 1]


@given(
    st.lists(
        st.decimals(allow_nan=False, allow_infinity=False, places=7, min_value=-(10**20), max_value=10**20)
    ),
    st.sampled_from([pa.decimal128(38, 7), pa.decimal256(60, 7)]),
)
def test_decimal_numbers_are_rounded_as_python_rounds_them(values: list[Decimal], kind: pa.DataType) -> None:
    values = [*values, Decimal("-0.0000001"), Decimal(0)]
    docs = [str(i) for i in range(len(values))]
    frame = pa.table({"topic": ["1"] * len(docs), "doc": docs, "score": pa.array(values, kind)})
    assert contents(read_run(frame))[2] == [float(value) for value in values]


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[tuple[str, str, str, float]], list[str], list[int], int]:
    """Rows of judgments without contradictions, a type of text for each column, and where to cut."""
    cell = st.tuples(st.sampled_from(TOPICS), st.sampled_from(ASPECTS), st.sampled_from(DOCS))
    grades = draw(st.dictionaries(cell, st.sampled_from([0.0, 1.0, 2.5, -1.0]), min_size=1, max_size=30))
    kinds = draw(st.lists(st.sampled_from(sorted(TEXTS)), min_size=3, max_size=3))
    return (
        [(*k, g) for k, g in grades.items()],
        kinds,
        draw(st.lists(st.integers(0, 9))),
        draw(st.integers(0, 9)),
    )


def typed(rows: Sequence[Sequence[Any]], kinds: Sequence[str]) -> pa.Table:
    """Judgments whose topics, aspects and documents have these types of text."""
    plain = table(rows, "topic", "aspect", "doc", "grade")
    texts = [cast(plain.column(i), TEXTS[kind]) for i, kind in enumerate(kinds)]
    return pa.table(dict(zip(plain.column_names, [*texts, plain["grade"]], strict=True)))


@given(tables())
def test_neither_types_nor_chunks_nor_slices_change_anything(
    drawn: tuple[list[tuple[str, str, str, float]], list[str], list[int], int],
) -> None:
    rows, kinds, sizes, padding = drawn
    frame = typed(rows, kinds)
    assert contents(read_judgments(chunked(frame, sizes, padding))) == contents(read_judgments(rows))
    ranked = frame.drop_columns("aspect").rename_columns(["topic", "doc", "score"])
    assert contents(read_run(chunked(ranked, sizes, padding))) == contents(
        read_run([(topic, doc, grade) for topic, _, doc, grade in rows])
    )


FRAMES: dict[str, Callable[[pa.Table], Any]] = {
    "pyarrow": lambda t: t,
    "record batch": lambda t: t.combine_chunks().to_batches()[0],
    "reader": lambda t: t.to_reader(max_chunksize=2),
    "pandas": lambda t: t.to_pandas(),
    "pandas with its own index": lambda t: t.to_pandas().set_index(pd.Index(range(5, 5 + len(t)))),
    "pandas objects": lambda t: t.to_pandas().astype({"topic": object, "doc": object}),
    "pandas categories": lambda t: t.to_pandas().astype({"topic": "category"}),
    "polars": lambda t: pl.from_arrow(t),
    "polars, lazy": lambda t: pl.DataFrame(pl.from_arrow(t)).lazy(),
    "polars categories": lambda t: pl.DataFrame(pl.from_arrow(t)).with_columns(
        pl.col("topic").cast(pl.Categorical)
    ),
    "duckdb": lambda t: duckdb.from_arrow(t),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_every_library_gives_the_same_judgments_and_runs(kind: str) -> None:
    assert contents(read_judgments(FRAMES[kind](JUDGMENTS))) == EXPECTED
    assert contents(read_run(FRAMES[kind](RUN))) == EXPECTED_RUN
    scores = evaluate(FRAMES[kind](JUDGMENTS), FRAMES[kind](RUN), MEASURES)
    assert scores.values.tobytes() == evaluate(JUDGED, RANKED, MEASURES).values.tobytes()
    assert scores.runs == ("run",)


@pytest.mark.parametrize(
    ("year", "name"),
    [("2009", "qrels.diversity.gz"), ("2012", "qrels-for-ndeval.txt.gz"), ("2014", "qrels.ndeval.txt.gz")],
)
def test_the_scores_of_official_runs_have_the_same_bytes(
    collections: Path, tmp_path: Path, year: str, name: str
) -> None:
    folder = collections / f"trec-web-{year}"
    paths = sorted((folder / "runs").iterdir())[:4]

    def lines(path: Path) -> Iterator[list[str]]:
        data = path.read_bytes()
        for line in (gzip.decompress(data) if path.suffix == ".gz" else data).decode().splitlines():
            yield line.split()

    judged = [(t, a, d, float(g)) for t, a, d, g in lines(folder / name)]
    ranked = [
        (rankprism.formats.files.run_name(path), t, d, float(s), float(r))
        for path in paths
        for t, _, d, r, s, *_ in lines(path)
    ]
    judgments = table(judged, "query_id", "subtopic", "doc_id", "rel")
    runs = table(ranked, "run", "query_id", "doc_id", "score", "rank")
    pa.parquet.write_table(judgments, tmp_path / "qrels.parquet", row_group_size=1000)
    pa.feather.write_feather(runs, tmp_path / "runs.feather", chunksize=777)
    for order in ("score", "rank", "trec_eval"):
        expected = evaluate(folder / name, paths, MEASURES, order=order)
        doors: list[tuple[Any, Any]] = [
            (judgments, runs),
            (tmp_path / "qrels.parquet", tmp_path / "runs.feather"),
        ]
        for own_judgments, own_runs in doors:
            found = evaluate(own_judgments, own_runs, MEASURES, order=order)
            assert (found.runs, found.topics) == (expected.runs, expected.topics)
            assert found.values.tobytes() == expected.values.tobytes()
            assert found.conventions["notes"] == expected.conventions["notes"] or order == "score"


def test_reading_makes_no_python_object_for_a_row() -> None:
    rows = 50_000
    topics = pa.array([str(i // 500) for i in range(rows)])
    docs = pa.array([f"document-{i}" for i in range(rows)])
    numbers = pa.array(np.arange(rows, dtype=float))
    judged = pa.table({"topic": topics, "doc": docs, "grade": numbers})
    ranked = pa.table({"topic": topics, "doc": docs, "score": numbers})
    read_judgments(JUDGMENTS), read_run(RUN)  # what is imported does not count
    tracemalloc.start()
    try:
        read_run(ranked)
        evaluate(judged, ranked.slice(0, 1), "P@1")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # One pointer for each row would be 400,000 bytes; numpy's arrays of cells are counted as well.
    assert peak < 100 * rows
    tracemalloc.start()
    try:
        read = read_judgments(judged), read_run(ranked)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (len(read[0]), len(read[1])) == (rows, rows)
    assert peak < rows


def test_python_runs_while_a_table_is_read() -> None:
    # The batches come from Python code, which would never get the interpreter lock if reading kept it.
    def batches() -> Iterator[pa.RecordBatch]:
        yield from JUDGMENTS.to_batches(max_chunksize=1)

    reader = pa.RecordBatchReader.from_batches(JUDGMENTS.schema, batches())
    assert contents(read_judgments(reader)) == EXPECTED


# What is refused


def refused(column: str, values: Any, rows: pa.Table = JUDGMENTS) -> str:
    """The message about a table in which one column has other values."""
    if not isinstance(values, pa.Array | pa.ChunkedArray):
        values = pa.array(values)
    changed = rows.set_column(rows.column_names.index(column), column, values)
    read = read_judgments if rows is JUDGMENTS else read_run
    with pytest.raises(InputError) as error:
        read(chunked(changed, (2,), 1))
    return str(error.value)


@pytest.mark.parametrize(
    ("column", "what"),
    [("topic", "topic id"), ("aspect", "aspect id"), ("doc", "document id"), ("grade", "grade")],
)
def test_a_null_is_refused_with_its_row_and_column(column: str, what: str) -> None:
    values = JUDGMENTS[column].to_pylist()
    values[3] = None
    kinds = [pa.float64()] if column == "grade" else TEXTS.values()
    for kind in kinds:
        found = refused(column, cast(pa.chunked_array([pa.array(values)]), kind))
        assert f"judgments, row 4: the {what} in the column '{column}' is missing (null)" in found
    assert f"judgments, row 1: the {what} in the column '{column}'" in refused(column, pa.nulls(6))


BAD: list[tuple[str, Any, str]] = [
    ("doc", ["a", "b", "", "c", "d", "e"], "row 3: '' is not a valid document id; ids are non-empty strings"),
    ("doc", ["a", "b", "c\0", "c", "d", "e"], "row 3: the document id in the column 'doc' has a NUL"),
    ("topic", [1.0, 2.0, 2.5, 1.0, 1.0, 1.0], "row 3: 2.5 is not a valid topic id"),
    ("topic", [1.0, 2.0, float("nan"), 1.0, 1.0, 1.0], "row 3: nan is not a valid topic id"),
    ("aspect", [True] * 6, "row 1: True is not a valid aspect id"),
    ("doc", [b"d"] * 6, "the column 'doc' has the Arrow type 'z', which is neither text nor number; cast it"),
    ("doc", [["d"]] * 6, "the column 'doc' has the Arrow type '+l'"),
    ("grade", ["1"] * 6, "row 1: the grade '1' in the column 'grade' is text, not a number; cast the column"),
    ("grade", ["é"] * 6, "row 1: the grade in the column 'grade' is text, not a number; cast the column"),
    ("grade", [1, 2, float("nan"), 1, 1, 1], "row 3: the grade nan is not a finite number"),
    ("grade", [1, 2, float("-inf"), 1, 1, 1], "row 3: the grade -inf is not a finite number"),
    ("grade", [1, 2, 1e10, 1, 1, 1], "row 3: the grade of document '文档' is too large; grades lie between"),
]


@pytest.mark.parametrize(("column", "values", "message"), BAD, ids=[case[2][:40] for case in BAD])
def test_bad_values_are_refused_with_their_row(column: str, values: Any, message: str) -> None:
    assert message in refused(column, values)


def test_a_dictionary_of_dictionaries_is_refused() -> None:
    # Otherwise the numbers of the entries would be taken for ids.
    outer = pa.array([0, 1, 2, 3, 4, 3], pa.int8())
    nested = pa.DictionaryArray.from_arrays(outer, pa.array(list("abcde")).dictionary_encode())
    with pytest.raises(
        InputError, match="the column 'doc' has the Arrow type 'c', which is neither text nor"
    ):
        read_judgments(JUDGMENTS.set_column(2, "doc", nested))


def test_invalid_text_is_refused() -> None:
    offsets, data = pa.array([0, 1, 3, 4, 5, 6, 7], pa.int32()).buffers()[1], pa.py_buffer(b"a\xff\xfebcde")
    broken = pa.Array.from_buffers(pa.string(), 6, [None, offsets, data])
    assert "row 2: the document id in the column 'doc' is not valid UTF-8" in refused("doc", broken)


def test_conflicts_and_duplicates_name_both_rows() -> None:
    twice = pa.concat_tables([JUDGMENTS, JUDGMENTS.slice(2, 1)])
    assert contents(read_judgments(twice)) == EXPECTED
    grades = pa.array([*JUDGMENTS["grade"].to_pylist(), 7.0])
    with pytest.raises(
        InputError, match=r"judgments, row 7: document '文档' .* has grade 7 here and 1 at row 3"
    ):
        read_judgments(twice.set_column(3, "grade", grades))
    message = r"run, row 7: document 'd2' occurs twice in topic '1', first at row 1"
    with pytest.raises(InputError, match=message):
        evaluate(JUDGED, pa.concat_tables([RUN, RUN.slice(0, 1)]), "AP")
    several = named(["x", "y", "x", "y", "x", "y"])
    several = pa.concat_tables([several, several.slice(2, 1)])
    with pytest.raises(
        InputError, match=r"run, run 'x', row 7: document 'd1' occurs twice .* first at row 3"
    ):
        evaluate(JUDGED, several, "AP")


def test_ranks_are_given_to_all_rows_or_to_none() -> None:
    ranks = pa.array([1.0, None, 2.0, 3.0, 4.0, 5.0])
    assert "some rows have a rank and some have none" in refused("rank", ranks, RUN)
    without = RUN.set_column(3, "rank", pa.nulls(6, pa.int64()))
    assert contents(read_run(without)) == contents(read_run([row[:3] for row in RANKED]))


def test_the_columns_of_a_table_are_found_by_their_usual_names() -> None:
    renamed = JUDGMENTS.rename_columns(["Query_ID", "Subtopic", "DOCNO", "rel"])
    assert contents(read_judgments(renamed)) == EXPECTED
    with pytest.raises(
        InputError, match="judgments: no grade column among topic, aspect, doc; name it one of"
    ):
        read_judgments(JUDGMENTS.drop_columns("grade"))
    for column in (JUDGMENTS["doc"], pl.Series(["a"])):
        with pytest.raises(InputError, match="holds no rows with named columns; pass a table"):
            read_judgments(column)
    with pytest.raises(InputError, match="judgments: no judgments given"):
        read_judgments(JUDGMENTS.slice(0, 0))
    with pytest.raises(InputError, match="run: the run is empty"):
        evaluate(JUDGED, RUN.slice(0, 0), "AP")


# Streams that do not keep to the rules


class Schema(ctypes.Structure):
    pass


Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]


class Array(ctypes.Structure):
    pass


Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.POINTER(Array)),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]


class Stream(ctypes.Structure):
    _fields_ = [
        ("get_schema", ctypes.c_void_p),
        ("get_next", ctypes.c_void_p),
        ("get_last_error", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
    ]


GET = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


class Tampered:
    """The stream of a table, with its schema or its batches changed before they are seen."""

    def __init__(
        self,
        whole: pa.Table,
        schema: Callable[[Any], None] | None = None,
        batch: Callable[[Any], None] | None = None,
    ) -> None:
        self.whole, self.schema, self.batch = whole, schema, batch
        self.kept: list[Any] = []

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        capsule = self.whole.__arrow_c_stream__()
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        stream = Stream.from_address(pointer(capsule, b"arrow_array_stream"))
        for name, change, kind in (("get_schema", self.schema, Schema), ("get_next", self.batch, Array)):
            if change is not None:
                self._wrap(stream, name, change, kind)
        return capsule

    def _wrap(self, stream: Stream, name: str, change: Callable[[Any], Any], kind: Any) -> None:
        original = GET(getattr(stream, name))

        def changed(own: int, out: int) -> int:
            code = int(original(own, out))
            if code == 0 and kind.from_address(out).release:
                code = change(kind.from_address(out)) or 0
            return code

        callback = GET(changed)
        self.kept += [original, callback]
        setattr(stream, name, ctypes.cast(callback, ctypes.c_void_p).value)


def setting(path: str, value: Any) -> Callable[[Any], None]:
    """Set a field of the struct or of its third child, as in ``doc.length``."""

    def change(struct: Any) -> None:
        of_doc, _, name = path.rpartition(".")
        setattr(struct.children[2].contents if of_doc else struct, name, value)

    return change


#: An array that was released, which whoever releases its parent leaves alone.
RELEASED = Array()
CHILDREN = (ctypes.POINTER(Array) * 1)(ctypes.pointer(RELEASED))


def with_dictionary(batch: Any) -> None:
    batch.children[2].contents.dictionary = ctypes.pointer(RELEASED)


def with_children(batch: Any) -> None:
    batch.children[2].contents.children = CHILDREN
    batch.children[2].contents.n_children = 1


HOSTILE: list[tuple[str, dict[str, Any], str]] = [
    ("a wrong format", {"schema": setting("doc.format", b"tdD")}, "has the Arrow type 'tdD'"),
    ("an empty format", {"schema": setting("doc.format", b"")}, "has the Arrow type ''"),
    ("no format", {"schema": setting("doc.format", None)}, "has the Arrow type ''"),
    ("an unknown decimal", {"schema": setting("doc.format", b"d:x")}, "has the Arrow type 'd:x'"),
    ("a decimal of odd width", {"schema": setting("doc.format", b"d:9,2,7")}, "has the Arrow type 'd:9,2,7'"),
    (
        "buffers of another type",
        {"schema": setting("doc.format", b"l")},
        "'doc' of the Arrow stream does not have the buffers",
    ),
    (
        "a decimal beyond all numbers",
        {"schema": setting("doc.format", b"d:9,99999999999")},
        "Arrow type 'd:9,9999",
    ),
    (
        "the least scale",
        {"schema": setting("doc.format", b"d:9,-2147483648")},
        "Arrow type 'd:9,-2147483648'",
    ),
    (
        "a decimal with more behind it",
        {"schema": setting("doc.format", b"d:9,2,128x")},
        "Arrow type 'd:9,2,128x'",
    ),
    (
        "a format that is no text",
        {"schema": setting("doc.format", b"\xff")},
        "has the Arrow type of unreadable bytes",
    ),
    (
        "a name that is no text",
        {"schema": setting("doc.name", b"\xff")},
        "the name of column 3 is not valid UTF-8",
    ),
    ("a released column", {"schema": setting("doc.release", None)}, "lacks a column that it counts"),
    ("negative columns", {"schema": setting("n_children", -1)}, "has a negative number of columns"),
    ("no rows", {"schema": setting("format", b"u")}, "holds no rows with named columns"),
    (
        "an offset beyond all numbers",
        {"batch": setting("offset", 2**63 - 1)},
        "does not have the columns of its",
    ),
    ("too many nulls in a batch", {"batch": setting("null_count", 7)}, "counts more nulls than it has rows"),
    (
        "too many nulls",
        {"batch": setting("doc.null_count", 7)},
        "'doc' of the Arrow stream counts more nulls",
    ),
    (
        "fewer than no nulls",
        {"batch": setting("doc.null_count", -2)},
        "'doc' of the Arrow stream counts more nulls",
    ),
    (
        "nulls without a bitmap",
        {"batch": setting("doc.null_count", 1)},
        "counts nulls, but has no validity bitmap",
    ),
    ("released rows", {"batch": setting("doc.release", None)}, "'doc' of the Arrow stream has been released"),
    ("children of a text", {"batch": with_children}, "'doc' of the Arrow stream has children"),
    ("a dictionary of no schema", {"batch": with_dictionary}, "has a dictionary that its schema lacks"),
    ("no children", {"batch": setting("n_children", 0)}, "does not have the columns of its schema"),
    ("a negative length", {"batch": setting("length", -1)}, "does not have the columns of its schema"),
    ("a short column", {"batch": setting("doc.length", 1)}, "'doc' of the Arrow stream has fewer rows"),
    ("a negative offset", {"batch": setting("doc.offset", -1)}, "'doc' of the Arrow stream has fewer rows"),
    (
        "no buffers",
        {"batch": setting("doc.n_buffers", 0)},
        "'doc' of the Arrow stream does not have the buffers",
    ),
    ("a failing schema", {"schema": lambda struct: 5}, "judgments: the Arrow stream gives no schema"),
    ("a failing batch", {"batch": lambda struct: 5}, "judgments: the Arrow stream breaks off"),
]


@pytest.mark.parametrize(
    ("changes", "message"), [case[1:] for case in HOSTILE], ids=[case[0] for case in HOSTILE]
)
def test_a_stream_that_breaks_the_rules_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        read_judgments(Tampered(JUDGMENTS, **changes))
    assert message in str(error.value)


def test_an_unchanged_stream_is_read_through_the_same_wrapper() -> None:
    assert contents(read_judgments(Tampered(JUDGMENTS, lambda s: None, lambda b: None))) == EXPECTED


def structs_of(batch: Any) -> list[Any]:
    """The struct of a batch, those of its columns, and those of their dictionaries."""
    columns = [batch.children[i].contents for i in range(batch.n_children)]
    return [batch, *columns, *(column.dictionary.contents for column in columns if column.dictionary)]


def rows_in_the_middle(frame: pa.Table, before: int, after: int) -> pa.ChunkedArray:
    """The rows as a slice of a longer array of structs, so that the whole batch begins at an offset."""
    rows = pa.concat_tables([frame.slice(0, 1)] * before + [frame] + [frame.slice(0, 1)] * after)
    columns = [column.chunk(0) for column in rows.unify_dictionaries().combine_chunks().columns]
    return pa.chunked_array(
        [pa.StructArray.from_arrays(columns, rows.column_names).slice(before, len(frame))]
    )


@given(tables(), st.integers(0, 9), st.integers(0, 9), st.integers(0, 2**8 - 1))
def test_offsets_of_whole_batches_and_unknown_numbers_of_nulls_change_nothing(
    drawn: tuple[list[tuple[str, str, str, float]], list[str], list[int], int],
    before: int,
    after: int,
    unknown: int,
) -> None:
    rows, kinds, *_ = drawn

    def forget(batch: Any) -> None:
        for number, struct in enumerate(structs_of(batch)):
            if unknown >> number & 1:
                struct.null_count = -1

    whole = rows_in_the_middle(typed(rows, kinds), before, after)
    assert contents(read_judgments(Tampered(whole, batch=forget))) == contents(read_judgments(rows))


@given(
    tables(),
    st.integers(0, 9),
    st.integers(0, 7),
    st.sampled_from(["length", "offset", "null_count", "n_buffers", "buffers", "values", "dictionary"]),
    st.sampled_from([-(2**63), -1, 2**56 - 1, 2**62, 2**63 - 1]),
)
def test_a_batch_with_a_wrong_number_is_read_rightly_or_refused(
    drawn: tuple[list[tuple[str, str, str, float]], list[str], list[int], int],
    before: int,
    which: int,
    field: str,
    value: int,
) -> None:
    rows, kinds, *_ = drawn

    def spoil(batch: Any) -> None:
        structs = structs_of(batch)
        struct = structs[which % len(structs)]
        if field == "values" and struct.n_buffers > 1:
            struct.buffers[1] = None
        elif field in ("buffers", "dictionary"):
            setattr(struct, field, None)
        # Nobody can know how long a buffer is, nor how many there are where their number is free.
        elif (
            field not in ("values", "n_buffers", "offset")
            or value < 0
            or (field == "offset" and value >= 2**56)
        ):
            setattr(struct, field, value)

    try:
        found = contents(
            read_judgments(Tampered(rows_in_the_middle(typed(rows, kinds), before, 1), batch=spoil))
        )
    except InputError:
        return
    # A number of nulls where there are none, or a longer column or dictionary than is needed, harms nobody.
    assert found == contents(read_judgments(rows))


@pytest.mark.parametrize("kind", sorted({"string", "string_view", "dictionary"} & set(TEXTS)))
def test_references_beyond_a_buffer_are_refused(kind: str) -> None:
    long = [f"an id of more than twelve bytes {i}" for i in range(6)]
    good = cast(pa.chunked_array([long]), TEXTS[kind]).chunk(0)
    buffers = list(good.buffers())[:3]
    if kind == "dictionary":
        indices = pa.array([0, 1, 9, 3, 4, 5], pa.int32())
        broken = pa.DictionaryArray.from_arrays(indices, good.dictionary, safe=False)
    elif kind == "string":
        offsets = pa.array([0, 33, 20, 99, 132, 165, 198], pa.int32()).buffers()[1]
        broken = pa.Array.from_buffers(pa.string(), 6, [None, offsets, buffers[2]])
    else:
        views = np.frombuffer(buffers[1], dtype=np.int32).copy().reshape(-1, 4)
        views[2, 3] = 10**6
        parts = [None, pa.py_buffer(views.tobytes()), buffers[2]]
        try:
            broken = pa.Array.from_buffers(pa.string_view(), 6, parts)
        except ValueError:
            pytest.skip(f"pyarrow {pa.__version__} makes no array of views from more than two buffers")
    assert refused_without_padding(broken).startswith(
        "judgments, row 3: " if kind != "string" else "judgments, row 2: "
    )


def test_an_offset_beyond_the_last_one_is_refused() -> None:
    # The bytes of row 2 would go on to the offset 50, although those of all rows end at 12.
    offsets = pa.array([0, 2, 50, 6, 8, 10, 12], pa.int32()).buffers()[1]
    broken = pa.Array.from_buffers(pa.string(), 6, [None, offsets, pa.py_buffer(b"abcdefghijkl")])
    assert refused_without_padding(broken) == (
        "judgments, row 2: the text in the column 'doc' lies outside its buffers"
    )


def test_a_bitmap_with_another_number_of_nulls_is_refused() -> None:
    docs = pa.array(["a", None, "c", "d", "e", "f"])
    for count in (0, 2, 6):
        source = Tampered(JUDGMENTS.set_column(2, "doc", docs), batch=setting("doc.null_count", count))
        with pytest.raises(InputError, match="has a validity bitmap whose number of nulls"):
            read_judgments(source)
    for before in range(12):  # bits are counted from any place in a byte
        rows = [None] * before + [f"d{i}" for i in range(6)]
        read = read_judgments(JUDGMENTS.set_column(2, "doc", pa.array(rows).slice(before)))
        assert len(read) == 6


def refused_without_padding(docs: pa.Array) -> str:
    with pytest.raises(InputError) as error:
        read_judgments(JUDGMENTS.set_column(2, "doc", docs))
    return str(error.value)


def test_a_missing_row_is_refused() -> None:
    rows = pa.StructArray.from_arrays(
        JUDGMENTS.combine_chunks().to_batches()[0].columns,
        JUDGMENTS.column_names,
        mask=pa.array([False] * 4 + [True, False]),
    )
    with pytest.raises(InputError, match="judgments, row 5: the whole row is missing"):
        read_judgments(pa.chunked_array([rows]))


class Given:
    """Gives this capsule, whatever it is."""

    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        if isinstance(self.capsule, Exception):
            raise self.capsule
        return self.capsule


def test_a_stream_can_be_read_once() -> None:
    source = Given(JUDGMENTS.__arrow_c_stream__())
    assert contents(read_judgments(source)) == EXPECTED
    with pytest.raises(InputError, match="judgments: the Arrow stream has been read already"):
        read_judgments(source)


@pytest.mark.parametrize(
    "capsule",
    [JUDGMENTS.schema.__arrow_c_schema__(), 7, None, RuntimeError("no")],
    ids=["schema", "number", "none", "error"],
)
def test_what_is_no_stream_is_refused(capsule: Any) -> None:
    with pytest.raises(InputError, match="judgments: Given gives no Arrow stream"):
        read_judgments(Given(capsule))


# Tables with several runs


def named(names: Sequence[Any], column: str = "run") -> pa.Table:
    return RUN.add_column(0, column, pa.array(names))


def test_a_column_divides_a_table_into_runs() -> None:
    names = ["x", "y", "x", "x", "y", "z"]
    parts = {name: [row for n, row in zip(names, RANKED, strict=True) if n == name] for name in "xyz"}
    del parts["z"]
    expected = evaluate(JUDGED, parts, MEASURES)
    whole = named(names).slice(0, 5)
    for kind, make in FRAMES.items():
        found = evaluate(JUDGED, make(whole), MEASURES)
        assert (found.runs, found.values.tobytes()) == (("x", "y"), expected.values.tobytes()), kind
    both = evaluate(JUDGED, [whole, RUN], "AP")
    assert both.runs == ("x", "y", "run2")
    assert evaluate(JUDGED, named(["x"] * 6, "system_id"), "AP").runs == ("x",)
    assert evaluate(JUDGED, {"mine": named(["x"] * 6)}, "AP").runs == ("mine",)
    assert (read_run(named(["x"] * 6)).name, read_run(named(["x"] * 6), name="y").name) == ("x", "y")


def test_a_table_of_several_runs_is_refused_where_one_is_wanted() -> None:
    several = named(["x", "y"] * 3)
    for read in (lambda: read_run(several), lambda: evaluate(JUDGED, {"mine": several}, "AP")):
        with pytest.raises(InputError, match=r"holds 2 runs \(x, y\), but only one can be read here"):
            read()
    with pytest.raises(InputError, match="two runs are named 'x'"):
        evaluate(JUDGED, [several, several], "AP")
    with pytest.raises(InputError, match="row 2: the run id in the column 'run' is missing"):
        evaluate(JUDGED, named(["x", None, "x", "x", "x", "x"]), "AP")
    alone = named(["x", "x", "x", "x", "y", "x"])
    with pytest.raises(InputError, match="run, run 'y': shares no topic with judgments"):
        evaluate(JUDGED, alone, "AP")


def test_two_columns_of_one_name_are_refused() -> None:
    columns = [pa.array(["1"]), pa.array(["2"]), pa.array(["d"]), pa.array([1.0])]
    message = r"run: 2 columns are called 'topic' \(upper and lower case do not matter\); keep one of them"
    for names in (["topic", "topic", "doc", "score"], ["topic", "Topic", "doc", "score"]):
        table = pa.Table.from_arrays(columns, names=names)
        for source in (table, table.to_reader(), pd.DataFrame([["1", "2", "d", 1.0]], columns=names)):
            with pytest.raises(InputError, match=message):
                read_run(source)
    # A column that is not used may stand there twice.
    unused = pa.Table.from_arrays([*columns[1:], *columns[:2]], names=["topic", "doc", "score", "x", "x"])
    assert len(read_run(unused)) == 1


def test_several_runs_in_a_pipe_are_refused_with_the_way_out(cli: Any, tmp_path: Path) -> None:
    runs = tmp_path / "runs.parquet.gz"
    table = pa.table({"run": ["a", "b"], "topic": ["1", "1"], "doc": ["d", "d"], "score": [1.0, 2.0]})
    held = pa.BufferOutputStream()
    pyarrow.parquet.write_table(table, held)
    runs.write_bytes(gzip.compress(held.getvalue().to_pybytes()))
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("1 0 d 1\n")
    found = cli("evaluate", qrels, runs, "-m", "P@1")
    assert found.returncode == 2
    assert "holds 2 runs (a, b); only a plain file may hold several, so unpack it" in found.stderr


def test_a_frame_that_cannot_become_arrow_is_read_row_by_row() -> None:
    # Whole numbers and texts in one column, which Arrow has no type for.
    mixed = pd.DataFrame({"run": ["x", "y"], "topic": [1, "1"], "doc": ["d1", 5], "score": [1.0, 2.0]})
    assert evaluate(JUDGED, mixed, "AP").runs == ("x", "y")
    assert contents(read_run(mixed.drop(columns="run"))) == [["1", "1"], ["d1", "5"], [1.0, 2.0], []]
    mixed["topic"] = [1, None]
    with pytest.raises(InputError, match=r"row 1: .* is not a valid topic id"):
        evaluate(JUDGED, mixed, "AP")


def test_a_stream_that_can_be_read_once_is_enough_for_everything() -> None:
    # The ranks contradict the scores, so the run is ordered a second time for the note.
    ranks = RUN.set_column(3, "rank", pa.array([4.0, 3.0, 2.0, 1.0, 1.0, 1.0]))
    found = evaluate(JUDGMENTS.to_reader(), ranks.to_reader(), ["AP"])
    assert found.conventions["notes"] == evaluate(JUDGMENTS, ranks, ["AP"]).conventions["notes"]
    assert any("rank" in note["message"] for note in found.conventions["notes"])
    preferences = [("1", "", "d1", "d2", "left"), ("1", "", "d2", "文档", "right")]
    frame = table(preferences, "topic", "given", "left", "right", "outcome")
    expected = evaluate(rankprism.read_preferences(preferences), RANKED, "nPrf@5")
    for make in (lambda t: t, lambda t: t.to_reader(), duckdb.from_arrow):
        assert evaluate(make(frame), RUN.to_reader(), "nPrf@5").values.tobytes() == expected.values.tobytes()


# Files


@pytest.fixture
def files(tmp_path: Path) -> dict[str, tuple[str, str]]:
    """Judgments and two runs in every kind of file."""
    runs = named(["x", "y"] * 3)
    found = {}
    for ending, write in {
        "parquet": pa.parquet.write_table,
        "arrow": lambda t, path: pa.feather.write_feather(t, path, compression="uncompressed"),
        "feather": pa.feather.write_feather,
        "arrows": _write_stream,
    }.items():
        found[ending] = (str(tmp_path / f"qrels.{ending}"), str(tmp_path / f"runs.{ending}"))
        for content, path in zip((JUDGMENTS, runs), found[ending], strict=True):
            write(content, path)
    with duckdb.connect(str(tmp_path / "all.duckdb")) as connection:
        connection.from_arrow(JUDGMENTS).create("qrels")
        connection.execute('create schema "my runs"')
        connection.from_arrow(runs).create('"my runs"."two.runs"')
    found["duckdb"] = (f"{tmp_path}/all.duckdb::qrels", f"{tmp_path}/all.duckdb::my runs.two.runs")
    return found


def _write_stream(whole: pa.Table, path: str) -> None:
    with pa.ipc.new_stream(path, whole.schema) as writer:
        writer.write_table(whole, max_chunksize=2)


KINDS = ["parquet", "arrow", "feather", "arrows", "duckdb"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_file_gives_the_same_scores(
    files: dict[str, tuple[str, str]], kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    qrels, runs = files[kind]
    expected = evaluate(JUDGED, named(["x", "y"] * 3), MEASURES)
    found = evaluate(qrels, runs, MEASURES)
    assert (found.runs, found.values.tobytes()) == (("x", "y"), expected.values.tobytes())
    assert contents(read_judgments(qrels)) == EXPECTED
    format = {"feather": "arrow", "arrows": "arrow"}.get(kind, kind)
    assert read_judgments(qrels).format == format
    assert contents(read_judgments(qrels, format=format)) == EXPECTED
    with pytest.raises(InputError, match=r"holds 2 runs \(x, y\)"):
        read_run(runs)
    for words in (
        ["evaluate", qrels, runs, "-m", "AP", "--baseline", "y", "--qrels-format", format],
        ["compare", qrels, runs, "-m", "AP"],
        ["meta", "disagreement", qrels, runs, "-m", "AP", "-m", "RR"],
        ["explain", qrels, runs, "-m", "AP", "--topic", "1"],
    ):
        app(words, prog_name="rankprism", standalone_mode=False)
        assert capsys.readouterr().out, words


def test_a_run_of_a_file_is_named_by_its_column_or_by_the_file(tmp_path: Path) -> None:
    pa.parquet.write_table(RUN, tmp_path / "bm25.parquet")
    assert read_run(tmp_path / "bm25.parquet").name == "bm25"
    assert evaluate(JUDGED, tmp_path / "bm25.parquet", "AP").runs == ("bm25",)
    with duckdb.connect(str(tmp_path / "one.duckdb")) as connection:
        connection.from_arrow(RUN).create("splade")
    assert evaluate(JUDGED, f"{tmp_path}/one.duckdb::splade", "AP").runs == ("splade",)
    assert contents(read_run(tmp_path / "one.duckdb")) == EXPECTED_RUN  # its only table
    packed = tmp_path / "bm25.parquet.gz"
    packed.write_bytes(gzip.compress((tmp_path / "bm25.parquet").read_bytes()))
    assert contents(read_run(packed)) == EXPECTED_RUN


def test_aspects_preferences_and_scores_are_read_from_tables_as_well(tmp_path: Path) -> None:
    labels = table([("1", "d1", 2, 0), ("1", "d2", 0, 1)], "topic", "doc", "relevance", "credibility")
    pa.parquet.write_table(labels, tmp_path / "labels.parquet")
    aspects = ["relevance", "credibility"]
    expected = contents(read_judgments(labels, aspects=aspects))
    assert contents(read_judgments(tmp_path / "labels.parquet", aspects=aspects)) == expected
    preferences = [("1", "", "d1", "d2", "left"), ("1", "d1", "d2", "d3", "right")]
    frame = table(preferences, "topic", "given", "left", "right", "outcome")
    pa.parquet.write_table(frame, tmp_path / "preferences.parquet")
    read = rankprism.read_preferences(tmp_path / "preferences.parquet")
    assert str(read.to_frame("polars")) == str(rankprism.read_preferences(preferences).to_frame("polars"))
    scores = evaluate(JUDGED, {"x": RANKED, "y": RANKED[:3]}, ["AP", "RR"])
    (tmp_path / "scores.parquet").write_bytes(scores.table(per_topic=True).to_parquet())
    again = rankprism.read_scores(tmp_path / "scores.parquet")
    assert (again.runs, again.mean()) == (scores.runs, scores.mean())


@pytest.mark.parametrize("ending", ["parquet", "arrow", "feather"])
def test_what_convert_writes_reads_back(
    tmp_path: Path, ending: str, capsys: pytest.CaptureFixture[str]
) -> None:
    written = convert(JUDGED, tmp_path / f"qrels.{ending}")
    format = "parquet" if ending == "parquet" else "arrow"
    assert str(written) == f"{tmp_path / f'qrels.{ending}'}: 6 rows, {format}"
    assert contents(read_judgments(tmp_path / f"qrels.{ending}")) == EXPECTED
    convert(RANKED, tmp_path / f"bm25.{ending}", run=True)
    back = read_run(tmp_path / f"bm25.{ending}")
    assert (
        evaluate(JUDGED, back, MEASURES).values.tobytes()
        == evaluate(JUDGED, RANKED, MEASURES).values.tobytes()
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_broken_file_is_one_error(files: dict[str, tuple[str, str]], kind: str, tmp_path: Path) -> None:
    path, _, name = files[kind][0].partition("::")
    data = Path(path).read_bytes()
    # A database has unused space at its end, so it is cut early.
    for size in (
        12,
        20,
        len(data) // 2 if kind != "duckdb" else 4096,
        len(data) - 1 if kind != "duckdb" else 5000,
    ):
        broken = tmp_path / "broken"
        broken.write_bytes(data[:size])
        with pytest.raises(InputError, match="broken"):
            read_judgments(f"{broken}::{name}" if name else broken)
    for format in ("parquet", "arrow", "duckdb"):
        broken.write_text("1 0 d1 1\n")
        with pytest.raises(InputError, match=f"broken: is not a file of the format {format}"):
            read_judgments(broken, format=format)


def test_the_tables_of_a_database_are_listed(files: dict[str, tuple[str, str]]) -> None:
    database = files["duckdb"][0].partition("::")[0]
    with pytest.raises(
        InputError, match=r"all.duckdb: has 2 tables; name one as .*::TABLE.* qrels, my runs.two.runs"
    ):
        read_judgments(database)
    with pytest.raises(InputError, match=r"all.duckdb: has no table 'q'; name one as"):
        read_judgments(database + "::q")
    with pytest.raises(InputError, match=r"none.duckdb::q: there is no such file"):
        read_judgments("none.duckdb::q")


@pytest.mark.parametrize(
    ("kind", "module"), [("parquet", "pyarrow"), ("arrow", "pyarrow"), ("duckdb", "duckdb")]
)
def test_a_missing_package_is_named(
    files: dict[str, tuple[str, str]], kind: str, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    extra = "duckdb" if kind == "duckdb" else "parquet"
    with pytest.raises(InputError, match=rf"needs one more package: pip install 'rankprism\[{extra}\]'"):
        read_judgments(files[kind][0])
