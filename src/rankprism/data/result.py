"""Result: what an analysis returns. A table for people, rows for machines, and how it came about."""

from __future__ import annotations

import csv
import io
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rankprism.data.table import text_table
from rankprism.foreign import shown

UNDEFINED = "–"
_MARKDOWN = str.maketrans({c: f"\\{c}" for c in "\\|`*[]"} | {"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_LATEX = str.maketrans(
    {c: f"\\{c}" for c in "&%$#_{}"}
    | {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "α": r"$\alpha$",
        "β": r"$\beta$",
        "γ": r"$\gamma$",
        "τ": r"$\tau$",
        "Δ": r"$\Delta$",
        "≥": r"$\ge$",
        "≤": r"$\le$",
        "±": r"$\pm$",
        "→": r"$\to$",
        "▲": r"$\blacktriangle$",
        "▼": r"$\blacktriangledown$",
        "∩": r"$\cap$",
        "∪": r"$\cup$",
        "∞": r"$\infty$",
        "●": r"$\bullet$",
        "○": r"$\circ$",
        "◉": r"$\odot$",
        "≠": r"$\neq$",
        "–": "--",
        "<": "$<$",
        ">": "$>$",
        "|": "$|$",
        '"': "''",
        "ⁿ": "$^n$",
    }
)


@dataclass(frozen=True, eq=False)
class Table:
    """Named columns of one length. None and NaN are cells that are not defined.

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

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def _words(self, name: str) -> bool:
        return any(isinstance(value, str) for value in self.columns[name])

    def cells(self) -> list[list[str]]:
        """The rows as people read them."""
        digits = {name: self.precision.get(name, self.digits) for name in self.columns}
        printed = [[printed_cell(x, digits[name]) for x in column] for name, column in self.columns.items()]
        return [list(row) for row in zip(*printed, strict=True)]

    def text(self) -> str:
        """Aligned columns for a terminal."""
        left = 0
        for name in self.columns:
            if not self._words(name):
                break
            left += 1
        return text_table(list(self.columns), self.cells(), left=max(1, left))

    def markdown(self) -> str:
        lines = [list(self.columns), *self.cells()]
        out = ["| " + " | ".join(markdown_escaped(cell) for cell in line) + " |" for line in lines]
        out.insert(1, "|" + "|".join(":---" if self._words(name) else "---:" for name in self.columns) + "|")
        return "\n".join(out)

    def latex(self) -> str:
        """A tabular with booktabs rules."""
        align = "".join("l" if self._words(name) else "r" for name in self.columns)
        header, *rows = [
            " & ".join(latex_escaped(cell) for cell in line) + r" \\"
            for line in [list(self.columns), *self.cells()]
        ]
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

    def csv(self, guard: bool = False) -> str:
        """One line a row, in full precision. `guard`: see `guarded`."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        cell = guarded if guard else (lambda x: x)
        writer.writerow(map(cell, self.columns))
        writer.writerows(
            ["" if _undefined(x) else cell(_plain(x)) for x in row]
            for row in zip(*self.columns.values(), strict=True)
        )
        return text.getvalue()

    def records(self) -> list[dict[str, Any]]:
        """One mapping a row, of plain Python values."""
        return [
            {name: None if _undefined(x) else _plain(x) for name, x in zip(self.columns, row, strict=True)}
            for row in zip(*self.columns.values(), strict=True)
        ]


class Result(ABC):
    """What an analysis returns: frozen, with the conventions it was computed under."""

    #: what it was computed from and how: conventions, seed, resamples
    about: Mapping[str, Any]

    def __post_init__(self) -> None:
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        """A copy is as frozen as the original; numpy forgets that when it pickles."""
        vars(self).update(state)
        Result.__post_init__(self)

    @property
    @abstractmethod
    def summary(self) -> Table:
        """The small table that people read."""

    @property
    def rows(self) -> Table:
        """Everything, one row a fact."""
        return self.summary

    def to_frame(self, backend: str | None = None) -> Any:
        """All rows as a frame of pandas, polars or pyarrow."""
        from rankprism.data.frames import make_frame

        return make_frame({name: list(map(_plain, x)) for name, x in self.rows.columns.items()}, backend)

    def to_csv(self, *, guard: bool = False) -> str:
        """All rows as CSV.

        guard : put an apostrophe before text that a spreadsheet would take for a formula, because it begins
            with = + - or @. Numbers stay numbers.
        """
        return self.rows.csv(guard)

    def to_json(self) -> str:
        """All rows as JSON, with the conventions."""
        from rankprism import __version__

        # JSON has no infinity; in CSV it is spelled the same.
        rows = [{k: _finite(v) for k, v in row.items()} for row in self.rows.records()]
        content = {"rankprism": __version__, "about": self.about, "rows": rows}
        return json.dumps(content, ensure_ascii=False, indent=1, default=_plain, allow_nan=False) + "\n"

    def to_latex(self) -> str:
        """The small table for a paper (booktabs)."""
        return self.summary.latex() + "\n"

    def to_markdown(self) -> str:
        """The small table in Markdown."""
        return self.summary.markdown() + "\n"

    def __str__(self) -> str:
        return self.summary.text()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>\n{self}"


class Detailed(Result):
    """A result that shows all of its rows to people too."""

    def __init__(self, result: Result) -> None:
        self.result = result
        self.about = result.about

    @property
    def summary(self) -> Table:
        return self.result.rows


#: How a result is written, by the name of the format.
FORMATS: dict[str, Callable[[Result], str]] = {
    "table": lambda result: f"{result}\n",
    "csv": lambda result: result.to_csv(),
    "guarded-csv": lambda result: result.to_csv(guard=True),
    "json": lambda result: result.to_json(),
    "latex": lambda result: result.to_latex(),
    "markdown": lambda result: result.to_markdown(),
}


def printed_cell(value: Any, digits: int = 4) -> str:
    """A value as people read it.

    >>> [printed_cell(x, 2) for x in (0.125, 3, True, None, ("a", "b"))]
    ['0.12', '3', 'yes', '–', 'a, b']
    """
    if _undefined(value):
        return UNDEFINED
    value = _plain(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return "∞" if value == math.inf else "-∞" if value == -math.inf else f"{value:.{digits}f}"
    if isinstance(value, tuple | list):
        return ", ".join(printed_cell(x, digits) for x in value)
    return str(value)


def latex_escaped(text: str) -> str:
    r"""Text as LaTeX prints it.

    >>> latex_escaped("50% of R&D"), latex_escaped("[a]")
    ('50\\% of R\\&D', '{[}a]')
    """
    text = shown(text)
    # After the end of a row, LaTeX takes these two for an argument of the line break.
    start, rest = (text[0], text[1:]) if text[:1] in ("[", "*") else ("", text)
    return (f"{{{start}}}" if start else "") + rest.translate(_LATEX)


def markdown_escaped(text: str) -> str:
    r"""Text as a cell of a Markdown table, in which it is neither HTML nor Markdown.

    >>> print(markdown_escaped("a|b <img src=x> [c](d)"))
    a\|b &lt;img src=x&gt; \[c\](d)
    """
    return shown(text).translate(_MARKDOWN)


def guarded(cell: Any) -> Any:
    """A cell of a CSV file that no spreadsheet takes for a formula: an apostrophe before what looks like one.

    >>> [guarded(x) for x in ("=1+1", "@bm25", "bm25", -0.5)]
    ["'=1+1", "'@bm25", 'bm25', -0.5]
    """
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell


def _undefined(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _finite(value: Any) -> Any:
    return str(value) if isinstance(value, float) and math.isinf(value) else value


def _plain(value: Any) -> Any:
    """Python's own number for numpy's."""
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value
