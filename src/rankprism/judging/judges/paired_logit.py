"""Bradley and Terry's model with covariates, and how much its coefficients vary over topics.

P(the first item is preferred) = σ(θ_i - θ_j + x'γ), σ(η) = 1 / (1 + e^-η). i and j are the two items, and x
has the differences of their covariates, or 1 for the side. A tie is half a win. As in
`rankprism.preferences.bradley_terry`, every item gets `prior` more comparisons, half of them won, with an
imaginary item of strength 0.

The maximum solves Σ z (y - p) = 0, up to the prior. z is the row of an answer in the design: 1 for i, -1 for
j, and x. This is linear in the answers y. So y may be any number with the right expectation, such as a
prediction that was corrected by a sample (`system_strengths`), and the variance comes from the
answers, not from the model.

Answers to one topic have something in common, so topics are the units. With u_t the sum of z (y - p) over the
answers to topic t, H_t what they add to the curvature, and H the curvature of all, the coefficients without
topic t are about β - δ_t with δ_t = (H - H_t)⁻¹ u_t, and the jackknife over n topics gives the variance
(n-1)/n Σ δ_t δ_t'. With more than `MANY` topics, one of them hardly changes H, and δ_t = H⁻¹ u_t.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rankprism.data import Floats, Longs
from rankprism.judging.preferences.bradley_terry import sigmoid

#: With more topics, H_t is left out.
MANY = 300
_STEPS = 60
#: Strengths beyond this have no maximum.
_FAR = 15.0


@dataclass(frozen=True, eq=False)
class Answers:
    """Comparisons of two items each. Without items, only covariates count."""

    first: Longs
    second: Longs
    outcome: Floats  #: 1 the first is preferred, 0 the second, ½ neither
    x: Floats  #: (answer, K)
    items: int = 0  #: the number of items that have strengths; 0: none

    @property
    def size(self) -> int:
        return self.items + int(self.x.shape[1])

    def merged(self) -> tuple[Answers, Floats]:
        """The same answers with equal rows merged, and how many each stands for.

        Only done if the covariates are constants such as the side, because other rows are hardly ever equal.
        """
        if not self.items or np.ptp(self.x, axis=0).any():
            return self, np.ones(len(self.outcome))
        n = self.items
        cell = self.first * n + self.second
        times = np.bincount(cell, minlength=n * n)
        at = np.flatnonzero(times)
        outcome = np.bincount(cell, self.outcome, n * n)[at] / times[at]
        x = np.repeat(self.x[:1], len(at), axis=0)
        return Answers(at // n, at % n, outcome, x, n), times[at].astype(np.float64)


@dataclass(frozen=True, eq=False)
class Fitted:
    """Where the likelihood has its maximum."""

    answers: Answers
    beta: Floats  #: the strengths of items, and then γ
    curvature: Floats  #: H
    converged: bool  #: False if there is no maximum

    @property
    def gamma(self) -> Floats:
        return self.beta[self.answers.items :]

    @property
    def centred(self) -> Floats:
        """(item,) strengths minus their mean"""
        theta = self.beta[: self.answers.items]
        return np.asarray(theta - theta.mean())

    @cached_property
    def chance(self) -> Floats:
        """(answer,) p"""
        return sigmoid(_eta(self.answers, self.beta))

    @cached_property
    def inverse(self) -> Floats:
        return np.asarray(np.linalg.pinv(self.curvature, hermitian=True), dtype=np.float64)


def fit(answers: Answers, prior: float = 0.0, ridge: float = 0.0) -> Fitted:
    """The coefficients that make the answers most likely, by Newton's method.

    ridge : half the penalty for the sum of squares of all coefficients, for predictions.

    >>> won = Answers(np.array([0, 0, 0, 1]), np.array([1, 1, 1, 0]), np.ones(4), np.empty((4, 0)), 2)
    >>> print(fit(won).centred.round(4), round(np.log(3) / 2, 4))
    [ 0.5493 -0.5493] 0.5493
    """
    rows, weight = answers.merged()
    beta = np.zeros(answers.size)
    value, slope, bend = _at(rows, weight, beta, prior, ridge)
    converged = not answers.size
    for _ in range(_STEPS):
        if converged:
            break
        step = (
            np.linalg.lstsq(bend, slope, rcond=1e-12)[0]
            if _is_singular(bend)
            else np.linalg.solve(bend, slope)
        )
        size = 1.0
        while (now := _at(rows, weight, beta + size * step, prior, ridge))[0] < value - 1e-9 * abs(value):
            size /= 2
            if size < 1e-6:
                break
        beta = beta + size * step
        value, slope, bend = now
        if np.abs(beta).max() > _FAR:
            break
        converged = bool(np.abs(step).max() < 1e-9)
    return Fitted(answers, beta, bend, converged)


def _is_singular(bend: Floats) -> bool:
    return bool(np.linalg.cond(bend) > 1e13)


def _eta(answers: Answers, beta: Floats) -> Floats:
    n = answers.items
    eta = answers.x @ beta[n:]
    return eta + beta[answers.first] - beta[answers.second] if n else eta


def _at(
    answers: Answers, weight: Floats, beta: Floats, prior: float, ridge: float
) -> tuple[float, Floats, Floats]:
    """The log likelihood, its gradient and its negative curvature."""
    n = answers.items
    eta = _eta(answers, beta)
    p = sigmoid(eta)
    value = float(weight @ (answers.outcome * eta - np.logaddexp(0.0, eta))) - ridge * float(beta @ beta)
    slope = _sums(answers, weight * (answers.outcome - p)) - 2 * ridge * beta
    bend = curvature(answers, weight * p * (1 - p)) + 2 * ridge * np.eye(len(beta))
    if n:
        own = sigmoid(beta[:n])
        value += prior / 2 * float((beta[:n] - 2 * np.logaddexp(0.0, beta[:n])).sum())
        slope[:n] += prior * (0.5 - own)
        bend[range(n), range(n)] += prior * own * (1 - own)
        if not prior and not ridge:
            bend[:n, :n] += 1 / n  # so that strengths keep their mean
    return value, slope, bend


def _sums(answers: Answers, r: Floats) -> Floats:
    """Σ z r"""
    n = answers.items
    found = answers.x.T @ r
    if not n:
        return np.asarray(found)
    won = np.bincount(answers.first, r, n) - np.bincount(answers.second, r, n)
    return np.concatenate((won, found))


def curvature(answers: Answers, w: Floats) -> Floats:
    """Σ z z' w"""
    n, k = answers.items, answers.x.shape[1]
    found = np.zeros((n + k, n + k))
    found[n:, n:] = answers.x.T @ (answers.x * w[:, None])
    if n:
        met = np.bincount(answers.first * n + answers.second, w, n * n).reshape(n, n)
        met = met + met.T
        found[:n, :n] = np.diag(met.sum(1)) - met
        for c in range(k):
            r = w * answers.x[:, c]
            found[:n, n + c] = np.bincount(answers.first, r, n) - np.bincount(answers.second, r, n)
        found[n:, :n] = found[:n, n:].T
    return found


