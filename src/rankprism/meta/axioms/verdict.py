"""The verdict on a measure and a constraint. It never claims more than was shown."""

from __future__ import annotations

from dataclasses import dataclass

from rankprism.measures import Measure, verdicts
from rankprism.meta.axioms.constraint import Constraint
from rankprism.meta.axioms.rankings import Instance

#: Each sign has one meaning. What is proved has the strongest one.
SIGNS = {verdicts.PROVED: "●", verdicts.NOT_REFUTED: "◐", verdicts.REFUTED: "○", verdicts.UNASKABLE: "–"}


@dataclass(frozen=True, eq=False)
class Verdict:
    """Whether a measure satisfies a constraint in a reading, and how this is known."""

    measure: Measure
    constraint: Constraint
    kind: str
    instances: int = 0  # the number that were tried
    counterexample: Instance | None = None
    example: Instance | None = None  # an instance on which the relation holds
    scores: tuple[float, ...] = ()  # of the rankings of the counterexample or the example
    note: str = ""  # the argument, the reason, or for which n

    @property
    def key(self) -> tuple[str, str, str]:
        """What the verdict is about: a measure with its parameters, a constraint, and how it is read."""
        return str(self.measure), self.constraint.name, self.constraint.reading

    @property
    def refuted(self) -> bool:
        return self.kind == verdicts.REFUTED

    @property
    def proved(self) -> bool:
        return self.kind == verdicts.PROVED

    @property
    def open(self) -> bool:
        """Whether only some n were tried, and all of them fail. A larger n may still work."""
        x = self.constraint.variable
        return self.refuted and bool(x) and not self.note.startswith(f"for no {x}: ")

    @property
    def words(self) -> str:
        """The verdict in words. If only some n were tried, it says so, because a larger n may still work."""
        words = verdicts.in_words(self.kind, self.instances)
        return f"{words} for every {self.constraint.variable} tried" if self.open else words

    @property
    def sign(self) -> str:
        return SIGNS[self.kind]

    def __str__(self) -> str:
        return f"{self.measure} {self.constraint}: {self.words}{f'; {self.note}' if self.note else ''}"
