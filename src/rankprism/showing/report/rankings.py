"""The rankings: the document at each rank, its grades, what it earned under each measure, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankprism.data.arrays import Bools, Ints
from rankprism.data.hits import Cells, make_pool
from rankprism.data.judgments import Judgments
from rankprism.data.reading import Reading
from rankprism.data.run import Alignment, Run, align
from rankprism.formats.runs import run_from
from rankprism.measures import Measure
from rankprism.measures.folds import FOLDS
from rankprism.measures.ideal import greedy_order
from rankprism.measures.parameter import Role
from rankprism.measures.parts import UNIFORM
from rankprism.measures.preferences.utility import NONE
from rankprism.showing.report.earned import Earned, earned, scores_of
from rankprism.showing.report.judged import Judged

#: The name for documents of an ideal ranking that nobody was shown.
_NEVER_SHOWN = "(never shown)"
#: Number of topics whose ideal rankings are made at a time.
_TOPICS = 50


@dataclass(frozen=True, eq=False)
class Listed:
    """A run: the ranks of the judged documents, and the ids at the first ranks of each topic."""

    #: by the kind of judgments
    aligned: Mapping[str, Alignment]
    first: Mapping[str, tuple[str, ...]]
    #: the run itself, if there are two kinds of judgments
    run: Run | None = None


def read(
    judged: Judged,
    source: Any,
    name: str,
    reading: Reading,
    depth: int,
) -> Listed:
    """Read a run, and keep the ids down to a depth."""
    run = run_from(source, name, reading.run_format, reading.duplicates)
    aligned = {kind: align(one, run, reading) for kind, one in judged.kinds.items()}
    lines, ranks, _ = run.table.ranking(reading.order, reading.duplicates, reading.run_depth or 0)
    topics, docs, *_ = run.table.columns()
    first: dict[str, list[str]] = {topic: [] for one in judged.kinds.values() for topic in one.topics}
    for line in lines[ranks <= depth].tolist():
        if topics[line] in first:
            first[topics[line]].append(docs[line])
    whole = {topic: tuple(found) for topic, found in first.items()}
    return Listed(aligned, whole, run if len(aligned) > 1 else None)


def rankings(
    judged: Judged,
    listed: Mapping[str, Listed],
    measures: Sequence[Measure],
    topics: Sequence[str],
    depth: int,
    on_share: Callable[[float], None],
) -> dict[str, Any]:
    """For each topic: its aspects, its documents with their grades, and the ranked list of each run."""
    found: dict[Measure, Earned] = {}
    for kind in judged.kinds:
        chosen = [measure for measure in measures if measure.needs == kind]
        runs = [one.aligned[kind] for one in listed.values()]
        share = _share(on_share, len(found) / len(measures), len(chosen) / len(measures))
        found |= zip(chosen, earned(judged, chosen, runs, depth, share), strict=True)
    numbers = {
        kind: {topic: t for t, topic in enumerate(named.topics)} for kind, named in judged.kinds.items()
    }
    at = {kind: [number.get(topic) for topic in topics] for kind, number in numbers.items()}
    documents = [_Documents() for _ in topics]
    lists = [
        [docs.numbered(one.first[topic]) for one in listed.values()]
        for topic, docs in zip(topics, documents, strict=True)
    ]
    ids = {kind: _relevant_ids(named) for kind, named in judged.kinds.items()}
    orders = [ideal(measure, judged) for measure in measures]
    ideals, told = [], []
    for measure, order in zip(measures, orders, strict=True):
        kind, own, shown = measure.needs, found[measure], lists
        best: list[Any] = [None] * len(topics)
        if not isinstance(order, str):
            own = own.beside(earned(judged, [measure], [order], depth)[0])
            docs = _ideal_lists(order, at[kind], ids[kind], documents, depth)
            shown = [[*rows, last] for rows, last in zip(lists, docs, strict=True)]
            scores = scores_of(judged, measure, order).tolist()
            best = [t if t is None else [one, scores[t]] for one, t in zip(docs, at[kind], strict=True)]
        ideals.append(best)
        told.append(own.written(at[kind], shown))
    grades = {} if judged.absolute is None else _grades(judged.absolute)
    of_topics = []
    for t, topic in enumerate(topics):
        kind, number = next((kind, n) for kind, known in at.items() if (n := known[t]) is not None)
        of_topics.append(
            {
                **({"aspects": []} if judged.absolute is None else _aspects(judged.absolute, topic)),
                "docs": documents[t].ids,
                "grades": [grades.get(topic, {}).get(doc) for doc in documents[t].ids],
                **_compared(judged, topic, documents[t].ids),
                "lists": lists[t],
                "length": [int(one.aligned[kind].length[number]) for one in listed.values()],
                "earned": [one.by_topic[t] for one in told],
                "ideal": [best[t] for best in ideals],
            }
        )
    return {
        "depth": depth,
        "kinds": list(judged.kinds),
        "topics": of_topics,
        "parts": [one.described for one in told],
        "no ideal": [order if isinstance(order, str) else None for order in orders],
        "labels": {} if judged.absolute is None else _labels(judged.absolute),
    }


def _share(on_share: Callable[[float], None], before: float, own: float) -> Callable[[float], None]:
    """Report the progress of one kind of judgments as progress of the whole."""
    return lambda share: on_share(before + own * share)


# ── ideal rankings ───────────────────────────────────────────────────────────────────────────────


def ideal(measure: Measure, judged: Judged) -> Alignment | str:
    """The ideal ranking of every topic, or the reason why there is none."""
    if measure.needs == "judgments":
        return _ideal_of_grades(measure, judged.kinds["judgments"].cells)
    assert judged.pool is not None
    orders = measure.ideal(judged.pool)
    if orders is None:
        return (
            f"No ideal ranking is shown for {measure.display}: it counts pairs of documents, so no simple "
            f"rule gives the best order."
        )
    return _aligned([orders[topic].astype(np.int32) for topic in judged.kinds["preferences"].topics])


def _ideal_of_grades(measure: Measure, cells: Cells) -> Alignment | str:
    is_single = measure.definition.single
    parts = None if is_single else measure.form.parts
    if not is_single and (parts is None or parts.discount == UNIFORM):
        return (
            f"No ideal ranking is shown for {measure.display}: it is not a sum of gain, novelty and discount "
            f"over one list, so no simple rule gives the best order."
        )
    if measure.is_partial or measure.values_not_relevant:
        return (
            f"No ideal ranking is shown for {measure.display}: its score depends on documents that are not "
            f"relevant, too, so no list of relevant documents is the best."
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


def _ideal_lists(
    order: Alignment,
    topics: Sequence[int | None],
    ids: Sequence[Sequence[str]],
    documents: Sequence[_Documents],
    depth: int,
) -> list[list[int]]:
    """The numbers of the first documents of each topic's ideal ranking."""
    found = []
    for t, numbered in zip(topics, documents, strict=True):
        names: list[str] = []
        if t is not None:
            here = slice(order.start[t], order.start[t + 1])
            names = [_NEVER_SHOWN] * int(order.length[t])
            for rank, doc in zip(order.rank[here].tolist(), order.doc[here].tolist(), strict=True):
                names[rank - 1] = ids[t][doc]
        found.append(numbered.numbered(names[:depth]))
    return found


