"""Reading runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankprism._core import align_bytes, align_feed, align_file
from rankprism.data import Alignment, Judgments, Reading, Run, align
from rankprism.data.run import checked
from rankprism.errors import InputError
from rankprism.formats import files
from rankprism.formats.recognition import chosen_format
from rankprism.formats.source import Source, peer_name, source_of, with_columns
from rankprism.formats.trec import TREC_RUN

if TYPE_CHECKING:
    from rankprism._core import RunTable
    from rankprism.types import ColumnsLike, Duplicates, RunLike


def read_run(
    source: RunLike,
    *,
    name: str | None = None,
    format: str | None = None,
    columns: ColumnsLike | None = None,
) -> Run:
    """A run from a file, a dict, rows or a data frame.

    Parameters
    ----------
    source
        A path to lines of ``topic Q0 document rank score tag`` ("-" is standard input; .gz, .bz2, .xz and
        .zst are unpacked); ``{topic: {doc: score}}``; ranked lists, ``{topic: [doc, …]}`` with the best
        document first; an iterable of (topic, doc, score) or (topic, doc, score, rank); a pandas or polars
        frame, a DuckDB relation, or anything else that gives an Arrow stream; a `Run` of ranx; a `TrecRun` of
        trectools. A file may also be CSV, Parquet, Arrow IPC or a DuckDB database. If a table has a column
        `run`, all its rows must be of one run; `evaluate` takes tables with several.
    name
        The name of the run. Default: the file's name, the name in the column `run`, the name that a `Run`
        of ranx or a `TrecRun` has, or "run".
    format
        The name of the format of a file, e.g. "trec" or "evall"; docs/formats.md has them all. Default: it
        is recognised.
    columns
        Which column of a table is which, as for `read_judgments`. ``{"score": "-distance"}`` turns a column
        round, and ``{"score": "-"}`` says that the rows are in the order of the ranking.

    Examples
    --------
    >>> read_run({"q1": {"d1": 2.5, "d2": 1.0}}, name="bm25")
    <Run bm25: 2 documents, 1 topics>
    """
    return run_from(with_columns(source_of(source), columns, "run"), name, format, "error")


def run_from(source: Any, name: str | None, format: str | None, duplicates: Duplicates) -> Run:
    """`read_run`, but with "first" a document may occur twice; ordering the run drops the second one."""
    check_format(format)
    given = source_of(source)
    if given.is_run:
        return given.thing if name is None else Run(name, given.thing.table)
    if given.is_file:
        name = given.name(1) if name is None else name
        with files.opened(given.thing) as file:
            return Run(name, given.format("run", format).read(file, duplicates))
    return _from_memory(given, name)


def check_format(format: str | None) -> None:
    if format is not None:
        chosen_format("run", format)


def _from_memory(source: Source, name: str | None) -> Run:
    from rankprism.formats.frames import only_run, run_table, runs_in
    from rankprism.formats.memory import run_columns, tables_in
    from rankprism.formats.roles import runs_of
    from rankprism.formats.spellings import RUN_COLUMNS
    from rankprism.formats.table import NOT_SAID

    said = source.columns or NOT_SAID
    given = name or peer_name(source.thing) or "run"
    if source.form == "frame":
        own, table = only_run(runs_in(source.unpacked, given, said), given)
        return Run(name or own or given, table)
    if said and source.form == "rows":
        (rows,) = tables_in(source.rows, given, *RUN_COLUMNS, said.placed)
        own, table = only_run(runs_of(rows, said), given)
        return Run(name or own or given, table)
    columns, empty = run_columns(source.unpacked, given, said.named)
    if not columns.number and not empty:
        raise InputError(f"{given}: the run is empty; pass at least one topic")
    table = run_table(columns)
    table.add_empty(list(empty))
    return Run(given, table)


def align_source(
    judgments: Judgments,
    source: Any,
    reading: Reading = Reading(),  # noqa: B008  # it cannot change
    threads: int | None = 1,
) -> Alignment:
    """`align` for anything that `read_run` takes. Only the judged documents of a file are kept.

    threads : how many threads read a large file; None: as many as there are processors.
    """
    given = source_of(source)
    if isinstance(given.thing, Alignment):
        return given.thing
    if not given.is_file:
        return align(judgments, run_from(given, None, None, "error"), reading)
    with files.opened(given.thing, threads) as file:
        if reading.order == "rank":
            _check_ranks(file)
        ahead = None if file.ahead is None else file.ahead(judgments.table, reading)
        aligned = ahead or _aligned(judgments, given, reading)
        return checked(judgments, file.name, aligned)


def _check_ranks(file: files.File) -> None:
    """Refuse a TREC run whose ranks say nothing, because all are the same."""
    ranks: dict[str, list[str]] = {}
    for _, line in file.beginning.lines:
        columns = files.columns(line)
        if len(columns) == 6:
            ranks.setdefault(columns[0], []).append(columns[3])
    for topic, found in ranks.items():
        if len(found) > 1 and len(set(found)) == 1:
            raise InputError(
                f"{file.name}: the first documents of topic {topic!r} all have rank {found[0]}, so ranks "
                f'give no order; leave out order="rank" (--order rank)'
            )


def _aligned(judgments: Judgments, source: Source, how: Reading) -> tuple[Any, ...]:
    """The alignment of a file, from the core."""
    record, file = source.format("run", how.run_format), source.thing
    if record is not TREC_RUN:
        run: RunTable = record.read(file, how.duplicates)
        return run.align(judgments.table, how.order, how.duplicates, **how.asked)
    table, threads = judgments.table, file.threads
    fed: tuple[Any, ...] | None = file.fed(
        lambda feed: align_feed(table, feed, how.order, how.duplicates, threads, **how.asked)
    )
    if fed is not None:
        return fed
    data = file.data
    if data is None:  # the core reads through such a file without keeping it
        return align_file(table, file.path, file.name, how.order, how.duplicates, threads, **how.asked)
    return align_bytes(table, data, file.name, how.order, how.duplicates, threads, **how.asked)
