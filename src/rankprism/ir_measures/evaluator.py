"""The provider through which ir_measures computes measures with rankprism.

`ir_measures/objects.py` wraps a `Measure` as a measure object of ir_measures, and translates the objects
of ir_measures that mean the same. `ir_measures/evaluator.py` has the provider, which reads the judgments
and calls `evaluate`. Its place in the pipeline of ir_measures is before pyndeval. If ir_measures also has
a measure of that name, the wrapped measure gets another `NAME`, because providers ignore parameters that
they do not know. PyTerrier makes a new evaluator and a new frame for each system, so the provider keeps
the judgments of the last frame and compares them with the new ones.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import ir_measures
from ir_measures.providers import Evaluator, Provider

from rankprism.data import Judgments
from rankprism.errors import InputError, MeasureError, RankprismWarning, listed
from rankprism.evaluation import evaluate
from rankprism.formats import read_judgments, read_run
from rankprism.ir_measures.objects import as_rankprism
from rankprism.results import Scores


class RankprismProvider(Provider):
    """Computes the measures of rankprism, and measures of ir_measures that mean the same in both."""

    NAME = "rankprism"

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._last: tuple[Any, Judgments] | None = None

    def supports(self, measure: ir_measures.Measure) -> bool:
        """Whether rankprism has this measure with these parameters, with the same meaning."""
        measure.validate_params()
        try:
            as_rankprism(measure)
        except MeasureError:
            return False
        return True

    def _evaluator(self, measures: Iterable[ir_measures.Measure], qrels: Any) -> RankprismEvaluator:
        return RankprismEvaluator(list(measures), self._judgments(qrels))

    def _judgments(self, qrels: Any) -> Judgments:
        """Read the judgments, or reuse those of the last frame if it was equal.

        PyTerrier asks for a new evaluator for each system of an experiment, each time with a new frame of
        the same judgments. Comparing two frames takes much less time than reading one.
        """
        if not hasattr(qrels, "itertuples"):
            return read_judgments(qrels)
        last = self._last
        if last is None or not last[0].equals(qrels):
            # Keep a copy, because the owner of the frame may change it.
            last = self._last = (qrels.copy(), read_judgments(qrels))
        return last[1]


class RankprismEvaluator(Evaluator):
    """Scores runs by some measures with the same judgments."""

    def __init__(self, measures: list[ir_measures.Measure], judgments: Judgments) -> None:
        super().__init__(measures, judgments.topics)
        self.judgments = judgments
        self.values = [as_rankprism(measure) for measure in measures]

    def iter_calc(self, run: Any) -> Iterator[ir_measures.Metric]:
        """Yield the score of each topic that has one. The provider of Accuracy leaves out the others, too."""
        yield from (metric for metric in super().iter_calc(run) if not math.isnan(metric.value))

    def _iter_calc(self, run: Any) -> Iterator[ir_measures.Metric]:
        scores = self._scores(_source(run))
        column = {name: number for number, name in enumerate(scores.measures)}
        # The topics are in the order in which rankprism adds them, so that means are the same, too.
        for measure, value in zip(self.measures, self.values, strict=True):
            for topic, score in zip(scores.topics, scores.values[0, :, column[str(value)]], strict=True):
                yield ir_measures.Metric(topic, measure, float(score))

    def _scores(self, source: Any) -> Scores:
        if len(source):
            return evaluate(self.judgments, read_run(source), self.values)
        # PyTerrier evaluates an empty run to learn the score of topics without results: it is not a mistake.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RankprismWarning)
            return evaluate(self.judgments, read_run({self.judgments.topics[0]: {}}), self.values)


def _source(run: Any) -> Any:
    """Turn a run as ir_measures takes it into one that `read_run` takes."""
    if isinstance(run, Mapping):
        return run
    if not hasattr(run, "itertuples"):
        return [(scored.query_id, scored.doc_id, scored.score) for scored in run]
    for name in ir_measures.ScoredDoc._fields:
        if name not in run.columns:
            raise InputError(f"run: the frame has no column {name!r} among {listed(run.columns)}")
    return run[list(ir_measures.ScoredDoc._fields)]  # leaves out ranks, which ir_measures ignores
