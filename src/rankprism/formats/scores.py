"""Scores from files, frames and dictionaries."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rankprism.data import Note, issue, with_notes
from rankprism.data.note import merged
from rankprism.errors import InputError
from rankprism.formats import files
from rankprism.formats.known.score_files import (
    MAYBE_MEANS,
    MEANS,
    Cell,
    Stored,
    score_of,
    scores_of_frame,
)
from rankprism.formats.source import source_of
from rankprism.results import DEFAULTS, DEPTH, Record, Scores, note_of_depths
from rankprism.results.depths import measures_named
from rankprism.results.direction import chosen_lower, recorded
from rankprism.results.record import ABOUT, JSON, PARQUET, together
from rankprism.types import ScoresLike


def read_scores(
    source: ScoresLike,
    *,
    where: Mapping[str, str] | None = None,
    measure: str | None = None,
    mixed: bool = False,
    lower: Iterable[str] = (),
) -> Scores:
    """Scores of runs on topics, from one file or several, a frame or ``{run: {topic: {measure: score}}}``.

    A table may have the columns run, topic, measure and score; or run, topic and one column per measure, as
    from ndeval and gdeval; or one column per run and one row per topic. Commas, semicolons or tabs separate
    columns. The output of ``trec_eval -q`` is read too. Lines that hold means are skipped. Several files may
    hold other runs, topics or measures of one experiment. Parquet and JSON files that rankprism has written
    record what the scores were computed from, and those that do not belong together are refused.

    Parameters
    ----------
    where
        Selects rows of a file with further columns by their values, e.g. ``{"sort": "rank"}``.
    measure
        The name of the measure in a file with one column per run. Default: the file's name.
    mixed
        Read files together even if their scores were computed from other judgments, with other settings or
        by other definitions of a measure. The captions of all results then say what is mixed.
    lower
        The measures or columns of which a lower score is better, such as seconds. Default: those of which it
        is known, by their name or because the file records it.

    Examples
    --------
    >>> scores = read_scores({"bm25": {"q1": {"AP": 0.5}, "q2": {"AP": 0.25}}})
    >>> scores.mean()
    {'bm25': {'AP': 0.375}}
    """
    if isinstance(source, Scores):
        return source if not lower else directed(source, lower)
    sources: list[Any] = [source]
    if isinstance(source, list | tuple) and all(files.is_path(s) for s in source):
        sources = list(source)
    if not sources:
        raise InputError("no scores given; name at least one file")
    cells = _Cells()
    for one in sources:
        given = source_of(one)
        if given.is_file:
            with files.opened(given.thing) as file:
                cells.take(given.format("scores").read(file, dict(where or {}), measure), file.name)
        elif isinstance(one, Mapping):
            cells.take(Stored(_from_mapping(one)), "scores")
        elif given.form == "frame":
            cells.take(scores_of_frame(one, dict(where or {}), measure or "score"), "scores")
        else:
            raise InputError(
                f"cannot read scores from {type(one).__name__} objects; pass paths, a frame or "
                "{run: {topic: {measure: score}}}"
            )
    names = [files.source_name(s) if files.is_path(s) else "memory" for s in sources]
    return directed(_of_like_depth(cells.scores(names, mixed)), lower)


#: The kind of data of records that only have a digest of all judgments together.
_FILES = "files of judgments"


def directed(scores: Scores, lower: Iterable[str]) -> Scores:
    """The same scores, of which lower ones are better by these measures."""
    wanted = [lower] if isinstance(lower, str) else list(lower)
    found = chosen_lower(scores.measures, wanted)
    said = {**scores.conventions["direction"], **found}
    return replace(scores, conventions={**scores.conventions, "direction": said}) if found else scores


def _of_like_depth(scores: Scores) -> Scores:
    """The same scores, with a note if the depths of the runs differ too much for their measures."""
    record = scores.record
    if record is None:
        return scores
    depths = {run: record.depths[run] for run in scores.runs if run in record.depths}
    note = note_of_depths(depths, measures_named(scores.measures))
    if note is None:
        return scores
    issue([note])
    record = record.mixing(DEPTH)
    conventions = {**with_notes(scores.conventions, [note]), "mixed": list(record.mixed)}
    return replace(scores, conventions=conventions, record=record)


def _records(stored: Stored, source: str) -> dict[str, Record | None]:
    """What the scores of a source were computed from, by the name of the source.

    The rows of a folder of scores that another program has put into one table may have come from several
    evaluations. They only have the digests of whole files of judgments.
    """
    found = _record(stored.metadata, source)
    if found is not None or not stored.computed:
        return {source: found}
    several = len(stored.computed) > 1
    return {
        f"{source}, rows with judgments {key[0][:8]} and settings {key[1]}" if several else source: Record(
            _of_whole_files({key: topics}), _settings(key[1]), {}, key[2]
        )
        for key, topics in stored.computed.items()
    }


def _of_whole_files(computed: Mapping[tuple[str, str, str], Sequence[str]]) -> dict[str, dict[str, str]]:
    """The digests of whole files of judgments by topic, as data of a record."""
    return {_FILES: {topic: key[0][:12] for key, topics in computed.items() for topic in topics}}


def _settings(text: str) -> dict[str, str]:
    """The settings in a column of a folder of scores, which differ from the defaults."""
    try:
        found = json.loads(text)
        return {k: str(v) for k, v in found.items() if v is not None and v != DEFAULTS.get(k)}
    except (ValueError, AttributeError):
        return {"settings": text}


def _record(metadata: Mapping[Any, Any], source: str) -> Record | None:
    """The record among the metadata of a table or in the object of a JSON file."""
    found = metadata.get(JSON)
    if PARQUET in metadata:
        try:
            found = json.loads(metadata[PARQUET])
        except ValueError:
            found = {}
    return None if found is None else Record.from_dict(found, source)


def _notes(metadata: Mapping[Any, Any], source: str) -> list[Note]:
    """The notes that were given when the scores were computed, which a reader has to know, too."""
    try:
        about = json.loads(metadata[ABOUT]) if ABOUT in metadata else metadata.get("about", {})
        return [Note.of(note) for note in about.get("conventions", about).get("notes", ())]
    except (ValueError, TypeError, AttributeError):
        raise InputError(f"{source}: what is recorded about the scores is damaged; score again") from None


@dataclass
class _Cells:
    """Scores that are collected one by one."""

    runs: dict[str, int] = field(default_factory=dict)
    topics: dict[str, int] = field(default_factory=dict)
    measures: dict[str, int] = field(default_factory=dict)
    values: dict[tuple[int, int, int], float] = field(default_factory=dict)
    bounds: dict[tuple[int, int, int], tuple[float, float]] = field(default_factory=dict)
    records: dict[str, Record | None] = field(default_factory=dict)
    computed: dict[str, Mapping[tuple[str, str, str], Sequence[str]]] = field(default_factory=dict)
    noted: dict[str, list[Note]] = field(default_factory=dict)  #: when the scores were computed
    digits: dict[str, int] = field(default_factory=dict)  #: of sources whose scores were rounded

    def take(self, stored: Stored, source: str) -> None:
        self.add(_without_means(list(stored.cells)), source)
        self.records |= _records(stored, source)
        self.computed[source] = stored.computed
        self.noted[source] = _notes(stored.metadata, source)
        if stored.digits is not None:
            self.digits[source] = stored.digits

    def add(self, cells: Iterable[Cell], source: str) -> None:
        before = len(self.values)
        for run, topic, measure, score, place, ends in cells:
            key = (
                self.runs.setdefault(run, len(self.runs)),
                self.topics.setdefault(topic, len(self.topics)),
                self.measures.setdefault(measure, len(self.measures)),
            )
            if key in self.values:
                raise InputError(
                    f"{place}: is a second score of run {run!r} on topic {topic!r} by {measure!r}; keep one, "
                    "or choose rows by another column (where, --where COLUMN=VALUE)"
                )
            self.values[key] = score
            if ends is not None:
                self.bounds[key] = ends
        if len(self.values) == before:
            raise InputError(
                f"{source}: has no scores of topics; scores of topics are needed, not only means"
            )

    def scores(self, sources: Sequence[str], mixed: bool) -> Scores:
        records = self.records
        if any(record is not None and _FILES in record.data for record in records.values()):
            # All can only be compared by the digests that all have.
            records = {
                source: record
                if record is None or not self.computed.get(source)
                else record._replace(data={**record.data, **_of_whole_files(self.computed[source])})
                for source, record in records.items()
            }
        found = together(records, mixed)
        shape = (len(self.runs), len(self.topics), len(self.measures))
        values = np.full(shape, np.nan)
        r, t, m = (np.fromiter(axis, np.intp) for axis in zip(*self.values, strict=True))
        values[r, t, m] = np.fromiter(self.values.values(), np.float64)
        low, high = None, None
        if self.bounds:
            low, high = values.copy(), values.copy()  # a score without bounds is certain
            for key, ends in self.bounds.items():
                low[key], high[key] = ends
        # Whether depths are unequal is decided anew, for all runs together.
        noted = [note for note in merged(self.noted) if note.kind != "unequal-depths"]
        notes = (*noted, *found.notes, *_rounded(self.digits))
        conventions: dict[str, Any] = {"read from": list(sources), "direction": recorded(found.record)}
        if found.record is not None and found.record.mixed:
            conventions["mixed"] = list(found.record.mixed)
        issue(notes)
        return Scores(
            tuple(self.runs),
            tuple(self.topics),
            tuple(self.measures),
            values,
            with_notes(conventions, notes),
            low,
            high,
            found.record,
        )


def _rounded(digits: Mapping[str, int]) -> Iterator[Note]:
    if digits:
        source, least = min(digits.items(), key=lambda pair: pair[1])
        yield Note(
            "few-digits",
            f"the scores in {source} were written with {least} digit{'s' * (least != 1)} after the decimal "
            f"point, and means and differences of them are not more exact; write them without --digits",
            len(digits),
            source,
        )


def _from_mapping(source: Mapping[Any, Any]) -> Iterator[Cell]:
    cells: list[Cell] = []
    for run, topics in source.items():
        for topic, scores in _mapping(topics, f"run {run!r}", "{topic: {measure: score}}").items():
            for measure, score in _mapping(scores, f"topic {topic!r}", "{measure: score}").items():
                place = f"scores, run {run!r}, topic {topic!r}"
                cells.append((str(run), str(topic), str(measure), score_of(str(score), place), place, None))
    means = [cell for cell in cells if cell[1].casefold() in MEANS]
    if not means:
        return iter(cells)
    kept = [cell for cell in cells if cell[1].casefold() not in MEANS]
    return iter(kept if _are_means(means, kept) else cells)


def _are_means(means: Iterable[Cell], others: Iterable[Cell], most: float = 1e-4) -> bool:
    """Whether scores on topics that are called "all" or "mean" are the means of the others, as printed.

    most : how much they may differ.
    """
    of: dict[tuple[str, str], list[float]] = {}
    for run, _, measure, score, *_ in others:
        of.setdefault((run, measure), []).append(score)
    return all(
        not (found := of.get((run, measure))) or abs(float(np.nanmean(found)) - score) < most
        for run, _, measure, score, *_ in means
    )


def _without_means(cells: list[Cell]) -> list[Cell]:
    """The scores without lines that may be means by their name, if they are the means of the others."""
    words = {cell[1] for cell in cells if cell[1].casefold() in MAYBE_MEANS}
    for word in words:
        means = [cell for cell in cells if cell[1] == word]
        others = [cell for cell in cells if cell[1] not in words]
        if others and _are_means(means, others, 1e-3):
            cells = [cell for cell in cells if cell[1] != word]
    return cells


def _mapping(value: Any, what: str, expected: str) -> Mapping[Any, Any]:
    if not isinstance(value, Mapping):
        raise InputError(f"scores: {what} holds {value!r}; expected {expected}")
    return value
