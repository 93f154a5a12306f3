"""`check_score_folder`: find files of a folder of scores that are damaged or out of date, and move them."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rankprism.errors import InputError
from rankprism.evaluation.score_folder.files import FOREIGN, Found, file_name, found_in, locked
from rankprism.formats import on_disk, run_sources
from rankprism.results import Record, Result, Table
from rankprism.results.record import differences
from rankprism.types import Path as PathLike
from rankprism.types import RunsLike

CURRENT, RENAMED, RETIRED, FEWER, REDEFINED = (
    "current",
    "another file name",
    "retired",
    "fewer topics",
    "measure redefined",
)


@dataclass(frozen=True, eq=False, repr=False)
class FolderCheck(Result):
    """What `check_score_folder` found in each file."""

    folder: str
    runs: tuple[str, ...]
    #: "current", "damaged", "older layout", "other judgments", "other settings", "fewer topics",
    #: "measure redefined", "another file name", "retired", or "foreign" if the file is not of the folder
    states: tuple[str, ...]
    measures: tuple[tuple[str, ...], ...]  #: of each file
    scored_at: tuple[str, ...]
    files: tuple[str, ...]  #: the names of the files in the folder
    #: where the files that are not current were moved to; None if they were not moved
    moved_to: str | None = None
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def stale(self) -> tuple[str, ...]:
        """The names of the files of the folder that are damaged or out of date."""
        return tuple(
            name
            for name, state in zip(self.files, self.states, strict=True)
            if state not in (CURRENT, FOREIGN)
        )

    @property
    def is_sound(self) -> bool:
        """Whether all files that are still in the folder may be read together."""
        return not self.stale or self.moved_to is not None

    @property
    def rows(self) -> Table:
        """One row for each file."""
        return Table(
            {
                "run": list(self.runs),
                "state": list(self.states),
                "measures": [" ".join(names) for names in self.measures],
                "scored at": list(self.scored_at),
                "file": list(self.files),
            }
        )

    @property
    def summary(self) -> Table:
        """The same without times and the files' names."""
        rows = self.rows.columns
        return Table({name: rows[name] for name in ("run", "state", "measures")})

    @property
    def note(self) -> str:
        states = Counter(self.states)
        if not self.stale:
            return f"Intact, and belonging together: {states[CURRENT]} of {len(self.files)} files."
        if self.moved_to is not None:
            return f"{len(self.stale)} of {len(self.files)} files were moved to {self.moved_to}."
        return (
            f"{len(self.stale)} of {len(self.files)} files are out of date or damaged. Add --prune to move "
            f"them to {_beside(Path(self.folder))}."
        )


def check_score_folder(folder: PathLike, runs: RunsLike | None = None, *, prune: bool = False) -> FolderCheck:
    """Check the files of a folder that `evaluate_into` has made, and find those that are out of date.

    A file is out of date if its scores do not belong together with the newest ones: they were computed from
    other judgments or fewer topics, with other settings, or by another definition of a measure.

    Parameters
    ----------
    folder
        The folder of scores.
    runs
        The runs that are still in use, as for `rankprism.evaluate`. Scores of other runs are out of date,
        too. Default: all runs are in use.
    prune
        Move the files that are damaged or out of date to a folder beside this one, whose name ends in
        "-stale". The next `evaluate_into` then scores their runs again.

    Examples
    --------
    >>> import tempfile
    >>> from rankprism import evaluate_into
    >>> folder = tempfile.mkdtemp()
    >>> done = evaluate_into(folder, {"q": {"a": 1}}, {"bm25": {"q": ["a"]}}, "P@1")
    >>> check_score_folder(folder).states
    ('current',)
    """
    place = Path(folder)
    if not place.is_dir():
        raise InputError(f"{place}: is not a folder; name one that evaluate --into has made")
    in_use = None if runs is None else set(run_sources(runs))
    with locked(place) if prune else nullcontext():
        found = [one for one in map(found_in, sorted(place.glob("*.parquet"))) if one is not None]
        if all(one.fault == FOREIGN for one in found):
            raise InputError(f"{place}: has no scores; name a folder that evaluate --into has made")
        newest = _newest(found)
        states = [_state(one, newest, in_use) for one in found]
        stale = [
            one.path for one, state in zip(found, states, strict=True) if state not in (CURRENT, FOREIGN)
        ]
        target = _moved(stale, place) if prune and stale else None
    return FolderCheck(
        str(place),
        tuple(one.run or one.path.stem for one in found),
        tuple(states),
        tuple(tuple(one.record.measures) for one in found),
        tuple(one.scored_at for one in found),
        tuple(one.path.name for one in found),
        None if target is None else str(target),
        {"folder": str(place), "moved to": None if target is None else str(target)},
    )


def _newest(found: Sequence[Found]) -> Record:
    """The record of the scores that were added last. The newest definition of each measure counts."""
    usable = sorted((one for one in found if not one.fault), key=lambda one: one.scored_at)
    if not usable:
        return Record()
    measures = {name: text for one in usable for name, text in one.record.measures.items()}
    data = {kind: topics for one in usable for kind, topics in one.record.data.items()}
    return usable[-1].record._replace(measures=measures, data=data)


def _state(found: Found, newest: Record, in_use: set[str] | None) -> str:
    if found.fault:
        return found.fault
    if found.path.name != file_name(found.run):
        return RENAMED
    if in_use is not None and found.run not in in_use:
        return RETIRED
    return out_of_date(found.record, newest) or CURRENT


def out_of_date(record: Record, newest: Record) -> str:
    """Why scores should not be analysed together with those of the newest record; "" if they may be.

    Scores of some of the newest topics and no others are from before topics were added.
    """
    what = [one.what for one in differences({"these": record, "newest": newest})]
    if what:
        kinds = {
            "judgments": "other judgments",
            "aspects": "other weights",
            "preferences": "other preferences",
        }
        return kinds.get(what[0], REDEFINED if what[0].startswith("definition") else "other settings")
    fewer = any(set(topics) < set(newest.data.get(kind, ())) for kind, topics in record.data.items())
    return FEWER if fewer else ""


def _beside(place: Path) -> Path:
    where = place.resolve()
    return (
        where.with_name(f"{where.name}-stale")
        if place.name in ("", "..")
        else place.with_name(f"{place.name}-stale")
    )


def _moved(paths: Sequence[Path], place: Path) -> Path:
    """Move files to the folder beside theirs. A file that is there already keeps its name."""
    target = _beside(place)
    try:
        target.mkdir(exist_ok=True)
        for path in paths:
            new, number = target / path.name, 1
            while new.exists():
                number += 1
                new = target / f"{path.stem}.{number}{path.suffix}"
            shutil.move(path, new)
        on_disk(target)
        on_disk(place)
    except OSError as error:
        raise InputError(f"{target}: files cannot be moved there ({error.strerror or error})") from None
    return target
