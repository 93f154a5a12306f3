"""Checks of significance levels, seeds and numbers of resamples."""

from __future__ import annotations

from numbers import Real

from rankprism.errors import InputError, check_whole
from rankprism.statistics.resampling import least_resamples

MOST_RESAMPLES = 10_000_000


def check_level(alpha: float, resamples: int | None, seed: int = 0) -> None:
    """Refuse an invalid significance level or seed, or too few resamples for the level."""
    if isinstance(alpha, bool) or not isinstance(alpha, Real) or not 0 < alpha < 1:
        raise InputError(f"alpha must be a number between 0 and 1; got {alpha!r}")
    check_whole("seed", seed, 0)
    if resamples is None:
        return
    check_resamples(resamples)
    if resamples < least_resamples(alpha):
        raise InputError(
            f"{resamples} resamples cannot show a level of {alpha:g}; take at least {least_resamples(alpha)}"
        )


def check_resamples(resamples: int) -> None:
    """Refuse an impossible number of resamples, whatever the level."""
    check_whole("resamples", resamples, 1)
    if resamples > MOST_RESAMPLES:
        raise InputError(f"at most {MOST_RESAMPLES:,} resamples fit into memory; got {resamples:,}")
