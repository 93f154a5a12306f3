"""Draw how wide intervals are by the number of labels, for docs/judges.md.

    python -m simulations.widths docs/images/judges-width.svg

The numbers are the mean widths that `python -m simulations.judges` printed for P(rel=2)@10, see
docs/intervals.md.
"""

from __future__ import annotations

import sys

import altair as alt

from rankprism.showing.plots import save
from rankprism.showing.plots.theme import COLOURS, SHAPES, data, styled

LABELS = (147, 368, 736, 1473)
EQUAL, SELECTED = "equal chances", "selected"
WIDTHS = {
    ("people, weighted only", EQUAL): (0.805, 0.508, 0.345, 0.233),
    ("people alone", EQUAL): (0.540, 0.326, 0.219, 0.143),
    ("four judges", EQUAL): (0.477, 0.279, 0.188, 0.123),
    ("people alone", SELECTED): (0.407, 0.242, 0.161, 0.099),
    ("Llama 3.2", SELECTED): (0.398, 0.237, 0.157, 0.096),
    ("yes or no by GPT-4o", SELECTED): (0.376, 0.222, 0.145, 0.089),
    ("EXAM by GPT-4o", SELECTED): (0.373, 0.220, 0.144, 0.088),
    ("UMBRELA", SELECTED): (0.351, 0.206, 0.136, 0.082),
    ("four judges", SELECTED): (0.349, 0.204, 0.132, 0.081),
}


def drawing() -> alt.LayerChart:
    """A line for each kind of judges and each way to draw. Lines of equal chances are dashed."""
    rows = [
        {"labels": labels, "width": width, "series": f"{who}, {how}", "drawn": how}
        for (who, how), widths in WIDTHS.items()
        for labels, width in zip(LABELS, widths, strict=True)
    ]
    names = [f"{who}, {how}" for who, how in WIDTHS]
    look, shapes = ([kinds[i % len(kinds)] for i in range(len(names))] for kinds in (COLOURS, SHAPES))
    base = alt.Chart(data(rows)).encode(
        x=alt.X(
            "labels:Q",
            title="Labels of people",
            scale=alt.Scale(type="log", domain=[130, 1650], nice=False),
            axis=alt.Axis(values=list(LABELS), format=",d"),
        ),
        y=alt.Y(
            "width:Q",
            title="Mean width of a 95 % interval",
            scale=alt.Scale(type="log", domain=[0.07, 0.9], nice=False),
            axis=alt.Axis(values=[0.08, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8]),
        ),
        color=alt.Color(
            "series:N",
            title=None,
            scale=alt.Scale(domain=names, range=look),
            legend=alt.Legend(labelLimit=300),
        ),
    )
    lines = base.mark_line(strokeWidth=1.6).encode(
        strokeDash=alt.StrokeDash(
            "drawn:N", scale=alt.Scale(domain=[EQUAL, SELECTED], range=[[5, 3], [1, 0]]), legend=None
        )
    )
    points = base.mark_point(filled=True, size=45, opacity=1).encode(
        shape=alt.Shape("series:N", title=None, scale=alt.Scale(domain=names, range=shapes))
    )
    picture = alt.LayerChart(layer=[lines, points]).properties(width=420, height=320)
    return styled(
        picture,
        420,
        "Width of intervals by the number of labels",
        "P(rel=2)@10 of 63 runs, TREC Deep Learning 2021",
    )


if __name__ == "__main__":
    save(drawing(), sys.argv[1])
