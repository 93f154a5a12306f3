"""The time that each assessor has for a study."""

from __future__ import annotations

from datetime import UTC, datetime

import sqlalchemy as sa

from rankprism.judging.assess import store
from rankprism.judging.assess.settings import Settings


def seconds_left(connection: sa.Connection, settings: Settings, assessor: int) -> float | None:
    """The seconds until an assessor gets no more questions; negative afterwards, None without a limit."""
    if settings.minutes is None:
        return None
    column = store.assessor.c.consented
    begun = connection.scalar(sa.select(column).where(store.assessor.c.id == assessor))
    if begun is None:
        return None
    passed = (datetime.now(UTC) - datetime.fromisoformat(begun)).total_seconds()
    # The clock may have been set back since, which must not prolong the time.
    return settings.minutes * 60 - abs(passed)


def is_over(connection: sa.Connection, settings: Settings, assessor: int) -> bool:
    left = seconds_left(connection, settings, assessor)
    return left is not None and left <= 0
