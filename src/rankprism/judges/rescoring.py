"""Effects of labels on the scores by any measure: draws of all labels are scored by the measure itself."""

from __future__ import annotations

import numpy as np

from rankprism.arrays import Floats
from rankprism.data.hits import Hits, Pool
from rankprism.judges.effects import AT_ONCE, Effects, Lists, drawn, lists_of, summed
from rankprism.judges.labels import Labels
from rankprism.judges.pool import Ranked
from rankprism.judges.prediction import Predicted, known_cells
from rankprism.measures.measure import Measure

#: The number of draws of all labels, and of label vectors of a document if topics have several aspects.
DRAWS, VECTORS = 12, 8


def rescored_effects(
    measure: Measure, labels: Labels, ranked: Ranked, predicted: Predicted, seed: int, guessing: bool = False
) -> Effects:
    """What labels do to the scores of all runs.

    With one aspect, every level is tried. With several aspects, the labels of a document are a vector, and
    vectors are drawn from the predictions.
    """
    pair, _ = known_cells(labels)
    starts = np.searchsorted(pair, labels.start)
    levels = predicted.levels
    sampled = np.flatnonzero(~np.isnan(labels.people).all(1))
    first = np.searchsorted(sampled, labels.start)
    single = labels.people.shape[1] == 1
    tried = len(levels) if single else VECTORS
    mean = np.zeros((len(ranked.runs), len(labels.topics)))
    at = np.zeros((len(sampled), tried, 1 if guessing else len(ranked.runs)))
    phi = np.zeros((len(sampled), len(ranked.runs)))
    for t, lists in enumerate(lists_of(labels, ranked, measure.cutoff)):
        cells = slice(starts[t], starts[t + 1])
        docs = int(labels.start[t + 1] - labels.start[t])
        number = len(labels.aspects[t])
        rng = np.random.default_rng([seed, 3, t])
        chance = predicted.chance[cells]
        free = levels[drawn(chance, rng, DRAWS)].reshape(DRAWS, docs, number)
        people = labels.people[labels.start[t] : labels.start[t + 1], :number]
        y = free if guessing else np.where(np.isnan(people), free, people)
        mean[:, t] = _scores(measure, lists, y, labels, t).mean(0)
        for place in range(first[t], first[t + 1]):
            d = int(sampled[place] - labels.start[t])
            if single:
                vectors, weight = levels[:, None], chance[d]
            else:
                own = chance.reshape(docs, number, -1)[d]
                vectors = levels[drawn(own, rng, VECTORS)]
                weight = np.full(VECTORS, 1 / VECTORS)
            observed = people[d]
            every = vectors if single else np.concatenate([vectors, observed[None]])
            changed = np.repeat(y[None], len(every), 0)  # (vector, draw, document, aspect)
            changed[:, :, d] = every[:, None]
            theta = _scores(measure, lists, changed.reshape(-1, docs, number), labels, t)
            theta = theta.reshape(len(every), DRAWS, -1).mean(1)  # (vector, run)
            expected = weight @ theta[: len(vectors)]
            effect = theta[: len(vectors)] - expected
            at[place] = summed(effect) if guessing else effect
            found = theta[int(np.searchsorted(levels, observed[0]))] if single else theta[-1]
            phi[place] = found - expected
    return Effects(mean, phi, at, np.ones(len(labels.docs), dtype=bool), linear=False, curved=True)


def _scores(measure: Measure, lists: Lists, y: Floats, labels: Labels, topic: int) -> Floats:
    """(draw, run) the scores of rankings with grades (draw, document, aspect)."""
    found = [_of_some(measure, lists, some, labels, topic) for some in _in_steps(y, lists)]
    return np.concatenate(found)


def _in_steps(y: Floats, lists: Lists) -> list[Floats]:
    step = max(1, AT_ONCE // (lists.doc.size * y.shape[2] + y[0].size))
    return [y[first : first + step] for first in range(0, len(y), step)]


def _of_some(measure: Measure, lists: Lists, y: Floats, labels: Labels, topic: int) -> Floats:
    draws, _, number = y.shape
    runs, wide = lists.doc.shape
    grade = np.maximum(np.moveaxis(y, 2, 1), 0.0)  # (draw, aspect, document)
    cells = labels.source.cells
    weight = np.ones((draws, number))
    navigational = np.zeros((draws, number), dtype=bool)
    pool = Pool(np.ascontiguousarray(grade), weight, navigational, weighted=False)
    if number > 1 and cells.weights is not None:
        pool = _weighted(pool, labels, topic)
    here = lists.doc >= 0
    hit = np.where(here, grade[:, :, np.maximum(lists.doc, 0)], 0.0)  # (draw, aspect, run, place)
    hit = np.ascontiguousarray(np.moveaxis(hit, 2, 1).reshape(draws * runs, number, wide))
    rank = np.tile(lists.rank, (draws, 1))
    hits = Hits(
        rank,
        hit,
        np.tile(lists.length, draws),
        np.repeat(np.arange(draws), runs),
        pool,
        np.tile(np.where(here, np.cumsum(here, axis=1), lists.rank).astype(np.int32), (draws, 1)),
        rank,
    )
    return measure.score(hits).reshape(draws, runs)


def _weighted(pool: Pool, labels: Labels, topic: int) -> Pool:
    """The same pool with the weights that the judgments of people have for this topic."""
    cells, name = labels.source.cells, labels.topics[topic]
    given = labels.source.topics.index(name) if name in labels.source.topics else None
    if given is None or cells.weights is None:
        return pool
    start = cells.aspect_start
    own = dict(zip(labels.source.aspects[name], cells.weights[start[given] : start[given + 1]], strict=True))
    weight: Floats = np.array([own.get(aspect, 0.0) for aspect in labels.aspects[topic]])
    shape = pool.weight.shape
    return Pool(pool.grade, np.broadcast_to(weight, shape).copy(), pool.navigational, weighted=True)
