"""Disagreements: the ranked lists on which two measures differ most."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Unpack

import numpy as np

from rankprism.data import Alignment, Floats, Judgments
from rankprism.errors import InputError, listed
from rankprism.evaluation import Collection, collected, comparable
from rankprism.meta.ties import TIED, without_noise
from rankprism.results import Result, Table, signs
from rankprism.types import CollectionOptions, JudgmentsLike, MeasuresLike, Positive, RunsLike, ScoresLike


def disagreement(
    scores: ScoresLike | JudgmentsLike | Collection,
    runs: RunsLike | None = None,
    measures: MeasuresLike | None = None,
    *,
    first: str | None = None,
    second: str | None = None,
    most: Positive = 10,
    judgments: JudgmentsLike | Collection | None = None,
    depth: Positive = 10,
    **options: Unpack[CollectionOptions],
) -> Disagreements:
    """The pairs of runs, topic by topic, that two measures put in opposite order by the largest margin.

    The margin of a measure is |Δ|/σ, where σ² is the mean of Δ² over all pairs and topics. The cases are
    those in which the smaller of the two margins is largest.

    Parameters
    ----------
    scores
        What `evaluate` returns, or whatever `read_scores` takes. Or judgments, with the `runs` and
        `measures` to evaluate, as for `rankprism.evaluate`.
    first
        One of the two measures. Default: the first one given.
    second
        The other of the two measures. Default: the second one given.
    most
        Number of cases to show.
    judgments
        Give these and `runs`, or a `Collection`, with scores to see the ranked lists too: for the document at
        each rank, the aspects to which it is relevant, and its grades. If the scores are computed here, the
        lists are always shown.
    depth
        Number of ranks to show, if judgments and runs are given.
    **options
        How to read judgments and runs, as for `rankprism.evaluate`.

    Examples
    --------
    >>> from rankprism import sample, evaluate
    >>> scores = evaluate(sample.QRELS, list(sample.RUNS), ["alpha_nDCG@5", "P@5"])
    >>> lists = {"judgments": sample.QRELS, "runs": list(sample.RUNS), "depth": 5}
    >>> print(disagreement(scores, first="alpha_nDCG@5", second="P@5", most=1, **lists))
    case  topic      run        1        2                3        4        5        Δ alpha_nDCG@5  Δ P@5
    ──────────────────────────────────────────────────────────────────────────────────────────────────────────
    1     pitch (4)  shallow    music:3  music:1 sport:3  sales:2                    +0.2621 ▲       -0.4000 ▼
                     redundant  music:3  music:2          music:3  music:2  music:2
    """
    collection = _to_show(scores, runs, judgments, options)
    computed = collection is not None and judgments is None
    complete = comparable(collection if computed else scores, measures=measures)  # type: ignore[arg-type]
    if (first is None or second is None) and len(complete.measures) < 2:
        raise InputError(f"two measures are needed; there is only {', '.join(complete.measures)}")
    first = complete.measures[0] if first is None else first
    second = complete.measures[1] if second is None else second
    chosen = complete.select(measures=[first, second])
    if first == second:
        raise InputError(f"two different measures are needed; got {first!r} twice")
    if most < 1 or depth < 1:
        raise InputError("most and depth must be whole numbers ≥ 1")
    i, j = np.triu_indices(len(complete.runs), 1)
    delta = chosen.values[i] - chosen.values[j]  # (pair, topic, 2)
    delta = without_noise(delta)
    margin = np.abs(delta) / np.maximum(np.sqrt((delta**2).mean((0, 1))), np.finfo(np.float64).tiny)
    delta = delta * chosen.direction
    opposite = delta[..., 0] * delta[..., 1] < 0
    size = np.where(opposite, margin.min(-1), 0.0)
    largest = np.argsort(-size, axis=None, kind="stable")[: min(most, int(opposite.sum()))]
    cases = []
    for pair, topic in zip(*np.unravel_index(largest, size.shape), strict=True):
        better, worse = (i[pair], j[pair]) if delta[pair, topic, 0] > 0 else (j[pair], i[pair])
        cases.append(
            Case(
                complete.topics[topic],
                complete.runs[better],
                complete.runs[worse],
                complete.values[better, topic] - complete.values[worse, topic],
            )
        )
    lists: tuple[tuple[tuple[str, ...], ...], ...] = ()
    aspects: Mapping[str, int] = {}
    if collection is not None:
        judged = collection.judgments
        aspects = {case.topic: len(judged.aspects.get(case.topic, ())) for case in cases}
        lists = _ranked_lists(collection, cases, depth)
    return Disagreements(
        first=first,
        second=second,
        measures=complete.measures,
        cases=tuple(cases),
        lists=lists,
        aspects=aspects,
        about={
            "runs": len(complete.runs),
            "topics": len(complete.topics),
            "pairs and topics in opposite order": int(opposite.sum()),
            "between": [first, second],
            "most": most,
            "depth": depth if collection is not None else None,
            "margin": "|Δ| / root mean square of all Δ; the smaller of the two",
            "scores": complete.conventions,
        },
    )


@dataclass(frozen=True, eq=False)
class Case:
    """A topic and two runs: the first is better by the first measure, the other by the second."""

    topic: str
    run: str
    other: str
    delta: Floats  #: (measure,): run minus other, by every measure of the scores


@dataclass(frozen=True, eq=False, repr=False)
class Disagreements(Result):
    """What `disagreement` found, the largest first."""

    first: str
    second: str
    measures: tuple[str, ...]
    cases: tuple[Case, ...]
    #: (case, run and other, rank): the aspects and grades of each document, where judgments were given
    lists: tuple[tuple[tuple[str, ...], ...], ...] = ()
    aspects: Mapping[str, int] = field(default_factory=dict)
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def rows(self) -> Table:
        """One row per case."""
        columns: dict[str, list[Any]] = {
            "topic": [case.topic for case in self.cases],
            "run": [case.run for case in self.cases],
            "other": [case.other for case in self.cases],
        }
        for m, measure in enumerate(self.measures):
            columns[f"Δ {measure}"] = [float(case.delta[m]) for case in self.cases]
        for place, name in enumerate(("list of run", "list of other") if self.lists else ()):
            columns[name] = [" | ".join(lists[place]).strip("| ") for lists in self.lists]
        return Table(columns)

    @property
    def summary(self) -> Table:
        """Two rows per case. ▲ means that a measure prefers the upper run, and ▼ the lower run."""
        depth = len(self.lists[0][0]) if self.lists else 0
        header = ["case", "topic", "run", *(str(rank + 1) for rank in range(depth))]
        rows = []
        for number, case in enumerate(self.cases):
            aspects = f" ({self.aspects[case.topic]})" if case.topic in self.aspects else ""
            first, second = self.lists[number] if self.lists else ((), ())
            arrows = map(_arrow, case.delta, signs(self.measures, self.lower_is_better))
            rows.append((str(number + 1), case.topic + aspects, case.run, *first, *arrows))
            rows.append(("", "", case.other, *second, *[""] * len(self.measures)))
        return Table.of_rows([*header, *(f"Δ {m}" for m in self.measures)], rows)


def _arrow(delta: float, direction: float) -> str:
    gain = delta * direction
    sign = "▲" if gain > TIED else "▼" if gain < -TIED else "="
    return f"{delta:+.4f} {sign}"


def _to_show(scores: Any, runs: Any, judgments: Any, options: CollectionOptions) -> Collection | None:
    """The collection whose ranked lists are shown; None if there are only scores."""
    if judgments is not None:
        return collected(judgments, runs, **options)
    if runs is not None or isinstance(scores, Collection):
        return collected(scores, runs, **options)
    for name in options:
        raise TypeError(f"{name} says how to read judgments and runs; pass them, too")
    return None


def _ranked_lists(
    collection: Collection, cases: list[Case], depth: int
) -> tuple[tuple[tuple[str, ...], ...], ...]:
    """The documents at each rank, for both runs of each case."""
    needed = dict.fromkeys(run for case in cases for run in (case.run, case.other))
    for name in needed:
        if name not in collection.runs:
            raise InputError(
                f"no run is named {name!r}, so no list can be shown; there are {listed(collection.runs)}"
            )
    judged = collection.judgments
    aligned = collection.keep(runs=needed).joined(judged)  # notes on them come with the scores
    return tuple(
        tuple(ranked_list(judged, aligned[run], case.topic, depth) for run in (case.run, case.other))
        for case in cases
    )


def ranked_list(judgments: Judgments, run: Alignment, topic: str, depth: int) -> tuple[str, ...]:
    """For each rank, the aspects to which the document is relevant, with its grades. ⁿ marks a navigational
    aspect, · is a non-relevant document, and an empty place means no document."""
    if topic not in judgments.topics:
        raise InputError(f"{judgments.source}: has no topic {topic!r}; check that the scores belong to it")
    t = judgments.topics.index(topic)
    marks = judgments.marks(t)
    listed = ["·" if rank < run.length[t] else "" for rank in range(depth)]
    for place in range(run.start[t], run.start[t + 1]):
        if run.rank[place] <= depth and run.doc[place] >= 0:
            listed[run.rank[place] - 1] = marks[run.doc[place]]
    return tuple(listed)
