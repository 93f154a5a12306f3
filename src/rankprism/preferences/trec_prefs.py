"""trec_eval's preference measures: how many of the preferences does a ranking fulfil?

Somebody prefers document a to b, and the ranking has a above b: the preference is fulfilled. If only one of
the two was retrieved, the other one counts as ranked below it: fulfilled or not, such a preference is
*implied*. If neither was, the preference is not fulfilled.

Preferences come in judgment groups, one for each assessor. Within a group they are transitive: whoever
prefers a to b and b to c prefers a to c. trec_eval stops where a group prefers a to b and also b to a;
here, such a pair is no preference, so assessors may contradict themselves. Pairs after other documents
(triplets) are not used.

The names, and what they compute, are those of trec_eval (Buckley; compared with version 10.0-rc3). For
these measures alone, trec_eval puts documents of equal scores in ascending order of their ids, so it has
the same ranking as `order="score-ascending-id"`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankprism.data.hits import Bools, Floats, Ints, Longs
from rankprism.data.preferences import Levels, Preferences
from rankprism.measures.parts import ratio
from rankprism.preferences.utility import NONE, numbers_by_topic


@dataclass(frozen=True, eq=False)
class Group:
    """The preferences of one assessor on one topic. Documents are in the order of `Preferences.table`."""

    better: Bools  #: (D, D) whether the first document is preferred to the second
    relevant: Bools  #: (D,) documents of this group above level 0
    nonrelevant: Bools  #: (D,) documents of this group on level 0
    #: Whether the group is a single list of levels, for which trec_eval computes Rnonrel differently.
    single_list: bool


def judgment_groups(preferences: Preferences) -> dict[str, tuple[Group, ...]]:
    """The groups of every topic, by assessor. Without levels, no document is known not to be relevant."""
    levels = preferences.levels
    found: dict[str, tuple[Group, ...]] = {}
    for topic, number in numbers_by_topic(preferences).items():
        t = preferences.topics.index(topic)
        place = np.full(len(preferences.docs), NONE, dtype=np.int64)
        for d, doc in enumerate(preferences.docs):
            place[d] = number.get(doc, NONE)
        if levels is not None:
            own = levels.rows(levels.topic == t)
            groups = [
                _from_levels(own.rows(own.assessor == a), place, len(number)) for a in np.unique(own.assessor)
            ]
        else:
            rows = np.flatnonzero((preferences.topic == t) & (preferences.number_given == 0))
            groups = [
                _from_pairs(preferences, rows[preferences.assessor[rows] == a], place, len(number))
                for a in np.unique(preferences.assessor[rows])
            ]
        found[topic] = tuple(groups)
    return found


def _from_levels(levels: Levels, place: Longs, documents: int) -> Group:
    better = np.zeros((documents, documents), dtype=bool)
    relevant, nonrelevant = np.zeros((2, documents), dtype=bool)
    lists = np.unique(levels.listing)
    for one in lists:
        at = levels.listing == one
        doc, level = place[levels.doc[at]], levels.level[at]
        better[np.ix_(doc, doc)] |= level[:, None] > level
    doc = place[levels.doc]
    relevant[doc[levels.level > 0]] = True
    nonrelevant[doc[levels.level == 0]] = True
    # Levels are transitive as they are.
    return Group(better if len(lists) == 1 else _transitive(better), relevant, nonrelevant, len(lists) == 1)


def _from_pairs(preferences: Preferences, rows: Longs, place: Longs, documents: int) -> Group:
    left, right = place[preferences.left[rows]], place[preferences.right[rows]]
    outcome = preferences.outcome[rows]
    better = np.zeros((documents, documents), dtype=bool)
    better[left[outcome == 1], right[outcome == 1]] = True
    better[right[outcome == 0], left[outcome == 0]] = True
    named = np.zeros(documents, dtype=bool)
    named[left], named[right] = True, True
    return Group(_transitive(better), named, np.zeros(documents, dtype=bool), False)


def _transitive(better: Bools) -> Bools:
    """What follows from these preferences, without the pairs for which both ways follow."""
    reach = better.astype(np.float32)
    while True:
        further = np.minimum(reach + reach @ reach, 1)
        if (further == reach).all():
            closed = reach > 0
            return np.asarray(closed & ~closed.T)
        reach = further


@dataclass(frozen=True, eq=False)
class Fulfilled:
    """What one ranking does with the preferences of each group: numbers of preferences, all (group,).

    `both`: both documents were retrieved. `one`: only one was. `neither`: none was.
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
    """The groups with documents in the order of one ranking: those retrieved, then the others by id."""

    groups: tuple[Group, ...]
    retrieved: int

    @cached_property
    def counts(self) -> Fulfilled:
        """The preferences of each group, counted."""
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
    # Documents are numbered by id descending, and trec_eval lines up those not retrieved by id ascending.
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
    """The mean over groups of fulfilled ÷ possible; a group without possible preferences has 0."""
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
    # The order has the retrieved documents first, so i < n says that one was, and j < n that both were.
    inside = (j < n) | (implied & (i < n)) | (neither & (i >= n))
    i, j = i[inside], j[inside]
    total = count[i, j] + count[j, i]
    if not total.any():
        return 0.0
    shares = np.where(i < n, ratio(count[i, j], total), 0.0)
    return float(np.cumsum(shares)[-1] / np.count_nonzero(total))


