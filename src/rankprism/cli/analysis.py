"""What all commands that analyse scores share: where the scores come from, and where the result goes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from rankprism.cli.options import (
    Duplicates,
    Order,
    OutputFile,
    Quiet,
    ResultFormat,
    ResultFormatOption,
    format_of,
    noted,
    reading,
    working,
)
from rankprism.data.result import FORMATS, Detailed, Result
from rankprism.errors import InputError, MeasureError

if TYPE_CHECKING:
    from rankprism.data.scores import Scores


@dataclass(frozen=True, eq=False)
class Source:
    """Scores, and what they were computed from, if that was done here."""

    scores: Scores
    judgments: Any = None
    #: how to find the ranked lists again
    lists: Mapping[str, Any] = field(default_factory=dict)


def read_source(
    files: Annotated[
        list[str] | None, typer.Argument(metavar="FILE...", help="Files of scores; with --qrels, runs.")
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            "-m",
            metavar="MEASURE",
            help="A measure to look at; repeatable. Without it, all that the files have.",
            show_default=False,
        ),
    ] = None,
    qrels: Annotated[
        str | None,
        typer.Option(metavar="QRELS", help="Judgments to evaluate runs with.", show_default=False),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Aspect weights for --qrels, as for evaluate.", show_default=False),
    ] = None,
    order: Annotated[Order, typer.Option(help="How the documents of a run are ordered.")] = Order.score,
    duplicates: Annotated[
        Duplicates, typer.Option(help="A document twice in a topic: an error, or keep the better-ranked.")
    ] = Duplicates.error,
    measures_file: Annotated[
        list[Path] | None,
        typer.Option(
            "--measures", metavar="FILE", help="TOML with measures of your own.", show_default=False
        ),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=VALUE",
            help="Of a file of scores with more columns, only these rows; repeatable.",
            show_default=False,
        ),
    ] = None,
) -> Source:
    """Scores from files, or from runs and judgments."""
    from rankprism.formats.scores import read_scores
    from rankprism.measures import load

    if not files:
        raise InputError("name files of scores, or runs together with --qrels")
    if qrels is None:
        for option, given in (("--weights", weights), ("--measures", measures_file)):
            if given:
                raise InputError(f"{option} goes with --qrels and runs; files of scores need none")
        scores = read_scores(list(files), where=_conditions(where or []))
        return Source(scores.select(measures=measure) if measure else scores)
    if where:
        raise InputError("--where chooses rows from files of scores; with --qrels the files are runs")
    for file in measures_file or []:
        load(file)
    return evaluated(qrels, files, measure or [], weights, order.value, duplicates.value)


def evaluated(
    qrels: str, runs: list[str], measures: list[str], weights: str | None, order: str, duplicates: str
) -> Source:
    from rankprism.evaluation import evaluate
    from rankprism.formats.files import run_name
    from rankprism.formats.judgments import read_judgments
    from rankprism.measures import parse

    if not measures:
        raise MeasureError("name the measures with -m, e.g. -m alpha_nDCG@20 -m P@20")
    chosen = [parse(text) for text in measures]
    with reading(len(runs)) as on_run:
        judgments = read_judgments(qrels, weights=weights)
        scores = evaluate(judgments, runs, chosen, order=order, duplicates=duplicates, on_run=on_run)
    by_name = {run_name(run): run for run in runs}
    return Source(scores, judgments, {"runs": by_name, "order": order, "duplicates": duplicates})


def _conditions(where: list[str]) -> dict[str, str]:
    conditions = {}
    for text in where:
        column, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"--where takes COLUMN=VALUE; got {text!r}")
        conditions[column] = value
    return conditions


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

        whole = result.result if isinstance(result, Detailed) else result
        save(draw(whole, title=title, width=width, height=height), plot)


def write_result(result: Result, format: ResultFormatOption = None, output: OutputFile = None) -> None:
    """Write a result where and how it is wanted."""
    from rankprism.cli.output import write

    kind = format_of(output, format, ResultFormat)
    write(FORMATS[kind](result), output, for_people=kind == "table")


def note_options(quiet: Quiet = False) -> None:
    """The option that every command with notes has."""


#: What the functions below get from elsewhere than the command line.
_NOT_OPTIONS = ("source", "on_share", "result", "chart")


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
            with noted(given["quiet"]):
                source = read_source(**of(read_source))
                with working(what) as on_share:
                    progress = {"on_share": on_share} if "on_share" in _parameters(function) else {}
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
    command.__signature__ = inspect.Signature(list(options.values()))  # type: ignore[attr-defined]
    command.__annotations__ = {name: option.annotation for name, option in options.items()}
    return command


def _parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(function).parameters


def options_of(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """A function's parameters that are options, as Typer reads them."""
    hints = get_type_hints(function, include_extras=True)
    return {
        name: parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY)
        for name, parameter in _parameters(function).items()
        if name not in _NOT_OPTIONS
    }
