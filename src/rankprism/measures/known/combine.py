"""Measures that score each aspect and then combine the scores: intent-aware measures, CAM, MM and others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

import numpy as np

from rankprism._core import sums_over_aspects
from rankprism.arrays import Floats
from rankprism.data.hits import Hits
from rankprism.errors import MeasureError, listed
from rankprism.measures.bounds.completions import Completions
from rankprism.measures.bounds.ranges import Pair, over_aspects, weights
from rankprism.measures.compared import TREC_DD
from rankprism.measures.declare import measure
from rankprism.measures.definition import Bounds, Definition, Formula, Ties
from rankprism.measures.family import linear_worth
from rankprism.measures.measure import Measure
from rankprism.measures.parameter import OneOf, Role
from rankprism.measures.parts import (
    NO_NOVELTY,
    Gain,
    Parts,
    aspect_weights,
    binary,
    expected,
    ratio,
    shares,
    total,
)
from rankprism.measures.terms import MadeOf, added, of_all_aspects, of_aspect

_SMALLEST = 5e-324  # any grade above 0


def intent_aware(base: Definition) -> Definition:
    """Make ``M_IA`` from a single-aspect measure M: the expected score over the user's intents.

    M_IA = Σ_t w_t M_t over the topic's aspects with a relevant document; the weights sum to 1
    """

    own = base.formula

    def relevant(settings: Mapping[str, Any]) -> Gain:
        # If the gains of M are binary, a document is relevant if its grade reaches the threshold of M.
        # Otherwise it is relevant if it has any gain.
        gain, threshold = (base.roles.get(role) for role in (Role.GAIN, Role.THRESHOLD))
        is_binary = settings[gain.name] == "binary" if gain else threshold is not None
        lowest = settings[threshold.name] if threshold else 1.0
        return binary(lowest if is_binary else _SMALLEST)

    def function(hits: Hits, **settings: Any) -> Floats:
        weight = aspect_weights(hits, relevant(settings), weighted=True)
        score = own.function(hits, **settings)
        if not base.partial:
            return expected(score, weight)
        # A weight of 0 times no score is 0. Without any weight, there is no score.
        mean = expected(np.where(weight > 0, score, 0.0), weight)
        return np.where(weight.any(-1), mean, np.nan)

    def made_of(hits: Hits, **settings: Any) -> MadeOf:
        assert own.made_of is not None
        weight = aspect_weights(hits, relevant(settings), weighted=True)
        return of_all_aspects(own.made_of(hits, **settings), weight)

    def completed(c: Completions, **settings: Any) -> Pair:
        g = c.gains(relevant(settings), 1)
        assert own.bounds.function is not None
        low, high = own.bounds.function(c, **settings)
        return over_aspects(low, high, weights(c, weighted=True), g.live, g.maybe)

    def expectation(hits: Hits, **settings: Any) -> Floats:
        weight = aspect_weights(hits, relevant(settings), weighted=True)
        return expected(_expected_per_aspect(Measure(base, settings), hits), weight)

    def worth(hits: Hits, **settings: Any) -> Floats | None:
        return _worth(Measure(base, settings), hits, aspect_weights(hits, relevant(settings), weighted=True))

    function.__name__ = f"{base.name}_IA"
    function.__module__ = base.module
    function.__doc__ = (
        f"Intent-aware {base.name}: the mean of {base.name} over the topic's aspects.\n\n"
        f"{base.name}_IA = Σ_t w_t {base.name}_t over the aspects with a relevant document; the weights\n"
        f"are uniform unless given, and sum to 1\n\n{base.doc.partition('>>>')[0].strip()}"
    )
    bounds = own.bounds if own.bounds.function is None else Bounds("outer", completed)
    return Definition(
        Formula(
            function,
            None if own.made_of is None else made_of,
            bounds,
            ties=Ties(
                expectation,
                worth,
                steps=lambda **settings: Measure(base, settings).has_steps,
                order_free=own.ties.order_free,
            ),
        ),
        tuple(p for p in base.parameters if p.role is not Role.FOLD),
        cite=(*base.cite, "agrawal2009diversifying"),
        aliases=tuple(f"{alias}_IA" for alias in base.aliases),
        lower_is_better=base.lower_is_better,
        partial=base.partial,
    )


def _expected_per_aspect(measure: Measure, hits: Hits) -> Floats:
    """(N, A) the expectation of each aspect's score over all orders of tied documents"""
    from rankprism.measures.ties.scores import expected_per_aspect

    return expected_per_aspect(measure, hits)


