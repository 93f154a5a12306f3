"""Options that several commands share, and what they do while they work."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from rankprism.errors import RankprismWarning


class Topics(StrEnum):
    judged = "judged"
    retrieved = "retrieved"


class Order(StrEnum):
    score = "score"
    trec_eval = "trec_eval"
    score_ascending_id = "score-ascending-id"
    rank = "rank"
    input = "input"


class Duplicates(StrEnum):
    error = "error"
    first = "first"


class Format(StrEnum):
    table = "table"
    csv = "csv"
    json = "json"
    trec = "trec"


class QrelsFormat(StrEnum):
    diversity = "diversity"
    adhoc = "adhoc"
    prels = "prels"
    ntcir = "ntcir"
    evall = "evall"
    trec_dd = "trec-dd"
    trec_dd_max = "trec-dd-max"


class RunFormat(StrEnum):
    trec = "trec"
    evall = "evall"


class ResultFormat(StrEnum):
    table = "table"
    csv = "csv"
    json = "json"
    latex = "latex"
    markdown = "markdown"


OutputFile = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Where to write; standard output without it.",
        show_default=False,
    ),
]
ResultFormatOption = Annotated[
    ResultFormat | None,
    typer.Option(
        "--format", help="How to write it; by the ending of FILE, else a table.", show_default=False
    ),
]
Share: TypeAlias = Callable[[float], None]
Alpha = Annotated[float, typer.Option(help="What counts as significant.")]
Resamples = Annotated[int, typer.Option(min=1, help="How many resamples are drawn.")]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same result.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Do not print notes; JSON output still has them.")]
_ENDINGS = {".csv": "csv", ".json": "json", ".tex": "latex", ".md": "markdown", ".html": "html"}


def format_of(output: Path | None, chosen: StrEnum | None, among: type[StrEnum]) -> str:
    """The format asked for, or the one that the ending of the output says, or a table."""
    if chosen is not None:
        return chosen.value
    by_ending = _ENDINGS.get(output.suffix, "table") if output else "table"
    return by_ending if by_ending in [kind.value for kind in among] else "table"


@contextmanager
def noted(quiet: bool = False) -> Iterator[None]:
    """Notes as lines on standard error, each once, unless they are not wanted."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RankprismWarning)
        yield
    lines = [
        f"{'note' if issubclass(warning.category, RankprismWarning) else 'warning'}: {warning.message}"
        for warning in caught
        if not quiet or not issubclass(warning.category, RankprismWarning)
    ]
    for line in dict.fromkeys(lines):
        typer.echo(line, err=True)


@contextmanager
def reading(runs: int) -> Iterator[Callable[[str], None] | None]:
    """A bar on standard error, if there are many files and somebody to see it."""
    if runs < 10 or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("reading runs", total=runs)
        yield lambda name: progress.advance(task)


@contextmanager
def working(what: str) -> Iterator[Callable[[float], None]]:
    """A function to tell the share that is done; a bar shows it from the third second on."""
    if not sys.stderr.isatty():
        yield lambda share: None
        return
    import time

    from rich.console import Console
    from rich.progress import Progress

    began = time.monotonic()
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=1.0, visible=False)
        yield lambda share: progress.update(task, completed=share, visible=time.monotonic() - began > 2)
