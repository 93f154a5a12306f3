"""I-rec against a D-measure, with lines of equal D#."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from rankprism.errors import InputError, RankprismWarning, listed
from rankprism.formats import read_scores
from rankprism.measures import shown_name
from rankprism.showing.plots.record import Frame, alt, chart
from rankprism.showing.plots.theme import FIRST, RIMS, data, letters, most_letters, styled, wrapped
from rankprism.text import shortened
from rankprism.types import MeasureName, ScoresLike

if TYPE_CHECKING:
    from rankprism.data import Floats

SIDE = 420
FONT = 10


@chart("plot irec", "-m StRecall@10 -m D_nDCG@10")
def irec(
    scores: ScoresLike,
    irec: MeasureName | None = None,
    d: MeasureName | None = None,
    gamma: float = 0.5,
    **frame: Unpack[Frame],
) -> alt.LayerChart:
    """I-rec against a D-measure for each run. Lines join points of equal D# (Sakai and Song 2011).

    D# = γ I-rec + (1 - γ) D

    If runs lack topics, means are over those that all runs have.

    Runs on one line are equal by D#. Those to the right cover more intents, and those to the left retrieve
    documents that are more relevant.

    Parameters
    ----------
    scores
        What `evaluate` returns, or whatever `read_scores` takes.
    irec, d
        Two of its measures, e.g. "StRecall@10" and "D_nDCG@10". Default: the two measures of the scores, in
        this order.
    gamma
        The weight of I-rec in D#.
    """
    if not 0 <= gamma <= 1:
        raise InputError(f"gamma must be a number between 0 and 1; got {gamma!r}")
    found = read_scores(scores)
    if irec is None or d is None:
        if len(found.measures) != 2:
            raise InputError(
                "name I-rec and a D-measure, in this order, e.g. -m StRecall@10 -m D_nDCG@10; "
                f"there are {listed(found.measures)}"
            )
        irec, d = found.measures
    found = found.select(measures=[irec, d])
    scored = [run for run, own in zip(found.runs, found.values, strict=True) if not np.isnan(own).all()]
    number = len(found.topics)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankprismWarning)  # the subtitle says so
        found = found.select(runs=scored).complete()  # because means over different topics do not compare
    irec, d = map(shown_name, found.measures)
    size = frame["width"] or SIDE, frame["height"] or SIDE
    means = found.means
    x, y = means.T
    sharp = gamma * x + (1 - gamma) * y
    rows: list[dict[str, Any]] = [
        {"run": run, "irec": float(x[r]), "d": float(y[r]), "dsharp": float(sharp[r])}
        for r, run in enumerate(found.runs)
    ]
    points = data(rows)
    across, up = _domain(x), _domain(y)
    contours = _contours(gamma, across, up)
    labels = _labels([row["run"] for row in rows], x, y, sharp, across, up, contours, size)
    axis = alt.Axis(grid=False, tickCount=7)
    scales: dict[str, Any] = {
        "x": alt.X(
            "irec:Q",
            title=wrapped(f"I-rec: {irec}", int(size[0] // 6)),
            scale=alt.Scale(domain=across, nice=False),
            axis=axis,
        ),
        "y": alt.Y(
            "d:Q",
            title=wrapped(f"D: {d}", int(size[1] // 6)),
            scale=alt.Scale(domain=up, nice=False),
            axis=axis,
        ),
    }
    layers: list[alt.Chart] = []
    if contours:
        lines = alt.Chart(alt.InlineData(values=contours))
        layers.append(
            lines.mark_rule(color="#B4B4B4", strokeDash=[3, 3]).encode(x2="irec2:Q", y2="d2:Q", **scales)
        )
        ends: dict[str, Any] = {"x": alt.X("irec2:Q"), "y": alt.Y("d2:Q"), "text": "label:N"}
        text: dict[str, Any] = {"align": "right", "baseline": "bottom", "dx": 0, "dy": -1, "fontSize": FONT}
        for rim in RIMS:
            layers.append(lines.mark_text(color="#555555", **text, **rim).encode(**ends))
    dots = alt.Chart(points).mark_point(filled=True, color=FIRST, opacity=1, size=45)
    layers.append(
        dots.encode(
            tooltip=[
                "run:N",
                alt.Tooltip("dsharp:Q", title="D#", format=".4f"),
                alt.Tooltip("irec:Q", title=irec, format=".4f"),
                alt.Tooltip("d:Q", title=d, format=".4f"),
            ],
            **scales,
        )
    )
    for align, dx, dy in _PLACES:
        chosen = [row for row in labels if row["place"] == [dx, dy]]
        if chosen:
            named = alt.Chart(alt.InlineData(values=chosen))
            names: dict[str, Any] = {
                "align": align,
                "baseline": "middle",
                "dx": dx,
                "dy": dy,
                "fontSize": FONT,
            }
            for rim in RIMS:
                layers.append(named.mark_text(**names, **rim).encode(text="name:N", **scales))
    unnamed = len(rows) - len(labels)
    return styled(
        alt.LayerChart(layer=layers).properties(width=size[0], height=size[1]),
        size[0],
        "Coverage of intents and relevance",
        f"dashed: D# = {gamma:g} I-rec + {1 - gamma:g} D, the same along a line"
        + (
            f"; over {len(found.topics)} of {number} topics, which all runs have"
            if len(found.topics) < number
            else ""
        )
        + (f"; {unnamed} of {len(rows)} runs have no room for their name" if unnamed else ""),
        title=frame["title"],
    )


def _domain(values: Floats) -> list[float]:
    """A range that is a little larger than that of the values and never empty."""
    low, high = float(values.min()), float(values.max())
    room = 0.08 * (high - low) or 0.05
    return [low - room if low < 0 else max(0.0, low - room), high + room]


def _contours(gamma: float, across: Sequence[float], up: Sequence[float]) -> list[dict[str, Any]]:
    """The part of each line γ x + (1-γ) y = c inside the frame, for some eight round values c."""
    (x0, x1), (y0, y1) = across, up
    low, high = gamma * x0 + (1 - gamma) * y0, gamma * x1 + (1 - gamma) * y1
    rough = (high - low) / 8
    size = 10 ** np.floor(np.log10(rough))
    step = size * next(k for k in (1, 2, 5, 10) if 1.5 * k * size >= rough)
    out = []
    for c in step * np.arange(np.ceil(low / step) + 0.0, np.floor(high / step) + 1):
        if gamma > 1 - 1e-9:
            ends = (c, y1), (c, y0)
        elif gamma < 1e-9:
            ends = (x0, c), (x1, c)
        else:
            left = max(x0, (c - (1 - gamma) * y1) / gamma)
            right = min(x1, (c - (1 - gamma) * y0) / gamma)
            ends = (left, (c - gamma * left) / (1 - gamma)), (right, (c - gamma * right) / (1 - gamma))
        (a, b), (e, f) = ((float(p), float(q)) for p, q in ends)
        if abs(e - a) / (x1 - x0) + abs(f - b) / (y1 - y0) < 0.2:
            continue  # a corner only
        label = f"{c:.{max(0, -int(np.floor(np.log10(step) + 1e-9)))}f}".replace("-0.0", "0.0")
        out.append({"irec": a, "d": b, "irec2": e, "d2": f, "dsharp": float(c), "label": label})
    return out


#: Possible places of a name: alignment, pixels to the right and downwards. The first one is the best.
_PLACES = (
    ("left", 7, 0),
    ("right", -7, 0),
    ("center", 0, -10),
    ("center", 0, 11),
    ("left", 4, -10),
    ("left", 4, 11),
    ("right", -4, -10),
    ("right", -4, 11),
)


def _labels(
    names: Sequence[str],
    x: Floats,
    y: Floats,
    worth: Floats,
    across: Sequence[float],
    up: Sequence[float],
    contours: Sequence[dict[str, Any]],
    size: tuple[int, int],
) -> list[dict[str, Any]]:
    """Places at which names hide no point, no other name and no value of a line, the best runs first.

    A name without such a place is left out. The HTML file shows it under the mouse pointer.
    """

    def to_pixels(x: Any, y: Any) -> tuple[Any, Any]:
        wide, high = size
        return (x - across[0]) / (across[1] - across[0]) * wide, (up[1] - y) / (up[1] - up[0]) * high

    px, py = to_pixels(x, y)
    taken = [(a - 4, b - 4, a + 4, b + 4) for a, b in zip(px, py, strict=True)]
    for line in contours:
        a, b = to_pixels(line["irec2"], line["d2"])
        taken.append((a - 4 * FONT * 0.58, b - FONT, a, b))
    out = []
    short = shortened(names, most_letters(40))
    for i in np.argsort(-worth, kind="stable"):
        name = short[i]
        width = 0.58 * FONT * letters(name)
        for align, dx, dy in _PLACES:
            left = px[i] + dx - {"left": 0.0, "right": width, "center": width / 2}[align]
            top = py[i] + dy - FONT / 2
            box = (left, top, left + width, top + FONT)
            inside = box[0] >= 0 and box[1] >= 0 and box[3] <= size[1]  # right of the frame there is room
            if inside and not any(_overlap(box, other) for k, other in enumerate(taken) if k != i):
                taken.append(box)
                out.append(
                    {"run": names[i], "name": name, "irec": float(x[i]), "d": float(y[i]), "place": [dx, dy]}
                )
                break
    return out


def _overlap(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
