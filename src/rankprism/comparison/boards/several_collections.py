"""What several collections say about systems together: means of means, means over topics, or Borda counts."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np

from rankprism.data import Floats, Longs, Note, is_frame, some
from rankprism.errors import InputError, listed
from rankprism.evaluation import comparable
from rankprism.formats import is_path
from rankprism.results import Scores
from rankprism.results.record import differences_of_settings, mixed_note, refuse_unless, unrecorded
from rankprism.statistics import moments
from rankprism.statistics import ranks as rank_tests
from rankprism.types import Combine, JudgmentsLike, MeasuresLike, Redrawn, RunsLike, ScoresLike

#: Scores of each of several collections by its name.
CollectionsLike: TypeAlias = Mapping[str, Scores | ScoresLike]
#: Means that differ by less, relative to the largest, share a rank in a Borda count.
_EQUAL = 1e-12


@dataclass(frozen=True, eq=False)
class ScoresByCollection:
    """Scores of the same runs by the same measures on one or more collections."""

    scores: Mapping[str, Scores]
    notes: tuple[Note, ...] = ()

    @property
    def runs(self) -> tuple[str, ...]:
        return next(iter(self.scores.values())).runs

    @property
    def measures(self) -> tuple[str, ...]:
        return next(iter(self.scores.values())).measures

    @property
    def topics(self) -> dict[str, int]:
        """The number of topics of each collection."""
        return {name: len(one.topics) for name, one in self.scores.items()}

    @property
    def direction(self) -> Floats:
        """(measure,): 1, or -1 if a lower score is better."""
        return next(iter(self.scores.values())).direction

    def oriented(self, measure: int) -> list[Floats]:
        """(run, topic) of each collection: the scores, negated if a lower one is better."""
        return [one.oriented[:, :, measure] for one in self.scores.values()]


def are_collections(source: Any) -> bool:
    """Whether these are scores by collection. ``{run: {topic: …}}`` are the scores of one collection."""
    return (
        isinstance(source, Mapping)
        and bool(source)
        and all(isinstance(one, Scores) or is_path(one) or is_frame(one) for one in source.values())
    )


def collected(
    source: CollectionsLike | ScoresLike | JudgmentsLike,
    runs: RunsLike | None = None,
    measures: MeasuresLike | None = None,
    mixed: bool = False,
) -> ScoresByCollection:
    """The scores to rank by: of one collection, or of the runs and measures that all collections have.

    mixed : go on if the scores of the collections were computed with different settings.
    """
    # Judgments of several aspects are a mapping of files, too, but runs come with them.
    if runs is not None or not are_collections(source):
        return ScoresByCollection({"": comparable(cast(Any, source), runs, measures)})
    given = list(cast(Mapping[str, Any], source).items())
    for (name, one), (other, two) in combinations(given, 2):
        if one is two or (is_path(one) and is_path(two) and _same_file(one, two)):
            raise InputError(
                f"the collections {str(name)!r} and {str(other)!r} are the same, so their topics would count "
                f"twice; leave one of them out"
            )
    found = {
        str(name): comparable(one, None, measures) for name, one in cast(Mapping[str, Any], source).items()
    }
    _check_apart(found)
    records = {name: one.record for name, one in found.items()}
    differing = differences_of_settings(records)
    refuse_unless(mixed, differing)
    every = [one.runs for one in found.values()]
    shared = [run for run in every[0] if all(run in other for other in every)]
    if len(shared) < 2:
        raise InputError(
            f"the collections {listed(list(found))} have {len(shared)} runs in common; a leaderboard needs "
            "two or more"
        )
    by_all = [
        m for m in next(iter(found.values())).measures if all(m in one.measures for one in found.values())
    ]
    if not by_all:
        raise InputError(
            f"the collections {listed(list(found))} have no measure in common; evaluate all of them by the "
            "same measures"
        )
    missing = list(dict.fromkeys(run for one in every for run in one if run not in shared))
    notes = list(unrecorded(records))
    if missing:
        message = (
            f"{len(missing)} run{'s are' if len(missing) > 1 else ' is'} left out, because a collection has "
            f"no scores of {'them' if len(missing) > 1 else 'it'}: {some(missing)}"
        )
        notes.append(Note("runs-left-out", message, len(missing), missing[0]))
    if differing:
        what = [one.what for one in differing]
        notes.append(mixed_note(differing))
        found = {name: _saying(one, what) for name, one in found.items()}
    chosen = {name: one.select(runs=shared, measures=by_all) for name, one in found.items()}
    for m, measure in enumerate(by_all):
        if len({one.direction[m] for one in chosen.values()}) > 1:
            lower = [name for name, one in chosen.items() if one.direction[m] < 0]
            raise InputError(
                f"a lower score by {measure} is better on the collections {listed(lower)}, and a higher one "
                f"on the others; read the scores of all of them with the same lower= (--lower)"
            )
    return ScoresByCollection(chosen, tuple(notes))


def _same_file(one: Any, two: Any) -> bool:
    return bool(os.path.realpath(os.fspath(one)) == os.path.realpath(os.fspath(two)))


def _saying(scores: Scores, mixed: Sequence[str]) -> Scores:
    """The same scores, whose conventions say that they are mixed."""
    before = scores.conventions.get("mixed", ())
    return replace(
        scores, conventions={**scores.conventions, "mixed": list(dict.fromkeys([*before, *mixed]))}
    )


def _check_apart(found: Mapping[str, Scores]) -> None:
    """Refuse two collections that are the same one, because its topics would count twice."""
    for (name, one), (other, two) in combinations(found.items(), 2):
        topic = _shared_topic(one, two)
        if topic is not None:
            raise InputError(
                f"the collections {name!r} and {other!r} are the same, or have the same topics, such as "
                f"{topic!r}, which would count twice; leave one of them out"
            )


def _shared_topic(one: Scores, two: Scores) -> str | None:
    """A topic that both collections have. Other collections may have topics of the same name."""
    shared = [topic for topic in one.topics if topic in set(two.topics)]
    if one.record is not None and two.record is not None:
        first, second = (
            {**r.data.get("judgments", {}), **r.data.get("preferences", {})} for r in (one.record, two.record)
        )
        return next((topic for topic in shared if topic in first and first[topic] == second.get(topic)), None)
    runs = [run for run in one.runs if run in two.runs]
    measures = [measure for measure in one.measures if measure in two.measures]
    if len(shared) < max(len(one.topics), len(two.topics)) or not runs or not measures:
        return None
    a, b = (s.select(runs=runs, topics=shared, measures=measures).values for s in (one, two))
    # Means that were given as topics, or few topics, may be equal by chance.
    varied = len(shared) > 2 and bool((a != a[:, :1]).any())
    return shared[0] if varied and np.array_equal(a, b, equal_nan=True) else None


class Standing(NamedTuple):
    """What is known of all systems by one measure."""

    mean: Floats  #: (run,): what the board is sorted by
    error: Floats  #: (run,): its standard error
    freedom: Floats  #: (run,)
    differences: rank_tests.Differences  #: of all pairs
    changed: Longs  #: (pair,): on how many topics the two differ
    units: int  #: the number of topics or collections that were drawn
    claim: str  #: what the interval of a mean claims


def standing(values: Sequence[Floats], pairs: Longs, combine: Combine, over: Redrawn) -> Standing:
    """Estimates of all systems and pairs, with standard errors for new topics or for new collections.

    values : (run, topic) of each collection.

    The mean is Σ w_c x̄_c, where w_c is the same for all collections, or the share of their topics. If new
    topics of the same collections are drawn, its variance is Σ w_c² s_c² / n_c, with the degrees of freedom
    of Welch and Satterthwaite. If new collections are drawn, the topics of a collection are one cluster, and
    the variance is Σ w_c² (x̄_c - x̄)² / (1 - w_c), with 1/Σ w_c² - 1 degrees of freedom. With equal weights,
    this is s²/C of the means of C collections, with C - 1 degrees of freedom.
    """
    paired = [moments(one, pairs) for one in values]
    changed = np.sum([one.changed for one in paired], axis=0)
    if combine == "borda":
        # Each collection has one score, so it takes the place of a topic.
        values = [np.stack([borda_points(one.mean(1)) for one in values], axis=1)]
        paired, over = [moments(values[0], pairs)], "topics"
    sizes = np.array([one.shape[1] for one in values])
    weights = sizes / sizes.sum() if combine == "topics" else np.full(len(sizes), 1 / len(sizes))
    each = [(one.mean(1), one.std(1, ddof=1) if one.shape[1] > 1 else np.zeros(len(one))) for one in values]
    alone = _drawn(np.array([m for m, _ in each]), np.array([s for _, s in each]), sizes, weights, over)
    two = _drawn(np.array([x.mean for x in paired]), np.array([x.s for x in paired]), sizes, weights, over)
    if over == "collections":
        return Standing(*alone, two, changed, len(values), "a mean over collections")
    several = "a mean over topics of several collections"
    return Standing(*alone, two, changed, int(sizes.sum()), several if len(values) > 1 else "a mean")


def _drawn(mean: Floats, s: Floats, sizes: Longs, weights: Floats, over: Redrawn) -> rank_tests.Differences:
    """The weighted mean over collections, from (collection, …)."""
    w = weights[:, None]
    found = (w * mean).sum(0)
    if over == "collections":
        error = np.sqrt((w**2 * (mean - found) ** 2 / (1 - w)).sum(0))
        error[error <= 1e-13 * np.abs(mean).max(0)] = 0.0  # only rounding
        return rank_tests.Differences(found, error, np.full(len(found), 1 / (weights**2).sum() - 1))
    parts = w**2 * s**2 / sizes[:, None]
    variance = parts.sum(0)
    freedom = np.full(len(found), float((sizes - 1).sum()))
    squares = (parts**2 / np.maximum(1, sizes - 1)[:, None]).sum(0)
    np.divide(variance**2, squares, out=freedom, where=squares > 0)
    return rank_tests.Differences(found, np.sqrt(variance), freedom)


def borda_points(mean: Floats) -> Floats:
    """The points that each system gets on a collection: the number of systems minus its rank by the mean.
    Systems with the same mean share the average of their ranks.

    >>> borda_points(np.array([0.5, 0.25, 0.5, 0.75]))
    array([1.5, 0. , 1.5, 3. ])
    """
    least = _EQUAL * np.abs(mean).max(initial=0.0)
    above = mean[:, None] - mean
    worse, equal = (above > least).sum(1), (np.abs(above) <= least).sum(1)
    return np.asarray(worse + (equal - 1) / 2)
