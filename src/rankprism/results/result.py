"""Result: what an analysis returns. It has a table for people, rows for programs, and its conventions.

Every analysis returns a `Result`, which is a frozen dataclass. It has a small table for people
(`summary`), remarks that a reader of the table must know (`note`), all rows for programs (`rows`), and a
record of how the result was computed (`about`: the seed, the number of resamples, the conventions of the
scores). `Scores` is also a result. Every output format is one record in `results/outputs.py`, with its
function, its file endings, and whether people read it. It is written once and works for all results. CSV,
TSV and Parquet are written piece by piece: `Scores` makes the rows of a few topics at a time, so that a
million topics need not be in memory as text. `results/table.py` prints a table in each markup, and
`markup.py` escapes foreign text in it.

A chart is a function with the decorator `chart` (`plots/record.py`), which says which command draws it.
The package finds the functions in the modules of `plots/`. The commands of `rankprism plot`, the option
`--plot` of other commands, the methods of `scores.plot`, `rankprism.plots.__all__` and the table in
plots.md are made from these records. Altair is loaded only when a chart is drawn, so listing the charts
is fast. `plots/notebook.py` lets a notebook show a chart as a picture. The chart still has Altair's
class, but the package replaces one of its methods.

`scores.plot` is the only attribute that leads upwards, from `results` to `plots`. `Scores` gets it from
the package itself, which loads its rooms on first use, so the module of `Scores` imports nothing from
above. The gallery (gallery.md) is Python code in blocks called `{chart}`, which `docs/_ext/gallery.py`
runs when the site is built.
"""

from __future__ import annotations

import math
import re
import textwrap
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from rankprism.errors import InputError
from rankprism.measures import shown_name
from rankprism.results.direction import lower_names
from rankprism.results.record import JSON, Record, mixed_sentence
from rankprism.results.table import Table, plain
from rankprism.text import html_escaped, latex_escaped, markdown_escaped, shown

_WIDTH = 100  # characters in a line of a note below a table


