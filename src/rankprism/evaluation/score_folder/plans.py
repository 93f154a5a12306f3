"""What has to be scored again: the difference between what a file holds and what is wanted."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rankprism.evaluation.score_folder.files import Found, data_sha256, kinds_of, measure_named
from rankprism.measures import Measure, definition_of
from rankprism.results import Record
from rankprism.results.record import differences

NEW, UNCHANGED = "new", "unchanged"
CHANGED, JUDGMENTS, SETTINGS = "changed", "judgments changed", "other settings"
VERSION, REDEFINED, MORE = "other version", "measure redefined", "more measures"


class Wanted(NamedTuple):
    """What the scores of a run are to be computed from."""

    record: Record
    measures: Sequence[Measure]
    run_sha256: str


class Plan(NamedTuple):
    """What to do about one run."""

    state: str
    #: the measures to score: those that are wanted, and others whose scores would otherwise be lost
    lacking: tuple[Measure, ...] = ()
    #: the measures whose scores in the file may stay
    kept: frozenset[str] = frozenset()
    #: the measures whose scores are lost, because they are out of date and cannot be computed here
    lost: tuple[str, ...] = ()
    #: why the scores must not be computed into this folder
    refused: str = ""


def plan(found: Found | None, wanted: Wanted) -> Plan:
    """Compare a file with what is wanted."""
    names = list(map(str, wanted.measures))
    if found is None:
        return Plan(NEW, tuple(wanted.measures))
    stored = found.record.measures
    kinds = tuple(
        kind
        for kind, topics in wanted.record.data.items()
        if dict(topics) != dict(found.record.data.get(kind, topics))
    )
    unusable = bool(found.fault)
    reasons = {
        found.fault: unusable,
        CHANGED: not unusable and found.run_sha256 != wanted.run_sha256,
        JUDGMENTS: bool(kinds),
        SETTINGS: not unusable and dict(found.record.settings) != dict(wanted.record.settings),
        VERSION: not unusable and found.record.written_by != wanted.record.written_by,
    }
    every = any(is_so for reason, is_so in reasons.items() if reason != JUDGMENTS)
    outdated = {name for name in stored if every or set(kinds).intersection(kinds_of(name))}
    refused = ""
    if reasons[JUDGMENTS] or reasons[SETTINGS]:
        refused = _refused(found, wanted, [name for name in stored if name in outdated - set(names)])
    redefined = {
        name
        for name, measure in zip(names, wanted.measures, strict=True)
        if name in stored and not unusable and stored[name] != definition_of(measure)
    }
    outdated |= redefined
    asked = [
        m for m, name in zip(wanted.measures, names, strict=True) if name in outdated or name not in stored
    ]
    others = {name: _again(name, stored[name], wanted) for name in stored if name in outdated - set(names)}
    lacking = (*asked, *(measure for measure in others.values() if measure is not None))
    lost = tuple(name for name, measure in others.items() if measure is None)
    found_reasons = [reason for reason, is_so in reasons.items() if is_so]
    state = (*found_reasons, REDEFINED if redefined else MORE if lacking else UNCHANGED)[0]
    return Plan(state, lacking, frozenset(set(stored) - outdated), lost, refused)


def _again(name: str, definition: str, wanted: Wanted) -> Measure | None:
    """A measure that was not asked for, if its scores can be computed here as they were before."""
    measure = measure_named(name)
    if measure is None or not set(kinds_of(name)).intersection(wanted.record.data):
        return None
    return measure if definition in ("", definition_of(measure)) else None


def _refused(found: Found, wanted: Wanted, others: list[str]) -> str:
    """Why scores must not be replaced by those of other judgments or settings."""
    before = {
        digest: found.replaced[digest] for digest in conditions(wanted.record) if digest in found.replaced
    }
    if others:
        what = "; ".join(
            one.message
            for one in differences({found.path.name: found.record, "this command": wanted.record})
            if not one.what.startswith("definition")
        )
        named = " ".join(f"-m {name}" for name in others)
        return (
            f"has scores by {', '.join(others)}, which belong to other judgments or settings "
            f"({what or 'the topics differ'}) and would be lost. Add {named} to score them again, or score "
            f"into another folder"
        )
    if before:
        return (
            f"had scores by these judgments and settings, which others replaced on "
            f"{max(before.values())[:10]}. Two jobs that score into one folder with different judgments or "
            f"settings undo each other, so give each a folder of its own. To return to these for good, move "
            f"the folder away first"
        )
    return ""


def conditions(record: Record) -> list[str]:
    """A digest of each kind of data with the settings. Scores of other conditions replace those of these."""
    settings = repr(sorted(record.settings.items()))
    return [
        hashlib.sha256(f"{kind} {data_sha256(record, (kind,))} {settings}".encode()).hexdigest()[:16]
        for kind in record.data
    ]


def replaced(found: Found | None, record: Record, now: str) -> Mapping[str, str]:
    """The conditions whose scores have been replaced in a file, once it has scores with this record."""
    if found is None or (found.record.data == record.data and found.record.settings == record.settings):
        return {} if found is None else found.replaced
    new = set(conditions(record))
    kinds = {kind for kind in record.data if kind in found.record.data}
    old = conditions(found.record._replace(data={k: v for k, v in found.record.data.items() if k in kinds}))
    return {**found.replaced, **{digest: now for digest in old if digest not in new}}
