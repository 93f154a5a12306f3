"""Curves, one line a measure: significance levels of pairs, power by topics, swap rates by difference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt
import numpy as np

from rankprism.data.hits import Floats
from rankprism.meta.discriminative_power import DiscriminativePower
from rankprism.meta.power_growth import Stability
from rankprism.meta.swap_method import SwapRates
from rankprism.plots.theme import QUIET, RIMS, by_measure, counted, data, styled

WIDTH, HEIGHT = 460, 300
#: Points beyond this number only hide their line.
FEW = 60


def asl_curves(power: DiscriminativePower, *, highest: float | None = None) -> alt.LayerChart:
    """ASL curves (Sakai 2006): the pairs of runs from the largest significance level to the smallest.

    The closer to the origin a curve comes down, the more pairs the measure tells apart: all that lie below
    the line at alpha.

    highest : the largest level shown; twice alpha without it. The pairs that no measure brings below it are
        left out.
    """
    highest = 2 * power.alpha if highest is None else highest
    curves = power.curves
    pairs = curves.shape[1]
    if not (curves <= highest).any():
        highest = 1.0
    start = int(np.argmax((curves <= highest).any(0)))
    rows = [
        {"measure": measure, "pair": i + 1, "asl": float(curve[i])}
        for measure, curve in zip(power.measures, curves, strict=True)
        for i in _corners(curve, highest)
    ]
    points = pairs - start <= FEW
    margin = 0.5 if points else 0.0  # no point is cut in two
    lines = (
        alt.Chart(data(rows))
        .mark_line(clip=True, strokeWidth=1.8, point={"size": 35} if points else False)
        .encode(
            x=alt.X(
                "pair:Q",
                title="pairs of runs, from the largest level to the smallest",
                scale=alt.Scale(domain=[start + 1 - margin, pairs + margin], nice=False),
                axis=alt.Axis(tickMinStep=1, tickCount=8, format="d", grid=False),
            ),
            y=alt.Y("asl:Q", title="achieved significance level (ASL)", scale=alt.Scale(domain=[0, highest])),
            tooltip=["measure:N", "pair:Q", alt.Tooltip("asl:Q", format=".4f")],
            **by_measure(power.measures, shapes=points),
        )
        .properties(width=WIDTH, height=HEIGHT)
    )
    shown = f"pairs {start + 1} to {pairs} of {pairs}" if start else counted(pairs, "pair")
    how = {"bootstrap": "paired bootstrap", "tukey": "randomised Tukey HSD", "t": "paired t-test, Holm"}
    return styled(
        alt.LayerChart(layer=[lines, *_level(power.alpha, f"α = {power.alpha:g}")]),
        "Discriminative power: ASL curves",
        f"{how.get(power.method, power.method)}; {len(power.runs)} runs, {shown}",
    )


def _corners(curve: Floats, highest: float) -> Iterator[int]:
    """The points that a falling line needs: what is in view and one more, without those between equals."""
    shown = np.flatnonzero(curve <= highest)
    if not len(shown):
        return
    first, last = max(int(shown[0]) - 1, 0), int(shown[-1])
    for i in range(first, last + 1):
        if i in (first, last) or not curve[i - 1] == curve[i] == curve[i + 1]:
            yield i


def power_growth(stability: Stability) -> alt.LayerChart:
    """Discriminative power by the number of topics: the mean over sets of topics, least to most as a band."""
    columns = stability.rows.columns
    names = ("measure", "topics", "power", "least", "most")
    rows = [dict(zip(names, row, strict=True)) for row in zip(*(columns[n] for n in names), strict=True)]
    x = alt.X(
        "topics:Q",
        title="topics",
        scale=alt.Scale(zero=False, nice=False, padding=8),
        axis=alt.Axis(tickMinStep=1, tickCount=8, format="d", grid=False),
    )
    y_title = "share of pairs of runs that differ significantly"
    encodings = by_measure(stability.measures, shapes=True)
    base = alt.Chart(data(rows)).properties(width=WIDTH, height=HEIGHT)
    band = base.mark_area(opacity=0.12).encode(
        x=x, y=alt.Y("least:Q", title=y_title), y2="most:Q", color=encodings["color"]
    )
    line = base.mark_line(strokeWidth=1.8, point={"size": 45}).encode(
        x=x,
        y=alt.Y("power:Q", title=y_title),
        tooltip=["measure:N", "topics:Q", *(alt.Tooltip(f"{n}:Q", format=".4f") for n in names[2:])],
        **encodings,
    )
    samples = stability.power.shape[2]
    return styled(
        alt.LayerChart(layer=[band, line]),
        "Discriminative power by the number of topics",
        f"mean, least and most over {samples} random sets of topics" if samples > 1 else "one set of topics",
    )


def swap_curves(swap_rates: SwapRates) -> alt.LayerChart:
    """Swap rates by the size of the difference (Voorhees and Buckley 2002), with the rate to stay under."""
    rows = [
        {
            "measure": measure,
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
    lines = (
        alt.Chart(data(rows))
        .mark_line(strokeWidth=1.8, point={"size": 45})
        .encode(
            x=alt.X(
                "difference:Q",
                title=f"difference of two runs (from; bins of {about['width']:g}, the last with all above)",
                axis=alt.Axis(grid=False),
            ),
            y=alt.Y("rate:Q", title="swap rate", axis=alt.Axis(tickCount=6)),
            tooltip=[
                "measure:N",
                alt.Tooltip("difference:Q", format=".4~f"),
                alt.Tooltip("rate:Q", format=".4f"),
                "swaps:Q",
                "comparisons:Q",
            ],
            **by_measure(swap_rates.measures, shapes=True),
        )
        .properties(width=WIDTH, height=HEIGHT)
    )
    return styled(
        alt.LayerChart(layer=[lines, *_level(swap_rates.error, f"{100 * swap_rates.error:g} %")]),
        "How often other topics reverse a difference",
        f"{about['trials']} times two sets of {counted(about['size'], 'topic')}",
    )


def _level(value: float, label: str) -> Sequence[Any]:
    """A horizontal line at a level, with its name at the right end."""
    base = alt.Chart(alt.InlineData(values=[{"level": value, "label": label}])).encode(y="level:Q")
    rule = base.mark_rule(color=QUIET, strokeDash=[4, 3])
    text: dict[str, Any] = {"align": "right", "baseline": "bottom", "dx": -2, "dy": -3, "fontSize": 11}
    labels = [
        base.mark_text(color="#444444", **text, **rim).encode(x=alt.value("width"), text="label:N")
        for rim in RIMS
    ]
    return rule, *labels
