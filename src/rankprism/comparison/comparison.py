"""Which systems differ, and by how much."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, NamedTuple

import numpy as np

from rankprism.comparison.margins import Margin, within
from rankprism.comparison.notes import assumption_notes, few_changed_topics, few_topics, out_of_reach
from rankprism.comparison.result import POWER, Comparison
from rankprism.data import Floats, Longs, Note, issue, with_notes
from rankprism.errors import InputError, LongComputation, listed, one_of
from rankprism.evaluation import check_ids, comparable
from rankprism.results import Scores
from rankprism.statistics import (
    CLAIMS,
    NAMES_OF_CORRECTIONS,
    TESTS,
    Paired,
    Share,
    all_pairs,
    check_level,
    corrected,
    for_each,
    interval_level,
    moments,
    paired,
    resampling,
    smallest_difference,
)
from rankprism.statistics.levels import MOST_RESAMPLES, check_resamples
from rankprism.types import (
    Correction,
    JudgmentsLike,
    KeyOf,
    MeasuresLike,
    Natural,
    Positive,
    RunsLike,
    ScoresLike,
    TestName,
)

#: The number of resamples, unless the number of pairs needs more.
RESAMPLES = 10_000
#: A computation that takes more seconds than the first number is announced. One that takes more than the
#: second is refused, unless its number of resamples was given.
ANNOUNCED, REFUSED = 10, 600
#: About how many pairs the correction max-t resamples in a second on one core.
MAX_T_RATE = 1e8


def compare(
    scores: ScoresLike | JudgmentsLike,
    runs: RunsLike | None = None,
    measures: MeasuresLike | None = None,
    *,
    baseline: str | Sequence[str] | None = None,
    test: Annotated[TestName, KeyOf("comparison:TESTS")] = "t",
    correction: Correction | None = None,
    margin: float | str | None = None,
    alpha: float = 0.05,
    resamples: Positive | None = None,
    seed: Natural = 0,
    on_share: Share | None = None,
) -> Comparison:
    """Test every pair of systems, or every system against a baseline, by every measure.

    Parameters
    ----------
    scores
        What `evaluate` returns, or whatever `read_scores` takes. Or judgments, with the `runs` and
        `measures` to evaluate, as for `rankprism.evaluate`.
    baseline
        The run to compare with, or several of them: each other run is compared with each of them. Default:
        all pairs are compared.
    test
        The significance test. tukey is the randomised Tukey HSD. anova-tukey is Tukey's HSD after a two-way
        analysis of variance, and dunnett is Dunnett's test after the same analysis, for comparisons with a
        baseline.
    correction
        Correction for the number of pairs. max-t is for the test fisher. Default: holm, or none if the test
        itself corrects for the number of pairs.

        It is made within each measure. The tests tukey, anova-tukey and dunnett correct themselves.
    margin
        The largest difference that does not matter, e.g. 0.01, or 2% of the baseline's mean. The result then
        says which runs are better, worse, equivalent or not worse.

        See `Comparison.verdicts`.
    alpha
        Significance level.

        A difference is significant if its adjusted p is smaller. The intervals match the adjusted p: see
        `Comparison.interval` and `Comparison.level`.
    resamples
        Number of resamples. Default: 10,000, or the number of pairs divided by alpha if that is more.

        With fewer, no single pair can be significant after the correction.
    seed
        Seed for the random numbers. The same seed gives the same result.

        It does so on any number of threads and for any order of runs and topics.

    Examples
    --------
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
    t-test, p < 0.05 after the Holm correction for 3 pairs). In half of the pairs, a true difference of
    0.11 by alpha_nDCG@10 or 0.12 by P@10 would be found with probability 0.8; a smaller one may well
    not be significant.
    """
    one_of("test", test, tuple(TESTS))
    chosen = TESTS[test]
    correction = _correction(test, correction)
    check_level(alpha, None, seed)
    asked = None if margin is None else Margin.of(margin)
    complete = comparable(scores, runs, measures)
    check_ids(complete)
    baselines = _baselines(baseline, complete.runs, test, asked)
    pairs = _pairs(complete.runs, baselines)
    drawn = _drawn(test, correction, len(pairs), complete, alpha, resamples) if chosen.draws else None
    topics = len(complete.topics)
    notes = few_topics(test, correction, len(pairs), topics, alpha)
    possible = not notes  # whether any difference can be significant
    missing = CLAIMS[chosen.claim(correction, len(pairs))].missing(topics)
    if missing is not None and topics > 1:
        notes.append(Note("no-interval", missing, topics, ""))

    by_name = ByName.of(complete, pairs, turns=not baselines)
    level = alpha if chosen.corrects else interval_level(correction, alpha, len(pairs))
    settings: dict[str, object] = {"resamples": drawn, "seed": seed} if chosen.draws else {}
    if correction == "max-t":
        settings["max_t"] = True

    def tested(m: int, tell: Share) -> Paired:
        return chosen.function(by_name.values(m), by_name.pairs, level, on_share=tell, **settings)

    found = for_each([partial(tested, m) for m in range(len(complete.measures))], on_share)
    differences = [moments(by_name.as_given(m), pairs) for m in range(len(complete.measures))]
    better, p = complete.direction, by_name.back(found, "p")
    changed = np.array([x.changed for x in differences])
    half_width = _half_width(by_name.back(found, "half_width"), possible=missing is None)
    # An interval may not leave out 0 where no p can be below alpha.
    unreached = out_of_reach(test, correction, changed, alpha, possible=possible)
    if possible:
        notes += few_changed_topics(test, unreached & ~np.isnan(half_width), changed, alpha)
    compared = Comparison(
        runs=complete.runs,
        measures=complete.measures,
        topics=by_name.scores.topics,
        values=by_name.scores.values[by_name.place],
        test=test,
        correction=correction,
        alpha=alpha,
        baselines=baselines,
        means=by_name.means,
        pairs=pairs,
        difference=by_name.back(found, "difference", signed=True),
        sign=by_name.back(found, "sign", signed=True) * better[:, None] + 0.0,
        p=p,
        adjusted=by_name.back(found, "adjusted")
        if correction == "max-t"
        else np.array([corrected(row, correction) for row in p]),
        effect=by_name.back(found, "effect", signed=True),
        half_width=np.where(unreached, np.nan, half_width),
        interval=chosen.kind(correction),
        level=np.array([1 - x.level for x in found]),
        changed=changed,
        detectable=_detectable(found)[:, by_name.places] if possible else np.full(p.shape, np.nan),
        margins=None
        if asked is None
        else within(
            asked,
            asked.sizes(by_name.means, pairs, complete.runs, complete.measures),
            differences,
            better,
            topics,
            alpha,
            1 if correction == "none" and not chosen.corrects else len(pairs),
        ),
        about={"scores": complete.conventions},
    )
    notes += assumption_notes(compared)
    issue(notes)
    random = {"resamples": drawn, "seed": seed if chosen.draws else None}
    return replace(compared, about=_about(compared, random, possible, notes))


class ByName(NamedTuple):
    """Scores with runs and topics sorted by name, so that random numbers and sums ignore the order of a file.

    A pair of runs as given is one of `pairs`, turned round if its second run comes before its first one.
    """

    scores: Scores
    place: Longs  #: (run,): where each run as given is in `scores`
    pairs: Longs  #: (pair, 2): positions in `scores`, in the order of the tests
    places: Longs  #: (pair,): where each pair as given is in `pairs`
    direction: Floats  #: (pair,): -1 for each pair as given that is turned round, 1 for the others

    @classmethod
    def of(cls, scores: Scores, pairs: Longs, turns: bool) -> ByName:
        """Sort scores by name, and pairs of runs as given. Pairs with a baseline are not turned round."""
        ordered = scores.select(runs=sorted(scores.runs), topics=sorted(scores.topics))
        place = np.array([ordered.runs.index(run) for run in scores.runs])
        turned = (place[pairs[:, 0]] > place[pairs[:, 1]]) & turns
        there = np.where(turned[:, None], place[pairs[:, ::-1]], place[pairs])
        order = np.lexsort((there[:, 1], there[:, 0]))
        return cls(ordered, place, there[order], np.argsort(order), np.where(turned, -1.0, 1.0))

    @property
    def means(self) -> Floats:
        """(run, measure), with the runs as given."""
        return np.asarray(self.scores.means[self.place])

    def values(self, measure: int) -> Floats:
        """(run, topic), sorted by name."""
        return np.asarray(self.scores.values[:, :, measure])

    def as_given(self, measure: int) -> Floats:
        """(run, topic), with the runs as given."""
        return np.asarray(self.values(measure)[self.place])

    def back(self, found: Sequence[Paired], name: str, signed: bool = False) -> Floats:
        """(measure, pair): a figure of each test, for the pairs as given."""
        figures = np.array([getattr(one, name) for one in found])[:, self.places]
        return figures * self.direction + 0.0 if signed else figures  # no -0


def _about(
    of: Comparison, random: Mapping[str, int | None], possible: bool, notes: Sequence[Note]
) -> dict[str, Any]:
    """How a comparison was made, and what its numbers mean, in plain values."""
    residuals = TESTS[of.test].corrects
    about = {
        "test": of.test,
        "correction": "within the test" if residuals else of.correction,
        "alpha": of.alpha,
        "baselines": list(of.baselines),
        "margin": None if of.margins is None else str(of.margins.asked),
        "topics": len(of.topics),
        **random,
        "effect": f"difference / standard deviation of the {'residuals' if residuals else 'differences'}",
        "interval": _about_interval(of.interval, of.alpha, len(of.pairs)),
        "detectable": f"the true difference that is found with probability {POWER:g}"
        if possible
        else "unknown, because nothing can be significant",
        "scores": with_notes(of.about["scores"], notes),
    }
    return about if of.disagreement is None else {**about, "disagreement": of.disagreement}


def _baselines(
    given: str | Sequence[str] | None, runs: Sequence[str], test: TestName, margin: Margin | None
) -> tuple[str, ...]:
    """The names of the baselines, each once. Names that are not runs, or do not fit the test, are refused."""
    names = () if given is None else (given,) if isinstance(given, str) else tuple(dict.fromkeys(given))
    for name in names:
        if name not in runs:
            raise InputError(f"no run is named {name!r}; there are {listed(runs)}")
    if len(names) == len(runs):
        raise InputError("every run is a baseline, so none is left to compare with them")
    if TESTS[test].baseline and len(names) != 1:
        raise InputError(f"the test {test} compares with one run; name it as the baseline")
    if margin is not None and margin.relative and not names:
        raise InputError(
            f"a margin of {100 * margin.size:g}% is a share of the mean of a baseline; name a baseline, or "
            "give the margin as a difference of scores, e.g. 0.01"
        )
    return names


def _pairs(runs: Sequence[str], baselines: Sequence[str]) -> Longs:
    """(pair, 2): positions of the runs that are compared."""
    if not baselines:
        return all_pairs(len(runs))
    return paired.against(len(runs), [runs.index(name) for name in baselines])


def _half_width(found: Floats, possible: bool) -> Floats:
    """Half-widths with NaN for those that say nothing: infinite ones, and those of differences that are all
    equal, which do not show how much they vary."""
    return np.where((found > 0) & np.isfinite(found) & possible, found, np.nan)


def _detectable(found: Sequence[Paired]) -> Floats:
    """(measure, pair): the true difference that is found with a power of .8. It grows with the standard error
    and with the |t| that is needed for significance."""
    half_width, error = (np.array([getattr(x, name) for x in found]) for name in ("half_width", "error"))
    with np.errstate(divide="ignore", invalid="ignore"):
        critical = np.where(error > 0, half_width / error, 0.0)
    return np.where(error > 0, smallest_difference(critical, found[0].freedom, POWER) * error, error)


def _correction(test: TestName, wanted: Correction | None) -> Correction:
    if wanted is not None:
        one_of("correction", wanted, Correction)
    if wanted == "max-t" and not TESTS[test].max_t:
        able = listed([name for name, one in TESTS.items() if one.max_t])
        raise InputError(f"the correction max-t goes with the test {able}; got the test {test}")
    if not TESTS[test].corrects:
        return wanted or "holm"
    if wanted not in (None, "none"):
        what = "for the comparisons with the baseline" if TESTS[test].baseline else "for all pairs"
        raise InputError(f"the test {test} already corrects {what}; leave out the correction")
    return "none"


def _drawn(
    test: TestName,
    correction: Correction,
    pairs: int,
    scores: Scores,
    alpha: float,
    wanted: int | None,
) -> int:
    """The number of resamples to draw, announced if that takes long."""
    drawn = _resamples(test, correction, pairs, len(scores.topics), alpha, wanted)
    _announce(test, correction, scores.values.shape, pairs, drawn, chosen_by_user=wanted is not None)
    return drawn


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
        least = resampling.least_resamples(alpha, 1 if correction in ("none", "max-t") else pairs)
        if least > MOST_RESAMPLES:
            raise InputError(
                f"a p below {alpha:g}{after} needs {least:,} resamples, and the limit is {MOST_RESAMPLES:,}; "
                f"{INSTEAD}"
            )
        return max(RESAMPLES, least)
    check_resamples(wanted)
    least = resampling.least_resamples(alpha, multiplied)
    if wanted < least and not (TESTS[test].enumerates and resampling.enumerable(topics, wanted)):
        raise InputError(
            f"with {wanted:,} resamples no p can be below {alpha:g}{after}; take at least {least:,}, or "
            "leave out the number; the test fisher with the correction max-t needs fewer"
        )
    return wanted


#: What to do if a test would need too many resamples.
INSTEAD = (
    "take the test t, which draws none, or fisher with the correction max-t, which needs 10,000 for any "
    "number of pairs, or compare with a baseline only"
)


def _announce(
    test: TestName,
    correction: Correction,
    shape: tuple[int, ...],
    pairs: int,
    resamples: int,
    *,
    chosen_by_user: bool,
) -> None:
    """Say how long a long computation will take, before it begins. Refuse it unless the user asked for its
    number of resamples."""
    runs, topics, measures = shape
    if TESTS[test].enumerates and resampling.enumerable(topics, resamples):
        resamples = 2**topics
    if correction == "max-t":
        seconds = resamples * (pairs / MAX_T_RATE + runs * topics / TESTS[test].rate) / (os.cpu_count() or 1)
    else:
        side = runs if TESTS[test].corrects else pairs
        seconds = side * topics * resamples / TESTS[test].rate
    seconds *= measures if correction == "max-t" else -(-measures // (os.cpu_count() or 1))
    if seconds < ANNOUNCED:
        return
    long = f"{seconds / 60:,.0f} minutes" if seconds >= 90 else f"{seconds:.0f} seconds"
    work = f"{resamples:,} resamples of {pairs:,} pairs on {topics:,} topics take about {long}"
    if seconds > REFUSED and not chosen_by_user:
        raise InputError(f"{work}; {INSTEAD}; or ask for them with --resamples {resamples}")
    issue([Note("long-computation", work, resamples, "")], LongComputation)


def _about_interval(kind: str, alpha: float, pairs: int) -> str:
    return {
        "single": f"each holds on its own with probability {1 - alpha:g}",
        "Bonferroni": f"each covers 1 - {alpha:g}/{pairs}, so that all {pairs} together hold with "
        f"probability {1 - alpha:g}",
        "FCR": f"each covers 1 - R × {alpha:g}/{pairs}, R the number of significant pairs (at least 1), so "
        f"that a share {1 - alpha:g} of the intervals of significant pairs is expected to hold",
        "simultaneous": f"all together hold with probability {1 - alpha:g}",
    }[kind]
