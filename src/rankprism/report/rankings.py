"""The rankings: the document at each rank, its grades, what it earned under each measure, and why."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from rankprism.arrays import Bools, Floats, Ints, Longs
from rankprism.data.hits import BATCH, Cells, Hits, batches, make_pool
from rankprism.data.judgments import Judgments
from rankprism.data.preferences import Preferences
from rankprism.data.run import Alignment, Reading, Run, align
from rankprism.formats.runs import run_from
from rankprism.measures import Measure
from rankprism.measures.folds import FOLDS
from rankprism.measures.ideal import greedy_order
from rankprism.measures.parameter import Role
from rankprism.measures.parts import UNIFORM, Parts
from rankprism.measures.preferences.hits import PreferenceHits, PreferencePool, preference_batches
from rankprism.measures.preferences.utility import NONE
from rankprism.measures.terms import MEANING
from rankprism.report.numbers import millionths, without_end

#: The name for documents of an ideal ranking that nobody was shown.
_NEVER_SHOWN = "(never shown)"
#: Number of topics whose ideal rankings are made at a time.
_TOPICS = 50
#: Size of a batch: smaller, because every ranking is scored once for each of its first documents.
_BATCH = BATCH // 32

Batches: TypeAlias = Iterator[tuple[Hits | PreferenceHits, slice, Longs]]


@dataclass(frozen=True, eq=False)
class Listed:
    """A run: the ranks of the judged documents, and the ids at the first ranks of each topic."""

    #: by the kind of judgments
    aligned: Mapping[str, Alignment]
    first: Mapping[str, tuple[str, ...]]
    #: the run itself, if there are two kinds of judgments
    run: Run | None = None


@dataclass(frozen=True, eq=False)
class Judged:
    """Judgments, preferences or both, and how each kind reduces the rankings of runs."""

    absolute: Judgments | None
    preferences: Preferences | None

    @cached_property
    def kinds(self) -> dict[str, Judgments]:
        """The judgments to align runs with, by kind. For preferences, they have the documents named."""
        named = None if self.preferences is None else self.preferences.named
        found = {"judgments": self.absolute, "preferences": named}
        return {kind: judged for kind, judged in found.items() if judged is not None}

    @cached_property
    def pool(self) -> PreferencePool | None:
        """The preferences, counted."""
        return None if self.preferences is None else PreferencePool.of(self.preferences)

    def batches(self, kind: str, runs: Sequence[Alignment]) -> Batches:
        """All rankings of the runs, reduced to what measures of this kind of judgments see."""
        if kind == "judgments":
            return batches(self.kinds[kind].cells, runs, _BATCH)
        assert self.pool is not None
        return preference_batches(self.pool, runs, _BATCH)


def read(
    judged: Judged,
    source: Any,
    name: str,
    reading: Reading,
    depth: int,
) -> Listed:
    """Read a run, and keep the ids down to a depth."""
    run = run_from(source, name, reading.run_format, reading.duplicates)
    aligned = {kind: align(one, run, reading.order, reading.duplicates) for kind, one in judged.kinds.items()}
    lines, ranks, _ = run.table.ranking(reading.order, reading.duplicates)
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
    told: dict[Measure, _Told] = {}
    for kind in judged.kinds:
        chosen = [measure for measure in measures if measure.needs == kind]
        runs = [one.aligned[kind] for one in listed.values()]
        share = _share(on_share, len(told) / len(measures), len(chosen) / len(measures))
        found = earned(judged, chosen, runs, depth, share)
        for measure, one in zip(chosen, found, strict=True):
            order = ideal(measure, judged)
            best = None if isinstance(order, str) else earned(judged, [measure], [order], depth)[0]
            told[measure] = _Told(one, order, best)
    numbers = {
        kind: {topic: t for t, topic in enumerate(named.topics)} for kind, named in judged.kinds.items()
    }
    ids = {kind: _relevant_ids(named) for kind, named in judged.kinds.items()}
    grades = {} if judged.absolute is None else _grades(judged.absolute)
    found_topics = []
    for topic in topics:
        at = {kind: number[topic] for kind, number in numbers.items() if topic in number}
        documents = _Documents()
        lists = [documents.numbered(one.first[topic]) for one in listed.values()]
        earned_here, ideals = [], []
        for measure in measures:
            of_measure, t = told[measure], at.get(measure.needs)
            earned_here.append([[[], [], []] if t is None else rows[t] for rows in of_measure.rows])
            ideals.append(
                None if t is None else of_measure.ideal_list(t, ids[measure.needs][t], documents, depth)
            )
        kind, t = next(iter(at.items()))
        found_topics.append(
            {
                **({"aspects": []} if judged.absolute is None else _aspects(judged.absolute, topic)),
                "docs": documents.ids,
                "grades": [grades.get(topic, {}).get(doc) for doc in documents.ids],
                **_compared(judged, topic, documents.ids),
                "lists": lists,
                "length": [int(one.aligned[kind].length[t]) for one in listed.values()],
                "earned": earned_here,
                "ideal": ideals,
            }
        )
    every = [told[measure] for measure in measures]
    return {
        "depth": depth,
        "kinds": list(judged.kinds),
        "topics": found_topics,
        "parts": [one.described for one in every],
        "no ideal": [one.order if isinstance(one.order, str) else None for one in every],
        "labels": {} if judged.absolute is None else _labels(judged.absolute),
    }


# ── what documents earned ────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, eq=False)
class Earned:
    """What the first ranks of all runs earned under a measure."""

    score: Floats  #: (run, topic): the score of the whole ranking
    empty: Floats  #: (run, topic): the score of a ranking without documents
    gained: Floats  #: (run, topic, rank)
    spent: Floats  #: (run, topic, rank)
    parts: dict[str, Floats] = field(default_factory=dict)  #: (run, topic, rank), NaN where not defined
    adds: bool = False  #: whether the parts are added and not multiplied


def earned(
    judged: Judged,
    measures: Sequence[Measure],
    runs: Sequence[Alignment],
    depth: int,
    on_share: Callable[[float], None] | None = None,
) -> list[Earned]:
    """What each document down to a depth earned under measures that need the same kind of judgments."""
    if not measures:
        return []
    kind = measures[0].needs
    shape = (len(runs), len(judged.kinds[kind].topics))
    found = [Earned(np.zeros(shape), np.zeros(shape), *np.zeros((2, *shape, depth))) for _ in measures]
    done = 0
    for hits, which_runs, which_topics in judged.batches(kind, runs):
        block = (which_runs.stop - which_runs.start, len(which_topics))
        for m, measure in enumerate(measures):
            steps, one = measure.explain(hits, depth), found[m]
            one.score[which_runs, which_topics] = measure.score(hits).reshape(block)
            one.empty[which_runs, which_topics] = steps.empty.reshape(block)
            rows = [(one.gained, steps.gained), (one.spent, steps.spent)]
            for name, values in steps.parts.items():
                rows.append((one.parts.setdefault(name, np.full((*shape, depth), np.nan)), values))
            for array, values in rows:
                array[which_runs, which_topics, : values.shape[1]] = values.reshape(*block, -1)
            found[m] = replace(one, adds=steps.adds)
        done += block[0] * block[1]
        if on_share is not None:
            on_share(done / (shape[0] * shape[1]))
    return found


def _share(on_share: Callable[[float], None], before: float, own: float) -> Callable[[float], None]:
    """Report the progress of one kind of judgments as progress of the whole."""
    return lambda share: on_share(before + own * share)


@dataclass(frozen=True, eq=False)
class _Told:
    """The page's data about a measure: what documents earned in the lists of runs and in ideal rankings.

    Numbers are in millionths. A part that depends only on rank, such as a discount, is written once.
    """

    found: Earned
    order: Alignment | str  #: the ideal ranking of every topic, or why there is none
    best: Earned | None  #: the same as `found`, for the ideal rankings

    @property
    def described(self) -> dict[str, Any]:
        """Each part's name and meaning, and the parts that depend only on rank."""
        return {
            "names": [[name, MEANING.get(name, "")] for name in self.found.parts],
            "adds": self.found.adds,
            "by rank": self.by_rank,
        }

    @cached_property
    def by_rank(self) -> dict[str, list[int | None]]:
        """The parts that have the same value in all rankings, rank by rank."""
        found = {}
        for name, values in self.found.parts.items():
            whole = [values, *([] if self.best is None else [self.best.parts[name]])]
            flat = np.concatenate([one.reshape(-1, one.shape[-1]) for one in whole])
            low = np.where(np.isnan(flat), np.inf, flat).min(0, initial=np.inf)
            high = np.where(np.isnan(flat), -np.inf, flat).max(0, initial=-np.inf)
            if (high - low <= 5e-7).all():
                found[name] = millionths(np.where(np.isfinite(low), low, np.nan))
        return found

    @cached_property
    def rows(self) -> list[list[list[Any]]]:
        """(run, topic): the data of each ranking, see `_rows`."""
        return _rows(self.found, self.by_rank)

    @cached_property
    def best_rows(self) -> list[list[Any]]:
        """(topic,): the data of each ideal ranking."""
        return [] if self.best is None else _rows(self.best, self.by_rank)[0]

    def ideal_list(
        self, topic: int, ids: Sequence[str], documents: _Documents, depth: int
    ) -> list[Any] | None:
        """The documents of the ideal ranking, its score, and its data."""
        if isinstance(self.order, str) or self.best is None:
            return None
        here = slice(self.order.start[topic], self.order.start[topic + 1])
        names = [_NEVER_SHOWN] * int(self.order.length[topic])
        for rank, doc in zip(self.order.rank[here].tolist(), self.order.doc[here].tolist(), strict=True):
            names[rank - 1] = ids[doc]
        docs = documents.numbered(names[:depth])
        return [docs, float(self.best.score[0, topic]), *self.best_rows[topic]]


