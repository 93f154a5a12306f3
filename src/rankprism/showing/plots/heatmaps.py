"""Heat maps of measures by measures, and of systems by topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from rankprism.formats import read_scores
from rankprism.measures import shown_name
from rankprism.results import marked
from rankprism.showing.plots.record import Frame, alt, chart
from rankprism.showing.plots.theme import (
    AMOUNTS,
    DIFFERENCES,
    QUIET,
    counted,
    data,
    extent,
    of_all,
    only_measure,
    row_labels,
    styled,
)
from rankprism.types import MeasureName, ScoresLike

if TYPE_CHECKING:
    from rankprism.data import Bools, Floats
    from rankprism.meta import Correlation

#: The largest number of runs and of topics in a heat map.
MOST_CELLS = 400
_COEFFICIENTS = {
    "tau-b": "Kendall's τ-b",
    "tau-a": "Kendall's τ-a",
    "tau-ap": "τ-ap",
    "tau-ap-symmetric": "symmetric τ-ap",
    "spearman": "Spearman's ρ",
    "rbo": "rank-biased overlap",
}


@chart("meta correlation")
def correlation_heatmap(correlation: Correlation, **frame: Unpack[Frame]) -> alt.LayerChart:
    """The rank correlation of every two measures. Measures that rank runs alike are side by side."""
    width, height = frame["width"], frame["height"]
    near = correlation.clustered()
    names = [shown_name(measure) for measure in near.measures]
    size = len(names)
    rows: list[dict[str, Any]] = [
        {"measure": a, "other": b, "value": float(near.values[i, j])}
        for i, a in enumerate(names)
        for j, b in enumerate(names)
        if not np.isnan(near.values[i, j])
    ]
    own = 42 if size <= 12 else 30 if size <= 24 else max(12 if size <= 100 else 8, 34 - size // 2)
    across, down = width / size if width else own, height / size if height else own
    step = min(across, down)
    steep = step < 30 or max(map(len, names)) > 24
    axis: dict[str, Any] = {"ticks": False, "domain": False}
    directed = correlation.coefficient == "tau-ap"
    name = _COEFFICIENTS.get(correlation.coefficient, correlation.coefficient)
    low = float(np.floor(10 * min(row["value"] for row in rows) + 1e-9) / 10) if rows else 0.0
    scale = _scale(min(low, 0.9), 1.0)
    cells = (
        alt.Chart(data(rows))
        .encode(
            x=alt.X(
                "other:N",
                title="Evaluated ranking" if directed else None,
                scale=alt.Scale(domain=names, paddingInner=0.03),
                axis=alt.Axis(labelAngle=-90 if steep else -45, **axis, **row_labels(across, names)),
            ),
            y=alt.Y(
                "measure:N",
                title="Gold ranking" if directed else None,
                scale=alt.Scale(domain=names, paddingInner=0.03),
                axis=alt.Axis(**axis, **row_labels(down, names)),
            ),
            tooltip=["measure:N", "other:N", alt.Tooltip("value:Q", title=name, format=".4f")],
        )
        .properties(width=alt.Step(across), height=alt.Step(down))
    )
    layers: list[alt.Chart] = [
        cells.mark_rect().encode(
            color=alt.Color(
                "value:Q",
                title=None,
                scale=scale,
                legend=alt.Legend(gradientLength=max(80, min(200, down * size))),
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
        across * size,
        "Rank correlation between measures",
        f"{name}; {extent(about['runs'], about['topics'])}; {over}",
        title=frame["title"],
    )


@chart("plot heatmap", "-m alpha_nDCG@20")
def heatmap(scores: ScoresLike, measure: MeasureName | None = None, **frame: Unpack[Frame]) -> alt.LayerChart:
    """The score of every run on every topic. The best run is on top, the easiest topic on the left.

    If scores are missing, the order is that of the topics that all runs have, and of the runs without gaps.

    Parameters
    ----------
    scores
        What `evaluate` returns, or whatever `read_scores` takes.
    measure
        A measure. Default: the only measure, if there is just one.
    """
    width, height = frame["width"], frame["height"]
    found = read_scores(scores)
    chosen = found.select(measures=[only_measure(found, measure)])
    values = chosen.values[:, :, 0]
    name = marked(shown_name(chosen.measures[0]), chosen.measures[0], chosen.lower_is_better)
    oriented = chosen.oriented[:, :, 0]
    # Means over different topics do not compare, and nor do those of different runs.
    whole = np.asarray(~np.isnan(values).any(0)), np.asarray(~np.isnan(values).any(1))
    by_shared = bool(whole[0].any() and whole[1].any())
    runs = _by_mean(oriented[:, whole[0]] if by_shared else oriented, 1)[:MOST_CELLS]
    topics = _by_mean(oriented[whole[1]] if by_shared else oriented, 0)[:MOST_CELLS]
    cells = [
        {"run": chosen.runs[r], "topic": chosen.topics[t], "score": float(values[r, t])}
        for r in runs
        for t in topics
        if not np.isnan(values[r, t])
    ]
    low, high = (float(end(values, initial=0.0)) for end in (np.nanmin, np.nanmax))
    across = width / len(topics) if width else _step(len(topics))
    down = height / len(runs) if height else _step(len(runs))
    place: dict[str, Any] = {
        "x": alt.X(
            "topic:N",
            title="Topics",
            scale=alt.Scale(domain=[chosen.topics[t] for t in topics], padding=0),
            axis=alt.Axis(
                labelAngle=-90, ticks=False, **row_labels(across, [chosen.topics[t] for t in topics])
            ),
        ),
        "y": alt.Y(
            "run:N",
            title="Runs",
            scale=alt.Scale(domain=[chosen.runs[r] for r in runs], padding=0),
            axis=alt.Axis(ticks=False, **row_labels(down, [chosen.runs[r] for r in runs])),
        ),
    }
    map_of_scores = (
        alt.Chart(data(cells))
        .mark_rect()
        .encode(
            color=alt.Color(
                "score:Q",
                title=None,
                scale=_scale(low, high or 1.0),
                legend=alt.Legend(gradientLength=max(80, min(200, down * len(runs)))),
            ),
            tooltip=["run:N", "topic:N", alt.Tooltip("score:Q", format=".4f")],
            **place,
        )
        .properties(width=alt.Step(across), height=alt.Step(down))
    )
    layers, note = [map_of_scores], ""
    missing = [(r, t) for r in sorted(runs) for t in sorted(topics) if np.isnan(values[r, t])]
    if missing:
        # A white cell would look like a score of 0.
        gaps = data({"run": chosen.runs[r], "topic": chosen.topics[t]} for r, t in missing)
        size = 0.5 * min(across, down, 14)
        crosses = alt.Chart(gaps).mark_text(text="×", color=QUIET, fontSize=max(5.0, 1.6 * size))
        layers.append(crosses.encode(tooltip=["run:N", "topic:N"], **place))
        note = "; ×: not evaluated"
    return styled(
        alt.LayerChart(layer=layers),
        max(360, across * len(topics)),
        f"{name} of every run on every topic",
        extent(len(found.runs), len(found.topics))
        + ", in the order of their means"
        + _over(whole, by_shared)
        + of_all(len(runs), len(found.runs), "runs")
        + of_all(len(topics), len(found.topics), "topics")
        + note,
        title=frame["title"],
    )


def _by_mean(values: Floats, axis: int) -> list[int]:
    """Rows or columns sorted by their means, the highest first. Those without a score come last."""
    counted = (~np.isnan(values)).sum(axis)
    mean = np.where(counted > 0, np.nansum(values, axis) / np.maximum(counted, 1), -np.inf)
    return [int(i) for i in np.argsort(-mean, kind="stable")]


def _over(whole: tuple[Bools, Bools], by_shared: bool) -> str:
    """What the means are over that give the order, if scores are missing."""
    if whole[0].all():
        return ""
    if not by_shared:
        return " over different topics"
    topics, runs = (int(one.sum()) for one in whole)
    return f" over {counted(topics, 'topic')} that all runs have and {counted(runs, 'run')} with all topics"


def _step(count: int) -> int:
    """The size in pixels of each of `count` rows or columns."""
    return max(4 if count > 150 else 8, min(20, 900 // count), 80 // count)


def _scale(low: float, high: float) -> alt.Scale:
    """A colour scale in which large amounts are dark. If some are negative, it has two colours around 0."""
    if low >= 0:
        return alt.Scale(range=list(AMOUNTS), domain=[low, high], interpolate="lab")
    most = max(-low, high)
    return alt.Scale(range=list(DIFFERENCES), domain=[-most, most], interpolate="lab")


def _ink(scale: alt.Scale) -> Any:
    """White text on dark cells and black text on light ones."""
    low, high = scale.to_dict()["domain"]
    dark = f"datum.value > {low + 0.57 * (high - low)}" if low >= 0 else f"abs(datum.value) > {0.57 * high}"
    return alt.condition(dark, alt.value("white"), alt.value("black"))
