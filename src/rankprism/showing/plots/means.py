"""Means of runs with confidence intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from rankprism.data import Floats, Longs, issue
from rankprism.errors import InputError
from rankprism.formats import read_scores
from rankprism.measures import shown_name
from rankprism.results import marked, signs
from rankprism.showing.plots.fitting import whole_width
from rankprism.showing.plots.record import Frame, alt, chart
from rankprism.showing.plots.theme import (
    FIRST,
    QUIET,
    counted,
    data,
    longest,
    most_letters,
    of_all,
    row_labels,
    rows_that_fit,
    short,
    styled,
    wrapped,
)
from rankprism.statistics import CLAIMS, heavy_means, t_intervals
from rankprism.text import shortened
from rankprism.types import ScoresLike

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankprism.comparison import Comparison
    from rankprism.judging.judges import EstimatedScores
    from rankprism.results import Scores

#: The largest number of measures side by side.
COLUMNS = 4
#: The width of a panel in pixels, and the gap between two.
PANEL, BESIDE = 190, 14
#: The smallest width of a panel in pixels, if the width of the picture is given.
NARROWEST = 70


@chart("plot intervals")
def intervals(scores: ScoresLike, alpha: float = 0.05, **frame: Unpack[Frame]) -> alt.ConcatChart:
    """The mean of each run by each measure, with its t interval. The best run is on top.

    Where means are over different numbers of topics, labels have the numbers.

    An interval says how certain a mean is. It does not say whether two runs differ, because all runs have the
    same topics. `rankprism.compare` tests differences.

    Parameters
    ----------
    scores
        What `evaluate` returns, or whatever `read_scores` takes. The first measure decides the order.
    alpha
        The intervals have the confidence 1 - alpha.
    """
    if not 0 < alpha < 1:
        raise InputError(f"alpha must be a number between 0 and 1; got {alpha!r}")
    found = read_scores(scores)
    means, margins = t_intervals(found.values, alpha)
    issue(heavy_means(found.values, found.measures))
    counts = found.counts
    least, most = int(counts.min(initial=len(found.topics))), int(counts.max(initial=0))
    topics = counted(most, "topic") if least == most else f"different topics ({least} to {most})"
    if CLAIMS["a mean"].missing(most) is None:
        shown = f"with {100 * (1 - alpha):g} % t intervals over {topics}"
    else:
        shown = f"on {topics}, too few for intervals"
    words = ("Mean scores of runs", shown)
    return _of_runs(found, means, margins, words, frame, counts)


@chart("judges score")
def estimated_scores(estimates: EstimatedScores, **frame: Unpack[Frame]) -> alt.ConcatChart:
    """The score of each run that complete judgments by people would give, with its interval.

    The best run is on top. A measure without intervals has points only.
    """
    about = estimates.about
    shown = (
        f"with {100 * about['confidence']:g} % intervals, from {about['labels']:,} labels of people and "
        f"those of {counted(len(about['judges']), 'judge')}"
    )
    return _of_runs(estimates, estimates.means, estimates.half, ("Estimated scores", shown), frame)


def _of_runs(
    found: Scores | EstimatedScores,
    means: Floats,
    margins: Floats,
    words: tuple[str, str],
    frame: Frame,
    counts: Longs | None = None,
) -> alt.ConcatChart:
    """A panel for each measure, in which each run has a row.

    means, margins : (run, measure). words : a title and a subtitle. counts : (run, measure) the number of
    topics of each mean. Labels have it where it differs.
    """
    lower = found.lower_is_better
    every: Sequence[str] = found.runs
    axes = [marked(shown_name(one), one, lower) for one in found.measures]
    if counts is not None:
        every, axes = _with_counts(every, axes, counts)
    order = _by_mean(means[:, 0] * signs(found.measures, lower)[0])
    layout = _Layout.of(len(found.measures), len(order), frame)
    order = order[: layout.rows]
    runs = [every[r] for r in order]
    charts = []
    for m, measure in enumerate(map(shown_name, found.measures)):
        rows: list[dict[str, Any]] = [
            {
                "run": every[r],
                "measure": measure,
                "mean": float(means[r, m]),
                "low": _defined(means[r, m] - margins[r, m]),
                "high": _defined(means[r, m] + margins[r, m]),
            }
            for r in order
            if not np.isnan(means[r, m])
        ]
        charts.append(
            _panel(
                rows,
                ("run", "mean", "mean"),
                runs,
                axes[m],
                layout,
                labels=m % layout.columns == 0,
                fill=alt.value(FIRST),
                below=[],
            )
        )
    sorted_by = f"; in the order of {shown_name(found.measures[0])}" if len(found.measures) > 1 else ""
    sorted_by += of_all(len(runs), len(every), "runs")
    return _panels(charts, layout, words[0], words[1] + sorted_by, frame["title"])


def _with_counts(runs: Sequence[str], measures: list[str], counts: Longs) -> tuple[Sequence[str], list[str]]:
    """Names of runs, or of measures, with the number of topics that their means are over, if it differs."""
    if (counts == counts.ravel()[:1]).all():
        return runs, measures
    if (counts == counts[0]).all():
        return runs, [
            f"{name} ({counted(int(n), 'topic')})" for name, n in zip(measures, counts[0], strict=True)
        ]
    each = [list(dict.fromkeys(row)) for row in counts.tolist()]
    return [
        f"{name} ({', '.join(map(str, [*n[:-1], counted(n[-1], 'topic')]))})"
        for name, n in zip(runs, each, strict=True)
    ], measures


@chart("compare")
def difference_intervals(
    comparison: Comparison, *, most: int = 40, **frame: Unpack[Frame]
) -> alt.ConcatChart:
    """The difference between the runs of each pair, with its interval. Significant ones are filled.

    Parameters
    ----------
    most
        The number of pairs shown. If there are more, these are the largest differences from the baseline by
        the first measure; without a baseline, they are the differences of neighbours in the order of the
        runs by this measure, from the best run down.
    """
    from rankprism.comparison import TESTS
    from rankprism.statistics import NAMES_OF_CORRECTIONS

    first = np.nan_to_num(comparison.difference[0]) * comparison.direction[0]
    sign = np.where((first < 0) & (len(comparison.baselines) == 0), -1, 1)
    neighbours = len(first) > most and not comparison.baselines
    if neighbours:
        chosen = _neighbours(comparison)[:most]
    else:
        chosen = np.argsort(-np.abs(first), kind="stable")[:most]
        chosen = chosen[np.argsort(-(sign * first)[chosen], kind="stable")]
    alone = len(comparison.baselines) == 1
    short_names = shortened(comparison.runs, most_letters(32) if alone else (most_letters(67) - 3) // 2)
    names: dict[int, str] = {}
    for k in chosen:
        pair = comparison.pairs[k][:: int(sign[k])].tolist()
        names[int(k)] = " − ".join(short_names[r] for r in (pair[:1] if alone else pair))
    layout = _Layout.of(len(comparison.measures), len(names), frame)
    charts = []
    for m, measure in enumerate(map(shown_name, comparison.measures)):
        difference, margin = sign * comparison.difference[m], comparison.half_width[m]
        rows = [
            {
                "pair": pair,
                "measure": measure,
                "difference": float(difference[k]),
                "low": _defined(difference[k] - margin[k]),
                "high": _defined(difference[k] + margin[k]),
                "p": _defined(comparison.adjusted[m, k]),
                "significant": bool(comparison.significant[m, k]),
            }
            for k, pair in names.items()
            if not np.isnan(difference[k])
        ]
        zero = alt.Chart(alt.InlineData(values=[{"zero": 0}])).mark_rule(color=QUIET).encode(x="zero:Q")
        charts.append(
            _panel(
                rows,
                ("pair", "difference", "p"),
                list(names.values()),
                f"Difference in {marked(measure, comparison.measures[m], comparison.lower_is_better)}",
                layout,
                labels=m % layout.columns == 0,
                fill=alt.condition("datum.significant", alt.value(FIRST), alt.value("white")),
                below=[zero],
            )
        )
    correction = comparison.correction
    test = TESTS[comparison.test].words
    test += "" if correction == "none" else f", {NAMES_OF_CORRECTIONS[correction]} correction"
    some = ""
    if neighbours:
        which = "neighbours" if len(chosen) == len(comparison.runs) - 1 else f"the first {most} neighbours"
        some = f"; {which} in the order of {shown_name(comparison.measures[0])}"
    elif len(first) > most:
        some = f"; the {most} largest of {len(first)} differences"
    named = ", ".join(map(short, comparison.baselines))
    to = f"from {named}" if named else "between runs"
    kind = "" if comparison.interval == "single" else f"{comparison.interval} "
    return _panels(
        charts,
        layout,
        f"Differences {to}",
        f"with {100 * (1 - comparison.alpha):g} % {kind}intervals; "
        f"filled: p < {comparison.alpha:g} ({test}){some}",
        frame["title"],
    )


def _neighbours(comparison: Comparison) -> Longs:
    """The pairs of runs that follow each other in the order of the means by the first measure."""
    order = _by_mean(comparison.means[:, 0] * comparison.direction[0])
    place = {frozenset(pair): k for k, pair in enumerate(comparison.pairs.tolist())}
    return np.array([place[frozenset(pair)] for pair in pairwise(order.tolist())])


def _by_mean(means: Floats) -> Longs:
    """The positions of runs, the highest mean first. Those without a mean come last."""
    return np.argsort(-np.nan_to_num(means, nan=-np.inf), kind="stable")


@dataclass(frozen=True)
class _Layout:
    """How panels share the plotting area."""

    columns: int
    #: the width of a panel and the height of a row, in pixels
    width: float
    step: float
    #: the number of rows that are shown
    rows: int

    @classmethod
    def of(cls, panels: int, rows: int, frame: Frame) -> _Layout:
        width, height = frame["width"], frame["height"]
        whole = whole_width()
        columns = _columns(panels, COLUMNS if whole is None else max(1, int(whole * 0.6) // NARROWEST))
        lines = math.ceil(panels / columns)
        own, shown = rows_that_fit(rows, lines)
        each = (width - BESIDE * (columns - 1)) / columns if width else 320 if panels == 1 else PANEL
        return cls(columns, max(20.0, each), height / lines / shown if height else own, shown)


def _defined(value: Any) -> float | None:
    return None if np.isnan(value) else float(value)


def _panel(
    rows: list[dict[str, Any]],
    fields: tuple[str, str, str],
    names: list[str],
    axis: str,
    layout: _Layout,
    *,
    labels: bool,
    fill: Any,
    below: list[alt.Chart],
) -> alt.LayerChart:
    """The panel of one measure, in which each name has a row with a point and a line from low to high."""
    name, value, more = fields
    base = (
        alt.Chart(data(rows))
        .encode(
            y=alt.Y(
                f"{name}:N",
                title=None,
                scale=alt.Scale(domain=names),
                # Names have few enough letters. If these are wide, the end of a name is not cut off.
                axis=alt.Axis(
                    labels=labels,
                    ticks=False,
                    domain=False,
                    grid=True,
                    labelLimit=2 * longest(),
                    **row_labels(layout.step, names),
                ),
            ),
            tooltip=[
                f"{name}:N",
                *(alt.Tooltip(f"{x}:Q", format=".4f") for x in dict.fromkeys((value, "low", "high", more))),
            ],
        )
        .properties(width=layout.width, height=alt.Step(layout.step))
    )
    rule = base.mark_rule(color=FIRST, strokeWidth=1.6).encode(
        x=alt.X(
            "low:Q",
            title=wrapped(axis, int(layout.width / 6)),
            scale=alt.Scale(zero=False, padding=5),
            axis=alt.Axis(grid=False, tickCount=min(5, max(2, int(layout.width // 36)))),
        ),
        x2="high:Q",
    )
    point = base.mark_point(stroke=FIRST, strokeWidth=1.4, opacity=1, size=min(36.0, layout.step**2)).encode(
        x=f"{value}:Q", fill=fill
    )
    return alt.LayerChart(layer=[*below, rule, point])


def _columns(measures: int, most: int = COLUMNS) -> int:
    """The number of columns that gives as few rows as possible, of about equal length."""
    return math.ceil(measures / math.ceil(measures / min(most, COLUMNS)))


def _panels(
    charts: list[alt.LayerChart], layout: _Layout, own: str, subtitle: str, title: str | None
) -> alt.ConcatChart:
    chart = alt.ConcatChart(concat=charts, columns=layout.columns, spacing=BESIDE)
    return styled(chart, layout.columns * layout.width, own, subtitle, title=title)
