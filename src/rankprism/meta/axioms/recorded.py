"""The one source of verdicts: what was recorded of earlier searches, and a search for everything else.

`make verdicts` searches again and writes `measures/verdicts.json`. `tests/axioms/test_verdicts.py` replays
each
counterexample of the file and repeats some of the searches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import numpy as np

from rankprism.measures import Measure, parse, verdicts
from rankprism.measures import verdicts as recorded_verdicts
from rankprism.meta.axioms.constraint import Constraint, find_constraint, ten
from rankprism.meta.axioms.rankings import Instance, Ranking, score_instances, turned
from rankprism.meta.axioms.readings import read_constraints
from rankprism.meta.axioms.search import INSTANCES, search_verdicts
from rankprism.meta.axioms.verdict import Verdict

#: Verdicts that were searched in this process.
_SEARCHED: dict[tuple[Any, ...], Verdict] = {}


def examine(
    measures: Iterable[str | Measure],
    constraints: Iterable[str | Constraint],
    *,
    instances: int = INSTANCES,
    seed: int = 0,
    on_progress: Callable[[float], None] | None = None,
) -> list[Verdict]:
    """The verdict on each measure and constraint, measure after measure.

    Every command and the report ask here. A recorded verdict is used as it is, except that "not refuted" is
    searched again if more instances or another seed are asked for. Everything else is searched once.

    >>> for verdict in examine(["RBP(gain='linear')", "P@20"], ["Pri"]):
    ...     print(verdict.measure, verdict.kind, [round(x, 4) for x in verdict.scores])
    RBP(gain='linear') proved [0.002, 0.0016]
    P@20 refuted [0.05, 0.05]
    """
    chosen = [parse(measure) for measure in measures]
    asked = [find_constraint(constraint) for constraint in constraints]
    found: dict[tuple[int, int], Verdict] = {}
    for m, measure in enumerate(chosen):
        for c, constraint in enumerate(asked):
            known = _recorded(measure, constraint, instances, seed) or _SEARCHED.get(
                _key(measure, constraint, instances, seed)
            )
            if known is not None:
                found[m, c] = known
    cells = len(chosen) * len(asked)
    if on_progress and cells:
        on_progress(len(found) / cells)
    # Measures that share a constraint are searched together, because they share its instances.
    for c, constraint in enumerate(asked):
        missing = [m for m in range(len(chosen)) if (m, c) not in found]
        if not missing:
            continue
        done = len(found)

        def tell(share: float, done: int = done, some: int = len(missing)) -> None:
            if on_progress:
                on_progress((done + share * some) / cells)

        searched = search_verdicts(
            [chosen[m] for m in missing], [constraint], instances=instances, seed=seed, on_progress=tell
        )
        for m, verdict in zip(missing, searched, strict=True):
            found[m, c] = _SEARCHED[_key(chosen[m], constraint, instances, seed)] = verdict
    return [found[m, c] for m in range(len(chosen)) for c in range(len(asked))]


def _key(measure: Measure, constraint: Constraint, instances: int, seed: int) -> tuple[Any, ...]:
    return str(measure), measure.definition, constraint.cases, _details(constraint), instances, seed


def _details(constraint: Constraint) -> tuple[Any, ...]:
    """How a constraint is read. Two readings of the whole table may read a constraint in the same way."""
    return tuple(constraint[detail.name] for detail in constraint.details)


@cache
def recorded_readings() -> dict[tuple[Any, ...], Constraint]:
    """The constraints for which verdicts are recorded, by name and details.

    These are the ten in both readings of the whole table, and in the reading proved with binary grades.
    """
    proved, printed = list(ten()), read_constraints(["ten"], ["printed"])
    binary = [c(grades="binary") for c in proved if any(d.name == "grades" for d in c.details)]
    found: dict[tuple[Any, ...], Constraint] = {}
    for constraint in (*proved, *printed, *binary):
        found.setdefault((constraint.name, _details(constraint)), constraint)
    return found


def _recorded(measure: Measure, constraint: Constraint, instances: int, seed: int) -> Verdict | None:
    """The recorded verdict, if there is one that answers the question."""
    read = recorded_readings().get((constraint.name, _details(constraint)))
    cells = verdicts.recorded(str(measure))
    if read is None or not cells:
        return None
    found = cells[f"{read.name} {read.reading}"]
    if found.kind == recorded_verdicts.NOT_REFUTED and (instances > INSTANCES or seed):
        return None
    instance = read_instance(found.rankings)
    scores = (
        () if instance is None else tuple(turned(measure, score_instances(measure, [instance])[0]).tolist())
    )
    shown = {"counterexample" if found.kind == recorded_verdicts.REFUTED else "example": instance}
    return Verdict(measure, constraint, found.kind, found.instances, scores=scores, note=found.note, **shown)


def read_instance(text: str) -> Instance | None:
    """The instance that a text describes: weights, two rankings, and documents that were missed.

    >>> read_instance("0.5, 0.5 | 5 × 0.1 0, 0 1 | ").rankings[0].shape
    (6, 2)
    """
    if not text:
        return None
    weights, first, second, *missed = text.split(" | ")
    A = weights.count(",") + 1
    return Instance(
        (_read_ranking(first, A), _read_ranking(second, A)),
        _read_ranking(weights, 1)[:, 0],
        _read_ranking(missed[0], A) if missed else None,
    )


def _read_ranking(text: str, A: int) -> Ranking:
    """A ranking that `short` has written."""
    documents: list[list[float]] = []
    for line in text.split(", ") if text else ():
        times, _, grades = line.rpartition(" × ")
        documents += [[float(grade) for grade in grades.split()]] * int(times or 1)
    return np.array(documents, dtype=np.float64).reshape(-1, A)
