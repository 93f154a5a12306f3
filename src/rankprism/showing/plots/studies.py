"""A chart of how many judgments a study needs to find the order of the runs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from rankprism.measures import parse, shown_name
from rankprism.showing.plots.record import Frame, alt, chart
from rankprism.showing.plots.theme import (
    QUIET,
    TITLE_LETTER,
    counted,
    data,
    extent,
    is_narrow,
    line_legend,
    look,
    styled,
    wrapped,
)

if TYPE_CHECKING:
    from rankprism.judging.preferences import Plan

PANEL: tuple[int, int] = (300, 260)
#: Pixels between two panels, with room for the axis.
BESIDE = 60
#: Largest number of bands. More would hide each other.
MOST_BANDS = 4


@chart("preferences plan")
def judgments_needed(plan: Plan, **frame: Unpack[Frame]) -> alt.ConcatChart:
    """Kendall's τ with the order of the runs by all preferences, by the number of judgments per topic.

    A panel for each measure and a line for each choice of questions. A band from the least to the most of the
    repetitions is drawn if there are at most four lines.
    """
    width, height = frame["width"], frame["height"]
    panels: dict[str, list[dict[str, Any]]] = {}
    for (measure, choice), tau in zip(plan.conditions, plan.tau, strict=True):
        parsed = parse(measure)
        rows = panels.setdefault(str(parsed(estimate="raw")), [])
        for budget, taus in zip(plan.budgets, tau.tolist(), strict=True):
            if not math.isnan(taus[0]):
                line = {"measure": f"{choice}, {parsed['estimate']}", "judgments": budget}
                rows.append(line | {"tau": float(np.mean(taus)), "least": min(taus), "most": max(taus)})
    names = list(dict.fromkeys(row["measure"] for rows in panels.values() for row in rows))
    columns = 1 if is_narrow() else len(panels)
    gaps = BESIDE * (columns - 1)
    each = max(40, (width - gaps) / columns) if width else PANEL[0]
    down = height / (len(panels) // columns) if height else PANEL[1]
    bands = len(names) <= MOST_BANDS
    lowest = min(row["least" if bands else "tau"] for rows in panels.values() for row in rows)
    domain = [math.floor(5 * max(min(lowest, plan.target), -1.0)) / 5, 1.0]
    encodings = look(names, legend=line_legend(names, "Choice, estimate", shapes=True), shapes=True)
    a = plan.about
    return styled(
        alt.ConcatChart(
            concat=[
                _panel(rows, shown_name(measure), plan.target, (each, down), domain, encodings, bands)
                for measure, rows in panels.items()
            ],
            columns=columns,
            spacing=BESIDE,
        ),
        each * columns + gaps,
        "Judgments that settle the order of the runs",
        f"{extent(a['runs'], a['topics'])}; mean of {counted(a['repetitions'], 'repetition')}",
        title=frame["title"],
    )


def _panel(
    rows: list[dict[str, Any]],
    name: str,
    target: float,
    size: tuple[float, float],
    domain: list[float],
    encodings: dict[str, Any],
    bands: bool,
) -> alt.LayerChart:
    width, height = size
    x = alt.X(
        "judgments:Q",
        title=wrapped("Judgments per topic", int(width // 6)),
        scale=alt.Scale(type="log", nice=False, padding=8),
        axis=alt.Axis(grid=False, tickCount=4, format=",d"),
    )
    y: dict[str, Any] = {
        "title": wrapped("Kendall's τ with all preferences", int(height // 6)),
        "scale": alt.Scale(domain=domain, nice=False),
    }
    base = alt.Chart(data(rows))
    goal = alt.Chart(alt.InlineData(values=[{"level": target}]))
    band = base.mark_area(opacity=0.12).encode(
        x=x, y=alt.Y("least:Q", **y), y2="most:Q", color=encodings["color"]
    )
    return alt.LayerChart(
        layer=[
            goal.mark_rule(color=QUIET, strokeDash=[4, 3]).encode(y=alt.Y("level:Q", **y)),
            *([band] if bands else []),
            base.mark_line(strokeWidth=1.8, point={"size": 40}).encode(
                x=x,
                y=alt.Y("tau:Q", **y),
                tooltip=[
                    "measure:N",
                    "judgments:Q",
                    *(alt.Tooltip(f"{n}:Q", format=".3f") for n in ("tau", "least", "most")),
                ],
                **encodings,
            ),
        ]
    ).properties(width=width, height=height, title=wrapped(name, int(width // TITLE_LETTER)))
