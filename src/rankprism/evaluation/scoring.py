"""Where analyses get their scores: from `evaluate`, from files, or computed from judgments and runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np

from rankprism.data import Judgments, some
from rankprism.errors import InputError
from rankprism.evaluation import Collection, evaluate
from rankprism.evaluation.inspection.coverage import UNMET
from rankprism.formats import read_scores
from rankprism.results import Scores, as_listed
from rankprism.statistics import LARGEST_SCORE
from rankprism.types import (
    JudgmentsLike,
    MeasuresLike,
    RunsLike,
    ScoresLike,
)


def scored(
    source: ScoresLike | JudgmentsLike, runs: RunsLike | None = None, measures: MeasuresLike | None = None
) -> Scores:
    """The scores to analyse, as the commands find them.

    source : what `evaluate` returns, or whatever `read_scores` takes. With `runs`, whatever `read_judgments`
        takes instead. Or a `Collection`, with the measures to score it with.
    runs, measures : compute the scores of these runs, see `rankprism.evaluate`. `measures` without `runs`
        chooses among the scores.

    >>> scored({"a": {"q1": {"AP": 0.5, "P@10": 0.1}}}, measures="P@10").measures
    ('P@10',)
    >>> scored({"q1": {"d1": 1}}, {"a": {"q1": {"d2": 2.0, "d1": 1.0}}}, "RR").mean()
    {'a': {'RR': 0.5}}
    """
    if isinstance(source, Collection):
        if measures is None:
            raise InputError("name the measures that judgments and runs are to be evaluated with")
        return evaluate(source, runs, measures)  # which refuses runs beside a collection
    if runs is None:
        if isinstance(source, Judgments):
            raise InputError("judgments have no scores; pass the runs and the measures after them")
        scores = read_scores(cast(Any, source))
        return scores if measures is None else scores.select(measures=cast(Any, measures))
    if isinstance(source, Scores):
        raise InputError("the scores are computed already; leave out the runs, or pass judgments with them")
    if measures is None:
        raise InputError("name the measures that judgments and runs are to be evaluated with")
    return evaluate(cast(Any, source), runs, measures)


def comparable(
    source: ScoresLike | JudgmentsLike,
    runs: RunsLike | None = None,
    measures: MeasuresLike | None = None,
    *,
    fewest: int = 2,
) -> Scores:
    """The scores of at least `fewest` runs on the topics that all runs have, for paired analyses.

    Topics are sorted: random numbers are drawn for the first topic, the second topic and so on, and the same
    scores in another order are to give the same result. Scores whose squares overflow or vanish are refused.
    """
    complete = scored(source, runs, measures).complete()
    if len(complete.runs) < fewest:
        raise InputError(f"two runs or more are needed; there is only {', '.join(complete.runs)}")
    size = np.abs(complete.values)
    large = np.argwhere(~(size < LARGEST_SCORE))
    if len(large):
        r, t, m = large[0]
        raise InputError(
            f"run {complete.runs[r]!r} has the score {complete.values[r, t, m]:g} on topic "
            f"{complete.topics[t]!r} by {complete.measures[m]!r}; scores must be finite and below "
            f"{LARGEST_SCORE:g} in magnitude, because their squares are summed; correct or rescale them"
        )
    for measure, largest in zip(complete.measures, size.max((0, 1), initial=0.0), strict=True):
        if 0 < largest < 1 / LARGEST_SCORE:
            raise InputError(
                f"no score by {measure!r} is larger than {largest:g}; the squares of numbers below "
                f"{1 / LARGEST_SCORE:g} vanish; rescale the scores"
            )
    return complete.select(topics=sorted(complete.topics, key=as_listed))


def check_ids(scores: Scores) -> None:
    """Refuse scores of runs whose ids do not meet those of the judgments, because these are not their own."""
    for note in scores.conventions.get("notes", ()):
        runs = [run for run in note.get("runs", ()) if run in scores.runs]
        if note["kind"] in UNMET and runs:
            raise InputError(
                f"the scores of {some(runs)} do not count: {note['message']}; spell the ids alike, or leave "
                f"{'the run' if len(runs) == 1 else 'these runs'} out"
            )


def check_depths(scores: Scores, mixed: bool) -> None:
    """Refuse runs whose depths differ too much for their measures, unless this is wanted."""
    for note in scores.conventions.get("notes", ()):
        if note["kind"] == "unequal-depths" and not mixed:
            raise InputError(f"{note['message']}; to test them all the same, add --mixed (mixed=True)")


def unchecked(scores: Scores) -> Scores:
    """The same scores for a page that has the notes beside them, so that no run is refused."""
    return replace(scores, conventions={**scores.conventions, "notes": []})


def joined_once(collection: Collection, depth: int | None = None) -> Collection:
    """The same collection with its runs joined with its judgments, so that they can be scored often.

    depth : cut every ranking at this rank.
    """
    if depth is not None and depth < 1:
        raise InputError(f"depth must be at least 1; got {depth}")
    runs = collection.aligned()
    if depth is not None:
        runs = {name: run.cut(np.full_like(run.length, depth)) for name, run in runs.items()}
    return collection.with_runs(runs)


def how_read(collection: Collection) -> dict[str, Any]:
    """How the runs of a collection were read and averaged, for records of analyses."""
    return {"topics": collection.options.topics, **collection.reading.settings}
