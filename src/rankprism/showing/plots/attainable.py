"""The scores that CAM and MM give to ideal rankings of each topic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from rankprism.measures import shown_name
from rankprism.showing.plots.record import Frame, alt, chart
from rankprism.showing.plots.theme import AMOUNTS, FIRST, counted, data, of_all, row_labels, styled, wrapped

if TYPE_CHECKING:
    from rankprism.judging.aspects import Attainable


#: The largest number of topics.
MOST_BOXES = 250


def _scores(found: Attainable, t: int, m: int) -> list[float]:
    """The scores of the ideal rankings, and the highest score of all rankings if none of them has it."""
    scores: list[float] = found.scores[t, m].tolist()
    highest = float(found.highest[t, m])
    return scores if highest <= max(scores) else [*scores, highest]


@chart("aspects attainable")
def attainable_boxes(found: Attainable, **frame: Unpack[Frame]) -> alt.ConcatChart:
    """The scores of ideal rankings by CAM and MM, with a box for each topic and a panel for each measure.

    Parameters
    ----------
    found
        What `aspects.attainable` returns. The chart is Figure 2 of Maistro et al. (2021).
    """
    width, height = frame["width"], frame["height"]
    topics = found.topics[:MOST_BOXES]
    step = width / len(topics) if width else max(14 if len(topics) <= 100 else 8, min(40, 260 // len(topics)))
    each = height / len(found.measures) if height else 200
    panels = [
        alt.Chart(
            data(
                {"topic": topic, "score": score}
                for t, topic in enumerate(topics)
                for score in _scores(found, t, m)
            )
        )
        .mark_boxplot(
            extent="min-max",
            size=step * 0.6,
            box={"fill": AMOUNTS[2], "stroke": FIRST},
            rule={"color": FIRST},
            # The default, white, would hide a box without height, whose quartiles are all equal.
            median={"color": AMOUNTS[-1], "thickness": 2},
        )
        .encode(
            x=alt.X(
                "topic:N",
                sort=list(topics),
                title="Topic",
                axis=alt.Axis(**row_labels(step, topics), labelAngle=-90),
            ),
            y=alt.Y(
                "score:Q", scale=alt.Scale(domain=[0, 1]), title=wrapped(shown_name(measure), int(each / 6))
            ),
        )
        .properties(width=alt.Step(step), height=each)
        for m, measure in enumerate(found.measures)
    ]
    return styled(
        alt.concat(*panels, columns=1),
        step * len(topics),
        "Scores of ideal rankings",
        f"{counted(len(found.topics), 'topic')}; boxes span the quartiles, whiskers all scores"
        + of_all(len(topics), len(found.topics), "topics"),
        title=frame["title"],
    )