def _r_nonrel(r: Ranked, only_retrieved: bool) -> float:
    """The mean over groups, each with as many documents on level 0 as above it.

    Where there are fewer on level 0 than above, the missing ones are added, as documents that were not
    retrieved. Where there are more, those further down are left out. As in trec_eval, down to its oddities:
    with a single list, the pairs among documents on level 0 are counted as well, and one group with no pair
    at all makes the score 0.
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
    """Preferences among documents above level 0, and any document with the first `wanted` on level 0."""
    kept = np.flatnonzero(group.nonrelevant)[:wanted]
    end = n if only_retrieved else len(group.relevant)
    listed = group.relevant | group.nonrelevant
    pair = group.better & group.relevant & group.relevant[:, None]
    pair[np.ix_(np.flatnonzero(listed), kept)] = True
    pair = pair[:end, :end]
    return int(np.triu(pair, 1)[:n].sum()), int(pair.sum())


def _several_lists(group: Group, n: int, most: int, only_retrieved: bool) -> tuple[int, int]:
    """Preferences between all documents but those on level 0 behind the first `most` of them."""
    kept = ~group.nonrelevant | (np.cumsum(group.nonrelevant) <= most)
    end = n if only_retrieved else len(kept)
    pair = (group.better & kept & kept[:, None])[:end, :end]
    return int(np.triu(pair, 1)[:n].sum()), int(pair.sum())


#: Every measure by its name in trec_eval, as a function of the groups in the order of one ranking. Those
#: that end in _ret use pairs with both documents retrieved, those in _imp pairs with at least one, all
#: others any pair.
MEASURES: dict[str, Callable[[Ranked], float]] = {
    "prefs_num_prefs_poss": lambda r: float(r.counts.possible.sum()),
    "prefs_num_prefs_ful": lambda r: float(r.counts.fulfilled.sum()),
    "prefs_num_prefs_ful_ret": lambda r: float(r.counts.fulfilled_both.sum()),
    "prefs_simp": lambda r: _share(r.counts.fulfilled, r.counts.possible),
    "prefs_pair": lambda r: _by_pair(r, True, True),
    "prefs_avgjg": lambda r: _mean_by_group(r.counts.fulfilled, r.counts.possible),
    "prefs_avgjg_Rnonrel": lambda r: _r_nonrel(r, False),
    "prefs_simp_ret": lambda r: _share(r.counts.fulfilled_both, r.counts.possible_both),
    "prefs_pair_ret": lambda r: _by_pair(r, False, False),
    "prefs_avgjg_ret": lambda r: _mean_by_group(r.counts.fulfilled_both, r.counts.possible_both),
    "prefs_avgjg_Rnonrel_ret": lambda r: _r_nonrel(r, True),
    "prefs_simp_imp": lambda r: _share(r.counts.fulfilled, r.counts.possible_found),
    "prefs_pair_imp": lambda r: _by_pair(r, True, False),
    "prefs_avgjg_imp": lambda r: _mean_by_group(r.counts.fulfilled, r.counts.possible_found),
}


def trec_prefs(name: str, groups: tuple[Group, ...], rank: Ints, doc: Longs) -> Floats:
    """(N,) one of the `MEASURES` of each ranking

    rank, doc : (N, H) the ranks and positions of the documents, from the top; NOWHERE and NONE where padded.
    """
    return np.array([MEASURES[name](ranked(groups, one)) for one in doc])
