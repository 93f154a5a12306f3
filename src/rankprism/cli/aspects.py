"""`rankprism aspects`: evaluation by several aspects, looked at."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from rankprism.cli.analysis import (
    ChartHeight,
    ChartTitle,
    ChartWidth,
    PlotFile,
    check_plot,
    draw_result,
    write_result,
)
from rankprism.cli.collection import (
    MeasureFiles,
    Qrels,
    QrelsAndRuns,
    described,
    load_measures,
    read_collection,
    read_judged,
    with_options_of,
)
from rankprism.cli.completion import complete_measure
from rankprism.cli.options import (
    Alpha,
    OutputFile,
    Quiet,
    Resamples,
    ResultFormatOption,
    Seed,
    noted,
    working,
)
from rankprism.errors import InputError

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Look at judgments of several aspects.",
)

Toma = Annotated[
    str | None,
    typer.Option(
        metavar="SETTINGS", help="Parameters of TOMA, e.g. \"tuples='seen',best=(2,2)\".", show_default=False
    ),
]
Single = Annotated[
    list[str] | None,
    typer.Option(
        "--measure",
        "-m",
        metavar="MEASURE",
        help="A measure of one aspect, e.g. nDCG@10. Repeatable. Default: nDCG and AP.",
        autocompletion=complete_measure,
        show_default=False,
    ),
]


def _toma(settings: str | None) -> dict[str, Any]:
    """The parameters in TOMA(M, …)."""
    from rankprism.measures import parse

    chosen = dict(parse(f"TOMA({settings})").settings) if settings else {}
    if "measure" in chosen:
        raise InputError(f"--toma takes parameters such as tuples='seen', no measure; got {settings!r}")
    return chosen


@app.command()
@with_options_of(read_judged)
def order(
    files: Qrels = None,
    toma: Toma = None,
    hasse: Annotated[
        bool,
        typer.Option("--hasse", help="Print the partial order instead: which labels are just above which."),
    ] = False,
    plot: PlotFile = None,
    title: ChartTitle = None,
    width: ChartWidth = None,
    height: ChartHeight = None,
    format: ResultFormatOption = None,
    output: OutputFile = None,
    quiet: Quiet = False,
    **judged: Any,
) -> None:
    """The classes of label tuples that TOMA makes.

    All three distances are shown side by side, or one of them in detail.

    \b
    rankprism aspects order --labels relevance=0,1,2,3 --labels credibility=0,1
    rankprism aspects order qrels.toml --toma "distance='manhattan'"
    """
    from rankprism.aspects import order as compute
    from rankprism.aspects import orders
    from rankprism.cli.output import write
    from rankprism.data.scales import Scale

    check_plot(plot, output, title, width, height)
    scales: Any
    with noted(quiet):
        if files:
            scales = read_judged(files=files, **judged)
        else:
            wanted = described(judged["aspects"], judged["labels"], judged["embed"], judged["given"])
            if not wanted.aspects or any(a.labels is None for a in wanted.aspects):
                raise InputError(
                    "name judgments, or the labels of every aspect, e.g. --labels relevance=0,1,2"
                )
            scales = [Scale.of(a.name, a.labels or (), a.embed, a.given) for a in wanted.aspects]
        settings = _toma(toma)
        if settings.pop("weighted", False):
            raise InputError(
                "--toma: with weighted=True every topic has an order of its own; leave it out to see one"
            )
        found = compute(scales, **settings)
    if hasse:
        write(found.hasse() + "\n", output, for_people=True)
    elif toma and "distance" in toma:
        write_result(found, format, output)
    else:
        write_result(orders(scales, **settings), format, output)
    draw_result(found, plot, title, width, height)


@app.command()
@with_options_of(read_judged)
def labels(
    files: Qrels = None,
    format: ResultFormatOption = None,
    output: OutputFile = None,
    quiet: Quiet = False,
    **judged: Any,
) -> None:
    """How many documents have which label of which aspect.

    \b
    rankprism aspects labels qrels.txt --aspects relevance,credibility
    """
    from rankprism.aspects import labels as compute

    with noted(quiet):
        found = compute(read_judged(files=files, **judged))
    write_result(found, format, output)


@app.command()
@with_options_of(read_judged)
def attainable(
    files: Qrels = None,
    measure: Single = None,
    measures_file: MeasureFiles = None,
    exact: Annotated[
        int, typer.Option(min=0, help="Try all rankings of topics that have at most so many.")
    ] = 5040,
    plot: PlotFile = None,
    title: ChartTitle = None,
    width: ChartWidth = None,
    height: ChartHeight = None,
    format: ResultFormatOption = None,
    output: OutputFile = None,
    quiet: Quiet = False,
    **judged: Any,
) -> None:
    """The highest scores that CAM and MM can reach, topic by topic.

    \b
    rankprism aspects attainable qrels.toml -m AP
    """
    from rankprism.aspects import attainable as compute

    check_plot(plot, output, title, width, height)
    load_measures(measures_file)
    with noted(quiet):
        judgments = read_judged(files=files, **judged)
        names = [f"{combine}({m})" for m in measure or ["nDCG", "AP"] for combine in ("CAM", "MM")]
        with working("ranking") as on_share:
            found = compute(judgments, names, exact, on_share=on_share)
    write_result(found, format, output)
    draw_result(found, plot, title, width, height)


@app.command()
@with_options_of(read_collection)
def analyse(
    files: QrelsAndRuns,
    measure: Single = None,
    measures_file: MeasureFiles = None,
    toma: Toma = None,
    alpha: Alpha = 0.01,
    resamples: Resamples = 10_000,
    seed: Seed = 0,
    format: ResultFormatOption = None,
    output: OutputFile = None,
    quiet: Quiet = False,
    **collection: Any,
) -> None:
    """CAM, MM and TOMA beside each other.

    Correlation, discriminative power, and what their best runs look like: Tables 4, 5 and 6 of Maistro et al.
    2021.

    \b
    rankprism aspects analyse qrels.toml runs/*.run -m nDCG@10
    """
    from rankprism.aspects import analyse as compute

    load_measures(measures_file)
    with noted(quiet):
        read = read_collection(files=files, **collection)
        with working("resampling") as on_share:
            found = compute(
                read.absolute,
                list(read.runs),
                measure or ["nDCG", "AP"],
                toma=_toma(toma),
                alpha=alpha,
                resamples=resamples,
                seed=seed,
                on_share=on_share,
                **read.settings,
            )
    write_result(found, format, output)
