"""The formats in which scores and results are written. Each format is one record."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import PurePath
from typing import TYPE_CHECKING

from rankprism.errors import InputError, RankprismError, install, one_of

if TYPE_CHECKING:
    from rankprism.results.result import Result


@dataclass(frozen=True)
class Style:
    """How an output looks. None leaves the choice to the result."""

    digits: int | None = None  #: digits after the decimal point
    caption: str | None = None  #: caption of the table
    label: str | None = None  #: label of the table for references (LaTeX)
    page_columns: int | None = None  #: columns of the page that the table spans, 1 or 2 (LaTeX)
    bold: bool = False  #: whether a terminal shows the best scores in bold
    width: int | None = None  #: characters in a line of the terminal


@dataclass(frozen=True)
class Output:
    """One format."""

    write: Callable[[Result, Style], str | bytes]
    #: file endings for this format
    endings: tuple[str, ...] = ()
    #: the fields of a `Style` that the format supports, besides digits
    takes: tuple[str, ...] = ()
    #: whether people read the format; it then has the summary instead of all rows
    for_people: bool = False
    binary: bool = False
    #: whether only scores can be written in this format
    only_scores: bool = False
    #: the package that writes the format, and the extra that installs it
    needs: tuple[str, str] | None = None
    #: the same as `write`, piece by piece, for results of many rows
    pieces: Callable[[Result, Style], Iterator[str | bytes]] | None = None


#: Every format by name.
OUTPUTS: dict[str, Output] = {
    "table": Output(
        lambda result, style: result.to_text(
            digits=style.digits, caption=style.caption, bold=style.bold, width=style.width
        ),
        (".txt",),
        ("caption",),
        for_people=True,
    ),
    "csv": Output(
        lambda result, style: result.to_csv(digits=style.digits),
        (".csv",),
        pieces=lambda result, style: result.csv_pieces(digits=style.digits),
    ),
    "guarded-csv": Output(
        lambda result, style: result.to_csv(guard=True, digits=style.digits),
        pieces=lambda result, style: result.csv_pieces(guard=True, digits=style.digits),
    ),
    "tsv": Output(
        lambda result, style: result.to_tsv(digits=style.digits),
        (".tsv",),
        pieces=lambda result, style: result.csv_pieces(digits=style.digits, separator="\t"),
    ),
    "json": Output(lambda result, style: result.to_json(digits=style.digits), (".json",)),
    "latex": Output(
        lambda result, style: result.to_latex(
            digits=style.digits, caption=style.caption, label=style.label, page_columns=style.page_columns
        ),
        (".tex",),
        ("caption", "label", "page_columns"),
        for_people=True,
    ),
    "markdown": Output(
        lambda result, style: result.to_markdown(digits=style.digits, caption=style.caption),
        (".md",),
        ("caption",),
        for_people=True,
    ),
    "html": Output(
        lambda result, style: result.to_html(digits=style.digits, caption=style.caption),
        (".html", ".htm"),
        ("caption",),
        for_people=True,
    ),
    "parquet": Output(
        lambda result, style: result.to_parquet(digits=style.digits),
        (".parquet",),
        binary=True,
        needs=("pyarrow", "parquet"),
        pieces=lambda result, style: result.parquet_pieces(digits=style.digits),
    ),
    "trec": Output(lambda result, style: result.to_trec(digits=style.digits), only_scores=True),
}
#: The names of the formats for scores, and for every other result.
SCORE_FORMATS = tuple(OUTPUTS)
RESULT_FORMATS = tuple(name for name, output in OUTPUTS.items() if not output.only_scores)
#: Endings of binary files that no format here can write.
_OTHER_BINARY = (".xlsx", ".xls", ".ods", ".pdf", ".png", ".docx")
_PACKED = (".gz", ".bz2", ".xz", ".zst")


def output_format(
    path: str | os.PathLike[str] | None, chosen: str | None = None, *, scores: bool = False
) -> str:
    """Return the name of the format for a file: the chosen one, or the one that its ending indicates.

    The default for a file without an ending, a stream or a device is a table. An unknown ending is refused,
    because no program could open a text table called ``scores.xlsx``.

    scores : whether scores are written, for which the trec_eval format is available, too.

    >>> [output_format(path) for path in ("scores.csv.gz", "main.tex", "-", None)]
    ['csv', 'latex', 'table', 'table']
    >>> output_format("scores.dat", "csv")
    'csv'
    """
    ending = _ending(path)
    known = {end: name for name, output in OUTPUTS.items() for end in output.endings}
    kind = chosen or known.get(ending, "" if ending else "table")
    if not kind or (chosen and ending in _OTHER_BINARY):
        endings = ", ".join(sorted(known))
        hint = "; spreadsheets open .csv" if ending in (".xlsx", ".xls", ".ods") else ""
        raise InputError(
            f"{path}: there is no format for the ending {ending}; use one of {endings}{hint}"
            + ("" if chosen or ending in _OTHER_BINARY else ", or name the format (--format)")
        )
    one_of("format", kind, SCORE_FORMATS if scores else RESULT_FORMATS)
    said = known.get(ending, kind)
    if OUTPUTS[kind].binary != OUTPUTS[said].binary:
        raise InputError(f"{path}: the ending means {said}, but the format is {kind}; change one of them")
    needs = OUTPUTS[kind].needs
    if needs is not None and find_spec(needs[0]) is None:
        raise RankprismError(f"{kind} needs one more package: {install(needs[1])}")
    return kind


def check_style(kind: str, style: Style) -> None:
    """Refuse a style that the format does not support."""
    for name, what in (("caption", "a caption"), ("label", "a label"), ("page_columns", "columns of a page")):
        if getattr(style, name) is not None and name not in OUTPUTS[kind].takes:
            able = " or ".join(other for other, output in OUTPUTS.items() if name in output.takes)
            raise InputError(
                f"{kind} does not support {what}; leave out --{name.replace('_', '-')}, or write {able}"
            )


def written(result: Result, kind: str, style: Style | None = None) -> str | bytes:
    """Return a result in one of the formats."""
    style = style or Style()
    check_style(kind, style)
    return OUTPUTS[kind].write(result, style)


def streamed(result: Result, kind: str, style: Style | None = None) -> Iterator[str | bytes]:
    """Yield the same piece by piece, if the format allows it, so that it need not be in memory as a whole."""
    style = style or Style()
    check_style(kind, style)
    pieces = OUTPUTS[kind].pieces
    return iter([OUTPUTS[kind].write(result, style)]) if pieces is None else pieces(result, style)


def _ending(path: str | os.PathLike[str] | None) -> str:
    if path is None or os.fspath(path) == "-" or (os.path.exists(path) and not os.path.isfile(path)):
        return ""  # a stream, device or pipe, whatever its name is
    suffixes = [suffix.lower() for suffix in PurePath(path).suffixes]
    while suffixes and suffixes[-1] in _PACKED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""