def _aligned(orders: Sequence[Ints]) -> Alignment:
    """Align one ranking of relevant documents for each topic; NONE is a document that no judgment names."""
    ranks = [np.flatnonzero(order != NONE).astype(np.int32) for order in orders]
    return Alignment(
        start=np.concatenate([[0], np.cumsum([len(rank) for rank in ranks], dtype=np.int64)]),
        rank=np.concatenate(ranks) + np.int32(1),
        doc=np.concatenate([order[rank].astype(np.int32) for order, rank in zip(orders, ranks, strict=True)]),
        length=np.array([len(order) for order in orders], dtype=np.int32),
        retrieved=np.ones(len(orders), dtype=bool),
        unjudged=[],
        remarks=np.zeros(len(orders), dtype=np.uint8),
    )


# ── documents ────────────────────────────────────────────────────────────────────────────────────


class _Documents:
    """Numbers the documents of a topic that some list shows."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self._number: dict[str, int] = {}

    def numbered(self, docs: Iterable[str]) -> list[int]:
        """Return the numbers of some documents, and number those that are new."""
        return [self._number[doc] if doc in self._number else self._add(doc) for doc in docs]

    def _add(self, doc: str) -> int:
        self._number[doc] = len(self.ids)
        self.ids.append(doc)
        return self._number[doc]


def _compared(judged: Judged, topic: str, ids: Sequence[str]) -> dict[str, Any]:
    """The preferences between the documents that the report shows.

    won : how often each was preferred, and how often it was compared; None: never. A tie is half a win.
    pairs : [document, other, how often the first was preferred, how often the other]
    """
    preferences = judged.preferences
    if preferences is None or judged.pool is None or topic not in judged.pool.shown:
        return {}
    shown = judged.pool.shown[topic]
    wins, times = shown.all.wins.tolist(), shown.all.shown.tolist()
    place = {doc: d for d, doc in enumerate(shown.docs)}
    at = [place.get(doc) for doc in ids]
    number = {doc: n for n, doc in enumerate(ids)}
    # The number of each document of the preferences among those that the report shows.
    numbers = np.array([number.get(doc, -1) for doc in preferences.docs], dtype=np.int64)
    here = preferences.topic == preferences.topics.index(topic)
    left, right = numbers[preferences.left[here]], numbers[preferences.right[here]]
    outcome = preferences.outcome[here]
    known: Bools = (left >= 0) & (right >= 0)
    turned = left > right
    first, second = np.where(turned, right, left)[known], np.where(turned, left, right)[known]
    won = np.where(turned, 1 - outcome, outcome)[known]
    keys, which = np.unique(first * max(len(ids), 1) + second, return_inverse=True)
    of_first = np.bincount(which, won, len(keys))
    of_second = np.bincount(which, 1 - won, len(keys))
    return {
        "won": [None if d is None or not times[d] else [_plain(wins[d]), _plain(times[d])] for d in at],
        "pairs": [
            [*divmod(key, len(ids)), _plain(a), _plain(b)]
            for key, a, b in zip(keys.tolist(), of_first.tolist(), of_second.tolist(), strict=True)
        ],
    }


def _plain(x: float) -> float:
    """Write a whole number without a decimal point, so that the page is small."""
    return int(x) if x.is_integer() else x


def _relevant_ids(judged: Judgments) -> list[list[str]]:
    """The ids of each topic's relevant documents, in the order in which the core numbers them."""
    place = {topic: t for t, topic in enumerate(judged.topics)}
    found: list[dict[str, None]] = [{} for _ in judged.topics]
    topics, _, docs, grades = judged.table.columns()
    for row in np.flatnonzero(grades > 0).tolist():
        found[place[topics[row]]][docs[row]] = None
    return [list(docs) for docs in found]