def _worth(measure: Measure, hits: Hits, weight: Floats) -> Floats | None:
    """(N, 1, H) what each document adds to Σ_t w_t M_t, apart from its discount; None if M is not a sum"""
    parts = measure.declared
    if not isinstance(parts, Parts) or parts.novelty != NO_NOVELTY:
        return None
    return sums_over_aspects(linear_worth(hits, parts, measure.cutoff), weight)[:, None, :]


Inner = Annotated[Measure, "the single-aspect measure that scores each aspect", Role.INNER]
AspectName = Annotated[str | None, "the name of the aspect", Role.ASPECT]
GoodAspect = Annotated[str, "the name of the aspect on which a high score is good"]
BadAspect = Annotated[str, "the name of the aspect on which a low score is good"]


def _harmonic(score: Floats, share: Floats) -> Floats:
    zero = ((score == 0) & (share > 0)).any(-1)
    # The shares sum to 1 only up to rounding. Dividing by their sum gives exactly 1 if all scores are 1.
    return np.where(zero, 0.0, ratio(total(share), total(ratio(share, score))))


def _each(c: Completions, measure: Measure, combine: Callable[[Floats], Floats]) -> Pair:
    """Bounds of a combination of the aspects' scores that never falls when one of the scores rises.

    The grades of an unjudged document on different aspects are independent, so all aspects can have their
    best scores at the same time. The bounds are therefore exact if the bounds of the aspects are.
    """
    low, high = measure.bounds_per_aspect(c)
    return combine(low), combine(high)


@measure(
    bounds=Bounds(
        "outer", lambda c, measure: _each(c, measure, lambda score: expected(score, shares(c.hits)))
    ),
    cite="lioma2017evaluation",
    compared="5 runs of TREC Health Misinformation 2021 (their 4 decimals, but for one topic of one run)",
    made_of=lambda hits, measure: (
        None if (factors := measure.factors(hits)) is None else of_all_aspects(factors, shares(hits))
    ),
    ties=Ties(
        lambda hits, measure: expected(_expected_per_aspect(measure, hits), shares(hits)),
        lambda hits, measure: _worth(measure, hits, shares(hits)),
        steps=True,
    ),
)
def CAM(hits: Hits, measure: Inner) -> Floats:
    """Convex aggregating measure: the weighted mean of a measure over the topic's aspects.

    CAM(M) = Σ_t w_t M_t over all aspects; an aspect without a relevant document scores 0

    >>> from rankprism import evaluate
    >>> two = {"q": {"relevant": {"a": 1, "b": 1}, "credible": {"b": 1}}}
    >>> evaluate(two, {"q": {"a": 2, "b": 1}}, ["CAM(AP)", "MM(AP)"]).mean()
    {'run': {'CAM(AP)': 0.75, 'MM(AP)': 0.6666666666666666}}
    """
    return expected(measure.per_aspect(hits), shares(hits))


@measure(
    bounds=Bounds(
        "outer", lambda c, measure: _each(c, measure, lambda score: _harmonic(score, shares(c.hits)))
    ),
    cite="maistro2021principled",
    aliases="WHAM",
)
def MM(hits: Hits, measure: Inner) -> Floats:
    """Multidimensional measure: the weighted harmonic mean of a measure over the topic's aspects.

    MM(M) = 1 / Σ_t (w_t / M_t) over all aspects; 0 if one of them scores 0

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 1}, "s2": {"b": 1}}}
    >>> evaluate(two, {"q": {"a": 2, "b": 1}}, ["MM(RR)", "MM(RR@1)"]).mean()
    {'run': {'MM(RR)': 0.6666666666666666, 'MM(RR@1)': 0.0}}
    """
    return _harmonic(measure.per_aspect(hits), shares(hits))


Mean = Annotated[str, OneOf(("arithmetic", "harmonic")), "the mean over the aspects"]


@measure(
    bounds=Bounds("outer", lambda c, measure, mean: _over_reached(c, measure, mean)),
    cite="yang2015overview",
    compared=TREC_DD,
)
def Reached(hits: Hits, measure: Inner, mean: Mean = "arithmetic") -> Floats:
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


