"""For which values of a parameter a measure keeps a constraint, by bisection."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rankprism.axioms.constraint import Constraint, find_constraint
from rankprism.axioms.search import INSTANCES, Lot, judge, lot_cutoff, make_lots
from rankprism.data.result import Result, Table
from rankprism.errors import MeasureError
from rankprism.measures.grammar import parse
from rankprism.measures.measure import Measure, Parameter

#: How many values are looked at, between which thresholds are then narrowed down.
SCAN = 33
#: Beyond this, a parameter without an upper limit is not looked at.
FAR = 20.0


@dataclass(frozen=True)
class Span:
    """Neighbouring values of a parameter for which the constraint is kept."""

    low: float
    high: float
    low_kept: bool  # low itself is one of them, as far as is known
    high_kept: bool


@dataclass(frozen=True, eq=False)
class Threshold:
    """For which values of a parameter a measure keeps a constraint."""

    measure: Measure
    constraint: Constraint
    parameter: str
    spans: tuple[Span, ...]
    range: tuple[float, float]  # that was looked at
    note: str = ""  # why it does not apply

    def __str__(self) -> str:
        low, high = self.range
        if self.note:
            return f"does not apply: {self.note}"
        if not self.spans:
            return f"holds for no {self.parameter} from {low:g} to {high:g}"
        return "holds for " + " or ".join(self._words(span) for span in self.spans)

    def _words(self, span: Span) -> str:
        low, high = self.range
        x = self.parameter
        from_start, to_end = span.low == low and span.low_kept, span.high == high and span.high_kept
        if from_start and to_end:
            return f"every {x} from {low:g} to {high:g} that was tried"
        below = f"{x} {'≤' if span.high_kept else '<'} {_plain(span.high)}"
        if from_start:
            return below
        if to_end:
            return f"{x} {'≥' if span.low_kept else '>'} {_plain(span.low)}"
        return f"{_plain(span.low)} {'≤' if span.low_kept else '<'} {below}"


def _plain(value: float) -> str:
    """Four digits; fewer where they are exact."""
    text = f"{value:.4f}"
    return text.rstrip("0").rstrip(".") if abs(float(text) - value) < 1e-9 else text


@dataclass(frozen=True, eq=False)
class Thresholds(Result):
    """Thresholds of several measures and constraints."""

    thresholds: tuple[Threshold, ...]
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def summary(self) -> Table:
        return Table(
            {
                "measure": [str(t.measure) for t in self.thresholds],
                "constraint": [str(t.constraint) for t in self.thresholds],
                "found": [str(t) for t in self.thresholds],
            }
        )

    @property
    def rows(self) -> Table:
        spans = [(t, span) for t in self.thresholds for span in (t.spans or (None,))]
        return Table(
            {
                "measure": [str(t.measure) for t, _ in spans],
                "constraint": [str(t.constraint) for t, _ in spans],
                "parameter": [t.parameter for t, _ in spans],
                "low": [None if span is None else span.low for _, span in spans],
                "high": [None if span is None else span.high for _, span in spans],
                "low kept": [None if span is None else span.low_kept for _, span in spans],
                "high kept": [None if span is None else span.high_kept for _, span in spans],
            }
        )


def find_thresholds(
    measures: Iterable[str | Measure],
    constraints: Iterable[str | Constraint],
    parameter: str,
    *,
    instances: int = INSTANCES,
    seed: int = 0,
    on_progress: Callable[[float], None] | None = None,
) -> Thresholds:
    """For which values of the parameter each measure keeps each constraint.

    >>> print(find_thresholds(["RBP(gain='linear')"], ["CloseTh"], "p"))
    measure             constraint  found
    ────────────────────────────────────────────────────
    RBP(gain='linear')  CloseTh     holds for p > 0.7549
    """
    found = []
    chosen, asked = [parse(m) for m in measures], [find_constraint(c) for c in constraints]
    for constraint in asked:
        lots: dict[int | None, list[Lot]] = {}
        for measure in chosen:
            cutoff = lot_cutoff(constraint, measure)
            if cutoff not in lots:
                lots[cutoff] = make_lots(constraint, cutoff, instances, seed)
            found.append(_threshold(measure, constraint, parameter, lots[cutoff]))
            if on_progress:
                on_progress(len(found) / (len(chosen) * len(asked)))
    about = {"seed": seed, "instances": instances, "values tried before bisection": SCAN}
    return Thresholds(tuple(found), about)


def _threshold(measure: Measure, constraint: Constraint, name: str, lots: Sequence[Lot]) -> Threshold:
    parameter = measure.definition.parameter(name)
    values = _scanned(parameter, measure.name)
    verdict = judge(measure, constraint, lots, shrink=False)
    if verdict.kept is None:
        return Threshold(measure, constraint, name, (), (values[0], values[-1]), verdict.note)

    def kept(value: float) -> bool:
        return judge(measure(**{name: value}), constraint, lots, shrink=False).kept is True

    known = [kept(value) for value in values]
    spans, start = [], None
    for i, value in enumerate(values):
        if known[i] and start is None:
            start = (value, True) if i == 0 else _edge(kept, values[i - 1], value)
        if start is not None and not known[i]:
            end = _edge(kept, value, values[i - 1])
            spans.append(Span(start[0], end[0], start[1], end[1]))
            start = None
    if start is not None:
        spans.append(Span(start[0], values[-1], start[1], True))
    return Threshold(measure, constraint, name, tuple(spans), (values[0], values[-1]))


def _edge(kept: Any, outside: float, inside: float) -> tuple[float, bool]:
    """Where keeping begins between two values, to ten digits; and whether it does at that very value."""
    fails = outside
    while abs(inside - outside) > 1e-10 * max(1.0, abs(inside)):
        middle = (outside + inside) / 2
        if kept(middle):
            inside = middle
        else:
            outside = middle
    if outside == fails:  # all but the very end: as for e > 0
        return outside, False
    rounded = float(f"{inside:.6g}")
    if abs(rounded - inside) < 1e-9:  # a round number is likely to be the threshold itself
        return rounded, kept(rounded)
    return inside, False


def _scanned(parameter: Parameter, measure: str) -> list[float]:
    """Values of a parameter from one end of its range to the other, or near an end that is excluded."""
    if parameter.kind is not float or parameter.choices:
        raise MeasureError(f"{measure}: {parameter.name} is no number to look for a threshold of")
    low = parameter.low or 0.0
    high = FAR if parameter.high is None else parameter.high
    if parameter.high is None and low == 0 and parameter.default < 1:
        high = 1.0
    values = np.linspace(low, high, SCAN)
    values[0] += 1e-6 * (high - low) if parameter.above_low else 0.0
    values[-1] -= 1e-6 * (high - low) if parameter.below_high else 0.0
    return [float(value) for value in values]
