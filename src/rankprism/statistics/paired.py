"""Paired tests of systems over topics: p, effect size and interval of each pair.

`TESTS` has them by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from rankprism.data import Floats, Longs
from rankprism.statistics import resampling, signed_ranks, simultaneous
from rankprism.statistics.corrections import Level
from rankprism.statistics.resampling import blocks, total
from rankprism.statistics.tests import TESTS as TESTS
from rankprism.statistics.tests import Paired, paired_test
from rankprism.statistics.threads import Share

#: The number of differences that are computed at a time.
_AT_ONCE = 1 << 20


class Moments(NamedTuple):
    """The differences of each pair of systems over the topics."""

    mean: Floats  #: 0 if it is only a rounding error
    s: Floats  #: their standard deviation; 0 if it is only a rounding error
    changed: Longs  #: on how many topics the systems differ


def all_pairs(systems: int) -> Longs:
    """(pair, 2): each pair of systems once."""
    return np.stack(np.triu_indices(systems, 1), axis=1).astype(np.int64)


def against(systems: int, baselines: int | Sequence[int]) -> Longs:
    """(pair, 2): every other system and the baseline, or each of the baselines."""
    named = [baselines] if isinstance(baselines, int) else list(baselines)
    found = [(i, baseline) for baseline in named for i in range(systems) if i not in named]
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def moments(values: Floats, pairs: Longs) -> Moments:
    """Mean and standard deviation of the differences.

    They are computed for some pairs at a time, because the differences of half a million pairs on a thousand
    topics would not fit into memory.
    """
    found = Moments(np.empty(len(pairs)), np.zeros(len(pairs)), np.empty(len(pairs), dtype=np.int64))
    topics, size = values.shape[1], np.abs(values)
    for block in blocks(len(pairs), _AT_ONCE, topics):
        z = _differences(values, pairs[block])
        found.mean[block] = total(z) / topics
        rounding = 1e-13 * np.maximum(*size[pairs[block].T])
        found.changed[block] = np.count_nonzero(np.abs(z) > rounding, axis=1)
        if topics > 1:
            s = z.std(1, ddof=1)
            found.s[block] = np.where(s <= 1e-13 * np.abs(z).max(1), 0.0, s)
    return found


@paired_test(
    "t",
    "Student's paired t-test",
    p="Student's paired t-test with n - 1 degrees of freedom",
    effect="z̄ / s",
    interval="z̄ ± t s/√n",
)
def student(values: Floats, pairs: Longs, alpha: Level, **_: object) -> Paired:
    """Student's paired t-test. Systems that differ by the same amount on every topic have p = 0.

    t = z̄ / (s/√n), with n - 1 degrees of freedom; effect z̄ / s; interval z̄ ± t_(1-α/2) s/√n
    """
    from scipy import special

    topics = values.shape[1]
    found = moments(values, pairs)
    t = _ratio(found.mean, found.s / np.sqrt(topics))
    p = 2 * special.stdtr(max(1, topics - 1), -np.abs(t))
    return _with_t_interval(found, topics, p, alpha)


@paired_test(
    "wilcoxon",
    "Wilcoxon's signed-rank test",
    p="Wilcoxon's signed-rank test, by the [rule below](#wilcoxons-test)",
    effect="z̄ / s",
    interval="as for `t`",
    signs=True,
)
def wilcoxon(values: Floats, pairs: Longs, alpha: Level, **_: object) -> Paired:
    """Wilcoxon's signed-rank test, exact up to 50 topics with a difference; effect and interval as for t.

    The test may favour the system with the lower mean, because a few large differences count only by their
    ranks.
    """
    z = _differences(values, pairs)
    p, sign = signed_ranks.wilcoxon(z, np.abs(values).max(1)[pairs].max(1))
    return _with_t_interval(moments(values, pairs), z.shape[1], p, alpha, sign)


@paired_test(
    "fisher",
    "Fisher's randomisation test",
    p="Fisher's randomisation test. On each topic, a coin decides which system got which score."
    " If there are no more outcomes than resamples, all 2ⁿ outcomes are enumerated; otherwise"
    " outcomes are drawn at random",
    effect="z̄ / s",
    interval="as for `t`",
    draws=True,
    signs=True,
    enumerates=True,
    max_t=True,
    rate=4e9,
)
def fisher(
    values: Floats,
    pairs: Longs,
    alpha: Level,
    resamples: int,
    seed: int,
    on_share: Share | None = None,
    max_t: bool = False,
) -> Paired:
    """Fisher's randomisation test; effect and interval as for t. With `max_t`, p is also adjusted."""
    if max_t:
        p, adjusted = resampling.max_t(values, pairs, resamples, seed, on_share)
    else:
        p, adjusted = resampling.fisher(_differences(values, pairs), resamples, seed, on_share), None
    return replace(_with_t_interval(moments(values, pairs), values.shape[1], p, alpha), adjusted=adjusted)


