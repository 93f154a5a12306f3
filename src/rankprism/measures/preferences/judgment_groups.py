"""The preferences of each assessor on a topic, as trec_eval's preference measures see them.

Preferences come in judgment groups, one for each assessor. Within a group they are transitive: an assessor
who prefers a to b and b to c also prefers a to c. trec_eval stops if a group prefers a to b and also b to a.
Here, such a pair does not count, so assessors may contradict themselves. Pairs after other documents
(triplets) are not used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rankprism.data import Bools, Longs, Preferences, seal_fields
from rankprism.data.preferences import Levels
from rankprism.measures.preferences.utility import Place, checked_documents, places_by_topic


@dataclass(frozen=True, eq=False)
class Group:
    """The preferences of one assessor on one topic. Documents are in the order of `Preferences.table`."""

    better: Bools  #: (D, D) whether the first document is preferred to the second
    relevant: Bools  #: (D,) documents of this group above level 0
    nonrelevant: Bools  #: (D,) documents of this group on level 0
    #: Whether the group is a single list of levels, for which trec_eval computes Rnonrel differently.
    single_list: bool

    def __post_init__(self) -> None:
        seal_fields(self)


def judgment_groups(
    preferences: Preferences, places: Mapping[str, tuple[Place, Longs]] | None = None
) -> dict[str, tuple[Group, ...]]:
    """The groups of every topic, by the names of assessors. Only levels can put documents on level 0.

    places : the positions of each topic's documents. Default: as in these preferences alone.
    """
    levels = preferences.levels
    by_name = np.argsort(np.argsort(np.array(preferences.assessors, dtype=object), kind="stable"))
    found: dict[str, tuple[Group, ...]] = {}
    for topic, (place, _) in (places_by_topic(preferences) if places is None else places).items():
        t, n = preferences.topics.index(topic), checked_documents(len(place.docs), place.where)
        if levels is not None:
            own = levels.rows(levels.topic == t)
            groups = [
                _from_levels(own.rows(own.assessor == a), place.at, n)
                for a in sorted(np.unique(own.assessor), key=lambda a: int(by_name[a]))
            ]
        else:
            rows = np.flatnonzero((preferences.topic == t) & (preferences.number_given == 0))
            who = preferences.assessor[rows]
            groups = [
                _from_pairs(preferences, rows[who == a], place.at, n)
                for a in sorted(np.unique(who), key=lambda a: int(by_name[a]))
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
    # Levels are transitive already.
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
    """The transitive closure of these preferences, without pairs that are preferred both ways."""
    reach = better.astype(np.float32)
    while True:
        further = np.minimum(reach + reach @ reach, 1)
        if (further == reach).all():
            closed = reach > 0
            return np.asarray(closed & ~closed.T)
        reach = further
