"""The tests that `compare` offers, and what they take."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass

from rankprism.statistics import paired
from rankprism.statistics.corrections import CORRECTIONS, INTERVALS
from rankprism.statistics.paired import Paired
from rankprism.types import Correction


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

#: Every test by name.
TESTS: dict[str, Test] = {
    "t": Test(
        paired.student,
        "Student's paired t-test",
        p="Student's paired t-test with n - 1 degrees of freedom",
        effect="z̄ / s",
        interval="z̄ ± t s/√n",
    ),
    "wilcoxon": Test(
        paired.wilcoxon,
        "Wilcoxon's signed-rank test",
        p="Wilcoxon's signed-rank test, by the [rule below](#wilcoxons-test)",
        effect="z̄ / s",
        interval="as for `t`",
        signs=True,
    ),
    "fisher": Test(
        paired.fisher,
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
    ),
    "bootstrap": Test(
        paired.bootstrap,
        "the paired bootstrap test",
        p=r"Paired, studentised bootstrap: the share of resamples of z - z̄ whose \|t\| is at least "
        "that of z",
        effect="z̄ / s",
        interval=r"z̄ ± c s/√n, where p < α for every \|t\| above c",
        draws=True,
        resists=True,
        interval_by="bootstrap",
        rate=1.5e9,
    ),
    "tukey": Test(
        paired.tukey,
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
    ),
    "anova-tukey": Test(
        paired.anova_tukey,
        "two-way analysis of variance with Tukey's HSD test",
        p=r"Two-way analysis of variance (score = system + topic + error), then Tukey's HSD: \|x̄ - "
        r"ȳ\| / √(V_E / n) has the distribution of the studentised range of m means with "
        "(m-1)(n-1) degrees of freedom",
        effect="(x̄ - ȳ) / √V_E",
        interval="x̄ - ȳ ± q √(V_E / n)",
        corrects=True,
        interval_by="anova-tukey",
        equal_variances=True,
    ),
    "dunnett": Test(
        paired.dunnett,
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
    ),
}

#: Every claim of their intervals.
CLAIMED = tuple(
    dict.fromkeys(
        test.claim(correction, pairs)
        for test in TESTS.values()
        for correction in (("none",) if test.corrects else CORRECTIONS)
        for pairs in (1, 2)
    )
)


def tests_table() -> str:
    """The tests as a table in Markdown."""
    lines = ["| `test` | p | effect size | interval |", "|---|---|---|---|"]
    lines += [f"| `{name}` | {test.p} | {test.effect} | {test.interval} |" for name, test in TESTS.items()]
    return "\n".join(lines) + "\n"
