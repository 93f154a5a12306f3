"""The rankings: which document stands where, its grades, what it earned under each measure, and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankprism.data.hits import BATCH, Cells, Floats, Ints, batches, make_pool
from rankprism.data.judgments import Judgments
from rankprism.data.run import Alignment, align
from rankprism.explanation import parts_by_rank
from rankprism.formats.runs import run_from
from rankprism.measures import Measure
from rankprism.measures.ideal import greedy_order
from rankprism.measures.measure import FOLDS
from rankprism.measures.parameter import Role
from rankprism.report.numbers import millionths, without_end

#: Topics whose ideal rankings are made at a time.
_TOPICS = 50


@dataclass(frozen=True, eq=False)
class Listed:
    """A run: where the judged documents stand, and the ids at the first ranks of each topic."""

    aligned: Alignment
    first: tuple[tuple[str, ...], ...]


def read(
    judged: Judgments, source: Any, name: str, order: str, duplicates: str, format: str | None, depth: int
) -> Listed:
    """Read a run, and keep the documents down to a depth."""
    run = run_from(source, name, format, duplicates)
    aligned = align(judged, run, order, duplicates)
    lines, ranks, _ = run.table.ranking(order, duplicates)
    topics, docs, *_ = run.table.columns()
    place = {topic: t for t, topic in enumerate(judged.topics)}
    first: list[list[str]] = [[] for _ in judged.topics]
    for line in lines[ranks <= depth].tolist():
        if topics[line] in place:
            first[place[topics[line]]].append(docs[line])
    return Listed(aligned, tuple(map(tuple, first)))


def rankings(
    judged: Judgments,
    listed: Mapping[str, Listed],
    measures: Sequence[Measure],
    depth: int,
    on_share: Callable[[float], None],
) -> dict[str, Any]:
    """For each topic its aspects, its documents with their grades, and the list of each run."""
    runs = [one.aligned for one in listed.values()]
    found = earned(measures, judged.cells, runs, depth, on_share)
    ideals = [ideal(measure, judged.cells) for measure in measures]
    best = [
        None if isinstance(order, str) else earned([measure], judged.cells, [order], depth)[0]
        for measure, order in zip(measures, ideals, strict=True)
    ]
    ids = _relevant_ids(judged)
    topics = []
    for t, topic in enumerate(judged.topics):
        documents = _Documents(judged, t, ids[t])
        lists = [documents.numbered(one.aligned, one.first[t]) for one in listed.values()]
        ideal_lists = [
            None if isinstance(order, str) else documents.relevant(_docs(order, t)[:depth])
            for order in ideals
        ]
        topics.append(
            {
                "aspects": list(judged.aspects[topic]),
                **_weights(judged, t),
                "docs": documents.ids,
                "grades": documents.grades,
                "lists": lists,
                "length": [int(run.length[t]) for run in runs],
                "earned": [[one.terms(r, t) for r in range(len(runs))] for one in found],
                "ideal": [
                    None if one is None else [docs, float(one.score[0, t]), *one.terms(0, t)]
                    for docs, one in zip(ideal_lists, best, strict=True)
                ],
            }
        )
    return {
        "depth": depth,
        "topics": topics,
        "no ideal": [order if isinstance(order, str) else None for order in ideals],
        "labels": _labels(judged),
    }


# ── what documents earned ────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, eq=False)
class Earned:
    """What a measure makes of the first ranks of all runs: (run, topic, rank), in millionths."""

    gained: list[list[list[int]]]
    spent: list[list[list[int]]] | None
    score: Floats  #: (run, topic), of the whole ranking
    gain: list[list[list[int]]] | None
    novelty: list[list[list[int]]] | None  #: how much of the gain is new
    empty: list[list[int]] | None  #: (run, topic): the score of a ranking without documents, if not 0

    def terms(self, run: int, topic: int) -> list[Any]:
        """Gained, spent, gain and novelty of one ranking, each without the zeros at its end; and the score of
        a ranking without documents where that is not 0."""
        rows = (self.gained, self.spent, self.gain, self.novelty)
        return [
            *([] if values is None else without_end(values[run][topic]) for values in rows),
            *([] if self.empty is None else [self.empty[run][topic]]),
        ]


def earned(
    measures: Sequence[Measure],
    cells: Cells,
    runs: Sequence[Alignment],
    depth: int,
    on_share: Callable[[float], None] | None = None,
) -> list[Earned]:
    """What each document down to a depth earned, for each measure."""
    shape = (len(measures), len(runs), len(cells.documents))
    score, empty = np.zeros((2, *shape))
    # Gained, spent, gain, novelty.
    arrays = np.zeros((4, *shape, depth))
    done = 0
    # Every ranking is scored once for each of its first documents.
    for hits, which_runs, which_topics in batches(cells, runs, BATCH // 32):
        block = (which_runs.stop - which_runs.start, len(which_topics))
        for m, measure in enumerate(measures):
            steps = measure.explain(hits, depth)
            why = parts_by_rank(measure, hits, steps.earned.shape[1])
            none = np.zeros_like(steps.earned)
            novelty = np.nan_to_num(why.get("novelty", none))
            rows = (steps.gained, steps.spent, why.get("gain", none), novelty)
            for array, values in zip(arrays, rows, strict=True):
                array[m][which_runs, which_topics, : values.shape[1]] = values.reshape(*block, -1)
            score[m][which_runs, which_topics] = measure.score(hits).reshape(block)
            empty[m][which_runs, which_topics] = steps.empty.reshape(block)
            done += block[0] * block[1]
            if on_share is not None:
                on_share(done / score.size)
    return [_in_millionths(score[m], empty[m], *arrays[:, m]) for m in range(len(measures))]


def _in_millionths(
    score: Floats, empty: Floats, gained: Floats, spent: Floats, gain: Floats, novelty: Floats
) -> Earned:
    return Earned(
        millionths(gained),
        millionths(spent) if spent.any() else None,
        score,
        millionths(gain) if gain.any() else None,
        millionths(novelty) if novelty.any() else None,
        millionths(empty) if empty.any() else None,
    )


# ── ideal rankings ───────────────────────────────────────────────────────────────────────────────


def ideal(measure: Measure, cells: Cells) -> Alignment | str:
    """The ideal ranking of every topic, or the reason why none is shown."""
    parts = measure.parts
    if parts is None and not measure.definition.single:
        return (
            f"No ideal ranking is shown for {measure.display}: it is not a sum of gain, novelty and discount "
            f"over one list, so no simple rule gives the best order."
        )
    fold, least = measure.of(Role.FOLD), measure.of(Role.THRESHOLD) or 0.0
    orders: list[Ints] = []
    for first in range(0, len(cells.documents), _TOPICS):
        pool = make_pool(cells, np.arange(first, min(first + _TOPICS, len(cells.documents))))
        if parts is not None:
            order = greedy_order(pool, parts)
        else:
            grade = FOLDS[fold](pool.grade, pool.weight[:, :, None])
            order = np.argsort(-grade, axis=-1, kind="stable").astype(np.int32)
            found = np.take_along_axis(grade, order, axis=-1)
            order[(found <= 0) | (found < least)] = -1
        orders += [row[row >= 0] for row in order]
    return _aligned(orders)


def _aligned(orders: Sequence[Ints]) -> Alignment:
    """Rankings of relevant documents only, one for each topic."""
    length = np.array([len(order) for order in orders], dtype=np.int32)
    return Alignment(
        start=np.concatenate([[0], np.cumsum(length, dtype=np.int64)]),
        rank=np.concatenate([np.arange(1, n + 1, dtype=np.int32) for n in length]),
        doc=np.concatenate([order.astype(np.int32) for order in orders]),
        length=length,
        retrieved=np.ones(len(orders), dtype=bool),
        unjudged=[],
        remarks=np.zeros(len(orders), dtype=np.uint8),
    )


def _docs(aligned: Alignment, topic: int) -> list[int]:
    found: list[int] = aligned.doc[aligned.start[topic] : aligned.start[topic + 1]].tolist()
    return found


# ── documents ────────────────────────────────────────────────────────────────────────────────────


class _Documents:
    """The documents of a topic that some list shows, each with a number, and their grades.

    Grades are [aspect, grade, aspect, grade, …]; a document that nobody judged has None.
    """

    def __init__(self, judged: Judgments, topic: int, relevant: Sequence[str]) -> None:
        self.ids: list[str] = []
        self.grades: list[list[float] | None] = []
        self._topic = topic
        self._number: dict[str, int] = {}
        self._relevant = relevant
        cells = judged.cells
        here = slice(cells.start[topic], cells.start[topic + 1])
        self._grades: list[list[float]] = [[] for _ in relevant]
        for doc, aspect, grade in zip(
            cells.doc[here].tolist(), cells.aspect[here].tolist(), cells.grade[here].tolist(), strict=True
        ):
            self._grades[doc] += [aspect, int(grade) if grade.is_integer() else grade]

    def numbered(self, run: Alignment, docs: Sequence[str]) -> list[int]:
        """The numbers of a run's documents."""
        here = slice(run.start[self._topic], run.start[self._topic + 1])
        judged = dict(zip(run.rank[here].tolist(), run.doc[here].tolist(), strict=True))
        numbers = []
        for rank, doc in enumerate(docs, 1):
            relevant = judged.get(rank)
            grades = None if relevant is None else [] if relevant < 0 else self._grades[relevant]
            numbers.append(self._add(doc, grades))
        return numbers

    def relevant(self, docs: Sequence[int]) -> list[int]:
        """The numbers of relevant documents."""
        return [self._add(self._relevant[doc], self._grades[doc]) for doc in docs]

    def _add(self, doc: str, grades: list[float] | None) -> int:
        if doc not in self._number:
            self._number[doc] = len(self.ids)
            self.ids.append(doc)
            self.grades.append(grades)
        return self._number[doc]


