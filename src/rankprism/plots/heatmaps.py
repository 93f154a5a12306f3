"""Heat maps: measures by measures, systems by topics."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np

from rankprism.data.hits import Floats
from rankprism.formats.scores import read_scores
from rankprism.meta.rank_correlation import Correlation
from rankprism.plots.theme import AMOUNTS, DIFFERENCES, data, extent, styled

_COEFFICIENTS = {
    "tau-b": "Kendall's τ-b",
    "tau-a": "Kendall's τ-a",
    "tau-ap": "τ-ap",
    "tau-ap-symmetric": "symmetric τ-ap",
    "spearman": "Spearman's ρ",
    "rbo": "rank-biased overlap",
}


def correlation_heatmap(correlation: Correlation) -> alt.LayerChart:
    """Every measure against every other, those that rank systems alike side by side."""
    near = correlation.clustered()
    size = len(near.measures)
    rows: list[dict[str, Any]] = [
        {"measure": a, "other": b, "value": float(near.values[i, j])}
        for i, a in enumerate(near.measures)
        for j, b in enumerate(near.measures)
        if not np.isnan(near.values[i, j])
    ]
    step = 42 if size <= 12 else 30 if size <= 24 else max(12, 34 - size // 2)
    steep = step < 30 or max(map(len, near.measures)) > 24
    axis: dict[str, Any] = {"ticks": False, "domain": False, "labelFontSize": min(11, step - 1)}
    directed = correlation.coefficient == "tau-ap"
    name = _COEFFICIENTS.get(correlation.coefficient, correlation.coefficient)
    low = float(np.floor(10 * min(row["value"] for row in rows) + 1e-9) / 10) if rows else 0.0
    scale = _scale(min(low, 0.9), 1.0)
    cells = (
        alt.Chart(data(rows))
        .encode(
            x=alt.X(
                "other:N",
                title="evaluated ranking" if directed else None,
                scale=alt.Scale(domain=list(near.measures), paddingInner=0.03),
                axis=alt.Axis(labelAngle=-90 if steep else -45, **axis),
            ),
            y=alt.Y(
                "measure:N",
                title="gold ranking" if directed else None,
                scale=alt.Scale(domain=list(near.measures), paddingInner=0.03),
                axis=alt.Axis(**axis),
            ),
            tooltip=["measure:N", "other:N", alt.Tooltip("value:Q", title=name, format=".4f")],
        )
        .properties(width=alt.Step(step), height=alt.Step(step))
    )
    layers: list[alt.Chart] = [
        cells.mark_rect().encode(
            color=alt.Color(
                "value:Q",
                title=None,
                scale=scale,
                legend=alt.Legend(gradientLength=max(80, min(200, step * size))),
            )
        )
    ]
    if step >= 30:
        layers.append(
            cells.mark_text(fontSize=11 if step > 30 else 9).encode(
                text=alt.Text("value:Q", format=".2f"), color=_ink(scale)
            )
        )
    about = correlation.about
    over = "mean over topics of the correlation on each" if about["over"] != "means" else "of mean scores"
    return styled(
        alt.LayerChart(layer=layers),
        "How alike measures rank runs",
        f"{name}; {extent(about['runs'], about['topics'])}; {over}",
        max(44, step * size // 6),
    )


def system_topic_heatmap(scores: Any, measure: str) -> alt.Chart:
    """Every run on every topic: the best run on top, the easiest topic on the left.

    scores : what `evaluate` returns, or whatever `read_scores` takes.
    """
    chosen = read_scores(scores).select(measures=[measure])
    values = chosen.values[:, :, 0]
    runs, topics = (_by_mean(values, axis) for axis in (1, 0))
    rows = [
        {"run": chosen.runs[r], "topic": chosen.topics[t], "score": float(values[r, t])}
        for r in runs
        for t in topics
        if not np.isnan(values[r, t])
    ]
    high = np.nanmax(values, initial=0.0)
    across, down = (_step(len(axis)) for axis in (topics, runs))
    chart: alt.Chart = (
        alt.Chart(data(rows))
        .mark_rect()
        .encode(
            x=alt.X(
                "topic:N",
                title="topics",
                scale=alt.Scale(domain=[chosen.topics[t] for t in topics], padding=0),
                axis=alt.Axis(labelAngle=-90, labelFontSize=min(10, across - 1), ticks=False),
            ),
            y=alt.Y(
                "run:N",
                title="runs",
                scale=alt.Scale(domain=[chosen.runs[r] for r in runs], padding=0),
                axis=alt.Axis(labelFontSize=min(11, down - 1), ticks=False),
            ),
            color=alt.Color(
                "score:Q",
                title=None,
                scale=_scale(float(np.nanmin(values, initial=0.0)), float(high) or 1.0),
                legend=alt.Legend(gradientLength=max(80, min(200, down * len(runs)))),
            ),
            tooltip=["run:N", "topic:N", alt.Tooltip("score:Q", format=".4f")],
        )
        .properties(width=alt.Step(across), height=alt.Step(down))
    )
    missing = np.isnan(values).any()
    note = "; white: not evaluated" if missing else ""
    return styled(
        chart,
        f"{chosen.measures[0]} of every run on every topic",
        extent(len(runs), len(topics)) + " in the order of their means" + note,
        max(44, across * len(topics) // 6),
    )


def _by_mean(values: Floats, axis: int) -> list[int]:
    """Rows or columns from the best mean on; those without a score come last."""
    counted = (~np.isnan(values)).sum(axis)
    mean = np.where(counted > 0, np.nansum(values, axis) / np.maximum(counted, 1), -np.inf)
    return [int(i) for i in np.argsort(-mean, kind="stable")]


def _step(count: int) -> int:
    """Pixels for one of so many rows or columns."""
    return max(8, min(20, 900 // count), 80 // count)


def _scale(low: float, high: float) -> alt.Scale:
    """Amounts dark where they are large; around 0 in two directions where some are negative."""
    if low >= 0:
        return alt.Scale(scheme=AMOUNTS, reverse=True, domain=[low, high])
    most = max(-low, high)
    return alt.Scale(scheme=DIFFERENCES, domain=[-most, most])


def _ink(scale: alt.Scale) -> Any:
    """White on the dark cells, black on the light ones."""
    low, high = scale.to_dict()["domain"]
    dark = f"datum.value > {low + 0.5 * (high - low)}" if low >= 0 else f"abs(datum.value) > {0.65 * high}"
    return alt.condition(dark, alt.value("white"), alt.value("black"))