@paired_test(
    "bootstrap",
    "the paired bootstrap test",
    p=r"Paired, studentised bootstrap: the share of resamples of z - z̄ whose \|t\| is at least "
    "that of z",
    effect="z̄ / s",
    interval=r"z̄ ± c s/√n, where p < α for every \|t\| above c",
    draws=True,
    resists=True,
    interval_by="bootstrap",
    rate=1.5e9,
)
def bootstrap(
    values: Floats, pairs: Longs, alpha: Level, resamples: int, seed: int, on_share: Share | None = None
) -> Paired:
    """The studentised paired bootstrap; the interval is z̄ ± c s/√n, where p < alpha for |t| > c.

    If alpha is computed from p, the resamples are drawn a second time.
    """
    z = _differences(values, pairs)
    if not callable(alpha):
        found = resampling.bootstrap(z, alpha, resamples, seed, on_share)
        return _result(moments(values, pairs), z.shape[1], found.asl, found.critical, alpha)
    p = resampling.bootstrap(z, 0.0, resamples, seed, _half(on_share, 0)).asl
    level = alpha(p)
    again = resampling.bootstrap(z, level, resamples, seed, _half(on_share, 1))
    return _result(moments(values, pairs), z.shape[1], p, again.critical, level)


def _half(on_share: Share | None, number: int) -> Share | None:
    return None if on_share is None else lambda share: on_share((number + share) / 2)


@paired_test(
    "tukey",
    "the randomised Tukey HSD test",
    p="Randomised Tukey HSD. On each topic, the scores are dealt to the systems at random. p is"
    " the share of deals in which some two systems differ as much",
    effect="(x̄ - ȳ) / √V_E",
    interval="x̄ - ȳ ± the difference above which p < α",
    draws=True,
    corrects=True,
    equal_variances=True,
    interval_by="tukey",
    rate=4e7,
)
def tukey(
    values: Floats, pairs: Longs, alpha: float, resamples: int, seed: int, on_share: Share | None = None
) -> Paired:
    """Randomised Tukey HSD over all systems: p is already corrected for all pairs.

    effect (x̄ - ȳ) / √V_E, where V_E is the residual variance of systems × topics; interval x̄ - ȳ ± the
    difference beyond which p < alpha
    """
    widest = resampling.tukey(values, resamples, seed, on_share)
    p = resampling.share_reaching(widest, moments(values, pairs).mean)
    return _simultaneous(values, pairs, p, resampling.critical_of(widest, alpha), alpha)


@paired_test(
    "anova-tukey",
    "two-way analysis of variance with Tukey's HSD test",
    p=r"Two-way analysis of variance (score = system + topic + error), then Tukey's HSD: \|x̄ - "
    r"ȳ\| / √(V_E / n) has the distribution of the studentised range of m means with "
    "(m-1)(n-1) degrees of freedom",
    effect="(x̄ - ȳ) / √V_E",
    interval="x̄ - ȳ ± q √(V_E / n)",
    corrects=True,
    interval_by="anova-tukey",
    equal_variances=True,
)
def anova_tukey(values: Floats, pairs: Longs, alpha: float, **_: object) -> Paired:
    """Tukey's HSD after a two-way analysis of variance: score = system + topic + normal error.

    q = |x̄ - ȳ| / √(V_E / n) is compared with the studentised range of m means and (m-1)(n-1) degrees of
    freedom; effect (x̄ - ȳ) / √V_E; interval x̄ - ȳ ± q_(1-α) √(V_E / n)
    """
    tail = simultaneous.studentised_range(len(values), _freedom(values))
    return _parametric(values, pairs, alpha, tail, 1.0)


