"""`rankprism plot`: draw scores."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from rankprism.cli.analysis import as_command, note_options
from rankprism.cli.choices import one_of
from rankprism.cli.collection import Baseline, Source, options_of, read_source
from rankprism.cli.options import noted
from rankprism.errors import InputError, listed

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Draw scores.",
)


def write_chart(
    chart: Any,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The drawing: a file ending in .html, .svg, .png or .pdf; - is standard output.",
        ),
    ],
    format: Annotated[
        str | None,
        typer.Option(
            click_type=one_of("plots.output:ENDINGS"),
            help="How to draw it. Default: what the ending of FILE says, and svg for standard output.",
            show_default=False,
        ),
    ] = None,
) -> None:
    from rankprism.plots import save

    save(chart, output, format)


def drawing(
    before: Callable[[dict[str, Any]], dict[str, Any]] = dict,
) -> Callable[[Callable[..., Any]], Callable[..., None]]:
    """Turn a function of a `Source` and options of its own, which returns a chart, into a command.

    before : what is to be done to the options before anything is read.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., None]:
        own = options_of(function)

        def command(**given: Any) -> None:
            from rankprism.plots import check_ending

            check_ending(given["output"], given["format"])  # before the work is done
            given = before(given)
            with noted(given["quiet"]):
                compared = {"baseline": given["baseline"]} if "baseline" in given else {}
                source = read_source(**{name: given[name] for name in options_of(read_source)}, **compared)
                chart = function(source, **{name: given[name] for name in own})
            write_chart(chart, given["output"], given["format"])

        others = options_of(write_chart) | options_of(note_options)
        return as_command(command, function, options_of(read_source) | own | others)

    return decorate


@app.command()
@drawing()
def intervals(
    source: Source,
    alpha: Annotated[float, typer.Option(help="The intervals cover 1 - alpha.")] = 0.05,
) -> Any:
    """The mean of each run with its t interval.

    \b
    rankprism plot intervals scores.csv -o means.pdf
    """
    from rankprism.plots import score_intervals

    return score_intervals(source.scores, alpha)


@app.command()
@drawing()
def heatmap(source: Source) -> Any:
    """The score of every run on every topic.

    \b
    rankprism plot heatmap scores.csv -m alpha_nDCG@20 -o map.png
    """
    from rankprism.plots import system_topic_heatmap

    return system_topic_heatmap(source.scores, _only_measure(source))


@app.command()
@drawing()
def differences(
    source: Source,
    run: Annotated[
        str | None, typer.Option(metavar="RUN", help="A run; the first without it.", show_default=False)
    ] = None,
    baseline: Baseline = None,
) -> Any:
    """Two runs, topic by topic.

    A run is compared with the baseline.

    \b
    rankprism plot differences scores.csv -m P@20 --baseline bm25 -o d.svg
    """
    from rankprism.plots import topic_differences

    other = source.baseline
    rest = [name for name in source.scores.runs if name not in (run, other)]
    if run is None and other is None and len(rest) == 2:
        run, other = rest
    elif run is None and len(rest) == 1:
        run = rest[0]
    elif other is None and len(rest) == 1:
        other = rest[0]
    if run is None or other is None:
        raise InputError(f"name two runs with --run and --baseline; there are {listed(source.scores.runs)}")
    return topic_differences(source.scores, run, other, _only_measure(source))


@app.command()
@drawing()
def irec(
    source: Source,
    gamma: Annotated[float, typer.Option(help="The weight of I-rec in D#.")] = 0.5,
) -> Any:
    """I-rec against a D-measure.

    \b
    rankprism plot irec scores.csv -m StRecall@10 -m D_nDCG@10 -o irec.pdf
    """
    from rankprism.plots import irec_against

    measures = source.scores.measures
    if len(measures) != 2:
        raise InputError(
            "name I-rec and a D-measure, in this order, e.g. -m StRecall@10 -m D_nDCG@10; "
            f"there are {listed(measures)}"
        )
    return irec_against(source.scores, *measures, gamma)


def _filled_in(given: dict[str, Any]) -> dict[str, Any]:
    """The measures with each value in the place of {}."""
    from rankprism.formats.measure_files import load
    from rankprism.measures import parse

    measures, values = given["measure"] or [], given["values"]
    open_ones = [measure for measure in measures if "{}" in measure]
    if bool(values) != bool(open_ones) or len(open_ones) < len(measures) * bool(values):
        raise InputError(
            "--values goes with a measure that has {} in their place, "
            "e.g. -m 'alpha_nDCG(alpha={})@10' --values 0,0.5,0.9 --parameter alpha"
        )
    if not values:
        return given
    for file in given["measures_file"] or []:
        load(file)
    filled = [measure.replace("{}", value.strip()) for measure in measures for value in values.split(",")]
    return given | {"measure": [str(parse(text)) for text in filled], "measures_file": None}


@app.command()
@drawing(_filled_in)
def sensitivity(
    source: Source,
    parameter: Annotated[str, typer.Option(metavar="NAME", help="The parameter that moves.")],
    values: Annotated[
        str | None,
        typer.Option(
            metavar="V,V,…",
            help="Its values, each put in the place of {} in the measure.",
            show_default=False,
        ),
    ] = None,
) -> Any:
    """How the runs rank as a parameter of a measure changes.

    \b
    rankprism plot sensitivity qrels.txt runs/*.run --parameter alpha \\
      -m 'alpha_nDCG(alpha={})@10' --values 0,0.5,0.9 -o alpha.pdf
    """
    from rankprism.plots import sensitivity as draw

    return draw(source.scores, parameter)


def _only_measure(source: Source) -> str:
    measures = source.scores.measures
    if len(measures) != 1:
        raise InputError(f"name one measure with -m; there are {listed(measures)}")
    return measures[0]
