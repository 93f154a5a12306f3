"""What a thing is that judgments, preferences, runs or scores are read from. Only this module asks.

`source_of` looks at a thing from outside: whether it is one of our values, a file, a dataset, a frame or a
dictionary. The first lines of a file are read when somebody asks for its `kind` or its `format`. Nothing here
loads numpy, or a format that few files have, unless a file needs it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from rankprism.errors import InputError, RankprismError
from rankprism.formats import files
from rankprism.formats.lines import is_plain, is_plain_run

if TYPE_CHECKING:
    from rankprism._core import RunTable
    from rankprism.formats.format import Format
    from rankprism.types import RunsLike

#: The beginning of the id of a dataset of ir_datasets, which may be given instead of a path.
DATASET = "irds:"
#: One of our values, a file, files of one aspect each, a dataset of ir_datasets, a frame, a dictionary, or
#: anything else, which only rows may be.
Form: TypeAlias = Literal["value", "file", "files", "dataset", "frame", "mapping", "rows"]
#: What our values are, by the names of their types, so that none has to be loaded.
_VALUES = {
    "rankprism.data.judgments.Judgments": "judgments",
    "rankprism.data.preferences.Preferences": "preferences",
    "rankprism.data.run.Run": "run",
    "rankprism.data.run.Alignment": "run",
    "rankprism.results.scores.Scores": "scores",
}


@dataclass(frozen=True, eq=False)
class Source:
    """A thing to read from, and what it is. `source_of` makes it."""

    thing: Any  #: a `files.File` for every path
    form: Form
    #: what the user says about its columns: `rankprism.formats.table.Columns`
    columns: Any = None

    @property
    def is_file(self) -> bool:
        return self.form == "file"

    @property
    def is_folder(self) -> bool:
        return self.form == "file" and os.path.isdir(self.thing.path)

    @property
    def unpacked(self) -> Any:
        """The dictionary or frame in an object of ranx or trectools; everything else is returned as it is."""
        return _of_peer(self.thing)

    @cached_property
    def rows(self) -> Any:
        """What is in memory. What can be read only once has become a list."""
        content = self.unpacked
        return list(content) if self.form == "rows" and isinstance(content, Iterator) else content

    @cached_property
    def waits(self) -> bool:
        """Whether it can be read only once, such as a pipe, which is not looked at before its turn."""
        if self.is_file:
            return not self.thing.can_be_read_again
        return self.form == "rows" and isinstance(self.thing, Iterator)

    @property
    def stamp(self) -> tuple[int, int, int] | None:
        """What changes if somebody writes to a file; None for everything else."""
        if not self.is_file or not os.path.isfile(self.thing):
            return None
        found = os.stat(self.thing)
        return found.st_mtime_ns, found.st_size, found.st_ino

    @property
    def sha256(self) -> str | None:
        """The SHA-256 of a file, which is read for it; None for everything else."""
        if self.stamp is None or files.database_table(self.thing.path) is not None:
            return None
        import hashlib

        with open(self.thing.path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    @property
    def place(self) -> str | None:
        """Where it is, for messages; None for what has no name."""
        if self.is_file:
            return str(self.thing.name)
        return str(self.thing.table.source) if self.is_run else None

    def name(self, number: int) -> str:
        """The name of a run. `number` : of this run, for those that have no name of their own."""
        if self.is_run:
            return str(self.thing.name)
        if self.is_file:
            return files.run_name(self.thing)
        return peer_name(self.thing) or ("run" if number == 1 else f"run{number}")

    @property
    def is_run(self) -> bool:
        """Whether this is a `rankprism.Run`."""
        return self.form == "value" and self.kind == "run" and hasattr(self.thing, "table")

    @cached_property
    def usual(self) -> str | None:
        """Of which kind a file is whose first line can only be TREC's. This needs no other format."""
        if self.form != "file" or (self.columns is not None and self.columns.placed):
            return None
        line = self.thing.beginning.line
        return "judgments" if is_plain(line) else "run" if is_plain_run(line) else None

    @cached_property
    def kind(self) -> str | None:
        """Which of `recognition.KINDS` it is where its place does not say; None if several or none.

        A dictionary may be judgments as well as a run, so the answer is None.
        """
        if self.form == "file":
            return self._kind_of_file()
        if self.form == "value":
            return _kind_of_value(self.thing)
        if self.form == "dataset":
            return "judgments"
        return "preferences" if self.form in ("frame", "rows") and self._names_preferences() else None

    def are_preferences(self, format: str | None = None) -> bool:
        """Whether it can only be preferences. `format` : of preferences, if the user has given it."""
        if format is None or self.form == "value":
            return self.kind == "preferences"
        from rankprism.formats.recognition import formats_of

        return format in formats_of("preferences")

    def are_answers(self, format: str | None = None) -> bool:
        """Whether a run holds answers with their nuggets. `format` : of runs, if the user has given it."""
        if format is not None:
            return format == "answers" and self.form != "value"
        if not self.is_file:
            return are_nuggets(self.thing)
        return any(record.name == "answers" for record in self.run_formats)

    @property
    def run_formats(self) -> list[Format[Any]]:
        """The formats that a file of runs may have; none if its lines are TREC's, or if it waits."""
        if self.form != "file" or self.waits or self.usual == "run":
            return []
        from rankprism.formats.recognition import claims_on

        return claims_on(self.thing.beginning).get("run", [])

    def format(self, place: str, format: str | None = None) -> Format[Any]:
        """The format of a file where one of `recognition.KINDS` is expected. Others are refused.

        format : its name, if the user has given it.
        """
        if format is None and self.has_said_columns():
            from rankprism.formats.recognition import formats_of

            return formats_of(place)["tsv" if place == "preferences" else "table"]
        if format is None and self.usual == place:
            from rankprism.formats.trec import DIVERSITY, TREC_RUN

            return DIVERSITY if place == "judgments" else TREC_RUN
        from rankprism.formats.recognition import chosen_format, only_format

        return only_format(place, self.thing) if format is None else chosen_format(place, format)

    def has_said_columns(self) -> bool:
        """Whether the user says of columns of this file what they are."""
        if self.columns is None:
            return False
        from rankprism.formats.table import has_said

        return has_said(self.thing.beginning, self.columns)

    def _kind_of_file(self) -> str | None:
        if self.has_said_columns():
            place = self.columns.place
            of_preferences = {"left", "right", "outcome"}.intersection(self.columns.named)
            if place is not None or of_preferences:
                return place or "preferences"
        if self.usual == "judgments":
            return "judgments"
        from rankprism.formats.recognition import claims_on

        beginning = self.thing.beginning
        claims = claims_on(beginning)
        if beginning.is_table and claims:
            from rankprism.formats.known.tables import table_columns

            columns = frozenset(name.casefold() for name in table_columns(self.thing))
            return next(kind for kind, records in claims.items() if records[0].fits(columns))
        return next(iter(claims), None)

    def _names_preferences(self) -> bool:
        """Whether the columns of a frame, or the first of some rows, are those of preferences."""
        from rankprism.data.frames import column_names
        from rankprism.data.preferences import OUTCOMES
        from rankprism.formats.preference_rows import NEEDED

        if self.form == "frame":
            return set(NEEDED) <= set(column_names(self.unpacked, "preferences"))
        first = _first(self.rows)
        if isinstance(first, Mapping):
            return set(NEEDED) <= set(first)
        return isinstance(first, list | tuple) and len(first) >= 5 and str(first[4]).casefold() in OUTCOMES


