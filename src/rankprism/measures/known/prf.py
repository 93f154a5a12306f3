"""The preference measure: the utility that a user gathers on the way down a ranking.

Prf = Σ_{k≤K} P(k) Σ_{i≤k} U(d_i | d_1 … d_(i-1)), where P(k) is the chance that the user stops at rank k. If
the two sums are exchanged, each document has as its weight the chance W(i) = Σ_{k=i..K} P(k) that the user
gets to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np

from rankprism._core import best_preferred
from rankprism.data import Bools, Floats, Ints, Longs
from rankprism.errors import MeasureError
from rankprism.measures.declare import measure
from rankprism.measures.form import OfPreferences, Pair
from rankprism.measures.parameter import MOST_NODES, Cutoff, Example, OneOf, Range, Role
from rankprism.measures.parts import LOGARITHMIC, RECIPROCAL, geometric, over_best, total
from rankprism.measures.preferences.hits import PreferenceHits, PreferencePool
from rankprism.measures.preferences.utility import ESTIMATES, FALLBACKS, NONE, UNSEEN, Utilities
from rankprism.measures.terms import MadeOf
from rankprism.text import quoted

if TYPE_CHECKING:
    from rankprism.measures.ties.lattice import Law

BROWSING = ("rbp", "dcg", "rr", "uniform")
COMBINATIONS = ("mean", "min", "product")
#: Utilities that differ by less than this are tied in an ideal ranking, and the document id decides.
TIE = 1e-10
#: The best ranking, which may have a stranger at every rank, is not searched for if that is more than this.
_MOST_STRANGERS = 1000


def reaching(browsing: str | Sequence[float], theta: float, depth: int, cutoff: int) -> Floats:
    """(depth,) W(i) = P(i) + … + P(K), where K is the cutoff: the chance to get to rank i and stop by rank K.

    rbp: P(k) = (1-θ)^(k-1) θ; dcg: P(k) = 1/log2(k+1) - 1/log2(k+2); rr: P(k) = 1/k - 1/(k+1);
    uniform: P(k) = 1/K; or P itself as a sequence, 0 beyond its end
    """
    depth = min(depth, cutoff)
    i = np.arange(1, depth + 1)
    if not isinstance(browsing, str):
        _check_chances(browsing)
        chances = np.zeros(max(cutoff, 1))
        chances[: len(browsing)] = list(browsing)[: len(chances)]
        return np.cumsum(chances[::-1])[::-1][:depth]
    if browsing == "rbp":
        powers = geometric(1 - theta)
        return np.asarray(powers.first(depth) - powers(np.array([cutoff + 1], dtype=np.int32))[0])
    if browsing == "dcg":
        return np.asarray(LOGARITHMIC.first(depth) - LOGARITHMIC(np.array([cutoff + 1], dtype=np.int32))[0])
    if browsing == "rr":
        return RECIPROCAL.first(depth) - 1 / (cutoff + 1)
    return np.asarray((cutoff + 1 - i) / cutoff)


def _check_chances(browsing: Sequence[float]) -> None:
    """Refuse a sequence that cannot be the chances of stopping at each rank."""
    numbers = [x for x in browsing if isinstance(x, int | float)]
    if not numbers or len(numbers) < len(browsing) or min(numbers) < 0 or sum(numbers) > 1 + 1e-9:
        raise MeasureError(
            f"browsing as a sequence gives the chance to stop at each rank, numbers of at least 0 that sum "
            f"to at most 1, e.g. (0.5,0.3,0.2); got {quoted(tuple(browsing))}"
        )


def worth(u: Utilities, rank: Ints, doc: Longs, combine: str) -> Floats:
    """(N, H) the utility of each judged document in the ranking, given the documents above it

    rank, doc : (N, H) the ranks and positions of the documents, from the top; NOWHERE and NONE where padded.
        The documents at the ranks between them are strangers: no judgment names them.
    """
    there = doc != NONE
    at = np.maximum(doc, 0)
    places = np.arange(doc.shape[1])
    above = (places[None, :, None] > places[None, None, :]) & there[:, None, :]
    counts = above & u.known[at[:, :, None], at[:, None, :]]
    value = np.where(counts, u.given[at[:, :, None], at[:, None, :]], 0.0)
    after_one = u.given_stranger[at]
    strangers = np.where(there & ~np.isnan(after_one), rank - 1 - above.sum(-1), 0)
    after_one = np.where(np.isnan(after_one), 0.0, after_one)
    terms = counts.sum(-1) + strangers  # how many documents above count
    if combine == "mean":
        combined = (total(value) + strangers * after_one) / np.maximum(terms, 1)
    elif combine == "min":
        combined = np.where(counts, value, np.inf).min(-1, initial=np.inf)
        combined = np.minimum(combined, np.where(strangers > 0, after_one, np.inf))
    else:
        combined = _product(np.where(counts, value, 1.0)) * _power(after_one, strangers)
    result = np.where(terms > 0, combined, u.alone[at])
    if u.after:
        _use_sets(u, rank, doc, result)
    return np.where(there, result, 0.0)


def _product(value: Floats) -> Floats:
    """The product along the last axis, from the first to the last."""
    return np.asarray(np.cumprod(value, axis=-1)[..., -1]) if value.shape[-1] else np.ones(value.shape[:-1])


def _power(base: Floats, exponent: Ints | Longs) -> Floats:
    """base^exponent, by repeated multiplication: the powers of C libraries differ in their last bits."""
    result = np.ones(base.shape)
    for n in range(int(exponent.max(initial=0))):
        result = np.where(exponent > n, result * base, result)
        if not result.any():
            break
    return result


def _use_sets(u: Utilities, rank: Ints, doc: Longs, result: Floats) -> None:
    """Fill in the utilities given several documents, where these are exactly the documents above."""
    sizes = {len(given) for given in u.after}
    for n, h in zip(*np.nonzero(np.isin(rank - 1, list(sizes)) & (doc != NONE)), strict=True):
        if h == rank[n, h] - 1:  # all of the documents above are judged ones
            found = u.after.get(frozenset(doc[n, :h].tolist()))
            if found is not None and found[1][doc[n, h]]:
                result[n, h] = found[0][doc[n, h]]


def prf(u: Utilities, rank: Ints, doc: Longs, length: Ints, combine: str, reach: Floats) -> Floats:
    """(N,) Σ_i W(i) U(d_i | documents above), see `worth` and `reaching`"""
    utility, weight, _ = _by_rank(u, rank, doc, length, combine, reach)
    return total(utility * weight)


def _by_rank(
    u: Utilities, rank: Ints, doc: Longs, length: Ints, combine: str, reach: Floats
) -> tuple[Floats, Floats, Bools]:
    """(N, L) three times, by rank: U(d_i | documents above), W(i), and whether d_i has a utility

    A stranger has a utility if the estimate gives it one.
    """
    inside = rank <= len(reach)
    width = int(inside.sum(1).max(initial=0))
    rank, doc = rank[:, :width], np.where(inside, doc, NONE)[:, :width]
    last = min(int(length.max(initial=0)), len(reach))
    places = np.arange(1, last + 1)
    utility, valued = np.zeros((len(rank), last)), np.zeros((len(rank), last), dtype=bool)
    if u.stranger:
        above = np.maximum(places - 1, 1) if combine == "product" else np.ones_like(places)
        valued = places <= length[:, None]
        utility = np.where(valued, _power(np.full(last, u.stranger), above), 0.0)
    row, place = np.nonzero(doc != NONE)
    at = row, rank[row, place] - 1
    utility[at], valued[at] = worth(u, rank, doc, combine)[row, place], True
    return utility, np.broadcast_to(reach[:last], utility.shape), valued


def greedy_ideal(u: Utilities, combine: str, depth: int) -> Longs:
    """(depth or fewer,) the documents of the ideal ranking: at each step, the one that is worth most next

    The documents come from the pool. If strangers are worth something, the ranking may also have as many of
    them as it needs, as NONE. Utilities within 1e-10 of the largest are tied: a document of the pool wins
    over a stranger, and a larger document id over a smaller one.
    """
    chosen: list[int] = []
    left = u.pool.copy()
    so_far = np.full(len(left), {"mean": 0.0, "min": np.inf, "product": 1.0}[combine])
    terms = np.zeros(len(left))
    stranger = u.stranger
    while (left.any() or u.stranger) and len(chosen) < depth:
        now = so_far / np.maximum(terms, 1) if combine == "mean" else so_far
        now = np.where(terms > 0, now, u.alone)
        found = u.after.get(frozenset(chosen)) if u.after and len(chosen) > 1 else None
        if found is not None:
            now = np.where(found[1], found[0], now)
        best = np.where(left, now, -np.inf).max(initial=-np.inf)
        if u.stranger and stranger > best + TIE:
            z, known, given = NONE, np.ones_like(left), u.given_stranger
        else:
            z = int(np.flatnonzero(left & (now >= best - TIE))[0])
            left[z] = False
            known, given = u.known[:, z], u.given[:, z]
        if combine == "mean":
            so_far += np.where(known, given, 0.0)
        elif combine == "min":
            so_far = np.where(known, np.minimum(so_far, given), so_far)
        else:
            so_far = np.where(known, so_far * given, so_far)
            stranger *= u.stranger if chosen else 1.0
        chosen.append(z)
        terms += known
    return np.array(chosen, dtype=np.int64)


@dataclass(frozen=True)
class User(OfPreferences):
    """The form of Prf and nPrf: how users leave a ranking, and what documents are worth to them."""

    browsing: str | Sequence[float]
    theta: float
    combine: str
    unseen: str
    estimate: str
    fallback: str
    cutoff: int | None
    over: str | None = None  #: the ideal ranking to divide by, "greedy" or "exact"
    nodes: int = 0  #: how many nodes the search for the best ranking may visit
    searches: bool = False
    is_sum = True

    def utilities(self, pool: PreferencePool) -> dict[str, Utilities]:
        """The utilities of every topic."""
        return pool.utilities(self.estimate, self.unseen, self.fallback)

    def depth(self, u: Utilities) -> int:
        """K: the cutoff; without one, the number of documents that were shown as left or right."""
        return int(u.pool.sum()) if self.cutoff is None else self.cutoff

    def reach(self, u: Utilities) -> Floats:
        """(K,) W(i) of the ranks that count"""
        return reaching(self.browsing, self.theta, self.depth(u), self.depth(u))

    def gathered(self, hits: PreferenceHits) -> Floats:
        """(N,) the utility that a user gathers"""
        u = self.utilities(hits.pool)[hits.topic]
        return prf(u, hits.rank, hits.doc, hits.length, self.combine, self.reach(u))

    def best(self, hits: PreferenceHits) -> tuple[float, float]:
        """Lower and upper bounds of the utility of the topic's ideal ranking."""
        u = self.utilities(hits.pool)[hits.topic]

        def best() -> tuple[float, float]:
            if self.over == "greedy":
                greedy = ideal_prf(u, self.combine, self.reach(u))
                return greedy, greedy
            return exact_ideal_prf(u, self.combine, self.reach(u), self.nodes)

        return hits.pool.once(("ideal", hits.topic, self), best)

    def score(self, hits: PreferenceHits) -> Floats:
        return self.gathered(hits) if self.over is None else self.interval(hits)[1]

    def interval(self, hits: PreferenceHits) -> Pair:
        gained = self.gathered(hits)
        low, high = self.best(hits)
        return over_best(gained, np.array(high)), over_best(gained, np.array(low))

    def made_of(self, hits: PreferenceHits) -> MadeOf:
        """(N, L) by rank: the utility of a document given those above, the chance that a user reaches it, and
        1 / the utility of the ideal ranking"""
        u = self.utilities(hits.pool)[hits.topic]
        utility, weight, valued = _by_rank(u, hits.rank, hits.doc, hits.length, self.combine, self.reach(u))
        parts = {"utility": utility, "reach": np.where(valued, weight, np.nan)}
        if self.over is not None:
            low, _ = self.best(hits)
            parts["scale"] = np.where(np.isnan(parts["reach"]), np.nan, 1 / low if low else 0.0)
        return MadeOf(parts)

    def ideal(self, pool: PreferencePool) -> dict[str, Longs]:
        """By topic, the documents of the greedy ideal ranking."""
        found = self.utilities(pool)
        return {topic: greedy_ideal(u, self.combine, self.depth(u)) for topic, u in found.items()}

    def over_orders(self, hits: PreferenceHits) -> Floats:
        from rankprism.measures.ties.preferences import expected_utility

        best = self._certain(hits)
        u = self.utilities(hits.pool)[hits.topic]
        if u.after:  # judgments given several documents count only if exactly these are above
            return self._share(self._over_orders(hits).expected, best)
        return self._share(expected_utility(u, hits, self.combine, self.reach(u)), best)

    def extremes(self, hits: PreferenceHits) -> Pair:
        best = self._certain(hits)
        law = self._over_orders(hits)
        return self._share(law.low, best), self._share(law.high, best)

    def _over_orders(self, hits: PreferenceHits) -> Law:
        from rankprism.measures.ties.orders import law_of_preference_orders

        return law_of_preference_orders(self.gathered, hits, self.cutoff)

    def _certain(self, hits: PreferenceHits) -> float:
        """The utility of the ideal ranking, if it is known exactly; 1 if there is nothing to divide by."""
        low, high = (1.0, 1.0) if self.over is None else self.best(hits)
        if low < high:
            raise MeasureError(
                f"nPrf: the ideal ranking of topic {quoted(hits.topic)} is known only within bounds, so the "
                f"score over all orders of tied documents is not known exactly; raise nodes, or leave out "
                f"tied (--tied)"
            )
        return low

    def _share(self, gained: Floats, best: float) -> Floats:
        return gained if self.over is None else over_best(gained, np.array(best))


