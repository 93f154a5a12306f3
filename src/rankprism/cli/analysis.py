"""The parts that all commands of an analysis share: they read scores, write the result, and may draw it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from rankprism.cli.collection import options_of, read_source, with_options
from rankprism.cli.options import (
    Caption,
    Digits,
    Label,
    OutputFile,
    PageColumns,
    Quiet,
    ResultFormatOption,
    noted,
    working,
)
from rankprism.errors import InputError
from rankprism.results.outputs import Style, check_style, output_format
from rankprism.results.result import Detailed, Result

PlotFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Also draw the result to this file, which ends in .html, .svg, .png or .pdf. - writes SVG to "
        "standard output; then name a file for the result with -o.",
        show_default=False,
    ),
]


ChartTitle = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="Title of the chart. '' leaves the title out. Default: a title that describes the chart.",
        show_default=False,
    ),
]
_PIXELS = "of the plotting area in pixels, for all panels together. Default: chosen for each chart."
ChartWidth = Annotated[
    int | None, typer.Option(metavar="PIXELS", help=f"Width {_PIXELS}", show_default=False)
]
ChartHeight = Annotated[
    int | None, typer.Option(metavar="PIXELS", help=f"Height {_PIXELS}", show_default=False)
]


def check_plot(
    plot: Path | None,
    output: Path | None,
    title: str | None = None,
    width: int | None = None,
    height: int | None = None,
) -> None:
    """Refuse a drawing that cannot be made or written before any work is done."""
    from rankprism.plots import check_ending, check_size

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
        from rankprism.plots import draw, save

        save(draw(_whole(result), title=title, width=width, height=height), plot)


def _whole(result: Result) -> Result:
    """The result that a chart shows, if the command prints only one of its tables."""
    from rankprism.comparison import TopicDifferences

    if isinstance(result, TopicDifferences):
        return result.comparison
    return result.result if isinstance(result, Detailed) else result


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

    kind = output_format(output, format)
    write_in(result, kind, output, Style(digits, caption, label, columns))


def check_output(
    format: str | None = None,
    output: Path | None = None,
    caption: str | None = None,
    label: str | None = None,
    columns: int | None = None,
    **_: object,
) -> str:
    """The output format. Options that it does not have are refused before any work is done."""
    kind = output_format(output, format)
    check_style(kind, Style(None, caption, label, columns))
    return kind


def note_options(quiet: Quiet = False) -> None:
    """The option that every command with notes has."""


def analysis(what: str) -> Callable[[Callable[..., Result]], Callable[..., None]]:
    """Turn a function of a `Source` and options of its own into a command.

    The command has the options of `read_source`, those of the function itself, and those of `write_result`.
    If the result has a chart, it also has the options of `draw_result`. The function may take `on_share`, and
    calls it with the share of the work that is done. `what` is the word beside the progress bar.
    """

    def decorate(function: Callable[..., Result]) -> Callable[..., None]:
        from rankprism.plots import CHARTS

        drawn = any(chart.command == _command_of(function) for chart in CHARTS.values())
        steps: list[Callable[..., Any]] = [
            read_source,
            function,
            *([draw_result] if drawn else []),
            write_result,
            note_options,
        ]
        options = {step: options_of(step) for step in steps}

        def command(**given: Any) -> None:
            def of(step: Callable[..., Any]) -> dict[str, Any]:
                return {name: given[name] for name in options[step]}

            if drawn:
                check_plot(output=given["output"], **of(draw_result))
                if given["plot"] and given.get("differences"):
                    raise InputError("--plot draws the figures of the measures; leave out --differences")
            check_output(**of(write_result))
            with noted(given["quiet"]):
                compared = {"baseline": given["baseline"]} if "baseline" in given else {}
                source = read_source(**of(read_source), **compared)
                with working(what) as on_share:
                    progress = (
                        {"on_share": on_share} if "on_share" in inspect.signature(function).parameters else {}
                    )
                    result = function(source, **of(function), **progress)
            write_result(result, **of(write_result))
            if drawn:
                draw_result(result, **of(draw_result))

        every = {name: option for step in steps for name, option in options[step].items()}
        return as_command(command, function, every)

    return decorate


def _command_of(function: Callable[..., Any]) -> str:
    """The name of the command of a function, e.g. "meta power" for `power` in rankprism.cli.meta."""
    group = function.__module__.rpartition(".")[2]
    return group if function.__name__ == group else f"{group} {function.__name__.replace('_', '-')}"


def as_command(
    command: Callable[..., None], function: Callable[..., Any], options: Mapping[str, inspect.Parameter]
) -> Callable[..., None]:
    """Give a command the name and docstring of a function, and the options, so that Typer can read them."""
    command.__doc__, command.__name__ = function.__doc__, function.__name__
    return with_options(command, options)
