"""Hits: what a measure sees of a batch of rankings.

The axes are always ranking (N), aspect (A) and document, in this order. The document axis has the documents
found in the ranking (H) or all documents of the topic's pool (D). Arrays are padded with grade 0, so that
sums need no mask. The ranks of unjudged and non-relevant documents are left out, so the cost depends on the
number of relevant documents and not on the depth of the ranking. All arrays are read-only, because all
measures see the same ones.

Topics of the same shape share a batch, so there is little padding. The core fills the padded arrays
(`hits.cpp`), because numpy would need a dozen passes over indices.

Aspects come before documents in the axes, because every measure here is a sum over aspects of something
that is computed along the ranking. Σᵢ D(i) Σₜ wₜ g(i,t) N(i,t) is computed as Σₜ wₜ Σᵢ …, one aspect
after another.

- A *single-aspect* measure turns hits into one score for each ranking and aspect, an array of shape (N,
  A). On several aspects, it first takes the maximum of each document's grades. `M_IA` takes the weighted
  mean over the second axis instead, so it needs no code of its own.
- A *normalised* measure divides by the score of an ideal ranking. The ideal ranking of a topic is made
  once and kept, and all runs and measures use it. The greedy order does not depend on the discount. The
  core therefore returns only the order, which is then scored like every other ranking.

A measure is written once, as a function in `measures/known/`. With its parameters bound, a measure is one
value, its *form* (`Measure.form`, `measures/form.py`), which answers every question about it: scores,
explanations, bounds for missing judgments, and scores over all orders of ties. A form of one aspect at a
time, `PerAspect`, gives arrays (N, A), and a form of whole rankings, `OfRanking`, gives arrays (N,). What
a form does not say has a default. A function may return (`measures/declare.py`; the formula, examples and
what is derived follow):

- `Sum`, `NoveltySum`: discount, gain, novelty, weights, effort, factor, divisor (`Parts`);
  Σᵢ D(i) Σₜ wₜ g(i,t) N(i,t); P, R, F1, RR, Success, AP, DCG, RBP, ERR, StRecall, α-DCG, ERR-IA, NRBP, EU,
  RBU; everything, see `family.py`; normalised forms, greedy and exact ideals
- `Folded`: a measure of one aspect, and a way to give each document one grade; M of folded grades; TOMA,
  D-nDCG, D-Q, D-RBP, every `fold=`; everything that M has
- `OverAspects`: a measure of one aspect, weights, a mean; Σₜ wₜ Mₜ ÷ Σₜ wₜ; M-IA, CAM, MM, P+Q, nuggets;
  everything that M has, if the mean is arithmetic; bounds in any case
- `Chosen`: a measure of one aspect, and the names of aspects; Mₜ, or Mₜ − Mᵤ; Aspect, Contrast;
  everything that M has
- `Counted`: a divisor and a discount, or a score, of the number and the ranks of relevant documents;
  Σ D(i) ÷ over, or F(f, n, R); SetP, SetR, SetF, SetAP, binG, YAAP, IPrec, IAP; score, bounds, extremes
  over ties; explanation if it is a sum
- `Mixture`: measures and their weights; Σ λ M; D#-nDCG, D#-Q, P+Q#, everything made by `mix`; score,
  explanation, bounds, expectation over ties
- `Plain`, `PlainPerAspect`: the answers, one by one; any formula; Q, P+, GAP, Compat, Rprec, Bpref, infAP,
  G, S-RR, S-precision; the explanation if the score is a sum of `Terms`, which are factors of documents
- `Cube`, `User`, `Pairs`: forms that stand beside their measures; CT, ACT; Prf; preferences of trec_eval
- scores; any formula, by a function of hits and parameters; nothing: all orders of ties are listed

P is a uniform discount over the depth, ERR a reciprocal discount with a cascade, and nDCG the normalised
form of DCG. A novelty depends on which documents are above, and not on their order. `form.parts` gives
the parts of a measure of the family.

The core also does three things that measures need along the documents of each row (`rows.cpp`): the
highest value, the number of values above 0 before each value, and putting documents in the order of an
ideal. numpy takes some 20 nanoseconds for each row that it reduces, and a collection of many topics has
millions of rows of three or four documents. The formulas stay readable.

A measure that a user has written may do anything. `measures/users.py` calls its functions, checks what
they return, and names the measure in whatever goes wrong. The registry wraps a definition in it unless
its module is ours. All arrays of `Hits`, `PreferenceHits` and `Completions`, and whatever they remember
for other measures, are read-only (`arrays.sealed`).

The core finds greedy ideals. Documents that have the same grades on every aspect are of one kind, and
each step compares kinds instead of documents. Gains that are equal up to rounding are tied, and the
document id decides. Without this tolerance, the order in which aspects are added would decide.

`exact.cpp` searches for the best ranking of all. It goes through the ranks one by one, keeps the distinct
states of the aspects, and discards states by Lagrangian upper bounds. Its budget is a number of nodes, so
every machine gives up at the same place. The bounds that it has proved by then are the bounds of the
score. `cover.cpp` finds the cheapest set of documents that reaches a given number of aspects. Up to 16
aspects it uses dynamic programming over subsets. With more aspects it uses branch and bound with a budget
of nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from threading import Lock, RLock
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from rankprism._core import JudgmentTable, highest, padded_hits
from rankprism.data.arrays import Bools, Floats, Ints, Longs, seal_fields, sealed
from rankprism.data.run import Alignment
from rankprism.errors import InputError

if TYPE_CHECKING:
    from rankprism.data.scales import Labels, Scale

T = TypeVar("T")

#: The rank of padding. It is beyond every cutoff and harmless in a discount.
NOWHERE = np.iinfo(np.int32).max

#: The grade of documents that are not relevant and yet hits, see `Hits.with_not_relevant`. It is too low for
#: a judgment.
NOT_RELEVANT = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True, eq=False)
class Cells:
    """All triples (topic, document, aspect) with a grade above 0, topic by topic.

    The core holds them. Arrays of all cells are made only when asked for, because there may be millions.
    """

    table: JudgmentTable
    weights: Floats | None = None
    navigational: Bools | None = None
    scales: tuple[Scale, ...] | None = None
    judged: Ints | None = None  # the number of each topic's documents with a grade of at least 0
    counted: Bools | None = None  # aspects that count even without a relevant document; None: none does

    def __post_init__(self) -> None:
        seal_fields(self)

    @cached_property
    def _sizes(self) -> tuple[Ints, Longs]:
        return sealed(self.table.sizes())

    @property
    def documents(self) -> Ints:
        """The number of relevant documents of each topic."""
        return self._sizes[0]

    @property
    def aspect_start(self) -> Longs:
        """Where the aspects of each topic start in `names`."""
        return self._sizes[1]

    @cached_property
    def aspects(self) -> Longs:
        """The number of aspects of each topic."""
        return sealed(np.diff(self.aspect_start))

    @cached_property
    def names(self) -> Sequence[str]:
        """The names of the aspects, topic after topic."""
        return self.table.aspects

    @cached_property
    def _arrays(self) -> tuple[Longs, Ints, Ints, Floats]:
        return sealed(self.table.relevant_cells())

    @property
    def start(self) -> Longs:
        """Where the cells of each topic start: topic t has the cells start[t] .. start[t + 1]."""
        return self._arrays[0]

    @property
    def doc(self) -> Ints:
        return self._arrays[1]

    @property
    def aspect(self) -> Ints:
        return self._arrays[2]

    @property
    def grade(self) -> Floats:
        return self._arrays[3]

    @cached_property
    def labels(self) -> Labels:
        """The labels of the documents, if all topics have the same aspects."""
        from rankprism.data.scales import labels_of_cells

        return labels_of_cells(self)


@dataclass(frozen=True, eq=False)
class Pool:
    """The relevant documents of some topics, from which ideal rankings are made.

    Documents are sorted by id, descending, so the first of several equal documents wins a tie.
    """

    grade: Floats  # (T, A, D)
    weight: Floats  # (T, A): as given, or 1 where the topic has the aspect; 0 elsewhere
    navigational: Bools  # (T, A): intents that one good document satisfies
    weighted: bool  # whether the weights were given
    cells: Cells | None = None  # the cells of the collection that the topics are from
    named: Bools | None = None  # (T, A): the aspects that the topic has, even those of weight 0
    judged: Ints | None = None  # (T,): number of documents with a grade of at least 0; None: not known
    #: (T, A): aspects that count even without a relevant document; None: there are none
    counted: Bools | None = None
    _memo: dict[Hashable, object] = field(default_factory=dict, repr=False)
    _lock: AbstractContextManager[object] = field(default_factory=RLock, repr=False)

    def __post_init__(self) -> None:
        seal_fields(self)

    @classmethod
    def single(cls, grade: Floats, judged: Ints | None = None) -> Pool:
        """Make a pool with one aspect from grades (T, D)."""
        one = (len(grade), 1)
        return cls(grade[:, None, :], np.ones(one), np.zeros(one, dtype=bool), weighted=False, judged=judged)

    @property
    def highest(self) -> Floats:
        """(T, A): the highest grade on each aspect."""
        return self.once("highest", lambda: highest(self.grade))

    @property
    def labels(self) -> Labels:
        """The labels of the grades."""
        if self.cells is not None:
            return self.cells.labels
        from rankprism.data.scales import labels_of_pool

        return self.once("labels", lambda: labels_of_pool(self))

    def with_not_relevant(self) -> Pool:
        """The pool of one aspect with its documents of grade 0, see `Hits.with_not_relevant`."""
        relevant = np.sort(self.grade[:, 0], axis=-1)[:, ::-1]
        judged = (relevant > 0).sum(-1) if self.judged is None else self.judged
        grade = np.zeros((len(relevant), max(relevant.shape[1], int(judged.max(initial=0)))))
        grade[:, : relevant.shape[1]] = relevant
        known = np.arange(grade.shape[1]) < judged[:, None]
        return Pool.single(np.where(known & (grade == 0), NOT_RELEVANT, grade), self.judged)

    def counting(self, relevant: Bools | np.bool_) -> Bools:
        """(T, A): the aspects that count: `relevant`, which have a relevant document, and `counted`."""
        found: Bools = np.asarray(relevant)
        return found if self.counted is None else found | self.counted

    def once(self, key: Hashable, compute: Callable[[], T]) -> T:
        """The result of `compute()`, called only once: all runs, measures and threads share ideals."""
        with self._lock:
            if key not in self._memo:
                self._memo[key] = sealed(compute())
            return self._memo[key]  # type: ignore[return-value]  # what compute returned


def ends_of_groups(start: Ints) -> tuple[Longs, Longs]:
    """(N, J) twice: the positions of the first and the last of all neighbours with the same value."""
    places = np.broadcast_to(np.arange(start.shape[1]), start.shape)
    is_first = np.ones(start.shape, dtype=bool)
    is_first[:, 1:] = start[:, 1:] != start[:, :-1]
    is_last = np.ones(start.shape, dtype=bool)
    is_last[:, :-1] = is_first[:, 1:]
    first = np.maximum.accumulate(np.where(is_first, places, 0), axis=-1)
    last = np.minimum.accumulate(np.where(is_last, places, start.shape[1])[:, ::-1], axis=-1)[:, ::-1]
    return first, last


class TiedGroups(NamedTuple):
    """The groups of tied documents that the judged documents of a batch belong to."""

    start: Ints  #: (N, J) the number of documents above the group, NOWHERE where padded
    size: Ints  #: (N, J) the number of documents in the group, 1 where padded

    def of_condensed(self, kept: Longs, there: Bools) -> TiedGroups:
        """The same groups in rankings without unjudged documents.

        kept, there : (N, K) the positions of the documents that remain, and whether there are so many.
        """
        start = np.where(there, np.take_along_axis(self.start, kept, 1), NOWHERE)
        first, last = ends_of_groups(start)
        return TiedGroups(
            np.where(there, first, NOWHERE).astype(np.int32),
            np.where(there, last - first + 1, 1).astype(np.int32),
        )


@dataclass(frozen=True, eq=False)
class Hits:
    """A batch of rankings, reduced to their judged documents."""

    rank: Ints  # (N, H) ascending from 1, NOWHERE where padded
    grade: Floats  # (N, A, H)
    length: Ints  # (N,) number of documents retrieved
    topic: npt.NDArray[np.intp]  # (N,) row of the pool
    pool: Pool
    condensed_rank: Ints  # (N, H) rank among the judged documents only
    judged: Ints  # (N, J) ranks of all judged documents, NOWHERE where padded
    #: (N, J) the judged documents whose grades are all negative; None: there are none
    negative: Bools | None = None
    tied: TiedGroups | None = None  # None: nothing is tied, or ties were not asked for
    is_full: bool = False  # whether documents of grade 0 are hits, too
    _memo: dict[Hashable, object] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        seal_fields(self)

    @property
    def weight(self) -> Floats:
        """(N, A): see `Pool.weight`."""
        return self.pool.weight[self.topic]

    def once(self, key: Hashable, compute: Callable[[], T]) -> T:
        """The result of `compute()`, called only once."""
        if key not in self._memo:
            self._memo[key] = sealed(compute())
        return self._memo[key]  # type: ignore[return-value]  # what compute returned

    def rows(self, which: slice | Longs) -> Hits:
        """Some of the rankings."""
        return Hits(
            self.rank[which],
            self.grade[which],
            self.length[which],
            self.topic[which],
            self.pool,
            self.condensed_rank[which],
            self.judged[which],
            None if self.negative is None else self.negative[which],
            None if self.tied is None else TiedGroups(self.tied.start[which], self.tied.size[which]),
            self.is_full,
        )

    def top(self, cutoff: int | None) -> Hits:
        """The first `cutoff` ranks of each ranking, or all ranks if it is None."""
        if cutoff is None or cutoff >= self.length.max(initial=0):
            return self
        return self.once(("top", cutoff), lambda: self._top(cutoff))

    def _top(self, cutoff: int) -> Hits:
        inside = self.rank <= cutoff
        width = int(inside.sum(1).max(initial=0))
        rank, inside = self.rank[:, :width], inside[:, :width]
        grade = np.where(inside[:, None, :], self.grade[:, :, :width], 0.0)
        length = np.minimum(self.length, cutoff).astype(np.int32)
        return replace(self, rank=np.where(inside, rank, NOWHERE), grade=grade, length=length, _memo={})

    def depth(self, cutoff: int | None) -> Floats:
        """(N,) the cutoff, or the length of each ranking if there is none."""
        return self.length.astype(np.float64) if cutoff is None else np.full(len(self.length), float(cutoff))

    def fold(self, rule: Hashable, fold: Callable[[Floats, Floats], Floats]) -> Hits:
        """Fold all aspects into one: `fold` maps grades (.., A, ..) and weights (.., A, 1) to (.., ..)."""

        def folded() -> Hits:
            pool = self.pool.once(
                ("fold", rule),
                lambda: Pool.single(fold(self.pool.grade, self.pool.weight[:, :, None]), self.pool.judged),
            )
            grade = fold(self.grade, self.weight[:, :, None])[:, None, :]
            return replace(self, grade=grade, pool=pool, _memo={})

        return self if self.grade.shape[1] == 1 and rule == "max" else self.once(("fold", rule), folded)

    def condensed(self) -> Hits:
        """The rankings without their unjudged documents. Negative grades alone are no judgment."""

        def found() -> Hits:
            is_judged = self.judged != NOWHERE
            rank = self.condensed_rank
            if self.negative is not None:
                is_judged = is_judged & ~self.negative
                place = np.cumsum(is_judged, axis=1, dtype=np.int32)
                at = np.minimum(rank, place.shape[1]) - 1
                rank = np.where(rank == NOWHERE, NOWHERE, np.take_along_axis(place, at, 1)).astype(np.int32)
            length = is_judged.sum(1).astype(np.int32)
            there = np.arange(length.max(initial=0)) < length[:, None]
            kept = np.argsort(~is_judged, axis=1, kind="stable")[:, : there.shape[1]]
            return replace(
                self,
                rank=rank,
                length=length,
                condensed_rank=rank,
                judged=np.where(there, np.arange(1, there.shape[1] + 1), NOWHERE).astype(np.int32),
                negative=None,
                tied=None if self.tied is None else self.tied.of_condensed(kept, there),
                _memo={},
            )

        return self.once("condensed", found)

    def with_not_relevant(self) -> Hits:
        """The rankings with documents of grade 0 among the hits, for a measure by which they have a gain.

        Their grade is `NOT_RELEVANT`, because padding has the grade 0. There must be a single aspect.
        """

        def found() -> Hits:
            there = (
                self.judged != NOWHERE if self.negative is None else (self.judged != NOWHERE) & ~self.negative
            )
            grade = np.where(there, NOT_RELEVANT, 0.0)
            row, hit = np.nonzero((self.rank != NOWHERE) & (self.grade[:, 0] > 0))
            grade[row, self.condensed_rank[row, hit] - 1] = self.grade[row, 0, hit]
            place = np.argsort(~there, axis=1, kind="stable")
            there = np.take_along_axis(there, place, 1)
            rank = np.where(there, np.take_along_axis(self.judged, place, 1), NOWHERE)
            grade = np.take_along_axis(grade, place, 1)[:, None, :]
            condensed = np.where(there, place + 1, NOWHERE).astype(np.int32)
            pool = self.pool.once("with grade 0", self.pool.with_not_relevant)
            return replace(
                self, rank=rank, grade=grade, pool=pool, condensed_rank=condensed, is_full=True, _memo={}
            )

        return self if self.is_full else self.once("with grade 0", found)


#: The number of grades in a batch: large enough for numpy, and small enough for the cache and for memory.
BATCH = 1 << 18


#: A batch: a function that makes its hits, its runs, and its topics.
Batch: TypeAlias = tuple[Callable[[], Hits], slice, Longs]


def batches(
    cells: Cells, runs: Sequence[Alignment], size: int = BATCH
) -> Iterator[tuple[Hits, slice, Longs]]:
    """Yield all rankings of all runs in batches of (hits, runs, topics).

    A batch has the rankings of ``runs[slice]`` for ``topics``, run after run. Topics of similar shape share a
    batch, so that there is little padding.
    """
    for hits, which_runs, topics in planned_batches(cells, runs, size):
        yield hits(), which_runs, topics


def planned_batches(cells: Cells, runs: Sequence[Alignment], size: int = BATCH) -> Iterator[Batch]:
    """Yield the same batches with functions that make the hits, so that several threads can call them."""
    judged = np.max([np.diff(run.start) for run in runs], axis=0)  # documents in a ranking, at most
    order = np.lexsort((judged, cells.documents, cells.aspects))
    position = 0
    while position < len(order):
        topics = _fitting(order[position:], cells, judged, size)
        pool = _once(partial(make_pool, cells, topics))
        found = np.minimum(judged[topics], cells.documents[topics])  # relevant documents, at most
        cost = max(int(cells.aspects[topics].max() * found.max()), int(judged[topics].max()), 1)
        runs_at_once = max(1, size // (len(topics) * cost))
        for first in range(0, len(runs), runs_at_once):
            chosen = slice(first, min(first + runs_at_once, len(runs)))
            yield partial(_hits, pool, runs[chosen], topics), chosen, topics
        position += len(topics)


def _fitting(order: Longs, cells: Cells, judged: Longs, size: int) -> Longs:
    """The next topics, as many as fit into a batch."""
    window = order[: max(1, size // 8)]

    def most(numbers: Longs | Ints) -> Longs:
        """The running maximum over the topics in the window."""
        return np.maximum.accumulate(numbers[window].astype(np.int64))

    # A batch holds the grades of relevant documents by aspect, and the ranks of all judged documents.
    widest = np.maximum(np.maximum(most(cells.aspects) * most(cells.documents), most(judged)), 1)
    count = max(1, int(np.searchsorted(widest * np.arange(1, len(window) + 1), size, "right")))
    return np.sort(window[:count])  # in their order in memory


def rankings_of(cells: Cells, runs: Sequence[Alignment], topics: Longs) -> Hits:
    """The rankings of these topics, run after run."""
    return _hits(_once(partial(make_pool, cells, topics)), runs, topics)


#: The most relevant documents times subtopics of a topic. Measures take about 50 bytes for each.
MOST_CELLS = 20_000_000


def _check_size(cells: Cells, topics: Longs) -> None:
    """Refuse a topic whose grades of all documents on all subtopics would fill the memory."""
    aspects = cells.aspects[topics].astype(np.int64)
    size = np.where(aspects > 1, aspects * cells.documents[topics], 0)
    if size.max(initial=0) <= MOST_CELLS:
        return
    worst = int(topics[int(size.argmax())])
    raise InputError(
        f"topic {cells.table.topics[worst]!r} has {int(cells.documents[worst]):,} relevant documents and "
        f"{int(cells.aspects[worst]):,} subtopics, and their product may be at most {MOST_CELLS:,}; leave "
        f"the topic out, or keep fewer of its subtopics"
    )


def make_pool(cells: Cells, topics: Longs) -> Pool:
    """The relevant documents of some topics, padded."""
    _check_size(cells, topics)
    grade = cells.table.padded_grades(
        np.ascontiguousarray(topics, dtype=np.int64),
        int(cells.aspects[topics].max(initial=0)),
        int(cells.documents[topics].max(initial=0)),
    )
    shape = grade.shape
    weight = np.zeros(shape[:2])
    row, place = _ragged(cells.aspect_start[topics], cells.aspect_start[topics + 1])
    column = place - cells.aspect_start[topics][row]
    weight[row, column] = 1.0 if cells.weights is None else cells.weights[place]
    named = np.zeros(shape[:2], dtype=bool)
    named[row, column] = True
    navigational = np.zeros(shape[:2], dtype=bool)
    if cells.navigational is not None:
        navigational[row, column] = cells.navigational[place]
    counted = None
    if cells.counted is not None:
        counted = np.zeros(shape[:2], dtype=bool)
        counted[row, column] = cells.counted[place]
    judged = None if cells.judged is None else cells.judged[topics]
    return Pool(grade, weight, navigational, cells.weights is not None, cells, named, judged, counted)


def _once(make: Callable[[], Pool]) -> Callable[[], Pool]:
    """Return a function that makes the pool at the first call, from any thread, and then keeps it."""
    lock = Lock()
    made: list[Pool] = []

    def pool() -> Pool:
        with lock:
            if not made:
                made.append(make())
            return made[0]

    return pool


def _hits(pool_of_topics: Callable[[], Pool], runs: Sequence[Alignment], topics: Longs) -> Hits:
    """The rankings of several runs for some topics, padded."""
    pool = pool_of_topics()
    rank, grade, condensed, judged, negative = padded_hits(
        [run.start for run in runs],
        [run.rank for run in runs],
        [run.doc for run in runs],
        np.ascontiguousarray(topics, dtype=np.int64),
        pool.grade,
    )
    length = np.concatenate([run.length[topics] for run in runs])
    topic = np.tile(np.arange(len(topics)), len(runs))
    return Hits(
        rank,
        grade,
        length,
        topic,
        pool,
        condensed,
        judged,
        None if negative is None else negative.view(bool),
        _tied(runs, topics, judged),
    )


def _tied(runs: Sequence[Alignment], topics: Longs, judged: Ints) -> TiedGroups | None:
    """The groups of the judged documents (N, J), which have been padded; None if there are none."""
    found = [(run.start, run.groups) for run in runs if run.groups is not None]
    if len(found) < len(runs) or not any(groups.tied[topics].any() for _, groups in found):
        return None
    there = judged != NOWHERE
    places = [_ragged(start[topics], start[topics + 1])[1] for start, _ in found]
    start = np.full(judged.shape, NOWHERE, dtype=np.int32)
    size = np.ones(judged.shape, dtype=np.int32)
    start[there] = np.concatenate([groups.start[p] for (_, groups), p in zip(found, places, strict=True)])
    size[there] = np.concatenate([groups.size[p] for (_, groups), p in zip(found, places, strict=True)])
    return TiedGroups(start, size)


def _ragged(start: Longs, end: Longs) -> tuple[Longs, Longs]:
    """For the concatenated ranges start[i] .. end[i]: i and the index of every element."""
    size = end - start
    row = np.repeat(np.arange(len(start)), size)
    return row, np.arange(len(row)) + np.repeat(start - np.concatenate(([0], np.cumsum(size)[:-1])), size)
