"""Notes of `compare`: too few topics, and scores that a test or a correction does not suit."""

from __future__ import annotations

import numpy as np

from rankprism.comparison.margins import few_changed
from rankprism.comparison.result import Comparison
from rankprism.data import Bools, Floats, Longs, Note
from rankprism.statistics import TESTS, tails
from rankprism.types import Correction, TestName

#: Tests that assume equal variances err in 8 of 100 studies instead of 5 if half of the systems have twice
#: the residual variance of the others (simulations/comparing.py).
UNEQUAL = 2.0
#: The correction max-t errs in about 10 of 100 studies instead of 5 if the mean squared skewness of the
#: differences is larger than this share of the number of topics (simulations/comparing.py).
SKEWED = 0.02
#: The largest number of pairs whose skewness is computed.
LOOKED_AT = 5000


def few_topics(test: TestName, correction: Correction, pairs: int, topics: int, alpha: float) -> list[Note]:
    """A note if there are too few topics for anything to be significant."""
    if topics == 1:
        message = "there is only one topic, so nothing can be tested, and there are no p-values or intervals"
        return [Note("few-topics", message, topics, "")]
    least, multiplied = 2.0 ** (1 - topics), pairs if correction in ("holm", "bonferroni") else 1
    if not TESTS[test].signs or least * multiplied < alpha:
        return []
    corrected_for = f", and a correction multiplies it by {pairs}" if multiplied > 1 else ""
    message = (
        f"nothing can be significant at {alpha:g}: with {topics} topics the smallest p of "
        f"{TESTS[test].words} is {least:.4g}{corrected_for}; take more topics or the test t"
    )
    return [Note("few-topics", message, topics, "")]


def out_of_reach(
    test: TestName, correction: Correction, changed: Longs, alpha: float, *, possible: bool
) -> Bools:
    """(measure, pair): whether no p of this pair can be below alpha, whatever the sizes of its differences.

    A test that chooses signs has a p of at least 2 / 2ᵏ if a pair differs on k topics. Bonferroni multiplies
    each p by the number of pairs, and the last step of Holm by 1. Student's interval may still exclude 0, so
    such a pair has no interval.

    possible : whether any pair can be significant with so many topics, see `few_topics`.
    """
    if not TESTS[test].signs:
        return np.zeros(changed.shape, dtype=bool)
    multiplied = changed.shape[1] if correction == "bonferroni" else 1
    return np.asarray((2.0 ** (1 - changed) * multiplied >= alpha) | (not possible))


def few_changed_topics(test: TestName, unreached: Bools, changed: Longs, alpha: float) -> list[Note]:
    """A note if pairs have no interval because they differ on too few topics for this test."""
    some = unreached & (changed > 0)
    if not some.any():
        return []
    most, count = int(changed[some].max()), int(some.sum())
    pairs = (
        "1 difference has no interval: its" if count == 1 else f"{count} differences have no interval: their"
    )
    message = (
        f"{pairs} runs differ on {most} topics at most, where no p of {TESTS[test].words} can be below "
        f"{alpha:g}; the test t has intervals"
    )
    return [Note("no-interval", message, count, "")]


def assumption_notes(of: Comparison) -> list[Note]:
    """Notes on assumptions of a test or a correction that the scores do not meet."""
    test, topics = TESTS[of.test], len(of.topics)
    notes = _unequal_variances(of) if test.equal_variances else []
    shape = _skewed(of) if of.correction == "max-t" else []
    if of.verdicts is not None:
        shape += few_changed(of.verdicts, of.changed, topics)
    return notes + (shape or ([] if test.resists else _heavy_tails(of)))


def _unequal_variances(of: Comparison) -> list[Note]:
    """A note if a test assumes that the systems are equally noisy, and half of them are much noisier.

    Two systems have only one variance, the variance of their difference.
    """
    runs, topics = len(of.runs), len(of.topics)
    if runs < 3 or topics < 2:
        return []
    residuals = of.values - of.values.mean(0) - of.values.mean(1, keepdims=True) + of.values.mean((0, 1))
    factors = _noisier_half(residuals.var(1))  # (run, measure)
    by_chance = np.random.default_rng(0).chisquare(topics - 1, (runs, 200))
    least = max(UNEQUAL, float(np.quantile(_noisier_half(by_chance), 0.95)))
    return tails.above(
        "unequal-variances",
        of.measures,
        factors,
        least,
        lambda measure, factor: (
            f"the test {of.test} assumes that all runs are equally noisy, but by {measure} half of them "
            f"have {factor:.1f} times the variance of the others, so it finds too many differences; use the "
            "test t with the correction holm"
        ),
    )


def _noisier_half(variances: Floats) -> Floats:
    """How many times the variance the noisier half of the runs has; (run, …) → (…)."""
    half = len(variances) // 2
    ordered = np.sort(variances, axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = ordered[len(ordered) - half :].mean(0) / ordered[:half].mean(0)
    return np.asarray(np.nan_to_num(found, nan=1.0, posinf=np.inf))


def _skewed(of: Comparison) -> list[Note]:
    """A note if the differences are so skewed that random signs do not show what chance can do.

    Normal differences have a mean squared skewness of 6(n-2) / ((n+1)(n+3)), which is subtracted.
    """
    topics = len(of.topics)
    some = of.pairs[:: -(-len(of.pairs) // LOOKED_AT)]
    squared = []
    for m in range(len(of.measures)):
        w = of.values[some[:, 0], :, m] - of.values[some[:, 1], :, m]
        w -= w.mean(1, keepdims=True)
        spread = (w**2).mean(1) ** 1.5
        skewness = np.divide((w * w * w).mean(1), spread, out=np.zeros_like(spread), where=spread > 0)
        squared.append((skewness**2).mean())
    excess = np.array(squared) - 6 * (topics - 2) / ((topics + 1) * (topics + 3))
    return tails.above(
        "skewed-differences",
        of.measures,
        excess,
        SKEWED * topics,
        lambda measure, found: (
            f"the correction max-t assumes symmetric differences, but by {measure} they have a skewness of "
            f"{found**0.5:.1f}, which is too much for {topics} topics, so it may find too many differences; "
            "use the test t with the correction holm"
        ),
    )


def _heavy_tails(of: Comparison) -> list[Note]:
    """A note if a few topics decide the differences, so that intervals hold the truth too seldom."""
    some = of.pairs[:: -(-len(of.pairs) // LOOKED_AT)]
    kurtosis = np.array(
        [
            tails.median_kurtosis(of.values[some[:, 0], :, m] - of.values[some[:, 1], :, m])
            for m in range(len(of.measures))
        ]
    )
    return tails.above(
        "heavy-tails",
        of.measures,
        kurtosis,
        tails.HEAVY,
        lambda measure, found: (
            f"by {measure} a few topics decide the differences (their kurtosis is {found:.1f}; normal "
            f"differences have 3), where intervals of the test {of.test} miss the truth in up to 10 of 100 "
            "studies instead of 5; the test bootstrap has better ones"
        ),
    )
