"""Whether a new version of a system is worse than the one before: passed, failed or cannot tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from rankprism.comparison import margins as margin_tests
from rankprism.comparison.boards.lost_topics import lost_topics
from rankprism.comparison.boards.policy import Policy, read_policy
from rankprism.comparison.boards.verdict import CANNOT_TELL, FAILED, PASSED, POWER, UNCHANGED, Gate
from rankprism.data import Floats, Note, issue, some, with_notes
from rankprism.errors import InputError, listed
from rankprism.evaluation import Collection, check_depths, check_ids, collected, comparable
from rankprism.formats import Source, source_of
from rankprism.formats.source import peer_name
from rankprism.measures.limits import greatest_loss
from rankprism.results import Scores
from rankprism.statistics import CLAIMS, corrected, moments
from rankprism.types import (
    CannotTell,
    CollectionOptions,
    JudgmentsLike,
    MeasuresLike,
    Path,
    PreferencesLike,
    RunLike,
)

#: The new run and the baseline, as the tests take a pair.
_PAIR = np.array([[1, 0]])


def gate(
    judgments: JudgmentsLike | PreferencesLike | Collection,
    baseline: RunLike | None = None,
    new: RunLike | None = None,
    measures: MeasuresLike | None = None,
    *,
    margin: float | str | None = None,
    margins: Mapping[Any, float | str] | None = None,
    cannot_tell: CannotTell = "report",
    alpha: float = 0.05,
    policy: Path | Policy | None = None,
    mixed: bool = False,
    **options: Unpack[CollectionOptions],
) -> Gate:
    """Test whether a new run lost more than a margin against a baseline, by each measure.

    With L the true loss, d the margin, z̄ the mean of new - baseline (baseline - new if a lower score is
    better), s its standard deviation over n topics, and t = (z̄ + d) / (s/√n), a measure failed if t < -c,
    which shows L > d, and passed if t > c, which shows L < d, where c = t_(1-α; n-1). Otherwise the gate
    cannot tell. If no topic changed, the measure is unchanged, and passes. If all differences are equal, z̄
    is compared with -d.

    With several measures, p is corrected by Holm twice: among the tests that could fail, and among those that
    could pass. So whatever the true losses are, the probability that any measure fails although it did not
    lose more than its margin is at most α, and so is the probability that any measure passes although it
    did. The gate fails if a measure failed, and passes if all measures passed or are unchanged.

    Parameters
    ----------
    judgments, **options
        As for `rankprism.evaluate`. The mean is over all judged topics, because a run could otherwise pass by
        leaving out topics. With a `Collection`, its runs are meant.
    baseline, new
        Two runs: whatever `read_run` takes. Of a collection, the names of two runs. Default: the first and
        the second of two.
    measures
        A measure or several, unless the policy names them.
    margin
        The largest loss that does not matter, e.g. 0.01, or 2% of the baseline's mean. With 0, a run that
        did not change much can hardly pass.

        A margin that no run can lose, because the baseline's mean is not higher, is an error.
    margins
        Margins of single measures, by their names. `margin` is for the others.
    cannot_tell
        What to do if the gate cannot tell: report it with an exit code of its own, pass, or fail.
    alpha
        Probability of a wrong verdict in each direction.
    policy
        A TOML file whose table [gate] holds measures, margins, alpha and cannot-tell.
    mixed
        Test the runs even if one is more than twice as deep as the other and a measure grows with depth. The
        caption then says so.

    Examples
    --------
    >>> qrels = {str(q): {"a": 1} for q in range(30)}
    >>> good = {q: {"a": 2.0, "b": 1.0} for q in qrels}
    >>> bad = good | {str(q): {"b": 2.0, "a": 1.0} for q in range(12)}
    >>> found = gate(qrels, good, bad, "RR", margin=0.05)
    >>> found.outcome, found.exit_code
    ('failed', 3)
    >>> gate(qrels, good, good, "RR", margin=0).outcome
    'unchanged'
    """
    followed = _policy(policy, measures, margin, margins, cannot_tell, alpha)
    collection = _of_two(judgments, baseline, new, options)
    if collection.options.topics != "judged":
        raise InputError(
            "a gate averages over all judged topics, because a run could otherwise pass by leaving out "
            "topics; leave out topics"
        )
    scores = comparable(collection, measures=followed.measures)
    check_ids(scores)
    check_depths(scores, mixed)
    absolute = any(measure.needs == "judgments" for measure in followed.measures)
    if absolute and not collection.judgments.cells.documents.any():
        tested = _telling_nothing(gate_of(scores, followed), "no document of the judgments is relevant")
    else:
        tested = gate_of(scores, followed)
        _check_margins(tested, followed)
    notes = _notes(tested)
    issue(notes)
    m = tested.deciding
    lost = lost_topics(scores, tested.gains[m], followed.measures[m], collection)
    about = _about(tested, followed, with_notes(scores.conventions, notes), lost)
    return replace(tested, lost=lost, about=about)


def _policy(
    policy: Path | Policy | None,
    measures: MeasuresLike | None,
    margin: float | str | None,
    margins: Mapping[Any, float | str] | None,
    cannot_tell: CannotTell,
    alpha: float,
) -> Policy:
    """The policy, from the arguments or from a file, but not from both."""
    if policy is None:
        if measures is None:
            raise InputError("name the measures of the gate, or a policy that does")
        return Policy.of(measures, margin, margins, alpha, cannot_tell)
    defaults = gate.__kwdefaults__ or {}
    given = {"margin": margin, "margins": margins, "cannot_tell": cannot_tell, "alpha": alpha}
    set_too = [name for name, value in given.items() if value != defaults[name]]
    for name in [*(["measures"] if measures is not None else []), *set_too]:
        raise InputError(f"the policy decides on {name}; leave out {name}, or the policy")
    return policy if isinstance(policy, Policy) else read_policy(policy)


def _of_two(judgments: Any, baseline: Any, new: Any, options: CollectionOptions) -> Collection:
    """The collection with the baseline as its first run and the new run as its second."""
    if not isinstance(judgments, Collection):
        if baseline is None or new is None:
            raise TypeError("the runs are missing; pass the baseline and the new run, or pass a Collection")
        return collected(judgments, versions(baseline, new), **options)
    collection, names = collected(judgments, **options), judgments.runs
    if (baseline is None and new is None) and len(names) != 2:
        raise InputError(f"a gate compares two runs; name them among {listed(names)}")
    chosen = names if baseline is None and new is None else (baseline, new)
    if not all(isinstance(name, str) for name in chosen):
        raise TypeError("runs are part of a Collection; name two of them with baseline= and new=")
    if chosen[0] == chosen[1]:
        raise InputError(f"a gate compares two runs; got {chosen[0]!r} twice")
    return collection.keep(runs=chosen)


def versions(baseline: RunLike | Source, new: RunLike | Source) -> dict[str, Source]:
    """The two runs by their names, which are made different if they are not: the files of two versions often
    have the same name in two folders."""
    given = {"baseline": source_of(baseline), "new": source_of(new)}
    names = [_name(source, role) for role, source in given.items()]
    if names[0] == names[1]:
        paths = [source.thing.path if source.is_file else "" for source in given.values()]
        names = [
            path if paths[0] != paths[1] and all(paths) else f"{name} ({role})"
            for path, name, role in zip(paths, names, given, strict=True)
        ]
    return dict(zip(names, given.values(), strict=True))


def _name(source: Source, role: str) -> str:
    return source.name(1) if source.is_file or source.is_run else peer_name(source.thing) or role


def gate_of(scores: Scores, policy: Policy) -> Gate:
    """The tests of all measures. The baseline is the first run."""
    topics, number = len(scores.topics), len(scores.measures)
    found = [moments(scores.values[:, :, m], _PAIR) for m in range(number)]
    mean, s, changed = (
        np.concatenate([getattr(x, name) for x in found]) for name in ("mean", "s", "changed")
    )
    margin = np.concatenate(
        [
            one.sizes(scores.means[:, [m]], _PAIR, scores.runs, scores.measures[m : m + 1])[0]
            for m, one in enumerate(policy.margins)
        ]
    )
    gain = mean * scores.direction
    passing = _corrected(margin_tests.one_sided(gain, margin, s, topics))
    failing = _corrected(margin_tests.one_sided(-gain, -margin, s, topics))
    verdict = np.select(
        [changed == 0, failing < policy.alpha, passing < policy.alpha],
        [UNCHANGED, FAILED, PASSED],
        CANNOT_TELL,
    )
    level = policy.alpha / number  # of the first step of Holm
    half = margin_tests.half_width(s, topics, level)
    return Gate(
        about={"scores": scores.conventions},
        baseline=scores.runs[0],
        new=scores.runs[1],
        measures=scores.measures,
        topics=scores.topics,
        values=scores.values,
        means=scores.means,
        margin=margin,
        difference=mean + 0.0,
        half_width=np.where(s > 0, half, np.nan),
        level=1 - 2 * level,
        failing=failing,
        passing=passing,
        changed=changed,
        deviation=s,
        verdicts=tuple(verdict.tolist()),
        alpha=policy.alpha,
        cannot_tell=policy.cannot_tell,
    )


def _check_margins(tested: Gate, policy: Policy) -> None:
    """Refuse a margin that no run can lose."""
    for m, measure in enumerate(policy.measures):
        mean = float(tested.means[0, m])
        most = greatest_loss(measure, mean, str(measure) in tested.lower_is_better)
        if most is not None and tested.margin[m] >= most:
            raise InputError(
                f"the margin of {measure} is {tested.margin[m]:.4g}, but the mean of the baseline "
                f"{tested.baseline!r} is {mean:.4f}, so no run can lose more than {most:.4f} and the gate "
                f"would pass any run; give a smaller margin"
            )


def _telling_nothing(tested: Gate, reason: str) -> Gate:
    """The same gate, which cannot tell anything by the measures whose scores did not change."""
    verdicts = tuple(CANNOT_TELL if verdict == UNCHANGED else verdict for verdict in tested.verdicts)
    return replace(tested, verdicts=verdicts, reason=reason)


def _corrected(p: Floats) -> Floats:
    """p after Holm's correction. One topic gives no p, and NaN stays."""
    return p if np.isnan(p).any() else corrected(p, "holm")


