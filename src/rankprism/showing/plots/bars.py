"""Bar charts: the unanimity of measures, and the difference between two runs on each topic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from rankprism.errors import InputError, listed
from rankprism.formats import read_scores
from rankprism.measures import shown_name
from rankprism.results import marked
from rankprism.showing.plots.record import Frame, alt, chart
from rankprism.showing.plots.theme import (
    AMOUNTS,
    FIRST,
    QUIET,
    SECOND,
    counted,
    data,
    extent,
    in_full,
    is_narrow,
    joined,
    only_measure,
    row_labels,
    short,
    styled,
    wrapped,
)
from rankprism.types import MeasureName, ScoresLike

if TYPE_CHECKING:
    from rankprism.meta import Unanimity


#: The largest number of topics in the chart of differences.
MOST_BARS = 1600


@chart("meta unanimity")
def unanimity_bars(unanimity: Unanimity, **frame: Unpack[Frame]) -> alt.LayerChart:
    """The Metric Unanimity of each measure, with its interval. The most unanimous measure is on top.

    Parameters
    ----------
    unanimity
        What `meta.unanimity` returns, or its `grouped()`.
    """
    height = frame["height"]
    width = frame["width"] or 340
    rows: list[dict[str, Any]] = []
    columns = unanimity.rows.columns
    for place, i in enumerate(unanimity.order):
        mu = float(unanimity.mu[i])
        defined = not np.isnan(mu)
        names = [shown_name(name) for name in unanimity.measures[i].split(", ")]
        rows.append(
            {
                "measure": ", ".join(names),
                "label": joined(names),
                "mu": mu if defined else None,
                "printed": f"{mu:.4f}" if defined else "not defined",
            }
        )
        low, high = (float(columns[end][place]) if end in columns else np.nan for end in ("low", "high"))
        known = not np.isnan(low)
        rows[-1] |= {
            "low": low if known else None,
            "high": high if known else None,
            "end": max(0.0, *(x for x in (mu, high) if not np.isnan(x)), 0.0),
        }
    step = height / len(rows) if height else 20 if len(rows) <= 60 else 13
    has_intervals = any(row["low"] is not None for row in rows)
    base = (
        alt.Chart(data(rows))
        .encode(
            y=alt.Y(
                "label:N",
                title=None,
                sort=None,
                axis=alt.Axis(
                    ticks=False,
                    domain=False,
                    labelPadding=6,
                    **row_labels(step, [row["label"] for row in rows]),
                ),
            ),
            tooltip=[
                "measure:N",
                alt.Tooltip("printed:N", title="MU"),
                *(alt.Tooltip(f"{end}:Q", format=".4f") for end in ("low", "high") if has_intervals),
            ],
        )
        .properties(width=width, height=alt.Step(step))
    )
    # The number is to the right of the bar and its interval, or of 0 if both extend to the left.
    axis = alt.Axis(tickCount=6, grid=False)
    bars = base.mark_bar(color=AMOUNTS[3], size=0.65 * step).encode(
        x=alt.X("mu:Q", title=wrapped("Metric Unanimity (bits; at most 1)", int(width // 6)), axis=axis)
    )
    spans = base.transform_filter("isValid(datum.low)").mark_rule(color="black", strokeWidth=1.4)
    numbers = base.mark_text(align="left", dx=4, fontSize=min(11.0, step)).encode(x="end:Q", text="printed:N")
    about = unanimity.about
    layers = [bars, *([spans.encode(x="low:Q", x2="high:Q")] if has_intervals else []), numbers]
    said = extent(about["runs"], about["topics"])
    if has_intervals:
        said += f"; lines: {100 * about['intervals']['confidence']:g} % intervals over topics"
    return styled(
        alt.LayerChart(layer=layers), width, "Metric Unanimity of measures", said, title=frame["title"]
    )


@chart("plot differences", "-m P@20 --run a --baseline b")
def differences(
    scores: ScoresLike,
    run: str | None = None,
    baseline: str | None = None,
    measure: MeasureName | None = None,
    **frame: Unpack[Frame],
) -> alt.LayerChart:
    """The difference between two runs on each topic. The largest gain is on the left.

    Parameters
    ----------
    scores
        What `evaluate` returns, or whatever `read_scores` takes.
    run
        The run. Default: the first of two.
    baseline
        The run to compare it with: the difference is run - baseline. Default: the second of two.
    measure
        A measure. Default: the only measure, if there is just one.
    """
    width, height = frame["width"], frame["height"]
    found = read_scores(scores)
    if run is None or baseline is None:
        if len(found.runs) != 2:
            raise InputError(
                "name two runs with --run and --baseline (in Python, run= and baseline=); "
                f"there are {listed(found.runs)}"
            )
        # If only one of two runs is named, the other one is meant.
        run = run or next(name for name in found.runs if name != baseline)
        baseline = baseline or next(name for name in found.runs if name != run)
    if run == baseline:
        raise InputError(f"{run} is compared with itself; name another run")
    pair = found.select(runs=[run, baseline], measures=[only_measure(found, measure)])
    name = marked(shown_name(pair.measures[0]), pair.measures[0], pair.lower_is_better)
    difference = pair.values[0, :, 0] - pair.values[1, :, 0]
    defined = np.flatnonzero(~np.isnan(difference))
    gain = difference * pair.direction[0]
    order = [int(t) for t in defined[np.argsort(-gain[defined], kind="stable")]]
    gains, losses = int((gain[order] > 0).sum()), int((gain[order] < 0).sum())
    count = max(len(order), 1)
    mean = float(np.mean(difference[order])) if order else 0.0
    if len(order) > MOST_BARS:  # the largest gains and the largest losses
        order = order[: MOST_BARS // 2] + order[-(MOST_BARS // 2) :]
    rows = [
        {
            "topic": pair.topics[t],
            "difference": float(difference[t]),
            "score": float(pair.values[0, t, 0]),
            "other": float(pair.values[1, t, 0]),
            "better": run if gain[t] > 0 else baseline if gain[t] < 0 else "equal",
        }
        for t in order
    ]
    step = width / max(len(rows), 1) if width else max(1, min(16, 900 // count), 260 // count)
    legible = step >= 8
    bars = (
        alt.Chart(data(rows))
        .mark_bar(size=min(40.0, 0.8 * step))
        .encode(
            x=alt.X(
                "topic:N",
                title="Topics, from gain to loss",
                sort=None,
                axis=alt.Axis(
                    labels=legible,
                    labelAngle=-90,
                    labelFontSize=min(11.0, step),
                    ticks=False,
                    domain=False,
                    orient="bottom",
                ),
            ),
            y=alt.Y("difference:Q", title=wrapped(f"Difference in {name}", int((height or 260) // 6))),
            color=alt.Color(
                "better:N",
                title="Better run",
                scale=alt.Scale(domain=[run, baseline], range=[FIRST, SECOND]),
                legend=alt.Legend(
                    orient="bottom" if is_narrow() else "right",
                    direction="vertical",
                    **in_full([run, baseline]),
                ),
            ),
            tooltip=[
                "topic:N",
                *(
                    alt.Tooltip(f"{field}:Q", title=text, format=".4f")
                    for field, text in (("score", run), ("other", baseline), ("difference", "difference"))
                ),
            ],
        )
        .properties(width=alt.Step(step), height=height or 260)
    )
    zero = alt.Chart(alt.InlineData(values=[{"zero": 0}])).mark_rule(color=QUIET).encode(y="zero:Q")
    return styled(
        alt.LayerChart(layer=[bars, zero]),
        max(400, step * len(rows)),
        f"{short(run)} against {short(baseline)}, topic by topic",
        f"{name}: mean difference {mean:+.4f}; {short(run)} is better on {counted(gains, 'topic')}, "
        f"worse on {losses}, equal on {count - gains - losses}"
        + (f"; the {len(rows) // 2:,} largest gains and losses" if len(rows) < count else ""),
        title=frame["title"],
    )