def _relevant_ids(judged: Judgments) -> list[list[str]]:
    """The ids of each topic's relevant documents, in the order in which the core numbers them."""
    place = {topic: t for t, topic in enumerate(judged.topics)}
    found: list[dict[str, None]] = [{} for _ in judged.topics]
    topics, _, docs, grades = judged.table.columns()
    for row in np.flatnonzero(grades > 0).tolist():
        found[place[topics[row]]][docs[row]] = None
    return [list(docs) for docs in found]


def _weights(judged: Judgments, topic: int) -> dict[str, Any]:
    """The weights of a topic's aspects and which are navigational, where that is known."""
    here = slice(*judged.cells.aspect_start[topic : topic + 2].tolist())
    found: dict[str, Any] = {}
    if judged.weights is not None:
        found["weights"] = [round(w, 4) for w in judged.weights[here].tolist()]
    if judged.navigational is not None and judged.navigational[here].any():
        found["navigational"] = judged.navigational[here].tolist()
    return found


def _labels(judged: Judgments) -> dict[str, dict[str, str]]:
    """The names of the labels, by aspect and grade, where they are not the grades themselves."""
    found = {}
    for scale in judged.scales or ():
        named = {f"{grade:g}": name for grade, name in zip(scale.grades, scale.names, strict=True)}
        if any(grade != name for grade, name in named.items()):
            found[scale.aspect] = named
    return found
