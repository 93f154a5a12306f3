"""Bradley and Terry's model: one strength for each document, from who beat whom.

P(i beats j) = σ(θ_i - θ_j), σ(x) = 1 / (1 + e^-x). A tie is half a win for each, or an outcome of its own as
in Davidson's model: with d = θ_i - θ_j and Z = e^(d/2) + e^(-d/2) + ν, P(i beats j) = e^(d/2) / Z and
P(tie) = ν / Z. Without ties ν is 0, and both are the same.

Documents of one part were compared with each other, directly or through others. Parts are fitted separately,
because no judgment puts them on one scale, and the strengths of a part have the mean 0. The judgments alone
would make a document that always won infinitely strong. So every document gets `prior` more comparisons, half
of them won, with an imaginary document of strength 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rankprism._core import solve_spd
from rankprism.data import Floats, Ints, Longs, Preferences
from rankprism.measures import checked_documents, places_by_topic
from rankprism.statistics import CLAIMS

#: Strengths and shares that differ by less count as equal.
_TIE = 1e-9
_STEPS = 100


@dataclass(frozen=True, eq=False)
class Part:
    """Documents of a topic that were compared with each other, directly or through others, the strongest
    first."""

    number: int  #: from 1; 0 for the documents that were never compared
    docs: tuple[str, ...]
    judgments: Longs  #: how many comparisons each document was in
    strength: Floats  #: θ minus its mean; NaN where no finite θ is the most likely one
    covariance: Floats  #: (D, D) of the strengths, if all judgments were independent
    excess: float  #: φ: how many times larger the variance is, because assessors judged several times
    freedom: float  #: the degrees of freedom of φ; infinite if judgments are taken as independent
    nu: float  #: ν of Davidson's model; 0 if there are no ties, or a tie is half a win
    bounded: bool  #: whether the judgments alone limit every strength

    @property
    def error(self) -> Floats:
        """The standard error of each strength."""
        return self.standard_error(np.diagonal(self.covariance))

    def standard_error(self, variance: Floats) -> Floats:
        return np.sqrt(variance * max(1.0, self.excess))

    def margin(self, variance: Floats, judgments: Longs, level: float) -> Floats:
        """Half of the width of an interval; NaN with too few judgments.

        The variance is φ times that of independent judgments, with Student's t because φ is an estimate. An
        interval is never narrower than one of independent judgments.
        """
        from scipy.special import ndtri, stdtrit

        tail = (1 + level) / 2
        t = stdtrit(self.freedom, tail) if self.freedom < math.inf else ndtri(tail)
        margin = np.sqrt(variance) * max(math.sqrt(self.excess) * t, ndtri(tail))
        return np.where(judgments >= CLAIMS["a strength"].fewest, margin, np.nan)

    def p(self, difference: Floats, variance: Floats) -> Floats:
        """The p-value that is below 1 - level where the interval at this level does not hold 0."""
        from scipy.special import ndtr, stdtr

        z = -np.abs(difference) / np.sqrt(variance)
        by_t = stdtr(self.freedom, z / math.sqrt(self.excess)) if self.freedom < math.inf else ndtr(z)
        return np.asarray(2 * np.maximum(by_t, ndtr(z)))


class Judged(NamedTuple):
    """The comparisons of a topic that count: the simple pairs, or the triplets if there are none."""

    docs: tuple[str, ...]
    shown: Longs  #: the positions of the documents that any judgment compares
    left: Longs
    right: Longs
    outcome: Floats
    assessor: Ints

    @property
    def wins(self) -> Floats:
        """(D, D) how often the first document beat the second one; a tie is half a win for each"""
        return _wins(self.left, self.right, self.outcome, len(self.docs))

    @property
    def part(self) -> Longs:
        """(D,) the number of the part that each document is in, from 1; 0 if it was never compared"""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        n = len(self.docs)
        compared = np.zeros(n, dtype=bool)
        compared[self.left] = compared[self.right] = True
        met = coo_array((np.ones(len(self.left)), (self.left, self.right)), (n, n))
        _, label = connected_components(met, directed=False)
        number = np.zeros(n, dtype=np.int64)
        number[compared] = np.unique(label[compared], return_inverse=True)[1].ravel() + 1
        return number


def _wins(left: Longs, right: Longs, outcome: Floats, n: int) -> Floats:
    wins = np.bincount(left * n + right, outcome, n * n) + np.bincount(right * n + left, 1 - outcome, n * n)
    return np.asarray(wins.reshape(n, n))


def judged_by_topic(preferences: Preferences) -> dict[str, Judged]:
    found = {}
    for topic, (place, rows) in places_by_topic(preferences).items():
        checked_documents(len(place.docs), place.where)
        left, right = place.at[preferences.left[rows]], place.at[preferences.right[rows]]
        given = preferences.number_given[rows]
        used = given == (0 if (given == 0).any() else 1)
        columns = (left[used], right[used], preferences.outcome[rows][used], preferences.assessor[rows][used])
        found[topic] = Judged(place.docs, np.unique(np.concatenate((left, right))), *columns)
    return found


class Fit(NamedTuple):
    """Where the likelihood has its maximum."""

    theta: Floats
    nu: float
    information: Floats  #: the curvature of the log likelihood there, by θ and, with ties, by log ν


class _Outcomes(NamedTuple):
    """What the model says about comparisons with d = θ_i - θ_j, and derivatives of log Z."""

    log_z: Floats
    slope: Floats  #: by d: half the chance to win minus half the chance to lose
    bend: Floats  #: by d twice: the variance of the outcome
    tie: Floats  #: by log ν: the chance of a tie


def _outcomes(d: Floats, nu: float) -> _Outcomes:
    small = np.exp(-np.abs(d))  # everything is divided by e^(|d|/2), so that nothing overflows
    tied = nu * np.sqrt(small)
    z = 1 + small + tied
    slope = np.sign(d) * (1 - small) / (2 * z)
    return _Outcomes(np.abs(d) / 2 + np.log(z), slope, (1 + small) / (4 * z) - slope**2, tied / z)


def fit(wins: Floats, prior: float, tied: float = 0.0) -> Fit:
    """The strengths that make these (D, D) wins most likely, a tie being half a win for each

    tied : the number of ties, for Davidson's model. With 0 a tie counts as half a win.

    Newton's method on Σ_{i<j} (w_ij - w_ji)/2 d - (w_ij + w_ji) log Z, and + tied · log ν. The prior adds
    prior · (log σ(θ_i) + log σ(-θ_i)) / 2 for each document, and for ν the same for a comparison of equal
    documents. There is one maximum. Without a prior, θ has the mean 0.
    """
    n, met, net = len(wins), wins + wins.T, (wins - wins.T).sum(-1) / 2
    x = np.zeros(n + (tied > 0))

    def at(x: Floats) -> tuple[float, Floats, Floats]:
        """The log likelihood, its gradient and its negative curvature."""
        theta, nu = x[:n], math.exp(x[n]) if tied else 0.0
        o, own = _outcomes(theta[:, None] - theta, nu), _outcomes(theta, 0.0)
        value = theta @ net - (met * o.log_z).sum() / 2 - prior * own.log_z.sum()
        slope = np.append(net - (met * o.slope).sum(-1) - prior * own.slope, np.zeros(len(x) - n))
        bend = np.zeros((len(x), len(x)))
        bend[:n, :n] = np.diag((met * o.bend).sum(-1) + prior * own.bend) - met * o.bend
        if not prior:
            bend[:n, :n] += 1 / n  # so that θ keeps its mean
        if tied:
            equal = nu / (2 + nu)
            value += tied * x[n] + prior / 2 * (math.log(equal) + math.log1p(-equal))
            slope[n] = tied - (met * o.tie).sum() / 2 + prior * (0.5 - equal)
            bend[n, n] = (met * o.tie * (1 - o.tie)).sum() / 2 + prior * equal * (1 - equal)
            bend[n, :n] = bend[:n, n] = -(met * o.slope * o.tie).sum(-1)
        return float(value), slope, bend

    value, slope, bend = at(x)
    for _ in range(_STEPS):
        step = solve_spd(bend, slope)
        size = 1.0
        # A full step may go too far at first; near the maximum, only rounding makes it look worse.
        while (now := at(x + size * step))[0] < value - 1e-9 * abs(value):
            size /= 2
        x = x + size * step
        value, slope, bend = now
        if np.abs(step).max(initial=0.0) < 1e-9:
            break
    return Fit(rounded(x[:n]), math.exp(x[n]) if tied else 0.0, bend)


def parts_of(judged: Judged, ties: str, prior: float) -> Iterator[Part]:
    """Each part of a topic, fitted separately, and last the documents that were never compared."""
    number = judged.part
    for one in sorted(set(number[judged.shown].tolist()), key=lambda one: one or math.inf):
        docs = np.flatnonzero(number == one) if one else judged.shown[number[judged.shown] == 0]
        if not one:
            names = tuple(judged.docs[d] for d in docs)
            unknown = np.full((len(docs), len(docs)), np.nan)
            zeros = np.zeros(len(docs), dtype=np.int64)
            yield Part(0, names, zeros, unknown[0], unknown, 1.0, math.inf, 0.0, True)
            continue
        own = number[judged.left] == one
        position = np.searchsorted(docs, judged.left[own]), np.searchsorted(docs, judged.right[own])
        _, who = np.unique(judged.assessor[own], return_inverse=True)
        names = tuple(judged.docs[d] for d in docs)
        yield _part(one, names, *position, judged.outcome[own], who.ravel(), ties, prior)


def _part(
    number: int,
    docs: tuple[str, ...],
    left: Longs,
    right: Longs,
    outcome: Floats,
    who: Longs,
    ties: str,
    prior: float,
) -> Part:
    n = len(docs)
    wins = _wins(left, right, outcome, n)
    played = np.rint((wins + wins.T).sum(-1)).astype(np.int64)
    tied = float((outcome == 0.5).sum())
    bounded = _is_bounded(wins)
    if not prior and not (bounded and tied < len(outcome)):
        unknown = np.full((n, n), np.nan)
        return Part(number, docs, played, unknown[0], unknown, 1.0, math.inf, 0.0, bounded)
    found = fit(wins, prior, tied if ties == "davidson" else 0.0)
    centred = np.eye(n) - 1 / n
    covariance = centred @ np.linalg.inv(found.information)[:n, :n] @ centred
    o = _outcomes(found.theta[left] - found.theta[right], found.nu)
    # Half a win varies less than a win or a loss: the variance of outcomes is bend - ¼ P(tie).
    ordinary = 1.0 if ties == "davidson" else float(1 - tied / (4 * o.bend.sum() + 1))
    excess, freedom = _excess(covariance, o, left, right, outcome, who, ordinary)
    order = np.argsort(-found.theta, kind="stable")  # equal strengths stay in the order of the documents
    return Part(
        number,
        tuple(docs[i] for i in order),
        played[order],
        rounded(found.theta - found.theta.mean())[order],
        ordinary * covariance[np.ix_(order, order)],
        excess,
        freedom,
        found.nu,
        bounded,
    )


def _excess(
    covariance: Floats,
    o: _Outcomes,
    left: Longs,
    right: Longs,
    outcome: Floats,
    who: Longs,
    ordinary: float,
) -> tuple[float, float]:
    """φ and its degrees of freedom

    φ = Σ_a g_a' V g_a / (Σ_k h_k - Σ_a h_a² / r_a): with V the covariance if judgments were independent, g_a
    the sum of what the judgments of assessor a add to the gradient, h_k the leverage of a judgment, h_a of an
    assessor, and r_a the smaller of the judgments of the assessor and D - 1. If judgments were independent,
    the expectation of the sum above would be the sum below. Tastes make it larger.
    """
    from scipy.sparse import coo_array

    n, people = len(covariance), int(who.max(initial=0)) + 1
    if people < 2 or n < 2:
        return 1.0, math.inf
    rest = outcome - 0.5 - o.slope
    places = np.concatenate((who, who)), np.concatenate((left, right))
    g = coo_array((np.concatenate((rest, -rest)), places), (people, n)).tocsr()
    own = np.diagonal(covariance)
    h = o.bend * (own[left] + own[right] - 2 * covariance[left, right])
    of_assessor, times = np.bincount(who, h), np.bincount(who)
    lost = float((of_assessor**2 / np.minimum(times, n - 1)).sum())
    found = float(((g.T @ g).toarray() * covariance).sum())
    freedom = max(1, min((people - 1) * (n - 1), len(outcome) - n + 1))
    return found / max(ordinary * (float(h.sum()) - lost), np.finfo(float).tiny), float(freedom)


def _is_bounded(wins: Floats) -> bool:
    """Whether a path of wins or ties leads from every document to every other one (Ford 1957)."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    return bool(connected_components(csr_array(wins > 0), connection="strong")[0] == 1)


def sigmoid(x: Floats) -> Floats:
    """1 / (1 + e^-x), without overflow."""
    return np.asarray(0.5 * (1 + np.tanh(x / 2)))


def rounded(values: Floats) -> Floats:
    """Rounded, so that values that differ only by rounding are equal."""
    return np.round(values / _TIE) * _TIE + 0.0  # no -0
