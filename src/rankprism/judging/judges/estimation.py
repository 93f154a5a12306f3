"""Scores from all labels of judges and few labels of people.

The estimate of the score of a run is m + Σ_s (1/π_i - 1) φ_i, see `rankprism.judges.effects`, where π_i is
the probability with which a labelled pair was drawn. For measures that are linear in the labels, it is the
difference estimator Σ w ĝ + Σ_s w (g - ĝ) / π, which is unbiased whatever the predictions ĝ are. For others,
`rankprism.judges.second_order` has what is added if the predictions are poor.

The variance is Σ_s (1-π)/π² φφ'. With few labels it is itself uncertain, so it is combined with what the
predictions expect it to be. This matters most if the judges are good: they may be wrong about a few documents
that decide much, and right about all that were drawn.

The label of a document by people is predicted from the labels of all judges, from how many runs rank the
document high, and from the labels of other documents of its topic (a cumulative logit model with ridge
penalties). Documents are dealt into five folds by a hash of their ids, and each fold is predicted from
the labels in the other folds only. A judge may use any scale, leave documents out, or be wrong: how its
labels map to those of people is part of what is estimated. A useless judge makes the predictions worse
and the intervals wider, but not wrong. A judge that is turned round, whose high labels mean low ones, is as
good as its mirror image.

For a measure that is linear in the labels, such as P@10, DCG or RBP, the estimate is Σ w ĝ over all
documents, plus Σ w (g - ĝ) / π over the labelled ones, where w is the weight of the document in the
score, g its gain, ĝ the predicted gain and π the probability with which it was drawn. It is unbiased
whatever ĝ is. Which measures are linear is read from the parts that they are made of.

For all other measures, the labels that nobody has given are drawn from their predictions, and the mean
score over these draws is corrected by the effect of each label that people did give: m + Σ (1/π - 1) φ.
This is nearly unbiased if the predictions are good. For AP and other measures that divide by the number
of relevant documents it is not if they are bad, because errors of the predictions work together: several
documents at the top of one ranking may all have been predicted too low. Predictions are good enough if
they remove 29 % of the uncertainty about the labels in hand, and more if many pairs are labelled, because
then intervals are narrow and a bias stands out: 31 % if people have labelled 5 % of the pairs, and 37 %
if they have labelled 20 %. The same holds for topics with several aspects. If they remove less, AP, R and
F1 are also corrected by what every two labels of a topic do together, Σ (1/π_i - 1) (1/π_j - 1) ψ_ij.
Intervals then hold, but are about one and a half times as wide, and nearly twice as wide with 2 % of the
labels. For other such measures, for example Q, the command prints "–" instead of an interval, and says
so.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankprism.data import Bools, Floats, Longs
from rankprism.judging.judges.effects import Effects
from rankprism.judging.judges.prediction import FOLDS_OF_PAIRS

#: The degrees of freedom that the variance expected by the predictions counts as.
PRIOR = 30.0
#: How many errors of all runs are drawn for intervals that hold together.
DRAWS = 20_000
#: The degrees of freedom that count for the expected variances if the observed ones are smaller.
DOUBT = 3.0


class Sample(NamedTuple):
    """The pairs that people have labelled, and how they were drawn."""

    drawn: Bools  #: (pair,)
    #: (pair,) the probability of having been drawn, known for the drawn pairs; None: all pairs had the same
    probability: Floats | None
    fold: Longs  #: (pair,)


class Estimate(NamedTuple):
    """Scores of runs by one measure."""

    by_topic: Floats  #: (run, topic)
    value: Floats  #: (run,)
    covariance: Floats  #: (run, run) of the estimates, if other pairs had been drawn
    expected: Floats  #: (run, run) the same, as the predictions expect it
    #: (run, run) degrees of freedom of the variance of a run, on the diagonal, and of differences
    freedom: Floats
    prior: float  #: the degrees of freedom that the expected variance counts as
    labels: int  #: the number of labels that the estimate rests on


def weights_of(sample: Sample, matters: Bools) -> Floats:
    """(labelled pair,) 1/π - 1: how many unlabelled pairs each one represents."""
    return np.asarray(1 / _probabilities(sample, matters)[0] - 1)


def estimated(
    found: Effects,
    at_chance: Floats,
    sample: Sample,
    topic: Longs,
    topics: int,
    with_others: Floats | None = None,
) -> Estimate:
    """The scores of all runs, and how far they may be from those by complete judgments.

    at_chance : (labelled pair, level) the probability of each level that `Effects.at` has. If topics have
        several aspects, it has only one set of labels of each draw. So the variance that is expected has the
        size of the observed one, and makes it no more certain.
    with_others : what labels do together, see `rankprism.judges.second_order`; if None, it is left out.
    """
    sampled = np.flatnonzero(sample.drawn)
    pi, scale = _probabilities(sample, found.matters)
    told, phi = found.phi, found.phi
    if with_others is not None:
        # Both documents of a pair have its ψ, so half of it goes into the score. A label that is drawn or not
        # changes the score by all of it.
        told, phi = found.phi + with_others / 2, found.phi + with_others
    by_topic = found.mean.copy()
    np.add.at(by_topic.T, topic[sampled], (1 / pi - 1)[:, None] * told)
    phi, at = phi / topics, found.at / topics
    if sample.probability is None:
        phi = _centred(phi, sample.fold[sampled], found.matters[sampled])
    covariance = (scale[:, None] * phi).T @ phi
    spread = np.sqrt(scale[:, None] * at_chance)[:, :, None] * at
    spread = spread.reshape(-1, at.shape[2])
    expected = spread.T @ spread
    total = float(np.trace(expected))
    if found.noise is not None:
        # What the draws do to each φ is in its square already.
        covariance -= expected / (at.shape[1] - 1)
        covariance += _of_draws(found.noise / topics, at, 1 / pi - 1, topic[sampled])
    # If residuals are larger than the predictions expect, so is the variance that they expect. They may also
    # be smaller by chance, so less of that is believed, the fewer degrees of freedom are expected in all.
    factor = float(np.trace(covariance)) / total if total > 0 else 1.0
    if found.noise is None and factor < 1:
        fourth = (at_chance * (scale[:, None] * (at**2).sum(2)) ** 2).sum()
        freedom = float(2 * total**2 / fourth)
        factor = (freedom * factor + DOUBT) / (freedom + DOUBT)
    u = np.sqrt(scale)[:, None] * phi
    return Estimate(
        by_topic,
        by_topic.mean(1),
        covariance,
        factor * expected,
        _freedom(u),
        PRIOR if found.noise is None else 0.0,
        int(found.matters[sampled].sum()),
    )


def _of_draws(noise: Floats, at: Floats, weight: Floats, topic: Longs) -> Floats:
    """(run, run) the covariance of the estimates, if other labels had been drawn from the predictions.

    The estimate is a mean over draws. A draw is as far from it as its score is from m, `noise`, less the
    effects of the labels that it tried for the labelled documents, weighted by 1/π - 1.
    """
    apart = noise.copy()
    np.subtract.at(apart, topic, weight[:, None, None] * at)
    draws, runs = apart.shape[1:]
    apart = apart.reshape(-1, runs)
    return np.asarray(apart.T @ apart / (draws * (draws - 1)))


def _probabilities(sample: Sample, matters: Bools) -> tuple[Floats, Floats]:
    """(labelled pair,) the probability π of each, and the factor of φ² in the variance.

    If pairs were drawn independently, the factor is (1-π)/π². If all pairs had the same chance, what was
    drawn from the N pairs of a fold that matter is a simple random sample of n pairs, so π = n/N. The
    variance is then N² (1 - n/N) s² / n with s² the variance of φ within the fold.
    """
    sampled = np.flatnonzero(sample.drawn)
    if sample.probability is not None:
        pi = sample.probability[sampled]
        return pi, (1 - pi) / pi**2
    pi, scale = np.ones(len(sampled)), np.zeros(len(sampled))
    for f in range(FOLDS_OF_PAIRS):
        own = (sample.fold[sampled] == f) & matters[sampled]
        n, N = int(own.sum()), int(((sample.fold == f) & matters).sum())
        if n:
            pi[own] = n / N
            scale[own] = N * (N - n) / n / max(n - 1, 1)
    return pi, scale


def _centred(phi: Floats, fold: Longs, matters: Bools) -> Floats:
    """φ less its mean over the labelled pairs of the fold."""
    out = np.where(matters[:, None], phi, 0.0)
    for f in range(FOLDS_OF_PAIRS):
        own = (fold == f) & matters
        if own.any():
            out[own] -= out[own].mean(0)
    return out


def _freedom(u: Floats) -> Floats:
    """(run, run) 2 V² / Σ u⁴ of runs on the diagonal and of differences elsewhere; at least 1"""
    v = u.T @ u
    fourth = (u**2).T @ (u**2)
    third = (u**3).T @ u
    own = np.diag(fourth)
    four = own[:, None] + own - 4 * (third + third.T) + 6 * fourth
    two = np.diag(v)[:, None] + np.diag(v) - 2 * v
    np.fill_diagonal(four, own)
    np.fill_diagonal(two, np.diag(v))
    with np.errstate(divide="ignore", invalid="ignore"):
        found = 2 * two**2 / four
    return np.where(four > 0, np.maximum(found, 1.0), 1.0)


def half_widths(estimate: Estimate, confidence: float, conservative: bool, together: bool = False) -> Floats:
    """(run, run) half of the width of the interval of each run, on the diagonal, and of each difference.

    The variance is a mean of the observed variance, which counts its degrees of freedom, and of the expected
    one. conservative : take the larger of the two if that is more. together : the intervals of all runs hold
    at the same time, so a difference is known as well as both of its runs are. (Levels for all differences
    themselves did not hold: of the 1,953 pairs of 63 runs on DL 2021, some differ by a few labels, whose
    effects are far from normal, and all held in .59 of 200 repetitions.)
    """
    from scipy.special import stdtrit

    seen, expected = (_of_differences(x) for x in (estimate.covariance, estimate.expected))
    freedom = estimate.freedom + estimate.prior
    variance = (estimate.freedom * seen + estimate.prior * expected) / freedom
    if conservative:
        variance = np.maximum(np.maximum(seen, expected), variance)
    own, prior = np.diag(estimate.freedom).mean(), estimate.prior
    covariance = (own * estimate.covariance + prior * estimate.expected) / (own + prior)
    level = level_together(covariance, confidence) if together else confidence
    reach = stdtrit(freedom, 0.5 + level / 2)
    half = np.asarray(reach * np.sqrt(np.maximum(variance, 0.0)))
    return of_both(np.diag(half)) if together else half


def of_both(half: Floats) -> Floats:
    """(run, run) half of the width for each run on the diagonal, and for each difference the sum of two."""
    found = half[:, None] + half
    np.fill_diagonal(found, half)
    return np.asarray(found)


def level_together(covariance: Floats, confidence: float) -> float:
    """The level of the interval of each run, so that those of all runs hold together.

    Errors of the estimates are drawn with their covariance. The level is the one that the largest |z| of a
    draw exceeds in 1 - confidence of the draws, so runs that share their errors count as few. Draws have a
    fixed seed.

    >>> abs(level_together(np.eye(2), 0.95) - 0.95**0.5) < 0.005  # two independent runs
    True
    """
    from scipy.special import erf

    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    rng = np.random.default_rng(0)
    error = rng.standard_normal((DRAWS, len(values))) @ (vectors * np.sqrt(np.maximum(values, 0.0))).T
    size = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    size[size <= 1e-9 * size.max(initial=0.0)] = np.inf  # scores that are known
    largest = (np.abs(error) / size).max(1)
    return max(confidence, float(erf(np.quantile(largest, confidence) / np.sqrt(2))))


def _of_differences(covariance: Floats) -> Floats:
    own = np.diag(covariance)
    found = own[:, None] + own - 2 * covariance
    np.fill_diagonal(found, own)
    return np.asarray(found)
