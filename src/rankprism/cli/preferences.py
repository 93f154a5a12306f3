"""`rankprism preferences`: which of two documents people would rather read."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from rankprism.cli import selection, simulation
from rankprism.cli.analysis import write_result
from rankprism.cli.choices import one_of
from rankprism.cli.options import (
    OutputFile,
    Resamples,
    ResultFormatOption,
    Seed,
    noted,
)

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Read what people prefer: pairs and triplets of documents.",
)


app.add_typer(simulation.app)
app.add_typer(selection.app)


@app.callback()
def root() -> None:
    pass


class PreferenceFormat(StrEnum):
    tsv = "tsv"
    csv = "csv"
    jsonl = "jsonl"
    marks = "marks"
    winner = "winner"
    winner_loser = "winner-loser"
    prefs = "prefs"
    qrels_prefs = "qrels-prefs"


class OrderBy(StrEnum):
    bradley_terry = "bradley-terry"
    wins = "wins"


PreferenceFile = Annotated[
    str, typer.Argument(metavar="PREFS", help="A file of preferences; - is standard input.")
]
From = Annotated[
    PreferenceFormat | None,
    typer.Option(
        "--from",
        help="The format of PREFS. Default: recognised, if the file can be nothing but preferences.",
        show_default=False,
    ),
]


@app.command()
def describe(
    preferences: PreferenceFile,
    runs: Annotated[
        list[str] | None,
        typer.Argument(metavar="[RUN]...", help="Runs, to see how much of their first documents was judged."),
    ] = None,
    source_format: From = None,
    cutoff: Annotated[
        int, typer.Option("--cutoff", "-k", min=1, help="How many documents of a run are looked at.")
    ] = 10,
    resamples: Resamples = 1000,
    seed: Seed = 0,
    order: Annotated[
        str,
        typer.Option(click_type=one_of("data.run:ORDERS"), help="How the documents of a run are ordered."),
    ] = "score",
    duplicates: Annotated[
        str,
        typer.Option(
            click_type=one_of("data.run:DUPLICATES"),
            help="A document twice in a topic: an error, or keep the better-ranked.",
        ),
    ] = "error",
    format: ResultFormatOption = None,
    output: OutputFile = None,
) -> None:
    """Count preferences, and show whether assessors agree and where preferences go in circles.

    Pairs and triplets of every topic; contradictions, triads and cycles; Krippendorff's α and Cohen's κ
    with 95 % bootstrap intervals; and of each RUN, how much of its first documents was judged.

    \b
    rankprism preferences describe prefs.tsv runs/*.run
    """
    from rankprism.formats.preferences import read_preferences
    from rankprism.preferences.describe import describe as compute

    with noted():
        read = read_preferences(preferences, format=source_format and source_format.value)
        found = compute(
            read,
            runs or None,
            cutoff=cutoff,
            resamples=resamples,
            seed=seed,
            order=order,
            duplicates=duplicates,
        )
    write_result(found, format, output)


@app.command()
def strengths(
    preferences: PreferenceFile,
    source_format: From = None,
    prior: Annotated[
        float,
        typer.Option(help="Imaginary comparisons of each document with one of strength 0, half of them won."),
    ] = 1.0,
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    format: ResultFormatOption = None,
    output: OutputFile = None,
) -> None:
    """Show how strong each document is by Bradley and Terry's model, with intervals.

    \b
    rankprism preferences strengths prefs.tsv -o strengths.csv
    """
    from rankprism.formats.preferences import read_preferences
    from rankprism.preferences.bradley_terry import bradley_terry

    with noted():
        read = read_preferences(preferences, format=source_format and source_format.value)
        found = bradley_terry(read, prior=prior, level=level)
    write_result(found, format, output)


@app.command()
def order(
    preferences: PreferenceFile,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Default: standard output.", show_default=False),
    ] = None,
    source_format: From = None,
    by: Annotated[
        OrderBy, typer.Option(help="What decides: strength by Bradley and Terry, or the share of wins.")
    ] = OrderBy.bradley_terry,
    prior: Annotated[
        float,
        typer.Option(help="Imaginary comparisons of each document with one of strength 0, half of them won."),
    ] = 1.0,
) -> None:
    """Write the order of preference as qrels for Compat.

    The last document of a topic has grade 1, the one before it 2, and so on; equal ones have the same grade.

    \b
    rankprism preferences order prefs.tsv -o order.qrels
    """
    from rankprism.cli.output import write
    from rankprism.formats.convert import judgments_text
    from rankprism.formats.preferences import read_preferences
    from rankprism.preferences.bradley_terry import preference_order

    with noted():
        read = read_preferences(preferences, format=source_format and source_format.value)
        text = judgments_text(preference_order(read, by=by.value, prior=prior), "adhoc")
    write(text, output)
