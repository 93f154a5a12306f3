"""trec_eval's measures of preferences.

A judgment group holds what one user prefers. A document is preferred to the documents with lower levels in
the same subgroup of its group. With several subgroups, preferences are transitive across them. A preference
is fulfilled if the preferred document has the better rank, or if it was retrieved and the other one was not.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from rankprism.data import Floats, Longs


class Line(NamedTuple):
    """A judgment."""

    group: str
    subgroup: str
    document: str
    level: float


class Group(NamedTuple):
    """The preferences of a group between the judged documents of a topic.

    Documents are numbered: first those that were retrieved, by rank, and then the others, by id.
    """

    preferred: Longs  # [i, j]: how often document i is preferred to document j
    classes: list[Longs] | None  # the documents of each level, highest first, if there is only one subgroup
    levels: Floats  # of each document; NaN if the group did not judge it
    retrieved: int  # how many documents were

    def fulfilled(self, preferred: Longs, only_retrieved: bool) -> tuple[int, int]:
        """Count the preferences that are fulfilled and those that are possible."""
        n = self.retrieved
        fulfilled = int(np.triu(preferred[:n, :n], 1).sum())
        possible = int(preferred[:n, :n].sum())
        if not only_retrieved:
            fulfilled += int(preferred[:n, n:].sum())
            possible = int(preferred.sum())
        return fulfilled, possible

    def neither_retrieved(self) -> int:
        return int(self.preferred[self.retrieved :, self.retrieved :].sum())

    def documents(self, relevant: bool, only_retrieved: bool = False) -> int:
        """Count the documents above level 0, or the others."""
        if self.classes is None:
            levels = self.levels[: self.retrieved] if only_retrieved else self.levels
            return int((levels > 0).sum() if relevant else (levels == 0).sum())
        chosen = [c for c in self.classes if (self.levels[c[0]] > 0) == relevant]
        return sum(int((c < self.retrieved).sum()) if only_retrieved else len(c) for c in chosen)

    def balanced(self, only_retrieved: bool) -> float:
        """Return the share of fulfilled preferences with as many documents at level 0 as above it."""
        relevant = self.documents(True, only_retrieved)
        surplus = relevant - self.documents(False, only_retrieved)
        if surplus >= 0:  # the missing ones count as ranked after all others
            fulfilled, possible = self.fulfilled(self.preferred, only_retrieved)
            fulfilled += self.documents(True, True) * surplus
            possible += self.documents(True) * surplus
        elif self.classes is None:
            fulfilled, possible = self.fulfilled(self._without_surplus(only_retrieved), only_retrieved)
        else:
            fulfilled, possible = self._first_of_last_class(self.classes, relevant, only_retrieved)
        return fulfilled / possible if possible else math.nan

    def _without_surplus(self, only_retrieved: bool) -> Longs:
        """Preferences without the documents at level 0 after as many as there are above it."""
        kept = self.preferred.copy()
        zeros = np.flatnonzero(self.levels == 0)
        if only_retrieved:
            zeros = zeros[zeros < self.retrieved]
        surplus = zeros[self.documents(True) :]
        kept[surplus, :] = 0
        kept[:, surplus] = 0
        return kept

    def _first_of_last_class(self, classes: list[Longs], most: int, only_retrieved: bool) -> tuple[int, int]:
        """Count preferences over the first documents of the lowest level. trec_eval compares those, too."""
        if only_retrieved:
            classes = [c[c < self.retrieved] for c in classes]
        last = classes[-1][:most]
        compared = [(better, worse) for i, better in enumerate(classes) for worse in classes[i + 1 : -1]]
        compared += [(better, last) for better in classes]
        fulfilled = possible = 0
        for better, worse in compared:
            ranked = (better[:, None] < worse[None, :]) & (better[:, None] < self.retrieved)
            fulfilled += int(ranked.sum())
            possible += ranked.size
        return fulfilled, possible


def groups_of(lines: Sequence[Line], ranking: Iterable[str]) -> list[Group]:
    """Represent the preferences of each group about a ranking."""
    judged = {line.document for line in lines}
    retrieved = [document for document in ranking if document in judged]
    others = sorted(judged.difference(retrieved), key=_bytes)
    number = {document: i for i, document in enumerate([*retrieved, *others])}
    groups: dict[str, list[Line]] = {}
    for line in lines:
        groups.setdefault(line.group, []).append(line)
    return [_group(groups[name], number, len(retrieved)) for name in sorted(groups, key=_bytes)]


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _group(lines: Sequence[Line], number: dict[str, int], retrieved: int) -> Group:
    preferred = np.zeros((len(number), len(number)), dtype=np.int64)
    levels = np.full(len(number), np.nan)
    subgroups: dict[str, list[Line]] = {}
    for line in lines:
        subgroups.setdefault(line.subgroup, []).append(line)
    for subgroup in sorted(subgroups, key=_bytes):
        found = sorted({line.level for line in subgroups[subgroup]}, reverse=True)
        classes = [
            np.sort(np.array([number[line.document] for line in subgroups[subgroup] if line.level == level]))
            for level in found
        ]
        for level, documents in zip(found, classes, strict=True):
            before = levels[documents]
            if len(subgroups) > 1 and ((before == 0) & (level > 0) | (before > 0) & (level == 0)).any():
                raise ValueError("a document has level 0 in one subgroup and a higher level in another")
            levels[documents] = level
        for i, better in enumerate(classes):
            for worse in classes[i + 1 :]:
                np.add.at(preferred, (better[:, None], worse[None, :]), 1)
    if len(subgroups) == 1:
        if preferred.diagonal().any():
            raise ValueError("a document has two levels in the same subgroup")
        return Group(preferred, classes, levels, retrieved)
    reached = preferred > 0
    for middle in range(len(number)):
        reached |= reached[:, middle, None] & reached[None, middle, :]
    if (reached & reached.T).any():
        raise ValueError("the preferences of a group contradict each other")
    return Group(reached.astype(np.int64), None, levels, retrieved)


def scores(lines: Sequence[Line], ranking: Iterable[str]) -> dict[str, float]:
    """Score the ranking of a topic by all measures of preferences."""
    groups = groups_of(lines, ranking)
    both = [group.fulfilled(group.preferred, True) for group in groups]
    every = [group.fulfilled(group.preferred, False) for group in groups]
    implied = [
        (fulfilled, possible - group.neither_retrieved())
        for group, (fulfilled, possible) in zip(groups, every, strict=True)
    ]
    n = groups[0].retrieved
    pairs = _pair_shares(sum((group.preferred for group in groups), np.zeros_like(groups[0].preferred)), n)
    return {
        "prefs_num_prefs_poss": sum(possible for _, possible in every),
        "prefs_num_prefs_ful": sum(fulfilled for fulfilled, _ in every),
        "prefs_num_prefs_ful_ret": sum(fulfilled for fulfilled, _ in both),
        "prefs_simp": _together(every),
        "prefs_pair": pairs[2],
        "prefs_avgjg": _average(every),
        "prefs_avgjg_Rnonrel": _mean([group.balanced(False) for group in groups]),
        "prefs_simp_ret": _together(both),
        "prefs_pair_ret": pairs[0],
        "prefs_avgjg_ret": _average(both),
        "prefs_avgjg_Rnonrel_ret": _mean([group.balanced(True) for group in groups]),
        "prefs_simp_imp": _together(implied),
        "prefs_pair_imp": pairs[1],
        "prefs_avgjg_imp": _average(implied),
    }


def _together(counts: list[tuple[int, int]]) -> float:
    possible = sum(one for _, one in counts)
    return sum(fulfilled for fulfilled, _ in counts) / possible if possible else 0.0


def _average(counts: list[tuple[int, int]]) -> float:
    return _mean([fulfilled / possible if possible else 0.0 for fulfilled, possible in counts])


def _mean(shares: list[float]) -> float:
    total = 0.0
    for share in shares:
        total += share
    return total / len(shares) if total > 0 else 0.0  # 0 if one of them is NaN, as trec_eval has it


def _pair_shares(preferred: Longs, n: int) -> tuple[float, float, float]:
    """Average, over pairs of documents, the share of groups that agree with the ranking.

    The first average is over pairs that were both retrieved, the second also over pairs of which one was
    retrieved, and the third over all pairs, where a pair of which neither was retrieved scores 0.
    """
    either = preferred + preferred.T
    shares: list[float] = []
    pairs = [0]
    upper = np.triu(np.ones((n, n), dtype=bool), 1)
    for block, chosen in ((np.s_[:n, :n], upper), (np.s_[:n, n:], slice(None))):
        total, agree = either[block][chosen].ravel(), preferred[block][chosen].ravel()
        shares.extend(agree[total > 0] / total[total > 0])
        pairs.append(len(shares))
    pairs.append(len(shares) + int((np.triu(either[n:, n:], 1) > 0).sum()))
    sums = np.cumsum([0.0, *shares])
    return tuple(  # type: ignore[return-value]
        float(sums[min(last, len(shares))]) / last if last else 0.0 for _, last in pairwise(pairs)
    )
