"""Measures that score each aspect and then combine the scores: intent-aware measures, CAM, MM and others."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from rankprism.data import Floats, Hits
from rankprism.measures.bounds.completions import Completions
from rankprism.measures.bounds.ranges import Pair
from rankprism.measures.compared import TREC_DD
from rankprism.measures.declare import measure
from rankprism.measures.definition import Definition
from rankprism.measures.form import Plain
from rankprism.measures.forms import Chosen, OverAspects, harmonic
from rankprism.measures.measure import Measure
from rankprism.measures.parameter import OneOf, Role
from rankprism.measures.parts import ANY, binary, ratio, shares, total


def intent_aware(base: Definition) -> Definition:
    """Make ``M_IA`` from a single-aspect measure M: the expected score over the user's intents.

    M_IA = Σ_t w_t M_t over the topic's aspects with a relevant document; the weights sum to 1
    """

    def form(**settings: Any) -> OverAspects:
        measure = Measure(base, settings)
        # If the gains of M are binary, a document is relevant if its grade reaches the threshold of M.
        # Otherwise it is relevant if it has any gain.
        gain, threshold = measure.of(Role.GAIN), measure.of(Role.THRESHOLD)
        is_binary = threshold is not None if gain is None else gain == "binary"
        lowest = 1.0 if threshold is None else threshold
        return OverAspects(measure, live=binary(lowest if is_binary else ANY))

    def described() -> None: ...

    described.__name__ = f"{base.name}_IA"
    described.__module__ = base.module
    described.__doc__ = (
        f"Intent-aware {base.name}: the mean of {base.name} over the topic's aspects.\n\n"
        f"{base.name}_IA = Σ_t w_t {base.name}_t over the aspects with a relevant document; the weights\n"
        f"are uniform unless given, and sum to 1\n\n{base.doc.partition('>>>')[0].strip()}"
    )
    return Definition(
        described,
        form,
        tuple(p for p in base.parameters if p.role is not Role.FOLD),
        cite=(*base.cite, "agrawal2009diversifying"),
        aliases=tuple(f"{alias}_IA" for alias in base.aliases),
        lower_is_better=base.lower_is_better,
        partial=base.partial,
        written=(base.function, *base.written),
    )


Inner = Annotated[Measure, "the single-aspect measure that scores each aspect", Role.INNER]
AspectName = Annotated[str | None, "the name of the aspect", Role.ASPECT]
GoodAspect = Annotated[str, "the name of the aspect on which a high score is good"]
BadAspect = Annotated[str, "the name of the aspect on which a low score is good"]


@measure(
    cite="lioma2017evaluation",
    compared="5 runs of TREC Health Misinformation 2021 (their 4 decimals, but for one topic of one run)",
)
def CAM(measure: Inner) -> OverAspects:
    """Convex aggregating measure: the weighted mean of a measure over the topic's aspects.

    CAM(M) = Σ_t w_t M_t over all aspects; an aspect without a relevant document scores 0

    >>> from rankprism import evaluate
    >>> two = {"q": {"relevant": {"a": 1, "b": 1}, "credible": {"b": 1}}}
    >>> evaluate(two, {"q": {"a": 2, "b": 1}}, ["CAM(AP)", "MM(AP)"]).mean()
    {'run': {'CAM(AP)': 0.75, 'MM(AP)': 0.6666666666666666}}
    """
    return OverAspects(measure)


@measure(cite="maistro2021principled", aliases="WHAM")
def MM(measure: Inner) -> OverAspects:
    """Multidimensional measure: the weighted harmonic mean of a measure over the topic's aspects.

    MM(M) = 1 / Σ_t (w_t / M_t) over all aspects; 0 if one of them scores 0

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 1}, "s2": {"b": 1}}}
    >>> evaluate(two, {"q": {"a": 2, "b": 1}}, ["MM(RR)", "MM(RR@1)"]).mean()
    {'run': {'MM(RR)': 0.6666666666666666, 'MM(RR@1)': 0.0}}
    """
    return OverAspects(measure, mean=harmonic)


Mean = Annotated[str, OneOf(("arithmetic", "harmonic")), "the mean over the aspects"]


@measure(cite="yang2015overview", compared=TREC_DD)
def Reached(measure: Inner, mean: Mean = "arithmetic") -> Plain:
    """The mean of a measure over the aspects that a ranking reaches, as in TREC Dynamic Domain 2015.

    Reached(M) = Σ_t w_t M_t / Σ_t w_t over the aspects with M_t > 0, or their harmonic mean; 0 if there are
    none

    The track's means of ERR over subtopics are Reached(ERR) and Reached(ERR,mean='harmonic'). Reaching one
    more aspect late may lower them. CAM(ERR) and MM(ERR) are the means over all aspects.

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 4}, "s2": {"b": 4}}}
    >>> evaluate(two, {"q": {"a": 2, "x": 1}}, ["Reached(ERR)", "CAM(ERR)"]).mean()
    {'run': {'Reached(ERR)': 0.9375, 'CAM(ERR)': 0.46875}}
    """
    return Plain(
        score=lambda hits: _mean_reached(hits, measure, mean),
        bounds=lambda c: _over_reached(c, measure, mean),
        is_deep=measure.grows_with_depth,
        range=measure.range,
    )


def _mean_reached(hits: Hits, measure: Measure, mean: str) -> Floats:
    """(N,) the mean over the aspects that score more than 0"""
    score = measure.per_aspect(hits)
    share = np.where(score > 0, shares(hits), 0.0)
    if mean == "harmonic":
        return ratio(total(share), total(ratio(share, score)))
    return ratio(total(share * score), total(share))


def _over_reached(c: Completions, measure: Measure, mean: str) -> Pair:
    """(N,) bounds of a mean over the aspects that score more than 0

    At worst, an aspect that may be reached counts with a score near 0. At best, it counts only if it raises
    the mean, which is decided from the highest score to the lowest.
    """
    low, high = measure.bounds_per_aspect(c)
    share = shares(c.hits)
    sure, maybe = low > 0, (high > 0) & (low <= 0)
    counted = np.where(sure, share, 0.0)
    if mean == "harmonic":
        least = ratio(total(counted), total(ratio(counted, low)))
        least = np.where((maybe & (share > 0)).any(-1), 0.0, least)
        above, below = total(counted), total(ratio(counted, high))
    else:
        least = ratio(total(counted * low), total(np.where(sure | maybe, share, 0.0)))
        above, below = total(counted * high), total(counted)
    for column in np.argsort(-np.where(maybe, high, 0.0), axis=-1, kind="stable").T:
        rows = np.arange(len(column))
        w, h = np.where(maybe, share, 0.0)[rows, column], high[rows, column]
        more = (w, ratio(w, h)) if mean == "harmonic" else (w * h, w)
        raises = ratio(above + more[0], below + more[1]) > ratio(above, below)
        above, below = (np.where(raises, x + y, x) for x, y in zip((above, below), more, strict=True))
    return least, ratio(above, below)


@measure(cite="lioma2017evaluation")
def Aspect(measure: Inner, aspect: AspectName = None) -> Chosen:
    """A measure of one aspect, such as credibility, which ignores all other aspects.

    Aspect(M) = M_t, where t is the named aspect, which every topic must have

    A lower score is better on the aspect harmful, and on an aspect whose settings have lower_is_better.

    >>> from rankprism import evaluate
    >>> two = {"q": {"relevant": {"a": 1, "b": 1}, "credible": {"b": 1}}}
    >>> evaluate(two, {"q": {"a": 2, "b": 1}}, ["Aspect(AP,aspect='credible')"]).mean()
    {'run': {"Aspect(AP,aspect='credible')": 0.5}}
    """
    return Chosen(measure, ("aspect", aspect))


@measure(cite="clarke2021assessing")
def Contrast(measure: Inner, good: GoodAspect = "helpful", bad: BadAspect = "harmful") -> Chosen:
    """The score on a good aspect minus the score on a bad one, such as helpful minus harmful documents.

    Contrast(M) = M_good - M_bad

    The TREC Health Misinformation tracks report Contrast(Compat(depth=1000)).

    >>> from rankprism import evaluate
    >>> two = {"q": {"helpful": {"a": 2}, "harmful": {"b": 1}}}
    >>> evaluate(two, {"q": {"a": 2, "b": 1}}, ["Contrast(RR)"]).mean()
    {'run': {'Contrast(RR)': 0.5}}
    """
    return Chosen(measure, ("good", good), minus=("bad", bad))
