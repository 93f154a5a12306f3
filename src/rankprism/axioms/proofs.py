"""Short arguments for why a measure keeps a constraint, whatever the ranking."""

from __future__ import annotations

from rankprism.axioms.constraint import Constraint
from rankprism.measures.measure import Measure


def proof_of(measure: Measure, constraint: Constraint) -> str:
    """The argument, or nothing where none is recorded."""
    return ""
