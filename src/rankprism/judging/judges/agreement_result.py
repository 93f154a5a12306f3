"""What `agree` returns: how far judges agree with people on labels, on runs and on families of runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from rankprism.data import Floats
from rankprism.judging.judges.figure import ALL, Figure, interval_note
from rankprism.judging.judges.shared_labels import ENOUGH, Compared
from rankprism.results import Cell, Result, Table

#: The claims of the intervals, see `rankprism.statistics.claims`.
OF_LABELS, AT_THE_TOP = "agreement of labels", "agreement at the top"


class Confusion(NamedTuple):
    """How often a judge gave each label where people gave each grade."""

    people: tuple[float, ...]
    judge: tuple[str, ...]  #: the labels of the judge; ranges if there are very many
    counts: Floats  #: (people, judge)


@dataclass(frozen=True, eq=False, repr=False)
class LabelAgreement(Result):
    """How far the labels of judges agree with those of people."""

    claims: ClassVar[tuple[str, ...]] = (OF_LABELS,)
    judges: tuple[str, ...]
    figures: tuple[Figure, ...]
    confusion: Mapping[str, Confusion]
    about: Mapping[str, Any] = field(default_factory=dict)

    def figure(self, judge: str, figure: str, of: str = "labels", item: str = ALL) -> Figure | None:
        """One of the figures; None if it is not defined."""
        wanted = (judge, of, figure, item)
        return next((f for f in self.figures if (f.judge, f.of, f.figure, f.item) == wanted), None)

    def value(self, judge: str, figure: str, of: str = "labels", item: str = ALL) -> float:
        """The value of a figure; NaN if it is not defined."""
        found = self.figure(judge, figure, of, item)
        return np.nan if found is None else found.value

    def _cell(self, *key: str) -> Cell:
        found = self.figure(*key)
        if found is None:
            return Cell(np.nan)
        return Cell(found.value, between=None if np.isnan(found.low) else (found.low, found.high))

    @property
    def summary(self) -> Table:
        """A line for each judge: how far its labels agree with those of people."""
        counts = ("pairs", "only people", "only judge")
        columns: dict[str, list[Any]] = {"judge": list(self.judges)}
        columns |= {name: [int(self.value(j, name)) for j in self.judges] for name in counts}
        columns |= {
            name: [self._cell(j, name) for j in self.judges] for name in ("κ", "weighted κ", "α", "bias")
        }
        return Table(columns, digits=3)

    @property
    def tables(self) -> tuple[Table, ...]:
        return (self.summary, *(self._confusion(judge) for judge in self.judges[:MOST_TABLES]))

    def _confusion(self, judge: str) -> Table:
        """Rows are the grades of people; then the mean and the spread of the judge's labels."""
        table = self.confusion[judge]
        columns: dict[str, list[Any]] = {f"people \\ {judge}": [f"{grade:g}" for grade in table.people]}
        for c, name in enumerate(table.judge):
            columns[name] = table.counts[:, c].astype(np.int64).tolist()
        for title, figure in (("mean", "mean label for grade"), ("spread", "spread for grade")):
            columns[title] = [self.value(judge, figure, item=f"{grade:g}") for grade in table.people]
        return Table(columns, digits=2)

    @property
    def note(self) -> str:
        lines = [
            "pairs: a topic and a document that both labelled. bias: the mean of the judge's label minus the "
            "label of people. α: Krippendorff's, ordinal. Weighted κ: quadratic weights."
        ]
        if len(self.judges) > MOST_TABLES:
            lines.append(
                f"The tables of labels of the first {MOST_TABLES} judges are shown; the rows have all."
            )
        return "\n".join([*lines, interval_note(self.about)])

    @property
    def rows(self) -> Table:
        """One row per figure, and one for each cell of the tables of labels."""
        cells = [
            Figure(judge, "labels", f"labelled {label} where people said", f"{grade:g}", float(count))
            for judge, table in self.confusion.items()
            for grade, row in zip(table.people, table.counts, strict=True)
            for label, count in zip(table.judge, row, strict=True)
        ]
        every = [*self.figures, *cells]
        return Table({name: [getattr(f, name) for f in every] for name in Figure._fields})


#: The most judges for whom the tables of labels are shown.
MOST_TABLES = 4


@dataclass(frozen=True, eq=False, repr=False)
class RunAgreement(LabelAgreement):
    """How far judges agree with people on labels and on runs."""

    claims = (OF_LABELS, "a correlation of means", AT_THE_TOP, "a difference by t", "a mean")
    measures: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    #: for each judge, the scores by people and by the judge
    scores: Mapping[str, Compared] = field(default_factory=dict)

    @property
    def on_runs(self) -> Table:
        """A line for each judge and measure: how far its order and its scores of runs agree."""
        top = f"top {self.about['top']}"
        keys = [(judge, measure) for measure in self.measures for judge in self.judges]
        columns: dict[str, list[Any]] = {
            "judge": [judge for judge, _ in keys],
            "measure": [measure for _, measure in keys],
        }
        for name in ("τ_b", "τ_ap", top, "bias"):
            columns[name] = [self._cell(judge, name, measure) for judge, measure in keys]
        held = [self.value(judge, "held", measure) for judge, measure in keys]
        columns["held"] = [f"{x:.0f} of {len(self.runs)}" if x == x else "–" for x in held]
        if self._lacks_labels:
            columns["shared"] = [self.scores[judge].shared for judge, _ in keys]
        return Table(columns, digits=3)

    @property
    def _lacks_labels(self) -> bool:
        return any(one.shared < 1 for one in self.scores.values())

    @property
    def tables(self) -> tuple[Table, ...]:
        return (*super().tables, self.on_runs)

    @property
    def note(self) -> str:
        text = (
            super().note
            + f"\ntop {self.about['top']}: the share of the best runs that people and judge have in "
            "common. bias of a measure: the mean over runs of the judge's score minus the score by people. "
            "held: the runs whose interval over topics by the judge's labels alone holds the mean by people."
        )
        if self._lacks_labels:
            text += (
                "\nshared: of the documents at the top of the runs that people or the judge have labelled, "
                "the share that both have. Only these are compared, and all others are removed from the "
                f"rankings. – below {ENOUGH:g}."
            )
        return text


@dataclass(frozen=True, eq=False, repr=False)
class FamilyAgreement(RunAgreement):
    """The same, and whether judges favour families of runs."""

    families: Mapping[str, str] = field(default_factory=dict)  #: the family of each run

    @property
    def on_families(self) -> Table:
        """A line for each judge, measure and family."""
        found = [f for f in self.figures if f.figure == "favours"]
        numbers = [sum(family == f.item for family in self.families.values()) for f in found]
        return Table(
            {
                "judge": [f.judge for f in found],
                "measure": [f.of for f in found],
                "family": [f.item for f in found],
                "runs": numbers,
                "favours": [
                    Cell(f.value, between=None if np.isnan(f.low) else (f.low, f.high)) for f in found
                ],
                "p": [f.p for f in found],
            },
            digits=4,
            probabilities=("p",),
        )

    @property
    def tables(self) -> tuple[Table, ...]:
        return (*super().tables, self.on_families)

    @property
    def note(self) -> str:
        return (
            super().note
            + "\nfavours: how much more the judge adds to the scores of the family's runs than to "
            "those of all other runs. p: Student's t over topics, corrected for the families by Holm."
        )
