"""Graded measures of one aspect that look at levels or at blended ratios. Their shape is (N, A)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated

import numpy as np

from rankprism.data import Floats, Hits, Ints, Longs, Pool
from rankprism.measures.bounds.completions import Completions, Gains
from rankprism.measures.bounds.ranges import Pair
from rankprism.measures.bounds.single import precision_sums
from rankprism.measures.compared import SAKAI_SONG
from rankprism.measures.declare import single
from rankprism.measures.form import PlainPerAspect
from rankprism.measures.ideal import ideal_sums, sorted_gains
from rankprism.measures.parameter import Cutoff, OneOf, Range
from rankprism.measures.parts import (
    ANY,
    RECIPROCAL,
    Gain,
    GainRule,
    hit_discount,
    hit_gain,
    over_best,
    ratio,
    relevant,
    total,
)
from rankprism.measures.terms import Terms

Blend = Annotated[
    float, Range(0), "the weight of gains compared with numbers of documents; with 0, gains do not count"
]


def blended_ratio(hits: Hits, beta: float, gain: str) -> Floats:
    """(N, A, H) BR(i) = (C(i) + β cg(i)) / (i + β cg*(i)); 0 where the document is not relevant

    C is the number of relevant documents down to rank i, cg is the sum of their gains, and cg* is this sum
    for the ideal ranking.
    """
    g = hit_gain(hits, Gain(gain))
    found, gained = np.cumsum(g > 0, axis=-1), np.cumsum(g, axis=-1)
    best = ideal_gain(hits, gain)
    return (g > 0) * (found + beta * gained) / (hits.rank[:, None, :] + beta * best)


def ideal_gain(hits: Hits, gain: str) -> Floats:
    """(N, A, H) cg*: the sum of gains of the ideal ranking down to the rank of each retrieved document."""
    sums = ideal_sums(hits.pool, Gain(gain))
    if not sums.shape[-1]:
        return np.zeros(hits.grade.shape)
    place = np.minimum(hits.rank, sums.shape[-1]) - 1
    return np.take_along_axis(sums[hits.topic], place[:, None, :], axis=-1)


@single(
    cite="sakai2005reliability sakai2011evaluating",
    compared=SAKAI_SONG,
)
def Q(beta: Blend = 1.0, gain: GainRule = "exp", cutoff: Cutoff = None) -> PlainPerAspect:
    """Q-measure: average precision in which the precision also takes gains into account.

    Q@k = 1/min(k,R) Σ_{i≤k} [g_i > 0] (C(i) + β cg(i)) / (i + β cg*(i))

    C is the number of relevant documents down to rank i, cg is the sum of their gains, and cg* is this sum
    for the ideal ranking. R is the number of relevant documents. With β = 0, Q is AP divided by min(k,R)
    instead of R.

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 2, "b": 1}}, {"q": {"b": 2, "a": 1}}, ["Q@10", "Q(beta=0)@10"]).mean()
    {'run': {'Q@10': 0.75, 'Q(beta=0)@10': 1.0}}
    """

    def reachable(hits: Hits) -> Floats:
        """(N, A) min(k,R)"""
        R = relevant(hits.pool, Gain(gain))[hits.topic]
        return R if cutoff is None else np.minimum(R, cutoff)

    def terms(hits: Hits) -> Terms:
        return Terms({"blended ratio": blended_ratio(hits.top(cutoff), beta, gain)}, over=reachable(hits))

    def over_orders(hits: Hits) -> Floats:
        from rankprism.measures.ties.graded import blended_ratios

        return over_best(blended_ratios(hits, beta, Gain(gain), cutoff), reachable(hits))

    return PlainPerAspect(
        terms=terms,
        bounds=lambda c: _q_bounds(c.gains(Gain(gain), cutoff), beta, cutoff),
        over_orders=over_orders,
        best_by=Gain("linear"),
        has_steps=True,
        range=(0.0, 1.0),
    )


@single(cite="sakai2006give sakai2012intuitiveness", aliases="P+")
def P_plus(beta: Blend = 1.0, gain: GainRule = "exp", cutoff: Cutoff = None) -> PlainPerAspect:
    """P+: the mean blended ratio of Q down to the best document, for users who want just one document.

    P+ = 1/C(i_p) Σ_{i≤i_p} [g_i > 0] BR(i), where i_p is the first rank with the highest grade in the ranking
    and BR(i) = (C(i) + β cg(i)) / (i + β cg*(i))

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 2, "b": 1}}, {"q": {"a": 2, "b": 1}}, ["P_plus", "P_plus(beta=0)"]).mean()
    {'run': {'P_plus': 1.0, 'P_plus(beta=0)': 1.0}}
    """
    return PlainPerAspect(
        per_aspect=lambda hits: down_to_best(hits.top(cutoff), beta, gain),
        bounds=lambda c: _p_plus_bounds(c.gains(Gain(gain), cutoff), beta),
        over_orders=lambda hits: _plus_law(hits, beta, gain, cutoff)[0],
        extremes=lambda hits: _plus_law(hits, beta, gain, cutoff)[1:],
        is_deep=False,
        range=(0.0, 1.0),
    )


def down_to_best(hits: Hits, beta: float, gain: str) -> Floats:
    """(N, A) the mean blended ratio of the relevant documents down to the best"""
    if not hits.grade.shape[-1]:
        return np.zeros(hits.grade.shape[:2])
    preferred = hits.grade.argmax(-1)[:, :, None]  # the first of the highest
    early = np.arange(hits.grade.shape[-1]) <= preferred
    ratios = blended_ratio(hits, beta, gain) * early
    return over_best(total(ratios), ((hits.grade > 0) & early).sum(-1).astype(np.float64))


def _plus_law(hits: Hits, beta: float, gain: str, cutoff: int | None) -> tuple[Floats, Floats, Floats]:
    """(N, A) three times: the expected, the lowest and the highest score over all orders of tied documents"""
    from rankprism.measures.ties.grouping import aspect_by_aspect, of_aspects
    from rankprism.measures.ties.lattice import numbered
    from rankprism.measures.ties.plus import law_of_p_plus

    with numbered(of_aspects(hits)):
        law = law_of_p_plus(aspect_by_aspect(hits), beta, Gain(gain), cutoff)
    shape = hits.grade.shape[:2]
    return law.expected.reshape(shape), law.low.reshape(shape), law.high.reshape(shape)


Levels = Annotated[
    str | Mapping[float, float],
    OneOf(("uniform", "printed")),
    "the probability that each grade is a user's threshold of relevance: 'uniform' is the same for all "
    "grades, and 'printed' is proportional to the grade, as in the equations of Sakai and Song; or a mapping "
    "such as {1:0.5,2:0.3,3:0.2}",
]


def _worth(grades: Floats, levels: str | Mapping[float, float]) -> Floats:
    """W(g), the probability that the threshold is at most g, up to a factor"""
    if not isinstance(levels, Mapping):
        return grades if levels == "uniform" else grades * (grades + 1)
    worth = np.zeros(grades.shape)
    for bar, weight in sorted(levels.items()):
        worth += weight * (grades >= bar)
    return worth


def _gap(grade: Floats, rank: Ints, levels: str | Mapping[float, float]) -> Floats:
    """(N, A) Σ_i 1/i Σ_{j≤i} W(min(g_i, g_j)), from grades (N, A, H) and ranks (N, H)"""
    return total(_worth_with_above(grade, levels) / rank[:, None, :])


def _worth_with_above(grade: Floats, levels: str | Mapping[float, float]) -> Floats:
    """(N, A, H) Σ_{j≤i} W(min(g_i, g_j))

    The sum has a term for each grade, which counts the documents down to i that have it. For the grade of
    document i itself, the term also counts higher grades. A grade that occurs only in other rankings adds 0.
    """
    inner = np.zeros(grade.shape)
    for g in np.unique(grade):
        if g <= 0:
            continue
        lower, same = np.cumsum(grade == g, axis=-1), np.cumsum(grade >= g, axis=-1)
        inner += _worth(np.array(g), levels) * np.where(grade > g, lower, np.where(grade == g, same, 0))
    return inner


def _of_gap(hits: Hits, levels: str | Mapping[float, float], best: Floats) -> dict[str, Floats]:
    return {
        "worth with those above": _worth_with_above(hits.grade, levels),
        "discount": hit_discount(hits, RECIPROCAL)[:, None, :],
        "scale": ratio(np.ones(()), best[hits.topic])[:, :, None],
    }


def _ideal_gap(pool: Pool, levels: str | Mapping[float, float], cutoff: int | None = None) -> Floats:
    """(T, A) the same for the judged documents, sorted by descending grades"""
    ideal = sorted_gains(pool, Gain("linear"))[:, :, :cutoff]
    rank = np.arange(1, ideal.shape[-1] + 1, dtype=np.int32)
    return _gap(ideal, rank[None], levels)


def _gap_over_orders(hits: Hits, levels: str | Mapping[float, float], cutoff: int | None) -> Floats:
    """(N, A) the expectation of `_gap` over all orders of tied documents"""
    from rankprism.measures.ties.graded import graded_precision

    grades = np.unique(hits.grade[hits.grade > 0])
    steps = np.diff(_worth(grades, levels), prepend=0.0)
    return graded_precision(hits, dict(zip(grades.tolist(), steps.tolist(), strict=True)), cutoff)


def _over_ideal_gap(levels: str | Mapping[float, float], cutoff: int | None) -> PlainPerAspect:
    """GAP, or nGAP at a cutoff: the sum over pairs, divided by that of the ideal ranking"""

    def score(hits: Hits) -> Floats:
        top = hits.top(cutoff)
        return over_best(_gap(top.grade, top.rank, levels), _ideal_gap(hits.pool, levels, cutoff)[hits.topic])

    def over_orders(hits: Hits) -> Floats:
        ideal = _ideal_gap(hits.pool, levels, cutoff)[hits.topic]
        return over_best(_gap_over_orders(hits, levels, cutoff), ideal)

    return PlainPerAspect(
        per_aspect=score,
        factors=lambda hits: _of_gap(hits.top(cutoff), levels, _ideal_gap(hits.pool, levels, cutoff)),
        bounds=lambda c: _gap_bounds(c, levels, cutoff),
        over_orders=over_orders,
        best_by=Gain("linear"),
        has_steps=True,
        range=(0.0, 1.0),
    )


@single(cite="robertson2010extending sakai2011evaluating", compared=SAKAI_SONG)
def GAP(levels: Levels = "uniform") -> PlainPerAspect:
    """Graded average precision: AP for a user whose threshold of relevance is not known.

    GAP = Σ_i 1/i Σ_{j≤i} W(min(g_i, g_j))  ÷  Σ_{judged d} W(g_d), where W(g) is the probability
    that the threshold is at most g

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 2, "b": 1}}, {"q": {"b": 2, "a": 1}}, ["GAP"]).mean()
    {'run': {'GAP': 0.8333333333333334}}
    """
    return _over_ideal_gap(levels, None)


@single(cite="robertson2010extending sakai2011evaluating", compared=SAKAI_SONG)
def nGAP(levels: Levels = "uniform", cutoff: Cutoff = None) -> PlainPerAspect:
    """Normalised GAP: the sum of GAP divided by the same sum for the best possible ranking.

    nGAP@k = Σ_{i≤k} 1/i Σ_{j≤i} W(min(g_i, g_j))  ÷  Σ_{i≤k} W(g*_i), where g* are the judged grades,
    sorted in descending order

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"a": 2, "b": 1}}, {"q": {"b": 2, "a": 1}}, ["nGAP@1"]).mean()
    {'run': {'nGAP@1': 0.5}}
    """
    return _over_ideal_gap(levels, cutoff)


# ── bounds if judgments are missing ──────────────────────────────────────────────────────────────


def ratio_bounds(g: Gains, beta: float) -> Pair:
    """Bounds (N, A, n) of (C(i) + β cg(i)) / (i + β cg*(i)) for a document at rank i that is relevant.

    C and cg never fall when a gain rises, nor does cg*, the largest possible sum of i gains. So cg ≤ cg*, and
    the ratio is at most 1.
    """
    n = g.least.shape[-1]
    i = np.arange(1, n + 1)

    def of_ideal(gains: Floats) -> Floats:
        width = gains.shape[-1]
        if not width:
            return np.zeros((*gains.shape[:2], n))
        return np.cumsum(gains, axis=-1)[..., np.minimum(i, width) - 1]

    free = g.free[:, None, :]
    found = np.cumsum(g.least > 0, axis=-1) + free
    gained = np.cumsum(g.least, axis=-1) + free * g.bottom[:, :, None]
    most = of_ideal(g.ideal(g.top, g.count, n, most=True))
    low = (found + beta * gained) / (i + beta * most)
    found, gained = np.cumsum(g.most > 0, axis=-1), np.cumsum(g.most, axis=-1)
    high = (found + beta * gained) / (i + beta * of_ideal(g.ideal_least[g.topic]))
    return low, np.minimum(high, 1.0)


def _q_bounds(g: Gains, beta: float, cutoff: int | None) -> Pair:
    """Bounds of 1/min(k,R) Σ_{i≤k} [g_i > 0] BR(i).

    Lower bound: judged relevant documents have at least their least ratios, whatever else is relevant, and R
    grows at most by the number of unjudged documents. Upper bound: m new documents above the cutoff have at
    most the m largest ratios that unjudged ones can have, and R grows by m. No ratio exceeds 1, and at most
    min(k,R) documents count.
    """
    if not g.least.shape[-1]:
        zero = np.zeros(g.top.shape)
        return zero, zero
    least, most = ratio_bounds(g, beta)
    R = (g.ideal_most > 0).sum(-1)[g.topic]

    def base(count: Longs) -> Floats:
        """min(k, R + count), from (N, 1, n)"""
        relevant = R[:, :, None] + count
        return np.asarray(relevant if cutoff is None else np.minimum(relevant, cutoff), dtype=np.float64)

    everything = base((g.count[:, None] * (g.top > 0))[:, :, None])[..., 0]
    low = ratio(total(least * (g.least > 0)), everything)
    new = np.where(g.free[:, None, :] & (g.top > 0)[:, :, None], most, 0.0)
    new = np.concatenate([np.zeros((*new.shape[:2], 1)), -np.sort(-new, axis=-1)], axis=-1)
    sums = total(most * (g.least > 0))[:, :, None] + np.cumsum(new, axis=-1)
    m = np.arange(new.shape[-1])
    possible = (m <= g.free.sum(-1)[:, None])[:, None, :]
    high = np.where(possible, ratio(sums, base(m[None, None, :])), 0.0).max(-1)
    return low, np.minimum(high, 1.0)


def _p_plus_bounds(g: Gains, beta: float) -> Pair:
    """Bounds of the mean of the blended ratios of relevant documents down to the best of the list.

    A mean lies between the smallest and the largest value that may be in it. It is 0 if the list has no
    relevant document.
    """
    if not g.least.shape[-1]:
        zero = np.zeros(g.top.shape)
        return zero, zero
    least, most = ratio_bounds(g, beta)
    possible = g.most > 0
    low = np.where(possible, least, np.inf).min(-1)
    high = np.where(possible, most, 0.0).max(-1)
    return np.where((g.least > 0).any(-1), low, 0.0), high


def _over_ideal(g: Gains, judged: Floats, cutoff: int | None) -> Pair:
    """Bounds of `judged`, Σ_i 1/i Σ_{j≤i} W(min(g_i, g_j)), over Σ W of all documents, or of the k best;
    gains are W.

    The divisor is bounded by m documents of the lowest W above 0 and by m of the highest, see
    `precision_sums`. For each bar that grades clear, the sum is at most the number of documents clearing it,
    so 1 is a bound too.
    """
    own = g.ideal_least[g.topic]
    D = own.shape[-1]
    sums = np.concatenate([np.zeros((*own.shape[:2], 1)), np.cumsum(own, axis=-1)], axis=-1)
    k = D + int(g.count.max(initial=0)) if cutoff is None else cutoff

    def best(value: Floats) -> Callable[[Longs], Floats]:
        before = (own >= value[:, :, None]).sum(-1)[:, :, None]  # judged documents ahead of the new ones

        def of(m: Longs) -> Floats:
            m = m[:, None, :]
            first = np.minimum(before, k)
            rest = np.clip(k - m, first, D)
            ahead, until = np.take_along_axis(sums, first, -1), np.take_along_axis(sums, rest, -1)
            return np.asarray(ahead + value[:, :, None] * np.clip(k - before, 0, m) + until - ahead)

        return of

    low, high = precision_sums(g, judged, best(g.bottom), best(g.top))
    return low, np.minimum(high, 1.0)


def _gap_bounds(c: Completions, levels: str | Mapping[float, float], cutoff: int | None) -> Pair:
    def worth(grade: Floats) -> Floats:
        if isinstance(levels, Mapping):
            worths: Floats = np.sum([w * (grade >= max(bar, ANY)) for bar, w in levels.items()], axis=0)
            return worths
        return grade if levels == "uniform" else grade * (grade + 1)

    bars = tuple(levels) if isinstance(levels, Mapping) else ()
    top = c.hits.top(cutoff)
    gap = _gap(top.grade, top.rank, levels)
    return _over_ideal(c.gains(worth, cutoff, also=bars), gap, cutoff)
