"""Print hashes of every score by every measure, to the last bit: first the measures of `ORDER`, then others.

    python -m tests.support.all_scores [FOLDER OF WEB 2012]

The measures come from the registry, each with its parameters varied one at a time, and from combinations of
the parts that `compose` knows. The collections are the sample and three that are generated here from whole
numbers, so that every machine has the same ones.
"""

from __future__ import annotations

import hashlib
import itertools
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rankprism import evaluate, read_judgments, sample
from rankprism.data.judgments import Judgments
from rankprism.errors import MeasureError
from rankprism.measures import Measure, definitions, lookup, names, parse
from rankprism.measures.composition import DISCOUNTS, DIVISORS, NOVELTIES, compose
from rankprism.measures.parameter import Parameter
from rankprism.measures.parts import GAINS

#: Values to try, of which a parameter takes the first two that it allows.
NUMBERS = (0.3, 0.77, 1.7, 3.0, 3, 7)
INSIDE = ("nDCG(dcg='exp-log2')@10", "AP", "nERR(gain='probability')", "Compat", "RBP(gain='probability')")
INSIDE_TOMA = ("nDCG@10", "AP", "Compat", "GAP")  # its weights go up to 2^20, too much for 2^g
RUNS = ("one", "two", "short")
#: The modules in the order in which their measures enter the first hash. Measures of all other modules enter
#: the second hash, and so do the parameters that measures here were given later, so that additions leave the
#: first hash as it is.
ORDER = (
    "combine compat novelty coverage cube full_recall graded single d_measures incomplete nuggets "
    "preference_precision prf trec_prefs toma"
)
OWN_IA = ("ERR_IA", "nERR_IA")  # measures of their own, which are not derived from ERR and nERR
LATER: set[tuple[str, ...]] = {("Rprec", "times"), ("RBP", "gain", "share")}


def whole_numbers(seed: int) -> Iterator[int]:
    """Numbers from 0 to 2^31 - 1 that look random (Park and Miller's generator)."""
    while True:
        seed = seed * 48271 % 0x7FFFFFFF
        yield seed


def generated() -> tuple[Judgments, dict[str, dict[str, dict[str, float]]]]:
    """8 topics of 2 to 16 weighted aspects, with whole and other grades, and rankings of unequal length."""
    number = whole_numbers(20120)
    grades, weights = [], []
    runs: dict[str, dict[str, dict[str, float]]] = {run: {} for run in RUNS}
    for t in range(8):
        topic, docs = f"t{t}", [f"d{d}" for d in range(20 + 7 * t)]
        for a in range(2 + 2 * t):
            weights.append((topic, f"a{a}", (1 + next(number) % 97) / 10))
            for doc in docs:
                if next(number) % 3 == 0:
                    grades.append(
                        (topic, f"a{a}", doc, (next(number) % 13) / 4 if t % 2 else next(number) % 4)
                    )
        retrieved = [*docs, *(f"x{x}" for x in range((next(number) % 1400) if t % 4 == 0 else 20))]
        for run in RUNS:
            scores = {doc: float(next(number) % 100_000) for doc in retrieved}
            runs[run][topic] = dict(list(scores.items())[: 15 if run == "short" else None])
    return read_judgments(grades, weights=weights), runs


def labelled() -> tuple[Judgments, dict[str, dict[str, dict[str, float]]]]:
    """8 topics with the same three aspects, for measures that need them."""
    number = whole_numbers(2021)
    rows: list[tuple[str, str, str, float]] = []
    runs: dict[str, dict[str, dict[str, float]]] = {run: {} for run in RUNS[:2]}
    for t in range(8):
        docs = [f"d{d}" for d in range(30)]
        for aspect, highest in (("helpful", 4), ("harmful", 3), ("readable", 2)):
            rows += [(f"t{t}", aspect, doc, float(next(number) % highest)) for doc in docs]
        for run in runs:
            runs[run][f"t{t}"] = {doc: float(next(number) % 1000) for doc in docs}
    return read_judgments(rows), runs


def variants(measure: Measure) -> Iterator[Measure]:
    """The measure, and the same with each of its parameters changed."""
    yield measure
    for parameter in measure.definition.parameters:
        for value in values(parameter, measure):
            changed = measure(**{parameter.name: value})
            yield changed(nodes=500) if value == "exact" else changed


def values(parameter: Parameter, measure: Measure) -> list[Any]:
    if parameter.name in ("nodes", "measure", "aspect", "good", "bad"):
        return []
    if parameter.name == "cutoff":
        return [1, 10, 1000, 100_000]
    if parameter.name == "depth":
        return [20, 1000, 70_000, 10**9]
    if parameter.kind is bool:
        return [not parameter.default]
    if parameter.kind is dict:
        return [{1: 0.7, 2: 3.3}]
    if parameter.mapping:
        return [*parameter.choices, {0.5: 0.3, 1.75: 0.6, 3: 0.1}]
    if parameter.name == "browsing":
        return [*parameter.choices, (0.4, 0.3, 0.1)]
    if parameter.choices:
        return [choice for choice in parameter.choices if choice != parameter.default]
    allowed = []
    for value in NUMBERS:
        try:
            parameter.check(value, measure.name)
        except MeasureError:
            continue
        allowed.append(value)
    return allowed[:2]


def composed() -> list[Measure]:
    """New measures from combinations of parts. They stay registered, so this is for a process of its own."""
    made = []
    everything = itertools.product(DISCOUNTS, GAINS, NOVELTIES, DIVISORS)
    for number, (discount, gain, novelty, divisor) in enumerate(everything):
        # Every third of them has every pair of parts. The exact ideal would take long for some.
        if number % 3 or divisor == "exact" or (divisor == "everything" and novelty != "decay"):
            continue
        p = 0.83 if discount == "geometric" else 1.7
        parts: dict[str, Any] = {"discount": discount, "gain": gain, "novelty": novelty, "divisor": divisor}
        made.append(compose(f"own{number}", p=p, alpha=0.3, **parts))
    return made


