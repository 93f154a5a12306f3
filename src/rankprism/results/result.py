"""Result: what an analysis returns. It has a table for people, rows for programs, and how it was computed."""

from __future__ import annotations

import io
import math
import re
import textwrap
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from rankprism.data.markup import (
    html_escaped,
    latex_escaped,
    markdown_escaped,
)
from rankprism.data.table import text_table
from rankprism.errors import InputError
from rankprism.foreign import shown
from rankprism.measures.display import latex_name, shown_name

UNDEFINED = "–"
_WIDTH = 100  # of a note below a table
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
    """Named columns of the same length. None and NaN are cells that are not defined.

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
    #: columns of p-values: one below the last digit is printed as <.0001
    probabilities: Collection[str] = ()
    #: the measures in the header and in the cells, which LaTeX and HTML print as papers do
    measures: Collection[str] = ()

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def _words(self, name: str) -> bool:
        return any(
            isinstance(x, str) or (isinstance(x, Cell) and x.mark is not None) for x in self.columns[name]
        )

    def _cells(self, printed: Callable[[Any, int], str]) -> list[list[str]]:
        columns = []
        for name, column in self.columns.items():
            digits = self.precision.get(name, self.digits)
            p = name in self.probabilities
            columns.append([printed(small_p(x, digits) if p else x, digits) for x in column])
        return [list(row) for row in zip(*columns, strict=True)]

    def cells(self) -> list[list[str]]:
        """The rows as people read them."""
        return self._cells(printed_cell)

    @property
    def has_best(self) -> bool:
        """Whether some cells are marked as the best of their columns."""
        return any(isinstance(x, Cell) and x.best for column in self.columns.values() for x in column)

    def text(self, bold: bool = False) -> str:
        """Aligned columns for a terminal. `bold`: show the best in bold."""
        left = 0
        for name in self.columns:
            if not self._words(name):
                break
            left += 1
        strong = [
            (row, place)
            for place, column in enumerate(self.columns.values())
            for row, x in enumerate(column)
            if bold and isinstance(x, Cell) and x.best
        ]
        return text_table(list(self.columns), self.cells(), left=max(1, left), bold=strong)

    def markdown(self) -> str:
        """A table in GitHub's Markdown, the best in bold."""

        def cell(x: Any, digits: int) -> str:
            text = markdown_escaped(printed_cell(x, digits))
            return f"**{text}**" if isinstance(x, Cell) and x.best else text

        lines = [list(map(markdown_escaped, self.columns)), *self._cells(cell)]
        out = ["| " + " | ".join(line) + " |" for line in lines]
        out.insert(1, "|" + "|".join(":---" if self._words(name) else "---:" for name in self.columns) + "|")
        return "\n".join(out)

    def latex(self) -> str:
        """A tabular with booktabs rules, the best in bold."""

        def cell(x: Any, digits: int) -> str:
            if not isinstance(x, Cell):
                return self._named(printed_cell(x, digits), latex_name, latex_escaped)
            text = latex_escaped(printed_cell(x._replace(mark=None), digits))
            mark = "".join(
                {"▲": r"\blacktriangle", "▼": r"\blacktriangledown"}.get(c, c) for c in x.mark or ""
            )
            return (rf"\textbf{{{text}}}" if x.best else text) + (f"$^{{{mark}}}$" if mark else "")

        align = "".join("l" if self._words(name) else "r" for name in self.columns)
        names = [self._named(name, latex_name, latex_escaped) for name in self.columns]
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
        """A table element, the best in bold."""

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

    def _named(self, text: str, measure: Callable[[str], str], other: Callable[[str], str]) -> str:
        """The text, in which the name of a measure is printed as in papers."""
        if text in self.measures:
            return measure(text)
        if text.startswith("Δ ") and text[2:] in self.measures:
            return other("Δ ") + measure(text[2:])
        return other(text)

    def csv(self, guard: bool = False, separator: str = ",", header: bool = True) -> str:
        """One line for each row, in full precision. `guard`: see `guarded`."""
        import csv

        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n", delimiter=separator)
        cell = guarded if guard else (lambda x: x)
        if header:
            writer.writerow(map(cell, self.columns))
        writer.writerows(
            ["" if _undefined(x) else cell(_plain(x)) for x in row]
            for row in zip(*self.columns.values(), strict=True)
        )
        return text.getvalue()

    def records(self) -> list[dict[str, Any]]:
        """One mapping for each row, of plain Python values."""
        return [
            {name: None if _undefined(x) else _plain(x) for name, x in zip(self.columns, row, strict=True)}
            for row in zip(*self.columns.values(), strict=True)
        ]

    def rounded(self, digits: int | None) -> Table:
        """The same table with numbers rounded to so many digits after the decimal point."""
        if digits is None:
            return self
        columns = {name: [_rounded(_plain(x), digits) for x in xs] for name, xs in self.columns.items()}
        return replace(self, columns=columns)


