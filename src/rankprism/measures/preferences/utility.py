"""Utilities: how much a document is worth to somebody who has just read another one.

U(d) is the share of the simple pairs with d that d won. U(d|z) is the same share among the pairs that were
shown to somebody who had just read z. A tie is half a win (Chandar and Carterette 2013, Section 3.2). A
utility without judgments of its own kind falls back on the other kind: see `raw`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from rankprism._core import solve_spd
from rankprism.data import Bools, Floats, Longs, Preferences, seal_fields
from rankprism.data.arrays import sealed
from rankprism.errors import InputError
from rankprism.measures.parts import ratio, total

ESTIMATES = ("raw", "pooled")
UNSEEN = ("zero", "skip")
FALLBACKS = ("other", "none")
#: The pooled estimate for a document that was never shown: it wins as often as it loses.
PRIOR = 0.5
#: The position of no document.
NONE = -1
#: The most documents that a topic may have if a table of all pairs is made. Such a table then takes up to
#: 800 MB, and an analysis makes several.
MOST_DOCUMENTS = 10_000
#: The range of γ, the share of the user's need that a perfect given document takes away.
_MOST_GAMMA = 2.5


@dataclass(frozen=True, eq=False)
class Counts:
    """How often documents were shown, and how often they won; a tie is half a win."""

    wins: Floats
    shown: Floats

    def __post_init__(self) -> None:
        seal_fields(self)

    @property
    def share(self) -> Floats:
        """wins / shown, and 0 where a document was never shown."""
        return ratio(self.wins, self.shown)


@dataclass(frozen=True, eq=False)
class Comparisons:
    """The pairs and triplets of one topic, one by one, as positions of documents."""

    left: Longs
    right: Longs
    given: Longs  #: NONE for a simple pair
    outcome: Floats  #: 1 left, 0 right, ½ neither

    def __post_init__(self) -> None:
        seal_fields(self)

    @classmethod
    def joined(cls, parts: Sequence[Comparisons]) -> Comparisons:
        """The comparisons of several parts, one part after another."""
        return cls(
            np.concatenate([c.left for c in parts]),
            np.concatenate([c.right for c in parts]),
            np.concatenate([c.given for c in parts]),
            np.concatenate([c.outcome for c in parts]),
        )


@dataclass(frozen=True, eq=False)
class Shown:
    """The counted judgments of one topic. Documents are in the order of `Preferences.table`."""

    docs: tuple[str, ...]
    pool: Bools  #: (D,) whether a document was shown as left or right; only these can be in an ideal ranking
    alone: Counts  #: (D,) in simple pairs
    #: Counts the wins of document d given document z, on demand, because the table has all pairs.
    count_given: Callable[[], Counts] = field(repr=False)
    has_triplets: bool  #: whether there is any judgment given exactly one document
    #: Makes the comparisons themselves, on demand, because complete simulations have half a million.
    compare: Callable[[], Comparisons] = field(repr=False)
    after: Mapping[frozenset[int], Counts] = field(default_factory=dict)  #: (D,) given several documents
    where: str = "a topic"  #: what messages call the judgments

    def __post_init__(self) -> None:
        seal_fields(self)

    @property
    def square(self) -> int:
        """The number of documents, if a table of all pairs can be made."""
        return checked_documents(len(self.docs), self.where)

    @cached_property
    def given(self) -> Counts:
        """(D, D) the counts of document d given document z"""
        return self.count_given()

    @cached_property
    def comparisons(self) -> Comparisons:
        return self.compare()

    @cached_property
    def all(self) -> Counts:
        """(D,) the counts over all comparisons, whatever was given"""
        parts = [self.alone, Counts(self.given.wins.sum(-1), self.given.shown.sum(-1)), *self.after.values()]
        # Sums of halves are exact in any order.
        return Counts(np.sum([part.wins for part in parts], 0), np.sum([part.shown for part in parts], 0))

    @property
    def has_pairs(self) -> bool:
        """Whether there is any simple pair."""
        return bool(self.alone.shown.any())

    @cached_property
    def named(self) -> Bools:
        """(D,) whether a document was shown or given; all were, unless some judgments are missing here."""
        named = self.pool | (self.given.shown > 0).any(0)
        for documents in self.after:
            named[list(documents)] = True
        return sealed(named)

    @cached_property
    def quality(self) -> Floats:
        """(D,) θ = (A + I)⁻¹ y: how good each document is overall, whatever was given.

        A is the Laplacian of the graph of all comparisons, and y_d is the sum of outcome - ½ over the
        comparisons of d. This is the least squares fit of outcome - ½ = θ_d - θ_opponent, with a penalty that
        keeps θ at 0 where there are no judgments.
        """
        c, n = self.comparisons, self.square
        met = np.bincount(c.left * n + c.right, minlength=n * n).reshape(n, n).astype(np.float64)
        met += met.T
        y = np.bincount(c.left, c.outcome - 0.5, n) - np.bincount(c.right, c.outcome - 0.5, n)
        return sealed(solve_spd(np.diag(met.sum(-1) + 1) - met, y.astype(np.float64)))


def checked_documents(documents: int, where: str) -> int:
    """The number of documents of a topic; an error if a table of all pairs would be too large."""
    if documents > MOST_DOCUMENTS:
        raise InputError(
            f"{where}: has {documents:,} documents, and this needs a table of all pairs, which is made for "
            f"at most {MOST_DOCUMENTS:,}; keep the judgments of fewer documents, or divide the topic"
        )
    return documents


def numbers_by_topic(preferences: Preferences) -> dict[str, dict[str, int]]:
    """The position of each document that a topic names, in the order of `Preferences.table`."""
    topics, _, docs, _ = preferences.table.columns()
    numbers: dict[str, dict[str, int]] = {topic: {} for topic in preferences.table.topics}
    for topic, doc in zip(topics, docs, strict=True):
        numbers[topic][doc] = len(numbers[topic])
    return numbers


def shown_by_topic(preferences: Preferences) -> dict[str, Shown]:
    """The counts of every topic, in the order of `Preferences.table`."""
    places = places_by_topic(preferences)
    return {topic: place.shown(preferences, rows) for topic, (place, rows) in places.items()}


@dataclass(frozen=True, eq=False)
class Place:
    """The position of each document of a set of preferences among one topic's documents."""

    docs: tuple[str, ...]
    at: Longs  #: (all documents,) NONE where the topic does not name the document
    where: str  #: what messages call the judgments of the topic

    def shown(self, preferences: Preferences, rows: Longs) -> Shown:
        """Count these judgments."""
        n = len(self.docs)
        left, right = self.at[preferences.left[rows]], self.at[preferences.right[rows]]
        outcome, given = preferences.outcome[rows], preferences.given[rows]
        size = preferences.number_given[rows]
        few = size <= 1
        z = np.where(size == 1, self.at[preferences.only_given[rows]], NONE)
        pool = np.zeros(n, dtype=bool)
        pool[left], pool[right] = True, True
        after = {
            frozenset(self.at[list(preferences.givens[g])].tolist()): count_alone(
                n, left[given == g], right[given == g], outcome[given == g]
            )
            for g in np.unique(given[~few])
        }
        # Sorted first, so that sums do not depend on the order of the lines.
        order = np.lexsort((outcome[few], z[few], right[few], left[few]))
        comparisons = Comparisons(left[few][order], right[few][order], z[few][order], outcome[few][order])
        return counted(self.docs, pool, comparisons, after, self.where)


