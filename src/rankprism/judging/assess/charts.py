"""Small charts for the organiser's pages, as SVG inside the page.

Colours come from the style sheet, so that charts follow light and dark mode. Every chart has a description in
words, and the page has its numbers in a table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup, escape

#: The size of a chart in its own units. At this width its labels have the size of the text around it.
WIDTH, HEIGHT = 340, 170
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 10, 10, 34
#: The width of a label below the axis, and of the widest bar.
_LABEL, _WIDEST = 64, 48


class Point(NamedTuple):
    """A point of a line; with an interval, if it is known."""

    x: float
    y: float
    low: float = math.nan
    high: float = math.nan


class Line(NamedTuple):
    """A line of a chart."""

    name: str
    points: Sequence[Point]


class Bar(NamedTuple):
    """A bar of a chart."""

    label: str
    value: float


def interval(low: float, middle: float, high: float, start: float, end: float) -> Markup:
    """A point with its interval, on an axis from `start` to `end` that is as wide as there is room.

    The same numbers are beside it, so it needs no description.
    """

    def at(value: float) -> str:
        share = (value - start) / (end - start) if end > start else 0.5
        return f"{3 + 94 * min(1.0, max(0.0, share)):.2f}%"

    reach = ""
    if low == low and high == high:
        reach = f'<line class="reach" x1="{at(low)}" x2="{at(high)}" y1="10" y2="10"/>'
    return Markup(
        '<svg class="strip" width="100%" height="20" aria-hidden="true" focusable="false">'
        f'{reach}<circle class="middle" cx="{at(middle)}" cy="10" r="4"/></svg>'
    )


def lines(name: str, described: str, found: Sequence[Line], x: str, y: tuple[float, float]) -> Markup:
    """A chart with a line for each series, over an axis with the title `x` that begins at 0."""
    most = max((point.x for line in found for point in line.points), default=0.0)
    low, high = y
    across, up = _Axis(0, most or 1.0, _LEFT, WIDTH - _RIGHT), _Axis(low, high, HEIGHT - _BOTTOM, _TOP)
    parts = [*_axes(low, high, up), *_x_axis(most or 1.0, across, x)]
    for number, line in enumerate(found):
        known = [point for point in line.points if point.low == point.low and point.high == point.high]
        if len(known) > 1:
            edge = [(p.x, p.high) for p in known] + [(p.x, p.low) for p in reversed(known)]
            shape = " ".join(f"{across(px):.1f},{up(min(high, max(low, py))):.1f}" for px, py in edge)
            parts.append(f'<polygon class="band series-{number % 6}" points="{shape}"/>')
    for number, line in enumerate(found):
        at = [(across(p.x), up(min(high, max(low, p.y)))) for p in line.points if p.y == p.y]
        path = " ".join(f"{px:.1f},{py:.1f}" for px, py in at)
        parts.append(f'<polyline class="line series-{number % 6}" points="{path}"/>')
        parts += [
            f'<circle class="dot series-{number % 6}" cx="{px:.1f}" cy="{py:.1f}" r="3"/>' for px, py in at
        ]
    return _svg(name, described, parts)


def bars(name: str, described: str, found: Sequence[Bar]) -> Markup:
    """A chart with a bar for each value. As many labels are written as there is room for."""
    high = _ceiling(max((bar.value for bar in found), default=1.0))
    up = _Axis(0, high, HEIGHT - _BOTTOM, _TOP)
    step = (WIDTH - _LEFT - _RIGHT) / max(1, len(found))
    parts = _axes(0, high, up)
    every = math.ceil(len(found) * _LABEL / (WIDTH - _LEFT - _RIGHT))
    for number, bar in enumerate(found):
        start = _LEFT + number * step
        top = up(bar.value)
        wide = min(0.8 * step, _WIDEST)
        parts.append(
            f'<rect class="bar" x="{start + (step - wide) / 2:.1f}" y="{top:.1f}" width="{wide:.1f}" '
            f'height="{HEIGHT - _BOTTOM - top:.1f}"/>'
        )
        if number % every == 0:
            middle = start + 0.5 * step
            at = min(max(middle, _LEFT), WIDTH - _LABEL / 2)  # the last label stays inside
            parts.append(_text(at, HEIGHT - _BOTTOM + 16, bar.label, "middle"))
    return _svg(name, described, parts)


def _ceiling(value: float) -> float:
    """The next round number, for the end of an axis.

    >>> [_ceiling(x) for x in (0.0, 0.7, 7, 13, 88, 420)]
    [1.0, 1.0, 10.0, 20.0, 100.0, 500.0]
    """
    if value <= 0:
        return 1.0
    size = 10.0 ** math.floor(math.log10(value))
    return next(size * step for step in (1, 2, 5, 10) if value <= size * step)


class _Axis(NamedTuple):
    """A linear map from values to places in a chart."""

    first: float
    last: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        share = (value - self.first) / (self.last - self.first) if self.last != self.first else 0.5
        return self.start + share * (self.end - self.start)


def _axes(low: float, high: float, up: _Axis) -> list[str]:
    parts = []
    for value in (low, (low + high) / 2, high):
        at = up(value)
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>')
        parts.append(_text(_LEFT - 6, at + 4, f"{value:g}", "end"))
    return parts


def _x_axis(most: float, across: _Axis, title: str) -> list[str]:
    ends = [
        _text(across(value), HEIGHT - _BOTTOM + 14, f"{value:.0f}", anchor)
        for value, anchor in ((0.0, "start"), (most, "end"))
    ]
    return [*ends, _text((_LEFT + WIDTH - _RIGHT) / 2, HEIGHT - 6, title, "middle")]


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def _svg(name: str, described: str, parts: Sequence[str]) -> Markup:
    return Markup(
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(name)}: '
        f'{escape(described)}">{"".join(parts)}</svg>'
    )
