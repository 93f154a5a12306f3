"""`rankprism aspects`: analyses of judgments of several aspects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankprism.cli.analysis import Call, command, write_result
from rankprism.cli.collection import Read, read_collection
from rankprism.cli.group import commands
from rankprism.cli.judgments import Qrels, described, read_judged
from rankprism.cli.measures import MeasureFiles, load_measures, measures_option
from rankprism.cli.signature import with_options_of
from rankprism.errors import InputError

if TYPE_CHECKING:
    from rankprism.data import Judgments
    from rankprism.judging.aspects import LabelOrder, LabelOrders

app = commands("Analyse judgments of several aspects.")

Toma = Annotated[
    str | None,
    typer.Option(metavar="SETTINGS", help="Parameters of TOMA, e.g. \"tuples='seen',best=(2,2)\"."),
]
Single = Annotated[
    list[str] | None, measures_option("A measure of one aspect, e.g. nDCG@10. Default: nDCG and AP.")
]


def toma_settings(settings: str | None) -> dict[str, Any]:
    """Parse the parameters of TOMA."""
    from rankprism.measures import parse

    chosen = dict(parse(f"TOMA({settings})").settings) if settings else {}
    if "measure" in chosen:
        raise InputError(f"--toma takes parameters such as tuples='seen', no measure; got {settings!r}")
    return chosen


@with_options_of(read_judged)
def read_scales(files: Qrels = None, **others: Any) -> Any:
    """Judgments, or the scales that the options describe if there are none."""
    from rankprism.data import Scale

    if files:
        return read_judged(files=files, **others)
    wanted = described(*(others[name] for name in ("aspects", "labels", "embed", "given", "lower")))
    if not wanted.aspects or any(a.labels is None for a in wanted.aspects):
        raise InputError("name judgments, or the labels of every aspect, e.g. --labels relevance=0,1,2")
    return [
        Scale.of(a.name, a.labels or (), a.embed, a.given, lower_is_better=a.lower_is_better)
        for a in wanted.aspects
    ]


@with_options_of(write_result)
def write_order(
    found: LabelOrder | LabelOrders,
    hasse: Annotated[
        bool, typer.Option("--hasse", help="Print the partial order that holds for every distance instead.")
    ] = False,
    **written: Any,
) -> None:
    """Write a table, or the Hasse diagram."""
    from rankprism.cli.output import write

    if hasse:
        write(found.hasse() + "\n", written["output"], for_people=True)
    else:
        write_result(found, **written)


@app.command()
@command("judging.aspects:order", reads=read_scales, writes=write_order)
def order(scales: Any, call: Call, toma: Toma = None) -> Any:
    """Show the classes of label tuples that TOMA makes.

    The three distances are shown side by side. If --toma names a distance, it is shown in detail.

    \b
    rankprism aspects order --labels relevance=0,1,2,3 --labels credibility=0,1
    rankprism aspects order qrels.toml --toma "distance='manhattan'"
    """
    from rankprism.judging.aspects import orders

    settings = toma_settings(toma)
    if settings.pop("weighted", False):
        raise InputError(
            "--toma: with weighted=True every topic has an order of its own; leave it out to see one"
        )
    detailed = toma is not None and "distance" in toma
    return call(scales, **settings) if detailed else orders(scales, **settings)


@app.command()
@command("judging.aspects:labels", reads=read_judged)
def labels(judgments: Judgments, call: Call) -> Any:
    """Count the documents that have each label of each aspect.

    \b
    rankprism aspects labels qrels.txt --aspects relevance,credibility
    """
    return call(judgments)


@app.command()
@command("judging.aspects:attainable", "ranking", reads=read_judged)
def attainable(
    judgments: Judgments, call: Call, measure: Single = None, measures_file: MeasureFiles = None
) -> Any:
    """Show the highest scores that CAM and MM can reach.

    \b
    rankprism aspects attainable qrels.toml -m AP
    """
    load_measures(measures_file)
    names = [f"{combine}({m})" for m in measure or ["nDCG", "AP"] for combine in ("CAM", "MM")]
    return call(judgments, names)


@app.command()
@command("judging.aspects:compare", "resampling", reads=read_collection)
def compare(
    read: Read,
    call: Call,
    measure: Single = None,
    approach: Annotated[
        list[str] | None,
        typer.Option(
            "--approach",
            "-a",
            metavar="APPROACH",
            help="A measure that takes a measure, e.g. CAM or \"TOMA(tuples='seen')\". Repeatable. Default: "
            "CAM, MM, and TOMA with three distances, which are called EUCL, MANH and CHEB.",
        ),
    ] = None,
    measures_file: MeasureFiles = None,
) -> Any:
    """Show how approaches such as CAM, MM and TOMA differ.

    The tables show how alike they rank the runs, how many pairs of runs they tell apart, and how good the
    documents of the runs are that they find best.

    \b
    rankprism aspects compare qrels.toml runs/*.run
    rankprism aspects compare qrels.toml runs/*.run -m nDCG@10 -a CAM -a MANH
    """
    load_measures(measures_file)
    named = {"measures": measure, "approaches": approach}
    chosen = {name: value for name, value in named.items() if value}
    return call(read.collection, **chosen)
