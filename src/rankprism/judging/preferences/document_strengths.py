"""Strengths of documents from preferences, with intervals, and contrasts between any two documents."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from rankprism.data import Note, issue
from rankprism.errors import InputError, one_of
from rankprism.judging.preferences.bradley_terry import Part, judged_by_topic, parts_of, rounded, sigmoid
from rankprism.results import Result, Table
from rankprism.statistics import CLAIMS, corrected
from rankprism.text import quoted
from rankprism.types import TieModel


@dataclass(frozen=True, eq=False)
class BradleyTerry(Result):
    """Made by `strengths`."""

    claims = ("a strength",)
    topics: Mapping[str, tuple[Part, ...]]
    about: Mapping[str, Any] = field(repr=False)

    @property
    def summary(self) -> Table:
        """Every document of every topic, with the interval of its strength."""
        rows: list[tuple[Any, ...]] = []
        several = any(part.number > 1 for _, part in self._parts())
        for topic, part in self._parts():
            margin = part.margin(np.diagonal(part.covariance), part.judgments, self.about["level"])
            ends = rounded(part.strength - margin), rounded(part.strength + margin)
            figures = (part.judgments, part.strength, rounded(part.error), *ends, sigmoid(part.strength))
            number = (part.number,) if several else ()
            rows += [(topic, doc, *number, *row) for doc, *row in zip(part.docs, *figures, strict=True)]
        names = ("topic", "document", *(("part",) if several else ()), "judgments")
        return Table.of_rows((*names, "strength", "error", "low", "high", "utility"), rows, digits=3)

    @property
    def note(self) -> str:
        ties = {"half": "a tie is half a win", "davidson": "ties by Davidson's model"}[self.about["ties"]]
        return (
            f"Strengths minus the mean of their part, with {100 * self.about['level']:g} % intervals; {ties}"
            f"; prior {self.about['prior']:g}. utility: the chance to beat a document of mean strength."
        )

    def _parts(self) -> Iterator[tuple[str, Part]]:
        for topic, parts in self.topics.items():
            for part in parts:
                yield topic, part

    def contrasts(self) -> Contrasts:
        """Whether one document is better than another, for any two documents of a topic."""
        return Contrasts(self.topics, self.about)


@dataclass(frozen=True, eq=False)
class Contrasts(Result):
    """Made by `BradleyTerry.contrasts`."""

    claims = ("a strength",)
    topics: Mapping[str, tuple[Part, ...]]
    about: Mapping[str, Any] = field(repr=False)

    @property
    def summary(self) -> Table:
        """Any two documents of a topic, the stronger one first; no figures for documents of two parts."""
        rows: list[tuple[Any, ...]] = []
        for topic, parts in self.topics.items():
            within = [row for part in parts for row in _contrasts(part, self.about["level"])]
            p = np.array([row[-1] for row in within])
            p[~np.isnan(p)] = corrected(p[~np.isnan(p)], "holm")
            rows += [(topic, *row, adjusted) for row, adjusted in zip(within, p.tolist(), strict=True)]
            apart = [(a, b) for one, other in combinations(parts, 2) for a in one.docs for b in other.docs]
            apart += [pair for part in parts if not part.number for pair in combinations(part.docs, 2)]
            rows += [(topic, *pair, *[math.nan] * 6) for pair in apart]
        names = ("topic", "document", "less", "difference", "error", "low", "high", "p", "p (Holm)")
        return Table.of_rows(names, rows, digits=3)

    @property
    def note(self) -> str:
        apart = any(len(parts) > 1 for parts in self.topics.values())
        return (
            f"Differences of strength with {100 * self.about['level']:g} % intervals. p: of no difference; "
            f"p (Holm): corrected for all pairs of the topic."
            + ("\n–: the two documents were never compared, not even through others." if apart else "")
        )


def _contrasts(part: Part, level: float) -> list[tuple[Any, ...]]:
    """For any two documents: both, their difference, its error, the ends of its interval, and p."""
    if not part.number:
        return []
    i, j = np.triu_indices(len(part.docs), 1)
    own = np.diagonal(part.covariance)
    variance = own[i] + own[j] - 2 * part.covariance[i, j]
    difference = part.strength[i] - part.strength[j]
    margin = part.margin(variance, np.minimum(part.judgments[i], part.judgments[j]), level)
    p = np.where(np.isnan(margin), np.nan, part.p(difference, variance))
    found = (difference, part.standard_error(variance), difference - margin, difference + margin, p)
    figures = zip(*(rounded(column).tolist() for column in found), strict=True)
    docs = zip(*([part.docs[d] for d in side] for side in (i, j)), strict=True)
    return [(*pair, *row) for pair, row in zip(docs, figures, strict=True)]


def strengths(
    preferences: Any, *, ties: TieModel = "half", prior: float = 1.0, level: float = 0.95
) -> BradleyTerry:
    """Strengths of the documents of each topic, with intervals.

    The simple pairs of a topic are used; a topic that has none is judged by its triplets, whatever was given.
    Where documents fall into parts that were never compared, a note says so, and each part has a zero of its
    own. Assessors are taken as drawn at random: where several judged, the intervals allow for assessors who
    differ in taste.

    Parameters
    ----------
    preferences
        Whatever `read_preferences` takes.
    ties
        What a tie is: half a win for each, or an outcome of its own as Davidson has it.
    prior
        Imaginary comparisons of each document with one of strength 0, half of them won.

        With 0, a part in which some documents won every comparison with the others has no strengths.
    level
        Confidence level of the intervals.

    Examples
    --------
    >>> rows = [("q", "", "a", "b", "left"), ("q", "", "b", "c", "left"), ("q", "", "c", "a", "left")]
    >>> print(strengths([*rows, *rows, *rows, ("q", "", "a", "c", "left")]))
    topic  document  judgments  strength  error     low   high  utility
    ───────────────────────────────────────────────────────────────────
    q      a                 7     0.168  0.487  -0.787  1.123    0.542
    q      b                 6     0.000  0.518  -1.015  1.015    0.500
    q      c                 7    -0.168  0.487  -1.123  0.787    0.458
    <BLANKLINE>
    Strengths minus the mean of their part, with 95 % intervals; a tie is half a win; prior 1. utility:
    the chance to beat a document of mean strength.
    """
    from rankprism.formats import read_preferences

    one_of("ties", ties, TieModel)
    if not 0 <= prior < math.inf:
        raise InputError(f"prior must be a number of comparisons, 0 or more; got {prior}")
    if not 0 < level < 1:
        raise InputError(f"level must be between 0 and 1; got {level}")
    read = read_preferences(preferences)
    topics = {topic: tuple(parts_of(judged, ties, prior)) for topic, judged in judged_by_topic(read).items()}
    notes = [
        *unconnected({topic: max(part.number for part in parts) for topic, parts in topics.items()}),
        *_unbounded(topics, prior),
        *_few_judgments(topics),
    ]
    issue(notes)
    return BradleyTerry(
        topics=topics,
        about={
            "preferences": read.source,
            "model": "Bradley–Terry" if ties == "half" else "Davidson",
            "prior": prior,
            "level": level,
            "ties": ties,
            "notes": [note.record() for note in (*read.named.notes, *notes)],
        },
    )


def unconnected(parts: Mapping[str, int]) -> list[Note]:
    """A note about topics whose documents fall into parts that were never compared. `parts`: by topic."""
    found = {topic: count for topic, count in parts.items() if count > 1}
    if not found:
        return []
    topic, count = next(iter(found.items()))
    return [
        Note(
            "unconnected-documents",
            f"the documents of topic {quoted(topic)} fall into {count} parts that were never compared with "
            f"each other{_and_others(found, parts)}, so no judgment puts them on one scale. Compare "
            f"documents within a part only, or judge pairs that join the parts",
            len(found),
            topic,
        )
    ]


def _unbounded(topics: Mapping[str, tuple[Part, ...]], prior: float) -> list[Note]:
    """A note about documents whose strengths are finite only because of the prior, or are not finite."""
    found = [topic for topic, parts in topics.items() if not all(part.bounded for part in parts)]
    if not found:
        return []
    so = (
        f"so only the prior of {prior:g} keeps their strengths finite"
        if prior
        else "so their strengths would be infinite, and none are printed. Choose a prior above 0"
    )
    return [
        Note(
            "unbounded-strengths",
            f"in topic {quoted(found[0])}{_and_others(found, topics)}, one or more documents won or lost "
            f"every comparison with the others, {so}",
            len(found),
            found[0],
        )
    ]


def _few_judgments(topics: Mapping[str, tuple[Part, ...]]) -> list[Note]:
    """A note about documents without an interval."""
    claim = CLAIMS["a strength"]
    few = [
        doc
        for parts in topics.values()
        for part in parts
        for doc, judgments in zip(part.docs, part.judgments.tolist(), strict=True)
        if judgments < claim.fewest
    ]
    if not few:
        return []
    return [
        Note(
            "no-interval",
            f"{len(few)} documents (first {quoted(few[0])}) were judged fewer than {claim.fewest} times and "
            f"have no interval",
            len(few),
            few[0],
        )
    ]


def _and_others(found: Any, every: Any) -> str:
    return f" ({len(found)} of {len(every)} topics are like that)" if len(found) > 1 else ""
