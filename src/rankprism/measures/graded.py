"""Graded measures of one aspect that look at levels or at blended ratios, (N, A) like those in `single`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rankprism.data.hits import Floats, Hits
from rankprism.measures.ideal import sorted_ideal
from rankprism.measures.measure import CUTOFF, Parameter, measure
from rankprism.measures.parts import GAIN, Gain, hit_gain, pool_gain, ratio
from rankprism.measures.single import precision_sum

BLEND = Parameter(
    "beta", 1.0, "how much the gains count beside the numbers of documents; 0: not at all", low=0
)
LEVEL_GAIN = Parameter("gain", "exp", GAIN.meaning, str, choices=GAIN.choices)


def blended_ratio(hits: Hits, beta: float, gain: str) -> Floats:
    """(N, A, H) BR(i) = (C(i) + β cg(i)) / (i + β cg*(i)); 0 where the document is not relevant

    C counts the relevant documents down to rank i, cg adds their gains, cg* those of the ideal ranking.
    """
    g = hit_gain(hits, Gain(gain))
    found, gained = np.cumsum(g > 0, axis=-1), np.cumsum(g, axis=-1)
    best = ideal_gain(hits, gain)
    return (g > 0) * (found + beta * gained) / (hits.rank[:, None, :] + beta * best)


def ideal_gain(hits: Hits, gain: str) -> Floats:
    """(N, A, H) cg*: what the ideal ranking has gained down to the rank of each document found."""
    sums = np.cumsum(
        sorted_ideal(hits.pool, ("gain", gain), lambda _: pool_gain(hits.pool, Gain(gain))), axis=-1
    )
    if not sums.shape[-1]:
        return np.zeros(hits.grade.shape)
    place = np.minimum(hits.rank, sums.shape[-1]) - 1
    return np.take_along_axis(sums[hits.topic], place[:, None, :], axis=-1)


@measure(
    BLEND,
    LEVEL_GAIN,
    CUTOFF,
    single=True,
    monotone=True,
    keeps="CloseTh AspDiv",
    keeps_ia="CloseTh AspDiv",
    cite=("sakai2005reliability", "sakai2011evaluating"),
)
def Q(hits: Hits, beta: float, gain: str, cutoff: int | None) -> Floats:
    """Q-measure: average precision with the precision blended with the share of the gain.

    Q@k = 1/min(k,R) Σ_{i≤k} [g_i > 0] (C(i) + β cg(i)) / (i + β cg*(i))

    C counts the relevant documents down to rank i, cg adds their gains, cg* those of the ideal ranking; R is
    the number of relevant documents. With β = 0 it is AP over min(k,R).

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 2, "b": 1}}, {"q": {"b": 2, "a": 1}}, ["Q@10", "Q(beta=0)@10"]).mean()
    {'run': {'Q@10': 0.75, 'Q(beta=0)@10': 1.0}}
    """
    hits = hits.top(cutoff)
    R = (pool_gain(hits.pool, Gain(gain)) > 0).sum(-1)[hits.topic]
    base = R if cutoff is None else np.minimum(R, cutoff)
    return ratio(blended_ratio(hits, beta, gain).sum(-1), base.astype(np.float64))


@measure(
    BLEND,
    LEVEL_GAIN,
    CUTOFF,
    single=True,
    keeps="DeepTh Sat",
    keeps_ia="DeepTh Sat",
    cite=("sakai2006give", "sakai2012intuitiveness"),
    aliases=("P+",),
)
def P_plus(hits: Hits, beta: float, gain: str, cutoff: int | None) -> Floats:
    """P+: the blended ratio of Q down to the best document of the list, for who wants just one.

    P+ = 1/C(i_p) Σ_{i≤i_p} [g_i > 0] BR(i), with i_p the first rank that has the highest grade in the list
    and BR(i) = (C(i) + β cg(i)) / (i + β cg*(i))

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 2, "b": 1}}, {"q": {"a": 2, "b": 1}}, ["P_plus", "P_plus(beta=0)"]).mean()
    {'run': {'P_plus': 1.0, 'P_plus(beta=0)': 1.0}}
    """
    hits = hits.top(cutoff)
    if not hits.grade.shape[-1]:
        return np.zeros(hits.grade.shape[:2])
    preferred = hits.grade.argmax(-1)[:, :, None]  # the first of the highest
    early = np.arange(hits.grade.shape[-1]) <= preferred
    ratios = blended_ratio(hits, beta, gain) * early
    return ratio(ratios.sum(-1), ((hits.grade > 0) & early).sum(-1).astype(np.float64))


LEVELS = Parameter(
    "levels",
    "uniform",
    "how likely a user sets the bar at each grade: equally; 'printed', as in Sakai & Song's equations, in "
    "proportion to the grade; or given, such as {1:0.5,2:0.3,3:0.2}",
    str,
    choices=("uniform", "printed"),
    mapping=True,
)


def _bars(grades: Floats, levels: str | Mapping[float, float]) -> dict[float, float]:
    """The grades that occur, and how likely a bar lies at or just below each."""
    present = [float(g) for g in np.unique(grades) if g > 0]
    if isinstance(levels, Mapping):
        # A bar between two grades that occur asks for the upper one.
        bars = dict.fromkeys(present, 0.0)
        for bar, weight in levels.items():
            above = [g for g in present if g >= bar]
            if above:
                bars[above[0]] += float(weight)
        return bars
    worth = [g if levels == "uniform" else g * (g + 1) for g in [0.0, *present]]
    return {g: above - below for g, below, above in zip(present, worth, worth[1:], strict=False)}


def _gap(hits: Hits, levels: str | Mapping[float, float]) -> Floats:
    """(N, A) Σ_i 1/i Σ_{j≤i} W(min(g_i, g_j)): for each bar, the precision sum of what clears it."""
    total = np.zeros(hits.grade.shape[:2])
    for bar, weight in _bars(hits.pool.grade, levels).items():
        total += weight * precision_sum((hits.grade >= bar).astype(np.float64), hits)
    return total


def _worth(grades: Floats, levels: str | Mapping[float, float], pool: Floats) -> Floats:
    """W(g) = Σ of the bars that g clears"""
    worth = np.zeros(grades.shape)
    for bar, weight in _bars(pool, levels).items():
        worth += weight * (grades >= bar)
    return worth


@measure(
    LEVELS,
    single=True,
    monotone=True,
    keeps="Pri CloseTh AspDiv",
    keeps_ia="Pri CloseTh AspDiv",
    cite=("robertson2010extending", "sakai2011evaluating"),
)
def GAP(hits: Hits, levels: str | Mapping[float, float]) -> Floats:
    """Graded average precision: AP for a user whose bar for relevance is not known.

    GAP = Σ_i 1/i Σ_{j≤i} W(min(g_i, g_j))  ÷  Σ_{judged d} W(g_d), with W(g) the chance that the bar is at
    most g

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 2, "b": 1}}, {"q": {"b": 2, "a": 1}}, ["GAP"]).mean()
    {'run': {'GAP': 0.8333333333333334}}
    """
    everything = _worth(hits.pool.grade, levels, hits.pool.grade).sum(-1)
    return ratio(_gap(hits, levels), everything[hits.topic])


@measure(
    LEVELS,
    CUTOFF,
    single=True,
    monotone=True,
    keeps="Pri CloseTh AspDiv",
    keeps_ia="Pri CloseTh AspDiv",
    cite=("robertson2010extending", "sakai2011evaluating"),
)
def nGAP(hits: Hits, levels: str | Mapping[float, float], cutoff: int | None) -> Floats:
    """Normalised graded average precision at a cutoff: GAP's sum over that of the best ranking possible.

    nGAP@k = Σ_{i≤k} 1/i Σ_{j≤i} W(min(g_i, g_j))  ÷  Σ_{i≤k} W(g*_i), g* the judged grades, highest first

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 2, "b": 1}}, {"q": {"b": 2, "a": 1}}, ["nGAP@1"]).mean()
    {'run': {'nGAP@1': 0.5}}
    """
    ideal = sorted_ideal(hits.pool, "grade", lambda grade: grade)[:, :, :cutoff]
    best = _worth(ideal, levels, hits.pool.grade).sum(-1)
    return ratio(_gap(hits.top(cutoff), levels), best[hits.topic])
