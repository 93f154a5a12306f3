"""The result of reproducing a paper: its tables, computed, and how each row relates to the printed one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rankprism.data import Judgments
from rankprism.results import Cell, Result, Table

REPRODUCED = "reproduced"
NOT_PRINTED = "not printed"
NOT_PUBLIC = "needs data that is not public"
#: The beginning of the reason if a printed number is a sum over more than the given data.
SUMS = "the printed numbers are sums over"
#: Why most tables are left out if a single run is given.
ONE_RUN = "it compares runs with each other, and there is only one run"


@dataclass(frozen=True)
class Printed:
    """The collection behind a printed table. A given collection counts as the same if it has the same topics,
    as many runs and the same highest grade."""

    name: str  #: such as "30 runs of TREC Web 2014"
    topics: tuple[str, ...] | None = None  #: None: they are not known
    runs: int | None = None  #: number of runs in the paper; None: the table needs no runs
    highest: float | None = None  #: the highest grade; None: any
    depth: int | None = None  #: number of documents in its longest ranking; None: it is not known
    is_public: bool = False

    def lacking(self, judgments: Judgments, runs: int | None = None) -> str | None:
        """The reason why the printed numbers cannot be compared with this collection; None if they can."""
        grades = judgments.cells.grade
        same = (
            self.topics is not None
            and set(judgments.topics) == set(self.topics)
            and runs == self.runs
            and (self.highest is None or grades.max(initial=0.0) == self.highest)
        )
        if same:
            return None
        if self.is_public:
            return f"differs because the printed numbers are for {self.name}"
        return f"{NOT_PUBLIC}: {self.name}"

    def deeper(self, longest: int) -> str | None:
        """The reason why numbers for whole rankings differ if the given ones are cut; None if they are not.

        longest : number of documents in the longest ranking that was given.

        >>> Printed("a track", depth=1000).deeper(100)
        'the printed numbers are for rankings of up to 1000 documents, and those given have at most 100'
        """
        if self.depth is None or longest >= self.depth:
            return None
        return (
            f"the printed numbers are for rankings of up to {self.depth} documents, and those given have at "
            f"most {longest}"
        )


def numbered(first: int, last: int, before: str = "") -> tuple[str, ...]:
    """The names of numbered topics.

    >>> numbered(1, 3), numbered(1, 2, "DD15-")
    (('1', '2', '3'), ('DD15-1', 'DD15-2'))
    """
    return tuple(f"{before}{number}" for number in range(first, last + 1))


def outcome(computed: float, printed: float | None, digits: int, lacking: str | None, why: str) -> str:
    """Say how a computed number relates to the printed one, which has `digits` decimal places.

    lacking : why they cannot be compared, see `Printed.lacking`.
    why : the explanation of a difference.

    >>> outcome(0.41504, 0.415, 3, None, ""), outcome(0.4, 0.25, 2, None, "it is half of Eq. 6")
    ('reproduced', 'differs because it is half of Eq. 6')
    >>> outcome(0.4, 0.25, 2, "needs data that is not public: 30 runs", "")
    'needs data that is not public: 30 runs'
    """
    if printed is None:
        return NOT_PRINTED
    if lacking is not None:
        return lacking
    if abs(computed - printed) <= 0.5 * 10.0**-digits + 1e-9:
        return REPRODUCED
    return f"differs because {why}"


def left_out(names: Sequence[str], reason: str) -> Table:
    """The tables and figures that cannot be made from this data, and why."""
    return Table({"left out": list(names), "because": [reason] * len(names)})


@dataclass(frozen=True, eq=False, repr=False)
class Reproduction(Result):
    """The tables and figures of a paper. The first column of each is named after the table in the paper."""

    claims = (
        "a correlation of means",
        "a correlation per topic",
        "a mean over repetitions",
        "a ratio over topics",
        "metric unanimity",
        "power by bootstrap",
    )

    parts: tuple[Table, ...]
    remarks: tuple[str, ...] = ()
    #: the results that the figures of the paper show, by their names
    figures: Mapping[str, Result] = field(default_factory=dict)
    about: Mapping[str, Any] = field(default_factory=dict)

    def part(self, name: str) -> Table:
        """The table with this name, or else the first whose name begins with it."""
        tables = {next(iter(table.columns)): table for table in self.parts}
        return tables[name if name in tables else next(n for n in tables if n.startswith(name))]

    @property
    def tables(self) -> tuple[Table, ...]:
        return tuple(map(_said_once, self.parts))

    @property
    def summary(self) -> Table:
        return self.tables[0]

    @property
    def note(self) -> str:
        return "\n".join(self.remarks)

    @property
    def rows(self) -> Table:
        """Every cell: table, row, column, value, and the interval of the value."""
        return cells_of(self.parts)


def _said_once(table: Table) -> Table:
    """The same table, in which data that is not given is named only in the first row that needs it."""
    said = list(table.columns.get("outcome", ()))
    lacking = [row for row, text in enumerate(said) if str(text).startswith((NOT_PUBLIC, SUMS))]
    for row in lacking[1:]:
        if said[row].startswith(said[lacking[0]]):
            said[row] = "the same" + said[row].removeprefix(said[lacking[0]])
    return replace(table, columns={**table.columns, "outcome": said}) if lacking else table


def cells_of(tables: Iterable[Table]) -> Table:
    """Every cell of some tables: table, row, column, value, low and high. Words are in the column `text`."""
    names = ("table", "row", "column", "value", "low", "high", "text")
    rows = []
    for table in tables:
        first, *others = table.columns
        for other in others:
            for row, cell in zip(table.columns[first], table.columns[other], strict=True):
                value = cell.value if isinstance(cell, Cell) else cell
                low, high = (isinstance(cell, Cell) and cell.between) or (None, None)
                words = value if isinstance(value, str) else None
                rows.append((first, row, other, value if words is None else None, low, high, words))
    return Table.of_rows(names, rows)


def with_interval(value: float, low: float, high: float) -> Cell:
    """A number with its interval, if it has one."""
    between = None if np.isnan(low) or np.isnan(high) else (float(low), float(high))
    return Cell(float(value), between=between)


def spread(values: Sequence[Any]) -> str:
    """Write values of a parameter as papers do.

    >>> spread([0.9, 0.8, 0.9]), spread([20])
    ('{0.8,0.9}', '20')
    """
    several = sorted(set(values))
    text = ",".join(f"{value:g}" for value in several)
    return f"{{{text}}}" if len(several) > 1 else text