def source_of(thing: Any) -> Source:
    """What a thing is. A path becomes a file, which is not opened yet.

    >>> source_of("irds:vaswani").form, source_of("qrels.txt").form, source_of({"q1": {"d1": 1}}).form
    ('dataset', 'file', 'mapping')
    """
    if isinstance(thing, Source):
        return thing
    if isinstance(thing, str | os.PathLike) and not is_dataset(thing):
        return Source(thing if isinstance(thing, files.File) else files.File(thing), "file")
    return Source(thing, _form_in_memory(thing))


def with_columns(source: Source, columns: Any, place: str) -> Source:
    """The same source, with what the user says about the columns of judgments, runs or preferences."""
    if columns is None or source.form in ("value", "dataset"):
        return source
    from rankprism.formats.table import columns_for

    found = columns_for(columns, place)
    if source.is_file:
        source.thing.columns = found
    return Source(source.thing, source.form, found)


def is_dataset(thing: Any) -> bool:
    """Whether this is the id of a dataset, such as "irds:vaswani", or a dataset of ir_datasets.

    >>> is_dataset("irds:vaswani"), is_dataset("qrels.txt")
    (True, False)
    """
    return thing.startswith(DATASET) if isinstance(thing, str) else hasattr(type(thing), "has_qrels")


