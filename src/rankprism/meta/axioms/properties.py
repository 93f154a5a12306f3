"""Twelve more properties, which other papers ask for.

Swap and replacement are from Ferrante et al. (2015), convergence, locality and boundedness from Moffat
(2013), and the last four from Maistro et al. (2021), who ask for them in measures of several aspects.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations

import numpy as np

from rankprism.meta.axioms.constraint import (
    ANY_GRADE,
    EQUAL,
    FINITE,
    GRADES,
    HIGHEST,
    IN_UNIT,
    MORE,
    NOT_LESS,
    ONE,
    SEVERAL,
    ZERO,
    Scope,
    constraint,
)
from rankprism.meta.axioms.priority import swapped
from rankprism.meta.axioms.rankings import Base, Ranking, Rankings
from rankprism.meta.axioms.redundancy import then

_ONE_ASPECT = Scope(highest=1.0)
_ASPECTS = Scope(aspects=(1, *SEVERAL), highest=1.0)
#: For properties that try all orders of the documents.
_FEW = Scope(aspects=(1, *SEVERAL), highest=1.0, fewest=1, most=4)


@constraint(relation=NOT_LESS, scope=_ONE_ASPECT, details=(GRADES, ANY_GRADE), cite=("ferrante2015towards",))
def Swap(base: Base) -> Iterator[Rankings]:
    """Swap: swapping a document with a more relevant one further down never lowers the score.

    r(d_j) > r(d_i), i < j  ⇒  Q(d⃗ with i and j swapped) ≥ Q(d⃗), for one aspect
    """
    d = base.documents
    for i, j in combinations(range(len(d)), 2):
        if d[j, 0] > d[i, 0]:
            yield swapped(d, i, j), d


@constraint(
    relation=NOT_LESS,
    scope=Scope(highest=1.0, fewest=2),
    details=(GRADES, ANY_GRADE),
    cite=("ferrante2015towards",),
)
def Replace(base: Base) -> Iterator[Rankings]:
    """Replacement: replacing a document by a more relevant one never lowers the score.

    r(d′) > r(d_i)  ⇒  Q(d⃗ with d′ for d_i) ≥ Q(d⃗), for one aspect
    """
    d, new = base.documents[:-1], base.documents[-1]
    for i in range(len(d)):
        if new[0] > d[i, 0]:
            better = d.copy()
            better[i] = new
            yield better, d


@constraint(
    relation=MORE,
    scope=Scope(cutoff="binding", fewest=2),
    needs_cutoff=True,
    details=(GRADES, HIGHEST),
    cite=("moffat2013seven",),
)
def Conv(base: Base) -> Iterator[Rankings]:
    """Convergence: moving a more relevant document from below the cutoff to above it raises the score.

    i ≤ k < j, r(d_j) > r(d_i)  ⇒  Q@k(d⃗ with i and j swapped) > Q@k(d⃗), for one aspect
    """
    d, k = base.documents, base.cutoff or 0
    for i in range(min(k, len(d))):
        for j in range(k, len(d)):
            if d[j, 0] > d[i, 0]:
                yield swapped(d, i, j), d


def _all_or_one_more(rankings: Rankings) -> Rankings:
    """Two pools: the retrieved documents, and the same with one more relevant document."""
    first, second = rankings
    return first, then(second, np.full((1, second.shape[1]), max(float(second.max(initial=0.0)), 0.5)))


@constraint(
    relation=EQUAL,
    scope=Scope(aspects=(1, *SEVERAL), highest=1.0, fewest=1),
    details=(GRADES, ANY_GRADE),
    own_pools=_all_or_one_more,
    cite=("moffat2013seven",),
)
def Local(base: Base) -> Iterator[Rankings]:
    """Locality: relevant documents that were not retrieved do not change the score.

    Q(d⃗) is the same whether or not there is one more relevant document in the collection
    """
    if (base.documents > 0).any(0).all():
        yield base.documents, base.documents


@constraint(relation=IN_UNIT, scope=_ASPECTS, details=(GRADES, ANY_GRADE), cite=("moffat2013seven",))
def Bound(base: Base) -> Iterator[Rankings]:
    """Boundedness: every score is between 0 and 1.

    0 ≤ Q(d⃗) ≤ 1
    """
    yield (base.documents,)


@constraint(
    relation=ONE,
    scope=Scope(highest=1.0, fewest=1),
    details=(GRADES, ANY_GRADE),
    own_pools=lambda rankings: rankings,
    cite=("moffat2013seven",),
)
def Ideal(base: Base) -> Iterator[Rankings]:
    """Ideal: with one aspect, all documents in the best order score 1.

    r(d_1) ≥ r(d_2) ≥ …, nothing else relevant  ⇒  Q(d⃗) = 1
    """
    if base.documents.any():
        yield (-np.sort(-base.documents, axis=0),)


@constraint(
    relation=EQUAL,
    scope=Scope(aspects=SEVERAL, highest=1.0, fewest=1),
    details=(GRADES, ANY_GRADE),
    own_pools=lambda rankings: rankings,
)
def Sym(base: Base) -> Iterator[Rankings]:
    """Symmetry: exchanging two aspects does not change the score.

    Q(d⃗) is the same when balanced aspects change places
    """
    if (base.documents > 0).any(0).all():
        yield base.documents, np.roll(base.documents, 1, axis=1)


@constraint(relation=EQUAL, scope=_ASPECTS, details=(GRADES, ANY_GRADE))
def Tail(base: Base) -> Iterator[Rankings]:
    """Tail: unjudged documents at the end do not change the score.

    Q(d⃗) = Q(d⃗, not judged)
    """
    unjudged = np.full((1, base.documents.shape[1]), np.nan)
    yield base.documents, then(base.documents, unjudged)


def _orders(documents: Ranking) -> Iterator[Ranking]:
    for order in permutations(range(len(documents))):
        yield documents[list(order)]


@constraint(
    relation=ONE,
    scope=_FEW,
    quantifier="some",
    details=(GRADES, ANY_GRADE),
    own_pools=lambda rankings: rankings,
    cite=("maistro2021principled",),
)
def Max1(base: Base) -> Iterator[Rankings]:
    """Attains 1: for any set of documents, some order of them scores 1.

    max over the orders of all documents of Q = 1
    """
    if (base.documents > 0).any(0).all():
        for order in _orders(base.documents):
            yield (order,)


@constraint(
    relation=ZERO,
    scope=_FEW,
    quantifier="some",
    details=(GRADES, ANY_GRADE),
    cite=("maistro2021principled",),
)
def Min0(base: Base) -> Iterator[Rankings]:
    """Attains 0: a ranking without a relevant document, or an empty one, scores 0.

    Q(not relevant) = 0 or Q() = 0
    """
    yield (np.zeros((1, base.documents.shape[1])),)
    yield (base.documents[:0],)


@constraint(relation=NOT_LESS, scope=_ASPECTS, details=(GRADES, ANY_GRADE), cite=("maistro2021principled",))
def Order(base: Base) -> Iterator[Rankings]:
    """Partial order: moving up a document that is better on some aspect and worse on none never hurts.

    r(d_j,t) ≥ r(d_i,t) for every t, i < j  ⇒  Q(d⃗ with i and j swapped) ≥ Q(d⃗)
    """
    d = base.documents
    for i, j in combinations(range(len(d)), 2):
        if (d[j] >= d[i]).all() and (d[j] > d[i]).any():
            yield swapped(d, i, j), d


@constraint(
    relation=FINITE,
    scope=_ASPECTS,
    details=(GRADES, ANY_GRADE),
    own_pools=lambda rankings: rankings,
    cite=("maistro2021principled",),
)
def Defined(base: Base) -> Iterator[Rankings]:
    """Defined everywhere: every ranking has a score, even if it is empty or nothing is relevant.

    Q(d⃗) is a number
    """
    yield (base.documents,)
