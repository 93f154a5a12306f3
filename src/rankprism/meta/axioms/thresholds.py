"""Finds the values of a parameter for which a measure satisfies a constraint, by bisection."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rankprism.errors import MeasureError
from rankprism.measures import Measure, Parameter, parse, verdicts
from rankprism.meta.axioms.constraint import Constraint, find_constraint
from rankprism.meta.axioms.lots import Lots, lot_cutoff
from rankprism.meta.axioms.search import INSTANCES, judge
from rankprism.meta.axioms.verdict import Verdict
from rankprism.results import Result, Table

#: The number of values that are tried before thresholds between them are found by bisection.
SCAN = 33
#: The highest value that is tried for a parameter without an upper limit.
FAR = 20.0


@dataclass(frozen=True)
class Span:
    """A range of values of a parameter with the same verdict."""

    verdict: str
    low: float
    high: float
    low_included: bool  # whether low itself belongs to it, as far as is known
    high_included: bool
    instances: int = 0  # the smallest number tried with any value


@dataclass(frozen=True, eq=False)
class Threshold:
    """The values of a parameter for which a measure satisfies a constraint."""

    measure: Measure
    constraint: Constraint
    parameter: str
    spans: tuple[Span, ...]  # the ranges where it is not refuted
    range: tuple[float, float]  # the range that was searched
    note: str = ""  # why it cannot be asked

    @property
    def not_refuted(self) -> tuple[Span, ...]:
        """Where the constraint is proved or not refuted."""
        return tuple(span for span in self.spans if span.verdict != verdicts.UNASKABLE)

    def __str__(self) -> str:
        low, high = self.range
        if not self.not_refuted and any(span.low == low and span.high == high for span in self.spans):
            return f"{verdicts.UNASKABLE}: {self.note}"
        nowhere = f"{verdicts.REFUTED} for every {self.parameter} from {low:g} to {high:g} that was tried"
        parts = [] if self.not_refuted else [nowhere]
        for verdict in (verdicts.PROVED, verdicts.NOT_REFUTED, verdicts.UNASKABLE):
            spans = [span for span in self.spans if span.verdict == verdict]
            tried = (
                f" in {min(s.instances for s in spans):,} instances"
                if spans and verdict == verdicts.NOT_REFUTED
                else ""
            )
            parts += [f"{verdict}{tried} for {' or '.join(map(self._words, spans))}"] if spans else []
        return "; ".join(parts)

    def _words(self, span: Span) -> str:
        low, high = self.range
        x = self.parameter
        from_start, to_end = span.low == low and span.low_included, span.high == high and span.high_included
        if from_start and to_end:
            return f"every {x} from {low:g} to {high:g} that was tried"
        if span.low == span.high:
            return f"{x} = {_plain(span.low)}"
        below = f"{x} {'≤' if span.high_included else '<'} {_plain(span.high)}"
        if from_start:
            return below
        if to_end:
            return f"{x} {'≥' if span.low_included else '>'} {_plain(span.low)}"
        return f"{_plain(span.low)} {'≤' if span.low_included else '<'} {below}"


def _plain(value: float) -> str:
    """A number with four digits: fewer if they are exact, and more if rounding would give a whole number.

    >>> [_plain(x) for x in (0.75488, 0.5, 0.99997, 1 - 1e-10)]
    ['0.7549', '0.5', '0.99997', '1']
    """
    text = f"{value:.4f}"
    if text.endswith(".0000"):
        text = f"{value:.8f}"
    exact = text.rstrip("0").rstrip(".")
    return exact if abs(float(text) - value) < 1e-7 else text


@dataclass(frozen=True, eq=False)
class Thresholds(Result):
    """Thresholds of several measures and constraints."""

    thresholds: tuple[Threshold, ...]
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def summary(self) -> Table:
        rows = [(str(t.measure), str(t.constraint), str(t)) for t in self.thresholds]
        return Table.of_rows(("measure", "constraint", "found"), rows)

    @property
    def rows(self) -> Table:
        names = ("measure", "constraint", "reading", "parameter")
        found = ("verdict", "low", "high", "low included", "high included", "note")
        rows = [
            (
                *(str(t.measure), t.constraint.name, t.constraint.reading, t.parameter),
                *(span.verdict, span.low, span.high, span.low_included, span.high_included),
                t.note if span.verdict == verdicts.UNASKABLE else "",
            )
            for t in self.thresholds
            for span in (
                t.spans or (Span(verdicts.REFUTED, *t.range, low_included=True, high_included=True),)
            )
        ]
        return Table.of_rows((*names, *found), rows)


def find_thresholds(
    measures: Iterable[str | Measure],
    constraints: Iterable[str | Constraint],
    parameter: str,
    between: tuple[float, float] | None = None,
    *,
    instances: int = INSTANCES,
    seed: int = 0,
    on_progress: Callable[[float], None] | None = None,
) -> Thresholds:
    """Find the values of a parameter for which each measure satisfies each constraint.

    `between` is the lowest and the highest value to try. Default: all that the measure allows.

    >>> print(find_thresholds(["RBP(gain='linear')"], ["CloseTh"], "p"))
    measure             constraint  found
    ─────────────────────────────────────────────────────
    RBP(gain='linear')  CloseTh     proved for p > 0.7549
    >>> print(find_thresholds(["RBP(gain='linear')"], ["CloseTh"], "p", between=(0.5, 0.7)))
    measure             constraint  found
    ──────────────────────────────────────────────────────────────────────────────────
    RBP(gain='linear')  CloseTh     refuted for every p from 0.5 to 0.7 that was tried
    """
    found = []
    chosen, asked = [parse(m) for m in measures], [find_constraint(c) for c in constraints]
    for measure in chosen:  # before anything is tried
        _scanned(measure, parameter, between)
    for constraint in asked:
        lots: dict[int | None, Lots] = {}
        for measure in chosen:
            cutoff = lot_cutoff(constraint, measure)
            lots.setdefault(cutoff, Lots(constraint, cutoff, instances, seed))
            found.append(_threshold(measure, constraint, parameter, between, lots[cutoff]))
            if on_progress:
                on_progress(len(found) / (len(chosen) * len(asked)))
    about = {"seed": seed, "instances": instances, "values tried before bisection": SCAN}
    return Thresholds(tuple(found), about)


def _threshold(
    measure: Measure,
    constraint: Constraint,
    name: str,
    between: tuple[float, float] | None,
    lots: Lots,
) -> Threshold:
    values = _scanned(measure, name, between)
    notes = []

    def verdict(value: float) -> Verdict:
        return judge(measure(**{name: value}), constraint, lots, shrink=False)

    def state(value: float) -> str:
        return _state(verdict(value))

    known, shown, tried = [], [], []
    for value in values:
        found = verdict(value)
        known.append(_state(found))
        shown.append(found.proved)
        tried.append(found.instances)
        notes += [found.note] if found.kind == verdicts.UNASKABLE else []
    spans, start = [], 0
    for end in range(1, len(values) + 1):
        if end < len(values) and known[end] == known[start]:
            continue
        if known[start] != verdicts.REFUTED:
            kind = verdicts.PROVED if all(shown[start:end]) else known[start]
            low, low_included, high, high_included = values[start], True, values[end - 1], True
            if start > 0:
                low, low_included = _edge(state, values[start - 1], low)
            if end < len(values):
                high, high_included = _edge(state, values[end], high)
            spans.append(Span(kind, low, high, low_included, high_included, min(tried[start:end])))
        start = end
    note = notes[0] if notes else ""
    return Threshold(measure, constraint, name, tuple(spans), (values[0], values[-1]), note)


def _state(verdict: Verdict) -> str:
    """The verdict, where a proof makes no difference: whether one is recorded may change within a span."""
    return verdicts.NOT_REFUTED if verdict.proved else verdict.kind


def _edge(state: Callable[[float], str], outside: float, inside: float) -> tuple[float, bool]:
    """The value at which a state begins, to ten digits, and whether this value itself has the state."""
    first, begun, wanted = outside, inside, state(inside)
    while abs(inside - outside) > 1e-10 * max(1.0, abs(inside)):
        middle = (outside + inside) / 2
        if state(middle) == wanted:
            inside = middle
        else:
            outside = middle
    if outside == first:  # everything but the very end, as in e > 0
        return outside, False
    if inside == begun:  # nothing but the very end, as in p = 1
        return inside, True
    rounded = float(f"{inside:.6g}")
    if abs(rounded - inside) < 1e-9:  # a round number is likely to be the threshold itself
        return rounded, state(rounded) == wanted
    return inside, False


def _scanned(measure: Measure, name: str, between: tuple[float, float] | None) -> list[float]:
    """Values of a parameter over a range, including its ends or, if excluded, values close to them."""
    parameter = measure.definition.parameter(name)
    if not _can_be_asked(parameter):
        can = [p.name for p in measure.definition.parameters if _can_be_asked(p)]
        raise MeasureError(
            f"{measure.name}: {name} is not a number, so it has no threshold; "
            + (f"choose {' or '.join(can)}" if can else "this measure has no parameter that is a number")
        )
    if between is not None:
        low, high = (parameter.check(value, measure.name) for value in between)
        if not low < high:
            raise MeasureError(
                f"{measure.name}: a range of {name} must end above its start; got {low:g} to {high:g}"
            )
        return [float(value) for value in np.linspace(low, high, SCAN)]
    low = parameter.low or 0.0
    high = FAR if parameter.high is None else parameter.high
    if parameter.high is None and low == 0 and (parameter.default is None or parameter.default <= 1):
        high = 1.0
    values = np.linspace(low, high, SCAN)
    values[0] += 1e-6 * (high - low) if parameter.above_low else 0.0
    values[-1] -= 1e-6 * (high - low) if parameter.below_high else 0.0
    return [float(value) for value in values]


def _can_be_asked(parameter: Parameter) -> bool:
    return parameter.kind is float and not parameter.choices
