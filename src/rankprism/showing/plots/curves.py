"""Charts with a line for each measure: significance levels of pairs, power by topics, swap rates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from rankprism.measures import shown_name
from rankprism.showing.plots.record import Frame, alt, chart
from rankprism.showing.plots.theme import (
    QUIET,
    counted,
    data,
    line_legend,
    look,
    most_letters,
    spread,
    styled,
    wrapped,
)
from rankprism.text import shortened

if TYPE_CHECKING:
    from rankprism.data import Floats
    from rankprism.meta import DiscriminativePower, Stability, SwapRates

WIDTH, HEIGHT = 460, 300
#: Largest number of points on a line. More would hide the line.
FEW = 60
#: Largest number of bands. More would hide each other.
BANDS = 4
#: Pixels from one name at the end of a line to the next, and from the plotting area to the names.
GAP, AWAY = 13, 22


@chart("meta power")
def asl_curves(
    power: DiscriminativePower, *, highest: float | None = None, **frame: Unpack[Frame]
) -> alt.LayerChart:
    """ASL curves (Sakai 2006): the pairs of runs from the largest significance level to the smallest.

    A pair below the line at alpha is significant. The closer a curve is to the origin, the more pairs are
    significant by this measure. The legend lists the measures in this order.

    Parameters
    ----------
    highest
        The largest level that is shown. Default: twice alpha. Pairs that are above it by every measure are
        left out.
    """
    width, height = frame["width"] or WIDTH, frame["height"] or HEIGHT
    highest = 2 * power.alpha if highest is None else highest
    curves = power.curves
    pairs = curves.shape[1]
    if not (curves <= highest).any():
        highest = 1.0
    start = int(np.argmax((curves <= highest).any(0)))
    best_first = np.lexsort((curves.sum(1), -(curves < power.alpha).sum(1)))
    names = [shown_name(power.measures[m]) for m in best_first]
    rows = [
        {"measure": name, "pair": i + 1, "asl": float(curves[m, i])}
        for name, m in zip(names, best_first, strict=True)
        for i in _corners(curves[m], highest)
    ]
    points = pairs - start <= FEW
    margin = 0.5 if points else 0.0  # no point is cut off
    lines = (
        alt.Chart(data(rows))
        .mark_line(clip=True, strokeWidth=1.8, point={"size": 35} if points else False)
        .encode(
            x=alt.X(
                "pair:Q",
                title=wrapped("Pairs of runs, from the largest level to the smallest", int(width // 6)),
                scale=alt.Scale(domain=[start + 1 - margin, pairs + margin], nice=False),
                axis=alt.Axis(tickMinStep=1, tickCount=8, format="d", grid=False),
            ),
            y=alt.Y(
                "asl:Q",
                title=wrapped("Achieved significance level (ASL)", int(height // 6)),
                scale=alt.Scale(domain=[0, highest]),
            ),
            tooltip=["measure:N", "pair:Q", alt.Tooltip("asl:Q", format=".4f")],
            **look(names, legend=line_legend(names, "Measure, by its power", shapes=points), shapes=points),
        )
        .properties(width=width, height=height)
    )
    shown = f"pairs {start + 1} to {pairs} of {pairs}" if start else counted(pairs, "pair")
    from rankprism.meta import METHODS

    return styled(
        alt.LayerChart(layer=[lines, *_level(power.alpha, f"α = {power.alpha:g}")]),
        width,
        "Discriminative power: ASL curves",
        f"{METHODS[power.method].words}; {len(power.runs)} runs, {shown}",
        title=frame["title"],
    )


def _corners(curve: Floats, highest: float) -> Iterator[int]:
    """The points that a falling line needs: those in view and the one before, but not inside a level part."""
    shown = np.flatnonzero(curve <= highest)
    if not len(shown):
        return
    first, last = max(int(shown[0]) - 1, 0), int(shown[-1])
    for i in range(first, last + 1):
        if i in (first, last) or not curve[i - 1] == curve[i] == curve[i + 1]:
            yield i


@chart("meta stability")
def power_growth(stability: Stability, **frame: Unpack[Frame]) -> alt.LayerChart:
    """Discriminative power by the number of topics: the mean over random sets of topics.

    If there are at most four measures, a band shows the range over the sets.
    """
    width = frame["width"] or WIDTH
    columns = stability.rows.columns
    fields = ("measure", "topics", "power", "least", "most")
    rows = [dict(zip(fields, row, strict=True)) for row in zip(*(columns[n] for n in fields), strict=True)]
    rows = [row | {"measure": shown_name(row["measure"])} for row in rows]
    names = [shown_name(measure) for measure in stability.measures]
    high = max(row["most"] for row in rows)
    domain = [0.0, float(high) * 1.04 or 1.0]
    height = frame["height"] or max(HEIGHT, GAP * len(names))
    x = alt.X(
        "topics:Q",
        title="Topics",
        scale=alt.Scale(zero=False, nice=False, padding=8),
        axis=alt.Axis(tickMinStep=1, tickCount=8, format="d", grid=False),
    )
    y: dict[str, Any] = {
        "title": wrapped("Share of pairs of runs that differ significantly", int(height // 6)),
        "scale": alt.Scale(domain=domain, nice=False),
    }
    encodings = look(names, shapes=True)
    base = alt.Chart(data(rows)).properties(width=width, height=height)
    layers: list[Any] = []
    samples = stability.power.shape[2]
    bands = samples > 1 and len(names) <= BANDS
    if bands:
        band = base.mark_area(opacity=0.12)
        layers.append(band.encode(x=x, y=alt.Y("least:Q", **y), y2="most:Q", color=encodings["color"]))
    layers.append(
        base.mark_line(strokeWidth=1.8, point={"size": 45}).encode(
            x=x,
            y=alt.Y("power:Q", **y),
            tooltip=["measure:N", "topics:Q", *(alt.Tooltip(f"{n}:Q", format=".4f") for n in fields[2:])],
            **encodings,
        )
    )
    last = {row["measure"]: row for row in rows}  # the last row of each measure has the most topics
    layers += _names([last[name] for name in names], ("topics", "power"), domain, (width, height), encodings)
    shown = "mean, least and most" if bands else "mean"
    return styled(
        alt.LayerChart(layer=layers),
        width,
        "Discriminative power by the number of topics",
        f"{shown} over {samples} random sets of topics" if samples > 1 else "one set of topics",
        title=frame["title"],
    )


@chart("meta swap")
def swap_curves(swap_rates: SwapRates, **frame: Unpack[Frame]) -> alt.LayerChart:
    """Swap rates by the size of the difference (Voorhees and Buckley 2002), and the highest accepted rate."""
    width = frame["width"] or WIDTH
    # The legend lists the measures from the highest to the lowest swap rate over all differences.
    overall = swap_rates.swaps.sum(1) / np.maximum(swap_rates.count.sum(1), 1)
    names = [shown_name(swap_rates.measures[m]) for m in np.argsort(-overall, kind="stable")]
    rows = [
        {
            "measure": shown_name(measure),
            "difference": float(edge),
            "rate": float(rate),
            "swaps": int(swaps),
            "comparisons": int(count),
        }
        for measure, rates, all_swaps, counts in zip(
            swap_rates.measures, swap_rates.rates, swap_rates.swaps, swap_rates.count, strict=True
        )
        for edge, rate, swaps, count in zip(swap_rates.edges, rates, all_swaps, counts, strict=True)
        if count
    ]
    about = swap_rates.about
    bins = f"bins of {about['bin_width']:g}"
    lines = (
        alt.Chart(data(rows))
        .mark_line(strokeWidth=1.8, point={"size": 45})
        .encode(
            x=alt.X(
                "difference:Q",
                title=wrapped(
                    f"Difference between two runs ({bins}; the last has all above)", int(width // 6)
                ),
                scale=alt.Scale(nice=False, padding=8),
                axis=alt.Axis(grid=False),
            ),
            y=alt.Y("rate:Q", title="Swap rate", axis=alt.Axis(tickCount=6)),
            tooltip=[
                "measure:N",
                alt.Tooltip("difference:Q", format=".4~f"),
                alt.Tooltip("rate:Q", format=".4f"),
                "swaps:Q",
                "comparisons:Q",
            ],
            **look(names, legend=line_legend(names, "Measure, by its swap rate", shapes=True), shapes=True),
        )
        .properties(width=width, height=frame["height"] or HEIGHT)
    )
    return styled(
        alt.LayerChart(layer=[lines, *_level(swap_rates.error, f"{100 * swap_rates.error:g} %")]),
        width,
        "Swap rates: differences that other topics reverse",
        f"{about['trials']} times two sets of {counted(about['size'], 'topic')}",
        title=frame["title"],
    )


def _names(
    ends: Sequence[dict[str, Any]],
    fields: tuple[str, str],
    domain: Sequence[float],
    size: tuple[int, int],
    encodings: dict[str, Any],
) -> list[Any]:
    """Write the names of lines to the right of the plotting area, each joined to the end of its line.

    A legend would make the reader distinguish the colours and dashes of, say, twenty lines.
    """
    x, y = fields
    width, height = size
    low, high = domain
    wanted = [height * (high - end[y]) / (high - low) for end in ends]
    short = shortened([end["measure"] for end in ends], most_letters())
    rows = [
        {"measure": end["measure"], "name": name, x: end[x], y: end[y]}
        | {"place": high - place / height * (high - low)}
        for end, name, place in zip(ends, short, spread(wanted, GAP, height), strict=True)
    ]
    base = alt.Chart(data(rows))
    away = alt.value(width + AWAY)
    lines = base.mark_rule(strokeWidth=1, opacity=0.6).encode(
        x=f"{x}:Q", x2=away, y=f"{y}:Q", y2="place:Q", color=encodings["color"]
    )
    names = base.mark_text(align="left", dx=4, fontSize=11)
    return [lines, names.encode(x=away, y="place:Q", text="name:N")]


def _level(value: float, label: str) -> list[Any]:
    """A horizontal line at a level, with its name to the right, where there is no curve."""
    base = alt.Chart(alt.InlineData(values=[{"level": value, "label": label}])).encode(y="level:Q")
    name = base.mark_text(color="#444444", fontSize=11, align="left", dx=4)
    return [
        base.mark_rule(color=QUIET, strokeDash=[4, 3]),
        name.encode(x=alt.value("width"), text="label:N"),
    ]
