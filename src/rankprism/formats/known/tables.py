"""Tables in Parquet, Arrow IPC (Feather) and DuckDB files.

A table of judgments has the columns topic, aspect, doc and grade, a table of runs has run, topic, doc, score
and rank, and one of preferences those of docs/preferences.md. The columns may have other usual names, too
(`rankprism.formats.memory.SPELLINGS`). The table of a DuckDB file is named behind it: ``all.duckdb::qrels``.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

from rankprism._core import RunTable
from rankprism.data.frames import column_names, make_frame
from rankprism.data.judgments import Judgments
from rankprism.data.preferences import Preferences
from rankprism.data.run import Run
from rankprism.errors import InputError, listed
from rankprism.formats import files
from rankprism.formats.format import (
    JUDGMENT_FORMATS,
    PREFERENCE_FORMATS,
    RUN_FORMATS,
    Format,
    Written,
    register,
)
from rankprism.formats.judged import joined
from rankprism.formats.memory import JUDGMENT_COLUMNS, RUN_COLUMNS, spelled
from rankprism.formats.preference_rows import from_rows
from rankprism.formats.ranked import ranking
from rankprism.formats.weights import weights_beside

#: Those of the names of columns that have to be read.
_Wanted: TypeAlias = Callable[[list[str]], list[str]]


@dataclass(frozen=True)
class _Kind:
    """A kind of file that holds a table."""

    name: str
    #: what the file is, for messages and documentation
    title: str
    endings: tuple[str, ...]
    recognised_by: str
    begins: Callable[[bytes], bool]
    #: yields the table
    open: Callable[[files.TextFile, _Wanted], Iterator[Any]]
    write: Callable[[Any, Any], None] | None


@contextmanager
def opened(
    file: files.TextFile, expected: tuple[str, ...] = (), optional: tuple[str, ...] = ()
) -> Iterator[Any]:
    """The table in a file, as an object that gives an Arrow stream.

    expected, optional : see `spelled`; other columns need not be there. Default: all columns are.
    """
    kind = next((kind for kind in _KINDS if kind.begins(file.start())), None)
    if kind is None:
        raise InputError(f"{file.name}: is no Parquet, Arrow or DuckDB file")

    def wanted(names: list[str]) -> list[str]:
        return list(spelled(names, expected, optional, file.name).values()) if expected else names

    try:
        yield from kind.open(file, wanted)
    except Exception as error:
        if isinstance(error, OSError) or type(error).__module__.startswith(("pyarrow", "duckdb", "_duckdb")):
            first = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise InputError(f"{file.name}: cannot be read as {kind.title} ({first[:200]})") from None
        raise


def read_table(path: files.PathLike) -> Any:
    """The whole table in a file, as one of pyarrow."""
    with opened(files.text_file(path)) as table:
        pyarrow = _needed("pyarrow", "parquet", files.source_name(path))
        return pyarrow.table(table)


def table_columns(path: files.PathLike) -> list[str]:
    """The names of the columns of the table in a file."""
    with opened(files.text_file(path)) as table:
        return column_names(table)


def _needed(module: str, extra: str, name: str) -> Any:
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError:
        raise InputError(f"{name}: needs one more package: pip install 'rankprism[{extra}]'") from None


def _input(file: files.TextFile, pyarrow: Any) -> Any:
    if file.data is not None:
        return pyarrow.BufferReader(file.data)
    return pyarrow.OSFile(os.fspath(file.path))  # not mapped, see `Text` in the core


def _open_parquet(file: files.TextFile, wanted: _Wanted) -> Iterator[Any]:
    pyarrow = _needed("pyarrow", "parquet", file.name)
    parquet = _needed("pyarrow.parquet", "parquet", file.name)
    with _input(file, pyarrow) as source, parquet.ParquetFile(source) as found:
        schema = found.schema_arrow
        columns = wanted(schema.names)
        schema = pyarrow.schema([schema.field(column) for column in columns])
        yield pyarrow.RecordBatchReader.from_batches(
            schema, (batch.select(columns) for batch in found.iter_batches(columns=columns))
        )


def _open_arrow(file: files.TextFile, wanted: _Wanted) -> Iterator[Any]:
    pyarrow = _needed("pyarrow", "parquet", file.name)
    ipc = _needed("pyarrow.ipc", "parquet", file.name)
    with _input(file, pyarrow) as source:
        if file.start().startswith(files.ARROW_STREAM):
            with ipc.open_stream(source) as reader:
                yield reader
            return
        with ipc.open_file(source) as reader:
            batches = (reader.get_batch(i) for i in range(reader.num_record_batches))
            yield pyarrow.RecordBatchReader.from_batches(reader.schema, batches)


def _open_duckdb(file: files.TextFile, wanted: _Wanted) -> Iterator[Any]:
    duckdb = _needed("duckdb", "duckdb", file.name)
    if file.data is not None:
        raise InputError(f"{file.name}: a DuckDB database is read only from a plain file; unpack it")
    path, table = files.database_table(file.path) or (os.fspath(file.path), "")
    with duckdb.connect(path, read_only=True) as connection:
        found = connection.sql("select table_schema, table_name from information_schema.tables order by all")
        known = {
            name if schema == "main" else f"{schema}.{name}": (schema, name)
            for schema, name in found.fetchall()
        }
        if not table and len(known) == 1:
            (table,) = known
        if table not in known:
            wrong = f"has no table {table!r}" if table else f"has {len(known)} tables"
            shown = files.source_name(path)
            raise InputError(
                f"{shown}: {wrong}; name one as {shown}::TABLE, where TABLE is one of {listed(list(known))}"
            )
        quoted = ".".join(_identifier(part) for part in known[table])
        every = connection.sql(f"select * from {quoted}")
        yield every.select(*(duckdb.ColumnExpression(column) for column in wanted(every.columns)))


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _write_parquet(table: Any, out: Any) -> None:
    _needed("pyarrow.parquet", "parquet", "Parquet").write_table(table, out)


def _write_arrow(table: Any, out: Any) -> None:
    with _needed("pyarrow.ipc", "parquet", "Arrow").new_file(out, table.schema) as writer:
        writer.write_table(table)


_KINDS = (
    _Kind(
        "parquet",
        "Parquet",
        (".parquet",),
        "Begins with the bytes `PAR1`.",
        files.TABLES["parquet"],
        _open_parquet,
        _write_parquet,
    ),
    _Kind(
        "arrow",
        "Arrow IPC",
        (".arrow", ".feather"),
        "Begins with `ARROW1`, or as a stream with four bytes FF.",
        files.TABLES["arrow"],
        _open_arrow,
        _write_arrow,
    ),
    _Kind(
        "duckdb",
        "a DuckDB database",
        (),
        "Has `DUCK` behind its first eight bytes.",
        files.TABLES["duckdb"],
        _open_duckdb,
        None,
    ),
)


def _checked(kind: _Kind, file: files.TextFile) -> files.TextFile:
    if not kind.begins(file.start()):
        raise InputError(f"{file.name}: is no file of the format {kind.name}; leave the format out")
    return file


def _judgment_reader(kind: _Kind) -> Callable[[files.TextFile], Judgments]:
    def read(file: files.TextFile) -> Judgments:
        from rankprism.formats.frames import judgments_in

        with opened(_checked(kind, file), *JUDGMENT_COLUMNS) as table:
            return Judgments(judgments_in(table, file.name), file.name)

    return read


def _run_reader(kind: _Kind) -> Callable[[files.TextFile, str], RunTable]:
    def read(file: files.TextFile, duplicates: str) -> RunTable:
        from rankprism.formats.frames import only_run, runs_in

        with opened(_checked(kind, file), *RUN_COLUMNS) as table:
            tables = runs_in(table, file.name)
        if len(tables) > 1 and file.data is not None:  # whoever takes several runs looks into plain files
            names = listed([str(run) for run in tables])
            raise InputError(
                f"{file.name}: holds {len(tables)} runs ({names}); only a plain file may hold several, so "
                f"unpack it, or write what comes from a pipe to a file"
            )
        return only_run(tables, file.name)[1]

    return read


def _preference_reader(kind: _Kind) -> Callable[[files.TextFile], Preferences]:
    def read(file: files.TextFile) -> Preferences:
        with opened(_checked(kind, file)) as table:
            return from_rows(table, file.name, kind.name)

    return read


def _contents(kind: _Kind, frame: Any) -> tuple[bytes, int]:
    assert kind.write is not None
    out = io.BytesIO()
    kind.write(frame, out)
    return out.getvalue(), len(frame)


def _judgment_writer(kind: _Kind) -> Callable[[Judgments], Written] | None:
    def write(judgments: Judgments) -> Written:
        _needed("pyarrow", "parquet", kind.title)
        data, rows = _contents(kind, judgments.to_frame("pyarrow"))
        weights, notes = weights_beside(judgments)
        return Written(data, {".weights": joined(weights)} if weights else {}, notes, rows)

    return write if kind.write else None


def _run_writer(kind: _Kind) -> Callable[[Run, str, str], Written] | None:
    def write(run: Run, order: str, duplicates: str) -> Written:
        _needed("pyarrow", "parquet", kind.title)
        ranked = ranking(run, order, duplicates, keeps_scores=order == "score")
        topics, docs, _, _ = run.table.columns()
        columns: dict[str, Any] = {
            "run": [run.name] * len(ranked.line),
            "topic": [topics[line] for line in ranked.line],
            "doc": [docs[line] for line in ranked.line],
            "score": ranked.scores,
            "rank": ranked.rank,
        }
        data, rows = _contents(kind, make_frame(columns, "pyarrow"))
        return Written(data, {}, ranked.notes, rows)

    return write if kind.write else None


for _kind in _KINDS:
    _file = f"FILE{_kind.endings[0]}" if _kind.endings else "FILE.duckdb::TABLE"
    register(
        JUDGMENT_FORMATS,
        Format(
            name=_kind.name,
            summary="a table with the columns topic, aspect (may be missing), doc, grade",
            example=_file,
            recognised_by=_kind.recognised_by,
            begins=_kind.begins,
            read=_judgment_reader(_kind),
            write=_judgment_writer(_kind),
            endings=_kind.endings,
        ),
    )
    register(
        RUN_FORMATS,
        Format(
            name=_kind.name,
            summary="a table with the columns run (may be missing), topic, doc, score, rank (may be missing)",
            example=_file,
            recognised_by=_kind.recognised_by,
            begins=_kind.begins,
            read=_run_reader(_kind),
            write=_run_writer(_kind),
            endings=_kind.endings,
        ),
    )
    register(
        PREFERENCE_FORMATS,
        Format(
            name=_kind.name,
            summary="a table with the columns topic, given, left, right, outcome, assessor, time, comment",
            example=_file,
            recognised_by=_kind.recognised_by,
            begins=_kind.begins,
            read=_preference_reader(_kind),
        ),
    )
