"""One file of a folder of scores: its scores, what they were computed from, and the notes on its run."""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from rankprism.data import Note
from rankprism.errors import InputError, MeasureError
from rankprism.measures import Measure, parse
from rankprism.results import DEFAULTS, Record, Scores
from rankprism.results.record import ABOUT, PARQUET
from rankprism.results.table import plain
from rankprism.text.checksum import BLANK, KEY, checksummed, is_intact

LOCK = ".rankprism.lock"
#: Marks unfinished files of the folder. Those of others, such as -o, are not removed.
MARK = "scores-"
#: What may be wrong with a file: it is not as it was written, it lacks a record or a checksum, or it is not a
#: file of a folder of scores.
DAMAGED, OLDER, FOREIGN = "damaged", "older layout", "foreign"
#: The conventions that have a value for each run.
_BY_RUN = ("topics missing from a run", "topics of a run without judgments")
_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Found(NamedTuple):
    """What a file says about its scores."""

    path: Path
    fault: str = ""  #: `DAMAGED`, `OLDER`, `FOREIGN`, or "" if its scores can be used
    run: str = ""
    run_sha256: str = ""
    #: of a file of an older layout, only the names of the measures are known, and of a damaged one, perhaps
    #: their definitions
    record: Record = Record()
    #: when scores were last added, in ISO format
    scored_at: str = ""
    #: the judgments and settings whose scores were replaced, by their digest, and when that was
    replaced: Mapping[str, str] = _NOTHING
    conventions: Mapping[str, Any] = _NOTHING

    @property
    def notes(self) -> list[Note]:
        """The notes on this run."""
        return [Note.of(record) for record in self.conventions.get("notes", ())]


def file_name(run: str) -> str:
    """The name of the file of a run. Its end keeps names apart that differ in letters that files cannot have.

    >>> file_name("bm25")
    'bm25-635d603dcb71.parquet'
    >>> file_name("../a b")
    'a_b-2c2c791a0618.parquet'
    """
    readable = re.sub(r"[^A-Za-z0-9.-]+", "_", run)[:80].strip("._-") or "run"
    return f"{readable}-{hashlib.sha256(run.encode()).hexdigest()[:12]}.parquet"


def found_in(path: Path) -> Found | None:
    """What a file says about its scores, after a check of its checksum; None if there is no file."""
    import pyarrow
    import pyarrow.parquet

    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"{path}: cannot be opened ({error.strerror})") from None
    intact = is_intact(data)
    if intact is False or not any(data):  # a power failure may leave nothing, or zeros
        return Found(path, DAMAGED, record=Record(measures=_measures_in(data)))
    try:
        metadata = pyarrow.parquet.read_schema(pyarrow.BufferReader(data)).metadata or {}
    except (ValueError, OSError, KeyError):
        is_parquet = data.startswith(b"PAR1") or data.endswith(b"PAR1")
        return Found(path, DAMAGED if is_parquet and ABOUT in data and not intact else FOREIGN)
    try:
        about = json.loads(metadata[ABOUT])
        if not intact or PARQUET not in metadata:
            columns = ["run", "scored_at"]
            table = pyarrow.parquet.read_table(pyarrow.BufferReader(data), columns=columns)
            run = table.column("run")[0].as_py() if len(table) else ""
            times = [time.isoformat() for time in table.column("scored_at").to_pylist()]
            known = Record(measures=dict.fromkeys(about["measures"], ""), version=about.get("version", ""))
            return Found(path, OLDER, run, record=known, scored_at=max(times, default=""))
        record = Record.from_dict(json.loads(metadata[PARQUET]), str(path))
        return Found(
            path,
            "",
            about["run"],
            about["run_sha256"],
            record,
            about["scored_at"],
            about["replaced"],
            about["conventions"],
        )
    except (KeyError, TypeError, ValueError, OSError):
        return Found(path, FOREIGN if intact else DAMAGED)


def _measures_in(data: bytes) -> Mapping[str, str]:
    """The measures of a damaged file and their definitions, if these can still be read."""
    import pyarrow
    import pyarrow.parquet

    try:
        metadata = pyarrow.parquet.read_schema(pyarrow.BufferReader(data)).metadata
        return Record.from_dict(json.loads(metadata[PARQUET]), "").measures
    except (InputError, ValueError, OSError, KeyError, TypeError):
        return {}


