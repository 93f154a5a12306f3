"""Effects of labels on the scores by any measure: draws of all labels are scored by the measure itself.

With one aspect, every level of a labelled document is tried in every draw. With several aspects the labels of
a document are a vector, and there are too many vectors to try. So each draw tries another one, which is drawn
from the predictions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankprism.data import Bools, Floats, Hits, Longs, Pool
from rankprism.judging.judges.effects import (
    AT_ONCE,
    GUESSES,
    Effects,
    Lists,
    drawn,
    lists_of,
    of_retrieved,
    summed,
)
from rankprism.judging.judges.labels import Labels
from rankprism.judging.judges.pool import Ranked
from rankprism.judging.judges.prediction import Predicted, drawn_vectors, known_cells, odds_ratios
from rankprism.measures import Measure
from rankprism.measures.parts import NO_NOVELTY

#: The number of draws of all labels, if topics have one aspect or several.
DRAWS, DRAWS_OF_VECTORS = 12, 20

#: Labels as numbers of levels.
Levels = npt.NDArray[np.int16]


def rescored_effects(
    measure: Measure, labels: Labels, ranked: Ranked, predicted: Predicted, seed: int, guessing: bool = False
) -> Effects:
    """What labels do to the scores of all runs.

    With several aspects, `Effects.at` has the effect of the vector that each draw tried. It is the difference
    from the score of the same draw, so what the draws differ in otherwise does not count.
    """
    pair, _ = known_cells(labels)
    starts = np.searchsorted(pair, labels.start)
    levels = predicted.levels
    sampled = np.flatnonzero(~np.isnan(labels.people).all(1))
    first = np.searchsorted(sampled, labels.start)
    single = not labels.has_aspects
    draws = GUESSES if guessing else DRAWS if single else DRAWS_OF_VECTORS
    mean = np.zeros((len(ranked.runs), len(labels.topics)))
    tried = len(levels) if single else draws
    at = np.zeros((len(sampled), tried, 1 if guessing else len(ranked.runs)))
    phi = np.zeros((len(sampled), len(ranked.runs)))
    matters = np.ones(len(labels.docs), dtype=bool)
    noise = np.zeros((len(labels.topics), draws, len(ranked.runs)))
    parts = None if single else of_retrieved(measure, labels)
    for t, lists in enumerate(lists_of(labels, ranked, measure.cutoff)):
        here = slice(first[t], first[t + 1])
        own = sampled[here] - labels.start[t]
        rng = np.random.default_rng([seed, 3, t])
        cells, aspects = slice(starts[t], starts[t + 1]), len(labels.aspects[t])
        odds = None
        if predicted.effect_sd is not None:
            odds = odds_ratios(predicted.effect_sd[cells].reshape(-1, aspects), rng, draws)
        y = _vectors(predicted, cells, aspects, odds, rng, draws)
        given = np.searchsorted(levels, labels.people[sampled[here], : y.shape[1]])
        if not guessing:
            y[:, :, own] = given.T
        if parts is not None:
            matters[labels.start[t] : labels.start[t + 1]] = (lists.place >= 0).any(0)
        topic = _Topic.of(measure, lists, labels, t, levels)
        scores = topic.scores(y)  # (draw, run)
        mean[:, t] = scores.mean(0)
        noise[t] = scores - scores.mean(0)
        if single:
            every = np.arange(len(levels), dtype=y.dtype)[:, None, None]
            moved = topic.moved(y, scores, own, np.broadcast_to(every, (len(own), tried, draws, 1))).mean(2)
            effect = moved - np.einsum("lk,lkr->lr", predicted.chance[cells][own], moved)[:, None]
            phi[here] = np.take_along_axis(effect, given[:, :, None], 1)[:, 0]
        else:
            vectors = _vectors(predicted, cells, aspects, odds, rng, draws)[:, :, own]
            idle = ~matters[sampled[here]]
            vectors[:, :, idle] = y[:, :, own[idle]]  # no label of theirs changes a score
            moved = topic.moved(y, scores, own, vectors.transpose(2, 0, 1)[:, None])[:, 0]
            expected = moved.mean(1)  # (labelled, run)
            effect = moved - expected[:, None]
            phi[here] = -expected
        at[here] = summed(effect) if guessing else effect
    linear = parts is not None and parts.novelty == NO_NOVELTY
    return Effects(mean, phi, at, matters, linear, not linear, None if single or guessing else noise)


def _vectors(
    predicted: Predicted,
    cells: slice,
    aspects: int,
    odds: Floats | None,
    rng: np.random.Generator,
    draws: int,
) -> Levels:
    """(draw, aspect, document) labels of the cells of a topic, drawn from their probabilities."""
    chance = predicted.chance[cells]
    if aspects == 1 and odds is None:
        return drawn(chance, rng, draws).astype(np.int16)[:, None]
    found = drawn_vectors(chance, aspects, predicted.alike, rng, draws, odds).astype(np.int16)
    return np.ascontiguousarray(found.transpose(0, 2, 1))


class _Topic(NamedTuple):
    """A topic whose labels are made up."""

    measure: Measure
    lists: Lists
    levels: Floats
    weight: Floats  #: (aspect,)
    weighted: bool  #: whether the weights were given
    navigational: Bools  #: (aspect,)
    counted: Bools | None  #: (aspect,) see `Pool.counted`

    @classmethod
    def of(cls, measure: Measure, lists: Lists, labels: Labels, topic: int, levels: Floats) -> _Topic:
        """Weights of aspects, and which are navigational or always count, are as in the labels of people."""
        cells, name = labels.source.cells, labels.topics[topic]
        number = len(labels.aspects[topic])
        counted = None if cells.counted is None or number == 1 else np.ones(number, dtype=bool)
        blank = cls(measure, lists, levels, np.ones(number), False, np.zeros(number, dtype=bool), counted)
        if name not in labels.source.topics or number == 1:
            return blank
        given = labels.source.topics.index(name)
        own = range(cells.aspect_start[given], cells.aspect_start[given + 1])
        place = dict(zip(labels.source.aspects[name], own, strict=True))
        column = np.array([place.get(aspect, -1) for aspect in labels.aspects[topic]])

        def known(values: Any) -> Any:
            return np.where(column >= 0, values[np.maximum(column, 0)], 0)

        if cells.weights is not None:
            blank = blank._replace(weight=known(cells.weights), weighted=True)
        if cells.navigational is not None:
            blank = blank._replace(navigational=known(cells.navigational).astype(bool))
        return blank

    def scores(self, y: Levels) -> Floats:
        """(draw, run) the scores of rankings with labels (draw, aspect, document)."""
        step = max(1, AT_ONCE // (self.lists.doc.size * y.shape[1] + y[0].size))
        return np.concatenate([self._scores(y[first : first + step]) for first in range(0, len(y), step)])

    def moved(self, y: Levels, scores: Floats, own: Longs, tried: Levels) -> Floats:
        """(labelled, tried, draw, run) what scores change by if a document has other labels.

        y, scores : (draw, aspect, document) and (draw, run). own : the labelled documents.
        tried : (labelled, tried, draw, aspect) their other labels. Most are what the draw has already.
        """
        found = np.zeros((*tried.shape[:3], scores.shape[1]))
        place, vector, draw = np.nonzero((tried != y[:, :, own].transpose(2, 0, 1)[:, None]).any(3))
        step = max(1, AT_ONCE // y[0].size)
        for first in range(0, len(place), step):
            p, v, d = (axis[first : first + step] for axis in (place, vector, draw))
            changed = y[d]
            changed[np.arange(len(p)), :, own[p]] = tried[p, v, d]
            found[p, v, d] = self.scores(changed) - scores[d]
        return found

    def _scores(self, y: Levels) -> Floats:
        lists, (draws, aspects, _) = self.lists, y.shape
        runs, wide = lists.doc.shape
        grades = np.maximum(self.levels, 0.0)
        here = lists.doc >= 0
        number = np.moveaxis(y[:, :, np.maximum(lists.doc, 0)], 2, 1)  # (draw, run, aspect, place)
        hit = np.where(here[:, None, :], grades[number], 0.0).reshape(draws * runs, aspects, wide)
        rank = np.tile(lists.rank, (draws, 1))
        hits = Hits(
            rank,
            hit,
            np.tile(lists.length, draws),
            np.repeat(np.arange(draws), runs),
            self._pool(y, grades),
            np.tile(np.where(here, np.cumsum(here, axis=1), lists.rank).astype(np.int32), (draws, 1)),
            rank,
        )
        return self.measure.score(hits).reshape(draws, runs)

    def _pool(self, y: Levels, grades: Floats) -> Pool:
        """The relevant documents of each draw."""
        relevant = (y >= np.searchsorted(grades, 0.0, "right")).any(1)
        draw, doc = np.nonzero(relevant)
        number = relevant.sum(1)
        column = np.arange(len(draw)) - np.repeat(np.cumsum(number) - number, number)
        grade = np.zeros((len(y), y.shape[1], int(number.max(initial=0))))
        grade[draw, :, column] = grades[y[draw, :, doc]]

        def every(values: Any) -> Any:
            return np.broadcast_to(values, (len(y), len(values))).copy()

        counted = None if self.counted is None else every(self.counted)
        return Pool(grade, every(self.weight), every(self.navigational), self.weighted, counted=counted)
