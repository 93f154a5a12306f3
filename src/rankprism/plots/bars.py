"""Bars: the unanimity of measures, the difference of two runs on each topic."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np

from rankprism.errors import InputError
from rankprism.formats.scores import read_scores
from rankprism.meta.metric_unanimity import Unanimity
from rankprism.plots.theme import FIRST, QUIET, SECOND, counted, data, extent, shortened, styled, wrapped


def unanimity_bars(unanimity: Unanimity) -> alt.LayerChart:
    """The Metric Unanimity of each measure, the most unanimous on top; also of `unanimity.grouped()`."""
    rows: list[dict[str, Any]] = []
    for i in unanimity.order:
        mu = float(unanimity.mu[i])
        defined = not np.isnan(mu)
        rows.append(
            {
                "measure": unanimity.measures[i],
                "label": shortened(unanimity.measures[i].split(", ")),
                "mu": mu if defined else None,
                "end": max(mu, 0.0) if defined else 0.0,
                "printed": f"{mu:.4f}" if defined else "not defined",
            }
        )
    base = (
        alt.Chart(data(rows))
        .encode(
            y=alt.Y(
                "label:N",
                title=None,
                sort=None,
                axis=alt.Axis(ticks=False, domain=False, labelPadding=6),
            ),
            tooltip=["measure:N", alt.Tooltip("printed:N", title="MU")],
        )
        .properties(width=340, height=alt.Step(20))
    )
    # The number stands right of the bar, and right of 0 where the bar goes left.
    bars = base.mark_bar(color=FIRST, size=13).encode(
        x=alt.X("mu:Q", title="Metric Unanimity (bits; 1 at most)", axis=alt.Axis(tickCount=6, grid=False))
    )
    numbers = base.mark_text(align="left", dx=4, fontSize=11).encode(x="end:Q", text="printed:N")
    counts = extent(unanimity.about["runs"], unanimity.about["topics"])
    return styled(
        alt.LayerChart(layer=[bars, numbers]), "Does a measure see what all the others see?", counts, 60
    )


def topic_differences(scores: Any, run: str, other: str, measure: str) -> alt.LayerChart:
    """The difference run - other on each topic, from the largest gain to the largest loss.

    scores : what `evaluate` returns, or whatever `read_scores` takes.
    """
    if run == other:
        raise InputError(f"{run} is compared with itself; name another run")
    pair = read_scores(scores).select(runs=[run, other], measures=[measure])
    difference = pair.values[0, :, 0] - pair.values[1, :, 0]
    rows = [
        {
            "topic": pair.topics[t],
            "difference": float(difference[t]),
            "score": float(pair.values[0, t, 0]),
            "other": float(pair.values[1, t, 0]),
            "better": run if difference[t] > 0 else other if difference[t] < 0 else "equal",
        }
        for t in np.argsort(-difference, kind="stable")
        if not np.isnan(difference[t])
    ]
    count = max(len(rows), 1)
    step = max(4, min(16, 900 // count), 260 // count)
    bars = (
        alt.Chart(data(rows))
        .mark_bar(size=min(40.0, 0.8 * step))
        .encode(
            x=alt.X(
                "topic:N",
                title="topics, from gain to loss",
                sort=None,
                axis=alt.Axis(
                    labels=step >= 8,
                    labelAngle=-90,
                    labelFontSize=min(11, step),
                    ticks=False,
                    domain=False,
                    orient="bottom",
                ),
            ),
            y=alt.Y("difference:Q", title=wrapped(f"difference in {measure}", 40)),
            color=alt.Color(
                "better:N",
                title="better",
                scale=alt.Scale(domain=[run, other], range=[FIRST, SECOND]),
            ),
            tooltip=[
                "topic:N",
                *(
                    alt.Tooltip(f"{name}:Q", title=title, format=".4f")
                    for name, title in (("score", run), ("other", other), ("difference", "difference"))
                ),
            ],
        )
        .properties(width=alt.Step(step), height=260)
    )
    gains, losses = (sum(row["better"] == name for row in rows) for name in (run, other))
    mean = float(np.mean([row["difference"] for row in rows]))
    zero = alt.Chart(alt.InlineData(values=[{"zero": 0}])).mark_rule(color=QUIET).encode(y="zero:Q")
    return styled(
        alt.LayerChart(layer=[bars, zero]),
        f"{run} against {other}, topic by topic",
        f"{measure}: mean difference {mean:+.4f}; {run} is better on {counted(gains, 'topic')}, "
        f"worse on {losses}, equal on {len(rows) - gains - losses}",
        max(60, step * len(rows) // 6),
    )
