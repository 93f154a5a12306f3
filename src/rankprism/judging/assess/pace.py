"""How fast a study goes: the number of answers, and the time that they take, in equal spans of time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from statistics import median
from typing import NamedTuple

#: Largest number of spans.
MOST = 24
#: The lengths that a span may have, in seconds, with their names and how a span of that length is labelled.
_SPANS = (
    (60, "minute", "%H:%M"),
    (600, "ten minutes", "%H:%M"),
    (3600, "hour", "%d %b %Hh"),
    (6 * 3600, "six hours", "%d %b %Hh"),
    (86400, "day", "%d %b"),
    (7 * 86400, "week", "%d %b"),
    (28 * 86400, "four weeks", "%d %b"),
    (364 * 86400, "year", "%Y"),
)


class Span(NamedTuple):
    """A span of time."""

    label: str  #: when it begins, UTC
    answers: int
    seconds: float | None  #: the median time of an answer


class Pace(NamedTuple):
    """The spans from the first answer to the last."""

    unit: str
    spans: tuple[Span, ...]


def pace(answers: Sequence[tuple[str, float | None]]) -> Pace:
    """Count answers, each with its time in ISO format and the seconds that it took, in equal spans.

    >>> found = pace([("2026-03-01T09:00:10+00:00", 30.0), ("2026-03-01T09:02:00+00:00", 50.0)])
    >>> found.unit, [(span.label, span.answers) for span in found.spans]
    ('minute', [('09:00', 1), ('09:01', 0), ('09:02', 1)])
    """
    times = [(when, seconds) for text, seconds in answers if (when := _seconds(text)) is not None]
    if not times:
        return Pace("minute", ())
    first, last = min(when for when, _ in times), max(when for when, _ in times)
    length, unit, form = next(
        (span for span in _SPANS if last // span[0] - first // span[0] < MOST), _SPANS[-1]
    )
    start = int(first // length)
    counted: list[list[float | None]] = [[] for _ in range(int(last // length) - start + 1)]
    for when, seconds in times:
        counted[int(when // length) - start].append(seconds)
    return Pace(unit, tuple(_span(start + i, length, form, found) for i, found in enumerate(counted)))


def _span(number: int, length: int, form: str, found: Sequence[float | None]) -> Span:
    known = [seconds for seconds in found if seconds is not None]
    label = datetime.fromtimestamp(number * length, UTC).strftime(form)
    return Span(label, len(found), median(known) if known else None)


def _seconds(text: str) -> float | None:
    """The seconds since 1970 of a time. Imported judgments may have anything there."""
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
