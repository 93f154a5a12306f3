"""Charts of the experiments with simulated preferences: how much two rankings of runs agree."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from rankprism.measures import shown_name
from rankprism.showing.plots.record import Frame, alt, chart
from rankprism.showing.plots.theme import (
    FIRST,
    QUIET,
    counted,
    data,
    extent,
    in_full,
    is_narrow,
    look,
    row_labels,
    styled,
    wrapped,
)

if TYPE_CHECKING:
    from rankprism.judging.preferences import IncompleteCorrelation, MeasureCorrelation, ProfileCorrelation

WIDTH, HEIGHT = 380, 300
#: Height of a row in pixels.
STEP = 26
#: Rankings with at least this τ count as equivalent for most purposes (Voorhees 2000).
ALIKE = 0.9
TAU = "Kendall's τ"


@chart("preferences experiment correlation")
def preference_correlations(found: MeasureCorrelation, **frame: Unpack[Frame]) -> alt.LayerChart:
    """Kendall's τ of each form of the preference measure with the measures of subtopics, with intervals."""
    width = frame["width"] or WIDTH
    names = [shown_name(other) for other in found.others]
    labels = [f"{form['browsing']}, {form['combine']}" for form in found.forms]
    rows = [
        {"measure": name, "label": label, **_tau(*found.tau(str(form), other))}
        for name, other in zip(names, found.others, strict=True)
        for label, form in zip(labels, found.forms, strict=True)
    ]
    height = frame["height"] or STEP * len(labels)
    orient: Any = "bottom" if is_narrow() else "right"
    legend = alt.Legend(
        title="Compared with",
        orient=orient,
        direction="vertical",
        symbolOpacity=1,
        symbolStrokeWidth=0,
        **in_full(names),
    )
    encodings = look(names, legend=legend, shapes=True)
    del encodings["strokeDash"]
    a = found.about
    return styled(
        _dots(rows, labels, (width, height), encodings | {"yOffset": alt.YOffset("measure:N", sort=names)}),
        width,
        "Runs ranked by preferences and by subtopics",
        f"nPrf@{found.forms[0].cutoff}, by browsing model and combination; {extent(a['runs'], a['topics'])}",
        title=frame["title"],
    )


@chart("preferences experiment profiles")
def profile_correlations(found: ProfileCorrelation, **frame: Unpack[Frame]) -> alt.LayerChart:
    """Kendall's τ of nPrf with α-nDCG for each profile, and of the mixture of profiles, with intervals."""
    width = frame["width"] or WIDTH
    labels = [f"{_label(one.first)} – {_label(one.second)}" for one in found.compared]
    rows = [
        {"label": label, **_tau(one.tau, one.low, one.high)}
        for label, one in zip(labels, found.compared, strict=True)
    ]
    size = width, frame["height"] or STEP * len(labels)
    return styled(
        _dots(rows, labels, size, {"color": alt.value(FIRST)}),
        width,
        "Runs ranked by the preferences of profiles",
        f"{extent(found.about['runs'], found.about['topics'])}; {found.profiles.source}",
        title=frame["title"],
    )