class Result(ABC):
    """What an analysis returns: a frozen value with the conventions under which it was computed."""

    #: what it was computed from and how: conventions, seed, resamples
    about: Mapping[str, Any]
    #: what its intervals claim: names in `rankprism.statistics.claims.CLAIMS`
    claims: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        """Freeze the arrays of a copy again, because numpy does not pickle the flag."""
        vars(self).update(state)
        Result.__post_init__(self)

    @property
    @abstractmethod
    def summary(self) -> Table:
        """The small table that people read."""

    @property
    def tables(self) -> tuple[Table, ...]:
        """The tables that people read, if one is not enough."""
        return (self.summary,)

    @property
    def note(self) -> str:
        """What a reader of the tables must know, such as what their marks mean. May have several lines."""
        return ""

    @property
    def rows(self) -> Table:
        """All numbers of the result, as rows for programs."""
        return self.summary

    def row_blocks(self) -> Iterator[Table]:
        """The same rows, some at a time. A result with millions of them does not make all at once."""
        yield self.rows

    @property
    def details(self) -> Table:
        """All rows as people read them."""
        return self.rows

    @property
    def details_note(self) -> str:
        """What a reader of `details` must know."""
        return ""

    def to_frame(self, backend: str | None = None) -> Any:
        """All rows as a frame of pandas, polars or pyarrow."""
        from rankprism.data.frames import make_frame

        return make_frame({name: list(map(_plain, x)) for name, x in self.rows.columns.items()}, backend)

    def to_csv(self, *, guard: bool = False, digits: int | None = None) -> str:
        """All rows as CSV.

        guard : put an apostrophe before text that a spreadsheet would take for a formula, because it begins
            with = + - or @. Numbers stay numbers.
        digits : round numbers to so many digits after the decimal point. Default: full precision.
        """
        return "".join(self.csv_pieces(guard=guard, digits=digits))

    def to_tsv(self, *, digits: int | None = None) -> str:
        """All rows with tabs between the columns."""
        return "".join(self.csv_pieces(digits=digits, separator="\t"))

    def csv_pieces(
        self, *, guard: bool = False, digits: int | None = None, separator: str = ","
    ) -> Iterator[str]:
        """What `to_csv` returns, piece by piece, for a file that need not be in memory as a whole."""
        for number, rows in enumerate(self.row_blocks()):
            yield rows.rounded(digits).csv(guard, separator, header=number == 0)

    def to_json(self, *, digits: int | None = None) -> str:
        """All rows as JSON, with the conventions."""
        import json

        from rankprism import __version__

        # JSON has no infinity; in CSV it is spelled the same.
        records = self.rows.rounded(digits).records()
        rows = [{k: _finite(v) for k, v in row.items()} for row in records]
        content = {"rankprism": __version__, "about": self.about, "rows": rows}
        return json.dumps(content, ensure_ascii=False, indent=1, default=_plain, allow_nan=False) + "\n"

    def to_parquet(self, *, digits: int | None = None) -> bytes:
        """All rows as a Parquet file, with the conventions as JSON in the metadata of its schema."""
        return b"".join(self.parquet_pieces(digits=digits))

    def parquet_pieces(self, *, digits: int | None = None) -> Iterator[bytes]:
        """What `to_parquet` returns, piece by piece: a group of rows in each."""
        import json

        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            raise InputError("parquet needs one more package: pip install 'rankprism[parquet]'") from None
        about = {"rankprism": json.dumps(self.about, ensure_ascii=False, default=_plain)}
        pieces = _Pieces()
        writer = None
        for rows in self.row_blocks():
            columns = _parquet_columns(rows.rounded(digits))
            if writer is None:
                # Where nothing is known yet, there may be numbers further down.
                fields = [
                    field.with_type(pyarrow.float64()) if pyarrow.types.is_null(field.type) else field
                    for field in pyarrow.table(columns).schema
                ]
                schema = pyarrow.schema(fields, about)
                writer = pyarrow.parquet.ParquetWriter(pieces, schema)
            writer.write_table(pyarrow.table(columns, schema=schema))
            yield pieces.taken()
        if writer is not None:
            writer.close()
        yield pieces.taken()

    def to_trec(self, *, digits: int | None = None) -> str:
        """Only scores can be written in the format of trec_eval."""
        raise InputError("only scores can be written as trec_eval prints them; choose another format")

    def to_text(self, *, digits: int | None = None, caption: str | None = None, bold: bool = False) -> str:
        """The tables for a terminal."""
        parts = [shown(caption, None)] if caption else []
        parts += [table.text(bold) for table in self._shown(digits)]
        lines = [shown(line, None) for line in self.note.splitlines()]
        parts += (
            ["\n".join(piece for line in lines for piece in textwrap.wrap(line, _WIDTH))] if lines else []
        )
        return "\n\n".join(parts) + "\n"

    def to_latex(
        self,
        *,
        digits: int | None = None,
        caption: str | None = None,
        label: str | None = None,
        columns: int | None = None,
    ) -> str:
        r"""The tables for a paper, which needs the packages booktabs and amssymb.

        caption : the caption. The result adds what a reader must know, such as which test was used.
        label : the label of the table for ``\ref``.
        columns : the number of page columns that the table spans: 1 (``table``) or 2 (``table*``). Default:
        1.
        """
        if columns not in (None, 1, 2):
            raise InputError(f"columns must be 1 or 2; got {columns!r}")
        if label is not None and not _is_label(label):
            raise InputError(f"the label {label!r} is none for LaTeX; use letters, digits and : - . _")
        packages = "% needs \\usepackage{booktabs,amssymb}"
        tabulars = "\n\n\\bigskip\n\n".join(table.latex() for table in self._shown(digits))
        words = self._caption(caption)
        if not (words or label or columns):
            return f"{packages}\n{tabulars}\n"
        kind = "table*" if columns == 2 else "table"
        lines = [packages, rf"\begin{{{kind}}}[ht]", r"\centering"]
        if words:
            lines.append(rf"\caption{{{latex_escaped(words, None)}}}")
        if label:
            lines.append(rf"\label{{{label}}}")
        return "\n".join([*lines, tabulars, rf"\end{{{kind}}}", ""])

    def to_markdown(self, *, digits: int | None = None, caption: str | None = None) -> str:
        """The tables in Markdown."""
        parts = [table.markdown() for table in self._shown(digits)]
        words = self._caption(caption)
        return "\n\n".join([*([markdown_escaped(words, None)] if words else []), *parts]) + "\n"

    def to_html(self, *, digits: int | None = None, caption: str | None = None) -> str:
        """The tables as an HTML page that needs no other files."""
        title = html_escaped(caption or _words(type(self).__name__))
        return (
            f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
            f"<style>\n{_STYLE}</style>\n</head>\n"
            f"<body>\n{self._tables_html(digits, caption)}\n</body>\n</html>\n"
        )

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return self._tables_html()

    def _tables_html(self, digits: int | None = None, caption: str | None = None) -> str:
        first, *others = self._shown(digits)
        return "\n".join([first.html(self._caption(caption)), *(table.html() for table in others)])

    def _shown(self, digits: int | None) -> list[Table]:
        """The tables with so many digits, and with the measures that they name."""
        measures = frozenset(getattr(self, "measures", ()))
        tables = [replace(table, measures=measures) for table in self.tables]
        return tables if digits is None else [replace(table, digits=digits) for table in tables]

    def _caption(self, caption: str | None) -> str:
        """The text above a table in a document: the caption, the note, and what bold means."""
        bold = any(table.has_best for table in self.tables)
        note = "; ".join(line for line in self.note.splitlines() if line)
        if caption and not caption.rstrip().endswith((".", "!", "?", ":")):
            caption = f"{caption.rstrip()}."
        parts = [caption or "", note, "The best scores are bold." if bold and (note or caption) else ""]
        return " ".join(part for part in parts if part)

    def __str__(self) -> str:
        return self.to_text().removesuffix("\n")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>\n{self}"


