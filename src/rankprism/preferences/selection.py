"""Which pair to ask next: the judgments that best settle the order of the systems.

A run's score is a sum: each document d at rank i counts with W(i) / (i-1) for each document z above it, times
U(d|z). Where all runs give the pair (d, z) the same weight, U(d|z) cannot change their order, and nobody
needs to be asked about it. The more the weights differ, the more a judgment of d given z is worth.

With the pooled estimate, the uncertainty about the difference of two runs a and b has the variance

    s²(a,b) ∝ Σ_d (C_a(d) - C_b(d))² / (n(d) + 1)  +  Σ_(d,z) (c_a(d,z) - c_b(d,z))² / (n(d,z) + 2)

with c_r(d,z) the weight of the pair in run r, C_r(d) = Σ_z c_r(d,z), and n how often d was shown, at all and
given z; 1 and 2 are the imaginary judgments of `pooled`. The next judgment is the one of d given z that
lowers the sum of s² over the pairs of runs most. "targeted" counts all pairs of runs alike. "adaptive" looks
at the answers so far: a pair of runs counts less the clearer it is which is better, and so does a topic in
which all answers can be foretold. The opponent of d is drawn from all documents of the topic, because
utilities are shares of wins against all of them.
"""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from typing import Any, Unpack, get_args

import numpy as np

from rankprism.arrays import Floats, Longs
from rankprism.data.hits import NOWHERE
from rankprism.data.preferences import Preferences
from rankprism.errors import InputError, MeasureError, one_of
from rankprism.measures import Measure
from rankprism.measures.known.prf import ideal_prf, prf, reaching
from rankprism.measures.preferences.utility import (
    NONE,
    Comparisons,
    Shown,
    Utilities,
    counted,
    pooled,
    satiation,
)
from rankprism.preferences.rankings import Rankings, TopicRankings, read_rankings
from rankprism.types import Choice, Natural, Positive, RunOptions

CHOICES: tuple[Choice, ...] = get_args(Choice)
#: The variance of an answer before there are any, and the number of answers that it counts as.
_VARIANCE, _VARIANCE_WEIGHT = 0.1, 5.0
#: The uncertainty about a document that was never shown, in variances of an answer: its utility may differ
#: from the prior by up to ½, and (½)² / .1 = 2.5. With 1, which the formula has for 0 judgments, simulated
#: studies of up to 80 judgments per topic found a worse order of the runs.
_NEVER_SHOWN = 2.5


@dataclass(frozen=True)
class Task:
    """A question to an assessor: which of two documents is better, after the given one if there is one?"""

    topic: str
    given: tuple[str, ...]  #: empty for a simple pair
    left: str
    right: str
    batch: int = 1  #: tasks of one batch may be judged at the same time
    order: int = (
        0  #: 1 or 2 if the question is asked in both orders, with the sides swapped in the second; else 0
    )

    @property
    def id(self) -> str:
        """An id of the question, which does not depend on the side of each document."""
        text = json.dumps([self.topic, sorted(self.given), sorted((self.left, self.right))])
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def record(self) -> dict[str, Any]:
        """As it is written to a file. With an `outcome` it can be read as a preference."""
        record = {
            "id": self.id,
            "batch": self.batch,
            "topic": self.topic,
            "given": list(self.given),
            "left": self.left,
            "right": self.right,
        }
        return record | ({"order": self.order} if self.order else {})


