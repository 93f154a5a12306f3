"""What CAM and MM reach with ideal rankings, topic by topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from rankprism.plots.theme import FIRST, data, styled

if TYPE_CHECKING:
    from rankprism.aspects.ideal_rankings import Attainable


def _scores(found: Attainable, t: int, m: int) -> list[float]:
    """Those of the ideal rankings, and the highest of all rankings if none of these has it."""
    scores: list[float] = found.scores[t, m].tolist()
    highest = float(found.highest[t, m])
    return scores if highest <= max(scores) else [*scores, highest]


def attainable_boxes(found: Attainable, step: int = 14, height: int = 200) -> alt.ConcatChart:
    """A box a topic over the scores of its ideal rankings, a panel a measure (Figure 2 of the paper)."""
    panels = [
        alt.Chart(
            data(
                {"topic": topic, "score": score}
                for t, topic in enumerate(found.topics)
                for score in _scores(found, t, m)
            )
        )
        .mark_boxplot(extent="min-max", size=step * 0.6, color=FIRST, rule={"color": FIRST})
        .encode(
            x=alt.X("topic:N", sort=list(found.topics), title="topic"),
            y=alt.Y("score:Q", scale=alt.Scale(domain=[0, 1]), title=measure),
        )
        .properties(width=alt.Step(step), height=height)
        for m, measure in enumerate(found.measures)
    ]
    return styled(alt.concat(*panels, columns=1), "Scores of ideal rankings", "A box for each topic.")
