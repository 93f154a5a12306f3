"""Recorded verdicts on measures and constraints, as plain data.

`verdicts.json` has what the search of `rankprism.axioms` found once for the measures of the catalogue, with
default parameters and common cutoffs. `make verdicts` writes the file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

PROVED = "proved"
NOT_REFUTED = "not refuted"
REFUTED = "refuted"
UNASKABLE = "cannot be asked"


def in_words(kind: str, instances: int) -> str:
    """The verdict in words. If it is not refuted, they say how much was tried."""
    return f"{kind} in {instances:,} instances" if kind == NOT_REFUTED else kind


class Recorded(NamedTuple):
    """One verdict."""

    kind: str
    instances: int  # number of instances tried
    rankings: str  # the counterexample or the example, see `axioms.recorded.read_instance`
    note: str

    @property
    def words(self) -> str:
        return in_words(self.kind, self.instances)


@cache
def _file() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        files("rankprism.measures").joinpath("verdicts.json").read_text("utf-8")
    )
    return found


@cache
def recorded(measure: str) -> Mapping[str, Recorded]:
    """The verdicts on a measure by constraint and reading, such as "Red printed"; empty if none is recorded.

    >>> recorded("RBU@20")["Conf proved"].kind, recorded("RBU@20")["Sat proved"].kind, recorded("RBU@21")
    ('proved', 'refuted', {})
    """
    content = _file()
    cells = content["measures"].get(measure, ())
    kinds, shown, notes = content["kinds"], content["rankings"], content["notes"]
    return {
        constraint: Recorded(kinds[kind], instances, shown[rankings], notes[note])
        for constraint, (kind, instances, rankings, note) in zip(content["constraints"], cells, strict=False)
    }
