"""Scores by the judgments of each assessor, or of each profile, beside scores by all judgments together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Unpack

from rankprism.data import Preferences
from rankprism.errors import InputError, one_of
from rankprism.evaluation import Collection, collected_preferences
from rankprism.judging.preferences.rescoring import Rescored
from rankprism.results import Result, Scores, Table
from rankprism.types import Group, MeasuresLike, PreferenceOptions, PreferencesLike, RunsLike

#: The name of all judgments together.
POOLED = "pooled"


@dataclass(frozen=True, eq=False)
class GroupScores(Result):
    """Made by `evaluate_by`."""

    by: Group
    scores: Mapping[str, Scores]  #: by assessor or profile, and last, of all judgments together
    about: Mapping[str, Any] = field(repr=False)

    @property
    def summary(self) -> Table:
        """The means: a row for each group and run, a column for each measure."""
        groups = [(name, run) for name, scores in self.scores.items() for run in scores.runs]
        means = [row for scores in self.scores.values() for row in scores.means]
        measures = next(iter(self.scores.values())).measures
        return Table(
            {
                self.by: [name for name, _ in groups],
                "run": [run for _, run in groups],
                **{measure: [float(row[m]) for row in means] for m, measure in enumerate(measures)},
            }
        )

    @property
    def rows(self) -> Table:
        """One row for each score: assessor or profile, run, topic, measure, score."""
        columns: dict[str, list[Any]] = {self.by: []}
        for name, scores in self.scores.items():
            own = scores.rows.columns
            columns[self.by] += [name] * len(own["run"])
            for column in ("run", "topic", "measure", "score"):
                columns.setdefault(column, []).extend(own[column])
        return Table(columns)

    @property
    def note(self) -> str:
        return f"Means over the topics that each {self.by} judged; {POOLED}: by all judgments together."


def evaluate_by(
    preferences: PreferencesLike | Collection,
    runs: RunsLike | None = None,
    measures: MeasuresLike | None = None,
    *,
    by: Group = "assessor",
    **options: Unpack[PreferenceOptions],
) -> GroupScores:
    """Score runs by the judgments of each assessor or each profile, and by all of them together.

    Parameters
    ----------
    by
        "assessor", or "profile", which is the part before the last "/" of an assessor's name.
    **options
        How to read preferences and runs, as for `rankprism.evaluate`.

    Examples
    --------
    >>> people = [("q", "", "a", "b", "left", "ann"), ("q", "", "a", "b", "right", "ben")]
    >>> print(evaluate_by(people, {"q": {"a": 1.0}}, "ppref"))
    assessor  run   ppref
    ─────────────────────
    ann       run  1.0000
    ben       run  0.0000
    pooled    run  0.5000
    <BLANKLINE>
    Means over the topics that each assessor judged; pooled: by all judgments together.
    """
    one_of("by", by, Group)
    found = Rescored.of(collected_preferences(preferences, runs, **options), measures)
    groups = grouped(found.preferences, by)
    if POOLED in groups:
        raise InputError(
            f"{found.preferences.source}: the name {POOLED!r} is reserved for all judgments together; "
            f"rename this {by}"
        )
    whole = found.together()
    scores = {
        name: Scores(whole.runs, whole.topics, whole.measures, found.scores(members), whole.conventions)
        for name, members in groups.items()
    }
    about = {"by": by, **whole.conventions}
    return GroupScores(by, scores | {POOLED: whole}, about)


def grouped(preferences: Preferences, by: Group) -> dict[str, list[int]]:
    """The numbers of the assessors of each group who judged anything, both in the order of their names."""
    judging = {preferences.assessors[a]: int(a) for a in set(preferences.assessor.tolist())}
    groups: dict[str, list[int]] = {}
    for name in sorted(judging):
        groups.setdefault(profile_of(name) if by == "profile" else name, []).append(judging[name])
    return dict(sorted(groups.items()))


def profile_of(assessor: str) -> str:
    """The part of a name before the last "/"; a plain name is its own profile.

    >>> profile_of("traveller/3"), profile_of("ann")
    ('traveller', 'ann')
    """
    return assessor.rpartition("/")[0] or assessor
