"""`rankprism preferences`: which of two documents people would rather read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankprism.cli import selection, simulation
from rankprism.cli.analysis import Call, command, write_text
from rankprism.cli.choices import one_of
from rankprism.cli.collection import Measured, read_measured
from rankprism.cli.group import commands
from rankprism.cli.signature import parameters_of, with_options_of

if TYPE_CHECKING:
    from rankprism.data import Preferences

app = commands("Read what people prefer: pairs and triplets of documents.")


app.add_typer(simulation.app)
app.add_typer(selection.app)


PreferenceFile = Annotated[
    str, typer.Argument(metavar="PREFS", help="A file of preferences; - is standard input.")
]
From = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="FORMAT",
        click_type=one_of("formats.known:PREFERENCE_FORMATS"),
        help="The format of PREFS, e.g. qrels-prefs. Default: recognised, if the file can be nothing but "
        "preferences.",
    ),
]


def read_preferred(preferences: PreferenceFile, source_format: From = None) -> Preferences:
    """The preferences that are named."""
    from rankprism.formats import read_preferences

    return read_preferences(preferences, format=source_format)


@app.command()
@command("judging.preferences:describe", reads=read_preferred)
@with_options_of(parameters_of("evaluation:evaluate", "order", "duplicates", "run_depth"))
def describe(
    read: Preferences,
    call: Call,
    runs: Annotated[
        list[str] | None,
        typer.Argument(metavar="[RUN]...", help="Runs, to see how much of their first documents was judged."),
    ] = None,
    **reading: Any,
) -> Any:
    """Count preferences, and show whether assessors agree and where preferences go in circles.

    Pairs and triplets of every topic; contradictions, triads and cycles; Krippendorff's α and Cohen's κ
    with 95 % intervals; and of each RUN, how much of its first documents was judged.

    \b
    rankprism preferences describe prefs.tsv runs/*.run
    """
    return call(read, runs or None, **reading)


@app.command()
@command("judging.preferences:strengths", reads=read_preferred)
def strengths(
    read: Preferences,
    call: Call,
    contrasts: Annotated[
        bool, typer.Option("--contrasts", help="Compare any two documents of a topic instead, with p-values.")
    ] = False,
) -> Any:
    """Show how strong each document is by Bradley and Terry's model, with intervals.

    A strength is relative to the mean of the documents that were compared with each other, directly or
    through others.

    \b
    rankprism preferences strengths prefs.tsv -o strengths.csv
    rankprism preferences strengths prefs.tsv --contrasts
    """
    found = call(read)
    return found.contrasts() if contrasts else found


@app.command()
@command("judging.preferences:intervals", "resampling", reads=read_measured)
def intervals(read: Measured, call: Call) -> Any:
    """Show how far scores would move with other assessors or other topics.

    Prints an interval of the mean of each run and of the difference of any two runs: how far they would move
    in studies with as many other assessors, topics or both. Name preferences in the place of QRELS.

    \b
    rankprism preferences intervals prefs.tsv runs/*.run -m nPrf@20 \\
        --over assessors
    """
    collection, measures = read
    return call(collection.collection, measures=measures)


@app.command()
@command("judging.preferences:order", reads=read_preferred, writes=write_text)
def order(read: Preferences, call: Call) -> str:
    """Write the order of preference as qrels for Compat.

    The last document of a topic has grade 1, the one before it 2, and so on; equal ones have the same grade.

    \b
    rankprism preferences order prefs.tsv -o order.qrels
    """
    from rankprism.formats import judgments_text

    return judgments_text(call(read), "adhoc")
