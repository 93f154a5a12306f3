"""Bradley and Terry's model: one strength for each document, from who beat whom.

P(i beats j) = σ(θ_i - θ_j), σ(x) = 1 / (1 + e^-x). A tie is half a win for each. The judgments alone say
nothing of two groups of documents that were never compared, and make a document that always won infinitely
strong. So every document gets `prior` more comparisons, half of them won, with an imaginary document of
strength 0. Then there is always one answer, and a
document without judgments has strength 0.

The way to `Compat`: `order` puts the documents of each topic in order, by strength or by their
share of wins, and returns the order as graded judgments.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

import numpy as np

from rankprism._core import JudgmentTable, solve_spd
from rankprism.arrays import Floats, Longs
from rankprism.data.judgments import Judgments
from rankprism.data.note import Note, issue
from rankprism.errors import InputError, one_of
from rankprism.foreign import quoted
from rankprism.measures.parts import ratio
from rankprism.measures.preferences.utility import NONE, Shown, shown_by_topic
from rankprism.results.result import Result
from rankprism.results.table import Table
from rankprism.types import Decider

#: Strengths and shares that differ by less are equal.
_TIE = 1e-9
_STEPS = 100


@dataclass(frozen=True, eq=False)
class Strengths:
    """The documents of one topic that were shown, the strongest first."""

    docs: tuple[str, ...]
    strength: Floats  #: θ
    error: Floats  #: its standard error
    utility: Floats  #: σ(θ): the chance to beat a document of strength 0
    low: Floats  #: of the utility
    high: Floats
    judgments: Longs  #: how many comparisons each document was in
    #: which documents were compared with each other, directly or through others; 0: with none
    part: Longs


@dataclass(frozen=True, eq=False)
class BradleyTerry(Result):
    """Made by `strengths`."""

    topics: Mapping[str, Strengths]
    about: Mapping[str, Any] = field(repr=False)

    @property
    def summary(self) -> Table:
        """Every document of every topic, with the interval of its utility."""
        every = [(topic, one, i) for topic, one in self.topics.items() for i in range(len(one.docs))]
        several = any(one.part.max(initial=0) > 1 for one in self.topics.values())
        parts = {"part": [one.part[i] for _, one, i in every]} if several else {}
        return Table(
            {
                "topic": [topic for topic, _, _ in every],
                "document": [one.docs[i] for _, one, i in every],
                **parts,
                "judgments": [one.judgments[i] for _, one, i in every],
                "strength": [one.strength[i] for _, one, i in every],
                "error": [one.error[i] for _, one, i in every],
                "utility": [one.utility[i] for _, one, i in every],
                "low": [one.low[i] for _, one, i in every],
                "high": [one.high[i] for _, one, i in every],
            },
            digits=3,
        )


def strengths(preferences: Any, *, prior: float = 1.0, level: float = 0.95) -> BradleyTerry:
    """Strengths of the documents of each topic, with intervals.

    The simple pairs of a topic are used; a topic that has none is judged by its triplets, whatever was given.
    Where documents fall into parts that were never compared, a note says so, and the table names the parts.

    preferences : whatever `read_preferences` takes.
    prior : how many imaginary comparisons, half of them won, each document has with one of strength 0.
    level : of the intervals, which come from the curvature of the likelihood at its maximum.

    >>> rows = [("q", "", "a", "b", "left"), ("q", "", "b", "c", "left"), ("q", "", "a", "c", "tie")]
    >>> print(strengths(rows))
    topic  document  judgments  strength  error  utility    low   high
    ──────────────────────────────────────────────────────────────────
    q      a                 2     0.528  1.475    0.629  0.086  0.968
    q      b                 2     0.000  1.438    0.500  0.056  0.944
    q      c                 2    -0.528  1.475    0.371  0.032  0.914
    """
    from rankprism.formats.preferences import read_preferences

    _check_prior(prior)
    if not 0 < level < 1:
        raise InputError(f"level must be between 0 and 1; got {level}")
    read = read_preferences(preferences)
    z = NormalDist().inv_cdf((1 + level) / 2)
    topics = {topic: _strengths(shown, prior, z) for topic, shown in shown_by_topic(read).items()}
    notes = unconnected({topic: int(one.part.max(initial=0)) for topic, one in topics.items()})
    issue(notes)
    return BradleyTerry(
        topics=topics,
        about={
            "preferences": read.source,
            "model": "Bradley–Terry",
            "prior": prior,
            "level": level,
            "ties": "half",
            "notes": [note.record() for note in (*read.named.notes, *notes)],
        },
    )


def _strengths(shown: Shown, prior: float, z: float) -> Strengths:
    wins = wins_matrix(shown)
    theta = fit(wins, prior)
    # Rounded like the strengths: the last bits of the inverse depend on the number of threads of some BLAS.
    error = _rounded(np.sqrt(np.diagonal(covariance(theta, wins, prior))))
    played = np.rint((wins + wins.T).sum(-1)).astype(np.int64)
    # Equal strengths stay in the order of the documents, by id descending.
    order = np.argsort(-theta, kind="stable")
    order = order[shown.pool[order]]
    theta, error = theta[order], error[order]
    return Strengths(
        tuple(shown.docs[i] for i in order),
        theta,
        error,
        sigmoid(theta),
        sigmoid(theta - z * error),
        sigmoid(theta + z * error),
        played[order],
        parts_of(shown)[order],
    )


def parts_of(shown: Shown) -> Longs:
    """(D,) the number of the part that each document is in, from 1; 0 for a document without a comparison.

    Documents of one part were compared with each other, directly or through others.
    """
    left, right, _ = _used(shown)
    part = np.arange(len(shown.docs))
    while True:  # documents take the smallest number among those that they were compared with
        smaller = part.copy()
        np.minimum.at(smaller, left, part[right])
        np.minimum.at(smaller, right, part[left])
        smaller = smaller[smaller]  # and the number that the owner of this number has taken
        if (smaller == part).all():
            break
        part = smaller
    compared = np.zeros(len(part), dtype=bool)
    compared[left] = compared[right] = True
    numbers = np.zeros(len(part), dtype=np.int64)
    numbers[compared] = np.unique(part[compared], return_inverse=True)[1].ravel() + 1
    return numbers


def unconnected(parts: Mapping[str, int]) -> list[Note]:
    """A note about topics whose documents fall into parts that were never compared. `parts`: by topic."""
    found = {topic: count for topic, count in parts.items() if count > 1}
    if not found:
        return []
    topic, count = next(iter(found.items()))
    others = f" ({len(found)} of {len(parts)} topics are like that)" if len(found) > 1 else ""
    return [
        Note(
            "unconnected-documents",
            f"the documents of topic {quoted(topic)} fall into {count} parts that were never compared with "
            f"each other{others}, so no judgment puts them on one scale. Compare documents within a part "
            f"only, or judge pairs that join the parts",
            len(found),
            topic,
        )
    ]


def _used(shown: Shown) -> tuple[Longs, Longs, Floats]:
    """Left, right and outcome of the comparisons that count: the simple pairs, or all if there are none."""
    c = shown.comparisons
    used = c.given == NONE
    if not used.any():
        used = np.ones(len(c.given), dtype=bool)
    return c.left[used], c.right[used], c.outcome[used]


def wins_matrix(shown: Shown) -> Floats:
    """(D, D) how often the first document beat the second one; a tie is half a win for each."""
    n = shown.square
    left, right, outcome = _used(shown)
    wins = np.bincount(left * n + right, outcome, n * n) + np.bincount(right * n + left, 1 - outcome, n * n)
    return np.asarray(wins.reshape(n, n))


def fit(wins: Floats, prior: float) -> Floats:
    """(D,) the strengths that make these (D, D) wins most likely

    Newton's method on Σ_ij w_ij log σ(θ_i - θ_j) + prior/2 Σ_i (log σ(θ_i) + log σ(-θ_i)), which has one
    maximum.
    """
    met, won = wins + wins.T, wins.sum(-1)
    theta = np.zeros(len(wins))
    value = _log_likelihood(theta, wins, prior)
    for _ in range(_STEPS):
        chance = sigmoid(theta[:, None] - theta)
        slope = won - (met * chance).sum(-1) + prior * (0.5 - sigmoid(theta))
        step = solve_spd(_curvature(theta, chance, met, prior), slope)
        size = 1.0
        # A full step may go too far at first; near the maximum, only rounding makes it look worse.
        while (now := _log_likelihood(theta + size * step, wins, prior)) < value - 1e-9 * abs(value):
            size /= 2
        theta, value = theta + size * step, now
        if np.abs(step).max(initial=0.0) < 1e-9:
            break
    return _rounded(theta)


def covariance(theta: Floats, wins: Floats, prior: float) -> Floats:
    """(D, D) of the strengths: the inverse of the curvature of the log likelihood at its maximum"""
    chance = sigmoid(theta[:, None] - theta)
    return np.asarray(np.linalg.inv(_curvature(theta, chance, wins + wins.T, prior)), dtype=np.float64)


def _curvature(theta: Floats, chance: Floats, met: Floats, prior: float) -> Floats:
    weight = met * chance * (1 - chance)
    own = sigmoid(theta)
    return np.diag(weight.sum(-1) + prior * own * (1 - own)) - weight


def _log_likelihood(theta: Floats, wins: Floats, prior: float) -> float:
    pairs = wins * np.logaddexp(0, theta - theta[:, None])
    return float(-pairs.sum() - prior / 2 * (np.logaddexp(0, theta) + np.logaddexp(0, -theta)).sum())


def sigmoid(x: Floats) -> Floats:
    """1 / (1 + e^-x), without overflow."""
    return np.asarray(0.5 * (1 + np.tanh(x / 2)))


def _rounded(values: Floats) -> Floats:
    """So that what differs by rounding only is equal."""
    return np.round(values / _TIE) * _TIE + 0.0  # no -0


def _check_prior(prior: float) -> None:
    if not 0 < prior < math.inf:
        raise InputError(f"prior must be above 0, so that no strength is infinite; got {prior}")


# ── the order as judgments ───────────────────────────────────────────────────────────────────────


def order(preferences: Any, *, by: Decider = "bradley-terry", prior: float = 1.0) -> Judgments:
    """The documents of each topic in order of preference, as graded judgments.

    The last document has grade 1, the one before it 2, and so on; equal ones have the same grade. `Compat`
    reads them: its ideal ranking has the documents in descending order of grades.

    by : "bradley-terry", or "wins": the share of its comparisons that a document won, a tie being half a win.
    prior : of Bradley–Terry.

    >>> from rankprism import evaluate
    >>> judged = order([("q", "", "a", "b", "left"), ("q", "", "b", "c", "left")])
    >>> print(evaluate(judged, {"q": {"a": 3, "c": 2, "b": 1}}, "Compat"))
    run  Compat
    ───────────
    run  0.8335
    """
    from rankprism.formats.preferences import read_preferences

    one_of("by", by, Decider)
    _check_prior(prior)
    read = read_preferences(preferences)
    rows: list[tuple[str, str, float]] = []
    topics_shown = shown_by_topic(read)
    notes = unconnected({t: int(parts_of(shown).max(initial=0)) for t, shown in topics_shown.items()})
    for topic, shown in topics_shown.items():
        wins = wins_matrix(shown)
        if by == "bradley-terry":
            worth = fit(wins, prior)
        else:
            worth = _rounded(ratio(wins.sum(-1), (wins + wins.T).sum(-1)))
        _, grade = np.unique(worth[shown.pool], return_inverse=True)
        docs = [shown.docs[i] for i in np.flatnonzero(shown.pool)]
        rows += [(topic, doc, float(g) + 1) for doc, g in zip(docs, grade.ravel(), strict=True)]
    topics, named, grades = zip(*rows, strict=True)
    table = JudgmentTable.from_columns(
        read.source, list(topics), ["0"] * len(rows), list(named), np.array(grades)
    )
    return Judgments(table, read.source, notes=read.named.notes).noting(notes)
