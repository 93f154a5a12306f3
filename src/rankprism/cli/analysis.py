"""The parts that all commands of an analysis share: they read scores, write the result, and may draw it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from rankprism.cli.options import (
    Caption,
    Digits,
    Label,
    OutputFile,
    PageColumns,
    Quiet,
    ResultFormatOption,
    Strict,
    noted,
    working,
)
from rankprism.cli.scores import read_source
from rankprism.cli.signature import Command, derived, function_at, given_to, options_of, without
from rankprism.errors import InputError

if TYPE_CHECKING:
    from rankprism.results import Result

PlotFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Also draw the result to this file, which ends in .html, .svg, .png or .pdf. - writes SVG to "
        "standard output; then name a file for the result with -o.",
    ),
]


ChartTitle = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="Title of the chart. '' leaves the title out. Default: a title that describes the chart.",
    ),
]
_PIXELS = (
    "of the whole picture in pixels, with labels, legends and titles. In a PDF, 72 pixels are an inch. "
    "Default: chosen for each chart."
)
ChartWidth = Annotated[int | None, typer.Option(metavar="PIXELS", help=f"Width {_PIXELS}")]
ChartHeight = Annotated[int | None, typer.Option(metavar="PIXELS", help=f"Height {_PIXELS}")]


def check_plot(
    plot: Path | None,
    output: Path | None,
    title: str | None = None,
    width: int | None = None,
    height: int | None = None,
) -> None:
    """Refuse a drawing that cannot be made or written before any work is done."""
    from rankprism.showing.plots import check_ending, check_size

    if plot is None:
        for option, given in (("--title", title), ("--width", width), ("--height", height)):
            if given is not None:
                raise InputError(f"{option} is for the chart; name a file for it with --plot")
        return
    check_ending(plot)
    check_size(width, height)
    if str(plot) == "-" and str(output or "-") == "-":
        raise InputError("the result and its drawing cannot both go to standard output; name a file with -o")


def draw_result(
    result: Result,
    plot: PlotFile = None,
    title: ChartTitle = None,
    width: ChartWidth = None,
    height: ChartHeight = None,
) -> None:
    """Draw a result if the option --plot was given."""
    if plot is not None:
        from rankprism.showing.plots import draw, save

        with working("drawing"):
            save(draw(result.charted, title=title, width=width, height=height), plot)


def write_result(
    result: Result,
    format: ResultFormatOption = None,
    output: OutputFile = None,
    digits: Digits = None,
    caption: Caption = None,
    label: Label = None,
    columns: PageColumns = None,
) -> None:
    """Write a result in the format and to the file that the options name."""
    from rankprism.cli.output import write_in
    from rankprism.results import Style, output_format

    kind = output_format(output, format)
    write_in(result, kind, output, Style(digits, caption, label, columns))


def write_text(text: str, output: OutputFile = None) -> None:
    """Write a text to the file that the option names."""
    from rankprism.cli.output import write

    write(text, output)


def check_output(
    format: str | None = None,
    output: Path | None = None,
    caption: str | None = None,
    label: str | None = None,
    columns: int | None = None,
    **_: object,
) -> str:
    """The output format. Options that it does not have are refused before any work is done."""
    from rankprism.results import Style, check_style, output_format

    kind = output_format(output, format)
    check_style(kind, Style(None, caption, label, columns))
    return kind


def note_options(quiet: Quiet = False, strict: Strict = False) -> None:
    """The options that every command with notes has."""


#: The function that a command calls, with the options that are its own.
Call: TypeAlias = "partial[Any]"


def command(
    where: str,
    what: str = "computing",
    *,
    reads: Callable[..., Any] | None = read_source,
    named: str = "",
    leaves: tuple[str, ...] = (),
    finish: Callable[..., None] | None = None,
    writes: Callable[..., None] = write_result,
    exits: Callable[[Any], int] | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., None]]:
    """Turn a function into a command, which has the options of what it reads, calls, draws and writes.

    The function takes what was read, a `Call` and options of its own, and returns the result to write. Its
    docstring is the help of the command. If the result has a chart, the command can draw it.

    Parameters
    ----------
    where
        The function that the command calls, such as "meta:power". Its parameters are options of the command.
    what
        The word beside the progress bar.
    reads
        Reads what the command works on. Its parameters are options of the command.
    named
        The name of the command, if it is not that of its module and function.
    leaves
        Parameters of the called function that are not options.
    finish
        Called with the result and options of its own before the result is written.
    writes
        Writes the result. Its parameters are options of the command.
    exits
        Returns the exit code for a result. Default: 0.
    """

    def decorate(body: Callable[..., Any]) -> Callable[..., None]:
        def called() -> dict[str, inspect.Parameter]:
            return without(derived(where), *leaves, *inspect.signature(body).parameters)

        def options() -> dict[str, inspect.Parameter]:
            from rankprism.showing.plots import CHARTS

            own = options_of(body)
            found = {} if reads is None else without(options_of(reads), *own)
            found |= called() | own
            drawn = any(chart.command == (named or _command_of(body)) for chart in CHARTS.values())
            for step in (finish, draw_result if drawn else None, writes, note_options):
                found |= {} if step is None else without(options_of(step), *found)
            return found

        def run(**given: Any) -> None:
            own = options_of(body)
            if "plot" in given:
                check_plot(output=given["output"], **given_to(draw_result, given))
                other = [name for name in ("differences", "per_topic") if given["plot"] and given.get(name)]
                if other:
                    raise InputError(
                        "--plot draws the figures of the measures; leave out --" + other[0].replace("_", "-")
                    )
            if "format" in options_of(writes):
                check_output(**given_to(write_result, given))
            with noted(**given_to(note_options, given)), working("reading"):
                compared = {"baseline": given["baseline"]} if "baseline" in own else {}
                read = [] if reads is None else [reads(**given_to(reads, given), **compared)]
                function = function_at(where)
                with working(what) as on_share:
                    chosen = {name: given[name] for name in called()}
                    if "on_share" in inspect.signature(function).parameters:
                        chosen["on_share"] = on_share
                    result = body(*read, partial(function, **chosen), **{name: given[name] for name in own})
            with noted(given["quiet"]):
                for step in (finish, writes, draw_result if "plot" in given else None):
                    if step is not None:
                        step(result, **given_to(step, given))
            if exits is not None:
                raise typer.Exit(exits(result))

        return Command(run, body, options)

    return decorate


def _command_of(function: Callable[..., Any]) -> str:
    """The name of the command of a function, e.g. "meta power" for `power` in rankprism.cli.meta."""
    group = function.__module__.rpartition(".")[2]
    return group if function.__name__ == group else f"{group} {function.__name__.replace('_', '-')}"
