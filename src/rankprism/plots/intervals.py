"""Means of runs with confidence intervals."""

from __future__ import annotations

import math
from typing import Any

import altair as alt
import numpy as np

from rankprism.comparison.comparison import TESTS, Comparison
from rankprism.data.hits import Floats
from rankprism.errors import InputError
from rankprism.formats.scores import read_scores
from rankprism.plots.theme import FIRST, QUIET, data, styled, wrapped
from rankprism.statistics.corrections import NAMES_OF_CORRECTIONS

#: Measures beside each other, at most.
COLUMNS = 4


def score_intervals(scores: Any, alpha: float = 0.05) -> alt.ConcatChart:
    """The mean of each run by each measure, with its t interval over topics; the best by the first on top.

    scores : what `evaluate` returns, or whatever `read_scores` takes.
    alpha : the intervals cover 1 - alpha.

    They say how sure a mean is. Whether two runs differ is another question, as both have the same topics:
    `rankprism.compare` answers it.
    """
    if not 0 < alpha < 1:
        raise InputError(f"alpha must be a number between 0 and 1; got {alpha!r}")
    found = read_scores(scores)
    means, margins = t_intervals(found.values, alpha)
    order = np.argsort(-np.nan_to_num(means[:, 0], nan=-np.inf), kind="stable")
    runs = [found.runs[r] for r in order]
    charts = []
    columns = _columns(len(found.measures))
    for m, measure in enumerate(found.measures):
        rows = [
            {
                "run": found.runs[r],
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
                measure,
                labels=m % columns == 0,
                fill=alt.value(FIRST),
                below=[],
            )
        )
    if len(found.topics) > 1:
        shown = f"with {100 * (1 - alpha):g} % t intervals over {len(found.topics)} topics"
    else:
        shown = "on 1 topic, hence without intervals"
    sorted_by = f"; in the order of {found.measures[0]}" if len(found.measures) > 1 else ""
    return _panels(charts, "Mean scores of runs", shown + sorted_by)


def difference_intervals(comparison: Comparison, *, most: int = 40) -> alt.ConcatChart:
    """The difference of each pair of runs by each measure with its interval; filled where it is significant.

    most : pairs shown, those with the largest differences by the first measure. Without a baseline, each is
        written so that its difference by the first measure is not negative.
    """
    first = np.nan_to_num(comparison.difference[0])
    sign = np.where((first < 0) & (comparison.baseline is None), -1, 1)
    chosen = np.argsort(-np.abs(first), kind="stable")[:most]
    chosen = chosen[np.argsort(-(sign * first)[chosen], kind="stable")]
    names = {}
    for k in chosen:
        pair = [comparison.runs[r] for r in comparison.pairs[k][:: int(sign[k])]]
        names[int(k)] = " − ".join(pair) if comparison.baseline is None else pair[0]
    charts = []
    columns = _columns(len(comparison.measures))
    for m, measure in enumerate(comparison.measures):
        difference, margin = sign * comparison.difference[m], comparison.margin[m]
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
                measure,
                labels=m % columns == 0,
                fill=alt.condition("datum.significant", alt.value(FIRST), alt.value("white")),
                below=[zero],
            )
        )
    correction = comparison.correction
    test = TESTS[comparison.test].words
    test += "" if correction == "none" else f", {NAMES_OF_CORRECTIONS[correction]} correction"
    some = f"; the {most} largest of {len(first)} differences" if len(first) > most else ""
    to = "between runs" if comparison.baseline is None else f"to {comparison.baseline}"
    kind = "" if comparison.interval == "single" else f"{comparison.interval} "
    return _panels(
        charts,
        f"Differences {to}",
        f"with {100 * (1 - comparison.alpha):g} % {kind}intervals; "
        f"filled: p < {comparison.alpha:g} ({test}){some}",
    )


def _defined(value: Any) -> float | None:
    return None if np.isnan(value) else float(value)


def _panel(
    rows: list[dict[str, Any]],
    fields: tuple[str, str, str],
    names: list[str],
    measure: str,
    *,
    labels: bool,
    fill: Any,
    below: list[alt.Chart],
) -> alt.LayerChart:
    """One measure: a row a name, on it a point and the line from low to high."""
    name, value, more = fields
    step = 18 if len(names) <= 30 else 13
    base = (
        alt.Chart(data(rows))
        .encode(
            y=alt.Y(
                f"{name}:N",
                title=None,
                scale=alt.Scale(domain=names),
                axis=alt.Axis(
                    labels=labels, ticks=False, domain=False, grid=True, labelFontSize=min(11, step - 2)
                ),
            ),
            tooltip=[
                f"{name}:N",
                *(alt.Tooltip(f"{x}:Q", format=".4f") for x in dict.fromkeys((value, "low", "high", more))),
            ],
        )
        .properties(width=190, height=alt.Step(step))
    )
    rule = base.mark_rule(color=FIRST, strokeWidth=1.6).encode(
        x=alt.X(
            "low:Q",
            title=wrapped(measure, 32),
            scale=alt.Scale(zero=False),
            axis=alt.Axis(grid=False, tickCount=5),
        ),
        x2="high:Q",
    )
    point = base.mark_point(stroke=FIRST, strokeWidth=1.4, opacity=1, size=36).encode(
        x=f"{value}:Q", fill=fill
    )
    return alt.LayerChart(layer=[*below, rule, point])


def _columns(measures: int) -> int:
    """As few rows as there must be, and in each of them as many measures as in the others."""
    return math.ceil(measures / math.ceil(measures / COLUMNS))


def _panels(charts: list[alt.LayerChart], title: str, subtitle: str) -> alt.ConcatChart:
    chart = alt.ConcatChart(concat=charts, columns=_columns(len(charts)), spacing=14)
    return styled(chart, title, subtitle, 44 if len(charts) == 1 else 80)


def t_intervals(values: Floats, alpha: float) -> tuple[Floats, Floats]:
    """Means and margins (run, measure) of values (run, topic, measure): t(1-α/2, n-1) s / √n.

    NaN where a run has no score; the margin also where it has one only.
    """
    from scipy.special import stdtrit  # the quantile of Student's t, without the weight of scipy.stats

    n = (~np.isnan(values)).sum(1)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.nansum(values, 1) / n
        s = np.sqrt(np.nansum((values - mean[:, None]) ** 2, 1) / (n - 1))
        t = stdtrit(np.maximum(n - 1, 1), 1 - alpha / 2)
        margin = np.where(n > 1, t * s / np.sqrt(n), np.nan)
    return mean, margin