class Detailed(Result):
    """A result whose table for people shows all of its rows."""

    def __init__(self, result: Result) -> None:
        self.result = result
        self.about = result.about
        self.measures = getattr(result, "measures", ())

    @property
    def summary(self) -> Table:
        return self.result.details

    @property
    def note(self) -> str:
        return self.result.details_note

    @property
    def rows(self) -> Table:
        return self.result.rows


_STYLE = """\
body { font-family: sans-serif; margin: 2em; }
table { border-collapse: collapse; margin-bottom: 2em; font-variant-numeric: tabular-nums; }
caption { text-align: left; max-width: 50em; padding-bottom: 0.5em; }
th, td { padding: 0.2em 0.8em; }
thead { border-top: 2px solid; border-bottom: 1px solid; }
tbody { border-bottom: 2px solid; }
"""


class _Pieces(io.RawIOBase):
    """A file that is only written to, and whose bytes are taken away from time to time."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._taken = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._bytes += data
        return len(data)

    def tell(self) -> int:
        return self._taken + len(self._bytes)

    def taken(self) -> bytes:
        """What was written since the last call."""
        data = bytes(self._bytes)
        self._taken += len(data)
        self._bytes.clear()
        return data


def _parquet_columns(rows: Table) -> dict[str, list[Any]]:
    """The columns, each with values of one type."""
    columns = {
        name: [None if _undefined(x) else _plain(x) for x in column] for name, column in rows.columns.items()
    }
    for name, column in columns.items():
        if any(isinstance(x, str) for x in column):
            columns[name] = [None if x is None else str(x) for x in column]
    return columns


def printed_cell(value: Any, digits: int = 4) -> str:
    """A value as people read it.

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


