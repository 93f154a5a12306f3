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
        Claim(
            "a mean over assessors",
            "the mean score of studies with as many assessors, and differences of two",
            "assessors",
            2,
            "preferences intervals --over assessors",
        ),
        Claim(
            "a mean over assessors and topics",
            "the mean score of studies with as many assessors and topics, and differences of two",
            "assessors and topics",
            2,
            "preferences intervals --over both",
        ),
        Claim(
            "α of preferences",
            "Krippendorff's α of the same assessors over the population of pairs",
            "pairs that several judged",
            5,
            "preferences describe; assess",
        ),
        Claim(
            "κ of preferences",
            "Cohen's κ of the same two assessors over the population of pairs",
            "pairs that both judged",
            5,
            "preferences describe",
        ),
        Claim(
            "α of labels",
            "Krippendorff's ordinal α of the same assessors over the population of documents",
            "documents that several graded",
            10,
            "assess",
        ),
        Claim(
            "a mean over repetitions",
            "the mean τ of repetitions with other questions and users",
            "repetitions",
            5,
            "preferences experiment incomplete",
        ),
        Claim(
            "judgments needed",
            "the judgments a topic at which the mean τ of very many repetitions reaches the target",
            "repetitions",
            10,
            "preferences plan",
        ),
        Claim(
            "a strength",
            "the strength of a document less the mean of its part by very many assessors, and differences",
            "judgments of a document",
            5,
            "preferences strengths",
        ),
    )
)
