"""How many topics an experiment needs (Sakai 2016, power-based topic set size design)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Annotated, Any

import numpy as np

from rankprism.errors import InputError, check_whole
from rankprism.evaluation import comparable
from rankprism.results import Result, Table
from rankprism.statistics import t_power
from rankprism.types import AtLeast, JudgmentsLike, MeasuresLike, RunsLike, ScoresLike

_MOST = 10_000_000


@dataclass(frozen=True, eq=False, repr=False)
class TopicSetSize(Result):
    """The number of topics needed, for each measure."""

    measures: tuple[str, ...]
    variances: tuple[float, ...]
    topics: tuple[int, ...]
    powers: tuple[float, ...]  #: the power that these numbers of topics achieve
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def summary(self) -> Table:
        return Table(
            {
                "measure": list(self.measures),
                "variance": list(self.variances),
                "topics": list(self.topics),
                "power": list(self.powers),
            }
        )


def topic_set_size(
    scores: ScoresLike | JudgmentsLike | None = None,
    runs: RunsLike | None = None,
    measures: MeasuresLike | None = None,
    *,
    difference: float,
    variance: float | None = None,
    systems: Annotated[int, AtLeast(2)] = 2,
    alpha: float = 0.05,
    power: float = 0.8,
    one_sided: bool = False,
) -> TopicSetSize:
    """The smallest number of topics with which a test finds a difference with the wanted power.

    For two systems, the test is the paired t-test. For more systems, it is a one-way analysis of variance in
    which the best and the worst of `systems` systems differ by `difference`.

    With n topics, the power of the t-test is P(|t'| ≥ t_(1-α/2; n-1)), where t' is noncentral with λ = √n
    D/σ. If the test is one-sided, it is P(t' ≥ t_(1-α; n-1)). For the analysis of variance it is
    P(F' ≥ F_(1-α; m-1, m(n-1))), where F' is noncentral with λ = n D² / (2σ²).

    Parameters
    ----------
    scores
        What `evaluate` returns, or whatever `read_scores` takes. Or judgments, with the `runs` and
        `measures` to evaluate, as for `rankprism.evaluate`.
    difference
        Smallest difference of means that you want to find.
    variance
        Variance of the scores, or for two systems the variance of their differences. Default: estimated from
        the scores.

        The estimate is the residual variance of the runs, and for two systems twice that.
    systems
        Number of systems that will be compared.
    alpha
        Significance level.
    power
        Probability with which the test should find the difference.
    one_sided
        The test asks only whether one of two systems is worse, as `rankprism gate` does.

        With a margin, `difference` is the distance between the true loss and the margin.

    Examples
    --------
    >>> print(topic_set_size(difference=0.5, variance=1.0))
    measure  variance  topics   power
    ─────────────────────────────────
    –          1.0000      34  0.8078
    """
    check_whole("systems", systems, 2)
    for name, value, high, limits in (
        ("difference", difference, np.inf, "a number above 0"),
        ("variance", 1.0 if variance is None else variance, np.inf, "a number above 0"),
        ("alpha", alpha, 1.0, "a number between 0 and 1"),
        ("power", power, 1.0, "a number between 0 and 1"),
    ):
        if isinstance(value, bool) or not isinstance(value, Real) or not 0 < value < high:
            raise InputError(f"{name} must be {limits}; got {value!r}")
    if one_sided and systems > 2:
        raise InputError(f"a one-sided test compares two systems; got {systems} systems")
    if (scores is None) == (variance is None):
        raise InputError("give either scores to estimate the variance from, or the variance itself")
    mixed: dict[str, Any] = {}
    if scores is None:
        names: tuple[str, ...] = ("–",)
        variances: tuple[float, ...] = (float(variance or 0.0),)
    else:
        complete = comparable(scores, runs, measures, fewest=1)
        names = complete.measures
        mixed = {name: value for name, value in complete.conventions.items() if name == "mixed"}
        factor = 2.0 if systems == 2 else 1.0
        variances = tuple(factor * estimated(complete.values[:, :, m], name) for m, name in enumerate(names))
    reached = [
        _t_power(difference, v, alpha, one_sided) if systems == 2 else _f_power(difference, v, systems, alpha)
        for v in variances
    ]
    sizes, powers = zip(*(_needed(one, difference, power) for one in reached), strict=True)
    about = {
        "difference": difference,
        "systems": systems,
        "alpha": alpha,
        "power": power,
        "test": ("one-sided paired t" if one_sided else "paired t")
        if systems == 2
        else "one-way analysis of variance",
        **mixed,
    }
    return TopicSetSize(names, variances, sizes, powers, about)


def estimated(values: Any, name: str = "the measure") -> float:
    """σ² of a score from (run, topic): the mean over runs of the variance over topics."""
    if values.shape[1] < 2:
        raise InputError(f"{name}: one topic does not show a variance; give variance instead")
    found = float(values.var(1, ddof=1).mean())
    if found == 0:
        raise InputError(f"{name}: all topics score the same, so the variance is 0; give variance instead")
    return found


def _needed(reached: Callable[[int], float], difference: float, power: float) -> tuple[int, float]:
    """The smallest n that reaches the power, by bisection, because power grows with n."""
    high = 2
    while reached(high) < power:
        high *= 2
        if high > _MOST:
            raise InputError(f"a difference of {difference:g} would need more than {_MOST:,} topics")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) >= power else (middle, high)
    return high, reached(high)


def _t_power(difference: float, variance: float, alpha: float, one_sided: bool) -> Callable[[int], float]:
    from scipy import special

    def power(n: int) -> float:
        critical = float(special.stdtrit(n - 1, 1 - (alpha if one_sided else alpha / 2)))
        return t_power(np.sqrt(n * difference**2 / variance), critical, n - 1, one_sided=one_sided)

    return power


def _f_power(difference: float, variance: float, systems: int, alpha: float) -> Callable[[int], float]:
    from scipy import special

    def power(n: int) -> float:
        freedom = (systems - 1, systems * (n - 1))
        critical = special.fdtri(*freedom, 1 - alpha)
        return float(1 - special.ncfdtr(*freedom, n * difference**2 / (2 * variance), critical))

    return power
