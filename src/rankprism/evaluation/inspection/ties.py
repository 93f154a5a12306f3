"""Notes about tied documents: how many there are, and what they decide."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankprism.data import Floats, Longs, Note
from rankprism.evaluation.inspection.evaluated import Evaluated
from rankprism.measures import Measure

#: Means that differ by less are equal: the same sum may be added in another order.
_EQUAL = 1e-12
_SCORES = {
    "expected": "the expectation over all their orders",
    "lowest": "the lowest over all their orders",
    "highest": "the highest over all their orders",
    "all": "the lowest, the expectation and the highest over all their orders",
}


def tied_documents(evaluated: Evaluated) -> Note | None:
    """Some rankings have tied documents, and their scores are those over all orders."""
    if evaluated.tied is None:
        return None
    counts = {
        name: run.groups.tied[run.retrieved]
        for name, run in evaluated.runs.items()
        if run.groups is not None and run.groups.tied.any()
    }
    rankings = sum(int(run.retrieved.sum()) for run in evaluated.runs.values())
    if not counts:
        return None
    tied = sum(int((count > 0).sum()) for count in counts.values())
    groups = sum(int(count.sum()) for count in counts.values())
    where = f" in {len(counts)} of {len(evaluated.runs)} runs" if len(evaluated.runs) > 1 else ""
    name = next(iter(counts))
    return Note(
        "ties",
        f"{tied:,} of {rankings:,} rankings{where} have tied documents, in {groups:,} "
        f"group{'s' * (groups != 1)}; a score is {_SCORES[evaluated.tied]}{_decided(evaluated)}"
        f"{evaluated.in_other_orders(_most_moved(evaluated, list(counts)))}",
        tied,
        name,
    )


def _most_moved(evaluated: Evaluated, names: Sequence[str]) -> str:
    """The run of these whose mean depends most on whether ids break the ties."""
    if evaluated.one_order is None or evaluated.over_orders is None:
        return names[0]
    columns = evaluated.over_orders.shape[1] // len(evaluated.measures)
    moved = np.abs(evaluated.one_order[:, 0] - evaluated.over_orders[:, columns // 2])
    by_name = dict(zip(evaluated.runs, moved.tolist(), strict=True))
    return max(names, key=lambda name: by_name[name])


def _decided(evaluated: Evaluated) -> str:
    """How many runs have another place because of ties, as text."""
    if len(evaluated.runs) < 2 or evaluated.one_order is None or evaluated.over_orders is None:
        return ""
    columns = evaluated.over_orders.shape[1] // len(evaluated.measures)
    usual = columns // 2  # the expectation, if there are three
    aspects, moved = evaluated.judgments.lower_is_better, {}
    for m, (measure, means) in enumerate(_by_measure(evaluated, columns)):
        sign = -1 if measure.is_lower_better(aspects) else 1
        one, other = (_places(sign * x) for x in (evaluated.one_order[:, m], means[:, usual]))
        moved[measure] = int((one != other).sum())
    text = f". If ids broke the ties, {_counted(moved, len(evaluated.runs), 'runs would have another place')}"
    if columns == 3:
        pairs = len(evaluated.runs) * (len(evaluated.runs) - 1) // 2
        either = {measure: _overlapping(means) for measure, means in _by_measure(evaluated, columns)}
        text += f". Depending on ties, {_counted(either, pairs, 'pairs of runs could be in either order')}"
    return text


def _by_measure(evaluated: Evaluated, columns: int) -> list[tuple[Measure, Floats]]:
    assert evaluated.over_orders is not None
    return [
        (measure, evaluated.over_orders[:, m * columns : (m + 1) * columns])
        for m, measure in enumerate(evaluated.measures)
    ]


def _places(means: Floats) -> Longs:
    """The place of each run, from 1 for the highest mean. Runs with equal means share a place."""
    return np.asarray(1 + (means[None, :] > means[:, None] + _EQUAL).sum(1))


def _overlapping(means: Floats) -> int:
    """The number of pairs of runs of which either may have the higher mean."""
    low, high = means[:, 0], means[:, 2]
    i, j = np.triu_indices(len(low), 1)
    return int(((low[i] < high[j] - _EQUAL) & (low[j] < high[i] - _EQUAL)).sum())


def _counted(numbers: dict[Measure, int], total: int, what: str) -> str:
    """The numbers by measure, in words."""
    found = [(number, measure) for measure, number in numbers.items() if number]
    if not found:
        return f"none of {total:,} {what}"
    (number, measure), *rest = found
    return f"{number} of {total:,} {what} by {measure}" + "".join(f", {n} by {m}" for n, m in rest)
