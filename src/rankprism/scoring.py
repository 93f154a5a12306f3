"""Where analyses get their scores: from `evaluate`, from files, or computed from judgments and runs."""

from __future__ import annotations

from typing import Any, cast

from rankprism.data.judgments import Judgments
from rankprism.errors import InputError
from rankprism.evaluation import evaluate
from rankprism.formats.scores import read_scores
from rankprism.results.scores import Scores
from rankprism.types import JudgmentsLike, MeasuresLike, RunsLike, ScoresLike


def scored(
    source: ScoresLike | JudgmentsLike, runs: RunsLike | None = None, measures: MeasuresLike | None = None
) -> Scores:
    """The scores to analyse, as the commands find them.

    source : what `evaluate` returns, or whatever `read_scores` takes. With `runs`, whatever `read_judgments`
        takes instead.
    runs, measures : compute the scores of these runs, see `rankprism.evaluate`. `measures` without `runs`
        chooses among the scores.

    >>> scored({"a": {"q1": {"AP": 0.5, "P@10": 0.1}}}, measures="P@10").measures
    ('P@10',)
    >>> scored({"q1": {"d1": 1}}, {"a": {"q1": {"d2": 2.0, "d1": 1.0}}}, "RR").mean()
    {'a': {'RR': 0.5}}
    """
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