def places_by_topic(preferences: Preferences) -> dict[str, tuple[Place, Longs]]:
    """For every topic, in the order of `Preferences.table`, the places of its documents and its rows."""
    position = {doc: d for d, doc in enumerate(preferences.docs)}
    order = np.argsort(preferences.topic, kind="stable")
    edges = np.searchsorted(preferences.topic[order], np.arange(len(preferences.topics) + 1))
    rows = {topic: order[edges[t] : edges[t + 1]] for t, topic in enumerate(preferences.topics)}
    found = {}
    for topic, number in numbers_by_topic(preferences).items():
        at = np.full(len(preferences.docs), NONE, dtype=np.int64)
        at[[position[doc] for doc in number]] = np.arange(len(number))
        where = f"{preferences.source}, topic {topic!r}"
        found[topic] = Place(tuple(number), at, where), rows[topic]
    return found


def counted(
    docs: tuple[str, ...],
    pool: Bools,
    comparisons: Comparisons,
    after: Mapping[frozenset[int], Counts] | None = None,
    where: str = "a topic",
) -> Shown:
    """Count the wins of every document, alone and given each other one."""
    c = comparisons
    simple = c.given == NONE
    alone = count_alone(len(docs), c.left[simple], c.right[simple], c.outcome[simple])

    def count_given() -> Counts:
        return _count_given(checked_documents(len(docs), where), comparisons)

    return Shown(docs, pool, alone, count_given, not simple.all(), lambda: comparisons, after or {}, where)


