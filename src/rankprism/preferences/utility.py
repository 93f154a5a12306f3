"""Utilities: how much a document is worth to somebody who has read the documents above it.

U(d) is the share of the simple pairs with d that d won; U(d|z) is the same share among the pairs that were shown
to somebody who had just read z. A tie is half a win (Chandar and Carterette 2013, Section 3.2).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from rankprism.data.hits import Bools, Floats, Ints, Longs
from rankprism.data.preferences import Preferences
from rankprism.measures.parts import ratio

COMBINATIONS = ("mean", "min", "product")
UNSEEN = ("zero", "skip")
#: Utilities that differ by less are equal when an ideal ranking is made, and the document id decides.
TIE = 1e-10


@dataclass(frozen=True, eq=False)
class Counts:
    """How often documents were shown to an assessor, and how often they won, a tie being half a win."""

    wins: Floats
    shown: Floats

    @property
    def share(self) -> Floats:
        """wins / shown, and 0 where a document was never shown."""
        return ratio(self.wins, self.shown)


@dataclass(frozen=True, eq=False)
class Shown:
    """The judgments of one topic, counted. Documents are numbered as in `Preferences.table`, by id descending."""

    docs: tuple[str, ...]
    pool: Bools  #: (D,) whether a document was shown as left or right; only these can be in an ideal ranking
    alone: Counts  #: (D,) in simple pairs
    given: Counts  #: (D, D) of document d given document z
    after: Mapping[frozenset[int], Counts] = field(default_factory=dict)  #: (D,) given several documents


def shown_by_topic(preferences: Preferences) -> Iterator[tuple[str, Shown]]:
    """The counts of every topic, in the order of `Preferences.table`."""
    names, _, docs, _ = preferences.table.columns()
    numbers: dict[str, dict[str, int]] = {}
    for topic, doc in zip(names, docs, strict=True):
        of_topic = numbers.setdefault(topic, {})
        of_topic[doc] = len(of_topic)
    position = {topic: t for t, topic in enumerate(preferences.topics)}
    order = np.argsort(preferences.topic, kind="stable")
    edges = np.searchsorted(preferences.topic[order], np.arange(len(preferences.topics) + 1))
    for topic in preferences.table.topics:
        t = position[topic]
        yield topic, _shown(preferences, numbers[topic], order[edges[t] : edges[t + 1]])


def _shown(preferences: Preferences, number: Mapping[str, int], rows: Longs) -> Shown:
    place = np.full(len(preferences.docs), -1, dtype=np.int64)
    known = [(d, number[doc]) for d, doc in enumerate(preferences.docs) if doc in number]
    place[[d for d, _ in known]] = [n for _, n in known]
    left, right = place[preferences.left[rows]], place[preferences.right[rows]]
    outcome, given = preferences.outcome[rows], preferences.given[rows]
    size = preferences.number_given[rows]
    documents = len(number)

    pool = np.zeros(documents, dtype=bool)
    pool[left], pool[right] = True, True
    one = size == 1
    z = place[[preferences.givens[g][0] for g in given[one]]] if one.any() else np.empty(0, dtype=np.int64)
    cells = np.zeros((2, documents * documents))
    for side, won in ((left[one], outcome[one]), (right[one], 1 - outcome[one])):
        cells[0] += np.bincount(side * documents + z, won, documents * documents)
        cells[1] += np.bincount(side * documents + z, minlength=documents * documents)
    wins, shown = cells.reshape(2, documents, documents)
    after = {}
    for g in np.unique(given[size > 1]):
        after[frozenset(place[list(preferences.givens[g])].tolist())] = _counts(
            documents, left, right, outcome, given == g
        )
    return Shown(
        tuple(number), pool, _counts(documents, left, right, outcome, size == 0), Counts(wins, shown), after
    )


def _counts(documents: int, left: Longs, right: Longs, outcome: Floats, which: Bools) -> Counts:
    left, right, outcome = left[which], right[which], outcome[which]
    wins = np.bincount(left, outcome, documents) + np.bincount(right, 1 - outcome, documents)
    shown = np.bincount(left, minlength=documents) + np.bincount(right, minlength=documents)
    return Counts(wins, shown.astype(np.float64))


@dataclass(frozen=True, eq=False)
class Utilities:
    """What each document of a topic is worth, alone and given each other one, and where that is known."""

    alone: Floats  #: (D,)
    given: Floats  #: (D, D) of document d given document z
    known: Bools  #: (D, D) whether d was ever shown given z
    after: Mapping[
        frozenset[int], tuple[Floats, Bools]
    ]  #: (D,) given several documents, and whether that is known


def raw(shown: Shown, unseen: str) -> Utilities:
    """Utilities as the paper has them: wins over times shown.

    With unseen="skip" a document that was in no simple pair is worth alone what it won over all of its triplets.
    """
    alone = shown.alone.share
    if unseen == "skip":
        wins, times = shown.given.wins.sum(-1), shown.given.shown.sum(-1)
        alone = np.where(shown.alone.shown > 0, alone, ratio(wins, times))
    after = {key: (counts.share, counts.shown > 0) for key, counts in shown.after.items()}
    return Utilities(alone, shown.given.share, shown.given.shown > 0, after)


class Reader:
    """A reader on the way down a ranking, or down several at once: what each document would be worth next.

    The one place where utilities are combined, so that rankings and ideal rankings are scored alike. N readers
    stand at the same rank; each `read` moves all of them one document further.
    """

    def __init__(self, utilities: Utilities, combine: str, unseen: str, readers: int) -> None:
        self.utilities, self.combine, self.unseen = utilities, combine, unseen
        documents = len(utilities.alone)
        start = 0.0 if combine == "mean" else np.inf if combine == "min" else 1.0
        self.so_far = np.full((readers, documents), start)
        self.terms = np.zeros((readers, documents))  # how many documents above took part
        self.above: list[list[int]] = [[] for _ in range(readers)]

    def worth(self) -> Floats:
        """(N, D): the utility of each document, given what each reader has read."""
        u = self.utilities
        if self.combine == "mean":
            combined = ratio(self.so_far, self.terms)
        else:
            combined = np.where(self.terms > 0, self.so_far, 0.0)
        combined = np.where(self.terms > 0, combined, u.alone)
        for n, documents in enumerate(self.above):
            if len(documents) > 1 and u.after:
                found = u.after.get(frozenset(documents))
                if found is not None:
                    combined[n] = np.where(found[1], found[0], combined[n])
        return combined

    def read(self, doc: Ints | Longs) -> None:
        """The next document of each reader; -1 is a document that nobody judged."""
        u = self.utilities
        known = doc >= 0
        at = np.maximum(doc, 0)
        worth = np.where(known[:, None], u.given[:, at].T, 0.0)
        counted = (
            np.where(known[:, None], u.known[:, at].T, False)
            if self.unseen == "skip"
            else np.ones_like(worth, dtype=bool)
        )
        if self.combine == "mean":
            self.so_far += np.where(counted, worth, 0.0)
        elif self.combine == "min":
            self.so_far = np.where(counted, np.minimum(self.so_far, worth), self.so_far)
        else:
            self.so_far = np.where(counted, self.so_far * worth, self.so_far)
        self.terms += counted
        for n, document in enumerate(doc.tolist()):
            self.above[n].append(document)