def small_p(value: Any, digits: int) -> Any:
    """A p-value, or in words that it is smaller than the last digit shows.

    >>> small_p(0.00004, 4), small_p(0.04, 4), small_p(0.0, 2)
    ('<.0001', 0.04, '<.01')
    """
    if _undefined(value) or digits < 1 or value >= 10**-digits:
        return value
    return f"<.{1:0{digits}d}"


def _is_label(text: str) -> bool:
    return (
        text.isascii() and text.replace(":", "").replace("-", "").replace(".", "").replace("_", "").isalnum()
    )


def guarded(cell: Any) -> Any:
    """A cell of a CSV file that no spreadsheet takes for a formula: an apostrophe before what looks like one.

    >>> [guarded(x) for x in ("=1+1", "@bm25", "bm25", -0.5)]
    ["'=1+1", "'@bm25", 'bm25', -0.5]
    """
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell


def _words(name: str) -> str:
    """The name of a class in words.

    >>> _words("DiscriminativePower")
    'Discriminative power'
    """
    return re.sub(r"\B[A-Z]", lambda letter: f" {letter[0].lower()}", name)


def _undefined(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _rounded(value: Any, digits: int) -> Any:
    return round(value, digits) if isinstance(value, float) and math.isfinite(value) else value


def _finite(value: Any) -> Any:
    return str(value) if isinstance(value, float) and math.isinf(value) else value


def _plain(value: Any) -> Any:
    """A Python number instead of a numpy number."""
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value


def _html_name(measure: str) -> str:
    return html_escaped(shown_name(measure))
