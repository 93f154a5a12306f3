"""`rankprism preferences`: which of two documents people would rather read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from rankprism.cli.analysis import check_output, write_result
from rankprism.cli.choices import one_of
from rankprism.cli.collection import with_options_of
from rankprism.cli.options import (
    Duplicates,
    Resamples,
    RunOrder,
    Seed,
    noted,
)

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Read what people prefer: pairs and triplets of documents.",
)


@app.callback()
def root() -> None:
    pass


PreferenceFile = Annotated[
    str, typer.Argument(metavar="PREFS", help="A file of preferences; - is standard input.")
]
From = Annotated[
    str | None,
    typer.Option(
        "--from",
        click_type=one_of("formats.known:PREFERENCE_FORMATS"),
        help="The format of PREFS. Default: recognised, if the file can be nothing but preferences.",
        show_default=False,
    ),
]


@app.command()
@with_options_of(write_result)
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
    order: RunOrder = "score",
    duplicates: Duplicates = "error",
    **written: Any,
) -> None:
    """Count preferences, and show whether assessors agree and where preferences go in circles.

    Pairs and triplets of every topic; contradictions, triads and cycles; Krippendorff's α and Cohen's κ
    with 95 % bootstrap intervals; and of each RUN, how much of its first documents was judged.

    \b
    rankprism preferences describe prefs.tsv runs/*.run
    """
    from rankprism.formats.preferences import read_preferences
    from rankprism.preferences.describe import describe as compute

    check_output(**written)
    with noted():
        read = read_preferences(preferences, format=source_format)
        found = compute(
            read,
            runs or None,
            cutoff=cutoff,
            resamples=resamples,
            seed=seed,
            order=order,
            duplicates=duplicates,
        )
    write_result(found, **written)


@app.command()
@with_options_of(write_result)
def strengths(
    preferences: PreferenceFile,
    source_format: From = None,
    prior: Annotated[
        float,
        typer.Option(help="Imaginary comparisons of each document with one of strength 0, half of them won."),
    ] = 1.0,
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    **written: Any,
) -> None:
    """Show how strong each document is by Bradley and Terry's model, with intervals.

    \b
    rankprism preferences strengths prefs.tsv -o strengths.csv
    """
    from rankprism.formats.preferences import read_preferences
    from rankprism.preferences.bradley_terry import bradley_terry

    check_output(**written)
    with noted():
        read = read_preferences(preferences, format=source_format)
        found = bradley_terry(read, prior=prior, level=level)
    write_result(found, **written)


@app.command()
def order(
    preferences: PreferenceFile,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Default: standard output.", show_default=False),
    ] = None,
    source_format: From = None,
    by: Annotated[
        str,
        typer.Option(
            click_type=one_of("preferences.bradley_terry:ORDER_BY"),
            help="What decides: strength by Bradley and Terry, or the share of wins.",
        ),
    ] = "bradley-terry",
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
        read = read_preferences(preferences, format=source_format)
        text = judgments_text(preference_order(read, by=by, prior=prior), "adhoc")
    write(text, output)
