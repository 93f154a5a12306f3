"""Which systems differ, and by how much."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated

import numpy as np

from rankprism.comparison.margins import Margin, within
from rankprism.comparison.notes import assumption_notes, few_changed_topics, few_topics, out_of_reach
from rankprism.comparison.result import POWER, Comparison
from rankprism.data.arrays import Floats
from rankprism.data.note import Note, issue, with_notes
from rankprism.errors import InputError, LongComputation, listed, one_of
from rankprism.evaluation.scoring import check_ids, comparable
from rankprism.statistics.claims import CLAIMS
from rankprism.statistics.corrections import (
    NAMES_OF_CORRECTIONS,
    corrected,
    interval_level,
)
from rankprism.statistics.levels import MOST_RESAMPLES, check_level, check_resamples
from rankprism.statistics.paired import TESTS, against, all_pairs, moments
from rankprism.statistics.power import smallest_difference
from rankprism.statistics.resampling import enumerable, least_resamples
from rankprism.statistics.tests import Paired
from rankprism.statistics.threads import Share, for_each
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
    names, topics = complete.runs, len(complete.topics)
    baselines = _baselines(baseline, names, test)
    if asked is not None and asked.relative and not baselines:
        raise InputError(
            f"a margin of {margin} is a share of the mean of a baseline; name a baseline, or give the margin "
            "as a difference of scores, e.g. 0.01"
        )
    pairs = (
        all_pairs(len(names)) if not baselines else against(len(names), [names.index(b) for b in baselines])
    )
    drawn = _resamples(test, correction, len(pairs), topics, alpha, resamples) if chosen.draws else None
    if drawn is not None:
        _announce(
            test, correction, complete.values.shape, len(pairs), drawn, chosen_by_user=resamples is not None
        )
    notes = few_topics(test, correction, len(pairs), topics, alpha)
    possible = not notes  # whether any difference can be significant
    missing = CLAIMS[chosen.claim(correction, len(pairs))].missing(topics)
    if missing is not None and topics > 1:
        notes.append(Note("no-interval", missing, topics, ""))
    level = alpha if chosen.corrects else interval_level(correction, alpha, len(pairs))

    # Random numbers and sums follow runs and topics sorted by name, so the order of a file does not matter.
    by_name = complete.select(runs=sorted(names), topics=sorted(complete.topics))
    place = np.array([by_name.runs.index(run) for run in names])
    turned = place[pairs[:, 0]] > place[pairs[:, 1]] if not baselines else np.zeros(len(pairs), dtype=bool)
    there = np.where(turned[:, None], place[pairs[:, ::-1]], place[pairs])
    order = np.lexsort((there[:, 1], there[:, 0]))
    settings: dict[str, object] = {"resamples": drawn, "seed": seed} if chosen.draws else {}
    if correction == "max-t":
        settings["max_t"] = True

    def tested(m: int, tell: Share) -> Paired:
        return chosen.function(by_name.values[:, :, m], there[order], level, on_share=tell, **settings)

    found = for_each([partial(tested, m) for m in range(len(complete.measures))], on_share)
    differences = [moments(by_name.values[:, :, m][place], pairs) for m in range(len(complete.measures))]
    back = np.argsort(order)
    direction, better = np.where(turned, -1.0, 1.0), complete.direction

    def all_measures(name: str) -> Floats:
        return np.array([getattr(x, name) for x in found])[:, back]

    # Differences that are all equal do not show how much they vary; an infinite half-width says nothing.
    # Nor may an interval leave out 0 where no p can be below alpha.
    half_width = all_measures("half_width")
    changed = np.array([x.changed for x in differences])
    unreached = out_of_reach(test, correction, changed, alpha, possible=possible)
    printed = (half_width > 0) & np.isfinite(half_width) & (missing is None)
    if possible:
        notes += few_changed_topics(test, unreached & printed, changed, alpha)
    half_width = np.where(printed & ~unreached, half_width, np.nan)
    p = all_measures("p")
    adjusted = (
        [corrected(row, correction) for row in p] if correction != "max-t" else all_measures("adjusted")
    )
    kind = chosen.kind(correction)
    compared = Comparison(
        runs=names,
        measures=complete.measures,
        topics=by_name.topics,
        values=by_name.values[place],
        test=test,
        correction=correction,
        alpha=alpha,
        baselines=baselines,
        means=by_name.means[place],
        pairs=pairs,
        difference=all_measures("difference") * direction + 0.0,  # no -0
        sign=all_measures("sign") * direction * better[:, None] + 0.0,
        p=p,
        adjusted=np.array(adjusted),
        effect=all_measures("effect") * direction + 0.0,
        half_width=half_width,
        interval=kind,
        level=np.array([1 - x.level for x in found]),
        changed=changed,
        detectable=_detectable(found)[:, back] if possible else np.full(p.shape, np.nan),
        margins=None
        if asked is None
        else within(
            asked,
            asked.sizes(by_name.means[place], pairs, names, complete.measures),
            differences,
            better,
            topics,
            alpha,
            1 if correction == "none" and not chosen.corrects else len(pairs),
        ),
        about={
            "test": test,
            "correction": "within the test" if chosen.corrects else correction,
            "alpha": alpha,
            "baselines": list(baselines),
            "margin": None if asked is None else str(asked),
            "topics": topics,
            "resamples": drawn,
            "seed": seed if chosen.draws else None,
            "effect": "difference / standard deviation of the "
            + ("residuals" if chosen.corrects else "differences"),
            "interval": _about_interval(kind, alpha, len(pairs)),
            "detectable": f"the true difference that is found with probability {POWER:g}"
            if possible
            else "unknown, because nothing can be significant",
            "scores": complete.conventions,
        },
    )
    said = compared.disagreement
    notes += assumption_notes(compared)
    issue(notes)
    more = {} if said is None else {"disagreement": said}
    about = {**compared.about, "scores": with_notes(complete.conventions, notes), **more}
    return replace(compared, about=about)


def _baselines(given: str | Sequence[str] | None, runs: Sequence[str], test: TestName) -> tuple[str, ...]:
    """The names of the baselines, each once. Names that are not runs, or do not fit the test, are refused."""
    names = () if given is None else (given,) if isinstance(given, str) else tuple(dict.fromkeys(given))
    for name in names:
        if name not in runs:
            raise InputError(f"no run is named {name!r}; there are {listed(runs)}")
    if len(names) == len(runs):
        raise InputError("every run is a baseline, so none is left to compare with them")
    if TESTS[test].baseline and len(names) != 1:
        raise InputError(f"the test {test} compares with one run; name it as the baseline")
    return names


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
        least = least_resamples(alpha, 1 if correction in ("none", "max-t") else pairs)
        if least > MOST_RESAMPLES:
            raise InputError(
                f"a p below {alpha:g}{after} needs {least:,} resamples, and the limit is {MOST_RESAMPLES:,}; "
                f"{INSTEAD}"
            )
        return max(RESAMPLES, least)
    check_resamples(wanted)
    least = least_resamples(alpha, multiplied)
    if wanted < least and not (TESTS[test].enumerates and enumerable(topics, wanted)):
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
    if TESTS[test].enumerates and enumerable(topics, resamples):
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
