"""Several runs: their sources and names, and how they are joined with judgments."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

from rankprism.data.judgments import Judgments
from rankprism.data.reading import Reading
from rankprism.data.run import Alignment, Run
from rankprism.errors import InputError, RankprismError
from rankprism.formats import files
from rankprism.formats.lines import is_plain_run
from rankprism.formats.objects import are_nuggets, is_ranked_list, peer_name, peer_of
from rankprism.formats.recognition import claims_on
from rankprism.formats.runs import align_source, run_from
from rankprism.frames import is_frame
from rankprism.statistics.threads import for_each_in_order

if TYPE_CHECKING:
    from rankprism._core import RunTable
    from rankprism.types import RunsLike


#: Called with the name of a run that cannot be read, and the error. The run is then left out.
OnError: TypeAlias = Callable[[str, Exception], object]
#: What goes wrong because of a file.
OF_FILES = (RankprismError, OSError, EOFError, UnicodeError)


def run_sources(runs: RunsLike, threads: int | None = 1, on_error: OnError | None = None) -> dict[str, Any]:
    """The source of each run, by name.

    threads : the first files, one for each thread, are fetched into memory while something else is read.
    """
    ahead = _number_ahead(threads)
    if isinstance(runs, Mapping) and not _is_one_run(runs):
        return {
            str(name): _named(source, str(name), number < ahead)
            for number, (name, source) in enumerate(runs.items())
        }
    several: list[Any] = [runs]
    if isinstance(runs, list | tuple) and runs and _is_run(runs[0]) and not are_nuggets(runs):
        several = list(runs)
    several = [
        one
        for source in several
        for one in (
            _files_in(source, on_error) if files.is_path(source) and os.path.isdir(source) else [source]
        )
    ]
    sources: dict[str, Any] = {}
    places: dict[str, str] = {}
    for number, source in enumerate(several, 1):
        if files.is_path(source):
            place = files.source_name(source)
        else:
            place = source.table.source if isinstance(source, Run) else f"run number {number}"
        own = _name(source, number)
        found: dict[str, Any] = {}
        with left_out(own, on_error):
            found = runs_of(source, own, number <= ahead)
        for name, one in found.items():
            if name in sources:
                raise InputError(
                    f"two runs are named {name!r}: {places[name]} and {place}; rename one, or pass "
                    f"{{name: run}}"
                )
            sources[name], places[name] = one, place
    return sources


@contextmanager
def left_out(name: str, on_error: OnError | None) -> Iterator[None]:
    """Hand over what goes wrong with a run, if somebody wants to know; otherwise it is raised."""
    try:
        yield
    except OF_FILES as error:
        if on_error is None:
            raise
        on_error(name, error)


def runs_of(source: Any, name: str, ahead: bool = False) -> dict[str, Any]:
    """Read the runs of a frame or of a file that holds a table, by name. Other sources are one run.

    Tables are read here and not later, because a stream can be read only once, and because only the table
    knows how many runs it holds. `name` : the name of a run that the table does not name. `ahead` : fetch a
    file into memory, because it will be read soon.
    """
    if files.is_path(source):
        source = _file(source, ahead)
    if is_frame(source):
        from rankprism.formats.frames import runs_in

        tables = runs_in(source, "run")
    elif read := _reader_of_several(source):
        with source:
            tables = read(source)
    else:
        return {name: source}
    return {run or name: Run(run or name, table) for run, table in tables.items()}


def _reader_of_several(source: Any) -> Callable[[files.File], dict[str | None, RunTable]] | None:
    """What reads all runs of a file, if its format can name them. Pipes are not opened before their turn."""
    if not isinstance(source, files.File) or not source.is_plain or is_plain_run(source.beginning.line):
        return None
    records = claims_on(source.beginning).get("run", ())
    return next((record.read_runs for record in records if record.read_runs is not None), None)


def _files_in(folder: files.PathLike, on_error: OnError | None) -> list[files.File]:
    """The files of a folder of runs, by name. Hidden files are left out, and all others must be runs."""
    name = files.source_name(folder)
    with os.scandir(folder) as entries:
        paths = sorted(entry.path for entry in entries if not entry.name.startswith("."))
    found = []
    for file in map(files.File, paths):
        with left_out(files.run_name(file), on_error):
            is_folder = os.path.isdir(file)
            if is_folder or not (is_plain_run(file.beginning.line) or claims_on(file.beginning).get("run")):
                what = "is a folder" if is_folder else "does not look like a run"
                raise InputError(
                    f"{file.name}: {what}, so {name} is not a folder of runs; move it elsewhere, or name the "
                    f"runs, e.g. {os.path.join(name, '*.run')}"
                )
            found.append(file)
    if not paths:
        with left_out(files.run_name(folder), on_error):
            raise InputError(f"{name}: is an empty folder; put runs into it, or name their files")
    return found


def _number_ahead(threads: int | None) -> int:
    most = threads or os.cpu_count() or 1
    return most if most > 1 else 0


def _file(path: files.PathLike, ahead: bool) -> files.File:
    file = files.opened(path)
    return file.fetch() if ahead else file


def _named(source: Any, name: str, ahead: bool) -> Any:
    """A run that has been given a name. A frame is read, because some can be read only once."""
    if files.is_path(source):
        return _file(source, ahead)
    return run_from(source, name, None, "error") if is_frame(source) else source


def _is_one_run(runs: Mapping[Any, Any]) -> bool:
    """Whether this is ``{topic: {doc: score}}`` or ``{topic: [doc, …]}`` rather than ``{name: run}``."""
    return all(
        is_ranked_list(ranking)
        or (
            isinstance(ranking, Mapping)
            and not any(isinstance(score, Mapping) or is_ranked_list(score) for score in ranking.values())
        )
        for ranking in runs.values()
    )


def _is_run(source: Any) -> bool:
    """Whether this is a whole run rather than one row of a run."""
    is_own = isinstance(source, str | os.PathLike | Run | Mapping | list)
    return is_own or is_frame(source) or peer_of(source) is not None


def _name(source: Any, number: int) -> str:
    if isinstance(source, Run):
        return source.name
    if files.is_path(source):
        return files.run_name(source)
    return peer_name(source) or ("run" if number == 1 else f"run{number}")


def align_all(
    judgments: Judgments,
    sources: Mapping[str, Any],
    reading: Reading,
    threads: int | None,
    on_run: Callable[[str], None] | None,
    on_error: OnError | None = None,
) -> dict[str, Alignment]:
    """Read, order and join every run. If there are more threads than runs, several threads read each run."""
    most = threads or os.cpu_count() or 1
    each = max(1, most // max(1, len(sources)))
    if all(isinstance(source, files.File) and source.ahead is not None for source in sources.values()):
        most = 1  # the core's own threads read all of these files

    def one(name: str) -> Alignment | None:
        with left_out(name, on_error):
            alignment = align_source(judgments, sources[name], reading, each)
            if on_run is not None:
                on_run(name)
            return alignment
        return None

    aligned = zip(sources, for_each_in_order(one, sources, most), strict=True)
    return {name: run for name, run in aligned if run is not None}
