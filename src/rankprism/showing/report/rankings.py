"""The rankings: the document at each rank, its grades, what it earned under each measure, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankprism.data import Alignment, Bools, Judgments, Run, align
from rankprism.evaluation import Collection, ideal_rankings
from rankprism.measures import Measure
from rankprism.showing.report.earned import Earned, Written, earned, scores_of
from rankprism.showing.report.judged import Judged

#: The name for documents of an ideal ranking that nobody was shown.
_NEVER_SHOWN = "(never shown)"


@dataclass(frozen=True, eq=False)
class Listed:
    """A run: the ranks of the judged documents, and the ids at the first ranks of each topic."""

    aligned: Mapping[str, Alignment]  #: by the kind of judgments
    first: Mapping[str, Sequence[str]]
    run: Run | None = None  #: the run itself, if there are two kinds of judgments

    @classmethod
    def of(cls, collection: Collection, judged: Judged, name: str, depth: int) -> Listed:
        """Read a run, and keep the ids down to a depth."""
        run, reading = collection.run(name), collection.reading
        aligned = {kind: align(one, run, reading) for kind, one in judged.kinds.items()}
        return cls(aligned, run.lists(reading, depth), run if len(aligned) > 1 else None)


def rankings(
    judged: Judged,
    listed: Mapping[str, Listed],
    measures: Sequence[Measure],
    topics: Sequence[str],
    depth: int,
    on_share: Callable[[float], None],
) -> dict[str, Any]:
    """For each topic: its aspects, its documents with their grades, and the ranked list of each run."""
    shown = _shown(judged, listed, measures, depth, on_share)
    grades = {} if judged.absolute is None else _grades(judged.absolute)
    pages = [TopicPage.of(judged, topic, listed, shown, depth) for topic in topics]
    told = [one.written(m, pages) for m, one in enumerate(shown)]
    return {
        "depth": depth,
        "kinds": list(judged.kinds),
        "topics": [
            page.written(judged, grades.get(page.topic, {}), [one.by_topic[t] for one in told])
            for t, page in enumerate(pages)
        ],
        "parts": [one.described for one in told],
        "no ideal": [one.why_no_ideal for one in shown],
        "labels": {} if judged.absolute is None else _labels(judged.absolute),
    }


@dataclass(frozen=True, eq=False)
class Ideal:
    """The ideal ranking of every topic for a measure."""

    order: Alignment
    ids: Sequence[Sequence[str]]  #: of each topic's relevant documents
    scores: Sequence[float]

    def first(self, number: int, depth: int) -> list[str]:
        """The first documents of a topic's ideal ranking."""
        here = slice(self.order.start[number], self.order.start[number + 1])
        names = [_NEVER_SHOWN] * int(self.order.length[number])
        for rank, doc in zip(self.order.rank[here].tolist(), self.order.doc[here].tolist(), strict=True):
            names[rank - 1] = self.ids[number][doc]
        return names[:depth]


@dataclass(frozen=True, eq=False)
class Shown:
    """What the documents of all runs, and of the ideal rankings, earned under a measure."""

    needs: str
    earned: Earned
    ideal: Ideal | None = None
    why_no_ideal: str | None = None

    def written(self, number: int, pages: Sequence[TopicPage]) -> Written:
        """What the page reads. `number` : of this measure."""
        lists = [page.lists if self.ideal is None else [*page.lists, page.ideals[number]] for page in pages]
        return self.earned.written([page.numbers.get(self.needs) for page in pages], lists)


def _shown(
    judged: Judged,
    listed: Mapping[str, Listed],
    measures: Sequence[Measure],
    depth: int,
    on_share: Callable[[float], None],
) -> list[Shown]:
    """What documents earned under each measure. Measures of one kind share the work."""
    found: dict[Measure, Earned] = {}
    for kind in judged.kinds:
        chosen = [measure for measure in measures if measure.needs == kind]
        runs = [one.aligned[kind] for one in listed.values()]
        share = _share(on_share, len(found) / len(measures), len(chosen) / len(measures))
        found |= zip(chosen, earned(judged, chosen, runs, depth, share), strict=True)
    ids = {kind: _relevant_ids(named) for kind, named in judged.kinds.items()}
    shown = []
    for measure in measures:
        kind, order = measure.needs, ideal_rankings(judged.collection, measure)
        if isinstance(order, str):
            shown.append(Shown(kind, found[measure], why_no_ideal=order))
            continue
        beside = found[measure].beside(earned(judged, [measure], [order], depth)[0])
        ideal = Ideal(order, ids[kind], scores_of(judged, measure, order).tolist())
        shown.append(Shown(kind, beside, ideal))
    return shown


def _share(on_share: Callable[[float], None], before: float, own: float) -> Callable[[float], None]:
    """Report the progress of one kind of judgments as progress of the whole."""
    return lambda share: on_share(before + own * share)


@dataclass(frozen=True, eq=False)
class TopicPage:
    """A topic: its documents, which are numbered, and the lists of them."""

    topic: str
    numbers: Mapping[str, int]  #: the topic's number, by the kind of judgments that it has
    docs: Sequence[str]
    lists: Sequence[Sequence[int]]  #: of each run
    length: Sequence[int]  #: of each run
    shown: Sequence[Shown]  #: the measures
    ideals: Sequence[Sequence[int]]  #: the ideal list of each measure, empty if there is none

    @classmethod
    def of(
        cls, judged: Judged, topic: str, listed: Mapping[str, Listed], shown: Sequence[Shown], depth: int
    ) -> TopicPage:
        """Number the documents of all lists of a topic."""
        numbers = {kind: places[topic] for kind, places in judged.numbers.items() if topic in places}
        docs = _Documents()
        lists = [docs.numbered(one.first.get(topic, ())) for one in listed.values()]
        ideals = [
            []
            if one.ideal is None or one.needs not in numbers
            else docs.numbered(one.ideal.first(numbers[one.needs], depth))
            for one in shown
        ]
        kind, number = next(iter(numbers.items()))
        length = [int(one.aligned[kind].length[number]) for one in listed.values()]
        return cls(topic, numbers, docs.ids, lists, length, shown, ideals)

    def written(self, judged: Judged, grades: Mapping[str, list[float]], earned: list[Any]) -> dict[str, Any]:
        """What the page reads. `earned`: by each measure."""
        return {
            **({"aspects": []} if judged.absolute is None else _aspects(judged.absolute, self.topic)),
            "docs": self.docs,
            "grades": [grades.get(doc) for doc in self.docs],
            **_compared(judged, self.topic, self.docs),
            "lists": self.lists,
            "length": self.length,
            "earned": earned,
            "ideal": [
                None
                if one.ideal is None or one.needs not in self.numbers
                else [docs, one.ideal.scores[self.numbers[one.needs]]]
                for one, docs in zip(self.shown, self.ideals, strict=True)
            ],
        }


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
    if preferences is None or topic not in judged.collection.pool.shown:
        return {}
    shown = judged.collection.pool.shown[topic]
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
