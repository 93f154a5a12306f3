"""Scores of which a few decide the mean. Student's intervals then hold the truth less often than they say."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from rankprism.data import Floats, Note
from rankprism.statistics.claims import CLAIMS

#: The kurtosis above which intervals by t hold too seldom: .86 to .95 of them, where 80 % of the scores are 0
#: or scores are lognormal (`make coverage`). In 50 topics of these, nine of ten samples are above it; in
#: populations like real collections, one of twenty is.
HEAVY = 5.0


def kurtosis(values: Floats) -> Floats:
    """The fourth moment about the mean over the last axis, in units of the squared variance, without NaN.

    Normal values have 3, and one value that differs from n - 1 equal ones has about n. It is NaN if all
    are equal.

    >>> kurtosis(np.array([[0.0, 1, 0, 1], [0, 0, 0, 8]])).round(2)
    array([1.  , 2.33])
    """
    given = ~np.isnan(values)
    size = np.abs(np.where(given, values, 0.0)).max(-1, keepdims=True, initial=0.0)
    x = np.where(given, values, 0.0) / np.where(size > 0, size, 1.0)  # so that no power is too large or small
    with np.errstate(divide="ignore", invalid="ignore"):
        number = given.sum(-1)
        d = np.where(given, x - x.sum(-1, keepdims=True) / number[..., None], 0.0)
        square = (d**2).sum(-1) / number
        found = (d**4).sum(-1) / number / square**2
        return np.where(square > 1e-24, found, np.nan)


def median_kurtosis(values: Floats) -> float:
    """The median over samples (sample, topic); 0 if it cannot be high or is nowhere defined.

    The kurtosis of n values is below n, so that with fewer topics than an interval of a mean needs, it says
    little.
    """
    if values.shape[1] < CLAIMS["a mean"].fewest:
        return 0.0
    each = kurtosis(values)
    each = each[~np.isnan(each)]
    return float(np.median(each)) if len(each) else 0.0


def heavy_means(values: Floats, measures: Sequence[str]) -> list[Note]:
    """A note if a few topics decide the means, so that their intervals hold the truth too seldom.

    values : (run, topic, measure)
    """
    found = np.array([median_kurtosis(values[:, :, m]) for m in range(len(measures))])
    return above(
        "heavy-tails",
        measures,
        found,
        HEAVY,
        lambda measure, kurtosis: (
            f"by {measure} a few topics decide the means (the kurtosis of the scores is {kurtosis:.1f}; "
            f"normal scores have 3), where intervals of 95 % hold the truth in only 86 to 91 of 100 studies; "
            "use more topics, or compare runs with the test bootstrap"
        ),
    )


def above(
    kind: str,
    measures: Sequence[str],
    figures: Floats,
    limit: float,
    message: Callable[[str, float], str],
) -> list[Note]:
    """A note if the figure of a measure is above a limit. It names the measure with the highest figure."""
    count, worst = int((figures > limit).sum()), int(figures.argmax())
    return [Note(kind, message(measures[worst], figures[worst]), count, measures[worst])] if count else []
