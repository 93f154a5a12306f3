"""What all commands that analyse scores share: they read scores, write the result, and may draw it."""

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
        help="Also draw it: a file ending in .html, .svg, .png or .pdf. - is SVG on standard output; then -o "
        "names the file for the result.",
        show_default=False,
    ),
]


ChartTitle = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="Title of the chart. '' leaves the title out. Default: the chart has one of its own.",
        show_default=False,
    ),
]
_PIXELS = "of the chart's plotting area in pixels, all panels together. Default: what suits the chart."
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
    """Draw a result, if that is wanted."""
    if plot is not None:
        from rankprism.plots import draw, save

        save(draw(_whole(result), title=title, width=width, height=height), plot)


def _whole(result: Result) -> Result:
    """What a chart is drawn of, where another table of it is to be printed."""
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
    """Write a result where and how it is wanted."""
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
    """The format to write; what cannot be written so is refused before any work is done."""
    kind = output_format(output, format)
    check_style(kind, Style(None, caption, label, columns))
    return kind


def note_options(quiet: Quiet = False) -> None:
    """The option that every command with notes has."""


def analysis(what: str) -> Callable[[Callable[..., Result]], Callable[..., None]]:
    """Turn a function of a `Source` and options of its own into a command.

    The command's options are those of `read_source`, the function's own, and those of where to write the
    result; if there is a chart of the result, also those of how to draw it. The function may take `on_share`,
    to which it tells the share of the work that is done; `what` is the word on the bar.
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
    """The words that call a command: of `power` in rankprism.cli.meta, "meta power"."""
    group = function.__module__.rpartition(".")[2]
    return group if function.__name__ == group else f"{group} {function.__name__.replace('_', '-')}"


def as_command(
    command: Callable[..., None], function: Callable[..., Any], options: Mapping[str, inspect.Parameter]
) -> Callable[..., None]:
    """Give a command of any keywords the name and text of a function, and its options, for Typer to read."""
    command.__doc__, command.__name__ = function.__doc__, function.__name__
    return with_options(command, options)
