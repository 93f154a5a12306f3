"""`drift`: does a new version of a judge agree with people less than the old one did?

Both versions have labelled the same documents, whose labels by people stay as they are. κ, weighted κ, α and
bias are computed for both, and their differences get intervals from the jackknife over topics: what a topic
does to both versions cancels. p is corrected for all figures of all judges by Holm.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from rankprism.data import Bools, Floats, Longs, Note, issue
from rankprism.errors import InputError, listed
from rankprism.formats import read_judgments
from rankprism.judging.judges.agreement import by_topic, label_figures
from rankprism.judging.judges.labels import (
    Labels,
    check_judges,
    check_topics,
    joined,
    same_scale,
    shown_scale,
    without_stray,
)
from rankprism.meta import Sampled, check_confidence, without_one
from rankprism.results import Cell, Result, Table
from rankprism.statistics import CLAIMS, corrected
from rankprism.types import JudgmentsLike

#: The claim of the intervals, see `rankprism.statistics.claims`.
A_CHANGE = "a change of agreement"
#: The exit codes of `judges agree --against`, which are those of the gate.
PASSED, FAILED, CANNOT_TELL = 0, 3, 4


class Change(NamedTuple):
    """A figure about two versions of a judge."""

    judge: str
    figure: str
    old: float
    new: float
    difference: float
    low: float
    high: float
    p: float  #: corrected for the number of figures and judges
    verdict: str  #: "worse", "better", "no change found", or "" if nothing can be said


@dataclass(frozen=True, eq=False, repr=False)
class Drift(Result):
    """How two versions of judges agree with people on the same documents."""

    claims: ClassVar[tuple[str, ...]] = (A_CHANGE,)
    changes: tuple[Change, ...]
    relabelled: Mapping[str, float]  #: the share of labels that each judge has changed
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def worse(self) -> tuple[str, ...]:
        """The judges that agree less with people, or are further off, than they were."""
        return tuple(dict.fromkeys(one.judge for one in self.changes if one.verdict == "worse"))

    @property
    def exit_code(self) -> int:
        """3 if a judge is worse, 4 if nothing can be said about any figure of a judge, otherwise 0."""
        if self.worse:
            return FAILED
        known = {one.judge for one in self.changes if one.verdict}
        return PASSED if known == set(self.relabelled) else CANNOT_TELL

    @property
    def summary(self) -> Table:
        changes = self.changes
        return Table(
            {
                "judge": [one.judge for one in changes],
                "figure": [one.figure for one in changes],
                "old": [one.old for one in changes],
                "new": [one.new for one in changes],
                "new - old": [
                    Cell(one.difference, between=None if np.isnan(one.low) else (one.low, one.high))
                    for one in changes
                ],
                "p": [one.p for one in changes],
                "verdict": [one.verdict or None for one in changes],
            },
            digits=3,
            probabilities=("p",),
        )

    @property
    def note(self) -> str:
        a = self.about
        changed = ", ".join(f"{100 * share:.2g} % by {name}" for name, share in self.relabelled.items())
        return (
            f"Two versions of each judge on the same pairs ({a['pairs']} in {a['topics']} topics). Labels "
            f"that differ: {changed}. In brackets: {100 * a['confidence']:g} % intervals over topics, each "
            f"alone. p: jackknife over topics, corrected for {len(self.changes)} figures by Holm. worse: κ "
            f"or α is lower, or the bias is further from 0, with p < {a['alpha']:g}."
        )

    @property
    def rows(self) -> Table:
        return Table(
            {name: [getattr(one, name) for one in self.changes] for name in Change._fields},
            probabilities=("p",),
        )


def drift(
    people: JudgmentsLike,
    judges: Mapping[str, JudgmentsLike],
    against: Mapping[str, JudgmentsLike],
    *,
    intervals: float = 0.95,
) -> Drift:
    """Whether new versions of judges agree with people less than the old ones did.

    Parameters
    ----------
    people
        The judgments of people, which are the same for both versions.
    judges
        The name of each judge and the judgments of its new version.
    against
        The name of each judge and the judgments of its old version.
    intervals
        Confidence of the intervals, whose units are topics. A change is found if p < 1 - intervals.

    Examples
    --------
    >>> people = {f"q{t}": {"a": 2, "b": 0, "c": 1, "d": 0} for t in range(12)}
    >>> worse = {f"q{t}": {"a": t % 3, "b": 1, "c": t % 2, "d": 2} for t in range(12)}
    >>> drift(people, {"gpt": worse}, {"gpt": people}).worse
    ('gpt',)
    """
    check_confidence(intervals)
    if not intervals:
        raise InputError("a drift is found by intervals, so their confidence must be above 0, e.g. 0.95")
    names = list(check_judges(judges))
    if set(names) != set(check_judges(against)):
        raise InputError(
            f"every judge needs an old and a new version: the new ones are {listed(names)}, and the old ones "
            f"{listed(list(against))}"
        )
    of_people = read_judgments(people)
    found: list[tuple[str, str, float, float, Sampled, int]] = []
    relabelled: dict[str, float] = {}
    pairs = topics = 0
    for name in names:
        versions = {"new": read_judgments(judges[name]), "old": read_judgments(against[name])}
        labels = joined(of_people, versions)
        check_topics(labels)
        shared = _shared(labels, name)
        pairs, topics = max(pairs, int(shared.sum())), max(topics, _topics(labels, shared))
        new, old = (labels.judges[version][shared] for version in ("new", "old"))
        relabelled[name] = float((new != old).mean())
        found += _compared(labels, shared, name, intervals)
    return _result(
        found,
        relabelled,
        {
            "judges": {name: str(judges[name])[:200] for name in names if isinstance(judges[name], str)},
            "against": {name: str(against[name])[:200] for name in names if isinstance(against[name], str)},
            "people": of_people.source,
            "pairs": pairs,
            "topics": topics,
            "confidence": intervals,
            "alpha": round(1 - intervals, 12),
            "units of the intervals": "topics",
            "correction": "holm",
        },
    )


def _shared(labels: Labels, judge: str) -> Bools:
    """(pair, aspect): where people and both versions have a label. A note counts what one version lacks."""
    by_people = ~np.isnan(labels.people)
    new, old = (~np.isnan(labels.judges[version]) for version in ("new", "old"))
    shared = np.asarray(by_people & new & old)
    if not shared.any():
        raise InputError(
            f"people and the two versions of judge {judge!r} have no pair of a topic and a document in "
            f"common; check that all belong to one collection and spell their ids alike"
        )
    lacking = int((by_people & (new != old)).sum())
    if lacking:
        text = (
            f"only one version of judge {judge!r} has labelled {lacking:,} of the "
            f"{int((by_people & (new | old)).sum()):,} pairs that people have labelled; they are left out"
        )
        issue([Note("missing-labels", text, lacking, judge)])
    return shared


def _topics(labels: Labels, shared: Bools) -> int:
    return len(np.unique(labels.topic[np.nonzero(shared)[0]]))


def _compared(
    labels: Labels, shared: Bools, judge: str, confidence: float
) -> list[tuple[str, str, float, float, Sampled, int]]:
    """Each figure by both versions, and their difference on all topics and without one at a time."""
    people, on_scale = labels.scale(labels.people), {}
    for version in ("new", "old"):
        given = without_stray(labels, version)
        if not same_scale(people, labels.scale(given)):
            raise InputError(
                f"the {version} version of judge {judge!r} labels {shown_scale(labels.scale(given))} and "
                f"people {shown_scale(people)}; a change of agreement needs one scale"
            )
        on_scale[version] = given
    shared = shared & ~np.isnan(on_scale["new"]) & ~np.isnan(on_scale["old"])
    names, topic = np.unique(labels.topic[np.nonzero(shared)[0]], return_inverse=True)
    (old, new), grades = _tables(labels.people, on_scale, shared, topic.ravel(), len(names))
    figures = [label_figures(tables.sum(0), grades) for tables in (old, new)]
    return [
        (judge, name, float(figures[0][name]), float(figures[1][name]), sampled, len(names))
        for name, sampled in change(old, new, grades, confidence).items()
    ]


def _tables(
    people: Floats, on_scale: Mapping[str, Floats], shared: Bools, topic: Longs, topics: int
) -> tuple[list[Floats], Floats]:
    """(topic, people, judge) the tables of the old and the new version, over the same grades."""
    x, old, new = people[shared], on_scale["old"][shared], on_scale["new"][shared]
    both, grades = by_topic(np.concatenate([x, x]), np.concatenate([old, new]), np.tile(topic, 2), topics)
    of_old = np.zeros_like(both)
    np.add.at(of_old, (topic, np.searchsorted(grades, x), np.searchsorted(grades, old)), 1.0)
    return [of_old, both - of_old], grades


def change(old: Floats, new: Floats, grades: Floats, confidence: float) -> dict[str, Sampled]:
    """The difference of each figure between two versions, from their (topic, people, judge) tables."""
    sampling = without_one(A_CHANGE, len(old), confidence)
    whole = [label_figures(tables.sum(0), grades) for tables in (old, new)]
    again = [label_figures(tables.sum(0) - tables, grades) for tables in (old, new)]
    return {
        name: Sampled(
            sampling,
            np.asarray(whole[1][name] - whole[0][name]),
            (again[1][name] - again[0][name])[: len(sampling.kept)],
        )
        for name in whole[0]
    }


def _result(
    found: list[tuple[str, str, float, float, Sampled, int]],
    relabelled: Mapping[str, float],
    about: Mapping[str, Any],
) -> Drift:
    p = np.array([float(sampled.p) for *_, sampled, _ in found])
    # Versions that agree on every figure, topic by topic, have no error, and no change.
    same = np.array([old == new for _, _, old, new, _, _ in found])
    enough = np.array([CLAIMS[A_CHANGE].missing(topics) is None for *_, topics in found])
    p = np.where(enough & same & np.isnan(p), 1.0, p)
    known = ~np.isnan(p)
    adjusted = np.full_like(p, np.nan)
    adjusted[known] = corrected(p[known], "holm")
    if not enough.all():
        few = min(topics for *_, topics in found)
        issue([Note("no-interval", str(CLAIMS[A_CHANGE].missing(few)), few, "")])
    changes = []
    for (judge, name, old, new, sampled, _), q in zip(found, adjusted.tolist(), strict=True):
        low, high = (float(end) for end in sampled.interval())
        gain = abs(old) - abs(new) if name == "bias" else new - old
        verdict = "no change found" if q >= about["alpha"] else "better" if gain > 0 else "worse"
        changes.append(Change(judge, name, old, new, new - old, low, high, q, "" if np.isnan(q) else verdict))
    return Drift(tuple(changes), dict(relabelled), about)
