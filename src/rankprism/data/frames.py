"""Reads and makes data frames of pandas, polars and pyarrow, and reads everything that gives an Arrow stream.

None of these libraries is needed unless its frames are used.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from rankprism.errors import InputError, RankprismError

BACKENDS: tuple[Literal["pandas", "polars", "pyarrow"], ...] = ("pandas", "polars", "pyarrow")


def is_frame(source: Any) -> bool:
    """Whether this is a table in memory: a frame, an Arrow table or a stream of record batches."""
    return is_known_frame(source) or gives_arrow(source)


def is_known_frame(source: Any) -> bool:
    """Whether narwhals knows such frames."""
    # The type is checked first, so that narwhals is not imported for dictionaries and files.
    module = type(source).__module__.partition(".")[0]
    return module in (*BACKENDS, "narwhals", "modin", "cudf") and hasattr(type(source), "columns")


def gives_arrow(source: Any) -> bool:
    """Whether the object can be read through the Arrow C stream interface."""
    return hasattr(type(source), "__arrow_c_stream__")


def column_names(source: Any) -> list[str]:
    """The names of the columns of a frame. A stream that can be read only once is not read for it."""
    # pyarrow's readers have only a schema, and the columns of its tables are no names.
    for names in (getattr(getattr(source, "schema", None), "names", None), getattr(source, "columns", None)):
        if isinstance(names, list) and all(isinstance(name, str) for name in names):
            return names
    return [str(name) for name in eager(source).columns]


def all_rows(source: Any) -> Iterator[Mapping[str, Any]]:
    """The rows of any frame, with the names of its columns."""
    frame = eager(source)
    columns = [frame[name].to_list() for name in frame.columns]
    for values in zip(*columns, strict=True):
        yield dict(zip(frame.columns, values, strict=True))


def eager(source: Any) -> Any:
    """A frame of narwhals with all rows in memory."""
    import narwhals as nw

    try:
        frame = nw.from_native(source, pass_through=False)
    except TypeError:
        if not gives_arrow(source):
            raise
        import pyarrow

        frame = nw.from_native(pyarrow.table(source))
    return frame.collect() if isinstance(frame, nw.LazyFrame) else frame


def make_frame(columns: Mapping[str, Any], backend: str | None) -> Any:
    """A frame of the wanted kind. Default: the kind that is in use or installed."""
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
