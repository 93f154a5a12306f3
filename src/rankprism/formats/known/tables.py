"""Tables in Parquet, Arrow IPC (Feather) and DuckDB files.

A table of judgments has the columns topic, aspect, doc and grade, a table of runs has run, topic, doc, score
and rank, and docs/preferences.md lists the columns of a table of preferences. The columns may also have other
common names (`rankprism.formats.spellings`). The table of a DuckDB file is named after the file:
``all.duckdb::qrels``.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from rankprism._core import RunTable
from rankprism.data import Judgments, Preferences, Run, make_frame
from rankprism.data.frames import column_names, number_columns
from rankprism.errors import InputError, install, listed
from rankprism.formats import files
from rankprism.formats.format import (
    JUDGMENT_FORMATS,
    PREFERENCE_FORMATS,
    RUN_FORMATS,
    SCORE_FORMATS,
    Format,
    Written,
    register,
)
from rankprism.formats.judged import joined
from rankprism.formats.known.score_files import scores_of_frame
from rankprism.formats.preference_rows import COLUMNS, are_preferences, from_rows, paired
from rankprism.formats.ranked import ranking
from rankprism.formats.roles import Graded, graded, run_columns
from rankprism.formats.spellings import has
from rankprism.formats.table import columns_of
from rankprism.formats.weights import weights_beside
from rankprism.text.checksum import is_intact, may_have_one
from rankprism.types import Duplicates, Order

#: The names of the columns that have to be read, from all names and a table without rows.
_Wanted: TypeAlias = Callable[[list[str], Any], list[str]]
#: A schema, and the batches of rows that have it.
_Batches: TypeAlias = tuple[Any, Iterator[Any]]


@dataclass(frozen=True)
class _Kind:
    """A kind of file that holds a table."""

    name: str
    #: what the file is, for messages and documentation
    title: str
    endings: tuple[str, ...]
    recognised_by: str
    begins: Callable[[bytes], bool]
    #: yields the wanted columns of the table, batch by batch
    open: Callable[[files.File, _Wanted], AbstractContextManager[_Batches]]
    write: Callable[[Any, Any], None] | None


@contextmanager
def opened(file: files.File, chosen: _Wanted | None = None) -> Iterator[Any]:
    """The table in a file, as an object that gives an Arrow stream.

    Files may come from strangers, so each batch is validated before its values are used.

    chosen : the columns that are read, among all. Default: all of them.
    """
    kind = next((kind for kind in _KINDS if kind.begins(file.beginning.bytes)), None)
    if kind is None:
        raise InputError(f"{file.name}: is not a Parquet, Arrow or DuckDB file")

    wanted = chosen or (lambda names, table: names)
    failed: list[BaseException] = []  # what Arrow would only pass on as text
    try:
        with kind.open(file, wanted) as (schema, batches):
            pyarrow = _needed("pyarrow", "parquet", file.name)
            yield pyarrow.RecordBatchReader.from_batches(schema, _validated(batches, file, failed))
    except Exception as error:
        first = failed[0] if failed else error
        if _is_of_library(first):
            reason = (str(first).strip() or type(first).__name__).splitlines()[0]
            raise InputError(f"{file.name}: cannot be read as {kind.title} ({reason[:200]})") from None
        if failed:
            raise first from None
        raise


def _is_of_library(error: BaseException) -> bool:
    """Whether the error comes from a library that cannot read the file."""
    known = ("pyarrow", "duckdb", "_duckdb")
    return isinstance(error, OSError | UnicodeDecodeError) or type(error).__module__.startswith(known)


def _validated(batches: Iterator[Any], file: files.File, failed: list[BaseException]) -> Iterator[Any]:
    """The same batches, each after a check that its contents are valid. Errors are added to `failed`."""
    most = max(files.max_unpacked(), _size(file))
    rows = held = 0
    try:
        for batch in batches:
            for name, column in zip(batch.schema.names, batch.columns, strict=True):
                _validate(column, name, rows, batch.num_rows, file)
            held += batch.nbytes
            if held > most:
                raise InputError(
                    f"{file.name}: the table holds more than {most:,} bytes, the most that is read from a "
                    f"file of {_size(file):,} bytes; if this is what you expect, allow more with "
                    f"--max-unpacked or {files.MAX_UNPACKED}, e.g. {files.MAX_UNPACKED}=64G"
                )
            rows += batch.num_rows
            yield batch
    except BaseException as error:
        failed.append(error)
        raise


def _size(file: files.File) -> int:
    data = file.data
    if data is not None:
        return len(data)
    table = files.database_table(file.path)
    return Path(file.path if table is None else table[0]).stat().st_size


def _validate(column: Any, name: str, first: int, size: int, file: files.File) -> None:
    """Refuse a column of a batch whose offsets, indices, counts or texts are wrong.

    first : how many rows come before the batch. size : how many rows the batch has.
    """
    reason = _fault(column)
    if reason is None:
        return
    row = _first_faulty(column)
    if row is None and hasattr(column, "dictionary"):
        entry = _first_faulty(column.dictionary)
        found = -1 if entry is None or _fault(column.indices) else column.indices.index(entry).as_py()
        row = None if found < 0 else found
    where = f"rows {first + 1} to {first + size}" if row is None else f"row {first + row + 1}"
    if "UTF8" in reason:
        wrong = f"the text in the column {name!r} is not valid UTF-8; convert it to UTF-8"
    else:
        wrong = f"the column {name!r} is damaged ({reason}); make the file again"
    raise InputError(f"{file.name}, {where}: {wrong}")


def _fault(array: Any) -> str | None:
    """What is wrong with an array, as pyarrow says it."""
    from pyarrow import ArrowException

    try:
        array.validate(full=True)
    except ArrowException as error:
        return (str(error).strip() or type(error).__name__).splitlines()[0][:200]
    return None


def _first_faulty(array: Any) -> int | None:
    """The position of the first wrong value; None if the fault is not in a single value."""
    try:
        good, bad = 0, len(array)
    except SystemError:  # a negative length, which Python does not know
        return None
    if _fault(array.slice(0, good)) is not None or _fault(array.slice(0, bad)) is None:
        return None
    while bad - good > 1:
        middle = (good + bad) // 2
        if _fault(array.slice(0, middle)) is None:
            good = middle
        else:
            bad = middle
    return good


def read_table(file: files.File) -> Any:
    """The whole table in a file, as a pyarrow table."""
    with opened(file) as table:
        return _needed("pyarrow", "parquet", file.name).table(table)


def table_columns(file: files.File) -> list[str]:
    """The names of the columns of the table in a file."""
    with opened(file) as table:
        return column_names(table, file.name)


def _needed(module: str, extra: str, name: str) -> Any:
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError:
        raise InputError(f"{name}: needs one more package: {install(extra)}") from None


def _input(file: files.File, pyarrow: Any) -> Any:
    data = file.data
    if data is not None:
        return pyarrow.BufferReader(data)
    return pyarrow.OSFile(file.path)  # not mapped, see `Text` in the core


def _chosen(table: Any, wanted: _Wanted, file: files.File) -> list[int]:
    """The numbers of the wanted columns."""
    names = column_names(table, file.name)
    chosen = set(wanted(names, table))
    twice = next((name for name in names if name in chosen and names.count(name) > 1), None)
    if twice is not None:
        raise InputError(
            f"{file.name}: {names.count(twice)} columns are called {twice!r}; rename one of them"
        )
    return [number for number, name in enumerate(names) if name in chosen]


@contextmanager
def _open_parquet(file: files.File, wanted: _Wanted) -> Iterator[_Batches]:
    pyarrow = _needed("pyarrow", "parquet", file.name)
    parquet = _needed("pyarrow.parquet", "parquet", file.name)
    _check_intact(file)
    with _input(file, pyarrow) as source, parquet.ParquetFile(source) as found:
        schema = found.schema_arrow
        schema = pyarrow.schema(
            [schema.field(number) for number in _chosen(schema.empty_table(), wanted, file)], schema.metadata
        )
        batches = found.iter_batches(columns=schema.names)
        yield schema, (batch.select(schema.names) for batch in batches)


def _check_intact(file: files.File) -> None:
    """Refuse a file that is not as this program wrote it. Files of other programs have no checksum."""
    data = file.data
    if data is None:
        data = Path(file.path).read_bytes() if may_have_one(file.path) else b""
    if is_intact(data) is False:
        raise InputError(
            f"{file.name}: is damaged, because it does not have the checksum that it was written with; take "
            f"it from a backup, or compute it again (evaluate --into scores the runs of damaged files again)"
        )


@contextmanager
def _open_arrow(file: files.File, wanted: _Wanted) -> Iterator[_Batches]:
    pyarrow = _needed("pyarrow", "parquet", file.name)
    ipc = _needed("pyarrow.ipc", "parquet", file.name)
    is_stream = file.beginning.bytes.startswith(files.ARROW_STREAM)
    open_ipc = ipc.open_stream if is_stream else ipc.open_file
    with _input(file, pyarrow) as source:
        with open_ipc(source) as reader:
            options = ipc.IpcReadOptions(included_fields=_chosen(reader, wanted, file))
        source.seek(0)
        with open_ipc(source, options=options) as reader:
            numbers = range(0 if is_stream else reader.num_record_batches)
            yield reader.schema, reader if is_stream else (reader.get_batch(i) for i in numbers)


#: What a DuckDB database may do while it is read: its views are queries that somebody else has written.
_CONFINED: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",  # neither files nor the network
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_unsigned_extensions": "false",
    "allow_persistent_secrets": "false",
    "python_enable_replacements": "false",  # a name in a query never means a Python variable
    "temp_directory": "",  # nothing is written, so a view cannot fill the disk
    "lock_configuration": "true",
}


#: How many rows a batch of DuckDB has.
_DUCKDB_ROWS = 100_000


@contextmanager
def _open_duckdb(file: files.File, wanted: _Wanted) -> Iterator[_Batches]:
    duckdb = _needed("duckdb", "duckdb", file.name)
    _needed("pyarrow", "duckdb", file.name)
    if not file.is_plain:
        raise InputError(f"{file.name}: a DuckDB database is read only from a plain file; unpack it")
    path, table = files.database_table(file.path) or (file.path, "")
    with duckdb.connect(path, read_only=True, config=_CONFINED) as connection:
        found = connection.sql(
            "select table_schema, table_name, table_type from information_schema.tables order by all"
        )
        known = {
            name if schema == "main" else f"{schema}.{name}": (schema, name, kind)
            for schema, name, kind in found.fetchall()
        }
        if not table and len(known) == 1:
            (table,) = known
        if not known:
            raise InputError(f"{files.source_name(path)}: has no table; create one with the rows to be read")
        if table not in known:
            wrong = f"has no table {table!r}" if table else f"has {len(known)} tables"
            shown = files.source_name(path)
            raise InputError(
                f"{shown}: {wrong}; name one as {shown}::TABLE, where TABLE is one of {listed(list(known))}"
            )
        *parts, kind = known[table]
        quoted = ".".join(map(_identifier, parts))
        view = f"the view {table!r}" if kind == "VIEW" else None
        try:
            with _explained(duckdb, file, view, quoted):
                every = connection.sql(f"select * from {quoted}")
                names = wanted(every.columns, every.limit(0).to_arrow_table())
                columns = [duckdb.ColumnExpression(column) for column in names]
                chosen = every.select(*columns)
                schema = chosen.limit(0).to_arrow_table().schema

            def batches() -> Iterator[Any]:  # runs the query only when its rows are needed
                with _explained(duckdb, file, view, quoted):
                    older = not hasattr(chosen, "to_arrow_reader")
                    yield from (chosen.fetch_arrow_reader if older else chosen.to_arrow_reader)(_DUCKDB_ROWS)

            yield schema, batches()
        finally:
            connection.interrupt()  # otherwise an abandoned query would run to its end


@contextmanager
def _explained(duckdb: Any, file: files.File, view: str | None, quoted: str) -> Iterator[None]:
    """Explain why a view cannot be read, and pass on errors of other tables. Ctrl-C ends a query."""
    try:
        yield
    except (duckdb.Error, OSError) as error:  # Arrow turns the first kind into the second
        if view is None:
            raise
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise InputError(
            f"{file.name}: {view} cannot be read without other files, the network, extensions or more memory "
            f"({reason[:200]}); if you trust it, copy its rows into a table: create table rows as select * "
            f"from {quoted}"
        ) from None
    except RuntimeError as error:
        if str(error) == "Query interrupted":  # this is how DuckDB reports Ctrl-C
            raise KeyboardInterrupt from None
        raise


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
        "Has `DUCK` after its first eight bytes.",
        files.TABLES["duckdb"],
        _open_duckdb,
        None,
    ),
)


def _checked(kind: _Kind, file: files.File) -> files.File:
    if not kind.begins(file.beginning.bytes):
        raise InputError(f"{file.name}: is not a file of the format {kind.name}; leave the format out")
    return file


def _read_judgments(kind: _Kind, file: files.File) -> Judgments:
    from rankprism.formats.aspects.reading import read_aspects
    from rankprism.formats.frames import judgments_in

    columns = columns_of(file)
    found: list[Graded] = []

    def needed(names: list[str], empty: Any) -> list[str]:
        if not has(names, "document"):
            return names  # the documents may be in a list
        found.append(graded(names, file.name, columns.named, number_columns(empty).__contains__))
        return [*found[0].place.values(), *found[0].aspects]

    def several(names: Sequence[str]) -> Judgments:
        return read_aspects(file, list(names))

    with opened(_checked(kind, file), needed) as table:
        rows = _flat(table, file.name)
        return judgments_in(rows, file.name, several, columns, found[0] if found else None, is_file=True)


def _read_runs(kind: _Kind, file: files.File) -> dict[str | None, RunTable]:
    from rankprism.formats.frames import runs_in

    columns = columns_of(file)

    def needed(names: list[str], empty: Any) -> list[str]:
        if not has(names, "document"):
            return names  # the documents may be in a list
        return list(run_columns(names, file.name, columns)[0].values())

    with opened(_checked(kind, file), needed) as table:
        return runs_in(_flat(table, file.name), file.name, columns)


def _flat(table: Any, name: str) -> Any:
    """The same table, in which each entry of a list of documents is a row of its own."""
    import pyarrow

    schema = table.schema
    lists = [
        field.name
        for field in schema
        if (pyarrow.types.is_list(field.type) or pyarrow.types.is_large_list(field.type))
        and pyarrow.types.is_struct(field.type.value_type)
    ]
    if has(schema.names, "document") or len(lists) != 1:
        return table
    every = pyarrow.table(table).combine_chunks()
    column = every.column(lists[0]).combine_chunks()
    entries = column.flatten()
    rows = every.drop_columns(lists).take(column.value_parent_indices())
    for field in entries.type:
        rows = rows.append_column(field.name, entries.field(field.name))
    return rows


def _read_run(kind: _Kind, file: files.File, duplicates: Duplicates) -> RunTable:
    from rankprism.formats.frames import only_run

    tables = _read_runs(kind, file)
    if len(tables) > 1 and not file.is_plain:  # several runs are read only from plain files
        names = listed([str(run) for run in tables])
        raise InputError(
            f"{file.name}: holds {len(tables)} runs ({names}); only a plain file may hold several, so "
            f"unpack it, or write what comes from a pipe to a file"
        )
    return only_run(tables, file.name)[1]


def _read_preferences(kind: _Kind, file: files.File) -> Preferences:
    columns = columns_of(file)

    def needed(names: list[str], empty: Any) -> list[str]:
        if not are_preferences(names):
            raise InputError(
                f"{file.name}: has none of the columns {', '.join(COLUMNS)}, or too few; rename its columns"
            )
        found = paired(names, file.name, columns.named)
        return [names[at] for at in dict.fromkeys([*found.place.values(), *found.marks.values()])]

    with opened(_checked(kind, file), needed) as table:
        return from_rows(table, file.name, kind.name, columns)


def _read_scores(kind: _Kind, file: files.File, where: dict[str, str], measure: str | None) -> Any:
    table = read_table(_checked(kind, file))
    return scores_of_frame(table, where, measure or files.run_name(file), file.name)


def _contents(kind: _Kind, frame: Any) -> tuple[bytes, int]:
    assert kind.write is not None
    out = io.BytesIO()
    kind.write(frame, out)
    return out.getvalue(), len(frame)


def _write_judgments(kind: _Kind, judgments: Judgments) -> Written:
    _needed("pyarrow", "parquet", kind.title)
    data, rows = _contents(kind, judgments.to_frame("pyarrow"))
    weights, notes = weights_beside(judgments)
    return Written(data, {".weights": joined(weights)} if weights else {}, notes, rows)


def _write_run(kind: _Kind, run: Run, order: Order, duplicates: Duplicates) -> Written:
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


def _register(
    formats: dict[str, Format[Any]],
    summary: str,
    fits: Callable[[frozenset[str]], bool],
    read: Callable[..., Any],
    write: Callable[..., Written] | None = None,
    read_runs: Callable[..., dict[str | None, RunTable]] | None = None,
) -> None:
    """Register a format for each kind of file. The functions take the kind first."""
    for kind in _KINDS:
        writes = write is not None and kind.write is not None
        register(
            formats,
            Format(
                name=kind.name,
                summary=f"a table with the columns {summary}",
                example=f"FILE{kind.endings[0]}" if kind.endings else "FILE.duckdb::TABLE",
                recognised_by=kind.recognised_by,
                read=partial(read, kind),
                read_runs=None if read_runs is None else partial(read_runs, kind),
                recognises=partial(_begins, kind),
                fits=fits,
                write=partial(write, kind) if write is not None and writes else None,
                endings=kind.endings if writes else (),
            ),
        )


def _begins(kind: _Kind, start: files.Beginning) -> bool:
    return kind.begins(start.bytes)


def _has_documents(columns: frozenset[str]) -> bool:
    return has(columns, "document")


_register(
    JUDGMENT_FORMATS,
    "topic, aspect (may be missing), doc, grade",
    _has_documents,
    _read_judgments,
    _write_judgments,
)
_register(
    RUN_FORMATS,
    "run (may be missing), topic, doc, score, rank (may be missing)",
    _has_documents,
    _read_run,
    _write_run,
    _read_runs,
)
_register(PREFERENCE_FORMATS, ", ".join(COLUMNS), are_preferences, _read_preferences)
_register(SCORE_FORMATS, "of a text file of scores", lambda columns: True, _read_scores)
