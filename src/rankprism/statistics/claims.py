"""Every kind of interval that the program prints, and what it claims.

An interval claims to hold the true value of something in 95 of 100 samples of the same size. `simulations/`
draws such samples and counts, for every claim in this table. With too few units to keep a claim, the program
prints "–" and says how many it needs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rankprism.data.note import Note, issue


@dataclass(frozen=True)
class Claim:
    """What an interval of one kind says."""

    name: str
    estimates: str  #: what it holds with probability `level`
    unit: str  #: what is drawn at random, in the plural
    fewest: int  #: with fewer units it is not printed
    command: str  #: what prints it
    level: float = 0.95

    def missing(self, units: int) -> str | None:
        """Why there is no interval, or None if there are enough units.

        >>> CLAIMS["a mean"].missing(1)
        'there is no interval of a mean: it needs 2 topics, and there is 1'
        """
        if units >= self.fewest:
            return None
        are = "is" if units == 1 else "are"
        needs = f"it needs {self.fewest} {self.unit}, and there {are} {units}"
        return f"there is no interval of {self.name}: {needs}"


def enough(name: str, units: int) -> bool:
    """Whether an interval may be printed. If not, a note says why."""
    missing = CLAIMS[name].missing(units)
    if missing is not None:
        issue([Note("no-interval", missing, units, "")])
    return missing is None


def _table(claims: Iterable[Claim]) -> dict[str, Claim]:
    return {claim.name: claim for claim in claims}


#: Every claim by name.
CLAIMS = _table(
    (
        Claim(
            "a mean",
            "the mean score of a run over the population of topics",
            "topics",
            2,
            "plot intervals; report; assess",
        ),
        Claim(
            "a difference by t",
            "the difference of the mean scores of two runs over the population of topics",
            "topics",
            2,
            "compare --test t, wilcoxon or fisher",
        ),
    )
)
