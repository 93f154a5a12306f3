"""trec_eval's preference measures: how many of the preferences does a ranking fulfil?

If somebody prefers document a to b and the ranking has a above b, the preference is fulfilled. If only one of
the two was retrieved, the other counts as ranked below it; such a preference is *implied*, whether it is
fulfilled or not. If neither was retrieved, the preference is not fulfilled.

Preferences come in judgment groups, one for each assessor: see `measures/preferences/judgment_groups.py`.
Measures that end in _ret use pairs of which both documents were retrieved, measures that end in _imp use
pairs of which at least one was, and all others use all pairs.

The measures have the names and the definitions of trec_eval (Buckley; compared with version 10.0-rc3). Only
for these measures, trec_eval puts documents with equal scores in ascending order of their ids, so it has the
same ranking as `order="score-ascending-id"`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankprism.data import Floats, Longs
from rankprism.measures.declare import measure
from rankprism.measures.parts import ratio
from rankprism.measures.preferences.hits import PreferenceHits
from rankprism.measures.preferences.judgment_groups import Group
from rankprism.measures.preferences.pairs import Pairs
from rankprism.measures.preferences.utility import NONE


@dataclass(frozen=True, eq=False)
class Fulfilled:
    """Numbers of preferences of each group by what one ranking does with them, all (group,).

    `both`: both documents were retrieved. `one`: only one was. `neither`: neither was.
    """

    possible_both: Longs
    possible_one: Longs
    possible_neither: Longs
    fulfilled_both: Longs
    fulfilled_one: Longs

    @property
    def possible(self) -> Longs:
        return self.possible_found + self.possible_neither

    @property
    def possible_found(self) -> Longs:
        """At least one of the two documents was retrieved."""
        return self.possible_both + self.possible_one

    @property
    def fulfilled(self) -> Longs:
        return self.fulfilled_both + self.fulfilled_one


@dataclass(frozen=True, eq=False)
class Ranked:
    """The groups, with documents in the order of one ranking: first the retrieved ones, then others by id."""

    groups: tuple[Group, ...]
    retrieved: int

    @cached_property
    def counts(self) -> Fulfilled:
        """Count the preferences of each group."""
        n = self.retrieved
        counts = [
            (
                int(g.better[:n, :n].sum()),
                int(g.better[:n, n:].sum() + g.better[n:, :n].sum()),
                int(g.better[n:, n:].sum()),
                int(np.triu(g.better[:n, :n]).sum()),
                int(g.better[:n, n:].sum()),
            )
            for g in self.groups
        ]
        return Fulfilled(*np.array(counts, dtype=np.int64).reshape(-1, 5).T)


def ranked(groups: tuple[Group, ...], doc: Longs) -> Ranked:
    """doc : (H,) the positions of the retrieved documents, from the top; NONE where padded."""
    found = doc[doc != NONE]
    documents = len(groups[0].relevant) if groups else 0
    rest = np.ones(documents, dtype=bool)
    rest[found if documents else []] = False
    # Documents are numbered by descending id, but trec_eval sorts those not retrieved by ascending id.
    order = np.concatenate((found, np.flatnonzero(rest)[::-1])) if documents else found
    return Ranked(
        tuple(
            Group(g.better[np.ix_(order, order)], g.relevant[order], g.nonrelevant[order], g.single_list)
            for g in groups
        ),
        len(found),
    )


# ── ratios ───────────────────────────────────────────────────────────────────────────────────────


def _mean_by_group(above: Longs, below: Longs) -> float:
    """The mean over groups of fulfilled ÷ possible; 0 for a group without possible preferences."""
    shares = ratio(above.astype(np.float64), below.astype(np.float64))
    return float(np.cumsum(shares)[-1] / len(shares)) if len(shares) else 0.0


def _share(above: Longs, below: Longs) -> float:
    return float(above.sum() / below.sum()) if below.sum() else 0.0


def _by_pair(r: Ranked, implied: bool, neither: bool) -> float:
    """The mean over pairs of documents of the share of their preferences that is fulfilled."""
    if not r.groups:
        return 0.0
    n = r.retrieved
    count = np.stack([g.better for g in r.groups]).sum(0, dtype=np.float64)
    i, j = np.triu_indices(len(count), 1)
    # Retrieved documents come first, so i < n means that one was retrieved, and j < n that both were.
    inside = (j < n) | (implied & (i < n)) | (neither & (i >= n))
    i, j = i[inside], j[inside]
    total = count[i, j] + count[j, i]
    if not total.any():
        return 0.0
    shares = np.where(i < n, ratio(count[i, j], total), 0.0)
    return float(np.cumsum(shares)[-1] / np.count_nonzero(total))


def _r_nonrel(r: Ranked, only_retrieved: bool) -> float:
    """The mean over groups, each with as many documents on level 0 as above it.

    If there are fewer documents on level 0 than above, the missing ones are added as documents that were not
    retrieved. If there are more, the lowest-ranked ones are left out. This is as in trec_eval, including its
    oddities: with a single list, the pairs among documents on level 0 also count, and one group without any
    pair makes the score 0.
    """
    n, f = r.retrieved, r.counts
    total = 0.0
    for g, group in enumerate(r.groups):
        relevant, relevant_found = int(group.relevant.sum()), int(group.relevant[:n].sum())
        wanted = relevant_found if only_retrieved else relevant
        there = int(group.nonrelevant[:n].sum() if only_retrieved else group.nonrelevant.sum())
        if wanted >= there:
            above = int(f.fulfilled_both[g] if only_retrieved else f.fulfilled[g])
            below = int(f.possible_both[g] if only_retrieved else f.possible[g])
            above += relevant_found * (wanted - there)
            below += relevant * (wanted - there)
        elif group.single_list:
            above, below = _single_list(group, n, wanted, only_retrieved)
        else:
            above, below = _several_lists(group, n, relevant, only_retrieved)
        if below == 0:
            return 0.0
        total += above / below
    return total / len(r.groups) if r.groups else 0.0


def _single_list(group: Group, n: int, wanted: int, only_retrieved: bool) -> tuple[int, int]:
    """Preferences among documents above level 0, and of any document with the first `wanted` on level 0."""
    kept = np.flatnonzero(group.nonrelevant)[:wanted]
    end = n if only_retrieved else len(group.relevant)
    listed = group.relevant | group.nonrelevant
    pair = group.better & group.relevant & group.relevant[:, None]
    pair[np.ix_(np.flatnonzero(listed), kept)] = True
    pair = pair[:end, :end]
    return int(np.triu(pair, 1)[:n].sum()), int(pair.sum())


def _several_lists(group: Group, n: int, most: int, only_retrieved: bool) -> tuple[int, int]:
    """Preferences between all documents, except those on level 0 after the first `most` of them."""
    kept = ~group.nonrelevant | (np.cumsum(group.nonrelevant) <= most)
    end = n if only_retrieved else len(kept)
    pair = (group.better & kept & kept[:, None])[:end, :end]
    return int(np.triu(pair, 1)[:n].sum()), int(pair.sum())


# ── the measures ─────────────────────────────────────────────────────────────────────────────────


_declared = measure(
    needs="preferences",
    cite="buckley2005retrieval",
    compared="trec_eval 10.0-rc3 on its own test files (its 4 decimals)",
)


def _pairs(score: Callable[[Ranked], float], reversible: bool = True, is_deep: bool = True) -> Pairs:
    """A measure from the score of one ranking."""
    return Pairs(lambda hits: _each(hits, score), reversible, is_deep=is_deep)


def _each(hits: PreferenceHits, score: Callable[[Ranked], float]) -> Floats:
    """(N,) the score of each ranking, from the preferences in its order, which all measures share."""
    groups = hits.pool.groups[hits.topic]
    rankings = hits.once("ranked", lambda: [ranked(groups, doc) for doc in hits.doc])
    return np.array([score(one) for one in rankings])


@_declared
def prefs_num_prefs_poss() -> Pairs:
    """The number of preferences that a ranking can fulfil, as trec_eval counts it.

    prefs_num_prefs_poss = Σ over assessors of their pairs (a, b) with a preferred to b

    Ann prefers a to b and b to c, so also a to c; Ben prefers b to a:

    >>> from rankprism import evaluate
    >>> people = [("q", "", "a", "b", "left", "ann"), ("q", "", "b", "c", "left", "ann")]
    >>> people += [("q", "", "b", "a", "left", "ben")]
    >>> evaluate(people, {"q": {"b": 2.0, "a": 1.0}}, "prefs_num_prefs_poss").mean()
    {'run': {'prefs_num_prefs_poss': 4.0}}
    """
    return _pairs(lambda r: float(r.counts.possible.sum()), is_deep=False)


@_declared
def prefs_num_prefs_ful() -> Pairs:
    """The number of preferences that the ranking fulfils.

    prefs_num_prefs_ful = Σ over assessors of their pairs with the preferred document above the other, which
                          may be missing

    The ranking has b, then a, and not c. Ann's preference of a to b is not fulfilled; the other three are:

    >>> from rankprism import evaluate
    >>> people = [("q", "", "a", "b", "left", "ann"), ("q", "", "b", "c", "left", "ann")]
    >>> people += [("q", "", "b", "a", "left", "ben")]
    >>> evaluate(people, {"q": {"b": 2.0, "a": 1.0}}, "prefs_num_prefs_ful").mean()
    {'run': {'prefs_num_prefs_ful': 3.0}}
    """
    return _pairs(lambda r: float(r.counts.fulfilled.sum()))


@_declared
def prefs_num_prefs_ful_ret() -> Pairs:
    """The number of preferences between retrieved documents that the ranking fulfils.

    prefs_num_prefs_ful_ret = Σ over assessors of their pairs, both retrieved, with the preferred document
                              above the other

    The ranking has a and b. Of the preferences between them, Ben's is fulfilled:

    >>> from rankprism import evaluate
    >>> people = [("q", "", "a", "b", "left", "ann"), ("q", "", "b", "c", "left", "ann")]
    >>> people += [("q", "", "b", "a", "left", "ben")]
    >>> evaluate(people, {"q": {"b": 2.0, "a": 1.0}}, "prefs_num_prefs_ful_ret").mean()
    {'run': {'prefs_num_prefs_ful_ret': 1.0}}
    """
    return _pairs(lambda r: float(r.counts.fulfilled_both.sum()))


@_declared
def prefs_simp() -> Pairs:
    """The share of all preferences that the ranking fulfils.

    prefs_simp = fulfilled / possible preferences of all assessors

    Three of four preferences are fulfilled:

    >>> from rankprism import evaluate
    >>> people = [("q", "", "a", "b", "left", "ann"), ("q", "", "b", "c", "left", "ann")]
    >>> people += [("q", "", "b", "a", "left", "ben")]
    >>> evaluate(people, {"q": {"b": 2.0, "a": 1.0}}, "prefs_simp").mean()
    {'run': {'prefs_simp': 0.75}}
    """
    return _pairs(lambda r: _share(r.counts.fulfilled, r.counts.possible))


@_declared
def prefs_pair() -> Pairs:
    """The mean over pairs of documents of the share of their preferences that is fulfilled.

    prefs_pair = 1/|pairs| Σ over pairs {a, b} of fulfilled / possible preferences between a and b

    One of the two preferences between a and b is fulfilled, and all between b and c and between a and c:

    >>> from rankprism import evaluate
    >>> people = [("q", "", "a", "b", "left", "ann"), ("q", "", "b", "c", "left", "ann")]
    >>> people += [("q", "", "b", "a", "left", "ben")]
    >>> evaluate(people, {"q": {"b": 2.0, "a": 1.0}}, "prefs_pair").mean()
    {'run': {'prefs_pair': 0.8333333333333334}}
    """
    return _pairs(lambda r: _by_pair(r, True, True))


@_declared
def prefs_avgjg() -> Pairs:
    """The mean over assessors of the share of their preferences that is fulfilled.

    prefs_avgjg = 1/|assessors| Σ over assessors of fulfilled / possible preferences

    Two of Ann's three preferences are fulfilled, and so is Ben's only one:

    >>> from rankprism import evaluate
    >>> people = [("q", "", "a", "b", "left", "ann"), ("q", "", "b", "c", "left", "ann")]
    >>> people += [("q", "", "b", "a", "left", "ben")]
    >>> evaluate(people, {"q": {"b": 2.0, "a": 1.0}}, "prefs_avgjg").mean()
    {'run': {'prefs_avgjg': 0.8333333333333333}}
    """
    return _pairs(lambda r: _mean_by_group(r.counts.fulfilled, r.counts.possible))


@_declared
def prefs_avgjg_Rnonrel() -> Pairs:
    """The same as prefs_avgjg, with as many documents on level 0 as above it.

    prefs_avgjg_Rnonrel = 1/|assessors| Σ over assessors of fulfilled / possible preferences among balanced
                          documents

    If an assessor has fewer documents on level 0 (known not to be relevant) than above it, the missing ones
    are added as documents that were not retrieved. If there are more, the lowest-ranked ones are left out.
    Only files with levels have a level 0 (`trec_eval -R prefs` and `-R qrels_prefs`).

    Ann names three documents and none on level 0, so three are added: her 3 + 3 · 3 preferences are fulfilled
    2 + 2 · 3 times, as c was not retrieved. All of Ben's 1 + 2 · 2 preferences are fulfilled:

    >>> from rankprism import evaluate
    >>> people = [("q", "", "a", "b", "left", "ann"), ("q", "", "b", "c", "left", "ann")]
    >>> people += [("q", "", "b", "a", "left", "ben")]
    >>> evaluate(people, {"q": {"b": 2.0, "a": 1.0}}, "prefs_avgjg_Rnonrel").mean()
    {'run': {'prefs_avgjg_Rnonrel': 0.8333333333333333}}
    """
    # Which documents on level 0 are left out depends on the order, so it is not a sum over pairs.
    return _pairs(lambda r: _r_nonrel(r, False), reversible=False)


@_declared
def prefs_simp_ret() -> Pairs:
    """The share of the preferences between retrieved documents that is fulfilled.

    prefs_simp_ret = fulfilled / possible preferences, both documents retrieved

    Of the preferences between a and b, Ben's is fulfilled and Ann's is not:

    >>> from rankprism import evaluate
    >>> people = [("q", "", "a", "b", "left", "ann"), ("q", "", "b", "c", "left", "ann")]
    >>> people += [("q", "", "b", "a", "left", "ben")]
    >>> evaluate(people, {"q": {"b": 2.0, "a": 1.0}}, "prefs_simp_ret").mean()
    {'run': {'prefs_simp_ret': 0.5}}
    """
    return _pairs(lambda r: _share(r.counts.fulfilled_both, r.counts.possible_both), is_deep=False)


@_declared
def prefs_pair_ret() -> Pairs:
    """The mean over pairs of retrieved documents of the share of their preferences that is fulfilled.

    prefs_pair_ret = 1/|pairs| Σ over pairs {a, b}, both retrieved, of fulfilled / possible preferences
                     between a and b

    The only such pair is a and b, for which one of two preferences is fulfilled:

    >>> from rankprism import evaluate
    >>> people = [("q", "", "a", "b", "left", "ann"), ("q", "", "b", "c", "left", "ann")]
    >>> people += [("q", "", "b", "a", "left", "ben")]
    >>> evaluate(people, {"q": {"b": 2.0, "a": 1.0}}, "prefs_pair_ret").mean()
    {'run': {'prefs_pair_ret': 0.5}}
    """
    return _pairs(lambda r: _by_pair(r, False, False), is_deep=False)


@_declared
def prefs_avgjg_ret() -> Pairs:
    """The mean over assessors of the share of fulfilled preferences between retrieved documents.

    prefs_avgjg_ret = 1/|assessors| Σ over assessors of fulfilled / possible preferences, both documents
                      retrieved

    Between a and b, Ann's preference is not fulfilled, and Ben's is:

    >>> from rankprism import evaluate
    >>> people = [("q", "", "a", "b", "left", "ann"), ("q", "", "b", "c", "left", "ann")]
    >>> people += [("q", "", "b", "a", "left", "ben")]
    >>> evaluate(people, {"q": {"b": 2.0, "a": 1.0}}, "prefs_avgjg_ret").mean()
    {'run': {'prefs_avgjg_ret': 0.5}}
    """
    return _pairs(lambda r: _mean_by_group(r.counts.fulfilled_both, r.counts.possible_both), is_deep=False)


@_declared
def prefs_avgjg_Rnonrel_ret() -> Pairs:
    """The same as prefs_avgjg_ret, with as many documents on level 0 as above it.

    prefs_avgjg_Rnonrel_ret = 1/|assessors| Σ over assessors of fulfilled / possible preferences among
                              balanced retrieved documents

    If an assessor has fewer documents on level 0 (known not to be relevant) than above it, the missing ones
    are added as documents that were not retrieved. If there are more, the lowest-ranked ones are left out.
    Only files with levels have a level 0 (`trec_eval -R prefs` and `-R qrels_prefs`).

    Ann names two retrieved documents and none on level 0, so two are added: her 1 + 3 · 2 preferences are
    fulfilled 0 + 2 · 2 times. All of Ben's 1 + 2 · 2 preferences are fulfilled:

    >>> from rankprism import evaluate
    >>> people = [("q", "", "a", "b", "left", "ann"), ("q", "", "b", "c", "left", "ann")]
    >>> people += [("q", "", "b", "a", "left", "ben")]
    >>> evaluate(people, {"q": {"b": 2.0, "a": 1.0}}, "prefs_avgjg_Rnonrel_ret").mean()
    {'run': {'prefs_avgjg_Rnonrel_ret': 0.7857142857142857}}
    """
    return _pairs(lambda r: _r_nonrel(r, True), reversible=False, is_deep=False)


@_declared
def prefs_simp_imp() -> Pairs:
    """The share of fulfilled preferences among those with a retrieved document.

    prefs_simp_imp = fulfilled / possible preferences, at least one document retrieved

    All four preferences have a retrieved document, and three are fulfilled:

    >>> from rankprism import evaluate
    >>> people = [("q", "", "a", "b", "left", "ann"), ("q", "", "b", "c", "left", "ann")]
    >>> people += [("q", "", "b", "a", "left", "ben")]
    >>> evaluate(people, {"q": {"b": 2.0, "a": 1.0}}, "prefs_simp_imp").mean()
    {'run': {'prefs_simp_imp': 0.75}}
    """
    return _pairs(lambda r: _share(r.counts.fulfilled, r.counts.possible_found), is_deep=False)


@_declared
def prefs_pair_imp() -> Pairs:
    """The mean over pairs with a retrieved document of the share of fulfilled preferences.

    prefs_pair_imp = 1/|pairs| Σ over pairs {a, b}, at least one retrieved, of fulfilled / possible
                     preferences

    One of the two preferences between a and b is fulfilled, and all between b and c and between a and c:

    >>> from rankprism import evaluate
    >>> people = [("q", "", "a", "b", "left", "ann"), ("q", "", "b", "c", "left", "ann")]
    >>> people += [("q", "", "b", "a", "left", "ben")]
    >>> evaluate(people, {"q": {"b": 2.0, "a": 1.0}}, "prefs_pair_imp").mean()
    {'run': {'prefs_pair_imp': 0.8333333333333334}}
    """
    return _pairs(lambda r: _by_pair(r, True, False), is_deep=False)


@_declared
def prefs_avgjg_imp() -> Pairs:
    """The mean over assessors of the share of fulfilled preferences with a retrieved document.

    prefs_avgjg_imp = 1/|assessors| Σ over assessors of fulfilled / possible preferences, at least one
                      document retrieved

    Two of Ann's three preferences are fulfilled, and so is Ben's only one:

    >>> from rankprism import evaluate
    >>> people = [("q", "", "a", "b", "left", "ann"), ("q", "", "b", "c", "left", "ann")]
    >>> people += [("q", "", "b", "a", "left", "ben")]
    >>> evaluate(people, {"q": {"b": 2.0, "a": 1.0}}, "prefs_avgjg_imp").mean()
    {'run': {'prefs_avgjg_imp': 0.8333333333333333}}
    """
    return _pairs(lambda r: _mean_by_group(r.counts.fulfilled, r.counts.possible_found), is_deep=False)
