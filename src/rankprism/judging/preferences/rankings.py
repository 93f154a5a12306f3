"""The first documents of every run, topic by topic: what the order of the systems depends on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from rankprism._core import JudgmentTable
from rankprism.data import Judgments, Longs
from rankprism.errors import InputError
from rankprism.evaluation import Collection, collected_runs
from rankprism.measures import NONE
from rankprism.types import RunOptions, RunsLike


@dataclass(frozen=True, eq=False)
class TopicRankings:
    """The documents that the runs rank highest in one topic."""

    docs: tuple[str, ...]  #: all of them, by id descending
    order: Longs  #: (run, rank) positions in `docs`; NONE below the end of a short ranking


@dataclass(frozen=True, eq=False)
class Rankings:
    """The first documents of every run. Runs are sorted by name, and topics as people list them."""

    runs: tuple[str, ...]
    topics: Mapping[str, TopicRankings]
    depth: int  #: how many documents of a ranking are used

    @property
    def documents(self) -> int:
        """How many documents the topics have in total."""
        return sum(len(one.docs) for one in self.topics.values())


def read_rankings(runs: RunsLike | Collection, depth: int, **reading: Unpack[RunOptions]) -> Rankings:
    """Read the first documents of every run, with notes on what looks wrong in the runs.

    Parameters
    ----------
    runs
        Whatever `evaluate` takes as runs, or a `Collection` that has them.
    depth
        Number of documents of a ranking that count.
    **reading
        `order`, `duplicates`, `run_format` and `run_depth`, see `evaluate`.

    Examples
    --------
    >>> both = read_rankings({"a": {"q": {"x": 2.0, "y": 1.0}}, "b": {"q": {"z": 1.0}}}, depth=2)
    >>> both.topics["q"].docs
    ('z', 'y', 'x')
    >>> both.topics["q"].order.tolist()
    [[2, 1], [0, -1]]
    """
    if depth < 1:
        raise InputError(f"depth must be at least 1; got {depth}")
    collection = collected_runs(runs, **reading)
    collection = collection.keep(runs=sorted(collection.runs))
    found = dict(collection.lists(depth))
    named = _named(found)
    collection.judged_by(named).aligned()  # for its notes
    return _numbered(found, named, depth)


def _named(found: Mapping[str, Mapping[str, list[str]]]) -> Judgments:
    """All documents, in the canonical order: topics as people list them, documents by id descending."""
    named = sorted({(t, doc) for lists in found.values() for t, docs in lists.items() for doc in docs})
    if not named:
        raise InputError("the runs rank no documents; there is nothing to ask about")
    return Judgments(
        JudgmentTable.from_columns(
            "runs", [t for t, _ in named], ["0"] * len(named), [d for _, d in named], np.ones(len(named))
        )
    )


def _numbered(found: Mapping[str, Mapping[str, list[str]]], named: Judgments, depth: int) -> Rankings:
    topics, _, docs, _ = named.table.columns()
    number: dict[str, dict[str, int]] = {topic: {} for topic in named.topics}
    for topic, doc in zip(topics, docs, strict=True):
        number[topic][doc] = len(number[topic])
    made: dict[str, TopicRankings] = {}
    for topic, position in number.items():
        places = np.full((len(found), depth), NONE, dtype=np.int64)
        for r, lists in enumerate(found.values()):
            ranked = [position[doc] for doc in lists.get(topic, ())]
            places[r, : len(ranked)] = ranked
        made[topic] = TopicRankings(tuple(position), places)
    return Rankings(tuple(found), made, depth)
