"""The state of a study: its address, its instructions, who judges which topics, and whether it goes on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import sqlalchemy as sa

from rankprism.errors import InputError, listed
from rankprism.judging.assess import store
from rankprism.judging.assess.insertion import ids
from rankprism.judging.assess.settings import Settings, read_settings
from rankprism.judging.assess.store import Store

#: What assessors are told until they have opened the new instructions.
NEW_INSTRUCTIONS = "The organiser has changed the instructions. Please open them below and read them again."


@dataclass(frozen=True)
class Study:
    """The settings and state of a study."""

    settings: Settings
    secret: str
    stopped: str | None
    created: str
    provenance: Mapping[str, Any]
    address: str | None  #: where it was last served


def load(connection: sa.Connection) -> Study:
    """Load the study, or say which part of it is damaged."""
    study = store.study
    # JSON is read here and not by SQLAlchemy, so that an error can name the column.
    written = [sa.cast(study.c[name], sa.Text).label(name) for name in ("settings", "provenance")]
    others = [study.c[name] for name in ("secret", "stopped", "created", "address")]
    row = connection.execute(sa.select(*written, *others)).first()
    try:
        if row is None:
            raise InputError("its row is missing")
        settings = read_settings(_object("settings", row.settings))
        provenance = _object("provenance", row.provenance)
    except InputError as error:
        raise InputError(
            f"{store.name_of(connection)}: the table study is damaged: {error}; restore a backup "
            f"(rankprism assess restore)"
        ) from None
    return Study(settings, row.secret, row.stopped, row.created, provenance, row.address)


def _object(name: str, text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise InputError(f"its column {name} is not JSON ({error})") from None
    if not isinstance(found, dict):
        raise InputError(f"its column {name} must be a JSON object; got {text[:40]}")
    return found


def begin(open_study: Store, connection: sa.Connection, settings: Settings, address: str) -> None:
    """Record the address at which the study is now served.

    The machine's clock may have been set back since the study was last served. Then the clock of the leases
    continues from the moment of the latest lease, so that none ends too early or too late.
    """
    place = store.place
    latest = connection.scalar(sa.select(sa.func.max(place.c.expires)).where(place.c.done.is_(False)))
    if latest is not None:
        open_study.clock.catch_up(latest - settings.lease)
    connection.execute(sa.update(store.study).values(address=address))


def stop(open_study: Store, why: str | None) -> None:
    """Stop giving out tasks, for a reason; or go on if the reason is None."""
    with open_study.writing() as connection:
        connection.execute(sa.update(store.study).values(stopped=why))


def edit_instructions(open_study: Store, text: str) -> int:
    """Give all assessors new instructions, and return their version. The same text changes nothing."""
    table = store.instructions
    if not text.strip():
        raise InputError("instructions need some text; write what assessors should do")
    with open_study.writing() as connection:
        settings = load(connection).settings
        version = int(connection.scalar(sa.select(sa.func.max(table.c.version))) or 0)
        if text == settings.instructions:
            return version
        row = {"version": version + 1, "text": text, "since": store.now()}
        connection.execute(sa.insert(table), [row])
        changed = replace(settings, instructions=text)
        connection.execute(sa.update(store.study).values(settings=asdict(changed)))
        return version + 1


def has_read_instructions(open_study: Store, assessor: int) -> None:
    """Record that an assessor has seen the present instructions."""
    latest = sa.select(sa.func.max(store.instructions.c.version)).scalar_subquery()
    with open_study.writing() as connection:
        connection.execute(
            sa.update(store.assessor).where(store.assessor.c.id == assessor).values(instructions=latest)
        )


def assign(open_study: Store, lines: str) -> int:
    """Assign topics to assessors, and return how many topics somebody has.

    lines : lines such as "12: ann, ben". A topic without names, or without a line, is for everybody.
    """
    table = store.assigned
    with open_study.writing() as connection:
        topics, people = ids(connection, store.topic), ids(connection, store.assessor)
        rows: dict[tuple[int, int], None] = {}
        for number, line in enumerate(lines.splitlines(), 1):
            if not line.strip():
                continue
            topic, _, names = line.rpartition(":")
            if topic.strip() and topic.strip() not in topics:
                raise InputError(f"line {number}: the study has no topic {topic.strip()[:60]!r}")
            if not topic.strip():
                raise InputError(
                    f"line {number}: {line.strip()[:60]!r} does not begin with a topic and a colon; write "
                    f"lines such as {f'{next(iter(topics))}: ann, ben'!r}"
                )
            for name in filter(None, map(str.strip, names.split(","))):
                if name not in people:
                    raise InputError(
                        f"line {number}: there is no assessor {name!r}, only {listed(people)}; make a link "
                        f"for them first"
                    )
                rows[topics[topic.strip()], people[name]] = None
        connection.execute(sa.delete(table))
        if rows:
            made = [{"topic": topic, "assessor": who} for topic, who in rows]
            connection.execute(sa.insert(table), made)
    return len({topic for topic, _ in rows})


#: Whether an assessor has seen the present instructions.
HAS_READ = (
    sa.select(
        sa.func.coalesce(store.assessor.c.instructions, 0)
        >= sa.func.coalesce(sa.select(sa.func.max(store.instructions.c.version)).scalar_subquery(), 0)
    )
    .where(store.assessor.c.id == sa.bindparam("assessor"))
    .scalar_subquery()
)
