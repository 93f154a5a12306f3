"""Reads and makes data frames of pandas, polars and pyarrow, and reads any object with an Arrow stream.

A library is needed only if its frames are used.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal

from rankprism.errors import InputError, RankprismError

BACKENDS: tuple[Literal["pandas", "polars", "pyarrow"], ...] = ("pandas", "polars", "pyarrow")


def is_frame(source: Any) -> bool:
    """Whether the source is a table in memory: a frame, an Arrow table or a stream of record batches."""
    return is_known_frame(source) or gives_arrow(source)


def is_known_frame(source: Any) -> bool:
    """Whether the source is a frame that narwhals supports."""
    # The type is checked first, so that narwhals is not imported for dictionaries and files.
    module = type(source).__module__.partition(".")[0]
    return module in (*BACKENDS, "narwhals", "modin", "cudf") and hasattr(type(source), "columns")


def gives_arrow(source: Any) -> bool:
    """Whether the object can be read through the Arrow C stream interface."""
    return hasattr(type(source), "__arrow_c_stream__")


def column_names(source: Any, name: str) -> list[str]:
    """Return the column names of a frame, without consuming a stream that can be read only once.

    name : the name of the frame in messages.
    """
    told = told_names(source, name)
    return [str(column) for column in eager(source, name).columns] if told is None else told


def told_names(source: Any, name: str) -> list[str] | None:
    """The column names of a frame as far as it says them without being read."""
    with _readable_names(source, name):
        # A pyarrow reader has only a schema, and `columns` of a pyarrow table holds values, not names.
        # A polars frame that is lazy warns if its columns are asked for.
        if hasattr(source, "collect_schema"):
            return list(map(str, source.collect_schema().names()))
        schema = getattr(source, "schema", None)
        names: Any
        for names in (getattr(schema, "names", None), getattr(source, "columns", None)):
            names = names.tolist() if hasattr(names, "tolist") else names  # those of pandas
            if isinstance(names, list) and all(isinstance(column, str) for column in names):
                return names
    return None


def number_columns(source: Any) -> set[str]:
    """The columns of a frame that hold numbers, as far as the frame says so without being read."""
    schema = getattr(source, "schema", None)
    if schema is not None and hasattr(schema, "field") and hasattr(schema, "names"):  # of pyarrow
        import pyarrow.types as types

        return {
            field.name
            for field in schema
            if types.is_integer(field.type) or types.is_floating(field.type) or types.is_decimal(field.type)
        }
    if is_known_frame(source):
        import narwhals as nw

        found = nw.from_native(source, pass_through=False).collect_schema()
        return {name for name, kind in found.items() if kind.is_numeric()}
    kinds = getattr(source, "dtypes", None)  # of DuckDB
    names = getattr(source, "columns", None)
    if isinstance(kinds, list) and isinstance(names, list):
        numbers = ("INT", "DOUBLE", "FLOAT", "DECIMAL", "UBIGINT", "BIGINT", "HUGEINT")
        return {name for name, kind in zip(names, kinds, strict=True) if any(n in str(kind) for n in numbers)}
    return set()


def all_rows(source: Any, name: str) -> Iterator[Mapping[str, Any]]:
    """The rows of any frame as mappings from column names. `name` is the name of the frame in messages."""
    frame = eager(source, name)
    columns = [column_values(frame, column, name) for column in frame.columns]
    for values in zip(*columns, strict=True):
        yield dict(zip(frame.columns, values, strict=True))


def column_values(frame: Any, column: str, name: str) -> list[Any]:
    """The values of a column, in a frame that `eager` made."""
    try:
        return list(frame[column].to_list())
    except UnicodeDecodeError:  # text in a pyarrow table may contain any bytes
        series = frame[column]
    for row in range(len(series)):
        try:
            series[row : row + 1].to_list()
        except UnicodeDecodeError:
            break
    raise InputError(
        f"{name}, row {row + 1}: the text in the column {column!r} is not valid UTF-8; convert it to UTF-8"
    )


def eager(source: Any, name: str) -> Any:
    """A narwhals frame with all rows in memory. `name` is the name of the frame in messages."""
    import narwhals as nw

    with _readable_names(source, name):
        try:
            frame = _narwhals_frame(source)
        except nw.exceptions.DuplicateError as error:
            raise InputError(
                f"{name}: two columns have the same name ({' '.join(str(error).split())}); rename one of them"
            ) from None
    return frame.collect() if isinstance(frame, nw.LazyFrame) else frame


def _narwhals_frame(source: Any) -> Any:
    import narwhals as nw

    try:
        return nw.from_native(source, pass_through=False)
    except TypeError:
        if not gives_arrow(source):
            raise
    import pyarrow

    return nw.from_native(pyarrow.table(source))


@contextmanager
def _readable_names(source: Any, name: str) -> Iterator[None]:
    """Refuse a pyarrow table in which the name of a column is not text."""
    try:
        yield
    except UnicodeDecodeError:
        schema = getattr(source, "schema", ())
        number = next((i for i in range(len(schema)) if not _is_named(schema, i)), None)
        which = "a column" if number is None else f"column {number + 1}"
        raise InputError(f"{name}: the name of {which} is not valid UTF-8; rename it") from None


def _is_named(schema: Any, number: int) -> bool:
    try:
        return isinstance(schema.field(number).name, str)
    except UnicodeDecodeError:
        return False


def make_frame(columns: Mapping[str, Any], backend: str | None) -> Any:
    """Make a frame of the wanted kind. Default: a kind that is already imported, or else installed."""
    if backend is None:
        from importlib.util import find_spec

        loaded = [b for b in BACKENDS if b in sys.modules]
        installed = [b for b in BACKENDS if find_spec(b)]
        if not installed:
            raise RankprismError("data frames need one of pandas, polars or pyarrow: pip install pandas")
        backend = (loaded or installed)[0]
    import narwhals as nw

    for known in BACKENDS:
        if known == backend:
            return nw.from_dict(dict(columns), backend=known).to_native()
    raise InputError(f"unknown kind of data frame {backend!r}; use one of {', '.join(BACKENDS)}")