def _form_in_memory(thing: Any) -> Form:
    from rankprism.data import is_frame

    if _kind_of_value(thing) is not None:
        return "value"
    if is_dataset(thing):
        return "dataset"
    if peer_of(thing) == "ranx":
        return "mapping"
    if peer_of(thing) == "trectools" or is_frame(thing):
        return "frame"
    if not isinstance(thing, Mapping):
        return "rows"
    is_path = [isinstance(one, str | os.PathLike) for one in thing.values()]
    return "files" if is_path and all(is_path) else "mapping"


def _kind_of_value(thing: Any) -> str | None:
    names = (f"{type_.__module__}.{type_.__qualname__}" for type_ in type(thing).__mro__)
    return next((_VALUES[name] for name in names if name in _VALUES), None)


# ── the runs of a collection ─────────────────────────────────────────────────────────────────────

#: Called with the name of a run that cannot be read, and the error. The run is then left out.
OnError: TypeAlias = Callable[[str, Exception], object]
#: What goes wrong because of a file.
OF_FILES = (RankprismError, OSError, EOFError, UnicodeError)


def run_sources(
    runs: RunsLike, threads: int | None = 1, on_error: OnError | None = None, columns: Any = None
) -> dict[str, Source]:
    """The source of each run, by name.

    columns : what the user says about the columns of tables.

    threads : the first files, one for each thread, are fetched into memory while something else is read.
    """
    most = threads or os.cpu_count() or 1
    ahead = most if most > 1 else 0
    if is_by_name(runs):
        assert isinstance(runs, Mapping)
        by_name: dict[str, Source] = {}
        for number, (name, run) in enumerate(runs.items()):
            with left_out(str(name), on_error):
                one = with_columns(source_of(run), columns, "run")
                by_name[str(name)] = _named(one, str(name), number < ahead)
        return by_name
    several: list[Source] = []
    whole: Any = runs if are_several(runs) else [runs]
    for thing in whole:
        source = with_columns(source_of(thing), columns, "run")
        several += _files_in(source, on_error) if source.is_folder else [source]
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
                check_read_once([sources[name], one])
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
    _fetch(source, ahead)
    if source.form == "frame" and peer_of(source.thing) is None:
        from rankprism.formats.frames import runs_in
        from rankprism.formats.table import NOT_SAID

        tables = runs_in(source.thing, "run", source.columns or NOT_SAID)
    elif read := _reader_of_several(source):
        with source.thing:
            tables = read(source.thing)
    else:
        return {name: source}
    from rankprism.data import Run

    return {run or name: source_of(Run(run or name, table)) for run, table in tables.items()}


def _fetch(source: Source, ahead: bool) -> None:
    """Refuse a path that leads to no file. `ahead` : fetch the file into memory."""
    if source.is_file:
        source.thing.check()
        if ahead:
            source.thing.fetch()


def _reader_of_several(source: Source) -> Callable[[files.File], dict[str | None, RunTable]] | None:
    """What reads all runs of a file, if its format can name them. Packed files are not unpacked for this."""
    if source.form != "file" or source.thing.path.endswith(files.COMPRESSED):
        return None
    if source.has_said_columns():
        return source.format("run").read_runs
    for record in source.run_formats:
        if record.read_runs is not None:
            return record.read_runs
    return None


def _files_in(folder: Source, on_error: OnError | None) -> list[Source]:
    """The files of a folder of runs, by name. Hidden files are left out, and all others must be runs."""
    path, name = folder.thing.path, folder.thing.name
    try:
        with os.scandir(path) as entries:
            paths = sorted(entry.path for entry in entries if not entry.name.startswith("."))
    except PermissionError:
        raise InputError(f"{name}: is a folder that you have no right to list") from None
    paths = _without_devices(name, paths)
    found = []
    for source in map(source_of, paths):
        file: files.File = source.thing
        with left_out(files.run_name(file), on_error):
            is_one = not source.is_folder and (source.usual == "run" or source.run_formats)
            if not is_one:
                what = "is a folder" if source.is_folder else "does not look like a run"
                raise InputError(
                    f"{file.name}: {what}, so {name} is not a folder of runs; move it elsewhere, or name the "
                    f"runs, e.g. {os.path.join(name, '*.run')}"
                )
            found.append(source)
    if not paths:
        with left_out(files.run_name(path), on_error):
            raise InputError(f"{name}: is an empty folder; put runs into it, or name their files")
    return found


def _without_devices(folder: str, paths: list[str]) -> list[str]:
    """The paths that do not lead to a pipe, a socket or a device, which might wait for ever or never end."""
    others = [path for path in paths if _is_device(path)]
    if others:
        from rankprism.data import Note, issue

        text = f"{folder}: {os.path.basename(others[0])} is no file but a pipe, a socket or a device"
        more = f", and {len(others) - 1} more are" if len(others) > 1 else ""
        issue([Note("not-files", f"{text}{more}; left out", len(others), others[0])])
    return [path for path in paths if path not in others]


