"""Simulated preferences: what people with known profiles would say, made from subtopic judgments.

Of two documents a user prefers the one that has more of the subtopics of their profile (the larger sum of
weights). Given a document that they have just read, its subtopics do not count any more (Chandar and
Carterette 2013, Section 4.2). With novelty="profile" a user who has read anything about their profile wants
nothing more: then all pairs are ties.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple, Unpack

import numpy as np

from rankprism.data import Bools, Floats, Judgments, Longs, Preferences
from rankprism.errors import InputError, one_of
from rankprism.evaluation import Collection, collected, collected_runs
from rankprism.judging.preferences.user_profiles import (
    Profiles,
    fitted,
    note_topics_without,
    read_profiles,
    topic_generator,
    trec_profile,
)
from rankprism.measures import NONE, Comparisons, Counts, Shown, checked_documents
from rankprism.measures.preferences.utility import counted
from rankprism.types import (
    AtLeast,
    CollectionOptions,
    JudgmentsLike,
    Natural,
    Novelty,
    PoolName,
    Positive,
    RunOptions,
    RunsLike,
    SimulationOptions,
    Ties,
)

#: Sums of weights that differ by less than this share of all weights are equal.
_EQUAL = 1e-10
#: Rows of a complete simulation beyond this number are not written: 50 topics of 100 documents would be 4 GB.
MOST_ROWS = 10_000_000
_TRIPLETS, _TIES = 1, 2  # purposes of random numbers


@dataclass(frozen=True, eq=False)
class User:
    """Somebody with a profile, and the documents of one topic."""

    docs: tuple[str, ...]  #: by id descending
    #: (D, D + 1) what each document still has for this user, given each document, and in the last column
    #: given none. Numbers of levels: only their order means anything.
    level: Longs

    def prefers(self, left: Longs, right: Longs, given: Longs) -> Floats:
        """1 where the user prefers left, 0 where right, ½ where neither; positions, `given` may be NONE."""
        # NONE is -1, and so the last column.
        return np.asarray((1 + np.sign(self.level[left, given] - self.level[right, given])) / 2)


class Simulation(NamedTuple):
    """What users see and how they judge: the keyword arguments `SimulationOptions` as a value."""

    documents: int = 100
    pool: PoolName = "retrieved"
    ties: Ties = "half"
    novelty: Novelty = "subtopic"
    seed: int = 0

    @classmethod
    def of(cls, **options: Any) -> Simulation:
        """Check the options and fill in the defaults."""
        found = cls(**options)
        one_of("ties", found.ties, Ties)
        one_of("novelty", found.novelty, Novelty)
        return found


def simulated_on(
    judgments: Any, runs: Any, **options: Unpack[SimulationOptions]
) -> tuple[Collection, Simulation]:
    """The collection that an experiment is about, and what its users see and how they judge."""
    rest: dict[str, Any] = {**options}
    own = {name: rest.pop(name) for name in Simulation._fields if name in rest}
    return collected(judgments, runs, **rest), Simulation.of(**own)


#: The users of each topic, by profile.
Users = Mapping[str, Mapping[str, User]]


def users_of(
    judgments: Judgments,
    pool: Mapping[str, tuple[str, ...]],
    profiles: Profiles | None = None,
    *,
    novelty: Novelty = "subtopic",
    rel: float = 1,
) -> dict[str, dict[str, User]]:
    """A user for every profile of every topic that has a pool.

    pool : the documents that are shown, see `best_documents`. profiles : default, the TREC profile.
    novelty : "subtopic" or "profile". rel : the lowest grade that makes a document relevant to a subtopic.
    """
    one_of("novelty", novelty, Novelty)
    chosen = trec_profile(judgments) if profiles is None else fitted(profiles, judgments)
    relevant: dict[str, dict[str, set[str]]] = {}
    for topic, aspect, doc, grade in zip(*judgments.table.columns(), strict=True):
        if grade >= rel:
            relevant.setdefault(topic, {}).setdefault(doc, set()).add(aspect)
    users: dict[str, dict[str, User]] = {}
    for topic, by_name in chosen.weights.items():
        if topic in pool:
            docs = tuple(sorted(pool[topic], reverse=True))
            checked_documents(len(docs), f"topic {topic!r}")
            covered = [relevant.get(topic, {}).get(doc, set()) for doc in docs]
            users[topic] = {
                name: User(
                    docs,
                    _levels(
                        np.array([[s in one for s in weights] for one in covered], dtype=bool).reshape(
                            len(docs), len(weights)
                        ),
                        np.array(list(weights.values())),
                        novelty,
                    ),
                )
                for name, weights in by_name.items()
            }
    return users


def _levels(covers: Bools, weights: Floats, novelty: Novelty) -> Longs:
    """(D, D + 1) see `User`

    covers : (D, S) whether a document is relevant to a subtopic of the profile
    """
    seen = np.vstack((covers, np.zeros(len(weights), dtype=bool)))  # the last row: no document given
    if novelty == "profile":
        seen = np.repeat(seen.any(axis=1, keepdims=True), len(weights), axis=1)
    value = np.zeros((len(covers), len(seen)))
    for s, weight in enumerate(weights):  # one after another, so that every machine adds in one order
        value += weight * (covers[:, s, None] & ~seen[:, s])
    # .1 + .2 and .3 are one level, although they differ in their last bits.
    values, place = np.unique(value, return_inverse=True)
    steps = np.diff(values, prepend=values[:1]) > _EQUAL * weights.sum()
    return np.asarray(np.cumsum(steps)[place.reshape(value.shape)], dtype=np.int64)


def candidates(judgments: Judgments, pool: PoolName, rel: float = 1) -> dict[str, set[str]] | None:
    """The documents of each topic that may be shown; None if all may.

    pool : "retrieved" is any document that a run has, "judged" only documents of the judgments, and
        "relevant" only those with a grade of at least `rel` on some subtopic.
    """
    one_of("pool", pool, PoolName)
    if pool == "retrieved":
        return None
    found: dict[str, set[str]] = {topic: set() for topic in judgments.topics}
    for topic, _, doc, grade in zip(*judgments.table.columns(), strict=True):
        if pool == "judged" or grade >= rel:
            found[topic].add(doc)
    return found


def best_documents(
    runs: RunsLike | Collection,
    number: int = 100,
    *,
    among: Mapping[str, Set[str]] | None = None,
    **reading: Unpack[RunOptions],
) -> dict[str, tuple[str, ...]]:
    """The documents of each topic with the best mean reciprocal rank over the runs.

    A run that does not have a document counts 0 for it. Of equally good documents, those with the larger ids
    are taken.

    among : the documents to choose from, see `candidates`; some may be in no run. Default: all in the runs.

    >>> runs = {"a": {"q": {"d1": 2, "d2": 1}}, "b": {"q": {"d3": 2, "d2": 1}}}
    >>> best_documents(runs, 2)  # d1 and d3 have a mean of 1/2, d2 has (1/2 + 1/2)/2 as well
    {'q': ('d3', 'd2')}
    >>> best_documents(runs, 2, among={"q": {"d1", "d9"}})
    {'q': ('d1', 'd9')}
    """
    if number < 1:
        raise InputError(f"the number of documents must be at least 1; got {number}")
    ranks: dict[str, dict[str, list[int]]] = {}
    for _, lists in collected_runs(runs, **reading).lists():
        for topic, docs in lists.items():
            of_topic = ranks.setdefault(topic, {})
            for rank, doc in enumerate(docs, 1):
                if among is None or doc in among.get(topic, ()):
                    of_topic.setdefault(doc, []).append(rank)
    for topic, found in ranks.items():
        for doc in () if among is None else among.get(topic, ()):
            found.setdefault(doc, [])

    def best(found: Mapping[str, list[int]]) -> tuple[str, ...]:
        # fsum rounds once, so the order of the runs does not matter.
        total = {doc: math.fsum(1 / r for r in of_doc) for doc, of_doc in found.items()}
        by_id = sorted(total, reverse=True)
        return tuple(sorted(by_id, key=lambda doc: -total[doc])[:number])

    return {topic: best(ranks[topic]) for topic in sorted(ranks) if ranks[topic]}


# ── every pair and every triplet ─────────────────────────────────────────────────────────────────


def _answers(user: User, ties: Ties, rng: np.random.Generator) -> Iterator[tuple[int, Longs]]:
    """For every given document z, and NONE at last: (D, D) 1 where the row's document is preferred to the
    column's, -1 where it is not, 0 for a tie."""
    n = len(user.docs)
    for z in [*range(n), NONE]:
        level = user.level[:, z]
        sign = np.sign(level[:, None] - level[None, :])
        if ties == "drawn":
            coins = np.triu(np.where(rng.random((n, n)) < 0.5, 1, -1), 1)
            sign = np.where(sign == 0, coins - coins.T, sign)
        yield z, sign