@chart("preferences experiment incomplete")
def incomplete_curves(found: IncompleteCorrelation, **frame: Unpack[Frame]) -> alt.LayerChart:
    """Kendall's τ with the ranking from all preferences, by the number of triplets that were judged."""
    width, height = frame["width"] or WIDTH, frame["height"] or HEIGHT
    names = [shown_name(measure) for measure in found.measures]
    mean, low, high = found.intervals
    rows = [
        {"measure": name, "triplets": n, **_tau(mean[e, i], low[e, i], high[e, i])}
        for e, name in enumerate(names)
        for i, n in enumerate(found.triplets)
    ]
    x = alt.X(
        "triplets:Q",
        title="Triplets judged for each topic",
        scale=alt.Scale(type="log", nice=False, padding=8),
        axis=alt.Axis(values=list(found.triplets), format="~s", grid=False),
    )
    y: dict[str, Any] = {"title": TAU, "scale": alt.Scale(domain=_domain(rows), nice=False)}
    orient: Any = "bottom" if max(map(len, names)) > 24 or is_narrow() else "right"
    legend = alt.Legend(
        title="Measure",
        orient=orient,
        direction="vertical",
        symbolOpacity=1,
        symbolStrokeWidth=0,
        **in_full(names),
    )
    encodings = look(names, legend=legend, shapes=True)
    base = alt.Chart(data(rows)).properties(width=width, height=height)
    layers: list[Any] = [_alike(y=alt.Y("level:Q", **y))]
    if any(row["low"] is not None for row in rows):
        layers.append(
            base.mark_area(opacity=0.15).encode(
                x=x, y=alt.Y("low:Q", **y), y2="high:Q", color=encodings["color"]
            )
        )
    layers.append(
        base.mark_line(strokeWidth=1.8, point={"size": 45}).encode(
            x=x,
            y=alt.Y("tau:Q", **y),
            tooltip=["measure:N", "triplets:Q", *(alt.Tooltip(f"{n}:Q", format=".3f") for n in _FIELDS)],
            **encodings,
        )
    )
    a = found.about
    return styled(
        alt.LayerChart(layer=layers),
        width,
        "Rankings of runs from few judgments",
        f"{extent(a['runs'], a['topics'])}; {a['assessors']} assessors for each triplet; mean of "
        f"{counted(found.tau.shape[-1], 'repetition')}",
        title=frame["title"],
    )


_FIELDS = ("tau", "low", "high")


def _label(name: str) -> str:
    """The measure, and in parentheses whose preferences or subtopics it evaluates."""
    measure, _, whose = name.partition(", ")
    return f"{shown_name(measure)} ({whose})"


def _tau(value: float, low: float, high: float) -> dict[str, float | None]:
    found = dict(zip(_FIELDS, map(float, (value, low, high)), strict=True))
    return {name: None if math.isnan(x) else x for name, x in found.items()}


def _domain(rows: Sequence[Mapping[str, Any]]) -> list[float]:
    lowest = min((row[name] for row in rows for name in _FIELDS if row[name] is not None), default=0.0)
    return [math.floor(10 * min(lowest, 0.8)) / 10, 1.0]


def _alike(**place: Any) -> Any:
    """A line at the τ above which two rankings count as equivalent."""
    rule = alt.Chart(alt.InlineData(values=[{"level": ALIKE}])).mark_rule(color=QUIET, strokeDash=[4, 3])
    return rule.encode(**place)


def _dots(
    rows: Sequence[Mapping[str, Any]],
    labels: Sequence[str],
    size: tuple[int, int],
    encodings: Mapping[str, Any],
) -> alt.LayerChart:
    """A row for each label, with points at τ and lines from the low to the high end of their intervals."""
    width, height = size
    y = alt.Y(
        "label:N",
        sort=list(labels),
        title=None,
        scale=alt.Scale(domain=list(labels)),
        axis=alt.Axis(ticks=False, domain=False, **row_labels(height / len(labels), labels)),
    )
    x: dict[str, Any] = {
        "title": wrapped(f"{TAU}, with 95 % intervals over topics", int(width // 6)),
        "scale": alt.Scale(domain=_domain(rows), nice=False),
        "axis": alt.Axis(tickCount=min(8, max(2, int(width // 36)))),
    }
    base = alt.Chart(data(rows)).properties(width=width, height=height)
    shared = {name: one for name, one in encodings.items() if name != "shape"}
    tooltip = ["label:N", *(alt.Tooltip(f"{n}:Q", format=".3f") for n in _FIELDS)]
    layers = [
        _alike(x=alt.X("level:Q", **x)),
        base.mark_rule(opacity=0.6).encode(x=alt.X("low:Q", **x), x2="high:Q", y=y, **shared),
        base.mark_point(filled=True, size=50, opacity=1).encode(
            x=alt.X("tau:Q", **x), y=y, tooltip=tooltip, **encodings
        ),
    ]
    return alt.LayerChart(layer=layers)
