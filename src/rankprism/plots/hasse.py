"""The Hasse diagram of label tuples, with the classes of the distance order as colours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from rankprism.plots.theme import AMOUNTS, QUIET, RIMS, data, styled

if TYPE_CHECKING:
    from rankprism.aspects.label_order import Order


def hasse_diagram(found: Order, width: int = 480, height: int = 420) -> alt.LayerChart:
    """Lines go up from labels to those just above them; one colour is one class (Figure 1 of the paper)."""
    edges = found.edges
    number = {labels: c for c, members in enumerate(found.order.classes) for labels in members}
    level: dict[int, list[tuple[int, ...]]] = {}
    for labels in sorted(number):
        level.setdefault(sum(labels), []).append(labels)
    x = {
        labels: place - (len(members) - 1) / 2
        for members in level.values()
        for place, labels in enumerate(members)
    }
    points = data(
        {
            "x": x[labels],
            "y": sum(labels),
            "labels": found.name(labels),
            "class": c,
            "weight": found.order.weights[c],
            "distance": str(found.order.distances[c]),
        }
        for labels, c in number.items()
    )
    x_axis = alt.X("x:Q", scale=alt.Scale(padding=40), axis=None)
    y_axis = alt.Y("y:Q", scale=alt.Scale(padding=25), axis=None)
    base = alt.Chart(points).encode(x=x_axis, y=y_axis)
    dots = base.mark_circle(size=220, opacity=1).encode(
        color=alt.Color(
            "class:O",
            scale=alt.Scale(scheme=AMOUNTS, domain=list(range(len(found.order.classes)))),
            sort="descending",
        ),
        tooltip=["labels:N", "class:O", "weight:Q", "distance:N"],
    )
    names = [base.mark_text(dy=-17, fontSize=11, **rim).encode(text="labels:N") for rim in RIMS]
    lines = []
    if edges:
        rows = data(
            {"x": x[lower], "y": sum(lower), "x2": x[upper], "y2": sum(upper)} for lower, upper in edges
        )
        rules = alt.Chart(rows).mark_rule(color=QUIET, opacity=0.5)
        lines = [rules.encode(x=x_axis, y=y_axis, x2="x2:Q", y2="y2:Q")]
    chart = alt.LayerChart(layer=[*lines, dots, *names]).properties(width=width, height=height)
    title = f"({', '.join(scale.aspect for scale in found.scales)}) by {found.distance.capitalize()} distance"
    return styled(chart, title, "A colour is a class of equal distance to the best labels.")
