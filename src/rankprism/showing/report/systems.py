"""The systems: their means with intervals, which of them differ, and groups of systems that do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rankprism.comparison import Comparison, compare
from rankprism.data import Bools, Floats
from rankprism.evaluation import unchecked
from rankprism.results import Scores
from rankprism.showing.report.numbers import millionths, or_none, rounded
from rankprism.statistics import CLAIMS, heavy_means, said_beyond, t_intervals

#: Largest number of groups, as many as there are letters to name them.
MOST_GROUPS = 26
#: With so many runs, tiers take the place of groups.
MANY = 50


def compared(scores: Scores, alpha: float, seed: int, on_share: Callable[[float], None]) -> Comparison | str:
    """The tests of all pairs of systems, or the reason why there are none."""
    if len(scores.runs) < 2:
        return "There is only one run, so no systems can be compared."
    if len(scores.complete().topics) < 2:
        return "There is only one topic, so no difference between systems can be tested."
    return compare(unchecked(scores), alpha=alpha, seed=seed, on_share=on_share)


def described(scores: Scores, comparison: Comparison | str, alpha: float) -> dict[str, Any]:
    """The means, their intervals and the comparison."""
    _, margin = t_intervals(scores.values, alpha)
    missing = CLAIMS["a mean"].missing(int(scores.counts.max(initial=0)))
    heavy = "".join(f" Note: {note.message}." for note in heavy_means(scores.values, scores.measures))
    return {
        "means": or_none(scores.means.T),  # (measure, run)
        "margins": [] if missing else [[rounded(x, 6) for x in row] for row in margin.T.tolist()],
        "intervals": (
            f"T{missing[1:]}."
            if missing
            else f"Each interval covers its mean with {1 - alpha:.0%} confidence (Student's t over topics)."
            + heavy
            + _beyond(scores, margin)
        )
        + _different_topics(scores),
        "latex": _latex((scores.table() if isinstance(comparison, str) else comparison).to_latex()),
        "comparison": {"missing": comparison} if isinstance(comparison, str) else _comparison(comparison),
    }


def _beyond(scores: Scores, margin: Floats) -> str:
    said = said_beyond(scores.measures, scores.values, scores.means - margin, scores.means + margin)
    return f" {said}" if said else ""


def _different_topics(scores: Scores) -> str:
    """A sentence if the means of runs or measures are over different topics."""
    counts = scores.counts
    if (counts == counts.ravel()[:1]).all():
        return ""
    shared = int((~np.isnan(scores.values)).all((0, 2)).sum())
    return (
        f" The means are over different topics ({counts.min()} to {counts.max()}); runs are compared "
        f"on the {shared} topics on which all of them have scores."
    )


def _comparison(comparison: Comparison) -> dict[str, Any]:
    better = [_better(comparison, m) for m in range(len(comparison.measures))]
    return {
        "note": f"Significant: {comparison.tested}, over {len(comparison.topics)} topics."
        + ("" if comparison.disagreement is None else f" Note: {comparison.disagreement}."),
        # Pairs are (0, 1), (0, 2), …, (1, 2), …
        "sign": np.where(comparison.significant, comparison.sign, 0).astype(int).tolist(),
        "p": [[rounded(p, 3) for p in row] for row in comparison.adjusted.tolist()],
        "difference": millionths(comparison.difference),
        "margin": millionths(comparison.half_width),
        "groups": [
            groups(matrix | matrix.T, comparison.means[:, m] * comparison.direction[m])
            if len(comparison.runs) < MANY
            else None
            for m, matrix in enumerate(better)
        ],
    }


def _better(comparison: Comparison, measure: int) -> Bools:
    """(run, run): where the first is significantly better."""
    found = np.zeros((len(comparison.runs),) * 2, dtype=bool)
    for run in range(len(comparison.runs)):
        found[run, comparison.better_than(run, measure)] = True
    return found


def groups(differ: Bools, means: Floats) -> list[list[int]] | None:
    """Find the largest sets of systems that do not differ significantly, the best set first.

    A system may be in several sets. The algorithm is Piepho's (2004): a set with two systems that differ is
    split into one set without the first and one without the second, and a set inside another is dropped. The
    result is None if there are more than `MOST_GROUPS` sets.

    means : of which the highest is the best.

    >>> differ = np.zeros((3, 3), dtype=bool)
    >>> differ[0, 2] = differ[2, 0] = True
    >>> groups(differ, np.array([0.9, 0.5, 0.1]))
    [[0, 1], [1, 2]]
    """
    found = [frozenset(range(len(differ)))]
    for a, b in np.argwhere(np.triu(differ)).tolist():
        split = [group for group in found if {a, b} <= group]
        if not split:
            continue
        rest = [group for group in found if not {a, b} <= group]
        parts = sorted((group - {x} for group in split for x in (a, b)), key=len, reverse=True)
        for part in parts:
            if not any(part <= group for group in rest):
                rest.append(part)
        found = rest
        if len(found) > 20 * MOST_GROUPS:
            return None
    if len(found) > MOST_GROUPS:
        return None
    ranked = [sorted(group, key=lambda run: (-means[run], run)) for group in found]
    return sorted(ranked, key=lambda group: (-means[group].mean(), group))


def _latex(table: str) -> dict[str, Any]:
    """Split the table into three parts, so that the page can sort and leave out rows."""
    head, _, rest = table.partition("\\midrule\n")
    rows, _, tail = rest.partition("\\bottomrule")
    return {"head": f"{head}\\midrule\n", "rows": rows.splitlines(), "tail": f"\\bottomrule{tail}"}
