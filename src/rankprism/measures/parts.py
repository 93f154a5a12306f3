"""The parts that measures are made of: gains, discounts, novelty, aspect weights.

Arrays are (ranking, aspect, document), see `rankprism.data.hits`; i is the rank of a document.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankprism.measures.measure import Parameter

if TYPE_CHECKING:
    from rankprism.data.hits import Floats, Hits, Ints, Pool

CUTOFF = Parameter(
    "cutoff", None, "how many documents from the top count; all without it", int, low=1, optional=True
)
REL = Parameter("rel", 1.0, "the lowest grade that counts as relevant", low=0, above_low=True)
ALPHA = Parameter("alpha", 0.5, "how much of an aspect's worth one document on it takes away", low=0, high=1)
JUDGED_ONLY = Parameter("judged_only", False, "leave unjudged documents out of the ranking first", bool)
WEIGHTED = Parameter("weighted", False, "use the given aspect weights", bool)
GAIN = Parameter(
    "gain",
    "binary",
    "what a grade is worth: 1 from rel on; the grade itself; 2^g - 1; or (2^g - 1) / 2^gmax, gmax the "
    "topic's highest grade on the aspect",
    str,
    choices=("binary", "linear", "exp", "probability"),
)


def pool_gain(pool: Pool, gain: str, rel: float) -> Floats:
    """(T, A, D) what each relevant document of the topic is worth on each aspect."""
    return pool.once(("gain", gain, rel), lambda: _gain(pool.grade, pool.grade, gain, rel))


def hit_gain(hits: Hits, gain: str, rel: float) -> Floats:
    """(N, A, H) what each document found is worth on each aspect."""
    return hits.once(("gain", gain, rel), lambda: _gain(hits.grade, hits.pool.grade[hits.topic], gain, rel))


def _gain(grade: Floats, judged: Floats, gain: str, rel: float) -> Floats:
    if gain == "binary":
        return (grade >= rel).astype(np.float64)
    if gain == "linear":
        return grade
    worth = np.exp2(grade) - 1
    if gain == "probability":
        worth /= np.exp2(judged.max(-1, keepdims=True, initial=0.0))
    return worth


def logarithmic(i: Ints) -> Floats:
    """1 / log2(i + 1)"""
    return np.asarray(1 / np.log2(i + 1.0))


def reciprocal(i: Ints) -> Floats:
    """1 / i"""
    return np.asarray(1.0 / i)


def geometric(i: Ints, p: float) -> Floats:
    """p^(i-1)"""
    return np.asarray(p ** (i - 1.0))


def discounted_sum(gain: Floats, discount: Floats) -> Floats:
    """(N, A) Σ_i gain_i · D(i), from gains (N, A, H) and discounts (N, H)"""
    total: Floats = np.einsum("nah,nh->na", gain, discount)
    return total


def expected(score: Floats, weight: Floats) -> Floats:
    """(N,) Σ_t w_t · score_t"""
    total: Floats = np.einsum("na,na->n", score, weight)
    return total


def seen(gain: Floats) -> Ints:
    """How many documents further up have something on the same aspect."""
    something = gain > 0
    count = np.cumsum(something, axis=-1, dtype=np.int32)
    count -= something
    return count


def decay(gain: Floats, alpha: float) -> Floats:
    """(1 - α)^seen: each document on an aspect takes its share α of what is left."""
    count = seen(gain)
    # There are few different counts: a table look-up is ten times faster than as many powers.
    return np.power(1 - alpha, np.arange(count.max(initial=0) + 1.0))[count]


def cascade(gain: Floats) -> Floats:
    """Π_{j<i} (1 - g_j): the chance that nothing further up has satisfied the user."""
    left = np.ones_like(gain)
    np.cumprod(1 - gain[..., :-1], axis=-1, out=left[..., 1:])
    return left


def aspect_weights(hits: Hits, gain: str, rel: float, weighted: bool) -> Floats:
    """(N, A) weights that sum to 1 over the topic's aspects with anything relevant; 0 for the others."""
    return live_weights(hits.pool, gain, rel, weighted)[hits.topic]


def live_weights(pool: Pool, gain: str, rel: float, weighted: bool) -> Floats:
    """(T, A), see `aspect_weights`."""

    def weights() -> Floats:
        live = (pool_gain(pool, gain, rel) > 0).any(-1)
        weight: Floats = live * (pool.weight if weighted else np.ones_like(pool.weight))
        return ratio(weight, weight.sum(-1, keepdims=True))

    return pool.once(("weights", gain, rel, weighted), weights)


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """numerator / denominator, and 0 where there is nothing to divide by."""
    denominator = np.broadcast_to(denominator, np.broadcast_shapes(numerator.shape, denominator.shape))
    return np.divide(numerator, denominator, out=np.zeros(denominator.shape), where=denominator != 0)
