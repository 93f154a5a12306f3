"""Documents in order of preference, as graded judgments, which `Compat` reads."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rankprism._core import JudgmentTable
from rankprism.data import Judgments
from rankprism.errors import InputError, one_of
from rankprism.judging.preferences.bradley_terry import fit, judged_by_topic, rounded
from rankprism.judging.preferences.document_strengths import unconnected
from rankprism.measures import ratio
from rankprism.types import Decider


def order(preferences: Any, *, by: Decider = "bradley-terry", prior: float = 1.0) -> Judgments:
    """The documents of each topic in order of preference, as graded judgments.

    The last document has grade 1, the one before it 2, and so on; equal ones have the same grade. `Compat`
    reads them: its ideal ranking has the documents in descending order of grades. The imaginary document of
    the prior puts parts that were never compared on one scale, and a note says so.

    Parameters
    ----------
    preferences
        Whatever `read_preferences` takes.
    by
        What decides: strength by Bradley and Terry, or the share of wins.

        The share counts the comparisons of the document; a tie is half a win.
    prior
        Imaginary comparisons of each document with one of strength 0, half of them won.

        It must be above 0.

    Examples
    --------
    >>> from rankprism import evaluate
    >>> judged = order([("q", "", "a", "b", "left"), ("q", "", "b", "c", "left")])
    >>> print(evaluate(judged, {"q": {"a": 3, "c": 2, "b": 1}}, "Compat"))
    run  Compat
    ───────────
    run  0.8335
    """
    from rankprism.formats import read_preferences

    one_of("by", by, Decider)
    if not 0 < prior < math.inf:
        raise InputError(f"prior must be above 0, so that no strength is infinite; got {prior}")
    read = read_preferences(preferences)
    rows: list[tuple[str, str, float]] = []
    judged = judged_by_topic(read)
    notes = unconnected({topic: int(one.part.max(initial=0)) for topic, one in judged.items()})
    for topic, one in judged.items():
        wins = one.wins
        if by == "bradley-terry":
            worth = fit(wins, prior).theta
        else:
            worth = rounded(ratio(wins.sum(-1), (wins + wins.T).sum(-1)))
        _, grade = np.unique(worth[one.shown], return_inverse=True)
        rows += [(topic, one.docs[d], float(g) + 1) for d, g in zip(one.shown, grade.ravel(), strict=True)]
    topics, named, grades = zip(*rows, strict=True)
    table = JudgmentTable.from_columns(
        read.source, list(topics), ["0"] * len(rows), list(named), np.array(grades)
    )
    return Judgments(table, read.source, notes=read.named.notes).noting(notes)