def complete(users: Users, *, ties: Ties = "half", seed: int = 0) -> dict[str, Shown]:
    """What the users of each topic say about every pair, also given every other document, counted.

    100 documents make 4,950 pairs and 485,100 triplets for each user. They are counted without being listed,
    unless somebody asks for `Shown.comparisons`.

    ties : "half" makes a tie half a win for both; "drawn" lets a coin decide, by the seed.
    """
    one_of("ties", ties, Ties)
    return {topic: _complete(topic, of_topic, ties, seed) for topic, of_topic in users.items()}


def _complete(topic: str, users: Mapping[str, User], ties: Ties, seed: int) -> Shown:
    docs = next(iter(users.values())).docs
    n = len(docs)
    twice = np.zeros((n, n + 1), dtype=np.int64)  # twice the wins, whole numbers
    rng = topic_generator(seed, topic, _TIES)
    for user in users.values():
        for z, sign in _answers(user, ties, rng):
            others = np.arange(n) != z
            # Against each other document, 1 + sign is twice what a document wins; against itself it is 1.
            twice[:, z] += ((1 + sign) * others).sum(1) - 1
    given = np.full((n, n), float(len(users) * max(n - 2, 0)))
    np.fill_diagonal(given, 0.0)
    np.fill_diagonal(twice, 0)
    return Shown(
        docs,
        np.full(n, n > 1),
        Counts(twice[:, n] / 2, np.full(n, float(len(users) * (n - 1)))),
        lambda: Counts(twice[:, :n] / 2, given),
        n > 2,
        lambda: Comparisons.joined([one for _, one in _all_comparisons(topic, users, ties, seed)]),
    )


