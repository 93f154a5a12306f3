"""The scores of all runs by the measures of one kind, batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankprism.data import BATCH, Alignment, Floats, Hits, Longs
from rankprism.errors import MeasureError
from rankprism.evaluation.parts import Batch, Part, all_topics
from rankprism.measures import Measure
from rankprism.statistics import for_each_in_order
from rankprism.types import Tied

if TYPE_CHECKING:
    from rankprism.measures import PreferenceHits


class Block(NamedTuple):
    """Scores (run, topic, measure)."""

    values: Floats
    low: Floats | None = None  #: their lower and upper bounds, if these differ from the scores
    high: Floats | None = None
    one_order: Floats | None = None  #: the scores of one order, if `values` are those over all orders


def blocks_of(
    parts: Sequence[Part],
    tied: Tied | None = None,
    bounds: bool = False,
    on_share: Callable[[float], None] | None = None,
) -> list[Block]:
    """The scores of each part."""
    total = sum(len(part.measures) * len(part.judged.topics) * len(part.runs) for part in parts)
    done = 0
    lock = Lock()

    def share(more: int) -> None:
        nonlocal done
        with lock:  # several threads compute scores
            done += more
            if on_share is not None:
                on_share(done / total)

    return [block_of(part, tied, bounds, share) for part in parts]


def block_of(part: Part, tied: Tied | None, bounds: bool, on_scores: Callable[[int], None]) -> Block:
    """The scores of all runs by the measures of one part."""
    runs, options = list(part.runs.values()), part.collection.options
    columns = 3 if tied == "all" else 1
    shape = (len(runs), len(part.judged.topics), len(part.measures) * columns)
    values = np.empty(shape)
    # Over all orders of tied documents, a score is exact or refused.
    uncertain = bounds or (tied is None and any(measure.is_uncertain for measure in part.measures))
    low, high = (np.empty(shape), np.empty(shape)) if uncertain else (None, None)
    one_order = None if tied is None else np.empty((*shape[:2], len(part.measures)))

    def score(batch: Batch) -> None:
        """Compute the scores of a batch."""
        make_hits, which_runs, which_topics = batch
        hits = make_hits()
        block = (which_runs.stop - which_runs.start, len(which_topics))
        for m, measure in enumerate(part.measures):
            score = measure.score(hits)
            if tied is None or one_order is None:
                values[which_runs, which_topics, m] = score.reshape(block)
            else:
                one_order[which_runs, which_topics, m] = score.reshape(block)
                found = _over_orders(part, measure, hits, score, tied, which_topics)
                for c, column in enumerate(found, m * columns):
                    values[which_runs, which_topics, c] = column.reshape(block)
            on_scores(block[0] * block[1])
        if low is not None and high is not None:
            ends = (
                _bounds(part.measures, hits)
                if bounds and isinstance(hits, Hits)
                else [measure.interval(hits) for measure in part.measures]
            )
            for m, (least, most) in enumerate(ends):
                low[which_runs, which_topics, m] = least.reshape(block)
                high[which_runs, which_topics, m] = most.reshape(block)

    # Searches take a long time. In the main thread, Ctrl-C ends them at once.
    several = not uncertain and part.needs == "judgments"
    for _ in for_each_in_order(score, part.batches(runs), options.threads if several else 1):
        pass
    if options.topics == "retrieved":
        for array in (values, low, high, one_order):
            for r, run in enumerate(runs):
                if array is not None:
                    array[r, ~run.retrieved] = np.nan
    return Block(values, low, high, one_order)


def _over_orders(
    part: Part, measure: Measure, hits: Hits | PreferenceHits, score: Floats, tied: Tied, topics: Longs
) -> list[Floats]:
    """(N,) for each column: the scores over all orders of tied documents.

    score : (N,) the scores in one order.
    """
    if hits.tied is None:  # nothing is tied
        return [score] * (3 if tied == "all" else 1)
    from rankprism.measures.ties.lattice import TooMany
    from rankprism.measures.ties.scores import expected, extremes

    try:
        if tied == "expected":
            return [expected(measure, hits, score)]
        low, high = extremes(measure, hits, score)
        if tied == "all":
            return [low, expected(measure, hits, score), high]
        return [low if tied == "lowest" else high]
    except TooMany as error:
        topic = part.judged.topics[topics[error.row % len(topics)]]
        raise MeasureError(
            f"{measure}: too many orders of tied documents in topic {topic!r}: {error.what}; leave the "
            f"measure or the topic out, give it a smaller cutoff, or break the ties (order=, or other scores)"
        ) from None


def whole(parts: Sequence[Part], blocks: Sequence[Block], measures: Sequence[Measure]) -> Block:
    """All scores. A topic without judgments of the kind that a measure needs has no score: NaN."""
    if len(parts) == 1:
        return blocks[0]
    every = all_topics(parts)
    number = {topic: t for t, topic in enumerate(every)}
    columns = blocks[0][0].shape[2] // len(parts[0].measures)  # of each measure
    shape = (len(blocks[0][0]), len(every), len(measures) * columns)
    uncertain = any(block.low is not None for block in blocks)
    arrays = [np.full(shape, np.nan) for _ in range(3 if uncertain else 1)]
    for part, (values, low, high, _) in zip(parts, blocks, strict=True):
        t = [number[topic] for topic in part.judged.topics]
        at = [measures.index(measure) for measure in part.measures]
        m = [first * columns + c for first in at for c in range(columns)]
        for array, own in zip(arrays, (values, low, high), strict=False):
            array[np.ix_(range(len(values)), t, m)] = values if own is None else own
    return Block(*arrays)


def mean_of_run(part: Part, run: Alignment) -> float:
    """The mean score of one run by the first measure."""
    scores = np.empty(len(part.judged.topics))
    for make_hits, _, which_topics in part.batches([run]):
        scores[which_topics] = part.measures[0].score(make_hits())
    averaged = scores[run.retrieved] if part.collection.options.topics == "retrieved" else scores
    return float(averaged.mean())


def _bounds(measures: Sequence[Measure], hits: Hits) -> list[tuple[Floats, Floats]]:
    """(N,) twice for each measure. It takes a few rankings at a time, because bounds look at every rank."""
    from rankprism.measures.bounds.completions import Completions

    depth = int(hits.length.max(initial=0))
    step = max(1, BATCH // max(1, depth * hits.grade.shape[1]))
    low, high = np.empty((2, len(measures), len(hits.length)))
    for first in range(0, len(hits.length), step):
        rows = slice(first, first + step)
        completions = Completions.of(hits.rows(rows))
        for m, measure in enumerate(measures):
            low[m, rows], high[m, rows] = measure.bounds(completions)
    return list(zip(low, high, strict=True))
