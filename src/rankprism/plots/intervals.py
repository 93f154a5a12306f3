"""Means of runs with confidence intervals."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np

from rankprism.data.hits import Floats
from rankprism.errors import InputError
from rankprism.formats.scores import read_scores
from rankprism.plots.theme import FIRST, data, styled, wrapped

#: Measures beside each other.
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
    step = 18 if len(runs) <= 30 else 13
    charts = []
    for m, measure in enumerate(found.measures):
        rows = [
            {
                "run": found.runs[r],
                "measure": measure,
                "mean": float(means[r, m]),
                "low": float(means[r, m] - margins[r, m]) if not np.isnan(margins[r, m]) else None,
                "high": float(means[r, m] + margins[r, m]) if not np.isnan(margins[r, m]) else None,
            }
            for r in order
            if not np.isnan(means[r, m])
        ]
        first = m % COLUMNS == 0
        base = (
            alt.Chart(data(rows))
            .encode(
                y=alt.Y(
                    "run:N",
                    title=None,
                    scale=alt.Scale(domain=runs),
                    axis=alt.Axis(
                        labels=first, ticks=False, domain=False, grid=True, labelFontSize=min(11, step - 2)
                    ),
                ),
                tooltip=["run:N", *(alt.Tooltip(f"{n}:Q", format=".4f") for n in ("mean", "low", "high"))],
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
        point = base.mark_point(filled=True, color=FIRST, opacity=1, size=38).encode(x="mean:Q")
        charts.append(alt.layer(rule, point))
    topics = f"{len(found.topics)} topics" if len(found.topics) != 1 else "1 topic, hence no interval"
    return styled(
        alt.concat(*charts, columns=COLUMNS, spacing=14),
        "Mean scores of runs",
        f"with {100 * (1 - alpha):g} % t intervals over {topics}"
        + (f"; in the order of {found.measures[0]}" if len(found.measures) > 1 else ""),
        50 if len(charts) == 1 else 80,
    )


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
