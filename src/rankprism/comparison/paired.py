"""Paired tests of systems over topics: p, effect size and interval of each pair."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankprism.comparison import resampling
from rankprism.comparison.resampling import Share
from rankprism.data.hits import Floats, Longs


@dataclass(frozen=True, eq=False)
class Paired:
    """What a test says of each pair of systems."""

    difference: Floats  #: of the means, first minus second
    p: Floats
    effect: Floats  #: the difference in standard deviations
    margin: Floats  #: the interval is difference ± margin


def all_pairs(systems: int) -> Longs:
    """(pair, 2): each pair of systems once."""
    return np.stack(np.triu_indices(systems, 1), axis=1).astype(np.int64)


def against(systems: int, baseline: int) -> Longs:
    """(pair, 2): every other system and the baseline."""
    return np.array([(i, baseline) for i in range(systems) if i != baseline], dtype=np.int64).reshape(-1, 2)


def student(values: Floats, pairs: Longs, alpha: float, **_: object) -> Paired:
    """Student's paired t-test. Systems that differ by the same amount on every topic have p = 0.

    t = z̄ / (s/√n), with n - 1 degrees of freedom; effect z̄ / s; interval z̄ ± t_(1-α/2) s/√n
    """
    from scipy import special

    z = _differences(values, pairs)
    t, freedom = _student_t(z), max(1, z.shape[1] - 1)
    p = 2 * special.stdtr(freedom, -np.abs(t))
    return _result(z, p, special.stdtrit(freedom, 1 - alpha / 2))


def wilcoxon(values: Floats, pairs: Longs, alpha: float, **_: object) -> Paired:
    """Wilcoxon's signed-rank test, topics without a difference left out; effect and interval as for t."""
    from scipy import special, stats

    z = _differences(values, pairs)
    # Differences that are equal but for rounding must have one rank.
    rounded = np.round(z, 12)
    p = np.array([stats.wilcoxon(row).pvalue if row.any() else 1.0 for row in rounded])
    return _result(z, p, special.stdtrit(max(1, z.shape[1] - 1), 1 - alpha / 2))


def fisher(
    values: Floats, pairs: Longs, alpha: float, resamples: int, seed: int, on_share: Share | None = None
) -> Paired:
    """Fisher's randomisation test; effect and interval as for t."""
    from scipy import special

    z = _differences(values, pairs)
    p = resampling.fisher(z, resamples, seed, on_share)
    return _result(z, p, special.stdtrit(max(1, z.shape[1] - 1), 1 - alpha / 2))


def bootstrap(
    values: Floats, pairs: Longs, alpha: float, resamples: int, seed: int, on_share: Share | None = None
) -> Paired:
    """The studentised paired bootstrap; the interval is z̄ ± c s/√n, c the |t*| that a share alpha reaches."""
    z = _differences(values, pairs)
    found = resampling.bootstrap(z, alpha, resamples, seed, on_share)
    return _result(z, found.asl, found.critical)


def tukey(
    values: Floats, pairs: Longs, alpha: float, resamples: int, seed: int, on_share: Share | None = None
) -> Paired:
    """Randomised Tukey HSD over all systems: p is already corrected for all pairs.

    effect (x̄ - ȳ) / √V_E, V_E the residual variance of systems × topics; interval x̄ - ȳ ± the largest
    difference that a share alpha of the resamples reaches
    """
    widest = resampling.tukey(values, resamples, seed, on_share)
    difference = _differences(values, pairs).mean(1)
    p = resampling.share_reaching(widest, difference)
    p[np.abs(difference) <= 1e-13] = 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        effect = np.nan_to_num(difference / np.sqrt(residual_variance(values)), posinf=np.inf, neginf=-np.inf)
    margin = np.full(len(difference), np.quantile(widest, 1 - alpha, method="higher"))
    return _undefined_for_one_topic(Paired(difference, p, effect, margin), values.shape[1])


def residual_variance(values: Floats) -> float:
    """V_E of a two-way analysis of variance without replication, from (system, topic)."""
    systems, topics = values.shape
    rest = values - values.mean(0) - values.mean(1, keepdims=True) + values.mean()
    freedom = (systems - 1) * (topics - 1)
    return float((rest**2).sum() / freedom) if freedom else 0.0


def _differences(values: Floats, pairs: Longs) -> Floats:
    """(pair, topic)"""
    return np.asarray(values[pairs[:, 0]] - values[pairs[:, 1]])


def _deviation(z: Floats) -> Floats:
    """s of each pair, 0 where it is only rounding."""
    if z.shape[1] < 2:
        return np.zeros(len(z))
    s = z.std(1, ddof=1)
    s[s <= 1e-13 * np.abs(z).max(1)] = 0.0
    return np.asarray(s)


def _student_t(z: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        t = z.mean(1) / (_deviation(z) / np.sqrt(z.shape[1]))
    return np.asarray(np.nan_to_num(t, nan=0.0, posinf=np.inf, neginf=-np.inf))


def _result(z: Floats, p: Floats, critical: float | Floats) -> Paired:
    s = _deviation(z)
    with np.errstate(divide="ignore", invalid="ignore"):
        effect = np.nan_to_num(z.mean(1) / s, nan=0.0, posinf=np.inf, neginf=-np.inf)
        margin = np.where(s > 0, critical * s / np.sqrt(z.shape[1]), 0.0)
    return _undefined_for_one_topic(Paired(z.mean(1), p, effect, margin), z.shape[1])


def _undefined_for_one_topic(found: Paired, topics: int) -> Paired:
    """One topic says nothing of how much topics vary."""
    if topics > 1:
        return found
    nothing = np.full(len(found.p), np.nan)
    return Paired(found.difference, nothing, nothing, nothing)
