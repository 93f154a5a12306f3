"""Table: named columns that are written as text, Markdown, LaTeX, HTML or CSV."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any, NamedTuple

from rankprism.measures import shown_name
from rankprism.measures.display import latex_name
from rankprism.results.direction import MARK, marked
from rankprism.text import html_escaped, latex_escaped, markdown_escaped, text_table

UNDEFINED = "–"
_RAISED = dict(
    zip("abcdefghijklmnoprstuvwxyz0123456789,", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ⁰¹²³⁴⁵⁶⁷⁸⁹˒", strict=True)
)


class Cell(NamedTuple):
    """A number with the marks that a paper prints around it."""

    value: float
    #: marks after the number; letters and digits are a superscript; None if the column has no marks
    mark: str | None = None
    #: whether it is the best of its column, which is printed in bold
    best: bool = False
    #: the interval around it, printed in brackets
    between: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False)
class Table:
    """Named columns of the same length. None and NaN mark undefined cells.

    >>> table = Table({"run": ["bm25", "dense"], "P@5": [0.4, None]}, digits=2)
    >>> print(table.text())
    run     P@5
    ───────────
    bm25   0.40
    dense     –
    >>> print(table.markdown())
    | run | P@5 |
    |:---|---:|
    | bm25 | 0.40 |
    | dense | – |
    """

    columns: Mapping[str, Sequence[Any]]
    digits: int = 4
    #: digits of single columns
    precision: Mapping[str, int] = field(default_factory=dict)
    #: columns of p-values; a value that would round to 0 is printed as <.0001
    probabilities: Collection[str] = ()
    #: columns of text that may be undefined in all of the first rows
    texts: Collection[str] = ()
    #: the measures in the header and in the cells, which LaTeX and HTML print as papers do
    measures: Collection[str] = ()
    #: those of which a lower score is better, which a mark in the header and in the cells says
    lower: Collection[str] = ()

    @classmethod
    def of_rows(cls, names: Sequence[str], rows: Iterable[Sequence[Any]], **settings: Any) -> Table:
        """The table with these rows, each of which has a cell for each name.

        >>> Table.of_rows(("run", "P@5"), [("bm25", 0.4), ("dense", None)]).columns
        {'run': ['bm25', 'dense'], 'P@5': [0.4, None]}
        """
        columns: dict[str, list[Any]] = {name: [] for name in names}
        for row in rows:
            for column, cell in zip(columns.values(), row, strict=True):
                column.append(cell)
        return cls(columns, **settings)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def _words(self, name: str) -> bool:
        return any(
            isinstance(x, str) or (isinstance(x, Cell) and x.mark is not None) for x in self.columns[name]
        )

    def _names(self, name: str) -> bool:
        return all(isinstance(x, str) for x in self.columns[name])

    def _cells(self, printed: Callable[[Any, int], str]) -> list[list[str]]:
        columns = []
        for name, column in self.columns.items():
            digits = self.precision.get(name, self.digits)
            p = name in self.probabilities
            columns.append([printed(small_p(x, digits) if p else x, digits) for x in column])
        return [list(row) for row in zip(*columns, strict=True)]

    def cells(self) -> list[list[str]]:
        """The rows as people read them."""
        return self._cells(lambda x, digits: self._marked(printed_cell(x, digits)))

    def _marked(self, text: str) -> str:
        """A text. If it is the name of a measure of which a lower score is better, it gets a mark."""
        return marked(text, text.removeprefix("Δ "), self.lower)

    @property
    def has_best(self) -> bool:
        """Whether some cells are marked as the best of their columns."""
        return any(isinstance(x, Cell) and x.best for column in self.columns.values() for x in column)

    def text(self, bold: bool = False, width: int | None = None) -> str:
        """Aligned columns for a terminal of `width` characters. `bold`: show the best cells in bold."""
        left = len(list(takewhile(self._words, self.columns)))
        names = len(list(takewhile(self._names, self.columns)))
        if names == len(self.columns):  # numbers with intervals, or verdicts, in the rows of the first column
            names = 1
        strong = [
            (row, place)
            for place, column in enumerate(self.columns.values())
            for row, x in enumerate(column)
            if bold and isinstance(x, Cell) and x.best
        ]
        return text_table(
            list(map(self._marked, self.columns)),
            self.cells(),
            left=max(1, left),
            bold=strong,
            repeated=names,
            width=width,
        )

    def markdown(self) -> str:
        """A table in GitHub's Markdown, with the best cells in bold."""

        def cell(x: Any, digits: int) -> str:
            text = markdown_escaped(self._marked(printed_cell(x, digits)))
            return f"**{text}**" if isinstance(x, Cell) and x.best else text

        names = [markdown_escaped(self._marked(name)) for name in self.columns]
        lines = [names, *self._cells(cell)]
        out = ["| " + " | ".join(line) + " |" for line in lines]
        out.insert(1, "|" + "|".join(":---" if self._words(name) else "---:" for name in self.columns) + "|")
        return "\n".join(out)

    def latex(self) -> str:
        """A tabular with booktabs rules, with the best cells in bold."""

        def cell(x: Any, digits: int) -> str:
            if not isinstance(x, Cell):
                return self._named(printed_cell(x, digits), latex_name, latex_escaped, r"\,$\downarrow$")
            text = latex_escaped(printed_cell(x._replace(mark=None), digits))
            mark = "".join(
                {"▲": r"\blacktriangle ", "▼": r"\blacktriangledown "}.get(c, c) for c in x.mark or ""
            ).rstrip()
            return (rf"\textbf{{{text}}}" if x.best else text) + (f"$^{{{mark}}}$" if mark else "")

        align = "".join("l" if self._words(name) else "r" for name in self.columns)
        names = [self._named(name, latex_name, latex_escaped, r"\,$\downarrow$") for name in self.columns]
        header, *rows = [" & ".join(line) + r" \\" for line in [names, *self._cells(cell)]]
        return "\n".join(
            [
                rf"\begin{{tabular}}{{{align}}}",
                r"\toprule",
                header,
                r"\midrule",
                *rows,
                r"\bottomrule",
                r"\end{tabular}",
            ]
        )

    def html(self, caption: str = "") -> str:
        """A table element, with the best cells in bold."""

        def cell(x: Any, digits: int) -> str:
            if not isinstance(x, Cell):
                return self._named(printed_cell(x, digits), _html_name, html_escaped)
            text = html_escaped(printed_cell(x._replace(mark=None), digits))
            return (f"<b>{text}</b>" if x.best else text) + (
                f"<sup>{html_escaped(x.mark)}</sup>" if x.mark else ""
            )

        sides = ["left" if self._words(name) else "right" for name in self.columns]
        header = "".join(
            f'<th style="text-align: {side}">{self._named(name, _html_name, html_escaped)}</th>'
            for name, side in zip(self.columns, sides, strict=True)
        )
        lines = [f"<thead>\n<tr>{header}</tr>\n</thead>", "<tbody>"]
        for row in self._cells(cell):
            cells = (f'<td style="text-align: {s}">{x}</td>' for x, s in zip(row, sides, strict=True))
            lines.append(f"<tr>{''.join(cells)}</tr>")
        above = f"<caption>{html_escaped(caption, None)}</caption>\n" if caption else ""
        return f"<table>\n{above}" + "\n".join([*lines, "</tbody>", "</table>"])

    def _named(
        self, text: str, measure: Callable[[str], str], other: Callable[[str], str], mark: str = MARK
    ) -> str:
        """Write a text. If it is the name of a measure, write it as papers do."""
        name = text.removeprefix("Δ ")
        if name not in self.measures:
            return other(text)
        before = other("Δ ") if name != text else ""
        return before + measure(name) + (mark if name in self.lower else "")

    def csv(self, guard: bool = False, separator: str = ",", header: bool = True) -> str:
        """CSV with full precision. `guard`: see `guarded`."""
        import csv

        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n", delimiter=separator)
        cell = guarded if guard else (lambda x: x)
        if header:
            writer.writerow(map(cell, self.columns))
        writer.writerows(
            ["" if undefined(x) else cell(plain(x)) for x in row]
            for row in zip(*self.columns.values(), strict=True)
        )
        return text.getvalue()

    def records(self) -> list[dict[str, Any]]:
        """One mapping for each row, with plain Python values."""
        return [
            {name: None if undefined(x) else plain(x) for name, x in zip(self.columns, row, strict=True)}
            for row in zip(*self.columns.values(), strict=True)
        ]

    def rounded(self, digits: int | None) -> Table:
        """The same table with numbers rounded to `digits` digits after the decimal point."""
        if digits is None:
            return self
        columns = {name: [_rounded(plain(x), digits) for x in xs] for name, xs in self.columns.items()}
        return replace(self, columns=columns)


