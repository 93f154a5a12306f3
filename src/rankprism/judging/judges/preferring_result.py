"""What `prefer` returns: what the preferences of judges depend on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from rankprism.judging.judges.estimates_over_topics import A_COEFFICIENT, A_SHARE, FAVOURS
from rankprism.judging.judges.figure import ALL, Figure
from rankprism.judging.judges.questions import PEOPLE
from rankprism.results import Cell, Result, Table


@dataclass(frozen=True, eq=False, repr=False)
class JudgePreferences(Result):
    """What the preferences of judges depend on. Made by `prefer`."""

    claims: ClassVar[tuple[str, ...]] = (A_SHARE, A_COEFFICIENT, FAVOURS)
    sources: tuple[str, ...]  #: the judges, and "people" first if there are any
    figures: tuple[Figure, ...]
    about: Mapping[str, Any] = field(default_factory=dict)

    def figure(self, judge: str, figure: str, item: str = ALL) -> Figure | None:
        """One of the figures; None if it is not defined."""
        wanted = (judge, figure, item)
        return next((f for f in self.figures if (f.judge, f.figure, f.item) == wanted), None)

    def value(self, judge: str, figure: str, item: str = ALL) -> float:
        """The value of a figure; NaN if it is not defined."""
        found = self.figure(judge, figure, item)
        return np.nan if found is None else found.value

    def _cell(self, judge: str, figure: str, item: str = ALL) -> Cell:
        found = self.figure(judge, figure, item)
        if found is None:
            return Cell(np.nan)
        return Cell(found.value, between=None if np.isnan(found.low) else (found.low, found.high))

    def _p(self, judge: str, figure: str, item: str = ALL) -> float:
        found = self.figure(judge, figure, item)
        return np.nan if found is None else found.p

    @property
    def summary(self) -> Table:
        """A line for each judge: its sides, and its agreement with itself and with people."""
        names = self.sources
        columns: dict[str, list[Any]] = {
            "judge": list(names),
            "judgments": [int(self.value(name, "judgments")) for name in names],
            "ties": [self.value(name, "ties") for name in names],
            "left": [self._cell(name, "left") for name in names],
            "p": [self._p(name, "left") for name in names],
            "swapped": [_whole(self.value(name, "swapped")) for name in names],
            "same": [self._cell(name, "same") for name in names],
        }
        if PEOPLE in names:
            columns |= {
                "shared": [_whole(self.value(name, "shared")) for name in names],
                "agrees": [self._cell(name, "agrees") for name in names],
                "κ": [self._cell(name, "κ") for name in names],
            }
        return Table(columns, digits=3, precision={"p": 4}, probabilities=("p",))

    @property
    def coefficients(self) -> Table:
        """A line for each coefficient of each judge."""
        found = [f for f in self.figures if f.figure == "coefficient"]
        spread = self.about.get("standard deviations", {})
        columns: dict[str, list[Any]] = {
            "judge": [f.judge for f in found],
            "covariate": [f.item for f in found],
            "unit": [f"{spread[f.item]:.4g}" if f.item in spread else "" for f in found],
            "coefficient": [self._cell(f.judge, "coefficient", f.item) for f in found],
            "p": [f.p for f in found],
        }
        if not spread:
            del columns["unit"]
        if PEOPLE in self.sources:
            columns |= {
                "beyond people": [self._cell(f.judge, "beyond people", f.item) for f in found],
                "p (beyond)": [self._p(f.judge, "beyond people", f.item) for f in found],
            }
        return Table(
            columns, digits=3, precision={"p": 4, "p (beyond)": 4}, probabilities=("p", "p (beyond)")
        )

    @property
    def families(self) -> Table:
        """A line for each judge and family."""
        found = [f for f in self.figures if f.figure == "favours"]
        own = self.about.get("families", {})
        return Table(
            {
                "judge": [f.judge for f in found],
                "family": [f.item + (" (own)" if own.get(f.judge) == f.item else "") for f in found],
                "questions": [int(self.value(f.judge, "questions of family", f.item)) for f in found],
                "prefers it": [self.value(f.judge, "prefers family", f.item) for f in found],
                "people" if PEOPLE in self.sources else "others": [
                    self.value(f.judge, "others prefer family", f.item) for f in found
                ],
                "favours": [self._cell(f.judge, "favours", f.item) for f in found],
                "p": [f.p for f in found],
            },
            digits=3,
            precision={"p": 4},
            probabilities=("p",),
        )

    @property
    def tables(self) -> tuple[Table, ...]:
        more = [self.coefficients] if any(f.figure == "coefficient" for f in self.figures) else []
        more += [self.families] if "families" in self.about else []
        return (self.summary, *more)

    @property
    def note(self) -> str:
        lines = [
            "left: the share of answers for the left document, a tie being half of one; p: of ½. swapped: "
            "questions "
            "asked with both sides; same: the share of them with the same answer both times."
        ]
        if PEOPLE in self.sources:
            lines.append("shared: questions that people answered, too; agrees: the share with their answer.")
        if any(f.figure == "coefficient" for f in self.figures):
            equal = "two systems of equal strength" if self.about["systems"] else "two documents"
            words = "coefficient: what is added to the log-odds that one of " + equal + " is preferred"
            words += ", if it is on the left" if not self.about.get("standard deviations") else (
                ", if it is on the left (side) or if its covariate is higher by one unit, which is a "
                "standard deviation"
            )  # fmt: skip
            if PEOPLE in self.sources:
                words += ". beyond people: minus that of people on the shared questions"
            lines.append(words + ".")
        if "families" in self.about:
            who = "people" if PEOPLE in self.sources else "the judges of other families"
            lines.append(
                f"favours: how much more often than {who} the judge prefers the family's document on the "
                "same questions "
                "about one document of it and one of another; p of families that are not the judge's own "
                "is corrected for their number by Holm."
            )
        if self.about["confidence"]:
            lines.append(
                f"In brackets: {100 * self.about['confidence']:g} % intervals over topics like these "
                f"{self.about['topics']}. – means that it is unknown or that there are too few topics."
            )
        return "\n".join(lines)

    @property
    def rows(self) -> Table:
        """One row per figure."""
        return Table({name: [getattr(f, name) for f in self.figures] for name in Figure._fields})


def _whole(value: float) -> int | None:
    return None if np.isnan(value) else int(value)