def ideal_prf(u: Utilities, combine: str, reach: Floats) -> float:
    """The preference measure of the greedy ideal ranking."""
    order = greedy_ideal(u, combine, len(reach))
    ranks = np.flatnonzero(order != NONE).astype(np.int32) + 1
    length = np.array([len(order)], dtype=np.int32)
    return float(prf(u, ranks[None, :], order[None, order != NONE], length, combine, reach)[0])


def exact_ideal_prf(u: Utilities, combine: str, reach: Floats, nodes: int) -> tuple[float, float]:
    """Lower and upper bounds of the best ranking's score; equal if the search is completed."""
    greedy = ideal_prf(u, combine, reach)
    strangers = min(len(reach), _MOST_STRANGERS) if u.stranger else 0
    if u.stranger and len(reach) > _MOST_STRANGERS:  # no utility is above 1
        return greedy, float(total(reach[None, :])[0])
    n = len(u.alone)
    alone = np.append(u.alone, np.full(strangers, u.stranger))
    given = np.full((len(alone), len(alone)), u.stranger)
    given[:n, :n] = u.given
    if strangers:
        given[:n, n:] = u.given_stranger[:, None]
    known = np.ones(given.shape, dtype=np.uint8)
    known[:n, :n] = u.known
    sets = [(sorted(documents), *found) for documents, found in u.after.items()]
    after = [np.append(np.where(one[2], one[1], -1.0), np.full(strangers, -1.0)) for one in sets]
    low, high = best_preferred(
        alone,
        given,
        known,
        np.append(u.pool.astype(np.uint8), np.full(strangers, 2, dtype=np.uint8)),
        [one[0] for one in sets],
        np.array(after).reshape(len(sets), len(alone)),
        COMBINATIONS.index(combine),
        np.ascontiguousarray(reach),
        nodes,
    )
    return max(low, greedy), max(high, greedy)


