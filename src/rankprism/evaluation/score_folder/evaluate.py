"""`evaluate_into`: score runs into a folder of Parquet files, but only those that are new or changed."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, Unpack

import numpy as np

from rankprism.data import Judgments, Note, Preferences, Run, issue, some
from rankprism.data.note import merged
from rankprism.errors import InputError, RankprismError, install
from rankprism.evaluation import Collection, collected
from rankprism.evaluation.blocks import blocks_of
from rankprism.evaluation.conventions import record_of, scores_of
from rankprism.evaluation.notes import notes_on
from rankprism.evaluation.parts import by_needs, joined
from rankprism.evaluation.score_folder.check import out_of_date
from rankprism.evaluation.score_folder.files import (
    DAMAGED,
    FOREIGN,
    MARK,
    Found,
    contents,
    data_sha256,
    file_name,
    found_in,
    kinds_of,
    locked,
)
from rankprism.evaluation.score_folder.plans import CHANGED, UNCHANGED, Plan, Wanted, plan, replaced
from rankprism.formats import OnError, Source, left_out, write_files
from rankprism.measures import Measure, parse_all
from rankprism.results import Record, Result, Scores, Table, note_of_depths
from rankprism.types import (
    CollectionOptions,
    JudgmentsLike,
    MeasuresLike,
    PreferencesLike,
    RunsLike,
)
from rankprism.types import Path as PathLike

#: Number of runs that are scored and written at a time, so that a job that is killed loses little work.
AT_ONCE = 25


@dataclass(frozen=True, eq=False, repr=False)
class Stored(Result):
    """What `evaluate_into` did with each run."""

    folder: str
    runs: tuple[str, ...]
    #: "new", "changed", "judgments changed", "other settings", "other version", "measure redefined",
    #: "more measures", "damaged", "older layout", "unchanged"
    states: tuple[str, ...]
    files: tuple[str, ...]  #: the names of the files in the folder
    measures: tuple[str, ...]
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def rows(self) -> Table:
        """One row for each run."""
        return Table({"run": list(self.runs), "state": list(self.states), "file": list(self.files)})

    @property
    def summary(self) -> Table:
        """The number of runs in each state."""
        count = Counter(self.states)
        return Table({"state": list(count), "runs": list(count.values())})

    @property
    def note(self) -> str:
        scored = sum(state != UNCHANGED for state in self.states)
        return f"{scored} of {len(self.runs)} runs were scored into {self.folder}."


def evaluate_into(
    folder: PathLike,
    judgments: JudgmentsLike | PreferencesLike | Collection,
    runs: RunsLike | None = None,
    measures: MeasuresLike | None = None,
    *,
    on_run: Callable[[str], None] | None = None,
    on_share: Callable[[float], None] | None = None,
    on_error: OnError | None = None,
    **options: Unpack[CollectionOptions],
) -> Stored:
    """Score runs into a folder of Parquet files, but only those that are new or changed.

    A file holds the scores of one run on all topics, with the columns run, topic, measure, score,
    judgments_sha256, run_sha256, settings, rankprism (the version) and scored_at. If the run, the judgments,
    the settings and the version are the same as before, only measures that the file lacks, or that have
    another definition there, are scored. Otherwise the run is scored by all measures that the file has. Other
    judgments or settings are refused if scores by measures that are not asked for would be lost, or if these
    judgments were replaced in the folder before. `check_score_folder` finds what is out of date.

    Parameters
    ----------
    folder
        The folder, which is made if there is none.
    judgments, runs, measures
        As for `rankprism.evaluate`. Runs that are answers with nuggets are refused.
    on_run, on_share, on_error, **options
        As for `rankprism.evaluate`.
    """
    _check_parquet()
    collection = collected(judgments, runs, on_error=on_error, **options)
    chosen = parse_all([] if measures is None else measures)
    reading, topics = collection.reading, collection.options.topics
    place = Path(folder)
    by_needs(collection, chosen)  # before anything is read
    given: list[Judgments | Preferences] = []
    if collection.judged is not None:
        given.append(collection.judgments)
    if collection.preferred is not None:
        given.append(collection.preferences)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{place}: cannot be made a folder ({error.strerror})") from None
    record = record_of(given, {str(measure): measure for measure in chosen}, reading, topics)
    record = record._replace(version=record.written_by)  # looked up once
    jobs: dict[str, _Job] = {}
    for name in collection.runs:
        with left_out(name, on_error):
            jobs[name] = _Job.of(collection, name, place / file_name(name), Wanted(record, chosen, ""))
            if on_run is not None and not jobs[name].plan.lacking:
                on_run(name)
    _refuse_others(place, [job for job in jobs.values() if job.plan.refused])
    failed: set[str] = set()

    def fail(name: str, error: Exception) -> None:
        failed.add(name)
        if on_error is None:
            raise error
        on_error(name, error)

    notes: dict[str, Sequence[Note]] = {name: job.notes for name, job in jobs.items()}
    depths = {run: depth for job in jobs.values() for run, depth in job.depths.items()}
    done, waiting = 0, {name: job for name, job in jobs.items() if job.plan.lacking}
    for lacking, names in _chunks(waiting):
        share = _part_of(on_share, done, len(names), len(waiting))
        try:
            some_runs = replace(collection.keep(runs=names), on_error=None if on_error is None else fail)
            parts = joined(some_runs, lacking, on_run)
            blocks = blocks_of(parts, on_share=share)
            scores = scores_of(parts, blocks, lacking, notes_on(parts, blocks))
            for name in scores.runs:
                of_judgments = [note for part in parts for note in part.judged.notes]
                notes[name] = [*of_judgments, *notes_on(parts, blocks, names=[name])]
        except InputError:
            if failed.issuperset(names):  # none of these could be read, but others may be
                continue
            raise
        assert scores.record is not None  # because they were computed
        depths |= scores.record.depths
        scores = replace(scores, record=scores.record._replace(version=record.version))
        _store(scores, {name: waiting[name] for name in names}, notes, fail)
        done += len(names)
    kept = [name for name in jobs if name not in failed]
    if not kept and on_error is not None:
        raise InputError("none of the runs can be read; see the error of each")
    depths = {run: depth for run, depth in depths.items() if run in kept}
    unequal = note_of_depths(depths, chosen)
    read = [note for one in given for note in getattr(one, "notes", ())]
    issue([] if unequal is None else [unequal])
    _issue_notes(place, [jobs[name] for name in kept], record, notes, read)
    return Stored(
        str(place),
        tuple(kept),
        tuple(jobs[name].plan.state for name in kept),
        tuple(jobs[name].path.name for name in kept),
        tuple(map(str, chosen)),
        {
            "folder": str(place),
            "judgments": data_sha256(record, tuple(record.data)),
            **reading.settings,
            "topics": topics,
            "run_format": reading.run_format,
            "version": record.written_by,
        },
    )


class _Job(NamedTuple):
    """A run, its file in the folder, and what is to be done."""

    name: str
    path: Path
    source: Source
    stamp: tuple[int, int, int] | None  #: of the file of the run, before it was read
    wanted: Wanted
    notes: tuple[Note, ...]  #: on the scores that the file has
    depths: Mapping[str, float]  #: as in its record
    plan: Plan

    @classmethod
    def of(cls, collection: Collection, name: str, path: Path, wanted: Wanted) -> _Job:
        source = collection.source(name)
        stamp = source.stamp
        wanted = wanted._replace(run_sha256=source.sha256 or sha256_of(collection.run(name)))
        found = _own(path)
        notes = () if found is None else tuple(found.notes)
        depths = {} if found is None else found.record.depths
        return cls(name, path, source, stamp, wanted, notes, depths, plan(found, wanted))


def _own(path: Path) -> Found | None:
    """What the file of a run holds. A file of somebody else is refused, and not replaced."""
    found = found_in(path)
    if found is not None and found.fault == FOREIGN:
        raise InputError(f"{path}: was not written by rankprism evaluate --into; move it elsewhere")
    return found


def _refuse_others(place: Path, jobs: Sequence[_Job]) -> None:
    """Refuse to replace scores that belong to other judgments or settings, before anything is written."""
    if jobs:
        first, *more = jobs
        number = f"{len(more)} more run{'s are' if len(more) > 1 else ' is'}"
        others = f" ({number} like that)" if more else ""
        raise InputError(f"{place}: {first.name!r}{others} {first.plan.refused}")


def _store(
    scores: Scores,
    jobs: Mapping[str, _Job],
    notes: dict[str, Sequence[Note]],
    fail: Callable[[str, Exception], None],
) -> None:
    """Write the scores of each run, unless its file changed while it was read."""
    if set(scores.runs) - set(jobs):
        raise InputError("answers cannot be scored into a folder; write them to a file with -o")
    assert scores.record is not None
    judged = [data_sha256(scores.record, kinds_of(measure)) for measure in scores.measures]
    now = datetime.now(UTC).isoformat()
    new: dict[PathLike, bytes] = {}
    with locked(next(iter(jobs.values())).path.parent):
        for name in scores.runs:
            job = jobs[name]
            if job.source.stamp != job.stamp:
                fail(name, InputError(f"{name}: the run changed while it was read; score it again"))
                continue
            found = _own(job.path)  # another process may have written it in the meantime
            last = plan(found, job.wanted)
            if last.refused:
                fail(name, InputError(f"{job.path.parent}: {name!r} {last.refused}"))
                continue
            kept = last.kept.difference(scores.measures)
            history = replaced(found, job.wanted.record, now)
            if found is not None and kept:
                notes[name] = list(dict.fromkeys((*notes[name], *found.notes)))
            digest = job.wanted.run_sha256
            new[job.path] = contents(name, digest, scores, judged, notes[name], found, kept, history)
        write_files(new, mark=MARK)


def _issue_notes(
    place: Path,
    jobs: Sequence[_Job],
    record: Record,
    notes: Mapping[str, Sequence[Note]],
    read: Sequence[Note],
) -> None:
    """The notes on all runs, those that were not scored again included, and on what the folder has besides.

    notes : those on each run. read : those on the judgments, which were issued when they were read.
    """
    found = merged({job.name: [note for note in notes[job.name] if note not in read] for job in jobs})
    changed = [job.name for job in jobs if job.plan.state == CHANGED]
    if changed:
        number = f"{len(changed)} run{'s have' if len(changed) > 1 else ' has'}"
        message = f"{number} changed under the same name, and the old scores are replaced: {some(changed)}"
        found.append(Note("run-changed", message, len(changed), changed[0]))
    damaged = [job.path for job in jobs if job.plan.state == DAMAGED]
    if damaged:
        number = f"{len(damaged)} file{'s were' if len(damaged) > 1 else ' was'}"
        message = (
            f"{number} damaged and scored again: {some(map(str, damaged))}; if it happens again, look at the "
            f"disk"
        )
        found.append(Note("damaged-scores", message, len(damaged), damaged[0].name))
    lost = {job.name: job.plan.lost for job in jobs if job.plan.lost}
    if lost:
        names = ", ".join(dict.fromkeys(name for names in lost.values() for name in names))
        message = (
            f"scores by {names} were out of date and are removed, because these measures cannot be computed "
            f"here; score these runs by them again: {some(lost)}"
        )
        found.append(Note("scores-lost", message, len(lost), next(iter(lost))))
    stale = _stale_beside(place, {job.path for job in jobs}, record)
    if stale:
        message = (
            f"{place}: scores of {len(stale)} other run{'s' * (len(stale) > 1)} do not belong together with "
            f"these: {some(stale)}; rankprism scores {place} --prune moves them away"
        )
        found.append(Note("stale-scores", message, len(stale), stale[0]))
    issue(found)


def _stale_beside(place: Path, own: set[Path], record: Record) -> list[str]:
    """The runs of other files of the folder that do not belong together with the new scores."""
    others = (found_in(path) for path in sorted(place.glob("*.parquet")) if path not in own)
    return [
        found.run or found.path.name
        for found in others
        if found is not None and found.fault != FOREIGN and (found.fault or out_of_date(found.record, record))
    ]


def sha256_of(run: Run) -> str:
    """The SHA-256 of a run in memory: of what it says, not of the file that says it."""
    digest = hashlib.sha256()
    for column in run.table.columns():
        is_text = isinstance(column, list) and column and isinstance(column[0], str)
        data = "\0".join(column).encode("utf-8", "surrogatepass") if is_text else np.asarray(column).tobytes()
        digest.update(f"{len(column)} {len(data)}\n".encode())
        digest.update(data)
    return digest.hexdigest()


def _chunks(waiting: Mapping[str, _Job]) -> Iterator[tuple[tuple[Measure, ...], Sequence[str]]]:
    """Runs that lack the same measures, a few at a time."""
    groups: dict[tuple[Measure, ...], list[str]] = {}
    for name, job in waiting.items():
        groups.setdefault(job.plan.lacking, []).append(name)
    for measures, names in groups.items():
        for i in range(0, len(names), AT_ONCE):
            yield measures, names[i : i + AT_ONCE]


def _part_of(
    on_share: Callable[[float], None] | None, done: int, number: int, total: int
) -> Callable[[float], None] | None:
    if on_share is None:
        return None
    return lambda share: on_share((done + share * number) / total)


def _check_parquet() -> None:
    from importlib.util import find_spec

    if find_spec("pyarrow") is None:
        raise RankprismError(f"Parquet needs one more package: {install('parquet')}")
