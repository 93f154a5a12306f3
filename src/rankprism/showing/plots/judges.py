"""Charts of machine judges beside people: labels, scores of runs, and families of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from rankprism.measures import shown_name
from rankprism.showing.plots.record import Frame, alt, chart
from rankprism.showing.plots.theme import (
    AMOUNTS,
    COLOURS,
    FIRST,
    LETTER,
    QUIET,
    SHAPES,
    counted,
    data,
    extent,
    in_full,
    is_narrow,
    row_labels,
    styled,
    wrapped,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rankprism.judging.judges import (
        FamilyAgreement,
        JudgedStrengths,
        JudgePreferences,
        LabelAgreement,
        RunAgreement,
    )

#: Pixels between two panels, with room for the axis.
BESIDE = 60


@chart("judges agree")
def family_bias(agreement: FamilyAgreement, **frame: Unpack[Frame]) -> alt.ConcatChart:
    """How much more a judge adds to the scores of a family's runs than to those of other runs.

    Bars are intervals over topics. A panel for each judge and measure.
    """
    panels: dict[str, list[dict[str, Any]]] = {}
    for f in agreement.figures:
        if f.figure == "favours":
            row = {"family": f.item, "favours": f.value}
            row |= {name: x for name, x in (("low", f.low), ("high", f.high), ("p", f.p)) if x == x}
            panels.setdefault(f"{f.judge}, {shown_name(f.of)}", []).append(row)
    families = sorted(set(agreement.families.values()))
    every = [row for rows in panels.values() for row in rows]
    ends = [
        x for row in every for x in (row.get("low", row["favours"]), row.get("high", row["favours"]), 0.0)
    ]
    x = alt.X(
        "favours:Q",
        title="Favours the family by",
        scale=alt.Scale(domain=[min([*ends, -0.01]), max([*ends, 0.01])], nice=True),
        axis=alt.Axis(tickCount=5),
    )

    def panel(rows: list[dict[str, Any]], across: float, down: float) -> alt.LayerChart:
        labels = row_labels(down / len(families), families)
        y = alt.Y("family:N", title=None, sort=families, axis=alt.Axis(**labels))
        tip = ["family:N", alt.Tooltip("favours:Q", format=".4f"), alt.Tooltip("p:Q", format=".4f")]
        base = alt.Chart(data(rows))
        return alt.LayerChart(
            layer=[
                base.mark_rule(color=QUIET, strokeDash=[4, 3]).encode(x=alt.datum(0)),
                base.transform_filter("isValid(datum.low)")
                .mark_rule(color=FIRST)
                .encode(x="low:Q", x2="high:Q", y=y),
                base.mark_point(color=FIRST, filled=True, size=50).encode(x=x, y=y, tooltip=tip),
            ]
        )

    own = (320, 22 * max(2, len(families)))
    a = agreement.about
    picture, wide = _beside(panels, panel, own, frame)
    return styled(
        picture, wide, "Families that judges favour", extent(a["runs"], a["topics"]), title=frame["title"]
    )


@chart("judges agree")
def judge_scores(agreement: RunAgreement, **frame: Unpack[Frame]) -> alt.ConcatChart:
    """The mean score of each run by the labels of judges against its mean score by the labels of people.

    On the diagonal both are the same. A panel for each measure.
    """
    means = {name: (one.people.means, one.judge.means) for name, one in agreement.scores.items()}
    names = list(agreement.judges)
    people = agreement.scores[names[0]].people
    panels: dict[str, list[dict[str, Any]]] = {}
    for m, measure in enumerate(people.measures):
        panels[shown_name(measure)] = [
            {
                "run": run,
                "judge": judge,
                "people": float(means[judge][0][r, m]),
                "score": float(means[judge][1][r, m]),
            }
            for judge in names
            if agreement.figure(judge, "bias", measure) is not None
            for r, run in enumerate(people.runs)
        ]
    panels = {name: rows for name, rows in panels.items() if rows}
    high = max([1.0, *(max(row["people"], row["score"]) for rows in panels.values() for row in rows)])
    scale = alt.Scale(domain=[0, high])
    look = [COLOURS[i % len(COLOURS)] for i in range(len(names))]
    shapes = [SHAPES[i % len(SHAPES)] for i in range(len(names))]
    orient: Any = "bottom" if is_narrow() else "right"
    legend = alt.Legend(title="Judge", orient=orient, direction="vertical", **in_full(names))

    def panel(rows: list[dict[str, Any]], across: float, down: float) -> alt.LayerChart:
        tip: list[Any] = ["run:N", "judge:N"]
        tip += [alt.Tooltip(f"{name}:Q", format=".4f") for name in ("people", "score")]
        base = alt.Chart(data(rows))
        return alt.LayerChart(
            layer=[
                alt.Chart(data([{"from": 0.0, "to": high}]))
                .mark_rule(color=QUIET, strokeDash=[4, 3])
                .encode(x="from:Q", y="from:Q", x2="to:Q", y2="to:Q"),
                base.mark_point(filled=True, size=36, opacity=0.7).encode(
                    x=alt.X("people:Q", title="Score by people", scale=scale),
                    y=alt.Y("score:Q", title="Score by the judge", scale=scale),
                    color=alt.Color("judge:N", scale=alt.Scale(domain=names, range=look), legend=legend),
                    shape=alt.Shape("judge:N", scale=alt.Scale(domain=names, range=shapes), legend=legend),
                    tooltip=tip,
                ),
            ]
        )

    picture, wide = _beside(panels, panel, (300, 300), frame)
    about = extent(len(people.runs), len(people.topics))
    return styled(picture, wide, "Scores by judges and by people", about, title=frame["title"])


@chart("judges agree")
def judge_confusion(agreement: LabelAgreement, **frame: Unpack[Frame]) -> alt.ConcatChart:
    """The share of each label of a judge among the documents to which people gave the same grade.

    A row of a panel sums to 100 %. A panel for each judge, with the number of documents in the cells.
    """
    panels: dict[str, list[dict[str, Any]]] = {}
    for judge, table in agreement.confusion.items():
        panels[judge] = []
        for grade, counts in zip(table.people, table.counts.tolist(), strict=True):
            for label, count in zip(table.judge, counts, strict=True):
                share = count / (sum(counts) or 1.0)
                row = {"people": f"{grade:g}", "label": label, "number": int(count), "share": share}
                panels[judge].append(row | {"dark": share > 0.5})
    every = [row for rows in panels.values() for row in rows]
    grades = sorted({row["people"] for row in every}, key=float, reverse=True)
    most = max(len(table.judge) for table in agreement.confusion.values())

    def panel(rows: list[dict[str, Any]], across: float, down: float) -> alt.LayerChart:
        labels = list(dict.fromkeys(row["label"] for row in rows))
        angle = -45 if LETTER * max(map(len, labels)) > across / len(labels) else 0
        x = alt.X("label:N", title="Label of the judge", sort=labels, axis=alt.Axis(labelAngle=angle))
        y = alt.Y("people:N", title="Grade of people", sort=grades)
        shade = alt.Color(
            "share:Q",
            title="Share",
            scale=alt.Scale(domain=[0, 1], range=list(AMOUNTS)),
            legend=alt.Legend(format=".0%"),
        )
        ink = alt.condition("datum.dark", alt.value("white"), alt.value("black"))
        tip = ["people:N", "label:N", "number:Q", alt.Tooltip("share:Q", format=".1%")]
        base = alt.Chart(data(rows))
        return alt.LayerChart(
            layer=[
                base.mark_rect().encode(x=x, y=y, color=shade, tooltip=tip),
                base.mark_text(fontSize=10).encode(x=x, y=y, text="number:Q", color=ink),
            ]
        )

    own = (max(120, 46 * most), 34 * len(grades))
    picture, wide = _beside(panels, panel, own, frame)
    pairs = [int(table.counts.sum()) for table in agreement.confusion.values()]
    return styled(
        picture, wide, "Labels of judges and of people", counted(max(pairs), "pair"), title=frame["title"]
    )


@chart("judges prefer")
def judge_biases(preferences: JudgePreferences, **frame: Unpack[Frame]) -> alt.LayerChart:
    """What the side and covariates of a document add to the log-odds that a judge prefers it.

    Bars are intervals over topics. On the dashed line, they make no difference.
    """
    rows: list[dict[str, Any]] = [
        {"judge": f.judge, "covariate": f.item, "value": f.value}
        | {name: x for name, x in (("low", f.low), ("high", f.high), ("p", f.p)) if x == x}
        for f in preferences.figures
        if f.figure == "coefficient" and f.value == f.value
    ]
    names = list(dict.fromkeys(row["covariate"] for row in rows))
    sources = [name for name in preferences.sources if any(row["judge"] == name for row in rows)]
    about = counted(preferences.about["topics"], "topic")
    tip = ["judge:N", "covariate:N", *(alt.Tooltip(f"{x}:Q", format=".4f") for x in ("value", "p"))]
    picture, wide = _dots(rows, "covariate", names, sources, tip, "Added to the log-odds", frame)
    return styled(picture, wide, "Influence on judges", about, title=frame["title"])


@chart("judges strengths")
def system_strengths(strengths: JudgedStrengths, **frame: Unpack[Frame]) -> alt.LayerChart:
    """How strong each system is, with intervals, and if it is known, without the influence of covariates."""
    rows: list[dict[str, Any]] = []
    for one in strengths.strengths:
        shown = [("as voted", one.strength, one.low, one.high)]
        if strengths.coefficients:
            shown.append(("controlled", one.controlled, one.controlled_low, one.controlled_high))
        for kind, value, low, high in shown:
            if value == value:
                ends = {"low": low, "high": high} if low == low else {}
                rows.append({"system": one.system, "judge": kind, "value": value} | ends)
    kinds = ["as voted", "controlled"] if strengths.coefficients else ["as voted"]
    names = [one.system for one in strengths.strengths]
    about = counted(len(names), "system")
    tip = ["system:N", *(alt.Tooltip(f"{x}:Q", format=".3f") for x in ("value", "low", "high"))]
    picture, wide = _dots(rows, "system", names, kinds, tip, "Strength in log-odds", frame)
    return styled(picture, wide, "Strengths of systems", about, title=frame["title"])


def _dots(
    rows: list[dict[str, Any]],
    by: str,
    names: Sequence[str],
    series: Sequence[str],
    tip: list[Any],
    axis: str,
    frame: Frame,
) -> tuple[alt.LayerChart, int]:
    """A line for each name with a dot and an interval for each series, and the width of the picture.

    The field "judge" of a row names its series.
    """
    down = frame["height"] or max(60, (14 * len(series) + 10) * len(names))
    across = frame["width"] or 380
    labels = row_labels(down / max(1, len(names)))
    y = alt.Y(f"{by}:N", title=None, sort=list(names), axis=alt.Axis(**labels))
    apart = alt.YOffset("judge:N", sort=list(series))
    legend = alt.Legend() if len(series) > 1 else None
    look, shapes = (
        alt.Scale(domain=list(series), range=[kinds[i % len(kinds)] for i in range(len(series))])
        for kinds in (COLOURS, SHAPES)
    )
    colour = alt.Color("judge:N", title=None, scale=look, legend=legend)
    shape = alt.Shape("judge:N", title=None, scale=shapes, legend=legend)
    base = alt.Chart(data(rows))
    picture = alt.LayerChart(
        layer=[
            base.mark_rule(color=QUIET, strokeDash=[4, 3]).encode(x=alt.datum(0)),
            base.transform_filter("isValid(datum.low)")
            .mark_rule()
            .encode(x="low:Q", x2="high:Q", y=y, yOffset=apart, color=colour),
            base.mark_point(filled=True, size=45).encode(
                x=alt.X("value:Q", title=axis), y=y, yOffset=apart, color=colour, shape=shape, tooltip=tip
            ),
        ]
    ).properties(width=across, height=down)
    return picture, across


def _beside(
    panels: dict[str, list[dict[str, Any]]],
    panel: Callable[[list[dict[str, Any]], float, float], alt.LayerChart],
    own: Sequence[int],
    frame: Frame,
) -> tuple[alt.ConcatChart, float]:
    """Panels in rows of at most two, and the width of a row. `own`: the size of a panel."""
    data([{"panel": name} for name in panels])  # refuses to draw nothing
    width, height = frame["width"], frame["height"]
    columns = 1 if is_narrow() else min(2, len(panels))
    lines = -(-len(panels) // columns)
    gaps = BESIDE * (columns - 1)
    across = max(40.0, (width - gaps) / columns) if width else own[0]
    down = max(20.0, height / lines) if height else own[1]
    charts = [
        panel(rows, across, down).properties(
            width=across,
            height=down,
            title=alt.TitleParams(wrapped(name, int(across / LETTER)), fontWeight="normal", fontSize=12),
        )
        for name, rows in panels.items()
    ]
    return alt.ConcatChart(concat=charts, columns=columns, spacing=BESIDE), across * columns + gaps
