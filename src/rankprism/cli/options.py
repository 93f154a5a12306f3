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
from rankprism.foreign import message


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
    guarded_csv = "guarded-csv"
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
    guarded_csv = "guarded-csv"
    json = "json"
    latex = "latex"
    markdown = "markdown"


def _checked(output: Path | None) -> Path | None:
    """Refuse an output that cannot be written before any work is done."""
    if output is not None:
        from rankprism.formats.files import check_target

        check_target(output)
    return output


OutputFile = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="The file to write; - is standard output. Default: standard output.",
        callback=_checked,
        show_default=False,
    ),
]
FORMAT_HELP = (
    "How to write it. Default: what the ending of FILE says, else a table. guarded-csv is CSV in which a "
    "spreadsheet takes no text for a formula: an apostrophe stands before text that begins with = + - or @."
)
ResultFormatOption = Annotated[
    ResultFormat | None, typer.Option("--format", help=FORMAT_HELP, show_default=False)
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
    lines: dict[str, None] = {}  # each line once, in the order in which they came
    for warning in caught:
        is_note = issubclass(warning.category, RankprismWarning)
        if not (quiet and is_note):
            lines[f"{'note' if is_note else 'warning'}: {message(str(warning.message))}"] = None
    for line in lines:
        print(line, file=sys.stderr)


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


MeasureFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--measures",
        metavar="FILE",
        help="A file with measures of your own, TOML or Python; repeatable. A Python file is run as a "
        "program: load only files that you trust.",
        show_default=False,
    ),
]
