"""The first documents of every run, topic by topic: what the order of the systems depends on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from rankprism._core import JudgmentTable
from rankprism.data import Judgments, Longs, Reading, Run, align, issue
from rankprism.errors import InputError
from rankprism.evaluation.inspection.runs import notes_of_runs
from rankprism.measures.preferences.utility import NONE
from rankprism.types import RunOptions


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


def read_rankings(
    runs: Any,
    depth: int,
    **reading: Unpack[RunOptions],
) -> Rankings:
    """Read the first documents of every run.

    Parameters
    ----------
    runs
        Whatever `evaluate` takes as runs.
    depth
        Number of documents of a ranking that count.
    **reading
        `order`, `duplicates` and `run_format`, see `evaluate`.

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
    how = Reading.of(**reading)
    read = read_runs(runs, how)
    found: dict[str, dict[str, list[str]]] = {}
    for name, run in read.items():
        lists = found[name] = {}
        for topic, doc, _ in _ranked(run, depth, how):
            lists.setdefault(topic, []).append(doc)
    named = _named(found)
    note_order(named, read, how)
    return _numbered(found, named, depth)


def ranked_runs(
    runs: Any,
    depth: int | None = None,
    **reading: Unpack[RunOptions],
) -> Iterator[tuple[str, Iterator[tuple[str, str, int]]]]:
    """The runs by name, each with the topic, document and rank of its lines in the order of evaluation.

    depth : number of documents per topic. Default: all of them.
    """
    how = Reading.of(**reading)
    for name, run in _read(runs, how):
        yield name, _ranked(run, depth, how)


def read_runs(runs: Any, how: Reading) -> dict[str, Run]:
    """The runs by name."""
    return dict(_read(runs, how))


def note_order(judged: Judgments, runs: Mapping[str, Run], how: Reading) -> None:
    """Note everything to know about the order of runs."""
    aligned = {name: align(judged, run, how) for name, run in runs.items()}
    issue(notes_of_runs(judged, aligned, how.order))


def _read(runs: Any, how: Reading) -> Iterator[tuple[str, Run]]:
    from rankprism.formats.runs import run_from
    from rankprism.formats.source import run_sources

    sources = run_sources(runs)
    for name in sorted(sources):
        yield name, run_from(sources[name], name, how.run_format, how.duplicates)


def _ranked(run: Run, depth: int | None, how: Reading) -> Iterator[tuple[str, str, int]]:
    table = run.table
    if how.order == "rank" and not table.has_ranks:
        raise InputError(f"{table.source}: has no ranks to order by; use order='score' or 'input'")
    topics, docs, _, _ = table.columns()
    lines, ranks, _ = table.ranking(how.order, how.duplicates, how.run_depth or 0)
    if depth is not None:
        lines, ranks = lines[ranks <= depth], ranks[ranks <= depth]
    at = lines.tolist()
    return zip([topics[n] for n in at], [docs[n] for n in at], ranks.tolist(), strict=True)


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