def in_order() -> list[str]:
    """The names of the measures of this package: first those that are not derived from others."""
    homes = {f"rankprism.measures.known.{name}": place for place, name in enumerate(ORDER.split())}
    own = {definition.name for definition in definitions()}
    # Other tests in the same process may have registered measures of their own.
    known = [
        name for name in names() if lookup(name).definition.module.startswith("rankprism.measures.known.")
    ]
    return sorted(known, key=lambda name: (name not in own, homes.get(lookup(name).definition.module, 99)))


def is_later(measure: Measure) -> bool:
    """Whether the measure enters the second hash."""
    base = lookup(measure.name.removesuffix("_IA") if measure.name not in OWN_IA else measure.name)
    home = base.definition.module.rpartition(".")[2]
    changed: set[tuple[str, ...]] = {(base.name, name) for name in measure.settings}
    changed |= {(base.name, name, x) for name, x in measure.settings.items() if isinstance(x, str)}
    return home not in ORDER.split() or bool(changed & LATER)


def all_measures(judgments: Judgments, named: bool) -> list[Measure]:
    """All that the judgments allow; with `named`, only those that need the same aspects in every topic."""
    candidates: list[Measure] = []
    for name in in_order():
        measure = parse(name)
        if measure.needs != "judgments":
            continue
        takes = {parameter.name for parameter in measure.definition.parameters}
        needs_names = name == "TOMA" or bool(takes & {"aspect", "good"})
        if needs_names != named:
            continue
        if "measure" not in takes:
            candidates += variants(measure)
            continue
        for inside in INSIDE_TOMA if name == "TOMA" else INSIDE:
            outer = measure(measure=parse(inside))
            candidates += variants(outer(aspect="readable") if "aspect" in takes else outer)
    return candidates if named else allowed(judgments, candidates)


def preference_measures() -> list[Measure]:
    """All that need preferences, with their parameters changed."""
    found = [lookup(name) for name in in_order() if lookup(name).needs == "preferences"]
    return list(dict.fromkeys(changed for measure in found for changed in variants(measure)))


def preferred() -> tuple[list[tuple[str, ...]], dict[str, dict[str, dict[str, float]]]]:
    """Pairs and triplets on 4 topics of 10 to 31 documents, and rankings with others among them."""
    number = whole_numbers(2013)
    rows: list[tuple[str, ...]] = []
    runs: dict[str, dict[str, dict[str, float]]] = {run: {} for run in RUNS[:2]}
    for t in range(4):
        docs = [f"d{d}" for d in range(10 + 7 * t)]
        for _ in range(400):
            left, right, given = (docs[next(number) % len(docs)] for _ in range(3))
            if left == right or given in (left, right):
                continue
            outcome = ("left", "right", "tie")[next(number) % 3]
            rows.append((f"t{t}", given if next(number) % 3 else "", left, right, outcome, "ann"))
        for run in runs:
            runs[run][f"t{t}"] = {doc: float(next(number) % 1000) for doc in [*docs, "x1", "x2", "x3"]}
    return rows, runs


def allowed(judgments: Judgments, measures: list[Measure]) -> list[Measure]:
    """Those that take the grades of the judgments, each once."""
    highest = float(judgments.cells.grade.max())
    return [measure for measure in dict.fromkeys(measures) if _allows(measure, highest)]


def _allows(measure: Measure, grade: float) -> bool:
    """Whether the measure takes the grade, and what folding makes of several; some want probabilities."""
    judged = {"q": {aspect: {"d": grade} for aspect in ("s1", "s2", "s3")}}
    try:
        evaluate(judged, {"q": {"d": 1.0}}, [measure])
    except MeasureError:
        return False
    return True


def csv_of(judgments: Any, runs: Any, measures: list[Measure]) -> str:
    return evaluate(judgments, runs, measures).table(per_topic=True).to_csv()


def every_score(later: bool) -> Iterator[str]:
    """The CSV of each collection, with the score of every topic and the means."""

    def chosen(judgments: Judgments) -> list[Measure]:
        return [m for m in all_measures(judgments, named=False) if is_later(m) == later]

    judged = read_judgments(sample.QRELS, weights=sample.WEIGHTS)
    yield csv_of(judged, list(sample.RUNS), chosen(judged))
    judged, runs = generated()
    yield csv_of(judged, runs, chosen(judged))
    if later:
        return
    yield csv_of(judged, runs, allowed(judged, composed()))
    judged, runs = labelled()
    yield csv_of(judged, runs, all_measures(judged, named=True))
    yield csv_of(sample.PREFERENCES, list(sample.RUNS), preference_measures())
    yield csv_of(*preferred(), preference_measures())


def some_of_web_2012(folder: Path) -> Iterator[str]:
    """The same of a few official runs, with every eighth measure."""
    judged = read_judgments(folder / "qrels-for-ndeval.txt.gz")
    runs = sorted((folder / "runs").glob("*.run.gz"))[::6]
    yield csv_of(judged, runs, all_measures(judged, named=False)[::8])


if __name__ == "__main__":
    # The later ones first, because `composed` registers measures.
    texts = [every_score(True), every_score(False)]
    texts = [some_of_web_2012(Path(sys.argv[1]))] if len(sys.argv) > 1 else texts
    hashes = []
    for parts in texts:
        digest = hashlib.sha256()
        for text in parts:
            digest.update(text.encode())
        hashes.append(digest.hexdigest())
    print("\n".join(reversed(hashes)))
