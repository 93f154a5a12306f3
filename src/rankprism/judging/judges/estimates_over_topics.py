"""Shares, means and κ of answers over topics, with intervals."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankprism.data import Floats
from rankprism.judging.judges.paired_logit import variance
from rankprism.judging.preferences import agreement
from rankprism.measures import ratio
from rankprism.statistics import CLAIMS

#: The claims of the intervals, see `rankprism.statistics.claims`.
A_SHARE, A_COEFFICIENT, FAVOURS = "a share of answers", "a coefficient of answers", "a favoured family"


class Estimated(NamedTuple):
    """A figure with its interval, and p of the hypothesis that it is as without any effect."""

    value: float
    low: float = np.nan
    high: float = np.nan
    p: float = np.nan


def share_over_topics(part: Floats, whole: Floats, confidence: float) -> Estimated:
    """Σ part / Σ whole over topics, which is between 0 and 1, and p of ½.

    Wilson's interval holds the shares x that are within t standard errors √(x (1-x) / n) of the share found.
    With v the variance of the jackknife over topics, n is share (1 - share) / v; if these are 0, the number
    of topics.
    """
    from scipy.special import stdtr, stdtrit

    topics = int((whole > 0).sum())
    if not topics:
        return Estimated(np.nan)
    part, whole = part[whole > 0], whole[whole > 0]
    share = float(part.sum() / whole.sum())
    if not confidence or topics < CLAIMS[A_SHARE].fewest:
        return Estimated(share)
    v = float(variance(_without_one(part, whole)))
    spread = share * (1 - share)
    n = spread / v if min(spread, v) > 1e-12 else float(topics)
    t = float(stdtrit(topics - 1, (1 + confidence) / 2))
    middle, by = share + t**2 / (2 * n), 1 + t**2 / n
    reach = t * np.sqrt(spread / n + (t / (2 * n)) ** 2)
    p = 2 * float(stdtr(topics - 1, -abs(share - 0.5) * 2 * np.sqrt(n)))
    return Estimated(share, (middle - reach) / by, (middle + reach) / by, p)


def mean_over_topics(part: Floats, whole: Floats, confidence: float, claim: str) -> Estimated:
    """Σ part / Σ whole over topics, with Student's interval, and p of 0."""
    topics = int((whole > 0).sum())
    if not topics:
        return Estimated(np.nan)
    part, whole = part[whole > 0], whole[whole > 0]
    value = float(part.sum() / whole.sum())
    return students(value, _without_one(part, whole), confidence, claim)


def _without_one(part: Floats, whole: Floats) -> Floats:
    """(topic,) how much a ratio of sums falls without each topic"""
    return np.asarray(part.sum() / whole.sum() - ratio(part.sum() - part, whole.sum() - whole))


def students(value: float, delta: Floats, confidence: float, claim: str) -> Estimated:
    """Student's interval, from how much each topic moves the value."""
    from scipy.special import stdtr, stdtrit

    topics = len(delta)
    error = float(np.sqrt(variance(delta)))
    if not confidence or topics < CLAIMS[claim].fewest or not error > 1e-12:
        return Estimated(value)
    reach = float(stdtrit(topics - 1, (1 + confidence) / 2)) * error
    p = 2 * float(stdtr(topics - 1, -abs(value) / error))
    return Estimated(value, value - reach, value + reach, p)


def kappa_over_topics(tables: Floats, confidence: float) -> Estimated:
    """Cohen's κ of (topic, 3, 3) tables of answers, by the jackknife over topics."""
    tables = tables[tables.sum((1, 2)) > 0]
    whole = tables.sum(0)
    value = float(agreement.cohen_kappa(whole))
    found = students(value, value - agreement.cohen_kappa(whole - tables), confidence, A_SHARE)
    return (
        found._replace(low=max(-1.0, found.low), high=min(1.0, found.high))
        if found.low == found.low
        else found
    )