@measure(
    bounds=Bounds(
        "outer",
        lambda c, measure, aspect: _each(
            c, measure, lambda score: score[:, _column(c.hits, "Aspect", "aspect", aspect)]
        ),
    ),
    cite="lioma2017evaluation",
    made_of=lambda hits, measure, aspect: _of_aspect(hits, measure, "Aspect", "aspect", aspect),
    ties=Ties(
        lambda hits, measure, aspect: _expected_per_aspect(measure, hits)[
            :, _column(hits, "Aspect", "aspect", aspect)
        ],
        extremes=lambda hits, measure, aspect: _extremes_of(
            measure, hits, _column(hits, "Aspect", "aspect", aspect)
        ),
        steps=True,
    ),
)
def Aspect(hits: Hits, measure: Inner, aspect: AspectName = None) -> Floats:
    """A measure of one aspect, such as credibility, which ignores all other aspects.

    Aspect(M) = M_t, where t is the named aspect, which every topic must have

    A lower score is better on the aspect harmful, and on an aspect whose settings have lower_is_better.

    >>> from rankprism import evaluate
    >>> two = {"q": {"relevant": {"a": 1, "b": 1}, "credible": {"b": 1}}}
    >>> evaluate(two, {"q": {"a": 2, "b": 1}}, ["Aspect(AP,aspect='credible')"]).mean()
    {'run': {"Aspect(AP,aspect='credible')": 0.5}}
    """
    return measure.per_aspect(hits)[:, _column(hits, "Aspect", "aspect", aspect)]


@measure(
    bounds=Bounds("outer", lambda c, **settings: _contrast_bounds(c, **settings)),
    cite="clarke2021assessing",
    made_of=lambda hits, measure, good, bad: added(
        {
            good: (1.0, _of_aspect(hits, measure, "Contrast", "good", good)),
            bad: (-1.0, _of_aspect(hits, measure, "Contrast", "bad", bad)),
        },
        hits.rank.shape[1],
    ),
    ties=Ties(
        lambda hits, measure, good, bad: _contrast(hits, _expected_per_aspect(measure, hits), good, bad),
        steps=True,
    ),
)
def Contrast(hits: Hits, measure: Inner, good: GoodAspect = "helpful", bad: BadAspect = "harmful") -> Floats:
    """The score on a good aspect minus the score on a bad one, such as helpful minus harmful documents.

    Contrast(M) = M_good - M_bad

    The TREC Health Misinformation tracks report Contrast(Compat(depth=1000)).

    >>> from rankprism import evaluate
    >>> two = {"q": {"helpful": {"a": 2}, "harmful": {"b": 1}}}
    >>> evaluate(two, {"q": {"a": 2, "b": 1}}, ["Contrast(RR)"]).mean()
    {'run': {'Contrast(RR)': 0.5}}
    """
    return _contrast(hits, measure.per_aspect(hits), good, bad)


def _contrast(hits: Hits, score: Floats, good: str, bad: str) -> Floats:
    plus, minus = _column(hits, "Contrast", "good", good), _column(hits, "Contrast", "bad", bad)
    return np.asarray(score[:, plus] - score[:, minus])


def _extremes_of(measure: Measure, hits: Hits, column: int) -> tuple[Floats, Floats]:
    """(N,) twice: the lowest and the highest score of one aspect over all orders of tied documents"""
    from rankprism.measures.ties.scores import extremes_per_aspect

    low, high = extremes_per_aspect(measure, hits)
    return low[:, column], high[:, column]


def _of_aspect(hits: Hits, measure: Measure, name: str, parameter: str, aspect: str | None) -> MadeOf | None:
    factors = measure.factors(hits)
    return None if factors is None else of_aspect(factors, _column(hits, name, parameter, aspect))


def _contrast_bounds(c: Completions, measure: Measure, good: str, bad: str) -> Pair:
    low, high = measure.bounds_per_aspect(c)
    plus, minus = _column(c.hits, "Contrast", "good", good), _column(c.hits, "Contrast", "bad", bad)
    if plus == minus:
        return np.zeros(len(low)), np.zeros(len(low))
    return np.asarray(low[:, plus] - high[:, minus]), np.asarray(high[:, plus] - low[:, minus])


def _column(hits: Hits, measure: str, parameter: str, aspect: str | None) -> int:
    """The position of an aspect among the aspects of every topic."""
    labels = hits.pool.labels
    names = [scale.aspect for scale in labels.scales]
    if aspect not in names:
        raise MeasureError(
            f"{measure}: {parameter} must be one of {listed(map(repr, names))}; got {aspect!r}"
        )
    return labels.column[names.index(aspect)]