# ── the measures ─────────────────────────────────────────────────────────────────────────────────

Browsing = Annotated[
    str | Sequence[float],
    OneOf(BROWSING),
    Example("(0.5,0.3,0.2)"),
    "how users leave a ranking: the chance P(k) to stop at rank k, as the name of a model or as numbers",
]
Theta = Annotated[
    float,
    Range(0, 1, above_low=True, below_high=True),
    "the chance to stop at a document, if browsing is 'rbp'",
]
Combination = Annotated[
    str, OneOf(COMBINATIONS), "how U(d|z) over all documents z above d becomes the utility of d"
]
Unseen = Annotated[
    str,
    OneOf(UNSEEN),
    "with estimate='raw', if nobody was shown d given z: U(d|z) is 0 unless it is borrowed (fallback), or is "
    "left out of the combination",
]
Fallback = Annotated[
    str,
    OneOf(FALLBACKS),
    "with estimate='raw', for each utility without judgments of its own kind (pairs or triplets): borrow it "
    "from the other kind, or borrow nothing",
]
Estimate = Annotated[
    str,
    OneOf(ESTIMATES),
    "where utilities come from: the shares of wins themselves, or a fit to all judgments of the topic",
]
IdealOf = Annotated[
    str,
    OneOf(("greedy", "exact")),
    "the ranking whose score is the divisor: the greedy ideal ranking, or the best possible one",
    Role.IDEAL,
]
SearchNodes = Annotated[
    int, Range(1, MOST_NODES), "how many nodes the search for the best ranking may visit, with ideal='exact'"
]
#: Default number of nodes of the search for the best ranking: seconds for 50 topics of 100 documents.
NODES = 2_000


