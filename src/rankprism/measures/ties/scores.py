"""The expectation, the lowest and the highest score of a measure over all orders of tied documents.

With `tied=`, `evaluate` scores all orders of tied documents. The core then also gives, for each judged
document, the start and the size of its group (`Alignment.groups`), and `Hits` carry them. Without
`tied=`, none of this exists, and rankings without ties go the same way in both cases.
`measures/ties/scores.py` chooses, for the rankings that have ties, among four exact ways: a closed form,
sorting each group, the lattice of document kinds, and listing all orders. The form of a measure says
which of them apply. A measure written by hand gives these answers to its form, next to its bounds.
For measures made of parts, `ties/sums.py` derives the expectation from the discount, the gain and the
novelty.

The lattice needs nothing from a measure but its scores. The step to a rank is the score of a ranking that
ends there minus the score of the ranking that ends before. If a measure says that its steps depend only
on which documents are above (`Form.has_steps`), the steps from all states of a group give the expectation
and both extremes. A measure that says nothing is scored on every order. What exceeds the limits on states
and orders is refused, and never approximated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from rankprism.data import Floats, Hits, Longs
from rankprism.errors import MeasureError
from rankprism.measures.form import PerAspect
from rankprism.measures.mixture import Mixture
from rankprism.measures.parameter import Role
from rankprism.measures.parts import total
from rankprism.measures.ties.grouping import (
    aspect_by_aspect,
    of_aspects,
    of_hits,
    rankings_with_ties,
    rearranged,
)
from rankprism.measures.ties.lattice import Law, law_by_lattice, numbered
from rankprism.measures.ties.orders import law_of_orders, law_of_preference_orders

if TYPE_CHECKING:
    from rankprism.measures.measure import Measure
    from rankprism.measures.preferences.hits import PreferenceHits

Pair: TypeAlias = tuple[Floats, Floats]


# ── all rankings: those without ties keep their score ────────────────────────────────────────────


def expected(measure: Measure, hits: Hits | PreferenceHits, score: Floats | None = None) -> Floats:
    """(N,) the expectation of the score, if all orders of tied documents are equally likely

    score : the scores in one order, if they are known already.
    """
    result = (measure.score(hits) if score is None else score).copy()
    rows, tied = _tied(measure, hits)
    if len(rows):
        _check_certain(measure, tied)
        with numbered(rows):
            result[rows] = _expected(measure, tied)
    return result


def extremes(measure: Measure, hits: Hits | PreferenceHits, score: Floats | None = None) -> Pair:
    """(N,) twice: the lowest and the highest score over all orders of tied documents"""
    score = measure.score(hits) if score is None else score
    low, high = score.copy(), score.copy()
    rows, tied = _tied(measure, hits)
    if len(rows):
        _check_certain(measure, tied)
        with numbered(rows):
            low[rows], high[rows] = _extremes(measure, tied)
    return low, high


def _tied(measure: Measure, hits: Hits | PreferenceHits) -> tuple[Longs, Any]:
    """The rankings whose ties may matter, and these rankings without unjudged documents if so asked."""
    if hits.tied is None:
        return np.zeros(0, dtype=np.int64), hits
    if not isinstance(hits, Hits):
        return _tied_preferences(measure, hits)
    if measure.values_not_relevant:
        raise MeasureError(
            f"{measure}: scores over all orders of tied documents are not known if documents of grade 0 have "
            f"a gain; leave grade 0 out of gains, or score one order"
        )
    cutoff, is_condensed = measure.cutoff, measure.is_condensed
    if isinstance(measure.declared, Mixture):
        is_condensed = bool(measure.of(Role.JUDGED_ONLY))  # a summand may leave them out for itself

    def find() -> tuple[Longs, Hits]:
        seen = hits.condensed() if is_condensed else hits
        rows = np.flatnonzero(rankings_with_ties(seen, cutoff))
        return rows, _reaching(seen.rows(rows), cutoff)

    return hits.once(("tied", cutoff, is_condensed), find)


def _reaching(hits: Hits, cutoff: int | None) -> Hits:
    """The rankings without the relevant documents that are below the cutoff in every order."""
    if cutoff is None or not len(hits.rank):
        return hits
    width = int((of_hits(hits).start < cutoff).sum(1).max(initial=0))
    return replace(
        hits,
        rank=hits.rank[:, :width],
        grade=np.ascontiguousarray(hits.grade[:, :, :width]),
        condensed_rank=hits.condensed_rank[:, :width],
        _memo={},
    )


def _tied_preferences(measure: Measure, hits: PreferenceHits) -> tuple[Longs, PreferenceHits]:
    assert hits.tied is not None
    tied = hits.tied.size > 1
    if measure.cutoff is not None:
        tied &= hits.tied.start < measure.cutoff
    rows = np.flatnonzero(tied.any(-1))
    return rows, hits.rows(rows)


def _check_certain(measure: Measure, hits: Hits | PreferenceHits) -> None:
    """Refuse a measure whose ideal ranking is known only within bounds."""
    if not measure.is_uncertain or not isinstance(hits, Hits):
        return
    best = rearranged(hits, total(np.ascontiguousarray(hits.grade.swapaxes(1, 2))), best=True)
    low, high = _plain(measure).interval(best)
    if (low < high).any():
        raise MeasureError(
            f"{measure}: the ideal ranking is known only within bounds, so the score over all orders of tied "
            f"documents is not known exactly; raise nodes, or leave out tied (--tied)"
        )


# ── rankings with ties ───────────────────────────────────────────────────────────────────────────


def _expected(measure: Measure, hits: Hits | PreferenceHits) -> Floats:
    """(N,) the expectation of the score of rankings with ties"""
    found = measure.whole.over_orders(hits)
    return law(measure, hits).expected if found is None else found


def expected_per_aspect(measure: Measure, hits: Hits) -> Floats:
    """(N, A) the expectation of the score of each aspect on its own; only for single-aspect measures

    hits : rankings with ties, without unjudged documents if the measure leaves them out.
    """
    if measure.form.order_free:
        return _plain(measure).per_aspect(hits)
    found = measure.form.over_orders(hits)
    if found is not None:
        return found
    with numbered(of_aspects(hits)):
        own = law(measure, aspect_by_aspect(hits))
    return own.expected.reshape(hits.grade.shape[:2])


def _extremes(measure: Measure, hits: Hits | PreferenceHits) -> Pair:
    """(N,) twice: the lowest and the highest score of rankings with ties"""
    if measure.definition.single:
        found = measure.whole.extremes(hits)
        assert found is not None
        return found
    return _whole_extremes(measure, hits)


def extremes_per_aspect(measure: Measure, hits: Hits) -> Pair:
    """(N, A) twice: the lowest and the highest score of each aspect on its own"""
    with numbered(of_aspects(hits)):
        low, high = _whole_extremes(measure, aspect_by_aspect(hits))
    shape = hits.grade.shape[:2]
    return low.reshape(shape), high.reshape(shape)


def _whole_extremes(measure: Measure, hits: Hits | PreferenceHits) -> Pair:
    """(N,) twice: the extremes of a measure of all aspects, or of a single-aspect measure on one aspect"""
    form = measure.form
    if form.order_free:
        same = _score(measure)(hits)  # type: ignore[arg-type]  # only measures of judgments are
        return same, same
    if (found := form.extremes(hits)) is not None:
        return (found[0][:, 0], found[1][:, 0]) if isinstance(form, PerAspect) else found
    worth = form.worth(hits) if isinstance(hits, Hits) else None
    if isinstance(hits, Hits) and worth is not None and worth.shape[1] == 1:
        low, high = (_score(measure)(rearranged(hits, worth[:, 0], best)) for best in (False, True))
        return np.minimum(low, high), high
    own = law(measure, hits)
    return own.low, own.high


def law(measure: Measure, hits: Hits | PreferenceHits) -> Law:
    """The scores of all orders, from their steps if these suffice, else one by one."""
    if not isinstance(hits, Hits):
        return law_of_preference_orders(measure.computed, hits, measure.cutoff)
    if (steps := measure.form.steps_of(hits)) is None:
        steps = np.full(len(hits.rank), measure.has_steps)
    result = Law(*np.empty((3, len(hits.rank))))
    for way, rows in ((law_by_lattice, np.flatnonzero(steps)), (law_of_orders, np.flatnonzero(~steps))):
        if len(rows):
            some = hits if len(rows) == len(hits.rank) else hits.rows(rows)
            with numbered(rows):
                found = way(_score(measure), some, measure.cutoff)
            for whole, own in zip(result, found, strict=True):
                whole[rows] = own
    return result


def _score(measure: Measure) -> Callable[[Hits], Floats]:
    return _plain(measure).computed


def _plain(measure: Measure) -> Measure:
    """The same measure of rankings whose unjudged documents have been left out already."""
    inner = measure.definition.roles.get(Role.INNER)
    if inner is not None and measure.inner is not None:
        measure = measure(**{inner.name: _plain(measure.inner)})
    own = measure.definition.roles.get(Role.JUDGED_ONLY)
    return measure if own is None or not measure[own.name] else measure(**{own.name: False})
