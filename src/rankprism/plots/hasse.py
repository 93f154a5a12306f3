"""The Hasse diagram of label tuples, with the classes of the distance order as colours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankprism.aspects.order import Order


def hasse_diagram(order: Order, width: int = 480, height: int = 420) -> Any:
    """Lines go up from labels to those just above them; one colour is one class (Figure 1 of the paper)."""
    import altair as alt

    number = {labels: c for c, members in enumerate(order.order.classes) for labels in members}
    level: dict[int, list[tuple[int, ...]]] = {}
    for labels in sorted(number):
        level.setdefault(sum(labels), []).append(labels)
    x = {
        labels: place - (len(members) - 1) / 2
        for members in level.values()
        for place, labels in enumerate(members)
    }
    points = [
        {
            "x": x[labels],
            "y": sum(labels),
            "labels": order.name(labels),
            "class": c,
            "weight": order.order.weights[c],
            "distance": str(order.order.distances[c]),
        }
        for labels, c in number.items()
    ]
    lines = [
        {"x": x[lower], "y": sum(lower), "x2": x[upper], "y2": sum(upper)} for lower, upper in order.edges
    ]
    colour = alt.Color(
        "class:O",
        scale=alt.Scale(scheme="viridis", domain=list(range(len(order.order.classes)))),
        sort="descending",
        title="class",
    )
    x_axis = alt.X("x:Q", scale=alt.Scale(padding=40), axis=None)
    y_axis = alt.Y("y:Q", scale=alt.Scale(padding=25), axis=None)
    base = alt.Chart(alt.InlineData(values=points)).encode(x=x_axis, y=y_axis)
    edges = (
        alt.Chart(alt.InlineData(values=lines))
        .mark_rule(color="#bbb")
        .encode(x=x_axis, y=y_axis, x2="x2:Q", y2="y2:Q")
    )
    dots = base.mark_circle(size=220, opacity=1).encode(
        color=colour,
        tooltip=["labels:N", "class:O", "weight:Q", alt.Tooltip("distance:N", title="distance")],
    )
    names = base.mark_text(dy=-16, fontSize=11).encode(text="labels:N")
    title = f"({', '.join(scale.aspect for scale in order.scales)}), {order.distance}"
    return alt.layer(edges, dots, names).properties(width=width, height=height, title=title)