def printed_cell(value: Any, digits: int = 4) -> str:
    """Print a value for people.

    >>> [printed_cell(x, 2) for x in (0.125, 3, True, None, ("a", "b"))]
    ['0.12', '3', 'yes', '–', 'a, b']
    >>> printed_cell(Cell(0.5, mark="ab", between=(0.25, 0.75)), 2)
    '0.50 [0.25, 0.75]ᵃᵇ'
    """
    if isinstance(value, Cell):
        low, high = (printed_cell(x, digits) for x in value.between or (0.0, 0.0))
        between = f" [{low}, {high}]" if value.between else ""
        mark = "".join(_RAISED.get(c, c) for c in value.mark or "")
        return printed_cell(value.value, digits) + between + mark
    if undefined(value):
        return UNDEFINED
    value = plain(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return "∞" if value == math.inf else "-∞" if value == -math.inf else f"{value:.{digits}f}"
    if isinstance(value, tuple | list):
        return ", ".join(printed_cell(x, digits) for x in value)
    return str(value)


def small_p(value: Any, digits: int) -> Any:
    """Return a p-value, or a text such as <.0001 if it would round to 0.

    >>> small_p(0.00004, 4), small_p(0.04, 4), small_p(0.0, 2)
    ('<.0001', 0.04, '<.01')
    """
    if undefined(value) or digits < 1 or value >= 10**-digits:
        return value
    return f"<.{1:0{digits}d}"


def guarded(cell: Any) -> Any:
    """Put an apostrophe before text that a spreadsheet would take for a formula.

    >>> [guarded(x) for x in ("=1+1", "@bm25", "bm25", -0.5)]
    ["'=1+1", "'@bm25", 'bm25', -0.5]
    """
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell


def undefined(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _rounded(value: Any, digits: int) -> Any:
    return round(value, digits) if isinstance(value, float) and math.isfinite(value) else value


def plain(value: Any) -> Any:
    """Turn a numpy number into a Python number."""
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value


def _html_name(measure: str) -> str:
    return html_escaped(shown_name(measure))
