"""Notes about preferences: comparisons and documents that they lack."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from rankprism.data.note import Note, some
from rankprism.inspection.coverage import ENOUGH, depth_of, is_unmatched
from rankprism.inspection.evaluated import Evaluated
from rankprism.measures import Measure

if TYPE_CHECKING:
    from rankprism.measures.preferences.utility import Shown


def _of_shares(evaluated: Evaluated, **settings: str) -> list[Measure]:
    """The measures that take utilities from the shares of wins, with these parameters."""
    wanted = {"estimate": "raw", **settings}
    found = [measure for measure in evaluated.measures if measure.name in ("Prf", "nPrf")]
    return [measure for measure in found if all(measure[name] == value for name, value in wanted.items())]


def no_pairs(evaluated: Evaluated) -> Note | None:
    """A topic has no pairs, so the utility of a first document comes from other comparisons."""
    return _fallback_note(
        "no-pairs",
        evaluated,
        lambda shown: shown.has_pairs,
        "pairs: a first document counts there by its share of wins in all comparisons, whatever was given",
    )


def no_triplets(evaluated: Evaluated) -> Note | None:
    """A topic has no triplets, so nothing is known of novelty."""
    return _fallback_note(
        "no-triplets",
        evaluated,
        lambda shown: shown.has_triplets,
        "triplets: a document counts there by its share of wins in pairs on every rank, new or not",
    )


def _fallback_note(
    kind: str, evaluated: Evaluated, has_them: Callable[[Shown], bool], what: str
) -> Note | None:
    measures = _of_shares(evaluated, fallback="other")
    if evaluated.pool is None or not measures:  # other measures also score topics that are too large to count
        return None
    topics = [topic for topic, shown in evaluated.pool.shown.items() if not has_them(shown)]
    if not topics:
        return None
    off = measures[0](fallback="none")
    return Note(
        kind,
        f"{len(topics)} of {len(evaluated.judgments.topics)} topics "
        f"{'has' if len(topics) == 1 else 'have'} no {what}. To count 0 instead, write {off}. Topics: "
        f"{some(topics)}",
        len(topics),
        topics[0],
    )


def never_shown(evaluated: Evaluated) -> Note | None:
    """Less than half of the documents that a measure of preferences looks at were shown to anybody."""
    measures = _of_shares(evaluated)
    if evaluated.pool is None or not measures:
        return None
    depth = depth_of(measures)
    found = {}
    for name, run in evaluated.runs.items():
        looked_at = int(np.minimum(run.length, depth).sum())
        seen = 0
        for t, shown in enumerate(evaluated.pool.shown.values()):
            here = slice(run.start[t], run.start[t + 1])
            seen += int(shown.pool[run.doc[here][run.rank[here] <= depth]].sum())
        if looked_at >= ENOUGH and 2 * seen < looked_at and not is_unmatched(evaluated.judgments, run):
            found[name] = f"{100 * seen // looked_at}%"
    if not found:
        return None
    return Note(
        "never-shown",
        f"less than half of the first {depth} documents of {evaluated.named(found)} were ever shown as left "
        f"or right, and the others count 0, as if they had lost every comparison. To count them as average "
        f"documents, write {measures[0](estimate='pooled')}",
        len(found),
        next(iter(found)),
        tuple(found),
    )