@paired_test(
    "dunnett",
    "two-way analysis of variance with Dunnett's test",
    p=r"The same analysis of variance, then Dunnett's test: \|x̄ - x̄₀\| / √(2 V_E / n) has the "
    r"distribution of the largest of m - 1 \|t\| with correlation ½ and (m-1)(n-1) degrees of "
    "freedom",
    effect="(x̄ - x̄₀) / √V_E",
    interval="x̄ - x̄₀ ± d √(2 V_E / n)",
    corrects=True,
    interval_by="dunnett",
    baseline=True,
    equal_variances=True,
)
def dunnett(values: Floats, pairs: Longs, alpha: float, **_: object) -> Paired:
    """Dunnett's test of all other systems against one, after the same analysis of variance.

    t = |x̄ - x̄₀| / √(2 V_E / n) is compared with the largest |t| of m - 1 differences that have the
    correlation ½, with (m-1)(n-1) degrees of freedom; effect (x̄ - x̄₀) / √V_E
    """
    tail = simultaneous.dunnett(len(values) - 1, _freedom(values))
    return _parametric(values, pairs, alpha, tail, 2.0)


def _parametric(
    values: Floats, pairs: Longs, alpha: float, tail: simultaneous.Tail, variances: float
) -> Paired:
    """Differences in units of √(variances · V_E / n), whose largest has the given tail."""
    unit = np.sqrt(variances * residual_variance(values) / values.shape[1])
    difference = moments(values, pairs).mean
    bound = simultaneous.critical(tail, alpha)
    if unit == 0:
        return _simultaneous(values, pairs, np.zeros(len(pairs)), 0.0, alpha)
    return _simultaneous(values, pairs, tail(np.abs(difference) / unit), bound * unit, alpha)


def _freedom(values: Floats) -> int:
    """The degrees of freedom of the residuals of systems × topics."""
    return max(1, (len(values) - 1) * (int(values.shape[1]) - 1))


def _simultaneous(values: Floats, pairs: Longs, p: Floats, half_width: float, alpha: float) -> Paired:
    difference = moments(values, pairs).mean
    deviation = np.sqrt(residual_variance(values))
    found = Paired(
        difference,
        np.where(difference == 0, 1.0, p),
        _ratio(difference, deviation),
        np.full(len(p), half_width),
        np.sign(difference),
        alpha,
        np.full(len(p), deviation * np.sqrt(2 / values.shape[1])),
        _freedom(values),
    )
    return _undefined_for_one_topic(found, values.shape[1])


def residual_variance(values: Floats) -> float:
    """V_E of a two-way analysis of variance without replication, from (system, topic)."""
    systems, topics = values.shape
    rest = values - values.mean(0) - values.mean(1, keepdims=True) + values.mean()
    rest[np.abs(rest) <= 1e-13 * np.abs(values).max()] = 0.0  # only rounding
    freedom = (systems - 1) * (topics - 1)
    return float((rest**2).sum() / freedom) if freedom else 0.0


def _differences(values: Floats, pairs: Longs) -> Floats:
    """(pair, topic)"""
    return np.asarray(values[pairs[:, 0]] - values[pairs[:, 1]])


def _ratio(above: Floats, below: Floats | float) -> Floats:
    """A quotient that is 0 if both numbers are 0, and infinite if only the second is."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.nan_to_num(above / below, nan=0.0, posinf=np.inf, neginf=-np.inf))


def _with_t_interval(of: Moments, topics: int, p: Floats, alpha: Level, sign: Floats | None = None) -> Paired:
    from scipy import special

    level = alpha(p) if callable(alpha) else alpha
    return _result(of, topics, p, -special.stdtrit(max(1, topics - 1), level / 2), level, sign)


def _result(
    of: Moments,
    topics: int,
    p: Floats,
    critical: float | Floats,
    level: float,
    sign: Floats | None = None,
) -> Paired:
    error = of.s / np.sqrt(topics)
    with np.errstate(invalid="ignore"):
        half_width = np.where(error > 0, critical * error, 0.0)
    sign = np.sign(of.mean) if sign is None else sign
    found = Paired(of.mean, p, _ratio(of.mean, of.s), half_width, sign, level, error, max(1, topics - 1))
    return _undefined_for_one_topic(found, topics)


def _undefined_for_one_topic(found: Paired, topics: int) -> Paired:
    """With one topic, the variance over topics is not defined."""
    if topics > 1:
        return found
    nothing = np.full(len(found.p), np.nan)
    adjusted = None if found.adjusted is None else nothing
    return replace(found, p=nothing, effect=nothing, half_width=nothing, error=nothing, adjusted=adjusted)
