"""Which pair to ask next: the judgments that best settle the order of the systems.

`study` has what was asked and answered so far, and `usefulness` says what a further judgment is worth.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Unpack, get_args

import numpy as np

from rankprism.data import Longs
from rankprism.errors import InputError, MeasureError, one_of
from rankprism.evaluation import Collection
from rankprism.judging.preferences.rankings import Rankings, read_rankings
from rankprism.judging.preferences.study import Study, Task, TopicStudy, question, study_of
from rankprism.judging.preferences.usefulness import most_useful, worth_asking
from rankprism.measures import NONE, Measure
from rankprism.types import Choice, Natural, Positive, PreferencesLike, RunOptions, RunsLike

CHOICES: tuple[Choice, ...] = get_args(Choice)


def select(
    runs: RunsLike | Collection | Rankings,
    preferences: PreferencesLike | None = None,
    budget: int = 100,
    *,
    measures: Any = "nPrf@20",
    choice: Choice = "targeted",
    batch: Positive | None = None,
    overlap: Positive = 1,
    both_orders: bool = False,
    pending: Iterable[Task] = (),
    seed: Natural = 0,
    **reading: Unpack[RunOptions],
) -> list[Task]:
    """The questions that best settle the order of the systems, the most useful first.

    Parameters
    ----------
    runs
        Whatever `evaluate` takes; a `Collection` of runs and of the preferences so far, if there are any; or
        `Rankings`, which save reading the runs again.
    preferences
        What was judged so far, as `read_preferences` takes it; None if nothing was.
    budget
        Number of questions.

        The result has fewer if there are not enough left to ask.
    measures
        `Prf` or `nPrf` with a cutoff, or several; the order of the systems by them is to be settled.
    choice
        How questions are chosen: at random; targeted at the documents on which the runs differ; or adaptive,
        which also looks at the answers so far.
    batch
        Number of questions in a batch. Default: all are one batch.
    overlap
        Ask a question again until it was judged this often.
    both_orders
        Ask every question twice, once with the sides swapped, to see and to cancel a preference for a side.

        The budget and a batch count both. In a batch, all questions come first as they are and then swapped.
    pending
        Questions that were handed out and are not answered yet. They count as asked.
    seed
        Seed for the random numbers. The same seed gives the same result.

        They decide opponents, sides and, if choice is "random", everything.
    **reading
        How to read the runs, as for `rankprism.evaluate`.

    Examples
    --------
    >>> runs = {"a": {"q": {"x": 3.0, "y": 2.0}}, "b": {"q": {"y": 3.0, "z": 2.0}}}
    >>> for task in select(runs, budget=2, measures="nPrf@2"):
    ...     print(task.topic, task.given, sorted((task.left, task.right)))
    q () ['x', 'y']
    q ('y',) ['x', 'z']
    """
    one_of("choice", choice, Choice)
    for name, value in (("budget", budget), ("batch", batch), ("overlap", overlap)):
        if value is not None and value < 1:
            raise InputError(f"{name} must be at least 1; got {value}")
    if seed < 0:
        raise InputError(f"seed must not be negative; got {seed}")
    if both_orders and min(budget, batch or budget) < 2:
        raise InputError("both orders of a question need a budget and batches of at least 2 questions")
    chosen = preference_measures(measures)
    depth = depth_of(chosen)
    if isinstance(runs, Collection) and runs.preferred is not None:
        if preferences is not None:
            raise TypeError("preferences is part of a Collection; make another one with Collection.of")
        preferences = runs.preferences
    if not isinstance(runs, Rankings):
        runs = read_rankings(runs, depth, **reading)
    elif runs.depth < depth:
        raise InputError(f"the rankings have {runs.depth} documents, and the measures look at {depth}")
    judged = study_of(runs, preferences, pending)
    times = 2 if both_orders else 1
    pairs, in_batch = budget // times, (batch or budget) // times
    rows = choose(judged, chosen, choice, pairs, overlap, np.random.default_rng([seed, judged.asked]))
    topics = list(runs.topics)
    made = []
    for i, (t, z, left, right) in enumerate(rows.tolist()):
        docs = judged.topics[t].docs
        given = () if z == NONE else (docs[z],)
        made.append(Task(topics[t], given, docs[left], docs[right], 1 + i // in_batch))
    return in_both_orders(made) if both_orders else made


def in_both_orders(tasks: Sequence[Task]) -> list[Task]:
    """Every task twice: each batch as it is, and then the same batch with the sides swapped.

    >>> for task in in_both_orders([Task("q", (), "a", "b"), Task("q", (), "c", "a")]):
    ...     print(task.left, task.right, task.order)
    a b 1
    c a 1
    b a 2
    a c 2
    """
    twice = [replace(task, order=1) for task in tasks]
    twice += [replace(task, left=task.right, right=task.left, order=2) for task in tasks]
    return sorted(twice, key=lambda task: (task.batch, task.order))


def preference_measures(measures: Any) -> list[Measure]:
    """Measures as values, refused unless they are Prf or nPrf with a cutoff."""
    from rankprism.measures import parse_all

    chosen = parse_all(measures)
    for measure in chosen:
        if measure.name not in ("Prf", "nPrf"):
            raise MeasureError(f"{measure}: questions can be chosen for Prf and nPrf only, e.g. for nPrf@20")
        if measure.cutoff is None:
            raise MeasureError(f"{measure}: needs a cutoff to choose questions for, e.g. {measure}@20")
    return chosen


def depth_of(measures: Sequence[Measure]) -> int:
    """How many documents of a ranking the measures look at."""
    return max(measure.cutoff or 1 for measure in measures)


def choose(
    study: Study,
    measures: Sequence[Measure],
    choice: Choice,
    budget: int,
    overlap: Positive,
    rng: np.random.Generator,
) -> Longs:
    """(N, 4) the next questions, each once: topic, given, left and right, as positions"""
    refused = [one.refused(overlap) for one in study.topics]
    rows = np.empty((0, 4), dtype=np.int64)
    if choice != "random":
        rows = most_useful(study, worth_asking(study, measures, choice == "adaptive"), refused, budget, rng)
        refused = [
            np.union1d(r, question(len(one.docs), *rows[rows[:, 0] == t][:, 1:].T))
            for t, (one, r) in enumerate(zip(study.topics, refused, strict=True))
        ]
    if len(rows) < budget:  # there may be questions left that hardly matter
        rows = np.concatenate((rows, _at_random(study, refused, budget - len(rows), rng)))
    swapped = rng.random(len(rows)) < 0.5
    return np.asarray(np.where(swapped[:, None], rows[:, [0, 1, 3, 2]], rows))


def _at_random(study: Study, refused: Sequence[Longs], budget: int, rng: np.random.Generator) -> Longs:
    """(N, 4) questions drawn evenly, about equally many from each topic"""
    sizes = [_questions(len(one.rankings.docs)) for one in study.topics]
    asked = [len(_inside(one, r)) for one, r in zip(study.topics, refused, strict=True)]
    share = _shares(np.array(sizes) - np.array(asked), budget, rng)
    found, place = [np.empty((0, 4), dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for t, (one, count) in enumerate(zip(study.topics, share.tolist(), strict=True)):
        rows = _drawn(len(one.docs), len(one.rankings.docs), refused[t], count, sizes[t], rng)
        found.append(np.column_stack((np.full(count, t), rows)))
        place.append(np.arange(count))
    # Topics take turns, so that every batch has all of them.
    return np.concatenate(found)[np.argsort(np.concatenate(place), kind="stable")]


def _questions(documents: int) -> int:
    """How many pairs and triplets this many documents have."""
    return documents * (documents - 1) // 2 * max(documents - 1, 0)


def _inside(one: TopicStudy, numbers: Longs) -> Longs:
    """The questions that are only about documents of the rankings."""
    total, n = len(one.docs), len(one.rankings.docs)
    z, left, right = _parts(numbers, total)
    return np.asarray(numbers[(left < n) & (right < n) & ((z < n) | (z == total))])


def _parts(numbers: Longs, documents: int) -> tuple[Longs, Longs, Longs]:
    """Given (`documents` if there is none) and the two sides of questions."""
    rest, right = np.divmod(numbers, documents)
    z, left = np.divmod(rest, documents)
    return z, left, right


def _shares(room: Longs, budget: int, rng: np.random.Generator) -> Longs:
    """How much of the budget each topic gets: equal shares, as far as there is room."""
    share = np.zeros(len(room), dtype=np.int64)
    budget = min(budget, int(room.sum()))
    while share.sum() < budget:
        free = np.flatnonzero(share < room)
        each, rest = divmod(budget - int(share.sum()), len(free))
        share[free] += np.minimum(each, room[free] - share[free])
        if each == 0:
            share[rng.permutation(free)[:rest]] += 1
    return share


def _drawn(
    documents: int, ranked: int, refused: Longs, count: int, questions: int, rng: np.random.Generator
) -> Longs:
    """(count, 3) questions, given and sides, that were not refused"""
    found = np.empty(0, dtype=np.int64)
    if 3 * (count + len(refused)) > questions:  # so large a share that all are listed
        z, left, right = np.meshgrid(np.append(np.arange(ranked), documents), *[np.arange(ranked)] * 2)
        fits = (left < right) & (z != left) & (z != right)
        every = np.setdiff1d(question(documents, z[fits], left[fits], right[fits]), refused)
        found = rng.permutation(every)[:count]
    while len(found) < count:
        z, left, right = rng.integers(
            0, [[ranked + 1], [ranked], [ranked]], (3, 2 * (count - len(found)) + 8)
        )
        z = np.where(z == ranked, documents, z)
        fits = (left != right) & (z != left) & (z != right)
        fresh = question(documents, z[fits], left[fits], right[fits])
        fresh = fresh[np.sort(np.unique(fresh, return_index=True)[1])]  # each once, as they were drawn
        found = np.append(found, fresh[~np.isin(fresh, refused) & ~np.isin(fresh, found)])[:count]
    z, left, right = _parts(found, documents)
    return np.stack((np.where(z == documents, NONE, z), left, right), axis=-1)
