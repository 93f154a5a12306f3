"""Makes a picture as large as is asked.

A chart knows the size of its plotting area. How much room labels, legends and titles take is known only once
it has been drawn. So it is drawn, measured, and drawn again with another plotting area, until it fits.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextvars import ContextVar
from importlib.util import find_spec
from typing import Any, TypeVar

from rankprism.errors import InputError, RankprismError
from rankprism.showing.plots.engine import MISSING
from rankprism.showing.plots.output import drawn

#: The smallest width and height of a plotting area in pixels.
SMALLEST = (40.0, 20.0)
#: What labels and titles may take at first, to the sides, and above and below.
_ROOM = (130, 110)
#: Pixels that may be left over. The edge of the picture takes them.
_REST = 4
#: Most charts need two or three.
_TRIES = 6

Drawn = TypeVar("Drawn")
_whole: ContextVar[int | None] = ContextVar("whole", default=None)
#: What a reader must know about the scores in the chart that is being drawn.
caveat: ContextVar[str] = ContextVar("caveat", default="")


def whole_width() -> int | None:
    """The width that the picture should have, if one was asked for. Names and titles are cut to suit it."""
    return _whole.get()


def fitted(draw: Callable[[Any, Any], Drawn], width: int | None, height: int | None) -> Drawn:
    """Draw a picture that has this width and height in pixels, where they are not None.

    draw : draws the chart with a plotting area of some width and height.
    """
    if width is None and height is None:
        return draw(None, None)
    if not find_spec("vl_convert"):
        raise RankprismError(MISSING)
    before = _whole.set(width)
    try:
        return _fitted(draw, (width, height))
    finally:
        _whole.reset(before)


def _fitted(draw: Callable[[Any, Any], Drawn], asked: tuple[int | None, int | None]) -> Drawn:
    sides = [side for side in (0, 1) if asked[side] is not None]
    inner: list[float | None] = [None, None]
    for side in sides:
        inner[side] = max(SMALLEST[side], (asked[side] or 0) - _ROOM[side])
    growth = [1.0, 1.0]  # of the picture with its plotting area
    best: tuple[Drawn, list[float]] | None = None  # the largest that is not too large
    last: tuple[list[float | None], tuple[float, float]] | None = None
    for _ in range(_TRIES):
        chart = draw(*inner)
        got = measured(chart)
        off: list[float] = [(asked[side] or 0) - got[side] if side in sides else 0 for side in (0, 1)]
        if all(abs(more) <= _REST for more in off):
            return _padded(chart, off) if any(off) else chart
        if min(off) >= 0 and (best is None or sum(off) < sum(best[1])):
            best = chart, off
        following = list(inner)
        for side in sides:
            now = inner[side] or 0.0
            if last is not None and abs(now - (last[0][side] or 0.0)) >= 1:
                slope = (got[side] - last[1][side]) / (now - (last[0][side] or 0.0))
                growth[side] = min(2.0, max(0.4, slope))
            following[side] = max(SMALLEST[side], now + off[side] / growth[side])
        if following == inner:
            break
        last, inner = (inner, got), following
    # A title that is wrapped in another way, or another tick, may make the size jump over the one asked for.
    if best is not None and all(best[1][side] <= 0.1 * (asked[side] or 0) for side in sides):
        return _padded(*best)
    side = max(sides, key=lambda side: abs(off[side]))
    name = ("width", "height")[side]
    raise InputError(
        f"the chart does not fit into a {name} of {asked[side]} pixels; it has {got[side]:.0f}. Ask for a "
        f"larger {name}, or show fewer runs, topics or measures"
    )


def _padded(chart: Drawn, off: list[float]) -> Drawn:
    """The same chart with a few pixels more or less at its right and lower edge."""
    config: Any = getattr(chart, "config")  # noqa: B009 (a chart may be of any class)
    own = config.padding
    config.padding = {"left": own, "top": own, "right": own + off[0], "bottom": own + off[1]}
    return chart


def measured(chart: Any) -> tuple[float, float]:
    """The width and height of a picture in pixels."""
    found = re.search(r'<svg[^>]* width="([\d.]+)" height="([\d.]+)"', drawn(chart, "svg").decode())
    assert found is not None
    return float(found[1]), float(found[2])
