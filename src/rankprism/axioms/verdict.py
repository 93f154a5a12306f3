"""The verdict on a measure and a constraint. It never claims more than was shown."""

from __future__ import annotations

from dataclasses import dataclass

from rankprism.axioms.constraint import Constraint
from rankprism.axioms.rankings import Instance
from rankprism.measures.measure import Measure

VIOLATED = "violated"
UNVIOLATED = "no violation found"
PROVED = "proved"
NOT_APPLICABLE = "not applicable"
SIGNS = {UNVIOLATED: "●", PROVED: "◉", VIOLATED: "○", NOT_APPLICABLE: "–"}


@dataclass(frozen=True, eq=False)
class Verdict:
    """Whether a measure satisfies a constraint in a reading, and how this is known."""

    measure: Measure
    constraint: Constraint
    kind: str
    instances: int = 0  # that were tried
    counterexample: Instance | None = None
    example: Instance | None = None  # an instance on which the constraint holds
    scores: tuple[float, ...] = ()  # of the rankings of the counterexample or the example
    note: str = ""  # the argument, the reason, or for which n
    open: bool = False  # violated for every n that was tried; a greater n may still do

    @property
    def key(self) -> tuple[str, str, str]:
        """What the verdict is about: a measure with its parameters, a constraint, and how it is read."""
        return str(self.measure), self.constraint.name, self.constraint.reading

    @property
    def kept(self) -> bool | None:
        """True if proved or not violated, False if violated, None if not applicable."""
        return None if self.kind == NOT_APPLICABLE else self.kind != VIOLATED

    @property
    def words(self) -> str:
        """The verdict in words. If only some n were tried, it says so, because a greater n may still do."""
        return f"{self.kind} for every {self.constraint.variable} tried" if self.open else self.kind

    @property
    def sign(self) -> str:
        return SIGNS[self.kind]

    def __str__(self) -> str:
        tried = f" ({self.instances:,} instances)" if self.kind == UNVIOLATED else ""
        return f"{self.measure} {self.constraint}: {self.words}{tried}{f'; {self.note}' if self.note else ''}"