class Result(ABC):
    """What an analysis returns: a frozen value with the conventions under which it was computed."""

    #: what it was computed from and how: conventions, seed, resamples
    about: Mapping[str, Any]
    #: what its intervals claim: names in `rankprism.statistics.claims.CLAIMS`
    claims: ClassVar[tuple[str, ...]] = ()
    #: the record of scores, which is stored with them
    record: Record | None = None

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
    def lower_is_better(self) -> frozenset[str]:
        """The measures by which a lower score is better."""
        return lower_names(self.about)

    @property
    def note(self) -> str:
        """What a reader of the tables must know, such as what their marks mean. May have several lines."""
        return ""

    @property
    def rows(self) -> Table:
        """All numbers of the result, as rows for programs."""
        return self.summary

    def row_blocks(self) -> Iterator[Table]:
        """Yield the same rows in blocks, so that millions of rows are not all in memory at once."""
        yield self.rows

    @property
    def details(self) -> Table:
        """All rows as people read them."""
        return self.rows

    @property
    def details_note(self) -> str:
        """What a reader of `details` must know."""
        return ""

    @property
    def charted(self) -> Result:
        """The result that a chart of this one shows, if this is only another view of it."""
        return self

    def to_frame(self, backend: str | None = None) -> Any:
        """All rows as a frame of pandas, polars or pyarrow."""
        from rankprism.data import make_frame

        return make_frame({name: list(map(plain, x)) for name, x in self.rows.columns.items()}, backend)

    def to_csv(self, *, guard: bool = False, digits: int | None = None) -> str:
        """All rows as CSV.

        Parameters
        ----------
        guard
            Put an apostrophe before text that a spreadsheet would take for a formula, because it begins
            with = + - or @. Numbers stay numbers.
        digits
            Number of digits after the decimal point. Default: full precision.
        """
        return "".join(self.csv_pieces(guard=guard, digits=digits))

    def to_tsv(self, *, digits: int | None = None) -> str:
        """All rows with tabs between the columns."""
        return "".join(self.csv_pieces(digits=digits, separator="\t"))

    def csv_pieces(
        self, *, guard: bool = False, digits: int | None = None, separator: str = ","
    ) -> Iterator[str]:
        """Yield the text of `to_csv` piece by piece, so that it need not be in memory as a whole."""
        for number, rows in enumerate(self.row_blocks()):
            yield self._rounded(rows, digits).csv(guard, separator, header=number == 0)

    def to_json(self, *, digits: int | None = None) -> str:
        """All rows as JSON, with the conventions. `rankprism schema` prints the schema."""
        import json

        from rankprism import __version__
        from rankprism.results.schemas import VERSION

        # JSON has no infinity; in CSV it is spelled the same.
        records = self._rounded(self.rows, digits).records()
        rows = [{k: _finite(v) for k, v in row.items()} for row in records]
        recorded = {} if self.record is None else {JSON: self.record.to_dict()}
        content = {
            "rankprism": __version__,
            "schema": VERSION,
            "about": self.about,
            **recorded,
            "rows": rows,
        }
        return json.dumps(content, ensure_ascii=False, indent=1, default=plain, allow_nan=False) + "\n"

    def to_parquet(self, *, digits: int | None = None) -> bytes:
        """All rows as a Parquet file, with the conventions as JSON in the metadata of its schema."""
        return b"".join(self.parquet_pieces(digits=digits))

    def parquet_pieces(self, *, digits: int | None = None) -> Iterator[bytes]:
        """Yield the bytes of `to_parquet` piece by piece, a group of rows at a time."""
        from rankprism.results.parquet import parquet_pieces

        blocks = (self._rounded(rows, digits) for rows in self.row_blocks())
        return parquet_pieces(blocks, self.about, self.record)

    def _rounded(self, rows: Table, digits: int | None) -> Table:
        """Rows with numbers of this many digits."""
        return rows.rounded(digits)

    def to_trec(self, *, digits: int | None = None) -> str:
        """Refuse, because only scores can be written in the format of trec_eval."""
        raise InputError("only scores can be written as trec_eval prints them; choose another format")

    def to_text(
        self,
        *,
        digits: int | None = None,
        caption: str | None = None,
        bold: bool = False,
        width: int | None = None,
    ) -> str:
        """The tables for a terminal.

        Parameters
        ----------
        bold
            Show the best cells in bold.
        width
            The width of the terminal in characters. A wider table is printed in several blocks of columns.
            Default: as wide as it gets.
        """
        parts = [shown(caption, None)] if caption else []
        parts += [table.text(bold, width) for table in self._shown(digits)]
        lines = [shown(line, None) for line in (mixed_sentence(self.about), *self.note.splitlines())]
        parts += (
            [
                "\n".join(
                    piece for line in lines for piece in textwrap.wrap(line, min(width or _WIDTH, _WIDTH))
                )
            ]
            if any(lines)
            else []
        )
        return "\n\n".join(parts) + "\n"

    def to_latex(
        self,
        *,
        digits: int | None = None,
        caption: str | None = None,
        label: str | None = None,
        page_columns: int | None = None,
    ) -> str:
        r"""The tables for a paper, which needs the packages booktabs and amssymb.

        Parameters
        ----------
        caption
            The caption. The result adds what a reader must know, such as which test was used.
        label
            The label of the table for ``\ref``.
        page_columns
            The number of page columns that the table spans: 1 (``table``) or 2 (``table*``). Default: 1.
        """
        if page_columns not in (None, 1, 2):
            raise InputError(f"page_columns must be 1 or 2; got {page_columns!r}")
        if label is not None and not _is_label(label):
            raise InputError(f"LaTeX does not accept the label {label!r}; use letters, digits and : - . _")
        packages = "% needs \\usepackage{booktabs,amssymb}"
        tabulars = "\n\n\\bigskip\n\n".join(table.latex() for table in self._shown(digits))
        words = self._caption(caption, as_papers_do=True)
        if not (words or label or page_columns):
            return f"{packages}\n{tabulars}\n"
        kind = "table*" if page_columns == 2 else "table"
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
        """What a notebook shows. A wide table scrolls in its own place."""
        return f'<div style="overflow-x: auto">\n{self._tables_html()}\n</div>'

    def _tables_html(self, digits: int | None = None, caption: str | None = None) -> str:
        first, *others = self._shown(digits)
        return "\n".join(
            [first.html(self._caption(caption, as_papers_do=True)), *(table.html() for table in others)]
        )

    def _shown(self, digits: int | None) -> list[Table]:
        """The tables with this number of digits, and with the measures that they name."""
        measures = frozenset(getattr(self, "measures", ()))
        lower = self.lower_is_better & measures
        tables = [replace(table, measures=measures, lower=lower) for table in self.tables]
        return tables if digits is None else [replace(table, digits=digits) for table in tables]

    def _caption(self, caption: str | None, as_papers_do: bool = False) -> str:
        """The text above a table in a document: the caption, the note, and what bold means.

        as_papers_do : print the names of measures in the note as the table does.
        """
        bold = any(table.has_best for table in self.tables)
        note = "; ".join(line for line in self.note.splitlines() if line).replace(".; ", ". ")
        if as_papers_do:
            # Longer names first, because P@10 is part of RBP@10.
            for measure in sorted(map(str, getattr(self, "measures", ())), key=len, reverse=True):
                note = note.replace(measure, shown_name(measure))
        if caption and not caption.rstrip().endswith((".", "!", "?", ":")):
            caption = f"{caption.rstrip()}."
        parts = [
            caption or "",
            mixed_sentence(self.about),
            note,
            "The best scores are bold." if bold and (note or caption) else "",
        ]
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

    def row_blocks(self) -> Iterator[Table]:
        return self.result.row_blocks()

    @property
    def charted(self) -> Result:
        return self.result


_STYLE = """\
body { font-family: sans-serif; margin: 2em; }
table { border-collapse: collapse; margin-bottom: 2em; font-variant-numeric: tabular-nums; }
caption { text-align: left; max-width: 50em; padding-bottom: 0.5em; }
th, td { padding: 0.2em 0.8em; }
thead { border-top: 2px solid; border-bottom: 1px solid; }
tbody { border-bottom: 2px solid; }
"""


def _is_label(text: str) -> bool:
    return (
        text.isascii() and text.replace(":", "").replace("-", "").replace(".", "").replace("_", "").isalnum()
    )


def _words(name: str) -> str:
    """The name of a class in words.

    >>> _words("DiscriminativePower")
    'Discriminative power'
    """
    return re.sub(r"\B[A-Z]", lambda letter: f" {letter[0].lower()}", name)


def _finite(value: Any) -> Any:
    return str(value) if isinstance(value, float) and math.isinf(value) else value
