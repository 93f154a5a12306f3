"""How the ranks of runs change with a parameter of a measure."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np

from rankprism.errors import InputError, listed
from rankprism.formats import read_scores
from rankprism.measures import Measure, parse, shown_name
from rankprism.meta import TIED
from rankprism.results import marked
from rankprism.showing.plots.fitting import whole_width
from rankprism.showing.plots.record import Frame, alt, chart
from rankprism.showing.plots.theme import COLOURS, DASHES, LOWEST, TALLEST, data, extent, joined, styled
from rankprism.text import shortened
from rankprism.types import ScoresLike

if TYPE_CHECKING:
    from rankprism.data import Floats

#: Number of runs in colour: the runs whose ranks change most.
COLOURED = 6


@chart("plot sensitivity", "-m 'alpha_nDCG(alpha={})@10' --values 0,0.5,0.9")
def sensitivity(scores: ScoresLike, parameter: str | None = None, **frame: Unpack[Frame]) -> alt.LayerChart:
    """The rank of each run as a parameter of a measure changes. Runs with the same mean share a rank.

    The axis is true to scale: from 0.5 to 0.9 it is four times as far as from 0.4 to 0.5. It is logarithmic
    if the largest value is at least 50 times the smallest.

    Parameters
    ----------
    scores
        Scores by variants of one measure such as ``alpha_nDCG(alpha=0.1)@10`` that differ in one parameter;
        what `evaluate` returns, or whatever `read_scores` takes.
    parameter
        The parameter in which the measures differ. Default: found from the measures.
    """
    height = frame["height"]
    found = read_scores(scores).complete()
    parameter, order, values = _variants(found.measures, parameter)
    means = found.means[:, order]
    ranks = _ranks(means * found.direction[order])
    shown = [_printed(value) for value in values]
    scale, places = _places(values)
    travel = np.ptp(ranks, axis=1)
    movers = [int(r) for r in np.lexsort((ranks[:, -1], -travel)) if travel[r] > 0][:COLOURED]
    runs = [found.runs[r] for r in movers]
    rows = [
        {
            "run": run,
            "value": shown[v],
            "place": places[v],
            "rank": float(ranks[r, v]),
            "mean": float(means[r, v]),
            "measure": shown_name(found.measures[order[v]]),
            "moves": r in movers,
        }
        for r, run in enumerate(found.runs)
        for v in range(len(shown))
    ]
    table = data(rows)
    # With very many runs the lines get close, and only some of the names are written.
    own = 20 if len(found.runs) <= 30 else 13
    step = height / len(found.runs) if height else min(own, TALLEST / len(found.runs))
    width = frame["width"] or _width(scale, places)
    x = alt.X(
        "place:Q",
        title=parameter + (" (logarithmic axis)" if scale == "log" else ""),
        scale=alt.Scale(type=scale, domain=[places[0], places[-1]], nice=False, zero=False),
        axis=alt.Axis(
            values=places,
            labelExpr=f"{json.dumps(shown)}[indexof({json.dumps(places)}, datum.value)]",
            labelAngle=0,
            labelOverlap="greedy",
            grid=True,
            domain=False,
            ticks=False,
        ),
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
    font = max(6.0, min(11.0, step - 2))
    layers = [
        quiet.mark_line(color="#BEBEBE", strokeWidth=1.3).encode(detail="run:N"),
        quiet.mark_point(color="#BEBEBE", **size),
        loud.mark_line(strokeWidth=2.2).encode(color=colour, strokeDash=dash),
        loud.mark_point(**size).encode(color=colour),
    ]
    sides: list[tuple[int, Literal["left", "right"], int]] = [(0, "right", -1), (len(shown) - 1, "left", 1)]
    for v, align, away in sides:
        named = _ends(found.runs, ranks[:, v], places[v], every=math.ceil(LOWEST / step))
        ends = alt.Chart(data(named)).encode(x=x, y=y)
        # The texts are separate, because a right-to-left name would change sides in a joint text.
        beyond = 10 + (0.56 * max(len(end["number"]) for end in named) + 0.6) * font
        for field, dx in (("number", 10.0), ("label", beyond)):
            text = ends.mark_text(align=align, baseline="middle", dx=away * dx, fontSize=font)
            layers.append(text.encode(text=f"{field}:N"))
    first = parse(found.measures[0])
    family = replace(first, settings={k: v for k, v in first.settings.items() if k != parameter})
    picture: alt.LayerChart = alt.LayerChart(layer=layers).properties(
        width=width, height=step * len(found.runs)
    )
    rest = f"; in colour the {len(runs)} that move most" if 0 < len(runs) < len(found.runs) else ""
    return styled(
        picture,
        width + 120,  # there are names on both sides
        f"Ranks of runs by {marked(shown_name(str(family)), found.measures[0], found.lower_is_better)} as "
        f"{parameter} moves",
        extent(len(found.runs), len(found.topics)) + rest,
        title=frame["title"],
    )


def _places(values: list[Any]) -> tuple[Literal["linear", "log"], list[float]]:
    """The kind of axis, and the positions of values on it. Values that are not numbers follow in order.

    >>> _places([0.0, 0.5, 0.9])
    ('linear', [0.0, 0.5, 0.9])
    >>> _places([5, 10, None])
    ('linear', [5.0, 10.0, 15.0])
    >>> _places([1, 10, 1000])
    ('log', [1.0, 10.0, 1000.0])
    """
    numbers = [float(value) for value in values if _is_number(value)]
    if len(numbers) < len(values) - (None in values):
        return "linear", [float(i) for i in range(len(values))]
    log = len(numbers) > 1 and numbers[0] > 0 and numbers[-1] / numbers[0] >= 50
    if None in values:  # such as "no cutoff", which goes one step beyond the last number
        before, last = ([0.0, 1.0, *numbers])[-2:]
        numbers.append(last * last / before if log else 2 * last - before)
    return "log" if log else "linear", numbers


def _width(scale: str, places: list[float]) -> int:
    """The width in pixels at which the labels of the closest values do not overlap, within limits."""
    at = np.log(places) if scale == "log" else np.array(places)
    return int(np.clip(32 * np.ptp(at) / np.diff(at).min(), max(320, 60 * (len(places) - 1)), 900))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _variants(measures: tuple[str, ...], parameter: str | None) -> tuple[str, list[int], list[Any]]:
    """The parameter that changes, the variants sorted by its value, and the values."""
    parsed = [parse(name) for name in measures]
    parameter = _moving(parsed) if parameter is None else parameter
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
    if all(_is_number(value) or value is None for value in values):
        order.sort(key=lambda i: float("inf") if values[i] is None else float(values[i]))
    return parameter, order, [values[i] for i in order]


def _moving(variants: list[Measure]) -> str:
    """The only parameter in which measures differ."""
    first = variants[0]
    if all(measure.name == first.name for measure in variants):
        names = dict.fromkeys(name for measure in variants for name in measure.settings)
        moving = [name for name in names if any(measure[name] != first[name] for measure in variants)]
        if len(moving) == 1:
            return moving[0]
        if len(moving) > 1:
            raise InputError(f"the measures differ in {' and '.join(moving)}; keep all but one the same")
    raise InputError(
        f"{listed(map(str, variants))}: name variants of one measure that differ in one parameter, "
        "e.g. alpha_nDCG(alpha=0.3)@10 and alpha_nDCG(alpha=0.7)@10"
    )


def _printed(value: Any) -> str:
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _ranks(means: Floats) -> Floats:
    """(run, variant): ranks, where 1 is the highest. Runs with the same mean get the mean of their ranks."""
    better = (means[None] > means[:, None] + TIED).sum(1)
    tied = (np.abs(means[None] - means[:, None]) <= TIED).sum(1)
    return np.asarray(better + (tied + 1) / 2)


def _ends(runs: tuple[str, ...], ranks: Floats, place: float, every: int = 1) -> list[dict[str, Any]]:
    """The names beside the ranks at one end. Names with the same rank share a label.

    every : the distance of ranks whose names are written.
    """
    whole = whole_width()
    short_names = dict(zip(runs, shortened(runs, 32 if whole is None else max(6, whole // 32)), strict=True))
    together: dict[float, list[str]] = {}
    for run, rank in zip(runs, ranks, strict=True):
        together.setdefault(float(rank), []).append(run)
    out: list[dict[str, Any]] = []
    for rank, names in sorted(together.items()):
        first = rank - (len(names) - 1) / 2
        number = f"{first:g}" if len(names) == 1 else f"{first:g}–{first + len(names) - 1:g}"
        if out and rank - out[-1]["rank"] < every:
            continue
        label = joined([short_names[name] for name in names], 3 if whole is None else 1)
        out.append({"place": place, "rank": rank, "number": number, "label": label})
    return out
