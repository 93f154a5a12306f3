"""`rankprism aspects`: analyses of judgments of several aspects."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankprism.cli.door import OUTPUT, SCORED, Group, Option, flag, takes
from rankprism.cli.frame import Call, analysis, write_result
from rankprism.cli.reading import Read, aspects_of, load_measures, read_collection, read_judged
from rankprism.cli.shared import MEASURES_FILE, measures
from rankprism.errors import InputError

if TYPE_CHECKING:
    from rankprism.data import Judgments
    from rankprism.judging.aspects import LabelOrder, LabelOrders

aspects = Group("aspects", "Analyse judgments of several aspects.")

TOMA = Option("--toma", metavar="SETTINGS", help="Parameters of TOMA, e.g. \"tuples='seen',best=(2,2)\".")
SINGLE = measures("A measure of one aspect, e.g. nDCG@10. Default: nDCG and AP.")


def toma_settings(settings: str | None) -> dict[str, Any]:
    """Parse the parameters of TOMA."""
    from rankprism.measures import parse

    chosen = dict(parse(f"TOMA({settings})").settings) if settings else {}
    if "measure" in chosen:
        raise InputError(f"--toma takes parameters such as tuples='seen', no measure; got {settings!r}")
    return chosen


@takes(read_judged)
def read_scales(files: Sequence[Any] | None = None, **others: Any) -> Any:
    """Judgments, or the scales that the options describe if there are none."""
    from rankprism.data import Scale

    if files:
        return read_judged(files=files, **others)
    wanted = aspects_of(*(others[name] for name in ("aspects", "labels", "embed", "given", "lower")))
    if not wanted.aspects or any(a.labels is None for a in wanted.aspects):
        raise InputError("name judgments, or the labels of every aspect, e.g. --labels relevance=0,1,2")
    return [
        Scale.of(a.name, a.labels or (), a.embed, a.given, lower_is_better=a.lower_is_better)
        for a in wanted.aspects
    ]


@takes(
    flag("--hasse", "Print the partial order that holds for every distance instead.", group=OUTPUT),
    write_result,
)
def write_order(found: LabelOrder | LabelOrders, hasse: bool = False, **written: Any) -> None:
    """Write a table, or the Hasse diagram."""
    from rankprism.cli.output import write

    if hasse:
        write(found.hasse() + "\n", written["output"], for_people=True)
    else:
        write_result(found, **written)


@analysis("judging.aspects:order", TOMA, reads=read_scales, writes=write_order, of=aspects)
def order(scales: Any, call: Call, toma: str | None) -> Any:
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


@analysis("judging.aspects:labels", reads=read_judged, of=aspects)
def labels(judgments: Judgments, call: Call) -> Any:
    """Count the documents that have each label of each aspect.

    \b
    rankprism aspects labels qrels.txt --aspects relevance,credibility
    """
    return call(judgments)


@analysis("judging.aspects:attainable", SINGLE, MEASURES_FILE, what="ranking", reads=read_judged, of=aspects)
def attainable(
    judgments: Judgments, call: Call, measure: list[str] | None, measures_file: list[Path] | None
) -> Any:
    """Show the highest scores that CAM and MM can reach.

    \b
    rankprism aspects attainable qrels.toml -m AP
    """
    load_measures(measures_file)
    names = [f"{combine}({m})" for m in measure or ["nDCG", "AP"] for combine in ("CAM", "MM")]
    return call(judgments, names)


@analysis(
    "judging.aspects:compare",
    SINGLE,
    Option(
        "--approach",
        "-a",
        multiple=True,
        metavar="APPROACH",
        help="A measure that takes a measure, e.g. CAM or \"TOMA(tuples='seen')\". Repeatable. Default: CAM, "
        "MM, and TOMA with three distances, which are called EUCL, MANH and CHEB.",
        group=SCORED,
    ),
    MEASURES_FILE,
    what="resampling",
    reads=read_collection,
    of=aspects,
)
def compare(
    read: Read,
    call: Call,
    measure: list[str] | None,
    approach: list[str] | None,
    measures_file: list[Path] | None,
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