def _notes(tested: Gate) -> list[Note]:
    notes = []
    topics = len(tested.topics)
    missing = CLAIMS["a difference beside a margin"].missing(topics)
    if missing is not None:
        notes.append(Note("no-interval", missing, topics, ""))
    passed = np.array([verdict == PASSED for verdict in tested.verdicts])
    few = np.flatnonzero(passed & margin_tests.are_few(tested.changed, topics)).tolist()
    if few:
        names = [tested.measures[m] for m in few]
        message = (
            f"the new run passes by {some(names)}, but only {int(tested.changed[few].min())} of {topics} "
            "topics changed, and a rare large loss can be missed"
        )
        notes.append(Note("few-changed-topics", message, len(few), names[0]))
    return notes


def _about(tested: Gate, policy: Policy, scores: Mapping[str, Any], lost: tuple[Any, ...]) -> dict[str, Any]:
    return {
        "outcome": tested.outcome,
        "exit code": tested.exit_code,
        "baseline": tested.baseline,
        "new": tested.new,
        "topics": len(tested.topics),
        "test": "one-sided paired t at the margin, in both directions",
        "correction": f"Holm for {len(tested.measures)} measures, in each direction",
        "alpha": policy.alpha,
        "margins": {str(m): str(margin) for m, margin in zip(policy.measures, policy.margins, strict=True)},
        "cannot tell": policy.cannot_tell,
        **({"reason": tested.reason} if tested.reason else {}),
        "detectable": f"the true loss that fails with probability {POWER:g}",
        "lost most by": tested.measures[tested.deciding],
        "lost topics": [one.record() for one in lost],
        "scores": scores,
    }
