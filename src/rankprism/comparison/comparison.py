"""Which systems differ, and by how much."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from rankprism.arrays import Bools, Floats, Longs
from rankprism.data.note import Note, issue, with_notes
from rankprism.errors import InputError, listed, one_of
from rankprism.foreign import shown
from rankprism.results.result import Result
from rankprism.results.scores import Scores
from rankprism.results.table import Cell, Table
from rankprism.scoring import scored
from rankprism.statistics import paired
from rankprism.statistics.corrections import (
    INTERVALS,
    NAMES_OF_CORRECTIONS,
    corrected,
    interval_level,
)
from rankprism.statistics.levels import MOST_RESAMPLES, check_level, check_resamples
from rankprism.statistics.means import LARGEST_SCORE
from rankprism.statistics.paired import Paired, against, all_pairs
from rankprism.statistics.resampling import enumerable, least_resamples
from rankprism.statistics.threads import Share, for_each
from rankprism.types import Correction, JudgmentsLike, MeasuresLike, RunsLike, ScoresLike, TestName


@dataclass(frozen=True)
class Test:
    """A test that `compare` offers: all that is known of it, for the command, the captions and the docs."""

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
    ),
    "bootstrap": Test(
        paired.bootstrap,
        "the paired bootstrap test",
        p=r"Paired, studentised bootstrap: the share of resamples of z - z̄ whose \|t\| is at least "
        "that of z",
        effect="z̄ / s",
        interval=r"z̄ ± c s/√n, where p < α for every \|t\| above c",
        draws=True,
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
        baseline=True,
    ),
}


def tests_table() -> str:
    """The tests as a table in Markdown."""
    lines = ["| `test` | p | effect size | interval |", "|---|---|---|---|"]
    lines += [f"| `{name}` | {test.p} | {test.effect} | {test.interval} |" for name, test in TESTS.items()]
    return "\n".join(lines) + "\n"


#: The number of resamples, unless the number of pairs needs more.
RESAMPLES = 10_000
_LETTERS = "abcdefghijklmnoprstuvwxyz"  # there is no superscript q


def compare(
    scores: ScoresLike | JudgmentsLike,
    runs: RunsLike | None = None,
    measures: MeasuresLike | None = None,
    *,
    baseline: str | None = None,
    test: TestName = "t",
    correction: Correction | None = None,
    alpha: float = 0.05,
    resamples: int | None = None,
    seed: int = 0,
    on_share: Share | None = None,
) -> Comparison:
    """Test every pair of systems, or every system against a baseline, by every measure.

    scores : what `evaluate` returns, or whatever `read_scores` takes. Or judgments, and then the `runs` and
        `measures` to evaluate, as for `rankprism.evaluate`.
    baseline : the run to compare with. Default: all pairs are compared.
    test : "t", "wilcoxon", "fisher", "bootstrap", "tukey" (randomised Tukey HSD), "anova-tukey" (Tukey's HSD
        after a two-way analysis of variance) or "dunnett" (Dunnett's test after the same analysis, for
        comparisons with a baseline).
    correction : for the number of pairs, within each measure: "holm" (the default), "bonferroni", "bh" or
        "none". The last three tests correct for the number of pairs themselves.
    alpha : a difference is significant if its adjusted p is smaller. The intervals match the adjusted p: see
        `Comparison.interval` and `Comparison.level`.
    resamples : the number of random resamples. Default: 10,000, or the number of pairs divided by alpha if
        that is more, because with fewer no single pair can be significant after the correction.
    seed : the seed for random resamples. The same seed gives the same p on any number of threads and for any
        order of runs and topics.

    >>> from rankprism import sample, evaluate
    >>> scores = evaluate(sample.QRELS, sorted(sample.RUNS)[:3], ["alpha_nDCG@10", "P@10"])
    >>> print(compare(scores))
       run          alpha_nDCG@10  P@10
    ───────────────────────────────────────
    a  diversified  0.7268ᶜ        0.7850ᶜ
    b  ideal        1.0000ᵃᶜ       1.0000ᵃᶜ
    c  noisy        0.3784         0.3100
    <BLANKLINE>
    Means over 20 topics. A superscript names a run that is significantly worse (Student's paired
    t-test, p < 0.05 after the Holm correction for 3 pairs).
    """
    one_of("test", test, tuple(TESTS))
    chosen = TESTS[test]
    correction = _correction(test, correction)
    check_level(alpha, None, seed)
    complete = comparable(scores, runs, measures)
    names, topics = complete.runs, len(complete.topics)
    if len(names) < 2:
        raise InputError(f"a comparison needs two runs or more; there is only {', '.join(names)}")
    if baseline is not None and baseline not in names:
        raise InputError(f"no run is named {baseline!r}; there are {listed(names)}")
    if baseline is None and chosen.baseline:
        raise InputError(f"the test {test} compares with one run; name it as the baseline")
    pairs = all_pairs(len(names)) if baseline is None else against(len(names), names.index(baseline))
    drawn = _resamples(test, correction, len(pairs), topics, alpha, resamples) if chosen.draws else None
    notes = _few_topics(test, correction, len(pairs), topics, alpha)
    issue(notes)
    level = alpha if chosen.corrects else interval_level(correction, alpha, len(pairs))

    # Random numbers and sums follow runs and topics sorted by name, so the order of a file does not matter.
    by_name = complete.select(runs=sorted(names), topics=sorted(complete.topics))
    place = np.array([by_name.runs.index(run) for run in names])
    turned = place[pairs[:, 0]] > place[pairs[:, 1]] if baseline is None else np.zeros(len(pairs), dtype=bool)
    there = np.where(turned[:, None], place[pairs[:, ::-1]], place[pairs])
    order = np.lexsort((there[:, 1], there[:, 0]))
    settings = {"resamples": drawn, "seed": seed} if chosen.draws else {}

    def tested(m: int, tell: Share) -> Paired:
        return chosen.function(by_name.values[:, :, m], there[order], level, on_share=tell, **settings)

    found = for_each([partial(tested, m) for m in range(len(complete.measures))], on_share)
    back = np.argsort(order)
    direction = np.where(turned, -1.0, 1.0)
    p = np.array([x.p for x in found])[:, back]
    kind = "simultaneous" if chosen.corrects else INTERVALS[correction]
    compared = Comparison(
        runs=names,
        measures=complete.measures,
        topics=by_name.topics,
        values=by_name.values[place],
        test=test,
        correction=correction,
        alpha=alpha,
        baseline=baseline,
        means=by_name.means[place],
        pairs=pairs,
        difference=np.array([x.difference for x in found])[:, back] * direction + 0.0,  # no -0
        sign=np.array([x.sign for x in found])[:, back] * direction + 0.0,
        p=p,
        adjusted=np.array([corrected(row, correction) for row in p]),
        effect=np.array([x.effect for x in found])[:, back] * direction + 0.0,
        margin=np.array([x.margin for x in found])[:, back],
        interval=kind,
        level=np.array([1 - x.level for x in found]),
        about={
            "test": test,
            "correction": "within the test" if chosen.corrects else correction,
            "alpha": alpha,
            "baseline": baseline,
            "topics": topics,
            "resamples": drawn,
            "seed": seed if chosen.draws else None,
            "effect": "difference / standard deviation of the "
            + ("residuals" if chosen.corrects else "differences"),
            "interval": _about_interval(kind, alpha, len(pairs)),
            "scores": with_notes(complete.conventions, notes),
        },
    )
    said = compared.disagreement
    return compared if said is None else replace(compared, about={**compared.about, "disagreement": said})


def comparable(
    scores: ScoresLike | JudgmentsLike,
    runs: RunsLike | None = None,
    measures: MeasuresLike | None = None,
) -> Scores:
    """The scores on the topics that all runs have. Scores that are too large are refused."""
    complete = scored(scores, runs, measures).complete()
    bad = np.argwhere(~(np.abs(complete.values) < LARGEST_SCORE))
    if len(bad):
        r, t, m = bad[0]
        raise InputError(
            f"run {complete.runs[r]!r} has the score {complete.values[r, t, m]:g} on topic "
            f"{complete.topics[t]!r} by {complete.measures[m]!r}; scores must be finite and below "
            f"{LARGEST_SCORE:g}, because their squares are summed; correct or rescale them"
        )
    largest = np.abs(complete.values).max((0, 1), initial=0.0)
    for measure, size in zip(complete.measures, largest, strict=True):
        if 0 < size < 1 / LARGEST_SCORE:
            raise InputError(
                f"no score by {measure!r} is larger than {size:g}; the squares of numbers below "
                f"{1 / LARGEST_SCORE:g} vanish; rescale the scores"
            )
    return complete


def _correction(test: TestName, wanted: Correction | None) -> Correction:
    if wanted is not None:
        one_of("correction", wanted, Correction)
    if not TESTS[test].corrects:
        return wanted or "holm"
    if wanted not in (None, "none"):
        what = "for the comparisons with the baseline" if TESTS[test].baseline else "for all pairs"
        raise InputError(f"the test {test} already corrects {what}; leave out the correction")
    return "none"


def _resamples(
    test: TestName, correction: Correction, pairs: int, topics: int, alpha: float, wanted: int | None
) -> int:
    """The number of resamples to draw. A number with which no p can be significant is refused.

    The smallest p is 1 / (B + 1). Holm and Bonferroni multiply it by the number of pairs. bh does so for a
    single pair, and multiplies by less if several pairs have a small p.
    """
    multiplied = pairs if correction in ("holm", "bonferroni") else 1
    several = "1 pair" if pairs == 1 else f"{pairs:,} pairs"
    words = f" after the {NAMES_OF_CORRECTIONS[correction]} correction for {several}"
    after = "" if correction == "none" else words
    if wanted is None:
        least = least_resamples(alpha, 1 if correction == "none" else pairs)
        if least > MOST_RESAMPLES:
            raise InputError(
                f"a p below {alpha:g}{after} takes {least:,} resamples, and {MOST_RESAMPLES:,} are the most; "
                "take the test t or anova-tukey, or the correction bh with resamples of your choice"
            )
        return max(RESAMPLES, least)
    check_resamples(wanted)
    least = least_resamples(alpha, multiplied)
    if wanted < least and not (TESTS[test].enumerates and enumerable(topics, wanted)):
        raise InputError(
            f"with {wanted:,} resamples no p can be below {alpha:g}{after}; take at least {least:,}, or "
            "leave out the number; the test tukey and the correction bh need fewer"
        )
    return wanted


def _few_topics(test: TestName, correction: Correction, pairs: int, topics: int, alpha: float) -> list[Note]:
    """A note if there are so few topics that nothing can be significant."""
    if topics == 1:
        message = "there is only one topic, so that nothing can be tested: no p and no interval is given"
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


def _about_interval(kind: str, alpha: float, pairs: int) -> str:
    return {
        "single": f"each holds on its own with probability {1 - alpha:g}",
        "Bonferroni": f"each covers 1 - {alpha:g}/{pairs}, so that all {pairs} together hold with "
        f"probability {1 - alpha:g}",
        "FCR": f"each covers 1 - R × {alpha:g}/{pairs}, R the number of significant pairs (at least 1), so "
        f"that of the intervals of significant pairs a share {1 - alpha:g} is expected to hold",
        "simultaneous": f"all together hold with probability {1 - alpha:g}",
    }[kind]


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """What `compare` found. Arrays are (measure, pair)."""

    runs: tuple[str, ...]
    measures: tuple[str, ...]
    topics: tuple[str, ...]
    values: Floats  #: (run, topic, measure): the scores that were compared
    test: TestName
    correction: Correction
    alpha: float
    baseline: str | None
    means: Floats  #: (run, measure)
    pairs: Longs  #: (pair, 2): positions in `runs`
    difference: Floats
    sign: Floats  #: which run of a pair the test favours: 1 the first, -1 the other
    p: Floats
    adjusted: Floats  #: p, corrected for the number of pairs
    effect: Floats
    margin: Floats  #: the interval of a difference is difference ± margin
    interval: str  #: "single", "Bonferroni", "FCR" or "simultaneous"
    level: Floats  #: (measure,): the confidence of each interval; of all together if they are "simultaneous"
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def significant(self) -> Bools:
        """(measure, pair)"""
        return np.asarray(self.adjusted < self.alpha)

    @property
    def contradicted(self) -> Bools:
        """(measure, pair): where a difference is significant and its interval holds 0, or neither."""
        excludes = np.abs(self.difference) > self.margin
        return np.asarray((self.significant != excludes) & ~np.isnan(self.margin))

    @property
    def disagreement(self) -> str | None:
        """How many intervals contradict the significance of their difference, and why; None if none does."""
        count = int(self.contradicted.sum())
        if not count:
            return None
        significant = int((self.contradicted & self.significant).sum())
        words = {
            "significant, and the interval holds 0": significant,
            "not significant, and the interval excludes 0": count - significant,
        }
        found = "; ".join(
            f"{n} difference{'s are' if n > 1 else ' is'} {what}" for what, n in words.items() if n
        )
        return f"{found} ({self._why_contradicted})"

    @property
    def _why_contradicted(self) -> str:
        why = []
        if TESTS[self.test].signs:
            why.append(f"significance is by {TESTS[self.test].words}, the interval by Student's t")
        if self.correction == "holm" and len(self.pairs) > 1:
            why.append(
                "significance is corrected by Holm's steps, the interval by Bonferroni for all "
                f"{len(self.pairs)} pairs at once, so it is wider"
            )
        return "; ".join(why) or "p and the interval come from random resamples"

    @property
    def rows(self) -> Table:
        """One row for each measure and pair, with the test, its correction and the number of topics.

        The remark says where significance and the interval disagree, and why.
        """
        found = self.details
        constant = {name: [self.about[name]] * self.p.size for name in ("test", "correction", "topics")}
        words = {
            True: "significant, and the interval holds 0",
            False: "not significant, and the interval excludes 0",
        }
        remarks = [
            f"{words[bool(significant)]}: {self._why_contradicted}" if here else None
            for here, significant in zip(self.contradicted.ravel(), self.significant.ravel(), strict=True)
        ]
        return replace(found, columns={**found.columns, **constant, "remark": remarks})

    @property
    def details(self) -> Table:
        """One row for each measure and pair."""
        m, pair = (axis.ravel() for axis in np.indices(self.p.shape))
        first, second = self.pairs[pair].T
        return Table(
            {
                "measure": [self.measures[i] for i in m],
                "run": [self.runs[i] for i in first],
                "other": [self.runs[i] for i in second],
                "mean": self.means[first, m].tolist(),
                "other mean": self.means[second, m].tolist(),
                "difference": self.difference.ravel().tolist(),
                "low": (self.difference - self.margin).ravel().tolist(),
                "high": (self.difference + self.margin).ravel().tolist(),
                "interval": [self.interval] * self.p.size,
                "level": self.level[m].tolist(),
                "effect": self.effect.ravel().tolist(),
                "p": self.p.ravel().tolist(),
                "adjusted p": self.adjusted.ravel().tolist(),
                "significant": self.significant.ravel().tolist(),
            },
            probabilities=("p", "adjusted p"),
        )

    @property
    def labels(self) -> tuple[str, ...]:
        """A short sign for each run."""
        few = len(self.runs) <= len(_LETTERS)
        return tuple(_LETTERS[i] if few else str(i + 1) for i in range(len(self.runs)))

    @cached_property
    def _decided(self) -> Floats:
        """(measure, run, run): 1 if a run is significantly better than another, and -1 if it is worse."""
        found = np.zeros((len(self.measures), len(self.runs), len(self.runs)))
        first, second = self.pairs.T
        decided = np.where(self.significant, self.sign, 0.0)
        found[:, first, second], found[:, second, first] = decided, -decided
        return found

    def better_than(self, run: int, measure: int) -> list[int]:
        """The runs that a run is significantly better than."""
        return [int(other) for other in np.flatnonzero(self._decided[measure, run] > 0)]

    def _mark(self, run: int, measure: int) -> str:
        """The runs that are worse than a run; with a baseline, whether the run is better or worse than it."""
        if self.baseline is not None:
            sign = self._decided[measure, run, self.runs.index(self.baseline)]
            return "▲" if sign > 0 else "▼" if sign < 0 else ""
        separator = "" if len(self.runs) <= len(_LETTERS) else ","
        return separator.join(self.labels[other] for other in self.better_than(run, measure))

    @property
    def summary(self) -> Table:
        """The means. A superscript names a run that is significantly worse. With a baseline, ▲ marks a run
        that is significantly better, and ▼ one that is significantly worse."""
        columns: dict[str, list[Any]] = {} if self.baseline is not None else {"": list(self.labels)}
        columns["run"] = [f"{run} (baseline)" if run == self.baseline else run for run in self.runs]
        best = self.means.max(0).round(4)
        for m, measure in enumerate(self.measures):
            columns[measure] = [
                Cell(float(self.means[r, m]), self._mark(r, m), bool(self.means[r, m].round(4) == best[m]))
                for r in range(len(self.runs))
            ]
        return Table(columns)

    @property
    def note(self) -> str:
        """The test, its correction, and what the marks mean."""
        if self.baseline is None:
            marks = "A superscript names a run that is significantly worse"
        else:
            marks = f"▲ and ▼: significantly better and worse than the baseline {shown(self.baseline)}"
        return f"Means over {len(self.topics)} topics. {marks} ({self.tested})."

    @property
    def details_note(self) -> str:
        """The test, its correction, and what the intervals cover."""
        found = f"{len(self.topics)} topics; significant: {self.tested}. Intervals: {self.about['interval']}."
        return found if self.disagreement is None else f"{found} Note: {self.disagreement}."

    @property
    def tested(self) -> str:
        """The test and its correction, e.g. "Student's paired t-test, p < 0.05 after the Holm correction"."""
        pairs = f"{len(self.pairs)} pair{'s' if len(self.pairs) > 1 else ''}"
        drawn = self.about["resamples"]
        words = TESTS[self.test].words + (f" with {drawn:,} resamples" if drawn else "")
        if TESTS[self.test].corrects:
            corrected_for = f", corrected for {pairs} by the test itself"
        elif self.correction == "none":
            corrected_for = f", not corrected for {pairs}"
        else:
            corrected_for = f" after the {NAMES_OF_CORRECTIONS[self.correction]} correction for {pairs}"
        return f"{words}, p < {self.alpha:g}{corrected_for}"

    def by_topic(self, most: int = 5) -> TopicDifferences:
        """On which topics the runs of each pair differ, and by how much.

        most : the number of gains and of losses that the table shows for each pair, the largest first. The
            rows hold all topics.
        """
        if most < 1:
            raise InputError(f"the number of topics to show must be at least 1; got {most!r}")
        return TopicDifferences(self, most)


@dataclass(frozen=True, eq=False, repr=False)
class TopicDifferences(Result):
    """On which topics the first run of a pair is better and worse than the other, and by how much."""

    comparison: Comparison
    most: int  #: how many gains and losses of a pair the tables show

    @property
    def about(self) -> Mapping[str, Any]:  # type: ignore[override]
        return self.comparison.about

    @property
    def measures(self) -> tuple[str, ...]:
        return self.comparison.measures

    @cached_property
    def difference(self) -> Floats:
        """(measure, pair, topic): the score of the first run minus that of the other."""
        values = self.comparison.values
        first, second = values[self.comparison.pairs.T]
        found = (first - second).transpose(2, 0, 1)
        rounding = 1e-13 * np.abs(values).max((0, 1))[:, None, None]
        return np.where(np.abs(found) <= rounding, 0.0, found)

    def _rows(self, most: int | None) -> Table:
        columns: dict[str, list[Any]] = {name: [] for name in ("measure", "run", "other", "topic")}
        columns |= {"score": [], "other score": [], "difference": []}
        of = self.comparison
        for m, measure in enumerate(of.measures):
            for pair, (a, b) in enumerate(of.pairs.tolist()):
                difference = self.difference[m, pair]
                order = np.argsort(-difference, kind="stable")
                if most is not None:
                    gains, losses = order[difference[order] > 0], order[difference[order] < 0]
                    order = np.concatenate([gains[:most], losses[-most:]])
                for t in order.tolist():
                    row = (measure, of.runs[a], of.runs[b], of.topics[t])
                    numbers = (of.values[a, t, m], of.values[b, t, m], difference[t])
                    for name, x in zip(columns, (*row, *map(float, numbers)), strict=True):
                        columns[name].append(x)
        return Table(columns)

    @property
    def rows(self) -> Table:
        """One row for each measure, pair and topic, the largest gain first."""
        return self._rows(None)

    @property
    def summary(self) -> Table:
        """For each measure and pair, on how many topics the first run is better, worse and equal."""
        of, found = self.comparison, self.difference
        m, pair = (axis.ravel() for axis in np.indices(found.shape[:2]))
        first, second = of.pairs[pair].T
        return Table(
            {
                "measure": [of.measures[i] for i in m],
                "run": [of.runs[i] for i in first],
                "other": [of.runs[i] for i in second],
                "better": (found > 0).sum(2).ravel().tolist(),
                "worse": (found < 0).sum(2).ravel().tolist(),
                "equal": (found == 0).sum(2).ravel().tolist(),
                "mean gain": _mean_where(found, found > 0),
                "mean loss": _mean_where(found, found < 0),
            }
        )

    @property
    def tables(self) -> tuple[Table, ...]:
        """The numbers of better and worse topics, and the topics with the largest differences."""
        return self.summary, self._rows(self.most)

    @property
    def note(self) -> str:
        return (
            f"Differences on {len(self.comparison.topics)} topics. The first table counts the topics on "
            f"which the run is better and worse than the other. The second shows, of each pair, at most "
            f"{self.most} of the largest gains and {self.most} of the largest losses."
        )


def _mean_where(found: Floats, where: Bools) -> list[float | None]:
    """The mean of the selected differences, or None if there are none."""
    count = where.sum(2).ravel().tolist()
    total = np.where(where, found, 0.0).sum(2).ravel().tolist()
    return [t / n if n else None for t, n in zip(total, count, strict=True)]
