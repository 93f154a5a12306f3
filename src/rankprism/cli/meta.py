"""`rankprism meta`: evaluate the measures themselves."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from rankprism.cli.analysis import Call, command
from rankprism.cli.group import commands
from rankprism.cli.scores import Source
from rankprism.errors import InputError

app = commands("Evaluate the measures themselves.")

CompareMeasures = Annotated[
    bool,
    typer.Option(
        "--differences",
        help="Compare every pair of measures instead: print the difference of their figures, its interval "
        "and p.",
    ),
]


@app.command()
@command("meta:power", "resampling")
def power(source: Source, call: Call, differences: CompareMeasures = False) -> Any:
    """How many pairs of systems does a measure separate?

    This is discriminative power.

    \b
    rankprism meta power qrels.txt runs/*.run -m alpha_nDCG@20 -m P@20
    rankprism meta power scores.csv --method tukey --plot power.pdf
    """
    found = call(source.scores)
    return found.differences() if differences else found


@app.command()
@command("meta:unanimity", "counting")
def unanimity(
    source: Source,
    call: Call,
    grouped: Annotated[
        bool,
        typer.Option(
            "--grouped",
            help="Show only the best variant of each measure. Variants with the same figure share a row.",
        ),
    ] = False,
    differences: CompareMeasures = False,
) -> Any:
    """Does a measure see the improvements that all others see?

    This is Metric Unanimity.

    \b
    rankprism meta unanimity scores.csv --grouped
    """
    found = call(source.scores)
    found = found.grouped() if grouped else found
    return found.differences() if differences else found


@app.command()
@command("meta:scenarios", "drawing")
def scenarios(source: Source, call: Call) -> Any:
    """Are measures still unanimous if grades, weights and lengths differ?

    This is Metric Unanimity as given, and with random grades, aspect weights and lengths of rankings.

    \b
    rankprism meta scenarios qrels.txt runs/*.run -m RBU -m AP_IA -m alpha_nDCG@20
    """
    collection = source.collection
    if collection is None:
        raise InputError("scenarios need judgments and runs to draw from; scores are not enough")
    if collection.preferences is not None:
        raise InputError("scenarios draw absolute grades; leave out preferences and their measures")
    if "tied" in source.scores.conventions:
        raise InputError("scenarios score one order of tied documents; leave out --tied")
    return call(collection.collection, measures=source.scores.measures)


@app.command()
@command("meta:correlation", "correlating")
def correlation(
    source: Source,
    call: Call,
    clustered: Annotated[
        bool, typer.Option("--clustered", help="Put measures that rank the systems alike side by side.")
    ] = False,
) -> Any:
    """Do measures rank the systems alike?

    \b
    rankprism meta correlation scores.csv --coefficient tau-ap
    """
    found = call(source.scores)
    return found.clustered() if clustered else found


@app.command()
@command("meta:agreement", "resampling")
def agreement(source: Source, call: Call) -> Any:
    """Do measures find the same differences significant?

    \b
    rankprism meta agreement scores.csv --alpha 0.01
    """
    return call(source.scores)


@app.command()
@command("meta:intuitiveness", "counting")
def intuitiveness(
    source: Source,
    call: Call,
    gold: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MEASURE",
            help="A simple measure that decides which measure is right, e.g. StRecall@10. With judgments and "
            "runs, name it with -m too. Repeatable.",
        ),
    ] = None,
) -> Any:
    """Which of two measures agrees with simple measures?

    \b
    rankprism meta intuitiveness scores.csv --gold StRecall@10
    """
    if not gold:
        raise InputError("name a gold measure among the others, e.g. --gold StRecall@10")
    return call(source.scores, gold=gold)


@app.command()
@command("meta:swap", "drawing topics")
def swap(source: Source, call: Call, differences: CompareMeasures = False) -> Any:
    """How often would other topics reverse a difference?

    This is the swap method.

    \b
    rankprism meta swap scores.csv --trials 1000
    """
    found = call(source.scores)
    return found.differences() if differences else found


@app.command()
@command("meta:stability", "resampling", leaves=("sizes",))
def stability(
    source: Source,
    call: Call,
    size: Annotated[
        list[int] | None,
        typer.Option(help="A number of topics. Repeatable. Default: ten steps up to all topics."),
    ] = None,
) -> Any:
    """How does power grow with the number of topics?

    \b
    rankprism meta stability scores.csv --size 10 --size 20
    """
    return call(source.scores, sizes=size)


@app.command()
@command("meta:disagreement", leaves=("judgments",))
def disagreement(source: Source, call: Call) -> Any:
    """On which ranked lists do two measures differ most?

    \b
    rankprism meta disagreement qrels.txt runs/*.run -m alpha_nDCG@10 -m P@10
    """
    return call(source.scores, judgments=None if source.collection is None else source.collection.collection)
