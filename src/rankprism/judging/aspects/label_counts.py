"""Counts how often each label of each aspect occurs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rankprism.data import MISSING
from rankprism.formats import read_judgments
from rankprism.results import Result, Table
from rankprism.types import JudgmentsLike


def labels(judgments: JudgmentsLike) -> LabelCounts:
    """Count the judged documents with each label of each aspect.

    Examples
    --------
    >>> from rankprism import read_judgments
    >>> two = {"q": {"relevant": {"a": 2, "b": 0}, "credible": {"a": 1}}}
    >>> print(labels(read_judgments(two, aspects=["relevant", "credible"])))
    aspect    label  place  documents      %
    ────────────────────────────────────────
    relevant  0      0              1  50.00
    relevant  1      1              0   0.00
    relevant  2      2              1  50.00
    credible  0      0              1  50.00
    credible  1      1              1  50.00
    <BLANKLINE>
    2 judged documents
    credible: 1 missing, read as the lowest label
    """
    judgments = read_judgments(judgments)
    found_labels = judgments.cells.labels
    topics, aspects, docs, grades = judgments.table.columns()
    judged = len(set(zip(topics, docs, strict=True)))
    of_aspect, grade = np.array(aspects), np.asarray(grades)
    counts = []
    lowered = {aspect: dict(reasons) for aspect, reasons in judgments.lowered.items()}
    for scale in found_labels.scales:
        own = grade[of_aspect == scale.aspect]
        found = np.bincount(scale.numbers(own), minlength=len(scale.names))
        if len(own) < judged:  # without scales, labels may be missing; they count as the lowest
            found[0] += judged - len(own)
            lowered.setdefault(scale.aspect, {})[MISSING] = judged - len(own)
        counts.append(tuple(found.tolist()))
    return LabelCounts(
        tuple(
            (s.aspect, name, str(place))
            for s in found_labels.scales
            for name, place in zip(s.names, s.place, strict=True)
        ),
        tuple(n for one in counts for n in one),
        judged,
        lowered,
        {"judgments": judgments.source, "topics": len(judgments.topics)},
    )


@dataclass(frozen=True, eq=False, repr=False)
class LabelCounts(Result):
    """The result of `labels`."""

    labels: tuple[tuple[str, str, str], ...]  #: aspect, label, place
    documents: tuple[int, ...]
    judged: int  #: number of judged documents; each counts once for every topic it is judged for
    lowered: Mapping[str, Mapping[str, int]]
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def summary(self) -> Table:
        aspects, names, places = zip(*self.labels, strict=True)
        return Table(
            {
                "aspect": list(aspects),
                "label": list(names),
                "place": list(places),
                "documents": list(self.documents),
                "%": [100 * n / self.judged for n in self.documents],
            },
            digits=2,
        )

    @property
    def note(self) -> str:
        """The number of judged documents, and the labels that were read as the lowest."""
        notes = [
            f"{aspect}: {', '.join(f'{n} {why}' for why, n in reasons.items())}, read as the lowest label"
            for aspect, reasons in self.lowered.items()
        ]
        return "\n".join([f"{self.judged} judged documents", *notes])