def _all_comparisons(
    topic: str, users: Mapping[str, User], ties: Ties, seed: int
) -> Iterator[tuple[str, Comparisons]]:
    """Each user's answer to everything that can be asked."""
    rng = topic_generator(seed, topic, _TIES)
    for name, user in users.items():
        left, right = np.triu_indices(len(user.docs), 1)
        parts = []
        for z, sign in _answers(user, ties, rng):
            asked = (left != z) & (right != z)
            i, j = left[asked], right[asked]
            parts.append(Comparisons(i, j, np.full(len(i), z), (1 + sign[i, j]) / 2))
        yield name, Comparisons.joined(parts)


# ── sampled triplets ─────────────────────────────────────────────────────────────────────────────


def sampled(
    users: Users, triplets: int, *, assessors: int = 5, ties: Ties = "half", seed: int = 0
) -> dict[str, Shown]:
    """What sampled users say about sampled triplets, counted (Chandar and Carterette 2013, Section 5.3).

    Three documents are drawn, no three of them twice; one of the three is given, and each of `assessors`
    users, drawn with replacement from those of the topic, compares the other two. A topic with fewer
    different triplets has all of them. Documents that are in no triplet are not in `Shown`.
    """
    one_of("ties", ties, Ties)
    found = {}
    for topic, of_topic in users.items():
        docs = next(iter(of_topic.values())).docs
        asked, _, _ = _sample(topic, of_topic, triplets, assessors, ties, seed)
        sides = np.zeros(len(docs), dtype=bool)
        sides[asked.left], sides[asked.right] = True, True
        named = sides.copy()
        named[asked.given] = True
        place = np.cumsum(named) - 1
        moved = Comparisons(place[asked.left], place[asked.right], place[asked.given], asked.outcome)
        found[topic] = counted(tuple(docs[d] for d in np.flatnonzero(named)), sides[named], moved)
    return found


