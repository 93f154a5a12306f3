"""How the ranks of runs move with a parameter of a measure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import altair as alt
import numpy as np

from rankprism.data.hits import Floats
from rankprism.errors import InputError
from rankprism.formats.scores import read_scores
from rankprism.measures import parse
from rankprism.meta.unanimity import TIED
from rankprism.plots.theme import COLOURS, DASHES, data, extent, shortened, styled

#: Runs with a colour of their own: those that move most.
COLOURED = 6


def sensitivity(scores: Any, parameter: str) -> alt.LayerChart:
    """The rank of each run as a parameter of a measure moves; runs with the same mean share their ranks.

    scores : by variants of one measure such as ``alpha_nDCG(alpha=0.1)@10`` that differ in this parameter
        only; what `evaluate` returns, or whatever `read_scores` takes.
    """
    found = read_scores(scores).complete()
    order, values = _variants(found.measures, parameter)
    means = found.means[:, order]
    ranks = _ranks(means)
    shown = [_printed(value) for value in values]
    travel = np.ptp(ranks, axis=1)
    movers = [int(r) for r in np.lexsort((ranks[:, -1], -travel)) if travel[r] > 0][:COLOURED]
    runs = [found.runs[r] for r in movers]
    rows = [
        {
            "run": run,
            "value": shown[v],
            "rank": float(ranks[r, v]),
            "mean": float(means[r, v]),
            "measure": found.measures[order[v]],
            "moves": r in movers,
        }
        for r, run in enumerate(found.runs)
        for v in range(len(shown))
    ]
    table = data(rows)
    step = 20 if len(found.runs) <= 30 else 13
    x = alt.X(
        "value:N",
        title=parameter,
        scale=alt.Scale(type="point", domain=shown, padding=0.15),
        axis=alt.Axis(labelAngle=0, grid=True, domain=False, ticks=False),
    )
    y = alt.Y(
        "rank:Q",
        scale=alt.Scale(domain=[0.4, len(found.runs) + 0.6], reverse=True, nice=False, zero=False),
        axis=None,
    )
    tooltip: list[Any] = ["run:N", "measure:N", "rank:Q", alt.Tooltip("mean:Q", format=".4f")]
    base = alt.Chart(table).encode(x=x, y=y, tooltip=tooltip)
    quiet = base.transform_filter("!datum.moves")
    loud = base.transform_filter("datum.moves")
    colour = alt.Color("run:N", scale=alt.Scale(domain=runs, range=list(COLOURS[: len(runs)])), legend=None)
    dash = alt.StrokeDash("run:N", scale=alt.Scale(domain=runs, range=list(DASHES[: len(runs)])), legend=None)
    size: dict[str, Any] = {"filled": True, "opacity": 1.0, "size": 40 if step >= 20 else 24}
    layers = [
        quiet.mark_line(color="#BEBEBE", strokeWidth=1.3).encode(detail="run:N"),
        quiet.mark_point(color="#BEBEBE", **size),
        loud.mark_line(strokeWidth=2.2).encode(color=colour, strokeDash=dash),
        loud.mark_point(**size).encode(color=colour),
    ]
    sides: list[tuple[int, Literal["left", "right"], int]] = [(0, "right", -10), (len(shown) - 1, "left", 10)]
    for v, align, dx in sides:
        ends = alt.Chart(data(_ends(found.runs, ranks[:, v], shown[v], align)))
        layers.append(
            ends.mark_text(align=align, baseline="middle", dx=dx, fontSize=min(11, step - 2)).encode(
                x=x, y=y, text="label:N"
            )
        )
    first = parse(found.measures[0])
    family = replace(first, settings={k: v for k, v in first.settings.items() if k != parameter})
    chart: alt.LayerChart = alt.LayerChart(layer=layers).properties(
        width=max(260, 80 * (len(shown) - 1)), height=step * len(found.runs)
    )
    rest = f"; in colour the {len(runs)} that move most" if 0 < len(runs) < len(found.runs) else ""
    return styled(
        chart,
        f"Ranks of runs by {family} as {parameter} moves",
        extent(len(found.runs), len(found.topics)) + rest,
        70,
    )


def _variants(measures: tuple[str, ...], parameter: str) -> tuple[list[int], list[Any]]:
    """The positions of the variants by the parameter's value, and the values."""
    parsed = [parse(name) for name in measures]
    values = [measure[parameter] for measure in parsed]
    if len(measures) < 2:
        raise InputError(
            f"{measures[0]} is one variant; two or more are needed that differ in {parameter}, "
            f"e.g. {parsed[0].name}({parameter}=…)"
        )
    rest = [(m.name, {k: v for k, v in m.settings.items() if k != parameter}) for m in parsed]
    for name, others in zip(measures, rest, strict=True):
        if others != rest[0]:
            raise InputError(
                f"{measures[0]} and {name} differ in more than {parameter}; keep the rest the same"
            )
    for i, value in enumerate(values):
        if value in values[:i]:
            first = measures[values.index(value)]
            raise InputError(
                f"{first} and {measures[i]} have the same {parameter}, {value!r}; keep one of them"
            )
    order = list(range(len(values)))
    if all(isinstance(value, int | float) or value is None for value in values):
        order.sort(key=lambda i: float("inf") if values[i] is None else float(values[i]))
    return order, [values[i] for i in order]


def _printed(value: Any) -> str:
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _ranks(means: Floats) -> Floats:
    """(run, variant): ranks from 1, the best; runs with the same mean have the mean of their ranks."""
    better = (means[None] > means[:, None] + TIED).sum(1)
    tied = (np.abs(means[None] - means[:, None]) <= TIED).sum(1)
    return np.asarray(better + (tied + 1) / 2)


def _ends(runs: tuple[str, ...], ranks: Floats, value: str, align: str) -> list[dict[str, Any]]:
    """The names beside the ranks at one end, those of the same rank together."""
    together: dict[float, list[str]] = {}
    for run, rank in zip(runs, ranks, strict=True):
        together.setdefault(float(rank), []).append(run)
    out = []
    for rank, names in together.items():
        first = rank - (len(names) - 1) / 2
        number = f"{first:g}" if len(names) == 1 else f"{first:g}–{first + len(names) - 1:g}"
        name = shortened(names, 3)
        label = f"{name}\u2002{number}" if align == "right" else f"{number}\u2002{name}"
        out.append({"value": value, "rank": rank, "label": label})
    return out
