"""Scores of one aspect that depend on which ranks have a relevant document and on how many there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankprism.data import Floats, Hits, Ints
from rankprism.measures.bounds.completions import Completions, Gains
from rankprism.measures.bounds.single import blocks
from rankprism.measures.form import ANY_NUMBER, Pair, PerAspect
from rankprism.measures.parts import binary, hit_gain, over_best, ratio, relevant, total


@dataclass(frozen=True, eq=False)
class Marks:
    """What a score of counts may look at."""

    f: Floats  #: (N, A) the number of relevant documents that were retrieved
    n: Floats  #: (N, 1) the number of documents that were retrieved
    R: Floats  #: (N, A) the number of judged documents that are relevant
    relevant: Floats  #: (N, A, H) 1 for each relevant document
    rank: Ints  #: (N, 1, H) or (H,) their ranks

    @cached_property
    def count(self) -> Floats:
        """(N, A, H) the number of relevant documents down to each rank"""
        return np.cumsum(self.relevant, axis=-1)


def marks(hits: Hits, rel: float) -> Marks:
    """The marks of rankings, which all measures with this threshold share."""

    def count() -> Marks:
        g = hit_gain(hits, binary(rel))
        R = relevant(hits.pool, binary(rel))[hits.topic]
        return Marks(total(g), hits.length.astype(np.float64)[:, None], R, g, hits.rank[:, None, :])

    return hits.once(("marks", rel), count)


@dataclass(frozen=True, eq=False, kw_only=True)
class Counted(PerAspect):
    """Σ_{relevant i} D(i) ÷ `over`, or any other score of `Marks`.

    The score may not fall when a relevant document moves up, when an unjudged document turns out to be
    relevant, or when R alone falls. The bounds and the extremes over ties follow from that.
    """

    rel: float  #: the lowest grade that counts as relevant
    over: Callable[[Marks], Floats] | None = None  #: (N, A) or (N, 1) the divisor
    discount: Callable[[Marks], Floats] | None = None  #: (N, A, H) D(i). Default: 1, so the sum is f
    score: Callable[[Marks], Floats] | None = None  #: (N, A) the score, if it is not such a sum
    #: Whether the score depends only on f, n and R. It may then not fall when f and R both rise by 1, and
    #: its bounds are exact.
    order_free: bool = False
    #: The lowest and the highest score.
    range: tuple[float, float] = ANY_NUMBER

    @property
    def is_exact(self) -> bool:
        return self.order_free

    @property
    def is_deep(self) -> bool:
        """A share of what was retrieved falls if more documents are."""
        if not self.order_free:
            return True
        f, R, none = np.array([[1.0]]), np.array([[10.0]]), np.zeros((1, 1, 0))
        few, many = (self.of(Marks(f, n * f, R, none, none[0].astype(np.int32))) for n in (1, 100))
        return bool(few == many)

    def of(self, marks: Marks) -> Floats:
        """(N, A) the score"""
        if self.score is not None:
            return self.score(marks)
        assert self.over is not None
        found = marks.f if self.discount is None else total(marks.relevant * self.discount(marks))
        return over_best(found, self.over(marks))

    def per_aspect(self, hits: Hits) -> Floats:
        return self.of(marks(hits, self.rel))

    def factors(self, hits: Hits) -> Mapping[str, Floats] | None:
        if self.over is None:
            return None
        m = marks(hits, self.rel)
        discount = {} if self.discount is None else {"discount": self.discount(m)}
        scale = ratio(np.ones(()), np.broadcast_to(self.over(m), m.R.shape))[:, :, None]
        return {"gain": m.relevant, **discount, "scale": scale}

    def bounds(self, completions: Completions) -> Pair:
        n, none = completions.hits.length.astype(np.float64)[:, None], np.zeros(0)
        ranks = none.astype(np.int32)
        if self.order_free:
            return all_found(completions, self.rel, lambda f, n, R: self.of(Marks(f, n, R, none, ranks)))

        def scored(at: Floats, R: Floats) -> Floats:
            return self.of(Marks(total(at), n, R, at, np.arange(1, at.shape[-1] + 1, dtype=np.int32)))

        return over_counts(completions.gains(binary(self.rel), None), scored)

    def worth(self, hits: Hits) -> Floats:
        return hit_gain(hits, binary(self.rel))

    @property
    def has_steps(self) -> bool:
        return self.is_sum and not self.order_free

    @property
    def is_sum(self) -> bool:
        return self.over is not None


def all_found(c: Completions, rel: float, score: Callable[[Floats, Floats, Floats], Floats]) -> Pair:
    """Bounds of a score of f, n and R.

    A new relevant document raises f and R by 1, and no set measure falls then. So the bounds are reached with
    none and with all of the unjudged documents. Exact.
    """
    g = c.gains(binary(rel), None)
    f, R = g.least.sum(-1), g.ideal_least.sum(-1)[g.topic]
    n = c.hits.length.astype(np.float64)[:, None]
    m = np.where(g.top > 0, g.count[:, None], 0)
    return score(f, n, R), score(f + m, n, R + m)


def over_counts(g: Gains, score: Callable[[Floats, Floats], Floats]) -> Pair:
    """Bounds of a score of binary gains that rises if a relevant document moves up, and falls if R rises.

    `score` takes whether the document at each rank is relevant (N, A, n), and R (N, A). With m new relevant
    documents, it is largest if they are the m highest unjudged ones, and smallest if they are the lowest. The
    numbers m are taken in ranges, and the ends of a range bound what is between them.
    """
    R = g.ideal_least.sum(-1)[g.topic]
    low, high = np.full(R.shape, np.inf), np.full(R.shape, -np.inf)
    from_top = np.cumsum(g.free, axis=-1)
    from_below = np.cumsum(g.free[:, ::-1], axis=-1)[:, ::-1]
    for first, last in blocks(int(g.count.max(initial=0))):
        inside = (first <= g.count)[:, None] & ((g.top > 0) | (first == 0))
        most, least = np.minimum(g.count, last), np.minimum(g.count, first)
        best = np.maximum(g.least, (g.free & (from_top <= most[:, None]))[:, None, :])
        worst = np.maximum(g.least, (g.free & (from_below <= least[:, None]))[:, None, :])
        high = np.maximum(high, np.where(inside, score(best, R + least[:, None]), -np.inf))
        low = np.minimum(low, np.where(inside, score(worst, R + most[:, None]), np.inf))
    return low, high
