"""How all charts look: colours that everybody can tell apart, also in print, and room for long names."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle, islice
from typing import Any, Final, TypeVar

import altair as alt

from rankprism.errors import InputError

#: Okabe and Ito's colours without yellow, which is too light for a line on paper.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9")
#: One dash and one shape fewer than colours: the first 42 lines differ in a pair, neighbours in both.
DASHES = ([1, 0], [7, 3], [2, 2], [9, 3, 2, 3], [14, 3], [5, 2, 1, 2, 1, 2])
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
FIRST, SECOND = COLOURS[:2]
#: Text is drawn twice, first with a white rim, which keeps it readable on a line.
RIMS: tuple[dict[str, Any], ...] = ({"stroke": "white", "strokeWidth": 3}, {})
QUIET = "#767676"
#: Dark is much, as on paper.
AMOUNTS: Final = "viridis"
DIFFERENCES: Final = "purpleorange"

AnyChart = TypeVar("AnyChart", alt.Chart, alt.LayerChart, alt.ConcatChart)


def data(rows: Iterable[Mapping[str, Any]]) -> alt.InlineData:
    """Rows as a chart takes them, without a frame and without a limit to their number."""
    values = [dict(row) for row in rows]
    if not values:
        raise InputError("there is nothing to draw: no score or level is defined")
    return alt.InlineData(values=values)


def styled(chart: AnyChart, title: str, subtitle: str = "", width: int = 90) -> AnyChart:
    """A finished chart: its title, of at most `width` characters a line, and the look of them all."""
    named: AnyChart = chart.properties(
        title=alt.TitleParams(wrapped(title, width), subtitle=wrapped(subtitle, width) if subtitle else [])
    )
    finished: AnyChart = named.configure(
        font="Helvetica, Arial, sans-serif",
        background="white",
        padding=8,
        title=alt.TitleConfig(
            anchor="start",
            frame="group",
            fontSize=14,
            subtitleFontSize=11,
            subtitleColor="#444444",
            subtitlePadding=4,
            offset=10,
        ),
        axis=alt.AxisConfig(
            labelFontSize=11,
            titleFontSize=12,
            titleFontWeight="normal",
            titlePadding=8,
            labelLimit=0,
            labelFlush=False,
            gridColor="#E4E4E4",
            domainColor=QUIET,
            tickColor=QUIET,
        ),
        legend=alt.LegendConfig(
            labelFontSize=11,
            titleFontSize=12,
            titleFontWeight="normal",
            labelLimit=0,
            symbolLimit=0,
            symbolSize=90,
        ),
        view=alt.ViewConfig(stroke=None),
    )
    return finished


def by_measure(measures: Sequence[str], *, shapes: bool = False) -> dict[str, Any]:
    """Encodings by which lines of measures differ: colour and dash, and the shape of points."""
    columns = math.ceil(len(measures) / 20)
    # Points have no dashes in the legend, which would only fray their shapes.
    legend = alt.Legend(
        title="measure",
        orient="bottom" if max(map(len, measures)) > 36 else "right",
        direction="vertical",
        columns=columns,
        symbolOpacity=1,
        symbolStrokeWidth=0 if shapes else 2,
        symbolSize=90 if shapes else 300,  # room for a dash and its gap
    )

    def scale(values: Sequence[Any]) -> alt.Scale:
        return alt.Scale(domain=list(measures), range=list(islice(cycle(values), len(measures))))

    encodings: dict[str, Any] = {
        "color": alt.Color("measure:N", scale=scale(COLOURS), legend=legend),
        "strokeDash": alt.StrokeDash("measure:N", scale=scale(DASHES), legend=None if shapes else legend),
    }
    if shapes:
        encodings["shape"] = alt.Shape("measure:N", scale=scale(SHAPES), legend=legend)
    return encodings


def wrapped(text: str, width: int) -> list[str]:
    """Lines of at most `width` characters, broken after blanks and commas and before parentheses.

    >>> wrapped("alpha_nDCG(alpha=0.25,ideal='exact')@20", 24)
    ['alpha_nDCG(alpha=0.25,', "ideal='exact')@20"]
    """
    lines = [""]
    for piece in re.findall(r"[ (]?[^ (,]*,?", text):
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece if lines[-1] else piece.lstrip()
    return lines


def counted(number: int, what: str) -> str:
    """A number of things.

    >>> counted(1, "run"), counted(2, "run")
    ('1 run', '2 runs')
    """
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def extent(runs: int, topics: int) -> str:
    """How much a chart is of.

    >>> extent(6, 20)
    '6 runs, 20 topics'
    """
    return f"{counted(runs, 'run')}, {counted(topics, 'topic')}"


def shortened(names: Sequence[str], most: int = 1) -> str:
    """Several names as one.

    >>> shortened(["a", "b", "c"])
    'a and 2 more'
    """
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")
