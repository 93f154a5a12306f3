"""Search the measures of the catalogue for counterexamples, and write src/rankprism/measures/verdicts.json.

`make verdicts` runs this file. `test_verdicts.py` replays what it has written. Names of measures as arguments
search only these measures, in all recorded forms, and keep what is known about the others:

    python -m tests.support.verdict_record SetF RBU
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from rankprism.measures import parse
from rankprism.measures.registry import lookup, names
from rankprism.meta.axioms import examine
from rankprism.meta.axioms.rankings import Instance, short
from rankprism.meta.axioms.recorded import recorded_readings
from rankprism.meta.axioms.search import search_verdicts
from rankprism.meta.axioms.table import PAPER
from rankprism.meta.axioms.verdict import SIGNS, Verdict

FILE = Path(__file__).parents[2] / "src" / "rankprism" / "measures" / "verdicts.json"
CUTOFFS = (1, 5, 10, 20)
#: Measures inside those that need one.
INSIDE = ("nDCG", "nDCG@5", "nDCG@10", "nDCG@20", "AP", "ERR@20")


def recorded_measures() -> Iterator[str]:
    """The measures whose verdicts are recorded: the catalogue and the paper's table."""
    for name in names():
        definition = lookup(name).definition
        own = definition.module.startswith("rankprism.measures.")
        if not own or definition.needs != "judgments" or name in ("Aspect", "Contrast", "Reached"):
            continue
        if any(p.name == "measure" for p in definition.parameters):
            yield from (f"{name}({inside})" for inside in INSIDE)
            continue
        yield name
        if any(p.name == "cutoff" for p in definition.parameters):
            yield from (f"{name}@{k}" for k in CUTOFFS)
    yield from ("alpha_nDCG(gain='linear')@20", "RBU(gain='linear')", "RBU(e=0.05,form='eq11',gain='linear')")
    yield from (measure for measure, _ in PAPER.values())


def _written(instance: Instance | None) -> str:
    """The rankings, the weights and the missed documents of an instance, as `read_instance` reads them."""
    if instance is None:
        return ""
    missed = [] if instance.missed is None else [instance.missed]
    return " | ".join(short(part) for part in (instance.weights[:, None], *instance.rankings, *missed))


def content(measures: Sequence[str], found: Sequence[Verdict]) -> str:
    """The file of verdicts that were searched, with a line for each measure."""
    constraints = list(recorded_readings().values())
    kinds, rankings, notes = list(SIGNS), [""], [""]

    def place(value: str, known: list[str]) -> int:
        if value not in known:
            known.append(value)
        return known.index(value)

    lines, each = [], iter(found)
    for measure in measures:
        cells = []
        for verdict in (next(each) for _ in constraints):
            shown = _written(verdict.counterexample or verdict.example)
            places = place(shown, rankings), place(verdict.note, notes)
            cells.append([kinds.index(verdict.kind), verdict.instances, *places])
        lines.append(f"{json.dumps(measure)}: {json.dumps(cells, separators=(',', ':'))}")
    head = {
        "kinds": kinds,
        "constraints": [f"{c.name} {c.reading}" for c in constraints],
    }
    parts = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in head.items()]
    for name, texts in (("rankings", rankings), ("notes", notes)):
        told = ",\n".join(json.dumps(text, ensure_ascii=False) for text in texts)
        parts.append(f'"{name}": [\n{told}\n]')
    parts.append('"measures": {\n' + ",\n".join(lines) + "\n}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def searched(measures: Sequence[str]) -> list[Verdict]:
    """The verdicts on measures. Random instances are tried only where the small ones leave a question."""
    constraints = list(recorded_readings().values())
    found = {(v.key, v.constraint): v for v in search_verdicts(measures, constraints, instances=0)}
    for constraint in constraints:
        left = [v for v in found.values() if v.constraint is constraint and not (v.proved or v.refuted)]
        again = search_verdicts([v.measure for v in left], [constraint])
        found |= {(v.key, v.constraint): v for v in again}
    return list(found.values())


def renewed(measures: Sequence[str], only: Sequence[str]) -> list[Verdict]:
    """The verdicts on measures: searched again for those named in `only`, and as recorded for the others."""
    known = json.loads(FILE.read_text(encoding="utf-8"))["measures"]
    again = [measure for measure in measures if measure not in known or parse(measure).name in only]
    kept = [measure for measure in measures if measure not in again]
    readings = list(recorded_readings().values())
    found = {verdict.key: verdict for verdict in (*examine(kept, readings), *searched(again))}
    return [found[measure, c.name, c.reading] for measure in measures for c in readings]


if __name__ == "__main__":
    chosen = list(dict.fromkeys(str(parse(measure)) for measure in recorded_measures()))
    verdicts = renewed(chosen, sys.argv[1:]) if len(sys.argv) > 1 else searched(chosen)
    FILE.write_text(content(chosen, verdicts), encoding="utf-8")
