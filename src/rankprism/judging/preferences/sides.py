"""Whether assessors look at the documents, or only at the sides on which they are shown.

Sides are chosen at random, so an assessor who reads both documents answers "left" about as often as "right".
Whoever judges a pair twice, once with the sides swapped, should prefer the same document both times.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from rankprism.data import Note, Preferences
from rankprism.statistics import corrected
from rankprism.text import quoted

#: A share of left answers is noted if the exact binomial test gives a p below this after Holm's correction
#: for the number of assessors,
ALPHA = 0.01
#: and if the share is at least this far from ½. With many answers, even a share of 0.51 is significant.
FAR = 0.25


@dataclass(frozen=True)
class Sides:
    """How one assessor's answers depend on the sides."""

    answers: int  #: answers that are not ties
    left: float  #: the share of them that is "left"; NaN if there are none
    p: float  #: of the exact binomial test against ½, two-sided, after Holm's correction for the assessors
    swapped: int  #: pairs of documents that were judged on both sides, after the same given documents
    same: float  #: how often such answers prefer the same document, or are ties both times; NaN if unknown

    @property
    def is_extreme(self) -> bool:
        """Whether the share of left answers can hardly be chance, and is large or small."""
        return self.p < ALPHA and abs(self.left - 0.5) >= FAR


def sides_of(preferences: Preferences) -> dict[str, Sides]:
    """The sides that each assessor chose, by name; empty if the source does not record the sides.

    >>> from rankprism import read_preferences
    >>> rows = [("q", "", "a", "b", "left", "ann"), ("q", "", "b", "a", "left", "ann")]
    >>> sides_of(read_preferences(rows))["ann"]
    Sides(answers=2, left=1.0, p=0.5, swapped=1, same=0.0)
    """
    if not preferences.sided:
        return {}
    from scipy.special import bdtr

    names = sorted((name, a) for a, name in enumerate(preferences.assessors))
    own = [preferences.outcome[preferences.assessor == a] for _, a in names]
    lefts = np.array([(outcome == 1).sum() for outcome in own])
    answers = np.array([(outcome != 0.5).sum() for outcome in own])
    p = np.minimum(1.0, 2 * bdtr(np.minimum(lefts, answers - lefts), answers, 0.5))
    adjusted = corrected(np.where(answers > 0, p, 1.0), "holm")
    again = _judged_on_both_sides(preferences)
    return {
        name: Sides(
            answers=int(n),
            left=float(left / n) if n else np.nan,
            p=float(one),
            swapped=len(again[a]),
            same=float(np.mean(again[a])) if again[a] else np.nan,
        )
        for (name, a), n, left, one in zip(names, answers, lefts, adjusted, strict=True)
    }


def _judged_on_both_sides(preferences: Preferences) -> dict[int, list[float]]:
    """For each assessor, and each pair judged on both sides, how often the two answers are the same."""
    turned = preferences.left > preferences.right
    first = np.where(turned, preferences.right, preferences.left)
    second = np.where(turned, preferences.left, preferences.right)
    answer = (2 * np.where(turned, 1 - preferences.outcome, preferences.outcome)).astype(np.int64)
    unit = np.stack((preferences.assessor, preferences.topic, preferences.given, first, second), axis=-1)
    units, at = np.unique(unit, axis=0, return_inverse=True)
    counts = np.zeros((len(units), 2, 3))
    np.add.at(counts, (at.ravel(), turned.astype(np.int64), answer), 1)
    shown = counts.sum(2)
    found: dict[int, list[float]] = defaultdict(list)
    for u in np.flatnonzero((shown > 0).all(1)).tolist():
        same = float((counts[u, 0] * counts[u, 1]).sum() / shown[u].prod())
        found[int(units[u, 0])].append(same)
    return found


def one_sided(sides: dict[str, Sides]) -> list[Note]:
    """A note about the assessors who nearly always answer with the same side."""
    found = {name: one for name, one in sides.items() if one.is_extreme}
    if not found:
        return []
    name, one = next(iter(found.items()))
    others = f" ({len(found)} of {len(sides)} assessors are like that)" if len(found) > 1 else ""
    return [
        Note(
            "one-sided-answers",
            f"{quoted(name)} chose the left document in {one.left:.0%} of {one.answers} answers without a "
            f"tie{others}; by chance it would be half of them (exact binomial test, p < {ALPHA:g} after "
            f"Holm's correction for {len(sides)} assessor{'s' if len(sides) > 1 else ''}). Look at their "
            "answers, or leave them out; if the source always writes the preferred document on one side, "
            "the sides mean nothing",
            len(found),
            name,
        )
    ]
