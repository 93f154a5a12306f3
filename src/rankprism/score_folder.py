"""A folder of scores that grows night after night: one Parquet file for each run, to be read as one table.

Only what is new or changed is scored. Each file says from what its scores were computed: the SHA-256 of the
judgments and of the run, the settings and the version of the program. A file appears complete or not at all,
and processes that write to one folder at the same time wait for each other, so that nothing is lost.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Unpack

import numpy as np

from rankprism.data.judgments import Judgments
from rankprism.data.note import Note, issue, some
from rankprism.data.preferences import Preferences
from rankprism.data.reading import Reading
from rankprism.data.run import Run
from rankprism.errors import InputError, RankprismError, install
from rankprism.evaluation import evaluate
from rankprism.evaluation.steps import parsed
from rankprism.formats import files
from rankprism.formats.judgments import read_judgments
from rankprism.formats.output_files import write_files
from rankprism.formats.preferences import read_preferences
from rankprism.formats.runs import run_from
from rankprism.formats.several_runs import OnError, left_out, run_sources
from rankprism.measures import Measure
from rankprism.measures.identity import definition_of
from rankprism.results.record import PARQUET, Record
from rankprism.results.result import Result
from rankprism.results.scores import Scores
from rankprism.results.table import Table, plain
from rankprism.types import (
    EvaluationOptions,
    JudgmentsLike,
    MeasuresLike,
    PreferencesLike,
    RunsLike,
)
from rankprism.types import Path as PathLike

#: Number of runs that are scored and written at a time, so that a job that is killed loses little work.
AT_ONCE = 25
LOCK = ".rankprism.lock"
#: Marks unfinished files of the folder. Those of others, such as -o, are not removed.
_MARK = "scores-"
#: The name of the metadata in the schema of a file.
_METADATA = b"rankprism"
NEW, UNCHANGED = "new", "unchanged"


class Provenance(NamedTuple):
    """What scores were computed from. If two are equal, so are the scores."""

    judgments: str  #: SHA-256
    run: str  #: SHA-256
    settings: str  #: JSON
    version: str  #: of rankprism


#: What is said of a run whose scores are computed again, for each part of the provenance that changed.
_CHANGED = {
    "run": "changed",
    "judgments": "judgments changed",
    "settings": "other settings",
    "version": "other version",
}


@dataclass(frozen=True, eq=False, repr=False)
class Stored(Result):
    """What `evaluate_into` did with each run."""

    folder: str
    runs: tuple[str, ...]
    #: "new", "changed", "judgments changed", "other settings", "other version", "measure redefined",
    #: "more measures", "unchanged"
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
    judgments: JudgmentsLike | PreferencesLike,
    runs: RunsLike,
    measures: MeasuresLike,
    *,
    preferences: PreferencesLike | None = None,
    on_run: Callable[[str], None] | None = None,
    on_share: Callable[[float], None] | None = None,
    on_error: OnError | None = None,
    **settings: Unpack[EvaluationOptions],
) -> Stored:
    """Score runs into a folder of Parquet files, but only those that are new or changed.

    A file holds the scores of one run on all topics, with the columns run, topic, measure, score,
    judgments_sha256, run_sha256, settings, rankprism (the version) and scored_at. If the run, the judgments,
    the settings and the version are the same as before, only measures that the file lacks are scored.

    Parameters
    ----------
    folder
        The folder, which is made if there is none.
    judgments, runs, measures, preferences
        As for `rankprism.evaluate`. Runs that are answers with nuggets are refused.
    on_run, on_share, on_error, **settings
        As for `rankprism.evaluate`.
    """
    _check_parquet()
    reading = Reading.of(**{name: settings[name] for name in Reading._fields if name in settings})  # type: ignore[literal-required]
    chosen = parsed(measures)
    place = Path(folder)
    sources = run_sources(runs, settings.get("threads"), on_error)
    needs = {measure.needs for measure in chosen}
    absolute = "judgments" in needs or preferences is not None
    first: Any = read_judgments(judgments) if absolute else read_preferences(judgments)
    second = None if preferences is None else read_preferences(preferences)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{place}: cannot be made a folder ({error.strerror})") from None
    about = {
        name: settings.get(name, default)
        for name, default in (
            ("topics", "judged"),
            ("order", "score"),
            ("duplicates", "error"),
            ("run_format", None),
        )
    } | ({"run_depth": reading.run_depth} if reading.run_depth is not None else {})
    judged = fingerprint(first, second)
    wanted = Provenance(judged, "", json.dumps(about, sort_keys=True), _version())
    states: dict[str, str] = {}
    waiting: dict[str, _Waiting] = {}
    for name, source in sources.items():
        with left_out(name, on_error):
            run = _examined(name, source, reading, wanted)
            states[name], lacking = _state(place / file_name(name), run.provenance, chosen)
            if lacking:
                waiting[name] = run._replace(measures=lacking)
            elif on_run is not None:
                on_run(name)
    _note_changed(states)
    failed: set[str] = set()

    def fail(name: str, error: Exception) -> None:
        failed.add(name)
        if on_error is None:
            raise error
        on_error(name, error)

    done = 0
    for lacking, names in _chunks(waiting):
        try:
            scores = evaluate(
                first,
                {name: waiting[name].source for name in names},
                lacking,
                preferences=second,
                on_run=on_run,
                on_share=_part_of(on_share, done, len(names), len(waiting)),
                on_error=None if on_error is None else fail,
                **settings,
            )
        except InputError:
            if failed.issuperset(names):  # none of these could be read, but others may be
                continue
            raise
        _store(place, scores, {name: waiting[name] for name in names}, fail)
        done += len(names)
    kept = [name for name in states if name not in failed]
    if not kept and on_error is not None:
        raise InputError("none of the runs can be read; see the error of each")
    return Stored(
        str(place),
        tuple(kept),
        tuple(states[name] for name in kept),
        tuple(map(file_name, kept)),
        tuple(map(str, chosen)),
        {"folder": str(place), "judgments": judged, **about, "version": _version()},
    )


class _Waiting(NamedTuple):
    """A run that has to be scored."""

    source: Any  #: can be read again
    stamp: tuple[int, int, int] | None  #: of its file, before the file was read
    provenance: Provenance
    measures: tuple[Measure, ...] = ()  #: those that its scores lack


def _examined(name: str, source: Any, reading: Reading, wanted: Provenance) -> _Waiting:
    """A run with its fingerprint."""
    stamp = _stamp(source)
    read, content = _with_fingerprint(name, source, reading)
    return _Waiting(read, stamp, wanted._replace(run=content))


def _store(
    place: Path, scores: Scores, runs: Mapping[str, _Waiting], fail: Callable[[str, Exception], None]
) -> None:
    """Write the scores of each run, unless its file changed while it was read."""
    if set(scores.runs) - set(runs):
        raise InputError("answers cannot be scored into a folder; write them to a file with -o")
    with locked(place):
        for name in scores.runs:
            if _stamp(runs[name].source) == runs[name].stamp:
                _write(place / file_name(name), name, scores, runs[name].provenance)
            else:
                fail(name, InputError(f"{name}: the run changed while it was read; score it again"))


def file_name(run: str) -> str:
    """The name of the file of a run. Its end keeps names apart that differ in letters that files cannot have.

    >>> file_name("bm25")
    'bm25-635d603dcb71.parquet'
    >>> file_name("../a b")
    'a_b-2c2c791a0618.parquet'
    """
    readable = re.sub(r"[^A-Za-z0-9.-]+", "_", run)[:80].strip("._-") or "run"
    return f"{readable}-{hashlib.sha256(run.encode()).hexdigest()[:12]}.parquet"


def fingerprint(*values: Any) -> str:
    """The SHA-256 of judgments, preferences or runs: of what they say, not of the files that say it."""
    digest = hashlib.sha256()
    for value in values:
        _digest(digest, value)
    return digest.hexdigest()


def _digest(digest: Any, value: Any) -> None:
    if isinstance(value, Judgments):
        value = (value.table.columns(), value.weights, value.navigational, value.counted, value.scales)
    elif isinstance(value, Preferences):
        value = tuple(v for k, v in asdict(value).items() if k not in ("source", "format", "time", "comment"))
    elif isinstance(value, Run):
        value = value.table.columns()
    if isinstance(value, np.ndarray):
        digest.update(f"array {value.dtype.str} {value.shape}\n".encode())
        digest.update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, list | tuple) and value and all(isinstance(x, str) for x in value):
        digest.update(f"texts {len(value)}\n".encode())
        digest.update("\0".join(value).encode("utf-8", "surrogatepass"))
    elif isinstance(value, list | tuple):
        digest.update(f"values {len(value)}\n".encode())
        for one in value:
            _digest(digest, one)
    else:
        digest.update(f"{value!r}\n".encode("utf-8", "surrogatepass"))


def _with_fingerprint(name: str, source: Any, reading: Reading) -> tuple[Any, str]:
    """A run that can be read again, and its fingerprint: that of the bytes, if it is a file."""
    if files.is_path(source):
        path = os.fspath(source)
        if files.database_table(path) is None and os.path.isfile(path):
            with open(path, "rb") as file:
                return source, hashlib.file_digest(file, "sha256").hexdigest()
    run = run_from(source, name, reading.run_format, reading.duplicates)
    return run, fingerprint(run)


def _stamp(source: Any) -> tuple[int, int, int] | None:
    """What changes if somebody writes to the file of a run."""
    if not files.is_path(source) or not os.path.isfile(source):
        return None
    found = os.stat(source)
    return found.st_mtime_ns, found.st_size, found.st_ino


def _state(path: Path, wanted: Provenance, measures: Sequence[Measure]) -> tuple[str, tuple[Measure, ...]]:
    """What is to be said of a run, and the measures that its file lacks."""
    found = _stored(path)
    if found is None:
        return NEW, tuple(measures)
    provenance, stored = found
    for part, words in _CHANGED.items():
        if getattr(provenance, part) != getattr(wanted, part):
            return words, tuple(measures)
    lacking = tuple(measure for measure in measures if stored.get(str(measure)) != definition_of(measure))
    if any(str(measure) in stored for measure in lacking):
        return "measure redefined", lacking
    return ("more measures" if lacking else UNCHANGED), lacking


def _stored(path: Path) -> tuple[Provenance, Mapping[str, str]] | None:
    """What the scores of a file were computed from, and the definitions of its measures, which are empty in
    files of older versions; None if there is no file."""
    import pyarrow.parquet

    try:
        metadata = pyarrow.parquet.read_schema(path).metadata or {}
        about = json.loads(metadata[_METADATA])
        measures = dict.fromkeys(about["measures"], "")
        if PARQUET in metadata:
            measures |= Record.from_dict(json.loads(metadata[PARQUET]), str(path)).measures
        return Provenance(**{name: about[name] for name in Provenance._fields}), measures
    except FileNotFoundError:
        return None
    except (KeyError, TypeError, ValueError, OSError):
        raise InputError(f"{path}: was not written by rankprism evaluate --into; move it elsewhere") from None


def _write(path: Path, run: str, scores: Scores, wanted: Provenance) -> None:
    """Write the scores of a run, together with those of other measures that the file has already."""
    import pyarrow
    import pyarrow.parquet

    added = _table(run, scores, wanted)
    before = _stored(path)
    measures = list(scores.measures)
    assert scores.record is not None  # because they were computed
    record = scores.record
    if before is not None and before[0] == wanted:
        old = pyarrow.parquet.read_table(path)
        kept = [m not in scores.measures for m in old.column("measure").to_pylist()]
        added = pyarrow.concat_tables([old.filter(pyarrow.array(kept)), added.cast(old.schema)])
        measures = [*(m for m in before[1] if m not in measures), *measures]
        record = record._replace(measures={m: {**before[1], **record.measures}[m] for m in measures})
    about = {**wanted._asdict(), "measures": measures, "conventions": scores.conventions}
    metadata = {
        _METADATA: json.dumps(about, ensure_ascii=False, default=plain),
        PARQUET: json.dumps(record.to_dict(), ensure_ascii=False),
    }
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(added.replace_schema_metadata(metadata), buffer)
    write_files({path: buffer.getvalue()}, mark=_MARK)


def _table(run: str, scores: Scores, wanted: Provenance) -> Any:
    """The scores of a run as an Arrow table. All files have the same schema."""
    from datetime import UTC, datetime

    import pyarrow

    r = scores.runs.index(run)
    topic, measure = np.nonzero(~np.isnan(scores.values[r]))
    text = pyarrow.string()
    number = len(topic)
    return pyarrow.table(
        {
            "run": pyarrow.array([run] * number, text),
            "topic": pyarrow.array([scores.topics[t] for t in topic.tolist()], text),
            "measure": pyarrow.array([scores.measures[m] for m in measure.tolist()], text),
            "score": pyarrow.array(scores.values[r][topic, measure], pyarrow.float64()),
            "judgments_sha256": pyarrow.array([wanted.judgments] * number, text),
            "run_sha256": pyarrow.array([wanted.run] * number, text),
            "settings": pyarrow.array([wanted.settings] * number, text),
            "rankprism": pyarrow.array([wanted.version] * number, text),
            "scored_at": pyarrow.array([datetime.now(UTC)] * number, pyarrow.timestamp("us", "UTC")),
        }
    )


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Wait until no other process writes to the folder. The system ends the lock if the process is killed."""
    with open(folder / LOCK, "ab") as file:
        _lock(file.fileno())
        for left in folder.glob(f".rankprism-{_MARK}*.part"):  # by a process that was killed
            with suppress(OSError):
                left.unlink()
        yield


def _lock(number: int) -> None:
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        msvcrt.locking(number, msvcrt.LK_LOCK, 1)  # type: ignore[attr-defined]
    else:
        fcntl.flock(number, fcntl.LOCK_EX)


def _note_changed(states: Mapping[str, str]) -> None:
    changed = [name for name, state in states.items() if state == "changed"]
    if changed:
        number = f"{len(changed)} run{'s have' if len(changed) > 1 else ' has'}"
        message = f"{number} changed under the same name, and the old scores are replaced: {some(changed)}"
        issue([Note("run-changed", message, len(changed), changed[0])])


def _chunks(waiting: Mapping[str, _Waiting]) -> Iterator[tuple[tuple[Measure, ...], Sequence[str]]]:
    """Runs that lack the same measures, a few at a time."""
    groups: dict[tuple[Measure, ...], list[str]] = {}
    for name, run in waiting.items():
        groups.setdefault(run.measures, []).append(name)
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


def _version() -> str:
    from rankprism import __version__

    return str(__version__)