def _count_given(n: int, c: Comparisons) -> Counts:
    """(D, D) the wins of each document given each other one."""
    triple = c.given != NONE
    z, x = c.given[triple], c.outcome[triple]
    left, right = c.left[triple] * n + z, c.right[triple] * n + z
    wins = np.bincount(left, x, n * n) + np.bincount(right, 1 - x, n * n)
    shown = np.bincount(left, minlength=n * n) + np.bincount(right, minlength=n * n)
    return Counts(wins.astype(np.float64).reshape(n, n), shown.reshape(n, n).astype(np.float64))


def count_alone(documents: int, left: Longs, right: Longs, outcome: Floats) -> Counts:
    """(D,) the wins of each document in these comparisons."""
    # Sums of halves are exact, so the order of the judgments does not matter.
    wins = np.bincount(left, outcome, documents) + np.bincount(right, 1 - outcome, documents)
    shown = np.bincount(left, minlength=documents) + np.bincount(right, minlength=documents)
    return Counts(wins.astype(np.float64), shown.astype(np.float64))


# ── estimates ────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, eq=False)
class Utilities:
    """The utility of each document of a topic, alone and given each other one, and where it is known."""

    alone: Floats  #: (D,)
    given: Floats  #: (D, D) of document d given document z
    known: Bools  #: (D, D) whether U(d|z) counts; if none does for the documents above, U(d) counts
    pool: Bools  #: (D,) the documents that were shown as left or right
    #: (D,) of document d given a document that no judgment names; NaN if such documents do not count
    given_stranger: Floats
    stranger: float = 0.0  #: of a document that no judgment names, alone and given any other one
    after: Mapping[frozenset[int], tuple[Floats, Bools]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        seal_fields(self)


def utilities(
    shown: Mapping[str, Shown], estimate: str, unseen: str, fallback: str = "other"
) -> dict[str, Utilities]:
    """The utilities of every topic."""
    if estimate == "raw":
        return {topic: raw(one, unseen, fallback) for topic, one in shown.items()}
    gamma = satiation(shown)
    return {topic: pooled(one, gamma) for topic, one in shown.items()}


def raw(shown: Shown, unseen: str, fallback: str = "other") -> Utilities:
    """The share of wins among the times shown, as in the paper.

    With fallback="other", a utility without judgments is borrowed, each for itself. U(d) of a document that
    was in no pair is the share of all comparisons with d that d won, whatever was given. A document that was
    in no triplet is worth U(d) at every rank. Of one that was, U(d|z) that nobody was asked about is U(d), if
    d was in a pair and some judgment names z. With fallback="none", nothing is borrowed, and U(d) is 0.

    A U(d|z) that is neither known nor borrowed is 0 with unseen="zero". With unseen="skip", no single U(d|z)
    is borrowed: those without judgments do not count, and if none counts, U(d) does.
    """
    alone, given = shown.alone.share, shown.given.share
    seen, n = shown.given.shown > 0, len(alone)
    in_triplets: Bools = np.ones(n, dtype=bool)
    lent = np.zeros(n)
    if fallback == "other":
        in_triplets, lent = np.asarray(seen.any(1)), alone  # 0 of a document that was in no pair
        alone = np.where(shown.alone.shown > 0, alone, shown.all.share)
    if unseen == "skip":
        return Utilities(alone, given, seen, shown.pool, np.full(n, np.nan), 0.0, _after(shown))
    known = np.repeat(in_triplets[:, None], n, axis=1)
    given = np.where(seen | np.eye(n, dtype=bool), given, lent[:, None])
    given_stranger = np.where(in_triplets, 0.0, np.nan)
    return Utilities(alone, given, known, shown.pool, given_stranger, 0.0, _after(shown))


def pooled(shown: Shown, gamma: float) -> Utilities:
    """Utilities that use all judgments of a document, whatever was given when it was shown.

    U(d|z) = ½ + n/(n-1) (θ_d - θ̄) f_z + R(d,z) / (shown(d,z) + 2). θ is the `quality` of the documents. f_z =
    1 - γ max(θ_z, 0), because a good given document leaves less to want. R(d,z) sums, over the comparisons of
    d given z, how much outcome - ½ exceeds (θ_d - θ_opponent) f_z. U(d) is the same with f = 1 and the simple
    pairs. A utility is a share of wins, so it is kept between 0 and 1.

    Every utility has an estimate, so nothing is unseen and nothing falls back. A document that was never
    shown has θ = 0, and θ̄ is 0 as well because every comparison adds as much to one document as it takes
    from another. So its utility is ½, alone and given any document.
    """
    c, n = shown.comparisons, shown.square
    theta, documents = shown.quality, int(shown.named.sum())
    left_over = 1 - gamma * np.maximum(np.append(theta, 0.0), 0.0)  # the last is f if no document is given
    excess = _excess(c, theta, left_over)
    z = np.where(c.given == NONE, n, c.given)
    cells = n * (n + 1)
    residual = np.bincount(c.left * (n + 1) + z, excess, cells) - np.bincount(
        c.right * (n + 1) + z, excess, cells
    )
    times = np.bincount(c.left * (n + 1) + z, minlength=cells) + np.bincount(
        c.right * (n + 1) + z, minlength=cells
    )
    mean = float(total(theta)) / max(documents, 1)
    base = 0.5 + documents / max(documents - 1, 1) * (theta - mean)[:, None] * left_over
    value = np.clip(base + residual.reshape(n, n + 1) / (times.reshape(n, n + 1) + 2), 0.0, 1.0)
    value = np.where(shown.pool[:, None], value, PRIOR)
    given = value[:, :n]
    np.fill_diagonal(given, 0.0)
    # A document that no judgment names takes nothing away: it is as if none were given, without residuals.
    given_stranger = np.where(shown.pool, np.clip(base[:, n], 0.0, 1.0), PRIOR)
    every = np.ones((n, n), dtype=bool)
    return Utilities(value[:, n], given, every, shown.pool, given_stranger, PRIOR, _after(shown))


def satiation(shown: Mapping[str, Shown]) -> float:
    """γ: how much a good given document reduces the difference between two others, over all topics.

    This is the least squares fit of outcome - ½ = (θ_left - θ_right) (1 - γ max(θ_given, 0)), kept between 0
    and 2.5.
    """
    above, below = [], []
    for one in shown.values():
        c, theta = one.comparisons, one.quality
        triple = c.given != NONE
        difference = (theta[c.left] - theta[c.right])[triple]
        worth = difference * np.maximum(theta[c.given[triple]], 0.0)
        rest = c.outcome[triple] - 0.5 - difference
        above.append(-total(worth * rest))
        below.append(total(worth * worth))
    squares = total(np.array(below))
    return float(np.clip(total(np.array(above)) / squares, 0.0, _MOST_GAMMA)) if squares > 0 else 0.0


def _excess(c: Comparisons, theta: Floats, left_over: Floats) -> Floats:
    """Outcome - ½ minus its expectation from the quality of the two documents, seen from the left one."""
    return np.asarray(c.outcome - 0.5 - (theta[c.left] - theta[c.right]) * left_over[c.given])


def _after(shown: Shown) -> dict[frozenset[int], tuple[Floats, Bools]]:
    return {given: (counts.share, counts.shown > 0) for given, counts in shown.after.items()}
