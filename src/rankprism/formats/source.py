"""What a thing is that judgments, preferences, runs or scores are read from. Only this module asks.

`source_of` looks at a thing from outside: whether it is one of our values, a file, a dataset, a frame or a
dictionary. The first lines of a file are read when somebody asks for its `kind` or its `format`. Nothing here
loads numpy, or a format that few files have, unless a file needs it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from rankprism.formats import files
from rankprism.formats.lines import is_plain, is_plain_run

if TYPE_CHECKING:
    from rankprism.formats.format import Format

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
#: Files that nearly all are, which are recognised by their first line without loading other formats.
_USUAL = {"judgments": is_plain, "run": is_plain_run}


@dataclass(frozen=True, eq=False)
class Source:
    """A thing to read from, and what it is. `source_of` makes it."""

    thing: Any  #: a `files.File` for every path
    form: Form

    @property
    def is_file(self) -> bool:
        return self.form == "file"

    @property
    def unpacked(self) -> Any:
        """The dictionary or frame in an object of ranx or trectools; everything else is returned as it is."""
        return _of_peer(self.thing)

    @cached_property
    def rows(self) -> Any:
        """What is in memory. What can be read only once has become a list."""
        content = self.unpacked
        return list(content) if self.form == "rows" and isinstance(content, Iterator) else content

    @property
    def waits(self) -> bool:
        """Whether it is a pipe, which can be read only once and is not looked at before its turn."""
        return self.is_file and not self.thing.can_be_read_again

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
            return format == "answers"
        if not self.is_file:
            return are_nuggets(self.thing)
        return any(record.name == "answers" for record in self.run_formats)

    @property
    def run_formats(self) -> list[Format[Any]]:
        """The formats that a file of runs may have; none if its lines are TREC's, or if it waits."""
        if not self.is_file or self.waits or is_plain_run(self.thing.beginning.line):
            return []
        from rankprism.formats.recognition import claims_on

        return claims_on(self.thing.beginning).get("run", [])

    def format(self, place: str, format: str | None = None) -> Format[Any]:
        """The format of a file where one of `recognition.KINDS` is expected. Others are refused.

        format : its name, if the user has given it.
        """
        usual = _USUAL.get(place)
        if format is None and usual is not None and usual(self.thing.beginning.line):
            from rankprism.formats.trec import DIVERSITY, TREC_RUN

            return DIVERSITY if place == "judgments" else TREC_RUN
        from rankprism.formats.recognition import chosen_format, only_format

        return only_format(place, self.thing) if format is None else chosen_format(place, format)

    def _kind_of_file(self) -> str | None:
        from rankprism.formats.recognition import claims_on

        beginning = self.thing.beginning
        if is_plain(beginning.line):
            return "judgments"
        claims = claims_on(beginning)
        if beginning.is_table and claims:
            from rankprism.formats.known.tables import table_columns

            columns = frozenset(name.casefold() for name in table_columns(self.thing))
            return next(kind for kind, records in claims.items() if records[0].fits(columns))
        return next(iter(claims), None)

    def _names_preferences(self) -> bool:
        """Whether the columns of a frame, or the first of some rows, are those of preferences."""
        from rankprism.data.preferences import OUTCOMES
        from rankprism.formats.preference_rows import NEEDED
        from rankprism.frames import column_names

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


def is_dataset(thing: Any) -> bool:
    """Whether this is the id of a dataset, such as "irds:vaswani", or a dataset of ir_datasets.

    >>> is_dataset("irds:vaswani"), is_dataset("qrels.txt")
    (True, False)
    """
    return thing.startswith(DATASET) if isinstance(thing, str) else hasattr(type(thing), "has_qrels")


def _form_in_memory(thing: Any) -> Form:
    from rankprism.frames import is_frame

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


# ── several runs, or one ─────────────────────────────────────────────────────────────────────────


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
    if isinstance(first, str | os.PathLike | Mapping | list | Source):
        return True
    return _form_in_memory(first) in ("value", "frame", "mapping")


def is_folder(source: Source) -> bool:
    return source.is_file and os.path.isdir(source.thing.path)


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
