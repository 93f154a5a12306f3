"""Judgments and a run as Arrow tables, and what should be read from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import strategies as st

from rankprism import read_judgments, read_run
from tests.support.strategies import ASPECTS, DOCS, TOPICS

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


def named(names: Sequence[Any], column: str = "run") -> pa.Table:
    return RUN.add_column(0, column, pa.array(names))
