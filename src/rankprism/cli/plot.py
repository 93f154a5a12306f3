"""`rankprism plot` draws scores. Its commands are made from the charts of scores in `rankprism.plots`."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankprism.cli.analysis import ChartHeight, ChartTitle, ChartWidth, note_options
from rankprism.cli.collection import Baseline
from rankprism.cli.group import commands
from rankprism.cli.measures import load_measures
from rankprism.cli.options import noted, working
from rankprism.cli.scores import read_source
from rankprism.cli.signature import Command, derived, given_to, options_of
from rankprism.errors import InputError
from rankprism.types import ChartFormat

if TYPE_CHECKING:
    from rankprism.showing.plots import Chart

app = commands("Draw charts of scores.")


def write_chart(
    chart: Any,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write the chart to this file, which ends in .html, .svg, .png or .pdf. - is standard "
            "output.",
        ),
    ],
    format: Annotated[
        ChartFormat | None,
        typer.Option(help="Format of the chart. Default: the ending of FILE, or svg for standard output."),
    ] = None,
) -> None:
    from rankprism.showing.plots import save

    save(chart, output, format)


def look(title: ChartTitle = None, width: ChartWidth = None, height: ChartHeight = None) -> None:
    """The options that determine how a chart looks. This function exists only for its parameters."""


def filled_in(
    measures: list[str] | None,
    files: list[Path] | None,
    values: Annotated[
        str | None,
        typer.Option(
            metavar="V,V,…",
            help="Values that replace {} in a measure: -m 'P@{}' --values 5,10 means -m P@5 -m P@10.",
        ),
    ] = None,
) -> list[str] | None:
    """The measures with {} replaced by each of the values."""
    from rankprism.measures import parse_all

    if bool(values) != any("{}" in measure for measure in measures or []):
        raise InputError(
            "--values goes with a measure that has {} in their place, "
            "e.g. -m 'alpha_nDCG(alpha={})@10' --values 0,0.5,0.9"
        )
    if not values:
        return measures
    load_measures(files)
    filled = [
        measure.replace("{}", value.strip())
        for measure in measures or []
        for value in (values.split(",") if "{}" in measure else [""])
    ]
    return [str(each) for text in filled for each in parse_all(text)]


def _own_options(chart: Chart) -> dict[str, inspect.Parameter]:
    """The parameters of a chart as options. A baseline is the same option as in other commands."""
    own = derived(chart.function)
    return {
        name: option.replace(annotation=Baseline) if name == "baseline" else option
        for name, option in own.items()
    }


def add(chart: Chart) -> None:
    """Make the command of a chart of scores."""
    own, shared = _own_options(chart), options_of(look)
    only_values = {"values": options_of(filled_in)["values"]}

    def command(**given: Any) -> None:
        from rankprism.showing.plots import check_ending, check_size

        check_ending(given["output"], given["format"])  # before the work is done
        check_size(given["width"], given["height"])
        given["measure"] = filled_in(given["measure"], given["measures_file"], given["values"])
        if given["values"]:
            given["measures_file"] = None  # it has been loaded
        with noted(**given_to(note_options, given)), working("reading"):
            compared = {"baseline": given["baseline"]} if "baseline" in given else {}
            source = read_source(**{name: given[name] for name in options_of(read_source)}, **compared)
            if compared:
                given["baseline"] = source.baseline  # its name, where a file was given
            scores = source.scores
            with working("drawing"):
                drawn = chart.function(scores, **{name: given[name] for name in own | shared})
        write_chart(drawn, given["output"], given["format"])

    options = options_of(read_source) | only_values | own | shared
    options |= options_of(write_chart) | options_of(note_options)
    name = chart.command.removeprefix("plot ")
    called, rest = f"rankprism plot {name} scores.csv", f"{chart.example} -o {name}.pdf".strip()
    between = " " if len(called) + len(rest) < 78 else " \\\n  "
    app.command(name, help=f"{chart.summary}\n\n\b\n{called}{between}{rest}")(
        Command(command, chart.function, lambda: options)
    )


def fill() -> None:
    """Make the commands of all charts of scores. A list of groups does not need them."""
    from rankprism.showing.plots import CHARTS

    for chart in CHARTS.values():
        if chart.of_scores:
            add(chart)
