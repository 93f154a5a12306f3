"""The Hasse diagram of label tuples, with the classes of the distance order as colours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from rankprism.showing.plots.record import Frame, alt, chart
from rankprism.showing.plots.theme import QUIET, data, ink, letters, ramp, styled

if TYPE_CHECKING:
    from rankprism.judging.aspects import LabelOrder

FONT = 11
#: The size of a box in pixels, and the gaps between boxes and between rows.
BOX, APART, BETWEEN = 20, 14, 44


@chart("aspects order")
def hasse_diagram(found: LabelOrder, **frame: Unpack[Frame]) -> alt.LayerChart:
    """Which labels are just above which. Each class of TOMA has a colour, and the best is the darkest.

    Parameters
    ----------
    found
        What `aspects.order` returns. The chart is Figure 1 of Maistro et al. (2021).
    """
    number = {labels: c for c, members in enumerate(found.order.classes) for labels in members}
    level: dict[int, list[tuple[int, ...]]] = {}
    for labels in sorted(number):
        level.setdefault(sum(labels), []).append(labels)
    box = 0.56 * FONT * max(letters(found.name(labels)) for labels in number) + 12
    widest = max(map(len, level.values()))
    width = frame["width"] or max(300, round(widest * (box + APART)))
    height = frame["height"] or max(level) * (BOX + BETWEEN) + BOX
    # Boxes and letters shrink if there is little room.
    size = min(1.0, width / (widest * (box + 4)))
    half, tall = size * box / 2, min(BOX, height / (max(level) + 1) / 1.5)
    place = {}
    for row, members in level.items():
        apart = min(width / len(members), 2 * box)
        for i, labels in enumerate(members):
            x = width / 2 + (i - (len(members) - 1) / 2) * apart
            place[labels] = x, tall / 2 + (height - tall) * row / max(max(level), 1)
    colours = ramp(len(found.order.classes))
    rows: list[dict[str, Any]] = [
        {
            "x": place[labels][0] - half,
            "x2": place[labels][0] + half,
            "middle": place[labels][0],
            "y": place[labels][1] - tall / 2,
            "y2": place[labels][1] + tall / 2,
            "centre": place[labels][1],
            "labels": found.name(labels),
            "class": c,
            "weight": found.order.weights[c],
            "distance": str(found.order.distances[c]),
            "ink": ink(colours[c]),
        }
        for labels, c in number.items()
    ]

    def x_at(field: str) -> alt.X:
        return alt.X(field, scale=alt.Scale(domain=[0, width], nice=False), axis=None)

    def y_at(field: str) -> alt.Y:
        return alt.Y(field, scale=alt.Scale(domain=[0, height], nice=False), axis=None)

    base = alt.Chart(data(rows))
    boxes = base.mark_rect(cornerRadius=4).encode(
        x=x_at("x:Q"),
        x2="x2:Q",
        y=y_at("y:Q"),
        y2="y2:Q",
        color=alt.Color(
            "class:O",
            title="Class",
            scale=alt.Scale(domain=list(range(len(colours)))[::-1], range=colours[::-1]),
            legend=alt.Legend(symbolType="square", symbolStrokeWidth=0),
        ),
        tooltip=["labels:N", "class:O", "weight:Q", "distance:N"],
    )
    names = base.mark_text(fontSize=max(5.0, size * FONT), baseline="middle").encode(
        x=x_at("middle:Q"), y=y_at("centre:Q"), text="labels:N", color=alt.Color("ink:N", scale=None)
    )
    lines = []
    if found.edges:
        edges = data(
            {
                "x": place[lower][0],
                "y": place[lower][1] + tall / 2,
                "x2": place[upper][0],
                "y2": place[upper][1] - tall / 2,
            }
            for lower, upper in found.edges
        )
        rules = alt.Chart(edges).mark_rule(color=QUIET, strokeWidth=1)
        lines = [rules.encode(x=x_at("x:Q"), y=y_at("y:Q"), x2="x2:Q", y2="y2:Q")]
    aspects = ", ".join(scale.aspect for scale in found.scales)
    return styled(
        alt.LayerChart(layer=[*lines, boxes, names]).properties(width=width, height=height),
        width,
        f"Labels of ({aspects}) by {found.distance.capitalize()} distance",
        "A colour is a class of equal distance to the best labels; the darkest is the best.",
        title=frame["title"],
    )