def _grades(judged: Judgments) -> dict[str, dict[str, list[float]]]:
    """The grades above 0 by topic and judged document: [aspect, grade, aspect, grade, …]."""
    topics, aspects, docs, grades = judged.table.columns()
    number = {topic: {name: a for a, name in enumerate(names)} for topic, names in judged.aspects.items()}
    found: dict[str, dict[str, list[float]]] = {topic: {} for topic in judged.topics}
    for topic, aspect, doc, grade in zip(topics, aspects, docs, grades.tolist(), strict=True):
        of_document = found[topic].setdefault(doc, [])
        if grade > 0:
            of_document += [number[topic][aspect], int(grade) if grade.is_integer() else grade]
    return found


def _aspects(judged: Judgments, name: str) -> dict[str, Any]:
    """The names of a topic's aspects and, if known, their weights and which are navigational."""
    if name not in judged.aspects:
        return {"aspects": []}
    topic = judged.topics.index(name)
    here = slice(*judged.cells.aspect_start[topic : topic + 2].tolist())
    found: dict[str, Any] = {"aspects": list(judged.aspects[name])}
    if judged.weights is not None:
        found["weights"] = [round(w, 4) for w in judged.weights[here].tolist()]
    if judged.navigational is not None and judged.navigational[here].any():
        found["navigational"] = judged.navigational[here].tolist()
    return found


def _labels(judged: Judgments) -> dict[str, dict[str, str]]:
    """The names of the labels by aspect and grade, for aspects whose labels are not the grades themselves."""
    found = {}
    for scale in judged.scales or ():
        named = {f"{grade:g}": name for grade, name in zip(scale.grades, scale.names, strict=True)}
        if any(grade != name for grade, name in named.items()):
            found[scale.aspect] = named
    return found