# ── topics as units ──────────────────────────────────────────────────────────────────────────────


def influence(fitted: Fitted, topic: Longs, topics: int) -> Floats:
    """(topic, coefficient) δ_t: how much each topic moves the coefficients; γ only, if topics are many"""
    answers, r = fitted.answers, fitted.answers.outcome - fitted.chance
    if topics > MANY:
        return np.asarray(_by_topic(answers, r, topic, topics) @ fitted.inverse[:, answers.items :])
    w = fitted.chance * (1 - fitted.chance)
    order = np.argsort(topic, kind="stable")
    edges = np.searchsorted(topic[order], np.arange(topics + 1))
    found = np.zeros((topics, answers.size))
    for t in range(topics):
        at = order[edges[t] : edges[t + 1]]
        own = Answers(
            answers.first[at], answers.second[at], answers.outcome[at], answers.x[at], answers.items
        )
        rest = fitted.curvature - curvature(own, w[at])
        found[t] = np.linalg.lstsq(rest, _sums(own, r[at]), rcond=1e-10)[0]
    return found


def variance(delta: Floats) -> Floats:
    """The variance of the jackknife, from the influence (topic, …) of each topic."""
    n = len(delta)
    return np.asarray((n - 1) / n * (delta**2).sum(0))


def strength_covariance(fitted: Fitted, topic: Longs, topics: int) -> Floats:
    """(item, item) the covariance of the centred strengths over topics"""
    n = fitted.answers.items
    centre = np.eye(n) - 1 / n
    if topics <= MANY:
        delta = influence(fitted, topic, topics)[:, :n] @ centre
        return np.asarray((topics - 1) / topics * delta.T @ delta)
    u = _by_topic(fitted.answers, fitted.answers.outcome - fitted.chance, topic, topics)
    middle = u.T @ u
    middle = middle.toarray() if hasattr(middle, "toarray") else middle
    outer = centre @ fitted.inverse[:n]
    return np.asarray(topics / (topics - 1) * outer @ middle @ outer.T)


def _by_topic(answers: Answers, r: Floats, topic: Longs, topics: int) -> Any:
    """(topic, coefficient) u_t as a sparse matrix"""
    from scipy.sparse import coo_array

    n, k = answers.items, answers.x.shape[1]
    rows, columns, values = [], [], []
    if n:
        rows, columns, values = [topic, topic], [answers.first, answers.second], [r, -r]
    for c in range(k):
        rows.append(topic)
        columns.append(np.full(len(topic), n + c))
        values.append(r * answers.x[:, c])
    places = np.concatenate(rows), np.concatenate(columns)
    return coo_array((np.concatenate(values), places), (topics, n + k)).tocsr()
