"""What a paired test of systems is: its function, and what the command, captions and docs say about it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any, TypeVar

from rankprism.data import Floats
from rankprism.statistics.corrections import INTERVALS
from rankprism.types import Correction


@dataclass(frozen=True, eq=False)
class Paired:
    """The result of a test for each pair of systems."""

    difference: Floats  #: of the means, first minus second
    p: Floats
    effect: Floats  #: the difference in standard deviations
    half_width: Floats  #: the interval is difference ± half_width
    sign: Floats  #: which of the two the test favours: 1 the first, -1 the second, 0 neither
    level: float  #: the interval covers 1 - level
    error: Floats  #: the standard error of the difference
    freedom: int  #: its degrees of freedom
    adjusted: Floats | None = None  #: p, corrected for the number of pairs by the test's own resamples


@dataclass(frozen=True)
class Test:
    """A test that `compare` offers, with all that the command, the captions and the docs say about it."""

    function: Callable[..., Paired]
    words: str  #: the name in a caption
    _: KW_ONLY
    p: str  #: how p is computed, in Markdown
    effect: str  #: the effect size
    interval: str  #: the interval of the difference
    draws: bool = False  #: whether it draws random resamples, so that it takes `resamples` and `seed`
    enumerates: bool = False  #: whether few topics need no resamples, because all outcomes are counted
    corrects: bool = False  #: whether its p is already corrected for the number of pairs
    baseline: bool = False  #: whether it compares with a baseline only
    signs: bool = False  #: whether its p is a share of the 2ⁿ choices of signs of n differences
    max_t: bool = False  #: whether its resamples can correct for the number of pairs, by the largest |t|
    equal_variances: bool = False  #: whether it errs if some systems are noisier than others
    resists: bool = False  #: whether its intervals hold even if a few topics decide the differences
    interval_by: str = "t"  #: how its interval is made; `claim` is what the interval claims
    rate: float = math.inf  #: about how many scores it resamples in a second on one core

    def kind(self, correction: Correction) -> str:
        """The kind of its intervals: "single", "Bonferroni", "FCR" or "simultaneous"."""
        return "simultaneous" if self.corrects else INTERVALS[correction]

    def claim(self, correction: Correction, pairs: int) -> str:
        """What its intervals claim, in `CLAIMS`."""
        which = "a difference" if pairs == 1 and not self.corrects else _CLAIMED[self.kind(correction)]
        return f"{which} by {self.interval_by}"


_CLAIMED = {
    "single": "a difference",
    "Bonferroni": "all differences",
    "simultaneous": "all differences",
    "FCR": "significant differences",
}

#: Every test by name. `paired` has the tests; importing `TESTS` from there makes sure that none is missing.
TESTS: dict[str, Test] = {}

_Function = TypeVar("_Function", bound=Callable[..., Paired])


def paired_test(name: str, words: str, **about: Any) -> Callable[[_Function], _Function]:
    """Offer a function as a test of `compare`. `Test` says what else there is to know about it."""

    def offer(function: _Function) -> _Function:
        TESTS[name] = Test(function, words, **about)
        return function

    return offer


def tests_table() -> str:
    """The tests as a table in Markdown."""
    from rankprism.statistics.paired import TESTS

    lines = ["| `test` | p | effect size | interval |", "|---|---|---|---|"]
    lines += [f"| `{name}` | {test.p} | {test.effect} | {test.interval} |" for name, test in TESTS.items()]
    return "\n".join(lines) + "\n"
