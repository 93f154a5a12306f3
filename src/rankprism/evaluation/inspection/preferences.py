"""Notes about preferences: comparisons and documents that they lack."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from rankprism.data import Ints, Longs, Note, some
from rankprism.evaluation.inspection.coverage import ENOUGH, depth_of, is_unmatched
from rankprism.evaluation.inspection.evaluated import Evaluated
from rankprism.measures import Measure

if TYPE_CHECKING:
    from rankprism.measures import Shown


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


def borrowed(evaluated: Evaluated) -> Note | None:
    """In a topic with pairs and triplets, the rankings need utilities that nobody was asked about."""
    measures = _of_shares(evaluated, fallback="other")
    if evaluated.pool is None or not measures:
        return None
    depth, skips = depth_of(measures), measures[0]["unseen"] == "skip"
    needed: dict[str, Longs] = {}
    for t, (topic, shown) in enumerate(evaluated.pool.shown.items()):
        if shown.has_pairs and shown.has_triplets:  # of the others, the notes above tell
            for run in evaluated.runs.values():
                here = slice(run.start[t], run.start[t + 1])
                inside = run.rank[here] <= depth
                counted = _needed(shown, run.rank[here][inside], run.doc[here][inside], skips)
                needed[topic] = needed.get(topic, 0) + counted
    number, total = sum(needed.values(), np.zeros(2, dtype=np.int64)).tolist()
    if not number:
        return None
    topics = [topic for topic, (own, _) in needed.items() if own]
    return Note(
        "borrowed",
        f"{number:,} of {total:,} utilities that the first {depth} documents of the rankings need are "
        f"borrowed, because nobody was asked about them: a document counts alone by its share of wins in all "
        f"comparisons, and after another one by its share of wins in pairs. To count 0 instead, write "
        f"{measures[0](fallback='none')}. Topics: {some(topics)}",
        number,
        topics[0],
    )


def _needed(shown: Shown, rank: Ints, doc: Ints, skips: bool) -> Longs:
    """(2,) how many utilities a ranking borrows, and how many it needs

    It needs U(d) of the first document, and U(d|z) of the others for each z above. With unseen='skip' it
    needs only those that are known, or U(d) if none is. Documents that no judgment names lend nothing.
    """
    in_pairs, in_any = shown.alone.shown[doc] > 0, shown.pool[doc]
    known = np.tril(shown.given.shown[np.ix_(doc, doc)] > 0, -1).sum(-1)
    needs = np.maximum(known if skips else rank - 1, 1)
    later = in_any & (known == 0) if skips else in_pairs * (np.arange(len(doc)) - known)
    return np.array([np.where(rank == 1, in_any & ~in_pairs, later).sum(), needs.sum()], dtype=np.int64)


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
