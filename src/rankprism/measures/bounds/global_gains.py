"""Bounds of D-measures, which treat the gains over all intents as the gains of one aspect, (N, 1)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankprism._core import sums_over_aspects
from rankprism.errors import MeasureError
from rankprism.measures.bounds.completions import Completions, Gains
from rankprism.measures.bounds.graded import blended_ratios
from rankprism.measures.bounds.ranges import Pair, over_aspects, raw_weights
from rankprism.measures.parts import CASCADE, Gain, ratio, seen, total, weighted_sum


def global_gains(
    c: Completions,
    gain: str,
    digits: int | None,
    cutoff: int | None,
    navigational: bool = False,
    absolute: bool = False,
) -> Gains:
    """The gains of documents over all aspects, Σ_t Pr(t) gain(g(d,t)), as gains of one aspect.

    If a measure only compares gains, the weights need not sum to 1. For `absolute` gains they sum to 1 over
    the aspects that count: at least those that have a relevant document now, at most those that may have one.
    """
    if digits is not None:
        raise MeasureError(
            "no bounds are known for gains that are rounded in the ranking and not in the ideal; leave out "
            "digits"
        )
    g = c.gains(Gain(gain), cutoff)
    weight = raw_weights(c, True)
    by_topic = c.hits.pool.weight
    least, most, is_sure = g.least, g.most, g.is_sure and not absolute
    if navigational:
        # A navigational intent gives its gain only to the first document on it.
        wants_one = c.hits.pool.navigational[c.hits.topic][:, :, None]
        is_sure = is_sure and not wants_one.any()
        least, most = (
            np.where(wants_one & (seen(g.crowded) > 0), 0.0, least),
            np.where(wants_one & (seen(g.least) > 0), 0.0, most),
        )
    pools = [Gain(gain)(c.hits.pool.grade, x) for x in (c.peak, c.hits.pool.highest)]
    ideals = [-np.sort(-sums_over_aspects(x, by_topic), axis=-1) for x in pools]
    top = weighted_sum(g.top, weight)
    bottom = np.where(weight * g.bottom > 0, weight * g.bottom, np.inf).min(-1, initial=np.inf)
    bottom = np.where(np.isinf(bottom), 0.0, bottom)
    if navigational:
        bottom = np.where(wants_one.any((1, 2)), 0.0, bottom)  # a new document may gain nothing
    known, open_ = np.ones(len(weight)), np.ones(len(weight))
    topics = np.ones(len(by_topic)), np.ones(len(by_topic))
    if absolute:
        live = c.hits.pool.counting((pools[1] > 0).any(-1))
        could = live | (c.level.max(-1, initial=0.0) > 0)
        topics = total(np.where(could, by_topic, 0.0)), total(np.where(live, by_topic, 0.0))
        open_, known = (x[c.hits.topic] for x in topics)
        top = over_aspects(g.top, g.top, weight, g.live, g.maybe)[1]
        bottom = ratio(bottom, open_)
    low = ratio(sums_over_aspects(least, weight), open_[:, None])
    # Judged documents count most if the fewest aspects count. Unjudged documents gain `top`.
    judged = np.where(g.free[:, None, :], 0.0, most)
    high = np.where(g.free, top[:, None], ratio(sums_over_aspects(judged, weight), known[:, None]))
    if navigational:
        high = np.where(g.free, sums_over_aspects(most, weight), high)
    return Gains(
        low[:, None, :],
        high[:, None, :],
        g.free,
        g.count,
        top[:, None],
        bottom[:, None],
        ratio(ideals[0], topics[0][:, None])[:, None, :],
        ratio(ideals[1], topics[1][:, None])[:, None, :],
        g.topic,
        is_sure,
    )


def chances(g: Gains) -> Gains:
    """Bounds of the chance to satisfy, GG / (GGmax + 1). GGmax is at least the highest GG of the judged
    documents, and at most the highest GG of judged and new ones. A new document with the gain x has at most
    the chance x / (x + 1), which grows with x."""
    least = g.ideal_least.max(-1, initial=0.0)[g.topic] + 1  # (N, 1)
    most = np.maximum(g.ideal_most.max(-1, initial=0.0)[g.topic], g.top) + 1
    of_topic = np.zeros((len(g.ideal_least), 1))
    np.maximum.at(of_topic, g.topic, most)
    low_of_topic = g.ideal_least.max(-1, initial=0.0) + 1
    of_topic = np.maximum(of_topic, 1.0)
    top = g.top / (g.top + 1)
    return Gains(
        g.least / most[:, :, None],
        np.where(g.free[:, None, :], top[:, :, None], np.minimum(g.most / least[:, :, None], 1.0)),
        g.free,
        g.count,
        top,
        g.bottom / most,
        g.ideal_least / of_topic[:, :, None],
        np.minimum(g.ideal_most / low_of_topic[:, :, None], 1.0),
        g.topic,
        is_sure=False,
    )


def expected_blended_ratio(g: Gains, beta: float) -> Pair:
    """Bounds of Σ_i BR(i) r_i Π_{j<i} (1 - r_j): each factor is bounded on its own, and the sum is at most
    1."""
    if not g.least.shape[-1]:
        zero = np.zeros(g.top.shape)
        return zero, zero
    r = chances(g)
    least, most = blended_ratios(g, beta)
    low = total(least * r.least * CASCADE(r.most))
    high = np.minimum(total(most * r.most * CASCADE(r.least)), total(r.most * CASCADE(r.most)))
    return low, high


def shares_of_highest(g: Gains) -> Gains:
    """Bounds of the gain GG / GGmax. No document gains more than GGmax, which is at least the highest GG of
    the judged documents, and at most the highest GG of judged and new ones."""
    least = g.ideal_least.max(-1, initial=0.0)[g.topic][:, :, None]
    most = np.maximum(g.ideal_most.max(-1, initial=0.0)[g.topic], g.top)[:, :, None]
    high = np.where(g.free[:, None, :], (g.top > 0)[:, :, None], np.minimum(ratio(g.most, least), 1.0))
    return replace(g, least=ratio(g.least, most), most=high)