def _is_device(path: str) -> bool:
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False  # a link to nothing, for example, which is refused when it is read
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _named(source: Source, name: str, ahead: bool) -> Source:
    """A run that has been given a name. A frame is read, because some can be read only once."""
    _fetch(source, ahead)
    is_frame = source.form == "frame" and peer_of(source.thing) is None
    if not is_frame:
        return source
    from rankprism.formats.runs import run_from

    return source_of(run_from(source, name, None, "error"))


def is_by_name(runs: Any) -> bool:
    """Whether this is ``{name: run}`` rather than ``{topic: {doc: score}}`` or ``{topic: [doc, …]}``."""
    return isinstance(runs, Mapping) and not all(
        is_ranked_list(ranking)
        or (
            isinstance(ranking, Mapping)
            and not any(isinstance(score, Mapping) or is_ranked_list(score) for score in ranking.values())
        )
        for ranking in runs.values()
    )


def are_several(runs: Any) -> bool:
    """Whether this is a list of runs rather than the rows of one."""
    if not isinstance(runs, list | tuple) or not runs or are_nuggets(runs):
        return False
    first = runs[0]
    if isinstance(first, Mapping) and any(isinstance(cell, str | int | float) for cell in first.values()):
        return False  # a row by the names of its columns
    if isinstance(first, str | os.PathLike | Mapping | list | Source):
        return True
    return _form_in_memory(first) in ("value", "frame", "mapping")


def check_read_once(sources: list[Source]) -> None:
    """Refuse what can be read only once if it is named twice."""
    seen: set[str] = set()
    for source in sources:
        if not source.waits:
            continue
        path = source.thing.path if source.is_file else str(id(source.thing))
        if path in seen:
            what = "standard input (-)" if path == "-" else source.place or "an iterator"
            raise InputError(f"{what} can be read only once; name files for the others")
        seen.add(path)


# ── what rows are ────────────────────────────────────────────────────────────────────────────────


def _first(rows: Any) -> Any:
    return rows[0] if isinstance(rows, list | tuple) and rows else None


def are_dataset_rows(rows: Any) -> bool:
    """Whether these are judgments that ``dataset.qrels_iter()`` has returned."""
    first = _first(rows)
    return isinstance(first, tuple) and type(first).__module__.partition(".")[0] == "ir_datasets"


def are_nuggets(rows: Any) -> bool:
    """Whether these are rows with nuggets."""
    first = _first(rows)
    return isinstance(first, Mapping) and "nuggets" in first


def is_ranked_list(ranking: Any) -> bool:
    """Whether this is a ranking without scores: a list of documents, the best first.

    >>> is_ranked_list(["d1", "d2"]), is_ranked_list([("q1", "d1", 2.5)])
    (True, False)
    """
    is_list = isinstance(ranking, list | tuple) or type(ranking).__name__ == "ndarray"
    return is_list and not any(isinstance(doc, list | tuple | Mapping) or doc is None for doc in ranking)


# ── objects of ranx and trectools, neither of which is loaded ────────────────────────────────────


def _of_peer(thing: Any) -> Any:
    """The dictionary of a `Run` or `Qrels` of ranx, the frame of a `TrecRun` or `TrecQrel` of trectools."""
    of = peer_of(thing)
    if of == "ranx":
        return thing.to_dict()
    if of == "trectools":
        # The second column of judgments holds subtopics, if the file has them.
        return thing.qrels_data.rename(columns={"q0": "aspect"}) if _has_qrels(thing) else thing.run_data
    return thing


def peer_of(thing: Any) -> str | None:
    """The package that an object comes from, if it is a run or judgments of another package."""
    package = type(thing).__module__.partition(".")[0]
    is_known = package == "ranx" and hasattr(thing, "to_dict")
    is_known |= package == "trectools" and (hasattr(thing, "run_data") or _has_qrels(thing))
    return package if is_known else None


def _has_qrels(thing: Any) -> bool:
    return hasattr(thing, "qrels_data")


def peer_name(thing: Any) -> str | None:
    """The name that a run of another package has, if it has one."""
    of = peer_of(thing)
    if of == "trectools":
        return next((str(name) for name in thing.run_data.get("system", ())), None)
    return thing.name if of == "ranx" and isinstance(thing.name, str) and thing.name else None