def select(
    runs: Any,
    preferences: Any = None,
    budget: int = 100,
    *,
    measures: Any = "nPrf@20",
    choice: Choice = "targeted",
    batch: Positive | None = None,
    overlap: Positive = 1,
    both_orders: bool = False,
    pending: Iterable[Task] = (),
    seed: Natural = 0,
    **reading: Unpack[RunOptions],
) -> list[Task]:
    """The questions that best settle the order of the systems, the most useful first.

    Parameters
    ----------
    runs
        Whatever `evaluate` takes, or `Rankings`, which save reading the runs again.
    preferences
        What was judged so far, as `read_preferences` takes it; None if nothing was.
    budget
        Number of questions.

        The result has fewer if there are not enough left to ask.
    measures
        `Prf` or `nPrf` with a cutoff, or several; the order of the systems by them is to be settled.
    choice
        How questions are chosen: at random; targeted at the documents on which the runs differ; or adaptive,
        which also looks at the answers so far.
    batch
        Number of questions in a batch. Default: all are one batch.
    overlap
        Ask a question again until it was judged this often.
    both_orders
        Ask every question twice, once with the sides swapped, to see and to cancel a preference for a side.

        The budget and a batch count both. In a batch, all questions come first as they are and then swapped.
    pending
        Questions that were handed out and are not answered yet. They count as asked.
    seed
        Seed for the random numbers. The same seed gives the same result.

        They decide opponents, sides and, if choice is "random", everything.
    **reading
        How to read the runs, as for `rankprism.evaluate`.

    Examples
    --------
    >>> runs = {"a": {"q": {"x": 3.0, "y": 2.0}}, "b": {"q": {"y": 3.0, "z": 2.0}}}
    >>> for task in select(runs, budget=2, measures="nPrf@2"):
    ...     print(task.topic, task.given, sorted((task.left, task.right)))
    q () ['x', 'y']
    q ('y',) ['x', 'z']
    """
    one_of("choice", choice, Choice)
    for name, value in (("budget", budget), ("batch", batch), ("overlap", overlap)):
        if value is not None and value < 1:
            raise InputError(f"{name} must be at least 1; got {value}")
    if seed < 0:
        raise InputError(f"seed must not be negative; got {seed}")
    if both_orders and min(budget, batch or budget) < 2:
        raise InputError("both orders of a question need a budget and batches of at least 2 questions")
    chosen = preference_measures(measures)
    depth = depth_of(chosen)
    if not isinstance(runs, Rankings):
        runs = read_rankings(runs, depth, **reading)
    elif runs.depth < depth:
        raise InputError(f"the rankings have {runs.depth} documents, and the measures look at {depth}")
    judged = study_of(runs, preferences, pending)
    times = 2 if both_orders else 1
    pairs, in_batch = budget // times, (batch or budget) // times
    rows = choose(judged, chosen, choice, pairs, overlap, np.random.default_rng([seed, judged.asked]))
    topics = list(runs.topics)
    made = []
    for i, (t, z, left, right) in enumerate(rows.tolist()):
        docs = judged.topics[t].docs
        given = () if z == NONE else (docs[z],)
        made.append(Task(topics[t], given, docs[left], docs[right], 1 + i // in_batch))
    return in_both_orders(made) if both_orders else made


def in_both_orders(tasks: Sequence[Task]) -> list[Task]:
    """Every task twice: each batch as it is, and then the same batch with the sides swapped.

    >>> for task in in_both_orders([Task("q", (), "a", "b"), Task("q", (), "c", "a")]):
    ...     print(task.left, task.right, task.order)
    a b 1
    c a 1
    b a 2
    a c 2
    """
    twice = [replace(task, order=1) for task in tasks]
    twice += [replace(task, left=task.right, right=task.left, order=2) for task in tasks]
    return sorted(twice, key=lambda task: (task.batch, task.order))


def preference_measures(measures: Any) -> list[Measure]:
    """Measures as values, refused unless they are Prf or nPrf with a cutoff."""
    from rankprism.evaluation import parsed

    chosen = parsed(measures)
    for measure in chosen:
        if measure.name not in ("Prf", "nPrf"):
            raise MeasureError(f"{measure}: questions can be chosen for Prf and nPrf only, e.g. for nPrf@20")
        if measure.cutoff is None:
            raise MeasureError(f"{measure}: needs a cutoff to choose questions for, e.g. {measure}@20")
    return chosen


def depth_of(measures: Sequence[Measure]) -> int:
    """How many documents of a ranking the measures look at."""
    return max(measure.cutoff or 1 for measure in measures)


def reach_of(measure: Measure) -> Floats:
    """(cutoff,) W(i): the chance that a user gets to rank i"""
    last = measure.cutoff or 1
    return reaching(measure["browsing"], measure["theta"], last, last)


# ── what was asked so far ────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, eq=False)
class TopicStudy:
    """One topic of a study: its rankings, what was judged and what was handed out."""

    docs: tuple[str, ...]  #: the documents of the rankings, and then others that were judged
    rankings: TopicRankings
    answered: Comparisons
    pending: Comparisons  #: without outcomes

    @property
    def left(self) -> Longs:
        return np.concatenate((self.answered.left, self.pending.left))

    @property
    def right(self) -> Longs:
        return np.concatenate((self.answered.right, self.pending.right))

    @property
    def given(self) -> Longs:
        return np.concatenate((self.answered.given, self.pending.given))

    @property
    def judged(self) -> Shown:
        """The answers, counted as the measures do."""
        seen = np.zeros(len(self.docs), dtype=bool)
        seen[self.answered.left], seen[self.answered.right] = True, True
        return counted(self.docs, seen, self.answered)

    def with_answers(self, more: Comparisons) -> TopicStudy:
        """The topic after more answers."""
        return TopicStudy(self.docs, self.rankings, Comparisons.joined([self.answered, more]), self.pending)

    def refused(self, overlap: int) -> Longs:
        """The numbers of the questions, see `question`, that were already asked this often."""
        asked = question(len(self.docs), self.given, self.left, self.right)
        numbers, times = np.unique(asked, return_counts=True)
        return numbers[times >= overlap]


@dataclass(frozen=True, eq=False)
class Study:
    """The topics of a study, in the order of the rankings."""

    topics: tuple[TopicStudy, ...]

    @property
    def asked(self) -> int:
        """How many questions were asked so far."""
        return sum(len(one.left) for one in self.topics)


def question(documents: int, given: Longs, left: Longs, right: Longs) -> Longs:
    """(N,) the number of each question, which does not depend on the side of each document"""
    z = np.where(given == NONE, documents, given)
    return np.asarray((z * documents + np.minimum(left, right)) * documents + np.maximum(left, right))


def study_of(rankings: Rankings, preferences: Any = None, pending: Iterable[Task] = ()) -> Study:
    """A study of these rankings in which this was judged and handed out.

    Judgments given several documents, and topics that no run has, do not help to choose.
    """
    from rankprism.formats.preferences import read_preferences

    rows: dict[str, list[tuple[str, str, str, float]]] = {topic: [] for topic in rankings.topics}
    open_rows: dict[str, list[tuple[str, str, str, float]]] = {topic: [] for topic in rankings.topics}
    if preferences is not None:
        read = read_preferences(preferences)
        for topic, given, left, right, outcome in _few_given(read):
            if topic in rows:
                rows[topic].append((given, left, right, outcome))
    for task in pending:
        if task.topic in open_rows and len(task.given) <= 1:
            open_rows[task.topic].append(("".join(task.given), task.left, task.right, 0.5))
    topics = []
    for topic, ranked in rankings.topics.items():
        named = sorted({doc for row in (*rows[topic], *open_rows[topic]) for doc in row[:3] if doc})
        number = {doc: d for d, doc in enumerate(ranked.docs)}
        for doc in reversed(named):
            number.setdefault(doc, len(number))
        answered, handed_out = (_compared(which[topic], number) for which in (rows, open_rows))
        topics.append(TopicStudy(tuple(number), ranked, answered, handed_out))
    return Study(tuple(topics))


def _few_given(read: Preferences) -> Iterable[tuple[str, str, str, str, float]]:
    """Topic, given, left, right and outcome of the pairs and triplets; given is empty for a pair."""
    given = [read.docs[docs[0]] if docs else "" for docs in read.givens]
    columns = (read.topic, read.given, read.left, read.right, read.outcome)
    few = read.number_given <= 1
    for t, g, left, right, outcome in zip(*(column[few].tolist() for column in columns), strict=True):
        yield read.topics[t], given[g], read.docs[left], read.docs[right], outcome


def _compared(rows: Sequence[tuple[str, str, str, float]], number: Mapping[str, int]) -> Comparisons:
    # Sorted, so that the order of the lines does not show in the last bits of a sum.
    places = sorted((number.get(z, NONE), number[a], number[b], x) for z, a, b, x in rows)
    given, left, right, outcome = np.array(places, dtype=np.float64).reshape(-1, 4).T
    return Comparisons(
        left.astype(np.int64), right.astype(np.int64), given.astype(np.int64), outcome.astype(np.float64)
    )


# ── the choice ───────────────────────────────────────────────────────────────────────────────────


def choose(
    study: Study,
    measures: Sequence[Measure],
    choice: Choice,
    budget: int,
    overlap: Positive,
    rng: np.random.Generator,
) -> Longs:
    """(N, 4) the next questions, each once: topic, given, left and right, as positions"""
    refused = [one.refused(overlap) for one in study.topics]
    rows = np.empty((0, 4), dtype=np.int64)
    if choice != "random":
        rows = _most_useful(study, worth_asking(study, measures, choice == "adaptive"), refused, budget, rng)
        refused = [
            np.union1d(r, question(len(one.docs), *rows[rows[:, 0] == t][:, 1:].T))
            for t, (one, r) in enumerate(zip(study.topics, refused, strict=True))
        ]
    if len(rows) < budget:  # there may be questions left that hardly matter
        rows = np.concatenate((rows, _at_random(study, refused, budget - len(rows), rng)))
    swapped = rng.random(len(rows)) < 0.5
    return np.asarray(np.where(swapped[:, None], rows[:, [0, 1, 3, 2]], rows))


def _at_random(study: Study, refused: Sequence[Longs], budget: int, rng: np.random.Generator) -> Longs:
    """(N, 4) questions drawn evenly, about equally many from each topic"""
    sizes = [_questions(len(one.rankings.docs)) for one in study.topics]
    asked = [len(_inside(one, r)) for one, r in zip(study.topics, refused, strict=True)]
    share = _shares(np.array(sizes) - np.array(asked), budget, rng)
    found, place = [np.empty((0, 4), dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for t, (one, count) in enumerate(zip(study.topics, share.tolist(), strict=True)):
        rows = _drawn(len(one.docs), len(one.rankings.docs), refused[t], count, sizes[t], rng)
        found.append(np.column_stack((np.full(count, t), rows)))
        place.append(np.arange(count))
    # Topics take turns, so that every batch has all of them.
    return np.concatenate(found)[np.argsort(np.concatenate(place), kind="stable")]


def _questions(documents: int) -> int:
    """How many pairs and triplets this many documents have."""
    return documents * (documents - 1) // 2 * max(documents - 1, 0)


def _inside(one: TopicStudy, numbers: Longs) -> Longs:
    """The questions that are only about documents of the rankings."""
    total, n = len(one.docs), len(one.rankings.docs)
    z, left, right = _parts(numbers, total)
    return np.asarray(numbers[(left < n) & (right < n) & ((z < n) | (z == total))])


def _parts(numbers: Longs, documents: int) -> tuple[Longs, Longs, Longs]:
    """Given (`documents` if there is none) and the two sides of questions."""
    rest, right = np.divmod(numbers, documents)
    z, left = np.divmod(rest, documents)
    return z, left, right


def _shares(room: Longs, budget: int, rng: np.random.Generator) -> Longs:
    """How much of the budget each topic gets: equal shares, as far as there is room."""
    share = np.zeros(len(room), dtype=np.int64)
    budget = min(budget, int(room.sum()))
    while share.sum() < budget:
        free = np.flatnonzero(share < room)
        each, rest = divmod(budget - int(share.sum()), len(free))
        share[free] += np.minimum(each, room[free] - share[free])
        if each == 0:
            share[rng.permutation(free)[:rest]] += 1
    return share


def _drawn(
    documents: int, ranked: int, refused: Longs, count: int, questions: int, rng: np.random.Generator
) -> Longs:
    """(count, 3) questions, given and sides, that were not refused"""
    found = np.empty(0, dtype=np.int64)
    if 3 * (count + len(refused)) > questions:  # so large a share that all are listed
        z, left, right = np.meshgrid(np.append(np.arange(ranked), documents), *[np.arange(ranked)] * 2)
        fits = (left < right) & (z != left) & (z != right)
        every = np.setdiff1d(question(documents, z[fits], left[fits], right[fits]), refused)
        found = rng.permutation(every)[:count]
    while len(found) < count:
        z, left, right = rng.integers(
            0, [[ranked + 1], [ranked], [ranked]], (3, 2 * (count - len(found)) + 8)
        )
        z = np.where(z == ranked, documents, z)
        fits = (left != right) & (z != left) & (z != right)
        fresh = question(documents, z[fits], left[fits], right[fits])
        fresh = fresh[np.sort(np.unique(fresh, return_index=True)[1])]  # each once, as they were drawn
        found = np.append(found, fresh[~np.isin(fresh, refused) & ~np.isin(fresh, found)])[:count]
    z, left, right = _parts(found, documents)
    return np.stack((np.where(z == documents, NONE, z), left, right), axis=-1)


@dataclass(frozen=True, eq=False)
class Worth:
    """How much it is worth to know more about the documents of one topic."""

    doc: Floats  #: (D,) of document d, whatever is given: Σ over pairs of runs of (C_a(d) - C_b(d))²
    cell: Longs  #: (C,) d · (D+1) + z of the pairs of documents that some run has, z = D for none; ascending
    given: Floats  #: (C,) of d given z: Σ over pairs of runs of (c_a(d,z) - c_b(d,z))²


@dataclass(frozen=True, eq=False)
class Weights:
    """How much the utilities of one topic count in the score of each run."""

    doc: Floats  #: (D, R) C_r(d)
    cell: Longs  #: (C,) as in `Worth`
    given: Floats  #: (C, R) c_r(d,z)


def weights_of(one: TopicStudy, reach: Floats) -> Weights:
    """c_r(d,z) = W(i) / (i-1) for d at rank i of run r and z above it; c_r(d,∅) = W(1) at rank 1"""
    n, order = len(one.docs), one.rankings.order[:, : len(reach)]
    runs, depth = order.shape
    lower, upper = np.tril_indices(depth, -1)
    # Rank 1 comes after no document, which is number n.
    d = np.concatenate((order[:, :1], order[:, lower]), axis=1)
    z = np.concatenate((np.full((runs, 1), n), order[:, upper]), axis=1)
    c = np.concatenate((reach[:1], reach[lower] / np.maximum(lower, 1)))
    r, place = np.nonzero(d != NONE)
    cell, at = np.unique(d[r, place] * (n + 1) + z[r, place], return_inverse=True)
    given = np.bincount(at.ravel() * runs + r, c[place], len(cell) * runs).astype(np.float64)
    r, rank = np.nonzero(order != NONE)
    doc = np.bincount(order[r, rank] * runs + r, reach[rank], n * runs).astype(np.float64)
    return Weights(doc.reshape(n, runs), cell, given.reshape(len(cell), runs))


def worth_asking(study: Study, measures: Sequence[Measure], adaptive: bool) -> list[Worth]:
    """What each topic's documents are worth, all measures together."""
    estimate = estimated(study) if adaptive else None
    found: list[list[Worth]] = [[] for _ in study.topics]
    for measure in measures:
        weights = [weights_of(one, reach_of(measure)) for one in study.topics]
        runs = weights[0].doc.shape[1]
        scale, pairs = np.ones(len(weights)), np.ones((runs, runs))
        if estimate is not None:
            score, scale = _scores(study, estimate, measure)
            pairs = _unsettled(study, weights, score, scale)
        # With one run there is no order to settle, so its score is settled instead.
        spread = np.diag(pairs.sum(1)) - pairs if runs > 1 else np.ones((1, 1))
        for t, (one, by) in enumerate(zip(weights, scale.tolist(), strict=True)):
            found[t].append(
                Worth(by * _quadratic(one.doc, spread), one.cell, by * _quadratic(one.given, spread))
            )
    return _comparable([_added(of_topic) for of_topic in found])


def _comparable(worth: Sequence[Worth]) -> list[Worth]:
    """What each is worth as a share of the largest, rounded so that ties are ties on every machine."""
    most = max((float(one.doc.max(initial=0.0)) for one in worth), default=0.0) or 1.0
    return [Worth(np.round(one.doc / most, 12), one.cell, np.round(one.given / most, 12)) for one in worth]


def _quadratic(rows: Floats, form: Floats) -> Floats:
    """(N,) xᵀ F x of each row; with F the Laplacian of the pairs of runs, Σ_(a<b) w(a,b) (x_a - x_b)²"""
    return np.asarray(np.maximum((np.einsum("nr,rs->ns", rows, form) * rows).sum(-1), 0.0))


def _added(several: Sequence[Worth]) -> Worth:
    cell = np.unique(np.concatenate([one.cell for one in several]))
    given = np.zeros(len(cell))
    for one in several:
        given[np.searchsorted(cell, one.cell)] += one.given
    return Worth(np.sum([one.doc for one in several], axis=0), cell, given)


@dataclass(frozen=True, eq=False)
class Estimate:
    """What the answers so far say."""

    utilities: tuple[Utilities, ...]  #: of each topic
    noise: Floats  #: (topic,) the variance of the answers around the estimate


def estimated(study: Study) -> Estimate:
    """The pooled estimate of every topic."""
    shown = {str(t): one.judged for t, one in enumerate(study.topics)}
    gamma = satiation(shown)
    noise = []
    for one in shown.values():
        c, theta = one.comparisons, one.quality
        rest = c.outcome - 0.5 - (theta[c.left] - theta[c.right])
        noise.append((_VARIANCE * _VARIANCE_WEIGHT + (rest**2).sum()) / (_VARIANCE_WEIGHT + len(rest)))
    return Estimate(tuple(pooled(one, gamma) for one in shown.values()), np.array(noise))


def _scores(study: Study, estimate: Estimate, measure: Measure) -> tuple[Floats, Floats]:
    """(R,) the sum over topics of each run's score, and (T,) what variances of a topic are multiplied by"""
    score, scale = scored(study, estimate.utilities, measure)
    return score.sum(0), estimate.noise / scale**2


def scored(study: Study, utilities: Sequence[Utilities], measure: Measure) -> tuple[Floats, Floats]:
    """(T, R) the score of each run in each topic, and (T,) what it was divided by"""
    reach, combine = reach_of(measure), measure["combine"]
    score, divisor = [], []
    for one, u in zip(study.topics, utilities, strict=True):
        doc = one.rankings.order[:, : len(reach)]
        rank = np.where(doc == NONE, NOWHERE, np.arange(1, doc.shape[1] + 1)).astype(np.int32)
        length = (doc != NONE).sum(-1).astype(np.int32)
        best = ideal_prf(u, combine, reach) if measure.name == "nPrf" else 1.0
        divisor.append(best if best > 0 else 1.0)
        score.append(prf(u, rank, doc, length, combine, reach) / divisor[-1])
    return np.array(score), np.array(divisor)


def _unsettled(study: Study, weights: Sequence[Weights], score: Floats, scale: Floats) -> Floats:
    """(R, R) exp(-Δ² / 8s²) of every two runs: 1 if nothing is known, near 0 if one is clearly better"""
    runs = len(score)
    covariance = np.zeros((runs, runs))
    for one, of_topic, by in zip(study.topics, weights, scale.tolist(), strict=True):
        times, times_given = _times(one, of_topic.cell)
        for x, doubt in ((of_topic.doc, _doubt(times)), (of_topic.given, _doubt_given(times_given))):
            covariance += by * np.einsum("nr,ns->rs", x * doubt[:, None], x)
    own = np.diagonal(covariance)
    variance = own[:, None] + own - 2 * covariance
    difference = score[:, None] - score
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = np.exp(-(difference**2) / (8 * variance))
    return np.where(variance > 1e-12 * own.max(initial=1e-300), weight, 0.0)


def _times(one: TopicStudy, cell: Longs) -> tuple[Longs, Longs]:
    """(D,) how often each document was shown, and (C,) given another one"""
    n = len(one.docs)
    z = np.where(one.given == NONE, n, one.given)
    sides = np.concatenate((one.left, one.right))
    shown = np.searchsorted(cell, sides * (n + 1) + np.concatenate((z, z)))
    shown = shown[cell[np.minimum(shown, len(cell) - 1)] == sides * (n + 1) + np.concatenate((z, z))]
    return np.bincount(sides, minlength=n), np.bincount(shown, minlength=len(cell))


def _most_useful(
    study: Study, worth: Sequence[Worth], refused: Sequence[Longs], budget: int, rng: np.random.Generator
) -> Longs:
    """(N, 4) the questions that lower the variance most, one after another"""
    askers = [
        _Asker(one, w, set(r.tolist()), rng) for one, w, r in zip(study.topics, worth, refused, strict=True)
    ]
    heap = [(-gain, tie, t, d) for t, asker in enumerate(askers) for gain, tie, d in asker.start()]
    heapify(heap)
    rows: list[tuple[int, int, int, int]] = []
    while heap and len(rows) < budget:
        before, tie, t, d = heappop(heap)
        gain = askers[t].gain(d)
        if gain < -before:  # others have been asked since; gains only ever fall
            if gain > 0:
                heappush(heap, (-gain, tie, t, d))
            continue
        asked = askers[t].ask(d)
        if asked is not None:
            rows.append((t, *asked))
        gain = askers[t].gain(d)
        if gain > 0:
            heappush(heap, (-gain, tie, t, d))
    return np.array(rows, dtype=np.int64).reshape(-1, 4)


class _Asker:
    """The questions of one topic while they are chosen."""

    def __init__(self, one: TopicStudy, worth: Worth, refused: set[int], rng: np.random.Generator) -> None:
        n = len(one.docs)
        self.documents, self.ranked = n, len(one.rankings.docs)
        self.refused, self.rng = refused, rng
        times, times_given = _times(one, worth.cell)
        self.worth: list[float] = worth.doc.tolist()
        self.times: list[int] = times.tolist()
        self.cell: list[int] = worth.cell.tolist()
        self.edges: list[int] = np.searchsorted(worth.cell, np.arange(n + 1) * (n + 1)).tolist()
        self.given_worth, self.given_times = worth.given, times_given
        self.given_gain = worth.given * _drop_given(times_given)
        self.tie: list[float] = rng.random(n).tolist()
        #: opponents: those that nobody has seen, the most useful one last, and the others in turn
        self.unseen = sorted((d for d in range(self.ranked) if not self.times[d]), key=self._use)
        self.turn: list[int] = []

    def _use(self, d: int) -> tuple[float, float]:
        return self.worth[d], self.tie[d]

    def start(self) -> Iterator[tuple[float, float, int]]:
        """The gain of every document that is worth a question."""
        for d in range(self.documents):
            gain = self.gain(d)
            if gain > 0:
                yield gain, self.tie[d], d

    def gain(self, d: int) -> float:
        """How much the next judgment of a document lowers the variance, given what is best for it."""
        of_doc = self.given_gain[self.edges[d] : self.edges[d + 1]]
        best = float(of_doc.max(initial=-1.0))
        if best < 0:  # there is nothing left to ask about it
            return 0.0
        n = self.times[d]
        drop = 1 / ((n + 1) * (n + 2)) if n else _NEVER_SHOWN - 1 / 2  # how much `_doubt` falls
        return self.worth[d] * drop + best

    def ask(self, d: int) -> tuple[int, int, int] | None:
        """A question about a document; None if all opponents given the best document have had their turn."""
        first, last = self.edges[d], self.edges[d + 1]
        at = first + int(np.argmax(self.given_gain[first:last]))
        z = self.cell[at] - d * (self.documents + 1)
        opponent = self._opponent(d, z)
        if opponent is None:
            self.given_gain[at] = -1.0
            return None
        self.refused.add(self._number(d, opponent, z))
        for doc in (d, opponent):
            self.times[doc] += 1
            self._count(doc * (self.documents + 1) + z)
        return (NONE if z == self.documents else z), d, opponent

    def _count(self, cell: int) -> None:
        at = bisect_left(self.cell, cell)
        if at < len(self.cell) and self.cell[at] == cell:
            self.given_times[at] += 1
            if self.given_gain[at] >= 0:
                self.given_gain[at] = self.given_worth[at] * _drop_given(self.given_times[at])

    def _opponent(self, d: int, z: int) -> int | None:
        self.unseen = [e for e in self.unseen if not self.times[e]] if self.unseen else []
        for queue in (self.unseen, self.turn):
            for i in range(len(queue) - 1, -1, -1):
                if self._fits(d, queue[i], z):
                    return queue.pop(i)
        self.turn = self.rng.permutation(self.ranked).tolist()
        for i in range(len(self.turn) - 1, -1, -1):
            if self._fits(d, self.turn[i], z):
                return self.turn.pop(i)
        return None

    def _fits(self, d: int, e: int, z: int) -> bool:
        return e not in (d, z) and self._number(d, e, z) not in self.refused

    def _number(self, d: int, e: int, z: int) -> int:
        return (z * self.documents + min(d, e)) * self.documents + max(d, e)


def _doubt(times: Longs) -> Floats:
    """The uncertainty about documents that were shown this often, in variances of an answer."""
    return np.where(times == 0, _NEVER_SHOWN, 1 / (times + 1))


def _doubt_given(times: Longs) -> Floats:
    """What is added for documents that were shown this often given another one."""
    return np.asarray(1 / (times + 2))


def _drop_given(times: Any) -> Any:
    """How much one more judgment lowers `_doubt_given`."""
    return 1 / ((times + 2) * (times + 3))