def _sample(
    topic: str, users: Mapping[str, User], triplets: int, assessors: int, ties: Ties, seed: int
) -> tuple[Comparisons, Longs, Longs]:
    """The comparisons, and for each one the position of the profile and the number of the assessor."""
    if triplets < 1 or assessors < 1:
        raise InputError(
            f"the numbers of triplets and of assessors must be at least 1; got {triplets} and {assessors}"
        )
    rng = topic_generator(seed, topic, _TRIPLETS)
    of_profile = list(users.values())
    n = len(of_profile[0].docs)
    every = math.comb(n, 3)
    number = rng.choice(every, min(triplets, every), replace=False)
    three = rng.permuted(_members(number, n), axis=1)
    who = rng.integers(len(of_profile), size=(len(number), assessors))
    coins = (rng.random(who.shape) < 0.5).astype(np.float64)
    given, left, right = (np.repeat(column, assessors) for column in three.T)
    outcome = np.empty(who.size)
    for p, user in enumerate(of_profile):
        of_user = who.ravel() == p
        outcome[of_user] = user.prefers(left[of_user], right[of_user], given[of_user])
    if ties == "drawn":
        outcome = np.where(outcome == 0.5, coins.ravel(), outcome)
    slot = np.tile(np.arange(assessors), len(number))
    return Comparisons(left, right, given, outcome), who.ravel(), slot


def _members(number: Longs, n: int) -> Longs:
    """(N, 3) the three of n things that have these numbers from 0: number = C(c,3) + C(b,2) + a, a<b<c"""
    things = np.arange(n + 1)
    threes = things * (things - 1) * (things - 2) // 6
    twos = things * (things - 1) // 2
    c = np.searchsorted(threes, number, side="right") - 1
    rest = number - threes[c]
    b = np.searchsorted(twos, rest, side="right") - 1
    return np.stack((rest - twos[b], b, c), axis=-1)


# ── rows ─────────────────────────────────────────────────────────────────────────────────────────


