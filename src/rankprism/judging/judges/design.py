"""With which probability each document is drawn for people to judge.

Before anybody has judged anything, judges and runs give a rough guess P of each label. The effects φ of the
possible labels on the scores of the runs (`rankprism.judges.effects`) say what a label decides: the
probability of a pair is proportional to √(Σ_r Var φ_r), at most 1, and mixed with a constant, so that a wrong
guess cannot leave out a document that matters. The guess does not use labels of people. So probabilities are
fixed before the first batch, and a larger budget only raises them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from rankprism.data import Bools, Floats
from rankprism.judging.judges.effects import effects, sum_of
from rankprism.judging.judges.labels import Labels
from rankprism.judging.judges.pool import Ranked
from rankprism.judging.judges.prediction import Predicted, known_cells
from rankprism.measures import Measure

#: The part of the budget that is drawn with equal probabilities: for measures that are linear in the labels,
#: and for others, whose estimates need some labels everywhere.
MIXED_LINEAR, MIXED = 0.05, 0.3
#: The number of grades that are guessed if no judge has a scale of a few grades.
GRADES = 4


def guessed_levels(labels: Labels) -> Floats:
    """The grades that people may give: those of the judge with the most grades, up to six."""
    scales = [labels.scale(given) for given in labels.judges.values()]
    graded = [scale for scale in scales if 3 <= len(scale) <= 6]
    return np.array(max(graded, key=len)) if graded else np.arange(float(GRADES))


def guess(labels: Labels, ranked: Ranked, levels: Floats) -> Predicted:
    """A rough guess of each label from judges and runs, before people have judged anything."""
    pair, aspect = known_cells(labels)
    shares = []
    for given in labels.judges.values():
        label = given[pair, aspect]
        low, high = np.nanmin(label, initial=np.inf), np.nanmax(label, initial=-np.inf)
        share = (label - low) / (high - low) if high > low else np.full(len(pair), 0.5)
        shares.append(np.where(np.isnan(share), 0.5, share))
    about = np.zeros((len(labels.docs), 3))
    about[: len(ranked.about_pairs)] = ranked.about_pairs
    found = about[pair, 0] / max(float(about[:, 0].max()), 1e-12)
    good = 0.7 * np.mean(shares, axis=0) + 0.3 * found if shares else found
    middle = np.clip(0.1 + 0.6 * good, 0.1, 0.9)
    K = len(levels) - 1
    shift = 1.1 * ((K + 1) / 2 - np.arange(1, K + 1))
    reached = 1 / (1 + np.exp(-(np.log(middle / (1 - middle))[:, None] + shift)))
    ends = np.concatenate([np.ones((len(pair), 1)), reached, np.zeros((len(pair), 1))], axis=1)
    return Predicted(levels, -np.diff(ends, axis=1), np.zeros(len(pair), dtype=np.int64), np.zeros(1))


class Design(NamedTuple):
    """What decides how probable it is that a pair is drawn."""

    size: Floats  #: (pair,) how much the label of a pair decides
    matters: Bools  #: (pair,) whether the label can change a score at all
    mixed: float  #: the part of the budget that is drawn with equal probabilities

    def probabilities(self, budget: float) -> Floats:
        """(pair,) probabilities whose sum is the budget, 0 for pairs that do not matter."""
        found = np.zeros(len(self.size))
        found[self.matters] = probabilities(self.size[self.matters], budget, self.mixed)
        return found


def designed(labels: Labels, ranked: Ranked, measures: Sequence[Measure], seed: int) -> Design:
    """How much the label of each pair decides.

    The sizes of each measure are brought to the same sum of squares, so that none of them dominates.
    """
    levels = guessed_levels(labels)
    blank = guess(labels, ranked, levels)
    # The guess of every pair is tried in turn, as if people had given its most probable label.
    pair, aspect = known_cells(labels)
    likely = np.full(labels.people.shape, np.nan)
    likely[pair, aspect] = levels[blank.chance.argmax(1)]
    total = np.zeros(len(labels.docs))
    matters = np.zeros(len(labels.docs), dtype=bool)
    linear = True
    for measure in measures:
        form = sum_of(measure)
        single = not labels.has_aspects
        linear = linear and single and form is not None and form.is_linear
        found = effects(measure, replace(labels, people=likely), ranked, blank, seed, guessing=True)
        weight = blank.chance if single else np.full(found.at.shape[:2], 1 / found.at.shape[1])
        square = np.einsum("ik,ikr->i", weight, found.at**2)
        total += np.where(found.matters, square, 0.0) / max(float(square.sum()), 1e-300)
        matters |= found.matters
    return Design(np.sqrt(total), matters, MIXED_LINEAR if linear else MIXED)


def probabilities(size: Floats, budget: float, mixed: float) -> Floats:
    """(pair,) probabilities whose sum is the budget: proportional to size, at most 1, mixed with a constant.

    >>> probabilities(np.array([4.0, 1, 1, 0]), 2, 0.5).round(3).tolist()
    [0.917, 0.417, 0.417, 0.25]
    """
    number = len(size)
    if budget >= number:
        return np.ones(number)
    constant = mixed * budget / number
    wanted = budget - constant * number
    # The largest are drawn surely; the rest share what is left in proportion to their sizes.
    room = 1 - constant
    sure = np.zeros(number, dtype=bool)
    found = np.zeros(number)
    for _ in range(number):
        left = wanted - room * sure.sum()
        open_ = ~sure
        total = float(size[open_].sum())
        if total <= 0:
            found = np.where(sure, room, left / max(1, open_.sum()))
            break
        found = np.where(sure, room, size * left / total)
        more = open_ & (found > room)
        if not more.any():
            break
        sure |= more
    return np.minimum(1.0, constant + found)
