"""Arrow streams that break the rules of the C interface: each is read rightly or refused."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankprism import InputError, read_judgments
from tests.support.arrow_tables import EXPECTED, JUDGMENTS, TEXTS, cast, contents, tables, typed

# The runs lack a judged topic and have others, which is noted.
pytestmark = pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")


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
def test_an_object_that_is_not_a_stream_is_refused(capsule: Any) -> None:
    with pytest.raises(InputError, match="judgments: Given gives no Arrow stream"):
        read_judgments(Given(capsule))
