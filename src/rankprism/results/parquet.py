"""Writes rows as a Parquet file, piece by piece."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rankprism.errors import InputError, install
from rankprism.results.record import ABOUT, PARQUET, Record
from rankprism.results.table import Table, plain, undefined
from rankprism.text.checksum import BLANK, KEY, checksummed


def parquet_pieces(
    blocks: Iterable[Table], about: Mapping[str, Any], record: Record | None = None
) -> Iterator[bytes]:
    """Yield the bytes of the file with a checksum, a group of rows at a time.

    The schema's metadata has `about` and the record as JSON.
    """
    return checksummed(_without_checksum(blocks, about, record))


def _without_checksum(
    blocks: Iterable[Table], about: Mapping[str, Any], record: Record | None
) -> Iterator[bytes]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise InputError(f"parquet needs one more package: {install('parquet')}") from None
    metadata = {ABOUT: json.dumps(about, ensure_ascii=False, default=plain), KEY: BLANK}
    if record is not None:
        metadata[PARQUET] = json.dumps(record.to_dict(), ensure_ascii=False)
    pieces = _Pieces()
    writer = None
    for rows in blocks:
        columns = _columns(rows)
        if writer is None:
            # A column without values so far may have numbers or text further down.
            fields = [
                field.with_type(pyarrow.string() if field.name in rows.texts else pyarrow.float64())
                if pyarrow.types.is_null(field.type)
                else field
                for field in pyarrow.table(columns).schema
            ]
            schema = pyarrow.schema(fields, metadata)
            writer = pyarrow.parquet.ParquetWriter(pieces, schema)
        writer.write_table(pyarrow.table(columns, schema=schema))
        yield pieces.taken()
    if writer is not None:
        writer.close()
    yield pieces.taken()


class _Pieces(io.RawIOBase):
    """A write-only file from which the bytes can be taken piece by piece."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._taken = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._bytes += data
        return len(data)

    def tell(self) -> int:
        return self._taken + len(self._bytes)

    def taken(self) -> bytes:
        """Return what was written since the last call."""
        data = bytes(self._bytes)
        self._taken += len(data)
        self._bytes.clear()
        return data


def _columns(rows: Table) -> dict[str, list[Any]]:
    """The columns, each with values of one type."""
    columns = {
        name: [None if undefined(x) else plain(x) for x in column] for name, column in rows.columns.items()
    }
    for name, column in columns.items():
        if any(isinstance(x, str) for x in column):
            columns[name] = [None if x is None else str(x) for x in column]
    return columns