def _rows(of: Earned, by_rank: Collection[str]) -> list[list[list[Any]]]:
    """(run, topic): what each ranking gained, what it spent, the parts, and the score of a ranking without
    documents, if this is not 0.

    Zeros at the end are left out. A part is one number if it is the same for all documents of the ranking,
    and None if it depends only on rank.
    """
    gained, spent, empty = millionths(of.gained), millionths(of.spent), millionths(of.empty)
    parts = [None if name in by_rank else _parts(values) for name, values in of.parts.items()]
    return [
        [
            [
                without_end(gained[r][t]),
                without_end(spent[r][t]),
                [None if part is None else part[r][t] for part in parts],
                *([empty[r][t]] if empty[r][t] else []),
            ]
            for t in range(of.score.shape[1])
        ]
        for r in range(len(of.score))
    ]


def _parts(values: Floats) -> list[list[list[int] | int]]:
    """(run, topic): a part of each ranking, as one number if it is the same for all of its documents.

    >>> _parts(np.array([[[0.5, np.nan, 0.5], [0.5, 0.25, np.nan]]]))
    [[500000, [500000, 250000]]]
    """
    unknown = np.isnan(values)
    low = np.where(unknown, np.inf, values).min(-1, initial=np.inf)
    high = np.where(unknown, -np.inf, values).max(-1, initial=-np.inf)
    same = ((high - low <= 5e-7) & (low > 0)).tolist()
    plain, one = millionths(np.where(unknown, 0.0, values)), millionths(low)
    return [
        [one[r][t] if same[r][t] else without_end(row) for t, row in enumerate(rows)]
        for r, rows in enumerate(plain)
    ]


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
    parts = None if is_single else measure.declared
    if not is_single and (not isinstance(parts, Parts) or parts.discount == UNIFORM):
        return (
            f"No ideal ranking is shown for {measure.display}: it is not a sum of gain, novelty and discount "
            f"over one list, so no simple rule gives the best order."
        )
    fold, least = measure.of(Role.FOLD), measure.of(Role.THRESHOLD) or 0.0
    orders: list[Ints] = []
    for first in range(0, len(cells.documents), _TOPICS):
        pool = make_pool(cells, np.arange(first, min(first + _TOPICS, len(cells.documents))))
        if isinstance(parts, Parts):
            order = greedy_order(pool, parts)
        else:
            grade = FOLDS[fold](pool.grade, pool.weight[:, :, None])
            order = np.argsort(-grade, axis=-1, kind="stable").astype(np.int32)
            found = np.take_along_axis(grade, order, axis=-1)
            order[(found <= 0) | (found < least)] = -1
        orders += [row[row >= 0] for row in order]
    return _aligned(orders)


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
