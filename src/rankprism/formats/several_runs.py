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
from rankprism.formats.runs import align_source, run_from
from rankprism.formats.source import Source, are_several, is_by_name, is_folder, peer_of, source_of
from rankprism.statistics.threads import for_each_in_order

if TYPE_CHECKING:
    from rankprism._core import RunTable
    from rankprism.types import RunsLike


#: Called with the name of a run that cannot be read, and the error. The run is then left out.
OnError: TypeAlias = Callable[[str, Exception], object]
#: What goes wrong because of a file.
OF_FILES = (RankprismError, OSError, EOFError, UnicodeError)


def run_sources(
    runs: RunsLike, threads: int | None = 1, on_error: OnError | None = None
) -> dict[str, Source]:
    """The source of each run, by name.

    threads : the first files, one for each thread, are fetched into memory while something else is read.
    """
    most = threads or os.cpu_count() or 1
    ahead = most if most > 1 else 0
    if is_by_name(runs):
        assert isinstance(runs, Mapping)
        return {
            str(name): _named(source_of(run), str(name), number < ahead)
            for number, (name, run) in enumerate(runs.items())
        }
    several: list[Source] = []
    whole: Any = runs if are_several(runs) else [runs]
    for source in map(source_of, whole):
        several += _files_in(source, on_error) if is_folder(source) else [source]
    sources: dict[str, Source] = {}
    places: dict[str, str] = {}
    for number, source in enumerate(several, 1):
        place = source.place or f"run number {number}"
        own = source.name(number)
        found: dict[str, Source] = {}
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


def runs_of(source: Source, name: str, ahead: bool = False) -> dict[str, Source]:
    """Read the runs of a frame or of a file that holds a table, by name. Other sources are one run.

    Tables are read here and not later, because a stream can be read only once, and because only the table
    knows how many runs it holds. `name` : the name of a run that the table does not name. `ahead` : fetch a
    file into memory, because it will be read soon.
    """
    if source.is_file and ahead:
        source.thing.fetch()
    if source.form == "frame" and peer_of(source.thing) is None:
        from rankprism.formats.frames import runs_in

        tables = runs_in(source.thing, "run")
    elif read := _reader_of_several(source):
        with source.thing:
            tables = read(source.thing)
    else:
        return {name: source}
    return {run or name: source_of(Run(run or name, table)) for run, table in tables.items()}


def _reader_of_several(source: Source) -> Callable[[files.File], dict[str | None, RunTable]] | None:
    """What reads all runs of a file, if its format can name them. Packed files are not unpacked for this."""
    if not source.is_file or not source.thing.is_plain:
        return None
    return next((record.read_runs for record in source.run_formats if record.read_runs is not None), None)


def _files_in(folder: Source, on_error: OnError | None) -> list[Source]:
    """The files of a folder of runs, by name. Hidden files are left out, and all others must be runs."""
    path, name = folder.thing.path, folder.thing.name
    with os.scandir(path) as entries:
        paths = sorted(entry.path for entry in entries if not entry.name.startswith("."))
    found = []
    for source in map(source_of, paths):
        file: files.File = source.thing
        with left_out(files.run_name(file), on_error):
            is_one = not is_folder(source) and (is_plain_run(file.beginning.line) or source.run_formats)
            if not is_one:
                what = "is a folder" if is_folder(source) else "does not look like a run"
                raise InputError(
                    f"{file.name}: {what}, so {name} is not a folder of runs; move it elsewhere, or name the "
                    f"runs, e.g. {os.path.join(name, '*.run')}"
                )
            found.append(source)
    if not paths:
        with left_out(files.run_name(path), on_error):
            raise InputError(f"{name}: is an empty folder; put runs into it, or name their files")
    return found


def _named(source: Source, name: str, ahead: bool) -> Source:
    """A run that has been given a name. A frame is read, because some can be read only once."""
    if source.is_file and ahead:
        source.thing.fetch()
    is_frame = source.form == "frame" and peer_of(source.thing) is None
    return source_of(run_from(source, name, None, "error")) if is_frame else source


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
    given = {name: source_of(source) for name, source in sources.items()}
    if all(source.is_file and source.thing.ahead is not None for source in given.values()):
        most = 1  # the core's own threads read all of these files

    def one(name: str) -> Alignment | None:
        with left_out(name, on_error):
            alignment = align_source(judgments, given[name], reading, each)
            if on_run is not None:
                on_run(name)
            return alignment
        return None

    aligned = zip(given, for_each_in_order(one, given, most), strict=True)
    return {name: run for name, run in aligned if run is not None}
