"""What the label of one document does to the scores of runs, if labels of the others are only predicted.

θ is the score of a run on a topic, Y the labels of people. With s the labelled documents and P the
predictions for all others, m = E[θ(Y)] with the labels of s fixed. For a labelled document i with label y_i,

φ_i(k) = E[θ | other labels of s, Y_i = k] - Σ_j P_i(j) E[θ | other labels of s, Y_i = j],  φ_i = φ_i(y_i)

is what the label told us. `rankprism.judges.estimation` estimates θ by m + Σ_s (1/π_i - 1) φ_i.

A measure made of parts is a sum over documents, divided by a number that depends on the topic alone. The sum
is a straight line in the gain of each document, so its slope gives the effect of all labels of the document.
If the divisor does not depend on labels, and the sum is a straight line in all gains or a cascade, then
expected gains give the expectation exactly. Otherwise it is a mean over draws of Y. A measure that is not
made of parts scores draws of Y with every label of the document in turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from rankprism.data import NOWHERE, Bools, Floats, Hits, Ints, Longs, Pool
from rankprism.errors import MeasureError
from rankprism.judging.judges.labels import Labels
from rankprism.judging.judges.pool import Ranked
from rankprism.judging.judges.prediction import Predicted
from rankprism.measures import Measure, ratio
from rankprism.measures.family import Sum
from rankprism.measures.parts import Parts

#: The number of draws of the labels that nobody has given.
DRAWS = 30
#: The number of draws to find out what labels decide.
GUESSES = 8
#: The number of grades that are in memory at once.
AT_ONCE = 1 << 21


class Effects(NamedTuple):
    """What is known about the scores by one measure."""

    mean: Floats  #: (run, topic) m
    phi: Floats  #: (labelled pair, run) φ_i
    #: (labelled pair, level, run) φ_i(k); if labels are made up, (pair, level, 1) √(Σ_r φ_i(k)²)
    at: Floats
    matters: Bools  #: (pair,) whether the label of a pair can change a score
    linear: bool  #: whether scores are Σ w_i g_i, so that the estimate is unbiased
    #: whether the estimate is nearly unbiased only if the predictions are good
    curved: bool = False
    #: (topic, draw, run) if `at` has the effects in each draw: how far its score is from m
    noise: Floats | None = None


class Lists(NamedTuple):
    """The rankings of a topic by all runs, reduced to the pairs of the pool."""

    rank: Ints  #: (run, place)
    doc: Ints  #: (run, place) the document, numbered within the topic; -1 where there is none
    length: Ints  #: (run,) documents retrieved
    place: Ints  #: (run, document) where a document is among the places; -1 if it is not there


def lists_of(labels: Labels, ranked: Ranked, cutoff: int | None) -> list[Lists]:
    """The rankings of each topic, down to the cutoff. All measures with this cutoff share them."""
    if cutoff not in ranked.lists:
        ranked.lists[cutoff] = list(_lists(labels, ranked, cutoff))
    return ranked.lists[cutoff]


def _lists(labels: Labels, ranked: Ranked, cutoff: int | None) -> Iterator[Lists]:
    """Yield the rankings of each topic."""
    kept = np.ones(len(ranked.rank), dtype=bool) if cutoff is None else ranked.rank <= cutoff
    run, pair, rank = ranked.run[kept], ranked.pair[kept], ranked.rank[kept]
    topic = labels.topic[pair]
    order = np.lexsort((rank, run, topic))
    run, pair, rank, topic = run[order], pair[order], rank[order], topic[order]
    ends = np.searchsorted(topic, np.arange(len(labels.topics) + 1))
    runs = len(ranked.runs)
    for t, (first, last) in enumerate(pairwise(ends.tolist())):
        here, docs = slice(first, last), int(labels.start[t + 1] - labels.start[t])
        count = np.bincount(run[here], minlength=runs)
        column = np.arange(last - first) - np.repeat(np.cumsum(count) - count, count)
        wide = max(1, int(count.max(initial=0)))
        ranks = np.full((runs, wide), NOWHERE, dtype=np.int32)
        doc = np.full((runs, wide), -1, dtype=np.int32)
        place = np.full((runs, docs), -1, dtype=np.int32)
        own = pair[here] - labels.start[t]
        ranks[run[here], column], doc[run[here], column] = rank[here], own
        place[run[here], own] = column
        yield Lists(ranks, doc, ranked.length[:, t].astype(np.int32), place)


def sum_of(measure: Measure) -> Sum | None:
    """The form of a measure whose sum is a straight line in the gain of each document, or None."""
    form = measure.declared
    return form if isinstance(form, Sum) and form.is_straight else None


def of_retrieved(measure: Measure, labels: Labels) -> Parts | None:
    """The parts of a measure of several aspects that depends only on labels of documents in the rankings.

    Such a score is a straight line in what each document adds and leaves to each aspect. None: the measure
    divides by an ideal, or the labels decide which aspects count.
    """
    parts = measure.form.parts
    if parts is None or measure.definition.single:
        return None
    cells = labels.source.cells
    known = cells.counted is not None or (parts.as_given and cells.weights is not None)
    return parts if parts.gain.is_fixed and known and parts.over in ("none", "everything") else None


def effects(
    measure: Measure, labels: Labels, ranked: Ranked, predicted: Predicted, seed: int, guessing: bool = False
) -> Effects:
    """What labels do to the scores of all runs by a measure.

    guessing : the labels of people are made up, to see what labels would do. No label is then fixed while
        another is tried.
    """
    check(measure)
    form = sum_of(measure)
    if form is None or labels.has_aspects:
        from rankprism.judging.judges.rescoring import rescored_effects

        return rescored_effects(measure, labels, ranked, predicted, seed, guessing)
    return _of_sum(form, labels, ranked, predicted, seed, guessing)


def check(measure: Measure) -> None:
    """Refuse a measure whose score cannot be estimated."""
    if measure.needs != "judgments":
        raise MeasureError(f"{measure} needs preferences, but judges and people give labels; leave it out")
    if measure.is_condensed:
        raise MeasureError(
            f"{measure} leaves out unjudged documents, but here every document of the pool has a label or a "
            f"prediction; leave out judged_only"
        )


def _of_sum(
    form: Sum, labels: Labels, ranked: Ranked, predicted: Predicted, seed: int, guessing: bool
) -> Effects:
    levels = predicted.levels
    gains = form.parts.gain(np.maximum(levels, 0.0)[None, None, :], np.zeros((1, 1)))[0, 0]
    label = labels.people[:, 0]
    sampled = np.flatnonzero(~np.isnan(label))
    given = np.searchsorted(levels, label[sampled])
    mean = np.zeros((len(ranked.runs), len(labels.topics)))
    at = np.zeros((len(sampled), len(levels), 1 if guessing else len(ranked.runs)))
    first = np.searchsorted(sampled, labels.start)
    matters = np.ones(len(label), dtype=bool)
    for t, lists in enumerate(lists_of(labels, ranked, form.cutoff)):
        pairs = slice(labels.start[t], labels.start[t + 1])
        here = slice(first[t], first[t + 1])
        own = sampled[here] - labels.start[t]
        if not form.divides_by_labels:
            matters[pairs] = (lists.place >= 0).any(0)
        chance = predicted.chance[pairs]
        if form.is_multilinear:
            y, g = None, (chance @ gains)[None]
        else:
            y = drawn(chance, np.random.default_rng([seed, 3, t]), GUESSES if guessing else DRAWS)
            g = gains[y]
        if not guessing:
            g[:, own] = gains[given[here]]
            if y is not None:
                y[:, own] = given[here]
        sums, slopes = sums_and_slopes(form, lists, g)
        over = _divisors(form, lists, levels, y, own)
        mean[:, t] = ratio(sums, over[0]).mean(0)
        if len(own):
            place = lists.place[:, own]  # (run, labelled)
            slope = np.where(place >= 0, np.take_along_axis(slopes, np.maximum(place, 0)[None], 2), 0.0)
            moved = gains - g[:, own, None]  # (draw, labelled, level)
            # The mean over draws of (sum + slope * moved) / divisor, (run, labelled, level)
            share = ratio(np.ones(()), over[1]) / len(g)
            theta = np.einsum("dr,drlk->rlk", sums, share) + np.einsum(
                "drl,dlk,drlk->rlk", slope, moved, share
            )
            theta -= (theta * chance[own]).sum(2, keepdims=True)
            at[here] = summed(theta.transpose(1, 2, 0)) if guessing else theta.transpose(1, 2, 0)
    phi = np.take_along_axis(at, given[:, None, None], 1)[:, 0]
    return Effects(mean, phi, at, matters, form.is_linear, form.is_curved)


def summed(effect: Floats) -> Floats:
    """(…, 1) the root of the sum of squares over runs.

    Every pair of a pool has made-up labels while a design is made, and a number for each run would not fit
    into memory.
    """
    return np.asarray(np.sqrt((effect**2).sum(-1, keepdims=True)))


def drawn(chance: Floats, rng: np.random.Generator, draws: int = DRAWS) -> Longs:
    """(draw, cell) labels drawn from their probabilities, as numbers of levels."""
    ends = np.cumsum(chance[:, :-1], axis=1)
    u = rng.random((draws, len(chance)))
    return np.asarray((u[:, :, None] > ends).sum(2))


def sums_and_slopes(form: Sum, lists: Lists, g: Floats) -> tuple[Floats, Floats]:
    """(draw, run) the sum of a measure, and (draw, run, place) its slope in the gain of each document."""
    here = lists.doc >= 0
    return form.slopes(lists.rank, np.where(here, g[:, np.maximum(lists.doc, 0)], 0.0))


def _divisors(form: Sum, lists: Lists, levels: Floats, y: Longs | None, own: Longs) -> tuple[Floats, Floats]:
    """What sums are divided by: (draw, run), and (draw, run, labelled, level) with a label changed."""
    if not form.divides_by_labels:
        depth = np.full(len(lists.length), form.cutoff) if form.cutoff else lists.length
        k = depth.astype(np.float64) if form.parts.over == "depth" else np.ones(len(depth))
        return k[None], k[None, :, None, None]
    assert y is not None
    as_drawn = _of_pools(form, lists, levels[y])
    draws, docs = y.shape
    K = len(levels)
    # A divisor depends on how many documents have each label, not on which: so a label is changed once for
    # all documents that have it.
    number = (y[:, :, None] == np.arange(K)).sum(1)
    moved = number[:, None, None] + np.eye(K, dtype=int)[None, None] - np.eye(K, dtype=int)[None, :, None]
    possible = np.flatnonzero((moved >= 0).all(3))
    changed = moved.reshape(-1, K)[possible]
    found = np.full((draws * K * K, as_drawn.shape[1]), np.nan)
    step = max(1, AT_ONCE // max(1, docs))
    for first in range(0, len(possible), step):
        some = changed[first : first + step]
        label = np.repeat(np.tile(np.arange(K), len(some)), some.ravel()).reshape(len(some), docs)
        found[possible[first : first + step]] = _of_pools(form, lists, levels[label])
    of_labels = found.reshape(draws, K, K, -1)[np.arange(draws)[:, None], y[:, own]]
    return as_drawn, np.moveaxis(of_labels, 3, 1)


def _of_pools(form: Sum, lists: Lists, grades: Floats) -> Floats:
    """(topic, run) the divisor of made-up topics, from grades (topic, document).

    If it is the same for all runs, there is one.
    """
    pool = Pool.single(np.maximum(grades, 0.0))
    n, runs = len(grades), len(lists.length)
    if form.parts.over in ("relevant", "per-aspect"):  # it is the same for all runs
        runs = 1
    none = np.zeros((n * runs, 0), dtype=np.int32)
    length = np.tile(lists.length[:runs], n)
    topic = np.repeat(np.arange(n), runs)
    hits = Hits(none, np.zeros((n * runs, 1, 0)), length, topic, pool, none, none)
    divisor = form.divisor(hits)
    assert divisor is not None
    return divisor[:, 0].reshape(n, runs)
