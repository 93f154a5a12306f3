"""What CAM and MM reach with ideal rankings, topic by topic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankprism.aspects.attainable import Attainable


def attainable_boxes(found: Attainable, step: int = 14, height: int = 220) -> Any:
    """A box a topic over the scores of its ideal rankings, a panel a measure (Figure 2 of the paper)."""
    import altair as alt

    values = [
        {"topic": topic, "measure": measure, "score": float(score)}
        for t, topic in enumerate(found.topics)
        for m, measure in enumerate(found.measures)
        for score in (*found.scores[t, m], found.highest[t, m])
    ]
    panels = [
        alt.Chart(alt.InlineData(values=[row for row in values if row["measure"] == measure]))
        .mark_boxplot(extent="min-max", size=step * 0.6)
        .encode(
            x=alt.X("topic:N", sort=list(found.topics), title="topic"),
            y=alt.Y("score:Q", scale=alt.Scale(domain=[0, 1]), title=measure),
        )
        .properties(width=alt.Step(step), height=height)
        for measure in found.measures
    ]
    return alt.vconcat(*panels)
