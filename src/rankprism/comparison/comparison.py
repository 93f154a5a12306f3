"""Which systems differ, and by how much."""

from __future__ import annotations

import math
import os
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np

from rankprism.comparison import paired
from rankprism.comparison.correction import CORRECTIONS, NAMES_OF_CORRECTIONS, corrected
from rankprism.comparison.paired import Paired, against, all_pairs
from rankprism.comparison.resampling import Share
from rankprism.data.hits import Bools, Floats, Longs
from rankprism.data.result import Result, Table, latex_escaped
from rankprism.errors import InputError, RankprismWarning, listed, one_of
from rankprism.formats.scores import read_scores

T = TypeVar("T")

#: Every test by name, with the words for a caption.
TESTS: dict[str, tuple[Callable[..., Paired], str]] = {
    "t": (paired.student, "Student's paired t-test"),
    "wilcoxon": (paired.wilcoxon, "Wilcoxon's signed-rank test"),
    "fisher": (paired.fisher, "Fisher's randomisation test"),
    "bootstrap": (paired.bootstrap, "the paired bootstrap test"),
    "tukey": (paired.tukey, "the randomised Tukey HSD test"),
}
#: The tests that draw random numbers.
DRAWING = ("fisher", "bootstrap", "tukey")
MOST_RESAMPLES = 10_000_000
_LETTERS = "abcdefghijklmnoprstuvwxyz"  # there is no superscript q
_RAISED = dict(zip(_LETTERS + "0123456789,", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ⁰¹²³⁴⁵⁶⁷⁸⁹˒", strict=True))


def compare(
    scores: Any,
    *,
    baseline: str | None = None,
    test: str = "t",
    correction: str | None = None,
    alpha: float = 0.05,
    resamples: int = 10_000,
    seed: int = 0,
    on_share: Share | None = None,
) -> Comparison:
    """Test every pair of systems, or every system against a baseline, by every measure.

    scores : what `evaluate` returns, or whatever `read_scores` takes.
    baseline : the run to compare with; all pairs without it.
    test : "t", "wilcoxon", "fisher", "bootstrap" or "tukey".
    correction : for the number of pairs, within each measure: "holm" (the default), "bonferroni", "bh" or
        "none". Tukey's HSD has it built in.
    alpha : what counts as significant, and the intervals' 1 - alpha.
    resamples, seed : of the tests that draw. The same seed gives the same p on any number of threads.

    >>> from rankprism import sample, evaluate
    >>> scores = evaluate(sample.QRELS, sorted(sample.RUNS)[:3], ["alpha_nDCG@10", "P@10"])
    >>> print(compare(scores))
       run          alpha_nDCG@10  P@10
    ───────────────────────────────────────
    a  diversified  0.7268ᶜ        0.7850ᶜ
    b  ideal        1.0000ᵃᶜ       1.0000ᵃᶜ
    c  noisy        0.3784         0.3100
    """
    one_of("test", test, tuple(TESTS))
    correction = _correction(test, correction)
    check_level(alpha, resamples if test in DRAWING else None, seed)
    complete = read_scores(scores).complete()
    runs = complete.runs
    if len(runs) < 2:
        raise InputError(f"a comparison needs two runs or more; there is only {', '.join(runs)}")
    if baseline is not None and baseline not in runs:
        raise InputError(f"no run is named {baseline!r}; there are {listed(runs)}")
    pairs = all_pairs(len(runs)) if baseline is None else against(len(runs), runs.index(baseline))
    if test in ("fisher", "bootstrap") and correction in ("holm", "bonferroni"):
        _warn_of_too_few(len(pairs), resamples, alpha, correction)

    def tested(m: int, tell: Share) -> Paired:
        values = complete.values[:, :, m]
        return TESTS[test][0](values, pairs, alpha, resamples=resamples, seed=seed, on_share=tell)

    found = for_each([partial(tested, m) for m in range(len(complete.measures))], on_share)
    return Comparison(
        runs=runs,
        measures=complete.measures,
        test=test,
        correction=correction,
        alpha=alpha,
        baseline=baseline,
        means=complete.means,
        pairs=pairs,
        difference=np.array([x.difference for x in found]),
        sign=np.array([x.sign for x in found]),
        p=np.array([x.p for x in found]),
        adjusted=np.array([corrected(x.p, correction) for x in found]),
        effect=np.array([x.effect for x in found]),
        margin=np.array([x.margin for x in found]),
        about={
            "test": test,
            "correction": correction,
            "alpha": alpha,
            "baseline": baseline,
            "topics": len(complete.topics),
            "resamples": resamples if test in DRAWING else None,
            "seed": seed if test in DRAWING else None,
            "effect": "difference / standard deviation"
            + (" of the residuals" if test == "tukey" else " of the differences"),
            "interval": "simultaneous" if test == "tukey" else "of each pair on its own",
            "scores": complete.conventions,
        },
    )


def _correction(test: str, wanted: str | None) -> str:
    if wanted is not None:
        one_of("correction", wanted, CORRECTIONS)
    if test == "tukey" and wanted not in (None, "none"):
        raise InputError("Tukey's HSD already corrects for all pairs; leave out the correction")
    return "none" if test == "tukey" else wanted or "holm"


def _warn_of_too_few(pairs: int, resamples: int, alpha: float, correction: str) -> None:
    """A share of the resamples is 0 or at least 1 / resamples, which a correction multiplies."""
    if pairs > resamples * alpha:
        warnings.warn(
            f"{resamples:,} resamples are too few for {pairs:,} pairs: the smallest p above 0 is not below "
            f"{alpha:g} after the {NAMES_OF_CORRECTIONS[correction]} correction; take more than "
            f"{math.ceil(pairs / alpha):,}, the test tukey, or the correction bh",
            RankprismWarning,
            stacklevel=3,
        )


def check_level(alpha: float, resamples: int | None, seed: int = 0) -> None:
    """Refuses what is no level of significance, no seed, or too few resamples to see the level."""
    if not isinstance(alpha, float | int) or not 0 < alpha < 1:
        raise InputError(f"alpha must be a number between 0 and 1; got {alpha!r}")
    if resamples is None:
        return
    for name, value, least in (("resamples", resamples, 1), ("seed", seed, 0)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise InputError(f"{name} must be a whole number ≥ {least}; got {value!r}")
    if resamples > MOST_RESAMPLES:
        raise InputError(f"at most {MOST_RESAMPLES:,} resamples fit into memory; got {resamples:,}")
    if resamples * alpha < 1:
        raise InputError(
            f"{resamples} resamples cannot show a level of {alpha:g}; take at least {math.ceil(1 / alpha)}"
        )


def part_of(on_share: Share | None, number: int, parts: int) -> Share | None:
    """Progress within one of several equal parts, as progress of the whole."""
    return None if on_share is None else lambda share: on_share((number + share) / parts)


def for_each(tasks: Sequence[Callable[[Share], T]], on_share: Share | None) -> list[T]:
    """What the tasks return, several of them at a time: what numpy computes, it computes without the
    interpreter's lock. Each tells its own progress; that is also where it ends if another has failed, or
    somebody has pressed Ctrl-C."""
    shares = [0.0] * len(tasks)
    stopped = threading.Event()

    def run(number: int) -> T:
        def tell(share: float) -> None:
            if stopped.is_set():
                raise KeyboardInterrupt
            shares[number] = share
            if on_share is not None:
                on_share(sum(shares) / len(shares))

        return tasks[number](tell)

    with ThreadPoolExecutor(min(len(tasks), os.cpu_count() or 1)) as pool:
        try:
            return list(pool.map(run, range(len(tasks))))
        except BaseException:
            stopped.set()
            raise


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """What `compare` found. Arrays are (measure, pair)."""

    runs: tuple[str, ...]
    measures: tuple[str, ...]
    test: str
    correction: str
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
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def significant(self) -> Bools:
        """(measure, pair)"""
        return np.asarray(self.adjusted < self.alpha)

    @property
    def rows(self) -> Table:
        """One row a measure and pair."""
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
                "effect": self.effect.ravel().tolist(),
                "p": self.p.ravel().tolist(),
                "adjusted p": self.adjusted.ravel().tolist(),
                "significant": self.significant.ravel().tolist(),
            }
        )

    @property
    def labels(self) -> tuple[str, ...]:
        """A short sign for each run."""
        few = len(self.runs) <= len(_LETTERS)
        return tuple(_LETTERS[i] if few else str(i + 1) for i in range(len(self.runs)))

    @cached_property
    def _decided(self) -> Floats:
        """(measure, run, run): 1 where a run is significantly better than another, -1 where worse."""
        found = np.zeros((len(self.measures), len(self.runs), len(self.runs)))
        first, second = self.pairs.T
        decided = np.where(self.significant, self.sign, 0.0)
        found[:, first, second], found[:, second, first] = decided, -decided
        return found

    def better_than(self, run: int, measure: int) -> list[int]:
        """The runs that a run is significantly better than."""
        return [int(other) for other in np.flatnonzero(self._decided[measure, run] > 0)]

    def _mark(self, run: int, measure: int) -> str:
        """The runs it is better than; against a baseline, whether it is better or worse."""
        if self.baseline is not None:
            sign = self._decided[measure, run, self.runs.index(self.baseline)]
            return "▲" if sign > 0 else "▼" if sign < 0 else ""
        separator = "" if len(self.runs) <= len(_LETTERS) else ","
        return separator.join(self.labels[other] for other in self.better_than(run, measure))

    @property
    def summary(self) -> Table:
        """The means, with a superscript for every run that a run is significantly better than; against a
        baseline ▲ where a run is significantly better, ▼ where it is worse."""
        columns: dict[str, list[str]] = {} if self.baseline is not None else {"": list(self.labels)}
        columns["run"] = [f"{run} (baseline)" if run == self.baseline else run for run in self.runs]
        for m, measure in enumerate(self.measures):
            columns[measure] = [
                f"{self.means[r, m]:.4f}" + "".join(_RAISED.get(c, c) for c in self._mark(r, m))
                for r in range(len(self.runs))
            ]
        return Table(columns)

    def to_latex(self) -> str:
        """A table* with booktabs rules, the best in bold, superscripts, and a caption that says the test."""
        caption = (
            f"Mean over {self.about['topics']} topics; the best in bold. "
            + (
                "Superscripts: significantly better than that run"
                if self.baseline is None
                else r"$\blacktriangle$, $\blacktriangledown$: significantly better, worse than "
                + latex_escaped(self.baseline)
            )
            + f" ({TESTS[self.test][1]}, $p < {self.alpha:g}$"
            + ("" if self.correction == "none" else f", {NAMES_OF_CORRECTIONS[self.correction]} correction")
            + ")."
        )
        label = self.baseline is None
        lines = [
            r"% \usepackage{booktabs}, \usepackage{amssymb}",
            r"\begin{table*}[ht]",
            r"\centering",
            rf"\caption{{{caption}}}",
            rf"\begin{{tabular}}{{{'c' if label else ''}l{'l' * len(self.measures)}}}",
            r"\toprule",
            ("& " if label else "")
            + " & ".join(["Run", *(latex_escaped(measure) for measure in self.measures)])
            + r" \\",
            r"\midrule",
        ]
        best = self.means.max(0).round(4)
        for r, run in enumerate(self.runs):
            cells = [self.labels[r]] if label else []
            cells.append(latex_escaped(run))
            for m in range(len(self.measures)):
                score = f"{self.means[r, m]:.4f}"
                if self.means[r, m].round(4) == best[m]:
                    score = rf"\textbf{{{score}}}"
                mark = self._mark(r, m).replace("▲", r"\blacktriangle").replace("▼", r"\blacktriangledown")
                cells.append(score + (f"$^{{{mark}}}$" if mark else ""))
            lines.append(" & ".join(cells) + r" \\")
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table*}", ""])
