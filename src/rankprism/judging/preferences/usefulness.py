"""How much a judgment would settle the order of the systems.

A run's score is a sum: each document d at rank i counts with W(i) / (i-1) for each document z above it, times
U(d|z). Where all runs give the pair (d, z) the same weight, U(d|z) cannot change their order, and nobody
needs to be asked about it. The more the weights differ, the more a judgment of d given z is worth.

With the pooled estimate, the uncertainty about the difference of two runs a and b has the variance

    s²(a,b) ∝ Σ_d (C_a(d) - C_b(d))² / (n(d) + 1)  +  Σ_(d,z) (c_a(d,z) - c_b(d,z))² / (n(d,z) + 2)

with c_r(d,z) the weight of the pair in run r, C_r(d) = Σ_z c_r(d,z), and n how often d was shown, at all
and given z; 1 and 2 are the imaginary judgments of `pooled`. A document that was never shown counts 2.5
instead of 1 / (n + 1), because all that is known of it is the prior of the estimate, ½. The next judgment
is the one of d given z that lowers the sum of s² over the pairs of runs most. "targeted" counts all pairs
of runs alike. "adaptive" looks at the answers so far: a pair of runs counts less the clearer it is which
is better, and so does a topic in which all answers can be foretold. The opponent of d is drawn from all
documents of the topic, because utilities are shares of wins against all of them.

A score is a sum of utilities, each with a weight that depends on the ranking alone. From these weights,
`preferences/usefulness.py` computes what one more judgment of each document is worth, and repeatedly
takes the best one from a heap. A gain only ever falls, so an entry that turns out to be too high goes
back, and the next one is tried. `select` is a pure function of rankings, answers and a seed.
`preferences/study_plan.py` calls the same function with simulated users instead of assessors, so that a
plan is a rehearsal of the study.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np

from rankprism.data import NOWHERE, Floats, Longs
from rankprism.judging.preferences.study import Study, TopicStudy
from rankprism.measures import NONE, Measure, Utilities, ideal_prf, pooled, prf, reaching, satiation

#: The variance of an answer before there are any, and the number of answers that it counts as.
_VARIANCE, _VARIANCE_WEIGHT = 0.1, 5.0
#: The uncertainty about a document that was never shown, in variances of an answer: its utility may differ
#: from the prior by up to ½, and (½)² / .1 = 2.5. With 1, which the formula has for 0 judgments, simulated
#: studies of up to 80 judgments per topic found a worse order of the runs.
_NEVER_SHOWN = 2.5


def reach_of(measure: Measure) -> Floats:
    """(cutoff,) W(i): the chance that a user gets to rank i"""
    last = measure.cutoff or 1
    return reaching(measure["browsing"], measure["theta"], last, last)


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


def most_useful(
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