@measure(needs="preferences", cite="chandar2013preference")
def Prf(
    browsing: Browsing = "rbp",
    theta: Theta = 0.2,
    combine: Combination = "mean",
    unseen: Unseen = "zero",
    estimate: Estimate = "raw",
    fallback: Fallback = "other",
    cutoff: Cutoff = None,
) -> User:
    """The utility that a user gathers on the way down a ranking, estimated from people's preferences.

    Prf@K = Σ_{k≤K} P(k) Σ_{i≤min(k,n)} U(d_i | d_1 … d_(i-1))

    P(k) is the chance that the user stops at rank k. 'rbp': (1-θ)^(k-1) θ; 'dcg': 1/log2(k+1) - 1/log2(k+2);
    'rr': 1/k - 1/(k+1); 'uniform': 1/K. n is the length of the ranking. Without a cutoff, K is the number of
    documents that were shown as left or right.

    U(d) is the share of the simple pairs with d that d won, and U(d|z) is its share of wins among people who
    had just read z; a tie is half a win. The first document has the utility U(d). The others have the mean,
    the minimum or the product of U(d|z) over all documents z above. A document that was never shown has
    utility 0. A judgment given several documents counts if these are exactly the documents above.

    A utility that nobody was asked about is borrowed. U(d) of a document in no pair is the share of all
    comparisons with d that d won, whatever was given. A document in no triplet is worth U(d) at every rank.
    Otherwise, if nobody was shown d given z, U(d|z) is U(d) where d was in a pair and judgments name z, and 0
    elsewhere. With unseen='skip', only those z count for which d was shown given z; if there are none, the
    utility is U(d). fallback='none' borrows nothing: such utilities are 0 or left out.

    With estimate='pooled', utilities come from a fit to all judgments of the topic. Every U(d) and U(d|z)
    then has a value, so unseen and fallback do not matter, and a document that was never shown has utility ½.

    Somebody prefers a to b and, having read a, prefers b to c: U(a) = 1 and U(b|a) = 1. With θ = ½, a user
    stops at rank 1 with P(1) = ½, having gathered 1, and at rank 2 with P(2) = ¼, having gathered 2:

    >>> from rankprism import evaluate
    >>> people = [("q", "", "a", "b", "left"), ("q", "a", "b", "c", "left")]
    >>> evaluate(people, {"q": {"a": 2.0, "b": 1.0}}, "Prf(theta=0.5)@2").mean()
    {'run': {'Prf(theta=0.5)@2': 1.0}}
    """
    return User(browsing, theta, combine, unseen, estimate, fallback, cutoff)


