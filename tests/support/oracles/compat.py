"""Compatibility."""

from __future__ import annotations

from tests.support.oracles import Ranking, divided
from tests.support.oracles.grades import Grades


def Compat(
    grades: Grades, ranking: Ranking, p: float = 0.95, normalize: bool = True, depth: int | None = None
) -> float:
    """As Clarke et al. 2020 describe it, rank by rank."""
    place = {doc: i for i, doc in enumerate(ranking)}
    ideal = sorted(
        (doc for doc in grades if grades[doc] > 0),
        key=lambda doc: (-grades[doc], place.get(doc, len(ranking))),
    )
    end = max(len(ranking), len(ideal)) if depth is None else depth

    def overlap(list_: Ranking) -> float:
        sums = [p**d * len({*list_[: d + 1]} & {*ideal[: d + 1]}) / (d + 1) for d in range(end)]
        return divided(sum(sums), sum(p**d for d in range(end)))

    return divided(overlap(ranking), overlap(ideal)) if normalize else overlap(ranking)