def contents(
    run: str,
    run_sha256: str,
    scores: Scores,
    judged: Sequence[str],
    notes: Sequence[Note],
    before: Found | None,
    kept: frozenset[str],
    replaced: Mapping[str, str],
) -> bytes:
    """The file of a run with its new scores, and with those of other measures that it has already.

    judged : the SHA-256 of the judgments behind each measure.
    before, kept : the file as it is, and the measures whose scores are to stay.
    """
    import pyarrow
    import pyarrow.parquet

    assert scores.record is not None  # because they have just been computed
    depths = {name: depth for name, depth in scores.record.depths.items() if name == run}
    record = scores.record._replace(mixed=(), depths=depths)
    conventions = _of_run(scores.conventions, run)
    now = datetime.now(UTC)
    table = _table(run, run_sha256, scores, judged, now)
    if before is not None and kept:
        old = pyarrow.parquet.read_table(before.path)
        stays = pyarrow.array([measure in kept for measure in old.column("measure").to_pylist()])
        table = pyarrow.concat_tables([old.filter(stays), table.cast(old.schema)])
        measures = {name: text for name, text in before.record.measures.items() if name in kept}
        record = record._replace(
            data={**before.record.data, **record.data}, measures={**measures, **record.measures}
        )
        conventions = _both(before.conventions, conventions)
    about = {
        "run": run,
        "run_sha256": run_sha256,
        "measures": list(record.measures),
        "scored_at": now.isoformat(),
        "replaced": dict(replaced),
        "conventions": {**conventions, "notes": [note.record() for note in notes]},
    }
    metadata = {
        ABOUT: json.dumps(about, ensure_ascii=False, default=plain),
        PARQUET: json.dumps(record.to_dict(), ensure_ascii=False),
        KEY: BLANK,
    }
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(table.replace_schema_metadata(metadata), buffer)
    return b"".join(checksummed([buffer.getvalue()]))


def _both(before: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """The conventions of scores that are put together. What is said of each measure is joined."""
    return {**before, **new} | {
        name: _both(before[name], value)
        for name, value in new.items()
        if isinstance(value, Mapping) and isinstance(before.get(name), Mapping)
    }


def _of_run(conventions: Mapping[str, Any], run: str) -> dict[str, Any]:
    """The conventions without what they say about the other runs that were scored at the same time."""
    return {
        name: {r: n for r, n in value.items() if r == run} if name in _BY_RUN else value
        for name, value in conventions.items()
        if name != "mixed"
    }


def _table(run: str, run_sha256: str, scores: Scores, judged: Sequence[str], now: datetime) -> Any:
    """The scores of a run as an Arrow table. All files have the same schema."""
    import pyarrow

    assert scores.record is not None
    r = scores.runs.index(run)
    topic, measure = np.nonzero(~np.isnan(scores.values[r]))
    text, number = pyarrow.string(), len(topic)
    settings = json.dumps({**DEFAULTS, **scores.record.settings}, sort_keys=True)
    return pyarrow.table(
        {
            "run": pyarrow.array([run] * number, text),
            "topic": pyarrow.array([scores.topics[t] for t in topic.tolist()], text),
            "measure": pyarrow.array([scores.measures[m] for m in measure.tolist()], text),
            "score": pyarrow.array(scores.values[r][topic, measure], pyarrow.float64()),
            "judgments_sha256": pyarrow.array([judged[m] for m in measure.tolist()], text),
            "run_sha256": pyarrow.array([run_sha256] * number, text),
            "settings": pyarrow.array([settings] * number, text),
            "rankprism": pyarrow.array([scores.record.written_by] * number, text),
            "scored_at": pyarrow.array([now] * number, pyarrow.timestamp("us", "UTC")),
        }
    )


def measure_named(name: str) -> Measure | None:
    """The measure of a column; None if it is a user's own and not known here."""
    try:
        return parse(name)
    except MeasureError:
        return None


def kinds_of(name: str) -> tuple[str, ...]:
    """The kinds of data in a record on which a measure depends."""
    measure = measure_named(name)
    preferred = measure is not None and measure.needs == "preferences"
    return ("preferences",) if preferred else ("judgments", "aspects")


def data_sha256(record: Record, kinds: tuple[str, ...]) -> str:
    """The SHA-256 of the judgments or preferences behind scores: of what they say, in any file format."""
    data = {kind: dict(record.data[kind]) for kind in kinds if kind in record.data}
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Wait until no other process writes to the folder. The system ends the lock if the process is killed."""
    with open(folder / LOCK, "ab") as file:
        _lock(file.fileno())
        for left in folder.glob(f".rankprism-{MARK}*.part"):  # by a process that was killed
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
