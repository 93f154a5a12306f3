"""A run in the order in which it is evaluated, to be written to a file."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankprism.data import Run
from rankprism.errors import InputError
from rankprism.types import Duplicates, Order


class Ranking(NamedTuple):
    """The lines of a run from the first rank of a topic to its last."""

    line: npt.NDArray[np.int32]
    rank: npt.NDArray[np.int32]
    scores: npt.NDArray[np.float64]
    notes: tuple[str, ...]  # what was dropped


def ranking(run: Run, order: Order, duplicates: Duplicates, *, keeps_scores: bool) -> Ranking:
    """The order of a run. If its scores are not kept, descending whole numbers take their place."""
    table = run.table
    if order == "rank" and not table.has_ranks:
        raise InputError(f"{table.source}: has no ranks to order by; use order='score' or 'input'")
    line, rank, length = table.ranking(order, duplicates)
    if not len(line):
        raise InputError(f"{table.source}: the run has no documents to write")
    scores, ranks = (numbers[line] if len(numbers) else numbers for numbers in table.numbers())
    descending = (length + 1 - rank).astype(np.float64)
    empty = len(run.topics) - int((rank == 1).sum())
    notes = {
        f"dropped: {len(table) - len(line)} repeated documents": len(table) > len(line),
        f"dropped: {empty} topics without a document": empty > 0,
        "dropped: scores; the order of the lines replaces them": not keeps_scores
        and not np.array_equal(scores, descending),
        # The lower of two neighbours in a topic has the better rank in the file; NaN is not a rank.
        "dropped: ranks, which contradict the order": bool(
            len(ranks) and ((ranks[1:] < ranks[:-1]) & (rank[1:] > 1)).any()
        ),
    }
    kept = tuple(note for note, applies in notes.items() if applies)
    return Ranking(line, rank, scores if keeps_scores else descending, kept)
