"""The look of all charts: colours that everybody can distinguish, also in print, and room for long names.

Lines differ in colour and dash, and points also in shape, so that a chart can be read in black and white.
The colours are Okabe and Ito's, without yellow, which people with any kind of colour vision can
distinguish. A legend lists the lines in the order in which they appear in the chart. If the ends of the
lines are far enough apart, the names are at the ends instead.

Amounts are shown by colours from pale grey to dark blue. A zero is pale, and a large amount is dark. In
the diagram of labels, the best class is the darkest. Values below 0 are orange. A cell without a score
has a cross.

With very many runs or measures there is no room for every name and number. The picture then leaves some
of them out, and the HTML file still shows them under the mouse pointer. A long name is cut in the middle,
where names seldom differ. A chart has at most about 2,500 pixels unless you ask for more: beyond 342
runs, `plot intervals` and `leaderboard --plot` show the best, a heat map has at most 400 runs and topics,
and `plot differences` shows the largest gains and losses of 1,600 topics or more. The line below the
title says what is left out.

PNG and PDF files use the fonts of the machine that draws them. Names in Chinese, for example, need a
Chinese font there. SVG and HTML files use the fonts of the machine that shows them.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle, islice, pairwise
from typing import TYPE_CHECKING, Any, Final, TypeVar

from rankprism.errors import InputError, listed
from rankprism.showing.plots.fitting import caveat, whole_width
from rankprism.showing.plots.record import alt
from rankprism.text import shortened

#: Okabe and Ito's colours without yellow, which is too light for a line on paper.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9")
#: There is one dash pattern and one shape fewer than colours, so the first 42 lines differ in colour or dash,
#: and neighbours differ in both.
DASHES = ([1, 0], [7, 3], [2, 2], [9, 3, 2, 3], [14, 3], [5, 2, 1, 2, 1, 2])
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
FIRST, SECOND = COLOURS[:2]
#: Text is drawn twice, first with a white outline, so that it can be read on a line.
RIMS: tuple[dict[str, Any], ...] = ({"stroke": "white", "strokeWidth": 3}, {})
QUIET = "#767676"
#: Colours of amounts, from pale grey for zero, so that zeros do not dominate, to dark blue for the largest.
#: The lightness falls evenly, so that the order is visible without colours, too.
AMOUNTS: Final = ("#F1F1F1", "#C6DBEF", "#8CBBDD", "#4A90C2", "#1F63A5", "#0C3C78", "#051B40")
#: Colours from the most negative to the most positive value: orange below zero, `AMOUNTS` above it.
DIFFERENCES: Final = ("#3D1B03", "#7F3B08", "#B35806", "#DD8530", "#F3B567", "#FADDB0", *AMOUNTS)
#: The average width in pixels of a letter in the title, the subtitle and a label.
TITLE_LETTER, LETTER = 7.4, 5.6
#: The width of a letter in a label that has many capitals and digits.
WIDE_LETTER = 6.4
#: Pixels around the picture.
PADDING = 8
#: The largest width of a label in pixels, and its largest share of a picture whose width is given. A longer
#: label is cut in the middle, and the tooltip shows all of it.
LONGEST, SHARE = 300, 0.36
#: The largest height of all rows of a chart together, and the smallest height of one, in pixels.
TALLEST, LOWEST = 2400, 7
#: Legends of narrower pictures are at the bottom.
NARROW = 480

if TYPE_CHECKING:
    from rankprism.results import Scores

    AnyChart = TypeVar("AnyChart", alt.Chart, alt.LayerChart, alt.ConcatChart)


def data(rows: Iterable[Mapping[str, Any]]) -> alt.InlineData:
    """Make the data of a chart from any number of rows, without a data frame."""
    values = [dict(row) for row in rows]
    if not values:
        raise InputError("there is nothing to draw: no score or level is defined")
    return alt.InlineData(values=values)


def styled(
    chart: AnyChart, width: float, own: str, subtitle: str = "", *, title: str | None = None
) -> AnyChart:
    """Finish a chart with a title and the look of all charts.

    width : width of the lines of the title in pixels.
    own, title : the default title, and a title that replaces it; "" also removes the subtitle.
    """
    title = own if title is None else title
    whole = whole_width()
    width = max(width, 300) if whole is None else whole - 2 * PADDING
    # What is wrong with the scores is said even in a chart without a title.
    said = (subtitle if title else "", caveat.get())
    lines = [line for text in said if text for line in wrapped(text, int(width / LETTER))]
    named: AnyChart = chart
    if title or lines:
        named = chart.properties(
            title=alt.TitleParams(wrapped(title, int(width / TITLE_LETTER)), subtitle=lines)
        )
    finished: AnyChart = named.configure(
        # All but the last have about the same width, from which the places of texts are computed.
        font="Helvetica, Arial, Liberation Sans, DejaVu Sans Condensed, sans-serif",
        background="white",
        padding=PADDING,
        title=alt.TitleConfig(
            anchor="start",
            # In a picture of a given width, a title may begin above the labels.
            frame="group" if whole is None else "bounds",
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
            labelLimit=longest(),
            labelFlush=False,
            maxExtent=longest() + 40,  # otherwise the title would overlap the longest labels
            gridColor="#E4E4E4",
            domainColor=QUIET,
            tickColor=QUIET,
        ),
        legend=alt.LegendConfig(
            labelFontSize=11,
            titleFontSize=12,
            titleFontWeight="normal",
            labelLimit=longest(),
            symbolLimit=0,
            symbolSize=90,
        ),
        view=alt.ViewConfig(stroke=None),
    )
    return finished


def look(names: Sequence[str], *, legend: alt.Legend | None = None, shapes: bool = False) -> dict[str, Any]:
    """Encodings that distinguish the lines of measures: colour, dash, and the shape of points."""

    def scale(values: Sequence[Any]) -> alt.Scale:
        return alt.Scale(domain=list(names), range=list(islice(cycle(values), len(names))))

    encodings: dict[str, Any] = {
        "color": alt.Color("measure:N", scale=scale(COLOURS), legend=legend),
        # Points in a legend have no dashes, which would blur their shapes.
        "strokeDash": alt.StrokeDash("measure:N", scale=scale(DASHES), legend=None if shapes else legend),
    }
    if shapes:
        encodings["shape"] = alt.Shape("measure:N", scale=scale(SHAPES), legend=legend)
    return encodings


def line_legend(names: Sequence[str], title: str, *, shapes: bool = False) -> alt.Legend:
    """A legend of lines or of their points, which is at the bottom if names are long or room is scarce."""
    below = max(map(len, names)) > 36 or is_narrow()
    return alt.Legend(
        title=title,
        orient="bottom" if below else "right",
        direction="vertical",
        **in_full(names),
        columns=math.ceil(len(names) / 24),
        offset=10 if below else 62,  # room for the name of a level
        symbolOpacity=1,
        symbolStrokeWidth=0 if shapes else 2,
        symbolSize=90 if shapes else 500,  # room for a dash and its gap
    )


def spread(places: Sequence[float], gap: float, end: float) -> list[float]:
    """Move places to be at least `gap` apart, in the same order, between 0 and `end`, and close by.

    >>> spread([50, 52, 10, 99], 10, 100)
    [50, 60, 10, 99]
    >>> spread([98, 99, 97], 10, 100)
    [90, 100, 80]
    """
    order = sorted(range(len(places)), key=lambda i: places[i])
    out = list(places)
    for before, i in pairwise(order):
        out[i] = max(out[i], out[before] + gap)
    limit = end
    for i in reversed(order):
        out[i] = min(out[i], limit)
        limit = out[i] - gap
    return out


def ramp(count: int) -> list[str]:
    """Return `count` colours from the second lightest of AMOUNTS to the darkest.

    >>> ramp(2)
    ['#c6dbef', '#051b40']
    """
    stops = [[int(colour[k : k + 2], 16) for k in (1, 3, 5)] for colour in AMOUNTS[1:]]
    out = []
    for i in range(count):
        place = (len(stops) - 1) * (i / (count - 1) if count > 1 else 1.0)
        low = min(int(place), len(stops) - 2)
        mixed = (a + (place - low) * (b - a) for a, b in zip(stops[low], stops[low + 1], strict=True))
        out.append("#" + "".join(f"{round(x):02x}" for x in mixed))
    return out


def ink(colour: str) -> str:
    """Return white if its contrast with a colour is at least 4 (by WCAG's relative luminance), else black.

    >>> ink("#F1F1F1"), ink("#051B40")
    ('black', 'white')
    """
    shares = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
    linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    luminance = sum(w * s for w, s in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    return "white" if 1.05 / (luminance + 0.05) >= 4 else "black"


def short(name: str, most: int = 40) -> str:
    """Cut a long name in the middle, because names often differ at their ends.

    >>> short("a-run-with-a-very-long-name", 12)
    'a-run-…-name'
    """
    return shortened([name], most)[0]


def longest() -> float:
    """The largest width of a label in pixels."""
    whole = whole_width()
    return LONGEST if whole is None else min(LONGEST, SHARE * whole)


def most_letters(most: int = 60) -> int:
    """The number of letters that fit into a label, at most `most`."""
    return min(most, int(longest() / WIDE_LETTER))


def is_narrow() -> bool:
    """Whether the picture should be so narrow that a legend beside it would take too much of its width."""
    whole = whole_width()
    return whole is not None and whole < NARROW


def in_full(names: Sequence[str]) -> dict[str, Any]:
    """Settings of an axis or a legend by which long names are cut in the middle, so that they still differ.

    >>> in_full(["a", "b"])
    {}
    """
    cut = shortened(names, most_letters())
    changed = {name: short for name, short in zip(names, cut, strict=True) if name != short}
    if not changed:
        return {}
    before, after = json.dumps(list(changed)), json.dumps(list(changed.values()))
    found = f"indexof({before}, datum.value)"
    return {"labelExpr": f"{found} < 0 ? datum.label : {after}[{found}]"}


def rows_that_fit(rows: int, lines: int = 1) -> tuple[float, int]:
    """The height of a row, and the number of rows to show, if there are `lines` panels above each other.

    >>> rows_that_fit(6), rows_that_fit(63), rows_that_fit(1000)
    ((18, 6), (13, 63), (7, 342))
    """
    own = 18 if rows <= 30 else 13
    step = max(LOWEST, min(own, TALLEST / (lines * rows)))
    return step, min(rows, max(10, int(TALLEST / (lines * step))))


def of_all(shown: int, every: int, what: str) -> str:
    """A note for the subtitle if something is not shown.

    >>> of_all(10, 10, "runs"), of_all(342, 1000, "runs")
    ('', '; the first 342 of 1,000 runs')
    """
    return "" if shown == every else f"; the first {shown:,} of {every:,} {what}"


def letters(text: str) -> float:
    """The length of a text in letters. An East Asian character counts as 1.8."""
    return sum(1.8 if ord(c) > 0x2E80 else 1.0 for c in text)


def wrapped(text: str, width: int) -> list[str]:
    """Break a text after blanks and commas and before parentheses, into lines of at most `width` characters.

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
    """A number with its noun, in the singular or plural.

    >>> counted(1, "run"), counted(2, "run")
    ('1 run', '2 runs')
    """
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def extent(runs: int, topics: int) -> str:
    """The number of runs and topics in a chart, in words.

    >>> extent(6, 20)
    '6 runs, 20 topics'
    """
    return f"{counted(runs, 'run')}, {counted(topics, 'topic')}"


def joined(names: Sequence[str], most: int = 1) -> str:
    """Several names joined.

    >>> joined(["a", "b", "c"])
    'a and 2 more'
    """
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")


def row_labels(step: float, names: Sequence[str] = ()) -> dict[str, Any]:
    """Settings for labels of rows or columns that are `step` pixels apart. Some are left out if too close.

    names : the labels, of which long ones are cut in the middle.
    """
    font = max(6.0, min(11.0, step - 1))
    return {"labelFontSize": font, "labelOverlap": step < LOWEST and "parity", **in_full(names)}


def only_measure(scores: Scores, measure: str | None) -> str:
    """The named measure, or the only one."""
    if measure is not None:
        return measure
    if len(scores.measures) != 1:
        raise InputError(
            f"name one measure with -m (in Python, measure=); there are {listed(scores.measures)}"
        )
    return scores.measures[0]
