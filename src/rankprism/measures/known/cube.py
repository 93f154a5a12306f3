"""The measures of TREC Dynamic Domain: the cube test, which asks how fast a ranking satisfies the need for
information on each aspect (Luo et al. 2013), and precision and reciprocal rank at full recall."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Annotated

import numpy as np

from rankprism._core import sums_over_aspects
from rankprism.data import Bools, Floats, Hits
from rankprism.measures.bounds.completions import Completions, Gains
from rankprism.measures.bounds.novelty import once_alive
from rankprism.measures.bounds.ranges import Pair, discounted, over_aspects, quotient, raw_weights
from rankprism.measures.compared import TREC_DD
from rankprism.measures.declare import measure
from rankprism.measures.form import OfRanking
from rankprism.measures.parameter import Cutoff, OneOf, Range, Role
from rankprism.measures.parts import (
    GAINS,
    RECIPROCAL,
    Gain,
    Rel,
    aspect_weights,
    decay,
    discounted_sum,
    gained_above,
    hit_discount,
    hit_gain,
    mean_of,
    over_best,
    ratio,
    shares,
    total,
    weighted_sum,
)
from rankprism.measures.tables import powers_of_rest
from rankprism.measures.terms import MadeOf, Terms, of_all_aspects, of_aspect

_YEARS = "as in the programs of TREC Dynamic Domain 2015 and 2016"
CubeForm = Annotated[
    str,
    OneOf(("paper", "trec-dd-2015", "trec-dd-2016")),
    "'paper': the sum in Amigó et al. 2018; 'trec-dd-2015' and 'trec-dd-2016': gain divided by time, "
    f"{_YEARS}",
]
ActForm = Annotated[
    str,
    OneOf(("trec-dd-2015", "trec-dd-2016")),
    f"'trec-dd-2015': the mean over rounds; 'trec-dd-2016': the mean over ranks, {_YEARS}",
]
CubeAlpha = Annotated[
    float,
    Range(0, 1),
    "the share by which each document on an aspect lowers its worth (1 - γ of the cube test)",
]
CubeGain = Annotated[
    str,
    OneOf(GAINS),
    "the gain of a grade in the form of the paper: 1 for every grade of at least rel, the grade itself, "
    "2^g - 1, or (2^g - 1) / 2^gmax; the forms of trec-dd always take the grade itself",
    Role.GAIN,
]
Saturation = Annotated[
    float, Range(0, above_low=True), "the gain that satisfies an aspect, in the form of the paper"
]
Height = Annotated[
    float, Range(0, above_low=True), "the gain that satisfies an aspect, in the forms of trec-dd"
]
Batch = Annotated[
    int, Range(1), "the number of documents that a user sees at a time, in the forms of trec-dd"
]


@dataclass(frozen=True)
class Cube(OfRanking):
    """CT as in the programs of TREC Dynamic Domain: how much of the cube is filled, over time."""

    form: str
    alpha: float
    height: float
    batch: int
    cutoff: int | None
    is_sum = True
    is_deep = False
    range = (0.0, math.inf)

    def filled(self, hits: Hits) -> Floats:
        """(N, H) the share of the whole cube that is filled after each retrieved document

        A document of grade g adds γ^(c+1)·g to an aspect, where γ = 1-α and c is the number of documents that
        have added to it before. In 2016, an aspect is never filled above `height`. In 2015, the document that
        fills it counts fully.
        """
        added = (1 - self.alpha) * decay(self.alpha)(hits.grade) * hits.grade
        if self.form == "trec-dd-2015":
            heights = np.cumsum(added * _wanted(added, self.height), axis=-1)
        else:
            heights = np.minimum(np.cumsum(added, axis=-1), self.height)
        return sums_over_aspects(heights / self.height, shares(hits))

    def rounds(self, documents: Floats) -> Floats:
        """The number of rounds in which this many documents are seen"""
        return np.ceil(documents / self.batch)

    def time(self, hits: Hits) -> Floats:
        """(N,) the number of rounds that the ranking takes; in 2015, a short one is padded to the cutoff"""
        return self.rounds(hits.depth(self.cutoff if self.form == "trec-dd-2015" else None))

    def score(self, hits: Hits) -> Floats:
        """(N,) gain over time at the end of the ranking"""
        top = hits.top(self.cutoff)
        return ratio(self.filled(top).max(-1, initial=0.0), self.time(top))

    def steps_of(self, hits: Hits) -> Bools:
        """Unless an aspect may be filled above `height`, what a document adds depends only on which documents
        are above. The order of descending grades fills an aspect most."""
        g = -np.sort(-hits.grade, axis=-1)
        most = (1 - self.alpha) * discounted_sum(g, powers_of_rest(g.shape[-1], self.alpha))
        return np.asarray(~(most > self.height * (1 - 1e-9)).any(-1))

    def scale(self, hits: Hits) -> Floats:
        """(N,) what the gain is multiplied by"""
        return ratio(np.ones(()), self.time(hits.top(self.cutoff)))

    def made_of(self, hits: Hits) -> MadeOf:
        rise = np.diff(self.filled(hits.top(self.cutoff)), axis=-1, prepend=0.0)
        return MadeOf({"gain": rise, "scale": np.broadcast_to(self.scale(hits)[:, None], rise.shape)})

    def bounds(self, completions: Completions) -> Pair:
        g = completions.gains(Gain("linear"), self.cutoff)
        whole = self.form == "trec-dd-2015"
        low, high = filled_at_the_end(completions, g, self.alpha, self.height, whole)
        time = self.time(completions.hits.top(self.cutoff))
        return ratio(low, time), ratio(high, time)


@dataclass(frozen=True)
class CubeOfPaper(OfRanking):
    """CT as in the paper: a sum of gains that are new and wanted."""

    gain: Gain
    alpha: float
    saturation: float
    cutoff: int | None
    has_steps = is_sum = True
    is_deep = False
    range = (0.0, math.inf)

    def score(self, hits: Hits) -> Floats:
        hits = hits.top(self.cutoff)
        g = hit_gain(hits, self.gain)
        new = g * decay(self.alpha)(g) * _wanted(g, self.saturation)
        per_aspect = discounted_sum(new, hit_discount(hits, RECIPROCAL))
        return mean_of(per_aspect, aspect_weights(hits, self.gain, weighted=True))

    def made_of(self, hits: Hits) -> MadeOf:
        hits = hits.top(self.cutoff)
        g = hit_gain(hits, self.gain)
        factors = {
            "gain": g,
            "novelty": decay(self.alpha)(g) * _wanted(g, self.saturation),
            "discount": hit_discount(hits, RECIPROCAL)[:, None, :],
        }
        return of_all_aspects(factors, aspect_weights(hits, self.gain, weighted=True))

    def bounds(self, completions: Completions) -> Pair:
        return _paper_bounds(completions, self.gain, self.alpha, self.saturation, self.cutoff)


def _wanted(g: Floats, saturation: float) -> Bools:
    """(N, A, H) whether the documents above have not yet satisfied the aspect"""
    before = np.zeros_like(g)
    np.cumsum(g[..., :-1], axis=-1, out=before[..., 1:])
    return np.asarray(before < saturation)


@measure(cite="luo2013water amigo2018axiomatic", compared=TREC_DD)
def CT(
    form: CubeForm = "paper",
    alpha: CubeAlpha = 0.5,
    saturation: Saturation = 1.0,
    height: Height = 5.0,
    batch: Batch = 5,
    rel: Rel = 1.0,
    gain: CubeGain = "probability",
    cutoff: Cutoff = None,
) -> OfRanking:
    """Cube test: gain per time, where an aspect adds no gain once it is satisfied.

    paper: CT@k = Σ_{i≤k} 1/i Σ_t w_t g(i,t) (1-α)^c(i,t) [Σ_{j<i} g(j,t) < saturation], where c(i,t)
    is the number of documents on t above i;
    trec-dd-2016: CT@k = Σ_t w_t h_t / (height · ⌈min(k, length) / batch⌉), where each document of grade g
    raises h_t by (1-α)^(c+1) g, to at most `height`;
    trec-dd-2015: CT@k = Σ_t w_t h_t / (height · ⌈k / batch⌉), where the document that raises h_t above
    `height` counts as a whole, and later ones add nothing

    The form of the paper and the other two are different measures with the same name. Runs of TREC Dynamic
    Domain come in rounds of five documents, so the official CT after 10 rounds is @50. The program of 2015
    does not divide by `height`. If no ranking of the run has k documents, it counts only the rounds of the
    longest one.

    >>> from rankprism import evaluate
    >>> two = {"q": {"s1": {"a": 4}, "s2": {"b": 4}}}
    >>> years = ["CT(form='trec-dd-2015')@10", "CT(form='trec-dd-2016')@10"]
    >>> evaluate(two, {"q": {"a": 1}}, ["CT(gain='binary')", *years]).mean()["run"]
    {"CT(gain='binary')": 0.5, "CT(form='trec-dd-2015')@10": 0.1, "CT(form='trec-dd-2016')@10": 0.2}
    """
    if form == "paper":
        return CubeOfPaper(Gain(gain, rel), alpha, saturation, cutoff)
    return Cube(form, alpha, height, batch, cutoff)


#: The form of CT that has a bound in the official program.
_BOUNDED = "trec-dd-2016"


class NormalisedCube(Cube):
    """CT divided by its upper bound."""

    def score(self, hits: Hits) -> Floats:
        return over_best(super().score(hits), self.most(hits))

    def scale(self, hits: Hits) -> Floats:
        return ratio(np.ones(()), self.time(hits.top(self.cutoff)) * self.most(hits))

    def most(self, hits: Hits) -> Floats:
        """(N,) the bound that CT is divided by"""
        depth = hits.depth(self.cutoff)
        best = -np.sort(-hits.pool.grade, axis=-1)
        counted = np.arange(best.shape[-1]) <= depth[:, None]
        powers = powers_of_rest(best.shape[-1], self.alpha)
        sums = discounted_sum(best[hits.topic], counted * powers)
        bound = weighted_sum(np.minimum(sums, self.height) / self.height, shares(hits))
        return ratio(bound, self.rounds(depth))

    def bounds(self, completions: Completions) -> Pair:
        """CT never fills more of an aspect than its bound, so nCT is at most the ratio of their times."""
        c, depth = completions, completions.hits.depth(self.cutoff)
        g = c.gains(Gain("linear"), self.cutoff)
        low, high = quotient(
            *filled_at_the_end(c, g, self.alpha, self.height),
            *cube_test_bound(c, g, self.alpha, self.height, depth),
        )
        longer = ratio(self.rounds(depth), self.time(c.hits.top(self.cutoff)))
        return low * longer, high * longer


@measure(cite="luo2013water yang2016trec", compared=TREC_DD)
def nCT(
    alpha: CubeAlpha = 0.5, height: Height = 5.0, batch: Batch = 5, cutoff: Cutoff = None
) -> NormalisedCube:
    """Normalised cube test: the CT of TREC Dynamic Domain divided by its upper bound.

    nCT@k = CT(form='trec-dd-2016')@k / bound,  bound = Σ_t w_t min(height, Σ_{n≥0} (1-α)^n g*(n,t)) /
    (height · ⌈k / batch⌉), where g*(·,t) are the k + 1 highest grades on t

    The bound is as in the official program. It takes one document more than k, and discounts each document
    by one step less than CT does.

    >>> from rankprism import evaluate
    >>> evaluate({"q": {"s1": {"a": 4}}}, {"q": {"a": 1}}, ["nCT@5"]).mean()
    {'run': {'nCT@5': 0.5}}
    """
    return NormalisedCube(_BOUNDED, alpha, height, batch, cutoff)


class AverageCube(Cube):
    """The mean of CT on the way down the ranking."""

    def score(self, hits: Hits) -> Floats:
        return self._terms(hits).scores[:, 0]

    def made_of(self, hits: Hits) -> MadeOf:
        return of_aspect(self._terms(hits).scaled, 0)

    def _terms(self, hits: Hits) -> Terms:
        """What each document adds to the cube, and how much that counts

        The gain of a document, divided by time, counts at every rank or round from its own to the end.
        """
        hits = hits.top(self.cutoff)
        steps = np.diff(self.filled(hits), axis=-1, prepend=0.0)
        by_rank = self.form == "trec-dd-2016"
        unit = 1 if by_rank else self.batch
        longest = -(-int(hits.length.max(initial=0)) // unit)
        i = np.arange(1, longest + 1).astype(np.float64)
        time = np.concatenate(([0.0], np.cumsum(1.0 / (self.rounds(i) if by_rank else i))))
        count = hits.length.astype(np.float64) if by_rank else self.time(hits)
        # The rounds after the end of every ranking also count.
        whole = np.array([_harmonic(int(n)) for n in count]) if not by_rank else time[hits.length]
        found = steps > 0
        start = np.where(found, (hits.rank - 1) // unit, 0)
        left = np.where(found, whole[:, None] - time[start], 0.0)
        factors = {"gain": steps[:, None, :], "discount": left[:, None, :]}
        return Terms(factors, over=count[:, None], is_best=False)

    def bounds(self, completions: Completions) -> Pair:
        """Each rank has its own bounds, and the means of these over ranks or rounds bound the mean."""
        hits = completions.hits.top(self.cutoff)
        g = completions.gains(Gain("linear"), self.cutoff)
        whole = self.form == "trec-dd-2015"
        levels = filled_by_rank(completions, g, self.alpha, self.height, whole)
        i = np.arange(1, g.least.shape[-1] + 1)
        if not whole:
            inside = i <= hits.length[:, None]
            time = self.rounds(i.astype(np.float64))
            low, high = (ratio((x * inside / time).sum(-1), hits.length.astype(np.float64)) for x in levels)
            return low, high
        # Each rise of a level counts at its own rank and at all ranks below.
        rounds = self.time(hits)
        left = np.array([_harmonic(int(n)) for n in rounds])[:, None] - np.array(
            [_harmonic(int(n)) for n in (i - 1) // self.batch]
        )
        low, high = (
            ratio((np.diff(x, axis=-1, prepend=0.0) * np.maximum(left, 0.0)).sum(-1), rounds) for x in levels
        )
        return low, high


@cache
def _harmonic(n: int) -> float:
    """1 + 1/2 + … + 1/n, added in this order"""
    total = 0.0
    for first in range(1, n + 1, 1 << 20):
        some = np.arange(first, min(first + (1 << 20), n + 1), dtype=np.float64)
        total = float(np.cumsum(np.concatenate(([total], 1.0 / some)))[-1])
    return total


@measure(cite="luo2013water yang2016trec", compared=TREC_DD)
def ACT(
    form: ActForm = "trec-dd-2016",
    alpha: CubeAlpha = 0.5,
    height: Height = 5.0,
    batch: Batch = 5,
    cutoff: Cutoff = None,
) -> AverageCube:
    """Average cube test: the mean of the CT of TREC Dynamic Domain on the way down the ranking.

    trec-dd-2016: ACT@k = 1/n Σ_{i≤n} CT(form='trec-dd-2016')@i, where n = min(k, length);
    trec-dd-2015: ACT@k = 1/n Σ_{i≤n} CT(form='trec-dd-2015')@(i · batch), where n = ⌈k / batch⌉

    The program of 2015 does not divide by `height`, as for CT.

    >>> from rankprism import evaluate
    >>> fifth = {"q": {doc: -rank for rank, doc in enumerate("bcdeafghij")}}
    >>> found = evaluate({"q": {"s1": {"a": 4}}}, fifth, ["ACT@10", "ACT(form='trec-dd-2015')@10"])
    >>> [round(score, 2) for score in found.mean()["run"].values()]
    [0.14, 0.3]
    """
    return AverageCube(form, alpha, height, batch, cutoff)


# ── bounds if judgments are missing ──────────────────────────────────────────────────────────────


def _paper_bounds(c: Completions, gain: Gain, alpha: float, saturation: float, cutoff: int | None) -> Pair:
    """Bounds of CT as in the paper: a document has at least its least gain after as many others as possible,
    and at most its largest gain after as few as possible. The saturation of an aspect is bounded likewise."""
    g = c.gains(gain, cutoff)
    # The last bit of a sum, which depends on its order, must not decide whether an aspect is saturated.
    sooner, later = saturation - 1e-12, saturation + 1e-12
    left = decay(alpha)
    low = discounted(g.least * left(g.crowded) * (gained_above(g.most) < sooner), RECIPROCAL)
    high = discounted(g.most * left(g.least) * (gained_above(g.least) < later), RECIPROCAL)
    ordered = -np.sort(-g.most, axis=-1)
    high = np.minimum(high, discounted(ordered * left(ordered), RECIPROCAL))
    low = once_alive(c, g, low, RECIPROCAL)
    return over_aspects(low, high, raw_weights(c, True), g.live, g.maybe)


def heights(g: Gains, alpha: float, height: float, whole: bool) -> Pair:
    """(N, A, n) bounds of how far each aspect is filled at each rank, as a share of `height`

    A document adds (1-α)^(c+1) g, with c between the fewest and the most documents above it. With `whole`,
    the document that fills an aspect counts as a whole.
    """
    left = decay(alpha)
    low = np.cumsum((1 - alpha) * left(g.crowded) * g.least, axis=-1)
    high = np.cumsum((1 - alpha) * left(g.least) * g.most, axis=-1)
    return np.minimum(low, height) / height, np.minimum(high, _highest(g, alpha, height, whole)) / height


def _highest(g: Gains, alpha: float, height: float, whole: bool) -> Floats:
    """(N, A, 1) how far an aspect can be filled"""
    last = (1 - alpha) * g.most.max(-1, initial=0.0, keepdims=True)
    return height + last if whole else np.full_like(last, height)


def filled_by_rank(c: Completions, g: Gains, alpha: float, height: float, whole: bool) -> Pair:
    """(N, n) bounds of the share of the whole cube that is filled at each rank"""
    low, high = (sums_over_aspects(x, shares(c.hits)) for x in heights(g, alpha, height, whole))
    return low, high


def filled_at_the_end(c: Completions, g: Gains, alpha: float, height: float, whole: bool = False) -> Pair:
    """(N,) bounds of the share of the cube that the whole ranking fills

    The documents on an aspect have the weights (1-α)^1, (1-α)^2, … in the order of ranks, so they add most if
    their gains are in descending order.
    """
    low, high = (x.max(-1, initial=0.0) for x in filled_by_rank(c, g, alpha, height, whole))
    ordered = -np.sort(-g.most, axis=-1)
    best = total((1 - alpha) * decay(alpha)(ordered) * ordered)
    most = np.minimum(best, _highest(g, alpha, height, whole)[..., 0])
    return low, np.minimum(high, weighted_sum(most / height, shares(c.hits)))


def cube_test_bound(c: Completions, g: Gains, alpha: float, height: float, depth: Floats) -> Pair:
    """(N,) bounds of Σ_t w_t min(height, Σ_{n≥0} (1-α)^n g*(n,t)) / height, over the depth + 1 highest grades

    It never falls when a grade rises.
    """
    found = []
    for ideal in (g.ideal_least[g.topic], g.ideal(g.top, g.count, None, most=True)):
        n = np.arange(ideal.shape[-1])
        worth = np.where(n <= depth[:, None, None], ideal, 0.0) * powers_of_rest(len(n), alpha)
        found.append(weighted_sum(np.minimum(total(worth), height) / height, shares(c.hits)))
    return found[0], found[1]