@measure(needs="preferences", cite="chandar2013preference")
def nPrf(
    browsing: Browsing = "rbp",
    theta: Theta = 0.2,
    combine: Combination = "mean",
    unseen: Unseen = "zero",
    estimate: Estimate = "raw",
    fallback: Fallback = "other",
    ideal: IdealOf = "greedy",
    nodes: SearchNodes = NODES,
    cutoff: Cutoff = None,
) -> User:
    """The utility that a user gathers, Prf, divided by the utility of an ideal ranking.

    nPrf@K = Prf@K(ranking) / Prf@K(ideal ranking)

    The ideal ranking is made of the documents that were shown as left or right, with the same utilities as
    the ranking. With estimate='pooled' it may also have documents that were never shown. At each rank, the
    greedy ranking takes the document with the largest utility given those above; utilities within 1e-10 are
    tied, and the larger document id wins. The greedy ideal is not always the best ranking, so a score may
    exceed 1, but a score times the utility of the greedy ideal never exceeds that of the best ranking.
    ideal='exact' searches for the best ranking. If the search ends without a proof, the divisor is the
    utility of the best ranking found, and the score is printed with its bounds.

    Somebody prefers a to b and, having read a, prefers b to c, so the ideal ranking begins with a and b. This
    ranking has only a. With θ = ½ it gathers ½ + ¼ = ¾, and the ideal gathers 1:

    >>> from rankprism import evaluate
    >>> people = [("q", "", "a", "b", "left"), ("q", "a", "b", "c", "left")]
    >>> evaluate(people, {"q": {"a": 1.0}}, ["Prf(theta=0.5)@2", "nPrf(theta=0.5)@2"]).mean()
    {'run': {'Prf(theta=0.5)@2': 0.75, 'nPrf(theta=0.5)@2': 0.75}}
    """
    return User(browsing, theta, combine, unseen, estimate, fallback, cutoff, ideal, nodes, searches=True)
