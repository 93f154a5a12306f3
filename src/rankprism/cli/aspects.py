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
from rankprism.cli.judgments import (
    AspectNames,
    AspectWeights,
    Embedding,
    GivenAspect,
    LabelNames,
    described,
    read,
    split_pairs,
)
from rankprism.cli.options import (
    Alpha,
    Duplicates,
    Order,
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
    no_args_is_help=True,
    help="Several aspects: the order of label tuples, what CAM and MM reach, analyses.",
)

Qrels = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="QRELS",
        help="Judgments: a file with --aspects, NAME=FILE for each aspect, or a TOML file.",
        show_default=False,
    ),
]
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
        help="A measure of one aspect such as nDCG@10; repeatable. nDCG and AP without it.",
        show_default=False,
    ),
]


def _only_judgments(arguments: list[str] | None) -> Any:
    source, rest = split_pairs(arguments or [])
    if rest:
        raise InputError(f"{rest[0]}: only judgments are wanted here, and they are named before it")
    return source


def _toma(settings: str | None) -> dict[str, Any]:
    """The parameters in TOMA(M, …)."""
    from rankprism.measures import parse

    chosen = dict(parse(f"TOMA({settings})").settings) if settings else {}
    if "measure" in chosen:
        raise InputError(f"--toma takes parameters such as tuples='seen', no measure; got {settings!r}")
    return chosen


@app.command()
def order(
    qrels: Qrels = None,
    aspects: AspectNames = None,
    labels: LabelNames = None,
    embed: Embedding = None,
    given: GivenAspect = None,
    toma: Toma = None,
    hasse: Annotated[
        bool, typer.Option("--hasse", help="The partial order instead: which labels are just above which.")
    ] = False,
    plot: PlotFile = None,
    title: ChartTitle = None,
    width: ChartWidth = None,
    height: ChartHeight = None,
    format: ResultFormatOption = None,
    output: OutputFile = None,
    quiet: Quiet = False,
) -> None:
    """The classes of label tuples that TOMA makes: rankprism aspects order --labels relevance=0,1,2,3 …

    By all three distances side by side, or of one in detail: --toma "distance='manhattan'"
    """
    from rankprism.aspects import order as compute
    from rankprism.aspects import orders
    from rankprism.cli.output import write
    from rankprism.data.scales import Scale

    check_plot(plot, output, title, width, height)
    source = _only_judgments(qrels)
    wanted = described(aspects, labels, embed, given)
    scales: Any
    with noted(quiet):
        if source is not None:
            scales = read(source, wanted)
        else:
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


@app.command("labels")
def label_counts(
    qrels: Qrels = None,
    aspects: AspectNames = None,
    labels: LabelNames = None,
    embed: Embedding = None,
    given: GivenAspect = None,
    format: ResultFormatOption = None,
    output: OutputFile = None,
    quiet: Quiet = False,
) -> None:
    """How many documents have which label of which aspect."""
    from rankprism.aspects import label_counts as compute

    with noted(quiet):
        judgments = read(_only_judgments(qrels), described(aspects, labels, embed, given))
        found = compute(judgments)
    write_result(found, format, output)


@app.command()
def attainable(
    qrels: Qrels = None,
    measure: Single = None,
    aspects: AspectNames = None,
    labels: LabelNames = None,
    embed: Embedding = None,
    given: GivenAspect = None,
    weights: AspectWeights = None,
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
) -> None:
    """What CAM and MM reach at most, topic by topic: rankprism aspects attainable qrels.toml -m AP"""
    from rankprism.aspects import attainable as compute

    check_plot(plot, output, title, width, height)
    with noted(quiet), working("ranking"):
        judgments = read(_only_judgments(qrels), described(aspects, labels, embed, given), weights)
        names = [f"{combine}({m})" for m in measure or ["nDCG", "AP"] for combine in ("CAM", "MM")]
        found = compute(judgments, names, exact)
    write_result(found, format, output)
    draw_result(found, plot, title, width, height)


@app.command()
def analyse(
    qrels_and_runs: Annotated[
        list[str],
        typer.Argument(
            metavar="QRELS RUN...",
            help="Judgments, a file with --aspects, NAME=FILE for each aspect, or a TOML file; then runs.",
        ),
    ],
    measure: Single = None,
    aspects: AspectNames = None,
    labels: LabelNames = None,
    embed: Embedding = None,
    given: GivenAspect = None,
    weights: AspectWeights = None,
    toma: Toma = None,
    alpha: Alpha = 0.01,
    resamples: Resamples = 10_000,
    seed: Seed = 0,
    run_order: Annotated[
        Order, typer.Option("--order", help="How the documents of a run are ordered.")
    ] = Order.score,
    duplicates: Annotated[
        Duplicates, typer.Option(help="A document twice in a topic: an error, or keep the better-ranked.")
    ] = Duplicates.error,
    format: ResultFormatOption = None,
    output: OutputFile = None,
    quiet: Quiet = False,
) -> None:
    """CAM, MM and TOMA beside each other: correlation, power, and what their best runs look like.

    The tables are those of Maistro et al. 2021: Table 4, 5 and 6.
    """
    from rankprism.aspects import analyse as compute

    source, runs = split_pairs(qrels_and_runs)
    if not runs:
        raise InputError("name the runs after the judgments")
    with noted(quiet):
        judgments = read(source, described(aspects, labels, embed, given), weights)
        with working("resampling") as on_share:
            found = compute(
                judgments,
                runs,
                measure or ["nDCG", "AP"],
                toma=_toma(toma),
                alpha=alpha,
                resamples=resamples,
                seed=seed,
                order=run_order.value,
                duplicates=duplicates.value,
                on_share=on_share,
            )
    write_result(found, format, output)
