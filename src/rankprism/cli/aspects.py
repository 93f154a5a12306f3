"""`rankprism aspects`: analyses of judgments of several aspects."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from rankprism.cli.analysis import check_output, check_plot, draw_result, note_options, write_result
from rankprism.cli.collection import (
    MeasureFiles,
    QrelsAndRuns,
    described,
    given_to,
    load_measures,
    read_collection,
    read_judged,
    with_options_of,
)
from rankprism.cli.completion import complete_measure
from rankprism.cli.group import Group
from rankprism.cli.options import Alpha, Resamples, Seed, noted, working
from rankprism.errors import InputError
from rankprism.types import Zeros

app = typer.Typer(
    cls=Group,
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Analyse judgments of several aspects.",
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


def toma_settings(settings: str | None) -> dict[str, Any]:
    """Parse the parameters of TOMA."""
    from rankprism.measures import parse

    chosen = dict(parse(f"TOMA({settings})").settings) if settings else {}
    if "measure" in chosen:
        raise InputError(f"--toma takes parameters such as tuples='seen', no measure; got {settings!r}")
    return chosen


@app.command()
@with_options_of(read_judged, draw_result, write_result, note_options)
def order(
    toma: Toma = None,
    hasse: Annotated[
        bool,
        typer.Option("--hasse", help="Print the partial order that holds for every distance instead."),
    ] = False,
    **others: Any,
) -> None:
    """Show the classes of label tuples that TOMA makes.

    The three distances are shown side by side. If --toma names a distance, it is shown in detail.

    \b
    rankprism aspects order --labels relevance=0,1,2,3 --labels credibility=0,1
    rankprism aspects order qrels.toml --toma "distance='manhattan'"
    """
    from rankprism.aspects import order as compute
    from rankprism.aspects import orders
    from rankprism.cli.output import write
    from rankprism.data.scales import Scale

    check_plot(output=others["output"], **given_to(draw_result, others))
    check_output(**given_to(write_result, others))
    scales: Any
    with noted(others["quiet"]):
        if others["files"]:
            scales = read_judged(**given_to(read_judged, others))
        else:
            wanted = described(others["aspects"], others["labels"], others["embed"], others["given"])
            if not wanted.aspects or any(a.labels is None for a in wanted.aspects):
                raise InputError(
                    "name judgments, or the labels of every aspect, e.g. --labels relevance=0,1,2"
                )
            scales = [Scale.of(a.name, a.labels or (), a.embed, a.given) for a in wanted.aspects]
        settings = toma_settings(toma)
        if settings.pop("weighted", False):
            raise InputError(
                "--toma: with weighted=True every topic has an order of its own; leave it out to see one"
            )
        found = compute(scales, **settings)
    if hasse:
        write(found.hasse() + "\n", others["output"], for_people=True)
    elif toma and "distance" in toma:
        write_result(found, **given_to(write_result, others))
    else:
        write_result(orders(scales, **settings), **given_to(write_result, others))
    draw_result(found, **given_to(draw_result, others))


@app.command()
@with_options_of(read_judged, write_result, note_options)
def labels(
    **others: Any,
) -> None:
    """Count the documents that have each label of each aspect.

    \b
    rankprism aspects labels qrels.txt --aspects relevance,credibility
    """
    from rankprism.aspects import labels as compute

    check_output(**given_to(write_result, others))
    with noted(others["quiet"]):
        found = compute(read_judged(**given_to(read_judged, others)))
    write_result(found, **given_to(write_result, others))


@app.command()
@with_options_of(read_judged, draw_result, write_result, note_options)
def attainable(
    measure: Single = None,
    measures_file: MeasureFiles = None,
    exact: Annotated[
        int, typer.Option(min=0, help="Try all rankings of a topic if it has at most so many rankings.")
    ] = 5040,
    **others: Any,
) -> None:
    """Show the highest scores that CAM and MM can reach.

    \b
    rankprism aspects attainable qrels.toml -m AP
    """
    from rankprism.aspects import attainable as compute

    check_plot(output=others["output"], **given_to(draw_result, others))
    check_output(**given_to(write_result, others))
    load_measures(measures_file)
    with noted(others["quiet"]):
        judgments = read_judged(**given_to(read_judged, others))
        names = [f"{combine}({m})" for m in measure or ["nDCG", "AP"] for combine in ("CAM", "MM")]
        with working("ranking") as on_share:
            found = compute(judgments, names, exact, on_share=on_share)
    write_result(found, **given_to(write_result, others))
    draw_result(found, **given_to(draw_result, others))


@app.command()
@with_options_of(read_collection, write_result, note_options)
def compare(
    files: QrelsAndRuns = None,
    measure: Single = None,
    approach: Annotated[
        list[str] | None,
        typer.Option(
            "--approach",
            "-a",
            metavar="APPROACH",
            help="A measure that takes a measure, e.g. CAM or \"TOMA(tuples='seen')\". Repeatable. Default: "
            "CAM, MM, and TOMA with three distances, which are called EUCL, MANH and CHEB.",
            show_default=False,
        ),
    ] = None,
    measures_file: MeasureFiles = None,
    trash: Annotated[
        int,
        typer.Option(min=1, help="Count documents with the lowest label on every aspect down to this rank."),
    ] = 5,
    depths: Annotated[
        str, typer.Option(metavar="RANK,…", help="The last ranks of the bands of label sums.")
    ] = "25,50,75,100",
    zeros: Annotated[
        Zeros,
        typer.Option(
            help="A topic on which every run scores 0 by an approach: count it, with all runs in equal "
            "shares, or drop it for this approach.",
        ),
    ] = "count",
    alpha: Alpha = 0.01,
    resamples: Resamples = 10_000,
    seed: Seed = 0,
    intervals: Annotated[
        float,
        typer.Option(help="Confidence of the intervals over topics. 0 leaves the intervals out."),
    ] = 0.95,
    **others: Any,
) -> None:
    """Show how approaches such as CAM, MM and TOMA differ.

    The tables show how alike they rank the runs, how many pairs of runs they tell apart, and how good the
    documents of the runs are that they find best.

    \b
    rankprism aspects compare qrels.toml runs/*.run
    rankprism aspects compare qrels.toml runs/*.run -m nDCG@10 -a CAM -a MANH
    """
    from rankprism.aspects import compare as compute
    from rankprism.aspects.approaches import APPROACHES
    from rankprism.cli.simulation import numbers

    check_output(**given_to(write_result, others))
    load_measures(measures_file)
    ranks = numbers(depths, "--depths")
    with noted(others["quiet"]):
        read = read_collection(**given_to(read_collection, {"files": files, **others}))
        with working("resampling") as on_share:
            found = compute(
                read.absolute,
                list(read.runs),
                measure or ["nDCG", "AP"],
                approaches=approach or APPROACHES,
                trash=trash,
                depths=ranks,
                zeros=zeros,
                alpha=alpha,
                resamples=resamples,
                seed=seed,
                intervals=intervals,
                on_share=on_share,
                **read.settings,
            )
    write_result(found, **given_to(write_result, others))
