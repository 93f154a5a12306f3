"""Frames, Arrow streams and files of tables: the same judgments, runs and scores as from text.

The expected values come from rows of tuples, which do not pass through Arrow, or from the text of a file.
"""

from __future__ import annotations

import gzip
import tracemalloc
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankprism
from rankprism import InputError, RankprismWarning, evaluate, read_judgments, read_run
from tests.support.arrow_tables import (
    EXPECTED,
    EXPECTED_RUN,
    FRAMES,
    JUDGED,
    JUDGMENTS,
    MEASURES,
    NUMBERS,
    RANKED,
    RUN,
    TEXTS,
    cast,
    chunked,
    contents,
    named,
    table,
    tables,
    typed,
)

# The runs lack a judged topic and have others, which is noted.
pytestmark = pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")


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
    for order in ("score", "rank", "trec_eval-9"):
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
    with pytest.warns(RankprismWarning, match="implicit-grades"):
        implicit = read_judgments(JUDGMENTS.drop_columns("grade"))
    assert set(implicit.table.grades()) == {1.0}
    for column in (JUDGMENTS["doc"], pl.Series(["a"])):
        with pytest.raises(InputError, match="holds no rows with named columns; pass a table"):
            read_judgments(column)
    with pytest.raises(InputError, match="judgments: no judgments given"):
        read_judgments(JUDGMENTS.slice(0, 0))
    with pytest.raises(InputError, match="run: the run is empty"):
        evaluate(JUDGED, RUN.slice(0, 0), "AP")
