"""The highest scores that CAM and MM can reach, which are often below 1 and differ between topics.

Different aspects may require different orders of the documents, and then no ranking is ideal for all of them
(Maistro et al. 2021, section 4.2, problem 2).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

import numpy as np

from rankprism.data import Floats, Hits, Longs, Pool, issue, make_pool
from rankprism.errors import MeasureError
from rankprism.evaluation.inspection.judgments import lowest_labels
from rankprism.formats import read_judgments
from rankprism.measures import parse_all
from rankprism.results import Result, Table
from rankprism.statistics import Share
from rankprism.types import JudgmentsLike, MeasuresLike, Natural

#: Largest number of rankings that are all tried.
EXACT = 5040
#: Largest number of aspects whose orders are all tried.
MOST_ORDERED = 6
#: Scores of at least this count as 1.
_ONE = 1 - 1e-9


def attainable(
    judgments: JudgmentsLike,
    measures: MeasuresLike = ("CAM(nDCG)", "MM(nDCG)"),
    *,
    exact: Natural = EXACT,
    on_share: Share | None = None,
) -> Attainable:
    """Score ideal rankings of each topic's documents, and find the highest score that a ranking can reach.

    Parameters
    ----------
    measures
        Any measures, usually CAM and MM of a measure.
    exact
        Try all rankings of a topic if it has at most this many rankings.

        The maximum is then exact. Otherwise it is the maximum over the paper's ideal rankings. These are
        sorted by one aspect, then the next and so on, for every order of the aspects (if there are more than
        6, each aspect followed by the others as named), and by the sum, the sum of squares and the maximum of
        the grades.

    Examples
    --------
    >>> from rankprism import read_judgments
    >>> judged = read_judgments({"q": {"relevant": {"a": 1, "b": 2}, "correct": {"a": 2, "b": 0}}})
    >>> print(attainable(judged))
    measure    mean of the highest  lowest  topics at 1  below .9  exact  topics
    ────────────────────────────────────────────────────────────────────────────
    CAM(nDCG)               0.9299  0.9299            0         0      1       1
    MM(nDCG)                0.9246  0.9246            0         0      1       1
    """
    judgments = read_judgments(judgments)
    chosen = parse_all(measures)
    for measure in chosen:
        if measure.is_condensed:
            raise MeasureError(
                f"{measure}: an ideal ranking has no unjudged documents; leave out judged_only"
            )
    names = judgments.cells.labels.scales
    scores, which, exhaustive = [], [], []
    for t in range(len(judgments.topics)):
        pool = make_pool(judgments.cells, np.array([t], dtype=np.int64))
        rankings = dict(
            _ideal_rankings(pool, [scale.aspect for scale in names], judgments.cells.labels.column)
        )
        kinds = Counter(map(tuple, pool.grade[0].T.tolist()))
        every = _rankings(kinds, exact)
        hits = _ranked(pool, list(rankings.values()))
        found = np.array([measure.score(hits) for measure in chosen])  # (measure, strategy)
        highest = found.max(1, initial=0.0)
        if every is not None:
            all_hits = _ranked(pool, _documents_of(pool, every))
            highest = np.array([measure.score(all_hits).max(initial=0.0) for measure in chosen])
        which = list(rankings)
        scores.append(found)
        exhaustive.append((every is not None, highest))
        if on_share is not None:
            on_share((t + 1) / len(judgments.topics))
    notes = [note] if (note := lowest_labels(judgments)) else []
    issue(notes)
    return Attainable(
        judgments.topics,
        tuple(map(str, chosen)),
        tuple(which),
        np.array(scores),
        np.array([highest for _, highest in exhaustive]),
        np.array([is_exact for is_exact, _ in exhaustive]),
        {
            "judgments": judgments.source,
            "all rankings tried up to": exact,
            "notes": [note.record() for note in (*judgments.notes, *notes)],
        },
    )


def _ideal_rankings(pool: Pool, names: list[str], column: tuple[int, ...]) -> Iterator[tuple[str, Longs]]:
    """The paper's ideal rankings of a topic's documents, by name."""
    grade = pool.grade[0]
    for preferred in _preferences(len(names)):
        keys = [-grade[column[a]] for a in reversed(preferred)]
        yield " > ".join(names[a] for a in preferred), np.lexsort(keys)
    for name, worth in (
        ("sum", grade.sum(0)),
        ("sum of squares", (grade**2).sum(0)),
        ("maximum", grade.max(0, initial=0.0)),
    ):
        yield name, np.argsort(-worth, kind="stable")


def _preferences(aspects: int) -> Iterable[tuple[int, ...]]:
    """All orders of the aspects; if there are many aspects, each one followed by the others as named.

    >>> list(_preferences(2)), len(list(_preferences(7)))
    ([(0, 1), (1, 0)], 7)
    """
    every = tuple(range(aspects))
    if aspects <= MOST_ORDERED:
        return permutations(every)
    return ((first, *(a for a in every if a != first)) for first in every)


def _rankings(kinds: Counter[tuple[float, ...]], most: int) -> list[list[tuple[float, ...]]] | None:
    """All distinct rankings of documents of these kinds; None if there are too many."""
    n = sum(kinds.values())
    if n > 170 or math.factorial(n) // math.prod(map(math.factorial, kinds.values())) > most:
        return None
    found: list[list[tuple[float, ...]]] = []

    def extend(ranking: list[tuple[float, ...]]) -> None:
        if len(ranking) == n:
            found.append(list(ranking))
            return
        for kind in list(kinds):
            if kinds[kind]:
                kinds[kind] -= 1
                ranking.append(kind)
                extend(ranking)
                ranking.pop()
                kinds[kind] += 1

    extend([])
    return found


def _documents_of(pool: Pool, rankings: list[list[tuple[float, ...]]]) -> list[Longs]:
    """Turn rankings of kinds into rankings of documents."""
    members: dict[tuple[float, ...], list[int]] = {}
    for d, kind in enumerate(map(tuple, pool.grade[0].T.tolist())):
        members.setdefault(kind, []).append(d)
    result = []
    for ranking in rankings:
        left = {kind: iter(docs) for kind, docs in members.items()}
        result.append(np.array([next(left[kind]) for kind in ranking], dtype=np.int64))
    return result


def _ranked(pool: Pool, rankings: list[Longs]) -> Hits:
    """Rankings of all documents of a topic, as measures see them."""
    order = np.stack(rankings)
    n, length = order.shape
    rank = np.broadcast_to(np.arange(1, length + 1, dtype=np.int32), order.shape)
    grade = pool.grade[0][:, order].transpose(1, 0, 2)
    return Hits(rank, grade, np.full(n, length, dtype=np.int32), np.zeros(n, dtype=np.intp), pool, rank, rank)


@dataclass(frozen=True, eq=False, repr=False)
class Attainable(Result):
    """The result of `attainable`."""

    topics: tuple[str, ...]
    measures: tuple[str, ...]
    strategies: tuple[str, ...]
    scores: Floats  #: (topic, measure, strategy)
    highest: Floats  #: (topic, measure)
    exact: Any  #: (topic,) whether all rankings were tried
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def summary(self) -> Table:
        """One row per measure."""
        highest = self.highest
        return Table(
            {
                "measure": list(self.measures),
                "mean of the highest": highest.mean(0).tolist(),
                "lowest": highest.min(0).tolist(),
                "topics at 1": (highest >= _ONE).sum(0).tolist(),
                "below .9": (highest < 0.9).sum(0).tolist(),
                "exact": [int(self.exact.sum())] * len(self.measures),
                "topics": [len(self.topics)] * len(self.measures),
            }
        )

    @property
    def rows(self) -> Table:
        """One row per topic, measure and ideal ranking, and one for the highest score."""
        names = (*self.strategies, "highest")
        every = np.concatenate([self.scores, self.highest[:, :, None]], axis=2)
        t, m, s = (axis.ravel() for axis in np.indices(every.shape))
        return Table(
            {
                "topic": [self.topics[i] for i in t],
                "measure": [self.measures[i] for i in m],
                "ranking": [names[i] for i in s],
                "score": every.ravel().tolist(),
                "exact": [bool(self.exact[i]) and names[j] == "highest" for i, j in zip(t, s, strict=True)],
            }
        )