def simulate(
    judgments: JudgmentsLike | Collection,
    runs: RunsLike | None = None,
    profiles: Any = None,
    *,
    triplets: Positive | None = None,
    assessors: Positive = 5,
    documents: Annotated[int, AtLeast(2)] = 100,
    pool: PoolName = "retrieved",
    ties: Ties = "half",
    novelty: Novelty = "subtopic",
    rel: float = 1,
    seed: Natural = 0,
    **options: Unpack[CollectionOptions],
) -> Preferences:
    """Preferences that simulated users would give, as rows.

    Assessors are named by profile and number: p1/1, p1/2, p2/1.

    Parameters
    ----------
    judgments
        Subtopic judgments, whatever `read_judgments` takes; or a `Collection` of these judgments and runs.
    runs
        Whatever `evaluate` takes.
    profiles
        Whatever `read_profiles` takes, or what `draw_profiles` made. Default: the TREC profile.
    triplets
        Draw this many triplets for each topic instead of asking about all pairs and triplets.

        See `sampled`. By default, one assessor of each profile judges everything.
    assessors
        Number of users who judge each drawn triplet.
    documents
        Number of documents per topic: those with the best mean reciprocal rank over the runs.
    pool
        Which documents may be shown: all that a run retrieved, only judged ones, or only those relevant to
        some subtopic.
    ties
        If a user prefers neither document: half a win for each, or a coin decides.
    novelty
        What a user who has read a document does not want again: its subtopics, or with profile anything that
        the profile is about.
    rel
        The lowest grade that makes a document relevant to a subtopic.
    seed
        Seed for the random numbers. The same seed gives the same result.
    **options
        How to read judgments and runs, as for `rankprism.evaluate`.

    Examples
    --------
    >>> from rankprism import sample
    >>> simulate(sample.QRELS, list(sample.RUNS), documents=10)
    <Preferences simulated preferences: 8100 judgments of 1 assessors, 20 topics>
    """
    one_of("ties", ties, Ties)
    collection = collected(judgments, runs, **options)
    judged = collection.judgments
    chosen = None if profiles is None else read_profiles(profiles)
    collection.aligned()  # for its notes
    shown = best_documents(collection, documents, among=candidates(judged, pool, rel))
    users = users_of(judged, shown, chosen, novelty=novelty, rel=rel)
    if chosen is not None:
        note_topics_without(chosen, judged)
    if not users:
        raise InputError(f"the runs share no topic that has a profile with {judged.source}")
    if triplets is None:
        _check_rows(users)
    parts: list[tuple[str, tuple[str, ...], list[str], Comparisons]] = []
    for topic, of_topic in users.items():
        docs = next(iter(of_topic.values())).docs
        if triplets is None:
            for name, asked in _all_comparisons(topic, of_topic, ties, seed):
                parts.append((topic, docs, [f"{name}/1"] * len(asked.left), asked))
        else:
            names = list(of_topic)
            asked, who, slot = _sample(topic, of_topic, triplets, assessors, ties, seed)
            called = [f"{names[p]}/{s + 1}" for p, s in zip(who.tolist(), slot.tolist(), strict=True)]
            parts.append((topic, docs, called, asked))
    if not any(len(asked.left) for *_, asked in parts):
        needed = "two documents" if triplets is None else "three documents"
        raise InputError(f"no topic has {needed} to ask about; use deeper runs")
    return _rows(parts)


def _check_rows(users: Users) -> None:
    rows = 0
    for of_topic in users.values():
        n = len(next(iter(of_topic.values())).docs)
        rows += len(of_topic) * (math.comb(n, 2) + n * math.comb(n - 1, 2))
    if rows > MOST_ROWS:
        raise InputError(
            f"all pairs and triplets are {rows:,} judgments, more than the {MOST_ROWS:,} that are written; "
            f"show fewer documents (--shown), draw triplets (--triplets), or use `rankprism preferences "
            f"experiment`, which counts them without writing them"
        )


def _rows(parts: list[tuple[str, tuple[str, ...], list[str], Comparisons]]) -> Preferences:
    docs = tuple(sorted({doc for _, of_topic, _, _ in parts for doc in of_topic}, reverse=True))
    topics = tuple(dict.fromkeys(topic for topic, *_ in parts))
    assessors = tuple(sorted({name for _, _, names, _ in parts for name in names}))
    place = {doc: d for d, doc in enumerate(docs)}
    called = {name: a for a, name in enumerate(assessors)}
    at = [np.array([place[doc] for doc in of_topic]) for _, of_topic, _, _ in parts]

    def column(name: str) -> Any:
        values = [where[getattr(asked, name)] for where, (*_, asked) in zip(at, parts, strict=True)]
        return np.concatenate(values).astype(np.int32)

    # The empty set comes first, and then the sets of one document, in the order of the documents.
    none = np.concatenate([asked.given == NONE for *_, asked in parts])
    return Preferences(
        topics,
        docs,
        assessors,
        ((), *((d,) for d in range(len(docs)))),
        np.concatenate([np.full(len(a.left), topics.index(t)) for t, _, _, a in parts]).astype(np.int32),
        np.where(none, 0, column("given") + 1).astype(np.int32),
        column("left"),
        column("right"),
        np.concatenate([asked.outcome for *_, asked in parts]),
        np.array([called[name] for _, _, names, _ in parts for name in names], dtype=np.int32),
        source="simulated preferences",
    )
