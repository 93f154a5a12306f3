"""Options that several commands share, and what they do while they work."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from rankprism.data.outputs import RESULT_FORMATS, SCORE_FORMATS
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


if TYPE_CHECKING:
    ResultFormat: TypeAlias = StrEnum
    ScoreFormat: TypeAlias = StrEnum
else:
    ResultFormat = StrEnum("ResultFormat", {name: name for name in RESULT_FORMATS})
    ScoreFormat = StrEnum("ScoreFormat", {name: name for name in SCORE_FORMATS})


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
    "How to write it. Default: what the ending of FILE says, or a table if it has none. guarded-csv is CSV "
    "in which a spreadsheet takes no text for a formula: an apostrophe stands before text that begins with "
    "= + - or @."
)
ResultFormatOption = Annotated[
    ResultFormat | None, typer.Option("--format", help=FORMAT_HELP, show_default=False)
]
ScoreFormatOption = Annotated[
    ScoreFormat | None, typer.Option("--format", help=FORMAT_HELP, show_default=False)
]
Digits = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=15,
        help="Digits after the decimal point. Default: 4 for people, and all of them for programs.",
        show_default=False,
    ),
]
Caption = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="Words above the table. What the result says itself, such as the test, follows them.",
        show_default=False,
    ),
]
Label = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help=r"What \ref calls the table in LaTeX, e.g. tab:main.", show_default=False
    ),
]
PageColumns = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=2,
        help="Columns of the page that the LaTeX table spans: 1 is table, 2 is table*. Default: 1.",
        show_default=False,
    ),
]
Sort = Annotated[
    str | None,
    typer.Option(
        metavar="MEASURE",
        help="Sort the runs by their means, the best first; or by name: --sort run. Default: as given.",
        show_default=False,
    ),
]
Share: TypeAlias = Callable[[float], None]
Alpha = Annotated[float, typer.Option(help="What counts as significant.")]
Resamples = Annotated[int, typer.Option(min=1, help="How many resamples are drawn.")]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same result.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Do not print notes; JSON output still has them.")]


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
