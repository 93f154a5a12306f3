"""What the labels of two documents do together to the scores of runs.

The estimate of `rankprism.judges.estimation` adds up what single labels told us. Where a measure is not a
straight line in the labels and the predictions are poor, it is biased, because their errors work together:
documents that were all predicted too low may be at the top of the same ranking. With P, s, φ_i and π_i of
`rankprism.judges.effects`, let

ψ_ij = E[θ | Y_i = y_i, Y_j = y_j] - E[θ | Y_j = y_j] - E[θ | Y_i = y_i] + E[θ]

for two labelled documents, where the other labels of s are fixed and Y_i and Y_j follow P unless they are
given. The estimate m + Σ_s (1/π_i - 1) φ_i + Σ_{i<j} (1/π_i - 1) (1/π_j - 1) ψ_ij has no bias from errors of
two documents, only from those of three and more. It varies more, because a few pairs of labels represent
all pairs of documents.
"""

from __future__ import annotations

import numpy as np

from rankprism.data import Floats, Longs
from rankprism.judging.judges.effects import AT_ONCE, drawn, lists_of, sum_of, sums_and_slopes
from rankprism.judging.judges.labels import Labels
from rankprism.judging.judges.pool import Ranked
from rankprism.judging.judges.prediction import Predicted
from rankprism.measures import Measure, ratio

#: The number of draws of the labels that nobody has given.
DRAWS = 5
#: A topic with more pairs than this is represented by a random sample of this size.
PAIRS = 10_000


def has_second_order(measure: Measure, labels: Labels) -> bool:
    """Whether ψ is known: binary labels, and a divisor that grows by one with each relevant document."""
    form = sum_of(measure)
    if form is None or labels.has_aspects:
        return False
    return form.parts.gain.kind == "binary" and "relevant" in form.parts.over


def with_others(
    measure: Measure, labels: Labels, ranked: Ranked, predicted: Predicted, weight: Floats, seed: int
) -> Floats:
    """(labelled pair, run) Σ_j w_j ψ_ij over the other labelled documents of the topic.

    weight : (labelled pair,) w = 1/π - 1.
    """
    form = sum_of(measure)
    assert form is not None
    cutoff = form.cutoff
    gains = form.parts.gain(np.maximum(predicted.levels, 0.0)[None, None, :], np.zeros((1, 1)))[0, 0]
    label = labels.people[:, 0]
    sampled = np.flatnonzero(~np.isnan(label))
    given = np.searchsorted(predicted.levels, label[sampled])
    first = np.searchsorted(sampled, labels.start)
    found = np.zeros((len(sampled), len(ranked.runs)))
    for t, lists in enumerate(lists_of(labels, ranked, cutoff)):
        here = slice(first[t], first[t + 1])
        own = sampled[here] - labels.start[t]
        chance = predicted.chance[labels.start[t] : labels.start[t + 1]]
        rng = np.random.default_rng([seed, 3, t])
        y = drawn(chance, rng, DRAWS)
        y[:, own] = given[here]
        g = gains[y]
        gain = gains[given[here]]
        error = gain - chance[own] @ gains
        sums, slopes = sums_and_slopes(form, lists, g)  # (draw, run) and (draw, run, place)
        place = lists.place[:, own]
        slope = np.where(place >= 0, np.take_along_axis(slopes, np.maximum(place, 0)[None], 2), 0.0)
        over = g.sum(1)[:, None]
        if form.parts.over == "depth and relevant":
            over = over + (lists.length if cutoff is None else np.full(len(place), cutoff))
        first_doc, second_doc, times = _pairs(len(own), rng)
        step = max(1, AT_ONCE // (DRAWS * len(place)))
        for begin in range(0, len(first_doc), step):
            i, j = first_doc[begin : begin + step], second_doc[begin : begin + step]
            # The sum and the divisor if neither document is relevant, and what each and both add to the sum.
            both = form.together(lists.rank, place[:, i], place[:, j])
            one, other = slope[:, :, i] - both * gain[j], slope[:, :, j] - both * gain[i]
            none = sums[:, :, None] - one * gain[i] - other * gain[j] - both * gain[i] * gain[j]
            rest = over[:, :, None] - gain[i] - gain[j]
            curve = ratio(none + one + other + both, rest + 2) - ratio(none + one, rest + 1)
            curve += ratio(none, rest) - ratio(none + other, rest + 1)
            psi = times * (curve.mean(0) * (error[i] * error[j])).T  # (pair of documents, run)
            np.add.at(found[here], i, psi * weight[here][j, None])
            np.add.at(found[here], j, psi * weight[here][i, None])
    return found


def _pairs(number: int, rng: np.random.Generator) -> tuple[Longs, Longs, float]:
    """The pairs of this number of documents, all or a sample, and how many pairs each one represents."""
    every = number * (number - 1) // 2
    if every <= PAIRS:
        return *np.triu_indices(number, 1), 1.0
    first = rng.integers(number, size=PAIRS)
    second = (first + 1 + rng.integers(number - 1, size=PAIRS)) % number
    return first, second, every / PAIRS
